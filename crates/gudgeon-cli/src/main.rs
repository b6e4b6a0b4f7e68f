//! The `gudgeon` command: what the user types, sees, and gets as exit code.
//!
//! `args` holds every flag, `cmd` one file per command, `terminal` the streams, `summary` and its like
//! the words. Everything else is a call of `gudgeon-engine`.
#![forbid(unsafe_code)]

mod analysis;
mod args;
mod bearing;
mod cmd;
mod compare;
mod exit;
mod explained;
mod fault;
mod interrupt;
mod known;
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
        Command::Compare(args) => cmd::compare::compare(args, terminal),
        Command::Check(args) => cmd::check::check(args, terminal),
        Command::New(args) => cmd::new::new(args, terminal),
        Command::Reproduce(args) => cmd::reproduce::reproduce(args, terminal),
        Command::Study(args) => cmd::study::study(args, terminal),
        Command::Plot(args) => cmd::plot::plot(args, terminal),
        Command::Report(args) => cmd::report::report(args, terminal),
        Command::Schema(args) => cmd::schema::schema(args, terminal),
        Command::Completions(args) => cmd::completions::completions(args, terminal),
    }
}
