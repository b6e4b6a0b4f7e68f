//! Runs the cases of a paper on all cores; the results do not depend on their number.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use gudgeon::ensemble::shifted;
use gudgeon::model::Model;
use gudgeon::progress::Progress;
use gudgeon::results::Status;
use gudgeon::run::RunSpec;
use gudgeon_study::responses::{Measure, measured_run};

use super::film;
use super::job::{Job, Work, measures};
use super::value::{Measured, Ran, Run, Value};

/// Seed of all ensembles.
const SEED: u64 = 1;

/// What a case gave, by the texts that ask for it; an error where nothing came of it.
pub type Outcome = Result<Vec<(String, Result<Measured, String>)>, String>;

/// Values by name, of what is no run.
pub type Named = Vec<(String, f64)>;

/// The outcomes in the order of the jobs, or `None` when `progress` cancels them.
pub fn run_all(jobs: &[Job], threads: usize, progress: &dyn Progress) -> Option<Vec<Outcome>> {
    let threads = match threads {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        threads => threads,
    };
    let next = AtomicUsize::new(0);
    let done = AtomicUsize::new(0);
    let slots: Mutex<Vec<Option<Outcome>>> = Mutex::new(vec![None; jobs.len()]);
    std::thread::scope(|scope| {
        for _ in 0..threads.min(jobs.len()) {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    if index >= jobs.len() || progress.is_cancelled() {
                        break;
                    }
                    let outcome = run(&jobs[index], progress);
                    slots.lock().expect("no job panics")[index] = Some(outcome);
                    let done = done.fetch_add(1, Ordering::Relaxed) + 1;
                    progress.report(done as f64 / jobs.len() as f64);
                }
            });
        }
    });
    let outcomes = slots.into_inner().expect("no job panics").into_iter().collect();
    if progress.is_cancelled() { None } else { outcomes }
}

fn run(job: &Job, progress: &dyn Progress) -> Outcome {
    match &job.work {
        Work::Surrogate(case) => Ok(by_name(job, &case.fit(progress)?)),
        Work::Film { model, state } => Ok(by_name(job, &film::evaluate(model, state)?)),
        Work::Run { model, spec, ensemble } => {
            let ran = ran(model, spec, *ensemble, job, progress)?;
            let measured = |value: &Value| value.of_runs(model, &ran);
            let taken = |(text, value): &(String, Value)| {
                (text.clone(), measured(value).map_err(|error| format!("`{text}`: {error}")))
            };
            Ok(job.values.iter().map(taken).collect())
        }
    }
}

/// The values asked for among those that have names.
fn by_name(job: &Job, named: &Named) -> Vec<(String, Result<Measured, String>)> {
    let find = |name: &String| named.iter().find(|(other, _)| other == name);
    let taken = |(text, value): &(String, Value)| {
        let found = match value {
            Value::Named(name) => find(name).map(|(_, value)| *value),
            Value::Measured(_)
            | Value::Spread(_)
            | Value::CpuTime
            | Value::Warnings(_)
            | Value::Frequency(_) => None,
        };
        let measured = found.map(|value| Measured { value, spread: None });
        (text.clone(), measured.ok_or_else(|| format!("there is no `{text}`")))
    };
    job.values.iter().map(taken).collect()
}

fn ran(
    model: &Model,
    spec: &RunSpec,
    ensemble: Option<usize>,
    job: &Job,
    progress: &dyn Progress,
) -> Result<Ran, String> {
    let measures = measures(&job.values);
    let of_run = |value: &Value| matches!(value, Value::CpuTime | Value::Frequency(_));
    let is_timed = job.values.iter().any(|(_, value)| of_run(value));
    if !is_timed && !measures.iter().any(|measure| measure.needs_run()) {
        return Ok(Ran::Nothing);
    }
    let once = |model: &Model| simulated(model, spec, &measures, progress);
    Ok(match ensemble {
        Some(runs) => {
            let start = |index| shifted(model, SEED, index);
            Ran::Ensemble((0..runs).map(|i| once(&start(i))).collect::<Result<_, String>>()?)
        }
        None => Ran::Once(Box::new(once(model)?)),
    })
}

/// One run.
fn simulated(
    model: &Model,
    spec: &RunSpec,
    measures: &[&Measure],
    progress: &dyn Progress,
) -> Result<Run, String> {
    let stop = || progress.is_cancelled();
    let run = measured_run(measures.iter().copied(), model, spec, &stop);
    let (report, kept) = run.map_err(|error| error.to_string())?;
    match &report.status {
        Status::Failed(error) => Err(error.to_string()),
        Status::Interrupted => Err("interrupted".into()),
        Status::Done => Ok(Run { report, kept }),
    }
}

#[cfg(test)]
mod tests {
    use gudgeon::progress::Unwatched;
    use serde::Deserialize;

    use super::*;
    use crate::reproduce::job::Part;
    use crate::reproduce::reference::Recipe;
    use crate::reproduce::value::Text;

    #[derive(Deserialize)]
    struct Asked {
        recipe: Recipe,
        values: Vec<Text>,
    }

    fn job(text: &'static str) -> Job {
        let Asked { recipe, values } = toml::from_str(text).unwrap();
        let part = Part {
            model: "slider_crank",
            text,
            groups: Vec::new(),
            figures: Vec::new(),
            equations: Vec::new(),
            tables: Vec::new(),
        };
        part.job(&recipe, &values.iter().collect::<Vec<_>>()).unwrap_or_else(|r| panic!("{r}"))
    }

    fn values(job: Job) -> Vec<Measured> {
        let outcome = run_all(&[job], 1, &Unwatched).unwrap().remove(0).unwrap();
        outcome.into_iter().map(|(_, measured)| measured.unwrap()).collect()
    }

    #[test]
    fn turns_of_an_ensemble_are_counted_together() {
        let job = job(r#"
            recipe = { until = "2 rev", measure_from = "0 rev", ensemble = 2 }
            values = ["turn_min(pin.contact_force)", "turn_median(pin.contact_force)", "abs_max(pin.contact_force)", "spread(abs_max(pin.contact_force))"]
        "#);
        let Work::Run { model, spec, .. } = &job.work else { panic!("a run") };
        let (mut peaks, mut largest) = (Vec::new(), Vec::new());
        for index in 0..2 {
            let start = shifted(model, SEED, index);
            let run = simulated(&start, spec, &measures(&job.values), &Unwatched).unwrap();
            let column = spec.outputs.iter().position(|o| o.name == "pin.contact_force").unwrap();
            peaks.extend(run.kept.turns.unwrap().of(column).unwrap());
            largest.push(run.report.extremes[column].abs_max().0);
        }
        peaks.sort_by(f64::total_cmp);
        assert_eq!(peaks.len(), 4);
        let found = values(job);
        assert_eq!(found[0].value, peaks[0]);
        assert_eq!(found[1].value, 0.5 * (peaks[1] + peaks[2]));
        let (mean, half) = (0.5 * (largest[0] + largest[1]), 0.5 * (largest[0] - largest[1]).abs());
        assert!((found[2].value / mean - 1.0).abs() < 1e-12);
        let std = half * 2.0_f64.sqrt();
        assert!((found[2].spread.unwrap() / std - 1.0).abs() < 1e-9);
        assert!((found[3].value / (std / mean) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn a_value_that_a_run_does_not_give_says_why() {
        let job = job(r#"
            recipe = { until = "1 us", measure_from = "0 rev" }
            values = ["nth(pin.impacts.t, 1)", "effective_restitution(pin)"]
        "#);
        let outcome = run_all(&[job], 1, &Unwatched).unwrap().remove(0).unwrap();
        let why = "`nth(pin.impacts.t, 1)`: `pin` has no impact 1: the run had 0";
        assert_eq!(outcome[0].1, Err(why.to_owned()));
        assert!(outcome[1].1.is_ok());
    }

    #[test]
    fn laws_alone_need_no_run() {
        let job = job(r#"
            recipe = { until = "1e6 rev", set = { restitution = 0.9 } }
            values = ["effective_restitution(pin)"]
        "#);
        let found = values(job)[0].value;
        assert!((found - 0.913177).abs() < 1e-6, "{found}");
    }
}
