//! What is wrong with how the program takes an input.

use std::any::Any;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use gudgeon::assembly::{Assembly, assemble_requested};
use gudgeon::bearing;
use gudgeon::cpu;
use gudgeon::progress::Unwatched;
use gudgeon::results::{Cause, RunReport, SimulationError, Status};
use gudgeon::run::Limits;
use gudgeon::simulate::{Silent, of_start, simulate};
use gudgeon_model::diagnostic::Diagnostics;
use gudgeon_model::source::Sources;
use gudgeon_model::text::is_hidden;
use gudgeon_model::{Analysis, Loaded, load_text};
use gudgeon_study::file::load_study_text;

use super::case::{Case, Kind, Stage};

/// Seconds of CPU time beyond the limit, if there is one, that nothing may take.
pub const SLOW: f64 = 2.0;
/// Bytes of rendered messages that nobody reads: beside a part that grows with the input.
const LONG: usize = 256 << 10;

/// What the program says where it refuses a file without knowing why.
const UNEXPLAINED: &str = "G0016";

/// How an input fared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Read without an error.
    Read,
    /// Refused with messages.
    Refused,
    /// Read, but not assembled.
    NotAssembled,
    Done,
    Failed,
    /// Stopped by the limit.
    Stopped,
    /// Something is wrong with the program.
    Wrong,
}

/// What is wrong: its kind, and what tells findings of one kind apart.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    pub kind: &'static str,
    pub about: String,
}

pub struct Verdict {
    pub fate: Fate,
    pub finding: Option<Finding>,
    /// CPU time, s.
    pub seconds: f64,
}

thread_local! {
    static PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Panics are findings: their place is kept and nothing printed.
pub fn catch_panics() {
    std::panic::set_hook(Box::new(|info| {
        let place = info.location().map_or(String::new(), |place| {
            format!("{}:{}", place.file().replace('\\', "/"), place.line())
        });
        PANIC.with(|panic| *panic.borrow_mut() = place);
    }));
}

pub fn judge(case: &Case, stage: Stage, limit: f64) -> Verdict {
    let start = cpu::seconds();
    let judged = catch_unwind(AssertUnwindSafe(|| match stage {
        Stage::Read => read(case),
        Stage::Run => run(case, limit),
    }));
    let seconds = cpu::seconds() - start;
    let allowed = SLOW + if stage == Stage::Run { limit } else { 0.0 };
    let judged = match judged {
        Ok(Ok(_)) if seconds > allowed => Err(finding("slow", "reading")),
        Ok(judged) => judged,
        Err(panic) => Err(finding("panic", panic_text(&*panic))),
    };
    match judged {
        Ok(fate) => Verdict { fate, finding: None, seconds },
        Err(finding) => Verdict { fate: Fate::Wrong, finding: Some(finding), seconds },
    }
}

fn finding(kind: &'static str, about: impl Into<String>) -> Finding {
    Finding { kind, about: about.into() }
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    let message = panic.downcast_ref::<String>().map(String::as_str);
    let message = message.or(panic.downcast_ref::<&str>().copied()).unwrap_or("");
    let place = PANIC.with(|panic| panic.borrow().clone());
    match place.is_empty() {
        true => message.chars().take(80).collect(),
        false => place,
    }
}

/// Reads and renders every message.
fn read(case: &Case) -> Result<Fate, Finding> {
    let (name, text, options) = (case.kind.name(), case.main(), case.options());
    let read = match case.kind {
        Kind::Model => {
            load_text(name, text, case, &options).map(|read| (read.warnings, read.sources))
        }
        Kind::Study => {
            load_study_text(name, text, case, &options).map(|read| (read.warnings, read.sources))
        }
    };
    match read {
        Ok((warnings, sources)) => {
            rendered(&warnings, &sources, case)?;
            Ok(Fate::Read)
        }
        Err(failure) if !failure.diagnostics.has_errors() => {
            Err(finding("silent", "refused without an error"))
        }
        Err(failure) => {
            rendered(&failure.diagnostics, &failure.sources, case)?;
            Ok(Fate::Refused)
        }
    }
}

/// Messages as text and as scripts read them.
fn rendered(messages: &Diagnostics, sources: &Sources, case: &Case) -> Result<(), Finding> {
    for message in messages {
        if message.code == UNEXPLAINED {
            return Err(finding("silent", "no reason was recorded"));
        }
        if message.message.trim().is_empty() || message.help.as_deref() == Some("") {
            return Err(finding("empty", message.code));
        }
        let place = message.span.map(|span| sources.line_column(span.file, span.start));
        let file = message.span.map(|span| sources.name(span.file));
        let answer = serde_json::json!([message.code, file, place, message.message, message.help]);
        if serde_json::from_str::<serde_json::Value>(&answer.to_string()).ok() != Some(answer) {
            return Err(finding("json", message.code));
        }
    }
    let text = messages.render(sources, false);
    if messages.is_empty() != text.is_empty() {
        return Err(finding("empty", "rendered"));
    }
    if let Some(letter) = text.chars().find(|letter| *letter != '\n' && is_hidden(*letter)) {
        return Err(finding("control", format!("{:?}", letter)));
    }
    if text.len() > LONG + 4 * case.text.len() {
        return Err(finding("long", "rendered"));
    }
    Ok(())
}

/// Reads, assembles and runs for `limit` seconds of CPU time.
fn run(case: &Case, limit: f64) -> Result<Fate, Finding> {
    let read = load_text(case.kind.name(), case.main(), case, &case.options());
    let Ok(loaded) = read else { return Ok(Fate::Refused) };
    if loaded.analysis != Analysis::Motion {
        return rest(&loaded, limit);
    }
    let start = cpu::seconds();
    let assembly = match assemble_requested(&loaded.model) {
        Ok(assembly) => assembly,
        Err(error) if error.to_string().trim().is_empty() => {
            return Err(finding("empty", "assembly"));
        }
        Err(_) => {
            timely(start, 0.0, "assembly")?;
            return Ok(Fate::NotAssembled);
        }
    };
    of_start(&assembly);
    timely(start, 0.0, "assembly")?;
    move_it(&loaded, &assembly, limit)
}

/// The bearing analysis.
fn rest(loaded: &Loaded, limit: f64) -> Result<Fate, Finding> {
    let start = cpu::seconds();
    let limits = Limits { cpu: Some(limit), ..Limits::default() };
    let analysed = bearing::analyse(&loaded.model, limits, &Unwatched);
    timely(start, limit, "bearing analysis")?;
    match analysed {
        Ok(_) => Ok(Fate::Done),
        Err(error) if error.to_string().trim().is_empty() || error.help().is_empty() => {
            Err(finding("empty", "bearing analysis"))
        }
        Err(_) => Ok(Fate::Failed),
    }
}

/// Refuses what took longer since `start` than it may.
fn timely(start: f64, limit: f64, what: &str) -> Result<(), Finding> {
    match cpu::seconds() - start <= limit + SLOW {
        true => Ok(()),
        false => Err(finding("slow", what)),
    }
}

fn move_it(loaded: &Loaded, assembly: &Assembly, limit: f64) -> Result<Fate, Finding> {
    let start = cpu::seconds();
    let mut spec = loaded.run.clone();
    spec.limits.cpu = Some(limit);
    let report = simulate(assembly, &spec, &mut Silent);
    timely(start, limit, "run")?;
    for warning in &report.warnings {
        if warning.message.trim().is_empty() || warning.help.trim().is_empty() {
            return Err(finding("empty", warning.code));
        }
    }
    match &report.status {
        Status::Failed(SimulationError { cause: Cause::TimeLimit { .. }, .. }) => {
            finite(&report).map(|()| Fate::Stopped)
        }
        Status::Failed(error) => {
            match error.cause.to_string().trim().is_empty() || error.help.is_empty() {
                true => Err(finding("empty", "failure")),
                false => Ok(Fate::Failed),
            }
        }
        Status::Done => finite(&report).map(|()| Fate::Done),
        Status::Interrupted => finite(&report).map(|()| Fate::Stopped),
    }
}

/// A run that did not fail has numbers to show for it.
fn finite(report: &RunReport) -> Result<(), Finding> {
    if !report.final_values.iter().all(|value| value.is_finite()) {
        return Err(finding("not finite", "final values"));
    }
    // Before its window a run has no extremes.
    let measured = report.window.1 > report.window.0;
    let numbers = |e: &gudgeon::results::Extreme| [e.min, e.max, e.mean, e.rms];
    if measured && !report.extremes.iter().flat_map(numbers).all(f64::is_finite) {
        return Err(finding("not finite", "extremes"));
    }
    match report.energy.residual_max.is_finite() {
        true => Ok(()),
        false => Err(finding("not finite", "energy")),
    }
}
