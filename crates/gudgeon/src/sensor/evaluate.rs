//! Values of outputs at the last evaluated point.

use nalgebra::Vector3;

use super::{
    Component, ContactQuantity, DriverQuantity, ForceQuantity, JointQuantity, PlaceQuantity,
    Sensor, Source,
};
use crate::clearance::contact;
use crate::force;
use crate::joint::RowKind;
use crate::marker::Attachment;
use crate::model::JointId;
use crate::system::compile::RowSource;
use crate::system::{Plant, energy};

impl Sensor {
    /// Value after [`Plant::evaluate`] at time `t`.
    pub fn value(&self, plant: &Plant, t: f64) -> f64 {
        match self.source {
            Source::Place(at, quantity) => place(plant, &at, quantity),
            Source::KineticEnergyOf(body) => plant.system.bodies[body].kinetic(&plant.work.v[body]),
            Source::Joint(joint, quantity) => of_joint(plant, joint, quantity),
            Source::Contact(joint, quantity) => of_contact(plant, joint, quantity),
            Source::Driver(driver, quantity) => match quantity {
                DriverQuantity::Load => plant.driver_load(driver),
                DriverQuantity::Power => plant.driver_power(driver),
                DriverQuantity::Value => plant.work.motions[driver].value,
                DriverQuantity::Rate => plant.work.motions[driver].rate,
            },
            Source::Force(index, quantity) => of_force(plant, index, quantity, t),
            Source::KineticEnergy => energy::kinetic(plant.system, &plant.work),
            Source::PotentialEnergy => {
                energy::total(plant.system, &plant.work)
                    - energy::kinetic(plant.system, &plant.work)
            }
        }
    }
}

fn component(v: &Vector3<f64>, which: Component) -> f64 {
    match which {
        Component::X => v.x,
        Component::Y => v.y,
        Component::Magnitude => v.norm(),
    }
}

fn place(plant: &Plant, at: &Attachment, quantity: PlaceQuantity) -> f64 {
    let body = at.body - 1;
    let (v, a) = (&plant.work.v[body], &plant.work.accelerations[body]);
    let marker = at.marker(&plant.work.poses[at.body], v);
    match quantity {
        PlaceQuantity::Position(c) => component(&marker.frame.p, c),
        PlaceQuantity::Velocity(c) => component(&marker.twist.v, c),
        PlaceQuantity::Acceleration(c) => {
            let r = &marker.lever;
            let turning = Vector3::new(a[0] - a[2] * r.y, a[1] + a[2] * r.x, 0.0);
            component(&(turning + marker.bias), c)
        }
        PlaceQuantity::Angle => marker.angle,
        PlaceQuantity::AngularVelocity => v[2],
        PlaceQuantity::AngularAcceleration => a[2],
    }
}

/// Force and torque of an ideal joint on its second side, −Σ λ W_b.
fn reaction(plant: &Plant, joint: usize) -> (Vector3<f64>, f64) {
    let (mut force, mut torque) = (Vector3::zeros(), 0.0);
    for row in plant.system.rows_of(RowSource::Joint(JointId(joint))) {
        let r = &plant.system.rows[row];
        let twist = r.kind.row(&plant.work.markers[r.a], &plant.work.markers[r.b]);
        force -= twist.on_b.f * plant.work.lambda[row];
        torque -= twist.on_b.t.z * plant.work.lambda[row];
    }
    (force, torque)
}

fn of_joint(plant: &Plant, joint: usize, quantity: JointQuantity) -> f64 {
    let ends = &plant.system.model.joints[joint];
    let (a, b) = (&plant.work.markers[ends.a.0], &plant.work.markers[ends.b.0]);
    match quantity {
        JointQuantity::Reaction(c) => match plant.system.contact_of(JointId(joint)) {
            Some(contact) => component(&plant.work.contacts[contact].1.on_journal, c),
            None => component(&reaction(plant, joint).0, c),
        },
        JointQuantity::ReactionTorque => reaction(plant, joint).1,
        JointQuantity::Angle => RowKind::Angle.coordinate(a, b),
        JointQuantity::AngularVelocity => RowKind::Angle.rate(a, b),
        JointQuantity::Displacement => RowKind::Along.coordinate(a, b),
        JointQuantity::Velocity => RowKind::Along.rate(a, b),
    }
}

fn of_contact(plant: &Plant, joint: usize, quantity: ContactQuantity) -> f64 {
    let Some(index) = plant.system.contact_of(JointId(joint)) else {
        return of_ideal(plant, joint, quantity);
    };
    let element = &plant.system.contacts[index];
    let (a, b) = (&plant.work.markers[element.a], &plant.work.markers[element.b]);
    let force = &plant.work.contacts[index].1;
    let geometry = || contact::geometry(&element.clearance, a, b);
    match quantity {
        ContactQuantity::Force(c) => component(&force.on_journal, c),
        ContactQuantity::Normal => force.normal,
        ContactQuantity::Friction => force.friction,
        ContactQuantity::Indentation => geometry().depth,
        ContactQuantity::IndentationRate => geometry().rate,
        ContactQuantity::Eccentricity(c) => {
            component(&(a.frame.r.transpose() * geometry().eccentricity), c)
        }
        ContactQuantity::Sliding => geometry().sliding,
        ContactQuantity::InContact => f64::from(plant.memory.contacts[index].in_contact()),
    }
}

/// An ideal joint in place of a contact: always touching, no play, no sliding.
fn of_ideal(plant: &Plant, joint: usize, quantity: ContactQuantity) -> f64 {
    match quantity {
        ContactQuantity::Force(c) => component(&reaction(plant, joint).0, c),
        ContactQuantity::Normal => reaction(plant, joint).0.norm(),
        ContactQuantity::InContact => 1.0,
        ContactQuantity::Friction
        | ContactQuantity::Indentation
        | ContactQuantity::IndentationRate
        | ContactQuantity::Eccentricity(_)
        | ContactQuantity::Sliding => 0.0,
    }
}

fn of_force(plant: &Plant, index: usize, quantity: ForceQuantity, t: f64) -> f64 {
    let kind = &plant.system.model.forces[index].kind;
    let (a, b) = force::ends(kind);
    let (a, b) = (&plant.work.markers[a], &plant.work.markers[b]);
    let action = force::act(kind, a, b, t, plant.branch());
    match quantity {
        ForceQuantity::Value => action.value,
        ForceQuantity::Power => action.power,
        ForceQuantity::Energy => action.potential,
    }
}
