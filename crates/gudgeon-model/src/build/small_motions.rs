//! What `[run]` asks of a mechanism: its motion, its rest, its small motions.

use gudgeon::modal::{About, Excitation, ModalSpec};
use gudgeon::model::MarkerId;

use super::Builder;
use super::analysis::{points, read_vary, word};
use crate::diagnostic::Diagnostic;
use crate::ranges::{Scale, check_log, check_order, scale, spaced};
use crate::reader::{Context, Reader, list};
use crate::run::{Analysis, ModalAnalysis, ResponseAnalysis, StaticAnalysis};
use crate::spec::run::{EXCITE, FREQUENCY_RANGE};
use crate::tree::{Node, Value};
use crate::units::Dimension;
use crate::values;

/// Keys of single analyses, and whose they are.
const KEYS: [(&str, &[&str]); 7] = [
    ("ked", &["ked"]),
    ("about", &["static", "modal", "response"]),
    ("modes", &["modal"]),
    ("undamped", &["modal"]),
    ("impact_speed", &["modal"]),
    ("frequencies", &["response"]),
    ("excite", &["response"]),
];

impl Builder<'_> {
    /// The analysis; `None` where it is in error.
    pub(super) fn analysis(
        &mut self,
        cx: &mut Context<'_>,
        reader: &Reader<'_>,
    ) -> Option<Analysis> {
        if reader.get("analysis").is_some() {
            reader.choice(cx, "analysis")?;
        }
        let word = word(reader).unwrap_or("motion");
        refuse_others(cx, reader, word);
        let vary = read_vary(cx, reader);
        let about = about(cx, reader);
        match word {
            "bearing" => Some(Analysis::Bearing(vary?)),
            "static" => {
                let about = resting(cx, reader, about?)?;
                Some(Analysis::Static(StaticAnalysis { about, vary: vary? }))
            }
            "modal" => {
                let (modes, undamped) = (modes(cx, reader), flag(cx, reader, "undamped"));
                let impact_speed = impact_speed(cx, reader)?;
                let (about, modes, damped) = (about?, modes?, !undamped?);
                let spec = ModalSpec { about, modes, damped, impact_speed };
                Some(Analysis::Modal(ModalAnalysis { spec, vary: vary? }))
            }
            "response" => {
                let (frequencies, excitation) = (frequencies(cx, reader), self.excite(cx, reader));
                Some(Analysis::Response(ResponseAnalysis {
                    about: about?,
                    excitation: excitation?,
                    frequencies: frequencies?,
                }))
            }
            "ked" => vary.map(|_| Analysis::Ked),
            _ => vary.map(|_| Analysis::Motion),
        }
    }

    fn excite(&mut self, cx: &mut Context<'_>, reader: &Reader<'_>) -> Option<Excitation> {
        let Some((name, node)) = reader.entry("excite") else {
            return missing(
                cx,
                reader,
                "excite",
                "`excite = { at = \"disc\", unbalance = \"1e-4 kg m\" }`",
            );
        };
        let table = Reader::open(cx, "`excite`", name.span, node, &EXCITE)?;
        let at = table.text(cx, "at").and_then(|at| self.marker(cx, at));
        let given: Vec<&str> = ["force", "torque", "unbalance"]
            .into_iter()
            .filter(|key| table.get(key).is_some())
            .collect();
        let [key] = given[..] else {
            let message = "`excite` takes one of `force`, `torque` and `unbalance`";
            let label = if given.is_empty() { "none given" } else { "several given" };
            cx.report(Diagnostic::error("G0962", message).at(name.span, label));
            return None;
        };
        let excitation = match key {
            "force" => {
                let force = table.vector(cx, "force")?.value;
                Excitation::Force { at: at?, force: force.into() }
            }
            "torque" => {
                let torque = table.quantity(cx, "torque")?.value;
                Excitation::Torque { at: at?, torque }
            }
            _ => {
                let amount = table.quantity(cx, "unbalance")?.value;
                Excitation::Unbalance { at: at?, amount }
            }
        };
        self.check_moves(cx, at?, &table)?;
        Some(excitation)
    }

    /// A load on the ground moves nothing.
    fn check_moves(&self, cx: &mut Context<'_>, at: MarkerId, table: &Reader<'_>) -> Option<()> {
        if self.model.markers[at.0].body.0 != 0 {
            return Some(());
        }
        let place = table.get("at").map_or(table.span, |node| node.span);
        let diagnostic =
            Diagnostic::error("G0962", "`excite` acts on the ground, which does not move")
                .at(place, "the ground")
                .help("name a frame of a moving body");
        cx.report(diagnostic);
        None
    }
}

/// Keys that belong to other analyses.
fn refuse_others(cx: &mut Context<'_>, reader: &Reader<'_>, word: &str) {
    for (key, analyses) in KEYS {
        let Some((name, _)) = reader.entry(key) else { continue };
        if analyses.contains(&word) {
            continue;
        }
        // The command line may choose another analysis than the file has keys for.
        let chosen = reader.get("analysis").is_some_and(|node| cx.is_command_line(node.span));
        if chosen && !cx.is_command_line(name.span) {
            continue;
        }
        let quoted: Vec<String> = analyses.iter().map(|word| format!("`\"{word}\"`")).collect();
        let why = format!("belongs to `analysis` {}", quoted.join(", "));
        reader.refuse(cx, "G0960", &[key], &why);
    }
}

fn about(cx: &mut Context<'_>, reader: &Reader<'_>) -> Option<About> {
    if reader.get("about").is_none() {
        return Some(About::Equilibrium);
    }
    Some(match reader.choice(cx, "about")?.value {
        "start" => About::Start,
        "spinning" => About::Spinning,
        "rotation" => About::Rotation,
        "frozen" => About::Frozen,
        _ => About::Equilibrium,
    })
}

/// The state of a static analysis, which is an equilibrium.
fn resting(cx: &mut Context<'_>, reader: &Reader<'_>, about: About) -> Option<About> {
    match about {
        About::Equilibrium | About::Spinning | About::Rotation => Some(about),
        About::Start | About::Frozen | About::Motion(_) => {
            let place = reader.get("about").map_or(reader.span, |node| node.span);
            let message = "a static analysis looks for an equilibrium";
            let diagnostic = Diagnostic::error("G0960", message)
                .at(place, "not looked for")
                .help("write `about = \"equilibrium\"`, `\"spinning\"` or `\"rotation\"`, or leave it out");
            cx.report(diagnostic);
            None
        }
    }
}

/// How many modes; the outer none where the number is wrong.
fn modes(cx: &mut Context<'_>, reader: &Reader<'_>) -> Option<Option<usize>> {
    let Some(node) = reader.get("modes") else { return Some(None) };
    match node.value {
        Value::Number { value, .. } if value.fract() == 0.0 && (1.0..=1e5).contains(&value) => {
            Some(Some(value as usize))
        }
        _ => {
            let message = "`modes` must be a whole number from 1 to 100000";
            cx.report(Diagnostic::error("G0961", message).at(node.span, "no such number"));
            None
        }
    }
}

fn flag(cx: &mut Context<'_>, reader: &Reader<'_>, key: &str) -> Option<bool> {
    match reader.get(key) {
        Some(_) => reader.flag(cx, key),
        None => Some(false),
    }
}

/// Frequencies of a list or a range, Hz.
fn frequencies(cx: &mut Context<'_>, reader: &Reader<'_>) -> Option<Vec<f64>> {
    let Some((name, node)) = reader.entry("frequencies") else {
        let example = "`frequencies = { from = \"1 Hz\", to = \"100 Hz\" }`";
        return missing(cx, reader, "frequencies", example);
    };
    let values = match &node.value {
        Value::Table(_) => {
            let table = Reader::open(cx, "`frequencies`", name.span, node, &FREQUENCY_RANGE)?;
            let (from, to) = (table.quantity(cx, "from"), table.quantity(cx, "to"));
            let (scale, points) = (scale(cx, &table), points(cx, &table));
            let (from, to) = (from?, to?);
            check_order(cx, "range", from, to)?;
            let scale = scale?.unwrap_or(Scale::Linear);
            if scale == Scale::Log {
                check_log(cx, from)?;
            }
            spaced(from.value, to.value, scale, false, points?)
        }
        _ => {
            let nodes = list(cx, "frequencies", node)?;
            let read = |node: &Node, cx: &mut Context<'_>| {
                values::quantity(cx, "frequencies", node, Dimension::FREQUENCY)
            };
            let values: Vec<Option<f64>> = nodes.iter().map(|node| read(node, cx)).collect();
            values.into_iter().collect::<Option<Vec<f64>>>()?
        }
    };
    if values.is_empty() || values.iter().any(|value| *value < 0.0) {
        let message = "`frequencies` are one or more that are not negative";
        let label = if values.is_empty() { "empty" } else { "negative" };
        cx.report(Diagnostic::error("G0963", message).at(node.span, label));
        return None;
    }
    Some(values)
}

fn missing<T>(cx: &mut Context<'_>, reader: &Reader<'_>, key: &str, example: &str) -> Option<T> {
    let place = reader.entry("analysis").map_or(reader.span, |(name, _)| name.span);
    let diagnostic = Diagnostic::error("G0102", format!("{} lacks `{key}`", reader.owner))
        .at(place, "this analysis needs it")
        .help(format!("add {example}"));
    cx.report(diagnostic);
    None
}

/// The speed that the hysteresis of contacts is divided by; none where it is not given.
fn impact_speed(cx: &mut Context<'_>, reader: &Reader<'_>) -> Option<Option<f64>> {
    if reader.get("impact_speed").is_none() {
        return Some(None);
    }
    let speed = reader.quantity(cx, "impact_speed")?;
    if speed.value > 0.0 {
        return Some(Some(speed.value));
    }
    let diagnostic = Diagnostic::error("G0964", "`impact_speed` must be positive")
        .at(speed.span, "zero or negative")
        .help("give the speed of the impacts whose hysteresis shall damp, or leave it out");
    cx.report(diagnostic);
    None
}
