//! Efficient global optimisation: the samples to begin with, then simulations where they pay.
//!
//! What the study models by its logarithm enters by it: the objective, the responses with limits, and
//! variables, whatever the scale of their range.

use gudgeon::progress::Progress;
use gudgeon_study::design::variables::{Range, Ranges};
use gudgeon_study::file::{Constraint, Surrogate as Sought};
use gudgeon_study::kriging::{Kriging, KrigingError, Refit, Settings, Transform};
use gudgeon_study::optimise::ego::{
    EgoEnd, EgoError, EgoOptions, EgoResult, Fits, Modelled, Surrogate, ego as run_ego,
};
use gudgeon_study::optimise::{Outcome as Answered, Problem};
use gudgeon_study::store::Record;

use super::{Found, NEAREST, Setting, excess, methods};
use crate::study::{Runs, surrogate};

/// Simulations at a time, whatever the number of cores, so that the result does not depend on it.
const BATCH: usize = 2;

/// The best of samples and simulations.
pub fn ego(setting: &Setting, records: &[Record], runs: &mut Runs) -> Result<Found, String> {
    let (job, wanted) = (setting.job, setting.wanted);
    setting.check_models()?;
    let sought = job.study().surrogate.as_ref().ok_or("`ego` needs a surrogate")?;
    let terms = Terms { setting, sought };
    let points = records.iter().map(|record| record.point.clone()).collect();
    let answers = records.iter().map(|record| match record.outcome.values() {
        Some(values) => terms.answer(values),
        None => Answered::failed(),
    });
    let answers = answers.collect();
    let budget = methods::budget(wanted, setting.ranges.dimension());
    let mut problem = Problem::new(setting.ranges, budget, |rows: &[Vec<f64>]| {
        let answers = runs.evaluate(rows).into_iter();
        answers.map(|a| a.map_or_else(|_| Answered::failed(), |v| terms.answer(&v))).collect()
    })
    .watched(job.progress);
    let known = problem.adopt(points, answers);
    let options = EgoOptions {
        initial: Some(0),
        batch: BATCH,
        stop_below: wanted.stop_below,
        modelled: terms.modelled(),
        seed: job.seed,
        ..EgoOptions::default()
    };
    let (inputs, settings) = terms.model(setting.ranges);
    let mut fits = Fits::new(settings, job.progress);
    let mut fit = |response: usize, points: &[Vec<f64>], values: &[f64], parameters: Refit| {
        let kriging = fits.fit(response, &inputs.of(points), values, parameters)?;
        Ok::<_, KrigingError>(OverUnits { kriging, inputs: &inputs, progress: job.progress })
    };
    let result = run_ego(&mut problem, known, &options, &mut fit);
    let result = result.map_err(|error| told(setting, records, budget, error))?;
    let evaluations = problem.evaluations();
    found(&terms, result, records.len(), evaluations)
}

fn found(
    terms: &Terms,
    result: EgoResult,
    samples: usize,
    evaluations: usize,
) -> Result<Found, String> {
    let best = result.best.as_ref().ok_or("there is nothing to begin with")?;
    if best.violation.is_infinite() {
        return Err("every evaluation failed".into());
    }
    let end = match result.end {
        EgoEnd::BudgetSpent => "all evaluations are spent",
        EgoEnd::NothingToGain => "the expected improvement is below `stop_below`",
        EgoEnd::NoNewPoint => "every point has been simulated",
    };
    let note = if best.feasible() { end.to_owned() } else { format!("{NEAREST}; {end}") };
    let mut lowest = f64::INFINITY;
    let history = result.runs.iter().enumerate().filter_map(|(number, run)| {
        let better = run.feasible() && run.objective() < lowest;
        better.then(|| {
            lowest = run.objective();
            (number + 1, terms.plain(lowest))
        })
    });
    let history = history.collect();
    Ok(Found { history, points: vec![best.values.clone()], evaluations, samples, note: Some(note) })
}

/// Objective and limits as they are modelled.
struct Terms<'a> {
    setting: &'a Setting<'a, 'a>,
    sought: &'a Sought,
}

impl Terms<'_> {
    fn is_log(&self, response: usize) -> bool {
        self.sought.log_responses.contains(&response)
    }

    /// Of a simulation; one without the logarithm that is needed counts as failed.
    fn answer(&self, values: &[f64]) -> Answered {
        let value = |response: usize| self.setting.job.value(values, response);
        let objective = self.setting.wanted.objectives[0];
        let sign = if objective.maximise { -1.0 } else { 1.0 };
        let by_log =
            |response| if self.is_log(response) { log(value(response)) } else { value(response) };
        let limit = |limit: &Constraint| {
            // A response with a logarithm keeps or breaks a limit below zero anyway.
            if !self.is_log(limit.response) || limit.limit <= 0.0 {
                return excess(limit, value(limit.response));
            }
            let by_log = Constraint { limit: limit.limit.ln(), ..limit.clone() };
            excess(&by_log, log(value(limit.response)))
        };
        Answered {
            objectives: vec![sign * by_log(objective.response)],
            constraints: self.setting.wanted.subject_to.iter().map(limit).collect(),
        }
    }

    /// What the objective that is modelled says about its response.
    fn modelled(&self) -> Modelled {
        let objective = self.setting.wanted.objectives[0];
        match (self.is_log(objective.response), objective.maximise) {
            (false, _) => Modelled::Value,
            (true, false) => Modelled::Logarithm,
            (true, true) => Modelled::NegativeLogarithm,
        }
    }

    /// The objective as the study writes it.
    fn plain(&self, value: f64) -> f64 {
        let objective = self.setting.wanted.objectives[0];
        let value = if objective.maximise { -value } else { value };
        if self.is_log(objective.response) { value.exp() } else { value }
    }

    /// How models are fitted over the unit cube.
    fn model<'r>(&self, ranges: &'r Ranges) -> (Inputs<'r>, Settings) {
        let job = self.setting.job;
        let response = self.setting.wanted.objectives[0].response;
        let numbers = |range: &Range| matches!(range, Range::Linear { .. } | Range::Integer { .. });
        let by_value = ranges.as_slice().iter().enumerate();
        let by_value: Vec<bool> = by_value
            .map(|(i, range)| self.sought.log_variables.contains(&i) && numbers(range))
            .collect();
        let transform =
            |by_value: &bool| if *by_value { Transform::Log } else { Transform::Linear };
        let settings = Settings {
            inputs: by_value.iter().map(transform).collect(),
            response: Transform::Linear,
            ..surrogate::settings(job.study(), self.sought, response, job.seed)
        };
        (Inputs { ranges, by_value }, settings)
    }
}

/// The logarithm, or not a number where there is none.
fn log(value: f64) -> f64 {
    if value > 0.0 { value.ln() } else { f64::NAN }
}

/// Inputs of a model from coordinates of the unit cube: some by their value, to be taken by its
/// logarithm.
struct Inputs<'a> {
    ranges: &'a Ranges,
    by_value: Vec<bool>,
}

impl Inputs<'_> {
    fn of(&self, units: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let one = |unit: &Vec<f64>| {
            let all = self.ranges.as_slice().iter().zip(&self.by_value).zip(unit);
            all.map(|((range, by_value), u)| if *by_value { range.value(*u) } else { *u }).collect()
        };
        units.iter().map(one).collect()
    }
}

/// A model by its inputs, seen from the unit cube.
struct OverUnits<'a> {
    kriging: Kriging,
    inputs: &'a Inputs<'a>,
    progress: &'a dyn Progress,
}

impl Surrogate for OverUnits<'_> {
    fn predict(&self, points: &[Vec<f64>]) -> Vec<(f64, f64)> {
        match self.kriging.predict_watched(&self.inputs.of(points), self.progress) {
            Ok(all) => all.iter().map(|at| (at.mean, at.variance)).collect(),
            Err(_) => vec![(f64::NAN, 0.0); points.len()],
        }
    }

    fn log_likelihood(&self) -> Option<f64> {
        self.kriging.log_likelihood()
    }
}

/// Why there is no surrogate to search on. Its rows are the samples, then the simulations.
fn told(
    setting: &Setting,
    records: &[Record],
    budget: usize,
    error: EgoError<KrigingError>,
) -> String {
    let (response, source) = match error {
        EgoError::Design(error) => return error.to_string(),
        EgoError::Fit { response, source } => (response, source),
    };
    let limits = setting.wanted.subject_to.iter().map(|limit| limit.response);
    let modelled = [setting.wanted.objectives[0].response].into_iter().chain(limits).nth(response);
    let modelled = modelled.unwrap_or_default();
    let study = setting.job.study();
    let rows = surrogate::rows(records, budget);
    let cause = source.told(&surrogate::labels(study, modelled, rows));
    format!("`{}` has no surrogate: {cause}", study.responses[modelled].name)
}
