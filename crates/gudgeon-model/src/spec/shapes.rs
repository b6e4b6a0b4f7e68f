//! `shape`: mass, centre and inertia of a straight rod between two frames, or of a sphere.
//!
//! Values that the body gives itself win; a difference of more than half a percent is warned of.

use gudgeon::model::{Material, Space};
use nalgebra::{Matrix3, Vector3};

use crate::diagnostic::Diagnostic;
use crate::keys::{AXIS, DENSITIES, Keys, Kind, SHAPES, optional};
use crate::materials;
use crate::reader::{At, Context, Reader, suggest};
use crate::source::Span;
use crate::spec::bodies::BodySpec;
use crate::spec::inertias;
use crate::spec::solids::{MassProperties, Outline, is_along, length, rod, sphere, sphere_volume};
use crate::tree::{Name, Node};
use crate::turns::spatial_only;
use crate::units::Dimension;
use crate::values;
use crate::vectors;

const LENGTH: Kind = Kind::Quantity(Dimension::LENGTH);

pub(crate) const SHAPE: Keys = Keys {
    about: "a straight rod between two frames of the body, or a sphere",
    keys: &[
        optional("cylinder", LENGTH, "diameter of a round rod"),
        optional("tube", Kind::Varies("20 mm x 16 mm"), "outer x inner diameter"),
        optional("box", Kind::Varies("15 mm x 10 mm"), "section: in the plane x across it"),
        optional("rod", Kind::Quantity(Dimension::MASS), "mass of a thin rod"),
        optional("sphere", LENGTH, "diameter of a ball"),
        optional("from", Kind::Text, "frame at one end"),
        optional("to", Kind::Text, "frame at the other end"),
        optional("at", Kind::Text, "frame at the centre of a sphere; the origin unless given"),
        optional("material", Kind::Text, "name of a material, for its density"),
        optional("density", Kind::Quantity(Dimension::DENSITY), "density instead of `material`"),
        optional("side", AXIS, "where the second side of a box points in space; z unless given"),
        optional("diameter", LENGTH, "of a thin rod, for its moment about its own line in space"),
    ],
};

/// Keys that have a meaning for some shapes only.
const CONDITIONAL: &[(&str, &[&str])] = &[
    ("from", &["cylinder", "tube", "box", "rod"]),
    ("to", &["cylinder", "tube", "box", "rod"]),
    ("at", &["sphere"]),
    ("material", &["cylinder", "tube", "box", "sphere"]),
    ("density", &["cylinder", "tube", "box", "sphere"]),
    ("side", &["box"]),
    ("diameter", &["rod"]),
];

/// Relative difference between given and computed values that is worth a warning.
const NOTICE: f64 = 5e-3;

/// What the body says itself.
pub(crate) struct Given {
    pub mass: Option<At<f64>>,
    pub inertia: Option<At<Matrix3<f64>>>,
    pub centre: Option<At<Vector3<f64>>>,
}

/// A shape that could be read.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    pub solid: MassProperties,
    /// All but a sphere.
    pub rod: Option<Rod>,
}

/// A straight line with a section that does not change along it.
#[derive(Clone, Debug)]
pub(crate) struct Rod {
    pub ends: [Vector3<f64>; 2],
    /// `None` for a thin rod without diameter.
    pub outline: Option<Outline>,
    /// Where the second side points.
    pub side: Vector3<f64>,
    /// kg/m
    pub mass_per_length: f64,
    /// Where it is named.
    pub material: Option<Material>,
}

/// Fills in what the body does not give itself.
pub(crate) fn apply(
    cx: &mut Context<'_>,
    key: &Name,
    shape: &MassProperties,
    body: &mut BodySpec,
    given: &Given,
) {
    if !(shape.mass + shape.inertia.sum()).is_finite() {
        let message = "the mass of this shape is not a finite number";
        return cx.report(Diagnostic::error("G0405", message).at(key.span, "far too large"));
    }
    if cx.is_spatial() {
        let owner = format!("the shape of body `{}`", body.name.text);
        inertias::check(cx, &owner, key.span, &shape.inertia);
    }
    if let Some(mass) = given.mass
        && (mass.value - shape.mass).abs() > NOTICE * shape.mass.abs()
    {
        let text = |mass| values::shown(mass, Dimension::MASS);
        warn(cx, key, "mass", mass.span, text(mass.value), text(shape.mass));
    }
    if let Some(inertia) = given.inertia
        && (inertia.value - shape.inertia).norm() > NOTICE * shape.inertia.norm()
    {
        let text = |matrix: &Matrix3<f64>| shown_inertia(cx.space, matrix);
        let (theirs, ours) = (text(&inertia.value), text(&shape.inertia));
        warn(cx, key, "inertia", inertia.span, theirs, ours);
    }
    body.mass = body.mass.or(Some(shape.mass));
    body.inertia = body.inertia.or(Some(shape.inertia));
    match given.centre {
        None => body.centre = shape.centre,
        Some(centre) => {
            if (centre.value - shape.centre).norm() > NOTICE * shape.centre.norm().max(1e-6) {
                let text = |place: Vector3<f64>| shown_place(cx.space, place);
                let (theirs, ours) = (text(centre.value), text(shape.centre));
                warn(cx, key, "centre", centre.span, theirs, ours);
            }
        }
    }
}

fn warn(cx: &mut Context<'_>, key: &Name, what: &str, span: Span, given: String, own: String) {
    cx.report(
        Diagnostic::warning("G0404", format!("`{what}` differs from that of the shape"))
            .at(span, format!("{given} given, and used"))
            .also(key.span, format!("{own} from the shape")),
    );
}

pub(crate) fn shown_inertia(space: Space, inertia: &Matrix3<f64>) -> String {
    let moment = |i: usize, j: usize| values::rounded(inertia[(i, j)]);
    if space == Space::Planar {
        return values::shown(inertia[(2, 2)], Dimension::INERTIA);
    }
    let text = format!("xx {}, yy {}, zz {}", moment(0, 0), moment(1, 1), moment(2, 2));
    let off = [("xy", 0, 1), ("xz", 0, 2), ("yz", 1, 2)];
    let off = off.iter().filter(|(_, i, j)| inertia[(*i, *j)].abs() > 1e-12 * inertia.norm());
    let off: String = off.map(|(name, i, j)| format!(", {name} {}", moment(*i, *j))).collect();
    format!("{text}{off} kg m^2")
}

pub(crate) fn shown_place(space: Space, place: Vector3<f64>) -> String {
    let count = if space == Space::Planar { 2 } else { 3 };
    let parts: Vec<String> =
        place.iter().take(count).map(|m| format!("{} mm", values::rounded(1e3 * m))).collect();
    format!("({})", parts.join(", "))
}

pub(crate) fn read(
    cx: &mut Context<'_>,
    key: &Name,
    node: &Node,
    body: &BodySpec,
) -> Option<Shape> {
    let owner = format!("shape of body `{}`", body.name.text);
    let reader = Reader::open(cx, owner, key.span, node, &SHAPE)?;
    let kind = reader.exactly_one(cx, SHAPES);
    for (key, kinds) in CONDITIONAL {
        if kind.is_some_and(|kind| !kinds.contains(&kind)) {
            let why = format!("only for {}", kinds.join(", "));
            reader.refuse(cx, "G0405", &[key], &why);
        }
    }
    match kind {
        Some("sphere") => ball(cx, &reader, body),
        Some("rod") => thin(cx, &reader, body),
        Some(kind) => thick(cx, &reader, body, kind),
        None => {
            // Which one is meant is not known; the rest is checked all the same.
            density(cx, &reader);
            for key in ["from", "to"] {
                end(cx, &reader, key, body);
            }
            None
        }
    }
}

/// A rod with a section of its own.
fn thick(cx: &mut Context<'_>, reader: &Reader<'_>, body: &BodySpec, kind: &str) -> Option<Shape> {
    let density = density(cx, reader);
    let ends = ends(cx, reader, body);
    let outline = match kind {
        "cylinder" => {
            size(cx, reader, "cylinder").map(|outer| Outline::Round { outer, inner: 0.0 })
        }
        "tube" => tube(cx, reader),
        _ => rectangle(cx, reader),
    };
    let side = side(cx, reader, ends);
    let (ends, outline, (density, material), side) = (ends?, outline?, density?, side?);
    let section = outline.section();
    let mass_per_length = density * section.area;
    let mass = mass_per_length * length(ends[1] - ends[0]);
    let solid = rod(cx.space, ends, mass, section.extents, side);
    Some(Shape {
        solid,
        rod: Some(Rod { ends, outline: Some(outline), side, mass_per_length, material }),
    })
}

/// A rod of given mass; in space its diameter gives the moment about its line.
fn thin(cx: &mut Context<'_>, reader: &Reader<'_>, body: &BodySpec) -> Option<Shape> {
    let mass = size(cx, reader, "rod");
    let ends = ends(cx, reader, body);
    let diameter = match reader.get("diameter") {
        Some(_) => size(cx, reader, "diameter"),
        None if cx.is_spatial() => reader.needed(cx, "diameter").map(|_| 0.0),
        None => Some(0.0),
    };
    let (ends, mass, outer, side) = (ends?, mass?, diameter?, Vector3::z());
    let outline = Outline::Round { outer, inner: 0.0 };
    let solid = rod(cx.space, ends, mass, outline.section().extents, side);
    let mass_per_length = mass / length(ends[1] - ends[0]);
    let outline = (outer > 0.0).then_some(outline);
    Some(Shape { solid, rod: Some(Rod { ends, outline, side, mass_per_length, material: None }) })
}

fn ball(cx: &mut Context<'_>, reader: &Reader<'_>, body: &BodySpec) -> Option<Shape> {
    let density = density(cx, reader);
    let diameter = size(cx, reader, "sphere");
    let centre = match reader.get("at") {
        Some(_) => end(cx, reader, "at", body),
        None => Some(Vector3::zeros()),
    };
    let ((density, _), diameter, centre) = (density?, diameter?, centre?);
    let solid = sphere(cx.space, centre, density * sphere_volume(diameter), diameter);
    Some(Shape { solid, rod: None })
}

fn tube(cx: &mut Context<'_>, reader: &Reader<'_>) -> Option<Outline> {
    let help = "write \"20 mm x 16 mm\": outer x inner diameter";
    let [outer, inner] = two(cx, reader, "tube", "a tube has two diameters", help)?;
    if inner.value >= outer.value {
        let message = "the inner diameter of a tube must be smaller than the outer one";
        let diagnostic = Diagnostic::error("G0405", message).at(inner.span, "not smaller");
        cx.report(diagnostic.help(help));
        return None;
    }
    Some(Outline::Round { outer: outer.value, inner: inner.value })
}

fn rectangle(cx: &mut Context<'_>, reader: &Reader<'_>) -> Option<Outline> {
    let help = match cx.space {
        Space::Planar => "write \"15 mm x 10 mm\": in the plane of motion x across it",
        Space::Spatial => "write \"15 mm x 10 mm\": across `side` x along `side`",
    };
    let [b, h] = two(cx, reader, "box", "a box has two sides", help)?;
    Some(Outline::Rectangle { first: b.value, second: h.value })
}

/// Two positive lengths with ` x ` between them.
fn two(
    cx: &mut Context<'_>,
    reader: &Reader<'_>,
    key: &str,
    message: &str,
    help: &str,
) -> Option<[At<f64>; 2]> {
    let node = reader.get(key)?;
    let sides = vectors::parts(cx, key, node, " x ", Dimension::LENGTH)?;
    let [a, b] = sides[..] else {
        let diagnostic = Diagnostic::error("G0405", message)
            .at(node.span, format!("{} given", sides.len()))
            .help(help);
        cx.report(diagnostic);
        return None;
    };
    let [a, b] = [a, b].map(|side| side.and_then(|side| positive(cx, key, side)));
    Some([a?, b?])
}

/// Where the second side of a box points; any direction where it does not matter.
fn side(
    cx: &mut Context<'_>,
    reader: &Reader<'_>,
    ends: Option<[Vector3<f64>; 2]>,
) -> Option<Vector3<f64>> {
    if cx.space == Space::Planar || reader.get("box").is_none() {
        if cx.space == Space::Planar {
            spatial_only(cx, reader, "side", "remove it: the second side is across the plane");
        }
        return Some(Vector3::z());
    }
    let (side, span) = match reader.entry("side") {
        Some((_, node)) => (vectors::axis(cx, "side", node)?, node.span),
        None => (Vector3::z(), reader.span),
    };
    let [from, to] = ends?;
    if is_along(to - from, side) {
        let message = "the second side of the box cannot point along its own line";
        let label =
            if reader.get("side").is_some() { "parallel to the line" } else { "`side` is z" };
        let diagnostic = Diagnostic::error("G0405", message)
            .at(span, label)
            .help("give `side` another direction, such as `side = \"x\"`");
        cx.report(diagnostic);
        return None;
    }
    Some(side)
}

fn size(cx: &mut Context<'_>, reader: &Reader<'_>, key: &str) -> Option<f64> {
    let size = reader.quantity(cx, key)?;
    positive(cx, key, size).map(|size| size.value)
}

fn positive(cx: &mut Context<'_>, key: &str, size: At<f64>) -> Option<At<f64>> {
    if size.value <= 0.0 {
        let message = format!("`{key}` of a shape must be positive");
        cx.report(Diagnostic::error("G0405", message).at(size.span, "zero or negative"));
        return None;
    }
    Some(size)
}

/// Two different points.
fn ends(cx: &mut Context<'_>, reader: &Reader<'_>, body: &BodySpec) -> Option<[Vector3<f64>; 2]> {
    let ends = ["from", "to"].map(|key| {
        reader.needed(cx, key)?;
        end(cx, reader, key, body)
    });
    let ends = [ends[0]?, ends[1]?];
    if length(ends[1] - ends[0]) == 0.0 {
        let place = reader.get("to").map_or(reader.span, |node| node.span);
        let message = "the shape has no length: both ends are at one point";
        let diagnostic = Diagnostic::error("G0405", message).at(place, "same point as `from`");
        cx.report(diagnostic.help("`from` and `to` name frames at the two ends of the shape"));
        return None;
    }
    Some(ends)
}

fn end(
    cx: &mut Context<'_>,
    reader: &Reader<'_>,
    key: &str,
    body: &BodySpec,
) -> Option<Vector3<f64>> {
    let name = reader.text(cx, key)?;
    body.place_of(cx, name)
}

/// From `material` or `density`, and the material.
fn density(cx: &mut Context<'_>, reader: &Reader<'_>) -> Option<(f64, Option<Material>)> {
    if reader.exactly_one(cx, DENSITIES)? == "density" {
        return size(cx, reader, "density").map(|density| (density, None));
    }
    let name = reader.text(cx, "material")?;
    find_material(cx, name).map(|material| (material.density, Some(material)))
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
