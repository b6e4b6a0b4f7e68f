//! An ensemble that the time limit cut counted the runs that were not begun as nothing, and began some
//! only to fail at once. A certificate whose finest run the limit cut tried a coarser one with no time
//! left, and so lost what it had.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use gudgeon::assembly::assemble;
use gudgeon::certify::{History, certify};
use gudgeon::cpu;
use gudgeon::ensemble::{EnsembleOptions, EnsembleReport, ensemble};
use gudgeon::model::Model;
use gudgeon::progress::{Progress, Unwatched};
use gudgeon::results::{Cause, Status};
use gudgeon::run::{Limits, RunSpec};
use gudgeon::simulate::{Observer, simulate};

use crate::common::*;

fn crank(limits: Limits) -> (Model, RunSpec) {
    let model = slider_crank(rpm(2000.0), 2e-4, 1.062e11, 0.9);
    let spec = RunSpec { limits, ..run_for(&model, 0.02, &["slider.acceleration.x"]) };
    (model, spec)
}

fn many(limits: Limits, runs: usize, progress: &dyn Progress) -> EnsembleReport {
    let (model, spec) = crank(limits);
    let options = EnsembleOptions { runs, seed: 1, jobs: 2 };
    let report = ensemble(&model, &spec, options, progress).expect("starts assemble");
    let sum = report.finished + report.failed + report.cut + report.not_begun;
    assert_eq!((sum, report.runs), (runs, runs), "{report:?}");
    report
}

fn cpu_limit(cpu: f64) -> Limits {
    Limits { cpu: Some(cpu), ..Limits::default() }
}

#[test]
fn every_run_of_an_ensemble_is_counted() {
    let all = many(Limits::default(), 4, &Unwatched);
    assert_eq!((all.finished, all.limit, all.failures.len()), (4, None, 0));
    let cut = many(cpu_limit(0.3), 100_000, &Unwatched);
    assert!(cut.finished > 0 && cut.not_begun > 90_000, "{cut:?}");
    // At most the one run of each thread that was on its way.
    assert!(cut.cut <= 2 && cut.failures.len() == cut.cut, "{cut:?}");
    assert_eq!((cut.failed, cut.limit), (0, Some(0.3)));
    // None is begun only to be cut.
    let none = many(Limits { used: 0.3, ..cpu_limit(0.3) }, 7, &Unwatched);
    assert_eq!((none.not_begun, none.limit, none.failures.len()), (7, Some(0.3), 0));
    assert!(none.extremes.is_empty());
    // What fails by itself is not cut.
    let failed = many(Limits { steps: Some(20), ..Limits::default() }, 5, &Unwatched);
    assert_eq!((failed.failed, failed.failures.len(), failed.limit), (5, 5, None));
}

/// Cancels when the first run is done.
struct First(AtomicBool);

impl Progress for First {
    fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    fn report(&self, _share: f64) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn a_cancelled_ensemble_counts_what_it_left_out() {
    let report = many(cpu_limit(1e3), 100, &First(AtomicBool::new(false)));
    assert!((1..=2).contains(&report.finished), "{report:?}");
    assert!(report.not_begun >= 97 && report.cut <= 1, "{report:?}");
    assert_eq!((report.failed, report.limit), (0, None));
}

struct Keep(History);

impl Observer for Keep {
    fn row(&mut self, t: f64, values: &[f64], _orbits: &[[f64; 2]]) -> ControlFlow<()> {
        self.0.row(t, values);
        ControlFlow::Continue(())
    }

    fn step(&mut self, t: f64, values: &[f64], event: bool) {
        self.0.step(t, values, event);
    }
}

/// The limit ends within the second run of the certificate, which takes longer than the first.
#[test]
fn a_certificate_keeps_what_its_runs_reached_within_the_limit() {
    let (model, spec) = crank(Limits::default());
    let start = assemble(&model).expect("it closes");
    let mut keep = Keep(History::new(1));
    let report = simulate(&start, &spec, &mut keep);
    let certificate = |limits: Limits| {
        let spec = RunSpec { limits, ..spec.clone() };
        certify(&start, &spec, (&report, &keep.0), &Unwatched)
    };
    let before = cpu::seconds();
    assert!(certificate(Limits::default()).complete);
    let both = cpu::seconds() - before;
    let is_cut = |status: &Status| matches!(status, Status::Failed(e) if matches!(e.cause, Cause::TimeLimit { .. }));
    // How the time is divided varies a little.
    let found = [0.75, 0.7, 0.65, 0.8, 0.6, 0.85].iter().find_map(|share| {
        let found = certificate(cpu_limit(share * both));
        let [near, far] = &found.references;
        (near.status == Status::Done && is_cut(&far.status)).then_some(found)
    });
    let found = found.expect("one that ends within the second run");
    let [near, far] = &found.references;
    assert!(far.rtol < near.rtol && far.final_time > 0.0, "{far:?}");
    assert_eq!((found.reached, found.complete), (far.final_time, false));
    assert!(found.outputs[0].horizon > 0.0, "{found:?}");
}
