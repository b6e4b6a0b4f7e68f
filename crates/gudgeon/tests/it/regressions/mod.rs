//! Answers that were wrong once, one file per story. Each test failed before its correction.

mod runs_cut;
mod stretches;
