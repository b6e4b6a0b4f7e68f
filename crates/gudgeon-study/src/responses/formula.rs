//! Formulas: responses computed from variables and from responses listed before them.

use gudgeon_model::expr::{Expression, Scope};
use gudgeon_model::units::{Dimension, Quantity};

/// What a formula computes from a point and from what a run has given before it.
#[derive(Clone, Debug, PartialEq)]
pub struct Formula {
    pub(crate) expression: Expression,
    pub(crate) terms: Vec<Term>,
}

/// A name in a formula.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Term {
    pub name: String,
    pub dimension: Dimension,
    pub of: Source,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Source {
    Variable(usize),
    Response(usize),
}

impl Formula {
    /// Its value in SI, from the numbers of all variables (see [`crate::file::numbers`]) and the values of the
    /// responses before it.
    pub fn value(&self, variables: &[f64], before: &[f64]) -> Result<f64, String> {
        let given = Given { terms: &self.terms, variables, before };
        let value = self.expression.constant(&given).map_err(|error| error.message)?.value;
        if value.is_finite() { Ok(value) } else { Err("its value is not finite".into()) }
    }

    /// The value of one run, from what it has given so far. Where something that it is computed from
    /// failed, so does the formula, with that cause and `true`.
    pub(crate) fn after(
        &self,
        variables: &[f64],
        before: &[Result<f64, String>],
    ) -> Result<f64, (String, bool)> {
        let failed = self.responses().filter_map(|i| before.get(i)).find(|value| value.is_err());
        if let Some(Err(cause)) = failed {
            return Err((cause.clone(), true));
        }
        let value = |value: &Result<f64, String>| value.as_ref().map_or(f64::NAN, |value| *value);
        let before: Vec<f64> = before.iter().map(value).collect();
        self.value(variables, &before).map_err(|cause| (cause, false))
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

/// What names stand for.
pub(crate) struct Given<'a> {
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
