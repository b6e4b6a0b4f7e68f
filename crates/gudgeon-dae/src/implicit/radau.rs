//! Radau IIA of order 5 on the stabilised form (Hairer and Wanner II, section IV.8).
//!
//! A stage is q_i = q₀ ⊕ δ_i, v_i, z_i, λ_i, μ_i with rates h⁻¹ Σ (A⁻¹)_ij (…)_j and
//!
//!   δ̇ = T(δ)⁻¹ (v + W⁻¹G₀ᵀ μ),  M v̇ = f − Gᵀ λ,  ż = h,  g = 0,  G v + g_t = 0              (1)
//!
//! The simplified Newton iteration separates the stages into a real and a complex system of the form
//! of [`saddle`](super::saddle), with a = 1/b = c the eigenvalue over h. λ of the stages is of order 3; the one that
//! belongs to the accelerations at the end of the step is of order 5 like q and v.

use super::convergence::{Convergence, Verdict};
use super::equations::{ImplicitDae, Place};
use super::last::Last;
use super::point::{AT_ROUNDING, ROUNDING, largest};
use super::radau_block::{Block, Layout};
use super::radau_tableau::RadauTableau;
use super::work::{Failure, Residual, Work};
use crate::linear::Complex;
use crate::problem::{Dims, Fault, Stabilisation};
use crate::statistics::Reason;

const ITERATIONS: usize = 20;
/// Tangents whose iteration converges slower than this are renewed in the next step.
const SLOW: f64 = 0.2;

/// Factors with which the iteration converges this fast are kept for a step of the same size.
const STEADY: f64 = 0.03;
/// A step more than so many times as long as the last is not predicted from it.
const FARTHEST: f64 = 3.0;

#[derive(Debug)]
pub(super) struct Radau {
    tableau: RadauTableau,
    at: Layout,
    /// δ, v − v₀, z − z₀, λ, μ by stage, and what is left of the equations.
    stages: [Vec<f64>; 3],
    left: [Vec<f64>; 3],
    /// (q, v, z) by stage, in coordinates.
    points: [Vec<f64>; 3],
    /// The same of the last step, and at its start.
    before: [Vec<f64>; 3],
    start: Vec<f64>,
    real: Block<f64>,
    complex: Block<Complex>,
    residual: Residual,
    rates: Vec<f64>,
    spare: Vec<f64>,
    lambda: Vec<f64>,
    y: Vec<f64>,
    dy: Vec<f64>,
    moved: Vec<f64>,
    /// Step of the present factors, and how fast they let the last iteration converge.
    factored: f64,
    rate: f64,
    /// Step whose stages can be extrapolated; 0 where there is none.
    known: f64,
    /// No step has been accepted since the last failure.
    careful: bool,
}

impl Radau {
    pub fn new(work: &Work) -> Self {
        let (dims, at) = (work.dims, Layout::new(work.dims));
        let stage = || vec![0.0; at.end];
        let point = || vec![0.0; dims.total()];
        Self {
            tableau: RadauTableau::new(),
            at,
            stages: [stage(), stage(), stage()],
            left: [stage(), stage(), stage()],
            points: [point(), point(), point()],
            before: [point(), point(), point()],
            start: point(),
            real: Block::new(work, at),
            complex: Block::new(work, at),
            residual: Residual::new(dims),
            rates: vec![0.0; at.lambda],
            spare: vec![0.0; dims.v],
            lambda: vec![0.0; dims.rows],
            y: point(),
            dy: point(),
            moved: point(),
            factored: 0.0,
            rate: 0.0,
            known: 0.0,
            careful: true,
        }
    }

    pub fn restart(&mut self) {
        self.known = 0.0;
        self.careful = true;
    }

    pub fn reject(&mut self) {
        self.careful = true;
        self.known = 0.0;
    }

    pub fn accept(&mut self, last: &Last) {
        for (before, point) in self.before.iter_mut().zip(&self.points) {
            before.copy_from_slice(point);
        }
        self.start.copy_from_slice(&last.y0);
        self.known = last.h;
        self.careful = false;
        let stage = &self.stages[2];
        self.lambda.copy_from_slice(&stage[self.at.lambda..self.at.mu]);
    }

    pub fn reactions(&self) -> &[f64] {
        &self.lambda
    }

    pub fn attempt<P: ImplicitDae>(
        &mut self,
        plant: &mut P,
        work: &mut Work,
        last: &mut Last,
        tolerance: f64,
    ) -> Result<(), Failure> {
        if self.known == 0.0 {
            work.reactions(plant, last, &mut self.lambda)?;
        }
        loop {
            let fresh = work.renew.is_some();
            self.guess(work.dims, last);
            self.prepare(plant, work, last)?;
            match self.iterate(plant, work, last, tolerance) {
                Ok(()) => break,
                Err(Failure::Unsolved { .. }) if !fresh => work.renew = Some(Reason::Slow),
                Err(Failure::Unsolved { .. }) if work.patient && self.known > 0.0 => {
                    // A fixed step cannot be made shorter: predict it straight on.
                    self.known = 0.0;
                    work.renew = Some(Reason::Slow);
                }
                Err(failure) => return Err(failure),
            }
        }
        let states = work.dims.q + work.dims.v + work.dims.z;
        last.y1[..states].copy_from_slice(&self.points[2][..states]);
        Ok(())
    }

    /// First values of the stages: the last polynomial continued, or straight on.
    fn guess(&mut self, dims: Dims, last: &Last) {
        let Dims { q, v, z, .. } = dims;
        let (h, at) = (last.h, self.at);
        let continued = self.known > 0.0 && h < FARTHEST * self.known;
        for i in 0..3 {
            let node = self.tableau.nodes[i];
            let weights = self.tableau.lagrange(1.0 + node * h / self.known.max(f64::MIN_POSITIVE));
            for j in 0..v + z {
                let value = if continued {
                    let points = self.before.iter().zip(&weights[1..]);
                    let inner: f64 = points.map(|(point, w)| w * point[q + j]).sum();
                    weights[0] * self.start[q + j] + inner - last.y0[q + j]
                } else {
                    node * h * last.rates0[q + j]
                };
                self.left[i][at.v + j] = value;
            }
        }
        for i in 0..3 {
            self.stages[i][at.v..at.lambda].copy_from_slice(&self.left[i][at.v..at.lambda]);
            self.stages[i][at.lambda..at.mu].copy_from_slice(&self.lambda);
            self.stages[i][at.mu..].fill(0.0);
            for j in 0..v {
                let sum: f64 = (0..3).map(|k| self.tableau.a[i][k] * self.left[k][at.v + j]).sum();
                self.stages[i][j] = h * (self.tableau.nodes[i] * last.y0[q + j] + sum);
            }
        }
    }

    /// Terms in the middle of the expected step, from where G is the least wrong everywhere; tangents
    /// there where they are wanted; factors.
    fn prepare<P: ImplicitDae>(
        &mut self,
        plant: &mut P,
        work: &mut Work,
        last: &Last,
    ) -> Result<(), Failure> {
        let (at, Dims { q, v, .. }) = (self.at, work.dims);
        if work.renew.is_none() && self.factored == last.h && self.rate < STEADY {
            return Ok(work.metric.prepare()?);
        }
        let t = last.t + 0.5 * last.h;
        self.y.copy_from_slice(&last.y0);
        for (half, by) in self.spare.iter_mut().zip(&self.stages[2]) {
            *half = 0.5 * by;
        }
        plant.displace(&last.y0[..q], &self.spare, &mut self.y[..q]);
        for j in at.v..at.lambda {
            self.y[q + j - at.v] += 0.5 * self.stages[2][j];
        }
        work.evaluate(plant, t, &self.y, &self.lambda)?;
        work.take_metric(plant)?;
        work.metric.prepare()?;
        // Friction turns with G.
        if work.renew.is_some() || work.depends_on_reactions() {
            let acceleration = &last.rates0[q..q + v];
            let place = Place { t, y: &self.y, acceleration, lambda: &self.lambda };
            work.take_tangents(plant, place)?;
        }
        let reason = work.renew.unwrap_or(Reason::Moved);
        let singular = |k: usize| {
            let row = k.saturating_sub(work.dims.v + work.dims.z);
            Failure::Fault(Fault::Singular { row })
        };
        let RadauTableau { gamma, alpha, beta, .. } = self.tableau;
        self.real.factor(work, gamma / last.h).map_err(singular)?;
        let c = Complex::new(alpha / last.h, -beta / last.h);
        self.complex.factor(work, c).map_err(singular)?;
        work.statistics.factorisations.count(reason);
        work.renew = None;
        self.factored = last.h;
        Ok(())
    }

    fn iterate<P: ImplicitDae>(
        &mut self,
        plant: &mut P,
        work: &mut Work,
        last: &Last,
        tolerance: f64,
    ) -> Result<(), Failure> {
        let mut convergence = Convergence::new(tolerance, ITERATIONS);
        let c = self.tableau.gamma / last.h;
        let mut worst = None;
        loop {
            for i in 0..3 {
                self.evaluate_stage(plant, work, last, i)?;
            }
            if convergence.count() == 1 {
                worst = Some(work.worst(&self.residual, c, 1.0 / c, c));
            }
            let change = self.correct(plant, work);
            self.apply();
            work.statistics.iterations += 1;
            let verdict = convergence.judge(change);
            if verdict != Verdict::GoOn {
                for i in 0..3 {
                    self.place(plant, work.dims, last, i);
                }
            }
            match verdict {
                Verdict::GoOn => {}
                Verdict::Hopeless
                    if work.is_harmless(change, tolerance)
                        && change <= AT_ROUNDING * self.rounding(plant, work) =>
                {
                    self.rate = 0.0;
                    return Ok(());
                }
                Verdict::Hopeless => break,
                Verdict::Done => {
                    work.growth = convergence.growth();
                    self.rate = convergence.rate;
                    if convergence.rate > SLOW && change > ROUNDING {
                        work.renew = Some(Reason::Slow);
                    }
                    return Ok(());
                }
            }
        }
        let found = worst.unwrap_or_else(|| work.worst(&self.residual, c, 1.0 / c, c));
        let (equation, residual) = found;
        Err(Failure::Unsolved { equation, residual })
    }

    /// (q, v, z) of a stage.
    fn place<P: ImplicitDae>(&mut self, plant: &P, dims: Dims, last: &Last, i: usize) {
        let (q, at) = (dims.q, self.at);
        let (stage, point) = (&self.stages[i], &mut self.points[i]);
        plant.displace(&last.y0[..q], &stage[..at.v], &mut point[..q]);
        for j in at.v..at.lambda {
            let k = q + j - at.v;
            point[k] = last.y0[k] + stage[j];
        }
    }

    /// What is left of (1) in a stage.
    fn evaluate_stage<P: ImplicitDae>(
        &mut self,
        plant: &mut P,
        work: &mut Work,
        last: &Last,
        i: usize,
    ) -> Result<(), Failure> {
        let (at, Dims { q, v, .. }) = (self.at, work.dims);
        self.place(plant, work.dims, last, i);
        let t = last.t + self.tableau.nodes[i] * last.h;
        // Quadratures do not enter the equations; counted angles do, from the start of the step.
        let states = q + v + work.dims.z;
        self.points[i][states..].copy_from_slice(&last.y0[states..]);
        work.evaluate_apart(plant, t, &self.points[i], &self.stages[i][at.lambda..at.mu])?;
        for j in 0..at.lambda {
            let sum: f64 = (0..3).map(|k| self.tableau.inverse[i][k] * self.stages[k][j]).sum();
            self.rates[j] = sum / last.h;
        }
        let (stage, left) = (&self.stages[i], &mut self.left[i]);
        let velocity = &self.points[i][q..q + v];
        work.metric.shift(&stage[at.mu..], &mut self.spare);
        for (x, v) in self.spare.iter_mut().zip(velocity) {
            *x += v;
        }
        plant.chart_rate(&stage[..at.v], &self.spare, &mut left[..at.v]);
        for j in 0..at.v {
            left[j] = self.rates[j] - left[j];
        }
        let (acceleration, zdot) = (&self.rates[at.v..at.z], &self.rates[at.z..at.lambda]);
        let lambda = &stage[at.lambda..at.mu];
        self.residual.take(&work.apart, velocity, acceleration, zdot, lambda);
        left[at.v..at.z].copy_from_slice(&self.residual.motion);
        left[at.z..at.lambda].copy_from_slice(&self.residual.rate);
        left[at.lambda..at.mu].copy_from_slice(&self.residual.position);
        left[at.mu..].copy_from_slice(&self.residual.velocity);
        Ok(())
    }

    /// Size over the scales of a correction that rounding alone causes; what is left of the equations
    /// is overwritten.
    fn rounding<P: ImplicitDae>(&mut self, plant: &P, work: &mut Work) -> f64 {
        let (at, Dims { q, v, .. }) = (self.at, work.dims);
        let (positions, rest) = self.points[2].split_at(q);
        let lambda = &self.stages[2][at.lambda..at.mu];
        self.residual.take_rounding(&work.apart, positions, &rest[..v], lambda);
        self.left.iter_mut().for_each(|left| left.fill(0.0));
        // Stages differ in their rounding; one that is off alone shows it best.
        let left = &mut self.left[2];
        left[at.v..at.z].copy_from_slice(&self.residual.motion);
        left[at.lambda..at.mu].copy_from_slice(&self.residual.position);
        left[at.mu..].copy_from_slice(&self.residual.velocity);
        self.correct(plant, work)
    }

    /// A correction of all stages from what is left of the equations, into `left`; returns its size
    /// over the scales.
    fn correct<P: ImplicitDae>(&mut self, plant: &P, work: &mut Work) -> f64 {
        let from = &self.tableau.from_stages;
        for j in 0..self.at.end {
            let left = [self.left[0][j], self.left[1][j], self.left[2][j]];
            let [a, b, c] = std::array::from_fn(|i| (0..3).map(|k| from[i][k] * left[k]).sum());
            self.real.x[j] = a;
            self.complex.x[j] = Complex::new(b, c);
        }
        self.real.solve(work);
        self.complex.solve(work);
        let to = &self.tableau.to_stages;
        for j in 0..self.at.end {
            let (a, b) = (self.real.x[j], self.complex.x[j]);
            for i in 0..3 {
                self.left[i][j] = to[i][0] * a + to[i][1] * b.re + to[i][2] * b.im;
            }
        }
        let (at, q) = (self.at, work.dims.q);
        let mut worst = 0.0;
        for i in 0..3 {
            let change = &self.left[i];
            let position = displacement_size(plant, work, &self.points[i], change, &mut self.moved);
            worst = largest([worst, position, work.norm(&change[at.v..at.lambda], q)]);
        }
        worst
    }

    /// Adds the last correction to the stages.
    fn apply(&mut self) {
        for (stage, left) in self.stages.iter_mut().zip(&self.left) {
            for (x, change) in stage.iter_mut().zip(left) {
                *x += change;
            }
        }
    }

    /// Error over the scales: the filtered difference from an embedded method of order 3. After a
    /// failure, where it is above `limit`, it is taken again from a point that it corrects.
    pub fn error<P: ImplicitDae>(
        &mut self,
        plant: &mut P,
        work: &mut Work,
        last: &Last,
        limit: f64,
    ) -> Result<f64, Fault> {
        let Dims { q, v, z, .. } = work.dims;
        let n = q + v + z;
        self.y.copy_from_slice(&last.y0);
        self.dy.copy_from_slice(&last.rates0);
        let first = self.estimate(plant, work, last);
        if work.metric.determines(v) {
            return Ok(first.max(self.straying(plant, work, last)?));
        }
        if first < limit || !self.careful {
            return Ok(first);
        }
        plant.displace(&last.y0[..q], &self.real.x[..v], &mut self.y[..q]);
        for j in q..n {
            self.y[j] += self.real.x[v + j - q];
        }
        plant.rates(last.t, &self.y, &mut self.dy, Stabilisation::default())?;
        work.statistics.evaluations += 1;
        Ok(self.estimate(plant, work, last))
    }

    /// How far the polynomial leaves the constraints in the middle of the step, over the scales. Where
    /// these determine the motion its ends have no error, whatever the step, and the middle alone tells
    /// whether it is too long for what is read inside.
    fn straying<P: ImplicitDae>(
        &mut self,
        plant: &mut P,
        work: &mut Work,
        last: &Last,
    ) -> Result<f64, Fault> {
        let Dims { q, v, .. } = work.dims;
        let mut y = std::mem::take(&mut self.y);
        self.inside(work.dims, last, 0.5, &mut y);
        let lambda = &self.stages[2][self.at.lambda..self.at.mu];
        let evaluated = work.evaluate_apart(plant, last.t + 0.5 * last.h, &y, lambda);
        self.y = y;
        evaluated?;
        self.residual.velocity.copy_from_slice(&work.apart.drives);
        work.apart.rows.add_product(1.0, &self.y[q..q + v], &mut self.residual.velocity);
        work.metric.solve(&mut self.residual.velocity);
        work.metric.shift(&self.residual.velocity, &mut self.spare);
        let velocity = work.norm(&self.spare, q);
        self.residual.position.copy_from_slice(&work.apart.gaps);
        work.metric.solve(&mut self.residual.position);
        work.metric.shift(&self.residual.position, &mut self.spare);
        let position =
            displacement_size(plant, work, &self.points[2], &self.spare, &mut self.moved);
        Ok(largest([velocity, position]))
    }

    /// The estimate from velocities and rates in `y` and `dy`.
    fn estimate<P: ImplicitDae>(&mut self, plant: &P, work: &mut Work, last: &Last) -> f64 {
        let (at, q) = (self.at, work.dims.q);
        for j in 0..at.lambda {
            let sum: f64 = (0..3).map(|k| self.tableau.error[k] * self.stages[k][j]).sum();
            let rate = if j < at.v { self.y[q + j] } else { self.dy[q + j - at.v] };
            self.rates[j] = sum / last.h + rate;
        }
        self.real.x.fill(0.0);
        let motion = &mut self.real.x[at.v..at.z];
        work.terms.mass.add_product(-1.0, &self.rates[at.v..at.z], motion);
        for j in (0..at.v).chain(at.z..at.lambda) {
            self.real.x[j] = -self.rates[j];
        }
        self.real.solve(work);
        let x = &self.real.x;
        let position = displacement_size(plant, work, &last.y1, x, &mut self.moved);
        largest([position, work.norm(&x[at.v..at.lambda], q)])
    }

    /// (q, v, z) inside the step: the collocation polynomial.
    pub fn inside(&self, dims: Dims, last: &Last, theta: f64, out: &mut [f64]) {
        let weights = self.tableau.lagrange(theta);
        for i in 0..dims.q + dims.v + dims.z {
            let points = self.points.iter().zip(&weights[1..]);
            let inner: f64 = points.map(|(point, w)| w * point[i]).sum();
            out[i] = weights[0] * last.y0[i] + inner;
        }
    }
}

/// Size of the change of coordinates by a displacement, over the scales.
fn displacement_size<P: ImplicitDae>(
    plant: &P,
    work: &Work,
    y: &[f64],
    by: &[f64],
    spare: &mut [f64],
) -> f64 {
    let Dims { q, v, .. } = work.dims;
    plant.displace(&y[..q], &by[..v], &mut spare[..q]);
    for i in 0..q {
        spare[i] -= y[i];
    }
    work.norm(&spare[..q], 0)
}
