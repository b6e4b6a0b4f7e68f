//! A bead on a parabola that moves up and down, with a made-up motion and reaction.
//!
//!   0 = y − ½ x² − ¼ sin 3t                                                                    (1)
//!   x(t) = sin t,   λ(t) = 1 + ½ cos 2t                                                        (2)
//!   f = m a(t) + λ(t) n(q(t)) − 5 (q − q(t)) − (v − v(t))                                      (3)
//!
//! On the motion (2) the last two terms vanish; off it they make the equations nonlinear and stable.

use super::particle::Guide;

#[derive(Clone, Copy, Debug)]
pub struct Bead {
    /// kg.
    pub mass: f64,
}

impl Default for Bead {
    fn default() -> Self {
        Self { mass: 1.2 }
    }
}

impl Bead {
    fn acceleration(t: f64) -> [f64; 2] {
        // ÿ = ẋ² + x ẍ − (9/4) sin 3t
        let (s, c) = t.sin_cos();
        [-s, c * c - s * s - 2.25 * (3.0 * t).sin()]
    }
}

impl Guide for Bead {
    fn mass(&self) -> f64 {
        self.mass
    }

    fn gap(&self, t: f64, q: [f64; 2]) -> f64 {
        q[1] - 0.5 * q[0] * q[0] - 0.25 * (3.0 * t).sin() // (1)
    }

    fn normal(&self, _t: f64, q: [f64; 2]) -> [f64; 2] {
        [-q[0], 1.0]
    }

    fn drive(&self, t: f64, _q: [f64; 2]) -> f64 {
        -0.75 * (3.0 * t).cos()
    }

    fn bias(&self, t: f64, _q: [f64; 2], v: [f64; 2]) -> f64 {
        2.25 * (3.0 * t).sin() - v[0] * v[0]
    }

    fn force(&self, t: f64, q: [f64; 2], v: [f64; 2]) -> [f64; 2] {
        let (p, u, lambda) = self.motion(t);
        let (a, n) = (Self::acceleration(t), self.normal(t, p));
        std::array::from_fn(|i| {
            self.mass * a[i] + lambda * n[i] - 5.0 * (q[i] - p[i]) - (v[i] - u[i]) // (3)
        })
    }

    fn motion(&self, t: f64) -> ([f64; 2], [f64; 2], f64) {
        let (s, c) = t.sin_cos();
        let q = [s, 0.5 * s * s + 0.25 * (3.0 * t).sin()];
        (q, [c, s * c + 0.75 * (3.0 * t).cos()], 1.0 + 0.5 * (2.0 * t).cos()) // (2)
    }
}
