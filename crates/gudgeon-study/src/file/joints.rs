//! Joints that responses are taken of: their contacts, journals and contact laws.

use gudgeon::model::{Form, Joint, Model};
use gudgeon::sensor;

use super::measures::Found;
use super::responses::Part;
use super::{Contact, Measure};
use crate::responses::{JournalValue, LawValue};
use gudgeon_model::diagnostic::Diagnostic;
use gudgeon_model::reader::suggest;

type Result<T> = std::result::Result<T, Box<Diagnostic>>;

/// A value of a journal with two bases.
pub(super) fn journal(model: &Model, of: &Part<'_>, value: JournalValue) -> Result<Found> {
    let joint = find(model, of, of.text, is_journal)?;
    if !is_journal(joint) {
        let message = format!("joint `{}` has no journal with two bases", joint.name);
        let help = match model.joints.iter().find(|joint| is_journal(joint)) {
            Some(other) => format!("joints with one: `{}`", other.name),
            None => "a revolute or cylindrical joint in space with `clearance` has one".into(),
        };
        return Err(Box::new(of.wrong(message, "").help(help)));
    }
    let unit = value.unit().into();
    Ok(Found { measure: Measure::Journal { joint: joint.name.clone(), value }, unit })
}

/// A value of a contact law.
pub(super) fn law(model: &Model, of: &Part<'_>, value: LawValue) -> Result<Found> {
    let joint = with_clearance(model, of, of.text, "contact law")?;
    let unit = value.unit().into();
    Ok(Found { measure: Measure::Law { joint: joint.name.clone(), value }, unit })
}

fn is_journal(joint: &Joint) -> bool {
    let form = joint.clearance.as_ref().map(|clearance| &clearance.form);
    matches!(form, Some(Form::Journal { .. }))
}

fn has_clearance(joint: &Joint) -> bool {
    joint.clearance.is_some()
}

/// A joint by name, at the beginning of a part; another one is suggested of those that fit.
fn find<'m>(
    model: &'m Model,
    of: &Part<'_>,
    name: &str,
    fits: fn(&Joint) -> bool,
) -> Result<&'m Joint> {
    model.joints.iter().find(|joint| joint.name == name).ok_or_else(|| {
        let message = format!("there is no joint `{name}`");
        let fitting = model.joints.iter().filter(|joint| fits(joint));
        let help = suggest(name, fitting.map(|joint| joint.name.as_str()));
        Box::new(of.error(0..name.len(), message, "not known").help(help))
    })
}

/// A joint that has what only joints with clearance have.
fn with_clearance<'m>(
    model: &'m Model,
    of: &Part<'_>,
    name: &str,
    what: &str,
) -> Result<&'m Joint> {
    let joint = find(model, of, name, has_clearance)?;
    if has_clearance(joint) {
        return Ok(joint);
    }
    let message = format!("joint `{name}` has no clearance, hence no {what}");
    let help = match model.joints.iter().find(|joint| has_clearance(joint)) {
        Some(other) => format!("joints with play: `{}`", other.name),
        None => "give the joint a `clearance`".into(),
    };
    Err(Box::new(of.error(0..name.len(), message, "ideal").help(help)))
}

/// Names of the contact spots of a joint with several.
fn spots(model: &Model, joint: &Joint) -> Vec<String> {
    let spot = |name: &str| {
        let rest = name.strip_prefix(joint.name.as_str())?.strip_prefix('.')?;
        Some(rest.strip_suffix(".indentation")?.to_owned())
    };
    let catalogue = sensor::catalogue(model);
    catalogue.iter().filter_map(|sensor| spot(&sensor.name)).collect()
}

/// `JOINT` or `JOINT.SPOT`, at the beginning of a part.
pub(super) fn contact(model: &Model, of: &Part<'_>, text: &str) -> Result<Contact> {
    let (name, spot) = match text.split_once('.') {
        Some((name, spot)) => (name, Some(spot)),
        None => (text, None),
    };
    let joint = with_clearance(model, of, name, "impacts")?;
    if let Some(spot) = spot {
        let spots = spots(model, joint);
        if !spots.iter().any(|other| other == spot) {
            let message = format!("joint `{name}` has no contact spot `{spot}`");
            let range = name.len() + 1..text.len();
            let help = match spots.is_empty() {
                true => format!("it has one only: write `{name}`"),
                false => suggest(spot, spots.iter().map(String::as_str)),
            };
            return Err(Box::new(of.error(range, message, "not known").help(help)));
        }
    }
    Ok(Contact { joint: name.into(), spot: spot.map(str::to_owned) })
}

/// The share of time in contact is known for each spot.
pub(super) fn check_one_spot(model: &Model, of: &Part<'_>, contact: &Contact) -> Result<()> {
    let joint = model.joints.iter().find(|joint| joint.name == contact.joint);
    let spots = joint.map(|joint| spots(model, joint)).unwrap_or_default();
    match (&contact.spot, spots.first()) {
        (None, Some(first)) => {
            let name = &contact.joint;
            let message = format!("joint `{name}` has several contact spots");
            let help = format!("write `{name}.{first}`, or \"mean({name}.contact)\" for all");
            Err(Box::new(of.wrong(message, "which one?").help(help)))
        }
        _ => Ok(()),
    }
}
