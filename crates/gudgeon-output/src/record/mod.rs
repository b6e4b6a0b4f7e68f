//! What is written of a run, an analysis or a study, and read back: `run.json`, `study.json` and the
//! one object of `--json`.
//!
//! These types are the contract with scripts: their fields only grow. They are apart from the reports
//! inside the program, and whoever makes one from a report takes the report to pieces without `..`,
//! so that a new number is either told or left out on purpose. SI units; numbers that are not finite
//! are `null` and read back as not a number. What does not exist is left out, or `null` where scripts
//! have always found the key.

mod analysis;
mod compare;
mod convert;
mod named;
mod plot;
mod run;
mod small_motions;
mod study;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

pub use analysis::*;
pub use compare::*;
pub use convert::{last_values, restitution_range};
pub use named::Named;
pub use plot::*;
pub use run::*;
pub use small_motions::*;
pub use study::*;

/// The format of `run.json` and `study.json`; files without the key have this one, too.
pub const FORMAT: u32 = 1;

/// The version of the program that writes.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A number; `null` is one that is not finite.
fn number<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    Ok(Option::<f64>::deserialize(from)?.unwrap_or(f64::NAN))
}

/// Numbers, as [`number`] reads them.
fn numbers<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<f64>, D::Error> {
    let all = Vec::<Option<f64>>::deserialize(from)?;
    Ok(all.into_iter().map(|number| number.unwrap_or(f64::NAN)).collect())
}

/// A list; `null` is an empty one.
fn list<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<Vec<T>, D::Error> {
    Ok(Option::deserialize(from)?.unwrap_or_default())
}

/// A key that is there, with `null` or without.
fn present<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Option<f64>>, D::Error> {
    Option::deserialize(from).map(Some)
}

/// How a command ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    #[default]
    Ok,
    /// The run failed; what it has is kept.
    Failed,
    /// Something was wrong before the first step; nothing was written.
    Invalid,
    /// The user stopped the run; what it has is kept.
    Interrupted,
    /// Not finished yet: the record that a killed run leaves.
    Running,
    /// Rows of a run that was killed.
    Killed,
}

impl Status {
    /// The word in JSON.
    pub fn word(self) -> &'static str {
        match self {
            Status::Ok => "ok",
            Status::Failed => "failed",
            Status::Invalid => "invalid",
            Status::Interrupted => "interrupted",
            Status::Running => "running",
            Status::Killed => "killed",
        }
    }
}

/// Something that went wrong.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Mistake {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub t: Option<f64>,
    pub message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    pub help: Option<String>,
}

/// A finding about a file: where, what, and what to do.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    pub code: Option<String>,
    pub file: Option<String>,
    pub line: Option<usize>,
    pub column: Option<usize>,
    pub message: String,
    pub help: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub severity: Option<String>,
}

/// A remark on a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Remark {
    pub code: String,
    /// The joint it is about; empty for the whole mechanism.
    pub joint: String,
    pub message: String,
    pub help: String,
}

/// Warnings about the file have a place, those of the run a joint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Warning {
    Run(Remark),
    File(Finding),
}

impl Warning {
    pub fn code(&self) -> &str {
        match self {
            Warning::Run(remark) => &remark.code,
            Warning::File(finding) => finding.code.as_deref().unwrap_or_default(),
        }
    }

    pub fn message(&self) -> &str {
        match self {
            Warning::Run(remark) => &remark.message,
            Warning::File(finding) => &finding.message,
        }
    }
}

/// A parameter of the model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Parameter {
    #[serde(deserialize_with = "number")]
    pub value: f64,
    pub unit: String,
    pub about: Option<String>,
}

/// A number in a list or object; `null` is one that is not finite.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Number(#[serde(deserialize_with = "number")] pub f64);

/// A record as JSON.
pub fn to_value(record: &impl Serialize) -> Value {
    serde_json::to_value(record).expect("records hold texts, numbers and names only")
}
