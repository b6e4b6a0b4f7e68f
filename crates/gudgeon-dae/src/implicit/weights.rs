//! The weights W in which corrections are short: symmetric positive blocks along the diagonal.
//!
//!   W = diag(W₁, W₂, …),   W_k diagonal, or full with W_k = L Lᵀ                                 (1)
//!
//! A block covers the velocities of one component. Where W is the mass matrix, a correction W⁻¹Gᵀη is
//! what an impulse η of the reactions would do.

use std::ops::Range;

use crate::linear::{Entries, Scalar};

/// How a block is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    Diagonal,
    Full,
}

#[derive(Clone, Debug)]
struct Block {
    columns: Range<usize>,
    shape: Shape,
    /// Where the square of a full block starts.
    start: usize,
}

/// Blocks of W over consecutive components of v.
#[derive(Clone, Debug)]
pub struct Weights {
    blocks: Vec<Block>,
    /// Block of each column.
    block_of: Vec<usize>,
    /// W_ii, and its inverse as of the last call of `factor`.
    diagonal: Vec<f64>,
    inverse: Vec<f64>,
    /// Full blocks by rows: W below the diagonal and on it, as it was factored, and L with 1/L_ii.
    values: Vec<f64>,
    known: Vec<f64>,
    factors: Vec<f64>,
}

impl Weights {
    /// One diagonal block of ones.
    pub fn diagonal(size: usize) -> Self {
        Self::blocks(&[(Shape::Diagonal, size)])
    }

    /// Blocks of these shapes and sizes, one after the other, of ones on the diagonal.
    pub fn blocks(shapes: &[(Shape, usize)]) -> Self {
        let mut weights = Self {
            blocks: Vec::new(),
            block_of: Vec::new(),
            diagonal: Vec::new(),
            inverse: Vec::new(),
            values: Vec::new(),
            known: Vec::new(),
            factors: Vec::new(),
        };
        let (mut first, mut start) = (0, 0);
        for (k, &(shape, size)) in shapes.iter().enumerate() {
            weights.blocks.push(Block { columns: first..first + size, shape, start });
            weights.block_of.resize(first + size, k);
            first += size;
            start += if shape == Shape::Full { size * size } else { 0 };
        }
        weights.diagonal = vec![1.0; first];
        weights.inverse = vec![1.0; first];
        weights.values = vec![0.0; start];
        weights.known = vec![0.0; start];
        weights.factors = vec![0.0; start];
        (0..first).for_each(|i| weights.set(i, i, 1.0));
        weights
    }

    /// Components of v.
    pub fn len(&self) -> usize {
        self.diagonal.len()
    }

    pub fn is_empty(&self) -> bool {
        self.diagonal.is_empty()
    }

    /// Writes W_ij and W_ji. Panics where they are not in a block.
    pub fn set(&mut self, i: usize, j: usize, value: f64) {
        let block = &self.blocks[self.block_of[i]];
        assert!(block.columns.contains(&j), "weight outside the blocks");
        if i == j {
            self.diagonal[i] = value;
        }
        match block.shape {
            Shape::Diagonal => assert!(i == j, "weight outside the blocks"),
            Shape::Full => {
                let (low, high) = (i.min(j) - block.columns.start, i.max(j) - block.columns.start);
                self.values[block.start + high * block.columns.len() + low] = value;
            }
        }
    }

    /// The blocks of M; 1 on the diagonal where M has no place there.
    pub fn take(&mut self, mass: &Entries) {
        for block in &self.blocks {
            for i in block.columns.clone() {
                self.diagonal[i] = mass.slot(i, i).map_or(1.0, |slot| mass.values[slot]);
            }
            if block.shape == Shape::Diagonal {
                continue;
            }
            let (first, size) = (block.columns.start, block.columns.len());
            let square = &mut self.values[block.start..][..size * size];
            square.fill(0.0);
            for j in 0..size {
                square[j * size + j] = self.diagonal[first + j];
                for slot in mass.column(first + j) {
                    let i = mass.row_of(slot);
                    if i > first + j && i < first + size {
                        square[(i - first) * size + j] = mass.values[slot];
                    }
                }
            }
        }
    }

    /// Inverts diagonal blocks, and factors full ones that have changed. Fails with the column whose
    /// pivot is not positive.
    pub(super) fn factor(&mut self) -> Result<(), usize> {
        for (inverse, w) in self.inverse.iter_mut().zip(&self.diagonal) {
            *inverse = 1.0 / *w;
        }
        for block in self.blocks.iter().filter(|block| block.shape == Shape::Full) {
            let size = block.columns.len();
            let span = block.start..block.start + size * size;
            let (values, known) = (&self.values[span.clone()], &mut self.known[span.clone()]);
            if values == known {
                continue;
            }
            let factors = &mut self.factors[span];
            // Nothing is known where this fails.
            known.fill(f64::NAN);
            cholesky(values, factors, size).map_err(|i| block.columns.start + i)?;
            known.copy_from_slice(values);
        }
        Ok(())
    }

    /// 1/W_ii.
    pub(super) fn inverse(&self) -> &[f64] {
        &self.inverse
    }

    /// Columns and shape of every block.
    pub(super) fn shapes(&self) -> impl Iterator<Item = (Range<usize>, Shape)> + '_ {
        self.blocks.iter().map(|block| (block.columns.clone(), block.shape))
    }

    /// x = W⁻¹ x.
    pub(super) fn solve<T: Scalar>(&self, x: &mut [T]) {
        for block in &self.blocks {
            let x = &mut x[block.columns.clone()];
            match block.shape {
                Shape::Diagonal => {
                    for (x, inverse) in x.iter_mut().zip(&self.inverse[block.columns.clone()]) {
                        *x = *x * T::from(*inverse);
                    }
                }
                Shape::Full => {
                    let factors = &self.factors[block.start..];
                    forward(factors, x);
                    backward(factors, x);
                }
            }
        }
    }

    /// x = L⁻¹ x for the part x of a vector in a full block.
    pub(super) fn forward(&self, block: usize, x: &mut [f64]) {
        forward(&self.factors[self.blocks[block].start..], x);
    }
}

/// L of (1) below the diagonal, 1/L_ii on it. Fails with the row whose pivot is not positive.
fn cholesky(w: &[f64], l: &mut [f64], size: usize) -> Result<(), usize> {
    for i in 0..size {
        let (above, row) = l.split_at_mut(i * size);
        for j in 0..i {
            let other = &above[j * size..];
            let sum: f64 = row[..j].iter().zip(other).map(|(a, b)| a * b).sum();
            row[j] = (w[i * size + j] - sum) * other[j];
        }
        let pivot = w[i * size + i] - row[..i].iter().map(|x| x * x).sum::<f64>();
        if !(pivot > 0.0 && pivot.is_finite()) {
            return Err(i);
        }
        row[i] = 1.0 / pivot.sqrt();
    }
    Ok(())
}

fn forward<T: Scalar>(l: &[f64], x: &mut [T]) {
    let size = x.len();
    for i in 0..size {
        let row = &l[i * size..][..=i];
        let mut sum = x[i];
        for (x, l) in x[..i].iter().zip(row) {
            sum -= T::from(*l) * *x;
        }
        x[i] = sum * T::from(row[i]);
    }
}

fn backward<T: Scalar>(l: &[f64], x: &mut [T]) {
    let size = x.len();
    for i in (0..size).rev() {
        let row = &l[i * size..][..=i];
        let value = x[i] * T::from(row[i]);
        x[i] = value;
        for (x, l) in x[..i].iter_mut().zip(row) {
            *x -= T::from(*l) * value;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::Complex;

    /// 2 columns on the diagonal, 3 full, 1 on the diagonal.
    fn example() -> (Weights, Entries) {
        let mut mass = Entries::full(6, 6);
        for i in 0..6 {
            mass.set(i, i, 2.0 + i as f64);
        }
        for (i, j, value) in [(2, 3, 0.7), (2, 4, -0.4), (3, 4, 1.1)] {
            mass.set(i, j, value);
            mass.set(j, i, value);
        }
        let shapes = [(Shape::Diagonal, 2), (Shape::Full, 3), (Shape::Diagonal, 1)];
        let mut weights = Weights::blocks(&shapes);
        weights.take(&mass);
        weights.factor().unwrap();
        (weights, mass)
    }

    #[test]
    fn solves_real_and_complex_systems_by_blocks() {
        let (weights, mass) = example();
        let exact = [1.0, -2.0, 3.0, 0.5, -1.5, 4.0];
        let mut x = [0.0; 6];
        mass.add_product(1.0, &exact, &mut x);
        let mut turned = x.map(|x| Complex::new(x, -2.0 * x));
        weights.solve(&mut x);
        weights.solve(&mut turned);
        for ((x, turned), exact) in x.iter().zip(&turned).zip(&exact) {
            assert!((x - exact).abs() < 1e-14);
            assert!((turned.re - exact).abs() < 1e-14 && (turned.im + 2.0 * exact).abs() < 1e-14);
        }
    }

    #[test]
    fn a_change_is_seen_and_a_block_that_is_not_positive_named() {
        let (mut weights, _) = example();
        weights.set(3, 2, 0.2);
        weights.set(2, 4, 0.0);
        weights.set(3, 4, 0.0);
        weights.factor().unwrap();
        let mut x = [0.0, 0.0, 4.0 + 0.2 * 3.0, 0.2 + 5.0 * 3.0, 6.0, 0.0];
        weights.solve(&mut x);
        assert!((x[2] - 1.0).abs() < 1e-14 && (x[3] - 3.0).abs() < 1e-14, "{x:?}");
        weights.set(3, 3, 0.001);
        assert_eq!(weights.factor(), Err(3));
        assert_eq!(weights.factor(), Err(3));
    }
}
