//! `[sweep]`: one variable through its range.

use gudgeon::model::{DriverId, Model};

use super::keys::SWEEP;
use super::measures;
use super::names::{Named, count_of, texts};
use super::ranges::Amounts;
use super::responses::Part;
use super::{Bifurcation, Interval, Output, Response, Scale, Sweep, Variable};
use gudgeon_model::diagnostic::Diagnostic;
use gudgeon_model::ranges::{check_log, check_order, scale, spaced};
use gudgeon_model::reader::{At, Context, Reader, list, text};
use gudgeon_model::source::Span;
use gudgeon_model::tree::{Name, Node};
use gudgeon_model::units::Dimension;
use gudgeon_model::values;

use crate::responses::turning_drivers;
use crate::turns::turning;

/// Values of a sweep where the file gives no number.
const POINTS: usize = 100;

/// What the section depends on.
pub(super) struct Around<'a, 't> {
    pub variables: &'a Named<'t, Variable>,
    pub responses: &'a Named<'t, Response>,
    pub model: Option<&'a Model>,
    /// Outputs of the model's `[run]`.
    pub outputs: Vec<Output>,
}

pub(super) fn read(
    cx: &mut Context<'_>,
    around: &Around<'_, '_>,
    name: &Name,
    node: &Node,
) -> Option<Sweep> {
    let reader = Reader::open(cx, "`[sweep]`", name.span, node, &SWEEP)?;
    let errors = cx.diagnostics.len();
    let responses = match reader.get("responses") {
        Some(node) => around.responses.find_all(cx, "responses", node),
        None => (0..around.responses.len()).collect(),
    };
    let points = count_of(cx, &reader, "points").unwrap_or(POINTS);
    let outputs = outputs(cx, around, &reader);
    let bifurcation =
        reader.get("bifurcation").and_then(|node| bifurcation(cx, around, &reader, node));
    if reader.get("bifurcation").is_none() {
        reader.refuse(cx, "G2051", &["every", "skip"], "belongs to `bifurcation`");
    }
    if reader.get("histories").is_none() {
        reader.refuse(cx, "G2051", &["outputs", "show"], "belongs to `histories`");
    }
    let show = around.model.and_then(|model| show(cx, model, &reader));
    let given = reader.text(cx, "variable")?;
    let variable = around.variables.find(cx, given.value, given.span)?;
    let swept = around.variables.get(variable)?;
    let values = values(cx, &reader, swept, given.span, points)?;
    let histories = histories(cx, &reader, swept, &values);
    (cx.diagnostics.len() == errors).then_some(Sweep {
        variable,
        values,
        responses,
        histories,
        outputs,
        show,
        bifurcation,
    })
}

/// The values of the swept variable, both ends exact.
fn values(
    cx: &mut Context<'_>,
    reader: &Reader<'_>,
    swept: &Variable,
    span: Span,
    points: usize,
) -> Option<Vec<f64>> {
    if swept.values.choices().is_some() {
        let message = format!("`{}` is a choice and has no range to sweep", swept.name);
        let diagnostic = Diagnostic::error("G2052", message).at(span, "a choice");
        cx.report(diagnostic.help("use `[design]` with `method = \"factorial\"`"));
        return None;
    }
    let Some((low, high)) = swept.values.bounds().or_else(|| given_ends(reader)) else {
        let message = format!("the distribution of `{}` has no ends", swept.name);
        let diagnostic = Diagnostic::error("G2052", message).at(span, "a distribution");
        cx.report(diagnostic.help("add `from` and `to` to `[sweep]`"));
        return None;
    };
    let (own, integer) = (swept.values.scale(), swept.values.is_integer());
    let mut amounts = Amounts { dimension: Some(swept.dimension), shown: None };
    let mut end = |cx: &mut Context<'_>, key: &str, value: f64| match reader.get(key) {
        Some(node) => amounts.read(cx, key, node),
        None => Some(At { value, span: reader.span }),
    };
    let (low, high) = (end(cx, "from", low), end(cx, "to", high));
    let scale = scale(cx, reader)?.unwrap_or(own);
    let (low, high) = (low?, high?);
    check_order(cx, "range", low, high)?;
    if scale == Scale::Log {
        check_log(cx, low)?;
    }
    Some(spaced(low.value, high.value, scale, integer, points))
}

/// Stands for ends that the section itself gives.
fn given_ends(reader: &Reader<'_>) -> Option<(f64, f64)> {
    (reader.get("from").is_some() && reader.get("to").is_some()).then_some((0.0, 1.0))
}

fn histories(
    cx: &mut Context<'_>,
    reader: &Reader<'_>,
    swept: &Variable,
    values: &[f64],
) -> Vec<f64> {
    let Some(node) = reader.get("histories") else { return Vec::new() };
    let (low, high) = (values[0], values[values.len() - 1]);
    let mut histories = Vec::new();
    for node in list(cx, "histories", node).unwrap_or_default() {
        let Some(value) = values::quantity(cx, "histories", node, swept.dimension) else {
            continue;
        };
        match inside(value, low, high) {
            Some(value) => histories.push(value),
            None => outside(cx, swept, node.span, (low, high)),
        }
    }
    histories
}

/// A value within its ends; one that rounding put beyond an end is that end.
pub(super) fn inside(value: f64, low: f64, high: f64) -> Option<f64> {
    let slack = 1e-12 * low.abs().max(high.abs());
    let close = value >= low - slack && value <= high + slack;
    close.then(|| value.clamp(low, high))
}

pub(super) fn outside(cx: &mut Context<'_>, variable: &Variable, span: Span, ends: (f64, f64)) {
    let (low, high) = (variable.in_shown_unit(ends.0), variable.in_shown_unit(ends.1));
    let message = format!("`{}` lies outside {low} to {high}", variable.name);
    cx.report(Diagnostic::error("G2053", message).at(span, "outside"));
}

fn outputs(cx: &mut Context<'_>, around: &Around<'_, '_>, reader: &Reader<'_>) -> Vec<Output> {
    let Some(node) = reader.get("outputs") else { return around.outputs.clone() };
    let mut outputs: Vec<Output> = Vec::new();
    texts(cx, "outputs", node);
    for node in list_of(node) {
        let (Some(name), Some(model)) = (node.as_text(), around.model) else { continue };
        match measures::outputs(model, &Part { node, text: name, start: 0 }) {
            Ok(found) => {
                let fresh = |one: &Output| outputs.iter().all(|other| other.name != one.name);
                let fresh: Vec<Output> = found.into_iter().filter(fresh).collect();
                outputs.extend(fresh);
            }
            Err(diagnostic) => cx.report(*diagnostic),
        }
    }
    outputs
}

fn list_of(node: &Node) -> &[Node] {
    match &node.value {
        gudgeon_model::tree::Value::List(list) => list,
        _ => &[],
    }
}

fn output(cx: &mut Context<'_>, model: Option<&Model>, node: &Node, name: &str) -> Option<Output> {
    let found = measures::output(model?, &Part { node, text: name, start: 0 });
    found.map_err(|diagnostic| cx.report(*diagnostic)).ok()
}

/// Two revolutions where there is one driver to count them.
fn show(cx: &mut Context<'_>, model: &Model, reader: &Reader<'_>) -> Option<Interval> {
    let Some(node) = reader.get("show") else {
        let [driver] = turning(model)[..] else { return None };
        return Some(Interval::Turn { driver, angle: 2.0 * std::f64::consts::TAU });
    };
    let show = interval(cx, model, "show", node)?;
    if let Interval::Time(0.0) | Interval::Turn { angle: 0.0, .. } = show {
        cx.report(Diagnostic::error("G2054", "`show` must be positive").at(node.span, "zero"));
    }
    Some(show)
}

fn bifurcation(
    cx: &mut Context<'_>,
    around: &Around<'_, '_>,
    reader: &Reader<'_>,
    node: &Node,
) -> Option<Bifurcation> {
    let name = text(cx, "bifurcation", node)?;
    let output = output(cx, around.model, node, name.value);
    let model = around.model?;
    let every = match reader.get("every") {
        Some(node) => interval(cx, model, "every", node),
        None => {
            let driver = driver(cx, model, node.span, "sampled once per revolution");
            driver.map(|driver| Interval::Turn { driver, angle: std::f64::consts::TAU })
        }
    };
    if let Some(Interval::Time(0.0) | Interval::Turn { angle: 0.0, .. }) = every {
        let span = reader.get("every").map_or(node.span, |node| node.span);
        cx.report(Diagnostic::error("G2054", "`every` must be positive").at(span, "zero"));
    }
    let skip = match reader.get("skip") {
        Some(node) => interval(cx, model, "skip", node),
        None => Some(Interval::Time(0.0)),
    };
    Some(Bifurcation { output: output?, every: every?, skip: skip? })
}

/// A time, or turning of the driver.
fn interval(cx: &mut Context<'_>, model: &Model, key: &str, node: &Node) -> Option<Interval> {
    let amount = values::any(cx, key, node)?;
    if amount.value < 0.0 {
        let message = format!("`{key}` cannot be negative");
        cx.report(Diagnostic::error("G2054", message).at(node.span, "negative"));
        return None;
    }
    match amount.dimension {
        Dimension::TIME => Some(Interval::Time(amount.value)),
        Dimension::ANGLE => {
            let driver = driver(cx, model, node.span, "counts revolutions")?;
            Some(Interval::Turn { driver, angle: amount.value })
        }
        Dimension::NUMBER if amount.value == 0.0 => Some(Interval::Time(0.0)),
        other => {
            let diagnostic =
                Diagnostic::error("G2054", format!("`{key}` must be a time or an angle"))
                    .at(node.span, format!("this is {}", other.describe()))
                    .help("write a time such as \"20 ms\", or revolutions such as \"1 rev\"");
            cx.report(diagnostic);
            None
        }
    }
}

/// The one driver of an angle.
fn driver(cx: &mut Context<'_>, model: &Model, span: Span, label: &str) -> Option<DriverId> {
    let drivers = turning(model);
    if let [one] = drivers[..] {
        return Some(one);
    }
    let message = turning_drivers(drivers.len());
    let diagnostic =
        Diagnostic::error("G2054", message).at(span, label).help("write a time, such as \"20 ms\"");
    cx.report(diagnostic);
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_spread_evenly_and_meet_both_ends() {
        assert_eq!(spaced(1.0, 3.0, Scale::Linear, false, 5), [1.0, 1.5, 2.0, 2.5, 3.0]);
        let log = spaced(1e-3, 1e3, Scale::Log, false, 3);
        assert!(log[0] == 1e-3 && (log[1] - 1.0).abs() < 1e-12 && log[2] == 1e3);
        assert_eq!(spaced(1.0, 3.0, Scale::Linear, true, 9), [1.0, 2.0, 3.0]);
        assert_eq!(spaced(1.0, 3.0, Scale::Linear, false, 1), [1.0]);
    }
}
