//! Many runs from starts that differ by a nanometre: mean and spread of chaotic extremes.

use crate::assembly::AssemblyError;
use crate::model::Model;
use crate::results::SimulationError;
use crate::run::RunSpec;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EnsembleOptions {
    pub runs: usize,
    pub seed: u64,
    /// Threads; 0 for all cores. The result does not depend on it.
    pub jobs: usize,
}

#[derive(Clone, Debug)]
pub struct EnsembleReport {
    /// Runs asked for and runs that finished.
    pub runs: usize,
    pub finished: usize,
    /// One per output: extremes over the finished runs.
    pub extremes: Vec<EnsembleExtreme>,
    pub failures: Vec<(usize, SimulationError)>,
}

#[derive(Clone, Debug)]
pub struct EnsembleExtreme {
    pub name: String,
    pub unit: &'static str,
    pub abs_max: Spread,
    pub max: Spread,
    pub min: Spread,
    pub rms: Spread,
}

/// Sample mean, standard deviation (n − 1), smallest and largest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    pub mean: f64,
    pub std: f64,
    pub min: f64,
    pub max: f64,
}

/// Runs the ensemble; `finished` is called after each run from any thread, `false` stops it.
pub fn ensemble(
    _model: &Model,
    _spec: &RunSpec,
    _options: EnsembleOptions,
    _finished: &(dyn Fn(usize) -> bool + Sync),
) -> Result<EnsembleReport, AssemblyError> {
    unreachable!("written next")
}
