//! The outputs of a run at the instants where runs are compared.

use std::ops::ControlFlow;

use crate::progress::Progress;
use crate::simulate::Observer;

/// Instants kept at most; beyond, every second one is dropped.
const LIMIT: usize = 1 << 15;

/// Rows and ends of steps of a run, thinned evenly where there are many. Steps are short where the
/// outputs change fast, so that no peak hides between the instants.
#[derive(Clone, Debug)]
pub struct History {
    width: usize,
    times: Vec<f64>,
    values: Vec<f64>,
    stride: usize,
    count: usize,
}

impl History {
    /// Of a run with so many outputs.
    pub fn new(outputs: usize) -> Self {
        Self { width: outputs, times: Vec::new(), values: Vec::new(), stride: 1, count: 0 }
    }

    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// All outputs at one of the instants.
    pub fn at(&self, instant: usize) -> &[f64] {
        &self.values[instant * self.width..][..self.width]
    }

    /// A row of the run.
    pub fn row(&mut self, t: f64, values: &[f64]) {
        if self.times.last().is_some_and(|last| t <= *last) {
            return;
        }
        self.count += 1;
        if !(self.count - 1).is_multiple_of(self.stride) {
            return;
        }
        if self.times.len() == LIMIT {
            self.thin();
        }
        self.times.push(t);
        self.values.extend_from_slice(values);
    }

    /// The end of a step. At an event modes change, a little sooner in one run than in another:
    /// outputs that jump there, such as `in_contact`, cannot be compared.
    pub fn step(&mut self, t: f64, values: &[f64], event: bool) {
        if !event {
            self.row(t, values);
        } else if t > 0.0 && self.times.last() == Some(&t) {
            self.times.pop();
            self.values.truncate(self.times.len() * self.width);
        }
    }

    fn thin(&mut self) {
        let kept = self.times.len().div_ceil(2);
        for i in 1..kept {
            self.times[i] = self.times[2 * i];
            self.values.copy_within(2 * i * self.width..(2 * i + 1) * self.width, i * self.width);
        }
        self.times.truncate(kept);
        self.values.truncate(kept * self.width);
        self.stride *= 2;
    }
}

/// Takes the outputs of another run at the instants of a history.
pub(super) struct Follower<'a> {
    of: &'a History,
    pub values: Vec<f64>,
    taken: usize,
    /// Progress before this run, and its part.
    share: (f64, f64),
    progress: &'a dyn Progress,
}

impl<'a> Follower<'a> {
    pub fn new(of: &'a History, share: (f64, f64), progress: &'a dyn Progress) -> Self {
        Self { of, values: Vec::with_capacity(of.values.len()), taken: 0, share, progress }
    }
}

impl Observer for Follower<'_> {
    fn row(&mut self, t: f64, values: &[f64], _orbits: &[[f64; 2]]) -> ControlFlow<()> {
        // Where a run stops is a row too, and none of the instants.
        let due = self.of.times.get(self.taken);
        if due.is_some_and(|due| (t - due).abs() <= 1e-12 * due) {
            self.values.extend_from_slice(values);
            self.taken += 1;
        }
        ControlFlow::Continue(())
    }

    fn instant(&self, row: u64) -> Option<f64> {
        Some(self.of.times.get(row as usize).copied().unwrap_or(f64::INFINITY))
    }

    fn progress(&mut self, t: f64, _end: f64) -> ControlFlow<()> {
        let last = self.of.times.last().copied().unwrap_or(t);
        let (before, part) = self.share;
        self.progress.report(before + part * (t / last).clamp(0.0, 1.0));
        if self.progress.is_cancelled() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}
