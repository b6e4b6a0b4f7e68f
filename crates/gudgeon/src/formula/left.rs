//! Tables that must not be left: how their inputs are called, and what is said when one is.

use std::fmt;

use super::curve::Knots;

/// How the input of a table is called and shown.
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    /// The table: a file, or words that stand for it.
    pub table: String,
    /// Its column; empty where it has no name.
    pub column: String,
    /// The unit it is given in; empty for numbers.
    pub unit: String,
    /// That unit in SI.
    pub scale: f64,
}

/// A table that was left.
#[derive(Clone, Debug, PartialEq)]
pub struct Left {
    input: Input,
    /// What was looked up, and the ends of the table; SI.
    value: f64,
    ends: [f64; 2],
    above: bool,
}

/// An input that is beyond an end by less than this share of the table is right there.
const THERE: f64 = 1e-6;

impl Left {
    pub(super) fn new(knots: &Knots, value: f64, above: bool) -> Self {
        let (table, column, unit) = ("a table".into(), String::new(), String::new());
        let unnamed = || Input { table, column, unit, scale: 1.0 };
        let input = knots.input().cloned().unwrap_or_else(unnamed);
        Self { input, value, ends: [knots.first(), knots.last()], above }
    }

    /// A value in the unit of the table, with six digits.
    fn shown(&self, value: f64) -> String {
        let rounded: f64 = format!("{:.5e}", value / self.input.scale).parse().unwrap_or(value);
        match &self.input.unit[..] {
            "" => format!("{rounded}"),
            unit => format!("{rounded} {unit}"),
        }
    }
}

impl fmt::Display for Left {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [first, last] = self.ends;
        let (end, word) = if self.above { (last, "more than") } else { (first, "less than") };
        if (self.value - end).abs() <= THERE * (last - first) {
            write!(f, "{word} {}", self.shown(end))?;
        } else {
            write!(f, "{}", self.shown(self.value))?;
        }
        let Input { table, column, .. } = &self.input;
        let whose = match &column[..] {
            "" => format!("{table}, which"),
            column => format!("{table}, whose `{column}`"),
        };
        write!(f, " in {whose} goes from {} to {}", self.shown(first), self.shown(last))
    }
}
