//! Rotations: `turn` about an axis or several in order, and `quaternion`.
//!
//!   R = R(u₁, φ₁) R(u₂, φ₂) …                                              (1)
//!
//! Each turn of a list is about axes that the ones before have turned already. In the plane every
//! turn is about z and the angles add up, over full turns.

use gudgeon::model::{Orientation, Space};
use nalgebra::{Matrix3, Quaternion, Rotation3, Unit, UnitQuaternion, Vector3};

use crate::diagnostic::Diagnostic;
use crate::keys::{Key, Kind, optional};
use crate::reader::{Context, Reader, wrong_kind};
use crate::tree::{Node, Value};
use crate::units::Dimension;
use crate::values::{self, Piece, quantity_of};
use crate::vectors::{around, axis_of, numbers};

const ONE: Kind = Kind::Varies("30 deg about z");

pub(crate) const TURN: Key = optional(
    "turn",
    Kind::Either(&[ONE, Kind::List(&ONE)]),
    "rotation of the axes, as \"30 deg about z\", or several in order; in the plane an angle",
);
pub(crate) const QUATERNION: Key = optional(
    "quaternion",
    Kind::List(&Kind::Number),
    "rotation of the axes instead of `turn`, as [w, x, y, z] of length 1",
);

/// Largest difference of a quaternion's length from 1.
const TOLERANCE: f64 = 1e-6;

pub(crate) fn given(reader: &Reader<'_>) -> bool {
    reader.get("turn").is_some() || reader.get("quaternion").is_some()
}

/// Reads `turn` or `quaternion`; one of them must be given.
pub(crate) fn read(cx: &mut Context<'_>, reader: &Reader<'_>) -> Option<Orientation> {
    reader.not_both(cx, "turn", "quaternion")?;
    match (reader.get("turn"), reader.get("quaternion")) {
        (Some(node), _) => turn(cx, node),
        (None, Some(node)) => quaternion(cx, reader, node),
        (None, None) => None,
    }
}

fn turn(cx: &mut Context<'_>, node: &Node) -> Option<Orientation> {
    let nodes = match &node.value {
        Value::List(nodes) => nodes.as_slice(),
        _ => std::slice::from_ref(node),
    };
    let turns: Vec<Option<(f64, Vector3<f64>)>> = nodes.iter().map(|node| one(cx, node)).collect();
    let turns: Vec<(f64, Vector3<f64>)> = turns.into_iter().collect::<Option<_>>()?;
    Some(match cx.space {
        Space::Planar => Orientation::Angle(turns.iter().map(|(angle, axis)| angle * axis.z).sum()),
        Space::Spatial => Orientation::Rotation(
            turns.iter().fold(Matrix3::identity(), |r, (angle, axis)| r * about(*axis, *angle)), // (1)
        ),
    })
}

/// The rotation by an angle about a direction of length one.
pub(crate) fn about(axis: Vector3<f64>, angle: f64) -> Matrix3<f64> {
    Rotation3::from_axis_angle(&Unit::new_unchecked(axis), angle).into_inner()
}

/// An angle and its axis.
fn one(cx: &mut Context<'_>, node: &Node) -> Option<(f64, Vector3<f64>)> {
    if let Some((angle, axis)) = around(node, " about ") {
        let angle = quantity_of(cx, "turn", angle, Dimension::ANGLE);
        let axis = match cx.space {
            Space::Planar => planar_axis(cx, axis),
            Space::Spatial => axis_of(cx, "turn", axis),
        };
        return Some((angle?, axis?));
    }
    if cx.space == Space::Planar {
        return Some((values::quantity(cx, "turn", node, Dimension::ANGLE)?, Vector3::z()));
    }
    if matches!(node.value, Value::Text { .. } | Value::Number { .. }) {
        let diagnostic = Diagnostic::error("G0114", "a `turn` in space needs its axis")
            .at(node.span, "about which axis?")
            .help("write \"30 deg about z\"; the axis is `x`, `y`, `z` or a vector");
        cx.report(diagnostic);
    } else {
        wrong_kind(cx, "`turn`", node, "a text such as \"30 deg about z\"");
    }
    None
}

fn planar_axis(cx: &mut Context<'_>, axis: Piece<'_>) -> Option<Vector3<f64>> {
    match axis.text {
        "z" | "+z" => Some(Vector3::z()),
        "-z" => Some(-Vector3::z()),
        other => {
            let message = format!("bodies in the plane do not turn about `{other}`");
            let diagnostic = Diagnostic::error("G0114", message)
                .at(axis.whole_span(), "only about `z`")
                .help("give the angle alone, or write `space = \"spatial\"`");
            cx.report(diagnostic);
            None
        }
    }
}

fn quaternion(cx: &mut Context<'_>, reader: &Reader<'_>, node: &Node) -> Option<Orientation> {
    if cx.space == Space::Planar {
        spatial_only(cx, reader, "quaternion", "write `turn` with an angle");
        return None;
    }
    let parts = numbers::<4>(cx, "quaternion", node, Dimension::NUMBER)?;
    let length = parts.iter().fold(0.0_f64, |length, part| length.hypot(*part));
    if (length - 1.0).abs() > TOLERANCE {
        let message = "a quaternion of a rotation has length 1";
        let diagnostic = Diagnostic::error("G0114", message)
            .at(node.span, format!("its length is {}", values::rounded(length)));
        let [w, x, y, z] = parts.map(|part| (part / length * 1e9).round() / 1e9 + 0.0);
        cx.report(if length > 0.0 && length.is_finite() {
            diagnostic.help(format!("write [{w}, {x}, {y}, {z}]"))
        } else {
            diagnostic.help("no turn is [1, 0, 0, 0]; the order is w, x, y, z")
        });
        return None;
    }
    let [w, x, y, z] = parts;
    let unit = UnitQuaternion::from_quaternion(Quaternion::new(w, x, y, z));
    Some(Orientation::Rotation(unit.to_rotation_matrix().into_inner()))
}

/// Refuses a key that planar models do not know.
pub(crate) fn spatial_only(cx: &mut Context<'_>, reader: &Reader<'_>, key: &str, instead: &str) {
    if let Some((name, _)) = reader.entry(key) {
        let message = format!("`{key}` of {} matters in space only", reader.owner);
        let diagnostic = Diagnostic::error("G0115", message)
            .at(name.span, "the model is planar")
            .help(format!("{instead}, or write `space = \"spatial\"` in `[model]`"));
        cx.report(diagnostic);
    }
}
