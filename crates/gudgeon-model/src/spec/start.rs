//! `[start]`: rough pose and velocity of bodies, and where a journal sits in its bearing.

use std::collections::{HashMap, HashSet};

use gudgeon::model::Start;

use crate::diagnostic::Diagnostic;
use crate::keys::{Keys, Kind, optional, required};
use crate::reader::{At, Context, Reader, suggest};
use crate::spec::bodies::{BodySpec, GROUND};
use crate::spec::joints::JointSpec;
use crate::tree::{Name, Node};
use crate::units::Dimension;
use crate::values;

const START_BODY: Keys = Keys {
    about: "pose and velocity of a body's own axes; assembly makes them exact",
    keys: &[
        optional("x", Kind::Quantity(Dimension::LENGTH), "position of the body's origin"),
        optional("y", Kind::Quantity(Dimension::LENGTH), "position of the body's origin"),
        optional("angle", Kind::Quantity(Dimension::ANGLE), "of the body's axes"),
        optional("velocity", Kind::Vector(Dimension::SPEED), "of the body's origin"),
        optional("angular_velocity", Kind::Quantity(Dimension::ANGULAR_SPEED), "of the body"),
    ],
};

const START_JOINT: Keys = Keys {
    about: "a clearance joint that does not start centred",
    keys: &[required(
        "offset",
        Kind::Vector(Dimension::LENGTH),
        "of the journal's centre from the bearing's, in axes of the first frame",
    )],
};

pub(crate) const START: Kind =
    Kind::Named(&Kind::Either(&[Kind::Table(&START_BODY), Kind::Table(&START_JOINT)]));

#[derive(Default)]
pub(crate) struct StartSpec {
    pub bodies: HashMap<String, Start>,
    /// Offsets of journals, by joint.
    pub offsets: HashMap<String, At<[f64; 2]>>,
}

pub(crate) fn read(
    cx: &mut Context<'_>,
    entries: &[(Name, Node)],
    bodies: &[BodySpec],
    joints: &[JointSpec<'_>],
) -> StartSpec {
    let mut start = StartSpec::default();
    let body_names: HashSet<&str> = bodies.iter().map(|body| body.name.text.as_str()).collect();
    let joint_of: HashMap<&str, &JointSpec<'_>> =
        joints.iter().map(|joint| (joint.name.text.as_str(), joint)).collect();
    for (name, node) in entries {
        let owner = format!("start of `{}`", name.text);
        if name.text == GROUND {
            let message = "`ground` has no start: it never moves";
            cx.report(Diagnostic::error("G0801", message).at(name.span, "remove this"));
        } else if body_names.contains(name.text.as_str()) {
            if let Some(reader) = Reader::open(cx, owner, name.span, node, &START_BODY) {
                start.bodies.insert(name.text.clone(), body(cx, &reader));
            }
        } else if let Some(joint) = joint_of.get(name.text.as_str()) {
            if let Some(offset) = offset(cx, owner, name, node, joint) {
                start.offsets.insert(name.text.clone(), offset);
            }
        } else {
            let names = bodies.iter().map(|body| &body.name).chain(joints.iter().map(|j| &j.name));
            let help = suggest(&name.text, names.map(|name| name.text.as_str()));
            let message = format!("`{}` is neither a body nor a joint", name.text);
            cx.report(Diagnostic::error("G0112", message).at(name.span, "not known").help(help));
        }
    }
    start
}

fn body(cx: &mut Context<'_>, reader: &Reader<'_>) -> Start {
    let mut value = |key| reader.quantity(cx, key).map(|value| value.value);
    let (x, y, angle) = (value("x"), value("y"), value("angle"));
    let angular_velocity = value("angular_velocity");
    let velocity = reader.vector(cx, "velocity").map(|velocity| velocity.value);
    Start {
        x,
        y,
        angle,
        velocity_x: velocity.map(|[x, _]| x),
        velocity_y: velocity.map(|[_, y]| y),
        angular_velocity,
    }
}

fn offset(
    cx: &mut Context<'_>,
    owner: String,
    name: &Name,
    node: &Node,
    joint: &JointSpec<'_>,
) -> Option<At<[f64; 2]>> {
    let reader = Reader::open(cx, owner, name.span, node, &START_JOINT)?;
    let offset = reader.vector(cx, "offset")?;
    if !joint.loose {
        let message = format!("joint `{}` has no clearance to be offset in", name.text);
        let diagnostic = Diagnostic::error("G0802", message)
            .at(offset.span, "an ideal joint starts closed")
            .help("add a `clearance` table to the joint, or remove the offset");
        cx.report(diagnostic);
        return None;
    }
    let Some(clearance) = &joint.clearance else { return Some(offset) };
    let distance = offset.value[0].hypot(offset.value[1]);
    // A journal at rest on the wall has no closing speed, which every contact law needs.
    if distance >= clearance.radial * (1.0 - 1e-9) {
        let message =
            format!("the journal of `{}` starts outside its bearing or on its wall", name.text);
        let label = format!(
            "{} mm from the centre, clearance {} mm",
            values::rounded(1e3 * distance),
            values::rounded(1e3 * clearance.radial)
        );
        let help = "make the offset smaller than the radial clearance";
        cx.report(Diagnostic::error("G0803", message).at(offset.span, label).help(help));
        return None;
    }
    Some(offset)
}
