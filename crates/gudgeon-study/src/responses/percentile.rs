//! Percentiles over time.
//!
//! Between two rows an output is taken as straight, so that the share of time below a level x is
//!
//!   F(x) = Σ hᵢ sᵢ(x) / Σ hᵢ,   s = clamp((x − low)/(high − low), 0, 1)              (1)
//!
//! with step hᵢ from row to row and low, high the values at its ends. The percentile p is the x with
//! F(x) = p/100, found by halving: F may jump where the output rests. A run that names no interval of
//! recording has a row at the end of every step and more in between, close enough for (1).

use gudgeon::sensor::Sensor;

use super::{Response, Statistic};

/// The rows of the outputs whose percentiles are asked for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rows {
    /// Numbers of the outputs kept.
    outputs: Vec<usize>,
    times: Vec<f64>,
    /// Row after row.
    values: Vec<f64>,
}

impl Rows {
    /// Keeps what the percentiles among some responses need.
    pub fn needed<'a>(responses: impl Iterator<Item = &'a Response>, outputs: &[Sensor]) -> Self {
        let mut kept = Vec::new();
        for response in responses {
            if let Response::Output { output, statistic: Statistic::Percentile(_) } = response
                && let Some(index) = outputs.iter().position(|sensor| sensor.name == *output)
                && !kept.contains(&index)
            {
                kept.push(index);
            }
        }
        Self::keeping(kept)
    }

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

    /// The value that an output does not exceed for `p` % of the window; `None` with fewer than two
    /// rows there.
    pub fn percentile(&self, output: usize, p: f64, (from, to): (f64, f64)) -> Option<f64> {
        let column = self.outputs.iter().position(|&kept| kept == output)?;
        let value = |row: usize| self.values[row * self.outputs.len() + column];
        let inside = (0..self.times.len()).filter(|&row| (from..=to).contains(&self.times[row]));
        let inside: Vec<(f64, f64)> = inside.map(|row| (self.times[row], value(row))).collect();
        let pieces = inside.windows(2).map(|ends| Piece::new(ends[0], ends[1]));
        let pieces: Vec<Piece> = pieces.filter(|piece| piece.time > 0.0).collect();
        level(&pieces, p / 100.0)
    }
}

struct Piece {
    time: f64,
    low: f64,
    high: f64,
}

impl Piece {
    fn new((from, a): (f64, f64), (to, b): (f64, f64)) -> Self {
        Self { time: to - from, low: a.min(b), high: a.max(b) }
    }

    /// Time below a level.
    fn below(&self, level: f64) -> f64 {
        if level >= self.high {
            self.time
        } else if level <= self.low {
            0.0
        } else {
            self.time * (level - self.low) / (self.high - self.low)
        }
    }
}

/// The lowest level with a share of the time below it.
fn level(pieces: &[Piece], share: f64) -> Option<f64> {
    let mut low = pieces.iter().map(|piece| piece.low).reduce(f64::min)?;
    let mut high = pieces.iter().map(|piece| piece.high).reduce(f64::max)?;
    let total: f64 = pieces.iter().map(|piece| piece.time).sum();
    let is_enough = |level| pieces.iter().map(|p| p.below(level)).sum::<f64>() >= share * total;
    if is_enough(low) {
        return Some(low);
    }
    loop {
        let middle = 0.5 * low + 0.5 * high;
        if middle <= low || middle >= high {
            return Some(high);
        }
        if is_enough(middle) { high = middle } else { low = middle }
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
}
