//! Formulas: responses computed from variables and from responses listed before them.

use super::{Choice, Variable};
use crate::expr::{Expression, Scope};
use crate::units::{Dimension, Quantity};

/// What a formula computes from a point and from what a run has given before it.
#[derive(Clone, Debug, PartialEq)]
pub struct Formula {
    pub(super) expression: Expression,
    pub(super) terms: Vec<Term>,
}

/// A name in a formula.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Term {
    pub name: String,
    pub dimension: Dimension,
    pub of: Source,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Source {
    Variable(usize),
    Response(usize),
}

impl Formula {
    /// Its value in SI, from the numbers of all variables (see [`numbers`]) and the values of the
    /// responses before it.
    pub fn value(&self, variables: &[f64], before: &[f64]) -> Result<f64, String> {
        let given = Given { terms: &self.terms, variables, before };
        let value = self.expression.constant(&given).map_err(|error| error.message)?.value;
        if value.is_finite() { Ok(value) } else { Err("its value is not finite".into()) }
    }

    /// Indices of the variables in it.
    pub fn variables(&self) -> impl Iterator<Item = usize> {
        self.terms.iter().filter_map(|term| match term.of {
            Source::Variable(index) => Some(index),
            Source::Response(_) => None,
        })
    }

    /// Indices of the responses in it.
    pub fn responses(&self) -> impl Iterator<Item = usize> {
        self.terms.iter().filter_map(|term| match term.of {
            Source::Response(index) => Some(index),
            Source::Variable(_) => None,
        })
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

/// What names stand for.
pub(super) struct Given<'a> {
    pub terms: &'a [Term],
    pub variables: &'a [f64],
    pub before: &'a [f64],
}

impl Scope for Given<'_> {
    fn parameter(&self, name: &str) -> Option<Quantity> {
        let term = self.terms.iter().find(|term| term.name == name)?;
        let value = match term.of {
            Source::Variable(index) => self.variables.get(index),
            Source::Response(index) => self.before.get(index),
        };
        Some(Quantity::new(value.copied().unwrap_or(f64::NAN), term.dimension))
    }

    fn names(&self) -> Vec<String> {
        self.terms.iter().map(|term| term.name.clone()).collect()
    }
}
