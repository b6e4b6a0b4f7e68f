//! Where joints and forces attach to a planar body, and how that place moves.
//!
//! With the mass centre at (x, y), the body turned by θ and the marker at s in axes of the body
//! through its mass centre:
//!
//!   p = (x, y) + R(θ) s,   v = (ẋ, ẏ) + θ̇ z × r,   J̇v = −θ̇² r,   r = R(θ) s              (1)
//!
//! The Jacobian with respect to (x, y, θ) is not formed: a wrench at the marker is moved to the
//! mass centre by its lever r, which is Jᵀ; a row of unit wrenches likewise.

use nalgebra::{Matrix3, Vector3};

use crate::math::spatial::{Frame, Twist, Wrench};

/// A place on a body: body index (0 is the ground), offset from the mass centre, angle of the axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attachment {
    pub body: usize,
    pub offset: Vector3<f64>,
    pub angle: f64,
    /// Cosine and sine of `angle`.
    pub turn: (f64, f64),
}

/// Everything joints and forces may know of a marker, in world axes at its origin.
#[derive(Clone, Copy, Debug)]
pub struct Marker {
    pub frame: Frame,
    pub twist: Twist,
    /// Acceleration at v̇ = 0: the part J̇v, linear only in the plane.
    pub bias: Vector3<f64>,
    /// Angle about z, counted over full turns.
    pub angle: f64,
    /// From the body's mass centre to the marker.
    pub lever: Vector3<f64>,
}

impl Default for Marker {
    fn default() -> Self {
        Self {
            frame: Frame::identity(),
            twist: Twist::ZERO,
            bias: Vector3::zeros(),
            angle: 0.0,
            lever: Vector3::zeros(),
        }
    }
}

/// Pose of a planar body: mass centre, angle, and its cosine and sine.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlanarPose {
    pub x: f64,
    pub y: f64,
    pub angle: f64,
    pub cos: f64,
    pub sin: f64,
}

impl PlanarPose {
    #[inline(always)]
    pub fn new(q: &[f64]) -> Self {
        let (sin, cos) = q[2].sin_cos();
        Self { x: q[0], y: q[1], angle: q[2], cos, sin }
    }

    pub const GROUND: Self = Self { x: 0.0, y: 0.0, angle: 0.0, cos: 1.0, sin: 0.0 };
}

impl Attachment {
    /// Equations (1); `v` is (ẋ, ẏ, θ̇) of the body.
    #[inline(always)]
    pub fn marker(&self, pose: &PlanarPose, v: &[f64; 3]) -> Marker {
        let (c, s) = (pose.cos, pose.sin);
        let rx = c * self.offset.x - s * self.offset.y;
        let ry = s * self.offset.x + c * self.offset.y;
        let w = v[2];
        let (ct, st) = (c * self.turn.0 - s * self.turn.1, s * self.turn.0 + c * self.turn.1);
        Marker {
            frame: Frame {
                p: Vector3::new(pose.x + rx, pose.y + ry, 0.0),
                r: Matrix3::new(ct, -st, 0.0, st, ct, 0.0, 0.0, 0.0, 1.0),
            },
            twist: Twist {
                v: Vector3::new(v[0] - w * ry, v[1] + w * rx, 0.0),
                w: Vector3::new(0.0, 0.0, w),
            },
            bias: Vector3::new(-w * w * rx, -w * w * ry, 0.0),
            angle: pose.angle + self.angle,
            lever: Vector3::new(rx, ry, 0.0),
        }
    }
}

impl Marker {
    /// Jᵀ w: the generalised force (F_x, F_y, T_z) about the mass centre.
    #[inline(always)]
    pub fn reduce(&self, w: &Wrench) -> [f64; 3] {
        let r = &self.lever;
        [w.f.x, w.f.y, w.t.z + r.x * w.f.y - r.y * w.f.x]
    }
}
