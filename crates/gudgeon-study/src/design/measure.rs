//! How evenly points fill the unit cube.
//!
//!   d_min = min_{i<j} |x_i − x_j|                                               (1)
//!   φ_p   = (Σ_{i<j} |x_i − x_j|^{−p})^{1/p}                                    (2)
//!   CD²   = (13/12)^d − 2/n Σ_i Π_k (1 + ½|z_ik| − ½ z_ik²)
//!           + 1/n² Σ_i Σ_j Π_k (1 + ½|z_ik| + ½|z_jk| − ½|z_ik − z_jk|)         (3)
//!
//! with z = x − ½. (2) tends to 1/d_min as p grows. References: Johnson, Moore, Ylvisaker 1990 (1);
//! Morris, Mitchell 1995 (2); Hickernell, *A generalized discrepancy and quadrature error bound*,
//! Math. Comp. 67 (1998) (3).

/// Squared Euclidean distance.
pub fn distance_squared(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum()
}

fn pairs(points: &[Vec<f64>]) -> impl Iterator<Item = f64> + '_ {
    let others =
        move |i: usize| points[i + 1..].iter().map(move |b| distance_squared(&points[i], b));
    (0..points.len()).flat_map(others)
}

/// The smallest distance of two points, Eq. (1); infinite for fewer than two points.
pub fn minimum_distance(points: &[Vec<f64>]) -> f64 {
    pairs(points).fold(f64::INFINITY, f64::min).sqrt()
}

/// The criterion φ_p, Eq. (2); smaller is better. Scaled by d_min, so that no power overflows.
pub fn phi_p(points: &[Vec<f64>], p: f64) -> f64 {
    let nearest = minimum_distance(points);
    if nearest == 0.0 {
        return f64::INFINITY;
    }
    let sum: f64 = pairs(points).map(|d2| (d2.sqrt() / nearest).powf(-p)).sum();
    sum.powf(1.0 / p) / nearest
}

/// The centred L² discrepancy, Eq. (3), as CD and not its square; smaller is better.
pub fn centred_discrepancy(points: &[Vec<f64>]) -> f64 {
    let n = points.len() as f64;
    let dimension = points.first().map_or(0, Vec::len);
    let single: f64 = points
        .iter()
        .map(|a| {
            a.iter().map(|x| (x - 0.5).abs()).map(|z| 1.0 + 0.5 * (z - z * z)).product::<f64>()
        })
        .sum();
    let factor = |x: &f64, y: &f64| 1.0 + 0.5 * ((x - 0.5).abs() + (y - 0.5).abs() - (x - y).abs());
    let double: f64 = points
        .iter()
        .flat_map(|a| points.iter().map(move |b| (a, b)))
        .map(|(a, b)| a.iter().zip(b).map(|(x, y)| factor(x, y)).product::<f64>())
        .sum();
    let whole = (13.0f64 / 12.0).powi(dimension as i32);
    (whole - 2.0 / n * single + double / (n * n)).max(0.0).sqrt()
}

/// Whether each of the n slices of every axis holds exactly one of the n points.
pub fn is_latin(points: &[Vec<f64>]) -> bool {
    let n = points.len();
    let dimension = points.first().map_or(0, Vec::len);
    (0..dimension).all(|k| {
        let mut seen = vec![false; n];
        points.iter().all(|point| {
            let slice = (point[k] * n as f64).floor();
            slice >= 0.0
                && (slice as usize) < n
                && !std::mem::replace(&mut seen[slice as usize], true)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64) {
        assert!((a - b).abs() <= 1e-14 * b.abs().max(1.0), "{a} is not {b}");
    }

    #[test]
    fn distances_of_a_right_triangle() {
        let points = [vec![0.0, 0.0], vec![0.3, 0.0], vec![0.3, 0.4]];
        close(minimum_distance(&points), 0.3);
        // Distances 0.3, 0.4, 0.5: Σ 1/d = 10/3 + 5/2 + 2, and Σ 1/d² = 100/9 + 25/4 + 4.
        close(phi_p(&points, 1.0), 10.0 / 3.0 + 2.5 + 2.0);
        close(phi_p(&points, 2.0), (100.0f64 / 9.0 + 6.25 + 4.0).sqrt());
        // The largest term rules for large p.
        assert!((phi_p(&points, 500.0) - 1.0 / 0.3).abs() < 1e-12);
        assert_eq!(phi_p(&[vec![0.5], vec![0.5]], 2.0), f64::INFINITY);
        assert_eq!(minimum_distance(&points[..1]), f64::INFINITY);
    }

    #[test]
    fn discrepancy_of_one_point_by_hand() {
        // x = ½: 13/12 − 2 + 1 = 1/12. x = 0, z = ½: 13/12 − 2·(1 + ¼ − ⅛) + (1 + ½) = 1/3.
        close(centred_discrepancy(&[vec![0.5]]).powi(2), 1.0 / 12.0);
        close(centred_discrepancy(&[vec![0.0]]).powi(2), 1.0 / 3.0);
        // In two dimensions at the centre: (13/12)² − 1.
        close(centred_discrepancy(&[vec![0.5, 0.5]]).powi(2), 169.0 / 144.0 - 1.0);
    }

    #[test]
    fn discrepancy_of_two_points_by_hand() {
        // x = ¼, ¾: 13/12 − 2·(1 + ⅛ − 1/32) + ¼ (2·(1 + ¼) + 2·(1 + ¼ − ¼)) = 1/48.
        close(centred_discrepancy(&[vec![0.25], vec![0.75]]).powi(2), 1.0 / 48.0);
    }

    #[test]
    fn the_test_of_latin_hypercubes_can_fail() {
        assert!(!is_latin(&[vec![0.1, 0.1], vec![0.2, 0.9]]));
        assert!(!is_latin(&[vec![0.1, 1.0], vec![0.6, 0.2]]));
        assert!(is_latin(&[vec![0.1, 0.9], vec![0.6, 0.2]]));
    }
}
