//! The result folder: complete, the same every time, and kept when a run ends early.

use std::process::Stdio;

use crate::common::{JOURNAL_BEARING, SLIDER_CRANK, Scratch};
use serde_json::{Value, json};

const FILES: [&str; 10] = [
    "journals.parquet",
    "motion.parquet",
    "motion_ideal.parquet",
    "orbit.svg",
    "plot.svg",
    "report.html",
    "run.json",
    "series.csv",
    "series.parquet",
    "series_ideal.parquet",
];

/// The record without the one object that may differ.
fn record(scratch: &Scratch, folder: &str) -> Value {
    let mut record = scratch.json(&format!("{folder}/run.json"));
    let environment = record.as_object_mut().unwrap().shift_remove("environment");
    assert!(environment.is_some_and(|e| e["date"].is_string() && e["cpu_seconds"].is_number()));
    record
}

#[track_caller]
fn same_results(scratch: &Scratch, a: &str, b: &str) {
    for file in FILES.iter().filter(|file| **file != "run.json") {
        let [a, b] = [a, b].map(|folder| scratch.read(&format!("{folder}/{file}")));
        assert!(!a.is_empty() && a == b, "{file} differs");
    }
    assert_eq!(record(scratch, a).to_string(), record(scratch, b).to_string());
}

#[test]
fn a_run_tells_where_its_results_are() {
    let scratch = Scratch::with_model();
    let finished = scratch.run(&["--out", "results/one"]).exits(0);
    let text = finished.stdout();
    assert!(finished.stderr().is_empty(), "{}", finished.stderr());
    assert!(text.contains("pin.contact_force") && text.contains("ideal joints"), "{text}");
    assert!(text.lines().last().unwrap().ends_with("results/one/report.html"), "{text}");
    assert!(!text.contains('\u{1b}'), "no colours in a pipe");
    let record = record(&scratch, "results/one");
    assert_eq!(record["gudgeon"], env!("CARGO_PKG_VERSION"));
    assert_eq!(record["files"], serde_json::json!(FILES));
    assert_eq!(record["model"]["files"][0]["text"], SLIDER_CRANK);
    assert_eq!(record["model"]["files"][0]["name"], "model.toml");
    assert!(record["solver"].get("cpu_seconds").is_none());
}

#[test]
fn the_same_file_gives_the_same_bytes() {
    let scratch = Scratch::with_model();
    std::fs::create_dir(scratch.path.join("copy")).unwrap();
    scratch.write("copy/model.toml", SLIDER_CRANK);
    scratch.run(&["--out", "a"]).exits(0);
    let flags = [&["run", "copy"], &crate::common::SHORT[..], &["--out", "b"]].concat();
    scratch.gudgeon(&flags).exits(0);
    same_results(&scratch, "a", "b");
}

#[test]
fn an_ensemble_does_not_depend_on_the_number_of_threads() {
    let scratch = Scratch::with_model();
    for jobs in ["1", "2"] {
        scratch.run(&["--ensemble", "4", "--jobs", jobs, "--out", jobs]).exits(0);
    }
    same_results(&scratch, "1", "2");
}

#[test]
fn loops_of_chosen_impacts_are_kept() {
    let scratch = Scratch::new();
    scratch.write("model.toml", format!("{SLIDER_CRANK}\nloops = {{ pin = [1, 3] }}\n"));
    scratch.run(&["--out", "out"]).exits(0);
    let loops = String::from_utf8(scratch.read("out/loops.csv")).unwrap();
    assert!(loops.lines().nth(1).unwrap().starts_with("pin,1,"), "{loops}");
    assert!(loops.contains("\npin,3,") && !loops.contains("\npin,2,"));
    assert!(scratch.read("out/loops.svg").starts_with(b"<svg"));
}

#[test]
fn pressures_of_films_are_written_drawn_and_told() {
    let scratch = Scratch::new();
    scratch.write("model.toml", JOURNAL_BEARING);
    let command = ["run", "model.toml", "--json", "--no-baseline", "--out", "out"];
    let finished = scratch.gudgeon(&command).exits(0);
    assert!(finished.stderr().contains("2 pressure fields, the highest 1.64 MPa"));
    let answer = finished.json();
    let fields = answer["fields"].as_array().unwrap();
    assert_eq!(record(&scratch, "out")["fields"], answer["fields"]);
    let table = String::from_utf8(scratch.read("out/pressure.csv")).unwrap();
    let rows: Vec<Vec<f64>> = table
        .lines()
        .skip(1)
        .map(|line| line.split(',').skip(1).map(|cell| cell.parse().unwrap()).collect())
        .collect();
    assert_eq!((fields.len(), rows.len()), (2, 2 * 181 * 41));
    for field in fields {
        let number = |part: &str, key: &str| field[part][key].as_f64().unwrap();
        assert_eq!(field["joint"], "bearing");
        let t = field["t"].as_f64().unwrap();
        let own: Vec<&Vec<f64>> = rows.iter().filter(|row| row[0] == t).collect();
        assert_eq!(own.len(), 181 * 41);
        let highest = own.iter().max_by(|a, b| a[3].total_cmp(&b[3])).unwrap();
        let thinnest = own.iter().min_by(|a, b| a[4].total_cmp(&b[4])).unwrap();
        // Two degrees apart, a grid misses a peak by half a degree at most of a parabola.
        let peak = number("peak", "pressure");
        assert!(highest[3] <= peak * (1.0 + 1e-9) && highest[3] > 0.995 * peak);
        assert!((highest[1] - number("peak", "angle")).abs() < 0.035);
        let film = number("film", "thickness");
        assert!(thinnest[4] >= film && thinnest[4] < 1.001 * film);
        assert!((thinnest[1] - number("film", "angle")).abs() < 0.035);
    }
    assert_eq!((&fields[0]["thinnest"], &fields[1]["thinnest"]), (&json!(false), &json!(true)));
    assert_eq!(fields[0]["t"], 0.005);
    let picture = String::from_utf8(scratch.read("out/pressure.svg")).unwrap();
    assert!(picture.contains("bearing at 5 ms") && picture.contains("pressure [MPa]"));
    let files = record(&scratch, "out")["files"].to_string();
    assert!(files.contains("pressure.csv") && files.contains("pressure.svg"), "{files}");
}

#[test]
fn a_failed_run_keeps_what_it_has() {
    // The rod is shorter than the crank: the mechanism locks on its way.
    let text =
        SLIDER_CRANK.replace("frames.small_end = \"60 mm, 0\"", "frames.small_end = \"-20 mm, 0\"");
    let scratch = Scratch::new();
    scratch.write("model.toml", text);
    let finished = scratch.run(&["--json", "--ideal", "pin", "--out", "out"]).exits(1);
    let answer = finished.json();
    assert_eq!(answer["status"], "failed");
    assert!(answer["error"]["t"].as_f64().unwrap() > 0.0);
    assert!(finished.stderr().contains("= help:"), "{}", finished.stderr());
    assert_eq!(record(&scratch, "out")["status"], "failed");
    let rows = String::from_utf8(scratch.read("out/series.csv")).unwrap().lines().count();
    assert!(rows > 10);
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_keeps_what_it_has() {
    for signal in ["INT", "TERM"] {
        let scratch = Scratch::with_model();
        let flags = ["run", "model.toml", "--until", "1e6 rev", "--out", "out", "--json"];
        let mut command = scratch.command(&flags);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        while !scratch.entries().iter().any(|name| name.starts_with(".out.partial")) {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        std::thread::sleep(std::time::Duration::from_millis(200));
        crate::common::send(&child, signal);
        let finished = crate::common::Finished(child.wait_with_output().unwrap()).exits(130);
        assert_eq!(finished.json()["status"], "interrupted");
        assert_eq!(record(&scratch, "out")["status"], "interrupted");
        assert!(scratch.read("out/series.csv").len() > 1000);
        assert_eq!(scratch.entries(), ["model.toml", "out"]);
    }
}

#[test]
fn a_reader_that_goes_away_is_no_panic() {
    let scratch = Scratch::with_model();
    for arguments in [&["run", "model.toml"][..], &["schema"], &["completions", "bash"]] {
        let mut command = scratch.command(arguments);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let finished = crate::common::Finished(child.wait_with_output().unwrap()).exits(0);
        assert!(!finished.stderr().contains("panicked"), "{}", finished.stderr());
    }
}
