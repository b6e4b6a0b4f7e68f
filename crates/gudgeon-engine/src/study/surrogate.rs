//! Kriging models of the responses.

use gudgeon_study::file::{Scale, Study, Surrogate, Validation as Wanted};
use gudgeon_study::kriging::{
    Folds, HyperParameters, Kriging, Labels, Nugget, Parameters, Prediction, Refit, Search,
    Settings, Transform, Validation,
};
use gudgeon_study::store::Record;

use super::StudyJob;
use crate::text::share;

/// Models that explain less of the variance are warned of.
const POOR: f64 = 0.5;

/// The model of one response.
pub struct Fitted {
    /// Index of the response.
    pub response: usize,
    /// The model, or why there is none.
    pub model: Result<Model, String>,
}

pub struct Model {
    pub kriging: Kriging,
    /// How it was validated, and with what result.
    pub method: String,
    pub validation: Validation,
    /// At the points of `predict`.
    pub predictions: Vec<(Vec<f64>, Prediction)>,
    pub warnings: Vec<String>,
}

/// Models of the samples and of simulations that a search has added.
pub fn fit_all(job: &StudyJob, samples: &[Record], infill: &[Record]) -> Vec<Fitted> {
    let Some(surrogate) = &job.study().surrogate else { return Vec::new() };
    let fit = |response: &usize| Fitted {
        response: *response,
        model: fit(job, surrogate, *response, [samples, infill]),
    };
    let mut all: Vec<Fitted> = surrogate.of.iter().map(fit).collect();
    if job.progress.is_cancelled() {
        all.retain(|fitted| fitted.model.is_ok()); // the others have not failed
    }
    all
}

fn fit(
    job: &StudyJob,
    surrogate: &Surrogate,
    response: usize,
    records: [&[Record]; 2],
) -> Result<Model, String> {
    let all = || records.into_iter().flatten();
    let value = |record: &Record| job.given(record, response);
    let done = || all().filter_map(|record| Some((record, value(record)?)));
    let inputs: Vec<&[f64]> = done().map(|(record, _)| record.point.as_slice()).collect();
    let values: Vec<f64> = done().map(|(_, value)| value).collect();
    let is_done = all().map(|record| value(record).is_some());
    let named = rows(records[0], records[1].len()).into_iter().zip(is_done);
    let named = named.filter(|(_, done)| *done).map(|(name, _)| name).collect();
    let labels = labels(job.study(), response, named);
    let settings = settings(job.study(), surrogate, response, job.seed);
    let kriging = Kriging::fit_watched(&inputs, &values, &settings, job.progress);
    let kriging = kriging.map_err(|error| error.told(&labels))?;
    let (method, validation) = match surrogate.validation {
        Wanted::LeaveOneOut => ("leave-one-out".to_owned(), kriging.leave_one_out()),
        Wanted::Folds(count) => {
            let count = count.min(values.len());
            let folds = Folds { count, seed: job.seed, parameters: Refit::Kept };
            let validation = kriging.k_fold_watched(folds, job.progress);
            let validation = validation.map_err(|error| error.told(&labels))?;
            (format!("{count} folds"), validation)
        }
    };
    let mut warnings: Vec<String> =
        kriging.report().warnings.iter().map(|warning| warning.told(&labels)).collect();
    if validation.q2 < POOR {
        let share = share(validation.q2.max(0.0));
        warnings.push(format!("the surrogate explains {share} of the variance: do not rely on it"));
    }
    let predicted = kriging.predict_watched(&surrogate.predict, job.progress);
    let predicted = predicted.map_err(|error| error.told(&labels))?;
    let predictions = surrogate.predict.iter().cloned().zip(predicted).collect();
    Ok(Model { kriging, method, validation, predictions, warnings })
}

/// Names of samples and of so many simulations of the search after them.
pub fn rows(samples: &[Record], infill: usize) -> Vec<String> {
    let sampled = samples.iter().map(|record| format!("sample {}", record.index));
    sampled.chain((0..infill).map(|k| format!("simulation {k} of the search"))).collect()
}

/// What a model of a response calls its inputs and rows.
pub fn labels(study: &Study, response: usize, rows: Vec<String>) -> Labels {
    let quoted = |name: &str| format!("`{name}`");
    Labels {
        inputs: study.variables.iter().map(|variable| quoted(&variable.name)).collect(),
        rows,
        response: Some(quoted(&study.responses[response].name)),
    }
}

/// What the study asks for; axes that are sampled by their logarithm are modelled by it.
pub fn settings(study: &Study, surrogate: &Surrogate, response: usize, seed: u64) -> Settings {
    let input = |i: usize| {
        let by_log = study.variables[i].values.scale() == Scale::Log;
        if by_log || surrogate.log_variables.contains(&i) {
            Transform::Log
        } else {
            Transform::Linear
        }
    };
    let by_log = surrogate.log_responses.contains(&response);
    let mut search = Search { starts: surrogate.starts, seed, ..Search::default() };
    if let Some(alpha) = surrogate.exponent.first() {
        search.exponent = [*alpha; 2];
    }
    let parameters = match surrogate.theta.is_empty() {
        true => Parameters::Fitted(search),
        false => Parameters::Fixed(HyperParameters {
            theta: surrogate.theta.clone(),
            exponent: surrogate.exponent.clone(),
            nugget: match surrogate.nugget {
                Nugget::Fixed(share) => share,
                Nugget::None | Nugget::Fitted => 0.0,
            },
            variance: None,
        }),
    };
    Settings {
        trend: surrogate.trend,
        correlation: surrogate.correlation,
        inputs: (0..study.variables.len()).map(input).collect(),
        response: if by_log { Transform::Log } else { Transform::Linear },
        nugget: surrogate.nugget,
        parameters,
        ..Settings::default()
    }
}
