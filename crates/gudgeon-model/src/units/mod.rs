//! Units: SI inside, whatever people write at the border.
//!
//! A unit is a factor to SI and a [`Dimension`]. The table is closed, names are case-sensitive and
//! cannot be those of parameters. Products and powers of units are read by [`crate::expr`].
//!
//! Factors are the exact ones of NIST SP 811 (2008), appendix B: lb = 0.45359237 kg, in = 25.4 mm and
//! the standard weight gₙ = 9.80665 m/s² define the others. `hp` is the mechanical horsepower,
//! 550 ft lbf/s; `PS` the metric one, 75 kgf m/s.

mod dimension;
mod foreign;
mod ratio;
mod scale;

use std::f64::consts::{PI, TAU};
use std::fmt;

pub use dimension::Dimension;
pub(crate) use foreign::Converted;
pub use ratio::Ratio;
pub(crate) use scale::Scale;

/// A value in SI units with its dimension.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quantity {
    pub value: f64,
    pub dimension: Dimension,
}

impl Quantity {
    pub const fn new(value: f64, dimension: Dimension) -> Self {
        Self { value, dimension }
    }

    pub const fn number(value: f64) -> Self {
        Self { value, dimension: Dimension::NUMBER }
    }
}

/// `0.0001 m`, `3400000000 N/m^1.5`; reads back as the same quantity.
impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}", Short(self.value))?;
        if self.dimension.is_number() { Ok(()) } else { write!(f, " {}", self.dimension) }
    }
}

/// A number in its plain form, or with an exponent where that is much shorter; exact.
pub(crate) struct Short(pub f64);

impl fmt::Display for Short {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let (plain, exponent) = (self.0.to_string(), format!("{:e}", self.0));
        f.write_str(if exponent.len() + 3 < plain.len() { &exponent } else { &plain })
    }
}

const DEGREE: f64 = PI / 180.0;
const POUND: f64 = 0.453_592_37;
/// Standard weight of a unit of mass, m/s².
const WEIGHT: f64 = 9.806_65;
const POUND_FORCE: f64 = POUND * WEIGHT;
const INCH: f64 = 0.0254;
const FOOT: f64 = 12.0 * INCH;
const PSI: f64 = POUND_FORCE / (INCH * INCH);

const UNITS: &[(&str, Scale, Dimension)] = &[
    ("m", Scale::ten(0), Dimension::LENGTH),
    ("km", Scale::ten(3), Dimension::LENGTH),
    ("cm", Scale::ten(-2), Dimension::LENGTH),
    ("mm", Scale::ten(-3), Dimension::LENGTH),
    ("um", Scale::ten(-6), Dimension::LENGTH),
    ("nm", Scale::ten(-9), Dimension::LENGTH),
    ("in", Scale::factor(INCH), Dimension::LENGTH),
    ("mil", Scale::factor(2.54e-5), Dimension::LENGTH),
    ("ft", Scale::factor(FOOT), Dimension::LENGTH),
    ("kg", Scale::ten(0), Dimension::MASS),
    ("g", Scale::ten(-3), Dimension::MASS),
    ("mg", Scale::ten(-6), Dimension::MASS),
    ("t", Scale::ten(3), Dimension::MASS),
    ("lb", Scale::factor(POUND), Dimension::MASS),
    ("slug", Scale::factor(POUND_FORCE / FOOT), Dimension::MASS),
    ("s", Scale::ten(0), Dimension::TIME),
    ("ms", Scale::ten(-3), Dimension::TIME),
    ("us", Scale::ten(-6), Dimension::TIME),
    ("ns", Scale::ten(-9), Dimension::TIME),
    ("min", Scale::factor(60.0), Dimension::TIME),
    ("h", Scale::factor(3600.0), Dimension::TIME),
    ("N", Scale::ten(0), Dimension::FORCE),
    ("kN", Scale::ten(3), Dimension::FORCE),
    ("MN", Scale::ten(6), Dimension::FORCE),
    ("mN", Scale::ten(-3), Dimension::FORCE),
    ("uN", Scale::ten(-6), Dimension::FORCE),
    ("kgf", Scale::factor(WEIGHT), Dimension::FORCE),
    ("lbf", Scale::factor(POUND_FORCE), Dimension::FORCE),
    ("mph", Scale::factor(0.447_04), Dimension::SPEED),
    ("Pa", Scale::ten(0), Dimension::PRESSURE),
    ("P", Scale::ten(-1), Dimension::VISCOSITY),
    ("cP", Scale::ten(-3), Dimension::VISCOSITY),
    ("St", Scale::ten(-4), Dimension::KINEMATIC_VISCOSITY),
    ("cSt", Scale::ten(-6), Dimension::KINEMATIC_VISCOSITY),
    ("kPa", Scale::ten(3), Dimension::PRESSURE),
    ("MPa", Scale::ten(6), Dimension::PRESSURE),
    ("GPa", Scale::ten(9), Dimension::PRESSURE),
    ("mPa", Scale::ten(-3), Dimension::PRESSURE),
    ("bar", Scale::ten(5), Dimension::PRESSURE),
    ("psi", Scale::factor(PSI), Dimension::PRESSURE),
    ("ksi", Scale::factor(1e3 * PSI), Dimension::PRESSURE),
    ("J", Scale::ten(0), Dimension::ENERGY),
    ("mJ", Scale::ten(-3), Dimension::ENERGY),
    ("uJ", Scale::ten(-6), Dimension::ENERGY),
    ("kJ", Scale::ten(3), Dimension::ENERGY),
    ("MJ", Scale::ten(6), Dimension::ENERGY),
    ("W", Scale::ten(0), Dimension::POWER),
    ("mW", Scale::ten(-3), Dimension::POWER),
    ("kW", Scale::ten(3), Dimension::POWER),
    ("MW", Scale::ten(6), Dimension::POWER),
    ("hp", Scale::factor(550.0 * FOOT * POUND_FORCE), Dimension::POWER),
    ("PS", Scale::factor(75.0 * WEIGHT), Dimension::POWER),
    ("Hz", Scale::ten(0), Dimension::FREQUENCY),
    ("kHz", Scale::ten(3), Dimension::FREQUENCY),
    ("rad", Scale::ten(0), Dimension::ANGLE),
    ("mrad", Scale::ten(-3), Dimension::ANGLE),
    ("deg", Scale::factor(DEGREE), Dimension::ANGLE),
    ("rev", Scale::factor(TAU), Dimension::ANGLE),
    ("rpm", Scale::factor(TAU / 60.0), Dimension::ANGULAR_SPEED),
];

/// Other spellings that are read as the unit beside them: micro by its two letters, the degree sign,
/// the pound of mass.
const SPELLINGS: &[(&str, &str)] = &[
    ("µm", "um"),
    ("μm", "um"),
    ("µs", "us"),
    ("μs", "us"),
    ("µN", "uN"),
    ("μN", "uN"),
    ("µJ", "uJ"),
    ("μJ", "uJ"),
    ("°", "deg"),
    ("lbm", "lb"),
];

/// Words that are not read, but understood well enough to help; of several the first that fits.
const WORDS: &[(&str, &str)] = &[
    ("sec", "s"),
    ("second", "s"),
    ("seconds", "s"),
    ("secs", "s"),
    ("mins", "min"),
    ("hrs", "h"),
    ("kgs", "kg"),
    ("rads", "rad"),
    ("degs", "deg"),
    ("revs", "rev"),
    ("minutes", "min"),
    ("hr", "h"),
    ("meter", "m"),
    ("metre", "m"),
    ("micron", "um"),
    ("inch", "in"),
    ("inches", "in"),
    ("foot", "ft"),
    ("feet", "ft"),
    ("thou", "mil"),
    ("mils", "mil"),
    ("lbs", "lb"),
    ("lbs", "lbf"),
    ("pound", "lb"),
    ("pound", "lbf"),
    ("pounds", "lb"),
    ("pounds", "lbf"),
    ("slugs", "slug"),
    ("kp", "kgf"),
    ("kilopond", "kgf"),
    ("horsepower", "hp"),
    ("bhp", "hp"),
    ("cv", "PS"),
    ("centistokes", "cSt"),
    ("stokes", "St"),
    ("centipoise", "cP"),
    ("poise", "P"),
    ("newton", "N"),
    ("degree", "deg"),
    ("degrees", "deg"),
    ("radian", "rad"),
    ("radians", "rad"),
    ("turn", "rev"),
    ("turns", "rev"),
    ("hertz", "Hz"),
    ("watt", "W"),
    ("joule", "J"),
    ("pascal", "Pa"),
];

/// Factor to SI and dimension of a single unit.
pub fn unit(name: &str) -> Option<(f64, Dimension)> {
    scale(name).map(|(scale, dimension)| (scale.apply(1.0), dimension))
}

pub(crate) fn scale(name: &str) -> Option<(Scale, Dimension)> {
    let spelt = SPELLINGS.iter().find(|(spelling, _)| *spelling == name);
    let name = spelt.map_or(name, |(_, unit)| unit);
    UNITS.iter().find(|(unit, ..)| *unit == name).map(|(_, scale, dimension)| (*scale, *dimension))
}

pub fn is_unit_name(name: &str) -> bool {
    unit(name).is_some()
}

/// All unit names, for editors and help.
pub fn unit_names() -> impl Iterator<Item = &'static str> {
    UNITS.iter().map(|(name, ..)| *name)
}

/// Words of this length and more are compared by their letters where the dimension is not known: of
/// shorter ones every second is like some unit.
const LONG: usize = 4;

/// What an unknown unit probably means: a word, a power without `^`, two units run together, another case, a misspelling;
/// the first for which `fits` holds. Where nothing is `known` of the dimension, only what is plain.
pub(crate) fn suggestion(name: &str, known: bool, fits: impl Fn(&str) -> bool) -> Option<String> {
    let folded = name.to_lowercase();
    if let Some((_, unit)) = WORDS.iter().find(|(word, unit)| *word == folded && fits(unit)) {
        return Some((*unit).to_owned());
    }
    let letters = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let power = format!("{letters}^{}", &name[letters.len()..]);
    if letters.len() < name.len() && is_unit_name(letters) && fits(&power) {
        return Some(power);
    }
    let pairs = name.char_indices().skip(1).map(|(at, _)| name.split_at(at)).take(4);
    let pairs = pairs.filter(|(a, b)| is_unit_name(a) && is_unit_name(b));
    if let Some(pair) = pairs.map(|(a, b)| format!("{a} {b}")).find(|pair| fits(pair)) {
        return Some(pair);
    }
    let mut cases = unit_names().filter(|unit| unit.to_lowercase() == folded && fits(unit));
    match (cases.next(), cases.next()) {
        (Some(unit), None) => return Some(unit.to_owned()),
        (Some(_), Some(_)) => return None,
        _ => {}
    }
    let alike = unit_names().filter(|unit| unit.len() > 1 && fits(unit));
    let near = || crate::diagnostic::nearest(name, alike).map(str::to_owned);
    if known || name.chars().count() >= LONG { near() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_factors_positive() {
        for (name, scale, _) in UNITS {
            assert_eq!(unit_names().filter(|other| other == name).count(), 1, "{name}");
            assert!(scale.apply(1.0) > 0.0);
        }
        assert!(SPELLINGS.iter().all(|(_, unit)| is_unit_name(unit)));
        assert!(WORDS.iter().all(|(word, unit)| is_unit_name(unit) && !is_unit_name(word)));
    }

    #[test]
    fn units_have_their_factor_and_dimension() {
        assert_eq!(unit("mm"), Some((1e-3, Dimension::LENGTH)));
        assert_eq!(unit("µm"), unit("um"));
        assert_eq!(unit("rpm"), Some((TAU / 60.0, Dimension::ANGULAR_SPEED)));
        assert_eq!(unit("MM"), None);
    }

    #[test]
    fn an_unknown_unit_gets_a_suggestion() {
        let any = |name: &str| suggestion(name, false, |_| true);
        assert_eq!(any("Nm").as_deref(), Some("N m"));
        assert_eq!(any("RPM").as_deref(), Some("rpm"));
        assert_eq!(any("degrees").as_deref(), Some("deg"));
        assert_eq!(any("mm2").as_deref(), Some("mm^2"));
        assert_eq!(any("furlong"), None);
        assert_eq!(any("µµµµ"), None);
    }

    #[test]
    fn a_suggestion_has_the_dimension_that_is_asked_for() {
        let of = |dimension| move |name: &str| unit(name).is_some_and(|(_, d)| d == dimension);
        assert_eq!(suggestion("MM", true, of(Dimension::LENGTH)).as_deref(), Some("mm"));
        assert_eq!(suggestion("mn", true, of(Dimension::FORCE)), None, "mN or MN");
        assert_eq!(suggestion("mn", true, of(Dimension::LENGTH)).as_deref(), Some("mm"));
        assert_eq!(suggestion("degrees", true, of(Dimension::LENGTH)), None);
    }
}
