//! Pictures of analyses: paths of equilibria, shapes of modes, modes over a parameter, responses.

use gudgeon::equilibrium::PathReport;
use gudgeon::modal::{ModalReport, Mode, Outline, ResponseReport};
use gudgeon_model::Vary;
use gudgeon_output::plot::chart::{Chart, Colour, Layer, Look, Panel, Shape};
use gudgeon_output::plot::{AxisSpec, Spacing};

use super::{AnalysisJob, Found, VariedModes};

/// Modes and outputs that are drawn at most.
const DRAWN: usize = 9;
/// The largest displacement of a shape, over the extent of the mechanism.
const LARGE: f64 = 0.2;

/// The pictures of an analysis, by the names of their files.
pub fn all(job: &AnalysisJob, found: &Found) -> Vec<(&'static str, String)> {
    match (found, job.vary()) {
        (Found::Path(Ok(report)), Some(vary)) if !job.loaded.run.outputs.is_empty() => {
            vec![("static.svg", path(job, vary, report))]
        }
        (Found::Modes(Ok(report)), _) => vec![("modes.svg", shapes(job, report))],
        (Found::Varied(varied), Some(vary)) if varied.points.len() > 1 => {
            vec![("modes.svg", over_parameter(job, vary, varied))]
        }
        (Found::Response(Ok(report)), _) if !job.loaded.run.outputs.is_empty() => {
            vec![("response.svg", response(job, report))]
        }
        _ => Vec::new(),
    }
}

fn axis(name: &str, unit: &str) -> AxisSpec {
    AxisSpec { name: name.to_owned(), unit: unit.to_owned(), ..AxisSpec::default() }
}

/// The parameter as an axis in the unit of the file, and the SI value of that.
fn across(job: &AnalysisJob, vary: &Vary) -> (AxisSpec, f64) {
    match &vary.shown {
        Some(shown) => (axis(&vary.parameter, &shown.unit), shown.factor),
        None => (axis(&vary.parameter, job.unit(vary)), 1.0),
    }
}

fn line(points: Vec<(f64, f64)>, label: &str, look: Look) -> Layer {
    Layer { label: label.to_owned(), look, shape: Shape::Line(points) }
}

/// Outputs along the path; unstable parts dashed, limit points marked.
fn path(job: &AnalysisJob, vary: &Vary, report: &PathReport) -> String {
    let (x, factor) = across(job, vary);
    let panel = |(i, sensor): (usize, &gudgeon::sensor::Sensor)| {
        let mut layers: Vec<Layer> = Vec::new();
        let mut part: Vec<(f64, f64)> = Vec::new();
        let mut stable = None;
        let look = |stable: Option<bool>| Look { dashed: stable == Some(false), ..Look::default() };
        for (point, values) in &report.points {
            let here = (point.value / factor, values[i]);
            part.push(here);
            if point.stable.is_some() && point.stable != stable {
                if stable.is_some() {
                    layers.push(line(std::mem::take(&mut part), "", look(stable)));
                    part.push(here);
                }
                stable = point.stable;
            }
        }
        layers.push(line(part, "", look(stable)));
        let limits = report.points.iter().filter(|(point, _)| point.limit);
        let limits: Vec<(f64, f64)> =
            limits.map(|(point, values)| (point.value / factor, values[i])).collect();
        if !limits.is_empty() {
            let look = Look { colour: Colour::Alert, ..Look::default() };
            let label = "limit point".to_owned();
            layers.push(Layer { label, look, shape: Shape::Points(limits) });
        }
        Panel { x: x.clone(), y: axis(&sensor.name, &sensor.unit), layers, ..Panel::default() }
    };
    let outputs = job.loaded.run.outputs.iter().enumerate().take(DRAWN);
    let chart = Chart {
        title: job.loaded.model.name.clone(),
        subtitle: "equilibria; dashed: not stable".to_owned(),
        columns: 2,
        size: None,
        panels: outputs.map(panel).collect(),
    };
    chart.draw()
}

/// Frequencies and damping over the parameter, one colour for every mode.
fn over_parameter(job: &AnalysisJob, vary: &Vary, varied: &VariedModes) -> String {
    let (x, factor) = across(job, vary);
    let tracks = varied.points.iter().flat_map(|point| &point.tracks).max().map_or(0, |t| t + 1);
    let curves = |value: fn(&Mode) -> f64| -> Vec<Layer> {
        let one = |track: usize| {
            let place = |point: &super::ModalPoint| {
                let report = point.found.as_ref().ok()?;
                let place = point.tracks.iter().position(|other| *other == track)?;
                Some(value(&report.modes[place]))
            };
            let points = varied
                .points
                .iter()
                .map(|point| (point.value / factor, place(point).unwrap_or(f64::NAN)));
            let look = Look { colour: Colour::Curve(track), ..Look::default() };
            line(points.collect(), "", look)
        };
        (0..tracks).map(one).collect()
    };
    let mut frequencies = curves(|mode| mode.frequency);
    let unit = job.unit(vary);
    if unit == "rad/s" {
        // Where the speed itself shakes.
        let points: Vec<(f64, f64)> = varied
            .points
            .iter()
            .map(|point| (point.value / factor, point.value.abs() / std::f64::consts::TAU))
            .collect();
        let look = Look { colour: Colour::Muted, dashed: true, ..Look::default() };
        frequencies.push(line(points, "once per turn", look));
    }
    let mut damping = curves(|mode| mode.damping_ratio);
    if let Some(limit) = varied.stability_limit {
        for layers in [&mut frequencies, &mut damping] {
            let look = Look { colour: Colour::Alert, dashed: true, ..Look::default() };
            let shape = Shape::Uprights(vec![limit / factor]);
            layers.push(Layer { label: "limit of stability".to_owned(), look, shape });
        }
    }
    let panel = |name: &str, unit: &str, layers: Vec<Layer>| Panel {
        x: x.clone(),
        y: axis(name, unit),
        layers,
        ..Panel::default()
    };
    let chart = Chart {
        title: job.loaded.model.name.clone(),
        subtitle: format!("modes about {}", job.about()),
        columns: 1,
        size: None,
        panels: vec![panel("frequency", "Hz", frequencies), panel("damping ratio", "", damping)],
    };
    chart.draw()
}

/// Amplitude and phase of every output.
fn response(job: &AnalysisJob, report: &ResponseReport) -> String {
    let x = axis("frequency", "Hz");
    let mut panels = Vec::new();
    for (i, sensor) in job.loaded.run.outputs.iter().enumerate().take(DRAWN) {
        let points = |value: fn([f64; 2]) -> f64| -> Vec<(f64, f64)> {
            report.points.iter().map(|point| (point.frequency, value(point.outputs[i]))).collect()
        };
        let amplitude = points(|[re, im]| re.hypot(im));
        let phase = points(|[re, im]| im.atan2(re).to_degrees());
        let mut y = axis(&sensor.name, &sensor.unit);
        y.spacing = Spacing::Log;
        let layers = vec![line(amplitude, "", Look::default())];
        panels.push(Panel { x: x.clone(), y, layers, ..Panel::default() });
        let layers = vec![line(phase, "", Look::default())];
        panels.push(Panel { x: x.clone(), y: axis("phase", "deg"), layers, ..Panel::default() });
    }
    let chart = Chart {
        title: job.loaded.model.name.clone(),
        subtitle: format!("response to a harmonic load about {}", job.about()),
        columns: 2,
        size: None,
        panels,
    };
    chart.draw()
}

/// Every mode in a panel: bodies as lines from their mass centres, at rest and displaced.
fn shapes(job: &AnalysisJob, report: &ModalReport) -> String {
    let flat = job.loaded.model.space == gudgeon::model::Space::Planar;
    let project = move |p: [f64; 3]| match flat {
        true => (p[0], p[1]),
        // Seen from x, −y, z alike.
        false => {
            let (c, s) = (3f64.sqrt() / 2.0, 0.5);
            (c * (p[0] + p[1]), p[2] + s * (p[1] - p[0]) * 0.5)
        }
    };
    let panels = report.modes.iter().enumerate().take(DRAWN).map(|(i, mode)| {
        let scale = exaggeration(report, mode);
        let mut layers = Vec::new();
        for (k, outline) in report.outlines.iter().enumerate() {
            let rest = lines(outline, project);
            let look = Look { colour: Colour::Faint, ..Look::default() };
            layers.extend(rest.into_iter().map(|points| line(points, "", look)));
            let moved = match mode.bodies[k].nodes.is_empty() {
                true => lines(outline, |p| project(displaced(mode, k, outline, p, scale))),
                false => vec![bent(mode, k, outline, scale).into_iter().map(project).collect()],
            };
            layers.extend(moved.into_iter().map(|points| line(points, "", Look::default())));
        }
        Panel {
            heading: format!("mode {}", i + 1),
            note: format!("{} Hz", crate::text::quantity(mode.frequency, "")),
            x: axis("", "m"),
            y: axis("", "m"),
            layers,
            equal: true,
            ..Panel::default()
        }
    });
    let chart = Chart {
        title: job.loaded.model.name.clone(),
        subtitle: format!("shapes of modes about {}, not to scale", job.about()),
        columns: 3,
        size: Some((290.0, 290.0)),
        panels: panels.collect(),
    };
    chart.draw()
}

/// From the mass centre to every marker, or a small cross where there are none apart from it.
fn lines(outline: &Outline, place: impl Fn([f64; 3]) -> (f64, f64)) -> Vec<Vec<(f64, f64)>> {
    let centre = place(outline.centre);
    outline.points.iter().map(|p| vec![centre, place(*p)]).collect()
}

/// The nodes of a link that bends, p + s u.
fn bent(mode: &Mode, body: usize, outline: &Outline, scale: f64) -> Vec<[f64; 3]> {
    let nodes = outline.points.iter().zip(&mode.bodies[body].nodes);
    nodes.map(|(p, u)| [0, 1, 2].map(|i| p[i] + scale * u[i][0])).collect()
}

/// p + s (t + φ × (p − c)), the real part of the shape.
fn displaced(mode: &Mode, body: usize, outline: &Outline, p: [f64; 3], scale: f64) -> [f64; 3] {
    let shape = &mode.bodies[body];
    let (t, r) = (shape.translation.map(|t| t[0]), shape.rotation.map(|r| r[0]));
    let arm = [0, 1, 2].map(|i| p[i] - outline.centre[i]);
    let turn = [
        r[1] * arm[2] - r[2] * arm[1],
        r[2] * arm[0] - r[0] * arm[2],
        r[0] * arm[1] - r[1] * arm[0],
    ];
    [0, 1, 2].map(|i| p[i] + scale * (t[i] + turn[i]))
}

/// So large that the farthest point moves by a part of the extent.
fn exaggeration(report: &ModalReport, mode: &Mode) -> f64 {
    let (mut low, mut high, mut most) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3], 0.0f64);
    for (k, outline) in report.outlines.iter().enumerate() {
        for p in outline.points.iter().chain([&outline.centre]) {
            let moved = displaced(mode, k, outline, *p, 1.0);
            for i in 0..3 {
                (low[i], high[i]) = (low[i].min(p[i]), high[i].max(p[i]));
                most = most.max((moved[i] - p[i]).abs());
            }
        }
    }
    let extent = (0..3).map(|i| high[i] - low[i]).fold(0.0, f64::max);
    let extent = if extent > 0.0 { extent } else { 1.0 };
    if most > 0.0 { LARGE * extent / most } else { 0.0 }
}
