//! All buffers of one evaluation, sized once.

use gudgeon_dae::linear::Ldl;

use super::compile::System;
use crate::clearance::contact::{ContactForce, Geometry};
use crate::joint::RowTwist;
use crate::marker::{Marker, PlanarPose};
use crate::time::Jet;

#[derive(Clone, Debug)]
pub struct Workspace {
    /// Poses of all bodies, the ground first.
    pub poses: Vec<PlanarPose>,
    pub markers: Vec<Marker>,
    /// Generalised force on each moving body.
    pub forces: Vec<[f64; 3]>,
    pub accelerations: Vec<[f64; 3]>,
    /// Unit wrenches of the rows.
    pub twists: Vec<RowTwist>,
    /// G and M⁻¹Gᵀ by block.
    pub g: Vec<[f64; 3]>,
    pub mg: Vec<[f64; 3]>,
    /// Right-hand side γ of G v̇ = γ.
    pub gamma: Vec<f64>,
    pub lambda: Vec<f64>,
    pub residual: Vec<f64>,
    pub ldl: Ldl,
    /// Prescribed motion of each driver.
    pub motions: Vec<Jet>,
    pub contacts: Vec<(Option<Geometry>, ContactForce)>,
    /// Power of each applied force that is not the rate of a potential.
    pub force_powers: Vec<f64>,
    /// Velocity at the last evaluated point.
    pub v: Vec<[f64; 3]>,
}

impl Workspace {
    pub fn new(system: &System) -> Self {
        let bodies = system.bodies.len();
        let rows = system.rows.len();
        Self {
            poses: vec![PlanarPose::GROUND; bodies + 1],
            markers: vec![Marker::default(); system.attachments.len()],
            forces: vec![[0.0; 3]; bodies],
            accelerations: vec![[0.0; 3]; bodies],
            twists: vec![RowTwist::ZERO; rows],
            g: vec![[0.0; 3]; system.blocks.len()],
            mg: vec![[0.0; 3]; system.blocks.len()],
            gamma: vec![0.0; rows],
            lambda: vec![0.0; rows],
            residual: vec![0.0; rows],
            ldl: system.ldl.clone(),
            motions: vec![Jet::default(); system.model.drivers.len()],
            contacts: vec![(None, ContactForce::ZERO); system.contacts.len()],
            force_powers: vec![0.0; system.model.forces.len()],
            v: vec![[0.0; 3]; bodies],
        }
    }
}
