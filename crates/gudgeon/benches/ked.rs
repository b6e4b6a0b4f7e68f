//! Speed of kineto-elastodynamics: microseconds of CPU time per step of the vibration alone, over the elements per link.
//!
//! `cargo bench -p gudgeon --bench ked` runs a four-bar of three flexible links, driven at 300 rpm, for 5000 steps of 50 µs
//! with 2 … 64 elements per link, best of five, and prints the growth exponent from the size before.
//!
//! It took 3.1, 5.1, 9.3, 18, 38, 65 µs per step at 2, 4, 8, 16, 32, 64 elements per link on a heavily shared virtual machine,
//! and 5.0, 9.2, 20, 36, 86, 135 µs before like elements of a link shared their matrices.

#[path = "../tests/it/common/mod.rs"]
mod common;

use common::{joint, marker, start_at};
use gudgeon::assembly::assemble;
use gudgeon::flexible::{Elasticity, Flexible, Method, Section};
use gudgeon::ked::KedSpec;
use gudgeon::model::*;
use gudgeon::results::Status;
use gudgeon::run::{Every, RunSpec};
use gudgeon::simulate::{Silent, simulate};
use gudgeon::time::TimeFunction;

const STEPS: f64 = 5000.0;
const STEP: f64 = 5e-5;

fn main() {
    let mut last: Option<(f64, f64)> = None;
    println!("elements  coordinates  half band  µs per step  exponent");
    for elements in [2, 4, 8, 16, 32, 64] {
        let start = assemble(&four_bar(elements)).expect("it closes");
        let ked = KedSpec { step: Some(STEP), ..KedSpec::default() };
        let spec = RunSpec {
            every: Every::Interval(f64::INFINITY),
            ked: Some(ked),
            ..RunSpec::seconds(STEPS * STEP)
        };
        let runs = (0..5).map(|_| {
            let report = simulate(&start, &spec, &mut Silent);
            assert_eq!(report.status, Status::Done);
            report.ked.expect("a vibration")
        });
        let best = runs.min_by(|a, b| a.cpu.total_cmp(&b.cpu)).expect("five");
        let cost = 1e6 * best.cpu / best.steps as f64;
        let size = elements as f64;
        let exponent = last.map(|(n, c)| (cost / c).ln() / (size / n).ln());
        let exponent = exponent.map_or(String::new(), |e| format!("{e:.2}"));
        println!(
            "{elements:8}  {:11}  {:9}  {cost:11.2}  {exponent:>8}",
            best.coordinates, best.half_width
        );
        last = Some((size, cost));
    }
}

fn link(model: &mut Model, name: &str, length: f64, elements: usize) -> usize {
    let section =
        Section { rotary: false, ..Section::rectangle(0.005, 0.02, 0.71e11, 0.33, 2710.0) };
    let straight = common::beams::straight(length, section, elements, Elasticity::Line);
    let mut body = Body::new(name);
    body.become_flexible(Flexible { method: Method::Rigid, ..straight }, Space::Planar);
    model.bodies.push(body);
    model.bodies.len() - 1
}

/// Crank 0.1 m, coupler 0.28 m, follower 0.27 m, ground 0.25 m; the crank along x at the start.
fn four_bar(elements: usize) -> Model {
    let mut model = Model::new("four-bar", Space::Planar);
    let lengths = [0.1, 0.28, 0.27];
    let bodies: Vec<usize> = ["crank", "coupler", "follower"]
        .into_iter()
        .zip(lengths)
        .map(|(name, length)| link(&mut model, name, length, elements))
        .collect();
    let at = |model: &mut Model, body: usize, x: f64| {
        model.markers.push(marker("end", body, x, 0.0));
        model.markers.len() - 1
    };
    let along = (0.28_f64.powi(2) - 0.27_f64.powi(2) + 0.15 * 0.15) / (2.0 * 0.15);
    let high = (0.28_f64.powi(2) - along * along).sqrt();
    model.bodies[bodies[0]].start = start_at(0.0, 0.0, 0.0);
    model.bodies[bodies[1]].start = start_at(0.1, 0.0, high.atan2(along));
    model.bodies[bodies[2]].start = start_at(0.1 + along, high, (-high).atan2(0.15 - along));
    let ends = [
        (at(&mut model, 0, 0.0), at(&mut model, bodies[0], 0.0)),
        (at(&mut model, bodies[0], lengths[0]), at(&mut model, bodies[1], 0.0)),
        (at(&mut model, bodies[1], lengths[1]), at(&mut model, bodies[2], 0.0)),
        (at(&mut model, 0, 0.25), at(&mut model, bodies[2], lengths[2])),
    ];
    for (i, (a, b)) in ends.into_iter().enumerate() {
        model.joints.push(joint(&format!("joint{i}"), JointKind::Revolute, a, b));
    }
    model.drivers.push(Driver {
        name: "motor".into(),
        joint: JointId(0),
        coordinate: Coordinate::Angle,
        motion: TimeFunction::Linear { start: 0.0, rate: 31.4 },
    });
    model
}
