//! The forces of a mechanism that stands, or turns steadily, and how they change with its place.
//!
//! With the velocities v(q) and accelerations a(q) of the steady motion,
//!
//!   f(q, v(q)) − M a(q) − Gᵀ λ = 0,   g(q) = 0                                               (1)
//!
//! Still: v = 0. Turning in films: every body keeps the angular velocity of the start in its own axes and its
//! velocity turns with it; the inertia of that motion is left out of (1), so that an unbalanced rotor rests where a balanced one
//! would. Rotating as one at Ω about an axis through the point o, each body with its own spin s beside (in
//! its own axes, about a line of symmetry):
//!
//!   V = Ω × (P − o),   ω = Ω + R s,   V̇ = Ω × V,   ω̇ = Ω × ω                                 (2)
//!
//! Contacts are in the mode that their depth says, without a speed of approach: δ̇ = 0, and no hysteresis unless
//! an impact speed to divide by is given.

use gudgeon_dae::{Fault, ImplicitDae, Place, Tangents, Terms};
use nalgebra::{Matrix3, Vector3};

use crate::clearance::contact::{ContactMemory, Mode};
use crate::pencil::{Factors, Pencil};
use crate::system::component::{Formulation, RigidBody};
use crate::system::{Plant, System};

use super::coordinates::{Chords, linearised};

/// A rotation of everything about one axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rotation {
    /// Ω, rad/s, in world axes.
    pub speed: Vector3<f64>,
    /// A point of the axis, m.
    pub point: Vector3<f64>,
}

/// How the mechanism stands or moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Steady {
    /// Nothing moves.
    Still,
    /// Shafts spin in axes at rest, in films or as drivers turn them.
    Turning,
    /// Everything rotates as one; `spins`: bodies keep what the start has beside it.
    Rotating { rotation: Rotation, spins: bool },
    /// As it moves at one instant, accelerations included.
    Frozen,
}

/// Pivot ratio below which a row depends on others.
const DEPENDENT: f64 = 1e-9;

pub(crate) struct Balance<'s> {
    /// δ̇⁽⁻⁾ by which the damping of contacts is divided, m/s; infinite where there is none.
    pub impact_speed: f64,
    pub plant: Plant<'s>,
    pub steady: Steady,
    pub y: Vec<f64>,
    pub lambda: Vec<f64>,
    pub terms: Terms,
    pub tangents: Tangents,
    pub acceleration: Vec<f64>,
    /// f − M a.
    pub force: Vec<f64>,
    /// Metres or radians of a displacement of one.
    pub unit: Vec<f64>,
    /// s of (2), by body.
    spins: Vec<Vector3<f64>>,
    pub dropped: Vec<bool>,
}

impl<'s> Balance<'s> {
    /// At a state y, velocities included.
    pub fn new(system: &'s System, y: Vec<f64>, steady: Steady) -> Result<Self, Fault> {
        let mut plant = Plant::new(system);
        plant.keep_plain_time();
        let (terms, tangents) = (plant.blank_terms(), plant.blank_tangents());
        let n = system.layout.v;
        let mut balance = Self {
            steady,
            lambda: vec![0.0; system.rows.len()],
            terms,
            tangents,
            acceleration: vec![0.0; n],
            force: vec![0.0; n],
            unit: (0..n).map(|i| system.unit(i)).collect(),
            spins: vec![Vector3::zeros(); system.bodies.len()],
            dropped: vec![false; system.rows.len()],
            impact_speed: f64::INFINITY,
            y,
            plant,
        };
        if let Steady::Rotating { rotation, spins: true } = steady {
            for i in 0..system.bodies.len() {
                let state = balance.body(i);
                balance.spins[i] = state.frame.r.tr_mul(&(state.twist.w - rotation.speed));
            }
        }
        balance.move_steadily();
        if steady == Steady::Frozen {
            balance.set_modes();
            balance.plant.evaluate(0.0, &balance.y)?;
            balance.lambda.copy_from_slice(&balance.plant.work.lambda);
            balance.acceleration.copy_from_slice(&balance.plant.work.accelerations);
        }
        balance.evaluate()?;
        balance.find_dependent();
        Ok(balance)
    }

    pub fn system(&self) -> &'s System {
        self.plant.system
    }

    /// Pose and velocity of a moving body, of a link with a floating frame those of the frame.
    pub fn body(&self, i: usize) -> crate::system::component::BodyState {
        let layout = &self.system().layout;
        self.system().frame_of(i, &self.y[..layout.q], &self.y[layout.q..layout.roots])
    }

    /// Angular velocity of a body against the frame, in world axes.
    pub fn spin(&self, i: usize) -> Vector3<f64> {
        let frame = self.rotation().map_or(Vector3::zeros(), |rotation| rotation.speed);
        self.body(i).twist.w - frame
    }

    pub fn rotation(&self) -> Option<Rotation> {
        match self.steady {
            Steady::Rotating { rotation, .. } => Some(rotation),
            Steady::Still | Steady::Turning | Steady::Frozen => None,
        }
    }

    /// v(q) and a(q) by (2), or none.
    pub fn move_steadily(&mut self) {
        let system = self.system();
        match self.steady {
            Steady::Turning | Steady::Frozen => {}
            Steady::Still => self.y[system.layout.q..system.layout.roots].fill(0.0),
            Steady::Rotating { rotation: Rotation { speed, point }, .. } => {
                for (i, body) in system.bodies.iter().enumerate() {
                    if body.formulation == Formulation::Beam {
                        self.rotate_beam(i, &speed, &point);
                        continue;
                    }
                    let state = self.body(i);
                    let velocity = speed.cross(&(state.frame.p - point));
                    let turning = state.frame.r.tr_mul(&speed) + self.spins[i];
                    let angular = state.frame.r.tr_mul(&speed.cross(&(state.frame.r * turning)));
                    let (v, a) = (
                        &mut self.y[system.layout.q..][body.velocities()],
                        &mut self.acceleration[body.velocities()],
                    );
                    let centripetal = speed.cross(&velocity);
                    // What is elastic rotates as it is.
                    v.fill(0.0);
                    a.fill(0.0);
                    if body.formulation.lengths() == 2 {
                        v[..3].copy_from_slice(&[velocity.x, velocity.y, turning.z]);
                        a[..3].copy_from_slice(&[centripetal.x, centripetal.y, 0.0]);
                    } else {
                        v[..3].copy_from_slice(velocity.as_slice());
                        v[3..6].copy_from_slice(turning.as_slice());
                        a[..3].copy_from_slice(centripetal.as_slice());
                        a[3..6].copy_from_slice(angular.as_slice());
                    }
                }
            }
        }
    }

    /// Velocities and accelerations of a beam that rotates as it is.
    fn rotate_beam(&mut self, i: usize, speed: &Vector3<f64>, point: &Vector3<f64>) {
        let (system, beam) = (self.system(), self.system().beam(i));
        let axes = system.model.space.axes();
        for first in (0..beam.size()).step_by(axes) {
            let mut x = Vector3::zeros();
            x.as_mut_slice()[..axes].copy_from_slice(&self.y[beam.q + first..][..axes]);
            let from = if beam.is_length(first) { *point } else { Vector3::zeros() };
            let velocity = speed.cross(&(x - from));
            let second = speed.cross(&velocity);
            let v = &mut self.y[system.layout.q + beam.v + first..][..axes];
            v.copy_from_slice(&velocity.as_slice()[..axes]);
            let a = &mut self.acceleration[beam.v + first..][..axes];
            a.copy_from_slice(&second.as_slice()[..axes]);
        }
    }

    /// Turns a beam as it is about a point, with its velocities.
    pub(super) fn turn_beam(&mut self, i: usize, turn: &Matrix3<f64>, point: &Vector3<f64>) {
        let (system, beam) = (self.system(), self.system().beam(i));
        let axes = system.model.space.axes();
        for first in (0..beam.size()).step_by(axes) {
            let from = if beam.is_length(first) { *point } else { Vector3::zeros() };
            for (place, from) in
                [(beam.q + first, from), (system.layout.q + beam.v + first, Vector3::zeros())]
            {
                let mut x = Vector3::zeros();
                x.as_mut_slice()[..axes].copy_from_slice(&self.y[place..][..axes]);
                let x = from + turn * (x - from);
                self.y[place..][..axes].copy_from_slice(&x.as_slice()[..axes]);
            }
        }
    }

    /// Contacts begin and end where their surfaces meet; functions of the motion are on the pieces that hold.
    fn set_modes(&mut self) {
        for i in 0..self.plant.memory.contacts.len() {
            let touches = self.plant.contact_geometry(i, 0.0, &self.y).depth > 0.0;
            let mode = if touches { Mode::Contact { cut: false } } else { Mode::Free };
            let impact_speed = self.impact_speed;
            self.plant.memory.contacts[i] =
                ContactMemory { mode, impact_speed, ..ContactMemory::FREE };
            self.plant.find_normal_pieces_at(i, 0.0, &self.y);
        }
        self.plant.find_modes(0.0, &self.y);
    }

    /// f − M a, G and g at the present place.
    pub fn evaluate(&mut self) -> Result<(), Fault> {
        self.set_modes();
        self.plant.terms(0.0, &self.y, &self.lambda, &mut self.terms)?;
        self.force.copy_from_slice(&self.terms.force);
        self.terms.mass.add_product(-1.0, &self.acceleration, &mut self.force);
        let system = self.system();
        if self.steady == Steady::Turning {
            let (mut moving, mut resting) = ([0.0; 6], [0.0; 6]);
            let rigid = |body: &&RigidBody| !body.formulation.is_flexible();
            for body in system.bodies.iter().filter(rigid) {
                let range = body.velocities();
                let (n, v) = (range.len(), &self.plant.work.v[range.clone()]);
                body.own_forces(&system.model.gravity, v, &mut moving[..n]);
                body.own_forces(&system.model.gravity, &[0.0; 6][..n], &mut resting[..n]);
                for (i, force) in self.force[range].iter_mut().enumerate() {
                    *force += resting[i] - moving[i];
                }
            }
        }
        let turns = &mut self.y[system.layout.turns..];
        turns.copy_from_slice(&self.plant.work.turns);
        match self.force.iter().position(|f| !f.is_finite()) {
            Some(index) => Err(Fault::NotFinite { index: system.layout.q + index }),
            None => Ok(()),
        }
    }

    /// Which rows depend on others at the last evaluated place.
    pub fn find_dependent(&mut self) {
        for row in 0..self.dropped.len() {
            self.dropped[row] = self.plant.pivot_ratio(row) < DEPENDENT;
        }
    }

    /// (f − M a − Gᵀ λ) in the units of displacements: joules.
    pub fn imbalance(&self) -> Vec<f64> {
        let mut left = self.force.clone();
        self.terms.rows.add_transposed(-1.0, &self.lambda, &mut left);
        self.in_frame(left)
    }

    /// f − M a in the same units.
    pub fn applied(&self) -> Vec<f64> {
        self.in_frame(self.force.clone())
    }

    /// Generalised forces in the units and axes of the pencil.
    fn in_frame(&self, mut forces: Vec<f64>) -> Vec<f64> {
        for (i, body) in self.system().bodies.iter().enumerate() {
            if body.formulation.has_spin() {
                let torque = &mut forces[body.v + 3..body.v + 6];
                let turned = self.body(i).frame.r * Vector3::from_column_slice(torque);
                torque.copy_from_slice(turned.as_slice());
            }
        }
        forces.iter_mut().zip(&self.unit).for_each(|(force, unit)| *force *= unit);
        forces
    }

    /// Reactions that leave least of the forces, in the sense of the masses: those of the accelerations that are left.
    pub fn find_reactions(&mut self) {
        let Ok(pencil) = self.pencil(Chords::LeftOut) else { return };
        let mut factors = Factors::<f64>::new(&pencil);
        // Fast enough that stiffness does not matter.
        let s = (1e8 * pencil.fastest()).sqrt();
        if factors.factor(&pencil, s).is_err() {
            return;
        }
        let f = self.applied();
        let rows = pencil.rows.rows();
        let (mut u, mut mu) = (vec![0.0; f.len()], vec![0.0; rows]);
        factors.solve(&pencil, &f, &vec![0.0; rows], &mut u, &mut mu);
        for ((lambda, mu), scale) in self.lambda.iter_mut().zip(&mu).zip(&pencil.row_scale) {
            *lambda = mu * scale;
        }
    }

    /// Forces that are in balance, in the same units: the largest of what acts and reacts.
    pub fn load(&self) -> f64 {
        let mut most = 0.0f64;
        for (i, j, g) in self.terms.rows.iter() {
            most = most.max((g * self.lambda[i] * self.unit[j]).abs());
        }
        let applied = self.force.iter().zip(&self.unit).map(|(f, unit)| (f * unit).abs());
        let system = self.system();
        let gravity = system.model.gravity.norm();
        let weights = system.bodies.iter().map(|body| body.mass * gravity * system.length);
        let works = &self.plant.work;
        let contacts = works.contacts.iter().map(|(_, force)| force.normal * system.length);
        let films = works.films.iter().map(|film| film.now.force.f.norm() * system.length);
        applied.chain(weights).chain(contacts).chain(films).fold(most, f64::max)
    }

    /// The largest |g| in the size of the mechanism or radians.
    pub fn open(&self) -> f64 {
        let system = self.system();
        let size = |i: usize| if system.rows[i].kind.is_angle() { 1.0 } else { system.length };
        let gaps = self.terms.gaps.iter().enumerate();
        gaps.fold(0.0, |most: f64, (i, g)| most.max(g.abs() / size(i)))
    }

    /// The linearised equations at the present place, in axes that rotate with the frame.
    pub fn pencil(&mut self, chords: Chords) -> Result<Pencil, Fault> {
        self.set_modes();
        let at =
            Place { t: 0.0, y: &self.y, acceleration: &self.acceleration, lambda: &self.lambda };
        self.plant.tangents(at, &mut self.tangents)?;
        Ok(linearised(self, &Matrix3::identity(), chords))
    }

    /// Moves by displacements in the units of the pencil and the axes of the frame.
    pub fn displace(&mut self, by: &[f64], share: f64) {
        let system = self.system();
        let turning = self.steady == Steady::Turning;
        let before: Vec<_> = match turning {
            true => (0..system.bodies.len()).map(|i| self.body(i).frame.r).collect(),
            false => Vec::new(),
        };
        let mut own: Vec<f64> =
            by.iter().zip(&self.unit).map(|(u, unit)| share * u * unit).collect();
        for (i, body) in system.bodies.iter().enumerate() {
            if body.formulation.has_spin() {
                let part = &mut own[body.v + 3..body.v + 6];
                let turned = self.body(i).frame.r.tr_mul(&Vector3::from_column_slice(part));
                part.copy_from_slice(turned.as_slice());
            }
        }
        system.displace(&mut self.y[..system.layout.q], &own);
        for (i, old) in before.into_iter().enumerate() {
            let (body, new) = (&system.bodies[i], self.body(i).frame.r);
            let moving = &mut self.y[system.layout.q..][body.velocities()];
            let lengths = body.formulation.lengths();
            let mut speed = Vector3::zeros();
            speed.as_mut_slice()[..lengths].copy_from_slice(&moving[..lengths]);
            let speed = new * old.tr_mul(&speed);
            moving[..lengths].copy_from_slice(&speed.as_slice()[..lengths]);
        }
        self.move_steadily();
    }

    /// Leaves forces, reactions and accelerations of the steady motion where outputs read them.
    pub fn settle_outputs(&mut self) {
        self.plant.work.lambda.copy_from_slice(&self.lambda);
        self.plant.work.accelerations.copy_from_slice(&self.acceleration);
    }
}

impl Balance<'_> {
    /// Evaluates the mechanism beside its steady motion: displaced along u (scaled, axes of the frame) with its first and
    /// second rates and changed reactions, all times `by`. The state itself stays.
    pub fn varied(
        &mut self,
        place: &[f64],
        speed: &[f64],
        second: &[f64],
        reactions: &[f64],
        by: f64,
    ) -> Result<(), Fault> {
        let system = self.system();
        let keep = (self.y.clone(), self.acceleration.clone());
        let omega = self.rotation().map_or(Vector3::zeros(), |rotation| rotation.speed);
        let spins: Vec<Vector3<f64>> = (0..system.bodies.len()).map(|i| self.spin(i)).collect();
        let frames: Vec<_> = (0..system.bodies.len()).map(|i| self.body(i).frame.r).collect();
        self.displace_only(place, by);
        let acceleration = self.acceleration.clone();
        for (i, body) in system.bodies.iter().enumerate() {
            let beam = body.formulation == Formulation::Beam;
            let lengths = if beam { system.model.space.axes() } else { body.formulation.lengths() };
            let vector = |from: &[f64], first: usize, count: usize| {
                let mut out = Vector3::zeros();
                for k in 0..count {
                    out[k] = by * from[first + k] * self.unit[first + k];
                }
                out
            };
            let spin = spins[i];
            let group = |first: usize, count: usize, turning: bool| {
                let [u, u1, u2] = [place, speed, second].map(|from| vector(from, first, count));
                let rate = u1 + omega.cross(&u);
                let second = match turning {
                    false => u2 + omega.cross(&u1) * 2.0 + omega.cross(&omega.cross(&u)),
                    true => u2 + (omega - spin).cross(&u1) - spin.cross(&omega.cross(&u)),
                };
                (rate, second)
            };
            if beam {
                for first in body.velocities().step_by(lengths) {
                    let (v, a) = group(first, lengths, false);
                    for k in 0..lengths {
                        self.y[system.layout.q + first + k] =
                            keep.0[system.layout.q + first + k] + v[k];
                        self.acceleration[first + k] = acceleration[first + k] + a[k];
                    }
                }
                continue;
            }
            let (v, a) = group(body.v, lengths, false);
            let y = &mut self.y[system.layout.q..];
            for k in 0..lengths {
                y[body.v + k] = keep.0[system.layout.q + body.v + k] + v[k];
                self.acceleration[body.v + k] = acceleration[body.v + k] + a[k];
            }
            for k in body.velocities().skip(body.formulation.frame_velocities()) {
                y[k] = keep.0[system.layout.q + k] + by * speed[k] * self.unit[k];
                self.acceleration[k] = acceleration[k] + by * second[k] * self.unit[k];
            }
            if body.formulation.lengths() == 2 {
                let (w, a) = (speed[body.v + 2], second[body.v + 2]);
                y[body.v + 2] = keep.0[system.layout.q + body.v + 2] + by * w;
                self.acceleration[body.v + 2] = acceleration[body.v + 2] + by * a;
                continue;
            }
            let (w, a) = group(body.v + 3, 3, true);
            let (w, a) = (frames[i].tr_mul(&w), frames[i].tr_mul(&a));
            for k in 0..3 {
                y[body.v + 3 + k] = keep.0[system.layout.q + body.v + 3 + k] + w[k];
                self.acceleration[body.v + 3 + k] = acceleration[body.v + 3 + k] + a[k];
            }
        }
        let done = self.plant.terms(0.0, &self.y, &self.lambda, &mut self.terms);
        let varied = self.lambda.iter().zip(reactions).map(|(lambda, change)| lambda + by * change);
        for (out, lambda) in self.plant.work.lambda.iter_mut().zip(varied) {
            *out = lambda;
        }
        self.plant.work.accelerations.copy_from_slice(&self.acceleration);
        (self.y, self.acceleration) = keep;
        done
    }

    /// Moves positions alone.
    fn displace_only(&mut self, by: &[f64], share: f64) {
        let (velocities, acceleration) =
            (self.y[self.system().layout.q..].to_vec(), self.acceleration.clone());
        self.displace(by, share);
        let first = self.system().layout.q;
        self.y[first..].copy_from_slice(&velocities);
        self.acceleration = acceleration;
    }
}
