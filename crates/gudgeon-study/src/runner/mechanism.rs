//! Mechanisms as simulators.
//!
//! A sample is one run of the mechanism as it is, or an ensemble of runs whose journals start moved
//! by a nanometre, as `gudgeon::ensemble` does; then each response has mean, standard deviation,
//! smallest, largest and the number of runs that gave it. What is computed from other responses is
//! computed run by run. A response without a value is missing, and a note says why; a sample without
//! any value has failed. The codes of the warnings of its runs are notes, too.

use std::collections::BTreeSet;

use gudgeon::ensemble::{Spread, shifted};
use gudgeon::model::Model;
use gudgeon::results::Status;
use gudgeon::run::RunSpec;

use super::{Answer, SampleFailure, Simulator};
use crate::responses::{
    Measure, Response, ResponseError, ResponseKind, RunData, measured_run, prepare,
};
use crate::store::Column;

/// A mechanism built from a design. Outputs that responses need are added to its run.
#[derive(Clone, Debug)]
pub struct Mechanism<B, N> {
    pub build: B,
    /// The numbers of all variables at a point, for formulas.
    pub numbers: N,
    pub responses: Vec<Response>,
    /// Runs per sample: up to 1 for the model as it is, more for an ensemble.
    pub ensemble: usize,
}

impl<B, N> Mechanism<B, N>
where
    B: Fn(&[f64]) -> Result<(Model, RunSpec), SampleFailure> + Sync,
    N: Fn(&[f64]) -> Vec<f64> + Sync,
{
    /// The columns of the table of samples, after a check that the model can give all responses.
    pub fn columns(&self, model: &Model) -> Result<Vec<Column>, ResponseError> {
        columns(&self.responses, self.ensemble, model)
    }

    fn measured(&self) -> impl Iterator<Item = &Measure> + Clone {
        self.responses.iter().filter_map(Response::measure)
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
        if self.measured().next().is_some() && !self.measured().any(Measure::needs_run) {
            return Ok(self.values(point, |measure| measure.of_model(model)));
        }
        let run = measured_run(self.measured(), model, spec, stop);
        let (report, kept) = run.map_err(SampleFailure::failed)?;
        match &report.status {
            Status::Interrupted => return Err(SampleFailure::Stopped),
            Status::Failed(error) => {
                let cause = Err(error.to_string());
                return Ok(vec![cause; self.responses.len()]);
            }
            Status::Done => {}
        }
        notes.extend(report.warnings.iter().map(|warning| warning.code.to_owned()));
        let data = RunData { model, report: &report, kept: &kept };
        Ok(self.values(point, |measure| measure.evaluate(&data)))
    }

    /// Per response its value or why there is none, from what is measured.
    fn values(
        &self,
        point: &[f64],
        measured: impl Fn(&Measure) -> Result<f64, ResponseError>,
    ) -> Vec<Result<f64, String>> {
        let numbers = (self.numbers)(point);
        let mut values: Vec<Result<f64, String>> = Vec::with_capacity(self.responses.len());
        for Response { name, kind, .. } in &self.responses {
            let value = match kind {
                ResponseKind::Measured(measure) => {
                    measured(measure).map_err(|error| format!("`{name}`: {error}"))
                }
                ResponseKind::Given => Err(nobody(name)),
                ResponseKind::Formula(formula) => {
                    formula.after(&numbers, &values).map_err(|(cause, inherited)| match inherited {
                        true => cause,
                        false => format!("`{name}`: {cause}"),
                    })
                }
            };
            values.push(value);
        }
        values
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

/// Why a response has no value that only a function of the caller can give.
pub(super) fn nobody(name: &str) -> String {
    format!("`{name}` is given by a function: run the study from where that is")
}

/// The columns of the table, after a check that the model can give all responses.
pub fn columns(
    responses: &[Response],
    ensemble: usize,
    model: &Model,
) -> Result<Vec<Column>, ResponseError> {
    let mut columns = Vec::new();
    for Response { name, kind, unit, .. } in responses {
        let unit = match kind {
            ResponseKind::Measured(measure) => measure.unit(model)?,
            ResponseKind::Formula(_) | ResponseKind::Given => unit.into(),
        };
        if ensemble <= 1 {
            columns.push(Column::new(name, &unit));
            continue;
        }
        for part in ["mean", "std", "min", "max"] {
            columns.push(Column::new(&format!("{name} {part}"), &unit));
        }
        columns.push(Column::new(&format!("{name} runs"), ""));
    }
    Ok(columns)
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

impl<B, N> Simulator for Mechanism<B, N>
where
    B: Fn(&[f64]) -> Result<(Model, RunSpec), SampleFailure> + Sync,
    N: Fn(&[f64]) -> Vec<f64> + Sync,
{
    fn run(
        &self,
        point: &[f64],
        seed: u64,
        stop: &dyn Fn() -> bool,
    ) -> Result<Answer, SampleFailure> {
        let (model, mut spec) = (self.build)(point)?;
        prepare(self.measured(), &model, &mut spec).map_err(SampleFailure::failed)?;
        let mut notes = BTreeSet::new();
        if self.ensemble > 1 {
            let spread = self.spread(point, &model, &spec, seed, stop, &mut notes)?;
            return answer(spread, 5, notes);
        }
        let found = self.member(point, &model, &spec, stop, &mut notes)?;
        answer(found.into_iter().map(|one| one.map(|value| vec![value])).collect(), 1, notes)
    }
}
