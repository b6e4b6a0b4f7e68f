//! Contact geometry of every spot against the motion of surface points, forces against the partials
//! of their laws, and stretched time against plain time, at random states.
//!
//! Differences are of fourth order (`states::slope`), good to about 1e-11 of quantities of order one.
//! Tolerances are 1e-8 of the size of what is compared.

use crate::common::contacts::*;
use crate::common::states::*;
use crate::common::*;
use gudgeon::clearance::contact::{self, ContactMemory, Mode, SWITCHES};
use gudgeon::clearance::geometry::{Geometry, Spot};
use gudgeon::clearance::normal::Elastic;
use gudgeon::friction::{FrictionLaw, Pressed, ZonedLaw};
use gudgeon::system::compile::ContactElement;
use gudgeon::system::{Plant, System, Workspace};
use gudgeon_dae::{SecondOrderDae, Stabilisation};
use nalgebra::Vector3;

const NEAR: f64 = 1e-8;

fn near(found: f64, expected: f64, what: &str) {
    let error = (found - expected).abs();
    assert!(error <= NEAR * (1.0 + expected.abs()), "{what}: {found} is not {expected}");
}

/// Velocity of the point of a marker's body that is at `point` now, by differences.
fn velocity_of(system: &System, y: &[f64], marker: usize, point: Vector3<f64>) -> Vector3<f64> {
    let frame = placed(system, 0.0, y).markers[marker].frame;
    let local = frame.r.tr_mul(&(point - frame.p));
    let at = |by: f64| {
        let frame = placed(system, 0.0, &coasted(system, y, by)).markers[marker].frame;
        frame.p + frame.r * local
    };
    Vector3::from_fn(|k, _| slope(|by| at(by)[k]))
}

/// What a spot is, by elementary geometry: depth, outward normal, and the points of the journal's and
/// of the bearing's surface that face each other.
fn surfaces(
    system: &System,
    contact: usize,
    y: &[f64],
) -> (f64, Vector3<f64>, Vector3<f64>, Vector3<f64>) {
    let element = &system.contacts[contact];
    let work = placed(system, 0.0, y);
    let (a, b) = (work.markers[element.a].frame, work.markers[element.b].frame);
    let axis: Vector3<f64> = a.r.column(2).into();
    // Circles or balls about two centres.
    let round = |bearing: Vector3<f64>, journal: Vector3<f64>| {
        let apart = journal - bearing;
        let n = apart / apart.norm();
        (apart.norm() - GAP, n, journal + n * (BEARING - GAP), bearing + n * BEARING)
    };
    match element.spot {
        Spot::Pin | Spot::Ball => round(a.p, b.p),
        Spot::Base { offset, .. } => {
            let centre = b.p + b.r.column(2) * offset;
            round(a.p + axis * axis.dot(&(centre - a.p)), centre)
        }
        Spot::Corner { x, y } => {
            let corner = b.p + b.r * Vector3::new(x, y, 0.0);
            let n = a.r.column(1) * y.signum();
            (n.dot(&(corner - a.p)) - y.abs() - GAP, n, corner, corner)
        }
        Spot::Flange { positive, .. } => {
            let n = if positive { axis } else { -axis };
            (n.dot(&(b.p - a.p)) - GAP, n, b.p, b.p)
        }
    }
}

#[test]
fn depth_approach_and_sliding_are_those_of_the_surfaces() {
    at_pressed_states(normal_laws()[0].clone(), None, 11, |plant, contact, y| {
        let system = plant.system;
        let element = &system.contacts[contact];
        let what = format!("{:?}", element.spot);
        let g = plant.contact_geometry(contact, 0.0, y);
        let (depth, normal, journal, bearing) = surfaces(system, contact, y);
        near(g.depth, depth, &format!("{what}: depth"));
        near((g.normal - normal).norm(), 0.0, &format!("{what}: normal"));
        near(g.normal.norm(), 1.0, &format!("{what}: length of the normal"));
        near(g.direction.norm(), 1.0, &format!("{what}: length of the direction"));
        let deeper =
            slope(|by| plant.contact_geometry(contact, 0.0, &coasted(system, y, by)).depth);
        near(g.rate, deeper, &format!("{what}: rate of depth"));
        if let Spot::Flange { radius, .. } = element.spot {
            // Points on the circle of friction, on opposite sides: what both have is translation.
            let axis = g.direction;
            let across = axis.cross(&Vector3::new(0.3, -0.5, 0.8)).normalize() * radius;
            let slip = |arm: Vector3<f64>| {
                let along = axis.cross(&arm) / radius;
                let velocity = |marker| velocity_of(system, y, marker, journal + arm);
                along.dot(&(velocity(element.b) - velocity(element.a)))
            };
            let mean = 0.5 * (slip(across) + slip(-across));
            near(g.sliding, mean, &format!("{what}: sliding"));
            near(g.direction.cross(&g.normal).norm(), 0.0, &format!("{what}: direction"));
            return;
        }
        near(g.normal.dot(&g.direction), 0.0, &format!("{what}: direction"));
        let moving = velocity_of(system, y, element.b, journal);
        // The law takes the bearing's surface at its own radius.
        let slip = moving - velocity_of(system, y, element.a, bearing);
        near(g.sliding, g.direction.dot(&slip), &format!("{what}: sliding"));
        // At the point of the forces, on the journal's surface, both bodies have a velocity.
        let at_point = moving - velocity_of(system, y, element.a, journal);
        near(g.sliding_at_point, g.direction.dot(&at_point), &format!("{what}: at the point"));
        near(g.rate, normal.dot(&at_point), &format!("{what}: approach at the point"));
        if let Spot::Ball | Spot::Base { plane: true, .. } = element.spot {
            let across = slip - normal * normal.dot(&slip);
            near(g.sliding, across.norm(), &format!("{what}: all of the sliding"));
        } else {
            let axis = placed(system, 0.0, y).markers[element.a].frame.r.column(2).into_owned();
            near((g.direction - axis.cross(&normal)).norm(), 0.0, &format!("{what}: tangent"));
        }
    });
}

#[test]
fn wrenches_balance_and_have_the_power_they_tell() {
    for friction in FRICTIONS {
        at_pressed_states(normal_laws()[0].clone(), friction.clone(), 29, |plant, contact, y| {
            let system = plant.system;
            let what = format!("{:?}, {friction:?}", system.contacts[contact].spot);
            plant.keep_plain_time();
            plant.evaluate(0.0, y).unwrap();
            let mut free = Plant::new(system);
            free.evaluate(0.0, y).unwrap();
            let forces: Vec<f64> =
                plant.work.forces.iter().zip(&free.work.forces).map(|(f, own)| f - own).collect();
            balanced(system, y, &forces, &what);
            let (geometry, force) = &plant.work.contacts[contact];
            let geometry = geometry.unwrap();
            let told = force.normal_power + force.friction_power;
            let given = power(&forces, velocities(system, y));
            assert!((given - told).abs() < 1e-12 * (1.0 + told.abs()), "{what}: {given} {told}");
            assert!(force.normal >= 0.0 && force.friction * geometry.sliding <= 0.0, "{what}");
            let along = force.on_journal + geometry.normal * force.normal;
            let expected = if geometry.thrust_radius.is_some() { 0.0 } else { force.friction };
            near((along - geometry.direction * expected).norm(), 0.0, &what);
        });
    }
}

#[test]
fn friction_opposes_the_sliding_of_the_surfaces() {
    at_pressed_states(normal_laws()[0].clone(), FRICTIONS[2].clone(), 37, |plant, contact, y| {
        let element = &plant.system.contacts[contact];
        if let Spot::Flange { .. } = element.spot {
            return; // its friction is a couple: see the power above
        }
        plant.keep_plain_time();
        let (_, force) = plant.contact_force(contact, 0.0, y);
        let (_, normal, journal, bearing) = surfaces(plant.system, contact, y);
        let slip = velocity_of(plant.system, y, element.b, journal)
            - velocity_of(plant.system, y, element.a, bearing);
        let along = force.on_journal - normal * normal.dot(&force.on_journal);
        assert!(along.dot(&slip) < 0.0, "{:?}: {along:?} drives {slip:?}", element.spot);
        near(along.norm(), force.friction.abs(), "size of the friction");
    });
}

#[test]
fn contact_forces_have_the_partials_of_their_laws() {
    for normal in normal_laws() {
        for friction in FRICTIONS {
            let rubs = friction.clone();
            at_pressed_states(normal.clone(), rubs, 13, |plant, contact, y| {
                let memory = plant.memory.contacts[contact];
                let g = plant.contact_geometry(contact, 0.0, y);
                let law = normal.force(g.depth, g.rate, memory.impact_speed, &[]);
                let element = &plant.system.contacts[contact];
                let markers = placed(plant.system, 0.0, y).markers;
                let sides = (&markers[element.a], &markers[element.b]);
                let touch = element.touch((&memory, &[]), sides, &[]);
                let partial =
                    |change: fn(&mut Geometry, f64), part: fn(&contact::ContactForce) -> f64| {
                        slope(|by| {
                            let mut g = g;
                            change(&mut g, by);
                            part(&touch.force(&g, None))
                        })
                    };
                let here = touch.force(&g, None);
                near(here.normal, law.value, "normal force");
                near(partial(|g, by| g.depth += by, |f| f.normal), law.d_depth, "∂F/∂δ");
                near(partial(|g, by| g.rate += by, |f| f.normal), law.d_rate, "∂F/∂δ̇");
                near(partial(|g, by| g.sliding += by, |f| f.normal), 0.0, "∂F/∂v_t");
                let mu = friction.as_ref().map_or((0.0, 0.0), |law| {
                    let pressed = Pressed { load: 1.0, pieces: &[] };
                    let c = law.coefficient(g.sliding, memory.zone, pressed).unwrap();
                    (c.value, c.slope)
                });
                near(here.friction, -mu.0 * law.value, "friction");
                let by_sliding = partial(|g, by| g.sliding += by, |f| f.friction);
                near(by_sliding, -mu.1 * law.value, "∂F_t/∂v_t");
                let by_depth = partial(|g, by| g.depth += by, |f| f.friction);
                near(by_depth, -mu.0 * law.d_depth, "∂F_t/∂δ");
                let by_rate = partial(|g, by| g.rate += by, |f| f.friction);
                near(by_rate, -mu.0 * law.d_rate, "∂F_t/∂δ̇");
                near(here.normal_power, -law.value * g.rate, "normal power");
                let power = here.friction * g.sliding_at_point;
                near(here.friction_power, power, "friction power");
                assert!(here.friction * g.sliding <= 0.0, "friction drives");
            });
        }
    }
}

#[test]
fn forces_by_root_are_those_by_depth() {
    for law in normal_laws() {
        for depth in [1e-6, 1e-3, 0.04] {
            let by_depth = law.force(depth, -0.7, 2.0, &[]).value;
            let by_root = law.force_by_root(f64::sqrt(depth), -0.7, 2.0, &[]);
            assert!((by_root / by_depth - 1.0).abs() < 1e-14, "{law:?}: {by_root} {by_depth}");
        }
    }
}

#[test]
fn continuations_to_negative_roots_are_smooth() {
    // A function of σ that is smooth through 0 and begins like σᵐ has the parity of m there.
    for law in normal_laws() {
        if let Elastic::Power { exponent: 2.2, .. } = law.parts().unwrap().elastic {
            continue; // σ^4.4 has no smooth continuation; its fourth derivative is still continuous.
        }
        let f = |root: f64| law.force_by_root(root, 0.3, 2.0, &[]);
        let root: f64 = 1e-4;
        let power = (f(2.0 * root) / f(root)).log2().round();
        let mirrored = f(-root) * if power % 2.0 == 0.0 { 1.0 } else { -1.0 };
        // The next term of the series is smaller by δ/c.
        assert!((mirrored / f(root) - 1.0).abs() < 1e-6, "{law:?}: {power}");
    }
}

#[test]
fn stretched_rates_are_plain_rates_times_the_stretch() {
    at_pressed_states(
        normal_laws()[0].clone(),
        FRICTIONS[1].clone(),
        17,
        |stretched, contact, y| {
            let root = stretched.system.layout.roots + contact;
            let mut y = y.to_vec();
            let g = stretched.contact_geometry(contact, 0.0, &y);
            y[root] = g.depth.sqrt();
            let mut plain = stretched.clone();
            plain.keep_plain_time();
            let (mut by_tau, mut by_t) = (vec![0.0; y.len()], vec![0.0; y.len()]);
            let none = Stabilisation::default();
            let s = stretched.rates(0.0, &y, &mut by_tau, none).unwrap();
            assert_eq!(plain.rates(0.0, &y, &mut by_t, none), Ok(1.0));
            assert_eq!(s, stretched.stretch(&y));
            let scale = stretched.memory.contacts[contact].root_scale;
            near(s, y[root] / y[root].hypot(scale), "stretch");
            for i in (0..y.len()).filter(|&i| i != root) {
                near(by_tau[i], s * by_t[i], &format!("rate {i}"));
            }
            // σ² = δ, so 2σ dσ/dt = δ̇.
            near(2.0 * y[root] * by_tau[root] / s, g.rate, "rate of the root");
        },
    );
}

#[test]
fn switches_are_zero_at_the_ends_of_their_modes() {
    let friction =
        FrictionLaw::Zoned(ZonedLaw::ThreeZone { mu_s: 0.3, mu_d: 0.1, v_s: 0.4, v_d: 1.5 });
    for shape in shapes(normal_laws()[0].clone()) {
        let system =
            System::compile(&loose(shape, normal_laws()[0].clone(), Some(friction.clone())))
                .unwrap();
        for contact in 0..system.contacts.len() {
            let y = pressed(&system, contact, &mut Random(43));
            let g = Plant::new(&system).contact_geometry(contact, 0.0, &y);
            let work = placed(&system, 0.0, &y);
            check_switches(&system.contacts[contact], friction.clone(), g, &work);
        }
    }
}

fn check_switches(
    element: &ContactElement,
    friction: FrictionLaw,
    mut g: Geometry,
    work: &Workspace,
) {
    let clearance = &element.clearance;
    let law = &clearance.normal;
    let values = |memory: &ContactMemory, g: &Geometry, root| {
        let mut out = [0.0; SWITCHES];
        contact::switches(clearance, (memory, &[]), g, root, &mut out);
        out
    };
    g.distance = clearance.radial;
    assert_eq!(values(&ContactMemory::FREE, &g, None)[0], 0.0);
    g.distance = 0.0;
    assert_eq!(values(&ContactMemory::FREE, &g, None), [1.0; 4]);
    let mut memory = ContactMemory {
        mode: Mode::Contact { cut: false },
        impact_speed: 2.0,
        zone: friction.zone(0.0),
        root_scale: 0.1,
        ..ContactMemory::FREE
    };
    g.distance = clearance.radial;
    (g.rate, g.sliding) = (-2.0 / law.parts().unwrap().factor(), 0.4);
    let found = values(&memory, &g, None);
    assert_eq!((found[0], found[3]), (0.0, 0.0));
    near(found[1], 0.0, "bracket");
    assert_eq!(values(&memory, &g, Some(0.05))[0], 0.5);
    memory.mode = Mode::Contact { cut: true };
    g.rate *= 2.0;
    assert!(values(&memory, &g, None)[1] > 0.0, "a cut lasts while the law would pull");
    let sides = (&work.markers[element.a], &work.markers[element.b]);
    let touch = element.touch((&memory, &[]), sides, &[]);
    assert_eq!(touch.force(&g, None).normal, 0.0);
}
