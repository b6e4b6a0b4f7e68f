//! Time integration of constrained mechanical systems with events.
//!
//! The vocabulary: a [`SecondOrderDae`] gives rates, constraints and switches at a point; an
//! [`Explicit`] integrator advances its state step by step, each [`StepOutcome`] saying why the step
//! ended; between the ends of the last step the solution is available by
//! [`Explicit::interpolate`]. An [`ImplicitDae`] also gives the terms of its equations, and an
//! [`Implicit`] integrator solves them: generalized-α, Radau IIA or backward differentiation. An
//! [`Integrator`] is either. The crate knows no bodies.
#![forbid(unsafe_code)]

mod combination;
mod dense_output;
mod events;
mod explicit;
mod implicit;
mod integrator;
pub mod linear;
mod options;
mod problem;
pub mod problems;
mod statistics;
pub mod tableau;

pub use explicit::{Explicit, StepError, StepOutcome};
pub use implicit::{
    AlphaParameters, Differences, Equation, Form, Implicit, ImplicitDae, Method, Place, Shape,
    Tangents, Terms, Weights,
};
pub use integrator::Integrator;
pub use options::{Options, StepControl};
pub use problem::{Dims, Drift, Fault, SecondOrderDae, Stabilisation};
pub use statistics::{Factorisations, Reason, Statistics};
