//! Factors of (2) of the pencil, for real and complex shifts.

use std::collections::BTreeSet;

use gudgeon_dae::linear::sparse_lu::order_with_late_rows;
use gudgeon_dae::linear::{Entries, Lu, Scalar, SparseLu};

use super::Pencil;

/// Largest number of unknowns for which the full matrix is factored, with exchange of rows.
const DENSE: usize = 60;
/// Refinements of a solution, and the part of the right-hand side that ends them.
const REFINEMENTS: usize = 8;
const SOFTENED: usize = 4;
const REFINED: f64 = 1e-15;

/// α over the largest entry: so strong that directions in which reactions push outwards are held by the rows alone.
const STRONG: f64 = 1e3;

/// Softness of the rows in the factors, which refinements take away: with it no order of elimination meets a zero.
const SOFT: f64 = 1e-5;

#[derive(Debug)]
enum Lower<T> {
    Dense(Lu<T>),
    Sparse(SparseLu<T>),
}

/// Places and factors of (2); the same for all shifts of pencils with the same places.
#[derive(Debug)]
pub(crate) struct Factors<T> {
    lower: Lower<T>,
    square: [Vec<usize>; 3],
    rows: Vec<usize>,
    transposed: Vec<usize>,
    /// Pairs of entries of one row of G with the place of their product.
    products: Vec<(usize, usize, usize)>,
    diagonal: Vec<usize>,
    /// Factors of M and D in the sum.
    sum: [T; 2],
    alpha: f64,
    right: Vec<T>,
    left: Vec<T>,
}

impl<T: Scalar> Factors<T> {
    pub fn new(pencil: &Pencil) -> Self {
        let (n, rows) = (pencil.size(), pencil.rows.rows());
        let size = n + rows;
        let g = &pencil.rows;
        let mut by_row: Vec<Vec<(usize, usize)>> = vec![Vec::new(); rows];
        for j in 0..n {
            for slot in g.column(j) {
                by_row[g.row_of(slot)].push((j, slot));
            }
        }
        let squares = [&pencil.mass, &pencil.damping, &pencil.stiffness];
        let lower = if size <= DENSE {
            Lower::Dense(Lu::new(size))
        } else {
            let mut pairs = BTreeSet::new();
            for block in squares {
                pairs.extend(block.iter().map(|(i, j, _)| (i, j)));
            }
            for row in &by_row {
                pairs.extend(row.iter().flat_map(|a| row.iter().map(move |b| (a.0, b.0))));
            }
            let holds: Vec<_> = g.iter().map(|(i, j, _)| (n + i, j)).collect();
            pairs.extend(holds.iter().copied());
            let pairs: Vec<_> = pairs.into_iter().collect();
            let order = order_with_late_rows(size, &pairs, &holds);
            Lower::Sparse(SparseLu::new(&order, &pairs))
        };
        let slot = |i: usize, j: usize| match &lower {
            Lower::Dense(_) => i * size + j,
            Lower::Sparse(lu) => lu.slot(i, j),
        };
        let slots = |block: &Entries| block.iter().map(|(i, j, _)| slot(i, j)).collect();
        let mut products = Vec::new();
        for row in &by_row {
            for &(i, a) in row {
                products.extend(row.iter().map(|&(j, b)| (a, b, slot(i, j))));
            }
        }
        Self {
            square: squares.map(slots),
            rows: g.iter().map(|(i, j, _)| slot(n + i, j)).collect(),
            transposed: g.iter().map(|(i, j, _)| slot(j, n + i)).collect(),
            products,
            diagonal: (n..size).map(|i| slot(i, i)).collect(),
            sum: [T::default(); 2],
            alpha: 1.0,
            right: vec![T::default(); size],
            left: vec![T::default(); size],
            lower,
        }
    }

    /// Factors (2) for a shift. Fails where a pivot is no number.
    pub fn factor(&mut self, pencil: &Pencil, s: T) -> Result<(), usize> {
        self.factor_sum(pencil, [s * s, s])
    }

    /// Factors (2) with m M + d D + K in the place of s² M + s D + K.
    pub fn factor_sum(&mut self, pencil: &Pencil, [m, d]: [T; 2]) -> Result<(), usize> {
        let one = T::from(1.0);
        let values = match &mut self.lower {
            Lower::Dense(lu) => &mut lu.values[..],
            Lower::Sparse(lu) => lu.values_mut(),
        };
        values.fill(T::default());
        let squares = [(&pencil.mass, m), (&pencil.damping, d), (&pencil.stiffness, one)];
        let mut alpha = 0.0f64;
        for (slots, (block, factor)) in self.square.iter().zip(squares) {
            for (&slot, &value) in slots.iter().zip(&block.values) {
                let part = factor * T::from(value);
                alpha = alpha.max(part.size());
                values[slot] += part;
            }
        }
        let alpha = if alpha > 0.0 { STRONG * alpha } else { 1.0 };
        let g = &pencil.rows;
        for &(a, b, slot) in self.products.iter().filter(|p| !pencil.dropped[g.row_of(p.0)]) {
            values[slot] += T::from(alpha * g.values[a] * g.values[b]);
        }
        for (i, value) in g.values.iter().enumerate().filter(|(i, _)| !pencil.dropped[g.row_of(*i)])
        {
            values[self.rows[i]] += T::from(alpha * value);
            values[self.transposed[i]] += T::from(alpha * value);
        }
        for (&slot, dropped) in self.diagonal.iter().zip(&pencil.dropped) {
            values[slot] += T::from(if *dropped { alpha } else { -SOFT * alpha });
        }
        (self.sum, self.alpha) = ([m, d], alpha);
        match &mut self.lower {
            Lower::Dense(lu) => lu.factor(),
            Lower::Sparse(lu) => lu.factor(),
        }
    }

    /// u and μ of (s² M + s D + K) u + Gᵀ μ = f, G u = g; what is left of them over the largest entry
    /// of the terms that cancel.
    pub fn solve(&mut self, pencil: &Pencil, f: &[T], g: &[T], u: &mut [T], mu: &mut [T]) -> f64 {
        let n = u.len();
        u.fill(T::default());
        mu.fill(T::default());
        let mut least = f64::INFINITY;
        for round in 0..=REFINEMENTS {
            let error = self.remainder(pencil, f, g, u, mu);
            // The first rounds take the softness of the rows away, which is large beside small displacements.
            let helps = round < SOFTENED || error < 0.5 * least;
            if !helps || error <= REFINED {
                return error;
            }
            least = error;
            self.left.copy_from_slice(&self.right);
            let (alpha, gaps) = (T::from(self.alpha), &self.right[n..]);
            // The second line of (2) is α G u = α g, and α GᵀG u = α Gᵀ g goes with it.
            pencil.add_reactions(alpha, gaps, &mut self.left[..n]);
            self.left[n..].iter_mut().zip(gaps).for_each(|(x, gap)| *x = alpha * *gap);
            match &mut self.lower {
                Lower::Dense(lu) => lu.solve(&mut self.left),
                Lower::Sparse(lu) => lu.solve(&mut self.left),
            }
            u.iter_mut().zip(&self.left[..n]).for_each(|(u, x)| *u += *x);
            mu.iter_mut().zip(&self.left[n..]).for_each(|(mu, x)| *mu += alpha * *x);
        }
        self.remainder(pencil, f, g, u, mu)
    }

    /// What u and μ leave of the equations, into `right`, and its share.
    fn remainder(&mut self, pencil: &Pencil, f: &[T], g: &[T], u: &[T], mu: &[T]) -> f64 {
        let n = u.len();
        let (motion, gaps) = self.right.split_at_mut(n);
        motion.copy_from_slice(f);
        let mut terms = vec![T::default(); n];
        pencil.add_sum(self.sum, u, &mut terms);
        pencil.add_reactions(T::from(1.0), mu, &mut terms);
        let size = |x: &[T]| x.iter().fold(0.0f64, |m, x| m.max(x.size()));
        motion.iter_mut().zip(&terms).for_each(|(out, term)| *out -= *term);
        let values = pencil.row_values(u);
        for (i, out) in gaps.iter_mut().enumerate() {
            *out = if pencil.dropped[i] { T::default() } else { g[i] - values[i] };
        }
        let (whole, length) = (size(f).max(self.alpha * size(g)), size(u).max(size(g)));
        let most = whole.max(self.alpha * f64::EPSILON * length).max(f64::MIN_POSITIVE);
        (size(motion) / most).max(size(gaps) / length.max(f64::MIN_POSITIVE))
    }

    /// Directions in which s² M + K is negative and the rows leave free, of a symmetric pencil that is large
    /// enough to be factored without exchange of rows.
    pub fn negative(&self, pencil: &Pencil) -> Option<usize> {
        let Lower::Sparse(lu) = &self.lower else { return None };
        let kept = pencil.dropped.iter().filter(|dropped| !**dropped).count();
        let pivots = lu.pivots();
        Some(pivots.iter().filter(|pivot| pivot.part(0) < 0.0).count().saturating_sub(kept))
    }
}
