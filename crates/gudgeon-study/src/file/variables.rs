//! `[variables]`: what is varied.

use std::collections::HashMap;

use super::keys::VARIABLE;
use super::names::Named;
use super::ranges::{self, Amounts};
use super::{Choice, ShownUnit, Study, Values, Variable};
use gudgeon_model::diagnostic::{Diagnostic, nearest};
use gudgeon_model::expr::Scope;
use gudgeon_model::overrides::Change;
use gudgeon_model::reader::{At, Context, Reader, suggest, text};
use gudgeon_model::source::Span;
use gudgeon_model::spec::parameters::Parameters;
use gudgeon_model::spec::{check_letters, check_name};
use gudgeon_model::tree::{Name, Node};
use gudgeon_model::units::{Dimension, Quantity};
use gudgeon_model::values;

impl Study {
    /// What a point sets in the model, as for [`gudgeon_model::Overrides::set`].
    pub fn set(&self, point: &[f64]) -> Vec<(String, String)> {
        self.variables.iter().zip(point).map(|(variable, value)| variable.set(*value)).collect()
    }
}

impl Variable {
    /// Path and text for [`gudgeon_model::Overrides::set`] that give the variable a value: one in SI, or the
    /// index of a choice. The text carries the SI unit and reads back as the same number.
    pub fn set(&self, value: f64) -> (String, String) {
        let shown = |value: f64| Quantity::new(value, self.dimension).to_string();
        let text = match self.choice(value) {
            Some(Choice::Text(text)) => text.clone(),
            Some(Choice::Number(number)) => shown(*number),
            None => shown(value),
        };
        (self.path.clone(), text)
    }

    /// The choice that an index stands for; `None` for other kinds of variables.
    pub fn choice(&self, index: f64) -> Option<&Choice> {
        let choices = self.values.choices()?;
        choices.get((index.max(0.0) as usize).min(choices.len() - 1))
    }

    /// A value in SI for people, with the unit the study is written in.
    pub fn in_shown_unit(&self, value: f64) -> String {
        let number = values::rounded(value / self.shown.factor);
        format!("{number} {}", self.shown.unit).trim_end().to_owned()
    }

    /// A choice for people.
    pub fn choice_shown(&self, choice: &Choice) -> String {
        match choice {
            Choice::Text(text) => text.clone(),
            Choice::Number(number) => self.in_shown_unit(*number),
        }
    }

    /// Whether the values scatter as tolerances do, instead of being chosen.
    pub fn is_distribution(&self) -> bool {
        matches!(self.values, Values::Distribution(_))
    }

    /// Whether the values are words without an order.
    pub fn is_text(&self) -> bool {
        self.values.choices().is_some_and(|list| matches!(list[0], Choice::Text(_)))
    }
}

/// The numbers that a point stands for: of a choice its value in place of the index. Words have none.
pub fn numbers(variables: &[Variable], point: &[f64]) -> Vec<f64> {
    let number = |(variable, value): (&Variable, &f64)| match variable.choice(*value) {
        Some(Choice::Number(number)) => *number,
        Some(Choice::Text(_)) => f64::NAN,
        None => *value,
    };
    variables.iter().zip(point).map(number).collect()
}

/// What is known of the model when its variables are read.
#[derive(Clone, Copy)]
pub(super) struct Known<'a> {
    /// `None` if the model could not be read, or not entirely.
    pub parameters: Option<&'a Parameters>,
    /// What `[set]` and `[run]` change.
    pub changes: &'a [Change],
    /// Whether the study names no model.
    pub alone: bool,
}

pub(super) fn read<'t>(
    cx: &mut Context<'_>,
    known: Known<'_>,
    entries: &'t [(Name, Node)],
) -> Named<'t, Variable> {
    let mut variables = Named::new("variable");
    let mut paths = HashMap::new();
    for (name, node) in entries {
        let variable = one(cx, known, name, node, &mut paths);
        variables.push(name, variable);
    }
    variables
}

fn one(
    cx: &mut Context<'_>,
    known: Known<'_>,
    name: &Name,
    node: &Node,
    paths: &mut HashMap<String, Span>,
) -> Option<Variable> {
    let errors = cx.diagnostics.len();
    // Without a model a variable is good for formulas only.
    if known.alone {
        check_name(cx, name, || format!("{}_value", name.text));
    } else {
        check_letters(cx, name);
    }
    let owner = format!("variable `{}`", name.text);
    let reader = Reader::open(cx, owner, name.span, node, &VARIABLE)?;
    let path = match reader.get("path") {
        Some(node) => text(cx, "path", node).map(|path| At { value: plain(path.value), ..path }),
        None => Some(At { value: name.text.as_str(), span: name.span }),
    };
    let own = reader.get("path").is_none();
    let target = path.and_then(|path| target(cx, known, path, own));
    if let Some(path) = path {
        check_free(cx, known, path, paths);
    }
    let dimension = target.and_then(|target| target.dimension);
    let mut amounts = Amounts { dimension, shown: None };
    let values = ranges::read(cx, &reader, &mut amounts);
    if cx.diagnostics.len() > errors {
        return None;
    }
    let dimension = amounts.dimension.unwrap_or(Dimension::NUMBER);
    let unit = if dimension.is_number() { String::new() } else { dimension.to_string() };
    let shown = amounts.shown.unwrap_or(ShownUnit { unit: unit.clone(), factor: 1.0 });
    Some(Variable {
        name: name.text.clone(),
        path: path?.value.into(),
        about: target?.about.map(str::to_owned),
        unit,
        shown,
        values: values?,
        dimension,
    })
}

/// A path without the section of parameters, which need none.
pub(super) fn plain(path: &str) -> &str {
    path.trim().strip_prefix("parameters.").unwrap_or(path.trim())
}

/// What a variable sets.
#[derive(Clone, Copy)]
struct Target<'a> {
    /// That of a parameter; of other keys it shows when the model is tried.
    dimension: Option<Dimension>,
    about: Option<&'a str>,
}

fn target<'a>(
    cx: &mut Context<'_>,
    known: Known<'a>,
    path: At<&str>,
    own: bool,
) -> Option<Target<'a>> {
    let unknown = Target { dimension: None, about: None };
    let Some(parameters) = known.parameters else { return Some(unknown) };
    if path.value.contains('.') {
        return Some(unknown);
    }
    if parameters.is_broken(path.value) {
        return None;
    }
    if let Some(quantity) = parameters.parameter(path.value) {
        let about = parameters.list.iter().find(|other| other.name == path.value);
        let about = about.and_then(|parameter| parameter.about.as_deref());
        return Some(Target { dimension: Some(quantity.dimension), about });
    }
    let names = || parameters.list.iter().map(|parameter| parameter.name.as_str());
    let mut help = suggest(path.value, names());
    if own && nearest(path.value, names()).is_none() {
        help.push_str("; other keys are varied with `path = \"joints.pin.friction.mu\"`");
    }
    let message = format!("the model has no parameter `{}`", path.value);
    cx.report(Diagnostic::error("G2005", message).at(path.span, "not known").help(help));
    None
}

/// Nothing else may set what a variable sets.
fn check_free(
    cx: &mut Context<'_>,
    known: Known<'_>,
    path: At<&str>,
    paths: &mut HashMap<String, Span>,
) {
    if let Some(first) = paths.insert(path.value.into(), path.span) {
        let message = format!("two variables set `{}`", path.value);
        let diagnostic = Diagnostic::error("G2006", message)
            .at(path.span, "set again")
            .also(first, "set here")
            .help("remove one of them");
        cx.report(diagnostic);
    }
    let fixed = known.changes.iter().find(|change| plain(&change.name()) == path.value);
    if let Some(span) = fixed.and_then(|change| Some(change.path.last()?.1)) {
        let message = format!("`{}` is both fixed and varied", path.value);
        let diagnostic = Diagnostic::error("G2006", message)
            .at(path.span, "varied here")
            .also(span, "fixed here")
            .help("remove one of them");
        cx.report(diagnostic);
    }
}
