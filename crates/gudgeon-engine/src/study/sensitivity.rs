//! Which variables matter, for every response.

use gudgeon_study::file::{Evaluator, Sensitivity as Wanted};
use gudgeon_study::sensitivity::{
    IndexOptions, MorrisEffect, MorrisOptions, SobolIndices, morris, sobol_indices,
};

use super::runs::Answer;
use super::surrogate::Model;
use super::sweep::all_failed;
use super::{Runs, StudyJob, StudyOutcome, optimise};

/// Base samples and trajectories where the study gives no number.
const SAMPLES: [usize; 2] = [4096, 64];
const TRAJECTORIES: [usize; 2] = [200, 10];
/// Points that are predicted together.
const BLOCK: usize = 4096;

pub struct Sensitivity {
    pub on: &'static str,
    pub simulations: usize,
    pub responses: Vec<OfResponse>,
}

pub struct OfResponse {
    /// Index of the response.
    pub response: usize,
    pub sobol: Option<Result<SobolIndices, String>>,
    pub morris: Option<Result<Vec<MorrisEffect>, String>>,
}

pub fn analyse(job: &StudyJob, outcome: &mut StudyOutcome) {
    let Some(wanted) = &job.study().sensitivity else { return };
    if wanted.on == Evaluator::Surrogate {
        let found = outcome.fitted.iter().filter_map(|fitted| {
            let model = fitted.model.as_ref().ok()?;
            let mut f = |points: &[Vec<f64>]| {
                points.chunks(BLOCK).flat_map(|block| predict(job, model, block)).collect()
            };
            Some(of_response(job, wanted, fitted.response, 0, &mut f))
        });
        let responses = found.collect();
        if !job.progress.is_cancelled() {
            let on = "surrogate";
            outcome.sensitivity = Some(Sensitivity { on, simulations: 0, responses });
        }
        return;
    }
    let simulator = job.samples();
    let plan = job.plan_of("sensitivity");
    let folder = job.shown.join("sensitivity");
    let opened = Runs::open(
        &*simulator,
        &folder,
        (job, &plan),
        "effects",
        expected(job, wanted),
        &mut outcome.repairs,
    );
    let mut runs = match opened {
        Ok(runs) => runs,
        Err(message) => return outcome.fail(message),
    };
    let (mut all, mut causes) = (Vec::new(), Vec::new());
    for response in 0..job.study().responses.len() {
        let mut f = |points: &[Vec<f64>]| {
            let rows: Vec<Vec<f64>> = points.iter().map(|p| job.study().values(p)).collect();
            let answers = runs.evaluate(&rows);
            let value = |answer: &Answer| match answer {
                Ok(values) => job.value(values, response),
                Err(_) => f64::NAN,
            };
            let values = answers.iter().map(value).collect();
            if response == 0 {
                causes.extend(answers.into_iter().map(Result::err));
            }
            values
        };
        all.push(of_response(job, wanted, response, 1, &mut f));
    }
    let simulations = runs.count();
    match runs.finish() {
        None if job.progress.is_cancelled() => {}
        None => {
            let found = Sensitivity { on: "simulator", simulations, responses: all };
            outcome.sensitivity = Some(found);
            let causes = causes.iter().map(Option::as_ref);
            if let Err(message) = all_failed("simulations of the sensitivity", causes) {
                outcome.fail(message);
            }
        }
        stop => outcome.stop(stop),
    }
}

/// Predictions at points of the unit cube; nothing is predicted any more once the study is cancelled.
fn predict(job: &StudyJob, model: &Model, points: &[Vec<f64>]) -> Vec<f64> {
    if job.progress.is_cancelled() {
        return vec![f64::NAN; points.len()];
    }
    let rows: Vec<Vec<f64>> = points.iter().map(|p| job.study().values(p)).collect();
    optimise::predict(job, Some(model), &rows)
}

fn expected(job: &StudyJob, wanted: &Wanted) -> usize {
    let d = job.study().variables.len();
    let sobol = wanted.samples.unwrap_or(SAMPLES[1]) * (d + 2);
    let morris = wanted.samples.unwrap_or(TRAJECTORIES[1]) * (d + 1);
    usize::from(wanted.sobol) * sobol + usize::from(wanted.morris) * morris
}

fn of_response(
    job: &StudyJob,
    wanted: &Wanted,
    response: usize,
    cost: usize,
    f: &mut dyn FnMut(&[Vec<f64>]) -> Vec<f64>,
) -> OfResponse {
    let (d, seed) = (job.study().variables.len(), job.seed);
    let samples = wanted.samples.unwrap_or(SAMPLES[cost]);
    let options = IndexOptions { samples, seed, ..IndexOptions::default() };
    let sobol = wanted
        .sobol
        .then(|| sobol_indices(d, &options, job.progress, f).map_err(|error| error.to_string()));
    let trajectories = wanted.samples.unwrap_or(TRAJECTORIES[cost]);
    let options = MorrisOptions { trajectories, seed, ..MorrisOptions::default() };
    let goes_on = !job.progress.is_cancelled();
    let morris =
        (wanted.morris && goes_on).then(|| morris(d, &options, f).map_err(|e| e.to_string()));
    OfResponse { response, sobol, morris }
}
