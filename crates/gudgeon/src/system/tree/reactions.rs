//! What the joints of a tree carry: (3) of `mod.rs`, and λ of their rows.
//!
//! The wrench F on a link by its joint has parts along the rows of the joint and of the drivers that prescribe its
//! coordinates, −Σ λ W, and none along free coordinates. The λ follow from WᵀW λ = −WᵀF. A driver alone reads its load
//! from the column s of its coordinate, T = s · F.

use nalgebra::{Matrix6, SVector, Vector6};

use super::Tree;
use super::sweeps::{inwards, wrench_of};
use super::work::{Links, in_space};
use crate::math::spatial::Wrench;
use crate::model::{DriverId, JointId};
use crate::system::compile::{RowSource, System};
use crate::system::workspace::Workspace;

impl Tree {
    /// Loads of the drivers whose coordinates are known, as λ of their rows, at the last accelerations.
    pub(in crate::system) fn driver_loads(&self, system: &System, work: &mut Workspace) {
        if self.driven.is_empty() {
            return;
        }
        self.carry(system, true, work);
        self.write_driver_loads(system, work);
    }

    /// The same by what the links of drivers carry.
    pub(super) fn write_driver_loads(&self, system: &System, work: &mut Workspace) {
        let Some(own) = work.tree.take() else { return };
        for &i in &self.driven {
            let link = &self.links[i];
            for (column, driver) in link.known.iter().enumerate() {
                let Some(driver) = *driver else { continue };
                let load = in_space!(&own.links, links => {
                    links[i].columns[column].dot(&links[i].carried)
                });
                for row in system.rows_of(RowSource::Driver(DriverId(driver))) {
                    work.lambda[row] = -link.sign * load;
                }
            }
        }
        work.tree = Some(own);
    }

    /// λ of all rows of joints of the tree, at the last accelerations; those of drivers stand already.
    pub(in crate::system) fn joint_reactions(&self, system: &System, work: &mut Workspace) {
        self.carry(system, true, work);
        self.write_reactions(system, 0..self.links.len(), work);
    }

    /// Those of joints with friction alone.
    pub(in crate::system) fn friction_reactions(&self, system: &System, work: &mut Workspace) {
        if self.rubs() {
            self.carry(system, true, work);
            self.write_reactions(system, self.rubbing.iter().copied(), work);
        }
    }

    /// Those by f, v̇ and λ of cut joints as they stand, without b.
    pub(super) fn friction_responses(&self, system: &System, work: &mut Workspace) {
        self.carry(system, false, work);
        self.write_reactions(system, self.rubbing.iter().copied(), work);
    }

    /// λ of the joints of links by what these carry.
    fn write_reactions(
        &self,
        system: &System,
        links: impl Iterator<Item = usize>,
        work: &mut Workspace,
    ) {
        let Some(own) = work.tree.take() else { return };
        for i in links {
            let link = &self.links[i];
            let Some(joint) = link.joint else { continue };
            let (f, t) = match &own.links {
                Links::Planar(links) => {
                    let c = &links[i].carried;
                    ([c[0], c[1], 0.0], [0.0, 0.0, c[2]])
                }
                Links::Spatial(links) => {
                    let c = &links[i].carried;
                    ([c[0], c[1], c[2]], [c[3], c[4], c[5]])
                }
            };
            let carried = Wrench { f: f.into(), t: t.into() };
            let ends = &system.model.joints[joint.0];
            let marker = if link.reversed { ends.a.0 } else { ends.b.0 };
            let Wrench { f, t } = carried;
            let at_marker = Wrench { f, t: t - work.arms[marker].cross(&f) };
            share(system, joint, (link.reversed, &link.known), &at_marker, work);
        }
        work.tree = Some(own);
    }

    /// Sums (3) over every link and all beyond it, with the biases b or without.
    pub(super) fn carry(&self, system: &System, with_bias: bool, work: &mut Workspace) {
        let Some(mut own) = work.tree.take() else { return };
        in_space!(&mut own.links, links => {
            for (link, state) in self.links.iter().zip(links.iter_mut()) {
                let body = &system.bodies[link.body];
                let a = if with_bias { state.motion + state.bias } else { state.motion };
                let placed = &work.states[link.body + 1];
                state.force = state.mass * a - wrench_of(body, placed, &work.forces);
                if body.lacks_mass() {
                    state.force -= artificial(body, placed, &work.accelerations);
                }
            }
            for touch in &self.touches {
                let (lambda, wrenches) = (work.lambda[touch.row], &work.row_wrenches[touch.row]);
                let wrench = if touch.on_b { &wrenches.on_b } else { &wrenches.on_a };
                let force = Self::at_centre(wrench, &work.arms[touch.marker]);
                links[touch.link].force += force * lambda;
            }
            inwards(&self.links, links, |_, _, state| state.carried = state.force);
        });
        work.tree = Some(own);
    }
}

/// M̃ v̇ of artificial masses, a wrench at the centre.
fn artificial<const D: usize>(
    body: &crate::system::component::RigidBody,
    state: &crate::system::component::BodyState,
    a: &[f64],
) -> SVector<f64, D> {
    let mut own = [0.0; 6];
    let range = body.velocities();
    for (k, (own, a)) in own.iter_mut().zip(&a[range]).enumerate() {
        *own = body.artificial[k] * a;
    }
    let at_start = crate::system::component::RigidBody { v: 0, ..*body };
    wrench_of(&at_start, state, &own)
}

/// λ of the rows of a joint, from the wrench on its link at the joint's marker.
pub(in crate::system) fn share(
    system: &System,
    joint: JointId,
    (reversed, known): (bool, &[Option<usize>; 3]),
    at_marker: &Wrench,
    work: &mut Workspace,
) {
    // At the marker, lengths of the mechanism's size counting as 1.
    let unit = system.length;
    let stack =
        |w: &Wrench| Vector6::new(w.f.x * unit, w.f.y * unit, w.f.z * unit, w.t.x, w.t.y, w.t.z);
    let drivers = known.iter().flatten().map(|&driver| RowSource::Driver(DriverId(driver)));
    let sources = std::iter::once(RowSource::Joint(joint)).chain(drivers);
    let (mut rows, mut count) = ([0; 6], 0);
    let mut units = Matrix6::<f64>::zeros();
    for row in sources.flat_map(|source| system.rows_of(source)).take(6) {
        let r = &system.rows[row];
        let wrenches = r.kind.row(&work.markers[r.a], &work.markers[r.b]);
        let unit = stack(if reversed { &wrenches.on_a } else { &wrenches.on_b });
        work.row_wrenches[row] = wrenches;
        units.set_column(count, &unit);
        (rows[count], count) = (row, count + 1);
    }
    let mut normal = units.tr_mul(&units);
    (count..6).for_each(|k| normal[(k, k)] = 1.0);
    let wanted = -units.tr_mul(&stack(at_marker));
    let lambda = normal.cholesky().map_or(Vector6::zeros(), |factors| factors.solve(&wanted));
    // Loads of drivers stand there already, and must not depend on who looks.
    let of_joint = |row: usize| matches!(system.rows[row].source, RowSource::Joint(_));
    for k in (0..count).filter(|&k| of_joint(rows[k])) {
        work.lambda[rows[k]] = lambda[k];
    }
}
