//! Reading formulas.
//!
//! A text is a function of an output if it is one call of a function of responses, `max(OUTPUT)`.
//! Anything else is a formula, as is `max(a, b)` of names; a leading `=` is allowed.

use std::ops::Range;

use gudgeon::model::Model;

use super::names::Named;
use super::responses::{FUNCTIONS, Part};
use super::{Response, Variable, optimise};
use crate::responses::{Formula, Given, Source, Term};
use gudgeon_model::diagnostic::{Diagnostic, nearest};
use gudgeon_model::expr::{self, Expression};
use gudgeon_model::reader::suggest;
use gudgeon_model::tree::{Name, Node};
use gudgeon_model::units::Dimension;

/// Whether a text is a formula, right or wrong.
pub(super) fn is_formula(text: &str) -> bool {
    let text = text.trim();
    let Some(open) = text.find('(') else {
        return !(text.is_empty() || is_path(text) && text.contains('.'));
    };
    let head = text[..open].trim();
    let close = closing(text, open);
    if !is_path(head) || close.is_some_and(|close| close + 1 < text.len()) {
        return true;
    }
    let inside = &text[open + 1..close.unwrap_or(text.len())];
    let outputs = paths(inside).any(|range| inside[range].contains('.'));
    match (head, FUNCTIONS.contains(&head)) {
        // Of an output and something else it is a wrong function of the output.
        ("max" | "min", true) => inside.split_once(',').is_some_and(|(first, _)| {
            let first = first.trim();
            !(is_path(first) && first.contains('.'))
        }),
        (_, true) => false,
        _ if expr::function_names().any(|name| name == head) => true,
        _ => !outputs && nearest(head, FUNCTIONS.iter().copied()).is_none(),
    }
}

/// Whether a text is a name, or names with dots between them.
fn is_path(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.')
}

/// All names in a text, those of outputs with their dots.
fn paths(text: &str) -> impl Iterator<Item = Range<usize>> {
    let part = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + text[at..].find(part)?;
        at = text[start..].find(|c| !part(c)).map_or(text.len(), |length| start + length);
        Some(start..at)
    })
    .filter(|range| is_path(&text[range.clone()]))
}

/// The bracket that closes the one at `open`.
fn closing(text: &str, open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (i, letter) in text.char_indices().skip_while(|(i, _)| *i < open) {
        match letter {
            '(' => depth += 1,
            ')' if depth == 1 => return Some(i),
            ')' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// What a formula may name.
pub(super) struct Around<'a, 't> {
    pub variables: &'a Named<'t, Variable>,
    /// Those listed before it.
    pub responses: &'a Named<'t, Response>,
    /// All of them.
    pub all: &'t [(Name, Node)],
    pub model: Option<&'a Model>,
}

/// A formula, its unit, and whether something it names is in error and told elsewhere.
type Read = Result<Option<(Formula, String)>, Box<Diagnostic>>;

impl Around<'_, '_> {
    pub fn read(&self, node: &Node, text: &str) -> Read {
        let start = text.len() - text.trim_start().len();
        let equals = usize::from(text[start..].starts_with('='));
        let part = Part::of(node, text, start + equals..text.len());
        self.check_measures(&part)?;
        self.check_reserved(&part)?;
        let expression = Expression::parse(part.text).map_err(|error| wrong(&part, error))?;
        if let Some(range) = expression.time() {
            let message = "a formula cannot depend on the time `t`".to_owned();
            let help = "it computes with variables and with responses listed before it";
            return Err(coded("G0204", part.error(range, message, "")).help(help).into());
        }
        let mut terms: Vec<Term> = Vec::new();
        let mut known = true;
        for (name, range) in expression.parameters() {
            match self.term(&part, name, range)? {
                Some(term) if terms.contains(&term) => {}
                Some(term) => terms.push(term),
                None => known = false,
            }
        }
        if expression.parameters().is_empty() {
            let message = format!("`{}` is no response", part.text);
            let diagnostic = part.wrong(message, "names no variable and no response");
            return Err(diagnostic.help("write a function of an output, or a formula").into());
        }
        if !known {
            return Ok(None);
        }
        let given = Given { terms: &terms, variables: &[], before: &[] };
        let dimension = expression.dimension(&given).map_err(|error| wrong(&part, error))?;
        let unit = self.unit(&terms, dimension);
        Ok(Some((Formula { expression, terms }, unit)))
    }

    /// The SI unit, as a response of the same dimension writes it.
    fn unit(&self, terms: &[Term], dimension: Dimension) -> String {
        let same = terms.iter().find_map(|term| match term.of {
            Source::Response(index) if term.dimension == dimension => self.responses.get(index),
            _ => None,
        });
        match same {
            Some(response) => response.unit.clone(),
            None if dimension.is_number() => String::new(),
            None => dimension.to_string(),
        }
    }

    /// What a name stands for; `None` if that is in error.
    fn term(
        &self,
        part: &Part<'_>,
        name: &str,
        range: &Range<usize>,
    ) -> Result<Option<Term>, Box<Diagnostic>> {
        let owned = name.to_owned();
        if let Some(index) = self.variables.position(name) {
            let Some(variable) = self.variables.get(index) else { return Ok(None) };
            if variable.is_text() {
                let message = format!("`{name}` takes words, which are no numbers");
                return Err(coded("G2102", part.error(range.clone(), message, "words")).into());
            }
            let (dimension, of) = (variable.dimension, Source::Variable(index));
            return Ok(Some(Term { name: owned, dimension, of }));
        }
        if let Some(index) = self.responses.position(name) {
            let Some(response) = self.responses.get(index) else { return Ok(None) };
            let (dimension, of) = (optimise::dimension(&response.unit), Source::Response(index));
            return Ok(Some(Term { name: owned, dimension, of }));
        }
        Err(self.unknown(part, name, range.clone()).into())
    }

    fn unknown(&self, part: &Part<'_>, name: &str, range: Range<usize>) -> Diagnostic {
        let place = self.all.iter().position(|(other, _)| other.text == name);
        let (message, label, help) = match place {
            Some(place) if place == self.responses.len() => {
                let message = format!("the formula of `{name}` names `{name}` itself");
                (message, "itself", "name variables, and responses listed before it".to_owned())
            }
            Some(_) => {
                let message = format!("response `{name}` is listed below");
                (message, "not known yet", format!("move `{name}` above this response"))
            }
            None => {
                let message = format!("there is no variable or response `{name}`");
                let names: Vec<&str> =
                    self.variables.names().chain(self.responses.names()).collect();
                let mut help = suggest(name, names.iter().copied());
                if nearest(name, names).is_none() && self.is_owner(name) {
                    help = format!("outputs are measured, as by \"abs_max({name}.OUTPUT)\"");
                }
                (message, "not known", help)
            }
        };
        coded("G2002", part.error(range, message, label)).help(help)
    }

    /// Whether the model has something of this name.
    fn is_owner(&self, name: &str) -> bool {
        self.model.is_some_and(|model| {
            let bodies = model.bodies.iter().map(|body| &body.name);
            let joints = model.joints.iter().map(|joint| &joint.name);
            let drivers = model.drivers.iter().map(|driver| &driver.name);
            let forces = model.forces.iter().map(|force| &force.name);
            bodies.chain(joints).chain(drivers).chain(forces).any(|other| other == name)
        })
    }

    /// Outputs are measured by responses of their own.
    fn check_measures(&self, part: &Part<'_>) -> Result<(), Box<Diagnostic>> {
        let text = part.text;
        let function = |word: &str| expr::function_names().any(|name| name == word);
        let mut call: Option<Range<usize>> = None;
        for range in paths(text) {
            let word = &text[range.clone()];
            let open = text[range.end..].starts_with('(').then_some(range.end);
            let whole = open.and_then(|open| Some(range.start..closing(text, open)? + 1));
            let measures = FUNCTIONS.contains(&word) && whole.is_some();
            if !word.contains('.') && (!measures || function(word)) {
                call = whole.filter(|_| measures);
                continue;
            }
            let around = call.filter(|call| call.end >= range.end);
            let place = around.or(whole.filter(|_| measures)).unwrap_or(range);
            let found = &text[place.clone()];
            let measure = if is_path(found) { format!("abs_max({found})") } else { found.into() };
            let message = "a formula takes variables and responses, not outputs".to_owned();
            let help = format!("list `a = \"{measure}\"` above, and write `a` here");
            return Err(coded("G2102", part.error(place, message, "an output")).help(help).into());
        }
        Ok(())
    }

    /// A name that means something else to expressions would be misread.
    fn check_reserved(&self, part: &Part<'_>) -> Result<(), Box<Diagnostic>> {
        for range in paths(part.text) {
            let word = &part.text[range.clone()];
            let what = match (self.variables.position(word), self.responses.position(word)) {
                (Some(_), _) => "variable",
                (None, Some(_)) => "response",
                _ => continue,
            };
            let Some(why) = expr::reserved(word).filter(|why| *why != "a function") else {
                continue;
            };
            let message = format!("`{word}` is {why} and the name of a {what}");
            let help = format!("rename the {what}");
            return Err(coded("G2102", part.error(range, message, "which one?")).help(help).into());
        }
        Ok(())
    }
}

fn coded(code: &'static str, diagnostic: Diagnostic) -> Diagnostic {
    Diagnostic { code, ..diagnostic }
}

/// An error of the expression at its place.
pub(super) fn wrong(part: &Part<'_>, error: expr::ExprError) -> Box<Diagnostic> {
    let mut diagnostic = coded("G0201", part.error(error.range, error.message, ""));
    diagnostic.help = error.help;
    Box::new(diagnostic)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_told_from_functions_of_outputs() {
        let formulas = ["power", "2 * (a + b)", "max(a, b)", "= max(a)", "sqrt(a)", "max(a, b.c)"];
        let mixed = ["abs_max(a.b) / 9.81", "count(pin.impacts) / energy(pin.normal)", "9.81"];
        for text in formulas.into_iter().chain(mixed) {
            assert!(is_formula(text), "{text}");
        }
        let measures = ["max(a.b)", "max(pin)", "max(a.b, 5)", "max()", "count(pin)", "", "a.b.c"];
        for text in measures.into_iter().chain(["peak(a.b)", "absmax(pin)", "max(a.b"]) {
            assert!(!is_formula(text), "{text}");
        }
    }

    #[test]
    fn names_are_found_with_their_dots() {
        let text = "1.5e3*a.b-c_1/2.m";
        let found: Vec<&str> = paths(text).map(|range| &text[range]).collect();
        assert_eq!(found, ["a.b", "c_1"]);
    }
}
