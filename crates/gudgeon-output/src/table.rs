//! The table of a result, read back: the columns that are asked for, all rows of them.
//!
//! `series.parquet` is read where it is there, else `series.csv`, which a full disk may have left alone.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use parquet::column::reader::ColumnReader;
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};
use serde::Deserialize;

use crate::error::OutputError;
use crate::parquet::COLUMNS_KEY;
use crate::series::{CSV, Column, PARQUET};

/// Rows that are decoded at a time.
const BATCH: usize = 1 << 16;

/// A table whose head has been read.
pub struct SeriesReader {
    path: PathBuf,
    columns: Vec<Column>,
    source: Source,
}

enum Source {
    Parquet(SerializedFileReader<File>),
    Csv,
}

impl SeriesReader {
    /// The table in a result folder; none where there is no file of it.
    pub fn open(folder: &Path) -> Result<Option<SeriesReader>, OutputError> {
        let path = folder.join(PARQUET);
        if path.is_file() {
            return parquet(path).map(Some);
        }
        let path = folder.join(CSV);
        if path.is_file() { csv(path).map(Some) } else { Ok(None) }
    }

    /// A parquet table of another name; none where there is no such file.
    pub fn open_named(folder: &Path, name: &str) -> Result<Option<SeriesReader>, OutputError> {
        let path = folder.join(name);
        if path.is_file() { parquet(path).map(Some) } else { Ok(None) }
    }

    /// The columns in their order, the time first.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The values of chosen columns, row by row; one that is missing is not a number.
    pub fn read(&self, chosen: &[usize]) -> Result<Vec<Vec<f64>>, OutputError> {
        match &self.source {
            Source::Parquet(file) => {
                let read = |column: &usize| numbers(file, *column);
                chosen.iter().map(read).collect::<Result<_, _>>().map_err(damaged(&self.path))
            }
            Source::Csv => {
                csv_values(&self.path, self.columns.len(), chosen).map_err(unread(&self.path))
            }
        }
    }
}

fn parquet(path: PathBuf) -> Result<SeriesReader, OutputError> {
    let file = File::open(&path).map_err(unread(&path))?;
    let file = SerializedFileReader::new(file).map_err(damaged(&path))?;
    let columns = described(&file).ok_or_else(|| {
        damaged(&path)(ParquetError::General("it does not describe its columns".into()))
    })?;
    Ok(SeriesReader { path, columns, source: Source::Parquet(file) })
}

/// Names and units as the file describes them.
fn described(file: &SerializedFileReader<File>) -> Option<Vec<Column>> {
    #[derive(Deserialize)]
    struct Described {
        name: String,
        unit: String,
        about: String,
    }
    let meta = file.metadata().file_metadata();
    let entry = meta.key_value_metadata()?.iter().find(|entry| entry.key == COLUMNS_KEY)?;
    let columns: Vec<Described> = serde_json::from_str(entry.value.as_deref()?).ok()?;
    let schema = meta.schema_descr();
    if columns.is_empty() || columns.len() != schema.num_columns() {
        return None;
    }
    let missing = |i: usize| schema.column(i).max_def_level() > 0;
    let column =
        |(i, c): (usize, Described)| Column::new(c.name, c.unit, c.about).missing(missing(i));
    Some(columns.into_iter().enumerate().map(column).collect())
}

/// All values of a column.
pub(crate) fn numbers(
    file: &SerializedFileReader<File>,
    column: usize,
) -> Result<Vec<f64>, ParquetError> {
    let mut all = Vec::new();
    for group in 0..file.num_row_groups() {
        let group = file.get_row_group(group)?;
        let ColumnReader::DoubleColumnReader(mut reader) = group.get_column_reader(column)? else {
            return Err(ParquetError::General("a column does not hold numbers".into()));
        };
        loop {
            let (mut present, mut levels) = (Vec::new(), Vec::new());
            let (rows, _, _) = reader.read_records(BATCH, Some(&mut levels), None, &mut present)?;
            if rows == 0 {
                break;
            }
            if levels.is_empty() {
                all.extend(present);
                continue;
            }
            let mut present = present.into_iter();
            let value = |level: i16| if level > 0 { present.next() } else { None };
            all.extend(levels.into_iter().map(value).map(|value| value.unwrap_or(f64::NAN)));
        }
    }
    Ok(all)
}

fn csv(path: PathBuf) -> Result<SeriesReader, OutputError> {
    let file = File::open(&path).map_err(unread(&path))?;
    let mut head = String::new();
    BufReader::new(file).read_line(&mut head).map_err(unread(&path))?;
    let columns: Vec<Column> = head.trim_end().split(',').map(heading).collect();
    if columns.first().is_none_or(|first| first.name != "t") {
        let source = io::Error::new(io::ErrorKind::InvalidData, "its first line names no columns");
        return Err(unread(&path)(source));
    }
    Ok(SeriesReader { path, columns, source: Source::Csv })
}

/// `name [unit]` as a column.
fn heading(text: &str) -> Column {
    let text = text.trim().trim_matches('"');
    let (name, unit) = match text.strip_suffix(']').and_then(|text| text.split_once(" [")) {
        Some((name, unit)) => (name, unit),
        None => (text, ""),
    };
    Column::new(name, unit, "").missing(true)
}

/// Whole lines only: the last one of a run that was killed may be cut.
fn csv_values(path: &Path, width: usize, chosen: &[usize]) -> io::Result<Vec<Vec<f64>>> {
    let mut all = vec![Vec::new(); chosen.len()];
    let mut lines = BufReader::new(File::open(path)?);
    let mut line = String::new();
    lines.read_line(&mut line)?;
    loop {
        line.clear();
        if lines.read_line(&mut line)? == 0 || !line.ends_with('\n') {
            return Ok(all);
        }
        let cells: Vec<&str> = line.trim_end().split(',').collect();
        if cells.len() != width {
            let why = format!("a line has {} cells for {width} columns", cells.len());
            return Err(io::Error::new(io::ErrorKind::InvalidData, why));
        }
        for (column, values) in chosen.iter().zip(&mut all) {
            values.push(cells[*column].parse().unwrap_or(f64::NAN));
        }
    }
}

pub(crate) fn unread(path: &Path) -> impl FnOnce(io::Error) -> OutputError {
    OutputError::io("read", path)
}

pub(crate) fn damaged(path: &Path) -> impl FnOnce(ParquetError) -> OutputError {
    let path = path.to_owned();
    move |error| OutputError::Damaged { path, why: error.to_string() }
}
