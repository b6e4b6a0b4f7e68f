//! Outputs in space against the motion they describe: places, reactions, angles, massless bodies.

use crate::common::spatial::*;
use crate::common::states::*;
use crate::common::*;
use gudgeon::assembly::assemble;
use gudgeon::math::rotation;
use gudgeon::model::*;
use gudgeon::results::Status;
use gudgeon::sensor::resolve;
use gudgeon::simulate::{Silent, simulate};
use gudgeon::system::{Plant, System};
use gudgeon::time::TimeFunction;
use gudgeon_dae::SecondOrderDae;
use nalgebra::Vector3;
use std::f64::consts::TAU;

fn near(found: f64, expected: f64, tolerance: f64, what: &str) {
    let error = (found - expected).abs();
    assert!(error <= tolerance * (1.0 + expected.abs()), "{what}: {found} is not {expected}");
}

/// A vector of outputs.
fn read(plant: &Plant, name: &str) -> Vector3<f64> {
    let part = |axis| {
        let sensor = resolve(&plant.system.model, &format!("{name}.{axis}")).unwrap();
        sensor.value(plant, 0.0)
    };
    Vector3::new(part("x"), part("y"), part("z"))
}

/// Two solids joined at random states that obey the joint.
fn at_closed_states(kind: JointKind, mut check: impl FnMut(&System, &[f64])) {
    let mut model = two_solids();
    model.gravity = Vector3::new(0.5, -9.81, 1.0);
    model.markers[1].name = Some("place".into());
    model.joints.push(joint("joint", kind, 1, 2));
    let system = System::compile(&model).unwrap();
    let mut random = Random(47);
    let mut found = 0;
    for _ in 0..1000 {
        let mut y = random_state(&system, &mut random, 2.0);
        if found < 20 && Plant::new(&system).project(0.0, &mut y).is_ok() {
            check(&system, &y);
            found += 1;
        }
    }
    assert_eq!(found, 20);
}

#[test]
fn velocities_and_accelerations_are_derivatives() {
    at_closed_states(JointKind::Universal, |system, y| {
        let mut plant = Plant::new(system);
        plant.evaluate(0.0, y).unwrap();
        let accelerations = plant.work.accelerations.clone();
        let later = |name: &str, by: f64| {
            let mut y = coasted(system, y, by);
            let v = &mut y[system.layout.q..system.layout.roots];
            v.iter_mut().zip(&accelerations).for_each(|(v, a)| *v += by * a);
            let mut plant = Plant::new(system);
            plant.place(0.0, &y);
            read(&plant, name)
        };
        for place in ["a", "a.centre", "a.place", "b", "b.centre"] {
            for (of, rate) in [
                ("position", "velocity"),
                ("velocity", "acceleration"),
                ("angular_velocity", "angular_acceleration"),
            ] {
                let found = read(&plant, &format!("{place}.{rate}"));
                let name = format!("{place}.{of}");
                for k in 0..3 {
                    near(found[k], slope(|by| later(&name, by)[k]), 1e-8, &name);
                }
            }
        }
    });
}

#[test]
fn reactions_are_what_moves_the_second_body() {
    use JointKind::*;
    for kind in [Revolute, Prismatic, Cylindrical, Spherical, Universal, Planar, Fixed] {
        at_closed_states(kind, |system, y| {
            let mut plant = Plant::new(system);
            plant.evaluate(0.0, y).unwrap();
            let body = &system.model.bodies[2];
            let mass = body.mass.unwrap();
            let own = system.attach(2, &gudgeon::math::spatial::Frame::identity());
            let own = plant.work.states[2].frame.r * own.turn;
            let inertia = own * body.inertia.unwrap() * own.transpose();
            let (w, turning) =
                (read(&plant, "b.angular_velocity"), read(&plant, "b.angular_acceleration"));
            let force = (read(&plant, "b.centre.acceleration") - system.model.gravity) * mass;
            let arm = read(&plant, "b.centre.position") - plant.work.markers[2].frame.p;
            // About the marker of the second side.
            let torque = inertia * turning + w.cross(&(inertia * w)) + arm.cross(&force);
            let side = plant.work.markers[1].frame.r;
            for (name, expected) in [
                ("reaction", force),
                ("reaction_torque", torque),
                ("local_reaction", side.transpose() * force),
                ("local_reaction_torque", side.transpose() * torque),
            ] {
                let found = read(&plant, &format!("joint.{name}"));
                let error = (found - expected).norm();
                assert!(error < 1e-9 * (1.0 + expected.norm()), "{kind:?} {name}: {error:e}");
            }
        });
    }
}

/// R_z(ψ) R_y(θ) R_x(φ) of the angles is the rotation of the second side, and their rates are differences.
#[test]
fn angles_of_a_ball_about_z_y_and_x_make_its_rotation() {
    let mut model = two_solids();
    model.joints.push(joint("joint", JointKind::Spherical, 1, 2));
    let system = System::compile(&model).unwrap();
    let mut random = Random(11);
    for _ in 0..50 {
        let y = random_state(&system, &mut random, 2.0);
        let read = |name: &str, y: &[f64]| {
            let mut plant = Plant::new(&system);
            plant.evaluate(0.0, y).unwrap();
            let sensor = gudgeon::sensor::resolve(&model, &format!("joint.{name}")).unwrap();
            let [a, b] = [1, 2].map(|marker: usize| plant.work.markers[marker].frame.r);
            (sensor.value(&plant, 0.0), a, b)
        };
        let [psi, theta, phi] = ["psi", "theta", "phi"].map(|name| read(name, &y).0);
        let about = |axis: Vector3<f64>, angle: f64| rotation::exponential(&(axis * angle));
        let made = about(Vector3::z(), psi) * about(Vector3::y(), theta) * about(Vector3::x(), phi);
        let (_, a, b) = read("psi", &y);
        near((made - a.transpose() * b).amax(), 0.0, 1e-13, "rotation");
        for name in ["psi", "theta", "phi"] {
            let numeric = slope(|by| {
                let off = read(name, &coasted(&system, &y, by)).0 - read(name, &y).0;
                off - TAU * (off / TAU).round()
            });
            let found = read(&format!("{name}_rate"), &y).0;
            near(found, numeric, 1e-7 * (1.0 + found.abs() + found.powi(4)), name);
        }
    }
}

#[test]
fn driven_angles_are_those_prescribed() {
    use Coordinate::*;
    // Of a spherical joint all three, the first and the third over more than a turn.
    for (kind, driven) in [
        (JointKind::Spherical, vec![("angle_x", AngleX), ("angle_y", AngleY), ("angle_z", AngleZ)]),
        (JointKind::Universal, vec![("angle_x", AngleX), ("angle_y", AngleY)]),
        (JointKind::Planar, vec![("displacement_x", X), ("displacement_y", Y), ("angle", Angle)]),
        (JointKind::Cylindrical, vec![("angle", Angle), ("displacement", Z)]),
    ] {
        let mut model = two_solids();
        model.bodies.truncate(2);
        model.markers.retain(|marker| marker.body.0 < 2);
        model.joints.push(joint("joint", kind, 0, 1));
        for (i, (_, coordinate)) in driven.iter().enumerate() {
            let motion = match coordinate {
                AngleX | AngleZ | Angle => TimeFunction::Linear { start: 0.3, rate: 9.0 },
                _ => swing(0.2, 0.5, 2.0 + i as f64),
            };
            let name = format!("driver{i}");
            model.drivers.push(Driver { coordinate: *coordinate, ..driver(&name, 0, motion) });
        }
        let start = assemble(&model).unwrap();
        assert_eq!(start.report.mobility, 6 - system_rows(&start));
        let names: Vec<String> = driven.iter().map(|(name, _)| format!("joint.{name}")).collect();
        let outputs: Vec<&str> = names.iter().map(String::as_str).collect();
        let end = 1.3;
        let report = simulate(&start, &run_for(&model, end, &outputs), &mut Silent);
        assert_eq!(report.status, Status::Done);
        for ((name, coordinate), found) in driven.iter().zip(&report.final_values) {
            let index = model.drivers.iter().position(|d| d.coordinate == *coordinate).unwrap();
            let wanted = model.drivers[index].motion.jet(end, end).value;
            // Angles of a spherical or universal joint are not counted over turns.
            let counted = *coordinate == Angle || !coordinate.is_angle();
            let off = found - wanted;
            let tau = std::f64::consts::TAU;
            let off = if counted { off } else { off - tau * (off / tau).round() };
            near(off, 0.0, 1e-9, name);
        }
        let residual = report.energy.residual_relative();
        assert!(residual < 1e-7, "{kind:?}: {residual:e}");
    }
}

fn system_rows(start: &gudgeon::assembly::Assembly) -> usize {
    start.system.rows.len() - start.report.redundant.len()
}

#[test]
fn a_massless_crank_in_space_needs_the_torque_of_its_load() {
    // Loads grow in proportion to the mass of the crank: from two light ones follows none.
    let [massless, light, heavier] = [None, Some(1e-5), Some(2e-5)].map(|mass| {
        let mut model = four_bar(0.0, JointKind::Spherical);
        model.joints[2].kind = JointKind::Cylindrical;
        model.drivers[0].motion = swing(0.4, 1.0, 12.0);
        model.bodies[1].mass = mass;
        model.bodies[1].inertia = mass.map(|m| inertia([m, 2.0 * m, 3.0 * m], [0.1, 0.2, 0.3]));
        let start = assemble(&model).unwrap();
        let mut plant = Plant::new(&start.system);
        let mut y = start.state();
        // At an instant with acceleration.
        let t = 0.07;
        plant.project(t, &mut y).unwrap();
        plant.evaluate(t, &y).unwrap();
        let names = ["motor.torque", "main.reaction", "second.reaction", "foot.reaction_torque"];
        names.map(|name| resolve(&model, name).unwrap().value(&plant, t))
    });
    for i in 0..massless.len() {
        assert!(massless[i].abs() > 0.01, "{massless:?}");
        near(massless[i], 2.0 * light[i] - heavier[i], 1e-8, "torque and reactions");
    }
}
