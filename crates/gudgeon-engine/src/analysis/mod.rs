//! Static, modal and response analyses: equilibria, small motions about them, and what a harmonic load does.

pub mod picture;
mod record;
mod shapes;
mod tables;

use std::path::{Path, PathBuf};

use gudgeon::cpu;
use gudgeon::equilibrium::{
    EquilibriumError, PathReport, StaticReport, Steady, find, rotation_of, standing, trace,
};
use gudgeon::modal::{
    self, About, ModalError, ModalReport, ModalSpec, Mode, ResponseReport, follow, respond,
};
use gudgeon::model::Model;
use gudgeon::progress::Progress;
use gudgeon::results::Warning;
use gudgeon::run::Limits;
use gudgeon_model::{Analysis, Loaded, Overrides, Vary};
use gudgeon_output::record::{AnalysisRecord, Mistake, Status, to_value};
use gudgeon_output::{Committed, OutputError, Repair, ResultFolder};

use crate::refusal::Refusal;
use crate::report;
use crate::run::{Kept, RunJob, killed};
use crate::source::Source;

/// Looks for the value from which small motions grow.
const LOOKS: usize = 24;

/// An analysis that can start.
#[derive(Debug)]
pub struct AnalysisJob {
    pub source: Source,
    pub overrides: Overrides,
    pub loaded: Loaded,
    /// Threads that were allowed; the analysis needs one.
    pub jobs: usize,
}

impl From<RunJob> for AnalysisJob {
    fn from(job: RunJob) -> AnalysisJob {
        let RunJob { source, overrides, loaded, assembly: _, options, range: _ } = job;
        AnalysisJob { source, overrides, loaded, jobs: options.jobs }
    }
}

/// What an analysis found.
#[derive(Debug)]
pub enum Found {
    Rest(Result<StaticReport, EquilibriumError>),
    Path(Result<PathReport, EquilibriumError>),
    Modes(Result<ModalReport, ModalError>),
    /// Modes at every value of the parameter.
    Varied(VariedModes),
    Response(Result<ResponseReport, ModalError>),
}

/// Modes over a parameter.
#[derive(Debug, Default)]
pub struct VariedModes {
    pub points: Vec<ModalPoint>,
    /// Where small motions begin to grow.
    pub stability_limit: Option<f64>,
}

/// Modes at one value.
#[derive(Debug)]
pub struct ModalPoint {
    /// SI.
    pub value: f64,
    pub found: Result<ModalReport, ModalError>,
    /// The number of every mode, followed from value to value.
    pub tracks: Vec<usize>,
}

/// What came of an analysis.
#[derive(Debug)]
pub struct AnalysisOutcome {
    pub found: Found,
    pub interrupted: bool,
    /// The result folder as the user knows it, where there is one.
    pub folder: Option<PathBuf>,
    /// The disk refused something.
    pub error: Option<OutputError>,
    /// The results are in their place.
    pub saved: bool,
    pub kept: Kept,
}

/// An analysis whose tables, pictures and record go to a result folder.
pub struct FilesAnalysis<'a> {
    job: &'a AnalysisJob,
    shown: PathBuf,
    arguments: Vec<String>,
    folder: ResultFolder,
    report: bool,
}

impl<'a> FilesAnalysis<'a> {
    /// `results/NAME` where no folder is given.
    pub fn prepare(
        job: &'a AnalysisJob,
        out: Option<&Path>,
        arguments: Vec<String>,
    ) -> Result<FilesAnalysis<'a>, Refusal> {
        let default = || ResultFolder::default_path(&job.source.short_name());
        let shown = out.map_or_else(default, Path::to_owned);
        let folder = ResultFolder::prepare(&shown)?;
        Ok(FilesAnalysis { job, shown, arguments, folder, report: true })
    }

    /// The same without the page.
    #[must_use]
    pub fn without_report(self, without: bool) -> Self {
        FilesAnalysis { report: !without, ..self }
    }

    /// What killed runs had left in the place of the results, and what became of it.
    pub fn repairs(&self) -> &[Repair] {
        self.folder.repairs()
    }

    /// Analyses, draws, writes the record, and puts the folder in its place.
    pub fn run(self, progress: &dyn Progress) -> AnalysisOutcome {
        let FilesAnalysis { job, shown, arguments, folder, report } = self;
        let mut outcome = job.run(progress);
        outcome.kept.killed = killed(&folder);
        outcome.folder = Some(shown);
        match job.save((folder, report), &outcome, &arguments) {
            Ok(committed) => {
                outcome.kept.complete = committed.complete;
                outcome.saved = true;
            }
            Err(error) => outcome.error = Some(error),
        }
        outcome
    }
}

impl Found {
    /// Why there is nothing to report, with its help.
    pub fn failure(&self) -> Option<Mistake> {
        let of = |message: String, help: &str| {
            Some(Mistake { message, help: Some(help.to_owned()), ..Mistake::default() })
        };
        match self {
            Found::Rest(Err(error)) | Found::Path(Err(error)) => {
                of(error.to_string(), error.help())
            }
            Found::Path(Ok(path)) => {
                path.ended.as_ref().and_then(|error| of(error.to_string(), error.help()))
            }
            Found::Modes(Err(error)) | Found::Response(Err(error)) => {
                of(error.to_string(), error.help())
            }
            Found::Varied(varied) => {
                let first = varied.points.iter().find_map(|point| point.found.as_ref().err());
                first.and_then(|error| of(error.to_string(), error.help()))
            }
            Found::Rest(Ok(_)) | Found::Modes(Ok(_)) | Found::Response(Ok(_)) => None,
        }
    }

    fn cancelled(&self) -> bool {
        let rest = |error: &EquilibriumError| *error == EquilibriumError::Cancelled;
        let small = |error: &ModalError| {
            matches!(
                error,
                ModalError::Cancelled | ModalError::Equilibrium(EquilibriumError::Cancelled)
            )
        };
        match self {
            Found::Rest(found) => found.as_ref().err().is_some_and(rest),
            Found::Path(found) => match found {
                Ok(path) => path.ended.as_ref().is_some_and(rest),
                Err(error) => rest(error),
            },
            Found::Modes(found) => found.as_ref().err().is_some_and(small),
            Found::Varied(_) => false,
            Found::Response(found) => found.as_ref().err().is_some_and(small),
        }
    }

    /// Whether anything was found.
    fn is_some(&self) -> bool {
        match self {
            Found::Rest(found) => found.is_ok(),
            Found::Path(found) => found.is_ok(),
            Found::Modes(found) => found.is_ok(),
            Found::Varied(varied) => varied.points.iter().any(|point| point.found.is_ok()),
            Found::Response(found) => found.is_ok(),
        }
    }

    /// Remarks, each once.
    pub fn warnings(&self) -> Vec<Warning> {
        let all: Vec<&Warning> = match self {
            Found::Rest(found) => found.iter().flat_map(|report| &report.warnings).collect(),
            Found::Path(found) => found.iter().flat_map(|report| &report.warnings).collect(),
            Found::Modes(found) => found.iter().flat_map(|report| &report.warnings).collect(),
            Found::Varied(varied) => {
                let reports = varied.points.iter().flat_map(|point| point.found.as_ref().ok());
                reports.flat_map(|report| &report.warnings).collect()
            }
            Found::Response(found) => found.iter().flat_map(|report| &report.warnings).collect(),
        };
        let mut out: Vec<Warning> = Vec::new();
        for warning in all {
            let known =
                |other: &Warning| (other.code, &other.joint) == (warning.code, &warning.joint);
            if !out.iter().any(known) {
                out.push(warning.clone());
            }
        }
        out
    }
}

impl AnalysisOutcome {
    /// A path that breaks off has failed, single values without modes are told.
    pub fn status(&self) -> Status {
        let broken = matches!(&self.found, Found::Path(Ok(path)) if path.ended.is_some());
        match self.found.is_some() {
            _ if self.error.is_some() => Status::Failed,
            _ if self.interrupted => Status::Interrupted,
            true if !broken => Status::Ok,
            _ => Status::Failed,
        }
    }

    /// The object of `--json`.
    pub fn answer(&self, job: &AnalysisJob) -> AnalysisRecord {
        let mut answer = job.record(self);
        answer.result = self.folder.as_ref().map(|folder| folder.display().to_string());
        if let Some(error) = &self.error {
            let help = Some(error.help());
            answer.error = Some(Mistake { message: error.to_string(), help, ..Mistake::default() });
        }
        answer.kept = self.folder.as_ref().map(|folder| self.kept.record(folder));
        answer
    }
}

impl AnalysisJob {
    /// Analyses in memory: nothing is written and nothing drawn.
    pub fn run(&self, progress: &dyn Progress) -> AnalysisOutcome {
        let found = self.find(progress);
        AnalysisOutcome {
            interrupted: progress.is_cancelled() || found.cancelled(),
            found,
            folder: None,
            error: None,
            saved: false,
            kept: Kept::default(),
        }
    }

    /// The parameter that takes one value after the other.
    pub fn vary(&self) -> Option<&Vary> {
        self.loaded.analysis.vary()
    }

    /// SI unit of the parameter.
    pub fn unit(&self, vary: &Vary) -> &str {
        let known = self.loaded.parameters.iter().find(|known| known.name == vary.parameter);
        known.map_or("", |known| &known.unit)
    }

    /// The word of the state.
    pub fn about(&self) -> &'static str {
        match &self.loaded.analysis {
            Analysis::Motion | Analysis::Ked | Analysis::Bearing(_) => "equilibrium",
            Analysis::Static(one) => one.about.name(),
            Analysis::Modal(one) => one.spec.about.name(),
            Analysis::Response(one) => one.about.name(),
        }
    }

    fn find(&self, progress: &dyn Progress) -> Found {
        let (model, outputs) = (&self.loaded.model, &self.loaded.run.outputs[..]);
        progress.begin(self.loaded.analysis.name());
        match &self.loaded.analysis {
            Analysis::Modal(one) => match &one.vary {
                None => Found::Modes(modal::analyse(model, one.spec, self.limits(), progress)),
                Some(vary) => Found::Varied(self.varied(one.spec, vary, progress)),
            },
            Analysis::Response(one) => {
                let work = (self.limits(), progress);
                let (about, load) = (one.about, one.excitation);
                Found::Response(respond(model, about, load, &one.frequencies, outputs, work))
            }
            Analysis::Static(one) => {
                let steady = match self.steady(one.about) {
                    Ok(steady) => steady,
                    Err(error) => return Found::Rest(Err(error)),
                };
                match &one.vary {
                    Some(vary) if vary.values.len() > 1 => {
                        let family = |value: f64| self.model_at(vary, value);
                        let values = &vary.values;
                        Found::Path(trace(
                            &family,
                            values,
                            steady,
                            outputs,
                            self.limits(),
                            progress,
                        ))
                    }
                    _ => Found::Rest(find(model, steady, outputs, self.limits(), progress)),
                }
            }
            Analysis::Motion | Analysis::Ked | Analysis::Bearing(_) => {
                Found::Varied(VariedModes::default())
            }
        }
    }

    fn steady(&self, about: About) -> Result<Steady, EquilibriumError> {
        let model = &self.loaded.model;
        Ok(match about {
            About::Rotation => Steady::Rotating { rotation: rotation_of(model)?, spins: false },
            About::Spinning => Steady::Turning,
            _ => standing(model),
        })
    }

    fn limits(&self) -> Limits {
        self.loaded.run.limits.after(cpu::process_seconds())
    }

    /// The model at a value of the parameter.
    fn model_at(&self, vary: &Vary, value: f64) -> Result<Model, String> {
        let mut overrides = self.overrides.clone();
        overrides.set.push((vary.parameter.clone(), format!("{value:e}")));
        self.source
            .load(&overrides)
            .map(|loaded| loaded.model)
            .map_err(|refusal| refusal.to_string())
    }

    fn modes_at(
        &self,
        spec: ModalSpec,
        (vary, value): (&Vary, f64),
        progress: &dyn Progress,
    ) -> Result<ModalReport, ModalError> {
        let failed = |cause: String| EquilibriumError::NoModel { value, cause };
        let model = self.model_at(vary, value).map_err(failed)?;
        modal::analyse(&model, spec, self.limits(), progress)
    }

    /// Modes at all values, followed by their shapes, and the limit of stability between them.
    fn varied(&self, spec: ModalSpec, vary: &Vary, progress: &dyn Progress) -> VariedModes {
        let mut out = VariedModes::default();
        let mut last: Vec<(usize, Mode)> = Vec::new();
        let mut next_track = 0;
        for (i, &value) in vary.values.iter().enumerate() {
            progress.report(i as f64 / vary.values.len() as f64);
            if progress.is_cancelled() {
                break;
            }
            let found = self.modes_at(spec, (vary, value), progress);
            let mut tracks = Vec::new();
            if let Ok(report) = &found {
                let before: Vec<&Mode> = last.iter().map(|(_, mode)| mode).collect();
                let mut numbers = vec![None; report.modes.len()];
                for (track, place) in last.iter().zip(follow(&before, report)) {
                    if let Some(place) = place {
                        numbers[place] = Some(track.0);
                    }
                }
                for (number, mode) in numbers.into_iter().zip(&report.modes) {
                    let number = number.unwrap_or_else(|| {
                        next_track += 1;
                        next_track - 1
                    });
                    tracks.push(number);
                    last.retain(|(track, _)| *track != number);
                    last.push((number, mode.clone()));
                }
                last.sort_by_key(|(track, _)| *track);
            }
            out.points.push(ModalPoint { value, found, tracks });
        }
        out.stability_limit = self.stability_limit(spec, vary, &out.points, progress);
        out
    }

    /// Where the first growing motion appears between two values, by halving.
    fn stability_limit(
        &self,
        spec: ModalSpec,
        vary: &Vary,
        points: &[ModalPoint],
        progress: &dyn Progress,
    ) -> Option<f64> {
        let stable =
            |point: &ModalPoint| point.found.as_ref().ok().and_then(|report| report.stable);
        let pair = points.windows(2).find(|pair| {
            let ends = (stable(&pair[0]), stable(&pair[1]));
            matches!(ends, (Some(true), Some(false)) | (Some(false), Some(true)))
        })?;
        let (mut good, mut bad) = (pair[0].value, pair[1].value);
        if stable(&pair[0]) == Some(false) {
            (good, bad) = (bad, good);
        }
        for _ in 0..LOOKS {
            let middle = 0.5 * (good + bad);
            match self.modes_at(spec, (vary, middle), progress).ok()?.stable? {
                true => good = middle,
                false => bad = middle,
            }
        }
        Some(0.5 * (good + bad))
    }

    fn save(
        &self,
        (folder, report): (ResultFolder, bool),
        outcome: &AnalysisOutcome,
        arguments: &[String],
    ) -> Result<Committed, OutputError> {
        for (name, table) in tables::all(self, &outcome.found) {
            folder.write(name, &table)?;
        }
        for (name, picture) in picture::all(self, &outcome.found) {
            folder.write(name, &picture)?;
        }
        if let Found::Modes(Ok(report)) = &outcome.found {
            let shapes = shapes::shapes(self.loaded.model.space, report);
            folder.write("shapes.json", &format!("{shapes}\n"))?;
        }
        let shown = outcome.folder.clone().unwrap_or_default();
        let record = to_value(&self.file_record(outcome, &shown, arguments));
        if report {
            report::write(&folder, &record)?;
        }
        folder.commit(&record)
    }
}
