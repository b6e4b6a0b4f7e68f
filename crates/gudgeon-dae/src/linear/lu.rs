//! Dense elimination with row exchange, in place.

use super::scalar::Scalar;

/// A square matrix by rows, overwritten by its factors.
#[derive(Clone, Debug)]
pub struct Lu<T> {
    size: usize,
    pub values: Vec<T>,
    exchanges: Vec<usize>,
}

impl<T: Scalar> Lu<T> {
    pub fn new(size: usize) -> Self {
        Self { size, values: vec![T::default(); size * size], exchanges: vec![0; size] }
    }

    /// Factors what `values` holds. Fails with the column that has no pivot.
    pub fn factor(&mut self) -> Result<(), usize> {
        let n = self.size;
        for k in 0..n {
            let column = |i: &usize| self.values[i * n + k].size();
            let pivot = (k..n).max_by(|a, b| column(a).total_cmp(&column(b))).unwrap_or(k);
            let largest = column(&pivot);
            if !(largest > 0.0 && largest.is_finite()) {
                return Err(k);
            }
            self.exchanges[k] = pivot;
            let (upper, lower) = self.values.split_at_mut((k + 1) * n);
            let row_k = &mut upper[k * n..];
            if pivot != k {
                row_k.swap_with_slice(&mut lower[(pivot - k - 1) * n..][..n]);
            }
            let inverse = T::from(1.0) / row_k[k];
            for row in lower.chunks_exact_mut(n) {
                let factor = row[k] * inverse;
                row[k] = factor;
                if factor.size() == 0.0 {
                    continue;
                }
                for (x, p) in row[k + 1..].iter_mut().zip(&row_k[k + 1..]) {
                    *x -= factor * *p;
                }
            }
        }
        Ok(())
    }

    /// Solves A x = b in place with the last factors.
    pub fn solve(&self, b: &mut [T]) {
        let n = self.size;
        for k in 0..n {
            b.swap(k, self.exchanges[k]);
        }
        for k in 0..n {
            let x = b[k];
            for i in k + 1..n {
                b[i] -= self.values[i * n + k] * x;
            }
        }
        for k in (0..n).rev() {
            let row = &self.values[k * n..][..n];
            let mut x = b[k];
            for j in k + 1..n {
                x -= row[j] * b[j];
            }
            b[k] = x / row[k];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::scalar::Complex;
    use super::*;

    fn residual<T: Scalar>(entry: impl Fn(usize, usize) -> T, n: usize) -> f64 {
        let mut lu = Lu::new(n);
        let mut b = vec![T::default(); n];
        for i in 0..n {
            for j in 0..n {
                lu.values[i * n + j] = entry(i, j);
                b[i] += entry(i, j) * T::from(1.0 + j as f64);
            }
        }
        lu.factor().unwrap();
        lu.solve(&mut b);
        (0..n).map(|j| (b[j] - T::from(1.0 + j as f64)).size()).fold(0.0, f64::max)
    }

    #[test]
    fn solves_real_and_complex_systems_with_a_zero_first_pivot() {
        let real =
            |i: usize, j: usize| ((3 * i + 5 * j) % 7) as f64 - if i == j { 2.5 } else { 0.0 };
        let first = |i: usize, j: usize| if i + j == 0 { 0.0 } else { real(i, j) };
        assert!(residual(first, 6) < 1e-12);
        let complex = |i: usize, j: usize| Complex::new(first(i, j), real(j, i) * 0.3);
        assert!(residual(complex, 6) < 1e-12);
    }

    #[test]
    fn names_the_column_without_a_pivot() {
        let mut lu = Lu::new(2);
        lu.values = vec![1.0, 2.0, 2.0, 4.0];
        assert_eq!(lu.factor(), Err(1));
    }
}
