//! A bead on a straight wire that turns at a constant rate, without gravity.
//!
//!   0 = −x sin Ωt + y cos Ωt,   r = r₀ cosh Ωt,   λ = −2 m Ω ṙ                                  (1)

use super::particle::Guide;

#[derive(Clone, Copy, Debug)]
pub struct Wire {
    /// kg, rad/s, m.
    pub mass: f64,
    pub spin: f64,
    pub start: f64,
}

impl Default for Wire {
    fn default() -> Self {
        Self { mass: 0.7, spin: 1.7, start: 0.05 }
    }
}

impl Guide for Wire {
    fn mass(&self) -> f64 {
        self.mass
    }

    fn gap(&self, t: f64, q: [f64; 2]) -> f64 {
        let (s, c) = (self.spin * t).sin_cos();
        q[1] * c - q[0] * s
    }

    fn normal(&self, t: f64, _q: [f64; 2]) -> [f64; 2] {
        let (s, c) = (self.spin * t).sin_cos();
        [-s, c]
    }

    fn drive(&self, t: f64, q: [f64; 2]) -> f64 {
        let (s, c) = (self.spin * t).sin_cos();
        -self.spin * (q[0] * c + q[1] * s)
    }

    fn bias(&self, t: f64, q: [f64; 2], v: [f64; 2]) -> f64 {
        let (s, c) = (self.spin * t).sin_cos();
        let coriolis = 2.0 * self.spin * (v[0] * c + v[1] * s);
        self.spin * self.spin * (q[0] * s - q[1] * c) - coriolis
    }

    fn curvature(&self, _t: f64, _q: [f64; 2]) -> [f64; 3] {
        [0.0; 3]
    }

    fn drive_slope(&self, t: f64, _q: [f64; 2]) -> [f64; 2] {
        let (s, c) = (self.spin * t).sin_cos();
        [-self.spin * c, -self.spin * s]
    }

    fn force(&self, _t: f64, _q: [f64; 2], _v: [f64; 2]) -> [f64; 2] {
        [0.0; 2]
    }

    fn motion(&self, t: f64) -> ([f64; 2], [f64; 2], f64) {
        let (s, c) = (self.spin * t).sin_cos();
        let r = self.start * (self.spin * t).cosh();
        let rate = self.start * self.spin * (self.spin * t).sinh();
        let across = self.spin * r;
        let v = [rate * c - across * s, rate * s + across * c];
        ([r * c, r * s], v, -2.0 * self.mass * self.spin * rate) // (1)
    }
}
