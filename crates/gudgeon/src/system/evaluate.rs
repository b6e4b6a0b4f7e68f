//! One evaluation of the equations of motion, from positions to accelerations and reactions.
//!
//!   M v̇ = f − Gᵀ λ,   G v̇ = γ   ⇒   (G M⁻¹ Gᵀ) λ = G M⁻¹ f − γ,   v̇ = M⁻¹ (f − Gᵀ λ)      (1)
//!
//! M is diagonal for planar bodies with coordinates at their mass centres. A direction without mass
//! must be forbidden by the constraints; it gets a stand-in mass m̃, which leaves v̇ untouched
//! (ker G has no part in it) and changes λ by the solution of
//!
//!   (G M⁻¹ Gᵀ) Δλ = G M⁻¹ m̃ v̇                                                            (2)
//!
//! added afterwards, so motion and reactions are exact.

use gudgeon_dae::{Fault, Stabilisation};

use super::compile::{RowSource, System};
use super::workspace::Workspace;
use crate::clearance::contact::{self, ContactForce, ContactMemory};
use crate::force;
use crate::marker::PlanarPose;

/// Time, the instant that chooses the pieces of functions of time, and the state of the bodies.
#[derive(Clone, Copy, Debug)]
pub struct Point<'a> {
    pub t: f64,
    pub branch: f64,
    pub q: &'a [f64],
    pub v: &'a [f64],
    /// σ of every contact, or nothing where time is not stretched.
    pub roots: &'a [f64],
}

/// Accelerations and reactions at a point.
pub fn accelerations(
    system: &System,
    at: Point,
    memory: &[ContactMemory],
    stabilisation: Stabilisation,
    work: &mut Workspace,
) -> Result<(), Fault> {
    kinematics(system, at, work);
    motions(system, at, work);
    gravity(system, work);
    force::apply_all(system, at, work);
    contacts(system, at, memory, work);
    rows(system, work);
    if stabilisation != Stabilisation::default() {
        stabilise(system, stabilisation, work);
    }
    factor(system, work)?;
    solve(system, work);
    if system.has_stand_ins {
        correct_for_stand_ins(system, work);
    }
    Ok(())
}

/// Poses, markers and velocities.
pub fn kinematics(system: &System, at: Point, work: &mut Workspace) {
    for (i, (q, v)) in at.q.chunks_exact(3).zip(at.v.chunks_exact(3)).enumerate() {
        work.poses[i + 1] = PlanarPose::new(q);
        work.v[i] = [v[0], v[1], v[2]];
    }
    for &active in &system.active {
        let (marker, attachment) = (&mut work.markers[active], &system.attachments[active]);
        let v = match attachment.body {
            0 => &[0.0; 3],
            body => &work.v[body - 1],
        };
        *marker = attachment.marker(&work.poses[attachment.body], v);
    }
}

/// Prescribed motions of the drivers.
pub fn motions(system: &System, at: Point, work: &mut Workspace) {
    for (jet, driver) in work.motions.iter_mut().zip(&system.model.drivers) {
        *jet = driver.motion.jet(at.t, at.branch);
    }
}

fn gravity(system: &System, work: &mut Workspace) {
    let g = &system.model.gravity;
    for (force, body) in work.forces.iter_mut().zip(&system.bodies) {
        *force = [body.mass * g.x, body.mass * g.y, 0.0];
    }
}

fn contacts(system: &System, at: Point, memory: &[ContactMemory], work: &mut Workspace) {
    for (i, element) in system.contacts.iter().enumerate() {
        if !memory[i].in_contact() {
            work.contacts[i] = (None, ContactForce::ZERO);
            continue;
        }
        let (a, b) = (&work.markers[element.a], &work.markers[element.b]);
        let geometry = contact::geometry(&element.clearance, a, b);
        let root = at.roots.get(i).copied();
        let force = contact::force(&element.clearance, &memory[i], &geometry, root);
        apply(system, element.a, &force.wrench_a, work);
        apply(system, element.b, &force.wrench_b, work);
        work.contacts[i] = (Some(geometry), force);
    }
}

/// Adds Jᵀ w of a wrench at a marker.
#[inline]
pub fn apply(
    system: &System,
    marker: usize,
    wrench: &crate::math::spatial::Wrench,
    work: &mut Workspace,
) {
    if let Some(body) = system.attachments[marker].body.checked_sub(1) {
        let reduced = work.markers[marker].reduce(wrench);
        for (f, r) in work.forces[body].iter_mut().zip(reduced) {
            *f += r;
        }
    }
}

/// G, M⁻¹Gᵀ and γ.
fn rows(system: &System, work: &mut Workspace) {
    for ((row, twist), gamma) in system.rows.iter().zip(&mut work.twists).zip(&mut work.gamma) {
        *twist = row.kind.row(&work.markers[row.a], &work.markers[row.b]);
        let second = match row.source {
            RowSource::Driver(id) => work.motions[id.0].second,
            RowSource::Joint(_) => 0.0,
        };
        *gamma = second - twist.bias;
    }
    for ((block, g), mg) in system.blocks.iter().zip(&mut work.g).zip(&mut work.mg) {
        let (row, twist) = (&system.rows[block.row], &work.twists[block.row]);
        *g = if block.on_b {
            work.markers[row.b].reduce(&twist.on_b)
        } else {
            work.markers[row.a].reduce(&twist.on_a)
        };
        let inverse = &system.bodies[block.body].inverse;
        *mg = [g[0] * inverse[0], g[1] * inverse[1], g[2] * inverse[2]];
    }
}

/// γ −= 2α (G v + g_t) + β² g.
fn stabilise(system: &System, with: Stabilisation, work: &mut Workspace) {
    velocity_residual(system, work);
    for i in 0..system.rows.len() {
        work.gamma[i] -= 2.0 * with.alpha * work.residual[i]
            + with.beta * with.beta * position_residual(system, i, work);
    }
}

/// S = G M⁻¹ Gᵀ and its factors.
fn factor(system: &System, work: &mut Workspace) -> Result<(), Fault> {
    let entries = work.ldl.entries_mut();
    entries.fill(0.0);
    for body in &system.by_body {
        let (g, mg) = (&work.g[body.blocks.clone()], &work.mg[body.blocks.clone()]);
        let mut slots = body.slots.iter();
        for (i, left) in g.iter().enumerate() {
            for (right, &slot) in mg[..=i].iter().zip(&mut slots) {
                entries[slot] += dot(left, right);
            }
        }
    }
    work.ldl.factor().map_err(|row| Fault::Singular { row })
}

fn solve(system: &System, work: &mut Workspace) {
    for (lambda, gamma) in work.lambda.iter_mut().zip(&work.gamma) {
        *lambda = -gamma;
    }
    for (block, mg) in system.blocks.iter().zip(&work.mg) {
        work.lambda[block.row] += dot(mg, &work.forces[block.body]);
    }
    work.ldl.solve(&mut work.lambda);
    for (i, body) in system.bodies.iter().enumerate() {
        let f = &work.forces[i];
        work.accelerations[i] =
            [f[0] * body.inverse[0], f[1] * body.inverse[1], f[2] * body.inverse[2]];
    }
    subtract_reactions(system, &work.mg, &work.lambda, &mut work.accelerations);
}

/// Equation (2); skipped while the massless directions do not accelerate but for rounding.
fn correct_for_stand_ins(system: &System, work: &mut Workspace) {
    let (mut massless, mut largest) = (0.0f64, 0.0f64);
    for (body, a) in system.bodies.iter().zip(&work.accelerations) {
        let scaled = [a[0], a[1], a[2] * system.length];
        for (a, stand_in) in scaled.iter().zip(&body.stand_in) {
            largest = largest.max(a.abs());
            if *stand_in > 0.0 {
                massless = massless.max(a.abs());
            }
        }
    }
    if massless <= 1e-12 * largest {
        return;
    }
    work.residual.fill(0.0);
    for (block, mg) in system.blocks.iter().zip(&work.mg) {
        let stand_in = &system.bodies[block.body].stand_in;
        let a = &work.accelerations[block.body];
        work.residual[block.row] +=
            mg[0] * stand_in[0] * a[0] + mg[1] * stand_in[1] * a[1] + mg[2] * stand_in[2] * a[2];
    }
    work.ldl.solve(&mut work.residual);
    for (lambda, change) in work.lambda.iter_mut().zip(&work.residual) {
        *lambda += change;
    }
}

/// x −= M⁻¹ Gᵀ μ.
fn subtract_reactions(system: &System, mg: &[[f64; 3]], mu: &[f64], x: &mut [[f64; 3]]) {
    for (block, mg) in system.blocks.iter().zip(mg) {
        let mu = mu[block.row];
        let x = &mut x[block.body];
        x[0] -= mg[0] * mu;
        x[1] -= mg[1] * mu;
        x[2] -= mg[2] * mu;
    }
}

/// g of a row at the last kinematics; angles of joints are compared modulo full turns.
pub fn position_residual(system: &System, row: usize, work: &Workspace) -> f64 {
    let r = &system.rows[row];
    let value = r.kind.coordinate(&work.markers[r.a], &work.markers[r.b]);
    match r.source {
        RowSource::Driver(id) => value - work.motions[id.0].value,
        RowSource::Joint(_) if r.kind.is_angle() => {
            let turn = std::f64::consts::TAU;
            value - turn * (value / turn).round()
        }
        RowSource::Joint(_) => value,
    }
}

/// G v + g_t of all rows at the last evaluation, into `residual`.
pub fn velocity_residual(system: &System, work: &mut Workspace) {
    for (i, row) in system.rows.iter().enumerate() {
        work.residual[i] = match row.source {
            RowSource::Driver(id) => -work.motions[id.0].rate,
            RowSource::Joint(_) => 0.0,
        };
    }
    for (block, g) in system.blocks.iter().zip(&work.g) {
        work.residual[block.row] += dot(g, &work.v[block.body]);
    }
}

/// Largest entry of `values` by row, as a multiple of the scales of length and angle.
pub fn largest(system: &System, values: &[f64], length: f64, angle: f64) -> (f64, usize) {
    let mut worst = (0.0, 0);
    for (i, (row, value)) in system.rows.iter().zip(values).enumerate() {
        let scaled = value.abs() / if row.kind.is_angle() { angle } else { length };
        if scaled > worst.0 || scaled.is_nan() {
            worst = (scaled, i);
        }
    }
    worst
}

/// Positions reach the constraints when no row is farther off than this multiple of the scales.
const CLOSED: f64 = 2e-15;
/// More iterations than this, or a rest above the second figure, is a failure.
const ITERATIONS: usize = 12;
const STILL_OPEN: f64 = 1e-11;

/// Moves q to g = 0 and then v to G v + g_t = 0, each by the shortest way in the metric of M.
pub fn project(
    system: &System,
    t: f64,
    branch: f64,
    q: &mut [f64],
    v: &mut [f64],
    work: &mut Workspace,
) -> Result<(), Fault> {
    let mut previous = f64::INFINITY;
    for iteration in 0.. {
        let at = Point { t, branch, q, v, roots: &[] };
        kinematics(system, at, work);
        motions(system, at, work);
        for i in 0..system.rows.len() {
            work.residual[i] = position_residual(system, i, work);
        }
        let (worst, row) = largest(system, &work.residual, system.length, 1.0);
        rows(system, work);
        factor(system, work)?;
        if worst <= CLOSED || (worst >= 0.5 * previous && worst < STILL_OPEN) {
            break;
        }
        if iteration == ITERATIONS || !worst.is_finite() {
            return Err(Fault::Open { row });
        }
        previous = worst;
        correct(system, work, q);
    }
    velocity_residual(system, work);
    correct(system, work, v);
    Ok(())
}

/// x −= M⁻¹ Gᵀ S⁻¹ residual.
fn correct(system: &System, work: &mut Workspace, x: &mut [f64]) {
    work.ldl.solve(&mut work.residual);
    for (block, mg) in system.blocks.iter().zip(&work.mg) {
        let mu = work.residual[block.row];
        for (x, mg) in x[3 * block.body..][..3].iter_mut().zip(mg) {
            *x -= mg * mu;
        }
    }
}

#[inline]
fn dot(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
