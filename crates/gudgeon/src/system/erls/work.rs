//! Buffers of an equivalent rigid-link system.

use std::cell::RefCell;

use gudgeon_dae::linear::{Ldl, Lu};
use nalgebra::Matrix3;

use super::bodies::RigidLinkState;
use super::joints::MemberState;
use super::rigid::RigidState;
use super::tangents::TangentWork;
use super::{EquivalentSystem, Made};
use crate::math::spatial::Wrench;
use crate::system::compile::System;

/// Where everything is at one state of the system.
#[derive(Clone, Debug)]
pub struct Placed {
    pub(super) rigid: RigidState,
    pub(super) clusters: Vec<Vec<MemberState>>,
    /// Rigid bodies against their links; those of flexible ones are of no meaning.
    pub(super) bodies: Vec<RigidLinkState>,
    /// Coordinates and velocities of all links one by one.
    pub q: Vec<f64>,
    pub v: Vec<f64>,
}

/// Equations of one link.
#[derive(Clone, Debug)]
pub(super) struct LinkWork {
    /// What stands against the masses, and the masses times (1) of `rigid.rs` by independent angle, over frame and elastic
    /// coordinates.
    pub load: Vec<f64>,
    pub columns: Vec<Vec<f64>>,
    /// Forces that joints exert on the nodes: what the balance of the link alone leaves.
    pub left: Vec<f64>,
    /// Elastic accelerations or velocities under way.
    pub elastic: Vec<f64>,
    pub product: Vec<f64>,
    /// Z and Ż without terms that are left out.
    pub z: Vec<Matrix3<f64>>,
    pub z_rate: Vec<Matrix3<f64>>,
}

#[derive(Clone, Debug)]
pub struct ErlsWork {
    pub placed: Placed,
    /// Of points beside the evaluation.
    pub aside: RefCell<Placed>,
    /// Velocities of the state are those given; its accelerations.
    pub accelerations: Vec<f64>,
    pub(super) links: Vec<LinkWork>,
    pub(super) ldl: Ldl,
    /// The equations, u in order of elimination: loads, rows of q against u, columns of q in rows of u, and q against q.
    pub(super) load_u: Vec<f64>,
    pub(super) load_q: Vec<f64>,
    pub(super) rows: Vec<Vec<f64>>,
    pub(super) columns: Vec<Vec<f64>>,
    pub(super) square: Vec<f64>,
    pub(super) lu: Lu<f64>,
    /// M_u⁻¹ of the columns.
    pub(super) carried: Vec<Vec<f64>>,
    /// What every joint does to its second side, at its place, in the world.
    pub joints: Vec<Wrench>,
    pub(super) members: Vec<Wrench>,
    pub(super) tangents: TangentWork,
}

impl ErlsWork {
    pub(in crate::system) fn new(erls: &EquivalentSystem, system: &System) -> Self {
        let (m, n) = (erls.rigid.independent, erls.elastic);
        let clusters = erls.clusters.iter().map(|cluster| cluster.blank(m)).collect();
        let placed = Placed {
            rigid: erls.rigid.blank(),
            clusters,
            bodies: vec![RigidLinkState::STILL; erls.links.len()],
            q: vec![0.0; system.sizes[0]],
            v: vec![0.0; system.sizes[1]],
        };
        let link = |own: &super::Link| {
            let (all, elastic, z) = match &own.made {
                Made::Flexible(floating) => {
                    let body = &system.floating[*floating];
                    (body.size(), body.link.size(), body.link.integrals.all_mixed().to_vec())
                }
                Made::Rigid(body) => (2 * body.border(), body.border(), Vec::new()),
            };
            LinkWork {
                load: vec![0.0; all],
                columns: vec![vec![0.0; all]; m],
                left: vec![0.0; all],
                elastic: vec![0.0; elastic],
                product: vec![0.0; all],
                z_rate: vec![Matrix3::zeros(); z.len()],
                z,
            }
        };
        Self {
            aside: RefCell::new(placed.clone()),
            placed,
            accelerations: vec![0.0; m + n],
            links: erls.links.iter().map(link).collect(),
            ldl: erls.ldl.clone(),
            load_u: vec![0.0; n],
            load_q: vec![0.0; m],
            rows: vec![vec![0.0; n]; m],
            columns: vec![vec![0.0; n]; m],
            square: vec![0.0; m * m],
            lu: Lu::new(m),
            carried: vec![vec![0.0; n]; m],
            joints: vec![Wrench::ZERO; system.model.joints.len()],
            members: Vec::new(),
            tangents: TangentWork::default(),
        }
    }
}
