//! What one variant gives, whatever its analysis: values by name, what is drawn of them, what they took.
//!
//! | analysis | values | drawn |
//! |---|---|---|
//! | motion, ked | extremes of the outputs | outputs over time |
//! | static | outputs at rest, or their extremes along the path | outputs over the parameter |
//! | modal | frequencies, `frequency 1` the lowest | frequencies over their numbers |
//!
//! With `ked` a static analysis gives what the loads hold at rest by the linear theory, and a modal one the frequencies of
//! the linkage in its rigid start.

use gudgeon::equilibrium::{PathReport, StaticReport};
use gudgeon::ked::StartFrom;
use gudgeon::modal::ModalReport;
use gudgeon::progress::Progress;
use gudgeon::results::{Extreme, RunReport, Status as Ended, Warning};
use gudgeon::run::Until;
use gudgeon::sensor::Sensor;
use gudgeon_model::{Analysis, Loaded};
use gudgeon_output::record::Status;

use super::theory::{FEEDBACK, Theory};
use super::{Excluded, refused};
use crate::analysis::{AnalysisJob, Found};
use crate::run::{RunJob, Series};

/// Frequencies below this share of the highest are those of free motions.
const FREE: f64 = 1e-6;
/// Values below this in SI units are rounding of zero.
const NOTHING: f64 = 1e-15;

/// A variant that ran.
#[derive(Debug)]
pub struct Done {
    pub loaded: Loaded,
    pub values: Vec<Extreme>,
    pub drawn: Drawn,
    pub warnings: Vec<Warning>,
    pub theory: Theory,
    /// Elements per flexible link in the end.
    pub elements: Vec<(String, usize)>,
    /// Whether the mesh converged, where that was asked for, with the last change of a value.
    pub converged: Option<(bool, f64)>,
    /// CPU time of integration or analysis, s.
    pub cpu: f64,
    pub steps: Option<u64>,
}

/// What a picture shows of a variant.
#[derive(Debug)]
pub enum Drawn {
    Nothing,
    OverTime(Series),
    /// Points with all outputs over a parameter and its unit.
    Path {
        parameter: (String, String),
        points: Vec<(f64, Vec<f64>)>,
    },
    /// Hz.
    Frequencies(Vec<f64>),
}

impl Done {
    /// The largest magnitude of an output and its time.
    pub fn largest(&self, output: &str) -> Option<(f64, f64)> {
        let extreme = self.values.iter().find(|extreme| extreme.name == output)?;
        let (value, t) = extreme.abs_max();
        Some((if value < NOTHING { 0.0 } else { value }, t))
    }

    /// About which state it holds, where nothing moves.
    fn stands_at(&mut self, state: String) {
        self.theory.remove(FEEDBACK);
        self.theory.add("state", state);
    }

    fn new(loaded: Loaded, found: Values) -> Done {
        let links = loaded.model.bodies.iter();
        let links = links.filter_map(|b| Some((b.name.clone(), b.flexible.as_ref()?.elements)));
        Done {
            elements: links.collect(),
            theory: Theory::of(&loaded),
            values: found.values,
            drawn: found.drawn,
            warnings: found.warnings,
            cpu: found.cpu,
            steps: found.steps,
            converged: None,
            loaded,
        }
    }
}

/// What an analysis gives.
struct Values {
    values: Vec<Extreme>,
    drawn: Drawn,
    warnings: Vec<Warning>,
    cpu: f64,
    steps: Option<u64>,
}

/// What stays `ked` of an analysis without motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AtRest {
    Deflections,
    /// So many at most.
    Frequencies(usize),
}

/// Runs a motion, or an analysis.
pub(super) fn run(job: RunJob, progress: &dyn Progress) -> Result<Done, Excluded> {
    match &job.loaded.analysis {
        Analysis::Motion | Analysis::Ked => motion(job, progress),
        Analysis::Static(_) | Analysis::Modal(_) | Analysis::Response(_) | Analysis::Bearing(_) => {
            analysis(job.into(), progress)
        }
    }
}

fn motion(job: RunJob, progress: &dyn Progress) -> Result<Done, Excluded> {
    let run = job.run(progress);
    ended(&run.report)?;
    let report = run.report;
    let steps = report.ked.as_ref().map_or(report.solver.statistics.steps, |ked| ked.steps);
    let found = Values {
        cpu: report.solver.cpu.integration(),
        steps: Some(steps),
        values: report.extremes,
        drawn: run.series.map_or(Drawn::Nothing, Drawn::OverTime),
        warnings: report.warnings,
    };
    Ok(Done::new(job.loaded, found))
}

fn ended(report: &RunReport) -> Result<(), Excluded> {
    match &report.status {
        Ended::Done => Ok(()),
        Ended::Interrupted => Err(interrupted()),
        Ended::Failed(error) => Err(Excluded {
            status: Status::Failed,
            why: error.to_string(),
            help: Some(error.help.to_string()),
        }),
    }
}

fn interrupted() -> Excluded {
    Excluded { status: Status::Interrupted, why: "interrupted".to_owned(), help: None }
}

fn analysis(job: AnalysisJob, progress: &dyn Progress) -> Result<Done, Excluded> {
    let started = gudgeon::cpu::seconds();
    let outcome = job.run(progress);
    let cpu = gudgeon::cpu::seconds() - started;
    if outcome.interrupted {
        return Err(interrupted());
    }
    if let Some(mistake) = outcome.found.failure() {
        return Err(Excluded { status: Status::Failed, why: mistake.message, help: mistake.help });
    }
    let warnings = outcome.found.warnings();
    let (sensors, state) = (&job.loaded.run.outputs, format!("the {}", job.about()));
    let (values, drawn, steps) = match outcome.found {
        Found::Rest(Ok(report)) => rest(sensors, &report),
        Found::Path(Ok(report)) => path(&job, sensors, report),
        Found::Modes(Ok(report)) => modes(&report),
        Found::Rest(Err(_)) | Found::Path(Err(_)) | Found::Modes(Err(_)) => nothing(),
        Found::Varied(_) | Found::Response(_) => nothing(),
    };
    let mut done = Done::new(job.loaded, Values { values, drawn, warnings, cpu, steps });
    done.stands_at(state);
    Ok(done)
}

type Parts = (Vec<Extreme>, Drawn, Option<u64>);

fn nothing() -> Parts {
    (Vec::new(), Drawn::Nothing, None)
}

/// An output of an analysis, which has no time, from its smallest to its largest value.
fn between(name: &str, unit: &str, min: f64, max: f64) -> Extreme {
    let (mean, rms) = if min == max { (min, min.abs()) } else { (f64::NAN, f64::NAN) };
    Extreme {
        name: name.to_owned(),
        unit: unit.to_owned().into(),
        min,
        t_min: f64::NAN,
        max,
        t_max: f64::NAN,
        rms,
        mean,
        mean_error: 0.0,
        rms_error: 0.0,
    }
}

fn rest(sensors: &[Sensor], report: &StaticReport) -> Parts {
    let one =
        |(sensor, value): (&Sensor, &f64)| between(&sensor.name, &sensor.unit, *value, *value);
    let values = sensors.iter().zip(&report.outputs).map(one).collect();
    (values, Drawn::Nothing, Some(report.steps as u64))
}

fn path(job: &AnalysisJob, sensors: &[Sensor], report: PathReport) -> Parts {
    let points: Vec<(f64, Vec<f64>)> =
        report.points.into_iter().map(|(point, values)| (point.value, values)).collect();
    let extreme = |(i, sensor): (usize, &Sensor)| {
        let values = points.iter().map(|(_, values)| values[i]);
        let [min, max] = [f64::min, f64::max].map(|f| values.clone().fold(f64::NAN, f));
        between(&sensor.name, &sensor.unit, min, max)
    };
    let values = sensors.iter().enumerate().map(extreme).collect();
    let parameter = job
        .vary()
        .map_or_else(Default::default, |vary| (vary.parameter.clone(), job.unit(vary).to_owned()));
    (values, Drawn::Path { parameter, points }, Some(report.steps as u64))
}

fn modes(report: &ModalReport) -> Parts {
    let mut all: Vec<f64> = report.modes.iter().map(|mode| mode.frequency).collect();
    all.sort_by(f64::total_cmp);
    (frequencies(&mut all), Drawn::Frequencies(all), None)
}

/// As outputs, those of free motions exactly zero.
fn frequencies(all: &mut [f64]) -> Vec<Extreme> {
    let highest = all.last().copied().unwrap_or(0.0);
    for frequency in all.iter_mut().filter(|frequency| **frequency < FREE * highest) {
        *frequency = 0.0;
    }
    let one = |(i, f): (usize, &f64)| between(&format!("frequency {}", i + 1), "Hz", *f, *f);
    all.iter().enumerate().map(one).collect()
}

/// The linear theory of links about the rigid start, in place of an analysis.
pub(super) fn at_rest(
    mut job: RunJob,
    of: AtRest,
    progress: &dyn Progress,
) -> Result<Done, Excluded> {
    if of == AtRest::Deflections && job.assembly.report.mobility > 0 {
        return Err(refused(
            "the rigid mechanism can move, so that its loads do not hold it at its start",
            "hold it by drivers or joints",
        ));
    }
    let run = &mut job.loaded.run;
    (run.until, run.measure_from) = (Until::Time(0.0), Until::Time(0.0));
    if let (AtRest::Deflections, Some(ked)) = (of, &mut run.ked) {
        ked.start = StartFrom::QuasiStatic;
    }
    let outcome = job.run(progress);
    ended(&outcome.report)?;
    let report = outcome.report;
    let cpu = report.solver.cpu.integration();
    let (values, drawn) = match of {
        AtRest::Deflections => {
            let pairs = job.loaded.run.outputs.iter().zip(&report.final_values);
            (pairs.map(|(s, x)| between(&s.name, &s.unit, *x, *x)).collect(), Drawn::Nothing)
        }
        AtRest::Frequencies(most) => {
            let mut all = report.ked.map_or_else(Vec::new, |ked| ked.frequencies);
            all.truncate(most);
            (frequencies(&mut all), Drawn::Frequencies(all))
        }
    };
    let mut done =
        Done::new(job.loaded, Values { values, drawn, warnings: Vec::new(), cpu, steps: None });
    done.stands_at("the start".to_owned());
    Ok(done)
}
