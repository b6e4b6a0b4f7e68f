//! Kriging models of the responses.

use gudgeon_model::study::{
    Correlation, Nugget, Scale, Study, Surrogate, Trend, Validation as Wanted, VariableKind,
};
use gudgeon_study::kriging::{
    self, Folds, Kriging, Parameters, Refit, Search, Settings, Transform, Validation,
};
use gudgeon_study::store::Record;

use super::Job;

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
    pub warnings: Vec<String>,
}

pub fn fit_all(job: &Job, records: &[Record]) -> Vec<Fitted> {
    let Some(surrogate) = &job.study().surrogate else { return Vec::new() };
    let fit = |response: &usize| Fitted {
        response: *response,
        model: fit(job, surrogate, *response, records),
    };
    surrogate.of.iter().map(fit).collect()
}

fn fit(
    job: &Job,
    surrogate: &Surrogate,
    response: usize,
    records: &[Record],
) -> Result<Model, String> {
    let done = || records.iter().filter_map(|r| Some((&r.point, r.outcome.values()?)));
    let inputs: Vec<&[f64]> = done().map(|(point, _)| point.as_slice()).collect();
    let values: Vec<f64> = done().map(|(_, values)| job.value(values, response)).collect();
    let settings = settings(job.study(), surrogate, response, job.seed);
    let kriging = Kriging::fit(&inputs, &values, &settings).map_err(|error| error.to_string())?;
    let (method, validation) = match surrogate.validation {
        Wanted::LeaveOneOut => ("leave-one-out".to_owned(), kriging.leave_one_out()),
        Wanted::Folds(count) => {
            let count = count.min(values.len());
            let folds = Folds { count, seed: job.seed, parameters: Refit::Kept };
            let validation = kriging.k_fold(folds).map_err(|error| error.to_string())?;
            (format!("{count} folds"), validation)
        }
    };
    let warnings = warnings(job.study(), &kriging);
    Ok(Model { kriging, method, validation, warnings })
}

/// What the study asks for; axes that are sampled by their logarithm are modelled by it.
pub fn settings(study: &Study, surrogate: &Surrogate, response: usize, seed: u64) -> Settings {
    let input = |i: usize| {
        let by_log =
            matches!(study.variables[i].kind, VariableKind::Range { scale: Scale::Log, .. });
        if by_log || surrogate.log_variables.contains(&i) {
            Transform::Log
        } else {
            Transform::Linear
        }
    };
    let by_log = surrogate.log_responses.contains(&response);
    let search = Search { starts: surrogate.starts, seed, ..Search::default() };
    Settings {
        trend: match surrogate.trend {
            Trend::Constant => kriging::Trend::Constant,
            Trend::Linear => kriging::Trend::Linear,
            Trend::Quadratic => kriging::Trend::Quadratic,
        },
        correlation: match surrogate.correlation {
            Correlation::PowerExponential => kriging::Correlation::PowerExponential,
            Correlation::SquaredExponential => kriging::Correlation::SquaredExponential,
            Correlation::Matern32 => kriging::Correlation::Matern32,
            Correlation::Matern52 => kriging::Correlation::Matern52,
        },
        inputs: (0..study.variables.len()).map(input).collect(),
        response: if by_log { Transform::Log } else { Transform::Linear },
        nugget: match surrogate.nugget {
            Nugget::None => kriging::Nugget::None,
            Nugget::Fitted => kriging::Nugget::Fitted,
            Nugget::Fixed(share) => kriging::Nugget::Fixed(share),
        },
        parameters: Parameters::Fitted(search),
        ..Settings::default()
    }
}

fn warnings(study: &Study, kriging: &Kriging) -> Vec<String> {
    // The model counts its inputs; people know them by name. From the last, since 1 begins 10.
    let named = |text: String| {
        let inputs = study.variables.iter().enumerate().rev();
        inputs.fold(text, |text, (i, variable)| {
            text.replace(&format!("input {}", i + 1), &format!("`{}`", variable.name))
        })
    };
    let mut all: Vec<String> =
        kriging.report().warnings.iter().map(|warning| named(warning.to_string())).collect();
    for variable in study.variables.iter().filter(|variable| variable.is_text()) {
        all.push(format!("the words of `{}` enter as the numbers 0, 1, …", variable.name));
    }
    all
}
