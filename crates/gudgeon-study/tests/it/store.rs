//! The folder of a study: what is kept, what is refused.

use std::fs;
use std::path::Path;

use crate::scratch::Scratch;
use gudgeon_study::store::{
    Column, JOURNAL, Plan, Record, SampleOutcome, Store, StoreError, TABLE, TIMING,
};

fn plan() -> Plan {
    Plan {
        fingerprint: 17,
        description: "study\nsamples = 30\nmodel = slider_crank\n".into(),
        variables: vec![Column::new("clearance", "m")],
        values: vec![Column::new("power", "W"), Column::new("impacts", "")],
    }
}

fn record(index: usize) -> Record {
    let x = index as f64 / 3.0;
    let outcome = match index % 5 {
        3 => SampleOutcome::Failed(format!("no luck, {x}")),
        4 => SampleOutcome::TimedOut { limit: 2.0 },
        _ => SampleOutcome::Done(vec![x.sin(), 1e-9 * x]),
    };
    Record { index, point: vec![x], outcome, notes: vec!["W0302".into()], cpu_seconds: 0.1 * x }
}

fn refused(folder: &Path, plan: &Plan) -> StoreError {
    Store::open(folder, plan).expect_err("the folder is refused")
}

fn table(folder: &Path) -> String {
    fs::read_to_string(folder.join(TABLE)).expect("a table")
}

/// The table of `samples` records that arrive in order and without a kill.
fn plain_table(samples: usize) -> String {
    let folder = Scratch::new();
    let mut store = Store::create(&folder, &plan()).expect("new");
    for index in 0..samples {
        store.append(&[record(index)]).expect("room");
    }
    store.finish(samples).expect("complete");
    table(&folder)
}

#[test]
fn samples_come_back_after_a_restart() {
    let folder = Scratch::new();
    let mut store = Store::create(&folder, &plan()).expect("new");
    store.append(&[record(2), record(0)]).expect("room");
    store.append(&[record(3)]).expect("room");
    drop(store);
    let store = Store::open(&folder, &plan()).expect("the same study");
    let found: Vec<Record> = store.records().values().cloned().collect();
    assert_eq!(found, [record(0), record(2), record(3)]);
    assert_eq!(store.torn_bytes(), 0);
}

#[test]
fn the_table_does_not_depend_on_order_and_times() {
    let folder = Scratch::new();
    let mut store = Store::create(&folder, &plan()).expect("new");
    for index in [4, 1, 3, 0, 2] {
        let record = Record { cpu_seconds: 99.0, ..record(index) };
        store.append(&[record]).expect("room");
    }
    store.finish(5).expect("complete");
    assert_eq!(table(&folder), plain_table(5));
    let header = "sample,clearance [m],power [W],impacts,status,cause,notes\n";
    assert!(table(&folder).starts_with(header));
    let times = fs::read_to_string(folder.join(TIMING)).expect("times");
    assert!(times.starts_with("sample,cpu [s]\n0,99\n"), "{times}");
}

#[test]
fn the_last_record_of_a_sample_counts() {
    let folder = Scratch::new();
    let mut store = Store::create(&folder, &plan()).expect("new");
    store.append(&[record(0), record(1)]).expect("room");
    store.append(&[Record { index: 1, ..record(3) }]).expect("room");
    drop(store);
    let store = Store::open(&folder, &plan()).expect("the same study");
    assert!(!store.records()[&1].outcome.is_done());
}

#[test]
fn a_journal_cut_anywhere_keeps_all_whole_records_and_can_be_continued() {
    const SAMPLES: usize = 5;
    let expected = plain_table(SAMPLES);
    let original = Scratch::new();
    let mut store = Store::create(&original, &plan()).expect("new");
    let mut ends = vec![fs::metadata(original.join(JOURNAL)).expect("a journal").len() as usize];
    for index in 0..SAMPLES {
        store.append(&[record(index)]).expect("room");
        ends.push(fs::metadata(original.join(JOURNAL)).expect("a journal").len() as usize);
    }
    let bytes = fs::read(original.join(JOURNAL)).expect("a journal");
    let folder = Scratch::new();
    for cut in ends[0]..=bytes.len() {
        let _ = fs::remove_file(folder.join(TABLE));
        fs::write(folder.join(JOURNAL), &bytes[..cut]).expect("a cut journal");
        let mut store = Store::open(&folder, &plan()).expect("the same study");
        let whole = ends[1..].iter().filter(|&&end| end <= cut).count();
        assert_eq!(store.records().len(), whole, "cut at {cut}");
        assert_eq!(store.torn_bytes() as usize, cut - ends[whole]);
        if cut % 23 > 0 {
            continue; // the disk is slow
        }
        let rest: Vec<Record> = (whole..SAMPLES).map(record).collect();
        store.append(&rest).expect("room");
        drop(store);
        let mut store = Store::open(&folder, &plan()).expect("the same study");
        store.finish(SAMPLES).expect("complete");
        assert_eq!(table(&folder), expected, "cut at {cut}");
    }
}

#[test]
fn a_damaged_record_costs_itself_only() {
    let folder = Scratch::new();
    let mut store = Store::create(&folder, &plan()).expect("new");
    let start = fs::metadata(folder.join(JOURNAL)).expect("a journal").len() as usize;
    store.append(&[record(0), record(1), record(2)]).expect("room");
    drop(store);
    let mut bytes = fs::read(folder.join(JOURNAL)).expect("a journal");
    bytes[start + 30] ^= 4;
    fs::write(folder.join(JOURNAL), &bytes).expect("written");
    let store = Store::open(&folder, &plan()).expect("the same study");
    assert_eq!(store.records().keys().copied().collect::<Vec<_>>(), [1, 2]);
    assert!(store.torn_bytes() > 0);
}

#[test]
fn another_study_is_refused_with_the_reason() {
    let folder = Scratch::new();
    drop(Store::create(&folder, &plan()).expect("new"));
    let lines =
        Plan { fingerprint: 18, description: plan().description.replace("30", "40"), ..plan() };
    let error = refused(&folder, &lines);
    assert!(matches!(error, StoreError::OtherStudy { .. }));
    let text = error.to_string();
    assert!(text.contains("`samples = 30` is `samples = 40` now"), "{text}");
    let longer = Plan { fingerprint: 18, description: plan().description + "seed = 2", ..plan() };
    assert!(refused(&folder, &longer).to_string().contains("`seed = 2` is new"));
    let hidden = Plan { fingerprint: 18, ..plan() };
    let text = refused(&folder, &hidden).to_string();
    assert!(text.contains("something behind it has changed"), "{text}");
    let columns = Plan { values: vec![Column::new("torque", "N m")], ..plan() };
    let text = refused(&folder, &columns).to_string();
    assert!(text.contains("`power [W]`, `impacts` and are `torque [N m]` now"), "{text}");
    Store::open(&folder, &plan()).expect("the study itself is not");
}

#[test]
fn the_part_behind_the_words_is_named() {
    let with = |parts: &str| {
        let description = format!("{}{parts}", plan().description);
        Plan { fingerprint: parts.len() as u64, description, ..plan() }
    };
    let folder = Scratch::new();
    drop(Store::create(&folder, &with("[run] #01\n[set] #02\n")).expect("new"));
    for (parts, reason) in [
        ("[run] #01\n[set] #03\n", "`[set]` has changed"),
        ("[run] #01\n", "`[set]` is gone"),
        ("[run] #01\n[load] #05\n[set] #02\n", "`[load]` is new"),
        ("seed = 3\n[run] #04\n[set] #02\n", "`seed = 3` is new"),
    ] {
        let text = refused(&folder, &with(parts)).to_string();
        assert!(text.ends_with(reason), "{reason}: {text}");
    }
    let old = Scratch::new();
    drop(Store::create(&old, &plan()).expect("new"));
    let text = refused(&old, &with("[run] #01\n")).to_string();
    assert!(text.ends_with("an earlier version of the program has written them"), "{text}");
}

#[test]
fn a_line_in_between_is_no_change_of_its_neighbours() {
    let folder = Scratch::new();
    drop(Store::create(&folder, &plan()).expect("new"));
    let description = plan().description.replace("model", "law = hertz\nmodel");
    let text = refused(&folder, &Plan { description, ..plan() }).to_string();
    assert!(text.ends_with("`law = hertz` is new"), "{text}");
}

#[test]
fn a_table_of_some_samples_in_an_order_of_its_own() {
    let folder = Scratch::new();
    let mut store = Store::create(&folder, &plan()).expect("new");
    store.append(&[record(6), record(1), record(2)]).expect("room");
    store.finish_some(&[6, 1]).expect("complete");
    let rows: Vec<String> = table(&folder).lines().skip(1).map(str::to_owned).collect();
    assert!(rows.len() == 2 && rows[0].starts_with("0,2,") && rows[1].starts_with("1,0.33"));
    assert!(matches!(store.finish_some(&[3]), Err(StoreError::Incomplete { first: 3, .. })));
}

#[test]
fn a_second_user_of_a_folder_is_refused() {
    let folder = Scratch::new();
    let store = Store::create(&folder, &plan()).expect("new");
    assert!(matches!(refused(&folder, &plan()), StoreError::InUse { .. }));
    drop(store);
    Store::open(&folder, &plan()).expect("free again");
}

#[test]
fn what_is_no_study_is_refused() {
    let folder = Scratch::new();
    drop(Store::create(&folder, &plan()).expect("new"));
    let created = Store::create(&folder, &plan()).expect_err("it is there");
    assert!(matches!(created, StoreError::Exists { .. }));
    let path = folder.join(JOURNAL);
    let good = fs::read(&path).expect("a journal");

    let mut newer = good.clone();
    newer[16] = 2;
    fs::write(&path, &newer).expect("written");
    let error = refused(&folder, &plan());
    assert!(matches!(error, StoreError::Version { found: 2, known: 1, .. }));

    for bytes in [&b""[..], b"hello", &good[..40]] {
        fs::write(&path, bytes).expect("written");
        assert!(matches!(refused(&folder, &plan()), StoreError::NotAJournal { .. }));
    }

    let other = Scratch::new();
    fs::write(other.join(TABLE), "mine").expect("written");
    assert!(matches!(refused(&other, &plan()), StoreError::Foreign { .. }));
    assert_eq!(table(&other), "mine");

    let file = other.join(TABLE).join("folder");
    assert!(matches!(refused(&file, &plan()), StoreError::Io { .. }));
}

#[test]
fn incomplete_studies_and_misfits_are_refused() {
    let folder = Scratch::new();
    let mut store = Store::create(&folder, &plan()).expect("new");
    store.append(&[record(0), record(2)]).expect("room");
    let error = store.finish(4).expect_err("two are missing");
    assert!(matches!(error, StoreError::Incomplete { missing: 2, first: 1 }));
    let narrow = Record { outcome: SampleOutcome::Done(vec![1.0]), ..record(1) };
    assert!(matches!(store.append(&[narrow]), Err(StoreError::Width { index: 1, .. })));
    assert_eq!(store.records().len(), 2);
}
