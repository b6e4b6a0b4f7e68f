//! Links that bend, as plain data: line, section, material and how they are divided.
//!
//! The undeformed centre line is an arc of constant curvature over the chord from `from` to `to`, a
//! straight line without one. Section axes: x along the line, y and z across. With the chord direction
//! e, a curvature vector κ ⟂ e (section axes at the middle of the line) and s ∈ [0, L],
//!
//!   L = 2 asin(|κ| c/2)/|κ|,  c = |to − from|;   R(s) = exp(κ̂ (s − L/2)) R_chord,   r′ = R x          (1)
//!
//! so that the tangent turns from −|κ|L/2 to +|κ|L/2 against the chord.

use nalgebra::{Matrix3, Vector3};

use crate::beam::{Beam, MassProperties, gauss};
use crate::fe;
use crate::math::rotation::exponential;
use crate::model::Space;
use crate::rfem;

/// A link that bends.
#[derive(Clone, Debug)]
pub struct Flexible {
    /// Ends of the centre line in the body's own axes, m.
    pub from: Vector3<f64>,
    pub to: Vector3<f64>,
    /// Section axes at the middle of the line in the body's own axes, as columns: x along the chord.
    pub axes: Matrix3<f64>,
    /// κ in section axes, 1/m; its first component is zero.
    pub curvature: Vector3<f64>,
    pub section: Section,
    pub method: Method,
    /// Elements along the line; of rigid ones the number of rigid parts.
    pub elements: usize,
    pub damping: Damping,
    /// How the section behaves at both ends.
    pub ends: [EndSection; 2],
    pub lumps: Vec<Lump>,
}

/// Formulation of a flexible link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Method {
    /// Absolute nodal coordinates.
    Ancf { element: AncfElement, elasticity: Elasticity },
    /// Rigid finite elements (`rfem/mod.rs`), by whether shear and tension are elastic or held.
    Rfem { shear: bool, tension: bool },
    /// None: the link stays rigid in the motion. Kineto-elastodynamics computes its vibration (`ked/mod.rs`).
    Rigid,
    /// Finite elements in a frame that moves with the link (`fe/`).
    Floating(Floating),
    /// The same elements on an equivalent rigid-link system (`system/erls/`).
    Erls(Erls),
}

/// How a link moves on its equivalent rigid one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Erls {
    /// Timoshenko's elements instead of Euler and Bernoulli's.
    pub shear: bool,
    /// Whether inertia has the terms 2 M_G u̇, and M_C u.
    pub coriolis: bool,
    pub centrifugal: bool,
    pub virtual_terms: Virtual,
    /// Elastic coordinates of its nodes that are held at zero; chosen automatically where there is no list.
    pub zeroed: Option<[Option<NodeFreedom>; 6]>,
}

impl Default for Erls {
    fn default() -> Self {
        Self {
            shear: false,
            coriolis: true,
            centrifugal: true,
            virtual_terms: Virtual::Truncated,
            zeroed: None,
        }
    }
}

/// Virtual displacements of points by those of the equivalent rigid system.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Virtual {
    /// Those of the undeformed link.
    #[default]
    Truncated,
    /// Those of the deformed one.
    Exact,
}

impl Virtual {
    /// Its word in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Truncated => "truncated",
            Self::Exact => "exact",
        }
    }
}

/// A freedom of a node: displacements along and rotations about section axes, 0 … 5.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeFreedom {
    pub node: usize,
    pub freedom: usize,
}

impl NodeFreedom {
    /// Directions by freedom, as files name them.
    pub const DIRECTIONS: [&'static str; 6] = ["x", "y", "z", "rx", "ry", "rz"];

    /// Its name in files, on a line whose last node is known.
    pub fn name(self, last: usize) -> String {
        let direction = Self::DIRECTIONS[self.freedom];
        match self.node {
            0 => format!("from.{direction}"),
            node if node == last => format!("to.{direction}"),
            node => format!("{node}.{direction}"),
        }
    }
}

/// A floating frame and the elements in it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Floating {
    pub reference: Reference,
    pub stiffening: Stiffening,
    /// Timoshenko's elements instead of Euler and Bernoulli's.
    pub shear: bool,
    /// Modes of the line between the nodes that something acts on, in place of the other nodes; without stiffening by
    /// the force of the elements, which modes across the line would make too stiff.
    pub modes: Option<Modes>,
}

/// Which modes are kept (`fe/modes.rs`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Modes {
    /// So many, the slowest.
    Count(usize),
    /// Those up to a frequency, Hz.
    UpTo(f64),
}

/// Which motion of the link its frame takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reference {
    /// That of the section where the line begins.
    #[default]
    Clamped,
    /// That of the line through both ends.
    Chord,
    /// That with the least kinetic energy of deformation.
    Mean,
}

impl Reference {
    /// Its word in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Clamped => "clamped",
            Self::Chord => "chord",
            Self::Mean => "mean",
        }
    }
}

/// What makes a line in tension stiffer across it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stiffening {
    None,
    /// The axial force that weight and inertia of the rigid motion ask for (`fe/axial.rs`).
    Rigid,
    /// The axial force that its elements bear.
    #[default]
    Actual,
}

impl Stiffening {
    /// Its word in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Rigid => "rigid",
            Self::Actual => "actual",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AncfElement {
    /// Positions and all gradients: 24 coordinates in space, 12 in the plane.
    Beam,
    /// Positions and the gradient along the line: no shear, no torsion.
    Cable,
}

/// Elastic forces of beams with all gradients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Elasticity {
    /// St. Venant–Kirchhoff continuum at 5 × 2 × 2 points.
    Continuum,
    /// The same with what couples stretch and section (Poisson) on the line only.
    Selective,
    /// Strains, curvatures and twist of the line, with torsion constant and shear factors; section strains and
    /// shear at the nodes.
    Line,
}

impl Elasticity {
    /// Its word in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Continuum => "continuum",
            Self::Selective => "selective",
            Self::Line => "line",
        }
    }
}

/// Section and material of a beam.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Section {
    /// A, m².
    pub area: f64,
    /// I_y = ∫ z² dA and I_z = ∫ y² dA, m⁴.
    pub inertia_y: f64,
    pub inertia_z: f64,
    /// Torsion constant J, m⁴.
    pub torsion: f64,
    /// Shear factors k_y, k_z: shear stiffness k G A.
    pub shear_y: f64,
    pub shear_z: f64,
    /// Distances of the outer fibres from the line, m.
    pub fibre_y: f64,
    pub fibre_z: f64,
    /// ρA, kg/m.
    pub mass_per_length: f64,
    /// Whether the section's own rotation has inertia. Beams with all gradients cannot do without.
    pub rotary: bool,
    /// E, Pa.
    pub young: f64,
    /// ν.
    pub poisson: f64,
}

impl Section {
    /// A solid rectangle: `height` along y, `width` along z.
    pub fn rectangle(height: f64, width: f64, young: f64, poisson: f64, density: f64) -> Self {
        let (long, short) = (height.max(width), height.min(width));
        // Saint-Venant's series of a rectangle.
        let ratio = short / long;
        let series: f64 = (0..40)
            .map(|k| f64::from(2 * k + 1))
            .map(|k| (k * std::f64::consts::PI / (2.0 * ratio)).tanh() / k.powi(5))
            .sum();
        let factor = 1.0 - 192.0 / std::f64::consts::PI.powi(5) * ratio * series;
        let shear = 10.0 * (1.0 + poisson) / (12.0 + 11.0 * poisson);
        Self {
            area: height * width,
            inertia_y: height * width.powi(3) / 12.0,
            inertia_z: width * height.powi(3) / 12.0,
            torsion: long * short.powi(3) / 3.0 * factor,
            shear_y: shear,
            shear_z: shear,
            fibre_y: 0.5 * height,
            fibre_z: 0.5 * width,
            mass_per_length: density * height * width,
            rotary: true,
            young,
            poisson,
        }
    }

    /// A tube of two radii; solid where the inner one is zero.
    pub fn tube(outer: f64, inner: f64, young: f64, poisson: f64, density: f64) -> Self {
        use std::f64::consts::PI;
        let area = PI * (outer.powi(2) - inner.powi(2));
        let inertia = 0.25 * PI * (outer.powi(4) - inner.powi(4));
        let m = inner / outer;
        // Cowper's factor of a hollow circle.
        let squared = (1.0 + m * m).powi(2);
        let shear = 6.0 * (1.0 + poisson) * squared
            / ((7.0 + 6.0 * poisson) * squared + (20.0 + 12.0 * poisson) * m * m);
        Self {
            area,
            inertia_y: inertia,
            inertia_z: inertia,
            torsion: 2.0 * inertia,
            shear_y: shear,
            shear_z: shear,
            fibre_y: outer,
            fibre_z: outer,
            mass_per_length: density * area,
            rotary: true,
            young,
            poisson,
        }
    }

    /// Smallest and largest stress of the outer fibres under an axial force and a moment in section axes, Pa.
    pub(crate) fn outer_stresses(&self, force: f64, moment: &Vector3<f64>) -> [f64; 2] {
        let bending = moment.y.abs() * self.fibre_z / self.inertia_y.max(f64::MIN_POSITIVE)
            + moment.z.abs() * self.fibre_y / self.inertia_z.max(f64::MIN_POSITIVE);
        let mean = force / self.area;
        [mean - bending, mean + bending]
    }

    /// G = E/(2 (1 + ν)).
    pub fn shear_modulus(&self) -> f64 {
        0.5 * self.young / (1.0 + self.poisson)
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Damping {
    /// Kelvin–Voigt: stress follows E + θ Ė; θ in s.
    pub strain: f64,
    /// On the velocity of deformation against the chord, times its mass, 1/s.
    pub mass: f64,
}

/// What a joint at the end of a beam sees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EndSection {
    /// Centre and mean rotation of a section that may deform.
    #[default]
    Free,
    /// The gradients at the node stay orthonormal.
    Rigid,
}

/// A rigid part on a section of the beam: what is welded to it there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lump {
    /// Place along the line, 0 … 1.
    pub along: f64,
    /// kg.
    pub mass: f64,
    /// Mass centre from the line, in section axes, m.
    pub centre: Vector3<f64>,
    /// About the mass centre in section axes, kg m².
    pub inertia: Matrix3<f64>,
}

impl Flexible {
    /// Length of the undeformed line, m.
    pub fn length(&self) -> f64 {
        let (chord, curvature) = ((self.to - self.from).norm(), self.curvature.norm());
        match curvature * chord > 1e-9 {
            true => 2.0 * (0.5 * curvature * chord).asin() / curvature,
            false => chord,
        }
    }

    /// Section axes of the undeformed line at a share of its length, in own axes: R of (1).
    pub fn axes_at(&self, along: f64) -> Matrix3<f64> {
        let turn = self.curvature * ((along - 0.5) * self.length());
        self.axes * exponential(&turn)
    }

    /// Place on the undeformed line at a share of its length, in own axes.
    pub fn place_at(&self, along: f64) -> Vector3<f64> {
        let curvature = self.curvature.norm();
        if curvature * self.length() <= 1e-9 {
            return self.from + (self.to - self.from) * along;
        }
        // In the plane of the arc: from the middle, x along the chord and n towards the inside.
        let x = self.axes.column(0).into_owned();
        let n = (self.axes * self.curvature / curvature).cross(&x);
        let (half, angle) =
            (0.5 * curvature * self.length(), (along - 0.5) * self.length() * curvature);
        let middle = 0.5 * (self.from + self.to);
        middle + (x * angle.sin() + n * (half.cos() - angle.cos())) / curvature
    }

    pub fn is_rigid(&self) -> bool {
        self.method == Method::Rigid
    }

    pub fn is_rfem(&self) -> bool {
        matches!(self.method, Method::Rfem { .. })
    }

    /// Whether its equations leave terms of its motion out, so that they do not keep energy.
    pub fn truncates(&self) -> bool {
        match self.method {
            Method::Erls(erls) => {
                let exact = erls.virtual_terms == Virtual::Exact;
                !(erls.coriolis && erls.centrifugal && exact)
            }
            Method::Floating(floating) => floating.stiffening == Stiffening::Rigid,
            Method::Ancf { .. } | Method::Rfem { .. } | Method::Rigid => false,
        }
    }

    /// Whether it consists of finite elements in a frame, its own or one of an equivalent rigid link.
    pub fn is_floating(&self) -> bool {
        matches!(self.method, Method::Floating(_) | Method::Erls(_))
    }

    pub fn is_erls(&self) -> bool {
        matches!(self.method, Method::Erls(_))
    }

    /// Gives it a frame of its own in place of an equivalent rigid link.
    pub(crate) fn leave_erls(&mut self) {
        if self.is_erls() {
            self.method = Method::Floating(self.floating());
        }
    }

    /// How it moves on its equivalent rigid link, with defaults where it has none.
    pub fn erls(&self) -> Erls {
        match self.method {
            Method::Erls(erls) => erls,
            _ => Erls::default(),
        }
    }

    /// Its frame, with defaults where it has none.
    pub fn floating(&self) -> Floating {
        match self.method {
            Method::Floating(floating) => floating,
            Method::Erls(erls) => {
                let stiffening = Stiffening::None;
                Floating { shear: erls.shear, stiffening, ..Floating::default() }
            }
            Method::Ancf { .. } | Method::Rfem { .. } | Method::Rigid => Floating::default(),
        }
    }

    /// Mass, centre and inertia of the undeformed link as its formulation has them, in own axes.
    pub fn mass_properties(&self, space: Space) -> MassProperties {
        match self.method {
            Method::Ancf { .. } => Beam::new(self, space).mass_properties(),
            Method::Rfem { .. } | Method::Rigid => rfem::mass_properties(self, space),
            Method::Floating(_) | Method::Erls(_) => fe::mass_properties(self, space),
        }
    }

    /// Shares of the length at which elements meet, and both ends.
    pub(crate) fn boundaries(&self) -> Vec<f64> {
        match self.method {
            Method::Ancf { .. } | Method::Floating(_) | Method::Erls(_) | Method::Rigid => {
                let elements = self.elements as f64;
                (0..=self.elements).map(|i| i as f64 / elements).collect()
            }
            Method::Rfem { .. } => {
                let inner = (0..self.springs()).map(|spring| self.spring_place(spring));
                std::iter::once(0.0).chain(inner).chain([1.0]).collect()
            }
        }
    }

    /// Places between two shares of the length and the length of the line each stands for, m: three Gauss points
    /// in every element, which are exact for what is even along it in fixed directions.
    pub fn stations(&self, from: f64, to: f64) -> Vec<(f64, f64)> {
        let mut stations = Vec::new();
        for part in self.boundaries().windows(2) {
            let (begin, end) = (from.max(part[0]), to.min(part[1]));
            if begin < end {
                let own = gauss(3).iter();
                stations.extend(own.map(|(xi, weight)| {
                    (begin + (end - begin) * xi, (end - begin) * weight * self.length())
                }));
            }
        }
        stations
    }

    /// Share of the length at which the undeformed line is nearest to a point, in own axes.
    pub fn nearest(&self, point: &Vector3<f64>) -> f64 {
        let curvature = self.curvature.norm();
        let x = self.axes.column(0).into_owned();
        let chord = (self.to - self.from).norm();
        if curvature * self.length() <= 1e-9 {
            return ((point - self.from).dot(&x) / chord).clamp(0.0, 1.0);
        }
        let n = (self.axes * self.curvature / curvature).cross(&x);
        let half = 0.5 * curvature * self.length();
        let from = point - 0.5 * (self.from + self.to);
        // From the centre of the arc.
        let angle = from.dot(&x).atan2(half.cos() / curvature - from.dot(&n));
        (0.5 + 0.5 * angle / half).clamp(0.0, 1.0)
    }
}
