//! What `[start]` requested beside what was assembled.
//!
//! Differences are relative: positions and offsets to the size of the mechanism, angles to 1 rad,
//! velocities to the larger of both values. Differences of velocities below [`SHOWN`] times the
//! fastest one are rounding: V is the largest |v| and size times |ω|, requested or assembled.

use nalgebra::Vector3;
use std::f64::consts::TAU;

use super::{Assembly, AssemblyError};
use crate::math::rotation;
use crate::model::{Axes, Body, Form, Joint, JointKind, Orientation, Space};
use crate::system::Workspace;
use crate::system::component::BodyState;
use crate::system::evaluate::{self, StateAt};

/// Relative differences above this are shown.
pub const SHOWN: f64 = 1e-6;
/// Relative differences above this deserve a warning.
pub const WARNED: f64 = 1e-2;
/// Share of a requested velocity below which nothing of it remains.
const LOST: f64 = 1e-6;

/// What was requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// Of a body's origin, m.
    Position,
    /// In the plane the angle, in space the rotation vector, rad.
    Orientation,
    /// Of a body's origin, m/s.
    Velocity,
    /// World axes, rad/s.
    AngularVelocity,
    /// Of a journal's centre from the bearing's, in axes of the bearing, m.
    Offset,
}

impl Quantity {
    pub fn name(self) -> &'static str {
        match self {
            Self::Position => "position",
            Self::Orientation => "angle",
            Self::Velocity => "velocity",
            Self::AngularVelocity => "angular velocity",
            Self::Offset => "offset",
        }
    }

    pub fn unit(self) -> &'static str {
        match self {
            Self::Position | Self::Offset => "m",
            Self::Orientation => "rad",
            Self::Velocity => "m/s",
            Self::AngularVelocity => "rad/s",
        }
    }

    pub fn is_velocity(self) -> bool {
        matches!(self, Self::Velocity | Self::AngularVelocity)
    }
}

/// A requested quantity and what became of it, in the components that were requested.
#[derive(Clone, Debug, PartialEq)]
pub struct Requested {
    /// Body or joint.
    pub owner: String,
    pub quantity: Quantity,
    pub requested: Vec<f64>,
    pub assembled: Vec<f64>,
    /// Relative difference.
    pub difference: f64,
}

impl Requested {
    /// Components as text, angles in degrees.
    pub fn text(&self, values: &[f64]) -> String {
        let (scale, unit) = match self.quantity {
            Quantity::Orientation => (1f64.to_degrees(), "deg"),
            quantity => (1.0, quantity.unit()),
        };
        let all: Vec<f64> = self.requested.iter().chain(&self.assembled).copied().collect();
        let size = scale * norm(&all);
        let parts: Vec<String> = values.iter().map(|x| rounded(scale * x, size)).collect();
        format!("{} {unit}", parts.join(", "))
    }
}

/// Six digits, rounding errors against `size` as zero.
pub(crate) fn rounded(value: f64, size: f64) -> String {
    if value.abs() <= 1e-11 * size {
        return "0".to_owned();
    }
    let trimmed = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    };
    if (1e-4..1e7).contains(&value.abs()) {
        let digits = (5 - value.abs().log10().floor() as i32).clamp(0, 15);
        return trimmed(&format!("{value:.*}", digits as usize));
    }
    let text = format!("{value:.5e}");
    text.split_once('e')
        .map_or(text.clone(), |(digits, power)| format!("{}e{power}", trimmed(digits)))
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

impl Assembly {
    /// Everything that was requested, in the order of the model.
    pub fn requests(&self) -> Vec<Requested> {
        let mut found = Vec::new();
        let bodies = &self.system.model.bodies[1..];
        for (index, (body, state)) in bodies.iter().zip(self.states()).enumerate() {
            self.of_pose(index, body, &state, &mut found);
            self.of_motion(index, body, &state, &mut found);
        }
        self.of_offsets(&mut found);
        self.compare_velocities(&mut found);
        found
    }

    /// Requests that were not met.
    pub fn departures(&self) -> Vec<Requested> {
        let mut requests = self.requests();
        requests.retain(|request| request.difference > SHOWN);
        requests
    }

    /// An error where velocities were requested and nothing of any of them remains.
    pub fn check_requests(&self) -> Result<(), AssemblyError> {
        let mut requests = self.requests();
        requests.retain(|r| r.quantity.is_velocity() && norm(&r.requested) > 0.0);
        let remains = |r: &Requested| {
            let along: f64 = r.requested.iter().zip(&r.assembled).map(|(r, a)| r * a).sum();
            along > LOST * norm(&r.requested).powi(2)
        };
        match requests.first() {
            Some(first) if !requests.iter().any(remains) => Err(AssemblyError::Lost {
                body: first.owner.clone(),
                quantity: first.quantity.name(),
                requested: first.text(&first.requested),
                assembled: first.text(&first.assembled),
            }),
            _ => Ok(()),
        }
    }

    fn of_pose(&self, index: usize, body: &Body, state: &BodyState, found: &mut Vec<Requested>) {
        let rigid = &self.system.bodies[index];
        let inner = state.frame;
        let r = inner.r * rigid.axes.transpose();
        let origin = inner.p - r * body.centre;
        if let Some(position) = body.start.position {
            let axes = (0..self.system.model.space.axes())
                .filter(|&k| !body.start.unrequested_position[k]);
            let (requested, assembled): (Vec<f64>, Vec<f64>) =
                axes.map(|k| (position[k], origin[k])).unzip();
            let difference = distance(&requested, &assembled) / self.system.length;
            push(found, body, Quantity::Position, (requested, assembled), difference);
        }
        match body.start.orientation {
            Some(orientation) if self.system.model.space == Space::Planar => {
                let (requested, assembled) = (orientation.angle(), state.angle);
                // Full turns are counted, but make no difference.
                let off = assembled - requested;
                let difference = (off - TAU * (off / TAU).round()).abs();
                let values = (vec![requested], vec![assembled]);
                push(found, body, Quantity::Orientation, values, difference);
            }
            Some(orientation) => {
                let difference = turned(&orientation, &r);
                let values = [orientation.rotation(), r].map(|r| rotation::vector(&r));
                let [requested, assembled] = values.map(|turn| turn.as_slice().to_vec());
                push(found, body, Quantity::Orientation, (requested, assembled), difference);
            }
            None => {}
        }
    }

    fn of_motion(&self, index: usize, body: &Body, state: &BodyState, found: &mut Vec<Requested>) {
        let rigid = &self.system.bodies[index];
        let own = state.frame.r * rigid.axes.transpose();
        let planar = self.system.model.space == Space::Planar;
        let (spin, axes) = (state.twist.w, self.system.model.space.axes());
        let velocity = state.twist.v - spin.cross(&(own * body.centre));
        if let Some(requested) = body.start.velocity {
            let part = |v: &Vector3<f64>| v.as_slice()[..axes].to_vec();
            push(found, body, Quantity::Velocity, (part(&requested), part(&velocity)), 0.0);
        }
        if let Some((requested, axes)) = body.start.angular_velocity {
            let requested = if axes == Axes::Body { own * requested } else { requested };
            let from = if planar { 2 } else { 0 };
            let part = |w: &Vector3<f64>| w.as_slice()[from..].to_vec();
            push(found, body, Quantity::AngularVelocity, (part(&requested), part(&spin)), 0.0);
        }
    }

    /// Start offsets other than the centre.
    fn of_offsets(&self, found: &mut Vec<Requested>) {
        let system = &self.system;
        let mut work = Workspace::new(system);
        evaluate::kinematics(system, StateAt::bare(0.0, 0.0, &self.q, &self.v), &mut work);
        for joint in &system.model.joints {
            if joint.clearance.is_none() || joint.start_offset == Vector3::zeros() {
                continue;
            }
            let held = components(joint);
            let (a, b) = (&work.markers[joint.a.0].frame, &work.markers[joint.b.0].frame);
            let assembled = a.r.tr_mul(&(b.p - a.p));
            let part = |d: &Vector3<f64>| held.clone().map(|k| d[k]).collect::<Vec<f64>>();
            let (requested, assembled) = (part(&joint.start_offset), part(&assembled));
            let difference = distance(&requested, &assembled) / system.length;
            let (owner, quantity) = (joint.name.clone(), Quantity::Offset);
            found.push(Requested { owner, quantity, requested, assembled, difference });
        }
    }

    /// Relative differences of velocities, for which all of them must be known.
    fn compare_velocities(&self, found: &mut [Requested]) {
        let length = self.system.length;
        let speed = |r: &Requested, v: &[f64]| match r.quantity {
            Quantity::AngularVelocity => length * norm(v),
            _ => norm(v),
        };
        let unit = |i: usize| self.system.unit_of_state(i);
        let moving = self.v.iter().enumerate().map(|(i, v)| v.abs() * length / unit(i));
        let asked = found.iter().filter(|r| r.quantity.is_velocity());
        let fastest = asked.map(|r| speed(r, &r.requested)).chain(moving).fold(0.0, f64::max);
        for request in found.iter_mut().filter(|r| r.quantity.is_velocity()) {
            let off = distance(&request.requested, &request.assembled);
            let unit = if request.quantity == Quantity::Velocity { 1.0 } else { length };
            if off * unit > SHOWN * fastest {
                let larger = norm(&request.requested).max(norm(&request.assembled));
                request.difference = off / larger;
            }
        }
    }
}

fn push(
    found: &mut Vec<Requested>,
    body: &Body,
    quantity: Quantity,
    (requested, assembled): (Vec<f64>, Vec<f64>),
    difference: f64,
) {
    found.push(Requested { owner: body.name.clone(), quantity, requested, assembled, difference });
}

/// Components of an offset that were requested: along directions that the joint leaves free only
/// where they are not zero.
fn components(joint: &Joint) -> std::ops::Range<usize> {
    let offset = &joint.start_offset;
    match joint.clearance.as_ref().map(|clearance| &clearance.form) {
        Some(Form::Pin) => 0..2,
        Some(Form::Guide { .. }) => usize::from(offset.x == 0.0)..2,
        _ if joint.kind == JointKind::Cylindrical && offset.z == 0.0 => 0..2,
        _ => 0..3,
    }
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
}

/// Angle between a requested orientation and an assembled one.
fn turned(requested: &Orientation, assembled: &nalgebra::Matrix3<f64>) -> f64 {
    rotation::vector(&requested.rotation().tr_mul(assembled)).norm()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        for (value, text) in [
            (3e-5, "3e-5"),
            (-3.1234567e-5, "-3.12346e-5"),
            (0.17, "0.17"),
            (-90.66, "-90.66"),
            (1000.0, "1000"),
            (2e8, "2e8"),
            (1e-14, "0"),
        ] {
            assert_eq!(rounded(value, 1.0), text);
        }
    }
}
