//! Newton's iteration at one new point, for methods that have no stages.
//!
//! A method gives a prediction and how changes of v, q and z hang together:
//!
//!   v̇ = v̇ₚ + a (v − vₚ),   ż = żₚ + c (z − zₚ),   q = q₀ ⊕ (δₚ + b (v − vₚ) + W⁻¹ G₀ᵀ η)      (1)
//!
//! η is the correction of Gear, Gupta and Leimkuhler, which lets both g = 0 and G v + g_t = 0 hold;
//! G₀ is taken once per step. With δv = (δq − W⁻¹G₀ᵀ δη)/b the equations of motion contain η in the
//! combination λ − (a/b) η only, but for damping: so g = 0 and the motion are solved first, with the
//! matrix of [`saddle`](super::saddle), and S δη = b (G v + g_t) + G δq + b B δq after. What this leaves out
//! slows the iteration by a factor like the turn within a step.

use super::equations::{ImplicitDae, Place};
use super::saddle::Saddle;
use super::work::{Failure, Residual, Work};
use crate::problem::{Dims, Fault};
use crate::statistics::Reason;

/// Iterations with one matrix.
const ITERATIONS: usize = 16;
/// A matrix whose iteration converges slower than this is renewed in the next step.
const SLOW: f64 = 0.25;
/// No iteration is trusted to converge faster than this: the first correction is not typical.
pub(super) const LEAST_RATE: f64 = 0.1;
/// An iteration slower than this is given up.
const HOPELESS: f64 = 0.9;
/// Largest change of a coefficient for which an old matrix will do.
const RESIZED: f64 = 0.25;

/// How positions follow from velocities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Chart {
    /// Equation (1).
    Exponential,
    /// q̇ₚ + (q − qₚ)/b in coordinates is N v; q₀ is the prediction.
    Coordinates,
}

/// A new point, its prediction and its unknowns.
#[derive(Debug)]
pub(super) struct Point {
    dims: Dims,
    /// Whether G v + g_t = 0 is demanded beside g = 0.
    pub stabilised: bool,
    pub chart: Chart,
    /// a, b, c.
    pub coefficients: [f64; 3],
    pub t: f64,
    pub y: Vec<f64>,
    /// q₀, or qₚ.
    pub base: Vec<f64>,
    /// δₚ.
    pub displacement_p: Vec<f64>,
    /// q̇ₚ.
    pub rate_p: Vec<f64>,
    pub v_p: Vec<f64>,
    pub acceleration_p: Vec<f64>,
    pub z_p: Vec<f64>,
    pub zdot_p: Vec<f64>,
    pub acceleration: Vec<f64>,
    pub zdot: Vec<f64>,
    pub lambda: Vec<f64>,
    lambda_p: Vec<f64>,
    pub eta: Vec<f64>,
    pub displacement: Vec<f64>,
    shift: Vec<f64>,
    shift_change: Vec<f64>,
    rhs: Vec<f64>,
    eta_change: Vec<f64>,
    chart_change: Vec<f64>,
    q_before: Vec<f64>,
    residual: Residual,
    saddle: Saddle<f64>,
    /// Coefficients of the present factors.
    factored: [f64; 3],
}

impl Point {
    pub fn new(work: &Work, stabilised: bool, chart: Chart) -> Self {
        let dims = work.dims;
        let (v, z) = (vec![0.0; dims.v], vec![0.0; dims.z]);
        let (rows, q) = (vec![0.0; dims.rows], vec![0.0; dims.q]);
        Self {
            dims,
            stabilised,
            chart,
            coefficients: [0.0; 3],
            t: 0.0,
            y: vec![0.0; dims.total()],
            base: q.clone(),
            displacement_p: v.clone(),
            rate_p: q.clone(),
            v_p: v.clone(),
            acceleration_p: v.clone(),
            z_p: z.clone(),
            zdot_p: z.clone(),
            acceleration: v.clone(),
            zdot: z,
            lambda: rows.clone(),
            lambda_p: rows.clone(),
            eta: rows.clone(),
            displacement: v.clone(),
            shift: v.clone(),
            shift_change: v.clone(),
            rhs: vec![0.0; dims.v + dims.z + dims.rows],
            eta_change: rows,
            chart_change: v,
            q_before: q,
            residual: Residual::new(dims),
            saddle: Saddle::new(dims, &work.terms, &work.tangents),
            factored: [0.0; 3],
        }
    }

    /// Solves for the new point from the prediction; λ is kept from before as a first guess.
    pub fn solve<P: ImplicitDae>(
        &mut self,
        plant: &mut P,
        work: &mut Work,
        tolerance: f64,
    ) -> Result<(), Failure> {
        let Dims { q, v, .. } = self.dims;
        let [a, b, _] = self.coefficients;
        let [old_a, old_b, _] = self.factored;
        let off = |new: f64, old: f64| (new / old - 1.0).abs() > RESIZED;
        if work.renew.is_none() && (off(a, old_a) || off(b, old_b)) {
            work.renew = Some(Reason::Resized);
        }
        self.lambda_p.copy_from_slice(&self.lambda);
        loop {
            let fresh = work.renew.is_some();
            self.lambda.copy_from_slice(&self.lambda_p);
            self.y[q..q + v].copy_from_slice(&self.v_p);
            self.y[q + v..q + v + self.dims.z].copy_from_slice(&self.z_p);
            self.eta.fill(0.0);
            self.displacement.copy_from_slice(&self.displacement_p);
            match self.iterate(plant, work, tolerance) {
                Ok(()) => return Ok(()),
                Err(Failure::Unsolved { .. }) if !fresh => work.renew = Some(Reason::Slow),
                Err(failure) => {
                    self.lambda.copy_from_slice(&self.lambda_p);
                    return Err(failure);
                }
            }
        }
    }

    fn iterate<P: ImplicitDae>(
        &mut self,
        plant: &mut P,
        work: &mut Work,
        tolerance: f64,
    ) -> Result<(), Failure> {
        let (mut before, mut rate) = (f64::INFINITY, 0.0f64);
        for iteration in 0..ITERATIONS {
            self.place(plant, work);
            work.evaluate(plant, self.t, &self.y)?;
            if let Some(reason) = work.renew {
                self.factor(plant, work, reason)?;
            }
            self.take_residual(work);
            let change = self.update(plant, work);
            work.statistics.iterations += 1;
            if iteration > 0 {
                rate = change / before;
            }
            if !change.is_finite() || (iteration > 1 && rate > HOPELESS && change > tolerance) {
                break;
            }
            let error = if iteration == 0 { change } else { change * rate.max(LEAST_RATE) / (1.0 - rate).max(0.1) };
            let left = (ITERATIONS - 1 - iteration) as i32;
            if iteration > 1 && error * rate.powi(left) > tolerance {
                break;
            }
            if error <= tolerance && (iteration > 0 || change <= 1e-3 * tolerance) {
                self.place(plant, work);
                if rate > SLOW && change > 1e-12 {
                    work.renew = Some(Reason::Slow);
                }
                return Ok(());
            }
            before = change;
        }
        let [a, b, c] = self.coefficients;
        let (equation, residual) = work.worst(&self.residual, a, b, c);
        Err(Failure::Unsolved { equation, residual })
    }

    /// q, v̇ and ż from v, z and η.
    fn place<P: ImplicitDae>(&mut self, plant: &P, work: &Work) {
        let Dims { q, v, z, .. } = self.dims;
        let [a, b, c] = self.coefficients;
        let (positions, rest) = self.y.split_at_mut(q);
        let (velocities, rest) = rest.split_at(v);
        if self.stabilised {
            work.metric.shift(&self.eta, &mut self.shift);
        }
        for i in 0..v {
            self.acceleration[i] = self.acceleration_p[i] + a * (velocities[i] - self.v_p[i]);
        }
        for i in 0..z {
            self.zdot[i] = self.zdot_p[i] + c * (rest[i] - self.z_p[i]);
        }
        match self.chart {
            Chart::Exponential => {
                for i in 0..v {
                    let change = b * (velocities[i] - self.v_p[i]) + self.shift[i];
                    self.displacement[i] = self.displacement_p[i] + change;
                }
                plant.displace(&self.base, &self.displacement, positions);
            }
            Chart::Coordinates => self.place_by_rate(plant),
        }
    }

    /// q for which the rate of the coordinates is N (v + W⁻¹G₀ᵀ η/b).
    fn place_by_rate<P: ImplicitDae>(&mut self, plant: &P) {
        let Dims { q, v, .. } = self.dims;
        let b = self.coefficients[1];
        let rounds = if plant.velocity_is_rate() { 1 } else { 4 };
        for _ in 0..rounds {
            let (positions, rest) = self.y.split_at_mut(q);
            plant.displace(&self.base, &self.displacement, positions);
            for i in 0..q {
                self.q_before[i] = self.rate_p[i] + (positions[i] - self.base[i]) / b;
            }
            plant.velocity_of(positions, &self.q_before, &mut self.chart_change);
            for i in 0..v {
                self.displacement[i] += b * (rest[i] - self.chart_change[i]) + self.shift[i];
            }
        }
        plant.displace(&self.base, &self.displacement, &mut self.y[..q]);
    }

    fn factor<P: ImplicitDae>(
        &mut self,
        plant: &mut P,
        work: &mut Work,
        reason: Reason,
    ) -> Result<(), Failure> {
        let at = Place {
            t: self.t,
            y: &self.y,
            acceleration: &self.acceleration,
            lambda: &self.lambda,
        };
        work.take_tangents(plant, at)?;
        let singular = |row| Failure::Fault(Fault::Singular { row });
        let s = &work.metric.diagonal;
        let factored = self.saddle.factor(&work.terms, &work.tangents, s, self.coefficients);
        factored.map_err(|k| singular(k.saturating_sub(self.dims.v + self.dims.z)))?;
        work.statistics.factorisations.count(reason);
        self.factored = self.coefficients;
        work.renew = None;
        Ok(())
    }

    fn take_residual(&mut self, work: &Work) {
        let Dims { q, v, .. } = self.dims;
        let velocities = &self.y[q..q + v];
        let (acceleration, lambda) = (&self.acceleration, &self.lambda);
        self.residual.take(&work.terms, velocities, acceleration, &self.zdot, lambda);
    }

    /// One correction; returns its size over the scales.
    fn update<P: ImplicitDae>(&mut self, plant: &P, work: &mut Work) -> f64 {
        let Dims { q, v, z, .. } = self.dims;
        let [a, b, c] = self.coefficients;
        for i in 0..v {
            self.rhs[i] = -self.residual.motion[i] * b / a;
        }
        for i in 0..z {
            self.rhs[v + i] = -self.residual.rate[i] / c;
        }
        for (rhs, g) in self.rhs[v + z..].iter_mut().zip(&self.residual.position) {
            *rhs = -g;
        }
        self.saddle.solve(&mut self.rhs);
        let (moved, rest) = self.rhs.split_at(v);
        let (z_change, lambda_change) = rest.split_at(z);
        match self.chart {
            Chart::Exponential => {
                plant.chart_rate(&self.displacement, moved, &mut self.chart_change)
            }
            Chart::Coordinates => self.chart_change.copy_from_slice(moved),
        }
        if self.stabilised {
            for (out, r) in self.eta_change.iter_mut().zip(&self.residual.velocity) {
                *out = b * r;
            }
            work.terms.rows.add_product(1.0, &self.chart_change, &mut self.eta_change);
            work.tangents.turning.add_product(b, moved, &mut self.eta_change);
            work.metric.solve(&mut self.eta_change);
            work.metric.shift(&self.eta_change, &mut self.shift_change);
        }
        let eta_change = self.eta_change.iter();
        for ((lambda, change), eta) in self.lambda.iter_mut().zip(lambda_change).zip(eta_change) {
            *lambda += a / b * (change + eta);
        }
        for (eta, change) in self.eta.iter_mut().zip(&self.eta_change) {
            *eta += change;
        }
        for i in 0..v {
            // The change of v, in the place of what it comes from.
            self.chart_change[i] = (self.chart_change[i] - self.shift_change[i]) / b;
            self.y[q + i] += self.chart_change[i];
        }
        for i in 0..z {
            self.y[q + v + i] += z_change[i];
        }
        plant.displace(&self.y[..q], moved, &mut self.q_before);
        for (after, before) in self.q_before.iter_mut().zip(&self.y) {
            *after -= before;
        }
        let velocity = work.norm(&self.chart_change, q);
        let first_order = work.norm(z_change, q + v);
        let position = work.norm(&self.q_before, 0);
        largest([velocity, first_order, position])
    }

    /// Solves the linear equations for an error estimate: e is overwritten by what a step would
    /// have to be changed by if its velocities were wrong by e.
    pub fn filter(&mut self, work: &Work, velocity: &mut [f64], first_order: &mut [f64]) {
        let Dims { v, z, .. } = self.dims;
        let b = self.coefficients[1];
        self.rhs.fill(0.0);
        work.terms.mass.add_product(b, velocity, &mut self.rhs[..v]);
        self.rhs[v..v + z].copy_from_slice(first_order);
        self.saddle.solve(&mut self.rhs);
        for (e, x) in velocity.iter_mut().zip(&self.rhs) {
            *e = x / b;
        }
        first_order.copy_from_slice(&self.rhs[v..v + z]);
    }
}

/// The largest, or not a number where one is not.
pub(super) fn largest<const N: usize>(sizes: [f64; N]) -> f64 {
    sizes.into_iter().fold(0.0, |a, b| if b > a || b.is_nan() { b } else { a })
}
