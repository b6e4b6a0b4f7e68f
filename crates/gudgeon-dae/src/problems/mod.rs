//! Constrained problems with known solutions, to test integrators with.
//!
//! | problem | what it asks of a method |
//! |---|---|
//! | [`Pendulum`]   | a curved constraint; exact by Jacobi's elliptic functions |
//! | [`Wire`]       | a constraint that moves with time and does work; exact by hyperbolic functions |
//! | [`Bead`]       | a curved constraint that moves; a made-up motion and reaction |
//! | [`Oscillator`] | switches at levels of a free motion, with crossing times in closed form |
//! | [`Onset`]      | a force that begins like √t, smooth in a stretched time only |
//! | [`Actuator`]   | a first-order state, stiff if wanted, with a made-up motion |
//! | [`Ring`]       | friction by the reaction, f(λ); exact by logarithms |
//! | [`Rods`]       | natural coordinates: full blocks of M and W; a single rod is exact |
//! | [`Cells`]      | M(q), f(z, λ), h(q, v, z) with sparse patterns, of any size; a made-up motion |
//! | [`Top`]        | rotations: quaternions, moved by exponentials; steady precession |
//!
//! A [`Bead`] may be stiff, and its reaction may jump at an event. A [`Chain`], several [`Rods`] or [`Beams`],
//! whose M is a band, are as large as one likes, with sparse matrices, but have no closed form.
//!
//! The first three and the ring guide a [`Particle`], whose single constraint may be written several times
//! over: then rows are redundant, and only their joint reaction is unique.

mod actuator;
mod bead;
mod beams;
mod cells;
mod chain;
mod direct;
mod elliptic;
mod onset;
mod oscillator;
mod particle;
mod pendulum;
mod ring;
mod rods;
mod rotation;
mod top;
mod wire;

pub use actuator::Actuator;
pub use bead::{Bead, Jump};
pub use beams::{Beam, Beams};
pub use cells::Cells;
pub use chain::Chain;
pub use onset::Onset;
pub use oscillator::{Level, Oscillator};
pub use particle::{Friction, Guide, Particle};
pub use pendulum::Pendulum;
pub use ring::Ring;
pub use rods::{Rod, Rods, Weighing};
pub use top::Top;
pub use wire::Wire;

use crate::problem::SecondOrderDae;

/// A problem whose solution is known in closed form.
pub trait Analytic: SecondOrderDae {
    /// The state y at time t.
    fn exact(&self, t: f64) -> Vec<f64>;

    /// The reaction at time t, summed over redundant rows; 0 without constraints.
    fn exact_reaction(&self, t: f64) -> f64;

    /// The same at the point of the last call of `rates`.
    fn reaction(&self) -> f64;

    /// The same from the multipliers of an integrator.
    fn joint_reaction(&self, _lambda: &[f64]) -> f64 {
        0.0
    }
}
