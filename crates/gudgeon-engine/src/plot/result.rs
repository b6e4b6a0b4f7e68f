//! A result folder as a source of curves.

use std::fs;
use std::path::{Path, PathBuf};

use gudgeon_model::diagnostic::Diagnostic;
use gudgeon_output::record::{FORMAT, RunRecord};
use gudgeon_output::run_json::RUN_JSON;
use gudgeon_output::{Column, SeriesReader};
use serde_json::Value;

use super::outputs::{Chosen, Found};
use super::range::Part;
use super::{all, finding};
use crate::refusal::Refusal;

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
    let text = fs::read_to_string(folder.join(RUN_JSON)).map_err(|_| not_a_result(folder))?;
    let value: Value = serde_json::from_str(&text).unwrap_or_default();
    if value.get("gudgeon").is_none() {
        return Err(not_a_result(folder));
    }
    if value["format"].as_u64().is_some_and(|format| format > u64::from(FORMAT)) {
        let message = format!("`{shown}` was written by a newer version of Gudgeon");
        return Err(refuse(message, "update the program, or run the model again with this one"));
    }
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
        Err(error) => return Err(Box::new(finding("G1601", error.to_string(), error.help()))),
    };
    Ok(RunResult { label: String::new(), record, table })
}

fn not_a_result(folder: &Path) -> Box<Diagnostic> {
    let shown = folder.display();
    let (message, help) = if folder.join("study.json").is_file() {
        (
            format!("`{shown}` is the result of a study"),
            "studies draw what `[plots]` of the study file asks for; `gudgeon plot` takes results of runs",
        )
    } else if folder.is_dir() {
        (
            format!("`{shown}` is no result of a run"),
            "give the folder that `gudgeon run` wrote, such as results/slider_crank",
        )
    } else if folder.exists() {
        (
            format!("`{shown}` is no folder"),
            "give the folder that `gudgeon run` wrote, such as results/slider_crank",
        )
    } else {
        (
            format!("there is no folder `{shown}`"),
            "run the model first: `gudgeon run MODEL` names its result folder at the end",
        )
    };
    Box::new(finding("G1601", message, help.to_owned()))
}
