//! `gudgeon run`: a run with everything beside it, written and told.

use gudgeon_engine::bearing::{BearingJob, FilesBearing};
use gudgeon_engine::run::FilesRun;
use gudgeon_engine::{Refusal, RunJob, RunOptions, RunOutcome, Source};
use gudgeon_model::diagnostic::Diagnostic;
use gudgeon_output::Repair;

use crate::args::{Only, RunArgs};
use crate::exit::Exit;
use crate::terminal::Terminal;
use crate::{bearing, summary};

/// Runs a model and gives the exit code.
pub fn run(args: &RunArgs, terminal: &Terminal) -> Exit {
    let done = prepare(args).and_then(|job| match job.is_motion() {
        true => motion(args, &job, terminal),
        false => analysis(args, job.into(), terminal),
    });
    done.unwrap_or_else(|refusal| terminal.refuse(&refusal))
}

fn prepare(args: &RunArgs) -> Result<RunJob, Refusal> {
    let options = RunOptions {
        baseline: !args.no_baseline,
        certify: args.certify,
        ensemble: args.ensemble.map(|runs| runs as usize),
        seed: args.seed,
        jobs: args.jobs,
        series: false,
    };
    RunJob::new(Source::find(&args.model.model)?, args.overrides(), options)
}

fn motion(args: &RunArgs, job: &RunJob, terminal: &Terminal) -> Result<Exit, Refusal> {
    terminal.interrupt().leave_to_work();
    let outcome = match args.only {
        Some(Only::Summary) => {
            terminal.tell_findings(&job.loaded.warnings, &job.loaded.sources);
            job.run(terminal)
        }
        None => {
            let run = FilesRun::prepare(job, args.out.as_deref(), arguments(), terminal)?;
            tell_repairs(run.repairs(), terminal);
            terminal.tell_findings(&job.loaded.warnings, &job.loaded.sources);
            run.run()
        }
    };
    Ok(tell(job, &outcome, terminal))
}

fn tell(job: &RunJob, outcome: &RunOutcome, terminal: &Terminal) -> Exit {
    terminal.say(&summary::text(job, outcome, terminal.paint()));
    terminal.tell(&summary::failure(outcome, terminal.error_paint()));
    terminal.answer(&outcome.answer(job));
    outcome.status().into()
}

/// `analysis = "bearing"`.
fn analysis(args: &RunArgs, job: BearingJob, terminal: &Terminal) -> Result<Exit, Refusal> {
    terminal.interrupt().leave_to_work();
    for (given, flag) in [(args.ensemble.is_some(), "--ensemble"), (args.certify, "--certify")] {
        if given {
            let message = format!("`{flag}` belongs to motion, not to a bearing analysis");
            let help = "leave it out, or `--set run.analysis=motion`";
            let diagnostic = Diagnostic::error("G1105", message).help(help);
            return Err(Refusal::new(diagnostic).about(&job.source.path));
        }
    }
    let outcome = match args.only {
        Some(Only::Summary) => {
            terminal.tell_findings(&job.loaded.warnings, &job.loaded.sources);
            job.run(terminal)?
        }
        None => {
            let files = FilesBearing::prepare(&job, args.out.as_deref(), arguments())?;
            tell_repairs(files.repairs(), terminal);
            terminal.tell_findings(&job.loaded.warnings, &job.loaded.sources);
            files.run(terminal)?
        }
    };
    terminal.say(&bearing::text(&job, &outcome, terminal.paint()));
    terminal.tell(&bearing::failures(&job, &outcome, terminal.error_paint()));
    terminal.answer(&outcome.answer(&job));
    Ok(outcome.status().into())
}

/// What the user typed.
fn arguments() -> Vec<String> {
    std::env::args_os().skip(1).map(|a| a.to_string_lossy().into_owned()).collect()
}

/// Says what killed runs had left in the place of the results.
fn tell_repairs(repairs: &[Repair], terminal: &Terminal) {
    for repair in repairs {
        terminal.tell(&format!("{}: {repair}\n", terminal.error_paint().warning("note")));
    }
}
