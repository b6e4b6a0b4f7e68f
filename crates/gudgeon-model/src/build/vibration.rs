//! `analysis = "ked"`: how the vibration of the links is computed, and what other analyses do not have of it.

use gudgeon::flexible::Method;
use gudgeon::ked::{Case, Geometric, KedSpec, StartFrom, unsuited};
use gudgeon::sensor::{Outputs, Sensor};

use super::Builder;
use super::run::check_positive;
use crate::diagnostic::Diagnostic;
use crate::reader::{Context, Reader};
use crate::source::Span;
use crate::spec::run::KED;
use crate::tree::{Node, Value};
use crate::units::Dimension;

/// The settings, those that are not given with their defaults.
pub(super) fn read(cx: &mut Context<'_>, reader: &Reader<'_>) -> Option<KedSpec> {
    let default = KedSpec::default();
    let Some((name, node)) = reader.entry("ked") else { return Some(default) };
    let table = Reader::open(cx, "`[run.ked]`", name.span, node, &KED)?;
    let step = table.quantity(cx, "step");
    check_positive(cx, "step", step, "write a time such as \"50 us\"");
    let step = step.filter(|step| step.value > 0.0).map(|step| step.value);
    let beta = number(cx, &table, "beta", default.beta, (0.01, 0.5));
    let gamma = number(cx, &table, "gamma", default.gamma, (0.5, 1.0));
    let case = case(cx, table.get("case"));
    let word = |cx: &mut Context<'_>, key: &str, first: &'static str| match table.get(key) {
        Some(_) => table.choice(cx, key).map(|word| word.value),
        None => Some(first),
    };
    let (driven, actuated) = (word(cx, "driven", "clamped"), word(cx, "actuated", "locked"));
    let (start, geometric) = (word(cx, "start", "zero"), word(cx, "geometric_stiffness", "none"));
    let coupling = match table.get("coupling") {
        Some(_) => table.flag(cx, "coupling"),
        None => Some(true),
    };
    (table.get("step").is_none() || step.is_some()).then_some(())?;
    Some(KedSpec {
        step,
        beta: beta?,
        gamma: gamma?,
        case: case?,
        clamp_driven: driven? == "clamped",
        lock_actuated: actuated? == "locked",
        start: match start? {
            "quasi-static" => StartFrom::QuasiStatic,
            _ => StartFrom::Zero,
        },
        coupling: coupling?,
        geometric: match geometric? {
            "rigid" => Geometric::Rigid,
            "actual" => Geometric::Actual,
            _ => Geometric::None,
        },
    })
}

fn case(cx: &mut Context<'_>, node: Option<&Node>) -> Option<Case> {
    let Some(node) = node else { return Some(Case::Exact) };
    match &node.value {
        Value::Number { value: 1.0, .. } => return Some(Case::One),
        Value::Number { value: 2.0, .. } => return Some(Case::Two),
        _ => {}
    }
    match node.as_text() {
        Some("1") => Some(Case::One),
        Some("2") => Some(Case::Two),
        Some("exact") => Some(Case::Exact),
        Some("difference") => Some(Case::Difference),
        _ => {
            let diagnostic = Diagnostic::error("G0970", "`case` must be 1, 2, \"exact\" or \"difference\"")
                .at(node.span, "not known")
                .help("\"exact\" loads the nodes as the acceleration does; 1 and 2 are those of the literature");
            cx.report(diagnostic);
            None
        }
    }
}

/// A number within bounds, or its default.
fn number(
    cx: &mut Context<'_>,
    table: &Reader<'_>,
    key: &str,
    default: f64,
    (low, high): (f64, f64),
) -> Option<f64> {
    if table.get(key).is_none() {
        return Some(default);
    }
    let value = table.quantity_in(cx, key, Dimension::NUMBER)?;
    if (low..=high).contains(&value.value) {
        return Some(value.value);
    }
    let message = format!("`{key}` must lie between {low} and {high}");
    let label = format!("{} given", value.value);
    cx.report(Diagnostic::error("G0970", message).at(value.span, label));
    None
}

impl Builder<'_> {
    /// Refuses what the analysis cannot take of the mechanism.
    pub(super) fn suited(
        &self,
        cx: &mut Context<'_>,
        reader: &Reader<'_>,
        spec: KedSpec,
    ) -> Option<KedSpec> {
        if cx.diagnostics.has_errors() {
            return None;
        }
        let place = reader.get("analysis").map_or(reader.span, |node| node.span);
        let faults = unsuited(&self.model, &spec);
        for fault in &faults {
            let what = match &fault.owner[..] {
                "" => fault.why.clone(),
                owner => format!("`{owner}` {}", fault.why),
            };
            let message = format!("links cannot vibrate about this motion: {what}");
            let diagnostic = Diagnostic::error("G0971", message).at(place, "asked for here");
            cx.report(diagnostic.help(fault.help));
        }
        faults.is_empty().then_some(spec)
    }

    /// Whether a name would be an output if the links vibrated about the motion of the rigid mechanism.
    pub(super) fn is_of_vibration(&self, name: &str) -> bool {
        if self.model.bodies.iter().all(|body| body.flexible.is_none()) {
            return false;
        }
        let mut model = self.model.clone();
        for body in &mut model.bodies {
            if let Some(link) = &mut body.flexible {
                link.method = Method::Rigid;
            }
        }
        Outputs::of(&model).choose(name).is_ok()
    }

    /// Outputs without those of links that bend, where links stay rigid and nothing says how they vibrate.
    pub(super) fn without_bending(
        &self,
        cx: &mut Context<'_>,
        reader: &Reader<'_>,
        sensors: Vec<Sensor>,
    ) -> Vec<Sensor> {
        let rigid = |link: &Option<Box<gudgeon::flexible::Flexible>>| {
            link.as_ref().is_some_and(|link| link.is_rigid())
        };
        let vibrates = super::analysis::word(reader) == Some("ked");
        if vibrates || !self.model.bodies.iter().any(|body| rigid(&body.flexible)) {
            return sensors;
        }
        let (bending, kept): (Vec<Sensor>, Vec<Sensor>) =
            sensors.into_iter().partition(Sensor::is_of_bending);
        if let Some(first) = bending.first() {
            let place = reader.get("outputs").map_or(reader.span, |node| node.span);
            let others = match bending.len() {
                1 => String::new(),
                count => format!(" and {} more", count - 1),
            };
            let message = format!("links stay rigid: `{}`{others} left out", first.name);
            let diagnostic = Diagnostic::warning("G0972", message).at(place, "of links that bend");
            cx.report(diagnostic.help(
                "`--set run.analysis=ked` computes their vibration, `--set model.flexible=ancf` lets them bend",
            ));
        }
        kept
    }
}

/// An output that this analysis does not have.
pub(super) fn not_of_motion(name: &str, span: Span) -> Diagnostic {
    let message = format!("`{name}` is an output of `analysis = \"ked\"`: left out");
    Diagnostic::warning("G0972", message)
        .at(span, "of a vibration about the rigid motion")
        .help("`--set run.analysis=ked` computes it")
}
