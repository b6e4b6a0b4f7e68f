//! From values to verdicts.
//!
//! Against an independent reference a value agrees or differs; against the printed value it is
//! reproduced or not. A value that has both is judged by the reference. A statement of the text is
//! reproduced when it holds for every series of runs it is tested on, and depends on what the paper
//! leaves open when it holds for some of them only.

use serde::Deserialize;

use super::reference::{Claim, Holds, Row};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The independent reference is met within its tolerance.
    Agrees,
    /// The independent reference is not met: a fault of the program.
    Differs,
    /// The paper's value is met as closely as stated.
    Reproduced,
    /// The paper's value is not met; a note says why.
    NotReproduced,
    /// True or not, depending on what the paper does not say.
    Depends,
    /// The run failed or has no such value.
    Failed,
}

impl Verdict {
    pub fn words(self) -> &'static str {
        match self {
            Verdict::Agrees => "agrees",
            Verdict::Differs => "differs",
            Verdict::Reproduced => "reproduced",
            Verdict::NotReproduced => "not reproduced",
            Verdict::Depends => "depends",
            Verdict::Failed => "failed",
        }
    }
}

/// Judges a value against reference and print, whichever there is.
pub fn judge(row: &Row, value: f64, printed: Option<f64>, reference: Option<f64>) -> Verdict {
    if let Some(reference) = reference
        && let Some(bound) = row.bound(reference)
    {
        let error = (value - reference).abs();
        return if error <= bound { Verdict::Agrees } else { Verdict::Differs };
    }
    let Some(printed) = printed else { return Verdict::Failed };
    let ratio = value / printed;
    let near = match (row.within, row.factor) {
        (Some(within), _) => (ratio - 1.0).abs() <= within,
        (None, Some(factor)) => (1.0 / factor..=factor).contains(&ratio),
        (None, None) => return Verdict::Failed,
    };
    if near { Verdict::Reproduced } else { Verdict::NotReproduced }
}

/// The figure that sums up a series for its statement, and whether it holds.
pub fn test(claim: &Claim, series: &[f64]) -> (f64, bool) {
    let (first, last) = (series[0], series[series.len() - 1]);
    let least = series.iter().copied().fold(f64::INFINITY, f64::min);
    let largest = series.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let bound = claim.bound.unwrap_or(f64::NAN);
    match claim.holds {
        Holds::Rises => (last / first, series.windows(2).all(|pair| pair[1] > pair[0])),
        Holds::Falls => (last / first, series.windows(2).all(|pair| pair[1] < pair[0])),
        Holds::Constant => (largest / least, largest / least <= bound),
        Holds::AtLeast => (least, least >= bound),
        Holds::AtMost => (largest, largest <= bound),
    }
}

/// The verdict on a statement from whether it holds for each series.
pub fn judge_claim(holds: &[bool]) -> Verdict {
    match holds.iter().filter(|holds| **holds).count() {
        0 => Verdict::NotReproduced,
        all if all == holds.len() => Verdict::Reproduced,
        _ => Verdict::Depends,
    }
}
