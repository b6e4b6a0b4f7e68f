//! Rigid finite elements: a flexible link as rigid parts of itself with springs and dampers between them.
//!
//! A link of N rigid elements (rfe) has n = N − 1 spring-damper elements (sde). The primary division cuts
//! the line of length L into n equal parts of Δl = L/n; an sde stands in the middle of each, and what lies between
//! neighbouring sde is an rfe, so that the first and the last are half as long:
//!
//!   s_j = (j + ½)/n,  j = 0 … n − 1;   rfe i from s_{i−1} to s_i, with s_{−1} = 0 and s_n = 1          (1)
//!
//! An sde holds the strain of its part. With u = (R_aᵀ d, ψ), exp(ψ×) = R_aᵀ R_b, of the sections on both sides of it
//! in section axes (`force/mod.rs`),
//!
//!   U = ½ u · K u,   K = diag(E A, k_y G A, k_z G A, G J, E I_y, E I_z)/Δl,   D = θ K                   (2)
//!
//! Of the first three only what is requested stands in K: without tension and shear the ends of both sides
//! coincide, which is a joint. Torque and energy come from the one potential, at any rotation below half a turn.
//! Masses are those of the parts: of the line, of the section's own rotation where that has inertia, and of lumps.
//! About the line a part in space has its polar moment of inertia in any case: torsion needs it.
//!
//! Errors are of order Δl². A cantilever bends at its tip by 1 − 1/(4n²) of Euler and Bernoulli's beam under
//! a force there, and twists at (4n/π) sin(π/4n) of the first frequency of a shaft.
//!
//! A model is divided when it is compiled ([`Model::divided`]): joints and forces of its file keep their numbers,
//! what is new stands behind them. All rfe of a link have the axes of the whole link as their own, so that a frame
//! of the link is the same frame on the rfe that holds it, and one pose is that of all without load.
//!
//! Kruszewski, Sawiak, Wittbrodt: Metoda sztywnych elementów skończonych w dynamice konstrukcji, WNT 1999.

mod fastest;
mod masses;
mod state;

use std::borrow::Cow;

use nalgebra::{Matrix3, Matrix6, Vector6};

use crate::flexible::{Flexible, Method};
use crate::ked::RigidLink;
use crate::math::spatial::Frame;
use crate::model::{
    Body, BodyId, Force, ForceId, ForceKind, Joint, JointId, JointKind, Marker, MarkerId, Model,
    Space,
};

pub use masses::mass_properties;
pub(crate) use state::Chain;

/// A link that was divided.
#[derive(Clone, Debug)]
pub struct Division {
    /// The link in the file; its first rfe has its place in the model.
    pub body: BodyId,
    pub link: Box<Flexible>,
    /// All rfe along the line.
    pub elements: Vec<BodyId>,
    /// Springs and dampers of the sde between them.
    pub springs: Vec<ForceId>,
    /// Joints that hold what is not elastic in them; none where all is.
    pub joints: Vec<JointId>,
}

impl Division {
    /// Whether a force is one of its sde; they are consecutive.
    pub(crate) fn has_spring(&self, force: usize) -> bool {
        let first = self.springs.first().map_or(usize::MAX, |spring| spring.0);
        force >= first && force - first < self.springs.len()
    }
}

impl Flexible {
    /// Number of sde.
    pub(crate) fn springs(&self) -> usize {
        self.elements.max(1) - 1
    }

    /// Number of the rfe that holds a share of the line; where two meet, of the one behind.
    pub(crate) fn element_at(&self, along: f64) -> usize {
        let springs = self.springs() as f64;
        if springs == 0.0 {
            0
        } else {
            (along * springs + 0.5).floor().clamp(0.0, springs) as usize
        }
    }

    /// Share of the line at which an sde stands (1).
    pub(crate) fn spring_place(&self, spring: usize) -> f64 {
        (spring as f64 + 0.5) / self.springs() as f64
    }

    /// Diagonal of K (2), without what is rigid.
    fn stiffness(&self, space: Space) -> Vector6<f64> {
        let Method::Rfem { shear, tension } = self.method else { return Vector6::zeros() };
        let (s, length) = (&self.section, self.length() / self.springs() as f64);
        let modulus = s.shear_modulus();
        let [axial, [y, z]] = [
            [if tension { s.young * s.area } else { 0.0 }; 2],
            [s.shear_y, s.shear_z].map(|k| if shear { k * modulus * s.area } else { 0.0 }),
        ];
        let all =
            [axial[0], y, z, modulus * s.torsion, s.young * s.inertia_y, s.young * s.inertia_z];
        let whole = Vector6::from(all) / length;
        match space {
            Space::Spatial => whole,
            Space::Planar => Vector6::new(whole[0], whole[1], 0.0, 0.0, 0.0, whole[5]),
        }
    }
}

impl Model {
    /// The same with every link of rigid finite elements divided, links that stay rigid as what they are, and the
    /// interfaces of links that are described by modes.
    pub fn divided(&self) -> Cow<'_, Self> {
        let is_divided = |body: &Body| body.flexible.as_ref().is_some_and(|link| link.is_rfem());
        let is_rigid = |body: &Body| body.flexible.as_ref().is_some_and(|link| link.is_rigid());
        let is_modal = |body: &Body| {
            self.interfaces.is_empty()
                && body.flexible.as_ref().is_some_and(|link| link.floating().modes.is_some())
        };
        let changes = |body: &Body| is_divided(body) || is_rigid(body) || is_modal(body);
        if !self.bodies.iter().any(changes) {
            return Cow::Borrowed(self);
        }
        let mut model = self.clone();
        for body in 1..self.bodies.len() {
            if is_modal(&self.bodies[body]) {
                model.interfaces.extend(self.interface(BodyId(body)));
            }
            if is_rigid(&self.bodies[body])
                && let Some(link) = model.bodies[body].flexible.take()
            {
                model.rigid_links.push(RigidLink { body: BodyId(body), link });
            }
            if is_divided(&self.bodies[body]) {
                divide(&mut model, body);
            }
        }
        Cow::Owned(model)
    }

    /// Number of bodies with the ground but without rfe behind the first of a link: those of the file.
    pub fn own_bodies(&self) -> usize {
        self.bodies.len() - self.links.iter().map(|link| link.elements.len() - 1).sum::<usize>()
    }

    /// Number of forces without those of sde.
    pub fn own_forces(&self) -> usize {
        self.forces.len() - self.links.iter().map(|link| link.springs.len()).sum::<usize>()
    }

    /// The division of a body.
    pub(crate) fn division(&self, body: usize) -> Option<&Division> {
        self.links.iter().find(|link| link.body.0 == body)
    }

    /// The body of the file that a body belongs to.
    pub(crate) fn whole(&self, body: usize) -> usize {
        if body < self.own_bodies() {
            return body;
        }
        let own = |link: &&Division| link.elements[1..].binary_search(&BodyId(body)).is_ok();
        self.links.iter().find(own).map_or(body, |link| link.body.0)
    }
}

/// Puts the rfe and sde of a link in its place.
fn divide(model: &mut Model, body: usize) {
    let Some(link) = model.bodies[body].flexible.take() else { return };
    let name = model.bodies[body].name.clone();
    let mut elements = vec![BodyId(body)];
    elements.extend((1..link.elements.max(1)).map(|i| BodyId(model.bodies.len() + i - 1)));
    for (i, part) in masses::parts(&link, model.space).into_iter().enumerate() {
        let own = (Some(part.mass), Some(part.inertia), part.centre);
        match i {
            0 => {
                let first = &mut model.bodies[body];
                (first.mass, first.inertia, first.centre) = own;
            }
            _ => {
                let mut new = Body::new(&format!("{name}.rfe{}", i + 1));
                (new.mass, new.inertia, new.centre) = own;
                model.bodies.push(new);
            }
        }
    }
    for marker in model.markers.iter_mut().filter(|marker| marker.body.0 == body) {
        marker.body = elements[link.element_at(link.nearest(&marker.local.p))];
    }
    let k = Matrix6::from_diagonal(&link.stiffness(model.space));
    let (mut springs, mut joints) = (Vec::new(), Vec::new());
    for spring in 0..link.springs() {
        let (along, name) = (link.spring_place(spring), format!("{name}.sde{}", spring + 1));
        let frame = Frame { p: link.place_at(along), r: link.axes_at(along) };
        let sides = [elements[spring], elements[spring + 1]];
        let [a, b] = sides.map(|side| add_marker(model, side, frame));
        if let Some((kind, turn)) = held(&link, model.space) {
            let a = add_marker(model, sides[0], Frame { r: frame.r * turn, ..frame });
            joints.push(JointId(model.joints.len()));
            model.joints.push(Joint::new(&name, kind, a, b));
        }
        springs.push(ForceId(model.forces.len()));
        let (stiffness, damping) = (Box::new(k), Box::new(k * link.damping.strain));
        model.forces.push(Force { name, kind: ForceKind::Bushing { a, b, stiffness, damping } });
    }
    model.links.push(Division { body: BodyId(body), link, elements, springs, joints });
}

fn add_marker(model: &mut Model, body: BodyId, local: Frame) -> MarkerId {
    model.markers.push(Marker { name: None, body, local });
    MarkerId(model.markers.len() - 1)
}

/// The joint of an sde, and its axes in those of the section; none where all is elastic.
fn held(link: &Flexible, space: Space) -> Option<(JointKind, Matrix3<f64>)> {
    let Method::Rfem { shear, tension } = link.method else { return None };
    match (shear, tension, space) {
        (true, true, _) => None,
        (false, false, Space::Planar) => Some((JointKind::Revolute, Matrix3::identity())),
        (false, false, Space::Spatial) => Some((JointKind::Spherical, Matrix3::identity())),
        (false, true, _) => Some((JointKind::PointOnLine, Matrix3::identity())),
        // Along y of the section in the plane, in its plane in space.
        (true, false, Space::Planar) => Some((
            JointKind::PointOnLine,
            Matrix3::new(0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0),
        )),
        (true, false, Space::Spatial) => Some((
            JointKind::PointOnPlane,
            Matrix3::new(0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0),
        )),
    }
}
