//! Where the bodies and journals of an assembled mechanism are.

use nalgebra::Vector3;

use super::Assembly;
use crate::math::rotation;
use crate::math::spatial::{Axis, Frame};
use crate::model::{Form, JointId, Space, Tilt};
use crate::system::Workspace;
use crate::system::evaluate::{self, StateAt};

/// Pose of a moving body's own axes at the start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyPose {
    /// Index in the model.
    pub body: usize,
    pub frame: Frame,
    /// Rotation from the world's axes as axis times angle; of a planar body its angle about z,
    /// counted over turns.
    pub turn: Vector3<f64>,
    /// The same as a quaternion.
    pub quaternion: [f64; 4],
}

/// How far the journal of a spatial joint is tilted against its bearing at the start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StartTilt {
    pub joint: JointId,
    /// rad.
    pub tilt: f64,
    /// What the play of a centred journal allows, 2 c/L.
    pub limit: f64,
}

impl Assembly {
    /// Poses of all moving bodies; of a divided link that of its first element.
    pub fn poses(&self) -> Vec<BodyPose> {
        let (system, states) = (&self.system, self.states());
        let pose = |i: usize| {
            let state = states[i];
            let inner = state.frame;
            let r = inner.r * system.bodies[i].axes.transpose();
            let turn = match system.model.space {
                Space::Planar => Vector3::new(0.0, 0.0, state.angle),
                Space::Spatial => rotation::vector(&r),
            };
            BodyPose {
                body: i + 1,
                frame: Frame { p: inner.p - r * system.model.bodies[i + 1].centre, r },
                turn,
                quaternion: rotation::quaternion(&r),
            }
        };
        (0..system.model.own_bodies() - 1).map(pose).collect()
    }

    /// Tilts of all journals with two bases.
    pub fn tilts(&self) -> Vec<StartTilt> {
        let mut work = Workspace::new(&self.system);
        evaluate::kinematics(&self.system, StateAt::bare(0.0, 0.0, &self.q, &self.v), &mut work);
        let tilt = |(i, joint): (usize, &crate::model::Joint)| {
            let clearance = joint.clearance.as_ref()?;
            let Form::Journal { length, tilt: Tilt::Free, .. } = clearance.form else {
                return None;
            };
            let axis = |marker: usize| work.markers[marker].frame.axis(Axis::Z);
            let (a, b) = (axis(joint.a.0), axis(joint.b.0));
            Some(StartTilt {
                joint: JointId(i),
                tilt: a.cross(&b).norm().atan2(a.dot(&b)),
                limit: 2.0 * clearance.radial / length,
            })
        };
        self.system.model.joints.iter().enumerate().filter_map(tilt).collect()
    }
}
