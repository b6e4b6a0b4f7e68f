//! The pictures of a run.

use gudgeon::model::Model;
use gudgeon::results::Extreme;
use gudgeon_output::plot::{
    Curve, JointOrbit, LinePlot, OrbitPlot, Panel, Peak, PlotSpec, Series, lines, orbits,
    time_series,
};
use gudgeon_output::{OutputError, ResultFolder};

use crate::cmd::run::Job;
use crate::execute::Outcome;
use crate::fields;
use crate::record::column;

/// Writes the pictures there is data for, and the table behind that of pressures.
pub fn write(folder: &ResultFolder, job: &Job, outcome: &Outcome) -> Result<(), OutputError> {
    let model = &job.loaded.model;
    if !job.loaded.run.outputs.is_empty() {
        folder.write("plot.svg", &outputs_over_time(job, outcome))?;
    }
    if !outcome.recording.orbits.is_empty() {
        folder.write("orbit.svg", &journal_orbits(model, outcome))?;
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
    } else if !outcome.recording.orbits.is_empty() {
        Some("orbit.svg")
    } else if !outcome.report.fields.is_empty() {
        Some("pressure.svg")
    } else {
        None
    }
}

fn outputs_over_time(job: &Job, outcome: &Outcome) -> String {
    let report = &outcome.report;
    let measured = report.window.1 > report.window.0;
    let sensors = job.loaded.run.outputs.iter().enumerate();
    let panels: Vec<Panel> = sensors
        .map(|(i, sensor)| {
            let least = sensor.least_matters();
            let extreme = report.extremes.get(i).filter(|_| measured);
            let peak = extreme.map(if least { trough } else { peak });
            Panel { column: column(sensor), peak, least }
        })
        .collect();
    let baseline = outcome.baseline.as_ref();
    time_series(&PlotSpec {
        title: &job.loaded.model.name,
        subtitle: "",
        panels: &panels,
        series: Series { label: real(&job.loaded.model), envelope: &outcome.recording.envelope },
        baseline: baseline.map(|b| Series { label: "ideal joints", envelope: &b.envelope }),
        measure_from: measured.then_some(report.window.0),
    })
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

fn journal_orbits(model: &Model, outcome: &Outcome) -> String {
    let named = gudgeon::simulate::orbits(model);
    let joints: Vec<JointOrbit> = named
        .iter()
        .zip(&outcome.recording.orbits)
        .map(|((name, clearance), orbit)| JointOrbit { joint: name, clearance: *clearance, orbit })
        .collect();
    let title = if joints.len() == 1 { "journal orbit" } else { "journal orbits" };
    orbits(&OrbitPlot { title, joints: &joints })
}

fn impact_loops(outcome: &Outcome) -> String {
    let curve = |one: &crate::record::LoopCurve| Curve {
        label: format!("{}, impact {}", one.joint, one.impact),
        points: one.points.clone(),
    };
    let curves: Vec<Curve> = outcome.recording.loops.iter().map(curve).collect();
    lines(&LinePlot::force_indentation("force over indentation", &curves))
}
