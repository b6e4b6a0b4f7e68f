//! Records as plain values of Python.

use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use serde::Serialize;
use serde_json::Value;

/// A record as dictionaries, lists, texts and numbers; numbers keep their bits, those that are not finite
/// are `None`.
pub fn record<'py>(py: Python<'py>, record: &impl Serialize) -> PyResult<Bound<'py, PyAny>> {
    value(py, &gudgeon_output::record::to_value(record))
}

pub fn value<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    match value {
        Value::Null => Ok(py.None().into_bound(py)),
        Value::Bool(flag) => flag.into_bound_py_any(py),
        Value::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(whole), _) => whole.into_bound_py_any(py),
            (None, Some(whole)) => whole.into_bound_py_any(py),
            (None, None) => number.as_f64().into_bound_py_any(py),
        },
        Value::String(text) => text.into_bound_py_any(py),
        Value::Array(list) => {
            let made = PyList::empty(py);
            for item in list {
                made.append(self::value(py, item)?)?;
            }
            Ok(made.into_any())
        }
        Value::Object(table) => {
            let made = PyDict::new(py);
            for (key, item) in table {
                made.set_item(key, self::value(py, item)?)?;
            }
            Ok(made.into_any())
        }
    }
}
