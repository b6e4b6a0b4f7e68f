//! What a run does with a mechanism: how long, how exact, and what it reports.

use crate::cpu::NOTHING_LEFT;
use crate::ked::KedSpec;
use crate::model::JointId;
use crate::sensor::Sensor;

/// Relative tolerance of a run that names none.
pub const DEFAULT_RTOL: f64 = 1e-9;
/// The same where an implicit method chooses its steps and links are flexible: below it, steps follow section
/// modes of 1e5 … 1e6 rad/s, which carry next to no energy.
pub const DEFAULT_FLEXIBLE_RTOL: f64 = 1e-5;

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
    /// Implicit, order 2; ρ∞ from 0 to 1. Steps follow the tolerance unless `step` (s) is given, as
    /// with all methods below.
    GeneralizedAlpha {
        rho: f64,
        index: Index,
        step: Option<f64>,
    },
    /// Hilber, Hughes and Taylor; α from 0 to 1/3.
    Hht {
        alpha: f64,
        index: Index,
        step: Option<f64>,
    },
    Newmark {
        beta: f64,
        gamma: f64,
        index: Index,
        step: Option<f64>,
    },
    /// Implicit, order 5.
    Radau5 {
        step: Option<f64>,
    },
    /// Backward differentiation of variable order up to 5.
    Bdf {
        index: Index,
        step: Option<f64>,
    },
}

/// Which constraints an implicit step satisfies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Index {
    /// Positions and velocities: the stabilised form.
    #[default]
    Two,
    /// Positions only.
    Three,
}

impl Method {
    /// The step of a method that keeps one.
    pub fn step_mut(&mut self) -> Option<&mut f64> {
        match self {
            Self::Auto | Self::Dop853 | Self::Dopri5 => None,
            Self::Rk4 { step, .. } => Some(step),
            Self::GeneralizedAlpha { step, .. }
            | Self::Hht { step, .. }
            | Self::Newmark { step, .. }
            | Self::Radau5 { step }
            | Self::Bdf { step, .. } => step.as_mut(),
        }
    }

    /// The fixed step, s.
    pub fn step(mut self) -> Option<f64> {
        self.step_mut().copied()
    }
}

/// Impacts of a clearance joint whose force–indentation loop is kept.
#[derive(Clone, Debug, PartialEq)]
pub struct Loop {
    pub joint: JointId,
    /// Numbers of the impacts, counted from 1.
    pub impacts: Vec<usize>,
}

/// An instant at which the pressure of all films is kept.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PressureAt {
    When(Until),
    /// When the film of each joint is thinnest within the measuring window, or within the whole run
    /// where that was not reached.
    Thinnest,
}

/// Which instants of a run are rows, beside its start and its end.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Every {
    /// An even grid of 2000 intervals over the measuring window and at most as many before it, and
    /// every event, kink of a function of time and start of the window.
    #[default]
    Grid,
    /// Every step, 1000 instants of the run, ten of every flight.
    Steps,
    /// An interval, s; infinity for none.
    Interval(f64),
}

impl RunSpec {
    /// When the run ends at the latest, s; infinite where that is not known.
    pub fn latest_end(&self) -> f64 {
        let end = match self.until {
            Until::Time(end) => end,
            Until::JointAngle { .. } => f64::INFINITY,
        };
        end.min(self.at_most.unwrap_or(f64::INFINITY))
    }
}

/// What a run may cost before it fails.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Limits {
    /// CPU time of the thread that runs, s.
    pub cpu: Option<f64>,
    /// What others have used of it already, s.
    pub used: f64,
    /// Steps, those counted that were tried in vain.
    pub steps: Option<u64>,
}

impl Limits {
    /// What is left of them when so many seconds more are used.
    pub fn after(self, seconds: f64) -> Self {
        Self { used: self.used + seconds, ..self }
    }

    /// Whether no CPU time is left that a run could begin with.
    pub fn are_used_up(self) -> bool {
        self.cpu.is_some_and(|cpu| cpu - self.used <= NOTHING_LEFT)
    }

    /// The part of each of several threads in what is left.
    pub fn share(self, threads: usize) -> Self {
        let taken = |cpu: f64| (cpu - self.used) * (1.0 - 1.0 / threads as f64);
        self.after(self.cpu.map_or(0.0, taken))
    }
}

/// The settings of one run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunSpec {
    pub until: Until,
    /// The run ends here at the latest, s, where the angle of a joint decides.
    pub at_most: Option<f64>,
    /// Extremes and means are taken from here on.
    pub measure_from: Until,
    pub outputs: Vec<Sensor>,
    pub method: Method,
    /// Relative tolerance; `None` for [`DEFAULT_RTOL`] or [`DEFAULT_FLEXIBLE_RTOL`].
    pub rtol: Option<f64>,
    pub every: Every,
    pub loops: Vec<Loop>,
    pub pressure_at: Vec<PressureAt>,
    pub limits: Limits,
    /// How links vibrate about the motion of the rigid mechanism, where that is asked for.
    pub ked: Option<KedSpec>,
}

impl RunSpec {
    /// A run of so many seconds, measured from its start, with the default method and tolerance.
    pub fn seconds(end: f64) -> Self {
        Self {
            until: Until::Time(end),
            at_most: None,
            measure_from: Until::Time(0.0),
            outputs: Vec::new(),
            method: Method::Auto,
            rtol: None,
            every: Every::default(),
            loops: Vec::new(),
            pressure_at: Vec::new(),
            limits: Limits::default(),
            ked: None,
        }
    }

    /// The relative tolerance, given or not; `flexible` says whether a link of the mechanism bends.
    pub fn tolerance(&self, flexible: bool) -> f64 {
        let explicit = matches!(self.method, Method::Dop853 | Method::Dopri5 | Method::Rk4 { .. });
        let default = match flexible && !explicit && self.method.step().is_none() {
            true => DEFAULT_FLEXIBLE_RTOL,
            false => DEFAULT_RTOL,
        };
        self.rtol.unwrap_or(default)
    }
}
