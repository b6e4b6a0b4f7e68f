//! What an equivalent rigid-link system is, for people.

use super::rigid::Role;
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
