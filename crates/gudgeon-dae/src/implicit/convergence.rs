//! Whether an iteration converges.
//!
//! Corrections alternate where positions and velocities are corrected in turn, so the rate is a
//! mean over two of them.

/// An iteration slower than this is given up.
const HOPELESS: f64 = 0.95;
/// No iteration is trusted to converge faster than this: the first correction is not typical.
const LEAST_RATE: f64 = 0.1;
/// A first correction below this fraction of the tolerance needs no second.
const NOTHING: f64 = 1e-3;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    GoOn,
    Done,
    Hopeless,
}

/// Sizes of the last corrections.
#[derive(Clone, Copy, Debug)]
pub(super) struct Convergence {
    tolerance: f64,
    limit: i32,
    count: i32,
    before: f64,
    earlier: f64,
    pub rate: f64,
    /// Whether corrections shrink by a steady rate, so that the first ones tell the end.
    steady: bool,
}

impl Convergence {
    /// At most `limit` corrections, to an error of `tolerance`.
    pub fn new(tolerance: f64, limit: usize) -> Self {
        let (before, earlier) = (f64::INFINITY, f64::INFINITY);
        Self { tolerance, limit: limit as i32, count: 0, before, earlier, rate: 0.0, steady: true }
    }

    /// The same for an iteration with new tangents every time, which may begin badly and end fast.
    pub fn of_newton(tolerance: f64, limit: usize) -> Self {
        Self { steady: false, ..Self::new(tolerance, limit) }
    }

    /// Corrections so far.
    pub fn count(&self) -> i32 {
        self.count
    }

    /// Largest factor on the next step: one that is hard to solve must not grow until it fails.
    pub fn growth(&self) -> f64 {
        match 10 * self.count / self.limit {
            0..=4 => f64::INFINITY,
            5..=6 => 1.0,
            _ => 0.7,
        }
    }

    /// Takes the size of a correction.
    pub fn judge(&mut self, change: f64) -> Verdict {
        self.count += 1;
        self.rate = match self.count {
            1 => 0.0,
            2 => change / self.before,
            _ => (change / self.earlier).sqrt(),
        };
        (self.earlier, self.before) = (self.before, change);
        if !change.is_finite() {
            return Verdict::Hopeless;
        }
        if self.count == 1 {
            let done = change <= NOTHING * self.tolerance;
            return if done { Verdict::Done } else { Verdict::GoOn };
        }
        let rate = self.rate.max(LEAST_RATE);
        let error = change * rate / (1.0 - rate).max(0.1);
        let left = self.limit - self.count;
        if error <= self.tolerance {
            Verdict::Done
        } else if left <= 0
            || (self.steady
                && self.count > 2
                && (rate > HOPELESS || error * rate.powi(left) > self.tolerance))
        {
            Verdict::Hopeless
        } else {
            Verdict::GoOn
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alternating_corrections_converge() {
        let mut judge = Convergence::new(1e-12, 16);
        for change in [2e-4, 7e-6, 4e-11, 3e-11] {
            assert_eq!(judge.judge(change), Verdict::GoOn);
        }
        assert_eq!(judge.judge(8e-15), Verdict::Done);
    }

    #[test]
    fn newton_may_begin_badly() {
        let mut judge = Convergence::of_newton(1e-12, 16);
        for change in [6e-5, 1e-4, 3e-5, 2e-6, 1e-8] {
            assert_eq!(judge.judge(change), Verdict::GoOn);
        }
        assert_eq!(judge.judge(1e-15), Verdict::Done);
    }

    #[test]
    fn slow_ones_are_given_up() {
        let mut judge = Convergence::new(1e-12, 16);
        assert_eq!(judge.judge(1.0), Verdict::GoOn);
        assert_eq!(judge.judge(0.5), Verdict::GoOn);
        assert_eq!(judge.judge(0.25), Verdict::Hopeless);
        assert_eq!(judge.judge(f64::NAN), Verdict::Hopeless);
    }
}
