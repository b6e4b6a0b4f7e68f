//! `[model]`: name, space, gravity, coordinates.

use gudgeon::model::{BodyCoordinates, Coordinates, Space};
use nalgebra::Vector3;

use crate::diagnostic::Diagnostic;
use crate::expr;
use crate::keys::{Keys, Kind, optional};
use crate::reader::{Context, Reader};
use crate::source::Span;
use crate::spec::coordinates;
use crate::spec::dh::{self, Convention};
use crate::spec::flexible::{METHODS, method};
use crate::tree::{Node, Value};
use crate::units::Dimension;
use crate::values::{quantity, quantity_of};
use crate::vectors::{around, direction, split, vector};

pub(crate) const MODEL: Keys = Keys {
    about: "what the mechanism is and where it lives",
    keys: &[
        optional("name", Kind::Text, "a title"),
        optional("about", Kind::Text, "a description"),
        optional(
            "space",
            Kind::Choice(&["planar", "spatial"]),
            "planar: x right, y up; spatial: x, y and z; planar unless given",
        ),
        optional(
            "gravity",
            Kind::Either(&[
                Kind::Varies("9.81 m/s^2 along -y"),
                Kind::Vector(Dimension::ACCELERATION),
            ]),
            "acceleration of free fall; none unless given",
        ),
        optional(
            "coordinates",
            coordinates::OF_MODEL,
            "of all bodies in space that give none: position and quaternion (absolute) unless given; or of the joints that carry the bodies (joint), or the cheaper of the two (auto)",
        ),
        optional(
            "dh",
            dh::CONVENTION,
            "what the rows of Denavit and Hartenberg in `dh` of joints mean: standard or modified (Craig); required where there are any",
        ),
        optional(
            "flexible",
            Kind::Choice(METHODS),
            "formulation of all flexible links in place of their own `method`; keys of others are left aside",
        ),
    ],
};

#[derive(Debug, Default)]
pub(crate) struct ModelSpec {
    pub name: Option<String>,
    pub gravity: Vector3<f64>,
    pub coordinates: BodyCoordinates,
    pub motion_in: Coordinates,
    /// Whether absolute coordinates are taken where they are cheaper.
    pub cheaper: bool,
    /// Where joint coordinates are asked for.
    pub in_joints: Option<Span>,
    /// Of rows of Denavit and Hartenberg.
    pub convention: Option<Convention>,
    /// Whether the file gives one, readable or not.
    pub has_convention: bool,
}

/// Reads the section, and tells the context what space the model lives in.
pub(crate) fn read(cx: &mut Context<'_>, root: &Reader<'_>) -> ModelSpec {
    let Some((name, node)) = root.entry("model") else { return ModelSpec::default() };
    let Some(reader) = Reader::open(cx, "`[model]`", name.span, node, &MODEL) else {
        return ModelSpec::default();
    };
    reader.text(cx, "about");
    // A word that is not known is more likely a misspelt `spatial`: planar need not be written.
    let given = reader.get("space").is_some();
    if given && reader.choice(cx, "space").is_none_or(|space| space.value == "spatial") {
        cx.space = Space::Spatial;
    }
    let (coordinates, motion_in) = coordinates::read_model(cx, &reader);
    let asked = |word: &str| {
        let given = reader.get("coordinates").filter(|node| node.as_text() == Some(word));
        given.map(|node| node.span)
    };
    cx.links = method(cx, &reader, "flexible");
    ModelSpec {
        name: reader.text(cx, "name").map(|name| name.value.to_string()),
        gravity: reader.get("gravity").and_then(|node| gravity(cx, node)).unwrap_or_default(),
        coordinates,
        motion_in,
        cheaper: asked("auto").is_some(),
        in_joints: asked("joint"),
        convention: dh::read_convention(cx, &reader),
        has_convention: reader.get("dh").is_some(),
    }
}

fn gravity(cx: &mut Context<'_>, node: &Node) -> Option<Vector3<f64>> {
    if let Some((value, axis)) = around(node, " along ") {
        let value = quantity_of(cx, "gravity", value, Dimension::ACCELERATION);
        let axis = direction(cx, "gravity", axis.text, axis.whole_span());
        return Some(axis? * value?);
    }
    match &node.value {
        Value::Number { value: 0.0, .. } => Some(Vector3::zeros()),
        Value::Number { value, .. } => {
            report_no_direction(cx, node, "a unit and a direction", &format!("{value} m/s^2"));
            None
        }
        Value::Text { text, .. } if is_one_value(text) => {
            let found = expr::any_quantity(text).map(|quantity| quantity.dimension);
            match found {
                Ok(Dimension::NUMBER) => {
                    let value = format!("{} m/s^2", text.trim());
                    report_no_direction(cx, node, "a unit and a direction", &value);
                }
                // A wrong unit or dimension is the first thing to say.
                Ok(dimension) if dimension != Dimension::ACCELERATION => {
                    quantity(cx, "gravity", node, Dimension::ACCELERATION);
                }
                Err(_) if !text.trim_start().starts_with('=') => {
                    quantity(cx, "gravity", node, Dimension::ACCELERATION);
                }
                _ => report_no_direction(cx, node, "a direction", text.trim()),
            }
            None
        }
        _ => vector(cx, "gravity", node, Dimension::ACCELERATION),
    }
}

/// Whether a text is no list of components.
fn is_one_value(text: &str) -> bool {
    split(text).len() == 1 && !text.trim().is_empty()
}

fn report_no_direction(cx: &mut Context<'_>, node: &Node, lacks: &str, value: &str) {
    // A minus means downwards, which the direction says.
    let value = value.trim_start_matches('-');
    let down = if cx.is_spatial() { "-z" } else { "-y" };
    cx.report(
        Diagnostic::error("G0116", format!("`gravity` needs {lacks}"))
            .at(node.span, "which way do things fall?")
            .help(format!("write `gravity = \"{value} along {down}\"`")),
    );
}
