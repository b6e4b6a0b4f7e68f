//! Regions of a grid of values above a level, by marching squares.
//!
//! A cell of the grid contributes the polygon of its part above the level; the sides that two cells
//! share run in opposite directions and cancel. What is left is the border of the region, and every
//! corner of it has one side that leaves it, so that following the sides gives closed loops. Values
//! between grid points are linear along the sides of the cells. In a cell whose corners are above
//! and below in turns the mean decides whether the two parts above are joined. A value that is not
//! finite is below every level.

use std::collections::BTreeMap;

/// Values over a grid: `values[j * xs.len() + i]` is the one at (xsi, ysj). Coordinates rise.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Grid {
    pub xs: Vec<f64>,
    pub ys: Vec<f64>,
    pub values: Vec<f64>,
}

impl Grid {
    /// The value at a grid point; not a number where there is none.
    pub(crate) fn at(&self, i: usize, j: usize) -> f64 {
        self.values.get(j * self.xs.len() + i).copied().unwrap_or(f64::NAN)
    }

    /// The same values over other coordinates, such as places on a picture.
    pub(crate) fn mapped(
        &self,
        x: impl Fn(f64) -> f64,
        y: impl Fn(f64) -> f64,
        value: impl Fn(f64) -> f64,
    ) -> Grid {
        Grid {
            xs: self.xs.iter().map(|v| x(*v)).collect(),
            ys: self.ys.iter().map(|v| y(*v)).collect(),
            values: self.values.iter().map(|v| value(*v)).collect(),
        }
    }
}

/// A corner of a border.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Corner {
    /// A grid point.
    Node(usize, usize),
    /// Where the level is crossed between a grid point and its neighbour in x.
    AlongX(usize, usize),
    /// The same in y.
    AlongY(usize, usize),
}

/// A point of a picture.
pub(crate) type Point = (f64, f64);

/// The region of all points at or above a level.
pub(crate) struct Region {
    /// Closed loops; holes run the other way round.
    pub loops: Vec<Vec<Point>>,
    /// The parts of the loops inside the grid: lines of constant value.
    pub lines: Vec<Vec<Point>>,
}

impl Region {
    /// The region at or above `level`; −∞ gives all of the grid that has values.
    pub(crate) fn above(grid: &Grid, level: f64) -> Region {
        let mut next = BTreeMap::new();
        for j in 1..grid.ys.len() {
            for i in 1..grid.xs.len() {
                for polygon in cell(grid, level, i - 1, j - 1) {
                    for (k, from) in polygon.iter().enumerate() {
                        add(&mut next, *from, polygon[(k + 1) % polygon.len()]);
                    }
                }
            }
        }
        let mut region = Region { loops: Vec::new(), lines: Vec::new() };
        while let Some((start, _)) = next.first_key_value() {
            let mut corners = vec![*start];
            let mut at = *start;
            while let Some(to) = next.remove(&at).and_then(|all: Vec<Corner>| {
                let (first, rest) = all.split_first()?;
                if !rest.is_empty() {
                    next.insert(at, rest.to_vec());
                }
                Some(*first)
            }) {
                corners.push(to);
                at = to;
            }
            region.close(grid, level, &corners);
        }
        region
    }

    /// Adds a loop, whose last corner is its first.
    fn close(&mut self, grid: &Grid, level: f64, corners: &[Corner]) {
        let points: Vec<Point> = corners.iter().map(|c| place(grid, level, *c)).collect();
        let inside = |pair: &[Corner]| !on_edge(grid, pair[0], pair[1]);
        let mut line: Vec<Point> = Vec::new();
        for (pair, ends) in corners.windows(2).zip(points.windows(2)) {
            if !inside(pair) {
                self.lines.extend((line.len() > 1).then(|| std::mem::take(&mut line)));
                line.clear();
                continue;
            }
            if line.is_empty() {
                line.push(ends[0]);
            }
            line.push(ends[1]);
        }
        self.lines.extend((line.len() > 1).then_some(line));
        self.loops.push(straightened(points));
    }
}

/// Adds a side, or takes away the opposite one.
fn add(next: &mut BTreeMap<Corner, Vec<Corner>>, from: Corner, to: Corner) {
    if let Some(back) = next.get_mut(&to)
        && let Some(index) = back.iter().position(|corner| *corner == from)
    {
        back.remove(index);
        if back.is_empty() {
            next.remove(&to);
        }
        return;
    }
    next.entry(from).or_default().push(to);
}

/// The parts of a cell above the level.
fn cell(grid: &Grid, level: f64, i: usize, j: usize) -> Vec<Vec<Corner>> {
    let nodes = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)];
    let sides = [
        Corner::AlongX(i, j),
        Corner::AlongY(i + 1, j),
        Corner::AlongX(i, j + 1),
        Corner::AlongY(i, j),
    ];
    let values = nodes.map(|(i, j)| grid.at(i, j));
    let inside = values.map(|value| value.is_finite() && value >= level);
    let mut around = Vec::with_capacity(6);
    for k in 0..4 {
        if inside[k] {
            around.push(Corner::Node(nodes[k].0, nodes[k].1));
        }
        if inside[k] != inside[(k + 1) % 4] {
            around.push(sides[k]);
        }
    }
    let in_turns = inside[0] == inside[2] && inside[1] == inside[3] && inside[0] != inside[1];
    if in_turns && values.iter().sum::<f64>() / 4.0 < level {
        let one = usize::from(inside[1]);
        return [one, one + 2]
            .map(|k| vec![sides[(k + 3) % 4], Corner::Node(nodes[k].0, nodes[k].1), sides[k]])
            .to_vec();
    }
    if around.is_empty() { Vec::new() } else { vec![around] }
}

fn place(grid: &Grid, level: f64, corner: Corner) -> Point {
    let (i, j, ahead) = match corner {
        Corner::Node(i, j) => return (grid.xs[i], grid.ys[j]),
        Corner::AlongX(i, j) => (i, j, (i + 1, j)),
        Corner::AlongY(i, j) => (i, j, (i, j + 1)),
    };
    let (a, b) = (grid.at(i, j), grid.at(ahead.0, ahead.1));
    let part = match (a.is_finite() && level.is_finite(), b.is_finite() && level.is_finite()) {
        (true, true) => ((level - a) / (b - a)).clamp(0.0, 1.0),
        // a cell without a value at one end ends at the other
        _ if a.is_finite() => 0.0,
        _ => 1.0,
    };
    let (x, y) = (grid.xs[i], grid.ys[j]);
    (x + part * (grid.xs[ahead.0] - x), y + part * (grid.ys[ahead.1] - y))
}

/// Whether a side lies on the edge of the grid.
fn on_edge(grid: &Grid, a: Corner, b: Corner) -> bool {
    let column = |corner| match corner {
        Corner::Node(i, _) | Corner::AlongY(i, _) => Some(i),
        Corner::AlongX(..) => None,
    };
    let row = |corner| match corner {
        Corner::Node(_, j) | Corner::AlongX(_, j) => Some(j),
        Corner::AlongY(..) => None,
    };
    let same = |a: Option<usize>, b: Option<usize>, last: usize| {
        a.is_some() && a == b && (a == Some(0) || a == Some(last))
    };
    same(column(a), column(b), grid.xs.len() - 1) || same(row(a), row(b), grid.ys.len() - 1)
}

/// Without the corners in the middle of level or upright sides.
fn straightened(points: Vec<Point>) -> Vec<Point> {
    let mut out: Vec<Point> = Vec::with_capacity(points.len());
    for point in points {
        while let [.., a, b] = out[..] {
            let flat = (a.0 == b.0 && b.0 == point.0) || (a.1 == b.1 && b.1 == point.1);
            if !flat {
                break;
            }
            out.pop();
        }
        out.push(point);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(n: usize, value: impl Fn(f64, f64) -> f64) -> Grid {
        let axis: Vec<f64> = (0..n).map(|k| k as f64 / (n - 1) as f64).collect();
        let values = axis.iter().flat_map(|y| axis.iter().map(|x| value(*x, *y))).collect();
        Grid { xs: axis.clone(), ys: axis, values }
    }

    /// Area inside the loops, holes taken away.
    fn area(region: &Region) -> f64 {
        let of = |points: &Vec<Point>| {
            let cross = |w: &[Point]| w[0].0 * w[1].1 - w[1].0 * w[0].1;
            points.windows(2).map(cross).sum::<f64>() / 2.0
        };
        region.loops.iter().map(of).sum()
    }

    #[test]
    fn a_plane_gives_straight_bands_at_their_places() {
        let plane = grid(7, |x, y| 3.0 * x + 0.0 * y);
        for level in [0.4, 1.1, 2.3] {
            let region = Region::above(&plane, level);
            assert!((area(&region) - (1.0 - level / 3.0)).abs() < 1e-12, "{level}");
            assert_eq!(region.lines.len(), 1);
            assert!(region.lines[0].iter().all(|p| (p.0 - level / 3.0).abs() < 1e-12));
            // a rectangle: four corners and the first again, the cut side keeps its points
            assert!(region.loops[0].len() <= 12, "{:?}", region.loops);
        }
        let slope = grid(9, |x, y| x + y);
        let region = Region::above(&slope, 0.5);
        assert!((area(&region) - 0.875).abs() < 1e-12);
        assert!(region.lines[0].iter().all(|p| (p.0 + p.1 - 0.5).abs() < 1e-12));
    }

    #[test]
    fn everything_or_nothing() {
        let plane = grid(5, |x, _| x);
        assert_eq!(Region::above(&plane, f64::NEG_INFINITY).loops.len(), 1);
        assert!((area(&Region::above(&plane, -1.0)) - 1.0).abs() < 1e-12);
        assert!(Region::above(&plane, 2.0).loops.is_empty());
        assert!(Region::above(&Grid::default(), 0.0).loops.is_empty());
    }

    #[test]
    fn a_hill_is_a_disc_and_a_valley_a_hole() {
        let distance = |x: f64, y: f64| (x - 0.5).hypot(y - 0.5);
        let disc = std::f64::consts::PI * 0.09;
        let hill = Region::above(&grid(81, |x, y| -distance(x, y)), -0.3);
        assert_eq!((hill.loops.len(), hill.lines.len()), (1, 1));
        assert!((area(&hill) - disc).abs() < 1e-3);
        let valley = Region::above(&grid(81, distance), 0.3);
        assert_eq!((valley.loops.len(), valley.lines.len()), (2, 1));
        assert!((area(&valley) - (1.0 - disc)).abs() < 1e-3);
    }

    #[test]
    fn the_mean_decides_about_saddles() {
        let saddle = |corner: f64| Grid {
            xs: vec![0.0, 1.0],
            ys: vec![0.0, 1.0],
            values: vec![1.0, corner, corner, 1.0],
        };
        assert_eq!(Region::above(&saddle(-0.5), 0.0).loops.len(), 1);
        assert_eq!(Region::above(&saddle(-2.0), 0.0).loops.len(), 2);
    }

    #[test]
    fn a_value_that_is_not_finite_leaves_a_hole() {
        let mut holed = grid(5, |x, _| x);
        holed.values[12] = f64::NAN;
        let all = Region::above(&holed, f64::NEG_INFINITY);
        // a square of four cells is lost up to the diagonals of its corners
        assert!((area(&all) - (1.0 - 0.125)).abs() < 1e-12, "{}", area(&all));
        assert!(all.loops.iter().flatten().all(|p| p.0.is_finite() && p.1.is_finite()));
    }
}
