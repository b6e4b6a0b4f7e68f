//! Decompositions that always end.
//!
//! Iterations on numbers that are not finite, or whose squares are not, never converge. Matrices are
//! brought near to one where they are far from it, and iterations are counted.

use nalgebra::{Complex, DMatrix, DVector, Dyn, Matrix3, SVD, Schur, SymmetricEigen, Vector3};

/// Largest entries in between are left as they are: their squares are finite and not zero.
const FAR: std::ops::Range<f64> = 1e-100..1e100;

/// Iterations that a matrix of this size may take; a few per row are common.
fn iterations(size: usize) -> usize {
    1000 + 100 * size
}

/// The largest entry of a matrix that is far from one, else one; none where it is not finite.
pub(crate) fn scale<'a>(entries: impl IntoIterator<Item = &'a f64>) -> Option<f64> {
    let mut largest = 0.0_f64;
    for entry in entries {
        if !entry.is_finite() {
            return None;
        }
        largest = largest.max(entry.abs());
    }
    Some(if largest == 0.0 || FAR.contains(&largest) { 1.0 } else { largest })
}

/// U Σ Vᵀ.
pub(crate) fn svd(mut matrix: DMatrix<f64>) -> Option<SVD<f64, Dyn, Dyn>> {
    let scale = scale(matrix.iter())?;
    if scale != 1.0 {
        matrix.unscale_mut(scale);
    }
    let most = iterations(matrix.nrows().max(matrix.ncols()));
    let mut svd = SVD::try_new(matrix, true, true, 5.0 * f64::EPSILON, most)?;
    if scale != 1.0 {
        svd.singular_values.scale_mut(scale);
    }
    Some(svd)
}

/// Eigenvalues, over the largest entry where that is far from one, and eigenvectors of a symmetric
/// matrix.
pub(crate) fn symmetric(mut matrix: DMatrix<f64>) -> Option<(DVector<f64>, DMatrix<f64>)> {
    let scale = scale(matrix.iter())?;
    if scale != 1.0 {
        matrix.unscale_mut(scale);
    }
    let most = iterations(matrix.nrows());
    let eigen = SymmetricEigen::try_new(matrix, f64::EPSILON, most)?;
    Some((eigen.eigenvalues, eigen.eigenvectors))
}

/// Eigenvalues of any matrix. Where many lie close together, shifts of the QR steps are lost in rounding and the steps
/// go on for ever: more and more is then taken for nothing beside its neighbours, up to 1e-10.
pub(crate) fn eigenvalues(matrix: &DMatrix<f64>) -> Option<Vec<Complex<f64>>> {
    scale(matrix.iter())?;
    let most = iterations(matrix.nrows());
    let mut shares = [1.0, 16.0, 256.0, 4096.0, 65536.0, 1e6].into_iter();
    let schur =
        shares.find_map(|share| Schur::try_new(matrix.clone(), share * f64::EPSILON, most))?;
    Some(schur.complex_eigenvalues().iter().copied().collect())
}

/// The same of a matrix of three rows.
pub(crate) fn symmetric3(matrix: &Matrix3<f64>) -> Option<(Vector3<f64>, Matrix3<f64>)> {
    let scale = scale(matrix.iter())?;
    let eigen = SymmetricEigen::try_new(matrix / scale, f64::EPSILON, iterations(3))?;
    Some((eigen.eigenvalues * scale, eigen.eigenvectors))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn singular_values_of_matrices_far_from_one() {
        for size in [1e-308, 1e-160, 1.0, 1e160, 1e308] {
            let matrix = DMatrix::from_row_slice(2, 2, &[size, 0.0, 0.0, 0.5 * size]);
            let found = svd(matrix).expect("ends").singular_values;
            assert!((found[0] / size - 1.0).abs() < 1e-14, "{size}: {found}");
            assert!((found[1] / size - 0.5).abs() < 1e-14, "{size}: {found}");
        }
    }

    #[test]
    fn eigenvalues_of_a_cluster() {
        // A triangle of equal values but for two, seen from other axes.
        let n = 12;
        let mut matrix = DMatrix::<f64>::from_fn(n, n, |i, j| match (i == j, i < j) {
            (true, _) => [-0.04, 1e-14, 0.7][if i < 10 { 0 } else { i - 9 }],
            (false, true) => 0.01 / (1.0 + (j - i) as f64),
            _ => 0.0,
        });
        let w = DVector::from_fn(n, |i, _| 1.0 + 0.3 * i as f64).normalize();
        let turn = DMatrix::identity(n, n) - &w * w.transpose() * 2.0;
        matrix = &turn * matrix * &turn;
        let found = eigenvalues(&matrix).expect("ends");
        let near = |x: f64| found.iter().filter(|z| (z.re - x).hypot(z.im) < 1e-10).count();
        assert_eq!((near(0.7), near(0.0)), (1, 1), "{found:?}");
    }

    #[test]
    fn what_is_not_finite_has_no_decomposition() {
        for bad in [f64::NAN, f64::INFINITY] {
            assert!(svd(DMatrix::from_element(3, 3, bad)).is_none());
            assert!(symmetric(DMatrix::from_element(3, 3, bad)).is_none());
            assert!(symmetric3(&Matrix3::from_element(bad)).is_none());
        }
    }
}
