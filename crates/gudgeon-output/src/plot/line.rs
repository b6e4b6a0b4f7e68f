//! Curves y over x, such as the force–indentation loops of impacts.

use super::axis::{Axis, Fit, Range};
use super::colour;
use super::svg::{Anchor, Area, LABEL, SMALL, Stroke, Svg, TITLE};

/// A curve with its name in the legend; a point that is not finite leaves a gap.
#[derive(Clone, Debug, Default)]
pub struct Curve {
    pub label: String,
    pub points: Vec<(f64, f64)>,
}

/// A plot of curves. Axes are (name, SI unit).
#[derive(Clone, Copy, Debug)]
pub struct LinePlot<'a> {
    pub title: &'a str,
    pub x: (&'a str, &'a str),
    pub y: (&'a str, &'a str),
    pub curves: &'a [Curve],
}

impl<'a> LinePlot<'a> {
    /// Force over indentation depth, for chosen impacts.
    pub fn force_indentation(title: &'a str, curves: &'a [Curve]) -> LinePlot<'a> {
        LinePlot { title, x: ("indentation", "m"), y: ("contact force", "N"), curves }
    }
}

const WIDTH: f64 = 720.0;
const AREA: Area = Area { left: 84.0, top: 48.0, right: WIDTH - 22.0, bottom: 448.0 };
/// Entries of the legend; further curves are counted only.
const ENTRIES: usize = 14;

/// Draws the plot.
pub fn lines(plot: &LinePlot<'_>) -> String {
    let legend = plot.curves.iter().any(|c| !c.label.is_empty());
    let room = label_room(plot.curves);
    let width = if legend { WIDTH + 30.0 + room } else { WIDTH };
    let mut svg = Svg::new(width, AREA.bottom + 54.0, plot.title);
    svg.text(AREA.left, 28.0, Anchor::Start, TITLE, &TITLE.fit(plot.title, width - 110.0));

    let (mut x, mut y) = (Range::EMPTY, Range::EMPTY);
    for point in plot.curves.iter().flat_map(|c| &c.points).filter(|p| finite(p)) {
        x.include(point.0);
        y.include(point.1);
    }
    let x = Axis::new(x, plot.x.1, Fit::Padded, 8);
    let y = Axis::new(y, plot.y.1, Fit::Padded, 8);
    svg.grid(AREA, &x, &y);
    for (index, curve) in plot.curves.iter().enumerate() {
        svg.path(&runs(curve, &x, &y), stroke(index));
    }
    svg.frame(AREA);
    svg.x_labels(AREA, &x, plot.x.0);
    let middle = (AREA.top + AREA.bottom) / 2.0;
    svg.upward_text(24.0, middle, LABEL, &y.scale.heading(plot.y.0));
    if legend {
        draw_legend(&mut svg, plot.curves, room);
    }
    svg.finish()
}

fn finite(point: &(f64, f64)) -> bool {
    point.0.is_finite() && point.1.is_finite()
}

fn stroke(index: usize) -> Stroke {
    let colour = colour::CURVES[index % colour::CURVES.len()];
    Stroke { colour, width: 1.5, opacity: 1.0 }
}

fn runs(curve: &Curve, x: &Axis, y: &Axis) -> Vec<Vec<(f64, f64)>> {
    let place =
        |p: &(f64, f64)| (x.place(p.0, AREA.left, AREA.right), y.place(p.1, AREA.bottom, AREA.top));
    curve.points.split(|p| !finite(p)).map(|run| run.iter().map(place).collect()).collect()
}

/// Width of the labels in the legend.
fn label_room(curves: &[Curve]) -> f64 {
    let widths = curves.iter().take(ENTRIES).map(|curve| LABEL.width(&curve.label) + 2.0);
    widths.fold(150.0, f64::max).min(320.0)
}

fn draw_legend(svg: &mut Svg, curves: &[Curve], room: f64) {
    let left = AREA.right + 18.0;
    for (index, curve) in curves.iter().take(ENTRIES).enumerate() {
        let y = AREA.top + 12.0 + 20.0 * index as f64;
        svg.segments(&[[(left, y - 4.0), (left + 20.0, y - 4.0)]], stroke(index));
        svg.text(left + 28.0, y, Anchor::Start, LABEL, &LABEL.fit(&curve.label, room));
    }
    if curves.len() > ENTRIES {
        let y = AREA.top + 12.0 + 20.0 * ENTRIES as f64;
        let more = format!("and {} more", curves.len() - ENTRIES);
        svg.text(left + 28.0, y, Anchor::Start, SMALL, &more);
    }
}
