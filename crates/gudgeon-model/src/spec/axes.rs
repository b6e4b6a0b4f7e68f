//! `axis`, `along`, `second_axis`: where the axes of a joint or force point.
//!
//! The core turns about z and slides along x of the markers, and a universal joint takes x of the
//! first and y of the second. Another axis turns the markers by the least rotation that takes the
//! usual axis there, both sides alike, so that the joint's zero stays where the frames put it.

use gudgeon::math::rotation;
use gudgeon::math::spatial::Frame;
use gudgeon::model::{JointKind, Space};
use nalgebra::{Matrix3, Vector3};

use crate::diagnostic::Diagnostic;
use crate::reader::{Context, Reader, choice};

/// Rotations of the first and the second marker; `None` where a marker stays as it is.
pub(crate) type Turned = [Option<Matrix3<f64>>; 2];

/// The keys that joints of a kind may have.
fn keys_of(kind: JointKind) -> &'static [&'static str] {
    match kind {
        JointKind::Revolute
        | JointKind::Cylindrical
        | JointKind::Planar
        | JointKind::Screw { .. }
        | JointKind::PointOnPlane => &["axis"],
        JointKind::Prismatic | JointKind::PointOnLine => &["along"],
        JointKind::Universal => &["axis", "second_axis"],
        JointKind::Spherical | JointKind::Fixed | JointKind::Distance { .. } => &[],
    }
}

/// Reads the axes of a joint; those of a joint whose kind is not known stay unread.
pub(crate) fn of_joint(
    cx: &mut Context<'_>,
    reader: &Reader<'_>,
    kind: Option<JointKind>,
) -> Turned {
    let Some(kind) = kind else { return [None; 2] };
    if cx.space == Space::Planar {
        let _ = planar_axis(cx, reader);
    }
    for key in ["axis", "along", "second_axis"] {
        let is_planar_z = key == "axis" && cx.space == Space::Planar;
        if !keys_of(kind).contains(&key) && !is_planar_z {
            refuse(cx, reader, key);
        }
    }
    match keys_of(kind) {
        ["axis"] if cx.is_spatial() => both(about_z(cx, reader, "axis")),
        ["along"] => both(along(cx, reader)),
        ["axis", "second_axis"] => pins(cx, reader),
        _ => [None; 2],
    }
}

/// Pins that are square in their frames turn both markers alike, so that parallel frames mean zero.
fn pins(cx: &mut Context<'_>, reader: &Reader<'_>) -> Turned {
    let mut pin = |key: &str, usual| match reader.get(key) {
        Some(_) => reader.axis(cx, key),
        None => Some(usual),
    };
    let (first, second) = (pin("axis", Vector3::x()), pin("second_axis", Vector3::y()));
    let (Some(first), Some(second)) = (first, second) else { return [None; 2] };
    if (first, second) == (Vector3::x(), Vector3::y()) {
        return [None; 2];
    }
    if first.dot(&second).abs() < 1e-9 {
        let third = first.cross(&second).normalize();
        return both(Some(Matrix3::from_columns(&[first, third.cross(&first), third])));
    }
    let turn = |usual: Vector3<f64>, axis| Some(rotation::between(&usual, &axis, &Vector3::z()));
    [turn(Vector3::x(), first), turn(Vector3::y(), second)]
}

fn both(turn: Option<Matrix3<f64>>) -> Turned {
    [turn; 2]
}

/// The rotation that takes z to `axis`; in the plane there is only z.
pub(crate) fn about_z(
    cx: &mut Context<'_>,
    reader: &Reader<'_>,
    key: &str,
) -> Option<Matrix3<f64>> {
    if cx.space == Space::Planar {
        planar_axis(cx, reader)?;
        return None;
    }
    turned(cx, reader, key, Vector3::z(), Vector3::x())
}

fn planar_axis(cx: &mut Context<'_>, reader: &Reader<'_>) -> Option<()> {
    choice(cx, "axis", reader.get("axis")?, &["z"]).map(|_| ())
}

fn along(cx: &mut Context<'_>, reader: &Reader<'_>) -> Option<Matrix3<f64>> {
    if cx.is_spatial() {
        return turned(cx, reader, "along", Vector3::x(), Vector3::z());
    }
    let along = reader.axis(cx, "along")?;
    let angle = along.y.atan2(along.x);
    (angle != 0.0).then(|| Frame::planar(0.0, 0.0, angle).r)
}

fn turned(
    cx: &mut Context<'_>,
    reader: &Reader<'_>,
    key: &str,
    usual: Vector3<f64>,
    spare: Vector3<f64>,
) -> Option<Matrix3<f64>> {
    let axis = reader.axis(cx, key)?;
    (axis != usual).then(|| rotation::between(&usual, &axis, &spare))
}

fn refuse(cx: &mut Context<'_>, reader: &Reader<'_>, key: &str) {
    let Some((name, _)) = reader.entry(key) else { return };
    let (message, label) = match key {
        "along" => ("does not slide", "only for prismatic and point-on-line joints"),
        "second_axis" => ("has no second axis", "only for universal joints"),
        _ => (
            "has no `axis`",
            "only for revolute, cylindrical, planar, screw, point-on-plane and universal joints",
        ),
    };
    let diagnostic = Diagnostic::error("G0509", format!("{} {message}", reader.owner))
        .at(name.span, label)
        .help(format!("remove `{key}`, or change `type`"));
    cx.report(diagnostic);
}
