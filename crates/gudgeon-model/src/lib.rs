//! Model files of Gudgeon: from text to a mechanism.
//!
//! The way of a file: [`source`] keeps its text, `parse` turns it into a tree with spans, `inherit`
//! merges the files it uses, `overrides` writes the values of the command line into the tree, the
//! `spec` readers check every table against its list of keys, and `build` resolves names into a
//! [`gudgeon::model::Model`]. [`study`] reads studies of a model the same way. Every step collects
//! its errors; a file with errors gives all of them.
#![forbid(unsafe_code)]

mod build;
pub mod diagnostic;
pub mod expr;
mod failure;
mod files;
mod inherit;
mod integral;
mod keys;
mod load;
pub mod materials;
mod misplaced;
mod notes;
mod overrides;
mod parse;
mod reader;
mod run;
pub mod schema;
pub mod shipped;
pub mod source;
mod spec;
pub mod study;
pub mod text;
mod tree;
mod turns;
pub mod units;
mod values;
mod vectors;
pub mod words;

pub use failure::Failure;
pub use load::{Loaded, ResolvedParameter, Resolver, load, load_text};
pub use overrides::Overrides;
pub use run::{Analysis, Loop, Method, PressureAt, RunSpec, Until, Vary};
pub use study::{LoadedStudy, Study, load_study, load_study_text};
