//! Design studies: sampling of designs, Kriging surrogates, genetic search, sensitivity.
#![forbid(unsafe_code)]

pub mod design;
pub mod kriging;
pub mod linear;
pub mod optimise;
pub mod periods;
pub mod responses;
pub mod runner;
pub mod sensitivity;
pub mod state;
pub mod store;
pub mod sweep;
pub mod turns;
