//! The threads that run samples.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use gudgeon::cpu;

use super::{RunnerOptions, Sample, SampleFailure, Simulator};
use crate::store::{Record, SampleOutcome};

/// Samples that are handed over together at most.
const BATCH: usize = 4096;
/// Time between two looks at the CPU clock.
const LOOK: Duration = Duration::from_millis(5);

pub(super) struct Finished {
    pub record: Record,
    pub wall: Duration,
}

/// Runs all jobs and hands what is finished to `sink` on this thread, until all is done, the study
/// is cancelled, or `sink` fails.
pub(super) fn work<E>(
    simulator: &dyn Simulator,
    names: &[String],
    jobs: Vec<Sample>,
    threads: usize,
    options: &RunnerOptions,
    sink: &mut dyn FnMut(Vec<Finished>) -> Result<(), E>,
) -> Result<(), E> {
    let next = AtomicUsize::new(0);
    let given_up = AtomicBool::new(false);
    let crew = Crew { simulator, names, jobs: &jobs, next: &next, given_up: &given_up, options };
    // Workers wait for a disk that is far behind, so that a cancelled study need not catch up.
    let (sender, receiver) = mpsc::sync_channel(BATCH);
    std::thread::scope(|scope| {
        let receiver = receiver; // gone where `sink` fails, so that no worker waits for ever
        for _ in 0..threads {
            let sender = sender.clone();
            let crew = &crew;
            scope.spawn(move || crew.work(&sender));
        }
        drop(sender);
        while let Ok(first) = receiver.recv() {
            let mut batch = vec![first];
            batch.extend(receiver.try_iter().take(BATCH - 1));
            if let Err(error) = sink(batch) {
                given_up.store(true, Ordering::Relaxed);
                return Err(error);
            }
        }
        Ok(())
    })
}

/// What all workers share.
struct Crew<'a> {
    simulator: &'a dyn Simulator,
    /// Names of the values.
    names: &'a [String],
    jobs: &'a [Sample<'a>],
    next: &'a AtomicUsize,
    given_up: &'a AtomicBool,
    options: &'a RunnerOptions<'a>,
}

impl Crew<'_> {
    fn work(&self, sender: &mpsc::SyncSender<Finished>) {
        while !self.is_cancelled() {
            let Some(job) = self.jobs.get(self.next.fetch_add(1, Ordering::Relaxed)) else { break };
            let Some(finished) = self.sample(job) else { break };
            if sender.send(finished).is_err() {
                break;
            }
        }
    }

    fn is_cancelled(&self) -> bool {
        self.given_up.load(Ordering::Relaxed)
            || self.options.cancel.is_some_and(|cancel| cancel.is_cancelled())
    }

    /// Runs one sample; `None` when it was cancelled.
    fn sample(&self, job: &Sample) -> Option<Finished> {
        let (clock, started) = (Instant::now(), cpu::seconds());
        let limit = self.options.time_limit.map(|limit| limit.as_secs_f64());
        let is_late = || limit.is_some_and(|limit| cpu::seconds() - started > limit);
        // The CPU clock is a system call.
        let looked = Cell::new(clock);
        let stop = || {
            self.is_cancelled()
                || limit.is_some() && looked.get().elapsed() > LOOK && {
                    looked.set(Instant::now());
                    is_late()
                }
        };
        let run = || self.simulator.run(job.point, job.seed, &stop);
        let mut notes = Vec::new();
        let outcome = match catch_unwind(AssertUnwindSafe(run)) {
            Ok(Ok(answer)) => {
                notes = answer.notes;
                self.checked(answer.values, answer.has_gaps)
            }
            Ok(Err(SampleFailure::Failed(cause))) => SampleOutcome::Failed(cause),
            Ok(Err(SampleFailure::Late)) => match limit {
                Some(limit) => SampleOutcome::TimedOut { limit },
                None => SampleOutcome::Failed("the simulation took too long".into()),
            },
            Ok(Err(SampleFailure::Stopped)) if self.is_cancelled() => return None,
            Ok(Err(SampleFailure::Stopped)) => match limit {
                Some(limit) if is_late() => SampleOutcome::TimedOut { limit },
                _ => SampleOutcome::Failed("the simulation stopped without being asked to".into()),
            },
            Err(panic) => {
                SampleOutcome::Failed(format!("the program failed: {}", message(&*panic)))
            }
        };
        let cpu_seconds = cpu::seconds() - started;
        let (index, point) = (job.index, job.point.into());
        let record = Record { index, point, outcome, notes, cpu_seconds };
        Some(Finished { record, wall: clock.elapsed() })
    }

    /// Values are as many as announced and finite, or missing.
    fn checked(&self, values: Vec<f64>, has_gaps: bool) -> SampleOutcome {
        if values.len() != self.names.len() {
            let (found, expected) = (values.len(), self.names.len());
            return SampleOutcome::Failed(format!(
                "the simulation gave {found} values instead of {expected}"
            ));
        }
        let is_right = |value: &f64| value.is_finite() || (has_gaps && value.is_nan());
        match values.iter().zip(self.names).find(|(value, _)| !is_right(value)) {
            Some((value, name)) => SampleOutcome::Failed(format!("`{name}` is {value}")),
            None => SampleOutcome::Done(values),
        }
    }
}

/// What a panic says.
fn message(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("it does not say why")
}
