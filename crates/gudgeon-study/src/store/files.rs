//! Whole files and the lock of a folder.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};

use super::{LOCK, StoreError};

/// Makes the folder and locks it; the system drops the lock when the process ends, however it ends.
pub(super) fn claim(folder: &Path) -> Result<File, StoreError> {
    fs::create_dir_all(folder).map_err(StoreError::io("create", folder))?;
    let path = folder.join(LOCK);
    let lock = OpenOptions::new().write(true).create(true).truncate(false).open(&path);
    let lock = lock.map_err(StoreError::io("create", &path))?;
    match lock.try_lock() {
        Err(TryLockError::WouldBlock) => Err(StoreError::InUse { folder: folder.into() }),
        // A file system without locks is no reason to refuse.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(lock),
    }
}

/// Writes a file so that at any moment its place holds the old bytes or all the new ones.
pub fn replace(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let mut partial = path.as_os_str().to_owned();
    partial.push(".partial");
    let partial = PathBuf::from(partial);
    let written = write(&partial, bytes);
    if written.is_err() {
        let _ = fs::remove_file(&partial); // the disk may be full
    }
    written?;
    install(&partial, path)
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let mut file = File::create(path).map_err(StoreError::io("create", path))?;
    file.write_all(bytes).map_err(StoreError::io("write", path))
}

/// Puts a finished file into its place, safe on the disk.
pub fn install(from: &Path, to: &Path) -> Result<(), StoreError> {
    let saved = File::open(from).and_then(|file| file.sync_all());
    saved.map_err(StoreError::io("save", from))?;
    fs::rename(from, to).map_err(StoreError::io("replace", to))?;
    sync_folder(to);
    Ok(())
}

/// Brings the entry of a file in its folder to the disk, where the system can.
fn sync_folder(path: &Path) {
    for folder in path.ancestors().skip(1).take(2) {
        let _ = File::open(folder).and_then(|folder| folder.sync_all());
    }
}
