//! Factors of units, with powers of ten kept apart so that decimal units convert exactly: `2.1 mm`
//! is the same number as `0.0021 m`, not 2.1 times a rounded 0.001.

use super::ratio::Ratio;

/// mantissa · 10^ten
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Scale {
    mantissa: f64,
    ten: f64,
}

impl Scale {
    pub const ONE: Self = Self::ten(0);

    pub const fn ten(exponent: i32) -> Self {
        Self { mantissa: 1.0, ten: exponent as f64 }
    }

    pub const fn factor(mantissa: f64) -> Self {
        Self { mantissa, ten: 0.0 }
    }

    pub fn times(self, other: Self) -> Self {
        Self { mantissa: self.mantissa * other.mantissa, ten: self.ten + other.ten }
    }

    pub fn pow(self, exponent: Ratio) -> Self {
        let exponent = exponent.value();
        Self { mantissa: self.mantissa.powf(exponent), ten: self.ten * exponent }
    }

    /// Reads `digits`, a plain number without a sign, of this unit. Powers of ten are added to its
    /// exponent before it is rounded to binary.
    pub fn read(self, digits: &str) -> Option<f64> {
        if self.mantissa != 1.0 || self.ten.fract() != 0.0 || self.ten.abs() > 400.0 {
            return Some(self.apply(digits.parse().ok()?));
        }
        let (mantissa, exponent) = digits.split_once(['e', 'E']).unwrap_or((digits, "0"));
        let exponent = exponent.parse::<i64>().ok()?.checked_add(self.ten as i64)?;
        let value: f64 = format!("{mantissa}e{exponent}").parse().ok()?;
        let lost = value == 0.0 && mantissa.contains(|c: char| matches!(c, '1'..='9'));
        Some(if lost { f64::INFINITY } else { value })
    }

    /// `number` of this unit in SI; infinite where that is out of range.
    pub fn apply(self, number: f64) -> f64 {
        let scaled = number * self.mantissa;
        let result = match self.ten {
            // Powers of ten up to 22 are exact, so each of these rounds once.
            ten if (0.0..=22.0).contains(&ten) => scaled * power_of_ten(ten),
            ten if (-22.0..0.0).contains(&ten) => scaled / power_of_ten(-ten),
            ten => scaled * 10_f64.powf(ten),
        };
        let lost = result == 0.0 && number != 0.0;
        if lost || result.is_nan() { f64::INFINITY } else { result }
    }
}

fn power_of_ten(exponent: f64) -> f64 {
    if exponent.fract() == 0.0 { 10_f64.powi(exponent as i32) } else { 10_f64.powf(exponent) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimal_units_are_read_exactly() {
        for n in 1..1000 {
            let digits = format!("{}", f64::from(n) / 10.0);
            let expected: Option<f64> = format!("{digits}e-3").parse().ok();
            assert_eq!(Scale::ten(-3).read(&digits), expected);
        }
        assert_eq!(Scale::ten(9).read("2.07e2"), Some(207e9));
        assert_eq!(Scale::factor(0.5).read("3"), Some(1.5));
        assert_eq!(Scale::ten(3).read(".5"), Some(500.0));
        assert_eq!(Scale::ten(3).read("5."), Some(5000.0));
        assert_eq!(power_of_ten(22.0), 1e22);
    }

    #[test]
    fn what_cannot_be_held_is_infinite() {
        assert_eq!(Scale::ten(3).apply(1e307), f64::INFINITY);
        assert_eq!(Scale::ten(-300).apply(1e-300), f64::INFINITY);
        assert_eq!(Scale::ten(-400).apply(0.0), 0.0);
        assert_eq!(Scale::ten(-300).read("1e-300"), Some(f64::INFINITY));
        assert_eq!(Scale::ten(300).read("1e99999999999999999999"), None);
    }
}
