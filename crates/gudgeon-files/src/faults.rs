//! Faults on purpose: the n-th operation fails, or none from there on succeeds.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What happens at the chosen operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It fails for want of space.
    NoSpace,
    /// It fails as on a broken disk.
    Broken,
    /// A write takes half of its bytes, and the next one finds no space. Other operations fail as
    /// with [`Fault::NoSpace`].
    Short,
    /// The disk is full from there on: nothing can be made or written, but moved and removed.
    Full,
    /// The process ends there: nothing more happens.
    Killed,
    /// The same, and what was not brought to the disk is lost: see [`Faults::lose_unsaved`].
    PowerCut,
}

impl Fault {
    pub const ALL: [Fault; 6] =
        [Fault::NoSpace, Fault::Broken, Fault::Short, Fault::Full, Fault::Killed, Fault::PowerCut];
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    Create,
    Write,
    Sync,
    Rename,
    Exchange,
    Remove,
    Read,
}

/// A plan of faults, and what it did.
#[derive(Debug)]
pub struct Faults {
    fault: Fault,
    /// Number of the operation, from 1; 0 for none.
    at: usize,
    exchanges: bool,
    count: AtomicUsize,
    log: Mutex<Log>,
}

#[derive(Debug, Default)]
struct Log {
    /// What failed first.
    first: Option<(Operation, PathBuf)>,
    /// Files with bytes that are not on the disk yet, and how many are.
    unsaved: BTreeMap<PathBuf, u64>,
}

impl Faults {
    /// Operation number `at` fails; none if it is 0.
    pub fn new(fault: Fault, at: usize) -> Faults {
        let (count, log) = (AtomicUsize::new(0), Mutex::default());
        Faults { fault, at, exchanges: true, count, log }
    }

    /// On a system that cannot exchange folders.
    pub fn without_exchange(self) -> Faults {
        Faults { exchanges: false, ..self }
    }

    pub fn share(self) -> Arc<Faults> {
        Arc::new(self)
    }

    /// Operations so far.
    pub fn count(&self) -> usize {
        self.count.load(Ordering::Relaxed)
    }

    /// What failed first, as `Sync results/run.json`.
    pub fn first(&self) -> Option<String> {
        let log = self.log();
        log.first.as_ref().map(|(what, path)| format!("{what:?} {}", path.display()))
    }

    fn log(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn ask(&self, operation: Operation, path: &Path) -> io::Result<()> {
        let number = self.count.fetch_add(1, Ordering::Relaxed) + 1;
        if !self.exchanges && operation == Operation::Exchange {
            return Err(io::ErrorKind::Unsupported.into());
        }
        let hit = number == self.at;
        let later = self.at > 0 && number > self.at;
        let uses_space = matches!(operation, Operation::Create | Operation::Write);
        let fails = match self.fault {
            Fault::NoSpace | Fault::Broken => hit,
            Fault::Short => {
                hit || (later && number == self.at + 1 && operation == Operation::Write)
            }
            Fault::Full => (hit || later) && uses_space,
            Fault::Killed | Fault::PowerCut => hit || later,
        };
        if !fails {
            return Ok(());
        }
        self.log().first.get_or_insert_with(|| (operation, path.to_owned()));
        Err(match self.fault {
            Fault::NoSpace | Fault::Short | Fault::Full => io::ErrorKind::StorageFull.into(),
            Fault::Broken => io::Error::other("input/output error"),
            Fault::Killed | Fault::PowerCut => io::Error::other("the process has ended"),
        })
    }

    pub(crate) fn ask_write(&self, path: &Path, bytes: usize) -> io::Result<usize> {
        let is_short = self.fault == Fault::Short && self.count() + 1 == self.at && bytes > 1;
        match self.ask(Operation::Write, path) {
            Err(_) if is_short => Ok(bytes / 2),
            Err(error) => Err(error),
            Ok(()) => Ok(bytes),
        }
    }

    /// A file of which so many bytes are on the disk is written to.
    pub(crate) fn unsaved(&self, path: &Path, saved: u64) {
        self.log().unsaved.entry(path.to_owned()).or_insert(saved);
    }

    pub(crate) fn saved(&self, path: &Path) {
        self.log().unsaved.remove(path);
    }

    pub(crate) fn moved(&self, from: &Path, to: &Path) {
        let rename = |path: &Path| path.strip_prefix(from).ok().map(|rest| joined(to, rest));
        let mut log = self.log();
        let old = std::mem::take(&mut log.unsaved);
        let kept = old.into_iter().filter(|(path, _)| path != to);
        log.unsaved = kept.map(|(path, n)| (rename(&path).unwrap_or(path), n)).collect();
    }

    pub(crate) fn exchanged(&self, one: &Path, other: &Path) {
        let rename = |path: &Path| {
            let to_other = path.strip_prefix(one).ok().map(|rest| joined(other, rest));
            to_other.or_else(|| path.strip_prefix(other).ok().map(|rest| joined(one, rest)))
        };
        let mut log = self.log();
        let old = std::mem::take(&mut log.unsaved);
        log.unsaved = old.into_iter().map(|(path, n)| (rename(&path).unwrap_or(path), n)).collect();
    }

    /// Takes away what a power cut would: all bytes that were not brought to the disk. Names stay as
    /// they are, the worst order for those who rename before they save.
    pub fn lose_unsaved(&self) -> io::Result<()> {
        for (path, saved) in &self.log().unsaved {
            if let Ok(file) = OpenOptions::new().write(true).open(path)
                && file.metadata()?.len() > *saved
            {
                file.set_len(*saved)?;
            }
        }
        Ok(())
    }
}

fn joined(folder: &Path, rest: &Path) -> PathBuf {
    if rest.as_os_str().is_empty() { folder.to_owned() } else { folder.join(rest) }
}
