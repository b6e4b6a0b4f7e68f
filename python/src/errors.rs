//! Refusals as exceptions of `gudgeon._errors`.

use gudgeon_engine::Refusal;
use gudgeon_model::diagnostic::{Diagnostic, Severity};
use gudgeon_model::source::{FileId, Sources};
use gudgeon_output::OutputError;
use pyo3::call::PyCallArgs;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Codes of mechanisms that cannot be assembled begin so.
const ASSEMBLY: &str = "G12";

/// An exception of the package by its name.
pub fn raise<'py>(py: Python<'py>, class: &str, arguments: impl PyCallArgs<'py>) -> PyErr {
    let made = py
        .import("gudgeon._errors")
        .and_then(|module| module.getattr(class))
        .and_then(|class| class.call1(arguments));
    match made {
        Ok(error) => PyErr::from_value(error),
        Err(error) => error,
    }
}

/// What was found before the first step.
pub fn refused(py: Python<'_>, refusal: &Refusal) -> PyErr {
    let (diagnostics, sources) = refusal.findings();
    let errors = || diagnostics.iter().filter(|one| one.severity == Severity::Error);
    let class = match errors().next() {
        Some(first) if first.code.starts_with(ASSEMBLY) => "AssemblyError",
        _ => "ModelError",
    };
    let found: PyResult<Vec<Bound<'_, PyDict>>> =
        diagnostics.iter().map(|one| finding(py, sources, one)).collect();
    match found {
        Ok(found) => raise(py, class, (refusal.to_string(), found)),
        Err(error) => error,
    }
}

pub fn unwritten(py: Python<'_>, error: &OutputError) -> PyErr {
    raise(py, "GudgeonError", (format!("{error}\n  = help: {}", error.help()),))
}

/// A finding as keyword arguments of `Diagnostic`.
fn finding<'py>(
    py: Python<'py>,
    sources: &Sources,
    diagnostic: &Diagnostic,
) -> PyResult<Bound<'py, PyDict>> {
    let place = diagnostic.span.map(|span| {
        let (line, column) = sources.line_column(span.file, span.start);
        (sources.name(span.file).to_owned(), line, column, path(sources, span.file, span.start))
    });
    let (file, line, column, path) = match place {
        Some((file, line, column, path)) => (Some(file), Some(line), Some(column), path),
        None => (None, None, None, None),
    };
    let found = PyDict::new(py);
    found.set_item("code", diagnostic.code)?;
    found.set_item("message", &diagnostic.message)?;
    found.set_item("help", &diagnostic.help)?;
    found.set_item("path", path)?;
    found.set_item("file", file)?;
    found.set_item("line", line)?;
    found.set_item("column", column)?;
    let severity = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    };
    found.set_item("severity", severity)?;
    Ok(found)
}

/// The path of the key in whose line a place is, such as `bodies.rod.mass`.
fn path(sources: &Sources, file: FileId, at: usize) -> Option<String> {
    let line_of = |index: usize| &sources.text(file)[sources.lines_range(file, index, index)];
    let index = sources.line_index(file, sources.boundary(file, at));
    let line = line_of(index).trim();
    let header = |line: &str| {
        let inner = line.strip_prefix('[')?.split(']').next()?;
        Some(inner.trim_start_matches('[').trim().to_owned())
    };
    if let Some(section) = header(line) {
        return Some(section);
    }
    let key = line.split_once('=').map(|(key, _)| key.trim()).filter(|key| !key.is_empty());
    let section = (0..index).rev().find_map(|index| header(line_of(index).trim()));
    match (section, key) {
        (Some(section), Some(key)) => Some(format!("{section}.{key}")),
        (section, key) => key.map(str::to_owned).or(section),
    }
}
