//! The commands beside `run`, and the help of all.

mod common;

use common::{SLIDER_CRANK, Scratch};

#[test]
fn check_shows_pose_mobility_and_outputs() {
    let scratch = Scratch::with_model();
    let text = scratch.gudgeon(&["check", "model.toml"]).exits(0).stdout();
    insta::assert_snapshot!(text);
    let flags = ["check", "model.toml", "--outputs", "--json"];
    let answer = scratch.gudgeon(&flags).exits(0).json();
    assert_eq!(answer["assembly"]["mobility"], 2);
    assert_eq!(answer["assembly"]["ideal_mobility"], 0);
    assert_eq!(answer["pose"][2]["name"], "slider");
    assert!((answer["pose"][2]["x"].as_f64().unwrap() - 0.17).abs() < 1e-9);
    let outputs = answer["outputs"].as_array().unwrap();
    assert!(outputs.iter().any(|o| o["name"] == "pin.contact_force" && o["unit"] == "N"));
    assert_eq!(scratch.entries(), ["model.toml"]);
}

#[test]
fn check_names_redundant_rows() {
    // A second guide repeats what the first one does.
    let guide = "guide        = { type = \"prismatic\", between = [\"ground\", \"slider\"], along = \"x\" }";
    assert!(SLIDER_CRANK.contains(guide));
    let twice = format!("{guide}\n{}", guide.replacen("guide", "rail", 1));
    let scratch = Scratch::new();
    scratch.write("model.toml", SLIDER_CRANK.replace(guide, &twice));
    let text = scratch.gudgeon(&["check", "model.toml"]).exits(0).stdout();
    assert!(text.contains("redundant, left out: `rail`"), "{text}");
    assert!(text.contains("not unique: `guide`"), "{text}");
}

#[test]
fn new_makes_a_model_that_runs() {
    let scratch = Scratch::new();
    let text = scratch.gudgeon(&["new", "my_crank"]).exits(0).stdout();
    assert!(text.contains("gudgeon run my_crank/model.toml"), "{text}");
    assert_eq!(scratch.read("my_crank/model.toml"), SLIDER_CRANK.as_bytes());
    assert!(!scratch.read("my_crank/README.md").is_empty());
    let flags = [&["run", "my_crank"], &common::SHORT[..]].concat();
    scratch.gudgeon(&flags).exits(0);
    assert_eq!(scratch.json("results/my_crank/run.json")["status"], "ok");
    scratch.write("my_crank/model.toml", "mine");
    scratch.gudgeon(&["new", "my_crank"]).exits(2);
    assert_eq!(scratch.read("my_crank/model.toml"), b"mine");
    scratch.gudgeon(&["new", "other", "--from", "slider_crnk"]).exits(2);
}

#[test]
fn every_shipped_model_can_be_copied_and_checked() {
    let scratch = Scratch::new();
    let list = scratch.gudgeon(&["new", "--list"]).exits(0).stdout();
    for shipped in gudgeon_model::shipped::SHIPPED {
        assert!(list.contains(shipped.name));
        scratch.gudgeon(&["new", shipped.name, "--from", shipped.name]).exits(0);
        scratch.gudgeon(&["check", shipped.name]).exits(0);
    }
}

#[test]
fn schema_and_completions_are_printed() {
    let scratch = Scratch::new();
    let schema = scratch.gudgeon(&["schema"]).exits(0).json();
    assert_eq!(schema["type"], "object");
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = scratch.gudgeon(&["completions", shell]).exits(0).stdout();
        assert!(script.contains("measure-from"), "{shell}");
    }
}

#[test]
fn help_is_short_and_has_examples() {
    let scratch = Scratch::new();
    for command in ["", "run", "check", "new", "reproduce", "schema", "completions"] {
        let arguments: Vec<&str> =
            [command, "--help"].into_iter().filter(|a| !a.is_empty()).collect();
        let text = scratch.gudgeon(&arguments).exits(0).stdout();
        assert!(text.contains("Example"), "{text}");
        insta::assert_snapshot!(format!("help_{command}"), text);
    }
    assert!(scratch.gudgeon(&["--version"]).exits(0).stdout().starts_with("gudgeon 0."));
    scratch.gudgeon(&[]).exits(2);
    scratch.gudgeon(&["runn"]).exits(2);
}
