//! The result folder: written beside its final place and exchanged when it is complete.
//!
//! While a run writes, its folder is `.<name>.partial-<pid>-<n>` in the same parent, and a locked
//! file `….lock` next to it tells other runs that the writer is alive; the system drops the lock
//! when the process ends, however it ends. A partial folder whose lock is free is removed at the
//! next start. Two runs with the same target do not disturb each other: the last to finish stays.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::error::OutputError;
use crate::exchange::{self, Standing};
use crate::run_json;

/// A result folder in the making. Dropping it without [`ResultFolder::commit`] removes all traces,
/// unless the thread panics: then what was written stays beside the target as `<name>-unsaved-<pid>`.
#[derive(Debug)]
pub struct ResultFolder {
    target: PathBuf,
    partial: PathBuf,
    lock_path: PathBuf,
    /// Held for its lock.
    lock: Option<File>,
    /// Parents made for this run, innermost first.
    made: Vec<PathBuf>,
    committed: bool,
}

impl ResultFolder {
    /// The default place of a model's results, `results/<model>`.
    pub fn default_path(model: &str) -> PathBuf {
        let usable = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '_' };
        let name: String = model.chars().map(usable).collect();
        let name = name.trim_start_matches('.');
        Path::new("results").join(if name.is_empty() { "model" } else { name })
    }

    /// Checks that a result may be written to `path`, and writes nothing.
    pub fn check(path: &Path) -> Result<(), OutputError> {
        checked(path).map(drop)
    }

    /// Checks `path`, clears what dead runs have left, and makes the folder to write into.
    pub fn prepare(path: &Path) -> Result<ResultFolder, OutputError> {
        let (parent, name) = split(path)?;
        let made = make_parents(&parent)?;
        let target = parent.join(&name);
        exchange::recover(&target).map_err(OutputError::io("restore", &target))?;
        let claimed = checked(path).and_then(|target| {
            clear_dead(&parent, &name, &target);
            claim(&parent, &name).map(|claim| (target, claim))
        });
        match claimed {
            Ok((target, (partial, lock_path, lock))) => Ok(ResultFolder {
                target,
                partial,
                lock_path,
                lock: Some(lock),
                made,
                committed: false,
            }),
            Err(error) => {
                remove_empty(&made);
                Err(error)
            }
        }
    }

    /// The folder to write into until the result is committed.
    pub fn path(&self) -> &Path {
        &self.partial
    }

    /// Where the result will be.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// Writes a text file, such as a plot, into the folder.
    pub fn write(&self, name: &str, text: &str) -> Result<(), OutputError> {
        let path = self.partial.join(name);
        fs::write(&path, text).map_err(OutputError::io("write", &path))
    }

    /// Writes `run.json`, brings all files to the disk, and exchanges the folder for the old one.
    ///
    /// A failed or interrupted run is committed too; `run` says so. The record must have the key
    /// `gudgeon`. Should the exchange fail, the result stays under the name the error tells.
    pub fn commit(mut self, run: &Value) -> Result<PathBuf, OutputError> {
        run_json::write(&self.partial, run)?;
        sync_tree(&self.partial)?;
        match exchange::install(&self.partial, &self.target) {
            Ok(old) => {
                self.committed = true;
                sync_folder(&self.target);
                // what cannot be removed now is cleared at the next start
                let _ = old.map(|old| exchange::retire(&old, &self.target));
                Ok(self.target.clone())
            }
            Err(source) => Err(self.set_aside(source)),
        }
    }

    /// Where a result is kept that cannot go to its place.
    fn aside(&self) -> PathBuf {
        let mut name = self.target.file_name().unwrap_or_default().to_owned();
        name.push(format!("-unsaved-{}", std::process::id()));
        self.target.with_file_name(name)
    }

    /// Keeps a finished result that cannot go to its place.
    fn set_aside(&mut self, source: io::Error) -> OutputError {
        let kept = self.aside();
        match fs::rename(&self.partial, &kept) {
            Ok(()) => {
                self.committed = true;
                OutputError::NotMoved { path: self.target.clone(), kept, source }
            }
            Err(_) => OutputError::io("replace", &self.target)(source),
        }
    }
}

impl Drop for ResultFolder {
    fn drop(&mut self) {
        // rows of a run that a mistake of the program ends are kept
        if std::thread::panicking() && !self.committed {
            self.committed = fs::rename(&self.partial, self.aside()).is_ok();
        }
        // a folder that cannot be removed is cleared at the next start
        if !self.committed {
            let _ = fs::remove_dir_all(&self.partial);
        }
        if !self.partial.exists() {
            let _ = fs::remove_file(&self.lock_path);
        }
        self.lock = None;
        if !self.committed {
            remove_empty(&self.made);
        }
    }
}

/// Parent and name of the folder, links resolved.
fn split(path: &Path) -> Result<(PathBuf, OsString), OutputError> {
    if path.as_os_str().is_empty() {
        return Err(OutputError::BadName { path: path.to_owned() });
    }
    let whole = match fs::canonicalize(path) {
        Ok(whole) => whole,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            std::path::absolute(path).map_err(OutputError::io("use", path))?
        }
        Err(error) => return Err(OutputError::io("use", path)(error)),
    };
    match (whole.parent(), whole.file_name()) {
        (Some(parent), Some(name)) => Ok((parent.to_owned(), name.to_owned())),
        _ => Err(OutputError::BadName { path: path.to_owned() }),
    }
}

fn checked(path: &Path) -> Result<PathBuf, OutputError> {
    let (parent, name) = split(path)?;
    let target = parent.join(name);
    match exchange::inspect(&target).map_err(OutputError::io("read", path))? {
        Standing::Nothing | Standing::Result => Ok(target),
        Standing::Foreign => Err(OutputError::NotAResult { path: path.to_owned() }),
    }
}

/// Makes the missing parents and returns them, innermost first.
fn make_parents(parent: &Path) -> Result<Vec<PathBuf>, OutputError> {
    let missing = parent.ancestors().take_while(|p| !p.exists()).map(Path::to_owned).collect();
    fs::create_dir_all(parent).map_err(OutputError::io("create", parent))?;
    Ok(missing)
}

/// Removes folders as long as they are empty.
fn remove_empty(folders: &[PathBuf]) {
    for folder in folders {
        if fs::remove_dir(folder).is_err() {
            break;
        }
    }
}

fn partial_prefix(name: &OsStr) -> OsString {
    let mut prefix = OsString::from(".");
    prefix.push(name);
    prefix.push(".partial-");
    prefix
}

fn lock_path_of(partial: &Path) -> PathBuf {
    let mut path = partial.as_os_str().to_owned();
    path.push(".lock");
    path.into()
}

/// Makes a partial folder that no one else uses: first the locked file, then the folder.
fn claim(parent: &Path, name: &OsStr) -> Result<(PathBuf, PathBuf, File), OutputError> {
    let mut number = 0u32;
    loop {
        let mut partial = partial_prefix(name);
        partial.push(format!("{}-{number}", std::process::id()));
        let partial = parent.join(partial);
        let lock_path = lock_path_of(&partial);
        number += 1;
        let lock = match OpenOptions::new().write(true).create_new(true).open(&lock_path) {
            Ok(lock) => lock,
            Err(error) if taken(&error) && number < 10_000 => continue,
            Err(error) => return Err(OutputError::io("create", &partial)(error)),
        };
        // a file system without locks is no reason to stop; nobody will clear up there
        let locked = !matches!(lock.try_lock(), Err(TryLockError::WouldBlock));
        if !locked || !lock_path.exists() {
            continue; // another run took the new file for a stale one
        }
        match fs::create_dir(&partial) {
            Ok(()) => return Ok((partial, lock_path, lock)),
            Err(error) => {
                let _ = fs::remove_file(&lock_path);
                if !taken(&error) {
                    return Err(OutputError::io("create", &partial)(error));
                }
            }
        }
    }
}

fn taken(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::AlreadyExists
}

/// Removes partial folders whose writers are gone. What resists is left for another time.
fn clear_dead(parent: &Path, name: &OsStr, target: &Path) {
    let prefix = partial_prefix(name);
    let prefix = prefix.to_string_lossy();
    let Ok(entries) = fs::read_dir(parent) else { return };
    for entry in entries.flatten() {
        let entry = entry.file_name().to_string_lossy().into_owned();
        let Some(rest) = entry.strip_prefix(&*prefix) else { continue };
        let rest = rest.strip_suffix(".lock").unwrap_or(rest);
        if rest.bytes().all(|b| b.is_ascii_digit() || b == b'-') {
            clear_if_dead(&parent.join(format!("{prefix}{rest}")), target);
        }
    }
}

fn clear_if_dead(partial: &Path, target: &Path) {
    let lock_path = lock_path_of(partial);
    let lock = match OpenOptions::new().write(true).open(&lock_path) {
        Ok(lock) if lock.try_lock().is_ok() => Some(lock),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        _ => return,
    };
    let gone = !partial.exists() || exchange::retire(partial, target).is_ok();
    if gone && lock.is_some() {
        let _ = fs::remove_file(&lock_path);
    }
}

/// Brings all files below `folder` to the disk.
fn sync_tree(folder: &Path) -> Result<(), OutputError> {
    for entry in fs::read_dir(folder).map_err(OutputError::io("read", folder))? {
        let path = entry.map_err(OutputError::io("read", folder))?.path();
        if path.is_dir() {
            sync_tree(&path)?;
        } else {
            OpenOptions::new()
                .write(true)
                .open(&path)
                .and_then(|file| file.sync_all())
                .map_err(OutputError::io("save", &path))?;
        }
    }
    sync_folder(folder);
    Ok(())
}

/// Brings the entries of a folder and of its parent to the disk, where the system can.
fn sync_folder(folder: &Path) {
    for folder in [Some(folder), folder.parent()].into_iter().flatten() {
        let _ = File::open(folder).and_then(|folder| folder.sync_all());
    }
}
