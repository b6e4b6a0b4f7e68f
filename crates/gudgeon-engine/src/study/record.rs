//! A study as a record, once for scripts (`--json`) and once for its folder (`study.json`).
//!
//! The file holds what is the same for every run of the same study; the answer adds times and
//! places.

use std::path::Path;

use gudgeon_output::record::{
    self, Branch, Design, Effects, FORMAT, FittedSurrogate, History, Index, KeptStudy, Morris,
    Named, Note, Number, OrError, Prediction, Sample, SampleFailure, SampleStatistics, Seconds,
    Shown, Sobol, SobolOf, StudyHead, StudyRecord, Surrogate, Sweep, SweepPoint, VERSION, Values,
    Warning,
};
use gudgeon_study::file::{DesignMethod, Response, Variable};
use gudgeon_study::kriging;
use gudgeon_study::sensitivity::{self, MorrisEffect, SobolIndices};
use gudgeon_study::store::Record;

use super::notes;
use super::sensitivity::OfResponse;
use super::sweep::{self, told};
use super::{Fitted, Optimum, Search, Sensitivity, Standing, StudyJob, StudyOutcome, SweepResult};
use crate::refusal::findings;
use crate::run::{Kept, data_text};

/// More samples of an interrupted study are not listed, which would take seconds; the journal has them.
const LISTED: usize = 50_000;

impl StudyOutcome {
    /// The object of `--json`.
    pub fn answer(&self, job: &StudyJob) -> StudyRecord {
        let [samples, rest] = self.seconds;
        let complete = self.kept.as_ref().map(|path| Kept::beside(&job.shown, path));
        StudyRecord {
            seconds: Some(Seconds { samples, rest }),
            resumed: Some(self.resumed),
            result: Some(job.shown.display().to_string()),
            kept: Some(KeptStudy { complete }),
            repairs: Some(self.repairs.clone()),
            ..self.record(job)
        }
    }

    /// `study.json`.
    pub fn file_record(&self, job: &StudyJob) -> StudyRecord {
        let (format, gudgeon) = (Some(FORMAT), Some(VERSION.to_owned()));
        StudyRecord { format, gudgeon, ..self.record(job) }
    }

    /// What is the same for every run of the same study.
    pub fn record(&self, job: &StudyJob) -> StudyRecord {
        let study = job.study();
        let listed = !(self.interrupted && self.records.len() > LISTED);
        let found = findings(&job.loaded.sources, &job.loaded.warnings, None);
        StudyRecord {
            status: self.status(),
            error: self.error.clone(),
            study: StudyHead {
                name: study.name.clone(),
                model: study.model.clone(),
                seed: job.seed,
                ensemble: study.ensemble,
            },
            data: job.loaded.data().map(|(name, text)| data_text(short(name), text)).collect(),
            variables: study.variables.iter().map(variable).collect(),
            responses: study.responses.iter().map(response).collect(),
            design: design(job, self),
            samples: listed.then(|| self.records.iter().map(|one| sample(job, one)).collect()),
            failures: failures(job, self),
            statistics: statistics(job, self),
            notes: notes::of(job, self).into_iter().map(note).collect(),
            surrogates: self.fitted.iter().map(|one| fitted(job, one)).collect(),
            optimum: self.search.as_ref().map(|search| found_by(job, search)),
            sensitivity: self.sensitivity.as_ref().map(|of| effects(job, of)),
            sweep: self.sweep.as_ref().map(|result| swept(job, result)),
            plots: self.plots.iter().map(|(name, _)| name.clone()).collect(),
            warnings: found.into_iter().map(Warning::File).collect(),
            ..StudyRecord::default()
        }
    }
}

/// A file without its folder: a study may be moved.
fn short(name: &str) -> String {
    Path::new(name).file_name().map_or(name.into(), |name| name.to_string_lossy().into_owned())
}

/// What the runs of the samples had to say.
fn note(note: notes::Note) -> Note {
    let notes::Note { code, samples, text } = note;
    Note { code, samples, message: text }
}

fn variable(variable: &Variable) -> record::Variable {
    record::Variable {
        name: variable.name.clone(),
        path: variable.path.clone(),
        unit: variable.unit.clone(),
        shown: variable.shown.unit.clone(),
        bounds: variable.values.bounds().map(|(low, high)| [low, high]),
    }
}

fn response(response: &Response) -> record::Response {
    let Response { name, text, kind: _, unit } = response.clone();
    record::Response { name, of: text, unit }
}

fn design(job: &StudyJob, outcome: &StudyOutcome) -> Option<Design> {
    let design = job.study().design.as_ref()?;
    let done = outcome.records.iter().filter(|record| record.outcome.is_done()).count();
    Some(Design {
        method: method(&design.method).to_owned(),
        samples: design.samples,
        done,
        failed: outcome.records.len() - done,
    })
}

pub fn method(method: &DesignMethod) -> &'static str {
    match method {
        DesignMethod::Lhs { ends: true, optimise: true, .. } => "lhs from end to end, optimised",
        DesignMethod::Lhs { ends: true, .. } => "lhs from end to end",
        DesignMethod::Lhs { optimise: true, .. } => "lhs, optimised",
        DesignMethod::Lhs { centred: true, .. } => "lhs, centred",
        DesignMethod::Lhs { .. } => "lhs",
        DesignMethod::Factorial { .. } => "factorial",
        DesignMethod::Sobol => "sobol",
        DesignMethod::MonteCarlo => "monte-carlo",
        DesignMethod::File { .. } => "file",
    }
}

fn point(job: &StudyJob, values: &[f64]) -> record::Point {
    let pair = |(variable, value): (&Variable, &f64)| {
        let value = match super::shown(variable, *value) {
            super::Shown::Number(number) => Shown::Number(number),
            super::Shown::Word(word) => Shown::Word(word.to_owned()),
        };
        (variable.name.clone(), value)
    };
    job.study().variables.iter().zip(values).map(pair).collect()
}

/// All columns of a simulation, or none.
fn values(job: &StudyJob, values: Option<&[f64]>) -> Values {
    let names = job.plan.values.iter().map(|column| column.name.clone());
    Some(names.zip(values?.iter().map(|value| Number(*value))).collect())
}

fn sample(job: &StudyJob, record: &Record) -> Sample {
    Sample {
        sample: record.index,
        variables: point(job, &record.point),
        responses: values(job, record.outcome.values()),
        status: record.outcome.status().to_owned(),
        notes: record.notes.clone(),
    }
}

fn failures(job: &StudyJob, outcome: &StudyOutcome) -> Vec<SampleFailure> {
    let failed = outcome.records.iter().filter(|record| !record.outcome.is_done());
    let one = |record: &Record| SampleFailure {
        sample: record.index,
        variables: point(job, &record.point),
        status: record.outcome.status().to_owned(),
        cause: Some(record.outcome.cause()),
    };
    failed.map(one).collect()
}

/// Of a response over the samples.
pub struct Statistics {
    pub mean: f64,
    pub std: f64,
    /// 0, 5, 50, 95 and 100 %.
    pub quantiles: [f64; 5],
    /// Mean over the samples of the standard deviation within an ensemble.
    pub spread: Option<f64>,
}

pub fn statistics_of(
    job: &StudyJob,
    outcome: &StudyOutcome,
    response: usize,
) -> Option<Statistics> {
    let done = || {
        let done = outcome.records.iter().filter_map(|record| record.outcome.values());
        done.filter(|values| !job.value(values, response).is_nan())
    };
    let mut all: Vec<f64> = done().map(|values| job.value(values, response)).collect();
    all.sort_by(f64::total_cmp);
    let n = all.len() as f64;
    let mean = all.iter().sum::<f64>() / n;
    let squares: f64 = all.iter().map(|x| (x - mean).powi(2)).sum();
    let last = all.len().checked_sub(1)?;
    let quantile = |share: f64| {
        let place = share * last as f64;
        let (below, part) = (place.floor() as usize, place.fract());
        all[below] + part * (all[(below + 1).min(last)] - all[below])
    };
    let std = (squares / (n - 1.0).max(1.0)).sqrt();
    let spread: Option<f64> = done().map(|values| job.spread(values, response)).sum();
    let quantiles = [0.0, 0.05, 0.5, 0.95, 1.0].map(quantile);
    Some(Statistics { mean, std, quantiles, spread: spread.map(|sum| sum / n) })
}

fn statistics(job: &StudyJob, outcome: &StudyOutcome) -> Named<SampleStatistics> {
    let one = |(i, response): (usize, &Response)| {
        let Statistics { mean, std, quantiles, spread } = statistics_of(job, outcome, i)?;
        let [min, p5, median, p95, max] = quantiles;
        let of = SampleStatistics { mean, std, min, p5, median, p95, max, spread };
        Some((response.name.clone(), of))
    };
    job.study().responses.iter().enumerate().filter_map(one).collect()
}

fn fitted(job: &StudyJob, fitted: &Fitted) -> Surrogate {
    let response = job.study().responses[fitted.response].name.clone();
    let model = match &fitted.model {
        Ok(model) => model,
        Err(cause) => return Surrogate::Failed { response, error: cause.clone() },
    };
    let (kriging, report) = (&model.kriging, model.kriging.report());
    let parameters = kriging.parameters();
    Surrogate::Fitted(Box::new(FittedSurrogate {
        file: format!("surrogates/{response}.json"),
        response,
        samples: kriging.responses().len(),
        validation: model.method.clone(),
        q2: model.validation.q2,
        rmse: model.validation.rmse,
        predicted: model.validation.predicted.clone(),
        standardised_residuals: model.validation.standardised.clone(),
        theta: parameters.theta.clone(),
        exponent: parameters.exponent.clone(),
        nugget: parameters.nugget,
        process_variance: kriging.process_variance(),
        log_likelihood: report.log_likelihood,
        condition: report.condition,
        predictions: model.predictions.iter().map(|(at, of)| predicted(job, at, of)).collect(),
        warnings: model.warnings.clone(),
    }))
}

fn predicted(job: &StudyJob, at: &[f64], of: &kriging::Prediction) -> record::PointPrediction {
    let (mean, variance) = (of.mean, of.variance);
    record::PointPrediction { variables: point(job, at), mean, std: of.deviation(), variance }
}

fn found_by(job: &StudyJob, search: &Search) -> record::Search {
    let Search { method, on, evaluations, simulations, samples: _, history, optima, note, remarks } =
        search;
    record::Search {
        method: (*method).to_owned(),
        on: (*on).to_owned(),
        evaluations: *evaluations,
        simulations: *simulations,
        note: note.clone(),
        remarks: remarks.clone(),
        points: optima.iter().map(|o| optimum(job, o)).collect(),
        history: history.iter().map(|(runs, best)| (*runs, Number(*best))).collect(),
    }
}

fn optimum(job: &StudyJob, optimum: &Optimum) -> record::Optimum {
    let objectives = job.study().optimise.as_ref().map_or(0, |wanted| wanted.objectives.len());
    let keeps_limits = optimum.feasible();
    let Optimum { point: at, predicted, simulated, standing } = optimum;
    let predicted = job.study().responses.iter().zip(predicted).filter_map(|(response, at)| {
        let (mean, std) = (*at)?;
        Some((response.name.clone(), Prediction { mean, std }))
    });
    record::Optimum {
        variables: point(job, at),
        predicted: predicted.collect(),
        simulated: values(job, simulated.as_ref().ok().map(Vec::as_slice)),
        error: simulated.as_ref().err().cloned(),
        keeps_limits,
        on_front: (objectives > 1).then_some(*standing == Standing::Best),
    }
}

fn effects(job: &StudyJob, of: &Sensitivity) -> record::Sensitivity {
    let Sensitivity { on, simulations, responses } = of;
    let one = |of: &OfResponse| {
        let OfResponse { response, sobol, morris } = of;
        let effects = Effects {
            sobol: sobol.as_ref().map(|found| or_error(found, |of| sobol_of(job, of))),
            morris: morris.as_ref().map(|found| or_error(found, |of| morris_of(job, of))),
        };
        (job.study().responses[*response].name.clone(), effects)
    };
    record::Sensitivity {
        on: (*on).to_owned(),
        simulations: *simulations,
        responses: responses.iter().map(one).collect(),
    }
}

fn or_error<T, R>(found: &Result<T, String>, of: impl Fn(&T) -> R) -> OrError<R> {
    match found {
        Ok(found) => OrError::Found(of(found)),
        Err(error) => OrError::Error { error: error.clone() },
    }
}

/// An entry per variable.
fn by_variable<T>(job: &StudyJob, all: impl Iterator<Item = T>) -> Named<T> {
    job.study().variables.iter().map(|variable| variable.name.clone()).zip(all).collect()
}

fn sobol_of(job: &StudyJob, of: &SobolIndices) -> Sobol {
    let index = |index: &sensitivity::Index| {
        let sensitivity::Index { value, low, high } = *index;
        Index { value, low, high }
    };
    let pairs = of.first.iter().zip(&of.total);
    let pairs = pairs.map(|(first, total)| SobolOf { first: index(first), total: index(total) });
    Sobol { variables: by_variable(job, pairs), variance: of.variance, used: of.used }
}

fn morris_of(job: &StudyJob, of: &[MorrisEffect]) -> Named<Morris> {
    let one = |effect: &MorrisEffect| {
        let MorrisEffect { mean, mean_size, deviation, count } = *effect;
        Morris { mean, mean_size, std: deviation, count }
    };
    by_variable(job, of.iter().map(one))
}

fn swept(job: &StudyJob, result: &SweepResult) -> Sweep {
    let one = |(value, answer): &(f64, Result<Vec<f64>, String>)| SweepPoint {
        value: *value,
        responses: values(job, answer.as_ref().ok().map(Vec::as_slice)),
        error: answer.as_ref().err().cloned(),
    };
    let history = |history: &sweep::History| History {
        value: history.value,
        file: history.file.as_ref().ok().cloned(),
        error: history.file.as_ref().err().cloned(),
    };
    let branches = |all: &Vec<sweep::Branch>| all.iter().map(|one| branch(job, one)).collect();
    Sweep {
        variable: job.study().variables[result.variable].name.clone(),
        points: result.points.iter().map(one).collect(),
        bifurcation: result.bifurcation.as_ref().map(branches),
        histories: result.histories.iter().map(history).collect(),
    }
}

fn branch(job: &StudyJob, branch: &sweep::Branch) -> Branch {
    let wanted = job.study().sweep.as_ref().and_then(|wanted| wanted.bifurcation.as_ref());
    let verdict = branch.verdict();
    let states = branch.seen.as_ref().ok().map(|(states, _)| states);
    Branch {
        value: branch.value,
        states: states.map(|states| states.iter().map(|state| Number(*state)).collect()),
        period: verdict.and_then(|verdict| verdict.period()),
        transient: verdict.and_then(|verdict| verdict.transient()),
        looked_for: verdict.map(|verdict| verdict.longest),
        found: wanted.map(|wanted| told(branch.kind(), &[branch], wanted)),
        error: branch.seen.as_ref().err().cloned(),
    }
}
