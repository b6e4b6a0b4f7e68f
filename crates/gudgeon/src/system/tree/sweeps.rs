//! Kinematics of a tree outwards, and T and Tᵀ.

use nalgebra::{SMatrix, SVector, Vector3};

use super::Tree;
use super::link::{Link, Motion, Placed, stacked};
use super::masses::{carried_in, carried_out};
use super::work::{LinkState, Links, TreeWork, in_space};
use crate::marker::{Attachment, MarkerState};
use crate::math::rotation;
use crate::math::spatial::Wrench;
use crate::model::Space;
use crate::system::compile::System;
use crate::system::component::{BodyState, Component, RigidBody};
use crate::system::workspace::Workspace;
use crate::time::Jet;

impl Tree {
    /// Poses, markers and velocities of all bodies by the state, and the biases that joints and drivers give them.
    pub(in crate::system) fn kinematics(
        &self,
        system: &System,
        (q, v): (&[f64], &[f64]),
        work: &mut Workspace,
    ) {
        self.place(&system.bodies, (q, v), work);
        let Some(mut own) = work.tree.take() else { return };
        own.v.copy_from_slice(v);
        if q.len() > self.sizes[0] {
            own.q[self.absolute[0]..].copy_from_slice(&q[self.sizes[0]..]);
            work.v[self.absolute[1]..].copy_from_slice(&v[self.sizes[1]..]);
        }
        let all = std::mem::take(&mut work.v);
        for component in &system.components {
            match component {
                Component::Planar(_) | Component::Spatial(_) => {
                    component.place_markers(system, work);
                }
                Component::Natural(_) | Component::Beams(_) | Component::Floating(_) => {
                    component.place(system, &own.q, &all, work);
                }
            }
        }
        work.v = all;
        // Rows alone read them.
        in_space!(&own.links, links => {
            for &marker in &self.touched {
                self.add_bias(system, links, marker, work);
            }
        });
        work.tree = Some(own);
    }

    /// Markers and quaternions that no evaluation needs, at the last kinematics.
    pub(in crate::system) fn place_held(&self, system: &System, work: &mut Workspace) {
        if self.space == Space::Spatial {
            self.links.iter().for_each(|link| write_quaternion(link.body, work));
        }
        for &marker in &self.held {
            let at = &system.attachments[marker];
            if at.body == 0 {
                continue;
            }
            let (seen, arm) = (&mut work.markers[marker], &mut work.arms[marker]);
            match self.space {
                Space::Planar => work.states[at.body].write_planar(at, seen, arm),
                Space::Spatial => work.states[at.body].write_spatial(at, seen, arm),
            }
        }
    }

    /// What the bias of its body adds to that of a marker.
    #[inline(always)]
    fn add_bias<const D: usize>(
        &self,
        system: &System,
        links: &[LinkState<D>],
        marker: usize,
        work: &mut Workspace,
    ) {
        let Some(link) = self.of_body[system.attachments[marker].body - 1] else { return };
        let carried = carried_out(&links[link].bias, &work.arms[marker]);
        let bias = &mut work.markers[marker].bias;
        if D == 3 {
            bias.v += Vector3::new(carried[0], carried[1], 0.0);
            bias.w = Vector3::new(0.0, 0.0, carried[2]);
        } else {
            bias.v += Vector3::new(carried[0], carried[1], carried[2]);
            bias.w = Vector3::new(carried[3], carried[4], carried[5]);
        }
    }

    /// States of all bodies of the tree, their velocities one by one, and what sweeps need.
    fn place(&self, bodies: &[RigidBody], (q, v): (&[f64], &[f64]), work: &mut Workspace) {
        let Some(mut own) = work.tree.take() else { return };
        match &mut own.links {
            Links::Planar(links) => {
                for (i, link) in self.links.iter().enumerate() {
                    self.place_in_plane((i, link), links, (q, v), work);
                    let (state, body) = (&work.states[link.body + 1], &bodies[link.body]);
                    let v = &mut work.v[body.v..body.v + 3];
                    v.copy_from_slice(&[state.twist.v.x, state.twist.v.y, state.twist.w.z]);
                }
            }
            Links::Spatial(links) => {
                for (i, link) in self.links.iter().enumerate() {
                    let (carrier, bias) = carrier(&self.links, links, link, work);
                    let (carrier, body) = ((carrier, &bias), &bodies[link.body]);
                    let motion = |driver: usize| work.motions[driver];
                    let state = if link.is_single() {
                        let placed = link.place_single(carrier, link.coordinate(q, v, motion));
                        links[i].take(&placed, 1);
                        placed.state
                    } else {
                        let placed = link.place_spatial(carrier, &link.coordinates(q, v, motion));
                        links[i].take(&placed, link.sizes[1]);
                        placed.state
                    };
                    write_spatial_mass(body, &state, &mut links[i].mass);
                    write_spatial(body, link.body, &state, work);
                }
            }
        }
        work.tree = Some(own);
    }

    #[inline(always)]
    fn place_in_plane(
        &self,
        (i, link): (usize, &Link),
        links: &mut [LinkState<3>],
        (q, v): (&[f64], &[f64]),
        work: &mut Workspace,
    ) {
        if link.motion == Motion::Free {
            let own = BodyState::planar(&q[link.q..], &v[link.v..]);
            let to = &mut links[i];
            (0..3).for_each(|k| to.columns[k][k] = 1.0);
            (to.arm, to.bias) = (own.frame.p, SVector::zeros());
            work.states[link.body + 1] = own;
            return;
        }
        let at = link.coordinate(q, v, |driver| work.motions[driver]);
        let placed = match link.parent {
            None => link.place_planar(None, at, &mut work.states[link.body + 1]),
            Some(parent) => {
                let bodies = [self.links[parent].body + 1, link.body + 1];
                let [carrier, own] =
                    work.states.get_disjoint_mut(bodies).expect("a link is not its own carrier");
                link.place_planar(Some((carrier, &links[parent].bias)), at, own)
            }
        };
        let to = &mut links[i];
        (to.arm.x, to.arm.y) = placed.arm;
        (to.columns[0], to.bias) = (placed.column, placed.bias);
    }

    /// The same of any body, also of one outside the tree.
    pub(in crate::system) fn any_state(
        &self,
        system: &System,
        body: usize,
        (q, v): (&[f64], &[f64]),
        motion: impl Fn(usize) -> Jet,
    ) -> BodyState {
        match self.of_body[body] {
            Some(_) => self.state_of(body, (q, v), motion),
            None => {
                let (q, v) = self.outside((q, v));
                system.state_outside(body, self.absolute, (q, v))
            }
        }
    }

    /// A marker on any body at any point.
    #[inline(always)]
    pub(in crate::system) fn write_marker(
        &self,
        system: &System,
        at: &Attachment,
        (q, v): (&[f64], &[f64]),
        motion: impl Fn(usize) -> Jet,
        marker: &mut MarkerState,
    ) {
        let Some(body) = at.body.checked_sub(1) else {
            *marker = at.on_ground();
            return;
        };
        let mut arm = Vector3::zeros();
        match (self.of_body[body], self.space) {
            (Some(_), Space::Planar) => {
                self.state_of(body, (q, v), motion).write_planar(at, marker, &mut arm);
            }
            (Some(_), Space::Spatial) => {
                self.state_of(body, (q, v), motion).write_spatial(at, marker, &mut arm);
            }
            (None, _) => {
                let (q, v) = self.outside((q, v));
                *marker = system.marker_outside(at, self.absolute, (q, v));
            }
        }
    }

    /// Coordinates and velocities of what stands behind the tree.
    fn outside<'y>(&self, (q, v): (&'y [f64], &'y [f64])) -> (&'y [f64], &'y [f64]) {
        (&q[self.sizes[0]..], &v[self.sizes[1]..])
    }

    /// The state of one body at any point, by the path that carries it.
    pub(in crate::system) fn state_of(
        &self,
        body: usize,
        (q, v): (&[f64], &[f64]),
        motion: impl Fn(usize) -> Jet,
    ) -> BodyState {
        match self.of_body[body] {
            None => BodyState::GROUND,
            Some(link) if self.depths[link] <= SHORT => {
                self.state_by_pieces::<SHORT>(link, (q, v), motion)
            }
            Some(link) => self.state_by_pieces::<PIECE>(link, (q, v), motion),
        }
    }

    #[inline(always)]
    fn state_by_pieces<const PIECE: usize>(
        &self,
        link: usize,
        (q, v): (&[f64], &[f64]),
        motion: impl Fn(usize) -> Jet,
    ) -> BodyState {
        let (mut state, mut done) = (BodyState::GROUND, 0);
        // Piece by piece, from the ground outwards.
        while done < self.depths[link] {
            let count = (self.depths[link] - done).min(PIECE);
            let (mut path, mut at) = ([0; PIECE], link);
            for depth in (done..self.depths[link]).rev() {
                if depth < done + count {
                    path[depth - done] = at;
                }
                at = self.links[at].parent.unwrap_or(at);
            }
            for link in path[..count].iter().map(|&at| &self.links[at]) {
                match self.space {
                    Space::Planar if link.motion == Motion::Free => {
                        state = BodyState::planar(&q[link.q..], &v[link.v..]);
                    }
                    Space::Planar => {
                        let at = link.coordinate(q, v, &motion);
                        if link.parent.is_none() {
                            link.place_planar(None, at, &mut state);
                        } else {
                            let carrier = state;
                            let resting = SVector::zeros();
                            link.place_planar(Some((&carrier, &resting)), at, &mut state);
                        }
                    }
                    Space::Spatial => {
                        let resting = SVector::zeros();
                        let carrier = (&state, &resting);
                        state = if link.is_single() {
                            link.place_single(carrier, link.coordinate(q, v, &motion)).state
                        } else {
                            link.place_spatial(carrier, &link.coordinates(q, v, &motion)).state
                        };
                    }
                }
            }
            done += count;
        }
        state
    }

    /// x_r = Tᵀ x of wrenches by body, in coordinates of the bodies; unknown columns only.
    pub(in crate::system) fn gather(
        &self,
        bodies: &[RigidBody],
        states: &[BodyState],
        forces: &[f64],
        with_bias: bool,
        out: &mut [f64],
        work: &mut TreeWork,
    ) {
        in_space!(&mut work.links, links => {
            for (link, state) in self.links.iter().zip(links.iter_mut()) {
                state.force = wrench_of(&bodies[link.body], &states[link.body + 1], forces);
                if with_bias {
                    state.force -= state.mass * state.bias;
                }
            }
            inwards(&self.links, links, |_, link, state| {
                for k in 0..link.free {
                    out[link.v + k] = state.columns[link.unknown[k]].dot(&state.force);
                }
            });
        });
    }

    /// v̇_abs = T v̇ + b, or T v̇ without bias, into the accelerations of the bodies.
    pub(in crate::system) fn scatter(
        &self,
        bodies: &[RigidBody],
        states: &[BodyState],
        (a, with_bias): (&[f64], bool),
        out: &mut [f64],
        work: &mut TreeWork,
    ) {
        in_space!(&mut work.links, links => {
            for (i, link) in self.links.iter().enumerate() {
                let mut motion = match link.parent {
                    Some(parent) => carried_out(&links[parent].motion, &links[i].arm),
                    None => SVector::zeros(),
                };
                let state = &mut links[i];
                for k in 0..link.free {
                    motion += state.columns[link.unknown[k]] * a[link.v + k];
                }
                state.motion = motion;
                let all = if with_bias { motion + state.bias } else { motion };
                write_acceleration(&bodies[link.body], &states[link.body + 1], &all, out);
            }
        });
    }

    /// The centre of a body, and a wrench there in the order of sweeps, for a wrench at an arm from it.
    pub(super) fn at_centre<const D: usize>(w: &Wrench, arm: &Vector3<f64>) -> SVector<f64, D> {
        let t = w.t + arm.cross(&w.f);
        in_order(&w.f, &t)
    }
}

/// Links of a path that are placed at once: of a long one, and of one that is no longer than this.
const PIECE: usize = 32;
const SHORT: usize = 4;

/// State and bias of what carries a link.
#[inline(always)]
fn carrier<'w, const D: usize>(
    tree: &[Link],
    links: &[LinkState<D>],
    link: &Link,
    work: &'w Workspace,
) -> (&'w BodyState, SVector<f64, D>) {
    match link.parent {
        Some(parent) => (&work.states[tree[parent].body + 1], links[parent].bias),
        None => (&work.states[0], SVector::zeros()),
    }
}

impl<const D: usize> LinkState<D> {
    #[inline(always)]
    fn take<const N: usize>(&mut self, placed: &Placed<D, N>, columns: usize) {
        self.arm = placed.arm;
        self.columns[..columns].copy_from_slice(&placed.columns[..columns]);
        self.bias = placed.bias;
    }
}

/// m and R diag(I) Rᵀ on the diagonal, into a matrix whose other blocks are zero.
#[inline(always)]
fn write_spatial_mass(body: &RigidBody, state: &BodyState, mass: &mut SMatrix<f64, 6, 6>) {
    (0..3).for_each(|k| mass[(k, k)] = 1.0 / body.inverse[k]);
    let r = &state.frame.r;
    let mut scaled = *r;
    (0..3).for_each(|k| scaled.column_mut(k).scale_mut(1.0 / body.inverse[3 + k]));
    for i in 0..3 {
        for j in 0..=i {
            let sum: f64 = (0..3).map(|k| scaled[(i, k)] * r[(j, k)]).sum();
            (mass[(3 + i, 3 + j)], mass[(3 + j, 3 + i)]) = (sum, sum);
        }
    }
}

/// Of its two signs the one nearest to the last.
fn write_quaternion(body: usize, work: &mut Workspace) {
    let quaternion = rotation::quaternion(&work.states[body + 1].frame.r);
    let last = &mut work.quaternions[body];
    let along: f64 = quaternion.iter().zip(&*last).map(|(a, b)| a * b).sum();
    *last = quaternion.map(|x| if along < 0.0 { -x } else { x });
}

#[inline(always)]
fn write_spatial(body: &RigidBody, index: usize, state: &BodyState, work: &mut Workspace) {
    let v = &mut work.v[body.v..body.v + 6];
    v[..3].copy_from_slice(state.twist.v.as_slice());
    v[3..].copy_from_slice(state.frame.r.tr_mul(&state.twist.w).as_slice());
    work.states[index + 1] = *state;
}

/// Force, then torque, of a space.
#[inline(always)]
fn in_order<const D: usize>(f: &Vector3<f64>, t: &Vector3<f64>) -> SVector<f64, D> {
    if D == 3 {
        SVector::from_fn(|k, _| [f.x, f.y, t.z][k])
    } else {
        let all = stacked(f, t);
        SVector::from_fn(|k, _| all[k])
    }
}

/// A wrench at the centre of a body, in world axes, from its part of a vector of forces.
#[inline(always)]
pub(super) fn wrench_of<const D: usize>(
    body: &RigidBody,
    state: &BodyState,
    forces: &[f64],
) -> SVector<f64, D> {
    let own = &forces[body.v..body.v + D];
    if D == 3 {
        return SVector::from_fn(|k, _| own[k]);
    }
    let torque = state.frame.r * Vector3::new(own[3], own[4], own[5]);
    in_order(&Vector3::new(own[0], own[1], own[2]), &torque)
}

#[inline(always)]
pub(super) fn write_acceleration<const D: usize>(
    body: &RigidBody,
    state: &BodyState,
    a: &SVector<f64, D>,
    out: &mut [f64],
) {
    let out = &mut out[body.v..body.v + D];
    if D == 3 {
        out.copy_from_slice(a.as_slice());
        return;
    }
    out[..3].copy_from_slice(&a.as_slice()[..3]);
    let turning = state.frame.r.tr_mul(&Vector3::new(a[3], a[4], a[5]));
    out[3..].copy_from_slice(turning.as_slice());
}

/// Sums the forces of links inwards; calls `each` with a link when its sum is complete.
#[inline(always)]
pub(super) fn inwards<const D: usize>(
    tree: &[Link],
    links: &mut [LinkState<D>],
    mut each: impl FnMut(usize, &Link, &mut LinkState<D>),
) {
    for i in (0..tree.len()).rev() {
        each(i, &tree[i], &mut links[i]);
        if let Some(parent) = tree[i].parent {
            let add = carried_in(&links[i].force, &links[i].arm);
            links[parent].force += add;
        }
    }
}
