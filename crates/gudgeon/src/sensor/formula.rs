//! Outputs by formula: functions of other outputs and the time, at one instant.
//!
//!   y = f(x₁ … xₙ, t)                                                                       (1)
//!
//! A formula has no memory: its pieces (conditions, magnitudes, cells of tables) are those of the instant.
//! Where (1) has no finite value – 0/0, 1/0, the root of a negative number, a table that is left – the
//! output is missing there: NaN. What is computed from a missing output is missing as well, unless a
//! condition chooses something else.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use super::{Needs, Sensor, Source};
use crate::formula::{Formula, Place, Step};
use crate::system::{Plant, System};

/// Most outputs that one formula may read, through others as well.
pub const MAX_READ: usize = 128;

/// A named output by formula.
#[derive(Clone)]
pub struct OutputFormula(Arc<Inner>);

struct Inner {
    name: String,
    unit: String,
    about: String,
    /// Of the outputs read, in their order, and of the time as its last input.
    formula: Formula,
    inputs: Vec<Sensor>,
}

/// A formula that is too long or reads too much, with the other formulas it reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLong;

impl OutputFormula {
    /// `formula` takes the values of `inputs`, and behind them the time. Inputs that are formulas themselves
    /// become part of it, each once.
    pub fn new(
        name: &str,
        unit: &str,
        about: &str,
        formula: &Formula,
        inputs: &[Sensor],
    ) -> Result<Self, TooLong> {
        let read = basic(inputs);
        if read.len() > MAX_READ {
            return Err(TooLong);
        }
        let mut whole = Formula::default();
        let places: Vec<Place> =
            (0..=read.len()).map(|i| whole.push(Step::Input(i as Place))).collect();
        let (time, places) = (places[read.len()], &places[..read.len()]);
        let place = |sensor: &Sensor| {
            let known = read.iter().position(|other| other.source == sensor.source);
            known.map_or(time, |i| places[i])
        };
        let mut given: Vec<Place> = Vec::with_capacity(inputs.len() + 1);
        for input in inputs {
            given.push(match &input.source {
                Source::Formula(other) => {
                    let mut of: Vec<Place> = other.0.inputs.iter().map(place).collect();
                    of.push(time);
                    whole.append(&other.0.formula, &of)
                }
                _ => place(input),
            });
        }
        given.push(time);
        let value = whole.append(formula, &given);
        whole.push(Step::Scale(1.0, value));
        if whole.is_too_long() {
            return Err(TooLong);
        }
        let (name, unit, about) = (name.to_owned(), unit.to_owned(), about.to_owned());
        Ok(Self(Arc::new(Inner { name, unit, about, formula: whole, inputs: read })))
    }

    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// SI; empty for numbers.
    pub fn unit(&self) -> &str {
        &self.0.unit
    }

    pub fn about(&self) -> &str {
        &self.0.about
    }

    /// The outputs it reads, none of them by formula.
    pub fn inputs(&self) -> &[Sensor] {
        &self.0.inputs
    }

    /// As an output of a run.
    pub fn sensor(&self) -> Sensor {
        Sensor {
            name: self.0.name.clone(),
            unit: Cow::Owned(self.0.unit.clone()),
            about: Cow::Owned(self.0.about.clone()),
            source: Source::Formula(self.clone()),
        }
    }

    pub(super) fn value(&self, plant: &Plant, t: f64) -> f64 {
        let mut values = [0.0; MAX_READ + 1];
        let inputs = &self.0.inputs;
        for (value, sensor) in values.iter_mut().zip(inputs) {
            *value = sensor.value(plant, t);
        }
        values[inputs.len()] = t;
        let value = self.0.formula.value_now(&values[..=inputs.len()]);
        if value.is_finite() { value } else { f64::NAN }
    }

    /// The value where its inputs have these, with the time behind them.
    pub(crate) fn of_values(&self, values: &[f64]) -> f64 {
        let value = self.0.formula.value_now(values);
        if value.is_finite() { value } else { f64::NAN }
    }

    pub(super) fn needs(&self, system: &System) -> Needs {
        Needs::of(&self.0.inputs, system)
    }
}

/// What the inputs read at last, each once.
fn basic(inputs: &[Sensor]) -> Vec<Sensor> {
    let mut read: Vec<Sensor> = Vec::new();
    let all = inputs.iter().flat_map(|input| match &input.source {
        Source::Formula(other) => &other.0.inputs[..],
        _ => std::slice::from_ref(input),
    });
    for sensor in all {
        if !read.iter().any(|known| known.source == sensor.source) {
            read.push(sensor.clone());
        }
    }
    read
}

impl PartialEq for OutputFormula {
    /// The same formula of the same model.
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl fmt::Debug for OutputFormula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OutputFormula({})", self.0.name)
    }
}
