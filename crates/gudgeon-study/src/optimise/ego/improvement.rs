//! What is expected of a run: the improvement, and that it keeps the constraints.
//!
//! Of a surrogate with mean m and variance s² at x, and the best value f* so far, the expected
//! improvement is
//!
//!   EI = E[max(0, f* − Y)] = s h(z),   z = (f* − m)/s,   h(z) = φ(z) + z Φ(z)   (1)
//!
//! and the probability that a constraint with surrogate (m_g, s_g²) holds is
//!
//!   PF = Φ(−m_g/s_g)                                                            (2)
//!
//! Both by their logarithm, since EI itself is flat nought over most of the space; in the tail
//! h/φ = K/(|z| + K) with K of [`crate::design::normal`], free of the cancellation in (1).
//!
//! Where Y is the logarithm of the response, the improvement of the response itself is
//!
//!   E[max(0, e^f* − e^Y)] = e^f* Φ(z) − e^(m + s²/2) Φ(z − s)                     (3)
//!
//! and where Y is the negative logarithm of a response to be made large
//!
//!   E[max(0, e^−Y − e^−f*)] = e^(−m + s²/2) Φ(z + s) − e^−f* Φ(z)                 (4)
//!
//! References: Jones, Schonlau, Welch, *Efficient global optimization of expensive black-box
//! functions*, J. Global Optim. 13 (1998); Schonlau 1997 for (2).

use crate::design::normal;

/// What the objective that is modelled says about the response.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Modelled {
    /// The response itself, or its negative.
    #[default]
    Value,
    /// The logarithm of a response that is minimised.
    Logarithm,
    /// The negative logarithm of a response that is maximised.
    NegativeLogarithm,
}

impl Modelled {
    /// Expected improvement of the response, in its own unit: Eqs. (1), (3), (4).
    pub fn improvement(self, mean: f64, variance: f64, best: f64) -> f64 {
        let s = variance.max(0.0).sqrt();
        let z = if s > 0.0 { (best - mean) / s } else { f64::INFINITY.copysign(best - mean) };
        let cut = |x: f64| normal::distribution(x);
        let expected = match self {
            Self::Value => return expected_improvement(mean, variance, best),
            Self::Logarithm => {
                best.exp() * cut(z) - (mean + 0.5 * s * s).exp() * cut(z - s) // (3)
            }
            Self::NegativeLogarithm => {
                (0.5 * s * s - mean).exp() * cut(z + s) - (-best).exp() * cut(z) // (4)
            }
        };
        expected.max(0.0)
    }
}

/// E[max(0, f* − Y)], Eq. (1).
pub fn expected_improvement(mean: f64, variance: f64, best: f64) -> f64 {
    log_expected_improvement(mean, variance, best).exp()
}

/// ln EI; −∞ where there is nothing to gain for certain.
pub fn log_expected_improvement(mean: f64, variance: f64, best: f64) -> f64 {
    let s = variance.max(0.0).sqrt();
    if s == 0.0 {
        return (best - mean).max(0.0).ln();
    }
    let z = (best - mean) / s;
    let h = if z > -3.0 {
        (normal::density(z) + z * normal::distribution(z)).ln()
    } else {
        let k = normal::tail(-z);
        normal::log_density(z) + (k / (k - z)).ln()
    };
    s.ln() + h
}

/// ln PF, Eq. (2).
pub fn log_feasibility(mean: f64, variance: f64) -> f64 {
    let s = variance.max(0.0).sqrt();
    if s == 0.0 {
        return if mean <= 0.0 { 0.0 } else { f64::NEG_INFINITY };
    }
    normal::log_distribution(-mean / s)
}
