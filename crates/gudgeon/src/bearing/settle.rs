//! The rest of a mechanism that turns steadily.
//!
//! With the velocities of the start, carried along by their bodies, the rest is
//!
//!   f(q, v) − Gᵀ λ = 0,   g(q) = 0                                                          (1)
//!
//! without the inertia of the bodies in f. It is found as the end of the motion that begins at the
//! start and loses the memory of its speed at every step: with K = ∂(Gᵀ λ − f)/∂q and D = −∂f/∂v,
//!
//!   (K + s D + s² M) u + Gᵀ λ = f,   G u = −g                                                (2)
//!
//! is a step of length 1/s of implicit Euler from rest; s falls with what is left of the load, and
//! s = 0 is Newton's step. In films that do not break, journals circle around their rest for ever and this
//! motion may end at the wall. Then the load grows instead: from the start, where f = f₀,
//!
//!   f(q, v) − Gᵀ λ = (1 − t) f₀,   g(q) = 0                                                  (3)
//!
//! is solved by Newton's steps for one t after the other, up to 1. Directions that nothing holds and nothing loads, such as an angle of a round
//! rotor, stay where they are: (2) is solved by the shortest u and λ.

use gudgeon_dae::{Equation, Fault, ImplicitDae, Place, Tangents, Terms};
use nalgebra::{DMatrix, DVector};

use super::BearingError;
use crate::assembly::Assembly;
use crate::film::Lubricated;
use crate::limits::Watch;
use crate::math::decompose;
use crate::progress::Progress;
use crate::run::Limits;
use crate::simulate::name_of;
use crate::system::Plant;
use crate::system::component::{Formulation, RigidBody};

/// Share of the load that may be left.
const TOLERANCE: f64 = 1e-9;
const STEPS: usize = 300;
/// Halvings of a step.
const CUTS: usize = 50;
/// Singular values below this share of the largest one hold nothing.
const LOOSE: f64 = 1e-12;
/// Share of the load from which steps are Newton's.
const NEAR: f64 = 1e-2;
/// First step of t, Newton's steps for one t and the share of the load they may leave on the way.
const GROWTH: f64 = 0.1;
const NEWTONS: usize = 8;
const ON_THE_WAY: f64 = 1e-3;

/// All films with their journals at rest.
pub struct Settled {
    pub films: Vec<Lubricated>,
    /// Size of the forces in balance, N.
    pub load: f64,
    pub steps: usize,
}

pub fn settle(
    assembly: &Assembly,
    limits: Limits,
    progress: &dyn Progress,
) -> Result<Settled, BearingError> {
    let mut watch = Watch::new(limits);
    let failure = match Rest::new(assembly, progress)?.follow_motion(&mut watch) {
        Ok(settled) => return Ok(settled),
        Err(failure) => failure,
    };
    let grown = Rest::new(assembly, progress)?.grow_load(&mut watch);
    grown.ok_or_else(|| match (progress.is_cancelled(), watch.exceeded()) {
        (true, _) => BearingError::Cancelled,
        (false, Some(limit)) => BearingError::Limit(limit),
        (false, None) => failure,
    })
}

struct Rest<'a> {
    progress: &'a dyn Progress,
    plant: Plant<'a>,
    y: Vec<f64>,
    lambda: Vec<f64>,
    terms: Terms,
    tangents: Tangents,
    /// Metre, or radian times the size of the mechanism, by velocity.
    unit: Vec<f64>,
    /// Fastest journal, rad/s.
    speed: f64,
    /// Largest force met so far, N.
    load: f64,
    /// (1 − t) f₀ of (3).
    held: Vec<f64>,
}

impl<'a> Rest<'a> {
    fn new(assembly: &'a Assembly, progress: &'a dyn Progress) -> Result<Self, BearingError> {
        let system = &assembly.system;
        let mut plant = Plant::new(system);
        plant.keep_plain_time();
        let (terms, tangents) = (plant.blank_terms(), plant.blank_tangents());
        let mut unit = vec![1.0; system.layout.v];
        let turning = (0..unit.len()).filter(|&i| system.is_rotation(i));
        turning.for_each(|i| unit[i] = 1.0 / system.length);
        let mut rest = Self {
            progress,
            plant,
            y: assembly.state(),
            lambda: vec![0.0; system.rows.len()],
            terms,
            tangents,
            unit,
            speed: 0.0,
            load: 0.0,
            held: vec![0.0; system.layout.v],
        };
        rest.evaluate().map_err(|fault| rest.touching(fault))?;
        for (film, element) in rest.plant.work.films.iter().zip(&system.films) {
            let omega = film.now.state.omega.abs();
            if omega == 0.0 {
                let joint = system.model.joints[element.joint.0].name.clone();
                return Err(BearingError::NoRotation { joint });
            }
            if rest.plant.work.markers[element.a].twist.w.norm() > 0.0 {
                let joint = system.model.joints[element.joint.0].name.clone();
                return Err(BearingError::Turning { joint });
            }
            rest.speed = rest.speed.max(omega);
        }
        Ok(rest)
    }

    /// The end of the motion by (2).
    fn follow_motion(mut self, watch: &mut Watch) -> Result<Settled, BearingError> {
        for step in 0..STEPS {
            if self.progress.is_cancelled() {
                return Err(BearingError::Cancelled);
            }
            if !watch.try_step() {
                break;
            }
            let (left, worst) = self.imbalance();
            if step > 0 && self.rests(left, TOLERANCE) {
                return Ok(self.found(step));
            }
            let share = if step == 0 { 1.0 } else { left / self.load };
            let pace = if share < NEAR { 0.0 } else { self.speed * share.min(1.0) };
            let Some(by) = self.step(pace) else { return Err(self.failure(worst, left)) };
            if !self.advance(&by, CUTS) {
                return Err(self.failure(worst, left));
            }
        }
        let (left, worst) = self.imbalance();
        Err(self.failure(worst, left))
    }

    /// The rest under a load that grows by (3); none where Newton's steps lose it.
    fn grow_load(mut self, watch: &mut Watch) -> Option<Settled> {
        let first = self.terms.force.clone();
        self.imbalance(); // the size of the load
        let (mut grown, mut more, mut steps) = (0.0, GROWTH, 0);
        let progress = self.progress;
        let goes_on = |watch: &mut Watch| watch.exceeded().is_none() && !progress.is_cancelled();
        while steps < STEPS && goes_on(watch) {
            let goal = f64::min(grown + more, 1.0);
            let (y, lambda) = (self.y.clone(), self.lambda.clone());
            self.held.iter_mut().zip(&first).for_each(|(held, f)| *held = (1.0 - goal) * f);
            let tolerance = if goal < 1.0 { ON_THE_WAY * goal } else { TOLERANCE };
            let taken = (1..=NEWTONS).find_map(|count| {
                let step = if watch.try_step() { self.step(0.0) } else { None };
                let by = step.filter(|by| self.advance(by, 1));
                let Some(_) = by else { return Some(Err(count)) };
                let left = self.imbalance().0;
                self.rests(left, tolerance).then_some(Ok(count))
            });
            let taken = taken.unwrap_or(Err(NEWTONS));
            steps += taken.unwrap_or_else(|count| count);
            if taken.is_ok() {
                if goal == 1.0 {
                    return Some(self.found(steps));
                }
                (grown, more) = (goal, 2.0 * more);
            } else {
                (self.y, self.lambda, more) = (y, lambda, 0.5 * more);
                self.evaluate().ok()?;
            }
        }
        None
    }

    /// Whether so little is left of the load, and the rows are closed.
    fn rests(&self, left: f64, tolerance: f64) -> bool {
        left <= tolerance * self.load && self.open() <= TOLERANCE
    }

    /// f without inertia, G and g at the present place.
    fn evaluate(&mut self) -> Result<(), Fault> {
        self.plant.terms(0.0, &self.y, &self.lambda, &mut self.terms)?;
        let system = self.plant.system;
        let still = [0.0; 6];
        let (mut moving, mut resting) = ([0.0; 6], [0.0; 6]);
        let mut loads = 0.0_f64;
        let rigid = |body: &&RigidBody| !body.formulation.is_flexible();
        for body in system.bodies.iter().filter(rigid) {
            let range = body.velocities();
            let (n, v) = (range.len(), &self.plant.work.v[range.clone()]);
            body.own_forces(&system.model.gravity, v, &mut moving[..n]);
            body.own_forces(&system.model.gravity, &still[..n], &mut resting[..n]);
            for (i, force) in self.terms.force[range].iter_mut().enumerate() {
                *force += resting[i] - moving[i];
            }
            loads = loads.max(body.mass * system.model.gravity.norm());
        }
        let films = self.plant.work.films.iter().map(|film| film.now.force.f.norm());
        self.load = films.fold(self.load.max(loads), f64::max);
        Ok(())
    }

    /// The largest |f − Gᵀ λ| beyond what is held, N, and its direction.
    fn imbalance(&mut self) -> (f64, usize) {
        let mut left = self.terms.force.clone();
        left.iter_mut().zip(&self.held).for_each(|(left, held)| *left -= held);
        self.terms.rows.add_transposed(-1.0, &self.lambda, &mut left);
        let sized = left.iter().zip(&self.unit).map(|(f, unit)| (f * unit).abs());
        let (worst, size) = sized.enumerate().fold((0, 0.0), |a, b| if b.1 > a.1 { b } else { a });
        self.load = self.load.max(if self.lambda.iter().all(|l| *l == 0.0) { size } else { 0.0 });
        (size, worst)
    }

    /// The largest |g| over the size of the mechanism.
    fn open(&self) -> f64 {
        self.terms.gaps.iter().fold(0.0, |a: f64, g| a.max(g.abs())) / self.plant.system.length
    }

    /// (2): u, and λ in place. None where its numbers are not finite.
    fn step(&mut self, pace: f64) -> Option<Vec<f64>> {
        let acceleration = vec![0.0; self.unit.len()];
        let at = Place { t: 0.0, y: &self.y, acceleration: &acceleration, lambda: &self.lambda };
        self.plant.tangents(at, &mut self.tangents).ok()?;
        let (n, rows) = (self.unit.len(), self.lambda.len());
        let mut a = DMatrix::<f64>::zeros(n + rows, n + rows);
        let parts = [
            (&self.tangents.stiffness, 1.0),
            (&self.tangents.damping, pace),
            (&self.terms.mass, pace * pace),
        ];
        for (entries, factor) in parts {
            for (i, j, value) in entries.iter() {
                a[(i, j)] += factor * value * self.unit[i] * self.unit[j];
            }
        }
        // Rows as strong as the films, so that singular values can be compared.
        let strength = a.amax().max(self.load / self.plant.system.length);
        for (i, j, value) in self.terms.rows.iter() {
            let value = strength * value * self.unit[j];
            (a[(n + i, j)], a[(j, n + i)]) = (value, value);
        }
        let right = DVector::from_fn(n + rows, |i, _| {
            if i < n {
                (self.terms.force[i] - self.held[i]) * self.unit[i]
            } else {
                -strength * self.terms.gaps[i - n]
            }
        });
        if right.iter().any(|x| !x.is_finite()) {
            return None;
        }
        let svd = decompose::svd(a)?;
        let loose = LOOSE * svd.singular_values.max();
        let x = svd.solve(&right, loose).ok()?;
        for (lambda, x) in self.lambda.iter_mut().zip(x.rows(n, rows).iter()) {
            *lambda = strength * x;
        }
        Some(x.rows(0, n).iter().zip(&self.unit).map(|(x, unit)| x * unit).collect())
    }

    /// Moves along u as far as no film loses more than half of its thickness, nor a third of its
    /// clearance, halved so often; false where that is nowhere.
    fn advance(&mut self, by: &[f64], cuts: usize) -> bool {
        let before = self.y.clone();
        let old: Vec<f64> = self.eccentricities().collect();
        let mut share = 1.0;
        for _ in 0..cuts {
            self.y.copy_from_slice(&before);
            self.displace(by, share);
            if self.progress.is_cancelled() {
                return false;
            }
            if self.evaluate().is_ok() {
                let far = |(new, old): (f64, &f64)| {
                    1.0 - new < 0.5 * (1.0 - old) || (new - old).abs() > 1.0 / 3.0
                };
                if !self.eccentricities().zip(&old).any(far) {
                    return true;
                }
            }
            share *= 0.5;
        }
        false
    }

    fn eccentricities(&self) -> impl Iterator<Item = f64> + '_ {
        self.plant.work.films.iter().map(|film| film.now.eccentricity)
    }

    /// Moves every body; its velocity turns with it.
    fn displace(&mut self, by: &[f64], share: f64) {
        let system = self.plant.system;
        let (q, v) = self.y[..system.layout.roots].split_at_mut(system.layout.q);
        let turn = |body: usize, q: &[f64], v: &[f64]| system.state_of(body, q, v).frame.r;
        let turned: Vec<_> = (0..system.bodies.len()).map(|body| turn(body, q, v)).collect();
        let by: Vec<f64> = by.iter().map(|u| share * u).collect();
        system.displace(q, &by);
        for (i, old) in turned.into_iter().enumerate() {
            let (body, new) = (&system.bodies[i], turn(i, q, v));
            if body.formulation == Formulation::Beam {
                continue;
            }
            let moving = &mut v[body.v..body.v + body.formulation.lengths()];
            let mut speed = nalgebra::Vector3::zeros();
            speed.as_mut_slice()[..moving.len()].copy_from_slice(moving);
            let speed = new * old.tr_mul(&speed);
            moving.copy_from_slice(&speed.as_slice()[..moving.len()]);
        }
    }

    fn found(&self, steps: usize) -> Settled {
        let films = self.plant.work.films.iter().map(|film| film.now).collect();
        Settled { films, load: self.load, steps }
    }

    fn touching(&self, fault: Fault) -> BearingError {
        let system = self.plant.system;
        let element = match fault {
            Fault::Undefined { element } => element,
            _ => 0,
        };
        let joint = system.model.joints[system.films[element].joint.0].name.clone();
        BearingError::Touching { joint }
    }

    fn failure(&self, worst: usize, force: f64) -> BearingError {
        BearingError::NoRest {
            equation: name_of(&self.plant, Equation::Motion(worst)),
            force,
            eccentricity: self.eccentricities().fold(0.0, f64::max),
        }
    }
}
