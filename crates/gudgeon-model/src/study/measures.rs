//! What a response is taken of: outputs, impacts, contacts and lines of the ledger of a model.

use gudgeon::model::{ForceKind, Joint, JointId, Model};
use gudgeon::results::LedgerKind;
use gudgeon::sensor;

use super::responses::{Call, Part, statistic};
use super::{Contact, ImpactField, ImpactStatistic, Measure, Output};
use crate::diagnostic::Diagnostic;
use crate::reader::suggest;

type Result<T> = std::result::Result<T, Box<Diagnostic>>;

/// What a response measures.
pub(super) struct Found {
    pub measure: Measure,
    pub unit: &'static str,
}

pub(super) struct Resolver<'a> {
    pub model: &'a Model,
    pub outputs: &'a mut Vec<Output>,
}

const FIELDS: &[(&str, ImpactField)] = &[
    ("loss", ImpactField::Loss),
    ("friction_loss", ImpactField::FrictionLoss),
    ("peak_force", ImpactField::PeakForce),
    ("peak_depth", ImpactField::PeakDepth),
    ("speed_in", ImpactField::SpeedIn),
    ("speed_out", ImpactField::SpeedOut),
    ("restitution", ImpactField::Restitution),
    ("duration", ImpactField::Duration),
];

/// The names of all fields of impacts, for editors and help.
pub fn impact_fields() -> impl Iterator<Item = &'static str> {
    FIELDS.iter().map(|(name, _)| *name)
}

impl Resolver<'_> {
    pub fn resolve(self, call: &Call<'_>) -> Result<Found> {
        let of = &call.of;
        match call.function.text {
            "energy" => energy(self.model, of),
            "contact_fraction" => {
                let contact = contact(self.model, of, of.text)?;
                check_one_spot(self.model, of, &contact)?;
                Ok(Found { measure: Measure::ContactFraction(contact), unit: "" })
            }
            "count" => match of.text.strip_suffix(".impacts") {
                Some(joint) => {
                    let contact = contact(self.model, of, joint)?;
                    Ok(Found { measure: Measure::ImpactCount(contact), unit: "" })
                }
                None => {
                    let message = "`count` counts impacts".to_owned();
                    Err(Box::new(of.wrong(message, "").help("write \"count(JOINT.impacts)\"")))
                }
            },
            _ => match of.text.split_once(".impacts") {
                Some((joint, field)) => self.impacts(call, joint, field),
                None => self.output(call),
            },
        }
    }

    fn impacts(self, call: &Call<'_>, joint: &str, field: &str) -> Result<Found> {
        let statistic = match call.function.text {
            "sum" => ImpactStatistic::Sum,
            "max" => ImpactStatistic::Max,
            "mean" => ImpactStatistic::Mean,
            "min" => ImpactStatistic::Min,
            other => {
                let message = format!("`{other}` is no function of impacts");
                let help = "of impacts there are `sum`, `max`, `mean`, `min` and `count`";
                return Err(Box::new(call.function.wrong(message, "").help(help)));
            }
        };
        let of = contact(self.model, &call.of, joint)?;
        let name = field.strip_prefix('.').unwrap_or(field);
        let known = FIELDS.iter().find(|(field, _)| *field == name);
        let Some(&(_, field)) = known else {
            let range = call.of.text.len() - name.len()..call.of.text.len();
            let (message, label) = match name {
                "" => ("which field of the impacts?".to_owned(), "none given"),
                _ => (format!("impacts have no `{name}`"), "not known"),
            };
            let help = suggest(name, FIELDS.iter().map(|(name, _)| *name));
            return Err(Box::new(call.of.error(range, message, label).help(help)));
        };
        Ok(Found { measure: Measure::Impacts { statistic, field, of }, unit: field.unit() })
    }

    fn output(self, call: &Call<'_>) -> Result<Found> {
        let name = call.function.text;
        let Some(statistic) = statistic(name, call.percent) else {
            let message = format!("`{name}` is a function of impacts");
            let help = format!("write \"{name}(JOINT.impacts.loss)\"");
            return Err(Box::new(call.of.wrong(message, "an output").help(help)));
        };
        let output = output(self.model, &call.of)?;
        let unit = output.unit;
        let known = self.outputs.iter().position(|other| other.name == output.name);
        let index = known.unwrap_or(self.outputs.len());
        if known.is_none() {
            self.outputs.push(output);
        }
        Ok(Found { measure: Measure::Output { statistic, output: index }, unit })
    }
}

/// Finds an output of the model.
pub(super) fn output(model: &Model, of: &Part<'_>) -> Result<Output> {
    sensor::resolve(model, of.text)
        .map(|sensor| Output { name: sensor.name, unit: sensor.unit })
        .map_err(|unknown| {
            let part = of.text.get(unknown.part.clone()).unwrap_or("");
            let help = suggest(part, unknown.candidates.iter().map(String::as_str));
            let mut diagnostic = of.error(unknown.part, unknown.message, "not known").help(help);
            diagnostic.code = "G0903";
            Box::new(diagnostic)
        })
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
fn contact(model: &Model, of: &Part<'_>, text: &str) -> Result<Contact> {
    let (name, spot) = match text.split_once('.') {
        Some((name, spot)) => (name, Some(spot)),
        None => (text, None),
    };
    let loose = || model.joints.iter().filter(|joint| joint.clearance.is_some());
    let place = model.joints.iter().position(|joint| joint.name == name);
    let Some((index, joint)) = place.map(|index| (index, &model.joints[index])) else {
        let message = format!("there is no joint `{name}`");
        let help = suggest(name, loose().map(|joint| joint.name.as_str()));
        return Err(Box::new(of.error(0..name.len(), message, "not known").help(help)));
    };
    if joint.clearance.is_none() {
        let message = format!("joint `{name}` has no clearance, hence no impacts");
        let help = match loose().next() {
            Some(other) => format!("joints with play: `{}`", other.name),
            None => "give the joint a `clearance`".into(),
        };
        return Err(Box::new(of.error(0..name.len(), message, "ideal").help(help)));
    }
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
    Ok(Contact { joint: JointId(index), name: name.into(), spot: spot.map(str::to_owned) })
}

/// The share of time in contact is known for each spot.
fn check_one_spot(model: &Model, of: &Part<'_>, contact: &Contact) -> Result<()> {
    let spots = spots(model, &model.joints[contact.joint.0]);
    match (&contact.spot, spots.first()) {
        (None, Some(first)) => {
            let name = &contact.name;
            let message = format!("joint `{name}` has several contact spots");
            let help = format!("write `{name}.{first}`, or \"mean({name}.contact)\" for all");
            Err(Box::new(of.wrong(message, "which one?").help(help)))
        }
        _ => Ok(()),
    }
}

fn energy(model: &Model, of: &Part<'_>) -> Result<Found> {
    let lines = ledger_lines(model);
    match lines.iter().find(|(written, ..)| written == of.text) {
        Some((_, kind, name)) => {
            Ok(Found { measure: Measure::Energy { kind: *kind, name: name.clone() }, unit: "J" })
        }
        None => {
            let message = format!("the energy ledger of this model has no line `{}`", of.text);
            let help = suggest(of.text, lines.iter().map(|(written, ..)| written.as_str()));
            Err(Box::new(of.wrong(message, "not known").help(help)))
        }
    }
}

/// Lines of the ledger: as written, kind, and name in the ledger.
fn ledger_lines(model: &Model) -> Vec<(String, LedgerKind, String)> {
    let mut lines = vec![("kinetic".to_owned(), LedgerKind::Kinetic, "bodies".to_owned())];
    let mut add = |written: String, kind, name: &str| lines.push((written, kind, name.to_owned()));
    if model.gravity.norm() > 0.0 {
        add("gravity".into(), LedgerKind::Gravity, "gravity");
    }
    for driver in &model.drivers {
        add(driver.name.clone(), LedgerKind::Driver, &driver.name);
    }
    for force in &model.forces {
        add(force.name.clone(), LedgerKind::Force, &force.name);
        if !matches!(force.kind, ForceKind::Point { .. } | ForceKind::Torque { .. }) {
            add(format!("{}.stored", force.name), LedgerKind::Spring, &force.name);
        }
    }
    for joint in &model.joints {
        let Some(clearance) = &joint.clearance else { continue };
        // A film that is not hybrid keeps the surfaces apart.
        let touches = clearance.film.as_ref().is_none_or(|film| film.hybrid);
        if touches {
            add(format!("{}.normal", joint.name), LedgerKind::ContactNormal, &joint.name);
        }
        if touches && clearance.friction.is_some() {
            add(format!("{}.friction", joint.name), LedgerKind::ContactFriction, &joint.name);
        }
        if clearance.film.is_some() {
            add(format!("{}.shear", joint.name), LedgerKind::FilmShear, &joint.name);
            add(format!("{}.pumping", joint.name), LedgerKind::FilmPumping, &joint.name);
        }
    }
    add("projection".into(), LedgerKind::Projection, "projection");
    lines
}
