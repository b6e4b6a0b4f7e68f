//! Closing the constraints from a rough pose, by dense least squares.

use nalgebra::{DMatrix, DVector};

use super::{AssemblyError, pose, rank};
use crate::system::Workspace;
use crate::system::compile::{RowSource, System};
use crate::system::evaluate::{self, Point};

/// A row is closed when it is off by less than this multiple of the mechanism's size (or radian).
const CLOSED: f64 = 1e-12;

/// Scaled residuals g and Jacobian G of all rows at t, in units of the mechanism's size.
pub(crate) fn constraints(system: &System, t: f64, q: &[f64]) -> (DVector<f64>, DMatrix<f64>) {
    let mut work = Workspace::new(system);
    let v = vec![0.0; system.layout.v];
    let at = Point::bare(t, t, q, &v);
    evaluate::kinematics(system, at, &mut work);
    evaluate::motions(system, at, &mut work);
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
fn row_scale(system: &System, row: usize) -> f64 {
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
    // A decomposition of something that is not finite would never end.
    let finite = jacobian.iter().chain(g.iter()).all(|x| x.is_finite());
    if jacobian.is_empty() || !finite {
        return DVector::zeros(jacobian.ncols());
    }
    let mut normal = jacobian * jacobian.transpose();
    for i in 0..normal.nrows() {
        normal[(i, i)] += damping;
    }
    let svd = normal.svd(true, true);
    let tolerance = 1e-13 * svd.singular_values.max();
    jacobian.transpose() * svd.solve(g, tolerance).expect("both factors were asked for")
}

/// Velocities on the constraints that meet those the user gave as nearly as can be in the metric of
/// M, and are as small as can be where the user gave nothing.
///
/// With v = D u, D² = M⁻¹: u = u₀ + N y, u₀ the shortest solution of G D u = −g_t, N a basis of the
/// free directions, and y from least squares of the given velocities.
pub(super) fn velocities(system: &System, q: &[f64]) -> Result<Vec<f64>, AssemblyError> {
    let rest = vec![0.0; system.layout.v];
    let mut work = Workspace::new(system);
    evaluate::kinematics(system, Point::bare(0.0, 0.0, q, &rest), &mut work);
    evaluate::motions(system, Point::bare(0.0, 0.0, q, &rest), &mut work);
    let d: Vec<f64> = system
        .bodies
        .iter()
        .flat_map(|body| body.inverse[..body.formulation.velocities()].iter().map(|m| m.sqrt()))
        .collect();
    let (_, jacobian) = constraints(system, 0.0, q);
    let weighted = DMatrix::from_fn(jacobian.nrows(), d.len(), |i, j| {
        jacobian[(i, j)] * d[j] / system.unit(j)
    });
    let scaled = |rates: &[f64]| {
        let scaled = rates.iter().enumerate().map(|(i, rate)| rate / row_scale(system, i));
        DVector::from_iterator(rates.len(), scaled)
    };
    let mut u = -least_step(&weighted, &scaled(&row_rates(system, &work)), 0.0);
    let free = rank::null_space(&weighted);
    let (rows, wanted) = pose::given_velocities(system, q);
    if !free.is_empty() && !rows.is_empty() {
        let free = DMatrix::from_fn(d.len(), free.len(), |i, k| free[k][i]);
        let rows = DMatrix::from_fn(rows.nrows(), d.len(), |i, j| rows[(i, j)] * d[j]);
        let svd = (&rows * &free).svd(true, true);
        let open = wanted - &rows * &u;
        u += free * svd.solve(&open, 1e-9).expect("both factors were asked for");
    }
    let velocity = |u: &DVector<f64>| u.iter().zip(&d).map(|(u, d)| u * d).collect::<Vec<f64>>();
    let mut v = velocity(&u);
    // Very uneven masses cost digits; a second solve for what is left brings them back.
    evaluate::kinematics(system, Point::bare(0.0, 0.0, q, &v), &mut work);
    u -= least_step(&weighted, &scaled(&row_rates(system, &work)), 0.0);
    v.copy_from_slice(&velocity(&u));
    evaluate::kinematics(system, Point::bare(0.0, 0.0, q, &v), &mut work);
    let rest = row_rates(system, &work);
    let speed = v.iter().fold(1e-9, |m: f64, x| m.max(x.abs()));
    let worst = (0..rest.len()).max_by(|&i, &j| rest[i].abs().total_cmp(&rest[j].abs()));
    match worst {
        Some(i) if rest[i].abs() > 1e-8 * speed => Err(AssemblyError::Contradiction {
            owner: system.row_owner(i).to_owned(),
            rate: rest[i],
        }),
        _ => Ok(v),
    }
}

/// G v + g_t of every row at the last kinematics.
fn row_rates(system: &System, work: &Workspace) -> Vec<f64> {
    let rate = |row: &crate::system::compile::Row| {
        let prescribed = match row.source {
            RowSource::Driver(id) => work.motions[id.0].rate,
            RowSource::Joint(_) => 0.0,
        };
        row.kind.rate(&work.markers[row.a], &work.markers[row.b]) - prescribed
    };
    system.rows.iter().map(rate).collect()
}
