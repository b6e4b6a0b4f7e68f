//! A map of coloured bands with its scale of colours.

use super::axis::{Axis, AxisSpec, Range};
use super::chart::{Layer, paint_layers};
use super::colour;
use super::contour::{Grid, Region};
use super::svg::{Anchor, Area, LABEL, SMALL, Stroke, Svg};

/// Shares of the axis below this are zero where that has a colour of its own.
const EMPTY: f64 = 1e-6;

/// Levels and colours of the bands.
pub(crate) struct Bands {
    pub axis: Axis,
    /// Borders of the bands, as shares of the axis.
    pub levels: Vec<f64>,
    /// Whether zero has a colour of its own.
    pub empty: bool,
}

impl Bands {
    /// About `count` bands over the values.
    pub fn new(spec: &AxisSpec, values: &[f64], count: usize) -> Bands {
        let data = Range::over(values.iter().copied());
        let ends = (data.lo < data.hi).then_some((data.lo, data.hi));
        let axis = Axis::of(&AxisSpec { ends, ..spec.clone() }, data, count);
        let shares = axis.ticks.iter().map(|tick| axis.place(tick.value, 0.0, 1.0));
        let levels = shares.filter(|share| *share > 1e-9 && *share < 1.0 - 1e-9).collect();
        Bands { axis, levels, empty: false }
    }

    /// The value as a share of the axis, not a number where it has no place.
    pub fn share(&self, value: f64) -> f64 {
        if self.axis.shows(value) { self.axis.place(value, 0.0, 1.0) } else { f64::NAN }
    }

    pub fn colour(&self, band: usize) -> String {
        colour::ramp((band as f64 + 0.5) / (self.levels.len() + 1) as f64)
    }

    /// The colour of a share, that of its band in the middle of the band.
    pub fn shade(&self, share: f64) -> String {
        let band = self.levels.iter().filter(|level| share >= **level).count();
        let from = if band == 0 { 0.0 } else { self.levels[band - 1] };
        let to = self.levels.get(band).copied().unwrap_or(1.0);
        let part = if to > from { (share - from) / (to - from) } else { 0.5 };
        colour::ramp((band as f64 + part) / (self.levels.len() + 1) as f64)
    }

    /// The colours with their values beside an area, from `left` on and so wide, and above them what
    /// they mean.
    pub fn draw(&self, svg: &mut Svg, name: &str, area: Area, (left, width): (f64, f64)) {
        let right = left + width;
        let place = |share: f64| area.bottom + share * (area.top - area.bottom);
        let mut from = 0.0;
        for band in 0..=self.levels.len() {
            let to = self.levels.get(band).copied().unwrap_or(1.0);
            let corners = [(left, from), (right, from), (right, to), (left, to)];
            let around = corners.map(|(x, share)| (x, place(share))).to_vec();
            svg.area(&[around], &self.colour(band), 1.0);
            from = to;
        }
        svg.frame(Area { left, right, ..area });
        if self.empty {
            let (top, bottom) = (area.bottom + 6.0, area.bottom + 18.0);
            let around = vec![(left, top), (right, top), (right, bottom), (left, bottom)];
            svg.area(&[around], colour::EMPTY, 1.0);
            svg.frame(Area { left, right, top, bottom });
            svg.text(right + 7.0, bottom - 2.0, Anchor::Start, SMALL, "none: cavitation");
        }
        for tick in &self.axis.ticks {
            let y = self.axis.place(tick.value, area.bottom, area.top);
            let mark = [[(right, y), (right + 4.0, y)]];
            svg.segments(&mark, Stroke { colour: colour::MUTED, width: 1.0, opacity: 1.0 });
            svg.text(right + 7.0, y + 4.0, Anchor::Start, SMALL, &tick.label);
        }
        let heading = self.axis.title(name, 280.0);
        svg.text(left - 20.0, area.top - 11.0, Anchor::Start, LABEL, &heading);
    }
}

/// A function of two variables as bands.
pub(crate) struct Map<'a> {
    pub x: &'a Axis,
    pub y: &'a Axis,
    pub names: [&'a str; 2],
    pub bands: &'a Bands,
    pub grid: &'a Grid,
    /// On top of the map.
    pub layers: &'a [Layer],
}

impl Map<'_> {
    pub fn draw(&self, svg: &mut Svg, area: Area) {
        let Map { x, y, bands, .. } = self;
        svg.grid(area, x, y);
        let placed = self.grid.mapped(
            |v| x.place(v, area.left, area.right),
            |v| y.place(v, area.bottom, area.top),
            |v| bands.share(v),
        );
        let lowest = if bands.empty {
            let around = [
                (area.left, area.top),
                (area.right, area.top),
                (area.right, area.bottom),
                (area.left, area.bottom),
            ];
            svg.area(&[around.to_vec()], colour::EMPTY, 1.0);
            EMPTY
        } else {
            f64::NEG_INFINITY
        };
        let below = std::iter::once(lowest);
        let mut lines = Vec::new();
        for (band, level) in below.chain(bands.levels.iter().copied()).enumerate() {
            let region = Region::above(&placed, level);
            svg.area(&region.loops, &bands.colour(band), 1.0);
            if band > 0 {
                lines.extend(region.lines);
            }
        }
        svg.path(&lines, Stroke { colour: "#ffffff", width: 0.7, opacity: 0.55 });
        svg.frame(area);
        paint_layers(svg, area, x, y, self.layers);
        svg.x_labels(area, x, self.names[0]);
        let name = y.title(self.names[1], area.bottom - area.top);
        svg.upward_text(area.left - 62.0, (area.top + area.bottom) / 2.0, LABEL, &name);
    }
}
