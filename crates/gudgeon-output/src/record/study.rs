//! The record of a design study.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{DataText, Finding, Named, Number, Status, Warning, number, numbers};

/// A study: `study.json`, and the object of `gudgeon study --json`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct StudyRecord {
    /// [`super::FORMAT`] and the version of the program; in files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gudgeon: Option<String>,
    pub status: Status,
    pub error: Option<String>,
    pub study: StudyHead,
    /// The data files that its model looks up.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub data: Vec<DataText>,
    pub variables: Vec<Variable>,
    pub responses: Vec<Response>,
    pub design: Option<Design>,
    /// Left out of an interrupted study with very many; the journal has them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub samples: Option<Vec<Sample>>,
    pub failures: Vec<SampleFailure>,
    pub statistics: Named<SampleStatistics>,
    pub notes: Vec<Note>,
    pub surrogates: Vec<Surrogate>,
    pub optimum: Option<Search>,
    pub sensitivity: Option<Sensitivity>,
    pub sweep: Option<Sweep>,
    pub plots: Vec<String>,
    pub warnings: Vec<Warning>,
    /// In answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<Seconds>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resumed: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept: Option<KeptStudy>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repairs: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<Finding>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StudyHead {
    pub name: String,
    pub model: Option<String>,
    pub seed: u64,
    pub ensemble: usize,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Variable {
    pub name: String,
    pub path: String,
    /// SI unit, and the one that the study is written in.
    pub unit: String,
    pub shown: String,
    pub bounds: Option<[f64; 2]>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Response {
    pub name: String,
    /// As written.
    pub of: String,
    pub unit: String,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Design {
    pub method: String,
    pub samples: usize,
    pub done: usize,
    pub failed: usize,
}

/// A value of a variable: a number in SI, or the word of a choice.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Shown {
    Number(f64),
    Word(String),
    /// A number that is not finite.
    None(Value),
}

pub type Point = Named<Shown>;
/// By the names of the columns; `null` where there are none.
pub type Values = Option<Named<Number>>;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    pub sample: usize,
    pub variables: Point,
    pub responses: Values,
    pub status: String,
    pub notes: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SampleFailure {
    pub sample: usize,
    pub variables: Point,
    pub status: String,
    pub cause: Option<String>,
}

/// Of a response over the samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SampleStatistics {
    #[serde(deserialize_with = "number")]
    pub mean: f64,
    #[serde(deserialize_with = "number")]
    pub std: f64,
    #[serde(deserialize_with = "number")]
    pub min: f64,
    #[serde(deserialize_with = "number")]
    pub p5: f64,
    #[serde(deserialize_with = "number")]
    pub median: f64,
    #[serde(deserialize_with = "number")]
    pub p95: f64,
    #[serde(deserialize_with = "number")]
    pub max: f64,
    /// Mean over the samples of the standard deviation within an ensemble.
    pub spread: Option<f64>,
}

/// What the runs of the samples had to say.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Note {
    pub code: Option<String>,
    pub samples: usize,
    pub message: String,
}

/// The surrogate of a response, or why there is none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Surrogate {
    Fitted(Box<FittedSurrogate>),
    Failed { response: String, error: String },
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FittedSurrogate {
    pub response: String,
    pub file: String,
    pub samples: usize,
    pub validation: String,
    #[serde(deserialize_with = "number")]
    pub q2: f64,
    #[serde(deserialize_with = "number")]
    pub rmse: f64,
    #[serde(deserialize_with = "numbers")]
    pub predicted: Vec<f64>,
    #[serde(deserialize_with = "numbers")]
    pub standardised_residuals: Vec<f64>,
    #[serde(deserialize_with = "numbers")]
    pub theta: Vec<f64>,
    #[serde(deserialize_with = "numbers")]
    pub exponent: Vec<f64>,
    #[serde(deserialize_with = "number")]
    pub nugget: f64,
    #[serde(deserialize_with = "number")]
    pub process_variance: f64,
    #[serde(deserialize_with = "number")]
    pub log_likelihood: f64,
    #[serde(deserialize_with = "number")]
    pub condition: f64,
    /// At the points that the study asks for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub predictions: Vec<PointPrediction>,
    pub warnings: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Search {
    pub method: String,
    pub on: String,
    pub evaluations: usize,
    pub simulations: usize,
    pub note: Option<String>,
    pub remarks: Vec<String>,
    pub points: Vec<Optimum>,
    /// Runs so far, and the best objective.
    pub history: Vec<(usize, Number)>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Optimum {
    pub variables: Point,
    pub predicted: Named<Prediction>,
    pub simulated: Values,
    pub error: Option<String>,
    pub keeps_limits: Option<bool>,
    pub on_front: Option<bool>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Prediction {
    #[serde(deserialize_with = "number")]
    pub mean: f64,
    #[serde(deserialize_with = "number")]
    pub std: f64,
}

/// What a surrogate says of one point.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PointPrediction {
    pub variables: Point,
    #[serde(deserialize_with = "number")]
    pub mean: f64,
    #[serde(deserialize_with = "number")]
    pub std: f64,
    #[serde(deserialize_with = "number")]
    pub variance: f64,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sensitivity {
    pub on: String,
    pub simulations: usize,
    pub responses: Named<Effects>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Effects {
    pub sobol: Option<OrError<Sobol>>,
    pub morris: Option<OrError<Named<Morris>>>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum OrError<T> {
    Error { error: String },
    Found(T),
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sobol {
    pub variables: Named<SobolOf>,
    #[serde(deserialize_with = "number")]
    pub variance: f64,
    pub used: usize,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SobolOf {
    pub first: Index,
    pub total: Index,
}

/// With its 95 % interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Index {
    #[serde(deserialize_with = "number")]
    pub value: f64,
    #[serde(deserialize_with = "number")]
    pub low: f64,
    #[serde(deserialize_with = "number")]
    pub high: f64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Morris {
    #[serde(deserialize_with = "number")]
    pub mean: f64,
    #[serde(deserialize_with = "number")]
    pub mean_size: f64,
    #[serde(deserialize_with = "number")]
    pub std: f64,
    pub count: usize,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sweep {
    pub variable: String,
    pub points: Vec<SweepPoint>,
    pub bifurcation: Option<Vec<Branch>>,
    pub histories: Vec<History>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SweepPoint {
    pub value: f64,
    pub responses: Values,
    pub error: Option<String>,
}

/// States once per period of the driver, at one value.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Branch {
    pub value: f64,
    pub states: Option<Vec<Number>>,
    pub period: Option<usize>,
    pub transient: Option<usize>,
    pub looked_for: Option<usize>,
    pub found: Option<String>,
    pub error: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct History {
    pub value: f64,
    pub file: Option<String>,
    pub error: Option<String>,
}

/// Wall time, s.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Seconds {
    pub samples: f64,
    pub rest: f64,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct KeptStudy {
    pub complete: Option<String>,
}
