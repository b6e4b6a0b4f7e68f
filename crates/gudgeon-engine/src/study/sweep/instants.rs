//! When a run is looked at: at a time, or when a driver has turned so far.

use gudgeon::model::Model;
use gudgeon::run::{RunSpec, Until};
use gudgeon_study::file::LoadedStudy;
use gudgeon_study::file::{Bifurcation, Interval};
use gudgeon_study::turns::{instants as turns, multiples, turned};

use gudgeon_study::runner::built;

/// States of a value at most.
const MOST: f64 = 1e5;

/// Refuses a bifurcation whose driver tells no periods at any value.
pub fn check(loaded: &LoadedStudy) -> Result<(), String> {
    let Some(sweep) = &loaded.study.sweep else { return Ok(()) };
    let Some(bifurcation) = &sweep.bifurcation else { return Ok(()) };
    let mut why = None;
    for value in &sweep.values {
        let found = built(loaded.load_with(&[(sweep.variable, *value)], &[]));
        let Ok((model, spec)) = found else { continue };
        match instants(&model, &spec, bifurcation) {
            Ok(_) => return Ok(()),
            Err(cause) => drop(why.get_or_insert(cause)),
        }
    }
    let told = |cause| format!("no value of the sweep gives states once per period: {cause}");
    why.map_or(Ok(()), |cause| Err(told(cause)))
}

/// Once per period from `skip` to the end of the run, s.
pub fn instants(model: &Model, spec: &RunSpec, wanted: &Bifurcation) -> Result<Vec<f64>, String> {
    let Until::Time(end) = spec.until else {
        return Err("`until` must be a time or turns of a driver".to_owned());
    };
    let mut all = every(model, wanted.every, end)?;
    let skip = match wanted.skip {
        Interval::Time(time) => time,
        Interval::Turn { angle: 0.0, .. } => 0.0,
        skip => every(model, skip, end)?.first().copied().unwrap_or(f64::INFINITY),
    };
    all.retain(|t| *t > skip * (1.0 + 1e-9));
    match all.is_empty() {
        true => Err("the run is too short for states once per period after `skip`".to_owned()),
        false => Ok(all),
    }
}

/// The instants up to `end` that an interval after an interval gives.
fn every(model: &Model, interval: Interval, end: f64) -> Result<Vec<f64>, String> {
    let count = match interval {
        Interval::Time(time) => end / time,
        Interval::Turn { driver, angle } => turned(&model.drivers[driver.0].motion, end) / angle,
    };
    if count > MOST {
        return Err(format!("more than {MOST} states once per period"));
    }
    match interval {
        Interval::Time(time) => Ok(multiples(time, end)),
        Interval::Turn { driver, angle } => {
            turns(&model.drivers[driver.0], angle, end).map_err(|error| error.to_string())
        }
    }
}
