//! Variables and responses as axes, in the units of the study.

use gudgeon_output::plot::{AxisSpec, Spacing};
use gudgeon_study::design::distribution::Distribution;
use gudgeon_study::file::{Response, Scale, Study, Values, Variable};
use gudgeon_study::store::Record;

use super::super::{StudyJob, StudyOutcome, readable};

/// The axis of a variable over its range.
pub fn variable(study: &Study, index: usize) -> AxisSpec {
    let variable = &study.variables[index];
    if let Some(choices) = variable.values.choices() {
        let words = choices.iter().map(|choice| variable.choice_shown(choice)).collect();
        let spacing = Spacing::Words(words);
        return AxisSpec { name: variable.name.clone(), spacing, ..AxisSpec::default() };
    }
    let (low, high) = ends(variable);
    AxisSpec {
        name: variable.name.clone(),
        unit: variable.shown.unit.clone(),
        spacing: if is_log(study, index) { Spacing::Log } else { Spacing::Linear },
        ends: Some((shown(variable, low), shown(variable, high))),
    }
}

/// The axis of a response; by the logarithm where its surrogate is.
pub fn response(study: &Study, index: usize) -> AxisSpec {
    let response: &Response = &study.responses[index];
    let by_log = study.surrogate.as_ref().is_some_and(|s| s.log_responses.contains(&index));
    AxisSpec {
        name: response.name.clone(),
        unit: response.unit.to_string(),
        spacing: if by_log { Spacing::Log } else { Spacing::Linear },
        ends: None,
    }
}

/// A value in the unit of the study; of a choice, its index.
pub fn shown(variable: &Variable, value: f64) -> f64 {
    if is_choice(variable) { value } else { value / variable.shown.factor }
}

pub fn is_choice(variable: &Variable) -> bool {
    variable.values.choices().is_some()
}

/// Whether a variable is drawn by its logarithm: it is sampled or modelled by it.
fn is_log(study: &Study, index: usize) -> bool {
    let sampled = study.variables[index].values.scale() == Scale::Log;
    let modelled = study.surrogate.as_ref().is_some_and(|s| s.log_variables.contains(&index));
    (sampled || modelled) && ends(&study.variables[index]).0 > 0.0
}

/// The range that is drawn: of a normal distribution without limits, three standard deviations.
fn ends(variable: &Variable) -> (f64, f64) {
    match variable.values {
        Values::Distribution(Distribution::Normal { mean, deviation }) => {
            (mean - 3.0 * deviation, mean + 3.0 * deviation)
        }
        _ => variable.values.bounds().unwrap_or((0.0, 1.0)),
    }
}

/// The share of a value of the range that is drawn, 0 to 1 inside.
pub fn share(study: &Study, index: usize, value: f64) -> f64 {
    let (low, high) = ends(&study.variables[index]);
    if is_log(study, index) {
        return (value / low).ln() / (high / low).ln();
    }
    (value - low) / (high - low)
}

/// Values over the range of a variable: where it is drawn, and what it is. A choice has some for each
/// of its values, from end to end of its place.
pub fn levels(study: &Study, index: usize, count: usize) -> Vec<(f64, f64)> {
    let variable = &study.variables[index];
    let (low, high) = ends(variable);
    if is_choice(variable) {
        let across = [-0.4999, -0.25, 0.0, 0.25, 0.4999];
        let place = |k: usize| across.map(|side| (k as f64 + side, k as f64));
        return (0..=high as usize).flat_map(place).collect();
    }
    let log = is_log(study, index);
    let value = |k: usize| {
        let part = k as f64 / (count - 1) as f64;
        match k {
            0 => low,
            _ if k == count - 1 => high,
            _ if log => low * (high / low).powf(part),
            _ => low + part * (high - low),
        }
    };
    (0..count).map(|k| (shown(variable, value(k)), value(k))).collect()
}

/// The middle of every range, the median of every distribution.
pub fn middle(job: &StudyJob) -> Vec<f64> {
    job.study().values(&vec![0.5; job.study().variables.len()])
}

/// The one best point, if a search has found one.
pub fn best(outcome: &StudyOutcome) -> Option<&[f64]> {
    match &outcome.search.as_ref()?.optima[..] {
        [one] => Some(&one.point),
        _ => None,
    }
}

/// Two standard deviations around a prediction. Where its logarithm is normal with variance v, the
/// variance is (eᵛ − 1) eᵛ times the square of the median.
pub fn interval(axis: &AxisSpec, (mean, std): (f64, f64)) -> (f64, f64) {
    if axis.spacing == Spacing::Log && mean > 0.0 {
        let ratio = (std / mean).powi(2);
        let v = (0.5 + (0.25 + ratio).sqrt()).ln();
        let reach = (2.0 * v.sqrt()).exp();
        return (mean / reach, mean * reach);
    }
    (mean - 2.0 * std, mean + 2.0 * std)
}

/// Values of variables in words.
pub fn told(study: &Study, values: &[(usize, f64)]) -> String {
    let one = |(index, value): &(usize, f64)| {
        let variable = &study.variables[*index];
        format!("{} {}", variable.name, readable(variable, *value))
    };
    values.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// Points and values of a response of all samples that ran, with their numbers.
pub fn done<'a>(
    job: &'a StudyJob,
    outcome: &'a StudyOutcome,
    response: usize,
) -> impl Iterator<Item = (usize, &'a [f64], f64)> {
    finished(job, &outcome.records, response)
}

/// The same of the simulations that a search has added to the surrogates.
pub fn infill<'a>(
    job: &'a StudyJob,
    outcome: &'a StudyOutcome,
    response: usize,
) -> impl Iterator<Item = (usize, &'a [f64], f64)> {
    finished(job, &outcome.infill, response)
}

/// What their points are called.
pub const INFILL: &str = "simulated by the search";

fn finished<'a>(
    job: &'a StudyJob,
    records: &'a [Record],
    response: usize,
) -> impl Iterator<Item = (usize, &'a [f64], f64)> {
    records.iter().filter_map(move |record| {
        Some((record.index, record.point.as_slice(), job.given(record, response)?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_of_a_logarithm_are_ratios() {
        let axis = AxisSpec { spacing: Spacing::Log, ..AxisSpec::default() };
        let v: f64 = 0.09;
        let std = 5.0 * ((v.exp() - 1.0) * v.exp()).sqrt();
        let (low, high) = interval(&axis, (5.0, std));
        let expected = 0.6f64.exp(); // twice the root of v
        assert!((low - 5.0 / expected).abs() < 1e-12 && (high - 5.0 * expected).abs() < 1e-12);
        assert_eq!(interval(&AxisSpec::default(), (5.0, 1.0)), (3.0, 7.0));
    }
}
