//! What keeps a mechanism from closing.

use nalgebra::DMatrix;

use super::close::{close, constraints, least_step, step_back};
use super::{AssemblyError, pose, rank};
use crate::joint::RowKind;
use crate::system::System;
use crate::system::compile::RowSource;

/// What stays open when everything else is closed.
#[derive(Clone, Debug, PartialEq)]
pub struct Gap {
    pub owner: String,
    pub row: &'static str,
    /// m or rad.
    pub value: f64,
    pub is_angle: bool,
}

impl Gap {
    fn size(&self, system: &System) -> f64 {
        self.value.abs() / if self.is_angle { 1.0 } else { system.length }
    }
}

pub(super) fn message(gaps: &[Gap]) -> String {
    let one = |gap: &Gap| {
        if gap.is_angle {
            format!("`{}` stays open by {:.4} deg", gap.owner, gap.value.abs().to_degrees())
        } else {
            format!("`{}` stays open by {:.4} mm", gap.owner, gap.value.abs() * 1e3)
        }
    };
    match gaps {
        [] => "no single joint or driver is to blame".to_owned(),
        gaps => {
            gaps.iter().take(3).map(one).collect::<Vec<_>>().join(", or ")
                + " when all the others are closed"
        }
    }
}

/// Which joint or driver must be left open for all the others to close, and by how much it then
/// stays open: the smallest gaps first.
pub(super) fn cannot_close(system: &System) -> AssemblyError {
    let mut owners: Vec<RowSource> = Vec::new();
    for row in &system.rows {
        if !owners.contains(&row.source) {
            owners.push(row.source);
        }
    }
    let mut gaps: Vec<Gap> = owners.into_iter().filter_map(|owner| gap_of(system, owner)).collect();
    gaps.sort_by(|a, b| a.size(system).total_cmp(&b.size(system)));
    AssemblyError::CannotClose { gaps }
}

/// Smallest gap of one owner's rows when all other rows are closed.
fn gap_of(system: &System, owner: RowSource) -> Option<Gap> {
    let rows: Vec<usize> = system.rows_of(owner).collect();
    let rest = system.without_rows(&rows);
    let mut q = pose::guess(system);
    close(&rest, 0.0, &mut q).ok()?;
    narrow(system, &rest, &rows, &mut q);
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
    Some(Gap { owner: system.row_owner(i).to_owned(), row: kind.name(), value, is_angle })
}

/// Moves the pose within the rows of `rest` until the `open` rows of the whole system are as near to
/// closed as they can be: damped Gauss–Newton steps in the free directions of `rest`.
pub(super) fn narrow(system: &System, rest: &System, open: &[usize], q: &mut [f64]) {
    let gap = |q: &[f64]| {
        let (g, jacobian) = constraints(system, 0.0, q);
        (g.select_rows(open), jacobian.select_rows(open))
    };
    let (mut g, mut jacobian) = gap(q);
    let mut damping = 1e-6;
    for _ in 0..300 {
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
