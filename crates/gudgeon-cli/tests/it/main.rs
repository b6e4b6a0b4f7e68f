//! All integration tests of the crate in one program, which is linked once.

mod bad_input;
mod bearing;
mod codes;
mod commands;
mod common;
mod compare;
mod documents;
mod exits;
mod flexible;
mod json;
mod licences;
mod messages;
mod named_outputs;
mod plot;
mod readme;
mod regressions;
mod report;
mod reproduce;
mod results;
mod small_motions;
mod study;
mod study_plots;
mod study_robust;
mod study_search;
mod study_sweep;
mod tables;
