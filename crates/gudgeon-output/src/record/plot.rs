//! The records of a picture that `gudgeon plot` draws, and of a page that `gudgeon report` writes.

use serde::{Deserialize, Serialize};

use super::{Mistake, Status};

/// The object of `gudgeon plot --json`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PlotRecord {
    pub status: Status,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Mistake>,
    /// File of the picture.
    pub svg: Option<String>,
    pub outputs: Vec<String>,
    /// What they are drawn over: `t`, or an output.
    pub over: String,
    /// Time of the first and last row that is drawn, s.
    pub from: f64,
    pub to: f64,
    pub results: Vec<PlottedResult>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PlottedResult {
    /// Its name in the legend.
    pub label: String,
    /// Rows of the part that is drawn.
    pub rows: usize,
}

/// The object of `gudgeon report --json`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ReportRecord {
    pub status: Status,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Mistake>,
    /// File of the page.
    pub report: Option<String>,
    pub bytes: usize,
}
