//! Products with G, M⁻¹Gᵀ and S = G M⁻¹ Gᵀ, body by body.
//!
//! Every body's blocks are rows of a size known to the compiler. Rows that depend on others make S
//! singular; then S + εD is factored instead, D its diagonal, and the solution refined:
//!
//!   x ← x + (S + εD)⁻¹ (b − S x)                                                           (1)
//!
//! For a right-hand side in the range of S, as all are here, this converges to a solution like
//! (ε/(ε + s))ᵏ in the direction of an eigenvalue s: the one of least length but for the scales D.
//! Where the rank falls for an instant only, the same solve carries the motion through.

use gudgeon_dae::Fault;

use super::compile::{BodyBlocks, Side, System};
use super::component::{Formulation, fill_flexible, fill_natural, solve_flexible_rows};
use super::tree::{self, BranchRows};
use super::workspace::Workspace;

/// ε of (1), the root of a rounding: a smaller one leaves more of the rounding of S in the solution, a
/// larger one more of what is left out.
const REGULARISATION: f64 = 1e-8;
/// A row whose pivot is below this fraction of its diagonal all but depends on others.
const NEARLY_LOST: f64 = 1e-7;
/// Steps of (1), and the change relative to the solution at which they end.
const REFINEMENTS: usize = 4;
const REFINED: f64 = 1e-14;

/// Runs an expression with the number of a body's velocities as a constant, or another where each body has
/// its own.
macro_rules! by_size {
    ($formulation:expr, $n:ident => $run:expr, else $other:expr) => {
        match $formulation {
            Formulation::Planar => {
                const $n: usize = Formulation::Planar.velocities();
                $run
            }
            Formulation::Spatial => {
                const $n: usize = Formulation::Spatial.velocities();
                $run
            }
            Formulation::Natural => {
                const $n: usize = Formulation::Natural.velocities();
                $run
            }
            Formulation::Beam | Formulation::FloatingPlanar | Formulation::FloatingSpatial => {
                $other
            }
        }
    };
}

/// G and, but for flexible links, M⁻¹Gᵀ from the unit wrenches of the rows, and from the internal rows of bodies.
pub(super) fn fill(system: &System, work: &mut Workspace) {
    for group in &system.by_body {
        match group.formulation {
            Formulation::Planar => {
                fill_rigid::<{ Formulation::Planar.velocities() }>(system, group, work)
            }
            Formulation::Spatial => {
                fill_rigid::<{ Formulation::Spatial.velocities() }>(system, group, work)
            }
            Formulation::Natural => fill_natural(system, group, work),
            Formulation::Beam | Formulation::FloatingPlanar | Formulation::FloatingSpatial => {
                fill_flexible(system, group, work)
            }
        }
    }
    if let Some(tree) = &system.tree {
        tree::rows::fill(system, tree, work);
    }
}

#[inline(always)]
fn fill_rigid<const N: usize>(system: &System, group: &BodyBlocks, work: &mut Workspace) {
    let blocks = &system.blocks[group.blocks.clone()];
    let (body, state) = (&system.bodies[group.body], &work.states[group.body + 1]);
    let g = work.g[group.entries.clone()].as_chunks_mut::<N>().0;
    let mg = work.mg[group.entries.clone()].as_chunks_mut::<N>().0;
    for ((block, g), mg) in blocks.iter().zip(g).zip(mg) {
        let Side::Marker { marker, on_b } = block.side else { continue };
        let wrenches = &work.row_wrenches[block.row];
        let wrench = if on_b { &wrenches.on_b } else { &wrenches.on_a };
        let arm = &work.arms[marker];
        if N == Formulation::Planar.velocities() {
            g.copy_from_slice(&state.reduce_planar(arm, wrench));
        } else {
            g.copy_from_slice(&state.reduce_spatial(arm, wrench));
        }
        for i in 0..N {
            mg[i] = g[i] * body.inverse[i];
        }
    }
}

/// S and its factors, regularised where rows depend on each other.
pub(super) fn factor(system: &System, work: &mut Workspace) -> Result<(), Fault> {
    let singular = |row| Fault::Singular { row };
    work.regularised = system.redundancy > 0;
    products(system, work);
    work.ldl.factor().map_err(singular)?;
    if !work.regularised && work.ldl.weakest_ratio() < NEARLY_LOST && is_singular(system, work) {
        work.regularised = true;
        products(system, work);
        work.ldl.factor().map_err(singular)?;
    }
    Ok(())
}

/// Whether a row all but depends on others, and has not just a light body beside it: S + εD would take the
/// inertia of that body for what a singular position leaves open.
fn is_singular(system: &System, work: &mut Workspace) -> bool {
    factor_shape(system, work);
    !work.shape_known || work.shape.weakest_ratio() < NEARLY_LOST
}

/// S as it is, with rows that depend on others left out of the factors.
pub(super) fn factor_plainly(system: &System, work: &mut Workspace) -> Result<(), Fault> {
    work.regularised = false;
    products(system, work);
    work.ldl.factor().map_err(|row| Fault::Singular { row })
}

/// Factors of G diag(u²) Gᵀ at the present rows, u the size of the mechanism for places and 1 for angles.
/// Its pivot ratios tell how independent rows are, whatever the masses: those of S are small for a light body between
/// heavy ones, too.
pub(super) fn factor_shape(system: &System, work: &mut Workspace) {
    if work.shape_known {
        return;
    }
    let entries = work.shape.entries_mut();
    entries.fill(0.0);
    for group in &system.by_body {
        let g = &work.g[group.entries.clone()];
        let first = system.bodies[group.body].v;
        by_size!(group.formulation, N => {
            let sizes: [f64; N] = std::array::from_fn(|i| system.unit(first + i).powi(2));
            let g = g.as_chunks::<N>().0;
            let mut slots = group.slots.iter();
            for (i, left) in g.iter().enumerate() {
                let weighted: [f64; N] = std::array::from_fn(|k| left[k] * sizes[k]);
                for (right, &slot) in g[..=i].iter().zip(&mut slots) {
                    entries[slot] += dot(&weighted, right);
                }
            }
        }, else {
            let n = system.bodies[group.body].velocities().len();
            let mut slots = group.slots.iter();
            for (i, block) in system.blocks[group.blocks.clone()].iter().enumerate() {
                let left = &g[i * n..][..n];
                for (right, &slot) in g.chunks_exact(n).take(i + 1).zip(&mut slots) {
                    let product = |k: usize| left[k] * right[k] * system.unit(first + k).powi(2);
                    entries[slot] += block.support.iter().map(product).sum::<f64>();
                }
            }
        });
    }
    for group in branches(system) {
        let sizes = group.v.clone().map(|i| system.unit_of_state(i).powi(2));
        let g = &work.g[group.entries.clone()];
        let (n, mut slots) = (group.v.len(), group.slots.iter());
        for (i, left) in g.chunks_exact(n).enumerate() {
            for (right, &slot) in g.chunks_exact(n).take(i + 1).zip(&mut slots) {
                let pairs = left.iter().zip(right).zip(sizes.clone());
                entries[slot] += pairs.map(|((a, b), size)| a * b * size).sum::<f64>();
            }
        }
    }
    // A row that is no number has no pivot; whoever needs its reaction finds out.
    work.shape_known = work.shape.factor().is_ok();
}

fn products(system: &System, work: &mut Workspace) {
    for group in system.by_body.iter().filter(|group| group.formulation.is_flexible()) {
        solve_flexible_rows(system, group, work);
    }
    if let Some(tree) = &system.tree {
        tree::rows::solve_rows(tree, work);
    }
    let entries = work.ldl.entries_mut();
    entries.fill(0.0);
    for group in branches(system) {
        let (g, mg) = (&work.g[group.entries.clone()], &work.mg[group.entries.clone()]);
        let (n, mut slots) = (group.v.len(), group.slots.iter());
        for (i, left) in g.chunks_exact(n).enumerate() {
            for (right, &slot) in mg.chunks_exact(n).take(i + 1).zip(&mut slots) {
                entries[slot] += dot_of(left, right);
            }
        }
    }
    for group in &system.by_body {
        let (g, mg) = (&work.g[group.entries.clone()], &work.mg[group.entries.clone()]);
        by_size!(group.formulation, N => {
            let (g, mg) = (g.as_chunks::<N>().0, mg.as_chunks::<N>().0);
            let mut slots = group.slots.iter();
            for (i, left) in g.iter().enumerate() {
                for (right, &slot) in mg[..=i].iter().zip(&mut slots) {
                    entries[slot] += dot(left, right);
                }
            }
        }, else {
            let n = system.bodies[group.body].velocities().len();
            let mut slots = group.slots.iter();
            for (i, block) in system.blocks[group.blocks.clone()].iter().enumerate() {
                let left = &g[i * n..][..n];
                for (right, &slot) in mg.chunks_exact(n).take(i + 1).zip(&mut slots) {
                    for own in block.support.runs() {
                        entries[slot] += dot_of(&left[own.clone()], &right[own]);
                    }
                }
            }
        });
    }
    if work.regularised {
        entries[..system.active].iter_mut().for_each(|d| *d *= 1.0 + REGULARISATION);
    }
}

/// Solves S x = b; x and b share `x`, `wanted`, `refinement` and `directions` are overwritten.
pub(super) fn solve(
    system: &System,
    work: &mut Workspace,
    which: fn(&mut Workspace) -> &mut Vec<f64>,
) {
    let mut all = std::mem::take(which(work));
    let x = &mut all[..system.active];
    if !work.regularised {
        work.ldl.solve(x);
        *which(work) = all;
        return;
    }
    work.wanted.copy_from_slice(x);
    work.ldl.solve(x);
    for _ in 0..REFINEMENTS {
        let mut directions = std::mem::take(work.state_directions());
        directions.fill(0.0);
        scatter(system, &work.mg, x, -1.0, &mut directions);
        work.refinement.copy_from_slice(&work.wanted);
        gather(system, &work.g, &directions, -1.0, &mut work.refinement);
        *work.state_directions() = directions;
        work.ldl.solve(&mut work.refinement);
        let (mut change, mut size) = (0.0f64, 0.0f64);
        for (x, d) in x.iter_mut().zip(&work.refinement) {
            *x += d;
            change = change.max(d.abs());
            size = size.max(x.abs());
        }
        if change <= REFINED * size {
            break;
        }
    }
    *which(work) = all;
}

/// Rows of cut joints by branch.
fn branches(system: &System) -> impl Iterator<Item = &BranchRows> {
    system.tree.iter().flat_map(|tree| &tree.rows)
}

/// rows += sign · m · x, m by block (G or M⁻¹Gᵀ) and x by velocity of the state.
pub(super) fn gather(system: &System, m: &[f64], x: &[f64], sign: f64, rows: &mut [f64]) {
    for group in &system.by_body {
        let blocks = &system.blocks[group.blocks.clone()];
        let (m, x) = (&m[group.entries.clone()], &x[system.velocities_in_state(group.body)..]);
        by_size!(group.formulation, N => {
            let x = x.first_chunk::<N>().expect("a body's velocities");
            for (block, m) in blocks.iter().zip(m.as_chunks::<N>().0) {
                rows[block.row] += sign * dot(m, x);
            }
        }, else {
            let n = system.bodies[group.body].velocities().len();
            for (block, m) in blocks.iter().zip(m.chunks_exact(n)) {
                rows[block.row] += sign * dot_of(m, &x[..n]);
            }
        });
    }
    for group in branches(system) {
        let (m, x) = (&m[group.entries.clone()], &x[group.v.clone()]);
        for (block, m) in group.blocks.iter().zip(m.chunks_exact(x.len())) {
            rows[block.row] += sign * dot_of(m, x);
        }
    }
}

/// x −= sign · mᵀ · rows.
pub(super) fn scatter(system: &System, m: &[f64], rows: &[f64], sign: f64, x: &mut [f64]) {
    for group in &system.by_body {
        let blocks = &system.blocks[group.blocks.clone()];
        let first = system.velocities_in_state(group.body);
        let (m, x) = (&m[group.entries.clone()], &mut x[first..]);
        by_size!(group.formulation, N => {
            let x = x.first_chunk_mut::<N>().expect("a body's velocities");
            for (block, m) in blocks.iter().zip(m.as_chunks::<N>().0) {
                let by = sign * rows[block.row];
                for i in 0..N {
                    x[i] -= m[i] * by;
                }
            }
        }, else {
            let n = system.bodies[group.body].velocities().len();
            for (block, m) in blocks.iter().zip(m.chunks_exact(n)) {
                let by = sign * rows[block.row];
                x[..n].iter_mut().zip(m).for_each(|(x, m)| *x -= m * by);
            }
        });
    }
    for group in branches(system) {
        let (m, x) = (&m[group.entries.clone()], &mut x[group.v.clone()]);
        for (block, m) in group.blocks.iter().zip(m.chunks_exact(x.len())) {
            let by = sign * rows[block.row];
            x.iter_mut().zip(m).for_each(|(x, m)| *x -= m * by);
        }
    }
}

#[inline(always)]
fn dot<const N: usize>(a: &[f64; N], b: &[f64; N]) -> f64 {
    let mut sum = 0.0;
    for i in 0..N {
        sum += a[i] * b[i];
    }
    sum
}

fn dot_of(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    let (a, b) = (a.as_chunks::<4>(), b.as_chunks::<4>());
    for (a, b) in a.0.iter().zip(b.0) {
        (0..4).for_each(|k| sums[k] += a[k] * b[k]);
    }
    let rest: f64 = a.1.iter().zip(b.1).map(|(a, b)| a * b).sum();
    sums[0] + sums[1] + sums[2] + sums[3] + rest
}
