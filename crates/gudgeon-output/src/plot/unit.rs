//! Units on axes: a prefix or a power of ten for the magnitude, and a typeset symbol.

/// How values of an axis are shown: divided by 10ᵉ and followed by a symbol.
#[derive(Clone, Debug, PartialEq)]
pub struct Scale {
    /// The exponent e.
    pub exponent: i32,
    /// Typeset unit with prefix or power of ten, such as `kN` or `×10³ m/s²`; may be empty.
    pub symbol: String,
}

impl Scale {
    /// The scale for values up to `size` with the given SI unit.
    ///
    /// From 0.1 to 10⁴ numbers are shown as they are. Outside, units that take a prefix get one
    /// (nano to giga), others a power of ten.
    pub fn choose(size: f64, unit: &str) -> Scale {
        let unit = if unit == "1" { "" } else { unit };
        let plain = typeset(unit);
        let size = size.abs();
        if size == 0.0 || !size.is_finite() || (0.1..1e4).contains(&size) {
            return Scale { exponent: 0, symbol: plain };
        }
        let exponent = decade(size).div_euclid(3) * 3;
        if let Some(prefix) = prefix(exponent).filter(|_| takes_prefix(unit, exponent)) {
            return Scale { exponent, symbol: format!("{prefix}{plain}") };
        }
        let symbol = format!("×10{} {plain}", superscript(&exponent.to_string()));
        Scale { exponent, symbol: symbol.trim_end().to_owned() }
    }

    /// A value in this scale.
    pub fn apply(&self, value: f64) -> f64 {
        // two factors, so that no power of ten leaves the range of numbers
        let half = self.exponent / 2;
        value / power_of_ten(half) / power_of_ten(self.exponent - half)
    }

    /// A value with its unit, four digits.
    pub fn quantity(&self, value: f64) -> String {
        let number = four_digits(self.apply(value));
        let gap = if self.symbol.is_empty() || self.symbol.starts_with('×') { "" } else { " " };
        format!("{number}{gap}{}", self.symbol)
    }

    /// `name [unit]`.
    pub(crate) fn heading(&self, name: &str) -> String {
        let symbol = self.symbol.replace("^1.5", "¹·⁵").replace("^0.5", "⁰·⁵");
        if symbol.is_empty() { name.to_owned() } else { format!("{name} [{symbol}]") }
    }
}

/// ⌊log₁₀ size⌋ for a positive finite number, exact at powers of ten.
pub(crate) fn decade(size: f64) -> i32 {
    let text = format!("{size:e}");
    text.rsplit('e').next().and_then(|e| e.parse().ok()).unwrap_or(0)
}

/// 10ⁿ, correctly rounded.
pub(crate) fn power_of_ten(exponent: i32) -> f64 {
    format!("1e{exponent}").parse().unwrap_or(1.0)
}

fn prefix(exponent: i32) -> Option<&'static str> {
    Some(match exponent {
        -9 => "n",
        -6 => "µ",
        -3 => "m",
        3 => "k",
        6 => "M",
        9 => "G",
        _ => return None,
    })
}

/// Whether a prefix in front of the unit is right and usual.
fn takes_prefix(unit: &str, exponent: i32) -> bool {
    let end = unit.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(unit.len());
    let (base, rest) = unit.split_at(end);
    match base {
        // km/s² or ks would be correct and strange
        "m" => exponent < 0 && (rest.is_empty() || rest == "/s"),
        "s" | "rad" => exponent < 0 && rest.is_empty(),
        "N" | "W" | "J" | "Pa" | "V" | "A" | "Hz" => !rest.starts_with('^'),
        _ => false,
    }
}

/// `m/s^2` → `m/s²`, `N*m` → `N·m`.
fn typeset(unit: &str) -> String {
    let mut out = String::new();
    let mut rest = unit;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        match c {
            '*' => out.push('·'),
            '^' => {
                let is_exponent = |c: char| c.is_ascii_digit() || "+-.".contains(c);
                let end = rest.find(|c| !is_exponent(c)).unwrap_or(rest.len());
                let (exponent, after) = rest.split_at(end);
                if exponent.is_empty() || exponent.contains('.') {
                    out.push('^');
                } else {
                    out.push_str(&superscript(exponent));
                    rest = after;
                }
            }
            c => out.push(c),
        }
    }
    out
}

pub(crate) fn superscript(digits: &str) -> String {
    let raise = |c| match c {
        '0' => '⁰',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        '4' => '⁴',
        '5' => '⁵',
        '6' => '⁶',
        '7' => '⁷',
        '8' => '⁸',
        '9' => '⁹',
        '-' => '⁻',
        '+' => '⁺',
        c => c,
    };
    digits.chars().map(raise).collect()
}

/// A number with four significant digits, without needless zeros, with a true minus sign.
pub(crate) fn four_digits(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return if value == 0.0 { "0".into() } else { "–".into() };
    }
    let decade = decade(value.abs());
    if !(-4..7).contains(&decade) {
        let text = format!("{value:.3e}");
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        return with_minus(&format!("{mantissa}×10{}", superscript(exponent)));
    }
    let text = format!("{value:.*}", (3 - decade).max(0) as usize);
    let text =
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    with_minus(text)
}

/// The typographic minus sign in place of the hyphen.
pub(crate) fn with_minus(text: &str) -> String {
    text.replace('-', "−")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(value: f64, unit: &str) -> String {
        Scale::choose(value, unit).quantity(value)
    }

    #[test]
    fn magnitudes_get_a_prefix_or_a_power_of_ten() {
        assert_eq!(shown(12_345.678, "N"), "12.35 kN");
        assert_eq!(shown(-250.0, "N*m"), "−250 N·m");
        assert_eq!(shown(1.23456e-4, "m"), "123.5 µm");
        assert_eq!(shown(2.5e5, "m/s^2"), "250×10³ m/s²");
        assert_eq!(shown(0.02, "s"), "20 ms");
        assert_eq!(shown(3e10, "N/m^1.5"), "30 GN/m^1.5");
        assert_eq!(shown(5e-5, "m^2"), "50×10⁻⁶ m²");
        assert_eq!(shown(0.5, "1"), "0.5");
        assert_eq!(shown(2e-40, "N"), "200×10⁻⁴² N");
    }

    #[test]
    fn decades_are_exact() {
        for n in -320..=308 {
            assert_eq!(decade(power_of_ten(n)), n);
        }
        assert_eq!(decade(999.999_999), 2);
    }
}
