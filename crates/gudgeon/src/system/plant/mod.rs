//! A compiled mechanism with its memory, as the integrators see it.
//!
//! y = (q, v, z, w): coordinates and velocities of all moving bodies, the root σ = √δ of every
//! contact, and quadratures: the work done so far by every driver, every applied force (without its
//! potential) and every contact (normal, friction), and the angles that are counted over turns.

mod events;
mod implicit;
mod laws;
mod rates;
mod strain;
mod stretch;

use gudgeon_dae::{Fault, Stabilisation};

use super::blocks;
use super::compile::{ContactElement, RowSource, System};
use super::evaluate::{self, StateAt};
use super::functions;
use super::workspace::Workspace;
use crate::clearance::contact::{ContactForce, ContactMemory, SWITCHES};
use crate::clearance::geometry::{Geometry, Spot, eccentricity, geometry};
use crate::friction::{FrictionElement, Slip, Zone};
use crate::joint::{RowKind, Turn};
use crate::limits::Watch;
use crate::marker::{Attachment, MarkerState};
use crate::math::rotation;
use crate::model::{DriverId, JointId};
use crate::run::Limits;
use crate::sensor::Needs;
use crate::system::component::BodyState;
use std::f64::consts::TAU;

/// No law divides by a closing speed below this, m/s, whatever the onset floor.
const SLOWEST: f64 = 1e-12;

/// Everything that persists between steps and is neither position nor velocity.
#[derive(Clone, Debug, PartialEq)]
pub struct Memory {
    pub contacts: Vec<ContactMemory>,
    /// Zones of friction in ideal joints.
    pub zones: Vec<Zone>,
    /// Pieces of functions of the state, then of laws by formula.
    pub pieces: Vec<i32>,
}

impl Memory {
    /// Of a contact, with the pieces of its laws.
    #[inline]
    pub fn contact(&self, contact: usize, element: &ContactElement) -> (&ContactMemory, &[i32]) {
        (&self.contacts[contact], &self.pieces[element.pieces.clone()])
    }

    /// Of friction in an ideal joint: its zone and the pieces of its law.
    #[inline]
    pub fn friction(&self, friction: usize, element: &FrictionElement) -> (Zone, &[i32]) {
        (self.zones[friction], &self.pieces[element.pieces.clone()])
    }
}

/// What an event did to a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Change {
    /// Contact began with closing speed `speed`; `floored` when the law uses the onset floor.
    Began { contact: usize, speed: f64, floored: bool },
    /// Contact ended with δ̇ = `rate` (negative).
    Ended { contact: usize, rate: f64 },
    /// The force was cut to zero or taken up again (`cut`), or the friction zone changed.
    Inner { contact: usize, cut: bool },
    /// Surfaces of an ideal joint entered another zone of their friction law.
    Zone { friction: usize },
    /// A function of the state entered another piece.
    Piece { function: usize },
    /// The angle at which the run shall end was reached.
    ReachedAngle,
}

/// How a journal lies in its bearing (flores): at which of its bases it touches, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Situation {
    Free,
    /// One base touches.
    Point,
    /// Both bases touch on one side.
    Line,
    /// Both bases touch on opposite sides.
    Opposite,
}

impl Situation {
    pub const ALL: [Self; 4] = [Self::Free, Self::Point, Self::Line, Self::Opposite];

    /// Its word in files and records.
    pub fn name(self) -> &'static str {
        match self {
            Self::Free => "free",
            Self::Point => "point",
            Self::Line => "line",
            Self::Opposite => "opposite",
        }
    }
}

/// Ends the run when the angle of a joint has moved by `angle` from `start`.
#[derive(Clone, Copy, Debug)]
pub struct StopAngle {
    pub joint: JointId,
    pub start: f64,
    pub angle: f64,
}

/// Largest speeds and energy met so far: the scales of the error control.
#[derive(Clone, Copy, Debug, Default)]
struct Scales {
    started: bool,
    speed: f64,
    spin: f64,
    energy: f64,
}

#[derive(Clone, Debug)]
pub struct Plant<'s> {
    pub system: &'s System,
    pub work: Workspace,
    pub memory: Memory,
    /// Energy added by projections so far, J.
    pub projection_energy: f64,
    /// Whether contacts stretch time; fixed steps run in plain time.
    stretching: bool,
    stop: Option<StopAngle>,
    branch: f64,
    scales: Scales,
    /// How long the run is, s, where that is known.
    horizon: f64,
    changes: Vec<Change>,
    watch: Watch,
}

impl<'s> Plant<'s> {
    pub fn new(system: &'s System) -> Self {
        Self {
            system,
            work: Workspace::new(system),
            memory: Memory {
                contacts: vec![ContactMemory::FREE; system.contacts.len()],
                zones: vec![Zone::Rest; system.frictions.len()],
                pieces: vec![0; system.pieces],
            },
            projection_energy: 0.0,
            stretching: true,
            stop: None,
            branch: 0.0,
            scales: Scales::default(),
            horizon: 1.0,
            changes: Vec::with_capacity(
                SWITCHES * system.contacts.len() + 2 * (system.frictions.len() + system.pieces) + 1,
            ),
            watch: Watch::default(),
        }
    }

    /// Largest speed and spin so far, the scales of the error control.
    pub(in crate::system) fn speeds_met(&self) -> [f64; 2] {
        [self.scales.speed, self.scales.spin]
    }

    /// How long the run is, for scales that look ahead.
    pub fn expect(&mut self, horizon: f64) {
        if horizon.is_finite() {
            self.horizon = horizon;
        }
    }

    /// Counts steps and CPU time from now on, and ends stepping where they exceed a limit.
    pub fn limit(&mut self, limits: Limits) {
        self.watch = Watch::new(limits);
    }

    pub(crate) fn watch(&mut self) -> &mut Watch {
        &mut self.watch
    }

    /// Takes over what events and intervals have changed in another plant of the same system.
    pub fn follow(&mut self, other: &Self) {
        self.memory.contacts.copy_from_slice(&other.memory.contacts);
        self.memory.zones.copy_from_slice(&other.memory.zones);
        self.memory.pieces.copy_from_slice(&other.memory.pieces);
        self.branch = other.branch;
        self.projection_energy = other.projection_energy;
    }

    /// Integrates contacts in plain time, with forces from δ itself.
    pub fn keep_plain_time(&mut self) {
        self.stretching = false;
    }

    pub fn stop_at(&mut self, stop: Option<StopAngle>) {
        self.stop = stop;
    }

    /// Chooses the pieces of functions of time by an instant inside the coming interval.
    pub fn enter_interval(&mut self, branch: f64) {
        self.branch = branch;
    }

    pub fn branch(&self) -> f64 {
        self.branch
    }

    pub(in crate::system) fn point<'a>(&self, t: f64, y: &'a [f64]) -> StateAt<'a> {
        let at = &self.system.layout;
        StateAt {
            t,
            branch: self.branch,
            q: &y[..at.q],
            v: &y[at.q..at.roots],
            roots: if self.stretching { &y[at.roots..at.bristles] } else { &[] },
            bristles: &y[at.bristles..at.drivers],
            turns: &y[at.turns..at.end],
        }
    }

    /// Accelerations, reactions and forces at a point, left in the workspace.
    pub fn evaluate(&mut self, t: f64, y: &[f64]) -> Result<(), Fault> {
        self.evaluate_for(Needs::Reactions, t, y)
    }

    /// What steps leave out of the last evaluation and outputs need: of a tree, markers and reactions of its joints.
    pub(crate) fn complete(&mut self, needs: Needs) {
        if let Some(tree) = &self.system.tree {
            tree.place_held(self.system, &mut self.work);
            if needs == Needs::Reactions {
                tree.joint_reactions(self.system, &mut self.work);
            }
        }
        if let (Some(erls), Needs::Reactions) = (&self.system.erls, needs) {
            erls.joint_reactions(self.system, &mut self.work);
        }
    }

    /// As much of [`evaluate`](Self::evaluate) as outputs need; the rest of the workspace is stale.
    pub(crate) fn evaluate_for(&mut self, needs: Needs, t: f64, y: &[f64]) -> Result<(), Fault> {
        let at = self.point(t, y);
        let (system, memory, work) = (self.system, &self.memory, &mut self.work);
        match needs {
            Needs::Motion => {
                evaluate::kinematics(system, at, work);
                functions::update(system, at, &memory.pieces, work);
            }
            Needs::Forces => evaluate::forces(system, at, memory, work)?,
            Needs::Accelerations | Needs::Reactions => {
                let plain = Stabilisation::default();
                evaluate::accelerations(system, at, memory, plain, work)?;
            }
        }
        self.complete(needs);
        Ok(())
    }

    /// Poses, markers and velocities alone.
    pub fn place(&mut self, t: f64, y: &[f64]) {
        let at = self.point(t, y);
        evaluate::kinematics(self.system, at, &mut self.work);
        functions::update(self.system, at, &self.memory.pieces, &mut self.work);
        self.complete(Needs::Motion);
    }

    /// Factors S at a point as it is, singular or not.
    pub fn factor_plainly(&mut self, q: &[f64], v: &[f64]) -> Result<(), Fault> {
        let at = StateAt::bare(0.0, 0.0, q, v);
        evaluate::kinematics(self.system, at, &mut self.work);
        evaluate::rows(self.system, &mut self.work);
        blocks::factor_plainly(self.system, &mut self.work)
    }

    /// Share of a unit displacement in direction `i` of v that the constraints do not take away, in
    /// the metric of M, after [`factor_plainly`](Self::factor_plainly).
    pub fn freedom(&mut self, i: usize) -> f64 {
        let work = &mut self.work;
        work.directions.fill(0.0);
        work.directions[i] = 1.0;
        work.residual.fill(0.0);
        blocks::gather(self.system, &work.g, &work.directions, 1.0, &mut work.residual);
        work.ldl.solve(&mut work.residual);
        blocks::scatter(self.system, &work.mg, &work.residual, 1.0, &mut work.directions);
        work.directions[i].abs()
    }

    /// Power λ g_t of a driver at the last evaluation.
    pub fn driver_power(&self, driver: usize) -> f64 {
        self.driver_load(driver) * self.work.motions[driver].rate
    }

    /// Torque or force −λ of a driver at the last evaluation.
    pub fn driver_load(&self, driver: usize) -> f64 {
        let mut rows = self.system.rows_of(RowSource::Driver(DriverId(driver)));
        rows.next().map_or(0.0, |row| -self.work.lambda[row])
    }

    /// A marker at any point, without touching the workspace.
    pub(super) fn marker_at(&self, index: usize, t: f64, y: &[f64]) -> MarkerState {
        let mut marker = MarkerState::default();
        self.write_marker(index, t, y, &mut marker);
        marker
    }

    /// The same in place.
    #[inline(always)]
    fn write_marker(&self, index: usize, t: f64, y: &[f64], marker: &mut MarkerState) {
        self.write_attached(&self.system.attachments[index], t, y, marker);
    }

    /// Any place on a body, at any point.
    pub fn attached(&self, attachment: &Attachment, t: f64, y: &[f64]) -> MarkerState {
        let mut marker = MarkerState::default();
        self.write_attached(attachment, t, y, &mut marker);
        marker
    }

    #[inline(always)]
    fn write_attached(&self, attachment: &Attachment, t: f64, y: &[f64], marker: &mut MarkerState) {
        let at = &self.system.layout;
        let (q, v) = (&y[..at.q], &y[at.q..at.roots]);
        match &self.system.tree {
            Some(tree) => {
                let motion =
                    |driver: usize| self.system.model.drivers[driver].motion.jet(t, self.branch);
                tree.write_marker(self.system, attachment, (q, v), motion, marker);
            }
            None => self.bodies_at(t, (q, v), |q, v| {
                self.system.write_marker(attachment, q, v, marker);
            }),
        }
    }

    /// What `of` reads of coordinates and velocities of the bodies, which are those of the state unless links move on an
    /// equivalent rigid system.
    pub(crate) fn bodies_at<T>(
        &self,
        t: f64,
        (q, v): (&[f64], &[f64]),
        of: impl FnOnce(&[f64], &[f64]) -> T,
    ) -> T {
        let (Some(erls), Some(work)) = (&self.system.erls, &self.work.erls) else {
            return of(q, v);
        };
        let motion = |driver: usize| self.system.model.drivers[driver].motion.jet(t, self.branch);
        erls.aside(self.system, work, (q, v), motion, of)
    }

    /// Pose and velocity of a moving body at any point.
    pub fn state_of(&self, body: usize, t: f64, y: &[f64]) -> BodyState {
        let at = &self.system.layout;
        let (q, v) = (&y[..at.q], &y[at.q..at.roots]);
        match &self.system.tree {
            Some(tree) => {
                let motion =
                    |driver: usize| self.system.model.drivers[driver].motion.jet(t, self.branch);
                tree.any_state(self.system, body, (q, v), motion)
            }
            None => self.bodies_at(t, (q, v), |q, v| self.system.state_of(body, q, v)),
        }
    }

    /// Markers of a contact at any point.
    #[inline(always)]
    fn contact_markers(&self, contact: usize, t: f64, y: &[f64]) -> (MarkerState, MarkerState) {
        let element = &self.system.contacts[contact];
        let (mut a, mut b) = (MarkerState::default(), MarkerState::default());
        // In place: this is asked for at every switch.
        self.write_marker(element.a, t, y, &mut a);
        self.write_marker(element.b, t, y, &mut b);
        (a, b)
    }

    /// Geometry of a contact at any point, without touching the rest of the workspace.
    pub fn contact_geometry(&self, contact: usize, t: f64, y: &[f64]) -> Geometry {
        let element = &self.system.contacts[contact];
        let (a, b) = self.contact_markers(contact, t, y);
        geometry(&element.spot, &element.clearance, &a, &b)
    }

    /// Where the journal of a contact is in the axes of its bearing, at any point.
    pub fn journal_position(&self, contact: usize, t: f64, y: &[f64]) -> [f64; 2] {
        let element = &self.system.contacts[contact];
        let (a, b) = self.contact_markers(contact, t, y);
        let e = eccentricity(&element.spot, &element.clearance, &a, &b);
        let local = a.frame.r.tr_mul(&e);
        [local.x, local.y]
    }

    /// Forces of a contact in its present mode at any point.
    pub fn contact_force(&self, contact: usize, t: f64, y: &[f64]) -> (Geometry, ContactForce) {
        let element = &self.system.contacts[contact];
        let (a, b) = self.contact_markers(contact, t, y);
        let geometry = geometry(&element.spot, &element.clearance, &a, &b);
        let at = &self.system.layout;
        let touch = element.touch(
            self.memory.contact(contact, element),
            (&a, &b),
            &y[at.bristles..at.drivers],
        );
        (geometry, touch.force(&geometry, self.root(contact, y)))
    }

    /// Energy in the bristles of a contact at any point, J.
    pub fn contact_bristles(&self, contact: usize, t: f64, y: &[f64]) -> f64 {
        let (element, at) = (&self.system.contacts[contact], &self.system.layout);
        if element.states == 0 {
            return 0.0;
        }
        let (a, b) = self.contact_markers(contact, t, y);
        let geometry = geometry(&element.spot, &element.clearance, &a, &b);
        let memory = self.memory.contact(contact, element);
        let touch = element.touch(memory, (&a, &b), &y[at.bristles..at.drivers]);
        touch.with_bristles(&geometry, self.root(contact, y)).1.stored
    }

    /// Sliding velocities of the surfaces of an ideal joint at any point.
    pub(super) fn slips(&self, friction: usize, t: f64, y: &[f64]) -> Slip {
        let element = &self.system.frictions[friction];
        element.slips(&self.marker_at(element.a, t, y), &self.marker_at(element.b, t, y))
    }

    /// Thickness of a film where it is thinnest at any point, m.
    pub fn film_thickness(&self, film: usize, t: f64, y: &[f64]) -> f64 {
        let element = &self.system.films[film];
        element
            .lubricant
            .thickness(&self.marker_at(element.a, t, y), &self.marker_at(element.b, t, y))
    }

    /// Angle of a joint about its axis at a point, counted over turns.
    pub fn joint_angle(&self, joint: JointId, t: f64, y: &[f64]) -> f64 {
        let ends = &self.system.model.joints[joint.0];
        let (a, b) = (self.marker_at(ends.a.0, t, y), self.marker_at(ends.b.0, t, y));
        match self.system.joint_turns[joint.0] {
            None => RowKind::Angle.coordinate(&a, &b),
            Some(turn) => {
                let angle = RowKind::Turn(Turn::Axis).coordinate(&a, &b);
                let counted = y[self.system.layout.turns + turn];
                angle + TAU * ((counted - angle) / TAU).round()
            }
        }
    }

    /// How the journal of a joint lies in its bearing.
    pub fn situation(&self, joint: JointId) -> Situation {
        let touching = |i: usize| {
            let is_base = matches!(self.system.contacts[i].spot, Spot::Base { .. });
            (is_base && self.memory.contacts[i].in_contact()).then_some(i)
        };
        let both =
            |i: usize| matches!(self.system.contacts[i].spot, Spot::Base { offset: 0.0, .. });
        let mut bases = self.system.contacts_of(joint).filter_map(touching);
        match (bases.next(), bases.next()) {
            (None, _) => Situation::Free,
            (Some(only), None) if both(only) => Situation::Line,
            (Some(_), None) => Situation::Point,
            (Some(v), Some(w)) => {
                let normal = |i: usize| self.work.contacts[i].0.map(|g| g.normal);
                match (normal(v), normal(w)) {
                    (Some(v), Some(w)) if v.dot(&w) < 0.0 => Situation::Opposite,
                    _ => Situation::Line,
                }
            }
        }
    }

    /// Quaternion of a body's inner axes at the last kinematics; its sign is continuous in time.
    pub fn quaternion(&self, body: usize) -> [f64; 4] {
        rotation::normalised(self.work.quaternions[body - 1])
    }

    /// The row with the smallest pivot ratio at the last evaluation, 1 for a row on its own and 0 for one
    /// that depends on the others; as many as are redundant everywhere are passed over. Masses do not
    /// matter.
    pub fn weakest_pivot(&mut self) -> Option<(usize, f64)> {
        blocks::factor_shape(self.system, &mut self.work);
        let rows = self.system.active;
        if self.system.redundancy >= rows {
            return None;
        }
        let order = &mut self.work.order;
        order.clear();
        order.extend((0..rows).map(|row| (self.work.shape.pivot_ratio(row), row)));
        let ascending =
            |a: &(f64, usize), b: &(f64, usize)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
        let (_, weakest, _) = order.select_nth_unstable_by(self.system.redundancy, ascending);
        Some((weakest.1, weakest.0))
    }

    /// Pivot ratio of a row at the last evaluation.
    pub fn pivot_ratio(&mut self, row: usize) -> f64 {
        blocks::factor_shape(self.system, &mut self.work);
        self.work.shape.pivot_ratio(row)
    }

    /// The same at any point; the workspace is left there.
    pub fn weakest_pivot_at(&mut self, t: f64, y: &[f64]) -> Option<(usize, f64)> {
        self.place(t, y);
        evaluate::rows(self.system, &mut self.work);
        self.weakest_pivot()
    }

    /// Name of the driver whose velocity is farthest from the prescribed one at the last evaluation.
    pub fn jumping_driver(&mut self) -> String {
        evaluate::velocity_residual(self.system, &mut self.work);
        let residual = |row: &usize| self.work.residual[*row].abs();
        (0..self.system.active)
            .filter(|&row| matches!(self.system.rows[row].source, RowSource::Driver(_)))
            .max_by(|a, b| residual(a).total_cmp(&residual(b)))
            .map_or(String::new(), |row| self.system.row_owner(row).to_owned())
    }

    /// Index in the model and acceleration of the body that accelerates most.
    pub fn fastest_body(&self) -> (usize, f64) {
        let length = self.system.length;
        let size = |body: usize| {
            let (linear, angular) = self.system.speeds_of(body, &self.work.accelerations);
            linear.max(angular * length)
        };
        (0..self.system.bodies.len())
            .map(|body| (body + 1, size(body)))
            .max_by(|a, b| a.1.total_cmp(&b.1))
            .unwrap_or((0, 0.0))
    }
}
