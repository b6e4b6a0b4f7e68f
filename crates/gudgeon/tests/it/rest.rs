//! Equilibria and their paths against closed forms.

use crate::common::*;
use gudgeon::clearance::normal::{Damping, Elastic, NormalLaw};
use gudgeon::equilibrium::{EquilibriumError, Steady, find, rotation_of, trace};
use gudgeon::friction::{FrictionLaw, JointFriction, ZonedLaw};
use gudgeon::modal::{About, ModalError, ModalSpec, analyse};
use gudgeon::model::*;
use gudgeon::progress::Unwatched;
use gudgeon::run::Limits;
use gudgeon::sensor::{Sensor, resolve};
use gudgeon::time::TimeFunction;
use nalgebra::Vector3;
use std::f64::consts::{FRAC_PI_2, TAU};

fn outputs(model: &Model, names: &[&str]) -> Vec<Sensor> {
    names.iter().map(|name| resolve(model, name).expect("an output")).collect()
}

fn near(found: f64, wanted: f64, tolerance: f64) {
    let error = (found - wanted).abs() / wanted.abs().max(f64::MIN_POSITIVE);
    assert!(error < tolerance, "{found} is not {wanted}: {error:.2e}");
}

const HALF: f64 = 1.0;
const HEIGHT: f64 = 0.3;
const STIFF: f64 = 2e4;

/// Two springs from supports at ±1 m to an apex 0.3 m above, which slides up and down under a load.
fn truss(load: f64) -> Model {
    let mut model = empty("truss");
    model.bodies.push(body("apex", 1.0, Some(0.1), 0.0, start_at(0.0, HEIGHT, 0.0)));
    model.markers = vec![
        marker("left", 0, -HALF, 0.0),
        marker("right", 0, HALF, 0.0),
        turned_marker(0, 0.0, 0.0, FRAC_PI_2),
        turned_marker(1, 0.0, 0.0, FRAC_PI_2),
        marker("apex", 1, 0.0, 0.0),
    ];
    model.joints.push(joint("guide", JointKind::Prismatic, 2, 3));
    let free_length = HALF.hypot(HEIGHT);
    for side in [0, 1] {
        let (a, b) = (MarkerId(side), MarkerId(4));
        let kind = ForceKind::Spring { a, b, stiffness: STIFF, damping: 0.0, free_length };
        model.forces.push(force(&format!("bar{side}"), kind));
    }
    let components = constant([0.0, -load, 0.0]);
    let kind = ForceKind::Point { at: MarkerId(4), components, axes: Axes::World };
    model.forces.push(force("load", kind));
    model
}

/// P = 2 k (L₀/L − 1) y.
fn carried(y: f64) -> f64 {
    2.0 * STIFF * (HALF.hypot(HEIGHT) / HALF.hypot(y) - 1.0) * y
}

/// The largest load is where L³ = L₀ b².
fn limit() -> f64 {
    let l = (HALF.hypot(HEIGHT) * HALF * HALF).cbrt();
    carried((l * l - HALF * HALF).sqrt())
}

#[test]
fn a_truss_snaps_through() {
    let most = limit();
    let values: Vec<f64> = (0..=8).map(|i| 1.5 * most * i as f64 / 8.0).collect();
    let sensors = outputs(&truss(0.0), &["apex.position.y"]);
    let family = |load: f64| Ok(truss(load));
    let path =
        trace(&family, &values, Steady::Still, &sensors, Limits::default(), &Unwatched).unwrap();
    assert_eq!(path.ended, None);
    for (point, out) in &path.points {
        let y = out[0];
        assert!((point.value - carried(y)).abs() < 1e-8 * most, "{} at {y}", point.value);
        if let Some(stable) = point.stable {
            let slope = carried(y + 1e-6) - carried(y - 1e-6);
            assert_eq!(stable, slope < 0.0, "at {y}");
        }
    }
    let limits: Vec<f64> =
        path.points.iter().filter(|(point, _)| point.limit).map(|(point, _)| point.value).collect();
    assert_eq!(limits.len(), 2, "{limits:?}");
    near(limits[0], most, 1e-8);
    near(limits[1], -most, 1e-8);
    // Values below the limit are met three times, those above once.
    let met = |value: f64| {
        let hits = |(point, _): &&(gudgeon::equilibrium::PathPoint, Vec<f64>)| {
            point.requested && (point.value - value).abs() < 1e-9 * most
        };
        path.points.iter().filter(hits).count()
    };
    assert_eq!((met(values[3]), met(values[7]), met(values[8])), (3, 1, 1));
}

/// Without a path the load goes past the limit at once: the apex falls through to the other side.
#[test]
fn a_load_beyond_the_limit_is_borne_on_the_other_side() {
    let load = 1.3 * limit();
    let model = truss(load);
    let sensors = outputs(&model, &["apex.position.y", "guide.reaction"]);
    let found = find(&model, Steady::Still, &sensors, Limits::default(), &Unwatched).unwrap();
    assert!(found.outputs[0] < -HEIGHT);
    near(carried(found.outputs[0]), load, 1e-9);
    assert_eq!(found.stable, Some(true));
}

/// A chain of equal rods between two supports: tan θ_i = (i − (n − 1)/2) w/H with the weight w of a rod and the
/// horizontal pull H, which follows from the span.
fn hanging(n: usize, span: f64, length: f64) -> Model {
    let mut model = empty("hanging chain");
    model.gravity.y = -9.81;
    model.markers.push(marker("left", 0, 0.0, 0.0));
    model.markers.push(marker("right", 0, span, 0.0));
    let l = length / n as f64;
    // Two straight halves to begin with.
    let lean = (span / length).acos();
    let mut at = [0.0, 0.0];
    for i in 0..n {
        let angle = if i < n / 2 { -lean } else { lean };
        let m = 0.7 / n as f64;
        let rod = body(
            &format!("r{i}"),
            m,
            Some(m * l * l / 12.0),
            0.5 * l,
            start_at(at[0], at[1], angle),
        );
        model.bodies.push(rod);
        model.markers.push(marker("a", i + 1, 0.0, 0.0));
        model.markers.push(marker("b", i + 1, l, 0.0));
        at = [at[0] + l * angle.cos(), at[1] + l * angle.sin()];
        let before = if i == 0 { 0 } else { 2 * i + 1 };
        model.joints.push(joint(&format!("p{i}"), JointKind::Revolute, before, 2 * i + 2));
    }
    model.joints.push(joint("end", JointKind::Revolute, 1, 2 * n + 1));
    model
}

#[test]
fn a_chain_of_rods_hangs_in_a_catenary() {
    let (n, span, length) = (64, 1.0, 1.4);
    let model = hanging(n, span, length);
    let sensors = outputs(&model, &["r31.angle", "r40.angle", "p0.reaction"]);
    let found = find(&model, Steady::Still, &sensors, Limits::default(), &Unwatched).unwrap();
    assert_eq!(found.stable, Some(true));
    let tangent = |i: usize, ratio: f64| (i as f64 - 0.5 * (n as f64 - 1.0)) * ratio;
    let width = |ratio: f64| {
        let rods = (0..n).map(|i| 1.0 / (1.0 + tangent(i, ratio).powi(2)).sqrt());
        length / n as f64 * rods.sum::<f64>() - span
    };
    let (mut low, mut high) = (1e-6, 10.0);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if width(middle) > 0.0 { low = middle } else { high = middle }
    }
    near(found.outputs[0], tangent(31, low).atan(), 1e-9);
    near(found.outputs[1], tangent(40, low).atan(), 1e-9);
    // The pull at the support, H √(1 + (n w/2H)²).
    let weight = 0.7 / n as f64 * 9.81;
    let pull = weight / low;
    let support = pull.hypot(0.5 * n as f64 * weight);
    near(*found.outputs.last().unwrap(), support, 1e-9);
    // The continuous catenary: 2 a sinh(span/2a) = length; H = a w/l. It is missed by about n⁻².
    let (mut a, mut b) = (1e-3, 10.0);
    for _ in 0..200 {
        let c = 0.5 * (a + b);
        if 2.0 * c * (0.5 * span / c).sinh() > length { a = c } else { b = c }
    }
    let continuous = a * 0.7 * 9.81 / length;
    near(pull, continuous, 10.0 / (n * n) as f64);
}

/// A pin on the bottom of its bearing: K δ^1.5 = m g. Up and down it swings with 1.5 K δ^½, across like a pendulum as
/// long as its eccentricity.
#[test]
fn a_pin_rests_in_its_clearance() {
    let (k, m, g, c) = (3e8, 2.0, 9.81, 1e-4);
    let mut model = empty("pin");
    model.gravity.y = -g;
    model.bodies.push(body("pin", m, Some(1e-3), 0.0, start_at(0.0, 0.0, 0.0)));
    model.markers = vec![marker("bearing", 0, 0.0, 0.0), marker("journal", 1, 0.0, 0.0)];
    let mut play = joint("play", JointKind::Revolute, 0, 1);
    let law = NormalLaw::new(
        Elastic::Power { stiffness: k, exponent: 1.5 },
        Damping::LankaraniNikravesh { restitution: 0.9 },
    );
    play.clearance = Some(clearance(0.01, c, law));
    model.joints.push(play);
    let sensors = outputs(&model, &["pin.position.y", "play.contact_force"]);
    let found = find(&model, Steady::Still, &sensors, Limits::default(), &Unwatched).unwrap();
    let depth = (m * g / k).powf(1.0 / 1.5);
    near(found.outputs[0], -(c + depth), 1e-12);
    near(found.outputs[1], m * g, 1e-10);
    let spec =
        ModalSpec { about: About::Equilibrium, modes: Some(3), damped: true, impact_speed: None };
    let modes = analyse(&model, spec, Limits::default(), &Unwatched).unwrap().modes;
    let (across, along) = ((g / (c + depth)).sqrt(), (1.5 * k * depth.sqrt() / m).sqrt());
    // Turning about its own axis is held by nothing.
    assert!(modes[0].frequency < 1e-6);
    near(TAU * modes[1].frequency, across, 1e-9);
    near(TAU * modes[2].frequency, along, 1e-9);
    assert!(modes[2].damping_ratio.abs() < 1e-12, "hysteresis stays out");
}

#[test]
fn what_nothing_holds_is_named() {
    let mut model = truss(10.0);
    model.forces.clear();
    model.gravity.y = -9.81;
    let error = find(&model, Steady::Still, &[], Limits::default(), &Unwatched).unwrap_err();
    assert_eq!(error, EquilibriumError::FreeMotion { motion: "`apex` moves along y".into() });
    let spec = ModalSpec { about: About::Start, modes: Some(2), damped: true, impact_speed: None };
    let error = analyse(&model, spec, Limits::default(), &Unwatched).unwrap_err();
    assert_eq!(error, ModalError::TooMany { asked: 2, mobility: 1 });
}

/// A spring that weakens as it turns cannot hold any load: how far the load got is told.
#[test]
fn an_equilibrium_that_does_not_exist() {
    let mut model = empty("lever");
    model.gravity = Vector3::zeros();
    model.bodies.push(body("lever", 1.0, Some(0.1), 0.0, start_at(0.0, 0.0, 0.0)));
    model.markers = vec![
        marker("pivot", 0, 0.0, 0.0),
        marker("axle", 1, 0.0, 0.0),
        marker("hook", 0, 0.0, -1.0),
        marker("tip", 1, 0.0, -0.5),
    ];
    model.joints.push(joint("pivot", JointKind::Revolute, 0, 1));
    let spring = ForceKind::Spring {
        a: MarkerId(2),
        b: MarkerId(3),
        stiffness: 100.0,
        damping: 0.0,
        free_length: 0.1,
    };
    model.forces.push(force("spring", spring));
    let torque = TimeFunction::Constant(200.0);
    let kind = ForceKind::Torque { on: MarkerId(1), against: MarkerId(0), torque };
    model.forces.push(force("load", kind));
    let error = find(&model, Steady::Still, &[], Limits::default(), &Unwatched).unwrap_err();
    match &error {
        EquilibriumError::NoRest { share, moving, .. } => {
            assert!((0.05..0.9).contains(share), "{error}");
            assert!(moving.contains("lever"), "{error}");
        }
        _ => panic!("{error}"),
    }
}

/// A pendulum on a rotating arm (a governor): at Ω it stands off by cos θ = g/(Ω² l) about an axis through its pivot.
#[test]
fn a_governor_stands_off() {
    use crate::common::spatial::*;
    let (l, g, omega) = (0.4, 9.81, 8.0);
    let mut model = empty_space("governor");
    model.gravity.z = -g;
    let mut shaft = solid("shaft", 1.0, [0.01, 0.01, 0.01], [0.0; 3], [0.0; 3]);
    shaft.start = start_in_space([0.0; 3], [0.0; 3]);
    let mut ball = solid("ball", 0.5, [1e-9, 1e-9, 1e-9], [0.0; 3], [0.0, 0.0, -l]);
    ball.start = start_in_space([0.0; 3], [0.3, 0.0, 0.0]);
    model.bodies.extend([shaft, ball]);
    let across = [0.0, FRAC_PI_2, 0.0];
    model.markers = vec![
        place_on(0, [0.0; 3], [0.0; 3]),
        place_on(1, [0.0; 3], [0.0; 3]),
        place_on(1, [0.0; 3], across),
        place_on(2, [0.0; 3], across),
    ];
    model.joints =
        vec![joint("axle", JointKind::Revolute, 0, 1), joint("hinge", JointKind::Revolute, 2, 3)];
    model.drivers.push(driver("motor", 0, TimeFunction::Linear { start: 0.0, rate: omega }));
    let rotation = rotation_of(&model).unwrap();
    assert!((rotation.speed - Vector3::z() * omega).norm() < 1e-12);
    let sensors = outputs(&model, &["ball.position.z", "hinge.angle"]);
    let steady = Steady::Rotating { rotation, spins: false };
    let found = find(&model, steady, &sensors, Limits::default(), &Unwatched).unwrap();
    let cos = g / (omega * omega * l);
    near(found.outputs[1].cos(), cos, 1e-9);
    // θ̈ = −Ω² sin²θ δθ about it.
    let spec =
        ModalSpec { about: About::Rotation, modes: Some(1), damped: true, impact_speed: None };
    let report = analyse(&model, spec, Limits::default(), &Unwatched).unwrap();
    assert!(!report.frozen, "{:?}", report.warnings);
    near(TAU * report.modes[0].frequency, omega * (1.0 - cos * cos).sqrt(), 1e-7);
}

/// What was assumed, and what the answer is worth, is told.
#[test]
fn assumptions_are_told() {
    let codes = |warnings: &[gudgeon::results::Warning]| -> Vec<&str> {
        warnings.iter().map(|warning| warning.code).collect()
    };
    let mut model = empty("pendulum");
    model.gravity.y = -9.81;
    model.bodies.push(body("rod", 1.0, Some(0.1), 0.5, start_at(0.0, 0.0, FRAC_PI_2)));
    model.markers = vec![marker("pivot", 0, 0.0, 0.0), marker("top", 1, 0.0, 0.0)];
    model.joints.push(joint("pivot", JointKind::Revolute, 0, 1));
    let still = |model: &Model| find(model, Steady::Still, &[], Limits::default(), &Unwatched);
    // Exactly upright nothing pushes it.
    let upright = still(&model).unwrap();
    assert_eq!((codes(&upright.warnings), upright.stable), (vec!["W0341"], Some(false)));
    model.bodies[1].start = start_at(0.0, 0.0, 0.3);
    assert_eq!(still(&model).unwrap().stable, Some(true));
    let about = |about: About| {
        let spec = ModalSpec { about, modes: None, damped: true, impact_speed: None };
        analyse(&model, spec, Limits::default(), &Unwatched).unwrap()
    };
    assert_eq!(codes(&about(About::Start).warnings), ["W0343"]);
    let frozen = about(About::Frozen);
    assert_eq!(
        (codes(&frozen.warnings), frozen.frozen, frozen.stable),
        (vec!["W0342"], true, None)
    );
    let law = ZonedLaw::ThreeZone { mu_s: 0.1, mu_d: 0.05, v_s: 0.01, v_d: 0.1 };
    model.joints[0].friction = Some(JointFriction {
        law: FrictionLaw::Zoned(law),
        radius: 0.01,
        thrust_radius: 0.0,
        length: None,
        preload: 0.0,
    });
    let rough = still(&model).unwrap();
    assert_eq!((codes(&rough.warnings), rough.stable), (vec!["W0340"], Some(true)));
    // Outputs of friction read the mechanism without it.
    let sensors = outputs(&model, &["pivot.friction_force", "pivot.reaction"]);
    let found = find(&model, Steady::Still, &sensors, Limits::default(), &Unwatched).unwrap();
    assert_eq!(found.outputs[0], 0.0);
    near(found.outputs[1], 9.81, 1e-12);
}
