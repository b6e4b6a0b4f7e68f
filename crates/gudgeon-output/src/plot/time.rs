//! Outputs over time: one panel each, under a common time axis.

use super::axis::{Axis, Fit, Range};
use super::colour;
use super::envelope::{Envelope, Peak};
use super::svg::{Anchor, Area, Font, HEADING, SMALL, Span, Stroke, Svg, TITLE, entry};
use crate::series::Column;

const WIDTH: f64 = 960.0;
const LEFT: f64 = 74.0;
const RIGHT: f64 = WIDTH - 22.0;
/// Above a panel, for its heading.
const HEAD: f64 = 34.0;
/// Below the last panel, for the time axis.
const FOOT: f64 = 50.0;

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
    let top = if spec.subtitle.is_empty() { 40.0 } else { 58.0 };
    let height = match spec.panels.len() {
        0 | 1 => 300.0,
        2 => 210.0,
        _ => 150.0,
    };
    let count = spec.panels.len().max(1);
    let pitch = HEAD + height;
    let mut svg = Svg::new(WIDTH, top + count as f64 * pitch + FOOT, spec.title);
    let time = time_axis(spec);
    header(&mut svg, spec, &time);
    let mut area = Area { left: LEFT, top: 0.0, right: RIGHT, bottom: 0.0 };
    for index in 0..count {
        area.top = top + index as f64 * pitch + HEAD;
        area.bottom = area.top + height;
        panel(&mut svg, spec, index, area, &time);
    }
    svg.x_labels(area, &time, "time");
    svg.finish()
}

/// The time that the data covers; a run that stopped early fills the width too.
fn time_axis(spec: &PlotSpec<'_>) -> Axis {
    let mut range = spec.series.envelope.times();
    if let Some(baseline) = spec.baseline.filter(|_| range == Range::EMPTY) {
        range = baseline.envelope.times();
    }
    Axis::new(range, "s", Fit::Tight, 10)
}

/// The measuring window, if it begins inside the plot.
fn window(spec: &PlotSpec<'_>, time: &Axis) -> Option<f64> {
    let from = spec.measure_from.filter(|from| time.contains(*from))?;
    let x = time.place(from, LEFT, RIGHT);
    (x > LEFT).then_some(x)
}

fn header(svg: &mut Svg, spec: &PlotSpec<'_>, time: &Axis) {
    let mut legend = Vec::new();
    if let Some(baseline) = spec.baseline.filter(|_| spec.panels.iter().any(|p| p.baseline)) {
        legend.extend(entry("—", colour::MAIN, spec.series.label));
        legend.extend(entry("—", colour::BASELINE, baseline.label));
    }
    if window(spec, time).is_some() {
        legend.extend(entry("■", colour::WINDOW_SIGN, "measuring window"));
    }
    let taken: f64 = legend.iter().map(|s| s.gap + s.font.width(s.text)).sum();
    svg.spans(RIGHT, 28.0, Anchor::End, &legend);
    svg.text(LEFT, 28.0, Anchor::Start, TITLE, &TITLE.fit(spec.title, RIGHT - LEFT - taken));
    let subtitle = SMALL.fit(spec.subtitle, RIGHT - LEFT);
    svg.text(LEFT, 46.0, Anchor::Start, SMALL, &subtitle);
}

fn panel(svg: &mut Svg, spec: &PlotSpec<'_>, index: usize, area: Area, time: &Axis) {
    let shown = spec.panels.get(index);
    let mark = shown.and_then(|p| p.mark).filter(|p| p.t.is_finite() && p.value.is_finite());
    let mark = mark.filter(|p| time.contains(p.t));
    let rounding = shown.map_or(0.0, |p| p.rounding);
    let main = Drawn::new(spec.series.envelope, index, rounding);
    let baseline = spec.baseline.filter(|_| shown.is_some_and(|p| p.baseline));
    let baseline = baseline.map(|b| Drawn::new(b.envelope, index, rounding));

    let mut range = main.range();
    for Range { lo, hi } in baseline.iter().map(Drawn::range) {
        [lo, hi].into_iter().for_each(|v| range.include(v));
    }
    let mark = mark.map(|p| Peak { value: main.shown(p.value), ..p });
    mark.into_iter().for_each(|p| range.include(p.value));
    let unit = shown.map_or("", |p| p.column.unit.as_str());
    let ticks = ((area.bottom - area.top) / 34.0) as usize;
    let axis = Axis::new(range, unit, Fit::Padded, ticks);

    if let Some(x) = window(spec, time) {
        svg.fill(Area { left: x, ..area }, colour::WINDOW);
    }
    svg.grid(area, time, &axis);
    let runs = main.placed(area, time, &axis);
    if runs.is_empty() {
        let middle = ((area.left + area.right) / 2.0, (area.top + area.bottom) / 2.0);
        svg.text(middle.0, middle.1, Anchor::Middle, SMALL, "no data");
    }
    svg.path(&runs, Stroke { colour: colour::MAIN, width: 1.2, opacity: 1.0 });
    if let Some(baseline) = baseline {
        let stroke = Stroke { colour: colour::BASELINE, width: 1.3, opacity: 1.0 };
        svg.path(&baseline.placed(area, time, &axis), stroke);
    }
    svg.frame(area);
    if let Some(mark) = mark {
        let x = time.place(mark.t, area.left, area.right);
        let y = axis.place(mark.value, area.bottom, area.top);
        let stroke = Stroke { colour: colour::PEAK, width: 1.5, opacity: 1.0 };
        svg.circle(x, y, 3.2, "#ffffff", stroke);
    }
    if let Some(shown) = shown {
        heading(svg, shown, area, &axis, mark.is_some());
    }
}

/// Name, unit and description on the left, the label on the right, with the sign of a mark.
fn heading(svg: &mut Svg, shown: &Panel, area: Area, axis: &Axis, marked: bool) {
    let y = area.top - 9.0;
    let mut room = area.right - area.left;
    if !shown.label.is_empty() {
        let font = Font { colour: colour::PEAK, bold: true, ..SMALL };
        let sign = Span { gap: 0.0, font, text: "○" };
        let text = Span { gap: 5.0, font: SMALL, text: &shown.label };
        let spans = if marked { &[sign, text][..] } else { &[text] };
        svg.spans(area.right, y, Anchor::End, spans);
        room -= SMALL.width(&shown.label) + 30.0;
    }
    let name = HEADING.fit(&axis.scale.heading(&shown.column.name), room);
    let about = SMALL.fit(&shown.column.about, room - HEADING.width(&name) - 10.0);
    let spans = [
        Span { gap: 0.0, font: HEADING, text: &name },
        Span { gap: 10.0, font: SMALL, text: &about },
    ];
    svg.spans(area.left, y, Anchor::Start, &spans);
}

/// One column of an envelope, zero where it is nothing but rounding.
struct Drawn<'a> {
    envelope: &'a Envelope,
    column: usize,
    zero: bool,
}

impl Drawn<'_> {
    fn new(envelope: &Envelope, column: usize, rounding: f64) -> Drawn<'_> {
        let zero = envelope.values(column).size() <= rounding;
        Drawn { envelope, column, zero }
    }

    fn shown(&self, value: f64) -> f64 {
        if self.zero { 0.0 } else { value }
    }

    fn range(&self) -> Range {
        let Range { lo, hi } = self.envelope.values(self.column);
        Range::over([lo, hi].map(|v| if v.is_finite() { self.shown(v) } else { v }))
    }

    /// The lines within the time that is shown.
    fn placed(&self, area: Area, time: &Axis, axis: &Axis) -> Vec<Vec<(f64, f64)>> {
        let mut runs = self.envelope.runs(self.column);
        for run in &mut runs {
            run.retain(|(t, _)| time.holds(*t));
            for (t, v) in run {
                *t = time.place(*t, area.left, area.right);
                *v = axis.place(self.shown(*v), area.bottom, area.top);
            }
        }
        runs.retain(|run| !run.is_empty());
        runs
    }
}
