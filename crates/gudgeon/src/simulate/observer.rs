//! Who watches a run.

use std::ops::ControlFlow;

use super::{LinePoint, MotionPoint};
use crate::results::LoopPoint;
use crate::run::Until;

/// Receives the rows of a run as it goes; what it does not ask for is dropped. `Break` stops the run
/// cleanly.
pub trait Observer {
    /// One row: time, the outputs of the run in their order, and per orbit ([`orbits`](super::orbits)) the
    /// position (x, y) of the journal in the bearing's axes.
    fn row(&mut self, _t: f64, _values: &[f64], _orbits: &[[f64; 2]]) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// The end of a step, after the rows inside it, whether it is a row or not: its outputs are known
    /// anyway. `event` where the step ended at one, so that modes of contacts change there.
    fn step(&mut self, _t: f64, _values: &[f64], _event: bool) {}

    /// A point of a force–indentation loop asked for.
    fn loop_point(&mut self, _point: LoopPoint) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// Whether the lines of flexible links are wanted at the row of this number, counted from 0.
    fn wants_lines(&self, _row: u64) -> bool {
        false
    }

    /// The centre line of a flexible link, a body of the model, at a row that asked for it.
    fn line(&mut self, _t: f64, _body: usize, _points: &[LinePoint]) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// When the row of this number is due, counted from 1, for an observer with instants of its own
    /// instead of those of the run. They rise; infinity ends them.
    fn instant(&self, _row: u64) -> Option<f64> {
        None
    }

    /// The next instant at which the observer takes a sample, whatever the rows are. They rise;
    /// infinity for none.
    fn next_sample(&self) -> f64 {
        f64::INFINITY
    }

    /// The outputs at the instant of [`Observer::next_sample`], which is another one from now on.
    fn sample(&mut self, _t: f64, _values: &[f64]) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// From when to when the observer draws the run; nothing if it does not draw.
    fn draws(&self) -> Option<(Until, Until)> {
        None
    }

    /// The outputs at one instant of what is drawn: at its start, at the end of every step, at
    /// rows, and between so that no column of a picture is without. Steps come in the order of
    /// time; the points of one step may not.
    fn curve_point(&mut self, _t: f64, _values: &[f64]) {}

    /// The orbits ([`orbits`](super::orbits)) at one instant of what is drawn, in the order of time and so close
    /// that straight lines between them are as good as the curve.
    fn orbit_point(&mut self, _t: f64, _orbits: &[[f64; 2]]) {}

    /// Whether the motion itself is wanted.
    fn wants_motion(&self) -> bool {
        false
    }

    /// The mechanism at an instant, in the order of time, so close that straight lines between show the motion
    /// ([`MotionLayout`](super::MotionLayout)).
    fn motion_point(&mut self, _t: f64, _point: &MotionPoint) {}

    /// An impact begins at the last [`Observer::motion_point`].
    fn motion_impact(&mut self) {}

    /// Called after every step with the present and the last time.
    fn progress(&mut self, _t: f64, _end: f64) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// An observer that keeps nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {}
