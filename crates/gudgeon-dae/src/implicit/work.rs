//! Terms, tangents and factors shared by the implicit methods.

use super::differences::Differences;
use super::equations::{Equation, ImplicitDae, Place, Tangents, Terms};
use super::last::Last;
use super::leap::LOSING;
use super::metric::Metric;
use crate::problem::{Dims, Fault};
use crate::statistics::{Reason, Statistics};

/// Largest correction of a fixed step that may be left to rounding, over the scales.
const HARMLESS: f64 = 1e-4;
/// Rounds in which reactions are found that forces depend on, and the change that ends them.
const ROUNDS: usize = 12;
const CLOSE: f64 = 1e-6;

/// Why a step has no result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Failure {
    Fault(Fault),
    /// Newton's iteration does not converge.
    Unsolved {
        equation: Equation,
        residual: f64,
    },
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

#[derive(Debug)]
pub(super) struct Work {
    pub dims: Dims,
    pub terms: Terms,
    /// Terms elsewhere than where the matrix belongs to.
    pub apart: Terms,
    pub tangents: Tangents,
    pub differences: Differences,
    pub metric: Metric,
    /// Whether a correction changes the equations of motion like a reaction: M W⁻¹Gᵀ = Gᵀ − ∂f/∂λ.
    pub metric_is_mass: bool,
    pub scales: Vec<f64>,
    pub statistics: Statistics,
    /// The tangents are to be renewed for this reason before the next solve.
    pub renew: Option<Reason>,
    /// Whether a step that is hard to solve is worth new tangents at every iteration: a fixed one, which
    /// cannot be made shorter.
    pub patient: bool,
    /// Largest factor on the step that the last iteration suggests.
    pub growth: f64,
    spare: Vec<f64>,
    spare_rows: Vec<f64>,
}

impl Work {
    pub fn new<P: ImplicitDae>(plant: &P) -> Self {
        let dims = plant.dims();
        let (terms, tangents) = (plant.blank_terms(), plant.blank_tangents());
        Self {
            dims,
            metric_is_mass: plant.metric_is_mass() && tangents.reactions.values.is_empty(),
            tangents,
            differences: Differences::new(plant),
            metric: Metric::new(dims, &terms.rows, plant.blank_weights()),
            apart: terms.clone(),
            terms,
            scales: vec![0.0; dims.total()],
            statistics: Statistics::default(),
            renew: Some(Reason::First),
            patient: false,
            growth: f64::INFINITY,
            spare: vec![0.0; dims.v],
            spare_rows: vec![0.0; dims.rows],
        }
    }

    pub fn evaluate<P: ImplicitDae>(
        &mut self,
        plant: &mut P,
        t: f64,
        y: &[f64],
        lambda: &[f64],
    ) -> Result<(), Fault> {
        self.statistics.evaluations += 1;
        plant.terms(t, y, lambda, &mut self.terms)?;
        finite(self.dims, &self.terms)
    }

    /// The same, into `apart`.
    pub fn evaluate_apart<P: ImplicitDae>(
        &mut self,
        plant: &mut P,
        t: f64,
        y: &[f64],
        lambda: &[f64],
    ) -> Result<(), Fault> {
        self.statistics.evaluations += 1;
        plant.terms(t, y, lambda, &mut self.apart)?;
        finite(self.dims, &self.apart)
    }

    /// G and W at the start of a step.
    pub fn take_metric<P: ImplicitDae>(&mut self, plant: &P) -> Result<(), Fault> {
        self.metric.take(plant, &self.terms)
    }

    pub fn take_tangents<P: ImplicitDae>(&mut self, plant: &mut P, at: Place) -> Result<(), Fault> {
        self.statistics.tangents += 1;
        if !plant.tangents(at, &mut self.tangents)? {
            let cost = self.differences.take(plant, at, &self.scales, &mut self.tangents)?;
            self.statistics.evaluations += cost;
        }
        Ok(())
    }

    /// λ with Gᵀ λ = f(λ) − M v̇ at the start of a step, a first guess for its end: the fixed point of
    ///
    ///   λ ← S⁻¹ G W⁻¹ (f(λ) − M v̇)
    ///
    /// which is reached at once where f does not depend on λ. What friction adds lies nearly across the
    /// rows, so few rounds do elsewhere; where they lead away, Newton's iteration begins with the last good λ.
    pub fn reactions<P: ImplicitDae>(
        &mut self,
        plant: &mut P,
        last: &Last,
        lambda: &mut [f64],
    ) -> Result<(), Fault> {
        self.metric.prepare()?;
        let acceleration = &last.rates0[self.dims.q..self.dims.q + self.dims.v];
        if !self.depends_on_reactions() {
            let (terms, metric) = (&self.terms, &mut self.metric);
            reactions_of(terms, metric, acceleration, &mut self.spare, lambda);
            return Ok(());
        }
        let mut before = f64::INFINITY;
        for _ in 0..ROUNDS {
            self.evaluate_apart(plant, last.t, &last.y0, lambda)?;
            let (terms, metric, next) = (&self.apart, &mut self.metric, &mut self.spare_rows);
            reactions_of(terms, metric, acceleration, &mut self.spare, next);
            let pairs = next.iter().zip(&*lambda);
            let change = pairs.fold(0.0f64, |most, (a, b)| most.max((a - b).abs()));
            let size = next.iter().fold(0.0f64, |most, x| most.max(x.abs()));
            if change > before {
                break;
            }
            lambda.copy_from_slice(next);
            before = change;
            if change <= CLOSE * size {
                break;
            }
        }
        Ok(())
    }

    /// Whether f depends on λ.
    pub fn depends_on_reactions(&self) -> bool {
        !self.tangents.reactions.values.is_empty()
    }

    /// The part of a − b along W⁻¹Gᵀ.
    pub fn along_rows(&mut self, a: &[f64], b: &[f64], out: &mut [f64]) {
        for ((out, a), b) in self.spare.iter_mut().zip(a).zip(b) {
            *out = a - b;
        }
        self.spare_rows.fill(0.0);
        self.metric.rows.add_product(1.0, &self.spare, &mut self.spare_rows);
        self.metric.solve(&mut self.spare_rows);
        self.metric.shift(&self.spare_rows, out);
    }

    /// Largest change of a component over its scale; `from` is its index in y.
    pub fn norm(&self, change: &[f64], from: usize) -> f64 {
        let mut worst = 0.0f64;
        for (change, scale) in change.iter().zip(&self.scales[from..]) {
            let size = change.abs() / (scale + f64::MIN_POSITIVE);
            // Not f64::max, which would lose a NaN.
            if size > worst || size.is_nan() {
                worst = size;
            }
        }
        worst
    }

    /// Whether an iteration that no longer converges may end with a correction of this size, if rounding is
    /// what keeps it from shrinking. A step by tolerance needs an error that means something.
    pub fn is_harmless(&self, change: f64, tolerance: f64) -> bool {
        let limit = if self.patient { HARMLESS } else { 10.0 * tolerance };
        change <= limit && !self.metric.is_near(LOSING)
    }

    /// The equation farthest from zero, as a multiple of what the scales of v let it be.
    pub fn worst(&self, residual: &Residual, a: f64, b: f64, c: f64) -> (Equation, f64) {
        let Dims { q, v, z, .. } = self.dims;
        let mut worst = (Equation::Motion(0), 0.0f64);
        let mut offer = |equation: Equation, size: f64| {
            if size > worst.1 || (size.is_nan() && !worst.1.is_nan()) {
                worst = (equation, size);
            }
        };
        for i in 0..v {
            let unit = a * self.scales[q + i] / self.metric.weights.inverse()[i];
            offer(Equation::Motion(i), residual.motion[i].abs() / unit);
        }
        for i in 0..z {
            offer(Equation::Rate(i), residual.rate[i].abs() / (c * self.scales[q + v + i]));
        }
        let rows = &self.metric.rows;
        let mut unit = 0.0f64;
        for (_, j, value) in rows.iter() {
            let speed = self.scales[q + j];
            unit = unit.max(if speed.is_finite() { value.abs() * speed } else { 0.0 });
        }
        let unit = if unit > 0.0 { unit } else { 1.0 };
        for i in 0..self.dims.rows {
            offer(Equation::Position(i), residual.position[i].abs() / (b * unit));
            offer(Equation::Velocity(i), residual.velocity[i].abs() / unit);
        }
        worst
    }
}

/// λ with S λ = G W⁻¹ (f − M v̇).
fn reactions_of(
    terms: &Terms,
    metric: &mut Metric,
    acceleration: &[f64],
    spare: &mut [f64],
    lambda: &mut [f64],
) {
    spare.copy_from_slice(&terms.force);
    terms.mass.add_product(-1.0, acceleration, spare);
    metric.weights.solve(spare);
    lambda.fill(0.0);
    terms.rows.add_product(1.0, spare, lambda);
    metric.solve(lambda);
}

fn finite(dims: Dims, terms: &Terms) -> Result<(), Fault> {
    match terms.force.iter().position(|f| !f.is_finite()) {
        Some(index) => Err(Fault::NotFinite { index: dims.q + index }),
        None => Ok(()),
    }
}

/// What is left of the equations at one point.
#[derive(Clone, Debug)]
pub(super) struct Residual {
    /// M v̇ − f + Gᵀ λ.
    pub motion: Vec<f64>,
    /// ż − h.
    pub rate: Vec<f64>,
    /// g.
    pub position: Vec<f64>,
    /// G v + g_t.
    pub velocity: Vec<f64>,
}

impl Residual {
    pub fn new(dims: Dims) -> Self {
        Self {
            motion: vec![0.0; dims.v],
            rate: vec![0.0; dims.z],
            position: vec![0.0; dims.rows],
            velocity: vec![0.0; dims.rows],
        }
    }

    pub fn copy(&mut self, other: &Self) {
        self.motion.copy_from_slice(&other.motion);
        self.rate.copy_from_slice(&other.rate);
        self.position.copy_from_slice(&other.position);
        self.velocity.copy_from_slice(&other.velocity);
    }

    /// From the terms at a point with velocity v.
    pub fn take(
        &mut self,
        terms: &Terms,
        v: &[f64],
        acceleration: &[f64],
        rates: &[f64],
        lambda: &[f64],
    ) {
        for (out, f) in self.motion.iter_mut().zip(&terms.force) {
            *out = -f;
        }
        terms.mass.add_product(1.0, acceleration, &mut self.motion);
        terms.rows.add_transposed(1.0, lambda, &mut self.motion);
        for ((out, rate), h) in self.rate.iter_mut().zip(rates).zip(&terms.rates) {
            *out = rate - h;
        }
        self.position.copy_from_slice(&terms.gaps);
        self.velocity.copy_from_slice(&terms.drives);
        terms.rows.add_product(1.0, v, &mut self.velocity);
    }

    /// What rounding leaves of the equations at best: every term is off by its last digit, this way or
    /// that. Positions are those of the largest coordinate, for a gap is a difference of places.
    pub fn take_rounding(&mut self, terms: &Terms, q: &[f64], v: &[f64], lambda: &[f64]) {
        let far = q.iter().fold(0.0f64, |far, q| far.max(q.abs()));
        let mut signs = Signs(0x9e37_79b9_7f4a_7c15);
        self.rate.fill(0.0);
        for (out, f) in self.motion.iter_mut().zip(&terms.force) {
            *out = f.abs();
        }
        self.position.fill(0.0);
        for (out, drive) in self.velocity.iter_mut().zip(&terms.drives) {
            *out = drive.abs();
        }
        for (i, j, g) in terms.rows.iter() {
            let g = g.abs();
            self.motion[j] += g * lambda[i].abs();
            self.position[i] = self.position[i].max(g * far);
            self.velocity[i] += g * v[j].abs();
        }
        for part in [&mut self.motion, &mut self.position, &mut self.velocity] {
            part.iter_mut().for_each(|x| *x *= f64::EPSILON * signs.next());
        }
    }
}

/// Plus and minus one in an order without pattern, the same every time.
struct Signs(u64);

impl Signs {
    fn next(&mut self) -> f64 {
        // xorshift (Marsaglia)
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        if self.0 >> 63 == 0 { 1.0 } else { -1.0 }
    }
}
