//! `gudgeon completions`: a script that completes commands and flags.

use clap::CommandFactory;

use crate::args::{Args, CompletionArgs};
use crate::exit::Exit;
use crate::terminal::Terminal;

pub fn completions(args: &CompletionArgs, terminal: &Terminal) -> Exit {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "gudgeon", &mut script);
    terminal.say(&String::from_utf8_lossy(&script));
    Exit::Done
}
