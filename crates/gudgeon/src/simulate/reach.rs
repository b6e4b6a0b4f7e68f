//! An instant of a run, and where in the last step it lies.

use gudgeon_dae::Integrator;

use crate::run::Until;
use crate::system::Plant;
use crate::time::bisect;

/// An instant that a run reaches: at a time, or when a joint has turned far enough.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reach {
    when: Until,
    /// Angle at the start of the joint that decides.
    start: f64,
}

impl Reach {
    /// For a run that starts with the state `y`.
    pub fn new(when: Until, plant: &Plant, y: &[f64]) -> Self {
        let start = match when {
            Until::Time(_) => 0.0,
            Until::JointAngle { joint, .. } => plant.joint_angle(joint, y),
        };
        Self { when, start }
    }

    pub fn is_reached(&self, plant: &Plant, t: f64, y: &[f64]) -> bool {
        match self.when {
            // An instant that the end of a step meets but for rounding is taken there.
            Until::Time(when) => when <= t * (1.0 + 1e-13),
            Until::JointAngle { angle, .. } => self.turned(plant, y) >= angle,
        }
    }

    /// Where in the last step the instant lies, once it was reached and the dense output is ready.
    pub fn place(&self, plant: &Plant, ode: &mut Integrator, y: &mut [f64]) -> f64 {
        let (end, _) = ode.last_extent();
        match self.when {
            Until::Time(when) if when < ode.time() => ode.place_of(when),
            Until::Time(_) => end,
            Until::JointAngle { .. } => bisect(0.0, end, |theta| {
                let t = ode.interpolate(theta, y);
                !self.is_reached(plant, t, y)
            }),
        }
    }

    /// When it will be reached, from the motion up to now where an angle decides.
    pub fn estimate(&self, plant: &Plant, t: f64, y: &[f64]) -> f64 {
        match self.when {
            Until::Time(when) => when,
            Until::JointAngle { angle, .. } => t * (angle / self.turned(plant, y)).max(1.0),
        }
    }

    /// How far the joint that decides has turned, in either sense.
    fn turned(&self, plant: &Plant, y: &[f64]) -> f64 {
        match self.when {
            Until::Time(_) => 0.0,
            Until::JointAngle { joint, .. } => (plant.joint_angle(joint, y) - self.start).abs(),
        }
    }
}
