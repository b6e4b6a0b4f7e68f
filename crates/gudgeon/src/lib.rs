//! Dynamics of mechanisms as they really are: joints with clearance, friction and lubricant films.
//!
//! A [`model::Model`] is plain data in SI units; [`assembly::assemble`] brings it to a consistent start,
//! [`simulate::simulate`] runs it and answers with a [`results::RunReport`]. `gudgeon-model` makes models
//! from texts and names, with units and messages; `gudgeon-engine` compares, writes and draws.
//!
//! ```
//! use gudgeon::assembly::assemble;
//! use gudgeon::math::spatial::Frame;
//! use gudgeon::model::{Body, BodyId, Joint, JointKind, Marker, MarkerId, Model, Space};
//! use gudgeon::run::RunSpec;
//! use gudgeon::sensor::resolve;
//! use gudgeon::simulate::{Observer, simulate};
//!
//! // A rod of 2 kg and 1 m, hung at one end and released level.
//! let mut model = Model::new("pendulum", Space::Planar);
//! model.gravity.y = -9.81;
//! let mut rod = Body { mass: Some(2.0), ..Body::new("rod") };
//! rod.inertia = Some(nalgebra::Matrix3::from_diagonal_element(2.0 / 12.0));
//! rod.start.position = Some([0.5, 0.0, 0.0].into());
//! model.bodies.push(rod);
//! let marker = |body, x| Marker { name: None, body: BodyId(body), local: Frame::planar(x, 0.0, 0.0) };
//! model.markers = vec![marker(0, 0.0), marker(1, -0.5)];
//! model.joints.push(Joint::new("pivot", JointKind::Revolute, MarkerId(0), MarkerId(1)));
//!
//! struct Nobody;
//! impl Observer for Nobody {}
//! let start = assemble(&model).expect("it closes");
//! let outputs = vec![resolve(&model, "pivot.reaction").expect("an output")];
//! let report = simulate(&start, &RunSpec { outputs, ..RunSpec::seconds(2.0) }, &mut Nobody);
//! // At the bottom the pivot bears 5/2 of the weight.
//! assert!((report.extremes[0].max - 2.5 * 2.0 * 9.81).abs() < 1e-6);
//! ```
#![forbid(unsafe_code)]

pub mod assembly;
pub mod beam;
pub mod bearing;
pub mod certify;
pub mod clearance;
pub mod cpu;
pub mod ensemble;
pub mod equilibrium;
pub mod fe;
pub mod film;
pub mod flexible;
pub mod force;
pub mod formula;
pub mod friction;
mod joint;
pub mod ked;
mod limits;
mod marker;
mod masses;
pub mod math;
pub mod measure;
pub mod modal;
pub mod model;
mod pencil;
pub mod progress;
pub mod random;
pub mod reading;
pub mod results;
pub mod rfem;
pub mod run;
pub mod sensor;
pub mod simulate;
pub mod system;
pub mod time;
