//! Numbers so large or small that their squares are not finite, or nothing.

use super::AssemblyError;
use crate::model::Model;
use crate::system::System;
use crate::system::compile::Widest;

/// Sizes, masses and inertias whose squares and products can be computed with, SI.
pub(super) const COMPUTABLE: std::ops::Range<f64> = 1e-50..1e50;

/// Refuses a size, a start, a mass or an inertia that cannot be computed with.
pub(super) fn check_ranges(system: &System) -> Result<(), AssemblyError> {
    let model = &system.model;
    if !COMPUTABLE.contains(&system.length) {
        return Err(size(model, system.length));
    }
    for (rigid, body) in system.bodies.iter().zip(&model.bodies[1..]) {
        let away = body.start.position.map_or(0.0, |position| position.amax());
        if away >= COMPUTABLE.end {
            return Err(AssemblyError::OutOfRange {
                owner: body.name.clone(),
                key: "start".to_owned(),
                what: format!("body `{}` starts at a distance of", body.name),
                value: away,
                unit: "m",
            });
        }
        let translations = rigid.formulation.lengths();
        for i in 0..rigid.formulation.velocities() {
            let value = 1.0 / rigid.inverse[i];
            if COMPUTABLE.contains(&value) {
                continue;
            }
            let (key, unit) = if i < translations { ("mass", "kg") } else { ("inertia", "kg m²") };
            return Err(AssemblyError::OutOfRange {
                owner: body.name.clone(),
                key: key.to_owned(),
                what: format!("the {key} of body `{}` is", body.name),
                value,
                unit,
            });
        }
    }
    Ok(())
}

/// A size of the mechanism that is out of range, with what it is measured on.
fn size(model: &Model, size: f64) -> AssemblyError {
    let (owner, key, what, across) = match Widest::of(model).1 {
        Widest::Nothing => (String::new(), String::new(), "the mechanism".to_owned(), size),
        Widest::Bearing(id) => {
            let joint = model.joints[id.0].name.clone();
            let what = format!("the bearing of `{joint}`");
            (joint, "clearance".to_owned(), what, size)
        }
        Widest::Body { body, marker } => {
            let owner = model.bodies[body].name.clone();
            let marker = marker.map(|marker| &model.markers[marker]);
            // Squares of such lengths are not finite.
            let across = marker.map_or(size, |marker| marker.local.p.amax());
            match marker.and_then(|marker| marker.name.as_ref()) {
                Some(frame) => {
                    let what = format!("frame `{frame}` of body `{owner}`");
                    (owner, format!("frames.{frame}"), what, across)
                }
                None => {
                    let what = format!("body `{owner}`");
                    (owner, "centre".to_owned(), what, across)
                }
            }
        }
    };
    let value = if size.is_finite() { size } else { across };
    let what = format!("{what} gives the mechanism a size of");
    AssemblyError::OutOfRange { owner, key, what, value, unit: "m" }
}
