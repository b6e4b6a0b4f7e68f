//! What functions of the state read: time, positions and velocities, each with its change under a
//! motion of the markers it is taken from.
//!
//! | reading | x | δx |
//! |---|---|---|
//! | position, velocity of a marker   | p · e, v · e                | δp · e, δv · e |
//! | angle, angular velocity of it    | θ, ω · e                    | δφ_z, δω · e |
//! | coordinate of a joint            | g of its row                | W_a · δ_a + W_b · δ_b |
//! | its rate                         | ġ = W · V                   | W · δV + δW · V |
//! | length between two markers       | l = |d|, d = p_b − p_a      | u · δd, u = d/l |
//! | its rate                         | u · ḋ                       | u · δḋ + δu · ḋ |
//! | displacement in axes of a        | (R_aᵀ d) · e                | (R_aᵀ(δd − δφ_a × d)) · e |
//!
//! A vector without component is its size. Angles of joints and torsion springs are counted over turns.
//! Accelerations and forces are no readings: they follow from the loads that would read them.

use std::borrow::Borrow;

use nalgebra::Vector3;

use crate::force;
use crate::formula::MAX_INPUTS;
use crate::joint::{self, RowKind, Turn};
use crate::marker::{MarkerState, Variation};
use crate::math::spatial::{Frame, Wrench};
use crate::model::{
    BodyId, Coordinate, DriverId, ForceId, JointId, JointKind, Marker, MarkerId, Model, Space,
    StateFunction,
};
use crate::sensor::{
    Component, ContactQuantity, DriverQuantity, ForceQuantity, JointQuantity, PlaceQuantity,
    Sensor, Source,
};

/// A quantity of the state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reading(Kind);

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Time,
    Place(MarkerId, Quantity, Component),
    Coordinate(JointId, Coordinate),
    Rate(JointId, Coordinate),
    /// Displacement of a joint's second side in axes of its first, along those axes that count.
    Displacement(JointId, Component, Vector3<f64>),
    DriverValue(DriverId),
    DriverRate(DriverId),
    Length(ForceId),
    LengthRate(ForceId),
    Angle(ForceId),
    AngleRate(ForceId),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Quantity {
    Position,
    Velocity,
    Angle,
    AngularVelocity,
}

/// Why an output cannot be read by a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// Accelerations, reactions, contact and other forces, powers.
    FollowsFromLoads,
    /// Whatever else is no position or velocity.
    NoMotion,
}

/// State of the markers and counted turns at some point, as readings see it.
pub(crate) struct Seen<'s, M, T> {
    pub model: &'s Model,
    pub t: f64,
    pub branch: f64,
    /// A marker by its number.
    pub marker: M,
    /// The angle of a joint or torsion spring counted over turns, from the angle within one.
    pub turn: T,
}

/// What counts an angle over turns.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Counted {
    Joint(usize),
    Force(usize),
}

impl Reading {
    pub const TIME: Self = Self(Kind::Time);

    /// The reading of an output; adds the place it is taken at to the markers of the model.
    pub fn of(sensor: &Sensor, model: &mut Model) -> Result<Self, Refused> {
        let kind = match sensor.source {
            Source::Place(body, local, quantity) => {
                let (quantity, component) = place_quantity(quantity)?;
                Kind::Place(marker(model, body, &local), quantity, component)
            }
            Source::Joint(joint, JointQuantity::Value(c)) => Kind::Coordinate(JointId(joint), c),
            Source::Joint(joint, JointQuantity::Rate(c)) => Kind::Rate(JointId(joint), c),
            Source::Contact(joint, ContactQuantity::Eccentricity(c)) => {
                Kind::Displacement(JointId(joint), c, across(model, joint))
            }
            Source::Contact(joint, ContactQuantity::Shift) => {
                Kind::Displacement(JointId(joint), Component::Z, Vector3::repeat(1.0))
            }
            Source::Driver(driver, DriverQuantity::Value) => Kind::DriverValue(DriverId(driver)),
            Source::Driver(driver, DriverQuantity::Rate) => Kind::DriverRate(DriverId(driver)),
            Source::Force(force, quantity) => match quantity {
                ForceQuantity::Length => Kind::Length(ForceId(force)),
                ForceQuantity::LengthRate => Kind::LengthRate(ForceId(force)),
                ForceQuantity::Angle => Kind::Angle(ForceId(force)),
                ForceQuantity::AngleRate => Kind::AngleRate(ForceId(force)),
                ForceQuantity::Value | ForceQuantity::Power => {
                    return Err(Refused::FollowsFromLoads);
                }
                ForceQuantity::Energy => return Err(Refused::NoMotion),
            },
            Source::Joint(_, JointQuantity::Reaction(..) | JointQuantity::ReactionTorque(..))
            | Source::Contact(
                _,
                ContactQuantity::Force(_) | ContactQuantity::Normal | ContactQuantity::Friction,
            )
            | Source::Film(..)
            | Source::Friction(..)
            | Source::Driver(_, DriverQuantity::Load | DriverQuantity::Power) => {
                return Err(Refused::FollowsFromLoads);
            }
            Source::Joint(_, JointQuantity::Cardan(_) | JointQuantity::CardanRate(_))
            | Source::Contact(..)
            | Source::Formula(_)
            | Source::Spot(..)
            | Source::KineticEnergyOf(_)
            | Source::Section(..)
            | Source::Link(..)
            | Source::Ked(..)
            | Source::Wrench(..)
            | Source::KineticEnergy
            | Source::PotentialEnergy => return Err(Refused::NoMotion),
        };
        Ok(Self(kind))
    }

    /// The markers it is taken from.
    pub(crate) fn markers(&self, model: &Model) -> Option<(usize, usize)> {
        match self.0 {
            Kind::Time | Kind::DriverValue(_) | Kind::DriverRate(_) => None,
            Kind::Place(marker, ..) => Some((marker.0, marker.0)),
            Kind::Coordinate(joint, _) | Kind::Rate(joint, _) | Kind::Displacement(joint, ..) => {
                let joint = &model.joints[joint.0];
                Some((joint.a.0, joint.b.0))
            }
            Kind::Length(force)
            | Kind::LengthRate(force)
            | Kind::Angle(force)
            | Kind::AngleRate(force) => Some(force::ends(&model.forces[force.0].kind, 0)),
        }
    }

    fn value<S: Borrow<MarkerState>>(
        &self,
        seen: &Seen<'_, impl Fn(usize) -> S, impl Fn(Counted, f64) -> f64>,
    ) -> f64 {
        let motion =
            |driver: DriverId| seen.model.drivers[driver.0].motion.jet(seen.t, seen.branch);
        let Some((a, b)) = self.markers(seen.model) else {
            return match self.0 {
                Kind::DriverValue(driver) => motion(driver).value,
                Kind::DriverRate(driver) => motion(driver).rate,
                _ => seen.t,
            };
        };
        let (a, b) = ((seen.marker)(a), (seen.marker)(b));
        let (a, b) = (a.borrow(), b.borrow());
        match self.0 {
            Kind::Place(_, quantity, component) => quantity.value(component, b),
            Kind::Coordinate(joint, Coordinate::Angle) if seen.model.space == Space::Spatial => {
                let angle = RowKind::Turn(Turn::Axis).coordinate(a, b);
                (seen.turn)(Counted::Joint(joint.0), angle)
            }
            Kind::Angle(force) if seen.model.space == Space::Spatial => {
                let angle = RowKind::Turn(Turn::Axis).coordinate(a, b);
                (seen.turn)(Counted::Force(force.0), angle)
            }
            Kind::Rate(..) | Kind::AngleRate(_) => self.row(seen.model).row(a, b).rate(a, b),
            Kind::Coordinate(..) | Kind::Angle(_) => self.row(seen.model).coordinate(a, b),
            Kind::Displacement(_, component, counts) => {
                let moved = a.frame.r.tr_mul(&(b.frame.p - a.frame.p));
                size(&moved.component_mul(&counts), component)
            }
            Kind::Length(_) => (b.frame.p - a.frame.p).norm(),
            Kind::LengthRate(_) => force::direction(a, b).dot(&(b.twist.v - a.twist.v)),
            Kind::Time | Kind::DriverValue(_) | Kind::DriverRate(_) => seen.t,
        }
    }

    /// δx for small motions of its markers.
    pub(crate) fn change(
        &self,
        model: &Model,
        (a, b): (&MarkerState, &MarkerState),
        (da, db): (&Variation, &Variation),
    ) -> f64 {
        let d = b.frame.p - a.frame.p;
        match self.0 {
            Kind::Time | Kind::DriverValue(_) | Kind::DriverRate(_) => 0.0,
            Kind::Place(_, quantity, component) => quantity.change(component, b, db),
            Kind::Coordinate(..) | Kind::Angle(_) => {
                let pair = self.row(model).row(a, b).pair();
                work(&pair.a, &da.p, &da.turn) + work(&pair.b, &db.p, &db.turn)
            }
            Kind::Rate(..) | Kind::AngleRate(_) => {
                let row = self.row(model);
                let (pair, change) = (row.row(a, b).pair(), row.change(a, b, da, db));
                work(&pair.a, &da.v, &da.w)
                    + work(&pair.b, &db.v, &db.w)
                    + work(&change.a, &a.twist.v, &a.twist.w)
                    + work(&change.b, &b.twist.v, &b.twist.w)
            }
            Kind::Displacement(_, component, counts) => {
                let counted = |x: Vector3<f64>| a.frame.r.tr_mul(&x).component_mul(&counts);
                let change = counted(db.p - da.p - da.turn.cross(&d));
                size_change(&counted(d), &change, component)
            }
            Kind::Length(_) => force::direction(a, b).dot(&(db.p - da.p)),
            Kind::LengthRate(_) => {
                let (u, moved) = (force::direction(a, b), db.p - da.p);
                let length = d.norm();
                let turned =
                    if length > 0.0 { (moved - u * u.dot(&moved)) / length } else { moved * 0.0 };
                turned.dot(&(b.twist.v - a.twist.v)) + u.dot(&(db.v - da.v))
            }
        }
    }

    /// The row whose coordinate it is.
    fn row(&self, model: &Model) -> RowKind {
        match (self.0, model.space) {
            (Kind::Coordinate(joint, c) | Kind::Rate(joint, c), space) => {
                joint::coordinate_row(model.joints[joint.0].kind, c, space)
            }
            (_, Space::Planar) => RowKind::Angle,
            (_, Space::Spatial) => RowKind::Turn(Turn::Axis),
        }
    }
}

impl StateFunction {
    /// Calls `with` with the values of its readings.
    pub(crate) fn with_inputs<S: Borrow<MarkerState>, R>(
        &self,
        seen: &Seen<'_, impl Fn(usize) -> S, impl Fn(Counted, f64) -> f64>,
        with: impl FnOnce(&[f64]) -> R,
    ) -> R {
        let mut inputs = [0.0; MAX_INPUTS];
        for (input, reading) in inputs.iter_mut().zip(&self.readings) {
            *input = reading.value(seen);
        }
        with(&inputs[..self.readings.len()])
    }
}

impl Quantity {
    fn value(self, component: Component, m: &MarkerState) -> f64 {
        match self {
            Self::Angle => m.angle,
            _ => size(&self.vector(m), component),
        }
    }

    fn change(self, component: Component, m: &MarkerState, by: &Variation) -> f64 {
        let change = match self {
            Self::Position => by.p,
            Self::Velocity => by.v,
            Self::Angle => return by.turn.z,
            Self::AngularVelocity => by.w,
        };
        size_change(&self.vector(m), &change, component)
    }

    fn vector(self, m: &MarkerState) -> Vector3<f64> {
        match self {
            Self::Position => m.frame.p,
            Self::Velocity => m.twist.v,
            Self::Angle | Self::AngularVelocity => m.twist.w,
        }
    }
}

fn place_quantity(quantity: PlaceQuantity) -> Result<(Quantity, Component), Refused> {
    match quantity {
        PlaceQuantity::Position(c) => Ok((Quantity::Position, c)),
        PlaceQuantity::Velocity(c) => Ok((Quantity::Velocity, c)),
        PlaceQuantity::Angle => Ok((Quantity::Angle, Component::Z)),
        PlaceQuantity::AngularVelocity(c) => Ok((Quantity::AngularVelocity, c)),
        PlaceQuantity::Acceleration(_) | PlaceQuantity::AngularAcceleration(_) => {
            Err(Refused::FollowsFromLoads)
        }
        PlaceQuantity::Orientation(_) => Err(Refused::NoMotion),
    }
}

/// Axes of a joint along which its journal is eccentric: sliding is no eccentricity.
fn across(model: &Model, joint: usize) -> Vector3<f64> {
    match (model.joints[joint].kind, model.space) {
        (JointKind::Prismatic, _) => Vector3::new(0.0, 1.0, 0.0),
        (JointKind::Revolute | JointKind::Cylindrical, Space::Spatial) => {
            Vector3::new(1.0, 1.0, 0.0)
        }
        _ => Vector3::repeat(1.0),
    }
}

fn marker(model: &mut Model, body: usize, local: &Frame) -> MarkerId {
    let is_it = |m: &Marker| m.body == BodyId(body) && m.local == *local;
    let found = model.markers.iter().position(is_it);
    MarkerId(found.unwrap_or_else(|| {
        model.markers.push(Marker { name: None, body: BodyId(body), local: *local });
        model.markers.len() - 1
    }))
}

fn work(w: &Wrench, v: &Vector3<f64>, t: &Vector3<f64>) -> f64 {
    w.f.dot(v) + w.t.dot(t)
}

fn size(v: &Vector3<f64>, component: Component) -> f64 {
    match component {
        Component::X => v.x,
        Component::Y => v.y,
        Component::Z => v.z,
        Component::Magnitude => v.norm(),
    }
}

fn size_change(v: &Vector3<f64>, change: &Vector3<f64>, component: Component) -> f64 {
    match component {
        Component::Magnitude => {
            let size = v.norm();
            if size > 0.0 { v.dot(change) / size } else { 0.0 }
        }
        _ => size(change, component),
    }
}
