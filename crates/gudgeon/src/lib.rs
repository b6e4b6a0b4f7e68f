//! Dynamics of mechanisms as they really are: joints with play, friction and flexible links.
#![forbid(unsafe_code)]

pub mod assembly;
pub mod clearance;
mod force;
mod joint;
mod marker;
pub mod math;
pub mod model;
pub mod sensor;
pub mod system;
pub mod time;
