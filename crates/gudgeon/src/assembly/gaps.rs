//! What keeps a mechanism from closing.

use nalgebra::DMatrix;

use super::close::{close, constraints, least_step, step_back};
use super::{AssemblyError, pose, rank};
use crate::joint::RowKind;
use crate::model::{Form, JointId, Model};
use crate::system::System;
use crate::system::compile::RowSource;

/// What stays open when everything else is closed.
#[derive(Clone, Debug, PartialEq)]
pub struct Gap {
    pub owner: String,
    pub row: &'static str,
    /// m or rad; of velocities m/s or rad/s.
    pub value: f64,
    pub is_angle: bool,
    /// What the clearance of a joint takes up, m or rad.
    pub limit: Option<f64>,
}

impl Gap {
    /// The gap of a row.
    pub(super) fn of_row(system: &System, row: usize, value: f64) -> Self {
        let kind = system.rows[row].kind;
        let owner = system.row_owner(row).to_owned();
        Self { owner, row: kind.name(), value, is_angle: kind.is_angle(), limit: None }
    }

    fn size(&self, system: &System) -> f64 {
        self.value.abs() / if self.is_angle { 1.0 } else { system.length }
    }
}

pub(super) fn message(gaps: &[Gap]) -> String {
    let length = |value: f64, is_angle: bool| match is_angle {
        true => format!("{:.4} deg", value.abs().to_degrees()),
        false => format!("{:.4} mm", value.abs() * 1e3),
    };
    let one = |gap: &Gap| {
        let within = match gap.limit {
            Some(limit) => format!(", its clearance takes up {}", length(limit, gap.is_angle)),
            None => String::new(),
        };
        format!("`{}` stays open by {}{within}", gap.owner, length(gap.value, gap.is_angle))
    };
    match gaps {
        [] => "no joint or driver is found that keeps it open".to_owned(),
        [worst, others @ ..] => one(worst) + " when all the others are closed" + &same_loop(others),
    }
}

/// Mechanisms that stay open in more than one place.
pub(super) fn several_message(gaps: &[Gap]) -> String {
    let Some(worst) = gaps.first() else { return message(gaps) };
    let size = match worst.is_angle {
        true => format!("{:.4} deg", worst.value.abs().to_degrees()),
        false => format!("{:.4} mm", worst.value.abs() * 1e3),
    };
    let others: Vec<String> =
        gaps[1..].iter().take(NAMED).map(|gap| format!("`{}`", gap.owner)).collect();
    let also = match others.is_empty() {
        true => String::new(),
        false => format!("; open are also {}", others.join(", ")),
    };
    format!("in the nearest position `{}` is open most, by {size}{also}", worst.owner)
}

/// Names of a list that a reader takes in.
const NAMED: usize = 5;

/// Joints and drivers that close the mechanism as well, if they are left open in place of the first:
/// all of them are in its loop.
fn same_loop(others: &[Gap]) -> String {
    if others.is_empty() {
        return String::new();
    }
    let mut names: Vec<String> =
        others.iter().take(NAMED).map(|gap| format!("`{}`", gap.owner)).collect();
    if others.len() > NAMED {
        names.push(format!("{} more", others.len() - NAMED));
    }
    format!("; its loop also runs through {}", names.join(", "))
}

/// The same for prescribed velocities.
pub(super) fn rate_message(gaps: &[Gap]) -> String {
    let one = |gap: &Gap| {
        let unit = if gap.is_angle { "rad/s" } else { "m/s" };
        format!("`{}` is off by {:.3e} {unit}", gap.owner, gap.value)
    };
    listed(gaps, one, " when all the others hold")
}

fn listed(gaps: &[Gap], one: impl Fn(&Gap) -> String, when: &str) -> String {
    match gaps {
        [] => "no single joint or driver is to blame".to_owned(),
        gaps => gaps.iter().take(3).map(one).collect::<Vec<_>>().join(", or ") + when,
    }
}

/// Work that the search for the culprit may take, in cubes of rows: about a second for the first part,
/// closing the rest of each suspect, and for the second, narrowing its gap.
const CLOSING: f64 = 1e7;
const NARROWING: f64 = 2.5e6;
/// Steps that narrow a gap where work does not matter.
pub(super) const STEPS: usize = 300;

/// Which joint or driver must be left open for all the others to close, and by how much it then
/// stays open: the smallest gaps first, among equals joints whose clearance is too
/// small, then drivers, then joints between frames that are turned against each other.
/// `real` says which joints have a clearance. In large mechanisms only those are asked whose rows are
/// farthest open when all are as near to closed as they get.
pub(super) fn cannot_close(system: &System, real: &Model) -> AssemblyError {
    let cube = (system.rows.len() as f64).powi(3).max(1.0);
    let suspects = suspects(system, (CLOSING / cube).max(2.0) as usize);
    let steps = NARROWING / (cube * suspects.len().max(1) as f64);
    let gap = |owner: RowSource| {
        let mut gap = gap_of(system, owner, steps.clamp(3.0, STEPS as f64) as usize)?;
        gap.limit = limit(real, owner, gap.is_angle);
        Some((owner, gap))
    };
    let mut gaps: Vec<(RowSource, Gap)> = suspects.into_iter().filter_map(gap).collect();
    if gaps.is_empty() {
        return AssemblyError::OpenInSeveralPlaces { gaps: open_places(system) };
    }
    gaps.sort_by(|(_, a), (_, b)| a.size(system).total_cmp(&b.size(system)));
    let least = gaps.first().map_or(0.0, |(_, gap)| gap.size(system));
    gaps.sort_by_key(|(owner, gap)| match owner {
        _ if gap.size(system) > (1.0 + 1e-6) * least => 4,
        RowSource::Joint(_) if gap.limit.is_some() => 0,
        RowSource::Driver(_) => 1,
        RowSource::Joint(id) if gap.is_angle && is_turned(real, *id) => 2,
        RowSource::Joint(_) => 3,
    });
    AssemblyError::CannotClose { gaps: gaps.into_iter().map(|(_, gap)| gap).collect() }
}

/// At most so many joints and drivers: all, or those whose rows stay open farthest.
fn suspects(system: &System, most: usize) -> Vec<RowSource> {
    let mut owners = system.owners();
    if owners.len() > most {
        let mut q = pose::guess(system);
        // It cannot close; what matters is where it stays open.
        let _ = close(system, 0.0, &mut q);
        let (g, _) = constraints(system, 0.0, &q);
        let open =
            |owner: &RowSource| system.rows_of(*owner).map(|i| g[i].abs()).fold(0.0, f64::max);
        owners.sort_by(|a, b| open(b).total_cmp(&open(a)));
        owners.truncate(most);
    }
    owners
}

/// Whether the frames of a joint are turned against each other in their bodies: the likely cause of
/// axes that do not meet.
fn is_turned(model: &Model, id: JointId) -> bool {
    let joint = &model.joints[id.0];
    let [a, b] = [joint.a, joint.b].map(|marker| model.markers[marker.0].local.r);
    (a.transpose() * b - nalgebra::Matrix3::identity()).amax() > 1e-9
}

/// What is open, the widest first, when all rows together are as near to closed as they get.
fn open_places(system: &System) -> Vec<Gap> {
    let mut q = pose::guess(system);
    let _ = close(system, 0.0, &mut q); // it cannot; the pose is the nearest that was found
    let (g, _) = constraints(system, 0.0, &q);
    let widest = |owner: RowSource| {
        let row = system.rows_of(owner).max_by(|&i, &j| g[i].abs().total_cmp(&g[j].abs()))?;
        let unit = if system.rows[row].kind.is_angle() { 1.0 } else { system.length };
        (g[row].abs() > OPEN).then(|| Gap::of_row(system, row, g[row] * unit))
    };
    let mut gaps: Vec<Gap> = system.owners().into_iter().filter_map(widest).collect();
    gaps.sort_by(|a, b| b.size(system).total_cmp(&a.size(system)));
    gaps
}

/// Rows that are off by less, as a share of the mechanism's size, count as closed.
const OPEN: f64 = 1e-9;

/// What the clearance of a joint takes up, off the centre or as a tilt.
fn limit(model: &Model, owner: RowSource, is_angle: bool) -> Option<f64> {
    let RowSource::Joint(id) = owner else { return None };
    let clearance = model.joints[id.0].clearance.as_ref()?;
    match (is_angle, clearance.form) {
        (false, _) => Some(clearance.radial),
        (true, Form::Journal { length, .. } | Form::Guide { length, .. }) => {
            Some(2.0 * clearance.radial / length)
        }
        (true, _) => None,
    }
}

/// Smallest gap of one owner's rows when all other rows are closed.
fn gap_of(system: &System, owner: RowSource, steps: usize) -> Option<Gap> {
    let rows: Vec<usize> = system.rows_of(owner).collect();
    let rest = system.without_rows(&rows);
    let mut q = pose::guess(system);
    close(&rest, 0.0, &mut q).ok()?;
    narrow(system, &rest, (&rows, &vec![1.0; rows.len()]), &mut q, steps);
    let (g, _) = constraints(system, 0.0, &q);
    let i = rows.into_iter().max_by(|&i, &j| g[i].abs().total_cmp(&g[j].abs()))?;
    let kind = system.rows[i].kind;
    let is_angle = kind.is_angle();
    // All components of a point are one distance, all tilts one angle.
    let alike = system.rows_of(owner).filter(|&i| system.rows[i].kind.is_angle() == is_angle);
    let size = alike.map(|i| g[i] * g[i]).sum::<f64>().sqrt();
    let value = match kind {
        RowKind::Square(..) => size.min(1.0).asin(),
        _ if is_angle => g[i],
        _ => size * system.length,
    };
    Some(Gap::of_row(system, i, value))
}

/// Moves the pose within the rows of `rest` until the `open` rows of the whole system, each times its
/// weight, are as near to closed as they can be: damped Gauss–Newton steps in the free directions of
/// `rest`, at most so many.
pub(super) fn narrow(
    system: &System,
    rest: &System,
    (open, weights): (&[usize], &[f64]),
    q: &mut [f64],
    steps: usize,
) {
    let gap = |q: &[f64]| {
        let (g, jacobian) = constraints(system, 0.0, q);
        let (mut g, mut jacobian) = (g.select_rows(open), jacobian.select_rows(open));
        for (i, weight) in weights.iter().enumerate() {
            g[i] *= weight;
            jacobian.row_mut(i).scale_mut(*weight);
        }
        (g, jacobian)
    };
    let (mut g, mut jacobian) = gap(q);
    let mut damping = 1e-6;
    for _ in 0..steps {
        let free = rank::null_space(&constraints(rest, 0.0, q).1);
        let free = DMatrix::from_fn(system.layout.v, free.len(), |i, k| free[k][i]);
        let step = &free * least_step(&(&jacobian * &free), &g, damping);
        let mut trial = q.to_vec();
        step_back(system, &mut trial, &step);
        let closed = close(rest, 0.0, &mut trial).is_ok();
        let (next, next_jacobian) = gap(&trial);
        if closed && next.norm() < g.norm() {
            let gain = 1.0 - next.norm() / g.norm();
            q.copy_from_slice(&trial);
            (g, jacobian) = (next, next_jacobian);
            damping *= 0.3;
            if gain < 1e-12 {
                return;
            }
        } else if damping > 1e6 {
            return;
        } else {
            damping *= 10.0;
        }
    }
}
