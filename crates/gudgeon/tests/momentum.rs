//! Every interaction balances linear and angular momentum: the wrenches it exerts on the bodies,
//! taken about the origin, add up to nothing at random states.
//!
//! Sums of quantities of order F cancel to rounding, a few 1e-16 F times the arms; 1e-12 is allowed.

mod common;

use common::*;
use gudgeon::clearance::contact::{ContactMemory, Mode};
use gudgeon::clearance::friction::FrictionLaw;
use gudgeon::clearance::normal::{Damping, Elastic, NormalLaw};
use gudgeon::model::*;
use gudgeon::system::{Plant, System};
use gudgeon_dae::SecondOrderDae;

/// Sum about the origin of generalised forces (F_x, F_y, T) at the mass centres q.
fn sum(q: &[f64], forces: &[[f64; 3]]) -> ([f64; 3], f64) {
    let mut sum = [0.0; 3];
    let mut size = 0.0f64;
    for (q, f) in q.chunks_exact(3).zip(forces) {
        let terms = [f[0], f[1], f[2] + q[0] * f[1] - q[1] * f[0]];
        for (sum, term) in sum.iter_mut().zip(terms) {
            *sum += term;
            size = size.max(term.abs());
        }
    }
    (sum, size)
}

fn balanced(q: &[f64], forces: &[[f64; 3]], what: &str) {
    let (sum, size) = sum(q, forces);
    assert!(size > 0.0, "{what}: no force at all");
    for (value, name) in sum.iter().zip(["x", "y", "about z"]) {
        assert!(value.abs() <= 1e-12 * size, "{what}: {value:e} of {size:e} left {name}");
    }
}

fn state(plant: &Plant, random: &mut Random) -> Vec<f64> {
    let mut y = vec![0.0; plant.dims().total()];
    y[..6].copy_from_slice(&random.vector(6, 1.0));
    y[6..12].copy_from_slice(&random.vector(6, 2.0));
    y
}

#[test]
fn applied_forces_between_bodies_balance() {
    let (a, b) = (MarkerId(1), MarkerId(2));
    let kinds = [
        ForceKind::Spring { a, b, stiffness: 40.0, damping: 3.0, free_length: 0.7 },
        ForceKind::Spring { a: b, b: MarkerId(3), stiffness: 0.0, damping: 3.0, free_length: 0.0 },
        ForceKind::TorsionSpring { a, b, stiffness: 8.0, damping: 0.6, free_angle: 0.4 },
        ForceKind::Torque { on: b, against: a, torque: swing(1.0, 2.0, 3.0) },
    ];
    let mut random = Random(3);
    for kind in kinds {
        let mut model = two_bodies();
        model.forces.push(force("force", kind.clone()));
        let system = System::compile(&model).unwrap();
        for _ in 0..30 {
            let mut plant = Plant::new(&system);
            let y = state(&plant, &mut random);
            plant.evaluate(random.between(0.0, 2.0), &y).unwrap();
            balanced(&y[..6], &plant.work.forces, &format!("{kind:?}"));
        }
    }
}

#[test]
fn contacts_with_and_without_friction_balance() {
    let normal = NormalLaw::new(
        Elastic::Power { stiffness: 1e4, exponent: 1.5 },
        Damping::Flores { restitution: 0.8 },
    );
    let frictions = [
        None,
        Some(FrictionLaw::Coulomb { mu: 0.3, v0: 1e-3, v1: 0.1 }),
        Some(FrictionLaw::ThreeZone { mu_s: 0.4, mu_d: 0.2, v_s: 0.5, v_d: 2.0 }),
    ];
    let mut random = Random(5);
    for friction in frictions {
        let mut model = two_bodies();
        let mut pin = joint("pin", JointKind::Revolute, 1, 2);
        pin.clearance = Some(Clearance { friction, ..clearance(0.3, 0.02, normal) });
        model.joints.push(pin);
        let system = System::compile(&model).unwrap();
        for _ in 0..50 {
            let mut plant = Plant::new(&system);
            let mut y = state(&plant, &mut random);
            let e = plant.contact_geometry(0, &y).eccentricity;
            let (size, angle) = (random.between(0.021, 0.04), random.between(-3.0, 3.0));
            y[3] += size * angle.cos() - e.x;
            y[4] += size * angle.sin() - e.y;
            let g = plant.contact_geometry(0, &y);
            y[12] = g.depth.sqrt();
            plant.memory.contacts[0] = ContactMemory {
                mode: Mode::Contact { cut: false },
                impact_speed: 9.0,
                zone: friction.map_or(ContactMemory::FREE.zone, |law| law.zone(g.sliding)),
                root_scale: 0.1,
                ..ContactMemory::FREE
            };
            plant.evaluate(0.0, &y).unwrap();
            balanced(&y[..6], &plant.work.forces, &format!("contact, {friction:?}"));
            // Its power is that of its two wrenches.
            let force = &plant.work.contacts[0].1;
            let given: f64 =
                plant.work.forces.iter().flatten().zip(&y[6..12]).map(|(f, v)| f * v).sum();
            let told = force.normal_power + force.friction_power;
            assert!((given - told).abs() < 1e-11 * (1.0 + told.abs()), "{given} is not {told}");
        }
    }
}

#[test]
fn reactions_of_joints_and_drivers_balance() {
    let kinds =
        [JointKind::Revolute, JointKind::Prismatic, JointKind::Fixed, JointKind::PointOnLine];
    let mut random = Random(9);
    for kind in kinds {
        for driven in [false, true] {
            if driven && kind == JointKind::Fixed {
                continue;
            }
            let mut model = two_bodies();
            model.joints.push(joint("joint", kind, 1, 2));
            if driven {
                model.drivers.push(driver("driver", 0, swing(0.1, 0.5, 2.0)));
            }
            let system = System::compile(&model).unwrap();
            for _ in 0..30 {
                let mut plant = Plant::new(&system);
                let mut y = state(&plant, &mut random);
                let t = random.between(0.0, 2.0);
                // The two sides of a reaction share a line of action where the joint is closed.
                plant.project(t, &mut y).unwrap();
                plant.evaluate(t, &y).unwrap();
                // No applied forces: mass times acceleration is the reaction.
                let forces: Vec<[f64; 3]> = system
                    .bodies
                    .iter()
                    .zip(&plant.work.accelerations)
                    .map(|(b, a)| [b.mass * a[0], b.mass * a[1], b.inertia * a[2]])
                    .collect();
                balanced(&y[..6], &forces, &format!("{kind:?}, driven: {driven}"));
            }
        }
    }
}

#[test]
fn momenta_of_two_bodies_with_play_are_kept_over_many_impacts() {
    // Free in space, joined by a loose pin with friction only: p and L are what they were.
    let normal = NormalLaw::new(
        Elastic::Power { stiffness: 1e7, exponent: 1.5 },
        Damping::LankaraniNikravesh { restitution: 0.9 },
    );
    let mut model = two_bodies();
    let mut pin = joint("pin", JointKind::Revolute, 1, 2);
    let friction = Some(FrictionLaw::Coulomb { mu: 0.1, v0: 1e-3, v1: 1e-2 });
    pin.clearance = Some(Clearance { friction, ..clearance(0.05, 0.002, normal) });
    model.joints.push(pin);
    let mut start = gudgeon::assembly::assemble(&model).unwrap();
    start.v.copy_from_slice(&[0.3, -0.2, 1.0, -0.5, 0.4, -2.0]);
    let outputs = [
        "a.centre.position.x",
        "a.centre.position.y",
        "b.centre.position.x",
        "b.centre.position.y",
        "a.centre.velocity.x",
        "a.centre.velocity.y",
        "b.centre.velocity.x",
        "b.centre.velocity.y",
        "a.angular_velocity",
        "b.angular_velocity",
    ];
    let momenta = |x: &[f64]| {
        let (m, j) = ([1.3, 0.4], [0.2, 0.05]);
        let p = |i: usize| [m[i] * x[4 + 2 * i], m[i] * x[5 + 2 * i]];
        let spin = |i: usize| {
            let p = p(i);
            j[i] * x[8 + i] + x[2 * i] * p[1] - x[2 * i + 1] * p[0]
        };
        [p(0)[0] + p(1)[0], p(0)[1] + p(1)[1], spin(0) + spin(1)]
    };
    struct Rows(Vec<Vec<f64>>);
    impl gudgeon::simulate::Observer for Rows {
        fn row(
            &mut self,
            _t: f64,
            values: &[f64],
            _orbits: &[[f64; 2]],
        ) -> std::ops::ControlFlow<()> {
            self.0.push(values.to_vec());
            std::ops::ControlFlow::Continue(())
        }
        fn loop_point(&mut self, _p: gudgeon::results::LoopPoint) -> std::ops::ControlFlow<()> {
            std::ops::ControlFlow::Continue(())
        }
        fn progress(&mut self, _t: f64, _end: f64) -> std::ops::ControlFlow<()> {
            std::ops::ControlFlow::Continue(())
        }
    }
    let mut rows = Rows(Vec::new());
    let report = gudgeon::simulate::simulate(&start, &run_for(&model, 0.2, &outputs), &mut rows);
    assert_eq!(report.status, gudgeon::results::Status::Done);
    assert!(report.contacts[0].impacts > 3, "{:?}", report.contacts);
    let first = momenta(&rows.0[0]);
    for row in &rows.0 {
        for (now, then) in momenta(row).iter().zip(first) {
            // Linear invariants of a Runge–Kutta step: kept to rounding. The angular one is
            // quadratic and kept to the tolerance, 1e-9 per step over some hundred steps.
            assert!((now - then).abs() < 1e-7, "{now} was {then}");
        }
    }
    let linear = momenta(rows.0.last().unwrap());
    assert!((linear[0] - first[0]).abs() < 1e-12 && (linear[1] - first[1]).abs() < 1e-12);
}
