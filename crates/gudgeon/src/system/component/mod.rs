//! Components: parts of the mechanism that own ranges of q, v and rows, and answer for them.
//!
//! Whatever acts between bodies sees markers (`marker.rs`) and gives wrenches. A component knows what
//! its coordinates mean: it places its markers, brings wrenches to its part of f by Jᵀ, says how a
//! marker moves along each of its columns, solves with its masses, and has rows of its own where its
//! coordinates are not independent. Loops dispatch per component; inside they are homogeneous.
//!
//! A column is a velocity of one body, counted from its first. The columns that a marker moves are
//! those of its body, so patterns are known before anything moves.

pub mod beam;
mod chord;
pub mod floating;
mod internal;
mod markers;
mod masses;
pub mod natural;
pub mod rigid;
pub(super) mod sets;
mod support;
pub mod tangent;
pub mod triad;

pub(super) use internal::{fill_flexible, fill_natural, internal_rows, solve_flexible_rows};

use std::f64::consts::TAU;

use gudgeon_dae::Weights;
use nalgebra::Vector3;

pub use beam::{BeamBody, SectionState};
pub use floating::{FloatingBody, FloatingSection, FloatingState};
pub use natural::NaturalBody;
pub use rigid::{BodyState, RigidBody};
pub use support::Support;
pub use triad::{InternalRow, Triad};

use super::compile::System;
use super::workspace::Workspace;
use crate::math::rotation;

/// What coordinates describe a body by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Formulation {
    /// q = (x, y, θ), v = q̇.
    Planar,
    /// q = position and quaternion, v = (world velocity, angular velocity in inner axes).
    Spatial,
    /// q = two points and two unit vectors, v = q̇.
    Natural,
    /// q = places and gradients of the nodes of a beam, v = q̇.
    Beam,
    /// As [`Formulation::Planar`] or [`Formulation::Spatial`], then elastic coordinates.
    FloatingPlanar,
    FloatingSpatial,
}

impl Formulation {
    /// Number of coordinates; each flexible link has its own.
    pub const fn coordinates(self) -> usize {
        match self {
            Self::Planar => 3,
            Self::Spatial => 7,
            Self::Natural => natural::SIZE,
            Self::Beam | Self::FloatingPlanar | Self::FloatingSpatial => 0,
        }
    }

    /// Number of velocities: lengths first, then angles or slopes; each flexible link has its own.
    pub const fn velocities(self) -> usize {
        match self {
            Self::Planar => 3,
            Self::Spatial => 6,
            Self::Natural => natural::SIZE,
            Self::Beam | Self::FloatingPlanar | Self::FloatingSpatial => 0,
        }
    }

    /// How many of the first velocities are lengths per time; in beams they alternate; of links with a floating
    /// frame those of the frame. The others have no length to be scaled by.
    pub const fn lengths(self) -> usize {
        match self {
            Self::Planar | Self::FloatingPlanar => 2,
            Self::Spatial | Self::FloatingSpatial => 3,
            Self::Natural => 6,
            Self::Beam => 0,
        }
    }

    /// How many of the first velocities are those of a body or frame; the rest are elastic.
    pub const fn frame_velocities(self) -> usize {
        match self {
            Self::FloatingPlanar => 3,
            Self::FloatingSpatial => 6,
            other => other.velocities(),
        }
    }

    /// Whether it bends.
    pub const fn is_flexible(self) -> bool {
        matches!(self, Self::Beam | Self::FloatingPlanar | Self::FloatingSpatial)
    }

    pub const fn is_floating(self) -> bool {
        matches!(self, Self::FloatingPlanar | Self::FloatingSpatial)
    }

    /// Whether its fourth to sixth velocity are an angular velocity in axes of the body or frame.
    pub const fn has_spin(self) -> bool {
        matches!(self, Self::Spatial | Self::FloatingSpatial)
    }

    /// Whether q̇ = v.
    pub const fn velocity_is_rate(self) -> bool {
        match self {
            Self::Planar | Self::Natural | Self::Beam | Self::FloatingPlanar => true,
            Self::Spatial | Self::FloatingSpatial => false,
        }
    }
}

/// A set of bodies of one formulation; indices are those of [`System::bodies`].
#[derive(Clone, Debug)]
pub enum Component {
    Planar(BodySet),
    Spatial(BodySet),
    Natural(BodySet),
    Beams(BodySet),
    Floating(BodySet),
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
                self.place_markers(system, work);
            }
            Self::Spatial(set) => {
                for &i in &set.bodies {
                    let body = &system.bodies[i];
                    work.states[i + 1] = BodyState::spatial(&q[body.q..], &v[body.v..]);
                    work.quaternions[i].copy_from_slice(&q[body.q + 3..body.q + 7]);
                }
                self.place_markers(system, work);
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
            Self::Beams(set) => place_beams(system, set, q, v, work),
            Self::Floating(set) => place_floating(system, set, q, v, work),
        }
    }

    /// Markers of rigid bodies in coordinates of their own, by the states of these.
    #[inline(always)]
    pub fn place_markers(&self, system: &System, work: &mut Workspace) {
        match self {
            Self::Planar(set) => {
                for &marker in &set.markers {
                    let at = &system.attachments[marker];
                    let (seen, arm) = (&mut work.markers[marker], &mut work.arms[marker]);
                    work.states[at.body].write_planar(at, seen, arm);
                }
            }
            Self::Spatial(set) => {
                for &marker in &set.markers {
                    let at = &system.attachments[marker];
                    let (seen, arm) = (&mut work.markers[marker], &mut work.arms[marker]);
                    work.states[at.body].write_spatial(at, seen, arm);
                }
            }
            Self::Natural(_) | Self::Beams(_) | Self::Floating(_) => {}
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
            Self::Beams(_) => {
                for beam in &system.beams {
                    let (from, to) = (beam.v - system.first_beam(), beam.v..beam.v + beam.size());
                    let (q, v) = (&work.beam_q[from..], &work.v[to.clone()]);
                    let (scratch, forces) = (&mut work.scratch, &mut work.forces[to]);
                    beam.own_forces(gravity, (&q[..beam.size()], v), scratch, forces);
                }
            }
            Self::Floating(_) => {
                for (body, state) in system.floating.iter().zip(&work.floating) {
                    let range = body.v..body.v + body.size();
                    body.own_forces(gravity, state, &mut work.forces[range]);
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
            Self::Beams(_) => {
                for beam in &system.beams {
                    let range = beam.v..beam.v + beam.size();
                    let a = &mut work.accelerations[range.clone()];
                    a.copy_from_slice(&work.forces[range]);
                    beam.beam.solve_masses(a);
                }
            }
            Self::Floating(_) => {
                for (body, state) in system.floating.iter().zip(&work.floating) {
                    let range = body.v..body.v + body.size();
                    let a = &mut work.accelerations[range.clone()];
                    a.copy_from_slice(&work.forces[range]);
                    body.solve(state, a);
                }
            }
        }
    }

    /// Factors masses that change with the position, for [`Component::solve_masses`] and M⁻¹Gᵀ.
    pub fn factor_masses(&self, system: &System, work: &mut Workspace) {
        if let Self::Floating(_) = self {
            for (body, state) in system.floating.iter().zip(&mut work.floating) {
                body.factor(state);
            }
        }
    }

    /// What the inverse of the masses takes to f beside the forces: (3) of `natural.rs`.
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
            Self::Beams(_) => {
                for beam in &system.beams {
                    work.directions[beam.v..beam.v + beam.size()].fill(0.0);
                }
            }
            Self::Floating(_) => {
                for body in &system.floating {
                    work.directions[body.v..body.v + body.size()].fill(0.0);
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
            Self::Beams(_) => {
                for beam in &system.beams {
                    let from = &v[beam.v..beam.v + beam.size()];
                    rates[beam.q..beam.q + beam.size()].copy_from_slice(from);
                }
            }
            Self::Floating(_) => {
                for body in &system.floating {
                    let (q, v, rates) = (&q[body.q..], &v[body.v..], &mut rates[body.q..]);
                    let (frame, elastic) = (body.elastic_q(), body.border());
                    rates[..3].copy_from_slice(&v[..3]);
                    if frame == 7 {
                        rates[3..7].copy_from_slice(&rotation::rate(&q[3..7], &v[3..6]));
                    }
                    let n = body.link.size();
                    rates[frame..frame + n].copy_from_slice(&v[elastic..elastic + n]);
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
            Self::Beams(_) => {
                for beam in &system.beams {
                    let from = &rates[beam.q..beam.q + beam.size()];
                    v[beam.v..beam.v + beam.size()].copy_from_slice(from);
                }
            }
            Self::Floating(_) => {
                for body in &system.floating {
                    let (q, rates, v) = (&q[body.q..], &rates[body.q..], &mut v[body.v..]);
                    let (frame, elastic) = (body.elastic_q(), body.border());
                    v[..3].copy_from_slice(&rates[..3]);
                    if frame == 7 {
                        v[3..6].copy_from_slice(&rotation::spin_of(&q[3..7], &rates[3..7]));
                    }
                    let n = body.link.size();
                    v[elastic..elastic + n].copy_from_slice(&rates[frame..frame + n]);
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
            Self::Beams(_) => {
                for beam in &system.beams {
                    add(&mut q[beam.q..beam.q + beam.size()], &by[beam.v..]);
                }
            }
            Self::Floating(_) => {
                for body in &system.floating {
                    let (q, by) = (&mut q[body.q..], &by[body.v..]);
                    let (frame, elastic) = (body.elastic_q(), body.border());
                    add(&mut q[..3], &by[..3]);
                    if frame == 7 {
                        let turned = rotation::turned(&q[3..7], &by[3..6]);
                        q[3..7].copy_from_slice(&turned);
                    }
                    let n = body.link.size();
                    add(&mut q[frame..frame + n], &by[elastic..elastic + n]);
                }
            }
        }
    }

    /// Applies the chart of rotations in a displacement to the turning part of velocities.
    pub fn chart_rate(&self, system: &System, by: &[f64], out: &mut [f64]) {
        if let Self::Spatial(set) | Self::Floating(set) = self {
            let spins = |i: &&usize| system.bodies[**i].formulation.has_spin();
            for &i in set.bodies.iter().filter(spins) {
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
            // Constant, and there already.
            Self::Beams(_) => {}
            Self::Floating(_) => {
                for (body, state) in system.floating.iter().zip(&work.floating) {
                    body.for_changing_masses(state, |i, j, m| out.set(body.v + i, body.v + j, m));
                }
            }
        }
    }

    /// Takes away what has drifted from coordinates without meaning: the length of quaternions, by which
    /// every use divides.
    pub fn normalise(&self, system: &System, q: &mut [f64]) {
        if let Self::Spatial(set) | Self::Floating(set) = self {
            let spins = |i: &&usize| system.bodies[**i].formulation.has_spin();
            for &i in set.bodies.iter().filter(spins) {
                let p = &mut q[system.bodies[i].q + 3..system.bodies[i].q + 7];
                p.copy_from_slice(&rotation::normalised([p[0], p[1], p[2], p[3]]));
            }
        }
    }
}

/// Coordinates of beams are kept, because their forces follow from them.
fn place_beams(system: &System, set: &BodySet, q: &[f64], v: &[f64], work: &mut Workspace) {
    let first = system.beams[0].q;
    let size = work.beam_q.len();
    work.beam_q.copy_from_slice(&q[first..first + size]);
    for beam in &system.beams {
        let mut state = beam.body_state(q, v);
        // Of repeated angles and signs the ones nearest to the last.
        let last = &mut work.states[beam.body + 1];
        state.angle += TAU * ((last.angle - state.angle) / TAU).round();
        *last = state;
        let quaternion = rotation::quaternion(&state.frame.r);
        let last = &mut work.quaternions[beam.body];
        let along: f64 = quaternion.iter().zip(&*last).map(|(a, b)| a * b).sum();
        *last = quaternion.map(|x| if along < 0.0 { -x } else { x });
    }
    for &marker in &set.markers {
        let at = &system.attachments[marker];
        let beam = system.beam(at.body - 1);
        let section = beam.section_at(at.along, q, v);
        let (mut seen, arm) = beam.marker(&section, at);
        let near = work.states[at.body].angle;
        seen.angle += TAU * ((near - seen.angle) / TAU).round();
        (work.markers[marker], work.arms[marker]) = (seen, arm);
        work.sections[marker] = Some(section);
    }
}

/// The middle of the line stands for the axes, as of beams.
fn place_floating(system: &System, set: &BodySet, q: &[f64], v: &[f64], work: &mut Workspace) {
    for (body, state) in system.floating.iter().zip(&mut work.floating) {
        work.states[body.body + 1] = body.place(q, v, state);
        let quaternion = rotation::quaternion(&work.states[body.body + 1].frame.r);
        let last = &mut work.quaternions[body.body];
        let along: f64 = quaternion.iter().zip(&*last).map(|(a, b)| a * b).sum();
        *last = quaternion.map(|x| if along < 0.0 { -x } else { x });
    }
    for &marker in &set.markers {
        let at = &system.attachments[marker];
        let body = system.floating(at.body - 1);
        let state = &work.floating[system.bodies[at.body - 1].member];
        let site = system.sites[marker].as_ref().expect("markers on floating links have sites");
        let section = body.section(site, state);
        let (seen, arm) = body.marker(&section, at, body.frame_angle(q));
        (work.markers[marker], work.arms[marker]) = (seen, arm);
        work.floating_sections[marker] = Some(section);
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

/// Entries over the columns of one body, of which it has up to so many.
pub(crate) type Columns = [f64; beam::COLUMNS];

/// What a body does along one of its columns: how far its axes turn.
#[derive(Clone, Copy, Debug)]
pub(super) enum Moved {
    Rigid(Vector3<f64>),
    Triad(triad::Moved),
    Section(beam::SectionMoved),
    Floating(floating::FloatingMoved),
}

#[inline(always)]
pub(super) fn add(sum: &mut [f64], part: &[f64]) {
    for (s, p) in sum.iter_mut().zip(part) {
        *s += p;
    }
}
