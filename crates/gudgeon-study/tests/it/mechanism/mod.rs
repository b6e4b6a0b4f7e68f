//! A slider-crank built in code, and studies of it.
#![allow(dead_code)]

#[path = "../../../../gudgeon/tests/it/common/mod.rs"]
mod common;

pub use common::{rpm, slider_crank};
use gudgeon::run::{Every, Limits, Method, RunSpec, Until};
use gudgeon_study::responses::{
    Contact, ImpactField, ImpactStatistic, Measure, Response, ResponseKind, Statistic,
};

/// Stiffness of the pin by Hertz, as the paper's Eq. 5.
pub fn hertz(clearance: f64) -> f64 {
    4.0 / 3.0 * 207e9 / 1.82 * (0.01f64 * (0.01 - clearance) / clearance).sqrt()
}

/// A run from the start to `end` without outputs: responses add theirs.
pub fn run_for(end: f64, rtol: f64) -> RunSpec {
    RunSpec {
        until: Until::Time(end),
        at_most: None,
        measure_from: Until::Time(0.0),
        outputs: Vec::new(),
        method: Method::Auto,
        rtol: Some(rtol),
        every: Every::Grid,
        loops: Vec::new(),
        pressure_at: Vec::new(),
        limits: Limits::default(),
        ked: None,
    }
}

pub fn output(statistic: Statistic, output: &str) -> Measure {
    Measure::Output { output: output.into(), statistic }
}

pub fn impacts(statistic: ImpactStatistic, of: &str, field: ImpactField) -> Measure {
    Measure::Impacts { contact: contact(of), field, statistic }
}

/// `joint` or `joint.spot`.
pub fn contact(text: &str) -> Contact {
    match text.split_once('.') {
        Some((joint, spot)) => Contact { joint: joint.into(), spot: Some(spot.into()) },
        None => Contact { joint: text.into(), spot: None },
    }
}

/// The columns of tables ask the model for the unit.
pub fn named(name: &str, measure: Measure) -> Response {
    let text = measure.to_string();
    Response { name: name.into(), text, kind: ResponseKind::Measured(measure), unit: String::new() }
}

/// Numbers for formulas.
pub fn numbers(point: &[f64]) -> Vec<f64> {
    point.to_vec()
}

pub fn acceleration() -> Response {
    named("acceleration", output(Statistic::AbsMax, "slider.acceleration.x"))
}

pub fn lost() -> Response {
    named("lost", impacts(ImpactStatistic::Sum, "pin", ImpactField::Loss))
}
