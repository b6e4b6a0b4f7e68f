//! `dh`: frames of a joint by a row of Denavit and Hartenberg.
//!
//! A row leads from the first frame of the joint to the second, by turns R and slides S about and along z and x:
//!
//!   standard        R_z(θ) S_z(d) S_x(a) R_x(α)                                                 (1)
//!   modified        R_x(α) S_x(a) R_z(θ) S_z(d)                                                 (2)
//!
//! The joint turns about that z and slides along it: of a revolute joint θ = `theta` + q, of a prismatic one
//! d = `d` + q, of a cylindrical one or a screw both. So (1) and (2) are the joint's own motion with a frame F₁ on the first
//! side and F₂ on the second, first · F₁ · joint · F₂⁻¹ = second, where
//!
//!   standard        F₁ = 1,               F₂⁻¹ = R_z(θ) S_z(d) S_x(a) R_x(α)                    (3)
//!   modified        F₁ = R_x(α) S_x(a),   F₂⁻¹ = R_z(θ) S_z(d)                                  (4)
//!
//! | symbol | key | unit | |
//! |---|---|---|---|
//! | a | `a` | m | distance of the z axes, along x |
//! | α | `alpha` | rad | angle between them, about x |
//! | d | `d` | m | distance of the x axes, along z |
//! | θ | `theta` | rad | angle between them, about z |
//!
//! In (1) x is that of the second frame and z that of the first, in (2) the other way round, so that a and α of a table in
//! the modified convention bear the number before that of the row.
//!
//! Denavit, Hartenberg, *A kinematic notation for lower-pair mechanisms based on matrices*, 1955; Craig,
//! *Introduction to Robotics*, 1989.

use gudgeon::math::spatial::Frame;
use gudgeon::model::{JointKind, Space};
use nalgebra::{Matrix3, Vector3};

use crate::diagnostic::Diagnostic;
use crate::keys::{Keys, Kind, optional};
use crate::reader::{Context, Reader};
use crate::spec::axes::Turned;
use crate::tree::Node;
use crate::turns::{about, spatial_only};
use crate::units::Dimension;
use crate::values;

pub(crate) const CONVENTION: Kind = Kind::Choice(&["standard", "modified"]);

const LENGTH: Kind = Kind::Quantity(Dimension::LENGTH);
const ANGLE: Kind = Kind::Quantity(Dimension::ANGLE);

pub(crate) const DH: Keys = Keys {
    about: "a row of Denavit and Hartenberg; what is left out is zero",
    keys: &[
        optional("a", LENGTH, "distance of the z axes, along x"),
        optional("alpha", ANGLE, "angle between the z axes, about x"),
        optional(
            "d",
            LENGTH,
            "distance of the x axes, along z; where a joint that slides is at zero",
        ),
        optional(
            "theta",
            ANGLE,
            "angle between the x axes, about z; where a joint that turns is at zero",
        ),
    ],
};

/// Which of the two transforms a row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Convention {
    Standard,
    /// Craig's.
    Modified,
}

/// A row with the joint at zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Row {
    pub a: f64,
    pub alpha: f64,
    pub d: f64,
    pub theta: f64,
}

impl Row {
    /// F₁ and F₂ of (3) or (4).
    pub fn frames(&self, convention: Convention) -> [Frame; 2] {
        let screw = |axis: Vector3<f64>, along: f64, angle: f64| Frame {
            p: axis * along,
            r: about(axis, angle),
        };
        let by_z = screw(Vector3::z(), self.d, self.theta);
        let by_x = screw(Vector3::x(), self.a, self.alpha);
        match convention {
            Convention::Standard => [Frame::identity(), by_z.then(&by_x).inverse()], // (3)
            Convention::Modified => [by_x, by_z.inverse()],                          // (4)
        }
    }
}

pub(crate) fn read_convention(cx: &mut Context<'_>, reader: &Reader<'_>) -> Option<Convention> {
    Some(match reader.choice(cx, "dh")?.value {
        "modified" => Convention::Modified,
        _ => Convention::Standard,
    })
}

/// A joint that slides does so along z; the core slides along x.
pub(crate) fn axes(kind: Option<JointKind>) -> Turned {
    let z_for_x = Matrix3::from_columns(&[Vector3::z(), Vector3::y(), -Vector3::x()]);
    match kind {
        Some(JointKind::Prismatic) => [Some(z_for_x); 2],
        _ => [None; 2],
    }
}

/// Reads the row of a joint.
pub(crate) fn read(
    cx: &mut Context<'_>,
    joint: &Reader<'_>,
    kind: Option<JointKind>,
    node: &Node,
) -> Option<Row> {
    let (key, _) = joint.entry("dh")?;
    let no_axes = ["axis", "along", "second_axis"].map(|axis| joint.not_both(cx, "dh", axis));
    let fits = check_kind(cx, joint, kind);
    let owner = format!("`dh` of {}", joint.owner);
    let reader = Reader::open(cx, owner, key.span, node, &DH)?;
    if cx.space == Space::Planar {
        let lies = "z is across the plane: `a` and `theta` are left";
        ["alpha", "d"].iter().for_each(|key| spatial_only(cx, &reader, key, lies));
    }
    let [a, alpha, d, theta] =
        ["a", "alpha", "d", "theta"].map(|key| value(cx, joint, kind, &reader, key));
    let row = Row { a: a?, alpha: alpha?, d: d?, theta: theta? };
    fits?;
    no_axes.iter().all(Option::is_some).then_some(row)
}

/// Only joints with one axis have a z to turn about or to slide along.
fn check_kind(cx: &mut Context<'_>, joint: &Reader<'_>, kind: Option<JointKind>) -> Option<()> {
    let kind = kind?;
    let (why, help) = match (kind, cx.space) {
        (JointKind::Revolute | JointKind::Fixed, _) => return Some(()),
        (JointKind::Prismatic, Space::Planar) => (
            "slides in the plane, and z is across it",
            "give the direction by `along` in place of `dh`, or write `space = \"spatial\"`",
        ),
        (JointKind::Prismatic | JointKind::Cylindrical | JointKind::Screw { .. }, _) => {
            return Some(());
        }
        (JointKind::Universal | JointKind::Spherical | JointKind::Planar, _) => (
            "moves about more than one axis",
            "give its frames by `frames` of the bodies in place of `dh`",
        ),
        (JointKind::Distance { .. } | JointKind::PointOnLine | JointKind::PointOnPlane, _) => (
            "does not carry a body along one axis",
            "give its frames by `frames` of the bodies in place of `dh`",
        ),
    };
    let (key, _) = joint.entry("dh")?;
    let message = format!("{} {why}: a row does not describe it", joint.owner);
    let label = "for revolute, prismatic, cylindrical, screw and fixed joints";
    cx.report(Diagnostic::error("G0531", message).at(key.span, label).help(help));
    None
}

/// What tables of robots write for the quantity that moves.
const VARIABLES: &[&str] = &["variable", "var", "free", "*", "q", "theta", "d"];

/// A value of the row; zero unless given.
fn value(
    cx: &mut Context<'_>,
    joint: &Reader<'_>,
    kind: Option<JointKind>,
    reader: &Reader<'_>,
    key: &'static str,
) -> Option<f64> {
    let Some(node) = reader.get(key) else { return Some(0.0) };
    let word = |text: &str| VARIABLES.contains(&text.trim().to_lowercase().as_str());
    if !values::depends_on_time(node) && !node.as_text().is_some_and(word) {
        return reader.quantity(cx, key).map(|value| value.value);
    }
    let moves = match (key, kind) {
        ("theta", Some(JointKind::Revolute | JointKind::Cylindrical | JointKind::Screw { .. })) => {
            Some("angle")
        }
        ("d", Some(JointKind::Prismatic | JointKind::Cylindrical | JointKind::Screw { .. })) => {
            Some("displacement")
        }
        _ => None,
    };
    let (message, label, help) = match moves {
        Some(what) => (
            format!("`{key}` of {} is where its {what} counts from", joint.owner),
            format!("a constant: the {what} of the joint is added"),
            format!("write the constant, or leave `{key}` out; a driver or the motion gives the {what}"),
        ),
        None => (
            format!("`{key}` of {} does not vary", joint.owner),
            "a constant of this joint".to_owned(),
            "revolute joints vary `theta`, prismatic ones `d`, cylindrical ones and screws both: change `type`, or write a constant".to_owned(),
        ),
    };
    cx.report(Diagnostic::error("G0532", message).at(node.span, label).help(help));
    None
}
