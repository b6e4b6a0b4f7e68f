//! Rough poses and velocities to assemble from.

use nalgebra::Vector2;

use crate::model::{BodyId, JointKind, Model, Start};
use crate::system::System;

/// Coordinates of all moving bodies from the user's start, the rest placed along the joints: a body
/// without a given position is put where its first joint to a placed body coincides.
pub(super) fn guess(system: &System) -> Vec<f64> {
    let model = &system.model;
    let mut placed: Vec<Option<(Vector2<f64>, f64)>> =
        model.bodies.iter().map(|body| given_pose(&body.start)).collect();
    placed[0] = Some((Vector2::zeros(), 0.0));
    while let Some((body, pose)) = next_by_joint(model, &placed) {
        placed[body] = Some(pose);
    }
    let mut q = Vec::with_capacity(3 * system.bodies.len());
    for (body, pose) in model.bodies.iter().zip(&placed).skip(1) {
        let start = &body.start;
        let rough = (
            Vector2::new(start.x.unwrap_or(0.0), start.y.unwrap_or(0.0)),
            start.angle.unwrap_or(0.0),
        );
        let (origin, angle) = pose.unwrap_or(rough);
        let centre = origin + turn(angle, body.centre.xy());
        q.extend([centre.x, centre.y, angle]);
    }
    q
}

/// A pose is given when its position is; an angle alone leaves the place to the joints.
fn given_pose(start: &Start) -> Option<(Vector2<f64>, f64)> {
    (start.x.is_some() || start.y.is_some()).then(|| {
        let origin = Vector2::new(start.x.unwrap_or(0.0), start.y.unwrap_or(0.0));
        (origin, start.angle.unwrap_or(0.0))
    })
}

/// The first unplaced body with a joint to a placed one, and its pose by that joint.
fn next_by_joint(
    model: &Model,
    placed: &[Option<(Vector2<f64>, f64)>],
) -> Option<(usize, (Vector2<f64>, f64))> {
    for (index, joint) in model.joints.iter().enumerate() {
        let (a, b) = (&model.markers[joint.a.0], &model.markers[joint.b.0]);
        for (known, new, sign) in [(a, b, 1.0), (b, a, -1.0)] {
            let (Some((origin, angle)), None) = (placed[known.body.0], placed[new.body.0]) else {
                continue;
            };
            let known_angle = angle + known.local.planar_angle();
            let between = driven_start(model, index).unwrap_or(0.0);
            let slides = matches!(joint.kind, JointKind::Prismatic | JointKind::PointOnLine);
            let keeps_angle = matches!(joint.kind, JointKind::Prismatic | JointKind::Fixed);
            let own = model.bodies[new.body.0].start.angle;
            let turned = if slides { 0.0 } else { sign * between };
            let new_angle = match own {
                Some(angle) if !keeps_angle => angle,
                _ if keeps_angle || between != 0.0 => {
                    known_angle + turned - new.local.planar_angle()
                }
                _ => 0.0,
            };
            let shift = if slides { sign * between } else { 0.0 };
            let point = origin
                + turn(angle, known.local.p.xy())
                + turn(known_angle, Vector2::new(shift, 0.0));
            let pose = (point - turn(new_angle, new.local.p.xy()), new_angle);
            return Some((new.body.0, pose));
        }
    }
    None
}

/// Prescribed value at t = 0 of a driven joint.
fn driven_start(model: &Model, joint: usize) -> Option<f64> {
    let driver = model.drivers.iter().find(|d| d.joint.0 == joint)?;
    Some(driver.motion.jet(0.0, 0.0).value)
}

/// Velocities of the mass centres from those the user gave for the bodies' own origins.
pub(super) fn given_velocities(system: &System, q: &[f64]) -> Vec<f64> {
    let mut v = vec![0.0; q.len()];
    for (i, body) in system.model.bodies.iter().enumerate().skip(1) {
        debug_assert!(BodyId(i) != BodyId::GROUND);
        let spin = body.start.angular_velocity.unwrap_or(0.0);
        let arm = turn(q[3 * (i - 1) + 2], body.centre.xy());
        v[3 * (i - 1)] = body.start.velocity_x.unwrap_or(0.0) - spin * arm.y;
        v[3 * (i - 1) + 1] = body.start.velocity_y.unwrap_or(0.0) + spin * arm.x;
        v[3 * (i - 1) + 2] = spin;
    }
    v
}

fn turn(angle: f64, p: Vector2<f64>) -> Vector2<f64> {
    let (s, c) = angle.sin_cos();
    Vector2::new(c * p.x - s * p.y, s * p.x + c * p.y)
}
