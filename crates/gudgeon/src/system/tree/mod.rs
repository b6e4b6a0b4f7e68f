//! Joint coordinates: bodies that joints carry, from the ground outwards, and sweeps over them.
//!
//! Every body of the tree has a link: the joint that carries it, and its coordinates, of which driven ones are known
//! functions of time. The others, q and v, determine the velocities of all bodies,
//!
//!   v_abs = T(q, t) v + v_known,   v̇_abs = T v̇ + b                                              (1)
//!
//! with b of (2) of `link.rs`. T is not formed: one sweep outwards multiplies by it, one inwards by Tᵀ. Contacts,
//! films, forces, sensors and rows see bodies as before; with the equations of the bodies, M_abs diagonal,
//!
//!   TᵀM_abs T v̇ = Tᵀ(f_abs − M_abs b) − (G_abs T)ᵀ λ,   G_abs T v̇ = γ                           (2)
//!
//! where γ takes b from the biases of the markers, and G has rows for cut joints only. M⁻¹ of M = TᵀM_abs T is applied in
//! two sweeps by articulated inertias (`masses.rs`). What joints of the tree carry follows from the bodies that they hold
//! (`reactions.rs`): the wrench on a body by its joint is the sum over it and all beyond it of
//!
//!   M_abs v̇_abs − f_abs + G_absᵀ λ                                                              (3)
//!
//! Friction in joints of the tree has its loads from there: `system/reactions.rs` iterates as it does for rows.
//!
//! Links that one link at the ground carries are a branch; M couples no two of them. Velocities of beams and of bodies in
//! natural coordinates stand behind those of the tree, unchanged.
//!
//! Featherstone, *Rigid Body Dynamics Algorithms*, Springer 2008.

mod coordinates;
mod forward;
mod link;
mod masses;
mod reactions;
mod report;
pub(super) mod rows;
mod solve;
mod spanning;
mod sweeps;
pub(super) mod tangents;
mod variation;
mod work;

use std::ops::Range;

use super::component::RigidBody;
use crate::marker::Attachment;
use crate::model::{DriverId, JointId, Model, Space};
pub use link::{Link, Motion};
pub(super) use reactions::share;
pub use report::{CutJoint, JointCoordinates};
pub use rows::BranchRows;
use rows::Touch;
pub(super) use solve::{gather_directions, reduce, respond, solve};
pub use work::TreeWork;

/// Bodies in joint coordinates.
#[derive(Clone, Debug)]
pub struct Tree {
    /// Branch by branch, carriers first.
    pub links: Vec<Link>,
    pub branches: Vec<Branch>,
    /// The link of each moving body.
    pub of_body: Vec<Option<usize>>,
    /// Numbers of coordinates and velocities of the tree, and of its bodies one by one.
    pub sizes: [usize; 2],
    pub absolute: [usize; 2],
    /// Whether the velocity of a coordinate is that of a turn.
    turns: Vec<bool>,
    /// How many links lead to each, with itself.
    depths: Vec<usize>,
    space: Space,
    /// Links with known coordinates.
    driven: Vec<usize>,
    /// Whether one of them carries a body with artificial masses.
    drives_artificial_masses: bool,
    /// Whether q̇ = v.
    is_plain: bool,
    /// Rows of cut joints by branch, where it has unknown velocities.
    pub rows: Vec<BranchRows>,
    /// Links whose joints have friction.
    rubbing: Vec<usize>,
    /// Markers that only outputs and reactions see.
    pub(super) held: Vec<usize>,
    /// Every side of a row that is on a link, and the markers there.
    touches: Vec<Touch>,
    touched: Vec<usize>,
}

/// Links that one link at the ground carries, and where their unknown coordinates stand.
#[derive(Clone, Debug)]
pub struct Branch {
    pub links: Range<usize>,
    pub v: Range<usize>,
}

impl Tree {
    pub(super) fn new(model: &Model, bodies: &[RigidBody], attachments: &[Attachment]) -> Self {
        let space = model.space;
        let mut links = spanning::links(model, bodies, attachments);
        let (mut q, mut v) = (0, 0);
        let mut turns = Vec::new();
        for link in &mut links {
            (link.q, link.v) = (q, v);
            let [coordinates, velocities] = link.sizes;
            let known = link.known.iter().flatten().count();
            for column in 0..velocities {
                if link.known.get(column).is_some_and(|known| known.is_some()) {
                    continue;
                }
                link.unknown[link.free] = column;
                link.free += 1;
                turns.push(link.motion.turns(column, space));
            }
            q += coordinates - known;
            v += velocities - known;
        }
        for i in 0..links.len() {
            let parent = links[i].parent;
            links[i].still = links[i].free == 0 && parent.is_none_or(|at| links[at].still);
            if let Some(parent) = parent {
                links[parent].bare = false;
            }
        }
        let mut of_body = vec![None; bodies.len()];
        links.iter().enumerate().for_each(|(i, link)| of_body[link.body] = Some(i));
        let carried = || bodies.iter().zip(&of_body).filter(|(_, link)| link.is_some());
        let absolute = [0, 1].map(|k| carried().map(|(body, _)| body.sizes[k]).sum());
        let has_known = |&i: &usize| links[i].known.iter().any(Option::is_some);
        let driven = (0..links.len()).filter(has_known).collect();
        let drives_artificial_masses = drives_artificial_masses(&links, bodies);
        let is_plain = links.iter().all(|link| link.sizes[0] == link.sizes[1]);
        let branches = branches(&links);
        let mut depths: Vec<usize> = vec![1; links.len()];
        for (i, link) in links.iter().enumerate() {
            depths[i] += link.parent.map_or(0, |parent| depths[parent]);
        }
        let sizes = [q, v];
        let rows = Vec::new();
        let (touches, touched, held) = (Vec::new(), Vec::new(), Vec::new());
        let rubs = |joint: JointId| model.joints[joint.0].friction.is_some();
        let rubbing = (0..links.len()).filter(|&i| links[i].joint.is_some_and(rubs)).collect();
        Self {
            links,
            branches,
            of_body,
            sizes,
            absolute,
            turns,
            depths,
            space,
            driven,
            drives_artificial_masses,
            is_plain,
            rows,
            rubbing,
            held,
            touches,
            touched,
        }
    }

    /// Whether a joint carries a body.
    pub fn carries(&self, joint: JointId) -> bool {
        self.link_of(joint).is_some()
    }

    /// Whether friction acts in joints that carry bodies: its loads are reactions, which are no unknowns there.
    pub fn rubs(&self) -> bool {
        !self.rubbing.is_empty()
    }

    /// The first joint with friction that carries a body.
    pub fn rubbing_joint(&self) -> Option<JointId> {
        self.rubbing.first().and_then(|&link| self.links[link].joint)
    }

    /// The link that a joint carries.
    pub fn link_of(&self, joint: JointId) -> Option<usize> {
        self.links.iter().position(|link| link.joint == Some(joint))
    }

    /// Whether a driver prescribes a coordinate of the tree.
    pub fn knows(&self, driver: DriverId) -> bool {
        spanning::knows(&self.links, driver)
    }

    /// The branch of a link.
    fn branch_of(&self, link: usize) -> usize {
        self.branches.partition_point(|branch| branch.links.end <= link)
    }

    /// By how much velocities of bodies outside the tree stand before those of the bodies one by one.
    pub fn shift(&self) -> [usize; 2] {
        [0, 1].map(|k| self.absolute[k] - self.sizes[k])
    }

    /// Whether a velocity of the tree is that of a turn.
    pub fn is_turn(&self, column: usize) -> bool {
        self.turns[column]
    }

    /// Links that lead from the ground to the sides of rows, each side by itself.
    pub(super) fn path_steps(&self) -> usize {
        self.touches.iter().map(|touch| self.depths[touch.link]).sum()
    }

    /// Whether q̇ = v.
    pub fn velocity_is_rate(&self) -> bool {
        self.is_plain
    }
}

/// Whether a body that a link with known coordinates carries has artificial masses.
fn drives_artificial_masses(links: &[Link], bodies: &[RigidBody]) -> bool {
    let mut moved = vec![false; links.len()];
    for (i, link) in links.iter().enumerate() {
        moved[i] = link.known.iter().any(Option::is_some)
            || link.parent.is_some_and(|parent| moved[parent]);
    }
    links.iter().zip(moved).any(|(link, moved)| moved && bodies[link.body].lacks_mass())
}

fn branches(links: &[Link]) -> Vec<Branch> {
    let mut branches: Vec<Branch> = Vec::new();
    for (i, link) in links.iter().enumerate() {
        let velocities = link.v..link.v + link.free;
        match (link.parent, branches.last_mut()) {
            (Some(_), Some(branch)) => {
                branch.links.end = i + 1;
                branch.v.end = velocities.end;
            }
            _ => branches.push(Branch { links: i..i + 1, v: velocities }),
        }
    }
    branches
}
