//! Coefficients of Radau IIA of order 5 and the transformation that separates its stages
//! (Hairer and Wanner II, section IV.8).
//!
//!   Y_i = y₀ + h Σ a_ij Ẏ_j,   A⁻¹ = T Λ T⁻¹,   Λ = γ ⊕ |  α  β |                            (1)
//!                                                       | −β  α |

type Matrix = [[f64; 3]; 3];

#[derive(Clone, Copy, Debug)]
pub(super) struct RadauTableau {
    pub nodes: [f64; 3],
    pub a: Matrix,
    pub inverse: Matrix,
    /// T and T⁻¹.
    pub to_stages: Matrix,
    pub from_stages: Matrix,
    pub gamma: f64,
    pub alpha: f64,
    pub beta: f64,
    /// Weights of the stages in the error estimate.
    pub error: [f64; 3],
}

impl RadauTableau {
    pub fn new() -> Self {
        let r = 6f64.sqrt();
        let a = [
            [(88.0 - 7.0 * r) / 360.0, (296.0 - 169.0 * r) / 1800.0, (3.0 * r - 2.0) / 225.0],
            [(296.0 + 169.0 * r) / 1800.0, (88.0 + 7.0 * r) / 360.0, -(3.0 * r + 2.0) / 225.0],
            [(16.0 - r) / 36.0, (16.0 + r) / 36.0, 1.0 / 9.0],
        ];
        let inverse = inverse(&a);
        // Eigenvalues of A: the roots of 60 x³ − 36 x² + 9 x − 1.
        let (p, q) = (81f64.cbrt(), 9f64.cbrt());
        let real = (6.0 + p - q) / 30.0;
        let (re, im) = ((12.0 - p + q) / 60.0, (p + q) * 3f64.sqrt() / 60.0);
        let (gamma, square) = (1.0 / real, re * re + im * im);
        let (alpha, beta) = (re / square, im / square);
        let to_stages = eigenvectors(&inverse, gamma, alpha, beta);
        Self {
            nodes: [(4.0 - r) / 10.0, (4.0 + r) / 10.0, 1.0],
            a,
            inverse,
            to_stages,
            from_stages: self::inverse(&to_stages),
            gamma,
            alpha,
            beta,
            error: [-(13.0 + 7.0 * r) / 3.0, (7.0 * r - 13.0) / 3.0, -1.0 / 3.0],
        }
    }

    /// Weights of y₀ and the stages in the cubic through them.
    pub fn lagrange(&self, theta: f64) -> [f64; 4] {
        let x = [0.0, self.nodes[0], self.nodes[1], 1.0];
        std::array::from_fn(|i| {
            let others = (0..4).filter(|&j| j != i);
            others.map(|j| (theta - x[j]) / (x[i] - x[j])).product()
        })
    }
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn inverse(m: &Matrix) -> Matrix {
    let rows = [cross(m[1], m[2]), cross(m[2], m[0]), cross(m[0], m[1])];
    let determinant: f64 = (0..3).map(|i| m[0][i] * rows[0][i]).sum();
    std::array::from_fn(|i| std::array::from_fn(|j| rows[j][i] / determinant))
}

/// Columns: the real eigenvector, then real and imaginary part of that of α + iβ.
fn eigenvectors(m: &Matrix, gamma: f64, alpha: f64, beta: f64) -> Matrix {
    let shifted = |i: usize, by: f64| -> [f64; 3] {
        std::array::from_fn(|j| m[i][j] - if i == j { by } else { 0.0 })
    };
    let real = cross(shifted(0, gamma), shifted(1, gamma));
    // (a + ib) × (c + id), a + ib and c + id the first rows of M − (α + iβ).
    let (a, c) = (shifted(0, alpha), shifted(1, alpha));
    let (b, d) = ([-beta, 0.0, 0.0], [0.0, -beta, 0.0]);
    let (ac, bd, ad, bc) = (cross(a, c), cross(b, d), cross(a, d), cross(b, c));
    std::array::from_fn(|i| [real[i] / real[2], ac[i] - bd[i], ad[i] + bc[i]])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_are_separated() {
        let t = RadauTableau::new();
        let lambda = [[t.gamma, 0.0, 0.0], [0.0, t.alpha, t.beta], [0.0, -t.beta, t.alpha]];
        let product = |a: &Matrix, b: &Matrix| -> Matrix {
            std::array::from_fn(|i| {
                std::array::from_fn(|j| (0..3).map(|k| a[i][k] * b[k][j]).sum())
            })
        };
        let left = product(&t.inverse, &t.to_stages);
        let right = product(&t.to_stages, &lambda);
        let one = product(&t.a, &t.inverse);
        for i in 0..3 {
            let node: f64 = t.a[i].iter().sum();
            assert!((node - t.nodes[i]).abs() < 1e-15);
            for j in 0..3 {
                assert!((left[i][j] - right[i][j]).abs() < 1e-11);
                assert!((one[i][j] - if i == j { 1.0 } else { 0.0 }).abs() < 1e-13);
            }
        }
    }
}
