//! Cholesky factors of a symmetric positive band matrix with gaps.
//!
//!   W = L Lᵀ,   W_ij ≠ 0 only where i − j = k s,  −r ≤ k ≤ r                                      (1)
//!
//! with the stride s and the reach r. L has the same places, so work and memory grow with the size. Row i is
//! kept as the r + 1 numbers in the columns i − r s … i − s, i; those left of the matrix are zero.

use crate::linear::Scalar;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Band {
    stride: usize,
    reach: usize,
}

impl Band {
    /// Entries up to `width` from the diagonal, `stride` apart.
    pub fn new(width: usize, stride: usize) -> Self {
        assert!(stride > 0, "a band needs a stride");
        Self { stride, reach: width / stride }
    }

    /// Numbers kept for a matrix.
    pub fn len(self, size: usize) -> usize {
        size * (self.reach + 1)
    }

    /// Where the entry `below` the diagonal of column `j` is kept, if it has a place.
    pub fn place(self, j: usize, below: usize) -> Option<usize> {
        let k = below / self.stride;
        let inside = k * self.stride == below && k <= self.reach;
        inside.then(|| (j + below) * (self.reach + 1) + self.reach - k)
    }

    /// L of (1), with 1/L_ii on the diagonal. Fails with the row whose pivot is not positive.
    pub fn cholesky(self, w: &[f64], l: &mut [f64]) -> Result<(), usize> {
        let (r, s) = (self.reach, self.stride);
        for i in 0..w.len() / (r + 1) {
            let (above, row) = l.split_at_mut(i * (r + 1));
            let w = &w[i * (r + 1)..][..=r];
            row[..r].fill(0.0);
            for k in (1..=r).rev().filter(|k| k * s <= i) {
                let other = &above[(i - k * s) * (r + 1)..];
                let sum: f64 = row[..r - k].iter().zip(&other[k..r]).map(|(a, b)| a * b).sum();
                row[r - k] = (w[r - k] - sum) * other[r];
            }
            let pivot = w[r] - row[..r].iter().map(|x| x * x).sum::<f64>();
            if !(pivot > 0.0 && pivot.is_finite()) {
                return Err(i);
            }
            row[r] = 1.0 / pivot.sqrt();
        }
        Ok(())
    }

    /// x = L⁻¹ x.
    pub fn forward<T: Scalar>(self, l: &[f64], x: &mut [T]) {
        let (r, s) = (self.reach, self.stride);
        for (i, row) in l.chunks_exact(r + 1).enumerate().take(x.len()) {
            let from = if i >= r * s { 0 } else { r - i / s };
            let mut sum = x[i];
            // The nearest last: it is the one that is just being found.
            let mut j = i - (r - from) * s;
            for l in &row[from..r] {
                sum -= T::from(*l) * x[j];
                j += s;
            }
            x[i] = sum * T::from(row[r]);
        }
    }

    /// x = L⁻ᵀ x.
    pub fn backward<T: Scalar>(self, l: &[f64], x: &mut [T]) {
        let (r, s, n) = (self.reach, self.stride, x.len());
        for i in (0..n).rev() {
            let count = if i + r * s < n { r } else { (n - 1 - i) / s };
            let mut sum = x[i];
            for k in (1..=count).rev() {
                let j = i + k * s;
                sum -= T::from(l[j * (r + 1) + r - k]) * x[j];
            }
            x[i] = sum * T::from(l[i * (r + 1) + r]);
        }
    }
}
