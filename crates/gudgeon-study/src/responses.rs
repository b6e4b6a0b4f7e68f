//! Responses: what a study asks of every run, one number each.
//!
//! | response            | value                                                                   |
//! |---------------------|-------------------------------------------------------------------------|
//! | of an output        | extremes located on the dense output, RMS, mean, range (max − min) and percentiles over the window; value at the end of the run |
//! | of impacts          | sum, largest, mean and smallest of a field over the impacts of a joint that begin in the window |
//! | number of impacts   | of those                                                                |
//! | contact fraction    | share of the window in contact                                          |
//! | energy              | what a line of the energy ledger, or all lines of a kind, gained in the window |
//!
//! The window is the measuring window of the run. Of the fields of impacts, the loss is all the energy
//! an impact cost. A field that a lasting contact does not have yet is left out; a sum over no impacts
//! is 0, an extreme or a mean of none is an error. A line that the ledger does not list is 0: it
//! leaves out springs that have done nothing and joints without play.

mod percentile;

pub use gudgeon::measure::{ImpactField, ImpactStatistic, Statistic};
use gudgeon::model::{JointId, Model};
use gudgeon::results::{Extreme, IMPACTS_KEPT, Impact, LedgerKind, LedgerLine, RunReport};
use gudgeon::sensor::{Sensor, resolve};
use gudgeon::system::System;

pub use percentile::Rows;

#[derive(Clone, Debug, PartialEq)]
pub enum Response {
    Output { output: String, statistic: Statistic },
    Impacts { contact: Contact, field: ImpactField, statistic: ImpactStatistic },
    ImpactCount(Contact),
    ContactFraction(Contact),
    Energy { kind: LedgerKind, name: Option<String> },
}

/// A clearance joint, or one contact spot of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contact {
    pub joint: String,
    pub spot: Option<String>,
}

/// Why a response has no value.
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
    #[error("the energy ledger has no line {kind:?} of `{name}`")]
    NoLedgerLine { kind: LedgerKind, name: String },
    #[error("too few rows in the measuring window for a percentile of `{output}`")]
    TooFewRows { output: String },
    #[error("its value is not finite")]
    NotFinite,
}

fn known_spots(known: &[String]) -> String {
    let known: Vec<String> =
        known.iter().filter(|s| !s.is_empty()).map(|s| format!("`{s}`")).collect();
    if known.is_empty() { "one only, without a name".into() } else { known.join(", ") }
}

/// A run as responses see it.
#[derive(Clone, Copy, Debug)]
pub struct RunData<'a> {
    pub model: &'a Model,
    pub report: &'a RunReport,
    /// Only percentiles need rows.
    pub rows: &'a Rows,
}

impl Response {
    /// Checks that runs of a model can give the response; answers with its SI unit, empty for pure
    /// numbers.
    pub fn unit(&self, model: &Model) -> Result<&'static str, ResponseError> {
        match self {
            Self::Output { output, statistic } => {
                check(*statistic)?;
                Ok(sensor(model, output)?.unit)
            }
            Self::Impacts { contact, field, .. } => {
                contact.check(model)?;
                Ok(field.unit())
            }
            Self::ImpactCount(contact) => contact.check(model).map(|_| ""),
            Self::ContactFraction(contact) => {
                let known = contact.check(model)?;
                if contact.spot.is_none() && known.len() > 1 {
                    return Err(contact.spot_needed(known));
                }
                Ok("")
            }
            Self::Energy { kind, name } => {
                check_ledger(model, *kind, name.as_deref())?;
                Ok("J")
            }
        }
    }

    /// The value in SI units.
    pub fn evaluate(&self, run: &RunData) -> Result<f64, ResponseError> {
        let value = match self {
            Self::Output { output, statistic } => of_output(run, output, *statistic),
            Self::Impacts { contact, field, statistic } => {
                let impacts = contact.impacts(run)?;
                let values: Vec<f64> = impacts.filter_map(|impact| field.of(impact)).collect();
                statistic.of(&values).ok_or_else(|| contact.no_impacts())
            }
            Self::ImpactCount(contact) => Ok(contact.impacts(run)?.count() as f64),
            Self::ContactFraction(contact) => contact.fraction(run),
            Self::Energy { kind, name } => of_ledger(run, *kind, name.as_deref()),
        }?;
        if value.is_finite() { Ok(value) } else { Err(ResponseError::NotFinite) }
    }
}

/// Adds the outputs that responses need and a run lacks.
pub fn add_outputs<'a>(
    responses: impl Iterator<Item = &'a Response>,
    model: &Model,
    outputs: &mut Vec<Sensor>,
) -> Result<(), ResponseError> {
    for response in responses {
        if let Response::Output { output, .. } = response
            && !outputs.iter().any(|sensor| sensor.name == *output)
        {
            outputs.push(sensor(model, output)?);
        }
    }
    Ok(())
}

fn sensor(model: &Model, name: &str) -> Result<Sensor, ResponseError> {
    resolve(model, name).map_err(|error| ResponseError::UnknownOutput {
        output: name.into(),
        reason: error.message,
    })
}

/// The window of a run, if it was reached.
fn window(report: &RunReport) -> Result<(f64, f64), ResponseError> {
    if report.window.1 > report.window.0 { Ok(report.window) } else { Err(ResponseError::NoWindow) }
}

fn of_output(run: &RunData, output: &str, statistic: Statistic) -> Result<f64, ResponseError> {
    check(statistic)?;
    let not_recorded = || ResponseError::NotRecorded { output: output.into() };
    let extremes = &run.report.extremes;
    let index = extremes.iter().position(|e| e.name == output).ok_or_else(not_recorded)?;
    if statistic == Statistic::Final {
        return run.report.final_values.get(index).copied().ok_or_else(not_recorded);
    }
    let window = window(run.report)?;
    let extreme: &Extreme = &extremes[index];
    Ok(match statistic {
        Statistic::Max => extreme.max,
        Statistic::Min => extreme.min,
        Statistic::AbsMax => extreme.abs_max().0,
        Statistic::Rms => extreme.rms,
        Statistic::Mean => extreme.mean,
        Statistic::Range => extreme.max - extreme.min,
        Statistic::Percentile(p) => {
            let rows = run.rows.percentile(index, p, window);
            rows.ok_or_else(|| ResponseError::TooFewRows { output: output.into() })?
        }
        Statistic::Final => unreachable!("answered above"),
    })
}

/// The sum of the lines of a kind, or the one with a name.
fn of_ledger(run: &RunData, kind: LedgerKind, name: Option<&str>) -> Result<f64, ResponseError> {
    check_ledger(run.model, kind, name)?;
    window(run.report)?;
    let fits = |line: &LedgerLine| line.kind == kind && name.is_none_or(|name| line.name == name);
    Ok(run.report.energy.in_window(fits) + 0.0) // never −0
}

/// A named line belongs to something the model has.
fn check_ledger(model: &Model, kind: LedgerKind, name: Option<&str>) -> Result<(), ResponseError> {
    let Some(name) = name else { return Ok(()) };
    let is_known = match kind {
        LedgerKind::Kinetic => name == "bodies",
        LedgerKind::Gravity => name == "gravity",
        LedgerKind::Projection => name == "projection",
        LedgerKind::Driver => model.drivers.iter().any(|driver| driver.name == name),
        LedgerKind::Spring | LedgerKind::Force => model.forces.iter().any(|f| f.name == name),
        LedgerKind::ContactNormal
        | LedgerKind::ContactFriction
        | LedgerKind::FilmShear
        | LedgerKind::FilmPumping => model.joints.iter().any(|joint| joint.name == name),
    };
    if is_known { Ok(()) } else { Err(ResponseError::NoLedgerLine { kind, name: name.into() }) }
}

/// A percentile lies between 0 and 100.
fn check(statistic: Statistic) -> Result<(), ResponseError> {
    match statistic {
        Statistic::Percentile(p) if !(0.0..=100.0).contains(&p) => {
            Err(ResponseError::NoPercentile(p))
        }
        _ => Ok(()),
    }
}

impl Contact {
    /// The joint, which must have play.
    fn find(&self, model: &Model) -> Result<JointId, ResponseError> {
        let index = model.joints.iter().position(|joint| joint.name == self.joint);
        let joint = || self.joint.clone();
        let index = index.ok_or_else(|| ResponseError::UnknownJoint { joint: joint() })?;
        if model.joints[index].clearance.is_none() {
            return Err(ResponseError::NoClearance { joint: joint() });
        }
        Ok(JointId(index))
    }

    /// Checks joint and spot against a model; answers with the spots of the joint.
    fn check(&self, model: &Model) -> Result<Vec<String>, ResponseError> {
        let id = self.find(model)?;
        // A model that does not compile is told so by its assembly.
        let Ok(system) = System::compile(model) else { return Ok(Vec::new()) };
        let contacts = system.contacts.iter().filter(|contact| contact.joint == id);
        let known: Vec<String> = contacts.map(|contact| contact.spot.name().to_owned()).collect();
        self.check_spot(&known)?;
        Ok(known)
    }

    fn check_spot(&self, known: &[String]) -> Result<(), ResponseError> {
        match &self.spot {
            Some(spot) if !known.contains(spot) => Err(ResponseError::UnknownSpot {
                joint: self.joint.clone(),
                spot: spot.clone(),
                known: known.to_vec(),
            }),
            _ => Ok(()),
        }
    }

    fn has(&self, spot: &str) -> bool {
        self.spot.as_deref().is_none_or(|own| own == spot)
    }

    /// The impacts that begin in the window.
    fn impacts<'a>(
        &'a self,
        run: &RunData<'a>,
    ) -> Result<impl Iterator<Item = &'a Impact>, ResponseError> {
        let id = self.find(run.model)?;
        let report = run.report;
        let contacts = report.contacts.iter().filter(|contact| contact.joint == id);
        let known: Vec<String> = contacts.map(|contact| contact.spot.to_owned()).collect();
        self.check_spot(&known)?;
        let (from, to) = window(report)?;
        if report.contacts.iter().map(|contact| contact.impacts).sum::<usize>() > IMPACTS_KEPT {
            return Err(ResponseError::TooManyImpacts);
        }
        let fits = move |impact: &&Impact| {
            impact.joint == id && self.has(impact.spot) && (from..=to).contains(&impact.t)
        };
        Ok(report.impacts.iter().filter(fits))
    }

    fn fraction(&self, run: &RunData) -> Result<f64, ResponseError> {
        let id = self.find(run.model)?;
        window(run.report)?;
        let of_joint = run.report.contacts.iter().filter(|contact| contact.joint == id);
        let known: Vec<String> = of_joint.clone().map(|contact| contact.spot.to_owned()).collect();
        self.check_spot(&known)?;
        let mut fitting = of_joint.filter(|contact| self.has(contact.spot));
        match (fitting.next(), fitting.next()) {
            (Some(contact), None) => Ok(contact.contact_fraction),
            (Some(_), Some(_)) => Err(self.spot_needed(known)),
            (None, _) => Err(ResponseError::NoClearance { joint: self.joint.clone() }),
        }
    }

    fn spot_needed(&self, known: Vec<String>) -> ResponseError {
        ResponseError::SpotNeeded { joint: self.joint.clone(), known }
    }

    fn no_impacts(&self) -> ResponseError {
        ResponseError::NoImpacts { joint: self.joint.clone() }
    }
}
