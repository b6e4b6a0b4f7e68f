//! A study begins anew: the complete one is kept until the new one is complete, files of the user
//! stay, and whatever fails or is killed on the way, nothing is lost and nothing left behind.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::scratch::Scratch;
use gudgeon_files::{Disk, Fault, Faults};
use gudgeon_study::store::{
    Column, Damaged, JOURNAL, Plan, Record, SampleOutcome, Store, kept, overwrite, supersede,
};

const RECORD: &str = r#"{"gudgeon": "0.1.0", "status": "ok", "plots": ["plots/a.svg"],
    "responses": [{"name": "power"}]}"#;
const NOTE: &str = "\
This is the last complete study. One that was begun anew in its place is not complete yet; this
folder is removed when it is. Move it away to keep it.
";

fn plan() -> Plan {
    Plan {
        fingerprint: 17,
        description: "study\nsamples = 2\n".into(),
        variables: vec![Column::new("clearance", "m")],
        values: vec![Column::new("power", "W")],
    }
}

fn record(index: usize) -> Record {
    let (point, outcome) = (vec![index as f64], SampleOutcome::Done(vec![0.5]));
    Record { index, point, outcome, notes: Vec::new(), cpu_seconds: 0.1 }
}

fn good() -> Disk {
    Disk::failing(&Faults::new(Fault::Broken, 0).share())
}

/// All of a study but its record, which the caller writes.
fn study(folder: &Path) {
    let mut store =
        Store::open_on(good(), folder, &plan(), Damaged::Refuse).expect("a folder for it");
    store.append(&[record(0), record(1)]).expect("room");
    store.finish(2).expect("complete");
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
    fs::write(path, text).expect("written");
}

/// A complete study with a picture and a surrogate.
fn complete_study(folder: &Path) {
    study(folder);
    for (name, text) in
        [("plots/a.svg", "<svg"), ("surrogates/power.json", "{}"), ("study.json", RECORD)]
    {
        write(&folder.join(name), text);
    }
}

/// The same as one that is kept.
fn kept_study(folder: &Path) {
    complete_study(folder);
    write(&folder.join("kept.txt"), NOTE);
}

/// Names of everything below a folder.
fn names(folder: &Path) -> Vec<String> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.path().is_dir() {
            names.extend(names_below(&entry.path(), &name));
        }
        names.push(name);
    }
    names.sort();
    names
}

fn names_below(folder: &Path, name: &str) -> Vec<String> {
    names(folder).into_iter().map(|inner| format!("{name}/{inner}")).collect()
}

/// What stands beside one another.
fn entries(folder: &Path) -> Vec<String> {
    names(folder).into_iter().filter(|name| !name.contains('/')).collect()
}

#[test]
fn a_study_begun_anew_keeps_the_complete_one_until_it_is_complete() {
    let parent = Scratch::new();
    let folder = parent.join("study");
    let complete = parent.join("study.complete");
    study(&folder);
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
    study(&folder);
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
            study(&folder);
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
            study(&folder);
            if faults.count() < at {
                break;
            }
        }
    }
    assert!(seen.contains_key(&(false, true)) && seen.contains_key(&(true, false)), "{seen:?}");
}

/// A kill while a kept study was removed left a folder that nobody knew any more, and files of the
/// study in it were taken for the user's.
#[test]
fn every_operation_of_the_removal_of_a_kept_study_may_fail() {
    let mut points = 0;
    for fault in Fault::ALL {
        for at in 1.. {
            let what = format!("{fault:?} at {at}");
            let parent = Scratch::new();
            let (folder, old) = (parent.join("study"), parent.join("study.complete"));
            complete_study(&folder);
            kept_study(&old);
            for mine in ["notes.txt", "plots/mine.txt"] {
                write(&old.join(mine), "mine");
            }
            let whole = names(&folder);
            let faults = Faults::new(fault, at).share();
            let _ = supersede(&Disk::failing(&faults), &folder);
            // Half a study has no name that counts.
            if let Some(kept) = kept(&folder) {
                let all = names(&kept);
                assert!(whole.iter().all(|name| all.contains(name)), "{what}: {all:?}");
            }
            drop(Store::open(&folder, &plan()).expect("the next start"));
            supersede(&good(), &folder).expect("the next end");
            assert_eq!(entries(&parent), ["study"], "{what}");
            let left = names(&folder);
            let mine = |name: &&String| name.ends_with("notes.txt") || name.ends_with("mine.txt");
            assert_eq!(left.iter().filter(mine).count(), 2, "{what}: {left:?}");
            assert_eq!(left.len(), whole.len() + 2, "{what}: {left:?}");
            points += 1;
            if faults.count() < at {
                break;
            }
        }
    }
    println!("{points} faults");
    assert!(points > 60, "{points}");
}

/// The same where a study is begun anew while an older one is kept beside it.
#[test]
fn every_operation_of_an_overwrite_beside_a_kept_study_may_fail() {
    for fault in Fault::ALL {
        for at in 1.. {
            let what = format!("{fault:?} at {at}");
            let parent = Scratch::new();
            let (folder, old) = (parent.join("study"), parent.join("study.complete"));
            complete_study(&folder);
            kept_study(&old);
            write(&folder.join("notes.txt"), "mine");
            write(&old.join("thoughts.txt"), "mine");
            let faults = Faults::new(fault, at).share();
            let ended = overwrite(&Disk::failing(&faults), &folder);
            let stands = |folder: &Path| folder.join("study.json").is_file();
            assert!(stands(&folder) || stands(&old), "{what}: no complete study");
            assert!(ended.is_err() || (!Store::exists(&folder) && stands(&old)), "{what}");
            // The next start goes on, whatever it is.
            if Store::exists(&folder) {
                overwrite(&good(), &folder).unwrap_or_else(|error| panic!("{what}: {error}"));
            }
            drop(Store::create(&folder, &plan()).unwrap_or_else(|e| panic!("{what}: {e}")));
            assert!(!folder.join("kept.txt").exists(), "{what}");
            complete_study(&folder);
            supersede(&good(), &folder).expect("the end");
            assert_eq!(entries(&parent), ["study"], "{what}");
            for mine in ["notes.txt", "thoughts.txt"] {
                assert!(folder.join(mine).exists(), "{what}: {mine}");
            }
            if faults.count() < at {
                break;
            }
        }
    }
}

/// The record tells what is ours, so it goes after everything else.
#[test]
fn an_incomplete_study_that_was_half_removed_leaves_nothing_of_its_own() {
    for at in 1.. {
        let folder = Scratch::new();
        complete_study(&folder);
        write(&folder.join("study.json"), &RECORD.replace("ok", "interrupted"));
        write(&folder.join("notes.txt"), "mine");
        let faults = Faults::new(Fault::Killed, at).share();
        let _ = overwrite(&Disk::failing(&faults), &folder);
        assert!(folder.join("study.lock").exists(), "it is known as the folder of a study");
        overwrite(&good(), &folder).expect("cleared");
        assert_eq!(names(&folder), ["notes.txt", "study.lock"], "killed at {at}");
        if faults.count() < at {
            break;
        }
    }
}

/// Without room for the new folder the study stays where it was.
#[test]
fn a_study_that_cannot_be_begun_anew_stays() {
    for at in 1.. {
        let parent = Scratch::new();
        let folder = parent.join("study");
        complete_study(&folder);
        let before = names(&folder);
        let faults = Faults::new(Fault::Full, at).share();
        if overwrite(&Disk::failing(&faults), &folder).is_ok() {
            break;
        }
        assert_eq!((entries(&parent), names(&folder)), (vec!["study".into()], before), "{at}");
    }
}

#[test]
fn a_note_of_the_user_with_the_name_of_ours_stays() {
    let parent = Scratch::new();
    let (folder, named) = (parent.join("study"), parent.join("study.complete"));
    for folder in [&folder, &named] {
        complete_study(folder);
        write(&folder.join("kept.txt"), "mine");
    }
    overwrite(&good(), &folder).expect("cleared");
    assert_eq!(kept(&folder), Some(parent.join("study.complete-2")));
    complete_study(&folder);
    supersede(&good(), &folder).expect("removed");
    assert_eq!(entries(&parent), ["study", "study.complete"]);
    for mine in [folder.join("kept.txt.old"), named.join("kept.txt")] {
        assert_eq!(fs::read(mine).expect("kept"), b"mine");
    }
}

#[cfg(unix)]
#[test]
fn a_kept_study_is_beside_the_folder_that_a_link_leads_to() {
    let parent = Scratch::new();
    let real = fs::canonicalize(&*parent).expect("a folder").join("data/study");
    complete_study(&real);
    std::os::unix::fs::symlink(&real, parent.join("link")).expect("a link");
    for link in ["link", "link/", "link/."] {
        let link = parent.join(link);
        overwrite(&good(), &link).expect("cleared");
        assert_eq!(kept(&link), Some(real.with_file_name("study.complete")));
        complete_study(&link);
        supersede(&good(), &link).expect("removed");
        assert_eq!(entries(&parent), ["data", "link"]);
        assert_eq!(entries(&parent.join("data")), ["study"]);
    }
}

/// One who waits for the lock of a folder that is moved away must not take it for the new one.
#[test]
#[ignore = "slow: the moment is short"]
fn many_begin_anew_at_once_and_one_does() {
    let parent = Scratch::new();
    let folder = parent.join("study");
    complete_study(&folder);
    for _ in 0..1000 {
        let begun: Vec<Store> = std::thread::scope(|scope| {
            let begin = || {
                overwrite(&good(), &folder).ok()?;
                Store::create(&folder, &plan()).ok()
            };
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(begin)).collect();
            threads.into_iter().filter_map(|thread| thread.join().expect("no panic")).collect()
        });
        assert!(begun.len() <= 1, "{} studies in one folder", begun.len());
        for mut store in begun {
            store.append(&[record(0), record(1)]).expect("room");
            store.finish(2).expect("its own journal");
            assert!(fs::read(folder.join(JOURNAL)).expect("a journal").len() > 200);
        }
        drop(Store::open(&folder, &plan()));
        complete_study(&folder);
        supersede(&good(), &folder).expect("removed");
    }
}
