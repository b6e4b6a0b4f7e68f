//! A slice of a long film that oil enters from the far ends only.
//!
//! Around the circle Reynolds' equation of an aligned journal leaves (∮ h³ p dθ)_ζζ = 0, at any length,
//! while the film is whole; p = 0 at both ends, hence in every slice
//!
//!   ∮ h³ p dθ = 0                                                                             (1)
//!
//! With Φ = (sinθ, −cosθ), S = Φ·ν and d = 1 + 3ε²/2 the slice has
//!
//!   h³ p_θ = C − S,   C = −3 e×ν/(2 + ε²)                                                     (2)
//!   p = [ (n·ν) (1 + h)/h² + (e·ν) (1/d + 1/(2h²)) ]/(2 + ε²)                                 (3)
//!
//! analytic in e through the centre. p rises where S < C and has one crest and one trough.
//! *Half-Sommerfeld* drops the negative part of (3). A *Reynolds* film would be dry on an arc with
//! n·ν ≤ 0 and the same S at both edges; as S falls on all of that arc there is none. The film stays
//! whole and its level rises until nothing is drawn: p is (3) less its least value, and the force that of
//! the whole ring, −π ν/q³ along e and −2π ν/((2 + ε²) q) across. Finite films come to both as they
//! grow longer.
//!
//! The positive part is summed by parts: its p is zero at both ends, so for any constant K
//!
//!   F = −∫ p n dθ = ∫ (Φ − K) p_θ dθ                                                          (4)
//!
//! and its derivatives likewise, with the ends' share of ∂p. In Sommerfeld's γ the integrands are polynomials
//! of cosγ and sinγ, which Gauss points sum to rounding; K is Φ at the narrow gap, where all
//! the rest is large.
//!
//! A tilted journal has (1) slice by slice as well, a choice: its slices exchange oil.

use std::f64::consts::{PI, TAU};

use nalgebra::{Matrix2, Vector2};

use super::{Slice, sign_change};
use crate::film::finite::Cavitation;
use crate::film::gauss::Gauss;
use crate::film::sommerfeld::Sommerfeld;
use crate::film::state::turned;

/// A slice in the axes of its narrow gap: u along e, w across.
struct Ring {
    e: f64,
    /// ν along u and w.
    nu: Vector2<f64>,
    /// 1 − ε² and 2 + ε².
    q2: f64,
    two: f64,
    map: Sommerfeld,
    u: Vector2<f64>,
}

/// Derivatives of the force by ν and by e, along u and w.
struct Slopes {
    by_nu: Matrix2<f64>,
    by_e: Matrix2<f64>,
}

/// p of (3) with its derivatives by ν and by e.
struct Pressure {
    p: f64,
    by_nu: Vector2<f64>,
    by_e: Vector2<f64>,
}

/// A place on the ring: n, Φ − K, 1/h and dψ/dγ.
struct RingPoint {
    n: Vector2<f64>,
    phi: Vector2<f64>,
    over: f64,
    slope: f64,
}

pub fn slice(e: Vector2<f64>, nu: Vector2<f64>, cavitation: Cavitation, gauss: &Gauss) -> Slice {
    let ring = Ring::new(e, nu);
    let mut slopes = match cavitation {
        Cavitation::HalfSommerfeld if nu != Vector2::zeros() => ring.positive(gauss),
        _ => ring.whole(),
    };
    if cavitation == Cavitation::HalfSommerfeld && nu == Vector2::zeros() {
        slopes.by_nu *= 0.5; // see `Ends::at_rest`
    }
    let axes = Matrix2::from_columns(&[ring.u, turned(ring.u)]);
    let [by_nu, by_e] = [slopes.by_nu, slopes.by_e].map(|slope| axes * slope * axes.transpose());
    Slice { force: by_nu * nu, by_e, by_nu }
}

/// p at θ, in 12 μ (R/c)².
pub fn pressure(e: Vector2<f64>, nu: Vector2<f64>, cavitation: Cavitation, theta: f64) -> f64 {
    let ring = Ring::new(e, nu);
    let at = |psi: f64| ring.at(&ring.point(ring.map.gamma(psi))).p;
    let here = at(theta - ring.u.y.atan2(ring.u.x));
    match cavitation {
        Cavitation::HalfSommerfeld => here.max(0.0),
        Cavitation::Reynolds => (here - at(ring.crest_and_trough()[1])).max(0.0),
    }
}

impl Ring {
    fn new(e: Vector2<f64>, nu: Vector2<f64>) -> Self {
        let size = e.norm();
        let u = if size > 0.0 { e / size } else { Vector2::x() };
        Self {
            e: size,
            nu: Vector2::new(nu.dot(&u), nu.dot(&turned(u))),
            q2: (1.0 - size) * (1.0 + size),
            two: 2.0 + size * size,
            map: Sommerfeld::new(size),
            u,
        }
    }

    fn point(&self, gamma: f64) -> RingPoint {
        let (sin, cos) = gamma.sin_cos();
        let point = self.map.point(cos, sin);
        let wide = 1.0 + self.e * cos;
        let phi = Vector2::new(point.sin, (1.0 - self.e) * (1.0 - cos) / wide);
        let n = Vector2::new(point.cos, point.sin);
        RingPoint { n, phi, over: wide / self.q2, slope: point.slope }
    }

    /// (3).
    fn at(&self, point: &RingPoint) -> Pressure {
        let Self { e, nu, two, .. } = *self;
        let RingPoint { n, over, .. } = *point;
        let d = 1.0 + 1.5 * e * e;
        let (over2, pressed, along) = (over * over, n.dot(&nu), e * nu.x);
        let (a, b) = (over2 + over, 1.0 / d + 0.5 * over2);
        let p = (pressed * a + along * b) / two;
        let by_h = n * (pressed * (2.0 * over + 1.0) * over2 + along * over2 * over);
        let outward = Vector2::new(e * (3.0 * along / (d * d) + 2.0 * p), 0.0);
        let by_nu = (n * a + Vector2::new(e * b, 0.0)) / two;
        Pressure { p, by_nu, by_e: (by_h + nu * b - outward) / two }
    }

    /// Angles ψ of the highest and of the lowest pressure, in this order within a turn: S = C.
    fn crest_and_trough(&self) -> [f64; 2] {
        let flow = -3.0 * self.e * self.nu.y / self.two;
        let past = (flow / self.nu.norm().max(f64::MIN_POSITIVE)).clamp(-1.0, 1.0).asin();
        let to = self.nu.y.atan2(self.nu.x);
        [to + past, to + PI - past]
    }

    /// The whole ring.
    fn whole(&self) -> Slopes {
        let Self { e, nu, q2, two, .. } = *self;
        let q3 = q2 * q2.sqrt();
        let (along, across) = (PI / q3, TAU * q2 / (two * q3));
        let by_radius = Vector2::new(
            3.0 * PI * e / (q3 * q2) * nu.x,
            3.0 * TAU * e * e * e / (two * two * q3) * nu.y,
        );
        // Turned as a whole, the ring keeps its force in turned axes.
        let around = Vector2::new(nu.y, nu.x) * (3.0 * PI * e / (two * q3));
        Slopes {
            by_nu: -Matrix2::new(along, 0.0, 0.0, across),
            by_e: -Matrix2::from_columns(&[by_radius, around]),
        }
    }

    /// The part with p > 0, which (1) leaves on every ring that is pressed.
    fn positive(&self, gauss: &Gauss) -> Slopes {
        let [crest, trough] = self.crest_and_trough().map(|psi| self.map.gamma(psi));
        let p = |gamma: f64| self.at(&self.point(gamma)).p;
        let wet = [sign_change(p, trough - TAU, crest), sign_change(p, crest, trough)];
        let mut out = self.integrate(wet, gauss);
        for (gamma, sign) in wet.into_iter().zip([1.0, -1.0]) {
            let point = self.point(gamma);
            let end = self.at(&point);
            out.by_nu += point.phi * end.by_nu.transpose() * sign;
            out.by_e += point.phi * end.by_e.transpose() * sign;
        }
        out
    }

    /// (4) between two places, without what their ends add.
    fn integrate(&self, wet: [f64; 2], gauss: &Gauss) -> Slopes {
        let Self { e, nu, two, .. } = *self;
        // Of C − S: at the narrow gap, and the rest.
        let narrow = (1.0 - e) * (2.0 - e) / two;
        let flow_by_e = Vector2::new(-3.0 * nu.y * (2.0 - e * e) / (two * two), 3.0 * nu.x / two);
        let mut out = Slopes { by_nu: Matrix2::zeros(), by_e: Matrix2::zeros() };
        let middle = 0.5 * (wet[0] + wet[1]);
        for (from, to) in [(wet[0], middle), (middle, wet[1])] {
            for (gamma, w) in gauss.on(from, to) {
                let RingPoint { n, phi, over, slope } = self.point(gamma);
                let part = phi * (w * slope * over * over * over);
                let flow_by_nu = Vector2::new(-phi.x, narrow - phi.y);
                out.by_nu += part * flow_by_nu.transpose();
                let steeper = n * (3.0 * over * flow_by_nu.dot(&nu));
                out.by_e += part * (flow_by_e + steeper).transpose();
            }
        }
        out
    }
}
