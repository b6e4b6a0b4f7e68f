//! Mobility, redundant rows and directions without mass, from the scaled Jacobian.

use nalgebra::{DMatrix, DVector};

use super::AssemblyError;
use super::close::{close, constraints, least_step, row_scale};
use super::unique::{Indeterminate, indeterminate};
use crate::joint::RowKind;
use crate::math::decompose;
use crate::math::spatial::Axis;
use crate::model::Space;
use crate::system::System;
use crate::system::compile::RowSource;
use crate::time::TimeFunction;

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
    let nearby = moved.as_ref().map(|q| constraints(system, 0.0, q).1);
    let dependent_here = dependent_rows(system, &here);
    let dependent = nearby.as_ref().map_or(dependent_here.clone(), |j| dependent_rows(system, j));
    let singular = dependent.len() < dependent_here.len();
    let jacobian = if singular { nearby.as_ref().unwrap_or(&here) } else { &here };
    let not_unique = not_unique_rows(jacobian);
    let mut poses: Vec<&[f64]> = moved.iter().map(|q| &q[..]).collect();
    let mut lost = Vec::new();
    if singular {
        lost = not_unique_rows(&here);
        lost.retain(|row| !not_unique.contains(row));
    } else {
        poses.push(q);
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

/// How far the nearby pose is, as a multiple of the mechanism's size and in rad.
const NEARBY: f64 = 1e-3;
/// When drivers that start from rest without acceleration have begun to move, s.
const BEGUN: [f64; 4] = [1e-6, 1e-3, 1.0, 1e3];

/// A pose a little further on: the way the mechanism starts, and along what is free. Nothing waits for
/// a motion that starts slowly: drivers go on as far as they must, the way they start.
fn moved_pose(system: &System, q: &[f64], v: &[f64], jacobian: &DMatrix<f64>) -> Option<Vec<f64>> {
    let jets = || system.model.drivers.iter().map(|driver| driver.motion.jet(0.0, 0.0));
    let mut along = v.to_vec();
    let mut rates: Vec<f64> = jets().map(|jet| jet.rate).collect();
    if v.iter().all(|v| *v == 0.0) {
        rates = first_rates(system);
        along = following(system, jacobian, &rates);
    }
    let sizes = along.iter().enumerate().map(|(i, v)| v.abs() / system.unit(i));
    let fastest = sizes.fold(0.0, f64::max);
    if !fastest.is_finite() {
        return None;
    }
    let share = |rate: f64| if fastest > 0.0 { NEARBY * (rate / fastest) } else { 0.0 };
    let free = null_direction(jacobian);
    let free = |i: usize| free.as_ref().map_or(0.0, |free| free[i]);
    let by: Vec<f64> =
        (0..v.len()).map(|i| share(along[i]) + NEARBY * system.unit(i) * free(i)).collect();
    let mut moved = q.to_vec();
    system.displace(&mut moved, &by);
    let mut there = system.clone();
    for ((driver, jet), rate) in there.model.drivers.iter_mut().zip(jets()).zip(rates) {
        driver.motion = TimeFunction::Constant(jet.value + share(rate));
    }
    close(&there, 0.0, &mut moved).ok()?;
    Some(moved)
}

/// Which way each driver begins to move from rest: by its acceleration, or else by where it is later.
fn first_rates(system: &System) -> Vec<f64> {
    let drivers = &system.model.drivers;
    let at = |t: f64| drivers.iter().map(move |driver| driver.motion.jet(t, t.next_up()));
    let moves = |rates: &Vec<f64>| {
        rates.iter().any(|rate| *rate != 0.0) && rates.iter().all(|rate| rate.is_finite())
    };
    let accelerations: Vec<f64> = at(0.0).map(|jet| jet.second).collect();
    let later = BEGUN.iter().map(|&t| {
        let pairs = at(t).zip(at(0.0));
        pairs.map(|(there, here)| there.value - here.value).collect::<Vec<f64>>()
    });
    std::iter::once(accelerations).chain(later).find(moves).unwrap_or(vec![0.0; drivers.len()])
}

/// The shortest motion with which the mechanism follows its drivers.
fn following(system: &System, jacobian: &DMatrix<f64>, rates: &[f64]) -> Vec<f64> {
    let wanted = |i: usize| match system.rows[i].source {
        RowSource::Driver(id) => rates[id.0] / row_scale(system, i),
        RowSource::Joint(_) | RowSource::Body(_) => 0.0,
    };
    let wanted = DVector::from_fn(system.rows.len(), |i, _| wanted(i));
    let step = least_step(jacobian, &wanted, 0.0);
    step.iter().enumerate().map(|(i, x)| x * system.unit(i)).collect()
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
    let Some(scale) = decompose::scale(jacobian.iter()).filter(|_| n > 0) else {
        return Vec::new();
    };
    let scaled = if scale == 1.0 { jacobian.clone() } else { jacobian / scale };
    let Some((values, vectors)) = decompose::symmetric(scaled.transpose() * scaled) else {
        return Vec::new();
    };
    let largest = values.amax().max(f64::MIN_POSITIVE);
    (0..n)
        .filter(|&i| values[i].abs() <= (ZERO * ZERO).max(1e-15) * largest)
        .map(|i| vectors.column(i).iter().copied().collect())
        .collect()
}

/// Rows that are combinations of earlier ones, joints before drivers, by orthogonalisation.
fn dependent_rows(system: &System, jacobian: &DMatrix<f64>) -> Vec<usize> {
    let mut order: Vec<usize> = (0..jacobian.nrows()).collect();
    order.sort_by_key(|&i| match system.rows[i].source {
        RowSource::Joint(id) => (0, id.0, i),
        RowSource::Driver(id) => (1, id.0, i),
        RowSource::Body(id) => (2, id.0, i),
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
    let moved = moved_pose(system, q, v, &jacobian).unwrap_or_else(|| q.to_vec());
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
        let translations = body.formulation.lengths();
        let all = body.formulation.velocities();
        for (axes, what) in [(0..translations, "mass"), (translations..all, "inertia")] {
            let movable = |axis: usize| {
                let moves = free.iter().any(|vector| vector[body.v + axis].abs() > 1e-7);
                body.artificial[axis] > 0.0 && moves
            };
            if axes.into_iter().any(movable) {
                found.push((system.model.bodies[i + 1].name.clone(), what));
            }
        }
    }
    found
}
