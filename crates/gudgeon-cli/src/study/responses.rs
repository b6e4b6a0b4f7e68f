//! Responses of a study file as the runner knows them.

use gudgeon::model::Model;
use gudgeon::run::RunSpec;
use gudgeon_model::diagnostic::Severity;
use gudgeon_model::study::{Contact, ImpactField, ImpactStatistic, Measure, Statistic, Study};
use gudgeon_model::{Failure, Loaded, LoadedStudy};
use gudgeon_study::responses as wanted;
use gudgeon_study::runner::{Mechanism, NamedResponse, SampleFailure};

/// The model of a sample.
pub type Built = Result<(Model, RunSpec), SampleFailure>;

/// The mechanism of a study as something that answers to a point.
pub fn mechanism(loaded: &LoadedStudy) -> Mechanism<impl Fn(&[f64]) -> Built + Sync + '_> {
    let build = |point: &[f64]| built(loaded.load_at(point));
    Mechanism { build, responses: named(&loaded.study), ensemble: loaded.study.ensemble }
}

/// The same with one variable set, the others as the model has them.
pub fn swept(
    loaded: &LoadedStudy,
    variable: usize,
) -> Mechanism<impl Fn(&[f64]) -> Built + Sync + '_> {
    let outputs: Vec<&str> = loaded.study.outputs.iter().map(|output| &output.name[..]).collect();
    let build = move |point: &[f64]| built(loaded.load_with(&[(variable, point[0])], &outputs));
    Mechanism { build, responses: named(&loaded.study), ensemble: loaded.study.ensemble }
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

fn named(study: &Study) -> Vec<NamedResponse> {
    let one = |response: &gudgeon_model::study::Response| NamedResponse {
        name: response.name.clone(),
        response: measure(study, &response.measure),
    };
    study.responses.iter().map(one).collect()
}

fn measure(study: &Study, measure: &Measure) -> wanted::Response {
    match measure {
        Measure::Output { statistic, output } => wanted::Response::Output {
            output: study.outputs[*output].name.clone(),
            statistic: of_output(*statistic),
        },
        Measure::Impacts { statistic, field, of } => wanted::Response::Impacts {
            contact: contact(of),
            field: of_field(*field),
            statistic: match statistic {
                ImpactStatistic::Sum => wanted::ImpactStatistic::Sum,
                ImpactStatistic::Max => wanted::ImpactStatistic::Max,
                ImpactStatistic::Mean => wanted::ImpactStatistic::Mean,
                ImpactStatistic::Min => wanted::ImpactStatistic::Min,
            },
        },
        Measure::ImpactCount(of) => wanted::Response::ImpactCount(contact(of)),
        Measure::ContactFraction(of) => wanted::Response::ContactFraction(contact(of)),
        Measure::Energy { kind, name } => {
            wanted::Response::Energy { kind: *kind, name: Some(name.clone()) }
        }
    }
}

fn contact(of: &Contact) -> wanted::Contact {
    wanted::Contact { joint: of.name.clone(), spot: of.spot.clone() }
}

fn of_output(statistic: Statistic) -> wanted::Statistic {
    match statistic {
        Statistic::Max => wanted::Statistic::Max,
        Statistic::Min => wanted::Statistic::Min,
        Statistic::AbsMax => wanted::Statistic::AbsMax,
        Statistic::Rms => wanted::Statistic::Rms,
        Statistic::Mean => wanted::Statistic::Mean,
        Statistic::Final => wanted::Statistic::Final,
        Statistic::Range => wanted::Statistic::Range,
        Statistic::Percentile(percent) => wanted::Statistic::Percentile(percent),
    }
}

fn of_field(field: ImpactField) -> wanted::ImpactField {
    match field {
        ImpactField::Loss => wanted::ImpactField::Loss,
        ImpactField::FrictionLoss => wanted::ImpactField::FrictionLoss,
        ImpactField::PeakForce => wanted::ImpactField::PeakForce,
        ImpactField::PeakDepth => wanted::ImpactField::PeakDepth,
        ImpactField::SpeedIn => wanted::ImpactField::SpeedIn,
        ImpactField::SpeedOut => wanted::ImpactField::SpeedOut,
        ImpactField::Restitution => wanted::ImpactField::Restitution,
    }
}
