//! Answers that were wrong once, one file per story. Each test failed before its correction.

mod costs;
mod endless;
mod expected_improvement;
mod first_steps;
mod hostile;
mod nothing_lost;
mod pictures;
mod places;
mod start;
