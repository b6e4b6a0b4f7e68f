//! `gudgeon._gudgeon`: the engine for the Python package in `python/gudgeon`, which holds everything that
//! users see. Here is what needs the engine: models, runs, tables, surrogates, samples of studies.
//!
//! Work runs on a thread of its own without the interpreter's lock; the calling thread looks for signals and
//! reports progress (`watch`). Records cross as plain dictionaries, columns of tables without a copy
//! (`table`).

mod analysis;
mod errors;
mod json;
mod model;
mod run;
mod study;
mod surrogate;
mod table;
mod watch;

use std::ffi::OsString;

use pyo3::prelude::*;

/// Does what the words of a command line say and gives the exit code.
#[pyfunction]
fn command(py: Python<'_>, words: Vec<OsString>) -> u8 {
    py.detach(|| gudgeon_cli::command(&words))
}

/// Names of the shipped models.
#[pyfunction]
fn shipped_models() -> Vec<&'static str> {
    gudgeon_model::shipped::names().collect()
}

/// Names of the shipped studies.
#[pyfunction]
fn shipped_studies() -> Vec<&'static str> {
    gudgeon_study::shipped::studies().map(|study| study.name).collect()
}

#[pymodule]
fn _gudgeon(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<model::ModelCore>()?;
    module.add_class::<run::RunCore>()?;
    module.add_class::<table::TableCore>()?;
    module.add_class::<table::Column>()?;
    module.add_class::<watch::Cancel>()?;
    module.add_class::<study::StudyCore>()?;
    module.add_class::<surrogate::KrigingCore>()?;
    module.add_function(wrap_pyfunction!(command, module)?)?;
    module.add_function(wrap_pyfunction!(shipped_models, module)?)?;
    module.add_function(wrap_pyfunction!(shipped_studies, module)?)?;
    module.add_function(wrap_pyfunction!(run::run, module)?)?;
    module.add_function(wrap_pyfunction!(run::open_folder, module)?)?;
    module.add_function(wrap_pyfunction!(run::report_of, module)?)?;
    module.add_function(wrap_pyfunction!(table::table_of_json, module)?)?;
    module.add_function(wrap_pyfunction!(surrogate::suggest, module)?)?;
    module.add_function(wrap_pyfunction!(surrogate::minimise, module)?)?;
    module.add_function(wrap_pyfunction!(analysis::analyse, module)?)?;
    module.add_function(wrap_pyfunction!(analysis::compare, module)?)
}
