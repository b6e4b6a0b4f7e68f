//! What every component must answer, whatever its coordinates: markers that move as their twists and
//! biases say, wrenches that do the work of those twists, masses that are inverted, and the same motion
//! as every other formulation of the same bodies.

use crate::common::kinds::{
    flexibly, in_floating_frames, in_natural_coordinates, in_rigid_elements,
};
use crate::common::spatial::*;
use crate::common::states::*;
use crate::common::*;
use gudgeon::assembly::assemble;
use gudgeon::math::spatial::Wrench;
use gudgeon::model::*;
use gudgeon::results::Status;
use gudgeon::run::{Method, RunSpec};
use gudgeon::sensor::resolve;
use gudgeon::simulate::simulate;
use gudgeon::system::{Plant, System};
use gudgeon_dae::{SecondOrderDae, Stabilisation};
use nalgebra::Vector3;

/// Two bodies with markers off their centres, each kind of coordinates.
fn formulations() -> Vec<(String, Model)> {
    let mut models = vec![("planar".to_owned(), two_free(Space::Planar))];
    let spatial = two_free(Space::Spatial);
    models.extend(in_natural_coordinates("spatial", &spatial));
    models.extend(flexibly("planar", &models[0].1.clone()));
    models.extend(flexibly("spatial", &spatial));
    models.extend(in_floating_frames("planar", &models[0].1.clone()));
    models.extend(in_floating_frames("spatial", &spatial));
    models.push(in_rigid_elements("planar", &models[0].1.clone()));
    models.push(in_rigid_elements("spatial", &spatial));
    models.push(("spatial".to_owned(), spatial));
    for (_, model) in &mut models {
        // Forces of nothing make all markers known.
        for at in 0..model.markers.len() {
            let components = constant([0.0; 3]);
            let kind = ForceKind::Point { at: MarkerId(at), components, axes: Axes::World };
            model.forces.push(force(&format!("none_{at}"), kind));
        }
    }
    models
}

fn at_random_states(mut check: impl FnMut(&str, &System, &[f64], &mut Random)) {
    let mut random = Random(53);
    for (name, model) in formulations() {
        let system = System::compile(&model).unwrap();
        for _ in 0..20 {
            let y = random_state(&system, &mut random, 2.0);
            check(&name, &system, &y, &mut random);
        }
    }
}

#[test]
fn the_work_of_a_wrench_is_that_of_its_marker() {
    // w · V = (Jᵀ w) · v, products of order ten: rounding.
    at_random_states(|name, system, y, random| {
        let mut work = placed(system, 0.0, y);
        for marker in 0..system.attachments.len() {
            let wrench = match system.model.space {
                Space::Spatial => Wrench { f: random.vector3(1.0), t: random.vector3(1.0) },
                Space::Planar => Wrench {
                    f: Vector3::new(random.between(-1.0, 1.0), 0.4, 0.0),
                    t: Vector3::z() * random.between(-1.0, 1.0),
                },
            };
            work.forces.fill(0.0);
            system.apply(marker, &wrench, &mut work);
            let twist = work.markers[marker].twist;
            let wanted = wrench.f.dot(&twist.v) + wrench.t.dot(&twist.w);
            let found = power(&work.forces, velocities(system, y));
            assert!((found - wanted).abs() < 1e-13 * 20.0, "{name}: {found} is not {wanted}");
        }
    });
}

#[test]
fn markers_move_and_turn_at_their_twists_and_these_change_by_their_biases() {
    at_random_states(|name, system, y, _| {
        let at = |by: f64| placed(system, 0.0, &coasted(system, y, by));
        let work = at(0.0);
        for marker in 0..system.attachments.len() {
            let now = work.markers[marker];
            let near = |found: f64, wanted: f64, what: &str| {
                let off = (found - wanted).abs();
                assert!(off < 1e-8 * (1.0 + wanted.abs()), "{name} {what}: {found}, {wanted}");
            };
            for k in 0..3 {
                near(slope(|by| at(by).markers[marker].frame.p[k]), now.twist.v[k], "v");
                near(slope(|by| at(by).markers[marker].twist.v[k]), now.bias.v[k], "bias of v");
                near(slope(|by| at(by).markers[marker].twist.w[k]), now.bias.w[k], "bias of ω");
            }
            let turned = |by: f64| at(by).markers[marker].frame.r * now.frame.r.transpose();
            let spin = |i: usize, j: usize| slope(|by| turned(by)[(i, j)]);
            for (k, (i, j)) in [(2, 1), (0, 2), (1, 0)].into_iter().enumerate() {
                near(spin(i, j), now.twist.w[k], "ω");
            }
        }
    });
}

/// A free pendulum of two bodies: a ball at the ground and a hinge between them.
fn pendulum(moments: [[f64; 3]; 2]) -> Model {
    let mut model = empty_space("pendulum");
    model.gravity = Vector3::new(0.0, 0.0, -9.81);
    for (name, moments, turned) in
        [("upper", moments[0], [0.3, -0.2, 0.5]), ("lower", moments[1], [-0.4, 0.1, 0.2])]
    {
        let mut body = solid(name, 1.3, moments, turned, [0.1, 0.02, -0.05]);
        body.start = Start::default();
        model.bodies.push(body);
    }
    model.bodies[1].start = start_in_space([0.0; 3], [0.4, 0.2, 0.1]);
    model.bodies[1].start.angular_velocity = Some((Vector3::new(1.0, -2.0, 3.0), Axes::World));
    model.markers = vec![
        place_on(0, [0.0; 3], [0.0; 3]),
        place_on(1, [0.0; 3], [0.0; 3]),
        place_on(1, [0.2, 0.0, 0.0], [0.3, 0.4, 0.0]),
        place_on(2, [0.0; 3], [0.1, -0.2, 0.0]),
    ];
    model.joints =
        vec![joint("ball", JointKind::Spherical, 0, 1), joint("hinge", JointKind::Revolute, 2, 3)];
    model
}

/// Accelerations and reactions of markers and joints at the start of a model.
fn seen(model: &Model) -> Vec<f64> {
    let start = assemble(model).unwrap();
    let mut plant = Plant::new(&start.system);
    plant.evaluate(0.0, &start.state()).unwrap();
    let names = [
        "upper.acceleration.x",
        "lower.acceleration.y",
        "lower.angular_acceleration.z",
        "upper.angular_acceleration.x",
        "ball.reaction.z",
        "hinge.reaction.x",
        "hinge.reaction_torque.y",
        "system.kinetic_energy",
    ];
    names.map(|name| resolve(model, name).unwrap().value(&plant, 0.0)).to_vec()
}

/// A body of volume, a lamina (J₂ = J₁ + J₃), a rod of almost no thickness.
const SHAPES: [[f64; 3]; 3] = [[0.03, 0.05, 0.04], [0.02, 0.05, 0.03], [1e-6, 0.05, 0.05]];

#[test]
fn all_coordinates_give_the_same_accelerations_and_reactions() {
    for upper in SHAPES {
        for lower in SHAPES {
            let model = pendulum([upper, lower]);
            let wanted = seen(&model);
            let size = wanted.iter().fold(0.0f64, |size, x| size.max(x.abs()));
            for (name, natural) in in_natural_coordinates("pendulum", &model) {
                for (found, wanted) in seen(&natural).iter().zip(&wanted) {
                    // Uneven moments cost as many digits in either form.
                    let off = (found - wanted).abs();
                    assert!(off < 1e-9 * size, "{name} {upper:?} {lower:?}: {found} {wanted}");
                }
            }
        }
    }
}

#[test]
fn what_lacks_mass_moves_and_is_held_exactly() {
    // A bracket without mass on the ground carries the ball and a load of its own.
    let mut model = pendulum([SHAPES[0], SHAPES[0]]);
    model.bodies.push(Body::new("bracket"));
    model.markers.push(place_on(3, [0.1, 0.2, 0.0], [0.2, 0.0, 0.0]));
    model.markers.push(place_on(3, [0.4, 0.2, -0.3], [0.0; 3]));
    model.markers.push(place_on(0, [0.1, -0.3, 0.2], [0.4, 0.1, 0.0]));
    model.joints[0].a = MarkerId(4);
    model.joints.push(joint("weld", JointKind::Fixed, 6, 5));
    let load = ForceKind::Point {
        at: MarkerId(5),
        components: constant([3.0, -2.0, 5.0]),
        axes: Axes::World,
    };
    model.forces.push(force("load", load));
    let value = |model: &Model, name: &str| {
        let start = assemble(model).unwrap();
        let mut plant = Plant::new(&start.system);
        plant.evaluate(0.0, &start.state()).unwrap();
        resolve(model, name).unwrap().value(&plant, 0.0)
    };
    let natural = in_natural_coordinates("washer", &model);
    for name in
        ["weld.reaction.x", "weld.reaction_torque.z", "hinge.reaction.y", "lower.acceleration.x"]
    {
        let wanted = value(&model, name);
        for (which, natural) in &natural {
            let found = value(natural, name);
            assert!((found - wanted).abs() < 1e-9 * 20.0, "{which} {name}: {found} {wanted}");
        }
    }
    // Nothing else acts on the bracket.
    let [load, ball, weld] =
        [3.0, value(&model, "ball.reaction.x"), value(&model, "weld.reaction.x")];
    assert!((load - ball + weld).abs() < 1e-9, "{ball} {weld}");
}

#[test]
fn masses_are_inverted_at_any_place() {
    // Without rows M v̇ = f: rates of free bodies against the masses that implicit methods see.
    let mut random = Random(59);
    for (name, model) in formulations() {
        let mut model = model;
        model.gravity = Vector3::new(0.3, -9.81, 0.0);
        let system = System::compile(&model).unwrap();
        let y = rigid_state(&system, &mut random, 2.0);
        let mut plant = Plant::new(&system);
        let mut rates = vec![0.0; y.len()];
        plant.rates(0.0, &y, &mut rates, Stabilisation::default()).unwrap();
        let mut left = times_mass(&system, &plant.work, &plant.work.accelerations);
        for (row, gradient) in jacobian(&system, &plant.work).iter().enumerate() {
            let lambda = plant.work.lambda[row];
            left.iter_mut().zip(gradient).for_each(|(left, g)| *left += g * lambda);
        }
        for (left, force) in left.iter().zip(&plant.work.forces) {
            assert!((left - force).abs() < 1e-10, "{name}: {left} {force}");
        }
    }
}

fn spec(model: &Model, end: f64, method: Method, rtol: f64, outputs: &[&str]) -> RunSpec {
    RunSpec { method, rtol: Some(rtol), ..run_for(model, end, outputs) }
}

/// Outputs at the end of a run.
fn last_row(model: &Model, spec: &RunSpec) -> Vec<f64> {
    let mut rows = Rows::default();
    let report = simulate(&assemble(model).unwrap(), spec, &mut rows);
    assert_eq!(report.status, Status::Done);
    rows.0.pop().unwrap()
}

#[test]
fn runs_in_natural_coordinates_are_those_of_quaternions() {
    let model = pendulum([SHAPES[0], SHAPES[1]]);
    let outputs = ["lower.position.x", "lower.position.z", "ball.reaction.z", "hinge.angle"];
    for (method, rtol, near) in
        [(Method::Dop853, 1e-11, 1e-9), (Method::Radau5 { step: None }, 1e-10, 1e-8)]
    {
        let run = |model: &Model| last_row(model, &spec(model, 1.0, method, rtol, &outputs));
        let wanted = run(&model);
        for (name, natural) in in_natural_coordinates("pendulum", &model) {
            for (found, wanted) in run(&natural).iter().zip(&wanted) {
                let off = (found - wanted).abs();
                assert!(off < near * (1.0 + wanted.abs()), "{name} {method:?}: {found} {wanted}");
            }
        }
    }
}
