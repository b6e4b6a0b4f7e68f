//! Runs: what one came to, its tables, and results that were written earlier.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use gudgeon::cpu;
use gudgeon::results::Status as Ended;
use gudgeon_cli::told;
use gudgeon_engine::run::FilesRun;
use gudgeon_engine::{Overrides, Refusal, RunJob, RunOptions, RunOutcome, Series};
use gudgeon_model::diagnostic::Diagnostic;
use gudgeon_model::{Analysis, Loaded};
use gudgeon_output::record::RunRecord;
use gudgeon_output::run_json::RUN_JSON;
use gudgeon_output::{OutputError, SeriesReader};
use pyo3::prelude::*;
use serde_json::Value;

use crate::model::ModelCore;
use crate::table::TableCore;
use crate::watch::{Cancel, Watch, watched};
use crate::{errors, json};

/// What is asked of a run, in the words of the command line.
#[derive(FromPyObject)]
pub struct Request {
    #[pyo3(item)]
    set: Vec<(String, String)>,
    #[pyo3(item)]
    until: Option<String>,
    #[pyo3(item)]
    measure_from: Option<String>,
    #[pyo3(item)]
    rtol: Option<f64>,
    #[pyo3(item)]
    method: Option<String>,
    #[pyo3(item)]
    every: Option<String>,
    #[pyo3(item)]
    time_limit: Option<String>,
    #[pyo3(item)]
    max_steps: Option<String>,
}

impl Request {
    /// Beside the changes of the model.
    pub fn overrides(self, model: &Overrides) -> Overrides {
        let Request { set, until, measure_from, rtol, method, every, time_limit, max_steps } = self;
        let set = model.set.iter().cloned().chain(set).collect();
        Overrides {
            set,
            until,
            measure_from,
            rtol,
            method,
            every,
            time_limit,
            max_steps,
            ..model.clone()
        }
    }
}

/// What is done beside the run.
#[derive(FromPyObject)]
pub struct Beside {
    #[pyo3(item)]
    baseline: bool,
    #[pyo3(item)]
    certify: bool,
    #[pyo3(item)]
    ensemble: Option<usize>,
    #[pyo3(item)]
    seed: u64,
    #[pyo3(item)]
    jobs: usize,
}

#[pyclass(frozen, module = "gudgeon._gudgeon")]
pub struct RunCore {
    job: RunJob,
    outcome: RunOutcome,
    /// The rows, the time first.
    series: TableCore,
}

/// What a run came to.
enum Done {
    Ran(Box<RunJob>, Box<RunOutcome>),
    Refused(Box<Refusal>),
}

/// Runs a model. An exception that ends it early carries the run as `_run`.
#[pyfunction]
#[pyo3(signature = (model, request, beside, out, progress, cancel))]
pub fn run(
    py: Python<'_>,
    model: Bound<'_, ModelCore>,
    request: Request,
    beside: Beside,
    out: Option<PathBuf>,
    progress: Option<Py<PyAny>>,
    cancel: Option<Bound<'_, Cancel>>,
) -> PyResult<RunCore> {
    let model = model.get();
    let overrides = request.overrides(&model.overrides);
    let options = RunOptions {
        baseline: beside.baseline,
        certify: beside.certify,
        ensemble: beside.ensemble,
        seed: beside.seed,
        jobs: beside.jobs,
        series: true,
        started: cpu::process_seconds(),
    };
    let work = |watch: &Watch| match model.prepare(overrides, options) {
        Ok(job) => ran(job, out.as_deref(), watch),
        Err(refusal) => Done::Refused(Box::new(refusal)),
    };
    let (done, ended) = watched(py, progress.as_ref(), token(cancel.as_ref()), work)?;
    let (job, mut outcome) = match (done, &ended) {
        (Done::Ran(job, outcome), _) => (*job, *outcome),
        (Done::Refused(refusal), None) => return Err(errors::refused(py, &refusal)),
        (Done::Refused(_), Some(error)) => return Err(error.clone_ref(py)),
    };
    let series = rows(&job, outcome.series.take());
    let core = RunCore { job, outcome, series };
    let Some(error) = ended else { return Ok(core) };
    // An exception that takes no attributes is worth more than what it would carry.
    let _ = error.value(py).setattr("_run", Bound::new(py, core)?);
    Err(error)
}

impl ModelCore {
    fn prepare(&self, overrides: Overrides, options: RunOptions) -> Result<RunJob, Refusal> {
        let about = |refusal: Refusal| refusal.about(&self.source.path);
        let loaded = self.take_built(&overrides)?;
        if !matches!(loaded.analysis, Analysis::Motion | Analysis::Ked) {
            return Err(about(no_motion(&loaded)));
        }
        match gudgeon::assembly::assemble_requested(&loaded.model) {
            Ok(assembly) => {
                Ok(RunJob::of(self.source.clone(), overrides, loaded, assembly, options))
            }
            Err(error) => Err(about(Refusal::assembly(&error, loaded))),
        }
    }
}

fn no_motion(loaded: &Loaded) -> Refusal {
    let word = loaded.analysis.name();
    let message = format!("the model asks for a {word} analysis, not for a motion");
    let help = match word {
        "response" => {
            "`.response()` does it, `.run(analysis=\"motion\", …)` runs the motion".to_owned()
        }
        word => format!("`.{word}()` does it, `.run(analysis=\"motion\", …)` runs the motion"),
    };
    Refusal::new(Diagnostic::error("G1105", message).help(help))
}

/// Runs in memory, or into a folder as the command does.
fn ran(job: RunJob, out: Option<&Path>, watch: &Watch) -> Done {
    let outcome = match out {
        None => job.run(watch),
        Some(out) => match FilesRun::prepare(&job, Some(out), Vec::new(), watch) {
            Ok(run) => run.run(),
            Err(refusal) => return Done::Refused(Box::new(refusal)),
        },
    };
    Done::Ran(Box::new(job), Box::new(outcome))
}

/// The rows with the names and units of the outputs.
fn rows(job: &RunJob, series: Option<Series>) -> TableCore {
    let (times, columns) = series.unwrap_or_default().into_columns();
    let mut table = TableCore::default();
    table.push("t", "s", times, false);
    for (sensor, values) in job.loaded.run.outputs.iter().zip(columns) {
        table.push(&sensor.name, &sensor.unit, values, sensor.may_be_missing());
    }
    table
}

#[pymethods]
impl RunCore {
    #[getter]
    fn status(&self) -> &'static str {
        self.outcome.status().word()
    }

    #[getter]
    fn series(&self) -> TableCore {
        self.series.clone()
    }

    /// Everything that `gudgeon run --json` answers.
    fn record<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        json::record(py, &self.outcome.answer(&self.job))
    }

    /// What the command says.
    fn summary(&self) -> String {
        told::run(&self.job, &self.outcome) + &told::failure(&self.outcome)
    }

    /// Why it did not get to its end: message, time and cause.
    fn failure(&self) -> Option<(String, f64, String)> {
        let text = told::failure(&self.outcome);
        let time = self.outcome.report.final_time;
        let cause = match &self.outcome.report.status {
            Ended::Failed(error) => error.cause.to_string(),
            _ => self.outcome.failed_beside().map(|cut| cut.cause()).unwrap_or_default(),
        };
        (!text.is_empty()).then(|| (text.trim_end().to_owned(), time, cause))
    }

    fn impacts(&self) -> TableCore {
        impacts(&self.outcome.record(&self.job))
    }

    fn ledger(&self) -> TableCore {
        ledger(&self.outcome.record(&self.job))
    }

    /// The rows with ideal joints.
    fn ideal_series(&self, py: Python<'_>) -> PyResult<TableCore> {
        let (found, ended) = watched(py, None, None, |watch: &Watch| self.job.ideal_series(watch))?;
        match (found, ended) {
            (_, Some(error)) => Err(error),
            (Ok(series), None) => Ok(rows(&self.job, Some(series))),
            (Err(message), None) => {
                let text = format!("no comparison with ideal joints: {message}");
                Err(errors::raise(py, "GudgeonError", (text,)))
            }
        }
    }

    /// Writes rows and record into a result folder; answers with its path.
    fn save(&self, py: Python<'_>, out: Option<PathBuf>) -> PyResult<PathBuf> {
        let rows = self.series.floats();
        let saved = py.detach(|| self.outcome.save(&self.job, &rows, out.as_deref()));
        saved.map_err(|error| errors::unwritten(py, &error))
    }

    /// The CPU time of the integration, s.
    #[getter]
    fn integration(&self) -> f64 {
        self.outcome.report.solver.cpu.integration()
    }

    /// The result folder it was written to while it ran.
    #[getter]
    fn folder(&self) -> Option<PathBuf> {
        self.outcome.folder.clone().filter(|_| self.outcome.saved)
    }
}

/// A table of the record, its columns with units.
fn impacts(record: &RunRecord) -> TableCore {
    let units = [
        ("t", "s"),
        ("speed_in", "m/s"),
        ("t_out", "s"),
        ("speed_out", "m/s"),
        ("peak_force", "N"),
        ("peak_depth", "m"),
        ("loss", "J"),
        ("friction_loss", "J"),
    ];
    TableCore::of_records(&record.impacts, &units)
}

fn ledger(record: &RunRecord) -> TableCore {
    TableCore::of_records(&record.energy.lines, &[("value", "J")])
}

/// A result folder: its record, its rows, and the tables of a run.
#[pyfunction]
pub fn open_folder<'py>(
    py: Python<'py>,
    folder: PathBuf,
) -> PyResult<(Bound<'py, PyAny>, Option<TableCore>, TableCore, TableCore)> {
    let unread = |error: std::io::Error, path: &Path| {
        let text = format!("cannot read `{}`: {error}", path.display());
        errors::raise(py, "GudgeonError", (text,))
    };
    let path = folder.join(RUN_JSON);
    let text = std::fs::read_to_string(&path).map_err(|error| unread(error, &path))?;
    let damaged = |why: serde_json::Error| {
        let text = format!("`{}` is no record of a result: {why}", path.display());
        errors::raise(py, "GudgeonError", (text,))
    };
    let value: Value = serde_json::from_str(&text).map_err(damaged)?;
    let record: RunRecord = serde_json::from_value(value.clone()).unwrap_or_default();
    let rows = read_rows(&folder).map_err(|error| errors::unwritten(py, &error))?;
    Ok((json::value(py, &value)?, rows, impacts(&record), ledger(&record)))
}

/// The page of a result folder.
#[pyfunction]
pub fn report_of(py: Python<'_>, folder: PathBuf) -> PyResult<String> {
    let page = py.detach(|| gudgeon_engine::report::report(&folder));
    page.map_err(|refusal| errors::refused(py, &refusal))
}

fn read_rows(folder: &Path) -> Result<Option<TableCore>, OutputError> {
    let Some(reader) = SeriesReader::open(folder)? else { return Ok(None) };
    let columns = reader.columns().to_vec();
    let values = reader.read(&(0..columns.len()).collect::<Vec<_>>())?;
    let mut table = TableCore::default();
    for (column, values) in columns.iter().zip(values) {
        table.push(&column.name, &column.unit, values, column.may_be_missing);
    }
    Ok(Some(table))
}

/// A flag that others may hold, too.
pub fn token(cancel: Option<&Bound<'_, Cancel>>) -> Option<Arc<std::sync::atomic::AtomicBool>> {
    cancel.map(|cancel| cancel.get().flag.clone())
}
