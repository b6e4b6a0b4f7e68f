//! Data files with their model: copied, read, told of, and kept with the results.

use crate::common::Scratch;

const STUDY: &str = r#"
format = 1
[study]
name = "bore"
model = "engine/model.toml"
[run]
until = "0.5 rev"
measure_from = 0
[variables]
bore = { from = "80 mm", to = "90 mm" }
[design]
method = "factorial"
levels = 2
[responses]
torque = "abs_max(dyno.torque)"
"#;

fn engine() -> Scratch {
    let scratch = Scratch::new();
    scratch.gudgeon(&["new", "engine", "--from", "gas_engine"]).exits(0);
    scratch
}

#[test]
fn data_travels_with_the_results() {
    let scratch = engine();
    let run =
        ["run", "engine/model.toml", "--no-baseline", "--until", "0.5 rev", "--measure-from", "0"];
    let run = [&run[..], &["--out", "out"]].concat();
    scratch.gudgeon(&run).exits(0);
    let text = String::from_utf8(scratch.read("engine/gas.csv")).unwrap();
    let record = scratch.json("out/run.json");
    let data = &record["model"]["data"];
    assert_eq!(data[0]["name"], "gas.csv");
    assert_eq!(data[0]["text"], text);
    assert_eq!(data[0]["bytes"], text.len());
    assert_eq!(record["model"]["files"].as_array().map(Vec::len), Some(1));
    // A long file is known by its fingerprint.
    let long = format!("{text}{}", "# filled up\n".repeat(100_000));
    scratch.write("engine/gas.csv", &long);
    scratch.gudgeon(&run).exits(0);
    let record = scratch.json("out/run.json");
    let kept = &record["model"]["data"][0];
    assert!(kept.get("text").is_none());
    assert_eq!(kept["bytes"], long.len());
    assert_ne!(kept["fnv1a"], data[0]["fnv1a"]);
    assert_eq!(kept["fnv1a"].as_str().map(str::len), Some(16));
}

#[test]
fn a_study_whose_data_has_changed_is_not_resumed() {
    let scratch = engine();
    scratch.write("bore.study.toml", STUDY);
    let study = ["study", "bore.study.toml", "--out", "out"];
    scratch.gudgeon(&study).exits(0);
    let record = scratch.json("out/study.json");
    assert_eq!(record["data"][0]["name"], "gas.csv");
    let again = [&study[..], &["--resume"]].concat();
    scratch.gudgeon(&again).exits(0);
    let text = String::from_utf8(scratch.read("engine/gas.csv")).unwrap();
    scratch.write("engine/gas.csv", text.replace("\n10, ", "\n9, "));
    let told = scratch.gudgeon(&again).exits(2).stderr();
    assert!(told.contains("gas.csv"), "{told}");
}

#[test]
fn check_says_where_a_table_is_left_at_the_start() {
    let scratch = engine();
    let text = String::from_utf8(scratch.read("engine/model.toml")).unwrap();
    let outside = text.replace("main.angle, monotone, periodic", "main.angle - 10 deg");
    scratch.write("engine/model.toml", outside);
    let told = scratch.gudgeon(&["check", "engine"]).exits(0);
    let told = told.stdout() + &told.stderr();
    assert!(told.contains("W0330") && told.contains("looks up -10 deg in `gas.csv`"), "{told}");
    let told = scratch.gudgeon(&["run", "engine", "--out", "out"]).exits(1).stderr();
    assert!(told.contains("looks up -10 deg in `gas.csv`"), "{told}");
    assert!(told.contains("`clamp` or `periodic`"), "{told}");
}

#[test]
fn a_missing_data_file_is_told_with_the_name_next_to_it() {
    let scratch = engine();
    let text = String::from_utf8(scratch.read("engine/model.toml")).unwrap();
    scratch.write("engine/model.toml", text.replace("gas.csv'", "gass.csv'"));
    let told = scratch.gudgeon(&["check", "engine"]).exits(2).stderr();
    assert!(told.contains("G0001") && told.contains("did you mean `gas.csv`?"), "{told}");
}
