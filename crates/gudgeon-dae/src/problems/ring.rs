//! A bead on a rough ring: friction by the reaction.
//!
//!   0 = (x² + y² − R²)/(2R),   F = −μ N(λ) φ(u) t,   u = t · v                                  (1)
//!   N = √(λ² + ε²),   φ = u/√(u² + s²)                                                          (2)
//!
//! with the tangent t. Without weight and rounding (ε = s = 0) the bead slows down by u̇ = −μ u²/R:
//!
//!   u = u₀/(1 + κ t),   ϑ = ln(1 + κ t)/μ,   λ = m u²/R,   κ = μ u₀/R                           (3)

use super::particle::{Friction, Guide};

#[derive(Clone, Copy, Debug)]
pub struct Ring {
    /// kg, m, m/s².
    pub mass: f64,
    pub radius: f64,
    pub gravity: f64,
    /// μ.
    pub friction: f64,
    /// u₀, m/s.
    pub speed: f64,
    /// ε, N, and s, m/s.
    pub least_force: f64,
    pub slow: f64,
}

impl Default for Ring {
    fn default() -> Self {
        Self {
            mass: 0.7,
            radius: 0.9,
            gravity: 0.0,
            friction: 0.15,
            speed: 2.5,
            least_force: 0.0,
            slow: 0.0,
        }
    }
}

impl Ring {
    /// A ring that stands upright, with rounded friction: it has no solution in closed form.
    pub fn upright() -> Self {
        Self { gravity: 9.81, least_force: 0.05, slow: 0.02, speed: 4.0, ..Self::default() }
    }
}

impl Guide for Ring {
    fn mass(&self) -> f64 {
        self.mass
    }

    fn gap(&self, _t: f64, q: [f64; 2]) -> f64 {
        (q[0] * q[0] + q[1] * q[1] - self.radius * self.radius) / (2.0 * self.radius)
    }

    fn normal(&self, _t: f64, q: [f64; 2]) -> [f64; 2] {
        q.map(|x| x / self.radius)
    }

    fn drive(&self, _t: f64, _q: [f64; 2]) -> f64 {
        0.0
    }

    fn bias(&self, _t: f64, _q: [f64; 2], v: [f64; 2]) -> f64 {
        (v[0] * v[0] + v[1] * v[1]) / self.radius
    }

    fn curvature(&self, _t: f64, _q: [f64; 2]) -> [f64; 3] {
        [1.0 / self.radius, 0.0, 1.0 / self.radius]
    }

    fn drive_slope(&self, _t: f64, _q: [f64; 2]) -> [f64; 2] {
        [0.0; 2]
    }

    fn force(&self, _t: f64, _q: [f64; 2], _v: [f64; 2]) -> [f64; 2] {
        [0.0, -self.mass * self.gravity]
    }

    fn friction(&self, q: [f64; 2], v: [f64; 2], lambda: f64) -> Option<Friction> {
        let r = q[0].hypot(q[1]);
        let (t, n) = ([-q[1] / r, q[0] / r], [q[0] / r, q[1] / r]);
        let u = t[0] * v[0] + t[1] * v[1];
        let (pressed, root) = (lambda.hypot(self.least_force), u.hypot(self.slow));
        let (phi, slope) = (u / root, self.slow * self.slow / (root * root * root));
        let normal_slope = if pressed > 0.0 { lambda / pressed } else { 0.0 };
        // ∂t/∂q = −n tᵀ/r, so ∂u/∂q = −(n · v) tᵀ/r.
        let across = (n[0] * v[0] + n[1] * v[1]) / r;
        let (f, mu) = (self.friction * pressed, self.friction);
        let dyad = |a: [f64; 2]| a.map(|a| [a * t[0], a * t[1]]);
        let change = [0, 1].map(|i| f * (slope * across * t[i] + phi * n[i] / r));
        Some(Friction {
            force: t.map(|t| -f * phi * t),
            by_q: dyad(change),
            by_v: dyad(t.map(|t| -f * slope * t)),
            by_lambda: t.map(|t| -mu * normal_slope * phi * t),
        })
    }

    fn motion(&self, t: f64) -> ([f64; 2], [f64; 2], f64) {
        let grown = 1.0 + self.friction * self.speed / self.radius * t;
        let (angle, u) = (grown.ln() / self.friction, self.speed / grown); // (3)
        let (s, c) = angle.sin_cos();
        let lambda = self.mass * u * u / self.radius;
        ([self.radius * c, self.radius * s], [-u * s, u * c], lambda)
    }
}
