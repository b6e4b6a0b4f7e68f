//! `[forces]`: loads as functions of time, springs, dampers and bushings.

use crate::keys::{AXIS, Key, Keys, Kind, Tagged, optional, required};
use crate::reader::{Context, Reader};
use crate::spec::check_owner;
use crate::spec::joints::BETWEEN;
use crate::tree::{Name, Node};
use crate::units::Dimension;

const TYPE: Key = required(
    "type",
    Kind::Choice(&[
        "force",
        "distributed",
        "torque",
        "spring",
        "damper",
        "torsion-spring",
        "bushing",
    ]),
    "what kind of force it is",
);
const ABOUT: Key = optional("about", Kind::Text, "a description");
const FRAMES: Key = required("between", BETWEEN, "two frames as [\"body.frame\", \"body.frame\"]");

pub(crate) const FORCE: Tagged = Tagged {
    tag: "type",
    about: "a load, a spring or a damper",
    variants: &[
        (
            "force",
            Keys {
                about: "a force at a point of a body",
                keys: &[
                    TYPE,
                    ABOUT,
                    required("on", Kind::Text, "the point, as \"body.frame\""),
                    required(
                        "force",
                        Kind::Functions(Dimension::FORCE),
                        "components x, y, and z in space",
                    ),
                    optional("axes", Kind::Choice(&["world", "body"]), "axes of the components"),
                ],
            },
        ),
        (
            "distributed",
            Keys {
                about: "a force per length along a flexible link",
                keys: &[
                    TYPE,
                    ABOUT,
                    required("on", Kind::Text, "the flexible body"),
                    required(
                        "force",
                        Kind::Functions(Dimension::STIFFNESS),
                        "components x, y, and z in space, per length of the undeformed line",
                    ),
                    optional(
                        "axes",
                        Kind::Choice(&["world", "body"]),
                        "axes of the components: of the world, or of every section; world unless given",
                    ),
                    optional("from", Kind::Number, "share of the line where it begins; 0"),
                    optional("to", Kind::Number, "share of the line where it ends; 1"),
                ],
            },
        ),
        (
            "torque",
            Keys {
                about: "a torque on a body",
                keys: &[
                    TYPE,
                    ABOUT,
                    required("on", Kind::Text, "the body"),
                    optional("against", Kind::Text, "the body that takes the reaction; ground"),
                    required("torque", Kind::Function(Dimension::TORQUE), "counter-clockwise"),
                    optional("axis", AXIS, "in axes of `against`; z unless given"),
                ],
            },
        ),
        (
            "spring",
            Keys {
                about: "a spring along the line between two points, with an optional damper",
                keys: &[
                    TYPE,
                    ABOUT,
                    FRAMES,
                    required("stiffness", Kind::Quantity(Dimension::STIFFNESS), "force per length"),
                    required("length", Kind::Quantity(Dimension::LENGTH), "free length"),
                    optional("damping", Kind::Quantity(Dimension::DAMPING), "force per speed"),
                ],
            },
        ),
        (
            "damper",
            Keys {
                about: "a damper along the line between two points",
                keys: &[
                    TYPE,
                    ABOUT,
                    FRAMES,
                    required("damping", Kind::Quantity(Dimension::DAMPING), "force per speed"),
                ],
            },
        ),
        (
            "torsion-spring",
            Keys {
                about: "a spring on the angle between two frames, with an optional damper",
                keys: &[
                    TYPE,
                    ABOUT,
                    FRAMES,
                    required(
                        "stiffness",
                        Kind::Quantity(Dimension::TORSION_STIFFNESS),
                        "torque per angle",
                    ),
                    optional("angle", Kind::Quantity(Dimension::ANGLE), "free angle; 0"),
                    optional(
                        "damping",
                        Kind::Quantity(Dimension::TORSION_DAMPING),
                        "torque per angular speed",
                    ),
                    optional("axis", AXIS, "axis of the angle; z unless given"),
                ],
            },
        ),
        (
            "bushing",
            Keys {
                about: "a compliant joint: springs and dampers in all directions",
                keys: &[
                    TYPE,
                    ABOUT,
                    FRAMES,
                    optional(
                        "stiffness",
                        Kind::Functions(Dimension::STIFFNESS),
                        "along x, y, and z in space",
                    ),
                    optional(
                        "torsion_stiffness",
                        about_axes(&TORSION_STIFFNESS),
                        "about z, in space three: about x, y, z",
                    ),
                    optional(
                        "damping",
                        Kind::Functions(Dimension::DAMPING),
                        "along x, y, and z in space",
                    ),
                    optional(
                        "torsion_damping",
                        about_axes(&TORSION_DAMPING),
                        "about z, in space three: about x, y, z",
                    ),
                    optional(
                        "stiffness_matrix",
                        Kind::Matrix(6),
                        "rows of x, y, angle, in space x, y, z, then about them; instead of the stiffnesses",
                    ),
                    optional(
                        "damping_matrix",
                        Kind::Matrix(6),
                        "rows of x, y, angle, in space x, y, z, then about them; instead of the dampings",
                    ),
                ],
            },
        ),
    ],
};

/// One value in the plane, three in space.
const fn about_axes(kinds: &'static [Kind; 2]) -> Kind {
    Kind::Either(kinds)
}

const TORSION_STIFFNESS: [Kind; 2] =
    [Kind::Function(Dimension::TORSION_STIFFNESS), Kind::Functions(Dimension::TORSION_STIFFNESS)];
const TORSION_DAMPING: [Kind; 2] =
    [Kind::Function(Dimension::TORSION_DAMPING), Kind::Functions(Dimension::TORSION_DAMPING)];

pub(crate) struct ForceSpec<'t> {
    pub name: Name,
    /// The type and the table, if they could be read.
    pub table: Option<(&'static str, Reader<'t>)>,
}

pub(crate) fn read<'t>(cx: &mut Context<'_>, forces: &'t [(Name, Node)]) -> Vec<ForceSpec<'t>> {
    let mut read = |(name, node): &'t (Name, Node)| {
        check_owner(cx, "force", name);
        let owner = format!("force `{}`", name.text);
        let table = Reader::open_tagged(cx, owner, name.span, node, &FORCE);
        ForceSpec { name: name.clone(), table }
    };
    forces.iter().map(&mut read).collect()
}
