//! Band matrices, factored as L U in place.
//!
//! Without pivoting: the matrices factored here have a positive definite symmetric part (a mass matrix, with what h
//! times damping and h² times stiffness adds), for which that is stable (Golub, Van Loan, 4.1.4). A pivot that is not
//! positive beside what it was made of shows a matrix that is not of this kind.

/// A square band matrix, row by row.
#[derive(Clone, Debug)]
pub struct Band {
    size: usize,
    /// Entries on each side of the diagonal.
    half: usize,
    entries: Vec<f64>,
    /// The diagonal before elimination.
    diagonal: Vec<f64>,
}

/// The row whose pivot is not positive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Singular(pub usize);

/// Share of the diagonal that a pivot keeps at least.
const LEAST: f64 = 1e-13;

impl Band {
    pub fn new(size: usize, half: usize) -> Self {
        Self { size, half, entries: vec![0.0; size * (2 * half + 1)], diagonal: vec![0.0; size] }
    }

    pub fn clear(&mut self) {
        self.entries.fill(0.0);
    }

    fn place(&self, row: usize, column: usize) -> usize {
        row * (2 * self.half + 1) + column + self.half - row
    }

    /// Adds to an entry inside the band.
    pub fn add(&mut self, row: usize, column: usize, value: f64) {
        debug_assert!(row.abs_diff(column) <= self.half);
        let place = self.place(row, column);
        self.entries[place] += value;
    }

    /// An entry; zero outside the band.
    pub fn at(&self, row: usize, column: usize) -> f64 {
        match row.abs_diff(column) <= self.half {
            true => self.entries[self.place(row, column)],
            false => 0.0,
        }
    }

    /// Replaces the matrix by its factors.
    pub fn factor(&mut self) -> Result<(), Singular> {
        let (n, half, width) = (self.size, self.half, 2 * self.half + 1);
        for (k, diagonal) in self.diagonal.iter_mut().enumerate() {
            *diagonal = self.entries[k * width + half];
        }
        for k in 0..n {
            let pivot = self.entries[k * width + half];
            let holds = pivot.is_finite() && pivot > LEAST * self.diagonal[k].abs();
            if !holds {
                return Err(Singular(k));
            }
            let last = (k + half).min(n - 1);
            let (above, below) = self.entries.split_at_mut((k + 1) * width);
            let row_k = &above[k * width + half + 1..k * width + half + 1 + (last - k)];
            for i in k + 1..=last {
                let start = (i - k - 1) * width + half - (i - k);
                let factor = below[start] / pivot;
                below[start] = factor;
                if factor != 0.0 {
                    let row_i = &mut below[start + 1..start + 1 + (last - k)];
                    row_i.iter_mut().zip(row_k).for_each(|(x, u)| *x -= factor * u);
                }
            }
        }
        Ok(())
    }

    /// Solves in place with the factors.
    pub fn solve(&self, x: &mut [f64]) {
        let (n, half, width) = (self.size, self.half, 2 * self.half + 1);
        for i in 1..n {
            let first = i.saturating_sub(half);
            let row = &self.entries[i * width + first + half - i..i * width + half];
            let (known, rest) = x.split_at_mut(i);
            rest[0] -= row.iter().zip(&known[first..]).map(|(l, y)| l * y).sum::<f64>();
        }
        for i in (0..n).rev() {
            let last = (i + half).min(n - 1);
            let row = &self.entries[i * width + half..i * width + half + 1 + last - i];
            let (left, known) = x.split_at_mut(i + 1);
            let sum: f64 = row[1..].iter().zip(known.iter()).map(|(u, y)| u * y).sum();
            left[i] = (left[i] - sum) / row[0];
        }
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::{DMatrix, DVector};

    use super::*;

    #[test]
    fn solutions_are_those_of_a_dense_matrix() {
        let mut random = crate::random::Random::new(7);
        for (n, half) in [(1, 0), (5, 4), (40, 3), (41, 6)] {
            let mut band = Band::new(n, half);
            let mut dense = DMatrix::zeros(n, n);
            for i in 0..n {
                for j in i.saturating_sub(half)..(i + half + 1).min(n) {
                    let value = random.unit() - 0.5 + if i == j { half as f64 + 1.0 } else { 0.0 };
                    band.add(i, j, value);
                    dense[(i, j)] = value;
                }
            }
            let b = DVector::from_fn(n, |i, _| (i as f64).sin() + 1.0);
            let mut x: Vec<f64> = b.iter().copied().collect();
            band.factor().unwrap();
            band.solve(&mut x);
            let x = DVector::from_vec(x);
            assert!((&dense * &x - &b).norm() < 1e-12 * b.norm());
        }
    }

    #[test]
    fn a_free_motion_is_found() {
        // Two masses and a spring between them that nothing holds.
        let mut band = Band::new(2, 1);
        [(0, 0, 1.0), (0, 1, -1.0), (1, 0, -1.0), (1, 1, 1.0)]
            .into_iter()
            .for_each(|(i, j, k)| band.add(i, j, k));
        assert_eq!(band.factor(), Err(Singular(1)));
    }
}
