//! The weights W in which corrections are short: symmetric positive blocks along the diagonal.
//!
//!   W = diag(W₁, W₂, …),   W_k diagonal, or full, a band or an arrow with W_k = L Lᵀ              (1)
//!
//! A block covers the velocities of one component. Where W is the mass matrix, a correction W⁻¹Gᵀη is
//! what an impulse η of the reactions would do. Values stay until they are written again: weights that never
//! change may be written where the blocks are made, and are factored once.

use std::ops::Range;

use super::arrow::Arrow;
use super::band::Band;
use crate::linear::{Entries, Scalar};

/// How a block is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    Diagonal,
    Full,
    /// Entries where i − j is a multiple of `stride` and at most `width`, to either side.
    Band {
        width: usize,
        stride: usize,
    },
    /// Every entry of the first `border` rows and columns, and among the others those at most `width` from the
    /// diagonal.
    Arrow {
        border: usize,
        width: usize,
    },
}

impl Shape {
    /// The band of a shape that is one.
    fn band(self) -> Option<Band> {
        match self {
            Self::Band { width, stride } => Some(Band::new(width, stride)),
            Self::Diagonal | Self::Full | Self::Arrow { .. } => None,
        }
    }

    /// Whether rows of G in the block are taken together by L⁻¹.
    pub(super) fn is_whole(self) -> bool {
        matches!(self, Self::Full | Self::Arrow { .. })
    }

    /// Numbers kept beside the diagonal.
    fn len(self, size: usize) -> usize {
        match self {
            Self::Diagonal => 0,
            Self::Full => size * size,
            Self::Band { .. } => self.band().map_or(0, |band| band.len(size)),
            Self::Arrow { border, width } => Arrow::new(border, width).len(size),
        }
    }
}

#[derive(Clone, Debug)]
struct Block {
    columns: Range<usize>,
    shape: Shape,
    /// Where the square of a full block or the rows of a band start.
    start: usize,
    /// Whether values of a band have changed since it was factored, and how often it has been factored.
    changed: bool,
    version: u64,
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
    /// Full blocks and bands by rows: W below the diagonal and on it, full ones also as they were factored,
    /// and L with 1/L_ii.
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
            let columns = first..first + size;
            weights.blocks.push(Block { columns, shape, start, changed: true, version: 0 });
            weights.block_of.resize(first + size, k);
            first += size;
            start += shape.len(size);
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
        let block = &mut self.blocks[self.block_of[i]];
        assert!(block.columns.contains(&j), "weight outside the blocks");
        if i == j {
            self.diagonal[i] = value;
        }
        let (low, high) = (i.min(j) - block.columns.start, i.max(j) - block.columns.start);
        match block.shape {
            Shape::Diagonal => assert!(i == j, "weight outside the blocks"),
            Shape::Full => self.values[block.start + high * block.columns.len() + low] = value,
            Shape::Band { width, stride } => {
                let place = Band::new(width, stride).place(low, high - low);
                let at = block.start + place.expect("weight outside the band");
                block.changed |= self.values[at] != value;
                self.values[at] = value;
            }
            Shape::Arrow { border, width } => {
                let size = block.columns.len();
                let place = Arrow::new(border, width).place(size, low, high);
                self.values[block.start + place.expect("weight outside the arrow")] = value;
            }
        }
    }

    /// The blocks of M; 1 on the diagonal where M has no place there. Entries of M outside a band count as
    /// zero, like those outside the blocks.
    pub fn take(&mut self, mass: &Entries) {
        for block in &mut self.blocks {
            for i in block.columns.clone() {
                self.diagonal[i] = mass.slot(i, i).map_or(1.0, |slot| mass.values[slot]);
            }
            let (first, size) = (block.columns.start, block.columns.len());
            if let Some(band) = block.shape.band() {
                let values = &mut self.values[block.start..][..band.len(size)];
                block.changed |= take_band(band, mass, first, &self.diagonal[first..], values);
            }
            if let Shape::Arrow { border, width } = block.shape {
                let arrow = Arrow::new(border, width);
                let values = &mut self.values[block.start..][..arrow.len(size)];
                values.fill(0.0);
                for j in 0..size {
                    values[arrow.place(size, j, j).expect("the diagonal is in the arrow")] =
                        self.diagonal[first + j];
                    for slot in mass.column(first + j) {
                        let i = mass.row_of(slot);
                        let inside = i > first + j && i < first + size;
                        let place = inside.then(|| arrow.place(size, j, i - first)).flatten();
                        if let Some(place) = place {
                            values[place] = mass.values[slot];
                        }
                    }
                }
            }
            if block.shape != Shape::Full {
                continue;
            }
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

    /// Inverts diagonal blocks, and factors full ones and bands that have changed. Fails with the column whose
    /// pivot is not positive.
    pub(super) fn factor(&mut self) -> Result<(), usize> {
        for block in &mut self.blocks {
            let size = block.columns.len();
            let span = block.start..block.start + block.shape.len(size);
            let band = block.shape.band();
            if band.is_some() && !block.changed {
                continue;
            }
            for i in block.columns.clone() {
                self.inverse[i] = 1.0 / self.diagonal[i];
            }
            if let Some(band) = band {
                let factored = band.cholesky(&self.values[span.clone()], &mut self.factors[span]);
                factored.map_err(|i| block.columns.start + i)?;
                block.changed = false;
                block.version += 1;
                continue;
            }
            let (values, known) = (&self.values[span.clone()], &mut self.known[span.clone()]);
            if values == known {
                continue;
            }
            let factors = &mut self.factors[span];
            // Nothing is known where this fails.
            known.fill(f64::NAN);
            let factored = match block.shape {
                Shape::Arrow { border, width } => {
                    Arrow::new(border, width).cholesky(values, factors, size)
                }
                _ => cholesky(values, factors, size),
            };
            factored.map_err(|i| block.columns.start + i)?;
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

    /// How often a band has been factored: what was derived from it holds while this stays.
    pub(super) fn version(&self, block: usize) -> u64 {
        self.blocks[block].version
    }

    /// x = W⁻¹ x.
    pub(crate) fn solve<T: Scalar>(&self, x: &mut [T]) {
        for block in &self.blocks {
            self.solve_block(block, &mut x[block.columns.clone()]);
        }
    }

    /// The same for the part x of a vector in one block.
    pub(super) fn solve_in(&self, block: usize, x: &mut [f64]) {
        self.solve_block(&self.blocks[block], x);
    }

    fn solve_block<T: Scalar>(&self, block: &Block, x: &mut [T]) {
        let factors = &self.factors[block.start..];
        match block.shape {
            Shape::Diagonal => {
                for (x, inverse) in x.iter_mut().zip(&self.inverse[block.columns.clone()]) {
                    *x = *x * T::from(*inverse);
                }
            }
            Shape::Full => {
                forward(factors, x);
                backward(factors, x);
            }
            Shape::Band { width, stride } => {
                let band = Band::new(width, stride);
                band.forward(factors, x);
                band.backward(factors, x);
            }
            Shape::Arrow { border, width } => {
                let arrow = Arrow::new(border, width);
                arrow.forward(factors, x);
                arrow.backward(factors, x);
            }
        }
    }

    /// x = L⁻¹ x for the part x of a vector in a full block or an arrow.
    pub(super) fn forward(&self, block: usize, x: &mut [f64]) {
        let block = &self.blocks[block];
        let factors = &self.factors[block.start..];
        match block.shape {
            Shape::Arrow { border, width } => Arrow::new(border, width).forward(factors, x),
            _ => forward(factors, x),
        }
    }
}

/// The band of M in the columns from `first` on, with the given diagonal; says whether anything has changed.
fn take_band(
    band: Band,
    mass: &Entries,
    first: usize,
    diagonal: &[f64],
    values: &mut [f64],
) -> bool {
    let size = values.len() / band.len(1);
    let mut changed = false;
    let mut write = |place: usize, value: f64| {
        changed |= values[place] != value;
        values[place] = value;
    };
    for (j, &w) in diagonal[..size].iter().enumerate() {
        write(band.place(j, 0).expect("the diagonal is in the band"), w);
        for slot in mass.column(first + j) {
            let i = mass.row_of(slot);
            let inside = i > first + j && i < first + size;
            if let Some(place) = inside.then(|| band.place(j, i - first - j)).flatten() {
                write(place, mass.values[slot]);
            }
        }
    }
    changed
}

/// L of (1) below the diagonal, 1/L_ii on it. Fails with the row whose pivot is not positive.
pub(super) fn cholesky(w: &[f64], l: &mut [f64], size: usize) -> Result<(), usize> {
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

pub(super) fn forward<T: Scalar>(l: &[f64], x: &mut [T]) {
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

pub(super) fn backward<T: Scalar>(l: &[f64], x: &mut [T]) {
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

    /// The entries of a band, 0 outside it.
    fn banded(i: usize, j: usize) -> f64 {
        match i.abs_diff(j) {
            0 => 4.0 + 0.1 * i as f64,
            off if off % 3 == 0 && off <= 7 => (1.0 + (i + j) as f64).sin(),
            _ => 0.0,
        }
    }

    #[test]
    fn a_band_gives_what_a_full_block_gives() {
        let n = 17;
        let mut mass = Entries::full(n + 2, n + 2);
        for i in 0..n + 2 {
            for j in 0..n + 2 {
                mass.set(i, j, banded(i, j));
            }
        }
        let x: Vec<f64> = (0..n + 2).map(|i| (0.7 * i as f64).cos()).collect();
        let solved = |shape: Shape| {
            let shapes = [(Shape::Diagonal, 1), (shape, n), (Shape::Diagonal, 1)];
            let mut weights = Weights::blocks(&shapes);
            weights.take(&mass);
            weights.factor().unwrap();
            let mut turned: Vec<Complex> = x.iter().map(|x| Complex::new(*x, -2.0 * x)).collect();
            let mut real = x.clone();
            weights.solve(&mut real);
            weights.solve(&mut turned);
            (real, turned)
        };
        let (full, _) = solved(Shape::Full);
        for width in [6, 7, 12] {
            let (band, turned) = solved(Shape::Band { width, stride: 3 });
            for ((full, band), turned) in full.iter().zip(&band).zip(&turned) {
                assert!((full - band).abs() < 1e-15, "{band} is not {full}");
                assert!((turned.re - band).abs() + (turned.im + 2.0 * band).abs() < 1e-15);
            }
        }
    }

    #[test]
    fn an_arrow_gives_what_a_full_block_gives() {
        let (n, border, width) = (14, 3, 4);
        let value = |i: usize, j: usize| match i.abs_diff(j) {
            0 => 9.0 + 0.1 * i as f64,
            off if i.min(j) < border || off <= width => (1.0 + (i * j + i + j) as f64).sin(),
            _ => 0.0,
        };
        let mut mass = Entries::full(n + 2, n + 2);
        (0..n + 2).for_each(|i| (0..n + 2).for_each(|j| mass.set(i, j, banded(i, j))));
        (0..n).for_each(|i| (0..n).for_each(|j| mass.set(i + 1, j + 1, value(i, j))));
        let x: Vec<f64> = (0..n + 2).map(|i| (0.7 * i as f64).cos()).collect();
        let solved = |shape: Shape, by_entries: bool| {
            let shapes = [(Shape::Diagonal, 1), (shape, n), (Shape::Diagonal, 1)];
            let mut weights = Weights::blocks(&shapes);
            weights.take(&mass);
            if by_entries {
                let inside = |i: usize, j: usize| value(i, j) != 0.0;
                let places = (0..n).flat_map(|i| (0..=i).map(move |j| (i, j)));
                for (i, j) in places.filter(|&(i, j)| inside(i, j)) {
                    weights.set(i + 1, j + 1, 2.0 * value(i, j));
                }
            }
            weights.factor().unwrap();
            let (mut real, mut half) = (x.clone(), x[1..=n].to_vec());
            weights.solve(&mut real);
            weights.forward(1, &mut half);
            (real, half.iter().map(|x| x * x).sum::<f64>())
        };
        for by_entries in [false, true] {
            let (full, square) = solved(Shape::Full, by_entries);
            let (arrow, other) = solved(Shape::Arrow { border, width }, by_entries);
            assert!((square - other).abs() < 1e-14, "{square} is not {other}");
            for (full, arrow) in full.iter().zip(&arrow) {
                assert!((full - arrow).abs() < 1e-15, "{arrow} is not {full}");
            }
        }
        let mut weights = Weights::blocks(&[(Shape::Arrow { border: 1, width: 0 }, 3)]);
        weights.set(0, 2, 1.5);
        assert_eq!(weights.factor(), Err(0));
        weights.set(2, 2, -1.0);
        assert_eq!(weights.factor(), Err(2));
    }

    #[test]
    fn a_band_is_factored_again_where_it_has_changed_only() {
        let mut weights = Weights::blocks(&[(Shape::Band { width: 4, stride: 2 }, 5)]);
        weights.factor().unwrap();
        assert_eq!(weights.version(0), 1);
        weights.set(3, 3, 1.0);
        weights.factor().unwrap();
        assert_eq!(weights.version(0), 1);
        weights.set(1, 3, 0.6);
        weights.factor().unwrap();
        assert_eq!(weights.version(0), 2);
        let mut x = [0.0, 1.0 + 0.6 * 2.0, 0.0, 0.6 + 2.0, 0.0];
        weights.solve(&mut x);
        assert!((x[1] - 1.0).abs() < 1e-14 && (x[3] - 2.0).abs() < 1e-14, "{x:?}");
        weights.set(3, 3, 0.3);
        assert_eq!(weights.factor(), Err(3));
        assert_eq!(weights.factor(), Err(3));
        weights.set(3, 3, f64::NAN);
        assert_eq!(weights.factor(), Err(3));
    }
}
