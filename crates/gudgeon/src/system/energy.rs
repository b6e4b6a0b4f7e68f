//! Energies of the mechanism at the last evaluated point.

use super::compile::System;
use super::workspace::Workspace;
use crate::force;

/// ½ Σ (m v² + ω · Jω), real masses only.
pub fn kinetic(system: &System, work: &Workspace) -> f64 {
    (0..system.bodies.len()).map(|body| system.kinetic_of(body, &work.v)).sum()
}

/// −Σ m g · p.
pub fn gravity(system: &System, work: &Workspace) -> f64 {
    let bodies = system.bodies.iter().zip(&work.states[1..]);
    -bodies.map(|(body, state)| body.mass * system.model.gravity.dot(&state.frame.p)).sum::<f64>()
}

/// Potential of one applied force.
pub fn potential(system: &System, work: &Workspace, force: usize) -> f64 {
    // Potentials do not depend on time.
    force::action(system, work, force, 0.0, 0.0).potential
}

/// Strain energy of one beam.
pub fn strain(system: &System, work: &Workspace, beam: usize) -> f64 {
    let beam = &system.beams[beam];
    let q = &work.beam_q[beam.v - system.first_beam()..][..beam.size()];
    beam.beam.strain_energy(q)
}

/// Kinetic energy and all potentials.
pub fn total(system: &System, work: &Workspace) -> f64 {
    let springs: f64 = (0..system.model.forces.len()).map(|i| potential(system, work, i)).sum();
    let strains: f64 = (0..system.beams.len()).map(|i| strain(system, work, i)).sum();
    kinetic(system, work) + gravity(system, work) + springs + strains
}
