//! Analyses without a motion, and one model in variants.

use std::path::PathBuf;

use gudgeon_cli::told;
use gudgeon_engine::analysis::{AnalysisJob, FilesAnalysis};
use gudgeon_engine::bearing::{BearingJob, FilesBearing};
use gudgeon_engine::compare::{Axis, CompareJob, CompareOptions, FilesCompare};
use gudgeon_engine::{Refusal, RunJob, RunOptions};
use gudgeon_model::Analysis;
use gudgeon_output::record::to_value;
use pyo3::prelude::*;
use serde_json::Value;

use crate::model::ModelCore;
use crate::run::{Request, token};
use crate::watch::{Cancel, Watch, watched};
use crate::{errors, json};

/// A record and what the command says.
type Told = Result<(Value, String), Refusal>;

/// The analysis that `run.analysis` of the model asks for: its record and its text.
#[pyfunction]
pub fn analyse<'py>(
    py: Python<'py>,
    model: Bound<'py, ModelCore>,
    request: Request,
    out: Option<PathBuf>,
    progress: Option<Py<PyAny>>,
    cancel: Option<Bound<'py, Cancel>>,
) -> PyResult<(Bound<'py, PyAny>, String)> {
    let model = model.get();
    let overrides = request.overrides(&model.overrides);
    let work = |watch: &Watch| -> Told {
        let job = RunJob::new(model.source.clone(), overrides, RunOptions::default())?;
        match job.loaded.analysis {
            Analysis::Bearing(_) => bearings(job.into(), out, watch),
            _ => small_motions(job.into(), out, watch),
        }
    };
    finish(py, watched(py, progress.as_ref(), token(cancel.as_ref()), work)?)
}

fn small_motions(job: AnalysisJob, out: Option<PathBuf>, watch: &Watch) -> Told {
    let outcome = match out {
        None => job.run(watch),
        Some(out) => FilesAnalysis::prepare(&job, Some(&out), Vec::new())?.run(watch),
    };
    Ok((to_value(&outcome.answer(&job)), told::analysis(&job, &outcome)))
}

fn bearings(job: BearingJob, out: Option<PathBuf>, watch: &Watch) -> Told {
    let outcome = match out {
        None => job.run(watch)?,
        Some(out) => FilesBearing::prepare(&job, Some(&out), Vec::new())?.run(watch)?,
    };
    Ok((to_value(&outcome.answer(&job)), told::bearing(&job, &outcome)))
}

/// One model in variants that differ by a word.
#[pyfunction]
#[pyo3(signature = (model, request, axis, words, converge, out, progress, cancel))]
#[allow(clippy::too_many_arguments)]
pub fn compare<'py>(
    py: Python<'py>,
    model: Bound<'py, ModelCore>,
    request: Request,
    axis: &str,
    words: Vec<String>,
    converge: Option<f64>,
    out: Option<PathBuf>,
    progress: Option<Py<PyAny>>,
    cancel: Option<Bound<'py, Cancel>>,
) -> PyResult<(Bound<'py, PyAny>, String)> {
    let model = model.get();
    let overrides = request.overrides(&model.overrides);
    let axis = match axis {
        "coordinates" => Axis::Coordinates,
        "laws" => Axis::Laws,
        "films" => Axis::Films,
        _ => Axis::Methods,
    };
    let work = |watch: &Watch| -> Told {
        let options = CompareOptions { axis, words, converge };
        let job = CompareJob::new(model.source.clone(), overrides, options)?;
        let comparison = match out {
            None => job.run(watch),
            Some(out) => FilesCompare::prepare(&job, Some(&out), Vec::new())?.run(watch),
        };
        Ok((to_value(&job.answer(&comparison)), told::comparison(&job, &comparison)))
    };
    finish(py, watched(py, progress.as_ref(), token(cancel.as_ref()), work)?)
}

fn finish<'py>(
    py: Python<'py>,
    (found, ended): (Told, Option<PyErr>),
) -> PyResult<(Bound<'py, PyAny>, String)> {
    if let Some(error) = ended {
        return Err(error);
    }
    let (record, text) = found.map_err(|refusal| errors::refused(py, &refusal))?;
    Ok((json::value(py, &record)?, text))
}
