//! The motion itself: poses, lines of flexible links, joint forces and journals, for those who show it.
//!
//! Points are the ends of all steps, and instants inside where a chord between two points misses the path. With
//! e the distance of the middle of a step from its chord over the tolerance of a value, the step gets
//!
//!   n = ⌈√e⌉                                                                                (1)
//!
//! parts, because a chord errs by its square. Tolerances share an error of 10⁻³ of the size L of the mechanism
//! between position and rotation: for a pose with points up to r from its origin
//!
//!   δx = a L,  δθ = a L/r,  δp = a L/(4 r),  a = 3 × 10⁻⁴,                                  (2)
//!
//! δp of a quaternion, whose change by |δp| turns by 2 |δp|: √3 a + a < 10⁻³. Journals move within a two-hundredth of
//! their clearance. Forces are those at the ends of steps, on straight lines between. Nothing here reaches the
//! motion: points inside are read from the dense output.

use super::flexible::{LinePoint, each_line};
use super::{Observer, Run, orbits_of};
use crate::marker::Attachment;
use crate::math::rotation;
use crate::math::spatial::Frame;
use crate::model::Space;
use crate::sensor::{Needs, reaction};
use crate::system::{Plant, System};

/// a of (2).
const SHARE: f64 = 3e-4;
/// Of the clearance.
const JOURNAL: f64 = 0.005;
/// No rotation is drawn coarser, rad; nor finer, in quaternion or angle.
const COARSEST: f64 = 0.02;
const FINEST: f64 = 2e-5;
/// Parts of a step at most.
const PARTS: f64 = 64.0;

/// What the values of a [`MotionPoint`] are.
#[derive(Clone, Debug, PartialEq)]
pub struct MotionLayout {
    pub space: Space,
    /// Bodies of the model with one pose, of their own axes.
    pub bodies: Vec<usize>,
    /// Bodies of the model that are lines, with the stations along them, each with a pose.
    pub lines: Vec<(usize, Vec<f64>)>,
    /// Tolerance of every value of the poses, (2).
    pub tolerances: Vec<f64>,
    /// Size of the mechanism, m.
    pub length: f64,
    /// Journals: name of the joint or its spot, number of the joint, clearance.
    pub journals: Vec<(String, usize, f64)>,
    pub joints: usize,
}

impl MotionLayout {
    pub fn new(system: &System) -> Self {
        let model = &system.model;
        let element = |body: usize| {
            let of = |link: &crate::rfem::Division| link.elements.iter().any(|e| e.0 == body);
            model.links.iter().any(of)
        };
        let rigid = |body: &usize| {
            let bends = system.bodies[*body - 1].formulation.is_flexible();
            !bends && !element(*body)
        };
        let bodies: Vec<usize> = (1..model.bodies.len()).filter(rigid).collect();
        let beams = system.beams.iter().map(|b| (b.body + 1, b.beam.stations().collect()));
        let floating = system.floating.iter().map(|b| (b.body + 1, b.link.stations().collect()));
        let chains = system.chains().map(|c| (c.division.body.0, c.stations().collect()));
        let lines: Vec<(usize, Vec<f64>)> = beams.chain(floating).chain(chains).collect();
        let named = super::orbits(model).into_iter().zip(orbits_of(system));
        let journals =
            named.map(|((name, c), contact)| (name, system.contacts[contact].joint.0, c));
        let length = system.length;
        let tolerances = bodies.iter().flat_map(|body| {
            let markers = model.markers.iter().filter(|marker| marker.body.0 == *body);
            let reach = markers.map(|marker| marker.local.p.norm());
            let reach = reach.fold(model.bodies[*body].centre.norm(), f64::max);
            tolerance(model.space, length, reach)
        });
        Self {
            space: model.space,
            tolerances: tolerances.collect(),
            bodies,
            lines: Vec::new(),
            length,
            journals: journals.collect(),
            joints: model.joints.len(),
        }
        .with_lines(lines)
    }

    /// With these bodies as lines.
    pub(crate) fn with_lines(mut self, lines: Vec<(usize, Vec<f64>)>) -> Self {
        let size = Self::pose_size(self.space);
        for i in (0..self.bodies.len()).rev() {
            if lines.iter().any(|(line, _)| *line == self.bodies[i]) {
                self.bodies.remove(i);
                self.tolerances.drain(i * size..(i + 1) * size);
            }
        }
        let stations = lines.iter().map(|(_, stations)| stations.len()).sum();
        let one = tolerance(self.space, self.length, 0.02 * self.length);
        self.tolerances.extend(std::iter::repeat_n(one, stations).flatten());
        self.lines = lines;
        self
    }

    /// Numbers of a pose: x, y, θ in the plane, position and quaternion (w, x, y, z) in space.
    pub fn pose_size(space: Space) -> usize {
        match space {
            Space::Planar => 3,
            Space::Spatial => 7,
        }
    }
}

/// (2), value by value.
fn tolerance(space: Space, length: f64, reach: f64) -> Vec<f64> {
    let position = SHARE * length;
    let turn = |parts: f64| (position / (parts * reach)).clamp(FINEST, COARSEST / parts);
    let (axes, turns, parts) = match space {
        Space::Planar => (2, 1, 1.0),
        Space::Spatial => (3, 4, 4.0),
    };
    [vec![position; axes], vec![turn(parts); turns]].concat()
}

/// The mechanism at an instant.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MotionPoint {
    /// Poses of bodies, then of stations of lines.
    pub poses: Vec<f64>,
    /// Per joint the force on its second side in world axes, as many components as there are directions.
    pub forces: Vec<f64>,
    /// Per journal its position (x, y) in axes of its bearing, the force on it in the same axes, and whether it
    /// touches.
    pub journals: Vec<f64>,
}

/// Values per journal.
pub const JOURNAL_SIZE: usize = 5;

/// What is kept to read the motion.
pub(super) struct Motion {
    layout: MotionLayout,
    /// The own axes of the bodies.
    origins: Vec<Attachment>,
    contacts: Vec<usize>,
    /// At the ends of the last step, and in between.
    before: MotionPoint,
    now: MotionPoint,
    inside: MotionPoint,
    line: Vec<LinePoint>,
    /// A contact began where the last step ended.
    pub began: bool,
}

impl Motion {
    fn new(system: &System) -> Self {
        let layout = MotionLayout::new(system);
        let origins =
            layout.bodies.iter().map(|body| system.attach(*body, &Frame::identity())).collect();
        let contacts = orbits_of(system).collect();
        let blank = MotionPoint {
            poses: vec![0.0; layout.tolerances.len()],
            forces: vec![0.0; layout.joints * layout.space.axes()],
            journals: vec![0.0; JOURNAL_SIZE * layout.journals.len()],
        };
        Self {
            layout,
            origins,
            contacts,
            before: blank.clone(),
            now: blank.clone(),
            inside: blank,
            line: Vec::new(),
            began: false,
        }
    }

    /// Poses and journals at a state, signs of quaternions as in the last point.
    fn read(&mut self, plant: &Plant, t: f64, y: &[f64], inside: bool) {
        let Self { layout, origins, contacts, before, now, inside: between, line, .. } = self;
        let point = if inside { between } else { now };
        let size = MotionLayout::pose_size(layout.space);
        for (i, origin) in origins.iter().enumerate() {
            let marker = plant.attached(origin, t, y);
            let to = i * size..(i + 1) * size;
            let (out, last) = (&mut point.poses[to.clone()], &before.poses[to]);
            match layout.space {
                Space::Planar => {
                    out.copy_from_slice(&[marker.frame.p.x, marker.frame.p.y, marker.angle]);
                }
                Space::Spatial => {
                    let axes = rotation::quaternion(&marker.frame.r);
                    write_spatial(out, last, marker.frame.p.into(), axes);
                }
            }
        }
        let mut at = origins.len() * size;
        if !layout.lines.is_empty() {
            each_line(plant, t, y, line, |_, points| {
                for LinePoint { position, axes, .. } in points {
                    let (out, last) = (&mut point.poses[at..at + size], &before.poses[at..]);
                    match layout.space {
                        Space::Planar => {
                            let angle = 2.0 * axes[3].atan2(axes[0]);
                            out.copy_from_slice(&[position[0], position[1], near(angle, last[2])]);
                        }
                        Space::Spatial => write_spatial(out, last, *position, *axes),
                    }
                    at += size;
                }
            });
        }
        for (out, contact) in point.journals.chunks_exact_mut(JOURNAL_SIZE).zip(contacts) {
            out[..2].copy_from_slice(&plant.journal_position(*contact, t, y));
        }
    }

    /// Forces of the workspace, which belongs to the end of the step.
    fn read_forces(&mut self, plant: &Plant) {
        let Self { layout, contacts, now, .. } = self;
        let system = plant.system;
        let axes = layout.space.axes();
        for (joint, out) in now.forces.chunks_exact_mut(axes).enumerate() {
            out.copy_from_slice(&reaction(plant, joint).f.as_slice()[..axes]);
        }
        let journals = now.journals.chunks_exact_mut(JOURNAL_SIZE);
        for ((out, contact), (_, joint, _)) in journals.zip(contacts).zip(&layout.journals) {
            let element = &system.contacts[*contact];
            let bearing = &plant.work.markers[element.a].frame.r;
            let mut force = plant.work.contacts[*contact].1.on_journal;
            if let Some(film) = system.film_of(crate::model::JointId(*joint)) {
                force += plant.work.films[film].now.pair.b.f;
            }
            let local = bearing.tr_mul(&force);
            let touches = f64::from(plant.memory.contacts[*contact].in_contact());
            out[2..].copy_from_slice(&[local.x, local.y, touches]);
        }
    }

    /// How far the middle of the last step is from its chord, over the tolerances.
    fn bend(&self) -> f64 {
        let miss = |a: f64, b: f64, m: f64| (m - 0.5 * (a + b)).abs();
        let all = self.before.poses.iter().zip(&self.now.poses).zip(&self.inside.poses);
        let poses =
            all.zip(&self.layout.tolerances).map(|(((a, b), m), tol)| miss(*a, *b, *m) / tol);
        let most = poses.fold(0.0, f64::max);
        let journals = self.layout.journals.iter().enumerate();
        journals.fold(most, |most, (i, (_, _, clearance))| {
            let tolerance = JOURNAL * clearance;
            let off = |k: usize| {
                let k = JOURNAL_SIZE * i + k;
                miss(self.before.journals[k], self.now.journals[k], self.inside.journals[k])
            };
            if tolerance > 0.0 { most.max(off(0).max(off(1)) / tolerance) } else { most }
        })
    }

    /// Forces inside the step, on straight lines.
    fn share_forces(&mut self, share: f64) {
        let Self { before, now, inside, .. } = self;
        let mix = |a: f64, b: f64| a + share * (b - a);
        for (i, out) in inside.forces.iter_mut().enumerate() {
            *out = mix(before.forces[i], now.forces[i]);
        }
        for (i, out) in inside.journals.iter_mut().enumerate() {
            match i % JOURNAL_SIZE {
                0 | 1 => {}
                2 | 3 => *out = mix(before.journals[i], now.journals[i]),
                _ => *out = before.journals[i],
            }
        }
    }
}

/// Position and quaternion, of the sign nearer to the last one.
fn write_spatial(out: &mut [f64], last: &[f64], position: [f64; 3], axes: [f64; 4]) {
    let along: f64 = axes.iter().zip(&last[3..7]).map(|(a, b)| a * b).sum();
    let sign = if along < 0.0 { -1.0 } else { 1.0 };
    out[..3].copy_from_slice(&position);
    out[3..7].iter_mut().zip(axes).for_each(|(out, p)| *out = sign * p);
}

/// An angle in the turn nearest to another.
fn near(angle: f64, other: f64) -> f64 {
    use std::f64::consts::TAU;
    angle + TAU * ((other - angle) / TAU).round()
}

impl Run<'_> {
    /// The first point.
    pub(super) fn begin_motion(&mut self, observer: &mut dyn Observer) {
        if !observer.wants_motion() {
            return;
        }
        let mut motion = Motion::new(self.plant.system);
        self.plant.complete(Needs::Reactions);
        motion.read(&self.plant, 0.0, self.ode.state(), false);
        motion.read_forces(&self.plant);
        observer.motion_point(0.0, &motion.now);
        motion.before.clone_from(&motion.now);
        self.motion = Some(Box::new(motion));
    }

    /// The points of the last step.
    pub(super) fn follow_motion(&mut self, observer: &mut dyn Observer) {
        let Some(motion) = &mut self.motion else { return };
        let t = self.ode.time();
        if self.outputs.needs < Needs::Reactions {
            self.plant.complete(Needs::Reactions);
        }
        motion.read(&self.plant, t, self.ode.state(), false);
        motion.read_forces(&self.plant);
        let last = self.ode.last_extent().0;
        let middle = self.ode.sketch(0.5 * last, &mut self.inside.y);
        motion.read(&self.plant, middle, &self.inside.y, true);
        let parts = motion.bend().sqrt().ceil().min(PARTS); // (1)
        if parts > 1.0 && self.ode.prepare_dense(&mut self.inside.plant).is_ok() {
            for part in 1..parts as u32 {
                let share = f64::from(part) / parts;
                let at = self.ode.interpolate(share * last, &mut self.inside.y);
                motion.read(&self.plant, at, &self.inside.y, true);
                motion.share_forces(share);
                observer.motion_point(at, &motion.inside);
            }
        }
        observer.motion_point(t, &motion.now);
        let Motion { before, now, .. } = &mut **motion;
        before.clone_from(now);
    }

    /// Marks the last point where an impact begins there.
    pub(super) fn mark_impact(&mut self, observer: &mut dyn Observer) {
        if let Some(motion) = &mut self.motion
            && std::mem::take(&mut motion.began)
        {
            observer.motion_impact();
        }
    }
}
