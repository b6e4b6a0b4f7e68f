//! Contact spots and films of the joints with clearance.

use std::ops::Range;

use crate::clearance::contact::{ContactMemory, Touch};
use crate::clearance::geometry::Spot;
use crate::film::Lubricant;
use crate::friction::Slip;
use crate::marker::MarkerState;
use crate::model::{Axial, Clearance, Form, Joint, JointId, Model, Tilt};

/// A spot of a joint with play; `clearance` holds the gap and the law of this spot.
#[derive(Clone, Debug)]
pub struct ContactElement {
    pub joint: JointId,
    pub a: usize,
    pub b: usize,
    pub spot: Spot,
    pub clearance: Clearance,
    /// Its first bristle state, from the first of all.
    pub state: usize,
    /// Number of its bristle states.
    pub states: usize,
    /// Pieces of its laws in memory: of the normal law, then of friction.
    pub pieces: Range<usize>,
}

impl ContactElement {
    /// Its bristles among those of all.
    pub fn bristles(&self, all: &[f64]) -> Slip {
        let mut z = [0.0; 3];
        let own = all.get(self.state..self.state + self.states).unwrap_or(&[]);
        z[..own.len()].copy_from_slice(own);
        z
    }

    /// The spot at one instant.
    pub fn touch<'s>(
        &'s self,
        (memory, pieces): (&'s ContactMemory, &'s [i32]),
        (a, b): (&'s MarkerState, &'s MarkerState),
        bristles: &[f64],
    ) -> Touch<'s> {
        let z = if self.states == 0 { [0.0; 3] } else { self.bristles(bristles) };
        Touch { spot: &self.spot, clearance: &self.clearance, memory, pieces, a, b, z }
    }

    /// Its joint, and the spot where the joint has several.
    pub fn name(&self, model: &Model) -> String {
        let joint = &model.joints[self.joint.0].name;
        match self.spot.name() {
            "" => joint.clone(),
            spot => format!("{joint}.{spot}"),
        }
    }
}

/// The film of a joint.
#[derive(Clone, Debug)]
pub struct FilmElement {
    pub joint: JointId,
    pub a: usize,
    pub b: usize,
    pub lubricant: Lubricant,
    /// Contacts of the joint.
    pub contacts: Range<usize>,
}

impl FilmElement {
    /// Whether a contact of the joint has begun.
    pub fn touches(&self, memory: &[ContactMemory]) -> bool {
        memory[self.contacts.clone()].iter().any(ContactMemory::in_contact)
    }
}

/// The spots of a joint with play.
pub(crate) fn spots(model: &Model, id: JointId) -> Vec<ContactElement> {
    let joint = &model.joints[id.0];
    let Some(clearance) = &joint.clearance else { return Vec::new() };
    let mut clearance = clearance.clone();
    if let Some(Lubricant { roughness: Some(height), hybrid: true, .. }) = clearance.film {
        // Rough surfaces touch at their peaks.
        clearance.radial -= height;
    }
    let element = |spot: Spot| {
        let clearance = clearance.clone();
        let bristles = clearance.friction.as_ref().is_some_and(|law| law.has_state());
        let states = if bristles { spot.directions() } else { 0 };
        let (a, b) = (joint.a.0, joint.b.0);
        ContactElement { joint: id, a, b, spot, clearance, state: 0, states, pieces: 0..0 }
    };
    match &clearance.form {
        Form::Pin => vec![element(Spot::Pin)],
        Form::Ball => vec![element(Spot::Ball)],
        Form::Guide { length, width } => [(0.5, 0.5), (-0.5, 0.5), (0.5, -0.5), (-0.5, -0.5)]
            .map(|(x, y)| element(Spot::Corner { x: x * length, y: y * width }))
            .to_vec(),
        Form::Journal { length, axial, tilt, .. } => {
            let plane = *axial != Axial::Fixed;
            let base = |half: f64| element(Spot::Base { offset: half * length, plane });
            let mut spots = match tilt {
                Tilt::Free => vec![base(0.5), base(-0.5)],
                Tilt::Fixed => vec![base(0.0)],
            };
            if let Axial::Play { clearance, radius, normal } = axial {
                spots.extend([true, false].map(|positive| {
                    let mut flange = element(Spot::Flange { positive, radius: *radius });
                    flange.clearance.radial = *clearance;
                    flange.clearance.normal = normal.clone();
                    flange
                }));
            }
            spots
        }
    }
}

pub(super) fn films(model: &Model, contacts: &[ContactElement]) -> Vec<FilmElement> {
    let of = |(i, joint): (usize, &Joint)| {
        let lubricant = joint.clearance.as_ref()?.film.clone()?;
        let of_joint = |contact: &ContactElement| contact.joint == JointId(i);
        let first = contacts.iter().position(of_joint).unwrap_or(0);
        let count = contacts.iter().filter(|contact| of_joint(contact)).count();
        Some(FilmElement {
            joint: JointId(i),
            a: joint.a.0,
            b: joint.b.0,
            lubricant,
            contacts: first..first + count,
        })
    };
    model.joints.iter().enumerate().filter_map(of).collect()
}
