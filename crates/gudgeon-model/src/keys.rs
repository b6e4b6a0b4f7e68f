//! The vocabulary of the model file: what a table may hold, said once.
//!
//! The readers check tables against these lists and the JSON schema is printed from them, so that
//! the two cannot drift apart. The lists themselves stand with their sections, in `spec`.

use crate::units::Dimension;

/// A table with fixed keys.
#[derive(Debug)]
pub struct Keys {
    pub about: &'static str,
    pub keys: &'static [Key],
}

#[derive(Debug)]
pub struct Key {
    pub name: &'static str,
    pub kind: Kind,
    pub need: Need,
    pub about: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    Required,
    Optional,
}

/// What a key holds.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    Text,
    /// true or false
    Flag,
    /// Anything: checked where it is used.
    Any,
    /// A number without dimension.
    Number,
    /// A whole number from 1.
    Count,
    /// A value with unit.
    Quantity(Dimension),
    /// A value whose dimension follows from other keys; the text is an example.
    Varies(&'static str),
    /// A value with unit that may depend on t.
    Function(Dimension),
    /// Two values with unit, three in space.
    Vector(Dimension),
    /// Two values with unit that may depend on t, three in space.
    Functions(Dimension),
    /// Three values with unit.
    Triple(Dimension),
    /// Rows of values, plain numbers in SI; so many in space, three in the plane.
    Matrix(usize),
    Choice(&'static [&'static str]),
    List(&'static Kind),
    Table(&'static Keys),
    /// A table whose kind follows from its key `tag`.
    Tagged(&'static Tagged),
    /// A table with names of the user's choice.
    Named(&'static Kind),
    Either(&'static [Kind]),
}

/// Tables told apart by one of their keys, which all of them list.
#[derive(Debug)]
pub struct Tagged {
    pub tag: &'static str,
    pub about: &'static str,
    pub variants: &'static [(&'static str, Keys)],
}

impl Keys {
    pub fn get(&self, name: &str) -> Option<&Key> {
        self.keys.iter().find(|key| key.name == name)
    }

    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.keys.iter().map(|key| key.name)
    }
}

pub const fn required(name: &'static str, kind: Kind, about: &'static str) -> Key {
    Key { name, kind, need: Need::Required, about }
}

pub const fn optional(name: &'static str, kind: Kind, about: &'static str) -> Key {
    Key { name, kind, need: Need::Optional, about }
}

/// Keys of which a table takes exactly one. A file that extends another, or the command line,
/// replaces the one by giving another.
pub const RADII: &[&str] = &["radial", "diametral", "journal_radius"];
pub const MOTIONS: &[&str] = &["angle", "speed", "displacement"];
pub const SHAPES: &[&str] = &["cylinder", "tube", "box", "rod", "sphere"];
pub const DENSITIES: &[&str] = &["material", "density"];
pub const ROTATIONS: &[&str] = &["turn", "quaternion"];
pub const STIFFNESSES: &[&str] = &["stiffness", "stiffness_per_base"];
pub const AXIALS: &[&str] = &["axial", "axial_clearance"];
pub const RATES: &[&str] = &["angular_velocity", "body_rate"];
pub const PLACES: &[&str] = &["at", "along"];
pub const ALTERNATIVES: &[&[&str]] =
    &[RADII, MOTIONS, SHAPES, DENSITIES, ROTATIONS, STIFFNESSES, AXIALS, RATES, PLACES];

/// Tables whose keys are names of the user's choice, and no alternatives of one another.
pub const NAMED: &[&str] =
    &["parameters", "bodies", "joints", "drivers", "forces", "start", "outputs", "frames", "loops"];

/// Directions along an axis.
pub const AXES: &[&str] = &["x", "-x", "y", "-y", "z", "-z"];
/// A direction: along an axis, or as a vector of numbers.
pub const AXIS: Kind = Kind::Either(&[Kind::Choice(AXES), Kind::Vector(Dimension::NUMBER)]);
