//! Fault injection: the n-th operation of a study fails, for every n and every kind of fault.
//!
//! Whatever fails, nothing announced is lost, tables are whole, old or absent, the error names a path
//! and a cause, and resumed the study gives the same bytes as one that was not disturbed.

mod scratch;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use gudgeon_files::{Disk, Fault, Faults};
use gudgeon_study::store::{
    Column, Damaged, JOURNAL, Outcome, Plan, Record, Store, StoreError, TABLE, TIMING, kept,
    overwrite, supersede,
};
use scratch::Scratch;

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
        3 => Outcome::Failed("no luck".into()),
        _ => Outcome::Done(vec![x.sin(), 1e-9 * x]),
    };
    Record { index, point: vec![x], outcome, notes: Vec::new(), cpu_seconds: 0.1 * x }
}

fn good() -> Disk {
    Disk::failing(&Faults::new(Fault::Broken, 0).share())
}

/// All of a study, from what the folder holds on; `announced` counts samples that are safe.
fn study(disk: Disk, folder: &Path, announced: &mut usize) -> Result<(), StoreError> {
    let mut store = Store::open_on(disk, folder, &plan(), Damaged::Refuse)?;
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
    let ended = study(Disk::failing(&faults), &folder, &mut announced);
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
    let resumed = Store::open_on(good(), &folder, &plan(), Damaged::Refuse);
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
    faults.count() >= at
}

#[test]
fn every_operation_of_a_study_may_fail() {
    let (reference, mut points) = (reference(), 0);
    for before in [Before::Fresh, Before::Torn, Before::Complete, Before::Magic] {
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

#[test]
fn a_study_begun_anew_keeps_the_complete_one_until_it_is_complete() {
    let parent = Scratch::new();
    let folder = parent.join("study");
    let complete = parent.join("study.complete");
    study(good(), &folder, &mut 0).expect("no faults");
    fs::write(
        folder.join("study.json"),
        r#"{"gudgeon": "0.1.0", "status": "ok", "plots": ["plots/a.svg"]}"#,
    )
    .expect("record");
    fs::create_dir(folder.join("plots")).expect("plots");
    fs::write(folder.join("plots/a.svg"), "").expect("written");
    fs::write(folder.join("plots/mine.txt"), "mine").expect("written");
    fs::write(folder.join("notes.txt"), "mine").expect("written");
    overwrite(&good(), &folder).expect("cleared");
    assert_eq!(kept(&folder).as_ref(), Some(&complete));
    assert!(!Store::exists(&folder) && Store::exists(&complete));
    assert!(complete.join("plots/a.svg").exists());
    for mine in ["notes.txt", "plots/mine.txt"] {
        assert!(folder.join(mine).exists(), "{mine}");
    }
    // Begun anew once more before it is complete: the complete one stays.
    let mut store = Store::create(&folder, &plan()).expect("new");
    store.append(&[record(0)]).expect("room");
    drop(store);
    supersede(&good(), &folder).expect("nothing to do");
    overwrite(&good(), &folder).expect("cleared");
    assert!(Store::exists(&complete) && !Store::exists(&folder));
    assert!(folder.join("notes.txt").exists());
    study(good(), &folder, &mut 0).expect("no faults");
    fs::write(
        folder.join("study.json"),
        r#"{"gudgeon": "0.1.0", "status": "ok", "plots": ["plots/a.svg"]}"#,
    )
    .expect("record");
    supersede(&good(), &folder).expect("removed");
    assert!(!complete.exists() && kept(&folder).is_none());
    assert!(folder.join("notes.txt").exists() && folder.join("plots/mine.txt").exists());
}

#[test]
fn every_operation_of_an_overwrite_may_fail() {
    let mut seen = BTreeMap::new();
    for fault in Fault::ALL {
        for at in 1.. {
            let parent = Scratch::new();
            let folder = parent.join("study");
            study(good(), &folder, &mut 0).expect("no faults");
            let record = r#"{"gudgeon": "0.1.0", "status": "ok"}"#;
            fs::write(folder.join("study.json"), record).expect("record");
            fs::write(folder.join("notes.txt"), "mine").expect("written");
            let whole = fs::read(folder.join(JOURNAL)).expect("a journal");
            let faults = Faults::new(fault, at).share();
            let ended = overwrite(&Disk::failing(&faults), &folder);
            let [here, beside] = [&folder, &parent.join("study.complete")]
                .map(|folder| fs::read(folder.join(JOURNAL)).is_ok_and(|found| found == whole));
            assert!(here || beside, "{fault:?} at {at}: the old study is lost");
            let notes =
                ["study", "study.complete"].map(|f| parent.join(f).join("notes.txt").exists());
            assert!(notes[0] || notes[1], "{fault:?} at {at}");
            *seen.entry((ended.is_ok(), here)).or_insert(0) += 1;
            overwrite(&good(), &folder).expect("the next one ends well");
            study(good(), &folder, &mut 0).expect("and so does the study");
            if faults.count() < at {
                break;
            }
        }
    }
    assert!(seen.contains_key(&(false, true)) && seen.contains_key(&(true, false)), "{seen:?}");
}
