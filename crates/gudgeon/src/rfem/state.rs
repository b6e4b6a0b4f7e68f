//! What a divided link bears and how it is bent, at the last kinematics.
//!
//! An sde bears K u + D u̇ in section axes: strains, curvatures and twist of its part are u/Δl. Between two sde, and
//! beyond the first and the last, all of them are drawn linearly: the moments of a beam under loads at its ends
//! are linear. Axes of the section are half way between both sides; that they turn with ψ counts in its square only.
//! Forces along directions that a joint holds are its reactions, without a strain.
//!
//! Deflection against the chord is that of `beam/deflection.rs`.

use nalgebra::{Matrix3, Vector3, Vector6};

use super::Division;
use crate::beam::{Peak, Peaks, SectionState};
use crate::flexible::Method;
use crate::force::{self, bushing_load};
use crate::math::spatial::Frame;
use crate::model::Space;
use crate::system::System;
use crate::system::compile::RowSource;
use crate::system::component::BodyState;
use crate::system::workspace::Workspace;

/// A divided link in a system.
#[derive(Clone, Copy)]
pub(crate) struct Chain<'s> {
    pub system: &'s System,
    pub division: &'s Division,
}

impl System {
    /// The divided link that a body of the model is.
    pub(crate) fn chain(&self, body: usize) -> Option<Chain<'_>> {
        let division = self.model.division(body)?;
        Some(Chain { system: self, division })
    }

    /// All divided links.
    pub(crate) fn chains(&self) -> impl Iterator<Item = Chain<'_>> {
        self.model.links.iter().map(|division| Chain { system: self, division })
    }
}

impl Chain<'_> {
    /// Shares of the line of both ends and all sde.
    pub fn stations(&self) -> impl Iterator<Item = f64> + '_ {
        let link = &self.division.link;
        let count = link.springs();
        (0..count + 2).map(move |k| match k {
            0 => 0.0,
            k if k == count + 1 => 1.0,
            k => link.spring_place(k - 1),
        })
    }

    pub fn length(&self) -> f64 {
        self.division.link.length()
    }

    pub fn is_damped(&self) -> bool {
        self.division.link.damping.strain > 0.0 && !self.division.springs.is_empty()
    }

    /// Whether forces of sections are reactions.
    pub fn is_held(&self) -> bool {
        !self.division.joints.is_empty()
    }

    /// Moving body that holds a share of the line.
    pub fn holder(&self, along: f64) -> usize {
        self.division.elements[self.division.link.element_at(along)].0 - 1
    }

    /// Section at a share of the line, from the states of moving bodies.
    pub fn frame(&self, along: f64, state: impl Fn(usize) -> BodyState) -> Frame {
        let (link, holder) = (&self.division.link, self.holder(along));
        let inner = self.system.bodies[holder].axes.transpose();
        let centre = self.system.model.bodies[holder + 1].centre;
        let own =
            Frame { p: inner * (link.place_at(along) - centre), r: inner * link.axes_at(along) };
        state(holder).frame.then(&own)
    }

    fn now(&self, along: f64, work: &Workspace) -> Frame {
        self.frame(along, |body| work.states[body + 1])
    }

    /// Strain energy, J.
    pub fn strain_energy(&self, work: &Workspace) -> f64 {
        let of = |spring: &crate::model::ForceId| {
            force::action(self.system, work, spring.0, 0.0, 0.0).potential
        };
        self.division.springs.iter().map(of).sum()
    }

    /// Power that damping takes, W.
    pub fn dissipation(&self, work: &Workspace) -> f64 {
        let of = |spring: &crate::model::ForceId| {
            -force::action(self.system, work, spring.0, 0.0, 0.0).power
        };
        self.division.springs.iter().map(of).sum()
    }

    /// Kinetic energy, J.
    pub fn kinetic(&self, work: &Workspace) -> f64 {
        let of = |body: &crate::model::BodyId| self.system.kinetic_of(body.0 - 1, work, &work.v);
        self.division.elements.iter().map(of).sum()
    }

    /// u/Δl and K u + D u̇ of an sde, with the reactions of the last evaluation where it is held.
    fn spring(&self, spring: usize, work: &Workspace) -> [Vector6<f64>; 2] {
        let part = self.length() / self.division.link.springs() as f64;
        let (mut u, load) = bushing_load(self.system, work, self.division.springs[spring].0);
        let mut load = -load;
        if let Method::Rfem { shear, tension } = self.division.link.method {
            // What is held moves by rounding only.
            let elastic = [tension, shear, shear];
            elastic.iter().enumerate().filter(|(_, e)| !**e).for_each(|(k, _)| u[k] = 0.0);
        }
        if let Some(&joint) = self.division.joints.get(spring) {
            let axes = &work.markers[self.system.model.joints[joint.0].b.0].frame.r;
            for row in self.system.rows_of(RowSource::Joint(joint)) {
                let held = axes.tr_mul(&work.row_wrenches[row].on_b.f) * work.lambda[row];
                (0..3).for_each(|k| load[k] += held[k]);
            }
        }
        [u / part, load]
    }

    /// Strains and forces of the section at a share of the line.
    pub fn section(&self, along: f64, work: &Workspace) -> SectionState {
        let link = &self.division.link;
        let [strain, load] = match link.springs() {
            0 => [Vector6::zeros(); 2],
            1 => self.spring(0, work),
            count => {
                let x = along * count as f64 - 0.5;
                let first = (x.floor().max(0.0) as usize).min(count - 2);
                let share = x - first as f64;
                let [a, b] = [first, first + 1].map(|spring| self.spring(spring, work));
                std::array::from_fn(|i| a[i] * (1.0 - share) + b[i] * share)
            }
        };
        let (force, moment) = (load.fixed_rows::<3>(0).into(), load.fixed_rows::<3>(3).into());
        SectionState {
            strain: strain[0],
            shear: [strain[1], strain[2]],
            curvature: strain.fixed_rows::<3>(3).into(),
            force,
            moment,
            stress: link.section.outer_stresses(force.x, &moment),
        }
    }

    /// What is largest along the line: what is linear is so at an sde or an end.
    pub fn peaks(&self, work: &Workspace) -> Peaks {
        let mut out = Peaks::default();
        for along in self.stations() {
            let state = self.section(along, work);
            out.stress.raise(state.outer_stress(), along);
            let side = if state.strain > 0.0 { &mut out.tension } else { &mut out.compression };
            side.raise(state.strain, along);
        }
        out
    }

    /// Against the chord, in its axes, m.
    pub fn deflection(&self, along: f64, work: &Workspace) -> Vector3<f64> {
        let (now, before) = (self.chord(work), self.undeformed_chord());
        self.between(&now, &before, along, work)
    }

    pub fn largest_deflection(&self, work: &Workspace) -> Peak {
        let (now, before) = (self.chord(work), self.undeformed_chord());
        let mut out = Peak::default();
        for along in self.stations() {
            out.raise(self.between(&now, &before, along, work).norm(), along);
        }
        out
    }

    fn between(&self, now: &Frame, before: &Frame, along: f64, work: &Workspace) -> Vector3<f64> {
        let seen = |frame: &Frame, p: Vector3<f64>| frame.r.tr_mul(&(p - frame.p));
        seen(now, self.now(along, work).p) - seen(before, self.division.link.place_at(along))
    }

    fn chord(&self, work: &Workspace) -> Frame {
        self.chord_of([0.0, 1.0].map(|along| self.now(along, work)))
    }

    fn undeformed_chord(&self) -> Frame {
        let link = &self.division.link;
        self.chord_of(
            [0.0, 1.0].map(|along| Frame { p: link.place_at(along), r: link.axes_at(along) }),
        )
    }

    fn chord_of(&self, [a, b]: [Frame; 2]) -> Frame {
        let x = (b.p - a.p).try_normalize(0.0).unwrap_or(Vector3::x());
        let towards = match self.system.model.space {
            Space::Planar => Vector3::z().cross(&x),
            Space::Spatial => (a.r.column(1) + b.r.column(1)).into_owned(),
        };
        // Where rounding is all that is left, any direction across.
        let y = (towards - x * x.dot(&towards)).try_normalize(1e-12).unwrap_or_else(|| {
            let least = x.map(f64::abs).imin();
            x.cross(&Vector3::ith(least, 1.0)).normalize()
        });
        Frame { p: a.p, r: Matrix3::from_columns(&[x, y, x.cross(&y)]) }
    }
}
