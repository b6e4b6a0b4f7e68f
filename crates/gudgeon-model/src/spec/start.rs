//! `[start]`: rough pose and velocity of bodies, and where a journal sits in its bearing.

use std::collections::{HashMap, HashSet};

use gudgeon::model::{Axes, Axial, Clearance, Form, Orientation, Start};
use nalgebra::Vector3;

use crate::diagnostic::Diagnostic;
use crate::keys::{Keys, Kind, optional, required};
use crate::reader::{At, Context, Reader, suggest};
use crate::source::Span;
use crate::spec::bodies::{BodySpec, GROUND};
use crate::spec::joints::JointSpec;
use crate::tree::{Name, Node};
use crate::turns::{self, QUATERNION, TURN, spatial_only};
use crate::units::Dimension;
use crate::values;
use crate::vectors::vector;

const START_BODY: Keys = Keys {
    about: "pose and velocity of a body's own axes; assembly makes them exact",
    keys: &[
        optional("x", Kind::Quantity(Dimension::LENGTH), "of the body's origin, in the plane"),
        optional("y", Kind::Quantity(Dimension::LENGTH), "of the body's origin, in the plane"),
        optional("angle", Kind::Quantity(Dimension::ANGLE), "of the body's axes, in the plane"),
        optional("at", Kind::Vector(Dimension::LENGTH), "position of the body's origin"),
        TURN,
        QUATERNION,
        optional("velocity", Kind::Vector(Dimension::SPEED), "of the body's origin"),
        optional(
            "angular_velocity",
            Kind::Either(&[SPIN, Kind::Triple(Dimension::ANGULAR_SPEED)]),
            "of the body; in space three components in world axes",
        ),
        optional(
            "body_rate",
            Kind::Triple(Dimension::ANGULAR_SPEED),
            "angular velocity in the body's own axes, in space",
        ),
    ],
};

const SPIN: Kind = Kind::Quantity(Dimension::ANGULAR_SPEED);

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
    pub offsets: HashMap<String, At<Vector3<f64>>>,
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
            cx.report(
                Diagnostic::error("G0801", message)
                    .at(name.span, "the ground")
                    .help("remove this line; the frames of `ground` say where things are"),
            );
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
            let message = format!("`{}` is neither a body nor a joint", name.text);
            let diagnostic = Diagnostic::error("G0112", message).at(name.span, "not known");
            let names = names.map(|name| name.text.as_str());
            cx.report_searched(diagnostic, || suggest(&name.text, names));
        }
    }
    start
}

fn body(cx: &mut Context<'_>, reader: &Reader<'_>) -> Start {
    let velocity = reader.vector(cx, "velocity").map(|velocity| velocity.value);
    let given = |key: &str| reader.get(key).is_some();
    let orientation = if turns::given(reader) { turns::read(cx, reader) } else { None };
    let position = reader.vector(cx, "at").map(|at| at.value);
    if cx.is_spatial() {
        refuse_planar_keys(cx, reader);
        let angular_velocity = rate(cx, reader);
        return Start { position, orientation, velocity, angular_velocity, ..Start::default() };
    }
    for key in ["x", "y"] {
        reader.not_both(cx, "at", key);
    }
    for key in ["turn", "quaternion"] {
        reader.not_both(cx, "angle", key);
    }
    spatial_only(cx, reader, "body_rate", "write `angular_velocity`");
    let mut value = |key, dimension| reader.quantity_in(cx, key, dimension).map(|v| v.value);
    let (x, y) = (value("x", Dimension::LENGTH), value("y", Dimension::LENGTH));
    let angle = value("angle", Dimension::ANGLE);
    let spin = value("angular_velocity", Dimension::ANGULAR_SPEED);
    let place = Vector3::new(x.unwrap_or(0.0), y.unwrap_or(0.0), 0.0);
    let alone = position.is_none();
    Start {
        position: position.or((given("x") || given("y")).then_some(place)),
        unrequested_position: [alone && !given("x"), alone && !given("y"), false],
        orientation: orientation.or(angle.map(Orientation::Angle)),
        velocity,
        angular_velocity: spin.map(|spin| (Vector3::z() * spin, Axes::World)),
    }
}

fn refuse_planar_keys(cx: &mut Context<'_>, reader: &Reader<'_>) {
    for (key, help) in [
        ("x", "write `at = \"10 mm, 0, 0\"`"),
        ("y", "write `at = \"0, 10 mm, 0\"`"),
        ("angle", "write `turn = \"30 deg about z\"`"),
    ] {
        if let Some((name, _)) = reader.entry(key) {
            let message = format!("`{key}` belongs to planar models");
            let diagnostic =
                Diagnostic::error("G0115", message).at(name.span, "the model is spatial");
            cx.report(diagnostic.help(help));
        }
    }
}

/// Angular velocity in world axes or in the body's own.
fn rate(cx: &mut Context<'_>, reader: &Reader<'_>) -> Option<(Vector3<f64>, Axes)> {
    reader.not_both(cx, "angular_velocity", "body_rate")?;
    let mut read = |key| vector(cx, key, reader.get(key)?, Dimension::ANGULAR_SPEED);
    let world = read("angular_velocity").map(|rate| (rate, Axes::World));
    world.or_else(|| read("body_rate").map(|rate| (rate, Axes::Body)))
}

fn offset(
    cx: &mut Context<'_>,
    owner: String,
    name: &Name,
    node: &Node,
    joint: &JointSpec<'_>,
) -> Option<At<Vector3<f64>>> {
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
    let across = match clearance.form {
        Form::Pin | Form::Journal { .. } => offset.value.xy().norm(),
        Form::Ball => offset.value.norm(),
        Form::Guide { .. } => offset.value.y.abs(),
    };
    let inside = check_inside(cx, name, offset.span, clearance, across);
    let axial = match &clearance.form {
        Form::Journal { axial, .. } => check_axial(cx, name, offset, axial),
        _ => Some(()),
    };
    inside.and(axial).map(|()| offset)
}

fn mm(metres: f64) -> String {
    format!("{} mm", values::rounded(1e3 * metres))
}

/// A journal at rest on the wall has no closing speed, which every contact law needs.
const INSIDE: f64 = 1.0 - 1e-9;

fn check_inside(
    cx: &mut Context<'_>,
    name: &Name,
    span: Span,
    clearance: &Clearance,
    across: f64,
) -> Option<()> {
    let rough = clearance.film.as_ref().filter(|film| film.hybrid).and_then(|film| film.roughness);
    if across < (clearance.radial - rough.unwrap_or(0.0)) * INSIDE {
        return Some(());
    }
    let (message, play) = match clearance.form {
        Form::Guide { .. } => ("the slider of `{}` starts outside its guide or on its wall", "gap"),
        Form::Ball => ("the ball of `{}` starts outside its socket or on its wall", "clearance"),
        _ => ("the journal of `{}` starts outside its bearing or on its wall", "clearance"),
    };
    let less = rough.map_or(String::new(), |height| format!(" less roughness {}", mm(height)));
    let label = format!("{} from the centre, {play} {}{less}", mm(across), mm(clearance.radial));
    let help = match clearance.form {
        Form::Guide { .. } => "make its component across the guide smaller than the gap",
        _ if rough.is_some() => "make the offset smaller than the clearance less the roughness",
        _ => "make the offset smaller than the radial clearance",
    };
    let message = message.replace("{}", &name.text);
    cx.report(Diagnostic::error("G0803", message).at(span, label).help(help));
    None
}

/// Along its axis a journal is as free as its bearing lets it be.
fn check_axial(
    cx: &mut Context<'_>,
    name: &Name,
    offset: At<Vector3<f64>>,
    axial: &Axial,
) -> Option<()> {
    let z = offset.value.z.abs();
    let (label, help) = match axial {
        Axial::Fixed if z > 0.0 => {
            (format!("{} along the axis, which is fixed", mm(z)), "write 0 for the third component")
        }
        Axial::Play { clearance, .. } if z >= clearance * INSIDE => (
            format!("{} along the axis, axial clearance {}", mm(z), mm(*clearance)),
            "make the third component smaller than the axial clearance",
        ),
        _ => return Some(()),
    };
    let message = format!("the journal of `{}` starts too far along its bearing", name.text);
    cx.report(Diagnostic::error("G0803", message).at(offset.span, label).help(help));
    None
}
