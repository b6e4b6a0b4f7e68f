//! Beams and cables in absolute nodal coordinates: constant data and pure functions.
//!
//! A line is n elements of one length l and n + 1 nodes; a node has V vectors of D components, in the order
//! r, rₓ [, rᵧ [, r_z]], gradients by undeformed section coordinates. q holds the nodes in order, their
//! vectors in order, their components in order; v = q̇. Then
//!
//!   M v̇ = f(q, v) + w g + …,   f = −∂W/∂q + viscous forces,   M = M_s ⊗ 1_D constant                  (1)
//!
//! | kind | D | V | per element | forces |
//! |---|---|---|---|---|
//! | beam in space, in the plane | 3, 2 | 4, 3 | 24, 12 | `law.rs`, `products.rs` |
//! | cable in space, in the plane | 3, 2 | 2, 2 | 12, 8 | `cable.rs`, `bend.rs` |
//!
//! An arc of constant curvature has congruent elements, so that one law serves all. W: strain energy;
//! masses: `inertia.rs`; fields at a place: `site.rs`; what a section bears: `section.rs`, `moments.rs`;
//! deflection against the chord: `deflection.rs`; what is largest along the line: `peaks.rs`.
//! Nothing is allocated after [`Beam::new`].

/// The same question to whatever law there is.
macro_rules! by_law {
    ($law:expr, $name:ident => $answer:expr) => {
        match $law {
            Law::Spatial($name) => $answer,
            Law::Planar($name) => $answer,
            Law::SpatialCable($name) => $answer,
            Law::PlanarCable($name) => $answer,
        }
    };
}

mod bend;
mod cable;
mod deflection;
mod inertia;
mod law;
mod mass;
mod measures;
mod moments;
mod peaks;
mod products;
mod section;
mod shape;
mod site;
#[cfg(test)]
mod tests;

pub use inertia::MassProperties;
pub use peaks::{Peak, Peaks};
pub use section::SectionState;
pub(crate) use shape::gauss;
pub use site::Site;

use cable::Cable;
use mass::Band;
use products::Products;

use crate::flexible::{AncfElement, Elasticity, Flexible, Method, Section};
use crate::model::Space;

/// Constants of a flexible line.
#[derive(Clone, Debug)]
pub struct Beam {
    section: Section,
    /// None for a cable.
    elasticity: Option<Elasticity>,
    elements: usize,
    vectors: usize,
    dimension: usize,
    /// Of an element, undeformed, m.
    length: f64,
    /// θ, s.
    delay: f64,
    /// Undeformed coordinates in own axes.
    reference: Vec<f64>,
    law: Law,
    mass: Band,
    gravity: Vec<f64>,
    positive: bool,
}

#[derive(Clone, Debug)]
enum Law {
    Spatial(Products<7, 28, 3>),
    Planar(Products<5, 16, 2>),
    SpatialCable(Cable<3>),
    PlanarCable(Cable<2>),
}

impl Beam {
    pub fn new(link: &Flexible, space: Space) -> Self {
        let dimension = if space == Space::Planar { 2 } else { 3 };
        let (element, elasticity) = match link.method {
            Method::Ancf { element, elasticity } => (element, elasticity),
            // Divided before anything asks for its coordinates.
            Method::Rfem { .. } | Method::Floating(_) | Method::Erls(_) | Method::Rigid => {
                (AncfElement::Beam, Elasticity::Line)
            }
        };
        let (vectors, elasticity) = match element {
            AncfElement::Beam => (dimension + 1, Some(elasticity)),
            AncfElement::Cable => (2, None),
        };
        let elements = link.elements.max(1);
        let reference = reference(link, elements, vectors, dimension);
        let (length, delay) = (link.length() / elements as f64, link.damping.strain);
        let s = link.section;
        let bending = match dimension {
            2 => s.young * s.inertia_z,
            _ => 0.5 * s.young * (s.inertia_y + s.inertia_z),
        };
        let stiffness = [s.young * s.area, bending];
        let law = match (elasticity, dimension) {
            (None, 2) => {
                let new = Cable::new(stiffness, delay, length, link.length(), &reference);
                Law::PlanarCable(new)
            }
            (None, _) => {
                let new = Cable::new(stiffness, delay, length, link.length(), &reference);
                Law::SpatialCable(new)
            }
            (Some(way), 2) => Law::Planar(law::law(&s, way, length, delay, &reference)),
            (Some(way), _) => Law::Spatial(law::law(&s, way, length, delay, &reference)),
        };
        let mass = Band::new((elements + 1) * vectors, 2 * vectors);
        let (gravity, positive) = (vec![0.0; (elements + 1) * vectors], false);
        let section = s;
        let mut new = Self {
            section,
            elasticity,
            elements,
            vectors,
            dimension,
            length,
            delay,
            reference,
            law,
            mass,
            gravity,
            positive,
        };
        new.gather_masses(link);
        new
    }

    /// Number of coordinates.
    pub fn size(&self) -> usize {
        self.nodes() * self.node_size()
    }

    /// Coordinates of a node.
    pub fn node_size(&self) -> usize {
        self.vectors * self.dimension
    }

    pub fn nodes(&self) -> usize {
        self.elements + 1
    }

    /// D, components of a vector.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// V, vectors of a node.
    pub fn vectors(&self) -> usize {
        self.vectors
    }

    /// Undeformed length of an element, m.
    pub fn element_length(&self) -> f64 {
        self.length
    }

    /// Undeformed length of the line, m.
    pub fn line_length(&self) -> f64 {
        self.length * self.elements as f64
    }

    /// Coordinates of the undeformed line in own axes.
    pub fn reference(&self) -> &[f64] {
        &self.reference
    }

    /// A place at a share of the length, 0 … 1.
    pub fn site(&self, along: f64) -> Site {
        Site::new(along, self.elements, self.length, self.vectors, self.dimension)
    }

    fn start(&self) -> Site {
        self.site(0.0)
    }

    /// Adds elastic and viscous forces.
    pub fn add_forces(&self, q: &[f64], v: &[f64], out: &mut [f64]) {
        by_law!(&self.law, law => {
            for element in 0..self.elements {
                let range = self.range(element);
                law.add_forces(&q[range.clone()], &v[range.clone()], &mut out[range]);
            }
        });
    }

    /// ∂(−f)/∂q and ∂(−f)/∂v element by element: first coordinate, number of coordinates, and both dense
    /// blocks by rows. Blocks of neighbours overlap and are to be added.
    pub fn add_tangents(
        &self,
        q: &[f64],
        v: &[f64],
        mut add: impl FnMut(usize, usize, &[f64], &[f64]),
    ) {
        let count = 2 * self.node_size();
        let (mut stiffness, mut damping) = ([0.0; 24 * 24], [0.0; 24 * 24]);
        let (k, d) = (&mut stiffness[..count * count], &mut damping[..count * count]);
        by_law!(&self.law, law => {
            for element in 0..self.elements {
                let range = self.range(element);
                law.update_tangents(&q[range.clone()], &v[range.clone()], k, d);
                add(range.start, count, k, d);
            }
        });
    }

    /// W, J.
    pub fn strain_energy(&self, q: &[f64]) -> f64 {
        let of = |element| by_law!(&self.law, law => law.energy(&q[self.range(element)]));
        (0..self.elements).map(of).sum()
    }

    /// Power lost by strain damping, W; not negative.
    pub fn dissipation(&self, q: &[f64], v: &[f64]) -> f64 {
        let of = |element| {
            let range = self.range(element);
            by_law!(&self.law, law => law.dissipation(&q[range.clone()], &v[range]))
        };
        (0..self.elements).map(of).sum()
    }

    fn range(&self, element: usize) -> std::ops::Range<usize> {
        let first = element * self.node_size();
        first..first + 2 * self.node_size()
    }
}

/// Places and section axes of the undeformed line at the nodes.
fn reference(link: &Flexible, elements: usize, vectors: usize, dimension: usize) -> Vec<f64> {
    let mut out = Vec::with_capacity((elements + 1) * vectors * dimension);
    for node in 0..=elements {
        let along = node as f64 / elements as f64;
        out.extend_from_slice(&link.place_at(along).as_slice()[..dimension]);
        let axes = link.axes_at(along);
        for axis in 0..vectors - 1 {
            out.extend(axes.column(axis).iter().take(dimension));
        }
    }
    out
}
