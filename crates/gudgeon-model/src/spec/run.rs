//! `[run]`: how long, how exact, and what is reported.

use crate::keys::{Keys, Kind, optional};
use crate::units::Dimension;

pub(crate) const WHEN: Kind =
    Kind::Either(&[Kind::Varies("3 rev"), Kind::Named(&Kind::Varies("3 rev"))]);

const LOOPS: Kind = Kind::Named(&Kind::List(&Kind::Count));

const OUTPUTS: Kind = Kind::Either(&[Kind::List(&Kind::Text), Kind::Table(&ADDED)]);

const ADDED: Keys = Keys {
    about: "outputs in addition to those of the file in `use`",
    keys: &[optional("add", Kind::List(&Kind::Text), "names of outputs")],
};

pub(crate) const RUN: Keys = Keys {
    about: "how long to run and what to report",
    keys: &[
        optional("until", WHEN, "a time, or revolutions of the driven joint"),
        optional("measure_from", WHEN, "extremes and means are taken from here; 0 unless given"),
        optional("outputs", OUTPUTS, "names of outputs; see `gudgeon check --outputs`"),
        optional(
            "method",
            Kind::Choice(&["auto", "dop853", "dopri5", "rk4"]),
            "the integrator; auto unless given",
        ),
        optional("step", Kind::Quantity(Dimension::TIME), "step of `rk4`"),
        optional("alpha", Kind::Quantity(Dimension::FREQUENCY), "Baumgarte's α of `rk4`"),
        optional("beta", Kind::Quantity(Dimension::FREQUENCY), "Baumgarte's β of `rk4`"),
        optional("rtol", Kind::Number, "relative tolerance"),
        optional("every", Kind::Quantity(Dimension::TIME), "interval of the recorded rows"),
        optional("loops", LOOPS, "impacts, by joint, whose force–indentation loop is written"),
    ],
};
