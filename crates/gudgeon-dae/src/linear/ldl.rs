//! Sparse L D Lᵀ factorisation of a symmetric positive matrix with a pattern fixed once.
//!
//! The matrix is S = G M⁻¹ Gᵀ of a mechanism: its pattern follows from which rows share a body and
//! never changes during a run. The symbolic phase lists, for every product l_ik l_jk, the entry it
//! is subtracted from, so the numeric phase is a walk through flat arrays without a search or a
//! branch. At seven rows this costs tens of nanoseconds; a chain of bodies has no fill, so the cost
//! stays linear in its length.
//!
//! A row that depends on earlier ones shows as a vanishing pivot. It is left out (its multiplier is
//! zero), which solves a consistent redundant system; the caller sees how many were left out.

use std::collections::BTreeSet;

/// A pivot below this fraction of its diagonal entry marks a dependent row.
const DEPENDENT: f64 = 1e-13;

/// Elimination order of rows by smallest degree; ties go to the lower index, so it is repeatable.
pub fn minimum_degree(n: usize, pairs: &[(usize, usize)]) -> Vec<usize> {
    let mut neighbours = vec![BTreeSet::new(); n];
    for &(i, j) in pairs.iter().filter(|(i, j)| i != j) {
        neighbours[i].insert(j);
        neighbours[j].insert(i);
    }
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
    order
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
}

impl Ldl {
    /// Symbolic factorisation; `pairs` lists the non-zero off-diagonal entries in any order.
    pub fn new(size: usize, pairs: &[(usize, usize)]) -> Self {
        let mut pattern = vec![BTreeSet::new(); size];
        for &(i, j) in pairs.iter().filter(|(i, j)| i != j) {
            pattern[i.min(j)].insert(i.max(j));
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
        };
        ldl.targets = ldl.product_targets();
        ldl
    }

    fn product_targets(&self) -> Vec<usize> {
        let mut targets = Vec::new();
        for k in 0..self.size {
            let column = &self.rows[self.columns[k]..self.columns[k + 1]];
            for (p, &i) in column.iter().enumerate() {
                targets.extend(column[p..].iter().map(|&j| self.slot(i, j)));
            }
        }
        targets
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
        let n = self.size;
        self.dependent = 0;
        self.diagonal.copy_from_slice(&self.values[..n]);
        let mut next = 0;
        for k in 0..n {
            let pivot = self.values[k];
            if pivot.is_nan() {
                return Err(k);
            }
            let inverse = if pivot > DEPENDENT * self.diagonal[k] {
                1.0 / pivot
            } else {
                self.dependent += 1;
                0.0
            };
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
        Ok(())
    }

    /// Solves S x = b in place with the last factors.
    pub fn solve(&self, b: &mut [f64]) {
        let n = self.size;
        for k in 0..n {
            let x = b[k];
            for p in self.columns[k]..self.columns[k + 1] {
                b[self.rows[p]] -= self.values[n + p] * x;
            }
        }
        for (x, pivot) in b.iter_mut().zip(&self.pivots) {
            *x *= pivot;
        }
        for k in (0..n).rev() {
            let mut x = b[k];
            for p in self.columns[k]..self.columns[k + 1] {
                x -= self.values[n + p] * b[self.rows[p]];
            }
            b[k] = x;
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
