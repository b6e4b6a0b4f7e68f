//! Links whose deformation is small against a frame that moves with them.
//!
//!   q = (P, R, q_f),   v = (V, ω, q̇_f)                                                      (1)
//!
//! P is the place of the undeformed mass centre, R the undeformed principal axes, both as of a rigid body in the
//! same space; ω is in axes R, q_f are the elastic coordinates of `fe/`. A point s of the link in axes R is
//! linear in q_f, and its acceleration, in axes R with ā = Rᵀ(V̇ − g),
//!
//!   a = ā + E s + 2 ω × ṡ + s̈,   E = ω̇× + ω×ω×                                              (2)
//!
//! Inertia and its equations stand in `masses.rs`, sections and their markers in `section.rs`, derivatives of inertia in
//! `tangents.rs`.
//!
//! References: Shabana, *Dynamics of Multibody Systems*; Schwertassek and Wallrapp, *Dynamik flexibler
//! Mehrkörpersysteme*.

mod masses;
mod section;
pub(in crate::system) mod tangents;

use nalgebra::{Cholesky, Const, Matrix3, Vector3};

use super::rigid::{BodyState, RigidBody};
use super::{Columns, Support};
use crate::fe::{Link, Moments, Site};
use crate::flexible::{Flexible, Floating};
use crate::math::rotation::{exponential, tangent};
use crate::math::spatial::Frame;
use crate::model::{Model, Space};

pub use section::{FloatingMoved, FloatingSection};

/// Freedoms of a frame in the plane, among those in space.
const PLANAR: [usize; 3] = [0, 1, 5];
const SPATIAL: [usize; 6] = [0, 1, 2, 3, 4, 5];

/// A link with a floating frame.
#[derive(Clone, Debug)]
pub struct FloatingBody {
    /// Moving body of the model, from 0.
    pub body: usize,
    /// Where its coordinates and velocities start in q and v.
    pub q: usize,
    pub v: usize,
    pub link: Link,
    /// Coordinates of its frame.
    frame: usize,
    freedoms: &'static [usize],
    /// The middle of the line, which stands for the axes of the body.
    middle: Site,
}

/// A link at one instant: its frame, its elastic coordinates and what inertia needs of them.
#[derive(Clone, Debug)]
pub struct FloatingState {
    pub p: Vector3<f64>,
    pub r: Matrix3<f64>,
    /// V in the world, ω in axes R.
    pub velocity: Vector3<f64>,
    pub omega: Vector3<f64>,
    /// Elastic coordinates of the link.
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    /// Those of the mesh, where they are not the same.
    mesh: [Vec<f64>; 2],
    pub moments: Moments,
    /// M_f⁻¹ Bᵀ by freedom of the frame, and the factors of M_F − B M_f⁻¹ Bᵀ; none where that is not positive.
    carried: Vec<Vec<f64>>,
    rest: Option<Cholesky<f64, Const<6>>>,
    scratch: Vec<f64>,
}

impl FloatingState {
    /// Coordinates of the mesh and their rates.
    pub fn mesh(&self) -> (&[f64], &[f64]) {
        match self.mesh[0].is_empty() {
            true => (&self.q, &self.v),
            false => (&self.mesh[0], &self.mesh[1]),
        }
    }
}

impl FloatingBody {
    pub fn new(index: usize, rigid: &RigidBody, (model, flexible): (&Model, &Flexible)) -> Self {
        let (space, link) = (model.space, link_of(index, rigid, model, flexible));
        let (frame, freedoms): (usize, &[usize]) = match space {
            Space::Planar => (3, &PLANAR),
            Space::Spatial => (7, &SPATIAL),
        };
        let middle = link.site(0.5);
        Self { body: index, q: rigid.q, v: rigid.v, link, frame, freedoms, middle }
    }

    /// Numbers of coordinates and velocities of the link that moving body `index` is.
    pub fn sizes(
        index: usize,
        rigid: &RigidBody,
        model: &Model,
        flexible: &Flexible,
    ) -> [usize; 2] {
        let frame = match model.space {
            Space::Planar => [3; 2],
            Space::Spatial => [7, 6],
        };
        let elastic = match flexible.floating().modes {
            // The frame of an equivalent rigid link takes no freedoms of nodes.
            None => frame[1] * (flexible.elements + usize::from(flexible.is_erls())),
            Some(_) => link_of(index, rigid, model, flexible).size(),
        };
        frame.map(|frame| frame + elastic)
    }

    /// Number of its velocities.
    pub fn size(&self) -> usize {
        self.freedoms.len() + self.link.size()
    }

    /// Velocities of its frame.
    pub fn border(&self) -> usize {
        self.freedoms.len()
    }

    /// Those among the six in space.
    pub(super) fn freedoms(&self) -> &'static [usize] {
        self.freedoms
    }

    fn planar(&self) -> bool {
        self.link.planar
    }

    /// Where elastic coordinates begin among its own.
    pub fn elastic_q(&self) -> usize {
        self.frame
    }

    /// Velocities of every element; modes belong to all of them.
    pub fn elements(&self) -> impl Iterator<Item = std::ops::Range<usize>> + '_ {
        let (first, size) = (self.v + self.border(), self.link.size());
        let all = self.link.basis.is_some().then_some(first..first + size);
        let parts = if all.is_some() { &[][..] } else { &self.link.parts[..] };
        parts.iter().map(move |p| first + p.first..first + p.first + p.count).chain(all)
    }

    /// Columns of a section, from the first of the link.
    pub fn support(&self, site: &Site) -> Support {
        let count = if site.own.is_some() { site.count } else { 0 };
        let first = self.border() + site.own.unwrap_or(0);
        Support::pair(0..self.border(), first..first + count)
    }

    /// Whether a column is a length, from its first.
    pub fn is_length(&self, column: usize) -> bool {
        match column.checked_sub(self.border()) {
            Some(elastic) => self.link.lengths[elastic],
            None => self.freedoms[column] < 3,
        }
    }

    /// Room for a state.
    pub fn blank(&self) -> FloatingState {
        let n = self.link.size();
        FloatingState {
            p: Vector3::zeros(),
            r: Matrix3::identity(),
            velocity: Vector3::zeros(),
            omega: Vector3::zeros(),
            q: vec![0.0; n],
            v: vec![0.0; n],
            mesh: match self.link.basis {
                Some(_) => [vec![0.0; self.link.mesh_size()], vec![0.0; self.link.mesh_size()]],
                None => [Vec::new(), Vec::new()],
            },
            moments: self.link.integrals.blank(),
            carried: vec![vec![0.0; n]; self.border()],
            rest: None,
            scratch: vec![0.0; n],
        }
    }

    /// Rotation vector of the middle of the line.
    pub fn middle_rotation(&self, state: &FloatingState) -> Vector3<f64> {
        self.middle.rotation(state.mesh().0)
    }

    /// θ of a frame in the plane, of whole q.
    pub fn frame_angle(&self, q: &[f64]) -> f64 {
        if self.planar() { q[self.q + 2] } else { 0.0 }
    }

    /// Pose and twist of its frame.
    pub fn frame_state(&self, q: &[f64], v: &[f64]) -> BodyState {
        let (q, v) = (&q[self.q..], &v[self.v..]);
        if self.planar() { BodyState::planar(q, v) } else { BodyState::spatial(q, v) }
    }

    /// The state at whole q and v, and pose and velocity of the link: its mass centre, and the middle of its line.
    pub fn place(&self, q: &[f64], v: &[f64], out: &mut FloatingState) -> BodyState {
        let mut frame = self.frame_state(q, v);
        (out.p, out.r, out.velocity) = (frame.frame.p, frame.frame.r, frame.twist.v);
        out.omega = out.r.tr_mul(&frame.twist.w);
        out.q.copy_from_slice(&q[self.q + self.frame..][..self.link.size()]);
        out.v.copy_from_slice(&v[self.v + self.border()..][..self.link.size()]);
        if let Some(basis) = &self.link.basis {
            basis.expand(&out.q, &mut out.mesh[0]);
            basis.expand(&out.v, &mut out.mesh[1]);
        }
        self.link.integrals.update(&out.q, &out.v, &mut out.moments);
        let centre = out.moments.first / self.link.integrals.mass;
        let moved = out.moments.first_rate / self.link.integrals.mass;
        self.carry(&mut frame, &centre, &moved, out.mesh());
        frame
    }

    /// From the frame to the mass centre and the middle of the line.
    fn carry(
        &self,
        frame: &mut BodyState,
        centre: &Vector3<f64>,
        moved: &Vector3<f64>,
        (q, v): (&[f64], &[f64]),
    ) {
        let r = frame.frame.r;
        let arm = r * centre;
        frame.frame.p += arm;
        frame.twist.v += frame.twist.w.cross(&arm) + r * moved;
        let (phi, rate) = (self.middle.rotation(q), self.middle.rotation(v));
        frame.frame.r = r * exponential(&phi);
        frame.twist.w += r * (tangent(&phi) * rate);
        if self.planar() {
            frame.angle += phi.z;
        }
    }

    /// Pose and velocity of the link at any point.
    pub fn body_state(&self, q: &[f64], v: &[f64]) -> BodyState {
        let mut state = self.blank();
        self.place(q, v, &mut state)
    }

    /// Coordinates and velocities of the undeformed link at a pose and twist of its inner axes, the frame's excepted.
    pub fn write_elastic(&self, q: &mut [f64], v: &mut [f64]) {
        q[self.frame..].fill(0.0);
        v[self.border()..].fill(0.0);
    }

    /// Where a pose in inner axes attaches: along, and from the section in its axes.
    pub fn attach(
        &self,
        flexible: &Flexible,
        own: &Frame,
        inner: &Frame,
    ) -> (f64, Vector3<f64>, Matrix3<f64>) {
        let along = flexible.nearest(&own.p);
        let site = self.link.site(along);
        let offset = site.axes.tr_mul(&(inner.p - site.place));
        // What is on the line but for rounding is on it.
        let size = self.link.length / self.link.parts.len() as f64;
        let offset = offset.map(|x| if x.abs() < 1e-12 * size { 0.0 } else { x });
        (along, offset, site.axes.tr_mul(&inner.r))
    }
}

/// The link that moving body `index` of a model is, by its nodes or by its interface and modes.
fn link_of(index: usize, rigid: &RigidBody, model: &Model, flexible: &Flexible) -> Link {
    let centre = &model.bodies[index + 1].centre;
    let link = Link::new(flexible, model.space, &rigid.axes, centre);
    let Floating { modes: Some(modes), reference, .. } = flexible.floating() else { return link };
    let interface = model.interfaces.iter().find(|interface| interface.body.0 == index + 1);
    link.reduced(interface.map_or(&[], |interface| &interface.nodes), modes, reference)
}
