//! Outputs: what a run can report, by name.
//!
//! A name is `owner[.frame].quantity[.component]`; a vector without component is its magnitude.
//! Forces and torques of a joint act on the second side of `between`; contact forces likewise on
//! the journal. Positions, velocities, accelerations and forces are in world axes, unless the name
//! says `local`: then in axes of the joint's first side, as the eccentricity of a journal always is.
//! Deflections of flexible links are in axes of the chord, what a section bears in those of the section.
//! Torques are about the joint's second frame. A joint with several contact spots has each of them
//! as an owner of its own: `pin.V`, `pin.W`. Outputs by formula have the name that the model gives them.

mod cardan;
mod evaluate;
mod film;
mod flexible;
mod formula;
mod friction;
mod names;
mod needs;
mod pattern;
mod quantities;
mod size;
mod unique;

pub(crate) use evaluate::reaction;
pub use formula::{MAX_READ, OutputFormula, TooLong};
pub use names::{Outputs, UnknownOutput, catalogue, resolve};
pub(crate) use needs::Needs;
pub use pattern::{fits, is_pattern};

use std::borrow::Cow;

use crate::ked::KedQuantity;
use crate::math::spatial::Frame;
use crate::model::{Axes, Coordinate};

/// A resolved output.
#[derive(Clone, Debug, PartialEq)]
pub struct Sensor {
    pub name: String,
    /// Unit of the value in SI, as a model file would write it (`"m/s^2"`, `""` for numbers).
    pub unit: Cow<'static, str>,
    /// One line for `check --outputs`.
    pub about: Cow<'static, str>,
    pub(crate) source: Source,
}

impl Sensor {
    /// Without a name, for what is read of a run beside its outputs.
    pub(crate) fn internal(source: Source) -> Self {
        Self { name: String::new(), unit: "".into(), about: "".into(), source }
    }

    /// Whether it is known only where links vibrate about the motion of the rigid mechanism; of a formula,
    /// whether something it reads is.
    pub fn is_of_vibration(&self) -> bool {
        self.inputs().iter().any(|input| matches!(input.source, Source::Ked(..)))
    }

    /// Whether it needs a link that bends.
    pub fn is_of_bending(&self) -> bool {
        let bends = |input: &Sensor| matches!(input.source, Source::Section(..) | Source::Link(..));
        self.is_of_vibration() || self.inputs().iter().any(bends)
    }

    /// Whether small values are the ones to look at.
    pub fn least_matters(&self) -> bool {
        matches!(self.source, Source::Film(_, FilmQuantity::Thickness))
    }

    /// Whether it may have no value at some instants, which then is NaN.
    pub fn may_be_missing(&self) -> bool {
        matches!(self.source, Source::Formula(_))
    }

    /// The outputs that it is computed from; itself unless it is a formula.
    pub fn inputs(&self) -> &[Sensor] {
        match &self.source {
            Source::Formula(formula) => formula.inputs(),
            _ => std::slice::from_ref(self),
        }
    }
}

/// What a sensor reads.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Source {
    /// A place in the own axes of a body of the model.
    Place(usize, Frame, PlaceQuantity),
    KineticEnergyOf(usize),
    /// Moving body that is flexible, share of its line.
    Section(usize, f64, SectionQuantity),
    /// Moving body that is flexible.
    Link(usize, LinkQuantity),
    /// Moving body that is flexible, share of its line: of its vibration about the rigid motion.
    Ked(usize, f64, KedQuantity),
    /// Force element, part of it, whether on its second side, what of the wrench: never by name.
    Wrench(usize, usize, bool, WrenchPart),
    Joint(usize, JointQuantity),
    Contact(usize, ContactQuantity),
    /// Joint, spot of it.
    Spot(usize, usize, SpotQuantity),
    Film(usize, FilmQuantity),
    /// Joint, one of its surfaces or contact spots or all of them.
    Friction(usize, Option<usize>, FrictionQuantity),
    Driver(usize, DriverQuantity),
    Force(usize, ForceQuantity),
    KineticEnergy,
    PotentialEnergy,
    /// Of other outputs.
    Formula(OutputFormula),
}

/// Of a wrench in the plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WrenchPart {
    X,
    Y,
    Torque,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Component {
    X,
    Y,
    Z,
    Magnitude,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PlaceQuantity {
    Position(Component),
    Velocity(Component),
    Acceleration(Component),
    Angle,
    AngularVelocity(Component),
    AngularAcceleration(Component),
    /// Component w, x, y, z of the quaternion of the body's own axes.
    Orientation(usize),
}

/// Of a place on the line of a flexible link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SectionQuantity {
    /// Against the chord.
    Deflection(Component),
    Strain,
    /// γ_y, γ_z.
    Shear(usize),
    /// Twist, κ_y, κ_z.
    Curvature(usize),
    Force(Component),
    Moment(Component),
    /// Of the outer fibres, the larger in magnitude with its sign.
    Stress,
    /// From the equivalent rigid link, and the place on that.
    Displacement(Component),
    EquivalentPosition(Component),
}

/// Of a whole flexible link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LinkQuantity {
    StrainEnergy,
    DampingPower,
    LargestStress,
    LargestStrain,
    LargestDeflection,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JointQuantity {
    Reaction(Component, Axes),
    ReactionTorque(Component, Axes),
    Value(Coordinate),
    Rate(Coordinate),
    /// Angles of R_z(ψ) R_y(θ) R_x(φ), and their rates.
    Cardan(CardanAngle),
    CardanRate(CardanAngle),
}

/// One of the angles of R_z(ψ) R_y(θ) R_x(φ).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CardanAngle {
    Psi,
    Theta,
    Phi,
}

/// Of all contacts of a joint together; ideal joints answer as a contact without play would.
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
    /// Angle between the axes of journal and bearing.
    Misalignment,
    /// 0 free, 1 one base, 2 both on one side, 3 both on opposite sides.
    Situation,
    /// Displacement of the journal along its bearing.
    Shift,
}

/// Of the sliding surfaces of an ideal joint, or of contacts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FrictionQuantity {
    Force,
    Torque,
    Load,
    Coefficient,
    Sliding,
    Power,
    Sticking,
}

/// Of one contact spot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SpotQuantity {
    Force(Component),
    Normal,
    Friction,
    Indentation,
    IndentationRate,
    Eccentricity(Component),
    EccentricityAngle,
    Sliding,
    InContact,
}

/// Of the film of a joint; ideal joints answer as a film without thickness would.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FilmQuantity {
    Thickness,
    ThicknessAngle,
    EccentricityRatio,
    /// From the load to the eccentricity, in the sense of rotation.
    Attitude,
    Force(Component),
    /// On the journal about the bearing's centre.
    Moment(Component),
    /// On the journal about its own axis.
    Torque,
    PeakPressure,
    PowerLoss,
    Flow,
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
    /// Of a spring or damper.
    Length,
    LengthRate,
    /// Of a torsion spring, counted over turns.
    Angle,
    AngleRate,
}
