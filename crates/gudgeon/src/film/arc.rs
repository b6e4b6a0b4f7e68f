//! Integrals over the half circle on which a short film carries.
//!
//! With h = 1 − ε·n and the half circle n·ν > 0,
//!
//!   A = ∫ n n /h³ dθ,   D = 3 ∫ n n (n·ν)/h⁴ dθ                                              (1)
//!
//! The slice's force is −A ν. Its integrand vanishes at the ends of the half circle, so ∂/∂ν of it is
//! −A and ∂/∂ε is −D, with no terms from the ends.
//!
//! Count ψ from the narrowest gap, h = 1 − ε cosψ. Sommerfeld's substitution
//!
//!   h = q²/(1 + ε cosγ),   cosψ = (cosγ + ε)/(1 + ε cosγ),   sinψ = q sinγ/(1 + ε cosγ)       (2)
//!
//! with q² = 1 − ε² turns (1) into polynomials of cosγ and sinγ without any division by ε:
//!
//!   dψ cosᵃψ sinᵇψ/hⁿ = q^(b+1−2n) (cosγ + ε)ᵃ sinᵇγ dγ   where a + b = n − 1                  (3)

use nalgebra::{Matrix2, Vector2};

/// A and D of (1), in the axes of ε and ν.
#[derive(Clone, Copy, Debug)]
pub struct Arc {
    pub a: Matrix2<f64>,
    pub d: Matrix2<f64>,
}

impl Arc {
    /// Integrals over n·ν > 0; for ν = 0 half of those over the full circle.
    pub fn new(eccentricity: Vector2<f64>, nu: Vector2<f64>) -> Self {
        let e = eccentricity.norm();
        let u = if e > 0.0 { eccentricity / e } else { Vector2::x() };
        let w = Vector2::new(-u.y, u.x);
        let local = Vector2::new(nu.dot(&u), nu.dot(&w));
        let speed = nu.norm();
        let turn = Matrix2::from_columns(&[u, w]);
        let back = turn.transpose();
        if speed == 0.0 {
            return Self { a: turn * half_of_full_circle(e) * back, d: Matrix2::zeros() };
        }
        let (a, d) = half_circle(e, local / speed);
        Self { a: turn * a * back, d: turn * (d * speed) * back }
    }
}

/// ½ ∫ n n/h³ dθ over the full circle.
fn half_of_full_circle(e: f64) -> Matrix2<f64> {
    use std::f64::consts::PI;
    let q2 = (1.0 - e) * (1.0 + e);
    let q3 = q2 * q2.sqrt();
    Matrix2::new((0.5 + e * e) * PI / (q3 * q2), 0.0, 0.0, 0.5 * PI / q3)
}

/// A and D for a unit vector ν; first axis along ε.
fn half_circle(e: f64, nu: Vector2<f64>) -> (Matrix2<f64>, Matrix2<f64>) {
    let q2 = (1.0 - e) * (1.0 + e);
    let q = q2.sqrt();
    let (h1, h2) = (1.0 - e * nu.y, 1.0 + e * nu.y); // at the start and the end of the half circle
    let (s1, c1) = (-q * nu.x / h1, (nu.y - e) / h1); // sinγ, cosγ there
    let (s2, c2) = (q * nu.x / h2, (-nu.y - e) / h2);
    let more = (2.0 * e * q * nu.x).atan2(1.0 - e * e * (1.0 + nu.x * nu.x));
    let all = std::f64::consts::PI + more; // ∫dγ
    let (cos, sin) = (s2 - s1, c1 - c2);
    let cos_sin = 0.5 * (s2 * s2 - s1 * s1);
    let swing = 0.5 * (s2 * c2 - s1 * c1);
    let (cos2, sin2) = (0.5 * all + swing, 0.5 * all - swing);
    let (cos_sin2, cos2_sin) = ((cube(s2) - cube(s1)) / 3.0, (cube(c1) - cube(c2)) / 3.0);
    let (cos3, sin3) = (cos - cos_sin2, sin - cos2_sin);

    let (q3, q4, q5) = (q2 * q, q2 * q2, q2 * q2 * q);
    let a_uu = (cos2 + e * (2.0 * cos + e * all)) / q5;
    let a_uw = (cos_sin + e * sin) / q4;
    let a_ww = sin2 / q3;
    let t_uuu = (cos3 + e * (3.0 * cos2 + e * (3.0 * cos + e * all))) / (q5 * q2);
    let t_uuw = (cos2_sin + e * (2.0 * cos_sin + e * sin)) / (q4 * q2);
    let t_uww = (cos_sin2 + e * sin2) / q5;
    let t_www = sin3 / q4;
    let d_uu = 3.0 * (t_uuu * nu.x + t_uuw * nu.y);
    let d_uw = 3.0 * (t_uuw * nu.x + t_uww * nu.y);
    let d_ww = 3.0 * (t_uww * nu.x + t_www * nu.y);
    (Matrix2::new(a_uu, a_uw, a_uw, a_ww), Matrix2::new(d_uu, d_uw, d_uw, d_ww))
}

fn cube(x: f64) -> f64 {
    x * x * x
}

#[cfg(test)]
mod tests {
    use super::super::gauss::Gauss;
    use super::*;

    /// (1) by brute force: 40 × 8 Gauss points on the half circle.
    fn by_quadrature(e: Vector2<f64>, nu: Vector2<f64>) -> (Matrix2<f64>, Matrix2<f64>) {
        let gauss = Gauss::new(8);
        let start = nu.y.atan2(nu.x) - std::f64::consts::FRAC_PI_2;
        let (mut a, mut d) = (Matrix2::zeros(), Matrix2::zeros());
        let piece = std::f64::consts::PI / 40.0;
        for k in 0..40 {
            let from = start + k as f64 * piece;
            for (theta, w) in gauss.on(from, from + piece) {
                let n = Vector2::new(theta.cos(), theta.sin());
                let h = 1.0 - n.dot(&e);
                a += n * n.transpose() * (w / (h * h * h));
                d += n * n.transpose() * (3.0 * w * n.dot(&nu) / (h * h * h * h));
            }
        }
        (a, d)
    }

    #[test]
    fn closed_forms_equal_quadrature_from_the_centre_to_the_wall() {
        for e in [0.0, 1e-12, 1e-6, 0.1, 0.5, 0.9, 0.98] {
            for k in 0..24 {
                let (direction, to) = (0.4, 0.4 + 0.2618 * k as f64);
                let e = Vector2::new(e * f64::cos(direction), e * f64::sin(direction));
                let nu = Vector2::new(f64::cos(to), f64::sin(to)) * 3.0;
                let (a, d) = by_quadrature(e, nu);
                let arc = Arc::new(e, nu);
                // Beside the wide gap the integrals are small: rounding is that of the narrow side.
                let near = 1e-13 / (1.0 - e.norm_squared()).powi(3);
                assert!((arc.a - a).norm() < 1e-11 * a.norm() + near, "{e:?} {nu:?}");
                assert!((arc.d - d).norm() < 1e-11 * d.norm() + near, "{e:?} {nu:?}");
            }
        }
    }
}
