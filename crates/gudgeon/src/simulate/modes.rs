//! Whether the kept modes of links reach as far as impacts excite them.
//!
//! A contact of duration T excites what vibrates up to some 3/T.

use std::collections::BTreeMap;

use crate::results::{Impact, Warning};
use crate::system::System;

const REACH: f64 = 3.0;

pub(super) fn warnings(system: &System, impacts: &[Impact]) -> Vec<Warning> {
    let mut shortest: BTreeMap<usize, f64> = BTreeMap::new();
    for impact in impacts {
        if let Some(out) = impact.t_out.filter(|out| *out > impact.t) {
            let least = shortest.entry(impact.joint.0).or_insert(f64::INFINITY);
            *least = least.min(out - impact.t);
        }
    }
    let model = &system.model;
    let mut out = Vec::new();
    for link in &system.floating {
        let Some(basis) = &link.link.basis else { continue };
        let own = |joint: &usize| {
            let joint = &model.joints[*joint];
            [joint.a, joint.b].iter().any(|at| model.markers[at.0].body.0 == link.body + 1)
        };
        let hits = shortest.iter().filter(|(joint, _)| own(joint));
        let Some((joint, time)) = hits.min_by(|a, b| a.1.total_cmp(b.1)) else { continue };
        // Nothing is missing where all are kept.
        let Some(left) = basis.left.filter(|left| *left < REACH / time) else { continue };
        let name = &model.bodies[link.body + 1].name;
        out.push(Warning {
            code: "W0333",
            joint: name.clone(),
            message: format!(
                "contacts of joint `{}` last {time:.2e} s and excite the link up to {:.3e} Hz, and its modes from {left:.3e} Hz on are left out",
                model.joints[*joint].name,
                REACH / time
            ),
            help: "keep more `modes`, or leave the key out: forces of those impacts are those of a stiffer link".into(),
        });
    }
    out
}
