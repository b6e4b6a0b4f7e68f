//! `[responses]`: `function(of what)`, read into its parts, or a formula (see `formulas`).
//!
//! | function | of |
//! |---|---|
//! | max, min, abs_max, rms, mean, final, range, percentile(…, 95) | an output |
//! | sum, max, mean, min | `JOINT.impacts.FIELD` |
//! | count | `JOINT.impacts` |
//! | contact_fraction | a joint |
//! | energy | a line of the ledger |

use std::ops::Range;

use gudgeon::model::Model;

use super::formulas::{Around, is_formula};
use super::measures::{Found, Resolver};
use super::names::Named;
use super::{Formula, Measure, Output, Response, Statistic, Variable};
use crate::diagnostic::Diagnostic;
use crate::reader::{Context, suggest, text};
use crate::source::Span;
use crate::spec::check_letters;
use crate::tree::{Name, Node};

pub(super) const FUNCTIONS: &[&str] = &[
    "max",
    "min",
    "abs_max",
    "rms",
    "mean",
    "final",
    "range",
    "percentile",
    "sum",
    "count",
    "contact_fraction",
    "energy",
];

/// The names of all functions of responses, for editors and help.
pub fn response_functions() -> impl Iterator<Item = &'static str> {
    FUNCTIONS.iter().copied()
}

/// A part of a response's text.
#[derive(Clone)]
pub(super) struct Part<'t> {
    pub node: &'t Node,
    pub text: &'t str,
    pub start: usize,
}

impl<'t> Part<'t> {
    pub fn of(node: &'t Node, text: &'t str, range: Range<usize>) -> Self {
        let piece = &text[range.clone()];
        let start = range.start + piece.len() - piece.trim_start().len();
        Self { node, text: piece.trim(), start }
    }

    /// A finding at a part of this part.
    pub fn error(&self, range: Range<usize>, message: String, label: &str) -> Diagnostic {
        let span = self.node.part(self.start + range.start..self.start + range.end);
        Diagnostic::error("G2101", message).at(span, label)
    }

    /// A finding at the whole part.
    pub fn wrong(&self, message: String, label: &str) -> Diagnostic {
        self.error(0..self.text.len(), message, label)
    }
}

/// Reads all responses; those of a model that could not be built are known by name only. Outputs
/// they are taken of are listed once each.
pub(super) fn read<'t>(
    cx: &mut Context<'_>,
    model: Option<&Model>,
    variables: &Named<'_, Variable>,
    entries: &'t [(Name, Node)],
) -> (Named<'t, Response>, Vec<Output>) {
    let mut responses = Named::new("response");
    let mut outputs = Vec::new();
    for (name, node) in entries {
        check_letters(cx, name);
        if variables.position(&name.text).is_some() {
            let message = format!("response `{}` has the name of a variable", name.text);
            let diagnostic = Diagnostic::error("G2004", message).at(name.span, "used again");
            cx.report(diagnostic.help("rename one of them"));
        }
        let around = Around { variables, responses: &responses, all: entries, model };
        let response = text(cx, &name.text, node).and_then(|written| {
            let found = match is_formula(written.value) {
                true => around.read(node, written.value).map(|found| found.map(formula)),
                false => measured(model, &mut outputs, node, written.value),
            };
            let (measure, unit) = found.map_err(|diagnostic| cx.report(*diagnostic)).ok()??;
            let (name, text) = (name.text.clone(), written.value.trim().into());
            Some(Response { name, text, measure, unit })
        });
        responses.push(name, response);
    }
    (responses, outputs)
}

fn formula((formula, unit): (Formula, String)) -> (Measure, String) {
    (Measure::Formula(formula), unit)
}

/// A function of an output; `None` if the model is in error.
fn measured(
    model: Option<&Model>,
    outputs: &mut Vec<Output>,
    node: &Node,
    text: &str,
) -> Result<Option<(Measure, String)>, Box<Diagnostic>> {
    let call = call(node, text)?;
    let Some(model) = model else { return Ok(None) };
    let Found { measure, unit } = Resolver { model, outputs }.resolve(&call)?;
    Ok(Some((measure, unit.to_owned())))
}

/// Where the first response stands that a model must give.
pub(super) fn needs_model(entries: &[(Name, Node)]) -> Option<Span> {
    let measures = |node: &&Node| node.as_text().is_some_and(|text| !is_formula(text));
    entries.iter().map(|(_, node)| node).find(measures).map(|node| node.span)
}

/// A call with its argument.
pub(super) struct Call<'t> {
    pub function: Part<'t>,
    pub of: Part<'t>,
    /// What `percentile` asks for.
    pub percent: Option<f64>,
}

fn call<'t>(node: &'t Node, text: &'t str) -> Result<Call<'t>, Box<Diagnostic>> {
    let whole = Part::of(node, text, 0..text.len());
    let form = "write a function of an output, such as \"abs_max(slider.acceleration.x)\"";
    let open = text.find('(');
    let close = text.trim_end().strip_suffix(')').map(str::len);
    if open.is_some() && close.is_none() {
        let message = "`(` is never closed".to_owned();
        return Err(Box::new(whole.wrong(message, "no `)` at the end").help(form)));
    }
    let (Some(open), Some(close)) = (open, close) else {
        let message = format!("`{}` is no response", whole.text);
        return Err(Box::new(whole.wrong(message, "no function").help(form)));
    };
    let function = Part::of(node, text, 0..open);
    if !FUNCTIONS.contains(&function.text) {
        let message = format!("there is no function `{}`", function.text);
        let help = suggest(function.text, FUNCTIONS.iter().copied());
        return Err(Box::new(function.wrong(message, "not known").help(help)));
    }
    let inside = open + 1..close;
    let comma = text[inside.clone()].find(',').map(|at| at + open + 1);
    let of = Part::of(node, text, inside.start..comma.unwrap_or(inside.end));
    if of.text.is_empty() {
        let message = format!("`{}` of what?", function.text);
        return Err(Box::new(whole.wrong(message, "nothing given").help(form)));
    }
    let percent = comma.map(|comma| Part::of(node, text, comma + 1..inside.end));
    let percent = percentage(&function, &of, percent)?;
    Ok(Call { function, of, percent })
}

fn percentage(
    function: &Part<'_>,
    of: &Part<'_>,
    given: Option<Part<'_>>,
) -> Result<Option<f64>, Box<Diagnostic>> {
    let help = format!("write \"percentile({}, 95)\"", of.text);
    match (function.text, given) {
        ("percentile", None) => {
            let message = "`percentile` needs a percentage".to_owned();
            Err(Box::new(of.wrong(message, "which percentile?").help(help)))
        }
        ("percentile", Some(part)) => {
            match part.text.parse::<f64>().ok().filter(|p| (0.0..=100.0).contains(p)) {
                Some(percent) => Ok(Some(percent)),
                None => {
                    let message = "a percentage lies between 0 and 100".to_owned();
                    Err(Box::new(part.wrong(message, "").help(help)))
                }
            }
        }
        (_, None) => Ok(None),
        (name, Some(part)) => {
            let message = format!("`{name}` takes one argument");
            Err(Box::new(
                part.wrong(message, "one too many").help(format!("remove `{}`", part.text)),
            ))
        }
    }
}

/// The statistic of an output that a function stands for.
pub(super) fn statistic(function: &str, percent: Option<f64>) -> Option<Statistic> {
    Some(match function {
        "max" => Statistic::Max,
        "min" => Statistic::Min,
        "abs_max" => Statistic::AbsMax,
        "rms" => Statistic::Rms,
        "mean" => Statistic::Mean,
        "final" => Statistic::Final,
        "range" => Statistic::Range,
        "percentile" => Statistic::Percentile(percent?),
        _ => return None,
    })
}
