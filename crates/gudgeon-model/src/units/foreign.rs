//! Units that are not read, because a name that is a unit cannot be the name of a parameter: what they
//! are in units that are, for messages.

use super::{FOOT, POUND_FORCE, PSI, Short, WEIGHT};

struct Foreign {
    /// Spellings without case.
    names: &'static [&'static str],
    /// Factor to the unit beside it.
    factor: f64,
    unit: &'static str,
}

const fn foreign(names: &'static [&'static str], factor: f64, unit: &'static str) -> Foreign {
    Foreign { names, factor, unit }
}

const OUNCE: f64 = 0.028_349_523_125;

const FOREIGN: &[Foreign] = &[
    foreign(&["gf"], 1e-3 * WEIGHT, "N"),
    foreign(&["tf"], 1e3 * WEIGHT, "N"),
    foreign(&["dyn", "dyne"], 1e-5, "N"),
    foreign(&["ozf"], OUNCE * WEIGHT, "N"),
    foreign(&["kip", "kips"], 1e3 * POUND_FORCE, "N"),
    foreign(&["kph", "kmh", "kmph"], 1.0, "km/h"),
    foreign(&["kn", "kt", "knot", "knots"], 1.852, "km/h"),
    foreign(&["fps"], FOOT, "m/s"),
    foreign(&["yd", "yard", "yards"], 3.0 * FOOT, "m"),
    foreign(&["mi", "mile", "miles"], 1.609_344, "km"),
    foreign(&["oz"], OUNCE, "kg"),
    foreign(&["l", "litre", "litres", "liter", "liters"], 1e3, "cm^3"),
    foreign(&["cc", "ccm"], 1.0, "cm^3"),
    foreign(&["gal", "gallon", "gallons"], 231.0, "in^3"),
    foreign(&["cal"], 4.184, "J"),
    foreign(&["kcal"], 4.184, "kJ"),
    foreign(&["btu"], 1.055_055_852_62, "kJ"),
    foreign(&["erg"], 1e-7, "J"),
    foreign(&["wh"], 3.6, "kJ"),
    foreign(&["kwh"], 3.6, "MJ"),
    foreign(&["atm"], 101.325, "kPa"),
    foreign(&["torr", "mmhg"], 133.322_368, "Pa"),
    foreign(&["reyn", "reyns"], PSI, "Pa s"),
    foreign(&["rps"], 1.0, "rev/s"),
    foreign(&["gon", "grad"], 0.9, "deg"),
    foreign(&["day", "days"], 24.0, "h"),
];

/// Such a unit in one that is read: `1 atm = 101.325 kPa`.
pub(crate) struct Converted {
    word: String,
    factor: f64,
    pub unit: &'static str,
}

impl Converted {
    pub fn of(word: &str) -> Option<Self> {
        let folded = word.to_lowercase();
        // `kN` is a unit, so that `KN` is no knot.
        if super::unit_names().any(|unit| unit.to_lowercase() == folded) {
            return None;
        }
        let found = FOREIGN.iter().find(|foreign| foreign.names.contains(&&folded[..]))?;
        Some(Self { word: word.to_owned(), factor: found.factor, unit: found.unit })
    }

    /// `number` of it, as it can be written.
    pub fn text(&self, number: f64) -> String {
        format!("{} {}", digits(number * self.factor), self.unit)
    }
}

/// `1 atm = 101.325 kPa`
impl std::fmt::Display for Converted {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "1 {} = {}", self.word, self.text(1.0))
    }
}

/// Ten digits: all that are exact of the common factors, and more than anyone measures.
fn digits(value: f64) -> Short {
    Short(format!("{value:.9e}").parse().unwrap_or(value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::any_quantity;
    use crate::units::is_unit_name;

    #[test]
    fn every_conversion_can_be_written_and_none_is_a_unit() {
        for foreign in FOREIGN {
            assert!(foreign.names.iter().all(|name| !is_unit_name(name)), "{:?}", foreign.names);
            assert!(any_quantity(&format!("1 {}", foreign.unit)).is_ok(), "{}", foreign.unit);
        }
    }

    #[test]
    fn conversions_are_those_of_the_standards() {
        let text = |word: &str| Converted::of(word).map(|known| known.to_string());
        assert_eq!(text("atm").unwrap(), "1 atm = 101.325 kPa");
        assert_eq!(text("Knots").unwrap(), "1 Knots = 1.852 km/h");
        assert_eq!(text("kip").unwrap(), "1 kip = 4448.221615 N");
        assert_eq!(text("gal").unwrap(), "1 gal = 231 in^3");
        assert_eq!(text("reyn").unwrap(), "1 reyn = 6894.757293 Pa s");
        assert_eq!(text("KN"), None);
        assert_eq!(text("mm"), None);
        assert_eq!(text("PS"), None);
        assert_eq!(Converted::of("atm").unwrap().text(20.0), "2026.5 kPa");
    }
}
