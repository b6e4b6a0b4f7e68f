//! Closing the constraints from a rough pose, by dense least squares.

use nalgebra::{Cholesky, DMatrix, DVector};

use crate::math::decompose;
use crate::system::Workspace;
use crate::system::compile::System;
use crate::system::evaluate::{self, StateAt};

/// A row is closed when it is off by less than this multiple of the mechanism's size (or radian).
const CLOSED: f64 = 1e-12;

/// Damping above this share of the diagonal leaves eight digits to a step.
const DAMPED: f64 = 1e-8;

/// Scaled residuals g and Jacobian G of all rows at t, in units of the mechanism's size.
pub(crate) fn constraints(system: &System, t: f64, q: &[f64]) -> (DVector<f64>, DMatrix<f64>) {
    let mut work = Workspace::new(system);
    let v = vec![0.0; system.layout.v];
    let at = StateAt::bare(t, t, q, &v);
    evaluate::kinematics(system, at, &mut work);
    evaluate::rows(system, &mut work);
    let scale = |row: usize| row_scale(system, row);
    let g = DVector::from_fn(system.rows.len(), |i, _| {
        evaluate::position_residual(system, i, &work) / scale(i)
    });
    let mut jacobian = DMatrix::zeros(system.rows.len(), system.layout.v);
    for group in &system.by_body {
        let velocities = system.bodies[group.body].velocities();
        let blocks = &system.blocks[group.blocks.clone()];
        let entries = work.g[group.entries.clone()].chunks_exact(velocities.len());
        for (block, entries) in blocks.iter().zip(entries) {
            for (i, value) in velocities.clone().zip(entries) {
                // Columns in units of the size too: dx = L dξ, dθ = dξ.
                jacobian[(block.row, i)] += value * system.unit(i) / scale(block.row);
            }
        }
    }
    (g, jacobian)
}

/// Unit of a row as a multiple of the mechanism's size.
pub(super) fn row_scale(system: &System, row: usize) -> f64 {
    if system.rows[row].kind.is_angle() { 1.0 } else { system.length }
}

/// Moves a pose back along a step in units of the size.
pub(super) fn step_back(system: &System, q: &mut [f64], step: &DVector<f64>) {
    let by: Vec<f64> = step.iter().enumerate().map(|(i, s)| -s * system.unit(i)).collect();
    system.displace(q, &by);
}

/// A mechanism whose rows cannot all be closed.
#[derive(Debug)]
pub(super) struct Open;

/// Closes all rows at time t from a rough pose.
pub(super) fn close(system: &System, t: f64, q: &mut [f64]) -> Result<(), Open> {
    let weights = vec![1.0; system.rows.len()];
    if approach(system, t, q, &weights) < 1e3 * CLOSED { Ok(()) } else { Err(Open) }
}

/// Brings the weighted rows as near to closed as they get by damped Gauss–Newton steps of least
/// length; returns the largest weighted rest.
fn approach(system: &System, t: f64, q: &mut [f64], weights: &[f64]) -> f64 {
    let weighted = |q: &[f64]| {
        let (mut g, mut jacobian) = constraints(system, t, q);
        for (i, weight) in weights.iter().enumerate() {
            g[i] *= weight;
            jacobian.row_mut(i).scale_mut(*weight);
        }
        (g, jacobian)
    };
    let (mut g, mut jacobian) = weighted(q);
    let mut damping = 0.0;
    for _ in 0..300 {
        if g.is_empty() || g.amax() < CLOSED {
            break;
        }
        let step = least_step(&jacobian, &g, damping);
        let mut trial = q.to_vec();
        step_back(system, &mut trial, &step);
        let (next, next_jacobian) = weighted(&trial);
        let slow = next.norm() > (1.0 - 1e-9) * g.norm();
        if next.norm() < g.norm() {
            q.copy_from_slice(&trial);
            (g, jacobian) = (next, next_jacobian);
            damping *= 0.1;
        }
        if slow {
            if g.amax() < 1e3 * CLOSED || damping > 1e9 {
                break;
            }
            damping = (10.0 * damping).max(1e-6);
        }
    }
    if g.is_empty() { 0.0 } else { g.amax() }
}

/// x of least length with J x = g in the sense of least squares: Jᵀ (J Jᵀ + d I)⁺ g.
pub(super) fn least_step(jacobian: &DMatrix<f64>, g: &DVector<f64>, damping: f64) -> DVector<f64> {
    let none = || DVector::zeros(jacobian.ncols());
    let (Some(scale), Some(_)) = (decompose::scale(jacobian.iter()), decompose::scale(g.iter()))
    else {
        return none();
    };
    if jacobian.is_empty() {
        return none();
    }
    if scale != 1.0 {
        // Its square would not be finite, or nothing.
        return least_step(&(jacobian / scale), g, damping / scale / scale) / scale;
    }
    let mut normal = jacobian * jacobian.transpose();
    for i in 0..normal.nrows() {
        normal[(i, i)] += damping;
    }
    // Damped enough it is positive beyond doubt, and its factors cost a twentieth of singular values.
    if damping > DAMPED * normal.diagonal().amax()
        && let Some(factors) = Cholesky::new(normal.clone())
    {
        return jacobian.transpose() * factors.solve(g);
    }
    let Some(svd) = decompose::svd(normal) else { return none() };
    let tolerance = 1e-13 * svd.singular_values.max();
    jacobian.transpose() * svd.solve(g, tolerance).expect("both factors were asked for")
}
