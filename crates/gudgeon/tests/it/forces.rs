//! Applied forces do what they say: values, stored energy, and power at random states.

use crate::common::spatial::*;
use crate::common::states::*;
use crate::common::*;
use gudgeon::assembly::assemble;
use gudgeon::model::*;
use gudgeon::results::LedgerKind;
use gudgeon::sensor::resolve;
use gudgeon::simulate::{Silent, simulate};
use gudgeon::system::{Plant, System, energy};
use gudgeon::time::TimeFunction;
use nalgebra::{Matrix6, Vector3};
use std::f64::consts::TAU;

const GROUND: MarkerId = MarkerId(0);
const A: MarkerId = MarkerId(1);
const B: MarkerId = MarkerId(2);

/// A symmetric matrix with positive eigenvalues of order `size`.
fn positive(random: &mut Random, size: f64) -> Box<Matrix6<f64>> {
    let any = Matrix6::from_fn(|_, _| random.between(-1.0, 1.0));
    Box::new((any * any.transpose() + Matrix6::identity() * 0.3) * size)
}

/// Elements that store energy and lose none.
fn conservative(space: Space) -> Vec<ForceKind> {
    let mut elements = vec![
        ForceKind::Spring { a: A, b: B, stiffness: 40.0, damping: 0.0, free_length: 0.7 },
        ForceKind::Spring { a: GROUND, b: B, stiffness: 40.0, damping: 0.0, free_length: 0.2 },
        ForceKind::TorsionSpring { a: A, b: B, stiffness: 8.0, damping: 0.0, free_angle: 0.4 },
        ForceKind::TorsionSpring { a: B, b: GROUND, stiffness: 8.0, damping: 0.0, free_angle: 0.0 },
    ];
    if space == Space::Spatial {
        for (a, b) in [(A, B), (GROUND, A), (B, GROUND)] {
            let stiffness = positive(&mut Random(31 + a.0 as u64), 5.0);
            elements.push(ForceKind::Bushing { a, b, stiffness, damping: Box::default() });
        }
    }
    elements
}

fn elements(space: Space) -> Vec<ForceKind> {
    let z = if space == Space::Planar { 0.0 } else { 1.3 };
    let mut elements = vec![
        ForceKind::Point {
            at: A,
            components: [
                swing(1.0, 2.0, 3.0),
                TimeFunction::Constant(-0.7),
                TimeFunction::Constant(z),
            ],
            axes: Axes::World,
        },
        ForceKind::Point {
            at: B,
            components: [TimeFunction::Constant(1.5), swing(0.0, 1.0, 2.0), swing(z, z, 4.0)],
            axes: Axes::Body,
        },
        ForceKind::Torque { on: B, against: A, torque: swing(0.3, 1.0, 5.0) },
        ForceKind::Torque { on: A, against: GROUND, torque: TimeFunction::Constant(2.0) },
        ForceKind::Spring { a: A, b: B, stiffness: 40.0, damping: 3.0, free_length: 0.7 },
        ForceKind::TorsionSpring { a: A, b: B, stiffness: 8.0, damping: 0.6, free_angle: 0.4 },
    ];
    if space == Space::Spatial {
        for (a, b) in [(A, B), (GROUND, B)] {
            let mut random = Random(41);
            let (stiffness, damping) = (positive(&mut random, 5.0), positive(&mut random, 0.5));
            elements.push(ForceKind::Bushing { a, b, stiffness, damping });
        }
    }
    elements.extend(conservative(space));
    elements
}

/// Energy stored in gravity and elements.
fn stored(plant: &Plant, t: f64, y: &[f64]) -> f64 {
    let mut plant = plant.clone();
    plant.place(t, y);
    energy::total(plant.system, &plant.work) - energy::kinetic(plant.system, &plant.work)
}

/// Calls `check` for elements between two bodies at random states of both spaces.
fn at_random_states(
    of: fn(Space) -> Vec<ForceKind>,
    gravity: Vector3<f64>,
    speed: f64,
    mut check: impl FnMut(&ForceKind, &mut Plant, f64, &[f64]),
) {
    let mut random = Random(21);
    for space in [Space::Planar, Space::Spatial] {
        for kind in of(space) {
            let mut model = two_free(space);
            model.gravity = gravity;
            model.forces.push(force("element", kind.clone()));
            let system = System::compile(&model).unwrap();
            for _ in 0..30 {
                let mut plant = Plant::new(&system);
                let y = random_state(&system, &mut random, speed);
                let t = random.between(0.0, 2.0);
                plant.evaluate(t, &y).unwrap();
                check(&kind, &mut plant, t, &y);
            }
        }
    }
}

#[test]
fn power_is_wrench_times_twist_less_the_rate_of_the_potential() {
    let gravity = Vector3::new(0.4, -9.81, 0.0);
    at_random_states(elements, gravity, 2.0, |kind, plant, t, y| {
        let system = plant.system;
        let given = power(&plant.work.forces, velocities(system, y));
        let told = plant.work.force_powers[0];
        let storing = slope(|by| stored(plant, t, &coasted(system, y, by)));
        // Rounding of energies of order 10 over 1e-4, and rotation vectors near half a turn.
        assert!(
            (given - told + storing).abs() < 1e-8 * (1.0 + given.abs()),
            "{kind:?}: {given} given, {told} told, {storing} stored"
        );
        let read = resolve(&system.model, "element.power").unwrap().value(plant, t);
        assert_eq!(read, told);
    });
}

#[test]
fn forces_are_the_gradients_of_their_potentials() {
    // At rest, so that bodies in space have no gyroscopic torque.
    at_random_states(conservative, Vector3::zeros(), 0.0, |kind, plant, t, y| {
        let system = plant.system;
        for (k, found) in plant.work.forces.iter().enumerate() {
            let gradient =
                slope(|by| stored(plant, t, &displaced(system, y, &unit(system, k), by)));
            assert!(
                (found + gradient).abs() < 1e-8 * (1.0 + gradient.abs()),
                "{kind:?}, velocity {k}: {found} is not −{gradient}"
            );
        }
    });
}

#[test]
fn dampers_only_take_energy() {
    at_random_states(elements, Vector3::zeros(), 2.0, |kind, plant, _, _| {
        let told = plant.work.force_powers[0];
        match kind {
            ForceKind::Point { .. } | ForceKind::Distributed { .. } | ForceKind::Torque { .. } => {}
            ForceKind::Spring { damping, .. } | ForceKind::TorsionSpring { damping, .. } => {
                assert!(if *damping > 0.0 { told < 0.0 } else { told == 0.0 }, "{kind:?}: {told}");
            }
            ForceKind::Bushing { damping, .. } => {
                let damped = damping.amax() > 0.0;
                assert!(if damped { told < 0.0 } else { told == 0.0 }, "{kind:?}: {told}");
            }
        }
    });
}

/// One body held by nothing, its centre at the origin of its axes, with markers on it and on the
/// ground.
fn one_body(kind: ForceKind) -> Model {
    let mut model = empty("one body");
    model.bodies.push(body("block", 2.0, Some(0.5), 0.0, start_at(0.3, 0.4, 0.2)));
    model.markers = vec![marker("origin", 0, 0.0, 0.0), marker("centre", 1, 0.0, 0.0)];
    model.forces.push(force("element", kind));
    model
}

#[test]
fn values_of_elements_by_hand() {
    let (a, b) = (MarkerId(0), MarkerId(1));
    let read = |model: &Model, name: &str| {
        let start = assemble(model).unwrap();
        let mut plant = Plant::new(&start.system);
        plant.evaluate(0.0, &start.state()).unwrap();
        resolve(model, name).unwrap().value(&plant, 0.0)
    };
    // 3–4–5: the spring is 0.5 m long.
    let spring = ForceKind::Spring { a, b, stiffness: 100.0, damping: 0.0, free_length: 0.2 };
    let model = one_body(spring);
    let near = |found: f64, expected: f64| {
        assert!((found - expected).abs() < 1e-12 * (1.0 + expected.abs()), "{found} {expected}");
    };
    near(read(&model, "element.force"), -30.0); // in tension
    near(read(&model, "element.energy"), 4.5);
    near(read(&model, "block.acceleration.x"), -30.0 * 0.6 / 2.0);
    near(read(&model, "block.acceleration.y"), -30.0 * 0.8 / 2.0);
    let torsion =
        ForceKind::TorsionSpring { a, b, stiffness: 10.0, damping: 0.0, free_angle: -0.1 };
    let model = one_body(torsion);
    near(read(&model, "element.torque"), -3.0);
    near(read(&model, "element.energy"), 0.45);
    near(read(&model, "block.angular_acceleration"), -6.0);
    let torque = ForceKind::Torque { on: b, against: a, torque: TimeFunction::Constant(1.5) };
    near(read(&one_body(torque), "block.angular_acceleration"), 3.0);
    let components = constant([3.0, 0.0, 0.0]);
    let push = ForceKind::Point { at: b, components, axes: Axes::Body };
    let model = one_body(push);
    near(read(&model, "block.acceleration.x"), 1.5 * 0.2f64.cos());
    near(read(&model, "block.acceleration.y"), 1.5 * 0.2f64.sin());
    near(read(&model, "element.force"), 3.0);
}

#[test]
fn a_damped_spring_follows_its_closed_form() {
    // Along the line from the origin: m r̈ = −k (r − l₀) − d ṙ from rest.
    let (k, d, free, m) = (200.0, 4.0, 0.2, 2.0f64);
    let spring = ForceKind::Spring {
        a: MarkerId(0),
        b: MarkerId(1),
        stiffness: k,
        damping: d,
        free_length: free,
    };
    let model = one_body(spring);
    let start = assemble(&model).unwrap();
    let end = 0.2;
    let outputs = ["block.position", "element.energy", "element.power"];
    let report = simulate(&start, &run_for(&model, end, &outputs), &mut Silent);
    let (decay, w) = (d / (2.0 * m), (k / m - d * d / (4.0 * m * m)).sqrt());
    let x0 = 0.5 - free;
    let (s, c) = (w * end).sin_cos();
    let exact = free + x0 * (-decay * end).exp() * (c + decay / w * s);
    // One tolerance of 1e-9 per step, some dozen steps.
    assert!((report.final_values[0] - exact).abs() < 1e-8, "{} {exact}", report.final_values[0]);
    let line = |kind| report.energy.lines.iter().find(|l| l.kind == kind).unwrap().value;
    let (kinetic, stored, lost) =
        (line(LedgerKind::Kinetic), line(LedgerKind::Spring), line(LedgerKind::Force));
    assert!(lost < 0.0 && (kinetic + stored - lost).abs() < 1e-9, "{kinetic} {stored} {lost}");
    assert!(report.energy.residual_relative() < 1e-8);
}

#[test]
fn loads_of_time_do_the_work_that_is_booked() {
    // Free fall with a push F(t) = 3 + 2 sin 5t along x: v = ∫ F/m dt.
    let zero = TimeFunction::Constant(0.0);
    let components = [swing(3.0, 2.0, 5.0), zero.clone(), zero];
    let mut model = one_body(ForceKind::Point { at: MarkerId(1), components, axes: Axes::World });
    model.gravity = Vector3::new(0.0, -9.81, 0.0);
    let start = assemble(&model).unwrap();
    let end = 1.0;
    let outputs = ["block.velocity.x", "block.velocity.y", "block.position.y"];
    let report = simulate(&start, &run_for(&model, end, &outputs), &mut Silent);
    let v = (3.0 * end + 0.4 * (1.0 - (5.0 * end).cos())) / 2.0;
    let expected = [v, -9.81 * end, 0.4 - 0.5 * 9.81 * end * end];
    for (found, expected) in report.final_values.iter().zip(expected) {
        assert!((found - expected).abs() < 1e-8, "{found} is not {expected}");
    }
    let work = report.energy.lines.iter().find(|l| l.kind == LedgerKind::Force).unwrap().value;
    assert!((work - 0.5 * 2.0 * v * v).abs() < 1e-8, "{work}");
}

/// A body on a hinge of the ground, or free, with an element between its marker and the ground's:
/// the axis of the hinge is turned against both.
fn in_space(hinged: bool, kind: ForceKind) -> Model {
    let mut model = empty_space("one body");
    let turned = [0.7, -0.4, 0.3];
    model.bodies.push(solid("block", 2.0, [0.5, 0.8, 0.9], turned, [0.0; 3]));
    model.bodies[1].start = start_in_space([0.3, 0.0, 0.4], [0.0; 3]);
    model.markers = vec![place_on(0, [0.3, 0.0, 0.4], turned), place_on(1, [0.0; 3], turned)];
    if hinged {
        model.joints.push(joint("hinge", JointKind::Revolute, 0, 1));
    }
    model.forces.push(force("element", kind));
    model
}

#[test]
fn a_torsion_spring_in_space_counts_full_turns() {
    // J φ̈ = −k φ with J = 0.9 about the third principal axis: φ = 22 sin ωt, three and a half turns.
    let (a, b, stiffness, size) = (MarkerId(0), MarkerId(1), 10.0, 22.0);
    let spring = ForceKind::TorsionSpring { a, b, stiffness, damping: 0.0, free_angle: 0.0 };
    let mut model = in_space(true, spring);
    let w = (stiffness / 0.9f64).sqrt();
    let axis: Vector3<f64> = model.markers[0].local.r.column(2).into();
    model.bodies[1].start.angular_velocity = Some((axis * (size * w), Axes::World));
    let start = assemble(&model).unwrap();
    let outputs = ["hinge.angle", "element.torque", "element.energy"];
    // A quarter of the period, and two thirds, past the middle again.
    for part in [0.25, 0.4, 2.0 / 3.0] {
        let end = part * TAU / w;
        let report = simulate(&start, &run_for(&model, end, &outputs), &mut Silent);
        let angle = size * (w * end).sin();
        let expected = [angle, -stiffness * angle, 0.5 * stiffness * angle * angle];
        for (found, expected) in report.final_values.iter().zip(expected) {
            // A tolerance of 1e-9 per step, some dozen steps.
            let error = (found - expected).abs();
            assert!(error < 1e-7 * (1.0 + expected.abs()), "{found} is not {expected}");
        }
        assert!(report.energy.residual_relative() < 1e-8);
    }
}

#[test]
fn a_driven_hinge_in_space_counts_full_turns() {
    let torque = ForceKind::Torque {
        on: MarkerId(1),
        against: MarkerId(0),
        torque: TimeFunction::Constant(0.0),
    };
    for turns in [3.0, -3.4] {
        let mut model = in_space(true, torque.clone());
        let motion = TimeFunction::Linear { start: 0.1, rate: turns * TAU };
        model.drivers.push(driver("motor", 0, motion));
        let start = assemble(&model).unwrap();
        let report = simulate(&start, &run_for(&model, 1.0, &["hinge.angle"]), &mut Silent);
        let (found, expected) = (report.final_values[0], 0.1 + turns * TAU);
        assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
    }
}

#[test]
fn a_torsion_spring_beside_a_driven_hinge_counts_its_turns() {
    // Driven to 10.5 rad from 10: the spring has the same angle in either space, or its opposite.
    for (a, b, sense) in [(0, 1, 1.0), (1, 0, -1.0)] {
        let (a, b) = (MarkerId(a), MarkerId(b));
        let spring =
            ForceKind::TorsionSpring { a, b, stiffness: 2.0, damping: 0.0, free_angle: 0.0 };
        let mut planar = one_body(spring.clone());
        planar.joints.push(joint("hinge", JointKind::Revolute, 0, 1));
        for mut model in [planar, in_space(true, spring)] {
            model.bodies[1].start = Start::default();
            let motion = TimeFunction::Linear { start: 10.0, rate: 1.0 };
            model.drivers.push(driver("motor", 0, motion));
            let start = assemble(&model).unwrap();
            let outputs = ["element.torque", "motor.torque", "element.energy"];
            let report = simulate(&start, &run_for(&model, 0.5, &outputs), &mut Silent);
            let expected = [-21.0 * sense, 21.0, 10.5 * 10.5];
            for (found, expected) in report.final_values.iter().zip(expected) {
                assert!((found - expected).abs() < 1e-8, "{:?}: {found}", model.space);
            }
        }
    }
}

#[test]
fn values_of_elements_in_space_by_hand() {
    let (a, b) = (MarkerId(0), MarkerId(1));
    let read = |model: &Model, names: &[&str]| -> Vec<f64> {
        let start = assemble(model).unwrap();
        let mut plant = Plant::new(&start.system);
        plant.evaluate(0.0, &start.state()).unwrap();
        names.iter().map(|name| resolve(model, name).unwrap().value(&plant, 0.0)).collect()
    };
    let near = |found: f64, expected: f64| {
        assert!((found - expected).abs() < 1e-12 * (1.0 + expected.abs()), "{found} {expected}");
    };
    let accelerations: Vec<String> = ["acceleration", "angular_acceleration"]
        .iter()
        .flat_map(|what| ["x", "y", "z"].map(|axis| format!("block.{what}.{axis}")))
        .collect();
    let accelerations: Vec<&str> = accelerations.iter().map(String::as_str).collect();
    let check = |model: &Model, linear: Vector3<f64>, angular: Vector3<f64>| {
        let found = read(model, &accelerations);
        (0..3).for_each(|k| near(found[k], linear[k]));
        (0..3).for_each(|k| near(found[3 + k], angular[k]));
    };
    // The axes of the markers are principal axes of the block.
    let torque = ForceKind::Torque { on: b, against: a, torque: TimeFunction::Constant(1.8) };
    let model = in_space(false, torque);
    let axes = model.markers[0].local.r;
    check(&model, Vector3::zeros(), axes.column(2) * (1.8 / 0.9));
    let push = |axes| ForceKind::Point { at: b, components: constant([1.0, 2.0, 3.0]), axes };
    let along = Vector3::new(0.5, 1.0, 1.5);
    check(&in_space(false, push(Axes::World)), along, Vector3::zeros());
    check(&in_space(false, push(Axes::Body)), axes * along, Vector3::zeros());
    // A bushing displaced by 0.1 along the y axis of its first side and turned by 0.2 about x.
    let stiffness = Box::new(Matrix6::from_diagonal(&[7.0, 8.0, 9.0, 3.0, 4.0, 5.0].into()));
    let bushing = ForceKind::Bushing { a, b, stiffness, damping: Box::default() };
    let mut model = in_space(false, bushing);
    let turned = gudgeon::math::rotation::exponential(&(axes.column(0) * 0.2));
    model.bodies[1].start.orientation = Some(Orientation::Rotation(turned));
    *model.bodies[1].start.position.as_mut().unwrap() += axes.column(1) * 0.1;
    check(&model, axes.column(1) * (-0.8 / 2.0), axes.column(0) * (-0.6 / 0.5));
    let found = read(&model, &["element.force", "element.energy"]);
    near(found[0], 0.8);
    near(found[1], 0.5 * (8.0 * 0.01 + 3.0 * 0.04));
    // A spring from the ground's origin to the block, 3–4–5.
    let spring = ForceKind::Spring { a, b, stiffness: 100.0, damping: 0.0, free_length: 0.2 };
    let mut model = in_space(false, spring);
    model.markers[0].local.p = Vector3::zeros();
    check(&model, Vector3::new(-30.0 * 0.6 / 2.0, 0.0, -30.0 * 0.8 / 2.0), Vector3::zeros());
}
