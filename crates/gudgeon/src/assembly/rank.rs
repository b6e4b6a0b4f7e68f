//! Mobility, redundant rows and directions without mass, from the scaled Jacobian.

use nalgebra::DMatrix;

use super::AssemblyError;
use super::close::{close, constraints};
use super::unique::{Indeterminate, indeterminate};
use crate::joint::RowKind;
use crate::math::spatial::Axis;
use crate::model::Space;
use crate::system::System;
use crate::system::compile::RowSource;

/// Singular values and row remainders below this fraction count as zero.
const ZERO: f64 = 1e-9;

/// A constraint row in words of the model.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RowName {
    pub owner: String,
    pub row: &'static str,
}

pub(super) fn name(system: &System, row: usize) -> RowName {
    let row_of = &system.rows[row];
    let row_name = match (row_of.kind, system.model.space) {
        // In space a joint may slide along any of its axes.
        (RowKind::Slide(Axis::X), Space::Spatial) => "along x",
        (RowKind::Slide(Axis::Y), Space::Spatial) => "along y",
        (kind, _) => kind.name(),
    };
    RowName { owner: system.row_owner(row).to_owned(), row: row_name }
}

/// Owners of rows, each once.
pub(super) fn owners(rows: &[RowName]) -> Vec<&str> {
    let mut owners: Vec<&str> = Vec::new();
    for row in rows {
        if !owners.contains(&row.owner.as_str()) {
            owners.push(&row.owner);
        }
    }
    owners
}

pub(super) struct Rank {
    pub rank: usize,
    pub dependent: Vec<usize>,
    pub not_unique: Vec<usize>,
    pub indeterminate: Vec<Indeterminate>,
    /// Rows that depend on each other at the start only.
    pub lost: Vec<usize>,
}

/// Rank at the start and a little further on: a position is singular when its rank is lower than
/// that of its surroundings.
pub(super) fn analyse(system: &System, q: &[f64], v: &[f64]) -> Rank {
    let (_, here) = constraints(system, 0.0, q);
    let moved = moved_pose(system, q, v, &here);
    let nearby = moved.as_ref().map(|(t, q)| constraints(system, *t, q).1);
    let dependent_here = dependent_rows(system, &here);
    let dependent = nearby.as_ref().map_or(dependent_here.clone(), |j| dependent_rows(system, j));
    let singular = dependent.len() < dependent_here.len();
    let jacobian = if singular { nearby.as_ref().unwrap_or(&here) } else { &here };
    let not_unique = not_unique_rows(jacobian);
    let mut poses: Vec<(f64, &[f64])> = moved.iter().map(|(t, q)| (*t, &q[..])).collect();
    let mut lost = Vec::new();
    if singular {
        lost = not_unique_rows(&here);
        lost.retain(|row| !not_unique.contains(row));
    } else {
        poses.push((0.0, q));
    }
    let redundant = !dependent.is_empty();
    Rank {
        rank: system.rows.len() - dependent.len(),
        not_unique,
        indeterminate: if redundant { indeterminate(system, &poses) } else { Vec::new() },
        dependent,
        lost,
    }
}

/// Time and pose after a small admissible motion.
fn moved_pose(
    system: &System,
    q: &[f64],
    v: &[f64],
    jacobian: &DMatrix<f64>,
) -> Option<(f64, Vec<f64>)> {
    let fastest = v.iter().enumerate().map(|(i, v)| v.abs() / system.unit(i)).fold(0.0, f64::max);
    let dt = if fastest > 0.0 { 1e-3 / fastest } else { 0.0 };
    let free = null_direction(jacobian);
    let free = |i: usize| free.as_ref().map_or(0.0, |free| free[i]);
    let by: Vec<f64> = (0..v.len()).map(|i| dt * v[i] + 1e-3 * system.unit(i) * free(i)).collect();
    let mut moved = q.to_vec();
    system.displace(&mut moved, &by);
    close(system, dt, &mut moved).ok()?;
    Some((dt, moved))
}

/// A direction in which the mechanism can move, a mixture of all of them.
fn null_direction(jacobian: &DMatrix<f64>) -> Option<Vec<f64>> {
    let n = jacobian.ncols();
    let basis = null_space(jacobian);
    if basis.is_empty() {
        return None;
    }
    let mut sum = vec![0.0; n];
    for (k, vector) in basis.iter().enumerate() {
        for (s, x) in sum.iter_mut().zip(vector) {
            *s += x / (1.0 + k as f64);
        }
    }
    Some(sum)
}

/// Orthonormal basis of the null space of a matrix.
pub(super) fn null_space(jacobian: &DMatrix<f64>) -> Vec<Vec<f64>> {
    let n = jacobian.ncols();
    if n == 0 || jacobian.iter().any(|x| !x.is_finite()) {
        return Vec::new();
    }
    let gram = jacobian.transpose() * jacobian;
    let eigen = gram.symmetric_eigen();
    let largest = eigen.eigenvalues.amax().max(f64::MIN_POSITIVE);
    (0..n)
        .filter(|&i| eigen.eigenvalues[i].abs() <= (ZERO * ZERO).max(1e-15) * largest)
        .map(|i| eigen.eigenvectors.column(i).iter().copied().collect())
        .collect()
}

/// Rows that are combinations of earlier ones, joints before drivers, by orthogonalisation.
fn dependent_rows(system: &System, jacobian: &DMatrix<f64>) -> Vec<usize> {
    let mut order: Vec<usize> = (0..jacobian.nrows()).collect();
    order.sort_by_key(|&i| match system.rows[i].source {
        RowSource::Joint(id) => (0, id.0, i),
        RowSource::Driver(id) => (1, id.0, i),
    });
    let mut basis: Vec<nalgebra::RowDVector<f64>> = Vec::new();
    let mut dependent = Vec::new();
    for i in order {
        let row = jacobian.row(i).into_owned();
        let mut rest = row.clone();
        for _ in 0..2 {
            for b in &basis {
                let part = rest.dot(b);
                rest -= b * part;
            }
        }
        let norm = rest.norm();
        if norm <= ZERO * row.norm() {
            dependent.push(i);
        } else {
            basis.push(rest / norm);
        }
    }
    dependent.sort_unstable();
    dependent
}

/// Rows that take part in a dependency: their reactions are not determined by the motion.
fn not_unique_rows(jacobian: &DMatrix<f64>) -> Vec<usize> {
    let left = null_space(&jacobian.transpose());
    (0..jacobian.nrows()).filter(|&i| left.iter().any(|vector| vector[i].abs() > 1e-6)).collect()
}

/// A direction without mass must be forbidden by the constraints.
pub(super) fn check_masses(system: &System, q: &[f64]) -> Result<(), AssemblyError> {
    match movable_without_mass(system, q).into_iter().next() {
        Some((body, what)) => Err(AssemblyError::Massless { body, what }),
        None => Ok(()),
    }
}

/// The same with drivers left out: what they move should have mass, or its forces are missing. A
/// little away from the start, which may be a dead point.
pub(super) fn massless_by_drivers(
    system: &System,
    q: &[f64],
    v: &[f64],
) -> Vec<(String, &'static str)> {
    let (_, jacobian) = constraints(system, 0.0, q);
    let moved = moved_pose(system, q, v, &jacobian).map_or_else(|| q.to_vec(), |(_, q)| q);
    let drivers: Vec<usize> = (0..system.rows.len())
        .filter(|&i| matches!(system.rows[i].source, RowSource::Driver(_)))
        .collect();
    movable_without_mass(&system.without_rows(&drivers), &moved)
}

/// Bodies that can move in a direction in which they have no mass, and what they lack.
fn movable_without_mass(system: &System, q: &[f64]) -> Vec<(String, &'static str)> {
    let (_, jacobian) = constraints(system, 0.0, q);
    let free = null_space(&jacobian);
    let mut found = Vec::new();
    for (i, body) in system.bodies.iter().enumerate() {
        let translations = body.formulation.translations();
        let all = body.formulation.velocities();
        for (axes, what) in [(0..translations, "mass"), (translations..all, "inertia")] {
            let movable = |axis: usize| {
                let moves = free.iter().any(|vector| vector[body.v + axis].abs() > 1e-7);
                body.stand_in[axis] > 0.0 && moves
            };
            if axes.into_iter().any(movable) {
                found.push((system.model.bodies[i + 1].name.clone(), what));
            }
        }
    }
    found
}
