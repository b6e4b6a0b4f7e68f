//! What is said about runs beside the main one.

use gudgeon::results::{Cause, SimulationError};

use super::*;

fn failed() -> SimulationError {
    SimulationError { time: 0.5, cause: Cause::NotFinite { body: "rod".into() }, help: "look" }
}

#[test]
fn an_ensemble_that_cannot_start_says_so() {
    let warning = no_ensemble("the mechanism cannot close".into());
    assert_eq!(warning.code, "G1302");
    assert!(warning.message.contains("cannot close") && !warning.help.is_empty());
}

#[test]
fn failed_members_are_counted() {
    let report = EnsembleReport {
        runs: 4,
        finished: 3,
        extremes: Vec::new(),
        failures: vec![(2, failed())],
    };
    let warning = failed_members(&report).unwrap();
    assert_eq!(warning.code, "G1303");
    assert!(warning.message.starts_with("1 of 4 perturbed runs failed"), "{}", warning.message);
    let all = EnsembleReport { failures: Vec::new(), ..report };
    assert!(failed_members(&all).is_none());
}

#[test]
fn a_certificate_that_ends_early_says_where() {
    let reference = |status: Status| Reference {
        rtol: 1e-10,
        step_ratio: 1.0,
        status,
        final_time: 0.5,
        cpu_seconds: 0.0,
    };
    let certificate = |first: Status| Certificate {
        rtol: 1e-9,
        references: [reference(first), reference(Status::Done)],
        outputs: Vec::new(),
        complete: false,
        reached: 0.5,
    };
    let warning = stopped_early(Method::Dop853, &certificate(Status::Failed(failed()))).unwrap();
    assert_eq!(warning.code, "G1305");
    assert!(warning.message.contains("rtol 1e-10") && warning.message.contains("up to 0.5 s"));
    assert!(stopped_early(Method::Dop853, &certificate(Status::Done)).is_none());
}
