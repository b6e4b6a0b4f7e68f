//! Settings of an integration.

use crate::problem::Stabilisation;

/// How the step size is chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StepControl {
    /// The local error of each step is at most `rtol` times the scale of each component.
    Adaptive { rtol: f64 },
    /// A fixed step. With explicit methods Baumgarte's terms hold the constraints instead of
    /// projection; implicit methods hold them anyway.
    Fixed { step: f64, stabilisation: Stabilisation },
}

/// Newton's iteration of an adaptive step ends at this fraction of rtol.
const NEWTON_FRACTION: f64 = 0.01;
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
