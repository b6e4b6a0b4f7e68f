//! What a run does with a model: the `[run]` section, with the overrides of the command line.

pub use gudgeon::run::{Every, Limits, Loop, Method, PressureAt, RunSpec, Until};

use crate::ranges::ShownUnit;

/// What is asked of a mechanism.
#[derive(Clone, Debug, PartialEq)]
pub enum Analysis {
    /// Its motion, as [`RunSpec`] says.
    Motion,
    /// Where its journals rest in their films, and the films' coefficients there; a parameter may
    /// take one value after the other.
    Bearing(Option<Vary>),
}

/// Values that a parameter takes.
#[derive(Clone, Debug, PartialEq)]
pub struct Vary {
    pub parameter: String,
    /// In SI units.
    pub values: Vec<f64>,
    /// The unit of the file.
    pub shown: Option<ShownUnit>,
}

/// What `[run]` asks for.
#[derive(Clone, Debug)]
pub struct RunSection {
    pub run: RunSpec,
    pub analysis: Analysis,
    /// Start and end of the pictures, where it is not the measuring window.
    pub plot_range: Option<(Until, Until)>,
}
