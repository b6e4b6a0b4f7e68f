//! Applied forces do what they say: values, stored energy, and power at random states.

mod common;

use common::*;
use gudgeon::assembly::assemble;
use gudgeon::model::*;
use gudgeon::results::LedgerKind;
use gudgeon::sensor::resolve;
use gudgeon::simulate::{Silent, simulate};
use gudgeon::system::{Plant, System, energy};
use gudgeon_dae::SecondOrderDae;
use nalgebra::Vector3;

const STEP: f64 = 1e-6;

fn elements() -> Vec<ForceKind> {
    let (ground, a, b) = (MarkerId(0), MarkerId(1), MarkerId(2));
    vec![
        ForceKind::Point {
            at: a,
            components: [swing(1.0, 2.0, 3.0), TimeFunction::Constant(-0.7)],
            axes: Axes::World,
        },
        ForceKind::Point {
            at: b,
            components: [TimeFunction::Constant(1.5), swing(0.0, 1.0, 2.0)],
            axes: Axes::Body,
        },
        ForceKind::Torque { on: b, against: a, torque: swing(0.3, 1.0, 5.0) },
        ForceKind::Torque { on: a, against: ground, torque: TimeFunction::Constant(2.0) },
        ForceKind::Spring { a, b, stiffness: 40.0, damping: 3.0, free_length: 0.7 },
        ForceKind::Spring { a: ground, b, stiffness: 40.0, damping: 0.0, free_length: 0.2 },
        ForceKind::TorsionSpring { a, b, stiffness: 8.0, damping: 0.6, free_angle: 0.4 },
        ForceKind::TorsionSpring { a: b, b: ground, stiffness: 8.0, damping: 0.0, free_angle: 0.0 },
    ]
}

use gudgeon::time::TimeFunction;

#[test]
fn power_is_wrench_times_twist_less_the_rate_of_the_potential() {
    let mut random = Random(21);
    for kind in elements() {
        let mut model = two_bodies();
        model.gravity = Vector3::new(0.4, -9.81, 0.0);
        model.forces.push(force("element", kind.clone()));
        let system = System::compile(&model).unwrap();
        for _ in 0..30 {
            let mut plant = Plant::new(&system);
            let mut y = vec![0.0; plant.dims().total()];
            y[..6].copy_from_slice(&random.vector(6, 1.0));
            y[6..12].copy_from_slice(&random.vector(6, 2.0));
            let t = random.between(0.0, 2.0);
            plant.evaluate(t, &y).unwrap();
            let given: f64 =
                plant.work.forces.iter().flatten().zip(&y[6..12]).map(|(f, v)| f * v).sum();
            let told = plant.work.force_powers[0];
            // Gravity and springs: potential energy along q + v t at constant v.
            let potential = |by: f64| {
                let mut moved = y.clone();
                (0..6).for_each(|i| moved[i] += by * y[6 + i]);
                let mut plant = plant.clone();
                plant.place(t, &moved);
                energy::total(&system, &plant.work) - energy::kinetic(&system, &plant.work)
            };
            let stored = (potential(STEP) - potential(-STEP)) / (2.0 * STEP);
            // Rounding of energies of order 10 over 2e-6.
            assert!(
                (given - told + stored).abs() < 1e-7,
                "{kind:?}: {given} given, {told} told, {stored} stored"
            );
            let power = resolve(&model, "element.power").unwrap().value(&plant, t);
            assert_eq!(power, told);
        }
    }
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
    let components = [TimeFunction::Constant(3.0), TimeFunction::Constant(0.0)];
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
    let components = [swing(3.0, 2.0, 5.0), TimeFunction::Constant(0.0)];
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
