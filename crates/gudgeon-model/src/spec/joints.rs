//! `[joints]`: how bodies are connected, ideal or with play.

use gudgeon::friction::{FrictionLaw, JointFriction};
use gudgeon::model::{Axial, Clearance, Form, JointKind, Slides, Space};

use crate::diagnostic::Diagnostic;
use crate::keys::{AXIS, Keys, Kind, optional, required};
use crate::reader::{At, Context, Reader, list, text};
use crate::source::Span;
use crate::spec::axes::{self, Turned};
use crate::spec::check_owner;
use crate::spec::clearances::{self, CLEARANCE};
use crate::spec::dh::{self, DH, Row};
use crate::spec::films::{self, FILM};
use crate::spec::frictions::{self, FRICTION};
use crate::tree::{Name, Node};
use crate::units::Dimension;

const TYPES: &[&str] = &[
    "revolute",
    "prismatic",
    "cylindrical",
    "spherical",
    "universal",
    "planar",
    "fixed",
    "screw",
    "distance",
    "point-on-line",
    "point-on-plane",
];

/// The types that planar models know.
const PLANAR: &[&str] = &["revolute", "prismatic", "fixed", "point-on-line", "distance"];

pub(crate) const BETWEEN: Kind = Kind::List(&Kind::Text);

pub(crate) const JOINT: Keys = Keys {
    about: "a joint between two frames",
    keys: &[
        required("type", Kind::Choice(TYPES), "what the joint leaves free, such as revolute"),
        required(
            "between",
            BETWEEN,
            "two frames as [\"body.frame\", \"body.frame\"], bearing first",
        ),
        optional("about", Kind::Text, "a description"),
        optional("axis", AXIS, "axis of rotation or normal of a plane; z unless given"),
        optional("second_axis", AXIS, "second pin of a universal joint; y unless given"),
        optional("along", AXIS, "sliding direction in the first frame; x unless given"),
        optional("pitch", LENGTH, "advance of a screw per turn; negative for a left-hand thread"),
        optional(
            "length",
            LENGTH,
            "distance that the joint keeps between the two origins; of a cylindrical joint that of its bearing",
        ),
        optional(
            "dh",
            Kind::Table(&DH),
            "row of Denavit and Hartenberg that leads from the first frame to the second, about and along z",
        ),
        optional(
            "cut",
            Kind::Flag,
            "whether joint coordinates cut this joint (true) or carry a body by it (false); as they choose unless given",
        ),
        optional("clearance", Kind::Table(&CLEARANCE), "play between journal and bearing"),
        optional(
            "friction",
            Kind::Tagged(&FRICTION),
            "friction of the contact, or of an ideal joint",
        ),
        optional("film", Kind::Table(&FILM), "lubricant between journal and bearing"),
    ],
};

const LENGTH: Kind = Kind::Quantity(Dimension::LENGTH);

#[derive(Debug)]
pub(crate) struct JointSpec<'t> {
    pub name: Name,
    pub kind: Option<JointKind>,
    pub between: Option<[At<&'t str>; 2]>,
    pub turned: Turned,
    /// Of a cylindrical joint.
    pub bearing_length: Option<f64>,
    /// The row that leads from the first frame to the second, where one is given, and where it stands; without a row in error.
    pub dh: Option<(Option<Row>, Span)>,
    /// Whether joint coordinates shall cut it, where that is said, and where.
    pub cut: Option<(bool, Span)>,
    pub clearance: Option<Clearance>,
    /// Of an ideal joint.
    pub friction: Option<JointFriction>,
    /// Whether the file gives a clearance table, readable or not.
    pub loose: bool,
    /// Whether the file gives a film table, readable or not, left aside or not.
    pub wet: bool,
}

pub(crate) fn read<'t>(cx: &mut Context<'_>, joints: &'t [(Name, Node)]) -> Vec<JointSpec<'t>> {
    joints.iter().map(|(name, node)| joint(cx, name, node)).collect()
}

fn joint<'t>(cx: &mut Context<'_>, name: &Name, node: &'t Node) -> JointSpec<'t> {
    check_owner(cx, "joint", name);
    let mut joint = JointSpec {
        name: name.clone(),
        kind: None,
        between: None,
        turned: [None; 2],
        bearing_length: None,
        dh: None,
        cut: None,
        clearance: None,
        friction: None,
        loose: false,
        wet: false,
    };
    let owner = format!("joint `{}`", name.text);
    let Some(reader) = Reader::open(cx, &owner, name.span, node, &JOINT) else { return joint };
    reader.text(cx, "about");
    joint.kind = reader.choice(cx, "type").and_then(|name| kind(cx, &reader, name));
    joint.between = reader.get("between").and_then(|node| between(cx, node));
    match reader.entry("dh") {
        Some((key, row)) => {
            joint.dh = Some((dh::read(cx, &reader, joint.kind, row), key.span));
            joint.turned = dh::axes(joint.kind);
        }
        None => joint.turned = axes::of_joint(cx, &reader, joint.kind),
    }
    if joint.kind == Some(JointKind::Cylindrical) && reader.get("length").is_some() {
        joint.bearing_length = size(cx, &reader, "length");
    }
    let cut = reader.flag(cx, "cut");
    joint.cut = cut.zip(reader.get("cut").map(|node| node.span));
    joint.wet = reader.get("film").is_some();
    play(cx, &reader, &mut joint);
    joint
}

fn kind(cx: &mut Context<'_>, reader: &Reader<'_>, name: At<&str>) -> Option<JointKind> {
    let of: [(&str, &[&str]); 2] =
        [("pitch", &["screw"]), ("length", &["distance", "cylindrical"])];
    for (key, only) in of {
        if !only.contains(&name.value) {
            let only = only.join(" and ");
            reader.refuse(cx, "G0517", &[key], &format!("only for {only} joints"));
        }
    }
    if cx.space == Space::Planar && !PLANAR.contains(&name.value) {
        let message = format!("there are no {} joints in the plane", name.value);
        let diagnostic = Diagnostic::error("G0115", message)
            .at(name.span, format!("planar joints are {}", PLANAR.join(", ")))
            .help("write `space = \"spatial\"` in `[model]`");
        cx.report(diagnostic);
        return None;
    }
    Some(match name.value {
        "revolute" => JointKind::Revolute,
        "prismatic" => JointKind::Prismatic,
        "cylindrical" => JointKind::Cylindrical,
        "spherical" => JointKind::Spherical,
        "universal" => JointKind::Universal,
        "planar" => JointKind::Planar,
        "fixed" => JointKind::Fixed,
        "screw" => JointKind::Screw { pitch: size(cx, reader, "pitch")? },
        "distance" => JointKind::Distance { length: size(cx, reader, "length")? },
        "point-on-plane" => JointKind::PointOnPlane,
        _ => JointKind::PointOnLine,
    })
}

/// A pitch other than zero, or a positive length.
fn size(cx: &mut Context<'_>, reader: &Reader<'_>, key: &str) -> Option<f64> {
    reader.needed(cx, key)?;
    let size = reader.quantity(cx, key)?;
    let problem = match key {
        "pitch" if size.value == 0.0 => {
            Some(("cannot be zero", "zero", "a revolute joint has no pitch"))
        }
        "length" if size.value <= 0.0 => Some((
            "must be positive",
            "zero or negative",
            "two points at one place are a spherical joint, in the plane a revolute one",
        )),
        _ => None,
    };
    let Some((what, label, help)) = problem else { return Some(size.value) };
    let message = format!("the `{key}` of {} {what}", reader.owner);
    let diagnostic = Diagnostic::error("G0517", message).at(size.span, label);
    cx.report(diagnostic.help(help));
    None
}

/// Two references to frames.
pub(crate) fn between<'t>(cx: &mut Context<'_>, node: &'t Node) -> Option<[At<&'t str>; 2]> {
    let nodes = list(cx, "between", node)?;
    let [a, b] = nodes else {
        let message = "`between` takes two frames";
        let label = format!("{} given", nodes.len());
        cx.report(Diagnostic::error("G0107", message).at(node.span, label));
        return None;
    };
    let (a, b) = (text(cx, "between", a), text(cx, "between", b));
    Some([a?, b?])
}

/// Reads `clearance`, `friction` and `film`.
fn play(cx: &mut Context<'_>, reader: &Reader<'_>, joint: &mut JointSpec<'_>) {
    if cx.ideal.contains(&joint.name.text) {
        joint.loose = reader.get("clearance").is_some();
        return;
    }
    let friction = reader.entry("friction");
    let film = reader.entry("film");
    let Some((key, node)) = reader.entry("clearance") else {
        if let Some((key, _)) = film {
            films::refuse_without_clearance(cx, &reader.owner, &joint.name.text, key);
        }
        if let Some(friction) = friction {
            joint.friction = frictions::of_joint(cx, joint.kind, &reader.owner, friction);
        }
        return;
    };
    joint.loose = true;
    let friction = friction.and_then(|(key, node)| frictions::of_contact(cx, key, node));
    let wet = film.is_some_and(|(_, film)| !films::is_hybrid(film));
    let Some(mut clearance) = clearances::read(cx, &joint.name, joint.kind, key, node, wet) else {
        return;
    };
    if clearance.slides == Slides::Centres && friction.as_ref().is_some_and(FrictionLaw::has_state)
    {
        let message =
            format!("bristles of joint `{}` need the velocity of surfaces", joint.name.text);
        let diagnostic = Diagnostic::error("G0541", message)
            .at(key.span, "friction sees centres here")
            .help("leave `sliding = \"centres\"` out, or take a law without bristles, such as `coulomb`");
        cx.report(diagnostic);
        return;
    }
    clearance.friction = friction;
    if let Some((key, node)) = film {
        clearance.film = Some(match films::read(cx, &joint.name, &clearance, key, node) {
            Some(film) => film,
            None => return,
        });
        let flanges = matches!(clearance.form, Form::Journal { axial: Axial::Play { .. }, .. });
        if wet && !flanges {
            let rubbing = reader.entry("friction").map(|(key, _)| key);
            films::warn_of_unused(cx, &joint.name.text, reader.get("clearance"), rubbing);
        }
    }
    joint.clearance = Some(clearance);
}
