//! Efficient global optimisation: the samples to begin with, then simulations where they pay.

use gudgeon_study::kriging::{Kriging, KrigingError, Transform};
use gudgeon_study::optimise::ego::{EgoEnd, EgoError, EgoOptions, ego as run_ego};
use gudgeon_study::optimise::{Outcome as Answered, Problem};
use gudgeon_study::store::Record;

use super::{Found, Setting};
use crate::study::{Runs, surrogate};

/// Simulations at a time, whatever the number of cores, so that the result does not depend on it.
const BATCH: usize = 2;

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
    let done = || records.iter().filter_map(|r| Some((r, r.outcome.values()?)));
    let points = done().map(|(record, _)| record.point.clone()).collect();
    let answers = done().map(|(_, values)| rewrite(setting.answer(|r| job.value(values, r))));
    let budget = wanted.evaluations.unwrap_or(10 * setting.ranges.dimension());
    let mut problem = Problem::new(setting.ranges, budget, |rows: &[Vec<f64>]| {
        setting.evaluate(rows, runs).into_iter().map(rewrite).collect()
    });
    let known = problem.adopt(points, answers.collect());
    let options =
        EgoOptions { initial: Some(0), batch: BATCH, seed: job.seed, ..EgoOptions::default() };
    let mut settings = surrogate::settings(job.study(), sought, objective.response, job.seed);
    settings.inputs = vec![Transform::Linear; setting.ranges.dimension()];
    settings.response = Transform::Linear;
    let mut fit =
        |_: usize, points: &[Vec<f64>], values: &[f64]| Kriging::fit(points, values, &settings);
    let result = run_ego(&mut problem, known, &options, &mut fit);
    let result = result.map_err(|error| told(setting, records, error))?;
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

/// Why there is no surrogate to search on. Its rows are the samples, then the simulations.
fn told(setting: &Setting, records: &[Record], error: EgoError<KrigingError>) -> String {
    let (response, source) = match error {
        EgoError::Design(error) => return error.to_string(),
        EgoError::Fit { response, source } => (response, source),
    };
    let limits = setting.wanted.subject_to.iter().map(|limit| limit.response);
    let modelled = [setting.wanted.objectives[0].response].into_iter().chain(limits).nth(response);
    let modelled = modelled.unwrap_or_default();
    let done = records.iter().filter(|record| record.outcome.is_done());
    let samples = done.map(|record| format!("sample {}", record.index)).collect();
    let study = setting.job.study();
    let cause = source.told(&surrogate::labels(study, modelled, samples));
    format!("`{}` has no surrogate: {cause}", study.responses[modelled].name)
}
