//! The pictures of a run.

use gudgeon::model::Model;
use gudgeon::results::{Extreme, RunReport};
use gudgeon::sensor::Sensor;
use gudgeon_output::plot::{
    Curve, JointOrbit, LinePlot, OrbitPlot, Panel, Peak, PlotSpec, Series, lines, orbits,
    time_series,
};
use gudgeon_output::{OutputError, ResultFolder};

use crate::cmd::run::Job;
use crate::execute::Outcome;
use crate::fields;
use crate::record::column;
use crate::summary::ideal_value;
use crate::table::quantity;

/// The series to compare with.
const IDEAL: &str = "ideal joints";
/// Curves below this part of the natural size of an output are rounding. Cancellation leaves some
/// 1e-16 to 1e-13; a film that creeps for a quarter of an hour still moves by 1e-10.
const ROUNDING: f64 = 1e-12;

/// Writes the pictures there is data for, and the table behind that of pressures.
pub fn write(folder: &ResultFolder, job: &Job, outcome: &Outcome) -> Result<(), OutputError> {
    let model = &job.loaded.model;
    if !job.loaded.run.outputs.is_empty() {
        folder.write("plot.svg", &outputs_over_time(job, outcome))?;
    }
    if !outcome.recording.drawing.orbits.is_empty() {
        folder.write("orbit.svg", &journal_orbits(job, outcome))?;
    }
    if !outcome.recording.loops.is_empty() {
        folder.write("loops.svg", &impact_loops(outcome))?;
    }
    fields::write(folder, &model.name, &outcome.report.fields)
}

/// The picture to look at first.
pub fn first(job: &Job, outcome: &Outcome) -> Option<&'static str> {
    if !job.loaded.run.outputs.is_empty() {
        Some("plot.svg")
    } else if !outcome.recording.drawing.orbits.is_empty() {
        Some("orbit.svg")
    } else if !outcome.report.fields.is_empty() {
        Some("pressure.svg")
    } else {
        None
    }
}

fn outputs_over_time(job: &Job, outcome: &Outcome) -> String {
    let report = &outcome.report;
    let count = job.loaded.run.outputs.len();
    let panels: Vec<Panel> = (0..count).map(|i| panel(job, outcome, i)).collect();
    let (real_curves, ideal_curves) =
        (outcome.recording.drawing.curves(), outcome.baseline.as_ref().map(|b| b.drawing.curves()));
    time_series(&PlotSpec {
        title: &job.loaded.model.name,
        subtitle: &subtitle(job, outcome),
        panels: &panels,
        series: Series { label: real(&job.loaded.model), envelope: &real_curves },
        baseline: ideal_curves.as_ref().map(|envelope| Series { label: IDEAL, envelope }),
        measure_from: (is_measured(report) && !job.range.window).then_some(report.window.0),
    })
}

/// One output, with the words of the summary.
fn panel(job: &Job, outcome: &Outcome, index: usize) -> Panel {
    let (sensor, report) = (&job.loaded.run.outputs[index], &outcome.report);
    let rounding = ROUNDING * sensor.natural_size(&job.assembly, report.energy.peak_kinetic);
    let column = column(sensor);
    let mut panel =
        Panel { column, baseline: sensor.has_ideal_value(), rounding, ..Panel::default() };
    if let Some(extreme) = report.extremes.get(index).filter(|_| is_measured(report)) {
        let ideal = outcome.baseline.as_ref().and_then(|b| b.report.extremes.get(index));
        (panel.mark, panel.label) = mark(sensor, extreme, ideal, rounding);
        if !job.range.window {
            panel.label.insert_str(0, "measured: ");
        }
    }
    panel
}

/// The extreme that is marked, and what is said of it.
fn mark(
    sensor: &Sensor,
    extreme: &Extreme,
    ideal: Option<&Extreme>,
    rounding: f64,
) -> (Option<Peak>, String) {
    let largest = extreme.abs_max().0;
    if largest <= rounding {
        let label = match largest {
            0.0 => "zero throughout".to_owned(),
            _ => format!("zero, rounding up to {}", quantity(largest, sensor.unit)),
        };
        return (None, label);
    }
    let (word, mark) = match sensor.least_matters() {
        true => ("min", trough(extreme)),
        false => ("peak", peak(extreme)),
    };
    let (value, at) = (quantity(mark.value, sensor.unit), quantity(mark.t, "s"));
    let ideal = ideal.and_then(|ideal| ideal_value(sensor, extreme, ideal));
    let ideal = ideal.map(|value| format!(" · {IDEAL} {value}")).unwrap_or_default();
    (Some(mark), format!("{word} {value} at {at}{ideal}"))
}

/// What of the run is drawn, where that is not all of it.
fn subtitle(job: &Job, outcome: &Outcome) -> String {
    let last = outcome.report.final_time;
    let (from, to) = outcome.recording.drawing.ends();
    let start = if from == 0.0 { "0".to_owned() } else { quantity(from, "s") };
    let part = format!("{start} … {} of 0 … {}", quantity(to, "s"), quantity(last, "s"));
    match job.range.window {
        _ if !outcome.recording.reached => {
            let what = if job.range.window { "measuring window" } else { "range to be drawn" };
            format!("the run ended before the {what}; all of it is shown")
        }
        true if from > 0.0 => format!("measuring window, {part}"),
        false if from > 0.0 || to < last => part,
        _ => String::new(),
    }
}

/// Whether the run got into its measuring window.
fn is_measured(report: &RunReport) -> bool {
    report.window.1 > report.window.0
}

/// The value of largest magnitude with its sign.
fn peak(extreme: &Extreme) -> Peak {
    if extreme.max.abs() >= extreme.min.abs() {
        Peak { t: extreme.t_max, value: extreme.max }
    } else {
        Peak { t: extreme.t_min, value: extreme.min }
    }
}

fn trough(extreme: &Extreme) -> Peak {
    Peak { t: extreme.t_min, value: extreme.min }
}

/// What a run has that the one with ideal joints has not.
fn real(model: &Model) -> &'static str {
    let mut loose = model.joints.iter().filter_map(|joint| joint.clearance.as_ref());
    if loose.all(|clearance| clearance.film.is_some()) { "with film" } else { "with clearance" }
}

fn journal_orbits(job: &Job, outcome: &Outcome) -> String {
    let named = gudgeon::simulate::orbits(&job.loaded.model);
    let joints: Vec<JointOrbit> = named
        .iter()
        .zip(&outcome.recording.drawing.orbits)
        .map(|((name, clearance), orbit)| JointOrbit { joint: name, clearance: *clearance, orbit })
        .collect();
    let title = if joints.len() == 1 { "journal orbit" } else { "journal orbits" };
    orbits(&OrbitPlot { title, subtitle: &subtitle(job, outcome), joints: &joints })
}

fn impact_loops(outcome: &Outcome) -> String {
    let curve = |one: &crate::record::LoopCurve| Curve {
        label: format!("{}, impact {}", one.joint, one.impact),
        points: one.points.clone(),
    };
    let curves: Vec<Curve> = outcome.recording.loops.iter().map(curve).collect();
    lines(&LinePlot::force_indentation("force over indentation", &curves))
}
