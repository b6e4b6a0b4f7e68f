//! Every Jacobian, rate and bias against central differences at random states.
//!
//! With steps of 1e-6 and quantities of order one, central differences are good to about 1e-9: the
//! truncation is 1e-12 times a third derivative, the rounding 1e-16/1e-6. Tolerances are 1e-8 of
//! the size of what is compared.

mod common;

use common::*;
use gudgeon::clearance::contact::{self, ContactMemory, Mode, SWITCHES};
use gudgeon::clearance::friction::FrictionLaw;
use gudgeon::clearance::normal::{Damping, Elastic, NormalLaw};
use gudgeon::model::*;
use gudgeon::system::compile::RowSource;
use gudgeon::system::evaluate::{self, Point};
use gudgeon::system::{Plant, System, Workspace};
use gudgeon::time::{Jet, TimeFunction};
use gudgeon_dae::{SecondOrderDae, Stabilisation};

const STEP: f64 = 1e-6;
const NEAR: f64 = 1e-8;
const KINDS: [JointKind; 4] =
    [JointKind::Revolute, JointKind::Prismatic, JointKind::Fixed, JointKind::PointOnLine];

fn near(found: f64, expected: f64, what: &str) {
    let error = (found - expected).abs();
    assert!(error <= NEAR * (1.0 + expected.abs()), "{what}: {found} is not {expected}");
}

/// Every joint, with its driver where it has one, from ground to body, back, and between bodies.
fn constrained() -> Vec<(String, Model)> {
    let mut models = Vec::new();
    for kind in KINDS {
        for (a, b) in [(0, 1), (2, 0), (1, 2)] {
            let mut model = two_bodies();
            model.joints.push(joint("joint", kind, a, b));
            if kind != JointKind::Fixed {
                model.drivers.push(driver("driver", 0, swing(0.3, 0.4, 1.7)));
            }
            models.push((format!("{kind:?} {a}–{b}"), model));
        }
    }
    models
}

/// Kinematics at a point.
fn place(system: &System, t: f64, q: &[f64], v: &[f64]) -> Workspace {
    let mut work = Workspace::new(system);
    let at = Point { t, branch: t, q, v, roots: &[] };
    evaluate::kinematics(system, at, &mut work);
    evaluate::motions(system, at, &mut work);
    work
}

/// g of a row without wrapping of angles.
fn gap(system: &System, row: usize, work: &Workspace) -> f64 {
    let r = &system.rows[row];
    let prescribed = match r.source {
        RowSource::Driver(id) => work.motions[id.0].value,
        RowSource::Joint(_) => 0.0,
    };
    r.kind.coordinate(&work.markers[r.a], &work.markers[r.b]) - prescribed
}

/// ġ of a row.
fn rate(system: &System, row: usize, work: &Workspace) -> f64 {
    let r = &system.rows[row];
    let prescribed = match r.source {
        RowSource::Driver(id) => work.motions[id.0].rate,
        RowSource::Joint(_) => 0.0,
    };
    r.kind.rate(&work.markers[r.a], &work.markers[r.b]) - prescribed
}

fn moved(q: &[f64], v: &[f64], by: f64) -> Vec<f64> {
    q.iter().zip(v).map(|(q, v)| q + by * v).collect()
}

/// Calls `check` for every constrained model at random times and states.
fn at_random_states(mut check: impl FnMut(&str, &System, f64, &[f64], &[f64])) {
    let mut random = Random(7);
    for (name, model) in constrained() {
        let system = System::compile(&model).unwrap();
        for _ in 0..10 {
            let (q, v) = (random.vector(6, 1.0), random.vector(6, 2.0));
            check(&name, &system, random.between(0.0, 3.0), &q, &v);
        }
    }
}

#[test]
fn rows_are_the_gradients_of_their_coordinates() {
    at_random_states(|name, system, t, q, v| {
        let mut plant = Plant::new(system);
        let mut y = vec![0.0; plant.dims().total()];
        y[..6].copy_from_slice(q);
        y[6..12].copy_from_slice(v);
        plant.evaluate(t, &y).unwrap();
        let mut full = vec![[0.0; 6]; system.rows.len()];
        for (block, g) in system.blocks.iter().zip(&plant.work.g) {
            for k in 0..3 {
                full[block.row][3 * block.body + k] += g[k];
            }
        }
        for (row, gradient) in full.iter().enumerate() {
            for k in 0..6 {
                let mut unit = [0.0; 6];
                unit[k] = 1.0;
                let side = |by: f64| gap(system, row, &place(system, t, &moved(q, &unit, by), v));
                let numeric = (side(STEP) - side(-STEP)) / (2.0 * STEP);
                near(gradient[k], numeric, &format!("{name}, row {row}, coordinate {k}"));
            }
        }
    });
}

#[test]
fn rates_of_rows_are_the_time_derivatives_of_their_coordinates() {
    at_random_states(|name, system, t, q, v| {
        let work = place(system, t, q, v);
        for row in 0..system.rows.len() {
            let side = |by: f64| gap(system, row, &place(system, t + by, &moved(q, v, by), v));
            let numeric = (side(STEP) - side(-STEP)) / (2.0 * STEP);
            near(rate(system, row, &work), numeric, &format!("{name}, row {row}"));
        }
    });
}

#[test]
fn biases_of_rows_are_the_time_derivatives_of_their_rates() {
    // Along q + v t with constant v the second derivative of g is the bias, prescribed part included.
    at_random_states(|name, system, t, q, v| {
        let mut plant = Plant::new(system);
        let mut y = vec![0.0; plant.dims().total()];
        y[..6].copy_from_slice(q);
        y[6..12].copy_from_slice(v);
        plant.evaluate(t, &y).unwrap();
        for row in 0..system.rows.len() {
            let side = |by: f64| rate(system, row, &place(system, t + by, &moved(q, v, by), v));
            let numeric = (side(STEP) - side(-STEP)) / (2.0 * STEP);
            near(-plant.work.gamma[row], numeric, &format!("{name}, row {row}"));
        }
    });
}

#[test]
fn accelerations_obey_the_rows_and_the_reactions_do_the_rest() {
    at_random_states(|name, system, t, q, v| {
        let mut plant = Plant::new(system);
        let mut y = vec![0.0; plant.dims().total()];
        y[..6].copy_from_slice(q);
        y[6..12].copy_from_slice(v);
        plant.evaluate(t, &y).unwrap();
        let work = &plant.work;
        let mut row_accelerations = vec![0.0; system.rows.len()];
        let mut inertia = [[0.0; 3]; 2];
        for (i, body) in system.bodies.iter().enumerate() {
            let a = &work.accelerations[i];
            inertia[i] = [body.mass * a[0], body.mass * a[1], body.inertia * a[2]];
        }
        for (block, g) in system.blocks.iter().zip(&work.g) {
            for k in 0..3 {
                row_accelerations[block.row] += g[k] * work.accelerations[block.body][k];
                inertia[block.body][k] += g[k] * work.lambda[block.row];
            }
        }
        for (row, a) in row_accelerations.iter().enumerate() {
            near(*a, work.gamma[row], &format!("{name}: G v̇ = γ in row {row}"));
        }
        for (sum, force) in inertia.iter().flatten().zip(work.forces.iter().flatten()) {
            near(*sum, *force, &format!("{name}: M v̇ + Gᵀ λ = f"));
        }
    });
}

#[test]
fn wrapped_residuals_differ_by_full_turns_only() {
    let mut model = two_bodies();
    model.joints.push(joint("rail", JointKind::Prismatic, 0, 1));
    let system = System::compile(&model).unwrap();
    let row = (0..2).find(|&i| system.rows[i].kind.is_angle()).unwrap();
    for turns in [-3.0, 0.0, 5.0] {
        let q = [0.1, 0.2, 1.15 + turns * std::f64::consts::TAU, 0.0, 0.0, 0.0];
        let work = place(&system, 0.0, &q, &[0.0; 6]);
        let found = evaluate::position_residual(&system, row, &work);
        near(found, 1.15 - 0.7 - 0.4, "angle of the rail");
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
            let at = |by: f64| function.jet(t + by, t);
            near(rate, (at(STEP).value - at(-STEP).value) / (2.0 * STEP), "rate");
            near(second, (at(STEP).rate - at(-STEP).rate) / (2.0 * STEP), "second");
        }
    }
}

/// Two bodies with a journal of `b` in a bearing of `a` at depth `depth`.
fn touching(normal: NormalLaw, friction: Option<FrictionLaw>) -> Model {
    let mut model = two_bodies();
    let mut pin = joint("pin", JointKind::Revolute, 1, 2);
    pin.clearance = Some(Clearance { friction, ..clearance(0.3, 0.05, normal) });
    model.joints.push(pin);
    model
}

const FRICTIONS: [Option<FrictionLaw>; 3] = [
    None,
    Some(FrictionLaw::Coulomb { mu: 0.2, v0: 0.01, v1: 0.5 }),
    Some(FrictionLaw::ThreeZone { mu_s: 0.3, mu_d: 0.1, v_s: 0.4, v_d: 1.5 }),
];

fn normal_laws() -> Vec<NormalLaw> {
    let damping = Damping::LankaraniNikravesh { restitution: 0.8 };
    [
        Elastic::Power { stiffness: 1e3, exponent: 1.5 },
        Elastic::Power { stiffness: 1e3, exponent: 2.2 },
        Elastic::Foundation { modulus: 1e4, clearance: 0.05, width: 0.2 },
        Elastic::HybridPrinted { modulus: 1e4, clearance: 0.05, exponent: 1.5 },
        Elastic::HybridSlope { modulus: 1e4, clearance: 0.05, width: 0.2 },
    ]
    .map(|elastic| NormalLaw::new(elastic, damping))
    .to_vec()
}

/// A random state with the journal pressed into the bearing: |e| between c and 2c.
fn pressed(system: &System, random: &mut Random) -> Vec<f64> {
    let n = 6;
    let plant = Plant::new(system);
    let mut y = vec![0.0; plant.dims().total()];
    y[..n].copy_from_slice(&random.vector(n, 1.0));
    y[n..2 * n].copy_from_slice(&random.vector(n, 1.0));
    let e = plant.contact_geometry(0, &y).eccentricity;
    let (size, angle) = (random.between(0.055, 0.1), random.between(-3.0, 3.0));
    y[3] += size * angle.cos() - e.x;
    y[4] += size * angle.sin() - e.y;
    y
}

fn in_contact(plant: &mut Plant, y: &[f64]) {
    let g = plant.contact_geometry(0, y);
    let friction = plant.system.contacts[0].clearance.friction;
    plant.memory.contacts[0] = ContactMemory {
        mode: Mode::Contact { cut: false },
        impact_speed: 3.0,
        zone: friction.map_or(ContactMemory::FREE.zone, |law| law.zone(g.sliding)),
        root_scale: 0.2,
        ..ContactMemory::FREE
    };
}

#[test]
fn indentation_rate_and_sliding_follow_from_the_geometry() {
    let mut random = Random(11);
    let model = touching(normal_laws()[0], None);
    let system = System::compile(&model).unwrap();
    for _ in 0..50 {
        let y = pressed(&system, &mut random);
        let plant = Plant::new(&system);
        let g = plant.contact_geometry(0, &y);
        let later = |by: f64| {
            let mut y = y.clone();
            for i in 0..6 {
                y[i] += by * y[6 + i];
            }
            plant.contact_geometry(0, &y)
        };
        near(g.rate, (later(STEP).depth - later(-STEP).depth) / (2.0 * STEP), "rate of depth");
        // At the point of the forces, on the journal's surface, both bodies have a velocity.
        let point = g.normal * (0.3 - 0.05) + g.eccentricity;
        let work = place(&system, 0.0, &y[..6], &y[6..12]);
        let (a, b) = (&work.markers[1], &work.markers[2]);
        let journal = b.twist.v + b.twist.w.cross(&(point - g.eccentricity));
        let bearing = a.twist.v + a.twist.w.cross(&point);
        near(g.sliding_at_point, g.tangent.dot(&(journal - bearing)), "sliding at the point");
        // The law takes the bearing's surface at its own radius.
        let surface = a.twist.v + a.twist.w.cross(&(g.normal * 0.3));
        near(g.sliding, g.tangent.dot(&(journal - surface)), "sliding");
        near(g.normal.dot(&g.tangent), 0.0, "tangent");
    }
}

#[test]
fn contact_forces_have_the_partials_of_their_laws() {
    let mut random = Random(13);
    for normal in normal_laws() {
        for friction in FRICTIONS {
            let model = touching(normal, friction);
            let system = System::compile(&model).unwrap();
            let clearance = &system.contacts[0].clearance;
            for _ in 0..20 {
                let y = pressed(&system, &mut random);
                let mut plant = Plant::new(&system);
                in_contact(&mut plant, &y);
                let (memory, g) = (plant.memory.contacts[0], plant.contact_geometry(0, &y));
                let law = normal.force(g.depth, g.rate, memory.impact_speed);
                let force = |change: fn(&mut contact::Geometry, f64), by: f64| {
                    let mut g = g;
                    change(&mut g, by);
                    contact::force(clearance, &memory, &g, None)
                };
                let slope = |change, part: fn(&contact::ContactForce) -> f64| {
                    let (after, before) = (force(change, STEP), force(change, -STEP));
                    (part(&after) - part(&before)) / (2.0 * STEP)
                };
                let here = contact::force(clearance, &memory, &g, None);
                near(here.normal, law.value, "normal force");
                near(slope(|g, by| g.depth += by, |f| f.normal), law.d_depth, "∂F/∂δ");
                near(slope(|g, by| g.rate += by, |f| f.normal), law.d_rate, "∂F/∂δ̇");
                near(slope(|g, by| g.sliding += by, |f| f.normal), 0.0, "∂F/∂v_t");
                let mu = friction.map_or((0.0, 0.0), |law| {
                    let c = law.coefficient(g.sliding, memory.zone);
                    (c.value, c.slope)
                });
                near(here.friction, -mu.0 * law.value, "friction");
                let by_sliding = slope(|g, by| g.sliding += by, |f| f.friction);
                near(by_sliding, -mu.1 * law.value, "∂F_t/∂v_t");
                near(slope(|g, by| g.depth += by, |f| f.friction), -mu.0 * law.d_depth, "∂F_t/∂δ");
                near(slope(|g, by| g.rate += by, |f| f.friction), -mu.0 * law.d_rate, "∂F_t/∂δ̇");
                near(here.normal_power, -law.value * g.rate, "normal power");
                let power = here.friction * g.sliding_at_point;
                near(here.friction_power, power, "friction power");
                assert!(here.friction * g.sliding <= 0.0, "friction drives");
            }
        }
    }
}

#[test]
fn forces_by_root_are_those_by_depth() {
    for law in normal_laws() {
        for depth in [1e-6, 1e-3, 0.04] {
            let by_depth = law.force(depth, -0.7, 2.0).value;
            let by_root = law.force_by_root(f64::sqrt(depth), -0.7, 2.0);
            assert!((by_root / by_depth - 1.0).abs() < 1e-14, "{law:?}: {by_root} {by_depth}");
        }
    }
}

#[test]
fn continuations_to_negative_roots_are_smooth() {
    // A function of σ that is smooth through 0 and begins like σᵐ has the parity of m there.
    for law in normal_laws() {
        if let Elastic::Power { exponent: 2.2, .. } = law.elastic {
            continue; // σ^4.4 has no smooth continuation; its fourth derivative is still continuous.
        }
        let f = |root: f64| law.force_by_root(root, 0.3, 2.0);
        let root: f64 = 1e-4;
        let power = (f(2.0 * root) / f(root)).log2().round();
        let mirrored = f(-root) * if power % 2.0 == 0.0 { 1.0 } else { -1.0 };
        // The next term of the series is smaller by δ/c.
        assert!((mirrored / f(root) - 1.0).abs() < 1e-6, "{law:?}: {power}");
    }
}

#[test]
fn stretched_rates_are_plain_rates_times_the_stretch() {
    let mut random = Random(17);
    let model = touching(normal_laws()[0], FRICTIONS[1]);
    let system = System::compile(&model).unwrap();
    for _ in 0..20 {
        let mut y = pressed(&system, &mut random);
        let mut stretched = Plant::new(&system);
        in_contact(&mut stretched, &y);
        let g = stretched.contact_geometry(0, &y);
        y[12] = g.depth.sqrt();
        let mut plain = stretched.clone();
        plain.keep_plain_time();
        let (mut by_tau, mut by_t) = (vec![0.0; y.len()], vec![0.0; y.len()]);
        let none = Stabilisation::default();
        let s = stretched.rates(0.0, &y, &mut by_tau, none).unwrap();
        assert_eq!(plain.rates(0.0, &y, &mut by_t, none), Ok(1.0));
        assert_eq!(s, stretched.stretch(&y));
        let scale = stretched.memory.contacts[0].root_scale;
        near(s, y[12] / y[12].hypot(scale), "stretch");
        for i in (0..y.len()).filter(|&i| i != 12) {
            near(by_tau[i], s * by_t[i], &format!("rate {i}"));
        }
        // σ² = δ, so 2σ dσ/dt = δ̇.
        near(2.0 * y[12] * by_tau[12] / s, g.rate, "rate of the root");
    }
}

#[test]
fn switches_are_zero_at_the_ends_of_their_modes() {
    let friction = FrictionLaw::ThreeZone { mu_s: 0.3, mu_d: 0.1, v_s: 0.4, v_d: 1.5 };
    let model = touching(normal_laws()[0], Some(friction));
    let system = System::compile(&model).unwrap();
    let clearance = &system.contacts[0].clearance;
    let law = &clearance.normal;
    let mut y = vec![0.0; Plant::new(&system).dims().total()];
    y[3] = 0.1;
    let mut g = Plant::new(&system).contact_geometry(0, &y);
    let values = |memory: &ContactMemory, g: &contact::Geometry, root| {
        let mut out = [0.0; SWITCHES];
        contact::switches(clearance, memory, g, root, &mut out);
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
    (g.rate, g.sliding) = (-2.0 / law.factor(), 0.4);
    let found = values(&memory, &g, None);
    assert_eq!((found[0], found[3]), (0.0, 0.0));
    near(found[1], 0.0, "bracket");
    assert_eq!(values(&memory, &g, Some(0.05))[0], 0.5);
    memory.mode = Mode::Contact { cut: true };
    g.rate *= 2.0;
    assert!(values(&memory, &g, None)[1] > 0.0, "a cut lasts while the law would pull");
    assert_eq!(contact::force(clearance, &memory, &g, None).normal, 0.0);
}
