//! Settings of an integration.

use crate::problem::Stabilisation;

/// How the step size is chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StepControl {
    /// The local error of each step is at most `rtol` times the scale of each component.
    Adaptive { rtol: f64 },
    /// A fixed step; constraints are held by Baumgarte's terms instead of projection.
    Fixed { step: f64, stabilisation: Stabilisation },
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    pub control: StepControl,
    /// Largest step; infinite for none.
    pub max_step: f64,
}

impl Options {
    pub fn adaptive(rtol: f64) -> Self {
        Self { control: StepControl::Adaptive { rtol }, max_step: f64::INFINITY }
    }

    pub fn fixed(step: f64, stabilisation: Stabilisation) -> Self {
        Self { control: StepControl::Fixed { step, stabilisation }, max_step: f64::INFINITY }
    }
}
