//! What a response is taken of: outputs, impacts and lines of the ledger of a model; `joints` for contacts,
//! journals and laws.

use std::borrow::Cow;

use gudgeon::flexible::Flexible;
use gudgeon::modal::About;
use gudgeon::model::Model;
use gudgeon::results::LedgerKind;
use gudgeon::sensor::{self, Outputs, Sensor, UnknownOutput};

use super::arguments::{Second, quantity};
use super::joints::{check_one_spot, contact, journal, law};
use super::optimise::dimension;
use super::responses::{Call, Part, statistic};
use super::{ImpactField, ImpactStatistic, Measure, Output, Statistic};
use crate::responses::{JournalValue, LawValue, ModeValue, turning_drivers};
use crate::turns::turning;
use gudgeon_model::diagnostic::Diagnostic;
use gudgeon_model::reader::suggest;
use gudgeon_model::units::Dimension;

type Result<T> = std::result::Result<T, Box<Diagnostic>>;

/// What a response measures.
pub(super) struct Found {
    pub measure: Measure,
    pub unit: Cow<'static, str>,
}

pub(super) struct Resolver<'a> {
    pub model: &'a Model,
    pub outputs: &'a mut Vec<Output>,
}

/// The names of all fields of impacts, for editors and help.
pub fn impact_fields() -> impl Iterator<Item = &'static str> {
    ImpactField::ALL.iter().map(|field| field.name())
}

impl Resolver<'_> {
    pub fn resolve(self, call: &Call<'_>) -> Result<Found> {
        let (model, of) = (self.model, &call.of);
        match (call.function.text, &call.second) {
            ("energy", _) => energy(model, of),
            ("contact_fraction", _) => {
                let contact = contact(model, of, of.text)?;
                check_one_spot(model, of, &contact)?;
                Ok(Found { measure: Measure::ContactFraction(contact), unit: "".into() })
            }
            ("count" | "count_all", _) => self.count(call),
            ("first", Some(Second::Quantity(above))) => self.first(of, above),
            ("at", Some(Second::Quantity(time))) => self.at(of, time),
            ("left_bearing", _) => journal(model, of, JournalValue::LeftBearing),
            ("max_misalignment", _) => journal(model, of, JournalValue::MaxMisalignment),
            ("share", Some(Second::Situation(situation))) => {
                journal(model, of, JournalValue::Share(*situation))
            }
            ("force_at", Some(Second::Quantity(depth))) => {
                law(model, of, LawValue::ForceAt(indentation(depth)?))
            }
            ("friction_at", Some(Second::Quantity(speed))) => {
                law(model, of, LawValue::FrictionAt(quantity(speed, Dimension::SPEED)?))
            }
            ("effective_restitution", _) => law(model, of, LawValue::EffectiveRestitution),
            ("frequency" | "damping_ratio", about) => mode(call.function.text, of, about.as_ref()),
            ("rest", _) => {
                let Output { name, unit } = output(model, of)?;
                Ok(Found { measure: Measure::Rest { output: name }, unit })
            }
            _ => match of.text.split_once(".impacts") {
                Some((joint, field)) => self.impacts(call, joint, field),
                None => self.output(call),
            },
        }
    }

    fn count(self, call: &Call<'_>) -> Result<Found> {
        let name = call.function.text;
        let Some(joint) = call.of.text.strip_suffix(".impacts") else {
            let message = format!("`{name}` counts impacts");
            let help = format!("write \"{name}(JOINT.impacts)\"");
            return Err(Box::new(call.of.wrong(message, "").help(help)));
        };
        let contact = contact(self.model, &call.of, joint)?;
        let measure = match name {
            "count" => Measure::ImpactCount(contact),
            _ => Measure::CountAll(contact),
        };
        Ok(Found { measure, unit: "".into() })
    }

    fn impacts(self, call: &Call<'_>, joint: &str, field: &str) -> Result<Found> {
        let function = call.function.text;
        let statistic = ImpactStatistic::ALL.into_iter().find(|s| s.name() == function);
        let (number, statistic) = match (&call.second, statistic) {
            (Some(Second::Number(number)), _) => (Some(*number), ImpactStatistic::Sum),
            (_, Some(statistic)) => (None, statistic),
            _ => {
                let message = format!("`{function}` is no function of impacts");
                let help = "of impacts there are `sum`, `max`, `mean`, `min`, `nth`, `count` and \
                            `count_all`";
                return Err(Box::new(call.function.wrong(message, "").help(help)));
            }
        };
        let contact = contact(self.model, &call.of, joint)?;
        let field = field_of(&call.of, field)?;
        let measure = match number {
            Some(number) => Measure::Nth { contact, field, number },
            None => Measure::Impacts { statistic, field, contact },
        };
        Ok(Found { measure, unit: field.unit().into() })
    }

    fn output(mut self, call: &Call<'_>) -> Result<Found> {
        let name = call.function.text;
        let Some(statistic) = statistic(call) else {
            let message = format!("`{name}` is a function of impacts");
            let more = if name == "nth" { ", 1" } else { "" };
            let help = format!("write \"{name}(JOINT.impacts.loss{more})\"");
            return Err(Box::new(call.of.wrong(message, "an output").help(help)));
        };
        let Output { name: output, unit } = self.listed(&call.of)?;
        if let Statistic::Turns(_) = statistic {
            check_turns(self.model, call)?;
        }
        Ok(Found { measure: Measure::Output { statistic, output }, unit })
    }

    /// `OUTPUT` or `A - B`, whose magnitude exceeds something.
    fn first(mut self, of: &Part<'_>, above: &Part<'_>) -> Result<Found> {
        let minus = of.text.find('-');
        if let Some(more) = of.text.rfind('-').filter(|last| Some(*last) != minus) {
            let message = "`first` is of one output, or of the difference of two".to_owned();
            return Err(Box::new(of.error(more..of.text.len(), message, "a third one")));
        }
        let output = self.listed(&of.within(0..minus.unwrap_or(of.text.len())))?;
        let unit = dimension(&output.unit);
        let less =
            minus.map(|minus| self.listed(&of.within(minus + 1..of.text.len()))).transpose()?;
        if let Some(less) = less.as_ref().filter(|less| dimension(&less.unit) != unit) {
            let message = format!("`{}` and `{}` cannot be compared", output.name, less.name);
            let label = format!("{} and {}", unit.describe(), dimension(&less.unit).describe());
            return Err(Box::new(of.wrong(message, &label)));
        }
        let value = quantity(above, unit)?;
        if value < 0.0 {
            let message = "a magnitude exceeds every negative value from the start".to_owned();
            return Err(Box::new(above.wrong(message, "negative")));
        }
        let less = less.map(|less| less.name);
        Ok(Found {
            measure: Measure::First { output: output.name, less, above: value },
            unit: "s".into(),
        })
    }

    fn at(mut self, of: &Part<'_>, time: &Part<'_>) -> Result<Found> {
        let Output { name: output, unit } = self.listed(of)?;
        let value = quantity(time, dimension("s"))?;
        if value < 0.0 {
            let message = "a run begins at the time 0".to_owned();
            return Err(Box::new(time.wrong(message, "negative")));
        }
        Ok(Found { measure: Measure::At { output, time: value }, unit })
    }

    /// Finds an output, and lists it once.
    fn listed(&mut self, of: &Part<'_>) -> Result<Output> {
        let output = output(self.model, of)?;
        if self.outputs.iter().all(|other| other.name != output.name) {
            self.outputs.push(output.clone());
        }
        Ok(output)
    }
}

/// A mode by its number.
fn mode(function: &str, of: &Part<'_>, about: Option<&Second<'_>>) -> Result<Found> {
    let value = ModeValue::ALL.into_iter().find(|value| value.name() == function);
    let value = value.unwrap_or(ModeValue::Frequency);
    let Some(number) = of.text.parse::<usize>().ok().filter(|number| *number > 0) else {
        let message = "modes are counted by whole numbers from 1".to_owned();
        let help = format!("write \"{function}(1)\"");
        return Err(Box::new(of.wrong(message, "").help(help)));
    };
    let about = match about {
        Some(Second::About(about)) => *about,
        _ => About::Equilibrium,
    };
    Ok(Found { measure: Measure::Mode { value, number, about }, unit: value.unit().into() })
}

/// The field behind `JOINT.impacts`, with its dot.
fn field_of(of: &Part<'_>, field: &str) -> Result<ImpactField> {
    let name = field.strip_prefix('.').unwrap_or(field);
    ImpactField::ALL.into_iter().find(|field| field.name() == name).ok_or_else(|| {
        let range = of.text.len() - name.len()..of.text.len();
        let (message, label) = match name {
            "" => ("which field of the impacts?".to_owned(), "none given"),
            _ => (format!("impacts have no `{name}`"), "not known"),
        };
        Box::new(of.error(range, message, label).help(suggest(name, impact_fields())))
    })
}

/// Turns are those of one driver.
fn check_turns(model: &Model, call: &Call<'_>) -> Result<()> {
    let drivers = turning(model).len();
    if drivers == 1 {
        return Ok(());
    }
    let message = format!("`{}` needs one driver that turns a joint", call.function.text);
    let diagnostic = call.function.wrong(message, &turning_drivers(drivers));
    let help = format!("write \"abs_max({})\" for the whole window", call.of.text);
    Err(Box::new(diagnostic.help(help)))
}

fn indentation(depth: &Part<'_>) -> Result<f64> {
    let value = quantity(depth, Dimension::LENGTH)?;
    if value > 0.0 {
        return Ok(value);
    }
    Err(Box::new(depth.wrong("an indentation is positive".to_owned(), "")))
}

/// Finds an output of the model.
pub(super) fn output(model: &Model, of: &Part<'_>) -> Result<Output> {
    let found = sensor::resolve(model, of.text);
    found.map(listed).map_err(|unknown| unknown_output(of, unknown))
}

/// The output of a name, or all outputs that a pattern fits.
pub(super) fn outputs(model: &Model, of: &Part<'_>) -> Result<Vec<Output>> {
    match Outputs::of(model).choose(of.text) {
        Ok(found) => Ok(found.into_iter().map(listed).collect()),
        Err(unknown) => Err(unknown_output(of, unknown)),
    }
}

fn listed(sensor: Sensor) -> Output {
    Output { name: sensor.name, unit: sensor.unit }
}

fn unknown_output(of: &Part<'_>, unknown: UnknownOutput) -> Box<Diagnostic> {
    let part = of.text.get(unknown.part.clone()).unwrap_or("");
    let help = match unknown.candidates.is_empty() {
        true => "`gudgeon check MODEL --outputs` lists all outputs".to_owned(),
        false => suggest(part, unknown.candidates.iter().map(String::as_str)),
    };
    let (code, label) = match sensor::is_pattern(of.text) {
        true => ("G0925", "nothing fits"),
        false => ("G0903", "not known"),
    };
    let mut diagnostic = of.error(unknown.part, unknown.message, label).help(help);
    diagnostic.code = code;
    Box::new(diagnostic)
}

fn energy(model: &Model, of: &Part<'_>) -> Result<Found> {
    let lines = ledger_lines(model);
    match lines.iter().find(|(written, ..)| written == of.text) {
        Some((_, kind, name)) => Ok(Found {
            measure: Measure::Energy { kind: *kind, name: Some(name.clone()) },
            unit: "J".into(),
        }),
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
        if force.kind.stores() {
            add(format!("{}.stored", force.name), LedgerKind::Spring, &force.name);
        }
    }
    for body in &model.bodies {
        let Some(flexible) = &body.flexible else { continue };
        add(format!("{}.strain", body.name), LedgerKind::Strain, &body.name);
        if flexible.damping.strain > 0.0 || flexible.damping.mass > 0.0 {
            add(format!("{}.damping", body.name), LedgerKind::Damping, &body.name);
        }
    }
    for joint in &model.joints {
        if let (Some(friction), None) = (&joint.friction, &joint.clearance) {
            add(format!("{}.friction", joint.name), LedgerKind::Friction, &joint.name);
            if friction.law.has_state() {
                add(format!("{}.bristles", joint.name), LedgerKind::Bristles, &joint.name);
            }
        }
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
    if model.bodies.iter().filter_map(|body| body.flexible.as_deref()).any(Flexible::truncates) {
        add("formulation".into(), LedgerKind::Formulation, "formulation");
    }
    lines
}
