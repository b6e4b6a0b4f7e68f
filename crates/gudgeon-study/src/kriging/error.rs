//! What can be wrong with samples and settings, and what a user should know about a model.
//!
//! Rows and columns are indices from 0 in the values. Messages call them by the user's [`Labels`], or
//! count them from 1.

use super::settings::Trend;

/// What inputs and rows are called in messages; those without a label are counted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Labels {
    pub inputs: Vec<String>,
    pub rows: Vec<String>,
    pub response: Option<String>,
}

impl Labels {
    fn input(&self, column: usize) -> String {
        self.inputs.get(column).cloned().unwrap_or_else(|| format!("input {}", column + 1))
    }

    fn row(&self, row: usize) -> String {
        self.rows.get(row).cloned().unwrap_or_else(|| format!("row {}", row + 1))
    }

    /// An input, or the response without a column.
    fn place(&self, column: Option<usize>) -> String {
        let response = || self.response.clone().unwrap_or_else(|| "response".to_owned());
        column.map_or_else(response, |column| self.input(column))
    }

    /// `a`, `b and c`, `d, e and f`
    fn list(names: Vec<String>) -> String {
        match names.split_last() {
            Some((last, [])) => last.clone(),
            Some((last, others)) => format!("{} and {last}", others.join(", ")),
            None => String::new(),
        }
    }

    fn inputs(&self, columns: &[usize]) -> String {
        Self::list(columns.iter().map(|column| self.input(*column)).collect())
    }

    fn rows(&self, rows: &[usize]) -> String {
        Self::list(rows.iter().map(|row| self.row(*row)).collect())
    }
}

#[derive(Debug, thiserror::Error)]
pub enum KrigingError {
    #[error("there are no samples")]
    NoSamples,
    #[error("{inputs} rows of inputs but {responses} responses")]
    ResponseCount { inputs: usize, responses: usize },
    #[error("{}", self.told(&Labels::default()))]
    InputCount { row: usize, expected: usize, found: usize },
    #[error("{}", self.told(&Labels::default()))]
    NotFinite { row: usize, column: Option<usize> },
    #[error("{}", self.told(&Labels::default()))]
    NotPositive { row: usize, column: Option<usize>, value: f64 },
    #[error(
        "a {trend} trend has {unknowns} unknowns and needs at least {} samples, {samples} given",
        .unknowns + 1
    )]
    TooFewSamples { trend: Trend, samples: usize, unknowns: usize },
    #[error("{samples} samples are too many: a model takes {most} at most")]
    TooManySamples { samples: usize, most: usize },
    #[error("{}", self.told(&Labels::default()))]
    Duplicates { rows: (usize, usize), values: (f64, f64) },
    #[error("{}", self.told(&Labels::default()))]
    TrendRank {
        trend: Trend,
        /// Number of the dependent term, and of the inputs.
        term: usize,
        inputs: usize,
    },
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
    #[error("the work on the model was cancelled")]
    Cancelled,
    #[error("not a Kriging model: {0}")]
    Format(#[from] serde_json::Error),
    #[error("`{found}` in version {version} cannot be read; `{expected}` in version 1 can")]
    Version { expected: &'static str, found: String, version: u32 },
}

impl KrigingError {
    /// The message in the words of the user.
    pub fn told(&self, labels: &Labels) -> String {
        match self {
            Self::InputCount { row, expected, found } => {
                let row = labels.row(*row);
                format!("{row} has {found} inputs where {expected} are expected")
            }
            Self::NotFinite { row, column } => {
                let place = labels.place(*column);
                format!("{place} of {} is not a finite number", labels.row(*row))
            }
            Self::NotPositive { row, column, value } => format!(
                "{} of {} is {value}: its logarithm needs a positive number",
                labels.place(*column),
                labels.row(*row)
            ),
            Self::Duplicates { rows, values } => format!(
                "{} and {} are the same point with different responses, {} and {}; \
                 help: fit a nugget (`nugget = true`), which stands for what is random",
                labels.row(rows.0),
                labels.row(rows.1),
                short(values.0),
                short(values.1)
            ),
            Self::TrendRank { trend, term, inputs } => format!(
                "the samples do not determine the {trend} trend: its term {} follows from the \
                 others; help: use a simpler trend or more levels of the inputs",
                trend.term_name(*term, *inputs, &|input| labels.input(input))
            ),
            other => other.to_string(),
        }
    }
}

/// What a user should know about a model. There is at most one of each kind.
#[derive(Clone, Debug, PartialEq)]
pub enum Warning {
    ConstantResponse {
        value: f64,
    },
    ExactTrend {
        trend: Trend,
    },
    ConstantInputs {
        columns: Vec<usize>,
    },
    DuplicatesDropped {
        rows: Vec<usize>,
    },
    NearlySingular {
        condition: f64,
        jitter: f64,
    },
    /// θ at its lower bound, and predictions that hardly change.
    NoInfluence {
        columns: Vec<usize>,
    },
    /// θ at its upper bound: between samples the model knows the trend alone.
    TooFarApart {
        columns: Vec<usize>,
    },
    /// The nugget at its upper bound.
    NoiseAlone {
        nugget: f64,
    },
}

impl Warning {
    /// The message in the words of the user.
    pub fn told(&self, labels: &Labels) -> String {
        match self {
            Self::ConstantResponse { value } => {
                format!("every response is {value}: the model returns this constant")
            }
            Self::ExactTrend { trend } => {
                format!(
                    "the {trend} trend passes through all samples: the model is this trend alone"
                )
            }
            Self::ConstantInputs { columns } => {
                let it = if columns.len() == 1 { "it" } else { "them" };
                let which = has(columns, labels);
                format!("{which} the same value in all samples: the model does not depend on {it}")
            }
            Self::DuplicatesDropped { rows } => {
                format!("{} repeated without new information and left out", labels.rows(rows))
            }
            Self::NearlySingular { condition, jitter } => format!(
                "the correlation matrix is nearly singular (condition {condition:.1e}); \
                 {jitter:.1e} was added to its diagonal"
            ),
            Self::NoInfluence { columns } => {
                format!("{} no influence that the samples show", has(columns, labels))
            }
            Self::TooFarApart { columns } => format!(
                "the samples lie too far apart along {} to see what happens between them",
                labels.inputs(columns)
            ),
            Self::NoiseAlone { nugget } => {
                format!("the samples look like noise alone (nugget {nugget}, its upper bound)")
            }
        }
    }
}

/// A number with up to six digits.
fn short(number: f64) -> f64 {
    format!("{number:.5e}").parse().unwrap_or(number)
}

fn has(columns: &[usize], labels: &Labels) -> String {
    let verb = if columns.len() == 1 { "has" } else { "have" };
    format!("{} {verb}", labels.inputs(columns))
}

impl std::fmt::Display for Warning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.told(&Labels::default()))
    }
}
