//! A run: integrate, compare with ideal joints, certify, repeat from other starts; write and draw what
//! is asked for.

mod cost;
mod drawing;
mod execute;
mod files;
mod motion;
mod pictures;
mod record;
mod recorder;
mod saved;
mod series;

use gudgeon::assembly::Assembly;
use gudgeon_model::{Loaded, Overrides};

pub use cost::Cost;
pub use drawing::Range;
pub use execute::{Baseline, Cut, Kept, RunOutcome, exactness, unfinished};
pub use files::FilesRun;
pub(crate) use files::killed;
pub use pictures::{first_picture, ideal_value};
pub(crate) use record::{Origin, data_text, parameters, taken, warnings};
pub use series::Series;

use crate::refusal::Refusal;
use crate::source::Source;

/// What is done beside the run itself.
#[derive(Clone, Debug, PartialEq)]
pub struct RunOptions {
    /// Compare with the same mechanism with ideal joints.
    pub baseline: bool,
    /// How many digits hold: two more runs at finer tolerances.
    pub certify: bool,
    /// Runs from starts that differ by a nanometre.
    pub ensemble: Option<usize>,
    /// Seed of the ensemble.
    pub seed: u64,
    /// Threads of the ensemble; 0 for all cores.
    pub jobs: usize,
    /// Keep the rows in memory.
    pub series: bool,
    /// CPU time that the process had used when this work began, s: limits and costs count from then on.
    pub started: f64,
}

impl Default for RunOptions {
    fn default() -> Self {
        RunOptions {
            baseline: true,
            certify: false,
            ensemble: None,
            seed: 1,
            jobs: 0,
            series: false,
            started: 0.0,
        }
    }
}

/// A run that can start: everything that can be wrong has been looked at.
#[derive(Debug)]
pub struct RunJob {
    pub source: Source,
    /// Changes that the model was read with.
    pub overrides: Overrides,
    pub loaded: Loaded,
    pub assembly: Assembly,
    pub options: RunOptions,
    /// The part of the run that its pictures show.
    pub range: Range,
}

impl RunJob {
    /// Reads and assembles a model.
    pub fn new(
        source: Source,
        overrides: Overrides,
        options: RunOptions,
    ) -> Result<RunJob, Refusal> {
        let (loaded, assembly) = source.assemble(&overrides)?;
        Ok(RunJob::of(source, overrides, loaded, assembly, options))
    }

    /// The run of a model that was read and assembled.
    pub fn of(
        source: Source,
        overrides: Overrides,
        loaded: Loaded,
        assembly: Assembly,
        options: RunOptions,
    ) -> RunJob {
        let range = Range::new(loaded.plot_range, &loaded.run);
        RunJob { source, overrides, loaded, assembly, options, range }
    }
}
