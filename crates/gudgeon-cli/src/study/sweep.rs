//! One variable through its range: responses, time histories, states once per period.

use std::f64::consts::TAU;
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use gudgeon::assembly::assemble;
use gudgeon::model::Model;
use gudgeon::results::Status;
use gudgeon::run::{RunSpec, Until};
use gudgeon::simulate::{Observer, simulate};
use gudgeon_model::study::{Bifurcation, Interval, Sweep as Wanted};
use gudgeon_output::plot::Envelope;
use gudgeon_output::{Column, OutputError, SeriesFormat, SeriesWriter};
use gudgeon_study::periods::{PeriodOptions, Regime, detect};
use gudgeon_study::runner::SampleFailure;
use gudgeon_study::store::{Column as Value, Plan, install};
use gudgeon_study::sweep::{Strobe, Strobed, Sweep};

use super::responses::{Built, built};
use super::runs::{Answer, Stop};
use super::tables::SaveError;
use super::{Job, Outcome, Runs, responses};
use crate::interrupt;
use crate::terminal::Terminal;

/// Longest period looked for, as far as there are states enough.
const LONGEST: usize = 16;
/// Pieces of a time history that is drawn.
const BUCKETS: usize = 800;

pub struct SweepResult {
    /// Index of the variable.
    pub variable: usize,
    /// Value of the variable and values of the responses, or why there are none.
    pub points: Vec<(f64, Answer)>,
    pub bifurcation: Option<Vec<Branch>>,
    /// Files of the time histories in the result folder, by value of the variable.
    pub histories: Vec<(f64, Result<String, String>)>,
    /// The same reduced to what a picture shows, as far as they went.
    pub curves: Vec<(f64, Option<Drawn>)>,
}

/// The part of a time history that is drawn.
pub struct Drawn {
    pub envelope: Envelope,
    /// Time of a revolution where these are counted, s.
    pub revolution: Option<f64>,
    /// s
    from: f64,
    to: f64,
}

impl Drawn {
    fn new(model: &Model, spec: &RunSpec, wanted: &Wanted) -> Drawn {
        let from = instant(model, spec.measure_from);
        let (from, known) = if from.is_finite() { (from, true) } else { (0.0, false) };
        let span = wanted.show.filter(|_| known).and_then(|show| seconds(model, show).ok());
        let to = span.map_or(f64::INFINITY, |span| from + span);
        let envelope = match span {
            Some(_) => Envelope::new(from, to, wanted.outputs.len()),
            None => Envelope::growing(from, from + 1.0, wanted.outputs.len()),
        };
        let revolution = match (wanted.show, span) {
            (Some(Interval::Turn { angle, .. }), Some(span)) => Some(span * TAU / angle),
            _ => None,
        };
        Drawn { envelope: envelope.with_detail(BUCKETS), revolution, from, to }
    }

    /// Seconds of a unit of the horizontal axis.
    pub fn unit(&self, turns: bool) -> f64 {
        self.revolution.filter(|_| turns).unwrap_or(1.0)
    }

    /// First and last place of the horizontal axis.
    pub fn ends(&self, turns: bool) -> (f64, f64) {
        let last = self.to.min(self.envelope.end());
        (self.from / self.unit(turns), last / self.unit(turns))
    }

    fn push(&mut self, t: f64, values: &[f64]) {
        if (self.from..=self.to).contains(&t) {
            self.envelope.push(t, values);
        }
    }
}

/// The states once per period at one value.
pub struct Branch {
    pub value: f64,
    pub states: Result<Vec<f64>, String>,
    /// `None` if there are too few states to tell.
    pub regime: Option<Regime>,
}

pub fn sweep(job: &Job, terminal: &Terminal, outcome: &mut Outcome) {
    let Some(wanted) = &job.study().sweep else { return };
    match try_sweep(job, wanted, terminal, outcome) {
        // Half a sweep would read as one that failed.
        Ok(result) => outcome.sweep = outcome.goes_on().then_some(result),
        Err(message) => outcome.fail(message),
    }
}

fn try_sweep(
    job: &Job,
    wanted: &Wanted,
    terminal: &Terminal,
    outcome: &mut Outcome,
) -> Result<SweepResult, String> {
    let folder = job.shown.join("sweep");
    let swept = &job.plan.variables[wanted.variable];
    let plan = Plan { variables: vec![swept.clone()], ..job.plan_of("sweep") };
    let simulator = responses::swept(&job.loaded, wanted.variable);
    let bar = terminal.progress("sweep");
    let count = wanted.values.len();
    let mut runs = Runs::open(&simulator, &folder, &plan, job.options(), bar, count)?;
    let rows: Vec<Vec<f64>> = wanted.values.iter().map(|value| vec![*value]).collect();
    let points = wanted.values.iter().copied().zip(runs.evaluate(&rows)).collect();
    outcome.stop(runs.finish());
    let mut result = SweepResult {
        variable: wanted.variable,
        points,
        bifurcation: None,
        histories: Vec::new(),
        curves: Vec::new(),
    };
    if let (true, Some(bifurcation)) = (outcome.goes_on(), &wanted.bifurcation) {
        let (branches, stop) = branches(job, wanted, bifurcation, &plan, terminal)?;
        result.bifurcation = Some(branches);
        outcome.stop(stop);
    }
    for value in &wanted.histories {
        if !outcome.goes_on() {
            break;
        }
        let mut curves = None;
        match history(job, wanted, *value, &folder, &mut curves) {
            Ok(Some(file)) => result.histories.push((*value, file)),
            Ok(None) => outcome.interrupted = true,
            Err(error) => outcome.fail(error.to_string()),
        }
        result.curves.push((*value, curves));
    }
    Ok(result)
}

/// Model and run at a value, with outputs of one's own.
fn at(job: &Job, wanted: &Wanted, value: f64, outputs: &[&str]) -> Built {
    built(job.loaded.load_with(&[(wanted.variable, value)], outputs))
}

fn branches(
    job: &Job,
    wanted: &Wanted,
    bifurcation: &Bifurcation,
    plan: &Plan,
    terminal: &Terminal,
) -> Result<(Vec<Branch>, Option<Stop>), String> {
    let output = bifurcation.output.name.as_str();
    let counted = wanted.values.iter().filter_map(|value| {
        let (model, spec) = at(job, wanted, *value, &[output]).ok()?;
        Some(strobe(&model, &spec, bifurcation).ok()?.count)
    });
    // The table has as many columns for every value.
    let count = counted.min().ok_or("no value of the sweep gives states once per period")?;
    let build = |value: f64| {
        let (model, spec) = at(job, wanted, value, &[output])?;
        let strobe = Strobe { count, ..strobe(&model, &spec, bifurcation)? };
        Ok::<_, SampleFailure>((model, spec, strobe))
    };
    let unit = bifurcation.output.unit;
    let mut values: Vec<Value> =
        (1..=count).map(|k| Value::new(&format!("{output} {k}"), unit)).collect();
    values.push(Value::new(&format!("{output} range"), unit));
    let plan = Plan { values, description: format!("{bifurcation:?}"), ..plan.clone() };
    let folder = job.shown.join("bifurcation");
    let (simulator, bar) = (Sweep { build }, terminal.progress("periods"));
    let expected = wanted.values.len();
    let mut runs = Runs::open(&simulator, &folder, &plan, job.options(), bar, expected)?;
    let rows: Vec<Vec<f64>> = wanted.values.iter().map(|value| vec![*value]).collect();
    let answers = runs.evaluate(&rows);
    let found = wanted.values.iter().zip(answers).map(|(value, answer)| branch(*value, answer));
    let found = found.collect();
    Ok((found, runs.finish()))
}

fn branch(value: f64, answer: Answer) -> Branch {
    let strobed = answer.map(|values| Strobed::from_values(&values, 1));
    let regime = strobed.as_ref().ok().and_then(|strobed| {
        let longest = LONGEST.min(strobed.states.len() / 3);
        let options = PeriodOptions { longest, ..PeriodOptions::default() };
        if longest == 0 {
            return None;
        }
        detect(&strobed.states, Some(&strobed.ranges), options).ok()
    });
    let states = strobed.map(|strobed| strobed.states.concat());
    Branch { value, states, regime }
}

/// When a run is looked at: from `skip` to its end, once per period.
fn strobe(model: &Model, spec: &RunSpec, wanted: &Bifurcation) -> Result<Strobe, SampleFailure> {
    let period = seconds(model, wanted.every)?;
    let skip = (seconds(model, wanted.skip)? / period - 1e-9).ceil().max(0.0) as usize;
    let end = instant(model, spec.until);
    let count = (end / period + 1e-9).floor() - skip as f64;
    if !(count >= 1.0 && count.is_finite()) {
        let message = "the run is too short for states once per period after `skip`";
        return Err(SampleFailure::failed(message));
    }
    Ok(Strobe { period, skip, count: count as usize })
}

/// When a driven joint has turned so far at its first speed; infinite or not a number if it does not
/// turn.
fn instant(model: &Model, until: Until) -> f64 {
    match until {
        Until::Time(t) => t,
        Until::JointAngle { joint, angle } => {
            let driver = model.drivers.iter().find(|driver| driver.joint == joint);
            let rate = driver.map_or(0.0, |driver| driver.motion.jet(0.0, 0.0).rate.abs());
            angle / rate
        }
    }
}

fn seconds(model: &Model, interval: Interval) -> Result<f64, SampleFailure> {
    let seconds = match interval {
        Interval::Time(time) => time,
        Interval::Turn { driver, angle } => {
            angle / model.drivers[driver.0].motion.jet(0.0, 0.0).rate.abs()
        }
    };
    match seconds.is_finite() {
        true => Ok(seconds),
        false => Err(SampleFailure::failed("the driver does not turn")),
    }
}

/// Writes the outputs over time as `sweep/<variable>_<value>.csv`. Gives the file, or why there is
/// none; nothing at all if it was interrupted.
fn history(
    job: &Job,
    wanted: &Wanted,
    value: f64,
    folder: &Path,
    curves: &mut Option<Drawn>,
) -> Result<Option<Result<String, String>>, SaveError> {
    let outputs: Vec<&str> = wanted.outputs.iter().map(|output| &output.name[..]).collect();
    let start = at(job, wanted, value, &outputs)
        .map_err(|error| error.to_string())
        .and_then(|(model, spec)| Ok((assemble(&model).map_err(|error| error.to_string())?, spec)));
    let (start, spec) = match start {
        Ok(start) => start,
        Err(cause) => return Ok(Some(Err(cause))),
    };
    let columns: Vec<Column> = std::iter::once(Column::time())
        .chain(wanted.outputs.iter().map(|output| Column::new(&output.name, output.unit, "")))
        .collect();
    let partial = folder.join(".history.partial");
    fs::create_dir_all(&partial).map_err(OutputError::io("create", &partial))?;
    let writer = SeriesWriter::create(&partial, &columns, &[SeriesFormat::Csv])?;
    let drawn = Drawn::new(&start.system.model, &spec, wanted);
    let mut rows = Rows { writer, drawn, error: None };
    let report = simulate(&start, &spec, &mut rows);
    *curves = Some(rows.drawn);
    rows.writer.finish()?;
    if let Some(error) = rows.error {
        return Err(error.into());
    }
    match &report.status {
        Status::Interrupted => return Ok(None),
        Status::Failed(error) => return Ok(Some(Err(error.to_string()))),
        Status::Done => {}
    }
    let variable = &job.study().variables[wanted.variable];
    let shown = super::four_digits(value / variable.shown.factor);
    let name = format!("{}_{shown}.csv", variable.name);
    install(&partial.join("series.csv"), &folder.join(&name))?;
    let _ = fs::remove_dir(&partial); // an empty folder does no harm
    Ok(Some(Ok(format!("sweep/{name}"))))
}

struct Rows {
    writer: SeriesWriter,
    drawn: Drawn,
    error: Option<OutputError>,
}

impl Observer for Rows {
    fn row(&mut self, t: f64, values: &[f64], _orbits: &[[f64; 2]]) -> ControlFlow<()> {
        self.drawn.push(t, values);
        let row: Vec<f64> = std::iter::once(t).chain(values.iter().copied()).collect();
        match self.writer.push(&row) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                self.error = Some(error);
                ControlFlow::Break(())
            }
        }
    }

    fn progress(&mut self, _t: f64, _end: f64) -> ControlFlow<()> {
        if interrupt::requested() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
