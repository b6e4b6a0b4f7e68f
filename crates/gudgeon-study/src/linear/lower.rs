//! The lower triangle of a symmetric matrix, by panels of eight rows.
//!
//! Panel i holds rows 8i … 8i+7 and columns 0 … 8i+7, column by column: entry (r, c) of the matrix
//! stands at `start(r / 8) + 8 c + r mod 8`. The last columns of a panel form its diagonal tile, of
//! which both triangles are stored. Rows beyond the matrix fill up the last panel.

use super::{ROWS, TILE};

#[derive(Clone, Debug)]
pub struct Lower {
    size: usize,
    panels: usize,
    pub(crate) values: Vec<f64>,
}

/// Place of panel i.
#[inline(always)]
pub(crate) fn start(i: usize) -> usize {
    TILE * (i * (i + 1) / 2)
}

impl Lower {
    pub fn zeros(size: usize) -> Self {
        let panels = size.div_ceil(ROWS);
        Self { size, panels, values: vec![0.0; start(panels)] }
    }

    /// Rows of the matrix, without those that fill up the last panel.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Rows with those that fill up the last panel.
    pub fn padded(&self) -> usize {
        ROWS * self.panels
    }

    pub fn panels(&self) -> usize {
        self.panels
    }

    pub fn panel(&self, i: usize) -> &[f64] {
        &self.values[start(i)..start(i + 1)]
    }

    /// Entry (r, c), c ≤ r or both in the same diagonal tile.
    pub fn at(&self, r: usize, c: usize) -> f64 {
        self.values[start(r / ROWS) + ROWS * c + r % ROWS]
    }

    /// Sets every stored entry from its row and column.
    pub fn fill(&mut self, mut entry: impl FnMut(usize, usize) -> f64) {
        for i in 0..self.panels {
            for c in 0..ROWS * (i + 1) {
                for lane in 0..ROWS {
                    self.values[start(i) + ROWS * c + lane] = entry(ROWS * i + lane, c);
                }
            }
        }
    }

    /// Makes the rows beyond the matrix those of the identity, which leaves every result as it is.
    pub fn pad_with_identity(&mut self) {
        let Some(last) = self.panels.checked_sub(1) else { return };
        for c in 0..self.padded() {
            for r in ROWS * last..self.padded() {
                if r >= self.size || c >= self.size {
                    self.values[start(last) + ROWS * c + r % ROWS] = f64::from(u8::from(r == c));
                }
            }
        }
    }

    pub fn add_to_diagonal(&mut self, mut addend: impl FnMut(usize) -> f64) {
        for r in 0..self.size {
            self.values[start(r / ROWS) + ROWS * r + r % ROWS] += addend(r);
        }
    }

    pub fn copy_from(&mut self, other: &Self) {
        debug_assert_eq!(self.size, other.size);
        self.values.copy_from_slice(&other.values);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_come_back_and_padding_is_the_identity() {
        let mut m = Lower::zeros(11);
        m.fill(|r, c| (100 * r + c) as f64);
        m.pad_with_identity();
        m.add_to_diagonal(|_| 0.5);
        for r in 0..16 {
            for c in 0..=r {
                let expected = match (r < 11, r == c) {
                    (true, true) => (101 * r) as f64 + 0.5,
                    (true, false) => (100 * r + c) as f64,
                    (false, same) => f64::from(u8::from(same)),
                };
                assert_eq!(m.at(r, c), expected, "entry {r}, {c}");
            }
        }
    }
}
