//! The results of a study on disk, safe against `kill -9` at any moment.
//!
//! | file            | what it holds                                                               |
//! |-----------------|-----------------------------------------------------------------------------|
//! | `study.journal` | which study this is, then one record per finished sample, in order of arrival |
//! | `samples.csv`   | the final table, rows in order of the samples                               |
//! | `timing.csv`    | CPU seconds per sample                                                      |
//! | `study.lock`    | empty; its lock tells other processes that the folder is in use             |
//!
//! The journal only grows. A record is on the disk before [`Store::append`] returns, so what was
//! announced is never lost; a record torn by a kill fails its checksum and its sample is run again.
//! All other files are written beside their place and renamed. The table is made from the journal
//! without times and in the order of the samples, so that it has the same bytes after any sequence
//! of kills and resumes.

mod difference;
mod error;
mod files;
mod fingerprint;
mod frame;
mod journal;
mod overwrite;
mod owned;
mod record;
mod table;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

pub use gudgeon_files::Disk;
use gudgeon_files::DiskFile;

pub use error::StoreError;
pub use files::{install, replace, set_aside};
pub use fingerprint::Fingerprint;
pub use journal::Damaged;
pub use overwrite::{is_complete, kept, overwrite, supersede};
pub use record::{Record, SampleOutcome};

use journal::{Journal, Wanted};

pub const JOURNAL: &str = "study.journal";
pub const TABLE: &str = "samples.csv";
pub const TIMING: &str = "timing.csv";
pub const LOCK: &str = "study.lock";

/// What makes a study this study and no other.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Changes with everything the results depend on: see [`Fingerprint`].
    pub fingerprint: u64,
    /// The study in words, a line for each part. When a folder holds another study, the first line
    /// that differs is the reason told. A line may end in ` #` and a fingerprint: of such a part only
    /// the name is told, if all other lines are the same.
    pub description: String,
    pub variables: Vec<Column>,
    /// What a sample answers with.
    pub values: Vec<Column>,
}

/// A column of the table.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    pub name: String,
    /// Empty for pure numbers.
    pub unit: String,
}

impl Column {
    pub fn new(name: &str, unit: &str) -> Self {
        Self { name: name.into(), unit: unit.into() }
    }

    /// `name [unit]`, or the name alone for a pure number.
    pub fn heading(&self) -> String {
        match self.unit.as_str() {
            "" | "1" => self.name.clone(),
            unit => format!("{} [{unit}]", self.name),
        }
    }
}

/// The folder of a study, locked against other processes as long as this lives.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    plan: Plan,
    journal: Journal,
    records: BTreeMap<usize, Record>,
    torn_bytes: u64,
    repair: Option<String>,
    disk: Disk,
    /// Held for its lock.
    _lock: DiskFile,
}

impl Store {
    /// Whether a study has begun in a folder.
    pub fn exists(folder: &Path) -> bool {
        folder.join(JOURNAL).exists()
    }

    /// Begins a study in a folder that holds none.
    pub fn create(folder: &Path, plan: &Plan) -> Result<Self, StoreError> {
        Self::create_on(Disk::real(), folder, plan)
    }

    /// As [`Store::create`], on a disk of choice.
    pub fn create_on(disk: Disk, folder: &Path, plan: &Plan) -> Result<Self, StoreError> {
        let lock = files::claim(&disk, folder)?;
        overwrite::tidy(&disk, folder);
        if Self::exists(folder) {
            return Err(StoreError::Exists { folder: folder.into() });
        }
        Self::begin(disk, folder, plan, lock)
    }

    /// Resumes the study of a folder, or begins it where there is none.
    pub fn open(folder: &Path, plan: &Plan) -> Result<Self, StoreError> {
        Self::open_on(Disk::real(), folder, plan, Damaged::Refuse)
    }

    /// As [`Store::open`], on a disk of choice, and what to do with a damaged beginning.
    pub fn open_on(
        disk: Disk,
        folder: &Path,
        plan: &Plan,
        damaged: Damaged,
    ) -> Result<Self, StoreError> {
        Self::open_with(disk, folder, Wanted { plan, damaged, has: &|_| true })
    }

    /// As [`Store::open_on`], where all samples are such that `has` says yes to.
    pub fn open_design(
        folder: &Path,
        plan: &Plan,
        damaged: Damaged,
        has: &dyn Fn(&Record) -> bool,
    ) -> Result<Self, StoreError> {
        Self::open_with(Disk::real(), folder, Wanted { plan, damaged, has })
    }

    fn open_with(disk: Disk, folder: &Path, wanted: Wanted<'_>) -> Result<Self, StoreError> {
        let lock = files::claim(&disk, folder)?;
        overwrite::tidy(&disk, folder);
        if !Self::exists(folder) {
            return Self::begin(disk, folder, wanted.plan, lock);
        }
        let path = folder.join(JOURNAL);
        let (journal, found) = Journal::open(&disk, &path, wanted)?;
        let (torn_bytes, damaged) = (found.torn_bytes, found.damaged);
        // Of a sample that was run again the last record counts.
        let records: BTreeMap<usize, Record> =
            found.records.into_iter().map(|record| (record.index, record)).collect();
        let repair = (torn_bytes > 0 || damaged.is_some())
            .then(|| repaired(&path, torn_bytes, damaged.as_deref(), records.len()));
        let (folder, plan) = (folder.into(), wanted.plan.clone());
        Ok(Self { folder, plan, journal, records, torn_bytes, repair, disk, _lock: lock })
    }

    fn begin(disk: Disk, folder: &Path, plan: &Plan, lock: DiskFile) -> Result<Self, StoreError> {
        for name in [TABLE, TIMING] {
            let path = folder.join(name);
            if path.exists() {
                return Err(StoreError::Foreign { path });
            }
        }
        Ok(Self {
            folder: folder.into(),
            plan: plan.clone(),
            journal: Journal::create(&disk, &folder.join(JOURNAL), plan)?,
            records: BTreeMap::new(),
            torn_bytes: 0,
            repair: None,
            disk,
            _lock: lock,
        })
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The finished samples, by number.
    pub fn records(&self) -> &BTreeMap<usize, Record> {
        &self.records
    }

    /// Bytes of the journal that were no record when it was opened: what a kill cut off.
    pub fn torn_bytes(&self) -> u64 {
        self.torn_bytes
    }

    /// What was put right when the journal was opened, in words.
    pub fn repair(&self) -> Option<&str> {
        self.repair.as_deref()
    }

    /// Brings finished samples to the disk; when this returns they are safe.
    pub fn append(&mut self, records: &[Record]) -> Result<(), StoreError> {
        let safe = self.records.len();
        for record in records {
            self.check_width(record)?;
        }
        self.journal.append(records, safe)?;
        self.records.extend(records.iter().map(|record| (record.index, record.clone())));
        Ok(())
    }

    fn check_width(&self, record: &Record) -> Result<(), StoreError> {
        let found = record.width(&self.plan);
        let expected = (self.plan.variables.len(), self.plan.values.len());
        if found == expected {
            return Ok(());
        }
        Err(StoreError::Width { index: record.index, found, expected })
    }

    /// Writes the table and the times of samples 0 … `samples` − 1, all of which must be finished.
    pub fn finish(&mut self, samples: usize) -> Result<(), StoreError> {
        self.finish_some(&(0..samples).collect::<Vec<_>>())
    }

    /// Writes the table and the times of some samples, in this order and numbered from 0.
    pub fn finish_some(&mut self, samples: &[usize]) -> Result<(), StoreError> {
        let is_missing = |i: &&usize| !self.records.contains_key(*i);
        let missing: Vec<&usize> = samples.iter().filter(is_missing).collect();
        if let Some(&&first) = missing.first() {
            return Err(StoreError::Incomplete { missing: missing.len(), first });
        }
        let numbered =
            |(index, sample): (usize, &usize)| Record { index, ..self.records[sample].clone() };
        let rows: Vec<Record> = samples.iter().enumerate().map(numbered).collect();
        let (times, table) = (table::timing(rows.iter()), table::table(&self.plan, rows.iter()));
        files::replace_on(&self.disk, &self.folder.join(TIMING), times.as_bytes())?;
        files::replace_on(&self.disk, &self.folder.join(TABLE), table.as_bytes())
    }
}

fn repaired(path: &Path, torn: u64, damaged: Option<&Path>, samples: usize) -> String {
    let what = match (damaged, torn) {
        (Some(kept), _) => format!(
            "the beginning of `{}` was damaged; it was written anew, and what it was is in `{}`",
            path.display(),
            kept.display()
        ),
        (None, 1) => format!("1 byte of `{}` was no whole sample", path.display()),
        (None, _) => format!("{torn} bytes of `{}` were no whole sample", path.display()),
    };
    let kept = if samples == 1 { "1 sample is" } else { &format!("{samples} samples are") };
    format!("{what}; {kept} kept, and what is missing runs again")
}
