//! Which coordinates are cheaper: a rule over counted operations.
//!
//! An evaluation in coordinates of the bodies and one in those of the joints differ in what they do to get v̇ and λ; bodies,
//! contacts, films, forces and outputs cost the same in both. Counted are
//!
//! | | coordinates of bodies | coordinates of joints |
//! |---|---|---|
//! | bodies  | those that move | links, four sweeps over each |
//! | columns | – | products of D = SᵀÎS: of all links, their velocities by their velocities |
//! | rows    | all rows | rows of cut joints, and what is read of the others |
//! | steps   | sides of rows | links on the paths of cut rows to the ground |
//! | sweeps  | – | links of a branch, once for every row that moves with it: M⁻¹Gᵀ |
//! | pairs   | products of S = G M⁻¹Gᵀ: rows of a body by rows of it, times its velocities | rows of a branch by rows of it, times its velocities |
//! | factors | products of S = L D Lᵀ, with fill | the same |
//!
//! and weighed by [`Weights`], nanoseconds that were measured once and matter by their ratios only. Coordinates of joints are taken
//! where they are cheaper by a tenth at least. Implicit methods factor a matrix over all unknowns, which is dense over the paths of a tree
//! and whose derivatives cost an evaluation per velocity: above [`DENSE`] velocities they keep to coordinates of bodies.

use super::compile::{CompileError, System};
use super::tree::Tree;
use crate::model::{Coordinates, Model, Space};
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
    pub rows: usize,
    pub steps: usize,
    pub sweeps: usize,
    pub pairs: usize,
    pub factors: usize,
}

/// Nanoseconds of an operation.
struct Weights {
    bodies: f64,
    columns: f64,
    rows: f64,
    steps: f64,
    sweeps: f64,
    pairs: f64,
    factors: f64,
}

impl Operations {
    /// Estimated time, ns; of use for comparison only.
    pub fn cost(&self, coordinates: Coordinates, space: Space) -> f64 {
        let w = weights(coordinates, space);
        let terms = [
            (self.bodies, w.bodies),
            (self.columns, w.columns),
            (self.rows, w.rows),
            (self.steps, w.steps),
            (self.sweeps, w.sweeps),
            (self.pairs, w.pairs),
            (self.factors, w.factors),
        ];
        terms.iter().map(|(count, weight)| *count as f64 * weight).sum()
    }
}

const fn weights(coordinates: Coordinates, space: Space) -> Weights {
    match (coordinates, space) {
        (Coordinates::Absolute, Space::Planar) => Weights {
            bodies: 20.0,
            columns: 0.0,
            rows: 20.0,
            steps: 8.0,
            sweeps: 0.0,
            pairs: 1.0,
            factors: 1.0,
        },
        (Coordinates::Absolute, Space::Spatial) => Weights {
            bodies: 60.0,
            columns: 0.0,
            rows: 20.0,
            steps: 12.0,
            sweeps: 0.0,
            pairs: 1.0,
            factors: 1.0,
        },
        (Coordinates::Joint, Space::Planar) => Weights {
            bodies: 60.0,
            columns: 0.0,
            rows: 20.0,
            steps: 5.0,
            sweeps: 10.0,
            pairs: 1.0,
            factors: 1.0,
        },
        (Coordinates::Joint, Space::Spatial) => Weights {
            bodies: 200.0,
            columns: 0.0,
            rows: 20.0,
            steps: 10.0,
            sweeps: 30.0,
            pairs: 1.0,
            factors: 1.0,
        },
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// By the weighed operations.
    Cost,
    /// An implicit method with more than [`DENSE`] velocities.
    Dense,
    /// A link in a floating frame, which a tree does not carry.
    Floating,
    /// No joint carries a body.
    Loose,
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
    let with = |coordinates| Model { coordinates, ..model.clone() };
    let system = System::compile(&with(Coordinates::Absolute))?;
    let absolute = Count::new(&system, Coordinates::Absolute);
    let stay = |why, joint| Choice { coordinates: Coordinates::Absolute, why, absolute, joint };
    let reduced = System::compile(&with(Coordinates::Joint))?;
    let Some(tree) = &reduced.tree else { return Ok(stay(Why::Floating, None)) };
    let joint = Count::new(&reduced, Coordinates::Joint);
    if tree.links.iter().all(|link| link.joint.is_none()) {
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
    /// Operations of one evaluation.
    pub fn operations(&self) -> Operations {
        let triangle = |n: usize| n * (n + 1) / 2;
        let factors = self.ldl.products();
        if let Some(tree) = &self.tree {
            return Operations { factors, ..tree.operations(self.active) };
        }
        let of_body = |own: &super::rows::BodyBlocks| {
            triangle(own.blocks.len()) * self.bodies[own.body].sizes[1]
        };
        Operations {
            bodies: self.bodies.len(),
            columns: 0,
            rows: self.active,
            steps: self.blocks.len(),
            sweeps: 0,
            pairs: self.by_body.iter().map(of_body).sum(),
            factors,
        }
    }
}

impl Tree {
    fn operations(&self, rows: usize) -> Operations {
        let mut own = Operations { bodies: self.links.len(), rows, ..Operations::default() };
        own.columns = self.links.iter().map(|link| link.free * (link.free + 1) / 2).sum();
        own.steps = self.path_steps();
        for group in &self.rows {
            let (rows, velocities) = (group.blocks.len(), group.v.len());
            own.sweeps += rows * self.branches[group.branch].links.len();
            own.pairs += rows * (rows + 1) / 2 * velocities;
        }
        own
    }
}
