//! Answers that were wrong once, one file per story. Each test failed before its correction.

mod cancellation;
mod expected_improvement;
#[path = "../functions/mod.rs"]
mod functions;
