//! One-parameter sweeps: the states of a mechanism once per period, for bifurcation diagrams.
//!
//! The outputs are taken at multiples of a period from the dense output of the run, after a number of
//! periods that belong to the transient.

use std::ops::ControlFlow;

use gudgeon::assembly::assemble;
use gudgeon::model::Model;
use gudgeon::results::Status;
use gudgeon::run::{RunSpec, Until};
use gudgeon::sensor::Sensor;
use gudgeon::simulate::{Observer, simulate};

use crate::periods::{PeriodOptions, Regime, detect};
use crate::runner::{Answer, Patience, RunnerOptions, SampleFailure, Simulator, run_in_memory};
use crate::store::{Column, Outcome};

/// When a run is looked at: after `skip` periods, `count` times.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Strobe {
    /// s
    pub period: f64,
    pub skip: usize,
    pub count: usize,
}

/// What was seen.
#[derive(Clone, Debug, PartialEq)]
pub struct Strobed {
    /// The outputs at each instant.
    pub states: Vec<Vec<f64>>,
    /// Largest minus smallest value of each output, between the instants too.
    pub ranges: Vec<f64>,
}

/// Runs a mechanism and looks at the outputs of `spec` once per period. How long the run lasts, where
/// it measures and what it records is set by the strobe.
pub fn strobe(
    model: &Model,
    spec: &RunSpec,
    strobe: Strobe,
    stop: &dyn Fn() -> bool,
) -> Result<Strobed, SampleFailure> {
    if !(strobe.period > 0.0 && strobe.period.is_finite()) || strobe.count == 0 {
        return Err(SampleFailure::failed("a sweep needs a period and at least one instant"));
    }
    let spec = RunSpec {
        until: Until::Time((strobe.skip + strobe.count) as f64 * strobe.period),
        measure_from: Until::Time(strobe.skip as f64 * strobe.period),
        every: Some(strobe.period),
        loops: Vec::new(),
        ..spec.clone()
    };
    let start = assemble(model).map_err(SampleFailure::failed)?;
    let mut watch = Watch { strobe, rows: 0, states: Vec::new(), patience: Patience::new(stop) };
    let report = simulate(&start, &spec, &mut watch);
    match report.status {
        Status::Done => {}
        Status::Interrupted => return Err(SampleFailure::Stopped),
        Status::Failed(error) => return Err(SampleFailure::failed(error)),
    }
    let ranges = report.extremes.iter().map(|e| e.max - e.min).collect();
    Ok(Strobed { states: watch.states, ranges })
}

struct Watch<'a> {
    strobe: Strobe,
    rows: usize,
    states: Vec<Vec<f64>>,
    patience: Patience<'a>,
}

impl Observer for Watch<'_> {
    /// Rows come at 0, T, 2T, …
    fn row(&mut self, _t: f64, values: &[f64], _orbits: &[[f64; 2]]) -> ControlFlow<()> {
        if self.rows > self.strobe.skip && self.states.len() < self.strobe.count {
            self.states.push(values.to_vec());
        }
        self.rows += 1;
        ControlFlow::Continue(())
    }

    fn progress(&mut self, _t: f64, _end: f64) -> ControlFlow<()> {
        self.patience.step()
    }
}

/// A mechanism seen under a strobe, as a simulator: its values are the states, instant after instant,
/// then the ranges.
#[derive(Clone, Debug)]
pub struct Sweep<B> {
    /// Mechanism, run and strobe of a value of the swept parameter.
    pub build: B,
}

impl<B> Simulator for Sweep<B>
where
    B: Fn(f64) -> Result<(Model, RunSpec, Strobe), SampleFailure> + Sync,
{
    fn run(
        &self,
        point: &[f64],
        _seed: u64,
        stop: &dyn Fn() -> bool,
    ) -> Result<Answer, SampleFailure> {
        let (model, spec, when) = (self.build)(point[0])?;
        Ok(strobe(&model, &spec, when, stop)?.flat().into())
    }
}

impl Strobed {
    fn flat(&self) -> Vec<f64> {
        self.states.iter().flatten().chain(&self.ranges).copied().collect()
    }

    /// From the values of a sample of a [`Sweep`] over so many outputs.
    pub fn from_values(values: &[f64], outputs: usize) -> Self {
        let (states, ranges) = values.split_at(values.len().saturating_sub(outputs));
        let states = states.chunks_exact(outputs.max(1)).map(<[f64]>::to_vec).collect();
        Self { states, ranges: ranges.to_vec() }
    }
}

/// The columns of a sweep in a result table.
pub fn columns(outputs: &[Sensor], count: usize) -> Vec<Column> {
    let states = (1..=count).flat_map(|k| outputs.iter().map(move |o| (o, k.to_string())));
    let ranges = outputs.iter().map(|o| (o, "range".to_owned()));
    let column = |(o, what): (&Sensor, String)| Column::new(&format!("{} {what}", o.name), o.unit);
    states.chain(ranges).map(column).collect()
}

/// A value of the swept parameter and what the mechanism does there.
#[derive(Clone, Debug, PartialEq)]
pub struct SweepPoint {
    pub value: f64,
    /// States and regime, or why there are none.
    pub seen: Result<(Strobed, Regime), String>,
}

/// Sweeps a parameter on all cores, without a result folder. `outputs` and `count` are those of every
/// run. Values that were cancelled are left out.
pub fn sweep(
    simulator: &dyn Simulator,
    values: &[f64],
    outputs: &[Sensor],
    count: usize,
    periods: PeriodOptions,
    options: &RunnerOptions,
) -> Vec<SweepPoint> {
    let points: Vec<Vec<f64>> = values.iter().map(|value| vec![*value]).collect();
    let names: Vec<String> = columns(outputs, count).into_iter().map(|c| c.name).collect();
    let outcomes = run_in_memory(simulator, &points, &names, options);
    let seen = |outcome: Outcome| match outcome {
        Outcome::Done(values) => {
            let strobed = Strobed::from_values(&values, outputs.len());
            let regime = detect(&strobed.states, Some(&strobed.ranges), periods);
            regime.map(|regime| (strobed, regime)).map_err(|error| error.to_string())
        }
        other => Err(other.cause()),
    };
    let found = values.iter().zip(outcomes);
    found.filter_map(|(&value, o)| o.map(|o| SweepPoint { value, seen: seen(o) })).collect()
}
