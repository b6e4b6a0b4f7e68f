//! `clearance`: the shape of the surfaces with play, and where it may stand.
//!
//! | joint | surfaces |
//! |---|---|
//! | revolute in the plane | a pin in a hole |
//! | prismatic in the plane | a rectangle between two walls |
//! | revolute, cylindrical in space | a journal with two bases in a bore |
//! | spherical | a ball in a socket |
//!
//! `stiffness` and materials speak of the whole joint: each base of a journal gets half of it, the one
//! contact of a journal that cannot tilt all.

use gudgeon::clearance::normal::NormalLaw;
use gudgeon::model::{Axial, Clearance, Form, JointKind, Slides, Space, Tilt};

use crate::diagnostic::Diagnostic;
use crate::keys::{Keys, Kind, RADII, optional};
use crate::reader::{At, Context, Reader};
use crate::spec::contacts::{CONTACT, Contact};
use crate::tree::{Name, Node};
use crate::turns::spatial_only;
use crate::units::Dimension;
use crate::values;

const LENGTH: Kind = Kind::Quantity(Dimension::LENGTH);

pub(crate) const CLEARANCE: Keys = Keys {
    about: "play between a journal and its bearing",
    keys: &[
        optional("bearing_radius", LENGTH, "radius of the bearing"),
        optional("radial", LENGTH, "radial clearance: bearing radius minus journal radius"),
        optional("diametral", LENGTH, "diametral clearance: twice the radial one"),
        optional("journal_radius", LENGTH, "radius of the journal"),
        optional(
            "contact",
            Kind::Table(&CONTACT),
            "the law of the contact; needed without a film, and by `hybrid` ones",
        ),
        optional("length", LENGTH, "distance of a journal's bases, or length of a slider"),
        optional("bearing_length", LENGTH, "length of the bore; `length` unless given"),
        optional(
            "axial",
            Kind::Choice(&["free", "fixed"]),
            "along its axis; a revolute joint is fixed, a cylindrical one free unless given",
        ),
        optional(
            "tilt",
            Kind::Choice(&["free", "fixed"]),
            "free: the journal may tilt in its bearing; fixed: axes stay parallel, one contact",
        ),
        optional("axial_clearance", LENGTH, "play along the axis to either side, with flanges"),
        optional("flange_radius", LENGTH, "where flanges rub; 1.25 bearing radii unless given"),
        optional("gap", LENGTH, "between the centred slider and each wall of a guide"),
        optional("width", LENGTH, "size of a slider across its guide"),
        optional(
            "sliding",
            Kind::Choice(&["surfaces", "centres"]),
            "whose velocity friction sees; surfaces unless given",
        ),
    ],
};

/// The kind of surfaces, which decides on the keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Surfaces {
    Pin,
    /// Whether the joint is cylindrical.
    Journal(bool),
    Ball,
    Guide,
}

/// Bearing radius and radial clearance, m.
#[derive(Clone, Copy)]
pub(crate) struct Radii {
    pub bearing: f64,
    pub radial: f64,
}

/// Keys of journals in space.
const OF_JOURNALS: &[&str] =
    &["bearing_length", "axial", "tilt", "axial_clearance", "flange_radius"];
const OF_GUIDES: &[&str] = &["gap", "width"];
/// Radius at which flanges rub where the file gives none, in bearing radii.
const FLANGE: f64 = 1.25;

impl Surfaces {
    fn of(kind: JointKind, space: Space) -> Option<Self> {
        match (kind, space) {
            (JointKind::Revolute, Space::Planar) => Some(Self::Pin),
            (JointKind::Prismatic, Space::Planar) => Some(Self::Guide),
            (JointKind::Revolute, Space::Spatial) => Some(Self::Journal(false)),
            (JointKind::Cylindrical, Space::Spatial) => Some(Self::Journal(true)),
            (JointKind::Spherical, Space::Spatial) => Some(Self::Ball),
            _ => None,
        }
    }

    fn refuse_other_keys(self, cx: &mut Context<'_>, reader: &Reader<'_>) {
        let refuse = |cx: &mut Context<'_>, keys: &[&str], why: &str| {
            reader.refuse(cx, "G0516", keys, why);
        };
        match self {
            Self::Pin => {
                for key in ["length"].iter().chain(OF_JOURNALS) {
                    spatial_only(cx, reader, key, "remove it");
                }
                refuse(cx, OF_GUIDES, "only for prismatic joints");
            }
            Self::Journal(_) => refuse(cx, OF_GUIDES, "only for prismatic joints"),
            Self::Ball => {
                refuse(cx, &["length"], "a ball has none");
                refuse(cx, OF_JOURNALS, "only for revolute and cylindrical joints");
                refuse(cx, OF_GUIDES, "only for prismatic joints");
            }
            Self::Guide => {
                refuse(cx, &["bearing_radius"], "a guide is straight");
                refuse(cx, RADII, "a guide has a `gap`");
                refuse(cx, OF_JOURNALS, "only for revolute and cylindrical joints");
                refuse(cx, &["sliding"], "a guide has no centres that turn");
            }
        }
    }
}

/// Reads the table; `wet` where a film keeps the surfaces apart.
pub(crate) fn read(
    cx: &mut Context<'_>,
    joint: &Name,
    kind: Option<JointKind>,
    key: &Name,
    node: &Node,
    wet: bool,
) -> Option<Clearance> {
    let surfaces = kind.and_then(|kind| Surfaces::of(kind, cx.space));
    if kind.is_some() && surfaces.is_none() {
        refuse(cx, joint, key);
    }
    let owner = format!("clearance of joint `{}`", joint.text);
    let reader = Reader::open(cx, owner, key.span, node, &CLEARANCE)?;
    // A film keeps the surfaces apart, but not flanges.
    let dry = !wet || reader.get("axial_clearance").is_some();
    if dry {
        reader.needed(cx, "contact");
    }
    let given = reader.get("contact").is_some();
    let contact = reader.entry("contact").and_then(|(key, node)| {
        let owner = format!("contact of joint `{}`", joint.text);
        Reader::open(cx, owner, key.span, node, &CONTACT)
    });
    let contact = contact.and_then(|reader| Contact::read(cx, &reader, surfaces));
    let radii = match surfaces {
        Some(Surfaces::Guide) => gap(cx, &reader),
        // Of a joint whose type is not known all but guides have radii.
        None if kind.is_some() || reader.get("gap").is_some() => None,
        _ => radii(cx, joint, &reader),
    };
    let surfaces = surfaces?;
    surfaces.refuse_other_keys(cx, &reader);
    let total = |radii| contact.as_ref().map(|contact| contact.normal(radii));
    let form = form(cx, &reader, surfaces, radii, radii.and_then(total));
    if let (Some(radii), Some(contact)) = (radii, &contact) {
        contact.check(cx, radii)?;
    }
    let slides = match reader.choice(cx, "sliding").map(|choice| choice.value) {
        Some("centres") => Slides::Centres,
        _ => Slides::Surfaces,
    };
    let (radii, form) = (radii?, form?);
    if !dry && !given {
        return Some(filled(form, radii));
    }
    let contact = contact?;
    let total = if wet { NormalLaw::NONE } else { contact.normal(radii) };
    let normal = match form {
        Form::Journal { tilt: Tilt::Free, .. } => total.shared(0.5),
        _ => total,
    };
    Some(Clearance {
        form,
        bearing_radius: radii.bearing,
        radial: radii.radial,
        normal,
        friction: None,
        onset_floor: contact.onset_floor,
        film: None,
        slides,
        materials: contact.materials,
    })
}

/// A gap that a film fills.
fn filled(form: Form, radii: Radii) -> Clearance {
    Clearance {
        form,
        bearing_radius: radii.bearing,
        radial: radii.radial,
        normal: NormalLaw::NONE,
        friction: None,
        onset_floor: 0.0,
        film: None,
        slides: Slides::Surfaces,
        materials: None,
    }
}

fn refuse(cx: &mut Context<'_>, joint: &Name, key: &Name) {
    let which = match cx.space {
        Space::Planar => "revolute and prismatic joints have play in the plane",
        Space::Spatial => "revolute, cylindrical and spherical joints have play in space",
    };
    let message = format!("joint `{}` cannot have clearance", joint.text);
    let diagnostic = Diagnostic::error("G0508", message)
        .at(key.span, which)
        .help("remove the `clearance` table, or change `type`");
    cx.report(diagnostic);
}

fn form(
    cx: &mut Context<'_>,
    reader: &Reader<'_>,
    surfaces: Surfaces,
    radii: Option<Radii>,
    total: Option<NormalLaw>,
) -> Option<Form> {
    match surfaces {
        Surfaces::Pin => Some(Form::Pin),
        Surfaces::Ball => Some(Form::Ball),
        Surfaces::Guide => {
            let [length, width] = ["length", "width"].map(|key| {
                reader.needed(cx, key)?;
                positive(cx, reader, key)
            });
            Some(Form::Guide { length: length?.value, width: width?.value })
        }
        Surfaces::Journal(cylindrical) => {
            let lengths = lengths(cx, reader);
            let axial = axial(cx, reader, cylindrical, radii, total);
            let fixed = reader.choice(cx, "tilt").is_some_and(|given| given.value == "fixed");
            let tilt = if fixed { Tilt::Fixed } else { Tilt::Free };
            let ([length, bearing_length], axial) = (lengths?, axial?);
            Some(Form::Journal { length, bearing_length, axial, tilt })
        }
    }
}

fn positive(cx: &mut Context<'_>, reader: &Reader<'_>, key: &str) -> Option<At<f64>> {
    let size = reader.quantity(cx, key)?;
    if size.value <= 0.0 {
        let message = format!("`{key}` of the {} must be positive", reader.owner);
        cx.report(Diagnostic::error("G0516", message).at(size.span, "zero or negative"));
        return None;
    }
    Some(size)
}

fn mm(metres: f64) -> String {
    format!("{} mm", values::rounded(metres * 1e3))
}

/// Of the journal and of its bearing.
fn lengths(cx: &mut Context<'_>, reader: &Reader<'_>) -> Option<[f64; 2]> {
    reader.needed(cx, "length");
    let length = positive(cx, reader, "length");
    if reader.get("bearing_length").is_none() {
        return length.map(|length| [length.value; 2]);
    }
    let bearing = positive(cx, reader, "bearing_length");
    let (length, bearing) = (length?, bearing?);
    if length.value > bearing.value {
        let message = "the journal cannot be longer than its bearing";
        let diagnostic = Diagnostic::error("G0516", message)
            .at(length.span, format!("journal {}", mm(length.value)))
            .also(bearing.span, format!("bearing {}", mm(bearing.value)))
            .help("`length` is that part of the journal which lies in the bearing");
        cx.report(diagnostic);
        return None;
    }
    Some([length.value, bearing.value])
}

fn axial(
    cx: &mut Context<'_>,
    reader: &Reader<'_>,
    cylindrical: bool,
    radii: Option<Radii>,
    total: Option<NormalLaw>,
) -> Option<Axial> {
    reader.not_both(cx, "axial", "axial_clearance")?;
    if reader.get("axial_clearance").is_none() {
        reader.refuse(cx, "G0516", &["flange_radius"], "flanges come with `axial_clearance`");
        let default = if cylindrical { "free" } else { "fixed" };
        let given = reader.choice(cx, "axial");
        if let Some(given) = given.filter(|given| cylindrical && given.value == "fixed") {
            let diagnostic =
                Diagnostic::error("G0516", "a cylindrical joint slides along its axis")
                    .at(given.span, "fixed")
                    .help("write `type = \"revolute\"` for a journal that cannot slide");
            cx.report(diagnostic);
            return None;
        }
        let fixed = given.map_or(default, |given| given.value) == "fixed";
        return Some(if fixed { Axial::Fixed } else { Axial::Free });
    }
    let clearance = positive(cx, reader, "axial_clearance");
    let radius = flange(cx, reader, radii);
    Some(Axial::Play { clearance: clearance?.value, radius: radius?, normal: total? })
}

fn flange(cx: &mut Context<'_>, reader: &Reader<'_>, radii: Option<Radii>) -> Option<f64> {
    if reader.get("flange_radius").is_none() {
        return radii.map(|radii| FLANGE * radii.bearing);
    }
    let radius = positive(cx, reader, "flange_radius");
    let (radius, radii) = (radius?, radii?);
    if radius.value < radii.bearing {
        let message = "flanges rub outside the bore of their bearing";
        let diagnostic = Diagnostic::error("G0516", message)
            .at(radius.span, format!("less than the bearing radius {}", mm(radii.bearing)));
        cx.report(diagnostic);
        return None;
    }
    Some(radius.value)
}

/// A guide has a gap in place of the radial clearance, and no radius.
fn gap(cx: &mut Context<'_>, reader: &Reader<'_>) -> Option<Radii> {
    reader.needed(cx, "gap")?;
    let gap = positive(cx, reader, "gap")?;
    Some(Radii { bearing: 0.0, radial: gap.value })
}

fn radii(cx: &mut Context<'_>, joint: &Name, reader: &Reader<'_>) -> Option<Radii> {
    reader.needed(cx, "bearing_radius");
    let bearing = reader.quantity(cx, "bearing_radius");
    let key = reader.exactly_one(cx, RADII)?;
    let given = reader.quantity(cx, key);
    let (bearing, given) = (bearing?, given?);
    if bearing.value <= 0.0 {
        let message = format!("the bearing radius of `{}` must be positive", joint.text);
        cx.report(Diagnostic::error("G0501", message).at(bearing.span, "zero or negative"));
        return None;
    }
    let radial = match key {
        "radial" => given.value,
        "diametral" => 0.5 * given.value,
        _ => bearing.value - given.value,
    };
    let problem = if key == "journal_radius" && radial <= 0.0 {
        ("G0503", "journal of joint `{}` must be smaller than its bearing", "not smaller")
    } else if key == "journal_radius" && given.value <= 0.0 {
        ("G0503", "journal radius of joint `{}` must be positive", "zero or negative")
    } else if radial <= 0.0 {
        ("G0504", "clearance of joint `{}` must be positive", "zero or negative")
    } else if radial >= bearing.value {
        ("G0502", "clearance of joint `{}` must be smaller than the bearing radius", "too large")
    } else {
        return Some(Radii { bearing: bearing.value, radial });
    };
    let (code, message, label) = problem;
    let message = format!("the {}", message.replace("{}", &joint.text));
    let diagnostic = Diagnostic::error(code, message)
        .at(given.span, format!("{label}: {}", mm(given.value)))
        .also(bearing.span, format!("bearing radius {}", mm(bearing.value)));
    cx.report(match code {
        "G0504" => {
            diagnostic.help(format!("for a joint without play use `--ideal {}`", joint.text))
        }
        _ => diagnostic.help("check the units of both"),
    });
    None
}
