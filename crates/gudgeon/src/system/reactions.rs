//! Accelerations and reactions where friction depends on the reactions.
//!
//! With the frictionless reactions λ₀ and loads N of the sliding surfaces, friction is linear in N:
//!
//!   λ = λ₀ + Σ N_s Λ_s,   Λ_s = −S⁻¹ G M⁻¹ Σ_k m_k Jᵀ P_k,   N_s = n_s(λ)                     (1)
//!
//! Loads are iterated as they come, N ← n(λ(N)), which converges fast while friction is weak beside
//! the inertia that the constraints see. Where it does not contract, Newton's method on (1) takes over,
//! with one solve of S per surface; where μ follows the load, Λ_s is taken over the present μ_s and
//! N_s Λ_s times μ(N_s)/μ_s. Without a solution the mechanism jams: no finite reaction holds it.

use gudgeon_dae::Fault;

use super::blocks;
use super::compile::{RowSource, System};
use super::evaluate::{StateAt, solve_any};
use super::plant::Memory;
use super::workspace::Workspace;
use crate::friction::Rubbing;
use crate::math::spatial::Wrench;
use crate::model::JointId;

/// Iterations of either kind, and the change of loads over the largest at which they end.
const ITERATIONS: usize = 60;
const SETTLED: f64 = 1e-14;
/// A change that is more than this share of the last contracts too slowly.
const SLOW: f64 = 0.3;
/// Loads that change less than this, and no longer shrink, are rounding.
const ROUNDING: f64 = 1e-11;

/// The reaction of a joint's rows on side b: −Σ λ W_b.
pub(crate) fn of_rows(system: &System, joint: JointId, lambda: &[f64], work: &Workspace) -> Wrench {
    let mut sum = Wrench::ZERO;
    for row in system.rows_of(RowSource::Joint(joint)) {
        let unit = &work.row_wrenches[row].on_b;
        sum.f -= unit.f * lambda[row];
        sum.t -= unit.t * lambda[row];
    }
    sum
}

/// What all surfaces do under given reactions, added to f.
pub(in crate::system) fn add_friction(
    system: &System,
    at: StateAt,
    memory: &Memory,
    lambda: &[f64],
    work: &mut Workspace,
) {
    for (i, element) in system.frictions.iter().enumerate() {
        let reaction = of_rows(system, element.joint, lambda, work);
        let (a, b) = (&work.markers[element.a], &work.markers[element.b]);
        let bristles = element.bristles(at.bristles);
        let now = element.act(a, b, &reaction, &bristles, memory.friction(i, element));
        system.apply(element.a, &now.pair.a, work);
        system.apply(element.b, &now.pair.b, work);
        work.frictions[i] = now;
    }
}

/// Accelerations and reactions with friction; S is factored, f is without it.
pub(super) fn solve_with_friction(
    system: &System,
    at: StateAt,
    memory: &Memory,
    work: &mut Workspace,
) -> Result<(), Fault> {
    work.frictionless.copy_from_slice(&work.forces);
    solve_any(system, work);
    // Loads of the frictionless reactions; those of an earlier evaluation mean nothing here.
    renew(system, at, memory, work);
    let (mut last, mut rounds) = (f64::INFINITY, 0);
    loop {
        let change = renew(system, at, memory, work);
        if change <= SETTLED || (change <= ROUNDING && change >= 0.5 * last) {
            return Ok(());
        }
        rounds += 1;
        if rounds > 3 && change > SLOW * last {
            break;
        }
        last = change;
    }
    solve_loads(system, memory, work)
}

/// Friction under the present reactions, and the reactions that follow; how much loads changed.
fn renew(system: &System, at: StateAt, memory: &Memory, work: &mut Workspace) -> f64 {
    let mut before = std::mem::take(&mut work.loads);
    before.iter_mut().zip(&work.frictions).for_each(|(load, now)| *load = now.load);
    let forces = &work.frictionless;
    work.forces.copy_from_slice(forces);
    let lambda = std::mem::take(&mut work.lambda);
    add_friction(system, at, memory, &lambda, work);
    work.lambda = lambda;
    solve_any(system, work);
    let largest = work.frictions.iter().fold(f64::MIN_POSITIVE, |m, now| m.max(now.load));
    let changes = before.iter().zip(&work.frictions).map(|(before, now)| (now.load - before).abs());
    let change = changes.fold(0.0, f64::max) / largest;
    work.loads = before;
    change
}

/// Newton's method on (1).
fn solve_loads(system: &System, memory: &Memory, work: &mut Workspace) -> Result<(), Fault> {
    let n = system.frictions.len();
    work.forces.copy_from_slice(&work.frictionless);
    solve_any(system, work);
    let base = work.lambda.clone();
    let responses: Vec<Vec<f64>> = (0..n).map(|s| response(system, s, work)).collect();
    let mut loads: Vec<f64> = work.frictions.iter().map(|now| now.load).collect();
    let mut worst = (0, f64::INFINITY);
    for _ in 0..ITERATIONS {
        let mut lambda = base.clone();
        let ratio = |s: usize| {
            let element = &system.frictions[s];
            element.ratio(&work.frictions[s], memory.friction(s, element), loads[s])
        };
        for (s, (load, response)) in loads.iter().zip(&responses).enumerate() {
            let load = load * ratio(s).0;
            lambda.iter_mut().zip(response).for_each(|(lambda, r)| *lambda += load * r);
        }
        let mut matrix = nalgebra::DMatrix::identity(n, n);
        let mut left = nalgebra::DVector::zeros(n);
        for (s, element) in system.frictions.iter().enumerate() {
            let a = &work.markers[element.a];
            let of = |lambda: &[f64]| {
                let reaction = of_rows(system, element.joint, lambda, work);
                crate::friction::FrictionElement::seen(&reaction, a)
            };
            let (own, slope) = ratio(s);
            let mu = work.frictions[s].sliding.coefficient() * own;
            let loaded = element.load.of(&of(&lambda), mu, element.round);
            left[s] = loads[s] - loaded.value - element.preload;
            // Through the coefficient itself: ∂n/∂μ ∂μ/∂N.
            matrix[(s, s)] -= loaded.by_mu * work.frictions[s].sliding.coefficient() * slope;
            for (t, response) in responses.iter().enumerate() {
                let change: f64 = of(response).iter().zip(&loaded.slope).map(|(c, n)| c * n).sum();
                let (share, slope) = ratio(t);
                matrix[(s, t)] -= change * (share + loads[t] * slope);
            }
        }
        let Some(step) = matrix.lu().solve(&left) else { break };
        loads.iter_mut().zip(step.iter()).for_each(|(load, step)| *load -= step);
        let largest = loads.iter().fold(f64::MIN_POSITIVE, |m: f64, load| m.max(load.abs()));
        let (which, size) = step.iter().enumerate().fold((0, 0.0), |worst, (i, step)| {
            if step.abs() > worst.1 { (i, step.abs()) } else { worst }
        });
        if !size.is_finite() {
            break;
        }
        if size <= SETTLED * largest || (size <= ROUNDING * largest && size >= 0.5 * worst.1) {
            if loads.iter().any(|load| *load < -ROUNDING * largest) {
                return Err(Fault::Jammed { element: which });
            }
            finish(system, memory, &loads, work);
            return Ok(());
        }
        worst = (which, size);
    }
    Err(Fault::Jammed { element: worst.0 })
}

/// Λ_s of (1).
fn response(system: &System, surface: usize, work: &mut Workspace) -> Vec<f64> {
    let element = &system.frictions[surface];
    let mut kept = std::mem::take(&mut work.applied);
    kept.copy_from_slice(&work.forces);
    work.forces.fill(0.0);
    let (a, b) = (work.markers[element.a], work.markers[element.b]);
    for (direction, m) in element.directions.iter().zip(work.frictions[surface].sliding.m) {
        let pair = direction.pair(&a, &b).scaled(-m);
        system.apply(element.a, &pair.a, work);
        system.apply(element.b, &pair.b, work);
    }
    work.residual.fill(0.0);
    blocks::gather(system, &work.mg, &work.forces, 1.0, &mut work.residual);
    blocks::solve(system, work, |work| &mut work.residual);
    work.forces.copy_from_slice(&kept);
    work.applied = kept;
    work.residual.clone()
}

/// Friction under known loads, and what follows.
fn finish(system: &System, memory: &Memory, loads: &[f64], work: &mut Workspace) {
    work.forces.copy_from_slice(&work.frictionless);
    for (i, element) in system.frictions.iter().enumerate() {
        let (a, b) = (work.markers[element.a], work.markers[element.b]);
        let mut now = work.frictions[i];
        let ratio = element.ratio(&now, memory.friction(i, element), loads[i]).0;
        now.sliding.m = now.sliding.m.map(|m| m * ratio);
        let share = loads[i] / now.load;
        now = Rubbing {
            pair: element.pair_of(&a, &b, &now.sliding.m, loads[i]),
            load: loads[i],
            power: now.power * share * ratio,
            stored: now.stored * share,
            ..now
        };
        system.apply(element.a, &now.pair.a, work);
        system.apply(element.b, &now.pair.b, work);
        work.frictions[i] = now;
    }
    solve_any(system, work);
}
