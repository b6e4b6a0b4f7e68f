//! Whatever is wrong before the first step: said with code and place, exit code 2, nothing written.

mod common;

use common::{SLIDER_CRANK, Scratch};
use serde_json::Value;

/// The errors of a run of `text`, after the checks that hold for all of them.
#[track_caller]
fn refused(text: impl AsRef<[u8]>) -> Vec<Value> {
    let scratch = Scratch::new();
    scratch.write("model.toml", text);
    let finished = scratch.gudgeon(&["run", "model.toml", "--json"]).exits(2);
    assert_eq!(scratch.entries(), ["model.toml"], "nothing may be written");
    let answer = finished.json();
    assert_eq!(answer["status"], "invalid");
    let errors = answer["errors"].as_array().unwrap().clone();
    assert!(!errors.is_empty());
    for error in &errors {
        assert!(error["code"].as_str().is_some_and(|code| code.starts_with('G')), "{error}");
        assert_eq!(error["file"], "model.toml", "{error}");
        let message = error["message"].as_str().unwrap();
        assert!(!message.is_empty() && !message.ends_with('.'), "{error}");
        assert!(finished.stderr().contains(message), "{error}");
    }
    errors
}

/// The slider-crank with one place changed.
#[track_caller]
fn spoiled(from: &str, to: &str) -> Vec<Value> {
    assert!(SLIDER_CRANK.contains(from), "the model has no `{from}`");
    refused(SLIDER_CRANK.replacen(from, to, 1))
}

#[track_caller]
fn names(errors: &[Value], word: &str) {
    let named = errors.iter().any(|error| error["message"].as_str().unwrap().contains(word));
    assert!(named, "no message about `{word}` in {errors:?}");
}

#[test]
fn unknown_keys_and_names() {
    let errors = spoiled("centre = \"25 mm, 0\"", "center = \"25 mm, 0\"");
    names(&errors, "center");
    assert!(errors[0]["line"].as_u64().unwrap() > 1);
    assert!(errors[0]["help"].as_str().unwrap().contains("centre"));
    names(&spoiled("\"rod.small_end\"]", "\"rod.smal_end\"]"), "smal_end");
}

#[test]
fn values_out_of_range() {
    spoiled("mass = \"0.21 kg\"", "mass = \"0.21 m\"");
    spoiled("mass = \"0.21 kg\"", "mass = \"-0.21 kg\"");
    spoiled("mass = \"0.21 kg\"", "mass = nan");
    spoiled("clearance.radial  = \"=clearance\"", "clearance.radial = \"10 mm\"");
    spoiled("clearance.radial  = \"=clearance\"", "clearance.journal_radius = \"10.1 mm\"");
    spoiled("restitution = \"=restitution\"", "restitution = 1.1");
}

#[test]
fn all_errors_come_at_once() {
    let text = SLIDER_CRANK.replace("\"0.21 kg\"", "\"0.21 m\"").replace("\"0.30 kg\"", "\"3 s\"");
    assert!(refused(text).len() >= 2);
}

#[test]
fn a_loop_that_cannot_close() {
    // The rod is 10 mm long and the crank pin starts 50 mm above the guide.
    let text = SLIDER_CRANK
        .replace("frames.small_end = \"60 mm, 0\"", "frames.small_end = \"-50 mm, 0\"")
        .replace("start = \"0 deg\"", "start = \"90 deg\"");
    let errors = refused(text);
    assert_eq!(errors[0]["code"], "G1201");
    names(&errors, "stays open by");
}

#[test]
fn a_journal_that_starts_outside_its_bearing() {
    names(&spoiled("[start]", "[start]\npin.offset = \"0.2 mm, 0\""), "outside its bearing");
}

#[test]
fn a_missing_driver() {
    let from = SLIDER_CRANK.find("[drivers.motor]").unwrap();
    let to = SLIDER_CRANK.find("[start]").unwrap();
    names(&refused([&SLIDER_CRANK[..from], &SLIDER_CRANK[to..]].concat()), "motor");
}

#[test]
fn files_that_are_no_models() {
    refused("");
    refused([0x66, 0x6f, 0x72, 0xff, 0xfe]);
    refused("format = 1\n[model\n");
}

#[test]
fn no_file_at_all() {
    let scratch = Scratch::new();
    let finished = scratch.gudgeon(&["run", "nothing.toml"]).exits(2);
    assert!(finished.stderr().contains("gudgeon new"), "{}", finished.stderr());
    assert!(finished.stdout().is_empty());
    assert!(scratch.entries().is_empty());
}

#[test]
fn wrong_overrides() {
    let scratch = Scratch::with_model();
    let flags = ["--set", "clearanc=1", "--ideal", "pinn", "--law", "herz", "--rtol", "-1"];
    let answer = scratch.run(&[&["--json"], &flags[..]].concat()).exits(2).json();
    assert_eq!(answer["errors"].as_array().unwrap().len(), 4, "{answer}");
    assert_eq!(scratch.entries(), ["model.toml"]);
}

#[test]
fn a_folder_that_is_no_result() {
    let scratch = Scratch::with_model();
    std::fs::create_dir(scratch.path.join("photos")).unwrap();
    scratch.write("photos/cat.txt", "meow");
    let finished = scratch.run(&["--out", "photos"]).exits(2);
    assert!(finished.stderr().contains("--out"), "{}", finished.stderr());
    assert_eq!(scratch.read("photos/cat.txt"), b"meow");
    assert_eq!(scratch.entries(), ["model.toml", "photos"]);
}

#[test]
fn a_file_over_64_megabytes() {
    let scratch = Scratch::new();
    let file = std::fs::File::create(scratch.path.join("model.toml")).unwrap();
    file.set_len((64 << 20) + 1).unwrap();
    scratch.run(&[]).exits(2);
    assert_eq!(scratch.entries(), ["model.toml"]);
}
