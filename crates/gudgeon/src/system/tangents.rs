//! Derivatives of the equations of motion by displacements and velocities.
//!
//! Rows, forces, contacts and films are pairs of wrenches between two markers. Each says how its pair
//! changes for small motions of the markers; here bodies are moved along one velocity after the other
//! and the changes reduced to them. With a wrench (f, t) at the lever r, a turn δφ of its body adds
//!
//!   δ(Rᵀ(t + r × f)) = Rᵀ(δt + r × δf + (δφ × r) × f − δφ × (t + r × f))                       (1)
//!
//! because torques are counted in axes of the body; in the plane only the first three terms are left.

use gudgeon_dae::linear::Entries;
use gudgeon_dae::{Dims, Tangents};
use nalgebra::Vector3;

use super::compile::System;
use super::workspace::Workspace;
use crate::marker::{Formulation, Variation};
use crate::math::spatial::{Pair, Wrench};

/// By what is differentiated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum By {
    Place,
    Speed,
}

/// The part of a column on one body: where it starts and up to six entries.
type Part = (usize, usize, [f64; 6]);

/// Places of the derivatives: bodies that share a row, force, contact or film.
pub(super) fn blank(system: &System, dims: Dims) -> Tangents {
    let body_of = |marker: usize| system.attachments[marker].body.checked_sub(1);
    let rows = system.rows.iter().map(|row| (row.a, row.b));
    let forces = system.model.forces.iter().map(|force| crate::force::ends(&force.kind));
    // Films stand where contacts do.
    let contacts = system.contacts.iter().map(|contact| (contact.a, contact.b));
    let mut places = Vec::new();
    let mut couple = |a: Option<usize>, b: Option<usize>| {
        let (Some(a), Some(b)) = (a, b) else { return };
        for i in system.bodies[a].velocities() {
            places.extend(system.bodies[b].velocities().map(|j| (i, j)));
        }
    };
    (0..system.bodies.len()).for_each(|body| couple(Some(body), Some(body)));
    for (a, b) in rows.chain(forces).chain(contacts) {
        couple(body_of(a), body_of(b));
        couple(body_of(b), body_of(a));
    }
    let square = Entries::at(dims.v, dims.v, &places);
    let none = |rows, columns| Entries::at(rows, columns, &[]);
    Tangents {
        stiffness: square.clone(),
        damping: square,
        rate_jacobian: rows_pattern(system, dims),
        coupling: none(dims.v, dims.z),
        reactions: none(dims.v, dims.rows),
        rates_q: none(dims.z, dims.v),
        rates_v: none(dims.z, dims.v),
        rates_z: none(dims.z, dims.z),
    }
}

/// Places of G.
pub(super) fn rows_pattern(system: &System, dims: Dims) -> Entries {
    let mut places = Vec::new();
    for block in &system.blocks {
        places.extend(system.bodies[block.body].velocities().map(|j| (block.row, j)));
    }
    Entries::at(dims.rows, dims.v, &places)
}

/// Calls `each` with every column in which one of two markers moves, the changed pair of wrenches and
/// its parts on the bodies.
fn columns(
    system: &System,
    work: &Workspace,
    ends: (usize, usize),
    by: By,
    now: &Pair,
    change: impl Fn(&Variation, &Variation) -> Pair,
    mut each: impl FnMut(usize, &[Option<Part>; 2]),
) {
    for (marker, on_b) in [(ends.0, false), (ends.1, true)] {
        let Some(moving) = system.attachments[marker].body.checked_sub(1) else { continue };
        let (body, state) = (&system.bodies[moving], &work.states[moving + 1]);
        for (i, column) in body.velocities().enumerate() {
            let (along, turn) = direction(body.formulation, &state.frame.r, i);
            let shift = match by {
                By::Place => work.markers[marker].position_variation(&along, &turn),
                By::Speed => work.markers[marker].velocity_variation(&along, &turn),
            };
            let pair = if on_b {
                change(&Variation::ZERO, &shift)
            } else {
                change(&shift, &Variation::ZERO)
            };
            let turned = |own: bool| (own && by == By::Place).then_some(&turn);
            let parts = [
                part(system, work, ends.0, &pair.a, &now.a, turned(!on_b)),
                part(system, work, ends.1, &pair.b, &now.b, turned(on_b)),
            ];
            each(column, &parts);
        }
    }
}

/// Unit displacement or turn along component i of a body's velocities, in world axes.
fn direction(
    formulation: Formulation,
    r: &nalgebra::Matrix3<f64>,
    i: usize,
) -> (Vector3<f64>, Vector3<f64>) {
    match i.checked_sub(formulation.translations()) {
        None => (Vector3::ith(i, 1.0), Vector3::zeros()),
        Some(_) if formulation == Formulation::Planar => (Vector3::zeros(), Vector3::z()),
        Some(axis) => (Vector3::zeros(), r.column(axis).into()),
    }
}

/// (1) for the wrench `now` whose change is `change`; `turn` where its own body turns.
fn part(
    system: &System,
    work: &Workspace,
    marker: usize,
    change: &Wrench,
    now: &Wrench,
    turn: Option<&Vector3<f64>>,
) -> Option<Part> {
    let moving = system.attachments[marker].body.checked_sub(1)?;
    let (body, state) = (&system.bodies[moving], &work.states[moving + 1]);
    let lever = &work.markers[marker].lever;
    let mut wrench = *change;
    if let Some(turn) = turn {
        let torque = now.t + lever.cross(&now.f);
        wrench.t += turn.cross(lever).cross(&now.f) - turn.cross(&torque);
    }
    let mut out = [0.0; 6];
    match body.formulation {
        Formulation::Planar => out[..3].copy_from_slice(&state.reduce_planar(lever, &wrench)),
        Formulation::Spatial => out.copy_from_slice(&state.reduce_spatial(lever, &wrench)),
    }
    Some((body.v, body.formulation.velocities(), out))
}

/// Subtracts the derivative of a force pair from K or D.
pub(super) fn subtract_force(
    system: &System,
    work: &Workspace,
    ends: (usize, usize),
    now: &Pair,
    change: impl Fn(&Variation, &Variation) -> Pair,
    out: &mut Tangents,
) {
    for by in [By::Place, By::Speed] {
        let matrix = if by == By::Place { &mut out.stiffness } else { &mut out.damping };
        columns(system, work, ends, by, now, &change, |column, parts| {
            for &(first, count, values) in parts.iter().flatten() {
                add_column(matrix, column, first, &values[..count], -1.0);
            }
        });
    }
}

/// Adds what a row gives to K = ∂(Gᵀ λ)/∂q and B = ∂(G v)/∂q.
pub(super) fn add_row(
    system: &System,
    work: &Workspace,
    row: usize,
    lambda: f64,
    out: &mut Tangents,
) {
    let r = &system.rows[row];
    let (a, b) = (&work.markers[r.a], &work.markers[r.b]);
    let now = work.row_wrenches[row].pair();
    let change = |da: &Variation, db: &Variation| r.kind.change(a, b, da, db);
    columns(system, work, (r.a, r.b), By::Place, &now, change, |column, parts| {
        let mut change = 0.0;
        for &(first, count, values) in parts.iter().flatten() {
            add_column(&mut out.stiffness, column, first, &values[..count], lambda);
            let v = &work.v[first..first + count];
            change += v.iter().zip(&values).map(|(v, g)| v * g).sum::<f64>();
        }
        if let Some(slot) = out.rate_jacobian.slot(row, column) {
            out.rate_jacobian.values[slot] += change;
        }
    });
}

/// Adds consecutive entries of a column.
pub(super) fn add_column(
    matrix: &mut Entries,
    column: usize,
    first: usize,
    values: &[f64],
    factor: f64,
) {
    let slot = matrix.slot(first, column).expect("bodies that share an element share a block");
    for (out, value) in matrix.values[slot..].iter_mut().zip(values) {
        *out += factor * value;
    }
}

/// Subtracts the derivative of the gyroscopic torque of a spatial body from D.
pub(super) fn subtract_gyroscopic(system: &System, work: &Workspace, out: &mut Tangents) {
    for body in &system.bodies {
        if body.formulation == Formulation::Planar {
            continue;
        }
        let (j, w) = (&body.moments, &work.v[body.v + 3..body.v + 6]);
        let factor = [j.y - j.z, j.z - j.x, j.x - j.y];
        for i in 0..3 {
            let (k, l) = ((i + 1) % 3, (i + 2) % 3);
            for (column, other) in [(k, l), (l, k)] {
                let value = [factor[i] * w[other]];
                add_column(&mut out.damping, body.v + 3 + column, body.v + 3 + i, &value, -1.0);
            }
        }
    }
}
