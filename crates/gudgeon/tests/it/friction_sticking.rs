//! Surfaces that stick: closed forms, order of methods, bristles in contacts.

use crate::common::kinds::in_natural_coordinates;
use crate::common::spatial::*;
use crate::common::*;
use gudgeon::assembly::assemble;
use gudgeon::clearance::normal::{Damping, Elastic, NormalLaw};
use gudgeon::friction::{FrictionLaw, JointFriction, ZonedLaw};
use gudgeon::model::*;
use gudgeon::results::{LedgerKind, RunReport, Status};
use gudgeon::run::{Index, Method, RunSpec};
use gudgeon::simulate::simulate;
use gudgeon::time::{Jet, TimeFunction, TimeLaw};
use nalgebra::Vector3;
use std::f64::consts::{PI, TAU};

const RADAU: Method = Method::Radau5 { step: None };

fn run(
    model: &Model,
    end: f64,
    method: Method,
    rtol: f64,
    outputs: &[&str],
) -> (RunReport, Vec<f64>) {
    let mut rows = Rows::default();
    let spec = RunSpec { method, rtol: Some(rtol), ..run_for(model, end, outputs) };
    let report = simulate(&assemble(model).unwrap(), &spec, &mut rows);
    assert_eq!(report.status, Status::Done);
    let last = rows.0.last().unwrap().clone();
    (report, last)
}

fn rubbing(law: FrictionLaw, radius: f64) -> JointFriction {
    JointFriction { law, radius, thrust_radius: 0.0, length: None, preload: 0.0 }
}

fn lugre(mu_s: f64, mu_k: f64, v_s: f64, sigma0: f64) -> FrictionLaw {
    let (sigma1, sigma2) = (sigma0.sqrt(), 0.0);
    FrictionLaw::LuGre { mu_s, mu_k, v_s, sigma0, sigma1, sigma2, fading: Some(v_s) }
}

fn coulomb(mu: f64) -> FrictionLaw {
    FrictionLaw::Zoned(ZonedLaw::Coulomb { mu, v0: 0.0, v1: 1e-7 })
}

/// A wheel of weight m g on a pin, held by a torsion spring of stiffness k and let go at `angle`.
fn torsion_pendulum(law: FrictionLaw, angle: f64) -> Model {
    let mut model = empty("torsion pendulum");
    model.gravity = Vector3::new(0.0, -9.81, 0.0);
    model.bodies.push(body("wheel", 3.0, Some(0.05), 0.0, start_at(0.0, 0.0, angle)));
    model.markers = vec![marker("axle", 0, 0.0, 0.0), marker("hub", 1, 0.0, 0.0)];
    model.joints = vec![joint("pin", JointKind::Revolute, 0, 1)];
    model.joints[0].friction = Some(rubbing(law, 0.02));
    let (a, b) = (MarkerId(0), MarkerId(1));
    let spring = ForceKind::TorsionSpring { a, b, stiffness: 2.0, damping: 0.0, free_angle: 0.0 };
    model.forces = vec![force("spring", spring)];
    model
}

#[test]
fn a_pendulum_loses_the_same_angle_in_every_swing_and_stops() {
    // The load is the weight, so friction is one torque: half a swing takes π√(J/k) and 2T/k of the angle.
    let (k, j, mu) = (2.0, 0.05f64, 0.3f64);
    let lost = 2.0 * 0.02 * mu / (1.0 + mu * mu).sqrt() * 3.0 * 9.81 / k;
    let half = PI * (j / k).sqrt();
    let start = 5.3 * lost;
    for (method, rtol) in [(Method::Dop853, 1e-10), (RADAU, 1e-10)] {
        for n in 1..=4 {
            let model = torsion_pendulum(coulomb(mu), start);
            let (_, last) = run(&model, f64::from(n) * half, method, rtol, &["wheel.angle"]);
            let wanted = (start - f64::from(n) * lost) * if n % 2 == 0 { 1.0 } else { -1.0 };
            // Friction is full from 5e-6 rad/s on.
            assert!((last[0] - wanted).abs() < 1e-6, "{method:?} {n}: {} is not {wanted}", last[0]);
        }
    }
    // After the fifth turn 0.3 of the lost angle is left, which friction holds.
    let model = torsion_pendulum(lugre(mu, mu, 1e-3, 1e6), start);
    let (_, last) = run(&model, 20.0 * half, RADAU, 1e-8, &["wheel.angle", "pin.sticking"]);
    assert!((last[0] + 0.3 * lost).abs() < 2e-3 * lost, "{} of {lost}", last[0] / lost);
    assert_eq!(last[1], 1.0);
}

/// Radii of crank, rod; friction radii of the pins.
const CRANK: f64 = 0.05;
const ROD: f64 = 0.18;
const PINS: [f64; 3] = [0.015, 0.02, 0.012];
const PUSH: f64 = 1000.0;

/// A slider-crank without mass to speak of, turned against a force on its piston.
fn light_slider_crank(mu: f64, angle: f64) -> Model {
    let (x, y) = (CRANK * angle.cos(), CRANK * angle.sin());
    let rod = -(y / ROD).asin();
    let end = x + ROD * rod.cos();
    let mut model = empty("friction circles");
    let link = |name, at| body(name, 1e-4, Some(1e-7), 0.0, at);
    model.bodies.push(link("crank", start_at(0.0, 0.0, angle)));
    model.bodies.push(link("rod", start_at(x, y, rod)));
    model.bodies.push(link("piston", start_at(end, 0.0, 0.0)));
    model.markers = vec![
        marker("main", 0, 0.0, 0.0),
        marker("main", 1, 0.0, 0.0),
        marker("pin", 1, CRANK, 0.0),
        marker("big", 2, 0.0, 0.0),
        marker("small", 2, ROD, 0.0),
        marker("piston", 3, 0.0, 0.0),
        marker("guide", 0, 0.0, 0.0),
    ];
    model.joints = vec![
        joint("main", JointKind::Revolute, 0, 1),
        joint("crank_pin", JointKind::Revolute, 2, 3),
        joint("piston_pin", JointKind::Revolute, 4, 5),
        joint("guide", JointKind::Prismatic, 6, 5),
    ];
    for (joint, radius) in model.joints.iter_mut().zip(PINS) {
        joint.friction = Some(rubbing(coulomb(mu), radius));
    }
    model.joints[3].friction = Some(rubbing(coulomb(mu), 1.0));
    let motion = TimeFunction::Linear { start: angle, rate: 1.0 };
    model.drivers = vec![driver("motor", 0, motion)];
    let components = constant([-PUSH, 0.0, 0.0]);
    let push = ForceKind::Point { at: MarkerId(5), components, axes: Axes::World };
    model.forces = vec![force("push", push)];
    model
}

/// Torque of the crank by friction circles: the force of the rod runs along a tangent of the circles of
/// radius R sin φ about its two pins, on the sides that oppose the turning there.
fn by_circles(mu: f64, angle: f64) -> f64 {
    let rho = PINS.map(|radius| radius * mu / (1.0 + mu * mu).sqrt());
    let (pin, rod) =
        ((CRANK * angle.cos(), CRANK * angle.sin()), -(CRANK / ROD * angle.sin()).asin());
    let end = pin.0 + ROD * rod.cos();
    // Rates for a crank at 1 rad/s.
    let rod_rate = -CRANK * angle.cos() / (ROD * rod.cos());
    let speed = -pin.1 - ROD * rod.sin() * rod_rate;
    // The force S on the crank pin by the rod acts along u through a point off its centre by d: the moment
    // about the pin's centre on the crank, u × d S, opposes the turning of the crank against the rod.
    let against_rod = (1.0 - rod_rate).signum();
    let rod_against_piston = rod_rate.signum();
    let mut psi = rod;
    let mut offsets = (0.0, 0.0);
    for _ in 0..200 {
        let u = (psi.cos(), psi.sin());
        let normal = (-u.1, u.0);
        // The force of the rod on the crank is −s u, that on the piston s u, s by the balance of the piston.
        let s = thrust(mu, psi, speed);
        // Offsets of the line along `normal` at both pins: the moment of a force f at offset o is −o f along u.
        let on_crank = -against_rod * rho[1];
        let on_piston = rod_against_piston * rho[2];
        offsets = (on_crank * s.signum(), -on_piston * s.signum());
        let a = (pin.0 + normal.0 * offsets.0, pin.1 + normal.1 * offsets.0);
        let b = (end + normal.0 * offsets.1, normal.1 * offsets.1);
        psi = (b.1 - a.1).atan2(b.0 - a.0);
    }
    let u = (psi.cos(), psi.sin());
    let normal = (-u.1, u.0);
    let s = thrust(mu, psi, speed);
    let a = (pin.0 + normal.0 * offsets.0, pin.1 + normal.1 * offsets.0);
    // Moment of −s u at a about the main bearing, and the friction of that: the motor gives both.
    let moment = -s * (a.0 * u.1 - a.1 * u.0);
    -moment + rho[0] * s.abs()
}

/// Thrust in the rod along u = (cos ψ, sin ψ) that moves the piston against the push and the guide.
fn thrust(mu: f64, psi: f64, speed: f64) -> f64 {
    // s cos ψ − push − μ |s sin ψ| sign(speed) = 0
    let side = PUSH.signum();
    PUSH / (psi.cos() - mu * psi.sin().abs() * speed.signum() * side)
}

#[test]
fn the_torque_of_a_light_slider_crank_is_that_of_friction_circles() {
    for mu in [0.1, 0.25] {
        for degrees in [25.0, 60.0, 130.0, 160.0, 200.0, 250.0, 300.0, 340.0f64] {
            let angle = degrees.to_radians();
            let model = light_slider_crank(mu, angle);
            let (_, last) = run(&model, 1e-6, Method::Dop853, 1e-10, &["motor.torque"]);
            let wanted = by_circles(mu, angle + 1e-6);
            assert!(
                (last[0] - wanted).abs() < 1e-6 * wanted.abs().max(1.0),
                "μ {mu}, {degrees}°: {} is not {wanted}",
                last[0]
            );
        }
    }
}

/// 0.8 + 0.3 sin 4πt of a force.
#[derive(Debug)]
struct Shaken(f64);

impl TimeLaw for Shaken {
    fn jet(&self, t: f64, _branch: f64) -> Jet {
        let (sin, cos) = (2.0 * TAU * t).sin_cos();
        let rate = 2.0 * TAU;
        Jet {
            value: self.0 * (0.8 + 0.3 * sin),
            rate: self.0 * 0.3 * rate * cos,
            second: -self.0 * 0.3 * rate * rate * sin,
        }
    }

    fn kinks(&self, _from: f64, _to: f64, _out: &mut Vec<f64>) {}
}

/// A mass of 1 kg on a guide under a load of 1 N, with a force along it.
fn on_guide(law: FrictionLaw, pull: TimeFunction) -> Model {
    let mut model = empty("guide");
    model.bodies.push(body("mass", 1.0, None, 0.0, start_at(0.0, 0.0, 0.0)));
    model.markers = vec![marker("rail", 0, 0.0, 0.0), marker("mass", 1, 0.0, 0.0)];
    model.joints = vec![joint("guide", JointKind::Prismatic, 0, 1)];
    model.joints[0].friction = Some(JointFriction { preload: 1.0, ..rubbing(law, 1.0) });
    let mut components = constant([0.0; 3]);
    components[0] = pull;
    let push = ForceKind::Point { at: MarkerId(1), components, axes: Axes::World };
    model.forces = vec![force("push", push)];
    model
}

#[test]
fn under_a_vibrating_load_bristles_drift() {
    // By their nature: every unloading is stiffer than the loading before it. Known for these constants: about 2e-5 m/s.
    let benchmark = FrictionLaw::LuGre {
        mu_s: 1.5,
        mu_k: 1.0,
        v_s: 1e-3,
        sigma0: 1e5,
        sigma1: 1e5f64.sqrt(),
        sigma2: 0.4,
        fading: None,
    };
    let dahl = FrictionLaw::Dahl { mu: 1.5, sigma0: 1e5 };
    for (law, wanted) in [(benchmark, Some(2e-5)), (dahl, None)] {
        let pull = || TimeFunction::Law(std::sync::Arc::new(Shaken(1.0)));
        let at = |end: f64| {
            run(&on_guide(law.clone(), pull()), end, RADAU, 1e-8, &["mass.position.x"]).1[0]
        };
        let drift = (at(6.0) - at(2.0)) / 4.0;
        assert!(drift > 1e-7, "{law:?}: {drift:e}");
        if let Some(wanted) = wanted {
            assert!((drift / wanted - 1.0).abs() < 0.1, "{drift:e} m/s");
        }
    }
}

#[test]
fn laws_with_fading_damping_take_energy_whatever_the_state() {
    let mut seed = 1u64;
    let mut random = || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 11) as f64 / (1u64 << 53) as f64
    };
    let law = lugre(1.5, 1.0, 1e-3, 1e5);
    assert_eq!(law.passive_up_to(), None);
    for _ in 0..200_000 {
        let speed = 1e-3 * 10f64.powf(6.0 * random() - 3.0);
        let (turn, lean) = (TAU * random(), TAU * random());
        let deflection = law.deflection() * random();
        let s = [speed * turn.cos(), speed * turn.sin(), 0.0];
        let z = [deflection * lean.cos(), deflection * lean.sin(), 0.0];
        let lost = law.lost(&s, &z);
        assert!(lost >= -1e-15 * speed, "s {s:?}, z {z:?}: {lost:e}");
    }
    // Damping that fades too late is told.
    let late = FrictionLaw::LuGre {
        mu_s: 0.2,
        mu_k: 0.1,
        v_s: 0.0175,
        sigma0: 600.0,
        sigma1: 600f64.sqrt(),
        sigma2: 0.0,
        fading: Some(0.5),
    };
    assert!((late.passive_up_to().unwrap() - 0.0205).abs() < 2e-4);
}

#[test]
fn fixed_steps_give_bristles_to_second_order() {
    // Pulled over breakaway and back: sticking, sliding and two changes of side.
    let law = FrictionLaw::LuGre {
        mu_s: 1.5,
        mu_k: 1.0,
        v_s: 0.5,
        sigma0: 40.0,
        sigma1: 4.0,
        sigma2: 0.2,
        fading: None,
    };
    let pull = || TimeFunction::Law(std::sync::Arc::new(Shaken(2.5)));
    let outputs = ["guide.friction_force", "mass.position.x"];
    let model = on_guide(law, pull());
    let exact = run(&model, 1.0, Method::Dop853, 1e-12, &outputs).1;
    let error = |step: f64| {
        let method = Method::GeneralizedAlpha { rho: 0.8, index: Index::Two, step: Some(step) };
        let found = run(&model, 1.0, method, 1e-11, &outputs).1;
        [(found[0] - exact[0]).abs(), (found[1] - exact[1]).abs()]
    };
    let (coarse, fine) = (error(2e-3), error(1e-3));
    for k in 0..2 {
        let ratio = coarse[k] / fine[k];
        assert!((3.3..5.0).contains(&ratio), "{k}: {:e} to {:e}", coarse[k], fine[k]);
    }
}

#[test]
fn a_belt_sticks_for_its_share_of_the_time() {
    // Of the mean of `sticking`: 1 while the pull grows at rest, and 0 in steady sliding.
    let law = lugre(1.5, 1.0, 1e-3, 1e5);
    let held = on_guide(law.clone(), TimeFunction::Constant(0.5));
    let (report, _) = run(&held, 1.0, RADAU, 1e-8, &["guide.sticking"]);
    assert!(report.extremes[0].mean > 0.99, "{:?}", report.extremes[0].mean);
    let slides = on_guide(law, TimeFunction::Constant(4.0));
    let (report, _) = run(&slides, 1.0, RADAU, 1e-8, &["guide.sticking"]);
    assert!(report.extremes[0].mean < 0.01, "{:?}", report.extremes[0].mean);
}

/// A block of 2 kg that lies on the lower wall of its guide, pushed along it.
fn block(push: f64) -> Model {
    let mut model = empty("block");
    model.gravity = Vector3::new(0.0, -9.81, 0.0);
    model.bodies.push(body("block", 2.0, Some(0.01), 0.0, start_at(0.0, 0.0, 0.0)));
    model.markers = vec![marker("rail", 0, 0.0, 0.0), marker("block", 1, 0.0, 0.0)];
    model.joints = vec![joint("guide", JointKind::Prismatic, 0, 1)];
    let damping = Damping::HuntCrossley { restitution: 0.2 };
    let normal = NormalLaw::new(Elastic::Power { stiffness: 1e8, exponent: 1.5 }, damping);
    let friction = Some(lugre(0.3, 0.2, 1e-3, 1e5));
    let form = Form::Guide { length: 0.1, width: 0.04 };
    model.joints[0].clearance = Some(Clearance { form, friction, ..clearance(0.02, 1e-4, normal) });
    let pull = TimeFunction::Law(std::sync::Arc::new(Late(push)));
    let mut components = constant([0.0; 3]);
    components[0] = pull;
    let push = ForceKind::Point { at: MarkerId(1), components, axes: Axes::World };
    model.forces = vec![force("push", push)];
    model
}

/// A force that comes when the block has settled.
#[derive(Debug)]
struct Late(f64);

impl TimeLaw for Late {
    fn jet(&self, t: f64, _branch: f64) -> Jet {
        let x = 40.0 * (t - 0.5);
        let rise = 0.5 * (1.0 + x.tanh());
        let bell = 0.5 / x.cosh().powi(2).min(1e300);
        let (rate, second) = (40.0 * bell, -3200.0 * bell * x.tanh());
        Jet { value: self.0 * rise, rate: self.0 * rate, second: self.0 * second }
    }

    fn kinks(&self, _from: f64, _to: f64, _out: &mut Vec<f64>) {}
}

#[test]
fn bristles_hold_a_block_in_a_loose_guide_below_breakaway() {
    let outputs =
        ["block.position.x", "guide.friction_force", "guide.normal_force", "guide.sticking"];
    let weight = 2.0 * 9.81;
    let at = |push: f64, end: f64| run(&block(push), end, RADAU, 1e-9, &outputs).1;
    let push = 0.8 * 0.3 * weight;
    let (before, after) = (at(push, 1.0), at(push, 2.0));
    assert!((after[0] - before[0]).abs() < 1e-9, "creeps {:e}", after[0] - before[0]);
    assert!((after[1].abs() - push).abs() < 1e-5 * push, "{} is not {push}", after[1]);
    assert!((after[2] - weight).abs() < 1e-6 * weight, "{}", after[2]);
    // Above, it slides: after the pull is there m a = push − μ_k m g.
    let push = 1.2 * 0.3 * weight;
    let (one, two) = (at(push, 1.0), at(push, 1.5));
    let speed = |end: f64| run(&block(push), end, RADAU, 1e-9, &["block.velocity.x"]).1[0];
    let found = (speed(1.5) - speed(1.0)) / 0.5;
    let wanted = (push - 0.2 * weight) / 2.0;
    assert!((found - wanted).abs() < 1e-5 * wanted, "{found} is not {wanted}");
    assert!(two[0] > one[0] && two[3] == 0.0);
}

#[test]
fn impacts_with_bristles_are_the_same_for_all_methods_and_close_the_ledger() {
    let mut model = slider_crank(rpm(2000.0), 2e-4, 1e9, 0.7);
    model.joints[3].clearance.as_mut().unwrap().friction = Some(lugre(0.15, 0.1, 0.01, 1e5));
    let outputs = ["pin.friction_force", "motor.torque"];
    let (stretched, _) = run(&model, 0.01, Method::Dop853, 1e-10, &outputs);
    let (plain, _) = run(&model, 0.01, RADAU, 1e-10, &outputs);
    assert!(stretched.impacts.len() > 2, "{}", stretched.impacts.len());
    for (a, b) in stretched.impacts.iter().zip(&plain.impacts).take(3) {
        assert!((a.t - b.t).abs() < 1e-8 * a.t, "{} is not {}", a.t, b.t);
        let (x, y) = (a.friction_loss, b.friction_loss);
        assert!((x - y).abs() < 1e-5 * x.abs().max(1e-6), "{x} is not {y}");
    }
    for report in [&stretched, &plain] {
        assert!(
            report.energy.residual_relative() < 1e-7,
            "{:e}",
            report.energy.residual_relative()
        );
        let friction = report.energy.lines.iter().find(|l| l.kind == LedgerKind::ContactFriction);
        assert!(friction.unwrap().value < 0.0, "{:?}", report.energy.lines);
    }
}

/// A ball of 0.5 kg in a loose socket whose axes are turned, thrown sideways while it hangs.
fn socket(turned: [f64; 3]) -> Model {
    let mut model = empty_space("socket");
    model.gravity = Vector3::new(0.0, 0.0, -9.81);
    let mut bob = solid("bob", 0.5, [2e-4, 3e-4, 1e-4], [0.0; 3], [0.0, 0.0, -0.05]);
    bob.start = start_in_space([0.0; 3], [0.0; 3]);
    bob.start.angular_velocity = Some((Vector3::new(3.0, 1.0, 4.0), Axes::World));
    model.bodies.push(bob);
    model.markers = vec![place_on(0, [0.0; 3], turned), place_on(1, [0.0; 3], [0.0; 3])];
    model.joints = vec![joint("ball", JointKind::Spherical, 0, 1)];
    let damping = Damping::HuntCrossley { restitution: 0.3 };
    let normal = NormalLaw::new(Elastic::Power { stiffness: 1e8, exponent: 1.5 }, damping);
    let friction = Some(lugre(0.3, 0.2, 0.01, 1e4));
    let play = Clearance { form: Form::Ball, friction, ..clearance(0.02, 2e-4, normal) };
    model.joints[0].clearance = Some(play);
    model
}

#[test]
fn bristles_of_a_ball_do_not_depend_on_axes_or_coordinates() {
    let outputs = ["bob.angular_velocity.x", "bob.angular_velocity.z", "ball.friction_force"];
    let at_end = |model: &Model| run(model, 0.05, RADAU, 1e-10, &outputs);
    let plain = socket([0.0; 3]);
    let (report, wanted) = at_end(&plain);
    assert!(report.energy.residual_relative() < 1e-7, "{:e}", report.energy.residual_relative());
    assert!(wanted[2] < -0.1, "it rubs: {wanted:?}");
    let natural = in_natural_coordinates("socket", &plain).map(|(_, model)| model);
    for model in std::iter::once(socket([0.7, -0.4, 1.1])).chain(natural) {
        for (found, wanted) in at_end(&model).1.iter().zip(&wanted) {
            assert!(
                (found - wanted).abs() < 1e-6 * (1.0 + wanted.abs()),
                "{found} is not {wanted}"
            );
        }
    }
}
