//! Friction in ideal joints against closed forms, references and other formulations.

use crate::common::kinds::in_natural_coordinates;
use crate::common::spatial::*;
use crate::common::*;
use gudgeon::assembly::assemble;
use gudgeon::friction::{FrictionLaw, JointFriction, ZonedLaw};
use gudgeon::model::*;
use gudgeon::results::{Cause, LedgerKind, RunReport, Status};
use gudgeon::run::{Method, RunSpec};
use gudgeon::simulate::simulate;
use gudgeon::time::{Jet, TimeFunction, TimeLaw};
use nalgebra::Vector3;

fn rubbing(law: FrictionLaw) -> JointFriction {
    JointFriction { law, radius: 0.02, thrust_radius: 0.0, length: None, preload: 0.0 }
}

/// Full friction from a speed far below any other.
fn coulomb(mu: f64) -> FrictionLaw {
    FrictionLaw::Zoned(ZonedLaw::Coulomb { mu, v0: 0.0, v1: 1e-6 })
}

fn run(model: &Model, spec: &RunSpec) -> (RunReport, Vec<Vec<f64>>) {
    let mut rows = Rows::default();
    let report = simulate(&assemble(model).unwrap(), spec, &mut rows);
    (report, rows.0)
}

fn spec(model: &Model, end: f64, method: Method, rtol: f64, outputs: &[&str]) -> RunSpec {
    RunSpec { method, rtol: Some(rtol), ..run_for(model, end, outputs) }
}

/// A mass on a rough guide, pulled by a spring whose other end moves at 0.1 m/s.
fn stick_slip(pulled: bool) -> Model {
    let mut model = empty("stick-slip");
    model.bodies.push(body("mass", 1.0, None, 0.0, start_at(0.0, 0.0, 0.0)));
    model.bodies.push(body("hook", 1.0, None, 0.0, start_at(0.0, 0.0, 0.0)));
    model.markers =
        vec![marker("rail", 0, 0.0, 0.0), marker("mass", 1, 0.0, 0.0), marker("hook", 2, 0.0, 0.0)];
    model.joints =
        vec![joint("guide", JointKind::Prismatic, 0, 1), joint("rail", JointKind::Prismatic, 0, 2)];
    let law = FrictionLaw::LuGre {
        mu_s: 1.5,
        mu_k: 1.0,
        v_s: 1e-3,
        sigma0: 1e5,
        sigma1: 1e5f64.sqrt(),
        sigma2: 0.4,
        fading: None,
    };
    model.joints[0].friction = Some(JointFriction { preload: 1.0, ..rubbing(law) });
    let speed = if pulled { 0.1 } else { 0.0 };
    let motion = TimeFunction::Linear { start: 0.0, rate: speed };
    model.drivers = vec![Driver { coordinate: Coordinate::X, ..driver("pull", 1, motion) }];
    let (a, b) = (MarkerId(1), MarkerId(2));
    let spring = ForceKind::Spring { a, b, stiffness: 2.0, damping: 0.0, free_length: 0.0 };
    model.forces = vec![force("spring", spring)];
    model
}

#[test]
fn stick_slip_of_lugre_is_that_of_the_reference() {
    // Published benchmark: x and friction force at 7, 10 and 20 s, to 1e-5.
    let model = stick_slip(true);
    let known =
        [(7.0, 4.052e-5, 1.3998593), (10.0, 0.62758313, 1.0271225), (20.0, 1.27259641, 1.4544919)];
    for method in [
        Method::Dop853,
        Method::Radau5 { step: None },
        Method::Bdf { index: gudgeon::run::Index::Two, step: None },
    ] {
        for (end, x, friction) in known {
            let outputs = ["mass.position.x", "guide.friction_force"];
            let (report, rows) = run(&model, &spec(&model, end, method, 1e-9, &outputs));
            assert_eq!(report.status, Status::Done);
            let last = rows.last().unwrap();
            assert!((last[0] - x).abs() < 1e-5, "{method:?} at {end} s: x {}", last[0]);
            assert!((last[1] - friction).abs() < 1e-5, "{method:?} at {end} s: {}", last[1]);
        }
    }
}

#[test]
fn a_load_below_breakaway_is_held() {
    // 0.8 of the static friction, applied gently: what creeps later is below a nanometre.
    let mut model = stick_slip(false);
    let mut components = constant([0.0; 3]);
    components[0] = TimeFunction::Law(std::sync::Arc::new(Rise { to: 1.2, rate: 5.0 }));
    let push = ForceKind::Point { at: MarkerId(1), components, axes: Axes::World };
    model.forces = vec![force("push", push)];
    let at = |end: f64| {
        let method = Method::Radau5 { step: None };
        run(&model, &spec(&model, end, method, 1e-10, &["mass.position.x"])).1.last().unwrap()[0]
    };
    let crept = at(10.0) - at(5.0);
    assert!(crept.abs() < 1e-9, "crept by {crept:e} m");
}

#[test]
fn a_wheel_runs_down_by_its_friction_circle() {
    // T = R μ/√(1 + μ²) m g about the pin that carries the wheel.
    let (mass, inertia, radius, mu) = (3.0, 0.05, 0.02, 0.3f64);
    let mut model = empty("wheel");
    model.gravity = Vector3::new(0.0, -9.81, 0.0);
    let mut start = start_at(0.0, 0.0, 0.0);
    start.angular_velocity = Some((Vector3::z() * 40.0, Axes::World));
    model.bodies.push(body("wheel", mass, Some(inertia), 0.0, start));
    model.markers = vec![marker("axle", 0, 0.0, 0.0), marker("hub", 1, 0.0, 0.0)];
    model.joints = vec![joint("pin", JointKind::Revolute, 0, 1)];
    model.joints[0].friction = Some(JointFriction { radius, ..rubbing(coulomb(mu)) });
    let slowed = radius * mu / (1.0 + mu * mu).sqrt() * mass * 9.81 / inertia;
    let outputs = ["wheel.angular_velocity", "pin.friction_power"];
    for method in [Method::Dop853, Method::Radau5 { step: None }] {
        let (report, rows) = run(&model, &spec(&model, 5.0, method, 1e-10, &outputs));
        let last = rows.last().unwrap();
        let wanted = 40.0 - 5.0 * slowed;
        assert!((last[0] - wanted).abs() < 1e-9, "{method:?}: {} is not {wanted}", last[0]);
        let line = |kind| report.energy.lines.iter().find(|line| line.kind == kind).unwrap().value;
        let lost = 0.5 * inertia * (wanted * wanted - 1600.0);
        assert!((line(LedgerKind::Friction) - lost).abs() < 1e-7 * lost.abs());
        assert!(report.energy.residual_relative() < 1e-9);
    }
}

/// A load that comes gently.
#[derive(Debug)]
struct Rise {
    to: f64,
    rate: f64,
}

impl TimeLaw for Rise {
    fn jet(&self, t: f64, _branch: f64) -> Jet {
        let left = self.to * (-self.rate * t).exp();
        Jet { value: self.to - left, rate: self.rate * left, second: -self.rate * self.rate * left }
    }

    fn kinks(&self, _from: f64, _to: f64, _out: &mut Vec<f64>) {}
}

/// ½ t².
#[derive(Debug)]
struct Parabola;

impl TimeLaw for Parabola {
    fn jet(&self, t: f64, _branch: f64) -> Jet {
        Jet { value: 0.5 * t * t, rate: t, second: 1.0 }
    }

    fn kinks(&self, _from: f64, _to: f64, _out: &mut Vec<f64>) {}
}

/// A slider on a guide of 100 mm, pushed 250 mm beside its middle with 1 m/s².
fn pushed(mu: f64) -> Model {
    let mut model = empty("guide");
    model.bodies.push(body("slider", 2.0, Some(0.01), 0.0, start_at(0.0, 0.0, 0.0)));
    model.bodies.push(body("pusher", 1.0, Some(0.01), 0.0, start_at(0.0, 0.0, 0.0)));
    let quarter = std::f64::consts::FRAC_PI_2;
    let turned = |name: &str, body: usize| Marker {
        local: gudgeon::math::spatial::Frame::planar(0.0, 0.0, quarter),
        ..marker(name, body, 0.0, 0.0)
    };
    model.markers = vec![
        marker("rail", 0, 0.0, 0.0),
        marker("slider", 1, 0.0, 0.0),
        marker("pusher", 2, 0.0, 0.0),
        marker("arm", 1, 0.0, 0.25),
        turned("face", 2),
    ];
    model.joints = vec![
        joint("guide", JointKind::Prismatic, 0, 1),
        joint("rail", JointKind::Prismatic, 0, 2),
        joint("push", JointKind::PointOnLine, 4, 3),
    ];
    model.joints[0].friction = Some(JointFriction { length: Some(0.1), ..rubbing(coulomb(mu)) });
    let motion = TimeFunction::Law(std::sync::Arc::new(Parabola));
    model.drivers = vec![Driver { coordinate: Coordinate::X, ..driver("motor", 1, motion) }];
    model
}

#[test]
fn a_guide_jams_where_the_friction_of_its_edges_exceeds_the_push() {
    // N = 2 P e/L on the edges: P = m a/(1 − 2 μ e/L), without end at μ = L/(2e) = 0.2.
    for method in [Method::Dop853, Method::Radau5 { step: None }] {
        for mu in [0.1, 0.19, 0.198] {
            let model = pushed(mu);
            let outputs = ["push.reaction.x", "guide.normal_force"];
            let (report, rows) = run(&model, &spec(&model, 1.0, method, 1e-10, &outputs));
            assert_eq!(report.status, Status::Done, "{mu}");
            let push = 2.0 / (1.0 - 2.0 * mu * 0.25 / 0.1);
            let last = rows.last().unwrap();
            assert!((last[0] - push).abs() < 1e-8 * push, "{mu}: {} is not {push}", last[0]);
            assert!((last[1] - 5.0 * push).abs() < 1e-7 * push);
        }
    }
    for method in [
        Method::Dop853,
        Method::Radau5 { step: None },
        Method::Bdf { index: gudgeon::run::Index::Two, step: None },
    ] {
        let model = pushed(0.202);
        let (report, _) = run(&model, &spec(&model, 1.0, method, 1e-9, &["push.reaction"]));
        let Status::Failed(error) = report.status else { panic!("{:?}", report.status) };
        let Cause::StepTooSmall { cause, .. } = error.cause else { panic!("{error}") };
        let Cause::Jammed { joint, critical } = &*cause else { panic!("{cause}") };
        assert!(joint == "guide" && (critical - 0.2).abs() < 5e-5, "{cause}");
    }
}

#[test]
fn a_start_that_jams_tells_the_critical_friction() {
    // In motion already, with half more friction than critical.
    let mut model = pushed(0.3);
    let motion = TimeFunction::Law(std::sync::Arc::new(Pushed));
    model.drivers[0] = Driver { coordinate: Coordinate::X, ..driver("motor", 1, motion) };
    let error = assemble(&model).unwrap_err();
    assert!(
        error.to_string().contains("`guide`") && error.to_string().contains("0.2000"),
        "{error}"
    );
}

/// t + ½ t².
#[derive(Debug)]
struct Pushed;

impl TimeLaw for Pushed {
    fn jet(&self, t: f64, _branch: f64) -> Jet {
        Jet { value: t + 0.5 * t * t, rate: 1.0 + t, second: 1.0 }
    }

    fn kinks(&self, _from: f64, _to: f64, _out: &mut Vec<f64>) {}
}

/// A nut of 50 kg on an upright screw of 5 mm pitch and 10 mm radius: tan α = 0.0796.
fn screw(law: FrictionLaw) -> Model {
    let mut model = empty_space("screw");
    model.gravity = Vector3::new(0.0, 0.0, -9.81);
    let mut nut = solid("nut", 50.0, [0.1, 0.1, 0.2], [0.0; 3], [0.0; 3]);
    nut.start = start_in_space([0.0; 3], [0.0; 3]);
    model.bodies.push(nut);
    model.markers = vec![place_on(0, [0.0; 3], [0.0; 3]), place_on(1, [0.0; 3], [0.0; 3])];
    model.joints = vec![joint("thread", JointKind::Screw { pitch: 5e-3 }, 0, 1)];
    model.joints[0].friction = Some(JointFriction { radius: 0.01, ..rubbing(law) });
    model
}

#[test]
fn a_screw_locks_above_its_critical_friction_and_not_below() {
    let tangent = 5e-3 / (std::f64::consts::TAU * 0.01);
    let bristles = |mu: f64| FrictionLaw::LuGre {
        mu_s: mu,
        mu_k: mu,
        v_s: 1e-3,
        sigma0: 1e5,
        sigma1: 300.0,
        sigma2: 0.0,
        fading: Some(1e-3),
    };
    let fallen = |law: FrictionLaw| {
        let model = screw(law);
        let method = Method::Radau5 { step: None };
        let (report, rows) = run(&model, &spec(&model, 2.0, method, 1e-9, &["nut.position.z"]));
        assert_eq!(report.status, Status::Done);
        -rows.last().unwrap()[0]
    };
    // The bristles bend by 0.8 µm along the thread.
    let held = fallen(bristles(1.05 * tangent));
    assert!(held < 1e-6, "it moves: {held}");
    assert!(fallen(bristles(0.95 * tangent)) > 1e-5);
    // Below it slides as on an inclined plane.
    let mu = 0.5 * tangent;
    let (m, j, r, lead) = (50.0, 0.2, 0.01, 5e-3 / std::f64::consts::TAU);
    let alpha = tangent.atan();
    // Unknowns: flank load N and ω̇: m lead ω̇ = m g − N (cos α + μ sin α), J ω̇ = N r (sin α − μ cos α).
    let (up, round) = (alpha.cos() + mu * alpha.sin(), r * (alpha.sin() - mu * alpha.cos()));
    let spin = m * 9.81 / (m * lead + j * up / round);
    let wanted = 0.5 * lead * spin * 4.0;
    // Friction is full from 1 µm/s on, a millisecond after the start.
    let found = fallen(coulomb(mu));
    assert!((found - wanted).abs() < 1e-4 * wanted, "{found} is not {wanted}");
}

/// A double pendulum with rough pins, in the plane x–y.
fn pendulum(space: Space) -> Model {
    let mut model = if space == Space::Planar { empty("rough") } else { empty_space("rough") };
    model.gravity = Vector3::new(0.0, -9.81, 0.0);
    for (name, at) in [("upper", 0.0), ("lower", 0.3)] {
        let mut link = match space {
            Space::Planar => body(name, 1.2, Some(0.01), 0.15, start_at(at, 0.0, 0.0)),
            Space::Spatial => {
                let mut link = solid(name, 1.2, [1e-3, 0.01, 0.01], [0.0; 3], [0.15, 0.0, 0.0]);
                link.start = start_in_space([at, 0.0, 0.0], [0.0; 3]);
                link
            }
        };
        link.start.velocity = None;
        model.bodies.push(link);
    }
    let place = |body: usize, x: f64| match space {
        Space::Planar => marker("m", body, x, 0.0),
        Space::Spatial => place_on(body, [x, 0.0, 0.0], [0.0; 3]),
    };
    model.markers = vec![place(0, 0.0), place(1, 0.0), place(1, 0.3), place(2, 0.0)];
    model.joints =
        vec![joint("top", JointKind::Revolute, 0, 1), joint("knee", JointKind::Revolute, 2, 3)];
    let law = FrictionLaw::Stribeck { mu_s: 0.3, mu_k: 0.2, v_s: 0.05, v_t: 0.01 };
    for joint in &mut model.joints {
        joint.friction = Some(rubbing(law.clone()));
    }
    model
}

#[test]
fn plane_space_and_natural_coordinates_rub_alike() {
    let outputs =
        ["upper.position.y", "lower.position.x", "knee.friction_power", "top.normal_force"];
    let at_end = |model: &Model, method: Method| {
        let (report, rows) = run(model, &spec(model, 1.0, method, 1e-10, &outputs));
        assert_eq!(report.status, Status::Done);
        assert!(
            report.energy.residual_relative() < 1e-7,
            "{:e}",
            report.energy.residual_relative()
        );
        rows.last().unwrap().clone()
    };
    let planar = at_end(&pendulum(Space::Planar), Method::Dop853);
    let spatial = pendulum(Space::Spatial);
    let natural = in_natural_coordinates("rough", &spatial).map(|(_, model)| model);
    let others = [(spatial.clone(), Method::Dop853), (spatial, Method::Radau5 { step: None })];
    let others = others.into_iter().chain(natural.map(|model| (model, Method::Dop853)));
    for (model, method) in others {
        for (found, wanted) in at_end(&model, method).iter().zip(&planar) {
            let off = (found - wanted).abs();
            assert!(off < 1e-8 * (1.0 + wanted.abs()), "{method:?}: {found} is not {wanted}");
        }
    }
}

/// A slow pull that breaks into a fast one within some 10 µs at half a second.
#[derive(Debug)]
struct Break;

impl TimeLaw for Break {
    fn jet(&self, t: f64, _branch: f64) -> Jet {
        let (slow, fast, width) = (1e-3, 1.0, 1e-5);
        let x = (t - 0.5) / width;
        // ∫ ½ (1 + tanh x) dx = ½ (x + ln 2 cosh x)
        let cosh = x.abs() + (-2.0 * x.abs()).exp().ln_1p();
        let rise = 0.5 * (1.0 + x.tanh());
        Jet {
            value: slow * t + fast * width * 0.5 * (x + cosh),
            rate: slow + fast * rise,
            second: fast * 0.5 / width / x.cosh().powi(2).min(1e300),
        }
    }

    fn kinks(&self, _from: f64, _to: f64, out: &mut Vec<f64>) {
        out.extend([0.4999, 0.5001]);
    }
}

fn driven_guide(fading: Option<f64>) -> Model {
    let mut model = empty("driven");
    model.bodies.push(body("mass", 1.0, None, 0.0, start_at(0.0, 0.0, 0.0)));
    model.markers = vec![marker("rail", 0, 0.0, 0.0), marker("mass", 1, 0.0, 0.0)];
    model.joints = vec![joint("guide", JointKind::Prismatic, 0, 1)];
    // Table 1 of augustynek.
    let law = FrictionLaw::LuGre {
        mu_s: 0.2,
        mu_k: 0.1,
        v_s: 0.0175,
        sigma0: 600.0,
        sigma1: 600f64.sqrt(),
        sigma2: 0.0,
        fading,
    };
    model.joints[0].friction = Some(JointFriction { preload: 10.0, ..rubbing(law) });
    let motion = TimeFunction::Law(std::sync::Arc::new(Break));
    model.drivers = vec![Driver { coordinate: Coordinate::X, ..driver("pull", 0, motion) }];
    model
}

#[test]
fn bristles_that_give_energy_are_told_and_those_that_fade_give_none() {
    let codes = |model: &Model| {
        let method = Method::Dop853;
        let (report, _) = run(model, &spec(model, 0.501, method, 1e-9, &["guide.friction_power"]));
        assert_eq!(report.status, Status::Done);
        report
            .warnings
            .iter()
            .map(|warning| (warning.code, warning.joint.clone()))
            .collect::<Vec<_>>()
    };
    let constant = driven_guide(None);
    assert!(codes(&constant).contains(&("W0327", "guide".to_owned())));
    let start = assemble(&constant).unwrap();
    let noted = gudgeon::simulate::of_laws(&start);
    assert_eq!(noted.len(), 1);
    assert_eq!(noted[0].code, "W0328");
    assert!(noted[0].message.contains("0.0205 m/s"), "{}", noted[0].message);
    let fading = driven_guide(Some(0.0175));
    assert!(codes(&fading).iter().all(|(code, _)| *code != "W0327"));
    assert!(gudgeon::simulate::of_laws(&assemble(&fading).unwrap()).is_empty());
}

#[test]
fn loads_that_are_not_unique_are_told() {
    // Four parallel hinges in space: three rows too many.
    let mut model = four_bar(3.0, JointKind::Revolute);
    let law = FrictionLaw::Stribeck { mu_s: 0.2, mu_k: 0.1, v_s: 0.05, v_t: 0.01 };
    let length = Some(0.03);
    model.joints[1].friction = Some(JointFriction { length, ..rubbing(law) });
    let (report, _) =
        run(&model, &spec(&model, 0.01, Method::Dop853, 1e-8, &["system.kinetic_energy"]));
    let name = model.joints[1].name.clone();
    let told = |code: &str| report.warnings.iter().any(|w| w.code == code && w.joint == name);
    assert!(told("W0326"), "{:?}", report.warnings);
}
