//! A study begins anew where another one has its results.
//!
//! A complete study steps aside as `<name>.complete` and goes when the new one is complete, as with
//! runs; one that was not complete goes at once. What the user has put into the folder stays.

use std::io;
use std::path::{Path, PathBuf};

use gudgeon_files::Disk;

use super::{JOURNAL, LOCK, StoreError, TABLE, TIMING, files};

/// The record of a study, the last file that is written.
const RECORD: &str = "study.json";
const KEPT: &str = "kept.txt";
const WHY: &str = "\
This is the last complete study. One that was begun anew in its place is not complete yet; this
folder is removed when it is. Move it away to keep it.
";
/// Folders of a study, in which files of these kinds are ours.
const FOLDERS: [&str; 6] =
    ["surrogates", "plots", "optimise", "sensitivity", "sweep", "bifurcation"];
const KINDS: [&str; 8] = ["json", "svg", "csv", "parquet", "journal", "lock", "partial", "damaged"];

/// Clears a folder for a study that begins anew.
pub fn overwrite(disk: &Disk, folder: &Path) -> Result<(), StoreError> {
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
    let named = |number: u32| {
        let mut name = folder.file_name().unwrap_or_default().to_owned();
        name.push(if number < 2 { ".complete".into() } else { format!(".complete-{number}") });
        folder.with_file_name(name)
    };
    let fits = |path: &PathBuf| !path.exists() || path.join(KEPT).is_file() && is_study(path);
    (1..).map(named).find(fits).unwrap_or_else(|| named(1))
}

fn is_study(folder: &Path) -> bool {
    folder.join(JOURNAL).is_file()
}

fn is_complete(disk: &Disk, folder: &Path) -> io::Result<bool> {
    let record = match disk.read(&folder.join(RECORD)) {
        Ok(record) => record,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(error),
    };
    let record: serde_json::Value = serde_json::from_slice(&record).unwrap_or_default();
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
    disk.carry(&to, folder, &is_ours)?;
    disk.sync_folder(folder.parent().unwrap_or(folder))
}

/// Removes what is ours from a folder, the journal last; what the user has put there goes to `to`.
fn clear(disk: &Disk, folder: &Path, to: &Path) -> io::Result<()> {
    if folder != to {
        disk.carry(folder, to, &is_ours)?;
    }
    remove_ours(disk, folder, Path::new(""))?;
    for name in [JOURNAL, KEPT, LOCK] {
        let path = folder.join(name);
        if path.exists() && (folder != to || name != LOCK) {
            disk.remove_file(&path)?;
        }
    }
    if folder != to { disk.remove_dir(folder) } else { Ok(()) }
}

fn remove_ours(disk: &Disk, folder: &Path, below: &Path) -> io::Result<()> {
    for name in disk.names(&folder.join(below))? {
        let place = below.join(&name);
        let path = folder.join(&place);
        let last = [JOURNAL, KEPT, LOCK].into_iter().any(|file| place == Path::new(file));
        if last || !is_ours(&place) {
            continue;
        }
        if path.is_dir() {
            remove_ours(disk, folder, &place)?;
            if disk.names(&path)?.is_empty() {
                disk.remove_dir(&path)?;
            }
        } else {
            disk.remove_file(&path)?;
        }
    }
    Ok(())
}

/// Whether a study has written an entry of its folder.
fn is_ours(place: &Path) -> bool {
    let mut parts = place.iter().filter_map(|part| part.to_str());
    let (Some(first), rest) = (parts.next(), parts.next()) else { return false };
    let kind = place.extension().and_then(|kind| kind.to_str());
    let known = [JOURNAL, LOCK, TABLE, TIMING, RECORD, KEPT, "samples.parquet", ".parquet.partial"];
    let damaged = format!("{JOURNAL}.damaged");
    match rest {
        None if FOLDERS.contains(&first) => true,
        None => {
            known.contains(&first)
                || first == damaged
                || first.strip_suffix(".partial").is_some_and(|name| known.contains(&name))
        }
        Some(_) if first == ".parquet.partial" => true,
        Some(_) => FOLDERS.contains(&first) && kind.is_some_and(|kind| KINDS.contains(&kind)),
    }
}
