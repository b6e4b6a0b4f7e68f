//! `section`: section and material of a flexible link, from `shape` and from what is given one by one.
//!
//! x is along the line, y and z across: I_y = ∫ z² dA, I_z = ∫ y² dA. No section twists more stiffly than by
//! J = I_y + I_z, and none has I_z > A c², where c is the distance of its outer fibre along y.

use gudgeon::flexible::{AncfElement, Elasticity, Method, Section};
use gudgeon::model::{Material, Space};

use crate::diagnostic::Diagnostic;
use crate::keys::{Keys, Kind, optional};
use crate::reader::{Context, Reader, listed};
use crate::source::Span;
use crate::spec::shapes::{Rod, Shape, find_material};
use crate::spec::solids::Outline;
use crate::units::Dimension;
use crate::values;

const SECOND_MOMENT: Kind = Kind::Quantity(Dimension::SECOND_MOMENT);
const LENGTH: Kind = Kind::Quantity(Dimension::LENGTH);

pub(crate) const SECTION: Keys = Keys {
    about: "section and material of a flexible link; what is given here wins over the shape",
    keys: &[
        optional("area", Kind::Quantity(Dimension::AREA), "area of the section"),
        optional("inertia_y", SECOND_MOMENT, "∫ z² dA, for bending about y"),
        optional("inertia_z", SECOND_MOMENT, "∫ y² dA, for bending about z"),
        optional("torsion", SECOND_MOMENT, "torsion constant"),
        optional("shear_y", Kind::Number, "shear factor along y; 5/6 unless given"),
        optional("shear_z", Kind::Number, "shear factor along z; 5/6 unless given"),
        optional("fibre_y", LENGTH, "distance of the outer fibre along y, for stress"),
        optional("fibre_z", LENGTH, "distance of the outer fibre along z, for stress"),
        optional("mass_per_length", Kind::Quantity(Dimension::MASS_PER_LENGTH), "mass per length"),
        optional(
            "rotary",
            Kind::Flag,
            "whether the section's own rotation has inertia; true unless given",
        ),
        optional("material", Kind::Text, "name of a material, for stiffness and density"),
        optional("young", Kind::Quantity(Dimension::PRESSURE), "Young's modulus"),
        optional("poisson", Kind::Number, "Poisson's ratio"),
    ],
};

/// For what the section is.
#[derive(Clone, Copy)]
pub(super) struct Wanted {
    pub element: AncfElement,
    pub elasticity: Elasticity,
    /// Springs between rigid elements take what the line of a beam does.
    pub rigid_elements: bool,
    /// Whether the link has a frame that moves with it.
    pub floating: bool,
}

impl Wanted {
    /// Of what could be read.
    pub fn of(method: Option<Method>) -> Self {
        let (element, elasticity, rigid_elements) = match method {
            Some(Method::Ancf { element, elasticity }) => (element, elasticity, false),
            Some(Method::Rfem { .. }) => (AncfElement::Beam, Elasticity::Line, true),
            // The line is all that a link has whose vibration is beside its motion.
            Some(Method::Rigid) => (AncfElement::Cable, Elasticity::Line, false),
            Some(Method::Floating(_) | Method::Erls(_)) => {
                (AncfElement::Beam, Elasticity::Line, false)
            }
            None => (AncfElement::Beam, Elasticity::Line, false),
        };
        let floating = matches!(method, Some(Method::Floating(_) | Method::Erls(_)));
        Self { element, elasticity, rigid_elements, floating }
    }

    /// What elements are called whose sections stay as they are.
    pub fn rigid_sections(self) -> Option<&'static str> {
        match (self.rigid_elements, self.floating) {
            (true, _) => Some("rigid"),
            (_, true) => Some("finite"),
            _ => None,
        }
    }
}

/// Part by which rounding may spoil an inequality.
const SLACK: f64 = 1e-9;

/// What `section` gives, and what of it is wrong.
#[derive(Default)]
struct Given {
    area: Option<f64>,
    inertia_y: Option<f64>,
    inertia_z: Option<f64>,
    torsion: Option<f64>,
    shear_y: Option<f64>,
    shear_z: Option<f64>,
    fibre_y: Option<f64>,
    fibre_z: Option<f64>,
    mass_per_length: Option<f64>,
    rotary: Option<bool>,
    material: Option<Material>,
    young: Option<f64>,
    poisson: Option<f64>,
    wrong: Vec<&'static str>,
}

/// The section of a link; `place` is where it is said that it bends.
pub(super) fn read(
    cx: &mut Context<'_>,
    of_body: &Reader<'_>,
    place: Span,
    shape: Option<(Span, Option<&Shape>)>,
    wanted: Wanted,
) -> Option<Section> {
    let table = match of_body.entry("section") {
        Some((key, node)) => {
            let owner = format!("the section of {}", of_body.owner);
            Some(Reader::open(cx, owner, key.span, node, &SECTION)?)
        }
        None => None,
    };
    let given = table.as_ref().map_or_else(Given::default, |table| Given::read(cx, table, wanted));
    match shape {
        None if table.is_none() => {
            let message = format!("{} bends, but has no section", of_body.owner);
            let diagnostic = Diagnostic::error("G0414", message)
                .at(place, "neither `shape` nor `section` given")
                .help("add `shape = { box = \"15 mm x 10 mm\", from = …, to = …, material = \"steel\" }`, or `section`");
            cx.report(diagnostic);
            return None;
        }
        Some((key, Some(Shape { rod: None, .. }))) => {
            let message = format!("{} bends, but its shape has no constant section", of_body.owner);
            let diagnostic = Diagnostic::error("G0414", message)
                .at(key, "a sphere")
                .help("use `box`, `tube`, `cylinder` or `rod`, or `section` in place of the shape");
            cx.report(diagnostic);
            return None;
        }
        // What is missing may be in the shape that could not be read.
        Some((_, None)) => return None,
        _ => {}
    }
    let rod = shape.and_then(|(_, shape)| shape?.rod.as_ref());
    let place = table.as_ref().map(|table| table.span).or(shape.map(|(key, _)| key));
    let place = place.unwrap_or(of_body.span);
    let mut missing = Vec::new();
    let section = given.complete(cx.space, rod, wanted, &mut missing);
    missing.retain(|key| !given.wrong.contains(key));
    if !missing.is_empty() {
        let thin = rod.is_some_and(|rod| rod.outline.is_none());
        report_missing(cx, &of_body.owner, place, &missing, thin);
    }
    if !missing.is_empty() || !given.wrong.is_empty() {
        return None;
    }
    let at = |key: &str| table.as_ref().and_then(|table| table.get(key)).map_or(place, |n| n.span);
    check(cx, &section, given.torsion.is_some(), &at)?;
    note_torsion(cx, wanted, &given, rod, place);
    Some(section)
}

impl Given {
    fn read(cx: &mut Context<'_>, table: &Reader<'_>, wanted: Wanted) -> Self {
        let mut wrong = Vec::new();
        let mut one = |key: &'static str, allowed: fn(f64) -> bool, bounds: &str| {
            table.get(key)?;
            let value = value(cx, table, key, allowed, bounds);
            if value.is_none() {
                wrong.push(key);
            }
            value
        };
        let positive: fn(f64) -> bool = |value| value > 0.0;
        let [area, inertia_y, inertia_z, torsion, shear_y, shear_z, mass_per_length, young] = [
            "area",
            "inertia_y",
            "inertia_z",
            "torsion",
            "shear_y",
            "shear_z",
            "mass_per_length",
            "young",
        ]
        .map(|key| one(key, positive, "positive"));
        let [fibre_y, fibre_z] =
            ["fibre_y", "fibre_z"].map(|key| one(key, |value| value >= 0.0, "zero or positive"));
        let poisson = one("poisson", |value| value > -1.0 && value < 0.5, "above −1 and below 0.5");
        let rotary = rotary(cx, table, wanted, &mut wrong);
        let material = table.text(cx, "material").and_then(|name| find_material(cx, name));
        if table.get("material").is_some() && material.is_none() {
            wrong.extend(["young", "poisson", "mass_per_length"]);
        }
        Self {
            area,
            inertia_y,
            inertia_z,
            torsion,
            shear_y,
            shear_z,
            fibre_y,
            fibre_z,
            mass_per_length,
            rotary,
            material,
            young,
            poisson,
            wrong,
        }
    }

    /// The whole section, with zeros where something is `missing`.
    fn complete(
        &self,
        space: Space,
        rod: Option<&Rod>,
        wanted: Wanted,
        missing: &mut Vec<&'static str>,
    ) -> Section {
        let mut needed = |key, value: Option<f64>| {
            if value.is_none() {
                missing.push(key);
            }
            value.unwrap_or(0.0)
        };
        let beam = wanted.element == AncfElement::Beam;
        let material = self.material.as_ref().or(rod.and_then(|rod| rod.material.as_ref()));
        let poisson = self.poisson.or(material.map(|material| material.poisson));
        let base = rod.and_then(|rod| base(rod, poisson.unwrap_or(0.0)));
        let of_shape = |value: fn(&Section) -> f64| base.as_ref().map(value);
        let area = needed("area", self.area.or(of_shape(|base| base.area)));
        let z = self.inertia_z.or(of_shape(|base| base.inertia_z));
        // In the plane nothing bends about y, and a cable bends alike about both.
        let alike = z.filter(|_| space == Space::Planar || !beam);
        let y = self.inertia_y.or(of_shape(|base| base.inertia_y)).or(alike);
        let polar = y.zip(z).map(|(y, z)| y + z);
        let twists = space == Space::Spatial && beam && wanted.elasticity == Elasticity::Line;
        let torsion = self.torsion.or(of_shape(|base| base.torsion));
        let density = material.map(|material| material.density);
        let mass = self.mass_per_length.or(rod.map(|rod| rod.mass_per_length));
        Section {
            area,
            inertia_z: needed("inertia_z", z),
            inertia_y: match space {
                Space::Planar => y.unwrap_or(0.0),
                Space::Spatial => needed("inertia_y", y.or(self.missing_once(z, beam))),
            },
            torsion: match (torsion, twists) {
                (None, false) => polar.unwrap_or(0.0),
                (torsion, _) => needed("torsion", torsion),
            },
            shear_y: self.shear_y.or(of_shape(|base| base.shear_y)).unwrap_or(5.0 / 6.0),
            shear_z: self.shear_z.or(of_shape(|base| base.shear_z)).unwrap_or(5.0 / 6.0),
            fibre_y: self.fibre_y.or(of_shape(|base| base.fibre_y)).unwrap_or(0.0),
            fibre_z: self.fibre_z.or(of_shape(|base| base.fibre_z)).unwrap_or(0.0),
            mass_per_length: needed(
                "mass_per_length",
                mass.or(density.map(|density| density * area)),
            ),
            rotary: self.rotary.unwrap_or(true),
            young: needed("young", self.young.or(material.map(|material| material.young))),
            // A cable has no shear.
            poisson: match (poisson, beam) {
                (None, false) => 0.0,
                (poisson, _) => needed("poisson", poisson),
            },
        }
    }

    /// A cable that lacks `inertia_z` is not asked for `inertia_y` as well.
    fn missing_once(&self, z: Option<f64>, beam: bool) -> Option<f64> {
        (z.is_none() && !beam).then_some(0.0)
    }
}

/// A value within its bounds.
fn value(
    cx: &mut Context<'_>,
    table: &Reader<'_>,
    key: &str,
    allowed: fn(f64) -> bool,
    bounds: &str,
) -> Option<f64> {
    let value = table.quantity(cx, key)?;
    if allowed(value.value) {
        return Some(value.value);
    }
    let (code, label, help) = match key {
        "poisson" => ("G0412", "no elastic material has this", "steel has 0.3, rubber almost 0.5"),
        "fibre_y" | "fibre_z" => ("G0410", "negative", "leave it out where no stress is asked for"),
        _ => (
            "G0410",
            if value.value < 0.0 { "negative" } else { "zero" },
            "check sign and units, or leave it out where a shape gives it",
        ),
    };
    let message = format!("`{key}` of {} must be {bounds}", table.owner);
    cx.report(Diagnostic::error(code, message).at(value.span, label).help(help));
    None
}

/// The section of a shape; Young's modulus is not known here.
fn base(rod: &Rod, poisson: f64) -> Option<Section> {
    Some(match rod.outline? {
        Outline::Round { outer, inner } => {
            Section::tube(0.5 * outer, 0.5 * inner, 0.0, poisson, 0.0)
        }
        Outline::Rectangle { first, second } => {
            Section::rectangle(first, second, 0.0, poisson, 0.0)
        }
    })
}

fn rotary(
    cx: &mut Context<'_>,
    table: &Reader<'_>,
    wanted: Wanted,
    wrong: &mut Vec<&'static str>,
) -> Option<bool> {
    let node = table.get("rotary")?;
    let flag = table.flag(cx, "rotary");
    let all_gradients = wanted.element == AncfElement::Beam && wanted.rigid_sections().is_none();
    if flag == Some(false) && all_gradients {
        let message = format!("a beam cannot do without the rotary inertia of {}", table.owner);
        let diagnostic = Diagnostic::error("G0418", message)
            .at(node.span, "its gradients would have no mass")
            .help("remove `rotary`, or write `element = \"cable\"`");
        cx.report(diagnostic);
        wrong.push("rotary");
        return None;
    }
    if flag.is_none() {
        wrong.push("rotary");
    }
    flag
}

/// `thin` says that the shape is a rod without a diameter.
fn report_missing(
    cx: &mut Context<'_>,
    owner: &str,
    place: Span,
    missing: &[&'static str],
    thin: bool,
) {
    let help = match missing {
        _ if thin && missing.contains(&"area") => {
            "give the rod a `diameter` and `section` a `material`, or `section` what is named"
        }
        ["torsion"] => {
            "`section = { torsion = … }`: for a circle inertia_y + inertia_z, less for all others; or take a shape"
        }
        _ if missing.iter().all(|key| ["young", "poisson"].contains(key)) => {
            "name a `material`, in `shape` or `section`, or write `section = { young = \"207 GPa\", poisson = 0.3 }`"
        }
        _ => "give them in `section`, or take them from a `shape` and its `material`",
    };
    let message = format!("the section of {owner} lacks {}", listed(missing));
    cx.report(Diagnostic::error("G0414", message).at(place, "not complete").help(help));
}

/// Refuses what no section has; `at` is where a value stands.
fn check(
    cx: &mut Context<'_>,
    section: &Section,
    torsion_given: bool,
    at: &dyn Fn(&str) -> Span,
) -> Option<()> {
    let spatial = cx.is_spatial();
    let mut right = true;
    let mut refuse = |message: &str, key: &str, label: String, help: &str| {
        right = false;
        cx.report(Diagnostic::error("G0411", message).at(at(key), label).help(help));
    };
    let shown = |value| values::shown(value, Dimension::SECOND_MOMENT);
    let polar = section.inertia_y + section.inertia_z;
    if (spatial || torsion_given) && section.torsion > polar * (1.0 + SLACK) {
        let label =
            format!("{}, and inertia_y + inertia_z is {}", shown(section.torsion), shown(polar));
        let help = "circles and tubes have inertia_y + inertia_z, all others less";
        refuse("no section has so large a torsion constant", "torsion", label, help);
    }
    let bending = [
        ("inertia_z", section.inertia_z, "fibre_y", section.fibre_y, true),
        ("inertia_y", section.inertia_y, "fibre_z", section.fibre_z, spatial),
    ];
    for (key, inertia, fibre, distance, matters) in bending {
        let most = section.area * distance * distance;
        if matters && distance > 0.0 && inertia > most * (1.0 + SLACK) {
            let message = format!("`{key}` is inconsistent with the section");
            let label = format!("{}, and area · {fibre}² is {}", shown(inertia), shown(most));
            let help = "the whole area at the outer fibre would have less; check units and axes";
            refuse(&message, key, label, help);
        }
    }
    right.then_some(())
}

/// The torsion constant that the continuum takes by itself.
fn note_torsion(
    cx: &mut Context<'_>,
    wanted: Wanted,
    given: &Given,
    rod: Option<&Rod>,
    place: Span,
) {
    let known = given.torsion.is_some() || rod.is_some_and(|rod| rod.outline.is_some());
    if known || !cx.is_spatial() || wanted.element == AncfElement::Cable {
        return;
    }
    let diagnostic = Diagnostic::note("G0424", "`torsion` is taken as inertia_y + inertia_z")
        .at(place, "no `torsion` given")
        .help("right for circles and tubes; others twist more easily");
    cx.report(diagnostic);
}
