//! `contact`: the normal law of journal and bearing.
//!
//! The table takes every key with every law, so that one file serves all laws and `--law` can
//! switch between them; a law that lacks a key it needs says so.

use std::sync::Arc;

use gudgeon::clearance::formula::NormalFormula;
use gudgeon::clearance::normal::{Damping, Elastic, NormalLaw, composite_modulus, hertz_stiffness};
use gudgeon::formula::Formula;
use gudgeon::model::Material;

use crate::diagnostic::Diagnostic;
use crate::keys::{Keys, Kind, optional, required};
use crate::reader::{At, Context, Reader, text};
use crate::source::Span;
use crate::spec::clearances::{Radii, Surfaces};
use crate::spec::laws;
use crate::spec::shapes::find_material;
use crate::tree::{Node, Value};
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
    "impact",
    "formula",
];

const LENGTH: Kind = Kind::Quantity(Dimension::LENGTH);

pub(crate) const CONTACT: Keys = Keys {
    about: "normal force between journal and bearing",
    keys: &[
        required("law", Kind::Choice(LAWS), "name of the normal law"),
        optional(
            "stiffness",
            Kind::Varies("3.4e9 N/m^1.5"),
            "K of F = K δⁿ of the whole joint, in N/mⁿ",
        ),
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
        optional(
            "stiffness_per_base",
            Kind::Varies("3.4e9 N/m^1.5"),
            "K of each of the two bases of a journal in space, instead of `stiffness`",
        ),
        optional(
            "force",
            Kind::Function(Dimension::FORCE),
            "force of the whole joint under law `formula`, of delta, delta_rate and impact_speed",
        ),
        optional(
            "damping",
            Kind::Quantity(Dimension::DAMPING),
            "of law `impact`: its largest damping, in N s/m, of the whole joint",
        ),
        optional("full_depth", LENGTH, "of law `impact`: depth from which its damping is whole"),
    ],
};

/// A depth that contacts reach, in clearances.
const TYPICAL: f64 = 0.01;
const EXPONENT: f64 = 1.5;
const ONSET_FLOOR: f64 = 1e-6;

pub(crate) struct Contact {
    law: &'static str,
    /// Of the whole joint, from `stiffness` or twice `stiffness_per_base`.
    stiffness: Option<f64>,
    pub materials: Option<[Material; 2]>,
    restitution: Option<f64>,
    exponent: f64,
    width: Option<f64>,
    reading: &'static str,
    pub onset_floor: f64,
    formula: Option<At<Formula>>,
    /// Largest damping and the depth where it is reached, of law `impact`.
    impact: Option<(f64, f64)>,
}

impl Contact {
    /// Reads the table; `surfaces` are those of the joint where its kind is known.
    pub fn read(
        cx: &mut Context<'_>,
        reader: &Reader<'_>,
        surfaces: Option<Surfaces>,
    ) -> Option<Self> {
        let errors = cx.diagnostics.len();
        let law = reader.choice(cx, "law");
        let exponent = in_range(cx, reader, "exponent", 1.5, 2.5).map_or(EXPONENT, |e| e.value);
        let stiffness = stiffness(cx, reader, surfaces, exponent);
        let materials = reader.get("material").and_then(|node| materials(cx, node));
        let restitution = in_range(cx, reader, "restitution", 0.0, 1.0);
        let width = reader.quantity(cx, "width");
        let reading = reader.choice(cx, "reading").map_or("consistent", |reading| reading.value);
        let onset_floor = reader.quantity(cx, "onset_floor");
        let formula = reader.get("force").and_then(|node| {
            let value = laws::formula(cx, "force", node, &laws::NORMAL)?;
            Some(At { value, span: node.span })
        });
        check_sign(cx, "width", width, f64::MIN_POSITIVE, "positive");
        check_sign(cx, "onset_floor", onset_floor, 0.0, "zero or positive");
        let damping = reader.quantity(cx, "damping");
        let full_depth = reader.quantity(cx, "full_depth");
        check_sign(cx, "damping", damping, 0.0, "zero or positive");
        check_sign(cx, "full_depth", full_depth, f64::MIN_POSITIVE, "positive");
        if let Some(law) = law {
            match surfaces {
                Some(Surfaces::Guide | Surfaces::Ball) if is_foundation(law.value) => {
                    refuse_foundation(cx, law);
                }
                _ if law.value == "formula" => check_formula(cx, reader, law),
                _ if law.value == "impact" => check_impact(cx, reader, law),
                Some(Surfaces::Guide) => check_guide_needs(cx, reader, law),
                _ => check_needs(cx, reader, law, reading, exponent),
            }
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
            formula: formula.filter(|_| law.is_some_and(|law| law.value == "formula")),
            impact: damping.zip(full_depth).map(|(c, d)| (c.value, d.value)),
        })
    }

    /// The law of the whole joint; [`check_needs`] has made sure that its data are there.
    pub fn normal(&self, radii: Radii) -> NormalLaw {
        if let Some(law) = self.by_formula(radii) {
            return NormalLaw::Formula(Arc::new(law));
        }
        if self.law == "impact" {
            let (damping, depth) = self.impact.unwrap_or((0.0, 1.0));
            let stiffness = self.stiffness.unwrap_or(0.0);
            let law = laws::impact(stiffness, self.exponent, damping, depth);
            return NormalLaw::Formula(Arc::new(NormalFormula::new(law, TYPICAL * radii.radial)));
        }
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

    fn by_formula(&self, radii: Radii) -> Option<NormalFormula> {
        let formula = self.formula.as_ref()?;
        Some(NormalFormula::new(formula.value.clone(), TYPICAL * radii.radial))
    }

    /// Refuses a formula that is no contact law for this gap.
    pub fn check(&self, cx: &mut Context<'_>, radii: Radii) -> Option<()> {
        match (self.by_formula(radii), &self.formula) {
            (Some(law), Some(formula)) => laws::check_force(cx, &law, formula.span, radii.radial),
            _ => Some(()),
        }
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
        let (code, help) = match key {
            "restitution" => {
                ("G0505", "1 keeps all speed of an impact, 0 none; steel has about 0.9")
            }
            _ => ("G0506", "1.5 is that of Hertz' contact; leave it out for that"),
        };
        let message = format!("`{key}` must lie between {low} and {high}");
        let diagnostic = Diagnostic::error(code, message);
        cx.report(diagnostic.at(value.span, format!("{} given", value.value)).help(help));
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

/// K of the whole joint in N/mⁿ.
fn stiffness(
    cx: &mut Context<'_>,
    reader: &Reader<'_>,
    surfaces: Option<Surfaces>,
    exponent: f64,
) -> Option<At<f64>> {
    reader.not_both(cx, "stiffness", "stiffness_per_base")?;
    if surfaces.is_some_and(|surfaces| !matches!(surfaces, Surfaces::Journal(_))) {
        let why = "only journals in space have two bases";
        reader.refuse(cx, "G0516", &["stiffness_per_base"], why);
    }
    let total = stiffness_of(cx, reader, "stiffness", exponent);
    let of_base = stiffness_of(cx, reader, "stiffness_per_base", exponent);
    total.or(of_base.map(|base| At { value: 2.0 * base.value, ..base }))
}

/// A wrong power of the length is told together with the exponent that asks for it.
fn stiffness_of(
    cx: &mut Context<'_>,
    reader: &Reader<'_>,
    key: &str,
    exponent: f64,
) -> Option<At<f64>> {
    let dimension = Dimension::contact_stiffness(exponent);
    let node = reader.get(key)?;
    if let Value::Text { .. } = node.value {
        let found = values::any(cx, key, node)?.dimension;
        if !dimension.accepts(found) {
            let unit = format!("N/m^{}", values::rounded(exponent));
            let message = format!("`{key}` must be given in {unit}");
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
    let stiffness = reader.quantity_in(cx, key, dimension);
    check_sign(cx, key, stiffness, f64::MIN_POSITIVE, "positive");
    stiffness
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

/// Laws of a cylinder in a bore, which take the width of the bearing.
fn is_foundation(law: &str) -> bool {
    matches!(law, "bai-zhao" | "elastic-foundation")
}

fn refuse_foundation(cx: &mut Context<'_>, law: At<&str>) {
    let message = format!("law `{}` is that of a cylinder in a bore", law.value);
    let diagnostic = Diagnostic::error("G0507", message)
        .at(law.span, "not for guides and balls")
        .help("take a law with a `stiffness`, such as `lankarani-nikravesh`");
    cx.report(diagnostic);
}

/// A law by formula has one.
fn check_formula(cx: &mut Context<'_>, reader: &Reader<'_>, law: At<&str>) {
    if reader.get("force").is_some() {
        return;
    }
    let diagnostic = Diagnostic::error("G0523", "law `formula` needs `force`")
        .at(law.span, format!("{} has none", reader.owner))
        .help("add `force = \"= 3e9 N/m^1.5 * delta^1.5\"`, an expression of `delta`, `delta_rate` and `impact_speed`");
    cx.report(diagnostic);
}

/// What the law of that name asks for; nothing follows from materials.
fn check_impact(cx: &mut Context<'_>, reader: &Reader<'_>, law: At<&str>) {
    let stiff = reader.get("stiffness").or(reader.get("stiffness_per_base")).is_some();
    let needs = [
        (stiff, "stiffness", "stiffness = \"1e8 N/m^1.5\""),
        (reader.get("damping").is_some(), "damping", "damping = \"1e3 N s/m\""),
        (reader.get("full_depth").is_some(), "full_depth", "full_depth = \"10 um\""),
    ];
    for (_, key, example) in needs.iter().filter(|(given, ..)| !given) {
        let diagnostic = Diagnostic::error("G0507", format!("law `impact` needs `{key}`"))
            .at(law.span, format!("{} has none", reader.owner))
            .help(format!("add `{example}`"));
        cx.report(diagnostic);
    }
}

/// Corners have no radius from which materials could give a stiffness.
fn check_guide_needs(cx: &mut Context<'_>, reader: &Reader<'_>, law: At<&str>) {
    let mut lacks = |what: &str, help: &str| {
        let message = format!("law `{}` needs {what} in a guide", law.value);
        let label = format!("{} has none", reader.owner);
        cx.report(Diagnostic::error("G0507", message).at(law.span, label).help(help));
    };
    if reader.get("stiffness").is_none() {
        lacks(
            "`stiffness`",
            "materials are not enough: a corner has no radius; add `stiffness = \"1e8 N/m^1.5\"`",
        );
    }
    if law.value != "hertz" && reader.get("restitution").is_none() {
        lacks("`restitution`", "add `restitution = 0.9`, or take `law = \"hertz\"`");
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
    let foundation = is_foundation(law.value);
    let stiff = has("stiffness") || has("stiffness_per_base");
    if foundation && !has("material") {
        lacks("`material`", "add `material = [\"bronze\", \"steel\"]`: bearing and journal");
    }
    if foundation && (law.value, reading) != ("bai-zhao", "printed") && !has("width") {
        lacks("`width`", "add the width of the bearing, such as `width = \"40 mm\"`");
    }
    if !foundation && !stiff && !has("material") {
        lacks("`stiffness` or `material`", "add `stiffness = \"3.4e9 N/m^1.5\"` or a `material`");
    }
    if !foundation && !stiff && has("material") && exponent != EXPONENT {
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
