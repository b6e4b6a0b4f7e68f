//! Model files of Gudgeon: from text to a mechanism.
//!
//! The way of a file: [`source`] keeps its text, `parse` turns it into a tree with spans, `inherit`
//! merges the files it uses, [`data`] reads the tables that expressions look up, `overrides` writes the values of the command line into the tree, the
//! `spec` readers check every table against its list of keys, and `build` resolves names into a
//! [`gudgeon::model::Model`]. Every step collects its errors; a file with errors gives all of them.
//!
//! [`keys`], [`reader`], [`values`] and [`ParsedModel`] are public for readers of other files about a
//! model: `gudgeon-study` reads studies with them.
#![forbid(unsafe_code)]

mod build;
pub mod data;
pub mod diagnostic;
pub mod expr;
mod failure;
pub mod files;
mod inherit;
mod integral;
pub mod keys;
pub mod load;
pub mod materials;
mod mechanism;
mod misplaced;
mod notes;
mod order;
pub mod overrides;
pub mod parse;
pub mod ranges;
pub mod reader;
mod run;
pub mod schema;
pub mod shipped;
pub mod source;
pub mod spec;
pub mod text;
pub mod tree;
mod turns;
pub mod units;
pub mod values;
mod vectors;
pub mod words;
pub mod write;

pub use failure::Failure;
pub use load::{Loaded, ParsedModel, ResolvedParameter, Resolver, load, load_text};
pub use mechanism::{Mechanism, Setting};
pub use overrides::Overrides;
pub use run::{
    Analysis, Loop, Method, ModalAnalysis, PressureAt, ResponseAnalysis, RunSpec, StaticAnalysis,
    Until, Vary,
};
