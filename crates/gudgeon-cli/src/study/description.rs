//! What decides on the samples, a line for each part, to tell what has changed.

use gudgeon::model::Model;
use gudgeon::run::Until;
use gudgeon_model::study::{Design, DesignMethod, Scale, Variable, VariableKind};
use gudgeon_model::{Loaded, LoadedStudy};

use super::four_digits;
use super::json::method;
use crate::args::StudyArgs;

/// The whole description, with the fingerprints of sections and files.
pub fn text(loaded: &LoadedStudy, args: &StudyArgs, seed: u64) -> String {
    let mut lines = lines(loaded, args, seed);
    lines.extend(loaded.sample_parts().iter().map(|(name, print)| format!("{name} #{print:016x}")));
    lines.join("\n")
}

/// What people read of it.
pub fn lines(loaded: &LoadedStudy, args: &StudyArgs, seed: u64) -> Vec<String> {
    let study = &loaded.study;
    let mut lines = vec![
        format!("model {}", study.model.as_deref().unwrap_or("none")),
        format!("seed {seed}"),
        format!("ensemble {}", study.ensemble),
    ];
    lines.extend(loaded.model.iter().flat_map(run));
    lines.extend(args.set.iter().map(|(name, value)| format!("--set {name}={value}")));
    lines.extend(study.variables.iter().map(variable));
    lines.extend(study.design.iter().map(design));
    lines.extend(study.responses.iter().map(|r| format!("{} = {}", r.name, r.text)));
    lines
}

fn run(loaded: &Loaded) -> Vec<String> {
    let instant = |until: &Until| instant(until, &loaded.model);
    let run = &loaded.run;
    let mut lines = vec![
        format!("until {}", instant(&run.until)),
        format!("measure_from {}", instant(&run.measure_from)),
    ];
    lines.extend(run.rtol.map(|rtol| format!("rtol {rtol:e}")));
    lines
}

fn instant(until: &Until, model: &Model) -> String {
    match until {
        Until::Time(t) => format!("{} s", four_digits(*t)),
        Until::JointAngle { joint, angle } => {
            let turns = four_digits(angle / std::f64::consts::TAU);
            format!("{turns} rev of {}", model.joints[joint.0].name)
        }
    }
}

fn variable(variable: &Variable) -> String {
    let shown = |value: &f64| variable.in_shown_unit(*value);
    let range = |low: &f64, high: &f64| format!("{} to {}", shown(low), shown(high));
    let values = match &variable.kind {
        VariableKind::Range { low, high, scale, integer } => {
            let scale = if *scale == Scale::Log { ", log" } else { "" };
            let whole = if *integer { ", integer" } else { "" };
            format!("from {}{scale}{whole}", range(low, high))
        }
        VariableKind::Choice(choices) => {
            let words: Vec<String> = choices.iter().map(|c| variable.choice_shown(c)).collect();
            format!("choice of {}", words.join(", "))
        }
        VariableKind::Normal { mean, std, limits } => {
            let limits = limits.as_ref().map(|(low, high)| format!(" within {}", range(low, high)));
            format!("normal {}, std {}{}", shown(mean), shown(std), limits.unwrap_or_default())
        }
        VariableKind::Uniform { low, high } => format!("uniform {}", range(low, high)),
        VariableKind::Triangular { low, mode, high } => {
            format!("triangular {}, mode {}", range(low, high), shown(mode))
        }
    };
    let path = if variable.path == variable.name {
        String::new()
    } else {
        format!(" ({})", variable.path)
    };
    format!("{}{path} {values}", variable.name)
}

fn design(design: &Design) -> String {
    let levels = match &design.method {
        DesignMethod::Factorial { levels } => format!(" of {levels:?} levels"),
        _ => String::new(),
    };
    format!("design {}{levels}, {} samples", method(&design.method), design.samples)
}
