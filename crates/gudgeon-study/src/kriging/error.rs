//! What can be wrong with samples and settings, and what a user should know about a model.
//!
//! Rows and columns are indices from 0 in the values and counted from 1 in the messages.

use super::settings::Trend;

#[derive(Debug, thiserror::Error)]
pub enum KrigingError {
    #[error("there are no samples")]
    NoSamples,
    #[error("{inputs} rows of inputs but {responses} responses")]
    ResponseCount { inputs: usize, responses: usize },
    #[error("row {} has {found} inputs where {expected} are expected", .row + 1)]
    InputCount { row: usize, expected: usize, found: usize },
    #[error("{} of row {} is not a finite number", place(.column), .row + 1)]
    NotFinite { row: usize, column: Option<usize> },
    #[error("{} of row {} is {value}: its logarithm needs a positive number", place(.column), .row + 1)]
    NotPositive { row: usize, column: Option<usize>, value: f64 },
    #[error(
        "a {trend} trend has {unknowns} unknowns and needs at least {} samples, {samples} given",
        .unknowns + 1
    )]
    TooFewSamples { trend: Trend, samples: usize, unknowns: usize },
    #[error(
        "rows {} and {} are the same point with different responses, {} and {}; \
         help: fit a nugget or give the variance of the noise",
        .rows.0 + 1, .rows.1 + 1, .values.0, .values.1
    )]
    Duplicates { rows: (usize, usize), values: (f64, f64) },
    #[error(
        "the samples do not determine the {trend} trend: term {term} depends on the others; \
         help: use a simpler trend or more levels of the inputs"
    )]
    TrendRank { trend: Trend, term: String },
    #[error("{name}: {found} values where {expected} are expected")]
    SettingCount { name: &'static str, expected: usize, found: usize },
    #[error("{name} = {value} is out of range, {range}")]
    SettingRange { name: &'static str, value: f64, range: &'static str },
    #[error("known noise with fixed parameters needs the variance of the process, too")]
    MissingVariance,
    #[error(
        "the correlation matrix cannot be factored, even with {jitter:.0e} added to its diagonal; \
         help: larger theta, or a nugget"
    )]
    Singular { jitter: f64 },
    #[error("{folds} folds of {samples} samples: between 2 and {samples} are possible")]
    Folds { folds: usize, samples: usize },
    #[error("not a Kriging model: {0}")]
    Format(#[from] serde_json::Error),
    #[error("`{found}` in version {version} cannot be read; `{expected}` in version 1 can")]
    Version { expected: &'static str, found: String, version: u32 },
}

fn place(column: &Option<usize>) -> String {
    column.map_or("response".to_owned(), |c| format!("input {}", c + 1))
}

#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Warning {
    #[error("every response is {value}: the model returns this constant")]
    ConstantResponse { value: f64 },
    #[error("the {trend} trend passes through all samples: the model is this trend alone")]
    ExactTrend { trend: Trend },
    #[error("input {} has the same value in all samples: the model does not depend on it", .column + 1)]
    ConstantInput { column: usize },
    #[error("row{} repeated without new information and left out", rows_message(.rows))]
    DuplicatesDropped { rows: Vec<usize> },
    #[error(
        "the correlation matrix is nearly singular (condition {condition:.1e}); \
         {jitter:.1e} was added to its diagonal"
    )]
    NearlySingular { condition: f64, jitter: f64 },
    #[error("{name} = {value:.4e} is at a bound of its search")]
    AtBound { name: String, value: f64 },
}

fn rows_message(rows: &[usize]) -> String {
    let names: Vec<_> = rows.iter().map(|r| (r + 1).to_string()).collect();
    let plural = if rows.len() == 1 { " " } else { "s " };
    format!("{plural}{}", names.join(", "))
}
