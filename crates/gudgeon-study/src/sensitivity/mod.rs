//! Which variables matter.
//!
//! | method | gives | runs |
//! |---|---|---|
//! | [`morris`] | ranking of many variables | r (d + 1), r about 10 to 50 |
//! | [`main_effects`] | curves: the mean over all others at each value of a variable | levels × samples × d |
//! | [`sobol_indices`] | shares of the variance, alone and with interactions | N (d + 2), N from 2¹⁰ |
//!
//! All take points of the unit cube in batches and answers in the same order. A failed run is a value
//! that is not finite: what depends on it is left out and counted.

mod effects;
mod morris;
mod sobol;

pub use effects::{Effect, main_effects};
pub use morris::{MorrisEffect, MorrisOptions, morris};
pub use sobol::{Index, IndexOptions, SobolIndices, sobol_indices};

use crate::design::DesignError;

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SensitivityError {
    #[error(transparent)]
    Design(#[from] DesignError),
    #[error("only {used} of {samples} samples ran without failure")]
    TooFewRuns { used: usize, samples: usize },
    #[error("the response is the same everywhere: there is no variance to share out")]
    Constant,
    #[error("Morris needs an even number of levels, at least 2, not {levels}")]
    Levels { levels: usize },
}

/// Values of a batch of points of the unit cube.
pub type Batch<'a> = dyn FnMut(&[Vec<f64>]) -> Vec<f64> + 'a;
