//! Rows of a run that measures look at: percentiles and first instants.
//!
//! Between two rows an output is taken as straight.

use super::percentile::percentile;

/// The rows of some outputs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rows {
    /// Numbers of the outputs kept.
    outputs: Vec<usize>,
    times: Vec<f64>,
    /// Row after row.
    values: Vec<f64>,
}

impl Rows {
    /// Keeps the outputs with these numbers.
    pub fn keeping(outputs: Vec<usize>) -> Self {
        Self { outputs, ..Self::default() }
    }

    /// Whether no output is kept.
    pub fn is_idle(&self) -> bool {
        self.outputs.is_empty()
    }

    /// Takes a row with all outputs of the run.
    pub fn push(&mut self, t: f64, values: &[f64]) {
        if self.is_idle() {
            return;
        }
        self.times.push(t);
        self.values.extend(self.outputs.iter().map(|&output| values[output]));
    }

    /// The values of an output, one per row; `None` if it is not kept.
    pub fn column(&self, output: usize) -> Option<Vec<f64>> {
        let column = self.outputs.iter().position(|&kept| kept == output)?;
        Some(self.values.iter().skip(column).step_by(self.outputs.len()).copied().collect())
    }

    /// The value that an output does not exceed for `p` % of the window; `None` with fewer than two
    /// rows there.
    pub fn percentile(&self, output: usize, p: f64, (from, to): (f64, f64)) -> Option<f64> {
        let rows = self.times.iter().copied().zip(self.column(output)?);
        let inside: Vec<(f64, f64)> = rows.filter(|(t, _)| (from..=to).contains(t)).collect();
        percentile(&inside, p)
    }

    /// When values, one per row, first exceed a bound.
    pub fn first_above(&self, values: &[f64], above: f64) -> Option<f64> {
        let row = values.iter().position(|value| *value > above)?;
        let (t, value) = (self.times[row], values[row]);
        let Some(last) = row.checked_sub(1) else { return Some(t) };
        let (t0, v0) = (self.times[last], values[last]);
        if v0.is_nan() {
            return Some(t);
        }
        Some(t0 + (t - t0) * (above - v0) / (value - v0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(points: &[(f64, f64)]) -> Rows {
        let mut rows = Rows::keeping(vec![1]);
        points.iter().for_each(|&(t, value)| rows.push(t, &[f64::NAN, value]));
        rows
    }

    #[test]
    fn of_a_straight_line() {
        let rows = rows(&[(0.0, 1.0), (0.3, 1.3), (1.0, 2.0)]);
        for (p, expected) in [(0.0, 1.0), (25.0, 1.25), (50.0, 1.5), (95.0, 1.95), (100.0, 2.0)] {
            let found = rows.percentile(1, p, (0.0, 1.0)).expect("rows");
            assert!((found - expected).abs() < 1e-15, "{p}: {found}");
        }
    }

    #[test]
    fn times_are_weights() {
        // 9 s at rest at 2, then a short spike of 1 s up to 12 and back, drawn with many rows.
        let mut points = vec![(0.0, 2.0), (9.0, 2.0)];
        points.extend((1..=1000).map(|i| {
            let s = f64::from(i) / 1000.0;
            (9.0 + s, 2.0 + 10.0 * (1.0 - (2.0 * s - 1.0).abs()))
        }));
        let rows = rows(&points);
        assert_eq!(rows.percentile(1, 50.0, (0.0, 10.0)), Some(2.0));
        let found = rows.percentile(1, 95.0, (0.0, 10.0)).expect("rows");
        assert!((found - 7.0).abs() < 1e-9, "{found}");
    }

    #[test]
    fn of_a_sine_from_many_rows() {
        // F(x) = ½ + asin(x)/π; the chords of n rows per turn are off by (π/n)²/2 at most.
        let n = 2000;
        let points: Vec<(f64, f64)> = (0..=n)
            .map(|i| f64::from(i) / f64::from(n))
            .map(|t| (t, (std::f64::consts::TAU * t).sin()))
            .collect();
        let rows = rows(&points);
        for p in [5.0, 30.0, 50.0, 80.0, 99.0] {
            let expected = (std::f64::consts::PI * (p / 100.0 - 0.5)).sin();
            let found = rows.percentile(1, p, (0.0, 1.0)).expect("rows");
            assert!((found - expected).abs() < 3e-6, "{p}: {found} {expected}");
        }
    }

    #[test]
    fn rows_outside_the_window_do_not_count() {
        let rows = rows(&[(0.0, 100.0), (1.0, 0.0), (2.0, 1.0), (3.0, -100.0)]);
        assert_eq!(rows.percentile(1, 50.0, (1.0, 2.0)), Some(0.5));
        assert_eq!(rows.percentile(1, 50.0, (1.5, 2.0)), None);
        assert_eq!(rows.percentile(0, 50.0, (1.0, 2.0)), None);
    }

    #[test]
    fn rows_without_a_value_do_not_count() {
        let missing = f64::NAN;
        let rows = rows(&[(0.0, missing), (1.0, 2.0), (3.0, 4.0), (4.0, missing), (9.0, missing)]);
        assert_eq!(rows.percentile(1, 50.0, (0.0, 9.0)), Some(3.0));
        assert_eq!(rows.percentile(1, 50.0, (3.0, 9.0)), None);
    }

    #[test]
    fn a_bound_is_crossed_between_rows() {
        let rows = rows(&[(0.0, 0.0), (1.0, 4e-5), (2.0, -1.0)]);
        let values = rows.column(1).expect("kept");
        let crossed = rows.first_above(&values, 1e-5).expect("it is crossed");
        assert!((crossed - 0.25).abs() < 1e-15, "{crossed}");
        assert_eq!(rows.first_above(&values, 1.0), None);
        assert_eq!(rows.first_above(&values, -1.0), Some(0.0), "from the start");
        assert_eq!(rows.column(0), None);
        assert_eq!(rows.first_above(&[f64::NAN, 3.0, 1.0], 2.0), Some(1.0), "where it begins");
    }
}
