//! From a start to an equilibrium.
//!
//! The equilibrium is first looked for as the end of the motion that begins at the start and loses the memory of
//! its speed at every step: with K and D of the pencil, f and λ of (1) of `balance.rs`,
//!
//!   (K + s D + s² M) u + Gᵀ λ = f − M a,   G u = −g                                           (1)
//!
//! is a step of length 1/s of implicit Euler from rest. s falls with what is left of the load, and faster where one
//! step of Newton's solves its equations well, and (1) becomes Newton's step; where it would lead uphill,
//! u · (K + s D + s² M) u < 0, s grows. Where that motion leads
//! nowhere the load grows instead, from the start, where f = f₀, in steps of t,
//!
//!   f(q) − M a − Gᵀ λ = (1 − t) f₀                                                            (2)
//!
//! each by Newton's steps with a line search: a step is halved until it leaves less force than it found, or what it
//! leaves takes a shorter step to mend by the same matrix (Deuflhard's natural test). s is never
//! zero, so that directions that nothing holds and nothing loads stay where they are.

use gudgeon_dae::Fault;

use super::EquilibriumError;
use super::balance::Balance;
use super::coordinates::Chords;
use super::free::{free_direction, moving_most};
use crate::limits::Watch;
use crate::pencil::{Factors, Pencil};
use crate::progress::Progress;

/// Steps of (1), and Newton's steps for one t of (2).
const STEPS: usize = 2000;
const NEWTONS: usize = 14;
/// A step is this small, in sizes of the mechanism and radians, where Newton's method has arrived.
const ARRIVED: f64 = 1e-9;
/// Share of the load that rounding leaves.
const ROUNDING: f64 = 1e-13;
/// Longest step, in sizes of the mechanism and radians.
const LONGEST: f64 = 0.15;
/// Halvings of a step.
const CUTS: usize = 40;
/// s² as a part of the squares of the highest frequencies, at least.
const LEAST: f64 = 1e-13;

/// What a search for an equilibrium may cost.
pub(crate) struct Effort<'e> {
    pub watch: &'e mut Watch,
    pub progress: &'e dyn Progress,
}

impl Effort<'_> {
    /// Whether one more step may be tried.
    pub fn goes_on(&mut self) -> Result<(), EquilibriumError> {
        match (self.progress.is_cancelled(), self.watch.try_step()) {
            (true, _) => Err(EquilibriumError::Cancelled),
            (false, true) => Ok(()),
            (false, false) => Err(self
                .watch
                .exceeded()
                .map_or(EquilibriumError::Cancelled, EquilibriumError::Limit)),
        }
    }
}

/// What a step that failed leaves, N, and what moves most in it.
type Failed = (f64, String);

/// A search with its matrix.
pub(crate) struct Search<'b, 's> {
    pub balance: &'b mut Balance<'s>,
    pub factors: Factors<f64>,
    /// (1 − t) f₀ of (2), scaled.
    held: Vec<f64>,
    pub steps: usize,
    /// Largest load met.
    load: f64,
}

/// One solution of (1).
pub(crate) struct Step {
    pub by: Vec<f64>,
    pub lambda: Vec<f64>,
    /// Largest displacement.
    pub size: f64,
    /// u · (K + s D + s² M) u.
    pub along: f64,
}

impl<'b, 's> Search<'b, 's> {
    pub fn new(balance: &'b mut Balance<'s>) -> Result<Self, Fault> {
        let factors = Factors::new(&balance.pencil(Chords::LeftOut)?);
        let held = vec![0.0; balance.unit.len()];
        let load = balance.load();
        Ok(Self { balance, factors, held, steps: 0, load })
    }

    /// By the motion without memory, else by a growing load.
    pub fn find(&mut self, effort: &mut Effort) -> Result<(), EquilibriumError> {
        let start = (self.balance.y.clone(), self.balance.lambda.clone());
        match self.follow_motion(effort) {
            Ok(()) => return Ok(()),
            Err(error) if error.is_final() => return Err(error),
            Err(_) => {}
        }
        (self.balance.y, self.balance.lambda) = start;
        self.balance.evaluate().map_err(|fault| self.undefined(fault))?;
        self.balance.find_dependent();
        self.grow_load(effort)
    }

    fn follow_motion(&mut self, effort: &mut Effort) -> Result<(), EquilibriumError> {
        let mut s2 = f64::NAN;
        let mut left = f64::INFINITY;
        for count in 0..STEPS {
            effort.goes_on()?;
            self.steps += 1;
            let pencil = self.pencil()?;
            let least = LEAST * pencil.fastest();
            if count == 0 {
                s2 = self.first_pace(&pencil).max(least);
            }
            let Some(step) = self.downhill(&pencil, &mut s2, least) else {
                return Err(self.no_rest(0.0, left));
            };
            let newton = s2 <= least * 1.0001;
            let share = (LONGEST / step.size).min(1.0);
            let tried = self.advance(&pencil, &step, s2.sqrt(), share, newton)?;
            let Some((now, rest)) = tried else {
                s2 *= 64.0;
                if s2 > 1e30 * pencil.fastest() {
                    return Err(self.no_rest(0.0, left));
                }
                continue;
            };
            if self.has_arrived(&step, now, newton, share) {
                return self.check_held(&pencil).map(|()| self.finish());
            }
            let ratio = if left.is_finite() && left > 0.0 { now / left } else { 0.5 };
            let by_force = ratio.clamp(if step.size < LONGEST { 1e-3 } else { 0.25 }, 2.0);
            s2 *= if rest < 0.1 { by_force.min(0.25) } else { by_force };
            // A good step goes over to Newton's.
            if step.size < 1e-4 {
                s2 *= 1e-4;
            }
            s2 = s2.max(least);
            left = now;
            // In flight nothing holds either; a contact may end it.
            let patience = if self.balance.plant.memory.contacts.is_empty() { 50 } else { 500 };
            if count % patience == patience - 1 {
                self.check_held(&pencil)?;
            }
        }
        Err(self.no_rest(0.0, left))
    }

    /// So slow that the first step is a part of the size of the mechanism.
    fn first_pace(&self, pencil: &Pencil) -> f64 {
        let left = self.balance.imbalance();
        let mut fastest = 0.0f64;
        for (i, left) in left.iter().enumerate() {
            let mass = pencil.mass.slot(i, i).map_or(0.0, |slot| pencil.mass.values[slot]);
            if mass > 0.0 {
                fastest = fastest.max(left.abs() / mass);
            }
        }
        10.0 * fastest
    }

    /// A step of (1) along which the force points, with a pace that is raised until it is so.
    fn downhill(&mut self, pencil: &Pencil, s2: &mut f64, least: f64) -> Option<Step> {
        for _ in 0..60 {
            if let Some(step) = self.step(pencil, s2.sqrt())
                && (step.along >= 0.0 || step.size < 1e-7)
            {
                return Some(step);
            }
            *s2 = (8.0 * *s2).max(1e3 * least);
        }
        None
    }

    /// (1) with a pace; none where it has no finite solution.
    pub fn step(&mut self, pencil: &Pencil, s: f64) -> Option<Step> {
        self.factors.factor(pencil, s).ok()?;
        let balance = &*self.balance;
        let f: Vec<f64> =
            balance.applied().iter().zip(&self.held).map(|(f, held)| f - held).collect();
        let gaps = balance.terms.gaps.iter().zip(&pencil.row_scale);
        let g: Vec<f64> = gaps.map(|(gap, scale)| -gap * scale).collect();
        self.solved(pencil, s, &f, &g)
    }

    /// The solution of the last factors for any right-hand side.
    pub fn solved(&mut self, pencil: &Pencil, s: f64, f: &[f64], g: &[f64]) -> Option<Step> {
        let (n, rows) = (f.len(), g.len());
        let (mut by, mut mu) = (vec![0.0; n], vec![0.0; rows]);
        self.factors.solve(pencil, f, g, &mut by, &mut mu);
        let size = by.iter().fold(0.0f64, |most, u| most.max(u.abs()));
        if !size.is_finite() || mu.iter().any(|mu| !mu.is_finite()) {
            return None;
        }
        let mut product = vec![0.0; n];
        pencil.add_shifted(s, &by, &mut product);
        let along = by.iter().zip(&product).map(|(u, p)| u * p).sum();
        let lambda = mu.iter().zip(&pencil.row_scale).map(|(mu, scale)| mu * scale).collect();
        Some(Step { by, lambda, size, along })
    }

    /// Goes along a step as far as it leaves not much more than it found; what is left then, and how much of the
    /// step mends it.
    fn advance(
        &mut self,
        pencil: &Pencil,
        step: &Step,
        s: f64,
        share: f64,
        strict: bool,
    ) -> Result<Option<(f64, f64)>, EquilibriumError> {
        let (y, lambda) = (self.balance.y.clone(), self.balance.lambda.clone());
        let before = self.left().max(ROUNDING * self.load);
        let thickness = self.thicknesses();
        let mut share = share;
        for cut in 0..CUTS {
            self.balance.y.copy_from_slice(&y);
            self.balance.displace(&step.by, share);
            self.balance.lambda.copy_from_slice(&step.lambda);
            if self.balance.evaluate().is_ok() && !self.too_far(&thickness) {
                let left = self.left();
                let first = lambda.iter().all(|x| *x == 0.0);
                let bound = if strict || first { 1e3 } else { 2.0 } * before;
                let rest = self.mending(pencil, step, s, share);
                if left <= bound
                    || (strict && cut == 0 && step.size < ARRIVED)
                    || rest <= 1.0 - 0.5 * share
                {
                    self.balance.find_dependent();
                    return Ok(Some((left, rest)));
                }
            }
            share *= 0.5;
        }
        (self.balance.y, self.balance.lambda) = (y, lambda);
        self.balance.evaluate().map_err(|fault| self.undefined(fault))?;
        Ok(None)
    }

    /// The step that mends what a part of a step leaves of (1), by the same matrix, over that step. A bent line that
    /// moves along a straight step stretches, which is much force and little way.
    fn mending(&mut self, pencil: &Pencil, step: &Step, s: f64, share: f64) -> f64 {
        let left = self.balance.imbalance();
        let mut f: Vec<f64> = left.iter().zip(&self.held).map(|(f, held)| f - held).collect();
        pencil.mass.add_product(-s * s * share, &step.by, &mut f);
        pencil.damping.add_product(-s * share, &step.by, &mut f);
        let gaps = self.balance.terms.gaps.iter().zip(&pencil.row_scale);
        let g: Vec<f64> = gaps.map(|(gap, scale)| -gap * scale).collect();
        self.solved(pencil, s, &f, &g).map_or(f64::INFINITY, |rest| rest.size / step.size)
    }

    fn thicknesses(&self) -> Vec<f64> {
        self.balance.plant.work.films.iter().map(|film| film.now.eccentricity).collect()
    }

    /// Whether a film loses more than half of its thickness or a third of its clearance.
    fn too_far(&self, before: &[f64]) -> bool {
        let far = |(new, old): (f64, &f64)| {
            1.0 - new < 0.5 * (1.0 - old) || (new - old).abs() > 1.0 / 3.0
        };
        self.thicknesses().into_iter().zip(before).any(far)
    }

    /// What is out of balance, in joules per displacement of one.
    fn left(&mut self) -> f64 {
        let left = self.balance.imbalance();
        self.load = self.load.max(self.balance.load());
        let pairs = left.iter().zip(&self.held);
        pairs.fold(0.0f64, |most, (left, held)| most.max((left - held).abs()))
    }

    fn has_arrived(&self, step: &Step, left: f64, newton: bool, share: f64) -> bool {
        let closed = self.balance.open() <= 1e-11;
        let still = newton && share == 1.0 && step.size <= ARRIVED;
        closed && (still || left <= ROUNDING * self.load)
    }

    /// A direction that nothing holds but something loads is no place of rest.
    fn check_held(&mut self, pencil: &Pencil) -> Result<(), EquilibriumError> {
        match free_direction(self, pencil) {
            Some(free) if free.load > 1e-6 * self.load => Err(self.free_motion(&free.direction)),
            _ => Ok(()),
        }
    }

    /// Two more of Newton's steps, where they help.
    fn finish(&mut self) {
        for _ in 0..3 {
            let before = self.left();
            let (y, lambda) = (self.balance.y.clone(), self.balance.lambda.clone());
            let better = (|| {
                let pencil = self.balance.pencil(Chords::LeftOut).ok()?;
                let s = (LEAST * pencil.fastest()).sqrt();
                let step = self.step(&pencil, s).filter(|step| step.size < 1e-6)?;
                self.balance.displace(&step.by, 1.0);
                self.balance.lambda.copy_from_slice(&step.lambda);
                self.balance.evaluate().ok()?;
                (self.left() < before).then_some(())
            })();
            if better.is_none() {
                (self.balance.y, self.balance.lambda) = (y, lambda);
                // It could be evaluated before.
                let _ = self.balance.evaluate();
                return;
            }
        }
    }

    /// (2) for one t after the other.
    fn grow_load(&mut self, effort: &mut Effort) -> Result<(), EquilibriumError> {
        let first = self.balance.applied();
        let (mut grown, mut more) = (0.0, 0.1);
        let mut worst = (f64::INFINITY, String::new());
        while more > 1e-6 {
            let goal = f64::min(grown + more, 1.0);
            let (y, lambda) = (self.balance.y.clone(), self.balance.lambda.clone());
            self.held.iter_mut().zip(&first).for_each(|(held, f)| *held = (1.0 - goal) * f);
            match self.newton(effort)? {
                Ok(()) if goal == 1.0 => {
                    let pencil = self.pencil()?;
                    self.check_held(&pencil)?;
                    self.finish();
                    return Ok(());
                }
                Ok(()) => (grown, more) = (goal, 2.0 * more),
                Err(failed) => {
                    worst = failed;
                    (self.balance.y, self.balance.lambda) = (y, lambda);
                    self.balance.evaluate().map_err(|fault| self.undefined(fault))?;
                    self.balance.find_dependent();
                    more *= 0.25;
                }
            }
        }
        self.held.fill(0.0);
        let pencil = self.pencil()?;
        if grown == 0.0
            && let Some(free) = free_direction(self, &pencil)
            && free.load > 1e-6 * self.load
        {
            return Err(self.free_motion(&free.direction));
        }
        Err(EquilibriumError::NoRest { share: grown, left: worst.0, moving: worst.1 })
    }

    /// Newton's steps with a line search for one t; what is left and what moves where they fail.
    fn newton(&mut self, effort: &mut Effort) -> Result<Result<(), Failed>, EquilibriumError> {
        let mut failed = (f64::INFINITY, String::new());
        for _ in 0..NEWTONS {
            effort.goes_on()?;
            self.steps += 1;
            let Ok(pencil) = self.balance.pencil(Chords::LeftOut) else { return Ok(Err(failed)) };
            let s = (LEAST * pencil.fastest()).sqrt();
            let Some(step) = self.step(&pencil, s) else { return Ok(Err(failed)) };
            failed.1 = moving_most(self.balance.system(), &step.by);
            let share = (LONGEST / step.size).min(1.0);
            let Some((left, _)) = self.advance(&pencil, &step, s, share, false)? else {
                return Ok(Err(failed));
            };
            failed.0 = left / self.balance.system().length;
            if self.has_arrived(&step, left, true, share) {
                return Ok(Ok(()));
            }
        }
        Ok(Err(failed))
    }

    pub fn pencil(&mut self) -> Result<Pencil, EquilibriumError> {
        self.balance.pencil(Chords::LeftOut).map_err(|fault| self.undefined(fault))
    }

    fn no_rest(&self, share: f64, left: f64) -> EquilibriumError {
        EquilibriumError::NoRest {
            share,
            left: left / self.balance.system().length,
            moving: String::new(),
        }
    }

    fn free_motion(&self, direction: &[f64]) -> EquilibriumError {
        EquilibriumError::FreeMotion { motion: moving_most(self.balance.system(), direction) }
    }

    pub fn undefined(&self, fault: Fault) -> EquilibriumError {
        let system = self.balance.system();
        match fault {
            Fault::Undefined { element } if element < system.films.len() => {
                let joint = system.model.joints[system.films[element].joint.0].name.clone();
                EquilibriumError::Touching { joint }
            }
            _ => EquilibriumError::NotFinite,
        }
    }
}
