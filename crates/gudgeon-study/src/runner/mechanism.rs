//! Mechanisms as simulators.
//!
//! A sample is one run of the mechanism as it is, or an ensemble of runs whose journals start moved
//! by a nanometre, as `gudgeon::ensemble` does; then each response has mean, standard deviation,
//! smallest, largest and the number of runs that gave it. What is computed from other responses is
//! computed run by run. A response without a value is missing, and a note says why; a sample without
//! any value has failed. The codes of the warnings of its runs are notes, too.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;

use gudgeon::assembly::assemble_requested;
use gudgeon::ensemble::{Spread, shifted};
use gudgeon::model::Model;
use gudgeon::results::Status;
use gudgeon::run::{Every, RunSpec};
use gudgeon::simulate::{Observer, simulate};

use super::{Answer, Patience, SampleFailure, Simulator};
use crate::responses::{Response, ResponseError, Rows, RunData, add_outputs};
use crate::store::Column;

/// A response and its name in the table.
#[derive(Clone, Debug)]
pub struct NamedResponse {
    pub name: String,
    pub kind: ResponseKind,
}

#[derive(Clone, Debug)]
pub enum ResponseKind {
    /// Of the run.
    Measured(Response),
    /// Of the design and of responses before it.
    Computed(Formula),
}

/// A value from the design and from the values of all responses before it.
pub type Compute = dyn Fn(&[f64], &[f64]) -> Result<f64, String> + Send + Sync;

#[derive(Clone)]
pub struct Formula {
    /// SI unit, empty for numbers.
    pub unit: String,
    /// Indices of the responses it is computed from; where one of them fails, so does the formula.
    pub of: Vec<usize>,
    /// Responses that it is not computed from may be given as not a number.
    pub compute: Arc<Compute>,
}

impl fmt::Debug for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Formula").field("unit", &self.unit).field("of", &self.of).finish()
    }
}

impl Formula {
    /// The value of one run, from what it has given so far.
    fn value(&self, point: &[f64], before: &[Result<f64, String>]) -> Result<f64, String> {
        if let Some(Err(cause)) = self.of.iter().filter_map(|i| before.get(*i)).find(|v| v.is_err())
        {
            return Err(cause.clone());
        }
        let before: Vec<f64> =
            before.iter().map(|value| value.as_ref().map_or(f64::NAN, |value| *value)).collect();
        (self.compute)(point, &before)
    }
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
        for NamedResponse { name, kind } in &self.responses {
            let unit = match kind {
                ResponseKind::Measured(response) => response.unit(model)?,
                ResponseKind::Computed(formula) => &formula.unit,
            };
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

    fn measured(&self) -> impl Iterator<Item = &Response> {
        self.responses.iter().filter_map(|named| match &named.kind {
            ResponseKind::Measured(response) => Some(response),
            ResponseKind::Computed(_) => None,
        })
    }

    /// One run; per response its value or why there is none. Warnings go to the notes.
    fn member(
        &self,
        point: &[f64],
        model: &Model,
        spec: &RunSpec,
        stop: &dyn Fn() -> bool,
        notes: &mut BTreeSet<String>,
    ) -> Result<Vec<Result<f64, String>>, SampleFailure> {
        let start = assemble_requested(model).map_err(SampleFailure::failed)?;
        let rows = Rows::needed(self.measured(), &spec.outputs);
        let mut watch = Watch { patience: Patience::new(stop), rows };
        let report = simulate(&start, spec, &mut watch);
        match &report.status {
            Status::Interrupted => return Err(SampleFailure::Stopped),
            Status::Failed(error) => {
                let cause = Err(error.to_string());
                return Ok(vec![cause; self.responses.len()]);
            }
            Status::Done => {}
        }
        notes.extend(report.warnings.iter().map(|warning| warning.code.to_owned()));
        let data = RunData { model, report: &report, rows: &watch.rows };
        let mut values: Vec<Result<f64, String>> = Vec::with_capacity(self.responses.len());
        for NamedResponse { name, kind } in &self.responses {
            let named = |error: &dyn fmt::Display| format!("`{name}`: {error}");
            values.push(match kind {
                ResponseKind::Measured(response) => {
                    response.evaluate(&data).map_err(|error| named(&error))
                }
                ResponseKind::Computed(formula) => formula.value(point, &values),
            });
        }
        Ok(values)
    }

    /// All runs of an ensemble; per response what the runs gave, and why where none did.
    fn spread(
        &self,
        point: &[f64],
        model: &Model,
        spec: &RunSpec,
        seed: u64,
        stop: &dyn Fn() -> bool,
        notes: &mut BTreeSet<String>,
    ) -> Result<Vec<Result<Vec<f64>, String>>, SampleFailure> {
        let mut gathered: Vec<Vec<f64>> = vec![Vec::new(); self.responses.len()];
        let mut causes: Vec<Option<String>> = vec![None; self.responses.len()];
        for index in 0..self.ensemble {
            let start = shifted(model, seed, index);
            let answers = self.member(point, &start, spec, stop, notes)?;
            for (i, answer) in answers.into_iter().enumerate() {
                match answer {
                    Ok(value) => gathered[i].push(value),
                    Err(cause) => drop(causes[i].get_or_insert(cause)),
                }
            }
        }
        let of = |(found, cause): (&Vec<f64>, Option<String>)| match cause {
            Some(cause) if found.is_empty() => Err(cause),
            _ => {
                let Spread { mean, std, min, max } = Spread::of(found);
                Ok(vec![mean, std, min, max, found.len() as f64])
            }
        };
        Ok(gathered.iter().zip(causes).map(of).collect())
    }
}

/// The answer of a sample from what each response gave, `width` numbers or a cause.
fn answer(
    responses: Vec<Result<Vec<f64>, String>>,
    width: usize,
    mut notes: BTreeSet<String>,
) -> Result<Answer, SampleFailure> {
    if let Some(Err(cause)) = responses.first()
        && responses.iter().all(|response| response.is_err())
    {
        return Err(SampleFailure::Failed(cause.clone()));
    }
    let mut values = Vec::with_capacity(width * responses.len());
    for response in responses {
        match response {
            Ok(found) => values.extend(found),
            Err(cause) => {
                notes.insert(cause);
                values.extend(std::iter::repeat_n(f64::NAN, width));
            }
        }
    }
    Ok(Answer { values, notes: notes.into_iter().collect(), has_gaps: true })
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
    ) -> Result<Answer, SampleFailure> {
        let (model, mut spec) = (self.build)(point)?;
        add_outputs(self.measured(), &model, &mut spec.outputs).map_err(SampleFailure::failed)?;
        // Percentiles need every step, whatever rows the model asks for; else nobody reads rows.
        let is_idle = Rows::needed(self.measured(), &spec.outputs).is_idle();
        spec.every = if is_idle { Every::Interval(f64::INFINITY) } else { Every::Steps };
        spec.pressure_at.clear();
        let mut notes = BTreeSet::new();
        if self.ensemble > 1 {
            let spread = self.spread(point, &model, &spec, seed, stop, &mut notes)?;
            return answer(spread, 5, notes);
        }
        let found = self.member(point, &model, &spec, stop, &mut notes)?;
        answer(found.into_iter().map(|one| one.map(|value| vec![value])).collect(), 1, notes)
    }
}

/// Keeps the rows that responses need, and looks at the clock.
struct Watch<'a> {
    patience: Patience<'a>,
    rows: Rows,
}

impl Observer for Watch<'_> {
    fn row(&mut self, t: f64, values: &[f64], _orbits: &[[f64; 2]]) -> ControlFlow<()> {
        self.rows.push(t, values);
        ControlFlow::Continue(())
    }

    fn progress(&mut self, _t: f64, _end: f64) -> ControlFlow<()> {
        self.patience.step()
    }
}
