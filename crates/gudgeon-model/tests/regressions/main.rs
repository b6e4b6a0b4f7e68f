//! Answers that were wrong once, one file per story. Each test failed before its correction.

mod certificates;
mod certificates_truth;
#[path = "../common/mod.rs"]
mod common;
mod rows;
