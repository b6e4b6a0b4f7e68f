//! The part of S that belongs to a band of W, by the compliance between the columns that G touches:
//! Eq. (2) of [`schur`](super::schur).
//!
//! C has as many rows and columns as there are touched ones, which is meant for rows at a few places of a
//! component with many velocities.

use std::ops::Range;

use super::schur::rows_of;
use super::weights::{Shape, Weights};
use crate::linear::Entries;

/// The rows of G in the columns of a band of W.
#[derive(Debug)]
pub(super) struct BandBlock {
    /// Its number among all blocks.
    block: usize,
    pub rows: Vec<usize>,
    /// Slots in the factors of S of the pairs of rows.
    pub slots: Vec<usize>,
    /// The columns that are not empty, from the first of the block.
    touched: Vec<usize>,
    /// For every row, where its entries start in `entries`: their slots in G and places in `touched`.
    starts: Vec<usize>,
    entries: Vec<(usize, usize)>,
    /// C by rows, and the version of the weights that it belongs to.
    compliance: Vec<f64>,
    version: u64,
    /// A vector over the columns of the block, and Ĝ C of one row.
    column: Vec<f64>,
    product: Vec<f64>,
}

impl BandBlock {
    /// All bands that have rows.
    pub fn all(g: &Entries, weights: &Weights) -> Vec<Self> {
        let bands = weights.shapes().enumerate();
        let bands = bands.filter(|(_, (_, shape))| matches!(shape, Shape::Band { .. }));
        let blocks = bands.map(|(block, (columns, _))| Self::new(g, block, columns));
        blocks.filter(|block| !block.rows.is_empty()).collect()
    }

    fn new(g: &Entries, block: usize, columns: Range<usize>) -> Self {
        let (first, size) = (columns.start, columns.len());
        let mut found = Vec::new();
        let mut touched = Vec::new();
        for j in columns.filter(|&j| !g.column(j).is_empty()) {
            let place = touched.len();
            found.extend(rows_of(g, j).zip(g.column(j)).map(|(row, slot)| (row, slot, place)));
            touched.push(j - first);
        }
        found.sort_unstable();
        let mut rows: Vec<usize> = found.iter().map(|entry| entry.0).collect();
        let entries = found.iter().map(|&(_, slot, place)| (slot, place)).collect();
        let mut starts: Vec<usize> = (0..rows.len())
            .filter(|&i| i == 0 || rows[i] != rows[i - 1])
            .chain([rows.len()])
            .collect();
        rows.dedup();
        starts.truncate(rows.len() + 1);
        let count = touched.len();
        Self {
            block,
            rows,
            slots: Vec::new(),
            touched,
            starts,
            entries,
            compliance: vec![0.0; count * count],
            version: 0,
            column: vec![0.0; size],
            product: vec![0.0; count],
        }
    }

    /// C, where the weights have changed.
    fn update(&mut self, weights: &Weights) {
        let version = weights.version(self.block);
        if self.version == version {
            return;
        }
        self.version = version;
        let n = self.touched.len();
        for (a, &column) in self.touched.iter().enumerate() {
            self.column.fill(0.0);
            self.column[column] = 1.0;
            weights.solve_in(self.block, &mut self.column);
            for (b, &row) in self.touched[..=a].iter().enumerate() {
                self.compliance[a * n + b] = self.column[row];
                self.compliance[b * n + a] = self.column[row];
            }
        }
    }

    /// Adds (2) to the entries of S, without the rows in `dropped`.
    pub fn add(&mut self, g: &Entries, weights: &Weights, dropped: &[bool], out: &mut [f64]) {
        self.update(weights);
        let n = self.touched.len();
        let mut slots = self.slots.iter();
        for (a, row) in self.rows.iter().enumerate() {
            let slots = slots.by_ref().take(a + 1);
            if dropped[*row] {
                slots.for_each(drop);
                continue;
            }
            self.product.fill(0.0);
            for &(slot, place) in &self.entries[self.starts[a]..self.starts[a + 1]] {
                let (value, column) = (g.values[slot], &self.compliance[place * n..][..n]);
                self.product.iter_mut().zip(column).for_each(|(x, c)| *x += value * c);
            }
            for (b, slot) in slots.enumerate() {
                if dropped[self.rows[b]] {
                    continue;
                }
                let others = &self.entries[self.starts[b]..self.starts[b + 1]];
                let sum: f64 = others.iter().map(|&(s, j)| g.values[s] * self.product[j]).sum();
                out[*slot] += sum;
            }
        }
    }
}
