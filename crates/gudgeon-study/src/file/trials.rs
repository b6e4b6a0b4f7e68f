//! Trials: does the model accept the ends and the choices of every variable?
//!
//! A value that is wrong by itself (its unit, a word the model does not know, the limits of a
//! parameter) is an error, and so is a variable none of whose values the model accepts. Values are
//! tried beside those that the model has and, if refused, beside the middle values of the other
//! variables. One that is refused there too may still be right in some sample: a warning.

use std::collections::HashMap;

use super::names::Named;
use super::{Values, Variable};
use crate::design::distribution::Distribution;
use gudgeon_model::diagnostic::{Diagnostic, Diagnostics, Severity};
use gudgeon_model::load::{Edits, ParsedModel};
use gudgeon_model::overrides::Change;
use gudgeon_model::reader::listed;
use gudgeon_model::source::Span;
use gudgeon_model::tree::{Node, Table, Value};

/// Values of one variable that are tried.
const TRIED: usize = 32;

/// Codes of findings that condemn a value by itself.
const BY_ITSELF: [&str; 8] =
    ["G0101", "G0103", "G0104", "G0201", "G0202", "G0203", "G0302", "G0303"];

/// Values to try, with their places.
fn values(variable: &Variable, node: &Node) -> Vec<(f64, Span)> {
    let table = node.as_table();
    let place = |key: &str| table.and_then(|table| table.get(key));
    let span = |key: &str| place(key).map_or(node.span, |node| node.span);
    let item = |key: &str, i: usize| match place(key).map(|node| &node.value) {
        Some(Value::List(list)) => list.get(i).map_or(node.span, |node| node.span),
        _ => node.span,
    };
    let ends = |key: &str, last: usize, (low, high): (f64, f64)| {
        vec![(low, item(key, 0)), (high, item(key, last))]
    };
    if let Some(choices) = variable.values.choices() {
        return (0..choices.len().min(TRIED)).map(|i| (i as f64, item("choice", i))).collect();
    }
    match &variable.values {
        Values::Range(range) => {
            let (low, high) = range.bounds();
            vec![(low, span("from")), (high, span("to"))]
        }
        Values::Distribution(distribution) => match *distribution {
            Distribution::Normal { mean, .. } => vec![(mean, span("normal"))],
            Distribution::Truncated { low, high, .. } => ends("limits", 1, (low, high)),
            Distribution::Uniform { low, high } => ends("uniform", 1, (low, high)),
            Distribution::Triangular { low, high, .. } => ends("triangular", 2, (low, high)),
        },
    }
}

/// The change of a model that gives a variable a value; `at` is where its path stands.
fn change(variable: &Variable, value: f64, at: Span, span: Span) -> Change {
    let (path, text) = variable.set(value);
    let path = path.split('.').map(|part| (part.to_owned(), at)).collect();
    Change { path, node: Node { value: Value::Text { text, inner: None }, span } }
}

/// A variable, the table it was read from, and where its path stands.
struct Trial<'a> {
    variable: &'a Variable,
    node: &'a Node,
    at: Span,
}

/// All variables that could be read.
fn trials<'a>(
    variables: &'a Named<'_, Variable>,
    table: Option<&'a Table>,
) -> impl Iterator<Item = Trial<'a>> {
    let entries = table.map_or(&[][..], |table| &table.entries);
    let nodes: HashMap<&str, &Node> =
        entries.iter().map(|(name, node)| (&name.text[..], node)).collect();
    variables.iter().filter_map(move |(name, variable)| {
        let node = *nodes.get(&name.text[..])?;
        let path = node.as_table().and_then(|table| table.get("path"));
        let at = path.map_or(name.span, |node| node.span);
        Some(Trial { variable: variable?, node, at })
    })
}

/// Changes for variables whose key the model lacks: without a value there the model may be
/// incomplete. They get one from the middle of their range.
pub(super) fn absent(
    root: &Table,
    variables: &Named<'_, Variable>,
    table: Option<&Table>,
) -> Vec<Change> {
    let lacks = |trial: &Trial<'_>| {
        let path = &trial.variable.path;
        path.contains('.') && at_path(root, path).is_none()
    };
    trials(variables, table).filter(lacks).map(|trial| trial.middle()).collect()
}

/// What stands in a model at a path.
pub(super) fn at_path<'m>(root: &'m Table, path: &str) -> Option<&'m Node> {
    let mut parts = path.split('.');
    let first = root.get(parts.next()?)?;
    parts.try_fold(first, |node, part| node.as_table()?.get(part))
}

/// Tries every variable in a model that is right as it stands.
pub(super) fn run(
    base: &ParsedModel,
    edits: &Edits<'_>,
    variables: &Named<'_, Variable>,
    table: Option<&Table>,
) -> Diagnostics {
    let mut findings = Diagnostics::new();
    let middles: Vec<Change> = trials(variables, table).map(|trial| trial.middle()).collect();
    for trial in trials(variables, table) {
        let values = values(trial.variable, trial.node);
        let refusal = |(value, span): &(f64, Span)| {
            let refusal = trial.refusal(base, edits, edits.last, *value, *span)?;
            trial.refusal(base, edits, &middles, *value, *span).map(|_| refusal)
        };
        let refusals: Vec<Option<Diagnostic>> = values.iter().map(refusal).collect();
        let first = refusals.first().cloned().flatten();
        let message = |refusal: &Option<Diagnostic>| refusal.as_ref().map(|r| r.message.clone());
        let same =
            |refusal: &Option<Diagnostic>| refusal.is_some() && message(refusal) == message(&first);
        let (never, alike) = (refusals.iter().all(Option::is_some), refusals.iter().all(same));
        for ((value, span), refusal) in values.iter().zip(refusals) {
            let Some(refusal) = refusal else { continue };
            // A path that leads nowhere, or a key that is missing, is the same for all values.
            if alike && refusal.span != Some(*span) {
                findings.push(trial.refused_always(refusal));
                break;
            }
            findings.push(match BY_ITSELF.contains(&refusal.code) && refusal.span == Some(*span) {
                true => refusal,
                false => trial.refused(*value, *span, refusal, never),
            });
        }
    }
    findings
}

impl Trial<'_> {
    /// The change to a value in the middle.
    fn middle(&self) -> Change {
        change(self.variable, self.variable.values.middle(), self.at, self.at)
    }

    /// What the model has against a value, after some other changes.
    fn refusal(
        &self,
        base: &ParsedModel,
        edits: &Edits<'_>,
        others: &[Change],
        value: f64,
        span: Span,
    ) -> Option<Diagnostic> {
        let mut last = others.to_vec();
        last.push(change(self.variable, value, self.at, span));
        let built = base.clone().build(&Edits { last: &last, ..*edits });
        let mut findings = built.diagnostics.sorted().into_iter();
        findings.find(|finding| finding.severity == Severity::Error).cloned()
    }

    fn refused_always(&self, refusal: Diagnostic) -> Diagnostic {
        if refusal.span == Some(self.at) {
            return refusal;
        }
        let name = &self.variable.name;
        let message = format!("the model refuses all values of `{name}`: {}", refusal.message);
        beside(Diagnostic::error("G2007", message).at(self.at, ""), refusal)
    }

    fn refused(&self, value: f64, span: Span, refusal: Diagnostic, never: bool) -> Diagnostic {
        let variable = self.variable;
        let shown = match variable.choice(value) {
            Some(choice) => listed(&[&variable.choice_shown(choice)]),
            None => variable.in_shown_unit(value),
        };
        let name = &variable.name;
        let message = format!("the model refuses `{name}` = {shown}: {}", refusal.message);
        beside(
            match never {
                true => Diagnostic::error("G2007", message).at(span, ""),
                false => Diagnostic::warning("G2007", message)
                    .at(span, "with the other values as they are in the model"),
            },
            refusal,
        )
    }
}

/// A finding with the place and the help of the model's own.
fn beside(mut finding: Diagnostic, refusal: Diagnostic) -> Diagnostic {
    if let Some(place) = refusal.span.filter(|place| Some(*place) != finding.span) {
        finding = finding.also(place, refusal.label);
    }
    finding.help = refusal.help;
    finding
}
