//! Derivatives of the equations of motion by displacements and velocities.
//!
//! Rows, forces, contacts and films are pairs of wrenches between two markers. Each says how its pair
//! changes for small motions of the markers; components say how markers move along their columns and
//! how Jᵀw changes there. Internal rows of bodies are the component's own.

mod friction;

use std::ops::Range;

pub(in crate::system) use friction::{clear_friction, subtract_bristles, subtract_friction};

use friction::Patterns;
use gudgeon_dae::linear::Entries;
use gudgeon_dae::{Dims, Tangents};

use crate::joint::RowKind;
use crate::marker::Variation;
use crate::math::spatial::{Pair, Wrench};
use crate::system::compile::{RowSource, System};
use crate::system::component::floating::tangents::Slope;
use crate::system::component::{Columns, Component, Formulation, InternalRow, Support};
use crate::system::functions::{self, Pushed};
use crate::system::workspace::Workspace;

/// By what is differentiated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::system) enum By {
    Place,
    Speed,
}

/// The part of a column on one body: which entries it has, and these.
type Part = (Support, Columns);

/// Places of the derivatives in coordinates of the bodies: those that share a row, force, contact or film.
pub(in crate::system) fn blank_of_bodies(system: &System, dims: Dims) -> Tangents {
    let solved = system.rows[..system.active].iter();
    let between = solved.filter(|row| !matches!(row.kind, RowKind::Internal(_)));
    let rows = between.map(|row| (row.a, row.b));
    let forces = system.model.forces.iter().flat_map(|force| crate::force::pairs(&force.kind));
    // Films stand where contacts do.
    let contacts = system.contacts.iter().map(|contact| (contact.a, contact.b));
    let mut places = Vec::new();
    let mut couple = |a: &Support, b: &Support| {
        for i in a.iter() {
            places.extend(b.iter().map(|j| (i, j)));
        }
    };
    let mut own = |run: Range<usize>| couple(&Support::run(run.clone()), &Support::run(run));
    for (i, body) in system.bodies.iter().enumerate() {
        match body.formulation {
            Formulation::Beam => system.beam(i).elements().for_each(&mut own),
            formulation if formulation.is_floating() => {}
            _ => own(body.velocities()),
        }
    }
    for body in &system.floating {
        let border = Support::run(body.v..body.v + body.border());
        let whole = Support::run(body.v..body.v + body.size());
        couple(&border, &whole);
        couple(&whole, &border);
        body.elements().for_each(|own| couple(&Support::run(own.clone()), &Support::run(own)));
    }
    let columns = |marker: usize| system.columns_of(marker);
    for (a, b) in rows.chain(forces).chain(contacts) {
        couple(&columns(a), &columns(b));
        couple(&columns(b), &columns(a));
    }
    for ((a, b), (c, d)) in functions::couplings(system) {
        for row in [a, b] {
            couple(&columns(row), &columns(c));
            couple(&columns(row), &columns(d));
        }
    }
    let square = Entries::at(dims.v, dims.v, &places);
    let Patterns { coupling, reactions, rates, rates_z } = Patterns::new(system, dims);
    Tangents {
        stiffness: square.clone(),
        damping: square,
        rate_jacobian: rows_of_bodies(system, dims),
        coupling,
        reactions,
        rates_q: rates.clone(),
        rates_v: rates,
        rates_z,
    }
}

/// Places of G by velocities of the bodies.
fn rows_of_bodies(system: &System, dims: Dims) -> Entries {
    let mut places = Vec::new();
    for (i, row) in system.rows[..system.active].iter().enumerate() {
        if let (RowKind::Internal(internal), RowSource::Body(body)) = (row.kind, row.source) {
            places.extend(system.internal_columns(body.0 - 1, internal).map(|j| (i, j)));
            continue;
        }
        for support in [row.a, row.b].map(|marker| system.columns_of(marker)) {
            places.extend(support.iter().map(|j| (i, j)));
        }
    }
    Entries::at(dims.rows, dims.v, &places)
}

/// Places of G by velocities of the state.
pub(in crate::system) fn rows_pattern(system: &System, dims: Dims) -> Entries {
    let mut places = Vec::new();
    for group in system.tree.iter().flat_map(|tree| &tree.rows) {
        for block in &group.blocks {
            places.extend(group.v.clone().map(|j| (block.row, j)));
        }
    }
    for block in &system.blocks {
        let first = system.velocities_in_state(block.body);
        places.extend(block.support.iter().map(|j| (block.row, first + j)));
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
        for (i, column) in system.columns_of(marker).iter().enumerate() {
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
                let velocities = system.columns_of(end);
                if velocities.is_empty() {
                    return None;
                }
                let moved = moved.as_ref().filter(|_| own);
                let values = system.reduced_change(end, change, now, moved, work);
                Some((velocities, values))
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
            for (support, values) in parts.iter().flatten() {
                add_part(matrix, column, support, values, -1.0);
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
        let velocities = system.columns_of(end);
        if velocities.is_empty() {
            return None;
        }
        let values = system.reduced_change(end, unit, unit, None, work);
        Some((velocities, values))
    };
    let parts = [part(ends.0, &unit.a), part(ends.1, &unit.b)];
    let sides: &[(usize, bool)] =
        if read.0 == read.1 { &[(read.1, true)] } else { &[(read.0, false), (read.1, true)] };
    for by in [By::Place, By::Speed] {
        let matrix = if by == By::Place { &mut out.stiffness } else { &mut out.damping };
        for &(marker, on_b) in sides {
            for (i, column) in system.columns_of(marker).iter().enumerate() {
                let variation = match by {
                    By::Place => system.position_variation(marker, i, work).0,
                    By::Speed => system.velocity_variation(marker, i, work),
                };
                let slope = if on_b {
                    change(&Variation::ZERO, &variation)
                } else {
                    change(&variation, &Variation::ZERO)
                };
                for (support, values) in parts.iter().flatten() {
                    add_part(matrix, column, support, values, -slope);
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
        for (support, values) in parts.iter().flatten() {
            for u in along {
                let product = support.iter().zip(values).map(|(i, w)| u[i] * w);
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
        for (support, values) in parts.iter().flatten() {
            add_part(&mut out.stiffness, column, support, values, lambda);
            change += support.iter().zip(values).map(|(i, g)| work.v[i] * g).sum::<f64>();
        }
        if let Some(slot) = out.rate_jacobian.slot(row, column) {
            out.rate_jacobian.values[slot] += change;
        }
    });
}

/// Adds entries of a column on one body.
fn add_part(matrix: &mut Entries, column: usize, support: &Support, values: &Columns, factor: f64) {
    for (run, values) in support.parts(values) {
        add_column(matrix, column, run.start, values, factor);
    }
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
    let velocities = system.internal_columns(body, internal);
    let mut values: Columns = Default::default();
    for (i, column) in velocities.clone().enumerate() {
        system.internal_curvature(body, internal, i, &mut values);
        let values = &values[..velocities.len()];
        add_column(&mut out.stiffness, column, velocities.start, values, lambda);
    }
    system.internal_rate_row(body, internal, work, &mut values);
    for (column, value) in velocities.zip(values) {
        if let Some(slot) = out.rate_jacobian.slot(row, column) {
            out.rate_jacobian.values[slot] += value;
        }
    }
}

/// Adds the derivatives of elastic forces and damping of beams.
pub(in crate::system) fn add_elastic(system: &System, work: &Workspace, out: &mut Tangents) {
    for beam in &system.beams {
        let q = &work.beam_q[beam.v - system.first_beam()..][..beam.size()];
        let v = &work.v[beam.v..beam.v + beam.size()];
        let damped = beam.strain_damping;
        beam.for_mass_damping(|i, j, value| {
            let slot = out.damping.slot(i, j).expect("neighbours share a block");
            out.damping.values[slot] += value;
        });
        beam.beam.add_tangents(q, v, |first, count, stiffness, damping| {
            let first = beam.v + first;
            for j in 0..count {
                let column = stiffness.iter().skip(j).step_by(count);
                add_to_column(&mut out.stiffness, first + j, first, column);
                if damped {
                    let column = damping.iter().skip(j).step_by(count);
                    add_to_column(&mut out.damping, first + j, first, column);
                }
            }
        });
    }
}

/// Adds the derivatives of inertia, weight, elastic forces and damping of links with a floating frame.
pub(in crate::system) fn add_floating(
    system: &System,
    work: &Workspace,
    accelerations: &[f64],
    out: &mut Tangents,
) {
    let add = |matrix: &mut Entries, i: usize, j: usize, value: f64| {
        let slot = matrix.slot(i, j).expect("freedoms of an element and its frame share a block");
        matrix.values[slot] += value;
    };
    for (body, state) in system.floating.iter().zip(&work.floating) {
        let gravity = &system.model.gravity;
        let (first, accelerations) = (body.v, &accelerations[body.v..]);
        body.for_inertia_tangents(gravity, state, accelerations, |slope, i, j, value| {
            let matrix = match slope {
                Slope::Stiffness => &mut out.stiffness,
                Slope::Damping => &mut out.damping,
            };
            add(matrix, first + i, first + j, value);
        });
        let first = first + body.border();
        body.link.for_tangents(&state.q, &state.v, |i, j, stiffness, damping| {
            add(&mut out.stiffness, first + i, first + j, stiffness);
            add(&mut out.damping, first + i, first + j, damping);
        });
    }
}

fn add_to_column<'v>(
    matrix: &mut Entries,
    column: usize,
    first: usize,
    values: impl Iterator<Item = &'v f64>,
) {
    let slot = matrix.slot(first, column).expect("nodes of an element share a block");
    for (out, value) in matrix.values[slot..].iter_mut().zip(values) {
        *out += value;
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
