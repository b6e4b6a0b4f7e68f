//! A study begins anew where another one has its results.
//!
//! A complete study steps aside as `<name>.complete` and goes when the new one is complete, as with
//! runs; one that was not complete goes at once. What the user has put into the folder stays.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use gudgeon_files::Disk;
use serde_json::Value;

use super::{JOURNAL, LOCK, StoreError, TABLE, TIMING, files};

/// The record of a study, the last file that is written.
const RECORD: &str = "study.json";
const KEPT: &str = "kept.txt";
const WHY: &str = "\
This is the last complete study. One that was begun anew in its place is not complete yet; this
folder is removed when it is. Move it away to keep it.
";
/// Folders with journals of a study.
const JOURNALS: [&str; 4] = ["optimise", "sensitivity", "sweep", "bifurcation"];

/// Clears a folder for a study that begins anew.
pub fn overwrite(disk: &Disk, folder: &Path) -> Result<(), StoreError> {
    let folder = &behind_links(folder);
    let lock = files::claim(disk, folder)?;
    let moved = is_complete(disk, folder).and_then(|is_complete| match is_complete {
        true => step_aside(disk, folder),
        false => clear(disk, folder, folder),
    });
    drop(lock);
    moved.map_err(StoreError::io("clear", folder))
}

/// Removes the complete study that [`overwrite`] has kept, once the one at `folder` is complete.
pub fn supersede(disk: &Disk, folder: &Path) -> Result<(), StoreError> {
    let Some(old) = kept(folder) else { return Ok(()) };
    let removed = match is_complete(disk, folder) {
        Ok(true) => clear(disk, &old, folder),
        other => other.map(drop),
    };
    removed.map_err(StoreError::io("remove", &old))
}

/// Where the last complete study is, while the one at `folder` is not.
pub fn kept(folder: &Path) -> Option<PathBuf> {
    let path = place(folder);
    path.join(KEPT).is_file().then_some(path)
}

/// `<name>.complete`, or with a number where something else has that name.
fn place(folder: &Path) -> PathBuf {
    let folder = behind_links(folder);
    let named = |number: u32| {
        let mut name = folder.file_name().unwrap_or_default().to_owned();
        name.push(if number < 2 { ".complete".into() } else { format!(".complete-{number}") });
        folder.with_file_name(name)
    };
    let fits = |path: &PathBuf| !path.exists() || path.join(KEPT).is_file() && is_study(path);
    (1..).map(named).find(fits).unwrap_or_else(|| named(1))
}

/// A link to a folder stays a link: the folder behind it is meant.
fn behind_links(folder: &Path) -> PathBuf {
    let real = folder.is_symlink().then(|| std::fs::canonicalize(folder).ok());
    real.flatten().unwrap_or_else(|| folder.to_owned())
}

fn is_study(folder: &Path) -> bool {
    folder.join(JOURNAL).is_file()
}

/// Whether the study at `folder` has got to its end.
pub fn is_complete(disk: &Disk, folder: &Path) -> io::Result<bool> {
    let record = match disk.read(&folder.join(RECORD)) {
        Ok(record) => record,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(error),
    };
    let record: Value = serde_json::from_slice(&record).unwrap_or_default();
    Ok(is_study(folder) && record["gudgeon"].is_string() && record["status"] == "ok")
}

/// Moves a complete study beside its place. An older one there goes.
fn step_aside(disk: &Disk, folder: &Path) -> io::Result<()> {
    let to = place(folder);
    if to.exists() {
        clear(disk, &to, folder)?;
    }
    disk.save(&folder.join(KEPT), WHY.as_bytes())?;
    disk.rename(folder, &to)?;
    disk.create_dir_all(folder)?;
    let owned = Owned::of(disk, &to);
    disk.carry(&to, folder, &|place| owned.has(place))?;
    disk.sync_folder(folder.parent().unwrap_or(folder))
}

/// Removes what is ours from a folder, the journal last; what the user has put there goes to `to`.
fn clear(disk: &Disk, folder: &Path, to: &Path) -> io::Result<()> {
    let owned = Owned::of(disk, folder);
    if folder != to {
        disk.carry(folder, to, &|place| owned.has(place))?;
    }
    remove_ours(disk, folder, Path::new(""), &owned)?;
    for name in [JOURNAL, KEPT, LOCK] {
        let path = folder.join(name);
        if path.exists() && (folder != to || name != LOCK) {
            disk.remove_file(&path)?;
        }
    }
    if folder != to { disk.remove_dir(folder) } else { Ok(()) }
}

fn remove_ours(disk: &Disk, folder: &Path, below: &Path, owned: &Owned) -> io::Result<()> {
    for name in disk.names(&folder.join(below))? {
        let place = below.join(&name);
        let path = folder.join(&place);
        let last = [JOURNAL, KEPT, LOCK].into_iter().any(|file| place == Path::new(file));
        if last || !owned.has(&place) {
            continue;
        }
        if path.symlink_metadata().is_ok_and(|data| data.is_dir()) {
            remove_ours(disk, folder, &place, owned)?;
            if disk.names(&path)?.is_empty() {
                disk.remove_dir(&path)?;
            }
        } else {
            disk.remove_file(&path)?;
        }
    }
    Ok(())
}

/// What a study has written into its folder, by its record and the names that every study uses.
#[derive(Debug, Default)]
struct Owned {
    /// Pictures and surrogates.
    listed: BTreeSet<String>,
    /// Beginnings of the names of time histories.
    histories: Vec<String>,
}

impl Owned {
    fn of(disk: &Disk, folder: &Path) -> Owned {
        let record = disk.read(&folder.join(RECORD)).unwrap_or_default();
        let record: Value = serde_json::from_slice(&record).unwrap_or_default();
        let each = |key: &str| record[key].as_array().into_iter().flatten();
        let name = |part: &Value| part["name"].as_str().map(str::to_owned);
        let plots = each("plots").filter_map(|plot| plot.as_str().map(str::to_owned));
        let surrogates = each("responses").filter_map(name).map(|n| format!("surrogates/{n}.json"));
        Owned {
            listed: plots.chain(surrogates).collect(),
            histories: each("variables").filter_map(name).map(|name| format!("{name}_")).collect(),
        }
    }

    /// Whether an entry of the folder is the study's own. What has a name that is no text is not.
    fn has(&self, place: &Path) -> bool {
        let Some(text) = place.to_str() else { return false };
        let Some((folder, name)) = text.split_once('/') else {
            return JOURNALS.contains(&text)
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
    let known = [JOURNAL, LOCK, TABLE, TIMING, RECORD, KEPT, "samples.parquet", ".parquet.partial"];
    known.contains(&name)
        || name.strip_suffix(".damaged") == Some(JOURNAL)
        || name.strip_suffix(".partial").is_some_and(|name| known.contains(&name))
}
