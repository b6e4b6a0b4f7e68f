//! Where the next runs are placed.
//!
//! By the maximum of the promise, as long as that is worth a run. A surrogate that has converged to
//! one valley sees nothing elsewhere, with standard deviations that its own parameters vouch for: where
//! samples are few, it is too sure. So where it expects less than [`SMALL`] of the spread of the objective,
//! every second run doubts it: the promise is taken with standard deviations 2, 4, … [`DOUBTS`] times
//! as large, which leads from the next best valley to where nothing has been sampled.
//!
//! A point within [`SAME_POINT`] of one already run says nothing new, since rounding and
//! tolerances of a simulation are about as large as the difference. Where no other has any promise, the
//! one farthest from all runs is taken.

use super::data::Data;
use super::improvement::Modelled;
use super::warp::{Choice, Warp};
use super::{EgoEnd, EgoError, EgoOptions, Fit, Surrogate};
use crate::design::measure::distance_squared;
use crate::design::variables::{Range, Ranges};
use crate::design::{DesignError, factorial_of};
use crate::kriging::Refit;
use crate::optimise::multistart::{MultistartOptions, even, multistart};
use crate::optimise::{Individual, Problem};
use gudgeon::random::Random;

/// Distance in the unit cube below which two points are one.
const SAME_POINT: f64 = 1e-4;
/// Promises below this part of the spread are doubted.
const SMALL: f64 = 1e-4;
/// Factors of the standard deviation, one after the other.
const DOUBTS: [f64; 5] = [2.0, 4.0, 8.0, 16.0, 32.0];
/// Points among which the farthest is looked for.
const CANDIDATES: usize = 2000;

/// Points about the best run, within these distances, of which so many are starts.
const AROUND: usize = 64;
const NEAR: f64 = 0.1;
const NEAREST: f64 = 1e-3;
const FOLLOWED: usize = 2;

pub(super) struct Proposer<'a> {
    options: &'a EgoOptions,
    scale: Choice,
    /// Batches so far.
    round: u64,
    /// Runs so far that promised little.
    small: usize,
}

pub(super) enum Proposal {
    Points(Vec<Vec<f64>>),
    End(EgoEnd),
}

impl<'a> Proposer<'a> {
    pub fn new(options: &'a EgoOptions) -> Self {
        Self { options, scale: Choice::default(), round: 0, small: 0 }
    }

    /// The next points to run, up to a batch.
    pub fn next<S: Surrogate, E>(
        &mut self,
        problem: &Problem,
        runs: &[Individual],
        fit: &mut Fit<S, E>,
    ) -> Result<Proposal, EgoError<E>> {
        self.round += 1;
        // A user who models the logarithm has chosen the scale.
        let warp = match self.options.modelled {
            Modelled::Value => self.scale.update(runs, fit),
            Modelled::Logarithm | Modelled::NegativeLogarithm => Warp::Linear,
        };
        let mut data = Data::of(runs, warp);
        let mut points = vec![];
        for place in 0..self.options.batch.min(problem.left()).max(1) {
            let parameters = if place == 0 { Refit::Anew } else { Refit::Kept };
            let surrogates = data.fit(fit, parameters)?;
            let seed = self.options.seed.wrapping_add(self.round);
            let seed = seed.wrapping_add((place as u64) << 32);
            let search = MultistartOptions { seed, ..self.options.search };
            let found = most_promising(problem.variables(), &data, &surrogates, 1.0, &search)?;
            if self.is_enough(&data, &surrogates, found.as_ref()) {
                let end = Proposal::End(EgoEnd::NothingToGain);
                return Ok(if points.is_empty() { end } else { Proposal::Points(points) });
            }
            let found = match self.doubt(&data, found.as_ref().map(|found| found.log_promise)) {
                Some(k) => most_promising(problem.variables(), &data, &surrogates, k, &search)?,
                None => found,
            };
            let point = match found {
                Some(found) => Some(found.point),
                None => farthest(problem.variables(), &data.points, seed)?,
            };
            let Some(point) = point else { break };
            data.believe(&surrogates, point.clone());
            points.push(point);
        }
        Ok(match points.is_empty() {
            true => Proposal::End(EgoEnd::NoNewPoint),
            false => Proposal::Points(points),
        })
    }

    /// Whether the improvement to be expected is below what the user wants.
    fn is_enough<S: Surrogate>(
        &self,
        data: &Data,
        surrogates: &[S],
        found: Option<&Promising>,
    ) -> bool {
        let Some((limit, best)) = self.options.stop_below.zip(data.best) else { return false };
        let gain = |found: &Promising| {
            data.improvement(surrogates, self.options.modelled, best, &found.point)
        };
        found.map_or(0.0, gain) < limit
    }

    /// By how much the surrogate is doubted in this run, if it is.
    fn doubt(&mut self, data: &Data, log_promise: Option<f64>) -> Option<f64> {
        let limit = SMALL * if data.best.is_some() { data.spread() } else { 1.0 };
        if log_promise.is_some_and(|promise| promise >= limit.ln()) {
            return None;
        }
        self.small += 1;
        let turn = self.small / 2;
        self.small.is_multiple_of(2).then(|| DOUBTS[(turn - 1) % DOUBTS.len()])
    }
}

struct Promising {
    point: Vec<f64>,
    log_promise: f64,
}

/// The maximum of the promise among new points; none where nothing new has any.
fn most_promising<S: Surrogate>(
    variables: &Ranges,
    data: &Data,
    surrogates: &[S],
    doubt: f64,
    search: &MultistartOptions,
) -> Result<Option<Promising>, DesignError> {
    let mut negative = |rows: &[Vec<f64>]| {
        let mut promise = data.log_promise(surrogates, doubt, rows);
        promise.iter_mut().for_each(|p| *p = -*p);
        promise
    };
    let near = data.best_point().map(|best| around(&best, variables, search.seed));
    let near = best_of(near.unwrap_or_default(), &mut negative);
    let maxima = multistart(variables, &near, search, &mut negative)?;
    let new = maxima.into_iter().find(|m| is_new(&m.point, &data.points));
    let new = new.filter(|m| m.value.is_finite());
    Ok(new.map(|m| Promising { point: m.point, log_promise: -m.value }))
}

/// Points about the best one, at distances down to a thousandth of the range.
fn around(best: &[f64], variables: &Ranges, seed: u64) -> Vec<Vec<f64>> {
    let mut random = Random::new(seed);
    let one = |_| {
        let reach = NEAR * (NEAREST / NEAR).powf(random.unit());
        let mut point: Vec<f64> =
            best.iter().map(|x| x + reach * (2.0 * random.unit() - 1.0)).collect();
        variables.snap(&mut point);
        point
    };
    (0..AROUND).map(one).collect()
}

/// The [`FOLLOWED`] lowest of some points.
fn best_of(points: Vec<Vec<f64>>, f: &mut dyn FnMut(&[Vec<f64>]) -> Vec<f64>) -> Vec<Vec<f64>> {
    let mut all: Vec<(f64, Vec<f64>)> = f(&points).into_iter().zip(points).collect();
    all.retain(|(value, _)| value.is_finite());
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    all.into_iter().take(FOLLOWED).map(|(_, point)| point).collect()
}

fn nearest_squared(point: &[f64], points: &[Vec<f64>]) -> f64 {
    points.iter().map(|p| distance_squared(p, point)).fold(f64::INFINITY, f64::min)
}

fn is_new(point: &[f64], points: &[Vec<f64>]) -> bool {
    nearest_squared(point, points) > SAME_POINT * SAME_POINT
}

/// The new point farthest from all others; none where all there are have been run.
fn farthest(
    variables: &Ranges,
    points: &[Vec<f64>],
    seed: u64,
) -> Result<Option<Vec<f64>>, DesignError> {
    let counts = variables.as_slice().iter().map(Range::count);
    let all = counts.map(|n| n.map(|n| n as f64)).product::<Option<f64>>();
    let mut candidates = match all {
        // Few enough to look at each.
        Some(all) if all <= 1e5 => {
            let axes = variables.as_slice().iter().map(|v| v.levels(usize::MAX));
            factorial_of(&axes.collect::<Vec<_>>())?
        }
        _ => even(variables, CANDIDATES, seed)?,
    };
    candidates.retain(|p| is_new(p, points));
    let distance = |p: &Vec<f64>| nearest_squared(p, points);
    let best = candidates.into_iter().map(|p| (distance(&p), p));
    Ok(best.reduce(|a, b| if b.0 > a.0 { b } else { a }).map(|(_, p)| p))
}
