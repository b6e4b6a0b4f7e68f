//! Masses, poses and energies of bodies by formulation.

use gudgeon_dae::linear::Entries;
use gudgeon_dae::{Shape, Weights};

use super::{
    BeamBody, BodyState, Component, FloatingBody, FloatingState, Formulation, NaturalBody, Triad,
    natural,
};
use crate::math::rotation;
use crate::system::compile::System;
use crate::system::workspace::Workspace;

impl System {
    /// Weights of ones in blocks: numbers for rigid bodies, a full block for each in natural coordinates; bands
    /// with the masses of beams, which are constant; an arrow for each link with a floating frame, its band there.
    pub(in crate::system) fn blank_weights(&self) -> Weights {
        if let Some(erls) = &self.erls {
            return Weights::diagonal(erls.size());
        }
        let shift = self.tree.as_ref().map_or(0, |tree| tree.shift()[1]);
        let rigid: usize = self.first_flexible() - self.naturals.len() * natural::SIZE;
        let branches = self.tree.iter().flat_map(|tree| &tree.branches);
        let full = self.naturals.iter().map(|_| (Shape::Full, natural::SIZE));
        let band = self.beams.iter().map(|beam| {
            let (d, vectors) = (beam.beam.dimension(), beam.beam.vectors());
            (Shape::Band { width: (2 * vectors - 1) * d, stride: d }, beam.size())
        });
        let rigid = match &self.tree {
            Some(_) => branches.map(|branch| (Shape::Full, branch.v.len())).collect(),
            None => vec![(Shape::Diagonal, rigid)],
        };
        let arrow = self.floating.iter().map(|body| {
            let (border, width) = (body.border(), body.link.mass.width());
            (Shape::Arrow { border, width }, body.size())
        });
        let shapes: Vec<_> = rigid.into_iter().chain(full).chain(band).chain(arrow).collect();
        let mut weights = Weights::blocks(&shapes);
        for beam in &self.beams {
            let d = beam.beam.dimension();
            for (i, j, m) in beam.masses() {
                let first = beam.v - shift;
                (0..d).for_each(|c| weights.set(first + i * d + c, first + j * d + c, m));
            }
        }
        for body in &self.floating {
            let first = body.v + body.border();
            for (i, j, m) in body.link.mass.entries() {
                weights.set(first + i, first + j, m);
            }
        }
        weights
    }

    /// M with its places; directions without mass have none here, the constraints hold them.
    pub fn masses(&self, velocities: usize) -> Entries {
        if let Some(erls) = &self.erls {
            return erls.mass_pattern();
        }
        let mut found: Vec<(usize, usize, f64)> = Vec::new();
        let shift = self.tree.as_ref().map_or(0, |tree| tree.shift()[1]);
        if let Some(tree) = &self.tree {
            for v in tree.branches.iter().map(|branch| branch.v.clone()) {
                found.extend(v.clone().flat_map(|i| v.clone().map(move |j| (i, j, 0.0))));
            }
        }
        for component in &self.components {
            match component {
                Component::Planar(_) | Component::Spatial(_) if self.tree.is_some() => {}
                Component::Planar(set) | Component::Spatial(set) => {
                    for body in set.bodies.iter().map(|&i| &self.bodies[i]) {
                        found.extend(body.velocities().enumerate().map(|(i, v)| {
                            let real = body.artificial[i] == 0.0;
                            (v, v, if real { 1.0 / body.inverse[i] } else { 0.0 })
                        }));
                    }
                }
                Component::Natural(_) => {
                    for body in &self.naturals {
                        let entries = body.mass_entries().into_iter();
                        let first = body.v - shift;
                        found.extend(entries.map(|(i, j, m)| (first + i, first + j, m)));
                    }
                }
                Component::Beams(_) => {
                    for beam in &self.beams {
                        let d = beam.beam.dimension();
                        for (i, j, m) in beam.masses() {
                            for c in 0..d {
                                let first = beam.v - shift;
                                let (i, j) = (first + i * d + c, first + j * d + c);
                                found.push((i, j, m));
                                found.push((j, i, m));
                            }
                        }
                    }
                }
                Component::Floating(_) => {
                    for body in &self.floating {
                        found.extend(floating_masses(body));
                    }
                }
            }
        }
        let places: Vec<(usize, usize)> = found.iter().map(|&(i, j, _)| (i, j)).collect();
        let mut masses = Entries::at(velocities, velocities, &places);
        for (i, j, value) in found {
            masses.set(i, j, value);
        }
        masses
    }

    /// Entries of M that change with the position, at the last kinematics.
    pub fn update_masses(&self, work: &Workspace, masses: &mut Entries) {
        for (body, state) in self.floating.iter().zip(&work.floating) {
            body.for_changing_masses(state, |i, j, m| {
                masses.set(body.v + i, body.v + j, m);
                masses.set(body.v + j, body.v + i, m);
            });
        }
    }

    /// Whether markers have angular biases.
    pub(in crate::system) fn has_angular_biases(&self) -> bool {
        let own = self.naturals.is_empty() && self.beams.is_empty() && self.floating.is_empty();
        !own || self.tree.is_some()
    }

    /// Where the velocities of beams begin.
    pub(in crate::system) fn first_beam(&self) -> usize {
        self.beams.first().map_or(self.sizes[1], |beam| beam.v)
    }

    /// Where those of flexible links do.
    fn first_flexible(&self) -> usize {
        self.first_beam().min(self.floating.first().map_or(self.sizes[1], |body| body.v))
    }

    /// The link with a floating frame that a moving body is.
    pub(crate) fn floating(&self, body: usize) -> &FloatingBody {
        &self.floating[self.bodies[body].member]
    }

    /// The same with its state at the last kinematics.
    pub(crate) fn floating_at<'w>(
        &self,
        body: usize,
        work: &'w Workspace,
    ) -> (&FloatingBody, &'w FloatingState) {
        (self.floating(body), &work.floating[self.bodies[body].member])
    }

    /// The beam that a moving body is.
    pub(crate) fn beam(&self, body: usize) -> &BeamBody {
        &self.beams[self.bodies[body].member]
    }

    /// The same with its coordinates and velocities at the last kinematics.
    pub(crate) fn beam_at<'w>(
        &self,
        body: usize,
        work: &'w Workspace,
    ) -> (&BeamBody, &'w [f64], &'w [f64]) {
        let beam = self.beam(body);
        let q = &work.beam_q[beam.v - self.first_beam()..][..beam.size()];
        (beam, q, &work.v[beam.v..beam.v + beam.size()])
    }

    /// The natural-coordinate body that a moving body is.
    pub(crate) fn natural(&self, body: usize) -> &NaturalBody {
        &self.naturals[self.bodies[body].member]
    }

    /// The same with its state at the last kinematics.
    pub(in crate::system) fn natural_at<'w>(
        &self,
        body: usize,
        work: &'w Workspace,
    ) -> (&NaturalBody, &'w Triad) {
        (self.natural(body), &work.naturals[self.bodies[body].member])
    }

    /// Coordinates and velocities of a moving body at a pose and twist of its inner axes; `angle` is that
    /// of a planar body, counted over turns.
    pub fn write_state(&self, body: usize, state: &BodyState, q: &mut [f64], v: &mut [f64]) {
        let rigid = &self.bodies[body];
        let (q, v) = (&mut q[rigid.coordinates()], &mut v[rigid.velocities()]);
        let (p, twist) = (&state.frame.p, &state.twist);
        match rigid.formulation {
            Formulation::Planar | Formulation::FloatingPlanar => {
                q[..3].copy_from_slice(&[p.x, p.y, state.angle]);
                v[..3].copy_from_slice(&[twist.v.x, twist.v.y, twist.w.z]);
            }
            Formulation::Spatial | Formulation::FloatingSpatial => {
                q[..3].copy_from_slice(p.as_slice());
                q[3..7].copy_from_slice(&rotation::quaternion(&state.frame.r));
                v[..3].copy_from_slice(twist.v.as_slice());
                v[3..6].copy_from_slice(state.frame.r.tr_mul(&twist.w).as_slice());
            }
            Formulation::Natural => {
                self.natural(body).write_pose(&state.frame, q);
                self.natural(body).write_twist(&state.frame.r, twist, v);
            }
            Formulation::Beam => self.beam(body).write_state(state, q, v),
        }
        if rigid.formulation.is_floating() {
            self.floating(body).write_elastic(q, v);
        }
    }

    /// The pose and twist that the first coordinates of a moving body stand for: its own, of a link with a floating
    /// frame those of the frame.
    pub fn frame_of(&self, body: usize, q: &[f64], v: &[f64]) -> BodyState {
        match self.bodies[body].formulation {
            Formulation::FloatingPlanar | Formulation::FloatingSpatial => {
                self.floating(body).frame_state(q, v)
            }
            _ => self.state_of(body, q, v),
        }
    }

    /// Writes these coordinates and velocities; elastic ones stay.
    pub fn write_frame(&self, body: usize, state: &BodyState, q: &mut [f64], v: &mut [f64]) {
        let rigid = &self.bodies[body];
        if !rigid.formulation.is_floating() {
            return self.write_state(body, state, q, v);
        }
        let link = self.floating(body);
        let elastic = (q[rigid.coordinates()].to_vec(), v[rigid.velocities()].to_vec());
        self.write_state(body, state, q, v);
        let (from_q, from_v) = (link.elastic_q(), link.border());
        q[rigid.coordinates()][from_q..].copy_from_slice(&elastic.0[from_q..]);
        v[rigid.velocities()][from_v..].copy_from_slice(&elastic.1[from_v..]);
    }

    /// Whether masses of components need more than the forces: (3) of `natural.rs`.
    pub(in crate::system) fn completes_forces(&self) -> bool {
        !self.naturals.is_empty()
    }

    /// Pose and velocity of a moving body at any point.
    pub fn state_of(&self, body: usize, q: &[f64], v: &[f64]) -> BodyState {
        let rigid = &self.bodies[body];
        match rigid.formulation {
            Formulation::Planar => BodyState::planar(&q[rigid.q..], &v[rigid.v..]),
            Formulation::Spatial => BodyState::spatial(&q[rigid.q..], &v[rigid.v..]),
            Formulation::Natural => self.natural(body).state(q, v).body_state(),
            Formulation::Beam => self.beam(body).body_state(q, v),
            Formulation::FloatingPlanar | Formulation::FloatingSpatial => {
                self.floating(body).body_state(q, v)
            }
        }
    }
}

/// M of a link with a floating frame: places of what changes, and its band.
fn floating_masses(body: &FloatingBody) -> Vec<(usize, usize, f64)> {
    let (first, border, size) = (body.v, body.border(), body.size());
    let mut found = Vec::new();
    for (i, j) in (0..size).flat_map(|i| (0..border.min(i + 1)).map(move |j| (i, j))) {
        found.push((first + i, first + j, 0.0));
        if i != j {
            found.push((first + j, first + i, 0.0));
        }
    }
    for (i, j, m) in body.link.mass.entries() {
        let (i, j) = (first + border + i, first + border + j);
        found.push((i, j, m));
        if i != j {
            found.push((j, i, m));
        }
    }
    found
}
