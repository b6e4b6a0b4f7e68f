//! Sparse elimination in an order fixed once, for real or complex numbers.
//!
//! The pattern is symmetric, the values are not. As in [`ldl`](super::ldl) the symbolic phase lists
//! where every product goes, so the numeric phase walks flat arrays. Rows are never exchanged: the
//! caller's order must put a row that has a zero diagonal after one that fills it. A pivot that is
//! nothing beside its row is replaced by a small one; the iteration around the solve repairs that. A
//! solve for known values tells how much such pivots spoil: beyond a thousandth the full matrix is
//! factored with row exchange instead, up to 1200 rows.

use std::collections::{BTreeMap, BTreeSet};

use super::lu::Lu;
use super::scalar::Scalar;

/// A pivot below this fraction of its largest entry so far is replaced by it.
const SMALLEST: f64 = 1e-12;
/// Relative error of a solve beyond which rows have to be exchanged.
const SPOILT: f64 = 1e-3;
/// Rows up to which the full matrix may be factored: larger ones would cost minutes and gigabytes.
const FULL: usize = 1200;

/// Pattern and factors; L by columns below the diagonal, U by rows right of it, at the same slots.
#[derive(Clone, Debug)]
pub struct SparseLu<T> {
    /// Place of each row in the order of elimination.
    place: Vec<usize>,
    starts: Vec<usize>,
    row: Vec<usize>,
    /// For every pair of entries of a column: where their product goes.
    targets: Vec<usize>,
    values: Vec<T>,
    largest: Vec<f64>,
    work: Vec<T>,
    /// The matrix as it was filled, and its full factors where they are in use.
    filled: Vec<T>,
    full: Option<Lu<T>>,
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
        let mut starts = vec![0];
        let mut row = Vec::new();
        for column in &pattern {
            row.extend(column.iter().copied());
            starts.push(row.len());
        }
        let entries = row.len();
        let mut lu = Self {
            place,
            starts,
            row,
            targets: Vec::new(),
            values: vec![T::default(); size + 2 * entries],
            largest: vec![0.0; size],
            work: vec![T::default(); size],
            filled: vec![T::default(); size + 2 * entries],
            full: None,
            exchanges: false,
        };
        for k in 0..size {
            for p in lu.starts[k]..lu.starts[k + 1] {
                for q in lu.starts[k]..lu.starts[k + 1] {
                    let target = lu.inner_slot(lu.row[p], lu.row[q]);
                    lu.targets.push(target);
                }
            }
        }
        lu
    }

    /// Slot of the entry in places i, j of the order: diagonal, then L, then U.
    fn inner_slot(&self, i: usize, j: usize) -> usize {
        if i == j {
            return i;
        }
        let (low, high) = (i.min(j), i.max(j));
        let span = self.starts[low]..self.starts[low + 1];
        let place = self.row[span.clone()].binary_search(&high).expect("entry outside the pattern");
        let shift = if i > j { 0 } else { self.row.len() };
        self.place.len() + shift + span.start + place
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
        &self.values[..self.place.len()]
    }

    /// Factors what was filled. Fails with the place of a row that is empty or not finite.
    pub fn factor(&mut self) -> Result<(), usize> {
        self.filled.copy_from_slice(&self.values);
        self.exchanges = false;
        self.eliminate()?;
        if self.place.len() <= FULL && self.error() > SPOILT {
            self.exchange();
        }
        Ok(())
    }

    /// How far a solve is off, for a right-hand side whose solution is 1 everywhere.
    fn error(&mut self) -> f64 {
        let (n, shift) = (self.place.len(), self.row.len());
        self.work.copy_from_slice(&self.filled[..n]);
        for k in 0..n {
            for p in self.starts[k]..self.starts[k + 1] {
                self.work[self.row[p]] += self.filled[n + p];
                self.work[k] += self.filled[n + shift + p];
            }
        }
        self.substitute();
        let off = self.work.iter().map(|x| (*x - T::from(1.0)).size());
        off.fold(0.0, |most, off| if off.is_nan() { f64::INFINITY } else { most.max(off) })
    }

    /// Factors the full matrix, in the same order of rows.
    fn exchange(&mut self) {
        let (n, shift) = (self.place.len(), self.row.len());
        let full = self.full.get_or_insert_with(|| Lu::new(n));
        full.values.fill(T::default());
        for k in 0..n {
            full.values[k * n + k] = self.filled[k];
            for p in self.starts[k]..self.starts[k + 1] {
                full.values[self.row[p] * n + k] = self.filled[n + p];
                full.values[k * n + self.row[p]] = self.filled[n + shift + p];
            }
        }
        // A matrix without an inverse keeps the replaced pivots.
        self.exchanges = full.factor().is_ok();
    }

    fn eliminate(&mut self) -> Result<(), usize> {
        let (n, shift) = (self.place.len(), self.row.len());
        for k in 0..n {
            self.largest[k] = self.values[k].size();
        }
        for k in 0..n {
            for p in self.starts[k]..self.starts[k + 1] {
                let size = self.values[n + p].size().max(self.values[n + shift + p].size());
                self.largest[k] = self.largest[k].max(size);
                let row = self.row[p];
                self.largest[row] = self.largest[row].max(size);
            }
        }
        let mut next = 0;
        for k in 0..n {
            let least = SMALLEST * self.largest[k];
            let size = self.values[k].size();
            if !size.is_finite() || least == 0.0 {
                return Err(k);
            }
            if size <= least {
                self.values[k] = T::from(least.sqrt() * self.largest[k].sqrt());
            }
            let inverse = T::from(1.0) / self.values[k];
            let (from, to) = (self.starts[k], self.starts[k + 1]);
            for p in from..to {
                let factor = self.values[n + p] * inverse;
                self.values[n + p] = factor;
                for q in from..to {
                    let product = factor * self.values[n + shift + q];
                    self.values[self.targets[next]] -= product;
                    next += 1;
                }
            }
        }
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
        let (n, shift) = (self.place.len(), self.row.len());
        for k in 0..n {
            let x = self.work[k];
            for p in self.starts[k]..self.starts[k + 1] {
                self.work[self.row[p]] -= self.values[n + p] * x;
            }
        }
        for k in (0..n).rev() {
            let mut x = self.work[k];
            for p in self.starts[k]..self.starts[k + 1] {
                x -= self.values[n + shift + p] * self.work[self.row[p]];
            }
            self.work[k] = x / self.values[k];
        }
    }
}

/// Elimination order by smallest degree, in which a late row waits until a whole group of the unknowns
/// that it holds is gone. Ties go to the lower index.
///
/// Late rows are those of constraints, the first ones in `holds`: (row, unknown that it holds). Their diagonal
/// is zero until such unknowns have been eliminated. One is not enough, because its coefficient may vanish
/// somewhere; all that share their constraints, those of one body, are.
pub fn order_with_late_rows(
    n: usize,
    pairs: &[(usize, usize)],
    holds: &[(usize, usize)],
) -> Vec<usize> {
    let mut neighbours = vec![BTreeSet::new(); n];
    for &(i, j) in pairs.iter().filter(|(i, j)| i != j) {
        neighbours[i].insert(j);
        neighbours[j].insert(i);
    }
    let mut waiting = Waiting::new(n, holds);
    let key = |neighbours: &[BTreeSet<usize>], waiting: &Waiting, i: usize| {
        (waiting.waits(i), neighbours[i].len(), i)
    };
    let mut queue: BTreeSet<_> = (0..n).map(|i| key(&neighbours, &waiting, i)).collect();
    let mut order = Vec::with_capacity(n);
    while let Some((_, _, row)) = queue.pop_first() {
        order.push(row);
        let around = std::mem::take(&mut neighbours[row]);
        for &i in &around {
            neighbours[i].insert(row);
            queue.remove(&key(&neighbours, &waiting, i));
            neighbours[i].remove(&row);
        }
        waiting.eliminate(row, &around);
        for &i in &around {
            neighbours[i].extend(around.iter().filter(|&&j| j != i));
            queue.insert(key(&neighbours, &waiting, i));
        }
    }
    order
}

/// Which late rows still wait.
struct Waiting {
    group: Vec<usize>,
    /// For every late row, how many of the unknowns it holds are left in each of their groups.
    left: Vec<BTreeMap<usize, usize>>,
    free: Vec<bool>,
}

impl Waiting {
    fn new(n: usize, holds: &[(usize, usize)]) -> Self {
        let mut held_by = vec![BTreeSet::new(); n];
        for &(row, unknown) in holds {
            held_by[unknown].insert(row);
        }
        let mut names = BTreeMap::new();
        let mut group = vec![usize::MAX; n];
        let mut left = vec![BTreeMap::new(); n];
        for (i, rows) in held_by.iter().enumerate().filter(|(_, rows)| !rows.is_empty()) {
            let next = names.len();
            group[i] = *names.entry(rows).or_insert(next);
            for &row in rows {
                *left[row].entry(group[i]).or_insert(0) += 1;
            }
        }
        let free = left.iter().map(BTreeMap::is_empty).collect();
        Self { group, left, free }
    }

    fn waits(&self, i: usize) -> bool {
        !self.free[i]
    }

    fn eliminate(&mut self, row: usize, around: &BTreeSet<usize>) {
        let group = self.group[row];
        for &i in around {
            if let Some(count) = self.left[i].get_mut(&group) {
                *count = count.saturating_sub(1);
                self.free[i] |= *count == 0;
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
