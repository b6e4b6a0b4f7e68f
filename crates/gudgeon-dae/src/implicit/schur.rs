//! S = G W⁻¹ Gᵀ and its factors, with a pattern fixed once.
//!
//!   S = Σ_k X_kᵀ X_k,   X_k = L_k⁻¹ G_kᵀ,   G_k the columns of block k of W = L Lᵀ               (1)
//!
//! Two rows are coupled where they share a column, a full block, an arrow or a band of W. Bands are long, and few of their
//! columns appear in G. There
//!
//!   S = … + Ĝ C Ĝᵀ,   C = E W_k⁻¹ Eᵀ                                                              (2)
//!
//! with the columns Ĝ of G that are not empty and the rows E of the unit matrix that belong to them. C is what
//! a unit impulse on one of these columns does to another; it changes with W only.

use std::ops::Range;

use super::compliance::BandBlock;
use super::weights::{Shape, Weights};
use crate::linear::{Entries, Ldl, Scalar, minimum_degree};

/// Pattern, values and factors of S.
#[derive(Debug)]
pub(super) struct Schur {
    ldl: Ldl,
    /// Place of each row in the order of `ldl`.
    place: Vec<usize>,
    /// Slots in `ldl` of the pairs of entries of a column of G, and where those of each column start.
    slots: Vec<usize>,
    starts: Vec<usize>,
    full: Vec<FullBlock>,
    bands: Vec<BandBlock>,
    /// X of one block, row of G after row of G.
    part: Vec<f64>,
    work: Vec<f64>,
}

/// The rows of G in the columns of a full block of W.
#[derive(Debug)]
struct FullBlock {
    /// Its number among all blocks.
    block: usize,
    columns: Range<usize>,
    rows: Vec<usize>,
    /// For every entry of G in its columns: place of its row in `rows`.
    local: Vec<usize>,
    /// Slots in `ldl` of the pairs of rows.
    slots: Vec<usize>,
}

impl FullBlock {
    fn new(g: &Entries, block: usize, columns: Range<usize>) -> Self {
        let entries: Vec<usize> = columns.clone().flat_map(|j| rows_of(g, j)).collect();
        let mut rows = entries.clone();
        rows.sort_unstable();
        rows.dedup();
        let place = |row: &usize| rows.binary_search(row).expect("it is one of them");
        let local = entries.iter().map(place).collect();
        Self { block, columns, local, slots: Vec::new(), rows }
    }
}

impl Schur {
    /// From the places of G and the blocks of W.
    pub fn new(g: &Entries, weights: &Weights) -> Self {
        let shapes = weights.shapes().enumerate();
        let full = shapes.filter(|(_, (columns, shape))| shape.is_whole() && !columns.is_empty());
        let mut full: Vec<FullBlock> =
            full.map(|(block, (columns, _))| FullBlock::new(g, block, columns)).collect();
        let (mut pairs, mut starts) = (Vec::new(), vec![0]);
        for j in 0..g.columns() {
            let rows: Vec<usize> = rows_of(g, j).collect();
            pairs.extend(pairs_of(&rows));
            starts.push(pairs.len());
        }
        let by_column = pairs.len();
        let mut bands = BandBlock::all(g, weights);
        full.iter().for_each(|block| pairs.extend(pairs_of(&block.rows)));
        bands.iter().for_each(|block| pairs.extend(pairs_of(&block.rows)));
        let order = minimum_degree(g.rows(), &pairs);
        let mut place = vec![0; g.rows()];
        for (k, &row) in order.iter().enumerate() {
            place[row] = k;
        }
        let placed: Vec<_> = pairs.iter().map(|&(i, j)| (place[i], place[j])).collect();
        let ldl = Ldl::new(g.rows(), &placed);
        let mut slots: Vec<usize> = placed.iter().map(|&(i, j)| ldl.slot(i, j)).collect();
        let mut rest = slots.split_off(by_column);
        let of_full = full.iter_mut().map(|block| (&block.rows, &mut block.slots));
        let of_bands = bands.iter_mut().map(|block| (&block.rows, &mut block.slots));
        for (rows, slots) in of_full.chain(of_bands) {
            let after = rest.split_off(rows.len() * (rows.len() + 1) / 2);
            *slots = std::mem::replace(&mut rest, after);
        }
        let largest = full.iter().map(|block| block.rows.len() * block.columns.len()).max();
        Self {
            ldl,
            place,
            slots,
            starts,
            full,
            bands,
            part: vec![0.0; largest.unwrap_or(0)],
            work: vec![0.0; g.rows()],
        }
    }

    /// Factors G diag(u²) Gᵀ. Fails with a row that is no number.
    pub fn factor_by_sizes(&mut self, g: &Entries, squares: &[f64]) -> Result<(), usize> {
        self.ldl.entries_mut().fill(0.0);
        self.add_columns(g, 0..g.columns(), squares, &[]);
        self.factor_entries()
    }

    /// Factors S, with ones in the place of the rows in `dropped`. Fails with a row that is no number.
    pub fn factor(
        &mut self,
        g: &Entries,
        weights: &Weights,
        dropped: &[bool],
    ) -> Result<(), usize> {
        self.ldl.entries_mut().fill(0.0);
        for (columns, shape) in weights.shapes() {
            if shape == Shape::Diagonal {
                self.add_columns(g, columns, weights.inverse(), dropped);
            }
        }
        for k in 0..self.full.len() {
            self.add_full(g, weights, k, dropped);
        }
        for band in &mut self.bands {
            band.add(g, weights, dropped, self.ldl.entries_mut());
        }
        let entries = self.ldl.entries_mut();
        for (_, &place) in dropped.iter().zip(&self.place).filter(|(dropped, _)| **dropped) {
            entries[place] = 1.0;
        }
        self.factor_entries()
    }

    fn factor_entries(&mut self) -> Result<(), usize> {
        let row = |place: usize| self.place.iter().position(|&p| p == place).unwrap_or(place);
        self.ldl.factor().map_err(row)
    }

    /// Adds G diag(x) Gᵀ of some columns; no row is left out where `dropped` is empty.
    fn add_columns(&mut self, g: &Entries, columns: Range<usize>, x: &[f64], dropped: &[bool]) {
        let entries = self.ldl.entries_mut();
        let out = |slot: usize| dropped.get(g.row_of(slot)).is_some_and(|dropped| *dropped);
        for j in columns {
            let mut slots = self.slots[self.starts[j]..].iter();
            let column = g.column(j);
            for a in column.clone() {
                let left_out = out(a);
                for b in column.start..=a {
                    let slot = slots.next().expect("as many as pairs");
                    if !left_out && !out(b) {
                        let product = g.values[a] * g.values[b];
                        entries[*slot] += product * x[j];
                    }
                }
            }
        }
    }

    /// Adds the part (1) of a full block.
    fn add_full(&mut self, g: &Entries, weights: &Weights, k: usize, dropped: &[bool]) {
        let block = &self.full[k];
        let size = block.columns.len();
        let part = &mut self.part[..block.rows.len() * size];
        part.fill(0.0);
        let mut local = block.local.iter();
        for (c, j) in block.columns.clone().enumerate() {
            for slot in g.column(j) {
                let row = local.next().expect("as many as entries");
                if !dropped[g.row_of(slot)] {
                    part[row * size + c] = g.values[slot];
                }
            }
        }
        part.chunks_exact_mut(size).for_each(|x| weights.forward(block.block, x));
        let entries = self.ldl.entries_mut();
        let mut slots = block.slots.iter();
        for a in 0..block.rows.len() {
            for b in 0..=a {
                let (x, y) = (&part[a * size..][..size], &part[b * size..][..size]);
                let product: f64 = x.iter().zip(y).map(|(x, y)| x * y).sum();
                entries[*slots.next().expect("as many as pairs")] += product;
            }
        }
    }

    /// Pivot of a row over its diagonal entry.
    pub fn pivot_ratio(&self, row: usize) -> f64 {
        self.ldl.pivot_ratio(self.place[row])
    }

    /// Solves S η = b in place; η is zero in the rows in `dropped`.
    pub fn solve<T: Scalar>(&mut self, b: &mut [T], dropped: &[bool]) {
        for part in 0..T::PARTS {
            for ((b, &place), dropped) in b.iter().zip(&self.place).zip(dropped) {
                self.work[place] = if *dropped { 0.0 } else { b.part(part) };
            }
            self.ldl.solve(&mut self.work);
            for (b, &place) in b.iter_mut().zip(&self.place) {
                b.set_part(part, self.work[place]);
            }
        }
    }
}

/// Rows of the entries of a column.
pub(super) fn rows_of(g: &Entries, j: usize) -> impl Iterator<Item = usize> + '_ {
    g.column(j).map(|slot| g.row_of(slot))
}

/// Every pair of rows, the second not after the first.
fn pairs_of(rows: &[usize]) -> impl Iterator<Item = (usize, usize)> + '_ {
    rows.iter().enumerate().flat_map(|(a, &i)| rows[..=a].iter().map(move |&j| (i, j)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows 0 and 1 share no column but a full block; row 3 is twice row 2.
    #[test]
    fn rows_that_share_a_block_are_coupled() {
        let rows = [
            [0.0, 1.0, 0.0, 0.0, 0.0],
            [1.9, 0.0, 1.3, 0.0, 0.0],
            [0.0, 0.0, 0.0, 4.0, 5.0],
            [0.0, 0.0, 0.0, 8.0, 10.0],
        ];
        let every = (0..4).flat_map(|i| (0..5).map(move |j| (i, j)));
        let places: Vec<_> = every.filter(|&(i, j): &(usize, usize)| rows[i][j] != 0.0).collect();
        let mut g = Entries::at(4, 5, &places);
        places.iter().for_each(|&(i, j)| g.set(i, j, rows[i][j]));
        let lower: [&[f64]; 4] = [&[4.0], &[0.5, 3.0], &[0.2, -0.6, 2.0], &[0.0, 0.1, 0.3, 1.5]];
        let mut weights = Weights::blocks(&[(Shape::Diagonal, 1), (Shape::Full, 4)]);
        weights.set(0, 0, 0.7);
        for (i, row) in lower.iter().enumerate() {
            row.iter().enumerate().for_each(|(j, &w)| weights.set(1 + i, 1 + j, w));
        }
        weights.factor().unwrap();
        let mut schur = Schur::new(&g, &weights);
        schur.factor_by_sizes(&g, &[1.0; 5]).unwrap();
        let dropped: Vec<bool> = (0..4).map(|row| schur.pivot_ratio(row) < 1e-9).collect();
        assert_eq!(dropped.iter().filter(|dropped| **dropped).count(), 1);
        schur.factor(&g, &weights, &dropped).unwrap();
        let mut eta = [1.0, -2.0, 0.5, 0.25];
        (0..4).filter(|&i| dropped[i]).for_each(|i| eta[i] = 0.0);
        // S η by its definition.
        let (mut x, mut b) = ([0.0; 5], [0.0; 4]);
        g.add_transposed(1.0, &eta, &mut x);
        weights.solve(&mut x);
        g.add_product(1.0, &x, &mut b);
        schur.solve(&mut b, &dropped);
        for (found, eta) in b.iter().zip(&eta) {
            assert!((found - eta).abs() < 1e-13, "{b:?} is not {eta:?}");
        }
    }

    /// Five rows at both ends of a block, one of them twice another, and one row between two blocks.
    #[test]
    fn a_band_gives_the_rows_of_a_full_block() {
        let n = 21;
        let places: Vec<(usize, usize)> = [0, 1, 2]
            .into_iter()
            .flat_map(|i| (0..4).map(move |j| (i, j)))
            .chain([3, 4].into_iter().flat_map(|i| (17..21).map(move |j| (i, j))))
            .chain([(5, 20), (5, 21)])
            .collect();
        let mut g = Entries::at(6, n + 1, &places);
        for &(i, j) in &places {
            let (row, factor) = if i == 4 { (3, 2.0) } else { (i, 1.0) };
            g.set(i, j, factor * (((row + 2) * (j + 3)) as f64).sin());
        }
        let found = [Shape::Full, Shape::Band { width: 6, stride: 3 }].map(|shape| {
            let mut weights = Weights::blocks(&[(shape, n), (Shape::Diagonal, 1)]);
            (0..n).for_each(|i| weights.set(i, i, 3.0 + 0.2 * i as f64));
            (3..n).for_each(|i| weights.set(i, i - 3, 0.9));
            (6..n).for_each(|i| weights.set(i, i - 6, -0.4));
            weights.factor().unwrap();
            let mut schur = Schur::new(&g, &weights);
            schur.factor_by_sizes(&g, &[1.0; 22]).unwrap();
            let dropped: Vec<bool> = (0..6).map(|row| schur.pivot_ratio(row) < 1e-9).collect();
            assert_eq!(dropped.iter().filter(|dropped| **dropped).count(), 1);
            let mut all = Vec::new();
            // The second time with other weights.
            for _ in 0..2 {
                schur.factor(&g, &weights, &dropped).unwrap();
                let mut b = [1.0, -2.0, 0.5, 0.25, 0.25, 3.0];
                schur.solve(&mut b, &dropped);
                all.extend(b);
                weights.set(2, 2, 9.0);
                weights.set(19, 16, 0.2);
                weights.factor().unwrap();
            }
            assert!((all[2] - all[8]).abs() > 1e-3, "the change is seen: {all:?}");
            all
        });
        for (full, band) in found[0].iter().zip(&found[1]) {
            assert!((full - band).abs() < 1e-12 * full.abs().max(1.0), "{band} is not {full}");
        }
    }
}
