//! What is found before the first step: said in full, with a way out, and nothing written.

use std::io::Write;
use std::path::Path;

use clap::error::ErrorKind;
use gudgeon::assembly::AssemblyError;
use gudgeon::system::CompileError;
use gudgeon_model::Failure;
use gudgeon_model::diagnostic::{Diagnostic, Diagnostics};
use gudgeon_model::source::Sources;
use gudgeon_output::OutputError;
use serde_json::{Value, json};

use crate::exit::Exit;
use crate::terminal::Terminal;

/// Why a command does not start.
#[derive(Debug, Default)]
pub struct Refusal {
    sources: Sources,
    diagnostics: Diagnostics,
    /// The file that findings without a place are about.
    file: Option<String>,
}

impl Refusal {
    pub fn new(diagnostic: Diagnostic) -> Refusal {
        let mut refusal = Refusal::default();
        refusal.diagnostics.push(diagnostic);
        refusal
    }

    pub fn about(mut self, file: &Path) -> Refusal {
        self.file = Some(file.display().to_string());
        self
    }

    /// Says everything and gives the exit code.
    pub fn report(&self, terminal: &Terminal) -> Exit {
        let colour = terminal.error_paint().on;
        terminal.tell(&self.diagnostics.render(&self.sources, colour));
        let errors = findings(&self.sources, &self.diagnostics, self.file.as_deref());
        terminal.answer(&json!({ "status": Exit::Refused.status(), "errors": errors }));
        Exit::Refused
    }
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Refusal {
        Refusal { sources: failure.sources, diagnostics: failure.diagnostics, file: None }
    }
}

impl From<AssemblyError> for Refusal {
    fn from(error: AssemblyError) -> Refusal {
        let (code, help) = match &error {
            AssemblyError::CannotClose { .. } => (
                "G1201",
                "check lengths and frames of the bodies in that loop; `[start]` picks the branch",
            ),
            AssemblyError::Contradiction { .. } => {
                ("G1202", "let drivers and `[start]` prescribe each motion once")
            }
            AssemblyError::IdleDriver { .. } => {
                ("G1207", "remove this driver or the one that moves the same chain")
            }
            AssemblyError::Massless { .. } => {
                ("G1203", "give the body this value, or a joint that forbids the motion")
            }
            AssemblyError::Tilted { .. } => (
                "G1208",
                "turn the frames so that the axes are nearer to parallel, shorten the journal or widen its clearance",
            ),
            AssemblyError::NoAcceleration => {
                ("G1204", "start a little away from this position, or give every body its mass")
            }
            AssemblyError::Compile(CompileError::SameBody(_), _) => {
                ("G1205", "`between` takes frames of two different bodies")
            }
            AssemblyError::Compile(CompileError::NothingToDrive(_), _) => (
                "G1206",
                "drive a coordinate that the joint leaves free: `gudgeon check --outputs` lists them",
            ),
        };
        Refusal::new(Diagnostic::error(code, error.to_string()).help(help))
    }
}

impl From<OutputError> for Refusal {
    fn from(error: OutputError) -> Refusal {
        let diagnostic = Diagnostic::error("G1101", error.to_string());
        Refusal::new(match error.help() {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        })
    }
}

/// Findings with file, line and column, as scripts read them.
pub fn findings(sources: &Sources, diagnostics: &Diagnostics, file: Option<&str>) -> Vec<Value> {
    let one = |diagnostic: &Diagnostic| {
        let place = diagnostic.span.map(|span| {
            let (line, column) = sources.line_column(span.file, span.start);
            (sources.name(span.file), line, column)
        });
        json!({
            "code": diagnostic.code,
            "file": place.map(|place| place.0).or(file),
            "line": place.map(|place| place.1),
            "column": place.map(|place| place.2),
            "message": diagnostic.message,
            "help": diagnostic.help,
        })
    };
    diagnostics.sorted().into_iter().map(one).collect()
}

/// Help and version where asked for, else a wrong use of the command line.
pub fn usage(error: &clap::Error) -> Exit {
    let asked = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
    let _ = error.print(); // a closed stream is no reason to fail twice
    if asked {
        return Exit::Done;
    }
    if std::env::args_os().any(|argument| argument == "--json") {
        let text = error.render().to_string();
        let message = text.trim_start_matches("error: ").split("\n\n").next().unwrap_or("");
        let answer = json!({ "status": Exit::Refused.status(), "errors": [{
            "code": "G1100",
            "file": null,
            "line": null,
            "column": null,
            "message": message.trim(),
            "help": "`gudgeon --help` lists all commands and options",
        }]});
        let _ = writeln!(std::io::stdout(), "{answer}");
    }
    Exit::Refused
}
