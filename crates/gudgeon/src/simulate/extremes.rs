//! Smallest, largest and mean values of outputs over the measuring window.

use gudgeon_dae::{Fault, Integrator};

use super::maximise::top_inside;
use crate::results::Extreme;
use crate::sensor::Sensor;
use crate::system::Plant;

pub(super) struct Extremes {
    trackers: Vec<Tracker>,
    middle: Vec<f64>,
}

struct Tracker {
    name: String,
    unit: &'static str,
    min: (f64, f64),
    max: (f64, f64),
    /// ∫ x dt, ∫ x² dt, ∫ dt.
    integral: f64,
    square: f64,
    duration: f64,
}

/// Places and weights of Gauss' rule of order 6 on [0, 1]; the middle comes last, to be kept.
const GAUSS: [(f64, f64); 3] = [
    (0.112_701_665_379_258_3, 5.0 / 18.0),
    (0.887_298_334_620_741_7, 5.0 / 18.0),
    (0.5, 8.0 / 18.0),
];

impl Tracker {
    fn add(&mut self, value: f64, dt: f64) {
        self.integral += value * dt;
        self.square += value * value * dt;
        self.duration += dt;
    }

    fn offer(&mut self, t: f64, value: f64) {
        if value < self.min.0 {
            self.min = (value, t);
        }
        if value > self.max.0 {
            self.max = (value, t);
        }
    }
}

impl Extremes {
    pub fn new(outputs: &[Sensor]) -> Self {
        let tracker = |sensor: &Sensor| Tracker {
            name: sensor.name.clone(),
            unit: sensor.unit,
            min: (f64::INFINITY, f64::NAN),
            max: (f64::NEG_INFINITY, f64::NAN),
            integral: 0.0,
            square: 0.0,
            duration: 0.0,
        };
        Self { trackers: outputs.iter().map(tracker).collect(), middle: vec![0.0; outputs.len()] }
    }

    /// Values at one instant of the window.
    pub fn offer(&mut self, t: f64, values: &[f64]) {
        for (tracker, value) in self.trackers.iter_mut().zip(values) {
            tracker.offer(t, *value);
        }
    }

    /// One step: its ends, its middle by the cheap interpolant, and tops inside.
    pub fn measure(
        &mut self,
        plant: &mut Plant,
        ode: &mut Integrator,
        outputs: &[Sensor],
        (first, last): (&[f64], &[f64]),
        y: &mut [f64],
    ) -> Result<(), Fault> {
        let to = ode.time();
        let (end, h) = ode.last_extent();
        for (place, weight) in GAUSS {
            let t = ode.sketch(place * end, y);
            plant.evaluate(t, y)?;
            let dt = weight * end * h * plant.stretch(y); // dt = s dτ
            for (i, sensor) in outputs.iter().enumerate() {
                self.middle[i] = sensor.value(plant, t);
                self.trackers[i].add(self.middle[i], dt);
            }
        }
        for (i, sensor) in outputs.iter().enumerate() {
            let (a, m, b) = (first[i], self.middle[i], last[i]);
            let tracker = &mut self.trackers[i];
            tracker.offer(to, b);
            for sign in [1.0, -1.0] {
                let record = if sign > 0.0 { tracker.max.0 } else { -tracker.min.0 };
                let values = [a, m, b].map(|value| sign * value);
                let found = top_inside(plant, ode, values, record, y, |plant, t, y| {
                    plant.evaluate(t, y)?;
                    Ok(sign * sensor.value(plant, t))
                })?;
                if let Some((t, height)) = found {
                    tracker.offer(t, sign * height);
                }
            }
        }
        Ok(())
    }

    pub fn finish(self) -> Vec<Extreme> {
        self.trackers
            .into_iter()
            .map(|tracker| {
                let mean =
                    |x: f64| if tracker.duration > 0.0 { x / tracker.duration } else { f64::NAN };
                Extreme {
                    min: tracker.min.0,
                    t_min: tracker.min.1,
                    max: tracker.max.0,
                    t_max: tracker.max.1,
                    rms: mean(tracker.square).sqrt(),
                    mean: mean(tracker.integral),
                    name: tracker.name,
                    unit: tracker.unit,
                }
            })
            .collect()
    }
}
