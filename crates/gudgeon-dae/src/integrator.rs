//! Explicit and implicit integrators behind one door.

use crate::explicit::{Explicit, StepError, StepOutcome};
use crate::implicit::{Implicit, ImplicitDae};
use crate::problem::Fault;
use crate::statistics::Statistics;

/// Any integrator. All have the same stepping interface; what each call does is said with
/// [`Explicit`].
#[derive(Debug)]
pub enum Integrator {
    Explicit(Box<Explicit>),
    Implicit(Box<Implicit>),
}

/// Passes a call on.
macro_rules! of {
    ($self:expr, $ode:ident => $call:expr) => {
        match $self {
            Integrator::Explicit($ode) => $call,
            Integrator::Implicit($ode) => $call,
        }
    };
}

impl Integrator {
    pub fn step<P: ImplicitDae>(
        &mut self,
        plant: &mut P,
        stop: f64,
    ) -> Result<StepOutcome, StepError> {
        of!(self, ode => ode.step(plant, stop))
    }

    pub fn restart(&mut self, h: Option<f64>) {
        of!(self, ode => ode.restart(h))
    }

    pub fn time(&self) -> f64 {
        of!(self, ode => ode.time())
    }

    pub fn state(&self) -> &[f64] {
        of!(self, ode => ode.state())
    }

    pub fn state_mut(&mut self) -> &mut [f64] {
        of!(self, ode => ode.state_mut())
    }

    pub fn last_start(&self) -> f64 {
        of!(self, ode => ode.last_start())
    }

    pub fn last_state(&self) -> &[f64] {
        of!(self, ode => ode.last_state())
    }

    pub fn last_extent(&self) -> (f64, f64) {
        of!(self, ode => ode.last_extent())
    }

    pub fn fired(&self) -> &[usize] {
        of!(self, ode => ode.fired())
    }

    pub fn is_current(&self) -> bool {
        of!(self, ode => ode.is_current())
    }

    pub fn prepare_dense<P: ImplicitDae>(&mut self, plant: &mut P) -> Result<(), Fault> {
        of!(self, ode => ode.prepare_dense(plant))
    }

    pub fn interpolate(&mut self, theta: f64, out: &mut [f64]) -> f64 {
        of!(self, ode => ode.interpolate(theta, out))
    }

    pub fn sketch(&mut self, theta: f64, out: &mut [f64]) -> f64 {
        of!(self, ode => ode.sketch(theta, out))
    }

    pub fn place_of(&self, t: f64) -> f64 {
        of!(self, ode => ode.place_of(t))
    }

    pub fn statistics(&self) -> Statistics {
        of!(self, ode => ode.statistics)
    }
}

impl From<Explicit> for Integrator {
    fn from(ode: Explicit) -> Self {
        Self::Explicit(Box::new(ode))
    }
}

impl From<Implicit> for Integrator {
    fn from(ode: Implicit) -> Self {
        Self::Implicit(Box::new(ode))
    }
}
