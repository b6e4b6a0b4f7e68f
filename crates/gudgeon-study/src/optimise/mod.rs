//! Search for the best designs.
//!
//! | search | for |
//! |---|---|
//! | [`genetic`] | one objective, many optima, any kind of variable; with a polish of the result |
//! | [`nsga2`] | several objectives: the Pareto front |
//! | [`local`], [`compass`] | the nearest optimum: smooth functions, rough ones |
//! | [`multistart`] | all optima of a cheap smooth function, such as a surrogate |
//! | [`ego`] | one objective so dear that every run is chosen by a surrogate |
//!
//! All work in the unit cube of the variables, minimise, and ask for values in batches, which the
//! caller may share out over threads: what is asked next depends on the answers alone.

pub mod compass;
pub mod ego;
pub mod genetic;
pub mod lagrangian;
pub mod local;
pub mod multistart;
pub mod nsga2;
pub mod pareto;
mod problem;
mod variation;

pub use problem::{Individual, Outcome, Problem};
pub use variation::Variation;
