//! The scale on which an objective is modelled: a Kriging model wants values that vary alike everywhere.
//!
//! The values y of an objective f with lowest value a so far are
//!
//!   y = ln(1 + (f − a)/b)                                                       (1)
//!
//! proportional to f within b above the lowest, logarithmic beyond, so that a few huge values far away
//! do not hide the differences where it matters. b is a power of ten of the range of f, or infinite,
//! y = f, whichever makes the samples most likely; in terms of f,
//!
//!   ln 𝓛_f = ln 𝓛_y + Σ ln |dy/df|,   dy/df = 1/(b + f − a)                        (2)
//!
//! An improvement in y is one in f, since (1) grows with f. References: Box, Cox, *An analysis of
//! transformations*, J. Roy. Stat. Soc. B 26 (1964); Snelson et al., *Warped Gaussian processes*,
//! NIPS 16 (2004).

use super::data::Data;
use super::fits::GROWTH;
use super::improvement::Modelled;
use super::{Fit, Surrogate};
use crate::optimise::Individual;

/// b of (1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Warp {
    Linear,
    /// b is the range of f over ten to the power of this.
    Logarithm(i32),
}

/// Powers that are tried.
const POWERS: std::ops::RangeInclusive<i32> = 0..=6;
/// A warp must make the samples e⁴ times as likely as none does.
const EARNED: f64 = 4.0;
/// One sample in so many lies within b above the lowest.
const REACHED: usize = 5;

/// (1) for given values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Scale {
    pub lowest: f64,
    /// b, infinite where y = f.
    pub width: f64,
}

impl Warp {
    fn all() -> impl Iterator<Item = Self> {
        std::iter::once(Self::Linear).chain(POWERS.map(Self::Logarithm))
    }

    /// Whether no other lies between the two.
    fn is_near(self, other: Self) -> bool {
        let place = |warp: Self| Self::all().position(|w| w == warp).unwrap_or(0);
        place(self).abs_diff(place(other)) <= 1
    }

    /// Whether b reaches so many samples above the lowest that it is not an outlier of (1); the
    /// likelihood of fewer grows without bound as b falls to zero.
    fn is_wide_enough(self, values: &[f64]) -> bool {
        let mut sorted: Vec<f64> = values.iter().copied().filter(|f| f.is_finite()).collect();
        sorted.sort_by(f64::total_cmp);
        let among = (sorted.len() / REACHED).max(2);
        let scale = self.scale(&sorted);
        sorted.get(among).is_some_and(|f| scale.width >= f - scale.lowest)
    }

    /// `values` are finite.
    pub fn scale(self, values: &[f64]) -> Scale {
        let lowest = values.iter().copied().fold(f64::INFINITY, f64::min);
        let highest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let width = match self {
            Self::Logarithm(power) if highest > lowest => (highest - lowest) * 0.1f64.powi(power),
            _ => f64::INFINITY,
        };
        Scale { lowest, width }
    }
}

impl Scale {
    /// (1)
    pub fn of(&self, f: f64) -> f64 {
        if self.width.is_infinite() { f } else { ((f - self.lowest) / self.width).ln_1p() }
    }

    /// Expected improvement of the response in its own unit.
    pub fn improvement(&self, modelled: Modelled, mean: f64, variance: f64, best: f64) -> f64 {
        if self.width.is_infinite() {
            return modelled.improvement(mean, variance, best);
        }
        // f = a − b + b e^y
        self.width * Modelled::Logarithm.improvement(mean, variance, best)
    }

    /// Σ ln |dy/df| of (2).
    pub fn log_slopes(&self, values: &[f64]) -> f64 {
        if self.width.is_infinite() {
            return 0.0;
        }
        -values.iter().map(|f| (self.width + f - self.lowest).ln()).sum::<f64>()
    }
}

/// The warp that makes the samples most likely, chosen again when they have grown by a tenth. Later
/// choices go one step at most.
pub(super) struct Choice {
    warp: Warp,
    /// Samples when it was chosen.
    samples: usize,
}

impl Default for Choice {
    fn default() -> Self {
        Self { warp: Warp::Linear, samples: 0 }
    }
}

impl Choice {
    pub fn update<S: Surrogate, E>(&mut self, runs: &[Individual], fit: &mut Fit<S, E>) -> Warp {
        if (runs.len() as f64) < GROWTH * self.samples as f64 {
            return self.warp;
        }
        let objective: Vec<f64> = runs.iter().map(Individual::objective).collect();
        let tried: Vec<Warp> = match self.samples {
            0 => Warp::all().collect(),
            _ => Warp::all().filter(|warp| warp.is_near(self.warp)).collect(),
        };
        self.samples = runs.len();
        // Where none is wide enough any more, the widest is the step to take.
        self.warp = tried[0];
        let mut best = f64::NEG_INFINITY;
        for warp in tried.into_iter().filter(|warp| warp.is_wide_enough(&objective)) {
            let earned = if warp == Warp::Linear { EARNED } else { 0.0 };
            let Some(found) = Data::of(runs, warp).log_likelihood(fit) else { continue };
            if found + earned > best {
                (best, self.warp) = (found + earned, warp);
            }
        }
        self.warp
    }
}
