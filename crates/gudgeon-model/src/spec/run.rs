//! `[run]`: how long, how exact, and what is reported.

use crate::keys::{Keys, Kind, optional, required};
use crate::units::Dimension;

pub const WHEN: Kind = Kind::Either(&[Kind::Varies("3 rev"), Kind::Named(&Kind::Varies("3 rev"))]);

const EVERY: Kind = Kind::Either(&[Kind::Quantity(Dimension::TIME), Kind::Choice(&["steps"])]);

const LOOPS: Kind = Kind::Named(&Kind::List(&Kind::Count));

const INSTANTS: Kind =
    Kind::List(&Kind::Either(&[Kind::Varies("thinnest"), Kind::Named(&Kind::Varies("3 rev"))]));

const RANGE_OF_TIME: Kind = Kind::Either(&[Kind::Choice(&["all"]), Kind::List(&WHEN)]);

const OUTPUTS: Kind = Kind::Either(&[Kind::List(&Kind::Text), Kind::Table(&ADDED)]);

const ADDED: Keys = Keys {
    about: "outputs in addition to those of the file in `use`",
    keys: &[optional("add", Kind::List(&Kind::Text), "names of outputs")],
};

const VARY: Kind =
    Kind::Named(&Kind::Either(&[Kind::List(&Kind::Varies("1000 rpm")), Kind::Table(&RANGE)]));

pub(crate) const RANGE: Keys = Keys {
    about: "values from one end to the other",
    keys: &[
        required("from", Kind::Varies("500 rpm"), "the first value"),
        required("to", Kind::Varies("5000 rpm"), "the last value"),
        optional("points", Kind::Count, "number of values; 25 unless given"),
        optional("scale", Kind::Choice(&["linear", "log"]), "how they are spread"),
    ],
};

const FREQUENCIES: Kind = Kind::Either(&[
    Kind::List(&Kind::Quantity(Dimension::FREQUENCY)),
    Kind::Table(&FREQUENCY_RANGE),
]);

pub(crate) const FREQUENCY_RANGE: Keys = Keys {
    about: "frequencies from one end to the other",
    keys: &[
        required("from", Kind::Quantity(Dimension::FREQUENCY), "the first frequency"),
        required("to", Kind::Quantity(Dimension::FREQUENCY), "the last frequency"),
        optional("points", Kind::Count, "number of frequencies; 25 unless given"),
        optional("scale", Kind::Choice(&["linear", "log"]), "how they are spread"),
    ],
};

pub(crate) const EXCITE: Keys = Keys {
    about: "a harmonic load: a force, a torque or an unbalance",
    keys: &[
        required("at", Kind::Text, "the body, or `body.frame`, on which it acts"),
        optional("force", Kind::Vector(Dimension::FORCE), "amplitude, in world axes"),
        optional("torque", Kind::Quantity(Dimension::TORQUE), "amplitude, about z of the frame"),
        optional(
            "unbalance",
            Kind::Quantity(Dimension::UNBALANCE),
            "mass times eccentricity, turning about z of the frame at every frequency",
        ),
    ],
};

/// How the vibration of links is computed.
pub(crate) const KED: Keys = Keys {
    about: "of `analysis = \"ked\"`: how the vibration of the links is computed",
    keys: &[
        optional(
            "step",
            Kind::Quantity(Dimension::TIME),
            "of Newmark's method; a hundredth of the fastest first bending period of the links unless given",
        ),
        optional("beta", Kind::Number, "β of Newmark's method; 0.25 unless given"),
        optional("gamma", Kind::Number, "γ of Newmark's method; 0.5 unless given"),
        optional(
            "case",
            Kind::Either(&[Kind::Count, Kind::Choice(&["1", "2", "exact", "difference"])]),
            "how the rigid acceleration loads the nodes: 1, 2, exact or difference (2 less 1); exact unless given",
        ),
        optional(
            "driven",
            Kind::Choice(&["clamped", "free"]),
            "driven joints in the vibration; clamped unless given",
        ),
        optional(
            "actuated",
            Kind::Choice(&["locked", "free"]),
            "joints with a torque between their sides; locked unless given",
        ),
        optional(
            "start",
            Kind::Choice(&["zero", "quasi-static"]),
            "displacements at the start; zero unless given",
        ),
        optional(
            "coupling",
            Kind::Flag,
            "gyroscopic, centrifugal and tangential terms; true unless given",
        ),
        optional(
            "geometric_stiffness",
            Kind::Choice(&["none", "rigid", "actual"]),
            "by the axial force of the rigid motion, or that of the last step; none unless given",
        ),
    ],
};

const ANALYSES: &[&str] = &["motion", "ked", "bearing", "static", "modal", "response"];

const STATES: &[&str] = &["equilibrium", "spinning", "rotation", "start", "frozen"];

pub(crate) const METHODS: &[&str] =
    &["auto", "dop853", "dopri5", "rk4", "generalized-alpha", "hht", "newmark", "radau5", "bdf"];

pub(crate) const RUN: Keys = Keys {
    about: "how long to run and what to report",
    keys: &[
        optional(
            "analysis",
            Kind::Choice(ANALYSES),
            "motion unless given; ked: vibration of the links about the rigid motion; bearing: where journals rest in their films, and coefficients; static: equilibrium; modal: small motions; response: to a harmonic load",
        ),
        optional(
            "vary",
            VARY,
            "of a bearing, static or modal analysis: a parameter and the values it takes",
        ),
        optional(
            "about",
            Kind::Choice(STATES),
            "of static, modal and response: the state; equilibrium unless given",
        ),
        optional("ked", Kind::Table(&KED), "of ked: how the vibration is computed"),
        optional("modes", Kind::Count, "of modal: how many; 10 at most unless given"),
        optional(
            "impact_speed",
            Kind::Quantity(Dimension::SPEED),
            "of modal: by which the hysteresis of contacts is divided; none unless given",
        ),
        optional("undamped", Kind::Flag, "of modal: leaves damping out; false unless given"),
        optional(
            "frequencies",
            FREQUENCIES,
            "of response: frequencies of the load, a list or a range",
        ),
        optional("excite", Kind::Table(&EXCITE), "of response: the load"),
        optional(
            "until",
            WHEN,
            "a time, or revolutions of the driven joint; with a joint also `at_most`, a time",
        ),
        optional("measure_from", WHEN, "extremes and means are taken from here; 0 unless given"),
        optional("outputs", OUTPUTS, "names of outputs; see `gudgeon check --outputs`"),
        optional("method", Kind::Choice(METHODS), "the integrator; auto unless given"),
        optional(
            "step",
            Kind::Quantity(Dimension::TIME),
            "a fixed step: needed by `rk4`, optional with implicit methods",
        ),
        optional("alpha", Kind::Varies("5 Hz"), "Baumgarte's α of `rk4`, or α of `hht`"),
        optional("beta", Kind::Varies("5 Hz"), "Baumgarte's β of `rk4`, or β of `newmark`"),
        optional("gamma", Kind::Number, "γ of `newmark`"),
        optional("rho", Kind::Number, "ρ∞ of `generalized-alpha`, 0 to 1; 0.8 unless given"),
        optional("index", Kind::Number, "of `generalized-alpha`, `hht`, `newmark`, `bdf`: 2 or 3"),
        optional("rtol", Kind::Number, "relative tolerance"),
        optional(
            "every",
            EVERY,
            "interval of the recorded rows, or `steps` for all steps; about 2000 rows in the measuring window and every event unless given",
        ),
        optional(
            "time_limit",
            Kind::Quantity(Dimension::TIME),
            "CPU time after which the run fails; none unless given",
        ),
        optional("max_steps", Kind::Count, "steps after which the run fails; none unless given"),
        optional("loops", LOOPS, "impacts, by joint, whose force–indentation loop is written"),
        optional(
            "pressure_at",
            INSTANTS,
            "times, revolutions or `thinnest`: when the pressure of films is written",
        ),
        optional(
            "plot_range",
            RANGE_OF_TIME,
            "start and end of the pictures, or `all`; the measuring window unless given",
        ),
    ],
};
