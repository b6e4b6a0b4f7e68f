//! The streams: text for people, JSON for scripts, colours and progress on a terminal only.
//!
//! Texts for people hold titles, `about` and paths that others wrote. What would act on a terminal is
//! shown as escapes here, in the one place that all text passes; only the program's own colours act,
//! which a number drawn at the start tells from those that a text brings along.

use std::hash::{BuildHasher, RandomState};
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use gudgeon::progress::Progress;
use gudgeon_engine::Refusal;
use gudgeon_model::diagnostic::Diagnostics;
use gudgeon_model::source::Sources;
use gudgeon_model::text::visible;
use gudgeon_output::OutputError;
use gudgeon_output::record::{Mistake, to_value};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use crate::exit::Exit;
use crate::explained::explained;
use crate::interrupt::Interrupt;

/// Steps of a progress bar, and how it looks: its own guess of the time left, or that of the work.
const STEPS: f64 = 1000.0;
const RUNNING: &str = "{msg:>9} {wide_bar} {percent:>3} % {eta:>4}";
const TIMED: &str = "{msg:>9} {wide_bar} {percent:>3} % {prefix:>12}";

/// Where text goes. With `--json` standard output belongs to the one object.
#[derive(Debug)]
pub struct Terminal {
    json: bool,
    /// What the user typed after the name of the program.
    arguments: Vec<String>,
    interrupt: Interrupt,
    /// Some text could not be written.
    lost: AtomicBool,
    /// Nobody else can write colours with this mark.
    mark: u64,
    /// The object of `--json` was written.
    answered: AtomicBool,
    /// Of the part of the work that is going on.
    bar: Mutex<Option<Bar>>,
}

impl Terminal {
    pub fn new(json: bool, interrupt: Interrupt) -> Terminal {
        let mark = RandomState::new().hash_one(0);
        let (lost, answered) = (AtomicBool::new(false), AtomicBool::new(false));
        let arguments = Vec::new();
        Terminal { json, arguments, interrupt, lost, mark, answered, bar: Mutex::new(None) }
    }

    /// For a command of these words.
    pub fn with_arguments(self, arguments: Vec<String>) -> Terminal {
        Terminal { arguments, ..self }
    }

    /// What the user typed, for records.
    pub fn arguments(&self) -> Vec<String> {
        self.arguments.clone()
    }

    /// Whether the user wants the command to end.
    pub fn interrupt(&self) -> &Interrupt {
        &self.interrupt
    }

    /// The result of a command as text. Whatever the command has is safe by now.
    pub fn say(&self, text: &str) {
        self.interrupt.tell();
        let text = self.shown(text);
        if self.json {
            self.write(io::stderr(), &text);
        } else {
            self.write(io::stdout(), &text);
        }
    }

    /// A file of the program's own on standard output, letter by letter.
    pub fn hand_over(&self, text: &str) {
        self.write(io::stdout(), text);
    }

    /// What was found in the files of the user; drawing them takes care of what they hold.
    pub fn tell_findings(&self, findings: &Diagnostics, sources: &Sources) {
        self.write(io::stderr(), &findings.render(sources, self.error_paint().on));
    }

    /// Errors, warnings and remarks.
    pub fn tell(&self, text: &str) {
        self.write(io::stderr(), &self.shown(text));
    }

    /// The text with its own colours, and all else that would act on a terminal as escapes.
    fn shown(&self, text: &str) -> String {
        let parts: Vec<_> = text.split(&sign(self.mark)).map(visible).collect();
        parts.join("\u{1b}")
    }

    /// Tells why a file could not be written, and answers with the same for `--json`.
    pub fn tell_unwritten(&self, error: &OutputError) -> Mistake {
        let (message, help) = (error.to_string(), error.help());
        let paint = self.error_paint();
        self.tell(&format!("{}: {message}\n  help: {help}\n", paint.error("error")));
        Mistake { message, help: Some(help), ..Mistake::default() }
    }

    /// The one object of `--json`; whatever did not end well has its `errors`.
    pub fn answer(&self, answer: &impl Serialize) {
        let _answered = self.interrupt.answer();
        if self.json && !self.answered.swap(true, Ordering::Relaxed) {
            self.write(io::stdout(), &format!("{}\n", explained(&to_value(answer))));
        }
    }

    /// Whether all text was written, as far as anyone listens.
    pub fn is_complete(&self) -> bool {
        !self.lost.load(Ordering::Relaxed)
    }

    /// Writes text; a reader that has gone away (`gudgeon … | head`) is no error.
    fn write(&self, mut stream: impl Write, text: &str) {
        self.clear();
        let written = stream.write_all(text.as_bytes()).and_then(|()| stream.flush());
        if let Err(error) = written
            && error.kind() != ErrorKind::BrokenPipe
        {
            self.lost.store(true, Ordering::Relaxed);
            let _ = writeln!(io::stderr(), "error: cannot write the output: {error}");
        }
    }

    /// Colours for [`Terminal::say`].
    pub fn paint(&self) -> Paint {
        let shown = if self.json { io::stderr().is_terminal() } else { io::stdout().is_terminal() };
        Paint { on: shown && colours_wanted(), mark: self.mark }
    }

    /// Colours for [`Terminal::tell`].
    pub fn error_paint(&self) -> Paint {
        Paint { on: io::stderr().is_terminal() && colours_wanted(), mark: self.mark }
    }

    /// Says why a command does not start, and gives the exit code.
    pub fn refuse(&self, refusal: &Refusal) -> Exit {
        let (findings, sources) = refusal.findings();
        self.tell_findings(findings, sources);
        self.answer(&refusal.record());
        Exit::Refused
    }

    /// Takes the bar away, so that text does not run into it.
    fn clear(&self) {
        if let Ok(mut bar) = self.bar.lock() {
            *bar = None;
        }
    }
}

/// The engine is watched by the terminal: a bar, and the user's wish to end it.
impl Progress for Terminal {
    fn is_cancelled(&self) -> bool {
        self.interrupt.is_cancelled()
    }

    fn begin(&self, part: &'static str) {
        let shown = !self.json && io::stderr().is_terminal();
        if let (true, Ok(mut bar)) = (shown, self.bar.lock()) {
            *bar = Some(Bar::new(part));
        }
    }

    fn report(&self, share: f64) {
        if let Ok(mut bar) = self.bar.lock() {
            bar.iter_mut().for_each(|bar| bar.show(share));
        }
    }

    fn report_left(&self, share: f64, seconds: Option<f64>) {
        if let Ok(mut bar) = self.bar.lock() {
            bar.iter_mut().for_each(|bar| bar.show_left(share, seconds));
        }
    }
}

/// <https://no-color.org>: any value that is not empty means no.
fn colours_wanted() -> bool {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    set("NO_COLOR").is_none() && set("TERM").is_none_or(|term| term != "dumb")
}

/// Colours, or none.
#[derive(Clone, Copy, Debug)]
pub struct Paint {
    on: bool,
    mark: u64,
}

/// What stands for the beginning of the program's own escape sequences until they are written.
fn sign(mark: u64) -> String {
    format!("\u{1b}{mark:016x}")
}

impl Paint {
    /// No colours.
    pub const NONE: Paint = Paint { on: false, mark: 0 };

    pub fn bold(&self, text: &str) -> String {
        self.wrap("1", text)
    }

    pub fn dim(&self, text: &str) -> String {
        self.wrap("2", text)
    }

    pub fn error(&self, text: &str) -> String {
        self.wrap("1;31", text)
    }

    pub fn warning(&self, text: &str) -> String {
        self.wrap("1;33", text)
    }

    fn wrap(&self, code: &str, text: &str) -> String {
        if !self.on {
            return text.to_owned();
        }
        let sign = sign(self.mark);
        format!("{sign}[{code}m{text}{sign}[0m")
    }
}

/// The progress of one part of the work.
#[derive(Debug)]
struct Bar {
    bar: ProgressBar,
    shown: u64,
}

impl Bar {
    fn new(part: &'static str) -> Bar {
        let bar = ProgressBar::new(STEPS as u64).with_message(part);
        if let Ok(style) = ProgressStyle::with_template(RUNNING) {
            bar.set_style(style);
        }
        Bar { bar, shown: 0 }
    }

    /// Shows the share done, 0 … 1.
    fn show(&mut self, share: f64) {
        let step = (share * STEPS) as u64;
        if step != self.shown {
            self.shown = step;
            self.bar.set_position(step.min(STEPS as u64));
        }
    }

    /// Shows the share done and the seconds left, as far as they are known.
    fn show_left(&mut self, share: f64, seconds: Option<f64>) {
        if let Some(seconds) = seconds {
            if let Ok(style) = ProgressStyle::with_template(TIMED) {
                self.bar.set_style(style);
            }
            self.bar.set_prefix(format!("{} left", duration(seconds)));
        }
        self.show(share);
    }
}

fn duration(seconds: f64) -> String {
    match seconds.ceil() as u64 {
        s @ 0..60 => format!("{s} s"),
        s @ 60..3600 => format!("{} min", s.div_ceil(60)),
        s => format!("{:.1} h", s as f64 / 3600.0),
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_colours_of_the_program_act() {
        let terminal = Terminal::new(false, Interrupt::without_signals(false));
        let paint = Paint { on: true, mark: terminal.mark };
        let text = format!("{} \u{1b}[31m\u{202e}evil\n", paint.bold("a \u{1b}]0;b\u{7}"));
        let shown = "\u{1b}[1ma \\u{1b}]0;b\\u{7}\u{1b}[0m \\u{1b}[31m\\u{202e}evil\n";
        assert_eq!(terminal.shown(&text), shown);
        let foreign = Paint { on: true, mark: terminal.mark ^ 1 };
        assert!(!terminal.shown(&foreign.bold("x")).contains('\u{1b}'));
    }
}
