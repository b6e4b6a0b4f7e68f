//! What is said about runs beside the main one.

use gudgeon::results::{Cause, SimulationError};

use super::*;

fn failed() -> SimulationError {
    SimulationError {
        time: 0.5,
        cause: Cause::NotFinite { body: "rod".into() },
        help: "look".into(),
    }
}

#[test]
fn an_ensemble_that_cannot_start_says_so() {
    let warning = no_ensemble("the mechanism cannot close".into());
    assert_eq!(warning.code, "G1302");
    assert!(warning.message.contains("cannot close") && !warning.help.is_empty());
}

#[test]
fn a_comparison_beyond_a_limit_says_which_to_raise() {
    let help = |cause: Cause| {
        let error = SimulationError { cause, ..failed() };
        let failed = NoBaseline { message: error.to_string(), error: Some(Box::new(error)) };
        let warning = no_baseline(&failed);
        assert!(warning.code == "G1301" && warning.message.starts_with("no comparison with"));
        (warning.help, failed.is_cut())
    };
    let raise = "raise `--time-limit` or `--max-steps`; `--no-baseline` skips it";
    assert_eq!(help(Cause::TimeLimit { limit: 1.0 }), (raise.into(), true));
    assert_eq!(help(Cause::StepLimit { limit: 9 }), (raise.into(), false));
    assert_eq!(help(failed().cause), ("`--no-baseline` skips it".into(), false));
    let open = NoBaseline { message: "it cannot close".into(), error: None };
    assert_eq!(no_baseline(&open).help, "`--no-baseline` skips it");
}

#[test]
fn failed_members_are_counted() {
    let cut = SimulationError { cause: Cause::TimeLimit { limit: 2.0 }, ..failed() };
    let report = EnsembleReport {
        runs: 9,
        finished: 3,
        failed: 1,
        failures: vec![(2, failed())],
        ..EnsembleReport::default()
    };
    let [warning] = &failed_members(&report)[..] else { panic!("one warning") };
    assert_eq!(warning.code, "G1303");
    assert!(warning.message.starts_with("1 of 9 perturbed runs failed"), "{}", warning.message);
    let cut = EnsembleReport {
        cut: 1,
        not_begun: 4,
        limit: Some(2.0),
        failures: vec![(1, cut), (2, failed())],
        ..report
    };
    let [own, late] = &failed_members(&cut)[..] else { panic!("two warnings") };
    assert_eq!(own, warning);
    assert_eq!(
        late.message,
        "of 9 perturbed runs 1 were cut, 4 were not begun; they are not counted: time limit: 2 s of CPU time are used up"
    );
    assert_eq!(
        not_run(&cut).unwrap(),
        "3 of 9 perturbed runs completed, 1 failed, 1 cut, 4 not begun"
    );
    let all = EnsembleReport { runs: 9, finished: 9, ..EnsembleReport::default() };
    assert!(failed_members(&all).is_empty());
    assert!(unfinished(&all).is_none() && not_run(&all).is_none());
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
    let none = Certificate { reached: 0.0, ..certificate(Status::Failed(failed())) };
    let warning = stopped_early(Method::Dop853, &none).unwrap();
    assert!(warning.message.contains("so none is certified"), "{}", warning.message);
}
