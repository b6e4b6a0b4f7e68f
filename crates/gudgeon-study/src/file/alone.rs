//! Studies without a model, and the values of variables that a study does not vary.

use std::collections::HashSet;

use gudgeon::model::Space;

use super::names::Named;
use super::{Variable, responses, trials};
use gudgeon_model::Overrides;
use gudgeon_model::diagnostic::{Diagnostic, Diagnostics};
use gudgeon_model::expr::Scope;
use gudgeon_model::load::ParsedModel;
use gudgeon_model::reader::{Context, Reader};
use gudgeon_model::source::Span;
use gudgeon_model::spec::parameters::Parameters;
use gudgeon_model::tree::{Node, Table, Value};
use gudgeon_model::values;

/// Keys that mean nothing without a model.
const OF_STUDY: [&str; 2] = ["ensemble", "time_limit"];
const OF_SWEEP: [&str; 5] = ["histories", "outputs", "bifurcation", "every", "skip"];

/// A study that names no model must not need one.
pub(super) fn check(cx: &mut Context<'_>, root: &Reader<'_>, overrides: &Overrides) {
    let study = root.entry("study").map_or(root.span, |(name, _)| name.span);
    let (first, what) = match (needs(root), *overrides == Overrides::default()) {
        (Some(first), _) => (first, "needs one"),
        (None, false) => (study, "the command line changes it"),
        (None, true) => return,
    };
    let help = "`model`: a model file, or the name of a shipped model; without one, all responses \
                are formulas of variables";
    let lacks = Diagnostic::error("G0102", "the study lacks `model`");
    cx.report(match first == study {
        true => lacks.at(study, what).help(help),
        false => lacks.at(study, "no `model` given").also(first, what).help(help),
    });
}

/// The first place that asks for a model.
fn needs(root: &Reader<'_>) -> Option<Span> {
    let table = |key: &str| root.get(key).and_then(Node::as_table);
    let key = |table: Option<&Table>, keys: &[&str]| {
        let entries = &table?.entries;
        entries.iter().find(|(name, _)| keys.contains(&&name.text[..])).map(|(name, _)| name.span)
    };
    let of_variable = |(_, node): &(_, Node)| {
        let variable = node.as_table()?;
        key(Some(variable), &["path"]).or_else(|| match &variable.get("choice")?.value {
            Value::List(list) => list.iter().find(|node| is_word(node)).map(|node| node.span),
            _ => None,
        })
    };
    let section = |key: &str| root.entry(key).map(|(name, _)| name.span);
    key(table("study"), &OF_STUDY)
        .or_else(|| section("run"))
        .or_else(|| section("set"))
        .or_else(|| table("variables")?.entries.iter().find_map(of_variable))
        .or_else(|| responses::needs_model(&table("responses")?.entries))
        .or_else(|| key(table("sweep"), &OF_SWEEP))
}

/// Words mean something to a model only.
fn is_word(node: &Node) -> bool {
    let quantity = |text: &str| {
        text.trim_start().starts_with('=') || gudgeon_model::expr::any_quantity(text).is_ok()
    };
    node.as_text().is_some_and(|text| !quantity(text))
}

/// The numbers of all variables where a study does not vary them: as the model has them, or else
/// from the middle of their ranges. Not a number where the model does not tell.
pub(super) fn standing(
    model: Option<(&ParsedModel, &Parameters)>,
    variables: &Named<'_, Variable>,
) -> Vec<f64> {
    let number = |variable: &Variable| {
        let middle = super::numbers(std::slice::from_ref(variable), &[variable.values.middle()])[0];
        let Some((base, parameters)) = model else { return middle };
        if let Some(quantity) = parameters.parameter(&variable.path) {
            return quantity.value;
        }
        match trials::at_path(base.root(), &variable.path) {
            Some(node) => value(parameters, node).unwrap_or(f64::NAN),
            None => middle,
        }
    };
    variables.iter().map(|(_, variable)| variable.map_or(f64::NAN, number)).collect()
}

/// The value of a key of the model.
fn value(parameters: &Parameters, node: &Node) -> Option<f64> {
    let (mut unread, ideal) = (Diagnostics::new(), HashSet::new());
    let (space, files) = (Space::Planar, usize::MAX);
    let mut cx =
        Context { diagnostics: &mut unread, parameters, ideal: &ideal, space, links: None, files };
    values::any(&mut cx, "", node).map(|quantity| quantity.value)
}
