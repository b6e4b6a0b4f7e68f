//! What the surrogates of a search are fitted to.

use super::improvement::{Modelled, log_expected_improvement, log_feasibility};
use super::warp::{Scale, Warp};
use super::{EgoError, Fit, Surrogate};
use crate::kriging::Refit;
use crate::optimise::Individual;

pub(super) struct Data {
    pub points: Vec<Vec<f64>>,
    /// The objective, then the constraints: one list of values each.
    responses: Vec<Vec<f64>>,
    /// f* of the expected improvement; none as long as no run holds the constraints.
    pub best: Option<f64>,
    pub scale: Scale,
    log_slopes: f64,
}

impl Data {
    pub fn of(runs: &[Individual], warp: Warp) -> Self {
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
        let scale = warp.scale(&responses[0]);
        let log_slopes = scale.log_slopes(&responses[0]);
        responses[0].iter_mut().for_each(|f| *f = scale.of(*f));
        let best = feasible.min_by(f64::total_cmp).map(|f| scale.of(f));
        Self { points, responses, best, scale, log_slopes }
    }

    /// ln 𝓛 of the objective, in its own terms; none where it cannot be told.
    pub fn log_likelihood<S: Surrogate, E>(&self, fit: &mut Fit<S, E>) -> Option<f64> {
        let model = fit(0, &self.points, &self.responses[0], Refit::Anew).ok()?;
        Some(model.log_likelihood()? + self.log_slopes)
    }

    pub fn best_point(&self) -> Option<Vec<f64>> {
        let at = self.responses[0].iter().position(|&f| Some(f) == self.best)?;
        Some(self.points[at].clone())
    }

    pub fn fit<S, E>(&self, fit: &mut Fit<S, E>, parameters: Refit) -> Result<Vec<S>, EgoError<E>> {
        let one = |(response, values): (usize, &Vec<f64>)| {
            fit(response, &self.points, values, parameters)
                .map_err(|source| EgoError::Fit { response, source })
        };
        self.responses.iter().enumerate().map(one).collect()
    }

    /// ln EI + Σ ln PF of every row, with standard deviations `doubt` times those predicted.
    pub fn log_promise<S: Surrogate>(
        &self,
        surrogates: &[S],
        doubt: f64,
        rows: &[Vec<f64>],
    ) -> Vec<f64> {
        let factor = doubt * doubt;
        let mut promise = vec![0.0; rows.len()];
        let mut add = |surrogate: &S, term: &dyn Fn(f64, f64) -> f64| {
            for (sum, (mean, variance)) in promise.iter_mut().zip(surrogate.predict(rows)) {
                *sum += term(mean, factor * variance);
            }
        };
        if let Some(best) = self.best {
            add(&surrogates[0], &|mean, variance| log_expected_improvement(mean, variance, best));
        }
        surrogates[1..].iter().for_each(|constraint| add(constraint, &log_feasibility));
        promise
    }

    /// Mean distance of the objective from its mean, as it is modelled.
    pub fn spread(&self) -> f64 {
        let f = &self.responses[0];
        let mean = f.iter().sum::<f64>() / f.len() as f64;
        f.iter().map(|x| (x - mean).abs()).sum::<f64>() / f.len() as f64
    }

    /// Expected improvement of the response in its own unit, times the chance that the constraints hold.
    pub fn improvement<S: Surrogate>(
        &self,
        surrogates: &[S],
        modelled: Modelled,
        best: f64,
        point: &[f64],
    ) -> f64 {
        let rows = [point.to_vec()];
        let (mean, variance) = surrogates[0].predict(&rows)[0];
        let holds = surrogates[1..].iter().map(|g| g.predict(&rows)[0]);
        let chance: f64 = holds.map(|(m, v)| log_feasibility(m, v)).sum();
        self.scale.improvement(modelled, mean, variance, best) * chance.exp()
    }

    /// Adds a point as if it had given what is predicted.
    pub fn believe<S: Surrogate>(&mut self, surrogates: &[S], x: Vec<f64>) {
        let rows = [x];
        for (values, surrogate) in self.responses.iter_mut().zip(surrogates) {
            values.push(surrogate.predict(&rows)[0].0);
        }
        self.points.extend(rows);
    }
}

/// The worst finite value in place of what is none; 0 if all failed.
fn replace_failures(values: &mut [f64]) {
    let worst = values.iter().copied().filter(|x| x.is_finite()).fold(f64::NEG_INFINITY, f64::max);
    let worst = if worst.is_finite() { worst } else { 0.0 };
    values.iter_mut().filter(|x| !x.is_finite()).for_each(|x| *x = worst);
}
