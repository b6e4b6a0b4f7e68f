//! Over singular positions.
//!
//! Where a mechanism passes a singular position a combination of rows becomes dependent, |uᵀG| = σ → 0,
//! and changes its sign behind it. Two branches cross there. The solution on either of them is smooth,
//! and so are the accelerations that follow from it, but g = 0 alone holds the branch by σ only: what
//! Newton's iteration leaves out is divided by σ, and it converges for steps shorter than a part of
//! the time that is left to the position. Ever shorter steps would never reach it. A step that cannot be
//! solved there, or not well enough, is therefore taken with the same size by an explicit method of order 8, which
//! knows the accelerations and lets the momentum decide on the branch, and judged by its own error
//! estimate. Behind the position the implicit method begins anew.

use super::{Implicit, ImplicitDae};
use crate::explicit::DRIFT_FRACTION;
use crate::options::{NEWTON_FRACTION, StepControl};
use crate::problem::{Fault, Stabilisation};

/// Rows with less hold than this (σ², over the size of the row) may keep a step from being solved, from
/// being solved well, and rounding from being harmless.
pub(super) const NEAR: f64 = 0.05;
pub(super) const NEARER: f64 = 1e-4;
pub(super) const LOSING: f64 = 1e-3;
/// Explicit steps that are tried for one implicit.
const PARTS: [u32; 5] = [1, 2, 3, 5, 8];
/// Largest error of a fixed step, over the scales: explicit steps may be unstable, and must not be.
const LARGEST: f64 = 1e-3;

impl Implicit {
    /// Takes the step by an explicit method; false where all rows have more hold than `limit`, or the
    /// explicit step is no good either.
    pub(super) fn leap<P: ImplicitDae>(&mut self, plant: &mut P, stop: f64, limit: f64) -> bool {
        if !self.work.metric.is_near(limit) {
            return false;
        }
        let (rtol, largest) = self.leap_tolerance();
        let Some(error) = self.cross(plant, rtol) else { return false };
        if error > largest {
            return false;
        }
        self.last.y1.copy_from_slice(&self.trial);
        if self.settle_leap(plant, stop, rtol).is_err() {
            return false;
        }
        self.forget();
        self.leapt = true;
        self.previous_error = 1.0;
        self.statistics.leaps += 1;
        true
    }

    /// Tolerance of explicit steps, and the largest error over it that is accepted.
    fn leap_tolerance(&self) -> (f64, f64) {
        match self.options.control {
            StepControl::Adaptive { rtol } => (rtol, 1.0),
            StepControl::Fixed { .. } => {
                let rtol = self.options.newton / NEWTON_FRACTION;
                (rtol, LARGEST / rtol)
            }
        }
    }

    /// Takes the last step again with another size, to an event inside it; false where the step stays as
    /// it is.
    pub(super) fn repeat_leap<P: ImplicitDae>(&mut self, plant: &mut P, h: f64) -> bool {
        let (rtol, largest) = self.leap_tolerance();
        let whole = std::mem::replace(&mut self.last.h, h);
        let good = self.cross(plant, rtol).is_some_and(|error| error <= largest);
        if good {
            std::mem::swap(&mut self.last.y1, &mut self.trial);
            if self.settle_leap(plant, f64::INFINITY, rtol).is_ok() {
                self.t = self.last.t + h;
                self.y.copy_from_slice(&self.last.y1);
                return true;
            }
            std::mem::swap(&mut self.last.y1, &mut self.trial);
        }
        self.last.h = whole;
        false
    }

    /// The end of the step by explicit ones, into `trial`, and their error over the tolerance: one where
    /// that is good enough, else as many as are best. A stage right at the position spoils a step, and
    /// other steps have their stages elsewhere.
    fn cross<P: ImplicitDae>(&mut self, plant: &mut P, rtol: f64) -> Option<f64> {
        let mut best: Option<(f64, u32)> = None;
        for parts in PARTS {
            let Ok(error) = self.cross_in(plant, rtol, parts) else { continue };
            if error <= 1.0 {
                return Some(error);
            }
            if best.is_none_or(|(least, _)| error < least) {
                best = Some((error, parts));
            }
        }
        self.cross_in(plant, rtol, best?.1).ok()
    }

    /// The same in so many steps.
    fn cross_in<P: ImplicitDae>(
        &mut self,
        plant: &mut P,
        rtol: f64,
        parts: u32,
    ) -> Result<f64, Fault> {
        let h = self.last.h / f64::from(parts);
        let mut worst = 0.0f64;
        self.trial.copy_from_slice(&self.last.y0);
        self.middle.copy_from_slice(&self.last.rates0);
        for part in 0..parts {
            let t = self.last.t + f64::from(part) * h;
            if part > 0 {
                plant.rates(t, &self.trial, &mut self.middle, Stabilisation::default())?;
                self.statistics.evaluations += 1;
            }
            let (from, scales) = ((&self.trial[..], &self.middle[..]), &self.work.scales);
            let error = self.explicit.leap(plant, t, from, scales, (h, rtol))?;
            self.statistics.evaluations +=
                std::mem::take(&mut self.explicit.statistics.evaluations);
            // Not f64::max, which would lose a NaN.
            worst = if error > worst || error.is_nan() { error } else { worst };
            self.trial.copy_from_slice(self.explicit.leapt());
        }
        if worst.is_finite() { Ok(worst) } else { Err(Fault::NotFinite { index: 0 }) }
    }

    /// Rates at the new point, after a projection where the constraints have drifted.
    fn settle_leap<P: ImplicitDae>(
        &mut self,
        plant: &mut P,
        stop: f64,
        rtol: f64,
    ) -> Result<(), Fault> {
        let (t, plain) = (self.end_time(stop), Stabilisation::default());
        plant.settle(t, &mut self.last.y1);
        plant.rates(t, &self.last.y1, &mut self.last.rates1, plain)?;
        let drift = plant.drift();
        if drift.position.max(drift.velocity) > DRIFT_FRACTION * rtol {
            plant.project(t, &mut self.last.y1)?;
            plant.settle(t, &mut self.last.y1);
            plant.rates(t, &self.last.y1, &mut self.last.rates1, plain)?;
            self.statistics.projections += 1;
        }
        self.current = true;
        Ok(())
    }

    /// (q, v, z) inside the last step.
    pub(super) fn inside(&self, theta: f64, out: &mut [f64]) {
        if !self.leapt {
            return self.scheme.inside(self.dims, &self.last, theta, self.accepted, out);
        }
        for i in 0..self.dims.q + self.dims.v + self.dims.z {
            out[i] = self.last.hermite(i, theta, self.last.rates0[i], self.last.rates1[i]);
        }
    }
}
