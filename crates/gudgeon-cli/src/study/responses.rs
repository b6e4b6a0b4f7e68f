//! Responses of a study file as the runner knows them.

use std::sync::Arc;

use gudgeon::model::Model;
use gudgeon::run::RunSpec;
use gudgeon_model::diagnostic::Severity;
use gudgeon_model::study::{Contact, Formula, Measure, Response, Study, numbers};
use gudgeon_model::{Failure, Loaded, LoadedStudy};
use gudgeon_study::responses as wanted;
use gudgeon_study::runner::{
    Answer, Formula as Computed, Mechanism, NamedResponse, ResponseKind, SampleFailure, Simulator,
};
use gudgeon_study::store::Column;

/// The model of a sample.
pub type Built = Result<(Model, RunSpec), SampleFailure>;

/// What answers to the points of a study: its mechanism, or its formulas alone.
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

/// The numbers of all variables at a point, for formulas.
type Numbers = Arc<dyn Fn(&[f64]) -> Vec<f64> + Send + Sync>;

/// The study as something that answers to a point.
pub fn mechanism(loaded: &LoadedStudy) -> Samples<'_> {
    let numbers = numbers_of(loaded);
    if loaded.model.is_none() {
        return Samples(Box::new(computed(&loaded.study, numbers)));
    }
    let build = |point: &[f64]| built(loaded.load_at(point));
    let responses = named(&loaded.study, &numbers);
    Samples(Box::new(Mechanism { build, responses, ensemble: loaded.study.ensemble }))
}

/// The same with one variable set, the others as the model has them.
pub fn swept(loaded: &LoadedStudy, variable: usize) -> Samples<'_> {
    let standing = loaded.swept(variable, 0.0);
    let numbers: Numbers = Arc::new(move |point: &[f64]| {
        let mut numbers = standing.clone();
        numbers[variable] = point[0];
        numbers
    });
    if loaded.model.is_none() {
        return Samples(Box::new(computed(&loaded.study, numbers)));
    }
    let outputs: Vec<&str> = loaded.study.outputs.iter().map(|output| &output.name[..]).collect();
    let build = move |point: &[f64]| built(loaded.load_with(&[(variable, point[0])], &outputs));
    let responses = named(&loaded.study, &numbers);
    Samples(Box::new(Mechanism { build, responses, ensemble: loaded.study.ensemble }))
}

/// The columns of the table of samples, after a check that the model can give all responses.
pub fn columns(loaded: &LoadedStudy) -> Result<Vec<Column>, String> {
    let Some(model) = &loaded.model else {
        let column = |response: &Response| Column::new(&response.name, &response.unit);
        return Ok(loaded.study.responses.iter().map(column).collect());
    };
    let build = |point: &[f64]| built(loaded.load_at(point));
    let responses = named(&loaded.study, &numbers_of(loaded));
    let mechanism = Mechanism { build, responses, ensemble: loaded.study.ensemble };
    mechanism.columns(&model.model).map_err(|error| error.to_string())
}

fn numbers_of(loaded: &LoadedStudy) -> Numbers {
    let variables = loaded.study.variables.clone();
    Arc::new(move |point: &[f64]| numbers(&variables, point))
}

/// A study without a model: all responses are formulas.
fn computed(study: &Study, numbers: Numbers) -> impl Simulator + '_ {
    move |point: &[f64], _: u64, _: &dyn Fn() -> bool| {
        let (variables, mut values) = (numbers(point), Vec::new());
        for response in &study.responses {
            let value = match &response.measure {
                Measure::Formula(formula) => formula.value(&variables, &values),
                _ => Err("there is no model to measure".to_owned()),
            };
            let named = |cause| SampleFailure::Failed(format!("`{}`: {cause}", response.name));
            values.push(value.map_err(named)?);
        }
        Ok(values)
    }
}

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

fn named(study: &Study, numbers: &Numbers) -> Vec<NamedResponse> {
    let kind = |response: &Response| match &response.measure {
        Measure::Formula(formula) => {
            ResponseKind::Computed(of_formula(&response.name, formula, &response.unit, numbers))
        }
        measured => ResponseKind::Measured(measure(study, measured)),
    };
    let one =
        |response: &Response| NamedResponse { name: response.name.clone(), kind: kind(response) };
    study.responses.iter().map(one).collect()
}

fn of_formula(name: &str, formula: &Formula, unit: &str, numbers: &Numbers) -> Computed {
    let (formula, numbers, name) = (formula.clone(), numbers.clone(), name.to_owned());
    Computed {
        unit: unit.to_owned(),
        of: formula.responses().collect(),
        compute: Arc::new(move |point, before| {
            let value = formula.value(&numbers(point), before);
            value.map_err(|cause| format!("`{name}`: {cause}"))
        }),
    }
}

fn measure(study: &Study, measure: &Measure) -> wanted::Response {
    match measure {
        Measure::Output { statistic, output } => wanted::Response::Output {
            output: study.outputs[*output].name.clone(),
            statistic: *statistic,
        },
        Measure::Impacts { statistic, field, of } => {
            wanted::Response::Impacts { contact: contact(of), field: *field, statistic: *statistic }
        }
        Measure::ImpactCount(of) => wanted::Response::ImpactCount(contact(of)),
        Measure::ContactFraction(of) => wanted::Response::ContactFraction(contact(of)),
        Measure::Energy { kind, name } => {
            wanted::Response::Energy { kind: *kind, name: Some(name.clone()) }
        }
        Measure::Formula(_) => unreachable!("told apart above"),
    }
}

fn contact(of: &Contact) -> wanted::Contact {
    wanted::Contact { joint: of.name.clone(), spot: of.spot.clone() }
}
