//! An instant of a run: a time, or when a joint has turned so far. Located inside the step where it lies.

use gudgeon_dae::Integrator;

use super::inside::Inside;
use crate::run::Until;
use crate::system::Plant;
use crate::time::bisect;

#[derive(Clone, Copy)]
pub(super) struct When {
    when: Until,
    /// Angle at the start of the joint that decides.
    start: f64,
}

impl When {
    pub fn new(when: Until, plant: &Plant, t: f64, y: &[f64]) -> Self {
        let start = match when {
            Until::Time(_) => 0.0,
            Until::JointAngle { joint, .. } => plant.joint_angle(joint, t, y),
        };
        Self { when, start }
    }

    pub fn is_reached(&self, plant: &Plant, t: f64, y: &[f64]) -> bool {
        match self.when {
            // An instant that the end of a step meets but for rounding is taken there.
            Until::Time(when) => when <= t * (1.0 + 1e-13),
            Until::JointAngle { angle, .. } => self.turned(plant, t, y) >= angle,
        }
    }

    /// When it will be reached, from the motion up to now where an angle decides.
    pub fn estimate(&self, plant: &Plant, t: f64, y: &[f64]) -> f64 {
        match self.when {
            Until::Time(when) => when,
            Until::JointAngle { angle, .. } => t * (angle / self.turned(plant, t, y)).max(1.0),
        }
    }

    /// How far the joint that decides has turned, in either sense.
    fn turned(&self, plant: &Plant, t: f64, y: &[f64]) -> f64 {
        match self.when {
            Until::Time(_) => 0.0,
            Until::JointAngle { joint, .. } => (plant.joint_angle(joint, t, y) - self.start).abs(),
        }
    }

    /// The time that is given, or else the one found for it.
    pub fn time(&self, found: f64) -> f64 {
        match self.when {
            Until::Time(when) => when,
            Until::JointAngle { .. } => found,
        }
    }

    /// Where in the last step the instant lies, which is reached at its end; there where the step has no
    /// dense output.
    pub fn place(&self, inside: &mut Inside, ode: &mut Integrator) -> f64 {
        let (end, _) = ode.last_extent();
        if ode.prepare_dense(&mut inside.plant).is_err() {
            return end;
        }
        match self.when {
            Until::Time(when) if when < ode.time() => ode.place_of(when).clamp(0.0, end),
            Until::Time(_) => end,
            Until::JointAngle { .. } => bisect(0.0, end, |theta| {
                let t = ode.interpolate(theta, &mut inside.y);
                !self.is_reached(&inside.plant, t, &inside.y)
            }),
        }
    }
}
