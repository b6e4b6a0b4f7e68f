//! Simulations that a search asks for: kept in a folder of their own, so that none is lost.
//!
//! Answers are known by their points, and the seed of a simulation comes from its point. What was
//! paid for once therefore serves every later search of the same model, in whatever order it asks;
//! the table holds what was asked this time, in the order of the questions.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::Path;

use gudgeon::progress::Progress;
use gudgeon_study::runner::{RunnerOptions, Sample, Simulator, StudyError, run_some, seed_at};
use gudgeon_study::store::{JOURNAL, Plan, Record, Store, StoreError, TABLE, TIMING, set_aside};

use super::StudyJob;

pub struct Runs<'a> {
    simulator: &'a dyn Simulator,
    options: RunnerOptions<'a>,
    store: Store,
    /// Number in the journal of every point, by its bits.
    known: HashMap<Vec<u64>, usize>,
    /// The first number that is free.
    next: usize,
    /// Numbers and points in the order of the questions.
    asked: Vec<(usize, Vec<f64>)>,
    is_asked: HashSet<usize>,
    progress: &'a dyn Progress,
    /// Points that are expected in all.
    expected: usize,
    /// Why nothing more can be run: the user, or the disk.
    pub stopped: Option<Stop>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Stop {
    Interrupted,
    Failed(String),
}

/// Values of the responses, or why there are none.
pub type Answer = Result<Vec<f64>, String>;

impl<'a> Runs<'a> {
    /// Opens the journal in `folder`; one of other simulations is replaced, a damaged one is kept
    /// beside it. What was put right is added to `repairs`.
    pub fn open(
        simulator: &'a dyn Simulator,
        folder: &Path,
        (job, plan): (&StudyJob<'a>, &Plan),
        part: &'static str,
        expected: usize,
        repairs: &mut Vec<String>,
    ) -> Result<Self, String> {
        job.progress.begin(part);
        let options = job.runner_options();
        let opened = match job.open(folder, plan) {
            Err(StoreError::OtherStudy { .. }) => {
                for name in [JOURNAL, TABLE, TIMING] {
                    let _ = fs::remove_file(folder.join(name)); // told by the next line
                }
                job.open(folder, plan)
            }
            Err(error @ StoreError::NotAJournal { .. }) => {
                let kept = set_aside(folder).map_err(|error| error.to_string())?;
                for name in [TABLE, TIMING] {
                    let _ = fs::remove_file(folder.join(name));
                }
                let kept = kept.display();
                repairs.push(format!("{error}; it is kept as `{kept}`, and begun anew"));
                job.open(folder, plan)
            }
            opened => opened,
        };
        let store = opened.map_err(|error| error.to_string())?;
        repairs.extend(store.repair().map(str::to_owned));
        let known = store.records().values().map(|r| (bits(&r.point), r.index)).collect();
        let next = store.records().keys().next_back().map_or(0, |last| last + 1);
        Ok(Self {
            simulator,
            options,
            store,
            known,
            next,
            asked: Vec::new(),
            is_asked: HashSet::new(),
            progress: job.progress,
            expected,
            stopped: None,
        })
    }

    /// Simulates what is not known yet; answers in the order of the rows.
    pub fn evaluate(&mut self, rows: &[Vec<f64>]) -> Vec<Answer> {
        let before = self.asked.len();
        let numbers: Vec<usize> = rows.iter().map(|row| self.number(row)).collect();
        if self.stopped.is_none() {
            self.run(before);
        }
        let answer = |number: &usize| match self.store.records().get(number) {
            Some(record) => answer(record),
            None => Err("not run".to_owned()),
        };
        numbers.iter().map(answer).collect()
    }

    fn number(&mut self, row: &[f64]) -> usize {
        let number = *self.known.entry(bits(row)).or_insert_with(|| {
            self.next += 1;
            self.next - 1
        });
        if self.is_asked.insert(number) {
            self.asked.push((number, row.to_vec()));
        }
        number
    }

    /// Runs what is asked beyond the first `before` points.
    fn run(&mut self, before: usize) {
        let (bar, expected) = (self.progress, self.expected.max(self.asked.len()));
        let mut progress = |progress: &gudgeon_study::runner::Progress| {
            bar.report((before + progress.done) as f64 / expected as f64);
        };
        let seed = self.options.seed;
        let asked = self.asked[before..].iter();
        let samples: Vec<Sample> = asked
            .map(|(index, point)| Sample { index: *index, point, seed: seed_at(seed, point) })
            .collect();
        let ended =
            run_some(self.simulator, &samples, &mut self.store, &self.options, &mut progress);
        self.stopped = match ended {
            Ok(summary) if summary.cancelled => Some(Stop::Interrupted),
            // A search learns from failures, too.
            Ok(_) | Err(StudyError::AllFailed { .. } | StudyError::NoSamples) => None,
            Err(error) => Some(Stop::Failed(error.to_string())),
        };
    }

    /// Simulations so far.
    pub fn count(&self) -> usize {
        self.asked.len()
    }

    /// The simulations so far, in the order of the questions and numbered from 0.
    pub fn records(&self) -> Vec<Record> {
        let found = self.asked.iter().filter_map(|(number, _)| self.store.records().get(number));
        found.enumerate().map(|(index, record)| Record { index, ..record.clone() }).collect()
    }

    /// Writes the table of all simulations asked for.
    pub fn finish(mut self) -> Option<Stop> {
        if self.stopped.is_none() {
            let asked: Vec<usize> = self.asked.iter().map(|(number, _)| *number).collect();
            let finished = self.store.finish_some(&asked);
            self.stopped = finished.err().map(|error| Stop::Failed(error.to_string()));
        }
        self.stopped
    }
}

/// What a finished simulation says.
pub fn answer(record: &Record) -> Answer {
    match record.outcome.values() {
        Some(values) => Ok(values.to_vec()),
        None => Err(record.outcome.cause()),
    }
}

/// What makes a point this point and no other.
pub fn bits(point: &[f64]) -> Vec<u64> {
    point.iter().map(|value| value.to_bits()).collect()
}
