//! The runner on functions: order, threads, failures, limits.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::scratch::Scratch;
use gudgeon_study::runner::{
    RunnerOptions, Sample, SampleFailure, Simulator, StudyError, Summary, run, run_in_memory,
    run_some, seed_at, seed_of,
};
use gudgeon_study::store::{Column, Plan, SampleOutcome, Store, TABLE};

type Stop<'a> = &'a dyn Fn() -> bool;
type Answer = Result<Vec<f64>, SampleFailure>;

fn plan() -> Plan {
    Plan {
        fingerprint: 1,
        description: "a test".into(),
        variables: vec![Column::new("x", "m"), Column::new("y", "")],
        values: vec![Column::new("f", "N"), Column::new("noise", "")],
    }
}

fn points(n: usize) -> Vec<Vec<f64>> {
    (0..n).map(|i| vec![i as f64 / 7.0, (i * i) as f64]).collect()
}

/// Values, failures, panics and values that are not finite.
fn mixed(point: &[f64], seed: u64, _stop: Stop) -> Answer {
    match point[1] as usize % 11 {
        3 => Err(SampleFailure::failed("unlucky")),
        5 => panic!("a bug at {}", point[0]),
        9 => Ok(vec![f64::NAN, 0.0]),
        _ => Ok(vec![point[0].sin() * point[1], seed as f64]),
    }
}

fn spin(stop: Stop, time: Duration) -> bool {
    let clock = Instant::now();
    while clock.elapsed() < time {
        if stop() {
            return false;
        }
    }
    true
}

fn study(
    folder: &Scratch,
    simulator: &dyn Simulator,
    n: usize,
    options: &RunnerOptions,
) -> Result<Summary, StudyError> {
    let mut store = Store::open(folder, &plan())?;
    let summary = run(simulator, &points(n), &mut store, options, &mut |_| ())?;
    if !summary.cancelled {
        store.finish(n)?;
    }
    Ok(summary)
}

fn bytes(folder: &Scratch) -> Vec<u8> {
    std::fs::read(folder.join(TABLE)).expect("a table")
}

#[test]
fn results_do_not_depend_on_threads_and_interruptions() {
    let reference = Scratch::new();
    let options = RunnerOptions { threads: 1, seed: 5, ..Default::default() };
    let summary = study(&reference, &mixed, 60, &options).expect("a study");
    assert_eq!(summary.done + summary.failed, 60);
    assert!(summary.failed > 5);
    for threads in [2, 7, 100] {
        let folder = Scratch::new();
        let options = RunnerOptions { threads, ..options };
        study(&folder, &mixed, 60, &options).expect("a study");
        assert_eq!(bytes(&folder), bytes(&reference));
    }
    let folder = Scratch::new();
    let mut run_now = 0;
    for n in [10, 11, 40, 60] {
        run_now += study(&folder, &mixed, n, &options).expect("a study").run;
    }
    assert_eq!(run_now, 60);
    assert_eq!(bytes(&folder), bytes(&reference));
}

#[test]
fn memory_and_folder_agree() {
    let folder = Scratch::new();
    let options = RunnerOptions { seed: 9, ..Default::default() };
    study(&folder, &mixed, 30, &options).expect("a study");
    let store = Store::open(&folder, &plan()).expect("the study");
    let names = ["f".to_owned(), "noise".to_owned()];
    let outcomes = run_in_memory(&mixed, &points(30), &names, &options);
    for (index, outcome) in outcomes.iter().enumerate() {
        assert_eq!(outcome.as_ref(), Some(&store.records()[&index].outcome));
    }
}

#[test]
fn failures_are_recorded_with_their_cause() {
    let folder = Scratch::new();
    study(&folder, &mixed, 20, &RunnerOptions::default()).expect("a study");
    let store = Store::open(&folder, &plan()).expect("the study");
    let cause = |rest: usize| {
        let index = (0..20).find(|i| i * i % 11 == rest).expect("there is one");
        store.records()[&index].outcome.cause()
    };
    assert_eq!(cause(3), "unlucky");
    assert_eq!(cause(5), "the program failed: a bug at 0.5714285714285714");
    assert_eq!(cause(9), "`f` is NaN");
    let short = |_: &[f64], _: u64, _: Stop| -> Answer { Ok(vec![1.0]) };
    let outcomes =
        run_in_memory(&short, &points(1), &["a".into(), "b".into()], &Default::default());
    let cause = "the simulation gave 1 values instead of 2";
    assert_eq!(outcomes, [Some(SampleOutcome::Failed(cause.into()))]);
}

#[test]
fn all_failed_is_an_error_that_names_the_cause() {
    let failing = |point: &[f64], _: u64, _: Stop| -> Answer {
        Err(SampleFailure::failed(if point[1] > 5.0 { "too stiff" } else { "too soft" }))
    };
    let error = study(&Scratch::new(), &failing, 10, &Default::default()).expect_err("all failed");
    assert_eq!(error.to_string(), "all 10 samples failed; 7 of them: too stiff");
    let none = study(&Scratch::new(), &failing, 0, &Default::default()).expect_err("no samples");
    assert!(matches!(none, StudyError::NoSamples));
}

#[test]
fn seeds_differ_and_depend_on_the_number_only() {
    let mut seeds: Vec<u64> = (0..1000).map(|i| seed_of(1, i)).collect();
    assert_eq!(seeds[7], seed_of(1, 7));
    assert_ne!(seeds[7], seed_of(2, 7));
    seeds.sort_unstable();
    seeds.dedup();
    assert_eq!(seeds.len(), 1000);
}

#[test]
fn slow_samples_are_cut_off_and_can_be_run_again() {
    let slow = |point: &[f64], _: u64, stop: Stop| -> Answer {
        let time = if point[1] == 4.0 { 200 } else { 0 };
        if spin(stop, Duration::from_millis(time)) {
            Ok(vec![1.0, 2.0])
        } else {
            Err(SampleFailure::Stopped)
        }
    };
    let folder = Scratch::new();
    let limit = Duration::from_millis(20);
    let options = RunnerOptions { time_limit: Some(limit), ..Default::default() };
    let summary = study(&folder, &slow, 5, &options).expect("a study");
    assert_eq!((summary.done, summary.timed_out, summary.failed), (4, 1, 0));
    let table = String::from_utf8(bytes(&folder)).expect("text");
    assert!(table.contains("timed out,more than 0.02 s of CPU time"), "{table}");
    // The same limit would cut it off again.
    assert_eq!(study(&folder, &slow, 5, &options).expect("a study").run, 0);
    let again = RunnerOptions { time_limit: None, ..options };
    let summary = study(&folder, &slow, 5, &again).expect("a study");
    assert_eq!((summary.done, summary.timed_out, summary.run), (5, 0, 1));
}

#[test]
fn a_cancelled_study_keeps_what_is_finished() {
    let cancel = AtomicBool::new(false);
    let count = AtomicUsize::new(0);
    let simulator = |_: &[f64], _: u64, stop: Stop| -> Answer {
        if count.fetch_add(1, Ordering::Relaxed) < 3 {
            return Ok(vec![1.0, 2.0]);
        }
        cancel.store(true, Ordering::Relaxed);
        if spin(stop, Duration::from_secs(60)) {
            Ok(vec![0.0; 2])
        } else {
            Err(SampleFailure::Stopped)
        }
    };
    let folder = Scratch::new();
    let options = RunnerOptions { cancel: Some(&cancel), threads: 2, ..Default::default() };
    let clock = Instant::now();
    let summary = study(&folder, &simulator, 20, &options).expect("a study");
    assert!(clock.elapsed() < Duration::from_secs(30));
    assert_eq!((summary.done, summary.total, summary.cancelled), (3, 20, true));
    assert_eq!(Store::open(&folder, &plan()).expect("the study").records().len(), 3);
}

#[test]
fn progress_counts_up_and_follows_the_disk() {
    let folder = Scratch::new();
    let mut store = Store::open(&folder, &plan()).expect("new");
    let journal = folder.join(gudgeon_study::store::JOURNAL);
    let mut seen = Vec::new();
    let mut progress = |p: &gudgeon_study::runner::Progress| {
        seen.push((p.done, p.failed));
        assert_eq!(p.total, 20);
        let Some(sample) = p.sample else { return };
        let on_disk = std::fs::read(&journal).expect("a journal");
        let mark = sample.point[1].to_bits().to_le_bytes();
        assert!(on_disk.windows(8).any(|bytes| bytes == mark), "announced before it was saved");
        if p.done > 3 {
            assert!(p.seconds_left.is_some_and(|s| s >= 0.0));
        }
    };
    run(&mixed, &points(20), &mut store, &RunnerOptions::default(), &mut progress).expect("done");
    assert_eq!(seen.iter().map(|s| s.0).collect::<Vec<_>>(), (0..=20).collect::<Vec<_>>());
    assert!(seen.is_sorted_by_key(|s| s.1));
}

#[test]
fn another_design_is_refused() {
    let folder = Scratch::new();
    let mut store = Store::open(&folder, &plan()).expect("new");
    let options = RunnerOptions::default();
    run(&mixed, &points(3), &mut store, &options, &mut |_| ()).expect("done");
    let mut changed = points(4);
    changed[1][0] += 1.0;
    let error = run(&mixed, &changed, &mut store, &options, &mut |_| ()).expect_err("changed");
    assert!(matches!(&error, StudyError::OtherPoint { index: 1, .. }), "{error}");
    let error = run(&mixed, &[vec![1.0]], &mut store, &options, &mut |_| ()).expect_err("narrow");
    assert!(matches!(error, StudyError::Width { index: 0, found: 1, expected: 2 }));
}

/// Numbers with gaps; what the store holds beside them does not count.
#[test]
fn some_samples_by_their_own_numbers_and_seeds() {
    let folder = Scratch::new();
    let mut store = Store::open(&folder, &plan()).expect("new");
    let all = points(3);
    let sample =
        |index: usize, k: usize| Sample { index, point: &all[k], seed: seed_at(5, &all[k]) };
    let options = RunnerOptions { threads: 2, seed: 5, ..Default::default() };
    let summary = run_some(&mixed, &[sample(4, 0)], &mut store, &options, &mut |_| ());
    assert_eq!(summary.expect("run").run, 1);
    let both = [sample(9, 2), sample(4, 0)];
    let summary = run_some(&mixed, &both, &mut store, &options, &mut |_| ()).expect("run");
    assert_eq!((summary.total, summary.run, summary.cancelled), (2, 1, false));
    let seed = |index: usize| store.records()[&index].outcome.values().map(|values| values[1]);
    assert_eq!(seed(9), Some(seed_at(5, &all[2]) as f64));
    assert_ne!(seed_at(5, &all[0]), seed_at(6, &all[0]));
    assert_ne!(seed_at(5, &all[0]), seed_at(5, &all[1]));
}
