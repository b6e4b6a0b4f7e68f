//! A pendulum in Cartesian coordinates.
//!
//!   0 = (x² + y² − L²)/(2L),   φ = 2 asin(k sn(Ω t, k)),   φ̇ = 2 k Ω cn(Ω t, k),   Ω = √(g/L)   (1)
//!
//! It starts at the bottom; k = sin(amplitude/2). λ is the tension m (L φ̇² + g cos φ).

use super::elliptic::sn_cn;
use super::particle::Guide;

#[derive(Clone, Copy, Debug)]
pub struct Pendulum {
    /// kg, m, m/s².
    pub mass: f64,
    pub length: f64,
    pub gravity: f64,
    /// sin(amplitude/2).
    pub modulus: f64,
}

impl Default for Pendulum {
    fn default() -> Self {
        Self { mass: 1.5, length: 0.8, gravity: 2.0, modulus: 0.7 }
    }
}

impl Guide for Pendulum {
    fn mass(&self) -> f64 {
        self.mass
    }

    fn gap(&self, _t: f64, q: [f64; 2]) -> f64 {
        (q[0] * q[0] + q[1] * q[1] - self.length * self.length) / (2.0 * self.length)
    }

    fn normal(&self, _t: f64, q: [f64; 2]) -> [f64; 2] {
        q.map(|x| x / self.length)
    }

    fn drive(&self, _t: f64, _q: [f64; 2]) -> f64 {
        0.0
    }

    fn bias(&self, _t: f64, _q: [f64; 2], v: [f64; 2]) -> f64 {
        (v[0] * v[0] + v[1] * v[1]) / self.length
    }

    fn curvature(&self, _t: f64, _q: [f64; 2]) -> [f64; 3] {
        [1.0 / self.length, 0.0, 1.0 / self.length]
    }

    fn drive_slope(&self, _t: f64, _q: [f64; 2]) -> [f64; 2] {
        [0.0; 2]
    }

    fn force(&self, _t: f64, _q: [f64; 2], _v: [f64; 2]) -> [f64; 2] {
        [0.0, -self.mass * self.gravity]
    }

    fn motion(&self, t: f64) -> ([f64; 2], [f64; 2], f64) {
        let omega = (self.gravity / self.length).sqrt();
        let (sn, cn) = sn_cn(omega * t, self.modulus);
        let angle = 2.0 * (self.modulus * sn).asin(); // (1)
        let spin = 2.0 * self.modulus * omega * cn;
        let (s, c) = angle.sin_cos();
        let l = self.length;
        let tension = self.mass * (l * spin * spin + self.gravity * c);
        ([l * s, -l * c], [l * spin * c, l * spin * s], tension)
    }
}
