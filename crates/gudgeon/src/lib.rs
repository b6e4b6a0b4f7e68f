//! Dynamics of mechanisms as they really are: joints with play, friction and flexible links.
#![forbid(unsafe_code)]

pub mod clearance;
pub mod math;
pub mod model;
pub mod sensor;
pub mod time;
