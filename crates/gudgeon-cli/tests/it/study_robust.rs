//! `gudgeon study` under bad conditions: killed, interrupted, without room, with poor data.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::common::{Finished, SLIDER_CRANK, Scratch};
use serde_json::Value;

/// Twelve samples and a search of 24 more simulations.
const STUDY: &str = r#"
format = 1
[study]
model = "slider_crank"
[run]
until = "0.15 rev"
measure_from = 0
[variables]
clearance = { from = "0.05 mm", to = "0.3 mm" }
restitution = { from = 0.7, to = 0.95 }
[design]
method = "lhs"
samples = 12
[responses]
acceleration = "abs_max(slider.acceleration.x)"
hits = "count(pin.impacts)"
[surrogate]
[optimise]
minimise = ["acceleration"]
on = "simulator"
evaluations = 24
"#;

fn scratch(text: &str) -> Scratch {
    let scratch = Scratch::new();
    scratch.write("s.toml", text);
    scratch
}

fn with<'a>(flags: &[&'a str]) -> Vec<&'a str> {
    [&["study", "s.toml"], flags].concat()
}

/// The study with some parts replaced.
fn changed(changes: &[(&str, &str)]) -> String {
    changes.iter().fold(STUDY.to_owned(), |text, (from, to)| {
        assert!(text.contains(from), "{from}");
        text.replace(from, to)
    })
}

fn answer(text: &str, code: i32) -> Value {
    scratch(text).gudgeon(&with(&["--json"])).exits(code).json()
}

/// All files of a result folder but journals, locks and times.
fn results(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let name = entry.file_name().into_string().unwrap();
        if entry.path().is_dir() {
            let inner = results(&entry.path());
            files.extend(inner.into_iter().map(|(file, bytes)| (format!("{name}/{file}"), bytes)));
        } else if !["study.journal", "study.lock", "timing.csv"].contains(&&name[..]) {
            files.insert(name, std::fs::read(entry.path()).unwrap());
        }
    }
    files
}

#[track_caller]
fn assert_same(scratch: &Scratch, out: &str, reference: &BTreeMap<String, Vec<u8>>) {
    let found = results(&scratch.path.join(out));
    assert!(found.keys().eq(reference.keys()), "{out}: {:?}", found.keys());
    for (name, bytes) in reference {
        assert!(found[name] == *bytes, "{out}: {name} differs");
    }
}

fn start(scratch: &Scratch, flags: &[&str]) -> Child {
    let mut command = scratch.command(&with(flags));
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Waits until the file is there and longer than so many bytes, or the child has ended.
fn wait_for(child: &mut Child, file: &Path, longer: u64) {
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(60) && child.try_wait().unwrap().is_none() {
        if std::fs::metadata(file).is_ok_and(|data| data.len() > longer) {
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn killed_twenty_times_among_samples_and_in_the_search() {
    let scratch = scratch(STUDY);
    let clock = Instant::now();
    scratch.gudgeon(&with(&["--out", "whole", "--jobs", "1"])).exits(0);
    let whole = clock.elapsed().as_secs_f64();
    let reference = results(&scratch.path.join("whole"));
    let expected = [
        "optimise/samples.csv",
        "samples.csv",
        "samples.parquet",
        "study.json",
        "surrogates/acceleration.json",
        "surrogates/hits.json",
    ];
    assert!(expected.iter().all(|file| reference.contains_key(*file)), "{:?}", reference.keys());
    let [mut among, mut searching] = [0, 0];
    for kill in 0..20u32 {
        // Moments spread over the run like the golden ratio over the circle.
        let share = (f64::from(kill) * 0.618).fract();
        let out = format!("out{kill}");
        let journal = scratch.path.join(&out).join("optimise/study.journal");
        let mut child = start(&scratch, &["--out", &out, "--resume", "--jobs", "1"]);
        if kill % 2 == 1 {
            wait_for(&mut child, &journal, 0);
        }
        std::thread::sleep(Duration::from_secs_f64(0.5 * share * whole));
        child.kill().unwrap();
        child.wait().unwrap();
        let ended = scratch.path.join(&out).join("study.json").exists();
        among += u32::from(!ended && !journal.exists());
        searching += u32::from(!ended && journal.exists());
        scratch.gudgeon(&with(&["--out", &out, "--resume"])).exits(0);
        assert_same(&scratch, &out, &reference);
    }
    println!("{among} kills among the samples, {searching} in the search");
    assert!(among >= 2 && searching >= 3, "{among} {searching}");
}

/// A limit on the size of files: a write beyond it fails as on a full disk.
#[cfg(unix)]
#[test]
fn a_full_disk_is_told_and_nothing_is_lost() {
    let scratch = scratch(STUDY);
    scratch.gudgeon(&with(&["--out", "whole"])).exits(0);
    let reference = results(&scratch.path.join("whole"));
    let mut told = Vec::new();
    for blocks in [0, 1, 2, 3, 4, 6, 8] {
        let out = format!("out{blocks}");
        let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
        let inner = scratch.command(&with(&["--out", &out]));
        let mut limited = std::process::Command::new("sh");
        limited.arg("-c").arg(script).arg(inner.get_program()).args(inner.get_args());
        let finished = Finished(limited.current_dir(&scratch.path).output().unwrap());
        // Without room for the head of the journal nothing can begin.
        let finished = finished.exits(if blocks < 2 { 2 } else { 1 });
        let text = finished.stderr();
        assert!(text.contains("cannot") && text.contains(&out), "{text}");
        assert!(blocks < 2 || text.contains("make room on the disk and resume"), "{text}");
        told.push(text);
        let partial = |name: &String| name.contains("partial");
        assert!(!results(&scratch.path.join(&out)).keys().any(partial), "{blocks} blocks");
        scratch.gudgeon(&with(&["--out", &out, "--resume"])).exits(0);
        assert_same(&scratch, &out, &reference);
    }
    let safe = |text: &String| text.contains("finished and safe");
    assert!(told.iter().any(safe), "{told:?}");
}

#[cfg(unix)]
fn interrupt(child: Child) -> Finished {
    crate::common::send(&child, "INT");
    Finished(child.wait_with_output().unwrap()).exits(130)
}

#[cfg(unix)]
#[test]
fn an_interrupted_search_is_no_failure_and_goes_on() {
    let long = changed(&[("0.15 rev", "0.5 rev"), ("evaluations = 24", "evaluations = 120")]);
    let scratch = scratch(&long);
    let mut child = start(&scratch, &["--out", "out", "--jobs", "1"]);
    let journal = scratch.path.join("out/optimise/study.journal");
    wait_for(&mut child, &journal, 2000);
    let finished = interrupt(child);
    let text = finished.stdout();
    let expected = "interrupted after all samples; the same command with `--resume` goes on";
    assert!(text.contains(expected) && !text.contains("best at"), "{text}");
    assert!(!finished.stderr().contains("error"), "{}", finished.stderr());
    let record = scratch.json("out/study.json");
    assert_eq!((&record["status"], &record["optimum"]), (&"interrupted".into(), &Value::Null));
    let answer = scratch.gudgeon(&with(&["--out", "out", "--resume", "--json"])).exits(0).json();
    assert!(answer["optimum"]["simulations"].as_u64().unwrap() > 60);
    assert_eq!(answer["resumed"], 12);
}

#[cfg(unix)]
#[test]
fn two_processes_do_not_share_a_folder() {
    let scratch = scratch(&changed(&[("0.15 rev", "20 rev")]));
    let mut child = start(&scratch, &["--out", "out"]);
    wait_for(&mut child, &scratch.path.join("out/study.journal"), 0);
    let second = scratch.gudgeon(&with(&["--out", "out", "--resume"])).exits(2);
    assert!(second.stderr().contains("in use by another process"), "{}", second.stderr());
    let first = interrupt(child);
    assert!(first.stdout().contains("of 12; the same command with `--resume`"));
}

#[test]
fn what_has_changed_is_named() {
    let scratch = scratch(STUDY);
    scratch.gudgeon(&with(&["--out", "out"])).exits(0);
    let before = results(&scratch.path.join("out"));
    for (from, to, reason) in [
        (
            "0.3 mm",
            "0.4 mm",
            "`clearance from 0.05 mm to 0.3 mm` is `clearance from 0.05 mm to 0.4 mm` now",
        ),
        ("\"0.15 rev\"", "\"0.3 rev\"", "`until 0.0045 s` is `until 0.009 s` now"),
        ("samples = 12", "samples = 13", "12 samples` is `design lhs, optimised, 13 samples` now"),
        ("count(pin.impacts)", "sum(pin.impacts.loss)", "is `hits = sum(pin.impacts.loss)` now"),
        ("[run]", "seed = 5\n[run]", "`seed 1` is `seed 5` now"),
        ("[run]", "ensemble = 2\n[run]", "`ensemble 1` is `ensemble 2` now"),
        (
            "[variables]",
            "[set]\nbodies.rod.mass = \"0.2 kg\"\n[variables]",
            "another study: `[set]` is new",
        ),
    ] {
        scratch.write("s.toml", changed(&[(from, to)]));
        let refused = scratch.gudgeon(&with(&["--out", "out", "--resume"])).exits(2);
        let text = refused.stderr();
        assert!(text.contains("another study") && text.contains(reason), "{reason}: {text}");
        assert!(text.contains("help: choose another folder with `--out`"), "{text}");
    }
    assert_same(&scratch, "out", &before);
    // What is not changed is not refused.
    scratch.write(
        "s.toml",
        changed(&[("from = \"0.05 mm\", to = \"0.3 mm\"", "to = \"0.3 mm\", from = \"0.05 mm\"")]),
    );
    scratch.gudgeon(&with(&["--out", "out", "--resume"])).exits(0);
    // A title and a time limit change no sample.
    scratch.write("s.toml", changed(&[("[run]", "name = \"new\"\ntime_limit = \"9 s\"\n[run]")]));
    let answer = scratch.gudgeon(&with(&["--out", "out", "--resume", "--json"])).exits(0).json();
    assert_eq!((&answer["resumed"], &answer["study"]["name"]), (&12.into(), &"new".into()));
}

#[test]
fn samples_beyond_the_time_limit_are_run_again_with_a_higher_one() {
    let limited = changed(&[("[run]", "time_limit = \"1 ms\"\n[run]"), ("0.15 rev", "2 rev")]);
    let scratch = scratch(&limited);
    let finished = scratch.gudgeon(&with(&["--out", "out", "--json"])).exits(1);
    assert!(finished.stderr().contains("all 12 samples failed: more than 0.001 s of CPU time"));
    assert_eq!(finished.json()["failures"][0]["status"], "timed out");
    scratch.write("s.toml", limited.replace("1 ms", "60 s"));
    let answer = scratch.gudgeon(&with(&["--out", "out", "--resume", "--json"])).exits(0).json();
    assert_eq!((&answer["design"]["done"], &answer["resumed"]), (&12.into(), &0.into()));
}

#[test]
fn bad_wishes_are_refused_in_words() {
    for (from, to, words) in [
        (
            "samples = 12",
            "samples = 1",
            "1 sample is too few for a surrogate with a constant trend",
        ),
        ("samples = 12", "samples = 100000000", "must be a whole number from 1 to 1000000"),
        ("samples = 12", "samples = 100000\noptimise = false", "100000 samples are too many"),
        ("to = \"0.3 mm\"", "to = \"0.05 mm\"", "the range is empty"),
        ("to = \"0.3 mm\"", "to = \"0.01 mm\"", "the range is inverted"),
        ("restitution =", "restitutio =", "did you mean `restitution`?"),
        ("slider.acceleration.x", "slider.acceleration.w", "has no output"),
        ("evaluations = 24", "evaluations = 0", "evaluations"),
    ] {
        let scratch = scratch(&changed(&[(from, to)]));
        let finished = scratch.gudgeon(&with(&["--json"])).exits(2);
        assert!(finished.stderr().contains(words), "{words}: {}", finished.stderr());
        assert_eq!(finished.json()["status"], "invalid");
        assert_eq!(scratch.entries(), ["s.toml"]);
    }
    // One sample more than unknowns is enough.
    let quadratic =
        [("[surrogate]", "[surrogate]\ntrend = \"quadratic\""), ("samples = 12", "samples = 6")];
    let text = scratch(&changed(&quadratic)).gudgeon(&with(&[])).exits(2).stderr();
    assert!(text.contains("take at least 7 samples, better 20, or a simpler trend"), "{text}");
    let enough = changed(&quadratic).replace("samples = 6", "samples = 7");
    assert!(answer(&enough, 0)["surrogates"][0]["error"].is_null());
}

#[test]
fn folders_that_cannot_be_used() {
    let scratch = scratch(STUDY);
    scratch.write("file", "");
    let text = scratch.gudgeon(&with(&["--out", "file"])).exits(2).stderr();
    assert!(text.contains("`file` exists and is no result of gudgeon"), "{text}");
    let text = scratch.gudgeon(&with(&["--out", "file/inside"])).exits(2).stderr();
    assert!(text.contains("cannot create `file/inside`"), "{text}");
    std::fs::create_dir(scratch.path.join("damaged")).unwrap();
    scratch.write("damaged/study.journal", "nonsense");
    let text = scratch.gudgeon(&with(&["--out", "damaged", "--resume"])).exits(2).stderr();
    assert!(text.contains("no journal of a study, or its beginning is damaged"), "{text}");
    // The results of a run are not those of a study.
    scratch.write("model.toml", SLIDER_CRANK);
    scratch.run(&["--out", "run"]).exits(0);
    let text = scratch.gudgeon(&with(&["--out", "run"])).exits(2).stderr();
    assert!(text.contains("`run` exists and is no result of"), "{text}");
}

#[cfg(unix)]
#[test]
fn a_read_only_folder() {
    use std::os::unix::fs::PermissionsExt;
    let scratch = scratch(STUDY);
    let folder = scratch.path.join("locked");
    std::fs::create_dir(&folder).unwrap();
    std::fs::set_permissions(&folder, PermissionsExt::from_mode(0o555)).unwrap();
    // The superuser may write everywhere.
    if std::fs::write(folder.join("probe"), "").is_err() {
        let text = scratch.gudgeon(&with(&["--out", "locked/out"])).exits(2).stderr();
        assert!(text.contains("cannot create `locked/out`: Permission denied"), "{text}");
    }
    std::fs::set_permissions(&folder, PermissionsExt::from_mode(0o755)).unwrap();
}

const POINTS: &str = "clearance [mm],restitution\n0.1,0.8\n0.1,0.8\n0.2,0.9\n0.3,0.7\n0.15,0.75\n";

#[test]
fn the_same_point_twice() {
    let design = ("\"lhs\"\nsamples = 12", "\"file\"\nfile = \"points.csv\"");
    let on = ("on = \"simulator\"", "on = \"surrogate\"");
    // Equal values: the second tells nothing new.
    let equal = scratch(&changed(&[design, on]));
    equal.write("points.csv", POINTS);
    let answer = equal.gudgeon(&with(&["--json"])).exits(0).json();
    let warning = &answer["surrogates"][0]["warnings"][0];
    assert_eq!(warning, "sample 1 repeated without new information and left out");
    // Different values of an ensemble: a nugget is fitted, unless the study says no.
    let chaos = [design, on, ("0.15 rev", "3 rev"), ("[run]", "ensemble = 2\n[run]")];
    let noisy = scratch(&changed(&chaos));
    noisy.write("points.csv", POINTS);
    let answer = noisy.gudgeon(&with(&["--json"])).exits(0).json();
    assert!(answer["surrogates"][0]["nugget"].as_f64().unwrap() > 0.0);
    assert!(answer["statistics"]["acceleration"]["spread"].as_f64().unwrap() > 0.0);
    let exact = changed(&chaos).replace("[surrogate]", "[surrogate]\nnugget = false");
    noisy.write("s.toml", exact);
    let finished = noisy.gudgeon(&with(&["--resume"])).exits(1);
    let words = "no surrogate of `acceleration`: sample 0 and sample 1 are the same point";
    assert!(finished.stdout().contains(words), "{}", finished.stdout());
    assert!(finished.stderr().contains("no optimum: `acceleration` has no surrogate\n"));
    assert!(!noisy.path.join("results/s/surrogates/acceleration.json").exists());
}

#[test]
fn a_constant_response_is_told_and_the_study_goes_on() {
    let text = changed(&[
        ("0.15 rev", "0.02 rev"),
        ("\"0.05 mm\", to = \"0.3 mm\"", "\"1 mm\", to = \"2 mm\""),
        ("minimise = [\"acceleration\"]\non = \"simulator\"", "minimise = [\"hits\"]"),
    ]);
    let text = format!("{text}[sensitivity]\nmethods = [\"sobol\", \"morris\"]\n");
    let answer = answer(&text, 0);
    let warning = &answer["surrogates"][1]["warnings"][0];
    assert_eq!(warning, "every response is 0: the model returns this constant");
    assert_eq!(answer["optimum"]["points"][0]["simulated"]["hits"], 0.0);
    let told = answer["sensitivity"]["responses"]["hits"]["sobol"]["error"].as_str().unwrap();
    assert!(told.contains("the same everywhere"), "{told}");
}

#[test]
fn one_variable_one_sample_and_no_surrogate() {
    let one = changed(&[("restitution = { from = 0.7, to = 0.95 }\n", "")]);
    assert_eq!(answer(&one, 0)["surrogates"][0]["theta"].as_array().unwrap().len(), 1);
    let bare = STUDY.split("[surrogate]").next().unwrap().replace("samples = 12", "samples = 1");
    let answer = answer(&bare, 0);
    assert_eq!(answer["statistics"]["hits"]["std"], 0.0);
    assert_eq!(answer["optimum"], Value::Null);
}

/// Words, whole numbers and quantities to choose from, in everything that follows the samples.
#[test]
fn choices_and_whole_numbers() {
    let model = SLIDER_CRANK.replacen("[parameters]", "[parameters]\nsteps = 2", 1);
    let text = changed(&[
        ("model = \"slider_crank\"", "model = \"model.toml\""),
        (
            "restitution = { from = 0.7, to = 0.95 }",
            "law = { choice = [\"hertz\", \"flores\"], path = \"joints.pin.clearance.contact.law\" }\n\
             speed = { choice = [\"3000 rpm\", \"5000 rpm\"] }\n\
             steps = { from = 1, to = 4, integer = true }",
        ),
        ("on = \"simulator\"\nevaluations = 24", "evaluations = 300"),
    ]);
    let text = format!("{text}[sensitivity]\nmethods = [\"sobol\", \"morris\"]\nsamples = 64\n");
    let ego = text.replace("evaluations = 300", "evaluations = 6\nmethod = \"ego\"");
    for text in [&text, &ego] {
        let scratch = scratch(text);
        scratch.write("model.toml", &model);
        let answer = scratch.gudgeon(&with(&["--json"])).exits(0).json();
        let best = &answer["optimum"]["points"][0]["variables"];
        assert!(["hertz", "flores"].contains(&best["law"].as_str().unwrap()), "{best}");
        let steps = best["steps"].as_f64().unwrap();
        assert!(steps.fract() == 0.0 && (1.0..=4.0).contains(&steps), "{best}");
        let total = &answer["sensitivity"]["responses"]["acceleration"]["sobol"]["variables"];
        // The parameter that nothing uses has no effect.
        assert!(total["steps"]["total"]["value"].as_f64().unwrap().abs() < 0.05, "{total}");
        for sample in answer["samples"].as_array().unwrap() {
            assert_eq!(sample["variables"]["steps"].as_f64().unwrap().fract(), 0.0);
            assert!(sample["variables"]["law"].is_string(), "{sample}");
        }
    }
}

#[test]
fn the_summary_says_what_is_better_than_the_optimum() {
    let surrogate = [("on = \"simulator\"\nevaluations = 24", "evaluations = 500")];
    let scratch = scratch(&changed(&surrogate));
    let text = scratch.gudgeon(&with(&[])).exits(0).stdout();
    let record = scratch.json("results/s/study.json");
    let best = &record["optimum"]["points"][0]["simulated"]["acceleration"];
    let least = &record["statistics"]["acceleration"]["min"];
    let is_better = least.as_f64().unwrap() < best.as_f64().unwrap();
    assert_eq!(text.contains(" is better: `acceleration` "), is_better, "{text}");
    assert!(!text.contains("-0.000") && !text.contains("e0 "), "{text}");
}
