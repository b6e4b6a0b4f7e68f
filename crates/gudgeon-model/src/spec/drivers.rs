//! `[drivers]`: motions prescribed as functions of time.

use crate::keys::{Keys, Kind, optional, required};
use crate::reader::{Context, Reader};
use crate::spec::check_owner;
use crate::tree::{Name, Node};
use crate::units::Dimension;

pub(crate) const DRIVER: Keys = Keys {
    about: "prescribes the angle or displacement of a joint",
    keys: &[
        required("joint", Kind::Text, "name of the driven joint"),
        optional("about", Kind::Text, "a description"),
        optional("angle", Kind::Function(Dimension::ANGLE), "angle of a joint that turns"),
        optional("speed", Kind::Varies("2000 rpm"), "speed of the joint, in rpm or m/s"),
        optional("displacement", Kind::Function(Dimension::LENGTH), "of a joint that slides"),
        optional(
            "direction",
            Kind::Choice(&["x", "y", "z"]),
            "which one where the joint has several angles or displacements",
        ),
        optional("start", Kind::Varies("0 deg"), "angle or displacement at t = 0, with `speed`"),
    ],
};

pub(crate) struct DriverSpec<'t> {
    pub name: Name,
    pub reader: Option<Reader<'t>>,
}

pub(crate) fn read<'t>(cx: &mut Context<'_>, drivers: &'t [(Name, Node)]) -> Vec<DriverSpec<'t>> {
    let mut read = |(name, node): &'t (Name, Node)| {
        check_owner(cx, "driver", name);
        let owner = format!("driver `{}`", name.text);
        let reader = Reader::open(cx, owner, name.span, node, &DRIVER);
        DriverSpec { name: name.clone(), reader }
    };
    drivers.iter().map(&mut read).collect()
}
