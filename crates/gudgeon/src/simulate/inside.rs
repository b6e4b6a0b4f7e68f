//! The last step as observers see it: its solution inside, on a plant of their own.
//!
//! Observers evaluate where the motion never was. They do so on a copy of the plant, so that nothing
//! they ask for, and nothing that is kept from one evaluation to the next, reaches the motion.

use gudgeon_dae::{Fault, Integrator};

use super::nodes::LOBATTO_INNER;
use crate::system::Plant;

/// The copy of the plant, and the solution at Lobatto's nodes inside the last step.
pub(super) struct Inside<'a> {
    pub plant: Plant<'a>,
    /// Time and state at the two nodes, by the sketch.
    pub nodes: [(f64, Vec<f64>); 2],
    /// State at any other place.
    pub y: Vec<f64>,
}

impl<'a> Inside<'a> {
    pub fn new(plant: &Plant<'a>, state: usize) -> Self {
        let node = || (0.0, vec![0.0; state]);
        Self { plant: plant.clone(), nodes: [node(), node()], y: vec![0.0; state] }
    }

    /// Takes over what events and intervals change.
    pub fn follow(&mut self, plant: &Plant<'a>) {
        self.plant.follow(plant);
    }

    /// Sketches the last step at the nodes.
    pub fn sketch(&mut self, ode: &mut Integrator) {
        let (end, _) = ode.last_extent();
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

    /// Evaluates at a place of the last step on the dense output, which must be prepared; returns the
    /// time.
    pub fn evaluate(&mut self, ode: &mut Integrator, theta: f64) -> Result<f64, Fault> {
        let t = ode.interpolate(theta, &mut self.y);
        self.plant.evaluate(t, &self.y)?;
        Ok(t)
    }
}
