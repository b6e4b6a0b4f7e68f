//! Friction of the surfaces of ideal joints and of contacts.

use super::FrictionQuantity;
use super::evaluate::spot_geometry;
use crate::model::JointId;
use crate::system::Plant;

/// What one surface does.
struct Surface {
    force: f64,
    torque: f64,
    load: f64,
    sliding: f64,
    power: f64,
    sticks: bool,
}

/// Of one surface of a joint or of all: forces and powers add up, the velocity is that of the fastest,
/// and a joint sticks where all of it does.
pub(super) fn of(
    plant: &Plant,
    joint: usize,
    surface: Option<usize>,
    quantity: FrictionQuantity,
) -> f64 {
    let all = surfaces(plant, JointId(joint));
    let own =
        || all.iter().enumerate().filter(|(i, _)| surface.is_none_or(|s| s == *i)).map(|s| s.1);
    let sum = |of: fn(&Surface) -> f64| own().map(of).sum::<f64>();
    match quantity {
        FrictionQuantity::Force => sum(|s| s.force),
        FrictionQuantity::Torque => sum(|s| s.torque),
        FrictionQuantity::Load => sum(|s| s.load),
        FrictionQuantity::Power => sum(|s| s.power),
        FrictionQuantity::Coefficient => {
            let load = sum(|s| s.load);
            if load > 0.0 { sum(|s| s.force.abs()) / load } else { 0.0 }
        }
        FrictionQuantity::Sliding => {
            let fastest = own().max_by(|a, b| a.sliding.abs().total_cmp(&b.sliding.abs()));
            fastest.map_or(0.0, |s| s.sliding)
        }
        FrictionQuantity::Sticking => {
            f64::from(own().next().is_some() && own().all(|surface| surface.sticks))
        }
    }
}

/// Surfaces of an ideal joint with friction, or contacts that carry load.
fn surfaces(plant: &Plant, joint: JointId) -> Vec<Surface> {
    let (system, work) = (plant.system, &plant.work);
    let contacts = system.contacts_of(joint);
    if !contacts.is_empty() {
        let law = system.contacts[contacts.start].clearance.friction.as_ref();
        let spot = |i: usize| {
            let force = &work.contacts[i].1;
            let sliding = spot_geometry(plant, i).sliding;
            let sticks = law.is_some_and(|law| match law.has_state() {
                true => work.bristling[i].sticks,
                false => law.sticks(&[sliding, 0.0, 0.0], &[0.0; 3]),
            });
            let sticks = sticks && force.normal > 0.0;
            let (load, power) = (force.normal, force.friction_power);
            Surface { force: force.friction, torque: 0.0, load, sliding, power, sticks }
        };
        return contacts.map(spot).collect();
    }
    let elements = system.frictions.iter().zip(&work.frictions);
    let own = elements.filter(|(element, _)| element.joint == joint);
    let surface =
        |(_, now): (&crate::friction::FrictionElement, &crate::friction::Rubbing)| Surface {
            force: now.force(),
            torque: now.pair.b.t.norm(),
            load: now.load,
            sliding: now.speed(),
            power: now.power,
            sticks: now.sticks,
        };
    own.map(surface).collect()
}
