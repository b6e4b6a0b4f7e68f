//! The whole state of a mechanism, for telling whether it repeats.
//!
//! An output alone may swing by far more than the play of a joint and hide what happens there. The
//! state has positions, directions and velocities of all bodies, and where each journal stands in its
//! bearing. Turns are told by directions, which come back after a revolution.

use std::f64::consts::TAU;

use gudgeon::math::rotation;
use gudgeon::model::{Axial, Form, Joint, Model, Space, Tilt};
use gudgeon::sensor::{Sensor, resolve};

/// Scales are at least these parts of the mechanism's size or speed: its motion is not computed more
/// exactly. A journal's place follows from fewer numbers than a body's.
const FLOOR: f64 = 1e-2;
const PLAY_FLOOR: f64 = 1e-4;

/// What to read of a mechanism, and what it means.
#[derive(Clone, Debug)]
pub struct WholeState {
    pub sensors: Vec<Sensor>,
    parts: Vec<Part>,
    /// Largest distance within a body, m.
    reach: f64,
}

/// What one sensor, or four of them, read.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Part {
    Position,
    Velocity,
    Spin,
    /// Of a body in the plane.
    Angle,
    /// Of a body in space; four sensors.
    Quaternion,
    /// A journal in its bearing, with so much play, m.
    Play(f64),
}

impl WholeState {
    pub fn of(model: &Model) -> Self {
        let points = model.markers.iter().map(|marker| marker.local.p);
        let points = points.chain(model.bodies.iter().map(|body| body.centre));
        let reach = points.map(|p| p.norm()).fold(0.0, f64::max);
        let mut state = Self { sensors: Vec::new(), parts: Vec::new(), reach };
        let (axes, turning): (&[&str], _) = match model.space {
            Space::Planar => (&[".x", ".y"], Part::Angle),
            Space::Spatial => (&[".x", ".y", ".z"], Part::Quaternion),
        };
        for body in &model.bodies[1..] {
            for axis in axes {
                state.read(model, Part::Position, &[format!("{}.position{axis}", body.name)]);
                state.read(model, Part::Velocity, &[format!("{}.velocity{axis}", body.name)]);
            }
            let spin = format!("{}.angular_velocity", body.name);
            let name = |what: &str| format!("{}.{what}", body.name);
            match turning {
                Part::Angle => {
                    state.read(model, Part::Angle, &[name("angle")]);
                    state.read(model, Part::Spin, &[spin]);
                }
                _ => {
                    let four = ["w", "x", "y", "z"].map(|c| name(&format!("orientation.{c}")));
                    state.read(model, Part::Quaternion, &four);
                    axes.iter().for_each(|axis| {
                        state.read(model, Part::Spin, &[format!("{spin}{axis}")]);
                    });
                }
            }
        }
        for joint in &model.joints {
            for (name, play) in plays(joint) {
                state.read(model, Part::Play(play), &[name]);
            }
        }
        state
    }

    fn read(&mut self, model: &Model, part: Part, names: &[String]) {
        let found: Option<Vec<Sensor>> = names.iter().map(|n| resolve(model, n).ok()).collect();
        if let Some(found) = found {
            self.sensors.extend(found);
            self.parts.push(part);
        }
    }

    /// The components of the state from the values of the sensors.
    pub fn components(&self, values: &[f64]) -> Vec<f64> {
        let (mut out, mut rest) = (Vec::new(), values);
        for part in &self.parts {
            let (own, others) = rest.split_at(if *part == Part::Quaternion { 4 } else { 1 });
            rest = others;
            match part {
                Part::Angle => out.extend([own[0].cos(), own[0].sin()]),
                Part::Quaternion => out.extend(rotation::matrix(own).iter()),
                _ => out.push(own[0]),
            }
        }
        out
    }

    /// What each component is measured by: the play of a joint, and else how far its values lie apart.
    /// `period` is the time between two states.
    pub fn scales(&self, states: &[Vec<f64>], period: f64) -> Vec<f64> {
        let parts = self.part_of_each();
        let spread = |i: usize| {
            let ends = states.iter().fold((f64::MAX, f64::MIN), |(low, high), state| {
                (low.min(state[i]), high.max(state[i]))
            });
            (ends.1 - ends.0).max(0.0)
        };
        let largest = |wanted: Part| {
            let own = (0..parts.len()).filter(|i| parts[*i] == wanted);
            let all = own.flat_map(|i| states.iter().map(move |state| state[i].abs()));
            all.fold(0.0, f64::max)
        };
        let size = if self.reach > 0.0 { self.reach } else { 1.0 };
        let speed = largest(Part::Velocity).max(size * TAU / period);
        let spin = largest(Part::Spin).max(TAU / period);
        let scale = |(i, part): (usize, &Part)| match part {
            Part::Position => spread(i).max(FLOOR * size),
            Part::Velocity => spread(i).max(FLOOR * speed),
            Part::Spin => spread(i).max(FLOOR * spin),
            Part::Angle | Part::Quaternion => spread(i).max(FLOOR),
            Part::Play(play) => play.max(PLAY_FLOOR * size),
        };
        parts.iter().enumerate().map(scale).collect()
    }

    fn part_of_each(&self) -> Vec<Part> {
        let width = |part: &Part| match part {
            Part::Angle => 2,
            Part::Quaternion => 9,
            _ => 1,
        };
        self.parts.iter().flat_map(|part| std::iter::repeat_n(*part, width(part))).collect()
    }
}

/// Outputs that tell where a journal stands, and how far it may go.
fn plays(joint: &Joint) -> Vec<(String, f64)> {
    let Some(clearance) = &joint.clearance else { return Vec::new() };
    let all: &[&str] = match clearance.form {
        Form::Pin | Form::Journal { tilt: Tilt::Fixed, .. } => {
            &["eccentricity.x", "eccentricity.y"]
        }
        Form::Ball => &["eccentricity.x", "eccentricity.y", "eccentricity.z"],
        Form::Guide { .. } => &["eccentricity.y"],
        Form::Journal { .. } => {
            &["V.eccentricity.x", "V.eccentricity.y", "W.eccentricity.x", "W.eccentricity.y"]
        }
    };
    let name = |what: &str| format!("{}.{what}", joint.name);
    let mut plays: Vec<_> = all.iter().map(|what| (name(what), clearance.radial)).collect();
    if let Form::Journal { axial: Axial::Play { clearance, .. }, .. } = clearance.form {
        plays.push((name("axial_displacement"), clearance));
    }
    plays
}
