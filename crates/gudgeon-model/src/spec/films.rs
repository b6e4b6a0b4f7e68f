//! `film`: the lubricant of a joint with play.

use std::f64::consts::TAU;

use gudgeon::film::{
    Cavitation, Film, FilmModel, FilmShape, FiniteFilm, Groove, Lubricant, Moments, Shear, Supply,
};
use gudgeon::model::{Clearance, Form};

use crate::diagnostic::Diagnostic;
use crate::keys::{Keys, Kind, optional, required};
use crate::reader::{At, Context, Reader, list};
use crate::tree::{Name, Node, Value};
use crate::units::Dimension;
use crate::values;

const LENGTH: Kind = Kind::Quantity(Dimension::LENGTH);
pub(crate) const MODELS: &[&str] = &["short", "short-exact", "long", "finite", "hybrid"];
/// Most cells in one direction; a film of so many takes seconds for one force.
const MOST: f64 = 1000.0;
const PRESSURES: &[&str] = &["short", "short-exact", "long", "finite"];

pub(crate) const FILM: Keys = Keys {
    about: "lubricant between journal and bearing",
    keys: &[
        required("model", Kind::Choice(MODELS), "how the pressure is found"),
        required(
            "viscosity",
            Kind::Quantity(Dimension::VISCOSITY),
            "of the oil: dynamic, or kinematic such as \"46 cSt\" with `density`",
        ),
        optional(
            "density",
            Kind::Quantity(Dimension::DENSITY),
            "of the oil, for a kinematic `viscosity`",
        ),
        optional(
            "length",
            LENGTH,
            "length of the film along the axis; in space that of the journal",
        ),
        optional(
            "cavitation",
            Kind::Choice(&["reynolds", "half-sommerfeld"]),
            "where the film breaks; reynolds unless given",
        ),
        optional(
            "supply",
            Kind::Choice(&["none", "widest-gap"]),
            "where oil enters a long or finite film besides its ends; none unless given",
        ),
        optional(
            "grooves",
            Kind::List(&Kind::Table(&GROOVE)),
            "axial grooves, instead of `supply`",
        ),
        optional("pads", Kind::List(&Kind::Table(&PAD)), "arcs of film, instead of `grooves`"),
        optional(
            "supply_pressure",
            Kind::Quantity(Dimension::PRESSURE),
            "of the oil between `pads`; 0 unless given",
        ),
        optional(
            "cells",
            Kind::List(&Kind::Count),
            "cells of a finite film around and along; [96, 12] unless given",
        ),
        optional("roughness", LENGTH, "height of the roughness of both surfaces together"),
        optional(
            "pressure",
            Kind::Choice(PRESSURES),
            "how `hybrid` finds the pressure; short unless given",
        ),
        optional(
            "shear",
            Kind::Choice(&["couette", "none"]),
            "how the oil's shear resists rotation; couette unless given",
        ),
        optional(
            "moments",
            Kind::Choice(&["pressure", "printed"]),
            "of `short`: sign of the moments about the middle of the bearing; pressure unless given",
        ),
    ],
};

pub(crate) const GROOVE: Keys = Keys {
    about: "an axial groove through which oil enters",
    keys: &[
        required("angle", Kind::Quantity(Dimension::ANGLE), "its middle, from x of the bearing"),
        required("width", Kind::Quantity(Dimension::ANGLE), "its width"),
        optional("pressure", Kind::Quantity(Dimension::PRESSURE), "of the oil; 0 unless given"),
    ],
};

pub(crate) const PAD: Keys = Keys {
    about: "an arc of film over the whole length, with oil before and behind it",
    keys: &[
        required("angle", Kind::Quantity(Dimension::ANGLE), "its middle, from x of the bearing"),
        required("width", Kind::Quantity(Dimension::ANGLE), "its width"),
    ],
};

/// Whether a `film` table lets the surfaces touch, so that it needs a contact law.
pub(crate) fn is_hybrid(node: &Node) -> bool {
    let model = node.as_table().and_then(|table| table.get("model"));
    matches!(model.map(|node| &node.value), Some(Value::Text { text, .. }) if text == "hybrid")
}

/// A film without a gap to fill.
pub(crate) fn refuse_without_clearance(cx: &mut Context<'_>, owner: &str, joint: &str, key: &Name) {
    let message = format!("the film of {owner} needs a `clearance` table");
    let help = format!(
        "add `[joints.{joint}.clearance]` with `bearing_radius = \"20 mm\"` and `radial = \"0.1 mm\"`"
    );
    cx.report(Diagnostic::error("G0518", message).at(key.span, "nothing to fill").help(help));
}

/// Warns of laws for touching surfaces beside a film that keeps them apart.
pub(crate) fn warn_of_unused(
    cx: &mut Context<'_>,
    joint: &str,
    clearance: Option<&Node>,
    friction: Option<&Name>,
) {
    let entries = clearance.and_then(Node::as_table).map_or(&[][..], |table| &table.entries);
    let contact = entries.iter().map(|(key, _)| key).find(|key| key.text == "contact");
    for key in contact.into_iter().chain(friction) {
        let what = &key.text;
        let message =
            format!("`{what}` of joint `{joint}` is not used: its film keeps the surfaces apart");
        let help = "remove it, or write `model = \"hybrid\"` and a `roughness` for surfaces that may touch";
        cx.report(Diagnostic::warning("G0520", message).at(key.span, "without effect").help(help));
    }
}

pub(crate) fn read(
    cx: &mut Context<'_>,
    joint: &Name,
    clearance: &Clearance,
    key: &Name,
    node: &Node,
) -> Option<Lubricant> {
    let owner = format!("film of joint `{}`", joint.text);
    let reader = Reader::open(cx, owner, key.span, node, &FILM)?;
    let whole = match clearance.form {
        Form::Pin => None,
        Form::Journal { length, .. } => Some(length),
        Form::Ball | Form::Guide { .. } => {
            let message = format!("joint `{}` cannot have a film", joint.text);
            let diagnostic = Diagnostic::error("G0518", message)
                .at(key.span, "only revolute and cylindrical joints have one")
                .help("remove the `film` table");
            cx.report(diagnostic);
            return None;
        }
    };
    let errors = cx.diagnostics.len();
    let model = reader.choice(cx, "model");
    let viscosity = viscosity(cx, &reader);
    let length = match (reader.get("length"), whole) {
        (None, Some(length)) => Some(length),
        (None, None) => {
            reader.needed(cx, "length");
            None
        }
        (Some(_), _) => positive(cx, &reader, "length").map(|length| length.value),
    };
    let hybrid = model.is_some_and(|model| model.value == "hybrid");
    let roughness = roughness(cx, &reader, clearance, hybrid);
    let pressure = pressure(cx, &reader, model, hybrid);
    let shear = match reader.choice(cx, "shear").map(|choice| choice.value) {
        Some("none") => Shear::Ignored,
        _ => Shear::Counted,
    };
    if !matches!(pressure, Some(FilmModel::Short)) {
        reader.refuse(cx, "G0519", &["moments"], "a reading of model `short` alone");
    }
    let moments = match reader.choice(cx, "moments").map(|choice| choice.value) {
        Some("printed") => Moments::Printed,
        _ => Moments::OfPressure,
    };
    if cx.diagnostics.len() > errors {
        return None;
    }
    let shape = FilmShape {
        viscosity: viscosity?,
        radius: clearance.journal_radius(),
        length: length?,
        clearance: clearance.radial,
    };
    let film = Film { shear, moments, ..Film::new(shape, pressure?) };
    if let Err(bad) = film.check() {
        let place = ["grooves", "pads", "cells"].into_iter().find_map(|key| reader.get(key));
        let place = place.map_or(key.span, |node| node.span);
        cx.report(Diagnostic::error("G0519", bad.to_string()).at(place, "not possible"));
        return None;
    }
    Some(Lubricant { film, roughness, hybrid })
}

/// The dynamic viscosity μ: as given, or ν ρ of a kinematic viscosity ν and the density ρ. Beside a
/// density a number of the command line is kinematic, too.
fn viscosity(cx: &mut Context<'_>, reader: &Reader<'_>) -> Option<f64> {
    let found = values::dimension_of(cx, reader.get("viscosity")?);
    let has_density = reader.get("density").is_some();
    if found != Some(Dimension::KINEMATIC_VISCOSITY) && (found.is_some() || !has_density) {
        let why = "belongs to a kinematic viscosity, such as \"46 cSt\"";
        reader.refuse(cx, "G0519", &["density"], why);
        return Some(positive(cx, reader, "viscosity")?.value);
    }
    let kinematic = positive_in(cx, reader, "viscosity", Dimension::KINEMATIC_VISCOSITY);
    if !has_density {
        refuse_without_density(cx, reader, kinematic?);
        return None;
    }
    let density = positive(cx, reader, "density");
    Some(kinematic?.value * density?.value)
}

fn refuse_without_density(cx: &mut Context<'_>, reader: &Reader<'_>, kinematic: At<f64>) {
    let message = format!("{} has a kinematic viscosity and no `density`", reader.owner);
    let example = values::rounded(kinematic.value * 870.0);
    let help = format!(
        "add `density = \"870 kg/m^3\"` (mineral oil), or write the dynamic viscosity, with this density \"{example} Pa s\""
    );
    let label = values::shown(kinematic.value, Dimension::KINEMATIC_VISCOSITY);
    cx.report(Diagnostic::error("G0540", message).at(kinematic.span, label).help(help));
}

fn positive(cx: &mut Context<'_>, reader: &Reader<'_>, key: &str) -> Option<At<f64>> {
    let Some(Kind::Quantity(dimension)) = reader.kind(key) else { return None };
    positive_in(cx, reader, key, dimension)
}

fn positive_in(
    cx: &mut Context<'_>,
    reader: &Reader<'_>,
    key: &str,
    dimension: Dimension,
) -> Option<At<f64>> {
    let value = reader.quantity_in(cx, key, dimension)?;
    if value.value > 0.0 {
        return Some(value);
    }
    let message = format!("`{key}` of the {} must be positive", reader.owner);
    let help = match key {
        "viscosity" => "engine oil has some 0.01 Pa s when hot and 0.1 Pa s when cold",
        _ => "",
    };
    let diagnostic = Diagnostic::error("G0519", message).at(value.span, "zero or negative");
    cx.report(if help.is_empty() { diagnostic } else { diagnostic.help(help) });
    None
}

fn roughness(
    cx: &mut Context<'_>,
    reader: &Reader<'_>,
    clearance: &Clearance,
    hybrid: bool,
) -> Option<f64> {
    if hybrid {
        reader.needed(cx, "roughness")?;
    }
    reader.get("roughness")?;
    let height = positive(cx, reader, "roughness")?;
    if height.value >= 0.5 * clearance.radial {
        let message = "the roughness must be smaller than half the radial clearance";
        let mm = |metres: f64| format!("{} mm", values::rounded(1e3 * metres));
        let label = format!("{}, clearance {}", mm(height.value), mm(clearance.radial));
        cx.report(Diagnostic::error("G0519", message).at(height.span, label));
        return None;
    }
    Some(height.value)
}

/// The model of the pressure; keys that it does not use are refused.
fn pressure(
    cx: &mut Context<'_>,
    reader: &Reader<'_>,
    model: Option<At<&'static str>>,
    hybrid: bool,
) -> Option<FilmModel> {
    if !hybrid {
        reader.refuse(cx, "G0519", &["pressure"], "belongs to `model = \"hybrid\"`");
    }
    let name = match (hybrid, reader.get("pressure")) {
        (true, Some(_)) => reader.choice(cx, "pressure")?.value,
        (true, None) => "short",
        (false, _) => model?.value,
    };
    let cavitation = match reader.choice(cx, "cavitation").map(|choice| choice.value) {
        Some("half-sommerfeld") => Cavitation::HalfSommerfeld,
        _ => Cavitation::Reynolds,
    };
    if name != "finite" {
        reader.refuse(
            cx,
            "G0519",
            &["grooves", "pads", "supply_pressure", "cells"],
            "belongs to finite films",
        );
    }
    if !matches!(name, "finite" | "long") {
        reader.refuse(cx, "G0519", &["supply"], "belongs to long and finite films");
    }
    if name == "short" {
        let why = "a short film breaks where it would pull, by either rule";
        reader.refuse(cx, "G0519", &["cavitation"], why);
    }
    Some(match name {
        "short" => FilmModel::Short,
        "short-exact" => FilmModel::ShortExact(cavitation),
        "long" => FilmModel::Long(cavitation, plain_supply(cx, reader)),
        _ => FilmModel::Finite(finite(cx, reader, cavitation)?),
    })
}

fn finite(cx: &mut Context<'_>, reader: &Reader<'_>, cavitation: Cavitation) -> Option<FiniteFilm> {
    for (first, second) in [("supply", "grooves"), ("supply", "pads"), ("grooves", "pads")] {
        reader.not_both(cx, first, second)?;
    }
    if reader.get("pads").is_none() {
        reader.refuse(cx, "G0519", &["supply_pressure"], "belongs to `pads`");
    }
    let supply = match (reader.get("grooves"), reader.get("pads")) {
        (Some(node), _) => Supply::Grooves(grooves(cx, node)?),
        (None, Some(node)) => Supply::Grooves(between_pads(cx, reader, node)?),
        (None, None) => plain_supply(cx, reader),
    };
    let mut film = FiniteFilm { cavitation, supply, ..FiniteFilm::default() };
    if let Some(node) = reader.get("cells") {
        let cells = list(cx, "cells", node)?;
        let count = |node: &Node| match node.value {
            Value::Number { value, .. }
                if value.fract() == 0.0 && (1.0..=MOST).contains(&value) =>
            {
                Some(value as usize)
            }
            _ => None,
        };
        let numbers: Vec<usize> = cells.iter().filter_map(count).collect();
        let (Ok([around, along]), 2) = (<[usize; 2]>::try_from(&numbers[..]), cells.len()) else {
            let message = format!("`cells` takes two whole numbers up to {MOST}: around and along");
            let diagnostic = Diagnostic::error("G0519", message).at(node.span, "not two numbers");
            cx.report(diagnostic.help("write `cells = [96, 12]`"));
            return None;
        };
        (film.around, film.along) = (around, along);
    }
    Some(film)
}

/// `supply`.
fn plain_supply(cx: &mut Context<'_>, reader: &Reader<'_>) -> Supply {
    match reader.choice(cx, "supply").map(|choice| choice.value) {
        Some("widest-gap") => Supply::WidestGap,
        _ => Supply::None,
    }
}

fn grooves(cx: &mut Context<'_>, node: &Node) -> Option<Vec<Groove>> {
    let mut grooves = Vec::new();
    for node in list(cx, "grooves", node)? {
        let reader = Reader::open(cx, "groove", node.span, node, &GROOVE)?;
        let (angle, width) = (reader.quantity(cx, "angle"), reader.quantity(cx, "width"));
        let pressure = match reader.get("pressure") {
            Some(_) => reader.quantity(cx, "pressure")?.value,
            None => 0.0,
        };
        grooves.push(Groove { angle: angle?.value, width: width?.value, pressure });
    }
    Some(grooves)
}

/// The grooves that pads leave: from the end of each to the beginning of the next.
fn between_pads(cx: &mut Context<'_>, reader: &Reader<'_>, node: &Node) -> Option<Vec<Groove>> {
    let pressure = match reader.get("supply_pressure") {
        Some(_) => reader.quantity(cx, "supply_pressure")?.value,
        None => 0.0,
    };
    let mut arcs: Vec<(f64, f64)> = Vec::new();
    for node in list(cx, "pads", node)? {
        let pad = Reader::open(cx, "pad", node.span, node, &PAD)?;
        let (angle, width) = (pad.quantity(cx, "angle"), pad.quantity(cx, "width"));
        let (angle, width) = (angle?.value, width?.value);
        arcs.push((angle - 0.5 * width, angle + 0.5 * width));
    }
    let rising = arcs.iter().all(|(from, to)| from < to) && arcs.is_sorted_by(|a, b| a.1 < b.0);
    let (Some(first), Some(last), true) = (arcs.first(), arcs.last(), rising) else {
        return refuse_pads(cx, node);
    };
    if last.1 - first.0 >= TAU {
        return refuse_pads(cx, node);
    }
    let after = arcs[1..].iter().map(|pad| pad.0).chain([first.0 + TAU]);
    let groove = |(pad, next): (&(f64, f64), f64)| Groove {
        angle: 0.5 * (pad.1 + next),
        width: next - pad.1,
        pressure,
    };
    Some(arcs.iter().zip(after).map(groove).collect())
}

fn refuse_pads<T>(cx: &mut Context<'_>, node: &Node) -> Option<T> {
    let message = "pads must have a width and follow one another with room between them";
    let diagnostic = Diagnostic::error("G0519", message).at(node.span, "not possible").help(
        "write them in the order of their angles: `[{ angle = \"-90 deg\", width = \"120 deg\" }, { angle = \"90 deg\", width = \"120 deg\" }]`",
    );
    cx.report(diagnostic);
    None
}
