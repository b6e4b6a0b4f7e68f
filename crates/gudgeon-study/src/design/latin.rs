//! Latin hypercubes: n points such that each of the n slices of every axis holds exactly one.
//!
//!   x_ik = (π_k(i) + s_ik) / n                                            (1)
//!
//! with a random permutation π_k of 0 … n − 1 per axis k and a place s in the slice: uniform in
//! [0, 1) for the random kind, ½ for the centred kind. Reference: McKay, Beckman, Conover, *A
//! comparison of three methods for selecting values of input variables*, Technometrics 21 (1979).

use super::{DesignError, check_size, stream};

/// A random permutation per axis: `slices[k][i]` is the slice of point i on axis k.
pub(super) fn permutations(points: usize, dimension: usize, seed: u64) -> Vec<Vec<usize>> {
    let axis = |k: usize| {
        let mut slices: Vec<usize> = (0..points).collect();
        stream(seed, k as u64).shuffle(&mut slices);
        slices
    };
    (0..dimension).map(axis).collect()
}

/// A Latin hypercube with points at random places of their slices.
pub fn latin_random(
    points: usize,
    dimension: usize,
    seed: u64,
) -> Result<Vec<Vec<f64>>, DesignError> {
    check_size(points, dimension)?;
    let slices = permutations(points, dimension, seed);
    let mut places = stream(seed, dimension as u64);
    let row = |i: usize| slices.iter().map(|axis| place(axis[i], places.unit(), points)).collect();
    Ok((0..points).map(row).collect())
}

/// A Latin hypercube with points in the middle of their slices.
pub fn latin_centred(
    points: usize,
    dimension: usize,
    seed: u64,
) -> Result<Vec<Vec<f64>>, DesignError> {
    check_size(points, dimension)?;
    Ok(centred_rows(&permutations(points, dimension, seed), points))
}

pub(super) fn centred_rows(slices: &[Vec<usize>], points: usize) -> Vec<Vec<f64>> {
    let row = |i: usize| slices.iter().map(|axis| place(axis[i], 0.5, points)).collect();
    (0..points).map(row).collect()
}

/// Eq. (1), kept inside the slice whatever the rounding.
fn place(slice: usize, within: f64, points: usize) -> f64 {
    let x = (slice as f64 + within) / points as f64;
    let end = (slice + 1) as f64 / points as f64;
    if x < end { x } else { end.next_down() }
}

#[cfg(test)]
mod tests {
    use super::super::measure::is_latin;
    use super::*;

    #[test]
    fn random_and_centred_hypercubes_are_latin() {
        for n in [1, 2, 7, 100] {
            for seed in 0..20 {
                assert!(is_latin(&latin_random(n, 4, seed).unwrap()));
                assert!(is_latin(&latin_centred(n, 4, seed).unwrap()));
            }
        }
    }

    #[test]
    fn centred_points_sit_in_the_middle() {
        let points = latin_centred(4, 2, 3).unwrap();
        assert!(points.iter().flatten().all(|x| [0.125, 0.375, 0.625, 0.875].contains(x)));
    }

    #[test]
    fn axes_are_permuted_independently() {
        let points = latin_centred(50, 2, 1).unwrap();
        assert!(points.iter().any(|p| p[0] != p[1]));
    }
}
