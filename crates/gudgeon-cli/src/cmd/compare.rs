//! `gudgeon compare`: one model in variants that differ by one word.

use gudgeon_engine::compare::{Axis, CompareJob, CompareOptions, FilesCompare};
use gudgeon_engine::{Refusal, Source};

use crate::args::{CompareArgs, Only};
use crate::cmd::run::tell_repairs;
use crate::compare;
use crate::exit::Exit;
use crate::terminal::Terminal;

/// Compares and gives the exit code.
pub fn compare(args: &CompareArgs, terminal: &Terminal) -> Exit {
    compared(args, terminal).unwrap_or_else(|refusal| terminal.refuse(&refusal))
}

fn compared(args: &CompareArgs, terminal: &Terminal) -> Result<Exit, Refusal> {
    let lists = [
        (Axis::Methods, &args.methods),
        (Axis::Coordinates, &args.coordinates),
        (Axis::Laws, &args.laws),
        (Axis::Films, &args.films),
    ];
    let given = lists.into_iter().find(|(_, words)| !words.is_empty());
    let (axis, words) = given.unwrap_or((Axis::Methods, &args.methods));
    let words = words.iter().map(|word| word.trim().to_owned()).collect();
    let options = CompareOptions { axis, words, converge: args.converge };
    let source = Source::find(&args.model.model)?;
    let job = CompareJob::new(source, args.overrides(), options)?;
    terminal.interrupt().leave_to_work();
    let comparison = match args.only {
        Some(Only::Summary) => job.run(terminal),
        None => {
            let files = FilesCompare::prepare(&job, args.out.as_deref(), terminal.arguments())?;
            tell_repairs(files.repairs(), terminal);
            files.run(terminal)
        }
    };
    terminal.say(&compare::text(&job, &comparison, terminal.paint()));
    terminal.tell(&compare::failures(&comparison, terminal.error_paint()));
    terminal.answer(&job.answer(&comparison));
    Ok(comparison.status().into())
}
