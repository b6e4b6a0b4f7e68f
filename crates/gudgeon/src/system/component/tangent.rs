//! Axes from the tangent of a line alone: of cables, which have no other gradient.
//!
//! With u = r_x the first axis is u/|u|, and the section turns as the tangent does, without a spin about it:
//!
//!   ω = u × u̇/|u|²,   ω̇ = −2 (u · u̇)/|u|² ω      at v̇ = 0                                    (1)
//!   p = r + a,  a = R s,   v = ṙ + ω × a                                                     (2)
//!
//! A torque t, with the moment of a force f at the arm, is the force on u that does its work:
//!
//!   F_u = (t + a × f) × u/|u|²                                                              (3)
//!
//! In the plane that is all there is to a section. In space the spin of the section is not known, R is the
//! smallest rotation from the nearest axis of the world, and only what depends on p and the first axis has a
//! meaning; arms must lie along the tangent.

use nalgebra::{Matrix3, Vector3};

use super::rigid::BodyState;
use crate::marker::{Attachment, MarkerState, Variation};
use crate::math::rotation::cross_matrix;
use crate::math::spatial::{Frame, Twist, Wrench};

/// Place and tangent of a line at one instant.
#[derive(Clone, Copy, Debug)]
pub struct Tangent {
    pub p: Vector3<f64>,
    pub velocity: Vector3<f64>,
    /// u, u̇.
    u: Vector3<f64>,
    rate: Vector3<f64>,
    pub r: Matrix3<f64>,
    omega: Vector3<f64>,
    /// 1/|u|².
    inverse: f64,
}

/// A change of u, and the turn it makes.
#[derive(Clone, Copy, Debug)]
pub struct Tilted {
    u: Vector3<f64>,
    turn: Vector3<f64>,
}

impl Tangent {
    pub fn new(
        (p, u): (Vector3<f64>, Vector3<f64>),
        (velocity, rate): (Vector3<f64>, Vector3<f64>),
        planar: bool,
    ) -> Self {
        let inverse = 1.0 / u.norm_squared();
        let omega = u.cross(&rate) * inverse; // (1)
        Self { p, velocity, u, rate, r: axes(&u, planar), omega, inverse }
    }

    pub fn body_state(&self) -> BodyState {
        BodyState {
            frame: Frame { p: self.p, r: self.r },
            twist: Twist { v: self.velocity, w: self.omega },
            angle: 0.0,
        }
    }

    /// A marker, and its arm from the line.
    pub fn marker(&self, at: &Attachment) -> (MarkerState, Vector3<f64>) {
        let arm = self.r * at.offset;
        let spin = self.omega * (-2.0 * self.u.dot(&self.rate) * self.inverse); // (1)
        let turning = self.omega.cross(&arm);
        let marker = MarkerState {
            frame: Frame { p: self.p + arm, r: self.r * at.turn },
            twist: Twist { v: self.velocity + turning, w: self.omega },
            bias: Twist { v: spin.cross(&arm) + self.omega.cross(&turning), w: spin },
            angle: at.angle,
        };
        (marker, arm)
    }

    /// J v̇ of a marker for accelerations of r and u, without its bias.
    pub fn acceleration(&self, s: &Vector3<f64>, p: &Vector3<f64>, u: &Vector3<f64>) -> Twist {
        let w = self.u.cross(u) * self.inverse;
        Twist { v: p + w.cross(&(self.r * s)), w }
    }

    /// Jᵀ w of a marker: forces on r and u, (3).
    pub fn reduce(&self, s: &Vector3<f64>, w: &Wrench) -> (Vector3<f64>, Vector3<f64>) {
        let torque = w.t + (self.r * s).cross(&w.f);
        (w.f, torque.cross(&self.u) * self.inverse)
    }

    /// How a marker moves with displacements of r and u, and what the tangent does.
    pub fn position_variation(
        &self,
        s: &Vector3<f64>,
        p: &Vector3<f64>,
        u: &Vector3<f64>,
    ) -> (Variation, Tilted) {
        let (arm, turn) = (self.r * s, self.u.cross(u) * self.inverse);
        let stretch = 2.0 * self.u.dot(u) * self.inverse;
        let w = u.cross(&self.rate) * self.inverse - self.omega * stretch;
        let moved = turn.cross(&arm);
        let v = w.cross(&arm) + self.omega.cross(&moved);
        (Variation { p: p + moved, turn, v, w }, Tilted { u: *u, turn })
    }

    /// How its velocity changes with velocities of r and u.
    pub fn velocity_variation(
        &self,
        s: &Vector3<f64>,
        p: &Vector3<f64>,
        u: &Vector3<f64>,
    ) -> Variation {
        let w = self.u.cross(u) * self.inverse;
        Variation { v: p + w.cross(&(self.r * s)), w, ..Variation::ZERO }
    }

    /// Change of the force (3) on u of a wrench that stays.
    pub fn turned(&self, s: &Vector3<f64>, w: &Wrench, by: &Tilted) -> Vector3<f64> {
        let arm = self.r * s;
        let torque = w.t + arm.cross(&w.f);
        let more = by.turn.cross(&arm).cross(&w.f);
        let stretch = 2.0 * self.u.dot(&by.u) * self.inverse;
        (more.cross(&self.u) + torque.cross(&(by.u - self.u * stretch))) * self.inverse
    }
}

/// R: in the plane the tangent and its normal, in space the smallest rotation from an axis of the world.
fn axes(u: &Vector3<f64>, planar: bool) -> Matrix3<f64> {
    let t = u.normalize();
    if planar {
        return Matrix3::from_columns(&[t, Vector3::new(-t.y, t.x, 0.0), Vector3::z()]);
    }
    let (nearest, sign) = (t.iamax(), t[t.iamax()].signum());
    let mut from = Vector3::zeros();
    from[nearest] = sign;
    let mut base = Matrix3::zeros();
    for k in 0..3 {
        base[((nearest + k) % 3, k)] = if k < 2 { sign } else { 1.0 };
    }
    let c = from.cross(&t);
    let turn = cross_matrix(&c);
    (Matrix3::identity() + turn + turn * turn / (1.0 + from.dot(&t))) * base
}
