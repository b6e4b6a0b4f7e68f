//! Rough poses and velocities to assemble from.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use nalgebra::{Matrix3, Vector3};

use crate::math::rotation;
use crate::math::spatial::{Axis, Frame, Twist};
use crate::model::{Axes, Body, Coordinate, Joint, JointKind, Model, Placement, Space, Start};
use crate::system::System;
use crate::system::component::{BodyState, Formulation};

/// Where a body's own axes are put; the angle is counted over turns, for planar bodies.
#[derive(Clone, Copy)]
struct Placed {
    frame: Frame,
    angle: f64,
}

impl Placed {
    const GROUND: Self = Self { frame: Frame::identity(), angle: 0.0 };

    fn new(p: Vector3<f64>, start: &Start) -> Self {
        let r = start.orientation.map_or(Matrix3::identity(), |o| o.rotation());
        Self { frame: Frame { p, r }, angle: start.orientation.map_or(0.0, |o| o.angle()) }
    }
}

/// Coordinates of all moving bodies from the user's start, the rest placed along the joints: a body
/// without a given position is put where its first joint to a placed body coincides, joints with
/// [`Placement::AtZero`] before others.
pub(super) fn guess(system: &System) -> Vec<f64> {
    let model = &system.model;
    // A pose is given when its position is; an orientation alone leaves the place to the joints.
    let given = |body: &Body| body.start.position.map(|p| Placed::new(p, &body.start));
    let mut placed: Vec<Option<Placed>> = model.bodies.iter().map(given).collect();
    placed[0] = Some(Placed::GROUND);
    place_by_joints(model, &mut placed);
    let (mut q, mut rest) = (vec![0.0; system.layout.q], vec![0.0; system.layout.v]);
    for (i, rigid) in system.bodies.iter().enumerate() {
        let body = &model.bodies[i + 1];
        let rough = || Placed::new(Vector3::zeros(), &body.start);
        let Placed { frame, angle } = placed[i + 1].unwrap_or_else(rough);
        let centre = frame.p + frame.r * body.centre;
        let frame = Frame { p: centre, r: frame.r * rigid.axes };
        let state = BodyState { frame, twist: Twist::ZERO, angle };
        system.write_state(i, &state, &mut q, &mut rest);
    }
    q
}

/// Places bodies until no joint leads from a placed to an unplaced one: always by the first such
/// joint of the model, those at zero first.
fn place_by_joints(model: &Model, placed: &mut [Option<Placed>]) {
    let bodies =
        |i: usize| [model.joints[i].a, model.joints[i].b].map(|m| model.markers[m.0].body.0);
    let mut joints_of: Vec<Vec<usize>> = vec![Vec::new(); model.bodies.len()];
    for i in 0..model.joints.len() {
        bodies(i).into_iter().for_each(|body| joints_of[body].push(i));
    }
    // Joints with a placed side, the first of them on top.
    let rank = |&i: &usize| Reverse((model.joints[i].placement != Placement::AtZero, i));
    let mut open: BinaryHeap<Reverse<(bool, usize)>> = BinaryHeap::new();
    for body in (0..placed.len()).filter(|&body| placed[body].is_some()) {
        open.extend(joints_of[body].iter().map(rank));
    }
    while let Some(Reverse((_, index))) = open.pop() {
        if bodies(index).iter().all(|&body| placed[body].is_some()) {
            continue;
        }
        let (body, pose) = by_joint(model, index, placed);
        placed[body] = Some(pose);
        open.extend(joints_of[body].iter().map(rank));
    }
}

/// The unplaced body of a joint and its pose by that joint.
fn by_joint(model: &Model, index: usize, placed: &[Option<Placed>]) -> (usize, Placed) {
    let joint = &model.joints[index];
    let (a, b) = (&model.markers[joint.a.0], &model.markers[joint.b.0]);
    let from_a = placed[a.body.0].is_some();
    let (known, new) = if from_a { (a, b) } else { (b, a) };
    let body = placed[known.body.0].expect("one side is placed");
    let marker = body.frame.then(&known.local);
    let (motion, turned) = driven_motion(model, index, from_a);
    let target = marker.then(&motion);
    let own = &model.bodies[new.body.0].start.orientation;
    let keeps = matches!(joint.kind, JointKind::Prismatic | JointKind::Fixed)
        || joint.placement == Placement::AtZero;
    let angle = match own {
        Some(own) if !keeps => own.angle(),
        _ if keeps || turned != 0.0 => {
            body.angle + known.local.planar_angle() + turned - new.local.planar_angle()
        }
        _ => 0.0,
    };
    let r = match (model.space, own) {
        (Space::Planar, _) => Frame::planar(0.0, 0.0, angle).r,
        (_, Some(own)) if !keeps => own.rotation(),
        _ if keeps || turned != 0.0 => target.r * new.local.r.transpose(),
        _ => aligned(joint, &target, new, from_a),
    };
    let p = target.p - r * new.local.p;
    (new.body.0, Placed { frame: Frame { p, r }, angle })
}

/// The orientation of the world, turned as little as the axes of the joint ask for.
fn aligned(
    joint: &Joint,
    target: &Frame,
    new: &crate::model::Marker,
    from_a: bool,
) -> Matrix3<f64> {
    let axis = match joint.kind {
        JointKind::Revolute
        | JointKind::Cylindrical
        | JointKind::Screw { .. }
        | JointKind::Planar => Axis::Z,
        JointKind::Universal => {
            // The pins must be square: turn the new side's pin into the plane across the known one.
            let (known, own) = if from_a { (Axis::X, Axis::Y) } else { (Axis::Y, Axis::X) };
            let (known, pin) = (target.axis(known), new.local.axis(own));
            let across = pin - known * known.dot(&pin);
            let size = across.norm();
            return if size > 1e-6 {
                rotation::between(&pin, &(across / size), &known)
            } else {
                target.r * new.local.r.transpose()
            };
        }
        _ => return Matrix3::identity(),
    };
    // The x axis of the new side is across its z axis.
    rotation::between(&new.local.axis(axis), &target.axis(axis), &new.local.axis(Axis::X))
}

/// What the drivers of a joint prescribe at t = 0, as a motion of the new marker in axes of the known
/// one, and the angle about z.
fn driven_motion(model: &Model, joint: usize, from_a: bool) -> (Frame, f64) {
    let (mut shift, mut turn, mut r) = (Vector3::zeros(), 0.0, Matrix3::identity());
    for driver in model.drivers.iter().filter(|driver| driver.joint.0 == joint) {
        let value = driver.motion.jet(0.0, 0.0).value;
        let about = |axis: Vector3<f64>| rotation::exponential(&(axis * value));
        match driver.coordinate {
            Coordinate::Angle => {
                turn = value;
                r *= Frame::planar(0.0, 0.0, value).r;
            }
            Coordinate::AngleX => r *= about(Vector3::x()),
            Coordinate::AngleY => r *= about(Vector3::y()),
            Coordinate::AngleZ => r *= about(Vector3::z()),
            Coordinate::X => shift.x = value,
            Coordinate::Y => shift.y = value,
            Coordinate::Z => shift.z = value,
        }
    }
    if let JointKind::Screw { pitch } = model.joints[joint].kind {
        shift.z = if turn != 0.0 { pitch * turn / std::f64::consts::TAU } else { shift.z };
    }
    if let JointKind::Distance { length } = model.joints[joint].kind {
        shift.x = length;
    }
    let motion = Frame { p: shift, r };
    if from_a { (motion, turn) } else { (motion.inverse(), -turn) }
}

/// A component of a requested velocity: `entries` times the velocities `at` is `wanted`, in units of
/// the root of the body's mass or inertia, so that least squares are those of the kinetic energy.
pub(super) struct RequestRow {
    pub at: Range<usize>,
    pub entries: Vec<f64>,
    pub wanted: f64,
}

/// The velocities that were requested. The velocity of a body's origin alone is that of V − ω × c, c
/// leading from it to the mass centre.
pub(super) fn request_rows(system: &System, q: &[f64]) -> Vec<RequestRow> {
    let mut rows: Vec<RequestRow> = Vec::new();
    let rest = vec![0.0; system.layout.v];
    for (i, rigid) in system.bodies.iter().enumerate() {
        let (body, state) = (&system.model.bodies[i + 1], system.state_of(i, q, &rest));
        let own = state.frame.r * rigid.axes.transpose();
        let lever = own * body.centre;
        let mut row = |f: Vector3<f64>, t: Vector3<f64>, wanted: f64, velocity: usize| {
            let weight = 1.0 / rigid.inverse[velocity].sqrt();
            let mut entries = match rigid.formulation {
                Formulation::Planar | Formulation::FloatingPlanar => vec![f.x, f.y, t.z],
                Formulation::Spatial
                | Formulation::Natural
                | Formulation::Beam
                | Formulation::FloatingSpatial => {
                    vec![f.x, f.y, f.z, t.x, t.y, t.z]
                }
            };
            entries.iter_mut().for_each(|entry| *entry *= weight);
            rows.push(RequestRow { at: rigid.velocities(), entries, wanted: wanted * weight });
        };
        let unit = |i: usize| Vector3::from_fn(|k, _| if k == i { 1.0 } else { 0.0 });
        let spin = body.start.angular_velocity.map(|(spin, axes)| match axes {
            Axes::World => spin,
            Axes::Body => own * spin,
        });
        let translations = rigid.formulation.lengths();
        if let Some(origin) = body.start.velocity {
            for i in 0..translations {
                match spin {
                    Some(spin) => {
                        let centre = origin + spin.cross(&lever);
                        row(unit(i), Vector3::zeros(), centre[i], i);
                    }
                    None => {
                        // u · (ω × −c) = −ω · (c × u), in inner axes.
                        let turning = -state.frame.r.tr_mul(&lever.cross(&unit(i)));
                        row(unit(i), turning, origin[i], i);
                    }
                }
            }
        }
        if let Some(spin) = spin {
            let inner = state.frame.r.tr_mul(&spin);
            match rigid.formulation {
                Formulation::Planar | Formulation::FloatingPlanar => {
                    row(Vector3::zeros(), unit(2), spin.z, 2)
                }
                Formulation::Spatial
                | Formulation::Natural
                | Formulation::Beam
                | Formulation::FloatingSpatial => {
                    for i in 0..3 {
                        row(Vector3::zeros(), unit(i), inner[i], 3 + i);
                    }
                }
            }
        }
    }
    rows
}
