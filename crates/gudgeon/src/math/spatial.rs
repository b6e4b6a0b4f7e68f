//! Frames, twists and wrenches in world axes.
//!
//! A twist is taken at the origin of its frame, linear part first; a wrench likewise, force first.
//! Both are expressed in world axes, so shifting to another point changes one part only:
//!
//!   v_q = v_p + ω × (q − p)                                    (1)
//!   τ_p = τ_q + (q − p) × f                                    (2)

use nalgebra::{Matrix3, Vector3};

/// Position `p` of an origin and rotation `r` of axes, both seen from the enclosing frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    pub p: Vector3<f64>,
    pub r: Matrix3<f64>,
}

impl Frame {
    pub const fn identity() -> Self {
        Self {
            p: Vector3::new(0.0, 0.0, 0.0),
            r: Matrix3::new(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0),
        }
    }

    /// A frame in the x–y plane, turned by `angle` about z.
    pub fn planar(x: f64, y: f64, angle: f64) -> Self {
        let (s, c) = angle.sin_cos();
        Self { p: Vector3::new(x, y, 0.0), r: Matrix3::new(c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0) }
    }

    #[inline(always)]
    pub fn axis(&self, axis: Axis) -> Vector3<f64> {
        self.r.column(axis as usize).into()
    }

    /// A frame given in the axes of this one, as seen from the enclosing frame.
    pub fn then(&self, inner: &Frame) -> Frame {
        Frame { p: self.p + self.r * inner.p, r: self.r * inner.r }
    }

    /// The enclosing frame as seen from this one.
    pub fn inverse(&self) -> Frame {
        let r = self.r.transpose();
        Frame { p: -(r * self.p), r }
    }

    /// Angle about z of a frame that lies in the x–y plane.
    pub fn planar_angle(&self) -> f64 {
        self.r[(1, 0)].atan2(self.r[(0, 0)])
    }
}

/// One of the three axes of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    X,
    Y,
    Z,
}

/// Velocity `v` of a frame's origin and angular velocity `w` of its axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Twist {
    pub v: Vector3<f64>,
    pub w: Vector3<f64>,
}

impl Twist {
    pub const ZERO: Self = Self { v: Vector3::new(0.0, 0.0, 0.0), w: Vector3::new(0.0, 0.0, 0.0) };
}

/// Force `f` and torque `t` about the origin of the frame at which the wrench acts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wrench {
    pub f: Vector3<f64>,
    pub t: Vector3<f64>,
}

impl Wrench {
    pub const ZERO: Self = Self { f: Vector3::new(0.0, 0.0, 0.0), t: Vector3::new(0.0, 0.0, 0.0) };

    pub fn force(f: Vector3<f64>) -> Self {
        Self { f, ..Self::ZERO }
    }

    /// A force at `point`, as a wrench at `origin` (2).
    pub fn force_at(f: Vector3<f64>, point: Vector3<f64>, origin: Vector3<f64>) -> Self {
        Self { f, t: (point - origin).cross(&f) }
    }
}

/// Wrenches on the two sides of an element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    pub a: Wrench,
    pub b: Wrench,
}

impl Pair {
    pub const ZERO: Self = Self { a: Wrench::ZERO, b: Wrench::ZERO };

    /// Opposite forces along one line.
    pub fn forces(f: Vector3<f64>) -> Self {
        Self { a: Wrench::force(-f), b: Wrench::force(f) }
    }

    /// Opposite torques.
    pub fn torques(t: Vector3<f64>) -> Self {
        Self { a: Wrench { t: -t, ..Wrench::ZERO }, b: Wrench { t, ..Wrench::ZERO } }
    }

    pub fn scaled(&self, by: f64) -> Self {
        let wrench = |w: &Wrench| Wrench { f: w.f * by, t: w.t * by };
        Self { a: wrench(&self.a), b: wrench(&self.b) }
    }

    pub fn plus(&self, other: &Self) -> Self {
        let sum = |a: &Wrench, b: &Wrench| Wrench { f: a.f + b.f, t: a.t + b.t };
        Self { a: sum(&self.a, &other.a), b: sum(&self.b, &other.b) }
    }
}
