//! Efficient global optimisation: every run is placed where a surrogate promises most.
//!
//! The next run is the maximum of ln EI + Σ ln PF (`improvement`), of ln PF alone as long as no run
//! holds all constraints; `propose` says when the surrogate is doubted, `warp` on which scale it
//! models the objective.
//!
//! Runs that failed enter the fit with the worst value seen, so that the search turns away from them.
//! EI takes the prediction for normal: of a response modelled by its logarithm, minimise the logarithm.
//! For several runs at a time each is placed as if those before had given what the surrogate predicts.
//! References: Jones, Schonlau, Welch, *Efficient global optimization of expensive black-box
//! functions*, J. Global Optim. 13 (1998); Ginsbourger et al. 2010 for batches.

mod data;
mod fits;
mod improvement;
mod propose;
mod warp;

pub use fits::Fits;
pub use improvement::{Modelled, expected_improvement, log_expected_improvement, log_feasibility};

use super::local::LocalOptions;
use super::multistart::MultistartOptions;
use super::{Individual, Problem};
use crate::design::DesignError;
use crate::design::maximin::{Effort, latin_maximin};
use crate::kriging::{Kriging, Refit};
use propose::{Proposal, Proposer};

/// A cheap surrogate of a response over the unit cube.
pub trait Surrogate {
    /// Mean and variance at points.
    fn predict(&self, points: &[Vec<f64>]) -> Vec<(f64, f64)>;
    /// ln 𝓛 of what it was fitted to; none where it is not known.
    fn log_likelihood(&self) -> Option<f64>;
}

impl Surrogate for Kriging {
    fn predict(&self, points: &[Vec<f64>]) -> Vec<(f64, f64)> {
        match self.predict_all(points) {
            Ok(all) => all.iter().map(|at| (at.mean, at.variance)).collect(),
            Err(_) => vec![(f64::NAN, 0.0); points.len()],
        }
    }

    fn log_likelihood(&self) -> Option<f64> {
        Some(self.report().log_likelihood)
    }
}

/// Fits a surrogate to a response: its number, the points, its values there, and whether its
/// parameters are found anew or kept from the fit before.
pub type Fit<'a, S, E> = dyn FnMut(usize, &[Vec<f64>], &[f64], Refit) -> Result<S, E> + 'a;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EgoOptions {
    /// Runs of the first design, a Latin hypercube; ten per variable if not given.
    pub initial: Option<usize>,
    /// Runs at a time after it.
    pub batch: usize,
    /// Ends when the next run is expected to improve the response by less; never if not given.
    pub stop_below: Option<f64>,
    /// What `stop_below` refers to.
    pub modelled: Modelled,
    /// Search for the maximum of EI.
    pub search: MultistartOptions,
    pub seed: u64,
}

/// A hundredth of the distance that makes a new point.
const FINE: LocalOptions = LocalOptions {
    iterations: 40,
    step: 1e-7,
    move_tolerance: 1e-6,
    fall_tolerance: 1e-9,
    central: true,
};

/// Enough to tell which maximum is the best.
const ROUGH: LocalOptions = LocalOptions {
    iterations: 30,
    step: 1e-7,
    move_tolerance: 1e-4,
    fall_tolerance: 1e-4,
    central: false,
};

impl Default for EgoOptions {
    fn default() -> Self {
        Self {
            initial: None,
            batch: 1,
            stop_below: None,
            modelled: Modelled::Value,
            search: MultistartOptions {
                starts: 6,
                local: FINE,
                rough: Some(ROUGH),
                ..MultistartOptions::default()
            },
            seed: 0,
        }
    }
}

/// Why the search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EgoEnd {
    BudgetSpent,
    /// The expected improvement fell below the limit given.
    NothingToGain,
    /// Every point of integers and choices has been run.
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

/// Searches until the budget of `problem` is spent, unless the expected improvement falls below the limit
/// given or every point there is has been run. `known` are runs made before, see [`Problem::adopt`].
/// Response 0 of `fit` is the objective, the constraints follow.
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
    let mut proposer = Proposer::new(options);
    let end = loop {
        if problem.left() == 0 {
            break EgoEnd::BudgetSpent;
        }
        match proposer.next(problem, &runs, fit)? {
            Proposal::Points(points) => runs.extend(problem.run(points)),
            Proposal::End(end) => break end,
        }
    };
    let best = runs.iter().min_by(|a, b| a.order(b)).cloned();
    Ok(EgoResult { best, runs, end })
}
