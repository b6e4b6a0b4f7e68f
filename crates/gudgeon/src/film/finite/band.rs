//! Symmetric positive definite matrix within a band, as LᵀDL-like factors row by row.

/// Row r holds the columns r … r + reach.
#[derive(Clone, Debug)]
pub struct Band {
    entries: Vec<f64>,
    size: usize,
    reach: usize,
}

impl Band {
    /// Room for matrices up to this size and reach.
    pub fn new(size: usize, reach: usize) -> Self {
        Self { entries: vec![0.0; size * (reach + 1)], size, reach }
    }

    /// Empties the matrix.
    pub fn reset(&mut self, size: usize, reach: usize) {
        (self.size, self.reach) = (size, reach);
        self.entries[..size * (reach + 1)].fill(0.0);
    }

    /// Adds to the entry (a, b) and, implied, to (b, a).
    #[inline]
    pub fn add(&mut self, a: usize, b: usize, value: f64) {
        let (row, column) = if a < b { (a, b) } else { (b, a) };
        self.entries[row * (self.reach + 1) + column - row] += value;
    }

    /// A = UᵀDU with unit diagonal of U; D takes the place of the diagonal.
    pub fn factor(&mut self) {
        let width = self.reach + 1;
        for row in 0..self.size {
            let reach = self.reach.min(self.size - 1 - row);
            let (upper, lower) = self.entries.split_at_mut((row + 1) * width);
            let pivot = &mut upper[row * width..];
            let over = 1.0 / pivot[0];
            for step in 1..=reach {
                let factor = pivot[step] * over;
                if factor == 0.0 {
                    continue;
                }
                let target = &mut lower[(step - 1) * width..(step - 1) * width + reach + 1 - step];
                for (t, p) in target.iter_mut().zip(&pivot[step..=reach]) {
                    *t -= factor * p;
                }
            }
            for entry in &mut pivot[1..=reach] {
                *entry *= over;
            }
        }
    }

    /// Solves for right-hand sides stored side by side, in place.
    pub fn solve<const K: usize>(&self, x: &mut [[f64; K]]) {
        let width = self.reach + 1;
        for row in 0..self.size {
            let reach = self.reach.min(self.size - 1 - row);
            let (value, u) = (x[row], &self.entries[row * width..row * width + reach + 1]);
            for (target, factor) in x[row + 1..].iter_mut().zip(&u[1..]) {
                for k in 0..K {
                    target[k] -= factor * value[k];
                }
            }
        }
        for row in (0..self.size).rev() {
            let reach = self.reach.min(self.size - 1 - row);
            let u = &self.entries[row * width..row * width + reach + 1];
            let mut value = x[row].map(|v| v / u[0]);
            for (below, factor) in x[row + 1..].iter().zip(&u[1..]) {
                for k in 0..K {
                    value[k] -= factor * below[k];
                }
            }
            x[row] = value;
        }
    }
}
