//! What elements between bodies ask a marker's body: its motion, Jᵀw, and how both vary along its columns.

use std::f64::consts::TAU;

use nalgebra::Vector3;

use super::beam::COLUMNS;
use super::{
    BeamBody, BodyState, Columns, FloatingBody, FloatingSection, Formulation, Moved, SectionState,
    Support, add, natural, rigid,
};
use crate::marker::{Attachment, MarkerState, Variation};
use crate::math::spatial::{Twist, Wrench};
use crate::model::Space;
use crate::system::compile::System;
use crate::system::workspace::Workspace;

impl System {
    /// A marker at any point.
    #[inline]
    pub fn marker_at(&self, at: &Attachment, q: &[f64], v: &[f64]) -> MarkerState {
        let mut marker = MarkerState::default();
        self.write_marker(at, q, v, &mut marker);
        marker
    }

    /// The same in place; returns its arm from the mass centre.
    #[inline]
    pub fn write_marker(
        &self,
        at: &Attachment,
        q: &[f64],
        v: &[f64],
        marker: &mut MarkerState,
    ) -> Vector3<f64> {
        let mut arm = Vector3::zeros();
        let Some(body) = at.body.checked_sub(1) else {
            *marker = at.on_ground();
            return arm;
        };
        let rigid = &self.bodies[body];
        match rigid.formulation {
            Formulation::Planar => {
                let state = BodyState::planar(&q[rigid.q..], &v[rigid.v..]);
                state.write_planar(at, marker, &mut arm);
            }
            Formulation::Spatial => {
                let state = BodyState::spatial(&q[rigid.q..], &v[rigid.v..]);
                state.write_spatial(at, marker, &mut arm);
            }
            Formulation::Natural => {
                (*marker, arm) = self.natural(body).state(q, v).marker(at);
            }
            Formulation::Beam => {
                let beam = self.beam(body);
                (*marker, arm) = beam.marker(&beam.section_at(at.along, q, v), at);
            }
            Formulation::FloatingPlanar | Formulation::FloatingSpatial => {
                let link = self.floating(body);
                let section = link.section_at(&link.link.site(at.along), q, v);
                (*marker, arm) = link.marker(&section, at, link.frame_angle(q));
            }
        }
        arm
    }

    /// A marker on a body outside a tree, by slices of q and v that begin behind its coordinates.
    pub(in crate::system) fn marker_outside(
        &self,
        at: &Attachment,
        first: [usize; 2],
        (q, v): (&[f64], &[f64]),
    ) -> MarkerState {
        let body = at.body - 1;
        let rigid = &self.bodies[body];
        let own = (&q[rigid.q - first[0]..], &v[rigid.v - first[1]..]);
        match rigid.formulation {
            Formulation::Natural => self.natural(body).state_by(own).marker(at).0,
            Formulation::Beam => {
                let beam = self.beam(body);
                beam.marker(&beam.section(&beam.beam.site(at.along), own.0, own.1), at).0
            }
            Formulation::Planar
            | Formulation::Spatial
            | Formulation::FloatingPlanar
            | Formulation::FloatingSpatial => {
                unreachable!("rigid bodies are links of the tree, and beside frames there is none")
            }
        }
    }

    /// Pose and velocity of a body outside a tree, the same way.
    pub(in crate::system) fn state_outside(
        &self,
        body: usize,
        first: [usize; 2],
        (q, v): (&[f64], &[f64]),
    ) -> BodyState {
        let rigid = &self.bodies[body];
        let own = (&q[rigid.q - first[0]..], &v[rigid.v - first[1]..]);
        match rigid.formulation {
            Formulation::Natural => self.natural(body).state_by(own).body_state(),
            Formulation::Beam => self.beam(body).body_state_of(own),
            Formulation::Planar
            | Formulation::Spatial
            | Formulation::FloatingPlanar
            | Formulation::FloatingSpatial => {
                unreachable!("rigid bodies are links of the tree, and beside frames there is none")
            }
        }
    }

    /// A marker at the last kinematics, in the workspace or not, and its acceleration.
    pub fn marker_motion(&self, at: &Attachment, work: &Workspace) -> (MarkerState, Twist) {
        let Some(body) = at.body.checked_sub(1) else { return (at.on_ground(), Twist::ZERO) };
        let rigid = &self.bodies[body];
        let (state, a) = (&work.states[at.body], &work.accelerations[rigid.velocities()]);
        let carried = |linear: Vector3<f64>, angular: Vector3<f64>, arm: &Vector3<f64>| Twist {
            v: linear + angular.cross(arm),
            w: angular,
        };
        let (marker, moved) = match rigid.formulation {
            Formulation::Planar => {
                let (marker, arm) = state.planar_marker(at);
                let angular = Vector3::new(0.0, 0.0, a[2]);
                (marker, carried(Vector3::new(a[0], a[1], 0.0), angular, &arm))
            }
            Formulation::Spatial => {
                let (marker, arm) = state.spatial_marker(at);
                let angular = state.frame.r * Vector3::new(a[3], a[4], a[5]);
                (marker, carried(Vector3::new(a[0], a[1], a[2]), angular, &arm))
            }
            Formulation::Natural => {
                let state = &work.naturals[rigid.member];
                (state.marker(at).0, self.natural(body).acceleration(state, &at.offset, a))
            }
            Formulation::Beam => {
                let beam = self.beam(body);
                let q = &work.beam_q[beam.v - self.first_beam()..];
                let section = beam.section(&beam.beam.site(at.along), q, &work.v[beam.v..]);
                let mut marker = beam.marker(&section, at).0;
                marker.angle += TAU * ((state.angle - marker.angle) / TAU).round();
                (marker, beam.acceleration(&section, &at.offset, a))
            }
            Formulation::FloatingPlanar | Formulation::FloatingSpatial => {
                let (link, now) = self.floating_at(body, work);
                let section = link.section(&link.link.site(at.along), now);
                let mut marker = link.marker(&section, at, 0.0).0;
                marker.angle =
                    state.angle + section.angle_from(&link.middle_rotation(now)) + at.angle;
                (marker, link.acceleration(&section, &at.offset, a))
            }
        };
        let acceleration = Twist { v: moved.v + marker.bias.v, w: moved.w + marker.bias.w };
        (marker, acceleration)
    }

    /// w · J M⁻¹ Jᵀ w of a unit wrench on the rigid body of a marker, if nothing else held it.
    pub fn inverse_mass(
        &self,
        body: usize,
        unit: &Wrench,
        state: &BodyState,
        marker: &MarkerState,
    ) -> f64 {
        let rigid = &self.bodies[body];
        let arm = marker.frame.p - state.frame.p;
        let weighted =
            |j: &[f64]| j.iter().zip(&rigid.inverse).map(|(j, inverse)| j * j * inverse).sum();
        match rigid.formulation {
            Formulation::Planar => weighted(&state.reduce_planar(&arm, unit)),
            Formulation::Beam | Formulation::FloatingPlanar
                if self.model.space == Space::Planar =>
            {
                weighted(&state.reduce_planar(&arm, unit))
            }
            Formulation::Spatial
            | Formulation::Natural
            | Formulation::Beam
            | Formulation::FloatingPlanar
            | Formulation::FloatingSpatial => weighted(&state.reduce_spatial(&arm, unit)),
        }
    }

    /// Kinetic energy of a moving body at the last kinematics, real masses only.
    pub fn kinetic_of(&self, body: usize, work: &Workspace, v: &[f64]) -> f64 {
        let rigid = &self.bodies[body];
        match rigid.formulation {
            Formulation::Planar | Formulation::Spatial => rigid.kinetic(&v[rigid.velocities()]),
            Formulation::Natural => self.natural(body).kinetic(&v[rigid.velocities()]),
            Formulation::Beam => self.beam(body).kinetic(&v[rigid.velocities()]),
            Formulation::FloatingPlanar | Formulation::FloatingSpatial => {
                let (link, state) = self.floating_at(body, work);
                link.kinetic(state, &v[rigid.velocities()])
            }
        }
    }

    /// Linear and angular size of the velocities of a moving body.
    pub fn speeds_of(&self, body: usize, v: &[f64]) -> (f64, f64) {
        let norm = |v: &[f64]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
        let rigid = &self.bodies[body];
        if rigid.formulation == Formulation::Beam {
            return self.beam(body).speeds(&v[rigid.velocities()]);
        }
        if rigid.formulation.is_floating() {
            return self.floating(body).speeds(&v[rigid.velocities()]);
        }
        let (linear, angular) = rigid.split(v);
        match rigid.formulation {
            // A spin moves two of three unit vectors.
            Formulation::Natural => {
                (norm(&linear[..3]), norm(&angular[..3]).max(norm(&angular[3..])))
            }
            _ => (norm(linear), norm(angular)),
        }
    }

    /// Adds Jᵀ w of a wrench at a marker to f.
    #[inline]
    pub fn apply(&self, marker: usize, wrench: &Wrench, work: &mut Workspace) {
        let at = &self.attachments[marker];
        let Some(moving) = at.body.checked_sub(1) else { return };
        let body = &self.bodies[moving];
        let (state, arm) = (&work.states[moving + 1], &work.arms[marker]);
        let forces = &mut work.forces[body.velocities()];
        match body.formulation {
            Formulation::Planar => add(forces, &state.reduce_planar(arm, wrench)),
            Formulation::Spatial => add(forces, &state.reduce_spatial(arm, wrench)),
            Formulation::Natural => self.apply_natural(marker, wrench, work),
            _ => self.apply_to_flexible(marker, wrench, work),
        }
    }

    /// Apart, so that the others do not pay for it.
    #[cold]
    fn apply_natural(&self, marker: usize, wrench: &Wrench, work: &mut Workspace) {
        let at = &self.attachments[marker];
        let body = &self.bodies[at.body - 1];
        let mut part = [0.0; natural::SIZE];
        let state = &work.naturals[body.member];
        self.natural(at.body - 1).reduce(state, &at.offset, wrench, &mut part);
        add(&mut work.forces[body.velocities()], &part);
    }

    #[cold]
    fn apply_to_flexible(&self, marker: usize, wrench: &Wrench, work: &mut Workspace) {
        let part = self.reduced(marker, wrench, work);
        for (run, values) in self.columns_of(marker).parts(&part) {
            add(&mut work.forces[run], values);
        }
    }

    /// Jᵀ w of a wrench at a marker on a flexible link at any point, and its columns.
    pub(crate) fn reduced_on_flexible(
        &self,
        marker: usize,
        wrench: &Wrench,
        q: &[f64],
        v: &[f64],
    ) -> (Support, Columns) {
        let at = &self.attachments[marker];
        let mut out = [0.0; COLUMNS];
        if let Some(site) = &self.sites[marker] {
            let link = self.floating(at.body - 1);
            link.reduce(&link.section_at(site, q, v), &at.offset, wrench, &mut out);
        } else {
            let beam = self.beam(at.body - 1);
            beam.reduce(&beam.section_at(at.along, q, v), &at.offset, wrench, &mut out);
        }
        (self.columns_of(marker), out)
    }

    /// The beam of a marker and its section at the last kinematics.
    fn section_of<'w>(&self, marker: usize, work: &'w Workspace) -> (&BeamBody, &'w SectionState) {
        let section = work.sections[marker].as_ref().expect("markers in use are placed");
        (self.beam(self.attachments[marker].body - 1), section)
    }

    /// The same of a link with a floating frame.
    fn floating_section_of<'w>(
        &self,
        marker: usize,
        work: &'w Workspace,
    ) -> (&FloatingBody, &'w FloatingSection) {
        let section = work.floating_sections[marker].as_ref().expect("markers in use are placed");
        (self.floating(self.attachments[marker].body - 1), section)
    }

    /// Velocities that a marker moves with.
    pub(in crate::system) fn columns_of(&self, marker: usize) -> Support {
        let at = &self.attachments[marker];
        let Some(moving) = at.body.checked_sub(1) else { return Support::default() };
        let body = &self.bodies[moving];
        if !body.formulation.is_flexible() {
            return Support::run(body.velocities());
        }
        if let Some(site) = &self.sites[marker] {
            return self.floating(moving).support(site).shifted(body.v);
        }
        let beam = self.beam(moving);
        Support::run(beam.support(&beam.beam.site(at.along))).shifted(body.v)
    }

    /// Jᵀ w of a wrench at a marker, over the columns that it moves with.
    pub(in crate::system) fn reduced(
        &self,
        marker: usize,
        wrench: &Wrench,
        work: &Workspace,
    ) -> Columns {
        let at = &self.attachments[marker];
        let mut out = [0.0; COLUMNS];
        let Some(moving) = at.body.checked_sub(1) else { return out };
        let body = &self.bodies[moving];
        let (state, arm) = (&work.states[moving + 1], &work.arms[marker]);
        match body.formulation {
            Formulation::Planar => out[..3].copy_from_slice(&state.reduce_planar(arm, wrench)),
            Formulation::Spatial => out[..6].copy_from_slice(&state.reduce_spatial(arm, wrench)),
            Formulation::Natural => {
                let state = &work.naturals[body.member];
                let out = &mut out[..natural::SIZE];
                self.natural(moving).reduce(state, &at.offset, wrench, out);
            }
            Formulation::Beam => {
                let (beam, section) = self.section_of(marker, work);
                beam.reduce(section, &at.offset, wrench, &mut out);
            }
            Formulation::FloatingPlanar | Formulation::FloatingSpatial => {
                let (link, section) = self.floating_section_of(marker, work);
                link.reduce(section, &at.offset, wrench, &mut out);
            }
        }
        out
    }

    /// How a marker moves along a column of those it moves with, and what the body does then.
    pub(in crate::system) fn position_variation(
        &self,
        marker: usize,
        column: usize,
        work: &Workspace,
    ) -> (Variation, Moved) {
        let at = &self.attachments[marker];
        let moving = at.body - 1;
        let (body, state) = (&self.bodies[moving], &work.states[at.body]);
        match body.formulation {
            Formulation::Planar | Formulation::Spatial => {
                let (along, turn) = state.direction(body.formulation, column);
                let (spin, arm) = (&work.markers[marker].twist.w, &work.arms[marker]);
                (rigid::position_variation(spin, arm, &along, &turn), Moved::Rigid(turn))
            }
            Formulation::Natural => {
                let state = &work.naturals[body.member];
                let (variation, moved) =
                    self.natural(moving).position_variation(state, &at.offset, column);
                (variation, Moved::Triad(moved))
            }
            Formulation::Beam => {
                let (beam, section) = self.section_of(marker, work);
                let (variation, moved) = beam.position_variation(section, &at.offset, column);
                (variation, Moved::Section(moved))
            }
            Formulation::FloatingPlanar | Formulation::FloatingSpatial => {
                let (link, section) = self.floating_section_of(marker, work);
                let (variation, moved) = link.position_variation(section, &at.offset, column);
                (variation, Moved::Floating(moved))
            }
        }
    }

    /// How the velocity of a marker changes along a column of its body.
    pub(in crate::system) fn velocity_variation(
        &self,
        marker: usize,
        column: usize,
        work: &Workspace,
    ) -> Variation {
        let at = &self.attachments[marker];
        let moving = at.body - 1;
        let (body, state) = (&self.bodies[moving], &work.states[at.body]);
        match body.formulation {
            Formulation::Planar | Formulation::Spatial => {
                let (along, turn) = state.direction(body.formulation, column);
                rigid::velocity_variation(&work.arms[marker], &along, &turn)
            }
            Formulation::Natural => {
                let state = &work.naturals[body.member];
                self.natural(moving).velocity_variation(state, &at.offset, column)
            }
            Formulation::Beam => {
                let (beam, section) = self.section_of(marker, work);
                beam.velocity_variation(section, &at.offset, column)
            }
            Formulation::FloatingPlanar | Formulation::FloatingSpatial => {
                let (link, section) = self.floating_section_of(marker, work);
                link.velocity_variation(section, &at.offset, column)
            }
        }
    }

    /// Change of Jᵀ w along a column of the marker's own body, for a wrench `now` whose own change is
    /// `change`: Jᵀ δw + (δJ)ᵀ w.
    pub(in crate::system) fn reduced_change(
        &self,
        marker: usize,
        change: &Wrench,
        now: &Wrench,
        moved: Option<&Moved>,
        work: &Workspace,
    ) -> Columns {
        let mut wrench = *change;
        if let Some(Moved::Rigid(turn)) = moved {
            wrench.t += rigid::turned(now, &work.arms[marker], turn);
        }
        let mut out = self.reduced(marker, &wrench, work);
        if let Some(Moved::Triad(moved)) = moved {
            let moving = self.attachments[marker].body - 1;
            let state = &work.naturals[self.bodies[moving].member];
            self.natural(moving).add_turned(state, &now.t, moved, &mut out[..natural::SIZE]);
        }
        if let Some(Moved::Section(moved)) = moved {
            let (beam, section) = self.section_of(marker, work);
            beam.add_turned(section, &self.attachments[marker].offset, now, moved, &mut out);
        }
        if let Some(Moved::Floating(moved)) = moved {
            let (link, section) = self.floating_section_of(marker, work);
            link.add_turned(section, &self.attachments[marker].offset, now, moved, &mut out);
        }
        out
    }
}
