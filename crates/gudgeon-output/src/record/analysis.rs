//! Records of what is no run: assembled mechanisms, bearing analyses, papers, refusals.

use serde::{Deserialize, Serialize};

use super::{
    Environment, Finding, Kept, Mistake, ModelText, Named, Number, Overrides, Parameter, Status,
    Warning,
};

/// What is known of a mechanism that was assembled.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Assembly {
    pub mobility: usize,
    pub ideal_mobility: usize,
    pub ideal_starts: bool,
    pub coordinates: usize,
    pub rows: usize,
    pub redundant: Vec<Row>,
    pub not_unique: Vec<Row>,
    /// Reactions that the motion does not determine, in names of outputs, by joint.
    #[serde(skip_serializing_if = "Named::is_empty")]
    pub not_unique_reactions: Named<Vec<String>>,
}

/// A constraint by its joint or driver.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Row {
    pub owner: String,
    pub row: String,
}

/// A mechanism that was read and assembled, not run: the object of `gudgeon check --json`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CheckRecord {
    pub status: Status,
    pub model: ModelCounts,
    pub parameters: Named<Parameter>,
    pub assembly: Assembly,
    pub pose: Vec<Pose>,
    pub warnings: Vec<Warning>,
    /// Requests of `[start]` that were not met.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub start: Vec<Departure>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tilts: Vec<Tilt>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flexible: Vec<FlexibleLink>,
    /// What the motion is integrated in, where that is joint coordinates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub joint_coordinates: Option<JointCoordinates>,
    /// What links of method `erls` are measured against.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub equivalent_rigid: Option<EquivalentRigid>,
    /// What `coordinates = "auto"` took, and why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coordinates: Option<super::Taken>,
    /// Where they were asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outputs: Option<Vec<OutputInfo>>,
    /// How far the ideal mechanism was followed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ideal_motion: Option<IdealMotion>,
}

/// Joint coordinates: how many are unknown and how many rows are solved for, drivers whose coordinates are known, joints that
/// carry no body with the reason, and bodies that nothing carries.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct JointCoordinates {
    pub unknown: usize,
    pub rows: usize,
    pub known: Vec<String>,
    pub cut: Named<String>,
    pub free: Vec<String>,
}

/// An equivalent rigid-link system: its mobility by Kutzbach's count, drivers not counted; joints whose angles are
/// independent, follow from loops, and are driven; elastic coordinates held at zero and the conditioning of their rows of
/// the Jacobian, largest over smallest singular value; how many elastic coordinates are solved for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EquivalentRigid {
    pub kutzbach: i64,
    pub independent: Vec<String>,
    pub dependent: Vec<String>,
    pub driven: Vec<String>,
    pub zeroed: Vec<String>,
    pub condition: f64,
    pub elastic: usize,
}

/// How a flexible link is divided.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FlexibleLink {
    pub name: String,
    pub method: String,
    pub element: String,
    pub elasticity: Option<String>,
    pub elements: usize,
    pub coordinates: usize,
    pub length: f64,
    pub mass: f64,
    /// Of rigid finite elements the fastest vibration of their springs, rad/s, and in what.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fastest: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fastest_in: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ModelCounts {
    pub name: String,
    pub bodies: usize,
    pub joints: usize,
    pub drivers: usize,
    pub forces: usize,
}

/// Where a body starts: an angle in the plane, a turn and a quaternion in space.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Pose {
    pub name: String,
    pub x: f64,
    pub y: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub z: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub angle: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<Turn>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quaternion: Option<[f64; 4]>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Turn {
    pub angle: f64,
    pub axis: [f64; 3],
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Departure {
    pub name: String,
    pub quantity: String,
    pub unit: String,
    pub requested: Vec<f64>,
    pub assembled: Vec<f64>,
    pub difference: f64,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tilt {
    pub joint: String,
    pub tilt: f64,
    pub limit: f64,
}

/// Something that a run can report.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OutputInfo {
    pub name: String,
    pub unit: String,
    pub about: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unique: Option<bool>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct IdealMotion {
    pub followed_to: f64,
    pub locks: Option<Lock>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Lock {
    pub t: f64,
    pub driver: String,
    pub position: f64,
    pub unit: String,
}

/// Journals at rest in their films: `run.json` of a bearing analysis, and its answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct BearingRecord {
    /// [`super::FORMAT`] and the version of the program; in files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gudgeon: Option<String>,
    pub status: Status,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Mistake>,
    pub analysis: String,
    pub model: ModelText,
    pub parameters: Named<Parameter>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vary: Option<Varied>,
    pub points: Vec<BearingPoint>,
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

/// The parameter that takes one value after the other.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Varied {
    pub parameter: String,
    pub unit: String,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BearingPoint {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bearings: Option<Vec<Bearing>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Mistake>,
}

/// A bearing: its numbers by the names of the columns of `bearing.csv`, and its coefficients in axes
/// of the bearing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Bearing {
    pub joint: String,
    #[serde(flatten)]
    pub numbers: Named<Number>,
    pub bearing_axes: Coefficients,
}

/// Stiffness and damping of a film, rows first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Coefficients {
    #[serde(rename = "K")]
    pub stiffness: [[f64; 2]; 2],
    #[serde(rename = "C")]
    pub damping: [[f64; 2]; 2],
}

/// A paper, recomputed: the object of `gudgeon reproduce --json`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PaperRecord {
    pub paper: String,
    pub rows: Vec<PaperRow>,
    /// Of `--figures`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub figures: Vec<PaperFigure>,
    pub status: Status,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<Finding>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PaperRow {
    pub case: String,
    pub quantity: String,
    pub printed: Option<f64>,
    pub value: Option<f64>,
    pub reference: Option<f64>,
    pub tolerance: Option<f64>,
    /// How the value is judged, in words.
    #[serde(default)]
    pub criterion: String,
    pub verdict: String,
    pub expected: String,
    pub unit: String,
    pub ratio: Option<f64>,
    pub spread: Option<f64>,
    pub claim: Option<String>,
    pub series: Vec<Vec<Number>>,
    pub note: String,
}

/// A figure of a paper, drawn again.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PaperFigure {
    pub paper: String,
    pub number: String,
    pub about: String,
    pub files: Vec<String>,
    /// Why there is nothing to draw.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// What makes its results and draws from them.
    pub commands: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Why a command did not start: nothing was written.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RefusedRecord {
    pub status: Status,
    pub errors: Vec<Finding>,
    /// Errors beyond those listed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub more: Option<usize>,
}
