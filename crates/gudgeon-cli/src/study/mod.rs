//! A design study from its samples to its results.
//!
//! `space` turns the study's variables into points, `responses` its mechanism into a simulator. The
//! samples run first, into the journal of the result folder; `surrogate`, `optimise`, `sensitivity`
//! and `sweep` follow. Everything is told as text by `summary` and as JSON by `json`.

mod description;
pub mod json;
mod notes;
mod optimise;
mod plots;
mod responses;
mod runs;
mod sensitivity;
mod space;
pub mod summary;
mod surrogate;
mod sweep;
pub mod tables;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use gudgeon::progress::Progress;
use gudgeon_model::LoadedStudy;
use gudgeon_model::study::{Choice, Study, Variable};
use gudgeon_study::runner::{RunnerOptions, StudyError, run};
use gudgeon_study::store::{Column, Damaged, Disk, Fingerprint, Plan, Record, Store, StoreError};

use crate::args::StudyArgs;
use crate::exit::Exit;
use crate::terminal::Terminal;
pub use optimise::{Optimum, Search, Standing};
use runs::{Runs, Stop};
pub use sensitivity::Sensitivity;
pub use space::Space;
pub use surrogate::Fitted;
pub use sweep::SweepResult;

/// A study that can start: everything that can be wrong has been looked at.
pub struct Job<'a> {
    pub args: &'a StudyArgs,
    /// May cancel the study.
    pub progress: &'a dyn Progress,
    /// The result folder as the user knows it.
    pub shown: PathBuf,
    pub loaded: LoadedStudy,
    pub space: Space,
    /// The design.
    pub points: Vec<Vec<f64>>,
    pub seed: u64,
    /// What the journal of the samples says.
    pub plan: Plan,
}

impl<'a> Job<'a> {
    pub fn new(
        args: &'a StudyArgs,
        progress: &'a dyn Progress,
        shown: PathBuf,
        loaded: LoadedStudy,
        space: Space,
        points: Vec<Vec<f64>>,
        seed: u64,
    ) -> Result<Job<'a>, String> {
        sweep::check(&loaded)?;
        let study = &loaded.study;
        let column = |variable: &Variable| Column::new(&variable.name, &variable.unit);
        let plan = Plan {
            fingerprint: Fingerprint::new()
                .text(&format!("{} {seed}", loaded.sample_fingerprint()))
                .value(),
            description: description::text(&loaded, args, seed),
            variables: study.variables.iter().map(column).collect(),
            values: responses::columns(&loaded)?,
        };
        Ok(Job { args, progress, shown, loaded, space, points, seed, plan })
    }

    pub fn study(&self) -> &Study {
        &self.loaded.study
    }

    /// The plan of simulations beside the samples: what decides on a sample decides on them. What
    /// else does belongs into `what`.
    fn plan_of(&self, what: &str) -> Plan {
        Plan { description: what.to_owned(), ..self.plan.clone() }
    }

    /// Opens a journal of the study.
    pub fn open(&self, folder: &Path, plan: &Plan) -> Result<Store, StoreError> {
        let salvages = self.args.salvage;
        let damaged = if salvages { Damaged::Salvage } else { Damaged::Refuse };
        Store::open_on(Disk::real(), folder, plan, damaged)
    }

    fn options(&self) -> RunnerOptions<'a> {
        RunnerOptions {
            threads: self.args.jobs,
            seed: self.seed,
            time_limit: self.study().time_limit.map(Duration::from_secs_f64),
            cancel: Some(self.progress),
        }
    }

    /// Whether there is a design and all of it has been run.
    pub fn sampled(&self, outcome: &Outcome) -> bool {
        !self.points.is_empty() && outcome.records.len() == self.points.len()
    }

    /// The value of a response among those of a sample: the mean of an ensemble.
    pub fn value(&self, values: &[f64], response: usize) -> f64 {
        values[response * self.width()]
    }

    /// The value of a response that a record gives.
    pub fn given(&self, record: &Record, response: usize) -> Option<f64> {
        let value = self.value(record.outcome.values()?, response);
        (!value.is_nan()).then_some(value)
    }

    /// Spread of a response over the runs of an ensemble.
    pub fn spread(&self, values: &[f64], response: usize) -> Option<f64> {
        (self.width() > 1).then(|| values[response * self.width() + 1])
    }

    /// Runs of an ensemble that gave a response.
    pub fn runs(&self, values: &[f64], response: usize) -> Option<f64> {
        (self.width() > 1).then(|| values[response * self.width() + 4])
    }

    /// Columns of a response.
    fn width(&self) -> usize {
        if self.study().ensemble > 1 { 5 } else { 1 }
    }
}

/// What came of a study.
#[derive(Default)]
pub struct Outcome {
    /// Finished samples, in order.
    pub records: Vec<Record>,
    /// Samples that were in the folder already.
    pub resumed: usize,
    /// Simulations of a search that the surrogates were fitted to, beside the samples.
    pub infill: Vec<Record>,
    pub fitted: Vec<Fitted>,
    pub search: Option<Search>,
    pub sensitivity: Option<Sensitivity>,
    pub sweep: Option<SweepResult>,
    /// Files of the pictures in the result folder and their texts.
    pub plots: Vec<(String, String)>,
    /// What stopped the study.
    pub error: Option<String>,
    pub interrupted: bool,
    /// What was put right in journals, in words.
    pub repairs: Vec<String>,
    /// The last complete study, where this one is not and was begun in its place.
    pub kept: Option<PathBuf>,
    /// Wall time of the samples and of the rest, s.
    pub seconds: [f64; 2],
}

impl Outcome {
    pub fn exit(&self) -> Exit {
        match (&self.error, self.interrupted) {
            (_, true) => Exit::Interrupted,
            (Some(_), false) => Exit::Failed,
            (None, false) => Exit::Done,
        }
    }

    fn stop(&mut self, stop: Option<Stop>) {
        match stop {
            Some(Stop::Interrupted) => self.interrupted = true,
            Some(Stop::Failed(message)) => self.fail(message),
            None => {}
        }
    }

    /// The first error counts.
    fn fail(&mut self, message: String) {
        self.error.get_or_insert(message);
    }

    fn goes_on(&self) -> bool {
        self.error.is_none() && !self.interrupted
    }
}

/// Does everything that a study asks for; what is after the samples only if they got to their end.
pub fn execute(job: &Job, store: &mut Store, terminal: &Terminal) -> Outcome {
    let mut outcome = Outcome { resumed: store.records().len(), ..Outcome::default() };
    outcome.repairs.extend(store.repair().map(str::to_owned));
    let start = Instant::now();
    samples(job, store, terminal, &mut outcome);
    outcome.seconds[0] = start.elapsed().as_secs_f64();
    let start = Instant::now();
    for part in [fit, optimise::search, sensitivity::analyse, sweep::sweep, draw] {
        if outcome.goes_on() {
            part(job, terminal, &mut outcome);
            outcome.interrupted |= job.progress.is_cancelled();
        }
    }
    outcome.seconds[1] = start.elapsed().as_secs_f64();
    outcome
}

fn fit(job: &Job, _terminal: &Terminal, outcome: &mut Outcome) {
    outcome.fitted = surrogate::fit_all(job, &outcome.records, &[]);
}

fn draw(job: &Job, _terminal: &Terminal, outcome: &mut Outcome) {
    if !job.args.no_plots {
        outcome.plots = plots::plots(job, outcome);
    }
}

fn samples(job: &Job, store: &mut Store, terminal: &Terminal, outcome: &mut Outcome) {
    if !job.points.is_empty() {
        let simulator = responses::mechanism(&job.loaded);
        let mut bar = terminal.timed_progress("samples");
        let mut show = |progress: &gudgeon_study::runner::Progress| {
            bar.show_left(progress.done as f64 / progress.total as f64, progress.seconds_left);
        };
        match run(&simulator, &job.points, store, &job.options(), &mut show) {
            Ok(summary) => {
                outcome.interrupted = summary.cancelled;
                // Without those that were run again.
                outcome.resumed = store.records().len() - summary.run;
            }
            Err(error) => outcome.error = Some(sentence(&error, "samples")),
        }
    }
    outcome.records = store.records().values().cloned().collect();
    // The table of failed samples is worth having, too.
    if job.sampled(outcome)
        && let Err(error) = store.finish(job.points.len())
    {
        outcome.error.get_or_insert(error.to_string());
    }
}

fn sentence(error: &StudyError, what: &str) -> String {
    match error {
        StudyError::AllFailed { samples, cause, times } if times < samples => {
            format!("all {samples} {what} failed, {times} of them with: {cause}")
        }
        StudyError::AllFailed { samples, cause, .. } => {
            format!("all {samples} {what} failed: {cause}")
        }
        other => other.to_string(),
    }
}

/// A value of a variable for tables and JSON: a number, or the word of a choice.
pub enum Shown<'a> {
    Number(f64),
    Word(&'a str),
}

pub fn shown(variable: &Variable, value: f64) -> Shown<'_> {
    match variable.choice(value) {
        Some(Choice::Text(word)) => Shown::Word(word),
        Some(Choice::Number(number)) => Shown::Number(*number),
        None => Shown::Number(value),
    }
}

/// A value of a variable for people.
pub fn readable(variable: &Variable, value: f64) -> String {
    match variable.choice(value) {
        Some(choice) => variable.choice_shown(choice),
        None => {
            let number = four_digits(value / variable.shown.factor);
            let number = match number.strip_prefix('-') {
                Some(size) => format!("−{size}"),
                None => number,
            };
            format!("{number} {}", variable.shown.unit).trim_end().to_owned()
        }
    }
}

/// A point for people.
pub fn point_shown(job: &Job, values: &[f64]) -> String {
    let variables = job.study().variables.iter().zip(values);
    let parts: Vec<String> =
        variables.map(|(v, value)| format!("{} {}", v.name, readable(v, *value))).collect();
    parts.join(", ")
}

/// A number with four digits.
pub fn four_digits(number: f64) -> String {
    digits(number, 4)
}

fn digits(number: f64, count: usize) -> String {
    let rounded: f64 = format!("{number:.*e}", count - 1).parse().unwrap_or(number);
    match rounded.abs() {
        0.0 => "0".to_owned(),
        1e-4..1e6 => format!("{rounded}"),
        _ => format!("{rounded:e}"),
    }
}

/// Numbers with four digits, or with as many as tell them apart.
pub fn apart(numbers: &[f64]) -> Vec<String> {
    let count = |texts: &[String]| texts.iter().collect::<HashSet<_>>().len();
    let different = numbers.iter().map(|number| number.to_bits()).collect::<HashSet<_>>().len();
    let with = |n: usize| -> Vec<String> { numbers.iter().map(|x| digits(*x, n)).collect() };
    let found = (4..17).map(with).find(|texts| count(texts) == different);
    found.unwrap_or_else(|| with(17))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_get_as_many_digits_as_they_need() {
        assert_eq!(apart(&[3000.0, 3000.01, 3000.02]), ["3000", "3000.01", "3000.02"]);
        assert_eq!(apart(&[1.0 / 3.0, 2.0 / 3.0, 1.0 / 3.0]), ["0.3333", "0.6667", "0.3333"]);
        assert_eq!(apart(&[1.0, 1.0f64.next_up()]).len(), 2);
    }
}
