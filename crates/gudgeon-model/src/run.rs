//! What a run does with a model: how long, how exact, and what it reports.

use gudgeon::model::JointId;
use gudgeon::sensor::Sensor;

/// When something happens: at a time, or when a joint has turned far enough.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Until {
    /// s
    Time(f64),
    /// The joint has turned by `angle` (rad, positive) from its start, in either sense.
    JointAngle { joint: JointId, angle: f64 },
}

/// The integrator and its own settings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Method {
    /// The program picks and says what it picked.
    Auto,
    Dop853,
    Dopri5,
    /// Fixed step with Baumgarte stabilisation: g̈ + 2α ġ + β² g = 0.
    Rk4 {
        /// s
        step: f64,
        /// 1/s
        alpha: f64,
        /// 1/s
        beta: f64,
    },
}

/// Impacts of a clearance joint whose force–indentation loop is kept.
#[derive(Clone, Debug, PartialEq)]
pub struct Loop {
    pub joint: JointId,
    /// Numbers of the impacts, counted from 1.
    pub impacts: Vec<usize>,
}

/// The `[run]` section, with the overrides of the command line.
#[derive(Clone, Debug, PartialEq)]
pub struct RunSpec {
    pub until: Until,
    /// Extremes and means are taken from here on.
    pub measure_from: Until,
    pub outputs: Vec<Sensor>,
    pub method: Method,
    /// Relative tolerance; `None` for the documented default.
    pub rtol: Option<f64>,
    /// Absolute tolerance of lengths, m, angles, rad, and their rates; `None` for the default.
    pub atol: Option<f64>,
    /// Interval of uniform recording, s; `None` records the steps.
    pub every: Option<f64>,
    pub loops: Vec<Loop>,
}
