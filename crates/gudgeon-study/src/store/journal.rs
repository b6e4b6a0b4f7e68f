//! The journal: a beginning that says which study this is, then one record per finished sample.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use gudgeon_files::{Disk, DiskFile};

use super::record::{Reader, Record, push_text, push_u64};
use super::{Column, Plan, StoreError, files, frame};

const MAGIC: [u8; 16] = *b"gudgeon journal\n";
const VERSION: u32 = 1;
/// Stands between the name of a part and its fingerprint in a description.
const PART: &str = " #";
/// Magic and version come before the first frame.
const START: usize = 20;

#[derive(Debug)]
pub(super) struct Journal {
    path: PathBuf,
    file: DiskFile,
    /// Bytes that are safe.
    length: u64,
    /// After a failed write nobody knows what is on the disk: nothing more is announced.
    broken: bool,
}

/// What a journal held when it was opened.
pub(super) struct Found {
    pub records: Vec<Record>,
    pub torn_bytes: u64,
    /// Its beginning was damaged and has been written anew.
    pub beginning: bool,
}

/// What to do with a journal whose beginning does not say which study it is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Damaged {
    Refuse,
    /// Take the samples behind it for those of the study.
    Salvage,
}

impl Journal {
    /// Makes a journal without records; at any moment there is none or a whole one.
    pub fn create(disk: &Disk, path: &Path, plan: &Plan) -> Result<Self, StoreError> {
        let bytes = beginning(plan);
        files::replace_on(disk, path, &bytes)?;
        Self::at(disk, path, bytes.len() as u64)
    }

    /// Opens the journal of a study, checks that it is this study, and drops what was torn.
    pub fn open(
        disk: &Disk,
        path: &Path,
        plan: &Plan,
        damaged: Damaged,
    ) -> Result<(Self, Found), StoreError> {
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
            let folder = path.parent().unwrap_or(path).into();
            return Err(StoreError::OtherStudy { folder, reason: difference(stored, plan) });
        }
        let fits = |record: &Record| record.fits(plan);
        let rest = &scan.contents[usize::from(stored.is_some())..];
        let records = || rest.iter().filter_map(|bytes| Record::decode(bytes)).filter(fits);
        if stored.is_none() && (damaged == Damaged::Refuse || records().next().is_none()) {
            return Err(StoreError::NotAJournal { path: path.into(), samples: records().count() });
        }
        let records: Vec<Record> = records().collect();
        let torn_bytes = scan.skipped as u64;
        if stored.is_none() || !is_marked {
            let journal = Self::write_anew(disk, path, plan, &records)?;
            return Ok((journal, Found { records, torn_bytes, beginning: true }));
        }
        let mut journal = Self::at(disk, path, scan.end as u64)?;
        if scan.end < bytes.len() {
            journal.file.cut(journal.length).map_err(StoreError::io("shorten", path))?;
        }
        Ok((journal, Found { records, torn_bytes, beginning: false }))
    }

    /// A journal of these records in the place of a damaged one, which stays beside it.
    fn write_anew(
        disk: &Disk,
        path: &Path,
        plan: &Plan,
        records: &[Record],
    ) -> Result<Self, StoreError> {
        let kept = path.with_extension("journal.damaged");
        let old = disk.read(path).map_err(StoreError::io("read", path))?;
        files::replace_on(disk, &kept, &old)?;
        let mut bytes = beginning(plan);
        records.iter().for_each(|record| frame::push(&mut bytes, &record.encode()));
        files::replace_on(disk, path, &bytes)?;
        Self::at(disk, path, bytes.len() as u64)
    }

    fn at(disk: &Disk, path: &Path, length: u64) -> Result<Self, StoreError> {
        let file = disk.append(path).map_err(StoreError::io("open", path))?;
        Ok(Self { path: path.into(), file, length, broken: false })
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
            frame::push(&mut bytes, &record.encode());
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
        return Err(StoreError::NotAJournal { path: path.into(), samples: 0 });
    };
    match u32::from_le_bytes(version) {
        VERSION => Ok(()),
        found => Err(StoreError::Version { path: path.into(), found, known: VERSION }),
    }
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

/// Why the stored study is not the one asked for: what its lines say, then what stands behind them.
fn difference(stored: &Plan, asked: &Plan) -> String {
    let (old, new) = (Lines::of(&stored.description), Lines::of(&asked.description));
    if let Some((old, new)) = first_difference(&old.plain, &new.plain) {
        return match (old, new) {
            (Some(old), Some(new)) => format!("`{old}` is `{new}` now"),
            (Some(old), None) => format!("`{old}` is gone"),
            (None, new) => format!("`{}` is new", new.unwrap_or_default()),
        };
    }
    for (what, old, new) in [
        ("variables", &stored.variables, &asked.variables),
        ("responses", &stored.values, &asked.values),
    ] {
        if old != new {
            return format!("its {what} were {} and are {} now", names(old), names(new));
        }
    }
    old.behind(&new).unwrap_or_else(|| {
        "it reads the same, but something behind it has changed, such as the model".into()
    })
}

/// A description: plain lines, and lines with the fingerprint of a part of the study.
struct Lines<'a> {
    plain: Vec<&'a str>,
    parts: Vec<(&'a str, &'a str)>,
}

impl<'a> Lines<'a> {
    fn of(text: &'a str) -> Self {
        let (mut plain, mut parts) = (Vec::new(), Vec::new());
        for line in text.lines() {
            let is_print = |print: &str| print.bytes().all(|b| b.is_ascii_hexdigit());
            match line.rsplit_once(PART) {
                Some(part) if is_print(part.1) => parts.push(part),
                _ => plain.push(line),
            }
        }
        Self { plain, parts }
    }

    /// The first part that is not as it was.
    fn behind(&self, now: &Self) -> Option<String> {
        if self.parts.is_empty() && !now.parts.is_empty() {
            return Some("an earlier version of the program has written them".into());
        }
        let find = |all: &[(&str, &str)], name: &str| {
            all.iter().find(|part| part.0 == name).map(|part| part.1.to_owned())
        };
        let names = self.parts.iter().chain(&now.parts).map(|part| part.0);
        names.into_iter().find_map(|name| match (find(&self.parts, name), find(&now.parts, name)) {
            (old, new) if old == new => None,
            (Some(_), Some(_)) => Some(format!("`{name}` has changed")),
            (Some(_), None) => Some(format!("`{name}` is gone")),
            (None, _) => Some(format!("`{name}` is new")),
        })
    }
}

/// The first lines that only one of two texts has.
fn first_difference<'a>(
    old: &[&'a str],
    new: &[&'a str],
) -> Option<(Option<&'a str>, Option<&'a str>)> {
    if old == new {
        return None;
    }
    let gone = old.iter().find(|line| !new.contains(line)).copied();
    let added = new.iter().find(|line| !old.contains(line)).copied();
    (gone.is_some() || added.is_some()).then_some((gone, added))
}

fn names(columns: &[Column]) -> String {
    let names: Vec<String> = columns.iter().map(|c| format!("`{}`", c.heading())).collect();
    names.join(", ")
}
