//! Panels of lines, points, bands and bars over common kinds of axes.
//!
//! A chart is a title and panels in rows; a panel is two axes and layers drawn in order. The legend
//! names every layer with a label once, however many panels it stands in. Data that has no place on
//! an axis is left out: what is not finite, and what is not positive on a logarithmic one.

mod layers;
mod legend;

use super::axis::{Axis, AxisSpec, Range, Spacing};
use super::svg::{Anchor, Area, Font, HEADING, LABEL, SMALL, Span, Svg, TITLE};

pub use layers::{Colour, Layer, Look, Mark, Shape};

/// A picture of panels.
#[derive(Clone, Debug, Default)]
pub struct Chart {
    pub title: String,
    /// A few words below the title; may be empty.
    pub subtitle: String,
    /// Panels in a row, at most.
    pub columns: usize,
    /// Width and height of a panel; what suits the columns unless given.
    pub size: Option<(f64, f64)>,
    pub panels: Vec<Panel>,
}

/// Axes and what is drawn between them.
#[derive(Clone, Debug, Default)]
pub struct Panel {
    pub heading: String,
    /// Small, behind the heading.
    pub about: String,
    /// Small, at the other end of the heading.
    pub note: String,
    /// A ring before the note, which speaks of the point marked so.
    pub note_of: Option<Colour>,
    pub x: AxisSpec,
    pub y: AxisSpec,
    pub layers: Vec<Layer>,
    /// Both axes have the same ends.
    pub equal: bool,
    /// The horizontal axis has no labels, those of the panel below serve.
    pub bare: bool,
    /// Name and unit of the vertical axis are the heading, where long names have room.
    pub named_above: bool,
    pub height: Option<f64>,
}

/// Width and height of panels by their number in a row.
const SIZES: [(f64, f64); 3] = [(700.0, 340.0), (400.0, 300.0), (290.0, 240.0)];
const RIGHT: f64 = 22.0;
/// Room for the words of a vertical axis.
const WORDS: f64 = 120.0;

struct Axes {
    x: Axis,
    y: Axis,
}

impl Chart {
    /// Draws the picture.
    pub fn draw(&self) -> String {
        let nothing = [Panel::default()];
        let panels = if self.panels.is_empty() { &nothing[..] } else { &self.panels };
        let columns = self.columns.clamp(1, SIZES.len()).min(panels.len());
        let (width, usual) = self.size.unwrap_or(SIZES[columns - 1]);
        let heights: Vec<f64> = panels.iter().map(|p| p.height.unwrap_or(usual)).collect();
        let axes: Vec<Axes> =
            panels.iter().zip(&heights).map(|(panel, height)| panel.axes(width, *height)).collect();
        let lefts: Vec<f64> = (0..columns).map(|c| left_margin(&axes, c, columns)).collect();
        let whole = lefts.iter().map(|left| left + width + RIGHT).sum::<f64>();
        let legend = legend::rows(panels.iter().flat_map(|p| &p.layers), whole - lefts[0] - RIGHT);
        let head = 40.0 + if self.subtitle.is_empty() { 0.0 } else { 18.0 };
        let top = head + 20.0 * legend.len() as f64;
        let rows: Vec<f64> = rows(panels, &heights, columns);

        let mut svg = Svg::new(whole, top + rows.iter().sum::<f64>() + 8.0, &self.title);
        let room = whole - lefts[0] - RIGHT;
        svg.text(lefts[0], 28.0, Anchor::Start, TITLE, &TITLE.cut(&self.title, room));
        svg.text(lefts[0], 46.0, Anchor::Start, SMALL, &SMALL.cut(&self.subtitle, room));
        legend::draw(&mut svg, &legend, lefts[0], head + 8.0);
        let mut y = top;
        for (row, height) in rows.iter().enumerate() {
            let mut x = 0.0;
            for (column, left) in lefts.iter().enumerate() {
                let index = row * columns + column;
                x += left;
                if let Some(panel) = panels.get(index) {
                    let top = y + panel.head();
                    let bottom = top + heights[index];
                    let area = Area { left: x, top, right: x + width, bottom };
                    panel.draw(&mut svg, &axes[index], area, left - 16.0);
                }
                x += width + RIGHT;
            }
            y += height;
        }
        svg.finish()
    }
}

/// Heights of the rows with all that belongs to them.
fn rows(panels: &[Panel], heights: &[f64], columns: usize) -> Vec<f64> {
    let whole: Vec<f64> =
        panels.iter().zip(heights).map(|(p, height)| p.head() + height + p.foot()).collect();
    whole.chunks(columns).map(|row| row.iter().fold(0.0, |a: f64, b| a.max(*b))).collect()
}

/// Room for the ticks and the name of the vertical axes of a column.
fn left_margin(axes: &[Axes], column: usize, columns: usize) -> f64 {
    let of =
        |axes: &Axes| axes.y.ticks.iter().map(|tick| SMALL.extent(&tick.label)).fold(0.0, f64::max);
    axes.iter().skip(column).step_by(columns).map(of).fold(0.0, f64::max).max(24.0) + 38.0
}

impl Panel {
    fn head(&self) -> f64 {
        let bare = self.heading.is_empty() && self.note.is_empty() && !self.named_above;
        if bare { 12.0 } else { 32.0 }
    }

    fn foot(&self) -> f64 {
        if self.bare { 4.0 } else { 50.0 }
    }

    fn axes(&self, width: f64, height: f64) -> Axes {
        let (mut x, mut y) = self.ranges();
        if self.equal {
            let both = Range::over([x.lo, x.hi, y.lo, y.hi]);
            (x, y) = (both, both);
        }
        let mut counts = ((width / 70.0) as usize, (height / 38.0).max(1.0) as usize);
        if self.equal {
            counts = (counts.0.min(counts.1), counts.0.min(counts.1));
        }
        let mut x = Axis::of(&self.x, x, counts.0);
        let mut y = Axis::of(&self.y, y, counts.1);
        if let Spacing::Words(words) = &self.x.spacing {
            let room = width / words.len().max(1) as f64 - 4.0;
            x.ticks.iter_mut().for_each(|tick| tick.label = SMALL.cut(&tick.label, room));
        }
        if let Spacing::Words(_) = &self.y.spacing {
            y.ticks.iter_mut().for_each(|tick| tick.label = SMALL.cut(&tick.label, WORDS));
        }
        Axes { x, y }
    }

    /// What the layers cover, as far as the axes can show it.
    fn ranges(&self) -> (Range, Range) {
        let (mut x, mut y) = (Range::EMPTY, Range::EMPTY);
        let usable = |spec: &AxisSpec, v: f64| spec.spacing != Spacing::Log || v > 0.0;
        for layer in &self.layers {
            layer.shape.each(&mut |at, to| {
                at.filter(|v| usable(&self.x, *v)).into_iter().for_each(|v| x.include(v));
                to.filter(|v| usable(&self.y, *v)).into_iter().for_each(|v| y.include(v));
            });
        }
        (x, y)
    }

    fn draw(&self, svg: &mut Svg, axes: &Axes, area: Area, margin: f64) {
        let place = layers::Place { area, x: &axes.x, y: &axes.y };
        self.layers.iter().for_each(|layer| place.ground(svg, layer));
        svg.grid(area, &axes.x, &axes.y);
        let drawn = self.layers.iter().filter(|layer| place.draw(svg, layer)).count();
        svg.frame(area);
        let middle = ((area.left + area.right) / 2.0, (area.top + area.bottom) / 2.0);
        if drawn == 0 {
            svg.text(middle.0, middle.1, Anchor::Middle, SMALL, "no data");
        }
        if !self.bare {
            svg.x_labels(area, &axes.x, &self.x.name);
        }
        let room = area.bottom - area.top + 20.0;
        if !self.y.name.is_empty() && !self.named_above {
            svg.upward_text(area.left - margin, middle.1, LABEL, &axes.y.title(&self.y.name, room));
        }
        self.words(svg, axes, area);
    }

    /// Heading with what it is about, and the note at the right.
    fn words(&self, svg: &mut Svg, axes: &Axes, area: Area) {
        let (width, y) = (area.right - area.left, area.top - 9.0);
        let heading = match self.named_above {
            true => &axes.y.scale.heading(&self.y.name),
            false => &self.heading,
        };
        let heading = HEADING.cut(heading, width);
        let note = SMALL.cut(&self.note, width - HEADING.extent(&heading) - 12.0);
        let sign = if self.note_of.is_some() && !note.is_empty() { 15.0 } else { 0.0 };
        let left = width - HEADING.extent(&heading) - SMALL.extent(&note) - sign - 22.0;
        let about = SMALL.cut(&self.about, left);
        let spans = [
            Span { gap: 0.0, font: HEADING, text: &heading },
            Span { gap: 10.0, font: SMALL, text: &about },
        ];
        svg.spans(area.left, y, Anchor::Start, &spans);
        let font =
            Font { bold: true, colour: self.note_of.unwrap_or(Colour::Muted).code(), ..SMALL };
        let ring = Span { gap: 0.0, font, text: "○" };
        let text = Span { gap: 5.0, font: SMALL, text: &note };
        let spans = if sign > 0.0 { &[ring, text][..] } else { &[Span { gap: 0.0, ..text }] };
        svg.spans(area.right, y, Anchor::End, spans);
    }
}

/// Draws layers into an area with axes.
pub(crate) fn paint_layers(svg: &mut Svg, area: Area, x: &Axis, y: &Axis, layers: &[Layer]) {
    let place = layers::Place { area, x, y };
    for layer in layers {
        place.draw(svg, layer);
    }
}

/// Draws the legend of layers; its height.
pub(crate) fn show_legend(svg: &mut Svg, layers: &[Layer], at: (f64, f64), width: f64) -> f64 {
    let rows = legend::rows(layers.iter(), width);
    legend::draw(svg, &rows, at.0, at.1);
    20.0 * rows.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(layers: Vec<Layer>, spacing: Spacing) -> String {
        let x = AxisSpec {
            name: "a <b> & c".into(),
            unit: "mm".into(),
            spacing,
            ends: Some((1.0, 100.0)),
        };
        let y = AxisSpec { name: "y".into(), ends: Some((0.0, 10.0)), ..AxisSpec::default() };
        let panel = Panel { x, y, layers, ..Panel::default() };
        Chart { title: "t".into(), columns: 1, panels: vec![panel], ..Chart::default() }.draw()
    }

    fn dot(x: f64, y: f64) -> Layer {
        let look = Look { marker: Mark::Dot, ..Look::default() };
        Layer { label: String::new(), look, shape: Shape::Points(vec![(x, y)]) }
    }

    #[test]
    fn a_point_stands_where_its_values_are() {
        // the panel is 700 × 340 at (62, 52), behind labels of two digits and below the title
        let svg = chart(vec![dot(10.0, 2.5)], Spacing::Log);
        assert!(svg.contains("<circle cx=\"412\" cy=\"307\""), "{svg}");
        let svg = chart(vec![dot(50.5, 5.0)], Spacing::Linear);
        assert!(svg.contains("<circle cx=\"412\" cy=\"222\""), "{svg}");
    }

    #[test]
    fn names_are_escaped() {
        let svg = chart(vec![], Spacing::Linear);
        assert!(svg.contains("a &lt;b&gt; &amp; c [mm]") && svg.contains("no data"), "{svg}");
    }

    #[test]
    fn what_has_no_place_is_left_out() {
        let layers = [(f64::NAN, 1.0), (10.0, f64::INFINITY), (-3.0, 1.0), (5.0, 11.0)];
        let svg = chart(layers.map(|(x, y)| dot(x, y)).to_vec(), Spacing::Log);
        assert!(!svg.contains("<circle") && !svg.contains("NaN"), "{svg}");
    }

    #[test]
    fn words_stand_at_their_index() {
        let words = Spacing::Words(vec!["hertz".into(), "flores".into()]);
        let svg = chart(vec![dot(1.0, 5.0)], words);
        // the middle of the second half
        assert!(svg.contains("<circle cx=\"587\" cy=\"222\""), "{svg}");
        assert!(svg.contains(">flores</text>"));
    }

    #[test]
    fn an_empty_chart_is_a_picture() {
        let svg = Chart::default().draw();
        assert!(svg.starts_with("<svg") && svg.contains("no data"));
    }
}
