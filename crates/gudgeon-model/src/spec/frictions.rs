//! `friction`: the friction law of a contact, or of the sliding surfaces of an ideal joint.

use std::sync::Arc;

use gudgeon::friction::{FrictionFormula, FrictionLaw, JointFriction, ZonedLaw};
use gudgeon::model::{JointKind, Space};

use crate::diagnostic::Diagnostic;
use crate::keys::{Key, Keys, Kind, Tagged, optional, required};
use crate::reader::{At, Context, Reader};
use crate::spec::laws;
use crate::tree::{Name, Node};
use crate::units::Dimension;

const LAW: Key = required(
    "law",
    Kind::Choice(&["coulomb", "three-zone", "stribeck", "dahl", "lugre", "formula"]),
    "name of the law",
);

const fn speed(name: &'static str, about: &'static str) -> Key {
    optional(name, Kind::Quantity(Dimension::SPEED), about)
}

const RADIUS: Key = optional(
    "radius",
    Kind::Quantity(Dimension::LENGTH),
    "ideal joints: radius of the pin or ball, mean radius of a thread; with a clearance that of the bearing",
);
const THRUST: Key = optional(
    "thrust_radius",
    Kind::Quantity(Dimension::LENGTH),
    "ideal joints: mean radius of the faces that carry thrust; none unless given",
);
const LENGTH: Key = optional(
    "length",
    Kind::Quantity(Dimension::LENGTH),
    "ideal joints: length of the bearing or guide, over which moments are carried; none unless given",
);
const PRELOAD: Key = optional(
    "preload",
    Kind::Quantity(Dimension::FORCE),
    "ideal joints: load that is always there; none unless given",
);

pub(crate) const FRICTION: Tagged = Tagged {
    tag: "law",
    about: "friction of the contact or of the surfaces of an ideal joint",
    variants: &[
        (
            "coulomb",
            Keys {
                about: "Coulomb friction that fades in between two sliding speeds",
                keys: &[
                    LAW,
                    required("mu", Kind::Number, "coefficient of friction"),
                    speed("v0", "no friction below this speed; 0.1 mm/s unless given"),
                    speed("v1", "full friction from this speed; 1 mm/s unless given"),
                    RADIUS,
                    THRUST,
                    LENGTH,
                    PRELOAD,
                ],
            },
        ),
        (
            "three-zone",
            Keys {
                about: "static and dynamic friction joined by smooth curves",
                keys: &[
                    LAW,
                    required("mu_s", Kind::Number, "coefficient of static friction"),
                    required("mu_d", Kind::Number, "coefficient of dynamic friction"),
                    required("v_s", Kind::Quantity(Dimension::SPEED), "speed of static friction"),
                    required("v_d", Kind::Quantity(Dimension::SPEED), "speed of dynamic friction"),
                    RADIUS,
                    THRUST,
                    LENGTH,
                    PRELOAD,
                ],
            },
        ),
        (
            "stribeck",
            Keys {
                about: "friction that falls with speed, smooth through rest",
                keys: &[
                    LAW,
                    required("mu_s", Kind::Number, "coefficient of static friction"),
                    required("mu_k", Kind::Number, "coefficient of kinetic friction"),
                    required("v_s", Kind::Quantity(Dimension::SPEED), "Stribeck speed"),
                    speed(
                        "v_t",
                        "speed of the transition through rest; a tenth of `v_s` unless given",
                    ),
                    RADIUS,
                    THRUST,
                    LENGTH,
                    PRELOAD,
                ],
            },
        ),
        (
            "dahl",
            Keys {
                about: "bristles that stick and yield at the friction force",
                keys: &[
                    LAW,
                    required("mu", Kind::Number, "coefficient of friction"),
                    required("sigma0", PER_LENGTH, "stiffness of the bristles over the load"),
                    RADIUS,
                    THRUST,
                    LENGTH,
                    PRELOAD,
                ],
            },
        ),
        (
            "lugre",
            Keys {
                about: "bristles that stick, with Stribeck's curve and damping",
                keys: &[
                    LAW,
                    required("mu_s", Kind::Number, "coefficient of static friction"),
                    required("mu_k", Kind::Number, "coefficient of kinetic friction"),
                    required("v_s", Kind::Quantity(Dimension::SPEED), "Stribeck speed"),
                    required("sigma0", PER_LENGTH, "stiffness of the bristles over the load"),
                    optional(
                        "sigma1",
                        PER_SPEED,
                        "damping of the bristles over the load; none unless given",
                    ),
                    optional(
                        "sigma2",
                        PER_SPEED,
                        "viscous friction over the load; none unless given",
                    ),
                    speed(
                        "sigma1_speed",
                        "speed at which the damping fades, e^-(v/speed)^2; constant unless given",
                    ),
                    RADIUS,
                    THRUST,
                    LENGTH,
                    PRELOAD,
                ],
            },
        ),
        (
            "formula",
            Keys {
                about: "a coefficient by formula",
                keys: &[
                    LAW,
                    required(
                        "mu",
                        Kind::Function(Dimension::NUMBER),
                        "coefficient of friction, of slip and normal_force",
                    ),
                    RADIUS,
                    THRUST,
                    LENGTH,
                    PRELOAD,
                ],
            },
        ),
    ],
};

const PER_LENGTH: Kind = Kind::Quantity(Dimension::PER_LENGTH);
const PER_SPEED: Kind = Kind::Quantity(Dimension::PER_SPEED);

const RADIUS_ONLY: &str = "add `radius = \"10 mm\"` to the table";
const RADIUS_OR_CLEARANCE: &str =
    "add `radius = \"10 mm\"` to the table, or a `clearance` table to the joint";

/// Speeds of the dynamic correction where the file gives none, m/s.
const V0: f64 = 1e-4;
const V1: f64 = 1e-3;

/// The friction of a contact in a clearance.
pub(crate) fn of_contact(cx: &mut Context<'_>, key: &Name, node: &Node) -> Option<FrictionLaw> {
    let (_, reader) = Reader::open_tagged(cx, "`friction`", key.span, node, &FRICTION)?;
    let why = "the clearance gives the surfaces";
    reader.refuse(cx, "G0521", &["radius", "thrust_radius", "length", "preload"], why);
    law(cx, &reader)
}

/// The friction of an ideal joint.
pub(crate) fn of_joint(
    cx: &mut Context<'_>,
    kind: Option<JointKind>,
    owner: &str,
    (key, node): (&Name, &Node),
) -> Option<JointFriction> {
    let (_, reader) = Reader::open_tagged(cx, "`friction`", key.span, node, &FRICTION)?;
    let law = law(cx, &reader);
    let sizes = ["radius", "thrust_radius", "length", "preload"].map(|key| size(cx, &reader, key));
    let [radius, thrust_radius, length, preload] = sizes;
    let kind = kind?;
    let turns = match kind {
        JointKind::Revolute
        | JointKind::Cylindrical
        | JointKind::Screw { .. }
        | JointKind::Spherical
        | JointKind::Universal => true,
        JointKind::Prismatic | JointKind::Planar => false,
        JointKind::Fixed
        | JointKind::Distance { .. }
        | JointKind::PointOnLine
        | JointKind::PointOnPlane => {
            let message = format!("{owner} has no sliding surface for friction");
            let diagnostic = Diagnostic::error("G0510", message).at(key.span, "nothing slides in it").help(
                "friction is for revolute, prismatic, cylindrical, screw, spherical, universal and planar joints",
            );
            cx.report(diagnostic);
            return None;
        }
    };
    if turns && radius.is_none() && reader.get("radius").is_none() {
        let (what, help) = match kind {
            JointKind::Screw { .. } => ("mean `radius` of its thread", RADIUS_ONLY),
            JointKind::Universal => ("`radius` of its pins", RADIUS_ONLY),
            JointKind::Spherical => ("`radius` of its ball", RADIUS_OR_CLEARANCE),
            _ => ("`radius` of its pin", RADIUS_OR_CLEARANCE),
        };
        let diagnostic =
            Diagnostic::error("G0510", format!("friction of {owner} needs the {what}"))
                .at(key.span, "a torque of friction is a force times a radius")
                .help(help);
        cx.report(diagnostic);
        return None;
    }
    let planar = cx.space == Space::Planar;
    let needless: &[&str] = match kind {
        JointKind::Prismatic => &["radius", "thrust_radius"],
        JointKind::Planar => &["radius", "length"],
        JointKind::Spherical | JointKind::Universal => &["thrust_radius", "length"],
        JointKind::Cylindrical | JointKind::Screw { .. } => &["thrust_radius"],
        _ if planar => &["thrust_radius", "length"],
        _ => &[],
    };
    reader.refuse(cx, "G0521", needless, "the joint has no such surface");
    Some(JointFriction {
        law: law?,
        radius: radius.unwrap_or(1.0),
        thrust_radius: thrust_radius.unwrap_or(0.0),
        length,
        preload: preload.unwrap_or(0.0),
    })
}

fn law(cx: &mut Context<'_>, reader: &Reader<'_>) -> Option<FrictionLaw> {
    match reader.choice(cx, "law")?.value {
        "coulomb" => {
            let mu = coefficient(cx, reader, "mu");
            let v0 = speed_or(cx, reader, "v0", V0)?;
            let v1 = speed_or(cx, reader, "v1", V1)?;
            check_order(cx, v0.value >= 0.0 && v0.value < v1.value, v1, "0 ≤ `v0` < `v1`")?;
            let law = ZonedLaw::Coulomb { mu: mu?, v0: v0.value, v1: v1.value };
            Some(FrictionLaw::Zoned(law))
        }
        "three-zone" => {
            let (mu_s, mu_d) = (coefficient(cx, reader, "mu_s"), coefficient(cx, reader, "mu_d"));
            let (v_s, v_d) = (reader.quantity(cx, "v_s"), reader.quantity(cx, "v_d"));
            let (v_s, v_d) = (v_s?, v_d?);
            check_order(cx, v_s.value > 0.0 && v_s.value < v_d.value, v_d, "0 < `v_s` < `v_d`")?;
            let (v_s, v_d) = (v_s.value, v_d.value);
            let law = ZonedLaw::ThreeZone { mu_s: mu_s?, mu_d: mu_d?, v_s, v_d };
            Some(FrictionLaw::Zoned(law))
        }
        "stribeck" => {
            let (mu_s, mu_k) = falling(cx, reader)?;
            let v_s = positive(cx, reader, "v_s")?;
            let v_t = speed_or(cx, reader, "v_t", 0.1 * v_s)?;
            let v_t = check_positive(cx, "v_t", v_t)?;
            Some(FrictionLaw::Stribeck { mu_s, mu_k, v_s, v_t })
        }
        "dahl" => {
            let mu = coefficient(cx, reader, "mu");
            let sigma0 = positive(cx, reader, "sigma0");
            Some(FrictionLaw::Dahl { mu: above_zero(cx, reader, mu?)?, sigma0: sigma0? })
        }
        "formula" => {
            let node = reader.get("mu")?;
            let law = FrictionFormula::new(laws::formula(cx, "mu", node, &laws::FRICTION)?);
            laws::check_mu(cx, &law, node.span)?;
            Some(FrictionLaw::Formula(Arc::new(law)))
        }
        _ => {
            let (mu_s, mu_k) = falling(cx, reader)?;
            let mu_k = above_zero(cx, reader, mu_k)?;
            let v_s = positive(cx, reader, "v_s");
            let sigma0 = positive(cx, reader, "sigma0");
            let sigma1 = damping(cx, reader, "sigma1");
            let sigma2 = damping(cx, reader, "sigma2");
            let fading = match reader.get("sigma1_speed") {
                Some(_) => Some(positive(cx, reader, "sigma1_speed")?),
                None => None,
            };
            Some(FrictionLaw::LuGre {
                mu_s,
                mu_k,
                v_s: v_s?,
                sigma0: sigma0?,
                sigma1: sigma1?,
                sigma2: sigma2?,
                fading,
            })
        }
    }
}

/// μ_s ≥ μ_k.
fn falling(cx: &mut Context<'_>, reader: &Reader<'_>) -> Option<(f64, f64)> {
    let (mu_s, mu_k) = (coefficient(cx, reader, "mu_s"), coefficient(cx, reader, "mu_k"));
    let (mu_s, mu_k) = (mu_s?, mu_k?);
    if mu_s < mu_k {
        let span = reader.get("mu_s").map_or(reader.span, |node| node.span);
        let message = "static friction cannot be below kinetic friction";
        let diagnostic = Diagnostic::error("G0511", message)
            .at(span, format!("{mu_s} is less than `mu_k`, {mu_k}"))
            .help("`mu_s` breaks the surfaces loose, `mu_k` is what is left at speed");
        cx.report(diagnostic);
        return None;
    }
    Some((mu_s, mu_k))
}

fn above_zero(cx: &mut Context<'_>, reader: &Reader<'_>, mu: f64) -> Option<f64> {
    if mu > 0.0 {
        return Some(mu);
    }
    let diagnostic = Diagnostic::error("G0511", "bristles need friction to yield at")
        .at(reader.span, "the coefficient is zero")
        .help("remove `friction`, or give a coefficient above zero");
    cx.report(diagnostic);
    None
}

fn positive(cx: &mut Context<'_>, reader: &Reader<'_>, key: &str) -> Option<f64> {
    let value = reader.quantity(cx, key)?;
    check_positive(cx, key, value)
}

fn check_positive(cx: &mut Context<'_>, key: &str, value: At<f64>) -> Option<f64> {
    if value.value > 0.0 {
        return Some(value.value);
    }
    let diagnostic = Diagnostic::error("G0511", format!("`{key}` must be positive"))
        .at(value.span, "zero or negative")
        .help("write its size, such as the constants of docs/model-file.md");
    cx.report(diagnostic);
    None
}

fn damping(cx: &mut Context<'_>, reader: &Reader<'_>, key: &str) -> Option<f64> {
    let Some(_) = reader.get(key) else { return Some(0.0) };
    let value = reader.quantity(cx, key)?;
    if value.value >= 0.0 {
        return Some(value.value);
    }
    let diagnostic = Diagnostic::error("G0511", format!("`{key}` cannot be negative"))
        .at(value.span, "negative")
        .help("damping takes energy: write its size");
    cx.report(diagnostic);
    None
}

/// A length above zero, or a preload that is not negative.
fn size(cx: &mut Context<'_>, reader: &Reader<'_>, key: &str) -> Option<f64> {
    let value = reader.get(key).and_then(|_| reader.quantity(cx, key))?;
    if value.value > 0.0 || (key == "preload" && value.value == 0.0) {
        return Some(value.value);
    }
    let (message, help) = match key {
        "preload" => (
            "`preload` cannot be negative".to_owned(),
            "surfaces press, they do not pull: leave it out, or write its size",
        ),
        _ => (format!("`{key}` must be positive"), "write a length such as \"10 mm\""),
    };
    let diagnostic = Diagnostic::error("G0511", message).at(value.span, "out of range").help(help);
    cx.report(diagnostic);
    None
}

fn coefficient(cx: &mut Context<'_>, reader: &Reader<'_>, key: &str) -> Option<f64> {
    let mu = reader.quantity(cx, key)?;
    if mu.value < 0.0 {
        let message = format!("`{key}` cannot be negative");
        cx.report(
            Diagnostic::error("G0511", message)
                .at(mu.span, "negative")
                .help("write the size of the coefficient: friction always acts against the motion"),
        );
        return None;
    }
    Some(mu.value)
}

fn speed_or(cx: &mut Context<'_>, reader: &Reader<'_>, key: &str, value: f64) -> Option<At<f64>> {
    match reader.get(key) {
        Some(_) => reader.quantity(cx, key),
        None => Some(At { value, span: reader.span }),
    }
}

fn check_order(cx: &mut Context<'_>, holds: bool, at: At<f64>, wanted: &str) -> Option<()> {
    if !holds {
        let message = format!("the speeds of the friction law must satisfy {wanted}");
        cx.report(
            Diagnostic::error("G0511", message).at(at.span, "out of order").help(
                "`v_s` ends sticking, `v_d` begins sliding, such as \"1 mm/s\" and \"10 mm/s\"",
            ),
        );
        return None;
    }
    Some(())
}
