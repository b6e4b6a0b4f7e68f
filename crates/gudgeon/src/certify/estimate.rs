//! The error of a run from two others of different tolerance.
//!
//! Let c, m, f be one number of a coarse, a middle and a fine run, each at a tenth of the tolerance of
//! the one before, with distances
//!
//!   d_cm = |c − m|,   d_cf = |c − f|,   d_mf = |m − f|,   ρ = d_mf/d_cm                       (1)
//!
//! ρ tells how the error falls. Where it goes on falling so, the fine run is off by the rest of a
//! geometric series, and the middle and the coarse one by
//!
//!   ε_f = d_mf ρ/(1 − ρ),   ε_m = d_mf + ε_f,   ε_c = max(d_cm, d_cf) + ε_f                   (2)
//!
//! Where the error does not fall, ρ ≥ 0.9 and ε_f = 9 d_mf: the runs may share an error that their
//! distances do not show. A safety factor is put on everything: two for histories, where d are the
//! largest distances up to an instant, and ten for single numbers, on which three runs may agree by
//! chance.

/// Smallest trust in the fall of the error.
const SLOWEST_FALL: f64 = 0.9;
/// Safety factors for histories and for single numbers.
pub(super) const OF_HISTORY: f64 = 2.0;
pub(super) const OF_NUMBER: f64 = 10.0;

/// Distances between three runs.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Distances {
    pub coarse_middle: f64,
    pub coarse_fine: f64,
    pub middle_fine: f64,
}

/// Which of the three runs is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Judged {
    Coarse,
    /// The middle or the fine one: neither is worse than the middle.
    Finer,
}

impl Distances {
    pub fn new([coarse, middle, fine]: [f64; 3]) -> Self {
        Self {
            coarse_middle: (coarse - middle).abs(),
            coarse_fine: (coarse - fine).abs(),
            middle_fine: (middle - fine).abs(),
        }
    }

    /// The larger of each.
    pub fn max(self, other: Self) -> Self {
        Self {
            coarse_middle: larger(self.coarse_middle, other.coarse_middle),
            coarse_fine: larger(self.coarse_fine, other.coarse_fine),
            middle_fine: larger(self.middle_fine, other.middle_fine),
        }
    }

    /// Equation (2) with a safety factor.
    pub fn error(&self, of: Judged, safety: f64) -> f64 {
        let Self { coarse_middle, coarse_fine, middle_fine } = *self;
        let fall = match middle_fine {
            0.0 => 0.0,
            _ => (middle_fine / coarse_middle).min(SLOWEST_FALL),
        };
        let rest = middle_fine * fall / (1.0 - fall);
        safety
            * match of {
                Judged::Coarse => larger(coarse_middle, coarse_fine) + rest,
                Judged::Finer => middle_fine + rest,
            }
    }
}

/// A value that is not a number is larger than any other.
fn larger(a: f64, b: f64) -> f64 {
    if a >= b || a.is_nan() { a } else { b }
}

/// More digits are never claimed: rounding adds up in all runs alike.
const MOST: f64 = 13.0;

/// Decimal digits that an error leaves of a number.
pub(super) fn digits(error: f64, of: f64) -> f64 {
    if error == 0.0 {
        return MOST;
    }
    let digits = -(error / of).abs().log10();
    if digits.is_nan() { 0.0 } else { digits.clamp(0.0, MOST) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_falling_error_is_bounded_and_not_by_much() {
        for fall in [0.01, 0.1, 0.3, 0.6, 0.85] {
            let truth = 3.0;
            let runs = [0, 1, 2].map(|i| truth + 1e-3 * f64::powi(fall, i));
            let found = Distances::new(runs);
            let coarse = found.error(Judged::Coarse, OF_HISTORY) / 1e-3;
            assert!((1.0..3.0).contains(&coarse), "{fall}: {coarse}");
            let fine = found.error(Judged::Finer, OF_HISTORY) / (1e-3 * fall * fall);
            assert!(fine >= 1.0, "{fall}: {fine}");
        }
    }

    #[test]
    fn an_error_that_does_not_fall_is_taken_as_far_larger_than_the_distances() {
        let found = Distances::new([1.0, 1.001, 1.002]);
        assert!(found.error(Judged::Coarse, OF_HISTORY) > 10.0 * 1e-3, "{found:?}");
    }

    #[test]
    fn what_is_not_a_number_has_no_digits() {
        assert_eq!(digits(f64::NAN, 1.0), 0.0);
        assert_eq!(digits(0.0, 0.0), MOST);
        assert_eq!(digits(1.0, 0.0), 0.0);
        let found = Distances::new([1.0, f64::NAN, 1.0]).max(Distances::default());
        assert_eq!(digits(found.error(Judged::Coarse, OF_HISTORY), 1.0), 0.0);
    }
}
