//! An open file of a [`Disk`].

use std::fs::{File, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use crate::disk::Disk;
use crate::faults::Operation;

#[derive(Debug)]
pub struct DiskFile {
    file: File,
    path: PathBuf,
    disk: Disk,
}

impl DiskFile {
    pub(crate) fn new(file: File, path: &Path, disk: Disk) -> DiskFile {
        DiskFile { file, path: path.to_owned(), disk }
    }

    /// Brings the content to the disk.
    pub fn sync(&mut self) -> io::Result<()> {
        self.disk.ask(Operation::Sync, &self.path)?;
        if self.disk.is_real() {
            self.file.sync_data()?;
        }
        self.disk.note(|faults| faults.saved(&self.path));
        Ok(())
    }

    /// Cuts the file to so many bytes.
    pub fn cut(&mut self, length: u64) -> io::Result<()> {
        self.disk.ask(Operation::Write, &self.path)?;
        self.file.set_len(length)
    }

    /// Whether this is the file that its path leads to now, as far as the system can tell.
    pub fn is_in_place(&self) -> bool {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            let id = |data: std::fs::Metadata| (data.dev(), data.ino());
            let own = self.file.metadata().map(id);
            matches!((own, self.path.metadata().map(id)), (Ok(own), Ok(there)) if own == there)
        }
        #[cfg(not(unix))]
        self.path.exists()
    }

    /// The system drops the lock when the process ends, however it ends.
    pub fn try_lock(&self) -> Result<(), TryLockError> {
        self.file.try_lock()
    }
}

impl Write for DiskFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let length = self.disk.ask_write(&self.path, bytes.len())?;
        self.disk.note(|faults| {
            faults.unsaved(&self.path, self.file.metadata().map_or(0, |data| data.len()));
        });
        self.file.write(&bytes[..length])
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Read for DiskFile {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.file.read(bytes)
    }
}
