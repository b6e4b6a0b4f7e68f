//! One evaluation of the equations of motion, from positions to accelerations and reactions.
//!
//!   M v̇ = f − Gᵀ λ,   G v̇ = γ   ⇒   (G M⁻¹ Gᵀ) λ = G M⁻¹ f − γ,   v̇ = M⁻¹ (f − Gᵀ λ)      (1)
//!
//! M⁻¹ belongs to the components. A direction without mass must be forbidden by the
//! constraints; it gets an artificial mass m̃, which leaves v̇ untouched (ker G has no part in it) and
//! changes λ by the solution of
//!
//!   (G M⁻¹ Gᵀ) Δλ = G M⁻¹ m̃ v̇                                                            (2)
//!
//! added afterwards, so motion and reactions are exact.

use std::f64::consts::TAU;

use gudgeon_dae::{Fault, Stabilisation};

use super::compile::{RowSource, System};
use super::component::add;
use super::plant::Memory;
use super::workspace::Workspace;
use super::{blocks, functions, reactions, tree};
use crate::clearance::contact::{Bristling, ContactForce, ContactMemory};
use crate::clearance::geometry::geometry;
use crate::force;
use crate::joint::{RowKind, Turn};

/// Time, the instant that chooses the pieces of functions of time, and the state of the bodies.
#[derive(Clone, Copy, Debug)]
pub struct StateAt<'a> {
    pub t: f64,
    pub branch: f64,
    pub q: &'a [f64],
    pub v: &'a [f64],
    /// σ of every contact, or nothing where time is not stretched.
    pub roots: &'a [f64],
    /// Bristle states of friction.
    pub bristles: &'a [f64],
    /// Integrated angles of the counted turns, or nothing where turns do not matter.
    pub turns: &'a [f64],
}

impl<'a> StateAt<'a> {
    /// A point where contacts and full turns do not matter.
    pub fn bare(t: f64, branch: f64, q: &'a [f64], v: &'a [f64]) -> Self {
        Self { t, branch, q, v, roots: &[], bristles: &[], turns: &[] }
    }
}

/// Accelerations and reactions at a point.
pub fn accelerations(
    system: &System,
    at: StateAt,
    memory: &Memory,
    stabilisation: Stabilisation,
    work: &mut Workspace,
) -> Result<(), Fault> {
    if let Some(tree) = system.free_tree() {
        forces(system, at, memory, work)?;
        tree.accelerate(system, work);
        return Ok(());
    }
    if let Some(erls) = &system.erls {
        forces(system, at, memory, work)?;
        return erls.accelerate(system, at.v, work);
    }
    equations(system, at, memory, work)?;
    if stabilisation != Stabilisation::default() {
        stabilise(system, stabilisation, work);
    }
    factor_masses(system, work);
    blocks::factor(system, work)?;
    if system.frictions.is_empty() {
        solve_any(system, work);
    } else {
        reactions::solve_with_friction(system, at, memory, work)?;
    }
    if system.has_artificial_masses {
        correct_for_artificial_masses(system, work);
    }
    if let Some(tree) = &system.tree {
        tree.driver_loads(system, work);
    }
    Ok(())
}

/// Everything that the accelerations follow from: poses, motions, f, G and γ.
pub fn equations(
    system: &System,
    at: StateAt,
    memory: &Memory,
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
    memory: &Memory,
    work: &mut Workspace,
) -> Result<(), Fault> {
    kinematics(system, at, work);
    functions::update(system, at, &memory.pieces, work);
    own_forces(system, work);
    force::apply_all(system, at, work);
    contacts(system, at, memory, work);
    films(system, &memory.contacts, work)
}

/// Prescribed motions, poses, markers and velocities.
pub fn kinematics(system: &System, at: StateAt, work: &mut Workspace) {
    motions(system, at, work);
    match (&system.tree, &system.erls) {
        (Some(tree), _) => tree.kinematics(system, (at.q, at.v), work),
        (None, Some(erls)) => erls.kinematics(system, (at.q, at.v), work),
        (None, None) => {
            work.v.copy_from_slice(at.v);
            for component in &system.components {
                component.place(system, at.q, at.v, work);
            }
        }
    }
    for (i, &(a, b)) in system.turns.iter().enumerate() {
        let turn = RowKind::Turn(Turn::Axis).coordinate(&work.markers[a], &work.markers[b]);
        work.turns[i] = match at.turns.get(i) {
            Some(counted) => turn + TAU * ((counted - turn) / TAU).round(),
            None => turn,
        };
    }
}

/// Prescribed motions of the drivers.
fn motions(system: &System, at: StateAt, work: &mut Workspace) {
    for (jet, driver) in work.motions.iter_mut().zip(&system.model.drivers) {
        *jet = driver.motion.jet(at.t, at.branch);
    }
}

/// Masses that change with the position; S and v̇ need their factors.
pub(super) fn factor_masses(system: &System, work: &mut Workspace) {
    for component in &system.components {
        component.factor_masses(system, work);
    }
}

fn own_forces(system: &System, work: &mut Workspace) {
    for component in &system.components {
        component.own_forces(system, work);
    }
}

fn contacts(system: &System, at: StateAt, memory: &Memory, work: &mut Workspace) {
    for (i, element) in system.contacts.iter().enumerate() {
        if !memory.contacts[i].in_contact() {
            if work.contacts[i].0.take().is_some() {
                work.contacts[i].1 = ContactForce::ZERO;
                work.bristling[i] = Bristling::NONE;
            }
            continue;
        }
        let (a, b) = (&work.markers[element.a], &work.markers[element.b]);
        let (seen, force) = &mut work.contacts[i];
        let geometry = seen.insert(geometry(&element.spot, &element.clearance, a, b));
        let root = at.roots.get(i).copied();
        let touch = element.touch(memory.contact(i, element), (a, b), at.bristles);
        match element.states {
            0 => *force = touch.force(geometry, root),
            _ => (*force, work.bristling[i]) = touch.with_bristles(geometry, root),
        }
        let (on_a, on_b) = (force.wrench_a, force.wrench_b);
        system.apply(element.a, &on_a, work);
        system.apply(element.b, &on_b, work);
    }
}

fn films(system: &System, memory: &[ContactMemory], work: &mut Workspace) -> Result<(), Fault> {
    for (i, element) in system.films.iter().enumerate() {
        let (a, b) = (&work.markers[element.a], &work.markers[element.b]);
        let film = work.films[i].work.get_mut();
        let now = element.lubricant.act(a, b, element.touches(memory), film);
        let now = now.map_err(|_| Fault::Undefined { element: i })?;
        system.apply(element.a, &now.pair.a, work);
        system.apply(element.b, &now.pair.b, work);
        work.films[i].now = now;
    }
    Ok(())
}

/// G, M⁻¹Gᵀ and γ.
pub fn rows(system: &System, work: &mut Workspace) {
    let internal = system.internal_rows();
    if internal > 0 {
        system.internal_biases(work);
    }
    let angular = system.has_angular_biases();
    let own = internal..system.active;
    let between = system.rows[own.clone()].iter().zip(&mut work.row_wrenches[own]);
    for ((row, wrenches), gamma) in between.zip(&mut work.gamma[internal..]) {
        let (a, b) = (&work.markers[row.a], &work.markers[row.b]);
        row.kind.write(a, b, wrenches);
        let second = match row.source {
            RowSource::Driver(id) => work.motions[id.0].second,
            RowSource::Joint(_) | RowSource::Body(_) => 0.0,
        };
        *gamma = second - wrenches.bias(a, b);
        if angular {
            *gamma -= wrenches.angular_bias(a, b);
        }
    }
    blocks::fill(system, work);
    work.shape_known = false;
}

/// γ −= 2α (G v + g_t) + β² g.
fn stabilise(system: &System, with: Stabilisation, work: &mut Workspace) {
    velocity_residual(system, work);
    for i in 0..system.active {
        work.gamma[i] -= 2.0 * with.alpha * work.residual[i]
            + with.beta * with.beta * position_residual(system, i, work);
    }
}

fn solve(system: &System, work: &mut Workspace) {
    if let Some(tree) = &system.tree {
        return tree::solve(system, tree, work);
    }
    for (lambda, gamma) in work.lambda.iter_mut().zip(&work.gamma) {
        *lambda = -gamma;
    }
    blocks::gather(system, &work.mg, &work.forces, 1.0, &mut work.lambda);
    blocks::solve(system, work, |work| &mut work.lambda);
    for component in &system.components {
        component.solve_masses(system, work);
    }
    blocks::scatter(system, &work.mg, &work.lambda, 1.0, &mut work.accelerations);
}

/// λ and v̇ of the present f, whatever the components.
pub(super) fn solve_any(system: &System, work: &mut Workspace) {
    if system.completes_forces() {
        solve_completed(system, work);
    } else {
        solve(system, work);
    }
}

/// The same with what the masses of components need beside the forces, which stay as they are.
fn solve_completed(system: &System, work: &mut Workspace) {
    let mut forces = std::mem::take(&mut work.applied);
    forces.copy_from_slice(&work.forces);
    for component in &system.components {
        component.complete_forces(system, work);
    }
    solve(system, work);
    work.forces.copy_from_slice(&forces);
    work.applied = forces;
}

/// Equation (2); skipped while the massless directions do not accelerate but for rounding.
fn correct_for_artificial_masses(system: &System, work: &mut Workspace) {
    let (mut massless, mut largest) = (0.0f64, 0.0f64);
    for component in &system.components {
        let (lacking, all) = component.artificial_inertia(system, work);
        (massless, largest) = (massless.max(lacking), largest.max(all));
    }
    if massless <= 1e-12 * largest {
        return;
    }
    work.residual.fill(0.0);
    match &system.tree {
        Some(tree) => tree::gather_directions(system, tree, work),
        None => blocks::gather(system, &work.mg, &work.directions, 1.0, &mut work.residual),
    }
    blocks::solve(system, work, |work| &mut work.residual);
    add(&mut work.lambda, &work.residual);
}

/// g of a row at the last kinematics; what repeats itself is compared with the nearest repetition.
pub fn position_residual(system: &System, row: usize, work: &Workspace) -> f64 {
    let r = &system.rows[row];
    if let (RowKind::Internal(internal), RowSource::Body(body)) = (r.kind, r.source) {
        return system.internal_gap(body.0 - 1, internal, work);
    }
    let value = r.kind.coordinate(&work.markers[r.a], &work.markers[r.b]);
    let (value, period) = match r.source {
        RowSource::Driver(id) if r.kind == RowKind::Angle && !system.beams.is_empty() => {
            (value - work.motions[id.0].value, Some(TAU))
        }
        RowSource::Driver(id) => (value - work.motions[id.0].value, r.kind.period()),
        RowSource::Joint(_) if r.kind == RowKind::Angle => (value, Some(TAU)),
        RowSource::Joint(_) | RowSource::Body(_) => (value, r.kind.period()),
    };
    period.map_or(value, |period| value - period * (value / period).round())
}

/// G v + g_t of all rows at the last evaluation, into `residual`.
pub fn velocity_residual(system: &System, work: &mut Workspace) {
    if system.erls.is_some() {
        return;
    }
    if system.tree.is_some() {
        return rates_of_rows(system, work);
    }
    for (i, row) in system.rows.iter().enumerate() {
        work.residual[i] = match row.source {
            RowSource::Driver(id) => -work.motions[id.0].rate,
            RowSource::Joint(_) | RowSource::Body(_) => 0.0,
        };
    }
    blocks::gather(system, &work.g, &work.v, 1.0, &mut work.residual);
}

/// The same from the twists of the markers, which contain what drivers of a tree move.
fn rates_of_rows(system: &System, work: &mut Workspace) {
    let internal = system.internal_rows();
    work.residual.fill(0.0);
    if let Some(tree) = work.tree.take() {
        blocks::gather(system, &work.g, &tree.v, 1.0, &mut work.residual);
        work.tree = Some(tree);
    }
    for i in internal..system.active {
        let row = &system.rows[i];
        let rate = work.row_wrenches[i].rate(&work.markers[row.a], &work.markers[row.b]);
        let driven = match row.source {
            RowSource::Driver(id) => work.motions[id.0].rate,
            RowSource::Joint(_) | RowSource::Body(_) => 0.0,
        };
        work.residual[i] = rate - driven;
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
        let at = StateAt::bare(t, branch, q, v);
        kinematics(system, at, work);
        for i in 0..system.active {
            work.residual[i] = position_residual(system, i, work);
        }
        let (worst, row) = largest(system, &work.residual, system.length, 1.0);
        rows(system, work);
        factor_masses(system, work);
        blocks::factor(system, work)?;
        if worst <= CLOSED || (worst >= 0.5 * previous && worst < STILL_OPEN) {
            break;
        }
        if iteration == ITERATIONS || !worst.is_finite() {
            return Err(Fault::Open { row });
        }
        previous = worst;
        correction(system, work);
        system.displace(q, work.state_directions());
    }
    velocity_residual(system, work);
    correction(system, work);
    add(v, work.state_directions());
    Ok(())
}

/// −M⁻¹ Gᵀ S⁻¹ residual, into the directions of the state.
fn correction(system: &System, work: &mut Workspace) {
    blocks::solve(system, work, |work| &mut work.residual);
    let mut directions = std::mem::take(work.state_directions());
    directions.fill(0.0);
    blocks::scatter(system, &work.mg, &work.residual, 1.0, &mut directions);
    *work.state_directions() = directions;
}
