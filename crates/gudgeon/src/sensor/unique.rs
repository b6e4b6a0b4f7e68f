//! Whether the motion determines an output.

use super::{Component, ContactQuantity, JointQuantity, Sensor, Source};
use crate::assembly::Assembly;
use crate::model::{Axes, JointId};

impl Sensor {
    /// False for reactions of redundant loops, of which only combinations are determined.
    pub fn is_unique(&self, assembly: &Assembly) -> bool {
        if let Source::Formula(formula) = &self.source {
            return formula.inputs().iter().all(|input| input.is_unique(assembly));
        }
        let Some((joint, force, component, axes)) = self.reaction() else { return true };
        let has_play = assembly.system.model.joints[joint].clearance.is_some();
        if has_play && matches!(self.source, Source::Contact(..)) {
            return true;
        }
        let mut reports = assembly.report.indeterminate.iter();
        let Some(report) = reports.find(|report| report.joint.0 == joint) else { return true };
        let flags = match axes {
            Axes::World => report.world,
            Axes::Body => report.local,
        };
        let part = if force { &flags[..3] } else { &flags[3..] };
        !match component {
            Component::X => part[0],
            Component::Y => part[1],
            Component::Z => part[2],
            Component::Magnitude => part.contains(&true),
        }
    }

    /// Whether it reads reactions of a joint that are not unique.
    pub(crate) fn reads_doubtful(&self, joint: JointId, assembly: &Assembly) -> bool {
        self.inputs().iter().any(|input| {
            let of_joint = input.reaction().is_some_and(|(other, ..)| other == joint.0);
            of_joint && !input.is_unique(assembly)
        })
    }

    /// The joint whose reaction is read, whether its force or its torque, and what of it.
    fn reaction(&self) -> Option<(usize, bool, Component, Axes)> {
        match self.source {
            Source::Joint(joint, JointQuantity::Reaction(c, axes)) => Some((joint, true, c, axes)),
            Source::Joint(joint, JointQuantity::ReactionTorque(c, axes)) => {
                Some((joint, false, c, axes))
            }
            Source::Contact(joint, ContactQuantity::Force(c)) => {
                Some((joint, true, c, Axes::World))
            }
            Source::Contact(joint, ContactQuantity::Normal) => {
                Some((joint, true, Component::Magnitude, Axes::World))
            }
            _ => None,
        }
    }
}
