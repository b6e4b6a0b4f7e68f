//! All integration tests of the crate in one program, which is linked once.

mod accuracy;
mod assembly;
mod common;
mod components;
mod derivatives;
mod derivatives_contacts;
mod determinism;
mod energy;
mod failures;
mod films;
mod forces;
mod friction;
mod friction_joints;
mod friction_sticking;
mod gaps;
mod implicit;
mod laws;
mod modes;
mod momentum;
mod momentum_space;
mod outputs;
mod regressions;
mod rest;
mod spatial;
mod tangents;
