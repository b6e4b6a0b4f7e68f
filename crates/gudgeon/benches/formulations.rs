//! What a step costs by formulation of the links, on one mechanism at one step size, from one interleaved run.
//!
//! `cargo bench -p gudgeon --bench formulations` turns two links of a metre, each in a joint with a motor, for 0.1 s in steps
//! of 50 µs: kineto-elastodynamics by Newmark's method, the others by generalized-α to 1e-9. Five rounds go through all
//! formulations one after the other, so that what disturbs the machine disturbs all; the best of each counts. Printed are
//! microseconds of CPU time per step (the motion with the vibration), the ratio to kineto-elastodynamics with as many
//! elements, and the growth exponent from the size before.
//!
//! Aims: kineto-elastodynamics at most 20 µs per step with 8 elements per link of the four-bar, at least 5 times cheaper
//! than the planar cable and 30 times than the beam of 24 coordinates; all linear in the elements.

#[path = "../tests/it/common/mod.rs"]
mod common;

use common::beams::{cable, rigid_elements, straight};
use common::{driver, empty, joint, marker, start_at, swing};
use gudgeon::assembly::{Assembly, assemble};
use gudgeon::flexible::{Elasticity, Erls, Flexible, Floating, Method as Flexing, Section};
use gudgeon::ked::KedSpec;
use gudgeon::model::*;
use gudgeon::results::Status;
use gudgeon::run::{Every, Index, Method, RunSpec};
use gudgeon::simulate::{Silent, simulate};

const STEP: f64 = 5e-5;
const END: f64 = 0.1;
const ROUNDS: usize = 5;
const ELEMENTS: [usize; 4] = [4, 8, 16, 32];

/// A formulation: its name, space, the link it makes, whether it vibrates about the rigid motion.
struct Formulation {
    name: &'static str,
    space: Space,
    link: fn(Flexible) -> Flexible,
    vibrates: bool,
}

const ALL: [Formulation; 7] = [
    Formulation { name: "ked", space: Space::Planar, link: rigid, vibrates: true },
    Formulation { name: "rfem", space: Space::Planar, link: springs, vibrates: false },
    Formulation { name: "cable", space: Space::Planar, link: cable, vibrates: false },
    Formulation { name: "beam, plane", space: Space::Planar, link: |link| link, vibrates: false },
    Formulation { name: "floating", space: Space::Planar, link: floating, vibrates: false },
    Formulation { name: "erls", space: Space::Planar, link: on_rigid, vibrates: false },
    Formulation { name: "beam, 24", space: Space::Spatial, link: |link| link, vibrates: false },
];

fn rigid(link: Flexible) -> Flexible {
    Flexible { method: Flexing::Rigid, ..link }
}

fn springs(link: Flexible) -> Flexible {
    let elements = link.elements;
    rigid_elements(link, elements)
}

fn on_rigid(link: Flexible) -> Flexible {
    Flexible { method: Flexing::Erls(Erls::default()), ..link }
}

fn floating(link: Flexible) -> Flexible {
    Flexible { method: Flexing::Floating(Floating::default()), ..link }
}

fn main() {
    let starts: Vec<Vec<Assembly>> = ALL
        .iter()
        .map(|one| ELEMENTS.map(|n| assemble(&two_links(one, n)).expect("it closes")).into())
        .collect();
    let mut best = vec![[f64::INFINITY; ELEMENTS.len()]; ALL.len()];
    for _ in 0..ROUNDS {
        for (i, _) in ELEMENTS.iter().enumerate() {
            for (k, one) in ALL.iter().enumerate() {
                best[k][i] = best[k][i].min(microseconds(&starts[k][i], one.vibrates));
            }
        }
    }
    println!("two links, steps of 50 µs: µs of CPU time per step, over that of ked, growth");
    print!("{:12}", "elements");
    ELEMENTS.iter().for_each(|n| print!(" {n:>23}"));
    println!();
    for (one, costs) in ALL.iter().zip(&best) {
        print!("{:12}", one.name);
        for (i, cost) in costs.iter().enumerate() {
            let growth = match i {
                0 => f64::NAN,
                _ => {
                    (cost / costs[i - 1]).ln() / (ELEMENTS[i] as f64 / ELEMENTS[i - 1] as f64).ln()
                }
            };
            print!(" {cost:9.2} {:6.1} {growth:6.2}", cost / best[0][i]);
        }
        println!();
    }
}

/// CPU time of a step, the best that one run shows.
fn microseconds(start: &Assembly, vibrates: bool) -> f64 {
    let method = match vibrates {
        true => Method::Auto,
        false => Method::GeneralizedAlpha { rho: 0.8, index: Index::Three, step: Some(STEP) },
    };
    let ked = vibrates.then(|| KedSpec { step: Some(STEP), ..KedSpec::default() });
    let spec = RunSpec {
        method,
        rtol: Some(1e-9),
        every: Every::Interval(f64::INFINITY),
        ked,
        ..RunSpec::seconds(END)
    };
    let report = simulate(start, &spec, &mut Silent);
    assert_eq!(report.status, Status::Done);
    1e6 * report.solver.cpu.integration() / (END / STEP)
}

/// Steel, 20 mm high; both motors swing by 0.3 rad twice a second.
fn two_links(of: &Formulation, elements: usize) -> Model {
    let mut model = Model { space: of.space, ..empty("two links") };
    let section = Section::rectangle(0.02, 0.02, 2.1e11, 0.3, 7800.0);
    for (name, x) in [("arm", 0.0), ("forearm", 1.0)] {
        let link = straight(1.0, section, elements, Elasticity::Line);
        let mut body = Body::new(name);
        body.become_flexible((of.link)(link), of.space);
        body.start = start_at(x, 0.0, 0.0);
        model.bodies.push(body);
    }
    model.markers = vec![
        marker("base", 0, 0.0, 0.0),
        marker("base", 1, 0.0, 0.0),
        marker("elbow", 1, 1.0, 0.0),
        marker("elbow", 2, 0.0, 0.0),
    ];
    model.joints = vec![
        joint("shoulder", JointKind::Revolute, 0, 1),
        joint("elbow", JointKind::Revolute, 2, 3),
    ];
    model.drivers = vec![
        driver("motor 1", 0, swing(0.0, 0.3, 2.0)),
        driver("motor 2", 1, swing(0.0, 0.3, 2.0)),
    ];
    model
}
