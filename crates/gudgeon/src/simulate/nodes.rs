//! Nodes inside a step: means by two quadratures, and a bound of what an output may reach between.
//!
//! Places x ∈ [0, 1] of a step or of a part of it. Lobatto's rule has four nodes, of which the ends are
//! known anyway, and is exact to degree 5; Kronrod's extension adds three nodes and is exact to
//! degree 9 (Gander and Gautschi, *Adaptive quadrature – revisited*, 2000).
//!
//! Between its N nodes a smooth output f is the polynomial p through them but for
//!
//!   f(x) − p(x) = f[x₁ … x_N, x] w(x),   w(x) = Π (x − x_i)                                       (1)
//!
//! The divided difference with x is not known. Where the nodes resolve f, its terms fall with their
//! degree; by then those of the highest two degrees of p, of which one may vanish by symmetry, are
//! larger than the first one left out:
//!
//!   |f(x) − p(x)| ≤ κ (|f[x₁ … x_N]| + max(|f[x₁ … x_{N−1}]|, |f[x₂ … x_N]|)) |w(x)|              (2)
//!
//! Both are zero at the nodes, so a value that rises to the end of a step cannot hide a larger one
//! before it. The two inner ones of Lobatto's nodes are taken on the sketch, whose error (2) does not
//! know; there |w| counts as a fifth of its largest value at least, which is far more.

use std::sync::LazyLock;

/// κ in (2).
const SAFETY: f64 = 4.0;
/// Share of the largest |w| that the inner nodes of a sketch have.
const SKETCHED: f64 = 0.2;
/// Intervals between the places where a polynomial is looked at.
const GRID: usize = 24;
/// A polynomial whose error (2) is below this share of the range of its nodes shows where its top is.
const RESOLVED: f64 = 5e-3;
/// No polynomial through Lobatto's nodes leaves the middle of their values by more than this multiple of
/// half their range (the Lebesgue constant is 1.64).
const SPREAD: f64 = 1.65;

/// (1 − 1/√5)/2 and its mirror image.
pub const LOBATTO_INNER: [f64; 2] = [0.276_393_202_250_021, 0.723_606_797_749_979];

/// Four nodes: degree 5.
pub static LOBATTO: LazyLock<Nodes<4>> = LazyLock::new(|| {
    let [a, b] = LOBATTO_INNER;
    Nodes::new([0.0, a, b, 1.0], [1.0 / 12.0, 5.0 / 12.0, 5.0 / 12.0, 1.0 / 12.0], SKETCHED)
});

/// Lobatto's four and three more, (1 ∓ √(2/3))/2 and ½: degree 9.
pub static KRONROD: LazyLock<Nodes<7>> = LazyLock::new(|| {
    let [a, b] = LOBATTO_INNER;
    let outer = 0.5 - (1.0f64 / 6.0).sqrt();
    let (ends, inner, lobatto) = (11.0 / 420.0, 36.0 / 245.0, 125.0 / 588.0);
    Nodes::new(
        [0.0, outer, a, 0.5, b, 1.0 - outer, 1.0],
        [ends, inner, lobatto, 8.0 / 35.0, lobatto, inner, ends],
        0.0,
    )
});

/// Lobatto's nodes among Kronrod's.
pub const IN_KRONROD: [usize; 4] = [0, 2, 4, 6];

/// Nodes with their weights and what is known beforehand of polynomials through them.
pub struct Nodes<const N: usize> {
    pub places: [f64; N],
    pub weights: [f64; N],
    /// Weights of the values in f[x₁ … x_N], f[x₁ … x_{N−1}] and f[x₂ … x_N].
    highest: [[f64; N]; 3],
    /// Weights of the values in p at the places of the grid, and |w| there, with what the sketch adds.
    grid: [([f64; N], f64); GRID + 1],
    largest_shape: f64,
}

/// Where a record may hide: between two places, about a third; and whether the polynomial is to be
/// trusted so far.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hiding {
    pub from: f64,
    pub about: f64,
    pub to: f64,
    pub resolved: bool,
    /// Error (2) over the range of the nodes.
    pub blur: f64,
}

impl<const N: usize> Nodes<N> {
    fn new(places: [f64; N], weights: [f64; N], sketched: f64) -> Self {
        let at = |x: f64| {
            let basis = std::array::from_fn(|i| {
                let others = (0..N).filter(|&j| j != i);
                others.map(|j| (x - places[j]) / (places[i] - places[j])).product()
            });
            (basis, places.iter().map(|place| (x - place).abs()).product())
        };
        let mut grid: [([f64; N], f64); GRID + 1] =
            std::array::from_fn(|i| at(i as f64 / GRID as f64));
        let largest = grid.iter().map(|(_, shape)| *shape).fold(0.0, f64::max);
        for (i, (_, shape)) in grid.iter_mut().enumerate() {
            let x = i as f64 / GRID as f64;
            *shape += sketched * largest * 4.0 * x * (1.0 - x);
        }
        Self {
            places,
            weights,
            highest: [0..N, 0..N - 1, 1..N].map(|range| {
                let mut out = [0.0; N];
                divided_difference(&places[range.clone()], &mut out[range]);
                out
            }),
            largest_shape: (1.0 + sketched) * largest,
            grid,
        }
    }

    /// p(x) through `values`, and w(x).
    pub fn polynomial(&self, values: &[f64; N], x: f64) -> (f64, f64) {
        let mut p = 0.0;
        let mut w = 1.0;
        for i in 0..N {
            let others = (0..N).filter(|&j| j != i);
            p += self.highest[0][i]
                * values[i]
                * others.map(|j| x - self.places[j]).product::<f64>();
            w *= x - self.places[i];
        }
        (p, w)
    }

    /// κ times the differences in (2).
    fn roughness(&self, values: &[f64; N]) -> f64 {
        let [all, first, last] = self.highest.map(|weights| dot(&weights, values).abs());
        SAFETY * (all + first.max(last))
    }

    /// Where the polynomial through `values`, with its error (2), is farthest above `record`.
    pub fn may_exceed(&self, values: &[f64; N], record: f64) -> Option<Hiding> {
        let (least, most) = range(values);
        let rough = self.roughness(values);
        let blur = rough * self.largest_shape;
        if N == 4 && least + 0.5 * (1.0 + SPREAD) * (most - least) + blur <= record {
            return None;
        }
        let heights: [f64; GRID + 1] = std::array::from_fn(|i| dot(&self.grid[i].0, values));
        let bend = |i: usize| 2.0 * heights[i] - heights[i - 1] - heights[i + 1];
        let mut best = (record, None);
        let mut offer = |i: usize, bound: f64| {
            if bound > best.0 {
                best = (bound, Some(i));
            }
        };
        for i in 1..GRID {
            // The top of a parabola lies above its nearest place by an eighth of the second difference
            // at most.
            offer(i, heights[i] + 0.125 * bend(i).max(0.0) + rough * self.grid[i].1);
        }
        for (end, next) in [(0, 1), (GRID, GRID - 1)] {
            // Beside an end, where the parabola with its error rises from it.
            let bend = bend(next);
            let rise = heights[next] - heights[end] + 0.5 * bend + rough * self.grid[next].1;
            if rise > 0.0 {
                offer(end, heights[end] + 0.5 * rise * rise / bend.max(rise));
            }
        }
        let i = best.1?;
        let (resolved, blur) = (blur <= RESOLVED * (most - least), blur / (most - least));
        let place = |i: usize| i as f64 / GRID as f64;
        if resolved {
            let (from, to) = (place(i.max(1) - 1), place((i + 1).min(GRID)));
            let about = if i == 0 || i == GRID { 0.5 * (from + to) } else { place(i) };
            return Some(Hiding { from, about, to, resolved, blur });
        }
        let top = (0..N).fold(0, |top, i| if values[i] > values[top] { i } else { top });
        let (from, to) = (self.places[top.max(1) - 1], self.places[(top + 1).min(N - 1)]);
        let about = if top == 0 || top == N - 1 { 0.5 * (from + to) } else { self.places[top] };
        Some(Hiding { from, about, to, resolved, blur })
    }
}

/// Weights of values at `places` in their divided difference.
pub fn divided_difference(places: &[f64], out: &mut [f64]) {
    for (i, out) in out.iter_mut().enumerate() {
        let others = places.iter().enumerate().filter(|&(j, _)| j != i);
        *out = 1.0 / others.map(|(_, place)| places[i] - place).product::<f64>();
    }
}

pub fn dot<const N: usize>(a: &[f64; N], b: &[f64; N]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn range(values: &[f64]) -> (f64, f64) {
    let start = (f64::INFINITY, f64::NEG_INFINITY);
    values.iter().fold(start, |(least, most), x| (least.min(*x), most.max(*x)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_exact<const N: usize>(nodes: &Nodes<N>, degree: i32) -> bool {
        let sum: f64 =
            nodes.places.iter().zip(&nodes.weights).map(|(x, w)| w * x.powi(degree)).sum();
        (sum - 1.0 / f64::from(degree + 1)).abs() < 1e-15
    }

    #[test]
    fn rules_are_exact_to_their_degree_and_no_further() {
        assert!((0..=5).all(|degree| is_exact(&LOBATTO, degree)) && !is_exact(&LOBATTO, 6));
        assert!((0..=9).all(|degree| is_exact(&KRONROD, degree)) && !is_exact(&KRONROD, 10));
        for (four, seven) in IN_KRONROD.iter().enumerate() {
            assert_eq!(LOBATTO.places[four], KRONROD.places[*seven]);
        }
    }

    #[test]
    fn no_polynomial_through_four_nodes_leaves_their_range_by_more_than_the_spread() {
        for i in 0..=1000 {
            let x = f64::from(i) / 1000.0;
            let basis = (0..4).map(|i| {
                let others = (0..4).filter(|&j| j != i);
                let places = LOBATTO.places;
                others.map(|j| (x - places[j]) / (places[i] - places[j])).product::<f64>()
            });
            assert!(basis.map(f64::abs).sum::<f64>() < SPREAD);
        }
    }

    /// Waves of all phases with a harmonic of up to two radians per node: what exceeds the largest node is
    /// never denied, by four nodes and, over twice the length, by seven.
    #[test]
    fn the_bound_holds_for_waves_of_every_phase() {
        fn check<const N: usize>(nodes: &Nodes<N>, wave: impl Fn(f64) -> f64) -> bool {
            let values = nodes.places.map(&wave);
            let record = range(&values).1;
            let top = (0..=640).map(|i| wave(f64::from(i) / 640.0)).fold(f64::MIN, f64::max);
            top <= record + 1e-9 || nodes.may_exceed(&values, record).is_some()
        }
        for length in [0.05, 0.2, 0.5, 1.0, 2.0, 3.0] {
            for phase in 0..720 {
                let phase = f64::from(phase).to_radians() * 0.5;
                let wave = |x: f64| (length * x + phase).sin() + 0.3 * (2.0 * length * x).cos();
                assert!(check(&LOBATTO, wave), "{length} {phase}");
                assert!(check(&KRONROD, |x| wave(2.0 * x)), "{length} {phase}");
            }
        }
    }

    #[test]
    fn a_steady_rise_hides_nothing() {
        let rise = |x: f64| (0.4 * x).exp();
        assert_eq!(LOBATTO.may_exceed(&LOBATTO.places.map(rise), rise(1.0)), None);
        assert_eq!(KRONROD.may_exceed(&KRONROD.places.map(rise), rise(1.0)), None);
        let constant = LOBATTO.places.map(|_| 3.0);
        assert_eq!(LOBATTO.may_exceed(&constant, 3.0), None);
    }
}
