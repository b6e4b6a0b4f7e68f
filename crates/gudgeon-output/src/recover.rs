//! What runs have left that did not come to their end: killed, or cut off from power.
//!
//! Every attempt holds a lock while it lives. At the next start those whose lock is free are brought
//! to where they belong:
//!
//! - the old folder of half an exchange goes back to its place;
//! - a finished folder that had not reached its place goes there;
//! - an old folder that had been replaced is kept or removed as the run itself would have done;
//! - rows of a killed run go to `run.killed`.
//!
//! Whether a finished folder is the new one or the old one, exchanged for it, tells the lock: it
//! holds the fingerprint of the new record since before the exchange. All steps can be repeated, so
//! a kill in between costs nothing but another start.

use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use gudgeon_files::{Disk, DiskFile};

use crate::error::OutputError;
use crate::exchange::{self, Standing};
use crate::kept;
use crate::names::{Attempt, Place};
use crate::plot::Scale;
use crate::run_json::{KILLED, Mark, RUN_JSON, RUNNING, fingerprint};
use crate::salvage;

/// What was put right at the start of a run.
#[derive(Debug)]
pub enum Repair {
    /// Half an exchange was undone.
    Restored { path: PathBuf },
    /// A finished result had not reached its place.
    Finished { path: PathBuf },
    /// The rows of a killed run were kept.
    Salvaged { path: PathBuf, rows: u64, time: f64 },
    /// This could not be put right now; it is tried again at the next start.
    Failed { error: OutputError },
}

impl Repair {
    /// Where the rows of a killed run are.
    pub fn killed(&self) -> Option<&PathBuf> {
        if let Repair::Salvaged { path, .. } = self { Some(path) } else { None }
    }
}

impl fmt::Display for Repair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Repair::Restored { path } => {
                write!(
                    f,
                    "an earlier run was killed; the result before it is back in `{}`",
                    path.display()
                )
            }
            Repair::Finished { path } => {
                write!(
                    f,
                    "an earlier run was killed at its very end; its result is now in `{}`",
                    path.display()
                )
            }
            Repair::Salvaged { path, rows, time } => write!(
                f,
                "an earlier run was killed; its {rows} rows up to {} are in `{}`",
                Scale::choose(*time, "s").quantity(*time),
                path.display()
            ),
            Repair::Failed { error } => {
                write!(f, "what a killed run has left could not be put right: {error}")
            }
        }
    }
}

/// Goes through everything that dead attempts have left at a place.
pub(crate) fn recover(disk: &Disk, place: &Place) -> Vec<Repair> {
    let attempts = match place.attempts(disk) {
        Ok(attempts) => attempts,
        Err(error) => return vec![failed(&place.parent, error)],
    };
    let mut repairs = Vec::new();
    for attempt in attempts {
        let Some(mut lock) = take_lock(disk, &attempt) else { continue };
        let revived = revive(disk, place, (&attempt, &mut lock), &mut repairs).and_then(|()| {
            let _alone = disk.alone_in(&place.parent);
            kept::supersede(disk, place, &attempt)
        });
        match revived {
            Ok(()) => attempt.close(disk),
            Err(error) => repairs.push(failed(&attempt.folder, error)),
        }
        drop(lock);
    }
    repairs
}

fn failed(path: &Path, source: io::Error) -> Repair {
    Repair::Failed { error: OutputError::io("restore", path)(source) }
}

/// The lock of a dead attempt; nothing if the attempt lives. Where it has left none, one is made: no
/// new attempt can take its name as long as that is held.
fn take_lock(disk: &Disk, attempt: &Attempt) -> Option<DiskFile> {
    let lock = match disk.open(&attempt.lock()) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => disk.create_new(&attempt.lock()),
        opened => opened,
    };
    let lock = lock.ok()?;
    // A run that has just ended may have removed this file, and another one made a new one.
    (lock.try_lock().is_ok() && lock.is_in_place()).then_some(lock)
}

fn revive(
    disk: &Disk,
    place: &Place,
    (attempt, lock): (&Attempt, &mut DiskFile),
    repairs: &mut Vec<Repair>,
) -> io::Result<()> {
    if attempt.trash().exists() {
        disk.remove_dir_all(&attempt.trash())?;
    }
    if attempt.previous().exists() {
        undo_half(disk, place, attempt, repairs)?;
    }
    if !attempt.folder.exists() {
        return Ok(());
    }
    let Some(mark) = Mark::read(disk, &attempt.folder)? else {
        let is_replaced = !is_new(disk, attempt)?;
        return match is_replaced {
            true => kept::settle(disk, place, attempt, &attempt.folder),
            false => disk.discard(&attempt.folder, &attempt.trash()), // killed at its very start
        };
    };
    if mark.is(RUNNING) {
        let Some(found) = salvage::salvage(disk, &attempt.folder)? else {
            return disk.discard(&attempt.folder, &attempt.trash());
        };
        let _alone = disk.alone_in(&place.parent);
        let path = kept::put_killed(disk, place, attempt)?;
        repairs.push(Repair::Salvaged { path, rows: found.rows, time: found.time });
        return Ok(());
    }
    let _alone = disk.alone_in(&place.parent);
    if mark.is(KILLED) {
        // a start before this one had made a result of it and was killed, too
        let found = salvage::before(disk, &attempt.folder)?;
        let path = kept::put_killed(disk, place, attempt)?;
        repairs.push(Repair::Salvaged { path, rows: found.rows, time: found.time });
        return Ok(());
    }
    let mut old = Some(attempt.folder.clone());
    if is_new(disk, attempt)? {
        sign(lock, &disk.read(&attempt.folder.join(RUN_JSON))?)?;
        old = exchange::install(disk, place, attempt)?;
        disk.sync_folder(&place.parent)?;
        repairs.push(Repair::Finished { path: place.target() });
    }
    match old {
        Some(old) => kept::settle(disk, place, attempt, &old),
        None => Ok(()),
    }
}

/// The old folder of two renames: back to its place, or replaced.
fn undo_half(
    disk: &Disk,
    place: &Place,
    attempt: &Attempt,
    repairs: &mut Vec<Repair>,
) -> io::Result<()> {
    let _alone = disk.alone_in(&place.parent);
    match exchange::inspect(disk, &place.target())? {
        Standing::Nothing => {
            disk.rename(&attempt.previous(), &place.target())?;
            if !attempt.folder.exists() {
                repairs.push(Repair::Restored { path: place.target() });
            }
            Ok(())
        }
        Standing::Result => kept::settle(disk, place, attempt, &attempt.previous()),
        Standing::Foreign => Ok(()),
    }
}

/// Writes into the lock of an attempt which record is the new one, should this process die in the
/// exchange.
pub(crate) fn sign(lock: &mut DiskFile, record: &[u8]) -> io::Result<()> {
    lock.cut(0)?;
    lock.write_all(fingerprint(record).as_bytes())?;
    lock.sync()
}

/// Whether the folder of an attempt is the one it wrote, not the one it was exchanged for.
fn is_new(disk: &Disk, attempt: &Attempt) -> io::Result<bool> {
    let left = match disk.read(&attempt.lock()) {
        Ok(left) => left,
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(error),
    };
    let record = match disk.read(&attempt.folder.join(RUN_JSON)) {
        Ok(record) => record,
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(error),
    };
    let own = fingerprint(&record);
    // one that was cut off in the writing was not followed by an exchange
    Ok(left.len() != own.len() || left == own.as_bytes())
}
