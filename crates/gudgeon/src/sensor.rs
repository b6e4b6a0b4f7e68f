//! Outputs: what a run can report, by name.
//!
//! A name is `owner[.frame].quantity[.component]`; a vector without component is its magnitude.

use crate::model::Model;

/// A resolved output.
#[derive(Clone, Debug, PartialEq)]
pub struct Sensor {
    pub name: String,
    /// Unit of the value in SI, as a model file would write it (`"m/s^2"`, `""` for numbers).
    pub unit: &'static str,
    /// One line for `check --outputs`.
    pub about: &'static str,
}

/// Why a name is no output.
#[derive(Clone, Debug, PartialEq)]
pub struct UnknownOutput {
    /// The part of the name that is wrong, as a byte range of it.
    pub part: std::ops::Range<usize>,
    pub message: String,
    /// Names that could stand instead, nearest first.
    pub candidates: Vec<String>,
}

/// Every output of a model, in a fixed order.
pub fn catalogue(_model: &Model) -> Vec<Sensor> {
    Vec::new()
}

/// Finds an output by name.
pub fn resolve(_model: &Model, name: &str) -> Result<Sensor, UnknownOutput> {
    Ok(Sensor { name: name.into(), unit: "", about: "" })
}
