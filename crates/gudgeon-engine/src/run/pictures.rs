//! The pictures of a run.

use gudgeon::model::Model;
use gudgeon::results::{Extreme, RunReport};
use gudgeon::sensor::Sensor;
use gudgeon_output::plot::chart::{self, Chart, Colour, Layer, Look, Shape};
use gudgeon_output::plot::{
    AxisSpec, JointOrbit, OrbitPlot, Panel, Peak, PlotSpec, Series, orbits, time_series,
};
use gudgeon_output::{OutputError, ResultFolder};

use super::recorder::{LoopCurve, Recording, column};
use super::{RunJob, RunOutcome};
use crate::fields;
use crate::text::{in_scale_of, quantity};

/// The series to compare with.
const IDEAL: &str = "ideal joints";
/// Curves below this part of the natural size of an output are rounding. Cancellation leaves some
/// 1e-16 to 1e-13; a film that creeps for a quarter of an hour still moves by 1e-10.
const ROUNDING: f64 = 1e-12;

/// Writes the pictures there is data for, and the table behind that of pressures.
pub(super) fn write(
    folder: &ResultFolder,
    job: &RunJob,
    outcome: &RunOutcome,
) -> Result<(), OutputError> {
    let model = &job.loaded.model;
    if let Some(recording) = &outcome.recording {
        let drawing = Pictures { job, outcome, recording };
        if !job.loaded.run.outputs.is_empty() {
            folder.write("plot.svg", &drawing.outputs_over_time())?;
        }
        if !recording.drawing.orbits.is_empty() {
            folder.write("orbit.svg", &drawing.journal_orbits())?;
        }
        if !recording.loops.is_empty() {
            folder.write("loops.svg", &impact_loops(&recording.loops))?;
        }
    }
    fields::write(folder, &model.name, &outcome.report.fields)
}

/// The picture to look at first.
pub fn first_picture(job: &RunJob, outcome: &RunOutcome) -> Option<&'static str> {
    let recording = outcome.recording.as_ref()?;
    if !job.loaded.run.outputs.is_empty() {
        Some("plot.svg")
    } else if !recording.drawing.orbits.is_empty() {
        Some("orbit.svg")
    } else if !outcome.report.fields.is_empty() {
        Some("pressure.svg")
    } else {
        None
    }
}

/// What pictures are drawn of.
struct Pictures<'a> {
    job: &'a RunJob,
    outcome: &'a RunOutcome,
    recording: &'a Recording,
}

impl Pictures<'_> {
    fn outputs_over_time(&self) -> String {
        let Pictures { job, outcome, recording } = *self;
        let report = &outcome.report;
        let count = job.loaded.run.outputs.len();
        let panels: Vec<Panel> = (0..count).map(|i| panel(job, outcome, i)).collect();
        let real_curves = recording.drawing.curves();
        let baseline = outcome.baseline.as_ref().and_then(|baseline| baseline.drawing.as_ref());
        let ideal_curves = baseline.map(|drawing| drawing.curves());
        time_series(&PlotSpec {
            title: &job.loaded.model.name,
            subtitle: &self.subtitle(),
            panels: &panels,
            series: Series { label: real(&job.loaded.model), envelope: &real_curves },
            baseline: ideal_curves.as_ref().map(|envelope| Series { label: IDEAL, envelope }),
            measure_from: (is_measured(report) && !job.range.window).then_some(report.window.0),
        })
    }

    fn journal_orbits(&self) -> String {
        let named = gudgeon::simulate::orbits(&self.job.loaded.model);
        let orbit = |((name, clearance), orbit)| JointOrbit { joint: name, clearance, orbit };
        let pairs = named.iter().map(|(name, clearance)| (&name[..], *clearance));
        let joints: Vec<JointOrbit> =
            pairs.zip(&self.recording.drawing.orbits).map(orbit).collect();
        let title = if joints.len() == 1 { "journal orbit" } else { "journal orbits" };
        orbits(&OrbitPlot { title, subtitle: &self.subtitle(), joints: &joints })
    }

    /// What of the run is drawn, where that is not all of it.
    fn subtitle(&self) -> String {
        let Pictures { job, outcome, recording } = self;
        let last = outcome.report.final_time;
        let (from, to) = recording.drawing.ends();
        let start = if from == 0.0 { "0".to_owned() } else { quantity(from, "s") };
        let part = format!("{start} … {} of 0 … {}", quantity(to, "s"), quantity(last, "s"));
        match job.range.window {
            _ if !recording.reached => {
                let what = if job.range.window { "measuring window" } else { "range to be drawn" };
                format!("the run ended before the {what}; all of it is shown")
            }
            true if from > 0.0 => format!("measuring window, {part}"),
            false if from > 0.0 || to < last => part,
            _ => String::new(),
        }
    }
}

/// The largest magnitude with ideal joints, in the unit of that with the real ones; `None` for what
/// ideal joints do not have, such as a film.
pub fn ideal_value(sensor: &Sensor, real: &Extreme, ideal: &Extreme) -> Option<String> {
    let text = || in_scale_of(real.abs_max().0, ideal.abs_max().0, &real.unit);
    sensor.has_ideal_value().then(text)
}

/// One output, with the words of the summary.
fn panel(job: &RunJob, outcome: &RunOutcome, index: usize) -> Panel {
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
            _ => format!("zero, rounding up to {}", quantity(largest, &sensor.unit)),
        };
        return (None, label);
    }
    let (word, mark) = match sensor.least_matters() {
        true => ("min", trough(extreme)),
        false => ("peak", peak(extreme)),
    };
    let (value, at) = (quantity(mark.value, &sensor.unit), quantity(mark.t, "s"));
    let ideal = ideal.and_then(|ideal| ideal_value(sensor, extreme, ideal));
    let ideal = ideal.map(|value| format!(" · {IDEAL} {value}")).unwrap_or_default();
    (Some(mark), format!("{word} {value} at {at}{ideal}"))
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

fn impact_loops(loops: &[LoopCurve]) -> String {
    let curve = |(i, one): (usize, &LoopCurve)| Layer {
        label: format!("{}, impact {}", one.joint, one.impact),
        look: Look { colour: Colour::Curve(i), ..Look::default() },
        shape: Shape::Line(one.points.clone()),
    };
    let axis = |name: &str, unit: &str| AxisSpec {
        name: name.to_owned(),
        unit: unit.to_owned(),
        ..AxisSpec::default()
    };
    let panel = chart::Panel {
        x: axis("indentation", "m"),
        y: axis("contact force", "N"),
        layers: loops.iter().enumerate().map(curve).collect(),
        ..chart::Panel::default()
    };
    let title = "force over indentation".to_owned();
    Chart { title, columns: 1, panels: vec![panel], ..Chart::default() }.draw()
}
