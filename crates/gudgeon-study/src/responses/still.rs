//! Numbers of a mechanism without a run: its modes, and outputs at its equilibrium.

use gudgeon::equilibrium::{find, standing};
use gudgeon::modal::{About, ModalSpec, analyse};
use gudgeon::model::Model;
use gudgeon::progress::Unwatched;
use gudgeon::run::Limits;

use super::{ResponseError, output};

/// What is taken of a mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModeValue {
    /// Hz.
    Frequency,
    DampingRatio,
}

impl ModeValue {
    pub const ALL: [Self; 2] = [Self::Frequency, Self::DampingRatio];

    /// Its function in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Frequency => "frequency",
            Self::DampingRatio => "damping_ratio",
        }
    }

    pub fn unit(self) -> &'static str {
        match self {
            Self::Frequency => "Hz",
            Self::DampingRatio => "",
        }
    }
}

/// States about which modes may be taken, by their words.
pub const STATES: [About; 5] =
    [About::Equilibrium, About::Spinning, About::Rotation, About::Start, About::Frozen];

/// Of mode `number`, counted from 1.
pub(super) fn of_mode(
    model: &Model,
    value: ModeValue,
    number: usize,
    about: About,
) -> Result<f64, ResponseError> {
    let spec = ModalSpec { about, modes: Some(number), damped: true, impact_speed: None };
    let report = analyse(model, spec, Limits::default(), &Unwatched);
    let report = report.map_err(|error| ResponseError::NoModes(error.to_string()))?;
    let mode = report.modes.get(number - 1).ok_or_else(|| {
        ResponseError::NoModes(format!("there are {} modes only", report.modes.len()))
    })?;
    Ok(match value {
        ModeValue::Frequency => mode.frequency,
        ModeValue::DampingRatio => mode.damping_ratio,
    })
}

/// An output where the mechanism rests.
pub(super) fn at_rest(model: &Model, name: &str) -> Result<f64, ResponseError> {
    let sensor = output::sensor(model, name)?;
    let report = find(model, standing(model), &[sensor], Limits::default(), &Unwatched);
    let report = report.map_err(|error| ResponseError::NoRest(error.to_string()))?;
    Ok(report.outputs[0])
}
