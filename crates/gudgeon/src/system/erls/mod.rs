//! Flexible links on an equivalent rigid-link system: a map behind the equations, as joint coordinates are.
//!
//! A mechanism of rigid links (`rigid.rs`) moves by independent angles q. Against it every node of every link has an elastic
//! displacement u, those that meet in a joint the same (`joints.rs`). A point of link ℓ with the frame (P, R),
//!
//!   p = P + R (X + S d),   d = T(q) u                                                            (1)
//!
//! has the acceleration of all terms of (1). Node for node db = du + J dq: as many elastic coordinates as there are angles
//! are held at zero (`zeroed.rs`), such that their rows J₀ of J are regular. Virtual displacements are
//!
//!   δp = R S T δu   and   δp = δP + δφ × R X = R S J δq,                                          (2)
//!
//! of a motion of the rigid system that of the undeformed link. What the second leaves out, δφ × R S d + R S δT u, is small
//! where d is; with it the equations would keep energy (`Virtual::Exact`). With the nodal forces r_ℓ of inertia, weight,
//! loads, damping and elasticity on d, the equations of motion are
//!
//!   Σ Tᵀ r_ℓ = 0,   Σ Jᵀ r_ℓ = 0                                                                 (3)
//!
//! In terms of the literature r = M(J q̈ + J̇ q̇ + ü) + 2(M_G1 + M_G2) u̇ + (M_C1 + 2M_C2 + M_C3) u + α M u̇ + β K u̇ + K u − f:
//! M_G1 of 2 Ṙ S u̇, M_G2 of 2 S Ṫ u̇; M_C1 of R̈ S u, M_C2 of Ṙ S Ṫ u, M_C3 of S T̈ u, all with what they contain of q̈,
//! which belongs to the masses. Jᵀ K = 0, since rigid motions of the undeformed link cost nothing: K u and β K u̇ act in the
//! first rows only, α M u̇ in both. Since T and J together make up every motion of the nodes, (3) is the balance of all of
//! them, those held at zero with them.
//!
//! What the equations lack gains or loses energy at the power
//!
//!   P = Σ V_ℓ · (M_ℓ a_ℓ − f_ℓ) − Σ τ α̇                                                           (4)
//!
//! of the exact balances of frame and elastic coordinates along the true velocities (`power.rs`), with drivers' torques τ.
//!
//! A rigid body is a link with one node at its mass centre (`bodies.rs`), from which its joints stand at arms r, u + φ × r.
//! It has the displacements that flexible links hand on, and none where it is driven from the ground.
//!
//! References: Vidoni, Gasparetto, Giovagnoni, *A method for modeling three-dimensional flexible mechanisms based on an
//! equivalent rigid-link system*, 2013, whose (29) and (36) have the wrong sign of ṘᵀR and whose M_C stands without q̈ on the
//! right.

mod bodies;
mod build;
mod error;
pub(super) mod joints;
mod place;
mod power;
mod reactions;
mod report;
pub(super) mod rigid;
mod solve;
mod tangents;
mod work;
mod zeroed;

use gudgeon_dae::linear::Ldl;
use nalgebra::{Matrix3, Vector3};

use bodies::RigidLink;
pub use build::refused;
pub use error::ErlsError;
pub use report::EquivalentRigid;
pub use work::ErlsWork;
pub use zeroed::Lost;

use crate::flexible::Erls as Terms;
use joints::Cluster;
use rigid::Rigid;

/// Where an elastic coordinate of a link comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    /// A coordinate of its own, among all.
    Own(usize),
    /// Freedom of a member of a cluster.
    Member { cluster: usize, member: usize, freedom: usize },
}

/// An elastic coordinate of the system: a freedom of a node in axes of its link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unknown {
    pub link: usize,
    pub node: usize,
    /// Of displacement and rotation, 0 … 5.
    pub freedom: usize,
    /// Direction of it, in axes of the node.
    pub along: Vector3<f64>,
    /// Whether a joint leaves it free between two nodes.
    pub is_free: bool,
    /// Where it stands in u; none where it is held at zero.
    pub index: Option<usize>,
}

/// What a link is.
#[derive(Clone, Copy, Debug)]
enum Made {
    /// Elements: its member of [`System::floating`](super::System).
    Flexible(usize),
    /// One body, whose mass centre is its node.
    Rigid(RigidLink),
}

/// A link on its rigid one.
#[derive(Clone, Debug)]
struct Link {
    made: Made,
    /// X of its nodes and their axes, in the frame.
    nodes: Vec<Vector3<f64>>,
    axes: Matrix3<f64>,
    /// By elastic coordinate.
    sources: Vec<Source>,
    terms: Terms,
    /// Entries of its masses with freedoms of nodes in joints, which turn: (i, j ≤ i, M_ij).
    turning: Vec<(usize, usize, f64)>,
}

impl Link {
    fn is_rigid(&self) -> bool {
        matches!(self.made, Made::Rigid(_))
    }
}

/// A mechanism of flexible links on an equivalent rigid-link system.
#[derive(Clone, Debug)]
pub struct EquivalentSystem {
    pub(super) rigid: Rigid,
    links: Vec<Link>,
    clusters: Vec<Cluster>,
    unknowns: Vec<Unknown>,
    /// Those that are held at zero.
    zeroed: Vec<Unknown>,
    /// Freedoms of a node.
    freedoms: &'static [usize],
    /// Number of elastic coordinates that are solved for.
    elastic: usize,
    /// Whether each velocity of the state is that of a turn.
    turns: Vec<bool>,
    /// Pattern of M of these, and their places in it.
    ldl: Ldl,
    order: Vec<usize>,
    /// What of them never changes.
    constant: Vec<f64>,
    /// Its places: (i, j ≤ i, slot).
    pattern: Vec<(usize, usize, usize)>,
    /// Coordinates that derivatives are taken by at once.
    pub(super) colours: Option<tangents::Colours>,
    length: f64,
    /// Conditioning of J₀ at the start: largest over smallest singular value, lengths over that of the mechanism.
    condition: f64,
    kutzbach: i64,
}

pub(super) use build::rough_states;

impl EquivalentSystem {
    /// Number of coordinates, as many as velocities: q, then u.
    pub fn size(&self) -> usize {
        self.rigid.independent + self.elastic
    }

    /// Whether a velocity of the state is that of a turn.
    pub fn is_turn(&self, i: usize) -> bool {
        self.turns[i]
    }
}
