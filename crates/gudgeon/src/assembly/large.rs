//! Assembly of large mechanisms: the projection of the dynamics, whose factors are sparse.
//!
//! Rows whose pivot in the factors of S vanishes depend on earlier ones. A pivot is the square of a
//! sine, so only sines below about 1e-5 count as zero here, and the rows that take part in a
//! dependency are not told apart: the dependent ones stand for all.

use std::collections::BTreeSet;

use super::rank::{self, RowName};
use super::{
    Assembly, AssemblyError, AssemblyReport, Gap, Indeterminate, check_tilt, pose,
    refuse_idle_drivers,
};
use crate::model::JointId;
use crate::system::compile::{RowSource, System};
use crate::system::evaluate;
use crate::system::{Plant, Workspace};

/// Pivots below this fraction of their diagonal entry are zero.
const ZERO: f64 = 1e-10;

pub(super) fn assemble(mut real: System, twin: &System) -> Result<Assembly, AssemblyError> {
    let mut q = pose::guess(twin);
    let mut v = pose::rough_velocities(twin, &q);
    let mut work = Workspace::new(twin);
    if let Err(fault) = evaluate::project(twin, 0.0, 0.0, &mut q, &mut v, &mut work) {
        return Err(AssemblyError::CannotClose { gaps: worst_gap(twin, fault, &work) });
    }
    check_tilt(&real, &q)?;
    let ideal_mobility = v.len() - (twin.rows.len() - dependent_rows(twin, &q, &v)?.len());
    let redundant = dependent_rows(&real, &q, &v)?;
    refuse_idle_drivers(&real, &redundant)?;
    if let Some((body, what)) = movable_without_mass(&real, &q, &v)? {
        return Err(AssemblyError::Massless { body, what });
    }
    let names: Vec<RowName> = redundant.iter().map(|&row| rank::name(&real, row)).collect();
    let report = AssemblyReport {
        mobility: v.len() - (real.rows.len() - redundant.len()),
        ideal_mobility,
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

fn no_acceleration() -> AssemblyError {
    AssemblyError::NoAcceleration
}

/// The joints of the dependent rows; which components they share with others is not looked at.
fn by_rows(system: &System, redundant: &[usize]) -> Vec<Indeterminate> {
    let of_joint = |&row: &usize| match system.rows[row].source {
        RowSource::Joint(id) => Some(id),
        RowSource::Driver(_) => None,
    };
    let joints: BTreeSet<JointId> = redundant.iter().filter_map(of_joint).collect();
    let all = |joint| Indeterminate { joint, world: [true; 6], local: [true; 6] };
    joints.into_iter().map(all).collect()
}

fn worst_gap(system: &System, fault: gudgeon_dae::Fault, work: &Workspace) -> Vec<Gap> {
    let gudgeon_dae::Fault::Open { row } = fault else { return Vec::new() };
    let kind = system.rows[row].kind;
    vec![Gap {
        owner: system.row_owner(row).to_owned(),
        row: kind.name(),
        value: evaluate::position_residual(system, row, work),
        is_angle: kind.is_angle(),
    }]
}

/// Rows with a vanishing pivot, drivers included.
fn dependent_rows(system: &System, q: &[f64], v: &[f64]) -> Result<Vec<usize>, AssemblyError> {
    let mut plant = Plant::new(system);
    plant.factor_plainly(q, v).map_err(|_| no_acceleration())?;
    Ok((0..system.rows.len()).filter(|&row| plant.hold(row) < ZERO).collect())
}

/// The first body that can move in a direction in which it has no mass.
fn movable_without_mass(
    system: &System,
    q: &[f64],
    v: &[f64],
) -> Result<Option<(String, &'static str)>, AssemblyError> {
    if !system.has_stand_ins {
        return Ok(None);
    }
    let mut plant = Plant::new(system);
    plant.factor_plainly(q, v).map_err(|_| no_acceleration())?;
    for (i, body) in system.bodies.iter().enumerate() {
        for axis in (0..body.formulation.velocities()).filter(|&k| body.stand_in[k] > 0.0) {
            if plant.freedom(body.v + axis) > 1e-7 {
                let what = if axis < body.formulation.translations() { "mass" } else { "inertia" };
                return Ok(Some((system.model.bodies[i + 1].name.clone(), what)));
            }
        }
    }
    Ok(None)
}
