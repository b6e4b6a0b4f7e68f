//! Accelerations of a tree that no row holds: one sweep inwards and one outwards.
//!
//! Seen at its centre, a link with all that it carries has the articulated inertia Î of (1) of `masses.rs` and feels
//!
//!   F = f − M b + Σ X_kᵀ (F_k − Î_k S_k D_k⁻¹ S_kᵀ F_k),   D = SᵀÎ S                               (1)
//!   q̈ = D⁻¹(SᵀF − SᵀÎ X a_parent),   a = X a_parent + S q̈,   v̇_abs = a + b                      (2)
//!
//! and its joint gives it the wrench Î a − F, from which drivers have their loads. Artificial masses are no part of
//! these; drivers that move any are left to `reactions.rs`.

use nalgebra::SVector;

use super::Tree;
use super::link::COLUMNS;
use super::masses::{
    articulated, carried_in, carried_out, factor_joint, inertia_in, inertia_of, shed,
};
use super::sweeps::{wrench_of, write_acceleration};
use super::work::{LinkState, in_space};
use crate::system::compile::System;
use crate::system::component::{BodyState, RigidBody};
use crate::system::workspace::Workspace;

impl Tree {
    /// v̇ of the tree and of its bodies, and loads of drivers, by the present f.
    pub(in crate::system) fn accelerate(&self, system: &System, work: &mut Workspace) {
        let Some(mut own) = work.tree.take() else { return };
        let (bodies, states) = (&system.bodies[..], &work.states[..]);
        let a = &mut own.accelerations[..];
        in_space!(&mut own.links, links => {
            self.push_in(links, (bodies, states), &work.forces);
            self.pull_out(links, (bodies, states), a, &mut work.accelerations);
            if !self.drives_artificial_masses {
                for &i in &self.driven {
                    let link = &mut links[i];
                    link.carried = if self.links[i].still {
                        -link.force
                    } else {
                        articulated(&self.links[i], link) * link.motion - link.force
                    };
                }
            }
        });
        work.tree = Some(own);
        if self.drives_artificial_masses {
            self.carry(system, true, work);
        }
        self.write_driver_loads(system, work);
    }

    /// (1), and D⁻¹SᵀF.
    #[inline(always)]
    fn push_in<const D: usize>(
        &self,
        links: &mut [LinkState<D>],
        (bodies, states): (&[RigidBody], &[BodyState]),
        forces: &[f64],
    ) {
        for (link, state) in self.links.iter().zip(links.iter_mut()) {
            if !(link.still || link.bare) {
                state.inertia = state.mass;
            }
            state.force = wrench_of(&bodies[link.body], &states[link.body + 1], forces)
                - inertia_of(&state.mass, &state.bias);
        }
        for (i, link) in self.links.iter().enumerate().rev() {
            let (carriers, rest) = links.split_at_mut(i);
            let state = &mut rest[0];
            let mut push = state.force;
            factor_joint(link, state);
            match link.free {
                0 => {}
                1 => {
                    let y = state.columns[link.unknown[0]].dot(&push);
                    state.reduced[0] = state.inverse[0][0] * y;
                }
                free => {
                    let mut y = [0.0; COLUMNS];
                    for k in 0..free {
                        y[k] = state.columns[link.unknown[k]].dot(&push);
                    }
                    for j in 0..free {
                        state.reduced[j] = (0..free).map(|k| state.inverse[j][k] * y[k]).sum();
                    }
                }
            }
            let Some(parent) = link.parent else { continue };
            for j in 0..link.free {
                push -= state.pushed[j] * state.reduced[j];
            }
            let carrier = &mut carriers[parent];
            if !self.links[parent].still {
                carrier.inertia += inertia_in(&shed(link, state), &state.arm);
            }
            carrier.force += carried_in(&push, &state.arm);
        }
    }

    /// (2).
    #[inline(always)]
    fn pull_out<const D: usize>(
        &self,
        links: &mut [LinkState<D>],
        (bodies, states): (&[RigidBody], &[BodyState]),
        a: &mut [f64],
        out: &mut [f64],
    ) {
        for (i, link) in self.links.iter().enumerate() {
            let carrier = link.parent.filter(|&parent| !self.links[parent].still);
            let mut motion = match carrier {
                Some(parent) => carried_out(&links[parent].motion, &links[i].arm),
                None => SVector::zeros(),
            };
            let state = &mut links[i];
            match (link.free, carrier) {
                (0, _) => {}
                (1, carrier) => {
                    let by = carrier.map(|_| state.inverse[0][0] * state.pushed[0].dot(&motion));
                    let own = by.map_or(state.reduced[0], |by| state.reduced[0] - by);
                    a[link.v] = own;
                    motion += state.columns[link.unknown[0]] * own;
                }
                (free, _) => {
                    let mut left = [0.0; COLUMNS];
                    for k in 0..free {
                        left[k] = state.pushed[k].dot(&motion);
                    }
                    for j in 0..free {
                        let by: f64 = (0..free).map(|k| state.inverse[j][k] * left[k]).sum();
                        let own = state.reduced[j] - by;
                        a[link.v + j] = own;
                        motion += state.columns[link.unknown[j]] * own;
                    }
                }
            }
            state.motion = motion;
            let (body, placed) = (&bodies[link.body], &states[link.body + 1]);
            write_acceleration(body, placed, &(motion + state.bias), out);
        }
    }
}
