//! Speed of flexible links, with the error measured in the same run.
//!
//! `cargo bench -p gudgeon --bench beams` prints CPU seconds of stepping and in all (outputs and ledger with
//! it, nothing is written) per simulated second, the best of several runs:
//!
//! - tian's double pendulum in the plane with 16 elements per link in fixed steps of 0.1 ms, both forms of
//!   the equations, with z of D after 1 s against the first form in steps of 25 µs;
//! - the same of 4 elements with a dry bearing, in steps of 2 µs and in its own, with the first peak (reference
//!   1896.9 N) and what is off in z of D after 0.5 s (reference −0.943363 m);
//! - pendulums of 16 … 1024 elements in steps of 1 ms: microseconds per step, and the growth exponent from the
//!   size before.

#[path = "../tests/it/common/mod.rs"]
mod common;

use common::beams::*;
use common::{empty, joint, marker, start_at};
use gudgeon::assembly::{Assembly, assemble};
use gudgeon::flexible::{Elasticity, Flexible, Section};
use gudgeon::model::*;
use gudgeon::results::{RunReport, Status};
use gudgeon::run::{Every, Index, Method, RunSpec};
use gudgeon::sensor::resolve;
use gudgeon::simulate::{Silent, simulate};

fn main() {
    ideal();
    dry();
    for space in [Space::Planar, Space::Spatial] {
        growth("beam", space, |link| link);
        growth("cable", space, cable);
    }
}

fn alpha(step: f64, index: Index) -> Method {
    Method::GeneralizedAlpha { rho: 0.8, index, step: Some(step) }
}

fn run(start: &Assembly, method: Method, rtol: f64, end: f64, output: &str) -> RunReport {
    let spec = RunSpec {
        method,
        rtol: Some(rtol),
        every: Every::Interval(f64::INFINITY),
        outputs: vec![resolve(&start.system.model, output).expect("an output")],
        ..RunSpec::seconds(end)
    };
    let report = simulate(start, &spec, &mut Silent);
    assert_eq!(report.status, Status::Done);
    report
}

/// The run that took the least time: the others were disturbed.
fn best(rounds: usize, mut run: impl FnMut() -> RunReport) -> RunReport {
    let runs = (0..rounds).map(|_| run());
    let cpu = |report: &RunReport| report.solver.cpu.integration();
    runs.min_by(|a, b| cpu(a).total_cmp(&cpu(b))).expect("a round")
}

/// Stepping and all, s of CPU per simulated second, and factorisations per step.
fn cost(report: &RunReport, end: f64) -> String {
    let (cpu, s) = (&report.solver.cpu, &report.solver.statistics);
    format!(
        "{:6.2} s stepping, {:6.2} s in all per second; {:6} steps, {:.2} iterations, {:.3} factorisations per step",
        cpu.stepping / end,
        cpu.integration() / end,
        s.steps,
        s.iterations as f64 / s.steps as f64,
        s.factorisations.total() as f64 / s.steps as f64
    )
}

fn ideal() {
    let start = assemble(&double_pendulum(true, 6.9e9, 16)).expect("the mechanism closes");
    let run = |step: f64, index| run(&start, alpha(step, index), 1e-9, 1.0, "CD.D.position.z");
    println!("double pendulum, 16 elements per link, 0.1 ms (at most 3 s, aim 2 s)");
    let exact = run(2.5e-5, Index::Three).final_values[0];
    for (name, index) in [("index 3", Index::Three), ("stabilised", Index::Two)] {
        let report = best(3, || run(1e-4, index));
        let off = report.final_values[0] - exact;
        println!("  {name:10} {}; z off {off:.1e} m", cost(&report, 1.0));
    }
}

fn dry() {
    let model = with_dry_clearance(double_pendulum(true, 6.9e11, 4));
    let start = assemble(&model).expect("the mechanism closes");
    println!("dry bearing, 4 elements per link");
    let radau = Method::Radau5 { step: None };
    for (name, method, rtol, end, rounds) in [
        ("2 µs (70 s)", alpha(2e-6, Index::Three), 1e-9, 0.1, 2),
        ("own steps (14 s)", radau, 1e-3, 0.5, 3),
    ] {
        let report = best(rounds, || run(&start, method, rtol, end, "CD.D.position.z"));
        let peak = 2.0 * report.impacts[0].peak_force;
        let off = match end {
            0.5 => format!(", z of D off {:.1e} m", report.final_values[0] + 0.943363),
            _ => String::new(),
        };
        println!(
            "  {name:16} {}; first peak {peak:.1} N, {:.2} % off{off}",
            cost(&report, end),
            100.0 * (peak / 1896.9 - 1.0)
        );
    }
}

/// A steel link of 1 m and 5 mm that hangs from a pin and is released level; in space about z as well.
fn pendulum(space: Space, elements: usize, kind: fn(Flexible) -> Flexible) -> Model {
    let section = Section::rectangle(0.005, 0.005, 2.1e11, 0.3, 7800.0);
    let mut model = Model { space, ..empty("pendulum") };
    model.gravity.y = -9.81;
    let mut body = Body::new("link");
    body.become_flexible(kind(straight(1.0, section, elements, Elasticity::Line)), space);
    body.start = start_at(0.0, 0.0, 0.0);
    model.bodies.push(body);
    model.markers =
        vec![marker("pin", 0, 0.0, 0.0), marker("root", 1, 0.0, 0.0), marker("tip", 1, 1.0, 0.0)];
    // Cables in space have no axes for a pin.
    let joint_kind = match space {
        Space::Planar => JointKind::Revolute,
        Space::Spatial => JointKind::Spherical,
    };
    model.joints.push(joint("pin", joint_kind, 0, 1));
    model
}

fn growth(name: &str, space: Space, kind: fn(Flexible) -> Flexible) {
    println!(
        "pendulum, {name}, {space:?}: elements  µs/step  µs/step/element  growth  iterations  factorisations"
    );
    let mut before: Option<(f64, f64)> = None;
    for elements in [16, 64, 256, 1024] {
        let start = assemble(&pendulum(space, elements, kind)).expect("a pendulum");
        let end = 0.1;
        let method = alpha(1e-3, Index::Three);
        let report = best(3, || run(&start, method, 1e-9, end, "link.tip.position.y"));
        let s = &report.solver.statistics;
        let (steps, n) = (s.steps as f64, elements as f64);
        let each = 1e6 * report.solver.cpu.integration() / steps;
        let growth = before.map_or(f64::NAN, |(m, t)| (each / t).ln() / (n / m).ln());
        println!(
            "  {elements:5} {each:9.1} {:8.3} {growth:7.3} {:6.2} {:6.3}",
            each / n,
            s.iterations as f64 / steps,
            s.factorisations.total() as f64 / steps
        );
        before = Some((n, each));
    }
}
