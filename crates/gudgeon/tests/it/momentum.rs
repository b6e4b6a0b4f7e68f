//! Every interaction balances linear and angular momentum: the wrenches it exerts on the bodies,
//! taken about the origin, add up to nothing at random states. Contacts: `derivatives_contacts.rs`.
//!
//! Sums of quantities of order F cancel to rounding, a few 1e-16 F times the arms; 1e-12 is allowed.

use crate::common::spatial::*;
use crate::common::states::*;
use crate::common::*;
use gudgeon::clearance::normal::{Damping, Elastic, NormalLaw};
use gudgeon::friction::{FrictionLaw, ZonedLaw};
use gudgeon::model::*;
use gudgeon::system::{Plant, System};
use gudgeon_dae::SecondOrderDae;
use nalgebra::Matrix6;

/// A state where the joint is closed, and its time: the two sides of a reaction share a line of
/// action there. Not every random state leads to one.
fn closed(plant: &mut Plant, random: &mut Random) -> (f64, Vec<f64>) {
    for _ in 0..1000 {
        let (t, mut y) = (random.between(0.0, 2.0), random_state(plant.system, random, 2.0));
        if plant.project(t, &mut y).is_ok() {
            return (t, y);
        }
    }
    panic!("no random state leads to a closed joint");
}

#[test]
fn applied_forces_between_bodies_balance() {
    let (a, b) = (MarkerId(1), MarkerId(2));
    let any = Matrix6::from_fn(|i, j| ((i * 7 + j * 3) as f64).sin());
    let stiffness = Box::new(any * any.transpose() * 5.0);
    let bushing = ForceKind::Bushing { a, b, damping: Box::new(*stiffness * 0.1), stiffness };
    let kinds = [
        ForceKind::Spring { a, b, stiffness: 40.0, damping: 3.0, free_length: 0.7 },
        ForceKind::Spring { a: b, b: MarkerId(3), stiffness: 0.0, damping: 3.0, free_length: 0.0 },
        ForceKind::TorsionSpring { a, b, stiffness: 8.0, damping: 0.6, free_angle: 0.4 },
        ForceKind::Torque { on: b, against: a, torque: swing(1.0, 2.0, 3.0) },
        bushing,
        ForceKind::Bushing { a, b, stiffness: Box::new(any), damping: Box::new(any.transpose()) },
    ];
    let mut random = Random(3);
    for space in [Space::Planar, Space::Spatial] {
        for kind in &kinds {
            let mut model = two_free(space);
            model.forces.push(force("force", kind.clone()));
            let system = System::compile(&model).unwrap();
            let bare = System::compile(&two_free(space)).unwrap();
            for _ in 0..30 {
                let (mut plant, mut free) = (Plant::new(&system), Plant::new(&bare));
                let y = random_state(&system, &mut random, 2.0);
                plant.evaluate(random.between(0.0, 2.0), &y).unwrap();
                free.evaluate(0.0, &y[..bare.layout.end]).unwrap();
                // Without the gyroscopic torques.
                let own = &free.work.forces;
                let forces: Vec<f64> =
                    plant.work.forces.iter().zip(own).map(|(f, own)| f - own).collect();
                balanced(&system, &y, &forces, &format!("{space:?}, {kind:?}"));
            }
        }
    }
}

#[test]
fn reactions_of_joints_and_drivers_balance() {
    use JointKind::*;
    let planar = [Revolute, Prismatic, Fixed, PointOnLine, Distance { length: 0.8 }];
    let only_spatial =
        [Cylindrical, Spherical, Universal, Planar, Screw { pitch: 0.5 }, PointOnPlane];
    let spatial: Vec<JointKind> = planar.iter().chain(&only_spatial).copied().collect();
    let mut random = Random(9);
    for (space, kinds) in [(Space::Planar, &planar[..]), (Space::Spatial, &spatial)] {
        for &kind in kinds {
            let driven = kind.free(space).iter().copied().map(Some);
            for coordinate in std::iter::once(None).chain(driven) {
                let mut model = two_free(space);
                model.joints.push(joint("joint", kind, 1, 2));
                model.drivers.extend(coordinate.map(|coordinate| Driver {
                    coordinate,
                    ..driver("driver", 0, swing(0.1, 0.5, 2.0))
                }));
                let system = System::compile(&model).unwrap();
                for _ in 0..30 {
                    let mut plant = Plant::new(&system);
                    let (t, y) = closed(&mut plant, &mut random);
                    plant.evaluate(t, &y).unwrap();
                    // No applied forces: what is missing for the acceleration is the reaction.
                    let inertia = times_mass(&system, &plant.work, &plant.work.accelerations);
                    let forces: Vec<f64> =
                        inertia.iter().zip(&plant.work.forces).map(|(m, f)| m - f).collect();
                    balanced(&system, &y, &forces, &format!("{space:?}, {kind:?}, {coordinate:?}"));
                }
            }
        }
    }
}

#[test]
fn momenta_of_two_bodies_with_play_are_kept_over_many_impacts() {
    // Joined by a loose pin or guide with friction only: p and L are what they were.
    keep_momenta(JointKind::Revolute, Form::Pin);
    keep_momenta(JointKind::Prismatic, Form::Guide { length: 0.2, width: 0.1 });
}

fn keep_momenta(kind: JointKind, form: Form) {
    let normal = NormalLaw::new(
        Elastic::Power { stiffness: 1e7, exponent: 1.5 },
        Damping::LankaraniNikravesh { restitution: 0.9 },
    );
    let mut model = two_bodies();
    let mut loose = joint("loose", kind, 1, 2);
    let friction = Some(FrictionLaw::Zoned(ZonedLaw::Coulomb { mu: 0.1, v0: 1e-3, v1: 1e-2 }));
    loose.clearance = Some(Clearance { form, friction, ..clearance(0.05, 0.002, normal) });
    model.joints.push(loose);
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
    let mut rows = Rows::default();
    let report = gudgeon::simulate::simulate(&start, &run_for(&model, 0.2, &outputs), &mut rows);
    assert_eq!(report.status, gudgeon::results::Status::Done);
    let impacts: usize = report.contacts.iter().map(|contact| contact.impacts).sum();
    assert!(impacts > 3, "{:?}", report.contacts);
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
