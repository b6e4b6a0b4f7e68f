//! Dynamics of mechanisms as they really are: joints with play, friction and flexible links.
#![forbid(unsafe_code)]

pub mod assembly;
pub mod bearing;
pub mod certify;
pub mod clearance;
pub mod cpu;
pub mod ensemble;
pub mod film;
mod force;
mod joint;
mod limits;
mod marker;
pub mod math;
pub mod measure;
pub mod model;
pub mod progress;
pub mod random;
pub mod results;
pub mod run;
pub mod sensor;
pub mod simulate;
pub mod system;
pub mod time;
