//! Buffers of a tree.

use nalgebra::{SMatrix, SVector, Vector3};

use super::Tree;
use super::link::COLUMNS;
use super::tangents::Reduction;
use crate::model::Space;
use crate::system::component::RigidBody;

/// What sweeps keep of a link, in world axes at its mass centre: forces after translations first.
#[derive(Clone, Debug)]
pub(super) struct LinkState<const D: usize> {
    /// From the centre of the carrier.
    pub arm: Vector3<f64>,
    pub columns: [SVector<f64, D>; COLUMNS],
    /// b of (1).
    pub bias: SVector<f64, D>,
    /// Mass matrix of the body, and articulated inertia Î.
    pub mass: SMatrix<f64, D, D>,
    pub inertia: SMatrix<f64, D, D>,
    /// Î S of the unknown columns, and the inverse of SᵀÎ S.
    pub pushed: [SVector<f64, D>; COLUMNS],
    pub inverse: [[f64; COLUMNS]; COLUMNS],
    /// Of the sweep under way: a wrench and an acceleration.
    pub force: SVector<f64, D>,
    pub motion: SVector<f64, D>,
    /// What its joint does to the body (3), as of the last evaluation that asked for it.
    pub carried: SVector<f64, D>,
    /// Of the sweep under way: by unknown column.
    pub reduced: [f64; COLUMNS],
}

impl<const D: usize> LinkState<D> {
    fn rest() -> Self {
        let zero = SVector::<f64, D>::zeros();
        Self {
            arm: Vector3::zeros(),
            columns: [zero; COLUMNS],
            bias: zero,
            mass: SMatrix::zeros(),
            inertia: SMatrix::zeros(),
            pushed: [zero; COLUMNS],
            inverse: [[0.0; COLUMNS]; COLUMNS],
            force: zero,
            motion: zero,
            carried: zero,
            reduced: [0.0; COLUMNS],
        }
    }
}

/// In the plane the mass matrix of a body does not change.
fn in_plane(body: &RigidBody) -> LinkState<3> {
    let mass = SVector::<f64, 3>::from_fn(|k, _| 1.0 / body.inverse[k]);
    LinkState { mass: SMatrix::from_diagonal(&mass), ..LinkState::rest() }
}

/// Links of a tree in the plane or in space.
#[derive(Clone, Debug)]
pub(super) enum Links {
    Planar(Vec<LinkState<3>>),
    Spatial(Vec<LinkState<6>>),
}

/// Runs an expression with the links of either space.
macro_rules! in_space {
    ($links:expr, $name:ident => $run:expr) => {
        match $links {
            $crate::system::tree::work::Links::Planar($name) => $run,
            $crate::system::tree::work::Links::Spatial($name) => $run,
        }
    };
}
pub(super) use in_space;

#[derive(Clone, Debug)]
pub struct TreeWork {
    pub(super) links: Links,
    /// Coordinates of all bodies one by one; of bodies in the tree they are not written.
    pub(in crate::system) q: Vec<f64>,
    /// Unknown velocities, generalised forces and accelerations.
    pub v: Vec<f64>,
    pub forces: Vec<f64>,
    pub accelerations: Vec<f64>,
    pub(in crate::system) directions: Vec<f64>,
    /// Of implicit methods only: made when they first ask.
    pub(in crate::system) reduction: Option<Box<Reduction>>,
}

impl TreeWork {
    pub fn new(tree: &Tree, bodies: &[RigidBody], coordinates: usize, reduced: usize) -> Self {
        let count = tree.links.len();
        let links = match tree.space {
            Space::Planar => {
                Links::Planar(tree.links.iter().map(|link| in_plane(&bodies[link.body])).collect())
            }
            Space::Spatial => Links::Spatial(vec![LinkState::rest(); count]),
        };
        Self {
            links,
            q: vec![0.0; coordinates],
            v: vec![0.0; reduced],
            forces: vec![0.0; reduced],
            accelerations: vec![0.0; reduced],
            directions: vec![0.0; reduced],
            reduction: None,
        }
    }
}
