//! Names of outputs and what they stand for.

use std::borrow::Cow;
use std::collections::HashMap;

use super::quantities::{Entry, What, of_ideal_joints, owners};
use super::{Component, OutputFormula, Sensor, Source};
use crate::model::{Model, Space};

/// Why a name is no output.
#[derive(Clone, Debug, PartialEq)]
pub struct UnknownOutput {
    /// The part of the name that is wrong, as a byte range of it.
    pub part: std::ops::Range<usize>,
    pub message: String,
    /// Names that could stand in the place of that part.
    pub candidates: Vec<String>,
}

/// Every output of a model, in a fixed order: bodies with their frames, joints, drivers, forces,
/// the whole mechanism, outputs by formula.
pub fn catalogue(model: &Model) -> Vec<Sensor> {
    Outputs::of(model).listed()
}

const COMPONENTS: [(&str, Component); 4] =
    [("", Component::Magnitude), (".x", Component::X), (".y", Component::Y), (".z", Component::Z)];

/// Components that vectors of a model have; those of planar models have no z.
fn components(model: &Model) -> &'static [(&'static str, Component)] {
    match model.space {
        Space::Planar => &COMPONENTS[..3],
        Space::Spatial => &COMPONENTS,
    }
}

/// Finds an output by name.
pub fn resolve(model: &Model, name: &str) -> Result<Sensor, UnknownOutput> {
    let outputs = Outputs::of(model);
    outputs.find(name).ok_or_else(|| outputs.unknown(name))
}

/// The names of a model, prepared to find many outputs.
pub struct Outputs {
    owners: Vec<(String, Vec<Entry>)>,
    /// So many of them are those of the catalogue; behind them come stand-ins for joints made ideal.
    real: usize,
    /// Places of an owner in the list: bodies, and what stands in for a joint made ideal.
    places: HashMap<String, Vec<usize>>,
    components: &'static [(&'static str, Component)],
    formulas: Vec<OutputFormula>,
}

impl Outputs {
    pub fn of(model: &Model) -> Self {
        let mut owners = owners(model);
        let real = owners.len();
        // Outputs of a clearance joint stay valid when the joint is made ideal.
        owners.extend(of_ideal_joints(model));
        let mut places: HashMap<String, Vec<usize>> = HashMap::new();
        for (i, (owner, _)) in owners.iter().enumerate() {
            places.entry(owner.clone()).or_default().push(i);
        }
        let formulas = model.outputs.clone();
        Self { owners, real, places, components: components(model), formulas }
    }

    /// Adds an output by formula.
    pub fn add(&mut self, formula: OutputFormula) {
        self.formulas.push(formula);
    }

    /// The output of this name.
    pub fn find(&self, name: &str) -> Option<Sensor> {
        if let Some(formula) = self.formulas.iter().find(|formula| formula.name() == name) {
            return Some(formula.sensor());
        }
        let owner = self.owner(name)?;
        let rest = &name[owner.len() + 1..];
        self.places[owner].iter().flat_map(|&place| &self.owners[place].1).find_map(|entry| {
            let source = source_of(entry, rest, self.components)?;
            Some(sensor(name.to_owned(), entry, source))
        })
    }

    /// What is wrong with a name that is no output.
    pub fn unknown(&self, name: &str) -> UnknownOutput {
        match self.owner(name) {
            Some(owner) => unknown_quantity(&self.owners, self.components, owner, name),
            None => self.unknown_owner(name),
        }
    }

    /// The longest owner that starts the name: `rod.small_end` before `rod`.
    fn owner<'n>(&self, name: &'n str) -> Option<&'n str> {
        let starts = name.rmatch_indices('.').map(|(at, _)| &name[..at]);
        starts.into_iter().find(|start| self.places.contains_key(*start))
    }

    /// The catalogue.
    pub(super) fn listed(&self) -> Vec<Sensor> {
        let mut sensors = sensors(&self.owners[..self.real], self.components);
        sensors.extend(self.formulas.iter().map(OutputFormula::sensor));
        sensors
    }

    /// What joints made ideal have besides.
    pub(super) fn stand_ins(&self) -> Vec<Sensor> {
        sensors(&self.owners[self.real..], self.components)
    }

    fn unknown_owner(&self, name: &str) -> UnknownOutput {
        let first = name.split('.').next().unwrap_or(name);
        let owners = self.owners.iter().map(|(o, _)| o.split('.').next().unwrap_or(o));
        let formulas = self.formulas.iter().map(OutputFormula::name);
        let mut candidates: Vec<String> = owners.chain(formulas).map(str::to_owned).collect();
        candidates.sort();
        candidates.dedup();
        let kinds = match self.formulas.is_empty() {
            true => "body, joint, driver or force",
            false => "body, joint, driver, force or output by formula",
        };
        UnknownOutput {
            part: 0..first.len(),
            message: format!("`{first}` is no {kinds} of this model"),
            candidates,
        }
    }
}

fn sensor(name: String, entry: &Entry, source: Source) -> Sensor {
    let (unit, about) = (Cow::Borrowed(entry.unit), Cow::Borrowed(entry.about));
    Sensor { name, unit, about, source }
}

fn sensors(
    owners: &[(String, Vec<Entry>)],
    components: &[(&'static str, Component)],
) -> Vec<Sensor> {
    let mut sensors = Vec::new();
    for (owner, entries) in owners {
        for entry in entries {
            let full = format!("{owner}.{}", entry.name);
            match &entry.what {
                What::Scalar(source) => sensors.push(sensor(full, entry, source.clone())),
                What::Vector(with, source) => {
                    for &(suffix, component) in components {
                        let source = with(source.clone(), component);
                        sensors.push(sensor(format!("{full}{suffix}"), entry, source));
                    }
                }
            }
        }
    }
    sensors
}

fn source_of(entry: &Entry, rest: &str, components: &[(&str, Component)]) -> Option<Source> {
    let suffix = rest.strip_prefix(entry.name)?;
    match &entry.what {
        What::Scalar(source) => suffix.is_empty().then(|| source.clone()),
        What::Vector(with, source) => {
            let component = components.iter().find(|(s, _)| *s == suffix)?.1;
            Some(with(source.clone(), component))
        }
    }
}

fn unknown_quantity(
    owners: &[(String, Vec<Entry>)],
    components: &[(&str, Component)],
    owner: &str,
    name: &str,
) -> UnknownOutput {
    let mut candidates = Vec::new();
    for (other, entries) in owners {
        if other == owner {
            for entry in entries {
                candidates.push(entry.name.to_owned());
                if let What::Vector(..) = entry.what {
                    let suffixes = components[1..].iter().map(|(suffix, _)| suffix);
                    candidates.extend(suffixes.map(|suffix| format!("{}{suffix}", entry.name)));
                }
            }
        } else if let Some(frame) = other.strip_prefix(owner).and_then(|r| r.strip_prefix('.')) {
            candidates.push(frame.to_owned());
        }
    }
    let rest = &name[owner.len() + 1..];
    UnknownOutput {
        part: owner.len() + 1..name.len(),
        message: format!("`{owner}` has no output `{rest}`"),
        candidates,
    }
}
