//! The last step as observers see it: its solution inside, on a plant of their own.
//!
//! Observers evaluate where the motion never was. They do so on a copy of the plant, so that nothing
//! they ask for, and nothing that is kept from one evaluation to the next, reaches the motion.

use gudgeon_dae::{Fault, Integrator};

use super::nodes::LOBATTO_INNER;
use super::outputs::Outputs;
use crate::clearance::contact::ContactForce;
use crate::clearance::geometry::Geometry;
use crate::sensor::Needs;
use crate::system::Plant;

/// The copy of the plant, and the solution at Lobatto's nodes inside the last step.
pub(super) struct Inside<'a> {
    pub plant: Plant<'a>,
    /// Time and state at the two nodes, by the sketch.
    pub nodes: [(f64, Vec<f64>); 2],
    /// What was read of the last step there, once asked for; an error where it cannot be evaluated.
    read: Option<Result<(), Fault>>,
    readings: [Reading; 2],
    /// State at any other place.
    pub y: Vec<f64>,
}

impl<'a> Inside<'a> {
    pub fn new(plant: &Plant<'a>, state: usize) -> Self {
        let node = || (0.0, vec![0.0; state]);
        Self {
            plant: plant.clone(),
            nodes: [node(), node()],
            read: None,
            readings: Default::default(),
            y: vec![0.0; state],
        }
    }

    /// Takes over what events and intervals change.
    pub fn follow(&mut self, plant: &Plant<'a>) {
        self.plant.follow(plant);
    }

    /// Sketches the last step at the nodes.
    pub fn sketch(&mut self, ode: &mut Integrator) {
        let (end, _) = ode.last_extent();
        self.read = None;
        for ((t, y), place) in self.nodes.iter_mut().zip(LOBATTO_INNER) {
            *t = ode.sketch(place * end, y);
        }
    }

    /// Times and states at the ends of the last step and at the nodes, in order.
    pub fn ends_and_nodes<'y>(&'y self, ode: &'y Integrator) -> [(f64, &'y [f64]); 4] {
        let [first, second] = &self.nodes;
        [
            (ode.last_start(), ode.last_state()),
            (first.0, &first.1),
            (second.0, &second.1),
            (ode.time(), ode.state()),
        ]
    }

    /// Outputs and contacts at the nodes, read once a step whoever asks first.
    pub fn read_nodes(&mut self, outputs: &Outputs) -> Result<&[Reading; 2], Fault> {
        let read = match self.read {
            Some(read) => read,
            None => self.evaluate_nodes(outputs),
        };
        self.read = Some(read);
        read.map(|()| &self.readings)
    }

    fn evaluate_nodes(&mut self, outputs: &Outputs) -> Result<(), Fault> {
        for ((t, y), reading) in self.nodes.iter().zip(&mut self.readings) {
            self.plant.evaluate_for(outputs.needs, *t, y)?;
            reading.stretch = self.plant.stretch(y);
            reading.values.clear();
            reading.values.extend(outputs.values(&self.plant, *t));
            reading.contacts.clear();
            if outputs.needs >= Needs::Forces {
                let seen =
                    self.plant.work.contacts.iter().map(|(geometry, force)| {
                        geometry.as_ref().map(|now| Pressed::new(now, force))
                    });
                reading.contacts.extend(seen);
            }
        }
        Ok(())
    }

    /// A contact at a node: as it was read, or by itself.
    pub fn contact_at_node(&self, node: usize, contact: usize) -> Pressed {
        let known = self
            .read
            .filter(Result::is_ok)
            .and_then(|_| self.readings[node].contacts.get(contact).copied().flatten());
        known.unwrap_or_else(|| {
            let (t, y) = &self.nodes[node];
            Pressed::at(&self.plant, contact, *t, y)
        })
    }

    /// Evaluates at a place of the last step on the dense output, which must be prepared; returns the
    /// time.
    pub fn evaluate(&mut self, ode: &mut Integrator, theta: f64) -> Result<f64, Fault> {
        let t = ode.interpolate(theta, &mut self.y);
        self.plant.evaluate(t, &self.y)?;
        Ok(t)
    }
}

/// What is read at a node.
#[derive(Default)]
pub(super) struct Reading {
    /// s = dt/dτ.
    pub stretch: f64,
    /// Of the outputs.
    pub values: Vec<f64>,
    /// Contacts that touch, where forces were evaluated.
    contacts: Vec<Option<Pressed>>,
}

/// How far a contact is pressed, how fast, and its normal force.
#[derive(Clone, Copy)]
pub(super) struct Pressed {
    pub depth: f64,
    pub rate: f64,
    pub normal: f64,
}

impl Pressed {
    pub fn new(geometry: &Geometry, force: &ContactForce) -> Self {
        Self { depth: geometry.depth, rate: geometry.rate, normal: force.normal }
    }

    /// At any point, in the present mode.
    pub fn at(plant: &Plant, contact: usize, t: f64, y: &[f64]) -> Self {
        let (geometry, force) = plant.contact_force(contact, t, y);
        Self::new(&geometry, &force)
    }
}
