//! Outputs over time: a chart of one panel each, under a common time axis.

use super::axis::{AxisSpec, Range};
use super::chart::{self, Chart, Colour, Layer, Look, Mark, Shape};
use super::envelope::{Envelope, Peak};
use crate::series::Column;

/// Width of a panel.
const WIDTH: f64 = 864.0;

/// A reduced series with its name in the legend.
#[derive(Clone, Copy, Debug)]
pub struct Series<'a> {
    pub label: &'a str,
    pub envelope: &'a Envelope,
}

/// A panel shows the column of the envelopes that has its index.
#[derive(Clone, Debug, Default)]
pub struct Panel {
    pub column: Column,
    /// The value that is marked.
    pub mark: Option<Peak>,
    /// What stands at the right above the panel, such as the value that is marked.
    pub label: String,
    /// Whether ideal joints have this output, so that their series is drawn.
    pub baseline: bool,
    /// A series that never exceeds this is rounding and drawn as zero.
    pub rounding: f64,
}

/// A plot of outputs over time.
#[derive(Clone, Copy, Debug)]
pub struct PlotSpec<'a> {
    pub title: &'a str,
    /// A few words below the title; may be empty.
    pub subtitle: &'a str,
    pub panels: &'a [Panel],
    pub series: Series<'a>,
    /// The same outputs with ideal joints, drawn on top: how much worse than ideal?
    pub baseline: Option<Series<'a>>,
    /// Start of the measuring window, shaded if it is inside the plot.
    pub measure_from: Option<f64>,
}

/// Draws the plot.
pub fn time_series(spec: &PlotSpec<'_>) -> String {
    let height = match spec.panels.len() {
        0 | 1 => 300.0,
        2 => 210.0,
        _ => 150.0,
    };
    let time = times(spec);
    let nothing = [Panel::default()];
    let panels = if spec.panels.is_empty() { &nothing[..] } else { spec.panels };
    let last = panels.len() - 1;
    let panel = |(index, shown): (usize, &Panel)| chart::Panel {
        bare: index < last,
        ..panel(spec, index, shown, time)
    };
    Chart {
        title: spec.title.to_owned(),
        subtitle: spec.subtitle.to_owned(),
        columns: 1,
        size: Some((WIDTH, height)),
        panels: panels.iter().enumerate().map(panel).collect(),
    }
    .draw()
}

/// The time that the data covers; a run that stopped early fills the width too.
fn times(spec: &PlotSpec<'_>) -> Range {
    match (spec.series.envelope.times(), spec.baseline) {
        (Range::EMPTY, Some(baseline)) => baseline.envelope.times(),
        (range, _) => range,
    }
}

fn panel(spec: &PlotSpec<'_>, index: usize, shown: &Panel, time: Range) -> chart::Panel {
    let inside = |t: f64| (time.lo..=time.hi).contains(&t);
    let mark = shown.mark.filter(|p| p.value.is_finite() && inside(p.t));
    let mut layers = Vec::new();
    if let Some(from) = spec.measure_from.filter(|from| inside(*from) && *from > time.lo) {
        let label = "measuring window".to_owned();
        layers.push(Layer { label, shape: Shape::Window(from), ..Layer::default() });
    }
    let compared = spec.baseline.is_some() && spec.panels.iter().any(|p| p.baseline);
    let label = if compared { spec.series.label } else { "" };
    layers.push(curve(spec.series.envelope, index, shown, label, (Colour::Main, 1.2)));
    if let Some(baseline) = spec.baseline.filter(|_| shown.baseline) {
        let look = (Colour::Second, 1.3);
        layers.push(curve(baseline.envelope, index, shown, baseline.label, look));
    }
    if let Some(mark) = mark {
        let zero = is_zero(spec.series.envelope, index, shown);
        let value = if zero { 0.0 } else { mark.value };
        let look = Look { colour: Colour::Alert, marker: Mark::Ring, ..Look::default() };
        layers.push(Layer {
            look,
            shape: Shape::Points(vec![(mark.t, value)]),
            ..Layer::default()
        });
    }
    let Column { name, unit, about, .. } = &shown.column;
    chart::Panel {
        about: about.clone(),
        note: shown.label.clone(),
        note_of: mark.map(|_| Colour::Alert),
        x: AxisSpec {
            name: "time".to_owned(),
            unit: "s".to_owned(),
            ends: (time != Range::EMPTY).then_some((time.lo, time.hi)),
            ..AxisSpec::default()
        },
        y: AxisSpec { name: name.clone(), unit: unit.clone(), ..AxisSpec::default() },
        named_above: true,
        layers,
        ..chart::Panel::default()
    }
}

/// One column of an envelope, zero where it is nothing but rounding, with a break at each gap.
fn curve(
    envelope: &Envelope,
    index: usize,
    shown: &Panel,
    label: &str,
    (colour, width): (Colour, f64),
) -> Layer {
    let zero = is_zero(envelope, index, shown);
    let mut points = envelope.points(index);
    if zero {
        points
            .iter_mut()
            .for_each(|point| point.1 = if point.1.is_finite() { 0.0 } else { f64::NAN });
    }
    let look = Look { colour, width, ..Look::default() };
    Layer { label: label.to_owned(), look, shape: Shape::Line(points) }
}

fn is_zero(envelope: &Envelope, index: usize, shown: &Panel) -> bool {
    envelope.values(index).size() <= shown.rounding
}
