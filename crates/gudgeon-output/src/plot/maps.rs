//! Functions of two variables, one map below the other.

use super::axis::{Axis, AxisSpec, Range};
use super::chart::{Layer, show_legend};
use super::contour::Grid;
use super::map::{Bands, Map};
use super::svg::{Anchor, Area, HEADING, SMALL, Span, Svg, TITLE};

/// One function over a plane.
#[derive(Clone, Debug, Default)]
pub struct MapPanel {
    pub heading: String,
    /// A few words behind the heading; may be empty.
    pub about: String,
    pub x: AxisSpec,
    pub y: AxisSpec,
    pub z: AxisSpec,
    pub grid: Grid,
    /// Whether zero is not a small value but none, with a colour of its own: where oil cavitates there is no pressure.
    pub empty: bool,
    /// On top of the map; their names are in the legend of the picture.
    pub layers: Vec<Layer>,
}

/// What is drawn.
#[derive(Clone, Copy, Debug)]
pub struct MapsPlot<'a> {
    pub title: &'a str,
    /// A few words below the title; may be empty.
    pub subtitle: &'a str,
    pub panels: &'a [MapPanel],
}

const WIDTH: f64 = 960.0;
const LEFT: f64 = 86.0;
const RIGHT: f64 = 820.0;
/// Colour bar: from here on, so wide.
const BAR: (f64, f64) = (846.0, 16.0);
const HEIGHT: f64 = 170.0;
/// Above a map, for its heading, and below, for its axis.
const HEAD: f64 = 40.0;
const FOOT: f64 = 50.0;
const BANDS: usize = 8;

/// Draws the maps. Those of one quantity share one scale of colours, so that they can be compared.
pub fn maps(plot: &MapsPlot<'_>) -> String {
    let room = WIDTH - LEFT - 20.0;
    let top = if plot.subtitle.is_empty() { 40.0 } else { 58.0 };
    let layers: Vec<Layer> = plot.panels.iter().flat_map(|p| p.layers.iter().cloned()).collect();
    let mut body = Svg::part();
    let mut area = Area { left: LEFT, right: RIGHT, top: top + 8.0, bottom: 0.0 };
    area.top += show_legend(&mut body, &layers, (LEFT, area.top), room);
    for panel in plot.panels {
        area.top += HEAD;
        area.bottom = area.top + HEIGHT;
        let alike = plot.panels.iter().filter(|other| same(&other.z, &panel.z));
        let values: Vec<f64> = alike.flat_map(|other| ends(&other.grid.values)).collect();
        draw(&mut body, panel, &values, area);
        area.top = area.bottom + FOOT;
    }
    let mut svg = Svg::new(WIDTH, area.top, plot.title);
    svg.text(LEFT, 28.0, Anchor::Start, TITLE, &TITLE.cut(plot.title, room));
    svg.text(LEFT, 46.0, Anchor::Start, SMALL, &SMALL.cut(plot.subtitle, room));
    svg.append(body);
    svg.finish()
}

fn same(a: &AxisSpec, b: &AxisSpec) -> bool {
    (&a.name, &a.unit, &a.spacing) == (&b.name, &b.unit, &b.spacing)
}

/// Smallest and largest of some values.
fn ends(values: &[f64]) -> [f64; 2] {
    let Range { lo, hi } = Range::over(values.iter().copied());
    [lo, hi]
}

/// `values` are those that the colours are for.
fn draw(svg: &mut Svg, panel: &MapPanel, values: &[f64], area: Area) {
    let heading = HEADING.cut(&panel.heading, RIGHT - LEFT);
    let about = SMALL.cut(&panel.about, RIGHT - LEFT - HEADING.extent(&heading) - 14.0);
    let spans = [
        Span { gap: 0.0, font: HEADING, text: &heading },
        Span { gap: 10.0, font: SMALL, text: &about },
    ];
    svg.spans(area.left, area.top - 11.0, Anchor::Start, &spans);
    let bands = Bands { empty: panel.empty, ..Bands::new(&panel.z, values, BANDS) };
    let x = Axis::of(&panel.x, Range::over(panel.grid.xs.iter().copied()), 8);
    let y = Axis::of(&panel.y, Range::over(panel.grid.ys.iter().copied()), 4);
    let names = [panel.x.name.as_str(), panel.y.name.as_str()];
    let map = Map { x: &x, y: &y, names, bands: &bands, grid: &panel.grid, layers: &panel.layers };
    map.draw(svg, area);
    bands.draw(svg, &panel.z.name, area, BAR);
}
