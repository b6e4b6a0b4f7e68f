//! One model in several variants: the record of a comparison.

use serde::{Deserialize, Serialize};

use super::{
    Environment, Extreme, Finding, Mistake, ModelText, Named, Number, Overrides, Status, Warning,
};

/// `run.json` of a comparison, and the object of `gudgeon compare --json`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CompareRecord {
    /// [`super::FORMAT`] and the version of the program; in files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gudgeon: Option<String>,
    pub status: Status,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Mistake>,
    /// What varies: `method`, `coordinates`, `law`, `film`.
    pub by: String,
    /// What the variants assume differently.
    pub theory: Vec<TheoryRecord>,
    pub variants: Vec<VariantRecord>,
    /// Per output, how far apart the largest values are, over the largest of them.
    pub spread: Named<Number>,
    pub model: ModelText,
    /// In files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overrides: Option<Overrides>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub environment: Option<Environment>,
    /// In answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<Finding>,
}

/// One variant: what it gave, or why it gave nothing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct VariantRecord {
    pub name: String,
    pub status: Status,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The way out of the error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    pub cpu_seconds: Option<f64>,
    /// Elements of every flexible link.
    #[serde(skip_serializing_if = "Named::is_empty")]
    pub elements: Named<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub converged: Option<bool>,
    /// Of an analysis without motion its values, without times.
    pub extremes: Named<Extreme>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
}

/// An aspect of theory in which variants are not alike.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TheoryRecord {
    pub aspect: String,
    pub assumed: Vec<Assumed>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Assumed {
    pub variant: String,
    pub assumes: String,
}
