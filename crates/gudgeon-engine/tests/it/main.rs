//! The engine as other programs use it.

mod agreement;
mod examples;
mod lean;
mod motion;
mod records;
