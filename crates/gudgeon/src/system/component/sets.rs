//! Which bodies of a model have which formulation, and where their coordinates stand.

use std::collections::BTreeSet;

use super::{BeamBody, BodySet, Component, FloatingBody, Formulation, NaturalBody, RigidBody};
use crate::flexible::{AncfElement, Flexible, Method};
use crate::model::{Body, BodyCoordinates, Model, Space};

/// All formulations, in the order of their coordinates in q and v.
const ORDER: [Formulation; 6] = [
    Formulation::Planar,
    Formulation::Spatial,
    Formulation::Natural,
    Formulation::Beam,
    Formulation::FloatingPlanar,
    Formulation::FloatingSpatial,
];

fn formulation(space: Space, body: &Body, on_rigid: bool) -> Formulation {
    let floating = body.flexible.as_ref().is_some_and(|link| link.is_floating());
    match (space, body.coordinates) {
        (Space::Planar, _) if floating => Formulation::FloatingPlanar,
        (Space::Spatial, _) if floating => Formulation::FloatingSpatial,
        _ if body.flexible.is_some() => Formulation::Beam,
        (Space::Planar, _) => Formulation::Planar,
        (Space::Spatial, BodyCoordinates::Absolute) => Formulation::Spatial,
        // Between links on an equivalent rigid system a frame says where a body is.
        (Space::Spatial, BodyCoordinates::Natural) if on_rigid => Formulation::Spatial,
        (Space::Spatial, BodyCoordinates::Natural) => Formulation::Natural,
    }
}

/// All moving bodies of a model; `length` is the size of the mechanism, for artificial masses.
pub(in crate::system) fn bodies(model: &Model, length: f64) -> Vec<RigidBody> {
    let given: Vec<f64> = model.bodies.iter().filter_map(|b| b.mass).collect();
    let typical =
        if given.is_empty() { 1.0 } else { given.iter().sum::<f64>() / given.len() as f64 };
    let on_rigid =
        model.bodies.iter().filter_map(|body| body.flexible.as_deref()).any(Flexible::is_erls);
    let rigid = |(index, body): (usize, &crate::model::Body)| {
        let formulation = formulation(model.space, body, on_rigid);
        let mut rigid = RigidBody::new(body, (model.space, formulation), typical, length);
        if let Some(flexible) = &body.flexible {
            rigid.sizes = match flexible.is_floating() {
                true => FloatingBody::sizes(index, &rigid, model, flexible),
                false => [beam_size(flexible, model.space); 2],
            };
        }
        rigid
    };
    let mut bodies: Vec<RigidBody> = model.bodies[1..].iter().enumerate().map(rigid).collect();
    let (mut q, mut v) = (0, 0);
    for formulation in ORDER {
        let of_set = |body: &&mut RigidBody| body.formulation == formulation;
        for (member, body) in bodies.iter_mut().filter(of_set).enumerate() {
            (body.member, body.q, body.v) = (member, q, v);
            q += body.sizes[0];
            v += body.sizes[1];
        }
    }
    bodies
}

/// Bodies in natural coordinates; ℓ is the size of the mechanism.
pub(in crate::system) fn naturals(bodies: &[RigidBody], length: f64) -> Vec<NaturalBody> {
    let natural = |(_, body): &(usize, &RigidBody)| body.formulation == Formulation::Natural;
    let of = |(i, body): (usize, &RigidBody)| NaturalBody::new(i, body, length);
    bodies.iter().enumerate().filter(natural).map(of).collect()
}

/// Number of coordinates of a flexible body.
fn beam_size(flexible: &Flexible, space: Space) -> usize {
    let vectors = match flexible.method {
        Method::Ancf { element: AncfElement::Cable, .. } => 2,
        Method::Ancf { .. }
        | Method::Rfem { .. }
        | Method::Floating(_)
        | Method::Erls(_)
        | Method::Rigid => space.axes() + 1,
    };
    (flexible.elements.max(1) + 1) * vectors * space.axes()
}

/// Flexible bodies.
pub(in crate::system) fn beams(model: &Model, bodies: &[RigidBody]) -> Vec<BeamBody> {
    let of = |(i, rigid): (usize, &RigidBody)| {
        let body = &model.bodies[i + 1];
        let flexible = body.flexible.as_ref().filter(|link| !link.is_floating())?;
        Some(BeamBody::new(i, rigid, body, flexible, model.space))
    };
    bodies.iter().enumerate().filter_map(of).collect()
}

/// Flexible bodies with a frame that moves with them.
pub(in crate::system) fn floating(model: &Model, bodies: &[RigidBody]) -> Vec<FloatingBody> {
    let of = |(i, rigid): (usize, &RigidBody)| {
        let body = &model.bodies[i + 1];
        let flexible = body.flexible.as_ref().filter(|link| link.is_floating())?;
        Some(FloatingBody::new(i, rigid, (model, flexible)))
    };
    bodies.iter().enumerate().filter_map(of).collect()
}

/// Sets of bodies of one formulation, with the markers on them that are in use.
pub(in crate::system) fn components(
    model: &Model,
    bodies: &[RigidBody],
    active: &BTreeSet<usize>,
) -> Vec<Component> {
    let mut components = Vec::new();
    for formulation in ORDER {
        let is_in = |i: usize| bodies[i].formulation == formulation;
        let members: Vec<usize> = (0..bodies.len()).filter(|&i| is_in(i)).collect();
        if members.is_empty() {
            continue;
        }
        let on_it =
            |&marker: &usize| model.markers[marker].body.0.checked_sub(1).is_some_and(is_in);
        let markers = active.iter().copied().filter(on_it).collect();
        let set = BodySet { bodies: members, markers };
        components.push(match formulation {
            Formulation::Planar => Component::Planar(set),
            Formulation::Spatial => Component::Spatial(set),
            Formulation::Natural => Component::Natural(set),
            Formulation::Beam => Component::Beams(set),
            Formulation::FloatingPlanar | Formulation::FloatingSpatial => Component::Floating(set),
        });
    }
    components
}
