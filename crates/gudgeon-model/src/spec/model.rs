//! `[model]`: name, space, gravity.

use gudgeon::model::Space;
use nalgebra::Vector3;

use crate::keys::{Keys, Kind, optional};
use crate::reader::{Context, Reader};
use crate::tree::Node;
use crate::units::Dimension;
use crate::values::quantity_of;
use crate::vectors::{around, direction, vector};

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
    ],
};

#[derive(Debug, Default)]
pub(crate) struct ModelSpec {
    pub name: Option<String>,
    pub gravity: Vector3<f64>,
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
    ModelSpec {
        name: reader.text(cx, "name").map(|name| name.value.to_string()),
        gravity: reader.get("gravity").and_then(|node| gravity(cx, node)).unwrap_or_default(),
    }
}

fn gravity(cx: &mut Context<'_>, node: &Node) -> Option<Vector3<f64>> {
    let Some((value, axis)) = around(node, " along ") else {
        return vector(cx, "gravity", node, Dimension::ACCELERATION);
    };
    let value = quantity_of(cx, "gravity", value, Dimension::ACCELERATION);
    let axis = direction(cx, "gravity", axis.text, axis.whole_span());
    Some(axis? * value?)
}
