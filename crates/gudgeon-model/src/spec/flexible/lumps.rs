//! `lumps`: rigid parts that are welded to the line of a flexible link.

use gudgeon::flexible::{Flexible, Lump};
use nalgebra::{Matrix3, Vector3};

use crate::diagnostic::Diagnostic;
use crate::keys::{Keys, Kind, PLACES, optional, required};
use crate::reader::{At, Context, Reader, list};
use crate::source::Span;
use crate::spec::bodies::BodySpec;
use crate::spec::inertias::{self, INERTIA};
use crate::tree::Node;
use crate::units::Dimension;
use crate::values;

pub(super) const LUMP: Keys = Keys {
    about: "a rigid part on the line of a flexible link",
    keys: &[
        optional("at", Kind::Text, "frame at which it sits"),
        optional("along", Kind::Number, "place on the line instead of `at`, 0 to 1"),
        required("mass", Kind::Quantity(Dimension::MASS), "its mass"),
        optional(
            "centre",
            Kind::Vector(Dimension::LENGTH),
            "its mass centre from that place, in section axes; there unless given",
        ),
        optional("inertia", INERTIA, "about its mass centre, in section axes; none unless given"),
    ],
};

/// Share of the line by which rounding may put an end outside.
const SLACK: f64 = 1e-9;

/// A lump whose place on the line may still have to be found.
pub(super) struct LumpSpec {
    place: Place,
    mass: f64,
    centre: Vector3<f64>,
    inertia: Matrix3<f64>,
}

enum Place {
    Along(f64),
    /// A frame that is given in own axes.
    At(At<Vector3<f64>>),
}

pub(super) fn read(
    cx: &mut Context<'_>,
    reader: &Reader<'_>,
    body: &BodySpec,
) -> Option<Vec<LumpSpec>> {
    let Some(node) = reader.get("lumps") else { return Some(Vec::new()) };
    let nodes = list(cx, "lumps", node)?;
    let lumps: Vec<_> = nodes.iter().map(|node| lump(cx, node, body)).collect();
    lumps.into_iter().collect()
}

fn lump(cx: &mut Context<'_>, node: &Node, body: &BodySpec) -> Option<LumpSpec> {
    let owner = format!("a lump of body `{}`", body.name.text);
    let reader = Reader::open(cx, &owner, node.span, node, &LUMP)?;
    let place = match reader.exactly_one(cx, PLACES) {
        Some("along") => super::along(cx, &reader).map(Place::Along),
        Some(_) => at(cx, &reader, body),
        None => None,
    };
    let mass = reader.quantity(cx, "mass");
    if let Some(mass) = mass.filter(|mass| mass.value < 0.0) {
        let message = format!("the mass of {owner} cannot be negative");
        let diagnostic = Diagnostic::error("G0410", message).at(mass.span, "negative");
        cx.report(diagnostic.help("remove the lump, or give it a mass"));
    }
    let centre = match reader.get("centre") {
        Some(_) => reader.vector(cx, "centre").map(|centre| centre.value),
        None => Some(Vector3::zeros()),
    };
    let inertia = match reader.get("inertia") {
        Some(node) => inertias::read(cx, &owner, node).map(|inertia| inertia.value),
        None => Some(Matrix3::zeros()),
    };
    Some(LumpSpec { place: place?, mass: mass?.value, centre: centre?, inertia: inertia? })
}

fn at(cx: &mut Context<'_>, reader: &Reader<'_>, body: &BodySpec) -> Option<Place> {
    let name = reader.text(cx, "at")?;
    if let Some(frame) = body.along.iter().find(|frame| frame.name.text == name.value) {
        return Some(Place::Along(frame.along));
    }
    let value = body.place_of(cx, name)?;
    Some(Place::At(At { value, span: name.span }))
}

impl LumpSpec {
    /// The lump on the section that is nearest to its place.
    pub(super) fn on(self, cx: &mut Context<'_>, link: &Flexible) -> Option<Lump> {
        let Self { place, mass, mut centre, inertia } = self;
        let along = match place {
            Place::Along(along) => along,
            Place::At(At { value, span }) => {
                let along = check(cx, foot(link, value), span)?;
                centre += link.axes_at(along).transpose() * (value - link.place_at(along));
                along
            }
        };
        Some(Lump { along, mass, centre, inertia })
    }
}

/// Where on the line, as a share of its length, the section lies that goes through a point.
fn foot(link: &Flexible, point: Vector3<f64>) -> f64 {
    let (curvature, length) = (link.curvature.norm(), link.length());
    let chord = link.to - link.from;
    if curvature * length <= 1e-9 {
        return chord.dot(&(point - link.from)) / chord.norm_squared();
    }
    let x = link.axes.column(0).into_owned();
    let inwards = (link.axes * link.curvature / curvature).cross(&x);
    let middle_of_chord = 0.5 * (link.from + link.to);
    let centre = middle_of_chord + inwards * ((0.5 * curvature * length).cos() / curvature);
    let arm = point - centre;
    x.dot(&arm).atan2(-inwards.dot(&arm)) / (curvature * length) + 0.5
}

fn check(cx: &mut Context<'_>, along: f64, span: Span) -> Option<f64> {
    if (-SLACK..=1.0 + SLACK).contains(&along) {
        return Some(along.clamp(0.0, 1.0));
    }
    let message = "the lump lies outside the line of the flexible link";
    let diagnostic = Diagnostic::error("G0419", message)
        .at(span, format!("abreast of {} of the line", values::rounded(along)))
        .help("take a frame between the ends, or an end and `centre`");
    cx.report(diagnostic);
    None
}
