//! A symmetric positive band matrix and its Cholesky factors, by rows.

/// Row i is kept as the `width` entries in the columns i − width + 1 … i; those left of the matrix are zero.
#[derive(Clone, Debug)]
pub struct Band {
    width: usize,
    entries: Vec<f64>,
    factors: Vec<f64>,
}

impl Band {
    /// From entries (i, j ≤ i), each place once. None where it is not positive definite.
    pub fn new(size: usize, entries: &[(usize, usize, f64)]) -> Option<Self> {
        let width = entries.iter().map(|(i, j, _)| i - j + 1).max().unwrap_or(1);
        let mut kept = vec![0.0; size * width];
        for &(i, j, value) in entries {
            kept[i * width + width - 1 - (i - j)] = value;
        }
        let factors = cholesky(&kept, width)?;
        Some(Self { width, entries: kept, factors })
    }

    /// How far entries lie from the diagonal at most.
    pub fn width(&self) -> usize {
        self.width - 1
    }

    /// Entries of the lower triangle with its diagonal that are not zero.
    pub fn entries(&self) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        let w = self.width;
        let row = move |(i, row): (usize, &[f64])| -> Vec<(usize, usize, f64)> {
            let first = (i + 1).saturating_sub(w);
            (first..=i).map(|j| (i, j, row[w - 1 - (i - j)])).filter(|e| e.2 != 0.0).collect()
        };
        self.entries.chunks_exact(w).enumerate().flat_map(row)
    }

    /// x · M x.
    pub fn square(&self, x: &[f64]) -> f64 {
        self.rows(x).map(|(own, below, x)| x * (own * x + 2.0 * below)).sum()
    }

    /// out += factor · M x.
    pub fn add_product(&self, factor: f64, x: &[f64], out: &mut [f64]) {
        let w = self.width;
        for (i, row) in self.entries.chunks_exact(w).enumerate() {
            let first = (i + 1).saturating_sub(w);
            let row = &row[w - 1 - (i - first)..];
            let (below, own) = row.split_at(i - first);
            let by = factor * x[i];
            let mut sum = own[0] * x[i];
            for ((m, x), out) in below.iter().zip(&x[first..i]).zip(&mut out[first..i]) {
                sum += m * x;
                *out += m * by;
            }
            out[i] += factor * sum;
        }
    }

    /// Diagonal entry, the part of M x left of it, and x, row by row.
    fn rows<'a>(&'a self, x: &'a [f64]) -> impl Iterator<Item = (f64, f64, f64)> + 'a {
        let w = self.width;
        self.entries.chunks_exact(w).enumerate().map(move |(i, row)| {
            let first = (i + 1).saturating_sub(w);
            let left = row[w - 1 - (i - first)..w - 1].iter().zip(&x[first..i]);
            (row[w - 1], left.map(|(m, x)| m * x).sum(), x[i])
        })
    }

    /// x = M⁻¹ x.
    pub fn solve(&self, x: &mut [f64]) {
        let w = self.width;
        for (i, row) in self.factors.chunks_exact(w).enumerate() {
            let first = (i + 1).saturating_sub(w);
            let left = row[w - 1 - (i - first)..w - 1].iter().zip(&x[first..i]);
            x[i] = (x[i] - left.map(|(l, x)| l * x).sum::<f64>()) * row[w - 1];
        }
        for (i, row) in self.factors.chunks_exact(w).enumerate().rev() {
            let first = (i + 1).saturating_sub(w);
            x[i] *= row[w - 1];
            let value = x[i];
            let left = row[w - 1 - (i - first)..w - 1].iter();
            left.zip(&mut x[first..i]).for_each(|(l, x)| *x -= l * value);
        }
    }
}

/// L with 1/L_ii on the diagonal.
fn cholesky(entries: &[f64], width: usize) -> Option<Vec<f64>> {
    let mut l = vec![0.0; entries.len()];
    for i in 0..entries.len() / width {
        let first = (i + 1).saturating_sub(width);
        let place = |i: usize, j: usize| i * width + width - 1 - (i - j);
        for j in first..i {
            let from = first.max((j + 1).saturating_sub(width));
            let sum: f64 = (from..j).map(|k| l[place(i, k)] * l[place(j, k)]).sum();
            l[place(i, j)] = (entries[place(i, j)] - sum) * l[place(j, j)];
        }
        let pivot = entries[place(i, i)] - (first..i).map(|k| l[place(i, k)].powi(2)).sum::<f64>();
        // Rounding leaves of a direction without mass some 1e-16 of its entry.
        if !(pivot > 1e-14 * entries[place(i, i)] && pivot.is_finite()) {
            return None;
        }
        l[place(i, i)] = 1.0 / pivot.sqrt();
    }
    Some(l)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_product_undoes_a_solution() {
        let (n, reach) = (9, 3);
        let value = |i: usize, j: usize| match i - j {
            0 => 5.0 + i as f64,
            _ => ((i * 3 + j) as f64).sin(),
        };
        let entries: Vec<_> = (0..n)
            .flat_map(|i| (0..=i).map(move |j| (i, j)))
            .filter(|(i, j)| i - j <= reach)
            .map(|(i, j)| (i, j, value(i, j)))
            .collect();
        let band = Band::new(n, &entries).expect("it is positive");
        let exact: Vec<f64> = (0..n).map(|i| (0.7 * i as f64).cos()).collect();
        let mut x = vec![0.0; n];
        band.add_product(2.0, &exact, &mut x);
        let square: f64 = x.iter().zip(&exact).map(|(x, e)| 0.5 * x * e).sum();
        assert!((band.square(&exact) - square).abs() < 1e-13);
        band.solve(&mut x);
        assert!(x.iter().zip(&exact).all(|(x, e)| (x - 2.0 * e).abs() < 1e-14));
        assert_eq!(band.entries().count(), entries.len());
        assert!(Band::new(2, &[(0, 0, 1.0), (1, 0, 1.0), (1, 1, 1.0)]).is_none());
    }
}
