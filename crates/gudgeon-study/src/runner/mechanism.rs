//! Mechanisms as simulators.
//!
//! A sample is one run of the mechanism as it is, or an ensemble of runs whose journals start moved
//! by a nanometre, as `gudgeon::ensemble` does; then each response has mean, standard deviation,
//! smallest, largest and the number of runs that gave it.

use std::ops::ControlFlow;

use gudgeon::assembly::assemble;
use gudgeon::ensemble::{SHIFT, Spread};
use gudgeon::model::Model;
use gudgeon::results::Status;
use gudgeon::run::RunSpec;
use gudgeon::simulate::{Observer, simulate};
use nalgebra::Vector3;

use super::{SampleFailure, Simulator};
use crate::random::Random;
use crate::responses::{Response, ResponseError, Rows, RunData, add_outputs};
use crate::store::Column;

/// Steps between two looks at the clock.
const POLL: u32 = 256;

/// A response and its name in the table.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedResponse {
    pub name: String,
    pub response: Response,
}

/// A mechanism built from a design. Outputs that responses need are added to its run.
#[derive(Clone, Debug)]
pub struct Mechanism<B> {
    pub build: B,
    pub responses: Vec<NamedResponse>,
    /// Runs per sample: up to 1 for the model as it is, more for an ensemble.
    pub ensemble: usize,
}

impl<B> Mechanism<B>
where
    B: Fn(&[f64]) -> Result<(Model, RunSpec), SampleFailure> + Sync,
{
    /// The columns of the table, after a check that the model can give all responses.
    pub fn columns(&self, model: &Model) -> Result<Vec<Column>, ResponseError> {
        let mut columns = Vec::new();
        for NamedResponse { name, response } in &self.responses {
            let unit = response.unit(model)?;
            if self.ensemble <= 1 {
                columns.push(Column::new(name, unit));
                continue;
            }
            for part in ["mean", "std", "min", "max"] {
                columns.push(Column::new(&format!("{name} {part}"), unit));
            }
            columns.push(Column::new(&format!("{name} runs"), ""));
        }
        Ok(columns)
    }

    /// One run; per response its value or why there is none.
    fn member(
        &self,
        model: &Model,
        spec: &RunSpec,
        stop: &dyn Fn() -> bool,
    ) -> Result<Vec<Result<f64, String>>, SampleFailure> {
        let start = assemble(model).map_err(SampleFailure::failed)?;
        let rows = Rows::needed(self.responses.iter().map(|r| &r.response), &spec.outputs);
        let mut watch = Watch { stop, steps: 0, rows };
        let report = simulate(&start, spec, &mut watch);
        match &report.status {
            Status::Interrupted => return Err(SampleFailure::Stopped),
            Status::Failed(error) => {
                let cause = Err(error.to_string());
                return Ok(vec![cause; self.responses.len()]);
            }
            Status::Done => {}
        }
        let data = RunData { model, report: &report, rows: &watch.rows };
        let value = |named: &NamedResponse| {
            let value = named.response.evaluate(&data);
            value.map_err(|error| format!("`{}`: {error}", named.name))
        };
        Ok(self.responses.iter().map(value).collect())
    }

    /// All runs of an ensemble; per response what the runs gave.
    fn spread(
        &self,
        model: &Model,
        spec: &RunSpec,
        seed: u64,
        stop: &dyn Fn() -> bool,
    ) -> Result<Vec<f64>, SampleFailure> {
        let mut gathered: Vec<Vec<f64>> = vec![Vec::new(); self.responses.len()];
        let mut causes: Vec<Option<String>> = vec![None; self.responses.len()];
        for index in 0..self.ensemble {
            let answers = self.member(&shifted(model, seed, index), spec, stop)?;
            for (i, answer) in answers.into_iter().enumerate() {
                match answer {
                    Ok(value) => gathered[i].push(value),
                    Err(cause) => drop(causes[i].get_or_insert(cause)),
                }
            }
        }
        let mut values = Vec::with_capacity(5 * gathered.len());
        for (found, cause) in gathered.iter().zip(causes) {
            if let (true, Some(cause)) = (found.is_empty(), cause) {
                return Err(SampleFailure::Failed(cause));
            }
            let spread = Spread::of(found);
            let runs = found.len() as f64;
            values.extend([spread.mean, spread.std, spread.min, spread.max, runs]);
        }
        Ok(values)
    }
}

impl<B> Simulator for Mechanism<B>
where
    B: Fn(&[f64]) -> Result<(Model, RunSpec), SampleFailure> + Sync,
{
    fn run(
        &self,
        point: &[f64],
        seed: u64,
        stop: &dyn Fn() -> bool,
    ) -> Result<Vec<f64>, SampleFailure> {
        let (model, mut spec) = (self.build)(point)?;
        let responses = || self.responses.iter().map(|r| &r.response);
        add_outputs(responses(), &model, &mut spec.outputs).map_err(SampleFailure::failed)?;
        if Rows::needed(responses(), &spec.outputs).is_idle() {
            spec.every = Some(f64::MAX); // nobody reads rows
        }
        if self.ensemble > 1 {
            return self.spread(&model, &spec, seed, stop);
        }
        let answers = self.member(&model, &spec, stop)?;
        answers.into_iter().map(|answer| answer.map_err(SampleFailure::Failed)).collect()
    }
}

/// Keeps the rows that responses need, and looks at the clock.
struct Watch<'a> {
    stop: &'a dyn Fn() -> bool,
    steps: u32,
    rows: Rows,
}

impl Observer for Watch<'_> {
    fn row(&mut self, t: f64, values: &[f64], _orbits: &[[f64; 2]]) -> ControlFlow<()> {
        self.rows.push(t, values);
        ControlFlow::Continue(())
    }

    fn progress(&mut self, _t: f64, _end: f64) -> ControlFlow<()> {
        self.steps = self.steps.wrapping_add(1);
        if self.steps.is_multiple_of(POLL) && (self.stop)() {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}

/// The model with every journal moved by a vector of its own: that of run `index` of an ensemble
/// with this seed, the same as in `gudgeon::ensemble`.
fn shifted(model: &Model, seed: u64, index: usize) -> Model {
    let mut shifted = model.clone();
    let mut random = Random::new(seed ^ (index as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    for joint in shifted.joints.iter_mut().filter(|j| j.clearance.is_some()) {
        let angle = std::f64::consts::TAU * random.unit();
        joint.start_offset += SHIFT * Vector3::new(angle.cos(), angle.sin(), 0.0);
    }
    shifted
}
