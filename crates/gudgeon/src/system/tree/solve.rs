//! Accelerations and reactions in joint coordinates: (2) of `mod.rs`.

use super::Tree;
use crate::system::blocks;
use crate::system::compile::System;
use crate::system::workspace::Workspace;

/// λ of cut joints and v̇, of the tree and of all bodies, by the present f; S is factored.
pub(in crate::system) fn solve(system: &System, tree: &Tree, work: &mut Workspace) {
    reduce(system, tree, work);
    let Some(mut own) = work.tree.take() else { return };
    let rows = system.active;
    for (lambda, gamma) in work.lambda[..rows].iter_mut().zip(&work.gamma) {
        *lambda = -gamma;
    }
    blocks::gather(system, &work.mg, &own.forces, 1.0, &mut work.lambda);
    work.tree = Some(own);
    blocks::solve(system, work, |work| &mut work.lambda);
    for component in &system.components {
        component.solve_masses(system, work);
    }
    own = work.tree.take().expect("put back above");
    let mut a = std::mem::take(&mut own.accelerations);
    a.copy_from_slice(&own.forces);
    tree.solve_masses(&mut a, &mut own);
    let ([_, reduced], [_, absolute]) = (tree.sizes, tree.absolute);
    a[reduced..].copy_from_slice(&work.accelerations[absolute..]);
    blocks::scatter(system, &work.mg, &work.lambda, 1.0, &mut a);
    tree.scatter(&system.bodies, &work.states, (&a, true), &mut work.accelerations, &mut own);
    work.accelerations[absolute..].copy_from_slice(&a[reduced..]);
    own.accelerations = a;
    work.tree = Some(own);
}

/// λ of cut joints and of those with friction by the present f alone, without γ and b; S is factored.
pub(in crate::system) fn respond(system: &System, tree: &Tree, work: &mut Workspace) {
    let Some(mut own) = work.tree.take() else { return };
    let (mut x, from) = (std::mem::take(&mut own.directions), &work.forces);
    tree.gather(&system.bodies, &work.states, from, false, &mut x, &mut own);
    x[tree.sizes[1]..].copy_from_slice(&from[tree.absolute[1]..]);
    work.lambda.fill(0.0);
    blocks::gather(system, &work.mg, &x, 1.0, &mut work.lambda);
    // Refinements use the directions.
    own.directions = std::mem::take(&mut own.accelerations);
    work.tree = Some(own);
    blocks::solve(system, work, |work| &mut work.lambda);
    let Some(mut own) = work.tree.take() else { return };
    tree.solve_masses(&mut x, &mut own);
    blocks::scatter(system, &work.mg, &work.lambda, 1.0, &mut x);
    tree.scatter(&system.bodies, &work.states, (&x, false), &mut work.accelerations, &mut own);
    own.accelerations = std::mem::replace(&mut own.directions, x);
    work.tree = Some(own);
    tree.friction_responses(system, work);
}

/// f of the tree, Tᵀ(f_abs − M_abs b).
pub(in crate::system) fn reduce(system: &System, tree: &Tree, work: &mut Workspace) {
    let Some(mut own) = work.tree.take() else { return };
    let mut forces = std::mem::take(&mut own.forces);
    let from = &work.forces;
    tree.gather(&system.bodies, &work.states, from, true, &mut forces, &mut own);
    forces[tree.sizes[1]..].copy_from_slice(&from[tree.absolute[1]..]);
    own.forces = forces;
    work.tree = Some(own);
}

/// G M⁻¹ Tᵀ of what stands in the directions, added to the residual.
pub(in crate::system) fn gather_directions(system: &System, tree: &Tree, work: &mut Workspace) {
    let Some(mut own) = work.tree.take() else { return };
    let mut x = std::mem::take(&mut own.directions);
    let from = &work.directions;
    tree.gather(&system.bodies, &work.states, from, false, &mut x, &mut own);
    x[tree.sizes[1]..].copy_from_slice(&from[tree.absolute[1]..]);
    blocks::gather(system, &work.mg, &x, 1.0, &mut work.residual);
    own.directions = x;
    work.tree = Some(own);
}
