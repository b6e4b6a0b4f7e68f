//! Friction of every type of ideal joint in space against closed forms, and energy of bristles step by step.

use crate::common::spatial::*;
use crate::common::*;
use gudgeon::assembly::assemble;
use gudgeon::friction::{FrictionLaw, JointFriction, Pressed, ZonedLaw};
use gudgeon::model::*;
use gudgeon::results::Status;
use gudgeon::run::{Method, RunSpec};
use gudgeon::simulate::simulate;
use nalgebra::Vector3;

const MU: f64 = 0.25;
const G: f64 = 9.81;

fn rows(model: &Model, end: f64, method: Method, outputs: &[&str]) -> Vec<Vec<f64>> {
    let mut rows = Rows::default();
    let spec = RunSpec { method, rtol: Some(1e-10), ..run_for(model, end, outputs) };
    let report = simulate(&assemble(model).unwrap(), &spec, &mut rows);
    assert_eq!(report.status, Status::Done);
    assert!(report.energy.residual_relative() < 1e-7, "{:e}", report.energy.residual_relative());
    rows.0
}

/// A body of 3 kg and 0.05 kg m² in a joint with the ground, its centre along z.
fn single(kind: JointKind, gravity: Vector3<f64>, centre: f64, friction: JointFriction) -> Model {
    let mut model = empty_space("single");
    model.gravity = gravity * G;
    let mut part = solid("part", 3.0, [0.05; 3], [0.0; 3], [0.0, 0.0, centre]);
    part.start = start_in_space([0.0; 3], [0.0; 3]);
    model.bodies.push(part);
    model.markers = vec![place_on(0, [0.0; 3], [0.0; 3]), place_on(1, [0.0; 3], [0.0; 3])];
    model.joints = vec![joint("joint", kind, 0, 1)];
    model.joints[0].friction = Some(friction);
    model
}

fn surfaces() -> JointFriction {
    let law = FrictionLaw::Zoned(ZonedLaw::Coulomb { mu: MU, v0: 0.0, v1: 1e-7 });
    JointFriction { law, radius: 0.02, thrust_radius: 0.0, length: None, preload: 0.0 }
}

/// Angular velocity after a second from `spin`, and the friction torque.
fn run_down(mut model: Model, spin: Vector3<f64>) -> (f64, f64) {
    model.bodies[1].start.angular_velocity = Some((spin, Axes::World));
    let outputs = ["part.angular_velocity", "joint.friction_torque"];
    let last = rows(&model, 1.0, Method::Dop853, &outputs).pop().unwrap();
    (last[0], last[1])
}

#[test]
fn loads_of_pins_balls_and_faces_are_those_of_statics() {
    let (down, across) = (-Vector3::z(), -Vector3::x());
    let (weight, lean) = (3.0 * G, 1.0 / (1.0 + MU * MU).sqrt());
    let radial = weight * lean;
    let revolute = JointKind::Revolute;
    let spin = Vector3::z() * 40.0;
    let s = surfaces;
    let cases = [
        (single(revolute, across, 0.0, s()), spin, radial),
        (single(revolute, across, 0.0, JointFriction { preload: 7.0, ..s() }), spin, radial + 7.0),
        // Thrust at its mean radius.
        (
            single(revolute, down, 0.0, JointFriction { thrust_radius: 0.015, ..s() }),
            spin,
            0.75 * weight,
        ),
        // The weight beside the middle of a bearing of 100 mm: a couple on its ends.
        (
            single(revolute, across, 0.06, JointFriction { length: Some(0.1), ..s() }),
            spin,
            radial + 2.0 / 0.1 * weight * 0.06,
        ),
        (
            single(JointKind::Spherical, down, 0.0, s()),
            Vector3::new(10.0, 20.0, 20.0) * (4.0 / 3.0),
            radial,
        ),
        (single(JointKind::Universal, down, 0.0, s()), Vector3::x() * 40.0, radial),
    ];
    for (model, spin, load) in cases {
        let kind = model.joints[0].kind;
        let torque = MU * load * 0.02;
        let (left, found) = run_down(model, spin);
        // Loads are rounded at a 1e-9 of the weight.
        assert!((found - torque).abs() < 1e-8 * torque, "{kind:?}: {found} is not {torque}");
        let wanted = 40.0 - torque / 0.05;
        assert!((left - wanted).abs() < 1e-7, "{kind:?}: {left} is not {wanted}");
    }
}

#[test]
fn a_sleeve_and_a_plate_share_friction_between_sliding_and_turning() {
    // Friction acts against (v, R ω): both fall along one line, and their speed at one rate while J = m R².
    let plate = JointFriction { thrust_radius: (0.05f64 / 3.0).sqrt(), ..surfaces() };
    let sleeve = JointFriction { radius: (0.05f64 / 3.0).sqrt(), ..surfaces() };
    let lean = 1.0 / (1.0 + MU * MU).sqrt();
    let cases = [
        (single(JointKind::Planar, -Vector3::z(), 0.0, plate), Vector3::x(), 1.0),
        (single(JointKind::Cylindrical, -Vector3::x(), 0.0, sleeve), Vector3::z(), lean),
    ];
    let radius = (0.05f64 / 3.0).sqrt();
    for (mut model, along, share) in cases {
        let (v, w) = (3.0, 4.0 / radius);
        model.bodies[1].start.velocity = Some(along * v);
        model.bodies[1].start.angular_velocity = Some((Vector3::z() * w, Axes::World));
        let outputs = ["part.velocity", "part.angular_velocity"];
        let last = rows(&model, 0.5, Method::Dop853, &outputs).pop().unwrap();
        let left = (5.0 - MU * share * G * 0.5) / 5.0;
        assert!((last[0] - v * left).abs() < 1e-8, "{} is not {}", last[0], v * left);
        assert!((last[1] - w * left).abs() < 1e-7, "{} is not {}", last[1], w * left);
    }
}

/// The least W − Δ(½ σ₀ N z²) per step for N = 1 N, with the sliding velocity prescribed: fourth order for z and W.
fn least_loss(law: FrictionLaw, jump: f64) -> f64 {
    let velocity = |t: f64| 0.01 * (7.0 * t).sin() + jump * (0.5 + 0.5 * (2e4 * (t - 0.22)).tanh());
    let pressed = Pressed { load: 1.0, pieces: &[] };
    let rates = |t: f64, z: f64| {
        let now = law.evaluate(&[velocity(t), 0.0, 0.0], &[z, 0.0, 0.0], None, pressed);
        (now.h[0], now.m[0] * velocity(t))
    };
    let (step, mut z, mut least) = (2e-6, 0.0, f64::INFINITY);
    for i in 0..500_000 {
        let t = f64::from(i) * step;
        let one = rates(t, z);
        let two = rates(t + 0.5 * step, z + 0.5 * step * one.0);
        let three = rates(t + 0.5 * step, z + 0.5 * step * two.0);
        let four = rates(t + step, z + step * three.0);
        let sum = |f: fn((f64, f64)) -> f64| {
            step / 6.0 * (f(one) + 2.0 * f(two) + 2.0 * f(three) + f(four))
        };
        let next = z + sum(|x| x.0);
        let stored = 0.5 * law.stiffness() * (next * next - z * z);
        least = least.min(sum(|x| x.1) - stored);
        z = next;
    }
    least
}

#[test]
fn fading_bristles_take_energy_in_every_step() {
    // Over sticking, breakaway, return and a sudden jump of the speed.
    let table = |fading| FrictionLaw::LuGre {
        mu_s: 0.2,
        mu_k: 0.1,
        v_s: 0.0175,
        sigma0: 600.0,
        sigma1: 600f64.sqrt(),
        sigma2: 0.0,
        fading,
    };
    for jump in [0.0, 1.0] {
        let least = least_loss(table(Some(0.0175)), jump);
        assert!(least > -1e-15, "jump by {jump} m/s: {least:e} J");
    }
    // With constant damping the jump gives energy.
    let least = least_loss(table(None), 1.0);
    assert!(least < -1e-8, "{least:e} J");
}
