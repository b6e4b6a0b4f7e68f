//! The outputs of a run, with what does not change of them.

use crate::marker::Attachment;
use crate::sensor::{Needs, Sensor};
use crate::system::{Plant, System};

pub(super) struct Outputs<'a> {
    sensors: &'a [Sensor],
    /// Where those that are read at a place have it.
    places: Vec<Option<Attachment>>,
    /// How far an evaluation must go.
    pub needs: Needs,
}

impl<'a> Outputs<'a> {
    pub fn new(sensors: &'a [Sensor], system: &System) -> Self {
        let places = sensors.iter().map(|sensor| sensor.attachment(system)).collect();
        Self { sensors, places, needs: Needs::of(sensors, system) }
    }

    /// One of them at the last evaluation.
    pub fn value(&self, output: usize, plant: &Plant, t: f64) -> f64 {
        self.sensors[output].value_at(self.places[output].as_ref(), plant, t)
    }

    /// All of them.
    pub fn values<'v>(&'v self, plant: &'v Plant, t: f64) -> impl Iterator<Item = f64> + 'v {
        (0..self.sensors.len()).map(move |output| self.value(output, plant, t))
    }

    pub fn read(&self, plant: &Plant, t: f64, out: &mut [f64]) {
        out.iter_mut().zip(self.values(plant, t)).for_each(|(out, value)| *out = value);
    }
}
