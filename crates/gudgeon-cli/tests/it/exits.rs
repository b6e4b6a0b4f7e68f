//! Every way out that is not 0: at least one message, as text and as one JSON object.

use crate::common::{SHORT, SLIDER_CRANK, Scratch};

/// Ends a command in both forms and checks that it says why.
#[track_caller]
fn says_why(scratch: &Scratch, arguments: &[&str], code: i32) {
    let text = scratch.gudgeon(arguments).exits(code);
    let said = text.stderr();
    assert!(said.contains("error"), "{arguments:?} says {said:?}");
    if ["new", "schema", "completions"].contains(&arguments[0]) {
        return;
    }
    let answer = scratch.gudgeon(&[arguments, &["--json"]].concat()).exits(code);
    let object = answer.json();
    assert_eq!(answer.stdout().lines().count(), 1, "{arguments:?}: one object");
    let status = if code == 2 { "invalid" } else { "failed" };
    assert_eq!(object["status"], status, "{arguments:?}: {object}");
    let message = object["errors"][0]["message"].as_str();
    assert!(message.is_some_and(|message| !message.is_empty()), "{arguments:?}: {object}");
}

#[test]
fn models_that_are_refused() {
    let scratch = Scratch::with_model();
    // The rod is 10 mm long and the crank pin starts 50 mm above the guide.
    let apart = SLIDER_CRANK
        .replace("frames.small_end = \"60 mm, 0\"", "frames.small_end = \"-50 mm, 0\"")
        .replace("start = \"0 deg\"", "start = \"90 deg\"");
    let bad = [
        ("use.toml", "format = 1\nuse = [\"model.toml\"]\n".to_owned()),
        ("whole.toml", format!("use = [\"a.toml\"]\n{SLIDER_CRANK}")),
        ("empty.toml", String::new()),
        ("json.toml", "{ \"format\": 1 }".to_owned()),
        ("syntax.toml", "format = = 1\n[".to_owned()),
        ("study.toml", "format = 1\n[study]\n".to_owned()),
        ("apart.toml", apart),
        ("date.toml", "format = 1979-05-27\n".to_owned()),
    ];
    for (name, text) in &bad {
        scratch.write(name, text);
        says_why(&scratch, &["check", name], 2);
        says_why(&scratch, &["run", name], 2);
    }
    says_why(&scratch, &["run", "nothing.toml"], 2);
}

#[test]
fn commands_that_are_refused() {
    let scratch = Scratch::with_model();
    for arguments in [
        &["runn", "model.toml"][..],
        &["simulate", "model.toml"],
        &["run"],
        &["run", "model.toml", "--nothing"],
        &["run", "model.toml", "--set", "clearanc=1"],
        &["run", "model.toml", "--set", "clearance"],
        &["run", "model.toml", "--rtol", "1"],
        &["run", "model.toml", "--method", "eulr"],
        &["run", "model.toml", "--law", "herz"],
        &["run", "model.toml", "--out", "model.toml"],
        &["check", "model.toml", "--ideal", "pinn"],
        &["study", "model.toml"],
        &["study", "nothing"],
        &["study", "branin", "--set", "x=1"],
        &["reproduce", "nobody"],
        &["reproduce", "zhang/nothing"],
        &["new", "copy", "--from", "nothing"],
        &["new", "model.toml"],
        &["new", "copy", "--from", "pendulum", "--links", "3"],
        &["completions", "csh"],
    ] {
        says_why(&scratch, arguments, 2);
    }
}

#[test]
fn runs_that_fail() {
    // The rod is shorter than the crank: the mechanism locks on its way.
    let scratch = Scratch::new();
    let short =
        SLIDER_CRANK.replace("frames.small_end = \"60 mm, 0\"", "frames.small_end = \"-20 mm, 0\"");
    scratch.write("short.toml", &short);
    says_why(&scratch, &[&["run", "short.toml", "--ideal", "pin"], &SHORT[..]].concat(), 1);
    // A journal that does not turn finds no rest in its film.
    let still = ["run", "journal_bearing", "--set", "run.analysis=bearing", "--set", "speed=0"];
    says_why(&scratch, &still, 1);
}

#[test]
fn studies_that_fail() {
    let scratch = Scratch::new();
    scratch.gudgeon(&["study", "branin"]).exits(0);
    says_why(&scratch, &["study", "branin"], 2);
}

#[test]
fn many_errors_are_counted() {
    let scratch = Scratch::new();
    let wrong: String = (0..250).map(|i| format!("k_{i} = 1\n")).collect();
    scratch
        .write("model.toml", format!("format = 1\n[bodies.rod]\n{wrong}[run]\nuntil = \"1 s\"\n"));
    let text = scratch.gudgeon(&["check", "model.toml"]).exits(2).stderr();
    assert!(text.ends_with("\n… and 150 more\n"), "{text}");
    let answer = scratch.gudgeon(&["check", "model.toml", "--json"]).exits(2).json();
    assert_eq!(answer["errors"].as_array().unwrap().len(), 100);
    assert_eq!(answer["more"], 150);
}
