//! The samples themselves: responses over variables, and how they scatter.

use gudgeon_output::plot::chart::{Chart, Colour, Layer, Look, Mark, Panel, Shape};
use gudgeon_output::plot::{AxisSpec, Scale, Spacing};

use super::super::record::statistics_of;
use super::super::{StudyJob, StudyOutcome};
use super::{Picture, axes, columns, dashed, layer, light, picture};

/// Every response without surrogate over every variable.
pub fn scatter(job: &StudyJob, outcome: &StudyOutcome) -> Vec<Picture> {
    let study = job.study();
    let fitted = |i: &usize| outcome.fitted.iter().any(|f| f.response == *i && f.model.is_ok());
    if outcome.records.is_empty() {
        return Vec::new();
    }
    let one = |response: usize| {
        let panels: Vec<Panel> =
            (0..study.variables.len()).map(|i| cloud(job, outcome, response, i)).collect();
        let name = &study.responses[response].name;
        let chart = Chart {
            title: format!("{name} over each variable"),
            columns: columns(panels.len()),
            panels,
            ..Chart::default()
        };
        picture(&format!("samples_{name}"), chart)
    };
    (0..study.responses.len()).filter(|i| !fitted(i)).filter_map(one).collect()
}

fn cloud(job: &StudyJob, outcome: &StudyOutcome, response: usize, i: usize) -> Panel {
    let study = job.study();
    let at = |point: &[f64]| axes::shown(&study.variables[i], point[i]);
    let points = axes::done(job, outcome, response).map(|(_, point, value)| (at(point), value));
    let failed = outcome.records.iter().filter(|record| !record.outcome.is_done());
    let failed: Vec<f64> = failed.map(|record| at(&record.point)).collect();
    let marker = if outcome.records.len() > 300 { Mark::Speck } else { Mark::Dot };
    let look = Look { marker, opacity: 0.6, ..Look::default() };
    let points = Shape::Points(points.collect());
    let mut layers = vec![Layer { label: "samples".into(), look, shape: points }];
    if !failed.is_empty() {
        layers.push(layer("failed", Colour::Alert, Shape::Feet(failed)));
    }
    let (x, y) = (axes::variable(study, i), axes::response(study, response));
    Panel { x, y, layers, ..Panel::default() }
}

/// The points of the design, two variables at a time.
pub fn design(job: &StudyJob) -> Option<Picture> {
    let study = job.study();
    let count = study.variables.len();
    if job.points.is_empty() || !(2..=4).contains(&count) {
        return None;
    }
    let pairs = (0..count).flat_map(|i| (i + 1..count).map(move |k| (i, k)));
    let marker = if job.points.len() > 300 { Mark::Speck } else { Mark::Dot };
    let panel = |(i, k): (usize, usize)| {
        let at = |point: &Vec<f64>, i: usize| axes::shown(&study.variables[i], point[i]);
        let points = job.points.iter().map(|point| (at(point, i), at(point, k))).collect();
        let look = Look { marker, ..Look::default() };
        let layers = vec![Layer { label: String::new(), look, shape: Shape::Points(points) }];
        let (x, y) = (axes::variable(study, i), axes::variable(study, k));
        Panel { x, y, layers, ..Panel::default() }
    };
    let panels: Vec<Panel> = pairs.map(panel).collect();
    let chart = Chart {
        title: format!("{}: the design", study.name),
        subtitle: format!("{} points", job.points.len()),
        columns: columns(panels.len()),
        panels,
        ..Chart::default()
    };
    picture("design", chart)
}

/// What scatter of the variables does to every response.
pub fn histograms(job: &StudyJob, outcome: &StudyOutcome) -> Option<Picture> {
    let study = job.study();
    if !study.variables.iter().any(|variable| variable.is_distribution()) {
        return None;
    }
    let panels: Vec<Panel> =
        (0..study.responses.len()).filter_map(|i| histogram(job, outcome, i)).collect();
    let samples = outcome.records.iter().filter(|record| record.outcome.is_done()).count();
    let chart = Chart {
        title: format!("{}: spread of the responses", study.name),
        subtitle: format!("{samples} samples"),
        columns: columns(panels.len()),
        panels,
        ..Chart::default()
    };
    picture("histograms", chart)
}

fn histogram(job: &StudyJob, outcome: &StudyOutcome, response: usize) -> Option<Panel> {
    let of = statistics_of(job, outcome, response)?;
    let values: Vec<f64> = axes::done(job, outcome, response)
        .map(|(.., value)| value)
        .filter(|value| value.is_finite())
        .collect();
    let [_, low, _, high, _] = of.quantiles;
    let axis = axes::response(job.study(), response);
    let size = values.iter().fold(0.0, |size: f64, value| size.max(value.abs()));
    let plain = axis.unit.is_empty() && size < 1e5;
    let scale = Scale::choose(if plain { 1.0 } else { size }, &axis.unit);
    let note = format!(
        "mean {} · {} to {}",
        number(&scale, of.mean),
        number(&scale, low),
        scale.quantity(high)
    );
    let width = |layer: Layer| Layer { look: Look { width: 2.0, ..layer.look }, ..layer };
    Some(Panel {
        heading: axis.name.clone(),
        note,
        x: AxisSpec { spacing: Spacing::Linear, ..axis },
        y: AxisSpec { name: "samples".into(), ..AxisSpec::default() },
        layers: vec![
            light("samples", Colour::Main, 0.55, Shape::Boxes(bins(&values))),
            width(layer("mean", Colour::Alert, Shape::Uprights(vec![of.mean]))),
            width(dashed("5 % and 95 %", Colour::Second, Shape::Uprights(vec![low, high]))),
        ],
        ..Panel::default()
    })
}

/// A value in a scale, without the unit.
fn number(scale: &Scale, value: f64) -> String {
    Scale { symbol: String::new(), ..scale.clone() }.quantity(value)
}

/// Bars over equal bins, as wide as the middle half of the values suggests (Freedman and
/// Diaconis), at least the root of their number.
fn bins(values: &[f64]) -> Vec<[(f64, f64); 2]> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let (Some(low), Some(high)) = (sorted.first(), sorted.last()) else { return Vec::new() };
    let n = sorted.len();
    let size = low.abs().max(high.abs()).max(1e-290);
    if high - low <= 1e-9 * size {
        // one value: a bar of its own
        return vec![[(low - 0.01 * size, 0.0), (high + 0.01 * size, n as f64)]];
    }
    let middle_half = sorted[(3 * n / 4).min(n - 1)] - sorted[n / 4];
    let wide = 2.0 * middle_half / (n as f64).cbrt();
    let count = if wide > 0.0 { ((high - low) / wide).ceil() } else { 10.0 };
    let count = count.max((n as f64).sqrt()).clamp(5.0, 40.0) as usize;
    let mut heights = vec![0.0; count];
    for value in &sorted {
        let bin = ((value - low) / (high - low) * count as f64) as usize;
        heights[bin.min(count - 1)] += 1.0;
    }
    let edge = |k: usize| low + (high - low) * k as f64 / count as f64;
    // a gap of a twentieth between bars
    let gap = (high - low) / count as f64 / 40.0;
    let bar = |(k, height)| [(edge(k) + gap, 0.0), (edge(k + 1) - gap, height)];
    heights.into_iter().enumerate().map(bar).collect()
}

#[cfg(test)]
mod tests {
    use super::bins;

    #[test]
    fn every_value_is_in_one_bar() {
        let values: Vec<f64> = (0..100).map(|k| f64::from(k) * 0.01).collect();
        let bars = bins(&values);
        assert_eq!(bars.iter().map(|bar| bar[1].1).sum::<f64>(), 100.0);
        assert!((5..=40).contains(&bars.len()));
        assert_eq!(bins(&[3.0, 3.0, 3.0])[0][1].1, 3.0);
        assert_eq!(bins(&[0.0]).len(), 1);
        assert!(bins(&[]).is_empty());
    }
}
