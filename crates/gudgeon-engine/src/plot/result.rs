//! A result folder as a source of curves.

use std::path::{Path, PathBuf};

use gudgeon_model::diagnostic::Diagnostic;
use gudgeon_output::record::RunRecord;
use gudgeon_output::{Column, SeriesReader};

use super::outputs::{Chosen, Found};
use super::range::Part;
use super::{all, finding};
use crate::refusal::Refusal;
use crate::report::{read_record, unreadable};

/// A run with its table.
pub struct RunResult {
    /// Its folder, as short as the others allow.
    pub label: String,
    pub record: RunRecord,
    table: SeriesReader,
}

/// Rows of the part that is drawn.
pub struct Curves {
    pub t: Vec<f64>,
    /// Of what is drawn over, in place of the time.
    pub over: Option<Vec<f64>>,
    /// Of every chosen output; none where this result does not have it.
    pub outputs: Vec<Option<Vec<f64>>>,
}

impl RunResult {
    /// All results, or everything that is wrong with them.
    pub fn open_all(folders: &[PathBuf]) -> Result<Vec<RunResult>, Refusal> {
        let (mut results, mut findings) = (Vec::new(), Vec::new());
        for folder in folders {
            match open(folder) {
                Ok(result) => results.push(result),
                Err(finding) => findings.push(*finding),
            }
        }
        all(findings)?;
        label(&mut results, folders);
        Ok(results)
    }

    pub fn columns(&self) -> &[Column] {
        self.table.columns()
    }

    /// Reads what is chosen, as far as it lies in the part.
    pub fn curves(&self, chosen: &Chosen, part: Part) -> Result<Curves, Refusal> {
        let place = |found: &Found| self.columns().iter().position(|c| c.name == found.name);
        let outputs: Vec<Option<usize>> = chosen.outputs.iter().map(place).collect();
        let over = chosen.over.as_ref().and_then(place);
        let wanted: Vec<usize> =
            [0].into_iter().chain(over).chain(outputs.iter().flatten().copied()).collect();
        let mut columns = self.table.read(&wanted)?.into_iter();
        let t = columns.next().unwrap_or_default();
        let rows = part.rows(&t);
        let mut next = || columns.next().map(|column| column[rows.clone()].to_vec());
        let over = over.and_then(|_| next());
        let outputs = outputs.iter().map(|place| place.and_then(|_| next())).collect();
        Ok(Curves { t: t[rows.clone()].to_vec(), over, outputs })
    }
}

/// Names that tell the results apart: those of their folders, or their paths.
fn label(results: &mut [RunResult], folders: &[PathBuf]) {
    let name = |path: &PathBuf| path.file_name().map(|name| name.to_string_lossy().into_owned());
    let names: Vec<String> = folders.iter().map(|path| name(path).unwrap_or_default()).collect();
    for (i, result) in results.iter_mut().enumerate() {
        let alone = names.iter().filter(|name| **name == names[i]).count() == 1;
        result.label = if alone && !names[i].is_empty() {
            names[i].clone()
        } else {
            folders[i].display().to_string()
        };
    }
}

fn open(folder: &Path) -> Result<RunResult, Box<Diagnostic>> {
    let shown = folder.display();
    let refuse = |message: String, help: &str| Box::new(finding("G1601", message, help.to_owned()));
    let value = read_record(folder)?;
    let record: RunRecord = serde_json::from_value(value).map_err(|error| {
        let help = "run the model again: its record was changed, or written by another version";
        refuse(format!("the record of `{shown}` cannot be read: {error}"), help)
    })?;
    let table = match SeriesReader::open(folder) {
        Ok(Some(table)) => table,
        Ok(None) => {
            let message = format!("`{shown}` holds no rows over time");
            let help =
                "only runs have rows; an analysis or comparison has its own pictures in its folder";
            return Err(refuse(message, help));
        }
        Err(error) => return Err(Box::new(unreadable(&error))),
    };
    Ok(RunResult { label: String::new(), record, table })
}
