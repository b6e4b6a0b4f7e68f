//! `coordinates` of `[model]` and of bodies: by what a body in space is described.

use gudgeon::model::{BodyCoordinates, Space};

use crate::diagnostic::Diagnostic;
use crate::keys::Kind;
use crate::reader::{Context, Reader};

pub(crate) const CHOICE: Kind = Kind::Choice(&["absolute", "natural"]);

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
