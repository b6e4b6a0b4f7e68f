//! Contacts and their impacts in the report of a run.

use std::fmt;

use gudgeon::model::{JointId, Model};
use gudgeon::results::{ContactReport, IMPACTS_KEPT, Impact, RunReport};
use gudgeon::system::System;

use super::measure::window;
use super::{ImpactField, ResponseError, RunData};

/// A clearance joint, or one contact spot of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contact {
    pub joint: String,
    pub spot: Option<String>,
}

/// `JOINT` or `JOINT.SPOT`.
impl fmt::Display for Contact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.joint)?;
        self.spot.as_ref().map_or(Ok(()), |spot| write!(f, ".{spot}"))
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
    pub(super) fn check(&self, model: &Model) -> Result<Vec<String>, ResponseError> {
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

    /// The joint in a run, after a check of the spot.
    fn of_run(&self, run: &RunData) -> Result<JointId, ResponseError> {
        let id = self.find(run.model)?;
        let contacts = run.report.contacts.iter().filter(|contact| contact.joint == id);
        let known: Vec<String> = contacts.map(|contact| contact.spot.to_owned()).collect();
        self.check_spot(&known)?;
        Ok(id)
    }

    fn has(&self, spot: &str) -> bool {
        self.spot.as_deref().is_none_or(|own| own == spot)
    }

    /// What is known of each of its spots.
    fn reports<'a>(
        &'a self,
        run: &RunData<'a>,
    ) -> Result<impl Iterator<Item = &'a ContactReport> + Clone, ResponseError> {
        let id = self.of_run(run)?;
        let fits = move |contact: &&ContactReport| contact.joint == id && self.has(contact.spot);
        Ok(run.report.contacts.iter().filter(fits))
    }

    /// The impacts of the whole run, as far as they are listed.
    fn listed<'a>(
        &'a self,
        run: &RunData<'a>,
    ) -> Result<impl Iterator<Item = &'a Impact> + Clone, ResponseError> {
        let id = self.of_run(run)?;
        let fits = move |impact: &&Impact| impact.joint == id && self.has(impact.spot);
        Ok(run.report.impacts.iter().filter(fits))
    }

    /// The impacts that begin in the window.
    pub(super) fn impacts<'a>(
        &'a self,
        run: &RunData<'a>,
    ) -> Result<impl Iterator<Item = &'a Impact>, ResponseError> {
        let listed = self.listed(run)?;
        let (from, to) = window(run.report)?;
        if is_cut(run.report) {
            return Err(ResponseError::TooManyImpacts);
        }
        Ok(listed.filter(move |impact| (from..=to).contains(&impact.t)))
    }

    /// The number of impacts of the whole run, also of those that are not listed.
    pub(super) fn count_all(&self, run: &RunData) -> Result<usize, ResponseError> {
        Ok(self.reports(run)?.map(|contact| contact.impacts).sum())
    }

    /// A field of one impact, counted from 1 over the whole run.
    pub(super) fn nth(
        &self,
        run: &RunData,
        field: ImpactField,
        number: usize,
    ) -> Result<f64, ResponseError> {
        let index = number.checked_sub(1).ok_or(ResponseError::NoImpactZero)?;
        let contact = self.to_string();
        match self.listed(run)?.nth(index) {
            Some(impact) => field.of(impact).ok_or(ResponseError::Lasting {
                contact,
                number,
                field: field.name(),
            }),
            None if is_cut(run.report) => Err(ResponseError::TooManyImpacts),
            None => {
                let found = self.listed(run)?.count();
                Err(ResponseError::NoSuchImpact { contact, number, found })
            }
        }
    }

    pub(super) fn fraction(&self, run: &RunData) -> Result<f64, ResponseError> {
        let mut fitting = self.reports(run)?;
        window(run.report)?;
        let known = fitting.clone().map(|contact| contact.spot.to_owned());
        let known: Vec<String> = known.collect();
        match (fitting.next(), fitting.next()) {
            (Some(contact), None) => Ok(contact.contact_fraction),
            (Some(_), Some(_)) => Err(self.spot_needed(known)),
            (None, _) => Err(ResponseError::NoClearance { joint: self.joint.clone() }),
        }
    }

    pub(super) fn spot_needed(&self, known: Vec<String>) -> ResponseError {
        ResponseError::SpotNeeded { joint: self.joint.clone(), known }
    }

    pub(super) fn no_impacts(&self) -> ResponseError {
        ResponseError::NoImpacts { joint: self.joint.clone() }
    }
}

/// Whether some impacts are counted but not listed.
fn is_cut(report: &RunReport) -> bool {
    report.contacts.iter().map(|contact| contact.impacts).sum::<usize>() > IMPACTS_KEPT
}
