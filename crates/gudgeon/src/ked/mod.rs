//! Kineto-elastodynamics: how the links of a planar linkage vibrate about its rigid motion.
//!
//! The rigid mechanism runs first, driven or under its loads, and knows nothing of the vibration. Its accelerations
//! load the links, which are frame elements (`element.rs`) whose displacements x against the rigid motion are small:
//!
//!   M(t) ẍ + C(t) ẋ + K(t) x = F(t) − load of the rigid motion                                    (1)
//!
//! linear, with coefficients that follow the rigid motion (`assemble.rs`), by Newmark's method at steps of its own
//! (`vibration.rs`). Links are those with a `flexible` table, whatever its `method`; other bodies are rigid parts of (1)
//! (`topology.rs`), and joints are ideal.
//!
//! | file | what |
//! |---|---|
//! | `element.rs`, `band.rs`, `order.rs` | element matrices and loads; band matrices and their order |
//! | `linkage.rs`, `topology.rs` | elements, masses and coordinates of a model; what joints hold together |
//! | `rigid.rs`, `motion.rs` | what is read of the rigid motion; poses with the vibration for those who show them |
//! | `assemble.rs`, `vibration.rs` | (1) at an instant; Newmark's steps |
//! | `outputs.rs`, `run.rs`, `extremes.rs`, `frequencies.rs` | outputs; the run with its observer; what it reports |
//!
//! Validity: strains and rotations are small; the vibration does not change the rigid motion, nor forces that depend
//! on it; loads act in the rigid positions. What a mechanism has beyond that is refused by name.
//! Reference: hac (NOTATION.md).

mod assemble;
mod band;
mod element;
mod extremes;
mod frequencies;
mod linkage;
mod motion;
mod order;
mod outputs;
mod rigid;
mod run;
#[cfg(test)]
mod tests;
mod topology;
mod vibration;

pub(crate) use run::simulate;

use crate::flexible::Flexible;
use crate::model::{BodyId, Model};
use crate::sensor::Component;
use linkage::Linkage;

/// How the vibration is computed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KedSpec {
    /// Of Newmark's method, s; where there is none, a share of the fastest first bending period of the links.
    pub step: Option<f64>,
    pub beta: f64,
    pub gamma: f64,
    pub case: Case,
    /// Whether driven joints, and joints with a torque between their sides, turn with the rigid motion.
    pub clamp_driven: bool,
    pub lock_actuated: bool,
    pub start: StartFrom,
    /// Gyroscopic, centrifugal and tangential terms of the turning axes.
    pub coupling: bool,
    pub geometric: Geometric,
}

impl Default for KedSpec {
    fn default() -> Self {
        Self {
            step: None,
            beta: 0.25,
            gamma: 0.5,
            case: Case::Exact,
            clamp_driven: true,
            lock_actuated: true,
            start: StartFrom::Zero,
            coupling: true,
            geometric: Geometric::None,
        }
    }
}

/// How the acceleration of the rigid motion loads the nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Case {
    /// With a shape for the rigid motion of its own, without rotations.
    One,
    /// With the elastic shape, without rotations.
    Two,
    /// As it is.
    #[default]
    Exact,
    /// Case 2 less case 1, and no other load: (1) is linear, so that this is the difference of their results.
    Difference,
}

impl Case {
    /// Its word in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::One => "1",
            Self::Two => "2",
            Self::Exact => "exact",
            Self::Difference => "difference",
        }
    }
}

/// Displacements at the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StartFrom {
    #[default]
    Zero,
    /// Those that the loads of the first instant would hold at rest.
    QuasiStatic,
}

/// Whose axial force stiffens elements across.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Geometric {
    #[default]
    None,
    /// That of the rigid motion.
    Rigid,
    /// That of the elements at the last step.
    Actual,
}

impl Geometric {
    /// Its word in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Rigid => "rigid",
            Self::Actual => "actual",
        }
    }
}

/// A link that stays rigid in the motion, beside its body.
#[derive(Clone, Debug)]
pub struct RigidLink {
    pub body: BodyId,
    pub link: Box<Flexible>,
}

/// What the analysis shows at a place of a link beyond what flexible links always do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KedQuantity {
    Displacement(Component),
    Rotation,
    BendingStrain(Side),
    NodalForce(Component),
    NodalMoment,
    InertiaLoad(LoadOf, Component),
    InertiaMoment(LoadOf),
}

/// Of the elements that meet at a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Mean,
    Before,
    Behind,
}

/// Which load of the rigid motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LoadOf {
    /// Of the case that is computed.
    Own,
    Case(Case),
}

/// What the analysis cannot take.
#[derive(Clone, Debug, PartialEq)]
pub struct Unsuited {
    /// Joint or body; empty for the mechanism.
    pub owner: String,
    pub why: String,
    pub help: &'static str,
}

/// Everything that the analysis cannot take of a model.
pub fn unsuited(model: &Model, spec: &KedSpec) -> Vec<Unsuited> {
    Linkage::new(&model.divided(), spec).err().unwrap_or_default()
}

/// Joints that carry no driver and whose sides turn as one in the vibration.
pub fn locked(model: &Model, spec: &KedSpec) -> Vec<String> {
    let linkage = Linkage::new(&model.divided(), spec);
    let locked = linkage.map(|linkage| linkage.locked).unwrap_or_default();
    let driven = |joint: &usize| model.drivers.iter().any(|driver| driver.joint.0 == *joint);
    let names = locked.iter().filter(|joint| !driven(joint));
    names.filter_map(|joint| Some(model.joints.get(*joint)?.name.clone())).collect()
}

/// How the vibration was computed.
#[derive(Clone, Debug, PartialEq)]
pub struct KedReport {
    pub spec: KedSpec,
    /// s.
    pub step: f64,
    pub steps: u64,
    pub elements: usize,
    pub coordinates: usize,
    pub half_width: usize,
    /// Joints whose sides turn as one in the vibration.
    pub locked: Vec<String>,
    /// Of the linkage at the start, rising, Hz; none where it has too many coordinates.
    pub frequencies: Vec<f64>,
    /// Largest strain of outer fibres, bending and stretch together, by link.
    pub strains: Vec<(String, crate::results::LinkPeak)>,
    /// Thread time of the vibration alone, s.
    pub cpu: f64,
}
