//! The vocabulary of the study file. Readers and the JSON schema use the same lists.

use gudgeon_model::keys::{Key, Keys, Kind, Tagged, optional, required};
use gudgeon_model::spec::run::WHEN;
use gudgeon_model::units::Dimension;

const NAMES: Kind = Kind::List(&Kind::Text);

pub(crate) const ROOT: Keys = Keys {
    about: "a design study of a model",
    keys: &[
        required("format", Kind::Count, "version of the file format; write `format = 1`"),
        optional(
            "numbers",
            Kind::Choice(&["SI"]),
            "write `\"SI\"` where numbers without unit are SI throughout this file",
        ),
        required("study", Kind::Table(&STUDY), "name, model and seed"),
        optional("run", Kind::Table(&RUN), "replaces keys of the model's `[run]`"),
        optional("set", Kind::Named(&Kind::Any), "fixed changes of the model, as with `--set`"),
        required(
            "variables",
            Kind::Named(&Kind::Table(&VARIABLE)),
            "what is varied, such as `speed = { from = \"50 rpm\", to = \"5000 rpm\" }`",
        ),
        optional("design", Kind::Tagged(&DESIGN), "where the samples lie"),
        required(
            "responses",
            Kind::Named(&Kind::Text),
            "what is measured, such as `power = \"abs_max(motor.power)\"`, or computed",
        ),
        optional("surrogate", Kind::Table(&SURROGATE), "a Kriging model of the responses"),
        optional("optimise", Kind::Table(&OPTIMISE), "a search for the best point"),
        optional("sensitivity", Kind::Table(&SENSITIVITY), "which variables matter"),
        optional("sweep", Kind::Table(&SWEEP), "one variable through its range"),
        optional("plots", Kind::Table(&PLOTS), "pictures of the surrogate"),
    ],
};

pub(crate) const STUDY: Keys = Keys {
    about: "what is studied",
    keys: &[
        optional("name", Kind::Text, "a title"),
        optional("about", Kind::Text, "a description"),
        optional("model", Kind::Text, "a model file, or the name of a shipped model"),
        optional("seed", Kind::Count, "start of all random numbers; 1 unless given"),
        optional(
            "ensemble",
            Kind::Count,
            "runs per sample, with starts 1e-9 m apart; 1 unless given",
        ),
        optional("time_limit", Kind::Quantity(Dimension::TIME), "longest time for one sample"),
    ],
};

pub(crate) const RUN: Keys = Keys {
    about: "how long samples run",
    keys: &[
        optional("until", WHEN, "a time, or revolutions of the driven joint"),
        optional("measure_from", WHEN, "responses are taken from here"),
        optional("rtol", Kind::Number, "relative tolerance"),
    ],
};

const VALUE: Kind = Kind::Varies("0.1 mm");
const VALUES: Kind = Kind::List(&VALUE);

pub(crate) const SCALE: Key =
    optional("scale", Kind::Choice(&["linear", "log"]), "linear unless given");

pub(crate) const VARIABLE: Keys = Keys {
    about: "a parameter of the model, or any key by its path, and the values it takes",
    keys: &[
        optional("path", Kind::Text, "path of a key, such as `joints.pin.friction.mu`"),
        optional("from", VALUE, "one end of the range"),
        optional("to", VALUE, "the other end of the range"),
        SCALE,
        optional("integer", Kind::Flag, "whole numbers only"),
        optional("choice", VALUES, "the only values: words or quantities"),
        optional("normal", VALUE, "mean of a normal distribution"),
        optional("std", VALUE, "standard deviation of the normal distribution"),
        optional("limits", VALUES, "where the normal distribution is cut off: [low, high]"),
        optional("uniform", VALUES, "a uniform distribution: [low, high]"),
        optional("triangular", VALUES, "a triangular distribution: [low, mode, high]"),
    ],
};

const METHOD: Key = required(
    "method",
    Kind::Choice(&["lhs", "factorial", "sobol", "monte-carlo", "file"]),
    "how the samples are placed",
);
const SAMPLES: Key = required("samples", Kind::Count, "number of samples");

pub(crate) const DESIGN: Tagged = Tagged {
    tag: "method",
    about: "where the samples lie",
    variants: &[
        (
            "lhs",
            Keys {
                about: "a Latin hypercube",
                keys: &[
                    METHOD,
                    SAMPLES,
                    optional("optimise", Kind::Flag, "fill the space evenly; true unless given"),
                    optional("centred", Kind::Flag, "in the middle of cells; false unless given"),
                    optional(
                        "ends",
                        Kind::Flag,
                        "even levels from end to end, both ends among them; false unless given",
                    ),
                ],
            },
        ),
        (
            "factorial",
            Keys {
                about: "all combinations of levels",
                keys: &[
                    METHOD,
                    optional(
                        "levels",
                        Kind::Either(&[Kind::Count, Kind::Named(&Kind::Count)]),
                        "levels of each range, such as 5 or `{ speed = 5, clearance = 3 }`",
                    ),
                ],
            },
        ),
        ("sobol", Keys { about: "a scrambled Sobol' sequence", keys: &[METHOD, SAMPLES] }),
        ("monte-carlo", Keys { about: "random points", keys: &[METHOD, SAMPLES] }),
        (
            "file",
            Keys {
                about: "points of your own",
                keys: &[
                    METHOD,
                    required("file", Kind::Text, "a CSV file with columns such as `speed [rpm]`"),
                    optional("samples", Kind::Count, "number of points the file must hold"),
                ],
            },
        ),
    ],
};

pub(crate) const SURROGATE: Keys = Keys {
    about: "a Kriging model of the responses",
    keys: &[
        optional("kind", Kind::Choice(&["kriging"]), "kriging unless given"),
        optional(
            "trend",
            Kind::Choice(&["constant", "linear", "quadratic"]),
            "the mean of the process; constant unless given",
        ),
        optional(
            "correlation",
            Kind::Choice(&["power-exponential", "squared-exponential", "matern-3/2", "matern-5/2"]),
            "how neighbours agree; power-exponential unless given",
        ),
        optional("of", NAMES, "responses that are fitted; all unless given"),
        optional("log", NAMES, "responses and variables whose logarithm is used"),
        optional(
            "nugget",
            Kind::Either(&[Kind::Flag, Kind::Number]),
            "noise: fitted, or its share of the variance; fitted for ensembles unless given",
        ),
        optional("starts", Kind::Count, "starts of the likelihood search; 10 unless given"),
        optional(
            "theta",
            Kind::Either(&[Kind::Number, Kind::List(&Kind::Number)]),
            "θ of every variable, or one for all, in place of the most likely",
        ),
        optional(
            "exponent",
            Kind::Either(&[Kind::Number, Kind::List(&Kind::Number)]),
            "α of every variable, or one for all, above 0 and up to 2, in place of the most likely",
        ),
        optional(
            "predict",
            Kind::List(&Kind::Named(&VALUE)),
            "points whose mean and variance are told, as [{ speed = \"3000 rpm\" }]",
        ),
        optional(
            "validation",
            Kind::Either(&[Kind::Choice(&["leave-one-out"]), Kind::Count]),
            "leave-one-out, or the number of folds; leave-one-out unless given",
        ),
    ],
};

const ON: Key = optional(
    "on",
    Kind::Choice(&["surrogate", "simulator"]),
    "what is evaluated; the surrogate where there is one unless given",
);

pub(crate) const OPTIMISE: Keys = Keys {
    about: "a search for the best point",
    keys: &[
        optional("minimise", NAMES, "responses to make small"),
        optional("maximise", NAMES, "responses to make large"),
        optional("subject_to", NAMES, "limits, such as \"power < 100 kW\""),
        ON,
        optional(
            "method",
            Kind::Choice(&["ga", "nsga2", "ego"]),
            "ga for one objective, nsga2 for several unless given",
        ),
        optional("evaluations", Kind::Count, "most evaluations"),
        optional(
            "stop_below",
            Kind::Varies("0.1 m/s^2"),
            "`ego` ends when the expected improvement of the objective falls below this; it uses all \
             evaluations unless given",
        ),
        optional("population", Kind::Count, "points per generation"),
        optional("generations", Kind::Count, "generations"),
        optional("crossover", Kind::Number, "probability that two parents are crossed, 0 to 1"),
        optional("mutation", Kind::Number, "probability that a variable mutates, 0 to 1"),
        optional("polish", Kind::Flag, "whether `ga` ends with a local search; true unless given"),
    ],
};

pub(crate) const SENSITIVITY: Keys = Keys {
    about: "which variables matter",
    keys: &[
        required("methods", Kind::List(&Kind::Choice(METHODS)), "`sobol`, `morris` or both"),
        optional("samples", Kind::Count, "base samples, or trajectories"),
        ON,
    ],
};
pub(crate) const METHODS: &[&str] = &["sobol", "morris"];

pub(crate) const SWEEP: Keys = Keys {
    about: "one variable through its range, the others as the model has them",
    keys: &[
        required("variable", Kind::Text, "name of the variable"),
        optional("points", Kind::Count, "number of values; 100 unless given"),
        optional("from", VALUE, "one end; that of the variable unless given"),
        optional("to", VALUE, "the other end; that of the variable unless given"),
        SCALE,
        optional("responses", NAMES, "responses that are drawn; all unless given"),
        optional("histories", VALUES, "values whose time histories are laid over one another"),
        optional("outputs", NAMES, "outputs of the histories; those of the model unless given"),
        optional(
            "show",
            Kind::Varies("2 rev"),
            "how much of the histories is drawn, from `measure_from` on; two revolutions unless given",
        ),
        optional("bifurcation", Kind::Text, "an output, sampled once per period"),
        optional("every", Kind::Varies("1 rev"), "the period; one revolution unless given"),
        optional("skip", Kind::Varies("20 rev"), "left out at the beginning"),
    ],
};

pub(crate) const PLOTS: Keys = Keys {
    about: "pictures of the surrogate",
    keys: &[
        optional(
            "surfaces",
            Kind::List(&NAMES),
            "pairs of variables, as [[\"speed\", \"clearance\"]]",
        ),
        optional(
            "slices",
            Kind::List(&Kind::Named(&VALUE)),
            "values of the other variables, as [{ speed = \"1480 rpm\" }]",
        ),
    ],
};
