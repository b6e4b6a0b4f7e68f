//! A plane curve of any length, reduced to what a picture of it can show.
//!
//! Two reductions follow one another while the points come. First, points are dropped as long as one
//! straight line passes all of them within a tolerance: from the last vertex kept, every point at
//! distance d allows the directions within asin(tolerance/d) of its own, and a line ends where none
//! is left in common or the curve turns back. Then a line is dropped if it crosses only cells of a
//! raster that earlier lines have crossed. So the picture is that of all points within half a cell,
//! and memory is bounded by the raster, not by the length of the curve.

/// Cells of the raster along each side.
const CELLS: usize = 1024;
/// Half the side of the raster over the size that is expected.
const ROOM: f64 = 1.25;
/// Distance of dropped points from the lines, in cells.
const TOLERANCE: f64 = 0.4;
/// Coordinates are drawn as if they were within ±HUGE.
const HUGE: f64 = 1e150;

type Point = (f64, f64);

#[derive(Clone, Debug)]
pub(crate) struct Path {
    /// Ends of the lines kept; the flag is set where no line leads from the one before.
    vertices: Vec<(Point, bool)>,
    /// The line in the making.
    line: Option<Line>,
    raster: Raster,
    reach: f64,
}

/// A line from a vertex to the last point, with what its next points must meet.
#[derive(Clone, Copy, Debug)]
struct Line {
    from: Point,
    to: Point,
    /// Directions from the vertex that pass all points, and the one they are counted from.
    cone: Option<Cone>,
    /// The greatest distance from the vertex.
    far: f64,
}

#[derive(Clone, Copy, Debug)]
struct Cone {
    about: f64,
    low: f64,
    high: f64,
}

impl Line {
    fn at(point: Point) -> Line {
        Line { from: point, to: point, cone: None, far: 0.0 }
    }

    /// The line prolonged to a point, if it still passes all the others.
    fn to(self, point: Point, tolerance: f64) -> Option<Line> {
        let (dx, dy) = (point.0 - self.from.0, point.1 - self.from.1);
        let distance = dx.hypot(dy);
        if distance < self.far - tolerance {
            return None;
        }
        let far = self.far.max(distance);
        if distance <= tolerance {
            return Some(Line { to: point, far, ..self });
        }
        let (direction, slack) = (dy.atan2(dx), (tolerance / distance).asin());
        let cone = match self.cone {
            None => Cone { about: direction, low: -slack, high: slack },
            Some(Cone { about, low, high }) => {
                let off = wrapped(direction - about);
                if off < low || off > high {
                    return None;
                }
                Cone { about, low: low.max(off - slack), high: high.min(off + slack) }
            }
        };
        Some(Line { to: point, cone: Some(cone), far, ..self })
    }
}

/// An angle within ±π.
fn wrapped(angle: f64) -> f64 {
    use std::f64::consts::{PI, TAU};
    match angle {
        _ if angle > PI => angle - TAU,
        _ if angle < -PI => angle + TAU,
        _ => angle,
    }
}

impl Path {
    /// For a curve that is expected within ±`size` of the origin; any other is fine too.
    pub fn new(size: f64) -> Path {
        let size = if size.is_finite() && size > 0.0 { size.min(HUGE) } else { 0.0 };
        let raster = Raster { half: ROOM * size, cells: Vec::new() };
        Path { vertices: Vec::new(), line: None, raster, reach: 0.0 }
    }

    /// Adds a point; one that is not finite leaves a gap.
    pub fn push(&mut self, x: f64, y: f64) {
        if !(x.is_finite() && y.is_finite()) {
            if let Some(line) = self.line.take() {
                self.keep(line);
            }
            return;
        }
        let point = (x.clamp(-HUGE, HUGE), y.clamp(-HUGE, HUGE));
        self.reach = self.reach.max(point.0.abs()).max(point.1.abs());
        self.raster.hold(self.reach);
        let Some(line) = self.line else {
            self.line = Some(Line::at(point));
            return;
        };
        let tolerance = TOLERANCE * self.raster.cell();
        self.line = line.to(point, tolerance).or_else(|| {
            self.keep(line);
            Line::at(line.to).to(point, tolerance)
        });
    }

    /// Keeps a line unless others have crossed all its cells.
    fn keep(&mut self, line: Line) {
        if !self.raster.cross(line.from, line.to) {
            return;
        }
        self.append(line);
    }

    fn append(&mut self, line: Line) {
        let last = self.vertices.last().map(|(last, _)| *last);
        self.vertices.extend(ends(last, line));
    }

    /// Whether there is a point at all.
    pub fn is_empty(&self) -> bool {
        self.vertices.is_empty() && self.line.is_none()
    }

    /// The largest coordinate.
    pub fn reach(&self) -> f64 {
        self.reach
    }

    /// The lines as they are drawn.
    pub fn runs(&self, place: impl Fn(f64, f64) -> Point) -> Vec<Vec<Point>> {
        let last = self.vertices.last().map(|(last, _)| *last);
        let open = self.line.into_iter().flat_map(|line| ends(last, line));
        let mut runs: Vec<Vec<Point>> = Vec::new();
        for ((x, y), first) in self.vertices.iter().copied().chain(open) {
            match runs.last_mut().filter(|_| !first) {
                Some(run) => run.push(place(x, y)),
                None => runs.push(vec![place(x, y)]),
            }
        }
        runs
    }
}

/// The vertices that a line adds behind the last one, with their flags.
fn ends(last: Option<Point>, line: Line) -> impl Iterator<Item = (Point, bool)> {
    let begins = (last != Some(line.from)).then_some((line.from, true));
    let leads = (line.to != line.from).then_some((line.to, false));
    begins.into_iter().chain(leads)
}

/// Which cells of a square around the origin lines have crossed.
#[derive(Clone, Debug)]
struct Raster {
    /// Half the side; zero before the first point that is not at the origin.
    half: f64,
    /// A bit per cell, row by row; empty before the first line.
    cells: Vec<u64>,
}

/// Words of the raster per row.
const WORDS: usize = CELLS / 64;

/// Marks a cell; whether it was marked before.
fn mark(cells: &mut [u64], row: usize, column: usize) -> bool {
    let (word, bit) = (&mut cells[row * WORDS + column / 64], 1 << (column % 64));
    let before = *word & bit != 0;
    *word |= bit;
    before
}

impl Raster {
    fn cell(&self) -> f64 {
        2.0 * self.half / CELLS as f64
    }

    /// Grows until a coordinate of that size lies inside.
    fn hold(&mut self, reach: f64) {
        if reach > self.half * CELLS as f64 {
            // All that was drawn is less than a cell.
            *self = Raster { half: ROOM * reach, cells: Vec::new() };
        }
        while reach > self.half {
            self.double();
        }
    }

    /// Doubles the side by joining four cells each.
    fn double(&mut self) {
        self.half *= 2.0;
        if self.cells.is_empty() {
            return;
        }
        let mut joined = vec![0; CELLS * WORDS];
        for (index, word) in self.cells.iter().enumerate() {
            let mut left = *word;
            while left != 0 {
                let (row, column) =
                    (index / WORDS, index % WORDS * 64 + left.trailing_zeros() as usize);
                mark(&mut joined, row / 2 + CELLS / 4, column / 2 + CELLS / 4);
                left &= left - 1;
            }
        }
        self.cells = joined;
    }

    /// Marks the cells of a line; false if all were marked before.
    fn cross(&mut self, from: Point, to: Point) -> bool {
        if self.half == 0.0 {
            return true;
        }
        if self.cells.is_empty() {
            self.cells = vec![0; CELLS * WORDS];
        }
        let index = |value: f64| {
            let cell = (0.5 + 0.5 * value / self.half) * CELLS as f64;
            (cell as usize).min(CELLS - 1)
        };
        let length = (to.0 - from.0).hypot(to.1 - from.1);
        // A line inside the raster crosses at most √2 CELLS cells.
        let parts = (2.0 * length / self.cell()).ceil().clamp(1.0, 4.0 * CELLS as f64);
        let mut fresh = false;
        for i in 0..=parts as usize {
            let share = i as f64 / parts;
            let x = index(from.0 + share * (to.0 - from.0));
            let y = index(from.1 + share * (to.1 - from.1));
            fresh |= !mark(&mut self.cells, y, x);
        }
        fresh
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::TAU;

    /// The largest distance of points from the lines of a path.
    fn error(path: &Path, points: &[Point]) -> f64 {
        let lines = path.runs(|x, y| (x, y));
        let nearest = |p: &Point| {
            let pairs = lines.iter().flat_map(|run| run.windows(2).map(|pair| (pair[0], pair[1])));
            pairs.map(|(a, b)| from_line(*p, a, b)).fold(f64::INFINITY, f64::min)
        };
        points.iter().map(nearest).fold(0.0, f64::max)
    }

    fn from_line(p: Point, a: Point, b: Point) -> f64 {
        let (u, v) = ((b.0 - a.0, b.1 - a.1), (p.0 - a.0, p.1 - a.1));
        let share = ((u.0 * v.0 + u.1 * v.1) / (u.0 * u.0 + u.1 * u.1)).clamp(0.0, 1.0);
        (v.0 - share * u.0).hypot(v.1 - share * u.1)
    }

    fn pushed(points: &[Point]) -> Path {
        let mut path = Path::new(1.0);
        points.iter().for_each(|(x, y)| path.push(*x, *y));
        path
    }

    #[test]
    fn a_line_needs_two_vertices_and_its_turning_points() {
        let along: Vec<Point> = (0..=1000).map(|i| (f64::from(i) * 1e-3, 0.0)).collect();
        assert_eq!(pushed(&along).runs(|x, y| (x, y)), [[(0.0, 0.0), (1.0, 0.0)]]);
        let back: Vec<Point> = along.iter().chain(along.iter().rev().take(400)).copied().collect();
        let path = pushed(&back);
        assert!(error(&path, &along) < path.raster.cell());
    }

    #[test]
    fn every_point_lies_within_a_cell_of_the_lines() {
        // Flights across the circle, arcs along its wall, loops of all sizes.
        let curve = |i: i32| {
            let s = f64::from(i) * 2e-3;
            let r = 0.5 + 0.5 * (0.37 * s).sin() * (1.7 * s).cos();
            (r * s.cos(), r * (1.3 * s).sin())
        };
        let points: Vec<Point> = (0..20_000).map(curve).collect();
        let path = pushed(&points);
        let error = error(&path, &points);
        assert!(error <= path.raster.cell(), "{error}");
        assert!(path.vertices.len() < points.len() / 4);
    }

    #[test]
    fn memory_does_not_grow_with_the_turns() {
        let mut path = Path::new(1.0);
        let mut after_two = 0;
        for i in 0..200_000 {
            let angle = TAU * f64::from(i) / 200.0;
            path.push(0.9 * angle.cos(), 0.9 * angle.sin());
            if i == 400 {
                after_two = path.vertices.len();
            }
        }
        assert!(path.vertices.len() <= 2 * after_two, "{} {after_two}", path.vertices.len());
    }

    #[test]
    fn sizes_that_were_not_expected_are_fine() {
        for size in [1e-9, 0.3, 1.0, 40.0, 1e7, 1e300] {
            let points: Vec<Point> = (0..=100)
                .map(|i| TAU * f64::from(i) / 100.0)
                .map(|angle| (size * angle.cos(), size * angle.sin()))
                .collect();
            let path = pushed(&points);
            if size < HUGE {
                assert!(error(&path, &points) <= path.raster.cell(), "{size:e}");
            }
            assert!(path.runs(|x, y| (x, y)).iter().flatten().all(|p| p.0.is_finite()));
        }
    }

    #[test]
    fn gaps_and_single_points_survive() {
        let path = pushed(&[(0.0, 0.0), (0.5, 0.0), (f64::NAN, 0.0), (0.5, 0.5), (0.0, 0.5)]);
        assert_eq!(path.runs(|x, y| (x, y)).len(), 2);
        assert_eq!(pushed(&[(0.2, 0.1)]).runs(|x, y| (x, y)), [[(0.2, 0.1)]]);
        assert!(pushed(&[]).is_empty());
    }
}
