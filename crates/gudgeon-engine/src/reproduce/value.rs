//! Values that a reference asks for: the measures of studies, and values by name of what is no run.

use std::ops::Range;

use gudgeon::ensemble::Spread;
use gudgeon::model::Model;
use gudgeon::results::{RunReport, about_warning};
use gudgeon_model::diagnostic::Diagnostic;
use gudgeon_model::reader::suggest;
use gudgeon_model::source::{FileId, Span};
use gudgeon_model::tree::{self, Node};
use gudgeon_study::file::read_measure;
use gudgeon_study::responses::{Kept, Measure, ResponseError, RunData, Statistic, TurnPeaks};
use toml::Spanned;

/// As written in a reference, with its place.
pub type Text = Spanned<String>;

#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Measured(Measure),
    /// Standard deviation over mean of an ensemble.
    Spread(Measure),
    /// CPU time of the runs, s.
    CpuTime,
    /// Number of warnings of a code.
    Warnings(String),
    /// A frequency at the start of the links that vibrate about the rigid motion, counted from 1, Hz.
    Frequency(usize),
    /// Of a surrogate or a film.
    Named(String),
}

/// What a value may be taken of.
#[derive(Clone, Copy)]
pub enum Given<'a> {
    Run {
        model: &'a Model,
        is_ensemble: bool,
    },
    /// Values by name, each with what they are named after.
    Named {
        prefix: &'static str,
        names: &'a [String],
    },
}

/// A number and, for an ensemble, its standard deviation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    pub value: f64,
    pub spread: Option<f64>,
}

/// A finished run with what its measures need.
#[derive(Clone, Debug)]
pub struct Run {
    pub report: RunReport,
    pub kept: Kept,
}

/// What came of a case.
#[derive(Clone, Debug)]
pub enum Ran {
    /// Nothing asks for a run.
    Nothing,
    Once(Box<Run>),
    /// Runs from starts that differ by a nanometre.
    Ensemble(Vec<Run>),
}

impl Value {
    /// Reads a value from its place in `source`.
    pub fn read(written: &Text, source: &str, given: Given<'_>) -> Result<Value, Box<Diagnostic>> {
        let (node, text) = (node(written, source), written.get_ref());
        match given {
            Given::Named { prefix, names } => {
                let name = text.strip_prefix(prefix).and_then(|rest| rest.strip_prefix('.'));
                match name.filter(|name| names.iter().any(|known| known == name)) {
                    Some(name) => Ok(Value::Named(name.to_owned())),
                    None => Err(unknown(&node, text, prefix, names)),
                }
            }
            Given::Run { .. } if text == "cpu_time" => Ok(Value::CpuTime),
            Given::Run { .. } if text.starts_with("warnings(") => {
                let code = text.strip_prefix("warnings(").and_then(|rest| rest.strip_suffix(')'));
                match code.filter(|code| about_warning(code).is_some()) {
                    Some(code) => Ok(Value::Warnings(code.to_owned())),
                    None => Err(Box::new(
                        Diagnostic::error("G1402", format!("there is no warning `{text}`"))
                            .at(node.span, "not known")
                            .help("write `warnings(W0301)` with a code of docs/messages.md"),
                    )),
                }
            }
            Given::Run { .. } if frequency(text).is_some() => {
                Ok(Value::Frequency(frequency(text).unwrap_or(1)))
            }
            Given::Run { model, is_ensemble } => {
                let measure = |range: Range<usize>| read_measure(model, &node, text, range);
                let inner = text.strip_prefix("spread(").and_then(|rest| rest.strip_suffix(')'));
                match inner {
                    Some(_) if !is_ensemble => Err(Box::new(
                        Diagnostic::error("G1402", "one run has no spread")
                            .at(node.span, "needs an ensemble")
                            .help("give `ensemble` in the recipe"),
                    )),
                    Some(_) => Ok(Value::Spread(measure("spread(".len()..text.len() - 1)?)),
                    None => Ok(Value::Measured(measure(0..text.len())?)),
                }
            }
        }
    }

    pub fn measure(&self) -> Option<&Measure> {
        match self {
            Value::Measured(measure) | Value::Spread(measure) => Some(measure),
            Value::Named(_) | Value::CpuTime | Value::Warnings(_) | Value::Frequency(_) => None,
        }
    }

    /// The value in what came of a case; an error where it does not exist there.
    pub fn of_runs(&self, model: &Model, ran: &Ran) -> Result<Measured, ResponseError> {
        let measure = match self {
            Value::Measured(measure) | Value::Spread(measure) => measure,
            Value::CpuTime => {
                return ran.mean(|run| run.report.solver.cpu.stepping).ok_or(ResponseError::NoRun);
            }
            Value::Warnings(code) => {
                let of = |run: &Run| run.report.warnings.iter().filter(|w| w.code == code).count();
                return ran.mean(|run| of(run) as f64).ok_or(ResponseError::NoRun);
            }
            Value::Frequency(number) => return ran.frequency(*number).ok_or(ResponseError::NoRun),
            Value::Named(_) => return Err(ResponseError::NoRun),
        };
        let of = |Run { report, kept }: &Run| measure.evaluate(&RunData { model, report, kept });
        let single = |value: f64| Measured { value, spread: None };
        match ran {
            Ran::Nothing => measure.of_model(model).map(single),
            Ran::Once(run) => of(run).map(single),
            Ran::Ensemble(runs) => {
                let values = runs.iter().map(of).collect::<Result<Vec<f64>, ResponseError>>()?;
                let spread = Spread::of(&values);
                if matches!(self, Value::Spread(_)) {
                    return Ok(single(spread.std / spread.mean));
                }
                let value = over_all_turns(measure, runs)?.unwrap_or(spread.mean);
                Ok(Measured { value, spread: Some(spread.std) })
            }
        }
    }
}

/// The number of `ked_frequency(NUMBER)`.
fn frequency(text: &str) -> Option<usize> {
    let number = text.strip_prefix("ked_frequency(")?.strip_suffix(')')?.parse().ok()?;
    (number > 0).then_some(number)
}

impl Ran {
    fn frequency(&self, number: usize) -> Option<Measured> {
        let run = match self {
            Ran::Nothing => return None,
            Ran::Once(run) => run,
            Ran::Ensemble(runs) => runs.first()?,
        };
        let value = *run.report.ked.as_ref()?.frequencies.get(number - 1)?;
        Some(Measured { value, spread: None })
    }

    /// Of one run, or the mean of an ensemble.
    fn mean(&self, of: impl Fn(&Run) -> f64) -> Option<Measured> {
        match self {
            Ran::Nothing => None,
            Ran::Once(run) => Some(Measured { value: of(run), spread: None }),
            Ran::Ensemble(runs) => {
                let Spread { mean, std, .. } =
                    Spread::of(&runs.iter().map(of).collect::<Vec<f64>>());
                Some(Measured { value: mean, spread: Some(std) })
            }
        }
    }
}

/// Of a measure of turns, its value over the turns of all runs.
fn over_all_turns(measure: &Measure, runs: &[Run]) -> Result<Option<f64>, ResponseError> {
    let Measure::Output { output, statistic: Statistic::Turns(statistic) } = measure else {
        return Ok(None);
    };
    let turns = runs.iter().map(|run| run.kept.turns.as_ref().map_err(Clone::clone));
    let turns = turns.collect::<Result<Vec<&TurnPeaks>, ResponseError>>()?;
    let outputs = runs.first().map_or(&[][..], |run| &run.report.extremes);
    let column = outputs.iter().position(|extreme| extreme.name == *output);
    let peaks = column.and_then(|column| TurnPeaks::pooled(turns.into_iter()).of(column));
    Ok(peaks.and_then(|peaks| statistic.of(peaks)))
}

/// The text as the readers of files see it; the place within it is known where no letter is escaped.
fn node(written: &Text, source: &str) -> Node {
    let (range, text) = (written.span(), written.get_ref().clone());
    let inside = range.start + 1..range.end.saturating_sub(1);
    let inner = (source.get(inside) == Some(&text)).then_some(range.start + 1);
    Node { value: tree::Value::Text { text, inner }, span: Span::new(FileId(0), range) }
}

fn unknown(node: &Node, text: &str, prefix: &str, names: &[String]) -> Box<Diagnostic> {
    let known: Vec<String> = names.iter().map(|name| format!("{prefix}.{name}")).collect();
    let message = format!("the case has no value `{text}`");
    let help = suggest(text, known.iter().map(String::as_str));
    Box::new(Diagnostic::error("G1402", message).at(node.span, "not known").help(help))
}

#[cfg(test)]
mod tests {
    use gudgeon_model::{Overrides, shipped};
    use serde::Deserialize;

    use super::*;
    use crate::Refusal;

    #[derive(Deserialize)]
    struct Row {
        value: Text,
    }

    fn read(source: &str, given: Given<'_>) -> Result<Value, String> {
        let row: Row = toml::from_str(source).unwrap();
        Value::read(&row.value, source, given)
            .map_err(|diagnostic| Refusal::new(*diagnostic).within("r.toml", source).to_string())
    }

    fn of_run(source: &str, is_ensemble: bool) -> Result<Value, String> {
        let loaded = shipped::load(shipped::find("slider_crank").unwrap(), &Overrides::default());
        read(source, Given::Run { model: &loaded.ok().unwrap().model, is_ensemble })
    }

    #[test]
    fn values_are_measures_of_studies_and_their_spread() {
        let text = "abs_max(motor.power)";
        let Ok(Value::Measured(measure)) = of_run(&format!("value = \"{text}\""), false) else {
            panic!("no measure")
        };
        assert_eq!(measure.to_string(), text);
        let spread = of_run(&format!("value = \"spread({text})\""), true);
        assert_eq!(spread, Ok(Value::Spread(measure)));
    }

    #[test]
    fn warnings_are_counted_by_their_code() {
        let found = of_run("value = \"warnings(W0301)\"", false);
        assert_eq!(found, Ok(Value::Warnings("W0301".into())));
        for text in ["warnings(W9999)", "warnings(W0301"] {
            let error = of_run(&format!("value = \"{text}\""), false).unwrap_err();
            assert!(
                error.starts_with(&format!("error[G1402]: there is no warning `{text}`")),
                "{error}"
            );
        }
    }

    #[test]
    fn mistakes_are_marked_where_they_stand() {
        let expected = "\
error[G0903]: `motor` has no output `pover`
 --> r.toml:1:31
  |
1 | value = \"spread(abs_max(motor.pover))\"
  |                               ^^^^^ not known
  |
  = help: did you mean `power`?";
        let found = of_run("value = \"spread(abs_max(motor.pover))\"", true);
        assert_eq!(found, Err(expected.to_owned()));
        let expected = "\
error[G1402]: one run has no spread
 --> r.toml:1:9
  |
1 | value = \"spread(abs_max(motor.power))\"
  |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ needs an ensemble
  |
  = help: give `ensemble` in the recipe";
        let found = of_run("value = \"spread(abs_max(motor.power))\"", false);
        assert_eq!(found, Err(expected.to_owned()));
    }

    #[test]
    fn values_by_name_are_known_to_what_is_named() {
        let names = ["load".to_owned(), "short.load".to_owned()];
        let given = Given::Named { prefix: "film", names: &names };
        let named = read("value = \"film.short.load\"", given);
        assert_eq!(named, Ok(Value::Named("short.load".into())));
        for (text, help) in [
            ("film.short.loda", "did you mean `film.short.load`?"),
            ("surrogate.load", "known are `film.load`, `film.short.load`"),
            ("abs_max(motor.power)", "known are `film.load`, `film.short.load`"),
        ] {
            let error = read(&format!("value = \"{text}\""), given).unwrap_err();
            let message = format!("error[G1402]: the case has no value `{text}`");
            assert!(error.starts_with(&message) && error.ends_with(help), "{error}");
        }
    }
}
