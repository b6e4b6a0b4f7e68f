//! The table of a run: one row per output time, streamed to `series.csv` and `series.parquet`.

use std::path::{Path, PathBuf};

use gudgeon_files::Disk;

use crate::csv::CsvTable;
use crate::error::OutputError;
use crate::parquet::ParquetTable;

/// File names of the table.
pub(crate) const CSV: &str = "series.csv";
pub(crate) const PARQUET: &str = "series.parquet";

/// One column of a table: its name, its SI unit as text (`m/s^2`, empty for a pure number), and a
/// few words on what it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Column {
    pub name: String,
    pub unit: String,
    pub about: String,
    /// Whether rows may lack a value, which is NaN: an empty cell, `null` in parquet.
    pub may_be_missing: bool,
}

impl Column {
    pub fn new(name: impl Into<String>, unit: impl Into<String>, about: impl Into<String>) -> Self {
        Column { name: name.into(), unit: unit.into(), about: about.into(), may_be_missing: false }
    }

    /// The same, whether its rows may lack a value or not.
    #[must_use]
    pub fn missing(self, may_be_missing: bool) -> Column {
        Column { may_be_missing, ..self }
    }

    /// The time column, by custom the first one.
    pub fn time() -> Column {
        Column::new("t", "s", "time")
    }

    /// `name [unit]`, or the name alone for a pure number.
    pub fn heading(&self) -> String {
        match self.unit.as_str() {
            "" | "1" => self.name.clone(),
            unit => format!("{} [{unit}]", self.name),
        }
    }
}

/// A file format of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeriesFormat {
    Csv,
    Parquet,
}

impl SeriesFormat {
    /// Both formats, the default of a run.
    pub const ALL: &[SeriesFormat] = &[SeriesFormat::Csv, SeriesFormat::Parquet];
}

/// Streams rows to the tables of a result folder; memory does not grow with the number of rows.
pub struct SeriesWriter {
    disk: Disk,
    folder: PathBuf,
    width: usize,
    rows: u64,
    csv: Option<CsvTable>,
    parquet: Option<ParquetTable>,
}

impl SeriesWriter {
    /// Creates `series.csv` and `series.parquet`, as far as `formats` names them, in `folder`.
    pub fn create(
        folder: &Path,
        columns: &[Column],
        formats: &[SeriesFormat],
    ) -> Result<SeriesWriter, OutputError> {
        SeriesWriter::create_on(&Disk::real(), folder, columns, formats)
    }

    /// A parquet table of this name alone.
    pub fn named(
        disk: &Disk,
        folder: &Path,
        name: &str,
        columns: &[Column],
    ) -> Result<SeriesWriter, OutputError> {
        let mut writer = SeriesWriter::create_on(disk, folder, columns, &[])?;
        writer.parquet = Some(ParquetTable::create(disk, &folder.join(name), columns)?);
        Ok(writer)
    }

    /// As [`SeriesWriter::create`], on a disk of choice.
    pub fn create_on(
        disk: &Disk,
        folder: &Path,
        columns: &[Column],
        formats: &[SeriesFormat],
    ) -> Result<SeriesWriter, OutputError> {
        let mut writer = SeriesWriter {
            disk: disk.clone(),
            folder: folder.to_owned(),
            width: columns.len(),
            rows: 0,
            csv: None,
            parquet: None,
        };
        if formats.contains(&SeriesFormat::Csv) {
            writer.csv = Some(CsvTable::create(disk, &folder.join(CSV), columns)?);
        }
        if formats.contains(&SeriesFormat::Parquet) {
            writer.parquet = Some(ParquetTable::create(disk, &folder.join(PARQUET), columns)?);
        }
        Ok(writer)
    }

    /// Adds a row with one value per column.
    pub fn push(&mut self, row: &[f64]) -> Result<(), OutputError> {
        if row.len() != self.width {
            return Err(OutputError::RowLength {
                path: self.folder.clone(),
                given: row.len(),
                expected: self.width,
            });
        }
        if let Some(csv) = &mut self.csv {
            csv.push(row)?;
        }
        if let Some(parquet) = &mut self.parquet {
            parquet.push(row)?;
        }
        self.rows += 1;
        Ok(())
    }

    /// Rows pushed so far.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Completes the files and returns the number of rows. Where the disk refuses, the text keeps
    /// its whole lines, and half a parquet file goes.
    pub fn finish(self) -> Result<u64, OutputError> {
        let text = self.csv.map_or(Ok(()), CsvTable::finish);
        let parquet = self.parquet.map_or(Ok(()), ParquetTable::finish);
        if parquet.is_err() {
            let _ = self.disk.remove_file(&self.folder.join(PARQUET)); // told by the error
        }
        text.and(parquet).map(|()| self.rows)
    }
}
