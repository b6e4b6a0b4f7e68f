//! Which reactions the motion does not determine.
//!
//! A redundant mechanism can be stressed in itself: Gᵀ n = 0 for some n, and λ + n moves the bodies
//! as λ does. What n adds to the wrench of a joint is undetermined.

use super::close::constraints;
use super::rank;
use crate::model::JointId;
use crate::system::Workspace;
use crate::system::compile::{RowSource, System};
use crate::system::evaluate::{self, StateAt};

/// Parts of a wrench below this fraction of the largest one count as zero.
const ZERO: f64 = 1e-6;

/// Undetermined components of a joint's reaction: force x, y, z, then torque x, y, z.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Indeterminate {
    pub joint: JointId,
    /// In world axes.
    pub world: [bool; 6],
    /// In axes of the joint's first side.
    pub local: [bool; 6],
}

impl Indeterminate {
    fn none(joint: JointId) -> Self {
        Self { joint, world: [false; 6], local: [false; 6] }
    }

    fn any(&self) -> bool {
        self.world.contains(&true)
    }
}

/// Undetermined reactions at any of the poses: components that vanish at one by chance do not at
/// another.
pub(super) fn indeterminate(system: &System, poses: &[&[f64]]) -> Vec<Indeterminate> {
    let joints = (0..system.model.joints.len()).map(JointId);
    let mut found: Vec<Indeterminate> = joints.map(Indeterminate::none).collect();
    for &q in poses {
        let (_, jacobian) = constraints(system, 0.0, q);
        let stresses = rank::null_space(&jacobian.transpose());
        if !stresses.is_empty() {
            let v = vec![0.0; system.layout.v];
            let mut work = Workspace::new(system);
            evaluate::kinematics(system, StateAt::bare(0.0, 0.0, q, &v), &mut work);
            evaluate::rows(system, &mut work);
            stresses.iter().for_each(|stress| mark(system, &work, stress, &mut found));
        }
    }
    found.retain(Indeterminate::any);
    found
}

/// Marks what one state of stress adds to the wrenches of the joints, forces in units of the size.
fn mark(system: &System, work: &Workspace, stress: &[f64], found: &mut [Indeterminate]) {
    let mut wrenches = vec![[0.0; 12]; found.len()];
    for (i, row) in system.rows.iter().enumerate() {
        let RowSource::Joint(id) = row.source else { continue };
        let on_b = &work.row_wrenches[i].on_b;
        // Rows of lengths were divided by the size, and a force times the size is a torque.
        let scale = if row.kind.is_angle() { 1.0 } else { 1.0 / system.length };
        let (f, t) = (on_b.f * (stress[i] * scale * system.length), on_b.t * (stress[i] * scale));
        let axes = &work.markers[row.a].frame.r;
        let parts = [f, t, axes.tr_mul(&f), axes.tr_mul(&t)];
        for (sum, part) in wrenches[id.0].iter_mut().zip(parts.iter().flatten()) {
            *sum += part;
        }
    }
    let largest = wrenches.iter().flatten().fold(0.0, |m: f64, x| m.max(x.abs()));
    for (joint, wrench) in found.iter_mut().zip(&wrenches) {
        for k in 0..6 {
            joint.world[k] |= wrench[k].abs() > ZERO * largest;
            joint.local[k] |= wrench[6 + k].abs() > ZERO * largest;
        }
    }
}
