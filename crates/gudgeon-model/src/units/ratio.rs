//! Exact fractions for the exponents of units.

use std::fmt;

/// Largest numerator and denominator; wider exponents have no physical use.
const LIMIT: i128 = 1_000_000;

/// A reduced fraction with a positive denominator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ratio {
    numerator: i32,
    denominator: i32,
}

impl Ratio {
    pub const ZERO: Self = Self::whole(0);
    pub const ONE: Self = Self::whole(1);

    pub const fn whole(value: i32) -> Self {
        Self { numerator: value, denominator: 1 }
    }

    /// `None` for a zero denominator and for fractions beyond the limits.
    pub fn new(numerator: i128, denominator: i128) -> Option<Self> {
        if denominator == 0 {
            return None;
        }
        let divisor = gcd(numerator.unsigned_abs(), denominator.unsigned_abs()).max(1) as i128;
        let sign = denominator.signum();
        let (n, d) = (numerator / divisor * sign, denominator / divisor * sign);
        if n.abs() > LIMIT || d > LIMIT {
            return None;
        }
        Some(Self { numerator: n as i32, denominator: d as i32 })
    }

    /// The simplest fraction that is `value` to twelve digits: 1.5 → 3/2, 0.3333333333333 → 1/3.
    pub fn approximate(value: f64) -> Option<Self> {
        if value.is_nan() || value.abs() > LIMIT as f64 {
            return None;
        }
        // Convergents of the continued fraction, p/q and the one before.
        let (mut p, mut q) = (1_i128, 0_i128);
        let (mut p_before, mut q_before) = (0_i128, 1_i128);
        let mut rest = value;
        while q <= LIMIT {
            let digit = rest.floor();
            if digit.abs() > 1e12 {
                return None;
            }
            let digit_whole = digit as i128;
            (p, p_before) = (digit_whole * p + p_before, p);
            (q, q_before) = (digit_whole * q + q_before, q);
            if (p as f64 / q as f64 - value).abs() <= 1e-12 * value.abs().max(1.0) {
                return Self::new(p, q);
            }
            rest = 1.0 / (rest - digit);
        }
        None
    }

    pub fn is_zero(self) -> bool {
        self.numerator == 0
    }

    pub fn is_whole(self) -> bool {
        self.denominator == 1
    }

    pub fn is_negative(self) -> bool {
        self.numerator < 0
    }

    pub fn value(self) -> f64 {
        f64::from(self.numerator) / f64::from(self.denominator)
    }

    pub const fn negated(self) -> Self {
        Self { numerator: -self.numerator, denominator: self.denominator }
    }

    pub fn plus(self, other: Self) -> Option<Self> {
        let (a, b) = (self.wide(), other.wide());
        Self::new(a.0 * b.1 + b.0 * a.1, a.1 * b.1)
    }

    pub fn times(self, other: Self) -> Option<Self> {
        let (a, b) = (self.wide(), other.wide());
        Self::new(a.0 * b.0, a.1 * b.1)
    }

    fn wide(self) -> (i128, i128) {
        (i128::from(self.numerator), i128::from(self.denominator))
    }
}

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Whole numbers and short decimals as such, everything else as a fraction in parentheses.
impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        if 1_000_000 % self.denominator == 0 {
            write!(f, "{}", self.value())
        } else {
            write!(f, "({}/{})", self.numerator, self.denominator)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_become_the_simplest_fraction() {
        for (value, n, d) in
            [(1.5, 3, 2), (-0.5, -1, 2), (1.0 / 3.0, 1, 3), (2.13, 213, 100), (0.0, 0, 1)]
        {
            assert_eq!(Ratio::approximate(value), Ratio::new(n, d), "{value}");
        }
        for value in [f64::NAN, f64::INFINITY, 1e300, std::f64::consts::PI, 1e-9] {
            assert_eq!(Ratio::approximate(value), None, "{value}");
        }
    }

    #[test]
    fn fractions_print_as_they_are_read() {
        let print = |n, d| Ratio::new(n, d).expect("within the limits").to_string();
        assert_eq!(print(3, 2), "1.5");
        assert_eq!(print(4, -2), "-2");
        assert_eq!(print(2, 3), "(2/3)");
    }
}
