//! The line of a flexible link: its ends, axes and curvature without load.

use gudgeon::model::Space;
use nalgebra::{Matrix3, Vector3};

use crate::diagnostic::Diagnostic;
use crate::reader::{Context, Reader};
use crate::spec::bodies::BodySpec;
use crate::spec::shapes::Rod;
use crate::spec::solids::{self, Outline, is_along};
use crate::tree::Value;
use crate::turns::spatial_only;
use crate::units::Dimension;
use crate::values;
use crate::vectors::{self, numbers, split};

pub(super) struct Line {
    pub from: Vector3<f64>,
    pub to: Vector3<f64>,
    /// Section axes at its middle.
    pub axes: Matrix3<f64>,
    /// In section axes.
    pub curvature: Vector3<f64>,
}

/// Ends are those of the `rod` unless given; where a shape could not be read they are not asked for.
pub(super) fn read(
    cx: &mut Context<'_>,
    reader: &Reader<'_>,
    shaped: bool,
    rod: Option<&Rod>,
    body: &BodySpec,
) -> Option<Line> {
    let [from, to] = [("from", 0), ("to", 1)].map(|(key, i)| match (reader.text(cx, key), rod) {
        (Some(name), _) => body.place_of(cx, name),
        (None, Some(rod)) if reader.get(key).is_none() => Some(rod.ends[i]),
        _ if !shaped => reader.needed(cx, key).and(None),
        _ => None,
    });
    let curvature = curvature(cx, reader);
    let direction = match reader.get("across") {
        Some(node) if cx.is_spatial() => Some(vectors::axis(cx, "across", node)),
        _ => None,
    };
    if cx.space == Space::Planar {
        spatial_only(cx, reader, "across", "remove it: y of the section lies in the plane");
    }
    let (from, to) = (from?, to?);
    let chord = check_ends(cx, reader, from, to)?;
    let axes = axes(cx, reader, to - from, rod, direction)?;
    let curvature = curvature?;
    check_curvature(cx, reader, curvature, chord)?;
    Some(Line { from, to, axes, curvature })
}

/// The distance of the ends, which is not zero.
fn check_ends(
    cx: &mut Context<'_>,
    reader: &Reader<'_>,
    from: Vector3<f64>,
    to: Vector3<f64>,
) -> Option<f64> {
    let chord = (to - from).norm();
    if chord > 0.0 && chord.is_finite() {
        return Some(chord);
    }
    let place = reader.get("to").map_or(reader.span, |node| node.span);
    let (message, label) = match chord > 0.0 {
        true => ("the length of the flexible link is not a finite number", "far too long"),
        false => {
            ("the flexible link has no length: both ends are at one point", "same point as `from`")
        }
    };
    let diagnostic = Diagnostic::error("G0413", message).at(place, label);
    cx.report(diagnostic.help("`from` and `to` name frames at the two ends of the line"));
    None
}

/// Section axes as columns: x along the chord, and y or z as the file says.
fn axes(
    cx: &mut Context<'_>,
    reader: &Reader<'_>,
    line: Vector3<f64>,
    rod: Option<&Rod>,
    direction: Option<Option<Vector3<f64>>>,
) -> Option<Matrix3<f64>> {
    let x = line.normalize();
    if cx.space == Space::Planar {
        return Some(Matrix3::from_columns(&[x, Vector3::z().cross(&x), Vector3::z()]));
    }
    let side = rod.filter(|rod| matches!(rod.outline, Some(Outline::Rectangle { .. })));
    let (given, key) = match (side, direction) {
        (Some(_), Some(_)) => {
            reader.refuse(cx, "G0413", &["across"], "the sides of the box say where y and z point");
            return None;
        }
        (_, Some(direction)) => (direction?, "across"),
        (Some(rod), None) => (rod.side, "side"),
        (None, None) => (Vector3::z(), ""),
    };
    if !key.is_empty() && is_along(line, given) {
        let place = reader.get("across").map_or(reader.span, |node| node.span);
        let message = format!("`{key}` cannot point along the line of the flexible link");
        let diagnostic = Diagnostic::error("G0413", message).at(place, "parallel to the line");
        cx.report(diagnostic.help("take a direction across the line"));
        return None;
    }
    Some(if key == "across" {
        let y = solids::across(x, given);
        Matrix3::from_columns(&[x, y, x.cross(&y)])
    } else {
        let z = solids::across(x, given);
        Matrix3::from_columns(&[x, z.cross(&x), z])
    })
}

/// About z of the section, or about y and z.
fn curvature(cx: &mut Context<'_>, reader: &Reader<'_>) -> Option<Vector3<f64>> {
    let Some(node) = reader.get("curvature") else { return Some(Vector3::zeros()) };
    let several = match &node.value {
        Value::List(_) => true,
        _ => node.as_text().is_some_and(|text| split(text).len() > 1),
    };
    if !several {
        let about_z = values::quantity(cx, "curvature", node, Dimension::PER_LENGTH)?;
        return Some(Vector3::new(0.0, 0.0, about_z));
    }
    if cx.space == Space::Planar {
        let message = "the `curvature` of a planar link is one value, that about z";
        let diagnostic = Diagnostic::error("G0107", message).at(node.span, "several given");
        cx.report(diagnostic.help("write \"0.01 1/m\", or `space = \"spatial\"` in `[model]`"));
        return None;
    }
    let [y, z] = numbers::<2>(cx, "curvature", node, Dimension::PER_LENGTH)?;
    Some(Vector3::new(0.0, y, z))
}

/// No circle of a smaller radius than half the chord goes through both ends.
fn check_curvature(
    cx: &mut Context<'_>,
    reader: &Reader<'_>,
    curvature: Vector3<f64>,
    chord: f64,
) -> Option<()> {
    if 0.5 * curvature.norm() * chord < 1.0 {
        return Some(());
    }
    let place = reader.get("curvature").map_or(reader.span, |node| node.span);
    let radius = values::shown(1.0 / curvature.norm(), Dimension::LENGTH);
    let message = "no arc of this curvature joins the ends of the flexible link";
    let label = format!(
        "a radius of {radius}, and the ends are {} apart",
        values::shown(chord, Dimension::LENGTH)
    );
    let limit = values::shown(2.0 / chord, Dimension::PER_LENGTH);
    let diagnostic = Diagnostic::error("G0413", message).at(place, label);
    cx.report(diagnostic.help(format!("stay below {limit}: half a circle")));
    None
}
