//! Joint coordinates against coordinates of every body: the same accelerations, reactions and runs.

use super::common::kinds::{constrained_rigid, kinds};
use super::common::spatial::*;
use super::common::*;
use gudgeon::assembly::assemble;
use gudgeon::model::*;
use gudgeon::results::Status;
use gudgeon::run::{Method, RunSpec};
use gudgeon::simulate::simulate;
use gudgeon::system::Plant;
use gudgeon::system::compile::RowSource;
use nalgebra::Vector3;

pub fn in_joint_coordinates(model: &Model) -> Model {
    Model { coordinates: Coordinates::Joint, ..model.clone() }
}

/// Accelerations of all bodies, then wrenches of all joints with their drivers, on side b.
pub fn at_start(model: &Model) -> (Vec<f64>, Vec<f64>) {
    let start = assemble(model).unwrap_or_else(|error| panic!("{}: {error}", model.name));
    let mut plant = Plant::new(&start.system);
    plant.find_modes(0.0, &start.state());
    plant.evaluate(0.0, &start.state()).unwrap();
    let mut loads = Vec::new();
    for (i, _) in model.joints.iter().enumerate() {
        let drivers = model.drivers.iter().enumerate();
        let own = drivers.filter(|(_, driver)| driver.joint == JointId(i));
        let sources = std::iter::once(RowSource::Joint(JointId(i)))
            .chain(own.map(|(k, _)| RowSource::Driver(DriverId(k))));
        let mut sum = [0.0; 6];
        for row in sources.flat_map(|source| start.system.rows_of(source)) {
            let (unit, lambda) = (plant.work.row_wrenches[row].on_b, plant.work.lambda[row]);
            (0..3).for_each(|k| sum[k] -= lambda * unit.f[k]);
            (0..3).for_each(|k| sum[3 + k] -= lambda * unit.t[k]);
        }
        loads.extend(sum);
    }
    loads.extend((0..model.drivers.len()).map(|driver| plant.driver_load(driver)));
    (plant.work.accelerations.clone(), loads)
}

fn largest(x: &[f64]) -> f64 {
    x.iter().fold(1.0, |most: f64, x| most.max(x.abs()))
}

pub fn same(name: &str, found: &[f64], wanted: &[f64], near: f64) {
    let size = largest(wanted);
    for (i, (found, wanted)) in found.iter().zip(wanted).enumerate() {
        let off = (found - wanted).abs();
        assert!(off <= near * size, "{name}, {i}: {found} instead of {wanted}");
    }
}

/// A load that pulls at every body, so that nothing is at rest.
fn loaded(model: &Model) -> Model {
    let mut model = model.clone();
    model.gravity = Vector3::new(0.7, -9.81, if model.space == Space::Spatial { 1.3 } else { 0.0 });
    let spin = |k: f64| match model.space {
        Space::Planar => Vector3::new(0.0, 0.0, 2.0 * k),
        Space::Spatial => Vector3::new(1.0, -2.0 * k, 1.5),
    };
    for (k, body) in model.bodies.iter_mut().enumerate().skip(1) {
        body.start.angular_velocity = Some((spin(k as f64), Axes::World));
        body.start.velocity = Some(Vector3::new(0.3, -0.2 * k as f64, 0.0));
    }
    model
}

#[test]
fn every_joint_accelerates_bodies_and_reacts_as_its_rows_do() {
    for (name, model) in constrained_rigid() {
        let model = loaded(&model);
        let (a, loads) = at_start(&model);
        let (b, reduced) = at_start(&in_joint_coordinates(&model));
        same(&name, &b, &a, 1e-11);
        same(&name, &reduced, &loads, 1e-9);
    }
}

/// Every joint of a space twice, one behind the other, the first from the ground.
pub fn chains(space: Space) -> Vec<(String, Model)> {
    let carries = |kind: &JointKind| {
        !matches!(
            kind,
            JointKind::Distance { .. } | JointKind::PointOnLine | JointKind::PointOnPlane
        )
    };
    let mut models = Vec::new();
    for first in kinds(space).filter(carries) {
        for second in kinds(space).filter(carries) {
            for (a, b) in [(3, 2), (2, 3)] {
                let mut model = two_free(space);
                model.joints = vec![joint("first", first, 0, 1), joint("second", second, a, b)];
                models.push((format!("{first:?}, {second:?}, {a}–{b}"), loaded(&model)));
            }
        }
    }
    models
}

#[test]
fn states_of_chains_are_those_of_their_bodies() {
    for (name, model) in chains(Space::Planar).into_iter().chain(chains(Space::Spatial)) {
        let states = |model: &Model| -> Vec<f64> {
            let all = assemble(model).unwrap().states();
            let numbers = |state: &gudgeon::system::component::BodyState| {
                let (frame, twist) = (state.frame, state.twist);
                let parts = [frame.p, twist.v, twist.w].map(|v| [v.x, v.y, v.z]).concat();
                parts.into_iter().chain(frame.r.iter().copied().collect::<Vec<_>>())
            };
            all.iter().flat_map(numbers).collect()
        };
        same(&name, &states(&in_joint_coordinates(&model)), &states(&model), 1e-11);
    }
}

#[test]
fn chains_of_two_joints_move_as_with_rows() {
    for (name, model) in chains(Space::Planar).into_iter().chain(chains(Space::Spatial)) {
        let (a, loads) = at_start(&model);
        let (b, reduced) = at_start(&in_joint_coordinates(&model));
        same(&name, &b, &a, 1e-11);
        same(&name, &reduced, &loads, 1e-9);
    }
}

/// Positions of the second body at the end of a run.
fn end_of(model: &Model, method: Method, rtol: f64) -> Vec<f64> {
    let names =
        ["a.position.x", "b.position.x", "b.position.y", "b.velocity.x", "b.kinetic_energy"];
    let mut rows = Rows::default();
    let spec = RunSpec { method, rtol: Some(rtol), ..run_for(model, 0.2, &names) };
    let report = simulate(&assemble(model).unwrap(), &spec, &mut rows);
    assert_eq!(report.status, Status::Done, "{}", model.name);
    let off = report.energy.residual.abs() / report.energy.peak_kinetic;
    assert!(off < 1e-6, "{} closes to {off}", model.name);
    rows.0.pop().unwrap()
}

#[test]
fn runs_of_chains_are_those_with_rows() {
    let kinds = |model: &Model| model.joints.iter().map(|j| j.kind).collect::<Vec<_>>();
    let all =
        chains(Space::Planar).into_iter().chain(chains(Space::Spatial).into_iter().step_by(9));
    for (name, model) in all {
        if kinds(&model)[1] == JointKind::Fixed {
            continue;
        }
        let wanted = end_of(&model, Method::Dop853, 1e-11);
        same(&name, &end_of(&in_joint_coordinates(&model), Method::Dop853, 1e-11), &wanted, 1e-8);
    }
}

#[test]
fn implicit_runs_of_chains_are_those_with_rows() {
    for (name, model) in chains(Space::Spatial).into_iter().step_by(37) {
        let wanted = end_of(&model, Method::Dop853, 1e-11);
        let reduced = in_joint_coordinates(&model);
        let found = end_of(&reduced, Method::Radau5 { step: None }, 1e-10);
        same(&name, &found, &wanted, 1e-7);
    }
}

#[test]
fn cut_loops_move_and_are_driven_as_with_rows() {
    // Three rows too many, and one.
    for second in [JointKind::Revolute, JointKind::Spherical] {
        let model = four_bar(12.0, second);
        let ((a, loads), (b, reduced)) =
            (at_start(&model), at_start(&in_joint_coordinates(&model)));
        same("four-bar", &b, &a, 1e-10);
        // Reactions of joints are not unique; the torque of the driver is.
        let driver = loads.len() - 1;
        same("driver", &reduced[driver..], &loads[driver..], 1e-9);
    }
}

#[test]
fn bodies_outside_the_tree_load_the_drivers_in_it() {
    let mut model = four_bar(12.0, JointKind::Spherical);
    model.bodies[2].coordinates = BodyCoordinates::Natural;
    let ((a, loads), (b, reduced)) = (at_start(&model), at_start(&in_joint_coordinates(&model)));
    same("mixed four-bar", &b, &a, 1e-9);
    let driver = loads.len() - 1;
    same("driver", &reduced[driver..], &loads[driver..], 1e-9);
}
