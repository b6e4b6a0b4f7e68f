//! The run: steps, events, rows, extremes.

use std::ops::ControlFlow;

use crate::assembly::Assembly;
use crate::results::{LoopPoint, RunReport};
use crate::run::RunSpec;

/// Receives the rows of a run as it goes. `Break` stops the run cleanly.
pub trait Observer {
    /// One row: time, the outputs of the run in their order, and per clearance joint the journal's
    /// position (x, y) in the bearing's axes.
    fn row(&mut self, t: f64, values: &[f64], orbits: &[[f64; 2]]) -> ControlFlow<()>;

    /// A point of a force–indentation loop asked for.
    fn loop_point(&mut self, point: LoopPoint) -> ControlFlow<()>;

    /// Called after every step with the present and the last time.
    fn progress(&mut self, t: f64, end: f64) -> ControlFlow<()>;
}

/// An observer that keeps nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {
    fn row(&mut self, _t: f64, _values: &[f64], _orbits: &[[f64; 2]]) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn loop_point(&mut self, _point: LoopPoint) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn progress(&mut self, _t: f64, _end: f64) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// Runs an assembled mechanism.
pub fn simulate(_assembly: &Assembly, _spec: &RunSpec, _observer: &mut dyn Observer) -> RunReport {
    unreachable!("written next")
}
