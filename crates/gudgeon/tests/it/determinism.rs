//! The same input gives the same bits, on every run and for any number of threads.

use std::ops::ControlFlow;

use crate::common::*;
use gudgeon::assembly::assemble;
use gudgeon::ensemble::{EnsembleOptions, EnsembleReport, Spread, ensemble};
use gudgeon::friction::{FrictionLaw, ZonedLaw};
use gudgeon::model::Model;
use gudgeon::progress::Unwatched;
use gudgeon::results::{LoopPoint, RunReport, Status};
use gudgeon::run::{Every, RunSpec};
use gudgeon::simulate::{Observer, simulate};

/// Chaotic within a few impacts, so that a single different bit would show.
fn chaotic() -> (Model, RunSpec) {
    let mut model = slider_crank(rpm(2000.0), 2e-4, 1.062e11, 0.9);
    model.joints[3].clearance.as_mut().unwrap().friction =
        Some(FrictionLaw::Zoned(ZonedLaw::Coulomb { mu: 0.05, v0: 1e-3, v1: 1e-2 }));
    let outputs = ["slider.acceleration.x", "pin.contact_force", "motor.torque", "motor.power"];
    let spec = run_for(&model, 0.03, &outputs);
    (model, spec)
}

#[derive(Default)]
struct Bits(Vec<u64>);

impl Observer for Bits {
    fn row(&mut self, t: f64, values: &[f64], orbits: &[[f64; 2]]) -> ControlFlow<()> {
        self.0.push(t.to_bits());
        self.0.extend(values.iter().chain(orbits.iter().flatten()).map(|x| x.to_bits()));
        ControlFlow::Continue(())
    }
    fn loop_point(&mut self, _point: LoopPoint) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
    fn progress(&mut self, _t: f64, _end: f64) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

fn run(model: &Model, spec: &RunSpec) -> (RunReport, Bits) {
    let mut bits = Bits::default();
    let report = simulate(&assemble(model).unwrap(), spec, &mut bits);
    (report, bits)
}

#[test]
fn two_runs_agree_in_every_bit() {
    let (model, spec) = chaotic();
    let (first, rows) = run(&model, &spec);
    let (second, again) = run(&model, &spec);
    assert!(first.impacts.len() > 20, "{}", first.impacts.len());
    assert_eq!(rows.0, again.0);
    assert_eq!(first.extremes, second.extremes);
    assert_eq!(first.impacts, second.impacts);
    assert_eq!(first.energy, second.energy);
    assert_eq!(first.solver.statistics, second.solver.statistics);
    assert_eq!(first.final_values, second.final_values);
}

#[test]
fn a_run_does_not_depend_on_what_ran_before_or_beside_it() {
    let (model, spec) = chaotic();
    let (_, alone) = run(&model, &spec);
    std::thread::scope(|scope| {
        let handles: Vec<_> = (0..3).map(|_| scope.spawn(|| run(&model, &spec).1)).collect();
        for handle in handles {
            assert_eq!(handle.join().unwrap().0, alone.0);
        }
    });
}

#[test]
fn outputs_do_not_change_the_motion() {
    // What is watched must not disturb: fewer outputs, another recording interval, same impacts.
    let (model, spec) = chaotic();
    let (all, _) = run(&model, &spec);
    let none = RunSpec { every: Every::Interval(1e-3), ..run_for(&model, 0.03, &[]) };
    let (bare, _) = run(&model, &none);
    assert_eq!(all.impacts, bare.impacts);
    assert_eq!(all.solver.statistics.steps, bare.solver.statistics.steps);
}

fn bits(report: &EnsembleReport) -> Vec<u64> {
    let of = |s: &Spread| [s.mean, s.std, s.min, s.max].map(f64::to_bits);
    report
        .extremes
        .iter()
        .flat_map(|e| [of(&e.abs_max), of(&e.max), of(&e.min), of(&e.rms)])
        .flatten()
        .collect()
}

#[test]
fn an_ensemble_does_not_depend_on_the_number_of_threads() {
    let (model, spec) = chaotic();
    let run = |jobs: usize, seed: u64| {
        let options = EnsembleOptions { runs: 5, seed, jobs };
        let report = ensemble(&model, &spec, options, &Unwatched).unwrap();
        assert_eq!((report.runs, report.finished), (5, 5));
        bits(&report)
    };
    let alone = run(1, 42);
    for jobs in [2, 3, 7] {
        assert_eq!(run(jobs, 42), alone, "{jobs} threads");
    }
    assert_ne!(run(1, 43), alone, "the seed has no effect");
}

#[test]
fn members_of_an_ensemble_differ() {
    let (model, spec) = chaotic();
    let options = EnsembleOptions { runs: 4, seed: 1, jobs: 0 };
    let report = ensemble(&model, &spec, options, &Unwatched).unwrap();
    assert!(report.extremes[0].abs_max.std > 0.0);
}

/// Rows as the run asks, and samples at instants of their own.
struct Sampler {
    rows: Bits,
    interval: f64,
    samples: Vec<(f64, Vec<f64>)>,
}

impl Observer for Sampler {
    fn row(&mut self, t: f64, values: &[f64], orbits: &[[f64; 2]]) -> ControlFlow<()> {
        self.rows.row(t, values, orbits)
    }

    fn next_sample(&self) -> f64 {
        (self.samples.len() + 1) as f64 * self.interval
    }

    fn sample(&mut self, t: f64, values: &[f64]) -> ControlFlow<()> {
        self.samples.push((t, values.to_vec()));
        ControlFlow::Continue(())
    }
}

#[derive(Default)]
struct Table(Vec<(f64, Vec<f64>)>);

impl Observer for Table {
    fn row(&mut self, t: f64, values: &[f64], _orbits: &[[f64; 2]]) -> ControlFlow<()> {
        self.0.push((t, values.to_vec()));
        ControlFlow::Continue(())
    }
}

#[test]
fn samples_leave_the_rows_and_are_what_rows_would_be() {
    let (model, spec) = chaotic();
    let spec = RunSpec { every: Every::Steps, ..spec };
    let interval = 7e-5;
    let mut sampler = Sampler { rows: Bits::default(), interval, samples: Vec::new() };
    simulate(&assemble(&model).unwrap(), &spec, &mut sampler);
    assert_eq!(sampler.rows.0, run(&model, &spec).1.0);
    let mut table = Table::default();
    let every = Every::Interval(interval);
    simulate(&assemble(&model).unwrap(), &RunSpec { every, ..spec }, &mut table);
    assert_eq!(sampler.samples.len(), 428, "30 ms by 70 µs");
    assert_eq!(sampler.samples, table.0[1..=428], "the first row is the start");
}

/// Asks to stop after some samples.
struct Enough(usize);

impl Observer for Enough {
    fn next_sample(&self) -> f64 {
        1e-6
    }

    fn sample(&mut self, _t: f64, _values: &[f64]) -> ControlFlow<()> {
        self.0 -= 1;
        if self.0 == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

#[test]
fn a_sample_may_stop_the_run() {
    let (model, spec) = chaotic();
    let report = simulate(&assemble(&model).unwrap(), &spec, &mut Enough(1000));
    assert_eq!(report.status, Status::Interrupted);
}
