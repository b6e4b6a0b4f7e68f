//! One file per command.

pub mod check;
pub mod compare;
pub mod completions;
pub mod new;
pub mod plot;
pub mod report;
pub mod reproduce;
pub mod run;
pub mod schema;
pub mod study;
