//! Modes against closed forms.

use crate::common::spatial::*;
use crate::common::*;
use gudgeon::equilibrium::{Rotation, Steady};
use gudgeon::math::rotation::exponential;
use gudgeon::modal::{About, Excitation, ModalReport, ModalSpec, analyse, respond};
use gudgeon::model::*;
use gudgeon::progress::Unwatched;
use gudgeon::run::Limits;
use gudgeon::sensor::resolve;
use gudgeon::time::TimeFunction;
use nalgebra::{Matrix2, Matrix3, Matrix6, Vector3};
use std::f64::consts::{PI, TAU};

fn modes_about(model: &Model, modes: usize, about: About) -> ModalReport {
    let spec = ModalSpec { about, modes: Some(modes), damped: true, impact_speed: None };
    analyse(model, spec, Limits::default(), &Unwatched).expect("it has modes")
}

fn modes(model: &Model, count: usize) -> ModalReport {
    modes_about(model, count, About::Equilibrium)
}

fn near(found: f64, wanted: f64, tolerance: f64) {
    let error = (found - wanted).abs() / wanted.abs().max(f64::MIN_POSITIVE);
    assert!(error < tolerance, "{found} is not {wanted}: {error:.2e}");
}

/// Masses on a line, each guided, with springs between walls.
fn chain(n: usize, stiffness: f64, mass: f64) -> Model {
    damped_chain(n, stiffness, mass, 0.0)
}

fn damped_chain(n: usize, stiffness: f64, mass: f64, damping: f64) -> Model {
    let mut model = empty("chain of masses");
    model.markers.push(marker("left", 0, 0.0, 0.0));
    model.markers.push(marker("right", 0, n as f64 + 1.0, 0.0));
    for i in 0..n {
        let x = i as f64 + 1.0;
        model.bodies.push(body(&format!("m{i}"), mass, Some(0.1), 0.0, start_at(x, 0.0, 0.0)));
        model.markers.push(marker("c", i + 1, 0.0, 0.0));
        model.joints.push(joint(&format!("guide{i}"), JointKind::Prismatic, 0, i + 2));
    }
    let at = |i: usize| {
        MarkerId(if i == 0 {
            0
        } else if i == n + 1 {
            1
        } else {
            i + 1
        })
    };
    for i in 0..=n {
        let kind =
            ForceKind::Spring { a: at(i), b: at(i + 1), stiffness, damping, free_length: 1.0 };
        model.forces.push(force(&format!("s{i}"), kind));
    }
    model
}

/// λ² + (d/k) κ λ + κ = 0 by mode, through the sparse inverse with a real shift.
#[test]
fn a_damped_chain_by_sparse_factors() {
    let (n, k, m, d) = (300, 3.0e4, 0.7, 40.0);
    let report = modes(&damped_chain(n, k, m, d), 8);
    for (j, mode) in report.modes.iter().enumerate() {
        let kappa = 4.0 * k / m * ((j + 1) as f64 * PI / (2.0 * (n + 1) as f64)).sin().powi(2);
        let re = -0.5 * d / k * kappa;
        near(mode.eigenvalue[0], re, 1e-8);
        near(mode.eigenvalue[1], (kappa - re * re).sqrt(), 1e-8);
    }
}

/// Two equal chains have every frequency twice, and both are found.
#[test]
fn frequencies_that_are_there_twice() {
    let (n, k, m) = (200, 3.0e4, 0.7);
    let mut model = chain(n, k, m);
    let other = chain(n, k, m);
    let (bodies, markers) = (model.bodies.len() - 1, model.markers.len());
    let moved = |id: MarkerId| MarkerId(id.0 + markers);
    for body in &other.bodies[1..] {
        model.bodies.push(Body { name: format!("{}b", body.name), ..body.clone() });
    }
    for marker in &other.markers {
        let on = if marker.body.0 == 0 { 0 } else { marker.body.0 + bodies };
        model.markers.push(Marker { body: BodyId(on), ..marker.clone() });
    }
    for joint in &other.joints {
        let (a, b, name) = (moved(joint.a), moved(joint.b), format!("{}b", joint.name));
        model.joints.push(Joint { name, a, b, ..joint.clone() });
    }
    for one in &other.forces {
        let ForceKind::Spring { a, b, stiffness, damping, free_length } = one.kind else {
            panic!("springs only");
        };
        let kind = ForceKind::Spring { a: moved(a), b: moved(b), stiffness, damping, free_length };
        model.forces.push(force(&format!("{}b", one.name), kind));
    }
    let report = modes(&model, 8);
    for (i, mode) in report.modes.iter().enumerate() {
        let j = i / 2 + 1;
        let wanted = 2.0 * (k / m).sqrt() * (j as f64 * PI / (2.0 * (n + 1) as f64)).sin();
        near(TAU * mode.frequency, wanted, 1e-9);
    }
}

/// ω_j = 2 √(k/m) sin(jπ/2(n+1)). Rounding of K over the lowest κ leaves ten digits at n = 1000.
#[test]
fn a_chain_of_a_thousand_masses() {
    let (n, k, m) = (1000, 3.0e4, 0.7);
    let report = modes(&chain(n, k, m), 12);
    for (j, mode) in report.modes.iter().enumerate() {
        let wanted = 2.0 * (k / m).sqrt() * ((j + 1) as f64 * PI / (2.0 * (n + 1) as f64)).sin();
        near(TAU * mode.frequency, wanted, 1e-8);
        assert!(mode.damping_ratio.abs() < 1e-12);
    }
}

#[test]
fn a_short_chain_has_all_its_modes() {
    let (n, k, m) = (7, 3.0e4, 0.7);
    let report = modes(&chain(n, k, m), 7);
    for (j, mode) in report.modes.iter().enumerate() {
        let wanted = 2.0 * (k / m).sqrt() * ((j + 1) as f64 * PI / (2.0 * (n + 1) as f64)).sin();
        near(TAU * mode.frequency, wanted, 1e-12);
        let strain: f64 = mode.strain.iter().map(|(_, share)| share).sum();
        near(strain, 1.0, 1e-9);
        let kinetic: f64 = mode.kinetic.iter().map(|(_, share)| share).sum();
        near(kinetic, 1.0, 1e-9);
    }
}

/// Three discs on a shaft that is held at one end: κ from det(K − κ M) = 0, a cubic.
#[test]
fn a_torsional_train() {
    let (j, k) = ([0.2, 0.05, 0.11], [900.0, 400.0, 1500.0]);
    let mut model = empty("train");
    model.markers.push(marker("wall", 0, 0.0, 0.0));
    for (i, inertia) in j.iter().enumerate() {
        let x = i as f64;
        model.bodies.push(body(
            &format!("disc{i}"),
            1.0,
            Some(*inertia),
            0.0,
            start_at(x, 0.0, 0.0),
        ));
        model.markers.push(marker("bearing", 0, x, 0.0));
        model.markers.push(marker("centre", i + 1, 0.0, 0.0));
        let (a, b) = (1 + 2 * i, 2 + 2 * i);
        model.joints.push(joint(&format!("b{i}"), JointKind::Revolute, a, b));
        let before = if i == 0 { 0 } else { 2 * i };
        let kind = ForceKind::TorsionSpring {
            a: MarkerId(before),
            b: MarkerId(b),
            stiffness: k[i],
            damping: 0.0,
            free_angle: 0.0,
        };
        model.forces.push(force(&format!("shaft{i}"), kind));
    }
    let report = modes(&model, 3);
    let characteristic = |x: f64| {
        let a = [k[0] + k[1] - x * j[0], k[1] + k[2] - x * j[1], k[2] - x * j[2]];
        a[0] * (a[1] * a[2] - k[2] * k[2]) - k[1] * k[1] * a[2]
    };
    for mode in &report.modes {
        let mut x = (TAU * mode.frequency).powi(2);
        for _ in 0..20 {
            let h = 1e-6 * x;
            x -= characteristic(x) * 2.0 * h / (characteristic(x + h) - characteristic(x - h));
        }
        near(TAU * mode.frequency, x.sqrt(), 1e-9);
    }
    assert!(report.modes[0].frequency < report.modes[2].frequency);
}

/// Two rods on pivots: M q̈ + K q = 0 in the two angles.
const PENDULUM: ([f64; 2], [f64; 2], [f64; 2], f64) = ([1.3, 0.8], [0.9, 0.6], [0.08, 0.02], 9.81);

fn double_pendulum(angles: [f64; 2]) -> Model {
    let (m, l, i, g) = PENDULUM;
    let mut model = empty("double pendulum");
    model.gravity.y = -g;
    let down = -PI / 2.0;
    model.bodies.push(body(
        "upper",
        m[0],
        Some(i[0]),
        0.5 * l[0],
        start_at(0.0, 0.0, down + angles[0]),
    ));
    let (s, c) = (down + angles[0]).sin_cos();
    let lower = start_at(l[0] * c, l[0] * s, down + angles[1]);
    model.bodies.push(body("lower", m[1], Some(i[1]), 0.5 * l[1], lower));
    model.markers = vec![
        marker("pivot", 0, 0.0, 0.0),
        marker("top", 1, 0.0, 0.0),
        marker("end", 1, l[0], 0.0),
        marker("top2", 2, 0.0, 0.0),
    ];
    model.joints =
        vec![joint("pivot", JointKind::Revolute, 0, 1), joint("knee", JointKind::Revolute, 2, 3)];
    model
}

#[test]
fn a_double_pendulum() {
    let (m, l, i, g) = PENDULUM;
    let report = modes(&double_pendulum([0.3, -0.2]), 2);
    let (a, b) = (0.5 * l[0], 0.5 * l[1]);
    let mass = Matrix2::new(
        i[0] + m[0] * a * a + m[1] * l[0] * l[0],
        m[1] * l[0] * b,
        m[1] * l[0] * b,
        i[1] + m[1] * b * b,
    );
    let stiff = Matrix2::new((m[0] * a + m[1] * l[0]) * g, 0.0, 0.0, m[1] * b * g);
    let p = mass.try_inverse().unwrap() * stiff;
    let (half, det) = (0.5 * p.trace(), p.determinant());
    let apart = (half * half - det).sqrt();
    near(TAU * report.modes[0].frequency, (half - apart).sqrt(), 1e-9);
    near(TAU * report.modes[1].frequency, (half + apart).sqrt(), 1e-9);
    assert_eq!(report.stable, Some(true));
    // Nothing but reactions holds it, and their shares are told.
    assert!(report.modes[0].strain.iter().all(|(name, _)| name.ends_with("(reaction)")));
}

/// A body on a bushing: the six frequencies of K against M.
#[test]
fn a_body_on_a_bushing() {
    let mut model = empty_space("bushing");
    let mut table = solid("table", 2.0, [0.03, 0.05, 0.04], [0.2, -0.4, 0.1], [0.0; 3]);
    table.start = start_in_space([0.0; 3], [0.0; 3]);
    model.bodies.push(table);
    model.markers = vec![place_on(0, [0.0; 3], [0.0; 3]), place_on(1, [0.0; 3], [0.0; 3])];
    let mut random = Random(5);
    let a = Matrix6::from_fn(|_, _| random.between(-1.0, 1.0));
    let k = (a * a.transpose() + Matrix6::identity() * 2.0) * 1e4;
    let kind = ForceKind::Bushing {
        a: MarkerId(0),
        b: MarkerId(1),
        stiffness: Box::new(k),
        damping: Box::new(Matrix6::zeros()),
    };
    model.forces.push(force("bushing", kind));
    let report = modes(&model, 6);
    let mut mass = Matrix6::zeros();
    mass.fixed_view_mut::<3, 3>(0, 0).copy_from(&(Matrix3::identity() * 2.0));
    mass.fixed_view_mut::<3, 3>(3, 3).copy_from(&inertia([0.03, 0.05, 0.04], [0.2, -0.4, 0.1]));
    let l = nalgebra::Cholesky::new(mass).unwrap().l();
    let li = l.try_inverse().unwrap();
    let mut values: Vec<f64> =
        (li * k * li.transpose()).symmetric_eigenvalues().iter().copied().collect();
    values.sort_by(f64::total_cmp);
    for (mode, kappa) in report.modes.iter().zip(values) {
        near(TAU * mode.frequency, kappa.sqrt(), 1e-11);
    }
}

/// A planar four-bar with a torsion spring at its rocker, in the plane and in space: the three rows too many do not matter.
#[test]
fn a_four_bar_in_space_has_the_frequency_of_the_plane() {
    let spring = |model: &mut Model| {
        // The last joint holds the rocker to the ground.
        let last = model.joints.len() - 1;
        let (a, b) = (model.joints[last].a, model.joints[last].b);
        let kind =
            ForceKind::TorsionSpring { a, b, stiffness: 40.0, damping: 0.0, free_angle: 0.1 };
        model.forces.push(force("spring", kind));
        model.drivers.clear();
        model.gravity = Vector3::zeros();
    };
    let mut space = four_bar(0.0, JointKind::Revolute);
    spring(&mut space);
    let mut ideal = four_bar(0.0, JointKind::Spherical);
    spring(&mut ideal);
    let found = modes(&space, 1);
    assert_eq!(found.dependent.len(), 3, "{:?}", found.dependent);
    assert_eq!(found.mobility, 1);
    let other = modes(&ideal, 1);
    near(found.modes[0].frequency, other.modes[0].frequency, 1e-9);
}

/// A symmetric top on a ball joint precesses steadily at Ω with spin n (in the frame of the precession), leaning by θ:
/// the nutation about it has
///   ω² = (A² Ω⁴ − 2 A m g l Ω² cos θ + m² g² l²)/(A² Ω²)
/// with A about the support, from the potential C n Ω cos θ … of the two cyclic momenta.
#[test]
fn a_heavy_top_about_its_steady_precession() {
    let (m, l, a0, c, g, theta, omega) = (1.1, 0.2, 0.004, 0.006, 9.81, 0.5f64, 7.0);
    let a = a0 + m * l * l;
    // Steady precession: m g l = C ω₃ Ω − A Ω² cos θ.
    let spin3 = (m * g * l + a * omega * omega * theta.cos()) / (c * omega);
    let mut model = empty_space("top");
    model.gravity.z = -g;
    let mut top = Body {
        mass: Some(m),
        inertia: Some(Matrix3::from_diagonal(&[a0, a0, c].into())),
        centre: Vector3::new(0.0, 0.0, l),
        ..Body::new("top")
    };
    let lean = Vector3::new(theta, 0.0, 0.0);
    let axis = exponential(&lean) * Vector3::z();
    // ω = Ω ẑ + n axis with ω·axis = ω₃.
    let n = spin3 - omega * theta.cos();
    let w = Vector3::z() * omega + axis * n;
    top.start = Start {
        angular_velocity: Some((w, Axes::World)),
        ..start_in_space([0.0; 3], [theta, 0.0, 0.0])
    };
    model.bodies.push(top);
    model.markers = vec![place_on(0, [0.0; 3], [0.0; 3]), place_on(1, [0.0; 3], [0.0; 3])];
    model.joints.push(joint("support", JointKind::Spherical, 0, 1));
    let rotation = Rotation { speed: Vector3::z() * omega, point: Vector3::zeros() };
    let about = About::Motion(Steady::Rotating { rotation, spins: true });
    let report = modes_about(&model, 3, about);
    assert!(!report.frozen && report.warnings.is_empty(), "{:?}", report.warnings);
    let mgl = m * g * l;
    let square = (a * a * omega.powi(4) - 2.0 * a * mgl * omega * omega * theta.cos() + mgl * mgl)
        / (a * a * omega * omega);
    let nutation = report.modes.last().unwrap();
    near(TAU * nutation.frequency, square.sqrt(), 1e-9);
}

/// A rigid symmetric rotor on isotropic springs: translation at √(k/m), tilting split by the gyroscopic moment,
///   ω² A ∓ ω C Ω − k_t = 0.
fn gyroscopic_rotor(speed: f64, unbalance: f64, damping: f64) -> Model {
    let mut model = empty_space("rotor");
    let rotor = Body {
        mass: Some(3.0),
        inertia: Some(Matrix3::from_diagonal(&[0.02, 0.02, 0.035].into())),
        centre: Vector3::new(unbalance, 0.0, 0.0),
        start: Start {
            angular_velocity: Some((Vector3::z() * speed, Axes::World)),
            ..start_in_space([0.0; 3], [0.0; 3])
        },
        ..Body::new("rotor")
    };
    // A hub without mass that turns with the rotor's axis but not with its spin.
    let hub = Body { start: start_in_space([0.0; 3], [0.0; 3]), ..Body::new("hub") };
    let hub = Body { mass: Some(1e-9), inertia: Some(Matrix3::identity() * 1e-13), ..hub };
    model.bodies.extend([rotor, hub]);
    model.markers = vec![
        place_on(0, [0.0; 3], [0.0; 3]),
        place_on(2, [0.0; 3], [0.0; 3]),
        place_on(1, [0.0; 3], [0.0; 3]),
    ];
    model.joints.push(joint("bearing", JointKind::Revolute, 1, 2));
    model.drivers.push(driver("motor", 0, TimeFunction::Linear { start: 0.0, rate: speed }));
    let k = Matrix6::from_diagonal(&[5e4, 5e4, 9e4, 300.0, 300.0, 700.0].into());
    let kind = ForceKind::Bushing {
        a: MarkerId(0),
        b: MarkerId(1),
        stiffness: Box::new(k),
        damping: Box::new(k * damping),
    };
    model.forces.push(force("support", kind));
    model
}

#[test]
fn a_rotor_is_split_by_its_gyroscopic_moment() {
    for speed in [0.0, 50.0, 200.0] {
        let model = gyroscopic_rotor(speed, 0.0, 0.0);
        let about = About::Motion(Steady::Turning);
        let report = modes_about(&model, 6, about);
        assert!(!report.frozen, "{:?}", report.warnings);
        let (a, c, k) = (0.02 + 1e-13, 0.035, 300.0);
        let half = 0.5 * c * speed / a;
        let root = (half * half + k / a).sqrt();
        let mass = 3.0 + 1e-9;
        let mut wanted = vec![
            (5e4f64 / mass).sqrt(),
            (5e4f64 / mass).sqrt(),
            (9e4f64 / mass).sqrt(),
            root - half,
            root + half,
            // The drive holds the spin, so that hub and rotor turn together.
            (700.0f64 / (0.035 + 1e-13)).sqrt(),
        ];
        wanted.sort_by(f64::total_cmp);
        for (mode, wanted) in report.modes.iter().zip(wanted) {
            near(TAU * mode.frequency, wanted, 1e-9);
        }
    }
}

/// x(ω) = m e ω²/(k − m ω² + i ω d), turning in y by −90°.
#[test]
fn the_response_to_an_unbalance() {
    let damping = 1e-3;
    let model = gyroscopic_rotor(100.0, 0.0, damping);
    let outputs = ["rotor.position.x", "rotor.position.y", "rotor.acceleration.x"]
        .map(|name| resolve(&model, name).expect("an output"));
    let frequencies = [5.0, 20.0, 20.6, 80.0];
    let excitation = Excitation::Unbalance { at: MarkerId(2), amount: 2e-4 };
    let about = About::Motion(Steady::Turning);
    let work = (Limits::default(), &Unwatched as _);
    let report = respond(&model, about, excitation, &frequencies, &outputs, work).unwrap();
    for point in &report.points {
        let w = TAU * point.frequency;
        let mass = 3.0 + 1e-9;
        let (re, im) = (5e4 - mass * w * w, w * 5e4 * damping);
        let size = 2e-4 * w * w / re.hypot(im);
        let phase = -im.atan2(re);
        let [x, y] = [point.outputs[0], point.outputs[1]];
        near(x[0].hypot(x[1]), size, 1e-9);
        near(x[1].atan2(x[0]), phase, 1e-9);
        // y follows by a quarter.
        assert!((y[0] - x[1]).hypot(y[1] + x[0]) < 1e-9 * size);
        let a = point.outputs[2];
        near(a[0].hypot(a[1]), size * w * w, 1e-9);
    }
}

/// The period of a small free motion of the integrated mechanism: after ten periods and a quarter it passes the middle.
/// An amplitude of 1e-5 changes periods by some 1e-11.
#[test]
fn frequencies_are_those_of_free_motion() {
    let model = double_pendulum([0.3, -0.2]);
    let report = modes(&model, 2);
    let mut random_start = 0;
    for mode in &report.modes {
        let turned = [0, 1].map(|i| mode.bodies[i].rotation[2][0]);
        let size = 1e-5 / turned[0].abs();
        let started = double_pendulum(turned.map(|angle| size * angle));
        let end = 10.25 / mode.frequency;
        let spec = run_for(&started, end, &["upper.angle"]);
        let spec = gudgeon::run::RunSpec { rtol: Some(1e-12), ..spec };
        let start = gudgeon::assembly::assemble(&started).expect("it closes");
        let run = gudgeon::simulate::simulate(&start, &spec, &mut gudgeon::simulate::Silent);
        let last = (run.final_values[0] + PI / 2.0) / (size * turned[0]);
        // A period that is off by ε shows as 2π · 10.25 ε.
        assert!(last.abs() < 1e-6 * TAU * 10.25, "{last:.2e}");
        random_start += 1;
    }
    assert_eq!(random_start, 2);
}

/// Shifted inverses of sparse matrices: ten modes of 10 000 unknowns take seconds.
#[test]
fn ten_modes_of_ten_thousand_unknowns() {
    let n = 3334;
    let model = chain(n, 1e5, 0.3);
    let before = gudgeon::cpu::seconds();
    let report = modes(&model, 10);
    let used = gudgeon::cpu::seconds() - before;
    for (j, mode) in report.modes.iter().enumerate() {
        let wanted =
            2.0 * (1e5f64 / 0.3).sqrt() * ((j + 1) as f64 * PI / (2.0 * (n + 1) as f64)).sin();
        near(TAU * mode.frequency, wanted, 1e-8);
    }
    assert!(used < 10.0, "{used} s");
    println!("{used} s");
}
