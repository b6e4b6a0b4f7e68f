//! One file per command.

pub mod check;
pub mod completions;
mod model;
pub mod new;
pub mod reproduce;
pub mod run;
pub mod schema;
pub mod study;
