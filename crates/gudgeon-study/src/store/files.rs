//! Whole files and the lock of a folder.

use std::fs::TryLockError;
use std::path::{Path, PathBuf};

use gudgeon_files::{Disk, DiskFile};

use super::{LOCK, StoreError};

/// Makes the folder and locks it; the system drops the lock when the process ends, however it ends.
pub(super) fn claim(disk: &Disk, folder: &Path) -> Result<DiskFile, StoreError> {
    disk.create_dir_all(folder).map_err(StoreError::io("create", folder))?;
    let path = folder.join(LOCK);
    let lock = disk.open_lock(&path).map_err(StoreError::io("create", &path))?;
    match lock.try_lock() {
        Err(TryLockError::WouldBlock) => Err(StoreError::InUse { folder: folder.into() }),
        // A file system without locks is no reason to refuse.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(lock),
    }
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
