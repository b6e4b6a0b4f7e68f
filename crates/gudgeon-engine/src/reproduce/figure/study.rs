//! Figures that are pictures of a shipped study.

use std::fs;
use std::path::{Path, PathBuf};

use gudgeon::progress::Progress;
use gudgeon_model::Overrides;
use gudgeon_output::record::Status;
use gudgeon_output::save;
use gudgeon_study::file::LoadedStudy;
use gudgeon_study::shipped::{self, find_study};
use gudgeon_study::store::Fingerprint;

use crate::study::{StudyJob, StudyOptions};

/// Runs a study unless its pictures are there already, and copies them.
pub fn pictures(
    study: &str,
    names: &[String],
    folder: &Path,
    files: &[PathBuf],
    progress: &dyn Progress,
) -> Result<(), String> {
    let known = find_study(study).ok_or(format!("there is no shipped study `{study}`"))?;
    let loaded = shipped::load(&known, &Overrides::default()).map_err(|error| error.to_string())?;
    // A study, or a model of it, that has changed since is run anew.
    let samples = format!("{:016x}", loaded.sample_fingerprint());
    let mark = Fingerprint::new().text(env!("CARGO_PKG_VERSION")).text(known.text).text(&samples);
    let results = folder.join("runs").join(format!("{study}-{:016x}", mark.value()));
    if !names.iter().all(|name| results.join(name).is_file()) {
        run(loaded, &results, progress)?;
    }
    for (name, file) in names.iter().zip(files) {
        let text = fs::read_to_string(results.join(name))
            .map_err(|_| format!("the study `{study}` draws no `{name}`"))?;
        save(file, &text).map_err(|error| error.to_string())?;
    }
    Ok(())
}

fn run(loaded: LoadedStudy, results: &Path, progress: &dyn Progress) -> Result<(), String> {
    let options =
        StudyOptions { resume: results.join("study.journal").is_file(), ..StudyOptions::default() };
    let job = StudyJob::of(options, progress, results.to_owned(), loaded)
        .map_err(|refusal| refusal.to_string())?;
    let mut store = job.open_folder().map_err(|refusal| refusal.to_string())?;
    let outcome = job.run_in(&mut store);
    match outcome.status() {
        Status::Ok => Ok(()),
        _ => Err(outcome.error.map_or("the study did not finish".to_owned(), |e| e.to_string())),
    }
}
