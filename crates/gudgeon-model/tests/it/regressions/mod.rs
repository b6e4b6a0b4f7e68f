//! Answers that were wrong once, one file per story. Each test failed before its correction.

mod alone;
mod certificates;
pub mod certificates_truth;
mod extremes;
mod films;
mod fixed_steps;
mod hostile;
mod journals_in_space;
mod light_bodies;
mod long_chains;
mod many_errors;
mod missed_contacts;
mod observing;
mod pictures;
mod rows;
mod silent_failures;
mod singular_positions;
mod start;
mod unresolved_modes;
mod wrong_kinds;
