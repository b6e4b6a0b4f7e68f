//! `shape`: mass, centre and inertia of a straight rod between two frames.
//!
//!   cylinder of diameter d:   m = ρ π d²/4 L,   I = m (L²/12 + d²/16)          (1)
//!   box of b × h:             m = ρ b h L,      I = m (L² + b²)/12             (2)
//!
//! b lies in the plane of motion, h across it; the mass centre is half way. Values that the body
//! gives itself win; a difference of more than half a percent is warned of.

use std::f64::consts::PI;

use gudgeon::model::Material;

use crate::diagnostic::Diagnostic;
use crate::keys::{Keys, Kind, SECTIONS, optional, required};
use crate::materials;
use crate::reader::{At, Context, Reader, suggest};
use crate::source::Span;
use crate::spec::bodies::BodySpec;
use crate::tree::{Name, Node};
use crate::units::Dimension;
use crate::values;

pub(crate) const SHAPE: Keys = Keys {
    about: "a straight rod between two frames of the body",
    keys: &[
        optional("cylinder", Kind::Quantity(Dimension::LENGTH), "diameter of a round rod"),
        optional("box", Kind::Varies("15 mm x 10 mm"), "section: in the plane x across it"),
        required("from", Kind::Text, "frame at one end"),
        required("to", Kind::Text, "frame at the other end"),
        required("material", Kind::Text, "name of a material, for its density"),
    ],
};

/// Relative difference between given and computed values that is worth a warning.
const NOTICE: f64 = 5e-3;

struct MassProperties {
    mass: f64,
    inertia: f64,
    centre: [f64; 2],
}

/// Fills in what the body does not give itself.
pub(crate) fn apply(
    cx: &mut Context<'_>,
    key: &Name,
    node: &Node,
    body: &mut BodySpec,
    [mass, inertia]: [Option<At<f64>>; 2],
    centre: Option<At<[f64; 2]>>,
) {
    let Some(shape) = read(cx, key, node, body) else { return };
    compare(cx, key, "mass", mass, shape.mass, Dimension::MASS);
    compare(cx, key, "inertia", inertia, shape.inertia, Dimension::INERTIA);
    body.mass = body.mass.or(Some(shape.mass));
    body.inertia = body.inertia.or(Some(shape.inertia));
    match centre {
        None => body.centre = shape.centre,
        Some(given) => {
            let [dx, dy] = [0, 1].map(|i| given.value[i] - shape.centre[i]);
            if dx.hypot(dy) > NOTICE * shape.centre[0].hypot(shape.centre[1]).max(1e-6) {
                let text = |place: [f64; 2]| {
                    let [x, y] = place.map(|metres| values::rounded(1e3 * metres));
                    format!("({x} mm, {y} mm)")
                };
                warn(cx, key, "centre", given.span, text(given.value), text(shape.centre));
            }
        }
    }
}

fn compare(
    cx: &mut Context<'_>,
    key: &Name,
    what: &str,
    given: Option<At<f64>>,
    computed: f64,
    dimension: Dimension,
) {
    let Some(given) = given else { return };
    if (given.value - computed).abs() > NOTICE * computed.abs() {
        let text = |value: f64| values::shown(value, dimension);
        warn(cx, key, what, given.span, text(given.value), text(computed));
    }
}

fn warn(cx: &mut Context<'_>, key: &Name, what: &str, span: Span, given: String, own: String) {
    cx.report(
        Diagnostic::warning("G0404", format!("`{what}` differs from that of the shape"))
            .at(span, format!("{given} given, and used"))
            .also(key.span, format!("{own} from the shape")),
    );
}

fn read(cx: &mut Context<'_>, key: &Name, node: &Node, body: &BodySpec) -> Option<MassProperties> {
    let owner = format!("shape of body `{}`", body.name.text);
    let reader = Reader::open(cx, owner, key.span, node, &SHAPE)?;
    let kind = reader.exactly_one(cx, SECTIONS);
    let material = material(cx, &reader);
    let ends = [end(cx, &reader, "from", body), end(cx, &reader, "to", body)];
    let section = match kind? {
        "cylinder" => cylinder(cx, &reader),
        _ => rectangle(cx, &reader),
    };
    let ([from, to], section, material) = ([ends[0]?, ends[1]?], section?, material?);
    let length = (to[0] - from[0]).hypot(to[1] - from[1]);
    if length == 0.0 {
        let place = reader.get("to").map_or(key.span, |node| node.span);
        let message = "the shape has no length: both ends are at one point";
        cx.report(Diagnostic::error("G0405", message).at(place, "same point as `from`"));
        return None;
    }
    let mass = material.density * section.area * length;
    Some(MassProperties {
        mass,
        inertia: mass * (length * length / 12.0 + section.gyration),
        centre: [0, 1].map(|i| 0.5 * (from[i] + to[i])),
    })
}

/// Area, and the square of the radius of gyration in the plane about the rod's line.
struct Section {
    area: f64,
    gyration: f64,
}

fn cylinder(cx: &mut Context<'_>, reader: &Reader<'_>) -> Option<Section> {
    let diameter = reader.quantity(cx, "cylinder")?;
    let d = positive(cx, diameter)?;
    Some(Section { area: PI * d * d / 4.0, gyration: d * d / 16.0 }) // (1)
}

fn rectangle(cx: &mut Context<'_>, reader: &Reader<'_>) -> Option<Section> {
    let node = reader.get("box")?;
    let sides = values::parts(cx, "box", node, " x ", Dimension::LENGTH)?;
    let [b, h] = sides[..] else {
        let diagnostic = Diagnostic::error("G0405", "a box has two sides")
            .at(node.span, format!("{} given", sides.len()))
            .help("write \"15 mm x 10 mm\": in the plane of motion x across it");
        cx.report(diagnostic);
        return None;
    };
    let [b, h] = [b, h].map(|side| side.and_then(|side| positive(cx, side)));
    let (b, h) = (b?, h?);
    Some(Section { area: b * h, gyration: b * b / 12.0 }) // (2)
}

fn positive(cx: &mut Context<'_>, size: At<f64>) -> Option<f64> {
    if size.value <= 0.0 {
        let message = "the sides of a shape must be positive";
        cx.report(Diagnostic::error("G0405", message).at(size.span, "zero or negative"));
        return None;
    }
    Some(size.value)
}

fn end(cx: &mut Context<'_>, reader: &Reader<'_>, key: &str, body: &BodySpec) -> Option<[f64; 2]> {
    let name = reader.text(cx, key)?;
    if let Some(frame) = body.frames.iter().find(|frame| frame.name.text == name.value) {
        return Some(frame.at);
    }
    if !body.broken_frames.iter().any(|frame| frame == name.value) {
        let message = format!("body `{}` has no frame `{}`", body.name.text, name.value);
        let frames = body.frames.iter().map(|frame| frame.name.text.as_str());
        let help = suggest(name.value, frames);
        cx.report(Diagnostic::error("G0112", message).at(name.span, "not known").help(help));
    }
    None
}

fn material(cx: &mut Context<'_>, reader: &Reader<'_>) -> Option<Material> {
    let name = reader.text(cx, "material")?;
    find_material(cx, name)
}

pub(crate) fn find_material(cx: &mut Context<'_>, name: At<&str>) -> Option<Material> {
    let material = materials::find(name.value);
    if material.is_none() {
        let message = format!("unknown material `{}`", name.value);
        let help = suggest(name.value, materials::names());
        cx.report(Diagnostic::error("G0113", message).at(name.span, "not known").help(help));
    }
    material
}
