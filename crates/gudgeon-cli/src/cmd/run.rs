//! `gudgeon run`: a run with everything beside it, written and told.

use gudgeon_engine::analysis::{AnalysisJob, FilesAnalysis};
use gudgeon_engine::bearing::{BearingJob, FilesBearing};
use gudgeon_engine::run::FilesRun;
use gudgeon_engine::{Refusal, RunJob, RunOptions, RunOutcome, Source};
use gudgeon_model::Analysis;
use gudgeon_model::diagnostic::Diagnostic;
use gudgeon_output::Repair;

use crate::args::{Only, RunArgs};
use crate::exit::Exit;
use crate::terminal::Terminal;
use crate::{analysis, bearing, summary};

/// Runs a model and gives the exit code.
pub fn run(args: &RunArgs, terminal: &Terminal) -> Exit {
    let done = prepare(args).and_then(|job| match job.loaded.analysis {
        Analysis::Motion | Analysis::Ked => motion(args, &job, terminal),
        Analysis::Bearing(_) => bearings(args, job.into(), terminal),
        Analysis::Static(_) | Analysis::Modal(_) | Analysis::Response(_) => {
            small_motions(args, job.into(), terminal)
        }
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
        started: 0.0,
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
            let run = FilesRun::prepare(job, args.out.as_deref(), terminal.arguments(), terminal)?;
            let run = run.without_report(args.no_report);
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

/// `analysis = "static"`, `"modal"` or `"response"`.
fn small_motions(args: &RunArgs, job: AnalysisJob, terminal: &Terminal) -> Result<Exit, Refusal> {
    terminal.interrupt().leave_to_work();
    refuse_options(args, &job.source, job.loaded.analysis.name())?;
    let outcome = match args.only {
        Some(Only::Summary) => {
            terminal.tell_findings(&job.loaded.warnings, &job.loaded.sources);
            job.run(terminal)
        }
        None => {
            let files = FilesAnalysis::prepare(&job, args.out.as_deref(), terminal.arguments())?;
            let files = files.without_report(args.no_report);
            tell_repairs(files.repairs(), terminal);
            terminal.tell_findings(&job.loaded.warnings, &job.loaded.sources);
            files.run(terminal)
        }
    };
    terminal.say(&analysis::text(&job, &outcome, terminal.paint()));
    terminal.tell(&analysis::failures(&outcome, terminal.error_paint()));
    terminal.answer(&outcome.answer(&job));
    Ok(outcome.status().into())
}

/// Options that only a motion has.
fn refuse_options(args: &RunArgs, source: &Source, analysis: &str) -> Result<(), Refusal> {
    for (given, flag) in [(args.ensemble.is_some(), "--ensemble"), (args.certify, "--certify")] {
        if given {
            let message = format!("`{flag}` belongs to motion, not to a {analysis} analysis");
            let help = "leave it out, or `--set run.analysis=motion`";
            let diagnostic = Diagnostic::error("G1105", message).help(help);
            return Err(Refusal::new(diagnostic).about(&source.path));
        }
    }
    Ok(())
}

/// `analysis = "bearing"`.
fn bearings(args: &RunArgs, job: BearingJob, terminal: &Terminal) -> Result<Exit, Refusal> {
    terminal.interrupt().leave_to_work();
    refuse_options(args, &job.source, "bearing")?;
    let outcome = match args.only {
        Some(Only::Summary) => {
            terminal.tell_findings(&job.loaded.warnings, &job.loaded.sources);
            job.run(terminal)?
        }
        None => {
            let files = FilesBearing::prepare(&job, args.out.as_deref(), terminal.arguments())?;
            let files = files.without_report(args.no_report);
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

/// Says what killed runs had left in the place of the results.
pub(super) fn tell_repairs(repairs: &[Repair], terminal: &Terminal) {
    for repair in repairs {
        terminal.tell(&format!("{}: {repair}\n", terminal.error_paint().warning("note")));
    }
}
