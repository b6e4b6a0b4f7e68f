//! Studies: read from a text, run here, in other processes, or by a function of Python.
//!
//! Whoever answers, the samples are handed out, written to the journal and put in order by the same runner,
//! so that results do not depend on who computed them. [`Remote`] asks Python for one sample at a time, from
//! as many threads as there are workers.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use gudgeon_cli::told;
use gudgeon_engine::Refusal;
use gudgeon_engine::study::{Elsewhere, Shown, StudyJob, StudyOptions, StudyOutcome, shown};
use gudgeon_model::Overrides;
use gudgeon_model::diagnostic::Diagnostic;
use gudgeon_model::load::Resolver;
use gudgeon_output::ResultFolder;
use gudgeon_study::file::{LoadedStudy, load_study_text};
use gudgeon_study::runner::{Answer, SampleFailure, Simulator};
use pyo3::exceptions::PyBaseException;
use pyo3::prelude::*;
use serde_json::Value;

use crate::model::{Kept, Texts};
use crate::run::token;
use crate::surrogate::KrigingCore;
use crate::watch::{Cancel, Watch, watched};
use crate::{errors, json};

/// Name, text, files and data of a study: everything that another process needs.
pub type Frozen = (String, String, Texts, Texts);

#[pyclass(frozen, module = "gudgeon._gudgeon")]
pub struct StudyCore {
    frozen: Frozen,
    loaded: LoadedStudy,
}

/// `done` with values, `failed` with a cause, or `late`; notes, and whether values may be missing.
type Sampled = (String, Vec<f64>, String, Vec<String>, bool);

fn load(frozen: &Frozen) -> Result<LoadedStudy, Refusal> {
    let (name, text, files, data) = frozen;
    let kept = Kept { files, data };
    let loaded = load_study_text(name, text, &kept as &dyn Resolver, &Overrides::default());
    loaded.map_err(|failure| Refusal::from(*failure).about(Path::new(name)))
}

#[pymethods]
impl StudyCore {
    #[new]
    fn new(py: Python<'_>, frozen: Frozen) -> PyResult<StudyCore> {
        let loaded = py.detach(|| load(&frozen));
        let loaded = loaded.map_err(|refusal| errors::refused(py, &refusal))?;
        Ok(StudyCore { frozen, loaded })
    }

    /// A study file, or a shipped study.
    #[staticmethod]
    fn find(py: Python<'_>, path: PathBuf) -> PyResult<StudyCore> {
        let found = StudyJob::prepare(&path, StudyOptions::default(), &gudgeon_engine::Unwatched);
        let job = found.map_err(|refusal| errors::refused(py, &refusal.about(&path)))?;
        let loaded = job.loaded;
        let (name, text) = loaded.files.first().cloned().unwrap_or_default();
        let files = loaded.files.clone();
        let data = loaded.data().map(|(name, text)| (name.to_owned(), text.to_owned())).collect();
        Ok(StudyCore { frozen: (name, text, files, data), loaded })
    }

    fn freeze(&self) -> Frozen {
        self.frozen.clone()
    }

    #[getter]
    fn name(&self) -> String {
        self.loaded.study.name.clone()
    }

    #[getter]
    fn seed(&self) -> u64 {
        self.loaded.study.seed
    }

    /// Names, SI units and bounds of the variables.
    fn variables(&self) -> Vec<(String, String, Option<(f64, f64)>)> {
        let variables = self.loaded.study.variables.iter();
        variables.map(|v| (v.name.clone(), v.unit.clone(), v.values.bounds())).collect()
    }

    /// Names and SI units of the responses.
    fn responses(&self) -> Vec<(String, String)> {
        self.loaded.study.responses.iter().map(|r| (r.name.clone(), r.unit.clone())).collect()
    }

    /// The points of the design.
    fn points(&self, py: Python<'_>, seed: Option<u64>) -> PyResult<Vec<Vec<f64>>> {
        let seed = seed.unwrap_or(self.loaded.study.seed);
        let points = py.detach(|| self.loaded.study.points(seed));
        points.map_err(|error| failed(py, error.to_string()))
    }

    /// A point by the names of its variables: numbers in SI, words of choices.
    fn named<'py>(&self, py: Python<'py>, point: Vec<f64>) -> PyResult<Bound<'py, PyAny>> {
        let variables = self.loaded.study.variables.iter().zip(point);
        let named = variables.map(|(variable, value)| {
            let value = match shown(variable, value) {
                Shown::Number(number) => Value::from(number),
                Shown::Word(word) => Value::from(word),
            };
            (variable.name.clone(), value)
        });
        json::value(py, &Value::Object(named.collect()))
    }

    /// One sample here, as the runner would run it.
    fn sample(&self, py: Python<'_>, point: Vec<f64>, seed: u64) -> PyResult<Sampled> {
        let limit = self.loaded.study.time_limit;
        let work = |watch: &Watch| {
            let started = gudgeon::cpu::seconds();
            let late = || limit.is_some_and(|limit| gudgeon::cpu::seconds() - started > limit);
            let stop = || gudgeon::progress::Progress::is_cancelled(watch) || late();
            let found = self.loaded.samples().run(&point, seed, &stop);
            (found, late())
        };
        let ((found, late), ended) = watched(py, None, None, work)?;
        if let Some(error) = ended {
            return Err(error);
        }
        let without =
            |status: &str, cause: String| (status.to_owned(), Vec::new(), cause, Vec::new(), false);
        Ok(match found {
            Ok(Answer { values, notes, has_gaps }) => {
                ("done".to_owned(), values, String::new(), notes, has_gaps)
            }
            Err(SampleFailure::Failed(cause)) => without("failed", cause),
            Err(_) if late => without("late", String::new()),
            Err(error) => without("failed", error.to_string()),
        })
    }

    /// Runs the whole study into a folder. `ask`, where there is one, answers to a point and a seed as
    /// [`StudyCore::sample`] does, from many threads at once.
    #[allow(clippy::too_many_arguments)]
    #[pyo3(signature = (out, resume, overwrite, jobs, seed, plots, ask, progress, cancel))]
    fn run<'py>(
        &self,
        py: Python<'py>,
        out: Option<PathBuf>,
        resume: bool,
        overwrite: bool,
        jobs: usize,
        seed: Option<u64>,
        plots: bool,
        ask: Option<Py<PyAny>>,
        progress: Option<Py<PyAny>>,
        cancel: Option<Bound<'py, Cancel>>,
    ) -> PyResult<(
        Bound<'py, PyAny>,
        String,
        Vec<(String, KrigingCore)>,
        Option<Py<PyBaseException>>,
    )> {
        let out = out.unwrap_or_else(|| ResultFolder::default_path(&self.loaded.study.name));
        let options = StudyOptions {
            seed,
            jobs,
            out: Some(out.clone()),
            resume,
            overwrite,
            plots,
            ..StudyOptions::default()
        };
        let raised = Mutex::new(None);
        let work = |watch: &Watch| -> Result<Told, Refusal> {
            let loaded = load(&self.frozen)?;
            let remote = ask.as_ref().map(|ask| Remote { ask, watch, raised: &raised });
            let mut job = StudyJob::of(options, watch, out, loaded)?;
            job.elsewhere = remote.as_ref().map(|remote| Elsewhere(remote));
            let outcome = job.run()?;
            Ok(tell(&job, outcome))
        };
        let (found, ended) = watched(py, progress.as_ref(), token(cancel.as_ref()), work)?;
        let found = match found {
            Ok(found) => found,
            Err(refusal) => {
                return Err(ended.unwrap_or_else(|| study_refused(py, &refusal)));
            }
        };
        let raised = raised.into_inner().unwrap_or_else(PoisonError::into_inner);
        let error = ended.or(raised).map(|error| error.into_value(py));
        let (record, text, models) = found;
        let models = models.into_iter().map(|(name, model)| (name, KrigingCore(model))).collect();
        Ok((json::value(py, &record)?, text, models, error))
    }
}

/// Record, text and surrogates.
type Told = (Value, String, Vec<(String, gudgeon_study::kriging::Kriging)>);

fn tell(job: &StudyJob, outcome: StudyOutcome) -> Told {
    let record = gudgeon_output::record::to_value(&outcome.answer(job));
    let text = told::study(job, &outcome);
    let name = |index: usize| job.study().responses[index].name.clone();
    let models = outcome
        .fitted
        .into_iter()
        .filter_map(|fitted| Some((name(fitted.response), fitted.model.ok()?.kriging)));
    (record, text, models.collect())
}

fn failed(py: Python<'_>, text: String) -> PyErr {
    errors::raise(py, "StudyError", (text,))
}

/// A refused study: of its model or file, or of its folder.
fn study_refused(py: Python<'_>, refusal: &Refusal) -> PyErr {
    let (diagnostics, _) = refusal.findings();
    let of_folder = |one: &Diagnostic| matches!(one.code, "G2071" | "G2072" | "G1101");
    match diagnostics.iter().any(of_folder) {
        true => failed(py, in_python(&refusal.to_string())),
        false => errors::refused(py, refusal),
    }
}

/// Options of the command as arguments.
fn in_python(text: &str) -> String {
    let words = [
        ("`--resume --salvage`", "`gudgeon study --resume --salvage`"),
        ("`--resume`", "`resume=True`"),
        ("`--overwrite`", "`overwrite=True`"),
        ("`--out`", "`out=…`"),
    ];
    words.iter().fold(text.to_owned(), |text, (option, argument)| text.replace(option, argument))
}

/// Samples that Python answers.
struct Remote<'a> {
    /// Takes a point, a seed, and what says whether to stop; gives what [`StudyCore::sample`] gives.
    ask: &'a Py<PyAny>,
    watch: &'a Watch,
    /// What it raised first: it ends the study.
    raised: &'a Mutex<Option<PyErr>>,
}

impl Simulator for Remote<'_> {
    fn run(
        &self,
        point: &[f64],
        seed: u64,
        stop: &dyn Fn() -> bool,
    ) -> Result<Answer, SampleFailure> {
        let _ = stop; // the time of a sample counts where it runs
        let asked = Python::attach(|py| {
            let stopping = Bound::new(py, Cancel { flag: self.watch.flag() })?;
            self.ask.call1(py, (point.to_vec(), seed, stopping))?.extract::<Sampled>(py)
        });
        match asked {
            Ok((status, values, cause, notes, has_gaps)) => match &status[..] {
                "done" => Ok(Answer { values, notes, has_gaps }),
                "late" => Err(SampleFailure::Late),
                _ => Err(SampleFailure::Failed(cause)),
            },
            Err(error) => {
                self.watch.cancel();
                if let Ok(mut raised) = self.raised.lock() {
                    raised.get_or_insert(error);
                }
                Err(SampleFailure::Stopped)
            }
        }
    }
}
