//! Kinks are looked for stretch by stretch. One that lay right where two stretches meet was in neither
//! of them, so that implicit methods went on over it with what they remembered from before: a force that
//! jumped there was met with accelerations of the past, and fixed steps kept their error.
//!
//! Now the pieces on both sides of such an instant are compared, and the integrator restarts where they
//! differ.

use std::sync::Arc;

use gudgeon::assembly::assemble;
use gudgeon::model::{Axes, ForceKind, JointId, JointKind, MarkerId, Model};
use gudgeon::results::RunReport;
use gudgeon::run::{Index, Method, RunSpec, Until};
use gudgeon::simulate::{Silent, simulate};
use gudgeon::time::{Jet, TimeFunction, TimeLaw};

use crate::common::*;

/// When the run ends, s.
const END: f64 = 1.0;

/// How a law changes.
#[derive(Clone, Copy, Debug)]
enum Change {
    /// 3 before, −5 after.
    Jump,
    /// 3 before, then falling from 3.
    Bend,
    /// 3 before and after.
    None,
}

/// A force with one change, searched in stretches of a given length.
#[derive(Clone, Copy, Debug)]
struct Searched {
    change: Change,
    /// When, s.
    at: f64,
    stretch: f64,
}

impl TimeLaw for Searched {
    fn jet(&self, t: f64, branch: f64) -> Jet {
        match self.change {
            _ if branch < self.at => Jet::constant(3.0),
            Change::None => Jet::constant(3.0),
            Change::Jump => Jet::constant(-5.0),
            Change::Bend => Jet { value: 3.0 - 40.0 * (t - self.at), rate: -40.0, second: 0.0 },
        }
    }

    fn kinks(&self, from: f64, to: f64, out: &mut Vec<f64>) {
        let changes = !matches!(self.change, Change::None);
        out.extend([self.at].into_iter().filter(|t| changes && *t > from && *t < to));
    }

    fn stretch(&self, from: f64, to: f64) -> f64 {
        (from + self.stretch).min(to)
    }
}

/// A block of 2 kg on a spring, pushed along x.
fn pushed(law: Searched) -> Model {
    let mut model = empty("pushed");
    model.bodies.push(body("block", 2.0, Some(0.5), 0.0, start_at(0.3, 0.0, 0.0)));
    model.markers = vec![marker("origin", 0, 0.0, 0.0), marker("centre", 1, 0.0, 0.0)];
    let (a, b) = (MarkerId(0), MarkerId(1));
    let x = TimeFunction::Law(Arc::new(law));
    let components = [x, TimeFunction::Constant(0.0), TimeFunction::Constant(0.0)];
    model.forces.push(force("push", ForceKind::Point { at: b, components, axes: Axes::World }));
    let spring = ForceKind::Spring { a, b, stiffness: 80.0, damping: 1.0, free_length: 0.3 };
    model.forces.push(force("spring", spring));
    model
}

fn run(law: Searched, method: Method) -> RunReport {
    let model = pushed(law);
    let start = assemble(&model).expect("a free body assembles");
    let outputs = ["block.position.x", "block.velocity.x", "block.acceleration.x"];
    let spec = RunSpec { method, ..run_for(&model, END, &outputs) };
    simulate(&start, &spec, &mut Silent)
}

/// Methods and how far their two runs may be apart.
const METHODS: [(Method, f64); 7] = [
    (Method::Radau5 { step: None }, 1e-9),
    (Method::Radau5 { step: Some(5e-3) }, 1e-12),
    (Method::Bdf { index: gudgeon::run::Index::Two, step: None }, 1e-6),
    (Method::Bdf { index: gudgeon::run::Index::Two, step: Some(1e-3) }, 1e-12),
    (Method::GeneralizedAlpha { rho: 0.8, index: Index::Two, step: None }, 1e-6),
    (Method::GeneralizedAlpha { rho: 0.8, index: Index::Two, step: Some(1e-3) }, 1e-12),
    (Method::Dop853, 1e-9),
];

/// The change is inside the one stretch of 2 s, and right where the second and the third of 0.25 s meet.
/// The other seams split steps that follow the tolerance, which moves their error: it is below 1e-9 of
/// numbers around 1 with Radau, 1e-6 with methods of lower order. Fixed steps are the same ones.
#[test]
fn a_change_where_stretches_meet_is_like_any_other() {
    for change in [Change::Jump, Change::Bend] {
        for (method, allowed) in METHODS {
            let of = |stretch: f64| run(Searched { change, at: 0.5, stretch }, method).final_values;
            for (inside, between) in of(2.0).iter().zip(of(0.25)) {
                let off = (inside - between).abs();
                assert!(
                    off < allowed,
                    "{change:?}, {method:?}: {inside} and {between}, {off:e} off"
                );
            }
        }
    }
}

/// Where nothing changes, memory is kept.
#[test]
fn a_mere_end_of_a_stretch_is_no_restart() {
    for (method, allowed) in METHODS {
        let of = |stretch: f64| run(Searched { change: Change::None, at: 0.5, stretch }, method);
        let (whole, cut) = (of(2.0), of(0.25));
        let restarted = |report: &RunReport| report.solver.statistics.factorisations.restarted;
        if method != Method::Dop853 {
            assert_eq!(restarted(&whole), restarted(&cut), "{method:?}");
        }
        for (whole, cut) in whole.final_values.iter().zip(&cut.final_values) {
            assert!((whole - cut).abs() < allowed, "{method:?}: {whole} and {cut}");
        }
    }
}

/// A run whose end is not known is searched for 10 s at a time. The torque that turns a wheel jumps right
/// there; where the latest end is known, there is one stretch.
#[test]
fn a_jump_where_runs_of_unknown_length_are_searched_anew() {
    let mut model = empty("wheel");
    model.bodies.push(body("wheel", 2.0, Some(0.5), 0.0, start_at(0.0, 0.0, 0.0)));
    model.markers = vec![marker("origin", 0, 0.0, 0.0), marker("centre", 1, 0.0, 0.0)];
    model.joints.push(joint("axle", JointKind::Revolute, 0, 1));
    let law = Searched { change: Change::Jump, at: 10.0, stretch: f64::INFINITY };
    let torque = TimeFunction::Law(Arc::new(law));
    let torque = ForceKind::Torque { on: MarkerId(1), against: MarkerId(0), torque };
    model.forces.push(force("motor", torque));
    let start = assemble(&model).expect("a wheel assembles");
    let ends = |at_most: Option<f64>| {
        let spec = RunSpec {
            // ½·6·10² = 300 after 10 s; 60 rad/s fall by 10 rad/s² from there on.
            until: Until::JointAngle { joint: JointId(0), angle: 400.0 },
            at_most,
            method: Method::Bdf { index: gudgeon::run::Index::Two, step: Some(1e-2) },
            ..run_for(&model, END, &["wheel.angular_velocity"])
        };
        let report = simulate(&start, &spec, &mut Silent);
        (report.final_time, report.final_values[0])
    };
    let (known, open) = (ends(Some(100.0)), ends(None));
    // 300 + 60 s − 5 s² = 400
    let exact = 10.0 + (60.0 - (60.0_f64 * 60.0 - 2000.0).sqrt()) / 10.0;
    assert!((known.0 - exact).abs() < 1e-3, "{known:?}, {exact} s");
    let off = [known.0 - open.0, known.1 - open.1].map(f64::abs);
    assert!(off.iter().all(|off| *off < 1e-9), "{known:?} and {open:?}");
}
