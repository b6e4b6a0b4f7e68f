//! One of the systems into which the stages of Radau IIA are separated.
//!
//! For the eigenvalue c over h a correction satisfies
//!
//!   c δq − δv − W⁻¹Gᵀ δμ = −r_q,   (c M + D) δv + K δq + F_z δz + R δλ = −r_v,                   (1)
//!   (c − H_z) δz − H_q δq − H_v δv = −r_z,   G δq = −r_g,   G δv + B δq = −r_k                  (2)
//!
//! As in [`point`](super::point), δv is eliminated, λ − c μ solved for with the motion, and μ after. Where
//! W is not M, or the directions of the reactions R = Gᵀ − ∂f/∂λ are not Gᵀ, the part of δμ that needs no δq,
//!
//!   S δμ₀ = r_k + G r_q − c r_g                                                                  (3)
//!
//! is taken to r_q before: r_q − W⁻¹Gᵀ δμ₀ with δμ − δμ₀ is (1) again.

use super::saddle::Saddle;
use super::work::Work;
use crate::linear::Scalar;
use crate::problem::Dims;

/// Places of the parts of a stage, unknowns and equations alike: δ, v, z, λ, μ.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    pub v: usize,
    pub z: usize,
    pub lambda: usize,
    pub mu: usize,
    pub end: usize,
}

impl Layout {
    pub fn new(dims: Dims) -> Self {
        let (v, z) = (dims.v, 2 * dims.v);
        let lambda = z + dims.z;
        let mu = lambda + dims.rows;
        Self { v, z, lambda, mu, end: mu + dims.rows }
    }
}

/// One separated system: its matrix and buffers.
#[derive(Debug)]
pub(super) struct Block<T> {
    c: T,
    saddle: Saddle<T>,
    rhs: Vec<T>,
    spare: Vec<T>,
    /// δμ₀.
    known: Vec<T>,
    /// Rows that are not part of the factors.
    dropped: Vec<bool>,
    /// Right-hand side, overwritten by the solution.
    pub x: Vec<T>,
}

impl<T: Scalar> Block<T> {
    pub fn new(work: &Work, at: Layout) -> Self {
        let saddle = Saddle::new(work.dims, &work.terms, &work.tangents);
        Self {
            c: T::default(),
            rhs: vec![T::default(); saddle.size()],
            spare: vec![T::default(); work.dims.v],
            known: vec![T::default(); work.dims.rows],
            dropped: vec![false; work.dims.rows],
            x: vec![T::default(); at.end],
            saddle,
        }
    }

    pub fn factor(&mut self, work: &Work, c: T) -> Result<(), usize> {
        self.c = c;
        let coefficients = [c, T::from(1.0) / c, c];
        let dropped = &work.metric.dropped;
        self.dropped.copy_from_slice(dropped);
        self.saddle.factor(&work.terms, &work.tangents, dropped, coefficients)
    }

    /// Solves the linearised equations of a stage: what is left of the equations in `x` becomes the correction.
    pub fn solve(&mut self, work: &mut Work) {
        let Dims { v, z, .. } = work.dims;
        let one = T::from(1.0);
        if !work.metric_is_mass {
            self.foresee(work);
        }
        let (c, square) = (self.c, one / (self.c * self.c));
        let (kinematic, rest) = self.x.split_at_mut(v);
        let (motion, rest) = rest.split_at_mut(v);
        let (rate, rest) = rest.split_at_mut(z);
        let (position, velocity) = rest.split_at_mut(work.dims.rows);
        work.terms.mass.add_product(c, kinematic, motion);
        work.tangents.damping.add_product(one, kinematic, motion);
        work.tangents.rates_v.add_product(-one, kinematic, rate);
        for (rhs, r) in self.rhs.iter_mut().zip(&*motion) {
            *rhs = -*r * square;
        }
        for (rhs, r) in self.rhs[v..].iter_mut().zip(&*rate) {
            *rhs = -*r / c;
        }
        for (i, r) in position.iter().enumerate() {
            self.rhs[v + z + i] = if self.dropped[i] { T::default() } else { -*r };
        }
        self.saddle.solve(&mut self.rhs);
        let moved = &self.rhs[..v];
        for i in 0..v {
            motion[i] = c * moved[i] + kinematic[i];
        }
        work.terms.rows.add_product(one, motion, velocity);
        work.tangents.rate_jacobian.add_product(one, moved, velocity);
        work.metric.solve(velocity);
        work.metric.shift(velocity, &mut self.spare);
        for (x, shift) in motion.iter_mut().zip(&self.spare) {
            *x -= *shift;
        }
        kinematic.copy_from_slice(moved);
        rate.copy_from_slice(&self.rhs[v..v + z]);
        for (i, lambda) in position.iter_mut().enumerate() {
            *lambda = self.rhs[v + z + i] / square + c * velocity[i];
        }
        if !work.metric_is_mass {
            velocity.iter_mut().zip(&self.known).for_each(|(mu, known)| *mu += *known);
        }
    }

    /// δμ₀, and its part of r_q.
    fn foresee(&mut self, work: &mut Work) {
        let (kinematic, rest) = self.x.split_at_mut(work.dims.v);
        let rest = &rest[work.dims.v + work.dims.z..];
        let (position, velocity) = rest.split_at(work.dims.rows);
        for (out, (r_k, r_g)) in self.known.iter_mut().zip(velocity.iter().zip(position)) {
            *out = *r_k - self.c * *r_g;
        }
        work.terms.rows.add_product(T::from(1.0), kinematic, &mut self.known);
        work.metric.solve(&mut self.known); // (3)
        work.metric.shift(&self.known, &mut self.spare);
        kinematic.iter_mut().zip(&self.spare).for_each(|(r, shift)| *r -= *shift);
    }
}
