//! Figures that are pictures of a shipped study.

use std::fs;
use std::path::{Path, PathBuf};

use gudgeon::progress::Progress;

use gudgeon_output::record::Status;
use gudgeon_output::save;

use crate::study::{StudyJob, StudyOptions};

/// Runs a study unless its pictures are there already, and copies them.
pub fn pictures(
    study: &str,
    names: &[String],
    folder: &Path,
    files: &[PathBuf],
    progress: &dyn Progress,
) -> Result<(), String> {
    let results = folder.join("runs").join(study);
    if !names.iter().all(|name| results.join(name).is_file()) {
        run(study, &results, progress)?;
    }
    for (name, file) in names.iter().zip(files) {
        let text = fs::read_to_string(results.join(name))
            .map_err(|_| format!("the study `{study}` draws no `{name}`"))?;
        save(file, &text).map_err(|error| error.to_string())?;
    }
    Ok(())
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
