//! A mechanism as plain data: SI units, names resolved to indices, not yet compiled.
//!
//! Body 0 is always the ground. Frames of bodies and the attachments of joints are markers. A
//! joint with a [`Clearance`] is a force element instead of a constraint; remove the clearance and
//! the same joint is ideal. A planar model lives in the x–y plane of the same space: z components
//! are zero, and of every inertia only zz counts.

use nalgebra::{Matrix3, Matrix6, Vector3};

use crate::clearance::normal::NormalLaw;
use crate::film::Lubricant;
use crate::flexible::Flexible;
use crate::formula::Formula;
use crate::friction::{FrictionLaw, JointFriction};
use crate::ked::RigidLink;
pub use crate::masses::UnevenMasses;
use crate::math::spatial::Frame;
use crate::reading::Reading;
use crate::rfem::Division;
use crate::sensor::OutputFormula;
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
id!(/// Index into [`Model::functions`].
    FunctionId);

impl BodyId {
    pub const GROUND: Self = Self(0);
}

/// What space the mechanism lives in; planar joints drop their out-of-plane rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    Planar,
    Spatial,
}

impl Space {
    /// In how many directions a point can move.
    pub fn axes(self) -> usize {
        match self {
            Self::Planar => 2,
            Self::Spatial => 3,
        }
    }
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
    /// Functions of the state, and which parameters of forces follow them.
    pub functions: Vec<StateFunction>,
    pub varying: Vec<Varying>,
    /// Named outputs by formula.
    pub outputs: Vec<OutputFormula>,
    /// Links that were divided into rigid elements; none before [`Model::divided`].
    pub links: Vec<Division>,
    /// Links that stay rigid in the motion, taken out of their bodies; none before [`Model::divided`].
    pub rigid_links: Vec<RigidLink>,
    /// Where something acts on links that are described by an interface and modes; none before [`Model::divided`].
    pub interfaces: Vec<Interface>,
    /// What the motion of rigid bodies is integrated in.
    pub coordinates: Coordinates,
}

/// Nodes of a link at or beside which something acts, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interface {
    pub body: BodyId,
    pub nodes: Vec<usize>,
}

/// What the motion of rigid bodies is integrated in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Coordinates {
    /// Coordinates of every body, with a row for every constraint.
    #[default]
    Absolute,
    /// Coordinates of the joints that carry the bodies from the ground outwards, with rows where loops are cut.
    Joint,
}

impl Model {
    /// Nothing but the ground.
    pub fn new(name: &str, space: Space) -> Self {
        Self {
            name: name.to_owned(),
            space,
            gravity: Vector3::zeros(),
            bodies: vec![Body::new("ground")],
            markers: Vec::new(),
            joints: Vec::new(),
            drivers: Vec::new(),
            forces: Vec::new(),
            functions: Vec::new(),
            varying: Vec::new(),
            outputs: Vec::new(),
            links: Vec::new(),
            coordinates: Coordinates::default(),
            rigid_links: Vec::new(),
            interfaces: Vec::new(),
        }
    }

    /// The same with rigid bodies by their own coordinates.
    pub(crate) fn without_natural_coordinates(&self) -> Self {
        let mut model = self.clone();
        model.bodies.iter_mut().for_each(|body| body.coordinates = BodyCoordinates::Absolute);
        model
    }

    /// The same with every body rigid and by its own coordinates; `None` where it is so already.
    pub(crate) fn in_absolute_coordinates(&self) -> Option<Self> {
        let planar = self.space == Space::Planar;
        let absolute = |body: &Body| {
            let own = planar || body.coordinates == BodyCoordinates::Absolute;
            own && body.flexible.is_none()
        };
        if self.bodies.iter().all(absolute) && self.coordinates == Coordinates::Absolute {
            return None;
        }
        let mut model = self.clone();
        model.coordinates = Coordinates::Absolute;
        for body in &mut model.bodies {
            body.coordinates = BodyCoordinates::Absolute;
            if body.flexible.take().is_some() {
                // A straight line of points has no inertia about itself, which does not matter here.
                body.inertia = body.inertia.map(|j| j + Matrix3::identity() * (1e-9 * j.amax()));
            }
        }
        Some(model)
    }
}

/// A body, rigid unless it bends. Its own axes have their origin wherever the user put it.
#[derive(Clone, Debug)]
pub struct Body {
    pub name: String,
    /// kg; `None` where the user left it out because constraints forbid the motion.
    pub mass: Option<f64>,
    /// Inertia about the mass centre in the body's own axes, kg m².
    pub inertia: Option<Matrix3<f64>>,
    /// Mass centre in the body's own axes, m.
    pub centre: Vector3<f64>,
    pub coordinates: BodyCoordinates,
    /// How it bends; mass, centre and inertia are then those of the undeformed link.
    pub flexible: Option<Box<Flexible>>,
    pub start: Start,
}

/// By which coordinates a body is described in space; planar bodies have (x, y, θ).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BodyCoordinates {
    /// Position and quaternion.
    #[default]
    Absolute,
    /// Two points and two unit vectors.
    Natural,
}

impl Body {
    /// Without mass, its mass centre at the origin of its axes.
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            mass: None,
            inertia: None,
            centre: Vector3::zeros(),
            coordinates: BodyCoordinates::default(),
            flexible: None,
            start: Start::default(),
        }
    }
}

impl Body {
    /// Makes it a link that bends; mass, centre and inertia are then those of the link.
    pub fn become_flexible(&mut self, link: Flexible, space: Space) {
        let own = link.mass_properties(space);
        (self.mass, self.centre, self.inertia) = (Some(own.mass), own.centre, Some(own.inertia));
        self.flexible = Some(Box::new(link));
    }
}

/// The inertia of a planar body: its moment about z.
pub fn inertia_about_z(moment: f64) -> Matrix3<f64> {
    Matrix3::from_diagonal(&Vector3::new(0.0, 0.0, moment))
}

/// Rough initial pose and velocity of a body's own axes; `None` where the user gave nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Start {
    /// Origin of the body's own axes, m.
    pub position: Option<Vector3<f64>>,
    /// Components of the position that nobody requested: the user gave another one alone.
    pub unrequested_position: [bool; 3],
    pub orientation: Option<Orientation>,
    /// Velocity of that origin in world axes, m/s.
    pub velocity: Option<Vector3<f64>>,
    /// rad/s, in world axes or in the body's own.
    pub angular_velocity: Option<(Vector3<f64>, Axes)>,
}

/// How a body's own axes are turned against the world's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Orientation {
    /// About z, counted over full turns: for planar models.
    Angle(f64),
    /// For spatial models.
    Rotation(Matrix3<f64>),
}

impl Orientation {
    /// Angle about z; of a rotation its turn within the x–y plane.
    pub fn angle(&self) -> f64 {
        match self {
            Self::Angle(angle) => *angle,
            Self::Rotation(r) => r[(1, 0)].atan2(r[(0, 0)]),
        }
    }

    pub fn rotation(&self) -> Matrix3<f64> {
        match self {
            Self::Angle(angle) => Frame::planar(0.0, 0.0, *angle).r,
            Self::Rotation(r) => *r,
        }
    }
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
    /// Friction while the joint is ideal; that of a clearance is its own.
    pub friction: Option<JointFriction>,
    /// Displacement of b's origin from a's origin at the start, in axes of marker `a`, m. Only for
    /// clearance joints.
    pub start_offset: Vector3<f64>,
    /// Length of the bearing of an ideal cylindrical joint where that is known, m: b's origin should stay within.
    pub bearing_length: Option<f64>,
    /// Whether joint coordinates may carry a body by it.
    pub cut: Cut,
    /// Where a body without a given position starts along it.
    pub placement: Placement,
}

/// Whether joint coordinates cut a joint that could carry a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cut {
    /// Where it closes a loop.
    #[default]
    AsChosen,
    /// The user asks for it.
    Requested,
    /// The user wants the joint to carry a body.
    Refused,
    /// Its friction depends on reactions, which implicit methods need as unknowns.
    Friction,
}

/// How assembly puts a body of which no position is requested beside the one that a joint ties it to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Placement {
    /// As near to the world's axes as the joint allows.
    #[default]
    Nearest,
    /// With the joint at zero, or where its drivers begin, before joints of the other kind are asked.
    AtZero,
}

impl Joint {
    /// An ideal joint: bearing marker, then journal marker.
    pub fn new(name: &str, kind: JointKind, a: MarkerId, b: MarkerId) -> Self {
        let start_offset = Vector3::zeros();
        Self {
            name: name.to_owned(),
            kind,
            a,
            b,
            clearance: None,
            friction: None,
            start_offset,
            bearing_length: None,
            cut: Cut::default(),
            placement: Placement::default(),
        }
    }
}

/// What a joint leaves free. x, y, z are axes of its markers. In planar models revolute, prismatic,
/// fixed, point-on-line and distance exist, with z across the plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum JointKind {
    /// Origins coincide; b turns about z.
    Revolute,
    /// b slides along the x axis of a without turning.
    Prismatic,
    /// b turns about z and slides along it.
    Cylindrical,
    /// Origins coincide; all rotations are free.
    Spherical,
    /// Origins coincide; b turns about the x axis of a and about its own y axis.
    Universal,
    /// b's origin stays in the x–y plane of a and b turns about z.
    Planar,
    /// Origins coincide, axes parallel.
    Fixed,
    /// b turns about z and advances along it by `pitch` metres per turn.
    Screw { pitch: f64 },
    /// Origins keep their distance, m.
    Distance { length: f64 },
    /// b's origin stays on the x axis of a; all rotations are free.
    PointOnLine,
    /// b's origin stays in the x–y plane of a; all rotations are free.
    PointOnPlane,
}

/// Play between the two sides of a joint, and the laws of their dry contact.
#[derive(Clone, Debug)]
pub struct Clearance {
    pub form: Form,
    /// R_B, m; of no meaning for a guide.
    pub bearing_radius: f64,
    /// c = R_B − R_J, m; of a guide the gap on each side when the slider is centred.
    pub radial: f64,
    /// The law of each contact point: of a journal that of one base.
    pub normal: NormalLaw,
    pub friction: Option<FrictionLaw>,
    /// Smallest closing speed δ̇⁽⁻⁾ a law may divide by, m/s.
    pub onset_floor: f64,
    /// Oil between the surfaces, of pins and journals only.
    pub film: Option<Lubricant>,
    /// The velocity that friction sees.
    pub slides: Slides,
    /// Materials of bearing and journal where known: the validity checks need the wave speed.
    pub materials: Option<[Material; 2]>,
}

/// What velocity the friction of a contact sees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Slides {
    /// That of the surfaces against each other.
    #[default]
    Surfaces,
    /// That of the two centres, without the turning of journal and bearing (bai Eq. 7). Round surfaces only.
    Centres,
}

/// The shape of the surfaces with play; a is the bearing, b the journal.
#[derive(Clone, Debug, PartialEq)]
pub enum Form {
    /// Revolute joint in the plane: a circle in a circle.
    Pin,
    /// Revolute or cylindrical joint in space: a cylinder about z of b in a bore about z of a, with
    /// a contact at each of its two bases, or one of both where it cannot tilt.
    Journal {
        /// Distance of the bases, m.
        length: f64,
        /// Length of the bore, m.
        bearing_length: f64,
        axial: Axial,
        tilt: Tilt,
    },
    /// Spherical joint: a ball in a socket.
    Ball,
    /// Prismatic joint in the plane: a rectangle, `length` along x and `width` across, between two
    /// straight walls, with a contact at each corner.
    Guide { length: f64, width: f64 },
}

/// What holds a journal along its bearing.
#[derive(Clone, Debug, PartialEq)]
pub enum Axial {
    Free,
    /// The origins stay abreast, by a constraint.
    Fixed,
    /// Flanges that touch the faces of the bearing when the journal has moved by `clearance` (m)
    /// from the middle, to either side; friction acts at `radius` (m).
    Play {
        clearance: f64,
        radius: f64,
        normal: NormalLaw,
    },
}

/// Whether a journal may stand askew in its bearing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tilt {
    /// As far as its clearance lets it.
    #[default]
    Free,
    /// The axes stay parallel, by two constraints, so that both bases touch as one.
    Fixed,
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

/// Prescribes one free coordinate of a joint.
#[derive(Clone, Debug)]
pub struct Driver {
    pub name: String,
    pub joint: JointId,
    pub coordinate: Coordinate,
    pub motion: TimeFunction,
}

/// A coordinate of b's marker against a's that a joint may leave free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coordinate {
    /// Angle about z, rad.
    Angle,
    /// Angles α, β, γ of the rotation R_x(α) R_y(β) R_z(γ), rad.
    AngleX,
    AngleY,
    AngleZ,
    /// Displacement along the x, y or z axis of a, m.
    X,
    Y,
    Z,
}

impl Coordinate {
    pub fn is_angle(self) -> bool {
        matches!(self, Self::Angle | Self::AngleX | Self::AngleY | Self::AngleZ)
    }
}

impl JointKind {
    /// Coordinates that the joint leaves free and a driver may prescribe, the main one first.
    pub fn free(self, space: Space) -> &'static [Coordinate] {
        use Coordinate::*;
        match (self, space) {
            (Self::Revolute, _) => &[Angle],
            (Self::Prismatic, _) => &[X],
            (Self::Cylindrical, _) => &[Angle, Z],
            (Self::Spherical, _) => &[AngleX, AngleY, AngleZ],
            (Self::Universal, _) => &[AngleX, AngleY],
            (Self::Planar, _) => &[X, Y, Angle],
            (Self::Screw { .. }, _) => &[Angle, Z],
            (Self::PointOnLine, Space::Planar) => &[X, Angle],
            (Self::PointOnLine, Space::Spatial) => &[X],
            (Self::PointOnPlane, _) => &[X, Y],
            (Self::Fixed | Self::Distance { .. }, _) => &[],
        }
    }
}

/// A function of time, positions and velocities.
#[derive(Clone, Debug)]
pub struct StateFunction {
    /// What it is, for messages: "`torque` of force `motor`".
    pub name: String,
    /// Of the readings, in their order.
    pub formula: Formula,
    pub readings: Vec<Reading>,
}

/// A parameter of a force whose value is that of a function instead of the given number. A force with
/// such a parameter stores no energy: all its power is work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Varying {
    pub force: ForceId,
    pub parameter: ForceParameter,
    pub function: FunctionId,
}

/// A number of a force element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForceParameter {
    /// Component of a point force, N.
    Component(usize),
    /// N m.
    Torque,
    /// Of a spring, N/m, or torsion spring, N m/rad.
    Stiffness,
    /// N s/m or N m s/rad.
    Damping,
    /// Free length, m, or free angle, rad.
    Free,
    /// Row and column of the matrix of a bushing.
    StiffnessEntry(usize, usize),
    DampingEntry(usize, usize),
}

#[derive(Clone, Debug)]
pub struct Force {
    pub name: String,
    pub kind: ForceKind,
}

#[derive(Clone, Debug)]
pub enum ForceKind {
    /// A force at a marker, components in world axes or in the marker's own axes, N.
    Point { at: MarkerId, components: [TimeFunction; 3], axes: Axes },
    /// A force per length along the line of a flexible link, N/m, in world axes or those of its sections: at
    /// markers, each for a length of the line, m.
    Distributed { at: Vec<(MarkerId, f64)>, components: [TimeFunction; 3], axes: Axes },
    /// A torque about the z axis of `against` on the body of `on`, opposite on that of `against`
    /// (ground: no effect), N m.
    Torque { on: MarkerId, against: MarkerId, torque: TimeFunction },
    /// A spring and damper along the line between two markers.
    Spring { a: MarkerId, b: MarkerId, stiffness: f64, damping: f64, free_length: f64 },
    /// A torsion spring and damper on the angle of `b` against `a` about z of `a`, N m/rad.
    TorsionSpring { a: MarkerId, b: MarkerId, stiffness: f64, damping: f64, free_angle: f64 },
    /// A compliant joint: force and torque from the displacement u of `b` against `a` (three translations in
    /// axes of `a`, then the rotation vector), −K u − D u̇. In the plane x, y and the last count.
    Bushing { a: MarkerId, b: MarkerId, stiffness: Box<Matrix6<f64>>, damping: Box<Matrix6<f64>> },
}

impl ForceKind {
    /// Whether it has a potential.
    pub fn stores(&self) -> bool {
        !matches!(self, Self::Point { .. } | Self::Distributed { .. } | Self::Torque { .. })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axes {
    World,
    Body,
}
