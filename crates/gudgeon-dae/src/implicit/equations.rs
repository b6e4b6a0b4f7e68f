//! What an implicit integrator needs to know of a system, beyond [`SecondOrderDae`].
//!
//!   M(q) v̇ = f(q, v, z, λ, t) − Gᵀ λ,   ż = h(q, v, z, t),   0 = g(q, t),   0 = G v + g_t
//!
//! in plain time. Friction in joints is a part of f that depends on λ. Positions move by displacements δ
//! along v: q ⊕ δ is the position reached from q by unit time at the velocity δ, which is q + δ where
//! N = 1 and an exponential for rotations. A curve q₀ ⊕ δ(t) moves at the velocity T(δ) δ̇.

use super::weights::Weights;
use crate::linear::Entries;
use crate::problem::{Dims, Fault, SecondOrderDae};

/// The terms of the equations at one point.
#[derive(Clone, Debug)]
pub struct Terms {
    /// f.
    pub force: Vec<f64>,
    /// h.
    pub rates: Vec<f64>,
    /// g.
    pub gaps: Vec<f64>,
    /// g_t.
    pub drives: Vec<f64>,
    /// M.
    pub mass: Entries,
    /// G.
    pub rows: Entries,
}

impl Terms {
    /// Zeros, with every place of M and G there.
    pub fn full(dims: Dims) -> Self {
        Self::with(dims, Entries::full(dims.v, dims.v), Entries::full(dims.rows, dims.v))
    }

    /// Zeros, with the given places of M and G.
    pub fn with(dims: Dims, mass: Entries, rows: Entries) -> Self {
        Self {
            force: vec![0.0; dims.v],
            rates: vec![0.0; dims.z],
            gaps: vec![0.0; dims.rows],
            drives: vec![0.0; dims.rows],
            mass,
            rows,
        }
    }
}

/// Derivatives of the equations at one point; those by q are along displacements.
#[derive(Clone, Debug)]
pub struct Tangents {
    /// K = ∂(M v̇ − f + Gᵀ λ)/∂q.
    pub stiffness: Entries,
    /// D = −∂f/∂v.
    pub damping: Entries,
    /// −∂f/∂z.
    pub coupling: Entries,
    /// −∂f/∂λ: what the directions of the reactions differ by from Gᵀ. Without places where f does not
    /// depend on λ.
    pub reactions: Entries,
    /// B = ∂(G v + g_t)/∂q.
    pub rate_jacobian: Entries,
    /// ∂h/∂q, ∂h/∂v, ∂h/∂z.
    pub rates_q: Entries,
    pub rates_v: Entries,
    pub rates_z: Entries,
}

impl Tangents {
    /// Zeros, with every place there but those of ∂f/∂λ.
    pub fn full(dims: Dims) -> Self {
        let square = Entries::full(dims.v, dims.v);
        Self::with(dims, square.clone(), square, Entries::full(dims.rows, dims.v))
    }

    /// Zeros, with the given places of K, D and B, every place of what belongs to z and none of ∂f/∂λ.
    pub fn with(dims: Dims, stiffness: Entries, damping: Entries, rate_jacobian: Entries) -> Self {
        Self {
            stiffness,
            damping,
            rate_jacobian,
            coupling: Entries::full(dims.v, dims.z),
            reactions: Entries::at(dims.v, dims.rows, &[]),
            rates_q: Entries::full(dims.z, dims.v),
            rates_v: Entries::full(dims.z, dims.v),
            rates_z: Entries::full(dims.z, dims.z),
        }
    }
}

/// Where tangents are wanted.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    pub t: f64,
    pub y: &'a [f64],
    /// v̇.
    pub acceleration: &'a [f64],
    pub lambda: &'a [f64],
}

/// An equation, for messages; the system knows its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Equation {
    /// M v̇ = f − Gᵀ λ, by component of v.
    Motion(usize),
    /// ż = h, by component of z.
    Rate(usize),
    /// g = 0, by row.
    Position(usize),
    /// G v + g_t = 0, by row.
    Velocity(usize),
}

/// A system that implicit integrators can handle. Only `terms` is needed where N = 1.
pub trait ImplicitDae: SecondOrderDae {
    /// Zeros with the places of M and G; constant values may be there already.
    fn blank_terms(&self) -> Terms {
        Terms::full(self.dims())
    }

    /// f, h, g, g_t, M and G at a point with reactions λ, in plain time.
    fn terms(&mut self, t: f64, y: &[f64], lambda: &[f64], out: &mut Terms) -> Result<(), Fault>;

    /// Zeros with the places of the derivatives.
    fn blank_tangents(&self) -> Tangents {
        Tangents::full(self.dims())
    }

    /// Derivatives at a point; false where they are to be taken by differences of `terms`.
    fn tangents(&mut self, _at: Place, _out: &mut Tangents) -> Result<bool, Fault> {
        Ok(false)
    }

    /// Displacements by component of v that count as equally large, whatever the masses: the size of the
    /// system for places and 1 for angles.
    fn sizes(&self, out: &mut [f64]) {
        out.fill(1.0);
    }

    /// The blocks of the weights in which corrections of positions are short: one diagonal, unless M has
    /// full blocks.
    fn blank_weights(&self) -> Weights {
        Weights::diagonal(self.dims().v)
    }

    /// The weights at a point, symmetric and positive; usually the blocks of M.
    fn weights(&self, terms: &Terms, out: &mut Weights) {
        out.take(&terms.mass);
    }

    /// Whether W is M, or near enough: M W⁻¹Gᵀ = Gᵀ, so that a correction W⁻¹Gᵀη changes the equations of
    /// motion like a reaction. Where it is not, say so, or Newton's iteration is slow.
    fn metric_is_mass(&self) -> bool {
        true
    }

    /// Whether the solution inside a step says nothing of powers, because fast modes are damped by the method
    /// instead of followed: works are then summed from the ends of fixed steps of generalized-α alone.
    fn has_unresolved_modes(&self) -> bool {
        false
    }

    /// q ⊕ by.
    fn displace(&self, q: &[f64], by: &[f64], out: &mut [f64]) {
        for ((out, q), by) in out.iter_mut().zip(q).zip(by) {
            *out = q + by;
        }
    }

    /// T(by)⁻¹ v: the rate of `by` at which q ⊕ by moves at the velocity v.
    fn chart_rate(&self, _by: &[f64], v: &[f64], out: &mut [f64]) {
        out.copy_from_slice(v);
    }

    /// The velocity v at which N(q) v comes nearest to a rate of the coordinates.
    fn velocity_of(&self, _q: &[f64], rate: &[f64], out: &mut [f64]) {
        out.copy_from_slice(rate);
    }
}
