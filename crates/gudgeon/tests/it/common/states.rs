//! Random states of a compiled mechanism, small motions of them, and sums over its bodies.

use super::*;
use gudgeon::math::spatial::Twist;
use gudgeon::system::component::{BodyState, Formulation};
use gudgeon::system::evaluate::{self, StateAt};
use gudgeon::system::{System, Workspace};

/// A state with positions of order one, any orientations, and velocities up to `speed`.
pub fn random_state(system: &System, random: &mut Random, speed: f64) -> Vec<f64> {
    let layout = system.layout;
    let mut y = vec![0.0; layout.end];
    y[..layout.q].copy_from_slice(&random.vector(layout.q, 1.0));
    y[layout.q..layout.roots].copy_from_slice(&random.vector(layout.v, speed));
    let first = system.tree.as_ref().map_or(0, |tree| tree.shift()[0]);
    for body in &system.naturals {
        let turned = gudgeon::math::rotation::exponential(&random.vector3(3.0));
        let frame = Frame { p: random.vector3(1.0), r: turned };
        body.write_pose(&frame, &mut y[body.q - first..][..12]);
    }
    for beam in &system.beams {
        // Bent at a random pose.
        let planar = system.model.space == Space::Planar;
        let turn =
            if planar { Vector3::z() * random.between(-3.0, 3.0) } else { random.vector3(3.0) };
        let frame =
            Frame { p: random.vector3(1.0), r: gudgeon::math::rotation::exponential(&turn) };
        let state = BodyState { frame, ..BodyState::GROUND };
        let mut rest = vec![0.0; beam.size()];
        beam.write_state(&state, &mut y[beam.q - first..][..beam.size()], &mut rest);
        let bend = random.vector(beam.size(), 0.02);
        y[beam.q - first..].iter_mut().zip(bend).for_each(|(x, by)| *x += by);
    }
    for link in &system.floating {
        // Bent as far, at a random pose.
        let elastic = link.q + link.elastic_q()..link.q + link.elastic_q() + link.link.size();
        let bend = random.vector(elastic.len(), 0.02);
        y[elastic].copy_from_slice(&bend);
    }
    if let Some(tree) = &system.tree {
        tree.normalise(&mut y[..layout.q]);
        return y;
    }
    for body in system.bodies.iter().filter(|body| body.formulation.has_spin()) {
        let quaternion = &mut y[body.q + 3..body.q + 7];
        let length = quaternion.iter().map(|x| x * x).sum::<f64>().sqrt();
        quaternion.iter_mut().for_each(|x| *x /= length);
    }
    y
}

/// Where the coordinates of a rigid body begin, which in a tree is a free link.
pub fn coordinates_of(system: &System, body: usize) -> usize {
    match &system.tree {
        Some(tree) => tree.links[tree.of_body[body].unwrap()].q,
        None => system.bodies[body].q,
    }
}

/// The same with velocities that keep the internal rows of bodies.
pub fn rigid_state(system: &System, random: &mut Random, speed: f64) -> Vec<f64> {
    let mut y = random_state(system, random, speed);
    for (i, body) in system.bodies.iter().enumerate() {
        if body.formulation == Formulation::Natural {
            let frame = system.state_of(i, &y[..system.layout.q], velocities(system, &y)).frame;
            let twist = Twist { v: random.vector3(speed), w: random.vector3(speed) };
            let v = system.layout.q + body.v;
            system.naturals[body.member].write_twist(&frame.r, &twist, &mut y[v..v + 12]);
        }
    }
    y
}

/// The state moved by a multiple of a direction of v.
pub fn displaced(system: &System, y: &[f64], direction: &[f64], by: f64) -> Vec<f64> {
    let step: Vec<f64> = direction.iter().map(|d| by * d).collect();
    let mut y = y.to_vec();
    system.displace(&mut y[..system.layout.q], &step);
    y
}

/// The state after a time without accelerations.
pub fn coasted(system: &System, y: &[f64], by: f64) -> Vec<f64> {
    displaced(system, y, velocities(system, y), by)
}

pub fn velocities<'y>(system: &System, y: &'y [f64]) -> &'y [f64] {
    &y[system.layout.q..system.layout.roots]
}

/// Kinematics and prescribed motions at a state.
pub fn placed(system: &System, t: f64, y: &[f64]) -> Workspace {
    let mut work = Workspace::new(system);
    let at = StateAt::bare(t, t, &y[..system.layout.q], velocities(system, y));
    evaluate::kinematics(system, at, &mut work);
    work
}

/// A unit vector of the velocities.
pub fn unit(system: &System, i: usize) -> Vec<f64> {
    (0..system.layout.v).map(|k| if k == i { 1.0 } else { 0.0 }).collect()
}

/// Derivative at 0 by four values: with steps of 1e-4 the truncation is 3e-18 times a fifth
/// derivative and the rounding 1e-12 times the values.
pub fn slope(f: impl FnMut(f64) -> f64) -> f64 {
    slope_over(1e-4, f)
}

/// The same with another step: Richardson's extrapolation of central differences over h and 2h.
pub fn slope_over(h: f64, mut f: impl FnMut(f64) -> f64) -> f64 {
    let mut sides = |h: f64| f(h) - f(-h);
    (8.0 * sides(h) - sides(2.0 * h)) / (12.0 * h)
}

/// M v for the velocities or accelerations of all bodies, at the last kinematics.
pub fn times_mass(system: &System, work: &Workspace, v: &[f64]) -> Vec<f64> {
    let mut out = vec![0.0; v.len()];
    let mut masses = system.masses(v.len());
    system.update_masses(work, &mut masses);
    masses.add_product(1.0, v, &mut out);
    out
}

/// A force, a moment about the origin, and the size of the largest term in either.
#[derive(Clone, Copy, Debug)]
pub struct Resultant {
    pub force: Vector3<f64>,
    pub moment: Vector3<f64>,
    pub size: f64,
}

/// Sum of generalised forces over all bodies. Applied to M v it gives the momenta.
pub fn resultant(system: &System, y: &[f64], f: &[f64]) -> Resultant {
    let (q, v) = (&y[..system.layout.q], velocities(system, y));
    let mut sum = Resultant { force: Vector3::zeros(), moment: Vector3::zeros(), size: 0.0 };
    for (i, body) in system.bodies.iter().enumerate() {
        let frame = system.frame_of(i, q, v).frame;
        let part = |k: usize| Vector3::from_column_slice(&f[body.v + 3 * k..body.v + 3 * k + 3]);
        let (force, torque) = match body.formulation {
            Formulation::Planar | Formulation::FloatingPlanar => {
                let f = &f[body.velocities()];
                (Vector3::new(f[0], f[1], 0.0), Vector3::new(0.0, 0.0, f[2]))
            }
            Formulation::Spatial | Formulation::FloatingSpatial => (part(0), frame.r * part(1)),
            Formulation::Natural => {
                // Of forces on two points and two vectors.
                let place =
                    |k: usize| Vector3::from_column_slice(&q[body.q + 3 * k..body.q + 3 * k + 3]);
                let about = (0..4).map(|k| place(k).cross(&part(k))).sum::<Vector3<f64>>();
                let force = part(0) + part(1);
                (force, about - frame.p.cross(&force))
            }
            Formulation::Beam => {
                let beam = &system.beams[body.member];
                let d = system.model.space.axes();
                let vector = |x: &[f64]| {
                    let mut full = Vector3::zeros();
                    full.as_mut_slice()[..d].copy_from_slice(&x[..d]);
                    full
                };
                let (mut force, mut about) = (Vector3::zeros(), Vector3::zeros());
                for k in (0..beam.size()).step_by(d) {
                    let on = vector(&f[body.v + k..]);
                    about += vector(&q[body.q + k..]).cross(&on);
                    force += if beam.is_length(k) { on } else { Vector3::zeros() };
                }
                (force, about - frame.p.cross(&force))
            }
        };
        let moment = frame.p.cross(&force);
        sum.force += force;
        sum.moment += moment + torque;
        sum.size = sum.size.max(force.norm()).max(moment.norm()).max(torque.norm());
    }
    sum
}

/// Force and moment of all generalised forces vanish, to rounding of their terms.
pub fn balanced(system: &System, y: &[f64], f: &[f64], what: &str) {
    let Resultant { force, moment, size } = resultant(system, y, f);
    assert!(size > 0.0, "{what}: no force at all");
    for (sum, name) in [(force, "force"), (moment, "moment")] {
        assert!(sum.norm() <= 1e-12 * size, "{what}: {name} {sum:?} of {size:e} left");
    }
}

/// Power of generalised forces.
pub fn power(f: &[f64], v: &[f64]) -> f64 {
    f.iter().zip(v).map(|(f, v)| f * v).sum()
}

/// G of the last evaluation, row by row over all velocities.
pub fn jacobian(system: &System, work: &Workspace) -> Vec<Vec<f64>> {
    let mut full = vec![vec![0.0; system.layout.v]; system.rows.len()];
    for group in &system.by_body {
        let range = system.bodies[group.body].velocities();
        let entries = work.g[group.entries.clone()].chunks_exact(range.len());
        for (block, entries) in system.blocks[group.blocks.clone()].iter().zip(entries) {
            for (sum, entry) in full[block.row][range.clone()].iter_mut().zip(entries) {
                *sum += entry;
            }
        }
    }
    full
}
