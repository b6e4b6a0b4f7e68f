//! Measured values: the columns of a data file by their names, for comparison with results.

use std::fs;
use std::path::Path;

use super::File;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::failure::Failure;
use crate::source::{Sources, Span};
use crate::units::Dimension;

/// A data file that stands for itself.
#[derive(Clone, Debug)]
pub struct Measured {
    /// The file without its folder.
    pub name: String,
    /// In the order of the file.
    pub columns: Vec<MeasuredColumn>,
    sources: Sources,
}

#[derive(Clone, Debug)]
pub struct MeasuredColumn {
    pub name: String,
    pub dimension: Dimension,
    /// In SI.
    pub values: Vec<f64>,
    head: Span,
}

impl Measured {
    /// Reads a file; every cell must be a number.
    pub fn read(path: &Path) -> Result<Measured, Box<Failure>> {
        let mut sources = Sources::new();
        let shown = path.display().to_string();
        let bytes = match fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) => {
                let finding = Diagnostic::error("G0206", format!("cannot read `{shown}`: {error}"))
                    .help("check the path of the data file");
                return Err(failure(sources, [finding]));
            }
        };
        let sheet = match File::read(shown, bytes, &mut sources).content {
            Ok(sheet) => sheet,
            Err(findings) => return Err(failure(sources, findings)),
        };
        let wrong: Vec<_> =
            sheet.columns.iter().filter_map(|column| column.wrong.clone()).collect();
        if !wrong.is_empty() {
            return Err(failure(sources, wrong));
        }
        let column = |column: &super::csv::Column| MeasuredColumn {
            name: column.name.clone(),
            dimension: column.unit.dimension(),
            values: column.values.clone(),
            head: column.head,
        };
        let columns = sheet.columns.iter().map(column).collect();
        Ok(Measured { name: sheet.name.clone(), columns, sources })
    }

    /// What is wrong with columns, marked in the head of the file.
    pub fn refuse(self, findings: Vec<(usize, Diagnostic)>) -> Box<Failure> {
        let mark = |(column, finding): (usize, Diagnostic)| match self.columns.get(column) {
            Some(column) => finding.at(column.head, ""),
            None => finding,
        };
        let marked: Vec<Diagnostic> = findings.into_iter().map(mark).collect();
        failure(self.sources, marked)
    }
}

fn failure(sources: Sources, findings: impl IntoIterator<Item = Diagnostic>) -> Box<Failure> {
    let mut diagnostics = Diagnostics::new();
    findings.into_iter().for_each(|finding| diagnostics.push(finding));
    Failure::new(sources, diagnostics)
}
