//! What people type first: names of shipped models, words that are no commands, `--list`.

use crate::common::Scratch;

const SHORT: [&str; 4] = ["--until", "1 ms", "--measure-from", "0"];

/// `gudgeon run slider_crank` asked for a file, while `gudgeon study` knew its names.
#[test]
fn shipped_models_run_by_their_names_anywhere() {
    let scratch = Scratch::new();
    let text = scratch.gudgeon(&["check", "slider_crank"]).exits(0).stdout();
    assert!(text.contains("slider-crank with piston-pin clearance"), "{text}");
    scratch.gudgeon(&[&["run", "slider_crank"], &SHORT[..]].concat()).exits(0);
    assert_eq!(scratch.json("results/slider_crank/run.json")["status"], "ok");
    // A file or folder of that name wins.
    scratch.write("pendulum", "format = 1\n");
    let error = scratch.gudgeon(&["check", "pendulum"]).exits(2).stderr();
    assert!(error.contains("lacks `until`"), "{error}");
    let error = scratch.gudgeon(&["run", "slider_crnk"]).exits(2).stderr();
    assert!(error.contains("did you mean the shipped model `slider_crank`?"), "{error}");
}

#[test]
fn words_that_are_no_commands_get_a_suggestion() {
    let scratch = Scratch::with_model();
    for (word, tip) in [
        ("runn", "'run'"),
        ("simulate", "`gudgeon run`"),
        ("model.toml", "`gudgeon run model.toml`"),
        ("branin", "`gudgeon study branin`"),
    ] {
        let error = scratch.gudgeon(&[word]).exits(2).stderr();
        assert!(error.contains("tip:") && error.contains(tip), "{error}");
    }
}

#[test]
fn every_shipped_study_is_listed_and_described_for_people() {
    let scratch = Scratch::new();
    let list = scratch.gudgeon(&["new", "--list"]).exits(0).stdout();
    for study in ["branin_ego", "zhang_speeds", "zhang_example_2_printed"] {
        assert!(list.contains(&format!("  {study} ")), "{list}");
    }
    let plan = scratch.gudgeon(&["study", "branin", "--check"]).exits(0).stdout();
    assert!(plan.contains("20 samples") && !plan.contains('#'), "{plan}");
}

#[test]
fn completions_know_laws_methods_models_and_studies() {
    let scratch = Scratch::new();
    for shell in ["bash", "zsh", "fish"] {
        let script = scratch.gudgeon(&["completions", shell]).exits(0).stdout();
        for word in ["lankarani-nikravesh", "radau5", "slider_crank", "branin_ego"] {
            assert!(script.contains(word), "{shell} does not know {word}");
        }
    }
    let zsh = scratch.gudgeon(&["completions", "zsh"]).exits(0).stdout();
    assert_eq!(zsh.matches("\"files:file:_files\"").count(), 4, "files are completed beside names");
    // What is completed is not all that is taken.
    let scratch = Scratch::with_model();
    scratch.gudgeon(&["check", "model.toml", "--law", "pin=flores"]).exits(0);
}

/// A body that nothing holds and a run that reports nothing are no errors, but worth a note.
#[test]
fn notes_are_shown_and_marked_in_json() {
    let scratch = Scratch::new();
    let nut = "format = 1\n[bodies.nut]\nmass = \"1 g\"\ninertia = \"1e-6 kg m^2\"\n";
    scratch.write("model.toml", format!("{nut}[run]\nuntil = \"1 ms\"\n"));
    for command in ["check", "run"] {
        let finished = scratch.gudgeon(&[command, "model.toml", "--json"]).exits(0);
        let (answer, text) = (finished.json(), finished.stderr());
        for code in ["G0407", "G0916"] {
            let all = answer["warnings"].as_array().unwrap();
            let note = all.iter().find(|warning| warning["code"] == code).unwrap();
            assert_eq!(note["severity"], "note");
            assert!(text.contains(&format!("note[{code}]")), "{text}");
        }
    }
}
