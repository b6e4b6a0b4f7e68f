//! The outputs of a run over time, in memory.

use std::borrow::Cow;

use gudgeon::run::RunSpec;
use gudgeon::sensor::Sensor;

/// Rows by columns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// s
    pub t: Vec<f64>,
    outputs: Vec<(String, Cow<'static, str>)>,
    columns: Vec<Vec<f64>>,
}

impl Series {
    pub(super) fn new(spec: &RunSpec) -> Series {
        let output = |sensor: &Sensor| (sensor.name.clone(), sensor.unit.clone());
        let outputs: Vec<_> = spec.outputs.iter().map(output).collect();
        Series { t: Vec::new(), columns: vec![Vec::new(); outputs.len()], outputs }
    }

    pub(super) fn push(&mut self, t: f64, values: &[f64]) {
        self.t.push(t);
        for (column, value) in self.columns.iter_mut().zip(values) {
            column.push(*value);
        }
    }

    /// Names and SI units of the outputs, in their order.
    pub fn outputs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.outputs.iter().map(|(name, unit)| (name.as_str(), &**unit))
    }

    /// The values of an output, one for each time.
    pub fn get(&self, output: &str) -> Option<&[f64]> {
        let index = self.outputs.iter().position(|(name, _)| name == output)?;
        Some(&self.columns[index])
    }

    /// The times and the values of all outputs in their order.
    pub fn into_columns(self) -> (Vec<f64>, Vec<Vec<f64>>) {
        (self.t, self.columns)
    }

    /// Rows.
    pub fn len(&self) -> usize {
        self.t.len()
    }

    pub fn is_empty(&self) -> bool {
        self.t.is_empty()
    }
}

/// The values of an output that is known to be there.
impl std::ops::Index<&str> for Series {
    type Output = [f64];

    fn index(&self, output: &str) -> &[f64] {
        self.get(output).unwrap_or_else(|| panic!("there is no output `{output}`"))
    }
}
