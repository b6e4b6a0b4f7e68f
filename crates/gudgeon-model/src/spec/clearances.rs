//! `clearance`: radii of journal and bearing, and the normal law of their contact.
//!
//! The contact table takes every key with every law, so that one file serves all laws and
//! `--law` can switch between them; a law that lacks a key it needs says so.

use gudgeon::clearance::normal::{Damping, Elastic, NormalLaw, composite_modulus, hertz_stiffness};
use gudgeon::model::{Clearance, Material};

use crate::diagnostic::Diagnostic;
use crate::keys::{Keys, Kind, RADII, optional, required};
use crate::reader::{At, Context, Reader, text};
use crate::source::Span;
use crate::spec::shapes::find_material;
use crate::tree::{Name, Node, Value};
use crate::units::Dimension;
use crate::values;

pub(crate) const LAWS: &[&str] = &[
    "hertz",
    "lankarani-nikravesh",
    "lankarani-nikravesh-qin-lu",
    "hunt-crossley",
    "flores",
    "gonthier",
    "bai-zhao",
    "elastic-foundation",
];

const LENGTH: Kind = Kind::Quantity(Dimension::LENGTH);

pub(crate) const CLEARANCE: Keys = Keys {
    about: "play between a journal and its bearing",
    keys: &[
        required("bearing_radius", LENGTH, "radius of the bearing"),
        optional("radial", LENGTH, "radial clearance: bearing radius minus journal radius"),
        optional("diametral", LENGTH, "diametral clearance: twice the radial one"),
        optional("journal_radius", LENGTH, "radius of the journal"),
        required("contact", Kind::Table(&CONTACT), "the law of the contact"),
        optional("length", Kind::Later, "the length of a journal matters in space only"),
        optional("axial", Kind::Later, "axial play exists in space only"),
    ],
};

pub(crate) const CONTACT: Keys = Keys {
    about: "normal force between journal and bearing",
    keys: &[
        required("law", Kind::Choice(LAWS), "name of the normal law"),
        optional("stiffness", Kind::Varies("3.4e9 N/m^1.5"), "K of F = K δⁿ, in N/mⁿ"),
        optional(
            "material",
            Kind::Either(&[Kind::Text, Kind::List(&Kind::Text)]),
            "materials of bearing and journal, or one for both",
        ),
        optional("restitution", Kind::Number, "coefficient of restitution, 0 to 1"),
        optional("exponent", Kind::Number, "n of F = K δⁿ, 1.5 to 2.5; 1.5 unless given"),
        optional("width", LENGTH, "width of the bearing"),
        optional(
            "reading",
            Kind::Choice(&["printed", "slope", "consistent"]),
            "how to read the law `bai-zhao`; consistent unless given",
        ),
        optional(
            "onset_floor",
            Kind::Quantity(Dimension::SPEED),
            "least impact speed that damping divides by; 1e-6 m/s unless given",
        ),
        optional("stiffness_per_base", Kind::Later, "journals have two bases in space only"),
    ],
};

const EXPONENT: f64 = 1.5;
const ONSET_FLOOR: f64 = 1e-6;

#[derive(Clone, Copy)]
struct Radii {
    bearing: f64,
    radial: f64,
}

pub(crate) fn read(
    cx: &mut Context<'_>,
    joint: &Name,
    key: &Name,
    node: &Node,
) -> Option<Clearance> {
    let owner = format!("clearance of joint `{}`", joint.text);
    let reader = Reader::open(cx, owner, key.span, node, &CLEARANCE)?;
    let radii = radii(cx, joint, &reader);
    let contact = reader.entry("contact").and_then(|(key, node)| {
        let owner = format!("contact of joint `{}`", joint.text);
        Reader::open(cx, owner, key.span, node, &CONTACT)
    });
    let contact = contact.and_then(|reader| Contact::read(cx, &reader));
    let (radii, contact) = (radii?, contact?);
    Some(Clearance {
        bearing_radius: radii.bearing,
        radial: radii.radial,
        normal: contact.normal(radii),
        friction: None,
        onset_floor: contact.onset_floor,
        materials: contact.materials,
    })
}

fn radii(cx: &mut Context<'_>, joint: &Name, reader: &Reader<'_>) -> Option<Radii> {
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
    let mm = |metres: f64| format!("{} mm", values::rounded(metres * 1e3));
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

struct Contact {
    law: &'static str,
    stiffness: Option<f64>,
    materials: Option<[Material; 2]>,
    restitution: Option<f64>,
    exponent: f64,
    width: Option<f64>,
    reading: &'static str,
    onset_floor: f64,
}

impl Contact {
    fn read(cx: &mut Context<'_>, reader: &Reader<'_>) -> Option<Self> {
        let errors = cx.diagnostics.len();
        let law = reader.choice(cx, "law");
        let exponent = in_range(cx, reader, "exponent", 1.5, 2.5).map_or(EXPONENT, |e| e.value);
        let stiffness = stiffness(cx, reader, exponent);
        let materials = reader.get("material").and_then(|node| materials(cx, node));
        let restitution = in_range(cx, reader, "restitution", 0.0, 1.0);
        let width = reader.quantity(cx, "width");
        let reading = reader.choice(cx, "reading").map_or("consistent", |reading| reading.value);
        let onset_floor = reader.quantity(cx, "onset_floor");
        check_sign(cx, "stiffness", stiffness, f64::MIN_POSITIVE, "positive");
        check_sign(cx, "width", width, f64::MIN_POSITIVE, "positive");
        check_sign(cx, "onset_floor", onset_floor, 0.0, "zero or positive");
        if let Some(law) = law {
            check_needs(cx, reader, law, reading, exponent);
            check_divisor(cx, law, restitution);
        }
        if cx.diagnostics.len() > errors {
            return None;
        }
        Some(Self {
            law: law?.value,
            stiffness: stiffness.map(|stiffness| stiffness.value),
            materials,
            restitution: restitution.map(|restitution| restitution.value),
            exponent,
            width: width.map(|width| width.value),
            reading,
            onset_floor: onset_floor.map_or(ONSET_FLOOR, |floor| floor.value),
        })
    }

    /// The law; [`check_needs`] has made sure that its data are there.
    fn normal(&self, radii: Radii) -> NormalLaw {
        let elastic = match (self.law, self.reading) {
            ("bai-zhao", "printed") => {
                let (modulus, clearance) = (self.modulus(), radii.radial);
                Elastic::HybridPrinted { modulus, clearance, exponent: self.exponent }
            }
            ("bai-zhao", "slope") => {
                let (modulus, clearance) = (self.modulus(), radii.radial);
                Elastic::HybridSlope { modulus, clearance, width: self.width.unwrap_or(0.0) }
            }
            ("bai-zhao" | "elastic-foundation", _) => {
                let (modulus, clearance) = (self.modulus(), radii.radial);
                Elastic::Foundation { modulus, clearance, width: self.width.unwrap_or(0.0) }
            }
            _ => Elastic::Power {
                stiffness: self.stiffness.unwrap_or_else(|| self.hertz(radii)),
                exponent: self.exponent,
            },
        };
        NormalLaw::new(elastic, self.damping())
    }

    fn damping(&self) -> Damping {
        let Some(restitution) = self.restitution else { return Damping::None };
        match self.law {
            "hertz" => Damping::None,
            "lankarani-nikravesh-qin-lu" | "bai-zhao" => Damping::QinLu { restitution },
            "hunt-crossley" => Damping::HuntCrossley { restitution },
            "flores" => Damping::Flores { restitution },
            "gonthier" => Damping::Gonthier { restitution },
            _ => Damping::LankaraniNikravesh { restitution },
        }
    }

    fn modulus(&self) -> f64 {
        self.materials
            .as_ref()
            .map_or(0.0, |[bearing, journal]| composite_modulus(bearing, journal))
    }

    fn hertz(&self, radii: Radii) -> f64 {
        self.materials.as_ref().map_or(0.0, |[bearing, journal]| {
            hertz_stiffness(radii.bearing, radii.bearing - radii.radial, bearing, journal)
        })
    }
}

fn in_range(
    cx: &mut Context<'_>,
    reader: &Reader<'_>,
    key: &str,
    low: f64,
    high: f64,
) -> Option<At<f64>> {
    let value = reader.quantity(cx, key)?;
    if !(low..=high).contains(&value.value) {
        let code = if key == "restitution" { "G0505" } else { "G0506" };
        let message = format!("`{key}` must lie between {low} and {high}");
        cx.report(
            Diagnostic::error(code, message).at(value.span, format!("{} given", value.value)),
        );
        return None;
    }
    Some(value)
}

fn check_sign(cx: &mut Context<'_>, key: &str, value: Option<At<f64>>, least: f64, word: &str) {
    if let Some(value) = value.filter(|value| value.value < least) {
        let message = format!("`{key}` must be {word}");
        cx.report(Diagnostic::error("G0512", message).at(value.span, "out of range"));
    }
}

/// K in N/mⁿ; a wrong power of the length is told together with the exponent that asks for it.
fn stiffness(cx: &mut Context<'_>, reader: &Reader<'_>, exponent: f64) -> Option<At<f64>> {
    let dimension = Dimension::contact_stiffness(exponent);
    let node = reader.get("stiffness")?;
    if let Value::Text { .. } = node.value {
        let found = values::any(cx, "stiffness", node)?.dimension;
        if !dimension.accepts(found) {
            let unit = format!("N/m^{}", values::rounded(exponent));
            let message = format!("`stiffness` must be given in {unit}");
            let diagnostic = Diagnostic::error("G0515", message)
                .at(node.span, format!("this is {}", found.describe()))
                .help(format!("for the exponent {} write a unit such as `{unit}`", exponent));
            cx.report(match reader.get("exponent") {
                Some(exponent) => diagnostic.also(exponent.span, "because of this exponent"),
                None => diagnostic,
            });
            return None;
        }
    }
    reader.quantity_in(cx, "stiffness", dimension)
}

/// One material for both sides, or bearing and journal.
fn materials(cx: &mut Context<'_>, node: &Node) -> Option<[Material; 2]> {
    match &node.value {
        Value::List(nodes) => {
            let [bearing, journal] = nodes.as_slice() else {
                let message = "`material` takes one name, or two: bearing and journal";
                let label = format!("{} given", nodes.len());
                cx.report(Diagnostic::error("G0107", message).at(node.span, label));
                return None;
            };
            let mut find =
                |node| text(cx, "material", node).and_then(|name| find_material(cx, name));
            let (bearing, journal) = (find(bearing), find(journal));
            Some([bearing?, journal?])
        }
        _ => {
            let name = text(cx, "material", node)?;
            let material = find_material(cx, name)?;
            Some([material.clone(), material])
        }
    }
}

/// Every law finds the keys it needs.
fn check_needs(
    cx: &mut Context<'_>,
    reader: &Reader<'_>,
    law: At<&str>,
    reading: &str,
    exponent: f64,
) {
    let mut lacks = |what: &str, help: &str| {
        let message = format!("law `{}` needs {what}", law.value);
        let label = format!("{} has none", reader.owner);
        cx.report(Diagnostic::error("G0507", message).at(law.span, label).help(help));
    };
    let has = |key: &str| reader.get(key).is_some();
    let foundation = matches!(law.value, "bai-zhao" | "elastic-foundation");
    if foundation && !has("material") {
        lacks("`material`", "add `material = [\"bronze\", \"steel\"]`: bearing and journal");
    }
    if foundation && (law.value, reading) != ("bai-zhao", "printed") && !has("width") {
        lacks("`width`", "add the width of the bearing, such as `width = \"40 mm\"`");
    }
    if !foundation && !has("stiffness") && !has("material") {
        lacks("`stiffness` or `material`", "add `stiffness = \"3.4e9 N/m^1.5\"` or a `material`");
    }
    if !foundation && !has("stiffness") && has("material") && exponent != EXPONENT {
        lacks(
            "`stiffness` for this exponent",
            "materials give the stiffness of the exponent 1.5 only; give it in N/m^exponent",
        );
    }
    if !matches!(law.value, "hertz" | "elastic-foundation") && !has("restitution") {
        lacks("`restitution`", "add `restitution = 0.9`, or take `law = \"hertz\"`");
    }
}

/// Laws that divide by the restitution cannot take zero.
fn check_divisor(cx: &mut Context<'_>, law: At<&str>, restitution: Option<At<f64>>) {
    let Some(zero) = restitution.filter(|restitution| restitution.value == 0.0) else { return };
    if matches!(law.value, "flores" | "gonthier") {
        let message = format!("law `{}` divides by the restitution", law.value);
        let place: Span = zero.span;
        let diagnostic = Diagnostic::error("G0513", message)
            .at(place, "zero given")
            .help("give a small positive value, or take `law = \"hunt-crossley\"`");
        cx.report(diagnostic);
    }
}
