//! `modes` of a floating frame: how many, or up to which frequency.

use gudgeon::flexible::{Modes, Reference, Stiffening};

use crate::diagnostic::Diagnostic;
use crate::reader::{Context, Reader};
use crate::units::Dimension;
use crate::values;

/// Elements whose modes are found: the work grows with the cube.
const MOST: f64 = 256.0;

pub(super) fn read(cx: &mut Context<'_>, reader: &Reader<'_>) -> Option<Modes> {
    let node = reader.get("modes")?;
    let given = values::like(cx, "modes", node, "2 kHz")?;
    let (is_number, value) = (given.dimension.is_number(), given.value);
    let label = match (is_number, value) {
        (true, value) if value >= 0.0 && value.fract() == 0.0 => {
            return Some(Modes::Count(value as usize));
        }
        (false, value) if given.dimension == Dimension::FREQUENCY && value >= 0.0 => {
            return Some(Modes::UpTo(value));
        }
        (_, value) if value < 0.0 => "negative",
        (true, _) => "not a whole number",
        _ => "neither a number nor a frequency",
    };
    let message = format!("`modes` of {} is a whole number or a frequency", reader.owner);
    let diagnostic = Diagnostic::error("G0429", message).at(node.span, label);
    cx.report(diagnostic.help("write `modes = 6`, or `modes = \"2 kHz\"` for all up to there"));
    None
}

/// What modes cannot be taken with.
pub(super) fn check(
    cx: &mut Context<'_>,
    reader: &Reader<'_>,
    reference: Reference,
    stiffening: Stiffening,
) -> Option<()> {
    let place = |key: &str| reader.get(key).map(|node| node.span);
    let elements = place("elements").filter(|_| {
        let count = reader
            .get("elements")
            .map(|node| values::quantity(cx, "elements", node, Dimension::NUMBER));
        count.flatten().is_some_and(|count| count > MOST)
    });
    let (span, label, help) = if let (Stiffening::Actual, Some(span)) =
        (stiffening, place("stiffening"))
    {
        (
            span,
            "kept modes do not hold the stretch that belongs to bending, and would be too stiff",
            "write `stiffening = \"none\"` or `\"rigid\"`, or leave `modes` out",
        )
    } else if let (Reference::Mean, Some(span)) = (reference, place("reference")) {
        (
            span,
            "moves with every node, and modes stand for some of them",
            "write `reference = \"clamped\"` or `\"chord\"`, or leave `modes` out",
        )
    } else if let Some(span) = elements {
        (
            span,
            "modes are found for 256 elements at most",
            "take fewer elements, or leave `modes` out",
        )
    } else {
        return Some(());
    };
    let message = format!("`modes` cannot be taken with this in {}", reader.owner);
    cx.report(Diagnostic::error("G0429", message).at(span, label).help(help));
    None
}
