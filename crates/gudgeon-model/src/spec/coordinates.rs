//! `coordinates` of `[model]` and of bodies: what the motion is integrated in, and by what a body in space is described.

use gudgeon::model::{BodyCoordinates, Coordinates, Space};

use crate::diagnostic::Diagnostic;
use crate::keys::Kind;
use crate::reader::{Context, Reader};

pub(crate) const CHOICE: Kind = Kind::Choice(&["absolute", "natural"]);

/// The same for the whole model: bodies may also move by the coordinates of their joints.
pub(crate) const OF_MODEL: Kind = Kind::Choice(&["absolute", "natural", "joint", "auto"]);

/// What `[model]` asks for: of its bodies, and of the whole.
pub(crate) fn read_model(
    cx: &mut Context<'_>,
    reader: &Reader<'_>,
) -> (BodyCoordinates, Coordinates) {
    match reader.choice(cx, "coordinates").map(|given| given.value) {
        Some("joint") => (BodyCoordinates::Absolute, Coordinates::Joint),
        // The cheaper one is known when the mechanism is.
        Some("auto") => (BodyCoordinates::Absolute, Coordinates::Absolute),
        Some(_) => (read(cx, reader).unwrap_or_default(), Coordinates::Absolute),
        None => (BodyCoordinates::default(), Coordinates::default()),
    }
}

/// The coordinates of a table; those of planar bodies are (x, y, θ) and no others.
pub(crate) fn read(cx: &mut Context<'_>, reader: &Reader<'_>) -> Option<BodyCoordinates> {
    let given = reader.choice(cx, "coordinates")?;
    match given.value {
        "absolute" => Some(BodyCoordinates::Absolute),
        _ if cx.space == Space::Planar => {
            let message = "natural coordinates describe bodies in space";
            let diagnostic = Diagnostic::error("G0408", message)
                .at(given.span, "this model is planar: its bodies have x, y and an angle");
            cx.report(
                diagnostic
                    .help("leave `coordinates` out, or write `space = \"spatial\"` in `[model]`"),
            );
            None
        }
        _ => Some(BodyCoordinates::Natural),
    }
}
