//! Interpolation of tabulated values.
//!
//! In cell i, between the knots xᵢ and xᵢ₊₁, h = xᵢ₊₁ − xᵢ, u = (x − xᵢ)/h, with values y and slopes s:
//!
//!   y = yᵢ + u Δy                                                                  linear         (1)
//!   y = (1−u)²(1+2u) yᵢ + u²(3−2u) yᵢ₊₁ + h u(1−u)[(1−u) sᵢ − u sᵢ₊₁]              cubic          (2)
//!
//! | interpolation | slopes s | continuous |
//! |---|---|---|
//! | linear   | –                                                              | y |
//! | monotone | 0 at extremes, else the weighted harmonic mean of both chords: no overshoot | y, y′ |
//! | spline   | natural, or periodic where the curve repeats                   | y, y′, y″ |
//!
//! Cells are numbered from 0. Beyond the knots they go on: a curve that repeats has the cells of its
//! second period behind those of its first; of the others −1 and n are what lies outside, constant where
//! the curve is held, and a continuation of the last cell where it must not be left.
//!
//! References: Fritsch and Butland 1984 for monotone slopes.

use super::left::{Input, Left};

/// How values between the knots are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interpolation {
    Linear,
    Monotone,
    Spline,
}

/// What holds beyond the knots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outside {
    /// Nothing: a run that goes there ends.
    Refused,
    /// The value at the end.
    Held,
    /// The straight line on which the end lies.
    Straight,
    /// The curve repeats.
    Periodic,
}

/// How far beyond an end, in units of its size, a place may still belong to a cell.
pub(super) const ROUNDING: f64 = 32.0 * f64::EPSILON;

/// Periods between two places whose knots are visited.
const MOST_TURNS: f64 = 1e6;

/// Rising places and what lies beyond them.
#[derive(Clone, Debug, PartialEq)]
pub struct Knots {
    x: Box<[f64]>,
    pub outside: Outside,
    input: Option<Input>,
}

impl Knots {
    fn cells(&self) -> i32 {
        self.x.len() as i32 - 1
    }

    pub fn first(&self) -> f64 {
        self.x[0]
    }

    pub fn last(&self) -> f64 {
        self.x[self.x.len() - 1]
    }

    pub fn period(&self) -> f64 {
        self.last() - self.first()
    }

    /// The cell of x.
    pub fn cell(&self, given: f64) -> i32 {
        let (mut x, mut before) = (given, 0);
        if self.outside == Outside::Periodic {
            let turns = ((x - self.first()) / self.period()).floor();
            x -= turns * self.period();
            before = (turns as i32).saturating_mul(self.cells());
        }
        let inside = self.x.partition_point(|knot| *knot <= x) as i32 - 1;
        let inside = match self.outside {
            Outside::Periodic => inside.clamp(0, self.cells() - 1),
            // The last knot belongs to the last cell.
            _ if x == self.last() => self.cells() - 1,
            _ => inside,
        };
        let cell = before.saturating_add(inside);
        if self.outside != Outside::Periodic || !x.is_finite() {
            return cell;
        }
        // Rounding of the turns must not put x on the other side of a knot.
        match self.distances(cell, given) {
            [below, _] if below < 0.0 => cell.saturating_sub(1),
            [_, above] if above <= 0.0 => cell.saturating_add(1),
            _ => cell,
        }
    }

    /// The lower end of a cell of a curve that repeats: the same number whichever of the two cells there
    /// asks for it, so that x is never outside of both.
    fn level(&self, cell: i32) -> f64 {
        let place = self.place(cell);
        self.x[place.cell] + place.shift
    }

    /// Distances of x from the lower and upper end of a cell.
    pub fn distances(&self, cell: i32, x: f64) -> [f64; 2] {
        let (cells, place) = (self.cells(), self.place(cell));
        match self.outside {
            Outside::Periodic => [x - self.level(cell), self.level(cell.saturating_add(1)) - x],
            _ if cell < 0 => [1.0, self.first() - x],
            _ if cell >= cells => [x - self.last(), 1.0],
            _ => [x - self.x[place.cell], self.x[place.cell + 1] - x],
        }
    }

    /// The same, positive until x is outside by more than rounding: an input that comes back by its last bit
    /// does not change the cell again.
    pub fn margins(&self, cell: i32, x: f64) -> [f64; 2] {
        let size = x.abs().max(self.first().abs()).max(self.last().abs());
        self.distances(cell, x).map(|distance| distance + ROUNDING * size)
    }

    /// Whether a cell is one that must not be entered.
    pub fn leaves(&self, cell: i32) -> bool {
        self.outside == Outside::Refused && !(0..self.cells()).contains(&cell)
    }

    /// Visits the knots between two places, those of all periods where the curve repeats. A place
    /// that is a knot itself counts if it is the greater one. Places too many periods apart have none.
    pub fn between(&self, a: f64, b: f64, mut visit: impl FnMut(f64)) {
        let (low, high) = (a.min(b), a.max(b));
        if !(low.is_finite() && high.is_finite()) {
            return;
        }
        let turn = |x: f64| ((x - self.first()) / self.period()).floor();
        let (first, last) = match self.outside {
            Outside::Periodic => (turn(low), turn(high)),
            _ => (0.0, 0.0),
        };
        let knots = match self.outside {
            // The last knot is the first one of the next period.
            Outside::Periodic => &self.x[..self.x.len() - 1],
            _ => &self.x[..],
        };
        if last - first > MOST_TURNS {
            return;
        }
        for turns in 0..=(last - first) as u32 {
            let shift = (first + f64::from(turns)) * self.period();
            let begin = knots.partition_point(|x| x + shift <= low);
            let end = knots.partition_point(|x| x + shift <= high);
            knots[begin..end.max(begin)].iter().for_each(|x| visit(x + shift));
        }
    }

    /// What is said of x in a cell that must not be entered.
    pub fn left(&self, cell: i32, x: f64) -> Option<Left> {
        self.leaves(cell).then(|| Left::new(self, x, cell >= 0))
    }

    /// How x is called and shown.
    pub fn input(&self) -> Option<&Input> {
        self.input.as_ref()
    }

    pub(super) fn name_input(&mut self, input: Input) {
        self.input = Some(input);
    }

    /// A cell among those of the knots, and how far x lies behind it.
    fn place(&self, cell: i32) -> Located {
        match self.outside {
            Outside::Periodic => {
                let turns = cell.div_euclid(self.cells());
                let cell = cell.rem_euclid(self.cells()) as usize;
                Located { cell, shift: f64::from(turns) * self.period() }
            }
            _ => Located { cell: cell.clamp(0, self.cells() - 1) as usize, shift: 0.0 },
        }
    }
}

#[derive(Clone, Copy)]
struct Located {
    cell: usize,
    shift: f64,
}

/// Where a curve is to be taken: an interval, u in it, its width, and whether the slope counts.
pub(super) struct Within {
    pub cell: usize,
    pub u: f64,
    pub width: f64,
    /// What lies beyond the ends: the value at the end (u is 0 or 1) and by how much x is beyond it.
    pub beyond: Option<(Outside, f64)>,
}

impl Knots {
    pub(super) fn new(x: &[f64], outside: Outside) -> Self {
        Self { x: x.into(), outside, input: None }
    }

    /// The places, rising.
    pub fn points(&self) -> &[f64] {
        &self.x
    }

    pub(super) fn within(&self, x: f64, cell: i32) -> Within {
        let place = self.place(cell);
        let (from, to) = (self.x[place.cell], self.x[place.cell + 1]);
        let width = to - from;
        let u = (x - place.shift - from) / width;
        let outside = self.outside != Outside::Periodic && !(0..self.cells()).contains(&cell);
        match self.outside {
            Outside::Held | Outside::Straight if outside => {
                let (u, end) = if cell < 0 { (0.0, from) } else { (1.0, to) };
                Within { cell: place.cell, u, width, beyond: Some((self.outside, x - end)) }
            }
            _ => Within { cell: place.cell, u, width, beyond: None },
        }
    }
}

/// Values over rising places.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    knots: Knots,
    interpolation: Interpolation,
    values: Box<[f64]>,
    slopes: Box<[f64]>,
}

impl Curve {
    /// `x` strictly rises, is as long as `y` and has at least two entries.
    pub fn new(interpolation: Interpolation, outside: Outside, x: &[f64], y: &[f64]) -> Self {
        let slopes = slopes(interpolation, outside == Outside::Periodic, x, y);
        let knots = Knots::new(x, outside);
        Self { knots, interpolation, values: y.into(), slopes: slopes.into() }
    }

    /// The same, whose input has a name.
    #[must_use]
    pub fn named(mut self, input: Input) -> Self {
        self.knots.name_input(input);
        self
    }

    pub fn knots(&self) -> &Knots {
        &self.knots
    }

    pub fn is_finite(&self) -> bool {
        self.values.iter().chain(self.slopes.iter()).all(|value| value.is_finite())
    }

    pub fn cell(&self, x: f64) -> i32 {
        self.knots.cell(x)
    }

    /// Value and slope at x by the formula of a cell.
    pub fn at(&self, x: f64, cell: i32) -> (f64, f64) {
        let [value, slope, _] = self.derivatives(x, cell);
        (value, slope)
    }

    /// Value and two derivatives at x by the formula of a cell.
    pub fn derivatives(&self, x: f64, cell: i32) -> [f64; 3] {
        let within = self.knots.within(x, cell);
        let i = within.cell;
        let ends = [self.values[i], self.values[i + 1]];
        let slopes = match self.interpolation {
            Interpolation::Linear => None,
            _ => Some([self.slopes[i], self.slopes[i + 1]]),
        };
        let [value, slope, bend] = piece(within.u, within.width, ends, slopes);
        match within.beyond {
            None => [value, slope, bend],
            Some((Outside::Straight, by)) => [value + slope * by, slope, 0.0],
            Some(_) => [value, 0.0, 0.0],
        }
    }
}

/// (1) or (2) with two derivatives.
pub(super) fn piece(u: f64, h: f64, y: [f64; 2], s: Option<[f64; 2]>) -> [f64; 3] {
    let rise = y[1] - y[0];
    let Some(s) = s else { return [y[0] + u * rise, rise / h, 0.0] };
    // Hermite's cubic in powers of u.
    let (a, b) = (h * s[0], h * s[1]);
    let (c2, c3) = (3.0 * rise - 2.0 * a - b, a + b - 2.0 * rise);
    [
        y[0] + u * (a + u * (c2 + u * c3)),
        (a + u * (2.0 * c2 + u * 3.0 * c3)) / h,
        (2.0 * c2 + 6.0 * u * c3) / (h * h),
    ]
}

/// Slopes at the knots.
pub(super) fn slopes(
    interpolation: Interpolation,
    periodic: bool,
    x: &[f64],
    y: &[f64],
) -> Vec<f64> {
    match interpolation {
        Interpolation::Linear => vec![0.0; x.len()],
        Interpolation::Monotone => monotone(periodic, x, y),
        Interpolation::Spline => spline(periodic, x, y),
    }
}

fn chord(x: &[f64], y: &[f64], i: usize) -> f64 {
    (y[i + 1] - y[i]) / (x[i + 1] - x[i])
}

fn monotone(periodic: bool, x: &[f64], y: &[f64]) -> Vec<f64> {
    let n = x.len();
    let between = |(h0, d0): (f64, f64), (h1, d1): (f64, f64)| {
        if d0 * d1 <= 0.0 {
            return 0.0;
        }
        let (w0, w1) = (2.0 * h1 + h0, h1 + 2.0 * h0);
        (w0 + w1) / (w0 / d0 + w1 / d1)
    };
    let part = |i: usize| (x[i + 1] - x[i], chord(x, y, i));
    let mut s = vec![0.0; n];
    for i in 1..n - 1 {
        s[i] = between(part(i - 1), part(i));
    }
    let (first, last) = (part(0), part(n - 2));
    if periodic {
        s[0] = between(last, first);
        s[n - 1] = s[0];
    } else {
        // A cell with one neighbour takes its own chord, which keeps it monotone.
        (s[0], s[n - 1]) = (first.1, last.1);
    }
    s
}

/// Slopes of the cubic spline: continuity of y″ at inner knots,
/// sᵢ₋₁/hᵢ₋₁ + 2 sᵢ (1/hᵢ₋₁ + 1/hᵢ) + sᵢ₊₁/hᵢ = 3 (dᵢ₋₁/hᵢ₋₁ + dᵢ/hᵢ), d chords; natural ends 2s₀ + s₁ = 3d₀.
fn spline(periodic: bool, x: &[f64], y: &[f64]) -> Vec<f64> {
    let n = x.len();
    let inverse = |i: usize| 1.0 / (x[i + 1] - x[i]);
    let pull = |i: usize| 3.0 * chord(x, y, i) * inverse(i);
    if periodic && n > 2 {
        return periodic_spline(n - 1, &inverse, &pull);
    }
    let mut lower = vec![0.0; n];
    let mut diagonal = vec![2.0; n];
    let mut upper = vec![0.0; n];
    let mut right = vec![0.0; n];
    (upper[0], right[0]) = (1.0, 3.0 * chord(x, y, 0));
    (lower[n - 1], right[n - 1]) = (1.0, 3.0 * chord(x, y, n - 2));
    for i in 1..n - 1 {
        (lower[i], upper[i]) = (inverse(i - 1), inverse(i));
        diagonal[i] = 2.0 * (lower[i] + upper[i]);
        right[i] = pull(i - 1) + pull(i);
    }
    solve_tridiagonal(&lower, &mut diagonal, &upper, &mut right);
    right
}

/// The same on a ring of m cells: a tridiagonal system with two corners, by Sherman and Morrison.
fn periodic_spline(
    m: usize,
    inverse: &dyn Fn(usize) -> f64,
    pull: &dyn Fn(usize) -> f64,
) -> Vec<f64> {
    let before = |i: usize| (i + m - 1) % m;
    let lower: Vec<f64> = (0..m).map(|i| inverse(before(i))).collect();
    let upper: Vec<f64> = (0..m).map(inverse).collect();
    let mut diagonal: Vec<f64> = (0..m).map(|i| 2.0 * (lower[i] + upper[i])).collect();
    let mut right: Vec<f64> = (0..m).map(|i| pull(before(i)) + pull(i)).collect();
    let corner = lower[0];
    let gamma = -diagonal[0];
    let mut along = vec![0.0; m];
    (along[0], along[m - 1]) = (gamma, corner);
    diagonal[0] -= gamma;
    diagonal[m - 1] -= corner * corner / gamma;
    let mut again = diagonal.clone();
    solve_tridiagonal(&lower, &mut diagonal, &upper, &mut right);
    solve_tridiagonal(&lower, &mut again, &upper, &mut along);
    let share = (right[0] + corner / gamma * right[m - 1])
        / (1.0 + along[0] + corner / gamma * along[m - 1]);
    let mut slopes: Vec<f64> = right.iter().zip(&along).map(|(r, a)| r - share * a).collect();
    slopes.push(slopes[0]);
    slopes
}

/// Elimination without pivoting; the systems of splines are diagonally dominant.
fn solve_tridiagonal(lower: &[f64], diagonal: &mut [f64], upper: &[f64], right: &mut [f64]) {
    let n = right.len();
    for i in 1..n {
        let factor = lower[i] / diagonal[i - 1];
        diagonal[i] -= factor * upper[i - 1];
        right[i] -= factor * right[i - 1];
    }
    right[n - 1] /= diagonal[n - 1];
    for i in (0..n - 1).rev() {
        right[i] = (right[i] - upper[i] * right[i + 1]) / diagonal[i];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const X: [f64; 5] = [0.0, 0.5, 2.0, 3.0, 3.5];
    const Y: [f64; 5] = [0.0, 1.0, -1.0, 4.0, 0.0];

    #[test]
    fn curves_pass_through_their_points_as_smoothly_as_they_say() {
        for (interpolation, smooth) in
            [(Interpolation::Linear, 0), (Interpolation::Monotone, 1), (Interpolation::Spline, 2)]
        {
            for outside in [Outside::Held, Outside::Periodic] {
                let curve = Curve::new(interpolation, outside, &X, &Y);
                for i in 1..4 {
                    let left = curve.derivatives(X[i], i as i32 - 1);
                    let right = curve.derivatives(X[i], i as i32);
                    assert!((left[0] - Y[i]).abs() < 1e-14 && (right[0] - Y[i]).abs() < 1e-14);
                    for k in 0..=smooth {
                        assert!((left[k] - right[k]).abs() < 1e-12, "{interpolation:?} {i} {k}");
                    }
                }
                if outside == Outside::Periodic {
                    let (end, start) = (curve.derivatives(3.5, 3), curve.derivatives(3.5, 4));
                    for k in 0..=smooth {
                        assert!((end[k] - start[k]).abs() < 1e-12, "{interpolation:?} {k}");
                    }
                    assert_eq!(curve.cell(3.5 + 0.6), 5);
                    assert_eq!(curve.cell(-0.1), -1);
                    let (a, b) = (curve.at(0.7, 1).0, curve.at(0.7 - 7.0, curve.cell(0.7 - 7.0)).0);
                    assert!((a - b).abs() < 1e-14);
                }
            }
        }
    }

    #[test]
    fn a_natural_spline_of_a_straight_line_is_straight_and_of_a_sine_has_order_four() {
        let error = |n: usize| {
            let x: Vec<f64> =
                (0..=n).map(|i| i as f64 / n as f64 * std::f64::consts::TAU).collect();
            let y: Vec<f64> = x.iter().map(|x| x.sin()).collect();
            let curve = Curve::new(Interpolation::Spline, Outside::Periodic, &x, &y);
            (0..1000)
                .map(|i| {
                    let x = i as f64 / 1000.0 * std::f64::consts::TAU;
                    (curve.at(x, curve.cell(x)).0 - x.sin()).abs()
                })
                .fold(0.0, f64::max)
        };
        let ratio = error(20) / error(40);
        assert!((12.0..20.0).contains(&ratio), "{ratio}");
        let line = Curve::new(Interpolation::Spline, Outside::Straight, &X, &X);
        assert!((line.at(9.0, line.cell(9.0)).0 - 9.0).abs() < 1e-12);
    }

    /// Every place is in exactly one cell of a curve that repeats, however many turns away: no distance from
    /// the ends of its cell is negative, and those of two neighbours are opposite to the last bit.
    #[test]
    fn cells_of_many_turns_meet_at_one_number() {
        let x: Vec<f64> = (0..=72).map(|i| f64::from(10 * i).to_radians()).collect();
        let curve = Curve::new(Interpolation::Linear, Outside::Periodic, &x, &vec![0.0; x.len()]);
        for turns in [-1001, -3, 0, 1, 2, 7, 1_000_000] {
            for i in 0..72 {
                let knot = x[i] + f64::from(turns) * 720.0_f64.to_radians();
                for x in [knot.next_down(), knot, knot.next_up()] {
                    let cell = curve.cell(x);
                    let [below, above] = curve.knots().distances(cell, x);
                    assert!(below >= 0.0 && above > 0.0, "{turns} {i}: {below} {above}");
                    let [_, before] = curve.knots().distances(cell - 1, x);
                    assert_eq!(before, -below);
                }
            }
        }
    }

    #[test]
    fn monotone_curves_do_not_overshoot() {
        let (x, y) = ([0.0, 1.0, 2.0, 3.0, 4.0], [0.0, 0.0, 1.0, 1.0, 5.0]);
        let curve = Curve::new(Interpolation::Monotone, Outside::Held, &x, &y);
        let mut before = 0.0;
        for i in 0..=400 {
            let x = f64::from(i) / 100.0;
            let value = curve.at(x, curve.cell(x)).0;
            assert!(value >= before - 1e-15, "{x}");
            before = value;
        }
        assert_eq!(curve.at(-1.0, -1), (0.0, 0.0));
        assert_eq!(curve.at(9.0, 4), (5.0, 0.0));
    }
}
