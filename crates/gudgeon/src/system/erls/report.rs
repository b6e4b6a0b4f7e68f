//! What an equivalent rigid-link system is, for people.

use super::EquivalentSystem;
use super::rigid::Role;
use crate::model::Model;
use crate::system::compile::System;

/// The rigid mechanism that flexible links are measured against.
#[derive(Clone, Debug, PartialEq)]
pub struct EquivalentRigid {
    /// Mobility by Kutzbach's count, 6 (n − 1) − Σ (6 − f), drivers not counted.
    pub kutzbach: i64,
    /// Joints whose angles are independent, follow from loops, and are driven.
    pub independent: Vec<String>,
    pub dependent: Vec<String>,
    pub driven: Vec<String>,
    /// Elastic coordinates that are held at zero, and the conditioning of their rows of the Jacobian.
    pub zeroed: Vec<String>,
    pub condition: f64,
    /// Number of elastic coordinates that are solved for.
    pub elastic: usize,
}

impl System {
    /// What flexible links of method `erls` are measured against.
    pub fn equivalent_rigid(&self) -> Option<EquivalentRigid> {
        let erls = self.erls.as_ref()?;
        let joints = |wanted: fn(&Role) -> bool| {
            let roles = erls.rigid.roles.iter().enumerate().filter(|(_, role)| wanted(role));
            let name = |(k, _): (usize, &Role)| {
                let joint = erls.rigid.links[erls.rigid.turned[k]].joint;
                self.model.joints[joint.0].name.clone()
            };
            roles.map(name).collect()
        };
        Some(EquivalentRigid {
            kutzbach: erls.kutzbach,
            independent: joints(|role| matches!(role, Role::Independent(_))),
            dependent: joints(|role| matches!(role, Role::Dependent(_))),
            driven: joints(|role| matches!(role, Role::Driven(_))),
            zeroed: erls.zeroed.iter().map(|own| erls.name(&self.model, own)).collect(),
            condition: erls.condition,
            elastic: erls.elastic,
        })
    }
}

impl EquivalentSystem {
    /// The link that a coordinate of the state moves: body of the model, the ground first.
    pub(crate) fn body_of(&self, i: usize) -> usize {
        let link = match i.checked_sub(self.rigid.independent) {
            None => {
                let is_it = |role: &Role| *role == Role::Independent(i);
                let k = self.rigid.roles.iter().position(is_it);
                k.map(|k| self.rigid.turned[k])
            }
            Some(u) => {
                let own = self.unknowns.iter().find(|unknown| unknown.index == Some(u));
                own.map(|unknown| unknown.link)
            }
        };
        link.map_or(0, |link| self.rigid.links[link].body + 1)
    }

    /// Equation of motion of a coordinate of the state, for messages.
    pub(crate) fn equation(&self, model: &Model, i: usize) -> String {
        let name = &model.bodies[self.body_of(i)].name;
        match i < self.rigid.independent {
            true => format!("the rigid motion of link `{name}`"),
            false => format!("the elastic motion of link `{name}`"),
        }
    }
}
