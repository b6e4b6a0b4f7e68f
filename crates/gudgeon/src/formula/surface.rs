//! Interpolation of values on a grid of two inputs, such as an engine map.
//!
//! In a cell of the grid the surface is the product of the one-dimensional formulas of `curve.rs`: bilinear,
//! or bicubic with f, f_x, f_y and f_xy at the corners, where slopes are those of the curves along the
//! lines of the grid and f_xy is the slope of f_x along y.

use super::curve::{Interpolation, Knots, Outside, piece, slopes};
use super::left::Input;

#[derive(Clone, Debug, PartialEq)]
pub struct Surface {
    axes: [Knots; 2],
    interpolation: Interpolation,
    /// f, f_x, f_y, f_xy at point (i, j), the second input running faster.
    points: Box<[[f64; 4]]>,
}

impl Surface {
    /// `x` and `y` strictly rise and have at least two entries; `values` has one for every pair, the
    /// second input running faster.
    pub fn new(
        interpolation: Interpolation,
        outside: Outside,
        [x, y]: [&[f64]; 2],
        values: &[f64],
    ) -> Self {
        let (rows, columns) = (x.len(), y.len());
        let periodic = outside == Outside::Periodic;
        let along_x = |from: &dyn Fn(usize, usize) -> f64| {
            let mut out = vec![0.0; rows * columns];
            for j in 0..columns {
                let line: Vec<f64> = (0..rows).map(|i| from(i, j)).collect();
                for (i, slope) in slopes(interpolation, periodic, x, &line).into_iter().enumerate()
                {
                    out[i * columns + j] = slope;
                }
            }
            out
        };
        let along_y = |from: &dyn Fn(usize, usize) -> f64| {
            let mut out = Vec::with_capacity(rows * columns);
            for i in 0..rows {
                let line: Vec<f64> = (0..columns).map(|j| from(i, j)).collect();
                // Only the first input, an angle as a rule, repeats.
                out.extend(slopes(interpolation, false, y, &line));
            }
            out
        };
        let f_x = along_x(&|i, j| values[i * columns + j]);
        let f_y = along_y(&|i, j| values[i * columns + j]);
        let f_xy = along_y(&|i, j| f_x[i * columns + j]);
        let points = (0..rows * columns).map(|k| [values[k], f_x[k], f_y[k], f_xy[k]]).collect();
        let second = if periodic { Outside::Held } else { outside };
        Self { axes: [Knots::new(x, outside), Knots::new(y, second)], interpolation, points }
    }

    /// The same, whose inputs have names.
    #[must_use]
    pub fn named(mut self, inputs: [Input; 2]) -> Self {
        for (axis, input) in self.axes.iter_mut().zip(inputs) {
            axis.name_input(input);
        }
        self
    }

    pub fn axis(&self, axis: usize) -> &Knots {
        &self.axes[axis]
    }

    pub fn is_finite(&self) -> bool {
        self.points.iter().flatten().all(|value| value.is_finite())
    }

    /// Value and slopes by the formula of a cell.
    pub fn at(&self, [x, y]: [f64; 2], cells: [i32; 2]) -> (f64, [f64; 2]) {
        let columns = self.axes[1].points().len();
        let (along, across) = (self.axes[0].within(x, cells[0]), self.axes[1].within(y, cells[1]));
        let cubic = self.interpolation != Interpolation::Linear;
        let corner = |i: usize, j: usize| self.points[(along.cell + i) * columns + across.cell + j];
        // Along y at both ends in x: f, and f_x where it counts; each with its slope by y.
        let line = |i: usize, k: usize| {
            let (low, high) = (corner(i, 0), corner(i, 1));
            let slopes = cubic.then_some([low[k + 2], high[k + 2]]);
            let [value, slope, _] = piece(across.u, across.width, [low[k], high[k]], slopes);
            continued(value, slope, across.beyond)
        };
        let (low, high) = (line(0, 0), line(1, 0));
        let (low_x, high_x) = (line(0, 1), line(1, 1));
        let through = |at: fn(&(f64, f64)) -> f64| {
            let slopes = cubic.then(|| [at(&low_x), at(&high_x)]);
            let [value, slope, _] = piece(along.u, along.width, [at(&low), at(&high)], slopes);
            continued(value, slope, along.beyond)
        };
        let (value, by_x) = through(|line| line.0);
        let (by_y, _) = through(|line| line.1);
        (value, [by_x, by_y])
    }
}

/// Value and slope of what lies beyond the ends.
fn continued(value: f64, slope: f64, beyond: Option<(Outside, f64)>) -> (f64, f64) {
    match beyond {
        None => (value, slope),
        Some((Outside::Straight, by)) => (value + slope * by, slope),
        Some(_) => (value, 0.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(interpolation: Interpolation, f: impl Fn(f64, f64) -> f64) -> Surface {
        let x: Vec<f64> = (0..9).map(|i| f64::from(i) * 0.25).collect();
        let y: Vec<f64> = (0..6).map(|i| 1.0 + f64::from(i) * 0.5).collect();
        let values: Vec<f64> =
            x.iter().flat_map(|x| y.iter().map(|y| f(*x, *y)).collect::<Vec<_>>()).collect();
        Surface::new(interpolation, Outside::Held, [&x, &y], &values)
    }

    #[test]
    fn bilinear_functions_are_exact_and_slopes_match_differences() {
        let f = |x: f64, y: f64| 1.0 + 2.0 * x - y + 0.5 * x * y;
        for interpolation in [Interpolation::Linear, Interpolation::Spline] {
            let surface = map(interpolation, f);
            let at = |x: f64, y: f64| {
                let cells = [surface.axis(0).cell(x), surface.axis(1).cell(y)];
                surface.at([x, y], cells)
            };
            for (x, y) in [(0.1, 1.2), (0.6, 2.9), (1.9, 3.4)] {
                assert!((at(x, y).0 - f(x, y)).abs() < 1e-13);
            }
        }
        let surface = map(Interpolation::Monotone, |x, y| (3.0 * x).sin() * y * y);
        let cells = [2, 3];
        let (x, y, h) = (0.6, 2.7, 1e-6);
        let (_, slopes) = surface.at([x, y], cells);
        let by_x = (surface.at([x + h, y], cells).0 - surface.at([x - h, y], cells).0) / (2.0 * h);
        let by_y = (surface.at([x, y + h], cells).0 - surface.at([x, y - h], cells).0) / (2.0 * h);
        assert!((slopes[0] - by_x).abs() < 1e-8 && (slopes[1] - by_y).abs() < 1e-8);
    }
}
