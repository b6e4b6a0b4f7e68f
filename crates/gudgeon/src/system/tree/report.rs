//! What joint coordinates chose: unknowns, drivers that are known, cut joints and why.

use super::link::Motion;
use crate::model::{Cut, DriverId, JointId};
use crate::system::compile::System;
use crate::system::component::Formulation;

/// The coordinates that the motion of a tree is integrated in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JointCoordinates {
    /// Velocities that are solved for, those of flexible links and of bodies in natural coordinates with them, and rows.
    pub unknown: usize,
    pub rows: usize,
    /// Drivers whose coordinates are known functions of time.
    pub known: Vec<String>,
    pub cut: Vec<CutJoint>,
    /// Bodies that no joint carries.
    pub free: Vec<String>,
}

/// A joint that carries no body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CutJoint {
    pub joint: String,
    pub why: &'static str,
}

impl System {
    /// How bodies are carried, where they are in joint coordinates.
    pub fn joint_coordinates(&self) -> Option<JointCoordinates> {
        let (tree, model) = (self.tree.as_ref()?, &self.model);
        let drivers = model.drivers.iter().enumerate();
        let known = drivers.filter(|(i, _)| tree.knows(DriverId(*i)));
        // Of a divided link one name stands for all its elements.
        let joints = model.joints.iter().enumerate();
        let own =
            joints.filter(|(i, _)| !model.links.iter().any(|l| l.joints.contains(&JointId(*i))));
        let cut = own.filter(|(i, _)| !tree.carries(JointId(*i)));
        let free = tree.links.iter().filter(|link| link.motion == Motion::Free);
        Some(JointCoordinates {
            unknown: self.layout.v,
            rows: self.active,
            known: known.map(|(_, driver)| driver.name.clone()).collect(),
            cut: cut
                .map(|(i, joint)| CutJoint { joint: joint.name.clone(), why: self.why_cut(i) })
                .collect(),
            free: free.map(|link| model.bodies[link.body + 1].name.clone()).collect(),
        })
    }

    fn why_cut(&self, joint: usize) -> &'static str {
        let own = &self.model.joints[joint];
        let rigid = |marker: usize| {
            let body = self.model.markers[marker].body.0;
            let of = |body: usize| self.bodies[body].formulation;
            body == 0 || matches!(of(body - 1), Formulation::Planar | Formulation::Spatial)
        };
        match own {
            _ if own.clearance.is_some() => "clearance",
            _ if own.cut == Cut::Requested => "as requested",
            _ if own.cut == Cut::Friction => "friction and an implicit method",
            _ if Motion::of(own.kind, self.model.space).is_none() => "no coordinates",
            _ if !(rigid(own.a.0) && rigid(own.b.0)) => "a body with coordinates of its own",
            _ => "closes a loop",
        }
    }
}
