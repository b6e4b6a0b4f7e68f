//! Measures: what one number is taken of a run, or of its model alone.

use std::borrow::Cow;

use gudgeon::modal::About;
use gudgeon::model::Model;
use gudgeon::results::{LedgerKind, RunReport};

use super::{Contact, ImpactField, ImpactStatistic, Kept, ResponseError, Statistic};
use super::{ModeValue, joint, ledger, output, still};

pub use super::joint::{JournalValue, LawValue};

/// What one number is taken of a run.
#[derive(Clone, Debug, PartialEq)]
pub enum Measure {
    Output {
        output: String,
        statistic: Statistic,
    },
    /// When the magnitude of an output, or of the output less another one, first exceeds a value in SI.
    First {
        output: String,
        less: Option<String>,
        above: f64,
    },
    /// An output at a time, in s.
    At {
        output: String,
        time: f64,
    },
    /// Over impacts that begin in the window.
    Impacts {
        contact: Contact,
        field: ImpactField,
        statistic: ImpactStatistic,
    },
    /// Of one impact, counted from 1 over the whole run.
    Nth {
        contact: Contact,
        field: ImpactField,
        number: usize,
    },
    /// Impacts that begin in the window.
    ImpactCount(Contact),
    /// Impacts of the whole run.
    CountAll(Contact),
    ContactFraction(Contact),
    Journal {
        joint: String,
        value: JournalValue,
    },
    /// Of the contact law alone, without a run.
    Law {
        joint: String,
        value: LawValue,
    },
    Energy {
        kind: LedgerKind,
        name: Option<String>,
    },
    /// Of a mode, counted from 1, without a run.
    Mode {
        value: ModeValue,
        number: usize,
        about: About,
    },
    /// An output at the equilibrium, without a run.
    Rest {
        output: String,
    },
}

/// A run as measures see it.
#[derive(Clone, Copy, Debug)]
pub struct RunData<'a> {
    pub model: &'a Model,
    pub report: &'a RunReport,
    pub kept: &'a Kept,
}

impl Measure {
    /// Checks that runs of a model can give the response; answers with its SI unit, empty for pure
    /// numbers.
    pub fn unit(&self, model: &Model) -> Result<Cow<'static, str>, ResponseError> {
        match self {
            Self::Output { output, statistic } => {
                output::check(*statistic, model)?;
                let unit = output::sensor(model, output)?.unit;
                Ok(if statistic.is_time() { "s".into() } else { unit })
            }
            Self::First { output, less, .. } => {
                for output in std::iter::once(output).chain(less) {
                    output::sensor(model, output)?;
                }
                Ok("s".into())
            }
            Self::Impacts { contact, field, .. } => {
                contact.check(model)?;
                Ok(field.unit().into())
            }
            Self::Nth { contact, field, number } => {
                contact.check(model)?;
                if *number > 0 { Ok(field.unit().into()) } else { Err(ResponseError::NoImpactZero) }
            }
            Self::ImpactCount(contact) | Self::CountAll(contact) => {
                contact.check(model).map(|_| "".into())
            }
            Self::ContactFraction(contact) => {
                let known = contact.check(model)?;
                if contact.spot.is_none() && known.len() > 1 {
                    return Err(contact.spot_needed(known));
                }
                Ok("".into())
            }
            Self::Journal { joint, value } => {
                joint::journal(model, joint)?;
                Ok(value.unit().into())
            }
            Self::Law { joint, value } => {
                joint::law(model, joint)?;
                value.check()?;
                Ok(value.unit().into())
            }
            Self::Energy { kind, name } => {
                ledger::check_ledger(model, *kind, name.as_deref())?;
                Ok("J".into())
            }
            Self::Mode { value, .. } => Ok(value.unit().into()),
            Self::At { output, .. } | Self::Rest { output } => {
                Ok(output::sensor(model, output)?.unit)
            }
        }
    }

    /// Whether there must be a run; else [`Measure::of_model`] has the value.
    pub fn needs_run(&self) -> bool {
        !matches!(self, Self::Law { .. } | Self::Mode { .. } | Self::Rest { .. })
    }

    /// The value in SI units, of a measure that needs no run.
    pub fn of_model(&self, model: &Model) -> Result<f64, ResponseError> {
        match self {
            Self::Law { joint, value } => finite(value.of(model, joint)?),
            Self::Mode { value, number, about } => {
                finite(still::of_mode(model, *value, *number, *about)?)
            }
            Self::Rest { output } => finite(still::at_rest(model, output)?),
            _ => Err(ResponseError::NoRun),
        }
    }

    /// The value in SI units.
    pub fn evaluate(&self, run: &RunData) -> Result<f64, ResponseError> {
        let value = match self {
            Self::Output { output, statistic } => output::of_output(run, output, *statistic),
            Self::First { output, less, above } => {
                output::first(run, output, less.as_deref(), *above)
            }
            Self::At { output, time } => output::at(run, output, *time),
            Self::Impacts { contact, field, statistic } => {
                let impacts = contact.impacts(run)?;
                let values: Vec<f64> = impacts.filter_map(|impact| field.of(impact)).collect();
                statistic.of(&values).ok_or_else(|| contact.no_impacts())
            }
            Self::Nth { contact, field, number } => contact.nth(run, *field, *number),
            Self::ImpactCount(contact) => Ok(contact.impacts(run)?.count() as f64),
            Self::CountAll(contact) => Ok(contact.count_all(run)? as f64),
            Self::ContactFraction(contact) => contact.fraction(run),
            Self::Journal { joint, value } => value.of(run, joint),
            Self::Law { .. } | Self::Mode { .. } | Self::Rest { .. } => self.of_model(run.model),
            Self::Energy { kind, name } => ledger::of_ledger(run, *kind, name.as_deref()),
        }?;
        finite(value)
    }

    /// The outputs it reads.
    pub(super) fn outputs(&self) -> impl Iterator<Item = &String> {
        let (first, second) = match self {
            Self::Output { output, .. } | Self::At { output, .. } => (Some(output), None),
            Self::First { output, less, .. } => (Some(output), less.as_ref()),
            _ => (None, None),
        };
        first.into_iter().chain(second)
    }
}

fn finite(value: f64) -> Result<f64, ResponseError> {
    if value.is_finite() { Ok(value) } else { Err(ResponseError::NotFinite) }
}

/// The window of a run, if it was reached.
pub(super) fn window(report: &RunReport) -> Result<(f64, f64), ResponseError> {
    if report.window.1 > report.window.0 { Ok(report.window) } else { Err(ResponseError::NoWindow) }
}
