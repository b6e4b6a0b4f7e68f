//! What a run does with a model: the `[run]` section, with the overrides of the command line.

pub use gudgeon::run::{Loop, Method, PressureAt, RunSpec, Until};
