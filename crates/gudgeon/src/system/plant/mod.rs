//! A compiled mechanism with its memory, as the integrators see it.
//!
//! y = (q, v, z, w): three coordinates per moving body, their velocities, the root σ = √δ of every
//! contact, and the work done so far by every driver, every applied force (without its potential)
//! and every contact (normal, friction).

mod events;
mod stretch;

use gudgeon_dae::{Dims, Drift, Fault, SecondOrderDae, Stabilisation};

use super::compile::{RowSource, System};
use super::energy;
use super::evaluate::{self, Point};
use super::workspace::Workspace;
use crate::clearance::contact::{self, ContactMemory, Geometry, SWITCHES};
use crate::model::JointId;

/// Share of a related scale that a scale has at least.
const PART: f64 = 0.1;

/// A row holds its mechanism when its pivot is above this fraction of its diagonal entry.
const NEARLY_LOST: f64 = 1e-8;

/// No law divides by a closing speed below this, m/s, whatever the onset floor.
const SLOWEST: f64 = 1e-12;

/// Everything that persists between steps and is neither position nor velocity.
#[derive(Clone, Debug, PartialEq)]
pub struct Memory {
    pub contacts: Vec<ContactMemory>,
}

/// What an event did to a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Change {
    /// Contact began with closing speed `speed`; `floored` when the law uses the onset floor.
    Began { contact: usize, speed: f64, floored: bool },
    /// Contact ended with δ̇ = `rate` (negative).
    Ended { contact: usize, rate: f64 },
    /// The force was cut to zero, taken up again, or the friction zone changed.
    Inner { contact: usize },
    /// The angle at which the run shall end was reached.
    ReachedAngle,
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
    changes: Vec<Change>,
}

impl<'s> Plant<'s> {
    pub fn new(system: &'s System) -> Self {
        Self {
            system,
            work: Workspace::new(system),
            memory: Memory { contacts: vec![ContactMemory::FREE; system.contacts.len()] },
            projection_energy: 0.0,
            stretching: true,
            stop: None,
            branch: 0.0,
            scales: Scales::default(),
            changes: Vec::with_capacity(SWITCHES * system.contacts.len() + 1),
        }
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

    /// Number of coordinates, equal to that of velocities.
    pub fn coordinates(&self) -> usize {
        3 * self.system.bodies.len()
    }

    /// Where the work of each group starts in y: drivers, forces, contacts.
    pub fn work_offsets(&self) -> (usize, usize, usize) {
        let drivers = 2 * self.coordinates() + self.system.contacts.len();
        let forces = drivers + self.system.model.drivers.len();
        (drivers, forces, forces + self.system.model.forces.len())
    }

    fn point<'a>(&self, t: f64, y: &'a [f64]) -> Point<'a> {
        let n = self.coordinates();
        let roots = if self.stretching { &y[2 * n..][..self.system.contacts.len()] } else { &[] };
        Point { t, branch: self.branch, q: &y[..n], v: &y[n..2 * n], roots }
    }

    /// Accelerations, reactions and forces at a point, left in the workspace.
    pub fn evaluate(&mut self, t: f64, y: &[f64]) -> Result<(), Fault> {
        let at = self.point(t, y);
        let memory = &self.memory.contacts;
        evaluate::accelerations(self.system, at, memory, Stabilisation::default(), &mut self.work)
    }

    /// Poses, markers and velocities alone.
    pub fn place(&mut self, t: f64, y: &[f64]) {
        let at = self.point(t, y);
        evaluate::kinematics(self.system, at, &mut self.work);
        evaluate::motions(self.system, at, &mut self.work);
    }

    /// Power λ g_t of a driver at the last evaluation.
    pub fn driver_power(&self, driver: usize) -> f64 {
        -self.driver_effort(driver, |lambda| lambda * self.work.motions[driver].rate)
    }

    /// Torque or force −λ of a driver at the last evaluation.
    pub fn driver_load(&self, driver: usize) -> f64 {
        -self.driver_effort(driver, |lambda| lambda)
    }

    fn driver_effort(&self, driver: usize, f: impl Fn(f64) -> f64) -> f64 {
        let is_its = |row: &super::compile::Row| matches!(row.source, RowSource::Driver(id) if id.0 == driver);
        self.system.rows.iter().position(is_its).map_or(0.0, |row| f(self.work.lambda[row]))
    }

    /// Geometry of a contact at any point, without touching the rest of the workspace.
    pub fn contact_geometry(&self, contact: usize, y: &[f64]) -> Geometry {
        let element = &self.system.contacts[contact];
        let n = self.coordinates();
        let marker = |index: usize| {
            let attachment = &self.system.attachments[index];
            match attachment.body.checked_sub(1) {
                None => attachment.marker(&crate::marker::PlanarPose::GROUND, &[0.0; 3]),
                Some(body) => {
                    let v = &y[n + 3 * body..][..3];
                    let pose = crate::marker::PlanarPose::new(&y[3 * body..]);
                    attachment.marker(&pose, &[v[0], v[1], v[2]])
                }
            }
        };
        contact::geometry(&element.clearance, &marker(element.a), &marker(element.b))
    }

    /// Normal force of a contact in its present mode at any point.
    pub fn contact_force(&self, contact: usize, y: &[f64]) -> (Geometry, contact::ContactForce) {
        let geometry = self.contact_geometry(contact, y);
        let clearance = &self.system.contacts[contact].clearance;
        let (memory, root) = (&self.memory.contacts[contact], self.root(contact, y));
        (geometry, contact::force(clearance, memory, &geometry, root))
    }

    /// Angle of a revolute joint at a point.
    pub fn joint_angle(&self, joint: JointId, y: &[f64]) -> f64 {
        let joint = &self.system.model.joints[joint.0];
        let angle = |marker: usize| {
            let attachment = &self.system.attachments[marker];
            attachment.angle + attachment.body.checked_sub(1).map_or(0.0, |body| y[3 * body + 2])
        };
        angle(joint.b.0) - angle(joint.a.0)
    }

    /// The row with the weakest hold at the last evaluation, 1 for a row on its own and 0 for one
    /// that depends on the others.
    pub fn weakest_hold(&self) -> Option<(usize, f64)> {
        (0..self.system.rows.len())
            .map(|row| (row, self.work.ldl.pivot_ratio(row)))
            .min_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// The row that has all but lost its hold at the last evaluation, if there is one.
    pub fn weakest_row(&self) -> Option<usize> {
        self.weakest_hold().filter(|(_, hold)| *hold < NEARLY_LOST).map(|(row, _)| row)
    }

    /// Name of the driver whose velocity is farthest from the prescribed one at the last evaluation.
    pub fn jumping_driver(&mut self) -> String {
        evaluate::velocity_residual(self.system, &mut self.work);
        let residual = |row: &usize| self.work.residual[*row].abs();
        (0..self.system.rows.len())
            .filter(|&row| matches!(self.system.rows[row].source, RowSource::Driver(_)))
            .max_by(|a, b| residual(a).total_cmp(&residual(b)))
            .map_or(String::new(), |row| self.system.row_owner(row).to_owned())
    }

    /// Index in the model and acceleration of the body that accelerates most.
    pub fn fastest_body(&self) -> (usize, f64) {
        let length = self.system.length;
        let size = |a: &[f64; 3]| a[0].hypot(a[1]).max(a[2].abs() * length);
        self.work
            .accelerations
            .iter()
            .enumerate()
            .map(|(i, a)| (i + 1, size(a)))
            .max_by(|a, b| a.1.total_cmp(&b.1))
            .unwrap_or((0, 0.0))
    }
}

impl SecondOrderDae for Plant<'_> {
    fn dims(&self) -> Dims {
        let n = self.coordinates();
        let model = &self.system.model;
        Dims {
            q: n,
            v: n,
            z: self.system.contacts.len(),
            w: model.drivers.len() + model.forces.len() + 2 * self.system.contacts.len(),
            rows: self.system.rows.len(),
            switches: SWITCHES * self.system.contacts.len() + usize::from(self.stop.is_some()),
        }
    }

    fn velocity_is_rate(&self) -> bool {
        true
    }

    fn rates(
        &mut self,
        t: f64,
        y: &[f64],
        dy: &mut [f64],
        stabilisation: Stabilisation,
    ) -> Result<f64, Fault> {
        let at = self.point(t, y);
        let memory = &self.memory.contacts;
        evaluate::accelerations(self.system, at, memory, stabilisation, &mut self.work)?;
        let n = self.coordinates();
        let (qdot, rest) = dy.split_at_mut(n);
        let (vdot, rest) = rest.split_at_mut(n);
        let (zdot, wdot) = rest.split_at_mut(self.system.contacts.len());
        zdot.fill(0.0);
        qdot.copy_from_slice(at.v);
        for (out, a) in vdot.chunks_exact_mut(3).zip(&self.work.accelerations) {
            out.copy_from_slice(a);
        }
        let (drivers, rest) = wdot.split_at_mut(self.work.motions.len());
        let (forces, contacts) = rest.split_at_mut(self.work.force_powers.len());
        drivers.fill(0.0);
        for (row, lambda) in self.system.rows.iter().zip(&self.work.lambda) {
            if let RowSource::Driver(id) = row.source {
                drivers[id.0] = -lambda * self.work.motions[id.0].rate;
            }
        }
        forces.copy_from_slice(&self.work.force_powers);
        for (out, (_, force)) in contacts.chunks_exact_mut(2).zip(&self.work.contacts) {
            out[0] = force.normal_power;
            out[1] = force.friction_power;
        }
        if let Some(index) = vdot.iter().position(|a| !a.is_finite()) {
            return Err(Fault::NotFinite { index: n + index });
        }
        Ok(if self.stretching && !self.memory.contacts.is_empty() {
            self.stretch_rates(y, dy)
        } else {
            1.0
        })
    }

    fn settle(&mut self, y: &mut [f64]) -> bool {
        let first = 2 * self.coordinates();
        let mut changed = false;
        for i in 0..self.memory.contacts.len() {
            let memory = self.memory.contacts[i];
            // Near σ = 0 the root of δ loses digits, and the integrated σ is the better one.
            let deep = y[first + i] > 0.5 * memory.root_scale;
            if self.stretching && memory.in_contact() && deep {
                let depth = self.contact_geometry(i, y).depth;
                y[first + i] = depth.max(0.0).sqrt();
                changed = true;
            }
        }
        changed
    }

    fn drift(&mut self) -> Drift {
        evaluate::velocity_residual(self.system, &mut self.work);
        let Scales { speed, spin, .. } = self.scales;
        // Before anything has moved there is no speed to compare with.
        let or_one = |scale: f64| if scale > 0.0 { scale } else { 1.0 };
        let (speed, spin) = (or_one(speed), or_one(spin));
        let velocity = evaluate::largest(self.system, &self.work.residual, speed, spin).0;
        for i in 0..self.system.rows.len() {
            self.work.residual[i] = evaluate::position_residual(self.system, i, &self.work);
        }
        let length = self.system.length;
        let position = evaluate::largest(self.system, &self.work.residual, length, 1.0).0;
        Drift { position, velocity }
    }

    fn project(&mut self, t: f64, y: &mut [f64]) -> Result<(), Fault> {
        self.place(t, y);
        let before = energy::total(self.system, &self.work);
        let n = self.coordinates();
        let (q, rest) = y.split_at_mut(n);
        let v = &mut rest[..n];
        evaluate::project(self.system, t, self.branch, q, v, &mut self.work)?;
        self.place(t, y);
        self.projection_energy += energy::total(self.system, &self.work) - before;
        Ok(())
    }

    fn switches(&mut self, _t: f64, y: &[f64], out: &mut [f64]) {
        let (contacts, stop) = out.split_at_mut(SWITCHES * self.system.contacts.len());
        for (i, out) in contacts.chunks_exact_mut(SWITCHES).enumerate() {
            let geometry = self.contact_geometry(i, y);
            let clearance = &self.system.contacts[i].clearance;
            let (memory, root) = (&self.memory.contacts[i], self.root(i, y));
            contact::switches(clearance, memory, &geometry, root, out);
        }
        if let (Some(stop), Some(out)) = (&self.stop, stop.first_mut()) {
            let moved = (self.joint_angle(stop.joint, y) - stop.start) / stop.angle;
            *out = 1.0 - moved * moved; // in either sense
        }
    }

    fn raise_scales(&mut self, y: &[f64], scales: &mut [f64]) {
        let n = self.coordinates();
        let length = self.system.length;
        let mut next = self.scales;
        for v in y[n..2 * n].chunks_exact(3) {
            next.speed = next.speed.max(v[0].hypot(v[1]));
            next.spin = next.spin.max(v[2].abs());
        }
        if !next.started {
            // From rest: part of the speed a body gains over the size of the mechanism.
            for a in &self.work.accelerations {
                next.speed = next.speed.max(PART * (a[0].hypot(a[1]) * length).sqrt());
                next.spin = next.spin.max(PART * a[2].abs().sqrt());
            }
            next.started = true;
        }
        // A motion without turning, or about a fixed centre, must not be held to rounding.
        next.spin = next.spin.max(PART * next.speed / length);
        next.speed = next.speed.max(PART * next.spin * length);
        for (body, v) in self.system.bodies.iter().zip(y[n..2 * n].chunks_exact(3)) {
            let least = body.mass * PART * next.speed * PART * next.speed;
            next.energy = next.energy.max(body.kinetic(&[v[0], v[1], v[2]])).max(0.5 * least);
        }
        self.scales = next;
        let or_unbounded = |scale: f64| if scale > 0.0 { scale } else { f64::INFINITY };
        for i in 0..n {
            let angle = i % 3 == 2;
            scales[i] = if angle { 1.0 } else { length };
            scales[n + i] = or_unbounded(if angle { next.spin } else { next.speed });
        }
        let (roots, works) = scales[2 * n..].split_at_mut(self.memory.contacts.len());
        for (i, scale) in roots.iter_mut().enumerate() {
            *scale = self.memory.contacts[i].root_scale.max(y[2 * n + i]);
        }
        works.fill(or_unbounded(next.energy));
    }
}
