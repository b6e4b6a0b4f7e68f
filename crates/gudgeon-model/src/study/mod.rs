//! Study files: a design study of a model as plain data, in SI units.
//!
//! The way of a file: `load` parses the study, finds its model and builds it once with the changes
//! of `[run]` and `[set]`; the readers of the sections check names, units and ranges against that
//! model; `trials` asks the model about the ends of every range. Every step collects its errors.
//!
//! A point of a study is a slice of numbers, one for each variable in their order: the value in SI,
//! or, of a choice, its index.

mod alone;
mod changes;
mod design;
mod fingerprint;
mod formula;
mod formulas;
pub(crate) mod keys;
mod load;
mod measures;
mod names;
mod optimise;
mod plots;
mod points;
pub(crate) mod ranges;
mod responses;
mod sections;
mod surrogate;
pub(crate) mod sweep;
mod trials;
mod variables;

pub use gudgeon::measure::{ImpactField, ImpactStatistic, Statistic};
use gudgeon::model::{DriverId, JointId};
use gudgeon::results::LedgerKind;

use crate::units::Dimension;

pub use formula::{Formula, numbers};
pub use load::{LoadedStudy, load_study, load_study_text};
pub use measures::impact_fields;
pub use responses::response_functions;

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
    pub kind: VariableKind,
    pub(crate) dimension: Dimension,
}

/// A unit for people: a value in SI is `factor` times the number in front of `unit`.
#[derive(Clone, Debug, PartialEq)]
pub struct ShownUnit {
    pub unit: String,
    pub factor: f64,
}

#[derive(Clone, Debug, PartialEq)]
pub enum VariableKind {
    /// All values of a range; whole numbers only if `integer`.
    Range { low: f64, high: f64, scale: Scale, integer: bool },
    /// At least two, all different, all texts or all numbers.
    Choice(Vec<Choice>),
    /// A normal distribution, cut off at the limits.
    Normal { mean: f64, std: f64, limits: Option<(f64, f64)> },
    /// A uniform distribution.
    Uniform { low: f64, high: f64 },
    /// A triangular distribution, low ≤ mode ≤ high.
    Triangular { low: f64, mode: f64, high: f64 },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    Linear,
    Log,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Choice {
    /// A word, such as the name of a law.
    Text(String),
    /// A value in SI.
    Number(f64),
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
    },
    /// Levels of each variable; of a choice, as many as it has.
    Factorial {
        levels: Vec<usize>,
    },
    Sobol,
    MonteCarlo,
    /// Points of a file.
    File {
        points: Vec<Vec<f64>>,
    },
}

/// An output of the model, by name. Resolve it in the model of each sample: what it reads may
/// depend on the variables.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    pub name: String,
    /// SI unit; empty for numbers.
    pub unit: &'static str,
}

/// A number that every sample gives.
#[derive(Clone, Debug, PartialEq)]
pub struct Response {
    pub name: String,
    /// As written.
    pub text: String,
    pub measure: Measure,
    /// SI unit; empty for numbers.
    pub unit: String,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Measure {
    /// Of an output over the measuring window; `output` is an index into [`Study::outputs`].
    Output { statistic: Statistic, output: usize },
    /// Of a field over the impacts of a joint, or of one of its spots.
    Impacts { statistic: ImpactStatistic, field: ImpactField, of: Contact },
    /// Number of impacts.
    ImpactCount(Contact),
    /// Share of the measuring window in contact.
    ContactFraction(Contact),
    /// A line of the energy ledger; one that a run does not list is zero.
    Energy { kind: LedgerKind, name: String },
    /// Computed from variables and from responses before it, run by run.
    Formula(Formula),
}

/// A clearance joint, or one of its contact spots.
#[derive(Clone, Debug, PartialEq)]
pub struct Contact {
    pub joint: JointId,
    /// Name of the joint.
    pub name: String,
    /// `None` for all spots of the joint.
    pub spot: Option<String>,
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
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trend {
    Constant,
    Linear,
    Quadratic,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Correlation {
    PowerExponential,
    SquaredExponential,
    Matern32,
    Matern52,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Nugget {
    None,
    Fitted,
    /// Share of the variance of the process.
    Fixed(f64),
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
