//! What a run does with a model: the `[run]` section, with the overrides of the command line.

pub use gudgeon::run::{Every, Limits, Loop, Method, PressureAt, RunSpec, Until};

use gudgeon::modal::{About, Excitation, ModalSpec};

use crate::ranges::ShownUnit;

/// What is asked of a mechanism.
#[derive(Clone, Debug, PartialEq)]
pub enum Analysis {
    /// Its motion, as [`RunSpec`] says.
    Motion,
    /// Its motion with rigid links, and how these vibrate about it, as [`RunSpec`] says.
    Ked,
    /// Where its journals rest in their films, and the films' coefficients there; a parameter may
    /// take one value after the other.
    Bearing(Option<Vary>),
    /// Where it rests under its loads.
    Static(StaticAnalysis),
    /// Its small motions about a state.
    Modal(ModalAnalysis),
    /// Its small motions under a harmonic load.
    Response(ResponseAnalysis),
}

impl Analysis {
    /// Its word in files.
    pub fn name(&self) -> &'static str {
        match self {
            Analysis::Motion => "motion",
            Analysis::Ked => "ked",
            Analysis::Bearing(_) => "bearing",
            Analysis::Static(_) => "static",
            Analysis::Modal(_) => "modal",
            Analysis::Response(_) => "response",
        }
    }

    /// The parameter that takes one value after the other.
    pub fn vary(&self) -> Option<&Vary> {
        match self {
            Analysis::Motion | Analysis::Ked | Analysis::Response(_) => None,
            Analysis::Bearing(vary) => vary.as_ref(),
            Analysis::Static(analysis) => analysis.vary.as_ref(),
            Analysis::Modal(analysis) => analysis.vary.as_ref(),
        }
    }
}

/// An equilibrium, or a path of them.
#[derive(Clone, Debug, PartialEq)]
pub struct StaticAnalysis {
    /// An equilibrium at rest, of spinning shafts or of everything rotating.
    pub about: About,
    pub vary: Option<Vary>,
}

/// Modes, or modes over a parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct ModalAnalysis {
    pub spec: ModalSpec,
    pub vary: Option<Vary>,
}

/// The response to a harmonic load.
#[derive(Clone, Debug, PartialEq)]
pub struct ResponseAnalysis {
    pub about: About,
    pub excitation: Excitation,
    /// Hz.
    pub frequencies: Vec<f64>,
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
