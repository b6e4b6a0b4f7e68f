//! `gudgeon check`: read and assemble, and say what there is.

mod text;

use gudgeon_engine::Source;
use gudgeon_engine::check::Checked;

use crate::args::CheckArgs;
use crate::exit::Exit;
use crate::terminal::Terminal;

/// Checks a model and gives the exit code.
pub fn check(args: &CheckArgs, terminal: &Terminal) -> Exit {
    let source = Source::find(&args.model.model);
    let checked = source.and_then(|source| Checked::new(&source, &args.model.overrides()));
    let checked = match checked {
        Ok(checked) => checked,
        Err(refusal) => return terminal.refuse(&refusal),
    };
    terminal.tell_findings(&checked.loaded.warnings, &checked.loaded.sources);
    terminal.say(&text::text(args, &checked, terminal.paint()));
    terminal.answer(&checked.record(args.outputs));
    Exit::Done
}
