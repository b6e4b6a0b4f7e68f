//! The energy ledger: what is stored, what was put in, what was lost, and what does not add up.
//!
//!   E(t) − E(0) = Σ W_driver + Σ W_force + Σ W_contact + Σ W_friction + W_formulation + W_projection + residual  (1)
//!
//! E is the kinetic energy plus the potentials of gravity, springs, bent links and bristles (whose part the work of
//! friction is without: what remains is lost). All works are integrated
//! with the motion, so the residual measures the error of the integration and nothing else. Equations that leave terms of
//! the motion out do not keep E: the power of exact minus used virtual terms is W_formulation.

use crate::results::{Ledger, LedgerKind, LedgerLine};
use crate::system::{Plant, energy};

pub(super) struct LedgerKeeper {
    state: Vec<f64>,
    kinetic: f64,
    gravity: f64,
    springs: Vec<f64>,
    strains: Vec<f64>,
    total: f64,
    peak_kinetic: f64,
    residual: f64,
    residual_max: f64,
    before: Vec<LedgerLine>,
}

impl LedgerKeeper {
    pub fn new(state: usize) -> Self {
        Self {
            state: vec![0.0; state],
            kinetic: 0.0,
            gravity: 0.0,
            springs: Vec::new(),
            strains: Vec::new(),
            total: 0.0,
            peak_kinetic: 0.0,
            residual: 0.0,
            residual_max: 0.0,
            before: Vec::new(),
        }
    }

    /// Energies at the start; the plant was just evaluated there.
    pub fn begin(&mut self, plant: &Plant, y: &[f64]) {
        let (system, work) = (plant.system, &plant.work);
        self.state.copy_from_slice(y);
        self.kinetic = energy::kinetic(system, work);
        self.gravity = energy::gravity(system, work);
        self.springs =
            (0..system.model.forces.len()).map(|i| energy::potential(system, work, i)).collect();
        self.strains =
            (0..system.flexible_links()).map(|i| energy::strain(system, work, i)).collect();
        self.total = energy::total(system, work);
        self.peak_kinetic = self.kinetic;
    }

    /// The balance (1) at the end of a step, where the plant was just evaluated.
    pub fn update(&mut self, plant: &Plant, y: &[f64]) {
        let at = &plant.system.layout;
        let done: f64 = y[at.drivers..at.turns].iter().sum();
        let change = energy::total(plant.system, &plant.work) - self.total;
        self.residual = change - done - plant.projection_energy;
        self.residual_max = self.residual_max.max(self.residual.abs());
        let kinetic = energy::kinetic(plant.system, &plant.work);
        self.peak_kinetic = self.peak_kinetic.max(kinetic);
    }

    /// Keeps the lines at the start of the measuring window.
    pub fn enter_window(&mut self, plant: &mut Plant, t: f64, y: &[f64]) {
        self.before = self.lines(plant, t, y);
    }

    pub fn finish(self, plant: &mut Plant, t: f64, y: &[f64]) -> Ledger {
        Ledger {
            lines: self.lines(plant, t, y),
            before: self.before,
            residual: self.residual,
            residual_max: self.residual_max,
            peak_kinetic: self.peak_kinetic,
        }
    }

    fn lines(&self, plant: &mut Plant, t: f64, y: &[f64]) -> Vec<LedgerLine> {
        match plant.system.frictions.is_empty() {
            true => plant.place(t, y),
            // Bristles are loaded by reactions. Where there are none the last known do.
            false => drop(plant.evaluate(t, y)),
        }
        let (system, work) = (plant.system, &plant.work);
        let model = &system.model;
        let line = |kind, name: &str, value| LedgerLine { kind, name: name.to_owned(), value };
        let mut lines =
            vec![line(LedgerKind::Kinetic, "bodies", energy::kinetic(system, work) - self.kinetic)];
        if model.gravity.norm() > 0.0 {
            let change = energy::gravity(system, work) - self.gravity;
            lines.push(line(LedgerKind::Gravity, "gravity", change));
        }
        let (drivers, forces) = (system.layout.drivers, system.layout.forces);
        for (i, driver) in model.drivers.iter().enumerate() {
            lines.push(line(LedgerKind::Driver, &driver.name, y[drivers + i]));
        }
        for (i, force) in model.forces[..model.own_forces()].iter().enumerate() {
            let stored = energy::potential(system, work, i) - self.springs[i];
            if stored != 0.0 {
                lines.push(line(LedgerKind::Spring, &force.name, stored));
            }
            lines.push(line(LedgerKind::Force, &force.name, y[forces + i]));
        }
        let beams = system.beams.iter().map(|beam| (beam.body, beam.is_damped()));
        let floating = system.floating.iter().map(|body| (body.body, body.link.is_damped()));
        for (i, (body, is_damped)) in beams.chain(floating).enumerate() {
            let name = &model.bodies[body + 1].name;
            let change = energy::strain(system, work, i) - self.strains[i];
            lines.push(line(LedgerKind::Strain, name, change));
            if is_damped {
                lines.push(line(LedgerKind::Damping, name, y[system.layout.beams + i]));
            }
        }
        if system.truncates() {
            let value = y[system.layout.formulation];
            lines.push(line(LedgerKind::Formulation, "formulation", value));
        }
        for chain in system.chains() {
            let (body, springs) = (chain.division.body.0, &chain.division.springs);
            let name = &model.bodies[body].name;
            let before: f64 = springs.iter().map(|spring| self.springs[spring.0]).sum();
            lines.push(line(LedgerKind::Strain, name, chain.strain_energy(work) - before));
            if chain.is_damped() {
                let lost = springs.iter().map(|spring| y[forces + spring.0]).sum();
                lines.push(line(LedgerKind::Damping, name, lost));
            }
        }
        let works = y[system.layout.contacts..].chunks_exact(2);
        for (joint, i) in model.joints.iter().zip(0..) {
            let spots = system.contacts_of(crate::model::JointId(i));
            let Some(clearance) = &joint.clearance else { continue };
            if clearance.film.as_ref().is_some_and(|film| !film.hybrid) {
                continue;
            }
            let sum = |which: usize| -> f64 {
                works.clone().take(spots.end).skip(spots.start).map(|work| work[which]).sum()
            };
            lines.push(line(LedgerKind::ContactNormal, &joint.name, sum(0)));
            let Some(law) = &clearance.friction else { continue };
            let stored = spots.clone().map(|i| plant.contact_bristles(i, t, y)).sum::<f64>();
            lines.push(line(LedgerKind::ContactFriction, &joint.name, sum(1) + stored));
            if law.has_state() {
                lines.push(line(LedgerKind::Bristles, &joint.name, stored));
            }
        }
        for (film, work) in system.films.iter().zip(y[system.layout.films..].chunks_exact(2)) {
            let name = &model.joints[film.joint.0].name;
            lines.push(line(LedgerKind::FilmShear, name, work[0]));
            lines.push(line(LedgerKind::FilmPumping, name, work[1]));
        }
        for (i, element) in system.frictions.iter().enumerate() {
            let name = &model.joints[element.joint.0].name;
            let stored = work.frictions[i].stored;
            lines.push(line(LedgerKind::Friction, name, y[system.layout.frictions + i] + stored));
            if element.law.has_state() {
                lines.push(line(LedgerKind::Bristles, name, stored));
            }
        }
        lines.push(line(LedgerKind::Projection, "projection", plant.projection_energy));
        lines
    }
}
