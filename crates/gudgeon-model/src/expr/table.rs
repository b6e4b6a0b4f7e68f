//! Interpolation of tabulated values over the time.
//!
//! Natural cubic spline through (tᵢ, yᵢ) with second derivatives mᵢ, hᵢ = tᵢ₊₁ − tᵢ:
//!
//!   hᵢ₋₁ mᵢ₋₁ + 2(hᵢ₋₁ + hᵢ) mᵢ + hᵢ mᵢ₊₁ = 6[(yᵢ₊₁ − yᵢ)/hᵢ − (yᵢ − yᵢ₋₁)/hᵢ₋₁],   m₀ = mₙ = 0   (1)
//!
//! A linear table is the same with all m = 0. Outside its times a linear table keeps its end value;
//! a spline goes on straight, so that a motion driven by it has no jump in speed there.

use gudgeon::time::Jet;

use super::ast::Interpolation;

#[derive(Clone, Debug)]
pub(super) struct Table {
    interpolation: Interpolation,
    /// Strictly increasing, at least two.
    times: Box<[f64]>,
    values: Box<[f64]>,
    /// mᵢ of (1).
    curvatures: Box<[f64]>,
}

impl Table {
    /// `times` strictly increase, are as many as `values` and at least two.
    pub fn new(interpolation: Interpolation, times: Vec<f64>, values: Vec<f64>) -> Self {
        let curvatures = match interpolation {
            Interpolation::Linear => vec![0.0; times.len()],
            Interpolation::Spline => natural_curvatures(&times, &values),
        };
        let (times, values) = (times.into(), values.into());
        Self { interpolation, times, values, curvatures: curvatures.into() }
    }

    /// How it is interpolated, its times and values.
    pub fn parts(&self) -> (gudgeon::formula::Interpolation, &[f64], &[f64]) {
        let interpolation = match self.interpolation {
            Interpolation::Linear => gudgeon::formula::Interpolation::Linear,
            Interpolation::Spline => gudgeon::formula::Interpolation::Spline,
        };
        (interpolation, &self.times, &self.values)
    }

    pub fn times(&self) -> &[f64] {
        &self.times
    }

    pub fn is_finite(&self) -> bool {
        self.curvatures.iter().all(|m| m.is_finite())
    }

    pub fn jet(&self, t: f64, branch: f64) -> Jet {
        let last = self.times.len() - 1;
        match self.times.partition_point(|time| *time <= branch) {
            0 => self.outside(t, 0, self.times[0]),
            after if after > last => self.outside(t, last - 1, self.times[last]),
            after => self.piece(after - 1, t),
        }
    }

    /// Continues from the time `end` of interval `i`.
    fn outside(&self, t: f64, i: usize, end: f64) -> Jet {
        let Jet { value, rate, .. } = self.piece(i, end);
        match self.interpolation {
            Interpolation::Linear => Jet::constant(value),
            Interpolation::Spline => Jet { value: value + rate * (t - end), rate, second: 0.0 },
        }
    }

    /// The cubic of interval `i` at any t.
    fn piece(&self, i: usize, t: f64) -> Jet {
        let (t0, t1) = (self.times[i], self.times[i + 1]);
        let (y0, y1) = (self.values[i], self.values[i + 1]);
        let (m0, m1) = (self.curvatures[i], self.curvatures[i + 1]);
        let h = t1 - t0;
        let (a, b) = ((t1 - t) / h, (t - t0) / h);
        let sixth = h * h / 6.0;
        Jet {
            value: a * y0 + b * y1 + sixth * ((a * a * a - a) * m0 + (b * b * b - b) * m1),
            rate: (y1 - y0) / h + h / 6.0 * ((1.0 - 3.0 * a * a) * m0 + (3.0 * b * b - 1.0) * m1),
            second: a * m0 + b * m1,
        }
    }
}

/// Solves the tridiagonal system (1) by elimination; it is diagonally dominant.
fn natural_curvatures(t: &[f64], y: &[f64]) -> Vec<f64> {
    let n = t.len();
    let slope = |i: usize| (y[i + 1] - y[i]) / (t[i + 1] - t[i]);
    let (mut upper, mut m) = (vec![0.0; n], vec![0.0; n]);
    for i in 1..n - 1 {
        let (before, after) = (t[i] - t[i - 1], t[i + 1] - t[i]);
        let pivot = 2.0 * (before + after) - before * upper[i - 1];
        upper[i] = after / pivot;
        m[i] = (6.0 * (slope(i) - slope(i - 1)) - before * m[i - 1]) / pivot;
    }
    m[n - 1] = 0.0;
    for i in (1..n - 1).rev() {
        m[i] -= upper[i] * m[i + 1];
    }
    m
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_linear_table_keeps_its_ends() {
        let table = Table::new(Interpolation::Linear, vec![0.0, 1.0, 3.0], vec![1.0, 2.0, 0.0]);
        assert_eq!(table.jet(-5.0, -5.0), Jet::constant(1.0));
        assert_eq!(table.jet(9.0, 9.0), Jet::constant(0.0));
        assert_eq!(table.jet(2.0, 2.0), Jet { value: 1.0, rate: -1.0, second: 0.0 });
        // The branch chooses the piece on a kink.
        assert_eq!(table.jet(1.0, 0.9).rate, 1.0);
        assert_eq!(table.jet(1.0, 1.1).rate, -1.0);
    }

    #[test]
    fn a_spline_is_smooth_natural_and_passes_through_its_points() {
        let times = vec![0.0, 0.5, 2.0, 3.0];
        let values = vec![0.0, 1.0, -1.0, 4.0];
        let spline = Table::new(Interpolation::Spline, times.clone(), values.clone());
        for (t, y) in times.iter().zip(&values) {
            let (left, right) = (spline.jet(*t, t - 1e-9), spline.jet(*t, t + 1e-9));
            for (a, b) in [(left.value, *y), (left.rate, right.rate), (left.second, right.second)] {
                assert!((a - b).abs() < 1e-12, "{a} and {b} at {t}");
            }
        }
        assert_eq!(spline.jet(-1.0, -1.0).second, 0.0);
        assert!(spline.jet(0.0, 0.1).second.abs() < 1e-12);
    }
}
