//! What a panel shows.

use super::super::axis::Axis;
use super::super::colour;
use super::super::svg::{Anchor, Area, SMALL, Stroke, Svg};

/// Something drawn between the axes.
#[derive(Clone, Debug, Default)]
pub struct Layer {
    /// Its name in the legend; empty for none.
    pub label: String,
    pub look: Look,
    pub shape: Shape,
}

/// Where the data of a layer is; a value that is not finite leaves a gap.
#[derive(Clone, Debug)]
pub enum Shape {
    Line(Vec<(f64, f64)>),
    Points(Vec<(f64, f64)>),
    /// Between two curves: x, low, high.
    Band(Vec<[f64; 3]>),
    /// Upright lines with ends: x, low, high.
    Bars(Vec<[f64; 3]>),
    /// Lying lines with ends: y, low, high.
    SideBars(Vec<[f64; 3]>),
    /// Filled rectangles, by two corners.
    Boxes(Vec<[(f64, f64); 2]>),
    /// Lines over the whole height.
    Uprights(Vec<f64>),
    /// Where both axes have the same value.
    Diagonal,
    /// Crosses at the foot of the panel.
    Feet(Vec<f64>),
    /// Words beside points.
    Words(Vec<(f64, f64, String)>),
    /// The ground from a place to the right end, such as the measuring window.
    Window(f64),
}

impl Default for Shape {
    fn default() -> Shape {
        Shape::Points(Vec::new())
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    pub colour: Colour,
    pub width: f64,
    /// Of areas and points.
    pub opacity: f64,
    pub dashed: bool,
    pub marker: Mark,
}

impl Default for Look {
    fn default() -> Look {
        let (colour, marker) = (Colour::Main, Mark::Dot);
        Look { colour, width: 1.5, opacity: 1.0, dashed: false, marker }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colour {
    Main,
    Second,
    Alert,
    Muted,
    Faint,
    Dark,
    /// One of a series.
    Curve(usize),
}

impl Colour {
    pub(super) fn code(self) -> &'static str {
        match self {
            Colour::Main => colour::MAIN,
            Colour::Second => colour::BASELINE,
            Colour::Alert => colour::PEAK,
            Colour::Muted => colour::MUTED,
            Colour::Faint => colour::ZERO,
            Colour::Dark => colour::TEXT,
            Colour::Curve(index) => colour::CURVES[index % colour::CURVES.len()],
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    Dot,
    Ring,
    /// A small dot, for hundreds of them.
    Speck,
    Cross,
    Diamond,
}

impl Look {
    fn stroke(&self) -> Stroke {
        Stroke { colour: self.colour.code(), width: self.width, opacity: 1.0 }
    }
}

impl Shape {
    /// Calls `f` with all coordinates that the axes must show.
    pub(super) fn each(&self, f: &mut dyn FnMut(Option<f64>, Option<f64>)) {
        match self {
            Shape::Line(points) | Shape::Points(points) => {
                points.iter().filter(|p| finite(p)).for_each(|p| f(Some(p.0), Some(p.1)));
            }
            Shape::Band(rows) | Shape::Bars(rows) => {
                for [x, low, high] in rows {
                    f(Some(*x), Some(*low));
                    f(None, Some(*high));
                }
            }
            Shape::SideBars(rows) => {
                for [y, low, high] in rows {
                    f(Some(*low), Some(*y));
                    f(Some(*high), None);
                }
            }
            Shape::Boxes(boxes) => {
                boxes.iter().flatten().for_each(|p| f(Some(p.0), Some(p.1)));
            }
            Shape::Uprights(xs) | Shape::Feet(xs) => xs.iter().for_each(|x| f(Some(*x), None)),
            Shape::Diagonal | Shape::Words(_) | Shape::Window(_) => {}
        }
    }
}

fn finite(point: &(f64, f64)) -> bool {
    point.0.is_finite() && point.1.is_finite()
}

/// The area of a panel with its axes.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    pub area: Area,
    pub x: &'a Axis,
    pub y: &'a Axis,
}

impl Place<'_> {
    fn x(&self, value: f64) -> f64 {
        self.x.place(value, self.area.left, self.area.right)
    }

    fn y(&self, value: f64) -> f64 {
        self.y.place(value, self.area.bottom, self.area.top)
    }

    fn at(&self, point: &(f64, f64)) -> Option<(f64, f64)> {
        let shown = self.x.holds(point.0) && self.y.holds(point.1);
        shown.then(|| (self.x(point.0), self.y(point.1)))
    }

    /// Draws a layer; whether there was anything to draw.
    pub(crate) fn draw(&self, svg: &mut Svg, layer: &Layer) -> bool {
        let look = &layer.look;
        match &layer.shape {
            Shape::Line(points) => self.line(svg, points, look),
            Shape::Points(points) => {
                let placed: Vec<_> = points.iter().filter_map(|p| self.at(p)).collect();
                marks(svg, &placed, look);
                !placed.is_empty()
            }
            Shape::Band(rows) => self.band(svg, rows, look),
            Shape::Bars(rows) => self.bars(svg, rows, look, false),
            Shape::SideBars(rows) => self.bars(svg, rows, look, true),
            Shape::Boxes(boxes) => self.boxes(svg, boxes, look),
            Shape::Uprights(xs) => {
                let line =
                    |x: &f64| vec![(self.x(*x), self.area.top), (self.x(*x), self.area.bottom)];
                let runs: Vec<_> = xs.iter().filter(|x| self.x.holds(**x)).map(line).collect();
                svg.styled_path(&runs, look.stroke(), look.dashed);
                !runs.is_empty()
            }
            Shape::Diagonal => {
                let ((a, b), (c, d)) = (self.x.ends(), self.y.ends());
                let ends = [a.max(c), b.min(d)].map(|v| (self.x(v), self.y(v)));
                svg.styled_path(&[ends.to_vec()], look.stroke(), look.dashed);
                false
            }
            Shape::Feet(xs) => {
                let foot = |x: &f64| (self.x(*x), self.area.bottom);
                let placed: Vec<_> = xs.iter().filter(|x| self.x.holds(**x)).map(foot).collect();
                marks(svg, &placed, &Look { marker: Mark::Cross, ..*look });
                !placed.is_empty()
            }
            Shape::Words(words) => self.words(svg, words),
            Shape::Window(_) => false,
        }
    }

    /// Draws what lies behind the grid.
    pub(crate) fn ground(&self, svg: &mut Svg, layer: &Layer) {
        if let Shape::Window(from) = layer.shape
            && self.x.holds(from)
        {
            svg.fill(Area { left: self.x(from), ..self.area }, colour::WINDOW);
        }
    }

    fn line(&self, svg: &mut Svg, points: &[(f64, f64)], look: &Look) -> bool {
        let shown = |p: &(f64, f64)| self.x.shows(p.0) && self.y.shows(p.1);
        let place = |p: &(f64, f64)| (self.x(p.0), self.y(p.1));
        let runs = points.split(|p| !shown(p)).map(|run| run.iter().map(place).collect());
        let runs: Vec<Vec<_>> = runs.filter(|run: &Vec<_>| !run.is_empty()).collect();
        svg.styled_path(&runs, look.stroke(), look.dashed);
        !runs.is_empty()
    }

    fn band(&self, svg: &mut Svg, rows: &[[f64; 3]], look: &Look) -> bool {
        let shown =
            |row: &[f64; 3]| self.x.shows(row[0]) && row[1].is_finite() && self.y.shows(row[2]);
        let around = |rows: &[[f64; 3]]| {
            let above = rows.iter().map(|r| (self.x(r[0]), self.y(r[2])));
            above.chain(rows.iter().rev().map(|r| (self.x(r[0]), self.y(r[1])))).collect()
        };
        let runs = rows.split(|row| !shown(row)).filter(|run| run.len() > 1);
        let loops: Vec<Vec<_>> = runs.map(around).collect();
        svg.area(&loops, look.colour.code(), look.opacity);
        !loops.is_empty()
    }

    /// Lines with ends; lying ones have x and y exchanged.
    fn bars(&self, svg: &mut Svg, rows: &[[f64; 3]], look: &Look, lying: bool) -> bool {
        let (along, across) = if lying { (self.x, self.y) } else { (self.y, self.x) };
        let shown =
            |r: &&[f64; 3]| across.holds(r[0]) && r[1].is_finite() && along.shows(r[1].max(r[2]));
        let mut runs = Vec::new();
        for row in rows.iter().filter(shown) {
            let [low, high] = [row[1], row[2]].map(|v| match lying {
                true => (self.x(v), self.y(row[0])),
                false => (self.x(row[0]), self.y(v)),
            });
            runs.push(vec![low, high]);
            let (dx, dy) = if lying { (0.0, 3.0) } else { (3.0, 0.0) };
            for (x, y) in [low, high] {
                runs.push(vec![(x - dx, y - dy), (x + dx, y + dy)]);
            }
        }
        svg.styled_path(&runs, look.stroke(), look.dashed);
        !runs.is_empty()
    }

    fn boxes(&self, svg: &mut Svg, boxes: &[[(f64, f64); 2]], look: &Look) -> bool {
        let shown = |pair: &&[(f64, f64); 2]| pair.iter().all(finite);
        let around = |[a, b]: &[(f64, f64); 2]| {
            let ((l, t), (r, b)) = ((self.x(a.0), self.y(a.1)), (self.x(b.0), self.y(b.1)));
            vec![(l, t), (r, t), (r, b), (l, b)]
        };
        let loops: Vec<_> = boxes.iter().filter(shown).map(around).collect();
        svg.area(&loops, look.colour.code(), look.opacity);
        !loops.is_empty()
    }

    /// Words beside their points, where the panel and the words before leave room.
    fn words(&self, svg: &mut Svg, words: &[(f64, f64, String)]) -> bool {
        let mut taken: Vec<Area> = Vec::new();
        for (x, y, word) in words {
            let Some((x, y)) = self.at(&(*x, *y)) else { continue };
            let word = SMALL.cut(word, self.area.right - self.area.left);
            let wide = SMALL.extent(&word);
            let spot = |(right, dy): (bool, f64)| {
                let left = if right { x + 7.0 } else { x - 7.0 - wide };
                Area { left, right: left + wide, top: y + dy - 10.0, bottom: y + dy + 2.0 }
            };
            let free = |spot: &Area| {
                let inside = spot.left >= self.area.left
                    && spot.right <= self.area.right
                    && spot.top >= self.area.top
                    && spot.bottom <= self.area.bottom;
                inside && !taken.iter().any(|other| overlap(spot, other))
            };
            let heights = [-4.0, 4.0, 14.0, -14.0, 24.0, -24.0];
            let spots = heights.iter().flat_map(|dy| [(true, *dy), (false, *dy)]);
            // A long word goes over its point sooner than into the next panel.
            let pushed = |dy: &f64| {
                let beside = spot((true, *dy));
                let left = beside.left.min(self.area.right - wide).max(self.area.left);
                Area { left, right: left + wide, ..beside }
            };
            let all = spots.map(spot).chain(heights.iter().map(pushed));
            let spot = all.into_iter().find(free).unwrap_or_else(|| pushed(&-4.0));
            svg.text(spot.left, spot.bottom - 2.0, Anchor::Start, SMALL, &word);
            taken.push(spot);
        }
        !words.is_empty()
    }
}

fn overlap(a: &Area, b: &Area) -> bool {
    a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom
}

/// Marks at places of the picture.
pub(crate) fn marks(svg: &mut Svg, places: &[(f64, f64)], look: &Look) {
    let colour = look.colour.code();
    let edge = Stroke { colour: "#ffffff", width: 0.8, opacity: 1.0 };
    match look.marker {
        Mark::Speck => {
            let runs: Vec<_> = places.iter().map(|p| vec![*p]).collect();
            let width = if places.len() > 3000 { 1.8 } else { 3.0 };
            svg.path(&runs, Stroke { colour, width, opacity: look.opacity });
        }
        Mark::Dot => places.iter().for_each(|(x, y)| svg.circle(*x, *y, 3.6, colour, edge)),
        Mark::Ring => {
            let stroke = Stroke { colour, width: 1.3, opacity: 1.0 };
            let halo = Stroke { colour: "#ffffff", width: 2.8, opacity: 1.0 };
            for (x, y) in places {
                // one that one sees through needs a light edge to be seen on any ground
                if look.opacity < 1.0 {
                    svg.circle(*x, *y, 3.2, "none", halo);
                }
                let fill = if look.opacity < 1.0 { "none" } else { "#ffffff" };
                svg.circle(*x, *y, 3.2, fill, stroke);
            }
        }
        Mark::Cross => {
            let strokes = |(x, y): &(f64, f64)| {
                [
                    vec![(x - 4.0, y - 4.0), (x + 4.0, y + 4.0)],
                    vec![(x - 4.0, y + 4.0), (x + 4.0, y - 4.0)],
                ]
            };
            let runs: Vec<_> = places.iter().flat_map(strokes).collect();
            svg.path(&runs, Stroke { colour, width: 1.8, opacity: 1.0 });
        }
        Mark::Diamond => {
            for (x, y) in places {
                let around = |r: f64| vec![(*x, y - r), (x + r, *y), (*x, y + r), (x - r, *y)];
                svg.area(&[around(7.8)], "#ffffff", 1.0);
                svg.area(&[around(6.2)], colour, 1.0);
                if look.opacity < 1.0 {
                    svg.area(&[around(3.6)], "#ffffff", 1.0);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::axis::{AxisSpec, Range, Spacing};
    use super::*;

    const AREA: Area = Area { left: 0.0, top: 0.0, right: 100.0, bottom: 100.0 };

    fn drawn(shape: Shape, spacing: Spacing) -> (bool, String) {
        let spec = AxisSpec { spacing, ends: Some((1.0, 100.0)), ..AxisSpec::default() };
        let axis = Axis::of(&spec, Range::EMPTY, 5);
        let mut svg = Svg::part();
        let place = Place { area: AREA, x: &axis, y: &axis };
        let any = place.draw(&mut svg, &Layer { shape, ..Layer::default() });
        (any, svg.finish())
    }

    #[test]
    fn odd_values_draw_nothing() {
        let odd = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
        for (a, b) in odd.into_iter().flat_map(|a| odd.map(|b| (a, b))) {
            let shapes = [
                Shape::Line(vec![(a, 2.0), (2.0, b), (a, b)]),
                Shape::Points(vec![(a, b), (5.0, b)]),
                Shape::Band(vec![[a, 1.0, 2.0], [2.0, b, 3.0], [3.0, 1.0, b]]),
                Shape::Bars(vec![[a, 1.0, 2.0], [2.0, b, 3.0]]),
                Shape::SideBars(vec![[a, 1.0, 2.0], [2.0, b, 3.0]]),
                Shape::Boxes(vec![[(a, 1.0), (2.0, b)]]),
                Shape::Uprights(vec![a, b]),
                Shape::Feet(vec![a, b]),
                Shape::Words(vec![(a, b, "x".into())]),
                Shape::Window(a),
            ];
            for shape in shapes {
                for spacing in [Spacing::Linear, Spacing::Log] {
                    let (_, svg) = drawn(shape.clone(), spacing);
                    assert_eq!(svg, "</svg>\n", "{shape:?}");
                }
            }
        }
    }

    #[test]
    fn a_line_is_broken_where_it_has_no_place() {
        let line = Shape::Line(vec![(1.0, 1.0), (10.0, 10.0), (20.0, -1.0), (100.0, 100.0)]);
        let (any, svg) = drawn(line, Spacing::Log);
        assert!(any && svg.contains("d=\"M0 100L50 50M100 0h0\""), "{svg}");
    }

    #[test]
    fn bands_go_there_and_back() {
        let band = Shape::Band(vec![[1.0, 1.0, 10.0], [100.0, 10.0, 100.0]]);
        let (_, svg) = drawn(band, Spacing::Log);
        assert!(svg.contains("d=\"M0 50L100 0L100 50L0 100Z\""), "{svg}");
    }

    #[test]
    fn long_words_stay_in_their_panel() {
        for long in ["as_wide_as_half", "a_name_that_is_wider_than_any_panel_can_be"] {
            let words = [(10.0, 10.0, long.to_owned()), (90.0, 10.0, long.to_owned())];
            let (_, svg) = drawn(Shape::Words(words.to_vec()), Spacing::Log);
            let mut texts = 0;
            for line in svg.lines().filter(|line| line.contains("<text x=")) {
                let (x, rest) = line.split_once("x=\"").unwrap().1.split_once('"').unwrap();
                let word = rest.split_once('>').unwrap().1.split_once('<').unwrap().0;
                let left: f64 = x.parse().unwrap();
                assert!(left >= 0.0 && left + SMALL.extent(word) <= 100.1, "{line}");
                texts += 1;
            }
            assert_eq!(texts, 2, "{svg}");
        }
    }

    #[test]
    fn words_make_room_for_each_other() {
        let words = ["one", "two", "three"].map(|word| (10.0, 10.0, word.to_owned()));
        let (_, svg) = drawn(Shape::Words(words.to_vec()), Spacing::Log);
        let mut places: Vec<&str> =
            svg.lines().filter_map(|line| line.split(" font-size").next()).collect();
        places.sort();
        let count = places.len();
        places.dedup();
        assert_eq!((count, places.len()), (4, 4), "{svg}");
    }
}
