//! The rigid motion as the vibration needs it: how every body moves, and which loads act.
//!
//! A run of the rigid mechanism gives a row of numbers at every step; here is where each stands in it.

use nalgebra::{Matrix2, Vector2};

use super::linkage::Linkage;
use super::{Geometric, KedSpec};
use crate::force;
use crate::math::spatial::Frame;
use crate::model::{Axes, ForceKind, Model};
use crate::sensor::{
    Component, DriverQuantity, JointQuantity, PlaceQuantity, Sensor, Source, WrenchPart,
};

/// Motion of a body's own axes at one instant.
#[derive(Clone, Copy, Debug)]
pub struct Motion {
    /// Of their origin.
    pub acceleration: Vector2<f64>,
    pub omega: f64,
    pub alpha: f64,
    /// Turn of the own axes.
    pub turn: Matrix2<f64>,
}

impl Default for Motion {
    fn default() -> Self {
        let (acceleration, turn) = (Vector2::zeros(), Matrix2::identity());
        Self { acceleration, omega: 0.0, alpha: 0.0, turn }
    }
}

/// z × r.
pub fn across(r: Vector2<f64>) -> Vector2<f64> {
    Vector2::new(-r.y, r.x)
}

impl Motion {
    /// Acceleration of a place in own axes.
    pub fn acceleration_at(&self, place: Vector2<f64>) -> Vector2<f64> {
        let r = self.turn * place;
        self.acceleration + across(r) * self.alpha - r * (self.omega * self.omega)
    }
}

/// A load that the rigid motion names: force and torque on a body about a marker.
#[derive(Debug)]
pub struct Load {
    pub body: usize,
    /// Marker in own axes of the body.
    pub place: Vector2<f64>,
    /// Numbers of force x, y and torque in the row; none for zero.
    force: Option<[usize; 2]>,
    torque: Option<usize>,
    sign: f64,
}

impl Load {
    pub fn force(&self, row: &[f64]) -> Vector2<f64> {
        self.force.map_or(Vector2::zeros(), |[x, y]| Vector2::new(row[x], row[y]) * self.sign)
    }

    pub fn torque(&self, row: &[f64]) -> f64 {
        self.torque.map_or(0.0, |i| row[i] * self.sign)
    }
}

/// Where the numbers of the rigid motion stand in a row.
#[derive(Debug)]
pub struct Reading {
    sensors: Vec<Sensor>,
    /// Bodies by the number of their first sensor.
    bodies: Vec<(usize, usize)>,
    /// Loads on what vibrates.
    pub loads: Vec<Load>,
    /// Reactions of joints, where axial forces of the rigid motion are needed.
    pub reactions: Vec<Load>,
}

impl Reading {
    /// `outputs` are outputs of the run; what is read stands behind them.
    pub fn new(model: &Model, linkage: &Linkage, spec: &KedSpec, outputs: Vec<Sensor>) -> Self {
        let mut reading =
            Self { sensors: outputs, bodies: Vec::new(), loads: Vec::new(), reactions: Vec::new() };
        for body in &linkage.bodies {
            let first = reading.sensors.len();
            reading.bodies.push((*body, first));
            for quantity in MOTION {
                reading.add(Source::Place(*body, Frame::identity(), quantity));
            }
        }
        reading.add_forces(model);
        if !spec.clamp_driven {
            reading.add_drivers(model);
        }
        if spec.geometric == Geometric::Rigid {
            reading.add_reactions(model);
        }
        reading
    }

    /// Outputs that the run of the rigid mechanism must have.
    pub fn sensors(&self) -> &[Sensor] {
        &self.sensors
    }

    /// Fills in how the bodies move.
    pub fn motions(&self, row: &[f64], motions: &mut [Motion]) {
        for (body, first) in &self.bodies {
            let [x, y, angle, omega, alpha] = std::array::from_fn(|i| row[first + i]);
            let (s, c) = f64::sin_cos(angle);
            motions[*body] = Motion {
                acceleration: Vector2::new(x, y),
                omega,
                alpha,
                turn: Matrix2::new(c, -s, s, c),
            };
        }
    }

    /// Reads one more number; where it stands in the rows.
    pub fn add(&mut self, source: Source) -> usize {
        self.sensors.push(Sensor::internal(source));
        self.sensors.len() - 1
    }

    fn load(model: &Model, marker: usize, sign: f64) -> Load {
        let marker = &model.markers[marker];
        let place = marker.local.p.xy();
        Load { body: marker.body.0, place, force: None, torque: None, sign }
    }

    /// Wrenches of all force elements.
    fn add_forces(&mut self, model: &Model) {
        for (number, part) in force::all_parts(model) {
            let kind = &model.forces[number].kind;
            let (a, b) = force::ends(kind, part);
            let alone = matches!(kind, ForceKind::Point { .. } | ForceKind::Distributed { .. });
            for (side, marker) in [a, b].into_iter().enumerate() {
                let mut load = Self::load(model, marker, 1.0);
                if load.body == 0 || (side == 0 && alone) {
                    continue;
                }
                let mut one = |what| self.add(Source::Wrench(number, part, side == 1, what));
                load.force = Some([one(WrenchPart::X), one(WrenchPart::Y)]);
                load.torque = Some(one(WrenchPart::Torque));
                self.loads.push(load);
            }
        }
    }

    /// Torques of drivers that do not clamp.
    fn add_drivers(&mut self, model: &Model) {
        for (i, driver) in model.drivers.iter().enumerate() {
            if !driver.coordinate.is_angle() {
                continue;
            }
            let joint = &model.joints[driver.joint.0];
            let torque = self.add(Source::Driver(i, DriverQuantity::Load));
            for (marker, sign) in [(joint.a, -1.0), (joint.b, 1.0)] {
                let load = Self::load(model, marker.0, sign);
                if load.body != 0 {
                    self.loads.push(Load { torque: Some(torque), ..load });
                }
            }
        }
    }

    fn add_reactions(&mut self, model: &Model) {
        for (i, joint) in model.joints.iter().enumerate() {
            let [x, y] = [Component::X, Component::Y].map(|c| {
                let quantity = JointQuantity::Reaction(c, Axes::World);
                self.add(Source::Joint(i, quantity))
            });
            for (marker, sign) in [(joint.a, -1.0), (joint.b, 1.0)] {
                let load = Self::load(model, marker.0, sign);
                if load.body != 0 {
                    self.reactions.push(Load { force: Some([x, y]), ..load });
                }
            }
        }
    }
}

/// What is read of every body, in the order of [`Reading::motions`].
const MOTION: [PlaceQuantity; 5] = [
    PlaceQuantity::Acceleration(Component::X),
    PlaceQuantity::Acceleration(Component::Y),
    PlaceQuantity::Angle,
    PlaceQuantity::AngularVelocity(Component::Z),
    PlaceQuantity::AngularAcceleration(Component::Z),
];
