//! `friction`: the friction law of a contact.

use gudgeon::clearance::friction::FrictionLaw;

use crate::diagnostic::Diagnostic;
use crate::keys::{Key, Keys, Kind, Tagged, optional, required};
use crate::reader::{At, Context, Reader};
use crate::tree::{Name, Node};
use crate::units::Dimension;

const LAW: Key = required("law", Kind::Choice(&["coulomb", "three-zone"]), "name of the law");

const fn speed(name: &'static str, about: &'static str) -> Key {
    optional(name, Kind::Quantity(Dimension::SPEED), about)
}

pub(crate) const FRICTION: Tagged = Tagged {
    tag: "law",
    about: "friction of the contact",
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
                ],
            },
        ),
    ],
};

/// Speeds of the dynamic correction where the file gives none, m/s.
const V0: f64 = 1e-4;
const V1: f64 = 1e-3;

pub(crate) fn read(cx: &mut Context<'_>, key: &Name, node: &Node) -> Option<FrictionLaw> {
    let (law, reader) = Reader::open_tagged(cx, "`friction`", key.span, node, &FRICTION)?;
    if law == "coulomb" {
        let mu = coefficient(cx, &reader, "mu");
        let v0 = speed_or(cx, &reader, "v0", V0)?;
        let v1 = speed_or(cx, &reader, "v1", V1)?;
        check_order(cx, v0.value >= 0.0 && v0.value < v1.value, v1, "0 ≤ `v0` < `v1`")?;
        return Some(FrictionLaw::Coulomb { mu: mu?, v0: v0.value, v1: v1.value });
    }
    let (mu_s, mu_d) = (coefficient(cx, &reader, "mu_s"), coefficient(cx, &reader, "mu_d"));
    let (v_s, v_d) = (reader.quantity(cx, "v_s"), reader.quantity(cx, "v_d"));
    let (v_s, v_d) = (v_s?, v_d?);
    check_order(cx, v_s.value > 0.0 && v_s.value < v_d.value, v_d, "0 < `v_s` < `v_d`")?;
    Some(FrictionLaw::ThreeZone { mu_s: mu_s?, mu_d: mu_d?, v_s: v_s.value, v_d: v_d.value })
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
