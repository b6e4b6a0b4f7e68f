//! Unit quaternions (w, x, y, z) and rotation vectors.
//!
//! A quaternion p turns body axes into world axes. It is integrated as four numbers whose length
//! drifts by rounding and truncation; every use divides by that length, so the drift has no effect.
//!
//!   ṗ = ½ p ∘ (0, ω),   ω in body axes                                                     (1)
//!   R(p ∘ exp(½ψ)) = R(p) exp(ψ×)                                                          (2)

use nalgebra::{Matrix3, Vector3};

/// R(p) for p of any length but zero.
#[inline(always)]
pub fn matrix(p: &[f64]) -> Matrix3<f64> {
    let (w, x, y, z) = (p[0], p[1], p[2], p[3]);
    let s = 2.0 / (w * w + x * x + y * y + z * z);
    Matrix3::new(
        1.0 - s * (y * y + z * z),
        s * (x * y - w * z),
        s * (x * z + w * y),
        s * (x * y + w * z),
        1.0 - s * (x * x + z * z),
        s * (y * z - w * x),
        s * (x * z - w * y),
        s * (y * z + w * x),
        1.0 - s * (x * x + y * y),
    )
}

/// Equation (1).
#[inline(always)]
pub fn rate(p: &[f64], omega: &[f64]) -> [f64; 4] {
    let (w, x, y, z) = (p[0], p[1], p[2], p[3]);
    let (a, b, c) = (0.5 * omega[0], 0.5 * omega[1], 0.5 * omega[2]);
    [-x * a - y * b - z * c, w * a + y * c - z * b, w * b + z * a - x * c, w * c + x * b - y * a]
}

/// p ∘ exp(½ψ), of length one: turns by the rotation vector ψ in body axes.
pub fn turned(p: &[f64], psi: &[f64]) -> [f64; 4] {
    let angle = (psi[0] * psi[0] + psi[1] * psi[1] + psi[2] * psi[2]).sqrt();
    let (sin, cos) = (0.5 * angle).sin_cos();
    let s = if angle > 1e-8 { sin / angle } else { 0.5 };
    let (w, x, y, z) = (p[0], p[1], p[2], p[3]);
    let (a, b, c) = (s * psi[0], s * psi[1], s * psi[2]);
    let turned = [
        w * cos - x * a - y * b - z * c,
        w * a + x * cos + y * c - z * b,
        w * b + y * cos + z * a - x * c,
        w * c + z * cos + x * b - y * a,
    ];
    normalised(turned)
}

/// p ∘ r.
pub fn product(p: &[f64; 4], r: &[f64; 4]) -> [f64; 4] {
    let ([w, x, y, z], [a, b, c, d]) = (*p, *r);
    [
        w * a - x * b - y * c - z * d,
        w * b + x * a + y * d - z * c,
        w * c + y * a + z * b - x * d,
        w * d + z * a + x * c - y * b,
    ]
}

pub fn normalised(p: [f64; 4]) -> [f64; 4] {
    let length = p.iter().map(|x| x * x).sum::<f64>().sqrt();
    p.map(|x| x / length)
}

/// A quaternion of a rotation, with w ≥ 0.
pub fn quaternion(r: &Matrix3<f64>) -> [f64; 4] {
    // The largest of the four is computed by a root, the others by division (Shepperd).
    let trace = r.trace();
    let squares = [trace, r[(0, 0)], r[(1, 1)], r[(2, 2)]];
    let largest = (0..4).fold(0, |best, i| if squares[i] > squares[best] { i } else { best });
    let skew = [r[(2, 1)] - r[(1, 2)], r[(0, 2)] - r[(2, 0)], r[(1, 0)] - r[(0, 1)]];
    let mut p = [0.0; 4];
    if largest == 0 {
        p[0] = 1.0 + trace;
        p[1..].copy_from_slice(&skew);
    } else {
        let i = largest - 1;
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        p[0] = skew[i];
        p[1 + i] = 1.0 + r[(i, i)] - r[(j, j)] - r[(k, k)];
        p[1 + j] = r[(j, i)] + r[(i, j)];
        p[1 + k] = r[(k, i)] + r[(i, k)];
    }
    let p = normalised(p);
    if p[0] < 0.0 { p.map(|x| -x) } else { p }
}

/// The rotation vector ψ of R = exp(ψ×), |ψ| ≤ π.
pub fn vector(r: &Matrix3<f64>) -> Vector3<f64> {
    let [w, x, y, z] = quaternion(r);
    let axis = Vector3::new(x, y, z);
    let sin = axis.norm();
    let angle = 2.0 * sin.atan2(w);
    if sin > 1e-12 { axis * (angle / sin) } else { axis * 2.0 }
}

/// exp(ψ×).
pub fn exponential(psi: &Vector3<f64>) -> Matrix3<f64> {
    matrix(&turned(&[1.0, 0.0, 0.0, 0.0], psi.as_slice()))
}

/// The matrix T with ψ̇ = T ω for exp(ψ×) turning at ω, both in the axes that ψ is given in:
/// T = 1 − ½ψ× + (1/θ² − cot(θ/2)/(2θ)) ψ×ψ×.
pub fn inverse_tangent(psi: &Vector3<f64>) -> Matrix3<f64> {
    let theta = psi.norm();
    let factor = if theta > 1e-3 {
        1.0 / (theta * theta) - 1.0 / (2.0 * theta * (0.5 * theta).tan())
    } else {
        1.0 / 12.0 + theta * theta / 720.0
    };
    let cross = psi.cross_matrix();
    Matrix3::identity() - cross * 0.5 + cross * cross * factor
}

/// Change of the inverse tangent when ψ changes by `by`.
pub fn inverse_tangent_change(psi: &Vector3<f64>, by: &Vector3<f64>) -> Matrix3<f64> {
    let theta = psi.norm();
    // The factor of `inverse_tangent` and its slope over θ.
    let (factor, slope) = if theta > 1e-2 {
        let (sin, cos) = (0.5 * theta).sin_cos();
        let (square, cot) = (theta * theta, cos / sin);
        let factor = 1.0 / square - cot / (2.0 * theta);
        let slope = -2.0 / square + cot / (2.0 * theta) + 0.25 / (sin * sin);
        (factor, slope / square)
    } else {
        (1.0 / 12.0 + theta * theta / 720.0, 1.0 / 360.0 + theta * theta / 7560.0)
    };
    let (x, d) = (psi.cross_matrix(), by.cross_matrix());
    d * -0.5 + (d * x + x * d) * factor + x * x * (slope * psi.dot(by))
}

/// The matrix T with ω = T ψ̇ for R exp(ψ×), ω in the axes that turn:
/// T = 1 − (1 − cosθ)/θ² ψ× + (θ − sinθ)/θ³ ψ×ψ×.
pub fn body_tangent(psi: &Vector3<f64>) -> Matrix3<f64> {
    let square = psi.norm_squared();
    let (first, second) = if square > 1e-4 {
        let theta = square.sqrt();
        ((1.0 - theta.cos()) / square, (theta - theta.sin()) / (square * theta))
    } else {
        (0.5 - square / 24.0 + square * square / 720.0, (1.0 - square / 20.0) / 6.0)
    };
    let cross = psi.cross_matrix();
    Matrix3::identity() - cross * first + cross * cross * second
}

/// The matrix T with ω = T ψ̇ for exp(ψ×), ω in the axes that ψ is given in:
/// T = 1 + a ψ× + b ψ×ψ×, a = (1 − cosθ)/θ², b = (θ − sinθ)/θ³.
pub fn tangent(psi: &Vector3<f64>) -> Matrix3<f64> {
    body_tangent(&-psi)
}

/// Change of this T when ψ changes by `by`.
pub fn tangent_change(psi: &Vector3<f64>, by: &Vector3<f64>) -> Matrix3<f64> {
    let square = psi.norm_squared();
    // a, b and their slopes over θ, divided by θ.
    let [a, b, a_slope, b_slope] = if square > 1e-2 {
        let theta = square.sqrt();
        let (sin, cos) = theta.sin_cos();
        let (a, b) = ((1.0 - cos) / square, (theta - sin) / (square * theta));
        [a, b, (sin / theta - 2.0 * a) / square, ((1.0 - cos) / square - 3.0 * b) / square]
    } else {
        let series = |first: [f64; 4]| {
            first[0] + square * (first[1] + square * (first[2] + square * first[3]))
        };
        [
            series([1.0 / 2.0, -1.0 / 24.0, 1.0 / 720.0, -1.0 / 40320.0]),
            series([1.0 / 6.0, -1.0 / 120.0, 1.0 / 5040.0, -1.0 / 362_880.0]),
            series([-1.0 / 12.0, 1.0 / 180.0, -1.0 / 6720.0, 1.0 / 453_600.0]),
            series([-1.0 / 60.0, 1.0 / 1260.0, -1.0 / 60480.0, 1.0 / 4_989_600.0]),
        ]
    };
    let (x, d) = (psi.cross_matrix(), by.cross_matrix());
    let along = psi.dot(by);
    d * a + (d * x + x * d) * b + x * (a_slope * along) + x * x * (b_slope * along)
}

/// The inverse of [`body_tangent`].
pub fn body_inverse_tangent(psi: &Vector3<f64>) -> Matrix3<f64> {
    inverse_tangent(&-psi)
}

/// The ω nearest to a rate of the quaternion p, by (1).
pub fn spin_of(p: &[f64], rate: &[f64]) -> [f64; 3] {
    let back = [p[0], -p[1], -p[2], -p[3]];
    let square: f64 = back.iter().map(|x| x * x).sum();
    let [_, x, y, z] = product(&back, &[rate[0], rate[1], rate[2], rate[3]]);
    [x, y, z].map(|w| 2.0 * w / square)
}

/// The least rotation that takes the unit vector `from` to the unit vector `to`; half a turn about
/// `spare`, a unit vector across both, where they are opposite.
pub fn between(from: &Vector3<f64>, to: &Vector3<f64>, spare: &Vector3<f64>) -> Matrix3<f64> {
    let half_turn = |axis: &Vector3<f64>| 2.0 * axis * axis.transpose() - Matrix3::identity();
    let middle = from + to;
    if middle.norm() < 1e-9 {
        return half_turn(spare);
    }
    // A half turn about `from` and one about the direction half way make the turn from one to the
    // other, about the axis across both.
    half_turn(&middle.normalize()) * half_turn(from)
}

/// (a×), the matrix of a × x.
pub fn cross_matrix(a: &Vector3<f64>) -> Matrix3<f64> {
    Matrix3::new(0.0, -a.z, a.y, a.z, 0.0, -a.x, -a.y, a.x, 0.0)
}

/// The rotation R of m = R U, U symmetric and positive: R ← ½ (R + R⁻ᵀ) from m (Higham), which doubles
/// its digits every time. Not a number where m has no inverse.
pub fn polar(m: &Matrix3<f64>) -> Matrix3<f64> {
    let mut r = *m;
    for _ in 0..40 {
        let Some(inverse) = r.try_inverse() else { return Matrix3::from_element(f64::NAN) };
        let next = (r + inverse.transpose()) * 0.5;
        let change = (next - r).amax();
        r = next;
        if change.is_nan() || change < 1e-9 {
            break; // the next change would be below rounding
        }
    }
    r
}

#[cfg(test)]
mod tests {
    use super::*;

    const PSI: [Vector3<f64>; 5] = [
        Vector3::new(0.3, -0.2, 0.9),
        Vector3::new(-2.0, 1.0, 1.5),
        Vector3::new(1e-9, 2e-9, 0.0),
        Vector3::new(0.0, 3.1, 0.0),
        Vector3::new(1e-4, -3e-4, 2e-4),
    ];

    #[test]
    fn vector_inverts_the_exponential() {
        for psi in PSI {
            let r = exponential(&psi);
            assert!((r * r.transpose() - Matrix3::identity()).amax() < 1e-15);
            assert!((vector(&r) - psi).norm() < 1e-12 * (1.0 + psi.norm()), "{psi:?}");
            assert!((matrix(&quaternion(&r)) - r).amax() < 1e-15);
        }
    }

    #[test]
    fn quaternions_turn_at_the_rate_they_are_given() {
        let p = normalised([0.4, -0.1, 0.7, 0.3]);
        let omega = Vector3::new(0.6, -1.1, 0.4);
        let h = 1e-6;
        let dot = rate(&p, omega.as_slice());
        let (after, before) =
            (turned(&p, (omega * h).as_slice()), turned(&p, (omega * -h).as_slice()));
        for i in 0..4 {
            assert!((dot[i] - (after[i] - before[i]) / (2.0 * h)).abs() < 1e-9);
        }
        let r = matrix(&p);
        let numeric = (matrix(&after) - matrix(&before)) / (2.0 * h);
        assert!((numeric - r * omega.cross_matrix()).amax() < 1e-9);
        // A longer quaternion is the same rotation.
        assert!((matrix(&p.map(|x| 1.7 * x)) - r).amax() < 1e-15);
    }

    #[test]
    fn the_inverse_tangent_gives_the_rate_of_the_rotation_vector() {
        for psi in PSI {
            let omega = Vector3::new(0.6, -1.1, 0.4);
            let h = 1e-6;
            let at = |by: f64| vector(&(exponential(&(omega * by)) * exponential(&psi)));
            let numeric = (at(h) - at(-h)) / (2.0 * h);
            assert!((inverse_tangent(&psi) * omega - numeric).norm() < 1e-7, "{psi:?}");
        }
    }

    #[test]
    fn body_tangents_invert_each_other_and_give_the_spin() {
        for psi in PSI {
            let rate = Vector3::new(0.6, -1.1, 0.4);
            let h = 1e-6;
            let at = |by: f64| exponential(&(psi + rate * by));
            let numeric = at(0.0).transpose() * (at(h) - at(-h)) / (2.0 * h);
            let spin = Vector3::new(numeric[(2, 1)], numeric[(0, 2)], numeric[(1, 0)]);
            assert!((body_tangent(&psi) * rate - spin).norm() < 1e-8, "{psi:?}");
            let product = body_tangent(&psi) * body_inverse_tangent(&psi);
            assert!((product - Matrix3::identity()).amax() < 1e-12, "{psi:?}");
        }
        let (p, omega) = ([0.4, -0.1, 0.7, 0.3], [0.6, -1.1, 0.4]);
        let found = spin_of(&p, &rate(&p, &omega));
        assert!(found.iter().zip(omega).all(|(a, b)| (a - b).abs() < 1e-14));
    }

    #[test]
    fn the_change_of_the_inverse_tangent_matches_differences() {
        for psi in PSI.into_iter().chain([Vector3::new(9.9e-3, 0.0, 0.0)]) {
            let by = Vector3::new(0.6, -1.1, 0.4);
            let h = 1e-5;
            let at = |h: f64| inverse_tangent(&(psi + by * h));
            let numeric = (at(h) - at(-h)) / (2.0 * h);
            assert!((inverse_tangent_change(&psi, &by) - numeric).amax() < 1e-8, "{psi:?}");
        }
    }

    #[test]
    fn the_tangent_turns_rates_into_spins_and_its_change_matches_differences() {
        let small = [Vector3::new(0.0999, 0.0, 0.0), Vector3::new(0.0, 0.06, -0.08)];
        for psi in PSI.into_iter().chain(small) {
            let by = Vector3::new(0.6, -1.1, 0.4);
            let h = 1e-5;
            let turned = |h: f64| exponential(&(psi + by * h));
            let numeric = (turned(h) - turned(-h)) * exponential(&psi).transpose() / (2.0 * h);
            let spin = Vector3::new(numeric[(2, 1)], numeric[(0, 2)], numeric[(1, 0)]);
            assert!((tangent(&psi) * by - spin).norm() < 1e-8, "{psi:?}");
            let at = |h: f64| tangent(&(psi + by * h));
            let numeric = (at(h) - at(-h)) / (2.0 * h);
            assert!((tangent_change(&psi, &by) - numeric).amax() < 1e-8, "{psi:?}");
        }
    }

    #[test]
    fn the_least_rotation_takes_one_axis_to_the_other() {
        let (x, y, z) = (Vector3::x(), Vector3::y(), Vector3::z());
        for to in [x, y, z, -y, Vector3::new(1.0, -2.0, 0.5).normalize(), -z] {
            let r = between(&z, &to, &x);
            assert!((r * z - to).norm() < 1e-15, "{to}");
            assert!((r.transpose() * r - Matrix3::identity()).norm() < 1e-14);
            assert!((r.determinant() - 1.0).abs() < 1e-14);
            let (angle, least) = (((r.trace() - 1.0) / 2.0).acos(), z.dot(&to).acos());
            assert!((angle - least).abs() < 1e-7, "{angle} {least}");
        }
        assert_eq!(between(&z, &z, &x), Matrix3::identity());
        assert_eq!(between(&z, &-z, &x), Matrix3::from_diagonal(&Vector3::new(1.0, -1.0, -1.0)));
    }
}
