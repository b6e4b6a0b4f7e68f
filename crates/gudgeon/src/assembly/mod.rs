//! From a rough start to a consistent one: positions, velocities, mobility, redundant rows.
//!
//! The mechanism is assembled with every clearance joint ideal: the journal's centre is put at its
//! start offset from the bearing's, and it moves as the ideal mechanism does unless another velocity
//! is requested: a clearance forbids none (`motion.rs`). The pose is found by damped Gauss–Newton
//! steps of least length from the user's rough pose, so that the rough pose picks the branch.
//!
//! Where the ideal mechanism does not close, its clearances take up what they can: tilts of journals
//! in space, and whatever drivers on both sides of a joint ask for (`play.rs`). A journal that then
//! stands outside its bearing is an error. What was requested and what was assembled are compared in
//! `request.rs`.
//!
//! Small mechanisms are examined by dense singular values; above [`LARGE`] velocities the sparse
//! factors of the dynamics do the same work in linear time.

mod accelerations;
mod close;
mod contradiction;
mod culprit;
mod foresee;
mod gaps;
mod large;
mod levels;
mod motion;
mod nearest;
mod play;
mod pose;
mod ranges;
mod rank;
mod request;
mod start;
mod unique;

use crate::clearance::geometry::{Spot, geometry};
use crate::joint::{RowKind, Turn};
use crate::math::spatial::{Frame, Twist};
use crate::model::{Coordinate, Model};
use crate::system::Plant;
use crate::system::compile::{CompileError, RowSource, System};
use crate::system::component::BodyState;
use crate::system::evaluate::{self, StateAt};
pub use accelerations::NoAcceleration;
pub use foresee::{Foresight, Lock, foresee};
pub use gaps::Gap;
pub(crate) use motion::Motion;
use motion::{Velocities, velocities};
use play::{Closed, close_with_play, placed_markers};
use ranges::{COMPUTABLE, check_ranges};
pub use rank::RowName;
pub(crate) use request::rounded;
pub use request::{Quantity, Requested, WARNED};
pub use start::{BodyPose, StartTilt};
use std::f64::consts::TAU;
pub use unique::Indeterminate;

/// Mechanisms with more velocities than this are assembled by sparse factors. At this size the dense
/// way takes about as long as a second of simulation.
pub const LARGE: usize = 200;

/// Pivot ratio below which a row depends on others.
const DEPENDENT: f64 = 1e-9;

/// A consistent start and what was learnt on the way.
#[derive(Clone, Debug)]
pub struct Assembly {
    /// The compiled mechanism; it knows how many of its rows are redundant.
    pub system: System,
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    pub report: AssemblyReport,
}

#[derive(Clone, Debug)]
pub struct AssemblyReport {
    /// Degrees of freedom left by joints and drivers, clearance joints counted as they are.
    pub mobility: usize,
    /// The same with every clearance joint ideal.
    pub ideal_mobility: usize,
    /// Whether that ideal mechanism could start so: its drivers may ask for what only clearances allow.
    pub ideal_starts: bool,
    pub coordinates: usize,
    pub rows: usize,
    /// Rows that follow from the others.
    pub redundant: Vec<RowName>,
    /// Rows whose reactions are not unique.
    pub not_unique: Vec<RowName>,
    /// What is not unique of the reaction of each joint.
    pub indeterminate: Vec<Indeterminate>,
    /// Bodies without mass or inertia whose motion only drivers fix, and what they lack.
    pub massless: Vec<(String, &'static str)>,
}

#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum AssemblyError {
    #[error("{}", compile_message(.0, .1))]
    Compile(CompileError, Box<str>),
    #[error("the mechanism cannot close: {}", gaps::message(.gaps, .untried))]
    CannotClose {
        /// What must stay open for the rest to close, smallest gap first.
        gaps: Vec<Gap>,
        /// Others of that loop that were not looked at, since it is too large.
        untried: Vec<String>,
    },
    #[error("the mechanism cannot close: {}", gaps::several_message(.gaps))]
    OpenInSeveralPlaces {
        /// What is open in the nearest position, the widest gap first: no single joint or driver
        /// that is left open lets the rest close.
        gaps: Vec<Gap>,
    },
    #[error(
        "the mechanism does not close from this start, though it can: {}",
        gaps::elsewhere_message(.body, *.by, *.is_angle)
    )]
    ClosesElsewhere {
        /// The body that is farthest from its start in a position in which all is closed.
        body: String,
        /// Turn or distance, rad or m.
        by: f64,
        is_angle: bool,
    },
    #[error(
        "the prescribed velocities contradict each other: {}",
        gaps::rate_message(.gaps, *.others_hold)
    )]
    Contradiction {
        /// What must be left out for the rest to hold, and by how much it is off then; or what is off
        /// in the motion that is nearest to all of them.
        gaps: Vec<Gap>,
        /// Whether all the others hold where one is left out.
        others_hold: bool,
    },
    #[error(
        "nothing remains of the requested start: {quantity} of `{body}` {requested} requested, {assembled} assembled"
    )]
    Lost { body: String, quantity: &'static str, requested: String, assembled: String },
    #[error(
        "driver `{driver}` has nothing left to drive: the other joints and drivers fix its motion"
    )]
    IdleDriver { driver: String },
    #[error("body `{body}` has no {what}, but can move that way")]
    Massless { body: String, what: &'static str },
    #[error(
        "{what} {} {unit}: only values from {:e} to {:e} can be computed with",
        rounded(*.value, 0.0),
        COMPUTABLE.start,
        COMPUTABLE.end
    )]
    OutOfRange {
        /// The body or joint, and the key in its table.
        owner: String,
        key: String,
        /// What has this value, as the beginning of a sentence.
        what: String,
        value: f64,
        unit: &'static str,
    },
    #[error("the start has no accelerations: {0}")]
    NoAcceleration(NoAcceleration),
    #[error(
        "the start is a singular position of {}: which way the mechanism goes on is not determined",
        named(.rows)
    )]
    Singular {
        /// Rows that depend on each other there and nowhere near.
        rows: Vec<RowName>,
    },
    #[error(
        "the journal of `{joint}` is tilted by {:.4} deg against its bearing; its play allows {:.4} deg",
        .tilt.to_degrees(),
        .limit.to_degrees()
    )]
    Tilted { joint: String, tilt: f64, limit: f64 },
}

fn compile_message(error: &CompileError, name: &str) -> String {
    match error {
        CompileError::Erls(error) => error.to_string(),
        CompileError::SameBody(_) => format!("joint `{name}` connects two frames of one body"),
        CompileError::NothingToDrive(_) => {
            format!("driver `{name}` drives a coordinate that its joint does not leave free")
        }
    }
}

fn named(rows: &[RowName]) -> String {
    format!("`{}`", rank::owners(rows).join("`, `"))
}

/// Assembles a model at t = 0.
pub fn assemble(model: &Model) -> Result<Assembly, AssemblyError> {
    assemble_moving(model, Motion::Requested)
}

/// The same, refused where nothing remains of the velocities that were requested.
pub fn assemble_requested(model: &Model) -> Result<Assembly, AssemblyError> {
    let assembly = assemble(model)?;
    assembly.check_requests()?;
    Ok(assembly)
}

/// Assembles the rigid bodies by their own coordinates, whichever they run in: poses and velocities do
/// not depend on that.
pub(crate) fn assemble_moving(model: &Model, motion: Motion) -> Result<Assembly, AssemblyError> {
    match model.in_absolute_coordinates() {
        None => assemble_absolute(model, motion),
        Some(absolute) => assemble_absolute(&absolute, motion)?.in_coordinates_of(model),
    }
}

fn assemble_absolute(model: &Model, motion: Motion) -> Result<Assembly, AssemblyError> {
    let mut real = compiled(model, System::compile(model))?;
    check_ranges(&real)?;
    if real.layout.v > LARGE {
        return large::assemble(real, motion);
    }
    let Closed { baseline, q, ideal_closes } = close_with_play(&real)?;
    check_tilt(&real, &q)?;
    let Velocities { v, ideal_moves } = velocities(&real, &baseline, &q, motion)?;
    let ideal = rank::analyse(&baseline, &q, &v);
    let found = rank::analyse(&real, &q, &v);
    rank::check_masses(&real, &q)?;
    if !found.lost.is_empty() {
        let rows = found.lost.iter().map(|&i| rank::name(&real, i)).collect();
        return Err(AssemblyError::Singular { rows });
    }
    let redundant = found.dependent;
    refuse_idle_drivers(&real, &redundant)?;
    let report = AssemblyReport {
        mobility: v.len() - found.rank,
        ideal_mobility: v.len() - ideal.rank,
        ideal_starts: ideal_closes && ideal_moves,
        coordinates: v.len(),
        rows: real.rows.len(),
        redundant: redundant.iter().map(|&i| rank::name(&real, i)).collect(),
        not_unique: found.not_unique.iter().map(|&i| rank::name(&real, i)).collect(),
        massless: rank::massless_by_drivers(&real, &q, &v),
        indeterminate: found.indeterminate,
    };
    real.redundancy = redundant.len();
    let assembly = Assembly { system: real, q, v, report };
    assembly.check_accelerations()?;
    Ok(assembly)
}

/// A driver whose row follows from the others drives nothing.
fn refuse_idle_drivers(system: &System, redundant: &[usize]) -> Result<(), AssemblyError> {
    for &row in redundant {
        if let RowSource::Driver(id) = system.rows[row].source {
            let driver = system.model.drivers[id.0].name.clone();
            return Err(AssemblyError::IdleDriver { driver });
        }
    }
    Ok(())
}

/// Both bases of every journal are inside their bearing.
fn check_tilt(system: &System, q: &[f64]) -> Result<(), AssemblyError> {
    let work = placed_markers(system, q);
    for element in &system.contacts {
        let Spot::Base { offset, .. } = element.spot else { continue };
        let (a, b) = (&work.markers[element.a], &work.markers[element.b]);
        if geometry(&element.spot, &element.clearance, a, b).depth < 0.0 {
            continue;
        }
        let axis = crate::math::spatial::Axis::Z;
        let (z_a, z_b) = (a.frame.axis(axis), b.frame.axis(axis));
        return Err(AssemblyError::Tilted {
            joint: system.model.joints[element.joint.0].name.clone(),
            tilt: z_a.cross(&z_b).norm().atan2(z_a.dot(&z_b)),
            limit: element.clearance.radial / offset.abs(),
        });
    }
    Ok(())
}

/// Coordinates and velocities of the state of a tree, from those of its bodies one by one.
fn in_joint_coordinates(system: &mut System, q: &[f64], v: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let states: Vec<BodyState> = std::iter::once(BodyState::GROUND)
        .chain((0..system.bodies.len()).map(|body| system.state_of(body, q, v)))
        .collect();
    let (mut own_q, mut own_v) = (vec![0.0; system.layout.q], vec![0.0; system.layout.v]);
    let Some(tree) = &mut system.tree else { return (own_q, own_v) };
    tree.orient(&states);
    tree.read(&states, &mut own_q, &mut own_v);
    own_q[tree.sizes[0]..].copy_from_slice(&q[tree.absolute[0]..]);
    own_v[tree.sizes[1]..].copy_from_slice(&v[tree.absolute[1]..]);
    (own_q, own_v)
}

impl Assembly {
    /// The same start in the coordinates that the bodies of a model ask for.
    fn in_coordinates_of(self, model: &Model) -> Result<Self, AssemblyError> {
        let moving =
            (0..self.system.bodies.len()).map(|i| self.system.state_of(i, &self.q, &self.v));
        let states: Vec<BodyState> = std::iter::once(BodyState::GROUND).chain(moving).collect();
        let mut system = compiled(model, System::compile_at(model, Some(&states)))?;
        system.redundancy = self.system.redundancy;
        // In coordinates of the bodies one by one, then in those of the joints that carry them.
        let (mut q, mut v) = (vec![0.0; system.sizes[0]], vec![0.0; system.sizes[1]]);
        for (i, (from, to)) in self.system.bodies.iter().zip(&system.bodies).enumerate() {
            if to.formulation == from.formulation {
                q[to.coordinates()].copy_from_slice(&self.q[from.coordinates()]);
                v[to.velocities()].copy_from_slice(&self.v[from.velocities()]);
                continue;
            }
            let state = self.system.state_of(i, &self.q, &self.v);
            system.write_state(i, &state, &mut q, &mut v);
        }
        for link in &system.model.links {
            let whole = link.body.0 - 1;
            let state = self.system.state_of(whole, &self.q, &self.v);
            let own = state.frame.r * self.system.bodies[whole].axes.transpose();
            let origin = state.frame.p - own * self.system.model.bodies[whole + 1].centre;
            for element in link.elements.iter().map(|body| body.0 - 1) {
                let axes = own * system.bodies[element].axes;
                let p = origin + own * system.model.bodies[element + 1].centre;
                let moving = state.twist.w.cross(&(p - state.frame.p));
                let twist = Twist { v: state.twist.v + moving, ..state.twist };
                let frame = Frame { p, r: axes };
                let part = BodyState { frame, twist, ..state };
                system.write_state(element, &part, &mut q, &mut v);
            }
        }
        if system.tree.is_some() {
            (q, v) = in_joint_coordinates(&mut system, &q, &v);
        }
        if let Some(erls) = &system.erls {
            (q, v) = erls.read(&system.model, &states);
        }
        let mut report = self.report;
        (report.coordinates, report.rows) = (v.len(), system.rows.len());
        let mut assembly = Self { system, q, v, report };
        if assembly.system.bends() {
            assembly.judge_rows_of_flexible_bodies();
        }
        assembly.check_accelerations()?;
        Ok(assembly)
    }

    /// Poses and velocities of all moving bodies.
    pub fn states(&self) -> Vec<BodyState> {
        let mut work = crate::system::Workspace::new(&self.system);
        evaluate::kinematics(&self.system, StateAt::bare(0.0, 0.0, &self.q, &self.v), &mut work);
        work.states.split_off(1)
    }

    /// Rows that depend on each other as long as bodies are rigid may be independent where they bend.
    fn judge_rows_of_flexible_bodies(&mut self) {
        let dependent = {
            let mut plant = Plant::new(&self.system);
            let found = plant.factor_plainly(&self.q, &self.v).is_ok();
            let ratio = |row: usize| plant.pivot_ratio(row);
            // Those that a tree holds have no pivots, and depend on nothing.
            let rows = 0..if found { self.system.active } else { 0 };
            let all: Vec<f64> = rows.map(ratio).collect();
            all.iter().filter(|ratio| **ratio < DEPENDENT).count()
        };
        self.system.redundancy = dependent;
        if dependent == 0 {
            self.report.redundant.clear();
            self.report.not_unique.clear();
            self.report.indeterminate.clear();
        }
    }

    /// The state y at the start: no work done yet, angles within half a turn of where drivers put
    /// their bodies, or of zero.
    pub fn state(&self) -> Vec<f64> {
        let layout = &self.system.layout;
        let mut y = vec![0.0; layout.end];
        y[..layout.q].copy_from_slice(&self.q);
        y[layout.q..layout.roots].copy_from_slice(&self.v);
        if layout.turns < layout.end {
            self.count_turns(&mut y);
        }
        y
    }

    fn count_turns(&self, y: &mut [f64]) {
        let system = &self.system;
        let mut work = crate::system::Workspace::new(system);
        let at = StateAt::bare(0.0, 0.0, &self.q, &self.v);
        evaluate::kinematics(system, at, &mut work);
        let turns = &mut y[system.layout.turns..];
        for (out, &(a, b)) in turns.iter_mut().zip(&system.turns) {
            *out = RowKind::Turn(Turn::Axis).coordinate(&work.markers[a], &work.markers[b]);
        }
        for driver in &system.model.drivers {
            if let (Coordinate::Angle, Some(turn)) =
                (driver.coordinate, system.joint_turns[driver.joint.0])
            {
                let wanted = driver.motion.jet(0.0, 0.0).value;
                turns[turn] += TAU * ((wanted - turns[turn]) / TAU).round();
                for &spring in system.force_turns.iter().flatten() {
                    if let Some(sense) = sense(system, &work, turn, spring) {
                        let beside = sense * turns[turn];
                        turns[spring] += TAU * ((beside - turns[spring]) / TAU).round();
                    }
                }
            }
        }
    }
}

/// Whether two counted angles are between the same bodies, and if they grow alike (1) or not (−1).
fn sense(system: &System, work: &crate::system::Workspace, one: usize, two: usize) -> Option<f64> {
    let ((a, b), (c, d)) = (system.turns[one], system.turns[two]);
    let body = |marker: usize| system.attachments[marker].body;
    let axis = |marker: usize| work.markers[marker].frame.axis(crate::math::spatial::Axis::Z);
    let along = axis(a).dot(&axis(c));
    // Angles about other axes have nothing to do with each other.
    if along.abs() < 1.0 - 1e-6 {
        return None;
    }
    let along = along.signum();
    match (body(c), body(d)) {
        ends if ends == (body(a), body(b)) => Some(along),
        ends if ends == (body(b), body(a)) => Some(-along),
        _ => None,
    }
}

/// A compiled system, errors with names.
fn compiled(model: &Model, result: Result<System, CompileError>) -> Result<System, AssemblyError> {
    result.map_err(|error| {
        let name = match &error {
            CompileError::SameBody(id) => model.joints[id.0].name.as_str(),
            CompileError::NothingToDrive(id) => &model.drivers[id.0].name,
            CompileError::Erls(_) => "",
        };
        AssemblyError::Compile(error, name.into())
    })
}
