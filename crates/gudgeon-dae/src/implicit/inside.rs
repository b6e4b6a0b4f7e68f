//! Inside a step: the solution between its ends, and the switches that end it early.

use super::work::Failure;
use super::{Implicit, ImplicitDae};
use crate::events::{self, Bracket, NODES};
use crate::problem::{Fault, SecondOrderDae};

/// Events closer than this fraction of the step are one event.
const SAME_INSTANT: f64 = 1e-10;
/// A step to an event is not repeated where it is shorter than this share of the whole.
const SHORTEST: f64 = 1e-6;
/// Share of a step over which the slope of a switch at its end is taken.
const PROBE: f64 = 1e-3;

impl Implicit {
    /// Ends the step at the first fall of a switch; says whether there is one.
    pub(super) fn end_inside<P: ImplicitDae>(&mut self, plant: &mut P) -> Result<bool, Failure> {
        self.find_brackets(plant);
        if self.brackets.is_empty() {
            return Ok(false);
        }
        let Some(theta) = self.earliest_fall(plant) else { return Ok(false) };
        if !self.repeat_to(plant, theta)? {
            self.inner(theta);
            self.y.copy_from_slice(&self.trial);
            self.last.end = theta;
            self.t = self.last.t + theta * self.last.h;
        }
        plant.settle(self.t, &mut self.y);
        plant.project(self.t, &mut self.y)?;
        self.statistics.projections += 1;
        self.current = false;
        self.forget();
        Ok(true)
    }

    /// Ends the step at a fall by a shorter step, for methods whose inside is less accurate than their
    /// ends, and a last correction along the rates; false where the step stays as it is.
    fn repeat_to<P: ImplicitDae>(&mut self, plant: &mut P, theta: f64) -> Result<bool, Failure> {
        let repeats = self.scheme.repeats_for_events() || self.leapt;
        if !repeats || theta < SHORTEST || theta == 1.0 {
            if repeats && theta < SHORTEST {
                self.scheme.undo();
            }
            return Ok(false);
        }
        let switch = self.fired[0];
        if !self.leapt {
            self.repeat(plant, theta * self.last.h)?;
        } else if !self.repeat_leap(plant, theta * self.last.h) {
            return Ok(false);
        }
        if !self.scheme.corrects_events() {
            return Ok(true);
        }
        self.switches_at(plant, 1.0 - PROBE);
        let before = self.probe[switch];
        self.switches_at(plant, 1.0);
        let value = self.probe[switch];
        let slope = (value - before) / (PROBE * self.last.h);
        let by = -value / slope;
        if slope < 0.0 && by.abs() < PROBE * self.last.h {
            for (y, rate) in self.y.iter_mut().zip(&self.last.rates1) {
                *y += by * rate;
            }
            self.t += by;
        }
        Ok(true)
    }

    /// The solution at a place of the last step, into `trial`.
    fn inner(&mut self, theta: f64) {
        match theta {
            0.0 => self.trial.copy_from_slice(&self.last.y0),
            1.0 => self.trial.copy_from_slice(&self.last.y1),
            _ => {
                let mut trial = std::mem::take(&mut self.trial);
                self.inside(theta, &mut trial);
                self.trial = trial;
                self.last.quadratures(self.dims, theta, &mut self.trial);
            }
        }
    }

    fn switches_at<P: ImplicitDae>(&mut self, plant: &mut P, theta: f64) {
        self.inner(theta);
        let t = self.last.t + theta * self.last.h;
        plant.switches(t, &self.trial, &mut self.probe);
    }

    fn find_brackets<P: ImplicitDae>(&mut self, plant: &mut P) {
        let count = self.dims.switches;
        for i in 0..=NODES.len() {
            let theta = if i == 0 { 0.0 } else { NODES[i - 1] };
            self.switches_at(plant, theta);
            self.nodes[i * count..][..count].copy_from_slice(&self.probe);
        }
        self.brackets.clear();
        for switch in 0..count {
            let values = std::array::from_fn(|i| self.nodes[i * count + switch]);
            let fall = events::first_fall(values, |theta| {
                self.switches_at(plant, theta);
                self.probe[switch]
            });
            if let Some((from, to)) = fall {
                self.brackets.push(Bracket { switch, from, to });
            }
        }
    }

    /// Locates every bracketed fall; fills `fired` with those at the first.
    fn earliest_fall<P: ImplicitDae>(&mut self, plant: &mut P) -> Option<f64> {
        let mut first = f64::INFINITY;
        for k in 0..self.brackets.len() {
            let Bracket { switch, from, to } = self.brackets[k];
            let found = events::locate_from(from, to, |theta| {
                self.switches_at(plant, theta);
                self.probe[switch]
            });
            self.brackets[k].to = found.unwrap_or(f64::INFINITY);
            first = first.min(self.brackets[k].to);
        }
        self.fired.clear();
        for bracket in &self.brackets {
            if bracket.to <= first + SAME_INSTANT && first.is_finite() {
                self.fired.push(bracket.switch);
            }
        }
        first.is_finite().then_some(first)
    }

    /// Nothing to be done: the solution inside a step is there. For the interface of explicit
    /// methods.
    pub fn prepare_dense<P: SecondOrderDae>(&mut self, _plant: &mut P) -> Result<(), Fault> {
        Ok(())
    }

    /// The solution at a place θ of the last step; returns its time.
    pub fn interpolate(&mut self, theta: f64, out: &mut [f64]) -> f64 {
        if theta == self.last.end {
            out.copy_from_slice(&self.y);
            return self.t;
        }
        self.inner(theta);
        out.copy_from_slice(&self.trial);
        self.last.t + theta * self.last.h
    }

    /// The same; implicit methods have no cheaper one.
    pub fn sketch(&mut self, theta: f64, out: &mut [f64]) -> f64 {
        self.interpolate(theta, out)
    }

    /// Place of a time of the last step.
    pub fn place_of(&self, t: f64) -> f64 {
        (t - self.last.t) / self.last.h
    }
}
