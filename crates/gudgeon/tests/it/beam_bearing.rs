//! Bearing analysis of mechanisms with a flexible link in a film.

use crate::common::beams::*;
use crate::common::*;
use gudgeon::bearing::{Bearing, analyse};
use gudgeon::clearance::normal::NormalLaw;
use gudgeon::film::{Equilibrium, Film, FilmModel, FilmShape, Lubricant};
use gudgeon::flexible::{Elasticity, Flexible, Section};
use gudgeon::model::*;
use gudgeon::progress::Unwatched;
use gudgeon::run::Limits;
use gudgeon::time::TimeFunction;
use nalgebra::Vector3;

const SPAN: f64 = 0.4;
const CLEARANCE: f64 = 5e-5;
const DENSITY: f64 = 7800.0;
const SIDE: f64 = 0.02;
const SPEED: f64 = 300.0;

/// A level link, pinned to the ground at its beginning, whose end is the bore of a shaft that turns.
fn hung(link: &Flexible, rigid: bool) -> Model {
    let mut model = empty("link in a film");
    model.gravity.y = -9.81;
    let mut body = Body::new("link");
    body.become_flexible(link.clone(), Space::Planar);
    if rigid {
        body.flexible = None;
    }
    body.start = start_at(0.0, 0.0, 0.0);
    let mut shaft = shaft();
    shaft.start = start_at(SPAN, 0.0, 0.0);
    shaft.start.angular_velocity = Some((Vector3::z() * SPEED, Axes::World));
    model.bodies.extend([body, shaft]);
    model.markers = vec![
        marker("wall", 0, 0.0, 0.0),
        marker("root", 1, 0.0, 0.0),
        marker("bore", 1, SPAN, 0.0),
        marker("shaft", 0, SPAN, 0.0),
        marker("own", 2, 0.0, 0.0),
    ];
    model.joints = vec![
        joint("pin", JointKind::Revolute, 0, 1),
        joint("shaft", JointKind::Revolute, 3, 4),
        joint("film", JointKind::Revolute, 2, 4),
    ];
    let shape = FilmShape { viscosity: 0.02, radius: 0.02, length: 0.02, clearance: CLEARANCE };
    model.joints[2].clearance = Some(Clearance {
        form: Form::Pin,
        bearing_radius: 0.02 + CLEARANCE,
        radial: CLEARANCE,
        normal: NormalLaw::NONE,
        friction: None,
        onset_floor: 0.0,
        film: Some(Lubricant {
            film: Film::new(shape, FilmModel::Short),
            roughness: None,
            hybrid: false,
        }),
        materials: None,
        slides: gudgeon::model::Slides::Surfaces,
    });
    model.drivers.push(driver("motor", 1, TimeFunction::Linear { start: 0.0, rate: SPEED }));
    model
}

fn shaft() -> Body {
    body("shaft", 1.0, Some(1e-3), 0.0, Start::default())
}

fn settled(name: &str, model: &Model) -> Bearing {
    let report = analyse(model, Limits::default(), &Unwatched);
    let report = report.unwrap_or_else(|error| panic!("{name}: {error}"));
    let bearing = report.bearings[0].clone();
    let rest = &bearing.rest;
    println!(
        "{name}: e {:.9}, attitude {:.9}, load {:?}, K {:?}, {} steps, {:?}",
        rest.eccentricity,
        rest.attitude,
        rest.load,
        rest.coefficients.stiffness,
        report.steps,
        report.warnings
    );
    bearing
}

/// The pin holds a rigid link along its line, so that its journal sits beside the middle of the bore by nothing in
/// that direction; a flexible link gives way by N L/(E A). With E → ∞ everything is that of the rigid link.
#[test]
fn a_flexible_link_rests_in_its_film() {
    let link = |young| {
        let section = Section::rectangle(SIDE, SIDE, young, 0.3, DENSITY);
        straight(SPAN, section, 4, Elasticity::Line)
    };
    let rigid = settled("rigid", &hung(&link(2.1e11), true)).rest;
    let along = |rest: &Equilibrium| rest.state.place[0].x;
    assert!(along(&rigid).abs() < 3e-10, "{}", along(&rigid));
    let mut before: Option<f64> = None;
    for young in [2.1e11, 2.1e12, 2.1e13] {
        for (kind, link) in [("beam", link(young)), ("cable", cable(link(young)))] {
            let name = format!("{kind} {young:e} Pa");
            let rest = settled(&name, &hung(&link, false)).rest;
            // The bore turns with the end of the link, by some 1e-5: that much of 6 µm is seen along it.
            let stretch = rest.load.x * SPAN / (young * link.section.area);
            let off = (along(&rest).abs() - stretch.abs()).abs();
            assert!(off < 3e-10, "{name}: {} m for {stretch} m", along(&rest));
            // Half of the weight less the torque of the oil, whatever the link's stiffness.
            let load = rest.load.y / rigid.load.y - 1.0;
            assert!(load.abs() < 2e-4, "{name}: load off by {load:e}");
            if kind == "cable" {
                let left = rigid.eccentricity / rest.eccentricity - 1.0;
                if let Some(before) = before {
                    let ratio = before / left;
                    assert!((ratio - 10.0).abs() < 0.7, "{name}: {before:e} {left:e}");
                }
                before = Some(left);
            }
        }
    }
    let left = before.unwrap();
    assert!(left.abs() < 1e-3, "{left:e} of a rigid link's eccentricity");
}
