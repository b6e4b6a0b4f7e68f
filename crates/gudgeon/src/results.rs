//! What a run answers with. SI units throughout.

pub use gudgeon_dae::{Factorisations, Statistics};

use std::borrow::Cow;

use crate::cpu::RunCpu;
use crate::film::{FilmSnapshot, Peak};
use crate::formula::Left;
use crate::ked::KedReport;
use crate::model::JointId;
pub use crate::simulate::LinearRange;

/// Everything a run reports besides its rows.
#[derive(Clone, Debug)]
pub struct RunReport {
    pub status: Status,
    /// What ended a run that is done.
    pub ended: Option<End>,
    /// One per output of the run, in its order, over the measuring window.
    pub extremes: Vec<Extreme>,
    /// Impacts of all clearance joints in order of their start, at most [`IMPACTS_KEPT`].
    pub impacts: Vec<Impact>,
    pub contacts: Vec<ContactReport>,
    pub journals: Vec<JournalReport>,
    pub films: Vec<FilmReport>,
    /// One per flexible link, over the whole run.
    pub flexible: Vec<FlexibleReport>,
    /// Films at the instants asked for, joint by joint in the order of time.
    pub fields: Vec<FieldReport>,
    pub energy: Ledger,
    pub drift: DriftReport,
    pub solver: SolverReport,
    /// Time and outputs at the end.
    pub final_time: f64,
    pub final_values: Vec<f64>,
    /// First and last instant of the measuring window; equal when it was not reached.
    pub window: (f64, f64),
    pub warnings: Vec<Warning>,
    /// Of links that vibrate about the motion of the rigid mechanism.
    pub ked: Option<KedReport>,
}

/// Impacts beyond this number are counted but not listed.
pub const IMPACTS_KEPT: usize = 100_000;

#[derive(Clone, Debug, PartialEq)]
pub enum Status {
    Done,
    /// The caller asked to stop; everything up to then is valid.
    Interrupted,
    Failed(SimulationError),
}

/// Which bound a run has reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Time,
    /// The joint has turned so far.
    Angle,
    /// The latest time, before the joint had turned so far.
    AtMost,
}

impl End {
    pub fn name(self) -> &'static str {
        match self {
            Self::Time => "time",
            Self::Angle => "angle",
            Self::AtMost => "at_most",
        }
    }
}

#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("the run stopped at t = {time:.9e} s: {cause}")]
pub struct SimulationError {
    pub time: f64,
    pub cause: Cause,
    /// What to try, for the user.
    pub help: Cow<'static, str>,
}

#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Cause {
    #[error("the step size fell below {limit:.1e} s: {cause}")]
    StepTooSmall { limit: f64, cause: Box<Cause> },
    #[error("body `{body}` accelerates at {acceleration:.1e} m/s² and no step is short enough")]
    TooFast { body: String, acceleration: f64 },
    #[error(
        "the constraints of `{owner}` ({row}) are singular: the mechanism is in a position where they lose their hold"
    )]
    Singular { owner: String, row: &'static str },
    #[error("`{owner}` ({row}) could not be kept closed")]
    Open { owner: String, row: &'static str },
    #[error(
        "a step of {step:.1e} s cannot be solved, because Newton's iteration does not converge; farthest from balance is {equation}, by {residual:.1e} times the motion of the mechanism in that step"
    )]
    Unsolved { equation: String, step: f64, residual: f64 },
    #[error("the journal of `{joint}` touches its bearing: no film is left")]
    Touching { joint: String },
    #[error(
        "a step of {step:.1e} s takes the journal of `{joint}` through its film into the bearing"
    )]
    FilmSkipped { joint: String, step: f64 },
    #[error(
        "friction jams `{joint}`: from a coefficient of {critical:.4} of its surfaces on no finite reaction keeps it in motion"
    )]
    Jammed { joint: String, critical: f64 },
    #[error(
        "friction in `{joint}` has a load that is no unknown of `{method}`: the joint carries a body in joint coordinates"
    )]
    UncutFriction { joint: String, method: &'static str },
    #[error("links cannot vibrate about this motion: {} {why}", named(.owner))]
    NotElastic { owner: String, why: String },
    #[error(
        "zeroing {} no longer fixes the equivalent rigid-link system: J0 has become singular (its least singular value is {condition:.1e} times smaller than J)", zeroed(.names)
    )]
    Unfixed { names: Vec<String>, condition: f64 },
    #[error("the vibration of the links is not determined")]
    Unbound,
    #[error("the motion of body `{body}` is not finite")]
    NotFinite { body: String },
    #[error("events of `{joint}` pile up without progress in time")]
    Chattering { joint: String },
    #[error("{function} changes to and fro at one instant without progress in time")]
    ChatteringFunction { function: String },
    #[error("{function} looks up {left}")]
    LeftTable { function: String, left: Box<Left> },
    #[error("{function} has no finite value")]
    UndefinedFunction { function: String },
    #[error(
        "{what} of `{joint}` is pressed {depth:.3e} m deep into the other side, past {reference} ({limit:.3e} m)"
    )]
    Indented {
        joint: String,
        /// What is pressed in, and which length it is compared with.
        what: &'static str,
        reference: &'static str,
        depth: f64,
        limit: f64,
    },
    #[error(
        "the position that driver `{driver}` prescribes jumps by {by:.4e} {unit}, which no mechanism can follow"
    )]
    PositionJump { driver: String, by: f64, unit: &'static str },
    #[error("time limit: {limit} s of CPU time are used up")]
    TimeLimit { limit: f64 },
    #[error("step limit: {limit} steps are used up")]
    StepLimit { limit: u64 },
    #[error(
        "no progress: the last {steps} steps went {by:.1e} s, at which pace {left:.1e} more would be needed"
    )]
    NoProgress { steps: u64, by: f64, left: f64 },
}

/// Elastic coordinates by link in a sentence.
pub(crate) fn zeroed(names: &[String]) -> String {
    let one = |name: &String| match name.split_once(": ") {
        Some((body, coordinate)) => format!("`{coordinate}` of link `{body}`"),
        None => format!("`{name}`"),
    };
    names.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// An owner in a sentence; none is the mechanism.
fn named(owner: &str) -> String {
    if owner.is_empty() { String::new() } else { format!("`{owner}`") }
}

/// Extremes of one output, located on the dense output.
#[derive(Clone, Debug, PartialEq)]
pub struct Extreme {
    pub name: String,
    pub unit: Cow<'static, str>,
    pub min: f64,
    pub t_min: f64,
    pub max: f64,
    pub t_max: f64,
    pub rms: f64,
    pub mean: f64,
    /// Estimated bounds of the errors of the quadratures behind `mean` and `rms`.
    pub mean_error: f64,
    pub rms_error: f64,
}

impl Extreme {
    /// Largest magnitude and its time.
    pub fn abs_max(&self) -> (f64, f64) {
        if self.max.abs() >= self.min.abs() {
            (self.max.abs(), self.t_max)
        } else {
            (self.min.abs(), self.t_min)
        }
    }
}

/// One contact of a journal with its bearing, from touch to separation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Impact {
    pub joint: JointId,
    /// Name of the contact spot, empty where the joint has one only.
    pub spot: &'static str,
    /// Counted from 1 per spot.
    pub number: usize,
    pub t: f64,
    /// δ̇ > 0 at the touch.
    pub speed_in: f64,
    /// `None` while the contact lasts at the end of the run.
    pub t_out: Option<f64>,
    /// δ̇ < 0 at the separation.
    pub speed_out: Option<f64>,
    pub peak_force: f64,
    pub peak_depth: f64,
    /// Energy lost in normal direction and by friction, J.
    pub loss: f64,
    pub friction_loss: f64,
    /// The law used the onset floor instead of the closing speed.
    pub floored: bool,
}

impl Impact {
    /// Achieved restitution −δ̇_out/δ̇_in.
    pub fn restitution(&self) -> Option<f64> {
        self.speed_out.map(|out| -out / self.speed_in)
    }
}

/// Statistics of one contact spot of a clearance joint.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactReport {
    pub joint: JointId,
    pub spot: &'static str,
    /// The joint, and the spot where it has several.
    pub name: String,
    pub impacts: usize,
    pub floored_impacts: usize,
    /// Share of the measuring window in contact, 0 … 1.
    pub contact_fraction: f64,
    pub longest_contact: f64,
    pub max_depth: f64,
    /// Largest |δ̇|/δ̇⁽⁻⁾ during contact.
    pub max_rate_ratio: f64,
    pub max_impact_speed: f64,
}

/// How the journal of a spatial joint lay in its bearing.
#[derive(Clone, Debug, PartialEq)]
pub struct JournalReport {
    pub joint: JointId,
    pub name: String,
    /// Shares of the measuring window: free, one base in contact, both on one side, both on
    /// opposite sides.
    pub shares: [f64; 4],
    /// Largest angle between the axes in the window, rad.
    pub max_misalignment: f64,
    /// When the middle of a journal without axial hold left the bore.
    pub left_bearing: Option<f64>,
}

/// How thin the film of a joint became over the whole run.
#[derive(Clone, Debug, PartialEq)]
pub struct FilmReport {
    pub joint: JointId,
    pub name: String,
    /// Least thickness, m, its time and its angle in axes of the bearing; located on the dense output.
    pub thinnest: f64,
    pub t: f64,
    pub angle: f64,
    /// Radial clearance, m.
    pub clearance: f64,
    pub roughness: Option<f64>,
    /// Whether dry contact shares the load.
    pub hybrid: bool,
    /// By how much the journal turned in its bearing, rad, to and fro counted.
    pub turned: f64,
}

/// How far a flexible link bent: largest magnitudes over the whole run, at the ends of accepted steps and, along
/// the line, at both ends and the middle of every element.
#[derive(Clone, Debug, PartialEq)]
pub struct FlexibleReport {
    pub name: String,
    /// Of the outer fibres, Pa, with its sign.
    pub stress: LinkPeak,
    /// Strains of the line.
    pub tension: LinkPeak,
    pub compression: LinkPeak,
    /// Against the chord, m.
    pub deflection: LinkPeak,
    /// The first strain in compression beyond the range of the law.
    pub crushed: Option<LinkPeak>,
    /// How far it went beyond a linear theory, where it has one.
    pub linear: LinearRange,
}

/// A value on a flexible link: where, as a share of the line and in m of the undeformed one, and when.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LinkPeak {
    pub value: f64,
    pub along: f64,
    pub distance: f64,
    pub t: f64,
}

/// The film of a joint at an instant asked for.
#[derive(Clone, Debug)]
pub struct FieldReport {
    pub joint: JointId,
    pub name: String,
    pub t: f64,
    /// Whether the instant is that of the thinnest film.
    pub thinnest: bool,
    pub film: FilmSnapshot,
    pub peak: Peak,
}

/// Where the energy went, from the start of the run to its end.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ledger {
    pub lines: Vec<LedgerLine>,
    /// The same lines at the start of the measuring window; empty if it was not reached.
    pub before: Vec<LedgerLine>,
    /// E(t) − E(0) − Σ work at the end, J.
    pub residual: f64,
    /// Largest |residual| at any step.
    pub residual_max: f64,
    pub peak_kinetic: f64,
}

impl Ledger {
    /// What a line gained within the measuring window, J; a line that is not listed is zero.
    pub fn in_window(&self, is_it: impl Fn(&LedgerLine) -> bool) -> f64 {
        let sum = |lines: &[LedgerLine]| -> f64 {
            lines.iter().filter(|line| is_it(line)).map(|line| line.value).sum()
        };
        sum(&self.lines) - sum(&self.before)
    }

    /// |residual| at the end over the peak kinetic energy.
    pub fn residual_relative(&self) -> f64 {
        if self.peak_kinetic > 0.0 { self.residual.abs() / self.peak_kinetic } else { 0.0 }
    }
}

/// Energy stored (kinetic, gravity, spring) or work done on the mechanism (the rest), J.
#[derive(Clone, Debug, PartialEq)]
pub struct LedgerLine {
    pub kind: LedgerKind,
    pub name: String,
    pub value: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LedgerKind {
    Kinetic,
    Gravity,
    Spring,
    Driver,
    Force,
    ContactNormal,
    ContactFriction,
    FilmShear,
    FilmPumping,
    /// Stored in a link that bends, and lost by its damping.
    Strain,
    Damping,
    /// What equations that leave terms out gain or lose.
    Formulation,
    /// Lost by friction in ideal joints.
    Friction,
    /// Stored in the bristles of friction.
    Bristles,
    Projection,
}

impl LedgerKind {
    /// Its word in records.
    pub fn name(self) -> &'static str {
        match self {
            Self::Kinetic => "kinetic",
            Self::Gravity => "gravity",
            Self::Spring => "spring",
            Self::Driver => "driver",
            Self::Force => "force",
            Self::ContactNormal => "contact_normal",
            Self::ContactFriction => "contact_friction",
            Self::FilmShear => "film_shear",
            Self::FilmPumping => "film_pumping",
            Self::Strain => "strain",
            Self::Damping => "damping",
            Self::Formulation => "formulation",
            Self::Friction => "friction",
            Self::Bristles => "bristles",
            Self::Projection => "projection",
        }
    }
}

/// Largest distance from the constraints at accepted steps, as multiples of the mechanism's size
/// and of the largest speed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DriftReport {
    pub position: f64,
    pub velocity: f64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct SolverReport {
    pub method: &'static str,
    /// Why the method was chosen, for `auto`.
    pub reason: String,
    pub rtol: f64,
    pub statistics: Statistics,
    pub rows: u64,
    pub cpu: RunCpu,
}

/// A law outside its range, or a result that needs care.
#[derive(Clone, Debug, PartialEq)]
pub struct Warning {
    pub code: &'static str,
    pub joint: String,
    pub message: String,
    pub help: Cow<'static, str>,
}

/// Whether a code speaks of what may happen, a note, and not of what did.
pub fn is_note(code: &str) -> bool {
    code == "W0328"
}

/// What a code of a warning means, in a few words.
pub fn about_warning(code: &str) -> Option<&'static str> {
    Some(match code {
        "W0301" => "the indentation rate exceeded the impact speed, so the damping is out of range",
        "W0302" => {
            "a lasting contact runs on the speed of its last impact, so the state depends on history"
        }
        "W0303" => "the indentation is large against the clearance",
        "W0322" => "the indentation is large against the journal",
        "W0323" => "a prescribed position jumps",
        "W0324" => "the ideal mechanism cannot move through the motion that is asked for",
        "W0325" => "the run ended before its measuring window",
        "W0326" => "friction follows reactions that are not unique",
        "W0327" => "the bristles of a friction law gave energy",
        "W0328" => "a friction law takes energy up to a sliding speed only",
        "W0332" => "a link is strained or bent beyond a linear theory",
        "W0333" => "impacts excite modes of a link that are left out",
        "W0331" => "a flexible link is strained beyond the range of its law",
        "W0330" => "the motion begins outside a table",
        "W0304" => "impacts are fast enough to leave marks",
        "W0305" => "the floor of the impact speed acted",
        "W0306" => "a prescribed velocity jumps",
        "W0307" => "the mechanism is in a singular position",
        "W0308" => "a body without mass or inertia is moved by drivers",
        "W0309" => "an output is a reaction that is not determined",
        "W0310" => "a journal slides out of its bearing",
        "W0311" => "a film is thinner than its model is good for",
        "W0312" => "a film is too long or too short for its model",
        "W0313" => "an instant of `pressure_at` was not reached",
        "W0314" => "the energy balance does not close",
        "W0315" => "the start is not as requested",
        "W0317" => "the force of a film jumps where its journal passes the centre",
        "W0318" => "a film never breaks",
        "W0320" => "nothing presses on a film",
        "W0321" => "dry contact shares the load of a film and is left out",
        _ => return None,
    })
}

/// A point of a force–indentation loop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LoopPoint {
    pub joint: JointId,
    pub spot: &'static str,
    pub impact: usize,
    pub t: f64,
    pub depth: f64,
    pub force: f64,
}
