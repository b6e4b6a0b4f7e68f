//! Which joint or driver keeps a mechanism from closing.
//!
//! In the nearest position of all rows together only those rows are open that belong to the loops that
//! cannot close (`nearest.rs`): their joints and drivers are the suspects. Each is left open in turn,
//! with all the others closed, and its gap made as small as that allows.

use std::collections::BTreeSet;

use super::gaps::Gap;
use super::nearest::{Found, Search};
use super::{AssemblyError, pose};
use crate::joint::RowKind;
use crate::math::rotation;
use crate::model::{Form, JointId, Model, Space, Tilt};
use crate::system::System;
use crate::system::compile::RowSource;

/// Owners whose rows are open by less than this share of the largest are closed, and all below the
/// second figure.
const SUSPECT: f64 = 1e-6;
const OPEN: f64 = 1e-9;

/// Which joint or driver must be left open for all the others to close, and by how much it then
/// stays open: the smallest gaps first, among equals joints whose clearance is too
/// small, then drivers, then joints between frames that are turned against each other.
/// `real` says which joints have a clearance.
pub(super) fn cannot_close(system: &System, real: &Model) -> AssemblyError {
    let mut search = Search::new(system);
    let guess = pose::guess(system);
    let nearest = search.nearest(&guess);
    let bodies = bodies_of(system, &open_places(system, &nearest));
    let nearest = search.lowest(nearest, &bodies);
    if nearest.closes() {
        return elsewhere(system, &guess, &nearest.q);
    }
    let open = open_places(system, &nearest);
    let mut gaps: Vec<(RowSource, Gap)> = Vec::new();
    let mut untried = Vec::new();
    for (owner, first) in suspects(&open, real) {
        let rows: Vec<(usize, f64)> = system.rows_of(owner).map(|row| (row, 1.0)).collect();
        let Some(found) = search.narrowed(&nearest, &rows) else {
            if search.is_exhausted() {
                untried.push(first.owner.clone());
            }
            continue;
        };
        if found.closes() {
            return elsewhere(system, &guess, &found.q);
        }
        let mut gap = gap(system, owner, &found);
        gap.limit = limit(real, owner, gap.is_angle);
        gaps.push((owner, gap));
    }
    if gaps.is_empty() {
        let gaps = open.into_iter().map(|(_, gap)| gap).collect();
        return AssemblyError::OpenInSeveralPlaces { gaps };
    }
    in_order(&mut gaps, system, real);
    AssemblyError::CannotClose { gaps: gaps.into_iter().map(|(_, gap)| gap).collect(), untried }
}

/// What is open, the likelier cause first, should the work not do for all.
fn suspects<'g>(open: &'g [(RowSource, Gap)], real: &Model) -> Vec<(RowSource, &'g Gap)> {
    let mut suspects: Vec<_> = open.iter().map(|(owner, gap)| (*owner, gap)).collect();
    suspects.sort_by_key(|(owner, _)| match *owner {
        RowSource::Joint(id) if real.joints[id.0].clearance.is_some() => (0, id.0),
        RowSource::Driver(id) => (1, id.0),
        RowSource::Joint(id) => (2, id.0),
        RowSource::Body(id) => (3, id.0),
    });
    suspects
}

/// The smallest gaps first; among equals the likelier cause, then the order of the model.
fn in_order(gaps: &mut [(RowSource, Gap)], system: &System, real: &Model) {
    gaps.sort_by(|(_, a), (_, b)| a.size(system).total_cmp(&b.size(system)));
    let least = gaps.first().map_or(0.0, |(_, gap)| gap.size(system));
    gaps.sort_by_key(|(owner, gap)| match *owner {
        _ if gap.size(system) > (1.0 + 1e-6) * least => (5, 0),
        RowSource::Joint(id) if gap.limit.is_some() => (0, id.0),
        RowSource::Driver(id) => (1, id.0),
        RowSource::Joint(id) if gap.is_angle && is_turned(real, id) => (2, id.0),
        RowSource::Joint(id) => (3, id.0),
        RowSource::Body(id) => (4, id.0),
    });
}

/// A position in which all is closed, though the one to begin from does not lead there: the body that
/// is farthest from where it begins.
fn elsewhere(system: &System, from: &[f64], to: &[f64]) -> AssemblyError {
    let rest = vec![0.0; system.layout.v];
    let moved = |body: usize| {
        let (a, b) = (system.state_of(body, from, &rest), system.state_of(body, to, &rest));
        let turn = match system.model.space {
            Space::Planar => b.angle - a.angle,
            Space::Spatial => rotation::vector(&(a.frame.r.transpose() * b.frame.r)).norm(),
        };
        (turn, (b.frame.p - a.frame.p).norm())
    };
    let far = |(turn, shift): (f64, f64)| f64::max(turn.abs(), shift / system.length);
    let all = (0..system.bodies.len()).map(moved).enumerate();
    let farthest = all.max_by(|(_, a), (_, b)| far(*a).total_cmp(&far(*b)));
    let (i, (turn, shift)) = farthest.expect("rows that are open have bodies");
    let body = system.model.bodies[i + 1].name.clone();
    let is_angle = turn.abs() >= shift / system.length;
    AssemblyError::ClosesElsewhere { body, by: if is_angle { turn } else { shift }, is_angle }
}

/// Joints and drivers that are open in a position, the widest first.
fn open_places(system: &System, found: &Found) -> Vec<(RowSource, Gap)> {
    let all = system.owners().into_iter().map(|owner| (owner, gap(system, owner, found)));
    let mut open: Vec<(RowSource, Gap)> = all.collect();
    open.sort_by(|(_, a), (_, b)| b.size(system).total_cmp(&a.size(system)));
    let largest = open.first().map_or(0.0, |(_, gap)| gap.size(system));
    open.retain(|(_, gap)| gap.size(system) > OPEN.max(SUSPECT * largest));
    open
}

/// Moving bodies at some joints and drivers.
fn bodies_of(system: &System, owners: &[(RowSource, Gap)]) -> Vec<usize> {
    let rows = owners.iter().flat_map(|(owner, _)| system.rows_of(*owner));
    let ends = rows.flat_map(|row| [system.rows[row].a, system.rows[row].b]);
    let moving = ends.filter_map(|marker| system.attachments[marker].body.checked_sub(1));
    moving.collect::<BTreeSet<usize>>().into_iter().collect()
}

/// How far the rows of one owner are open in a position.
fn gap(system: &System, owner: RowSource, found: &Found) -> Gap {
    let g = &found.g;
    let rows: Vec<usize> = system.rows_of(owner).collect();
    let widest = |a: &usize, b: &usize| g[*a].abs().total_cmp(&g[*b].abs());
    let i = rows.iter().copied().max_by(widest).expect("owners have rows");
    let kind = system.rows[i].kind;
    let is_angle = kind.is_angle();
    // All components of a point are one distance, all tilts one angle.
    let alike = rows.iter().filter(|&&i| system.rows[i].kind.is_angle() == is_angle);
    let size = alike.map(|&i| g[i] * g[i]).sum::<f64>().sqrt();
    let value = match kind {
        RowKind::Square(..) => size.min(1.0).asin(),
        // The row is that of the squares, (d² − l²)/2l.
        RowKind::Distance { length } => {
            let apart = (length * length + 2.0 * length * g[i] * system.length).max(0.0).sqrt();
            apart - length
        }
        _ if is_angle => g[i],
        _ => size * system.length,
    };
    Gap::of_row(system, i, value)
}

/// Whether the frames of a joint are turned against each other in their bodies: the likely cause of
/// axes that do not meet.
fn is_turned(model: &Model, id: JointId) -> bool {
    let joint = &model.joints[id.0];
    let [a, b] = [joint.a, joint.b].map(|marker| model.markers[marker.0].local.r);
    (a.transpose() * b - nalgebra::Matrix3::identity()).amax() > 1e-9
}

/// What the clearance of a joint takes up, off the centre or as a tilt.
fn limit(model: &Model, owner: RowSource, is_angle: bool) -> Option<f64> {
    let RowSource::Joint(id) = owner else { return None };
    let clearance = model.joints[id.0].clearance.as_ref()?;
    match (is_angle, &clearance.form) {
        (false, _) => Some(clearance.radial),
        (true, Form::Journal { tilt: Tilt::Fixed, .. }) => None,
        (true, Form::Journal { length, .. } | Form::Guide { length, .. }) => {
            Some(2.0 * clearance.radial / length)
        }
        (true, _) => None,
    }
}
