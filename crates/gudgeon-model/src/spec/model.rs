//! `[model]`: name, space, gravity.

use crate::diagnostic::Diagnostic;
use crate::keys::{Keys, Kind, optional};
use crate::reader::{Context, Reader};
use crate::source::Span;
use crate::tree::Node;
use crate::units::Dimension;
use crate::values;

pub(crate) const MODEL: Keys = Keys {
    about: "what the mechanism is and where it lives",
    keys: &[
        optional("name", Kind::Text, "a title"),
        optional("about", Kind::Text, "a description"),
        optional("space", Kind::Choice(&["planar", "spatial"]), "planar: x right, y up"),
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
    pub gravity: [f64; 2],
}

pub(crate) fn read(cx: &mut Context<'_>, root: &Reader<'_>) -> ModelSpec {
    let Some((name, node)) = root.entry("model") else { return ModelSpec::default() };
    let Some(reader) = Reader::open(cx, "`[model]`", name.span, node, &MODEL) else {
        return ModelSpec::default();
    };
    reader.text(cx, "about");
    if let Some(space) = reader.choice(cx, "space")
        && space.value == "spatial"
    {
        cx.report(
            Diagnostic::error("G0106", "spatial mechanisms are not in this version")
                .at(space.span, "not yet")
                .help("write `space = \"planar\"` and give positions as x and y"),
        );
    }
    ModelSpec {
        name: reader.text(cx, "name").map(|name| name.value.to_string()),
        gravity: reader.get("gravity").and_then(|node| gravity(cx, node)).unwrap_or_default(),
    }
}

fn gravity(cx: &mut Context<'_>, node: &Node) -> Option<[f64; 2]> {
    if node.as_text().is_some_and(|text| text.contains(" along ")) {
        let (value, axis, span) =
            values::quantity_and_word(cx, "gravity", node, " along ", Dimension::ACCELERATION)?;
        let [x, y] = direction(cx, "gravity", axis, span)?;
        return Some([value * x, value * y]);
    }
    values::vector(cx, "gravity", node, Dimension::ACCELERATION)
}

/// A unit vector from `x`, `-x`, `y` or `-y`.
pub(crate) fn direction(
    cx: &mut Context<'_>,
    key: &str,
    text: &str,
    span: Span,
) -> Option<[f64; 2]> {
    match text {
        "x" | "+x" => Some([1.0, 0.0]),
        "-x" => Some([-1.0, 0.0]),
        "y" | "+y" => Some([0.0, 1.0]),
        "-y" => Some([0.0, -1.0]),
        _ => {
            cx.report(
                Diagnostic::error("G0111", format!("`{text}` is no direction in the plane"))
                    .at(span, format!("direction of `{key}`"))
                    .help("use `x`, `-x`, `y` or `-y`"),
            );
            None
        }
    }
}
