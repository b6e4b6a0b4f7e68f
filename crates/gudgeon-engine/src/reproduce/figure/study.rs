//! Figures that are pictures of a shipped study.

use std::fs;
use std::path::{Path, PathBuf};

use gudgeon::progress::Progress;

use gudgeon_output::record::Status;
use gudgeon_output::save;

use crate::study::{StudyJob, StudyOptions};

/// Runs a study unless its picture is there already, and copies that picture.
pub fn picture(
    study: &str,
    name: &str,
    folder: &Path,
    file: &Path,
    progress: &dyn Progress,
) -> Result<PathBuf, String> {
    let results = folder.join("runs").join(study);
    let drawn = results.join(name);
    if !drawn.is_file() {
        run(study, &results, progress)?;
    }
    let text = fs::read_to_string(&drawn)
        .map_err(|_| format!("the study `{study}` draws no `{name}`"))?;
    save(file, &text).map_err(|error| error.to_string())?;
    Ok(file.to_owned())
}

fn run(study: &str, results: &Path, progress: &dyn Progress) -> Result<(), String> {
    let options = StudyOptions {
        out: Some(results.to_owned()),
        resume: results.join("study.journal").is_file(),
        plots: true,
        ..StudyOptions::default()
    };
    let job = StudyJob::prepare(Path::new(study), options, progress)
        .map_err(|refusal| refusal.to_string())?;
    let mut store = job.open_folder().map_err(|refusal| refusal.to_string())?;
    let outcome = job.run_in(&mut store);
    match outcome.status() {
        Status::Ok => Ok(()),
        _ => Err(outcome.error.map_or("the study did not finish".to_owned(), |e| e.to_string())),
    }
}
