//! What joints carry: the balance of each link alone leaves the forces that joints exert on its nodes.
//!
//! They are those of the equations as they are used. Of several links in one place a joint carries what those beyond it
//! need; in the place itself there are no arms.

use nalgebra::Vector3;

use super::joints::Member;
use super::place::of_node;
use super::solve::in_world;
use super::work::ErlsWork;
use super::{EquivalentSystem, Made, Source};
use crate::math::spatial::Wrench;
use crate::model::{Driver, DriverId, JointId, JointKind};
use crate::system::compile::{RowSource, System};
use crate::system::tree;
use crate::system::workspace::Workspace;

impl EquivalentSystem {
    /// Wrenches of all joints at the last accelerations, and loads of drivers as λ.
    pub(super) fn react(&self, system: &System, work: &mut Workspace, own: &mut ErlsWork) {
        self.leave(system, own);
        for c in 0..self.clusters.len() {
            self.sum(c, own);
        }
        for (i, driver) in system.model.drivers.iter().enumerate() {
            let load = self.driving(driver, own);
            let source = RowSource::Driver(DriverId(i));
            for row in system.rows_of(source) {
                work.lambda[row] = -load;
            }
        }
    }

    /// Torque or force of a driver, from what its joint carries.
    pub(super) fn driving(&self, driver: &Driver, own: &ErlsWork) -> f64 {
        let carried = self.rigid.links.iter().position(|link| link.joint == driver.joint);
        let Some(l) = carried else { return 0.0 };
        let (link, carried) = (&self.rigid.links[l], &own.joints[driver.joint.0]);
        let axis = |k: usize| -> Vector3<f64> {
            own.placed.rigid.links[l].frame.r * link.own.frame.r.column(k)
        };
        if link.slides { carried.f.dot(&axis(0)) } else { carried.t.dot(&axis(2)) }
    }

    /// What is left of the balance of every link on its elastic coordinates.
    pub(super) fn leave(&self, system: &System, own: &mut ErlsWork) {
        let m = self.rigid.independent;
        let (q, u) = own.accelerations.split_at(m);
        let links = self.links.iter().zip(&own.placed.bodies);
        for ((link, state), left) in links.zip(&mut own.links) {
            left.left.iter_mut().zip(&left.load).for_each(|(out, load)| *out = -load);
            for (column, q) in left.columns.iter().zip(q) {
                left.left.iter_mut().zip(column).for_each(|(out, c)| *out += c * q);
            }
            for (out, source) in left.elastic.iter_mut().zip(&link.sources) {
                *out = match *source {
                    Source::Own(unknown) => self.unknowns[unknown].index.map_or(0.0, |i| u[i]),
                    Source::Member { cluster, member, freedom } => {
                        let at = &own.placed.clusters[cluster][member];
                        let columns = &self.clusters[cluster];
                        let each = at.t.iter().enumerate();
                        each.map(|(k, t)| t[freedom] * self.value(columns, k, u)).sum()
                    }
                };
            }
            match &link.made {
                Made::Flexible(floating) => {
                    let body = &system.floating[*floating];
                    let own = &mut left.left[body.border()..];
                    body.link.mass.add_product(1.0, &left.elastic, own);
                }
                Made::Rigid(body) => {
                    let still = Vector3::zeros();
                    body.mass_product(state, (&still, &still), &left.elastic, &mut left.product);
                    left.left.iter_mut().zip(&left.product).for_each(|(out, part)| *out += part);
                }
            }
        }
    }

    /// Wrenches along the joints of a cluster.
    fn sum(&self, c: usize, own: &mut ErlsWork) {
        let cluster = &self.clusters[c];
        own.members.clear();
        for member in &cluster.members {
            let link = &self.links[member.link];
            let left = &own.links[member.link].left;
            let elastic = &left[left.len() - link.sources.len()..];
            let axes = own.placed.rigid.links[member.link].frame.r * link.axes;
            let [f, t] = in_world(&axes, &of_node(self.freedoms, elastic, member.node));
            own.members.push(Wrench { f, t });
        }
        let axes = |link: usize| own.placed.rigid.links[link].frame.r * self.links[link].axes;
        for (i, member) in cluster.members.iter().enumerate().rev() {
            let Wrench { f, t } = own.members[i];
            // At the joint.
            let t = t - (axes(member.link) * member.arms[1]).cross(&f);
            if let Some(before) = member.before {
                let arm = axes(cluster.members[before].link) * member.arms[0];
                own.members[before].f += f;
                own.members[before].t += t + arm.cross(&f);
            }
            if let Some(joint) = member.joint {
                let sign = if member.is_second { 1.0 } else { -1.0 };
                own.joints[joint.0] = Wrench { f: f * sign, t: t * sign };
            }
        }
    }

    /// λ of all rows of joints and drivers at the last accelerations.
    pub(in crate::system) fn joint_reactions(&self, system: &System, work: &mut Workspace) {
        let Some(own) = work.erls.take() else { return };
        for (joint, wrench) in own.joints.iter().enumerate() {
            let mut wrench = *wrench;
            let of = &system.model.joints[joint];
            if of.kind == JointKind::Prismatic {
                // Known at the body that slides, wanted at the second side.
                let sliding = |m: &Member| m.joint == Some(JointId(joint)) && !m.is_second;
                if self.clusters.iter().flat_map(|c| &c.members).any(sliding) {
                    let [a, b] = [of.a, of.b].map(|m| work.markers[m.0].frame.p);
                    wrench.t += (a - b).cross(&wrench.f);
                }
            }
            let drives = |driver: &Driver| driver.joint == JointId(joint);
            let driver = system.model.drivers.iter().position(drives);
            tree::share(system, JointId(joint), (false, &[driver, None, None]), &wrench, work);
        }
        work.erls = Some(own);
    }
}
