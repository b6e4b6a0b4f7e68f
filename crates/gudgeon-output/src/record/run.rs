//! The record of a run.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    Assembly, Finding, Mistake, Named, Number, Parameter, Status, Warning, list, number, present,
};

/// A run: `run.json`, and the object of `gudgeon run --json`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunRecord {
    /// [`super::FORMAT`] and the version of the program; in files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gudgeon: Option<String>,
    pub status: Status,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Mistake>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_by: Option<String>,
    pub model: ModelText,
    pub parameters: Named<Parameter>,
    pub extremes: Named<Extreme>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub baseline: Option<Baseline>,
    pub window: Window,
    pub impacts: Vec<Impact>,
    pub contacts: Named<Contact>,
    #[serde(skip_serializing_if = "Named::is_empty")]
    pub journals: Named<Journal>,
    #[serde(skip_serializing_if = "Named::is_empty")]
    pub films: Named<Film>,
    #[serde(skip_serializing_if = "Named::is_empty")]
    pub flexible: Named<Flexible>,
    /// Of `analysis = "ked"`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ked: Option<Ked>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<Field>,
    pub energy: Energy,
    pub drift: Drift,
    pub solver: Solver,
    /// Time and outputs at the end.
    #[serde(rename = "final")]
    pub last: Named<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ensemble: Option<Ensemble>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certificate: Option<Certificate>,
    pub assembly: Assembly,
    #[serde(deserialize_with = "list")]
    pub warnings: Vec<Warning>,
    /// In files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overrides: Option<Overrides>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub environment: Option<Environment>,
    /// In answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu: Option<Cpu>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept: Option<Kept>,
    /// What the folder holds; in files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<Vec<String>>,
    /// Of every command that did not end well, under the same key.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<Finding>,
}

/// How the vibration of the links was computed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Ked {
    pub case: String,
    pub step: f64,
    pub steps: u64,
    pub beta: f64,
    pub gamma: f64,
    pub coupling: bool,
    pub geometric_stiffness: String,
    pub elements: usize,
    pub coordinates: usize,
    /// Joints whose sides turn as one in the vibration.
    pub locked: Vec<String>,
    /// Of the linkage at the start, Hz.
    pub frequencies: Vec<f64>,
    /// Largest strain of outer fibres, bending and stretch together, by link.
    pub strains: Named<LinkPeak>,
}

/// What is known of a run before its first step: the record of one that is killed.
#[derive(Clone, Debug, Serialize)]
pub struct RunHead {
    pub format: u32,
    pub gudgeon: String,
    pub status: Status,
    pub parameters: Named<Parameter>,
    pub solver: SolverHead,
    pub model: ModelText,
    pub warnings: Vec<Warning>,
    pub overrides: Overrides,
    pub environment: Environment,
}

#[derive(Clone, Debug, Serialize)]
pub struct SolverHead {
    pub rtol: Option<f64>,
    pub options: Value,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ModelText {
    pub name: String,
    /// The texts it was made from; in files.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileText>,
    /// The data files it looks up; in files.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub data: Vec<DataText>,
}

/// A data file: its text, or its fingerprint where that is long.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct DataText {
    pub name: String,
    pub bytes: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// FNV-1a with 64 bits over the bytes of the text.
    pub fnv1a: String,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FileText {
    pub name: String,
    pub text: String,
}

/// Extremes, mean and rms of an output over the measuring window.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Extreme {
    pub unit: String,
    #[serde(deserialize_with = "number")]
    pub min: f64,
    #[serde(deserialize_with = "number")]
    pub t_min: f64,
    #[serde(deserialize_with = "number")]
    pub max: f64,
    #[serde(deserialize_with = "number")]
    pub t_max: f64,
    #[serde(deserialize_with = "number")]
    pub abs_max: f64,
    #[serde(deserialize_with = "number")]
    pub t_abs_max: f64,
    #[serde(deserialize_with = "number")]
    pub rms: f64,
    #[serde(deserialize_with = "number")]
    pub mean: f64,
    #[serde(default, deserialize_with = "number")]
    pub mean_error: f64,
    #[serde(default, deserialize_with = "number")]
    pub rms_error: f64,
    /// `false` where a redundant loop leaves it undetermined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unique: Option<bool>,
}

/// The run with ideal joints.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Baseline {
    pub extremes: Named<Extreme>,
    #[serde(rename = "final")]
    pub last: Named<Number>,
    pub solver: Solver,
}

/// The measuring window, s.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Window {
    pub from: f64,
    pub to: f64,
}

/// `loss` is all the energy the impact cost, `friction_loss` the part of it that friction took.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Impact {
    pub joint: String,
    /// Only where a joint has several.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub spot: String,
    pub number: usize,
    pub t: f64,
    pub speed_in: f64,
    pub t_out: Option<f64>,
    pub speed_out: Option<f64>,
    pub peak_force: f64,
    pub peak_depth: f64,
    pub restitution: Option<f64>,
    pub loss: f64,
    pub friction_loss: f64,
    pub floored: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Contact {
    pub impacts: usize,
    pub floored_impacts: usize,
    #[serde(deserialize_with = "number")]
    pub contact_fraction: f64,
    pub longest_contact: f64,
    pub max_depth: f64,
    #[serde(deserialize_with = "number")]
    pub max_rate_ratio: f64,
    pub max_impact_speed: f64,
    pub restitution: Option<Range>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Range {
    pub min: f64,
    pub max: f64,
}

/// How the journal of a spatial joint lay in its bearing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Journal {
    pub shares: Shares,
    pub max_misalignment: f64,
    pub left_bearing: Option<f64>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Shares {
    #[serde(deserialize_with = "number")]
    pub free: f64,
    #[serde(deserialize_with = "number")]
    pub point: f64,
    #[serde(deserialize_with = "number")]
    pub line: f64,
    #[serde(deserialize_with = "number")]
    pub opposite: f64,
}

/// How thin a film became over the whole run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Film {
    pub thinnest: f64,
    pub t: f64,
    pub angle: f64,
    pub ratio: f64,
}

/// How far a flexible link bent over the whole run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Flexible {
    pub stress: LinkPeak,
    pub tension: LinkPeak,
    pub compression: LinkPeak,
    pub deflection: LinkPeak,
}

/// A value, its place as a share of the line and in m, its time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LinkPeak {
    #[serde(deserialize_with = "number")]
    pub value: f64,
    pub along: f64,
    pub distance: f64,
    pub t: f64,
}

/// A film at an instant asked for; its pressure all around is in `pressure.csv`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Field {
    pub joint: String,
    pub t: f64,
    pub thinnest: bool,
    pub peak: FieldPeak,
    pub film: FieldThickness,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FieldPeak {
    pub pressure: f64,
    pub angle: f64,
    pub place: f64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FieldThickness {
    pub thickness: f64,
    pub angle: f64,
    pub place: f64,
}

/// The energy ledger.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Energy {
    #[serde(deserialize_with = "number")]
    pub residual_relative: f64,
    #[serde(deserialize_with = "number")]
    pub residual: f64,
    #[serde(deserialize_with = "number")]
    pub residual_max: f64,
    #[serde(deserialize_with = "number")]
    pub peak_kinetic: f64,
    pub lines: Vec<EnergyLine>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EnergyLine {
    pub kind: String,
    pub name: String,
    #[serde(deserialize_with = "number")]
    pub value: f64,
}

/// Largest distance from the constraints, over the size and the speed of the mechanism.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Drift {
    #[serde(deserialize_with = "number")]
    pub position: f64,
    #[serde(deserialize_with = "number")]
    pub velocity: f64,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Solver {
    pub method: String,
    pub reason: String,
    #[serde(deserialize_with = "number")]
    pub rtol: f64,
    pub steps: u64,
    pub rejected: u64,
    pub faults: u64,
    pub evaluations: u64,
    pub projections: u64,
    pub leaps: u64,
    pub events: u64,
    pub rows: u64,
    /// What `coordinates = "auto"` took, and why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coordinates: Option<Taken>,
    /// Of implicit methods.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub newton: Option<Newton>,
    /// In answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_seconds: Option<f64>,
    /// The method as the file asks for it; in files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub options: Option<Value>,
}

/// Coordinates that were taken by themselves.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Taken {
    pub coordinates: String,
    pub reason: String,
}

/// What the solution of implicit steps took, and why their matrix was factored.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Newton {
    pub iterations: u64,
    pub tangents: u64,
    pub factorisations: Factorisations,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Factorisations {
    pub total: u64,
    pub first: u64,
    pub resized: u64,
    pub moved: u64,
    pub slow: u64,
    pub restarted: u64,
}

/// Extremes over runs from starts that differ by a nanometre.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Ensemble {
    /// Runs that the numbers are of, and runs asked for.
    pub n: usize,
    pub asked: usize,
    /// Of those asked for: failed, cut by the time limit, and not begun.
    #[serde(default)]
    pub failed: usize,
    #[serde(default)]
    pub cut: usize,
    #[serde(default)]
    pub not_begun: usize,
    pub seed: u64,
    pub extremes: Named<EnsembleExtreme>,
    pub failures: Vec<MemberFailure>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EnsembleExtreme {
    pub unit: String,
    pub abs_max: Spread,
    pub max: Spread,
    pub min: Spread,
    pub rms: Spread,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    #[serde(deserialize_with = "number")]
    pub mean: f64,
    #[serde(deserialize_with = "number")]
    pub std: f64,
    #[serde(deserialize_with = "number")]
    pub min: f64,
    #[serde(deserialize_with = "number")]
    pub max: f64,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MemberFailure {
    pub run: usize,
    pub t: f64,
    pub message: String,
}

/// How many digits hold.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Certificate {
    pub rtol: f64,
    pub reference_rtol: f64,
    pub second_reference_rtol: f64,
    pub complete: bool,
    pub reached: f64,
    pub references: [Reference; 2],
    pub outputs: Named<CertifiedOutput>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CertifiedOutput {
    #[serde(deserialize_with = "number")]
    pub extreme_digits: f64,
    #[serde(deserialize_with = "number")]
    pub extreme_time_error: f64,
    #[serde(deserialize_with = "number")]
    pub mean_digits: f64,
    #[serde(deserialize_with = "number")]
    pub rms_digits: f64,
    #[serde(deserialize_with = "number")]
    pub digits: f64,
    #[serde(deserialize_with = "number")]
    pub horizon: f64,
    pub whole_run: bool,
}

/// A run that a certificate rests on, and how far it came.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Reference {
    pub rtol: f64,
    pub step_ratio: f64,
    pub status: Status,
    pub t: f64,
    pub cpu_seconds: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Changes of the command line.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Overrides {
    pub set: Named<String>,
    pub ideal: Vec<String>,
    /// Joints without their friction, `*` for all.
    pub frictionless: Vec<String>,
    pub law: Vec<LawOverride>,
    pub until: Option<String>,
    pub measure_from: Option<String>,
    pub plot_range: Option<String>,
    pub rtol: Option<f64>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LawOverride {
    pub joint: Option<String>,
    pub law: String,
}

/// Everything that may differ between two runs of the same file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Environment {
    pub date: String,
    pub arguments: Vec<String>,
    pub model: String,
    pub result: String,
    pub jobs: usize,
    pub threads: usize,
    pub system: String,
    pub processor: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_seconds: Option<f64>,
    #[serde(deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub baseline_cpu_seconds: Option<Option<f64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu: Option<Cpu>,
}

/// CPU time by parts, s.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Cpu {
    pub setup: f64,
    pub stepping: f64,
    pub outputs: f64,
    pub writing: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub baseline: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certificate: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ensemble: Option<f64>,
    pub total: f64,
}

/// Folders that are kept beside the result.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Kept {
    pub complete: Option<String>,
    pub killed: Option<String>,
}
