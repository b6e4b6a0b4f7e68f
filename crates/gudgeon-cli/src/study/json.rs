//! A study as JSON, once for scripts (`--json`) and once for the record (`study.json`).
//!
//! The record holds what is the same for every run of the same study; the answer adds times and
//! places. SI units; numbers that are not finite become `null`.

use gudgeon_model::study::{DesignMethod, Response, Variable};
use gudgeon_study::sensitivity::{Index, MorrisEffect, SobolIndices};
use serde_json::{Map, Value, json};

use super::notes;
use super::sweep::{Branch, History, told};
use super::{
    Fitted, Job, Optimum, Outcome, Search, Sensitivity, Shown, Standing, SweepResult, shown,
};
use crate::refusal::findings;

/// The one object of `--json`.
pub fn answer(job: &Job, outcome: &Outcome) -> Value {
    let mut answer = facts(job, outcome);
    let [samples, rest] = outcome.seconds;
    answer.insert("seconds".into(), json!({ "samples": samples, "rest": rest }));
    answer.insert("resumed".into(), json!(outcome.resumed));
    answer.insert("result".into(), json!(job.shown.display().to_string()));
    let complete = outcome.kept.as_ref().map(|path| path.display().to_string());
    answer.insert("kept".into(), json!({ "complete": complete }));
    answer.insert("repairs".into(), json!(outcome.repairs));
    Value::Object(answer)
}

/// `study.json`.
pub fn record(job: &Job, outcome: &Outcome) -> Value {
    let mut record = Map::new();
    record.insert("gudgeon".into(), json!(env!("CARGO_PKG_VERSION")));
    record.extend(facts(job, outcome));
    Value::Object(record)
}

/// More samples of an interrupted study are not listed, which would take seconds; the journal has them.
const LISTED: usize = 50_000;

fn facts(job: &Job, outcome: &Outcome) -> Map<String, Value> {
    let study = job.study();
    let mut facts = Map::new();
    let mut put = |key: &str, value: Value| facts.insert(key.to_owned(), value);
    put("status", json!(outcome.exit().status()));
    put("error", json!(outcome.error));
    put(
        "study",
        json!({ "name": study.name, "model": study.model, "seed": job.seed, "ensemble": study.ensemble }),
    );
    put("variables", study.variables.iter().map(variable).collect());
    put("responses", study.responses.iter().map(response).collect());
    put("design", design(job, outcome));
    if !(outcome.interrupted && outcome.records.len() > LISTED) {
        put("samples", samples(job, outcome));
    }
    put("failures", failures(job, outcome));
    put("statistics", statistics(job, outcome));
    put("notes", remarks(job, outcome));
    put("surrogates", outcome.fitted.iter().map(|f| fitted(job, f)).collect());
    put("optimum", outcome.search.as_ref().map_or(Value::Null, |search| found(job, search)));
    let of = |sensitivity: &Sensitivity| effects(job, sensitivity);
    put("sensitivity", outcome.sensitivity.as_ref().map_or(Value::Null, of));
    put("sweep", outcome.sweep.as_ref().map_or(Value::Null, |result| sweep(job, result)));
    put("plots", outcome.plots.iter().map(|(name, _)| json!(name)).collect());
    put("warnings", json!(findings(&job.loaded.sources, &job.loaded.warnings, None)));
    facts
}

/// What the runs of the samples had to say.
fn remarks(job: &Job, outcome: &Outcome) -> Value {
    let one = |note: &notes::Note| json!({ "code": note.code, "samples": note.samples, "message": note.text });
    notes::of(job, outcome).iter().map(one).collect()
}

fn variable(variable: &Variable) -> Value {
    json!({
        "name": variable.name,
        "path": variable.path,
        "unit": variable.unit,
        "shown": variable.shown.unit,
        "bounds": variable.bounds().map(|(low, high)| [low, high]),
    })
}

fn response(response: &Response) -> Value {
    json!({ "name": response.name, "of": response.text, "unit": response.unit })
}

fn design(job: &Job, outcome: &Outcome) -> Value {
    let Some(design) = &job.study().design else { return Value::Null };
    let done = outcome.records.iter().filter(|record| record.outcome.is_done()).count();
    json!({
        "method": method(&design.method),
        "samples": design.samples,
        "done": done,
        "failed": outcome.records.len() - done,
    })
}

pub fn method(method: &DesignMethod) -> &'static str {
    match method {
        DesignMethod::Lhs { optimise: true, .. } => "lhs, optimised",
        DesignMethod::Lhs { centred: true, .. } => "lhs, centred",
        DesignMethod::Lhs { .. } => "lhs",
        DesignMethod::Factorial { .. } => "factorial",
        DesignMethod::Sobol => "sobol",
        DesignMethod::MonteCarlo => "monte-carlo",
        DesignMethod::File { .. } => "file",
    }
}

fn point(job: &Job, values: &[f64]) -> Value {
    let pair = |(variable, value): (&Variable, &f64)| {
        let value = match shown(variable, *value) {
            Shown::Number(number) => json!(number),
            Shown::Word(word) => json!(word),
        };
        (variable.name.clone(), value)
    };
    Value::Object(job.study().variables.iter().zip(values).map(pair).collect())
}

/// All columns of a simulation, or `null`.
fn values(job: &Job, values: Option<&[f64]>) -> Value {
    let Some(values) = values else { return Value::Null };
    let names = job.plan.values.iter().map(|column| column.name.clone());
    Value::Object(names.zip(values.iter().map(|value| json!(value))).collect())
}

fn samples(job: &Job, outcome: &Outcome) -> Value {
    let one = |record: &gudgeon_study::store::Record| {
        json!({
            "sample": record.index,
            "variables": point(job, &record.point),
            "responses": values(job, record.outcome.values()),
            "status": record.outcome.status(),
            "notes": record.notes,
        })
    };
    outcome.records.iter().map(one).collect()
}

fn failures(job: &Job, outcome: &Outcome) -> Value {
    let failed = outcome.records.iter().filter(|record| !record.outcome.is_done());
    let one = |record: &gudgeon_study::store::Record| {
        json!({
            "sample": record.index,
            "variables": point(job, &record.point),
            "status": record.outcome.status(),
            "cause": record.outcome.cause(),
        })
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

pub fn statistics_of(job: &Job, outcome: &Outcome, response: usize) -> Option<Statistics> {
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

fn statistics(job: &Job, outcome: &Outcome) -> Value {
    let one = |(i, response): (usize, &Response)| {
        let of = statistics_of(job, outcome, i)?;
        let [min, p5, median, p95, max] = of.quantiles;
        let of = json!({
            "mean": of.mean, "std": of.std,
            "min": min, "p5": p5, "median": median, "p95": p95, "max": max,
            "spread": of.spread,
        });
        Some((response.name.clone(), of))
    };
    Value::Object(job.study().responses.iter().enumerate().filter_map(one).collect())
}

fn fitted(job: &Job, fitted: &Fitted) -> Value {
    let name = &job.study().responses[fitted.response].name;
    let model = match &fitted.model {
        Ok(model) => model,
        Err(cause) => return json!({ "response": name, "error": cause }),
    };
    let (kriging, report) = (&model.kriging, model.kriging.report());
    let parameters = kriging.parameters();
    json!({
        "response": name,
        "file": format!("surrogates/{name}.json"),
        "samples": kriging.responses().len(),
        "validation": model.method,
        "q2": model.validation.q2,
        "rmse": model.validation.rmse,
        "predicted": model.validation.predicted,
        "standardised_residuals": model.validation.standardised,
        "theta": parameters.theta,
        "exponent": parameters.exponent,
        "nugget": parameters.nugget,
        "process_variance": kriging.process_variance(),
        "log_likelihood": report.log_likelihood,
        "condition": report.condition,
        "warnings": model.warnings,
    })
}

fn found(job: &Job, search: &Search) -> Value {
    json!({
        "method": search.method,
        "on": search.on,
        "evaluations": search.evaluations,
        "simulations": search.simulations,
        "note": search.note,
        "remarks": search.remarks,
        "points": search.optima.iter().map(|o| optimum(job, o)).collect::<Vec<_>>(),
        "history": search.history,
    })
}

fn optimum(job: &Job, optimum: &Optimum) -> Value {
    let objectives = job.study().optimise.as_ref().map_or(0, |wanted| wanted.objectives.len());
    let predicted = job.study().responses.iter().zip(&optimum.predicted);
    let predicted: Map<String, Value> = predicted
        .filter_map(|(response, at)| {
            let (mean, std) = (*at)?;
            Some((response.name.clone(), json!({ "mean": mean, "std": std })))
        })
        .collect();
    json!({
        "variables": point(job, &optimum.point),
        "predicted": predicted,
        "simulated": values(job, optimum.simulated.as_ref().ok().map(Vec::as_slice)),
        "error": optimum.simulated.as_ref().err(),
        "keeps_limits": optimum.feasible(),
        "on_front": (objectives > 1).then_some(optimum.standing == Standing::Best),
    })
}

fn effects(job: &Job, sensitivity: &Sensitivity) -> Value {
    let named = |all: Vec<Value>| {
        let names = job.study().variables.iter().map(|variable| variable.name.clone());
        Value::Object(names.zip(all).collect())
    };
    let index =
        |index: &Index| json!({ "value": index.value, "low": index.low, "high": index.high });
    let sobol = |of: &SobolIndices| {
        let pair = |(first, total)| json!({ "first": index(first), "total": index(total) });
        let variables = of.first.iter().zip(&of.total).map(pair).collect();
        json!({ "variables": named(variables), "variance": of.variance, "used": of.used })
    };
    let morris = |of: &Vec<MorrisEffect>| {
        let one = |e: &MorrisEffect| json!({ "mean": e.mean, "mean_size": e.mean_size, "std": e.deviation, "count": e.count });
        named(of.iter().map(one).collect())
    };
    let one = |of: &super::sensitivity::OfResponse| {
        let (mut sobol_of, mut morris_of) = (Value::Null, Value::Null);
        if let Some(result) = &of.sobol {
            sobol_of = result.as_ref().map_or_else(|error| json!({ "error": error }), sobol);
        }
        if let Some(result) = &of.morris {
            morris_of = result.as_ref().map_or_else(|error| json!({ "error": error }), morris);
        }
        let name = job.study().responses[of.response].name.clone();
        (name, json!({ "sobol": sobol_of, "morris": morris_of }))
    };
    let responses: Map<String, Value> = sensitivity.responses.iter().map(one).collect();
    json!({ "on": sensitivity.on, "simulations": sensitivity.simulations, "responses": responses })
}

fn sweep(job: &Job, result: &SweepResult) -> Value {
    let one = |(value, answer): &(f64, Result<Vec<f64>, String>)| {
        let found = answer.as_ref().ok().map(Vec::as_slice);
        json!({ "value": value, "responses": values(job, found), "error": answer.as_ref().err() })
    };
    let wanted = job.study().sweep.as_ref().and_then(|wanted| wanted.bifurcation.as_ref());
    let branch = |branch: &Branch| {
        let verdict = branch.verdict();
        json!({
            "value": branch.value,
            "states": branch.seen.as_ref().ok().map(|(states, _)| states),
            "period": verdict.and_then(|verdict| verdict.period()),
            "transient": verdict.and_then(|verdict| verdict.transient()),
            "looked_for": verdict.map(|verdict| verdict.longest),
            "found": wanted.map(|wanted| told(branch.kind(), &[branch], wanted)),
            "error": branch.seen.as_ref().err(),
        })
    };
    let history = |history: &History| json!({ "value": history.value, "file": history.file.as_ref().ok(), "error": history.file.as_ref().err() });
    let branches = result.bifurcation.as_ref();
    json!({
        "variable": job.study().variables[result.variable].name,
        "points": result.points.iter().map(one).collect::<Vec<_>>(),
        "bifurcation": branches.map(|all| all.iter().map(branch).collect::<Vec<_>>()),
        "histories": result.histories.iter().map(history).collect::<Vec<_>>(),
    })
}
