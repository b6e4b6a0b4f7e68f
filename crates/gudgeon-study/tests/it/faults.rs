//! Fault injection: the n-th operation of a study fails, for every n and every kind of fault.
//!
//! Whatever fails, nothing announced is lost, tables are whole, old or absent, the error names a path
//! and a cause, and resumed the study gives the same bytes as one that was not disturbed.

use std::fs;
use std::path::Path;

use crate::scratch::Scratch;
use gudgeon_files::{Disk, Fault, Faults};
use gudgeon_study::store::{
    Column, Damaged, JOURNAL, Plan, Record, SampleOutcome, Store, StoreError, TABLE, TIMING,
};

const SAMPLES: usize = 5;

fn plan() -> Plan {
    Plan {
        fingerprint: 17,
        description: "study\nsamples = 5\n".into(),
        variables: vec![Column::new("clearance", "m")],
        values: vec![Column::new("power", "W"), Column::new("impacts", "")],
    }
}

fn record(index: usize) -> Record {
    let x = index as f64 / 3.0;
    let outcome = match index {
        3 => SampleOutcome::Failed("no luck".into()),
        _ => SampleOutcome::Done(vec![x.sin(), 1e-9 * x]),
    };
    Record { index, point: vec![x], outcome, notes: Vec::new(), cpu_seconds: 0.1 * x }
}

fn good() -> Disk {
    Disk::failing(&Faults::new(Fault::Broken, 0).share())
}

/// All of a study, from what the folder holds on; `announced` counts samples that are safe.
fn study(disk: Disk, folder: &Path, announced: &mut usize) -> Result<(), StoreError> {
    study_in(Damaged::Refuse, disk, folder, announced)
}

fn study_in(
    damaged: Damaged,
    disk: Disk,
    folder: &Path,
    announced: &mut usize,
) -> Result<(), StoreError> {
    let mut store = Store::open_on(disk, folder, &plan(), damaged)?;
    *announced = store.records().len();
    for index in 0..SAMPLES {
        if !store.records().contains_key(&index) {
            store.append(&[record(index)])?;
            *announced += 1;
        }
    }
    store.finish(SAMPLES)
}

fn tables(folder: &Path) -> [Option<Vec<u8>>; 2] {
    [TABLE, TIMING].map(|name| fs::read(folder.join(name)).ok())
}

fn reference() -> [Option<Vec<u8>>; 2] {
    let folder = Scratch::new();
    study(good(), &folder, &mut 0).expect("no faults");
    tables(&folder)
}

/// How the folder is before the study is disturbed.
#[derive(Clone, Copy, Debug)]
enum Before {
    Fresh,
    /// Some samples are there, and half a record that a kill tore.
    Torn,
    /// It is complete, and its tables are written again.
    Complete,
    /// The magic of the journal is damaged, the rest is whole.
    Magic,
    /// What says of which study it is is damaged: the samples are salvaged.
    Beginning,
}

impl Before {
    fn damaged(self) -> Damaged {
        if matches!(self, Before::Beginning) { Damaged::Salvage } else { Damaged::Refuse }
    }
}

fn prepare(folder: &Path, before: Before) {
    if matches!(before, Before::Fresh) {
        return;
    }
    study(good(), folder, &mut 0).expect("no faults");
    let path = folder.join(JOURNAL);
    let mut bytes = fs::read(&path).expect("a journal");
    match before {
        Before::Torn => bytes.truncate(bytes.len() - 100),
        Before::Magic => bytes[3] ^= 1,
        Before::Beginning => bytes[60] ^= 1,
        Before::Fresh | Before::Complete => return,
    }
    fs::write(&path, bytes).expect("written");
    for name in [TABLE, TIMING] {
        fs::remove_file(folder.join(name)).expect("a table");
    }
}

/// Lets operation `at` fail. Answers whether there are that many.
fn disturb(before: Before, fault: Fault, at: usize, reference: &[Option<Vec<u8>>; 2]) -> bool {
    let what = format!("{before:?}, {fault:?} at {at}");
    let folder = Scratch::new();
    prepare(&folder, before);
    let (faults, mut announced) = (Faults::new(fault, at).share(), 0);
    let ended = study_in(before.damaged(), Disk::failing(&faults), &folder, &mut announced);
    if fault == Fault::PowerCut {
        faults.lose_unsaved().expect("cut");
    }
    for (found, whole) in tables(&folder).iter().zip(reference) {
        assert!(found.is_none() || found == whole, "{what}: half a table");
    }
    match &ended {
        Ok(()) => assert!(tables(&folder) == *reference, "{what}"),
        Err(error) => {
            let text = error.to_string();
            let first = faults.first().expect("a fault");
            let causes = ["no storage space", "input/output error", "the process has ended"];
            let is_told = causes.iter().any(|cause| text.contains(cause));
            assert!(
                text.starts_with("cannot ") && text.contains('`') && is_told,
                "{first}: {text}"
            );
        }
    }
    let resumed = Store::open_on(good(), &folder, &plan(), before.damaged());
    let resumed = resumed.unwrap_or_else(|error| panic!("{what}: {error}"));
    assert!(resumed.records().len() >= announced, "{what}: announced samples are lost");
    let torn = resumed.torn_bytes() > 0;
    assert_eq!(
        resumed.repair().is_some(),
        torn || resumed.repair().is_some_and(|r| r.contains("beginning"))
    );
    drop(resumed);
    study(good(), &folder, &mut 0).unwrap_or_else(|error| panic!("{what}: {error}"));
    assert!(tables(&folder) == *reference, "{what}: other bytes");
    assert!(!folder.join("study.journal.damaged-2").exists(), "{what}: kept twice");
    faults.count() >= at
}

#[test]
fn every_operation_of_a_study_may_fail() {
    let (reference, mut points) = (reference(), 0);
    use Before::{Beginning, Complete, Fresh, Magic, Torn};
    for before in [Fresh, Torn, Complete, Magic, Beginning] {
        for fault in Fault::ALL {
            points += (1..).take_while(|at| disturb(before, fault, *at, &reference)).count();
        }
    }
    println!("{points} faults");
    assert!(points > 400, "{points}");
}

#[test]
fn after_a_failed_write_nothing_more_is_announced() {
    let folder = Scratch::new();
    let mut at = 0;
    // The first operation that an append makes.
    for n in 1.. {
        let faults = Faults::new(Fault::Broken, n).share();
        let Ok(mut store) =
            Store::open_on(Disk::failing(&faults), &folder, &plan(), Damaged::Refuse)
        else {
            continue;
        };
        if store.append(&[record(0)]).is_err() {
            let error = store.append(&[record(1)]).expect_err("nobody knows what is on the disk");
            assert!(error.to_string().contains("no sample is finished"), "{error}");
            at = n;
            break;
        }
        drop(store);
        fs::remove_file(folder.join(JOURNAL)).expect("a journal");
    }
    assert!(at > 0);
    let store = Store::open(&folder, &plan()).expect("the same study");
    assert!(store.records().is_empty());
}

fn damaged(folder: &Path, change: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    study(good(), folder, &mut 0).expect("no faults");
    let mut bytes = fs::read(folder.join(JOURNAL)).expect("a journal");
    change(&mut bytes);
    fs::write(folder.join(JOURNAL), &bytes).expect("written");
    bytes
}

#[test]
fn samples_behind_a_damaged_beginning_are_offered() {
    let folder = Scratch::new();
    // A bit within the description: nobody knows which study it was.
    let bytes = damaged(&folder, |bytes| bytes[60] ^= 1);
    let error = Store::open(&folder, &plan()).expect_err("damaged");
    assert!(matches!(error, StoreError::NotAJournal { samples: SAMPLES, .. }), "{error:?}");
    assert!(error.to_string().ends_with("5 samples behind it are whole"), "{error}");
    let store = Store::open_on(good(), &folder, &plan(), Damaged::Salvage).expect("salvaged");
    assert_eq!(store.records().len(), SAMPLES);
    let told = store.repair().expect("a repair is told");
    assert!(told.contains("5 samples are kept") && told.contains("journal.damaged"), "{told}");
    drop(store);
    assert_eq!(fs::read(folder.join("study.journal.damaged")).expect("kept"), bytes);
    let store = Store::open(&folder, &plan()).expect("whole again");
    assert!(store.records().len() == SAMPLES && store.repair().is_none());
    assert_eq!(store.records()[&2], record(2));
}

/// All files of a folder, to tell whether one has been touched.
fn content(folder: &Path) -> Vec<(std::ffi::OsString, Vec<u8>)> {
    let entries = fs::read_dir(folder).expect("a folder").flatten();
    let mut all: Vec<_> =
        entries.map(|e| (e.file_name(), fs::read(e.path()).expect("a file"))).collect();
    all.sort();
    all
}

/// Another study of the same width: its own description is damaged, so that only the samples can
/// tell. They were taken for those of the study asked for, and the journal became its own.
#[test]
fn samples_of_another_study_are_not_salvaged() {
    let folder = Scratch::new();
    damaged(&folder, |bytes| bytes[60] ^= 1);
    let before = content(&folder);
    let hidden = Plan { fingerprint: 18, ..plan() };
    let words = Plan { description: "study\nsamples = 6\n".into(), ..plan() };
    let unit = Plan { variables: vec![Column::new("clearance", "mm")], ..plan() };
    for other in [hidden, words, unit] {
        for mode in [Damaged::Refuse, Damaged::Salvage] {
            let error = Store::open_on(good(), &folder, &other, mode).expect_err("not its samples");
            assert!(
                matches!(error, StoreError::NotAJournal { samples: 0, others: SAMPLES, .. }),
                "{error:?}"
            );
            let text = error.to_string();
            let expected = "; 5 samples behind it are whole, but not shown to be of this study";
            assert!(text.ends_with(expected), "{text}");
            assert!(content(&folder) == before, "{mode:?}: the folder has changed");
        }
    }
    let store = Store::open_on(good(), &folder, &plan(), Damaged::Salvage).expect("its own");
    assert_eq!(store.records().len(), SAMPLES);
}

#[test]
fn a_journal_that_is_refused_for_its_samples_is_not_touched() {
    let folder = Scratch::new();
    damaged(&folder, |bytes| {
        bytes[60] ^= 1;
        bytes.truncate(bytes.len() - 9);
    });
    let before = content(&folder);
    let has = |record: &Record| record.index != 2;
    let error = Store::open_design(&folder, &plan(), Damaged::Salvage, &has).expect_err("index 2");
    assert!(matches!(error, StoreError::OtherDesign { .. }), "{error:?}");
    assert!(content(&folder) == before);
}

#[test]
fn every_damaged_journal_is_kept() {
    let folder = Scratch::new();
    study(good(), &folder, &mut 0).expect("no faults");
    let mut kept = Vec::new();
    for (at, name) in [(60, "study.journal.damaged"), (61, "study.journal.damaged-2")] {
        kept.push(damaged(&folder, |bytes| bytes[at] ^= 1));
        let store = Store::open_on(good(), &folder, &plan(), Damaged::Salvage).expect("salvaged");
        let told = store.repair().expect("a repair is told");
        assert!(told.contains(&format!("{name}`;")), "{told}");
    }
    for (bytes, name) in kept.iter().zip(["study.journal.damaged", "study.journal.damaged-2"]) {
        assert!(fs::read(folder.join(name)).expect("kept") == *bytes, "{name}");
    }
    // After a kill before the new journal was there, the one that is kept is the same.
    fs::copy(folder.join("study.journal.damaged"), folder.join(JOURNAL)).expect("copied");
    drop(Store::open_on(good(), &folder, &plan(), Damaged::Salvage).expect("salvaged"));
    assert!(!folder.join("study.journal.damaged-3").exists());
}

#[test]
fn a_damaged_magic_is_put_right_where_the_study_is_known() {
    let folder = Scratch::new();
    damaged(&folder, |bytes| bytes[..16].fill(0));
    let store = Store::open(&folder, &plan()).expect("the plan behind it is that of the study");
    assert_eq!(store.records().len(), SAMPLES);
    assert!(store.repair().is_some_and(|told| told.contains("beginning")), "{:?}", store.repair());
    drop(store);
    damaged(&folder, |bytes| bytes[..16].fill(0));
    let other = Plan { fingerprint: 18, ..plan() };
    assert!(matches!(Store::open(&folder, &other), Err(StoreError::OtherStudy { .. })));
}

#[test]
fn torn_bytes_are_told() {
    let folder = Scratch::new();
    damaged(&folder, |bytes| bytes.truncate(bytes.len() - 10));
    let store = Store::open(&folder, &plan()).expect("the same study");
    let told = store.repair().expect("a repair is told");
    assert!(told.contains("were no whole sample; 4 samples are kept"), "{told}");
}
