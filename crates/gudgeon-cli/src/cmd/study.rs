//! `gudgeon study`: sample, simulate, fit, search, write, and tell.

use std::fs;
use std::path::{Path, PathBuf};

use gudgeon_model::diagnostic::{Diagnostic, nearest};
use gudgeon_model::{LoadedStudy, Overrides, load_study, shipped};
use gudgeon_output::{OutputError, ResultFolder};
use gudgeon_study::store::{Disk, JOURNAL, LOCK, Store, StoreError, kept, overwrite, supersede};

use super::model;
use crate::args::StudyArgs;
use crate::exit::Exit;
use crate::refusal::Refusal;
use crate::study::{self, Job, Outcome, Space, json, summary};
use crate::terminal::Terminal;

/// Runs a study and gives the exit code.
pub fn study(args: &StudyArgs, terminal: &Terminal) -> Exit {
    let refused = |refusal: Refusal| refusal.about(&args.study).report(terminal);
    let job = match prepare(args, terminal) {
        Ok(job) => job,
        Err(refusal) => return refused(refusal),
    };
    terminal.tell_findings(&job.loaded.warnings, &job.loaded.sources);
    if args.check {
        terminal.say(&summary::plan(&job, terminal.paint()));
        terminal.answer(&json::answer(&job, &Outcome::default()));
        return Exit::Done;
    }
    let mut store = match open(&job) {
        Ok(store) => store,
        Err(refusal) => return refused(refusal),
    };
    terminal.interrupt().leave_to_work();
    let mut outcome = study::execute(&job, &mut store, terminal);
    if let Err(message) = study::tables::save(&job, &outcome) {
        outcome.error.get_or_insert(message);
    }
    // One that stays does no harm: it is removed with the next complete study.
    let _ = supersede(&Disk::real(), &job.shown);
    outcome.kept = kept(&job.shown);
    for repair in &outcome.repairs {
        terminal.tell(&format!("{}: {repair}\n", terminal.error_paint().warning("note")));
    }
    tell(&job, &outcome, terminal)
}

fn tell(job: &Job, outcome: &Outcome, terminal: &Terminal) -> Exit {
    terminal.say(&summary::text(job, outcome, terminal.paint()));
    if let Some(error) = &outcome.error {
        terminal.tell(&format!("{}: {error}\n", terminal.error_paint().error("error")));
    }
    terminal.answer(&json::answer(job, outcome));
    outcome.exit()
}

/// Everything that can be looked at before something is written.
fn prepare<'a>(args: &'a StudyArgs, terminal: &'a Terminal) -> Result<Job<'a>, Refusal> {
    let overrides = Overrides { set: args.set.clone(), ..Overrides::default() };
    let (path, loaded) = load(&args.study, &overrides)?;
    let shown = args.out.clone();
    let shown = shown.unwrap_or_else(|| ResultFolder::default_path(&short_name(&path)));
    let wrong = |message: String| Refusal::new(Diagnostic::error("G2071", message));
    let seed = args.seed.unwrap_or(loaded.study.seed);
    let space = Space::new(&loaded.study).map_err(wrong)?;
    let points = match &loaded.study.design {
        Some(design) => space.design(design, seed).map_err(wrong)?,
        None => Vec::new(),
    };
    let progress = terminal.interrupt();
    Job::new(args, progress, shown, loaded, space, points, seed).map_err(wrong)
}

/// The study meant by a path, or the shipped one of this name where there is no such path.
fn load(given: &Path, overrides: &Overrides) -> Result<(PathBuf, LoadedStudy), Refusal> {
    let shipped = given.to_str().filter(|_| !given.exists()).and_then(shipped::find_study);
    let (path, loaded) = match shipped {
        Some(study) => (PathBuf::from(study.name), study.load(overrides)),
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
    if given.exists() && !given.is_dir() {
        return Ok(given.to_owned());
    }
    let message = match given.exists() {
        true => format!("`{}` is a folder without `study.toml`", given.display()),
        false => format!("there is no file `{}`", given.display()),
    };
    let names = || shipped::studies().map(|study| study.name);
    let help = match nearest(&given.to_string_lossy(), names()) {
        Some(near) => format!("did you mean the shipped study `{near}`?"),
        None => format!(
            "check the path; shipped studies are {}; `docs/study-file.md` tells how to write one",
            names().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "),
        ),
    };
    Err(Refusal::new(Diagnostic::error("G0001", message).help(help)))
}

/// Name of the result folder: that of the file without `.study`, or of the folder of a `study.toml`.
fn short_name(path: &Path) -> String {
    let name = match path.file_stem().is_some_and(|stem| stem == "study") {
        true => model::short_name(&path.with_file_name("model.toml")),
        false => model::short_name(path),
    };
    name.strip_suffix(".study").map_or(name.clone(), str::to_owned)
}

/// Opens the result folder. One that holds another study, or something else, is left alone.
fn open(job: &Job) -> Result<Store, Refusal> {
    let folder = &job.shown;
    if job.args.overwrite && Store::exists(folder) {
        overwrite(&Disk::real(), folder).map_err(refused)?;
        return Store::create(folder, &job.plan).map_err(refused);
    }
    if !Store::exists(folder) {
        let foreign = fs::read_dir(folder).is_ok_and(|entries| {
            entries.flatten().any(|entry| !is_beginning(&entry.file_name().to_string_lossy()))
        });
        if foreign || folder.is_file() {
            return Err(OutputError::NotAResult { path: folder.clone() }.into());
        }
        return Store::create(folder, &job.plan).map_err(refused);
    }
    if !job.args.resume {
        return Err(refused(StoreError::Exists { folder: folder.clone() }));
    }
    let store = job.open(folder, &job.plan).map_err(refused)?;
    let changed = store.records().iter().any(|(index, record)| {
        job.points.get(*index).is_none_or(|point| !same(point, &record.point))
    });
    if changed {
        let message = format!(
            "`{}` holds samples of another design, of another version of the program perhaps",
            folder.display()
        );
        let help = "choose another folder with `--out`, or begin anew with `--overwrite`";
        return Err(Refusal::new(Diagnostic::error("G2072", message).help(help)));
    }
    Ok(store)
}

/// What a study leaves that was killed before its journal was there.
fn is_beginning(name: &str) -> bool {
    name == LOCK || name.strip_suffix(".partial") == Some(JOURNAL)
}

fn same(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits())
}

fn refused(error: StoreError) -> Refusal {
    let help = match &error {
        StoreError::Exists { .. } => {
            "`--resume` goes on with it, `--overwrite` begins anew, `--out` names another folder"
        }
        StoreError::OtherStudy { .. } => {
            "choose another folder with `--out`, or begin anew in this one with `--overwrite`"
        }
        StoreError::NotAJournal { samples: 1.., .. } => {
            "`--resume --salvage` takes them for samples of this study, `--overwrite` begins anew"
        }
        StoreError::InUse { .. } => "wait for the other process, or name another folder by `--out`",
        _ => "choose another folder with `--out`",
    };
    Refusal::new(Diagnostic::error("G2072", error.to_string()).help(help))
}
