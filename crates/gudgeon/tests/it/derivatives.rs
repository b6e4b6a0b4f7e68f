//! Every Jacobian, rate and bias of every joint against central differences at random states.
//!
//! Differences of fourth order (`states::slope`) are good to about 1e-11 of quantities of order one,
//! and to 1e-8 near the poles of angles, where a fifth derivative is large. Tolerances are 1e-8 of
//! the size of what is compared.

use crate::common::kinds::*;
use crate::common::spatial::*;
use crate::common::states::*;
use crate::common::*;
use gudgeon::model::*;
use gudgeon::system::compile::RowSource;
use gudgeon::system::evaluate;
use gudgeon::system::{Plant, System, Workspace, energy};
use gudgeon::time::{Jet, TimeFunction};
use nalgebra::Vector3;
use std::f64::consts::TAU;

const NEAR: f64 = 1e-8;

fn near(found: f64, expected: f64, what: &str) {
    let error = (found - expected).abs();
    assert!(error <= NEAR * (1.0 + expected.abs()), "{what}: {found} is not {expected}");
}

/// Calls `check` for every constrained model at random times and states.
fn at_random_states(mut check: impl FnMut(&str, &System, f64, &[f64])) {
    let mut random = Random(7);
    for (name, model) in constrained() {
        let system = System::compile(&model).unwrap();
        for _ in 0..10 {
            let y = random_state(&system, &mut random, 2.0);
            check(&name, &system, random.between(0.0, 3.0), &y);
        }
    }
}

/// All of an evaluation but the contacts.
fn evaluated(system: &System, t: f64, y: &[f64]) -> Workspace {
    let mut plant = Plant::new(system);
    plant.evaluate(t, y).unwrap();
    plant.work
}

/// What a driver prescribes for a row: value, rate and second rate.
fn prescribed(system: &System, row: usize, work: &Workspace) -> Jet {
    match system.rows[row].source {
        RowSource::Driver(id) => work.motions[id.0],
        RowSource::Joint(_) | RowSource::Body(_) => Jet::default(),
    }
}

/// g of a row without regard to its period.
fn gap(system: &System, row: usize, work: &Workspace) -> f64 {
    let r = &system.rows[row];
    if matches!(r.source, RowSource::Body(_)) {
        return evaluate::position_residual(system, row, work);
    }
    let value = r.kind.coordinate(&work.markers[r.a], &work.markers[r.b]);
    value - prescribed(system, row, work).value
}

/// ġ of a row.
fn rate(system: &System, row: usize, work: &Workspace) -> f64 {
    let r = &system.rows[row];
    if matches!(r.source, RowSource::Body(_)) {
        let mut work = work.clone();
        evaluate::rows(system, &mut work);
        return power(&jacobian(system, &work)[row], &work.v);
    }
    r.kind.rate(&work.markers[r.a], &work.markers[r.b]) - prescribed(system, row, work).rate
}

/// How far g is from its value at another point; what repeats itself goes the short way.
fn change(system: &System, row: usize, work: &Workspace, from: f64) -> f64 {
    let change = gap(system, row, work) - from;
    let period = system.rows[row].kind.period();
    period.map_or(change, |period| change - period * (change / period).round())
}

#[test]
fn rows_are_the_gradients_of_their_coordinates() {
    at_random_states(|name, system, t, y| {
        let work = evaluated(system, t, y);
        for (row, gradient) in jacobian(system, &work).iter().enumerate() {
            let here = gap(system, row, &work);
            for (k, found) in gradient.iter().enumerate() {
                let numeric = slope(|by| {
                    let moved = displaced(system, y, &unit(system, k), by);
                    change(system, row, &placed(system, t, &moved), here)
                });
                near(*found, numeric, &format!("{name}, row {row}, velocity {k}"));
            }
        }
    });
}

#[test]
fn rates_of_rows_are_the_time_derivatives_of_their_coordinates() {
    at_random_states(|name, system, t, y| {
        let work = placed(system, t, y);
        for row in 0..system.rows.len() {
            let here = gap(system, row, &work);
            let numeric = slope(|by| {
                change(system, row, &placed(system, t + by, &coasted(system, y, by)), here)
            });
            near(rate(system, row, &work), numeric, &format!("{name}, row {row}"));
        }
    });
}

#[test]
fn biases_of_rows_are_the_time_derivatives_of_their_rates() {
    // At constant velocities the second derivative of g is the bias, prescribed part included. In
    // space the angular velocity is constant in body axes, and `displace` is its exact flow.
    at_random_states(|name, system, t, y| {
        let work = evaluated(system, t, y);
        for row in 0..system.rows.len() {
            let at = |by: f64| rate(system, row, &placed(system, t + by, &coasted(system, y, by)));
            let bias = -work.gamma[row];
            // Near the poles of angles the fifth derivative is so large that a shorter step is nearer.
            let found = [slope(at), slope_over(3e-5, at)];
            let off = |found: &f64| (found - bias).abs();
            let best = if off(&found[0]) < off(&found[1]) { found[0] } else { found[1] };
            near(bias, best, &format!("{name}, row {row}"));
        }
    });
}

#[test]
fn accelerations_obey_the_rows_and_the_reactions_do_the_rest() {
    at_random_states(|name, system, t, y| {
        let work = evaluated(system, t, y);
        let mut sum = times_mass(system, &work, &work.accelerations);
        // Some states are nearly singular: their reactions are huge and cancel to rounding.
        let most = |x: &[f64]| x.iter().fold(0.0f64, |size, x| size.max(x.abs()));
        // So are the accelerations of light gradients of beams: the rows see λ over their masses.
        let n = work.accelerations.len();
        let mass = |k: usize| times_mass(system, &work, &unit(system, k))[k];
        let lightest = (0..n).map(mass).fold(1.0f64, f64::min);
        let rounding = 1e-14 * most(&work.lambda).max(most(&work.accelerations));
        for (row, gradient) in jacobian(system, &work).iter().enumerate() {
            let off = power(gradient, &work.accelerations) - work.gamma[row];
            let allowed = NEAR * (1.0 + work.gamma[row].abs()) + rounding / lightest;
            assert!(off.abs() < allowed, "{name}: G v̇ − γ = {off} in row {row}");
            for (sum, entry) in sum.iter_mut().zip(gradient) {
                *sum += entry * work.lambda[row];
            }
        }
        for (sum, force) in sum.iter().zip(&work.forces) {
            let off = sum - force;
            let allowed = NEAR * (1.0 + force.abs()) + rounding;
            assert!(off.abs() < allowed, "{name}: M v̇ + Gᵀ λ − f = {off}");
        }
    });
}

#[test]
fn joints_have_as_many_rows_as_they_take_freedoms() {
    for space in [Space::Planar, Space::Spatial] {
        let all = if space == Space::Planar { 3 } else { 6 };
        for kind in kinds(space) {
            let mut model = two_free(space);
            model.joints.push(joint("joint", kind, 1, 2));
            let rows = System::compile(&model).unwrap().rows.len();
            assert_eq!(Some(all - rows), freedoms(kind, space), "{space:?} {kind:?}");
        }
    }
}

#[test]
fn free_bodies_gain_the_momentum_of_the_forces_on_them() {
    // By the inertia of the model in the body's own axes, which a marker there shows: principal axes,
    // gyroscopic torques and kinetic energy are not taken from the program.
    let push = Vector3::new(0.8, -1.7, 0.6);
    let mut random = Random(19);
    let mut model = two_solids();
    model.gravity = Vector3::new(0.4, -9.81, 2.0);
    model.markers.push(place_on(1, [0.0; 3], [0.0; 3]));
    let point = |at| ForceKind::Point {
        at: MarkerId(at),
        components: constant(push.into()),
        axes: Axes::World,
    };
    // The second force acts nowhere; it makes its marker known.
    model.forces = vec![force("push", point(3)), force("none", point(5))];
    let ForceKind::Point { components, .. } = &mut model.forces[1].kind else { unreachable!() };
    *components = constant([0.0; 3]);
    let natural = in_natural_coordinates("free", &model).map(|(_, model)| model);
    for model in std::iter::once(model).chain(natural) {
        gains_momentum(&model, &mut random);
    }
}

fn gains_momentum(model: &Model, random: &mut Random) {
    let push = Vector3::new(0.8, -1.7, 0.6);
    let system = System::compile(model).unwrap();
    let (mass, inertia) = (model.bodies[1].mass.unwrap(), model.bodies[1].inertia.unwrap());
    for _ in 0..30 {
        let y = rigid_state(&system, random, 3.0);
        let work = evaluated(&system, 0.0, &y);
        let spin = |by: f64| {
            let mut y = coasted(&system, &y, by);
            for (i, a) in work.accelerations.iter().enumerate() {
                y[system.layout.q + i] += by * a;
            }
            let own = placed(&system, 0.0, &y).markers[5];
            own.frame.r * inertia * own.frame.r.tr_mul(&own.twist.w)
        };
        let own = work.markers[5];
        let centre = own.frame.p + own.frame.r * model.bodies[1].centre;
        let torque = (work.markers[3].frame.p - centre).cross(&push);
        let force = push + model.gravity * mass;
        let a = &work.accelerations;
        for k in 0..3 {
            near(slope(|by| spin(by)[k]), torque[k], &format!("torque {k}"));
            near(mass * a[k], force[k], &format!("force {k}"));
        }
        let v = own.twist.v + own.twist.w.cross(&(centre - own.frame.p));
        let energy = 0.5 * (mass * v.dot(&v) + spin(0.0).dot(&own.twist.w));
        near(system.kinetic_of(0, &work, &work.v), energy, "kinetic energy");
        let weight = -mass * model.gravity.dot(&centre)
            - system.bodies[1].mass * model.gravity.dot(&work.states[2].frame.p);
        near(energy::gravity(&system, &work), weight, "energy of gravity");
    }
}

#[test]
fn coordinates_change_at_the_rate_of_their_velocities() {
    use gudgeon_dae::{SecondOrderDae, Stabilisation};
    let mut random = Random(23);
    for space in [Space::Planar, Space::Spatial] {
        let system = System::compile(&two_free(space)).unwrap();
        for _ in 0..20 {
            let y = random_state(&system, &mut random, 2.0);
            let mut rates = vec![0.0; y.len()];
            let mut plant = Plant::new(&system);
            plant.rates(0.0, &y, &mut rates, Stabilisation::default()).unwrap();
            for i in 0..system.layout.q {
                near(rates[i], slope(|by| coasted(&system, &y, by)[i]), &format!("rate {i}"));
            }
        }
    }
}

#[test]
fn residuals_differ_by_full_turns_only() {
    let mut model = two_bodies();
    model.joints.push(joint("rail", JointKind::Prismatic, 0, 1));
    let system = System::compile(&model).unwrap();
    let row = (0..2).find(|&i| system.rows[i].kind.is_angle()).unwrap();
    for turns in [-3.0, 0.0, 5.0] {
        let mut y = vec![0.0; system.layout.end];
        y[..3].copy_from_slice(&[0.1, 0.2, 1.15 + turns * TAU]);
        let work = placed(&system, 0.0, &y);
        let found = evaluate::position_residual(&system, row, &work);
        near(found, 1.15 - 0.7 - 0.4, "angle of the rail");
    }
}

#[test]
fn drivers_and_screws_in_space_go_on_over_many_turns() {
    // Body 1 turned and raised against a marker of the ground; a driver and a screw see it closed.
    let pitch = 0.02;
    for turns in [-3.3, -1.0, 0.2, 7.6] {
        let angle = turns * TAU;
        let mut model = empty_space("screw");
        model.bodies.push(solid("nut", 1.0, [0.1, 0.2, 0.25], [0.3, 0.2, 0.1], [0.0; 3]));
        let at = [0.3, -0.2, 0.5];
        model.markers = vec![place_on(0, at, [0.4, 1.0, -0.2]), place_on(1, at, [0.0; 3])];
        model.joints.push(joint("thread", JointKind::Screw { pitch }, 0, 1));
        model.drivers.push(driver("motor", 0, TimeFunction::Constant(angle)));
        let assembled = gudgeon::assembly::assemble(&model).unwrap();
        let system = &assembled.system;
        let y = assembled.state();
        let work = placed(system, 0.0, &y);
        for row in 0..system.rows.len() {
            near(evaluate::position_residual(system, row, &work), 0.0, "closed");
        }
        let plant = Plant::new(system);
        near(plant.joint_angle(JointId(0), 0.0, &y), angle, "counted angle");
    }
}

#[test]
fn jets_of_time_functions_match_differences() {
    let functions = [
        TimeFunction::Constant(2.5),
        TimeFunction::Linear { start: -1.0, rate: 3.0 },
        swing(0.2, 1.5, 2.2),
    ];
    for function in functions {
        for t in [0.0, 0.31, 1.7] {
            let Jet { rate, second, .. } = function.jet(t, t);
            near(rate, slope(|by| function.jet(t + by, t).value), "rate");
            near(second, slope(|by| function.jet(t + by, t).rate), "second");
        }
    }
}
