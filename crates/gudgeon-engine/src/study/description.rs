//! What decides on the samples, a line for each part, to tell what has changed.

use gudgeon::model::Model;
use gudgeon::run::Until;
use gudgeon_model::Loaded;
use gudgeon_study::design::distribution::Distribution;
use gudgeon_study::file::{Design, DesignMethod, LoadedStudy, Range, Values, Variable};

use super::four_digits;
use super::record::method;

/// The whole description, with the fingerprints of sections and files.
pub fn text(loaded: &LoadedStudy, set: &[(String, String)], seed: u64) -> String {
    let mut lines = lines(loaded, set, seed);
    lines.extend(loaded.sample_parts().iter().map(|(name, print)| format!("{name} #{print:016x}")));
    lines.join("\n")
}

/// What people read of it.
pub fn lines(loaded: &LoadedStudy, set: &[(String, String)], seed: u64) -> Vec<String> {
    let study = &loaded.study;
    let mut lines = vec![
        format!("model {}", study.model.as_deref().unwrap_or("none")),
        format!("seed {seed}"),
        format!("ensemble {}", study.ensemble),
    ];
    lines.extend(loaded.model.iter().flat_map(run));
    lines.extend(set.iter().map(|(name, value)| format!("--set {name}={value}")));
    lines.extend(study.variables.iter().map(variable));
    lines.extend(study.design.iter().map(design));
    lines.extend(study.responses.iter().map(|r| format!("{} = {}", r.name, r.text)));
    lines
}

fn run(loaded: &Loaded) -> Vec<String> {
    let instant = |until: &Until| instant(until, &loaded.model);
    let run = &loaded.run;
    let latest = match run.until {
        Until::Time(_) => None,
        Until::JointAngle { .. } => run.at_most,
    };
    let latest = latest.map_or(String::new(), |t| format!(", at most {} s", four_digits(t)));
    let mut lines = vec![
        format!("until {}{latest}", instant(&run.until)),
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
    let values = match &variable.values {
        Values::Range(values) => range(variable, values),
        Values::Distribution(values) => distribution(variable, values),
    };
    let path = if variable.path == variable.name {
        String::new()
    } else {
        format!(" ({})", variable.path)
    };
    format!("{}{path} {values}", variable.name)
}

fn range(variable: &Variable, range: &Range) -> String {
    let (low, high) = range.bounds();
    let ends = || [low, high].map(|end| variable.in_shown_unit(end)).join(" to ");
    match range {
        Range::Linear { .. } => format!("from {}", ends()),
        Range::Log { .. } => format!("from {}, log", ends()),
        Range::Integer { .. } => format!("from {}, integer", ends()),
        Range::Choice(choices) => {
            let words: Vec<String> = choices.iter().map(|c| variable.choice_shown(c)).collect();
            format!("choice of {}", words.join(", "))
        }
    }
}

fn distribution(variable: &Variable, distribution: &Distribution) -> String {
    let shown = |value: f64| variable.in_shown_unit(value);
    let ends = |low: f64, high: f64| format!("{} to {}", shown(low), shown(high));
    match *distribution {
        Distribution::Normal { mean, deviation } => {
            format!("normal {}, std {}", shown(mean), shown(deviation))
        }
        Distribution::Truncated { mean, deviation, low, high } => {
            let within = ends(low, high);
            format!("normal {}, std {} within {within}", shown(mean), shown(deviation))
        }
        Distribution::Uniform { low, high } => format!("uniform {}", ends(low, high)),
        Distribution::Triangular { low, mode, high } => {
            format!("triangular {}, mode {}", ends(low, high), shown(mode))
        }
    }
}

fn design(design: &Design) -> String {
    let levels = match &design.method {
        DesignMethod::Factorial { levels } => format!(" of {levels:?} levels"),
        _ => String::new(),
    };
    format!("design {}{levels}, {} samples", method(&design.method), design.samples)
}
