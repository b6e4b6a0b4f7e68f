//! Logarithmic axes: ticks at powers of ten, and at a few multiples of them where there is room.

use super::axis::{Fit, Range, Tick};
use super::unit::{Scale, decade, power_of_ten, superscript};

/// A range of positive numbers with room for ticks.
pub(crate) fn widen(data: Range, fit: Fit) -> Range {
    let (lo, hi) = (data.lo.max(1e-290), data.hi.max(1e-290));
    let ratio = hi / lo;
    if ratio < 1.001 {
        return Range { lo: lo / 1.5, hi: hi * 1.5 };
    }
    let room = if fit == Fit::Padded { ratio.powf(0.05) } else { 1.0 };
    Range { lo: lo / room, hi: hi * room }
}

/// Multiples of the powers of ten, from few to many.
const FACTORS: [&[u32]; 3] = [&[1], &[1, 2, 5], &[1, 2, 3, 4, 5, 7]];

/// About `count` ticks and the unit they are in; `None` for a range so small that ticks in equal
/// steps serve better.
pub(crate) fn ticks(range: Range, unit: &str, count: usize) -> Option<(Vec<Tick>, Scale)> {
    let decades = (range.hi / range.lo).log10();
    if decades < 0.9 {
        return None;
    }
    // powers of ten stand at the ticks, not beside the unit
    let scale = Scale::choose(range.hi, unit);
    let scale = if scale.symbol.contains('×') { Scale::choose(1.0, unit) } else { scale };
    let usual = match count.max(3) as f64 / decades {
        6.0.. => 2,
        3.0.. => 1,
        _ => 0,
    };
    let stride = (decades / count.max(1) as f64).ceil().max(1.0) as i32;
    let at = |factors: &&[u32]| at(range, factors, stride, scale.exponent);
    let mut ticks = FACTORS[usual..].iter().map(at);
    let ticks = ticks.find(|ticks| ticks.len() > 2)?;
    Some((ticks, scale))
}

/// Ticks at multiples of every `stride`-th power of ten.
fn at(range: Range, factors: &[u32], stride: i32, unit: i32) -> Vec<Tick> {
    let (first, last) = (decade(range.lo), decade(range.hi));
    let plain = first - unit >= -3 && last - unit < 5;
    let mut ticks = Vec::new();
    for exponent in (first..=last).filter(|e| e.rem_euclid(stride) == 0) {
        for factor in factors {
            let value = f64::from(*factor) * power_of_ten(exponent);
            if value >= range.lo * (1.0 - 1e-9) && value <= range.hi * (1.0 + 1e-9) {
                ticks.push(Tick { value, label: label(*factor, exponent - unit, plain) });
            }
        }
    }
    ticks
}

/// factor × 10ⁿ, written out if `plain`.
fn label(factor: u32, exponent: i32, plain: bool) -> String {
    match exponent {
        0.. if plain => format!("{factor}{}", "0".repeat(exponent as usize)),
        _ if plain => format!("0.{}{factor}", "0".repeat((-exponent - 1) as usize)),
        _ if factor == 1 => format!("10{}", superscript(&exponent.to_string())),
        _ => format!("{factor}×10{}", superscript(&exponent.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::super::axis::{Axis, AxisSpec, Spacing};
    use super::*;

    fn axis(lo: f64, hi: f64, unit: &str) -> Axis {
        let spec = AxisSpec {
            unit: unit.into(),
            spacing: Spacing::Log,
            ends: Some((lo, hi)),
            ..AxisSpec::default()
        };
        Axis::of(&spec, Range::EMPTY, 6)
    }

    fn labels(lo: f64, hi: f64, unit: &str) -> (String, String) {
        let axis = axis(lo, hi, unit);
        let labels: Vec<String> = axis.ticks.into_iter().map(|t| t.label).collect();
        (labels.join(" "), axis.scale.symbol)
    }

    #[test]
    fn ticks_are_powers_of_ten_or_one_two_five() {
        assert_eq!(labels(0.02, 1.0, "mm"), ("0.02 0.05 0.1 0.2 0.5 1".into(), "mm".into()));
        assert_eq!(labels(3.3e8, 3.3e11, "N/m^1.5"), ("1 10 100".into(), "GN/m^1.5".into()));
        assert_eq!(labels(1e-9, 1e-2, ""), ("10⁻⁸ 10⁻⁶ 10⁻⁴ 10⁻²".into(), String::new()));
        assert_eq!(labels(3e3, 3e8, "m/s^2").0, "10⁴ 10⁵ 10⁶ 10⁷ 10⁸");
        // room for one or two powers of ten only
        let narrow = ticks(Range { lo: 0.02, hi: 0.5 }, "", 4).unwrap().0;
        assert_eq!(narrow.len(), 5);
        // less than a decade: equal steps
        assert_eq!(labels(2.0, 8.0, "").0, "2 3 4 5 6 7 8");
    }

    #[test]
    fn places_go_by_the_logarithm() {
        let axis = axis(0.01, 100.0, "");
        assert!((axis.place(1.0, 0.0, 100.0) - 50.0).abs() < 1e-9);
        assert!((axis.place(10.0, 100.0, 0.0) - 25.0).abs() < 1e-9);
        assert!(!axis.shows(0.0) && !axis.shows(f64::NAN) && axis.shows(1e-6));
    }

    #[test]
    fn a_range_without_logarithm_is_drawn_in_equal_steps() {
        assert!((axis(-1.0, 1.0, "").place(0.0, 0.0, 100.0) - 50.0).abs() < 1e-9);
    }
}
