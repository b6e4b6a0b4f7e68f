//! Sommerfeld's substitution as a map of the circle onto itself that widens the narrow gap.
//!
//!   tan(γ/2) = √((1+ε)/(1−ε)) tan(ψ/2)                                                       (1)
//!
//! ψ is counted from the narrow gap; ε is that of the gap or less.

use std::f64::consts::TAU;

#[derive(Clone, Copy, Debug)]
pub struct Sommerfeld {
    e: f64,
    q: f64,
}

/// A point of the circle.
#[derive(Clone, Copy, Debug)]
pub struct SommerfeldPoint {
    /// cosψ and sinψ.
    pub cos: f64,
    pub sin: f64,
    /// dψ/dγ.
    pub slope: f64,
}

impl Sommerfeld {
    pub fn new(e: f64) -> Self {
        Self { e, q: ((1.0 - e) * (1.0 + e)).sqrt() }
    }

    /// γ of ψ; full turns are kept.
    pub fn gamma(&self, psi: f64) -> f64 {
        let turns = (psi / TAU).round();
        let half = 0.5 * (psi - turns * TAU);
        let wide = self.q / (1.0 - self.e);
        2.0 * (wide * half.sin()).atan2(half.cos()) + turns * TAU
    }

    /// The point at γ, given by its cosine and sine.
    #[inline]
    pub fn point(&self, cos: f64, sin: f64) -> SommerfeldPoint {
        let over = 1.0 / (1.0 + self.e * cos);
        SommerfeldPoint {
            cos: (cos + self.e) * over,
            sin: self.q * sin * over,
            slope: self.q * over,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_map_and_its_points_agree() {
        for e in [0.0, 0.5, 0.99] {
            let map = Sommerfeld::new(e);
            for k in -20..20 {
                let psi = 0.31 * k as f64;
                let (sin, cos) = map.gamma(psi).sin_cos();
                let point = map.point(cos, sin);
                assert!((point.cos - psi.cos()).abs() < 1e-13, "{e} {psi}");
                assert!((point.sin - psi.sin()).abs() < 1e-13, "{e} {psi}");
                let slope = (map.gamma(psi + 1e-6) - map.gamma(psi - 1e-6)) / 2e-6;
                assert!((slope * point.slope - 1.0).abs() < 1e-6, "{e} {psi}");
            }
        }
    }
}
