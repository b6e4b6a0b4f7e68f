//! Derivatives of the equations in joint coordinates against differences of the equations, for every joint and element.
//!
//! Tolerances are those of `tangents.rs`.

use super::tangents::*;
use super::trees::{chains, in_joint_coordinates};
use crate::common::contacts::*;
use crate::common::films::films;
use crate::common::kinds::*;
use crate::common::spatial::*;
use crate::common::states::*;
use crate::common::*;
use gudgeon::model::*;
use gudgeon::run::{Method, RunSpec};
use gudgeon::system::choice::cut_friction;
use gudgeon::system::{Plant, System};
use nalgebra::{Matrix6, Vector3};

/// Derivatives at some random states.
fn check_at_random(name: &str, model: &Model, random: &mut Random, count: usize) {
    let system = System::compile(model).unwrap();
    assert!(system.tree.is_some(), "{name}");
    let mut plant = Plant::new(&system);
    for _ in 0..count {
        let (y, t) = (random_state(&system, random, 2.0), random.between(0.0, 3.0));
        if is_turned_over(&system, t, &y) {
            continue;
        }
        check(&mut plant, t, &y, random, name);
    }
}

/// Whether a bushing is turned so far that its rotation vector may jump to the other side.
fn is_turned_over(system: &System, t: f64, y: &[f64]) -> bool {
    let markers = placed(system, t, y).markers;
    let over = |force: &Force| match &force.kind {
        ForceKind::Bushing { a, b, .. } => {
            let r = markers[a.0].frame.r.tr_mul(&markers[b.0].frame.r);
            0.5 * (r.trace() - 1.0) < -0.99
        }
        _ => false,
    };
    system.model.space == Space::Spatial && system.model.forces.iter().any(over)
}

/// Bushings between ground, first and second body, a force that turns with the second, and a row that is cut.
fn with_elements(model: &Model) -> Model {
    let mut model = model.clone();
    let any = |shift: f64| Matrix6::from_fn(|i, j| ((i * 7 + j * 3) as f64 + shift).sin());
    let matrix = |shift: f64| Box::new(any(shift) * any(shift).transpose());
    for (a, b) in [(0, 4), (1, 2), (3, 0)] {
        let (a, b) = (MarkerId(a), MarkerId(b));
        let (stiffness, damping) = (matrix(0.3), matrix(1.1));
        model.forces.push(force("bushing", ForceKind::Bushing { a, b, stiffness, damping }));
    }
    let components = constant([0.7, -0.4, 0.3]);
    let kind = ForceKind::Point { at: MarkerId(4), components, axes: Axes::Body };
    model.forces.push(force("load", kind));
    model.joints.push(joint("rod", JointKind::Distance { length: 0.8 }, 0, 4));
    model
}

#[test]
fn joints_change_as_their_derivatives_say() {
    let mut random = Random(101);
    for (name, model) in constrained_rigid() {
        check_at_random(&name, &in_joint_coordinates(&model), &mut random, 2);
    }
}

#[test]
fn chains_with_elements_change_as_their_derivatives_say() {
    let mut random = Random(103);
    for space in [Space::Planar, Space::Spatial] {
        for (name, model) in chains(space) {
            let model = in_joint_coordinates(&with_elements(&model));
            check_at_random(&name, &model, &mut random, 2);
        }
    }
}

#[test]
fn chains_with_driven_joints_change_as_their_derivatives_say() {
    let mut random = Random(107);
    for space in [Space::Planar, Space::Spatial] {
        for (name, model) in chains(space) {
            for which in [0, 1] {
                for &coordinate in model.joints[which].kind.free(space) {
                    let mut driven = in_joint_coordinates(&with_elements(&model));
                    let motion = swing(0.3, 0.4, 1.7);
                    driven.drivers.push(Driver { coordinate, ..driver("d", which, motion) });
                    let name = format!("{name}, {coordinate:?} of {which} driven");
                    check_at_random(&name, &driven, &mut random, 1);
                }
            }
        }
    }
}

/// Trees beside bodies in natural coordinates, beams and rigid elements.
#[test]
fn trees_beside_other_bodies_change_as_their_derivatives_say() {
    let mut random = Random(109);
    for space in [Space::Planar, Space::Spatial] {
        for kind in kinds(space) {
            let mut model = two_free(space);
            model.gravity = Vector3::new(0.4, -9.81, 0.0);
            model.joints = vec![joint("first", kind, 0, 1), joint("second", kind, 3, 2)];
            let model = with_elements(&model);
            let name = format!("{space:?} {kind:?}");
            let mut all = flexibly(&name, &model);
            all.push(in_rigid_elements(&name, &model));
            if space == Space::Spatial {
                all.extend(in_natural_coordinates(&name, &model).into_iter().take(1));
            }
            for (name, model) in all {
                check_at_random(&name, &in_joint_coordinates(&model), &mut random, 1);
            }
        }
    }
}

/// With the first body carried by a joint with turning axes, the second by nothing.
fn carried(mut model: Model) -> Model {
    let kind = match model.space {
        Space::Planar => JointKind::Revolute,
        Space::Spatial => JointKind::Universal,
    };
    model.joints.push(joint("carrier", kind, 0, 3));
    in_joint_coordinates(&model)
}

#[test]
fn contacts_change_as_their_derivatives_say() {
    let mut random = Random(113);
    let normal = normal_laws()[0].clone();
    let friction = FRICTIONS[1].clone();
    at_pressed_states_of(normal, friction, 127, carried, |plant, contact, y| {
        let g = plant.contact_geometry(contact, 0.0, y);
        let near = |edge: f64| (g.sliding.abs() - edge).abs() < 2e-3;
        if near(0.01) || near(0.5) || g.sliding.abs() < 0.05 {
            return;
        }
        let what = format!("{:?}", plant.system.contacts[contact].spot);
        check(plant, 0.0, y, &mut random, &what);
    });
    at_pressed_states_of(
        normal_laws()[0].clone(),
        Some(bristles()),
        131,
        carried,
        |plant, contact, y| {
            plant.keep_plain_time();
            let mut y = y.to_vec();
            bend(plant.system, &mut y, &mut random);
            let what = format!("{:?}, bristles", plant.system.contacts[contact].spot);
            check_states(plant, &y, &mut random, &what);
        },
    );
}

#[test]
fn films_change_as_their_derivatives_say() {
    let mut random = Random(137);
    for lubricant in films() {
        check_film_of(&lubricant, carried, NEAR, 10.0 * NEAR_FORWARD, &mut random, 5);
    }
}

#[test]
fn friction_changes_as_its_derivatives_say() {
    let mut random = Random(139);
    for (name, model) in rubbing() {
        let mut model = carried(model);
        let spec = RunSpec { method: Method::Radau5 { step: None }, ..RunSpec::seconds(1.0) };
        cut_friction(&mut model, &spec).unwrap();
        let system = System::compile(&model).unwrap();
        let mut plant = Plant::new(&system);
        plant.keep_plain_time();
        for _ in 0..3 {
            let mut y = random_state(&system, &mut random, 2.0);
            bend(&system, &mut y, &mut random);
            plant.find_modes(0.0, &y);
            check_states(&mut plant, &y, &mut random, &name);
        }
    }
}

/// A spring whose stiffness follows the motion of another body.
#[test]
fn functions_of_the_state_change_as_their_derivatives_say() {
    let mut random = Random(149);
    for space in [Space::Planar, Space::Spatial] {
        for names in readable(space) {
            let mut model = two_free(space);
            let (a, b) = (MarkerId(1), MarkerId(2));
            model.joints.push(Joint::new("joint", JointKind::Revolute, MarkerId(3), b));
            if space == Space::Spatial {
                model.joints.push(Joint::new("ball", JointKind::Spherical, a, MarkerId(4)));
            }
            let model = follows(model, names);
            let system = System::compile(&in_joint_coordinates(&model)).unwrap();
            let mut plant = Plant::new(&system);
            for _ in 0..3 {
                let mut y = random_state(&system, &mut random, 1.0);
                y[system.layout.turns..].fill(0.0);
                plant.place(0.7, &y);
                y[system.layout.turns..].copy_from_slice(&plant.work.turns);
                plant.find_modes(0.7, &y);
                check(&mut plant, 0.7, &y, &mut random, &format!("{space:?} {names:?}"));
            }
        }
    }
}
