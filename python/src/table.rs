//! Tables whose columns Python reads without a copy: as NumPy arrays through the buffer protocol, and as
//! Arrow through the PyCapsule interface.

use std::ffi::c_int;
use std::sync::Arc;

use arrow_array::ffi::FFI_ArrowSchema;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{
    ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, RecordBatchIterator, StringArray,
};
use arrow_buffer::{NullBuffer, ScalarBuffer};
use arrow_schema::{ArrowError, Field, Schema};
use pyo3::exceptions::{PyKeyError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyList};
use pyo3::{IntoPyObjectExt, ffi};
use serde::Serialize;
use serde_json::{Value, json};

/// The values of one column.
#[derive(Clone)]
enum Values {
    /// Missing ones are not a number.
    Floats(ScalarBuffer<f64>, bool),
    Integers(Vec<Option<i64>>),
    Flags(Vec<Option<bool>>),
    Texts(Vec<Option<String>>),
}

/// Columns of the same length.
#[pyclass(frozen, module = "gudgeon._gudgeon")]
#[derive(Clone, Default)]
pub struct TableCore {
    names: Vec<String>,
    units: Vec<String>,
    columns: Vec<Values>,
    rows: usize,
}

/// A column as plain values: name, unit, numbers, whether some may be missing, or else its cells as JSON.
type Frozen = (String, String, Vec<u8>, bool, Option<String>);

/// Numbers that NumPy reads where they are.
#[pyclass(frozen, module = "gudgeon._gudgeon")]
pub struct Column(ScalarBuffer<f64>);

impl TableCore {
    /// Adds a column of numbers, which are moved; where values may be missing, those are not a number.
    pub fn push(&mut self, name: &str, unit: &str, values: Vec<f64>, may_be_missing: bool) {
        self.rows = values.len();
        self.names.push(name.to_owned());
        self.units.push(unit.to_owned());
        self.columns.push(Values::Floats(values.into(), may_be_missing));
    }

    /// Records of one type as rows; `units` of some of their keys.
    pub fn of_records<T: Serialize>(records: &[T], units: &[(&str, &str)]) -> TableCore {
        let rows: Vec<Value> = records.iter().map(gudgeon_output::record::to_value).collect();
        TableCore::of_rows(&rows, units)
    }

    /// Objects as rows. A key that an object lacks is missing there.
    pub fn of_rows(rows: &[Value], units: &[(&str, &str)]) -> TableCore {
        let mut names: Vec<&String> = Vec::new();
        for row in rows.iter().filter_map(Value::as_object) {
            names.extend(row.keys().filter(|key| !names.contains(key)).collect::<Vec<_>>());
        }
        let unit =
            |name: &str| units.iter().find(|(key, _)| *key == name).map_or("", |unit| unit.1);
        let column = |name: &&String| {
            let cells =
                rows.iter().map(|row| row.get(name.as_str()).filter(|cell| !cell.is_null()));
            values(&cells.collect::<Vec<_>>())
        };
        TableCore {
            units: names.iter().map(|name| unit(name).to_owned()).collect(),
            columns: names.iter().map(column).collect(),
            names: names.into_iter().cloned().collect(),
            rows: rows.len(),
        }
    }

    /// The columns of numbers.
    pub fn floats(&self) -> Vec<&[f64]> {
        fn floats(values: &Values) -> Option<&[f64]> {
            match values {
                Values::Floats(floats, _) => Some(floats),
                _ => None,
            }
        }
        self.columns.iter().filter_map(floats).collect()
    }

    fn batch(&self) -> Result<RecordBatch, ArrowError> {
        let arrays: Vec<ArrayRef> = self.columns.iter().map(array).collect();
        RecordBatch::try_new(Arc::new(self.schema(&arrays)), arrays)
    }

    /// Units are metadata of the fields.
    fn schema(&self, arrays: &[ArrayRef]) -> Schema {
        let field = |((name, unit), array): ((&String, &String), &ArrayRef)| {
            let unit = [("unit".to_owned(), unit.clone())];
            Field::new(name, array.data_type().clone(), true).with_metadata(unit)
        };
        let named = self.names.iter().zip(&self.units).zip(arrays);
        Schema::new(named.map(field).collect::<Vec<_>>())
    }
}

/// A list of objects as a table; units of some of their keys.
#[pyfunction]
pub fn table_of_json(text: &str, units: Vec<(String, String)>) -> PyResult<TableCore> {
    let rows: Vec<Value> =
        serde_json::from_str(text).map_err(|error| PyValueError::new_err(error.to_string()))?;
    let units: Vec<(&str, &str)> =
        units.iter().map(|(name, unit)| (&name[..], &unit[..])).collect();
    Ok(TableCore::of_rows(&rows, &units))
}

/// Cells as the narrowest kind that holds them all.
fn values(cells: &[Option<&Value>]) -> Values {
    let all = |is: fn(&Value) -> bool| cells.iter().flatten().all(|cell| is(cell));
    if all(Value::is_boolean) && cells.iter().any(Option::is_some) {
        return Values::Flags(cells.iter().map(|cell| cell.and_then(Value::as_bool)).collect());
    }
    if all(|cell| cell.is_i64()) && cells.iter().any(Option::is_some) {
        return Values::Integers(cells.iter().map(|cell| cell.and_then(Value::as_i64)).collect());
    }
    if all(Value::is_number) {
        let number = |cell: &Option<&Value>| cell.and_then(Value::as_f64).unwrap_or(f64::NAN);
        let numbers: Vec<f64> = cells.iter().map(number).collect();
        return Values::Floats(numbers.into(), true);
    }
    let text = |cell: &Option<&Value>| {
        cell.map(|cell| cell.as_str().map_or_else(|| cell.to_string(), str::to_owned))
    };
    Values::Texts(cells.iter().map(text).collect())
}

fn array(values: &Values) -> ArrayRef {
    match values {
        Values::Floats(floats, may_be_missing) => {
            let missing = *may_be_missing && floats.iter().any(|value| value.is_nan());
            let nulls: Option<NullBuffer> = missing
                .then(|| floats.iter().map(|value| !value.is_nan()).collect::<Vec<_>>().into());
            Arc::new(Float64Array::new(floats.clone(), nulls))
        }
        Values::Integers(whole) => Arc::new(whole.iter().copied().collect::<Int64Array>()),
        Values::Flags(flags) => Arc::new(flags.iter().copied().collect::<BooleanArray>()),
        Values::Texts(texts) => {
            Arc::new(texts.iter().map(Option::as_deref).collect::<StringArray>())
        }
    }
}

#[pymethods]
impl TableCore {
    fn __len__(&self) -> usize {
        self.rows
    }

    fn names(&self) -> Vec<String> {
        self.names.clone()
    }

    /// One for each column; empty for what has none.
    fn units(&self) -> Vec<String> {
        self.units.clone()
    }

    /// Numbers as [`Column`], all else as a list.
    fn column<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let index = self.names.iter().position(|known| known == name);
        match index.map(|index| &self.columns[index]) {
            None => Err(PyKeyError::new_err(name.to_owned())),
            Some(Values::Floats(floats, _)) => Column(floats.clone()).into_bound_py_any(py),
            Some(Values::Integers(list)) => Ok(PyList::new(py, list)?.into_any()),
            Some(Values::Flags(list)) => Ok(PyList::new(py, list)?.into_any()),
            Some(Values::Texts(list)) => Ok(PyList::new(py, list)?.into_any()),
        }
    }

    /// The columns as plain values: numbers as bytes, all else as JSON.
    fn freeze(&self) -> Vec<Frozen> {
        let named = self.names.iter().zip(&self.units).zip(&self.columns);
        let frozen = |((name, unit), values): ((&String, &String), &Values)| {
            let (numbers, missing, json) = match values {
                Values::Floats(floats, missing) => {
                    (floats.iter().flat_map(|value| value.to_le_bytes()).collect(), *missing, None)
                }
                Values::Integers(list) => (Vec::new(), false, Some(json!(list).to_string())),
                Values::Flags(list) => (Vec::new(), false, Some(json!(list).to_string())),
                Values::Texts(list) => (Vec::new(), false, Some(json!(list).to_string())),
            };
            (name.clone(), unit.clone(), numbers, missing, json)
        };
        named.map(frozen).collect()
    }

    /// The table of what [`TableCore::freeze`] gave.
    #[staticmethod]
    fn thaw(frozen: Vec<Frozen>) -> TableCore {
        let mut table = TableCore::default();
        for (name, unit, numbers, missing, json) in frozen {
            let cells = json.and_then(|text| serde_json::from_str::<Vec<Value>>(&text).ok());
            let column = match cells {
                Some(cells) => {
                    let cells = cells.iter().map(|cell| Some(cell).filter(|cell| !cell.is_null()));
                    values(&cells.collect::<Vec<_>>())
                }
                None => {
                    let number =
                        |bytes: &[u8]| f64::from_le_bytes(bytes.try_into().unwrap_or_default());
                    let numbers: Vec<f64> = numbers.chunks_exact(8).map(number).collect();
                    Values::Floats(numbers.into(), missing)
                }
            };
            table.rows = match &column {
                Values::Floats(list, _) => list.len(),
                Values::Integers(list) => list.len(),
                Values::Flags(list) => list.len(),
                Values::Texts(list) => list.len(),
            };
            table.names.push(name);
            table.units.push(unit);
            table.columns.push(column);
        }
        table
    }

    /// Some of the columns, each under a name.
    fn chosen(&self, columns: Vec<(String, String)>) -> PyResult<TableCore> {
        let mut table = TableCore { rows: self.rows, ..TableCore::default() };
        for (known, name) in columns {
            let index = self.names.iter().position(|one| *one == known);
            let index = index.ok_or_else(|| PyKeyError::new_err(known))?;
            table.names.push(name);
            table.units.push(self.units[index].clone());
            table.columns.push(self.columns[index].clone());
        }
        Ok(table)
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema; // it may be taken as a wish
        let batch = self.batch().map_err(wrong)?;
        let schema = batch.schema();
        let reader = RecordBatchIterator::new([Ok(batch)], schema);
        let stream = FFI_ArrowArrayStream::new(Box::new(reader));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let arrays: Vec<ArrayRef> = self.columns.iter().map(array).collect();
        let schema = FFI_ArrowSchema::try_from(&self.schema(&arrays)).map_err(wrong)?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
    }
}

fn wrong(error: ArrowError) -> PyErr {
    PyRuntimeError::new_err(error.to_string())
}

// The buffer protocol hands out a pointer, which safe code cannot. The pointer is to memory that `slf`
// owns and never changes or moves; Python keeps `slf` alive as long as the view.
#[allow(unsafe_code)]
#[pymethods]
impl Column {
    fn __len__(&self) -> usize {
        self.0.len()
    }

    unsafe fn __getbuffer__(
        slf: Bound<'_, Self>,
        view: *mut ffi::Py_buffer,
        flags: c_int,
    ) -> PyResult<()> {
        let bytes = slf.get().0.inner();
        let (start, length) = (bytes.as_ptr(), bytes.len() as ffi::Py_ssize_t);
        // SAFETY: `view` is what Python passes for this call; the rest is said above.
        let filled = unsafe {
            ffi::PyBuffer_FillInfo(view, slf.as_ptr(), start.cast_mut().cast(), length, 1, flags)
        };
        if filled == -1 { Err(PyErr::fetch(slf.py())) } else { Ok(()) }
    }
}
