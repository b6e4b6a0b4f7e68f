//! Fault injection: the n-th operation of a run fails, for every n and every kind of fault.
//!
//! Whatever fails, the path holds the whole old or the whole new result, the error names a path and a
//! cause, and the next run ends well and leaves nothing hidden behind.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gudgeon_files::{Disk, Fault, Faults};
use gudgeon_output::{Column, OutputError, ResultFolder, SeriesFormat, SeriesWriter};
use serde_json::{Value, json};

#[path = "../src/scratch.rs"]
mod scratch;
use scratch::Scratch;

const ROWS: u32 = 40;

/// A disk without faults that need not wait.
fn good() -> Disk {
    Disk::failing(&Faults::new(Fault::Broken, 0).share())
}

/// All of a run: its folder, rows in both formats, a picture, its record. Puts into `complete` where
/// it says that the last complete result is.
fn run_telling(
    disk: Disk,
    target: &Path,
    (number, status): (u32, &str),
    complete: &mut Option<PathBuf>,
) -> Result<(), OutputError> {
    let columns = [Column::time(), Column::new("x", "m", "")];
    let mut folder = ResultFolder::prepare_on(disk.clone(), target)?;
    folder.begin(&json!({"gudgeon": 1, "number": number}), &columns)?;
    let mut series = SeriesWriter::create_on(&disk, folder.path(), &columns, SeriesFormat::ALL)?;
    let rows = (0..ROWS).map(|row| series.push(&[f64::from(row), f64::from(number)]));
    let mut error = rows.collect::<Result<Vec<()>, _>>().err();
    error = error.or(series.finish().err());
    error = error.or(folder.write("plot.svg", &format!("<svg>{number}</svg>")).err());
    let status = if error.is_some() { "failed" } else { status };
    let record = json!({"gudgeon": 1, "status": status, "number": number});
    let committed = folder.commit(&record);
    let known = committed.as_ref().map_or_else(|error| error.committed(), Some);
    *complete = known.and_then(|committed| committed.complete.clone());
    committed?;
    error.map_or(Ok(()), Err)
}

fn run(disk: Disk, target: &Path, number: u32, status: &str) -> Result<(), OutputError> {
    run_telling(disk, target, (number, status), &mut None)
}

/// The number of the result at a path, after a look at all its files.
fn whole(folder: &Path) -> Option<(u64, String)> {
    let text = fs::read(folder.join("run.json")).ok()?;
    let record: Value = serde_json::from_slice(&text).expect("a whole record");
    let number = record["number"].as_u64().expect("a number");
    let status = record["status"].as_str().expect("a status").to_owned();
    for file in record["files"].as_array().expect("files") {
        let name = file.as_str().expect("a name");
        let bytes = fs::read(folder.join(name)).unwrap_or_else(|_| panic!("{name} is listed"));
        match name {
            "series.csv" => {
                let text = String::from_utf8(bytes).expect("text");
                assert!(text.is_empty() || text.ends_with('\n'), "a torn line");
                let rows = text.lines().skip(1).enumerate();
                for (i, row) in rows {
                    assert_eq!(row, format!("{i},{number}"));
                }
                let complete = text.lines().count() == 1 + ROWS as usize;
                assert!(complete || status != "ok", "{status} with {} lines", text.lines().count());
            }
            "series.parquet" => {
                assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"), "half a parquet")
            }
            "plot.svg" => assert_eq!(bytes, format!("<svg>{number}</svg>").as_bytes()),
            _ => {}
        }
    }
    let has = |name: &str| folder.join(name).exists();
    assert!(status != "ok" || (has("series.csv") && has("series.parquet") && has("plot.svg")));
    Some((number, status))
}

fn entries(folder: &Path) -> Vec<String> {
    let name = |e: std::io::Result<fs::DirEntry>| e.unwrap().file_name().into_string().unwrap();
    let mut names: Vec<_> = fs::read_dir(folder).unwrap().map(name).collect();
    names.sort();
    names
}

/// What a test begins with and what it then does.
#[derive(Clone, Copy, Debug)]
struct Story {
    exchange: bool,
    /// Ends of the runs before, numbered from 1.
    before: &'static [&'static str],
    /// A run that was killed before, and left rows.
    killed: bool,
    /// How the run ends that is disturbed.
    ends: &'static str,
}

const STORIES: [Story; 8] = [
    Story { exchange: true, before: &[], killed: false, ends: "ok" },
    Story { exchange: true, before: &["ok"], killed: false, ends: "ok" },
    Story { exchange: false, before: &["ok"], killed: false, ends: "ok" },
    Story { exchange: true, before: &["ok"], killed: false, ends: "failed" },
    Story { exchange: false, before: &["ok"], killed: false, ends: "failed" },
    Story { exchange: true, before: &["ok", "failed"], killed: false, ends: "ok" },
    Story { exchange: true, before: &["ok", "failed"], killed: true, ends: "failed" },
    Story { exchange: false, before: &["ok", "failed"], killed: true, ends: "ok" },
];

/// Lets operation `at` fail. Answers whether there are that many.
fn disturb(story: Story, fault: Fault, at: usize, seen: &mut BTreeMap<String, u32>) -> bool {
    let what = format!("{story:?}, {fault:?} at {at}");
    let scratch = Scratch::in_memory();
    let target = fs::canonicalize(&*scratch).unwrap().join("run");
    let complete = target.with_file_name("run.complete");
    for (i, status) in story.before.iter().enumerate() {
        run(good(), &target, i as u32 + 1, status).unwrap();
    }
    if story.killed {
        leave_killed(&target);
    }
    fs::write(target.with_file_name("mine"), "").unwrap();
    if let Some(folder) = target.is_dir().then_some(&target) {
        fs::write(folder.join("notes.txt"), "mine").unwrap();
    }
    let faults = Faults::new(fault, at);
    let faults = if story.exchange { faults } else { faults.without_exchange() }.share();
    let number = story.before.len() as u64 + 1;
    let (disk, ends, mut told) = (Disk::failing(&faults), (number as u32, story.ends), None);
    let ended = run_telling(disk, &target, ends, &mut told);
    if fault == Fault::PowerCut {
        faults.lose_unsaved().unwrap();
    }
    look_at_message(&ended, &faults, &what);
    let standing = whole(&target);
    *seen.entry(outcome(&ended, &standing, number)).or_default() += 1;
    if ended.is_ok() {
        assert_eq!(
            standing.as_ref().map(|s| (s.0, &s.1[..])),
            Some((number, story.ends)),
            "{what}"
        );
    }
    let halfway = standing.is_none() && !story.exchange && !story.before.is_empty();
    assert!(standing.is_some() || story.before.is_empty() || halfway, "{what}: nothing is there");
    // No complete result is lost or hidden: unless the process died, it stands at its place or
    // beside it, or is where the run says.
    let ends_well = |folder: &Path| whole(folder).is_some_and(|(_, status)| status == "ok");
    let is_dead = matches!(fault, Fault::Killed | Fault::PowerCut);
    if !is_dead && !story.before.is_empty() {
        let stands = ends_well(&target) || ends_well(&complete);
        let is_told = fault != Fault::Full && told.as_deref().is_some_and(ends_well);
        assert!(stands || is_told, "{what}: {:?}, {told:?}", entries(&scratch));
        assert!(told.as_deref().is_none_or(ends_well), "{what}: {told:?}");
        // nobody looks in vain for one that there is
        let displaced = standing.as_ref().is_some_and(|s| s.0 == number && s.1 != "ok");
        assert!(!displaced || told.is_some() || is_read(&faults), "{what}");
    }
    // The next start puts everything right.
    drop(
        ResultFolder::prepare_on(good(), &target).unwrap_or_else(|error| panic!("{what}: {error}")),
    );
    let newest = whole(&target);
    assert!(newest.is_some() || story.before.is_empty(), "{what}");
    if !story.before.is_empty() {
        assert!(ends_well(&target) || ends_well(&complete), "{what}: {:?}", entries(&scratch));
        let notes = [&target, &complete].into_iter().any(|f| f.join("notes.txt").exists());
        assert!(notes, "{what}: the user's file is gone");
    }
    if story.killed {
        // The rows of the disturbed run are newer.
        let (killed, status) = whole(&target.with_file_name("run.killed")).expect("killed rows");
        assert!(status == "killed" && (killed == 77 || killed == number), "{what}: {killed}");
    }
    let hidden = |name: &String| name.starts_with('.');
    assert!(!entries(&scratch).iter().any(hidden), "{what}: {:?}", entries(&scratch));
    run(good(), &target, 99, "ok").unwrap_or_else(|error| panic!("{what}: {error}"));
    assert_eq!(whole(&target), Some((99, "ok".into())), "{what}");
    assert!(!complete.exists(), "{what}");
    assert!(story.before.is_empty() || target.join("notes.txt").exists(), "{what}");
    faults.count() >= at
}

/// A run that was killed after some rows.
fn leave_killed(target: &Path) {
    let columns = [Column::time(), Column::new("x", "m", "")];
    let mut folder = ResultFolder::prepare_on(good(), target).unwrap();
    folder.begin(&json!({"gudgeon": 1, "number": 77}), &columns).unwrap();
    let mut series = SeriesWriter::create(folder.path(), &columns, SeriesFormat::ALL).unwrap();
    for row in 0..7 {
        series.push(&[f64::from(row), 77.0]).unwrap();
    }
    series.finish().unwrap();
    let dead = target.with_file_name(".run.partial-999999999-0");
    fs::create_dir(&dead).unwrap();
    for name in entries(folder.path()) {
        fs::copy(folder.path().join(&name), dead.join(&name)).unwrap();
    }
    fs::write(target.with_file_name(".run.partial-999999999-0.lock"), "").unwrap();
}

/// Whether what failed was a look at the disk, as that for the last complete result.
fn is_read(faults: &Faults) -> bool {
    faults.first().is_some_and(|first| first.starts_with("Read "))
}

/// A message says what could not be done with which file, and why.
fn look_at_message(ended: &Result<(), OutputError>, faults: &Arc<Faults>, what: &str) {
    let Err(error) = ended else { return };
    let text = error.to_string();
    let first = faults.first().unwrap_or_else(|| panic!("{what}: {text} without a fault"));
    assert!(text.starts_with("cannot ") && text.contains('`'), "{what}, {first}: {text}");
    let causes = ["no storage space", "input/output error", "the process has ended", "an earlier"];
    assert!(causes.iter().any(|cause| text.contains(cause)), "{what}, {first}: {text}");
}

fn outcome(ended: &Result<(), OutputError>, standing: &Option<(u64, String)>, new: u64) -> String {
    let ended = if ended.is_ok() { "ended" } else { "told" };
    match standing {
        None => format!("{ended}, nothing there"),
        Some((number, status)) if *number == new => format!("{ended}, new {status}"),
        Some((_, status)) => format!("{ended}, old {status}"),
    }
}

#[test]
fn every_operation_of_a_run_may_fail() {
    let mut seen = BTreeMap::new();
    let mut points = 0;
    for story in STORIES {
        for fault in Fault::ALL {
            points += (1..).take_while(|at| disturb(story, fault, *at, &mut seen)).count();
        }
    }
    println!("{points} faults: {seen:?}");
    assert!(points > 1500, "{points}");
    for expected in ["told, old ok", "told, new failed", "ended, new ok", "ended, new failed"] {
        assert!(seen.contains_key(expected), "{expected} never happened: {seen:?}");
    }
}

/// A run is killed from the last look at its files on, and the next one at any moment: among them
/// those in which it puts right what the first has left.
#[test]
fn two_kills_in_a_row_cost_nothing() {
    let mut pairs = 0;
    for (exchange, ends, second) in
        [(true, "failed", "ok"), (true, "ok", "failed"), (false, "failed", "ok")]
    {
        let story = Story { exchange, before: &["ok"], killed: false, ends };
        let all = operations(story);
        for at in all - 25..all {
            pairs += (1..).take_while(|next| kill_twice(story, second, at, *next)).count();
        }
    }
    println!("{pairs} pairs of kills");
    assert!(pairs > 3000, "{pairs}");
}

/// How many operations an undisturbed run makes.
fn operations(story: Story) -> usize {
    let scratch = Scratch::in_memory();
    run(good(), &scratch.join("run"), 1, "ok").unwrap();
    let faults = on(story, 0);
    run(Disk::failing(&faults), &scratch.join("run"), 2, story.ends).unwrap();
    faults.count()
}

fn on(story: Story, at: usize) -> Arc<Faults> {
    let faults = Faults::new(Fault::Killed, at);
    if story.exchange { faults } else { faults.without_exchange() }.share()
}

/// Answers whether the second run makes that many operations.
fn kill_twice(story: Story, second: &str, at: usize, next: usize) -> bool {
    let what = format!("{story:?}, then {second}, killed at {at} and {next}");
    let scratch = Scratch::in_memory();
    let target = fs::canonicalize(&*scratch).unwrap().join("run");
    run(good(), &target, 1, "ok").unwrap();
    fs::write(target.join("notes.txt"), "mine").unwrap();
    let _ = run(Disk::failing(&on(story, at)), &target, 2, story.ends);
    let number = || whole(&target).map(|(number, _)| number);
    let before = number();
    let faults = on(story, next);
    let _ = run(Disk::failing(&faults), &target, 3, second);
    let after = number();
    let last = ResultFolder::prepare_on(good(), &target);
    drop(last.unwrap_or_else(|error| panic!("{what}: {error}")));
    let complete = target.with_file_name("run.complete");
    let newest = whole(&target).unwrap_or_else(|| panic!("{what}: {:?}", entries(&scratch)));
    let ends_well = |folder: &Path| whole(folder).is_some_and(|(_, status)| status == "ok");
    assert!(ends_well(&target) || ends_well(&complete), "{what}: {newest:?}");
    assert!(!ends_well(&target) || !complete.exists(), "{what}: kept without need");
    // An attempt that stood at the path is followed by newer ones only.
    assert!(after.is_none_or(|number| newest.0 >= number), "{what}: {after:?}, {newest:?}");
    assert!(before.is_none_or(|number| newest.0 >= number), "{what}: {before:?}, {newest:?}");
    assert!(target.join("notes.txt").exists(), "{what}: the user's file is gone");
    assert!(!entries(&scratch).iter().any(|name| name.starts_with('.')), "{what}");
    faults.count() >= next
}
