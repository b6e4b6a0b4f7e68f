//! Tolerances as distributions: what a manufactured dimension may be.
//!
//! Each is given by its quantile function, so that independent points, Latin hypercubes and Sobol'
//! points of the unit cube all turn into samples of it. With Φ the normal distribution:
//!
//!   uniform      a + u (b − a)
//!   normal       m + s Φ⁻¹(u)
//!   truncated    m + s Φ⁻¹(Φ_a + u (Φ_b − Φ_a)),   Φ_a = Φ((a − m)/s), Φ_b likewise
//!   triangular   a + √(u (b − a)(c − a))           below the mode c: u < (c − a)/(b − a)
//!                b − √((1 − u)(b − a)(b − c))      above

use super::normal;

/// A distribution of one variable, in the unit of the variable.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Distribution {
    Uniform {
        low: f64,
        high: f64,
    },
    Normal {
        mean: f64,
        deviation: f64,
    },
    /// A normal distribution of which only [low, high] passes inspection; either end may be infinite.
    Truncated {
        mean: f64,
        deviation: f64,
        low: f64,
        high: f64,
    },
    Triangular {
        low: f64,
        mode: f64,
        high: f64,
    },
}

/// What is wrong with a distribution.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum DistributionError {
    #[error("a distribution needs finite numbers")]
    NotFinite,
    #[error("the range from {low} to {high} is empty or inverted")]
    Range { low: f64, high: f64 },
    #[error("the standard deviation must be positive, not {deviation}")]
    Deviation { deviation: f64 },
    #[error("the mode {mode} lies outside {low} to {high}")]
    Mode { mode: f64, low: f64, high: f64 },
    #[error("the limits {low} to {high} lie so far from the mean {mean} that nothing passes")]
    NothingPasses { mean: f64, low: f64, high: f64 },
}

/// Points on the border of the cube are moved in by this much, so that no sample is infinite.
const BORDER: f64 = 1.0 / (1u64 << 53) as f64;

impl Distribution {
    /// The smallest and largest value; `None` where one of them is infinite.
    pub fn bounds(&self) -> Option<(f64, f64)> {
        match *self {
            Self::Uniform { low, high }
            | Self::Truncated { low, high, .. }
            | Self::Triangular { low, high, .. } => {
                (low.is_finite() && high.is_finite()).then_some((low, high))
            }
            Self::Normal { .. } => None,
        }
    }

    /// The most likely value, or the middle.
    pub fn middle(&self) -> f64 {
        match *self {
            Self::Uniform { low, high } => low + 0.5 * (high - low),
            Self::Normal { mean, .. } | Self::Truncated { mean, .. } => mean,
            Self::Triangular { mode, .. } => mode,
        }
    }

    /// Checks the numbers.
    pub fn check(&self) -> Result<(), DistributionError> {
        let finite = |numbers: &[f64]| numbers.iter().all(|x| x.is_finite());
        match *self {
            Self::Uniform { low, high } if !finite(&[low, high]) => {
                Err(DistributionError::NotFinite)
            }
            Self::Triangular { low, mode, high } if !finite(&[low, mode, high]) => {
                Err(DistributionError::NotFinite)
            }
            Self::Normal { mean, deviation } | Self::Truncated { mean, deviation, .. }
                if !finite(&[mean, deviation]) =>
            {
                Err(DistributionError::NotFinite)
            }
            Self::Normal { deviation, .. } | Self::Truncated { deviation, .. }
                if deviation <= 0.0 =>
            {
                Err(DistributionError::Deviation { deviation })
            }
            Self::Uniform { low, high }
            | Self::Truncated { low, high, .. }
            | Self::Triangular { low, high, .. }
                if low.is_nan() || high.is_nan() || low >= high =>
            {
                Err(DistributionError::Range { low, high })
            }
            Self::Triangular { low, mode, high } if !(low..=high).contains(&mode) => {
                Err(DistributionError::Mode { mode, low, high })
            }
            Self::Truncated { mean, deviation, low, high }
                if !passes(low - mean, high - mean, deviation) =>
            {
                Err(DistributionError::NothingPasses { mean, low, high })
            }
            _ => Ok(()),
        }
    }

    /// The value below which the share `u` of all samples lies, 0 ≤ u ≤ 1. Never infinite: the normal
    /// distribution is cut at ± 8.2 standard deviations. Rises with u.
    pub fn quantile(&self, u: f64) -> f64 {
        match *self {
            Self::Uniform { low, high } => (low + u * (high - low)).clamp(low, high),
            Self::Normal { mean, deviation } => {
                mean + deviation * normal::quantile(u.clamp(BORDER, 1.0 - BORDER))
            }
            Self::Truncated { mean, deviation, low, high } => {
                let u = u.clamp(BORDER, 1.0 - BORDER);
                let z = truncated((low - mean) / deviation, (high - mean) / deviation, u);
                (mean + deviation * z).clamp(low, high)
            }
            Self::Triangular { low, mode, high } => {
                let width = high - low;
                if u * width < mode - low {
                    (low + (u * width * (mode - low)).sqrt()).min(mode)
                } else {
                    (high - ((1.0 - u) * width * (high - mode)).sqrt()).max(mode)
                }
            }
        }
    }
}

fn passes(low: f64, high: f64, deviation: f64) -> bool {
    let (a, b) = if low > 0.0 { (-high, -low) } else { (low, high) };
    normal::distribution(b / deviation) > normal::distribution(a / deviation)
}

/// The truncated quantile in standard units; an interval in the upper tail is mirrored into the
/// lower one, where Φ is precise.
fn truncated(a: f64, b: f64, u: f64) -> f64 {
    if a > 0.0 {
        return -truncated(-b, -a, 1.0 - u);
    }
    let (below, upto) = (normal::distribution(a), normal::distribution(b));
    let share = (below + u * (upto - below)).min(1.0 - BORDER);
    normal::quantile(share).clamp(a, b)
}

/// Turns points of the unit cube into samples of the distributions, one per coordinate.
pub fn samples(points: &[Vec<f64>], distributions: &[Distribution]) -> Vec<Vec<f64>> {
    let row = |p: &Vec<f64>| p.iter().zip(distributions).map(|(&u, d)| d.quantile(u)).collect();
    points.iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{latin_random, sobol};
    use super::*;

    const ALL: [Distribution; 5] = [
        Distribution::Uniform { low: -1.0, high: 3.0 },
        Distribution::Normal { mean: 10.0, deviation: 0.5 },
        Distribution::Truncated { mean: 10.0, deviation: 0.5, low: 9.5, high: f64::INFINITY },
        Distribution::Truncated { mean: 0.0, deviation: 1.0, low: 6.0, high: 7.0 },
        Distribution::Triangular { low: 0.0, mode: 1.0, high: 4.0 },
    ];

    #[test]
    fn quantiles_rise_and_stay_finite_on_the_border() {
        for d in ALL {
            d.check().unwrap();
            let values: Vec<f64> = (0..=1000).map(|i| d.quantile(i as f64 / 1000.0)).collect();
            assert!(values.windows(2).all(|w| w[0] < w[1]), "{d:?}");
            assert!(values.iter().all(|x| x.is_finite()));
        }
    }

    /// Mean and deviation against the formulas of the textbooks. A Latin hypercube of 10⁵ points
    /// integrates a smooth quantile to about 1e-5 of its range.
    #[test]
    fn means_and_deviations() {
        let points = latin_random(100_000, 1, 1).unwrap();
        // Half-normal: mean m + s √(2/π), variance s² (1 − 2/π).
        let half = Distribution::Truncated { mean: 2.0, deviation: 3.0, low: 2.0, high: 1e9 };
        let pi = std::f64::consts::PI;
        for (d, mean, variance) in [
            (ALL[0], 1.0, 16.0 / 12.0),
            (ALL[1], 10.0, 0.25),
            (half, 2.0 + 3.0 * (2.0 / pi).sqrt(), 9.0 * (1.0 - 2.0 / pi)),
            // Triangular: (a + b + c)/3 and (a² + b² + c² − ab − ac − bc)/18.
            (ALL[4], 5.0 / 3.0, (16.0 + 1.0 - 4.0) / 18.0),
        ] {
            let x = samples(&points, &[d]);
            let n = x.len() as f64;
            let m = x.iter().map(|r| r[0]).sum::<f64>() / n;
            let v = x.iter().map(|r| (r[0] - m).powi(2)).sum::<f64>() / n;
            assert!((m - mean).abs() < 1e-4, "{d:?}: {m}");
            assert!((v / variance - 1.0).abs() < 1e-3, "{d:?}: {v}");
        }
    }

    #[test]
    fn an_interval_far_in_the_tail_keeps_its_precision() {
        // P(X > 6.5 | 6 < X < 7) = (Q(6.5) − Q(7)) / (Q(6) − Q(7)), by erfc.
        let q = |x: f64| normal::distribution(-x);
        let u = 1.0 - (q(6.5) - q(7.0)) / (q(6.0) - q(7.0));
        assert!((ALL[3].quantile(u) - 6.5).abs() < 1e-10);
    }

    #[test]
    fn sobol_points_serve_tolerances() {
        let points = sobol(4096, 2, Some(1)).unwrap();
        let x = samples(&points, &[ALL[1], ALL[4]]);
        let mean = x.iter().map(|r| r[0]).sum::<f64>() / 4096.0;
        assert!((mean - 10.0).abs() < 1e-3);
    }

    #[test]
    fn nonsense_is_refused() {
        let wrong = |d: Distribution| d.check().unwrap_err().to_string();
        let message = wrong(Distribution::Normal { mean: 1.0, deviation: 0.0 });
        assert_eq!(message, "the standard deviation must be positive, not 0");
        let message = wrong(Distribution::Uniform { low: 2.0, high: 1.0 });
        assert_eq!(message, "the range from 2 to 1 is empty or inverted");
        let message = wrong(Distribution::Triangular { low: 0.0, mode: 2.0, high: 1.0 });
        assert_eq!(message, "the mode 2 lies outside 0 to 1");
        let far = Distribution::Truncated { mean: 0.0, deviation: 1e-3, low: 1.0, high: 2.0 };
        assert!(matches!(far.check(), Err(DistributionError::NothingPasses { .. })));
        let bad = Distribution::Uniform { low: f64::NAN, high: 1.0 };
        assert!(matches!(bad.check(), Err(DistributionError::NotFinite)));
    }
}
