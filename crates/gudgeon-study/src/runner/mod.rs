//! Runs the samples of a study on all cores.
//!
//! Workers take the next sample from a common counter. The calling thread receives what they finish,
//! brings it to the disk, many samples with one synchronisation if they come fast, and only then
//! announces it; workers wait for the disk only where it is thousands of samples behind. What a sample
//! answers depends on its design and its seed alone, never on the number of threads or on the order.

mod mechanism;
mod progress;
mod samples;
mod workers;

use std::ops::ControlFlow;
use std::time::Duration;

pub use mechanism::Mechanism;
pub use progress::Progress;
pub use samples::{Built, Samples, built};

use crate::store::{Fingerprint, Record, SampleOutcome, Store, StoreError};
use gudgeon::random::Random;
use progress::Counter;
use workers::work;

/// What a simulation gives.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// The values of the responses.
    pub values: Vec<f64>,
    /// What is to be known about them, such as codes of warnings, each once.
    pub notes: Vec<String>,
    /// Whether a value that is not a number stands for one that is missing, not for a failure.
    pub has_gaps: bool,
}

impl From<Vec<f64>> for Answer {
    fn from(values: Vec<f64>) -> Self {
        Self { values, ..Self::default() }
    }
}

/// Something that answers to a design.
pub trait Simulator: Sync {
    /// The values of the responses. The same point and seed must give the same bits. Ask `stop` now
    /// and then, on the calling thread whose CPU time it watches, and give up with
    /// [`SampleFailure::Stopped`] when it says so.
    fn run(
        &self,
        point: &[f64],
        seed: u64,
        stop: &dyn Fn() -> bool,
    ) -> Result<Answer, SampleFailure>;
}

impl<F> Simulator for F
where
    F: Fn(&[f64], u64, &dyn Fn() -> bool) -> Result<Vec<f64>, SampleFailure> + Sync,
{
    fn run(
        &self,
        point: &[f64],
        seed: u64,
        stop: &dyn Fn() -> bool,
    ) -> Result<Answer, SampleFailure> {
        self(point, seed, stop).map(Answer::from)
    }
}

/// Why a sample has no values.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SampleFailure {
    #[error("{0}")]
    Failed(String),
    #[error("the sample was stopped")]
    Stopped,
    /// It took more CPU time than it may, elsewhere: here the runner sees that itself.
    #[error("the sample took too long")]
    Late,
}

impl SampleFailure {
    pub fn failed(cause: impl std::fmt::Display) -> Self {
        Self::Failed(cause.to_string())
    }
}

/// Asks after every step of a simulation whether it is to stop.
pub(crate) struct Patience<'a> {
    stop: &'a dyn Fn() -> bool,
}

impl<'a> Patience<'a> {
    pub fn new(stop: &'a dyn Fn() -> bool) -> Self {
        Self { stop }
    }

    pub fn step(&self) -> ControlFlow<()> {
        if (self.stop)() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

#[derive(Clone, Copy, Debug, Default)]
pub struct RunnerOptions<'a> {
    /// 0 for all cores. The results do not depend on it.
    pub threads: usize,
    pub seed: u64,
    /// CPU time one sample may take. Where it cuts in, the table depends on the machine. Samples that
    /// an earlier, lower limit cut off are run again.
    pub time_limit: Option<Duration>,
    /// May cancel the study; what is finished is kept.
    pub cancel: Option<&'a dyn gudgeon::progress::Progress>,
}

impl RunnerOptions<'_> {
    fn workers(&self, jobs: usize) -> usize {
        let threads = match self.threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            threads => threads,
        };
        threads.min(jobs)
    }

    /// Whether a sample was cut off by a lower limit than that of now.
    fn retries(&self, outcome: &SampleOutcome) -> bool {
        let SampleOutcome::TimedOut { limit } = outcome else { return false };
        self.time_limit.is_none_or(|now| now.as_secs_f64() > *limit)
    }
}

#[derive(Debug, thiserror::Error)]
pub enum StudyError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("the study has no samples")]
    NoSamples,
    #[error("sample {index} has {found} variables, the study has {expected}")]
    Width { index: usize, found: usize, expected: usize },
    #[error(
        "sample {index} in the result folder belongs to another design: `{variable}` was {stored} and is {asked} now"
    )]
    OtherPoint { index: usize, variable: String, stored: f64, asked: f64 },
    #[error("all {samples} samples failed; {times} of them: {cause}")]
    AllFailed {
        samples: usize,
        /// The most frequent cause and how often it occurred.
        cause: String,
        times: usize,
    },
}

/// How a study ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Summary {
    pub total: usize,
    pub done: usize,
    pub failed: usize,
    pub timed_out: usize,
    /// Samples run now; the others were in the folder.
    pub run: usize,
    /// Stopped before all samples were finished.
    pub cancelled: bool,
}

/// The seed of a sample: it depends on the seed of the study and the number of the sample.
pub fn seed_of(study: u64, index: usize) -> u64 {
    Random::new(study).seed_of(index as u64)
}

/// The seed of a sample that is known by its design, whatever its number.
pub fn seed_at(study: u64, point: &[f64]) -> u64 {
    Random::new(study).seed_of(Fingerprint::new().numbers(point).value())
}

/// A sample to run.
#[derive(Clone, Copy, Debug)]
pub struct Sample<'a> {
    /// Its number in the store.
    pub index: usize,
    pub point: &'a [f64],
    pub seed: u64,
}

/// Runs the samples that the store lacks. `progress` is called once at the start, and for every
/// sample when it is safe on the disk.
///
/// The table is not written: call [`Store::finish`] when all is done. Points may be added at the end
/// of a study and run by another call.
pub fn run(
    simulator: &dyn Simulator,
    points: &[Vec<f64>],
    store: &mut Store,
    options: &RunnerOptions,
    progress: &mut dyn FnMut(&Progress),
) -> Result<Summary, StudyError> {
    run_some(simulator, &samples(points, options), store, options, progress)
}

/// Runs those of some samples that the store lacks; the store may hold others.
pub fn run_some(
    simulator: &dyn Simulator,
    samples: &[Sample],
    store: &mut Store,
    options: &RunnerOptions,
    progress: &mut dyn FnMut(&Progress),
) -> Result<Summary, StudyError> {
    if samples.is_empty() {
        return Err(StudyError::NoSamples);
    }
    check_points(samples, store)?;
    let wanted = |sample: &&Sample| match store.records().get(&sample.index) {
        None => true,
        Some(record) => options.retries(&record.outcome),
    };
    let jobs: Vec<Sample> = samples.iter().filter(wanted).copied().collect();
    let kept = outcomes(samples, store).filter(|outcome| !options.retries(outcome));
    let mut counter = Counter::new(samples.len(), options.workers(jobs.len()), kept);
    progress(&counter.progress(None));
    let names: Vec<String> = store.plan().values.iter().map(|c| c.name.clone()).collect();
    let workers = counter.threads;
    work::<StoreError>(simulator, &names, jobs, workers, options, &mut |batch| {
        let records: Vec<Record> = batch.iter().map(|finished| finished.record.clone()).collect();
        store.append(&records)?;
        for finished in &batch {
            counter.add(&finished.record.outcome, finished.wall);
            progress(&counter.progress(Some(&finished.record)));
        }
        Ok(())
    })?;
    summary(samples, counter.run(), store)
}

/// Runs samples without a folder: outcomes in the order of the points, `None` for those that were
/// cancelled.
pub fn run_in_memory(
    simulator: &dyn Simulator,
    points: &[Vec<f64>],
    values: &[String],
    options: &RunnerOptions,
) -> Vec<Option<SampleOutcome>> {
    let mut outcomes: Vec<Option<SampleOutcome>> = vec![None; points.len()];
    let jobs = samples(points, options);
    let workers = options.workers(jobs.len());
    let worked = work(simulator, values, jobs, workers, options, &mut |batch| {
        for finished in batch {
            outcomes[finished.record.index] = Some(finished.record.outcome);
        }
        Ok::<(), std::convert::Infallible>(())
    });
    match worked {
        Ok(()) => outcomes,
        Err(never) => match never {},
    }
}

/// All points with their seeds.
fn samples<'a>(points: &'a [Vec<f64>], options: &RunnerOptions) -> Vec<Sample<'a>> {
    let numbered = points.iter().enumerate();
    numbered
        .map(|(index, point)| Sample { index, point, seed: seed_of(options.seed, index) })
        .collect()
}

/// What the finished ones of some samples gave.
fn outcomes<'a>(
    samples: &'a [Sample],
    store: &'a Store,
) -> impl Iterator<Item = &'a SampleOutcome> {
    samples.iter().filter_map(|s| Some(&store.records().get(&s.index)?.outcome))
}

fn is_timed_out(outcome: &SampleOutcome) -> bool {
    matches!(outcome, SampleOutcome::TimedOut { .. })
}

/// Points have the width of the plan, and those of finished samples have not changed.
fn check_points(samples: &[Sample], store: &Store) -> Result<(), StudyError> {
    let variables = &store.plan().variables;
    for &Sample { index, point, .. } in samples {
        if point.len() != variables.len() {
            let (found, expected) = (point.len(), variables.len());
            return Err(StudyError::Width { index, found, expected });
        }
        let Some(record) = store.records().get(&index) else { continue };
        for ((stored, asked), variable) in record.point.iter().zip(point).zip(variables) {
            if stored.to_bits() != asked.to_bits() {
                let (stored, asked, variable) = (*stored, *asked, variable.name.clone());
                return Err(StudyError::OtherPoint { index, variable, stored, asked });
            }
        }
    }
    Ok(())
}

fn summary(samples: &[Sample], run: usize, store: &Store) -> Result<Summary, StudyError> {
    let total = samples.len();
    let outcomes = || outcomes(samples, store);
    let done = outcomes().filter(|o| o.is_done()).count();
    let timed_out = outcomes().filter(|o| is_timed_out(o)).count();
    let finished = outcomes().count();
    if finished == total && done == 0 {
        let (cause, times) = most_frequent(outcomes().map(SampleOutcome::cause));
        return Err(StudyError::AllFailed { samples: total, cause, times });
    }
    let failed = finished - done - timed_out;
    Ok(Summary { total, done, failed, timed_out, run, cancelled: finished < total })
}

/// The cause that occurs most often, the first of several, and how often.
pub fn most_frequent(causes: impl Iterator<Item = String>) -> (String, usize) {
    let mut counts: Vec<(String, usize)> = Vec::new();
    for cause in causes {
        match counts.iter_mut().find(|(known, _)| *known == cause) {
            Some((_, count)) => *count += 1,
            None => counts.push((cause, 1)),
        }
    }
    let most = counts.iter().map(|(_, count)| *count).max().unwrap_or(0);
    counts.into_iter().find(|(_, count)| *count == most).unwrap_or_default()
}
