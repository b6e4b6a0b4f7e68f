//! How far an evaluation must go before an output can be read.

use super::{
    ContactQuantity, DriverQuantity, FilmQuantity, JointQuantity, LinkQuantity, PlaceQuantity,
    SectionQuantity, Sensor, Source, SpotQuantity,
};
use crate::model::JointId;
use crate::system::System;
use crate::system::compile::RowSource;
use crate::system::tree::Tree;

/// Stages of an evaluation; each contains those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Needs {
    /// Positions, velocities, prescribed motions; what follows from them at once, such as applied
    /// forces and energies.
    Motion,
    /// Forces of contacts and films.
    Forces,
    /// Accelerations, and λ of all rows but those of joints that a tree carries.
    Accelerations,
    /// All λ.
    Reactions,
}

impl Needs {
    /// What all of the outputs need, and largest stresses of divided links.
    pub fn of(outputs: &[Sensor], system: &System) -> Self {
        let stressed = system.tree.is_some() && system.chains().any(|chain| chain.is_held());
        let least = if stressed { Self::Reactions } else { Self::Motion };
        outputs.iter().map(|output| output.needs(system)).max().unwrap_or(least).max(least)
    }
}

impl Sensor {
    pub(crate) fn needs(&self, system: &System) -> Needs {
        match self.source {
            Source::Place(_, _, quantity) => match quantity {
                PlaceQuantity::Acceleration(_) | PlaceQuantity::AngularAcceleration(_) => {
                    Needs::Accelerations
                }
                PlaceQuantity::Position(_)
                | PlaceQuantity::Velocity(_)
                | PlaceQuantity::Angle
                | PlaceQuantity::AngularVelocity(_)
                | PlaceQuantity::Orientation(_) => Needs::Motion,
            },
            Source::Joint(joint, quantity) => match quantity {
                JointQuantity::Reaction(..) | JointQuantity::ReactionTorque(..) => {
                    reaction(joint, system)
                }
                JointQuantity::Value(_)
                | JointQuantity::Rate(_)
                | JointQuantity::Cardan(_)
                | JointQuantity::CardanRate(_) => Needs::Motion,
            },
            Source::Contact(joint, quantity) => match quantity {
                ContactQuantity::Force(_) | ContactQuantity::Normal => reaction(joint, system),
                ContactQuantity::Friction | ContactQuantity::Situation => Needs::Forces,
                ContactQuantity::Indentation
                | ContactQuantity::IndentationRate
                | ContactQuantity::Eccentricity(_)
                | ContactQuantity::Sliding
                | ContactQuantity::InContact
                | ContactQuantity::Misalignment
                | ContactQuantity::Shift => Needs::Motion,
            },
            Source::Spot(_, _, quantity) => match quantity {
                SpotQuantity::Force(_) | SpotQuantity::Normal | SpotQuantity::Friction => {
                    Needs::Forces
                }
                SpotQuantity::Indentation
                | SpotQuantity::IndentationRate
                | SpotQuantity::Eccentricity(_)
                | SpotQuantity::EccentricityAngle
                | SpotQuantity::Sliding
                | SpotQuantity::InContact => Needs::Motion,
            },
            // An ideal joint in place of a film shows its reaction.
            Source::Film(joint, FilmQuantity::Force(_)) => reaction(joint, system),
            Source::Film(..) => Needs::Forces,
            Source::Friction(..) => Needs::Accelerations,
            Source::Driver(_, quantity) => match quantity {
                DriverQuantity::Load | DriverQuantity::Power => Needs::Accelerations,
                DriverQuantity::Value | DriverQuantity::Rate => Needs::Motion,
            },
            Source::Formula(ref formula) => formula.needs(system),
            Source::Section(body, _, SectionQuantity::Force(_) | SectionQuantity::Stress)
            | Source::Link(body, LinkQuantity::LargestStress) => {
                match system.chain(body + 1).is_some_and(|chain| chain.is_held()) {
                    true => Needs::Reactions,
                    false => Needs::Motion,
                }
            }
            Source::KineticEnergyOf(_)
            | Source::Ked(..)
            | Source::Wrench(..)
            | Source::Section(..)
            | Source::Link(..)
            | Source::Force(..)
            | Source::KineticEnergy
            | Source::PotentialEnergy => Needs::Motion,
        }
    }
}

/// A joint without rows bears its load by contacts and films alone.
fn reaction(joint: usize, system: &System) -> Needs {
    let carried = |tree: &Tree| tree.carries(JointId(joint));
    match system.rows_of(RowSource::Joint(JointId(joint))).next() {
        None => Needs::Forces,
        Some(_) if system.erls.is_some() => Needs::Reactions,
        Some(_) if system.tree.as_ref().is_some_and(carried) => Needs::Reactions,
        Some(_) => Needs::Accelerations,
    }
}
