//! What a user should know before trusting an optimum.

use gudgeon_study::file::Optimiser;
use gudgeon_study::store::Record;

use super::{Optimum, Setting};
use crate::study::point_shown;
use crate::text::{plural, quantity};

/// Predicted standard deviations beyond which a surrogate was wrong; fewer where the error is as
/// large as half of the prediction.
const FAR: f64 = 3.0;
const NOTABLE: f64 = 2.0;

pub fn remarks(setting: &Setting, records: &[Record], optima: &[Optimum]) -> Vec<String> {
    let [one] = optima else { return front(setting, optima) };
    let mut remarks: Vec<String> =
        (0..setting.models.len()).filter_map(|response| wrong(setting, one, response)).collect();
    // What `ego` finds has been simulated, and the model knows it.
    if setting.wanted.method != Optimiser::Ego {
        remarks.extend(impossible(setting, records, one));
    }
    remarks.extend(better_sample(setting, records, one));
    remarks
}

/// Predicted deviations between prediction and simulation, if they are many.
fn surprise(setting: &Setting, optimum: &Optimum, response: usize) -> Option<f64> {
    let values = optimum.simulated.as_ref().ok()?;
    let simulated = setting.job.value(values, response);
    let (predicted, _) = optimum.predicted[response]?;
    let kriging = &setting.models[response]?.kriging;
    let deviations = kriging.surprise(&optimum.point, simulated).ok()?.abs();
    let large = (simulated - predicted).abs() > 0.5 * predicted.abs();
    // What rounds to the same four digits is the same.
    let same = (simulated - predicted).abs() <= 1e-4 * predicted.abs();
    (!same && deviations > if large { NOTABLE } else { FAR }).then_some(deviations)
}

fn wrong(setting: &Setting, optimum: &Optimum, response: usize) -> Option<String> {
    let deviations = surprise(setting, optimum, response)?;
    let simulated = setting.job.value(optimum.simulated.as_ref().ok()?, response);
    let (predicted, _) = optimum.predicted[response]?;
    let of = &setting.job.study().responses[response];
    let ratio = simulated / predicted;
    let how = match ratio {
        0.01..0.95 | 1.05..100.0 => format!("{} times the prediction", two_digits(ratio)),
        _ => {
            let side = if simulated > predicted { "above" } else { "below" };
            format!("{} {side} the prediction", quantity((simulated - predicted).abs(), &of.unit))
        }
    };
    let off = match deviations {
        0.0..1000.0 => format!("{} standard deviations off", two_digits(deviations)),
        _ => "far beyond its standard deviation".to_owned(),
    };
    Some(format!(
        "the simulation of `{}` is {how}, {off}: trust the simulation, and sample more near this point",
        of.name
    ))
}

fn two_digits(number: f64) -> String {
    let rounded: f64 = format!("{number:.1e}").parse().unwrap_or(number);
    format!("{rounded}")
}

/// Predictions below zero of what is never negative.
fn impossible(setting: &Setting, records: &[Record], optimum: &Optimum) -> Vec<String> {
    let one = |(response, predicted): (usize, &Option<(f64, f64)>)| {
        let (mean, _) = (*predicted)?;
        let done = || records.iter().filter_map(|record| record.outcome.values());
        let least = done().map(|v| setting.job.value(v, response)).fold(f64::INFINITY, f64::min);
        let of = &setting.job.study().responses[response];
        let advice = match least {
            _ if mean >= 0.0 || least < 0.0 => return None,
            0.0 => String::new(),
            _ => format!("; `log = [\"{}\"]` in `[surrogate]` keeps it positive", of.name),
        };
        let mean = quantity(mean, &of.unit);
        let name = &of.name;
        Some(format!("the surrogate of `{name}` predicts {mean}, no sample is negative{advice}"))
    };
    optimum.predicted.iter().enumerate().filter_map(one).collect()
}

/// A sample that is better than the simulation of the optimum.
fn better_sample(setting: &Setting, records: &[Record], optimum: &Optimum) -> Option<String> {
    let [objective] = setting.wanted.objectives[..] else { return None };
    let (job, response) = (setting.job, &setting.job.study().responses[objective.response]);
    let sign = if objective.maximise { -1.0 } else { 1.0 };
    let value = |values: &[f64]| sign * job.value(values, objective.response);
    let found = optimum.simulated.as_ref().ok();
    let limit = found.filter(|v| setting.keeps(v)).map_or(f64::INFINITY, |v| value(v));
    let kept = records.iter().filter_map(|r| Some((r, r.outcome.values()?)));
    let kept = kept.filter(|(_, values)| setting.keeps(values) && value(values) < limit);
    let (record, values) = kept.min_by(|a, b| value(a.1).total_cmp(&value(b.1)))?;
    Some(format!(
        "sample {} is better: `{}` {} at {}",
        record.index,
        response.name,
        quantity(job.value(values, objective.response), &response.unit),
        point_shown(job, &record.point),
    ))
}

/// A front in one sentence.
fn front(setting: &Setting, optima: &[Optimum]) -> Vec<String> {
    let responses = || setting.wanted.objectives.iter().map(|objective| objective.response);
    let is_wrong = |o: &&Optimum| responses().any(|r| surprise(setting, o, r).is_some());
    let wrong = optima.iter().filter(is_wrong).count();
    if wrong == 0 {
        return Vec::new();
    }
    let points = plural(optima.len(), "point", "points");
    vec![format!(
        "at {wrong} of {points} the simulation is far from the prediction: trust the simulations, \
         and sample more near the front"
    )]
}
