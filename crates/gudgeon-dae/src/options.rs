//! Settings of an integration.

use crate::problem::Stabilisation;

/// How the step size is chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StepControl {
    /// The local error of each step is at most `rtol` times the scale of each component.
    Adaptive { rtol: f64 },
    /// A fixed step. It is shortened to end at a stop time or a located event and goes on with its
    /// full size from there; suggestions of a step after an event do not count. With explicit methods Baumgarte's terms hold the constraints instead of
    /// projection; implicit methods hold them anyway.
    Fixed { step: f64, stabilisation: Stabilisation },
}

/// Share of a step that is not left over before a stop time; the step is stretched by it instead. Times
/// of fixed steps add up with rounding, and the rest would be a step on its own.
const SLIVER: f64 = 1e-9;
const SLIVER_FIXED: f64 = 1e-3;

impl StepControl {
    pub(crate) fn sliver(&self) -> f64 {
        match self {
            Self::Adaptive { .. } => SLIVER,
            Self::Fixed { .. } => SLIVER_FIXED,
        }
    }
}

/// Newton's iteration of an adaptive step ends at this fraction of rtol.
pub(crate) const NEWTON_FRACTION: f64 = 0.01;
/// The same of a fixed step, over the scales.
const NEWTON_FIXED: f64 = 1e-12;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    pub control: StepControl,
    /// Largest step; infinite for none.
    pub max_step: f64,
    /// Implicit steps are solved to this multiple of the scales.
    pub newton: f64,
}

impl Options {
    pub fn adaptive(rtol: f64) -> Self {
        let control = StepControl::Adaptive { rtol };
        Self { control, max_step: f64::INFINITY, newton: NEWTON_FRACTION * rtol }
    }

    pub fn fixed(step: f64, stabilisation: Stabilisation) -> Self {
        let control = StepControl::Fixed { step, stabilisation };
        Self { control, max_step: f64::INFINITY, newton: NEWTON_FIXED }
    }
}
