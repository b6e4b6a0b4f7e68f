//! Columns of a data file to curves and surfaces.

use gudgeon::formula::{Curve, Input, Interpolation, Outside, Surface};

use super::csv::{Column, Sheet};
use crate::diagnostic::Diagnostic;
use crate::reader::suggest;
use crate::units::Dimension;
use crate::values::rounded;

/// Values at both ends that differ by less than this share of the largest are one.
const CLOSED: f64 = 1e-9;

/// Whether values end as they begin, and the same to the last bit from then on.
pub(crate) fn close(values: &mut [f64]) -> bool {
    let largest = values.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
    let last = values.len() - 1;
    let closed = (values[last] - values[0]).abs() <= CLOSED * largest;
    if closed {
        values[last] = values[0];
    }
    closed
}

impl Sheet {
    /// The column of values by its name.
    pub(crate) fn find(&self, name: &str, inputs: usize) -> Result<usize, Box<Diagnostic>> {
        let found = self.columns.iter().position(|column| column.name == name);
        if let Some(column) = found.filter(|column| *column >= inputs.min(self.columns.len())) {
            return Ok(column);
        }
        let message = match found {
            Some(_) => format!("`{name}` is an input of `{}`, not a value", self.name),
            None => format!("`{}` has no column `{name}`", self.name),
        };
        let values = self.columns.iter().skip(inputs).map(|column| &column.name[..]);
        Err(Box::new(Diagnostic::error("G0210", message).help(suggest(name, values))))
    }

    /// The column behind the inputs.
    pub(crate) fn default_column(&self, inputs: usize) -> Result<usize, Box<Diagnostic>> {
        if inputs < self.columns.len() {
            return Ok(inputs);
        }
        let message = format!("`{}` has too few columns", self.name);
        let help = match inputs {
            1 => "it needs a column of inputs and a column of values",
            _ => "it needs two columns of inputs and a column of values",
        };
        let head = self.columns[self.columns.len() - 1].head;
        let label = format!("{} in all", self.columns.len());
        Err(Box::new(Diagnostic::error("G0210", message).at(head, label).help(help)))
    }

    /// A column that is looked up with another dimension.
    pub(crate) fn wrong_input(&self, column: usize, found: Dimension) -> Diagnostic {
        let Column { name, head, unit, .. } = &self.columns[column];
        let own = unit.dimension();
        let message = format!(
            "column `{name}` of `{}` is {}, and is looked up with {}",
            self.name,
            own.describe(),
            found.describe()
        );
        let units = found.common_units();
        let help = match units.first() {
            Some(unit) if own.is_number() => {
                format!("write the unit of the column behind its name, as in `{name} [{unit}]`")
            }
            _ if found.is_number() && !own.is_number() => {
                format!("multiply by a unit, such as `1 {own}`, or take the unit of the column out")
            }
            _ => "look up what the column holds, or correct its unit".to_owned(),
        };
        let label = if unit.text.is_empty() { "no unit" } else { "" };
        Diagnostic::error("G0211", message).at(*head, label).help(help)
    }

    /// The values of columns without a wrong cell.
    fn values(&self, columns: &[usize]) -> Result<(), Vec<Diagnostic>> {
        let wrong = columns.iter().filter_map(|column| self.columns[*column].wrong.clone());
        let mut findings: Vec<Diagnostic> = Vec::new();
        for finding in wrong {
            if !findings.iter().any(|known| known.span == finding.span) {
                findings.push(finding);
            }
        }
        if findings.is_empty() { Ok(()) } else { Err(findings) }
    }

    fn input(&self, column: usize) -> Input {
        let Column { name, unit, .. } = &self.columns[column];
        Input {
            table: format!("`{}`", self.name),
            column: name.clone(),
            unit: unit.text.clone(),
            scale: unit.scale(),
        }
    }

    /// A value of a column in its unit.
    fn shown(&self, column: usize, value: f64) -> String {
        let unit = &self.columns[column].unit;
        let number = rounded(value / unit.scale());
        if unit.text.is_empty() { format!("{number}") } else { format!("{number} {}", unit.text) }
    }

    pub(crate) fn curve(
        &self,
        value: usize,
        interpolation: Interpolation,
        outside: Outside,
    ) -> Result<Curve, Vec<Diagnostic>> {
        self.values(&[0, value])?;
        let x = &self.columns[0].values;
        self.enough(0, x.len())?;
        if let Some(row) = (1..x.len()).find(|i| x[*i] <= x[i - 1]) {
            return Err(vec![self.not_rising(row)]);
        }
        let mut y = self.columns[value].values.clone();
        if outside == Outside::Periodic && !close(&mut y) {
            return Err(vec![self.not_closed(value, 0, self.rows() - 1)]);
        }
        let curve = Curve::new(interpolation, outside, x, &y).named(self.input(0));
        if curve.is_finite() { Ok(curve) } else { Err(vec![self.too_close()]) }
    }

    fn not_rising(&self, row: usize) -> Diagnostic {
        let Column { name, values, .. } = &self.columns[0];
        let (before, now) = (values[row - 1], values[row]);
        let [first, second] = [before, now].map(|value| self.shown(0, value));
        let falls = if now == before { "is given twice" } else { "falls" };
        let all = values.windows(2).all(|pair| pair[1] < pair[0]);
        let help = match all {
            true => "turn the order of the rows round",
            false => {
                "sort the rows by their input, each of which may stand there once; a jump takes two inputs that differ a little"
            }
        };
        Diagnostic::error("G0212", format!("`{name}` of `{}` must rise from row to row", self.name))
            .at(self.cell(row, 0), format!("{second}: it {falls}"))
            .also(self.cell(row - 1, 0), first)
            .help(help)
    }

    fn not_closed(&self, value: usize, first: usize, last: usize) -> Diagnostic {
        let Column { name, values, .. } = &self.columns[value];
        let message = format!("`{name}` of `{}` does not end as it begins", self.name);
        Diagnostic::error("G0215", message)
            .at(self.cell(last, value), self.shown(value, values[last]))
            .also(self.cell(first, value), self.shown(value, values[first]))
            .help("a periodic table ends with its first value, a period later")
    }

    fn too_close(&self) -> Diagnostic {
        let message = format!("rows of `{}` are too close together to be interpolated", self.name);
        Diagnostic::error("G0212", message)
            .at(self.columns[0].head, "")
            .help("take out rows that differ by rounding only")
    }

    /// At least two different inputs.
    fn enough(&self, column: usize, count: usize) -> Result<(), Vec<Diagnostic>> {
        if count >= 2 {
            return Ok(());
        }
        let name = &self.columns[column].name;
        let message = format!("`{}` needs at least two values of `{name}`", self.name);
        let label = format!("{count} given");
        let finding = Diagnostic::error("G0213", message).at(self.columns[column].head, label);
        Err(vec![finding.help("add rows")])
    }

    /// A surface from rows in any order that form a full grid.
    pub(crate) fn surface(
        &self,
        value: usize,
        interpolation: Interpolation,
        outside: Outside,
    ) -> Result<Surface, Vec<Diagnostic>> {
        self.values(&[0, 1, value])?;
        let (x, y) = (&self.columns[0].values, &self.columns[1].values);
        let axes = [distinct(x), distinct(y)];
        for (column, axis) in axes.iter().enumerate() {
            self.enough(column, axis.len())?;
        }
        let mut rows: Vec<usize> = (0..x.len()).collect();
        rows.sort_by(|a, b| x[*a].total_cmp(&x[*b]).then(y[*a].total_cmp(&y[*b])));
        self.full_grid(&axes, &rows)?;
        let mut z: Vec<f64> = rows.iter().map(|row| self.columns[value].values[*row]).collect();
        if outside == Outside::Periodic {
            let columns = axes[1].len();
            let last = rows.len() - columns;
            let largest = z.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
            for j in 0..columns {
                if (z[last + j] - z[j]).abs() > CLOSED * largest {
                    return Err(vec![self.not_closed(value, rows[j], rows[last + j])]);
                }
                z[last + j] = z[j];
            }
        }
        let inputs = [self.input(0), self.input(1)];
        let surface = Surface::new(interpolation, outside, [&axes[0], &axes[1]], &z).named(inputs);
        if surface.is_finite() { Ok(surface) } else { Err(vec![self.too_close()]) }
    }

    /// Whether sorted rows have every pair of inputs once.
    fn full_grid(&self, [xs, ys]: &[Vec<f64>; 2], rows: &[usize]) -> Result<(), Vec<Diagnostic>> {
        let (x, y) = (&self.columns[0].values, &self.columns[1].values);
        let named = |i: usize, j: usize| {
            let [a, b] = [&self.columns[0].name, &self.columns[1].name];
            format!("`{a}` = {} and `{b}` = {}", self.shown(0, xs[i]), self.shown(1, ys[j]))
        };
        for (k, &row) in rows.iter().enumerate() {
            let (i, j) = (k / ys.len(), k % ys.len());
            if i < xs.len() && x[row] == xs[i] && y[row] == ys[j] {
                continue;
            }
            let before = k.checked_sub(1).map(|k| rows[k]);
            if let Some(before) = before.filter(|b| x[*b] == x[row] && y[*b] == y[row]) {
                let (first, again) = (before.min(row), before.max(row));
                let message = format!("`{}` has these inputs twice", self.name);
                let finding = Diagnostic::error("G0214", message)
                    .at(self.cell(again, 0), "given again")
                    .also(self.cell(first, 0), "given here");
                return Err(vec![finding.help("keep one of the two rows")]);
            }
            return Err(vec![self.hole(named(i.min(xs.len() - 1), j), [xs.len(), ys.len()])]);
        }
        if rows.len() as u128 == xs.len() as u128 * ys.len() as u128 {
            return Ok(());
        }
        let (i, j) = (rows.len() / ys.len(), rows.len() % ys.len());
        Err(vec![self.hole(named(i.min(xs.len() - 1), j), [xs.len(), ys.len()])])
    }

    fn hole(&self, missing: String, [xs, ys]: [usize; 2]) -> Diagnostic {
        let message = format!("`{}` has no row for {missing}", self.name);
        let label = format!("{} rows, where {xs} by {ys} inputs make a full grid", self.rows());
        Diagnostic::error("G0214", message)
            .at(self.columns[0].head, label)
            .help("give a value for every pair of inputs")
    }
}

/// Different values, rising.
fn distinct(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.dedup();
    sorted
}
