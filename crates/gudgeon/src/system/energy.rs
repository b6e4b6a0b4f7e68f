//! Energies of the mechanism at the last evaluated point.

use super::compile::System;
use super::workspace::Workspace;
use crate::force;

/// ½ Σ (m v² + J ω²), real masses only.
pub fn kinetic(system: &System, work: &Workspace) -> f64 {
    system.bodies.iter().zip(&work.v).map(|(body, v)| body.kinetic(v)).sum()
}

/// −Σ m g · p.
pub fn gravity(system: &System, work: &Workspace) -> f64 {
    let g = &system.model.gravity;
    let energy = |(body, pose): (&super::compile::RigidBody, &crate::marker::PlanarPose)| {
        body.mass * (g.x * pose.x + g.y * pose.y)
    };
    -system.bodies.iter().zip(&work.poses[1..]).map(energy).sum::<f64>()
}

/// Potential of one applied force.
pub fn potential(system: &System, work: &Workspace, force: usize) -> f64 {
    let kind = &system.model.forces[force].kind;
    let (a, b) = force::ends(kind);
    // Potentials do not depend on time.
    force::act(kind, &work.markers[a], &work.markers[b], 0.0, 0.0).potential
}

/// Kinetic energy and all potentials.
pub fn total(system: &System, work: &Workspace) -> f64 {
    let springs: f64 = (0..system.model.forces.len()).map(|i| potential(system, work, i)).sum();
    kinetic(system, work) + gravity(system, work) + springs
}
