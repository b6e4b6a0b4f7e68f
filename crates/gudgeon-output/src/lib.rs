//! Results of a run: the folder, its tables and its plots.
//!
//! A [`ResultFolder`] is written beside its final place and exchanged for the old one when it is
//! complete. Rows go to the tables as the run proceeds ([`SeriesWriter`]); plots are made from
//! streaming reductions ([`plot::Envelope`], [`plot::Orbit`]), so memory does not grow with the
//! length of the run. The same input gives the same bytes.

#![forbid(unsafe_code)]

mod alone;
pub mod csv;
mod error;
mod exchange;
mod folder;
mod kept;
pub mod motion;
mod names;
mod parquet;
pub mod plot;
pub mod record;
mod recover;
pub mod run_json;
mod salvage;
#[cfg(test)]
mod scratch;
mod series;
mod table;

pub use crate::alone::save;
pub use crate::csv::{CentreLinesWriter, LoopsWriter, PressureWriter};
pub use crate::error::OutputError;
pub use crate::exchange::Obstacle;
pub use crate::folder::{Committed, ResultFolder};
pub use crate::parquet::COLUMNS_KEY;
pub use crate::recover::Repair;
pub use crate::series::{Column, SeriesFormat, SeriesWriter};
pub use crate::table::SeriesReader;
