//! Inside a step: dense output, and the switches and stop times that end a step early.

use super::{Explicit, SAME_INSTANT, StepOutcome};
use crate::dense_output;
use crate::events::{self, Bracket, NODES};
use crate::options::StepControl;
use crate::problem::{Fault, SecondOrderDae};

impl Explicit {
    /// Ends the step at the first fall of a switch or at the stop time, if they lie inside.
    pub(super) fn end_inside<P: SecondOrderDae>(
        &mut self,
        plant: &mut P,
        stop: f64,
    ) -> Result<Option<StepOutcome>, Fault> {
        self.find_brackets(plant, stop);
        if self.brackets.is_empty() {
            return Ok(None);
        }
        let n = self.y.len();
        self.prepare_dense(plant)?;
        let Some(theta) = self.earliest_fall(plant, stop) else { return Ok(None) };
        self.last.end = theta;
        dense_output::evaluate(theta, &self.last.y0, &self.last.rows, &mut self.y);
        let stopped = self.fired.contains(&self.dims.switches);
        if stopped {
            self.y[n - 1] = stop;
            self.fired.retain(|&switch| switch != self.dims.switches);
        }
        self.t = self.y[n - 1].max(self.last.t);
        self.y[n - 1] = self.t;
        if let StepControl::Adaptive { .. } = self.options.control {
            plant.project(self.t, &mut self.y[..n - 1])?;
            self.statistics.projections += 1;
        }
        self.carried = false;
        if self.fired.is_empty() {
            return Ok(Some(StepOutcome::Stopped));
        }
        self.statistics.events += 1;
        Ok(Some(StepOutcome::Event))
    }

    /// Candidates by the cheap interpolant; the stop time counts as one more switch.
    pub(super) fn find_brackets<P: SecondOrderDae>(&mut self, plant: &mut P, stop: f64) {
        let n = self.y.len();
        let count = self.dims.switches + usize::from(self.stretched);
        let width = self.dims.switches + 1;
        // The last step ended where this one starts.
        let first = usize::from(std::mem::take(&mut self.nodes_known));
        self.nodes.copy_within(NODES.len() * width.., 0);
        self.nodes[width - 1] = stop - self.last.t;
        for i in first..=NODES.len() {
            match i {
                0 => self.trial.copy_from_slice(&self.last.y0),
                // Where the rates were taken last.
                4 => {
                    let (y, out) = (&self.last.y1, &mut self.nodes[i * width..][..width]);
                    plant.switches_here(y[n - 1], &y[..n - 1], &mut out[..width - 1]);
                    out[width - 1] = stop - y[n - 1];
                    continue;
                }
                _ => self.hermite(NODES[i - 1]),
            }
            let out = &mut self.nodes[i * width..][..width];
            switches(plant, &self.trial, stop, out);
        }
        self.brackets.clear();
        let h = self.last.h;
        for switch in 0..count {
            let values = std::array::from_fn(|i| self.nodes[i * (self.dims.switches + 1) + switch]);
            let quintic = if self.stretched { 0 } else { self.quintic };
            let fall = events::first_fall(values, |theta| {
                dense_output::hermite(
                    theta,
                    h,
                    quintic,
                    (&self.last.y0, &self.last.y1),
                    (&self.k[..n], &self.k[self.tableau.stages * n..]),
                    &mut self.trial,
                );
                switches(plant, &self.trial, stop, &mut self.probe);
                self.probe[switch]
            });
            if let Some((from, to)) = fall {
                self.brackets.push(Bracket { switch, from, to });
            }
        }
    }

    pub(super) fn hermite(&mut self, theta: f64) {
        let n = self.y.len();
        dense_output::hermite(
            theta,
            self.last.h,
            if self.stretched { 0 } else { self.quintic },
            (&self.last.y0, &self.last.y1),
            (&self.k[..n], &self.k[self.tableau.stages * n..]),
            &mut self.trial,
        );
    }

    /// Locates every bracketed fall on the dense output; fills `fired` with those at the first.
    pub(super) fn earliest_fall<P: SecondOrderDae>(
        &mut self,
        plant: &mut P,
        stop: f64,
    ) -> Option<f64> {
        let mut first = f64::INFINITY;
        for bracket in &mut self.brackets {
            let switch = bracket.switch;
            let value = |theta: f64| {
                dense_output::evaluate(theta, &self.last.y0, &self.last.rows, &mut self.trial);
                switches(plant, &self.trial, stop, &mut self.probe);
                self.probe[switch]
            };
            // `to` becomes the located place.
            bracket.to =
                events::locate_from(bracket.from, bracket.to, value).unwrap_or(f64::INFINITY);
            first = first.min(bracket.to);
        }
        self.fired.clear();
        for bracket in &self.brackets {
            if bracket.to <= first + SAME_INSTANT && first.is_finite() {
                self.fired.push(bracket.switch);
            }
        }
        first.is_finite().then_some(first)
    }

    /// Makes [`interpolate`](Self::interpolate) ready; call it before the memory of the system
    /// changes.
    pub fn prepare_dense<P: SecondOrderDae>(&mut self, plant: &mut P) -> Result<(), Fault> {
        if self.last.dense {
            return Ok(());
        }
        self.current = false;
        let h = self.last.h;
        for stage in self.tableau.stages + 1..self.tableau.all_stages() {
            self.stage(plant, stage, h)?;
        }
        dense_output::prepare(
            self.tableau,
            h,
            &self.last.y0,
            &self.last.y1,
            &self.k,
            &mut self.last.rows,
        );
        self.last.dense = true;
        Ok(())
    }

    /// The solution at a place θ of the last step, after [`prepare_dense`](Self::prepare_dense);
    /// returns its time.
    pub fn interpolate(&mut self, theta: f64, out: &mut [f64]) -> f64 {
        debug_assert!(self.last.dense, "dense output is not prepared");
        if theta == self.last.end {
            out.copy_from_slice(&self.y[..out.len()]);
            return self.t;
        }
        dense_output::evaluate(theta, &self.last.y0, &self.last.rows, &mut self.trial);
        out.copy_from_slice(&self.trial[..out.len()]);
        self.trial[out.len()]
    }

    /// The best solution at a place of the last step that needs no further stages: of order 6 for
    /// DOP853, where the dense output is of order 7; for other methods the same.
    pub fn sketch(&mut self, theta: f64, out: &mut [f64]) -> f64 {
        if theta == self.last.end {
            out.copy_from_slice(&self.y[..out.len()]);
            return self.t;
        }
        dense_output::sketch(
            self.tableau,
            theta,
            self.last.h,
            (&self.last.y0, &self.last.y1),
            &self.k,
            &mut self.trial,
        );
        out.copy_from_slice(&self.trial[..out.len()]);
        self.trial[out.len()]
    }

    /// Place of a time of the last step, after [`prepare_dense`](Self::prepare_dense).
    pub fn place_of(&self, t: f64) -> f64 {
        if !self.stretched {
            return (t - self.last.t) / self.last.h;
        }
        if t >= self.t {
            return self.last.end;
        }
        let n = self.y.len();
        let mut rows = [0.0; dense_output::ROWS];
        let count = self.last.rows.len() / n;
        for (row, of_all) in rows.iter_mut().zip(self.last.rows.chunks_exact(n)) {
            *row = of_all[n - 1];
        }
        let time = |theta: f64| {
            let mut value = 0.0;
            for (i, row) in rows[..count].iter().enumerate().rev() {
                let x = if i % 2 == 0 { theta } else { 1.0 - theta };
                value = (value + row) * x;
            }
            self.last.t + value
        };
        events::locate(0.0, self.last.end, |theta| t - time(theta)).unwrap_or(self.last.end)
    }
}

/// Values of the switches, and last the time left to `stop`.
fn switches<P: SecondOrderDae>(plant: &mut P, y: &[f64], stop: f64, out: &mut [f64]) {
    let (n, count) = (y.len() - 1, out.len() - 1);
    plant.switches(y[n], &y[..n], &mut out[..count]);
    out[count] = stop - y[n];
}
