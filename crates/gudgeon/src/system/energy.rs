//! Energies of the mechanism at the last evaluated point.

use super::compile::System;
use super::component::BeamBody;
use super::workspace::Workspace;
use crate::force;

/// ½ Σ (m v² + ω · Jω), real masses only.
pub fn kinetic(system: &System, work: &Workspace) -> f64 {
    (0..system.bodies.len()).map(|body| system.kinetic_of(body, work, &work.v)).sum()
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

/// Strain energy of one flexible link: beams first, then those with a floating frame.
pub fn strain(system: &System, work: &Workspace, link: usize) -> f64 {
    let Some(beam) = system.beams.get(link) else {
        let member = link - system.beams.len();
        return system.floating[member].link.strain_energy(&work.floating[member].q);
    };
    strain_of_beam(system, work, beam)
}

fn strain_of_beam(system: &System, work: &Workspace, beam: &BeamBody) -> f64 {
    let q = &work.beam_q[beam.v - system.first_beam()..][..beam.size()];
    beam.beam.strain_energy(q)
}

/// Kinetic energy and all potentials.
pub fn total(system: &System, work: &Workspace) -> f64 {
    let springs: f64 = (0..system.model.forces.len()).map(|i| potential(system, work, i)).sum();
    let strains: f64 = (0..system.flexible_links()).map(|i| strain(system, work, i)).sum();
    kinetic(system, work) + gravity(system, work) + springs + strains
}
