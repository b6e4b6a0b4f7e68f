//! Accelerations and reactions where friction depends on the reactions.
//!
//! With the frictionless reactions λ₀ and loads N of the sliding surfaces, friction is linear in N:
//!
//!   λ = λ₀ + Σ N_s Λ_s,   Λ_s = −S⁻¹ G M⁻¹ Σ_k m_k Jᵀ P_k,   N_s = n_s(λ)                     (1)
//!
//! Loads are iterated as they come, N ← n(λ(N)), which converges fast while friction is weak beside
//! the inertia that the constraints see. Where it does not contract, Newton's method on (1) takes over,
//! with one solve of S per surface, in joint coordinates with sweeps; where μ follows the load, Λ_s is taken over the present μ_s and
//! N_s Λ_s times μ(N_s)/μ_s. Without a solution the mechanism jams: no finite reaction holds it.

use gudgeon_dae::Fault;
use gudgeon_dae::linear::Lu;

use super::compile::{RowSource, System};
use super::evaluate::{StateAt, solve_any};
use super::plant::Memory;
use super::workspace::Workspace;
use super::{blocks, tree};
use crate::friction::{FrictionElement, Rubbing};
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
    solve_loaded(system, work);
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

/// λ and v̇ of the present f, with λ of joints of a tree that friction depends on.
fn solve_loaded(system: &System, work: &mut Workspace) {
    solve_any(system, work);
    if let Some(tree) = &system.tree {
        tree.friction_reactions(system, work);
    }
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
    solve_loaded(system, work);
    let largest = work.frictions.iter().fold(f64::MIN_POSITIVE, |m, now| m.max(now.load));
    let changes = before.iter().zip(&work.frictions).map(|(before, now)| (now.load - before).abs());
    let change = changes.fold(0.0, f64::max) / largest;
    work.loads = before;
    change
}

/// Newton's method on (1). Where it finds no loads, the friction at which they cease to exist is kept for
/// the message.
fn solve_loads(system: &System, memory: &Memory, work: &mut Workspace) -> Result<(), Fault> {
    work.forces.copy_from_slice(&work.frictionless);
    solve_loaded(system, work);
    let mut newton = std::mem::take(&mut work.newton);
    newton.base.copy_from_slice(&work.lambda);
    for surface in 0..system.frictions.len() {
        response(system, surface, work);
        newton.response_mut(surface).copy_from_slice(&work.lambda);
    }
    let found = newton.loads_at(system, memory, work, 1.0);
    if let Err(element) = found {
        work.critical = newton.critical(system, memory, work, element);
    } else {
        finish(system, memory, &newton.loads, work);
    }
    work.newton = newton;
    found.map_err(|element| Fault::Jammed { element })
}

/// Memory of Newton's method on the loads.
#[derive(Clone, Debug)]
pub(super) struct LoadNewton {
    /// λ₀, λ, and Λ_s one after the other.
    base: Vec<f64>,
    lambda: Vec<f64>,
    responses: Vec<f64>,
    /// N, and what is left of (1).
    loads: Vec<f64>,
    left: Vec<f64>,
    matrix: Lu<f64>,
}

impl Default for LoadNewton {
    fn default() -> Self {
        Self::new(0, 0)
    }
}

impl LoadNewton {
    pub fn new(surfaces: usize, rows: usize) -> Self {
        Self {
            base: vec![0.0; rows],
            lambda: vec![0.0; rows],
            responses: vec![0.0; surfaces * rows],
            loads: vec![0.0; surfaces],
            left: vec![0.0; surfaces],
            matrix: Lu::new(surfaces),
        }
    }

    fn response(&self, surface: usize) -> &[f64] {
        let rows = self.base.len();
        &self.responses[surface * rows..][..rows]
    }

    fn response_mut(&mut self, surface: usize) -> &mut [f64] {
        let rows = self.base.len();
        &mut self.responses[surface * rows..][..rows]
    }

    /// Loads with a share of the friction; fails with the surface that has none.
    fn loads_at(
        &mut self,
        system: &System,
        memory: &Memory,
        work: &Workspace,
        share: f64,
    ) -> Result<(), usize> {
        self.loads.iter_mut().zip(&work.frictions).for_each(|(load, now)| *load = now.load);
        let mut last = (0, f64::INFINITY);
        for _ in 0..ITERATIONS {
            self.linearise(system, memory, work, share);
            if self.matrix.factor().is_err() {
                break;
            }
            self.matrix.solve(&mut self.left);
            self.loads.iter_mut().zip(&self.left).for_each(|(load, step)| *load -= step);
            let largest =
                self.loads.iter().fold(f64::MIN_POSITIVE, |m: f64, load| m.max(load.abs()));
            let (which, size) = self.left.iter().enumerate().fold((0, 0.0), |most, (i, step)| {
                if step.abs() > most.1 || step.is_nan() { (i, step.abs()) } else { most }
            });
            if !size.is_finite() {
                break;
            }
            if size <= SETTLED * largest || (size <= ROUNDING * largest && size >= 0.5 * last.1) {
                let least = (0..self.loads.len())
                    .min_by(|&i, &j| self.loads[i].total_cmp(&self.loads[j]))
                    .filter(|&i| self.loads[i] < -ROUNDING * largest);
                return least.map_or(Ok(()), Err);
            }
            last = (which, size);
        }
        Err(last.0)
    }

    /// What is left of (1) and its derivatives by the loads.
    fn linearise(&mut self, system: &System, memory: &Memory, work: &Workspace, share: f64) {
        let n = system.frictions.len();
        // μ(N)/μ of the present load, and its slope.
        let ratio = |s: usize, load: f64| {
            let element = &system.frictions[s];
            element.ratio(&work.frictions[s], memory.friction(s, element), load)
        };
        self.lambda.copy_from_slice(&self.base);
        for (s, response) in self.responses.chunks_exact(self.base.len()).enumerate() {
            let load = share * self.loads[s] * ratio(s, self.loads[s]).0;
            self.lambda.iter_mut().zip(response).for_each(|(lambda, r)| *lambda += load * r);
        }
        for (s, element) in system.frictions.iter().enumerate() {
            let a = &work.markers[element.a];
            let seen = |lambda: &[f64]| {
                FrictionElement::seen(&of_rows(system, element.joint, lambda, work), a)
            };
            let coefficient = share * work.frictions[s].sliding.coefficient();
            let (own, slope) = ratio(s, self.loads[s]);
            let loaded = element.load.of(&seen(&self.lambda), coefficient * own, element.round);
            self.left[s] = self.loads[s] - loaded.value - element.preload;
            for t in 0..n {
                let response = seen(self.response(t));
                let change: f64 = response.iter().zip(&loaded.slope).map(|(c, n)| c * n).sum();
                let (other, steeper) = ratio(t, self.loads[t]);
                let mut entry = -share * change * (other + self.loads[t] * steeper);
                if s == t {
                    // Through the coefficient itself: ∂n/∂μ ∂μ/∂N.
                    entry += 1.0 - loaded.by_mu * coefficient * slope;
                }
                self.matrix.values[s * n + t] = entry;
            }
        }
    }

    /// The coefficient of a surface up to which loads exist, all friction growing alike.
    fn critical(
        &mut self,
        system: &System,
        memory: &Memory,
        work: &Workspace,
        element: usize,
    ) -> f64 {
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..40 {
            let middle = 0.5 * (low + high);
            match self.loads_at(system, memory, work, middle) {
                Ok(()) => low = middle,
                Err(_) => high = middle,
            }
        }
        low * work.frictions[element].sliding.coefficient()
    }
}

/// Λ_s of (1), left in `work.lambda`.
fn response(system: &System, surface: usize, work: &mut Workspace) {
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
    match &system.tree {
        Some(tree) => tree::respond(system, tree, work),
        None => {
            work.lambda.fill(0.0);
            blocks::gather(system, &work.mg, &work.forces, 1.0, &mut work.lambda);
            blocks::solve(system, work, |work| &mut work.lambda);
        }
    }
    work.forces.copy_from_slice(&kept);
    work.applied = kept;
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
