//! Units of other systems that are not read, because a name that is a unit cannot be the name of a
//! parameter: what they are in SI, for messages.

use super::{INCH, POUND_FORCE, Short};

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

const FOOT: f64 = 12.0 * INCH;
const KILOPOND: f64 = 9.806_65;
const OUNCE: f64 = 0.028_349_523_125;

const FOREIGN: &[Foreign] = &[
    foreign(&["kgf", "kp", "kilopond"], KILOPOND, "N"),
    foreign(&["gf"], 1e-3 * KILOPOND, "N"),
    foreign(&["tf"], 1e3 * KILOPOND, "N"),
    foreign(&["dyn", "dyne"], 1e-5, "N"),
    foreign(&["ozf"], OUNCE * KILOPOND, "N"),
    foreign(&["kip", "kips"], 1e3 * POUND_FORCE, "N"),
    foreign(&["hp", "bhp", "horsepower"], 550.0 * FOOT * POUND_FORCE, "W"),
    foreign(&["ps", "cv"], 75.0 * KILOPOND, "W"),
    foreign(&["mph"], 0.447_04, "m/s"),
    foreign(&["kph", "kmh", "kmph"], 1.0, "km/h"),
    foreign(&["kn", "kt", "knot", "knots"], 1.852, "km/h"),
    foreign(&["fps"], FOOT, "m/s"),
    foreign(&["mil", "thou"], 1e3 * INCH, "um"),
    foreign(&["yd", "yard", "yards"], 3.0 * FOOT, "m"),
    foreign(&["mi", "mile", "miles"], 1.609_344, "km"),
    foreign(&["oz"], OUNCE, "kg"),
    foreign(&["slug", "slugs"], POUND_FORCE / FOOT, "kg"),
    foreign(&["cal"], 4.184, "J"),
    foreign(&["kcal"], 4.184, "kJ"),
    foreign(&["btu"], 1.055_055_852_62, "kJ"),
    foreign(&["erg"], 1e-7, "J"),
    foreign(&["wh"], 3.6, "kJ"),
    foreign(&["kwh"], 3.6, "MJ"),
    foreign(&["atm"], 101.325, "kPa"),
    foreign(&["torr", "mmhg"], 133.322_368, "Pa"),
    foreign(&["ksi"], 1e-3 * POUND_FORCE / (INCH * INCH), "MPa"),
    foreign(&["reyn", "reyns"], POUND_FORCE / (INCH * INCH), "Pa s"),
    foreign(&["rps"], 1.0, "rev/s"),
    foreign(&["gon", "grad"], 0.9, "deg"),
    foreign(&["day", "days"], 24.0, "h"),
];

/// A unit of another system in one that is read: `1 kgf = 9.80665 N`.
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

/// `1 kgf = 9.80665 N`
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
    use crate::units::{is_unit_name, unit};

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
        assert_eq!(text("kgf").unwrap(), "1 kgf = 9.80665 N");
        assert_eq!(text("hp").unwrap(), "1 hp = 745.6998716 W");
        assert_eq!(text("PS").unwrap(), "1 PS = 735.49875 W");
        assert_eq!(text("mph").unwrap(), "1 mph = 0.44704 m/s");
        assert_eq!(text("slug").unwrap(), "1 slug = 14.59390294 kg");
        assert_eq!(text("KN"), None);
        assert_eq!(text("mm"), None);
        assert_eq!(Converted::of("kgf").unwrap().text(20.0), "196.133 N");
        let ksi = any_quantity("6.894757293 MPa").unwrap().value;
        assert!((ksi / (1e3 * unit("psi").unwrap().0) - 1.0).abs() < 1e-9);
    }
}
