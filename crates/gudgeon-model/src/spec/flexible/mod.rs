//! `flexible`: a link that bends, with the line, section and rigid parts it has.
//!
//! Its mass, centre and inertia follow from the section. What the body gives itself is compared with that and
//! not used: a small difference is warned of, a large one is an error.

mod erls;
mod line;
mod lumps;
mod mass;
mod modes;
pub(crate) mod section;
mod stiffness;

use gudgeon::flexible::{
    AncfElement, Damping, Elasticity, EndSection, Flexible, Floating, Method, Reference, Stiffening,
};
use gudgeon::math::spatial::Frame;
use gudgeon::model::BodyCoordinates;

use self::line::Line;
use self::lumps::LUMP;
use self::section::Wanted;
use crate::diagnostic::Diagnostic;
use crate::keys::{AXIS, Keys, Kind, optional, required};
use crate::reader::{At, Context, Reader, choice};
use crate::source::Span;
use crate::spec::bodies::{BodySpec, FrameSpec};
use crate::spec::shapes::{Given, Shape};
use crate::tree::{Name, Value};
use crate::units::Dimension;
use crate::values;

pub(crate) const FLEXIBLE: Keys = Keys {
    about: "how a link bends and how it is divided",
    keys: &[
        required(
            "method",
            Kind::Choice(METHODS),
            "ancf: absolute nodal coordinates; rfem: rigid finite elements with springs between them; floating: finite elements in a frame that moves with the link; erls: the same on an equivalent rigid-link system; rigid: none, for `analysis = \"ked\"`",
        ),
        required(
            "elements",
            Kind::Number,
            "number of elements along the line, 1 to 4096; with rfem of rigid ones, of which 1 does not bend",
        ),
        optional(
            "element",
            Kind::Choice(ELEMENTS),
            "beam: with shear and torsion; cable: bends and stretches only; beam unless given",
        ),
        optional(
            "elasticity",
            Kind::Choice(ELASTICITIES),
            "of beams: forces of the line (line), of the continuum, or of it without locking (selective); line unless given",
        ),
        optional(
            "shear",
            Kind::Flag,
            "of rfem, floating and erls: whether sections give way across the line; false unless given",
        ),
        optional(
            "tension",
            Kind::Flag,
            "of rfem: whether springs give way along the line; false unless given",
        ),
        optional(
            "reference",
            Kind::Choice(REFERENCES),
            "of floating: which motion its frame takes, that of the section where the line begins (clamped), of the chord, or the mean; clamped unless given, chord where the stiffening is rigid",
        ),
        optional(
            "stiffening",
            Kind::Choice(STIFFENINGS),
            "of floating: the axial force that makes the line stiffer across, that of its elements (actual), of weight and inertia of the rigid motion (rigid), or none; actual unless given",
        ),
        optional(
            "zeroed",
            Kind::Either(&[Kind::Choice(erls::AUTO), Kind::List(&Kind::Text)]),
            "of erls: elastic coordinates of nodes that are held at zero, a node and a direction each as in `to.y`, and so say where the equivalent rigid link is; auto unless given",
        ),
        optional(
            "coriolis",
            Kind::Flag,
            "of erls: whether inertia has the terms of the velocity against the equivalent rigid link, M_G; true unless given",
        ),
        optional(
            "centrifugal",
            Kind::Flag,
            "of erls: whether inertia has the terms of the displacement against the equivalent rigid link, M_C; true unless given",
        ),
        optional(
            "virtual",
            Kind::Choice(erls::VIRTUAL),
            "of erls: virtual displacements of the rigid motion, those of the undeformed link (truncated) or of the deformed one (exact); truncated unless given",
        ),
        optional(
            "modes",
            Kind::Either(&[Kind::Number, Kind::Quantity(Dimension::FREQUENCY)]),
            "of floating: how many modes stand for the nodes on which nothing acts, or up to which frequency; all nodes unless given",
        ),
        optional(
            "damping",
            Kind::Either(&[Kind::Quantity(Dimension::TIME), Kind::Table(&DAMPING)]),
            "a time: stress follows E + time · Ė; or a table; none unless given",
        ),
        optional(
            "section",
            Kind::Either(&[END, Kind::Table(&ENDS)]),
            "how the section behaves at the ends; free unless given",
        ),
        optional("from", Kind::Text, "frame where the line begins; that of `shape` unless given"),
        optional("to", Kind::Text, "frame where the line ends; that of `shape` unless given"),
        optional(
            "curvature",
            Kind::Varies("0.01 1/m"),
            "of the line without load: about z of the section, or about y and z; straight unless given",
        ),
        optional(
            "across",
            AXIS,
            "where y of the section points in space, as far as that is across the line",
        ),
        optional("lumps", Kind::List(&Kind::Table(&LUMP)), "rigid parts on the line"),
    ],
};

pub(crate) const METHODS: &[&str] = &["ancf", "rfem", "floating", "erls", "rigid"];
const REFERENCES: &[&str] = &["clamped", "chord", "mean"];
const STIFFENINGS: &[&str] = &["actual", "rigid", "none"];
const ELEMENTS: &[&str] = &["beam", "cable"];
const ELASTICITIES: &[&str] = &["line", "selective", "continuum"];
const END_WORDS: &[&str] = &["free", "rigid"];
const END: Kind = Kind::Choice(END_WORDS);

const DAMPING: Keys = Keys {
    about: "damping of a flexible link",
    keys: &[
        optional("strain", Kind::Quantity(Dimension::TIME), "stress follows E + time · Ė"),
        optional(
            "mass",
            Kind::Quantity(Dimension::FREQUENCY),
            "times the mass, on the velocity of deformation",
        ),
    ],
};

const ENDS: Keys = Keys {
    about: "how the section behaves at both ends: free to deform, or rigid",
    keys: &[
        optional("from", END, "where the line begins; free unless given"),
        optional("to", END, "where the line ends; free unless given"),
    ],
};

/// Elements of one link.
const MOST: f64 = 4096.0;

/// Reads `flexible` and `section`, gives the body what follows from them, and its frames along the line their
/// places. `shape` is what the body has, if it could be read.
pub(crate) fn apply(
    cx: &mut Context<'_>,
    reader: &Reader<'_>,
    shape: Option<&(&Name, Option<Shape>)>,
    body: &mut BodySpec,
    given: &Given,
) {
    let Some((key, _)) = reader.entry("flexible") else { return };
    let link = read(cx, reader, shape, body);
    let link = link.filter(|link| mass::apply(cx, key, link, body, given).is_some());
    for frame in std::mem::take(&mut body.along) {
        let Some(link) = &link else {
            body.broken_frames.push(frame.name.text);
            continue;
        };
        let (p, axes) = (link.place_at(frame.along), link.axes_at(frame.along));
        let local = Frame { p, r: axes * frame.turn };
        body.frames.push(FrameSpec { name: frame.name, local });
    }
    body.broken_link = link.is_none();
    body.flexible = link.map(Box::new);
}

/// Refuses what only flexible links have.
pub(crate) fn refuse_on_rigid(cx: &mut Context<'_>, reader: &Reader<'_>, body: &mut BodySpec) {
    if !body.is_ground()
        && let Some((name, _)) = reader.entry("section")
    {
        let message = format!("`section` has no meaning in rigid body `{}`", body.name.text);
        let diagnostic = Diagnostic::error("G0415", message)
            .at(name.span, "the section of a link that bends")
            .help("remove it, or add `flexible = { method = \"ancf\", elements = 8 }`");
        cx.report(diagnostic);
    }
    for frame in std::mem::take(&mut body.along) {
        let message =
            format!("frame `{}` lies along the line of a body that is rigid", frame.name.text);
        let diagnostic = Diagnostic::error("G0420", message)
            .at(frame.name.span, "only flexible links have a line")
            .help("give its place by `at`, or make the body `flexible`");
        cx.report(diagnostic);
        body.broken_frames.push(frame.name.text);
    }
}

/// A place on the line, 0 … 1.
pub(crate) fn along(cx: &mut Context<'_>, reader: &Reader<'_>) -> Option<f64> {
    let along = reader.quantity(cx, "along")?;
    if (0.0..=1.0).contains(&along.value) {
        return Some(along.value);
    }
    let message = format!("`along` of {} is a share of the line, from 0 to 1", reader.owner);
    let diagnostic = Diagnostic::error("G0419", message)
        .at(along.span, format!("{} is outside the line", values::rounded(along.value)))
        .help("0 is the beginning of the line, 1 its end, 0.5 half way");
    cx.report(diagnostic);
    None
}

/// Everything is read before anything is given up, so that all errors are said at once.
fn read(
    cx: &mut Context<'_>,
    of_body: &Reader<'_>,
    shape: Option<&(&Name, Option<Shape>)>,
    body: &BodySpec,
) -> Option<Flexible> {
    let (key, node) = of_body.entry("flexible")?;
    let owner = format!("`flexible` of body `{}`", body.name.text);
    let reader = Reader::open(cx, owner, key.span, node, &FLEXIBLE)?;
    refuse_natural(cx, of_body, body);
    let shape = shape.map(|(key, shape)| (key.span, shape.as_ref()));
    let elements = elements(cx, &reader);
    let formulation = formulation(cx, &reader, elements.unwrap_or(1));
    let wanted = section::Wanted::of(formulation);
    let damping = damping(cx, &reader, wanted);
    let ends = ends(cx, &reader, wanted);
    let rod = shape.and_then(|(_, shape)| shape?.rod.as_ref());
    let line = line::read(cx, &reader, shape.is_some(), rod, body);
    let section = section::read(cx, of_body, key.span, shape, wanted);
    let lumps = lumps::read(cx, &reader, body);
    if let (Some(section), Some(line)) = (&section, &line) {
        let place = of_body.entry("section").map_or(key.span, |(key, _)| key.span);
        check_length(cx, &reader, line, (section, place))?;
        if formulation != Some(Method::Rigid) {
            check_cable(cx, &reader, wanted.element, line, (section, place))?;
        }
        stiffness::warn(cx, &reader, wanted, section);
    }
    let (line, method) = (line?, formulation?);
    let mut link = Flexible {
        from: line.from,
        to: line.to,
        axes: line.axes,
        curvature: line.curvature,
        section: section?,
        method,
        elements: elements?,
        damping: damping?,
        ends: ends?,
        lumps: Vec::new(),
    };
    let lumps: Vec<_> = lumps?.into_iter().map(|lump| lump.on(cx, &link)).collect();
    link.lumps = lumps.into_iter().collect::<Option<_>>()?;
    Some(link)
}

fn refuse_natural(cx: &mut Context<'_>, reader: &Reader<'_>, body: &BodySpec) {
    if body.coordinates != Some(BodyCoordinates::Natural) {
        return;
    }
    let place = reader.get("coordinates").map_or(reader.span, |node| node.span);
    let message = format!("flexible body `{}` has coordinates of its own", body.name.text);
    let diagnostic = Diagnostic::error("G0416", message)
        .at(place, "only for rigid bodies")
        .help("remove `coordinates`; that of `[model]` does not matter to flexible bodies");
    cx.report(diagnostic);
}

/// The word of a formulation, of a link or of all.
pub(crate) fn method(
    cx: &mut Context<'_>,
    reader: &Reader<'_>,
    key: &'static str,
) -> Option<&'static str> {
    reader.get(key).and_then(|_| reader.choice(cx, key)).map(|word| word.value)
}

fn formulation(cx: &mut Context<'_>, reader: &Reader<'_>, elements: usize) -> Option<Method> {
    let own = method(cx, reader, "method");
    let word = cx.links.or(own);
    if cx.links.is_some() {
        check_left_aside(cx, reader, word);
    }
    if word == Some("erls") {
        return erls::read(cx, reader, elements);
    }
    if cx.links.is_none() {
        let why = "only for `method = \"erls\"`";
        reader.refuse(cx, "G0427", erls::OWN, why);
    }
    if word == Some("floating") {
        return floating(cx, reader);
    }
    if cx.links.is_none() {
        let why =
            "only for `method = \"floating\"`: other links have no frame that moves with them";
        reader.refuse(cx, "G0427", &["reference", "stiffening", "modes"], why);
    }
    match word {
        Some("rfem") => return Some(rigid_elements(cx, reader)),
        Some("rigid") => return Some(Method::Rigid),
        _ => {}
    }
    let why =
        "only for `method = \"rfem\"`: beams and cables stretch, and beams shear, in any case";
    if cx.links.is_none() {
        reader.refuse(cx, "G0427", &["shear", "tension"], why);
    }
    let element = match reader.get("element") {
        Some(_) => reader.choice(cx, "element").map(|word| word.value),
        None => Some("beam"),
    };
    let elasticity = match reader.get("elasticity") {
        Some(_) => reader.choice(cx, "elasticity").map(|word| word.value),
        None => Some("line"),
    };
    let element = match element? {
        "cable" => AncfElement::Cable,
        _ => AncfElement::Beam,
    };
    let elasticity = match elasticity? {
        "continuum" => Elasticity::Continuum,
        "selective" => Elasticity::Selective,
        _ => Elasticity::Line,
    };
    word?;
    Some(Method::Ancf { element, elasticity })
}

/// Keys of formulations that another one takes the place of have no effect, but must be right.
fn check_left_aside(cx: &mut Context<'_>, reader: &Reader<'_>, word: Option<&str>) {
    let (words, flags): (&[&str], &[&str]) = match word {
        Some("floating") => (&["element", "elasticity"], &["tension"]),
        Some("rfem") => (&["element", "elasticity", "reference", "stiffening"], &[]),
        Some("rigid") => {
            (&["element", "elasticity", "reference", "stiffening"], &["shear", "tension"])
        }
        _ => (&["reference", "stiffening"], &["shear", "tension"]),
    };
    for key in words.iter().filter(|key| reader.get(key).is_some()) {
        reader.choice(cx, key);
    }
    for key in flags {
        reader.flag(cx, key);
    }
    if word != Some("floating") && reader.get("modes").is_some() {
        modes::read(cx, reader);
    }
}

fn floating(cx: &mut Context<'_>, reader: &Reader<'_>) -> Option<Method> {
    if cx.links.is_none() {
        let why = "only for `method = \"ancf\"`";
        reader.refuse(cx, "G0427", &["element", "elasticity"], why);
        let why = "only for `method = \"rfem\"`: finite elements stretch in any case";
        reader.refuse(cx, "G0427", &["tension"], why);
    }
    let shear = reader.get("shear").map_or(Some(false), |_| reader.flag(cx, "shear"));
    let mut word = |key, otherwise| match reader.get(key) {
        Some(_) => reader.choice(cx, key).map(|word| word.value),
        None => Some(otherwise),
    };
    let (stiffening, reference) = (word("stiffening", ""), word("reference", ""));
    let modes = match reader.get("modes") {
        Some(_) => Some(modes::read(cx, reader)?),
        None => None,
    };
    let stiffening = match stiffening? {
        "none" => Stiffening::None,
        "rigid" => Stiffening::Rigid,
        "" if modes.is_some() => Stiffening::None,
        _ => Stiffening::Actual,
    };
    let reference = match reference? {
        "" if stiffening == Stiffening::Rigid => Reference::Chord,
        "chord" => Reference::Chord,
        "mean" => Reference::Mean,
        _ => Reference::Clamped,
    };
    if stiffening == Stiffening::Rigid && reference != Reference::Chord {
        let place = reader.get("reference").map_or(reader.span, |node| node.span);
        let message = format!(
            "`stiffening = \"rigid\"` needs a frame that follows the chord, in {}",
            reader.owner
        );
        let label = match reference {
            Reference::Clamped => "its first section vibrates, and so would the axial force",
            _ => "does not begin where the line is held",
        };
        let diagnostic = Diagnostic::error("G0428", message).at(place, label);
        cx.report(diagnostic.help("write `reference = \"chord\"`, or leave it out"));
        return None;
    }
    if modes.is_some() {
        modes::check(cx, reader, reference, stiffening)?;
    }
    Some(Method::Floating(Floating { reference, stiffening, shear: shear?, modes }))
}

fn rigid_elements(cx: &mut Context<'_>, reader: &Reader<'_>) -> Method {
    let why = "only for `method = \"ancf\"`: rigid elements have springs";
    if cx.links.is_none() {
        reader.refuse(cx, "G0427", &["element", "elasticity"], why);
    }
    let mut flag = |key| reader.flag(cx, key).unwrap_or(false);
    Method::Rfem { shear: flag("shear"), tension: flag("tension") }
}

fn elements(cx: &mut Context<'_>, reader: &Reader<'_>) -> Option<usize> {
    let count = reader.quantity(cx, "elements")?;
    if count.value.fract() == 0.0 && (1.0..=MOST).contains(&count.value) {
        return Some(count.value as usize);
    }
    let label = match count.value {
        value if value.fract() != 0.0 => "not a whole number",
        value if value > MOST => "too many",
        _ => "zero or negative",
    };
    let message = format!("`elements` of {} is a whole number from 1 to {MOST}", reader.owner);
    let diagnostic = Diagnostic::error("G0409", message)
        .at(count.span, label)
        .help("begin with 8, and compare with twice as many");
    cx.report(diagnostic);
    None
}

fn damping(cx: &mut Context<'_>, reader: &Reader<'_>, wanted: Wanted) -> Option<Damping> {
    let Some((name, node)) = reader.entry("damping") else { return Some(Damping::default()) };
    if let Value::Table(_) = node.value {
        let owner = format!("damping of {}", reader.owner);
        let table = Reader::open(cx, owner, name.span, node, &DAMPING)?;
        let other = wanted.rigid_elements && table.get("mass").is_some();
        if other && cx.links.is_some() {
            let strain = table.get("strain").and_then(|_| table.quantity(cx, "strain"));
            let strain = strain.and_then(|value| not_negative(cx, value)).unwrap_or(0.0);
            return Some(Damping { strain, mass: 0.0 });
        }
        if other {
            let why = "only for `method = \"ancf\"`: springs are damped by `strain`";
            table.refuse(cx, "G0427", &["mass"], why);
            return None;
        }
        let mut one = |key: &str| match table.get(key) {
            Some(_) => table.quantity(cx, key).and_then(|value| not_negative(cx, value)),
            None => Some(0.0),
        };
        let (strain, mass) = (one("strain"), one("mass"));
        return Some(Damping { strain: strain?, mass: mass? });
    }
    let value = values::quantity(cx, "damping", node, Dimension::TIME)?;
    let strain = not_negative(cx, At { value, span: node.span })?;
    Some(Damping { strain, mass: 0.0 })
}

fn not_negative(cx: &mut Context<'_>, value: At<f64>) -> Option<f64> {
    if value.value >= 0.0 {
        return Some(value.value);
    }
    let message = "the damping of a flexible link cannot be negative";
    let diagnostic = Diagnostic::error("G0410", message).at(value.span, "negative");
    cx.report(diagnostic.help("leave it out for a link without damping"));
    None
}

/// Length of a link over the radius of gyration of its section, at least: below, its mass is lost in its rotary inertia.
const STUBBIEST: f64 = 1e-3;

/// That the link is not so short against its section that nothing of it is a beam.
fn check_length(
    cx: &mut Context<'_>,
    reader: &Reader<'_>,
    line: &Line,
    (section, place): (&gudgeon::flexible::Section, Span),
) -> Option<()> {
    let length = (line.to - line.from).norm();
    let radius = (section.inertia_y.max(section.inertia_z) / section.area).sqrt();
    if length >= STUBBIEST * radius {
        return Some(());
    }
    let message = format!(
        "{} is no beam: its length, {length:.3e} m, is less than a thousandth of the radius of gyration of its section, {radius:.3e} m",
        reader.owner
    );
    let diagnostic = Diagnostic::error("G0413", message).at(place, "too large for this length");
    cx.report(
        diagnostic
            .help("look for a wrong unit or frame, or remove `flexible`: the body stays rigid"),
    );
    None
}

/// The sections at both ends; those of a cable cannot be rigid, those of rigid elements are nothing else.
fn ends(cx: &mut Context<'_>, reader: &Reader<'_>, wanted: Wanted) -> Option<[EndSection; 2]> {
    let Some((name, node)) = reader.entry("section") else { return Some(Default::default()) };
    if cx.links.is_some() && (wanted.rigid_elements || wanted.element == AncfElement::Cable) {
        return Some(Default::default());
    }
    let words = match &node.value {
        Value::Table(_) => {
            let owner = format!("`section` in {}", reader.owner);
            let table = Reader::open(cx, owner, name.span, node, &ENDS)?;
            ["from", "to"].map(|key| table.get(key).map(|_| table.choice(cx, key)))
        }
        _ => [Some(choice(cx, "section", node, END_WORDS)); 2],
    };
    let find = |what: &str| words.iter().flatten().flatten().find(|word| word.value == what);
    if let (Some(elements), Some(word)) = (wanted.rigid_sections(), find("free")) {
        let message = format!("sections of {elements} elements cannot deform, in {}", reader.owner);
        let diagnostic = Diagnostic::error("G0427", message).at(word.span, "rigid in any case");
        cx.report(diagnostic.help("remove `section` from `flexible`"));
        return None;
    }
    if let (AncfElement::Cable, Some(word)) = (wanted.element, find("rigid")) {
        let message = format!("a cable has no section that could be rigid, in {}", reader.owner);
        refuse_cable(cx, message, word.span, "a cable has a line only");
        return None;
    }
    let [from, to] = words.map(|word| match word {
        None => Some(EndSection::Free),
        Some(word) => word.map(|word| match word.value {
            "rigid" => EndSection::Rigid,
            _ => EndSection::Free,
        }),
    });
    Some([from?, to?])
}

/// What a line without directions of its own cannot have.
fn check_cable(
    cx: &mut Context<'_>,
    reader: &Reader<'_>,
    element: AncfElement,
    line: &Line,
    (section, place): (&gudgeon::flexible::Section, Span),
) -> Option<()> {
    if element == AncfElement::Beam {
        return Some(());
    }
    let mut right = true;
    let elasticity = reader.get("elasticity").filter(|node| node.as_text() != Some("line"));
    if let Some(node) = elasticity {
        let message = format!("a cable is elastic along its line only, in {}", reader.owner);
        refuse_cable(cx, message, node.span, "only for beams");
        right = false;
    }
    if cx.is_spatial() && line.curvature.norm() > 0.0 {
        let place = reader.get("curvature").map_or(reader.span, |node| node.span);
        let message =
            format!("a cable in space cannot be curved without load, in {}", reader.owner);
        refuse_cable(cx, message, place, "a cable does not know which way");
        right = false;
    }
    let (y, z) = (section.inertia_y, section.inertia_z);
    if cx.is_spatial() && (y - z).abs() > 1e-9 * y.max(z) {
        let shown = |value| values::shown(value, Dimension::SECOND_MOMENT);
        let message =
            format!("a cable in space bends alike in all directions, in {}", reader.owner);
        let label = format!("inertia_y is {}, inertia_z {}", shown(y), shown(z));
        refuse_cable(cx, message, place, &label);
        right = false;
    }
    right.then_some(())
}

fn refuse_cable(cx: &mut Context<'_>, message: String, place: Span, label: &str) {
    let diagnostic = Diagnostic::error("G0417", message).at(place, label);
    cx.report(diagnostic.help("write `element = \"beam\"`"));
}
