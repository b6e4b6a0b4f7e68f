//! The runs behind one job: the model itself, its baseline with ideal joints, its certificate, its
//! ensemble.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use gudgeon::assembly::{assemble, foresee};
use gudgeon::certify::{Certificate, History, Reference, certify};
use gudgeon::cpu;
use gudgeon::ensemble::{EnsembleOptions, EnsembleReport, ensemble};
use gudgeon::progress::Progress;
use gudgeon::results::{Cause, RunReport, SimulationError, Status, Warning};
use gudgeon::run::{Every, Method, RunSpec};
use gudgeon::simulate::simulate;
use gudgeon_output::{OutputError, record};

use super::cost::{Cost, timed};
use super::drawing::Drawing;
use super::recorder::{BaselineRecorder, Files, Recorded, Recorder, Recording};
use super::{RunJob, Series};
use crate::text::{plural, quantity};

/// What came of a run.
#[derive(Debug)]
pub struct RunOutcome {
    pub report: RunReport,
    /// What pictures are made of, where they were asked for.
    pub(crate) recording: Option<Recording>,
    /// The outputs over time, where they were asked for.
    pub series: Option<Series>,
    pub baseline: Option<Baseline>,
    pub certificate: Option<Certificate>,
    pub ensemble: Option<EnsembleReport>,
    pub cost: Cost,
    /// Remarks on the runs beside the main one.
    pub notes: Vec<Warning>,
    /// The disk refused something.
    pub error: Option<OutputError>,
    /// The time limit left something undone beside the main run.
    pub cut: Option<Cut>,
    /// In which of the runs beside the main one the user stopped.
    pub interrupted: Option<&'static str>,
    /// The result folder as the user knows it, where there is one.
    pub folder: Option<PathBuf>,
    /// The results are in their place.
    pub saved: bool,
    /// They have a page.
    pub reported: bool,
    pub kept: Kept,
}

/// Folders that are kept beside the result.
#[derive(Debug, Default)]
pub struct Kept {
    /// The last complete result, where this one is not.
    pub complete: Option<PathBuf>,
    /// Rows of an earlier run that was killed.
    pub killed: Option<PathBuf>,
}

impl Kept {
    /// As paths beside the one that the user knows.
    pub fn record(&self, shown: &Path) -> record::Kept {
        let path = |path: &Option<PathBuf>| path.as_ref().map(|path| Kept::beside(shown, path));
        record::Kept { complete: path(&self.complete), killed: path(&self.killed) }
    }

    /// A folder beside that of the results as the user would write it. Where the results are behind a
    /// link, so is what is beside them, and the whole path is told.
    pub fn beside(shown: &Path, path: &Path) -> String {
        let near = shown.with_file_name(path.file_name().unwrap_or_default());
        let real = |path: &Path| path.canonicalize().ok();
        let is_near = real(&near).is_some_and(|near| Some(near) == real(path));
        if is_near { &near } else { path }.display().to_string()
    }
}

/// The run with every clearance joint ideal.
#[derive(Debug)]
pub struct Baseline {
    pub report: RunReport,
    /// Where pictures are made.
    pub(crate) drawing: Option<Drawing>,
    /// Whether the motion determines each output.
    pub unique: Vec<bool>,
    /// The disk refused its rows or its motion.
    pub(crate) error: Option<OutputError>,
}

impl RunOutcome {
    pub fn status(&self) -> record::Status {
        match self.report.status {
            Status::Failed(_) => record::Status::Failed,
            _ if self.error.is_some() => record::Status::Failed,
            Status::Interrupted => record::Status::Interrupted,
            Status::Done if self.interrupted.is_some() => record::Status::Interrupted,
            Status::Done if self.cut.is_some() => record::Status::Failed,
            Status::Done => record::Status::Ok,
        }
    }

    /// Why a command fails whose main run is done.
    pub fn failed_beside(&self) -> Option<&Cut> {
        let failed = self.status() == record::Status::Failed && self.error.is_none();
        self.cut.as_ref().filter(|_| failed)
    }
}

/// What the time limit left undone.
#[derive(Debug)]
pub struct Cut {
    limit: f64,
    undone: Vec<String>,
}

impl Cut {
    pub const HELP: &str =
        "results up to then are kept; raise `--time-limit` or `time_limit`, or ask for less";

    pub fn cause(&self) -> String {
        Cause::TimeLimit { limit: self.limit }.to_string()
    }

    pub fn message(&self) -> String {
        format!("{}: {}", self.cause(), self.undone.join("; "))
    }
}

impl RunJob {
    /// The outputs over time with ideal joints, which the run is compared with; why there are none.
    pub fn ideal_series(&self, progress: &dyn Progress) -> Result<Series, String> {
        let mut model = self.loaded.model.clone();
        for joint in &mut model.joints {
            joint.clearance = None;
        }
        let assembly = assemble(&model).map_err(|error| error.to_string())?;
        let mut recorder = Recorder::of_rows(self, progress);
        let report = simulate(&assembly, &within_limits(self), &mut recorder);
        match report.status {
            Status::Failed(error) => Err(error.to_string()),
            Status::Done | Status::Interrupted => Ok(recorder.finish().series.unwrap_or_default()),
        }
    }

    /// Runs in memory: nothing is written and nothing drawn.
    pub fn run(&self, progress: &dyn Progress) -> RunOutcome {
        let mut outcome = execute(self, Recorder::new(self, progress));
        outcome.cost.end();
        outcome
    }
}

/// Does all runs of a job; those beside the main one only if it got to its end.
pub(super) fn execute(job: &RunJob, mut recorder: Recorder<'_>) -> RunOutcome {
    let mut cost = Cost::since(job.options.started);
    let progress = recorder.progress();
    let mut spec = within_limits(job);
    if !recorder.wants_rows() {
        spec.every = Every::Interval(f64::INFINITY);
    }
    progress.begin("run");
    let report = simulate(&job.assembly, &spec, &mut recorder);
    cost.add_run(&report);
    let files = recorder.files();
    let (recorded, seconds) = timed(|| recorder.finish());
    let Recorded { mut recording, history, series, error } = recorded;
    cost.writing += seconds;
    if let Some(recording) = &mut recording {
        recording.drawing.add(&report.extremes);
    }
    let done = report.status == Status::Done && error.is_none();
    let mut outcome = RunOutcome {
        report,
        recording,
        series,
        baseline: None,
        certificate: None,
        ensemble: None,
        cost,
        notes: Vec::new(),
        error,
        cut: None,
        interrupted: None,
        folder: None,
        saved: false,
        reported: false,
        kept: Kept::default(),
    };
    if done {
        beside(job, (history.as_ref(), files.as_ref()), &mut outcome, progress);
    } else {
        outcome.notes.extend(left_out(job, &outcome.report.status));
        outcome.notes.extend(locks(job, &outcome.report));
    }
    outcome
}

/// Where the ideal mechanism locks, of a run that failed by then.
fn locks(job: &RunJob, report: &RunReport) -> Vec<Warning> {
    let loose = job.loaded.model.joints.iter().any(|joint| joint.clearance.is_some());
    let forced = matches!(&report.status, Status::Failed(error) if matches!(error.cause, Cause::Indented { .. }));
    if !(loose && forced) {
        return Vec::new();
    }
    foresee(&job.loaded.model, job.loaded.run.latest_end()).warnings()
}

/// The run with what is left of the time limit, which all runs of a command share.
fn within_limits(job: &RunJob) -> RunSpec {
    let run = &job.loaded.run;
    RunSpec {
        limits: run.limits.after(cpu::process_seconds() - job.options.started),
        ..run.clone()
    }
}

/// The run without what nobody reads of the runs beside the main one: rows, loops, pressures.
fn without_rows(spec: RunSpec) -> RunSpec {
    let every = Every::Interval(f64::INFINITY);
    RunSpec { every, loops: Vec::new(), pressure_at: Vec::new(), ..spec }
}

/// What was asked for beside a run that did not get to its end.
fn left_out(job: &RunJob, status: &Status) -> Option<Warning> {
    let what = match (job.options.certify, job.options.ensemble.is_some()) {
        (true, true) => "certificate and ensemble",
        (true, false) => "certificate",
        (false, true) => "ensemble",
        (false, false) => return None,
    };
    Some(Warning {
        code: "G1306",
        joint: String::new(),
        message: format!("no {what}: the run itself did not get to its end"),
        help: match status {
            Status::Failed(error) if is_limit(error) => "raise the limit, or end the run earlier",
            Status::Interrupted => "these follow a run that gets to its end",
            Status::Failed(_) | Status::Done => "end the run before it fails with `--until`",
        }
        .into(),
    })
}

fn beside(
    job: &RunJob,
    (history, files): (Option<&History>, Option<&Files>),
    outcome: &mut RunOutcome,
    progress: &dyn Progress,
) {
    let mut undone = Vec::new();
    let stop = |outcome: &mut RunOutcome, what: &'static str| {
        if progress.is_cancelled() {
            outcome.interrupted.get_or_insert(what);
        }
    };
    let loose = job.loaded.model.joints.iter().any(|joint| joint.clearance.is_some());
    if loose && job.options.baseline {
        undone.extend(compared(job, files, outcome, progress));
        stop(outcome, "the comparison with ideal joints");
    }
    if let Some(history) = history {
        let (certificate, seconds) = timed(|| certified(job, history, &outcome.report, progress));
        outcome.notes.extend(stopped_early(job.loaded.run.method, &certificate));
        undone.extend(not_certified(&certificate));
        outcome.certificate = Some(certificate);
        outcome.cost.certificate = Some(seconds);
        stop(outcome, "the certificate");
    }
    if let Some(runs) = job.options.ensemble {
        let started = cpu::process_seconds();
        let report = many(job, runs, progress);
        outcome.cost.ensemble = Some(cpu::process_seconds() - started);
        match report {
            Ok(report) => {
                outcome.notes.extend(failed_members(&report));
                undone.extend(not_run(&report));
                outcome.ensemble = Some(report);
            }
            Err(error) => outcome.notes.push(no_ensemble(error.to_string())),
        }
        stop(outcome, "the ensemble");
    }
    stop(outcome, "what followed");
    let limit = job.loaded.run.limits.cpu.filter(|_| !undone.is_empty());
    outcome.cut = limit.map(|limit| Cut { limit, undone });
}

/// Compares with ideal joints; what the time limit left undone.
fn compared(
    job: &RunJob,
    files: Option<&Files>,
    outcome: &mut RunOutcome,
    progress: &dyn Progress,
) -> Option<String> {
    let draws = outcome.recording.is_some();
    let (baseline, seconds) = timed(|| baseline(job, draws, files, progress));
    outcome.cost.baseline = Some(seconds);
    match baseline {
        Ok(mut baseline) => {
            outcome.notes.extend(baseline.iter().filter_map(not_unique));
            let error = baseline.as_mut().and_then(|baseline| baseline.error.take());
            outcome.error = outcome.error.take().or(error);
            outcome.baseline = baseline;
            None
        }
        Err(failed) => {
            outcome.notes.push(no_baseline(&failed));
            if !failed.is_limit() {
                let end = job.loaded.run.latest_end();
                outcome.notes.extend(foresee(&job.loaded.model, end).warnings());
            }
            failed.is_cut().then(|| "no comparison with ideal joints".to_owned())
        }
    }
}

/// How many runs of an ensemble did not come to their end, and why: `1 failed, 2 cut, 85 not begun`.
pub fn unfinished(report: &EnsembleReport) -> Option<String> {
    let parts = [(report.failed, "failed"), (report.cut, "cut"), (report.not_begun, "not begun")];
    let told = parts.iter().filter(|(number, _)| *number > 0);
    let told: Vec<String> = told.map(|(number, what)| format!("{number} {what}")).collect();
    (!told.is_empty()).then(|| told.join(", "))
}

/// What the time limit has left of an ensemble.
fn not_run(report: &EnsembleReport) -> Option<String> {
    report.limit?;
    let (finished, runs) =
        (report.finished, plural(report.runs, "perturbed run", "perturbed runs"));
    Some(format!("{finished} of {runs} completed, {}", unfinished(report)?))
}

/// What the time limit has left of a certificate.
fn not_certified(certificate: &Certificate) -> Option<String> {
    let is_cut =
        |reference: &Reference| matches!(&reference.status, Status::Failed(error) if is_cut(error));
    certificate.references.iter().any(is_cut).then(|| match certificate.reached > 0.0 {
        true => format!("digits certified up to {} only", quantity(certificate.reached, "s")),
        false => "no digits certified".to_owned(),
    })
}

/// Whether one of the limits that the user has given ended a run.
fn is_limit(error: &SimulationError) -> bool {
    is_cut(error) || matches!(error.cause, Cause::StepLimit { .. })
}

fn is_cut(error: &SimulationError) -> bool {
    matches!(error.cause, Cause::TimeLimit { .. })
}

/// How many digits of the main run hold.
fn certified(
    job: &RunJob,
    history: &History,
    report: &RunReport,
    progress: &dyn Progress,
) -> Certificate {
    progress.begin("certify");
    certify(&job.assembly, &within_limits(job), (report, history), progress)
}

/// What the accuracy of a run rests on: its tolerance, or its step times `share` where it is fixed.
pub fn exactness(method: Method, rtol: f64, share: f64) -> String {
    match method.step() {
        Some(step) => format!("step {}", quantity(share * step, "s")),
        None => format!("rtol {}", format!("{rtol:.3e}").replacen(".000", "", 1)),
    }
}

/// A certificate that ends before the run does.
fn stopped_early(method: Method, certificate: &Certificate) -> Option<Warning> {
    let failed = |reference: &Reference| match &reference.status {
        Status::Failed(error) => {
            let at = exactness(method, reference.rtol, reference.step_ratio);
            Some((at, error.clone()))
        }
        _ => None,
    };
    let (at, error) = certificate.references.iter().find_map(failed)?;
    let hold = match certificate.reached > 0.0 {
        true => format!("so they hold up to {} only", quantity(certificate.reached, "s")),
        false => "so none is certified".to_owned(),
    };
    Some(Warning {
        code: "G1305",
        joint: String::new(),
        message: format!("the run at {at} that the digits rest on failed, {hold}: {error}"),
        help: error.help.clone(),
    })
}

/// Why there is nothing to compare with.
struct NoBaseline {
    message: String,
    /// The end of a run that was begun.
    error: Option<Box<SimulationError>>,
}

impl NoBaseline {
    fn is_cut(&self) -> bool {
        self.error.as_ref().is_some_and(|error| is_cut(error))
    }

    fn is_limit(&self) -> bool {
        self.error.as_ref().is_some_and(|error| is_limit(error))
    }
}

/// The same mechanism without play; `None` if it was interrupted.
fn baseline(
    job: &RunJob,
    draws: bool,
    files: Option<&Files>,
    progress: &dyn Progress,
) -> Result<Option<Baseline>, NoBaseline> {
    let mut model = job.loaded.model.clone();
    for joint in &mut model.joints {
        joint.clearance = None;
    }
    let spec = match draws {
        true => RunSpec { loops: Vec::new(), pressure_at: Vec::new(), ..within_limits(job) },
        false => without_rows(within_limits(job)),
    };
    let assembly =
        assemble(&model).map_err(|error| NoBaseline { message: error.to_string(), error: None })?;
    progress.begin("ideal");
    let mut recorder = BaselineRecorder::new(&spec, job.range, draws, progress);
    if let Some(files) = files {
        recorder = recorder.into_files(files, (&model, &assembly), &spec);
    }
    let report = simulate(&assembly, &spec, &mut recorder);
    let (mut drawing, error) = recorder.finish(report.status == Status::Done);
    match report.status {
        Status::Done => {
            let unique = spec.outputs.iter().map(|o| o.is_unique(&assembly)).collect();
            if let Some(drawing) = &mut drawing {
                drawing.add(&report.extremes);
            }
            Ok(Some(Baseline { report, drawing, unique, error }))
        }
        Status::Interrupted => Ok(None),
        Status::Failed(error) => {
            Err(NoBaseline { message: error.to_string(), error: Some(Box::new(error)) })
        }
    }
}

/// Values to compare with that the motion of ideal joints does not determine.
fn not_unique(baseline: &Baseline) -> Option<Warning> {
    let all = baseline.report.extremes.iter().zip(&baseline.unique);
    let names: Vec<&str> = all.filter(|(_, u)| !**u).map(|(e, _)| e.name.as_str()).collect();
    (!names.is_empty()).then(|| Warning {
        code: "G1304",
        joint: String::new(),
        message: format!("not unique with ideal joints, a loop is redundant: {}", names.join(", ")),
        help: "compare other outputs, or free a direction of a joint in that loop".into(),
    })
}

fn no_baseline(failed: &NoBaseline) -> Warning {
    Warning {
        code: "G1301",
        joint: String::new(),
        message: format!("no comparison with ideal joints: {}", failed.message),
        help: match failed.is_limit() {
            true => "raise `--time-limit` or `--max-steps`; `--no-baseline` skips it",
            false => "`--no-baseline` skips it",
        }
        .into(),
    }
}

fn no_ensemble(message: String) -> Warning {
    Warning {
        code: "G1302",
        joint: String::new(),
        message: format!("no ensemble: {message}"),
        help: "a start that differs by a nanometre cannot be assembled; move `[start]`".into(),
    }
}

/// Runs of an ensemble that have no part in it: those that failed, and those that the limit left undone.
fn failed_members(report: &EnsembleReport) -> Vec<Warning> {
    let warning = |message: String, help: Cow<'static, str>| Warning {
        code: "G1303",
        joint: String::new(),
        message,
        help,
    };
    let own = report.failures.iter().map(|(_, error)| error).find(|error| !is_cut(error));
    let failed = own.map(|error| {
        let (failed, runs) = (report.failed, report.runs);
        let message = format!(
            "{failed} of {runs} perturbed runs failed and are not counted, the first with: {error}"
        );
        warning(message, error.help.clone())
    });
    let cut = report.limit.map(|limit| {
        let parts = [(report.cut, "cut"), (report.not_begun, "not begun")];
        let told = parts.iter().filter(|(number, _)| *number > 0);
        let told: Vec<String> =
            told.map(|(number, what)| format!("{number} were {what}")).collect();
        let (told, cause) = (told.join(", "), Cause::TimeLimit { limit });
        let message =
            format!("of {} perturbed runs {told}; they are not counted: {cause}", report.runs);
        warning(message, Cut::HELP.into())
    });
    failed.into_iter().chain(cut).collect()
}

fn many(
    job: &RunJob,
    runs: usize,
    progress: &dyn Progress,
) -> Result<EnsembleReport, gudgeon::assembly::AssemblyError> {
    let options = EnsembleOptions { runs, seed: job.options.seed, jobs: job.options.jobs };
    progress.begin("ensemble");
    ensemble(&job.loaded.model, &without_rows(within_limits(job)), options, progress)
}

#[cfg(test)]
mod tests;
