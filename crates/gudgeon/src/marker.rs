//! Where joints and forces attach to a body, and what they see of it.
//!
//! A marker is seen by its frame (p, R), its twist (v, ω) and its bias, the acceleration J̇v that it has
//! at v̇ = 0, all in world axes at its origin. How these follow from coordinates, and how a wrench at the
//! marker is brought to them by Jᵀ, is known to the component that the body belongs to
//! (`system/component`) and to nobody else.

use nalgebra::{Matrix3, Vector3};

use crate::math::spatial::{Frame, Twist};

/// A pose on a body: body index (0 is the ground), and place and axes in the body's inner axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attachment {
    pub body: usize,
    /// Place along the line of a flexible body, 0 … 1.
    pub along: f64,
    /// s, from the mass centre; of a flexible body from the line, in axes of the section.
    pub offset: Vector3<f64>,
    /// A.
    pub turn: Matrix3<f64>,
    /// Angle of A about z, for planar bodies.
    pub angle: f64,
}

impl Attachment {
    /// Of the ground, which does not move: where it is.
    pub fn on_ground(&self) -> MarkerState {
        MarkerState {
            frame: Frame { p: self.offset, r: self.turn },
            angle: self.angle,
            ..MarkerState::default()
        }
    }
}

/// Everything joints and forces may know of a marker, in world axes at its origin.
#[derive(Clone, Copy, Debug)]
pub struct MarkerState {
    pub frame: Frame,
    pub twist: Twist,
    /// Acceleration at v̇ = 0: J̇v.
    pub bias: Twist,
    /// Angle about z, counted over full turns; of planar bodies only.
    pub angle: f64,
}

impl Default for MarkerState {
    fn default() -> Self {
        Self { frame: Frame::identity(), twist: Twist::ZERO, bias: Twist::ZERO, angle: 0.0 }
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
