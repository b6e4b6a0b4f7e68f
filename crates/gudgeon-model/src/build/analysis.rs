//! The parameter that varies in an analysis, and ranges of values.

use crate::diagnostic::Diagnostic;
use crate::expr::Scope;
use crate::ranges::{Scale, ShownUnit, check_log, check_order, scale, spaced, unit_of};
use crate::reader::{Context, Reader, entries, list, suggest};
use crate::run::Vary;
use crate::spec::run::RANGE;
use crate::tree::{Name, Node, Value};
use crate::units::{Dimension, Quantity};
use crate::values;

/// Values of a range that names no number.
const POINTS: usize = 25;
const MOST: f64 = 10_000.0;

/// The word of the analysis, rightly or wrongly.
pub(super) fn word<'t>(reader: &Reader<'t>) -> Option<&'t str> {
    reader.get("analysis").and_then(Node::as_text)
}

/// The parameter that varies; the outer none where it is in error.
pub(super) fn read_vary(cx: &mut Context<'_>, reader: &Reader<'_>) -> Option<Option<Vary>> {
    let Some(node) = reader.get("vary") else { return Some(None) };
    if !matches!(word(reader), Some("bearing" | "static" | "modal")) {
        // The command line may leave the analysis of a file for once.
        if reader.get("analysis").is_some_and(|node| cx.is_command_line(node.span)) {
            return Some(None);
        }
        let why = "belongs to `analysis = \"bearing\"`, `\"static\"` or `\"modal\"`";
        reader.refuse(cx, "G0910", &["vary"], why);
        return None;
    }
    let all = entries(cx, "`vary`", Some(node));
    // What the command line varies replaces what the file does.
    let own = |(name, _): &&(Name, Node)| cx.is_command_line(name.span);
    let mut given: Vec<&(Name, Node)> = all.iter().filter(own).collect();
    if given.is_empty() {
        given = all.iter().collect();
    }
    let [(name, node)] = given[..] else {
        let diagnostic = Diagnostic::error("G0910", "`vary` takes one parameter")
            .at(node.span, format!("{} given", given.len()))
            .help("write `vary = { speed = [\"1000 rpm\", \"2000 rpm\"] }`");
        cx.report(diagnostic);
        return None;
    };
    vary(cx, name, node).map(Some)
}

fn vary(cx: &mut Context<'_>, name: &Name, node: &Node) -> Option<Vary> {
    let parameter = parameter(cx, name)?;
    let dimension = parameter.dimension;
    let (values, shown) = match &node.value {
        Value::Table(_) => range(cx, name, node, dimension)?,
        _ => listed(cx, name, node, dimension)?,
    };
    Some(Vary { parameter: name.text.clone(), values, shown })
}

fn parameter(cx: &mut Context<'_>, name: &Name) -> Option<Quantity> {
    let found = cx.parameters.parameter(&name.text);
    if found.is_none() && !cx.parameters.is_broken(&name.text) {
        let names = cx.parameters.names();
        let diagnostic = Diagnostic::error("G0910", format!("no parameter `{}`", name.text))
            .at(name.span, "not known")
            .help(suggest(&name.text, names.iter().map(String::as_str)));
        cx.report(diagnostic);
    }
    found
}

/// Values in SI and their unit in the file.
type Values = (Vec<f64>, Option<ShownUnit>);

fn listed(cx: &mut Context<'_>, name: &Name, node: &Node, dimension: Dimension) -> Option<Values> {
    let nodes = list(cx, &name.text, node)?;
    let values: Vec<Option<f64>> =
        nodes.iter().map(|node| values::quantity(cx, &name.text, node, dimension)).collect();
    let values: Vec<f64> = values.into_iter().collect::<Option<_>>()?;
    if values.is_empty() {
        let message = format!("`{}` has no values", name.text);
        cx.report(Diagnostic::error("G0910", message).at(node.span, "empty"));
        return None;
    }
    Some((values, nodes.iter().find_map(|node| unit_of(node.as_text()?))))
}

/// The values from one end to the other.
fn range(cx: &mut Context<'_>, name: &Name, node: &Node, dimension: Dimension) -> Option<Values> {
    let owner = format!("`vary.{}`", name.text);
    let reader = Reader::open(cx, owner, name.span, node, &RANGE)?;
    let end = |cx: &mut Context<'_>, key: &str| {
        let node = reader.get(key)?;
        let value = values::quantity(cx, key, node, dimension)?;
        Some(crate::reader::At { value, span: node.span })
    };
    let (from, to) = (end(cx, "from"), end(cx, "to"));
    let (scale, points) = (scale(cx, &reader), points(cx, &reader));
    let (from, to) = (from?, to?);
    check_order(cx, "range", from, to)?;
    let scale = scale?.unwrap_or(Scale::Linear);
    if scale == Scale::Log {
        check_log(cx, from)?;
    }
    let ends = [reader.get("from"), reader.get("to")].into_iter().flatten();
    let shown = ends.filter_map(Node::as_text).find_map(unit_of);
    Some((spaced(from.value, to.value, scale, false, points?), shown))
}

pub(super) fn points(cx: &mut Context<'_>, reader: &Reader<'_>) -> Option<usize> {
    let Some(node) = reader.get("points") else { return Some(POINTS) };
    match node.value {
        Value::Number { value, .. } if value.fract() == 0.0 && (2.0..=MOST).contains(&value) => {
            Some(value as usize)
        }
        _ => {
            let message = format!("`points` must be a whole number from 2 to {MOST}");
            cx.report(Diagnostic::error("G0910", message).at(node.span, "no such number"));
            None
        }
    }
}
