//! One evaluation of the equations of motion, from positions to accelerations and reactions.
//!
//!   M v̇ = f − Gᵀ λ,   G v̇ = γ   ⇒   (G M⁻¹ Gᵀ) λ = G M⁻¹ f − γ,   v̇ = M⁻¹ (f − Gᵀ λ)      (1)
//!
//! M is diagonal in the inner axes of the bodies. A direction without mass must be forbidden by the
//! constraints; it gets a artificial mass m̃, which leaves v̇ untouched (ker G has no part in it) and
//! changes λ by the solution of
//!
//!   (G M⁻¹ Gᵀ) Δλ = G M⁻¹ m̃ v̇                                                            (2)
//!
//! added afterwards, so motion and reactions are exact.

use std::f64::consts::TAU;

use gudgeon_dae::{Fault, Stabilisation};

use super::blocks;
use super::compile::{RowSource, System};
use super::workspace::Workspace;
use crate::clearance::contact::{self, ContactForce, ContactMemory};
use crate::clearance::geometry::geometry;
use crate::force;
use crate::joint::{RowKind, Turn};
use crate::marker::Formulation;
use crate::math::spatial::Wrench;

/// Time, the instant that chooses the pieces of functions of time, and the state of the bodies.
#[derive(Clone, Copy, Debug)]
pub struct StateAt<'a> {
    pub t: f64,
    pub branch: f64,
    pub q: &'a [f64],
    pub v: &'a [f64],
    /// σ of every contact, or nothing where time is not stretched.
    pub roots: &'a [f64],
    /// Integrated angles of the counted turns, or nothing where turns do not matter.
    pub turns: &'a [f64],
}

impl<'a> StateAt<'a> {
    /// A point where contacts and full turns do not matter.
    pub fn bare(t: f64, branch: f64, q: &'a [f64], v: &'a [f64]) -> Self {
        Self { t, branch, q, v, roots: &[], turns: &[] }
    }
}

/// Accelerations and reactions at a point.
pub fn accelerations(
    system: &System,
    at: StateAt,
    memory: &[ContactMemory],
    stabilisation: Stabilisation,
    work: &mut Workspace,
) -> Result<(), Fault> {
    equations(system, at, memory, work)?;
    if stabilisation != Stabilisation::default() {
        stabilise(system, stabilisation, work);
    }
    blocks::factor(system, work)?;
    solve(system, work);
    if system.has_artificial_masses {
        correct_for_artificial_masses(system, work);
    }
    Ok(())
}

/// Everything that the accelerations follow from: poses, motions, f, G and γ.
pub fn equations(
    system: &System,
    at: StateAt,
    memory: &[ContactMemory],
    work: &mut Workspace,
) -> Result<(), Fault> {
    forces(system, at, memory, work)?;
    rows(system, work);
    Ok(())
}

/// Poses, motions and f.
pub fn forces(
    system: &System,
    at: StateAt,
    memory: &[ContactMemory],
    work: &mut Workspace,
) -> Result<(), Fault> {
    kinematics(system, at, work);
    motions(system, at, work);
    own_forces(system, work);
    force::apply_all(system, at, work);
    contacts(system, at, memory, work);
    films(system, memory, work)
}

/// Poses, markers and velocities.
pub fn kinematics(system: &System, at: StateAt, work: &mut Workspace) {
    work.v.copy_from_slice(at.v);
    for (state, body) in work.states[1..].iter_mut().zip(&system.bodies) {
        *state = body.state(at.q, at.v);
    }
    if formulation(system) == Formulation::Spatial {
        for (p, body) in work.quaternions.iter_mut().zip(&system.bodies) {
            p.copy_from_slice(&at.q[body.q + 3..body.q + 7]);
        }
    }
    let formulation = formulation(system);
    for &active in &system.active {
        let attachment = &system.attachments[active];
        work.markers[active] = attachment.marker(formulation, &work.states[attachment.body]);
    }
    for (i, &(a, b)) in system.turns.iter().enumerate() {
        let turn = RowKind::Turn(Turn::Axis).coordinate(&work.markers[a], &work.markers[b]);
        work.turns[i] = match at.turns.get(i) {
            Some(counted) => turn + TAU * ((counted - turn) / TAU).round(),
            None => turn,
        };
    }
}

/// The formulation of all bodies.
fn formulation(system: &System) -> Formulation {
    system.bodies.first().map_or(Formulation::Planar, |body| body.formulation)
}

/// Prescribed motions of the drivers.
pub fn motions(system: &System, at: StateAt, work: &mut Workspace) {
    for (jet, driver) in work.motions.iter_mut().zip(&system.model.drivers) {
        *jet = driver.motion.jet(at.t, at.branch);
    }
}

fn own_forces(system: &System, work: &mut Workspace) {
    for body in &system.bodies {
        let range = body.velocities();
        body.own_forces(&system.model.gravity, &work.v[range.clone()], &mut work.forces[range]);
    }
}

fn contacts(system: &System, at: StateAt, memory: &[ContactMemory], work: &mut Workspace) {
    for (i, element) in system.contacts.iter().enumerate() {
        if !memory[i].in_contact() {
            work.contacts[i] = (None, ContactForce::ZERO);
            continue;
        }
        let (a, b) = (&work.markers[element.a], &work.markers[element.b]);
        let geometry = geometry(&element.spot, &element.clearance, a, b);
        let root = at.roots.get(i).copied();
        let force = contact::force(&element.clearance, &memory[i], &geometry, root);
        apply(system, element.a, &force.wrench_a, work);
        apply(system, element.b, &force.wrench_b, work);
        work.contacts[i] = (Some(geometry), force);
    }
}

fn films(system: &System, memory: &[ContactMemory], work: &mut Workspace) -> Result<(), Fault> {
    for (i, element) in system.films.iter().enumerate() {
        let (a, b) = (&work.markers[element.a], &work.markers[element.b]);
        let film = work.films[i].work.get_mut();
        let now = element.lubricant.act(a, b, element.touches(memory), film);
        let now = now.map_err(|_| Fault::Undefined { element: i })?;
        apply(system, element.a, &now.pair.a, work);
        apply(system, element.b, &now.pair.b, work);
        work.films[i].now = now;
    }
    Ok(())
}

/// Adds Jᵀ w of a wrench at a marker.
#[inline]
pub fn apply(system: &System, marker: usize, wrench: &Wrench, work: &mut Workspace) {
    let Some(moving) = system.attachments[marker].body.checked_sub(1) else { return };
    let body = &system.bodies[moving];
    let (state, lever) = (&work.states[moving + 1], &work.markers[marker].lever);
    let forces = &mut work.forces[body.velocities()];
    match body.formulation {
        Formulation::Planar => add(forces, &state.reduce_planar(lever, wrench)),
        Formulation::Spatial => add(forces, &state.reduce_spatial(lever, wrench)),
    }
}

#[inline(always)]
fn add(sum: &mut [f64], part: &[f64]) {
    for (s, p) in sum.iter_mut().zip(part) {
        *s += p;
    }
}

/// G, M⁻¹Gᵀ and γ.
pub fn rows(system: &System, work: &mut Workspace) {
    for ((row, twist), gamma) in system.rows.iter().zip(&mut work.row_wrenches).zip(&mut work.gamma)
    {
        row.kind.write(&work.markers[row.a], &work.markers[row.b], twist);
        let second = match row.source {
            RowSource::Driver(id) => work.motions[id.0].second,
            RowSource::Joint(_) => 0.0,
        };
        *gamma = second - twist.bias;
    }
    blocks::fill(system, work);
    work.shape_known = false;
}

/// γ −= 2α (G v + g_t) + β² g.
fn stabilise(system: &System, with: Stabilisation, work: &mut Workspace) {
    velocity_residual(system, work);
    for i in 0..system.rows.len() {
        work.gamma[i] -= 2.0 * with.alpha * work.residual[i]
            + with.beta * with.beta * position_residual(system, i, work);
    }
}

fn solve(system: &System, work: &mut Workspace) {
    for (lambda, gamma) in work.lambda.iter_mut().zip(&work.gamma) {
        *lambda = -gamma;
    }
    blocks::gather(system, &work.mg, &work.forces, 1.0, &mut work.lambda);
    blocks::solve(system, work, |work| &mut work.lambda);
    for body in &system.bodies {
        let range = body.velocities();
        let (a, f) = (&mut work.accelerations[range.clone()], &work.forces[range]);
        for ((a, f), inverse) in a.iter_mut().zip(f).zip(&body.inverse) {
            *a = f * inverse;
        }
    }
    blocks::scatter(system, &work.mg, &work.lambda, 1.0, &mut work.accelerations);
}

/// Equation (2); skipped while the massless directions do not accelerate but for rounding.
fn correct_for_artificial_masses(system: &System, work: &mut Workspace) {
    let (mut massless, mut largest) = (0.0f64, 0.0f64);
    for body in &system.bodies {
        let range = body.velocities();
        let (a, inertia) = (&work.accelerations[range.clone()], &mut work.directions[range]);
        for (i, a) in a.iter().enumerate() {
            let turns = i >= body.formulation.translations();
            let scaled = a.abs() * if turns { system.length } else { 1.0 };
            largest = largest.max(scaled);
            if body.artificial[i] > 0.0 {
                massless = massless.max(scaled);
            }
            inertia[i] = body.artificial[i] * a;
        }
    }
    if massless <= 1e-12 * largest {
        return;
    }
    work.residual.fill(0.0);
    blocks::gather(system, &work.mg, &work.directions, 1.0, &mut work.residual);
    blocks::solve(system, work, |work| &mut work.residual);
    add(&mut work.lambda, &work.residual);
}

/// g of a row at the last kinematics; what repeats itself is compared with the nearest repetition.
pub fn position_residual(system: &System, row: usize, work: &Workspace) -> f64 {
    let r = &system.rows[row];
    let value = r.kind.coordinate(&work.markers[r.a], &work.markers[r.b]);
    let (value, period) = match r.source {
        RowSource::Driver(id) => (value - work.motions[id.0].value, r.kind.period()),
        RowSource::Joint(_) if r.kind == RowKind::Angle => (value, Some(TAU)),
        RowSource::Joint(_) => (value, r.kind.period()),
    };
    period.map_or(value, |period| value - period * (value / period).round())
}

/// G v + g_t of all rows at the last evaluation, into `residual`.
pub fn velocity_residual(system: &System, work: &mut Workspace) {
    for (i, row) in system.rows.iter().enumerate() {
        work.residual[i] = match row.source {
            RowSource::Driver(id) => -work.motions[id.0].rate,
            RowSource::Joint(_) => 0.0,
        };
    }
    blocks::gather(system, &work.g, &work.v, 1.0, &mut work.residual);
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
        let at = StateAt::bare(t, branch, q, v);
        kinematics(system, at, work);
        motions(system, at, work);
        for i in 0..system.rows.len() {
            work.residual[i] = position_residual(system, i, work);
        }
        let (worst, row) = largest(system, &work.residual, system.length, 1.0);
        rows(system, work);
        blocks::factor(system, work)?;
        if worst <= CLOSED || (worst >= 0.5 * previous && worst < STILL_OPEN) {
            break;
        }
        if iteration == ITERATIONS || !worst.is_finite() {
            return Err(Fault::Open { row });
        }
        previous = worst;
        correction(system, work);
        system.displace(q, &work.directions);
    }
    velocity_residual(system, work);
    correction(system, work);
    add(v, &work.directions);
    Ok(())
}

/// −M⁻¹ Gᵀ S⁻¹ residual, into `directions`.
fn correction(system: &System, work: &mut Workspace) {
    blocks::solve(system, work, |work| &mut work.residual);
    work.directions.fill(0.0);
    blocks::scatter(system, &work.mg, &work.residual, 1.0, &mut work.directions);
}
