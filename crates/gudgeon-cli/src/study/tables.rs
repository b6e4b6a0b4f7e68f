//! The files of a study beside its journal: tables, surrogates, the record.

use std::fs;
use std::path::Path;

use gudgeon_output::csv::{push_number, push_text};
use gudgeon_output::{Column, OutputError, SeriesFormat, SeriesWriter, run_json};
use gudgeon_study::store::{Outcome as Ended, TABLE};

use super::{Job, Outcome, Shown, json, shown};

/// Writes everything; each file is whole or absent.
pub fn save(job: &Job, outcome: &Outcome) -> Result<(), String> {
    write_all(job, outcome).map_err(|error| error.to_string())
}

fn write_all(job: &Job, outcome: &Outcome) -> Result<(), OutputError> {
    let folder = &job.shown;
    if outcome.records.len() == job.points.len() {
        replace(&folder.join(TABLE), &samples(job, outcome))?;
        parquet(job, outcome)?;
    }
    let models = folder.join("surrogates");
    for fitted in &outcome.fitted {
        let Ok(model) = &fitted.model else { continue };
        fs::create_dir_all(&models).map_err(OutputError::io("create", &models))?;
        let name = format!("{}.json", job.study().responses[fitted.response].name);
        replace(&models.join(name), &format!("{}\n", model.kriging.to_json()))?;
    }
    pictures(folder, outcome)?;
    replace(&folder.join("study.json"), &run_json::to_text(&json::record(job, outcome)))
}

/// Writes the pictures; those that the last record lists and this study has no more are removed.
fn pictures(folder: &Path, outcome: &Outcome) -> Result<(), OutputError> {
    let record = fs::read_to_string(folder.join("study.json")).unwrap_or_default();
    let record: serde_json::Value = serde_json::from_str(&record).unwrap_or_default();
    for old in record["plots"].as_array().into_iter().flatten().filter_map(|name| name.as_str()) {
        let ours = old.starts_with("plots/") && !old.contains("..");
        if ours && !outcome.plots.iter().any(|(name, _)| name == old) {
            let _ = fs::remove_file(folder.join(old)); // one that stays does no harm
        }
    }
    if !outcome.plots.is_empty() {
        let plots = folder.join("plots");
        fs::create_dir_all(&plots).map_err(OutputError::io("create", &plots))?;
    }
    outcome.plots.iter().try_for_each(|(name, svg)| replace(&folder.join(name), svg))
}

/// Writes a file so that at any moment its place holds the old text or all of the new one.
pub fn replace(path: &Path, text: &str) -> Result<(), OutputError> {
    let mut partial = path.as_os_str().to_owned();
    partial.push(".partial");
    let partial = Path::new(&partial);
    fs::write(partial, text).map_err(OutputError::io("write", partial))?;
    install(partial, path)
}

/// Puts a finished file into its place.
pub fn install(from: &Path, to: &Path) -> Result<(), OutputError> {
    let saved = fs::File::open(from).and_then(|file| file.sync_all());
    saved.map_err(OutputError::io("save", from))?;
    fs::rename(from, to).map_err(OutputError::io("replace", to))
}

/// Rows in order of the samples: number, variables, responses, status, cause. The table of the store
/// with the words of choices.
fn samples(job: &Job, outcome: &Outcome) -> String {
    let mut out = String::from("sample");
    for column in job.plan.variables.iter().chain(&job.plan.values) {
        out.push(',');
        push_text(&mut out, &column.heading());
    }
    out.push_str(",status,cause\n");
    for record in &outcome.records {
        out.push_str(&record.index.to_string());
        for (variable, value) in job.study().variables.iter().zip(&record.point) {
            out.push(',');
            match shown(variable, *value) {
                Shown::Number(number) => push_number(&mut out, number),
                Shown::Word(word) => push_text(&mut out, word),
            }
        }
        match &record.outcome {
            Ended::Done(values) => values.iter().for_each(|value| {
                out.push(',');
                push_number(&mut out, *value);
            }),
            _ => out.extend(job.plan.values.iter().map(|_| ',')),
        }
        out.push_str(&format!(",{},", record.outcome.status()));
        push_text(&mut out, &record.outcome.cause());
        out.push('\n');
    }
    out
}

/// The same numbers; choices of words by their number, failed samples without values.
fn parquet(job: &Job, outcome: &Outcome) -> Result<(), OutputError> {
    let folder = job.shown.join(".parquet.partial");
    fs::create_dir_all(&folder).map_err(OutputError::io("create", &folder))?;
    let mut columns = vec![Column::new("sample", "", "number of the sample")];
    for (column, variable) in job.plan.variables.iter().zip(&job.study().variables) {
        let about = variable.about.clone().unwrap_or_else(|| variable.path.clone());
        columns.push(Column::new(&column.name, &column.unit, about));
    }
    for column in &job.plan.values {
        columns.push(Column::new(&column.name, &column.unit, "response"));
    }
    let mut writer = SeriesWriter::create(&folder, &columns, &[SeriesFormat::Parquet])?;
    for record in &outcome.records {
        let mut row = vec![record.index as f64];
        let number = |(variable, value)| match shown(variable, value) {
            Shown::Number(number) => number,
            Shown::Word(_) => value,
        };
        row.extend(job.study().variables.iter().zip(record.point.iter().copied()).map(number));
        match record.outcome.values() {
            Some(values) => row.extend(values),
            None => row.extend(job.plan.values.iter().map(|_| f64::NAN)),
        }
        writer.push(&row)?;
    }
    writer.finish()?;
    let target = job.shown.join("samples.parquet");
    install(&folder.join("series.parquet"), &target)?;
    let _ = fs::remove_dir(&folder); // an empty folder does no harm
    Ok(())
}
