//! A bead on a parabola that moves up and down, with a made-up motion and reaction.
//!
//!   0 = y − ½ x² − ¼ sin 3t                                                                    (1)
//!   x(t) = sin t,   λ(t) = 1 + ½ cos 2t                                                        (2)
//!   f = m a(t) + λ(t) n(q(t)) − k (q − q(t)) − d (v − v(t))                                    (3)
//!
//! On the motion (2) the last two terms vanish; off it they make the equations nonlinear and stable,
//! and as stiff as k and d are large. A step of λ where x passes a level may be added: the motion
//! stays, the force and the reaction jump.

use super::particle::Guide;

#[derive(Clone, Copy, Debug)]
pub struct Bead {
    /// kg, N/m, N s/m.
    pub mass: f64,
    pub stiffness: f64,
    pub damping: f64,
    /// Where λ jumps by 1, if anywhere.
    pub jump: Option<Jump>,
}

/// A jump of the reaction where x passes a level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Jump {
    pub level: f64,
    /// Whether x is above the level.
    pub above: bool,
}

impl Default for Bead {
    fn default() -> Self {
        Self { mass: 1.2, stiffness: 5.0, damping: 1.0, jump: None }
    }
}

impl Bead {
    /// A bead that is held by a spring and a damper with time constants far below its motion.
    pub fn stiff(stiffness: f64, damping: f64) -> Self {
        Self { stiffness, damping, ..Self::default() }
    }

    /// A bead whose reaction jumps where x passes a level upwards.
    pub fn jumping(level: f64) -> Self {
        Self { jump: Some(Jump { level, above: false }), ..Self::default() }
    }

    /// Passes the level.
    pub fn handle(&mut self) {
        if let Some(jump) = &mut self.jump {
            jump.above = !jump.above;
        }
    }

    fn reaction(&self, t: f64) -> f64 {
        let jumped = self.jump.is_some_and(|jump| jump.above);
        1.0 + 0.5 * (2.0 * t).cos() + f64::from(u8::from(jumped)) // (2)
    }

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

    fn curvature(&self, _t: f64, _q: [f64; 2]) -> [f64; 3] {
        [-1.0, 0.0, 0.0]
    }

    fn drive_slope(&self, _t: f64, _q: [f64; 2]) -> [f64; 2] {
        [0.0; 2]
    }

    fn hold(&self) -> (f64, f64) {
        (self.stiffness, self.damping)
    }

    fn switch(&self, q: [f64; 2]) -> Option<f64> {
        let jump = self.jump?;
        Some(if jump.above { q[0] - jump.level } else { jump.level - q[0] })
    }

    fn force(&self, t: f64, q: [f64; 2], v: [f64; 2]) -> [f64; 2] {
        let (p, u, lambda) = self.motion(t);
        let (a, n) = (Self::acceleration(t), self.normal(t, p));
        std::array::from_fn(|i| {
            let held = self.stiffness * (q[i] - p[i]) + self.damping * (v[i] - u[i]);
            self.mass * a[i] + lambda * n[i] - held // (3)
        })
    }

    fn motion(&self, t: f64) -> ([f64; 2], [f64; 2], f64) {
        let (s, c) = t.sin_cos();
        let q = [s, 0.5 * s * s + 0.25 * (3.0 * t).sin()];
        (q, [c, s * c + 0.75 * (3.0 * t).cos()], self.reaction(t))
    }
}
