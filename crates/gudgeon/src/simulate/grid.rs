//! The even grid of rows of a run that asks for nothing else.
//!
//! The grid is even in what ends the run: in time, or in the way that a joint's angle has gone. It has
//! [`ROWS`] intervals over the measuring window. Before the window the intervals are as long, or
//! longer where more than [`ROWS`] of them would be needed, so that the length of a run does not
//! decide on the number of its rows.

use crate::run::Until;

/// Intervals over the measuring window, and at most before it.
const ROWS: f64 = 2000.0;

#[derive(Clone, Debug)]
pub(super) struct Grid {
    /// Whether it is even in time.
    in_time: bool,
    /// Where the run ends: a time, or a way in rad.
    end: f64,
    /// Where the measuring window begins, as long as that lies ahead and is known.
    window: Option<f64>,
    /// Where the run is.
    now: f64,
    /// Where the present stretch of the grid starts, its interval, and how many are passed.
    start: f64,
    interval: f64,
    passed: u64,
}

/// One step as the grid sees it: where it starts and ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stretch {
    from: f64,
    to: f64,
}

impl Grid {
    pub fn new(until: Until, measure_from: Until) -> Self {
        let (in_time, end) = match until {
            Until::Time(end) => (true, end),
            Until::JointAngle { angle, .. } => (false, angle),
        };
        let window = match (until, measure_from) {
            (Until::Time(_), Until::Time(from)) => Some(from),
            (Until::JointAngle { joint, .. }, Until::JointAngle { joint: same, angle })
                if joint == same =>
            {
                Some(angle)
            }
            _ => None,
        };
        let interval = window.map_or(end, |from| f64::max(end - from, from)) / ROWS;
        let window = window.filter(|from| *from > 0.0);
        Self { in_time, end, window, now: 0.0, start: 0.0, interval, passed: 0 }
    }

    pub fn in_time(&self) -> bool {
        self.in_time
    }

    /// The measuring window begins where the run is, if that was not known before.
    pub fn enter_window(&mut self) {
        if self.window.is_none() && self.start == 0.0 {
            self.go_on_from(self.now);
        }
    }

    fn go_on_from(&mut self, start: f64) {
        (self.start, self.interval, self.passed) = (start, (self.end - start) / ROWS, 0);
        self.window = None;
    }

    /// Takes the step that ends at time `t`, in which the angle went by `turned`.
    pub fn advance(&mut self, t: f64, turned: f64) -> Stretch {
        let from = self.now;
        self.now = if self.in_time { t } else { from + turned.abs() };
        Stretch { from, to: self.now }
    }

    /// Share of the step at which the next row is due, 0 to 1.
    pub fn due(&mut self, step: Stretch) -> Option<f64> {
        let next = self.start + (self.passed + 1) as f64 * self.interval;
        let window = self.window.filter(|from| next >= *from * (1.0 - 1e-13));
        let next = window.unwrap_or(next);
        // A row that the end of the step meets but for rounding is taken there.
        if !(self.interval > 0.0 && next <= step.to * (1.0 + 1e-13)) {
            return None;
        }
        match window {
            Some(from) => self.go_on_from(from),
            None => self.passed += 1,
        }
        let length = step.to - step.from;
        Some(if length > 0.0 { ((next - step.from) / length).clamp(0.0, 1.0) } else { 1.0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Instants of the rows of a run whose steps have this length.
    fn rows(until: f64, from: f64, step: f64) -> Vec<f64> {
        let mut grid = Grid::new(Until::Time(until), Until::Time(from));
        let (mut t, mut rows) = (0.0, Vec::new());
        while t < until {
            let end = f64::min(t + step, until);
            let stretch = grid.advance(end, 0.0);
            while let Some(share) = grid.due(stretch) {
                rows.push(t + share * (end - t));
            }
            t = end;
        }
        rows
    }

    #[test]
    fn the_window_has_two_thousand_intervals_whatever_the_steps() {
        for step in [1e-3, 0.013, 0.7, 3.0] {
            for from in [0.0, 0.3, 1.0, 1.9] {
                let rows = rows(2.0, from, step);
                let inside = rows.iter().filter(|t| **t > from * (1.0 + 1e-12)).count();
                assert_eq!(inside, 2000, "{step} {from}");
                assert!(rows.len() <= 4000, "{} rows", rows.len());
                assert!(rows.windows(2).all(|pair| pair[1] > pair[0]), "{step} {from}");
                assert!((rows[rows.len() - 1] - 2.0).abs() < 1e-12);
                let at_window = |t: &f64| (t - from).abs() < 1e-12;
                assert!(from == 0.0 || rows.iter().any(at_window), "{step} {from}");
            }
        }
    }

    #[test]
    fn the_start_up_of_a_short_window_is_bounded() {
        assert!(rows(1000.0, 999.0, 0.4).len() <= 4001);
    }

    #[test]
    fn a_joint_that_goes_back_and_forth_counts_its_way() {
        use crate::model::JointId;
        let angle = |angle| Until::JointAngle { joint: JointId(0), angle };
        let mut grid = Grid::new(angle(2.0), Until::Time(0.0));
        grid.enter_window();
        let mut rows = 0;
        for turned in [0.5, -0.5, 0.0, 0.5] {
            let step = grid.advance(0.0, turned);
            while grid.due(step).is_some() {
                rows += 1;
            }
        }
        assert!((1499..=1500).contains(&rows), "{rows}");
    }
}
