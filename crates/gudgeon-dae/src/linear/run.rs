//! Runs of columns that are eliminated together: Eq. (1) of [`sparse_lu`](super::sparse_lu).

use std::collections::BTreeSet;

use super::scalar::Scalar;

/// Columns from which on a run is worth sums in several parts.
pub(super) const WIDE: usize = 8;

/// Columns with the same rows below them, in the order of elimination.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    pub first: usize,
    pub width: usize,
    /// Rows below, and where they start in `rows`.
    pub below: usize,
    pub rows: usize,
    /// Where D with U beside it, row by row, and then L, column by column, start in the values.
    pub start: usize,
    /// Where the places of what it takes from later entries start, row by row.
    pub targets: usize,
}

impl Run {
    /// Length of a row of (D, U).
    pub fn across(&self) -> usize {
        self.width + self.below
    }

    /// Numbers kept.
    pub fn len(&self) -> usize {
        self.width * (self.across() + self.below)
    }

    /// (D, U) and L.
    pub fn parts<'a, T>(&self, values: &'a [T]) -> (&'a [T], &'a [T]) {
        values[self.start..][..self.len()].split_at(self.width * self.across())
    }
}

impl Run {
    /// Finds the part of L⁻¹ b that belongs to the run, and takes it from later rows.
    pub fn forward<T: Scalar>(&self, rows: &[usize], right: &[T], below: &[T], work: &mut [T]) {
        for k in 0..self.width {
            let x = work[self.first + k];
            for i in k + 1..self.width {
                work[self.first + i] -= right[i * self.across() + k] * x;
            }
            for (l, row) in below[k * self.below..].iter().zip(rows) {
                work[*row] -= *l * x;
            }
        }
    }

    /// The same by whole columns.
    pub fn forward_wide<T: Scalar>(
        &self,
        rows: &[usize],
        right: &[T],
        below: &[T],
        work: &mut [T],
        part: &mut [T],
    ) {
        part.iter_mut().zip(rows).for_each(|(part, row)| *part = work[*row]);
        let x = &mut work[self.first..][..self.width];
        for k in 1..self.width {
            let (known, rest) = x.split_at_mut(k);
            for (l, x) in right[k * self.across()..].iter().zip(known) {
                rest[0] -= *l * *x;
            }
        }
        for (x, column) in x.iter().zip(below.chunks_exact(self.below.max(1))) {
            subtract(part, *x, column);
        }
        part.iter().zip(rows).for_each(|(part, row)| work[*row] = *part);
    }

    /// Finds the part of U⁻¹ b that belongs to the run.
    pub fn backward<T: Scalar>(&self, rows: &[usize], right: &[T], work: &mut [T]) {
        for k in (0..self.width).rev() {
            let row = &right[k * self.across()..][..self.across()];
            let mut sum = work[self.first + k];
            for i in k + 1..self.width {
                sum -= row[i] * work[self.first + i];
            }
            for (u, i) in row[self.width..].iter().zip(rows) {
                sum -= *u * work[*i];
            }
            work[self.first + k] = sum / row[k];
        }
    }

    /// The same, with later values in several sums and those next to the diagonal, which are just being
    /// found, last.
    pub fn backward_wide<T: Scalar>(
        &self,
        rows: &[usize],
        right: &[T],
        work: &mut [T],
        part: &mut [T],
    ) {
        part.iter_mut().zip(rows).for_each(|(part, row)| *part = work[*row]);
        let x = &mut work[self.first..][..self.width];
        for k in (0..self.width).rev() {
            let (own, later) = right[k * self.across()..][..self.across()].split_at(self.width);
            let mut sum = x[k] - product(later, part);
            own[k + 1..].iter().zip(&x[k + 1..]).rev().for_each(|(u, x)| sum -= *u * *x);
            x[k] = sum / own[k];
        }
    }

    /// Takes the products of the run from the entries behind it.
    pub fn update<T: Scalar>(&self, targets: &[u32], values: &mut [T], part: &mut [T]) {
        let (w, m) = (self.width, self.below);
        let (panel, later) = values.split_at_mut(self.start + self.len());
        let (right, below) = self.parts(panel);
        for (a, targets) in targets.chunks_exact(m.max(1)).enumerate() {
            if w == 1 {
                for (u, target) in right[1..].iter().zip(targets) {
                    later[*target as usize - panel.len()] -= below[a] * *u;
                }
                continue;
            }
            for (x, target) in part.iter_mut().zip(targets) {
                *x = later[*target as usize - panel.len()];
            }
            for (k, row) in right.chunks_exact(self.across()).enumerate() {
                subtract(part, below[k * m + a], &row[w..]);
            }
            for (x, target) in part.iter().zip(targets) {
                later[*target as usize - panel.len()] = *x;
            }
        }
    }
}

/// Columns with the same rows below them, joined, and these rows.
pub(super) fn runs(pattern: &[BTreeSet<usize>]) -> (Vec<Run>, Vec<usize>) {
    let (mut runs, mut rows): (Vec<Run>, Vec<usize>) = (Vec::new(), Vec::new());
    let mut first = 0;
    let mut start = 0;
    while first < pattern.len() {
        let mut last = first;
        let follows = |k: usize| {
            let (this, next) = (&pattern[k], pattern.get(k + 1));
            this.first() == Some(&(k + 1))
                && next.is_some_and(|next| this.iter().skip(1).eq(next.iter()))
        };
        while follows(last) {
            last += 1;
        }
        let below = &pattern[last];
        let (width, below_start) = (last + 1 - first, rows.len());
        rows.extend(below.iter().copied());
        let run = Run { first, width, below: below.len(), rows: below_start, start, targets: 0 };
        start += run.len();
        first = last + 1;
        runs.push(run);
    }
    (runs, rows)
}

/// out −= factor · x.
pub(super) fn subtract<T: Scalar>(out: &mut [T], factor: T, x: &[T]) {
    for (out, x) in out.iter_mut().zip(x) {
        *out -= factor * *x;
    }
}

/// Σ a b, in four sums that do not wait for each other.
fn product<T: Scalar>(a: &[T], b: &[T]) -> T {
    let mut sums = [T::default(); 4];
    let (a, b) = (a.chunks_exact(4), b.chunks_exact(4));
    let rest = a.remainder().iter().zip(b.remainder());
    for (a, b) in a.zip(b) {
        for k in 0..4 {
            sums[k] += a[k] * b[k];
        }
    }
    let rest = rest.fold(T::default(), |sum, (a, b)| sum + *a * *b);
    (sums[0] + sums[2]) + (sums[1] + sums[3]) + rest
}
