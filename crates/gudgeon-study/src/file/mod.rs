//! Study files: a design study of a model as plain data, in SI units.
//!
//! The way of a file: `load` parses the study, finds its model and builds it once with the changes
//! of `[run]` and `[set]`; the readers of the sections check names, units and ranges against that
//! model; `trials` asks the model about the ends of every range. Every step collects its errors.
//!
//! A point of a study is a slice of numbers, one for each variable in their order: the value in SI,
//! or, of a choice, its index.

mod alone;
mod arguments;
mod changes;
mod design;
mod fingerprint;
mod formulas;
mod joints;
pub(crate) mod keys;
mod load;
mod measures;
mod names;
mod optimise;
mod plots;
mod points;
mod ranges;
mod responses;
mod sections;
mod surrogate;
mod sweep;
mod trials;
mod variables;

use std::borrow::Cow;

pub use gudgeon::measure::{ImpactField, ImpactStatistic, Statistic};
use gudgeon::model::DriverId;

pub use gudgeon_model::ranges::{Scale, ShownUnit};
use gudgeon_model::units::Dimension;

pub use crate::design::variables::{Choice, Range, Values};
pub use crate::kriging::{Correlation, Nugget, Trend};
pub use crate::responses::{Contact, Formula, Measure, Response, ResponseKind};

pub use load::{LoadedStudy, load_study, load_study_text};
pub use measures::impact_fields;
pub use responses::{read_measure, response_functions};
pub use variables::numbers;

/// Everything a study file says.
#[derive(Clone, Debug, PartialEq)]
pub struct Study {
    /// The title; the name of the file where none is given.
    pub name: String,
    pub about: Option<String>,
    /// The model as written: a file, or the name of a shipped model. `None` if all responses are
    /// formulas of variables.
    pub model: Option<String>,
    pub seed: u64,
    /// Runs per sample, from starts 1e-9 m apart.
    pub ensemble: usize,
    /// Longest time for one sample, s.
    pub time_limit: Option<f64>,
    pub variables: Vec<Variable>,
    pub design: Option<Design>,
    pub responses: Vec<Response>,
    /// Outputs that the responses are taken of, each once.
    pub outputs: Vec<Output>,
    pub surrogate: Option<Surrogate>,
    pub optimise: Option<Optimise>,
    pub sensitivity: Option<Sensitivity>,
    pub sweep: Option<Sweep>,
    pub plots: Plots,
}

/// What is varied.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    pub name: String,
    /// What is set in the model: a parameter by its name, or a key by its path.
    pub path: String,
    /// What the model says about the parameter.
    pub about: Option<String>,
    /// SI unit as a model file would write it; empty for numbers and texts.
    pub unit: String,
    /// The unit the study is written in, for tables and plots.
    pub shown: ShownUnit,
    pub values: Values,
    pub(crate) dimension: Dimension,
}

/// Where the samples lie.
#[derive(Clone, Debug, PartialEq)]
pub struct Design {
    pub method: DesignMethod,
    /// Their number, for every method.
    pub samples: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub enum DesignMethod {
    Lhs {
        optimise: bool,
        centred: bool,
        /// Levels from end to end, both among them.
        ends: bool,
    },
    /// Levels of each variable; of a choice, as many as it has.
    Factorial {
        levels: Vec<usize>,
    },
    Sobol,
    MonteCarlo,
    /// Points of a file, and its columns of responses by their indices.
    File {
        points: Vec<Vec<f64>>,
        given: Vec<(usize, Vec<f64>)>,
    },
}

/// An output of the model, by name. Resolve it in the model of each sample: what it reads may
/// depend on the variables.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    pub name: String,
    /// SI unit; empty for numbers.
    pub unit: Cow<'static, str>,
}

/// A Kriging model of the responses.
#[derive(Clone, Debug, PartialEq)]
pub struct Surrogate {
    pub trend: Trend,
    pub correlation: Correlation,
    /// Indices of the responses that are fitted.
    pub of: Vec<usize>,
    /// Indices of variables and of responses whose logarithm is used.
    pub log_variables: Vec<usize>,
    pub log_responses: Vec<usize>,
    pub nugget: Nugget,
    /// Starts of the search for the greatest likelihood.
    pub starts: usize,
    pub validation: Validation,
    /// θ and α of every variable; empty where they are found.
    pub theta: Vec<f64>,
    pub exponent: Vec<f64>,
    /// Points whose mean and variance are told.
    pub predict: Vec<Vec<f64>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Validation {
    LeaveOneOut,
    Folds(usize),
}

/// A search for the best point.
#[derive(Clone, Debug, PartialEq)]
pub struct Optimise {
    /// At least one.
    pub objectives: Vec<Objective>,
    pub subject_to: Vec<Constraint>,
    pub on: Evaluator,
    pub method: Optimiser,
    /// Most evaluations.
    pub evaluations: Option<usize>,
    /// Expected improvement of the objective, in its SI unit, below which `ego` ends.
    pub stop_below: Option<f64>,
    pub population: Option<usize>,
    pub generations: Option<usize>,
    /// Probabilities of crossover and of the mutation of a variable.
    pub crossover: Option<f64>,
    pub mutation: Option<f64>,
    /// Whether a local search follows.
    pub polish: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Objective {
    /// Index of the response.
    pub response: usize,
    pub maximise: bool,
}

/// response < limit, in SI.
#[derive(Clone, Debug, PartialEq)]
pub struct Constraint {
    /// As written.
    pub text: String,
    /// Index of the response.
    pub response: usize,
    pub relation: Relation,
    pub limit: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    Below,
    AtMost,
    Above,
    AtLeast,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evaluator {
    Surrogate,
    Simulator,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Optimiser {
    Ga,
    Nsga2,
    Ego,
}

/// Which variables matter.
#[derive(Clone, Debug, PartialEq)]
pub struct Sensitivity {
    pub sobol: bool,
    pub morris: bool,
    pub on: Evaluator,
    pub samples: Option<usize>,
}

/// One variable through its range, the others as the model has them; without a model, in the
/// middle of their ranges.
#[derive(Clone, Debug, PartialEq)]
pub struct Sweep {
    /// Index of the variable.
    pub variable: usize,
    /// Its values, rising.
    pub values: Vec<f64>,
    /// Indices of the responses that are drawn.
    pub responses: Vec<usize>,
    /// Values whose time histories are laid over one another.
    pub histories: Vec<f64>,
    /// Outputs of the histories.
    pub outputs: Vec<Output>,
    /// How much of the histories is drawn from the measuring window; all of it where `None`.
    pub show: Option<Interval>,
    pub bifurcation: Option<Bifurcation>,
}

/// An output once per period of the driver.
#[derive(Clone, Debug, PartialEq)]
pub struct Bifurcation {
    pub output: Output,
    pub every: Interval,
    /// Left out at the beginning.
    pub skip: Interval,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Interval {
    /// s
    Time(f64),
    /// Turning of a driver, rad.
    Turn { driver: DriverId, angle: f64 },
}

/// Pictures of the surrogate.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plots {
    /// Pairs of indices of variables.
    pub surfaces: Vec<(usize, usize)>,
    /// Values of variables, by index, at which pictures are drawn.
    pub slices: Vec<Vec<(usize, f64)>>,
}
