//! What in the folder of a study is its own; the rest is the user's.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;

use gudgeon_files::Disk;
use serde_json::Value;

use super::{JOURNAL, LOCK, TABLE, TIMING};

/// The record of a study, the last file that is written.
pub(super) const RECORD: &str = "study.json";
/// The note in a complete study that was kept when another one was begun in its place.
pub(super) const KEPT: &str = "kept.txt";
/// How the note begins, by which it is told from a file of the user with its name.
const FIRST: &str = "This is the last complete study.";
/// Folders with journals of a study.
const JOURNALS: [&str; 4] = ["optimise", "sensitivity", "sweep", "bifurcation"];

/// The record of a study, where there is one that can be understood.
pub(super) fn read_record(disk: &Disk, folder: &Path) -> io::Result<Option<Value>> {
    match disk.read(&folder.join(RECORD)) {
        Ok(record) => Ok(serde_json::from_slice(&record).ok()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Whether there is a note of ours in a folder.
pub(super) fn has_note(folder: &Path) -> bool {
    std::fs::read(folder.join(KEPT)).is_ok_and(|text| text.starts_with(FIRST.as_bytes()))
}

/// What a study has written into its folder, by its record and the names that every study uses.
#[derive(Debug, Default)]
pub(super) struct Owned {
    /// Pictures and surrogates.
    listed: BTreeSet<String>,
    /// Beginnings of the names of time histories.
    histories: Vec<String>,
    /// The note is not the user's.
    note: bool,
}

impl Owned {
    pub fn of(disk: &Disk, folder: &Path) -> io::Result<Owned> {
        let record = read_record(disk, folder)?.unwrap_or_default();
        let each = |key: &str| record[key].as_array().into_iter().flatten();
        let name = |part: &Value| part["name"].as_str().map(str::to_owned);
        let plots = each("plots").filter_map(|plot| plot.as_str().map(str::to_owned));
        let surrogates = each("responses").filter_map(name).map(|n| format!("surrogates/{n}.json"));
        Ok(Owned {
            listed: plots.chain(surrogates).collect(),
            histories: each("variables").filter_map(name).map(|name| format!("{name}_")).collect(),
            note: has_note(folder),
        })
    }

    /// Whether an entry of the folder is the study's own. What has a name that is no text is not.
    pub fn has(&self, place: &Path) -> bool {
        let Some(text) = place.to_str() else { return false };
        let Some((folder, name)) = text.split_once('/') else {
            return (text == KEPT && self.note)
                || JOURNALS.contains(&text)
                || ["surrogates", "plots", ".parquet.partial"].contains(&text)
                || is_of_a_store(text);
        };
        match folder {
            "surrogates" | "plots" => self.listed.contains(text.trim_end_matches(".partial")),
            ".parquet.partial" => true,
            _ => JOURNALS.contains(&folder) && (is_of_a_store(name) || self.is_history(name)),
        }
    }

    /// `<variable>_<number>.csv`, or what is left of one.
    fn is_history(&self, name: &str) -> bool {
        let number =
            |rest: &str| rest.strip_suffix(".csv").is_some_and(|n| n.parse::<f64>().is_ok());
        self.histories.iter().filter_map(|start| name.strip_prefix(start)).any(number)
    }
}

/// Names of the files of a journal and its tables.
fn is_of_a_store(name: &str) -> bool {
    let known = [JOURNAL, LOCK, TABLE, TIMING, RECORD, "samples.parquet", ".parquet.partial"];
    known.contains(&name)
        || name.strip_prefix(JOURNAL).is_some_and(is_damaged)
        || name.strip_suffix(".partial").is_some_and(|name| known.contains(&name))
}

/// What is added to the name of a damaged journal, see `files::damaged`.
fn is_damaged(ending: &str) -> bool {
    let number = |rest: &str| rest.strip_prefix('-').is_some_and(|n| n.parse::<u32>().is_ok());
    ending.strip_prefix(".damaged").is_some_and(|rest| rest.is_empty() || number(rest))
}
