//! Explicit Runge–Kutta integration with projection, dense output and located events.
//!
//! One step: stages → error estimate → accept → constraints → switches. A step in which a switch
//! falls ends at the located fall; the caller reads the outputs of the part before it, changes the
//! memory of the system and calls [`Explicit::restart`]. With a fixed step the error estimate and
//! the projection are left out and Baumgarte's terms hold the constraints.
//!
//! The independent variable is τ; time is the last component of the integrated vector. Where time
//! is not stretched τ runs like t, and the step is cut to end at the stop time. Where it is, the
//! stop time is located like an event. Places in a step are given by θ = (τ − τ₀)/h ∈ [0, 1].

mod inside;
mod leap;

use crate::combination::{combine, sum};
use crate::events::{Bracket, NODES};
use crate::implicit::Equation;
use crate::options::{Options, StepControl};
use crate::problem::{Dims, Fault, SecondOrderDae, Stabilisation};
use crate::statistics::Statistics;
use crate::tableau::{ErrorRule, Row, Tableau};

/// Constraints may drift by this fraction of rtol before a projection.
pub(crate) const DRIFT_FRACTION: f64 = 0.1;
/// Safety factor and limits of the step-size change.
const SAFETY: f64 = 0.9;
const SHRINK: f64 = 0.2;
const GROW: f64 = 6.0;
/// Weight of the previous error in the choice of the step, as a share of 1/order (Gustafsson's proportional-integral
/// control): without it steps alternate between too long and too short.
const PREVIOUS: f64 = 0.32;
/// Components that the constraints hold at zero decay to numbers with which processors compute at a
/// fraction of their speed; below this they are zero.
const NOTHING: f64 = 1e-150;
/// Events closer than this fraction of the step are one event.
const SAME_INSTANT: f64 = 1e-10;

/// Why a step ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepOutcome {
    Stepped,
    /// The stop time was reached exactly.
    Stopped,
    /// Switches fell; see [`Explicit::fired`].
    Event,
}

#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum StepError {
    #[error("the step size fell below {limit:e} s at t = {time} s")]
    StepTooSmall { time: f64, limit: f64, fault: Option<Fault> },
    #[error("the equations have no solution at t = {time} s: {fault}")]
    Fault { time: f64, fault: Fault },
    #[error(
        "Newton's iteration did not converge at t = {time} s with a step of {step:e} s: {equation:?} is off by {residual:e}"
    )]
    Unsolved { time: f64, step: f64, equation: Equation, residual: f64 },
    #[error("the system asked to stop at t = {time} s")]
    Stopped { time: f64 },
}

/// State and buffers of an integration; nothing is allocated after construction.
#[derive(Debug)]
pub struct Explicit {
    tableau: &'static Tableau,
    options: Options,
    dims: Dims,
    quintic: usize,
    t: f64,
    /// State, and time as its last component.
    y: Vec<f64>,
    /// Proposed size of the next step in τ; 0 when unknown.
    h: f64,
    /// Whether time runs slower than τ at the start of the present step.
    stretched: bool,
    /// Stages, one row of length n each; row s holds the rates at the end of the last step.
    k: Vec<f64>,
    /// Whether row s of `k` belongs to the present point and mode.
    carried: bool,
    scales: Vec<f64>,
    last: Last,
    trial: Vec<f64>,
    /// Values of the switches at the start and the nodes of a step, and at one more place.
    nodes: Vec<f64>,
    /// Whether the last of the nodes is the present point in its mode.
    nodes_known: bool,
    probe: Vec<f64>,
    brackets: Vec<Bracket>,
    fired: Vec<usize>,
    grew_after_reject: bool,
    /// Whether the last evaluation of the system was at the present point.
    current: bool,
    previous_error: f64,
    pub statistics: Statistics,
}

/// The last step, kept for interpolation; it may reach beyond the present point after an event.
#[derive(Debug)]
struct Last {
    t: f64,
    h: f64,
    y0: Vec<f64>,
    y1: Vec<f64>,
    rows: Vec<f64>,
    dense: bool,
    /// Where the valid part of the step ends.
    end: f64,
}

impl Explicit {
    pub fn new<P: SecondOrderDae>(
        tableau: &'static Tableau,
        options: Options,
        plant: &P,
        t: f64,
        y: &[f64],
    ) -> Self {
        let dims = plant.dims();
        assert_eq!(y.len(), dims.total(), "state has the wrong length");
        let mut y = y.to_vec();
        y.push(t);
        let n = y.len();
        Self {
            tableau,
            options,
            dims,
            quintic: if plant.velocity_is_rate() { dims.q } else { 0 },
            t,
            h: 0.0,
            stretched: false,
            k: vec![0.0; tableau.all_stages().max(tableau.stages + 1) * n],
            carried: false,
            scales: vec![0.0; n],
            last: Last {
                t,
                h: 0.0,
                y0: y.clone(),
                y1: y.clone(),
                rows: vec![0.0; (3 + tableau.dense.len()) * n],
                dense: false,
                end: 1.0,
            },
            trial: vec![0.0; n],
            nodes: vec![0.0; (NODES.len() + 1) * (dims.switches + 1)],
            nodes_known: false,
            probe: vec![0.0; dims.switches + 1],
            brackets: Vec::with_capacity(dims.switches + 1),
            fired: Vec::with_capacity(dims.switches + 1),
            y,
            grew_after_reject: true,
            current: false,
            previous_error: 1.0,
            statistics: Statistics::default(),
        }
    }

    pub fn time(&self) -> f64 {
        self.t
    }

    pub fn state(&self) -> &[f64] {
        &self.y[..self.dims.total()]
    }

    /// State for the handling of an event; follow it by [`restart`](Self::restart).
    pub fn state_mut(&mut self) -> &mut [f64] {
        &mut self.y[..self.dims.total()]
    }

    /// Start of the last step; its end is [`time`](Self::time).
    pub fn last_start(&self) -> f64 {
        self.last.t
    }

    /// State at the start of the last step.
    pub fn last_state(&self) -> &[f64] {
        &self.last.y0[..self.dims.total()]
    }

    /// θ at which the last step ends, and its whole length in τ.
    pub fn last_extent(&self) -> (f64, f64) {
        (self.last.end, self.last.h)
    }

    /// Switches that ended the last step.
    pub fn fired(&self) -> &[usize] {
        &self.fired
    }

    /// Whether the last evaluation of the system by this integrator was at the present point.
    pub fn is_current(&self) -> bool {
        self.current
    }

    /// Tells that the memory of the system has changed; the next step tries `h`, unless steps are
    /// fixed.
    pub fn restart(&mut self, h: Option<f64>) {
        self.carried = false;
        self.nodes_known = false;
        self.grew_after_reject = true;
        if let Some(h) = h {
            self.previous_error = 1.0;
            self.h = h.min(self.options.max_step);
        }
    }

    /// Advances by one step, at most to `stop`.
    pub fn step<P: SecondOrderDae>(
        &mut self,
        plant: &mut P,
        stop: f64,
    ) -> Result<StepOutcome, StepError> {
        self.begin(plant)?;
        let mut last_fault = None;
        loop {
            let h = self.accepted_step(plant, stop, &mut last_fault)?;
            match self.finish(plant, h, stop) {
                Ok(outcome) => {
                    self.statistics.steps += 1;
                    return Ok(outcome);
                }
                Err(fault) => {
                    // A step whose end or inside has no rates is repeated with a shorter one.
                    self.y.copy_from_slice(&self.last.y0);
                    self.t = self.last.t;
                    self.last.dense = false;
                    self.give_up(h, fault, &mut last_fault)?;
                }
            }
        }
    }

    /// Constraints, rates and switches after a step that the error estimate accepts.
    fn finish<P: SecondOrderDae>(
        &mut self,
        plant: &mut P,
        h: f64,
        stop: f64,
    ) -> Result<StepOutcome, Fault> {
        self.last.h = h;
        self.last.end = 1.0;
        let reaches_stop = !self.stretched && self.t + h >= stop;
        if reaches_stop {
            *self.last.y1.last_mut().expect("time is there") = stop;
        }
        self.settle_new_point(plant)?;
        if self.dims.switches > 0 || self.stretched {
            if let Some(outcome) = self.end_inside(plant, stop)? {
                return Ok(outcome);
            }
            self.nodes_known = true;
        }
        Ok(if reaches_stop { StepOutcome::Stopped } else { StepOutcome::Stepped })
    }

    /// Shortens the step after a fault, or fails when it cannot get shorter.
    fn give_up(
        &mut self,
        h: f64,
        fault: Fault,
        last_fault: &mut Option<Fault>,
    ) -> Result<(), StepError> {
        if let StepControl::Fixed { .. } = self.options.control {
            return Err(StepError::Fault { time: self.t, fault });
        }
        *last_fault = Some(fault);
        self.statistics.faults += 1;
        self.h = 0.25 * h;
        self.grew_after_reject = false;
        Ok(())
    }

    /// Rates, scales and a step size at the present point.
    fn begin<P: SecondOrderDae>(&mut self, plant: &mut P) -> Result<(), StepError> {
        let n = self.y.len();
        let end = self.tableau.stages * n;
        if self.carried {
            self.k.copy_within(end..end + n, 0);
        } else {
            let stabilisation = self.stabilisation();
            rates(plant, &self.y, &mut self.k[..n], stabilisation)
                .map_err(|fault| StepError::Fault { time: self.t, fault })?;
            self.statistics.evaluations += 1;
        }
        self.stretched = self.k[n - 1] != 1.0;
        plant.raise_scales(&self.y[..n - 1], &mut self.scales[..n - 1]);
        self.scales[n - 1] = f64::INFINITY;
        if self.h == 0.0 {
            self.h = self.first_step();
        }
        self.last.t = self.t;
        self.last.y0.copy_from_slice(&self.y);
        self.last.dense = false;
        Ok(())
    }

    fn stabilisation(&self) -> Stabilisation {
        match self.options.control {
            StepControl::Adaptive { .. } => Stabilisation::default(),
            StepControl::Fixed { stabilisation, .. } => stabilisation,
        }
    }

    /// A first guess: one hundredth of the time in which a component moves by its scale.
    fn first_step(&self) -> f64 {
        let fastest = self
            .k
            .iter()
            .zip(&self.scales)
            .map(|(rate, scale)| if *scale > 0.0 { rate.abs() / scale } else { 0.0 })
            .fold(0.0, f64::max);
        let guess = if fastest > 0.0 { 0.01 / fastest } else { 1e-6 };
        guess.min(self.options.max_step)
    }

    /// Repeats trial steps until one is accepted; leaves the new point in `y` and returns its size.
    fn accepted_step<P: SecondOrderDae>(
        &mut self,
        plant: &mut P,
        stop: f64,
        last_fault: &mut Option<Fault>,
    ) -> Result<f64, StepError> {
        let StepControl::Adaptive { rtol } = self.options.control else {
            return self.fixed_step(plant, stop);
        };
        let limit = 16.0 * f64::EPSILON * self.t.abs().max(f64::MIN_POSITIVE / f64::EPSILON);
        let exponent = -1.0 / self.tableau.error_order();
        loop {
            ask(plant, self.t)?;
            let h = self.fit_to_stop(stop);
            if self.h <= limit && h <= self.h {
                let (time, fault) = (self.t, *last_fault);
                return Err(StepError::StepTooSmall { time, limit, fault });
            }
            let error = match self.try_step(plant, h) {
                Ok(()) => self.error_norm(h, rtol),
                Err(fault) => {
                    self.give_up(h, fault, last_fault)?;
                    continue;
                }
            };
            if error <= 1.0 {
                let grow = if self.grew_after_reject { GROW } else { 1.0 };
                let error = error.max(1e-10);
                let damping = self.previous_error.powf(-exponent * PREVIOUS);
                let change = SAFETY * error.powf(exponent * (1.0 - 0.75 * PREVIOUS)) * damping;
                let change = change.clamp(SHRINK, grow);
                self.previous_error = error.max(1e-4);
                // A step cut short by the stop time says nothing against the size proposed before.
                self.h = (h * change).max(if h < self.h { self.h } else { 0.0 });
                self.h = self.h.min(self.options.max_step);
                self.grew_after_reject = true;
                return Ok(h);
            }
            self.statistics.rejected += 1;
            self.h = h * if error.is_finite() {
                (SAFETY * error.powf(exponent)).clamp(SHRINK, 1.0)
            } else {
                SHRINK
            };
            self.grew_after_reject = false;
        }
    }

    fn fixed_step<P: SecondOrderDae>(
        &mut self,
        plant: &mut P,
        stop: f64,
    ) -> Result<f64, StepError> {
        let StepControl::Fixed { step, .. } = self.options.control else { unreachable!() };
        ask(plant, self.t)?;
        self.h = step;
        let h = self.fit_to_stop(stop);
        self.try_step(plant, h).map_err(|fault| StepError::Fault { time: self.t, fault })?;
        Ok(h)
    }

    /// The proposed step, stretched or shortened so that no sliver is left before `stop`.
    fn fit_to_stop(&self, stop: f64) -> f64 {
        let left = if self.stretched { f64::INFINITY } else { stop - self.t };
        if self.h >= left * (1.0 - self.options.control.sliver()) { left } else { self.h }
    }

    /// All stages of a step; the new point goes to `last.y1`.
    fn try_step<P: SecondOrderDae>(&mut self, plant: &mut P, h: f64) -> Result<(), Fault> {
        for stage in 1..self.tableau.stages {
            self.stage(plant, stage, h)?;
        }
        let n = self.y.len();
        let row = self.tableau.rows[self.tableau.stages];
        combine(&self.last.y0, h, row, &self.k, &mut self.last.y1);
        if let Some(index) = self.last.y1.iter().position(|y| !y.is_finite()) {
            return Err(Fault::NotFinite { index });
        }
        if self.tableau.error_uses_new_point() {
            let stabilisation = self.stabilisation();
            let out = &mut self.k[self.tableau.stages * n..][..n];
            rates(plant, &self.last.y1, out, stabilisation)?;
            self.statistics.evaluations += 1;
        }
        Ok(())
    }

    fn stage<P: SecondOrderDae>(
        &mut self,
        plant: &mut P,
        stage: usize,
        h: f64,
    ) -> Result<(), Fault> {
        let n = self.y.len();
        combine(&self.last.y0, h, self.tableau.rows[stage], &self.k, &mut self.trial);
        let stabilisation = self.stabilisation();
        self.statistics.evaluations += 1;
        rates(plant, &self.trial, &mut self.k[stage * n..][..n], stabilisation)
    }

    /// Largest error of a component as a multiple of its tolerance.
    fn error_norm(&mut self, h: f64, rtol: f64) -> f64 {
        match self.tableau.error {
            ErrorRule::None => 0.0,
            ErrorRule::Embedded(row) => h * self.largest_error(row, rtol),
            ErrorRule::FifthThird { fifth, third } => {
                let (e5, e3) = (self.largest_error(fifth, rtol), self.largest_error(third, rtol));
                if e5 == 0.0 { 0.0 } else { h * e5 * e5 / (e5 * e5 + 0.01 * e3 * e3).sqrt() }
            }
        }
    }

    /// Largest |Σ e_j k_j| over rtol times the scale.
    fn largest_error(&mut self, row: Row, rtol: f64) -> f64 {
        sum(1.0, row, &self.k, &mut self.trial);
        let mut worst = 0.0f64;
        for (error, scale) in self.trial.iter().zip(&self.scales) {
            let error = error.abs() / (rtol * scale + f64::MIN_POSITIVE);
            // Not f64::max, which would lose a NaN.
            if error > worst || error.is_nan() {
                worst = error;
            }
        }
        worst
    }

    /// Rates at the new point, after a projection where the constraints have drifted.
    fn settle_new_point<P: SecondOrderDae>(&mut self, plant: &mut P) -> Result<(), Fault> {
        let n = self.y.len();
        let end = self.tableau.stages * n;
        let t = self.last.y1[n - 1];
        let stabilisation = self.stabilisation();
        for y in self.last.y1.iter_mut().filter(|y| y.abs() < NOTHING) {
            *y = 0.0;
        }
        let out = &mut self.k[end..end + n];
        if plant.settle(t, &mut self.last.y1[..n - 1]) || !self.tableau.error_uses_new_point() {
            rates(plant, &self.last.y1, out, stabilisation)?;
            self.statistics.evaluations += 1;
        }
        if let StepControl::Adaptive { rtol } = self.options.control {
            let drift = plant.drift();
            if drift.position.max(drift.velocity) > DRIFT_FRACTION * rtol {
                plant.project(t, &mut self.last.y1[..n - 1])?;
                plant.settle(t, &mut self.last.y1[..n - 1]);
                rates(plant, &self.last.y1, out, stabilisation)?;
                self.statistics.projections += 1;
                self.statistics.evaluations += 1;
            }
        }
        self.t = t;
        self.y.copy_from_slice(&self.last.y1);
        self.carried = true;
        self.current = true;
        Ok(())
    }
}

/// Whether another step may be tried.
pub(crate) fn ask<P: SecondOrderDae>(plant: &mut P, time: f64) -> Result<(), StepError> {
    if plant.goes_on() { Ok(()) } else { Err(StepError::Stopped { time }) }
}

/// dy/dτ and, as the last component, dt/dτ.
fn rates<P: SecondOrderDae>(
    plant: &mut P,
    y: &[f64],
    dy: &mut [f64],
    stabilisation: Stabilisation,
) -> Result<(), Fault> {
    let n = y.len() - 1;
    dy[n] = plant.rates(y[n], &y[..n], &mut dy[..n], stabilisation)?;
    Ok(())
}
