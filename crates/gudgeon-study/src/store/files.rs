//! Whole files and the lock of a folder.

use std::fs::TryLockError;
use std::io;
use std::path::{Path, PathBuf};

use gudgeon_files::{Disk, DiskFile};

use super::{JOURNAL, LOCK, StoreError};

/// How often a folder is looked for that others move away.
const TRIES: usize = 100;

/// Makes the folder and locks it; the system drops the lock when the process ends, however it ends.
pub(super) fn claim(disk: &Disk, folder: &Path) -> Result<DiskFile, StoreError> {
    for _ in 0..TRIES {
        disk.create_dir_all(folder).map_err(StoreError::io("create", folder))?;
        let path = folder.join(LOCK);
        let lock = match disk.open_lock(&path) {
            Ok(lock) => lock,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(StoreError::io("create", &path)(error)),
        };
        // A file system without locks is no reason to refuse.
        if matches!(lock.try_lock(), Err(TryLockError::WouldBlock)) {
            break;
        }
        // One who begins anew may have moved the folder away, lock and all.
        if lock.is_in_place() {
            return Ok(lock);
        }
    }
    Err(StoreError::InUse { folder: folder.into() })
}

/// Where a damaged journal is kept: `study.journal.damaged`, `study.journal.damaged-2`, …, the first
/// that is free, or that `is_it` says yes to.
pub(super) fn damaged(journal: &Path, is_it: &dyn Fn(&Path) -> bool) -> PathBuf {
    let named = |number: u32| match number {
        1 => journal.with_extension("journal.damaged"),
        _ => journal.with_extension(format!("journal.damaged-{number}")),
    };
    let fits = |path: &PathBuf| path.symlink_metadata().is_err() || is_it(path);
    (1..).map(named).find(fits).unwrap_or_else(|| named(1))
}

/// Moves a damaged journal of a folder aside; answers with its new name.
pub fn set_aside(folder: &Path) -> Result<PathBuf, StoreError> {
    let journal = folder.join(JOURNAL);
    let kept = damaged(&journal, &|_| false);
    Disk::real().rename(&journal, &kept).map_err(StoreError::io("move", &journal))?;
    Ok(kept)
}

/// Writes a file so that at any moment its place holds the old bytes or all the new ones.
pub fn replace(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    replace_on(&Disk::real(), path, bytes)
}

pub(super) fn replace_on(disk: &Disk, path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let mut partial = path.as_os_str().to_owned();
    partial.push(".partial");
    let partial = PathBuf::from(partial);
    disk.write(&partial, bytes).map_err(StoreError::io("write", &partial))?;
    install_on(disk, &partial, path)
}

/// Puts a finished file into its place, safe on the disk.
pub fn install(from: &Path, to: &Path) -> Result<(), StoreError> {
    install_on(&Disk::real(), from, to)
}

fn install_on(disk: &Disk, from: &Path, to: &Path) -> Result<(), StoreError> {
    disk.sync_file(from).map_err(StoreError::io("save", from))?;
    disk.rename(from, to).map_err(StoreError::io("replace", to))?;
    // The entry of the file in its folder, and that of the folder.
    for folder in to.ancestors().skip(1).take(2) {
        disk.sync_folder(folder).map_err(StoreError::io("save", to))?;
    }
    Ok(())
}
