//! Sparse L D Lᵀ factorisation of a symmetric positive matrix with a pattern fixed once.
//!
//! The matrix is S = G M⁻¹ Gᵀ of a mechanism: its pattern follows from which rows share a body and
//! never changes during a run. The symbolic phase lists, for every product l_ik l_jk, the entry it
//! is subtracted from, so the numeric phase is a walk through flat arrays without a search or a
//! branch. At seven rows this costs tens of nanoseconds; a chain of bodies has no fill, so the cost
//! stays linear in its length.
//!
//! Small groups of rows that share nothing with the rest, the usual case in a mechanism with play,
//! are kept as full triangles and factored by code unrolled for their size, which is twice as fast
//! as the walk.
//!
//! A row that depends on earlier ones shows as a vanishing pivot. It is left out (its multiplier is
//! zero), which solves a consistent redundant system; the caller sees how many were left out.

use std::collections::BTreeSet;

/// A pivot below this fraction of its diagonal entry marks a dependent row.
const DEPENDENT: f64 = 1e-13;

/// Elimination order of rows by smallest degree; ties go to the lower index, so it is repeatable.
/// Rows that are connected by no pair stay apart: each group is in one piece.
pub fn minimum_degree(n: usize, pairs: &[(usize, usize)]) -> Vec<usize> {
    let mut neighbours = vec![BTreeSet::new(); n];
    for &(i, j) in pairs.iter().filter(|(i, j)| i != j) {
        neighbours[i].insert(j);
        neighbours[j].insert(i);
    }
    let groups = groups(&neighbours);
    let mut queue: BTreeSet<(usize, usize)> = (0..n).map(|i| (neighbours[i].len(), i)).collect();
    let mut order = Vec::with_capacity(n);
    while let Some((_, row)) = queue.pop_first() {
        order.push(row);
        let around = std::mem::take(&mut neighbours[row]);
        for &i in &around {
            queue.remove(&(neighbours[i].len(), i));
            neighbours[i].remove(&row);
            neighbours[i].extend(around.iter().filter(|&&j| j != i));
            queue.insert((neighbours[i].len(), i));
        }
    }
    order.sort_by_key(|&row| groups[row]);
    order
}

/// Number of the group of connected rows each row belongs to.
fn groups(neighbours: &[BTreeSet<usize>]) -> Vec<usize> {
    let mut group = vec![usize::MAX; neighbours.len()];
    let mut count = 0;
    for first in 0..neighbours.len() {
        if group[first] != usize::MAX {
            continue;
        }
        let mut queue = vec![first];
        group[first] = count;
        while let Some(row) = queue.pop() {
            for &next in &neighbours[row] {
                if group[next] == usize::MAX {
                    group[next] = count;
                    queue.push(next);
                }
            }
        }
        count += 1;
    }
    group
}

/// Pattern, values and factors of one matrix, rows in elimination order.
#[derive(Clone, Debug)]
pub struct Ldl {
    size: usize,
    /// Start of each column in `rows` and, shifted by `size`, in `values`.
    columns: Vec<usize>,
    rows: Vec<usize>,
    /// For every pair of entries of a column, in order: where their product goes.
    targets: Vec<usize>,
    /// Diagonal first, then the strictly lower entries by column; overwritten by D and L.
    values: Vec<f64>,
    diagonal: Vec<f64>,
    /// Inverse pivots; 0 for rows left out.
    pivots: Vec<f64>,
    dependent: usize,
    /// Largest diagonal entry over its pivot.
    weakest: f64,
    parts: Vec<Part>,
}

/// Consecutive rows that are factored together.
#[derive(Clone, Copy, Debug)]
struct Part {
    first: usize,
    size: usize,
    /// A full triangle, factored by unrolled code.
    full: bool,
    /// Where the products of a part that is not full start.
    targets: usize,
}

impl Ldl {
    /// Symbolic factorisation; `pairs` lists the non-zero off-diagonal entries in any order.
    pub fn new(size: usize, pairs: &[(usize, usize)]) -> Self {
        let mut pattern = vec![BTreeSet::new(); size];
        let mut neighbours = vec![BTreeSet::new(); size];
        for &(i, j) in pairs.iter().filter(|(i, j)| i != j) {
            pattern[i.min(j)].insert(i.max(j));
            neighbours[i].insert(j);
            neighbours[j].insert(i);
        }
        let mut parts = parts(&groups(&neighbours));
        for part in parts.iter().filter(|part| part.full) {
            let end = part.first + part.size;
            for row in part.first..end {
                pattern[row].extend(row + 1..end);
            }
        }
        for k in 0..size {
            let mut below = pattern[k].iter().copied();
            if let Some(parent) = below.next() {
                let rest: Vec<usize> = below.collect();
                pattern[parent].extend(rest);
            }
        }
        let mut columns = vec![0];
        let mut rows = Vec::new();
        for column in &pattern {
            rows.extend(column.iter().copied());
            columns.push(rows.len());
        }
        let entries = rows.len();
        let mut ldl = Self {
            size,
            columns,
            rows,
            targets: Vec::new(),
            values: vec![0.0; size + entries],
            diagonal: vec![0.0; size],
            pivots: vec![0.0; size],
            dependent: 0,
            weakest: 1.0,
            parts: Vec::new(),
        };
        for part in parts.iter_mut().filter(|part| !part.full) {
            part.targets = ldl.targets.len();
            ldl.list_targets(*part);
        }
        ldl.parts = parts;
        ldl
    }

    fn list_targets(&mut self, part: Part) {
        for k in part.first..part.first + part.size {
            for p in self.columns[k]..self.columns[k + 1] {
                for q in p..self.columns[k + 1] {
                    let target = self.slot(self.rows[p], self.rows[q]);
                    self.targets.push(target);
                }
            }
        }
    }

    /// Where entry (i, j) is stored. Panics when the entry is not part of the pattern.
    pub fn slot(&self, i: usize, j: usize) -> usize {
        if i == j {
            return i;
        }
        let (row, column) = (i.max(j), i.min(j));
        let span = self.columns[column]..self.columns[column + 1];
        let place = self.rows[span.clone()].binary_search(&row).expect("entry outside the pattern");
        self.size + span.start + place
    }

    /// Values to be filled before [`factor`](Self::factor), addressed by [`slot`](Self::slot).
    pub fn entries_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    /// Products of one factorisation: its cost.
    pub fn products(&self) -> usize {
        self.columns.windows(2).map(|span| (span[1] - span[0]) * (span[1] - span[0] + 1) / 2).sum()
    }

    /// Number of rows left out by the last factorisation.
    pub fn dependent_rows(&self) -> usize {
        self.dependent
    }

    /// Whether the last factorisation left out this row.
    pub fn is_dependent(&self, row: usize) -> bool {
        self.pivots[row] == 0.0
    }

    /// Pivot of a row over its diagonal entry at the last factorisation: 1 for a row that shares
    /// nothing with earlier ones, 0 for one that depends on them.
    pub fn pivot_ratio(&self, row: usize) -> f64 {
        if self.pivots[row] == 0.0 { 0.0 } else { 1.0 / (self.pivots[row] * self.diagonal[row]) }
    }

    /// Factors in place. Fails with the row whose pivot is not a number.
    pub fn factor(&mut self) -> Result<(), usize> {
        self.diagonal.copy_from_slice(&self.values[..self.size]);
        for i in 0..self.parts.len() {
            let part = self.parts[i];
            if part.full {
                self.factor_triangle(part);
            } else {
                self.factor_walk(part);
            }
        }
        self.dependent = 0;
        self.weakest = 1.0;
        for (row, (pivot, diagonal)) in self.pivots.iter().zip(&self.diagonal).enumerate() {
            if pivot.is_nan() {
                return Err(row);
            }
            self.dependent += usize::from(*pivot == 0.0);
            // The inverse of the ratio, so that nothing is divided in the loop.
            self.weakest = f64::max(self.weakest, pivot * diagonal);
        }
        Ok(())
    }

    /// Smallest ratio of pivot to diagonal entry of all rows, 0 where one depends on the others.
    pub fn weakest_ratio(&self) -> f64 {
        if self.dependent > 0 { 0.0 } else { 1.0 / self.weakest }
    }

    fn factor_walk(&mut self, part: Part) {
        let n = self.size;
        let mut next = part.targets;
        for k in part.first..part.first + part.size {
            let inverse = inverse_pivot(self.values[k], self.diagonal[k]);
            self.pivots[k] = inverse;
            let (from, to) = (n + self.columns[k], n + self.columns[k + 1]);
            for p in from..to {
                let factor = self.values[p] * inverse;
                for q in p..to {
                    let product = factor * self.values[q];
                    self.values[self.targets[next]] -= product;
                    next += 1;
                }
                self.values[p] = factor;
            }
        }
    }

    fn factor_triangle(&mut self, part: Part) {
        let (diagonal, lower) = self.values.split_at_mut(self.size);
        let (first, start) = (part.first, self.columns[part.first]);
        let span = first..first + part.size;
        let (d, p) = (&diagonal[span.clone()], &mut self.pivots[span]);
        macro_rules! unrolled {
            ($($n:literal)*) => {
                match part.size {
                    $($n => triangle::factor::<$n, { $n * ($n - 1) / 2 }>(
                        d.try_into().expect("sizes agree"),
                        (&mut lower[start..start + $n * ($n - 1) / 2])
                            .try_into()
                            .expect("sizes agree"),
                        p.try_into().expect("sizes agree"),
                    ),)*
                    _ => unreachable!("larger parts are walked"),
                }
            };
        }
        unrolled!(1 2 3 4 5 6 7 8);
    }

    /// Solves S x = b in place with the last factors.
    pub fn solve(&self, b: &mut [f64]) {
        for part in &self.parts {
            if part.full {
                self.solve_triangle(*part, b);
            } else {
                self.solve_walk(*part, b);
            }
        }
    }

    fn solve_walk(&self, part: Part, b: &mut [f64]) {
        let n = self.size;
        for k in part.first..part.first + part.size {
            let x = b[k];
            for p in self.columns[k]..self.columns[k + 1] {
                b[self.rows[p]] -= self.values[n + p] * x;
            }
        }
        for k in (part.first..part.first + part.size).rev() {
            let mut x = b[k] * self.pivots[k];
            for p in self.columns[k]..self.columns[k + 1] {
                x -= self.values[n + p] * b[self.rows[p]];
            }
            b[k] = x;
        }
    }

    fn solve_triangle(&self, part: Part, b: &mut [f64]) {
        let lower = &self.values[self.size + self.columns[part.first]..];
        let span = part.first..part.first + part.size;
        let (p, b) = (&self.pivots[span.clone()], &mut b[span]);
        macro_rules! unrolled {
            ($($n:literal)*) => {
                match part.size {
                    $($n => triangle::solve::<$n, { $n * ($n - 1) / 2 }>(
                        lower[..$n * ($n - 1) / 2].try_into().expect("sizes agree"),
                        p.try_into().expect("sizes agree"),
                        b.try_into().expect("sizes agree"),
                    ),)*
                    _ => unreachable!("larger parts are walked"),
                }
            };
        }
        unrolled!(1 2 3 4 5 6 7 8);
    }
}

/// Groups that are consecutive and small become full triangles; everything else is one walk each.
fn parts(groups: &[usize]) -> Vec<Part> {
    const LARGEST: usize = 8;
    let mut parts = Vec::new();
    let mut first = 0;
    for run in groups.chunk_by(|a, b| a == b) {
        let whole = groups.iter().filter(|group| **group == run[0]).count() == run.len();
        if !whole {
            // Rows of a group lie apart: no order to build on.
            return vec![Part { first: 0, size: groups.len(), full: false, targets: 0 }];
        }
        parts.push(Part { first, size: run.len(), full: run.len() <= LARGEST, targets: 0 });
        first += run.len();
    }
    parts
}

/// 1/pivot, 0 for a dependent row, NaN for a pivot that is no number.
#[inline]
fn inverse_pivot(pivot: f64, diagonal: f64) -> f64 {
    if pivot > DEPENDENT * diagonal {
        1.0 / pivot
    } else if pivot.is_nan() {
        f64::NAN
    } else {
        0.0
    }
}

/// Full triangles of a size known to the compiler: column k of L starts after the longer ones.
mod triangle {
    use super::inverse_pivot;

    /// Place of entry (i, k), i > k.
    const fn place(n: usize, i: usize, k: usize) -> usize {
        k * (2 * n - k - 1) / 2 + i - k - 1
    }

    #[inline]
    pub fn factor<const N: usize, const T: usize>(
        d: &[f64; N],
        l: &mut [f64; T],
        pivots: &mut [f64; N],
    ) {
        // A square on the stack: its places need no arithmetic and no checks.
        let mut a = [[0.0; N]; N];
        let mut packed = l.iter();
        for k in 0..N {
            for row in &mut a[k + 1..] {
                row[k] = *packed.next().expect("sizes agree");
            }
        }
        for k in 0..N {
            let mut pivot = d[k];
            for j in 0..k {
                pivot -= a[k][j] * a[j][k];
            }
            let inverse = inverse_pivot(pivot, d[k]);
            pivots[k] = inverse;
            for i in k + 1..N {
                // Above the diagonal D Lᵀ is kept, below it L.
                let mut value = a[i][k];
                for j in 0..k {
                    value -= a[i][j] * a[j][k];
                }
                a[k][i] = value;
                a[i][k] = value * inverse;
            }
        }
        let mut packed = l.iter_mut();
        for k in 0..N {
            for row in &a[k + 1..] {
                *packed.next().expect("sizes agree") = row[k];
            }
        }
    }

    #[inline]
    pub fn solve<const N: usize, const T: usize>(
        l: &[f64; T],
        pivots: &[f64; N],
        b: &mut [f64; N],
    ) {
        for k in 0..N {
            for i in k + 1..N {
                b[i] -= l[place(N, i, k)] * b[k];
            }
        }
        for k in (0..N).rev() {
            b[k] *= pivots[k];
            for i in k + 1..N {
                b[k] -= l[place(N, i, k)] * b[i];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A matrix A = B Bᵀ + I of a chain with a closing link, dense beside sparse.
    fn example(n: usize) -> (Vec<Vec<f64>>, Vec<(usize, usize)>) {
        let mut pairs: Vec<_> = (1..n).map(|i| (i, i - 1)).collect();
        pairs.push((n - 1, 0));
        pairs.push((n / 2, 0));
        let mut a = vec![vec![0.0; n]; n];
        for (i, row) in a.iter_mut().enumerate() {
            row[i] = 4.0 + i as f64;
        }
        for (k, &(i, j)) in pairs.iter().enumerate() {
            a[i][j] = 0.3 + 0.1 * k as f64;
            a[j][i] = a[i][j];
        }
        (a, pairs)
    }

    #[test]
    fn solves_a_sparse_system_with_fill() {
        let n = 9;
        let (a, pairs) = example(n);
        let mut ldl = Ldl::new(n, &pairs);
        for i in 0..n {
            let slot = ldl.slot(i, i);
            ldl.entries_mut()[slot] = a[i][i];
        }
        for &(i, j) in &pairs {
            let slot = ldl.slot(i, j);
            ldl.entries_mut()[slot] = a[i][j];
        }
        ldl.factor().unwrap();
        let exact: Vec<f64> = (0..n).map(|i| 1.0 + i as f64).collect();
        let mut b: Vec<f64> =
            a.iter().map(|row| row.iter().zip(&exact).map(|(x, y)| x * y).sum()).collect();
        ldl.solve(&mut b);
        for (x, y) in b.iter().zip(&exact) {
            assert!((x - y).abs() < 1e-12, "{x} is not {y}");
        }
    }

    #[test]
    fn separate_groups_are_solved_apart() {
        // A chain of three, a pair, and a long chain that is walked.
        let mut pairs = vec![(1, 0), (2, 1), (4, 3)];
        pairs.extend((6..17).map(|i| (i, i - 1)));
        let n = 17;
        let mut ldl = Ldl::new(n, &pairs);
        assert_eq!(
            ldl.parts.iter().map(|p| (p.size, p.full)).collect::<Vec<_>>(),
            [(3, true), (2, true), (12, false)]
        );
        let entry = |i: usize, j: usize| match (i, j) {
            (i, j) if i == j => 3.0 + i as f64,
            (i, j) if pairs.contains(&(i.max(j), i.min(j))) => 1.0 / (1.0 + i.min(j) as f64),
            _ => 0.0,
        };
        for i in 0..n {
            for j in 0..=i {
                if entry(i, j) != 0.0 {
                    let slot = ldl.slot(i, j);
                    ldl.entries_mut()[slot] = entry(i, j);
                }
            }
        }
        ldl.factor().unwrap();
        let exact: Vec<f64> = (0..n).map(|i| (i as f64).sin()).collect();
        let mut b: Vec<f64> =
            (0..n).map(|i| (0..n).map(|j| entry(i, j) * exact[j]).sum()).collect();
        ldl.solve(&mut b);
        for (x, y) in b.iter().zip(&exact) {
            assert!((x - y).abs() < 1e-13, "{x} is not {y}");
        }
    }

    #[test]
    fn a_dependent_row_gets_no_multiplier() {
        let mut ldl = Ldl::new(2, &[(0, 1)]);
        ldl.entries_mut().copy_from_slice(&[2.0, 2.0, 2.0]);
        ldl.factor().unwrap();
        assert_eq!(ldl.dependent_rows(), 1);
        let mut b = [6.0, 6.0];
        ldl.solve(&mut b);
        assert_eq!(b, [3.0, 0.0]);
    }

    #[test]
    fn a_chain_has_no_fill() {
        let n = 50;
        let pairs: Vec<_> = (1..n).map(|i| (i, i - 1)).collect();
        let order = minimum_degree(n, &pairs);
        let mut place = vec![0; n];
        for (new, &old) in order.iter().enumerate() {
            place[old] = new;
        }
        let moved: Vec<_> = pairs.iter().map(|&(i, j)| (place[i], place[j])).collect();
        assert_eq!(Ldl::new(n, &moved).rows.len(), n - 1);
    }
}
