//! Sparse elimination in an order fixed once, for unsymmetric values on a symmetric pattern.
//!
//!   A = L U
//!
//! The symbolic phase finds the fill, so the numeric phase walks flat arrays. Consecutive columns of L with the
//! same rows below them are kept together as a run of full blocks,
//!
//!   | D  U |
//!   | L  … |    D of the columns and rows of the run, U right of it and L below it                (1)
//!
//! and what they take from later entries is summed over the run before it is put in its place. Every entry
//! has its products subtracted in the order of elimination, as if columns were eliminated one by one.
//!
//! Rows are never exchanged: the
//! caller's order must put a row that has a zero diagonal after one that fills it. A pivot that is
//! nothing beside its row is replaced by a small one; the iteration around the solve repairs that. A
//! solve for known values tells how much such pivots spoil: beyond a thousandth the full matrix is
//! factored with row exchange instead, up to 1200 rows.

use std::collections::BTreeSet;

pub use super::late_order::order_with_late_rows;
use super::lu::Lu;
use super::run::{Run, WIDE, runs, subtract};
use super::scalar::Scalar;

/// A pivot below this fraction of its largest entry so far is replaced by it.
const SMALLEST: f64 = 1e-12;
/// Relative error of a solve beyond which rows have to be exchanged.
const SPOILT: f64 = 1e-3;
/// Rows up to which the full matrix may be factored: larger ones would cost minutes and gigabytes.
const FULL: usize = 1200;

/// Pattern and factors.
#[derive(Clone, Debug)]
pub struct SparseLu<T> {
    /// Place of each row in the order of elimination.
    place: Vec<usize>,
    runs: Vec<Run>,
    rows: Vec<usize>,
    targets: Vec<u32>,
    values: Vec<T>,
    pivots: Vec<T>,
    largest: Vec<f64>,
    work: Vec<T>,
    /// Values of the rows below a run.
    part: Vec<T>,
    /// The matrix as it was filled, and its full factors where they are in use.
    filled: Vec<T>,
    full: Option<Box<Lu<T>>>,
    exchanges: bool,
}

impl<T: Scalar> SparseLu<T> {
    /// Symbolic phase. `order` lists the rows as they are eliminated, `pairs` the places of
    /// off-diagonal entries, of which (i, j) implies (j, i).
    pub fn new(order: &[usize], pairs: &[(usize, usize)]) -> Self {
        let size = order.len();
        let mut place = vec![0; size];
        for (k, &row) in order.iter().enumerate() {
            place[row] = k;
        }
        let mut pattern = vec![BTreeSet::new(); size];
        for (i, j) in pairs.iter().map(|&(i, j)| (place[i], place[j])).filter(|(i, j)| i != j) {
            pattern[i.min(j)].insert(i.max(j));
        }
        for k in 0..size {
            let mut below = pattern[k].iter().copied();
            if let Some(parent) = below.next() {
                let rest: Vec<usize> = below.collect();
                pattern[parent].extend(rest);
            }
        }
        let (runs, rows) = runs(&pattern);
        let entries = runs.iter().map(Run::len).sum();
        let most = runs.iter().map(|run| run.below).max().unwrap_or(0);
        let mut lu = Self {
            place,
            runs,
            rows,
            targets: Vec::new(),
            values: vec![T::default(); entries],
            pivots: vec![T::default(); size],
            largest: vec![0.0; size],
            work: vec![T::default(); size],
            part: vec![T::default(); most],
            filled: vec![T::default(); entries],
            full: None,
            exchanges: false,
        };
        lu.list_targets();
        lu
    }

    fn list_targets(&mut self) {
        for number in 0..self.runs.len() {
            let run = self.runs[number];
            self.runs[number].targets = self.targets.len();
            for a in run.rows..run.rows + run.below {
                for b in run.rows..run.rows + run.below {
                    let target = self.inner_slot(self.rows[a], self.rows[b]);
                    self.targets.push(u32::try_from(target).expect("fewer than 2³² entries"));
                }
            }
        }
    }

    /// Slot of the entry in places i, j of the order.
    fn inner_slot(&self, i: usize, j: usize) -> usize {
        let (low, high) = (i.min(j), i.max(j));
        let run = &self.runs[self.runs.partition_point(|run| run.first <= low) - 1];
        if high < run.first + run.width {
            return run.start + (i - run.first) * run.across() + j - run.first;
        }
        let below = &self.rows[run.rows..][..run.below];
        let place = below.binary_search(&high).expect("entry outside the pattern");
        let k = low - run.first;
        match i < j {
            true => run.start + k * run.across() + run.width + place,
            false => run.start + run.width * run.across() + k * run.below + place,
        }
    }

    /// Where entry (i, j) is stored. Panics when it is not part of the pattern.
    pub fn slot(&self, i: usize, j: usize) -> usize {
        self.inner_slot(self.place[i], self.place[j])
    }

    /// Values to be filled before [`factor`](Self::factor), addressed by [`slot`](Self::slot).
    pub fn values_mut(&mut self) -> &mut [T] {
        &mut self.values
    }

    /// Entries of both factors, the diagonal included.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The pivots of the last factors in the order of elimination; of a symmetric matrix as many are
    /// negative as it has negative eigenvalues.
    pub fn pivots(&self) -> &[T] {
        &self.pivots
    }

    /// Factors what was filled. Fails with the place of a row that is empty or not finite.
    pub fn factor(&mut self) -> Result<(), usize> {
        self.filled.copy_from_slice(&self.values);
        self.exchanges = false;
        self.find_largest();
        for number in 0..self.runs.len() {
            self.eliminate(number)?;
        }
        if self.place.len() <= FULL && self.error() > SPOILT {
            self.exchange();
        }
        Ok(())
    }

    /// Calls with the places i, j of the order and the value of every entry that was filled.
    fn each_filled(&self, mut f: impl FnMut(usize, usize, T)) {
        for run in &self.runs {
            let rows = &self.rows[run.rows..][..run.below];
            let (right, below) = run.parts(&self.filled);
            for k in 0..run.width {
                let (row, i) = (&right[k * run.across()..][..run.across()], run.first + k);
                row[..run.width].iter().enumerate().for_each(|(j, x)| f(i, run.first + j, *x));
                row[run.width..].iter().zip(rows).for_each(|(x, &j)| f(i, j, *x));
                below[k * run.below..].iter().zip(rows).for_each(|(x, &j)| f(j, i, *x));
            }
        }
    }

    /// Largest entry of each row and column.
    fn find_largest(&mut self) {
        let mut largest = std::mem::take(&mut self.largest);
        largest.fill(0.0);
        self.each_filled(|i, j, x| {
            let size = x.size();
            largest[i] = largest[i].max(size);
            largest[j] = largest[j].max(size);
        });
        self.largest = largest;
    }

    /// How far a solve is off, for a right-hand side whose solution is 1 everywhere.
    fn error(&mut self) -> f64 {
        let mut work = std::mem::take(&mut self.work);
        work.fill(T::default());
        self.each_filled(|i, _, x| work[i] += x);
        self.work = work;
        self.substitute();
        let off = self.work.iter().map(|x| (*x - T::from(1.0)).size());
        off.fold(0.0, |most, off| if off.is_nan() { f64::INFINITY } else { most.max(off) })
    }

    /// Factors the full matrix, in the same order of rows.
    fn exchange(&mut self) {
        let n = self.place.len();
        let mut full = self.full.take().unwrap_or_else(|| Box::new(Lu::new(n)));
        full.values.fill(T::default());
        self.each_filled(|i, j, x| full.values[i * n + j] = x);
        // A matrix without an inverse keeps the replaced pivots.
        self.exchanges = full.factor().is_ok();
        self.full = Some(full);
    }

    /// The pivot in place k of the order, replaced where it is nothing beside its row.
    fn pivot(&self, k: usize, value: T) -> Result<T, usize> {
        let (largest, size) = (self.largest[k], value.size());
        let least = SMALLEST * largest;
        if !size.is_finite() || least == 0.0 {
            return Err(k);
        }
        Ok(if size <= least { T::from(least.sqrt() * largest.sqrt()) } else { value })
    }

    /// Eliminates the columns of a run, and takes their products from the entries behind it.
    fn eliminate(&mut self, number: usize) -> Result<(), usize> {
        let run = self.runs[number];
        let (w, m, across) = (run.width, run.below, run.across());
        for k in 0..w {
            let diagonal = run.start + k * across + k;
            let pivot = self.pivot(run.first + k, self.values[diagonal])?;
            (self.values[diagonal], self.pivots[run.first + k]) = (pivot, pivot);
            let inverse = T::from(1.0) / pivot;
            let panel = &mut self.values[run.start..][..run.len()];
            let (right, below) = panel.split_at_mut(w * across);
            let (upper, lower) = right.split_at_mut((k + 1) * across);
            let row = &upper[k * across + k + 1..];
            for other in lower.chunks_exact_mut(across) {
                let factor = other[k] * inverse;
                other[k] = factor;
                subtract(&mut other[k + 1..], factor, row);
            }
            let (column, later) = below[k * m..].split_at_mut(m);
            column.iter_mut().for_each(|x| *x = *x * inverse);
            for (other, x) in later.chunks_exact_mut(m.max(1)).zip(row) {
                subtract(other, *x, column);
            }
        }
        let targets = &self.targets[run.targets..][..m * m];
        run.update(targets, &mut self.values, &mut self.part[..m]);
        Ok(())
    }

    /// Solves A x = b in place with the last factors.
    pub fn solve(&mut self, b: &mut [T]) {
        for (i, &k) in self.place.iter().enumerate() {
            self.work[k] = b[i];
        }
        match &self.full {
            Some(full) if self.exchanges => full.solve(&mut self.work),
            _ => self.substitute(),
        }
        for (i, &k) in self.place.iter().enumerate() {
            b[i] = self.work[k];
        }
    }

    /// Solves in the order of elimination.
    fn substitute(&mut self) {
        let (work, part) = (&mut self.work[..], &mut self.part[..]);
        for run in &self.runs {
            let (rows, (right, below)) =
                (&self.rows[run.rows..][..run.below], run.parts(&self.values));
            if run.width < WIDE {
                run.forward(rows, right, below, work);
            } else {
                run.forward_wide(rows, right, below, work, &mut part[..run.below]);
            }
        }
        for run in self.runs.iter().rev() {
            let (rows, (right, _)) = (&self.rows[run.rows..][..run.below], run.parts(&self.values));
            if run.width < WIDE {
                run.backward(rows, right, work);
            } else {
                run.backward_wide(rows, right, work, &mut part[..run.below]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_chain_has_little_fill() {
        // Two unknowns per link, tied to those of the neighbours, and one row per link.
        let count = |links: usize| {
            let v = 2 * links;
            let mut pairs = Vec::new();
            for i in 0..links {
                for k in 0..2 {
                    pairs.push((v + i, 2 * i + k));
                    if i > 0 {
                        pairs.extend([(v + i, 2 * i - 2 + k), (2 * i + k, 2 * i - 2 + k)]);
                    }
                }
            }
            let holds: Vec<_> = pairs.iter().copied().filter(|(i, _)| *i >= v).collect();
            let order = order_with_late_rows(v + links, &pairs, &holds);
            SparseLu::<f64>::new(&order, &pairs).len() as f64 / links as f64
        };
        let (short, long) = (count(20), count(200));
        assert!(long < 1.2 * short && long < 40.0, "{short} and {long} entries per link");
    }

    #[test]
    fn solves_a_chain_with_zero_diagonals() {
        // Masses 0 … 4 and rows 5 … 8 that tie neighbours, with unsymmetric values.
        let n = 9;
        let mut a = vec![vec![0.0; n]; n];
        for i in 0..5 {
            a[i][i] = 2.0 + i as f64;
        }
        a[0][1] = 0.3;
        for r in 0..4 {
            for (j, value) in [(r, 1.0), (r + 1, -0.8)] {
                a[5 + r][j] = value;
                a[j][5 + r] = 1.1 * value;
            }
        }
        let pairs: Vec<_> = (0..n)
            .flat_map(|i| (0..n).map(move |j| (i, j)))
            .filter(|&(i, j)| a[i][j] != 0.0)
            .collect();
        let holds: Vec<_> = pairs.iter().copied().filter(|(i, _)| *i >= 5).collect();
        let order = order_with_late_rows(n, &pairs, &holds);
        let mut lu = SparseLu::new(&order, &pairs);
        for &(i, j) in &pairs {
            let slot = lu.slot(i, j);
            lu.values_mut()[slot] = a[i][j];
        }
        lu.factor().unwrap();
        let mut b: Vec<f64> =
            a.iter().map(|row| row.iter().enumerate().map(|(j, x)| x * j as f64).sum()).collect();
        lu.solve(&mut b);
        for (j, x) in b.iter().enumerate() {
            assert!((x - j as f64).abs() < 1e-12, "{b:?}");
        }
    }

    #[test]
    fn rows_are_exchanged_where_a_pivot_vanishes() {
        // The first pivot in the order is lost in rounding beside what it divides.
        let mut lu = SparseLu::new(&[0, 1, 2], &[(0, 1), (1, 0), (1, 2), (2, 1)]);
        let entries = [
            (0, 0, 1e-18),
            (0, 1, 1.0),
            (1, 0, 2.0),
            (1, 1, 3e4),
            (1, 2, 1.0),
            (2, 1, 1.0),
            (2, 2, 4.0),
        ];
        for (i, j, value) in entries {
            let slot = lu.slot(i, j);
            lu.values_mut()[slot] = value;
        }
        lu.factor().unwrap();
        let mut b = [0.0; 3];
        for (i, j, value) in entries {
            b[i] += value * [5.0, 7.0, -2.0][j];
        }
        lu.solve(&mut b);
        for (found, wanted) in b.iter().zip([5.0, 7.0, -2.0]) {
            assert!((found - wanted).abs() < 1e-9, "{found} is not {wanted}");
        }
    }
}
