//! The standard normal distribution: density φ, distribution Φ, quantile Φ⁻¹.
//!
//!   φ(x) = e^{−x²/2} / √(2π),   Φ(x) = ½ erfc(−x/√2)                            (1)
//!
//! The quantile starts from the rational approximation 26.2.23 of Abramowitz and Stegun (error
//! 4.5e-4) and takes two steps of Halley's rule, third order each, on Φ(x) − u:
//!
//!   x ← x − e / (1 + ½ x e),   e = (Φ(x) − u) / φ(x)                            (2)
//!
//! always in the lower tail, where (1) has full relative precision.
//!
//! Far below the mean, Φ(−x)/φ(x) is the continued fraction
//!
//!   1/(x + K),   K = 1/(x + 2/(x + 3/(x + …)))                                  (3)

use std::f64::consts::{FRAC_1_SQRT_2, PI};

/// φ(x).
pub fn density(x: f64) -> f64 {
    (-0.5 * x * x).exp() / (2.0 * PI).sqrt()
}

/// Φ(x), to full relative precision in the lower tail.
pub fn distribution(x: f64) -> f64 {
    0.5 * libm::erfc(-x * FRAC_1_SQRT_2)
}

/// ln Φ(x), finite where Φ itself is too small for a number.
pub fn log_distribution(x: f64) -> f64 {
    if x > -10.0 { distribution(x).ln() } else { log_density(x) - (-x + tail(-x)).ln() }
}

/// ln φ(x).
pub fn log_density(x: f64) -> f64 {
    -0.5 * x * x - 0.5 * (2.0 * PI).ln()
}

/// K of (3), x ≥ 2; 200 terms leave less than 1e-15.
pub fn tail(x: f64) -> f64 {
    (2..200).rev().fold(x, |below, n| x + f64::from(n) / below).recip()
}

/// Φ⁻¹(u); −∞ at 0 and ∞ at 1.
pub fn quantile(u: f64) -> f64 {
    if u <= 0.0 {
        return f64::NEG_INFINITY;
    }
    if u >= 1.0 {
        return f64::INFINITY;
    }
    if u > 0.5 { -lower_quantile(1.0 - u) } else { lower_quantile(u) }
}

fn lower_quantile(u: f64) -> f64 {
    let t = (-2.0 * u.ln()).sqrt();
    let numerator = 2.515517 + t * (0.802853 + t * 0.010328);
    let denominator = 1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308));
    let mut x = numerator / denominator - t;
    for _ in 0..2 {
        let e = (distribution(x) - u) / density(x);
        x -= e / (1.0 + 0.5 * x * e); // (2)
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tabulated_quantiles() {
        // Percentage points from mpmath, 17 digits.
        for (u, x) in [
            (0.5, 0.0),
            (0.975, 1.959963984540054),
            (0.9, 1.2815515655446004),
            (0.001, -3.090232306167813),
            (1e-10, -6.361340902404056),
            (1e-300, -37.0471),
        ] {
            let tolerance = if u < 1e-200 { 1e-4 } else { 1e-14 };
            assert!(
                (quantile(u) - x).abs() <= tolerance * x.abs().max(1.0),
                "{u}: {}",
                quantile(u)
            );
        }
        assert_eq!(quantile(0.0), f64::NEG_INFINITY);
        assert_eq!(quantile(1.0), f64::INFINITY);
    }

    #[test]
    fn logarithms_agree_where_both_ways_exist_and_go_on_beyond() {
        for x in [-10.001, -12.0, -20.0, -37.0] {
            let direct = distribution(x).ln();
            assert!((log_distribution(x) / direct - 1.0).abs() < 1e-13, "{x}");
        }
        // Leading term of the asymptotic series: φ(x)/x.
        let far = -0.5e6 - 0.5 * (2.0 * PI).ln() - 1000f64.ln();
        assert!((log_distribution(-1000.0) / far - 1.0).abs() < 1e-11);
    }

    #[test]
    fn quantile_inverts_the_distribution_and_is_monotone() {
        let mut last = f64::NEG_INFINITY;
        for i in 1..2000 {
            let u = i as f64 / 2000.0;
            let x = quantile(u);
            assert!((distribution(x) - u).abs() < 2e-15, "{u}");
            assert!(x > last);
            last = x;
        }
    }
}
