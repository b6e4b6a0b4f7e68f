//! Which variables matter: Sobol' indices as bars, Morris' effects as points.

use gudgeon_output::plot::chart::{Chart, Colour, Panel, Shape};
use gudgeon_output::plot::{AxisSpec, Spacing};
use gudgeon_study::sensitivity::{Index, MorrisEffect, SobolIndices};

use super::super::{StudyJob, StudyOutcome};
use super::{Picture, axes, columns, dashed, layer, light, picture};

/// Height of a variable among the bars.
const BAR: f64 = 46.0;

pub fn draw(job: &StudyJob, outcome: &StudyOutcome) -> Vec<Picture> {
    let Some(found) = &outcome.sensitivity else { return Vec::new() };
    let (mut bars, mut points) = (Vec::new(), Vec::new());
    for of in &found.responses {
        if let Some(Ok(indices)) = &of.sobol {
            bars.push(sobol(job, of.response, indices));
        }
        if let Some(Ok(effects)) = &of.morris {
            points.push(morris(job, of.response, effects));
        }
    }
    let chart = |title: &str, subtitle: &str, panels: Vec<Panel>| Chart {
        title: title.to_owned(),
        subtitle: format!("{subtitle} · on the {}", found.on),
        columns: columns(panels.len()),
        panels,
        ..Chart::default()
    };
    let share = "shares of the variance of each response";
    let change = "change of each response over the range of a variable";
    let all = [
        picture("sobol", chart("Sobol' indices", share, bars)),
        picture("morris", chart("Morris screening", change, points)),
    ];
    all.into_iter().flatten().collect()
}

fn sobol(job: &StudyJob, response: usize, indices: &SobolIndices) -> Panel {
    let study = job.study();
    let count = study.variables.len();
    // the first variable on top
    let place = |i: usize| (count - 1 - i) as f64;
    let boxes = |all: &[Index], from: f64, to: f64| {
        let one = |(i, index): (usize, &Index)| {
            [(0.0, place(i) + from), (index.value.max(0.0), place(i) + to)]
        };
        Shape::Boxes(all.iter().enumerate().map(one).collect())
    };
    let bars = |all: &[Index], at: f64| -> Vec<[f64; 3]> {
        let one = |(i, index): (usize, &Index)| [place(i) + at, index.low, index.high];
        all.iter().enumerate().map(one).collect()
    };
    let intervals = [bars(&indices.first, 0.2), bars(&indices.total, -0.2)].concat();
    let highest = intervals.iter().map(|bar| bar[2]).filter(|v| v.is_finite()).fold(1.0, f64::max);
    let lowest = intervals.iter().map(|bar| bar[1]).filter(|v| v.is_finite()).fold(0.0, f64::min);
    let words = study.variables.iter().rev().map(|variable| variable.name.clone()).collect();
    Panel {
        heading: study.responses[response].name.clone(),
        x: AxisSpec { name: "share".into(), ends: Some((lowest, highest)), ..AxisSpec::default() },
        y: AxisSpec { spacing: Spacing::Words(words), ..AxisSpec::default() },
        layers: vec![
            light("alone (first order)", Colour::Main, 0.85, boxes(&indices.first, 0.04, 0.36)),
            light(
                "with interactions (total)",
                Colour::Second,
                0.75,
                boxes(&indices.total, -0.36, -0.04),
            ),
            layer("95 % interval", Colour::Dark, Shape::SideBars(intervals)),
        ],
        height: Some((BAR * count as f64).max(80.0)),
        ..Panel::default()
    }
}

fn morris(job: &StudyJob, response: usize, effects: &[MorrisEffect]) -> Panel {
    let study = job.study();
    let axis = AxisSpec { spacing: Spacing::Linear, ..axes::response(study, response) };
    let points: Vec<(f64, f64)> = effects.iter().map(|e| (e.mean_size, e.deviation)).collect();
    let named = points.iter().zip(&study.variables).map(|((x, y), v)| (*x, *y, v.name.clone()));
    let most = |pick: fn(&(f64, f64)) -> f64| {
        points.iter().map(pick).filter(|v| v.is_finite()).fold(0.0, f64::max)
    };
    let ends = |most: f64| Some((0.0, if most > 0.0 { 1.12 * most } else { 1.0 }));
    let named = Shape::Words(named.collect());
    Panel {
        heading: axis.name.clone(),
        x: AxisSpec {
            name: "μ*, mean size of effects".into(),
            ends: ends(most(|p| p.0)),
            ..axis.clone()
        },
        y: AxisSpec { name: "σ, their spread".into(), ends: ends(most(|p| p.1)), ..axis },
        layers: vec![
            dashed(
                "σ = μ*: above it, effects change their sign or size",
                Colour::Muted,
                Shape::Diagonal,
            ),
            layer("variables", Colour::Main, Shape::Points(points.clone())),
            layer("", Colour::Dark, named),
        ],
        ..Panel::default()
    }
}
