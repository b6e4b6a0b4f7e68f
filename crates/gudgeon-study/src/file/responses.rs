//! `[responses]`: `function(of what)`, read into its parts, or a formula (see `formulas`).
//!
//! | function | of |
//! |---|---|
//! | max, min, abs_max, rms, mean, start, final, range, percentile(…, 95), turn_median, turn_max, turn_min | an output |
//! | first(…, 1 mm) | an output, or `A - B` |
//! | at(…, 0.1 s) | an output |
//! | sum, max, mean, min, nth(…, 1) | `JOINT.impacts.FIELD` |
//! | count, count_all | `JOINT.impacts` |
//! | contact_fraction, left_bearing, max_misalignment, share(…, free), force_at(…, 10 um), friction_at(…, 1 mm/s), effective_restitution | a joint |
//! | frequency, damping_ratio | the number of a mode |
//! | rest | an output |
//! | energy | a line of the ledger |

use std::ops::Range;

use gudgeon::model::Model;

use super::arguments::{Second, second};
use super::formulas::{Around, is_formula};
use super::measures::{Found, Resolver};
use super::names::Named;
use super::{Formula, Measure, Output, Response, ResponseKind, Statistic, Variable};
use gudgeon_model::diagnostic::Diagnostic;
use gudgeon_model::reader::{Context, suggest, text};
use gudgeon_model::source::Span;
use gudgeon_model::spec::check_letters;
use gudgeon_model::tree::{Name, Node};

pub(super) const FUNCTIONS: &[&str] = &[
    "max",
    "min",
    "abs_max",
    "time_of_max",
    "time_of_min",
    "rms",
    "mean",
    "final",
    "range",
    "percentile",
    "sum",
    "count",
    "contact_fraction",
    "energy",
    "start",
    "first",
    "at",
    "turn_median",
    "turn_max",
    "turn_min",
    "nth",
    "count_all",
    "left_bearing",
    "max_misalignment",
    "share",
    "force_at",
    "friction_at",
    "effective_restitution",
    "frequency",
    "damping_ratio",
    "rest",
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

    /// A part of this part.
    pub fn within(&self, range: Range<usize>) -> Self {
        let part = Self::of(self.node, self.text, range);
        Self { start: self.start + part.start, ..part }
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
            let found = match (is_formula(written.value), given(written.value)) {
                (_, Some(unit)) => Ok(Some((ResponseKind::Given, unit.to_owned()))),
                (true, None) => around.read(node, written.value).map(|found| found.map(formula)),
                (false, None) => measured(model, &mut outputs, node, written.value),
            };
            let (kind, unit) = found.map_err(|diagnostic| cx.report(*diagnostic)).ok()??;
            let (name, text) = (name.text.clone(), written.value.trim().into());
            Some(Response { name, text, kind, unit })
        });
        responses.push(name, response);
    }
    (responses, outputs)
}

/// The unit of a response that a function of the caller gives: `given`, or `given in N`.
fn given(text: &str) -> Option<&str> {
    match text.trim().strip_prefix("given")? {
        "" => Some(""),
        rest => rest.strip_prefix(" in ").map(str::trim),
    }
}

fn formula((formula, unit): (Formula, String)) -> (ResponseKind, String) {
    (ResponseKind::Formula(formula), unit)
}

/// A function of an output; `None` if the model is in error.
fn measured(
    model: Option<&Model>,
    outputs: &mut Vec<Output>,
    node: &Node,
    text: &str,
) -> Result<Option<(ResponseKind, String)>, Box<Diagnostic>> {
    let call = call(&Part::of(node, text, 0..text.len()))?;
    let Some(model) = model else { return Ok(None) };
    let Found { measure, unit } = Resolver { model, outputs }.resolve(&call)?;
    Ok(Some((ResponseKind::Measured(measure), unit.into_owned())))
}

/// Reads what is measured of a model from a part of the text of a value.
pub fn read_measure(
    model: &Model,
    node: &Node,
    text: &str,
    range: Range<usize>,
) -> Result<Measure, Box<Diagnostic>> {
    let call = call(&Part::of(node, text, range))?;
    Ok(Resolver { model, outputs: &mut Vec::new() }.resolve(&call)?.measure)
}

/// Where the first response stands that a model must give.
pub(super) fn needs_model(entries: &[(Name, Node)]) -> Option<Span> {
    let measures = |node: &&Node| {
        node.as_text().is_some_and(|text| !is_formula(text) && given(text).is_none())
    };
    entries.iter().map(|(_, node)| node).find(measures).map(|node| node.span)
}

/// A call with its arguments.
pub(super) struct Call<'t> {
    pub function: Part<'t>,
    pub of: Part<'t>,
    /// Of the functions that take one more.
    pub second: Option<Second<'t>>,
}

fn call<'t>(whole: &Part<'t>) -> Result<Call<'t>, Box<Diagnostic>> {
    let text = whole.text;
    let form = "write a function of an output, such as \"abs_max(slider.acceleration.x)\"";
    let open = text.find('(');
    let close = text.strip_suffix(')').map(str::len);
    if open.is_some() && close.is_none() {
        let message = "`(` is never closed".to_owned();
        return Err(Box::new(whole.wrong(message, "no `)` at the end").help(form)));
    }
    let (Some(open), Some(close)) = (open, close) else {
        let message = format!("`{text}` is no response");
        return Err(Box::new(whole.wrong(message, "no function").help(form)));
    };
    let function = whole.within(0..open);
    if !FUNCTIONS.contains(&function.text) {
        let message = format!("there is no function `{}`", function.text);
        let help = suggest(function.text, FUNCTIONS.iter().copied());
        return Err(Box::new(function.wrong(message, "not known").help(help)));
    }
    let inside = open + 1..close;
    let comma = text[inside.clone()].find(',').map(|at| at + open + 1);
    let of = whole.within(inside.start..comma.unwrap_or(inside.end));
    if of.text.is_empty() {
        let message = format!("`{}` of what?", function.text);
        return Err(Box::new(whole.wrong(message, "nothing given").help(form)));
    }
    let given = comma.map(|comma| whole.within(comma + 1..inside.end));
    let second = second(&function, &of, given)?;
    Ok(Call { function, of, second })
}

/// The statistic of an output that a call stands for.
pub(super) fn statistic(call: &Call<'_>) -> Option<Statistic> {
    match call.second {
        Some(Second::Percent(percent)) => Some(Statistic::Percentile(percent)),
        _ => Statistic::PLAIN.into_iter().find(|plain| plain.name() == call.function.text),
    }
}
