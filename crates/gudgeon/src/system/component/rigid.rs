//! Rigid bodies by their own coordinates: (x, y, θ) in the plane, position and quaternion in space.
//!
//! Inner axes have their origin at the mass centre and lie along the principal ones, so M is diagonal
//! and the gyroscopic torque is ω × Jω = ((J₃−J₂)ω₂ω₃, (J₁−J₃)ω₃ω₁, (J₂−J₁)ω₁ω₂).           (1)
//! With the mass centre at P, axes R, velocity V and angular velocity ω of a body (world axes), and a
//! marker at s with axes A, both in inner axes:
//!
//!   r = R s,   p = P + r,   v = V + ω × r,   J̇v = (ω × (ω × r), 0)                           (2)
//!   Jᵀ w = (f_x, f_y, t_z + (r × f)_z) in the plane,   (f, Rᵀ(t + r × f)) in space           (3)
//!
//! J is not formed: the arm r is Jᵀ. A turn δφ of the body changes (3) for a wrench that stays by
//!
//!   δ(Rᵀ(t + r × f)) = Rᵀ((δφ × r) × f − δφ × (t + r × f))                                   (4)
//!
//! because torques are counted in axes of the body; in the plane only the first term is left.

use nalgebra::{Matrix3, Vector3};

use super::Formulation;
use crate::marker::{Attachment, MarkerState, Variation};
use crate::math::spatial::{Frame, Twist, Wrench};
use crate::math::{decompose, rotation};
use crate::model::{Body, Space};

/// Pose and velocity of a body at one instant: P, R, V, ω of (2).
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

    /// (3) of a planar body.
    #[inline(always)]
    pub fn reduce_planar(&self, r: &Vector3<f64>, w: &Wrench) -> [f64; 3] {
        [w.f.x, w.f.y, w.t.z + r.x * w.f.y - r.y * w.f.x]
    }

    /// (3) of a spatial body.
    #[inline(always)]
    pub fn reduce_spatial(&self, r: &Vector3<f64>, w: &Wrench) -> [f64; 6] {
        let t = self.frame.r.tr_mul(&(w.t + r.cross(&w.f)));
        [w.f.x, w.f.y, w.f.z, t.x, t.y, t.z]
    }

    /// (2) for a marker of a planar body, and its arm: what is out of the plane does not change, and is
    /// not written.
    #[inline(always)]
    pub fn write_planar(&self, at: &Attachment, marker: &mut MarkerState, arm: &mut Vector3<f64>) {
        let (c, s) = (self.frame.r[(0, 0)], self.frame.r[(1, 0)]);
        let rx = c * at.offset.x - s * at.offset.y;
        let ry = s * at.offset.x + c * at.offset.y;
        let (v, w) = (&self.twist.v, self.twist.w.z);
        let (a, b) = (at.turn[(0, 0)], at.turn[(1, 0)]);
        let (ct, st) = (c * a - s * b, s * a + c * b);
        let MarkerState { frame, twist, bias, angle } = marker;
        (frame.p.x, frame.p.y) = (self.frame.p.x + rx, self.frame.p.y + ry);
        (frame.r[(0, 0)], frame.r[(0, 1)]) = (ct, -st);
        (frame.r[(1, 0)], frame.r[(1, 1)]) = (st, ct);
        (twist.v.x, twist.v.y, twist.w.z) = (v.x - w * ry, v.y + w * rx, w);
        (bias.v.x, bias.v.y) = (-w * w * rx, -w * w * ry);
        *angle = self.angle + at.angle;
        (arm.x, arm.y) = (rx, ry);
    }

    /// The same as a value.
    pub fn planar_marker(&self, at: &Attachment) -> (MarkerState, Vector3<f64>) {
        let (mut marker, mut arm) = (MarkerState::default(), Vector3::zeros());
        self.write_planar(at, &mut marker, &mut arm);
        (marker, arm)
    }

    /// (2) for a marker of a spatial body, and its arm; the angular bias stays zero.
    #[inline(always)]
    pub fn write_spatial(&self, at: &Attachment, marker: &mut MarkerState, arm: &mut Vector3<f64>) {
        let r = self.frame.r * at.offset;
        let w = &self.twist.w;
        let turning = w.cross(&r);
        marker.frame.p = self.frame.p + r;
        marker.frame.r = self.frame.r * at.turn;
        marker.twist.v = self.twist.v + turning;
        marker.twist.w = *w;
        marker.bias.v = w.cross(&turning);
        marker.angle = at.angle;
        *arm = r;
    }

    /// The same as a value.
    pub fn spatial_marker(&self, at: &Attachment) -> (MarkerState, Vector3<f64>) {
        let (mut marker, mut arm) = (MarkerState::default(), Vector3::zeros());
        self.write_spatial(at, &mut marker, &mut arm);
        (marker, arm)
    }

    /// Unit displacement or turn along component i of the velocities, in world axes.
    pub fn direction(&self, formulation: Formulation, i: usize) -> (Vector3<f64>, Vector3<f64>) {
        match i.checked_sub(formulation.lengths()) {
            None => (Vector3::ith(i, 1.0), Vector3::zeros()),
            Some(_) if formulation == Formulation::Planar => (Vector3::zeros(), Vector3::z()),
            Some(axis) => (Vector3::zeros(), self.frame.r.column(axis).into()),
        }
    }
}

/// How a marker moves when its body is moved and turned while the velocities keep their coordinates:
/// the mass centre its velocity in the world, the spin its components along the body.
pub(super) fn position_variation(
    spin: &Vector3<f64>,
    arm: &Vector3<f64>,
    by: &Vector3<f64>,
    turn: &Vector3<f64>,
) -> Variation {
    Variation {
        p: by + turn.cross(arm),
        turn: *turn,
        v: turn.cross(&spin.cross(arm)),
        w: turn.cross(spin),
    }
}

/// When its body moves and turns faster.
pub(super) fn velocity_variation(
    arm: &Vector3<f64>,
    v: &Vector3<f64>,
    w: &Vector3<f64>,
) -> Variation {
    Variation { v: v + w.cross(arm), w: *w, ..Variation::ZERO }
}

/// What (4) adds to a wrench whose change is reduced by (3).
pub(super) fn turned(now: &Wrench, arm: &Vector3<f64>, turn: &Vector3<f64>) -> Vector3<f64> {
    let torque = now.t + arm.cross(&now.f);
    turn.cross(arm).cross(&now.f) - turn.cross(&torque)
}

/// A moving body: where its coordinates stand, its mass and principal moments, and artificial ones
/// where the user gave none. Of a body in natural coordinates the masses are those of the same rigid
/// body.
#[derive(Clone, Copy, Debug)]
pub struct RigidBody {
    pub formulation: Formulation,
    /// Numbers of its coordinates and velocities.
    pub sizes: [usize; 2],
    /// Its number among the bodies of its component.
    pub member: usize,
    /// Where its coordinates and velocities start in q and v.
    pub q: usize,
    pub v: usize,
    pub mass: f64,
    /// Principal moments; of a planar body the last is that about z.
    pub moments: Vector3<f64>,
    /// Inner axes in the body's own axes.
    pub axes: Matrix3<f64>,
    /// 1/m and 1/J by velocity of the rigid body, artificial where mass or inertia is missing.
    pub inverse: [f64; 6],
    /// Artificial masses by velocity of the rigid body; 0 where the user gave a mass.
    pub artificial: [f64; 6],
}

impl RigidBody {
    pub fn new(
        body: &Body,
        (space, formulation): (Space, Formulation),
        typical: f64,
        length: f64,
    ) -> Self {
        let (moments, axes) = match space {
            Space::Planar => {
                let about_z = body.inertia.map_or(0.0, |j| j[(2, 2)]);
                (Vector3::new(0.0, 0.0, about_z), Matrix3::identity())
            }
            Space::Spatial => {
                body.inertia.map_or((Vector3::zeros(), Matrix3::identity()), |j| principal(&j))
            }
        };
        let (translations, all) = match space {
            Space::Planar => (2, 3),
            Space::Spatial => (3, 6),
        };
        let real = |i: usize| match space {
            _ if i < translations => body.mass,
            Space::Planar => body.inertia.map(|_| moments.z),
            Space::Spatial => body.inertia.map(|_| moments[i - 3]),
        };
        let missing = |i: usize| if i < translations { typical } else { typical * length * length };
        let mut rigid = Self {
            formulation,
            sizes: [formulation.coordinates(), formulation.velocities()],
            member: 0,
            q: 0,
            v: 0,
            mass: body.mass.unwrap_or(0.0),
            moments,
            axes,
            inverse: [0.0; 6],
            artificial: [0.0; 6],
        };
        for i in 0..all {
            rigid.inverse[i] = 1.0 / real(i).unwrap_or(missing(i));
            rigid.artificial[i] = if real(i).is_some() { 0.0 } else { missing(i) };
        }
        rigid
    }

    pub fn coordinates(&self) -> std::ops::Range<usize> {
        self.q..self.q + self.sizes[0]
    }

    pub fn velocities(&self) -> std::ops::Range<usize> {
        self.v..self.v + self.sizes[1]
    }

    /// Whether a mass or an inertia is artificial.
    pub fn lacks_mass(&self) -> bool {
        self.artificial != [0.0; 6]
    }

    /// The body's part of a vector of velocities or accelerations: lengths, then angles and slopes.
    #[inline(always)]
    pub fn split<'v>(&self, v: &'v [f64]) -> (&'v [f64], &'v [f64]) {
        v[self.velocities()].split_at(self.formulation.lengths())
    }

    /// ½ (m v² + ω · Jω) of the body's own velocities, real masses only.
    pub fn kinetic(&self, v: &[f64]) -> f64 {
        let square = |v: &[f64]| v.iter().map(|x| x * x).sum::<f64>();
        let turning = match self.formulation {
            Formulation::Planar | Formulation::FloatingPlanar => self.moments.z * v[2] * v[2],
            Formulation::Spatial
            | Formulation::Natural
            | Formulation::Beam
            | Formulation::FloatingSpatial => {
                self.moments.x * v[3] * v[3]
                    + self.moments.y * v[4] * v[4]
                    + self.moments.z * v[5] * v[5]
            }
        };
        let translations = if self.formulation == Formulation::Planar { 2 } else { 3 };
        0.5 * (self.mass * square(&v[..translations]) + turning)
    }

    /// Weight and gyroscopic torque (1) into the body's part of f.
    #[inline(always)]
    pub fn own_forces(&self, gravity: &Vector3<f64>, v: &[f64], f: &mut [f64]) {
        let weight = gravity * self.mass;
        if self.formulation == Formulation::Planar {
            f.copy_from_slice(&[weight.x, weight.y, 0.0]);
            return;
        }
        let (j, w) = (&self.moments, [v[3], v[4], v[5]]);
        f.copy_from_slice(&[
            weight.x,
            weight.y,
            weight.z,
            (j.y - j.z) * w[1] * w[2],
            (j.z - j.x) * w[2] * w[0],
            (j.x - j.y) * w[0] * w[1],
        ]);
    }

    /// ∂(1)/∂ω by rows: entries of rows and columns of the turning velocities, as (row, column, value).
    pub fn gyroscopic_slopes(&self, w: &[f64]) -> [(usize, usize, f64); 6] {
        let j = &self.moments;
        let factor = [j.y - j.z, j.z - j.x, j.x - j.y];
        std::array::from_fn(|n| {
            let (i, second) = (n / 2, n % 2 == 1);
            let (k, l) = ((i + 1) % 3, (i + 2) % 3);
            let (column, other) = if second { (l, k) } else { (k, l) };
            (i, column, factor[i] * w[other])
        })
    }
}

/// Principal moments and axes of an inertia; the own axes where they are principal already.
pub fn principal(inertia: &Matrix3<f64>) -> (Vector3<f64>, Matrix3<f64>) {
    let diagonal = inertia.diagonal();
    let off = inertia - Matrix3::from_diagonal(&diagonal);
    if off.amax() <= 1e-14 * diagonal.amax() {
        return (diagonal, Matrix3::identity());
    }
    let Some((eigenvalues, mut eigenvectors)) = decompose::symmetric3(inertia) else {
        return (diagonal, Matrix3::identity());
    };
    if eigenvectors.determinant() < 0.0 {
        eigenvectors.column_mut(2).neg_mut();
    }
    (eigenvalues, eigenvectors)
}
