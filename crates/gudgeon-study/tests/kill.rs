//! `kill -9` at random moments, and a disk that fills up: nothing announced is lost, and the final
//! table has the same bytes as that of an undisturbed study.
//!
//! The studies run in child processes: this program itself, told by the environment what to do.
#![cfg(unix)]

#[path = "it/mechanism/mod.rs"]
mod mechanism;
#[path = "it/scratch/mod.rs"]
mod scratch;

use std::io::{self, BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use gudgeon::random::Random;
use gudgeon_study::runner::{Mechanism, RunnerOptions, SampleFailure, run};
use gudgeon_study::store::{Column, JOURNAL, Plan, Store, StoreError, TABLE};
use mechanism::{acceleration, hertz, lost, rpm, run_for, slider_crank};
use scratch::Scratch;

const FOLDER: &str = "GUDGEON_TEST_STUDY_FOLDER";
const THREADS: &str = "GUDGEON_TEST_STUDY_THREADS";
const KILLS: usize = 20;
const SAMPLES: usize = 16;
/// Exit code of a child whose disk is full.
const FULL: i32 = 77;

/// The study of the children: ensembles of a slider-crank over two milliseconds, every seventh of
/// which fails. Does nothing when called as an ordinary test.
#[test]
fn child() {
    let Ok(folder) = std::env::var(FOLDER) else { return };
    let threads = std::env::var(THREADS).ok().and_then(|n| n.parse().ok()).unwrap_or(2);
    let simulator = Mechanism {
        numbers: |point: &[f64]| point.to_vec(),
        build: |point: &[f64]| {
            if point[1] % 7.0 == 3.0 {
                return Err(SampleFailure::failed("no, thank you"));
            }
            let model = slider_crank(rpm(5000.0), point[0], hertz(point[0]), 0.9);
            Ok((model, run_for(2e-3, 1e-7)))
        },
        responses: vec![acceleration(), lost()],
        ensemble: 3,
    };
    let model = slider_crank(rpm(5000.0), 1e-4, hertz(1e-4), 0.9);
    let plan = Plan {
        fingerprint: 4,
        description: "the study of the kill test".into(),
        variables: vec![Column::new("clearance", "m"), Column::new("number", "")],
        values: simulator.columns(&model).expect("known responses"),
    };
    let points: Vec<Vec<f64>> =
        (0..SAMPLES).map(|i| vec![1e-4 + 1e-5 * i as f64, i as f64]).collect();
    let mut store = Store::open(Path::new(&folder), &plan).expect("the folder of the study");
    let options = RunnerOptions { threads, seed: 3, ..Default::default() };
    match run(&simulator, &points, &mut store, &options, &mut |p| {
        if p.sample.is_some() {
            println!("announced");
        }
    }) {
        Ok(_) => store.finish(SAMPLES).expect("room for the table"),
        Err(gudgeon_study::runner::StudyError::Store(StoreError::Append { .. })) => {
            std::process::exit(FULL)
        }
        Err(error) => panic!("{error}"),
    }
}

fn command(folder: &Path, threads: usize) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.args(["child", "--exact", "--nocapture", "--test-threads=1"]);
    command.env(FOLDER, folder).env(THREADS, threads.to_string());
    command
}

/// Runs the study of a folder to its end.
fn complete(folder: &Path, threads: usize) -> Duration {
    let clock = Instant::now();
    let output = command(folder, threads).output().expect("a child");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "the study does not resume: {error}");
    clock.elapsed()
}

/// Starts the study, waits until some samples were announced and a while longer, and kills it.
/// Answers whether it was still alive.
fn kill(folder: &Path, threads: usize, announced: usize, longer: Duration) -> bool {
    let before = if Store::exists(folder) { saved(folder) } else { 0 };
    let mut child = command(folder, threads).stdout(Stdio::piped()).spawn().expect("a child");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let is_news = |line: &io::Result<String>| line.as_ref().is_ok_and(|l| l.contains("announced"));
    let heard = lines.by_ref().filter(is_news).take(announced).count();
    std::thread::sleep(longer);
    child.kill().expect("SIGKILL");
    let alive = !child.wait().expect("the child ends").success();
    let heard = heard + lines.filter(is_news).count();
    if heard > 0 {
        assert!(saved(folder) >= before + heard, "announced samples are lost");
    }
    alive
}

fn table(folder: &Path) -> Vec<u8> {
    std::fs::read(folder.join(TABLE)).expect("a table")
}

#[test]
fn a_study_killed_at_random_moments_gives_the_same_bytes() {
    let reference = Scratch::new();
    let whole = complete(&reference, 2);
    let mut random = Random::new(u64::from(std::process::id()));
    let mut alive = 0;
    for trial in 0..KILLS {
        let folder = Scratch::new();
        // Every fifth kill comes early, while the folder is set up.
        let announced = if trial % 5 == 0 { 0 } else { random.below(SAMPLES + 1) };
        let longer = whole.mul_f64(2.0 * random.unit() / SAMPLES as f64);
        alive += usize::from(kill(&folder, 1 + trial % 3, announced, longer));
        complete(&folder, 3 - trial % 3);
        assert!(table(&folder) == table(&reference), "other bytes after kill {trial}");
    }
    println!("{alive} of {KILLS} kills met a living study");
    assert!(alive >= KILLS / 2, "only {alive} of {KILLS} kills met a living study");
}

#[test]
fn a_study_killed_again_and_again_comes_to_its_end() {
    let reference = Scratch::new();
    complete(&reference, 2);
    let folder = Scratch::new();
    for _ in 0..6 {
        kill(&folder, 2, 2, Duration::ZERO);
    }
    complete(&folder, 2);
    assert!(table(&folder) == table(&reference));
}

/// The journal may grow to a few blocks only: the write beyond fails as on a full disk.
#[test]
fn a_full_disk_ends_the_study_with_an_error_and_loses_nothing_announced() {
    let reference = Scratch::new();
    complete(&reference, 2);
    for blocks in [2, 4] {
        let folder = Scratch::new();
        let inner = command(&folder, 2);
        // The signal of the limit is ignored, so that the write fails instead.
        let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
        let mut limited = Command::new("sh");
        limited.arg("-c").arg(script).arg(inner.get_program()).args(inner.get_args());
        limited.env(FOLDER, &*folder).stdout(Stdio::piped());
        let output = limited.output().expect("a shell");
        assert_eq!(output.status.code(), Some(FULL), "{}", String::from_utf8_lossy(&output.stderr));
        let announced = String::from_utf8_lossy(&output.stdout).matches("announced").count();
        assert!(announced < SAMPLES);
        assert_eq!(saved(&folder), announced, "{blocks} blocks");
        complete(&folder, 2);
        assert!(table(&folder) == table(&reference));
    }
}

/// Records in a journal: their marks, of which the first belongs to the beginning.
fn saved(folder: &Path) -> usize {
    let bytes = std::fs::read(folder.join(JOURNAL)).expect("a journal");
    bytes.windows(4).filter(|bytes| bytes == b"\xffgd\n").count() - 1
}
