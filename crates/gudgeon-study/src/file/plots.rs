//! `[plots]` and `[sensitivity]`: looking at the surrogate.

use super::keys::{METHODS, PLOTS, SENSITIVITY};
use super::names::{Named, count_of, twice};
use super::optimise::evaluator;
use super::sweep::{inside, outside};
use super::{Choice, Plots, Sensitivity, Variable};
use gudgeon_model::diagnostic::Diagnostic;
use gudgeon_model::reader::{Context, Reader, choice, entries, list, text};
use gudgeon_model::source::Span;
use gudgeon_model::tree::{Name, Node};
use gudgeon_model::values;

pub(super) fn sensitivity(
    cx: &mut Context<'_>,
    no_surrogate: bool,
    name: &Name,
    node: &Node,
) -> Option<Sensitivity> {
    let reader = Reader::open(cx, "`[sensitivity]`", name.span, node, &SENSITIVITY)?;
    let methods = reader.get("methods").and_then(|node| list(cx, "methods", node));
    let mut found = Vec::new();
    for node in methods.unwrap_or_default() {
        let Some(method) = choice(cx, "methods", node, METHODS) else { continue };
        if found.contains(&method.value) {
            twice(cx, method.value, method.span);
        }
        found.push(method.value);
    }
    if let (Some(node), Some([])) = (reader.get("methods"), methods) {
        let diagnostic = Diagnostic::error("G2061", "no method is given").at(node.span, "empty");
        cx.report(diagnostic.help("write `methods = [\"sobol\"]`, \"morris\" or both"));
    }
    let samples = count_of(cx, &reader, "samples");
    let on = evaluator(cx, &reader, no_surrogate, None)?;
    let has = |method: &str| found.contains(&method);
    Some(Sensitivity { sobol: has("sobol"), morris: has("morris"), on, samples })
}

pub(super) fn read(
    cx: &mut Context<'_>,
    no_surrogate: bool,
    variables: &Named<'_, Variable>,
    name: &Name,
    node: &Node,
) -> Option<Plots> {
    let reader = Reader::open(cx, "`[plots]`", name.span, node, &PLOTS)?;
    if no_surrogate {
        let diagnostic = Diagnostic::error("G2031", "there is no `[surrogate]` to draw")
            .at(name.span, "needs one")
            .help("add a section `[surrogate]`, such as `kind = \"kriging\"`");
        cx.report(diagnostic);
    }
    let surfaces = reader.get("surfaces").and_then(|node| list(cx, "surfaces", node));
    let surfaces = surfaces.unwrap_or_default();
    let slices = reader.get("slices").and_then(|node| list(cx, "slices", node)).unwrap_or_default();
    Some(Plots {
        surfaces: surfaces.iter().filter_map(|node| surface(cx, variables, node)).collect(),
        slices: slices.iter().map(|node| slice(cx, variables, "a slice", node)).collect(),
    })
}

/// Two variables.
fn surface(
    cx: &mut Context<'_>,
    variables: &Named<'_, Variable>,
    node: &Node,
) -> Option<(usize, usize)> {
    let nodes = list(cx, "surfaces", node)?;
    let [a, b] = nodes else {
        let diagnostic = Diagnostic::error("G2062", "a surface is drawn over two variables")
            .at(node.span, format!("{} given", nodes.len()))
            .help("write `surfaces = [[\"speed\", \"clearance\"]]`");
        cx.report(diagnostic);
        return None;
    };
    let mut axis = |node| {
        let name = text(cx, "surfaces", node)?;
        let index = variables.find(cx, name.value, name.span)?;
        check_axis(cx, variables.get(index), name.span)?;
        Some((index, name))
    };
    let (a, b) = (axis(a), axis(b));
    let ((a, _), (b, name)) = (a?, b?);
    if a == b {
        twice(cx, name.value, name.span);
        return None;
    }
    Some((a, b))
}

fn check_axis(cx: &mut Context<'_>, variable: Option<&Variable>, span: Span) -> Option<()> {
    if let Some(variable) = variable.filter(|variable| variable.is_text()) {
        let message = format!("words of `{}` make no axis", variable.name);
        let diagnostic = Diagnostic::error("G2062", message).at(span, "a choice of words");
        cx.report(diagnostic.help("give its words as `slices`"));
        return None;
    }
    Some(())
}

/// Values of some variables.
pub(super) fn slice(
    cx: &mut Context<'_>,
    variables: &Named<'_, Variable>,
    what: &str,
    node: &Node,
) -> Vec<(usize, f64)> {
    let mut slice = Vec::new();
    for (name, node) in entries(cx, what, Some(node)) {
        let Some(index) = variables.find(cx, &name.text, name.span) else { continue };
        let Some(variable) = variables.get(index) else { continue };
        slice.extend(value(cx, variable, node).map(|value| (index, value)));
    }
    slice
}

/// A value that a variable can take; of a choice, its index.
fn value(cx: &mut Context<'_>, variable: &Variable, node: &Node) -> Option<f64> {
    let name = variable.name.as_str();
    let Some(choices) = variable.values.choices() else {
        let value = values::quantity(cx, name, node, variable.dimension)?;
        let Some((low, high)) = variable.values.bounds() else { return Some(value) };
        let found = inside(value, low, high);
        if found.is_none() {
            outside(cx, variable, node.span, (low, high));
        }
        return found;
    };
    let wanted = match variable.is_text() {
        true => Choice::Text(text(cx, name, node)?.value.trim().into()),
        false => Choice::Number(values::quantity(cx, name, node, variable.dimension)?),
    };
    let found = choices.iter().position(|choice| *choice == wanted);
    if found.is_none() {
        let message = format!("`{name}` has no such choice");
        cx.report(Diagnostic::error("G2053", message).at(node.span, "not among them"));
    }
    found.map(|index| index as f64)
}
