//! Files written to deceive: their texts reached the terminal as they were, pipes in `use` blocked
//! for ever, and a folder whose name is no text lost the files beside a model.
#![cfg(unix)]

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use gudgeon_model::text::is_hidden;

use crate::common::{Finished, SHORT, SLIDER_CRANK, Scratch};

const EVIL: &str = "\\u001b]0;owned\\u0007 \\u202Eback";

/// The slider-crank with a title and an `about` that act on terminals.
fn evil() -> String {
    let named = SLIDER_CRANK.replace("slider-crank with piston-pin clearance", EVIL);
    named.replace("radial clearance of the pin", EVIL)
}

#[track_caller]
fn nothing_hides(text: &str) {
    let hidden = text.chars().find(|c| *c != '\n' && is_hidden(*c));
    assert_eq!(hidden, None, "{text:?}");
}

/// Runs a command that may hang.
#[track_caller]
fn ends(mut command: Command) -> Finished {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let start = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if start.elapsed() > Duration::from_secs(30) {
            child.kill().unwrap();
            panic!("the command hangs");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    Finished(child.wait_with_output().unwrap())
}

#[test]
fn titles_do_not_act_on_the_terminal() {
    let scratch = Scratch::new();
    scratch.write("model.toml", evil());
    let checked = scratch.gudgeon(&["check", "model.toml"]).exits(0);
    nothing_hides(&checked.stdout());
    assert!(
        checked.stdout().contains("\\u{1b}]0;owned\\u{7} \\u{202e}back"),
        "{}",
        checked.stdout()
    );
    let ran = scratch.gudgeon(&[&["run", "model.toml"], &SHORT[..]].concat()).exits(0);
    nothing_hides(&ran.stdout());
    let told = scratch.gudgeon(&["check", "model.toml", "--json"]).exits(0).json();
    assert_eq!(told["model"]["name"], "\u{1b}]0;owned\u{7} \u{202e}back");
    let folder = scratch.path.join("runs");
    for picture in pictures(if folder.exists() { &folder } else { &scratch.path }) {
        let text = fs::read_to_string(picture).unwrap();
        assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{text}");
    }
}

/// All SVG files below a folder.
fn pictures(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(pictures(&path));
        } else if path.extension() == Some(OsStr::new("svg")) {
            found.push(path);
        }
    }
    found
}

#[test]
fn arguments_do_not_act_on_the_terminal() {
    let scratch = Scratch::with_model();
    for arguments in [
        &["run", "model.toml", "--\u{1b}[31mx"][..],
        &["\u{1b}]0;x\u{7}"],
        &["run", "no\u{1b}[2J\u{202e}file.toml"],
        &["check", "model.toml", "--set", "\u{1b}[2Jspeed=1"],
        &["check", "model.toml", "--rtol", "\u{1b}[2J"],
        &["study", "no\u{202e}.toml"],
    ] {
        let finished = scratch.gudgeon(arguments).exits(2);
        nothing_hides(&finished.stderr());
        nothing_hides(&finished.stdout());
        assert!(!finished.stderr().is_empty());
    }
}

#[test]
fn pipes_and_devices_are_refused_instead_of_waited_for() {
    let scratch = Scratch::with_model();
    assert!(Command::new("mkfifo").arg(scratch.path.join("pipe.toml")).status().unwrap().success());
    scratch.write("uses.toml", "format = 1\nuse = \"pipe.toml\"\n");
    scratch.write("endless.toml", "format = 1\nuse = \"/dev/zero\"\n");
    scratch.write("here.study.toml", "format = 1\n[study]\nmodel = \"pipe.toml\"\n");
    for arguments in [
        ["check", "uses.toml"],
        ["check", "endless.toml"],
        ["check", "pipe.toml"],
        ["run", "/dev/zero"],
        ["study", "here.study.toml"],
        ["study", "pipe.toml"],
    ] {
        let finished = ends(scratch.command(&arguments)).exits(2);
        assert!(finished.stderr().contains("a pipe or a device"), "{}", finished.stderr());
    }
}

#[test]
fn standard_input_is_still_read() {
    let scratch = Scratch::with_model();
    let mut command = scratch.command(&["check", "/dev/stdin"]);
    let model = fs::File::open(scratch.path.join("model.toml")).unwrap();
    let checked = Finished(command.stdin(model).output().unwrap()).exits(0);
    assert!(checked.stdout().contains("slider"), "{}", checked.stdout());
    let mut shell = Command::new("sh");
    let line = "cat model.toml | \"$GUDGEON\" check /dev/stdin";
    shell.args(["-c", line]).current_dir(&scratch.path);
    shell.env("GUDGEON", env!("CARGO_BIN_EXE_gudgeon"));
    Finished(shell.output().unwrap()).exits(0);
}

#[test]
fn names_that_are_no_text_are_read_and_links_in_a_ring_are_not() {
    let scratch = Scratch::new();
    let folder = scratch.path.join(OsStr::from_bytes(b"caf\xe9"));
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("base.toml"), SLIDER_CRANK).unwrap();
    fs::write(folder.join("model.toml"), "format = 1\nuse = \"base.toml\"\n").unwrap();
    let mut command = scratch.command(&["check"]);
    command.arg(folder.join("model.toml"));
    Finished(command.output().unwrap()).exits(0);

    symlink("ring.toml", scratch.path.join("ring.toml")).unwrap();
    scratch.write("uses.toml", "format = 1\nuse = \"ring.toml\"\n");
    for file in ["ring.toml", "uses.toml"] {
        let finished = scratch.gudgeon(&["check", file]).exits(2);
        assert!(finished.stderr().contains("error[G0001]"), "{}", finished.stderr());
    }
    scratch.write("not_text.toml", b"format = 1\nuse = \"\xff\"\n");
    scratch.gudgeon(&["check", "not_text.toml"]).exits(2);
    fs::create_dir(scratch.path.join("folder.toml")).unwrap();
    let finished = scratch.gudgeon(&["check", "folder.toml"]).exits(2);
    assert!(finished.stderr().contains("is a folder"), "{}", finished.stderr());
}
