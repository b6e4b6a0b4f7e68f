//! Responses: what a study asks of every run, one number each.
//!
//! | response            | value                                                                   |
//! |---------------------|-------------------------------------------------------------------------|
//! | of an output        | extremes located on the dense output, RMS, mean, range (max − min) and percentiles over the window; value at the start and at the end of the run |
//! | of an output by turns | median, largest and smallest of the largest magnitudes of every whole turn in the window, see `turns` |
//! | first instant       | when the magnitude of an output, or of the difference of two, first exceeds a value in the run |
//! | of impacts          | sum, largest, mean and smallest of a field over the impacts of a joint that begin in the window |
//! | of one impact       | a field of impact N of a joint, counted from 1 over the whole run       |
//! | number of impacts   | in the window, or in the whole run                                      |
//! | contact fraction    | share of the window in contact                                          |
//! | of a journal        | in space: when it left its bearing, largest misalignment and shares of its situations in the window |
//! | of a contact law    | elastic force at an indentation, effective restitution; without a run   |
//! | energy              | what a line of the energy ledger, or all lines of a kind, gained in the window |
//!
//! The window is the measuring window of the run. Of the fields of impacts, the loss is all the energy
//! an impact cost. A field that a lasting contact does not have yet is left out; a sum over no impacts
//! is 0, an extreme or a mean of none is an error. A line that the ledger does not list is 0: it
//! leaves out springs that have done nothing and joints without play.
//!
//! Studies and `gudgeon reproduce` measure with the same words; `kept` decides for both what a run keeps
//! for them.

mod contact;
mod error;
mod formula;
mod instants;
mod joint;
mod kept;
mod ledger;
mod measure;
mod output;
mod percentile;
mod rows;
mod still;
mod text;
mod turns;

use gudgeon::model::Model;

pub use gudgeon::measure::{ImpactField, ImpactStatistic, Statistic, TurnStatistic};
pub use gudgeon::system::Situation;

pub use contact::Contact;
pub use error::ResponseError;
pub(crate) use error::turning_drivers;
pub use formula::Formula;
pub(crate) use formula::{Given, Source, Term};
pub use instants::Instants;
pub use kept::{Kept, measured_run, prepare};
pub use measure::{JournalValue, LawValue, Measure, RunData};
pub use rows::Rows;
pub use still::{ModeValue, STATES};
pub use turns::TurnPeaks;

/// A number that every sample gives.
#[derive(Clone, Debug, PartialEq)]
pub struct Response {
    pub name: String,
    /// As written in a study file.
    pub text: String,
    pub kind: ResponseKind,
    /// SI unit; empty for numbers.
    pub unit: String,
}

#[derive(Clone, Debug, PartialEq)]
pub enum ResponseKind {
    /// Taken of a run.
    Measured(Measure),
    /// Computed from variables and from responses before it, run by run.
    Formula(Formula),
    /// Answered by a function of the caller, who runs the samples.
    Given,
}

impl Response {
    /// What is measured in runs of a model.
    pub fn measured(name: &str, measure: Measure, model: &Model) -> Result<Self, ResponseError> {
        let unit = measure.unit(model)?.into_owned();
        let (name, text) = (name.to_owned(), measure.to_string());
        Ok(Self { name, text, kind: ResponseKind::Measured(measure), unit })
    }

    pub fn measure(&self) -> Option<&Measure> {
        match &self.kind {
            ResponseKind::Measured(measure) => Some(measure),
            ResponseKind::Formula(_) | ResponseKind::Given => None,
        }
    }

    pub fn formula(&self) -> Option<&Formula> {
        match &self.kind {
            ResponseKind::Measured(_) | ResponseKind::Given => None,
            ResponseKind::Formula(formula) => Some(formula),
        }
    }
}
