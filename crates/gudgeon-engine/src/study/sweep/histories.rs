//! Time histories of single values.

use std::f64::consts::TAU;
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use gudgeon::assembly::assemble_requested;
use gudgeon::cpu;
use gudgeon::model::Model;
use gudgeon::progress::Progress;
use gudgeon::results::Status;
use gudgeon::run::{RunSpec, Until};
use gudgeon::simulate::{Observer, simulate};
use gudgeon::time::{TimeFunction, bisect};
use gudgeon_output::plot::Envelope;
use gudgeon_output::{Column, OutputError, SeriesFormat, SeriesWriter};
use gudgeon_study::file::{Interval, Sweep as Wanted};
use gudgeon_study::store::{SampleOutcome as Ended, install};
use gudgeon_study::turns::{instants, turned};

use super::super::tables::SaveError;
use super::super::{StudyJob, StudyOutcome, apart};
use super::{SweepResult, at, labels};

/// Pieces of a time history that is drawn.
const BUCKETS: usize = 800;
/// Steps between two looks at the clock.
const STEPS: u32 = 256;

pub struct History {
    pub value: f64,
    /// The value for people.
    pub label: String,
    /// The table in the result folder, or why there is none.
    pub file: Result<String, String>,
    /// The same reduced to what a picture shows, as far as it went.
    pub drawn: Option<Drawn>,
}

/// Writes all that are asked for, each as `sweep/<variable>_<value>.csv`.
pub fn all(
    job: &StudyJob,
    wanted: &Wanted,
    outcome: &mut StudyOutcome,
    result: &mut SweepResult,
) -> Result<(), String> {
    let variable = &job.study().variables[wanted.variable];
    let values = &wanted.histories;
    let numbers: Vec<f64> = values.iter().map(|value| value / variable.shown.factor).collect();
    let names = apart(&numbers).into_iter().map(|number| format!("{}_{number}.csv", variable.name));
    result.turns = values.iter().all(|value| counts_turns(job, wanted, *value));
    let labels = labels(job, wanted, values);
    for ((value, label), name) in values.iter().zip(labels).zip(names) {
        if !outcome.goes_on() {
            break;
        }
        let mut drawn = None;
        let written = history(job, wanted, *value, &name, result.turns, &mut drawn);
        match written.map_err(|error| error.to_string())? {
            Some(file) => result.histories.push(History { value: *value, label, file, drawn }),
            None => outcome.interrupted = true,
        }
    }
    Ok(())
}

/// Whether the driver by whose turns histories are shown only turns forward.
fn counts_turns(job: &StudyJob, wanted: &Wanted, value: f64) -> bool {
    let Some(Interval::Turn { driver, angle }) = wanted.show else { return false };
    let Ok((model, spec)) = at(job, wanted, value, &[]) else { return true };
    let Until::Time(end) = spec.until else { return false };
    instants(&model.drivers[driver.0], angle, end).is_ok()
}

/// The part of a time history that is drawn, over time or over revolutions of a driver.
pub struct Drawn {
    pub envelope: Envelope,
    driver: Option<TimeFunction>,
    from: f64,
    to: f64,
    /// The same as instants of the run.
    range: (Until, Until),
}

impl Drawn {
    fn new(model: &Model, spec: &RunSpec, wanted: &Wanted, turns: bool) -> Drawn {
        let driver = match wanted.show {
            Some(Interval::Turn { driver, .. }) if turns => {
                Some(model.drivers[driver.0].motion.clone())
            }
            _ => None,
        };
        let (start, span) = match (spec.measure_from, wanted.show) {
            (Until::JointAngle { .. }, _) => (0.0, None),
            (Until::Time(t), Some(Interval::Time(span))) => (t, Some(span)),
            (Until::Time(t), Some(Interval::Turn { angle, .. })) => {
                (t, turns.then_some(angle / TAU))
            }
            (Until::Time(t), None) => (t, None),
        };
        let from = place(driver.as_ref(), start);
        let to = span.map_or(f64::INFINITY, |span| from + span);
        let envelope = match span {
            Some(_) => Envelope::new(from, to, wanted.outputs.len()),
            None => Envelope::growing(from, from + 1.0, wanted.outputs.len()),
        };
        // A driver whose turns are counted only turns forward.
        let last = match spec.until {
            Until::Time(end) if span.is_some() => {
                Until::Time(bisect(start, end, |t| place(driver.as_ref(), t) < to))
            }
            until => until,
        };
        let range = (spec.measure_from, last);
        Drawn { envelope: envelope.with_detail(BUCKETS), driver, from, to, range }
    }

    /// First and last place of the horizontal axis.
    pub fn ends(&self) -> (f64, f64) {
        (self.from, self.to.min(self.envelope.end()))
    }

    fn push(&mut self, t: f64, values: &[f64]) {
        let x = place(self.driver.as_ref(), t);
        if (self.from..=self.to).contains(&x) {
            self.envelope.push(x, values);
        }
    }
}

/// An instant on the horizontal axis.
fn place(driver: Option<&TimeFunction>, t: f64) -> f64 {
    driver.map_or(t, |motion| turned(motion, t) / TAU)
}

/// Writes the outputs over time. Gives the file, or why there is none; nothing at all if it was
/// interrupted.
fn history(
    job: &StudyJob,
    wanted: &Wanted,
    value: f64,
    name: &str,
    turns: bool,
    drawn: &mut Option<Drawn>,
) -> Result<Option<Result<String, String>>, SaveError> {
    let outputs: Vec<&str> = wanted.outputs.iter().map(|output| &output.name[..]).collect();
    let start = at(job, wanted, value, &outputs).map_err(|error| error.to_string()).and_then(
        |(model, spec)| Ok((assemble_requested(&model).map_err(|error| error.to_string())?, spec)),
    );
    let (start, spec) = match start {
        Ok(start) => start,
        Err(cause) => return Ok(Some(Err(cause))),
    };
    let folder = job.shown.join("sweep");
    let partial = folder.join(".history.partial");
    let writer = writer(&partial, wanted)?;
    let kept = Drawn::new(&start.system.model, &spec, wanted, turns);
    let limit = job.study().time_limit;
    let (watch, progress) = (Watch::new(limit), job.progress);
    let mut rows = Rows { writer, drawn: kept, error: None, watch, progress };
    let report = simulate(&start, &spec, &mut rows);
    *drawn = Some(rows.drawn);
    rows.writer.finish()?;
    if let Some(error) = rows.error {
        return Err(error.into());
    }
    match (&report.status, rows.watch.late) {
        (Status::Interrupted, Some(limit)) => {
            return Ok(Some(Err(Ended::TimedOut { limit }.cause())));
        }
        (Status::Interrupted, None) => return Ok(None),
        (Status::Failed(error), _) => return Ok(Some(Err(error.to_string()))),
        (Status::Done, _) => {}
    }
    install(&partial.join("series.csv"), &folder.join(name))?;
    let _ = fs::remove_dir(&partial); // an empty folder does no harm
    Ok(Some(Ok(format!("sweep/{name}"))))
}

fn writer(folder: &Path, wanted: &Wanted) -> Result<SeriesWriter, SaveError> {
    let columns: Vec<Column> = std::iter::once(Column::time())
        .chain(wanted.outputs.iter().map(|output| Column::new(&output.name, &*output.unit, "")))
        .collect();
    fs::create_dir_all(folder).map_err(OutputError::io("create", folder))?;
    Ok(SeriesWriter::create(folder, &columns, &[SeriesFormat::Csv])?)
}

struct Rows<'a> {
    writer: SeriesWriter,
    drawn: Drawn,
    error: Option<OutputError>,
    watch: Watch,
    progress: &'a dyn Progress,
}

impl Observer for Rows<'_> {
    fn row(&mut self, t: f64, values: &[f64], _orbits: &[[f64; 2]]) -> ControlFlow<()> {
        let row: Vec<f64> = std::iter::once(t).chain(values.iter().copied()).collect();
        match self.writer.push(&row) {
            Ok(()) if self.progress.is_cancelled() => ControlFlow::Break(()),
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                self.error = Some(error);
                ControlFlow::Break(())
            }
        }
    }

    fn draws(&self) -> Option<(Until, Until)> {
        Some(self.drawn.range)
    }

    fn curve_point(&mut self, t: f64, values: &[f64]) {
        self.drawn.push(t, values);
    }

    fn progress(&mut self, _t: f64, _end: f64) -> ControlFlow<()> {
        let stops = self.progress.is_cancelled() || self.watch.is_late();
        if stops { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// Looks at the CPU time of a history.
struct Watch {
    started: f64,
    limit: Option<f64>,
    steps: u32,
    /// The limit, once it is passed.
    late: Option<f64>,
}

impl Watch {
    fn new(limit: Option<f64>) -> Watch {
        Watch { started: cpu::seconds(), limit, steps: 0, late: None }
    }

    fn is_late(&mut self) -> bool {
        self.steps = self.steps.wrapping_add(1);
        if self.steps.is_multiple_of(STEPS) {
            self.late = self.limit.filter(|limit| cpu::seconds() - self.started > *limit);
        }
        self.late.is_some()
    }
}
