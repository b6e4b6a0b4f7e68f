//! How far a study is, and how long it will take.

use std::collections::VecDeque;
use std::time::Duration;

use crate::store::{Record, SampleOutcome};

/// Samples the pace is taken from, at most and at least.
const RECENT: usize = 200;
const ENOUGH: usize = 3;
/// Share of the shortest and of the longest samples that the pace leaves out.
const TRIM: f64 = 0.1;

/// The state of a study after a sample was saved.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    /// Finished samples, those of earlier sessions and failed ones among them.
    pub done: usize,
    pub total: usize,
    /// Finished samples without values, those that timed out among them.
    pub failed: usize,
    /// `None` until a few samples have been run.
    pub seconds_left: Option<f64>,
    /// The sample just saved; `None` at the start.
    pub sample: Option<&'a Record>,
}

pub(super) struct Counter {
    total: usize,
    done: usize,
    failed: usize,
    resumed: usize,
    pub threads: usize,
    /// Wall times of the latest samples, s.
    recent: VecDeque<f64>,
}

impl Counter {
    pub fn new<'a>(
        total: usize,
        threads: usize,
        finished: impl Iterator<Item = &'a SampleOutcome>,
    ) -> Self {
        let recent = VecDeque::with_capacity(RECENT);
        let mut counter = Self { total, done: 0, failed: 0, resumed: 0, threads, recent };
        finished.for_each(|outcome| counter.count(outcome));
        counter.resumed = counter.done;
        counter
    }

    /// Samples finished in this session.
    pub fn run(&self) -> usize {
        self.done - self.resumed
    }

    pub fn add(&mut self, outcome: &SampleOutcome, wall: Duration) {
        self.count(outcome);
        if self.recent.len() == RECENT {
            self.recent.pop_front();
        }
        self.recent.push_back(wall.as_secs_f64());
    }

    fn count(&mut self, outcome: &SampleOutcome) {
        self.done += 1;
        self.failed += usize::from(!outcome.is_done());
    }

    pub fn progress<'a>(&self, sample: Option<&'a Record>) -> Progress<'a> {
        let left = (self.total - self.done) as f64;
        let seconds_left =
            trimmed_mean(&self.recent).map(|pace| pace * left / self.threads.max(1) as f64);
        Progress { done: self.done, total: self.total, failed: self.failed, seconds_left, sample }
    }
}

/// Mean without the extremes: one endless sample does not spoil the estimate, and unlike a median it
/// counts that some samples take longer.
fn trimmed_mean(times: &VecDeque<f64>) -> Option<f64> {
    if times.len() < ENOUGH {
        return None;
    }
    let mut sorted: Vec<f64> = times.iter().copied().collect();
    sorted.sort_by(f64::total_cmp);
    let cut = (TRIM * sorted.len() as f64).ceil() as usize;
    let kept = &sorted[cut..sorted.len() - cut];
    Some(kept.iter().sum::<f64>() / kept.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counter_after(times: &[f64]) -> Counter {
        let mut counter = Counter::new(100, 2, [].into_iter());
        for &time in times {
            counter.add(&SampleOutcome::Done(vec![]), Duration::from_secs_f64(time));
        }
        counter
    }

    #[test]
    fn time_left_of_equal_samples() {
        assert_eq!(counter_after(&[0.5; 2]).progress(None).seconds_left, None);
        let left = counter_after(&[0.5; 20]).progress(None).seconds_left.expect("enough");
        assert!((left - 0.5 * 80.0 / 2.0).abs() < 1e-9);
    }

    #[test]
    fn one_endless_sample_does_not_spoil_the_estimate() {
        let mut times = [0.5; 20];
        times[7] = 1e6;
        let left = counter_after(&times).progress(None).seconds_left.expect("enough");
        assert!((left - 20.0).abs() < 1e-9);
    }

    #[test]
    fn failures_and_earlier_samples_count() {
        let earlier = [SampleOutcome::Done(vec![]), SampleOutcome::Failed("no".into())];
        let mut counter = Counter::new(10, 1, earlier.iter());
        counter.add(&SampleOutcome::TimedOut { limit: 1.0 }, Duration::from_secs(1));
        let progress = counter.progress(None);
        assert_eq!((progress.done, progress.failed, counter.run()), (3, 2, 1));
    }
}
