//! The rows of a killed run: tables cut to their last whole line, and a record that says so.
//!
//! A run begins with a record of its own (`status` = `"running"`): what is computed from what. With
//! the rows that had reached the disk it becomes a result of its own.

use std::io::{self, BufRead, BufReader};
use std::path::Path;

use gudgeon_files::Disk;
use serde_json::{Map, Value, json};

use crate::csv;
use crate::error::OutputError;
use crate::parquet::ParquetTable;
use crate::run_json::{self, KILLED, RUN_JSON};
use crate::series::{CSV, Column, PARQUET};

/// Columns of the table in the record of a run that has not ended.
pub(crate) const COLUMNS: &str = "columns";
const LOOPS: &str = "loops.csv";
const LINES: &str = "lines.csv";

pub(crate) struct Salvaged {
    pub rows: u64,
    /// Of the last row.
    pub time: f64,
}

/// Makes a result of what a killed run has left; nothing if there is no row.
pub(crate) fn salvage(disk: &Disk, folder: &Path) -> io::Result<Option<Salvaged>> {
    let head = disk.read(&folder.join(RUN_JSON))?;
    let Ok(Value::Object(mut record)) = serde_json::from_slice(&head) else { return Ok(None) };
    let Some(columns) = record.shift_remove(COLUMNS).as_ref().and_then(columns) else {
        return Ok(None);
    };
    let table = match cut_series(disk, folder, &columns) {
        Ok(Some(table)) => table,
        Ok(None) => return Ok(None),
        Err(OutputError::Io { source, .. }) => return Err(source),
        Err(error) => return Err(io::Error::other(error)),
    };
    for (name, heading, cells) in
        [(LOOPS, csv::loops_heading(), 5), (LINES, csv::lines_heading(), 10)]
    {
        if folder.join(name).exists() {
            cut(disk, &folder.join(name), &heading, |line| line.split(',').count() >= cells)?;
        }
    }
    for name in disk.names(folder)? {
        if ![RUN_JSON, CSV, PARQUET, LOOPS, LINES].into_iter().any(|known| name == known) {
            disk.remove_file(&folder.join(name))?; // a picture half drawn, perhaps
        }
    }
    describe(&mut record, &columns, &table);
    if let Err((_, error)) = disk.sync_tree(folder) {
        return Err(error);
    }
    match run_json::write(disk, folder, record) {
        Ok(_) => Ok(Some(Salvaged { rows: table.rows, time: table.last[0] })),
        Err(OutputError::Io { source, .. }) => Err(source),
        Err(error) => Err(io::Error::other(error)),
    }
}

/// What an earlier start has made of a killed run.
pub(crate) fn before(disk: &Disk, folder: &Path) -> io::Result<Salvaged> {
    let record = disk.read(&folder.join(RUN_JSON))?;
    let record: Value = serde_json::from_slice(&record).unwrap_or_default();
    let time = record["final"].as_object().and_then(|last| last.values().next()?.as_f64());
    Ok(Salvaged { rows: record["rows"].as_u64().unwrap_or(0), time: time.unwrap_or(0.0) })
}

/// The columns as a record holds them.
pub(crate) fn described(columns: &[Column]) -> Value {
    let one = |c: &Column| {
        let mut column = json!({ "name": c.name, "unit": c.unit, "about": c.about });
        if c.may_be_missing {
            column["may_be_missing"] = json!(true);
        }
        column
    };
    columns.iter().map(one).collect()
}

fn columns(described: &Value) -> Option<Vec<Column>> {
    let one = |column: &Value| {
        let text = |key: &str| column[key].as_str();
        let may_be_missing = column["may_be_missing"].as_bool().unwrap_or(false);
        Some(Column::new(text("name")?, text("unit")?, text("about")?).missing(may_be_missing))
    };
    let columns: Vec<Column> = described.as_array()?.iter().map(one).collect::<Option<_>>()?;
    (!columns.is_empty()).then_some(columns)
}

/// What is known of a run that was killed.
fn describe(record: &mut Map<String, Value>, columns: &[Column], table: &Table) {
    record.insert("status".into(), json!(KILLED));
    let last = columns.iter().zip(&table.last);
    let last: Map<String, Value> = last.map(|(c, value)| (c.name.clone(), json!(value))).collect();
    record.insert("final".into(), Value::Object(last));
    record.insert("rows".into(), json!(table.rows));
}

struct Table {
    rows: u64,
    last: Vec<f64>,
}

/// Cuts the table to its whole rows and makes the same table as parquet.
fn cut_series(
    disk: &Disk,
    folder: &Path,
    columns: &[Column],
) -> Result<Option<Table>, OutputError> {
    let path = folder.join(CSV);
    if !path.exists() {
        return Ok(None);
    }
    let mut parquet = ParquetTable::create(disk, &folder.join(PARQUET), columns)?;
    let mut table = Table { rows: 0, last: Vec::new() };
    let (mut row, mut failed) = (Vec::with_capacity(columns.len()), None);
    let cut = cut(disk, &path, &csv::heading(columns), |line| {
        row.clear();
        row.extend(line.split(',').zip(columns).map_while(|(cell, column)| match cell {
            "" if column.may_be_missing => Some(f64::NAN),
            cell => cell.parse::<f64>().ok(),
        }));
        if failed.is_some() || row.len() != columns.len() || line.split(',').count() != row.len() {
            return false;
        }
        failed = parquet.push(&row).err();
        (table.rows, table.last) = (table.rows + 1, row.clone());
        true
    });
    cut.map_err(OutputError::io("shorten", &path))?;
    if let Some(error) = failed {
        return Err(error);
    }
    parquet.finish()?;
    Ok((table.rows > 0).then_some(table))
}

/// Cuts a table behind the last whole line that `is_good` says yes to, from its beginning on.
fn cut(
    disk: &Disk,
    path: &Path,
    heading: &str,
    mut is_good: impl FnMut(&str) -> bool,
) -> io::Result<()> {
    let mut file = disk.open(path)?;
    let mut reader = BufReader::with_capacity(1 << 16, &mut file);
    let (mut line, mut good, mut length) = (Vec::new(), 0u64, 0u64);
    let mut rest = heading;
    loop {
        line.clear();
        let read = reader.read_until(b'\n', &mut line)? as u64;
        length += read;
        let Ok(text) = std::str::from_utf8(&line) else { break };
        if read == 0 || !text.ends_with('\n') {
            break;
        }
        if !rest.is_empty() {
            let Some(behind) = rest.strip_prefix(text) else { break };
            rest = behind;
        } else if !is_good(text.trim_end_matches('\n')) {
            break;
        }
        good += read;
    }
    // bytes behind the first bad line have not been read
    if length > good || file_length(path)? > good {
        file.cut(good)?;
    }
    Ok(())
}

/// Cuts at least so many bytes off the end of a table, whole lines only.
pub(crate) fn shorten(disk: &Disk, path: &Path, bytes: u64) -> io::Result<()> {
    let mut file = disk.open(path)?;
    let keep = file_length(path)?.saturating_sub(bytes);
    let mut reader = BufReader::with_capacity(1 << 16, &mut file);
    let (mut line, mut good) = (Vec::new(), 0u64);
    loop {
        line.clear();
        let read = reader.read_until(b'\n', &mut line)? as u64;
        if read == 0 || (good > 0 && good + read > keep) {
            break;
        }
        good += read; // the heading in any case
    }
    file.cut(good)
}

fn file_length(path: &Path) -> io::Result<u64> {
    Ok(path.metadata()?.len())
}
