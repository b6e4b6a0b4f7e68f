//! Why a response has no value.

use gudgeon::results::{IMPACTS_KEPT, LedgerKind};

use crate::turns::TurnError;

#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ResponseError {
    #[error("`{output}` is no output of the model: {reason}")]
    UnknownOutput { output: String, reason: String },
    #[error("`{output}` is no output of the run")]
    NotRecorded { output: String },
    #[error("the percentile {0} is not between 0 and 100")]
    NoPercentile(f64),
    #[error("the model has no joint `{joint}`")]
    UnknownJoint { joint: String },
    #[error("joint `{joint}` has no clearance and so no impacts")]
    NoClearance { joint: String },
    #[error("joint `{joint}` has no clearance and so no contact law")]
    NoLaw { joint: String },
    #[error(
        "the law of joint `{joint}` has no restitution of its own: it differs from impact to impact"
    )]
    NoRestitution { joint: String },
    #[error("joint `{joint}` has no journal with two bases")]
    NoJournal { joint: String },
    #[error("joint `{joint}` has no contact spot `{spot}`; it has {}", known_spots(known))]
    UnknownSpot { joint: String, spot: String, known: Vec<String> },
    #[error("joint `{joint}` has several contact spots, name one: {}", known_spots(known))]
    SpotNeeded { joint: String, known: Vec<String> },
    #[error("the run ended before its measuring window began")]
    NoWindow,
    #[error("no impact of `{joint}` in the measuring window")]
    NoImpacts { joint: String },
    #[error("the run had more than {IMPACTS_KEPT} impacts, not all of them are listed")]
    TooManyImpacts,
    #[error("impacts are counted from 1")]
    NoImpactZero,
    #[error("`{contact}` has no impact {number}: the run had {found}")]
    NoSuchImpact { contact: String, number: usize, found: usize },
    #[error("impact {number} of `{contact}` has no {field}: the contact lasts")]
    Lasting { contact: String, number: usize, field: &'static str },
    #[error("the magnitude of `{of}` does not exceed {above:?}")]
    NotExceeded { of: String, above: f64 },
    #[error("`{output}` has no value at {time} s")]
    NotAt { output: String, time: f64 },
    #[error("the journal of `{joint}` does not leave its bearing")]
    StaysInBearing { joint: String },
    #[error("an indentation is positive, not {0:?}")]
    NoIndentation(f64),
    #[error(
        "`{joint}` has no law of friction in its clearance that gives a coefficient for a sliding speed alone"
    )]
    NoFriction { joint: String },
    #[error("the energy ledger has no line {kind:?} of `{name}`")]
    NoLedgerLine { kind: LedgerKind, name: String },
    #[error("too few rows in the measuring window for a percentile of `{output}`")]
    TooFewRows { output: String },
    #[error("turns are those of one driver, and {}", turning_drivers(*drivers))]
    NoTurns { drivers: usize },
    #[error("a run that ends at an angle does not tell its turns beforehand")]
    NoTimes,
    #[error("no whole turn of the driver in the measuring window")]
    NoWholeTurn,
    #[error(transparent)]
    Turned(#[from] TurnError),
    #[error("`{output}` has no value there")]
    Missing { output: String },
    #[error("its value is not finite")]
    NotFinite,
    #[error("there is no run to measure")]
    NoRun,
    #[error("there are no such modes: {0}")]
    NoModes(String),
    #[error("there is no equilibrium: {0}")]
    NoRest(String),
}

fn known_spots(known: &[String]) -> String {
    let known: Vec<String> =
        known.iter().filter(|s| !s.is_empty()).map(|s| format!("`{s}`")).collect();
    if known.is_empty() { "one only, without a name".into() } else { known.join(", ") }
}

/// How many drivers turn joints, in words.
pub(crate) fn turning_drivers(drivers: usize) -> String {
    match drivers {
        0 => "no driver turns a joint".into(),
        n => format!("{n} drivers turn joints"),
    }
}
