//! The values a variable takes: a range, a choice or a distribution.

use super::names::flag;
use super::{Choice, Range, Scale, ShownUnit, Values};
use crate::design::distribution::Distribution;
use crate::design::variables::RangeError;
use gudgeon_model::diagnostic::Diagnostic;
use gudgeon_model::expr;
use gudgeon_model::ranges::{check_log, check_order, scale, unit_of};
use gudgeon_model::reader::{At, Context, Reader, list, text};
use gudgeon_model::source::Span;
use gudgeon_model::tree::{Node, Value};
use gudgeon_model::units::Dimension;
use gudgeon_model::values;

/// Keys that say what kind of variable it is, and the keys that belong to each.
pub(super) const KINDS: &[&str] = &["from", "choice", "normal", "uniform", "triangular"];
const BELONG: &[(&str, &[&str])] = &[
    ("from", &["to", "scale", "integer"]),
    ("choice", &[]),
    ("normal", &["std", "limits"]),
    ("uniform", &[]),
    ("triangular", &[]),
];

/// Whole numbers beyond this are not exact.
const WHOLE: f64 = 9_007_199_254_740_992.0;

/// Values whose dimension is that of the model, or else that of the first one with a unit.
pub(super) struct Amounts {
    pub dimension: Option<Dimension>,
    pub shown: Option<ShownUnit>,
}

impl Amounts {
    pub fn read(&mut self, cx: &mut Context<'_>, key: &str, node: &Node) -> Option<At<f64>> {
        let value = match self.dimension {
            Some(dimension) => values::quantity(cx, key, node, dimension)?,
            None => {
                let found = values::any(cx, key, node)?;
                if found.value != 0.0 || !found.dimension.is_number() {
                    self.dimension = Some(found.dimension);
                }
                found.value
            }
        };
        if self.shown.is_none() {
            self.shown = node.as_text().and_then(unit_of);
        }
        Some(At { value, span: node.span })
    }

    /// A list of so many values.
    fn several<const N: usize>(
        &mut self,
        cx: &mut Context<'_>,
        key: &str,
        node: &Node,
        form: &str,
    ) -> Option<[At<f64>; N]> {
        let nodes = list(cx, key, node)?;
        if nodes.len() != N {
            let message = format!("`{key}` takes {N} values");
            let diagnostic = Diagnostic::error("G2011", message)
                .at(node.span, format!("{} given", nodes.len()))
                .help(format!("write {form}"));
            cx.report(diagnostic);
            return None;
        }
        let values: Vec<Option<At<f64>>> =
            nodes.iter().map(|node| self.read(cx, key, node)).collect();
        values.into_iter().collect::<Option<Vec<_>>>()?.try_into().ok()
    }
}

/// Reads the values of a variable.
pub(super) fn read(
    cx: &mut Context<'_>,
    reader: &Reader<'_>,
    amounts: &mut Amounts,
) -> Option<Values> {
    let no_kind = KINDS.iter().all(|kind| reader.get(kind).is_none());
    let kind = match reader.get("to") {
        Some(_) if no_kind => "from",
        _ => reader.exactly_one(cx, KINDS)?,
    };
    for (other, keys) in BELONG.iter().filter(|(other, _)| *other != kind) {
        reader.refuse(cx, "G2011", keys, &format!("belongs to `{other}`"));
    }
    match kind {
        "from" => range(cx, reader, amounts),
        "choice" => {
            let choices = choice(cx, reader.get("choice")?, amounts)?;
            chosen(cx, reader, Range::choice(choices))
        }
        "normal" => normal(cx, reader, amounts),
        "uniform" => {
            let node = reader.get("uniform")?;
            let [low, high] = amounts.several(cx, "uniform", node, "`[low, high]`")?;
            check_order(cx, "uniform", low, high)?;
            spread(cx, reader, Distribution::Uniform { low: low.value, high: high.value })
        }
        _ => triangular(cx, reader, amounts),
    }
}

/// A range, or a report of what the checks above let pass.
fn chosen(
    cx: &mut Context<'_>,
    reader: &Reader<'_>,
    range: Result<Range, RangeError>,
) -> Option<Values> {
    range.map(Values::Range).map_err(|error| unusable(cx, reader, &error.to_string())).ok()
}

/// The same for a distribution.
fn spread(cx: &mut Context<'_>, reader: &Reader<'_>, distribution: Distribution) -> Option<Values> {
    let checked = distribution.check();
    checked.map_err(|error| unusable(cx, reader, &error.to_string())).ok()?;
    Some(Values::Distribution(distribution))
}

fn unusable(cx: &mut Context<'_>, reader: &Reader<'_>, error: &str) {
    let message = format!("{}: {error}", reader.owner);
    cx.report(Diagnostic::error("G2071", message).at(reader.span, "this one"));
}

fn range(cx: &mut Context<'_>, reader: &Reader<'_>, amounts: &mut Amounts) -> Option<Values> {
    let from = reader.needed(cx, "from").map(|node| amounts.read(cx, "from", node));
    let to = reader.needed(cx, "to").map(|node| amounts.read(cx, "to", node));
    let scale = scale(cx, reader)?.unwrap_or(Scale::Linear);
    let integer = match reader.get("integer") {
        Some(_) => flag(cx, reader, "integer")?,
        None => false,
    };
    let (low, high) = (from??, to??);
    check_order(cx, "range", low, high)?;
    if scale == Scale::Log {
        check_log(cx, low)?;
    }
    if integer {
        check_integer(cx, reader, [low, high], amounts.dimension, scale)?;
    }
    let (low, high) = (low.value, high.value);
    let range = match (integer, scale) {
        (true, _) => Range::integer(low, high),
        (false, Scale::Linear) => Range::linear(low, high),
        (false, Scale::Log) => Range::log(low, high),
    };
    chosen(cx, reader, range)
}

fn check_integer(
    cx: &mut Context<'_>,
    reader: &Reader<'_>,
    ends: [At<f64>; 2],
    dimension: Option<Dimension>,
    scale: Scale,
) -> Option<()> {
    let place = reader.entry("integer").map_or(reader.span, |(name, _)| name.span);
    if let Some(dimension) = dimension.filter(|dimension| !dimension.is_number()) {
        let message = format!("{} cannot be whole numbers", reader.owner);
        let label = format!("this is {}", dimension.describe());
        let diagnostic = Diagnostic::error("G2013", message).at(place, label);
        cx.report(diagnostic.help("use `choice` for a few values with a unit"));
        return None;
    }
    if scale == Scale::Log {
        reader.refuse(cx, "G2013", &["scale"], "whole numbers are spread evenly");
        return None;
    }
    let odd = ends.into_iter().find(|end| end.value.fract() != 0.0 || end.value.abs() >= WHOLE);
    if let Some(end) = odd {
        let message = "a range of whole numbers begins and ends with one";
        cx.report(Diagnostic::error("G2013", message).at(end.span, "not a whole number"));
        return None;
    }
    Some(())
}

/// Words, or quantities where all can be read as such.
fn choice(cx: &mut Context<'_>, node: &Node, amounts: &mut Amounts) -> Option<Vec<Choice>> {
    let nodes = list(cx, "choice", node)?;
    if nodes.len() < 2 {
        let diagnostic = Diagnostic::error("G2014", "a choice needs at least two values")
            .at(node.span, format!("{} given", nodes.len()))
            .help("for a fixed value write it in the model, under `[set]`, or into the formula");
        cx.report(diagnostic);
        return None;
    }
    let words = amounts.dimension.is_none() && !nodes.iter().all(is_quantity);
    let choices: Vec<Option<Choice>> = nodes
        .iter()
        .map(|node| match words {
            true => text(cx, "choice", node).map(|text| Choice::Text(text.value.trim().into())),
            false => amounts.read(cx, "choice", node).map(|at| Choice::Number(at.value)),
        })
        .collect();
    let choices: Vec<Choice> = choices.into_iter().collect::<Option<_>>()?;
    for (i, choice) in choices.iter().enumerate() {
        if let Some(first) = choices[..i].iter().position(|other| other == choice) {
            let diagnostic = Diagnostic::error("G2014", "the same value stands twice in a choice")
                .at(nodes[i].span, "given again")
                .also(nodes[first].span, "")
                .help("remove one");
            cx.report(diagnostic);
            return None;
        }
    }
    Some(choices)
}

fn is_quantity(node: &Node) -> bool {
    match &node.value {
        Value::Number { .. } => true,
        Value::Text { text, .. } => {
            text.trim_start().starts_with('=') || expr::any_quantity(text).is_ok()
        }
        _ => false,
    }
}

fn normal(cx: &mut Context<'_>, reader: &Reader<'_>, amounts: &mut Amounts) -> Option<Values> {
    let mean = reader.get("normal").and_then(|node| amounts.read(cx, "normal", node));
    let std = reader.needed(cx, "std").and_then(|node| amounts.read(cx, "std", node));
    let limits = match reader.get("limits") {
        Some(node) => Some(amounts.several::<2>(cx, "limits", node, "`[low, high]`")?),
        None => None,
    };
    let (mean, std) = (mean?, std?);
    if std.value <= 0.0 {
        let diagnostic = Diagnostic::error("G2015", "`std` must be positive")
            .at(std.span, "zero or negative")
            .help("for a fixed value write it in the model, under `[set]`, or into the formula");
        cx.report(diagnostic);
        return None;
    }
    if let Some([low, high]) = limits {
        check_order(cx, "limits", low, high)?;
        check_inside(cx, "normal", mean, low, high)?;
    }
    let (mean, deviation) = (mean.value, std.value);
    let distribution = match limits.map(|ends| ends.map(|end| end.value)) {
        None => Distribution::Normal { mean, deviation },
        Some([low, high]) => Distribution::Truncated { mean, deviation, low, high },
    };
    spread(cx, reader, distribution)
}

fn triangular(cx: &mut Context<'_>, reader: &Reader<'_>, amounts: &mut Amounts) -> Option<Values> {
    let node = reader.get("triangular")?;
    let [low, mode, high] = amounts.several(cx, "triangular", node, "`[low, mode, high]`")?;
    check_order(cx, "triangular", low, high)?;
    check_inside(cx, "mode", mode, low, high)?;
    let [low, mode, high] = [low, mode, high].map(|at| at.value);
    spread(cx, reader, Distribution::Triangular { low, mode, high })
}

fn check_inside(
    cx: &mut Context<'_>,
    what: &str,
    middle: At<f64>,
    low: At<f64>,
    high: At<f64>,
) -> Option<()> {
    if (low.value..=high.value).contains(&middle.value) {
        return Some(());
    }
    let what = if what == "mode" { "the mode" } else { "the mean" };
    let limit: Span = if middle.value < low.value { low.span } else { high.span };
    let diagnostic = Diagnostic::error("G2016", format!("{what} lies outside its limits"))
        .at(middle.span, "outside")
        .also(limit, "limit");
    cx.report(diagnostic);
    None
}
