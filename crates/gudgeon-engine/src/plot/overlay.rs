//! Measured values laid over the curves: a data file whose first column is what the picture is drawn over, and whose others
//! have the names of outputs.

use std::path::{Path, PathBuf};

use gudgeon_model::data::{Measured, MeasuredColumn};
use gudgeon_model::diagnostic::{Diagnostic, nearest};
use gudgeon_model::expr::any_quantity;
use gudgeon_model::units::Dimension;

use super::finding;
use super::outputs::Chosen;
use super::result::RunResult;
use crate::refusal::Refusal;

pub struct Overlay {
    pub name: String,
    /// By the index of the output.
    pub points: Vec<(usize, Vec<(f64, f64)>)>,
}

impl Overlay {
    pub fn read_all(
        files: &[PathBuf],
        result: &RunResult,
        chosen: &Chosen,
    ) -> Result<Vec<Overlay>, Refusal> {
        files.iter().map(|file| read(file, result, chosen)).collect()
    }
}

fn read(file: &Path, result: &RunResult, chosen: &Chosen) -> Result<Overlay, Refusal> {
    let measured = Measured::read(file).map_err(|failure| Refusal::from(*failure))?;
    let mut findings: Vec<(usize, Diagnostic)> = Vec::new();
    findings.extend(first(&measured, chosen).map(|finding| (0, finding)));
    let mut points = Vec::new();
    for (i, column) in measured.columns.iter().enumerate().skip(1) {
        match place(column, result, chosen) {
            Ok(Some(output)) => points.push((output, pairs(&measured.columns[0], column))),
            Ok(None) => {}
            Err(finding) => findings.push((i, *finding)),
        }
    }
    if findings.is_empty() && points.is_empty() {
        let message = format!("`{}` has no column of an output that is drawn", measured.name);
        let help = "call its columns like outputs, `t [ms], pin.contact_force [N]`, and draw these";
        findings.push((measured.columns.len(), finding("G1605", message, help.into())));
    }
    if findings.is_empty() {
        Ok(Overlay { name: measured.name, points })
    } else {
        Err(Refusal::from(*measured.refuse(findings)))
    }
}

fn pairs(x: &MeasuredColumn, y: &MeasuredColumn) -> Vec<(f64, f64)> {
    x.values.iter().copied().zip(y.values.iter().copied()).collect()
}

/// What is wrong with the first column.
fn first(measured: &Measured, chosen: &Chosen) -> Option<Diagnostic> {
    let column = &measured.columns[0];
    let (name, unit) = match &chosen.over {
        Some(over) => (over.name.as_str(), over.unit.as_str()),
        None => ("t", "s"),
    };
    if column.name != name {
        let message = format!(
            "the first column is `{}`, but the picture is drawn over `{name}`",
            column.name
        );
        let help =
            format!("call the first column `{name} [{}]`, or choose another `--over`", shown(unit));
        return Some(finding("G1605", message, help));
    }
    differs(column, unit)
}

/// The output that a column is laid over; none for one that is not drawn.
fn place(
    column: &MeasuredColumn,
    result: &RunResult,
    chosen: &Chosen,
) -> Result<Option<usize>, Box<Diagnostic>> {
    if let Some(output) = chosen.outputs.iter().position(|output| output.name == column.name) {
        return match differs(column, &chosen.outputs[output].unit) {
            Some(finding) => Err(Box::new(finding)),
            None => Ok(Some(output)),
        };
    }
    let names = || result.columns().iter().map(|known| known.name.as_str());
    if names().any(|name| name == column.name) {
        return Ok(None);
    }
    let help = match nearest(&column.name, names()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "columns have the names of outputs in the result".to_owned(),
    };
    Err(Box::new(finding("G1605", format!("`{}` is no output of the result", column.name), help)))
}

fn differs(column: &MeasuredColumn, unit: &str) -> Option<Diagnostic> {
    let wanted = any_quantity(&format!("1 {unit}")).map_or(Dimension::NUMBER, |one| one.dimension);
    if wanted == column.dimension {
        return None;
    }
    let message = format!(
        "`{}` is {} in the file and {} in the result",
        column.name,
        column.dimension.describe(),
        wanted.describe()
    );
    Some(finding(
        "G1605",
        message,
        format!("write its unit behind its name: `{} [{}]`", column.name, shown(unit)),
    ))
}

fn shown(unit: &str) -> &str {
    if unit.is_empty() { "1" } else { unit }
}
