//! Peaks of every turn of the driver: of a chaotic run the largest value of all says little, the median
//! over turns more.
//!
//! Outputs are taken from the dense output at instants that divide each turn evenly; between them a top
//! is that of the parabola through its three instants.

use std::f64::consts::TAU;

use gudgeon::model::Model;
use gudgeon::run::{RunSpec, Until};
use gudgeon_study::turns::instants;

/// Instants per turn.
const RASTER: usize = 4096;
/// A turn that begins earlier than the window by this part is in it: rounding.
const SLACK: f64 = 1e-9;

/// The largest magnitude of each output, for every whole turn of the measuring window.
#[derive(Clone, Debug, Default)]
pub struct TurnPeaks {
    pub names: Vec<String>,
    pub peaks: Vec<Vec<f64>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TurnStatistic {
    Median,
    Max,
    Min,
}

impl TurnPeaks {
    /// The turns of all runs of an ensemble.
    pub fn of_all<'a>(runs: impl Iterator<Item = &'a TurnPeaks>) -> Self {
        let mut all = Self::default();
        for run in runs {
            all.names.clone_from(&run.names);
            all.peaks.extend_from_slice(&run.peaks);
        }
        all
    }

    pub fn value(&self, output: &str, statistic: TurnStatistic) -> Option<f64> {
        let column = self.names.iter().position(|name| name == output)?;
        let mut peaks: Vec<f64> = self.peaks.iter().map(|turn| turn[column]).collect();
        peaks.sort_by(f64::total_cmp);
        let middle = peaks.len() / 2;
        match statistic {
            TurnStatistic::Min => peaks.first().copied(),
            TurnStatistic::Max => peaks.last().copied(),
            TurnStatistic::Median if peaks.len() % 2 == 1 => Some(peaks[middle]),
            TurnStatistic::Median => Some(0.5 * (peaks.get(middle)? + peaks[middle - 1])),
        }
    }
}

/// Watches a run turn by turn.
pub struct TurnWatch {
    /// Ends of all turns of the run, s.
    ends: Vec<f64>,
    /// Turns before the measuring window.
    before: usize,
    /// Number of rows so far and the magnitudes of the last two.
    rows: usize,
    last: [Vec<f64>; 2],
    peaks: Vec<Vec<f64>>,
}

impl TurnWatch {
    /// For a run by time of a model with one driver that turns.
    pub fn new(model: &Model, spec: &RunSpec) -> Result<Self, String> {
        let ([driver], Until::Time(end), Until::Time(from)) =
            (&model.drivers[..], spec.until, spec.measure_from)
        else {
            return Err("turns need one driver, and a run whose times it prescribes".into());
        };
        let ends = instants(driver, TAU, end).map_err(|error| error.to_string())?;
        let begins = |k: usize| if k == 0 { 0.0 } else { ends[k - 1] };
        let before = (0..ends.len()).take_while(|&k| begins(k) < from * (1.0 - SLACK)).count();
        let peaks = vec![vec![0.0; spec.outputs.len()]; ends.len()];
        Ok(Self { ends, before, rows: 0, last: [vec![], vec![]], peaks })
    }

    /// When the row of this number is due, counted from 1; the start of the run is row 0.
    pub fn instant(&self, row: u64) -> f64 {
        let Some((turn, part)) = usize::try_from(row).ok().and_then(place) else { return 0.0 };
        let Some(end) = self.ends.get(turn) else { return f64::INFINITY };
        let begin = if turn == 0 { 0.0 } else { self.ends[turn - 1] };
        begin + (end - begin) * (part as f64 / RASTER as f64)
    }

    pub fn row(&mut self, values: &[f64]) {
        let now: Vec<f64> = values.iter().map(|value| value.abs()).collect();
        self.offer(self.rows, &now);
        let [first, middle] = &self.last;
        if !first.is_empty() {
            let tops: Vec<f64> = (0..now.len()).map(|i| top(first[i], middle[i], now[i])).collect();
            self.offer(self.rows - 1, &tops);
        }
        self.last.swap(0, 1);
        self.last[1] = now;
        self.rows += 1;
    }

    fn offer(&mut self, row: usize, values: &[f64]) {
        let Some(peaks) = self.peaks.get_mut(place(row).map_or(0, |(turn, _)| turn)) else {
            return;
        };
        for (peak, value) in peaks.iter_mut().zip(values) {
            *peak = peak.max(*value);
        }
    }

    pub fn finish(mut self, spec: &RunSpec) -> TurnPeaks {
        let names = spec.outputs.iter().map(|output| output.name.clone()).collect();
        TurnPeaks { names, peaks: self.peaks.split_off(self.before) }
    }
}

/// Turn of a row and its part of the turn, 1 to `RASTER`; none for the start of the run.
fn place(row: usize) -> Option<(usize, usize)> {
    row.checked_sub(1).map(|row| (row / RASTER, row % RASTER + 1))
}

/// Top of the parabola through three even instants; the middle value where it is none.
fn top(a: f64, b: f64, c: f64) -> f64 {
    let bend = 2.0 * b - a - c;
    if b >= a && b >= c && bend > 0.0 { b + (a - c).powi(2) / (8.0 * bend) } else { b }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reproduce::runner::{Job, Needs, Ran, run_all};

    #[test]
    fn tops_between_instants_belong_to_their_turn() {
        let ends = vec![1.0, 2.0, 3.0];
        let mut watch = TurnWatch {
            ends,
            before: 1,
            rows: 0,
            last: [vec![], vec![]],
            peaks: vec![vec![0.0]; 3],
        };
        // Turn k has a pulse of height k and a width of 20 instants, between two of them.
        for row in 0..=3 * RASTER {
            let t = watch.instant(row as u64);
            let pulse = |k: usize| {
                let x = (t - k as f64 + 0.5) * RASTER as f64 / 10.0 - 0.04;
                k as f64 * (1.0 - x * x).max(0.0)
            };
            watch.row(&[-(1..=3).map(pulse).sum::<f64>()]);
        }
        assert_eq!(watch.instant(3 * RASTER as u64), 3.0);
        assert_eq!(watch.instant(3 * RASTER as u64 + 1), f64::INFINITY);
        let peaks = TurnPeaks { names: vec!["f".into()], peaks: watch.peaks.split_off(1) };
        for (statistic, expected) in
            [(TurnStatistic::Min, 2.0), (TurnStatistic::Median, 2.5), (TurnStatistic::Max, 3.0)]
        {
            let found = peaks.value("f", statistic).unwrap();
            assert!((found - expected).abs() < 1e-9, "{statistic:?} {found}");
        }
        assert_eq!(peaks.value("g", TurnStatistic::Max), None);
        assert_eq!(TurnPeaks::default().value("f", TurnStatistic::Median), None);
    }

    #[test]
    fn the_largest_of_all_turns_is_the_located_extreme() {
        let text = r#"{ until = "2 rev", measure_from = "0 rev", outputs = ["pin.reaction"] }"#;
        let table: toml::Table = toml::from_str(&format!("recipe = {text}")).unwrap();
        let recipe = table["recipe"].clone().try_into().unwrap();
        let job = Job { model: "tian_slider_crank", recipe, needs: Needs::TURNS, lesson: None };
        let outcome = run_all(&[job], 1, &gudgeon::progress::Unwatched).unwrap().remove(0).unwrap();
        let Ran::Once(run) = outcome.ran else { panic!("one run") };
        let located = run.report.extremes[0].abs_max().0;
        let found = run.turns.value("pin.reaction", TurnStatistic::Max).unwrap();
        // Impacts last some ten instants; the parabola leaves their fourth order.
        assert!((found / located - 1.0).abs() < 2e-3, "{found} {located}");
        assert_eq!(run.turns.peaks.len(), 2);
    }
}
