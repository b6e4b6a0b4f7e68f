//! Dimensions of planar mechanics: products of powers of length, mass, time and angle.
//!
//! Angle counts as a dimension of its own so that `50 Hz` cannot pass for an angular speed. A
//! torque and an energy share a dimension, as in everyday units: the radian of work = torque ×
//! angle is dropped where a value is used (see [`Dimension::accepts`]).

use std::fmt;

use super::ratio::Ratio;

/// Exponents of length, mass, time and angle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Dimension {
    length: Ratio,
    mass: Ratio,
    time: Ratio,
    angle: Ratio,
}

const fn dimension(length: i32, mass: i32, time: i32, angle: i32) -> Dimension {
    Dimension {
        length: Ratio::whole(length),
        mass: Ratio::whole(mass),
        time: Ratio::whole(time),
        angle: Ratio::whole(angle),
    }
}

impl Dimension {
    pub const NUMBER: Self = dimension(0, 0, 0, 0);
    pub const LENGTH: Self = dimension(1, 0, 0, 0);
    pub const MASS: Self = dimension(0, 1, 0, 0);
    pub const TIME: Self = dimension(0, 0, 1, 0);
    pub const ANGLE: Self = dimension(0, 0, 0, 1);
    pub const AREA: Self = dimension(2, 0, 0, 0);
    pub const VOLUME: Self = dimension(3, 0, 0, 0);
    /// Second moment of an area, m⁴
    pub const SECOND_MOMENT: Self = dimension(4, 0, 0, 0);
    pub const SPEED: Self = dimension(1, 0, -1, 0);
    pub const ANGULAR_SPEED: Self = dimension(0, 0, -1, 1);
    pub const ACCELERATION: Self = dimension(1, 0, -2, 0);
    pub const ANGULAR_ACCELERATION: Self = dimension(0, 0, -2, 1);
    pub const FORCE: Self = dimension(1, 1, -2, 0);
    pub const TORQUE: Self = dimension(2, 1, -2, 0);
    pub const ENERGY: Self = Self::TORQUE;
    pub const POWER: Self = dimension(2, 1, -3, 0);
    pub const INERTIA: Self = dimension(2, 1, 0, 0);
    pub const STIFFNESS: Self = dimension(0, 1, -2, 0);
    pub const DAMPING: Self = dimension(0, 1, -1, 0);
    /// N m/rad
    pub const TORSION_STIFFNESS: Self = dimension(2, 1, -2, -1);
    /// N m s/rad
    pub const TORSION_DAMPING: Self = dimension(2, 1, -1, -1);
    pub const PRESSURE: Self = dimension(-1, 1, -2, 0);
    /// Dynamic viscosity, Pa s
    pub const VISCOSITY: Self = dimension(-1, 1, -1, 0);
    /// Viscosity over density, m²/s
    pub const KINEMATIC_VISCOSITY: Self = dimension(2, 0, -1, 0);
    pub const DENSITY: Self = dimension(-3, 1, 0, 0);
    pub const FREQUENCY: Self = dimension(0, 0, -1, 0);
    pub const MOMENTUM: Self = dimension(1, 1, -1, 0);
    /// Mass times eccentricity.
    pub const UNBALANCE: Self = dimension(1, 1, 0, 0);
    pub const PER_LENGTH: Self = dimension(-1, 0, 0, 0);
    /// kg/m
    pub const MASS_PER_LENGTH: Self = dimension(-1, 1, 0, 0);
    pub const PER_SPEED: Self = dimension(-1, 0, 1, 0);

    /// N/mⁿ, the stiffness K of F = K δⁿ. Exponents that are no short fraction are rounded to six
    /// decimals.
    pub fn contact_stiffness(exponent: f64) -> Self {
        let rounded = || Ratio::approximate((exponent * 1e6).round() / 1e6);
        let exponent = Ratio::approximate(exponent).or_else(rounded).unwrap_or(Ratio::ZERO);
        let length = Ratio::ONE.plus(exponent.negated()).unwrap_or(Ratio::ZERO);
        Self { length, ..Self::FORCE }
    }

    /// `None` when an exponent gets out of range, here and below.
    pub fn checked_mul(self, other: Self) -> Option<Self> {
        Some(Self {
            length: self.length.plus(other.length)?,
            mass: self.mass.plus(other.mass)?,
            time: self.time.plus(other.time)?,
            angle: self.angle.plus(other.angle)?,
        })
    }

    pub fn checked_div(self, other: Self) -> Option<Self> {
        self.checked_mul(other.checked_pow(Ratio::whole(-1))?)
    }

    pub fn checked_pow(self, exponent: Ratio) -> Option<Self> {
        Some(Self {
            length: self.length.times(exponent)?,
            mass: self.mass.times(exponent)?,
            time: self.time.times(exponent)?,
            angle: self.angle.times(exponent)?,
        })
    }

    pub fn is_number(self) -> bool {
        self == Self::NUMBER
    }

    /// Whether both are the same apart from a power of the angle.
    pub fn differs_only_by_angle(self, other: Self) -> bool {
        self != other && self.without_angle() == other.without_angle()
    }

    /// Whether a value of dimension `found` may be used where `self` is asked for: equal, or a
    /// quantity of mechanics from which a lever arm has to drop the radian (R ω in m/s, m ω² in
    /// N/m, M φ in J). Pure rates and numbers are never mixed with angles.
    pub fn accepts(self, found: Self) -> bool {
        let has_lever = !self.length.is_zero() || !self.mass.is_zero();
        self == found || (self.angle.is_zero() && has_lever && self.differs_only_by_angle(found))
    }

    /// In what a result of this dimension is shown: the radian is dropped where that makes a quantity with a
    /// name, as N m rad/s is a power.
    pub(crate) fn shown(self) -> Self {
        let plain = self.without_angle();
        match self.name().is_none() && plain.name().is_some() && plain.accepts(self) {
            true => plain,
            false => self,
        }
    }

    fn without_angle(self) -> Self {
        Self { angle: Ratio::ZERO, ..self }
    }

    fn known(self) -> Option<&'static Known> {
        KNOWN.iter().find(|known| known.dimension == self)
    }

    /// "a length", "an angular speed" … where the dimension has a name.
    pub fn name(self) -> Option<&'static str> {
        let contact = self.contact_exponent().map(|_| "a contact stiffness");
        self.known().map(|known| known.name).or(contact)
    }

    /// The name in one word: "length", "speed", "inertia".
    pub(crate) fn word(self) -> Option<&'static str> {
        let name = self.name().filter(|_| !self.is_number())?;
        name.split(" or ").next()?.rsplit(' ').next()
    }

    /// The name where there is one, for messages.
    pub(crate) fn noun(self) -> &'static str {
        self.name().unwrap_or("it")
    }

    /// The name with its unit, for messages.
    pub fn describe(self) -> String {
        match self.name() {
            Some(name) if self.is_number() => name.to_owned(),
            Some(name) => format!("{name} ({self})"),
            None => format!("a quantity in {self}"),
        }
    }

    /// Units people write such quantities in, the most likely first; they read back as this
    /// dimension.
    pub fn common_units(self) -> Vec<String> {
        match self.known() {
            Some(known) => known.units.iter().map(|unit| (*unit).to_owned()).collect(),
            None => vec![self.to_string()],
        }
    }

    /// n of N/mⁿ for n ≥ 1.
    fn contact_exponent(self) -> Option<Ratio> {
        let is_force = Self { length: Ratio::ONE, ..self } == Self::FORCE;
        let exponent = Ratio::ONE.plus(self.length.negated())?;
        (is_force && exponent >= Ratio::ONE).then_some(exponent)
    }
}

struct Known {
    dimension: Dimension,
    /// Unit of factor 1.
    si: &'static str,
    name: &'static str,
    /// Units people write, the most likely first.
    units: &'static [&'static str],
}

const fn known(
    dimension: Dimension,
    si: &'static str,
    name: &'static str,
    units: &'static [&'static str],
) -> Known {
    Known { dimension, si, name, units }
}

const KNOWN: &[Known] = &[
    known(Dimension::NUMBER, "1", "a plain number", &[]),
    known(Dimension::LENGTH, "m", "a length", &["mm", "m"]),
    known(Dimension::MASS, "kg", "a mass", &["kg", "g"]),
    known(Dimension::TIME, "s", "a time", &["s", "ms"]),
    known(Dimension::ANGLE, "rad", "an angle", &["deg", "rad"]),
    known(Dimension::AREA, "m^2", "an area", &["mm^2", "m^2"]),
    known(Dimension::VOLUME, "m^3", "a volume", &["mm^3", "m^3"]),
    known(Dimension::SECOND_MOMENT, "m^4", "a second moment", &["mm^4", "m^4"]),
    known(Dimension::SPEED, "m/s", "a speed", &["m/s", "mm/s"]),
    known(Dimension::ANGULAR_SPEED, "rad/s", "an angular speed", &["rpm", "rad/s"]),
    known(Dimension::ACCELERATION, "m/s^2", "an acceleration", &["m/s^2", "mm/s^2"]),
    known(
        Dimension::ANGULAR_ACCELERATION,
        "rad/s^2",
        "an angular acceleration",
        &["rad/s^2", "deg/s^2"],
    ),
    known(Dimension::FORCE, "N", "a force", &["N", "kN"]),
    known(Dimension::TORQUE, "N m", "a torque or an energy", &["N m", "J"]),
    known(Dimension::POWER, "W", "a power", &["W", "kW"]),
    known(Dimension::INERTIA, "kg m^2", "a moment of inertia", &["kg m^2", "kg mm^2"]),
    known(Dimension::STIFFNESS, "N/m", "a stiffness or a force per length", &["N/m", "N/mm"]),
    known(Dimension::DAMPING, "N s/m", "a damping", &["N s/m"]),
    known(Dimension::TORSION_STIFFNESS, "N m/rad", "a torsion stiffness", &["N m/rad", "N m/deg"]),
    known(Dimension::TORSION_DAMPING, "N m s/rad", "a torsion damping", &["N m s/rad"]),
    known(Dimension::PRESSURE, "Pa", "a pressure", &["MPa", "GPa"]),
    known(Dimension::VISCOSITY, "Pa s", "a viscosity", &["Pa s", "mPa s"]),
    known(Dimension::KINEMATIC_VISCOSITY, "m^2/s", "a kinematic viscosity", &["cSt", "mm^2/s"]),
    known(Dimension::DENSITY, "kg/m^3", "a density", &["kg/m^3", "g/cm^3"]),
    known(Dimension::FREQUENCY, "Hz", "a frequency", &["Hz", "1/s"]),
    known(Dimension::MOMENTUM, "N s", "a momentum", &["N s", "kg m/s"]),
];

/// The SI unit as it is read back: `m/s^2`, `N/m^1.5`, `kg m/(s rad)`.
impl fmt::Display for Dimension {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        if let Some(known) = self.known() {
            return f.write_str(known.si);
        }
        if let Some(exponent) = self.contact_exponent() {
            return write!(f, "N/m^{exponent}");
        }
        let powers = [("kg", self.mass), ("m", self.length), ("rad", self.angle), ("s", self.time)];
        let side = |negative: bool| -> Vec<String> {
            let on_side = powers
                .iter()
                .filter(|(_, exponent)| !exponent.is_zero() && exponent.is_negative() == negative);
            let write = |(unit, exponent): &(&str, Ratio)| match if negative {
                exponent.negated()
            } else {
                *exponent
            } {
                Ratio::ONE => (*unit).to_owned(),
                exponent => format!("{unit}^{exponent}"),
            };
            on_side.map(write).collect()
        };
        let (above, below) = (side(false), side(true));
        let above = if above.is_empty() { "1".to_owned() } else { above.join(" ") };
        match below.as_slice() {
            [] => write!(f, "{above}"),
            [one] => write!(f, "{above}/{one}"),
            several => write!(f, "{above}/({})", several.join(" ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_print_readably() {
        let third = Ratio::new(1, 3).expect("a fraction");
        assert_eq!(Dimension::ACCELERATION.to_string(), "m/s^2");
        assert_eq!(Dimension::contact_stiffness(1.5).to_string(), "N/m^1.5");
        assert_eq!(Dimension::contact_stiffness(1.0), Dimension::STIFFNESS);
        assert_eq!(
            Dimension::LENGTH.checked_pow(third).map(|d| d.to_string()),
            Some("m^(1/3)".into())
        );
        let odd = Dimension::MASS
            .checked_div(Dimension::ANGULAR_SPEED)
            .and_then(|d| d.checked_div(Dimension::AREA));
        assert_eq!(odd.map(|d| d.to_string()), Some("kg s/(m^2 rad)".into()));
        assert_eq!(dimension(0, 0, -3, 0).to_string(), "1/s^3");
    }

    #[test]
    fn dimensions_have_names() {
        assert_eq!(Dimension::LENGTH.name(), Some("a length"));
        assert_eq!(Dimension::contact_stiffness(1.5).describe(), "a contact stiffness (N/m^1.5)");
        assert_eq!(Dimension::NUMBER.describe(), "a plain number");
        assert_eq!(dimension(5, 0, 0, 0).describe(), "a quantity in m^5");
    }

    #[test]
    fn the_radian_is_dropped_only_where_a_lever_arm_needs_it() {
        let lever = Dimension::LENGTH.checked_mul(Dimension::ANGULAR_SPEED).expect("in range");
        assert!(Dimension::SPEED.accepts(lever));
        assert!(!lever.accepts(Dimension::SPEED));
        assert!(!Dimension::TORSION_STIFFNESS.accepts(Dimension::TORQUE));
        assert!(!Dimension::ANGULAR_SPEED.accepts(Dimension::FREQUENCY));
        assert!(!Dimension::FREQUENCY.accepts(Dimension::ANGULAR_SPEED));
        assert!(!Dimension::NUMBER.accepts(Dimension::ANGLE));
    }

    #[test]
    fn exponents_out_of_range_are_refused() {
        let mut dimension = Dimension::LENGTH;
        while let Some(next) = dimension.checked_pow(Ratio::whole(1000)) {
            dimension = next;
        }
        assert!(Dimension::contact_stiffness(f64::NAN).name().is_some());
    }
}
