//! Which coordinates are cheaper: a rule over counted operations.
//!
//! An evaluation in coordinates of the bodies and one in those of the joints differ in what they do to get v̇ and λ; bodies,
//! contacts, films, forces and outputs cost the same in both. Counted are
//!
//! | | coordinates of bodies | coordinates of joints |
//! |---|---|---|
//! | bodies   | those that move | links, some sweeps over each |
//! | columns  | – | products of D = SᵀÎS: n (n + 1)/2 of a link with n unknown velocities |
//! | branches | – | branches that rows of cut joints move with |
//! | rows     | all | those of cut joints |
//! | steps    | sides of rows | links on the paths from the sides of cut rows to the ground |
//! | sweeps   | – | links of a branch, once for every row that moves with it: M⁻¹Gᵀ |
//! | pairs    | products of S = G M⁻¹Gᵀ: pairs of rows of a body, times its velocities | pairs of rows of a branch, times its velocities |
//! | factors  | products of S = L D Lᵀ, with fill | the same |
//!
//! and weighed by `Weights`: nanoseconds fitted to the shipped models, which matter by their ratios only. Coordinates of joints are
//! taken where they are cheaper by a tenth at least. Implicit methods factor a matrix over all unknowns, which is dense over the
//! paths of a tree: above `DENSE` velocities they keep to coordinates of bodies. What redundant rows cost is not counted.

use super::compile::{CompileError, System};
use super::component::{Formulation, RigidBody};
use super::tree::Tree;
use crate::flexible::Flexible;
use crate::model::{Body, Coordinates, Cut, Joint, Model, Space};
use crate::run::{Method, RunSpec};

/// Most velocities of a tree for an implicit method.
const DENSE: usize = 20;
/// By how much coordinates of joints must be cheaper.
const MARGIN: f64 = 0.9;

/// What an evaluation does for v̇ and λ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Operations {
    pub bodies: usize,
    pub columns: usize,
    pub branches: usize,
    pub rows: usize,
    pub steps: usize,
    pub sweeps: usize,
    pub pairs: usize,
    pub factors: usize,
}

/// Nanoseconds of an operation, in the order of [`Operations`].
type Weights = [f64; 8];

impl Operations {
    fn counts(&self) -> [usize; 8] {
        let Self { bodies, columns, branches, rows, steps, sweeps, pairs, factors } = *self;
        [bodies, columns, branches, rows, steps, sweeps, pairs, factors]
    }

    /// Estimated time, ns; of use for comparison only.
    pub fn cost(&self, coordinates: Coordinates, space: Space) -> f64 {
        let weights = weights(coordinates, space);
        self.counts().iter().zip(weights).map(|(count, weight)| *count as f64 * weight).sum()
    }
}

const fn weights(coordinates: Coordinates, space: Space) -> Weights {
    match (coordinates, space) {
        (Coordinates::Absolute, Space::Planar) => [76.0, 0.0, 0.0, 8.0, 4.0, 0.0, 0.5, 1.0],
        (Coordinates::Absolute, Space::Spatial) => [50.0, 0.0, 0.0, 10.0, 8.0, 0.0, 0.5, 1.0],
        (Coordinates::Joint, Space::Planar) => [20.0, 60.0, 90.0, 80.0, 4.0, 6.0, 0.5, 1.0],
        (Coordinates::Joint, Space::Spatial) => [120.0, 30.0, 80.0, 10.0, 10.0, 28.0, 4.0, 1.0],
    }
}

/// What `"auto"` takes, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    pub coordinates: Coordinates,
    pub why: Why,
    /// Velocities and rows to solve for, operations and their weight, in coordinates of bodies and in those of joints.
    pub absolute: Count,
    pub joint: Option<Count>,
}

/// One side of the comparison.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Count {
    pub velocities: usize,
    pub rows: usize,
    pub operations: Operations,
    pub cost: f64,
}

/// Why the one and not the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// By the weighed operations.
    Cost,
    /// An implicit method with more than `DENSE` velocities.
    Dense,
    /// A link in a floating frame, which a tree does not carry.
    Floating,
    /// No joint carries a body.
    Loose,
}

impl Choice {
    /// The word of the coordinates.
    pub fn word(&self) -> &'static str {
        match self.coordinates {
            Coordinates::Absolute => "absolute",
            Coordinates::Joint => "joint",
        }
    }

    /// The reason in a line.
    pub fn reason(&self) -> String {
        let costs = |joint: &Count| {
            format!(
                "an evaluation costs about {:.2} times that in absolute coordinates",
                joint.cost / self.absolute.cost
            )
        };
        match (self.why, &self.joint) {
            (Why::Cost, Some(joint)) if self.coordinates == Coordinates::Joint => costs(joint),
            (Why::Cost, Some(joint)) => format!("with joints, {}", costs(joint)),
            (Why::Dense, Some(joint)) => format!(
                "an implicit method with {} velocities of joints, more than {DENSE}, has dense matrices",
                joint.velocities
            ),
            (Why::Loose, _) => "no joint carries a body".to_owned(),
            (Why::Floating, _) | (_, None) => "a link has a floating frame".to_owned(),
        }
    }
}

impl Count {
    fn new(system: &System, coordinates: Coordinates) -> Self {
        let operations = system.operations();
        Self {
            velocities: system.layout.v,
            rows: system.active,
            operations,
            cost: operations.cost(coordinates, system.model.space),
        }
    }
}

/// The cheaper coordinates of a mechanism in a run.
pub fn choose(model: &Model, spec: &RunSpec) -> Result<Choice, CompileError> {
    let erls = |body: &Body| body.flexible.as_deref().is_some_and(Flexible::is_erls);
    let with = |coordinates| Model { coordinates, ..model.clone() };
    let system = System::compile(&with(Coordinates::Absolute))?;
    let absolute = Count::new(&system, Coordinates::Absolute);
    let stay = |why, joint| Choice { coordinates: Coordinates::Absolute, why, absolute, joint };
    if model.bodies.iter().any(erls) {
        return Ok(stay(Why::Floating, None));
    }
    let mut in_joints = with(Coordinates::Joint);
    cut_friction(&mut in_joints, spec)?;
    let reduced = System::compile(&in_joints)?;
    let Some(tree) = &reduced.tree else { return Ok(stay(Why::Floating, None)) };
    let joint = Count::new(&reduced, Coordinates::Joint);
    let carried = tree.links.iter().any(|link| link.joint.is_some());
    if !carried {
        return Ok(stay(Why::Loose, Some(joint)));
    }
    if is_implicit(spec, &reduced) && joint.velocities > DENSE {
        return Ok(stay(Why::Dense, Some(joint)));
    }
    if joint.cost > MARGIN * absolute.cost {
        return Ok(stay(Why::Cost, Some(joint)));
    }
    let coordinates = Coordinates::Joint;
    Ok(Choice { coordinates, why: Why::Cost, absolute, joint: Some(joint) })
}

/// Cuts joints with friction where a run in joint coordinates uses an implicit method: the loads of friction are reactions, and
/// these are unknowns of cut joints only.
pub fn cut_friction(model: &mut Model, spec: &RunSpec) -> Result<(), CompileError> {
    let rubs = |joint: &Joint| joint.friction.is_some() && joint.clearance.is_none();
    if model.coordinates != Coordinates::Joint || !model.joints.iter().any(rubs) {
        return Ok(());
    }
    let bodies = Model { coordinates: Coordinates::Absolute, ..model.clone() };
    if is_implicit(spec, &System::compile(&bodies)?) {
        for joint in model.joints.iter_mut().filter(|joint| rubs(joint)) {
            if joint.cut != Cut::Requested {
                joint.cut = Cut::Friction;
            }
        }
    }
    Ok(())
}

/// Whether the run factors matrices of the whole mechanism.
fn is_implicit(spec: &RunSpec, system: &System) -> bool {
    match spec.method {
        Method::Auto => !system.films.is_empty() || system.bends() || system.has_bristles(),
        Method::Dop853 | Method::Dopri5 | Method::Rk4 { .. } => false,
        Method::GeneralizedAlpha { .. }
        | Method::Hht { .. }
        | Method::Newmark { .. }
        | Method::Radau5 { .. }
        | Method::Bdf { .. } => true,
    }
}

impl System {
    /// Operations of one evaluation that depend on the coordinates of rigid bodies.
    pub fn operations(&self) -> Operations {
        let triangle = |n: usize| n * (n + 1) / 2;
        // Of bodies one by one: outside the tree, where there is one.
        let of_body = |own: &super::rows::BodyBlocks| {
            triangle(own.blocks.len()) * self.bodies[own.body].sizes[1]
        };
        let pairs: usize = self.by_body.iter().map(of_body).sum();
        let (rows, factors) = (self.active, self.ldl.products());
        let steps = self.blocks.len();
        let own = Operations { rows, steps, pairs, factors, ..Operations::default() };
        match &self.tree {
            Some(tree) => tree.operations(own),
            None => {
                let rigid = |body: &&RigidBody| {
                    matches!(body.formulation, Formulation::Planar | Formulation::Spatial)
                };
                Operations { bodies: self.bodies.iter().filter(rigid).count(), ..own }
            }
        }
    }
}

impl Tree {
    /// Those of its links, beside those outside it.
    fn operations(&self, outside: Operations) -> Operations {
        let columns = self.links.iter().map(|link| link.free * (link.free + 1) / 2).sum();
        let mut own = Operations { bodies: self.links.len(), columns, ..outside };
        own.branches = self.rows.len();
        own.steps += self.path_steps();
        for group in &self.rows {
            let (rows, velocities) = (group.blocks.len(), group.v.len());
            own.sweeps += rows * self.branches[group.branch].links.len();
            own.pairs += rows * (rows + 1) / 2 * velocities;
        }
        own
    }
}
