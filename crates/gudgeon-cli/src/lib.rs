//! The `gudgeon` command: what the user types, sees, and gets as exit code.
//!
//! `args` holds every flag, `cmd` one file per command, `terminal` the streams, `summary` and its like
//! the words. Everything else is a call of `gudgeon-engine`. The command is a call itself, [`command`],
//! and so are its texts, [`told`]: other interfaces bring the one and print the others.
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
pub mod told;
mod usage;

use std::ffi::OsString;

use clap::Parser;

use crate::args::{Args, Command};
use crate::exit::Exit;
use crate::interrupt::Interrupt;
use crate::terminal::Terminal;

/// Does what the words of a command line say, the name of the program first, and gives the exit code.
/// It listens to signals and writes to the standard streams.
pub fn command(words: &[OsString]) -> u8 {
    let arguments: Vec<String> =
        words.iter().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    // Help and usage call the program by its name, however it was started.
    let named = std::iter::once(OsString::from("gudgeon")).chain(words.iter().skip(1).cloned());
    let command = match Args::try_parse_from(named) {
        Ok(args) => args.command,
        Err(error) => return usage::report(error, &arguments).code(),
    };
    let json = command.wants_json();
    let terminal = Terminal::new(json, Interrupt::listen(json)).with_arguments(arguments);
    match fault::guarded(&terminal, || dispatch(&command, &terminal)) {
        Exit::Done if !terminal.is_complete() => Exit::Failed.code(),
        exit => exit.code(),
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
