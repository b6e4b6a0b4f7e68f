//! Masses of a chain of elements: a constant matrix of scalars, the same for every direction.
//!
//! All fields are linear in q, so T = ½ Σ M_kl q̇_k · q̇_l over the vectors q_k of the nodes. M has V rows
//! per node and is banded: a row reaches 2V − 1 to both sides. Factor: M = L Lᵀ of Cholesky, in the band.

use super::shape::Weights;

/// A symmetric band matrix of scalars and its factor.
#[derive(Clone, Debug)]
pub struct Band {
    rows: usize,
    /// Entries of a row from its diagonal to the left, diagonal last.
    width: usize,
    entries: Vec<f64>,
    factor: Vec<f64>,
}

impl Band {
    pub fn new(rows: usize, width: usize) -> Self {
        let entries = vec![0.0; rows * width];
        Self { rows, width, factor: entries.clone(), entries }
    }

    /// Adds the lower triangle of c left rightᵀ in rows from `first` on; the sum of all is symmetric.
    pub fn add(&mut self, first: usize, left: &Weights, right: &Weights, factor: f64) {
        for (i, a) in left.iter().enumerate() {
            for (j, b) in right.iter().enumerate() {
                if a * b != 0.0 && j <= i {
                    let place = (first + i) * self.width + self.width - 1 - (i - j);
                    self.entries[place] += factor * a * b;
                }
            }
        }
    }

    /// Factors what was added; false where the masses are not positive.
    pub fn factorise(&mut self) -> bool {
        let w = self.width;
        self.factor.copy_from_slice(&self.entries);
        for i in 0..self.rows {
            for j in i.saturating_sub(w - 1)..=i {
                let from = i.saturating_sub(w - 1).max(j.saturating_sub(w - 1));
                let sum: f64 = (from..j).map(|k| self.lower(i, k) * self.lower(j, k)).sum();
                let rest = self.lower(i, j) - sum;
                self.factor[i * w + w - 1 + j - i] = match i == j {
                    true => rest.sqrt(),
                    false => rest / self.lower(j, j),
                };
            }
        }
        (0..self.rows).all(|i| self.lower(i, i) > 0.0)
    }

    #[inline]
    fn lower(&self, i: usize, j: usize) -> f64 {
        self.factor[i * self.width + self.width - 1 + j - i]
    }

    /// x := M⁻¹ x for D interleaved right-hand sides.
    pub fn solve<const D: usize>(&self, x: &mut [f64]) {
        let w = self.width;
        for i in 0..self.rows {
            let mut sum: [f64; D] = std::array::from_fn(|d| x[i * D + d]);
            for j in i.saturating_sub(w - 1)..i {
                let l = self.lower(i, j);
                for d in 0..D {
                    sum[d] -= l * x[j * D + d];
                }
            }
            let pivot = 1.0 / self.lower(i, i);
            for d in 0..D {
                x[i * D + d] = sum[d] * pivot;
            }
        }
        for i in (0..self.rows).rev() {
            let pivot = 1.0 / self.lower(i, i);
            let value: [f64; D] = std::array::from_fn(|d| x[i * D + d] * pivot);
            for d in 0..D {
                x[i * D + d] = value[d];
            }
            for j in i.saturating_sub(w - 1)..i {
                let l = self.lower(i, j);
                for d in 0..D {
                    x[j * D + d] -= l * value[d];
                }
            }
        }
    }

    /// out := M x for D interleaved vectors.
    pub fn multiply<const D: usize>(&self, x: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for (i, j, entry) in self.entries() {
            for d in 0..D {
                out[i * D + d] += entry * x[j * D + d];
                if i != j {
                    out[j * D + d] += entry * x[i * D + d];
                }
            }
        }
    }

    /// xᵀ M x for D interleaved components.
    pub fn square<const D: usize>(&self, x: &[f64]) -> f64 {
        let (w, x) = (self.width, x.as_chunks::<D>().0);
        let mut sum = 0.0;
        for (i, row) in self.entries.chunks_exact(w).enumerate() {
            let first = i.saturating_sub(w - 1);
            let mut image = [0.0; D];
            for (m, x) in row[w - 1 + first - i..w - 1].iter().zip(&x[first..i]) {
                for d in 0..D {
                    image[d] += m * x[d];
                }
            }
            for d in 0..D {
                sum += x[i][d] * (2.0 * image[d] + row[w - 1] * x[i][d]);
            }
        }
        sum
    }

    /// Row, column and entry of the lower triangle with its diagonal, row by row.
    pub fn entries(&self) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        let w = self.width;
        self.entries.chunks_exact(w).enumerate().flat_map(move |(i, row)| {
            let first = i.saturating_sub(w - 1);
            (first..=i).map(move |j| (i, j, row[w - 1 + j - i]))
        })
    }

    pub fn diagonal(&self) -> impl Iterator<Item = f64> + '_ {
        self.entries.chunks_exact(self.width).map(|row| row[row.len() - 1])
    }
}
