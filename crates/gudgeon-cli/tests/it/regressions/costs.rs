//! `cpu_seconds` was the share of the stepping in the wall time: 139 of 233 ms for the slider-crank,
//! 0.16 of 1.46 s for a long chain, and anything between 1.2 and 15 ms for the same run beside others.
//!
//! Now it is CPU time of the whole integration with its outputs, and `cpu` divides all that the process
//! used among what it was used for.

use std::fs;

use serde_json::Value;

use crate::common::Scratch;

fn number(value: &Value, key: &str) -> f64 {
    value[key].as_f64().unwrap_or_else(|| panic!("no `{key}` in {value}"))
}

#[test]
fn the_parts_add_up_to_what_the_process_used() {
    let scratch = Scratch::with_model();
    let answer = scratch.gudgeon(&["run", "model.toml", "--json", "--out", "out"]).exits(0).json();
    let cpu = &answer["cpu"];
    let parts = ["setup", "stepping", "outputs", "writing", "baseline"];
    let parts: Vec<f64> = parts.iter().map(|part| number(cpu, part)).collect();
    assert!(parts.iter().all(|part| *part > 0.0), "{cpu}");
    let (sum, total) = (parts.iter().sum::<f64>(), number(cpu, "total"));
    // Short intervals are taken by the wall clock: a per cent is allowed for that.
    assert!(sum <= 1.01 * total && sum >= 0.8 * total, "{sum} of {total} s: {cpu}");
    let integration = number(cpu, "stepping") + number(cpu, "outputs");
    assert_eq!(number(&answer["solver"], "cpu_seconds"), integration);
    assert!(number(cpu, "stepping") > 0.3 * integration, "{cpu}");
    // The record has the same, in the one object that may differ between runs.
    let record = scratch.json("out/run.json");
    assert!(record.get("cpu").is_none());
    assert!(number(&record["environment"]["cpu"], "stepping") > 0.0);
}

#[test]
fn what_is_asked_for_beside_the_run_is_named() {
    let scratch = Scratch::with_model();
    let answer =
        scratch.run(&["--json", "--certify", "--ensemble", "2", "--no-baseline"]).exits(0).json();
    assert!(number(&answer["cpu"], "certificate") > 0.0);
    assert!(number(&answer["cpu"], "ensemble") > 0.0);
    assert!(answer["cpu"].get("baseline").is_none());
    let text = scratch.run(&["--certify"]).exits(0).stdout();
    for word in ["CPU: stepping", "writing", "baseline", "certificate", "of rms", "rtol 1e-11"] {
        assert!(text.contains(word), "no `{word}` in {text}");
    }
}

/// A reference that fails says so, in the table and in a warning, and certifies nothing beyond.
#[test]
fn a_certificate_tells_how_far_its_runs_came() {
    let scratch = Scratch::with_model();
    let answer = scratch.run(&["--json", "--certify"]).exits(0).json();
    let certificate = &answer["certificate"];
    assert_eq!(certificate["complete"], true);
    assert_eq!(certificate["reached"], answer["final"]["t"]);
    for (reference, rtol) in
        certificate["references"].as_array().unwrap().iter().zip([1e-10, 1e-11])
    {
        assert_eq!(reference["status"], "ok");
        assert!((number(reference, "rtol") / rtol - 1.0).abs() < 1e-12);
    }
    for output in certificate["outputs"].as_object().unwrap().values() {
        for key in ["extreme_digits", "digits", "horizon", "mean_digits", "rms_digits"] {
            assert!(number(output, key) >= 0.0);
        }
    }
}

/// A table of a long run stays small.
#[test]
fn a_run_of_thirty_revolutions_writes_less_than_a_megabyte() {
    let scratch = Scratch::with_model();
    let flags = [
        "run",
        "model.toml",
        "--until",
        "30 rev",
        "--no-baseline",
        "--rtol",
        "1e-4",
        "--out",
        "out",
    ];
    scratch.gudgeon(&flags).exits(0);
    let size = fs::metadata(scratch.path.join("out/series.csv")).unwrap().len();
    assert!(size < 1 << 20, "{size} bytes");
}
