//! The samples of a study: its mechanism, or its formulas alone, as a simulator.

use gudgeon::model::Model;
use gudgeon::run::RunSpec;
use gudgeon_model::diagnostic::Severity;
use gudgeon_model::{Failure, Loaded};

use super::mechanism::{columns, nobody};
use super::{Answer, Mechanism, SampleFailure, Simulator};
use crate::file::{LoadedStudy, Study, numbers};
use crate::responses::{Response, ResponseError, ResponseKind};
use crate::store::Column;

/// The model of a sample.
pub type Built = Result<(Model, RunSpec), SampleFailure>;

/// What answers to the points of a study.
pub struct Samples<'a>(Box<dyn Simulator + 'a>);

impl Simulator for Samples<'_> {
    fn run(
        &self,
        point: &[f64],
        seed: u64,
        stop: &dyn Fn() -> bool,
    ) -> Result<Answer, SampleFailure> {
        self.0.run(point, seed, stop)
    }
}

impl LoadedStudy {
    /// The study as something that answers to a point.
    pub fn samples(&self) -> Samples<'_> {
        if self.model.is_none() || self.study.is_all_given() {
            return Samples(Box::new(computed(&self.study, |point| self.numbers(point))));
        }
        Samples(Box::new(Mechanism {
            build: |point: &[f64]| built(self.load_at(point)),
            numbers: |point: &[f64]| self.numbers(point),
            responses: self.study.responses.clone(),
            ensemble: self.study.ensemble,
        }))
    }

    /// The same with one variable set, the others as the model has them.
    pub fn swept_samples(&self, variable: usize) -> Samples<'_> {
        let standing = self.swept(variable, 0.0);
        let numbers = move |point: &[f64]| {
            let mut numbers = standing.clone();
            numbers[variable] = point[0];
            numbers
        };
        if self.model.is_none() {
            return Samples(Box::new(computed(&self.study, numbers)));
        }
        let Study { responses, ensemble, outputs, .. } = &self.study;
        let outputs: Vec<&str> = outputs.iter().map(|output| &output.name[..]).collect();
        let build = move |point: &[f64]| built(self.load_with(&[(variable, point[0])], &outputs));
        let responses = responses.clone();
        Samples(Box::new(Mechanism { build, numbers, responses, ensemble: *ensemble }))
    }

    /// The columns of the table of samples, after a check that the model can give all responses.
    pub fn columns(&self) -> Result<Vec<Column>, ResponseError> {
        match &self.model {
            Some(model) => columns(&self.study.responses, self.study.ensemble, &model.model),
            None => {
                let column = |response: &Response| Column::new(&response.name, &response.unit);
                Ok(self.study.responses.iter().map(column).collect())
            }
        }
    }

    fn numbers(&self, point: &[f64]) -> Vec<f64> {
        numbers(&self.study.variables, point)
    }
}

/// A study without a model: all responses are formulas.
fn computed<'a>(
    study: &'a Study,
    numbers: impl Fn(&[f64]) -> Vec<f64> + Sync + 'a,
) -> impl Simulator + 'a {
    move |point: &[f64], _: u64, _: &dyn Fn() -> bool| {
        let (variables, mut values) = (numbers(point), Vec::new());
        for (i, response) in study.responses.iter().enumerate() {
            let value = match &response.kind {
                ResponseKind::Formula(formula) => formula.value(&variables, &values),
                ResponseKind::Measured(_) => Err("there is no model to measure".to_owned()),
                ResponseKind::Given => {
                    study.given_at(i, point).ok_or_else(|| match study.is_all_given() {
                        true => "the file of points has no value there".to_owned(),
                        false => nobody(&response.name),
                    })
                }
            };
            let named = |cause| SampleFailure::Failed(format!("`{}`: {cause}", response.name));
            values.push(value.map_err(named)?);
        }
        Ok(values)
    }
}

/// A model with its run; what is wrong with it is why its sample failed.
pub fn built(loaded: Result<Loaded, Box<Failure>>) -> Built {
    match loaded {
        Ok(loaded) => Ok((loaded.model, loaded.run)),
        Err(failure) => {
            let errors = failure.diagnostics.iter().filter(|d| d.severity == Severity::Error);
            let messages: Vec<&str> = errors.map(|d| d.message.as_str()).collect();
            Err(SampleFailure::failed(messages.join("; ")))
        }
    }
}
