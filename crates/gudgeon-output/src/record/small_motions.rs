//! Records of equilibria, modes and harmonic responses.

use serde::{Deserialize, Serialize};

use super::{
    Environment, Extreme, Finding, Kept, Mistake, ModelText, Named, Number, Overrides, Parameter,
    Row, Status, Varied, Warning,
};

/// A static, modal or response analysis: its `run.json`, and its answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct AnalysisRecord {
    /// [`super::FORMAT`] and the version of the program; in files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gudgeon: Option<String>,
    pub status: Status,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Mistake>,
    /// `static`, `modal` or `response`.
    pub analysis: String,
    /// The state: `equilibrium`, `start`, `rotation`, `frozen`.
    pub about: String,
    pub model: ModelText,
    pub parameters: Named<Parameter>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vary: Option<Varied>,
    /// Whether small motions about the state die out or stay small.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stable: Option<bool>,
    /// Value of the parameter from which they grow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stability_limit: Option<f64>,
    /// Degrees of freedom.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mobility: Option<usize>,
    /// Rows that depend on others and were left out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dependent: Vec<Row>,
    /// Of a static analysis: outputs at the equilibrium; of a path over all of it, with values of the parameter in the
    /// place of times.
    #[serde(skip_serializing_if = "Named::is_empty")]
    pub extremes: Named<Extreme>,
    /// Of a static analysis: `t` = 0 and the outputs; of a path those at its end.
    #[serde(rename = "final", skip_serializing_if = "Named::is_empty")]
    pub last: Named<Number>,
    /// Of a modal analysis without `vary`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub modes: Option<Vec<ModeRecord>>,
    /// By value of the parameter or by frequency.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub points: Vec<AnalysisPoint>,
    pub warnings: Vec<Warning>,
    /// In files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overrides: Option<Overrides>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub environment: Option<Environment>,
    /// In answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept: Option<Kept>,
    /// What the folder holds; in files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<Finding>,
}

/// A mode.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ModeRecord {
    /// Hz.
    pub frequency: f64,
    pub damping_ratio: f64,
    /// Real and imaginary part, 1/s.
    pub eigenvalue: [f64; 2],
    /// Of a parameter that varies: which mode it is, followed by its shape and counted from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub track: Option<usize>,
    /// Shares of the energy of deformation by element, and of the kinetic energy by body.
    #[serde(default, skip_serializing_if = "Named::is_empty")]
    pub strain: Named<f64>,
    #[serde(default, skip_serializing_if = "Named::is_empty")]
    pub kinetic: Named<f64>,
    #[serde(default, skip_serializing_if = "Named::is_empty")]
    pub shape: Named<BodyMotion>,
}

/// Motion of a body in a mode: of its mass centre and its rotation, real and imaginary parts in x, y, z.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BodyMotion {
    pub translation: [[f64; 2]; 3],
    pub rotation: [[f64; 2]; 3],
}

/// A point of a path, of modes over a parameter or of a response.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct AnalysisPoint {
    /// The parameter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// Hz, of a response.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frequency: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stable: Option<bool>,
    /// The parameter turns back here.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub limit: bool,
    /// Outputs of a path.
    #[serde(skip_serializing_if = "Named::is_empty")]
    pub outputs: Named<Number>,
    /// Amplitude and phase (rad) of the outputs of a response.
    #[serde(skip_serializing_if = "Named::is_empty")]
    pub response: Named<[Number; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub modes: Option<Vec<ModeRecord>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Mistake>,
}
