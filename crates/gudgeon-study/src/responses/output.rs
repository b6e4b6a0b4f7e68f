//! Outputs in the report of a run and in what it kept.

use gudgeon::model::Model;
use gudgeon::results::Extreme;
use gudgeon::sensor::{Sensor, resolve};

use super::measure::window;
use super::{ResponseError, RunData, Statistic};
use crate::turns::turning;

/// The number of an output among those of the run.
fn column(run: &RunData, output: &str) -> Result<usize, ResponseError> {
    let index = run.report.extremes.iter().position(|extreme| extreme.name == output);
    index.ok_or_else(|| not_recorded(output))
}

fn not_recorded(output: &str) -> ResponseError {
    ResponseError::NotRecorded { output: output.into() }
}

pub(super) fn of_output(
    run: &RunData,
    output: &str,
    statistic: Statistic,
) -> Result<f64, ResponseError> {
    check(statistic, run.model)?;
    let index = column(run, output)?;
    let of = |values: &[f64]| values.get(index).copied().ok_or_else(|| not_recorded(output));
    let extreme: &Extreme = &run.report.extremes[index];
    let present = |value: f64| match value.is_nan() {
        true => Err(ResponseError::Missing { output: output.into() }),
        false => Ok(value),
    };
    match statistic {
        Statistic::Start => return of(&run.kept.start).and_then(present),
        Statistic::Final => return of(&run.report.final_values).and_then(present),
        _ => {}
    }
    let window = window(run.report)?;
    present(match statistic {
        Statistic::Max => extreme.max,
        Statistic::Min => extreme.min,
        Statistic::TimeOfMax => extreme.t_max,
        Statistic::TimeOfMin => extreme.t_min,
        Statistic::AbsMax => extreme.abs_max().0,
        Statistic::Rms => extreme.rms,
        Statistic::Mean => extreme.mean,
        Statistic::Range => extreme.max - extreme.min,
        Statistic::Percentile(p) => {
            let level = run.kept.rows.percentile(index, p, window);
            level.ok_or_else(|| ResponseError::TooFewRows { output: output.into() })?
        }
        Statistic::Turns(statistic) => {
            let peaks = run.kept.turns.clone()?.of(index).ok_or_else(|| not_recorded(output))?;
            statistic.of(peaks).ok_or(ResponseError::NoWholeTurn)?
        }
        Statistic::Start | Statistic::Final => unreachable!("answered above"),
    })
}

pub(super) fn first(
    run: &RunData,
    output: &str,
    less: Option<&str>,
    above: f64,
) -> Result<f64, ResponseError> {
    let rows = &run.kept.rows;
    let values = |output: &str| {
        let column = column(run, output)?;
        rows.column(column).ok_or_else(|| not_recorded(output))
    };
    let mut magnitudes = values(output)?;
    let subtracted = less.map(values).transpose()?.unwrap_or_default();
    magnitudes.iter_mut().zip(subtracted).for_each(|(value, less)| *value -= less);
    magnitudes.iter_mut().for_each(|value| *value = value.abs());
    let of = || difference(output, less);
    rows.first_above(&magnitudes, above)
        .ok_or_else(|| ResponseError::NotExceeded { of: of(), above })
}

pub(super) fn at(run: &RunData, output: &str, time: f64) -> Result<f64, ResponseError> {
    let index = column(run, output)?;
    let value = run.kept.instants.at(time).and_then(|values| values.get(index)).copied();
    let none = || ResponseError::NotAt { output: output.into(), time };
    value.filter(|value| !value.is_nan()).ok_or_else(none)
}

/// A percentile lies between 0 and 100, and turns are those of one driver.
pub(super) fn check(statistic: Statistic, model: &Model) -> Result<(), ResponseError> {
    match statistic {
        Statistic::Percentile(p) if !(0.0..=100.0).contains(&p) => {
            Err(ResponseError::NoPercentile(p))
        }
        Statistic::Turns(_) => match turning(model).len() {
            1 => Ok(()),
            drivers => Err(ResponseError::NoTurns { drivers }),
        },
        _ => Ok(()),
    }
}

pub(super) fn sensor(model: &Model, name: &str) -> Result<Sensor, ResponseError> {
    resolve(model, name).map_err(|error| ResponseError::UnknownOutput {
        output: name.into(),
        reason: error.message,
    })
}

/// `A` or `A - B`.
pub(super) fn difference(output: &str, less: Option<&str>) -> String {
    less.map_or(output.to_owned(), |less| format!("{output} - {less}"))
}
