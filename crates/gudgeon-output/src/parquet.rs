//! The same table as a parquet file: 64-bit columns in row groups of bounded size.
//!
//! Units and descriptions are in the file's key-value metadata under `gudgeon.columns`, a JSON array
//! of `{"name", "unit", "about"}`. Nothing in the file depends on time or machine.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gudgeon_files::{Disk, DiskFile};
use parquet::basic::{Compression, Encoding, Repetition, Type as PhysicalType};
use parquet::data_type::DoubleType;
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{Type, TypePtr};

use crate::error::OutputError;
use crate::series::Column;

/// Rows in a row group, unless the table is very wide.
const GROUP_ROWS: usize = 65_536;
/// Numbers held in memory before a row group is written (32 MB).
const GROUP_VALUES: usize = 1 << 22;
/// Key of the column descriptions in the file's metadata.
pub const COLUMNS_KEY: &str = "gudgeon.columns";

/// Streams a table of numbers to a file, holding at most one row group in memory.
pub(crate) struct ParquetTable {
    path: PathBuf,
    writer: SerializedFileWriter<DiskFile>,
    columns: Vec<Vec<f64>>,
    /// Which columns are `null` where they are NaN.
    may_be_missing: Vec<bool>,
    group_rows: usize,
    /// After a failed write nobody knows what is in the file.
    broken: bool,
}

impl ParquetTable {
    pub(crate) fn create(
        disk: &Disk,
        path: &Path,
        columns: &[Column],
    ) -> Result<ParquetTable, OutputError> {
        ParquetTable::create_with(disk, path, columns, &[])
    }

    /// The same with further texts in the metadata of the file.
    pub(crate) fn create_with(
        disk: &Disk,
        path: &Path,
        columns: &[Column],
        texts: &[(&str, String)],
    ) -> Result<ParquetTable, OutputError> {
        let file = disk.create(path).map_err(OutputError::io("create", path))?;
        let schema = schema(columns).map_err(OutputError::parquet(path))?;
        let writer = SerializedFileWriter::new(file, schema, Arc::new(properties(columns, texts)))
            .map_err(OutputError::parquet(path))?;
        let group_rows = (GROUP_VALUES / columns.len().max(1)).clamp(1, GROUP_ROWS);
        Ok(ParquetTable {
            path: path.to_owned(),
            writer,
            columns: vec![Vec::new(); columns.len()],
            may_be_missing: columns.iter().map(|column| column.may_be_missing).collect(),
            group_rows,
            broken: false,
        })
    }

    pub(crate) fn push(&mut self, row: &[f64]) -> Result<(), OutputError> {
        for (column, value) in self.columns.iter_mut().zip(row) {
            column.push(*value);
        }
        if self.columns.first().is_some_and(|c| c.len() >= self.group_rows) {
            self.write_group()?;
        }
        Ok(())
    }

    fn write_group(&mut self) -> Result<(), OutputError> {
        let written = write_group(&mut self.writer, &self.columns, &self.may_be_missing);
        self.columns.iter_mut().for_each(Vec::clear);
        self.broken |= written.is_err();
        written.map_err(OutputError::parquet(&self.path))
    }

    pub(crate) fn finish(mut self) -> Result<(), OutputError> {
        if self.broken {
            let source = io::Error::other("an earlier write failed");
            return Err(OutputError::io("write", &self.path)(source));
        }
        if self.columns.first().is_some_and(|c| !c.is_empty()) {
            self.write_group()?;
        }
        self.writer.close().map_err(OutputError::parquet(&self.path))?;
        Ok(())
    }
}

fn write_group(
    writer: &mut SerializedFileWriter<DiskFile>,
    columns: &[Vec<f64>],
    may_be_missing: &[bool],
) -> Result<(), ParquetError> {
    let mut group = writer.next_row_group()?;
    for (values, may_be_missing) in columns.iter().zip(may_be_missing) {
        if let Some(mut column) = group.next_column()? {
            let typed = column.typed::<DoubleType>();
            if *may_be_missing {
                let levels: Vec<i16> = values.iter().map(|x| i16::from(!x.is_nan())).collect();
                let present: Vec<f64> = values.iter().copied().filter(|x| !x.is_nan()).collect();
                typed.write_batch(&present, Some(&levels), None)?;
            } else {
                typed.write_batch(values, None, None)?;
            }
            column.close()?;
        }
    }
    group.close()?;
    Ok(())
}

fn schema(columns: &[Column]) -> Result<TypePtr, ParquetError> {
    let fields = columns
        .iter()
        .map(|column| {
            Type::primitive_type_builder(&column.name, PhysicalType::DOUBLE)
                .with_repetition(match column.may_be_missing {
                    true => Repetition::OPTIONAL,
                    false => Repetition::REQUIRED,
                })
                .build()
                .map(Arc::new)
        })
        .collect::<Result<Vec<_>, _>>()?;
    Ok(Arc::new(Type::group_type_builder("series").with_fields(fields).build()?))
}

fn properties(columns: &[Column], texts: &[(&str, String)]) -> WriterProperties {
    let described: Vec<_> = columns
        .iter()
        .map(|c| serde_json::json!({"name": c.name, "unit": c.unit, "about": c.about}))
        .collect();
    let described = serde_json::Value::from(described).to_string();
    let mut entries = vec![KeyValue::new(COLUMNS_KEY.to_owned(), described)];
    entries.extend(texts.iter().map(|(key, text)| KeyValue::new((*key).to_owned(), text.clone())));
    WriterProperties::builder()
        .set_created_by(concat!("gudgeon version ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_key_value_metadata(Some(entries))
        .set_compression(Compression::SNAPPY)
        .set_dictionary_enabled(false)
        // splitting the bytes lets snappy see the slowly changing exponents
        .set_encoding(Encoding::BYTE_STREAM_SPLIT)
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .build()
}
