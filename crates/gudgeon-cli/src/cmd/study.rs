//! `gudgeon study`: a design study, written and told.

use gudgeon_engine::study::{StudyJob, StudyOptions, StudyOutcome};

use crate::args::StudyArgs;
use crate::exit::Exit;
use crate::study;
use crate::terminal::Terminal;

/// Runs a study and gives the exit code.
pub fn study(args: &StudyArgs, terminal: &Terminal) -> Exit {
    let options = StudyOptions {
        set: args.set.clone(),
        seed: args.seed,
        jobs: args.jobs,
        out: args.out.clone(),
        resume: args.resume,
        overwrite: args.overwrite,
        salvage: args.salvage,
        plots: !args.no_plots,
    };
    let job = match StudyJob::prepare(&args.study, options, terminal) {
        Ok(job) => job,
        Err(refusal) => return terminal.refuse(&refusal.about(&args.study)),
    };
    terminal.tell_findings(&job.loaded.warnings, &job.loaded.sources);
    if args.check {
        terminal.say(&study::plan(&job, terminal.paint()));
        terminal.answer(&StudyOutcome::default().answer(&job));
        return Exit::Done;
    }
    let mut store = match job.open_folder() {
        Ok(store) => store,
        Err(refusal) => return terminal.refuse(&refusal.about(&args.study)),
    };
    terminal.interrupt().leave_to_work();
    let outcome = job.run_in(&mut store);
    for repair in &outcome.repairs {
        terminal.tell(&format!("{}: {repair}\n", terminal.error_paint().warning("note")));
    }
    terminal.say(&study::text(&job, &outcome, terminal.paint()));
    if let Some(error) = &outcome.error {
        terminal.tell(&format!("{}: {error}\n", terminal.error_paint().error("error")));
    }
    terminal.answer(&outcome.answer(&job));
    outcome.status().into()
}
