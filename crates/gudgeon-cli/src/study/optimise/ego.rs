//! Efficient global optimisation: the samples to begin with, then simulations where they pay.

use gudgeon_model::study::Optimise;
use gudgeon_study::kriging::{Kriging, KrigingError, Settings, Transform};
use gudgeon_study::optimise::ego::{EgoEnd, EgoOptions, Surrogate, ego as run_ego};
use gudgeon_study::optimise::{Individual, Outcome as Answered, Problem};
use gudgeon_study::store::Record;

use super::{Found, Setting};
use crate::study::{Runs, surrogate};

/// Simulations at a time, whatever the number of cores, so that the result does not depend on it.
const BATCH: usize = 2;

struct Emulator(Kriging);

impl Surrogate for Emulator {
    fn predict(&self, point: &[f64]) -> (f64, f64) {
        self.0.predict(point).map_or((f64::NAN, 0.0), |at| (at.mean, at.variance))
    }
}

/// The best of samples and simulations.
pub fn ego(setting: &Setting, records: &[Record], runs: &mut Runs) -> Result<Found, String> {
    let (job, wanted) = (setting.job, setting.wanted);
    let objective = wanted.objectives[0];
    let sought = job.study().surrogate.as_ref().ok_or("`ego` needs a surrogate")?;
    let by_log = sought.log_responses.contains(&objective.response);
    // What is modelled by its logarithm is minimised by its logarithm.
    let rewrite = |mut answer: Answered| {
        if by_log {
            let sign = if objective.maximise { -1.0 } else { 1.0 };
            answer.objectives[0] = sign * (sign * answer.objectives[0]).ln();
        }
        answer
    };
    let known = records.iter().filter_map(|record| {
        let values = record.outcome.values()?;
        let outcome = rewrite(setting.answer(|response| job.value(values, response)));
        let violation = violation(&outcome, wanted);
        let unit = setting.ranges.units(&record.point);
        Some(Individual { unit, values: record.point.clone(), outcome, violation })
    });
    let known: Vec<Individual> = known.collect();
    let budget = wanted.evaluations.unwrap_or(10 * setting.ranges.dimension());
    let mut problem = Problem::new(setting.ranges, budget, |rows: &[Vec<f64>]| {
        setting.evaluate(rows, runs).into_iter().map(rewrite).collect()
    });
    let options =
        EgoOptions { initial: Some(0), batch: BATCH, seed: job.seed, ..EgoOptions::default() };
    let mut settings = surrogate::settings(job.study(), sought, objective.response, job.seed);
    settings.inputs = vec![Transform::Linear; setting.ranges.dimension()];
    settings.response = Transform::Linear;
    let mut fit = |_: usize, points: &[Vec<f64>], values: &[f64]| {
        fitted(points, values, &settings).map(Emulator)
    };
    let result =
        run_ego(&mut problem, known, &options, &mut fit).map_err(|error| error.to_string())?;
    let best = result.best.ok_or("there is nothing to begin with")?;
    let end = match result.end {
        EgoEnd::BudgetSpent => "all evaluations are spent",
        EgoEnd::NothingToGain => "nothing worth a simulation is expected any more",
        EgoEnd::NoNewPoint => "every place with promise has been simulated",
    };
    let plain = |value: f64| match (by_log, objective.maximise) {
        (true, true) => (-value).exp(),
        (true, false) => value.exp(),
        (false, true) => -value,
        (false, false) => value,
    };
    let mut lowest = f64::INFINITY;
    let history = result.runs.iter().enumerate().filter_map(|(number, run)| {
        let better = run.feasible() && run.objective() < lowest;
        better.then(|| {
            lowest = run.objective();
            (number + 1, plain(lowest))
        })
    });
    Ok(Found {
        history: history.collect(),
        points: vec![best.values],
        evaluations: problem.evaluations(),
        note: Some(end.to_owned()),
    })
}

/// A model of points of the unit cube.
fn fitted(
    points: &[Vec<f64>],
    values: &[f64],
    settings: &Settings,
) -> Result<Kriging, KrigingError> {
    Kriging::fit(points, values, settings)
}

/// How far limits are exceeded, in parts of the limits.
fn violation(answer: &Answered, wanted: &Optimise) -> f64 {
    let part = |(excess, limit): (&f64, &gudgeon_model::study::Constraint)| {
        excess.max(0.0) / if limit.limit == 0.0 { 1.0 } else { limit.limit.abs() }
    };
    answer.constraints.iter().zip(&wanted.subject_to).map(part).sum()
}
