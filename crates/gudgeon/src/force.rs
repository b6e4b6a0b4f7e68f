//! Applied forces: wrenches at markers, potential energy, and power of the rest.
//!
//! | element | force | potential | other power |
//! |---|---|---|---|
//! | point force   | F(t) at a marker                        | –           | F · v |
//! | torque        | T(t) on one body, −T(t) on the other    | –           | T (ω_on − ω_against) |
//! | spring        | f = −k (l − l₀) − d l̇ along the line    | ½ k (l−l₀)² | −d l̇² |
//! | torsion spring| T = −k (φ − φ₀) − d φ̇ on b, −T on a     | ½ k (φ−φ₀)² | −d φ̇² |

use nalgebra::Vector3;

use crate::marker::Marker;
use crate::math::spatial::Wrench;
use crate::model::{Axes, ForceKind};
use crate::system::System;
use crate::system::Workspace;
use crate::system::evaluate::{Point, apply};
use crate::time::TimeFunction;

/// What a force element does at one instant.
#[derive(Clone, Copy, Debug)]
pub struct Action {
    pub on_a: Wrench,
    pub on_b: Wrench,
    pub potential: f64,
    /// Power that is not the rate of the potential.
    pub power: f64,
    /// Signed magnitude for outputs: tension of a spring is negative, compression positive.
    pub value: f64,
}

/// Adds all applied forces and records their powers.
pub fn apply_all(system: &System, at: Point, work: &mut Workspace) {
    for (i, force) in system.model.forces.iter().enumerate() {
        let (a, b) = ends(&force.kind);
        let action = act(&force.kind, &work.markers[a], &work.markers[b], at.t, at.branch);
        apply(system, a, &action.on_a, work);
        apply(system, b, &action.on_b, work);
        work.force_powers[i] = action.power;
    }
}

/// Markers of an element; a point force has one, named twice.
pub fn ends(kind: &ForceKind) -> (usize, usize) {
    match kind {
        ForceKind::Point { at, .. } => (at.0, at.0),
        ForceKind::Torque { on, against, .. } => (against.0, on.0),
        ForceKind::Spring { a, b, .. } | ForceKind::TorsionSpring { a, b, .. } => (a.0, b.0),
    }
}

/// Wrenches, potential and power of an element between two markers.
pub fn act(kind: &ForceKind, a: &Marker, b: &Marker, t: f64, branch: f64) -> Action {
    match kind {
        ForceKind::Point { components, axes, .. } => point(components, *axes, b, t, branch),
        ForceKind::Torque { torque, .. } => {
            let value = torque.jet(t, branch).value;
            Action { power: value * (b.twist.w.z - a.twist.w.z), value, ..pair_of_torques(value) }
        }
        ForceKind::Spring { stiffness, damping, free_length, .. } => {
            spring(*stiffness, *damping, *free_length, a, b)
        }
        ForceKind::TorsionSpring { stiffness, damping, free_angle, .. } => {
            let stretch = b.angle - a.angle - free_angle;
            let rate = b.twist.w.z - a.twist.w.z;
            let torque = -stiffness * stretch - damping * rate;
            Action {
                potential: 0.5 * stiffness * stretch * stretch,
                power: -damping * rate * rate,
                ..pair_of_torques(torque)
            }
        }
    }
}

fn pair_of_torques(value: f64) -> Action {
    let torque = Vector3::new(0.0, 0.0, value);
    Action {
        on_a: Wrench { t: -torque, ..Wrench::ZERO },
        on_b: Wrench { t: torque, ..Wrench::ZERO },
        potential: 0.0,
        power: 0.0,
        value,
    }
}

fn point(f: &[TimeFunction; 2], axes: Axes, at: &Marker, t: f64, branch: f64) -> Action {
    let local = Vector3::new(f[0].jet(t, branch).value, f[1].jet(t, branch).value, 0.0);
    let force = match axes {
        Axes::World => local,
        Axes::Body => at.frame.r * local,
    };
    Action {
        on_a: Wrench::ZERO,
        on_b: Wrench::force(force),
        potential: 0.0,
        power: force.dot(&at.twist.v),
        value: force.norm(),
    }
}

/// Ends that meet have no direction: the force is taken as zero there.
fn spring(stiffness: f64, damping: f64, free: f64, a: &Marker, b: &Marker) -> Action {
    let d = b.frame.p - a.frame.p;
    let length = d.norm();
    let direction = if length > 0.0 { d / length } else { Vector3::zeros() };
    let rate = direction.dot(&(b.twist.v - a.twist.v));
    let stretch = length - free;
    let value = -stiffness * stretch - damping * rate;
    Action {
        on_a: Wrench::force(direction * -value),
        on_b: Wrench::force(direction * value),
        potential: 0.5 * stiffness * stretch * stretch,
        power: -damping * rate * rate,
        value,
    }
}
