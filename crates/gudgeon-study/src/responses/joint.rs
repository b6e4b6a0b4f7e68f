//! Journals in the report of a run, and contact laws of a model.

use gudgeon::clearance::normal::NormalLaw;
use gudgeon::friction::{FrictionLaw, Pressed};
use gudgeon::model::{Form, Joint, JointId, Model};

use super::measure::window;
use super::{ResponseError, RunData, Situation};

/// Of a journal in space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JournalValue {
    /// When the middle of a journal that may slide along its axis left the bore.
    LeftBearing,
    /// Largest angle between the axes in the window.
    MaxMisalignment,
    /// Share of the window.
    Share(Situation),
}

/// Of a contact law; of a journal that of one base.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LawValue {
    /// Elastic force at an indentation, m.
    ForceAt(f64),
    /// Coefficient of friction at a sliding speed, m/s.
    FrictionAt(f64),
    /// Ratio of separation to approach speed of a free impact.
    EffectiveRestitution,
}

fn find<'m>(model: &'m Model, name: &str) -> Result<(JointId, &'m Joint), ResponseError> {
    let index = model.joints.iter().position(|joint| joint.name == name);
    let index = index.ok_or_else(|| ResponseError::UnknownJoint { joint: name.into() })?;
    Ok((JointId(index), &model.joints[index]))
}

/// A joint whose journal has two bases.
pub(super) fn journal(model: &Model, name: &str) -> Result<JointId, ResponseError> {
    let (id, joint) = find(model, name)?;
    match joint.clearance.as_ref().map(|clearance| &clearance.form) {
        Some(Form::Journal { .. }) => Ok(id),
        _ => Err(ResponseError::NoJournal { joint: name.into() }),
    }
}

/// The contact law of a joint.
pub(super) fn law<'m>(model: &'m Model, name: &str) -> Result<&'m NormalLaw, ResponseError> {
    let clearance = find(model, name)?.1.clearance.as_ref();
    let clearance = clearance.ok_or_else(|| ResponseError::NoLaw { joint: name.into() })?;
    Ok(&clearance.normal)
}

/// The coefficient of friction in a clearance joint at a sliding speed, where it follows from that alone.
fn friction(model: &Model, name: &str, speed: f64) -> Result<f64, ResponseError> {
    let clearance = find(model, name)?.1.clearance.as_ref();
    let law = clearance.and_then(|clearance| clearance.friction.as_ref());
    let of_speed = |law: &FrictionLaw| match law {
        FrictionLaw::Formula(_) => None,
        law => {
            law.coefficient(speed.abs(), law.zone(speed.abs()), Pressed { load: 0.0, pieces: &[] })
        }
    };
    let found = law.and_then(of_speed).map(|coefficient| coefficient.value);
    found.ok_or_else(|| ResponseError::NoFriction { joint: name.into() })
}

impl JournalValue {
    pub(crate) fn unit(self) -> &'static str {
        match self {
            Self::LeftBearing => "s",
            Self::MaxMisalignment => "rad",
            Self::Share(_) => "",
        }
    }

    pub(super) fn of(self, run: &RunData, joint: &str) -> Result<f64, ResponseError> {
        let id = journal(run.model, joint)?;
        let report = run.report.journals.iter().find(|journal| journal.joint == id);
        let report = report.ok_or_else(|| ResponseError::NoJournal { joint: joint.into() })?;
        if self != Self::LeftBearing {
            window(run.report)?;
        }
        match self {
            Self::LeftBearing => {
                let stays = || ResponseError::StaysInBearing { joint: joint.into() };
                report.left_bearing.ok_or_else(stays)
            }
            Self::MaxMisalignment => Ok(report.max_misalignment),
            Self::Share(situation) => Ok(report.shares[situation as usize]),
        }
    }
}

impl LawValue {
    pub(crate) fn unit(self) -> &'static str {
        match self {
            Self::ForceAt(_) => "N",
            Self::FrictionAt(_) | Self::EffectiveRestitution => "",
        }
    }

    /// An indentation is positive.
    pub(super) fn check(self) -> Result<(), ResponseError> {
        match self {
            Self::ForceAt(depth) if depth.is_nan() || depth <= 0.0 => {
                Err(ResponseError::NoIndentation(depth))
            }
            _ => Ok(()),
        }
    }

    pub(super) fn of(self, model: &Model, joint: &str) -> Result<f64, ResponseError> {
        let law = law(model, joint)?;
        self.check()?;
        Ok(match self {
            Self::ForceAt(depth) => law.elastic_force(depth, 1.0),
            Self::FrictionAt(speed) => friction(model, joint, speed)?,
            Self::EffectiveRestitution => law
                .effective_restitution()
                .ok_or_else(|| ResponseError::NoRestitution { joint: joint.into() })?,
        })
    }
}
