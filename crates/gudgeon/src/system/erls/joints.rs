//! Joint compatibility: elastic displacements of nodes at which links meet.
//!
//! Every node has a displacement u and a rotation φ against the equivalent rigid system, in axes of its link. Nodes that
//! joints put in one place form a cluster. One of them, the first, has coordinates of its own there; along each joint,
//! with the turn Q from axes before to axes behind it and its axis n (the same in both),
//!
//!   u_c = Q u,   φ_c = Q φ + n (a − n · φ)   of a revolute,   φ_c = Q φ   of a fixed or driven joint         (1)
//!
//! a being the rotation of the node behind about the axis. At the ground u = 0, φ = n a, of a prismatic joint u = n a,
//! φ = 0. A joint that stands at r from its node sees u + φ × r, on either side. With all coordinates x of the
//! cluster d = T(q) x, and as Q turns at the angular velocity w of the link before against that behind, in axes behind,
//!
//!   Ṫ = T by Q̇ = w×Q,   T̈ by Q̈ = (ẇ× + w×w×) Q,   d̈ = T ẍ + 2 Ṫẋ + T̈ x                                (2)
//!
//! What of T̈ x is linear in q̈ is kept apart, (∂T/∂q) x q̈.

use std::ops::Range;

use nalgebra::{Matrix3, Vector3, Vector6};

use super::rigid::{Rigid, RigidState};
use crate::model::JointId;

/// A node of a cluster.
#[derive(Clone, Debug)]
pub struct Member {
    pub link: usize,
    pub node: usize,
    /// The member before it; none of the first and of those at the ground.
    pub before: Option<usize>,
    /// The joint that leads to it; none of the first.
    pub joint: Option<JointId>,
    /// Whether it is the second side of that joint.
    pub is_second: bool,
    /// What the joint leaves free.
    pub free: Option<Free>,
    /// The joint from the node before and from the own node, in axes of each.
    pub arms: [Vector3<f64>; 2],
}

/// The coordinate a of a joint.
#[derive(Clone, Copy, Debug)]
pub struct Free {
    /// n in axes of the node behind.
    pub axis: Vector3<f64>,
    pub column: usize,
    pub slides: bool,
}

/// Nodes in one place.
#[derive(Clone, Debug, Default)]
pub struct Cluster {
    pub grounded: bool,
    pub members: Vec<Member>,
    /// Its coordinates: of the first member by freedom, then of joints. Where each stands among all.
    pub columns: Vec<usize>,
    /// Freedoms of the first member that there are, in their columns.
    pub first: &'static [usize],
}

/// A member at one instant, displacements before rotations.
#[derive(Clone, Debug)]
pub struct MemberState {
    /// T and Ṫ by column.
    pub t: Vec<Vector6<f64>>,
    pub t_rate: Vec<Vector6<f64>>,
    /// T̈ x at q̈ = 0, and ∂T/∂q x by independent angle.
    pub t_second: Vector6<f64>,
    pub by_angle: Vec<Vector6<f64>>,
}

impl Cluster {
    pub fn blank(&self, angles: usize) -> Vec<MemberState> {
        let zero = Vector6::zeros();
        let state = MemberState {
            t: vec![zero; self.columns.len()],
            t_rate: vec![zero; self.columns.len()],
            t_second: zero,
            by_angle: vec![zero; angles],
        };
        vec![state; self.members.len()]
    }

    /// (1) and (2) at x; `axes` are those of the nodes of each link in its frame.
    pub fn update(
        &self,
        (rigid, state): (&Rigid, &RigidState),
        axes: impl Fn(usize) -> Matrix3<f64>,
        x: impl Fn(usize) -> f64,
        out: &mut [MemberState],
    ) {
        for (i, member) in self.members.iter().enumerate() {
            let (earlier, rest) = out.split_at_mut(i);
            let own = &mut rest[0];
            match member.before {
                Some(before) => {
                    let from = &self.members[before];
                    let n = [from.link, member.link].map(|l| state.links[l].frame.r * axes(l));
                    let pass = Pass::new((rigid, state), (from.link, member.link), n);
                    pass.carry(&earlier[before], &member.arms[0], &x, own);
                }
                None => own.clear(),
            }
            if member.joint.is_none() {
                for (column, &freedom) in self.first.iter().enumerate() {
                    own.t[column][freedom] = 1.0;
                }
            }
            if let Some(free) = &member.free {
                own.free(free);
            }
            if member.joint.is_some() && member.arms[1] != Vector3::zeros() {
                own.step(&-member.arms[1]);
            }
        }
    }
}

impl MemberState {
    fn clear(&mut self) {
        self.t.fill(Vector6::zeros());
        self.t_rate.fill(Vector6::zeros());
        self.by_angle.fill(Vector6::zeros());
        self.t_second = Vector6::zeros();
    }

    /// Lets the rotation about the axis be a coordinate of its own, or at the ground the way along it.
    fn free(&mut self, free: &Free) {
        let Free { axis, column, slides } = free;
        if *slides {
            self.t[*column].fixed_rows_mut::<3>(0).copy_from(axis);
            return;
        }
        let off = |d: &mut Vector6<f64>| {
            let along = axis.dot(&d.fixed_rows::<3>(3));
            let mut turn = d.fixed_rows_mut::<3>(3);
            turn -= axis * along;
        };
        self.t.iter_mut().for_each(off);
        self.t_rate.iter_mut().for_each(off);
        self.by_angle.iter_mut().for_each(off);
        off(&mut self.t_second);
        self.t[*column].fixed_rows_mut::<3>(3).copy_from(axis);
    }

    /// From a place to that at `arm` from it on the same rigid piece.
    fn step(&mut self, arm: &Vector3<f64>) {
        let step = |d: &mut Vector6<f64>| *d = stepped(d, arm);
        self.t.iter_mut().for_each(step);
        self.t_rate.iter_mut().for_each(step);
        self.by_angle.iter_mut().for_each(step);
        step(&mut self.t_second);
    }
}

/// (u + φ × r, φ).
fn stepped(d: &Vector6<f64>, arm: &Vector3<f64>) -> Vector6<f64> {
    let phi: Vector3<f64> = d.fixed_rows::<3>(3).into();
    let mut out = *d;
    let mut u = out.fixed_rows_mut::<3>(0);
    u += phi.cross(arm);
    out
}

/// The change of axes across a joint.
struct Pass {
    q: Matrix3<f64>,
    /// w, ẇ at q̈ = 0 and ∂w/∂q̇ by independent angle, in axes behind.
    w: Vector3<f64>,
    w_rate: Vector3<f64>,
    by_angle: Vec<Vector3<f64>>,
}

impl Pass {
    fn new(
        (rigid, state): (&Rigid, &RigidState),
        (from, to): (usize, usize),
        [before, behind]: [Matrix3<f64>; 2],
    ) -> Self {
        let [a, b] = [from, to].map(|link| &state.links[link]);
        let apart = a.twist.w - b.twist.w;
        let columns = rigid.columns(state, from).iter().zip(rigid.columns(state, to));
        Self {
            q: behind.tr_mul(&before),
            w: behind.tr_mul(&apart),
            w_rate: behind.tr_mul(&(a.bias.w - b.bias.w - b.twist.w.cross(&apart))),
            by_angle: columns.map(|(a, b)| behind.tr_mul(&(a.w - b.w))).collect(),
        }
    }

    fn carry(
        &self,
        from: &MemberState,
        arm: &Vector3<f64>,
        x: impl Fn(usize) -> f64,
        to: &mut MemberState,
    ) {
        let turned = |d: &Vector6<f64>| both(&stepped(d, arm), |part| self.q * part);
        let swung = |w: &Vector3<f64>, d: &Vector6<f64>| both(d, |part| w.cross(&part));
        let (mut now, mut rate) = (Vector6::zeros(), Vector6::zeros());
        for k in 0..from.t.len() {
            to.t[k] = turned(&from.t[k]);
            to.t_rate[k] = turned(&from.t_rate[k]) + swung(&self.w, &to.t[k]);
            now += to.t[k] * x(k);
            rate += turned(&from.t_rate[k]) * x(k);
        }
        to.t_second = turned(&from.t_second)
            + swung(&self.w, &rate) * 2.0
            + swung(&self.w_rate, &now)
            + swung(&self.w, &swung(&self.w, &now));
        for (i, w) in self.by_angle.iter().enumerate() {
            to.by_angle[i] = turned(&from.by_angle[i]) + swung(w, &now);
        }
    }
}

fn both(d: &Vector6<f64>, map: impl Fn(Vector3<f64>) -> Vector3<f64>) -> Vector6<f64> {
    let (u, phi) = (map(d.fixed_rows::<3>(0).into()), map(d.fixed_rows::<3>(3).into()));
    Vector6::new(u.x, u.y, u.z, phi.x, phi.y, phi.z)
}

/// Rows of a member in the elastic coordinates of its link, by freedom.
pub fn rows(node: usize, freedoms: usize) -> Range<usize> {
    node * freedoms..(node + 1) * freedoms
}
