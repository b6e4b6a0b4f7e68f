//! The files of a study beside its journal: tables, surrogates, the record.

use std::fs;
use std::path::Path;

use gudgeon_output::csv::{push_number, push_text};
use gudgeon_output::record::to_value;
use gudgeon_output::{Column, OutputError, SeriesFormat, SeriesWriter, run_json};
use gudgeon_study::store::{Disk, SampleOutcome as Ended, TABLE, install, is_complete, replace};

use super::{Shown, StudyJob, StudyOutcome, shown};

/// What keeps a file from being written, of the results or of the study.
pub type SaveError = Box<dyn std::error::Error>;

/// What to do where a file of the results cannot be written.
pub const ADVICE: &str = "everything simulated is safe: make room on the disk and resume";

/// Writes everything; each file is whole or absent.
pub fn save(job: &StudyJob, outcome: &StudyOutcome) -> Result<(), String> {
    write_all(job, outcome).map_err(|error| format!("{error}; {ADVICE}"))
}

fn write_all(job: &StudyJob, outcome: &StudyOutcome) -> Result<(), SaveError> {
    let folder = &job.shown;
    let complete = is_complete(&Disk::real(), folder).unwrap_or(false);
    if complete && outcome.interrupted {
        return Ok(()); // a complete study that was resumed is more than what there would be
    }
    if job.sampled(outcome) {
        replace(&folder.join(TABLE), samples(job, outcome).as_bytes())?;
        parquet(job, outcome)?;
    }
    surrogates(job, outcome)?;
    pictures(folder, outcome)?;
    let record = run_json::to_text(&to_value(&outcome.file_record(job)));
    Ok(replace(&folder.join("study.json"), record.as_bytes())?)
}

/// Writes the pictures; those that the last record lists and this study has no more are removed.
fn pictures(folder: &Path, outcome: &StudyOutcome) -> Result<(), SaveError> {
    let record = fs::read_to_string(folder.join("study.json")).unwrap_or_default();
    let record: serde_json::Value = serde_json::from_str(&record).unwrap_or_default();
    for old in record["plots"].as_array().into_iter().flatten().filter_map(|name| name.as_str()) {
        let ours = old.starts_with("plots/") && !old.contains("..");
        let gone = !outcome.plots.iter().any(|(name, _)| name == old);
        if ours && gone && !outcome.interrupted {
            let _ = fs::remove_file(folder.join(old)); // one that stays does no harm
        }
    }
    if !outcome.plots.is_empty() {
        let plots = folder.join("plots");
        fs::create_dir_all(&plots).map_err(OutputError::io("create", &plots))?;
    }
    for (name, svg) in &outcome.plots {
        replace(&folder.join(name), svg.as_bytes())?;
    }
    Ok(())
}

/// The models, each as a file. One of an earlier study that this one has not is removed.
fn surrogates(job: &StudyJob, outcome: &StudyOutcome) -> Result<(), SaveError> {
    let folder = job.shown.join("surrogates");
    let known = |response: usize| outcome.fitted.iter().find(|f| f.response == response);
    for (i, response) in job.study().responses.iter().enumerate() {
        let path = folder.join(format!("{}.json", response.name));
        match known(i).map(|fitted| &fitted.model) {
            Some(Ok(model)) => {
                fs::create_dir_all(&folder).map_err(OutputError::io("create", &folder))?;
                replace(&path, format!("{}\n", model.kriging.to_json()).as_bytes())?;
            }
            // not fitted yet
            _ if outcome.records.len() < job.points.len() || outcome.interrupted => {}
            _ if path.exists() => {
                fs::remove_file(&path).map_err(OutputError::io("remove", &path))?
            }
            _ => {}
        }
    }
    let _ = fs::remove_dir(&folder); // only if it is empty
    Ok(())
}

/// Rows in order of the samples: number, variables, responses, status, cause, notes. The table of the store
/// with the words of choices.
fn samples(job: &StudyJob, outcome: &StudyOutcome) -> String {
    let mut out = String::from("sample");
    for column in job.plan.variables.iter().chain(&job.plan.values) {
        out.push(',');
        push_text(&mut out, &column.heading());
    }
    out.push_str(",status,cause,notes\n");
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
                if !value.is_nan() {
                    push_number(&mut out, *value);
                }
            }),
            _ => out.extend(job.plan.values.iter().map(|_| ',')),
        }
        out.push_str(&format!(",{},", record.outcome.status()));
        push_text(&mut out, &record.outcome.cause());
        out.push(',');
        push_text(&mut out, &record.notes.join("; "));
        out.push('\n');
    }
    out
}

/// The same numbers; choices of words by their number, failed samples without values.
fn parquet(job: &StudyJob, outcome: &StudyOutcome) -> Result<(), SaveError> {
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
