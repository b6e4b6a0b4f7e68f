//! An interrupted or failed run replaced a complete result without trace, the next start deleted what
//! a killed run had written, a damaged beginning cost all samples of a study, and a study could only
//! be begun anew by removing its folder.

use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::common::{Finished, SLIDER_CRANK, Scratch};

const LONG: [&str; 6] = ["run", "model.toml", "--until", "1e6 rev", "--out", "out"];

#[cfg(unix)]
#[test]
fn an_interrupted_run_keeps_the_complete_result_beside_it() {
    let scratch = Scratch::with_model();
    scratch.run(&["--out", "out"]).exits(0);
    let complete = scratch.read("out/series.csv");
    let child = scratch.command(&LONG).stdout(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(300));
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    let text = Finished(child.wait_with_output().unwrap()).exits(130).stdout();
    assert!(text.contains("  kept     out.complete, the last complete result\n"), "{text}");
    assert_eq!(scratch.json("out/run.json")["status"], "interrupted");
    assert!(scratch.read("out.complete/series.csv") == complete);
    // One that fails before its first row leaves it there, too.
    let locks =
        SLIDER_CRANK.replace("frames.small_end = \"60 mm, 0\"", "frames.small_end = \"-20 mm, 0\"");
    scratch.write("model.toml", locks);
    let answer = scratch.run(&["--json", "--ideal", "pin", "--out", "out"]).exits(1).json();
    assert_eq!(answer["kept"], json!({"complete": "out.complete", "killed": null}));
    assert!(scratch.read("out.complete/series.csv") == complete);
    scratch.write("model.toml", SLIDER_CRANK);
    let answer = scratch.run(&["--json", "--out", "out"]).exits(0).json();
    assert_eq!(answer["kept"], json!({"complete": null, "killed": null}));
    assert_eq!(scratch.entries(), ["model.toml", "out"]);
}

#[test]
fn rows_of_a_killed_run_are_kept() {
    let scratch = Scratch::with_model();
    let mut child =
        scratch.command(&LONG).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(1600));
    child.kill().unwrap();
    child.wait().unwrap();
    let finished = scratch.run(&["--json", "--out", "out"]).exits(0);
    let said = finished.stderr();
    assert!(said.contains("note: an earlier run was killed; its ") && said.contains("out.killed`"));
    assert_eq!(finished.json()["kept"]["killed"], "out.killed");
    let record = scratch.json("out.killed/run.json");
    assert_eq!(record["status"], "killed");
    assert_eq!(record["model"]["files"][0]["text"], SLIDER_CRANK);
    assert_eq!(record["overrides"]["until"], "1e6 rev");
    assert_eq!(record["parameters"]["clearance"]["value"], 1e-4);
    assert!(record["final"]["t"].as_f64().unwrap() > 0.0);
    let rows = String::from_utf8(scratch.read("out.killed/series.csv")).unwrap();
    assert_eq!(rows.lines().count() as u64, 1 + record["rows"].as_u64().unwrap());
    assert!(scratch.read("out.killed/series.parquet").ends_with(b"PAR1"));
}

/// A limit on the size of files: a write beyond it fails as on a full disk. The record does not fit
/// either, so that the rows wait for the next start.
#[cfg(unix)]
#[test]
fn a_full_disk_leaves_the_old_result_and_the_rows() {
    let scratch = Scratch::with_model();
    scratch.run(&["--out", "out"]).exits(0);
    let before = scratch.read("out/series.csv");
    let inner = scratch.command(&["run", "model.toml", "--until", "1 rev", "--out", "out"]);
    let mut limited = Command::new("sh");
    // The head of the record takes 10 kB, the record itself more.
    let script = "trap '' XFSZ; ulimit -f 24; exec \"$0\" \"$@\"";
    limited.arg("-c").arg(script).arg(inner.get_program()).args(inner.get_args());
    let finished = Finished(limited.current_dir(&scratch.path).output().unwrap()).exits(1);
    let said = finished.stderr();
    assert!(said.contains("error: cannot write `") && said.contains("= help: make room"), "{said}");
    assert!(said.contains("the next run to `"), "{said}");
    assert!(scratch.read("out/series.csv") == before);
    let said = scratch.run(&["--out", "out"]).exits(0).stderr();
    assert!(said.contains("out.killed`"), "{said}");
    assert!(scratch.read("out.killed/series.csv").ends_with(b"\n"));
    assert_eq!(scratch.entries(), ["model.toml", "out", "out.killed"]);
}

const STUDY: &str = r#"
format = 1
[study]
seed = 1
[variables]
x = { from = 0, to = 1 }
[design]
method = "lhs"
samples = 6
[responses]
y = "x^2"
"#;

fn study(scratch: &Scratch, flags: &[&str], code: i32) -> Finished {
    scratch.gudgeon(&[&["study", "s.toml", "--out", "out"], flags].concat()).exits(code)
}

#[test]
fn samples_behind_a_damaged_beginning_are_offered_and_taken() {
    let scratch = Scratch::new();
    scratch.write("s.toml", STUDY);
    study(&scratch, &[], 0);
    let table = scratch.read("out/samples.csv");
    let mut journal = scratch.read("out/study.journal");
    journal[70] ^= 1;
    scratch.write("out/study.journal", &journal);
    let said = study(&scratch, &["--resume"], 2).stderr();
    assert!(said.contains("6 samples behind it are whole"), "{said}");
    assert!(said.contains("help: `--resume --salvage` takes them"), "{said}");
    let finished = study(&scratch, &["--resume", "--salvage", "--json"], 0);
    let answer = finished.json();
    let told = answer["repairs"][0].as_str().unwrap();
    assert!(told.contains("6 samples are kept") && finished.stderr().contains(told), "{told}");
    assert_eq!(answer["resumed"], 6);
    assert!(scratch.read("out/samples.csv") == table);
    assert!(scratch.read("out/study.journal.damaged") == journal);
    // Torn bytes are told, too.
    let journal = scratch.read("out/study.journal");
    scratch.write("out/study.journal", &journal[..journal.len() - 9]);
    let said = study(&scratch, &["--resume"], 0).stderr();
    assert!(said.contains("were no whole sample; 5 samples are kept"), "{said}");
    assert!(scratch.read("out/samples.csv") == table);
}

#[test]
fn a_study_begins_anew_on_request() {
    let scratch = Scratch::new();
    scratch.write("s.toml", STUDY);
    study(&scratch, &[], 0);
    scratch.write("out/notes.txt", "mine");
    let said = study(&scratch, &[], 2).stderr();
    assert!(said.contains("`--overwrite` begins anew"), "{said}");
    scratch.write("s.toml", STUDY.replace("samples = 6", "samples = 7"));
    assert!(study(&scratch, &["--resume"], 2).stderr().contains("with `--overwrite`"));
    let answer: Value = study(&scratch, &["--overwrite", "--json"], 0).json();
    assert_eq!((&answer["design"]["done"], &answer["resumed"]), (&json!(7), &json!(0)));
    assert_eq!(answer["kept"]["complete"], Value::Null);
    assert_eq!(scratch.entries(), ["out", "s.toml"]);
    assert_eq!(scratch.read("out/notes.txt"), b"mine");
    // One that fails leaves the complete one beside it.
    scratch.write("s.toml", STUDY.replace("x^2", "1 / (x - x)"));
    let finished = study(&scratch, &["--overwrite", "--json"], 1);
    let text = finished.stderr();
    assert_eq!(finished.json()["kept"]["complete"], "out.complete");
    assert!(text.contains("kept     out.complete, the last complete result"), "{text}");
    assert!(scratch.path.join("out.complete/samples.csv").exists());
    scratch.write("s.toml", STUDY);
    study(&scratch, &["--overwrite"], 0);
    assert_eq!(scratch.entries(), ["out", "s.toml"]);
    // What is no study is left alone.
    scratch.write("other", "");
    scratch.gudgeon(&["study", "s.toml", "--out", "other", "--overwrite"]).exits(2);
}

/// A study of a test function with pictures and a surrogate.
const SMALL_STUDY: &str = "format = 1\n[study]\nname = \"s\"\n[variables]\nx = { from = 0, to = 1 }\n[design]\nmethod = \"lhs\"\nsamples = 8\n[responses]\ny = \"x^2\"\n[surrogate]\nkind = \"kriging\"\n";

#[cfg(unix)]
#[test]
fn a_study_begun_anew_leaves_files_of_the_user_and_links_alone() {
    let scratch = Scratch::new();
    scratch.write("s.study.toml", SMALL_STUDY);
    scratch.gudgeon(&["study", "s.study.toml", "--out", "real"]).exits(0);
    let path = |name: &str| scratch.path.join(name);
    std::fs::create_dir(path("mine")).unwrap();
    for name in ["mine/a.svg", "real/surrogates/mine.json", "real/notes.txt"] {
        scratch.write(name, "mine");
    }
    std::os::unix::fs::symlink(path("mine"), path("real/optimise")).unwrap();
    std::os::unix::fs::symlink(path("real"), path("link")).unwrap();
    scratch.gudgeon(&["study", "s.study.toml", "--out", "link", "--overwrite"]).exits(0);
    for name in ["mine/a.svg", "real/surrogates/mine.json", "real/notes.txt"] {
        assert_eq!(scratch.read(name), b"mine", "{name}");
    }
    assert!(path("link").is_symlink());
    assert_eq!(scratch.json("real/study.json")["status"], "ok");
    assert_eq!(scratch.entries(), ["link", "mine", "real", "s.study.toml"]);
}
