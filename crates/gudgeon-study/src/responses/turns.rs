//! Peaks of every turn of the driver: of a chaotic run the largest value of all says little, the median
//! over turns more.
//!
//! Outputs are taken from the dense output at instants that divide each turn evenly; between them a top
//! is that of the parabola through its three instants.

use std::f64::consts::TAU;

use gudgeon::model::Model;
use gudgeon::run::{RunSpec, Until};

use super::ResponseError;
use crate::turns::{instants, turning};

/// Instants per turn.
const RASTER: usize = 4096;
/// A turn that begins earlier than the window by this part is in it: rounding.
const SLACK: f64 = 1e-9;

/// The largest magnitudes of some outputs, for every whole turn of the measuring window.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TurnPeaks {
    /// Numbers of the outputs kept.
    pub outputs: Vec<usize>,
    /// Turn after turn, one value per output.
    pub peaks: Vec<Vec<f64>>,
}

impl TurnPeaks {
    /// The turns of several runs with the same outputs together.
    pub fn pooled<'a>(runs: impl Iterator<Item = &'a TurnPeaks>) -> Self {
        let mut all = Self::default();
        for run in runs {
            all.outputs.clone_from(&run.outputs);
            all.peaks.extend_from_slice(&run.peaks);
        }
        all
    }

    /// The peaks of an output, turn by turn; `None` if it is not kept.
    pub fn of(&self, output: usize) -> Option<Vec<f64>> {
        let column = self.outputs.iter().position(|&kept| kept == output)?;
        Some(self.peaks.iter().map(|turn| turn[column]).collect())
    }
}

/// Watches a run turn by turn.
#[derive(Clone, Debug)]
pub(super) struct TurnWatch {
    outputs: Vec<usize>,
    /// Ends of all turns of the run, s.
    ends: Vec<f64>,
    /// Turns before the measuring window.
    before: usize,
    /// Number of instants so far, the start among them, and the magnitudes at the last two.
    taken: usize,
    last: [Vec<f64>; 2],
    peaks: Vec<Vec<f64>>,
}

impl TurnWatch {
    /// For a run by time of a model with one driver that turns.
    pub fn new(model: &Model, spec: &RunSpec, outputs: Vec<usize>) -> Result<Self, ResponseError> {
        let drivers = turning(model);
        let [driver] = drivers[..] else {
            return Err(ResponseError::NoTurns { drivers: drivers.len() });
        };
        let (Until::Time(end), Until::Time(from)) = (spec.until, spec.measure_from) else {
            return Err(ResponseError::NoTimes);
        };
        let ends = instants(&model.drivers[driver.0], TAU, end)?;
        Ok(Self::between(outputs, ends, from))
    }

    fn between(outputs: Vec<usize>, ends: Vec<f64>, from: f64) -> Self {
        let begins = |k: usize| if k == 0 { 0.0 } else { ends[k - 1] };
        let before = (0..ends.len()).take_while(|&k| begins(k) < from * (1.0 - SLACK)).count();
        let peaks = vec![vec![0.0; outputs.len()]; ends.len()];
        Self { outputs, ends, before, taken: 0, last: [vec![], vec![]], peaks }
    }

    /// The instant of the next sample; the first one is the start of the run.
    pub fn next(&self) -> f64 {
        let Some((turn, part)) = place(self.taken) else { return 0.0 };
        let Some(end) = self.ends.get(turn) else { return f64::INFINITY };
        let begin = if turn == 0 { 0.0 } else { self.ends[turn - 1] };
        begin + (end - begin) * (part as f64 / RASTER as f64)
    }

    /// Takes all outputs of the run at that instant.
    pub fn take(&mut self, values: &[f64]) {
        let now: Vec<f64> = self.outputs.iter().map(|&output| values[output].abs()).collect();
        self.offer(self.taken, &now);
        let [first, middle] = &self.last;
        if !first.is_empty() {
            let tops: Vec<f64> = (0..now.len()).map(|i| top(first[i], middle[i], now[i])).collect();
            self.offer(self.taken - 1, &tops);
        }
        self.last.swap(0, 1);
        self.last[1] = now;
        self.taken += 1;
    }

    fn offer(&mut self, instant: usize, values: &[f64]) {
        let turn = place(instant).map_or(0, |(turn, _)| turn);
        let Some(peaks) = self.peaks.get_mut(turn) else { return };
        for (peak, value) in peaks.iter_mut().zip(values) {
            *peak = peak.max(*value);
        }
    }

    pub fn finish(mut self) -> TurnPeaks {
        TurnPeaks { outputs: self.outputs, peaks: self.peaks.split_off(self.before) }
    }
}

/// Turn of an instant and its part of the turn, 1 to `RASTER`; none for the start of the run.
fn place(instant: usize) -> Option<(usize, usize)> {
    instant.checked_sub(1).map(|instant| (instant / RASTER, instant % RASTER + 1))
}

/// Top of the parabola through three even instants; the middle value where it is none.
fn top(a: f64, b: f64, c: f64) -> f64 {
    let bend = 2.0 * b - a - c;
    if b >= a && b >= c && bend > 0.0 { b + (a - c).powi(2) / (8.0 * bend) } else { b }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tops_between_instants_belong_to_their_turn() {
        let mut watch = TurnWatch::between(vec![1], vec![1.0, 2.0, 3.0], 1.0);
        // Turn k has a pulse of height k and a width of 20 instants, between two of them.
        for _ in 0..=3 * RASTER {
            let t = watch.next();
            let pulse = |k: usize| {
                let x = (t - k as f64 + 0.5) * RASTER as f64 / 10.0 - 0.04;
                k as f64 * (1.0 - x * x).max(0.0)
            };
            watch.take(&[f64::NAN, -(1..=3).map(pulse).sum::<f64>()]);
        }
        assert_eq!(watch.next(), f64::INFINITY);
        let peaks = watch.finish();
        let found = peaks.of(1).expect("kept");
        assert_eq!(found.len(), 2, "the first turn is before the window");
        for (found, expected) in found.iter().zip([2.0, 3.0]) {
            assert!((found - expected).abs() < 1e-9, "{found}");
        }
        assert_eq!(peaks.of(0), None);
        assert_eq!(TurnPeaks::pooled([&peaks, &peaks].into_iter()).of(1).map(|p| p.len()), Some(4));
    }
}
