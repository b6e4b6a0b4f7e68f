//! The second argument of functions that take one.

use gudgeon_model::diagnostic::Diagnostic;
use gudgeon_model::expr;
use gudgeon_model::reader::suggest;
use gudgeon_model::units::Dimension;

use super::formulas::wrong;
use super::responses::Part;
use crate::responses::{ModeValue, STATES, Situation};
use gudgeon::modal::About;

pub(super) enum Second<'t> {
    Percent(f64),
    /// Of an impact, from 1.
    Number(usize),
    Situation(Situation),
    /// State about which modes are taken.
    About(About),
    /// In the dimension that the first argument has.
    Quantity(Part<'t>),
}

/// Function, what it needs, what is missing without, and an example.
const TAKEN: [(&str, &str, &str, &str); 7] = [
    ("percentile", "a percentage", "which percentile?", "95"),
    ("nth", "the number of an impact", "which impact?", "1"),
    ("first", "a value to exceed", "above what?", "1e-3"),
    ("at", "a time", "when?", "0.1 s"),
    ("share", "a situation", "share of what?", "free"),
    ("force_at", "an indentation", "at which indentation?", "10 um"),
    ("friction_at", "a sliding speed", "at which speed?", "1 mm/s"),
];

/// Reads the argument, or says that it is missing, or one too many.
pub(super) fn second<'t>(
    function: &Part<'t>,
    of: &Part<'t>,
    given: Option<Part<'t>>,
) -> Result<Option<Second<'t>>, Box<Diagnostic>> {
    let name = function.text;
    if ModeValue::ALL.iter().any(|value| value.name() == name) {
        return about(given);
    }
    let Some((_, what, label, example)) = TAKEN.iter().find(|taken| taken.0 == name) else {
        let Some(part) = given else { return Ok(None) };
        let message = format!("`{name}` takes one argument");
        let help = format!("remove `{}`", part.text);
        return Err(Box::new(part.wrong(message, "one too many").help(help)));
    };
    let help = format!("write \"{name}({}, {example})\"", of.text);
    let Some(part) = given.filter(|part| !part.text.is_empty()) else {
        return Err(Box::new(of.wrong(format!("`{name}` needs {what}"), label).help(help)));
    };
    let refuse = |message: &str, help: String| Box::new(part.wrong(message.into(), "").help(help));
    Ok(Some(match name {
        "percentile" => {
            let percent = part.text.parse::<f64>().ok().filter(|p| (0.0..=100.0).contains(p));
            let message = "a percentage lies between 0 and 100";
            Second::Percent(percent.ok_or_else(|| refuse(message, help))?)
        }
        "nth" => {
            let number = part.text.parse::<usize>().ok().filter(|number| *number > 0);
            let message = "impacts are counted by whole numbers from 1";
            Second::Number(number.ok_or_else(|| refuse(message, help))?)
        }
        "share" => {
            let situation = Situation::ALL.into_iter().find(|s| s.name() == part.text);
            let help = suggest(part.text, Situation::ALL.iter().map(|s| s.name()));
            let message = format!("a journal is never `{}`", part.text);
            Second::Situation(situation.ok_or_else(|| refuse(&message, help))?)
        }
        _ => Second::Quantity(part),
    }))
}

/// The state of modes; none where it is not given.
fn about<'t>(given: Option<Part<'t>>) -> Result<Option<Second<'t>>, Box<Diagnostic>> {
    let Some(part) = given else { return Ok(None) };
    match STATES.into_iter().find(|state| state.name() == part.text) {
        Some(state) => Ok(Some(Second::About(state))),
        None => {
            let help = suggest(part.text, STATES.iter().map(|state| state.name()));
            let message = format!("`{}` is no state that modes can be taken about", part.text);
            Err(Box::new(part.wrong(message, "not known").help(help)))
        }
    }
}

/// A finite quantity of a dimension in SI; a bare number is in SI.
pub(super) fn quantity(part: &Part<'_>, dimension: Dimension) -> Result<f64, Box<Diagnostic>> {
    let value = match part.text.parse::<f64>() {
        Ok(value) => value,
        Err(_) => expr::quantity(part.text, dimension).map_err(|error| {
            let has_number = part.text.contains(|c: char| c.is_ascii_digit());
            let diagnostic = wrong(part, error);
            // Expressions are not for here.
            let help = "write a number with its unit, or without in SI";
            if has_number { diagnostic } else { Box::new(diagnostic.help(help)) }
        })?,
    };
    if value.is_finite() {
        return Ok(value);
    }
    Err(Box::new(part.wrong(format!("`{}` is not a finite number", part.text), "")))
}
