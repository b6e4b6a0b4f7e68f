//! A mechanism as plain data: SI units, names resolved to indices, not yet compiled.
//!
//! Body 0 is always the ground. Frames of bodies and the attachments of joints are markers. A
//! revolute joint with a [`Clearance`] is a force element instead of a constraint; remove the
//! clearance and the same joint is ideal.

use nalgebra::Vector3;

use crate::clearance::friction::FrictionLaw;
use crate::clearance::normal::NormalLaw;
use crate::math::spatial::Frame;
use crate::time::TimeFunction;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub usize);
    };
}

id!(/// Index into [`Model::bodies`]; 0 is the ground.
    BodyId);
id!(/// Index into [`Model::markers`].
    MarkerId);
id!(/// Index into [`Model::joints`].
    JointId);
id!(/// Index into [`Model::drivers`].
    DriverId);
id!(/// Index into [`Model::forces`].
    ForceId);

impl BodyId {
    pub const GROUND: Self = Self(0);
}

/// What space the mechanism lives in; planar joints drop their out-of-plane rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    Planar,
}

#[derive(Clone, Debug)]
pub struct Model {
    pub name: String,
    pub space: Space,
    /// Acceleration of free fall in world axes, m/s².
    pub gravity: Vector3<f64>,
    pub bodies: Vec<Body>,
    pub markers: Vec<Marker>,
    pub joints: Vec<Joint>,
    pub drivers: Vec<Driver>,
    pub forces: Vec<Force>,
}

/// A rigid body. Its own axes have their origin wherever the user put it.
#[derive(Clone, Debug)]
pub struct Body {
    pub name: String,
    /// kg; `None` where the user left it out because constraints forbid the motion.
    pub mass: Option<f64>,
    /// Moment of inertia about the mass centre and z, kg m².
    pub inertia: Option<f64>,
    /// Mass centre in the body's own axes, m.
    pub centre: Vector3<f64>,
    pub start: Start,
}

/// Rough initial pose and velocity of a body's own axes; `None` where the user gave nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Start {
    pub x: Option<f64>,
    pub y: Option<f64>,
    pub angle: Option<f64>,
    /// Velocity of the origin of the body's own axes, m/s.
    pub velocity_x: Option<f64>,
    pub velocity_y: Option<f64>,
    pub angular_velocity: Option<f64>,
}

/// An attachment: a pose in the own axes of a body.
#[derive(Clone, Debug)]
pub struct Marker {
    /// Name of the frame in the file; `None` for attachments made by the builder.
    pub name: Option<String>,
    pub body: BodyId,
    pub local: Frame,
}

/// `a` is the first, `b` the second side of `between`: bearing and journal in a clearance joint.
#[derive(Clone, Debug)]
pub struct Joint {
    pub name: String,
    pub kind: JointKind,
    pub a: MarkerId,
    pub b: MarkerId,
    pub clearance: Option<Clearance>,
    /// Displacement of b's origin from a's origin at the start, in axes of marker `a`, m. Only for
    /// clearance joints.
    pub start_offset: Vector3<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JointKind {
    /// Origins coincide; free angle about z.
    Revolute,
    /// b slides along the x axis of a without turning.
    Prismatic,
    /// Origins coincide, axes parallel.
    Fixed,
    /// b's origin stays on the x axis of a; free angle.
    PointOnLine,
}

/// Play between a journal and its bearing, and the laws of their dry contact.
#[derive(Clone, Debug)]
pub struct Clearance {
    /// R_B, m.
    pub bearing_radius: f64,
    /// c = R_B − R_J, m.
    pub radial: f64,
    pub normal: NormalLaw,
    pub friction: Option<FrictionLaw>,
    /// Smallest closing speed δ̇⁽⁻⁾ a law may divide by, m/s.
    pub onset_floor: f64,
    /// Materials of bearing and journal where known: the validity checks need the wave speed.
    pub materials: Option<[Material; 2]>,
}

impl Clearance {
    /// R_J = R_B − c.
    pub fn journal_radius(&self) -> f64 {
        self.bearing_radius - self.radial
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    pub name: String,
    /// E, Pa.
    pub young: f64,
    /// ν.
    pub poisson: f64,
    /// ρ, kg/m³.
    pub density: f64,
    /// Yield strength, Pa.
    pub strength: f64,
}

/// Prescribes the free coordinate of a joint: angle of a revolute, displacement of a prismatic
/// joint or of a point on a line.
#[derive(Clone, Debug)]
pub struct Driver {
    pub name: String,
    pub joint: JointId,
    pub motion: TimeFunction,
}

#[derive(Clone, Debug)]
pub struct Force {
    pub name: String,
    pub kind: ForceKind,
}

#[derive(Clone, Debug)]
pub enum ForceKind {
    /// A force at a marker, components in world axes or in the marker's own axes, N.
    Point { at: MarkerId, components: [TimeFunction; 2], axes: Axes },
    /// A torque on the body of `on`, opposite on the body of `against` (ground: no effect), N m.
    Torque { on: MarkerId, against: MarkerId, torque: TimeFunction },
    /// A spring and damper along the line between two markers.
    Spring { a: MarkerId, b: MarkerId, stiffness: f64, damping: f64, free_length: f64 },
    /// A torsion spring and damper on the angle of `b` against `a`, N m/rad.
    TorsionSpring { a: MarkerId, b: MarkerId, stiffness: f64, damping: f64, free_angle: f64 },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axes {
    World,
    Body,
}
