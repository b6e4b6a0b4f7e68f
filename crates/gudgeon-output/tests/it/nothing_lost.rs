//! What incomplete attempts and killed runs leave: the newest attempt at its path, the last complete
//! result beside it, rows of a killed run in a folder of their own.

use std::fs;
use std::path::{Path, PathBuf};

use gudgeon_files::{Disk, Fault, Faults};
use gudgeon_output::{Column, Repair, ResultFolder, SeriesFormat, SeriesWriter};
use serde_json::{Value, json};

use crate::scratch::Scratch;

fn columns() -> Vec<Column> {
    vec![Column::time(), Column::new("slider, \"x\"", "m", "position")]
}

fn head() -> Value {
    json!({"gudgeon": "0.1.0", "model": {"name": "crank"}, "environment": {}})
}

fn begun(target: &Path) -> (ResultFolder, SeriesWriter) {
    let mut folder = ResultFolder::prepare(target).unwrap();
    folder.begin(&head(), &columns()).unwrap();
    let series = SeriesWriter::create(folder.path(), &columns(), SeriesFormat::ALL).unwrap();
    (folder, series)
}

/// A run with this many rows and this end; where the last complete one is kept.
fn run(target: &Path, rows: u32, status: &str) -> Option<PathBuf> {
    let (folder, mut series) = begun(target);
    for row in 0..rows {
        series.push(&[f64::from(row), 0.5]).unwrap();
    }
    series.finish().unwrap();
    let record = json!({"gudgeon": "0.1.0", "status": status, "rows": rows});
    folder.commit(&record).unwrap().complete
}

fn record(folder: &Path) -> Value {
    serde_json::from_slice(&fs::read(folder.join("run.json")).unwrap()).unwrap()
}

fn entries(folder: &Path) -> Vec<String> {
    let name = |e: std::io::Result<fs::DirEntry>| e.unwrap().file_name().into_string().unwrap();
    let mut names: Vec<_> = fs::read_dir(folder).unwrap().map(name).collect();
    names.sort();
    names
}

fn scratch() -> (Scratch, PathBuf) {
    let scratch = Scratch::new();
    let target = fs::canonicalize(&*scratch).unwrap().join("run");
    (scratch, target)
}

#[test]
fn an_incomplete_attempt_keeps_the_complete_result_beside_it() {
    let (scratch, target) = scratch();
    let complete = target.with_file_name("run.complete");
    run(&target, 3, "ok");
    fs::write(target.join("notes.txt"), "mine").unwrap();
    for (status, rows) in [("interrupted", 1), ("failed", 2)] {
        assert_eq!(run(&target, rows, status).as_ref(), Some(&complete));
        assert_eq!(record(&target)["status"], status);
        assert_eq!(record(&complete)["rows"], 3, "the complete one stays after {status}");
        assert_eq!(entries(&scratch), ["run", "run.complete"]);
        assert!(target.join("notes.txt").exists(), "what the user put there stays at the path");
    }
    assert_eq!(entries(&complete), ["kept.txt", "run.json", "series.csv", "series.parquet"]);
    // A complete result makes the kept one superfluous; what the user has put there moves.
    fs::write(complete.join("thoughts.txt"), "mine").unwrap();
    fs::write(complete.join("notes.txt"), "others").unwrap();
    assert_eq!(run(&target, 4, "ok"), None);
    assert_eq!(entries(&scratch), ["run"]);
    let kept = ["notes.txt", "notes.txt.old", "run.json", "series.csv", "series.parquet"];
    assert_eq!(entries(&target)[..5], kept);
    assert_eq!(fs::read_to_string(target.join("notes.txt")).unwrap(), "mine");
    assert!(target.join("thoughts.txt").exists());
    // A later failure keeps the later complete one.
    run(&target, 1, "failed");
    assert_eq!(record(&complete)["rows"], 4);
}

#[test]
fn without_a_complete_result_there_is_nothing_to_keep() {
    let (scratch, target) = scratch();
    assert_eq!(run(&target, 1, "failed"), None);
    assert_eq!(run(&target, 2, "interrupted"), None);
    assert_eq!(entries(&scratch), ["run"]);
    assert_eq!(record(&target)["rows"], 2);
}

#[test]
fn folders_of_the_user_with_such_names_are_left_alone() {
    let (scratch, target) = scratch();
    // A result that the user has put there with `--out run.complete`, and a folder of something else.
    let named = target.with_file_name("run.complete");
    run(&named, 7, "ok");
    fs::create_dir(target.with_file_name("run.killed")).unwrap();
    fs::write(target.with_file_name("run.killed").join("list"), "mine").unwrap();
    run(&target, 3, "ok");
    let second = target.with_file_name("run.complete-2");
    assert_eq!(run(&target, 1, "failed").as_ref(), Some(&second));
    killed(&target, "0,1\n");
    run(&target, 4, "ok");
    assert_eq!(entries(&scratch), ["run", "run.complete", "run.killed", "run.killed-2"]);
    assert_eq!(record(&named)["rows"], 7);
    assert_eq!(entries(&target.with_file_name("run.killed")), ["list"]);
}

#[test]
fn a_note_of_the_user_with_the_name_of_ours_stays() {
    let (scratch, target) = scratch();
    let named = target.with_file_name("run.complete");
    for folder in [&named, &target] {
        run(folder, 3, "ok");
        fs::write(folder.join("kept.txt"), "mine").unwrap();
    }
    for status in ["ok", "failed", "ok"] {
        run(&target, 4, status);
        for folder in [&named, &target] {
            assert_eq!(fs::read(folder.join("kept.txt")).unwrap(), b"mine", "{status}");
        }
    }
    assert_eq!(entries(&scratch), ["run", "run.complete"]);
}

/// What a run that was killed has left: a record, and some bytes of its table.
fn killed(target: &Path, rows: &str) {
    let (begun, series) = begun(target);
    series.finish().unwrap();
    let folder = target.with_file_name(".run.partial-999999999-0");
    fs::create_dir(&folder).unwrap();
    fs::copy(begun.path().join("run.json"), folder.join("run.json")).unwrap();
    let heading = fs::read_to_string(begun.path().join("series.csv")).unwrap();
    drop(begun);
    fs::write(folder.join("series.csv"), format!("{heading}{rows}")).unwrap();
    fs::write(folder.join("series.parquet"), "PAR1 and no end").unwrap();
    fs::write(folder.join("plot.svg"), "<svg").unwrap();
    fs::write(folder.join("loops.csv"), "joint,impact,t [s],depth [m],force [N]\npin,1,0,0,")
        .unwrap();
    fs::write(target.with_file_name(".run.partial-999999999-0.lock"), "").unwrap();
}

#[test]
fn rows_of_a_killed_run_are_kept() {
    for (rows, whole) in [
        ("0,1\n0.5,2\n", 2),
        ("0,1\n0.5,2", 1),
        ("0,1\n0.5,2\n0.7,", 2),
        ("0,NaN\n0.5,inf\n", 2),
        ("0,1\n0.5,2\n\0\0\0\0\0\n1,2\n", 2),
        ("0,1\n0.5,2,3\n", 1),
    ] {
        let (scratch, target) = scratch();
        let beside = target.with_file_name("run.killed");
        run(&target, 3, "ok");
        killed(&target, rows);
        let folder = ResultFolder::prepare(&target).unwrap();
        let [Repair::Salvaged { path, rows: found, time }] = folder.repairs() else {
            panic!("{:?}", folder.repairs())
        };
        assert_eq!((path, *found, *time), (&beside, whole, 0.5 * (whole - 1) as f64), "{rows:?}");
        drop(folder);
        assert_eq!(entries(&scratch), ["run", "run.killed"], "{rows:?}");
        let left = ["loops.csv", "run.json", "series.csv", "series.parquet"];
        assert_eq!(entries(&beside), left);
        let record = record(&beside);
        assert_eq!((&record["status"], &record["rows"]), (&json!("killed"), &json!(whole)));
        assert_eq!(record["model"]["name"], "crank");
        assert_eq!(record["final"]["t"], 0.5 * (whole - 1) as f64);
        assert_eq!(record["files"], json!(left));
        assert_eq!(record.get("columns"), None);
        let table = fs::read_to_string(beside.join("series.csv")).unwrap();
        assert_eq!(table.lines().count() as u64, 1 + whole);
        assert!(table.ends_with('\n'));
        assert!(fs::read(beside.join("series.parquet")).unwrap().ends_with(b"PAR1"));
        let loops = fs::read_to_string(beside.join("loops.csv")).unwrap();
        assert_eq!(loops, "joint,impact,t [s],depth [m],force [N]\n");
    }
}

#[test]
fn the_rebuilt_parquet_is_that_of_a_run_with_these_rows() {
    let (_scratch, target) = scratch();
    let found =
        |folder: &str, file: &str| fs::read(target.with_file_name(folder).join(file)).unwrap();
    run(&target, 3, "ok");
    killed(&target, "0,0.5\n1,0.5\n2,0.5\n3,0.");
    drop(ResultFolder::prepare(&target).unwrap());
    for file in ["series.csv", "series.parquet"] {
        assert!(found("run.killed", file) == found("run", file), "{file}");
    }
}

#[test]
fn a_killed_run_without_rows_leaves_nothing() {
    let (scratch, target) = scratch();
    run(&target, 3, "ok");
    killed(&target, "");
    let folder = ResultFolder::prepare(&target).unwrap();
    assert!(folder.repairs().is_empty(), "{:?}", folder.repairs());
    drop(folder);
    assert_eq!(entries(&scratch), ["run"]);
}

/// The rows were made a result of their own, and then that start was killed, too.
#[test]
fn rows_are_told_by_the_start_that_puts_them_there() {
    for at in 1.. {
        let (_scratch, target) = scratch();
        let beside = target.with_file_name("run.killed");
        killed(&target, "0,1\n0.5,2\n");
        let faults = Faults::new(Fault::Killed, at).share();
        drop(ResultFolder::prepare_on(Disk::failing(&faults), &target));
        if beside.exists() {
            assert!(at > 10, "it takes some steps: {at}");
            break;
        }
        let folder = ResultFolder::prepare(&target).unwrap();
        let [Repair::Salvaged { path, rows: 2, time: 0.5 }] = folder.repairs() else {
            panic!("killed at {at}: {:?}", folder.repairs())
        };
        assert_eq!(path, &beside);
    }
}

#[test]
fn rows_reach_the_disk_within_a_second() {
    let (_scratch, target) = scratch();
    let (folder, mut series) = begun(&target);
    series.push(&[0.0, 1.0]).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(1010));
    series.push(&[1.0, 1.0]).unwrap();
    series.push(&[2.0, 1.0]).unwrap();
    let text = fs::read_to_string(folder.path().join("series.csv")).unwrap();
    assert_eq!(text.lines().count(), 3, "{text}");
}

#[test]
fn a_panic_is_no_reason_to_lose_rows() {
    let (scratch, target) = scratch();
    let path = target.clone();
    let panicked = std::thread::spawn(move || {
        let (_folder, mut series) = begun(&path);
        series.push(&[0.0, 1.0]).unwrap();
        series.finish().unwrap();
        panic!("on purpose");
    });
    assert!(panicked.join().is_err());
    drop(ResultFolder::prepare(&target).unwrap());
    assert_eq!(entries(&scratch), ["run.killed"]);
}

#[test]
fn a_finished_result_that_had_not_reached_its_place_goes_there() {
    let (scratch, target) = scratch();
    run(&target, 3, "ok");
    for (lock, rows) in [("", 5), ("0123", 6)] {
        let other = target.with_file_name("other");
        run(&other, rows, "ok");
        fs::rename(&other, target.with_file_name(".run.partial-999999999-0")).unwrap();
        fs::write(target.with_file_name(".run.partial-999999999-0.lock"), lock).unwrap();
        let folder = ResultFolder::prepare(&target).unwrap();
        assert!(matches!(folder.repairs(), [Repair::Finished { .. }]), "{:?}", folder.repairs());
        drop(folder);
        assert_eq!(record(&target)["rows"], rows);
        assert_eq!(entries(&scratch), ["run"]);
    }
    // One that was exchanged for another is the old one.
    let other = target.with_file_name("other");
    run(&other, 9, "ok");
    fs::rename(&other, target.with_file_name(".run.partial-999999999-0")).unwrap();
    let lock = target.with_file_name(".run.partial-999999999-0.lock");
    fs::write(lock, "0123456789abcdef").unwrap();
    drop(ResultFolder::prepare(&target).unwrap());
    assert_eq!(record(&target)["rows"], 6);
    assert_eq!(entries(&scratch), ["run"]);
}

#[test]
fn half_an_exchange_is_undone_at_the_next_start() {
    let (scratch, target) = scratch();
    let aside = target.with_file_name(".run.partial-999999999-0.previous");
    run(&target, 3, "ok");
    fs::rename(&target, &aside).unwrap();
    let folder = ResultFolder::prepare(&target).unwrap();
    assert!(matches!(folder.repairs(), [Repair::Restored { .. }]), "{:?}", folder.repairs());
    drop(folder);
    assert_eq!(record(&target)["rows"], 3);
    // Both renames done: the one aside is the old one, and complete.
    fs::rename(&target, &aside).unwrap();
    let other = target.with_file_name("other");
    run(&other, 1, "failed");
    fs::rename(&other, &target).unwrap();
    drop(ResultFolder::prepare(&target).unwrap());
    assert_eq!(record(&target)["rows"], 1);
    assert_eq!(record(&target.with_file_name("run.complete"))["rows"], 3);
    assert_eq!(entries(&scratch), ["run", "run.complete"]);
}

#[test]
fn many_runs_to_one_place_at_once() {
    let (scratch, target) = scratch();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let target = &target;
            scope.spawn(move || {
                for i in 0..20 {
                    let status = if (i + thread) % 3 == 0 { "failed" } else { "ok" };
                    let (folder, mut series) = begun(target);
                    series.push(&[0.0, 0.5]).unwrap();
                    series.finish().unwrap();
                    folder.commit(&json!({"gudgeon": 1, "status": status})).unwrap();
                }
            });
        }
    });
    run(&target, 2, "ok");
    assert_eq!(entries(&scratch), ["run"]);
}
