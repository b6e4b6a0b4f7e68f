//! Period of a motion from its states once per period of excitation.
//!
//! A motion has period n if its states repeat after n samples,
//!
//!   d_n(k) = max_i |x_i(k + n) − x_i(k)| / s_i ≤ tolerance                              (1)
//!
//! for all k from some k₀ on; the smallest such n counts, and k₀ is the end of the transient. The
//! repetition must hold over two periods and a quarter of the sequence at least, so that a chaotic
//! motion that passes near a periodic one is not taken for it. What does not repeat is
//! quasi-periodic or chaotic, its period is longer than looked for, or its transient longer than the
//! sequence.

/// Scales are at least this part of the largest value: repetition cannot be finer than rounding.
const FLOOR: f64 = 1e-6;
/// Fewer samples tell nothing.
const SHORTEST: usize = 4;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PeriodOptions {
    /// Longest period looked for.
    pub longest: usize,
    /// Largest difference of states that count as equal, as a part of their scale.
    pub tolerance: f64,
}

impl Default for PeriodOptions {
    fn default() -> Self {
        Self { longest: 16, tolerance: 1e-3 }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Regime {
    Periodic {
        /// In periods of excitation.
        period: usize,
        /// Number of the first sample that repeats.
        transient: usize,
        /// Largest d_n from there on.
        mismatch: f64,
    },
    /// Quasi-periodic, chaotic, of a longer period, or not settled.
    NotFound,
}

/// What a sequence tells, and how far it was looked at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Verdict {
    pub samples: usize,
    /// Longest period looked for; 0 where the samples are too few for any.
    pub longest: usize,
    /// `None` if there are too few samples to tell.
    pub regime: Option<Regime>,
}

impl Verdict {
    /// Of periods as long as the samples allow, up to the usual longest one.
    pub fn of(states: &[Vec<f64>], scales: &[f64]) -> Result<Self, PeriodError> {
        let (samples, usual) = (states.len(), PeriodOptions::default());
        let longest = if samples < SHORTEST { 0 } else { usual.longest.min(samples / 3) };
        let options = PeriodOptions { longest, ..usual };
        let look = || detect(states, Some(scales), options);
        let regime = (longest > 0).then(look).transpose()?;
        Ok(Self { samples, longest, regime })
    }

    pub fn period(&self) -> Option<usize> {
        match self.regime? {
            Regime::Periodic { period, .. } => Some(period),
            Regime::NotFound => None,
        }
    }

    pub fn transient(&self) -> Option<usize> {
        match self.regime? {
            Regime::Periodic { transient, .. } => Some(transient),
            Regime::NotFound => None,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PeriodError {
    #[error("{samples} samples are too few to find periods up to {longest}: {needed} are needed")]
    TooShort { samples: usize, longest: usize, needed: usize },
    #[error("sample {sample} has {found} values instead of {expected}")]
    Ragged { sample: usize, found: usize, expected: usize },
    #[error("sample {sample} is not finite")]
    NotFinite { sample: usize },
}

/// Finds the period of a sequence of states. `scales` are natural sizes of their components, such as
/// their ranges within a period; without them the range of each over the sequence is taken.
pub fn detect(
    states: &[Vec<f64>],
    scales: Option<&[f64]>,
    options: PeriodOptions,
) -> Result<Regime, PeriodError> {
    check(states, options)?;
    let own = own_scales(states);
    let given = scales.unwrap_or(&own);
    // A component at rest has no range of its own.
    let scales: Vec<f64> = given.iter().zip(floors(states)).map(|(s, f)| s.max(f)).collect();
    let regime = (1..=options.longest).find_map(|n| repetition(states, &scales, n, options));
    Ok(regime.unwrap_or(Regime::NotFound))
}

/// Period n, if the end of the sequence repeats so.
fn repetition(
    states: &[Vec<f64>],
    scales: &[f64],
    n: usize,
    options: PeriodOptions,
) -> Option<Regime> {
    let differences: Vec<f64> =
        states.iter().zip(&states[n..]).map(|(a, b)| difference(a, b, scales)).collect();
    let equal = |d: &&f64| **d <= options.tolerance;
    let settled = differences.iter().rev().take_while(equal).count();
    if settled < required(states.len(), n) {
        return None;
    }
    let transient = differences.len() - settled;
    let mismatch = differences[transient..].iter().copied().fold(0.0, f64::max);
    Some(Regime::Periodic { period: n, transient, mismatch })
}

/// Equal pairs at the end of a sequence that make a period.
fn required(samples: usize, n: usize) -> usize {
    (2 * n).max(samples / 4)
}

/// d_n of one pair.
fn difference(a: &[f64], b: &[f64], scales: &[f64]) -> f64 {
    let parts = a.iter().zip(b).zip(scales);
    // A scale is zero only where all values are.
    parts.map(|((a, b), s)| if a == b { 0.0 } else { (b - a).abs() / s }).fold(0.0, f64::max)
}

fn own_scales(states: &[Vec<f64>]) -> Vec<f64> {
    let column = |i: usize| states.iter().map(move |state| state[i]);
    (0..states[0].len())
        .map(|i| column(i).fold(f64::MIN, f64::max) - column(i).fold(f64::MAX, f64::min))
        .collect()
}

fn floors(states: &[Vec<f64>]) -> Vec<f64> {
    let largest = |i: usize| states.iter().map(|state| state[i].abs()).fold(0.0, f64::max);
    (0..states[0].len()).map(|i| FLOOR * largest(i)).collect()
}

fn check(states: &[Vec<f64>], options: PeriodOptions) -> Result<(), PeriodError> {
    let (samples, longest) = (states.len(), options.longest);
    let needed = (3 * longest).max(SHORTEST);
    if samples < needed {
        return Err(PeriodError::TooShort { samples, longest, needed });
    }
    let expected = states[0].len();
    for (sample, state) in states.iter().enumerate() {
        if state.len() != expected {
            return Err(PeriodError::Ragged { sample, found: state.len(), expected });
        }
        if state.iter().any(|x| !x.is_finite()) {
            return Err(PeriodError::NotFinite { sample });
        }
    }
    Ok(())
}
