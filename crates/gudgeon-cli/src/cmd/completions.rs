//! `gudgeon completions`: a script that completes commands and flags.

use clap::CommandFactory;
use clap_complete::Shell;

use crate::args::{Args, CompletionArgs};
use crate::exit::Exit;
use crate::known;
use crate::terminal::Terminal;

pub fn completions(args: &CompletionArgs, terminal: &Terminal) -> Exit {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "gudgeon", &mut script);
    let script = String::from_utf8_lossy(&script);
    terminal.hand_over(&match args.shell {
        Shell::Zsh => with_files(&script),
        Shell::Fish => with_names(&script),
        _ => script.into_owned(),
    });
    Exit::Done
}

/// Where zsh would complete shipped names only, it completes files too.
fn with_files(script: &str) -> String {
    let mut script = script.to_owned();
    for names in [known::models(), known::studies()] {
        let words = format!("({})", names.join(" "));
        let both = format!(r#"{{_alternative "names:shipped:{words}" "files:file:_files"}}"#);
        script = script.replace(&format!(":{words}'"), &format!(":{both}'"));
    }
    script
}

/// Fish completes files where nothing else is said; shipped names come beside them.
fn with_names(script: &str) -> String {
    let line = |command: &str, names: Vec<&str>| {
        let names = names.join(" ");
        format!(
            "complete -c gudgeon -n \"__fish_gudgeon_using_subcommand {command}\" -a \"{names}\"\n"
        )
    };
    let commands = [("run", known::models()), ("check", known::models())];
    let more = commands.into_iter().chain([("study", known::studies())]);
    more.fold(script.to_owned(), |script, (command, names)| script + &line(command, names))
}
