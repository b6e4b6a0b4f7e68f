//! A surface in space, seen from above at a corner: far faces first, near ones over them.

use super::axis::Axis;
use super::colour;
use super::contour::{Grid, Point};
use super::map::Bands;
use super::svg::{Anchor, Area, LABEL, SMALL, Stroke, Svg};

/// The axes of the box around the surface.
pub(crate) struct Solid<'a> {
    pub x: &'a Axis,
    pub y: &'a Axis,
    pub names: [&'a str; 2],
    /// Name of what goes upwards.
    pub height: &'a str,
    pub bands: &'a Bands,
}

/// Faces in each direction, at most.
const FACES: usize = 30;
/// Cosine and sine of the turn about the upright, and of the look downwards.
const TURN: (f64, f64) = (0.788, 0.616);
const TILT: (f64, f64) = (0.883, 0.469);
/// Height of the box over its sides.
const HEIGHT: f64 = 0.72;

/// From the box, a cube of side 1, to the picture.
#[derive(Clone, Copy)]
struct View {
    centre: Point,
    scale: f64,
}

impl View {
    /// A view that fits the area and leaves room for labels.
    fn fit(area: Area) -> View {
        let wide = TURN.0 + TURN.1;
        let high = wide * TILT.1 + HEIGHT * TILT.0;
        let room = (area.right - area.left - 90.0, area.bottom - area.top - 66.0);
        let scale = (room.0 / wide).min(room.1 / high);
        let middle = (area.left + area.right) / 2.0 + 16.0;
        View { centre: (middle, (area.top + area.bottom) / 2.0 - 20.0), scale }
    }

    /// Distance from the viewer.
    fn depth(&self, [u, v, _]: [f64; 3]) -> f64 {
        (v - 0.5) * TURN.0 - (u - 0.5) * TURN.1
    }

    fn at(&self, at @ [u, v, w]: [f64; 3]) -> Point {
        let across = (u - 0.5) * TURN.0 + (v - 0.5) * TURN.1;
        let up = self.depth(at) * TILT.1 + (w - 0.5) * HEIGHT * TILT.0;
        (self.centre.0 + self.scale * across, self.centre.1 - self.scale * up)
    }
}

/// Draws the box, the surface and the points with their distance from it.
pub(crate) fn draw(svg: &mut Svg, solid: &Solid<'_>, grid: &Grid, points: &[[f64; 3]], area: Area) {
    let view = View::fit(area);
    let unit = grid.mapped(
        |v| solid.x.place(v, 0.0, 1.0),
        |v| solid.y.place(v, 0.0, 1.0),
        |v| solid.bands.share(v),
    );
    walls(svg, solid, view);
    let mut items = faces(&unit);
    for [x, y, z] in points {
        let share = solid.bands.share(*z);
        if solid.x.holds(*x) && solid.y.holds(*y) && share.is_finite() {
            let at = [solid.x.place(*x, 0.0, 1.0), solid.y.place(*y, 0.0, 1.0), share];
            items.push(Item::Point(at, height(&unit, at)));
        }
    }
    // far first; faces and points at the same distance keep their order
    items.sort_by(|a, b| view.depth(b.middle()).total_cmp(&view.depth(a.middle())));
    svg.open_group("stroke=\"#ffffff\" stroke-opacity=\"0.25\" stroke-width=\"0.5\"");
    for item in &items {
        match item {
            Item::Face(corners) => {
                let share = corners.iter().map(|corner| corner[2]).sum::<f64>() / 4.0;
                let around = corners.map(|corner| view.at(corner)).to_vec();
                svg.area(&[around], &solid.bands.shade(share), 1.0);
            }
            Item::Point(at, below) => {
                let stem = vec![view.at([at[0], at[1], *below]), view.at(*at)];
                svg.path(&[stem], Stroke { colour: colour::TEXT, width: 1.0, opacity: 1.0 });
                let (x, y) = view.at(*at);
                let edge = Stroke { colour: "#ffffff", width: 0.8, opacity: 1.0 };
                svg.circle(x, y, 3.2, colour::PEAK, edge);
            }
        }
    }
    svg.close_group();
    labels(svg, solid, view);
}

enum Item {
    Face([[f64; 3]; 4]),
    /// A point and the height of the surface there.
    Point([f64; 3], f64),
}

impl Item {
    fn middle(&self) -> [f64; 3] {
        match self {
            Item::Face([a, _, c, _]) => [0, 1, 2].map(|k| (a[k] + c[k]) / 2.0),
            // in front of the face that it stands on
            Item::Point([u, v, w], _) => [u + 0.02, v - 0.02, *w],
        }
    }
}

/// Every so many grid points, the last one too.
fn chosen(count: usize) -> Vec<usize> {
    let stride = count.saturating_sub(1).div_ceil(FACES).max(1);
    let mut all: Vec<usize> = (0..count).step_by(stride).collect();
    if count > 0 && all.last() != Some(&(count - 1)) {
        all.push(count - 1);
    }
    all
}

fn faces(unit: &Grid) -> Vec<Item> {
    let (columns, rows) = (chosen(unit.xs.len()), chosen(unit.ys.len()));
    let corner = |i: usize, j: usize| [unit.xs[i], unit.ys[j], unit.at(i, j)];
    let mut faces = Vec::new();
    for y in rows.windows(2) {
        for x in columns.windows(2) {
            let corners =
                [corner(x[0], y[0]), corner(x[1], y[0]), corner(x[1], y[1]), corner(x[0], y[1])];
            if corners.iter().all(|corner| corner[2].is_finite()) {
                faces.push(Item::Face(corners));
            }
        }
    }
    faces
}

/// The surface below or above a point, at the nearest grid point; its own height where there is none.
fn height(unit: &Grid, at: [f64; 3]) -> f64 {
    let nearest = |all: &[f64], to: f64| {
        (0..all.len()).min_by(|a, b| (all[*a] - to).abs().total_cmp(&(all[*b] - to).abs()))
    };
    let found = nearest(&unit.xs, at[0]).zip(nearest(&unit.ys, at[1]));
    found.map(|(i, j)| unit.at(i, j)).filter(|w| w.is_finite()).unwrap_or(at[2])
}

/// Floor and back walls with their grid.
fn walls(svg: &mut Svg, solid: &Solid<'_>, view: View) {
    let line = |a: [f64; 3], b: [f64; 3]| vec![view.at(a), view.at(b)];
    let mut grid = Vec::new();
    for tick in &solid.x.ticks {
        let u = solid.x.place(tick.value, 0.0, 1.0);
        grid.extend([line([u, 0.0, 0.0], [u, 1.0, 0.0]), line([u, 1.0, 0.0], [u, 1.0, 1.0])]);
    }
    for tick in &solid.y.ticks {
        let v = solid.y.place(tick.value, 0.0, 1.0);
        grid.extend([line([0.0, v, 0.0], [1.0, v, 0.0]), line([0.0, v, 0.0], [0.0, v, 1.0])]);
    }
    for tick in &solid.bands.axis.ticks {
        let w = solid.bands.axis.place(tick.value, 0.0, 1.0);
        grid.extend([line([0.0, 0.0, w], [0.0, 1.0, w]), line([0.0, 1.0, w], [1.0, 1.0, w])]);
    }
    svg.path(&grid, Stroke { colour: colour::GRID, width: 1.0, opacity: 1.0 });
    let corners = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [0.0, 0.0]];
    let floor = corners.map(|[u, v]| view.at([u, v, 0.0])).to_vec();
    let back = [[0.0, 0.0], [0.0, 1.0], [1.0, 1.0]].map(|[u, v]| view.at([u, v, 1.0])).to_vec();
    let posts = [[0.0, 0.0], [0.0, 1.0], [1.0, 1.0]];
    let posts = posts.map(|[u, v]| line([u, v, 0.0], [u, v, 1.0]));
    let edges = [vec![floor, back], posts.to_vec()].concat();
    svg.path(&edges, Stroke { colour: colour::ZERO, width: 1.0, opacity: 1.0 });
}

/// Ticks and names along the three near edges.
fn labels(svg: &mut Svg, solid: &Solid<'_>, view: View) {
    for tick in thinned(solid.x) {
        let (x, y) = view.at([solid.x.place(tick.value, 0.0, 1.0), 0.0, 0.0]);
        svg.text(x - 4.0, y + 15.0, Anchor::End, SMALL, &tick.label);
    }
    for tick in thinned(solid.y) {
        let (x, y) = view.at([1.0, solid.y.place(tick.value, 0.0, 1.0), 0.0]);
        svg.text(x + 4.0, y + 15.0, Anchor::Start, SMALL, &tick.label);
    }
    for tick in thinned(&solid.bands.axis) {
        let (x, y) = view.at([0.0, 0.0, solid.bands.axis.place(tick.value, 0.0, 1.0)]);
        svg.text(x - 6.0, y + 4.0, Anchor::End, SMALL, &tick.label);
    }
    let names = [(solid.x, solid.names[0]), (solid.y, solid.names[1])];
    let [x, y] = names.map(|(axis, name)| axis.title(name, 190.0));
    let (front, below) = (view.at([1.0, 0.0, 0.0]), view.at([0.0, 0.0, 0.0]));
    svg.text((front.0 + below.0) / 2.0 - 34.0, front.1 + 14.0, Anchor::Middle, LABEL, &x);
    let (top, z) = (view.at([0.0, 0.0, 1.0]), solid.bands.axis.title(solid.height, 190.0));
    svg.text(top.0 - 30.0, top.1 - 12.0, Anchor::Start, LABEL, &z);
    let right = view.at([1.0, 1.0, 0.0]);
    svg.text((front.0 + right.0) / 2.0 + 40.0, front.1 + 14.0, Anchor::Middle, LABEL, &y);
}

/// Every second tick where there are many.
fn thinned(axis: &Axis) -> impl Iterator<Item = &super::axis::Tick> {
    axis.ticks.iter().step_by(if axis.ticks.len() > 6 { 2 } else { 1 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_is_below_and_high_is_above() {
        let view = View { centre: (0.0, 0.0), scale: 1.0 };
        let (near, far) = ([1.0, 0.0, 0.5], [0.0, 1.0, 0.5]);
        assert!(view.depth(near) < view.depth(far));
        assert!(view.at(near).1 > view.at(far).1);
        assert!(view.at([0.5, 0.5, 1.0]).1 < view.at([0.5, 0.5, 0.0]).1);
        assert_eq!(view.at([0.5, 0.5, 0.5]), (0.0, 0.0));
        // x and y both lead to the right
        assert!(view.at([1.0, 0.5, 0.5]).0 > 0.0 && view.at([0.5, 1.0, 0.5]).0 > 0.0);
    }

    #[test]
    fn faces_are_few_and_reach_the_edges() {
        assert_eq!(chosen(61).len(), 31);
        assert_eq!(chosen(62), [(0..61).step_by(3).collect::<Vec<_>>(), vec![61]].concat());
        assert_eq!(chosen(2), [0, 1]);
        assert!(chosen(0).is_empty());
    }
}
