//! The matrix of Newton's iteration, for real and complex coefficients.
//!
//! A method ties increments together by δv̇ = a δv, δq = b δv, δz˙ = c δz. The equations of motion,
//! the rates and the constraints then read, scaled so that no entry grows as the step shrinks,
//!
//!   | M + D/a + (b/a) K     (b/a) F_z      R   | | δq       |
//!   | −(H_q + H_v/b)/c      1 − H_z/c      0   | | δz       |                               (1)
//!   | G                     0              0   | | (b/a) δλ |
//!
//! with F_z = −∂f/∂z and the directions of the reactions R = Gᵀ − ∂f/∂λ, without the rows of G that
//! depend on others and their reactions. Up to [`DENSE`] unknowns the matrix is factored
//! as a full one, above in a fixed sparse order in which rows of G follow the velocities they hold.

use super::equations::{Tangents, Terms};
use crate::linear::sparse_lu::order_with_late_rows;
use crate::linear::{Entries, Lu, Scalar, SparseLu};
use crate::problem::Dims;

/// Largest number of unknowns for which the full matrix is faster.
const DENSE: usize = 40;

#[derive(Debug)]
enum Factors<T> {
    Dense(Lu<T>),
    Sparse(SparseLu<T>),
}

/// Places of the blocks and the factors of (1).
#[derive(Debug)]
pub(super) struct Saddle<T> {
    dims: Dims,
    factors: Factors<T>,
    mass: Vec<usize>,
    stiffness: Vec<usize>,
    damping: Vec<usize>,
    coupling: Vec<usize>,
    reactions: Vec<usize>,
    rates_q: Vec<usize>,
    rates_v: Vec<usize>,
    rates_z: Vec<usize>,
    rows: Vec<usize>,
    transposed: Vec<usize>,
    /// Diagonal of z and of the rows.
    diagonal: Vec<usize>,
}

impl<T: Scalar> Saddle<T> {
    pub fn new(dims: Dims, terms: &Terms, tangents: &Tangents) -> Self {
        let (v, z) = (dims.v, dims.z);
        let size = v + z + dims.rows;
        let blocks = [
            (&terms.mass, 0, 0),
            (&tangents.stiffness, 0, 0),
            (&tangents.damping, 0, 0),
            (&tangents.coupling, 0, v),
            (&tangents.reactions, 0, v + z),
            (&tangents.rates_q, v, 0),
            (&tangents.rates_v, v, 0),
            (&tangents.rates_z, v, v),
            (&terms.rows, v + z, 0),
        ];
        let factors = if size <= DENSE {
            Factors::Dense(Lu::new(size))
        } else {
            let mut pairs = Vec::new();
            for (block, i, j) in blocks {
                pairs.extend(block.iter().map(|(row, column, _)| (row + i, column + j)));
            }
            let holds: Vec<_> = terms.rows.iter().map(|(i, j, _)| (v + z + i, j)).collect();
            let order = order_with_late_rows(size, &pairs, &holds);
            Factors::Sparse(SparseLu::new(&order, &pairs))
        };
        let slot = |i: usize, j: usize| match &factors {
            Factors::Dense(_) => i * size + j,
            Factors::Sparse(lu) => lu.slot(i, j),
        };
        let slots = |(block, i, j): (&Entries, usize, usize)| -> Vec<usize> {
            block.iter().map(|(row, column, _)| slot(row + i, column + j)).collect()
        };
        let [mass, stiffness, damping, coupling, reactions, rates_q, rates_v, rates_z, rows] =
            blocks.map(slots);
        let transposed = terms.rows.iter().map(|(i, j, _)| slot(j, v + z + i)).collect();
        let diagonal = (v..size).map(|i| slot(i, i)).collect();
        Self {
            dims,
            mass,
            stiffness,
            damping,
            coupling,
            reactions,
            rates_q,
            rates_v,
            rates_z,
            rows,
            transposed,
            diagonal,
            factors,
        }
    }

    /// Whether it is too large for the full matrix.
    pub fn is_sparse(&self) -> bool {
        matches!(self.factors, Factors::Sparse(_))
    }

    pub fn size(&self) -> usize {
        self.dims.v + self.dims.z + self.dims.rows
    }

    /// Fills (1) for the coefficients a, b, c and factors it, without the rows in `dropped`.
    pub fn factor(
        &mut self,
        terms: &Terms,
        tangents: &Tangents,
        dropped: &[bool],
        [a, b, c]: [T; 3],
    ) -> Result<(), usize> {
        let one = T::from(1.0);
        let values = match &mut self.factors {
            Factors::Dense(lu) => &mut lu.values[..],
            Factors::Sparse(lu) => lu.values_mut(),
        };
        values.fill(T::default());
        let mut add = |slots: &[usize], entries: &Entries, factor: T| {
            for (&slot, &value) in slots.iter().zip(&entries.values) {
                values[slot] += factor * T::from(value);
            }
        };
        add(&self.mass, &terms.mass, one);
        add(&self.damping, &tangents.damping, one / a);
        add(&self.stiffness, &tangents.stiffness, b / a);
        add(&self.coupling, &tangents.coupling, b / a);
        add(&self.rates_q, &tangents.rates_q, -one / c);
        add(&self.rates_v, &tangents.rates_v, -one / (b * c));
        add(&self.rates_z, &tangents.rates_z, -one / c);
        let (z, rows) = self.diagonal.split_at(self.dims.z);
        z.iter().for_each(|&slot| values[slot] += one);
        for (&slot, _) in rows.iter().zip(dropped).filter(|(_, dropped)| **dropped) {
            values[slot] += one;
        }
        let g = &terms.rows;
        for (i, value) in g.values.iter().enumerate().filter(|(i, _)| !dropped[g.row_of(*i)]) {
            values[self.rows[i]] += T::from(*value);
            values[self.transposed[i]] += T::from(*value);
        }
        for j in (0..self.dims.rows).filter(|&j| !dropped[j]) {
            for i in tangents.reactions.column(j) {
                values[self.reactions[i]] += T::from(tangents.reactions.values[i]);
            }
        }
        match &mut self.factors {
            Factors::Dense(lu) => lu.factor(),
            Factors::Sparse(lu) => lu.factor(),
        }
    }

    /// Solves (1) in place; the right-hand side is scaled like its rows.
    pub fn solve(&mut self, b: &mut [T]) {
        match &mut self.factors {
            Factors::Dense(lu) => lu.solve(b),
            Factors::Sparse(lu) => lu.solve(b),
        }
    }
}
