//! The result folder: written beside its final place and exchanged when it is finished.
//!
//! While a run writes, its folder is hidden beside its place, and a locked file next to it tells
//! other runs that the writer is alive; the system drops the lock when the process ends, however it
//! ends. What a dead run has left is put right at the next start (`recover`); what a newer attempt
//! replaces is kept or removed (`kept`). Two runs with the same target do not disturb each other: the
//! last to finish stays.

use std::fs::TryLockError;
use std::io;
use std::path::{Path, PathBuf};

use gudgeon_files::{Disk, DiskFile};
use serde_json::{Map, Value, json};

use crate::error::OutputError;
use crate::exchange::{self, Standing, obstacle};
use crate::kept;
use crate::names::{Attempt, Place};
use crate::recover::{Repair, recover, sign};
use crate::run_json::{self, RUNNING};
use crate::salvage;
use crate::series::{CSV, Column};

/// A result folder in the making. Dropping it without [`ResultFolder::commit`] removes all traces,
/// unless the program panics: then the next start keeps its rows, as those of a killed run.
#[derive(Debug)]
pub struct ResultFolder {
    disk: Disk,
    place: Place,
    attempt: Attempt,
    /// Held for its lock; tells at the end which record the run has left.
    lock: Option<DiskFile>,
    /// Parents made for this run, innermost first.
    made: Vec<PathBuf>,
    repairs: Vec<Repair>,
    stage: Stage,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Nothing worth keeping.
    Prepared,
    /// It has a record, and perhaps rows.
    Begun,
    /// What is left is for the next start.
    Left,
    Committed,
}

/// Where a result is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Committed {
    pub path: PathBuf,
    /// The last complete result, where that at `path` is not: beside it, or where it waits for the
    /// next start.
    pub complete: Option<PathBuf>,
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
        check(&Disk::real(), path, &split(path)?)
    }

    /// Checks `path`, puts right what dead runs have left, and makes the folder to write into.
    pub fn prepare(path: &Path) -> Result<ResultFolder, OutputError> {
        ResultFolder::prepare_on(Disk::real(), path)
    }

    /// As [`ResultFolder::prepare`], on a disk of choice.
    pub fn prepare_on(disk: Disk, path: &Path) -> Result<ResultFolder, OutputError> {
        let place = split(path)?;
        let made = make_parents(&disk, &place.parent)?;
        let claimed = check(&disk, path, &place).and_then(|()| {
            let repairs = recover(&disk, &place);
            Ok((repairs, claim(&disk, &place)?))
        });
        match claimed {
            Ok((repairs, (attempt, lock))) => {
                let (lock, stage) = (Some(lock), Stage::Prepared);
                Ok(ResultFolder { disk, place, attempt, lock, made, repairs, stage })
            }
            Err(error) => {
                remove_empty(&disk, &made);
                Err(error)
            }
        }
    }

    /// The folder to write into until the result is committed.
    pub fn path(&self) -> &Path {
        &self.attempt.folder
    }

    /// Where the result will be.
    pub fn target(&self) -> PathBuf {
        self.place.target()
    }

    /// The disk it is on.
    pub fn disk(&self) -> &Disk {
        &self.disk
    }

    /// What dead runs had left here, and what became of it.
    pub fn repairs(&self) -> &[Repair] {
        &self.repairs
    }

    /// Writes what is known before the first step. Should the run be killed, this and its rows are
    /// kept: `columns` are those of its table.
    pub fn begin(&mut self, run: &Value, columns: &[Column]) -> Result<(), OutputError> {
        let mut record = run_json::marked(self.path(), run)?;
        record.insert("status".into(), json!(RUNNING));
        record.insert(salvage::COLUMNS.into(), salvage::described(columns));
        let path = self.path().join(run_json::RUN_JSON);
        let text = run_json::to_text(&Value::Object(record));
        self.disk.save(&path, text.as_bytes()).map_err(OutputError::io("write", &path))?;
        kept::prepare_note(&self.disk, &self.attempt);
        self.stage = Stage::Begun;
        Ok(())
    }

    /// Writes a text file, such as a plot, into the folder; it is whole or not there.
    pub fn write(&self, name: &str, text: &str) -> Result<(), OutputError> {
        let path = self.path().join(name);
        self.disk.write(&path, text.as_bytes()).map_err(OutputError::io("write", &path))
    }

    /// Writes `run.json`, brings all files to the disk, and exchanges the folder for the old one.
    ///
    /// A failed or interrupted run is committed too; its `status` says so, and the last complete
    /// result is kept beside it. The record must have the key `gudgeon`. Where the disk is too full
    /// for the record, pictures, the parquet table and the last rows make room for it, and the error
    /// tells where all is ([`OutputError::committed`]).
    /// Should the exchange fail, the result stays under the name the error tells.
    pub fn commit(mut self, run: &Value) -> Result<Committed, OutputError> {
        let record = run_json::marked(self.path(), run)?;
        let parent = self.place.parent.clone();
        if self.stage == Stage::Prepared {
            kept::prepare_note(&self.disk, &self.attempt);
        }
        let (written, full) = match self.record(record.clone()) {
            Err(error) if error.is_full() && self.stage == Stage::Begun => {
                (self.record_in_less_space(record, &error), Some(error))
            }
            written => (written, None),
        };
        let written = written.and_then(|text| self.sign(&text));
        if let Err(error) = written {
            return Err(self.leave(full.unwrap_or(error)));
        }
        let alone = self.disk.alone_in(&parent);
        let old = match exchange::install(&self.disk, &self.place, &self.attempt) {
            Ok(old) => old,
            Err(source) => return Err(self.set_aside(source)),
        };
        self.stage = Stage::Committed;
        // what cannot be done now is done at the next start
        let _ = self.disk.sync_folder(&parent).and_then(|()| self.settle(old));
        drop(alone);
        let complete = kept::last_complete(&self.disk, &self.place, &self.attempt);
        let committed = Committed { path: self.place.target(), complete };
        match full {
            Some(source) => Err(OutputError::Shortened { committed, source: Box::new(source) }),
            None => Ok(committed),
        }
    }

    /// Brings everything to the disk, the record last; answers with its text.
    fn record(&self, record: Map<String, Value>) -> Result<String, OutputError> {
        let saved = self.disk.sync_tree(self.path());
        saved.map_err(|(path, error)| OutputError::io("save", &path)(error))?;
        run_json::write(&self.disk, self.path(), record)
    }

    /// The record of a run whose disk is full: pictures and the parquet table make room for it, and
    /// where that is not enough the last rows, too.
    fn record_in_less_space(
        &self,
        mut record: Map<String, Value>,
        why: &OutputError,
    ) -> Result<String, OutputError> {
        for name in self.disk.names(self.path()).map_err(OutputError::io("read", self.path()))? {
            let path = self.path().join(name);
            if !path.extension().is_some_and(|kind| kind == "csv" || kind == "json") {
                self.disk.remove_file(&path).map_err(OutputError::io("remove", &path))?;
            }
        }
        record.insert("status".into(), json!("failed"));
        record.insert("error".into(), json!({ "message": why.to_string(), "help": why.help() }));
        match self.record(record.clone()) {
            Err(error) if error.is_full() => {
                let path = self.path().join(CSV);
                let room = 2 * run_json::to_text(&Value::Object(record.clone())).len() as u64;
                // Not if that would cost many of them: they wait for the next start.
                if path.metadata().is_ok_and(|data| data.len() < 4 * room) {
                    return Err(error);
                }
                let cut = salvage::shorten(&self.disk, &path, room);
                cut.map_err(OutputError::io("shorten", &path))?;
                self.record(record)
            }
            written => written,
        }
    }

    /// Tells later runs which record is the new one, should this process die in the exchange.
    fn sign(&mut self, text: &str) -> Result<(), OutputError> {
        let path = self.attempt.lock();
        let Some(lock) = &mut self.lock else { return Ok(()) };
        sign(lock, text.as_bytes()).map_err(OutputError::io("write", &path))
    }

    fn settle(&self, old: Option<PathBuf>) -> io::Result<()> {
        if let Some(old) = old {
            kept::settle(&self.disk, &self.place, &self.attempt, &old)?;
        }
        kept::supersede(&self.disk, &self.place, &self.attempt)
    }

    /// Leaves what there is to the next start.
    fn leave(&mut self, error: OutputError) -> OutputError {
        if self.stage != Stage::Begun {
            return error;
        }
        self.stage = Stage::Left;
        let (path, kept) = (self.target(), self.attempt.folder.clone());
        OutputError::NotFinished { path, kept, source: Box::new(error) }
    }

    /// Keeps a finished result that cannot go to its place.
    fn set_aside(&mut self, source: io::Error) -> OutputError {
        let kept = self.place.beside("unsaved", &|_| false);
        match self.disk.rename(self.path(), &kept) {
            Ok(()) => {
                self.stage = Stage::Committed;
                let old = Some(self.attempt.previous()).filter(|old| old.exists());
                OutputError::NotMoved { path: self.target(), kept, old, source }
            }
            Err(_) => {
                self.stage = Stage::Left;
                let (path, kept) = (self.target(), self.attempt.folder.clone());
                let source = Box::new(OutputError::io("replace", &path)(source));
                OutputError::NotFinished { path, kept, source }
            }
        }
    }
}

impl Drop for ResultFolder {
    fn drop(&mut self) {
        // what cannot be removed is put right at the next start
        let panics = self.stage == Stage::Begun && std::thread::panicking();
        let goes = matches!(self.stage, Stage::Prepared | Stage::Begun) && !panics;
        if goes && self.attempt.folder.exists() {
            let _ = self.disk.discard(&self.attempt.folder, &self.attempt.trash());
        }
        self.attempt.close(&self.disk);
        self.lock = None;
        if goes {
            remove_empty(&self.disk, &self.made);
        }
    }
}

/// Parent and name of the folder, links resolved.
fn split(path: &Path) -> Result<Place, OutputError> {
    if path.as_os_str().is_empty() {
        return Err(OutputError::BadName { path: path.to_owned() });
    }
    let whole = match path.canonicalize() {
        Ok(whole) => whole,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            std::path::absolute(path).map_err(OutputError::io("use", path))?
        }
        Err(error) => return Err(OutputError::io("use", path)(error)),
    };
    match (whole.parent(), whole.file_name()) {
        (Some(parent), Some(name)) => {
            Ok(Place { parent: parent.to_owned(), name: name.to_owned() })
        }
        _ => Err(OutputError::BadName { path: path.to_owned() }),
    }
}

fn check(disk: &Disk, path: &Path, place: &Place) -> Result<(), OutputError> {
    match exchange::inspect(disk, &place.target()).map_err(OutputError::io("read", path))? {
        Standing::Nothing => Ok(()),
        Standing::Foreign => Err(OutputError::NotAResult { path: path.to_owned() }),
        Standing::Result => match obstacle(place) {
            Some(obstacle) => Err(OutputError::NotReplaceable { path: path.to_owned(), obstacle }),
            None => Ok(()),
        },
    }
}

/// Makes the missing parents and returns them, innermost first.
fn make_parents(disk: &Disk, parent: &Path) -> Result<Vec<PathBuf>, OutputError> {
    let missing: Vec<PathBuf> =
        parent.ancestors().take_while(|p| !p.exists()).map(Path::to_owned).collect();
    if !missing.is_empty() {
        disk.create_dir_all(parent).map_err(OutputError::io("create", parent))?;
    }
    Ok(missing)
}

/// Removes folders as long as they are empty.
fn remove_empty(disk: &Disk, folders: &[PathBuf]) {
    for folder in folders {
        if disk.remove_dir(folder).is_err() {
            break;
        }
    }
}

/// Makes a partial folder that no one else uses: first the locked file, then the folder.
fn claim(disk: &Disk, place: &Place) -> Result<(Attempt, DiskFile), OutputError> {
    let mut number = 0u32;
    loop {
        let attempt = place.attempt(number);
        let (folder, path) = (&attempt.folder, attempt.lock());
        number += 1;
        let lock = match disk.create_new(&path) {
            Ok(lock) => lock,
            Err(error) if taken(&error) && number < 10_000 => continue,
            Err(error) => return Err(OutputError::io("create", folder)(error)),
        };
        // a file system without locks is no reason to stop; nobody will clear up there
        let locked = !matches!(lock.try_lock(), Err(TryLockError::WouldBlock));
        if !locked || !lock.is_in_place() {
            continue; // another run took the new file for a stale one
        }
        match disk.create_dir(folder) {
            Ok(()) => return Ok((attempt, lock)),
            Err(error) => {
                let _ = disk.remove_file(&path);
                if !taken(&error) {
                    return Err(OutputError::io("create", folder)(error));
                }
            }
        }
    }
}

fn taken(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::AlreadyExists
}
