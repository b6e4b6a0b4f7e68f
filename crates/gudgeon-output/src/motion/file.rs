//! Motions and journals as tables, written and read.

use std::fs::File;
use std::path::Path;

use gudgeon_files::Disk;
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};

use super::keys::Keys;
use super::mechanism::Mechanism;
use crate::error::OutputError;
use crate::parquet::ParquetTable;
use crate::series::Column;
use crate::table::{damaged, numbers, unread};

pub const MOTION: &str = "motion.parquet";
pub const IDEAL_MOTION: &str = "motion_ideal.parquet";
pub const JOURNALS: &str = "journals.parquet";
pub const IDEAL_SERIES: &str = "series_ideal.parquet";

/// Key of the mechanism in the metadata of a motion.
const MECHANISM_KEY: &str = "gudgeon.mechanism";

/// A motion, read back.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Motion {
    pub mechanism: Mechanism,
    pub times: Vec<f64>,
    /// Whether an impact begins there.
    pub impacts: Vec<bool>,
    /// Column by column: poses, then forces of joints.
    pub columns: Vec<Vec<f64>>,
}

/// Writes the keys of a motion.
pub fn write_motion(
    disk: &Disk,
    path: &Path,
    mechanism: &Mechanism,
    keys: Keys,
) -> Result<(), OutputError> {
    let mut columns = vec![Column::time(), Column::new("impact", "", "1 where an impact begins")];
    columns.extend(mechanism.columns().into_iter().map(|(name, unit)| Column::new(name, unit, "")));
    let described = serde_json::to_string(mechanism).unwrap_or_default();
    let mut table = ParquetTable::create_with(disk, path, &columns, &[(MECHANISM_KEY, described)])?;
    let (times, rows, marked) = keys.finish();
    let width = columns.len() - 2;
    let mut line = vec![0.0; columns.len()];
    for (i, t) in times.iter().enumerate() {
        line[..2].copy_from_slice(&[*t, f64::from(marked[i])]);
        line[2..].copy_from_slice(&rows[i * width..(i + 1) * width]);
        table.push(&line)?;
    }
    table.finish()
}

/// Writes the keys of journals, one after another.
pub fn write_journals(disk: &Disk, path: &Path, journals: Vec<Keys>) -> Result<(), OutputError> {
    let column = |name: &str, unit: &str, about: &str| Column::new(name, unit, about);
    let columns = [
        column("journal", "", "number of the journal"),
        Column::time(),
        column("x", "m", "place of the journal in axes of its bearing"),
        column("y", "m", ""),
        column("force.x", "N", "force on the journal in axes of its bearing"),
        column("force.y", "N", ""),
        column("touches", "", "1 while it touches its bearing"),
    ];
    let mut table = ParquetTable::create(disk, path, &columns)?;
    for (number, keys) in journals.into_iter().enumerate() {
        let (times, rows, _) = keys.finish();
        for (t, row) in times.iter().zip(rows.chunks_exact(5)) {
            table.push(&[number as f64, *t, row[0], row[1], row[2], row[3], row[4]])?;
        }
    }
    table.finish()
}

/// The motion in a file; none where there is no file.
pub fn read_motion(path: &Path) -> Result<Option<Motion>, OutputError> {
    if !path.is_file() {
        return Ok(None);
    }
    let file = open(path)?;
    let meta = file.metadata().file_metadata();
    let entry =
        meta.key_value_metadata().and_then(|all| all.iter().find(|e| e.key == MECHANISM_KEY));
    let mechanism = entry.and_then(|entry| entry.value.as_deref());
    let mechanism: Mechanism = mechanism
        .and_then(|text| serde_json::from_str(text).ok())
        .ok_or_else(|| damaged(path)(ParquetError::General("it describes no mechanism".into())))?;
    let columns = columns(&file, path)?;
    let expected = 2 + mechanism.columns().len();
    let Some(([times, impacts], rest)) =
        columns.split_first_chunk().filter(|_| columns.len() == expected)
    else {
        let why = "its columns are not those of its mechanism";
        return Err(damaged(path)(ParquetError::General(why.into())));
    };
    Ok(Some(Motion {
        mechanism,
        times: times.clone(),
        impacts: impacts.iter().map(|mark| *mark != 0.0).collect(),
        columns: rest.to_vec(),
    }))
}

/// Journals: number, time, place, force, touch, column by column; none where there is no file.
pub fn read_journals(path: &Path) -> Result<Option<Vec<Vec<f64>>>, OutputError> {
    if !path.is_file() {
        return Ok(None);
    }
    let columns = columns(&open(path)?, path)?;
    if columns.len() != 7 {
        let why = "its columns are not those of journals";
        return Err(damaged(path)(ParquetError::General(why.into())));
    }
    Ok(Some(columns))
}

fn open(path: &Path) -> Result<SerializedFileReader<File>, OutputError> {
    let file = File::open(path).map_err(unread(path))?;
    SerializedFileReader::new(file).map_err(damaged(path))
}

fn columns(file: &SerializedFileReader<File>, path: &Path) -> Result<Vec<Vec<f64>>, OutputError> {
    let count = file.metadata().file_metadata().schema_descr().num_columns();
    (0..count).map(|column| numbers(file, column)).collect::<Result<_, _>>().map_err(damaged(path))
}
