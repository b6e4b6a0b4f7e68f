//! The journal: a beginning that says which study this is, then one record per finished sample.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use gudgeon_files::{Disk, DiskFile};

use super::difference::difference;
use super::fingerprint::Fingerprint;
use super::record::{Reader, Record, push_text, push_u64};
use super::{Column, Plan, StoreError, files, frame};

const MAGIC: [u8; 16] = *b"gudgeon journal\n";
const VERSION: u32 = 1;
/// Magic and version come before the first frame.
const START: usize = 20;

#[derive(Debug)]
pub(super) struct Journal {
    path: PathBuf,
    file: DiskFile,
    /// What its samples say they are of.
    study: u64,
    /// Bytes that are safe.
    length: u64,
    /// After a failed write nobody knows what is on the disk: nothing more is announced.
    broken: bool,
}

/// What a journal held when it was opened.
pub(super) struct Found {
    pub records: Vec<Record>,
    pub torn_bytes: u64,
    /// Its beginning was damaged and has been written anew; what it was is there.
    pub damaged: Option<PathBuf>,
}

/// What to do with a journal whose beginning does not say which study it is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Damaged {
    Refuse,
    /// Take the samples behind it that are of the study.
    Salvage,
}

/// What a journal must be to be opened.
#[derive(Clone, Copy)]
pub(super) struct Wanted<'a> {
    pub plan: &'a Plan,
    pub damaged: Damaged,
    /// Whether a sample is one that the study would run.
    pub has: &'a dyn Fn(&Record) -> bool,
}

impl Journal {
    /// Makes a journal without records; at any moment there is none or a whole one.
    pub fn create(disk: &Disk, path: &Path, plan: &Plan) -> Result<Self, StoreError> {
        let bytes = beginning(plan);
        files::replace_on(disk, path, &bytes)?;
        Self::at(disk, path, plan, bytes.len() as u64)
    }

    /// Opens the journal of a study, checks that it is this study, and drops what was torn. One that
    /// is refused is not touched.
    pub fn open(disk: &Disk, path: &Path, wanted: Wanted<'_>) -> Result<(Self, Found), StoreError> {
        let Wanted { plan, damaged, has } = wanted;
        let folder = || path.parent().unwrap_or(path).into();
        let bytes = disk.read(path).map_err(StoreError::io("read", path))?;
        let is_marked = match check_version(path, &bytes) {
            Err(error @ StoreError::Version { .. }) if damaged == Damaged::Refuse => {
                return Err(error);
            }
            checked => checked.is_ok(),
        };
        let scan = frame::scan(&bytes, if is_marked { START } else { 0 });
        // The bytes of a short record may read as those of a beginning.
        let is_record = |bytes: &&&[u8]| Record::decode(bytes).is_some();
        let first = scan.contents.first().filter(|first| !is_record(first));
        let stored = first.and_then(|first| decode(first));
        if let Some(stored) = stored.as_ref().filter(|stored| *stored != plan) {
            let reason = difference(stored, plan);
            return Err(StoreError::OtherStudy { folder: folder(), reason });
        }
        let rest = &scan.contents[usize::from(stored.is_some())..];
        let found = rest.iter().filter_map(|bytes| Record::decode(bytes));
        let found = found.filter(|(record, _)| record.fits(plan));
        // Of a beginning that cannot be read only the samples tell of which study they are.
        let is_own = |study: Option<u64>| match study {
            Some(study) => study == number(plan),
            None => stored.is_some(),
        };
        let (own, others): (Vec<_>, Vec<_>) = found.partition(|(_, study)| is_own(*study));
        if stored.is_none() && (damaged == Damaged::Refuse || own.is_empty()) {
            let (path, samples, others) = (path.into(), own.len(), others.len());
            return Err(StoreError::NotAJournal { path, samples, others });
        }
        let records: Vec<Record> = own.into_iter().map(|(record, _)| record).collect();
        if !records.iter().all(has) {
            return Err(StoreError::OtherDesign { folder: folder() });
        }
        let torn_bytes = scan.skipped as u64;
        if stored.is_none() || !is_marked {
            let (journal, kept) = Self::write_anew(disk, path, plan, (&records, &bytes))?;
            return Ok((journal, Found { records, torn_bytes, damaged: Some(kept) }));
        }
        let mut journal = Self::at(disk, path, plan, scan.end as u64)?;
        if scan.end < bytes.len() {
            journal.file.cut(journal.length).map_err(StoreError::io("shorten", path))?;
        }
        Ok((journal, Found { records, torn_bytes, damaged: None }))
    }

    /// A journal of these records in the place of a damaged one, which stays beside it.
    fn write_anew(
        disk: &Disk,
        path: &Path,
        plan: &Plan,
        (records, old): (&[Record], &[u8]),
    ) -> Result<(Self, PathBuf), StoreError> {
        // One of an earlier damage stays, too; the same one is there after a kill in between.
        let kept = files::damaged(path, &|there| disk.read(there).is_ok_and(|there| there == old));
        files::replace_on(disk, &kept, old)?;
        let mut bytes = beginning(plan);
        for record in records {
            frame::push(&mut bytes, &record.encode(number(plan)));
        }
        files::replace_on(disk, path, &bytes)?;
        Ok((Self::at(disk, path, plan, bytes.len() as u64)?, kept))
    }

    fn at(disk: &Disk, path: &Path, plan: &Plan, length: u64) -> Result<Self, StoreError> {
        let file = disk.append(path).map_err(StoreError::io("open", path))?;
        Ok(Self { path: path.into(), file, study: number(plan), length, broken: false })
    }

    /// Brings records to the disk, all with one synchronisation. `safe` samples are there already.
    pub fn append(&mut self, records: &[Record], safe: usize) -> Result<(), StoreError> {
        let failed = |path: &Path, source| StoreError::Append { path: path.into(), safe, source };
        if self.broken {
            let source = io::Error::other("an earlier write failed");
            return Err(failed(&self.path, source));
        }
        let mut bytes = Vec::new();
        for record in records {
            frame::push(&mut bytes, &record.encode(self.study));
        }
        if let Err(source) = self.file.write_all(&bytes).and_then(|()| self.file.sync()) {
            self.broken = true;
            // What cannot be cut off is skipped at the next start.
            let _ = self.file.cut(self.length);
            return Err(failed(&self.path, source));
        }
        self.length += bytes.len() as u64;
        Ok(())
    }
}

/// Magic, version, and which study it is.
fn beginning(plan: &Plan) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend(VERSION.to_le_bytes());
    frame::push(&mut bytes, &encode(plan));
    bytes
}

fn check_version(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let version = bytes.get(MAGIC.len()..START).and_then(|v| v.try_into().ok());
    let Some(version) = version.filter(|_| bytes.starts_with(&MAGIC)) else {
        return Err(StoreError::NotAJournal { path: path.into(), samples: 0, others: 0 });
    };
    match u32::from_le_bytes(version) {
        VERSION => Ok(()),
        found => Err(StoreError::Version { path: path.into(), found, known: VERSION }),
    }
}

/// What every sample says of its study.
fn number(plan: &Plan) -> u64 {
    Fingerprint::new().bytes(&encode(plan)).value()
}

fn encode(plan: &Plan) -> Vec<u8> {
    let mut out = Vec::new();
    push_u64(&mut out, plan.fingerprint);
    push_text(&mut out, &plan.description);
    for columns in [&plan.variables, &plan.values] {
        push_u64(&mut out, columns.len() as u64);
        for column in columns {
            push_text(&mut out, &column.name);
            push_text(&mut out, &column.unit);
        }
    }
    out
}

fn decode(bytes: &[u8]) -> Option<Plan> {
    let mut reader = Reader(bytes);
    let fingerprint = reader.u64()?;
    let description = reader.text()?;
    let variables = columns(&mut reader)?;
    let values = columns(&mut reader)?;
    reader.0.is_empty().then_some(Plan { fingerprint, description, variables, values })
}

fn columns(reader: &mut Reader) -> Option<Vec<Column>> {
    let n = reader.count()?;
    (0..n).map(|_| Some(Column { name: reader.text()?, unit: reader.text()? })).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::record::tests::{records, without_study};
    use super::*;

    /// Journals of before, whose samples do not say of which study they are.
    #[test]
    fn samples_of_no_known_study_are_read_behind_a_whole_beginning_only() {
        let column = |name: &str| Column::new(name, "");
        let plan = Plan {
            fingerprint: 1,
            description: String::new(),
            variables: ["a", "b", "c"].map(column).to_vec(),
            values: ["d", "e"].map(column).to_vec(),
        };
        let mut bytes = beginning(&plan);
        let fitting: Vec<Record> = records().into_iter().filter(|r| r.fits(&plan)).collect();
        fitting.iter().for_each(|record| frame::push(&mut bytes, &without_study(record)));
        let name = format!("gudgeon-journal-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let open = |bytes: &[u8]| {
            fs::write(&path, bytes).expect("written");
            let wanted = Wanted { plan: &plan, damaged: Damaged::Salvage, has: &|_| true };
            Journal::open(&Disk::real(), &path, wanted).map(|(_, found)| found.records)
        };
        assert_eq!(open(&bytes).expect("the study"), fitting);
        bytes[40] ^= 1;
        let error = open(&bytes).expect_err("damaged");
        assert!(
            matches!(error, StoreError::NotAJournal { samples: 0, others: 3, .. }),
            "{error:?}"
        );
        assert!(fs::read(&path).expect("a journal") == bytes, "it is not touched");
        fs::remove_file(&path).expect("removed");
    }
}
