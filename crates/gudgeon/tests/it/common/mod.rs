//! Mechanisms built in code, for tests that need no file.
#![allow(dead_code)]

pub mod beams;
pub mod contacts;
pub mod films;
pub mod kinds;
pub mod spatial;
pub mod states;

use gudgeon::clearance::normal::{Damping, Elastic, NormalLaw};
use gudgeon::math::spatial::Frame;
use gudgeon::model::*;
use gudgeon::run::{Every, Limits, Method, RunSpec, Until};
use gudgeon::time::{Jet, TimeFunction, TimeLaw};
use nalgebra::Vector3;

pub fn body(name: &str, mass: f64, inertia: Option<f64>, centre: f64, start: Start) -> Body {
    let centre = Vector3::new(centre, 0.0, 0.0);
    let inertia = inertia.map(inertia_about_z);
    Body { mass: Some(mass), inertia, centre, start, ..Body::new(name) }
}

pub fn ground() -> Body {
    Body::new("ground")
}

pub fn marker(name: &str, body: usize, x: f64, y: f64) -> Marker {
    let local = Frame::planar(x, y, 0.0);
    Marker { name: Some(name.into()), body: BodyId(body), local }
}

pub fn joint(name: &str, kind: JointKind, a: usize, b: usize) -> Joint {
    Joint::new(name, kind, MarkerId(a), MarkerId(b))
}

/// The slider-crank of zhang: crank 50 mm, rod 120 mm, bearing of the pin on the slider.
pub fn slider_crank(speed: f64, clearance: f64, stiffness: f64, restitution: f64) -> Model {
    let at = |x: f64, angle: f64| start_at(x, 0.0, angle);
    let mut pin = joint("pin", JointKind::Revolute, 6, 4);
    if clearance > 0.0 {
        pin.clearance = Some(Clearance {
            form: Form::Pin,
            bearing_radius: 0.01,
            radial: clearance,
            normal: NormalLaw::new(
                Elastic::Power { stiffness, exponent: 1.5 },
                Damping::LankaraniNikravesh { restitution },
            ),
            friction: None,
            onset_floor: 0.0,
            film: None,
            materials: None,
            slides: gudgeon::model::Slides::Surfaces,
        });
    }
    Model {
        name: "slider-crank".into(),
        space: Space::Planar,
        gravity: Vector3::zeros(),
        bodies: vec![
            ground(),
            body("crank", 0.30, Some(1e-4), 0.025, at(0.0, 0.0)),
            body("rod", 0.21, Some(2.5e-4), 0.0, at(0.11, 0.0)),
            body("slider", 0.14, None, 0.0, at(0.17, 0.0)),
        ],
        markers: vec![
            marker("origin", 0, 0.0, 0.0),
            marker("shaft", 1, 0.0, 0.0),
            marker("crankpin", 1, 0.05, 0.0),
            marker("big_end", 2, -0.06, 0.0),
            marker("small_end", 2, 0.06, 0.0),
            marker("guide", 0, 0.0, 0.0),
            marker("pin", 3, 0.0, 0.0),
        ],
        joints: vec![
            joint("main_bearing", JointKind::Revolute, 0, 1),
            joint("big_end", JointKind::Revolute, 2, 3),
            joint("guide", JointKind::Prismatic, 5, 6),
            pin,
        ],
        drivers: vec![Driver {
            name: "motor".into(),
            joint: JointId(0),
            coordinate: Coordinate::Angle,
            motion: TimeFunction::Linear { start: 0.0, rate: speed },
        }],
        forces: vec![],
        functions: vec![],
        varying: vec![],
        outputs: vec![],
        links: vec![],
        coordinates: Coordinates::default(),
        rigid_links: vec![],
        interfaces: vec![],
    }
}

pub fn rpm(n: f64) -> f64 {
    n * std::f64::consts::TAU / 60.0
}

/// SplitMix64: random states that are the same on every machine.
pub struct Random(pub u64);

impl Random {
    /// Uniform in [low, high).
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        low + (high - low) * ((z >> 11) as f64 / (1u64 << 53) as f64)
    }

    pub fn vector(&mut self, n: usize, size: f64) -> Vec<f64> {
        (0..n).map(|_| self.between(-size, size)).collect()
    }

    pub fn vector3(&mut self, size: f64) -> Vector3<f64> {
        Vector3::from_fn(|_, _| self.between(-size, size))
    }
}

/// An empty mechanism: ground, no gravity.
pub fn empty(name: &str) -> Model {
    Model {
        name: name.into(),
        space: Space::Planar,
        gravity: Vector3::zeros(),
        bodies: vec![ground()],
        markers: vec![],
        joints: vec![],
        drivers: vec![],
        forces: vec![],
        functions: vec![],
        varying: vec![],
        outputs: vec![],
        links: vec![],
        coordinates: Coordinates::default(),
        rigid_links: vec![],
        interfaces: vec![],
    }
}

pub fn start_at(x: f64, y: f64, angle: f64) -> Start {
    Start {
        position: Some(Vector3::new(x, y, 0.0)),
        orientation: Some(Orientation::Angle(angle)),
        ..Start::default()
    }
}

pub fn turned_marker(body: usize, x: f64, y: f64, angle: f64) -> Marker {
    Marker { name: None, body: BodyId(body), local: Frame::planar(x, y, angle) }
}

/// Two free bodies of uneven mass with centres off their origins, and a marker on each and on the
/// ground, all turned: 0 ground, 1 and 2 the bodies, 3 and 4 other places on them.
pub fn two_bodies() -> Model {
    let mut model = empty("two bodies");
    let mut a = body("a", 1.3, Some(0.2), 0.1, start_at(0.0, 0.0, 0.0));
    a.centre.y = -0.2;
    let b = body("b", 0.4, Some(0.05), -0.3, start_at(1.0, 0.5, 0.3));
    model.bodies.extend([a, b]);
    model.markers = vec![
        turned_marker(0, 0.2, -0.1, 0.4),
        turned_marker(1, 0.5, 0.3, -0.7),
        turned_marker(2, -0.2, 0.6, 1.1),
        turned_marker(1, -0.4, 0.1, 0.2),
        turned_marker(2, 0.3, 0.2, -0.5),
    ];
    model
}

/// q(t) = a + b sin(ωt): a motion with exact derivatives.
#[derive(Clone, Copy, Debug)]
pub struct Swing {
    pub mean: f64,
    pub size: f64,
    pub frequency: f64,
}

impl TimeLaw for Swing {
    fn jet(&self, t: f64, _branch: f64) -> Jet {
        let (s, c) = (self.frequency * t).sin_cos();
        let (a, w) = (self.size, self.frequency);
        Jet { value: self.mean + a * s, rate: a * w * c, second: -a * w * w * s }
    }

    fn kinks(&self, _from: f64, _to: f64, _out: &mut Vec<f64>) {}
}

pub fn swing(mean: f64, size: f64, frequency: f64) -> TimeFunction {
    TimeFunction::Law(std::sync::Arc::new(Swing { mean, size, frequency }))
}

/// Components of a force that do not change.
pub fn constant(values: [f64; 3]) -> [TimeFunction; 3] {
    values.map(TimeFunction::Constant)
}

pub fn driver(name: &str, joint: usize, motion: TimeFunction) -> Driver {
    Driver { name: name.into(), joint: JointId(joint), coordinate: Coordinate::Angle, motion }
}

pub fn force(name: &str, kind: ForceKind) -> Force {
    Force { name: name.into(), kind }
}

/// A clearance without friction, floor and materials.
pub fn clearance(bearing_radius: f64, radial: f64, normal: NormalLaw) -> Clearance {
    Clearance {
        form: Form::Pin,
        bearing_radius,
        radial,
        normal,
        friction: None,
        onset_floor: 0.0,
        film: None,
        materials: None,
        slides: gudgeon::model::Slides::Surfaces,
    }
}

/// A run over a time with the named outputs, measured from the start.
pub fn run_for(model: &Model, end: f64, outputs: &[&str]) -> RunSpec {
    let resolve = |name: &&str| gudgeon::sensor::resolve(model, name).expect("a known output");
    RunSpec {
        until: Until::Time(end),
        at_most: None,
        measure_from: Until::Time(0.0),
        outputs: outputs.iter().map(resolve).collect(),
        method: Method::Auto,
        rtol: None,
        every: Every::Grid,
        loops: vec![],
        pressure_at: vec![],
        limits: Limits::default(),
        ked: None,
    }
}
