//! `gudgeon run`: read, assemble, integrate, compare with ideal joints, write, and tell.

use std::path::PathBuf;

use gudgeon::assembly::Assembly;
use gudgeon_model::{Analysis, Loaded};
use gudgeon_output::{OutputError, ResultFolder};

use super::model;
use crate::args::RunArgs;
use crate::cost::timed;
use crate::drawing::Range;
use crate::execute::{Outcome, execute};
use crate::exit::Exit;
use crate::record::{Recorder, columns};
use crate::refusal::Refusal;
use crate::terminal::Terminal;
use crate::{bearing, json, plots, summary};

/// A run that can start: everything that can be wrong has been looked at.
pub struct Job<'a> {
    pub args: &'a RunArgs,
    /// The model file.
    pub path: PathBuf,
    /// The result folder as the user knows it.
    pub shown: PathBuf,
    pub loaded: Loaded,
    pub assembly: Assembly,
    /// The part of the run that its pictures show.
    pub range: Range,
}

/// Runs a model and gives the exit code.
pub fn run(args: &RunArgs, terminal: &Terminal) -> Exit {
    let (path, loaded, assembly) = match read(args) {
        Ok(read) => read,
        Err(refusal) => return refusal.report(terminal),
    };
    if loaded.analysis != Analysis::Motion {
        return bearing::run(args, &path, &loaded, terminal);
    }
    terminal.interrupt().leave_to_work();
    let (job, folder, recorder) = match prepare(args, path, loaded, assembly, terminal) {
        Ok(prepared) => prepared,
        Err(refusal) => return refusal.report(terminal),
    };
    terminal.tell_findings(&job.loaded.warnings, &job.loaded.sources);
    let mut outcome = execute(&job, recorder, terminal);
    // It tells where what there is has gone, so it counts more than what stopped the run.
    if let Err(error) = save(&job, folder, &mut outcome) {
        outcome.error = Some(error);
    }
    terminal.say(&summary::text(&job, &outcome, terminal.paint()));
    terminal.tell(&summary::failure(&outcome, terminal.error_paint()));
    terminal.answer(&json::answer(&job, &outcome));
    outcome.exit()
}

/// The mechanism and what is asked of it.
fn read(args: &RunArgs) -> Result<(PathBuf, Loaded, Assembly), Refusal> {
    let path = model::file(&args.model.model)?;
    let (loaded, assembly) = model::assembled(&path, &args.overrides())?;
    Ok((path, loaded, assembly))
}

/// Everything before the first step.
fn prepare<'a>(
    args: &'a RunArgs,
    path: PathBuf,
    loaded: Loaded,
    assembly: Assembly,
    terminal: &Terminal,
) -> Result<(Job<'a>, ResultFolder, Recorder), Refusal> {
    let default = || ResultFolder::default_path(&model::short_name(&path));
    let shown = args.out.clone().unwrap_or_else(default);
    let mut folder = ResultFolder::prepare(&shown)?;
    tell_repairs(&folder, terminal);
    let watch = terminal.watch("run");
    let range = Range::new(loaded.plot_range, &loaded.run);
    let job = Job { args, path, shown, loaded, assembly, range };
    folder.begin(&json::head(&job), &columns(&job.loaded.run))?;
    let (model, spec) = (&job.loaded.model, &job.loaded.run);
    let recorder = Recorder::create(folder.path(), model, spec, range, watch)?;
    Ok((job, folder, recorder))
}

/// Says what killed runs had left in the place of the results.
pub fn tell_repairs(folder: &ResultFolder, terminal: &Terminal) {
    for repair in folder.repairs() {
        terminal.tell(&format!("{}: {repair}\n", terminal.error_paint().warning("note")));
    }
}

/// Draws the plots, writes the record, and puts the folder in its place.
fn save(job: &Job, folder: ResultFolder, outcome: &mut Outcome) -> Result<(), OutputError> {
    let (drawn, seconds) = timed(|| plots::write(&folder, job, outcome));
    outcome.cost.writing += seconds;
    if let Err(error) = drawn {
        outcome.error.get_or_insert(error);
    }
    outcome.kept.killed = folder.repairs().iter().find_map(|r| r.killed().cloned());
    let (committed, seconds) = timed(|| folder.commit(&json::record(job, outcome)));
    outcome.cost.writing += seconds;
    outcome.kept.complete = committed?.complete;
    outcome.saved = true;
    Ok(())
}
