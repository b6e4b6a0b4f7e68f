//! The engine as other programs use it.

mod examples;
mod lean;
mod records;
