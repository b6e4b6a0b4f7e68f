//! Efficient global optimisation: every run is placed where a surrogate promises most.
//!
//! Of a surrogate with mean m and variance s² at x, and the best value f* so far, the expected
//! improvement is
//!
//!   EI = E[max(0, f* − Y)] = s h(z),   z = (f* − m)/s,   h(z) = φ(z) + z Φ(z)   (1)
//!
//! and the probability that a constraint with surrogate (m_g, s_g²) holds is
//!
//!   PF = Φ(−m_g/s_g)                                                            (2)
//!
//! The next run is the maximum of ln EI + Σ ln PF, of ln PF alone as long as no run holds all
//! constraints. Logarithms, since EI itself is flat nought over most of the space; in the tail
//! h/φ = K/(|z| + K) with K of [`crate::design::normal`], free of the cancellation in (1).
//!
//! Runs that failed enter the fit with the worst value seen, so that the search turns away from them.
//! (1) takes the prediction for normal: of a response modelled by its logarithm, minimise the logarithm.
//! For several runs at a time each is placed as if those before had given what the surrogate predicts.
//! References: Jones, Schonlau, Welch, *Efficient global optimization of expensive black-box
//! functions*, J. Global Optim. 13 (1998); Schonlau 1997 for (2); Ginsbourger et al. 2010 for batches.

use super::multistart::{MultistartOptions, multistart};
use super::{Individual, Problem};
use crate::design::maximin::{Effort, latin_maximin};
use crate::design::measure::distance_squared;
use crate::design::{DesignError, normal};
use crate::kriging::Kriging;

/// A cheap stand-in for a response over the unit cube.
pub trait Surrogate {
    /// Mean and variance at a point.
    fn predict(&self, point: &[f64]) -> (f64, f64);
}

impl Surrogate for Kriging {
    fn predict(&self, point: &[f64]) -> (f64, f64) {
        self.predict(point).map_or((f64::NAN, 0.0), |at| (at.mean, at.variance))
    }
}

/// Fits a surrogate to a response: its number, the points, its values there.
pub type Fit<'a, S, E> = dyn FnMut(usize, &[Vec<f64>], &[f64]) -> Result<S, E> + 'a;

/// E[max(0, f* − Y)], Eq. (1).
pub fn expected_improvement(mean: f64, variance: f64, best: f64) -> f64 {
    log_expected_improvement(mean, variance, best).exp()
}

/// ln EI; −∞ where there is nothing to gain for certain.
pub fn log_expected_improvement(mean: f64, variance: f64, best: f64) -> f64 {
    let s = variance.max(0.0).sqrt();
    if s == 0.0 {
        return (best - mean).max(0.0).ln();
    }
    let z = (best - mean) / s;
    let h = if z > -3.0 {
        (normal::density(z) + z * normal::distribution(z)).ln()
    } else {
        let k = normal::tail(-z);
        normal::log_density(z) + (k / (k - z)).ln()
    };
    s.ln() + h
}

/// ln PF, Eq. (2).
pub fn log_feasibility(mean: f64, variance: f64) -> f64 {
    let s = variance.max(0.0).sqrt();
    if s == 0.0 {
        return if mean <= 0.0 { 0.0 } else { f64::NEG_INFINITY };
    }
    normal::log_distribution(-mean / s)
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EgoOptions {
    /// Runs of the first design, a Latin hypercube; ten per variable if not given.
    pub initial: Option<usize>,
    /// Runs at a time after it.
    pub batch: usize,
    /// Ends when EI falls below this part of the spread of the objective.
    pub tolerance: f64,
    /// Search for the maximum of EI.
    pub search: MultistartOptions,
    pub seed: u64,
}

impl Default for EgoOptions {
    fn default() -> Self {
        let search = MultistartOptions::default();
        Self { initial: None, batch: 1, tolerance: 1e-4, search, seed: 0 }
    }
}

/// Why the search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EgoEnd {
    BudgetSpent,
    /// Nothing worth a run is expected any more.
    NothingToGain,
    /// Every place with promise has been run.
    NoNewPoint,
}

#[derive(Clone, Debug, PartialEq)]
pub struct EgoResult {
    /// The best of the runs; none if the budget was nil.
    pub best: Option<Individual>,
    /// All runs, in order.
    pub runs: Vec<Individual>,
    pub end: EgoEnd,
}

/// What stopped the search without a result.
#[derive(Debug, thiserror::Error)]
pub enum EgoError<E> {
    #[error(transparent)]
    Design(#[from] DesignError),
    #[error("the surrogate of response {response} could not be fitted")]
    Fit { response: usize, source: E },
}

/// Points of which the nearer is no new run.
const SAME_POINT: f64 = 1e-12;

/// Searches until the budget of `problem` is spent or nothing is left to gain. `known` are runs made
/// before, see [`Problem::adopt`]. `fit(r, points, values)` gives a surrogate of response r: 0 is the objective, the
/// constraints follow.
pub fn ego<S: Surrogate, E>(
    problem: &mut Problem,
    known: Vec<Individual>,
    options: &EgoOptions,
    fit: &mut Fit<S, E>,
) -> Result<EgoResult, EgoError<E>> {
    let mut runs = known;
    let dimension = problem.variables().dimension();
    let initial = options.initial.unwrap_or(10 * dimension).max(2);
    if runs.len() < initial {
        let start =
            latin_maximin(initial - runs.len(), dimension, options.seed, Effort::default())?;
        runs.extend(problem.run(start));
    }
    let mut round = 0;
    let end = loop {
        if problem.left() == 0 {
            break EgoEnd::BudgetSpent;
        }
        round += 1;
        let seed = options.seed.wrapping_add(round);
        let proposal = propose(problem, &runs, options, seed, fit)?;
        if proposal.points.is_empty() {
            break proposal.reason;
        }
        runs.extend(problem.run(proposal.points));
    };
    let best = runs.iter().min_by(|a, b| a.order(b)).cloned();
    Ok(EgoResult { best, runs, end })
}

struct Proposal {
    points: Vec<Vec<f64>>,
    /// Why there are no more.
    reason: EgoEnd,
}

/// The next points to run, up to a batch.
fn propose<S: Surrogate, E>(
    problem: &Problem,
    runs: &[Individual],
    options: &EgoOptions,
    seed: u64,
    fit: &mut Fit<S, E>,
) -> Result<Proposal, EgoError<E>> {
    let mut data = Data::of(runs);
    let spread = data.spread();
    let known: Vec<Vec<f64>> = data.best_point().into_iter().collect();
    let mut proposal = Proposal { points: vec![], reason: EgoEnd::NothingToGain };
    for place in 0..options.batch.clamp(1, problem.left()) {
        let surrogates = data.fit(fit)?;
        let search =
            MultistartOptions { seed: seed.wrapping_add((place as u64) << 32), ..options.search };
        let mut promise = |rows: &[Vec<f64>]| {
            rows.iter().map(|x| -data.log_promise(&surrogates, x)).collect::<Vec<f64>>()
        };
        let maxima = multistart(problem.variables(), &known, &search, &mut promise)?;
        let new = maxima
            .into_iter()
            .find(|m| data.points.iter().all(|p| distance_squared(p, &m.point) > SAME_POINT));
        let Some(found) = new.filter(|m| m.value.is_finite()) else {
            proposal.reason = EgoEnd::NoNewPoint;
            break;
        };
        if data.best.is_some() && -found.value < (options.tolerance * spread).ln() {
            break;
        }
        data.believe(&surrogates, found.point.clone());
        proposal.points.push(found.point);
    }
    Ok(proposal)
}

/// What the surrogates are fitted to.
struct Data {
    points: Vec<Vec<f64>>,
    /// The objective, then the constraints: one list of values each.
    responses: Vec<Vec<f64>>,
    /// f* of (1); none as long as no run holds the constraints.
    best: Option<f64>,
}

impl Data {
    fn of(runs: &[Individual]) -> Self {
        let constraints = runs.iter().map(|x| x.outcome.constraints.len()).max().unwrap_or(0);
        let objective: Vec<f64> = runs.iter().map(Individual::objective).collect();
        let constraint = |i: usize| {
            let value = |x: &Individual| x.outcome.constraints.get(i).copied().unwrap_or(f64::NAN);
            runs.iter().map(value).collect()
        };
        let mut responses: Vec<Vec<f64>> = vec![objective];
        responses.extend((0..constraints).map(constraint));
        responses.iter_mut().for_each(|r| replace_failures(r));
        let feasible = runs.iter().filter(|x| x.feasible()).map(Individual::objective);
        let points = runs.iter().map(|x| x.unit.clone()).collect();
        Self { points, responses, best: feasible.min_by(f64::total_cmp) }
    }

    /// Mean distance of the objective from its mean.
    fn spread(&self) -> f64 {
        let f = &self.responses[0];
        let mean = f.iter().sum::<f64>() / f.len() as f64;
        f.iter().map(|x| (x - mean).abs()).sum::<f64>() / f.len() as f64
    }

    fn best_point(&self) -> Option<Vec<f64>> {
        let at = self.responses[0].iter().position(|&f| Some(f) == self.best)?;
        Some(self.points[at].clone())
    }

    fn fit<S, E>(&self, fit: &mut Fit<S, E>) -> Result<Vec<S>, EgoError<E>> {
        let one = |(response, values): (usize, &Vec<f64>)| {
            fit(response, &self.points, values).map_err(|source| EgoError::Fit { response, source })
        };
        self.responses.iter().enumerate().map(one).collect()
    }

    /// ln EI + Σ ln PF.
    fn log_promise<S: Surrogate>(&self, surrogates: &[S], x: &[f64]) -> f64 {
        let gain = self.best.map_or(0.0, |best| {
            let (mean, variance) = surrogates[0].predict(x);
            log_expected_improvement(mean, variance, best)
        });
        let holds =
            surrogates[1..].iter().map(|g| g.predict(x)).map(|(m, v)| log_feasibility(m, v));
        gain + holds.sum::<f64>()
    }

    /// Adds a point as if it had given what is predicted.
    fn believe<S: Surrogate>(&mut self, surrogates: &[S], x: Vec<f64>) {
        for (values, surrogate) in self.responses.iter_mut().zip(surrogates) {
            values.push(surrogate.predict(&x).0);
        }
        self.points.push(x);
    }
}

/// The worst finite value in place of what is none; 0 if all failed.
fn replace_failures(values: &mut [f64]) {
    let worst = values.iter().copied().filter(|x| x.is_finite()).fold(f64::NEG_INFINITY, f64::max);
    let worst = if worst.is_finite() { worst } else { 0.0 };
    values.iter_mut().filter(|x| !x.is_finite()).for_each(|x| *x = worst);
}
