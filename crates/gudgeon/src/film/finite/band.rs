//! Symmetric positive definite matrix within a band: A = Uᵀ D U with unit diagonal of U, row by row.
//!
//! Behind the last row stand as many rows of zeros as the band reaches, so that no row is a special
//! case; loops of a width known to the compiler take a third of the time.

/// Row r holds the columns r … r + reach.
#[derive(Clone, Debug)]
pub struct Band {
    entries: Vec<f64>,
    size: usize,
    reach: usize,
}

/// Calls a function with its width as a constant for the grids in use, and with 0 for all others.
macro_rules! by_width {
    ($width:expr, $name:ident $(::<$k:ident>)? ($($argument:expr),*)) => {
        match $width {
            5 => $name::<5 $(, $k)?>($($argument),*),
            7 => $name::<7 $(, $k)?>($($argument),*),
            8 => $name::<8 $(, $k)?>($($argument),*),
            12 => $name::<12 $(, $k)?>($($argument),*),
            13 => $name::<13 $(, $k)?>($($argument),*),
            _ => $name::<0 $(, $k)?>($($argument),*),
        }
    };
}

impl Band {
    /// Room for matrices up to this size and reach.
    pub fn new(size: usize, reach: usize) -> Self {
        Self { entries: vec![0.0; (size + reach) * (reach + 1)], size, reach }
    }

    /// Empties the matrix.
    pub fn reset(&mut self, size: usize, reach: usize) {
        (self.size, self.reach) = (size, reach);
        self.entries[..(size + reach) * (reach + 1)].fill(0.0);
    }

    /// Adds to the entry (a, b) and, implied, to (b, a).
    #[inline]
    pub fn add(&mut self, a: usize, b: usize, value: f64) {
        let (row, column) = if a < b { (a, b) } else { (b, a) };
        self.entries[row * (self.reach + 1) + column - row] += value;
    }

    /// Replaces A by its factors; 1/D takes the place of the diagonal.
    pub fn factor(&mut self) {
        let width = self.reach + 1;
        by_width!(width, factor(&mut self.entries, self.size, width));
    }

    /// Solves for right-hand sides stored side by side, in place; as many zeros as the band reaches
    /// stand behind them.
    pub fn solve<const K: usize>(&self, x: &mut [[f64; K]]) {
        let width = self.reach + 1;
        by_width!(width, solve::<K>(&self.entries, x, self.size, width));
    }
}

/// A constant width W, or the given one where W = 0.
#[inline(always)]
fn known<const W: usize>(width: usize) -> usize {
    if W == 0 { width } else { W }
}

fn factor<const W: usize>(entries: &mut [f64], size: usize, width: usize) {
    let width = known::<W>(width);
    for row in 0..size {
        let (upper, lower) = entries[row * width..(row + width) * width].split_at_mut(width);
        let over = 1.0 / upper[0];
        for step in 1..width {
            let factor = upper[step] * over;
            let target = &mut lower[(step - 1) * width..step * width - step];
            for (t, p) in target.iter_mut().zip(&upper[step..]) {
                *t -= factor * p;
            }
        }
        upper[0] = over;
        for entry in &mut upper[1..] {
            *entry *= over;
        }
    }
}

fn solve<const W: usize, const K: usize>(
    entries: &[f64],
    x: &mut [[f64; K]],
    size: usize,
    width: usize,
) {
    let width = known::<W>(width);
    for row in 0..size {
        let (u, x) = (&entries[row * width..][..width], &mut x[row..row + width]);
        let value = x[0];
        for (target, factor) in x[1..].iter_mut().zip(&u[1..]) {
            for k in 0..K {
                target[k] -= factor * value[k];
            }
        }
    }
    for row in (0..size).rev() {
        let (u, x) = (&entries[row * width..][..width], &mut x[row..row + width]);
        let mut value = x[0].map(|v| v * u[0]);
        // The latest result last: only one product has to wait for it.
        for (below, factor) in x[1..].iter().zip(&u[1..]).rev() {
            for k in 0..K {
                value[k] -= factor * below[k];
            }
        }
        x[0] = value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every width, known or not, solves A x = b.
    #[test]
    fn solutions_satisfy_their_equations() {
        for reach in 1..26 {
            let size = 3 * reach + 5;
            let mut band = Band::new(size, reach);
            band.reset(size, reach);
            let entry = |i: usize, j: usize| match i.abs_diff(j) {
                0 => 2.0 * reach as f64 + 1.0,
                d if d <= reach => ((i + j) as f64).sin(),
                _ => 0.0,
            };
            for i in 0..size {
                (i..size.min(i + reach + 1)).for_each(|j| band.add(j, i, entry(i, j)));
            }
            let exact = |i: usize| [(i as f64).cos(), 1.0 + i as f64];
            let mut x = vec![[0.0; 2]; size + reach];
            for (i, x) in x[..size].iter_mut().enumerate() {
                for j in 0..size {
                    (0..2).for_each(|k| x[k] += entry(i, j) * exact(j)[k]);
                }
            }
            band.factor();
            band.solve(&mut x);
            for (i, x) in x[..size].iter().enumerate() {
                for k in 0..2 {
                    assert!((x[k] - exact(i)[k]).abs() < 1e-12 * size as f64, "{reach} {i}");
                }
            }
        }
    }
}
