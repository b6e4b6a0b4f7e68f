//! `analysis = "bearing"`: journals at rest in their films, once or for every value of a parameter.

pub mod picture;
pub mod quantities;

use std::path::{Path, PathBuf};

use gudgeon::bearing::{Bearing, BearingError, BearingReport, analyse};
use gudgeon::cpu;
use gudgeon::model::Model;
use gudgeon::progress::Progress;
use gudgeon::results::{Cause, FieldReport, Warning};
use gudgeon_model::{Loaded, Overrides, Vary};
use gudgeon_output::record::{
    self, BearingPoint, BearingRecord, FORMAT, Mistake, ModelText, Status, VERSION, Varied,
    to_value,
};
use gudgeon_output::{Committed, OutputError, Repair, ResultFolder};

use crate::fields;
use crate::refusal::Refusal;
use crate::report;
use crate::run::{Kept, Origin, RunJob, killed, parameters, warnings};
use crate::source::Source;
use crate::text::quantity;

/// An analysis that can start.
#[derive(Debug)]
pub struct BearingJob {
    pub source: Source,
    pub overrides: Overrides,
    pub loaded: Loaded,
    /// Threads that were allowed; the analysis needs one.
    pub jobs: usize,
}

impl From<RunJob> for BearingJob {
    fn from(job: RunJob) -> BearingJob {
        let RunJob { source, overrides, loaded, assembly: _, options, range: _ } = job;
        BearingJob { source, overrides, loaded, jobs: options.jobs }
    }
}

/// What came of an analysis.
#[derive(Debug)]
pub struct BearingOutcome {
    pub points: Vec<AnalysedPoint>,
    pub interrupted: bool,
    /// The result folder as the user knows it, where there is one.
    pub folder: Option<PathBuf>,
    /// The disk refused something.
    pub error: Option<OutputError>,
    /// The results are in their place.
    pub saved: bool,
    pub kept: Kept,
}

/// The analysis at one value of the parameter, or at the model as it is.
#[derive(Debug)]
pub struct AnalysedPoint {
    /// In SI units.
    pub value: Option<f64>,
    pub found: Result<BearingReport, BearingError>,
}

impl AnalysedPoint {
    /// None where the user has cancelled it.
    fn of(value: Option<f64>, found: Result<BearingReport, BearingError>) -> Option<AnalysedPoint> {
        (!matches!(found, Err(BearingError::Cancelled))).then_some(AnalysedPoint { value, found })
    }

    /// The limit of CPU time, where the analysis has no more of it.
    pub fn late(&self) -> Option<&BearingError> {
        let is_late =
            |error: &&BearingError| matches!(error, BearingError::Limit(Cause::TimeLimit { .. }));
        self.found.as_ref().err().filter(is_late)
    }
}

/// What the time limit left undone: how many values have a rest, and why no more.
pub struct Cut<'a> {
    pub cause: &'a BearingError,
    done: usize,
    values: usize,
}

impl Cut<'_> {
    pub fn of(points: &[AnalysedPoint]) -> Option<Cut<'_>> {
        let cause = points.iter().find_map(AnalysedPoint::late)?;
        let late = points.iter().filter(|point| point.late().is_some()).count();
        Some(Cut { cause, done: points.len() - late, values: points.len() })
    }

    pub fn message(&self) -> String {
        match self.values {
            1 => self.cause.to_string(),
            values => format!("{}: {} of {values} values analysed", self.cause, self.done),
        }
    }
}

/// An analysis whose tables, pictures and record go to a result folder.
pub struct FilesBearing<'a> {
    job: &'a BearingJob,
    shown: PathBuf,
    arguments: Vec<String>,
    folder: ResultFolder,
    report: bool,
}

impl<'a> FilesBearing<'a> {
    /// `results/NAME` where no folder is given.
    pub fn prepare(
        job: &'a BearingJob,
        out: Option<&Path>,
        arguments: Vec<String>,
    ) -> Result<FilesBearing<'a>, Refusal> {
        let default = || ResultFolder::default_path(&job.source.short_name());
        let shown = out.map_or_else(default, Path::to_owned);
        let folder = ResultFolder::prepare(&shown)?;
        Ok(FilesBearing { job, shown, arguments, folder, report: true })
    }

    /// The same without the page.
    #[must_use]
    pub fn without_report(self, without: bool) -> Self {
        FilesBearing { report: !without, ..self }
    }

    /// What killed runs had left in the place of the results, and what became of it.
    pub fn repairs(&self) -> &[Repair] {
        self.folder.repairs()
    }

    /// Analyses, draws, writes the record, and puts the folder in its place.
    pub fn run(self, progress: &dyn Progress) -> Result<BearingOutcome, Refusal> {
        let FilesBearing { job, shown, arguments, folder, report } = self;
        let mut outcome = job.run(progress)?;
        outcome.kept.killed = killed(&folder);
        outcome.folder = Some(shown);
        match job.save((folder, report), &outcome, &arguments) {
            Ok(committed) => {
                outcome.kept.complete = committed.complete;
                outcome.saved = true;
            }
            Err(error) => outcome.error = Some(error),
        }
        Ok(outcome)
    }
}

impl BearingOutcome {
    /// Single values without a rest are told; an analysis without any, or without time for all, has
    /// failed.
    pub fn status(&self) -> Status {
        match self.points.iter().any(|point| point.found.is_ok()) {
            _ if self.error.is_some() => Status::Failed,
            _ if self.interrupted => Status::Interrupted,
            true if Cut::of(&self.points).is_some() => Status::Failed,
            true => Status::Ok,
            false => Status::Failed,
        }
    }

    /// The object of `--json`.
    pub fn answer(&self, job: &BearingJob) -> BearingRecord {
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

impl BearingJob {
    /// Analyses in memory: nothing is written and nothing drawn.
    pub fn run(&self, progress: &dyn Progress) -> Result<BearingOutcome, Refusal> {
        let points = self.points(progress)?;
        Ok(BearingOutcome {
            points,
            interrupted: progress.is_cancelled(),
            folder: None,
            error: None,
            saved: false,
            kept: Kept::default(),
        })
    }

    /// The parameter that takes one value after the other.
    pub fn vary(&self) -> Option<&Vary> {
        self.loaded.analysis.vary()
    }

    /// All values; every one is a model of its own.
    fn points(&self, progress: &dyn Progress) -> Result<Vec<AnalysedPoint>, Refusal> {
        let Some(vary) = self.vary() else {
            let found = self.analyse(&self.loaded.model, progress);
            return Ok(AnalysedPoint::of(None, found).into_iter().collect());
        };
        progress.begin("bearing");
        let mut points: Vec<AnalysedPoint> = Vec::new();
        for (i, value) in vary.values.iter().enumerate() {
            progress.report(i as f64 / vary.values.len() as f64);
            let late = match points.last().and_then(AnalysedPoint::late) {
                Some(BearingError::Limit(cause)) => Some(cause.clone()),
                _ => None,
            };
            let found = match late {
                Some(cause) => Err(BearingError::Limit(cause)),
                None => {
                    let mut overrides = self.overrides.clone();
                    overrides.set.push((vary.parameter.clone(), format!("{value:e}")));
                    let loaded = self.source.load(&overrides)?;
                    self.analyse(&loaded.model, progress)
                }
            };
            let Some(point) = AnalysedPoint::of(Some(*value), found) else { break };
            points.push(point);
        }
        Ok(points)
    }

    /// One analysis with what is left of the time limit, which all of them share.
    fn analyse(
        &self,
        model: &Model,
        progress: &dyn Progress,
    ) -> Result<BearingReport, BearingError> {
        analyse(model, self.loaded.run.limits.after(cpu::process_seconds()), progress)
    }

    fn save(
        &self,
        (folder, report): (ResultFolder, bool),
        outcome: &BearingOutcome,
        arguments: &[String],
    ) -> Result<Committed, OutputError> {
        let points = &outcome.points;
        folder.write("bearing.csv", &quantities::csv(self, points))?;
        if let [AnalysedPoint { value: None, found: Ok(report) }] = &points[..] {
            let title = format!("{} at rest", self.loaded.model.name);
            fields::write(&folder, &title, &report.bearings.iter().map(field).collect::<Vec<_>>())?;
        }
        for (name, picture) in picture::all(self, points) {
            folder.write(&name, &picture)?;
        }
        let shown = outcome.folder.clone().unwrap_or_default();
        let record = to_value(&self.file_record(outcome, &shown, arguments));
        if report {
            report::write(&folder, &record)?;
        }
        folder.commit(&record)
    }

    /// `run.json`.
    fn file_record(
        &self,
        outcome: &BearingOutcome,
        shown: &Path,
        arguments: &[String],
    ) -> BearingRecord {
        let origin = Origin {
            path: &self.source.path,
            overrides: &self.overrides,
            loaded: &self.loaded,
            shown,
            arguments,
            jobs: self.jobs,
        };
        let record = self.record(outcome);
        BearingRecord {
            format: Some(FORMAT),
            gudgeon: Some(VERSION.to_owned()),
            model: origin.model(),
            warnings: origin.with_short_names(record.warnings),
            overrides: Some(origin.overrides()),
            environment: Some(origin.environment()),
            ..record
        }
    }

    /// What is the same for every analysis of the same file.
    fn record(&self, outcome: &BearingOutcome) -> BearingRecord {
        let (points, status) = (&outcome.points, outcome.status());
        let failed = points.iter().find_map(|point| point.found.as_ref().err()).map(mistake);
        let cut = Cut::of(points).map(|cut| Mistake {
            message: cut.message(),
            cause: Some(cut.cause.to_string()),
            help: Some(cut.cause.help().to_owned()),
            ..Mistake::default()
        });
        let mut warnings = warnings(&self.loaded);
        warnings.extend(self.warnings(points).iter().map(record::Warning::from));
        BearingRecord {
            status,
            error: cut.or(failed).filter(|_| status == Status::Failed),
            analysis: "bearing".to_owned(),
            model: ModelText { name: self.loaded.model.name.clone(), ..ModelText::default() },
            parameters: parameters(&self.loaded.parameters),
            vary: self.vary().map(|vary| Varied {
                parameter: vary.parameter.clone(),
                unit: self.unit(vary).to_owned(),
            }),
            points: points.iter().map(point).collect(),
            warnings,
            ..BearingRecord::default()
        }
    }

    /// SI unit of the parameter.
    pub fn unit(&self, vary: &Vary) -> &str {
        let known = self.loaded.parameters.iter().find(|known| known.name == vary.parameter);
        known.map_or("", |known| &known.unit)
    }

    /// Remarks of all points, each at the first value where it appears.
    pub fn warnings(&self, points: &[AnalysedPoint]) -> Vec<Warning> {
        let mut out: Vec<Warning> = Vec::new();
        for point in points {
            for warning in point.found.iter().flat_map(|report| &report.warnings) {
                let known =
                    |other: &Warning| (other.code, &other.joint) == (warning.code, &warning.joint);
                if !out.iter().any(known) {
                    let mut warning = warning.clone();
                    if let Some((vary, value)) = self.vary().zip(point.value) {
                        let value = value_of(vary, value, self.unit(vary));
                        warning.message =
                            format!("{} (at {} {value})", warning.message, vary.parameter);
                    }
                    out.push(warning);
                }
            }
        }
        out
    }
}

fn field(bearing: &Bearing) -> FieldReport {
    FieldReport {
        joint: bearing.joint,
        name: bearing.name.clone(),
        t: 0.0,
        thinnest: false,
        film: bearing.film.clone(),
        peak: bearing.peak,
    }
}

/// A value of the parameter in the unit of the file.
pub fn value_of(vary: &Vary, value: f64, unit: &str) -> String {
    match &vary.shown {
        Some(shown) => format!("{} {}", quantity(value / shown.factor, ""), shown.unit),
        None => quantity(value, unit),
    }
}

fn mistake(error: &BearingError) -> Mistake {
    let help = Some(error.help().to_owned());
    Mistake { message: error.to_string(), help, ..Mistake::default() }
}

fn point(point: &AnalysedPoint) -> BearingPoint {
    let AnalysedPoint { value, found } = point;
    BearingPoint {
        value: *value,
        bearings: found
            .as_ref()
            .ok()
            .map(|report| report.bearings.iter().map(quantities::record).collect()),
        error: found.as_ref().err().map(mistake),
    }
}
