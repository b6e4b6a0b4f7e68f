//! Cost of one evaluation of the rates of an N-link chain, in the plane and in space, in absolute and in joint coordinates.
//!
//! `cargo bench -p gudgeon --bench chain` prints microseconds of CPU time per link, the growth exponent from the
//! size before, the entries of the factors per row (memory), and the time to assemble.

use gudgeon::assembly::assemble;
use gudgeon::cpu::seconds;
use gudgeon::math::spatial::Frame;
use gudgeon::model::*;
use gudgeon::system::Plant;
use gudgeon_dae::{SecondOrderDae, Stabilisation};
use nalgebra::{Matrix3, Vector3};

/// A hanging chain of links 0.1 m long; in space every second pin is turned by a right angle.
fn chain(links: usize, space: Space) -> Model {
    let ground = Body::new("ground");
    let mut model = Model {
        gravity: Vector3::new(0.0, -9.81, 0.0),
        bodies: vec![ground],
        ..Model::new("chain", space)
    };
    let turned = Matrix3::new(1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, -1.0, 0.0);
    for i in 0..links {
        let axes = if space == Space::Spatial && i % 2 == 1 { turned } else { Matrix3::identity() };
        let marker = |body: usize, x: f64| Marker {
            name: None,
            body: BodyId(body),
            local: Frame { p: Vector3::new(x, 0.0, 0.0), r: axes },
        };
        model.bodies.push(Body {
            mass: Some(0.1),
            inertia: Some(Matrix3::from_diagonal(&Vector3::new(1e-6, 8.4e-5, 8.4e-5))),
            centre: Vector3::new(0.05, 0.0, 0.0),
            ..Body::new(&format!("link_{i}"))
        });
        model.markers.push(marker(i, if i == 0 { 0.0 } else { 0.1 }));
        model.markers.push(marker(i + 1, 0.0));
        let (a, b) = (MarkerId(2 * i), MarkerId(2 * i + 1));
        model.joints.push(Joint::new(&format!("pin_{i}"), JointKind::Revolute, a, b));
    }
    model
}

fn main() {
    let all = [
        (Space::Planar, Coordinates::Absolute, "plane"),
        (Space::Planar, Coordinates::Joint, "plane, joint coordinates"),
        (Space::Spatial, Coordinates::Absolute, "space"),
        (Space::Spatial, Coordinates::Joint, "space, joint coordinates"),
    ];
    for (space, coordinates, name) in all {
        println!("{name}: links  us/link  growth  assembly s");
        let mut before: Option<(usize, f64)> = None;
        for links in [2, 8, 64, 512, 4096] {
            let clock = seconds();
            let model = Model { coordinates, ..chain(links, space) };
            let assembly = assemble(&model).expect("a chain assembles");
            let built = seconds() - clock;
            let mut plant = Plant::new(&assembly.system);
            let y = assembly.state();
            let mut dy = y.clone();
            let repeats = 200_000 / links;
            // The best of several rounds: the others were disturbed.
            let best = (0..5).fold(f64::INFINITY, |best, _| {
                let clock = seconds();
                for _ in 0..repeats {
                    plant.rates(0.0, &y, &mut dy, Stabilisation::default()).expect("rates");
                }
                best.min((seconds() - clock) / repeats as f64)
            });
            let growth = before.map_or(f64::NAN, |(n, t): (usize, f64)| {
                (best / t).ln() / (links as f64 / n as f64).ln()
            });
            println!(
                "{name}: {links:6} {:8.3} {growth:7.3} {built:9.3}",
                1e6 * best / links as f64
            );
            before = Some((links, best));
        }
    }
}
