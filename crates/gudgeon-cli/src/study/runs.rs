//! Simulations that a search asks for: kept in a folder of their own, so that none is lost.
//!
//! A search asks for points in an order that depends on the answers alone. Its journal therefore
//! serves as memory: a resumed search repeats its questions and gets the answers of the first time.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use gudgeon_study::runner::{RunnerOptions, Simulator, StudyError, run};
use gudgeon_study::store::{JOURNAL, Plan, Store, StoreError, TABLE, TIMING};

use crate::terminal::Progress;

pub struct Runs<'a> {
    simulator: &'a dyn Simulator,
    options: RunnerOptions<'a>,
    store: Store,
    points: Vec<Vec<f64>>,
    /// Number of every point, by its bits.
    known: HashMap<Vec<u64>, usize>,
    bar: Progress,
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
    /// Opens the journal in `folder`; one of another search is replaced.
    pub fn open(
        simulator: &'a dyn Simulator,
        folder: &Path,
        plan: &Plan,
        options: RunnerOptions<'a>,
        bar: Progress,
        expected: usize,
    ) -> Result<Self, String> {
        let opened = match Store::open(folder, plan) {
            Err(StoreError::OtherStudy { .. } | StoreError::NotAJournal { .. }) => {
                for name in [JOURNAL, TABLE, TIMING] {
                    let _ = fs::remove_file(folder.join(name)); // told by the next line
                }
                Store::open(folder, plan)
            }
            opened => opened,
        };
        Ok(Self {
            simulator,
            options,
            store: opened.map_err(|error| error.to_string())?,
            points: Vec::new(),
            known: HashMap::new(),
            bar,
            expected,
            stopped: None,
        })
    }

    /// Simulates what is not known yet; answers in the order of the rows.
    pub fn evaluate(&mut self, rows: &[Vec<f64>]) -> Vec<Answer> {
        let numbers: Vec<usize> = rows.iter().map(|row| self.number(row)).collect();
        if self.stopped.is_none() {
            self.run();
        }
        let answer = |number: &usize| match self.store.records().get(number) {
            Some(record) => match record.outcome.values() {
                Some(values) => Ok(values.to_vec()),
                None => Err(record.outcome.cause()),
            },
            None => Err("not run".to_owned()),
        };
        numbers.iter().map(answer).collect()
    }

    fn number(&mut self, row: &[f64]) -> usize {
        let bits = row.iter().map(|value| value.to_bits()).collect();
        *self.known.entry(bits).or_insert_with(|| {
            self.points.push(row.to_vec());
            self.points.len() - 1
        })
    }

    fn run(&mut self) {
        let (bar, expected) = (&mut self.bar, self.expected.max(self.points.len()));
        let mut progress = |progress: &gudgeon_study::runner::Progress| {
            bar.show(progress.done as f64 / expected as f64);
        };
        let ended =
            run(self.simulator, &self.points, &mut self.store, &self.options, &mut progress);
        self.stopped = match ended {
            Ok(summary) if summary.cancelled => Some(Stop::Interrupted),
            // A search learns from failures, too.
            Ok(_) | Err(StudyError::AllFailed { .. } | StudyError::NoSamples) => None,
            Err(error) => Some(Stop::Failed(error.to_string())),
        };
    }

    /// Simulations so far.
    pub fn count(&self) -> usize {
        self.points.len()
    }

    /// Writes the table of all simulations.
    pub fn finish(mut self) -> Option<Stop> {
        if self.stopped.is_none() {
            let finished = self.store.finish(self.points.len());
            self.stopped = finished.err().map(|error| Stop::Failed(error.to_string()));
        }
        self.stopped
    }
}
