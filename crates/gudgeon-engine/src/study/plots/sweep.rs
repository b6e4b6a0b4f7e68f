//! One variable through its range.

use std::collections::BTreeMap;

use gudgeon_output::plot::chart::{Chart, Colour, Layer, Look, Mark, Panel, Shape};
use gudgeon_output::plot::{AxisSpec, Spacing};
use gudgeon_study::file::{Bifurcation, Output, Sweep as Wanted};

use super::super::sweep::{Branch, Drawn, Kind, told};
use super::super::{StudyJob, StudyOutcome, SweepResult};
use super::{Picture, axes, layer, light, picture};

/// Values up to which every one is marked.
const MARKED: usize = 80;

pub fn draw(job: &StudyJob, outcome: &StudyOutcome) -> Vec<Picture> {
    let found = job.study().sweep.as_ref().zip(outcome.sweep.as_ref());
    let Some((wanted, result)) = found else { return Vec::new() };
    let all = [
        responses(job, wanted, result),
        histories(job, wanted, result),
        branches(job, wanted, result),
    ];
    all.into_iter().flatten().collect()
}

/// The axis of the variable over the values of the sweep.
fn axis(job: &StudyJob, result: &SweepResult) -> AxisSpec {
    let variable = &job.study().variables[result.variable];
    let axis = axes::variable(job.study(), result.variable);
    let ends = result.points.first().zip(result.points.last());
    let ends = ends.map(|(a, b)| (axes::shown(variable, a.0), axes::shown(variable, b.0)));
    AxisSpec { ends: ends.filter(|(a, b)| a < b), ..axis }
}

fn place(job: &StudyJob, result: &SweepResult, value: f64) -> f64 {
    axes::shown(&job.study().variables[result.variable], value)
}

fn responses(job: &StudyJob, wanted: &Wanted, result: &SweepResult) -> Option<Picture> {
    let study = job.study();
    let at = |value: f64| place(job, result, value);
    let failed: Vec<f64> =
        result.points.iter().filter(|(_, answer)| answer.is_err()).map(|(v, _)| at(*v)).collect();
    let last = wanted.responses.len().saturating_sub(1);
    let panel = |(k, i): (usize, &usize)| {
        let (mut line, mut band) = (Vec::new(), Vec::new());
        for (value, answer) in &result.points {
            let mean = answer.as_ref().map_or(f64::NAN, |values| job.value(values, *i));
            let spread = answer.as_ref().ok().and_then(|values| job.spread(values, *i));
            let spread = spread.unwrap_or(f64::NAN);
            line.push((at(*value), mean));
            band.push([at(*value), mean - spread, mean + spread]);
        }
        let mut layers = Vec::new();
        if study.ensemble > 1 {
            let label = "± standard deviation of the ensemble";
            layers.push(light(label, Colour::Main, 0.18, Shape::Band(band)));
        }
        let label = if study.ensemble > 1 { "mean of the ensemble" } else { "" };
        layers.push(layer(label, Colour::Main, Shape::Line(line.clone())));
        if line.len() <= MARKED {
            layers.push(layer("", Colour::Main, Shape::Points(line)));
        }
        if !failed.is_empty() {
            layers.push(layer("failed", Colour::Alert, Shape::Feet(failed.clone())));
        }
        let y = AxisSpec { spacing: Spacing::Linear, ..axes::response(study, *i) };
        let height = Some(if last == 0 { 340.0 } else { 220.0 });
        Panel { x: axis(job, result), y, layers, height, bare: k < last, ..Panel::default() }
    };
    let panels: Vec<Panel> = wanted.responses.iter().enumerate().map(panel).collect();
    let name = &study.variables[result.variable].name;
    let (title, values) = (study.name.clone(), result.points.len());
    let subtitle = format!("{values} values of {name}{}", others(job));
    picture("sweep", Chart { title, subtitle, columns: 1, panels, ..Chart::default() })
}

/// Where the other variables stand.
fn others(job: &StudyJob) -> &'static str {
    match (job.study().variables.len(), &job.loaded.model) {
        (..2, _) => "",
        (_, Some(_)) => ", the other variables as in the model",
        (_, None) => ", the other variables in the middle of their ranges",
    }
}

/// Outputs over time, one curve for every value.
fn histories(job: &StudyJob, wanted: &Wanted, result: &SweepResult) -> Option<Picture> {
    let variable = &job.study().variables[result.variable];
    let drawn = result.histories.iter();
    let drawn = drawn.filter_map(|history| Some((&history.label[..], history.drawn.as_ref()?)));
    let drawn: Vec<(&str, &Drawn)> = drawn.collect();
    if drawn.is_empty() {
        return None;
    }
    let last = wanted.outputs.len().saturating_sub(1);
    let (name, unit) = if result.turns { ("revolutions", "") } else { ("time", "s") };
    let ends = drawn.iter().map(|(_, one)| one.ends());
    let ends = ends.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
    let panel = |(column, output): (usize, &Output)| Panel {
        x: AxisSpec {
            name: name.into(),
            unit: unit.into(),
            ends: ends.filter(|(from, to)| from < to && to.is_finite()),
            ..AxisSpec::default()
        },
        y: AxisSpec {
            name: output.name.clone(),
            unit: output.unit.to_string(),
            ..AxisSpec::default()
        },
        layers: curves(&drawn, column),
        bare: column < last,
        height: (last == 0).then_some(340.0),
        ..Panel::default()
    };
    let chart = Chart {
        title: format!("time histories for values of {}", variable.name),
        subtitle: "from the start of the measuring window".into(),
        columns: 1,
        size: Some((860.0, 200.0)),
        panels: wanted.outputs.iter().enumerate().map(panel).collect(),
    };
    picture("histories", chart)
}

fn curves(drawn: &[(&str, &Drawn)], column: usize) -> Vec<Layer> {
    let curve = |(k, (label, one)): (usize, &(&str, &Drawn))| {
        let look = Look { colour: Colour::Curve(k), width: 1.0, ..Look::default() };
        let shape = Shape::Line(one.envelope.points(column));
        Layer { label: (*label).to_owned(), look, shape }
    };
    // What comes last usually swings widest: it goes to the back.
    drawn.iter().enumerate().rev().map(curve).collect()
}

/// States once per period, and above them how they repeat.
fn branches(job: &StudyJob, wanted: &Wanted, result: &SweepResult) -> Option<Picture> {
    let bifurcation = wanted.bifurcation.as_ref()?;
    let output = &bifurcation.output;
    let all = result.bifurcation.as_ref()?;
    let at = |value: f64| place(job, result, value);
    let mut dots = Vec::new();
    for branch in all {
        dots.extend(branch.states().iter().map(|state| (at(branch.value), *state)));
    }
    let look = Look { marker: Mark::Speck, opacity: 0.7, ..Look::default() };
    let mut layers = vec![Layer { label: String::new(), look, shape: Shape::Points(dots) }];
    let failed: Vec<f64> = all.iter().filter(|b| b.seen.is_err()).map(|b| at(b.value)).collect();
    if !failed.is_empty() {
        layers.push(layer("failed", Colour::Alert, Shape::Feet(failed)));
    }
    let x = axis(job, result);
    let strip = Panel {
        x: x.clone(),
        y: AxisSpec { spacing: Spacing::Words(vec![]), ..AxisSpec::default() },
        layers: regimes(all, bifurcation, at, &x),
        bare: true,
        height: Some(16.0),
        ..Panel::default()
    };
    let y = AxisSpec {
        name: output.name.clone(),
        unit: output.unit.to_string(),
        ..AxisSpec::default()
    };
    let states = Panel { x, y, layers, height: Some(400.0), ..Panel::default() };
    let variable = &job.study().variables[result.variable].name;
    let chart = Chart {
        title: format!("{} once per period over {variable}", output.name),
        columns: 1,
        panels: vec![strip, states],
        ..Chart::default()
    };
    picture("bifurcation", chart)
}

/// A rectangle by two corners.
type Cell = [(f64, f64); 2];

/// A strip from half-way to the value before to half-way to the next, coloured by the regime.
fn regimes(
    all: &[Branch],
    wanted: &Bifurcation,
    at: impl Fn(f64) -> f64,
    x: &AxisSpec,
) -> Vec<Layer> {
    let places: Vec<f64> = all.iter().map(|branch| at(branch.value)).collect();
    let log = x.spacing == Spacing::Log;
    let half = |a: f64, b: f64| if log { (a * b).sqrt() } else { (a + b) / 2.0 };
    let mut strips: BTreeMap<Kind, Vec<Cell>> = BTreeMap::new();
    for (k, branch) in all.iter().enumerate().filter(|(_, branch)| branch.seen.is_ok()) {
        let from = if k == 0 { places[0] } else { half(places[k - 1], places[k]) };
        let to = places.get(k + 1).map_or(places[k], |next| half(places[k], *next));
        let cells = strips.entry(branch.kind()).or_default();
        match cells.last_mut() {
            Some(last) if last[1].0 == from => last[1].0 = to,
            _ => cells.push([(from, -0.5), (to, 0.5)]),
        }
    }
    let one = |(kind, cells): (Kind, Vec<Cell>)| {
        let (colour, opacity) = look(kind);
        let members: Vec<&Branch> = all.iter().filter(|branch| branch.kind() == kind).collect();
        light(&told(kind, &members, wanted), colour, opacity, Shape::Boxes(cells))
    };
    strips.into_iter().map(one).collect()
}

fn look(kind: Kind) -> (Colour, f64) {
    match kind {
        Kind::Period(period) => (Colour::Curve(period - 1), 0.85),
        Kind::NotFound => (Colour::Muted, 0.6),
        Kind::TooFew | Kind::Failed => (Colour::Faint, 0.4),
    }
}
