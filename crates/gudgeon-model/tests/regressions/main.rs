//! Answers that were wrong once, one file per story. Each test failed before its correction.

#[path = "../common/mod.rs"]
mod common;

mod alone;
mod fixed_steps;
mod journals_in_space;
mod light_bodies;
mod long_chains;
mod singular_positions;
