//! The run: length, method, outputs.

use std::collections::HashSet;

use gudgeon::model::Joint;

use super::pressures::word;
use super::when::End;
use super::{Builder, analysis, method, vibration};
use crate::diagnostic::{Diagnostic, nearest};
use crate::integral::integrate;
use crate::reader::{At, Context, Reader, entries, list};
use crate::run::{Analysis, Every, Limits, Loop, RunSection, RunSpec, Until};
use crate::spec::Spec;
use crate::tree::{Node, Value};
use crate::units::{Dimension, Short};
use crate::values::quantity;

/// Time for which speeds are integrated when the end of the run is not known as a time, s.
const LATEST: f64 = 100.0;

/// The word of `every` for all steps.
const STEPS: &str = "steps";

impl Builder<'_> {
    /// Reads `[run]`; `None` if it is absent, lacks its end or is in error.
    pub(super) fn run(&mut self, cx: &mut Context<'_>, spec: &Spec<'_>) -> Option<RunSection> {
        let Some(reader) = &spec.run else {
            let diagnostic = Diagnostic::error("G0102", "the file lacks `until`")
                .help("add a section `[run]` with `until = \"3 rev\"`, or use `--until`");
            cx.report(diagnostic);
            return None;
        };
        if analysis::word(reader) == Some("bearing") {
            self.check_films(cx, reader);
        }
        let analysis = self.analysis(cx, reader);
        let end = match &analysis {
            Some(Analysis::Motion | Analysis::Ked) => self.until(cx, reader),
            // Nothing moves, so that there is no end to name.
            _ if reader.get("until").is_none() => Some(End::at(Until::Time(0.0), reader.span)),
            _ => self.until(cx, reader),
        };
        let mut measure_from = match reader.get("measure_from") {
            Some(node) => self.when(cx, "measure_from", node),
            None => Some(At { value: Until::Time(0.0), span: reader.span }),
        };
        let moves = reader.get("until").is_some();
        if let (true, Some(end), Some(from)) = (moves, end, &mut measure_from) {
            check_order(cx, end, from);
        }
        let vibration = match &analysis {
            Some(Analysis::Ked) => Some(vibration::read(cx, reader)),
            _ => None,
        };
        let outputs = self.outputs(cx, reader);
        let method = method::read(cx, reader);
        let loops = self.loops(cx, spec, reader);
        let pressure_at = self.pressure_at(cx, spec, reader, end);
        let plot_range = self.plot_range(cx, reader, end);
        let rtol = tolerance(cx, reader, "rtol");
        let every = every(cx, reader);
        let limits = limits(cx, reader);
        let End { when: until, at_most } = end?;
        let at_most = at_most.map(|at_most| at_most.value);
        if at_most.is_none() && limits == Limits::default() {
            self.may_never_end(cx, until);
        }
        let until = until.value;
        self.prepare_speeds(cx, until, at_most);
        self.check_kinks(cx, spec, until);
        self.check_rows(cx, reader, (until, every), outputs.len());
        let run = RunSpec {
            until,
            at_most,
            measure_from: measure_from?.value,
            outputs,
            method: method?,
            rtol,
            every,
            loops,
            pressure_at,
            limits,
            ked: match vibration {
                Some(read) => Some(self.suited(cx, reader, read?)?),
                None => None,
            },
        };
        Some(RunSection { run, analysis: analysis?, plot_range })
    }

    /// A bearing analysis needs a film.
    fn check_films(&self, cx: &mut Context<'_>, reader: &Reader<'_>) {
        let films = |joint: &Joint| joint.clearance.as_ref().is_some_and(|c| c.film.is_some());
        if self.model.joints.iter().any(films) || cx.diagnostics.has_errors() {
            return;
        }
        let place = reader.entry("analysis").map_or(reader.span, |(name, _)| name.span);
        let diagnostic = Diagnostic::error("G0909", "no joint has a film to analyse")
            .at(place, "asks for one")
            .help(
                "give a joint with `clearance` a table such as `film = { model = \"short\", viscosity = \"0.04 Pa s\", length = \"20 mm\" }`, and no `--ideal`",
            );
        cx.report(diagnostic);
    }

    fn until(&self, cx: &mut Context<'_>, reader: &Reader<'_>) -> Option<End> {
        let Some(node) = reader.get("until") else {
            let diagnostic = Diagnostic::error("G0102", format!("{} lacks `until`", reader.owner))
                .at(reader.span, "no `until` given")
                .help("add `until = \"3 rev\"` or a time such as \"20 ms\", or use `--until`");
            cx.report(diagnostic);
            return None;
        };
        let end = self.end(cx, node)?;
        let (Until::Time(amount) | Until::JointAngle { angle: amount, .. }) = end.when.value;
        if amount <= 0.0 {
            let message = "`until` must be later than the start";
            cx.report(
                Diagnostic::error("G0901", message)
                    .at(end.when.span, "nothing to run")
                    .help("write a time such as \"20 ms\", or revolutions such as \"3 rev\""),
            );
            return None;
        }
        Some(end)
    }

    /// A run that ends with the turning of a joint that nobody drives may have no end.
    fn may_never_end(&self, cx: &mut Context<'_>, until: At<Until>) {
        let Until::JointAngle { joint, .. } = until.value else { return };
        let name = &self.model.joints[joint.0].name;
        let message = format!(
            "no driver turns `{name}`: it may never get so far, and the run has no other end"
        );
        let diagnostic = Diagnostic::warning("G0912", message)
            .at(until.span, "asked for by `until`")
            .help(format!(
                "give the latest time as well: {}",
                self.example(cx, "until", until.span, Some(name), true)
            ));
        cx.report(diagnostic);
    }

    /// Integrates the speeds of drivers up to the end of the run.
    fn prepare_speeds(&mut self, cx: &mut Context<'_>, until: Until, at_most: Option<f64>) {
        let horizon = match until {
            Until::Time(time) => time,
            Until::JointAngle { .. } => at_most.unwrap_or(LATEST),
        };
        for law in &self.speeds {
            let Some(driver) = self.model.drivers.get_mut(law.driver) else { continue };
            let motion = integrate(law.start, law.speed.clone(), horizon);
            driver.motion = motion.function;
            if let Some(from) = motion.inexact_from {
                let message = format!(
                    "the speed of driver `{}` varies too fast for the length of the run: its motion is not exact from t = {from:.3e} s on",
                    driver.name
                );
                let help = "end the run earlier, or look for a frequency that is too high";
                let diagnostic = Diagnostic::warning("G0913", message).at(law.span, "this speed");
                cx.report(diagnostic.help(help));
            }
        }
    }

    fn loops(&self, cx: &mut Context<'_>, spec: &Spec<'_>, reader: &Reader<'_>) -> Vec<Loop> {
        let mut loops = Vec::new();
        let loose = spec.joints.iter().filter(|joint| joint.loose);
        let loose: HashSet<&str> = loose.map(|joint| &joint.name.text[..]).collect();
        for (name, node) in entries(cx, "`loops`", reader.get("loops")) {
            let Some(joint) = self.joint(cx, At { value: &name.text, span: name.span }) else {
                continue;
            };
            if !loose.contains(&name.text[..]) {
                let message = format!("joint `{}` has no clearance, hence no impacts", name.text);
                cx.report(
                    Diagnostic::error("G0907", message)
                        .at(name.span, "ideal")
                        .help("give it a `clearance` table, or remove it from `loops`"),
                );
                continue;
            }
            let nodes = list(cx, &name.text, node).unwrap_or_default();
            let impacts: Vec<usize> = nodes.iter().filter_map(|node| count(cx, node)).collect();
            if self.model.joints[joint.0].clearance.is_some() {
                loops.push(Loop { joint, impacts });
            }
        }
        loops
    }
}

/// No run takes more steps.
const MOST_STEPS: f64 = 1e18;

/// What the run may cost.
fn limits(cx: &mut Context<'_>, reader: &Reader<'_>) -> Limits {
    let cpu = reader.quantity(cx, "time_limit");
    check_positive(cx, "time_limit", cpu, "write a CPU time such as \"10 s\"");
    let steps = reader.get("max_steps").and_then(|node| match node.value {
        Value::Number { value, .. }
            if (1.0..=MOST_STEPS).contains(&value) && value.fract() == 0.0 =>
        {
            Some(value as u64)
        }
        _ => {
            let message = format!("`max_steps` must be a whole number from 1 to {MOST_STEPS:e}");
            let diagnostic = Diagnostic::error("G0904", message)
                .at(node.span, "no such number")
                .help("write a number of steps without a unit, such as 1000000 or 1e6");
            cx.report(diagnostic);
            None
        }
    });
    Limits { cpu: cpu.map(|cpu| cpu.value), steps, ..Limits::default() }
}

/// Which instants are rows.
fn every(cx: &mut Context<'_>, reader: &Reader<'_>) -> Every {
    let Some(node) = reader.get("every") else { return Every::Grid };
    match word(node) {
        Some(STEPS) => Every::Steps,
        Some(other) => {
            let help = match nearest(other, [STEPS]) {
                Some(word) => format!("did you mean `{word}`?"),
                None => format!("write a time such as \"10 us\", or \"{STEPS}\""),
            };
            let message = format!("`every` does not know `{other}`");
            let diagnostic =
                Diagnostic::error("G0904", message).at(node.span, "no time").help(help);
            cx.report(diagnostic);
            Every::Grid
        }
        None => {
            let interval = quantity(cx, "every", node, Dimension::TIME);
            let interval = interval.map(|value| At { value, span: node.span });
            let help = format!("write a time such as \"10 us\", or \"{STEPS}\"");
            check_positive(cx, "every", interval, &help);
            interval.map_or(Every::Grid, |interval| Every::Interval(interval.value))
        }
    }
}

/// The number of an impact.
fn count(cx: &mut Context<'_>, node: &Node) -> Option<usize> {
    match node.value {
        Value::Number { value, .. } if value >= 1.0 && value.fract() == 0.0 && value < 1e9 => {
            Some(value as usize)
        }
        _ => {
            let message = "impacts are counted 1, 2, 3 …";
            cx.report(Diagnostic::error("G0907", message).at(node.span, "no such number"));
            None
        }
    }
}

/// The window must lie inside the run. A run that the command line makes shorter than the window of
/// its file is measured from its start instead.
fn check_order(cx: &mut Context<'_>, end: End, from: &mut At<Until>) {
    let Some(until) = end.before(from.value, true) else { return };
    let message = "`measure_from` must come before `until`";
    let shortened = cx.is_command_line(until) && !cx.is_command_line(from.span);
    let diagnostic = if !shortened {
        Diagnostic::error("G0905", message).help("measure from earlier on, or run longer")
    } else {
        from.value = Until::Time(0.0);
        Diagnostic::warning("G0905", "the run ends before `measure_from`: measured from its start")
            .help("give `--measure-from` too")
    };
    let diagnostic =
        diagnostic.at(from.span, "nothing left to measure").also(until, "the run ends here");
    cx.report(diagnostic);
}

/// Below this a tolerance asks for more than double precision holds.
const FINEST: f64 = 1e-14;

fn tolerance(cx: &mut Context<'_>, reader: &Reader<'_>, key: &str) -> Option<f64> {
    let value = reader.quantity(cx, key)?;
    if !(value.value >= FINEST && value.value < 1.0) {
        let help = match value.value >= 1.0 {
            true => {
                "it is the error allowed in a step as a share of the solution: 1e-6 keeps some six digits; leave the key out for the default"
            }
            false => "smaller is more exact; try 1e-8",
        };
        let diagnostic =
            Diagnostic::error("G0904", format!("`{key}` must be below 1 and at least {FINEST:e}"))
                .at(value.span, format!("{} given", Short(value.value)))
                .help(help);
        cx.report(diagnostic);
        return None;
    }
    Some(value.value)
}

pub(super) fn check_positive(cx: &mut Context<'_>, key: &str, value: Option<At<f64>>, help: &str) {
    if let Some(value) = value.filter(|value| value.value <= 0.0) {
        let message = format!("`{key}` must be positive");
        let label = if value.value < 0.0 { "negative" } else { "zero" };
        cx.report(Diagnostic::error("G0904", message).at(value.span, label).help(help));
    }
}
