//! Where joints and forces attach to a body, and how that place moves.
//!
//! With the mass centre at P, axes R, velocity V and angular velocity ω of the body (world axes), and
//! the marker at s with axes A, both in the body's inner axes:
//!
//!   r = R s,   p = P + r,   v = V + ω × r,   J̇v = ω × (ω × r)                              (1)
//!
//! The Jacobian is not formed: a wrench (f, t) at the marker is moved to the mass centre by its
//! lever r, which is Jᵀ; a row of unit wrenches likewise:
//!
//!   Jᵀ w = (f_x, f_y, t_z + (r × f)_z) in the plane,   (f, Rᵀ(t + r × f)) in space           (2)

use nalgebra::{Matrix3, Vector3};

use crate::math::rotation;
use crate::math::spatial::{Frame, Twist, Wrench};

/// A place on a body: body index (0 is the ground), and a pose in the body's inner axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attachment {
    pub body: usize,
    /// s, from the mass centre.
    pub offset: Vector3<f64>,
    /// A.
    pub turn: Matrix3<f64>,
    /// Angle of A about z, for planar bodies.
    pub angle: f64,
}

/// Everything joints and forces may know of a marker, in world axes at its origin.
#[derive(Clone, Copy, Debug)]
pub struct MarkerState {
    pub frame: Frame,
    pub twist: Twist,
    /// Acceleration at v̇ = 0: the linear part of J̇v. The angular part is zero, because the
    /// velocity coordinates of a body hold its angular velocity.
    pub bias: Vector3<f64>,
    /// Angle about z, counted over full turns; of planar bodies only.
    pub angle: f64,
    /// r, from the body's mass centre to the marker.
    pub lever: Vector3<f64>,
}

impl Default for MarkerState {
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

/// A small motion of a marker: δp, its turn δφ, and the changes δv, δω of its twist, in world axes.
#[derive(Clone, Copy, Debug)]
pub struct Variation {
    pub p: Vector3<f64>,
    pub turn: Vector3<f64>,
    pub v: Vector3<f64>,
    pub w: Vector3<f64>,
}

impl Variation {
    pub const ZERO: Self = Self {
        p: Vector3::new(0.0, 0.0, 0.0),
        turn: Vector3::new(0.0, 0.0, 0.0),
        v: Vector3::new(0.0, 0.0, 0.0),
        w: Vector3::new(0.0, 0.0, 0.0),
    };
}

impl MarkerState {
    /// When its body is moved and turned while the velocities keep their coordinates: the mass centre
    /// its velocity in the world, the spin its components along the body.
    pub fn position_variation(&self, by: &Vector3<f64>, turn: &Vector3<f64>) -> Variation {
        let w = &self.twist.w;
        Variation {
            p: by + turn.cross(&self.lever),
            turn: *turn,
            v: turn.cross(&w.cross(&self.lever)),
            w: turn.cross(w),
        }
    }

    /// When its body moves and turns faster.
    pub fn velocity_variation(&self, v: &Vector3<f64>, w: &Vector3<f64>) -> Variation {
        Variation { v: v + w.cross(&self.lever), w: *w, ..Variation::ZERO }
    }
}

/// What coordinates describe a body by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Formulation {
    /// q = (x, y, θ), v = q̇.
    Planar,
    /// q = position and quaternion, v = (world velocity, angular velocity in inner axes).
    Spatial,
}

impl Formulation {
    pub const fn coordinates(self) -> usize {
        match self {
            Self::Planar => 3,
            Self::Spatial => 7,
        }
    }

    /// Number of velocities, rotations last.
    pub const fn velocities(self) -> usize {
        match self {
            Self::Planar => 3,
            Self::Spatial => 6,
        }
    }

    /// Index of the first velocity that is a rotation.
    pub const fn translations(self) -> usize {
        match self {
            Self::Planar => 2,
            Self::Spatial => 3,
        }
    }
}

/// Pose and velocity of a body at one instant: P, R, V, ω of (1).
#[derive(Clone, Copy, Debug)]
pub struct BodyState {
    pub frame: Frame,
    pub twist: Twist,
    /// θ of a planar body.
    pub angle: f64,
}

impl BodyState {
    pub const GROUND: Self = Self { frame: Frame::identity(), twist: Twist::ZERO, angle: 0.0 };

    #[inline(always)]
    pub fn planar(q: &[f64], v: &[f64]) -> Self {
        Self {
            frame: Frame::planar(q[0], q[1], q[2]),
            twist: Twist { v: Vector3::new(v[0], v[1], 0.0), w: Vector3::new(0.0, 0.0, v[2]) },
            angle: q[2],
        }
    }

    #[inline(always)]
    pub fn spatial(q: &[f64], v: &[f64]) -> Self {
        let r = rotation::matrix(&q[3..7]);
        Self {
            frame: Frame { p: Vector3::new(q[0], q[1], q[2]), r },
            twist: Twist {
                v: Vector3::new(v[0], v[1], v[2]),
                w: r * Vector3::new(v[3], v[4], v[5]),
            },
            angle: 0.0,
        }
    }

    #[inline(always)]
    pub fn new(formulation: Formulation, q: &[f64], v: &[f64]) -> Self {
        match formulation {
            Formulation::Planar => Self::planar(q, v),
            Formulation::Spatial => Self::spatial(q, v),
        }
    }

    /// Jᵀ w of (2) for a planar body.
    #[inline(always)]
    pub fn reduce_planar(&self, r: &Vector3<f64>, w: &Wrench) -> [f64; 3] {
        [w.f.x, w.f.y, w.t.z + r.x * w.f.y - r.y * w.f.x]
    }

    /// Jᵀ w of (2) for a spatial body.
    #[inline(always)]
    pub fn reduce_spatial(&self, r: &Vector3<f64>, w: &Wrench) -> [f64; 6] {
        let t = self.frame.r.tr_mul(&(w.t + r.cross(&w.f)));
        [w.f.x, w.f.y, w.f.z, t.x, t.y, t.z]
    }
}

impl Attachment {
    /// Equations (1) for a planar body: z components are zero and not computed.
    #[inline(always)]
    pub fn planar_marker(&self, body: &BodyState) -> MarkerState {
        let (c, s) = (body.frame.r[(0, 0)], body.frame.r[(1, 0)]);
        let rx = c * self.offset.x - s * self.offset.y;
        let ry = s * self.offset.x + c * self.offset.y;
        let (v, w) = (&body.twist.v, body.twist.w.z);
        let (a, b) = (self.turn[(0, 0)], self.turn[(1, 0)]);
        let (ct, st) = (c * a - s * b, s * a + c * b);
        MarkerState {
            frame: Frame {
                p: Vector3::new(body.frame.p.x + rx, body.frame.p.y + ry, 0.0),
                r: Matrix3::new(ct, -st, 0.0, st, ct, 0.0, 0.0, 0.0, 1.0),
            },
            twist: Twist {
                v: Vector3::new(v.x - w * ry, v.y + w * rx, 0.0),
                w: Vector3::new(0.0, 0.0, w),
            },
            bias: Vector3::new(-w * w * rx, -w * w * ry, 0.0),
            angle: body.angle + self.angle,
            lever: Vector3::new(rx, ry, 0.0),
        }
    }

    /// Equations (1).
    #[inline(always)]
    pub fn spatial_marker(&self, body: &BodyState) -> MarkerState {
        let r = body.frame.r * self.offset;
        let w = &body.twist.w;
        let turning = w.cross(&r);
        MarkerState {
            frame: Frame { p: body.frame.p + r, r: body.frame.r * self.turn },
            twist: Twist { v: body.twist.v + turning, w: *w },
            bias: w.cross(&turning),
            angle: self.angle,
            lever: r,
        }
    }

    #[inline(always)]
    pub fn marker(&self, formulation: Formulation, body: &BodyState) -> MarkerState {
        match formulation {
            Formulation::Planar => self.planar_marker(body),
            Formulation::Spatial => self.spatial_marker(body),
        }
    }
}
