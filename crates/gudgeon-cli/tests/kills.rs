//! SIGKILL at random moments: `cargo xtask kills N` in small.
#![cfg(unix)]

#[path = "it/common/mod.rs"]
mod common;
#[path = "../../../xtask/src/kills/mod.rs"]
mod kills;

use std::path::Path;

use common::Scratch;
use kills::{Bench, Counts};

fn bench(scratch: &Scratch) -> Bench {
    Bench::new(Path::new(env!("CARGO_BIN_EXE_gudgeon")), &scratch.path, 12).unwrap()
}

#[track_caller]
fn look_at(counts: Result<Counts, String>) {
    let counts = counts.unwrap_or_else(|error| panic!("{error}"));
    println!("{counts}");
    assert!(counts.alive >= counts.kills / 3, "{counts}");
}

#[test]
fn runs_killed_at_random_moments_leave_whole_results() {
    let scratch = Scratch::new();
    look_at(kills::runs::runs(&mut bench(&scratch), 25));
}

#[test]
fn studies_killed_at_random_moments_give_the_same_bytes() {
    let scratch = Scratch::new();
    look_at(kills::studies::studies(&mut bench(&scratch), 20));
}

#[test]
#[ignore = "slow: 150 kills of runs"]
fn many_runs_killed() {
    let scratch = Scratch::new();
    look_at(kills::runs::runs(&mut bench(&scratch), 150));
}

#[test]
#[ignore = "slow: 150 kills of studies"]
fn many_studies_killed() {
    let scratch = Scratch::new();
    look_at(kills::studies::studies(&mut bench(&scratch), 150));
}
