//! Values of outputs at the last evaluated point.

use nalgebra::Vector3;

use super::{
    Component, ContactQuantity, DriverQuantity, ForceQuantity, JointQuantity, PlaceQuantity,
    Sensor, Source, SpotQuantity, WrenchPart, cardan, film, flexible, friction,
};
use crate::clearance::geometry::{Geometry, Spot, geometry};
use crate::force;
use crate::joint;
use crate::marker::{Attachment, MarkerState};
use crate::math::rotation;
use crate::math::spatial::{Axis, Wrench};
use crate::model::{Axes, Coordinate, JointId, JointKind};
use crate::system::compile::RowSource;
use crate::system::{Plant, System, energy};

impl Sensor {
    /// Where a place is on its body.
    pub(crate) fn attachment(&self, system: &System) -> Option<Attachment> {
        match &self.source {
            Source::Place(body, local, _) => Some(system.attach(*body, local)),
            _ => None,
        }
    }

    /// The value by its attachment, if it has one.
    pub(crate) fn value_at(&self, place: Option<&Attachment>, plant: &Plant, t: f64) -> f64 {
        match (&self.source, place) {
            (Source::Place(_, _, quantity), Some(at)) => of_place(plant, at, *quantity),
            _ => self.value(plant, t),
        }
    }

    /// Value after [`Plant::evaluate`] at time `t`.
    pub fn value(&self, plant: &Plant, t: f64) -> f64 {
        match self.source {
            Source::Place(body, local, quantity) => {
                of_place(plant, &plant.system.attach(body, &local), quantity)
            }
            Source::KineticEnergyOf(body) => match plant.system.chain(body + 1) {
                Some(chain) => chain.kinetic(&plant.work),
                None => plant.system.kinetic_of(body, &plant.work, &plant.work.v),
            },
            Source::Section(body, along, quantity) => {
                flexible::of_section(plant, body, along, quantity)
            }
            Source::Link(body, quantity) => flexible::of_link(plant, body, quantity),
            // Beside the motion (`ked/outputs.rs`).
            Source::Ked(..) => f64::NAN,
            Source::Wrench(index, part, second, what) => {
                let at = (index, part);
                let action = force::part_action(plant.system, &plant.work, at, t, plant.branch());
                let wrench = if second { action.on_b } else { action.on_a };
                match what {
                    WrenchPart::X => wrench.f.x,
                    WrenchPart::Y => wrench.f.y,
                    WrenchPart::Torque => wrench.t.z,
                }
            }
            Source::Joint(joint, quantity) => of_joint(plant, joint, quantity),
            Source::Contact(joint, quantity) => of_contact(plant, joint, quantity),
            Source::Spot(joint, spot, quantity) => of_spot(plant, joint, spot, quantity),
            Source::Film(joint, quantity) => film::value(plant, joint, quantity),
            Source::Friction(joint, surface, quantity) => {
                friction::of(plant, joint, surface, quantity)
            }
            Source::Driver(driver, quantity) => match quantity {
                DriverQuantity::Load => plant.driver_load(driver),
                DriverQuantity::Power => plant.driver_power(driver),
                DriverQuantity::Value => plant.work.motions[driver].value,
                DriverQuantity::Rate => plant.work.motions[driver].rate,
            },
            Source::Force(index, quantity) => {
                let action = || force::action(plant.system, &plant.work, index, t, plant.branch());
                let (a, b) = force::ends(&plant.system.model.forces[index].kind, 0);
                let (a, b) = (&plant.work.markers[a], &plant.work.markers[b]);
                match quantity {
                    ForceQuantity::Value => action().value,
                    ForceQuantity::Power => action().power,
                    ForceQuantity::Energy => action().potential,
                    ForceQuantity::Length => (b.frame.p - a.frame.p).norm(),
                    ForceQuantity::LengthRate => {
                        force::direction(a, b).dot(&(b.twist.v - a.twist.v))
                    }
                    ForceQuantity::Angle => force::angle_of(plant.system, &plant.work, index).0,
                    ForceQuantity::AngleRate => {
                        let (_, row) = force::angle_of(plant.system, &plant.work, index);
                        row.row(a, b).rate(a, b)
                    }
                }
            }
            Source::Formula(ref formula) => formula.value(plant, t),
            Source::KineticEnergy => energy::kinetic(plant.system, &plant.work),
            Source::PotentialEnergy => {
                energy::total(plant.system, &plant.work)
                    - energy::kinetic(plant.system, &plant.work)
            }
        }
    }
}

pub(super) fn component(v: &Vector3<f64>, which: Component) -> f64 {
    match which {
        Component::X => v.x,
        Component::Y => v.y,
        Component::Z => v.z,
        Component::Magnitude => v.norm(),
    }
}

fn of_place(plant: &Plant, at: &Attachment, quantity: PlaceQuantity) -> f64 {
    let (marker, acceleration) = plant.system.marker_motion(at, &plant.work);
    match quantity {
        PlaceQuantity::Position(c) => component(&marker.frame.p, c),
        PlaceQuantity::Velocity(c) => component(&marker.twist.v, c),
        PlaceQuantity::Acceleration(c) => component(&acceleration.v, c),
        PlaceQuantity::Angle => marker.angle,
        PlaceQuantity::AngularVelocity(c) => component(&marker.twist.w, c),
        PlaceQuantity::AngularAcceleration(c) => component(&acceleration.w, c),
        PlaceQuantity::Orientation(i) => {
            // Of the own axes; the state holds that of the inner axes, whose sign is continuous.
            let rigid = &plant.system.bodies[at.body - 1];
            let own = rotation::quaternion(&rigid.axes.transpose());
            rotation::product(&plant.quaternion(at.body), &own)[i]
        }
    }
}

/// Wrench of a joint on its second side, about that side's marker: −Σ λ W_b, contacts and film.
pub(crate) fn reaction(plant: &Plant, joint: usize) -> Wrench {
    let mut sum = Wrench::ZERO;
    for row in plant.system.rows_of(RowSource::Joint(JointId(joint))) {
        let twist = &plant.work.row_wrenches[row];
        sum.f -= twist.on_b.f * plant.work.lambda[row];
        sum.t -= twist.on_b.t * plant.work.lambda[row];
    }
    for (element, now) in plant.system.frictions.iter().zip(&plant.work.frictions) {
        if element.joint == JointId(joint) {
            sum.f += now.pair.b.f;
            sum.t += now.pair.b.t;
        }
    }
    for contact in plant.system.contacts_of(JointId(joint)) {
        let wrench = &plant.work.contacts[contact].1.wrench_b;
        sum.f += wrench.f;
        sum.t += wrench.t;
    }
    if let Some(film) = plant.system.film_of(JointId(joint)) {
        let wrench = &plant.work.films[film].now.pair.b;
        sum.f += wrench.f;
        sum.t += wrench.t;
    }
    sum
}

pub(super) fn ends<'p>(plant: &'p Plant, joint: usize) -> (&'p MarkerState, &'p MarkerState) {
    let ends = &plant.system.model.joints[joint];
    (&plant.work.markers[ends.a.0], &plant.work.markers[ends.b.0])
}

fn in_axes(v: Vector3<f64>, axes: Axes, a: &MarkerState) -> Vector3<f64> {
    match axes {
        Axes::World => v,
        Axes::Body => a.frame.r.tr_mul(&v),
    }
}

fn of_joint(plant: &Plant, joint: usize, quantity: JointQuantity) -> f64 {
    let (a, b) = ends(plant, joint);
    let model = &plant.system.model;
    let kind = model.joints[joint].kind;
    let row = |coordinate| joint::coordinate_row(kind, coordinate, model.space);
    match quantity {
        JointQuantity::Reaction(c, axes) => {
            component(&in_axes(reaction(plant, joint).f, axes, a), c)
        }
        JointQuantity::ReactionTorque(c, axes) => {
            component(&in_axes(reaction(plant, joint).t, axes, a), c)
        }
        JointQuantity::Value(Coordinate::Angle) => match plant.system.joint_turns[joint] {
            Some(turn) => plant.work.turns[turn],
            None => row(Coordinate::Angle).coordinate(a, b),
        },
        JointQuantity::Value(coordinate) => row(coordinate).coordinate(a, b),
        JointQuantity::Rate(coordinate) => row(coordinate).rate(a, b),
        JointQuantity::Cardan(which) => cardan::angle(which, a, b),
        JointQuantity::CardanRate(which) => cardan::rate(which, a, b),
    }
}

pub(super) fn spot_geometry(plant: &Plant, contact: usize) -> Geometry {
    let element = &plant.system.contacts[contact];
    let (a, b) = (&plant.work.markers[element.a], &plant.work.markers[element.b]);
    geometry(&element.spot, &element.clearance, a, b)
}

fn of_contact(plant: &Plant, joint: usize, quantity: ContactQuantity) -> f64 {
    let contacts = plant.system.contacts_of(JointId(joint));
    if contacts.is_empty() {
        return of_ideal(plant, joint, quantity);
    }
    let (a, b) = ends(plant, joint);
    let d = || a.frame.r.tr_mul(&(b.frame.p - a.frame.p));
    // Sliding is no eccentricity.
    let across = || {
        let d = d();
        match plant.system.contacts[contacts.start].spot {
            Spot::Corner { .. } => Vector3::new(0.0, d.y, 0.0),
            Spot::Base { .. } => Vector3::new(d.x, d.y, 0.0),
            _ => d,
        }
    };
    let forces = || contacts.clone().map(|i| &plant.work.contacts[i].1);
    let deepest = || {
        let all = contacts.clone().map(|i| spot_geometry(plant, i));
        all.max_by(|a, b| a.depth.total_cmp(&b.depth)).expect("there are contacts")
    };
    match quantity {
        ContactQuantity::Force(c) => {
            component(&forces().fold(Vector3::zeros(), |sum, f| sum + f.on_journal), c)
        }
        ContactQuantity::Normal => forces().map(|f| f.normal).sum(),
        ContactQuantity::Friction => forces().map(|f| f.friction).sum(),
        ContactQuantity::Indentation => deepest().depth,
        ContactQuantity::IndentationRate => deepest().rate,
        ContactQuantity::Eccentricity(c) => component(&across(), c),
        ContactQuantity::Sliding => deepest().sliding,
        ContactQuantity::InContact => {
            f64::from(contacts.clone().any(|i| plant.memory.contacts[i].in_contact()))
        }
        ContactQuantity::Misalignment => {
            let (z_a, z_b) = (a.frame.axis(Axis::Z), b.frame.axis(Axis::Z));
            z_a.cross(&z_b).norm().atan2(z_a.dot(&z_b))
        }
        ContactQuantity::Situation => f64::from(plant.situation(JointId(joint)) as u8),
        ContactQuantity::Shift => d().z,
    }
}

/// An ideal joint in place of a contact: always touching, no play, no sliding.
fn of_ideal(plant: &Plant, joint: usize, quantity: ContactQuantity) -> f64 {
    match quantity {
        ContactQuantity::Force(c) => component(&reaction(plant, joint).f, c),
        ContactQuantity::Normal => reaction(plant, joint).f.norm(),
        ContactQuantity::InContact => 1.0,
        ContactQuantity::Situation => 2.0,
        ContactQuantity::Shift => {
            let (a, b) = ends(plant, joint);
            a.frame.axis(Axis::Z).dot(&(b.frame.p - a.frame.p))
        }
        _ => 0.0,
    }
}

fn of_spot(plant: &Plant, joint: usize, spot: usize, quantity: SpotQuantity) -> f64 {
    let contacts = plant.system.contacts_of(JointId(joint));
    if spot >= contacts.len() {
        // An ideal joint: its bases touch and carry what only the joint as a whole can tell.
        let kind = plant.system.model.joints[joint].kind;
        let flange = kind != JointKind::Prismatic && spot >= 2;
        return match quantity {
            SpotQuantity::InContact if !flange => 1.0,
            _ => 0.0,
        };
    }
    let index = contacts.start + spot;
    let force = &plant.work.contacts[index].1;
    let (a, _) = ends(plant, joint);
    let local = || a.frame.r.tr_mul(&spot_geometry(plant, index).eccentricity);
    match quantity {
        SpotQuantity::Force(c) => component(&force.on_journal, c),
        SpotQuantity::Normal => force.normal,
        SpotQuantity::Friction => force.friction,
        SpotQuantity::Indentation => spot_geometry(plant, index).depth,
        SpotQuantity::IndentationRate => spot_geometry(plant, index).rate,
        SpotQuantity::Eccentricity(c) => component(&local(), c),
        SpotQuantity::EccentricityAngle => local().y.atan2(local().x),
        SpotQuantity::Sliding => spot_geometry(plant, index).sliding,
        SpotQuantity::InContact => f64::from(plant.memory.contacts[index].in_contact()),
    }
}
