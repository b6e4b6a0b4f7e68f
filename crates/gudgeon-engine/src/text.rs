//! Numbers for people.

use gudgeon_output::plot::Scale;

/// Stands for a value there is none of.
pub const NONE: &str = "–";

/// A value with its unit, four digits.
pub fn quantity(value: f64, unit: &str) -> String {
    // A pure number of usual size needs no power of ten.
    let plain = unit.is_empty() && (1e-4..1e6).contains(&value.abs());
    in_scale_of(if plain { 1.0 } else { value }, value, unit)
}

/// A value with four digits in the unit that suits `size`.
pub fn in_scale_of(size: f64, value: f64, unit: &str) -> String {
    let scale = Scale::choose(size, unit);
    match value {
        // Never two powers of ten in one number.
        _ if scale.symbol.starts_with('×') && value.abs() < 1e-4 * size.abs() && value != 0.0 => {
            Scale::choose(value, unit).quantity(value)
        }
        _ if !value.is_finite() => NONE.to_owned(),
        0.0 if scale.symbol.starts_with('×') => Scale::choose(0.0, unit).quantity(0.0),
        _ => scale.quantity(value),
    }
}

/// Values in the unit that suits `size`: the unit, then the numbers with four digits.
pub fn in_one_unit(size: f64, values: &[f64], unit: &str) -> (String, Vec<String>) {
    let size = if unit.is_empty() && (1e-4..1e6).contains(&size.abs()) { 1.0 } else { size };
    let scale = Scale::choose(size, unit);
    let bare = Scale { symbol: String::new(), ..scale.clone() };
    let number = |value: &f64| match value.is_finite() {
        true => bare.quantity(*value),
        false => NONE.to_owned(),
    };
    (scale.symbol, values.iter().map(number).collect())
}

/// A share such as 0.123; never −0.000.
pub fn share(value: f64) -> String {
    let text = format!("{value:.3}");
    match text.strip_prefix('-') {
        Some("0.000") => "0.000".to_owned(),
        Some(size) => format!("−{size}"),
        None if value.is_finite() => text,
        None => NONE.to_owned(),
    }
}

/// `one` or `many`, with the number.
pub fn plural(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!(quantity(12_345.678, "N"), "12.35 kN");
        assert_eq!(quantity(0.05, ""), "0.05");
        assert_eq!(quantity(f64::NAN, "N"), NONE);
        assert_eq!(in_scale_of(12_345.0, 1.0, "N"), "0.001 kN");
        assert_eq!(quantity(0.0123, "rad"), "12.3 mrad");
        assert_eq!(in_scale_of(2e4, 1.5e-9, "m/s^2"), "1.5×10⁻⁹ m/s²");
        assert_eq!(in_scale_of(1e-3, 0.0, "kg m^2"), "0 kg m²");
        assert_eq!(plural(1, "joint", "joints"), "1 joint");
        assert_eq!([share(-1e-9), share(-0.25), share(f64::NAN)], ["0.000", "−0.250", NONE]);
        assert_eq!(quantity(-0.0, "N"), "0 N");
        let (unit, numbers) = in_one_unit(2e4, &[2e4, -31.25, 0.0], "m/s^2");
        assert_eq!(
            (&unit[..], numbers),
            ("×10³ m/s²", vec!["20".into(), "−0.03125".into(), "0".into()])
        );
    }
}
