//! The part of the time that is drawn.

use std::ops::Range;

use gudgeon_model::expr::quantity;
use gudgeon_model::units::Dimension;

use super::refused;
use super::result::RunResult;
use crate::refusal::Refusal;
use crate::text;

#[derive(Clone, Copy, Debug)]
pub struct Part {
    pub from: f64,
    pub to: f64,
    /// Whether it was not asked for.
    pub window: bool,
}

impl Part {
    /// The part asked for, or the measuring window of the first result; all of a run that did not reach it.
    pub fn find(asked: Option<&str>, results: &[RunResult]) -> Result<Part, Refusal> {
        let whole = Part { from: f64::NEG_INFINITY, to: f64::INFINITY, window: false };
        match asked.map(str::trim) {
            None => {
                let window = results[0].record.window;
                let is_measured = window.to > window.from;
                let part = Part { from: window.from, to: window.to, window: true };
                Ok(if is_measured { part } else { whole })
            }
            Some("all") => Ok(whole),
            Some(text) => ends(text).map(|[from, to]| Part { from, to, window: false }),
        }
    }

    /// The rows whose times lie within it.
    pub fn rows(&self, t: &[f64]) -> Range<usize> {
        // Ends that were written with few digits must not lose the last row.
        let slack = 1e-12 * (self.to - self.from).abs().min(f64::MAX);
        let slack = if slack.is_finite() { slack } else { 0.0 };
        let from = t.partition_point(|t| *t < self.from - slack);
        let to = t.partition_point(|t| *t <= self.to + slack);
        from..to.max(from)
    }

    /// What a range may be.
    pub fn help(&self, results: &[RunResult]) -> String {
        let last = results.iter().filter_map(|result| result.record.last.get("t"));
        let last = last.map(|number| number.0).fold(0.0, f64::max);
        format!("the run ends at {}; `--range all` draws all of it", text::quantity(last, "s"))
    }
}

fn ends(asked: &str) -> Result<[f64; 2], Refusal> {
    let help = "write a start and an end, such as `--range \"10 ms .. 30 ms\"`, or `--range all`";
    let Some((from, to)) = asked.split_once("..") else {
        return Err(refused("G1603", "`--range` takes a start and an end".into(), help.into()));
    };
    let end = |part: &str| {
        quantity(part.trim(), Dimension::TIME).map_err(|error| {
            let why = error.help.map_or(help.to_owned(), |way| format!("{way}; {help}"));
            refused("G1603", format!("`{}` in `--range`: {}", part.trim(), error.message), why)
        })
    };
    let (from, to) = (end(from)?, end(to)?);
    if from < to {
        return Ok([from, to]);
    }
    Err(refused(
        "G1603",
        "`--range` must end after its start".into(),
        "give the earlier instant first".into(),
    ))
}
