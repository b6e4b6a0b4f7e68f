//! The size of a mechanism, by which lengths are judged.

use crate::model::{JointId, Model};

/// Of bodies with more markers than this the size is taken from the box around them.
const MANY: usize = 1000;

pub(super) fn size_of(model: &Model) -> f64 {
    Widest::of(model).0
}

/// What the size of a mechanism is measured on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Widest {
    /// A body, and its outermost marker where that is known.
    Body {
        body: usize,
        marker: Option<usize>,
    },
    Bearing(JointId),
    Nothing,
}

impl Widest {
    /// The largest distance between markers of one body or of the ground, and at least from their
    /// centre, or the largest bearing; 1 m where all lies in one point.
    pub fn of(model: &Model) -> (f64, Self) {
        let mut by_body: Vec<Vec<(nalgebra::Vector3<f64>, Option<usize>)>> =
            model.bodies.iter().map(|body| vec![(body.centre, None)]).collect();
        for (i, marker) in model.markers.iter().enumerate() {
            by_body[marker.body.0].push((marker.local.p, Some(i)));
        }
        let mut widest = (0.0f64, Self::Nothing);
        for (body, places) in by_body.iter().enumerate() {
            if places.len() > MANY {
                let first = (places[0].0, places[0].0);
                let (low, high) =
                    places[1..].iter().fold(first, |(low, high), (p, _)| (low.inf(p), high.sup(p)));
                let size = (high - low).norm();
                if size > widest.0 {
                    widest = (size, Self::Body { body, marker: None });
                }
                continue;
            }
            for (i, a) in places.iter().enumerate() {
                for b in &places[..i] {
                    let size = (a.0 - b.0).norm();
                    if size > widest.0 {
                        let outer = if a.0.norm() >= b.0.norm() { a } else { b };
                        widest = (size, Self::Body { body, marker: outer.1 });
                    }
                }
            }
        }
        for (i, joint) in model.joints.iter().enumerate() {
            let radius = joint.clearance.as_ref().map_or(0.0, |clearance| clearance.bearing_radius);
            if radius > widest.0 {
                widest = (radius, Self::Bearing(JointId(i)));
            }
        }
        if widest.0 > 0.0 { widest } else { (1.0, Self::Nothing) }
    }
}
