//! The `gudgeon` command: what the user types, sees, and gets as exit code.
//!
//! `args` holds every flag, `cmd` one file per command, `terminal` the streams. A run is prepared in
//! `cmd::run`, streamed to disk by `record`, and told three times from the same facts: as text by
//! `summary`, as one JSON object and as `run.json` by `json`.
#![forbid(unsafe_code)]

mod args;
mod bearing;
mod cmd;
mod cost;
mod drawing;
mod execute;
mod exit;
mod fault;
mod fields;
mod generate;
mod interrupt;
mod json;
mod known;
mod plots;
mod reactions;
mod record;
mod refusal;
mod reproduce;
mod study;
mod summary;
mod table;
mod terminal;
mod usage;

use std::process::ExitCode;

use clap::Parser;

use crate::args::{Args, Command};
use crate::exit::Exit;
use crate::interrupt::Interrupt;
use crate::terminal::Terminal;

fn main() -> ExitCode {
    let command = match Args::try_parse() {
        Ok(args) => args.command,
        Err(error) => return usage::report(error).into(),
    };
    let json = command.wants_json();
    let terminal = Terminal::new(json, Interrupt::listen(json));
    match fault::guarded(&terminal, || dispatch(&command, &terminal)) {
        Exit::Done if !terminal.is_complete() => Exit::Failed.into(),
        exit => exit.into(),
    }
}

fn dispatch(command: &Command, terminal: &Terminal) -> Exit {
    match command {
        Command::Run(args) => cmd::run::run(args, terminal),
        Command::Check(args) => cmd::check::check(args, terminal),
        Command::New(args) => cmd::new::new(args, terminal),
        Command::Reproduce(args) => cmd::reproduce::reproduce(args, terminal),
        Command::Study(args) => cmd::study::study(args, terminal),
        Command::Schema(args) => cmd::schema::schema(args, terminal),
        Command::Completions(args) => cmd::completions::completions(args, terminal),
    }
}
