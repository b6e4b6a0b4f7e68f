//! Frequencies of the linkage in the position of an instant.

use nalgebra::{Cholesky, SymmetricEigen};

use super::vibration::Vibration;

/// Linkages of more coordinates than this have none computed: their matrices are dense here.
const MOST: usize = 400;
/// Frequencies that are reported at most.
const KEPT: usize = 10;

/// The lowest frequencies without damping and gyroscopic terms, rising, Hz; zero for free motions.
pub fn frequencies(vibration: &mut Vibration) -> Vec<f64> {
    if vibration.linkage.coordinates > MOST {
        return Vec::new();
    }
    let [m, k] = vibration.pencil();
    let Some(factor) = Cholesky::new(m) else { return Vec::new() };
    let l = factor.l();
    let Some(half) = l.solve_lower_triangular(&k) else { return Vec::new() };
    let Some(whole) = l.solve_lower_triangular(&half.transpose()) else { return Vec::new() };
    let symmetric = (&whole + whole.transpose()) * 0.5;
    let mut squares: Vec<f64> =
        SymmetricEigen::new(symmetric).eigenvalues.iter().copied().collect();
    squares.sort_by(f64::total_cmp);
    let most = squares.last().copied().unwrap_or(0.0);
    let hertz = |square: f64| match square > 1e-13 * most {
        true => square.sqrt() / std::f64::consts::TAU,
        false => 0.0,
    };
    squares.into_iter().take(KEPT).map(hertz).collect()
}
