//! Outputs: what a run can report, by name.
//!
//! A name is `owner[.frame].quantity[.component]`; a vector without component is its magnitude.
//! Forces and torques of a joint act on the second side of `between`; contact forces likewise on
//! the journal. Positions, velocities and accelerations are in world axes, the eccentricity of a
//! journal in axes of its bearing.

mod evaluate;
mod names;

pub use names::{UnknownOutput, catalogue, resolve};

use crate::marker::Attachment;

/// A resolved output.
#[derive(Clone, Debug, PartialEq)]
pub struct Sensor {
    pub name: String,
    /// Unit of the value in SI, as a model file would write it (`"m/s^2"`, `""` for numbers).
    pub unit: &'static str,
    /// One line for `check --outputs`.
    pub about: &'static str,
    pub(crate) source: Source,
}

/// What a sensor reads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Source {
    Place(Attachment, PlaceQuantity),
    KineticEnergyOf(usize),
    Joint(usize, JointQuantity),
    Contact(usize, ContactQuantity),
    Driver(usize, DriverQuantity),
    Force(usize, ForceQuantity),
    KineticEnergy,
    PotentialEnergy,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Component {
    X,
    Y,
    Magnitude,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PlaceQuantity {
    Position(Component),
    Velocity(Component),
    Acceleration(Component),
    Angle,
    AngularVelocity,
    AngularAcceleration,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JointQuantity {
    Reaction(Component),
    ReactionTorque,
    Angle,
    AngularVelocity,
    Displacement,
    Velocity,
}

/// Index is that of the joint; ideal joints answer as a contact without play would.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ContactQuantity {
    Force(Component),
    Normal,
    Friction,
    Indentation,
    IndentationRate,
    Eccentricity(Component),
    Sliding,
    InContact,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DriverQuantity {
    Load,
    Power,
    Value,
    Rate,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ForceQuantity {
    Value,
    Power,
    Energy,
}
