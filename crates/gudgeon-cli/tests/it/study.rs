//! `gudgeon study` from its file to its results, interrupted, resumed, and spoiled.

use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::common::Scratch;
use serde_json::Value;

/// Twelve samples of half a revolution, a surrogate, an optimum.
const STUDY: &str = r#"
format = 1
[study]
name = "small"
model = "slider_crank"
[run]
until = "0.4 rev"
measure_from = "0.1 rev"
[variables]
clearance   = { from = "0.05 mm", to = "0.3 mm" }
restitution = { from = 0.7, to = 0.95 }
[design]
method = "lhs"
samples = 12
[responses]
acceleration = "abs_max(slider.acceleration.x)"
hits = "count(pin.impacts)"
[surrogate]
of = ["acceleration"]
[optimise]
minimise = ["acceleration"]
evaluations = 500
"#;

/// The largest loss in one impact: a wide clearance has none in so short a time.
const FAILING: &str = r#"
format = 1
[study]
model = "slider_crank"
[run]
until = "0.02 rev"
measure_from = 0
[variables]
clearance = { from = "0.05 mm", to = "2 mm" }
[design]
method = "factorial"
levels = 4
[responses]
loss = "max(pin.impacts.loss)"
"#;

fn scratch(text: &str) -> Scratch {
    let scratch = Scratch::new();
    scratch.write("small.study.toml", text);
    scratch
}

const COMMAND: [&str; 2] = ["study", "small.study.toml"];

fn with<'a>(flags: &[&'a str]) -> Vec<&'a str> {
    [&COMMAND[..], flags].concat()
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn a_small_study_from_end_to_end() {
    let scratch = scratch(STUDY);
    let finished = scratch.gudgeon(&with(&[])).exits(0);
    let text = finished.stdout();
    for word in ["small", "12 samples (lhs, optimised)", "Q²", "best at clearance", "simulated"] {
        assert!(text.contains(word), "{word}: {text}");
    }
    let table = String::from_utf8(scratch.read("results/small/samples.csv")).unwrap();
    let heading = "sample,clearance [m],restitution,acceleration [m/s^2],hits,status,cause,notes";
    assert_eq!(table.lines().next(), Some(heading));
    assert_eq!(table.lines().count(), 13);
    assert!(scratch.read("results/small/samples.parquet").starts_with(b"PAR1"));
    let record = scratch.json("results/small/study.json");
    assert_eq!(record["status"], "ok");
    assert_eq!(record["design"]["done"], 12);
    let best = &record["optimum"]["points"][0];
    assert!(best["simulated"]["acceleration"].as_f64().unwrap() > 1000.0, "{best}");
    assert!(best["predicted"]["acceleration"]["mean"].is_f64(), "{best}");
    let model = scratch.json("results/small/surrogates/acceleration.json");
    assert_eq!(model["format"], "gudgeon-kriging");
    assert_eq!(model["responses"].as_array().unwrap().len(), 12);
}

#[test]
fn keys_of_the_answer_are_stable() {
    let scratch = scratch(STUDY);
    let answer = scratch.gudgeon(&with(&["--json"])).exits(0).json();
    let expected = [
        "status",
        "error",
        "study",
        "variables",
        "responses",
        "design",
        "samples",
        "failures",
        "statistics",
        "notes",
        "surrogates",
        "optimum",
        "sensitivity",
        "sweep",
        "plots",
        "warnings",
        "seconds",
        "resumed",
        "result",
        "kept",
        "repairs",
    ];
    assert_eq!(keys(&answer), expected);
    let sample = &answer["samples"][0];
    assert_eq!(keys(sample), ["sample", "variables", "responses", "status", "notes"]);
    assert_eq!(keys(&sample["variables"]), ["clearance", "restitution"]);
    assert_eq!(keys(&sample["responses"]), ["acceleration", "hits"]);
    let optimum = &answer["optimum"];
    let expected =
        ["method", "on", "evaluations", "simulations", "note", "remarks", "points", "history"];
    assert_eq!(keys(optimum), expected);
    let expected = ["variables", "predicted", "simulated", "error", "keeps_limits", "on_front"];
    assert_eq!(keys(&optimum["points"][0]), expected);
    let spread = &answer["statistics"]["acceleration"];
    assert_eq!(keys(spread), ["mean", "std", "min", "p5", "median", "p95", "max", "spread"]);
}

#[test]
fn the_number_of_threads_does_not_show() {
    let scratch = scratch(STUDY);
    for jobs in ["1", "2"] {
        scratch.gudgeon(&with(&["--jobs", jobs, "--out", jobs])).exits(0);
    }
    for file in ["samples.csv", "samples.parquet", "study.json", "surrogates/acceleration.json"] {
        let [one, two] = ["1", "2"].map(|jobs| scratch.read(&format!("{jobs}/{file}")));
        assert!(one == two, "{file}");
    }
}

#[cfg(unix)]
#[test]
fn an_interrupted_study_can_be_resumed() {
    let scratch = scratch(&STUDY.replace("0.4 rev", "4 rev"));
    let child = scratch
        .command(&with(&["--jobs", "1", "--json"]))
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let journal = scratch.path.join("results/small/study.journal");
    let length = || std::fs::metadata(&journal).map_or(0, |data| data.len());
    let start = Instant::now();
    while length() == 0 && start.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(5));
    }
    crate::common::send(&child, "INT");
    let finished = crate::common::Finished(child.wait_with_output().unwrap()).exits(130);
    assert_eq!(finished.json()["status"], "interrupted");
    assert!(!scratch.path.join("results/small/samples.csv").exists());
    let answer = scratch.gudgeon(&with(&["--resume", "--json"])).exits(0).json();
    assert_eq!(answer["design"]["done"], 12);
}

#[test]
fn a_changed_study_is_refused_with_the_reason() {
    let scratch = scratch(STUDY);
    scratch.gudgeon(&with(&["--out", "out"])).exits(0);
    let table = scratch.read("out/samples.csv");
    let again = scratch.gudgeon(&with(&["--out", "out"])).exits(2);
    assert!(again.stderr().contains("--resume"), "{}", again.stderr());
    let seed = scratch.gudgeon(&with(&["--out", "out", "--resume", "--seed", "7"])).exits(2);
    assert!(seed.stderr().contains("`seed 1`"), "{}", seed.stderr());
    scratch.write("small.study.toml", STUDY.replace("0.3 mm", "0.4 mm"));
    let changed = scratch.gudgeon(&with(&["--out", "out", "--resume"])).exits(2);
    assert!(changed.stderr().contains("another study"), "{}", changed.stderr());
    assert!(changed.stderr().contains("clearance"), "{}", changed.stderr());
    assert!(scratch.read("out/samples.csv") == table);
    // What uses the samples may change.
    scratch.write("small.study.toml", STUDY.replace("minimise", "maximise"));
    let answer = scratch.gudgeon(&with(&["--out", "out", "--resume", "--json"])).exits(0).json();
    assert_eq!(answer["resumed"], 12);
    assert!(scratch.read("out/samples.csv") == table);
}

#[test]
fn failed_samples_are_told_and_the_study_goes_on() {
    let scratch = scratch(FAILING);
    let answer = scratch.gudgeon(&with(&["--json"])).exits(0).json();
    let failures = answer["failures"].as_array().unwrap();
    assert!(!failures.is_empty() && failures.len() < 4, "{failures:?}");
    assert!(failures[0]["cause"].as_str().unwrap().contains("no impact of `pin`"));
    let table = String::from_utf8(scratch.read("results/small/samples.csv")).unwrap();
    assert_eq!(table.matches(",failed,").count(), failures.len());
}

#[test]
fn a_study_can_be_checked_without_running_it() {
    let scratch = scratch(STUDY);
    let text = scratch.gudgeon(&with(&["--check"])).exits(0).stdout();
    for word in
        ["clearance from 0.05 mm to 0.3 mm", "hits = count(pin.impacts)", "12 samples, 12 runs"]
    {
        assert!(text.contains(word), "{word}: {text}");
    }
    assert!(!scratch.path.join("results").exists());
    scratch.write("small.study.toml", STUDY.replace("clearance ", "clearanc "));
    scratch.gudgeon(&with(&["--check"])).exits(2);
    let refused = scratch.gudgeon(&["run", "small.study.toml"]).exits(2);
    assert!(refused.stderr().contains("this is a study, not a model"), "{}", refused.stderr());
}

#[test]
fn what_runs_had_to_say_is_told() {
    let text =
        STUDY.replace("hits = \"count", "peak = \"max(pin.impacts.peak_force)\"\nhits = \"count");
    let text = text.replace("\"0.1 rev\"", "0").replace("\"0.4 rev\"", "\"0.02 rev\"");
    let scratch = scratch(&text.replace("0.3 mm", "2 mm"));
    let finished = scratch.gudgeon(&with(&[])).exits(0);
    let said = finished.stdout();
    assert!(said.contains("`peak`: no impact of `pin` in the measuring window in"), "{said}");
    let record = scratch.json("results/small/study.json");
    let without = record["samples"].as_array().unwrap().iter();
    let without = without.filter(|sample| sample["responses"]["peak"].is_null()).count();
    assert!(without > 0 && without < 12);
    assert_eq!(record["statistics"]["hits"]["min"], 0.0);
    assert_eq!(record["design"]["done"], 12);
    let table = String::from_utf8(scratch.read("results/small/samples.csv")).unwrap();
    assert_eq!(table.matches("no impact of `pin`").count(), without, "{table}");
}

#[test]
fn all_samples_failed() {
    let scratch = scratch(&FAILING.replace("0.05 mm", "1.5 mm"));
    let finished = scratch.gudgeon(&with(&["--json"])).exits(1);
    let answer = finished.json();
    assert_eq!(answer["status"], "failed");
    assert_eq!(answer["failures"].as_array().unwrap().len(), 4);
    assert!(finished.stderr().contains("all 4 samples failed"), "{}", finished.stderr());
    assert!(scratch.path.join("results/small/samples.csv").exists());
}

#[test]
fn bad_studies_are_refused_and_nothing_is_written() {
    for (from, to, word) in [
        ("clearance   =", "clearanc =", "clearanc"),
        ("\"0.3 mm\"", "\"0.01 mm\"", "0.01 mm"),
        ("slider.acc", "slide.acc", "slide"),
        ("minimise = [\"acceleration\"]", "minimise = [\"noise\"]", "noise"),
        ("samples = 12", "samples = 0", "samples"),
    ] {
        assert!(STUDY.contains(from), "{from}");
        let scratch = scratch(&STUDY.replace(from, to));
        let finished = scratch.gudgeon(&with(&["--json"])).exits(2);
        assert_eq!(finished.json()["status"], "invalid");
        assert!(finished.stderr().contains(word), "{word}: {}", finished.stderr());
        assert_eq!(scratch.entries(), ["small.study.toml"]);
    }
    let two = STUDY.replace("clearance   =", "clearanc =").replace("slider.acc", "slide.acc");
    let errors = scratch(&two).gudgeon(&with(&["--json"])).exits(2).json();
    assert!(errors["errors"].as_array().unwrap().len() >= 2, "{errors}");
    Scratch::new().gudgeon(&COMMAND).exits(2);
}

#[test]
fn a_folder_of_something_else_is_left_alone() {
    let scratch = scratch(STUDY);
    std::fs::create_dir(scratch.path.join("photos")).unwrap();
    scratch.write("photos/cat.txt", "meow");
    let finished = scratch.gudgeon(&with(&["--out", "photos"])).exits(2);
    assert!(finished.stderr().contains("--out"), "{}", finished.stderr());
    assert_eq!(std::fs::read_dir(scratch.path.join("photos")).unwrap().count(), 1);
}

#[test]
fn words_stand_in_the_table() {
    let text = STUDY.replace(
        "restitution = { from = 0.7, to = 0.95 }",
        "law = { choice = [\"hertz\", \"flores\"], path = \"joints.pin.clearance.contact.law\" }",
    );
    let text = text.replace("method = \"lhs\"\nsamples = 12", "method = \"factorial\"\nlevels = 3");
    let scratch = scratch(text.split("[surrogate]").next().unwrap());
    scratch.gudgeon(&with(&["--out", "out"])).exits(0);
    let table = String::from_utf8(scratch.read("out/samples.csv")).unwrap();
    assert_eq!((table.matches(",hertz,").count(), table.matches(",flores,").count()), (3, 3));
}

/// Camel with six humps, without a model.
const CAMEL: &str = r#"
format = 1
[study]
name = "camel"
[variables]
x = { from = -2, to = 2 }
y = { from = -1, to = 1 }
[design]
method = "lhs"
samples = 40
[responses]
hump = "(4 - 2.1 * x^2 + x^4 / 3) * x^2"
camel = "hump + x * y + (4 * y^2 - 4) * y^2"
"#;

#[test]
fn formulas_need_no_model() {
    let search = "[optimise]\nminimise = [\"camel\"]\nevaluations = 4000\n";
    let sensitivity = "[sensitivity]\nmethods = [\"morris\"]\n[sweep]\nvariable = \"x\"\n";
    let scratch = scratch(&format!("{CAMEL}{search}{sensitivity}"));
    let value = scratch.gudgeon(&with(&["--out", "on_simulator", "--json"])).exits(0).json();
    assert_eq!(value["study"]["model"], Value::Null);
    let best = value["optimum"]["points"][0]["simulated"]["camel"].as_f64().unwrap();
    assert!((best + 1.0316285).abs() < 1e-3, "{best}");
    let swept = &value["sweep"]["points"][0];
    let found = swept["responses"]["camel"].as_f64().unwrap();
    assert!(
        (swept["value"].as_f64(), found) == (Some(-2.0), found) && (found - 3.7333).abs() < 1e-3
    );
    let again =
        scratch.gudgeon(&with(&["--out", "on_simulator", "--resume", "--json"])).exits(0).json();
    assert_eq!(again["optimum"]["points"], value["optimum"]["points"]);
}

#[test]
fn a_search_by_surrogate_finds_the_humps() {
    let surrogate = "[surrogate]\n[optimise]\nminimise = [\"camel\"]\n";
    for (method, off) in [("ga", 0.3), ("ego", 1e-2)] {
        let scratch = scratch(&format!("{CAMEL}{surrogate}method = \"{method}\"\n"));
        let value = scratch.gudgeon(&with(&["--out", "r", "--json"])).exits(0).json();
        let best = value["optimum"]["points"][0]["simulated"]["camel"].as_f64().unwrap();
        assert!((best + 1.0316285).abs() < off, "{method}: {best}");
    }
}

#[test]
fn formulas_of_responses_stand_in_the_table() {
    let text = STUDY
        .replace("[surrogate]", "severity = \"acceleration / 9.81 m/s^2 * hits\"\n[surrogate]");
    let scratch = scratch(&text.replace("name = \"small\"", "ensemble = 3"));
    let value = scratch.gudgeon(&with(&["--out", "r", "--json"])).exits(0).json();
    let sample = &value["samples"][0]["responses"];
    let part = |name: &str| sample[name].as_f64().unwrap();
    let ratio = part("severity mean") / (part("acceleration mean") / 9.81 * part("hits mean"));
    assert!((0.5..2.0).contains(&ratio), "{ratio}");
    assert_eq!(part("severity runs"), 3.0);
}

/// Losses of a film and statistics of its outputs, once with a film that its model does not fit.
const FILMS: &str = r#"
format = 1
[study]
model = "journal_bearing"
[run]
until = "60 ms"
measure_from = "20 ms"
[variables]
load = { from = "500 N", to = "900 N" }
length = { choice = ["25 mm", "60 mm"] }
[design]
method = "factorial"
levels = 2
[responses]
shear = "energy(bearing.shear)"
pumping = "energy(bearing.pumping)"
driven = "energy(motor)"
loss = "mean(bearing.power_loss)"
thin = "min(bearing.film_thickness)"
hot = "max(bearing.peak_pressure)"
settled = "final(bearing.attitude)"
drag = "rms(bearing.film_torque)"
flow = "percentile(bearing.oil_flow, 50)"
swing = "range(bearing.eccentricity_ratio)"
worst = "abs_max(bearing.film_force)"
"#;

#[test]
fn films_are_measured_in_studies() {
    let scratch = scratch(FILMS);
    let answer =
        scratch.gudgeon(&[&COMMAND[..], &["--json", "--no-plots"]].concat()).exits(0).json();
    let folder = answer["result"].as_str().unwrap().to_owned();
    let table = String::from_utf8(scratch.read(&format!("{folder}/samples.csv"))).unwrap();
    let mut lines = table.lines();
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    let place = |name: &str| names.iter().position(|n| n.split(' ').next() == Some(name)).unwrap();
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    assert_eq!(rows.len(), 4);
    for row in &rows {
        let of = |name: &str| row[place(name)].parse::<f64>().unwrap();
        // Two ways to the same loss: the ledger, and the mean power over the window of 40 ms.
        let lost = -(of("shear") + of("pumping"));
        assert!(of("shear") < 0.0 && of("pumping") < 0.0);
        assert!((lost / (0.04 * of("loss")) - 1.0).abs() < 1e-6, "{row:?}");
        // The journal rests all but entirely, so that the motor gives what the film takes.
        assert!((lost / of("driven") - 1.0).abs() < 1e-3, "{row:?}");
        for name in ["thin", "hot", "settled", "drag", "flow", "swing", "worst"] {
            assert!(of(name) > 0.0, "{name} in {row:?}");
        }
        // The journal is 50 mm thick.
        assert_eq!(row.last() == Some(&"W0312"), of("length") > 0.05, "{row:?}");
    }
    let told = answer.to_string();
    assert!(told.contains("too long or too short for its model"), "{told}");
}
