//! Components: parts of the mechanism that own ranges of q, v and rows, and answer for them.
//!
//! Whatever acts between bodies sees markers (`marker.rs`) and gives wrenches. A component knows what
//! its coordinates mean: it places its markers, brings wrenches to its part of f by Jᵀ, says how a
//! marker moves along each of its columns, solves with its masses, and has rows of its own where its
//! coordinates are not independent. Loops dispatch per component; inside they are homogeneous.
//!
//! A column is a velocity of one body, counted from its first. The columns that a marker moves are
//! those of its body, so patterns are known before anything moves.

mod internal;
pub mod natural;
pub mod rigid;
pub(super) mod sets;

pub(super) use internal::fill_natural;

use gudgeon_dae::linear::Entries;
use gudgeon_dae::{Shape, Weights};
use nalgebra::Vector3;

pub use natural::{InternalRow, NaturalBody, NaturalState};
pub use rigid::{BodyState, RigidBody};

use super::compile::System;
use super::workspace::Workspace;
use crate::marker::{Attachment, MarkerState, Variation};
use crate::math::rotation;
use crate::math::spatial::{Twist, Wrench};

/// What coordinates describe a body by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Formulation {
    /// q = (x, y, θ), v = q̇.
    Planar,
    /// q = position and quaternion, v = (world velocity, angular velocity in inner axes).
    Spatial,
    /// q = two points and two unit vectors, v = q̇.
    Natural,
}

impl Formulation {
    pub const fn coordinates(self) -> usize {
        match self {
            Self::Planar => 3,
            Self::Spatial => 7,
            Self::Natural => natural::SIZE,
        }
    }

    /// Number of velocities: lengths first, then angles or slopes.
    pub const fn velocities(self) -> usize {
        match self {
            Self::Planar => 3,
            Self::Spatial => 6,
            Self::Natural => natural::SIZE,
        }
    }

    /// How many of the velocities are lengths per time; the others have no length to be scaled by.
    pub const fn lengths(self) -> usize {
        match self {
            Self::Planar => 2,
            Self::Spatial => 3,
            Self::Natural => 6,
        }
    }

    /// Whether q̇ = v.
    pub const fn velocity_is_rate(self) -> bool {
        match self {
            Self::Planar | Self::Natural => true,
            Self::Spatial => false,
        }
    }
}

/// A set of bodies of one formulation; indices are those of [`System::bodies`].
#[derive(Clone, Debug)]
pub enum Component {
    Planar(BodySet),
    Spatial(BodySet),
    Natural(BodySet),
}

/// Bodies of one formulation, and the markers on them that rows, contacts or forces use.
#[derive(Clone, Debug)]
pub struct BodySet {
    pub bodies: Vec<usize>,
    pub markers: Vec<usize>,
}

impl Component {
    /// Poses, velocities and markers at a point.
    pub fn place(&self, system: &System, q: &[f64], v: &[f64], work: &mut Workspace) {
        match self {
            Self::Planar(set) => {
                for &i in &set.bodies {
                    let body = &system.bodies[i];
                    work.states[i + 1] = BodyState::planar(&q[body.q..], &v[body.v..]);
                }
                for &marker in &set.markers {
                    let at = &system.attachments[marker];
                    let (seen, arm) = (&mut work.markers[marker], &mut work.arms[marker]);
                    work.states[at.body].write_planar(at, seen, arm);
                }
            }
            Self::Spatial(set) => {
                for &i in &set.bodies {
                    let body = &system.bodies[i];
                    work.states[i + 1] = BodyState::spatial(&q[body.q..], &v[body.v..]);
                    work.quaternions[i].copy_from_slice(&q[body.q + 3..body.q + 7]);
                }
                for &marker in &set.markers {
                    let at = &system.attachments[marker];
                    let (seen, arm) = (&mut work.markers[marker], &mut work.arms[marker]);
                    work.states[at.body].write_spatial(at, seen, arm);
                }
            }
            Self::Natural(set) => {
                for (body, state) in system.naturals.iter().zip(&mut work.naturals) {
                    *state = body.state(q, v);
                    work.states[body.body + 1] = state.body_state();
                    // Of its two signs the one nearest to the last.
                    let quaternion = rotation::quaternion(&state.r);
                    let last = &mut work.quaternions[body.body];
                    let along: f64 = quaternion.iter().zip(&*last).map(|(a, b)| a * b).sum();
                    *last = quaternion.map(|x| if along < 0.0 { -x } else { x });
                }
                for &marker in &set.markers {
                    let at = &system.attachments[marker];
                    let state = &work.naturals[system.bodies[at.body - 1].member];
                    (work.markers[marker], work.arms[marker]) = state.marker(at);
                }
            }
        }
    }

    /// Weight and gyroscopic torques, into f.
    pub fn own_forces(&self, system: &System, work: &mut Workspace) {
        let gravity = &system.model.gravity;
        match self {
            Self::Planar(set) => {
                for &i in &set.bodies {
                    let body = &system.bodies[i];
                    let weight = gravity * body.mass;
                    *work.forces[body.v..].first_chunk_mut().expect("its velocities") =
                        [weight.x, weight.y, 0.0];
                }
            }
            Self::Spatial(set) => {
                for &i in &set.bodies {
                    let (body, range) = (&system.bodies[i], system.bodies[i].velocities());
                    body.own_forces(gravity, &work.v[range.clone()], &mut work.forces[range]);
                }
            }
            Self::Natural(_) => {
                for body in &system.naturals {
                    body.own_forces(gravity, &mut work.forces[body.v..body.v + natural::SIZE]);
                }
            }
        }
    }

    /// v̇ = M⁻¹ f before reactions.
    pub fn solve_masses(&self, system: &System, work: &mut Workspace) {
        match self {
            Self::Planar(set) => divide::<3>(system, set, work),
            Self::Spatial(set) => divide::<6>(system, set, work),
            Self::Natural(_) => {
                for (body, state) in system.naturals.iter().zip(&work.naturals) {
                    let range = body.v..body.v + natural::SIZE;
                    let f = &work.forces[range.clone()];
                    body.solve(state, f, &mut work.accelerations[range]);
                }
            }
        }
    }

    /// What the inverse of the masses takes to f beside the forces: (9) of `natural.rs`.
    pub fn complete_forces(&self, system: &System, work: &mut Workspace) {
        if let Self::Natural(_) = self {
            for (body, state) in system.naturals.iter().zip(&work.naturals) {
                let range = body.v..body.v + natural::SIZE;
                body.add_stiffening(state, &mut work.forces[range]);
            }
        }
    }

    /// M̃ v̇ of artificial masses into `directions`; the largest acceleration of what lacks mass and of
    /// all, in units of length.
    pub fn artificial_inertia(&self, system: &System, work: &mut Workspace) -> (f64, f64) {
        let (mut massless, mut largest) = (0.0f64, 0.0f64);
        match self {
            Self::Planar(set) => return lacking::<3, 2>(system, set, work),
            Self::Spatial(set) => return lacking::<6, 3>(system, set, work),
            Self::Natural(_) => {
                for body in &system.naturals {
                    let range = body.v..body.v + natural::SIZE;
                    let (a, out) =
                        (&work.accelerations[range.clone()], &mut work.directions[range]);
                    body.artificial_inertia(a, out);
                    let size = a.iter().fold(0.0f64, |m, a| m.max(a.abs()));
                    largest = largest.max(size);
                    if out.iter().any(|x| *x != 0.0) {
                        massless = massless.max(size);
                    }
                }
            }
        }
        (massless, largest)
    }

    /// q̇ = N v.
    pub fn coordinate_rates(&self, system: &System, q: &[f64], v: &[f64], rates: &mut [f64]) {
        match self {
            Self::Planar(set) => {
                for &i in &set.bodies {
                    let body = &system.bodies[i];
                    // Of a size known to the compiler.
                    let from: &[f64; 3] = v[body.v..].first_chunk().expect("its velocities");
                    *rates[body.q..].first_chunk_mut().expect("its coordinates") = *from;
                }
            }
            Self::Spatial(set) => {
                for &i in &set.bodies {
                    let body = &system.bodies[i];
                    let (q, v) = (&q[body.coordinates()], &v[body.velocities()]);
                    let rates = &mut rates[body.coordinates()];
                    rates[..3].copy_from_slice(&v[..3]);
                    rates[3..].copy_from_slice(&rotation::rate(&q[3..], &v[3..]));
                }
            }
            Self::Natural(_) => {
                for body in &system.naturals {
                    let from = &v[body.v..body.v + natural::SIZE];
                    rates[body.q..body.q + natural::SIZE].copy_from_slice(from);
                }
            }
        }
    }

    /// The velocity at which N(q) v comes nearest to rates of the coordinates.
    pub fn velocity_of(&self, system: &System, q: &[f64], rates: &[f64], v: &mut [f64]) {
        match self {
            Self::Planar(set) => {
                for &i in &set.bodies {
                    let body = &system.bodies[i];
                    v[body.velocities()].copy_from_slice(&rates[body.coordinates()]);
                }
            }
            Self::Spatial(set) => {
                for &i in &set.bodies {
                    let body = &system.bodies[i];
                    let (from, to) = (&rates[body.coordinates()], &mut v[body.velocities()]);
                    to[..3].copy_from_slice(&from[..3]);
                    let spin = rotation::spin_of(&q[body.q + 3..body.q + 7], &from[3..]);
                    to[3..].copy_from_slice(&spin);
                }
            }
            Self::Natural(_) => {
                for body in &system.naturals {
                    let from = &rates[body.q..body.q + natural::SIZE];
                    v[body.v..body.v + natural::SIZE].copy_from_slice(from);
                }
            }
        }
    }

    /// Moves q by a displacement in the directions of v.
    pub fn displace(&self, system: &System, q: &mut [f64], by: &[f64]) {
        let add = |q: &mut [f64], by: &[f64]| q.iter_mut().zip(by).for_each(|(q, by)| *q += by);
        match self {
            Self::Planar(set) => {
                for &i in &set.bodies {
                    let body = &system.bodies[i];
                    add(&mut q[body.coordinates()], &by[body.velocities()]);
                }
            }
            Self::Spatial(set) => {
                for &i in &set.bodies {
                    let body = &system.bodies[i];
                    let (q, by) = (&mut q[body.coordinates()], &by[body.velocities()]);
                    add(&mut q[..3], &by[..3]);
                    let turned = rotation::turned(&q[3..], &by[3..]);
                    q[3..].copy_from_slice(&turned);
                }
            }
            Self::Natural(_) => {
                for body in &system.naturals {
                    add(&mut q[body.q..body.q + natural::SIZE], &by[body.v..]);
                }
            }
        }
    }

    /// Applies the chart of rotations in a displacement to the turning part of velocities.
    pub fn chart_rate(&self, system: &System, by: &[f64], out: &mut [f64]) {
        if let Self::Spatial(set) = self {
            for &i in &set.bodies {
                let turning = system.bodies[i].v + 3..system.bodies[i].v + 6;
                let psi = Vector3::from_column_slice(&by[turning.clone()]);
                let from = Vector3::from_column_slice(&out[turning.clone()]);
                let part = rotation::body_inverse_tangent(&psi) * from;
                out[turning].copy_from_slice(part.as_slice());
            }
        }
    }

    /// Its part of the weights by which positions are corrected.
    pub fn weights(&self, system: &System, work: &Workspace, out: &mut Weights) {
        match self {
            Self::Planar(set) | Self::Spatial(set) => {
                for body in set.bodies.iter().map(|&i| &system.bodies[i]) {
                    for (i, inverse) in body.velocities().zip(&body.inverse) {
                        out.set(i, i, 1.0 / inverse);
                    }
                }
            }
            Self::Natural(_) => {
                let mut column = [0.0; natural::SIZE];
                for (body, state) in system.naturals.iter().zip(&work.naturals) {
                    for j in 0..natural::SIZE {
                        body.weights(state, j, &mut column);
                        for i in j..natural::SIZE {
                            out.set(body.v + i, body.v + j, column[i]);
                        }
                    }
                }
            }
        }
    }

    /// Takes away what has drifted from coordinates without meaning: the length of quaternions, by which
    /// every use divides.
    pub fn normalise(&self, system: &System, q: &mut [f64]) {
        if let Self::Spatial(set) = self {
            for &i in &set.bodies {
                let p = &mut q[system.bodies[i].q + 3..system.bodies[i].q + 7];
                p.copy_from_slice(&rotation::normalised([p[0], p[1], p[2], p[3]]));
            }
        }
    }
}

/// v̇ = f/m of bodies with so many velocities.
#[inline(always)]
fn divide<const N: usize>(system: &System, set: &BodySet, work: &mut Workspace) {
    for &i in &set.bodies {
        let body = &system.bodies[i];
        let f: &[f64; N] = work.forces[body.v..].first_chunk().expect("its velocities");
        let a: &mut [f64; N] = work.accelerations[body.v..].first_chunk_mut().expect("as many");
        for k in 0..N {
            a[k] = f[k] * body.inverse[k];
        }
    }
}

/// [`Component::artificial_inertia`] of bodies with N velocities, L of them lengths.
#[inline(always)]
fn lacking<const N: usize, const L: usize>(
    system: &System,
    set: &BodySet,
    work: &mut Workspace,
) -> (f64, f64) {
    let (mut massless, mut largest) = (0.0f64, 0.0f64);
    for &i in &set.bodies {
        let body = &system.bodies[i];
        let a: &[f64; N] = work.accelerations[body.v..].first_chunk().expect("its velocities");
        let out: &mut [f64; N] = work.directions[body.v..].first_chunk_mut().expect("as many");
        for k in 0..N {
            let scaled = a[k].abs() * if k < L { 1.0 } else { system.length };
            largest = if scaled > largest { scaled } else { largest };
            if body.artificial[k] > 0.0 {
                massless = massless.max(scaled);
            }
            out[k] = body.artificial[k] * a[k];
        }
    }
    (massless, largest)
}

impl System {
    /// Weights of ones in blocks: numbers for rigid bodies, a full block for each in natural coordinates.
    pub(super) fn blank_weights(&self) -> Weights {
        let rigid: usize = self.layout.v - self.naturals.len() * natural::SIZE;
        let full = self.naturals.iter().map(|_| (Shape::Full, natural::SIZE));
        let shapes: Vec<_> = std::iter::once((Shape::Diagonal, rigid)).chain(full).collect();
        Weights::blocks(&shapes)
    }

    /// M with its places; directions without mass have none here, the constraints hold them.
    pub fn masses(&self, velocities: usize) -> Entries {
        let mut found: Vec<(usize, usize, f64)> = Vec::new();
        for component in &self.components {
            match component {
                Component::Planar(set) | Component::Spatial(set) => {
                    for body in set.bodies.iter().map(|&i| &self.bodies[i]) {
                        found.extend(body.velocities().enumerate().map(|(i, v)| {
                            let real = body.artificial[i] == 0.0;
                            (v, v, if real { 1.0 / body.inverse[i] } else { 0.0 })
                        }));
                    }
                }
                Component::Natural(_) => {
                    for body in &self.naturals {
                        let entries = body.mass_entries().into_iter();
                        found.extend(entries.map(|(i, j, m)| (body.v + i, body.v + j, m)));
                    }
                }
            }
        }
        let places: Vec<(usize, usize)> = found.iter().map(|&(i, j, _)| (i, j)).collect();
        let mut masses = Entries::at(velocities, velocities, &places);
        for (i, j, value) in found {
            masses.set(i, j, value);
        }
        masses
    }

    /// The natural-coordinate body that a moving body is.
    pub(crate) fn natural(&self, body: usize) -> &NaturalBody {
        &self.naturals[self.bodies[body].member]
    }

    /// The same with its state at the last kinematics.
    pub(super) fn natural_at<'w>(
        &self,
        body: usize,
        work: &'w Workspace,
    ) -> (&NaturalBody, &'w NaturalState) {
        (self.natural(body), &work.naturals[self.bodies[body].member])
    }

    /// Coordinates and velocities of a moving body at a pose and twist of its inner axes; `angle` is that
    /// of a planar body, counted over turns.
    pub fn write_state(&self, body: usize, state: &BodyState, q: &mut [f64], v: &mut [f64]) {
        let rigid = &self.bodies[body];
        let (q, v) = (&mut q[rigid.coordinates()], &mut v[rigid.velocities()]);
        let (p, twist) = (&state.frame.p, &state.twist);
        match rigid.formulation {
            Formulation::Planar => {
                q.copy_from_slice(&[p.x, p.y, state.angle]);
                v.copy_from_slice(&[twist.v.x, twist.v.y, twist.w.z]);
            }
            Formulation::Spatial => {
                q[..3].copy_from_slice(p.as_slice());
                q[3..].copy_from_slice(&rotation::quaternion(&state.frame.r));
                v[..3].copy_from_slice(twist.v.as_slice());
                v[3..].copy_from_slice(state.frame.r.tr_mul(&twist.w).as_slice());
            }
            Formulation::Natural => {
                self.natural(body).write_pose(&state.frame, q);
                self.natural(body).write_twist(&state.frame.r, twist, v);
            }
        }
    }

    /// Whether masses of components need more than the forces: (9) of `natural.rs`.
    pub(super) fn completes_forces(&self) -> bool {
        !self.naturals.is_empty()
    }

    /// Pose and velocity of a moving body at any point.
    pub fn state_of(&self, body: usize, q: &[f64], v: &[f64]) -> BodyState {
        let rigid = &self.bodies[body];
        match rigid.formulation {
            Formulation::Planar => BodyState::planar(&q[rigid.q..], &v[rigid.v..]),
            Formulation::Spatial => BodyState::spatial(&q[rigid.q..], &v[rigid.v..]),
            Formulation::Natural => self.natural(body).state(q, v).body_state(),
        }
    }

    /// A marker at any point.
    #[inline]
    pub fn marker_at(&self, at: &Attachment, q: &[f64], v: &[f64]) -> MarkerState {
        let mut marker = MarkerState::default();
        self.write_marker(at, q, v, &mut marker);
        marker
    }

    /// The same in place; returns its arm from the mass centre.
    #[inline]
    pub fn write_marker(
        &self,
        at: &Attachment,
        q: &[f64],
        v: &[f64],
        marker: &mut MarkerState,
    ) -> Vector3<f64> {
        let mut arm = Vector3::zeros();
        let Some(body) = at.body.checked_sub(1) else {
            *marker = at.on_ground();
            return arm;
        };
        let rigid = &self.bodies[body];
        match rigid.formulation {
            Formulation::Planar => {
                let state = BodyState::planar(&q[rigid.q..], &v[rigid.v..]);
                state.write_planar(at, marker, &mut arm);
            }
            Formulation::Spatial => {
                let state = BodyState::spatial(&q[rigid.q..], &v[rigid.v..]);
                state.write_spatial(at, marker, &mut arm);
            }
            Formulation::Natural => {
                (*marker, arm) = self.natural(body).state(q, v).marker(at);
            }
        }
        arm
    }

    /// A marker at the last kinematics, in the workspace or not, and its acceleration.
    pub fn marker_motion(&self, at: &Attachment, work: &Workspace) -> (MarkerState, Twist) {
        let Some(body) = at.body.checked_sub(1) else { return (at.on_ground(), Twist::ZERO) };
        let rigid = &self.bodies[body];
        let (state, a) = (&work.states[at.body], &work.accelerations[rigid.velocities()]);
        let carried = |linear: Vector3<f64>, angular: Vector3<f64>, arm: &Vector3<f64>| Twist {
            v: linear + angular.cross(arm),
            w: angular,
        };
        let (marker, moved) = match rigid.formulation {
            Formulation::Planar => {
                let (marker, arm) = state.planar_marker(at);
                let angular = Vector3::new(0.0, 0.0, a[2]);
                (marker, carried(Vector3::new(a[0], a[1], 0.0), angular, &arm))
            }
            Formulation::Spatial => {
                let (marker, arm) = state.spatial_marker(at);
                let angular = state.frame.r * Vector3::new(a[3], a[4], a[5]);
                (marker, carried(Vector3::new(a[0], a[1], a[2]), angular, &arm))
            }
            Formulation::Natural => {
                let state = &work.naturals[rigid.member];
                let length = self.natural(body).length;
                (state.marker(at).0, state.acceleration(length, &at.offset, a))
            }
        };
        let acceleration = Twist { v: moved.v + marker.bias.v, w: moved.w + marker.bias.w };
        (marker, acceleration)
    }

    /// w · J M⁻¹ Jᵀ w of a unit wrench on the rigid body of a marker, if nothing else held it.
    pub fn inverse_mass(&self, at: &Attachment, unit: &Wrench, q: &[f64], v: &[f64]) -> f64 {
        let Some(body) = at.body.checked_sub(1) else { return 0.0 };
        let rigid = &self.bodies[body];
        let state = self.state_of(body, q, v);
        let arm = self.write_marker(at, q, v, &mut MarkerState::default());
        let weighted =
            |j: &[f64]| j.iter().zip(&rigid.inverse).map(|(j, inverse)| j * j * inverse).sum();
        match rigid.formulation {
            Formulation::Planar => weighted(&state.reduce_planar(&arm, unit)),
            Formulation::Spatial | Formulation::Natural => {
                weighted(&state.reduce_spatial(&arm, unit))
            }
        }
    }

    /// Kinetic energy of a moving body at the last kinematics, real masses only.
    pub fn kinetic_of(&self, body: usize, v: &[f64]) -> f64 {
        let rigid = &self.bodies[body];
        match rigid.formulation {
            Formulation::Planar | Formulation::Spatial => rigid.kinetic(&v[rigid.velocities()]),
            Formulation::Natural => self.natural(body).kinetic(&v[rigid.velocities()]),
        }
    }

    /// Linear and angular size of the velocities of a moving body.
    pub fn speeds_of(&self, body: usize, v: &[f64]) -> (f64, f64) {
        let norm = |v: &[f64]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
        let rigid = &self.bodies[body];
        let (linear, angular) = rigid.split(v);
        match rigid.formulation {
            Formulation::Planar | Formulation::Spatial => (norm(linear), norm(angular)),
            // A spin moves two of three unit vectors.
            Formulation::Natural => {
                (norm(&linear[..3]), norm(&angular[..3]).max(norm(&angular[3..])))
            }
        }
    }

    /// Adds Jᵀ w of a wrench at a marker to f.
    #[inline]
    pub fn apply(&self, marker: usize, wrench: &Wrench, work: &mut Workspace) {
        let at = &self.attachments[marker];
        let Some(moving) = at.body.checked_sub(1) else { return };
        let body = &self.bodies[moving];
        let (state, arm) = (&work.states[moving + 1], &work.arms[marker]);
        let forces = &mut work.forces[body.velocities()];
        match body.formulation {
            Formulation::Planar => add(forces, &state.reduce_planar(arm, wrench)),
            Formulation::Spatial => add(forces, &state.reduce_spatial(arm, wrench)),
            Formulation::Natural => self.apply_natural(marker, wrench, work),
        }
    }

    /// Apart, so that the others do not pay for it.
    #[cold]
    fn apply_natural(&self, marker: usize, wrench: &Wrench, work: &mut Workspace) {
        let at = &self.attachments[marker];
        let body = &self.bodies[at.body - 1];
        let mut part = [0.0; natural::SIZE];
        let state = &work.naturals[body.member];
        self.natural(at.body - 1).reduce(state, &at.offset, wrench, &mut part);
        add(&mut work.forces[body.velocities()], &part);
    }

    /// Jᵀ w of a wrench at a marker, over the columns of its body.
    pub(super) fn reduced(&self, marker: usize, wrench: &Wrench, work: &Workspace) -> Columns {
        let at = &self.attachments[marker];
        let mut out = [0.0; natural::SIZE];
        let Some(moving) = at.body.checked_sub(1) else { return out };
        let body = &self.bodies[moving];
        let (state, arm) = (&work.states[moving + 1], &work.arms[marker]);
        match body.formulation {
            Formulation::Planar => out[..3].copy_from_slice(&state.reduce_planar(arm, wrench)),
            Formulation::Spatial => out[..6].copy_from_slice(&state.reduce_spatial(arm, wrench)),
            Formulation::Natural => {
                let state = &work.naturals[body.member];
                self.natural(moving).reduce(state, &at.offset, wrench, &mut out);
            }
        }
        out
    }

    /// How a marker moves along a column of its body, and what the body does then.
    pub(super) fn position_variation(
        &self,
        marker: usize,
        column: usize,
        work: &Workspace,
    ) -> (Variation, Moved) {
        let at = &self.attachments[marker];
        let moving = at.body - 1;
        let (body, state) = (&self.bodies[moving], &work.states[at.body]);
        match body.formulation {
            Formulation::Planar | Formulation::Spatial => {
                let (along, turn) = state.direction(body.formulation, column);
                let (spin, arm) = (&work.markers[marker].twist.w, &work.arms[marker]);
                (rigid::position_variation(spin, arm, &along, &turn), Moved::Rigid(turn))
            }
            Formulation::Natural => {
                let state = &work.naturals[body.member];
                let (variation, moved) =
                    self.natural(moving).position_variation(state, &at.offset, column);
                (variation, Moved::Natural(moved))
            }
        }
    }

    /// How the velocity of a marker changes along a column of its body.
    pub(super) fn velocity_variation(
        &self,
        marker: usize,
        column: usize,
        work: &Workspace,
    ) -> Variation {
        let at = &self.attachments[marker];
        let moving = at.body - 1;
        let (body, state) = (&self.bodies[moving], &work.states[at.body]);
        match body.formulation {
            Formulation::Planar | Formulation::Spatial => {
                let (along, turn) = state.direction(body.formulation, column);
                rigid::velocity_variation(&work.arms[marker], &along, &turn)
            }
            Formulation::Natural => {
                let state = &work.naturals[body.member];
                self.natural(moving).velocity_variation(state, &at.offset, column)
            }
        }
    }

    /// Change of Jᵀ w along a column of the marker's own body, for a wrench `now` whose own change is
    /// `change`: Jᵀ δw + (δJ)ᵀ w.
    pub(super) fn reduced_change(
        &self,
        marker: usize,
        change: &Wrench,
        now: &Wrench,
        moved: Option<&Moved>,
        work: &Workspace,
    ) -> Columns {
        let mut wrench = *change;
        if let Some(Moved::Rigid(turn)) = moved {
            wrench.t += rigid::turned(now, &work.arms[marker], turn);
        }
        let mut out = self.reduced(marker, &wrench, work);
        if let Some(Moved::Natural(moved)) = moved {
            let moving = self.attachments[marker].body - 1;
            let state = &work.naturals[self.bodies[moving].member];
            self.natural(moving).add_turned(state, &now.t, moved, &mut out);
        }
        out
    }
}

/// Entries over the columns of one body, of which it has up to so many.
pub(super) type Columns = [f64; natural::SIZE];

/// What a body does along one of its columns: how far its axes turn.
#[derive(Clone, Copy, Debug)]
pub(super) enum Moved {
    Rigid(Vector3<f64>),
    Natural(natural::Moved),
}

#[inline(always)]
pub(super) fn add(sum: &mut [f64], part: &[f64]) {
    for (s, p) in sum.iter_mut().zip(part) {
        *s += p;
    }
}
