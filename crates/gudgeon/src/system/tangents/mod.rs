//! Derivatives of the equations of motion by displacements and velocities.
//!
//! Rows, forces, contacts and films are pairs of wrenches between two markers. Each says how its pair
//! changes for small motions of the markers; components say how markers move along their columns and
//! how Jᵀw changes there. Internal rows of bodies are the component's own.

mod friction;

pub(in crate::system) use friction::{clear_friction, subtract_bristles, subtract_friction};

use friction::Patterns;
use gudgeon_dae::linear::Entries;
use gudgeon_dae::{Dims, Tangents};

use crate::joint::RowKind;
use crate::marker::Variation;
use crate::math::spatial::{Pair, Wrench};
use crate::system::compile::{RowSource, System};
use crate::system::component::{Columns, Component, InternalRow};
use crate::system::functions::{self, Pushed};
use crate::system::workspace::Workspace;

/// By what is differentiated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::system) enum By {
    Place,
    Speed,
}

/// The part of a column on one body: where it starts, how many entries it has, and these.
type Part = (usize, usize, Columns);

/// Places of the derivatives: bodies that share a row, force, contact or film.
pub(in crate::system) fn blank(system: &System, dims: Dims) -> Tangents {
    let body_of = |marker: usize| system.attachments[marker].body.checked_sub(1);
    let between = system.rows.iter().filter(|row| !matches!(row.kind, RowKind::Internal(_)));
    let rows = between.map(|row| (row.a, row.b));
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
    for ((a, b), (c, d)) in functions::couplings(system) {
        for row in [a, b] {
            couple(body_of(row), body_of(c));
            couple(body_of(row), body_of(d));
        }
    }
    let square = Entries::at(dims.v, dims.v, &places);
    let Patterns { coupling, reactions, rates, rates_z } = Patterns::new(system, dims);
    Tangents {
        stiffness: square.clone(),
        damping: square,
        rate_jacobian: rows_pattern(system, dims),
        coupling,
        reactions,
        rates_q: rates.clone(),
        rates_v: rates,
        rates_z,
    }
}

/// Places of G.
pub(in crate::system) fn rows_pattern(system: &System, dims: Dims) -> Entries {
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
        for (i, column) in system.bodies[moving].velocities().enumerate() {
            let (variation, moved) = match by {
                By::Place => {
                    let (variation, moved) = system.position_variation(marker, i, work);
                    (variation, Some(moved))
                }
                By::Speed => (system.velocity_variation(marker, i, work), None),
            };
            let pair = if on_b {
                change(&Variation::ZERO, &variation)
            } else {
                change(&variation, &Variation::ZERO)
            };
            let part = |end: usize, own: bool, change: &Wrench, now: &Wrench| {
                let body = system.attachments[end].body.checked_sub(1)?;
                let moved = moved.as_ref().filter(|_| own);
                let values = system.reduced_change(end, change, now, moved, work);
                let velocities = system.bodies[body].velocities();
                Some((velocities.start, velocities.len(), values))
            };
            let parts = [part(ends.0, !on_b, &pair.a, &now.a), part(ends.1, on_b, &pair.b, &now.b)];
            each(column, &parts);
        }
    }
}

/// Subtracts the derivative of a force pair from K or D.
pub(in crate::system) fn subtract_force(
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

/// Subtracts the derivative of a force pair whose size follows a reading of the markers `read`: that of
/// the size by their motion, times the pair at size one.
pub(in crate::system) fn subtract_product(
    system: &System,
    work: &Workspace,
    (ends, unit): Pushed<'_>,
    read: (usize, usize),
    change: impl Fn(&Variation, &Variation) -> f64,
    out: &mut Tangents,
) {
    let part = |end: usize, unit: &Wrench| {
        let body = system.attachments[end].body.checked_sub(1)?;
        let values = system.reduced_change(end, unit, unit, None, work);
        let velocities = system.bodies[body].velocities();
        Some((velocities.start, velocities.len(), values))
    };
    let parts = [part(ends.0, &unit.a), part(ends.1, &unit.b)];
    let sides: &[(usize, bool)] =
        if read.0 == read.1 { &[(read.1, true)] } else { &[(read.0, false), (read.1, true)] };
    for by in [By::Place, By::Speed] {
        let matrix = if by == By::Place { &mut out.stiffness } else { &mut out.damping };
        for &(marker, on_b) in sides {
            let Some(moving) = system.attachments[marker].body.checked_sub(1) else { continue };
            for (i, column) in system.bodies[moving].velocities().enumerate() {
                let variation = match by {
                    By::Place => system.position_variation(marker, i, work).0,
                    By::Speed => system.velocity_variation(marker, i, work),
                };
                let slope = if on_b {
                    change(&Variation::ZERO, &variation)
                } else {
                    change(&variation, &Variation::ZERO)
                };
                for &(first, count, values) in parts.iter().flatten() {
                    add_column(matrix, column, first, &values[..count], -slope);
                }
            }
        }
    }
}

/// Σ u · ∂w/∂q u of a pair of wrenches, over some displacements u.
pub(in crate::system) fn quadratic(
    system: &System,
    work: &Workspace,
    ends: (usize, usize),
    now: &Pair,
    change: impl Fn(&Variation, &Variation) -> Pair,
    along: &[Vec<f64>],
) -> f64 {
    let mut sum = 0.0;
    columns(system, work, ends, By::Place, now, change, |column, parts| {
        for &(first, count, values) in parts.iter().flatten() {
            for u in along {
                let product = u[first..first + count].iter().zip(&values).map(|(u, w)| u * w);
                sum += u[column] * product.sum::<f64>();
            }
        }
    });
    sum
}

/// Adds what a row gives to K = ∂(Gᵀ λ)/∂q and B = ∂(G v)/∂q.
pub(in crate::system) fn add_row(
    system: &System,
    work: &Workspace,
    row: usize,
    lambda: f64,
    out: &mut Tangents,
) {
    let r = &system.rows[row];
    if let (RowKind::Internal(internal), RowSource::Body(body)) = (r.kind, r.source) {
        return add_internal(system, work, (row, body.0 - 1), internal, lambda, out);
    }
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
pub(in crate::system) fn add_column(
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

/// What an internal row gives to K and B.
fn add_internal(
    system: &System,
    work: &Workspace,
    (row, body): (usize, usize),
    internal: InternalRow,
    lambda: f64,
    out: &mut Tangents,
) {
    let velocities = system.bodies[body].velocities();
    let mut values: Columns = Default::default();
    for (i, column) in velocities.clone().enumerate() {
        system.internal_curvature(body, internal, i, &mut values);
        add_column(&mut out.stiffness, column, velocities.start, &values, lambda);
    }
    system.internal_rate_row(body, internal, work, &mut values);
    for (column, value) in velocities.zip(values) {
        if let Some(slot) = out.rate_jacobian.slot(row, column) {
            out.rate_jacobian.values[slot] += value;
        }
    }
}

/// Subtracts the derivative of the gyroscopic torque of spatial bodies from D.
pub(in crate::system) fn subtract_gyroscopic(
    system: &System,
    work: &Workspace,
    out: &mut Tangents,
) {
    for component in &system.components {
        let Component::Spatial(set) = component else { continue };
        for &i in &set.bodies {
            let body = &system.bodies[i];
            let first = body.v + 3;
            for (row, column, value) in body.gyroscopic_slopes(&work.v[first..first + 3]) {
                add_column(&mut out.damping, first + column, first + row, &[value], -1.0);
            }
        }
    }
}
