//! `[bodies]`: mass properties and frames in the body's own axes.

use gudgeon::flexible::Flexible;
use gudgeon::math::spatial::Frame;
use gudgeon::model::{BodyCoordinates, Orientation};
use nalgebra::{Matrix3, Vector3};

use crate::diagnostic::Diagnostic;
use crate::keys::{Keys, Kind, optional};
use crate::reader::{At, Context, Reader, entries, suggest};
use crate::source::Span;
use crate::spec::check_owner;
use crate::spec::coordinates;
use crate::spec::flexible::section::SECTION;
use crate::spec::flexible::{self, FLEXIBLE};
use crate::spec::inertias::{self, INERTIA};
use crate::spec::shapes::{self, Given, SHAPE};
use crate::tree::{Name, Node, Value};
use crate::turns::{self, QUATERNION, TURN};
use crate::units::Dimension;
use crate::vectors::vector;

pub(crate) const BODY: Keys = Keys {
    about: "a link, rigid unless `flexible`; only `frames` for `ground`",
    keys: &[
        optional("about", Kind::Text, "a description"),
        optional("mass", Kind::Quantity(Dimension::MASS), "mass"),
        optional("inertia", INERTIA, "about the mass centre; in the plane the moment about z"),
        optional("centre", Kind::Vector(Dimension::LENGTH), "mass centre; the origin unless given"),
        optional("frames", FRAMES, "named points in the body's own axes"),
        optional("shape", Kind::Table(&SHAPE), "gives mass, centre and inertia"),
        optional(
            "coordinates",
            coordinates::CHOICE,
            "of this body in space: two points and two unit vectors (natural), or as `[model]` has it",
        ),
        optional("flexible", Kind::Table(&FLEXIBLE), "a beam that bends; rigid unless given"),
        optional(
            "section",
            Kind::Table(&SECTION),
            "section and material of a flexible link, in place of those of `shape` or beside them",
        ),
    ],
};

const FRAMES: Kind =
    Kind::Named(&Kind::Either(&[Kind::Vector(Dimension::LENGTH), Kind::Table(&FRAME)]));

const FRAME: Keys = Keys {
    about: "a point with axes of its own",
    keys: &[
        optional("at", Kind::Vector(Dimension::LENGTH), "position in the body's own axes"),
        optional(
            "along",
            Kind::Number,
            "place on the line of a flexible link instead of `at`: 0 at its beginning, 1 at its end",
        ),
        TURN,
        QUATERNION,
    ],
};

/// Name of the body that never moves.
pub(crate) const GROUND: &str = "ground";

#[derive(Debug)]
pub(crate) struct FrameSpec {
    pub name: Name,
    pub local: Frame,
}

/// A frame on the line of a flexible link.
#[derive(Debug)]
pub(crate) struct AlongSpec {
    pub name: Name,
    /// 0 … 1
    pub along: f64,
    pub turn: Matrix3<f64>,
}

#[derive(Debug)]
pub(crate) struct BodySpec {
    pub name: Name,
    pub mass: Option<f64>,
    pub inertia: Option<Matrix3<f64>>,
    pub centre: Vector3<f64>,
    pub coordinates: Option<BodyCoordinates>,
    /// Where mass, inertia and centre are given: themselves or the shape they follow from.
    pub given: Vec<(&'static str, Span)>,
    pub flexible: Option<Box<Flexible>>,
    /// It is flexible, but how could not be read.
    pub broken_link: bool,
    pub frames: Vec<FrameSpec>,
    /// Frames on its line; they are among `frames` once that is known.
    pub along: Vec<AlongSpec>,
    /// Frames that are named but could not be read.
    pub broken_frames: Vec<String>,
}

impl BodySpec {
    pub fn is_ground(&self) -> bool {
        self.name.text == GROUND
    }

    /// The place of a frame in own axes, for what the line of the link follows from.
    pub fn place_of(&self, cx: &mut Context<'_>, name: At<&str>) -> Option<Vector3<f64>> {
        if let Some(frame) = self.frames.iter().find(|frame| frame.name.text == name.value) {
            return Some(frame.local.p);
        }
        if let Some(frame) = self.along.iter().find(|frame| frame.name.text == name.value) {
            let message = format!("frame `{}` has no place before the line has one", name.value);
            let diagnostic = Diagnostic::error("G0413", message)
                .at(name.span, "lies along the line")
                .also(frame.name.span, "")
                .help("name a frame that is given by `at`");
            cx.report(diagnostic);
        } else if !self.broken_frames.iter().any(|frame| frame == name.value) {
            let message = format!("body `{}` has no frame `{}`", self.name.text, name.value);
            let frames = self.frames.iter().map(|frame| frame.name.text.as_str());
            let help = suggest(name.value, frames);
            cx.report(Diagnostic::error("G0112", message).at(name.span, "not known").help(help));
        }
        None
    }
}

pub(crate) fn read(cx: &mut Context<'_>, bodies: &[(Name, Node)]) -> Vec<BodySpec> {
    bodies.iter().map(|(name, node)| body(cx, name, node)).collect()
}

fn body(cx: &mut Context<'_>, name: &Name, node: &Node) -> BodySpec {
    let mut body = BodySpec {
        name: name.clone(),
        mass: None,
        inertia: None,
        centre: Vector3::zeros(),
        coordinates: None,
        given: Vec::new(),
        flexible: None,
        broken_link: false,
        frames: Vec::new(),
        along: Vec::new(),
        broken_frames: Vec::new(),
    };
    let owner = format!("body `{}`", name.text);
    if !body.is_ground() {
        check_owner(cx, "body", name);
    }
    let Some(reader) = Reader::open(cx, &owner, name.span, node, &BODY) else { return body };
    reader.text(cx, "about");
    frames(cx, &owner, &reader, &mut body);
    if body.is_ground() || reader.get("flexible").is_none() {
        flexible::refuse_on_rigid(cx, &reader, &mut body);
    }
    if body.is_ground() {
        refuse_mass_of_ground(cx, &reader);
        return body;
    }
    body.coordinates = coordinates::read(cx, &reader);
    let given = given(cx, &owner, &reader, &mut body);
    let shape = reader.entry("shape");
    let shape = shape.map(|(key, node)| (key, shapes::read(cx, key, node, &body)));
    if reader.get("flexible").is_some() {
        flexible::apply(cx, &reader, shape.as_ref(), &mut body, &given);
        return body;
    }
    if let Some((key, Some(shape))) = shape {
        shapes::apply(cx, key, &shape.solid, &mut body, &given);
    }
    body
}

/// Mass, inertia and centre that the body gives itself.
fn given(cx: &mut Context<'_>, owner: &str, reader: &Reader<'_>, body: &mut BodySpec) -> Given {
    let mass = reader.quantity(cx, "mass");
    let inertia = reader.get("inertia").and_then(|node| inertias::read(cx, owner, node));
    let centre = reader.vector(cx, "centre");
    positive(cx, "G0401", &format!("mass of {owner}"), mass);
    body.mass = mass.map(|mass| mass.value);
    body.inertia = inertia.map(|inertia| inertia.value);
    body.centre = centre.map_or_else(Vector3::zeros, |centre| centre.value);
    let source = reader.entry("shape").or(reader.entry("flexible")).map(|(key, _)| key.span);
    body.given = [
        ("mass", mass.map(|mass| mass.span)),
        ("inertia", inertia.map(|inertia| inertia.span)),
        ("centre", centre.as_ref().map(|centre| centre.span)),
    ]
    .into_iter()
    .filter_map(|(key, span)| Some((key, span.or(source)?)))
    .collect();
    Given { mass, inertia, centre }
}

pub(crate) fn positive(
    cx: &mut Context<'_>,
    code: &'static str,
    what: &str,
    value: Option<At<f64>>,
) {
    let Some(value) = value.filter(|value| value.value <= 0.0) else { return };
    cx.report(
        Diagnostic::error(code, format!("the {what} must be positive"))
            .at(value.span, "zero or negative")
            .help("leave the key out where the joints forbid that motion"),
    );
}

fn refuse_mass_of_ground(cx: &mut Context<'_>, reader: &Reader<'_>) {
    for key in ["mass", "inertia", "centre", "shape", "flexible", "section"] {
        if let Some((name, _)) = reader.entry(key) {
            cx.report(
                Diagnostic::error("G0403", format!("`ground` has no `{key}`"))
                    .at(name.span, "the ground never moves")
                    .help("give `ground` frames only"),
            );
        }
    }
}

fn frames(cx: &mut Context<'_>, owner: &str, reader: &Reader<'_>, body: &mut BodySpec) {
    let title = format!("`frames` of {owner}");
    for (name, node) in entries(cx, &title, reader.get("frames")) {
        check_frame_name(cx, name);
        match frame(cx, name, node) {
            Some(Place::At(local)) => body.frames.push(FrameSpec { name: name.clone(), local }),
            Some(Place::Along(along, turn)) => {
                body.along.push(AlongSpec { name: name.clone(), along, turn });
            }
            None => body.broken_frames.push(name.text.clone()),
        }
    }
}

/// Frames are named within their body, so that only the letters matter.
fn check_frame_name(cx: &mut Context<'_>, name: &Name) {
    let legal = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if name.text.is_empty() || !name.text.chars().all(legal) {
        cx.report(
            Diagnostic::error("G0108", format!("`{}` is no name", name.text))
                .at(name.span, "not allowed")
                .help("use letters, digits and `_`"),
        );
    }
}

/// Where a frame is.
enum Place {
    At(Frame),
    /// On the line of a flexible link, with its axes turned.
    Along(f64, Matrix3<f64>),
}

fn frame(cx: &mut Context<'_>, name: &Name, node: &Node) -> Option<Place> {
    if let Value::Table(_) = node.value {
        let owner = format!("frame `{}`", name.text);
        let reader = Reader::open(cx, owner, name.span, node, &FRAME)?;
        let turn = match turns::given(&reader) {
            true => turns::read(cx, &reader),
            false => Some(Orientation::Angle(0.0)),
        };
        reader.not_both(cx, "at", "along")?;
        if reader.get("along").is_some() {
            let along = flexible::along(cx, &reader);
            return Some(Place::Along(along?, turn?.rotation()));
        }
        reader.needed(cx, "at");
        let at = reader.vector(cx, "at");
        return Some(Place::At(Frame { p: at?.value, r: turn?.rotation() }));
    }
    let p = vector(cx, &name.text, node, Dimension::LENGTH)?;
    Some(Place::At(Frame { p, ..Frame::identity() }))
}
