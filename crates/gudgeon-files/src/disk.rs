//! The operations.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::faults::{Faults, Operation};
use crate::file::DiskFile;

/// How long one process waits for another that changes folders in the same place.
const PATIENCE: Duration = Duration::from_secs(5);

/// The disk that results go to. Copies share the counter of their faults.
#[derive(Clone, Debug, Default)]
pub struct Disk {
    faults: Option<Arc<Faults>>,
}

impl Disk {
    /// The disk itself.
    pub fn real() -> Disk {
        Disk::default()
    }

    /// A disk that fails as `faults` says.
    pub fn failing(faults: &Arc<Faults>) -> Disk {
        Disk { faults: Some(faults.clone()) }
    }

    /// Power cuts of a disk with faults are simulated, so it need not wait for the real one.
    pub(crate) fn is_real(&self) -> bool {
        self.faults.is_none()
    }

    /// The one question before every operation.
    pub(crate) fn ask(&self, operation: Operation, path: &Path) -> io::Result<()> {
        self.faults.as_ref().map_or(Ok(()), |faults| faults.ask(operation, path))
    }

    /// How many of so many bytes may be written.
    pub(crate) fn ask_write(&self, path: &Path, bytes: usize) -> io::Result<usize> {
        self.faults.as_ref().map_or(Ok(bytes), |faults| faults.ask_write(path, bytes))
    }

    pub(crate) fn note(&self, note: impl FnOnce(&Faults)) {
        if let Some(faults) = &self.faults {
            note(faults);
        }
    }

    fn opened(&self, path: &Path, options: &OpenOptions) -> io::Result<DiskFile> {
        Ok(DiskFile::new(options.open(path)?, path, self.clone()))
    }

    /// Makes a file, or empties the one that is there.
    pub fn create(&self, path: &Path) -> io::Result<DiskFile> {
        self.ask(Operation::Create, path)?;
        self.note(|faults| {
            faults.saved(path);
            faults.unsaved(path, 0);
        });
        self.opened(path, OpenOptions::new().write(true).create(true).truncate(true))
    }

    /// Makes a file where there is none.
    pub fn create_new(&self, path: &Path) -> io::Result<DiskFile> {
        self.ask(Operation::Create, path)?;
        self.opened(path, OpenOptions::new().write(true).create_new(true))
    }

    /// Opens a file to lock it; makes an empty one where there is none.
    pub fn open_lock(&self, path: &Path) -> io::Result<DiskFile> {
        self.ask(Operation::Create, path)?;
        self.opened(path, OpenOptions::new().write(true).create(true).truncate(false))
    }

    /// Opens a file that is there, to change it.
    pub fn open(&self, path: &Path) -> io::Result<DiskFile> {
        self.ask(Operation::Read, path)?;
        self.opened(path, OpenOptions::new().read(true).write(true))
    }

    /// Opens a file that is there, to write behind its end.
    pub fn append(&self, path: &Path) -> io::Result<DiskFile> {
        self.ask(Operation::Read, path)?;
        self.opened(path, OpenOptions::new().append(true))
    }

    pub fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.ask(Operation::Read, path)?;
        fs::read(path)
    }

    /// Writes a whole file; one that cannot be written whole is removed.
    pub fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let written = self.create(path).and_then(|mut file| file.write_all(bytes));
        if written.is_err() {
            let _ = self.remove_file(path); // what stays is no file that anyone lists
        }
        written
    }

    /// As [`Disk::write`], and brings the file to the disk.
    pub fn save(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        self.write(path, bytes)?;
        self.sync_file(path)
    }

    /// Brings the content of a file to the disk.
    pub fn sync_file(&self, path: &Path) -> io::Result<()> {
        self.ask(Operation::Sync, path)?;
        let file = OpenOptions::new().write(true).open(path)?;
        if self.is_real() {
            file.sync_all()?;
        }
        self.note(|faults| faults.saved(path));
        Ok(())
    }

    /// Brings the entries of a folder to the disk, where the system can.
    pub fn sync_folder(&self, path: &Path) -> io::Result<()> {
        self.ask(Operation::Sync, path)?;
        if self.is_real() {
            let _ = File::open(path).and_then(|folder| folder.sync_all());
        }
        Ok(())
    }

    pub fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.ask(Operation::Rename, to)?;
        fs::rename(from, to)?;
        self.note(|faults| faults.moved(from, to));
        Ok(())
    }

    /// Lets two folders change places in one step, where the system can.
    pub fn exchange(&self, one: &Path, other: &Path) -> io::Result<()> {
        self.ask(Operation::Exchange, other)?;
        exchange(one, other)?;
        self.note(|faults| faults.exchanged(one, other));
        Ok(())
    }

    pub fn create_dir(&self, path: &Path) -> io::Result<()> {
        self.ask(Operation::Create, path)?;
        fs::create_dir(path)
    }

    pub fn create_dir_all(&self, path: &Path) -> io::Result<()> {
        self.ask(Operation::Create, path)?;
        fs::create_dir_all(path)
    }

    pub fn remove_file(&self, path: &Path) -> io::Result<()> {
        self.ask(Operation::Remove, path)?;
        fs::remove_file(path)?;
        self.note(|faults| faults.saved(path));
        Ok(())
    }

    /// Removes an empty folder.
    pub fn remove_dir(&self, path: &Path) -> io::Result<()> {
        self.ask(Operation::Remove, path)?;
        fs::remove_dir(path)
    }

    /// Names of everything in a folder, sorted.
    pub fn names(&self, folder: &Path) -> io::Result<Vec<OsString>> {
        self.ask(Operation::Read, folder)?;
        let names: io::Result<Vec<OsString>> =
            fs::read_dir(folder)?.map(|entry| Ok(entry?.file_name())).collect();
        let mut names = names?;
        names.sort();
        Ok(names)
    }

    /// Keeps other processes from changing folders in `parent` until the answer is dropped. Where
    /// folders have no locks, or someone holds one for long, it is done without.
    pub fn alone_in(&self, parent: &Path) -> Option<File> {
        let folder = File::open(parent).ok()?;
        let start = Instant::now();
        loop {
            match folder.try_lock() {
                Ok(()) => return Some(folder),
                Err(fs::TryLockError::WouldBlock) if start.elapsed() < PATIENCE => {
                    std::thread::sleep(Duration::from_millis(2));
                }
                Err(_) => return None,
            }
        }
    }
}

#[cfg(any(target_os = "linux", target_os = "macos"))]
fn exchange(one: &Path, other: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    Ok(renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE)?)
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn exchange(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
