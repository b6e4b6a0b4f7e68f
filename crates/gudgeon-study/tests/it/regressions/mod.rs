//! Answers that were wrong once, one file per story. Each test failed before its correction.

mod cancellation;
mod expected_improvement;
mod many_errors;
mod silent_failures;
#[path = "../../../../gudgeon-model/tests/it/regressions/wrong_kinds.rs"]
mod wrong_kinds;
