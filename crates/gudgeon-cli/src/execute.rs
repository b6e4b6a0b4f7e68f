//! The runs behind one command: the model itself, its ideal twin, its certificate, its ensemble.

use std::path::PathBuf;

use gudgeon::assembly::{assemble, foresee};
use gudgeon::certify::{Certificate, History, Reference, certify};
use gudgeon::cpu;
use gudgeon::ensemble::{EnsembleOptions, EnsembleReport, ensemble};
use gudgeon::progress::Progress;
use gudgeon::results::{Cause, RunReport, Status, Warning};
use gudgeon::run::{Method, RunSpec};
use gudgeon::simulate::simulate;
use gudgeon_output::OutputError;

use crate::cmd::run::Job;
use crate::cost::{Cost, timed};
use crate::drawing::Drawing;
use crate::exit::Exit;
use crate::record::{Recorder, Recording, Shadow};
use crate::summary::exactness;
use crate::table::quantity;
use crate::terminal::Terminal;

/// What came of a job.
pub struct Outcome {
    pub report: RunReport,
    pub recording: Recording,
    pub baseline: Option<Baseline>,
    pub certificate: Option<Certificate>,
    pub ensemble: Option<EnsembleReport>,
    pub cost: Cost,
    /// Remarks on the runs beside the main one.
    pub notes: Vec<Warning>,
    /// The disk refused something.
    pub error: Option<OutputError>,
    /// The user stopped the main run or one beside it.
    pub interrupted: bool,
    /// The results are in their place.
    pub saved: bool,
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

/// The run with every clearance joint ideal.
pub struct Baseline {
    pub report: RunReport,
    pub drawing: Drawing,
    /// Whether the motion determines each output.
    pub unique: Vec<bool>,
}

impl Outcome {
    pub fn exit(&self) -> Exit {
        match self.report.status {
            Status::Failed(_) => Exit::Failed,
            _ if self.error.is_some() => Exit::Failed,
            Status::Interrupted => Exit::Interrupted,
            Status::Done if self.interrupted => Exit::Interrupted,
            Status::Done => Exit::Done,
        }
    }
}

/// Does all runs of a job; those beside the main one only if it got to its end.
pub fn execute(job: &Job, mut recorder: Recorder, terminal: &Terminal) -> Outcome {
    let mut cost = Cost { setup: cpu::process_seconds(), ..Cost::default() };
    if job.args.certify {
        recorder = recorder.for_certificate(job.loaded.run.outputs.len());
    }
    let report = simulate(&job.assembly, &within_limits(job), &mut recorder);
    cost.add_run(&report);
    let ((mut recording, history, error), seconds) = timed(|| recorder.finish());
    cost.writing += seconds;
    recording.drawing.add(&report.extremes);
    let done = report.status == Status::Done && error.is_none();
    let mut outcome = Outcome {
        report,
        recording,
        baseline: None,
        certificate: None,
        ensemble: None,
        cost,
        notes: Vec::new(),
        error,
        interrupted: false,
        saved: false,
        kept: Kept::default(),
    };
    if done {
        beside(job, history.as_ref(), &mut outcome, terminal);
        outcome.interrupted = terminal.interrupt().is_cancelled();
    } else {
        outcome.notes.extend(left_out(job));
        outcome.notes.extend(locks(job, &outcome.report));
    }
    outcome
}

/// Where the ideal mechanism locks, of a run that failed by then.
fn locks(job: &Job, report: &RunReport) -> Vec<Warning> {
    let loose = job.loaded.model.joints.iter().any(|joint| joint.clearance.is_some());
    let forced = matches!(&report.status, Status::Failed(error) if matches!(error.cause, Cause::Indented { .. }));
    if !(loose && forced) {
        return Vec::new();
    }
    foresee(&job.loaded.model, job.loaded.run.latest_end()).warnings()
}

/// The run with what is left of the time limit, which all runs of a command share.
fn within_limits(job: &Job) -> RunSpec {
    let run = &job.loaded.run;
    RunSpec { limits: run.limits.after(cpu::process_seconds()), ..run.clone() }
}

/// What was asked for beside a run that did not get to its end.
fn left_out(job: &Job) -> Option<Warning> {
    let what = match (job.args.certify, job.args.ensemble.is_some()) {
        (true, true) => "certificate and ensemble",
        (true, false) => "certificate",
        (false, true) => "ensemble",
        (false, false) => return None,
    };
    Some(Warning {
        code: "G1306",
        joint: String::new(),
        message: format!("no {what}: the run itself did not get to its end"),
        help: "end the run before it fails with `--until`",
    })
}

fn beside(job: &Job, history: Option<&History>, outcome: &mut Outcome, terminal: &Terminal) {
    let loose = job.loaded.model.joints.iter().any(|joint| joint.clearance.is_some());
    if loose && !job.args.no_baseline {
        let (baseline, seconds) = timed(|| baseline(job, terminal));
        outcome.cost.baseline = Some(seconds);
        match baseline {
            Ok(baseline) => {
                outcome.notes.extend(baseline.iter().filter_map(not_unique));
                outcome.baseline = baseline;
            }
            Err(message) => {
                outcome.notes.push(no_baseline(message));
                let end = job.loaded.run.latest_end();
                outcome.notes.extend(foresee(&job.loaded.model, end).warnings());
            }
        }
    }
    if let Some(history) = history {
        let (certificate, seconds) = timed(|| certified(job, history, &outcome.report, terminal));
        outcome.notes.extend(stopped_early(job.loaded.run.method, &certificate));
        outcome.certificate = Some(certificate);
        outcome.cost.certificate = Some(seconds);
    }
    if let Some(runs) = job.args.ensemble {
        let started = cpu::process_seconds();
        let report = many(job, runs as usize, terminal);
        outcome.cost.ensemble = Some(cpu::process_seconds() - started);
        match report {
            Ok(report) => {
                outcome.notes.extend(failed_members(&report));
                outcome.ensemble = Some(report);
            }
            Err(error) => outcome.notes.push(no_ensemble(error.to_string())),
        }
    }
}

/// How many digits of the main run hold.
fn certified(job: &Job, history: &History, report: &RunReport, terminal: &Terminal) -> Certificate {
    let watch = terminal.watch("certify");
    certify(&job.assembly, &within_limits(job), (report, history), &watch)
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
    Some(Warning {
        code: "G1305",
        joint: String::new(),
        message: format!(
            "the run at {at} that the digits rest on failed, so they hold up to {} only: {error}",
            quantity(certificate.reached, "s")
        ),
        help: error.help,
    })
}

/// The same mechanism without play; `None` if it was interrupted.
fn baseline(job: &Job, terminal: &Terminal) -> Result<Option<Baseline>, String> {
    let mut model = job.loaded.model.clone();
    for joint in &mut model.joints {
        joint.clearance = None;
    }
    let mut spec = within_limits(job);
    spec.loops.clear();
    spec.pressure_at.clear();
    let assembly = assemble(&model).map_err(|error| error.to_string())?;
    let mut shadow = Shadow::new(&spec, job.range, terminal.watch("ideal"));
    let report = simulate(&assembly, &spec, &mut shadow);
    match report.status {
        Status::Done => {
            let unique = spec.outputs.iter().map(|o| o.is_unique(&assembly)).collect();
            let mut drawing = shadow.drawing;
            drawing.add(&report.extremes);
            Ok(Some(Baseline { report, drawing, unique }))
        }
        Status::Interrupted => Ok(None),
        Status::Failed(error) => Err(error.to_string()),
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
        help: "compare other outputs, or free a direction of a joint in that loop",
    })
}

fn no_baseline(message: String) -> Warning {
    Warning {
        code: "G1301",
        joint: String::new(),
        message: format!("no comparison with ideal joints: {message}"),
        help: "`--no-baseline` skips it",
    }
}

fn no_ensemble(message: String) -> Warning {
    Warning {
        code: "G1302",
        joint: String::new(),
        message: format!("no ensemble: {message}"),
        help: "a start that differs by a nanometre cannot be assembled; move `[start]`",
    }
}

fn failed_members(report: &EnsembleReport) -> Option<Warning> {
    let (_, error) = report.failures.first()?;
    Some(Warning {
        code: "G1303",
        joint: String::new(),
        message: format!(
            "{} of {} perturbed runs failed and are not counted, the first with: {error}",
            report.failures.len(),
            report.runs
        ),
        help: error.help,
    })
}

fn many(
    job: &Job,
    runs: usize,
    terminal: &Terminal,
) -> Result<EnsembleReport, gudgeon::assembly::AssemblyError> {
    let options = EnsembleOptions { runs, seed: job.args.seed, jobs: job.args.jobs };
    let watch = terminal.watch("ensemble");
    ensemble(&job.loaded.model, &within_limits(job), options, &watch)
}

#[cfg(test)]
mod tests;
