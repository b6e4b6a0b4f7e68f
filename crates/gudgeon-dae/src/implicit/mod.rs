//! Implicit integration of stiff systems, with dense output and located events.
//!
//! One step: predict → Newton → rates at the new point → error estimate → accept → switches. The
//! stepping is the same for every method and has the interface of [`Explicit`](crate::Explicit); a
//! method gives the new point, its error and the solution inside the step. Steps are in plain time.
//! Constraints hold at every new point; after a located event, where they would be as good as the
//! interpolant, they are projected.

mod alpha;
mod arrow;
mod band;
mod bdf;
mod compliance;
mod convergence;
mod differences;
mod equations;
mod inside;
mod last;
mod leap;
mod metric;
mod point;
mod radau;
mod radau_block;
mod radau_tableau;
mod saddle;
mod scheme;
mod schur;
mod weights;
mod work;

pub use alpha::{AlphaParameters, Form};
pub use differences::Differences;
pub use equations::{Equation, ImplicitDae, Place, Tangents, Terms};
pub use scheme::Method;
pub use weights::{Shape, Weights};

use crate::events::{Bracket, NODES};
use crate::explicit::{Explicit, StepError, StepOutcome, ask};
use crate::options::{Options, StepControl};
use crate::problem::{Dims, Fault, Stabilisation};
use crate::statistics::{Reason, Statistics};
use crate::tableau;
use last::Last;
use leap::{NEAR, NEARER};
use scheme::{Rule, Scheme};
use work::{Failure, Work};

/// Safety factor and limits of the step-size change.
const SAFETY: f64 = 0.9;
const SHRINK: f64 = 0.2;
/// Factor on the step after Newton's iteration has failed.
const GIVE_UP: f64 = 0.25;
/// Weight of the previous error in the choice of the step (see [`Explicit`](crate::Explicit)).
const PREVIOUS: f64 = 0.3;

/// State and buffers of an integration; nothing is allocated after construction.
#[derive(Debug)]
pub struct Implicit {
    scheme: Scheme,
    /// How works are summed over a step.
    rule: Rule,
    options: Options,
    dims: Dims,
    work: Work,
    t: f64,
    y: Vec<f64>,
    /// Proposed size of the next step; 0 when unknown.
    h: f64,
    last: Last,
    /// Whether `last.rates1` belongs to the present point and mode.
    carried: bool,
    /// Whether the last step was accepted, so that its inside is what the scheme says.
    accepted: bool,
    /// Takes steps over singular positions; whether it has taken the last one.
    explicit: Explicit,
    leapt: bool,
    trial: Vec<f64>,
    /// Rates in the middle of a step.
    middle: Vec<f64>,
    sums: Vec<f64>,
    nodes: Vec<f64>,
    probe: Vec<f64>,
    brackets: Vec<Bracket>,
    fired: Vec<usize>,
    grew_after_reject: bool,
    previous_error: f64,
    current: bool,
    pub statistics: Statistics,
}

impl Implicit {
    pub fn new<P: ImplicitDae>(
        method: Method,
        options: Options,
        plant: &P,
        t: f64,
        y: &[f64],
    ) -> Self {
        let dims = plant.dims();
        assert_eq!(y.len(), dims.total(), "state has the wrong length");
        let mut work = Work::new(plant);
        // From order 3 on BDF lets fast oscillations grow.
        let method = match method {
            Method::Bdf { highest, form } if plant.has_unresolved_modes() => {
                Method::Bdf { highest: highest.min(2), form }
            }
            method => method,
        };
        let fixed = matches!(options.control, StepControl::Fixed { .. });
        work.patient = fixed;
        let n = y.len();
        Self {
            rule: Scheme::rule(method, fixed && plant.has_unresolved_modes()),
            scheme: Scheme::new(method, &work),
            options,
            dims,
            work,
            t,
            y: y.to_vec(),
            h: 0.0,
            last: Last::new(t, y),
            carried: false,
            accepted: false,
            explicit: Explicit::new(&tableau::DOP853, options, plant, t, y),
            leapt: false,
            trial: vec![0.0; n],
            middle: vec![0.0; n],
            sums: vec![0.0; dims.w],
            nodes: vec![0.0; (NODES.len() + 1) * dims.switches],
            probe: vec![0.0; dims.switches],
            brackets: Vec::with_capacity(dims.switches),
            fired: Vec::with_capacity(dims.switches),
            grew_after_reject: true,
            previous_error: 1.0,
            current: false,
            statistics: Statistics::default(),
        }
    }

    pub fn time(&self) -> f64 {
        self.t
    }

    pub fn state(&self) -> &[f64] {
        &self.y
    }

    /// State for the handling of an event; follow it by [`restart`](Self::restart).
    pub fn state_mut(&mut self) -> &mut [f64] {
        &mut self.y
    }

    /// λ of the method itself at the end of the last step. The reactions that belong to the
    /// accelerations at this point are with the system, as after every call of its rates.
    pub fn reactions(&self) -> &[f64] {
        self.scheme.reactions()
    }

    /// Start of the last step; its end is [`time`](Self::time).
    pub fn last_start(&self) -> f64 {
        self.last.t
    }

    /// State at the start of the last step.
    pub fn last_state(&self) -> &[f64] {
        &self.last.y0
    }

    /// θ at which the last step ends, and its whole length.
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
        self.forget();
        self.grew_after_reject = true;
        if let Some(h) = h {
            self.previous_error = 1.0;
            self.h = h.min(self.options.max_step);
        }
    }

    /// Gives a multi-step method states before the present one, `h` apart, the latest first, so that it
    /// need not begin at order 1.
    pub fn seed(&mut self, h: f64, known: &[Vec<f64>]) {
        self.scheme.seed(&self.y, h, known);
    }

    /// History and matrix belong to another point or mode.
    fn forget(&mut self) {
        self.carried = false;
        self.scheme.restart();
        if self.work.renew != Some(Reason::First) {
            self.work.renew = Some(Reason::Restarted);
        }
    }

    /// Advances by one step, at most to `stop`.
    pub fn step<P: ImplicitDae>(
        &mut self,
        plant: &mut P,
        stop: f64,
    ) -> Result<StepOutcome, StepError> {
        self.begin(plant).map_err(|fault| StepError::Fault { time: self.t, fault })?;
        let mut failure = None;
        loop {
            self.accepted_step(plant, stop, &mut failure)?;
            match self.finish(plant, stop) {
                Ok(outcome) => {
                    self.statistics.steps += 1;
                    self.count();
                    return Ok(outcome);
                }
                Err(why) => {
                    self.y.copy_from_slice(&self.last.y0);
                    self.t = self.last.t;
                    self.forget();
                    self.give_up(why, &mut failure)?;
                    self.begin(plant).map_err(|fault| StepError::Fault { time: self.t, fault })?;
                }
            }
        }
    }

    /// Takes what the work has counted over.
    fn count(&mut self) {
        let by = &mut self.work.statistics;
        self.statistics.evaluations += by.evaluations;
        self.statistics.iterations += by.iterations;
        self.statistics.tangents += by.tangents;
        let (all, new) = (&mut self.statistics.factorisations, by.factorisations);
        all.first += new.first;
        all.resized += new.resized;
        all.slow += new.slow;
        all.restarted += new.restarted;
        all.moved += new.moved;
        *by = Statistics::default();
    }

    /// Rates, scales and a step size at the present point.
    fn begin<P: ImplicitDae>(&mut self, plant: &mut P) -> Result<(), Fault> {
        self.last.t = self.t;
        self.last.y0.copy_from_slice(&self.y);
        if self.carried {
            self.last.rates0.copy_from_slice(&self.last.rates1);
        } else {
            plant.rates(self.t, &self.y, &mut self.last.rates0, Stabilisation::default())?;
            self.statistics.evaluations += 1;
            self.work.evaluate(plant, self.t, &self.y, self.scheme.reactions())?;
        }
        // The terms are those of the last iterate: near enough for a direction of correction.
        self.work.take_metric(plant)?;
        plant.raise_scales(&self.y, &mut self.work.scales);
        if self.h == 0.0 {
            self.h = self.first_step();
        }
        self.carried = false;
        self.accepted = false;
        self.leapt = false;
        Ok(())
    }

    /// A first guess: a fraction of the time in which a component moves by its scale.
    fn first_step(&self) -> f64 {
        let fastest = self
            .last
            .rates0
            .iter()
            .zip(&self.work.scales)
            .map(|(rate, scale)| if *scale > 0.0 { rate.abs() / scale } else { 0.0 })
            .fold(0.0, f64::max);
        let share = match self.options.control {
            StepControl::Adaptive { rtol } => self.scheme.first_share(rtol),
            StepControl::Fixed { .. } => 1.0,
        };
        let guess = if fastest > 0.0 { share / fastest } else { 1e-6 };
        guess.min(self.options.max_step)
    }

    /// Repeats trial steps until one is accepted; the new point is in `last`.
    fn accepted_step<P: ImplicitDae>(
        &mut self,
        plant: &mut P,
        stop: f64,
        failure: &mut Option<Failure>,
    ) -> Result<(), StepError> {
        if let StepControl::Fixed { step, .. } = self.options.control {
            self.h = step;
        }
        let limit = 16.0 * f64::EPSILON * self.t.abs().max(f64::MIN_POSITIVE / f64::EPSILON);
        loop {
            ask(plant, self.t)?;
            let h = self.fit_to_stop(stop);
            if self.h <= limit && h <= self.h {
                return Err(self.too_small(limit, *failure));
            }
            self.last.h = h;
            if self.work.metric.has_lost() && self.leap(plant, stop, NEARER) {
                return Ok(());
            }
            let error = match self.try_step(plant, stop) {
                Ok(error) => error,
                Err(_) if self.leap(plant, stop, NEAR) => return Ok(()),
                Err(why) => {
                    self.give_up(why, failure)?;
                    continue;
                }
            };
            let StepControl::Adaptive { .. } = self.options.control else {
                self.scheme.accept(&mut self.work, &self.last, true);
                return Ok(());
            };
            if error <= 1.0 {
                self.grow(h, error);
                return Ok(());
            }
            self.statistics.rejected += 1;
            if self.leap(plant, stop, NEARER) {
                return Ok(());
            }
            let exponent = -1.0 / self.scheme.error_order();
            let shrink = (SAFETY * error.powf(exponent)).clamp(SHRINK, 0.9);
            self.h = h * if error.is_finite() { shrink } else { SHRINK };
            self.scheme.reject();
            self.grew_after_reject = false;
        }
    }

    /// The size of the next step after one with an acceptable error.
    fn grow(&mut self, h: f64, error: f64) {
        let order = self.scheme.error_order();
        let own = self.scheme.accept(&mut self.work, &self.last, false);
        let error = error.max(1e-10);
        let change = own.unwrap_or_else(|| {
            let damping = self.previous_error.powf(PREVIOUS / order);
            SAFETY * error.powf(-(1.0 - 0.75 * PREVIOUS) / order) * damping
        });
        let growth = if self.grew_after_reject { self.scheme.growth() } else { 1.0 };
        let change = change.clamp(SHRINK, growth).min(self.work.growth);
        let change = self.scheme.worthwhile(change);
        self.previous_error = error.max(1e-4);
        // A step cut short by the stop time says nothing against the size proposed before.
        self.h = (h * change).max(if h < self.h { self.h } else { 0.0 });
        self.h = self.h.min(self.options.max_step);
        self.grew_after_reject = true;
    }

    fn too_small(&self, limit: f64, failure: Option<Failure>) -> StepError {
        let time = self.t;
        match failure {
            Some(Failure::Unsolved { equation, residual }) => {
                StepError::Unsolved { time, step: self.last.h, equation, residual }
            }
            Some(Failure::Fault(fault)) => {
                StepError::StepTooSmall { time, limit, fault: Some(fault) }
            }
            None => StepError::StepTooSmall { time, limit, fault: None },
        }
    }

    /// Shortens the step after a failure, or fails when it cannot get shorter.
    fn give_up(&mut self, why: Failure, failure: &mut Option<Failure>) -> Result<(), StepError> {
        if let StepControl::Fixed { .. } = self.options.control {
            let time = self.t;
            return Err(match why {
                Failure::Fault(fault) => StepError::Fault { time, fault },
                Failure::Unsolved { .. } => self.too_small(0.0, Some(why)),
            });
        }
        *failure = Some(why);
        self.statistics.faults += 1;
        self.h = GIVE_UP * self.last.h;
        self.scheme.reject();
        self.grew_after_reject = false;
        Ok(())
    }

    /// The proposed step, stretched or shortened so that no sliver is left before `stop`.
    fn fit_to_stop(&self, stop: f64) -> f64 {
        let left = stop - self.t;
        if self.h >= left * (1.0 - self.options.control.sliver()) { left } else { self.h }
    }

    /// A new point, its rates and quadratures; returns the error as a multiple of the tolerance.
    fn try_step<P: ImplicitDae>(&mut self, plant: &mut P, stop: f64) -> Result<f64, Failure> {
        self.scheme.attempt(plant, &mut self.work, &mut self.last, self.options.newton)?;
        let from = self.dims.q + self.dims.v + self.dims.z;
        self.last.y1[from..].copy_from_slice(&self.last.y0[from..]);
        if let Some(index) = self.last.y1.iter().position(|y| !y.is_finite()) {
            return Err(Fault::NotFinite { index }.into());
        }
        let rtol = match self.options.control {
            StepControl::Adaptive { rtol } => Some(rtol),
            StepControl::Fixed { .. } => None,
        };
        let t = self.end_time(stop);
        plant.settle(t, &mut self.last.y1);
        let plain = Stabilisation::default();
        plant.rates(t, &self.last.y1, &mut self.last.rates1, plain)?;
        self.statistics.evaluations += 1;
        self.current = true;
        self.integrate_quadratures(plant, rtol.is_some())?;
        Ok(match rtol {
            Some(rtol) => {
                let (work, last, middle) = (&mut self.work, &self.last, &self.middle);
                let before = work.statistics.evaluations;
                let error = self.scheme.error(plant, work, last, middle, rtol)?;
                // An estimate may evaluate elsewhere.
                self.current &= work.statistics.evaluations == before;
                error / rtol
            }
            None => 0.0,
        })
    }

    fn end_time(&self, stop: f64) -> f64 {
        let end = self.last.t + self.last.h;
        if end >= stop || self.last.h == stop - self.last.t { stop } else { end }
    }

    /// w at the end of the step from nodes inside it; the last rates inside stay in `middle`.
    fn integrate_quadratures<P: ImplicitDae>(
        &mut self,
        plant: &mut P,
        adaptive: bool,
    ) -> Result<(), Fault> {
        if self.dims.w == 0 && !(adaptive && self.scheme.needs_middle()) {
            return Ok(());
        }
        let from = self.dims.total() - self.dims.w;
        let rule = self.rule;
        self.current &= rule.inner.is_empty();
        for (sum, rate) in self.sums.iter_mut().zip(&self.last.rates0[from..]) {
            *sum = rule.start * rate;
        }
        for &(theta, weight) in rule.inner {
            self.trial.copy_from_slice(&self.last.y0);
            let (scheme, last) = (&self.scheme, &self.last);
            scheme.inside(self.dims, last, theta, false, &mut self.trial);
            let t = self.last.t + theta * self.last.h;
            plant.rates(t, &self.trial, &mut self.middle, Stabilisation::default())?;
            self.statistics.evaluations += 1;
            for (sum, rate) in self.sums.iter_mut().zip(&self.middle[from..]) {
                *sum += weight * rate;
            }
        }
        for (i, sum) in self.sums.iter().enumerate() {
            let rate = sum + rule.end * self.last.rates1[from + i];
            self.last.y1[from + i] = self.last.y0[from + i] + self.last.h * rate;
        }
        Ok(())
    }

    /// Repeats the last step with another size, so that it ends at another point of the same motion.
    fn repeat<P: ImplicitDae>(&mut self, plant: &mut P, h: f64) -> Result<(), Failure> {
        self.last.h = h;
        self.scheme.undo();
        self.try_step(plant, f64::INFINITY)?;
        self.scheme.accept(&mut self.work, &self.last, true);
        self.t = self.last.t + h;
        self.y.copy_from_slice(&self.last.y1);
        Ok(())
    }

    /// The new point, or the event before it.
    fn finish<P: ImplicitDae>(&mut self, plant: &mut P, stop: f64) -> Result<StepOutcome, Failure> {
        self.last.end = 1.0;
        self.accepted = true;
        let t = self.end_time(stop);
        self.t = t;
        self.y.copy_from_slice(&self.last.y1);
        self.carried = !self.leapt;
        if self.dims.switches > 0 && self.end_inside(plant)? {
            self.statistics.events += 1;
            return Ok(StepOutcome::Event);
        }
        Ok(if t == stop { StepOutcome::Stopped } else { StepOutcome::Stepped })
    }
}
