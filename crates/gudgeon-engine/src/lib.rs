//! Everything that Gudgeon does, as library calls: what the command line offers is one call here, and
//! so is what other doors offer.
//!
//! ```
//! use gudgeon_engine::{Overrides, RunJob, RunOptions, Source, Unwatched};
//!
//! // A file, a folder with `model.toml`, or the name of a shipped model.
//! let source = Source::find("slider_crank".as_ref()).expect("a model");
//! let changes = Overrides {
//!     set: vec![("clearance".into(), "0.2 mm".into())],
//!     until: Some("0.5 rev".into()),
//!     measure_from: Some("0 s".into()),
//!     ..Overrides::default()
//! };
//! let job = RunJob::new(source, changes, RunOptions::default()).expect("it can be assembled");
//! let outcome = job.run(&Unwatched); // nothing is written, nothing is drawn
//! let record = outcome.record(&job);
//! let force = &record.extremes["pin.contact_force"];
//! let ideal = &record.baseline.as_ref().expect("the pin has clearance").extremes["pin.contact_force"];
//! assert!(force.abs_max > ideal.abs_max && force.unit == "N");
//! ```
//!
//! | module | what |
//! |---|---|
//! | [`source`], [`refusal`] | from what the user names to a mechanism; what is found before the first step |
//! | [`run`] | a run with its baseline, certificate and ensemble; its result folder and pictures |
//! | [`check`] | a mechanism that is read and assembled only |
//! | [`compare`] | one model in variants that differ by a word |
//! | [`analysis`] | equilibria, modes, harmonic response |
//! | [`bearing`] | rest and coefficients of journals in their films |
//! | [`study`] | a design study from its samples to its pictures |
//! | [`reproduce`] | the tables of a paper, recomputed |
//! | [`plot`] | pictures of results that are there already |
//! | [`report`] | the page of a result |
//! | [`draft`], [`generate`] | folders to start from; models of any size, generated |
//!
//! Progress and cancellation go through one trait that is passed in, [`gudgeon::progress::Progress`].
//! Nothing here is global, prints, or listens to signals.
#![forbid(unsafe_code)]

pub mod analysis;
pub mod bearing;
pub mod check;
pub mod compare;
pub mod draft;
mod fields;
pub mod generate;
pub mod plot;
pub mod refusal;
pub mod report;
pub mod reproduce;
pub mod run;
pub mod source;
pub mod study;
pub mod text;

pub use gudgeon::progress::{Progress, Unwatched};
pub use gudgeon_model::{Mechanism, Overrides};
pub use refusal::Refusal;
pub use run::{RunJob, RunOptions, RunOutcome, Series};
pub use source::Source;
