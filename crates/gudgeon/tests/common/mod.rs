//! Mechanisms built in code, for tests that need no file.
#![allow(dead_code)]

use gudgeon::clearance::normal::{Damping, Elastic, NormalLaw};
use gudgeon::math::spatial::Frame;
use gudgeon::model::*;
use gudgeon::time::TimeFunction;
use nalgebra::Vector3;

pub fn body(name: &str, mass: f64, inertia: Option<f64>, centre: f64, start: Start) -> Body {
    let centre = Vector3::new(centre, 0.0, 0.0);
    Body { name: name.into(), mass: Some(mass), inertia, centre, start }
}

pub fn ground() -> Body {
    Body {
        name: "ground".into(),
        mass: None,
        inertia: None,
        centre: Vector3::zeros(),
        start: Start::default(),
    }
}

pub fn marker(name: &str, body: usize, x: f64, y: f64) -> Marker {
    let local = Frame::planar(x, y, 0.0);
    Marker { name: Some(name.into()), body: BodyId(body), local }
}

pub fn joint(name: &str, kind: JointKind, a: usize, b: usize) -> Joint {
    Joint {
        name: name.into(),
        kind,
        a: MarkerId(a),
        b: MarkerId(b),
        clearance: None,
        start_offset: Vector3::zeros(),
    }
}

/// The slider-crank of zhang: crank 50 mm, rod 120 mm, bearing of the pin on the slider.
pub fn slider_crank(speed: f64, clearance: f64, stiffness: f64, restitution: f64) -> Model {
    let at = |x: f64, angle: f64| Start {
        x: Some(x),
        y: Some(0.0),
        angle: Some(angle),
        ..Start::default()
    };
    let mut pin = joint("pin", JointKind::Revolute, 6, 4);
    if clearance > 0.0 {
        pin.clearance = Some(Clearance {
            bearing_radius: 0.01,
            radial: clearance,
            normal: NormalLaw::new(
                Elastic::Power { stiffness, exponent: 1.5 },
                Damping::LankaraniNikravesh { restitution },
            ),
            friction: None,
            onset_floor: 0.0,
            materials: None,
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
            motion: TimeFunction::Linear { start: 0.0, rate: speed },
        }],
        forces: vec![],
    }
}

pub fn rpm(n: f64) -> f64 {
    n * std::f64::consts::TAU / 60.0
}
