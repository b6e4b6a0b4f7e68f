//! The report of a result: one page, written with every result and made anew from its folder.

use std::path::Path;

use gudgeon_model::diagnostic::Diagnostic;
use gudgeon_output::run_json::RUN_JSON;
use gudgeon_output::{OutputError, ResultFolder};
use serde_json::Value;

use crate::refusal::Refusal;

pub use gudgeon_report::REPORT;

/// The page of a result that is there already.
pub fn report(folder: &Path) -> Result<String, Refusal> {
    let record = read_record(folder).map_err(|finding| Refusal::new(*finding))?;
    let page = gudgeon_report::report(folder, &record);
    page.map_err(|error| Refusal::new(unreadable(&error)))
}

/// Writes the page into a folder in the making.
pub(crate) fn write(folder: &ResultFolder, record: &Value) -> Result<(), OutputError> {
    folder.write(REPORT, &gudgeon_report::report(folder.path(), record)?)
}

/// What a file that cannot be read is told as.
pub(crate) fn unreadable(error: &OutputError) -> Diagnostic {
    Diagnostic::error("G1601", error.to_string()).help(error.help())
}

/// `run.json` of a folder, or why it is none that this program can read.
pub(crate) fn read_record(folder: &Path) -> Result<Value, Box<Diagnostic>> {
    let refuse =
        |message: String, help: &str| Box::new(Diagnostic::error("G1601", message).help(help));
    let shown = folder.display();
    let text = std::fs::read_to_string(folder.join(RUN_JSON)).map_err(|_| not_a_result(folder))?;
    let value: Value = serde_json::from_str(&text).unwrap_or_default();
    if value.get("gudgeon").is_none() {
        return Err(not_a_result(folder));
    }
    let format = u64::from(gudgeon_output::record::FORMAT);
    if value["format"].as_u64().is_some_and(|other| other > format) {
        let message = format!("`{shown}` was written by a newer version of Gudgeon");
        return Err(refuse(message, "update the program, or run the model again with this one"));
    }
    Ok(value)
}

fn not_a_result(folder: &Path) -> Box<Diagnostic> {
    let shown = folder.display();
    let (message, help) = if folder.join("study.json").is_file() {
        (
            format!("`{shown}` is the result of a study"),
            "studies draw what `[plots]` of the study file asks for; `gudgeon plot` and `gudgeon report` take results of runs",
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
    Box::new(Diagnostic::error("G1601", message).help(help))
}
