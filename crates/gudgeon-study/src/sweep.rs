//! One-parameter sweeps: the states of a mechanism once per period, for bifurcation diagrams.
//!
//! The outputs are taken from the dense output of the run at the instants of a poincare_section. Whether the
//! motion repeats is told by the whole state of the mechanism at the same instants, whatever the
//! outputs are.

use std::ops::ControlFlow;

use gudgeon::assembly::assemble_requested;
use gudgeon::model::Model;
use gudgeon::results::Status;
use gudgeon::run::{RunSpec, Until};
use gudgeon::simulate::{Observer, simulate};

use crate::periods::{Regime, Verdict};
use crate::runner::{Answer, Patience, SampleFailure, Simulator};
use crate::state::WholeState;
use crate::store::Column;

/// What was seen.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    /// The outputs at each instant.
    pub states: Vec<Vec<f64>>,
    /// How the mechanism repeats.
    pub verdict: Verdict,
}

/// Runs a mechanism and looks at the outputs of `spec` at rising instants, s. How long the run lasts
/// and what it records is set by them.
pub fn poincare_section(
    model: &Model,
    spec: &RunSpec,
    instants: &[f64],
    stop: &dyn Fn() -> bool,
) -> Result<Seen, SampleFailure> {
    let rising = instants.windows(2).all(|pair| pair[0] < pair[1]);
    let (Some(first), Some(last), true) = (instants.first(), instants.last(), rising) else {
        return Err(SampleFailure::failed("a sweep needs rising instants, at least one"));
    };
    let whole = WholeState::of(model);
    let outputs = spec.outputs.len();
    let spec = RunSpec {
        until: Until::Time(*last),
        measure_from: Until::Time(f64::INFINITY), // nobody reads extremes
        outputs: spec.outputs.iter().chain(&whole.sensors).cloned().collect(),
        loops: Vec::new(),
        pressure_at: Vec::new(),
        ..spec.clone()
    };
    let start = assemble_requested(model).map_err(SampleFailure::failed)?;
    let mut watch = Watch { instants, rows: Vec::new(), patience: Patience::new(stop) };
    let report = simulate(&start, &spec, &mut watch);
    match report.status {
        Status::Done => {}
        Status::Interrupted => return Err(SampleFailure::Stopped),
        Status::Failed(error) => return Err(SampleFailure::failed(error)),
    }
    let rows = watch.rows.iter().skip(1).take(instants.len());
    let (states, wholes): (Vec<Vec<f64>>, Vec<Vec<f64>>) =
        rows.map(|row| (row[..outputs].to_vec(), whole.components(&row[outputs..]))).unzip();
    let period =
        if instants.len() > 1 { (last - first) / (instants.len() - 1) as f64 } else { *first };
    let scales = whole.scales(&wholes, period);
    let verdict = Verdict::of(&wholes, &scales).map_err(SampleFailure::failed)?;
    Ok(Seen { states, verdict })
}

struct Watch<'a> {
    instants: &'a [f64],
    /// The start, then one row for every instant.
    rows: Vec<Vec<f64>>,
    patience: Patience<'a>,
}

impl Observer for Watch<'_> {
    fn row(&mut self, _t: f64, values: &[f64], _orbits: &[[f64; 2]]) -> ControlFlow<()> {
        self.rows.push(values.to_vec());
        ControlFlow::Continue(())
    }

    fn instant(&self, row: u64) -> Option<f64> {
        let index = usize::try_from(row - 1).ok();
        Some(index.and_then(|i| self.instants.get(i)).copied().unwrap_or(f64::INFINITY))
    }

    fn progress(&mut self, _t: f64, _end: f64) -> ControlFlow<()> {
        self.patience.step()
    }
}

/// A mechanism seen under a poincare_section, as a simulator; [`columns`] tells its values.
#[derive(Clone, Debug)]
pub struct Sweep<B> {
    /// Mechanism, run and instants of a value of the swept parameter.
    pub build: B,
    /// Most instants of any value; where there are fewer, the last columns have no number.
    pub count: usize,
}

impl<B> Simulator for Sweep<B>
where
    B: Fn(f64) -> Result<(Model, RunSpec, Vec<f64>), SampleFailure> + Sync,
{
    fn run(
        &self,
        point: &[f64],
        _seed: u64,
        stop: &dyn Fn() -> bool,
    ) -> Result<Answer, SampleFailure> {
        let (model, spec, instants) = (self.build)(point[0])?;
        let mut values = poincare_section(&model, &spec, &instants, stop)?.flat();
        // Other values may see more instants.
        values.resize(VERDICT.len() + self.count * spec.outputs.len(), f64::NAN);
        Ok(Answer { values, has_gaps: true, ..Answer::default() })
    }
}

/// The columns before the states. A period of 0 is one that was not found.
const VERDICT: [&str; 5] =
    ["instants", "longest period looked for", "period", "transient", "mismatch"];

/// The columns of a sweep in a result table; outputs by name and unit.
pub fn columns(outputs: &[(&str, &str)], count: usize) -> Vec<Column> {
    let states = (1..=count).flat_map(|k| outputs.iter().map(move |o| (o, k)));
    let states = states.map(|((name, unit), k)| Column::new(&format!("{name} {k}"), unit));
    VERDICT.iter().map(|name| Column::new(name, "")).chain(states).collect()
}

impl Seen {
    fn flat(&self) -> Vec<f64> {
        let Verdict { samples, longest, regime } = self.verdict;
        let found = match regime {
            Some(Regime::Periodic { period, transient, mismatch }) => {
                [period as f64, transient as f64, mismatch]
            }
            Some(Regime::NotFound) | None => [0.0; 3],
        };
        let verdict = [samples as f64, longest as f64].into_iter().chain(found);
        verdict.chain(self.states.iter().flatten().copied()).collect()
    }

    /// From the values of a sample of a [`Sweep`] over so many outputs.
    pub fn from_values(values: &[f64], outputs: usize) -> Self {
        let (verdict, states) = values.split_at(VERDICT.len());
        let (samples, longest) = (verdict[0] as usize, verdict[1] as usize);
        let regime = match verdict[2] as usize {
            _ if longest == 0 => None,
            0 => Some(Regime::NotFound),
            period => Some(Regime::Periodic {
                period,
                transient: verdict[3] as usize,
                mismatch: verdict[4],
            }),
        };
        let states = states.chunks_exact(outputs.max(1)).take(samples).map(<[f64]>::to_vec);
        Self { states: states.collect(), verdict: Verdict { samples, longest, regime } }
    }
}
