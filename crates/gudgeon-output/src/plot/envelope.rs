//! Streaming reduction of long series for plotting.
//!
//! The time range, known in advance, is cut into buckets. Each bucket keeps, per column, the first,
//! lowest, highest and last sample with their times. Drawn in order of time these four points give
//! the same picture as all samples, as long as a bucket is not wider than a pixel; a spike of a
//! single sample is never lost. Values that are not finite leave a gap in the line.

use super::axis::Range;

/// A value and its time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Peak {
    pub t: f64,
    pub value: f64,
}

/// The samples kept of one column in one bucket.
#[derive(Clone, Copy, Debug, Default)]
struct Bucket {
    /// First, lowest, highest, last.
    kept: Option<[Peak; 4]>,
    gap_before: bool,
    gap_after: bool,
}

impl Bucket {
    fn push(&mut self, sample: Peak) {
        if !sample.value.is_finite() {
            match self.kept {
                Some(_) => self.gap_after = true,
                None => self.gap_before = true,
            }
            return;
        }
        match &mut self.kept {
            None => self.kept = Some([sample; 4]),
            Some([first, lowest, highest, last]) => {
                if sample.t < first.t {
                    *first = sample;
                }
                if sample.value < lowest.value {
                    *lowest = sample;
                }
                if sample.value > highest.value {
                    *highest = sample;
                }
                if sample.t >= last.t {
                    *last = sample;
                }
            }
        }
    }

    /// This bucket and the next one in time as one; a gap between their samples is closed.
    fn joined(self, next: Bucket) -> Bucket {
        let kept = match (self.kept, next.kept) {
            (Some([first, low, high, _]), Some([_, next_low, next_high, last])) => {
                let lowest = if next_low.value < low.value { next_low } else { low };
                let highest = if next_high.value > high.value { next_high } else { high };
                Some([first, lowest, highest, last])
            }
            (one, None) | (None, one) => one,
        };
        let gap_before = self.gap_before || (self.kept.is_none() && next.gap_before);
        let gap_after = next.gap_after || (next.kept.is_none() && self.gap_after);
        Bucket { kept, gap_before, gap_after }
    }
}

/// Reduces several columns over one time range, with memory fixed by the number of buckets.
#[derive(Clone, Debug)]
pub struct Envelope {
    t0: f64,
    t1: f64,
    columns: usize,
    /// Bucket by bucket, all columns of a bucket together.
    buckets: Vec<Bucket>,
    seen: Range,
    /// Whether times beyond the range widen it.
    grows: bool,
}

impl Envelope {
    /// Buckets for a plot of the usual width: one per pixel where a growing range has just doubled,
    /// else more.
    pub const BUCKETS: usize = 1800;

    /// A reduction of `columns` series over [t0, t1].
    pub fn new(t0: f64, t1: f64, columns: usize) -> Envelope {
        Envelope::with_buckets(t0, t1, columns, Envelope::BUCKETS)
    }

    /// As [`Envelope::new`], for runs that may end before or after `t1`: the range starts small and
    /// doubles as needed, so that at least half of the buckets are in use at any time.
    pub fn growing(t0: f64, t1: f64, columns: usize) -> Envelope {
        // Not so small that rounding of the times shows.
        let resolved = t0.abs() * 2.0_f64.powi(-40);
        let start = t0 + ((t1 - t0) / 2.0_f64.powi(40)).max(resolved);
        let grows = start > t0 && start.is_finite();
        let end = if grows { start } else { t1 };
        Envelope { grows, ..Envelope::new(t0, end, columns) }
    }

    pub fn with_buckets(t0: f64, t1: f64, columns: usize, buckets: usize) -> Envelope {
        let buckets = vec![Bucket::default(); buckets.max(1) * columns];
        Envelope { t0, t1, columns, buckets, seen: Range::EMPTY, grows: false }
    }

    /// The same with so many buckets, before the first sample.
    pub fn with_detail(self, buckets: usize) -> Envelope {
        let fresh = Envelope::with_buckets(self.t0, self.t1, self.columns, buckets);
        Envelope { grows: self.grows, ..fresh }
    }

    /// Adds the values at time `t`, one per column. Times may come in any order.
    pub fn push(&mut self, t: f64, values: &[f64]) {
        for (kept, value) in self.bucket(t).iter_mut().zip(values) {
            kept.push(Peak { t, value: *value });
        }
    }

    /// Adds a sample of one column, such as an extreme located between other samples.
    pub fn push_one(&mut self, column: usize, sample: Peak) {
        if let Some(kept) = self.bucket(sample.t).get_mut(column) {
            kept.push(sample);
        }
    }

    /// The bucket of a time, one entry per column; empty where there is none.
    fn bucket(&mut self, t: f64) -> &mut [Bucket] {
        if !t.is_finite() || self.columns == 0 {
            return &mut [];
        }
        self.seen.include(t);
        while self.grows && t > self.t1 {
            self.widen();
        }
        let count = self.buckets.len() / self.columns;
        // a float cast to an integer saturates; times outside the range go to the end buckets
        let part = (t - self.t0) / (self.t1 - self.t0);
        let index = ((part * count as f64) as usize).min(count - 1);
        &mut self.buckets[index * self.columns..][..self.columns]
    }

    /// Doubles the range by joining neighbouring buckets.
    fn widen(&mut self) {
        let (columns, count) = (self.columns, self.buckets.len() / self.columns);
        let at =
            |bucket: usize, column: usize| (bucket < count).then_some(bucket * columns + column);
        for bucket in 0..count {
            for column in 0..columns {
                let [first, second] = [2 * bucket, 2 * bucket + 1]
                    .map(|from| at(from, column).map_or(Bucket::default(), |i| self.buckets[i]));
                self.buckets[bucket * columns + column] = first.joined(second);
            }
        }
        self.t1 = self.t0 + 2.0 * (self.t1 - self.t0);
    }

    pub fn columns(&self) -> usize {
        self.columns
    }

    fn column(&self, column: usize) -> impl Iterator<Item = &Bucket> {
        self.buckets.chunks_exact(self.columns.max(1)).filter_map(move |b| b.get(column))
    }

    /// The times seen.
    pub(crate) fn times(&self) -> Range {
        self.seen
    }

    /// Whether a time lies between those seen.
    pub fn covers(&self, t: f64) -> bool {
        (self.seen.lo..=self.seen.hi).contains(&t)
    }

    /// The first time seen; not finite if there is none.
    pub fn start(&self) -> f64 {
        self.seen.lo
    }

    /// The last time seen; not finite if there is none.
    pub fn end(&self) -> f64 {
        self.seen.hi
    }

    /// The points of a column in order of time; one that is not a number stands for a gap.
    pub fn points(&self, column: usize) -> Vec<(f64, f64)> {
        self.runs(column).join(&(f64::NAN, f64::NAN))
    }

    /// The values of a column.
    pub(crate) fn values(&self, column: usize) -> Range {
        let mut range = Range::EMPTY;
        for [_, lowest, highest, _] in self.column(column).filter_map(|b| b.kept) {
            range.include(lowest.value);
            range.include(highest.value);
        }
        range
    }

    /// The points of a column in order of time, in runs separated by gaps.
    pub(crate) fn runs(&self, column: usize) -> Vec<Vec<(f64, f64)>> {
        let mut runs = Vec::new();
        let mut run: Vec<(f64, f64)> = Vec::new();
        for bucket in self.column(column) {
            if bucket.gap_before && !run.is_empty() {
                runs.push(std::mem::take(&mut run));
            }
            if let Some(mut kept) = bucket.kept {
                kept.sort_by(|a, b| a.t.total_cmp(&b.t));
                for Peak { t, value } in kept {
                    if run.last() != Some(&(t, value)) {
                        run.push((t, value));
                    }
                }
            }
            if bucket.gap_after && !run.is_empty() {
                runs.push(std::mem::take(&mut run));
            }
        }
        if !run.is_empty() {
            runs.push(run);
        }
        runs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spike_of_one_sample_is_kept() {
        let mut envelope = Envelope::with_buckets(0.0, 1.0, 1, 10);
        for i in 0..100_000 {
            let value = if i == 43_217 { 5e4 } else { (f64::from(i) * 0.01).sin() };
            envelope.push(f64::from(i) / 1e5, &[value]);
        }
        assert_eq!(envelope.values(0).hi, 5e4);
        assert!(envelope.runs(0)[0].contains(&(0.43217, 5e4)));
        assert!(envelope.runs(0)[0].len() <= 40);
    }

    #[test]
    fn few_samples_are_kept_as_they_are() {
        let mut envelope = Envelope::new(0.0, 1.0, 2);
        envelope.push(0.0, &[1.0, 2.0]);
        envelope.push(0.5, &[3.0, 4.0]);
        envelope.push(1.0, &[5.0, 6.0]);
        assert_eq!(envelope.runs(1), [[(0.0, 2.0), (0.5, 4.0), (1.0, 6.0)]]);
    }

    #[test]
    fn values_that_are_not_finite_leave_a_gap() {
        let mut envelope = Envelope::with_buckets(0.0, 1.0, 1, 100);
        for (t, v) in [(0.0, 1.0), (0.1, 1.0), (0.2, f64::NAN), (0.3, 2.0), (0.4, 2.0)] {
            envelope.push(t, &[v]);
        }
        assert_eq!(envelope.runs(0).len(), 2);
    }

    #[test]
    fn a_growing_range_fits_runs_of_any_length() {
        for end in [1e-9, 0.37, 1.0, 250.0] {
            let mut envelope = Envelope::growing(0.0, 1.0, 2);
            for i in 0..=20_000 {
                let t = end * f64::from(i) / 20_000.0;
                envelope.push(t, &[t, if i == 12_345 { -9.0 } else { f64::from(i % 7) }]);
            }
            assert_eq!(envelope.values(1).lo, -9.0);
            assert_eq!(envelope.values(0), Range { lo: 0.0, hi: end });
            let run = &envelope.runs(1)[0];
            assert!(run.windows(2).all(|pair| pair[0].0 <= pair[1].0));
            assert!(run.len() > Envelope::BUCKETS && run.len() <= 4 * Envelope::BUCKETS);
        }
    }

    #[test]
    fn samples_may_come_in_any_order() {
        let mut envelope = Envelope::with_buckets(0.0, 1.0, 1, 1);
        for (t, v) in [(0.2, 2.0), (0.8, 1.0), (0.1, 1.5), (0.5, 7.0), (0.4, -3.0)] {
            envelope.push(t, &[v]);
        }
        envelope.push_one(0, Peak { t: 0.6, value: 9.0 });
        assert_eq!(envelope.runs(0), [[(0.1, 1.5), (0.4, -3.0), (0.6, 9.0), (0.8, 1.0)]]);
    }

    #[test]
    fn a_short_window_late_in_a_run_is_resolved() {
        let (from, to) = (1000.0, 1000.0 + 1e-3);
        let mut envelope = Envelope::growing(from, to, 1);
        for i in 0..=10_000 {
            let t = from + 1e-3 * f64::from(i) / 1e4;
            envelope.push(t, &[f64::from(i)]);
        }
        assert!(envelope.runs(0)[0].len() > Envelope::BUCKETS);
    }

    #[test]
    fn odd_times_do_no_harm() {
        let mut envelope = Envelope::with_buckets(0.0, 0.0, 1, 4);
        for t in [0.0, -1.0, 7.0, f64::NAN, f64::INFINITY] {
            envelope.push(t, &[t]);
        }
        assert_eq!(envelope.values(0), Range { lo: -1.0, hi: 7.0 });
        assert!(Envelope::new(0.0, 1.0, 0).runs(0).is_empty());
    }
}
