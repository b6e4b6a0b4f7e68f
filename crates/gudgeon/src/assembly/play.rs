//! Closing a mechanism whose joints have clearance.
//!
//! Every clearance joint starts as an ideal one, its journal at the start offset. Where that
//! mechanism does not close, its clearances take up what they must: first the tilts of journals, then
//! all they hold. What they take up is shared in proportion to the clearances: the sum of
//! gap²/clearance is made as small as joints and drivers allow.

use nalgebra::DMatrix;

use super::close::{close, constraints, least_step, step_back};
use super::culprit::cannot_close;
use super::gaps::Gap;
use super::{AssemblyError, compiled, pose, rank};
use crate::clearance::geometry::geometry;
use crate::joint::RowKind;
use crate::model::Model;
use crate::system::Workspace;
use crate::system::compile::{RowSource, System};
use crate::system::evaluate::{self, StateAt};

/// A journal starts inside its bearing, not on its wall, where it would have no closing speed.
const INSIDE: f64 = 1e-9;

/// A closed mechanism.
pub(super) struct Closed {
    /// The ideal mechanism that it is at this position: rows of the real one, and those of the
    /// clearance joints as far as they are closed.
    pub baseline: System,
    pub q: Vec<f64>,
    /// Whether the ideal mechanism closes but for tilts.
    pub ideal_closes: bool,
}

pub(super) fn close_with_play(real: &System) -> Result<Closed, AssemblyError> {
    let model = &real.model;
    let baseline = ideal(model)?;
    let mut q = pose::guess(&baseline);
    if close(&baseline, 0.0, &mut q).is_ok() {
        return Ok(Closed { baseline, q, ideal_closes: true });
    }
    let given = rows_with_play(&baseline, model);
    let tilts: Vec<usize> = given
        .iter()
        .copied()
        .filter(|&i| matches!(baseline.rows[i].kind, RowKind::Square(..)))
        .collect();
    if !tilts.is_empty() {
        let rest = baseline.without_rows(&tilts);
        let mut q = pose::guess(&rest);
        if close(&rest, 0.0, &mut q).is_ok() {
            narrow(&baseline, &rest, (&tilts, &vec![1.0; tilts.len()]), &mut q);
            return Ok(Closed { baseline: rest, q, ideal_closes: true });
        }
    }
    if given.is_empty() {
        return Err(cannot_close(&baseline, model));
    }
    off_centre(real, &baseline, &given)
}

fn ideal(model: &Model) -> Result<System, AssemblyError> {
    compiled(model, System::compile_ideal(model))
}

/// Rows of joints with clearance.
pub(super) fn rows_with_play(baseline: &System, model: &Model) -> Vec<usize> {
    let gives = |&i: &usize| match baseline.rows[i].source {
        RowSource::Joint(id) => model.joints[id.0].clearance.is_some(),
        RowSource::Driver(_) | RowSource::Body(_) => false,
    };
    (0..baseline.rows.len()).filter(gives).collect()
}

/// Closes ideal joints and drivers, and brings the journals as near to their places as these allow.
fn off_centre(real: &System, baseline: &System, given: &[usize]) -> Result<Closed, AssemblyError> {
    let model = &real.model;
    let mut q = pose::guess(baseline);
    if close(real, 0.0, &mut q).is_err() {
        return Err(cannot_close(real, model));
    }
    narrow(baseline, real, (given, &weights(real, baseline, given)), &mut q);
    if outside(real, &q).is_some() {
        return Err(cannot_close(baseline, model));
    }
    let baseline = ideal(&placed(real, &q))?;
    let (g, _) = constraints(&baseline, 0.0, &q);
    let mut open = rows_with_play(&baseline, model);
    open.retain(|&i| g[i].abs() > INSIDE);
    Ok(Closed { baseline: baseline.without_rows(&open), q, ideal_closes: false })
}

/// Square roots of size over clearance.
pub(super) fn weights(real: &System, baseline: &System, rows: &[usize]) -> Vec<f64> {
    let weight = |&row: &usize| {
        let RowSource::Joint(id) = baseline.rows[row].source else { return 1.0 };
        let clearance = real.model.joints[id.0].clearance.as_ref();
        clearance.map_or(1.0, |c| (real.length / c.radial.max(1e-9 * real.length)).sqrt())
    };
    rows.iter().map(weight).collect()
}

/// The first journal that stands outside its bearing or on its wall: how far off the centre, and what
/// its clearance takes up.
pub(super) fn outside(system: &System, q: &[f64]) -> Option<Gap> {
    let work = placed_markers(system, q);
    system.contacts.iter().find_map(|element| {
        let (a, b) = (&work.markers[element.a], &work.markers[element.b]);
        let (clearance, joint) = (&element.clearance, &system.model.joints[element.joint.0]);
        let found = geometry(&element.spot, clearance, a, b);
        (found.depth > -INSIDE * clearance.radial).then(|| Gap {
            owner: joint.name.clone(),
            row: element.spot.name(),
            value: found.distance,
            is_angle: false,
            limit: Some(clearance.radial),
        })
    })
}

/// The model with the start offsets of this position.
fn placed(system: &System, q: &[f64]) -> Model {
    let work = placed_markers(system, q);
    let mut model = system.model.clone();
    for joint in model.joints.iter_mut().filter(|joint| joint.clearance.is_some()) {
        let (a, b) = (&work.markers[joint.a.0].frame, &work.markers[joint.b.0].frame);
        joint.start_offset = a.r.tr_mul(&(b.p - a.p));
    }
    model
}

/// Markers at a position, at rest.
pub(super) fn placed_markers(system: &System, q: &[f64]) -> Workspace {
    let mut work = Workspace::new(system);
    let v = vec![0.0; system.layout.v];
    evaluate::kinematics(system, StateAt::bare(0.0, 0.0, q, &v), &mut work);
    work
}

/// Steps that bring journals near to their places.
const STEPS: usize = 300;

/// Moves the pose within the rows of `rest` until the `open` rows of the whole system, each times its
/// weight, are as near to closed as they can be: damped Gauss–Newton steps in the free directions of
/// `rest`.
fn narrow(system: &System, rest: &System, (open, weights): (&[usize], &[f64]), q: &mut [f64]) {
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
    for _ in 0..STEPS {
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
