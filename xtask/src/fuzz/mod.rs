//! `cargo xtask fuzz`: mutated models and studies are read and their messages rendered, then those
//! that are still valid are assembled and run. Nothing may panic, hang, or fail without a reason.
//!
//! Input number i of a seed is the same on every machine and for every number of jobs. `bases` holds
//! what is mutated, `mutate` and `tune` how (`grammar` writes expressions, `places` finds what to
//! change), `case` what an input is, `judge` what is wrong with it, `minimise` makes a finding small,
//! `workers` share the work and watch for hangs, `supervise` survives a crash, `report` tells.

mod bases;
mod case;
mod grammar;
mod judge;
mod minimise;
mod mutate;
mod options;
mod places;
mod report;
mod supervise;
#[cfg(test)]
mod tests;
mod tune;
mod workers;

use bases::Bases;
use case::{Case, Stage};
use gudgeon::random::Random;
pub use supervise::fuzz;

/// The source of inputs.
struct Generator {
    bases: Bases,
    seed: u64,
}

impl Generator {
    fn new(seed: u64) -> Self {
        Self { bases: Bases::collect(), seed }
    }

    /// Input number `index` of a stage.
    fn case(&self, stage: Stage, index: u64) -> Case {
        let stream = match stage {
            Stage::Read => 0,
            Stage::Run => 1,
        };
        let mut random = Random::new(self.seed).split(stream).split(index);
        match stage {
            Stage::Read => mutate::case(&self.bases, &mut random),
            Stage::Run => tune::case(&self.bases, &mut random),
        }
    }
}
