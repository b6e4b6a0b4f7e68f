//! Where things are kept, and what is said of it: behind links, on full disks, in folders that cannot
//! be replaced. A study of another folder was taken for its own, and its journal written anew.

use std::path::Path;

use serde_json::{Value, json};

use crate::common::Scratch;

/// Samples of a function at points that do not depend on it.
fn study(function: &str, seed: u32) -> String {
    format!(
        "format = 1\n[study]\nseed = {seed}\n[variables]\nx = {{ from = 0, to = 1 }}\n[design]\n\
         method = \"lhs\"\nsamples = 6\n[responses]\ny = \"{function}\"\n"
    )
}

/// All files of a folder.
fn content(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let (name, path) = (entry.file_name().to_string_lossy().into_owned(), entry.path());
        if path.is_dir() {
            let inner = content(&path).into_iter();
            all.extend(inner.map(|(file, bytes)| (format!("{name}/{file}"), bytes)));
        } else {
            all.push((name, std::fs::read(&path).unwrap()));
        }
    }
    all.sort();
    all
}

#[test]
fn a_damaged_journal_is_not_salvaged_for_another_study() {
    let scratch = Scratch::new();
    scratch.write("own.toml", study("x^2", 1));
    scratch.write("other.toml", study("x^3", 1)); // at the same points
    scratch.write("seed.toml", study("x^2", 2));
    scratch.gudgeon(&["study", "own.toml", "--out", "out"]).exits(0);
    let mut journal = scratch.read("out/study.journal");
    journal[70] ^= 1;
    scratch.write("out/study.journal", &journal);
    let before = content(&scratch.path.join("out"));
    for other in ["other.toml", "seed.toml"] {
        let command = ["study", other, "--out", "out", "--resume", "--salvage"];
        assert_eq!(
            scratch.gudgeon(&command).exits(2).stderr(),
            "error[G2072]: `out/study.journal` is no journal of a study, or its beginning is \
             damaged; 6 samples behind it are whole, but not shown to be of this study\n \
             |\n = help: choose another folder with `--out`, or begin anew in this one with \
             `--overwrite`\n"
        );
        assert!(content(&scratch.path.join("out")) == before, "{other} has changed the folder");
    }
    scratch.gudgeon(&["study", "own.toml", "--out", "out", "--resume", "--salvage"]).exits(0);
    assert!(scratch.read("out/study.journal.damaged") == journal);
}

/// A run that fails on its way: the rod is shorter than the crank.
#[cfg(unix)]
fn with_failing_model() -> Scratch {
    let scratch = Scratch::with_model();
    let small_end = "frames.small_end = \"60 mm, 0\"";
    let locks = crate::common::SLIDER_CRANK.replace(small_end, "frames.small_end = \"-20 mm, 0\"");
    scratch.write("fails.toml", locks);
    scratch
}

#[cfg(unix)]
const FAILS: [&str; 7] =
    ["run", "fails.toml", "--ideal", "pin", "--until", "0.3 rev", "--measure-from=0"];

/// What is kept is beside the folder that a link leads to, and told so.
#[cfg(unix)]
#[test]
fn a_kept_result_is_where_it_is_told_to_be() {
    let scratch = with_failing_model();
    let real = scratch.path.canonicalize().unwrap().join("data/real");
    std::fs::create_dir_all(&real).unwrap();
    std::os::unix::fs::symlink("data/real", scratch.path.join("link")).unwrap();
    let complete = real.with_file_name("real.complete").display().to_string();
    scratch.run(&["--out", "link"]).exits(0);
    for (out, told) in [
        ("link", &complete[..]),
        ("link/", &complete),
        ("./link/.", &complete),
        ("data/real", "data/real.complete"),
        ("data/real/", "data/real.complete"),
        ("data/../data/real", "data/../data/real.complete"),
    ] {
        let finished = scratch.gudgeon(&[&FAILS[..], &["--out", out, "--json"]].concat()).exits(1);
        assert_eq!(finished.json()["kept"], json!({"complete": told, "killed": null}), "{out}");
        let line = format!("  kept     {told}, the last complete result\n");
        assert!(finished.stderr().contains(&line), "{out}: {}", finished.stderr());
        assert!(scratch.path.join(told).join("run.json").is_file(), "{out}");
    }
    scratch.run(&["--out", "link"]).exits(0);
    assert!(scratch.path.join("link").is_symlink());
    let names = |folder: &str| std::fs::read_dir(scratch.path.join(folder)).unwrap().count();
    assert_eq!(names("data"), 1, "the kept one is gone");
}

#[cfg(unix)]
#[test]
fn a_kept_study_is_where_it_is_told_to_be() {
    let scratch = Scratch::new();
    scratch.write("s.toml", study("x^2", 1));
    scratch.write("fails.toml", study("1 / (x - x)", 1));
    std::fs::create_dir_all(scratch.path.join("data/real")).unwrap();
    std::os::unix::fs::symlink("data/real", scratch.path.join("link")).unwrap();
    scratch.gudgeon(&["study", "s.toml", "--out", "link"]).exits(0);
    let complete = scratch.path.canonicalize().unwrap().join("data/real.complete");
    let told = complete.to_str().unwrap();
    for out in ["link", "./link", "link/"] {
        let command = ["study", "fails.toml", "--out", out, "--overwrite", "--json"];
        let finished = scratch.gudgeon(&command).exits(1);
        assert_eq!(finished.json()["kept"]["complete"], told, "{out}");
        let line = format!("  kept     {told}, the last complete result\n");
        assert!(finished.stderr().contains(&line), "{}", finished.stderr());
    }
    scratch.gudgeon(&["study", "s.toml", "--out", "link/", "--overwrite"]).exits(0);
    assert!(!complete.exists() && scratch.path.join("link").is_symlink());
}

/// The folder that the user stands in would be replaced under him, and then be gone.
#[test]
fn the_folder_one_is_in_is_not_replaced() {
    let scratch = Scratch::with_model();
    scratch.run(&["--out", "out"]).exits(0);
    let before = content(&scratch.path.join("out"));
    for out in [".", "../out", "./"] {
        let mut command = scratch.command(&["run", "../model.toml", "--out", out, "--json"]);
        let output = command.current_dir(scratch.path.join("out")).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        let message = answer["errors"][0]["message"].as_str().unwrap();
        assert!(message.ends_with("is the folder you are in, which a new result would replace"));
    }
    assert!(content(&scratch.path.join("out")) == before);
    scratch.write("s.toml", study("x^2", 1));
    scratch.gudgeon(&["study", "s.toml", "--out", "study"]).exits(0);
    let mut command = scratch.command(&["study", "../s.toml", "--out", ".", "--overwrite"]);
    let output = command.current_dir(scratch.path.join("study")).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("`.` is the folder you are in, and its study would move away"), "{text}");
    assert_eq!(scratch.entries(), ["model.toml", "out", "s.toml", "study"]);
}

/// Every refusal of a place says what to do.
#[test]
fn places_that_are_refused_come_with_help() {
    let scratch = Scratch::with_model();
    scratch.write("file", "");
    let long = "a".repeat(300);
    let mut cases = vec![
        ("file", "choose another folder with `--out`, or move this one away"),
        ("/", "give a folder such as `results/my_run`"),
        (&long[..], "choose a shorter or plainer name with `--out`"),
    ];
    if cfg!(unix) {
        let on_the_way =
            "something on the way there is no folder: choose another path with `--out`";
        cases.push(("file/inside", on_the_way));
        cases.push(("file/inside/deep", on_the_way));
    }
    if cfg!(target_os = "linux") {
        cases.push(("/proc/run", "no folder can be made there: choose another path with `--out`"));
    }
    for (out, help) in cases {
        let answer =
            scratch.gudgeon(&["run", "model.toml", "--json", "--out", out]).exits(2).json();
        let error = &answer["errors"][0];
        assert_eq!((&error["code"], &error["help"]), (&json!("G1101"), &json!(help)), "{error}");
    }
    assert_eq!(scratch.entries(), ["file", "model.toml"]);
}

/// A result whose owner has protected it is not replaced.
#[cfg(unix)]
#[test]
fn protected_results_stay() {
    use std::os::unix::fs::PermissionsExt;
    let scratch = Scratch::with_model();
    scratch.run(&["--out", "out"]).exits(0);
    let out = scratch.path.join("out");
    let before = content(&out);
    std::fs::set_permissions(&out, PermissionsExt::from_mode(0o555)).unwrap();
    let text = scratch.run(&["--out", "out"]).exits(2).stderr();
    std::fs::set_permissions(&out, PermissionsExt::from_mode(0o755)).unwrap();
    let help = "choose another folder with `--out`, or allow writing to this one";
    assert_eq!(
        text,
        format!("error[G1101]: `out` is protected against writing\n |\n = help: {help}\n")
    );
    assert!(content(&out) == before);
}

/// A disk of its own size, where the system lets users mount one; answers with what the script says.
#[cfg(target_os = "linux")]
fn on_a_small_disk(scratch: &Scratch, kilobytes: u32, script: &str) -> Option<String> {
    std::fs::create_dir_all(scratch.path.join("disk")).unwrap();
    let mount = format!("mount -t tmpfs -o size={kilobytes}k none disk || exit 99\n");
    let mut command = std::process::Command::new("unshare");
    command.args(["--user", "--map-root-user", "--mount", "sh", "-c"]);
    command.arg(format!("{mount}{script}")).env("gudgeon", env!("CARGO_BIN_EXE_gudgeon"));
    let output = command.current_dir(&scratch.path).output().ok()?;
    let text = String::from_utf8(output.stdout).unwrap();
    (output.status.success() && !text.is_empty()).then_some(text)
}

/// On a full disk the last complete result stands at its place or beside it, and the answer says so.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_hides_no_complete_result() {
    let scratch = Scratch::with_model();
    let script = "
        run() { \"$gudgeon\" run model.toml --until \"$1\" --measure-from 0 --out disk/out --json; }
        run '0.3 rev' > first 2> said || { echo none; exit 0; }
        run '30 rev' > answer 2> said
        echo $?
        for folder in out out.complete; do grep -m1 '\"status\"' disk/$folder/run.json || echo none; done";
    let mut shortened = 0;
    for kilobytes in (600..1300).step_by(100) {
        let Some(said) = on_a_small_disk(&scratch, kilobytes, script) else {
            println!("no small disks here");
            return;
        };
        if said.trim() == "none" {
            continue;
        }
        let lines: Vec<&str> = said.lines().map(str::trim).collect();
        let kept = &scratch.json("answer")["kept"]["complete"];
        match lines[..] {
            ["0" | "1", r#""status": "ok","#, "none"] => assert!(kept.is_null(), "{kilobytes}"),
            ["1", r#""status": "failed","#, r#""status": "ok","#] => {
                assert_eq!(kept, "disk/out.complete", "{kilobytes}");
                let said = String::from_utf8(scratch.read("said")).unwrap();
                assert!(said.contains("  results  disk/out\n"), "{kilobytes}: {said}");
                shortened += 1;
            }
            _ => panic!("{kilobytes}: {said}"),
        }
    }
    assert!(shortened > 0);
}

/// Without room for its journal a study begun anew says where the complete one is.
#[cfg(target_os = "linux")]
#[test]
fn a_study_that_finds_no_room_to_begin_anew_tells_where_the_old_one_is() {
    let scratch = Scratch::new();
    scratch.write("s.toml", study("x^2", 1));
    let script = "
        \"$gudgeon\" study s.toml --out disk/out > /dev/null
        echo mine > disk/out/notes.txt
        dd if=/dev/zero of=disk/fill bs=4k 2> /dev/null
        dd if=/dev/null of=disk/fill bs=4k seek=$(( $(stat -c %s disk/fill) / 4096 - 1 )) 2> /dev/null
        \"$gudgeon\" study s.toml --out disk/out --overwrite 2>&1
        echo $?
        rm disk/fill
        \"$gudgeon\" study s.toml --out disk/out > /dev/null && ls disk disk/out/notes.txt";
    let Some(said) = on_a_small_disk(&scratch, 1000, script) else {
        println!("no small disks here");
        return;
    };
    let help =
        " = help: the complete study waits in `disk/out.complete`; the next start goes on here";
    assert!(said.contains(&format!("{help}\n2\n")), "{said}");
    assert!(said.ends_with("disk/out/notes.txt\n\ndisk:\nout\n"), "{said}");
}

/// The tables of the samples do not fit: what to do is said, as for all files after them.
#[cfg(target_os = "linux")]
#[test]
fn a_study_without_room_for_its_tables_says_what_to_do() {
    let scratch = Scratch::new();
    scratch.write("s.toml", study("x^2", 1));
    let script = "\"$gudgeon\" study s.toml --out disk/out 2>&1; echo $?";
    let mut tables = 0;
    for kilobytes in (8..40).step_by(4) {
        let Some(said) = on_a_small_disk(&scratch, kilobytes, script) else {
            println!("no small disks here");
            return;
        };
        if said.ends_with("\n1\n") {
            let told = said.contains("make room on the disk and resume");
            assert!(told, "{kilobytes}: {said}");
            tables += usize::from(said.contains("timing.csv") || said.contains("samples.csv"));
        }
    }
    assert!(tables > 0);
}
