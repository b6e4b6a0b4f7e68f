//! Design studies: study files, sampling of designs, Kriging surrogates, search, sensitivity, and the
//! journal that survives a kill.
//!
//! ```
//! use gudgeon_model::Overrides;
//! use gudgeon_study::kriging::{Kriging, Settings};
//! use gudgeon_study::runner::Simulator;
//! use gudgeon_study::shipped;
//!
//! // A shipped study: a test function, without a model.
//! let study = shipped::find_study("branin").expect("it is shipped");
//! let study = shipped::load(&study, &Overrides::default()).unwrap_or_else(|error| panic!("{error}"));
//! let points = study.study.points(1).expect("a design");
//! let samples = study.samples();
//! let value = |point: &Vec<f64>| samples.run(point, 1, &|| false).expect("a formula").values[0];
//! let values: Vec<f64> = points.iter().map(value).collect();
//! let surrogate = Kriging::fit(&points, &values, &Settings::default()).expect("it fits");
//! let there = surrogate.predict(&points[0]).expect("a point of the study").mean;
//! // It passes through its samples, as far as the condition of its matrix allows.
//! assert!((there - values[0]).abs() < 1e-4 * values[0].abs().max(1.0));
//! ```
//!
//! `design`, `kriging`, `optimise` and `sensitivity` are mathematics: they import nothing of `file` or
//! `runner`.
#![forbid(unsafe_code)]

pub mod design;
pub mod file;
pub mod kriging;
pub mod linear;
pub mod optimise;
pub mod periods;
mod plan;
pub mod responses;
pub mod runner;
pub mod schema;
pub mod sensitivity;
pub mod shipped;
pub mod state;
pub mod store;
pub mod sweep;
pub mod turns;
