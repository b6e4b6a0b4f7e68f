//! Assembly of large mechanisms: the projection of the dynamics, whose factors are sparse.
//!
//! Rows whose pivot in the factors of S vanishes depend on earlier ones. A pivot is the square of a
//! sine, so only sines below about 1e-5 count as zero here, and the rows that take part in a
//! dependency are not told apart: the dependent ones stand for all. Velocities are those of the ideal
//! mechanism nearest to the requested ones, then changed as little as these need in clearances.

use std::collections::BTreeSet;

use gudgeon_dae::Fault;

use super::contradiction::contradiction;
use super::culprit::cannot_close;
use super::motion::{Rates, Weights, root_inverse_masses};
use super::nearest::Search;
use super::play::{outside, rows_with_play, weights};
use super::pose::RequestRow;
use super::rank::{self, RowName};
use super::{
    Assembly, AssemblyError, AssemblyReport, Indeterminate, Motion, NoAcceleration, check_tilt,
    compiled, pose, refuse_idle_drivers,
};
use crate::model::JointId;
use crate::system::compile::{RowSource, System};
use crate::system::evaluate;
use crate::system::{Plant, Workspace};

/// Pivots below this fraction of their diagonal entry are zero.
const ZERO: f64 = 1e-10;
/// Requested velocities are met within this share of the kinetic norm.
const MET: f64 = 1e-12;

pub(super) fn assemble(mut real: System, motion: Motion) -> Result<Assembly, AssemblyError> {
    let baseline = compiled(&real.model, System::compile_ideal(&real.model))?;
    let mut q = pose::guess(&baseline);
    let mut v = vec![0.0; baseline.layout.v];
    let closes = close_from_afar(&baseline, &mut q, &mut v);
    if !closes {
        in_clearances(&real, &baseline, &mut q, &mut v)?;
    }
    check_tilt(&real, &q)?;
    let ideal_starts = check_rates(&real, &mut q, &mut v)? && closes;
    if ideal_starts {
        meet_requests(&baseline, &mut q, &mut v)?;
    }
    if motion == Motion::Requested && !real.contacts.is_empty() {
        meet_requests(&real, &mut q, &mut v)?;
    }
    let ideal_mobility = v.len() - (baseline.rows.len() - dependent_rows(&baseline, &q, &v)?.len());
    let redundant = dependent_rows(&real, &q, &v)?;
    refuse_idle_drivers(&real, &redundant)?;
    if let Some((body, what)) = movable_without_mass(&real, &q, &v)? {
        return Err(AssemblyError::Massless { body, what });
    }
    let names: Vec<RowName> = redundant.iter().map(|&row| rank::name(&real, row)).collect();
    let report = AssemblyReport {
        mobility: v.len() - (real.rows.len() - redundant.len()),
        ideal_mobility,
        ideal_starts,
        coordinates: v.len(),
        rows: real.rows.len(),
        redundant: names.clone(),
        not_unique: names,
        massless: Vec::new(),
        indeterminate: by_rows(&real, &redundant),
    };
    real.redundancy = redundant.len();
    let assembly = Assembly { system: real, q, v, report };
    assembly.check_accelerations()?;
    Ok(assembly)
}

/// Closes rows and projects velocities.
fn close(system: &System, q: &mut [f64], v: &mut [f64]) -> Result<(), AssemblyError> {
    let mut work = Workspace::new(system);
    let (mut trial, mut moving) = (q.to_vec(), v.to_vec());
    evaluate::project(system, 0.0, 0.0, &mut trial, &mut moving, &mut work)
        .map_err(|fault| no_acceleration(system, fault))?;
    q.copy_from_slice(&trial);
    v.copy_from_slice(&moving);
    Ok(())
}

/// The same from a rough position, which may be too far for the projection of a run.
fn close_from_afar(system: &System, q: &mut [f64], v: &mut [f64]) -> bool {
    if close(system, q, v).is_ok() {
        return true;
    }
    let nearest = Search::new(system).nearest(q);
    // Where chance took part the rough position picks no branch.
    if nearest.by_chance || !nearest.closes() {
        return false;
    }
    let mut found = nearest.q;
    let closes = close(system, &mut found, v).is_ok();
    if closes {
        q.copy_from_slice(&found);
    }
    closes
}

/// Drivers that no ideal mechanism can follow: journals stand where the rough pose and the drivers
/// put them, if that is inside their bearings, else as near to their places as the others allow.
fn in_clearances(
    real: &System,
    baseline: &System,
    q: &mut [f64],
    v: &mut [f64],
) -> Result<(), AssemblyError> {
    let model = &real.model;
    let given = rows_with_play(baseline, model);
    if given.is_empty() {
        return Err(cannot_close(baseline, model));
    }
    if !close_from_afar(real, q, v) {
        return Err(cannot_close(real, model));
    }
    if outside(real, q).is_none() {
        return Ok(());
    }
    // Factors of rows; the largest square is one.
    let factors = weights(real, baseline, &given);
    let largest = factors.iter().fold(0.0, |m: f64, x| m.max(*x));
    let squares = factors.iter().map(|x| (x / largest).powi(2));
    let rows: Vec<(usize, f64)> = given.iter().copied().zip(squares).collect();
    let mut search = Search::new(baseline);
    let nearest = search.nearest(&pose::guess(baseline));
    if let Some(found) = search.narrowed(&nearest, &rows) {
        q.copy_from_slice(&found.q);
        if close(real, q, v).is_ok() && outside(real, q).is_none() {
            return Ok(());
        }
    }
    Err(cannot_close(baseline, model))
}

/// Brings the velocities, which hold on all rows, as near to the requested ones as the rows allow, by
/// the least change in the norm of the kinetic energy: conjugate gradients for the least squares of
/// A D u = b within the rows, v = D u.
fn meet_requests(system: &System, q: &mut [f64], v: &mut [f64]) -> Result<(), AssemblyError> {
    let requests = pose::request_rows(system, q);
    if requests.is_empty() {
        return Ok(());
    }
    let d = root_inverse_masses(system, Weights::Exact);
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let of = |row: &RequestRow, v: &[f64]| dot(&row.entries, &v[row.at.clone()]);
    let start = v.to_vec();
    // D P D Aᵀ times what is open, P the projection onto the rows.
    let gradient = |open: &[f64], q: &mut [f64]| -> Result<Vec<f64>, AssemblyError> {
        let mut along = start.clone();
        for (row, open) in requests.iter().zip(open) {
            for (j, entry) in row.at.clone().zip(&row.entries) {
                along[j] += d[j] * d[j] * entry * open;
            }
        }
        close(system, q, &mut along)?;
        along.iter_mut().zip(&start).for_each(|(x, v)| *x -= v);
        Ok(along)
    };
    let length = |v: &[f64]| v.iter().zip(&d).map(|(v, d)| (v / d).powi(2)).sum::<f64>();
    let mut open: Vec<f64> = requests.iter().map(|row| row.wanted - of(row, v)).collect();
    let wanted: f64 = requests.iter().map(|row| row.wanted * row.wanted).sum();
    let mut slope = gradient(&open, q)?;
    let mut along = slope.clone();
    let mut square = length(&slope);
    for _ in 0..2 * requests.len() + 10 {
        if square <= MET * MET * (wanted + length(v)) {
            break;
        }
        let rates: Vec<f64> = requests.iter().map(|row| of(row, &along)).collect();
        let share = square / dot(&rates, &rates);
        v.iter_mut().zip(&along).for_each(|(v, x)| *v += share * x);
        open.iter_mut().zip(&rates).for_each(|(open, rate)| *open -= share * rate);
        slope = gradient(&open, q)?;
        let next = length(&slope);
        along.iter_mut().zip(&slope).for_each(|(x, s)| *x = s + next / square * *x);
        square = next;
    }
    close(system, q, v)
}

/// Drivers hold at the velocities, which the ideal mechanism may not be able to follow.
fn check_rates(real: &System, q: &mut [f64], v: &mut [f64]) -> Result<bool, AssemblyError> {
    if Rates::new(real, q).hold(v) {
        return Ok(true);
    }
    close(real, q, v)?;
    if Rates::new(real, q).hold(v) {
        return Ok(false);
    }
    Err(contradiction(real, q))
}

fn no_acceleration(system: &System, fault: Fault) -> AssemblyError {
    AssemblyError::NoAcceleration(NoAcceleration::of(system, 0.0, fault))
}

/// The joints of the dependent rows; which components they share with others is not looked at.
fn by_rows(system: &System, redundant: &[usize]) -> Vec<Indeterminate> {
    let of_joint = |&row: &usize| match system.rows[row].source {
        RowSource::Joint(id) => Some(id),
        RowSource::Driver(_) | RowSource::Body(_) => None,
    };
    let joints: BTreeSet<JointId> = redundant.iter().filter_map(of_joint).collect();
    let all = |joint| Indeterminate { joint, world: [true; 6], local: [true; 6] };
    joints.into_iter().map(all).collect()
}

/// Rows with a vanishing pivot, drivers included.
fn dependent_rows(system: &System, q: &[f64], v: &[f64]) -> Result<Vec<usize>, AssemblyError> {
    let mut plant = Plant::new(system);
    plant.factor_plainly(q, v).map_err(|fault| no_acceleration(system, fault))?;
    Ok((0..system.rows.len()).filter(|&row| plant.pivot_ratio(row) < ZERO).collect())
}

/// The first body that can move in a direction in which it has no mass.
fn movable_without_mass(
    system: &System,
    q: &[f64],
    v: &[f64],
) -> Result<Option<(String, &'static str)>, AssemblyError> {
    if !system.has_artificial_masses {
        return Ok(None);
    }
    let mut plant = Plant::new(system);
    plant.factor_plainly(q, v).map_err(|fault| no_acceleration(system, fault))?;
    for (i, body) in system.bodies.iter().enumerate() {
        for axis in (0..body.formulation.velocities()).filter(|&k| body.artificial[k] > 0.0) {
            if plant.freedom(body.v + axis) > 1e-7 {
                let what = if axis < body.formulation.lengths() { "mass" } else { "inertia" };
                return Ok(Some((system.model.bodies[i + 1].name.clone(), what)));
            }
        }
    }
    Ok(None)
}
