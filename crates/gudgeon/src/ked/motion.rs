//! The motion for those who show it: rigid poses with the vibration on top, at every step.

use nalgebra::Vector2;

use super::linkage::Link;
use super::outputs::moved;
use super::rigid::Reading;
use super::vibration::Vibration;
use super::{KedSpec, Linkage};
use crate::math::spatial::Frame;
use crate::model::Axes;
use crate::sensor::{Component, JointQuantity, PlaceQuantity, Source};
use crate::simulate::{MotionLayout, MotionPoint};
use crate::system::System;

/// Parts that a link is drawn in, at least: elements bend between their nodes.
const PARTS: usize = 8;

impl MotionLayout {
    /// Of a mechanism whose links vibrate about its rigid motion: they are lines with stations at their nodes and,
    /// where these are few, between them.
    pub fn of_vibration(system: &System, spec: &KedSpec) -> Self {
        let rigid = Self::new(system);
        match Linkage::new(&system.model, spec) {
            Ok(linkage) => with_lines(rigid, &linkage),
            Err(_) => rigid,
        }
    }
}

fn with_lines(rigid: MotionLayout, linkage: &Linkage) -> MotionLayout {
    let lines = linkage.links.iter().map(|link| (link.body, stations(link))).collect();
    rigid.with_lines(lines)
}

fn stations(link: &Link) -> Vec<f64> {
    let parts = PARTS.div_ceil(link.nodes.len().max(2) - 1);
    let inside = |ends: &[f64]| {
        let (from, to) = (ends[0], ends[1]);
        (0..parts).map(move |i| from + (to - from) * i as f64 / parts as f64)
    };
    link.nodes.windows(2).flat_map(inside).chain(link.nodes.last().copied()).collect()
}

/// Where the rigid motion stands in a row, and the point that is made of it.
pub struct Shown {
    layout: MotionLayout,
    /// Of bodies, then of lines: x, y and angle of their own axes.
    poses: Vec<[usize; 3]>,
    /// Of joints: force on the second side.
    forces: Vec<[usize; 2]>,
    pub point: MotionPoint,
}

impl Shown {
    pub fn new(system: &System, linkage: &Linkage, reading: &mut Reading) -> Self {
        let layout = with_lines(MotionLayout::new(system), linkage);
        let lines = layout.lines.iter().map(|(body, _)| body);
        let place = [
            PlaceQuantity::Position(Component::X),
            PlaceQuantity::Position(Component::Y),
            PlaceQuantity::Angle,
        ];
        let poses = layout.bodies.iter().chain(lines).map(|body| {
            place.map(|quantity| reading.add(Source::Place(*body, Frame::identity(), quantity)))
        });
        let poses: Vec<_> = poses.collect();
        let forces = (0..layout.joints).map(|joint| {
            [Component::X, Component::Y]
                .map(|c| reading.add(Source::Joint(joint, JointQuantity::Reaction(c, Axes::World))))
        });
        let forces = forces.collect();
        let point = MotionPoint {
            poses: Vec::with_capacity(layout.tolerances.len()),
            forces: Vec::with_capacity(2 * layout.joints),
            journals: Vec::new(),
        };
        Self { layout, poses, forces, point }
    }

    /// Fills in the point of this row.
    pub fn read(&mut self, vibration: &Vibration, row: &[f64]) {
        let Self { layout, poses, forces, point } = self;
        point.poses.clear();
        point.forces.clear();
        let (bodies, lines) = poses.split_at(layout.bodies.len());
        for (body, at) in layout.bodies.iter().zip(bodies) {
            let [x, y, angle] = at.map(|i| row[i]);
            let (u, turn) = moved(vibration, *body, Vector2::zeros())[0];
            point.poses.extend([x + u.x, y + u.y, angle + turn]);
        }
        for ((body, stations), at) in layout.lines.iter().zip(lines) {
            let [x, y, angle] = at.map(|i| row[i]);
            let link = vibration.linkage.link_of[*body];
            let Some(link) = link.map(|number| &vibration.linkage.links[number]) else { continue };
            let (along, (s, c)) = (link.along, angle.sin_cos());
            for station in stations {
                let place = link.from + along * (station * link.length);
                let (u, turn) = moved(vibration, *body, place)[0];
                point.poses.extend([
                    x + c * place.x - s * place.y + u.x,
                    y + s * place.x + c * place.y + u.y,
                    angle + along.y.atan2(along.x) + turn,
                ]);
            }
        }
        point.forces.extend(forces.iter().flatten().map(|i| row[*i]));
    }
}
