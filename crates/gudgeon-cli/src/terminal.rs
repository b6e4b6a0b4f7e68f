//! The streams: text for people, JSON for scripts, colours and progress on a terminal only.

use std::cell::Cell;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::sync::Mutex;

use indicatif::{ProgressBar, ProgressStyle};
use serde_json::Value;

use crate::interrupt::Interrupt;
use crate::json::explained;

/// Steps of a progress bar.
const STEPS: f64 = 1000.0;

/// Where text goes. With `--json` standard output belongs to the one object.
#[derive(Debug)]
pub struct Terminal {
    json: bool,
    interrupt: Interrupt,
    /// Some text could not be written.
    lost: Cell<bool>,
    /// The object of `--json` was written.
    answered: Cell<bool>,
}

impl Terminal {
    pub fn new(json: bool, interrupt: Interrupt) -> Terminal {
        Terminal { json, interrupt, lost: Cell::new(false), answered: Cell::new(false) }
    }

    /// Whether the user wants the command to end.
    pub fn interrupt(&self) -> &Interrupt {
        &self.interrupt
    }

    /// The result of a command as text. Whatever the command has is safe by now.
    pub fn say(&self, text: &str) {
        self.interrupt.tell();
        if self.json {
            self.write(io::stderr(), text);
        } else {
            self.write(io::stdout(), text);
        }
    }

    /// Errors, warnings and remarks.
    pub fn tell(&self, text: &str) {
        self.write(io::stderr(), text);
    }

    /// The one object of `--json`; whatever did not end well has its `errors`.
    pub fn answer(&self, answer: &Value) {
        let _answered = self.interrupt.answer();
        if self.json && !self.answered.replace(true) {
            self.write(io::stdout(), &format!("{}\n", explained(answer)));
        }
    }

    /// Whether all text was written, as far as anyone listens.
    pub fn is_complete(&self) -> bool {
        !self.lost.get()
    }

    /// Writes text; a reader that has gone away (`gudgeon … | head`) is no error.
    fn write(&self, mut stream: impl Write, text: &str) {
        let written = stream.write_all(text.as_bytes()).and_then(|()| stream.flush());
        if let Err(error) = written
            && error.kind() != ErrorKind::BrokenPipe
        {
            self.lost.set(true);
            let _ = writeln!(io::stderr(), "error: cannot write the output: {error}");
        }
    }

    /// Colours for [`Terminal::say`].
    pub fn paint(&self) -> Paint {
        let shown = if self.json { io::stderr().is_terminal() } else { io::stdout().is_terminal() };
        Paint { on: shown && colours_wanted() }
    }

    /// Colours for [`Terminal::tell`].
    pub fn error_paint(&self) -> Paint {
        Paint { on: io::stderr().is_terminal() && colours_wanted() }
    }

    /// A bar on a terminal, nothing elsewhere.
    pub fn progress(&self, what: &'static str) -> Progress {
        self.bar(what, "{msg:>9} {wide_bar} {percent:>3} % {eta:>4}")
    }

    /// A bar for those who know themselves how long it will take.
    pub fn timed_progress(&self, what: &'static str) -> Progress {
        self.bar(what, "{msg:>9} {wide_bar} {percent:>3} % {prefix:>12}")
    }

    /// For work that wants to be watched: a bar, and the user's wish to end it.
    pub fn watch(&self, what: &'static str) -> Watch {
        Watch { bar: Mutex::new(self.progress(what)), interrupt: self.interrupt.clone() }
    }

    fn bar(&self, what: &'static str, template: &str) -> Progress {
        if self.json || !io::stderr().is_terminal() {
            return Progress { bar: None, shown: 0 };
        }
        let bar = ProgressBar::new(STEPS as u64).with_message(what);
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Progress { bar: Some(bar), shown: 0 }
    }
}

/// See [`Terminal::watch`].
#[derive(Debug)]
pub struct Watch {
    bar: Mutex<Progress>,
    interrupt: Interrupt,
}

impl gudgeon::progress::Progress for Watch {
    fn is_cancelled(&self) -> bool {
        self.interrupt.is_cancelled()
    }

    fn report(&self, share: f64) {
        if let Ok(mut bar) = self.bar.lock() {
            bar.show(share);
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
    pub on: bool,
}

impl Paint {
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
        if self.on { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }
}

/// The progress of one part of the work.
#[derive(Debug)]
pub struct Progress {
    bar: Option<ProgressBar>,
    shown: u64,
}

impl Progress {
    /// Shows the share done, 0 … 1.
    pub fn show(&mut self, share: f64) {
        let Some(bar) = &self.bar else { return };
        let step = (share * STEPS) as u64;
        if step != self.shown {
            self.shown = step;
            bar.set_position(step.min(STEPS as u64));
        }
    }
}

impl Progress {
    /// Shows the share done and the seconds left, as far as they are known.
    pub fn show_left(&mut self, share: f64, seconds: Option<f64>) {
        if let (Some(bar), Some(seconds)) = (&self.bar, seconds) {
            bar.set_prefix(format!("{} left", duration(seconds)));
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

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
