//! Corrections of positions and velocities along Gᵀ, short in the weights W.
//!
//!   S = Ḡ W⁻¹ Ḡᵀ,   shift(η) = W⁻¹ Ḡᵀ η
//!
//! Rows that depend on others here are left out of the corrections and of Newton's matrix: they hold
//! where the others do. They are chosen anew for every step, because a dependency may shift. Whether a
//! row depends on others is a matter of directions: a pivot of S may be small for a light body, too, so
//! the judgement is that of S with the sizes u of displacements, G diag(u²) Gᵀ.

use super::equations::{ImplicitDae, Terms};
use super::schur::Schur;
use super::weights::Weights;
use crate::linear::{Entries, Scalar};
use crate::problem::{Dims, Fault};

/// A row whose pivot in S is below this fraction of its diagonal entry depends on others.
const DEPENDENT: f64 = 1e-9;

#[derive(Debug)]
pub(super) struct Metric {
    /// Where v begins in y.
    velocities: usize,
    /// W.
    pub weights: Weights,
    /// G at the last call of `take`.
    pub rows: Entries,
    /// G along which corrections go: that of `take`, or the mean with another point.
    along: Entries,
    /// Rows that are left out.
    pub dropped: Vec<bool>,
    /// Smallest pivot of the other rows as a fraction of its diagonal entry, in the sizes u.
    pub weakest: f64,
    /// Rows that are left out now, and the fewest so far.
    count: usize,
    fewest: usize,
    /// u².
    sizes: Vec<f64>,
    schur: Schur,
    /// Whether S is factored.
    ready: bool,
}

impl Metric {
    pub fn new(dims: Dims, rows: &Entries, weights: Weights) -> Self {
        assert_eq!(weights.len(), dims.v, "weights have the wrong size");
        Self {
            velocities: dims.q,
            schur: Schur::new(rows, &weights),
            weights,
            rows: rows.clone(),
            along: rows.clone(),
            dropped: vec![false; dims.rows],
            weakest: 1.0,
            count: 0,
            fewest: dims.rows,
            sizes: vec![1.0; dims.v],
            ready: false,
        }
    }

    /// Takes W and G over and finds the rows that depend on others. S is factored by
    /// [`prepare`](Self::prepare) or [`average`](Self::average).
    pub fn take<P: ImplicitDae>(&mut self, plant: &P, terms: &Terms) -> Result<(), Fault> {
        self.rows.values.copy_from_slice(&terms.rows.values);
        self.along.values.copy_from_slice(&terms.rows.values);
        plant.sizes(&mut self.sizes);
        self.sizes.iter_mut().for_each(|u| *u *= *u);
        self.judge()?;
        plant.weights(terms, &mut self.weights);
        let no_number = |i: usize| Fault::NotFinite { index: self.velocities + i };
        self.ready = false;
        self.weights.factor().map_err(no_number)
    }

    /// Factors S, unless it is.
    pub fn prepare(&mut self) -> Result<(), Fault> {
        if self.ready { Ok(()) } else { self.factor() }
    }

    /// Finds the rows that depend on others, and the weakest of the rest.
    fn judge(&mut self) -> Result<(), Fault> {
        let judged = self.schur.factor_by_sizes(&self.along, &self.sizes);
        judged.map_err(|row| Fault::Singular { row })?;
        self.weakest = 1.0;
        self.count = 0;
        for (row, dropped) in self.dropped.iter_mut().enumerate() {
            let ratio = self.schur.pivot_ratio(row);
            *dropped = ratio < DEPENDENT;
            match *dropped {
                true => self.count += 1,
                false => self.weakest = self.weakest.min(ratio),
            }
        }
        self.fewest = self.fewest.min(self.count);
        Ok(())
    }

    /// Whether the rows leave nothing of so many velocities free.
    pub fn determines(&self, velocities: usize) -> bool {
        self.dropped.len() - self.count == velocities
    }

    /// Whether a row depends on others that does not elsewhere.
    pub fn has_lost(&self) -> bool {
        self.count > self.fewest
    }

    /// Whether a row has become dependent, or a pivot ratio is below `limit`.
    pub fn is_near(&self, limit: f64) -> bool {
        self.has_lost() || self.weakest < limit
    }

    /// Factors S, without the rows that are left out.
    fn factor(&mut self) -> Result<(), Fault> {
        let factored = self.schur.factor(&self.along, &self.weights, &self.dropped);
        self.ready = factored.is_ok();
        factored.map_err(|row| Fault::Singular { row })
    }

    /// Lets corrections go along the mean of G at the start and at another point of a step. That
    /// keeps a symmetric method symmetric, and so its energy from drifting.
    pub fn average(&mut self, other: &Entries) -> Result<(), Fault> {
        let ends = self.rows.values.iter().zip(&other.values);
        for (along, (a, b)) in self.along.values.iter_mut().zip(ends) {
            *along = 0.5 * (a + b);
        }
        self.factor()
    }

    /// Solves S η = b in place.
    pub fn solve<T: Scalar>(&mut self, b: &mut [T]) {
        debug_assert!(self.ready, "S is not factored");
        self.schur.solve(b, &self.dropped);
    }

    /// out = W⁻¹ Ḡᵀ η.
    pub fn shift<T: Scalar>(&self, eta: &[T], out: &mut [T]) {
        out.fill(T::default());
        if eta.iter().all(|eta| eta.size() == 0.0) {
            return;
        }
        self.along.add_transposed(T::from(1.0), eta, out);
        self.weights.solve(out);
    }
}
