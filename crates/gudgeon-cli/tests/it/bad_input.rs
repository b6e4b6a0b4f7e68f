//! Whatever is wrong before the first step: said with code and place, exit code 2, nothing written.

use crate::common::{SLIDER_CRANK, Scratch, TILTED};
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

/// The spatial four-bar with one place changed: one error, with its line and a way out.
#[track_caller]
fn spoiled_in_space(from: &str, to: &str) -> Value {
    assert!(TILTED.contains(from), "the model has no `{from}`");
    let errors = refused(TILTED.replacen(from, to, 1));
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert!(errors[0]["line"].as_u64().is_some(), "{errors:?}");
    assert!(errors[0]["help"].as_str().is_some_and(|help| !help.is_empty()), "{errors:?}");
    errors[0].clone()
}

/// Number of the first line that contains a text.
fn line_of(text: &str) -> u64 {
    1 + TILTED.lines().position(|line| line.contains(text)).unwrap() as u64
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

#[test]
fn axes_that_are_not_parallel() {
    let scratch = Scratch::new();
    scratch.write("model.toml", TILTED);
    let flags = ["run", "model.toml", "--ideal", "C", "--json", "--set", "run.loops={}"];
    let answer = scratch.gudgeon(&flags).exits(2).json();
    let error = &answer["errors"][0];
    assert_eq!(error["code"], "G1201");
    assert!(error["message"].as_str().unwrap().contains("`C` stays open by 1.0000 deg"), "{error}");
    assert!(error["help"].as_str().unwrap().contains("2*radial/length"), "{error}");
    assert!(error["line"].is_u64(), "{error}");
    assert_eq!(scratch.entries(), ["model.toml"]);
}

#[test]
fn a_tilt_beyond_the_play() {
    let error = spoiled_in_space("tilt = \"1 deg\"", "tilt = \"2 deg\"");
    assert_eq!((&error["code"], &error["line"]), (&"G1208".into(), &line_of("[joints.C]").into()));
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("2.0000 deg") && message.contains("1.1459 deg"), "{message}");
}

#[test]
fn an_axis_without_length() {
    let error = spoiled_in_space("\"crank.a\"], axis = \"z\"", "\"crank.a\"], axis = \"0, 0, 0\"");
    assert_eq!(error["line"], line_of("A = {"));
    assert!(error["message"].as_str().unwrap().contains("zero"), "{error}");
}

#[test]
fn a_quaternion_that_is_no_rotation() {
    let error = spoiled_in_space("[1, 0, 0, 0]", "[1, 0, 0.1, 0]");
    assert_eq!(error["line"], line_of("quaternion"));
    assert!(error["message"].as_str().unwrap().contains("quaternion"), "{error}");
}

#[test]
fn a_journal_longer_than_its_bearing() {
    let error = spoiled_in_space("bearing_length = \"24 mm\"", "bearing_length = \"19 mm\"");
    assert!(error["message"].as_str().unwrap().contains("longer than its bearing"), "{error}");
}

#[test]
fn a_body_connected_to_itself() {
    let error = spoiled_in_space("[\"coupler.c\", \"rocker.c\"]", "[\"rocker.d\", \"rocker.c\"]");
    assert!(error["message"].as_str().unwrap().contains("to itself"), "{error}");
}

#[test]
fn an_inertia_that_no_body_has() {
    let error = spoiled_in_space("\"2e-6 kg m^2, 6e-5", "\"2e-6 kg m^2, 7e-5");
    assert_eq!(error["line"], line_of("inertia"));
    assert!(error["message"].as_str().unwrap().contains("no real body"), "{error}");
}

#[test]
fn a_driver_of_what_a_joint_holds() {
    let error = spoiled_in_space("angle = \"= 60", "displacement = \"= 0 m * 60");
    assert!(error["message"].as_str().unwrap().contains("displacement"), "{error}");
    spoiled_in_space("joint = \"A\"", "joint = \"A\"\ndirection = \"x\"");
}

/// What is there under another command, or in the folder that was named, is said.
#[test]
fn names_of_the_other_kind_and_folders_say_what_to_give() {
    let scratch = Scratch::new();
    let help = |arguments: &[&str]| {
        let errors = scratch.gudgeon(arguments).exits(2).json()["errors"].clone();
        assert_eq!(errors.as_array().map(Vec::len), Some(1), "{errors}");
        errors[0]["help"].as_str().unwrap().to_owned()
    };
    assert!(help(&["run", "branin", "--json"]).contains("`gudgeon study branin`"));
    assert!(help(&["check", "zhang_sweeps", "--json"]).contains("`gudgeon study zhang_sweeps`"));
    assert!(help(&["study", "pendulum", "--json"]).contains("`gudgeon run pendulum`"));
    assert!(help(&["run", ".", "--json"]).contains("no `./model.toml`"));
    std::fs::create_dir(scratch.path.join("swing")).unwrap();
    scratch.write("swing/model.toml", "format = 1\n");
    assert!(help(&["run", ".", "--json"]).contains("such as `./swing/model.toml`"));
    scratch.write("b.toml", "format = 1\n");
    scratch.write("a.toml", "format = 1\n");
    assert!(help(&["run", ".", "--json"]).contains("such as `./a.toml`"));
    assert!(help(&["chek", "a.toml", "--json"]).contains("did you mean `gudgeon check`?"));
    let said = scratch.gudgeon(&["chek", "a.toml"]).exits(2).stderr();
    assert!(said.contains("'check'") && !said.contains("'schema'"), "{said}");
}

#[cfg(unix)]
#[test]
fn links_that_lead_nowhere_are_not_missing_files() {
    let scratch = Scratch::new();
    for (from, to) in [("a.toml", "b.toml"), ("b.toml", "a.toml"), ("c.toml", "none.toml")] {
        std::os::unix::fs::symlink(to, scratch.path.join(from)).unwrap();
    }
    for command in ["run", "check", "study"] {
        for (file, why) in [("a.toml", "symbolic links"), ("c.toml", "No such file")] {
            let error =
                scratch.gudgeon(&[command, file, "--json"]).exits(2).json()["errors"][0].clone();
            let message = error["message"].as_str().unwrap();
            assert!(message.contains(file) && message.contains(why), "{error}");
            assert!(error["help"].as_str().is_some_and(|help| help.contains("path")), "{error}");
        }
    }
}
