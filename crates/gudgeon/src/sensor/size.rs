//! What an output of ideal joints has no part in, and what its rounding is measured by.
//!
//! With the least mass m of a body, the size L of the mechanism and the speed V,
//!
//!   V² = 2 E / Σm + g L,                                                                   (1)
//!
//! E the peak kinetic energy, quantities of bodies, joints, drivers and forces are of the size of L, V,
//! V²/L, V/L, m V²/L, m V² or m V³/L, by their unit; displacements in a clearance of that of the
//! clearance. Numbers far below are what cancellation left. The least mass, so that what is small
//! because it belongs to a small body is not taken for rounding.

use super::{ContactQuantity, FilmQuantity, Sensor, Source};
use crate::assembly::Assembly;

impl Sensor {
    /// Whether a joint without clearance has this output: the load of a contact becomes its reaction,
    /// but there is no eccentricity, indentation, film or contact spot.
    pub fn has_ideal_value(&self) -> bool {
        match self.source {
            Source::Contact(_, quantity) => matches!(
                quantity,
                ContactQuantity::Force(_) | ContactQuantity::Normal | ContactQuantity::Shift
            ),
            Source::Film(_, quantity) => matches!(quantity, FilmQuantity::Force(_)),
            Source::Spot(..) => false,
            Source::Formula(ref formula) => formula.inputs().iter().all(Sensor::has_ideal_value),
            _ => true,
        }
    }

    /// Size that values of this output have in a mechanism of such a peak kinetic energy; zero where
    /// there is no telling.
    pub fn natural_size(&self, assembly: &Assembly, peak_kinetic: f64) -> f64 {
        if let Source::Formula(_) = self.source {
            return 0.0;
        }
        let system = &assembly.system;
        let masses =
            || system.model.bodies.iter().filter_map(|body| body.mass).filter(|m| *m > 0.0);
        let (total, least) = (masses().sum::<f64>(), masses().fold(f64::INFINITY, f64::min));
        if total == 0.0 {
            return 0.0;
        }
        let length = system.length;
        let square = 2.0 * peak_kinetic / total + system.model.gravity.norm() * length; // (1)
        let speed = square.sqrt();
        let in_joint = match self.source {
            Source::Contact(joint, _) | Source::Spot(joint, ..) | Source::Film(joint, _) => {
                Some(joint)
            }
            _ => None,
        };
        match (&*self.unit, in_joint) {
            ("N", _) => least * square / length,
            ("m", Some(joint)) => {
                system.model.joints[joint].clearance.as_ref().map_or(0.0, |c| c.radial)
            }
            (_, Some(_)) => 0.0,
            ("m", None) => length,
            ("m/s", None) => speed,
            ("m/s^2", None) => square / length,
            ("rad", None) => 1.0,
            ("rad/s", None) => speed / length,
            ("rad/s^2", None) => square / (length * length),
            ("N m" | "J", None) => least * square,
            ("W", None) => least * square * speed / length,
            _ => 0.0,
        }
    }
}
