//! Surrogates along every variable.

use gudgeon_output::plot::chart::{Chart, Colour, Layer, Look, Mark, Panel, Shape};
use gudgeon_study::file::Variable;
use gudgeon_study::sensitivity::{Effect, main_effects};

use super::super::surrogate::Model;
use super::super::{Fitted, StudyJob, StudyOutcome, optimise};
use super::{Picture, axes, columns, dashed, layer, light, picture};

/// Points of a curve; levels and samples behind a mean over the others.
const POINTS: usize = 161;
const LEVELS: usize = 25;
const SAMPLES: usize = 128;

pub fn draw(job: &StudyJob, outcome: &StudyOutcome) -> Vec<Picture> {
    let one = |fitted: &Fitted| {
        let model = fitted.model.as_ref().ok()?;
        let study = job.study();
        let best = axes::best(outcome);
        let point = best.map_or_else(|| axes::middle(job), <[f64]>::to_vec);
        let means = means(job, model);
        let panels: Vec<Panel> = (0..study.variables.len())
            .map(|i| Panel {
                x: axes::variable(study, i),
                y: axes::response(study, fitted.response),
                layers: layers(job, outcome, fitted.response, model, &point, i, means.get(i)),
                ..Panel::default()
            })
            .collect();
        let name = &study.responses[fitted.response].name;
        let all: Vec<(usize, f64)> = point.iter().copied().enumerate().collect();
        let place = if best.is_some() { "through the optimum" } else { "through the middle" };
        let chart = Chart {
            title: format!("{name} along each variable"),
            subtitle: format!("{place}: {}", axes::told(study, &all)),
            columns: columns(panels.len()),
            panels,
            ..Chart::default()
        };
        picture(&format!("effects_{name}"), chart)
    };
    outcome.fitted.iter().filter_map(one).collect()
}

/// The mean over all other variables at levels of each; none if it cannot be had.
fn means(job: &StudyJob, model: &Model) -> Vec<Vec<(f64, f64)>> {
    let study = job.study();
    if study.variables.len() < 2 {
        return Vec::new();
    }
    let levels: Vec<Vec<f64>> = study.variables.iter().map(units).collect();
    let mut f = |points: &[Vec<f64>]| {
        let rows: Vec<Vec<f64>> = points.iter().map(|p| study.values(p)).collect();
        optimise::predict(job, Some(model), &rows)
    };
    let effects = main_effects(&levels, SAMPLES, job.seed, &mut f).unwrap_or_default();
    let curve = |(i, effect): (usize, &Effect)| {
        let at = |u: &f64| {
            let value = study.values(&vec![*u; study.variables.len()])[i];
            axes::shown(&study.variables[i], value)
        };
        effect.at.iter().map(at).zip(effect.mean.iter().copied()).collect()
    };
    effects.iter().enumerate().map(curve).collect()
}

/// Coordinates of the unit cube along a variable. Distributions have no ends.
fn units(variable: &Variable) -> Vec<f64> {
    if let Some(choices) = variable.values.choices() {
        let n = choices.len() as f64;
        return (0..choices.len()).map(|k| (k as f64 + 0.5) / n).collect();
    }
    let edge = if variable.is_distribution() { 0.002 } else { 0.0 };
    let part = |k: usize| k as f64 / (LEVELS - 1) as f64;
    (0..LEVELS).map(|k| edge + part(k) * (1.0 - 2.0 * edge)).collect()
}

fn layers(
    job: &StudyJob,
    outcome: &StudyOutcome,
    response: usize,
    model: &Model,
    point: &[f64],
    i: usize,
    mean: Option<&Vec<(f64, f64)>>,
) -> Vec<Layer> {
    let study = job.study();
    let variable = &study.variables[i];
    let choice = axes::is_choice(variable);
    let levels = axes::levels(study, i, POINTS);
    let along = |value: f64| {
        let mut row = point.to_vec();
        row[i] = value;
        row
    };
    let (mut line, mut band) = (Vec::new(), Vec::new());
    for (k, (place, value)) in levels.iter().copied().enumerate() {
        let row = along(value);
        let (low, high) = model.kriging.interval(&row, 2.0).unwrap_or((f64::NAN, f64::NAN));
        line.push((place, optimise::predict(job, Some(model), &[row])[0]));
        band.push([place, low, high]);
        if choice && levels.get(k + 1).is_some_and(|next| next.1 != value) {
            // the next value is another thing
            line.push((f64::NAN, f64::NAN));
            band.push([f64::NAN; 3]);
        }
    }
    let samples = axes::done(job, outcome, response);
    let samples = samples.map(|(_, at, value)| (axes::shown(variable, at[i]), value)).collect();
    let alone = study.variables.len() == 1;
    let label = if alone { "samples" } else { "samples, others as they were" };
    let look = |colour, opacity| Look { colour, opacity, marker: Mark::Ring, ..Look::default() };
    let points = |label: &str, look, points| Layer {
        label: label.to_owned(),
        look,
        shape: Shape::Points(points),
    };
    let mut all = vec![
        light("± 2 standard deviations", Colour::Main, 0.16, Shape::Band(band)),
        points(label, look(Colour::Muted, 0.5), samples),
        layer("surrogate", Colour::Main, Shape::Line(line)),
    ];
    let added = axes::infill(job, outcome, response);
    let added: Vec<_> = added.map(|(_, at, v)| (axes::shown(variable, at[i]), v)).collect();
    if !added.is_empty() {
        let look = Look { marker: Mark::Cross, ..look(Colour::Muted, 0.5) };
        all.insert(2, points(axes::INFILL, look, added));
    }
    if let Some(mean) = mean {
        let label = "mean over all others";
        all.push(match choice {
            true => points(label, look(Colour::Second, 1.0), mean.clone()),
            false => dashed(label, Colour::Second, Shape::Line(mean.clone())),
        });
    }
    if let Some(best) = axes::best(outcome) {
        let at = vec![axes::shown(variable, best[i])];
        all.push(dashed("optimum", Colour::Alert, Shape::Uprights(at)));
    }
    all
}
