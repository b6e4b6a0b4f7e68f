//! An orthonormal basis of a few columns, and least squares with it.
//!
//!   A = Q T,  QᵀQ = I,  T upper triangular;   min |y − A β|:  T β = Qᵀ y
//!
//! by Gram–Schmidt done twice, which is as good as Householder's method for the few columns of a
//! trend (Giraud, Langou, Rozložník 2005) and gives Q itself.

/// Column `column` depends on the ones before it.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("column {column} depends on the ones before it")]
pub struct Dependent {
    pub column: usize,
}

/// What is left of a column after projection, relative to its length, must exceed this.
const RANK_TOLERANCE: f64 = 1e-10;

/// Q (by columns) and T (by columns, upper triangular).
#[derive(Clone, Debug)]
pub struct Basis {
    pub q: Vec<Vec<f64>>,
    pub t: Vec<Vec<f64>>,
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

fn subtract(a: &mut [f64], factor: f64, b: &[f64]) {
    for (x, y) in a.iter_mut().zip(b) {
        *x -= factor * y;
    }
}

impl Basis {
    pub fn new(columns: Vec<Vec<f64>>) -> Result<Self, Dependent> {
        let mut basis = Self { q: Vec::new(), t: Vec::new() };
        for (index, mut column) in columns.into_iter().enumerate() {
            let length = dot(&column, &column).sqrt();
            let mut coefficients = vec![0.0; index + 1];
            for _ in 0..2 {
                for (q, t) in basis.q.iter().zip(&mut coefficients) {
                    let projection = dot(q, &column);
                    *t += projection;
                    subtract(&mut column, projection, q);
                }
            }
            let rest = dot(&column, &column).sqrt();
            if rest.is_nan() || rest <= RANK_TOLERANCE * length {
                return Err(Dependent { column: index });
            }
            column.iter_mut().for_each(|x| *x /= rest);
            coefficients[index] = rest;
            basis.q.push(column);
            basis.t.push(coefficients);
        }
        Ok(basis)
    }

    /// Splits y into its part along the columns, as coefficients of Q, and the residual, in place.
    pub fn project(&self, y: &mut [f64]) -> Vec<f64> {
        let mut coefficients = vec![0.0; self.q.len()];
        for _ in 0..2 {
            for (q, t) in self.q.iter().zip(&mut coefficients) {
                let projection = dot(q, y);
                *t += projection;
                subtract(y, projection, q);
            }
        }
        coefficients
    }

    /// β of T β = c.
    pub fn solve(&self, mut c: Vec<f64>) -> Vec<f64> {
        for j in (0..c.len()).rev() {
            c[j] /= self.t[j][j];
            for i in 0..j {
                c[i] -= self.t[j][i] * c[j];
            }
        }
        c
    }

    /// f ← T⁻ᵀ f
    pub fn transposed_solve(&self, f: &mut [f64]) {
        for j in 0..f.len() {
            for i in 0..j {
                f[j] -= self.t[j][i] * f[i];
            }
            f[j] /= self.t[j][j];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns() -> Vec<Vec<f64>> {
        let x: Vec<f64> = (0..9).map(|i| f64::from(i) / 8.0).collect();
        (0..4).map(|p| x.iter().map(|x| 100.0 + x.powi(p)).collect()).collect()
    }

    #[test]
    fn least_squares_finds_the_coefficients() {
        let a = columns();
        let basis = Basis::new(a.clone()).unwrap();
        let beta = [1.0, -2.0, 0.5, 3.0];
        let mut y: Vec<f64> = (0..9).map(|i| (0..4).map(|j| beta[j] * a[j][i]).sum()).collect();
        let found = basis.solve(basis.project(&mut y));
        for (b, f) in beta.iter().zip(&found) {
            assert!((b - f).abs() < 1e-8, "{b} against {f}");
        }
        assert!(y.iter().all(|r| r.abs() < 1e-12 * 400.0));
    }

    #[test]
    fn the_transposed_solve_undoes_the_transposed_product() {
        let basis = Basis::new(columns()).unwrap();
        let g = [0.3, -1.0, 2.0, 5.0];
        let mut f: Vec<f64> = (0..4).map(|j| (0..=j).map(|i| basis.t[j][i] * g[i]).sum()).collect();
        basis.transposed_solve(&mut f);
        assert!(f.iter().zip(&g).all(|(a, b)| (a - b).abs() < 1e-9));
    }

    #[test]
    fn a_dependent_column_is_named() {
        let mut a = columns();
        a[2] = a[0].iter().zip(&a[1]).map(|(x, y)| 2.0 * x - y).collect();
        assert_eq!(Basis::new(a).unwrap_err(), Dependent { column: 2 });
    }
}
