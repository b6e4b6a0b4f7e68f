//! From the state of the system to coordinates and velocities of all links one by one, and back at the start.

use nalgebra::Vector6;

use super::bodies::RigidLinkState;
use super::joints::Cluster;
use super::rigid::{Role, carried};
use super::work::{ErlsWork, Placed};
use super::{EquivalentSystem, Made, Source};
use crate::math::rotation;
use crate::model::Model;
use crate::system::compile::System;
use crate::system::component::BodyState;
use crate::system::workspace::Workspace;
use crate::time::Jet;

impl EquivalentSystem {
    /// Frames and elastic coordinates of all links at q and v of the state.
    pub(in crate::system) fn place(
        &self,
        system: &System,
        (q, v): (&[f64], &[f64]),
        motion: impl Fn(usize) -> Jet,
        out: &mut Placed,
    ) {
        let m = self.rigid.independent;
        let (u, u_rate) = (&q[m..], &v[m..]);
        self.rigid.update((q, v), motion, self.length, &mut out.rigid);
        for (cluster, states) in self.clusters.iter().zip(&mut out.clusters) {
            let x = |column: usize| self.value(cluster, column, u);
            let axes = |link: usize| self.links[link].axes;
            cluster.update((&self.rigid, &out.rigid), axes, x, states);
        }
        for (l, link) in self.links.iter().enumerate() {
            let floating = match &link.made {
                Made::Flexible(floating) => *floating,
                Made::Rigid(body) => {
                    let [d, rate] = self.displacement(l, (u, u_rate), out);
                    let now = &out.rigid.links[l];
                    out.bodies[l] = RigidLinkState::new(now, &d, &rate);
                    body.write_state(now, &out.bodies[l], d[5], &mut out.q, &mut out.v);
                    continue;
                }
            };
            self.write_frame(system, (l, floating), out);
            let body = &system.floating[floating];
            let (first_q, first_v) = (body.q + body.elastic_q(), body.v + body.border());
            for (i, source) in link.sources.iter().enumerate() {
                match source {
                    Source::Own(unknown) => {
                        let index = self.unknowns[*unknown].index;
                        out.q[first_q + i] = index.map_or(0.0, |i| u[i]);
                        out.v[first_v + i] = index.map_or(0.0, |i| u_rate[i]);
                    }
                    Source::Member { cluster, member, freedom } => {
                        let d = self.of_member((*cluster, *member, *freedom), (u, u_rate), out);
                        out.q[first_q + i] = d[0];
                        out.v[first_v + i] = d[1];
                    }
                }
            }
        }
    }

    /// A freedom of a member of a cluster and its rate.
    fn of_member(
        &self,
        (cluster, member, freedom): (usize, usize, usize),
        (u, u_rate): (&[f64], &[f64]),
        at: &Placed,
    ) -> [f64; 2] {
        let (own, state) = (&self.clusters[cluster], &at.clusters[cluster][member]);
        let mut d = [0.0; 2];
        for k in 0..own.columns.len() {
            let (x, rate) = (self.value(own, k, u), self.value(own, k, u_rate));
            d[0] += state.t[k][freedom] * x;
            d[1] += state.t[k][freedom] * rate + state.t_rate[k][freedom] * x;
        }
        d
    }

    /// Displacement of a rigid body from its link, and its rate.
    fn displacement(&self, link: usize, of: (&[f64], &[f64]), at: &Placed) -> [Vector6<f64>; 2] {
        let mut both = [Vector6::zeros(); 2];
        for (source, &freedom) in self.links[link].sources.iter().zip(self.freedoms) {
            let value = match *source {
                Source::Own(unknown) => {
                    let index = self.unknowns[unknown].index;
                    index.map_or([0.0; 2], |i| [of.0[i], of.1[i]])
                }
                Source::Member { cluster, member, freedom } => {
                    self.of_member((cluster, member, freedom), of, at)
                }
            };
            both.iter_mut().zip(value).for_each(|(to, value)| to[freedom] = value);
        }
        both
    }

    /// Poses, velocities and markers at q and v of the state.
    pub(in crate::system) fn kinematics(
        &self,
        system: &System,
        state: (&[f64], &[f64]),
        work: &mut Workspace,
    ) {
        let Some(mut own) = work.erls.take() else { return };
        self.place(system, state, |driver| work.motions[driver], &mut own.placed);
        work.v.copy_from_slice(&own.placed.v);
        for component in &system.components {
            component.place(system, &own.placed.q, &own.placed.v, work);
        }
        work.erls = Some(own);
    }

    /// A coordinate of a cluster, of u or its rate.
    pub(super) fn value(&self, cluster: &Cluster, column: usize, u: &[f64]) -> f64 {
        self.unknowns[cluster.columns[column]].index.map_or(0.0, |i| u[i])
    }

    fn write_frame(&self, system: &System, (link, floating): (usize, usize), out: &mut Placed) {
        let body = &system.floating[floating];
        let now = &out.rigid.links[link];
        let (p, r) = (&now.frame.p, &now.frame.r);
        let (q, v) = (&mut out.q[body.q..], &mut out.v[body.v..]);
        let twist = &now.twist;
        if body.elastic_q() == 3 {
            q[..3].copy_from_slice(&[p.x, p.y, now.angle]);
            v[..3].copy_from_slice(&[twist.v.x, twist.v.y, twist.w.z]);
        } else {
            q[..3].copy_from_slice(p.as_slice());
            q[3..7].copy_from_slice(&rotation::quaternion(r));
            v[..3].copy_from_slice(twist.v.as_slice());
            v[3..6].copy_from_slice(r.tr_mul(&twist.w).as_slice());
        }
    }

    /// The state at which undeformed links stand and move as given, the ground first.
    pub(crate) fn read(&self, model: &Model, states: &[BodyState]) -> (Vec<f64>, Vec<f64>) {
        let theta = super::build::start_angles(model, &self.rigid, states);
        let (mut q, mut v) = (vec![0.0; self.size()], vec![0.0; self.size()]);
        for (k, role) in self.rigid.roles.iter().enumerate() {
            let Role::Independent(i) = role else { continue };
            let link = &self.rigid.links[self.rigid.turned[k]];
            let carrier = link.parent.map_or(0, |parent| self.rigid.links[parent].body + 1);
            let (before, own) = (&states[carrier], &states[link.body + 1]);
            q[*i] = theta[k];
            let axis = |k: usize| before.frame.r * link.outer.frame.r.column(k) * link.sign;
            v[*i] = if link.slides {
                let place = own.frame.then(&link.own.frame).p;
                let [a, b] = [before, own].map(|s| carried(&s.twist, &(place - s.frame.p)).v);
                axis(0).dot(&(b - a))
            } else {
                axis(2).dot(&(own.twist.w - before.twist.w))
            };
        }
        (q, v)
    }

    /// What `of` reads of the coordinates and velocities of all links at any state.
    pub(in crate::system) fn aside<T>(
        &self,
        system: &System,
        work: &ErlsWork,
        state: (&[f64], &[f64]),
        motion: impl Fn(usize) -> Jet,
        of: impl FnOnce(&[f64], &[f64]) -> T,
    ) -> T {
        let mut aside = work.aside.borrow_mut();
        aside.rigid.theta.copy_from_slice(&work.placed.rigid.theta);
        self.place(system, state, motion, &mut aside);
        of(&aside.q, &aside.v)
    }
}

/// Displacements and rotations of a node from the elastic coordinates of its link.
pub(super) fn of_node(freedoms: &[usize], d: &[f64], node: usize) -> Vector6<f64> {
    let mut out = Vector6::zeros();
    let own = &d[super::joints::rows(node, freedoms.len())];
    freedoms.iter().zip(own).for_each(|(&freedom, d)| out[freedom] = *d);
    out
}
