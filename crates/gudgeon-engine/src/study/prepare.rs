//! Everything that can be looked at before a study writes, and its folder.

use std::fs;
use std::path::{Path, PathBuf};

use gudgeon::progress::Progress;
use gudgeon_model::Overrides;
use gudgeon_model::diagnostic::{Diagnostic, nearest};
use gudgeon_output::{OutputError, ResultFolder};
use gudgeon_study::file::{LoadedStudy, load_study};
use gudgeon_study::shipped;
use gudgeon_study::store::{Disk, LOCK, Store, StoreError, kept, overwrite, supersede};

use super::{StudyJob, StudyOutcome, execute, tables};
use crate::refusal::Refusal;
use crate::run::Kept;
use crate::source;

/// What a study does with its folder, and how.
#[derive(Clone, Debug)]
pub struct StudyOptions {
    /// Changes of the model of every sample: paths and values.
    pub set: Vec<(String, String)>,
    /// In place of the seed of the file.
    pub seed: Option<u64>,
    /// Threads; 0 for all cores. The results do not depend on it.
    pub jobs: usize,
    /// `results/NAME` where none is given.
    pub out: Option<PathBuf>,
    /// Go on with what the folder holds.
    pub resume: bool,
    /// Begin anew in a folder that holds a study.
    pub overwrite: bool,
    /// Take the samples behind a damaged head of the journal.
    pub salvage: bool,
    /// Draw pictures.
    pub plots: bool,
}

impl Default for StudyOptions {
    fn default() -> Self {
        StudyOptions {
            set: Vec::new(),
            seed: None,
            jobs: 0,
            out: None,
            resume: false,
            overwrite: false,
            salvage: false,
            plots: true,
        }
    }
}

impl<'a> StudyJob<'a> {
    /// Reads the study meant by a path, or the shipped one of this name where there is no such path.
    pub fn prepare(
        given: &Path,
        options: StudyOptions,
        progress: &'a dyn Progress,
    ) -> Result<StudyJob<'a>, Refusal> {
        let overrides = Overrides { set: options.set.clone(), ..Overrides::default() };
        let (path, loaded) = load(given, &overrides)?;
        let shown = options.out.clone();
        let shown = shown.unwrap_or_else(|| ResultFolder::default_path(&short_name(&path)));
        StudyJob::of(options, progress, shown, loaded)
    }

    /// A study that was read, into the folder `shown`.
    pub fn of(
        options: StudyOptions,
        progress: &'a dyn Progress,
        shown: PathBuf,
        loaded: LoadedStudy,
    ) -> Result<StudyJob<'a>, Refusal> {
        let wrong = |message: String| Refusal::new(Diagnostic::error("G2071", message));
        let seed = options.seed.unwrap_or(loaded.study.seed);
        let points = loaded.study.points(seed).map_err(|error| wrong(error.to_string()))?;
        StudyJob::new(options, progress, shown, loaded, points, seed).map_err(wrong)
    }

    /// Samples, fits, searches, draws and writes everything; refuses before it writes.
    pub fn run(&self) -> Result<StudyOutcome, Refusal> {
        let mut store = open(self)?;
        Ok(self.run_in(&mut store))
    }

    /// The same in a folder that [`StudyJob::open_folder`] has opened.
    pub fn run_in(&self, store: &mut Store) -> StudyOutcome {
        let mut outcome = execute(self, store);
        if let Err(message) = tables::save(self, &outcome) {
            outcome.error.get_or_insert(message);
        }
        // One that stays does no harm: it is removed with the next complete study.
        let _ = supersede(&Disk::real(), &self.shown);
        outcome.kept = kept(&self.shown);
        outcome
    }

    /// Opens the result folder. One that holds another study, or something else, is left alone.
    pub fn open_folder(&self) -> Result<Store, Refusal> {
        open(self)
    }
}

/// The study meant by a path, or the shipped one of this name where there is no such path.
fn load(given: &Path, overrides: &Overrides) -> Result<(PathBuf, LoadedStudy), Refusal> {
    let shipped = given.to_str().filter(|_| !given.exists()).and_then(shipped::find_study);
    let (path, loaded) = match shipped {
        Some(study) => (PathBuf::from(study.name), shipped::load(&study, overrides)),
        None => {
            let path = file(given)?;
            let loaded = load_study(&path, overrides);
            (path, loaded)
        }
    };
    Ok((path, loaded.map_err(|failure| Refusal::from(*failure))?))
}

/// The study file meant by a path: the file itself, or `study.toml` in a folder.
fn file(given: &Path) -> Result<PathBuf, Refusal> {
    let inside = given.join("study.toml");
    if given.is_dir() && inside.is_file() {
        return Ok(inside);
    }
    if given.symlink_metadata().is_ok() && !given.is_dir() {
        return Ok(given.to_owned());
    }
    let message = match given.exists() {
        true => format!("`{}` is a folder without `study.toml`", given.display()),
        false => format!("there is no file `{}`", given.display()),
    };
    let names = || shipped::studies().map(|study| study.name);
    let model = given.to_str().filter(|_| !given.exists()).and_then(gudgeon_model::shipped::find);
    let help = match (model, nearest(&given.to_string_lossy(), names())) {
        (Some(model), _) => format!(
            "this is a shipped model: `gudgeon run {0}`, or `model = \"{0}\"` in `[study]` of a study file",
            model.name
        ),
        (None, Some(near)) => format!("did you mean the shipped study `{near}`?"),
        (None, None) => format!(
            "check the path; shipped studies are {}; `docs/study-file.md` tells how to write one",
            names().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "),
        ),
    };
    Err(Refusal::new(Diagnostic::error("G0001", message).help(help)))
}

/// Name of the result folder: that of the file without `.study`, or of the folder of a `study.toml`.
fn short_name(path: &Path) -> String {
    let name = match path.file_stem().is_some_and(|stem| stem == "study") {
        true => source::short_name(&path.with_file_name("model.toml")),
        false => source::short_name(path),
    };
    name.strip_suffix(".study").map_or(name.clone(), str::to_owned)
}

fn open(job: &StudyJob) -> Result<Store, Refusal> {
    let folder = &job.shown;
    if job.options.overwrite && Store::exists(folder) {
        let cleared = overwrite(&Disk::real(), folder);
        let begun = cleared.and_then(|()| Store::create(folder, &job.plan));
        return begun.map_err(|error| not_begun(job, error));
    }
    if !Store::exists(folder) {
        if folder.is_file() || !may_begin(folder) {
            return Err(OutputError::NotAResult { path: folder.clone() }.into());
        }
        return Store::create(folder, &job.plan).map_err(refused);
    }
    if !job.options.resume {
        return Err(refused(StoreError::Exists { folder: folder.clone() }));
    }
    job.open_samples().map_err(refused)
}

/// Whether a folder without a journal is empty, or that of a study which was killed before its
/// journal was there: then its lock is, beside files of the user perhaps.
fn may_begin(folder: &Path) -> bool {
    let Ok(mut entries) = fs::read_dir(folder) else { return true };
    folder.join(LOCK).is_file() || entries.next().is_none()
}

fn refused(error: StoreError) -> Refusal {
    let help = match &error {
        StoreError::Exists { .. } => {
            "`--resume` goes on with it, `--overwrite` begins anew, `--out` names another folder"
        }
        StoreError::OtherStudy { .. } | StoreError::NotAJournal { samples: 0, others: 1.., .. } => {
            "choose another folder with `--out`, or begin anew in this one with `--overwrite`"
        }
        StoreError::OtherDesign { .. } => {
            "choose another folder with `--out`, or begin anew with `--overwrite`"
        }
        StoreError::NotAJournal { samples: 1.., .. } => {
            "`--resume --salvage` takes them for samples of this study, `--overwrite` begins anew"
        }
        StoreError::InUse { .. } => "wait for the other process, or name another folder by `--out`",
        StoreError::Current { .. } => "go to another folder first, or choose one with `--out`",
        _ => "choose another folder with `--out`",
    };
    Refusal::new(Diagnostic::error("G2072", error.to_string()).help(help))
}

/// What keeps a study from being begun anew, and where the old one is, should it have moved.
fn not_begun(job: &StudyJob, error: StoreError) -> Refusal {
    match kept(&job.shown).filter(|_| !Store::exists(&job.shown)) {
        Some(kept) => {
            let kept = Kept::beside(&job.shown, &kept);
            let help = format!("the complete study waits in `{kept}`; the next start goes on here");
            Refusal::new(Diagnostic::error("G2072", error.to_string()).help(help))
        }
        None => refused(error),
    }
}
