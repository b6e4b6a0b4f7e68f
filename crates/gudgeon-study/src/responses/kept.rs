//! What a run keeps for measures.
//!
//! | measure                            | kept                                             |
//! |------------------------------------|--------------------------------------------------|
//! | `percentile`, `first`              | rows of their outputs, at every step             |
//! | `start`                            | the first row                                    |
//! | `at`                               | samples at their times                           |
//! | `turn_median`, `turn_max`, `turn_min` | samples that divide every turn evenly         |
//! | of a contact law                   | nothing: there need not be a run                 |
//!
//! All else stands in the report of the run. Nothing of this changes the run or the other measures.

use std::ops::ControlFlow;

use gudgeon::assembly::{AssemblyError, assemble_requested};
use gudgeon::model::Model;
use gudgeon::results::RunReport;
use gudgeon::run::{Every, RunSpec};
use gudgeon::sensor::Sensor;
use gudgeon::simulate::{Observer, simulate};

use super::instants::Instants;
use super::output::sensor;
use super::turns::{TurnPeaks, TurnWatch};
use super::{Measure, ResponseError, Rows, Statistic};

/// What is left of a run beside its report.
#[derive(Clone, Debug, PartialEq)]
pub struct Kept {
    /// All outputs at the first instant.
    pub start: Vec<f64>,
    pub rows: Rows,
    pub instants: Instants,
    /// Or why turns cannot be told.
    pub turns: Result<TurnPeaks, ResponseError>,
}

/// Prepares a run for measures: adds the outputs that it lacks, and records no more than they need.
pub fn prepare<'a>(
    measures: impl Iterator<Item = &'a Measure> + Clone,
    model: &Model,
    spec: &mut RunSpec,
) -> Result<(), ResponseError> {
    for output in measures.clone().flat_map(Measure::outputs) {
        if !spec.outputs.iter().any(|sensor| sensor.name == *output) {
            spec.outputs.push(sensor(model, output)?);
        }
    }
    // Whatever rows the model asks for: its tables are not written.
    let is_idle = columns(measures, &spec.outputs, reads_rows).is_empty();
    spec.every = if is_idle { Every::Interval(f64::INFINITY) } else { Every::Steps };
    spec.pressure_at.clear();
    Ok(())
}

/// One run of a mechanism, with what measures need of it; `stop` ends it early.
pub fn measured_run<'a>(
    measures: impl Iterator<Item = &'a Measure> + Clone,
    model: &Model,
    spec: &RunSpec,
    stop: &dyn Fn() -> bool,
) -> Result<(RunReport, Kept), AssemblyError> {
    let start = assemble_requested(model)?;
    let rows = Rows::keeping(columns(measures.clone(), &spec.outputs, reads_rows));
    let instants = Instants::of(measures.clone());
    let turns = match columns(measures, &spec.outputs, reads_turns) {
        none if none.is_empty() => None,
        outputs => Some(TurnWatch::new(model, spec, outputs)),
    };
    let mut recorder = Recorder { stop, start: Vec::new(), rows, instants, turns };
    let report = simulate(&start, spec, &mut recorder);
    let Recorder { start, rows, instants, turns, .. } = recorder;
    let turns = turns.map_or(Ok(TurnPeaks::default()), |turns| turns.map(TurnWatch::finish));
    Ok((report, Kept { start, rows, instants, turns }))
}

fn reads_rows(measure: &Measure) -> bool {
    match measure {
        Measure::Output { statistic, .. } => matches!(statistic, Statistic::Percentile(_)),
        Measure::First { .. } => true,
        _ => false,
    }
}

fn reads_turns(measure: &Measure) -> bool {
    matches!(measure, Measure::Output { statistic: Statistic::Turns(_), .. })
}

/// Numbers of the outputs that some of the measures read, each once.
fn columns<'a>(
    measures: impl Iterator<Item = &'a Measure>,
    outputs: &[Sensor],
    reads: fn(&Measure) -> bool,
) -> Vec<usize> {
    let read = measures.filter(|measure| reads(measure)).flat_map(Measure::outputs);
    let mut columns = Vec::new();
    for output in read {
        if let Some(index) = outputs.iter().position(|sensor| sensor.name == *output)
            && !columns.contains(&index)
        {
            columns.push(index);
        }
    }
    columns
}

struct Recorder<'a> {
    stop: &'a dyn Fn() -> bool,
    start: Vec<f64>,
    rows: Rows,
    instants: Instants,
    turns: Option<Result<TurnWatch, ResponseError>>,
}

impl Recorder<'_> {
    fn next_of_turns(&self) -> f64 {
        match &self.turns {
            Some(Ok(turns)) => turns.next(),
            _ => f64::INFINITY,
        }
    }

    fn flow(&self) -> ControlFlow<()> {
        if (self.stop)() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

impl Observer for Recorder<'_> {
    fn row(&mut self, t: f64, values: &[f64], _orbits: &[[f64; 2]]) -> ControlFlow<()> {
        if self.start.is_empty() {
            self.start = values.to_vec();
            if let Some(Ok(turns)) = &mut self.turns {
                turns.take(values);
            }
            if self.instants.next() <= t {
                self.instants.take(values);
            }
        }
        self.rows.push(t, values);
        ControlFlow::Continue(())
    }

    fn next_sample(&self) -> f64 {
        self.instants.next().min(self.next_of_turns())
    }

    fn sample(&mut self, _t: f64, values: &[f64]) -> ControlFlow<()> {
        let (instant, turn) = (self.instants.next(), self.next_of_turns());
        if instant <= turn {
            self.instants.take(values);
        }
        if turn <= instant
            && let Some(Ok(turns)) = &mut self.turns
        {
            turns.take(values);
        }
        self.flow()
    }

    fn progress(&mut self, _t: f64, _end: f64) -> ControlFlow<()> {
        self.flow()
    }
}
