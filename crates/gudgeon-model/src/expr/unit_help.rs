//! Help for a word in an expression that stands where a unit is expected and is none.
//!
//! A unit is suggested only if the expression then has the dimension that is asked for: every
//! candidate is tried in its place. Where nothing is asked for, terms still have to agree.

use std::ops::Range;

use super::{ExprError, Expression, Scope};
use crate::units::{Converted, Dimension, suggestion};

impl ExprError {
    /// The error that the word at `range`, behind the number that begins at `number`, is no unit.
    pub(super) fn not_a_unit(text: &str, number: usize, range: Range<usize>) -> Self {
        let message = format!("`{}` is not a unit", &text[range.clone()]);
        let help = help(text, number, range.clone(), false, |_| true);
        Self { number: Some(number), ..Self::new(range, message).with_help(help) }
    }

    /// The error of `text` with help for a value of the dimension `expected`, if that is known.
    #[must_use]
    pub fn for_value(self, text: &str, scope: &dyn Scope, expected: Option<Dimension>) -> Self {
        let Some(number) = self.number else { return self };
        let range = self.range.clone();
        let fits = |unit: &str| {
            let trial = format!("{}{unit}{}", &text[..range.start], &text[range.end..]);
            let found = Expression::parse(&trial).and_then(|trial| trial.dimension(scope));
            found.is_ok_and(|found| expected.is_none_or(|expected| expected.accepts(found)))
        };
        let help = help(text, number, range.clone(), expected.is_some(), fits);
        self.with_help(help)
    }
}

fn help(
    text: &str,
    number: usize,
    range: Range<usize>,
    known: bool,
    fits: impl Fn(&str) -> bool,
) -> String {
    let (word, digits) = (&text[range.clone()], text[number..range.start].trim_end());
    if let Some(other) = Converted::of(word) {
        return match fits(other.unit) {
            true => format!("{other}: write `{digits} * {}`", other.text(1.0)),
            false => other.to_string(),
        };
    }
    match suggestion(word, known, fits) {
        Some(unit) => format!("did you mean `{digits} {unit}`?"),
        None => format!("write `{digits} * {word}` to multiply"),
    }
}
