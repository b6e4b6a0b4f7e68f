//! A design study from its samples to its results.
//!
//! The samples run first, into the journal of the result folder; `surrogate`, `optimise`, `sensitivity`
//! and `sweep` follow; `tables` writes, `record` tells.

pub mod description;
pub mod notes;
mod optimise;
mod plots;
mod prepare;
pub mod record;
mod runs;
mod sensitivity;
mod surrogate;
mod sweep;
pub mod tables;

use std::collections::HashSet;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use gudgeon::progress::Progress;
use gudgeon_output::record::Status;
use gudgeon_study::file::{Choice, LoadedStudy, Study, Variable};
use gudgeon_study::runner::{Answer, RunnerOptions, SampleFailure, Simulator, StudyError, run};
use gudgeon_study::store::{Column, Damaged, Disk, Fingerprint, Plan, Record, Store, StoreError};

pub use optimise::{Optimum, Search, Standing};
pub use prepare::StudyOptions;
use runs::{Runs, Stop};
pub use sensitivity::Sensitivity;
pub use surrogate::Fitted;
pub use sweep::{Branch, SweepResult, told};

/// A study that can start: everything that can be wrong has been looked at.
#[derive(Debug)]
pub struct StudyJob<'a> {
    pub options: StudyOptions,
    /// May cancel the study.
    pub progress: &'a dyn Progress,
    /// Answers in place of the model of the study: other processes, a function.
    pub elsewhere: Option<Elsewhere<'a>>,
    /// The result folder as the user knows it.
    pub shown: PathBuf,
    pub loaded: LoadedStudy,
    /// The design.
    pub points: Vec<Vec<f64>>,
    pub seed: u64,
    /// What the journal of the samples says.
    pub plan: Plan,
}

/// Something else than the model of a study that answers to its points.
#[derive(Clone, Copy)]
pub struct Elsewhere<'a>(pub &'a dyn Simulator);

impl Simulator for Elsewhere<'_> {
    fn run(
        &self,
        point: &[f64],
        seed: u64,
        stop: &dyn Fn() -> bool,
    ) -> Result<Answer, SampleFailure> {
        self.0.run(point, seed, stop)
    }
}

impl fmt::Debug for Elsewhere<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Elsewhere")
    }
}

/// A time limit of any length, s.
fn at_most_for_ever(limit: f64) -> Duration {
    Duration::try_from_secs_f64(limit).unwrap_or(Duration::MAX)
}

impl<'a> StudyJob<'a> {
    pub fn new(
        options: StudyOptions,
        progress: &'a dyn Progress,
        shown: PathBuf,
        loaded: LoadedStudy,
        points: Vec<Vec<f64>>,
        seed: u64,
    ) -> Result<StudyJob<'a>, String> {
        sweep::check(&loaded)?;
        let study = &loaded.study;
        let column = |variable: &Variable| Column::new(&variable.name, &variable.unit);
        let plan = Plan {
            fingerprint: Fingerprint::new()
                .text(&format!("{} {seed}", loaded.sample_fingerprint()))
                .value(),
            description: description::text(&loaded, &options.set, seed),
            variables: study.variables.iter().map(column).collect(),
            values: loaded.columns().map_err(|error| error.to_string())?,
        };
        let elsewhere = None;
        Ok(StudyJob { options, progress, elsewhere, shown, loaded, points, seed, plan })
    }

    /// What answers to the points of the study.
    pub(crate) fn samples(&self) -> Box<dyn Simulator + '_> {
        match self.elsewhere {
            Some(elsewhere) => Box::new(elsewhere),
            None => Box::new(self.loaded.samples()),
        }
    }

    pub fn study(&self) -> &Study {
        &self.loaded.study
    }

    /// The plan of simulations beside the samples: what decides on a sample decides on them. What
    /// else does belongs into `what`.
    fn plan_of(&self, what: &str) -> Plan {
        Plan { description: what.to_owned(), ..self.plan.clone() }
    }

    /// Opens a journal of the study beside that of its samples.
    fn open(&self, folder: &Path, plan: &Plan) -> Result<Store, StoreError> {
        Store::open_on(Disk::real(), folder, plan, self.damaged())
    }

    /// Opens the journal of the samples, if they are those of the design.
    fn open_samples(&self) -> Result<Store, StoreError> {
        let is_same = |a: &[f64], b: &[f64]| {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits())
        };
        let asked = |record: &Record| {
            self.points.get(record.index).is_some_and(|point| is_same(point, &record.point))
        };
        Store::open_design(&self.shown, &self.plan, self.damaged(), &asked)
    }

    fn damaged(&self) -> Damaged {
        if self.options.salvage { Damaged::Salvage } else { Damaged::Refuse }
    }

    fn runner_options(&self) -> RunnerOptions<'a> {
        RunnerOptions {
            threads: self.options.jobs,
            seed: self.seed,
            time_limit: self.study().time_limit.map(at_most_for_ever),
            cancel: Some(self.progress),
        }
    }

    /// Whether there is a design and all of it has been run.
    pub fn sampled(&self, outcome: &StudyOutcome) -> bool {
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
pub struct StudyOutcome {
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

impl StudyOutcome {
    pub fn status(&self) -> Status {
        match (&self.error, self.interrupted) {
            (_, true) => Status::Interrupted,
            (Some(_), false) => Status::Failed,
            (None, false) => Status::Ok,
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
pub fn execute(job: &StudyJob, store: &mut Store) -> StudyOutcome {
    let mut outcome = StudyOutcome { resumed: store.records().len(), ..StudyOutcome::default() };
    outcome.repairs.extend(store.repair().map(str::to_owned));
    let start = Instant::now();
    samples(job, store, &mut outcome);
    outcome.seconds[0] = start.elapsed().as_secs_f64();
    let start = Instant::now();
    for part in [fit, optimise::search, sensitivity::analyse, sweep::sweep, draw] {
        if outcome.goes_on() {
            part(job, &mut outcome);
            outcome.interrupted |= job.progress.is_cancelled();
        }
    }
    outcome.seconds[1] = start.elapsed().as_secs_f64();
    outcome
}

fn fit(job: &StudyJob, outcome: &mut StudyOutcome) {
    outcome.fitted = surrogate::fit_all(job, &outcome.records, &[]);
}

fn draw(job: &StudyJob, outcome: &mut StudyOutcome) {
    if job.options.plots {
        outcome.plots = plots::plots(job, outcome);
    }
}

fn samples(job: &StudyJob, store: &mut Store, outcome: &mut StudyOutcome) {
    if !job.points.is_empty() {
        let simulator = job.samples();
        job.progress.begin("samples");
        let mut show = |at: &gudgeon_study::runner::Progress| {
            job.progress.report_left(at.done as f64 / at.total as f64, at.seconds_left);
        };
        match run(&*simulator, &job.points, store, &job.runner_options(), &mut show) {
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
        outcome.error.get_or_insert(format!("{error}; {}", tables::ADVICE));
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
pub fn point_shown(job: &StudyJob, values: &[f64]) -> String {
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
