//! The result folder: old or new, never half, and never what is not ours.

use std::fs;
use std::path::Path;

use gudgeon_output::{OutputError, ResultFolder};
use serde_json::json;

use crate::scratch::Scratch;

fn commit(target: &Path, text: &str) {
    let folder = ResultFolder::prepare(target).unwrap();
    folder.write("plot.svg", text).unwrap();
    let committed = folder.commit(&json!({"gudgeon": "0.1.0", "status": "ok"})).unwrap();
    assert_eq!((committed.path.as_path(), committed.complete), (target, None));
}

fn entries(folder: &Path) -> Vec<String> {
    let name = |e: std::io::Result<fs::DirEntry>| e.unwrap().file_name().into_string().unwrap();
    let mut names: Vec<_> = fs::read_dir(folder).unwrap().map(name).collect();
    names.sort();
    names
}

fn plot(target: &Path) -> String {
    fs::read_to_string(target.join("plot.svg")).unwrap()
}

#[test]
fn a_commit_replaces_the_old_result_and_leaves_nothing_else() {
    let scratch = Scratch::new();
    let parent = fs::canonicalize(&*scratch).unwrap();
    let target = parent.join("results/run");
    commit(&target, "one");
    commit(&target, "two");
    assert_eq!(plot(&target), "two");
    assert_eq!(entries(&parent.join("results")), ["run"]);
    insta::assert_snapshot!(fs::read_to_string(target.join("run.json")).unwrap(), @r#"
    {
      "gudgeon": "0.1.0",
      "status": "ok",
      "files": [
        "plot.svg",
        "run.json"
      ]
    }
    "#);
}

#[test]
fn files_of_the_user_stay_and_files_of_the_old_run_go() {
    let scratch = Scratch::new();
    let target = fs::canonicalize(&*scratch).unwrap().join("run");
    let folder = ResultFolder::prepare(&target).unwrap();
    folder.write("loops.csv", "").unwrap();
    folder.commit(&json!({"gudgeon": 1})).unwrap();
    fs::write(target.join("notes.txt"), "mine").unwrap();
    commit(&target, "two");
    assert_eq!(entries(&target), ["notes.txt", "plot.svg", "run.json"]);
}

#[test]
fn the_old_result_stays_until_the_commit() {
    let scratch = Scratch::new();
    let target = fs::canonicalize(&*scratch).unwrap().join("run");
    commit(&target, "one");
    let folder = ResultFolder::prepare(&target).unwrap();
    folder.write("plot.svg", "two").unwrap();
    assert_eq!(plot(&target), "one");
    drop(folder);
    assert_eq!(plot(&target), "one");
    assert_eq!(entries(target.parent().unwrap()), ["run"]);
}

#[test]
fn an_abandoned_run_leaves_no_trace() {
    let scratch = Scratch::new();
    let folder = ResultFolder::prepare(&scratch.join("results/deep/run")).unwrap();
    assert!(folder.path().is_dir());
    drop(folder);
    assert!(entries(&scratch).is_empty());
}

#[test]
fn what_is_not_ours_is_refused_and_left_alone() {
    let scratch = Scratch::new();
    let target = scratch.join("thesis");
    let refused = || {
        let error = ResultFolder::prepare(&target).unwrap_err();
        assert!(matches!(error, OutputError::NotAResult { .. }), "{error}");
        assert!(ResultFolder::check(&target).is_err());
        assert!(!error.help().is_empty());
        error.to_string().replace(&*target.to_string_lossy(), "thesis")
    };
    fs::write(&target, "a file").unwrap();
    insta::assert_snapshot!(refused(), @"`thesis` exists and is no result of gudgeon");
    fs::remove_file(&target).unwrap();
    fs::create_dir(&target).unwrap();
    fs::write(target.join("chapter.tex"), "").unwrap();
    refused();
    for foreign in ["{\"name\": 1}", "not json", "[\"gudgeon\"]", ""] {
        fs::write(target.join("run.json"), foreign).unwrap();
        refused();
    }
    assert_eq!(entries(&scratch), ["thesis"]);
    assert_eq!(entries(&target), ["chapter.tex", "run.json"]);
}

#[test]
fn an_empty_folder_may_be_used() {
    let scratch = Scratch::new();
    let target = fs::canonicalize(&*scratch).unwrap().join("run");
    fs::create_dir(&target).unwrap();
    commit(&target, "one");
    assert_eq!(plot(&target), "one");
}

#[test]
fn odd_names_are_refused() {
    for name in ["", "/", "missing/.."] {
        let error = ResultFolder::prepare(Path::new(name)).unwrap_err();
        assert!(matches!(error, OutputError::BadName { .. }), "{name}: {error}");
    }
}

#[cfg(unix)]
#[test]
fn a_protected_result_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let scratch = Scratch::new();
    let target = fs::canonicalize(&*scratch).unwrap().join("run");
    commit(&target, "one");
    fs::set_permissions(&target, PermissionsExt::from_mode(0o555)).unwrap();
    let error = ResultFolder::prepare(&target).unwrap_err();
    let protected = gudgeon_output::Obstacle::Protected;
    assert!(
        matches!(&error, OutputError::NotReplaceable { obstacle, .. } if *obstacle == protected)
    );
    fs::set_permissions(&target, PermissionsExt::from_mode(0o755)).unwrap();
    commit(&target, "two");
}

/// A folder kept elsewhere with a link in its place: the link goes, the folder does not.
#[cfg(unix)]
#[test]
fn a_kept_result_behind_a_link_is_left_alone() {
    let scratch = Scratch::new();
    let parent = fs::canonicalize(&*scratch).unwrap();
    let (target, complete) = (parent.join("run"), parent.join("run.complete"));
    commit(&target, "one");
    let failed = ResultFolder::prepare(&target).unwrap();
    failed.commit(&json!({"gudgeon": 1, "status": "failed"})).unwrap();
    fs::rename(&complete, parent.join("elsewhere")).unwrap();
    std::os::unix::fs::symlink(parent.join("elsewhere"), &complete).unwrap();
    commit(&target, "two");
    assert_eq!(entries(&scratch), ["elsewhere", "run"]);
    assert_eq!(plot(&parent.join("elsewhere")), "one");
}

#[test]
fn partial_folders_of_dead_runs_are_cleared_and_those_of_living_runs_kept() {
    let scratch = Scratch::new();
    let target = scratch.join("run");
    for dead in [".run.partial-1-0", ".run.partial-2-0"] {
        fs::create_dir(scratch.join(dead)).unwrap();
        fs::write(scratch.join(dead).join("series.csv"), "t [s]\n").unwrap();
    }
    fs::write(scratch.join(".run.partial-2-0.lock"), "").unwrap();
    fs::create_dir(scratch.join(".run.partial-notes")).unwrap();
    let living = ResultFolder::prepare(&target).unwrap();
    let second = ResultFolder::prepare(&target).unwrap();
    assert!(living.path().is_dir() && second.path().is_dir());
    assert_ne!(living.path(), second.path());
    second.commit(&json!({"gudgeon": 1})).unwrap();
    living.commit(&json!({"gudgeon": 2})).unwrap();
    assert_eq!(entries(&scratch), [".run.partial-notes", "run"]);
    assert!(fs::read_to_string(target.join("run.json")).unwrap().contains("\"gudgeon\": 2"));
}

/// The test runs itself as a second process, which dies in the middle of its run.
#[test]
fn a_killed_run_leaves_the_old_result_and_the_next_one_clears_up() {
    const TARGET: &str = "GUDGEON_OUTPUT_TEST_TARGET";
    if let Some(target) = std::env::var_os(TARGET) {
        let folder = ResultFolder::prepare(Path::new(&target)).unwrap();
        folder.write("plot.svg", "half").unwrap();
        std::process::abort();
    }
    let scratch = Scratch::new();
    let target = fs::canonicalize(&*scratch).unwrap().join("run");
    commit(&target, "one");
    let name = "folder::a_killed_run_leaves_the_old_result_and_the_next_one_clears_up";
    let child = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", name])
        .env(TARGET, &target)
        .output()
        .unwrap();
    assert!(!child.status.success());
    assert_eq!(plot(&target), "one");
    assert_eq!(entries(&scratch).len(), 3, "the result, the partial folder and its lock");
    commit(&target, "two");
    assert_eq!(entries(&scratch), ["run"]);
}

#[test]
fn a_result_that_cannot_take_its_place_is_kept() {
    let scratch = Scratch::new();
    let target = scratch.join("run");
    let folder = ResultFolder::prepare(&target).unwrap();
    fs::write(&target, "put here while the run went on").unwrap();
    let error = folder.commit(&json!({"gudgeon": 1})).unwrap_err();
    let OutputError::NotMoved { kept, .. } = &error else { panic!("{error}") };
    assert!(kept.join("run.json").exists());
    assert!(target.is_file());
}

#[test]
fn a_record_without_the_mark_is_not_committed() {
    let scratch = Scratch::new();
    let folder = ResultFolder::prepare(&scratch.join("run")).unwrap();
    let error = folder.commit(&json!({"status": "ok"})).unwrap_err();
    assert!(matches!(error, OutputError::Unmarked { .. }));
    assert!(entries(&scratch).is_empty());
}

#[test]
fn default_names_are_safe() {
    let name = |model| ResultFolder::default_path(model).to_string_lossy().replace('\\', "/");
    assert_eq!(name("slider_crank"), "results/slider_crank");
    assert_eq!(name("../a b"), "results/_a_b");
    assert_eq!(name(""), "results/model");
}

#[cfg(unix)]
#[test]
fn a_link_is_followed() {
    let scratch = Scratch::new();
    let real = fs::canonicalize(&*scratch).unwrap().join("real");
    fs::create_dir(&real).unwrap();
    std::os::unix::fs::symlink(&real, scratch.join("link")).unwrap();
    let folder = ResultFolder::prepare(&scratch.join("link")).unwrap();
    assert_eq!(folder.commit(&json!({"gudgeon": 1})).unwrap().path, real);
    assert!(scratch.join("link").is_symlink() && real.join("run.json").exists());
}
