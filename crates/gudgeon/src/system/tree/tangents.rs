//! Derivatives of the equations in joint coordinates by those of the equations of all bodies one by one.
//!
//! With what is left of the bodies' equations, R = M_abs v̇_abs − f_abs + G_absᵀ λ, the equations are Tᵀ R = 0. A displacement
//! along a coordinate moves the bodies by u = T e, at the velocities ν and accelerations α of `variation.rs`; then
//!
//!   K e = Tᵀ (K_abs u + D_abs ν + M_abs α) + (δT)ᵀ R,   B e = B_abs u + G_abs ν                  (1)
//!   D e = Tᵀ (D_abs T e + M_abs α)                                                               (2)
//!
//! (2) with the α of a velocity that grows. K_abs, D_abs, B_abs are those of the bodies in coordinates of their own, to which every
//! element adds its part as ever (`system/tangents`). Per column one sweep outwards gives u, ν and α, one inwards the products with
//! Tᵀ and δTᵀ: with the wrench F that a joint carries, and the arms d and columns S that move,
//!
//!   δF_p = … + (0, δd × f) + Xᵀ δF,   δ(S · F) = δS · F + S · δF                                 (3)
//!
//! Torques of R are counted in axes of the bodies and turn with them. Entries belong to pairs of branches that share an
//! element.

use std::collections::BTreeSet;
use std::ops::Range;

use gudgeon_dae::linear::Entries;
use gudgeon_dae::{Dims, Tangents};
use nalgebra::Vector3;

use super::variation::{Carried, Swing};
use super::work::{TreeWork, in_space};
use super::{Branch, Tree};
use crate::math::spatial::Wrench;
use crate::model::Space;
use crate::system::compile::System;
use crate::system::component::BodyState;
use crate::system::tangents;
use crate::system::workspace::Workspace;

/// Derivatives of the bodies' equations, and what their reduction needs.
#[derive(Clone, Debug)]
pub struct Reduction {
    pub(in crate::system) absolute: Tangents,
    links: Vec<Carried>,
    /// R of every body at its centre, and what each joint carries.
    own: Vec<Wrench>,
    carried: Vec<Wrench>,
    /// Of the column under way: by link, none where it stays.
    swings: Vec<Option<Swing>>,
    forces: Vec<Wrench>,
    x: Vec<f64>,
    rows: Vec<f64>,
    rates: Vec<f64>,
    /// Sides of rows on the links of each branch.
    touches: Vec<Vec<usize>>,
    /// Velocities of bodies whose coordinates are all known: nothing is written there.
    known: Vec<Range<usize>>,
}

/// Places of the derivatives in joint coordinates.
pub(in crate::system) fn blank(system: &System, tree: &Tree, dims: Dims) -> Tangents {
    let all = tangents::blank_of_bodies(system, of_bodies(system, dims));
    let reduced = |entries: &Entries, by_row: bool, by_column: bool| {
        let size = |n: usize, reduce: bool| if reduce { dims.v } else { n };
        let unit = |i: usize, reduce: bool| match reduce {
            true => tree.reduced_range(system, i),
            false => i..i + 1,
        };
        let mut seen = BTreeSet::new();
        for (i, j, _) in entries.iter() {
            let (rows, columns) = (unit(i, by_row), unit(j, by_column));
            seen.insert((rows.start, rows.end, columns.start, columns.end));
        }
        let pairs = |&(a, b, c, d): &(usize, usize, usize, usize)| {
            (a..b).flat_map(move |i| (c..d).map(move |j| (i, j)))
        };
        let places: Vec<_> = seen.iter().flat_map(pairs).collect();
        Entries::at(size(entries.rows(), by_row), size(entries.columns(), by_column), &places)
    };
    let square = reduced(&all.stiffness, true, true);
    Tangents {
        damping: square.clone(),
        stiffness: square,
        coupling: reduced(&all.coupling, true, false),
        reactions: reduced(&all.reactions, true, false),
        rate_jacobian: reduced(&all.rate_jacobian, false, true),
        rates_q: reduced(&all.rates_q, false, true),
        rates_v: reduced(&all.rates_v, false, true),
        rates_z: all.rates_z,
    }
}

fn of_bodies(system: &System, dims: Dims) -> Dims {
    Dims { v: system.sizes[1], ..dims }
}

impl Tree {
    /// Velocities of the state that a velocity of a body depends on, but for those of other bodies outside the tree.
    fn reduced_range(&self, system: &System, v: usize) -> Range<usize> {
        if v >= self.absolute[1] {
            let own = v - self.shift()[1];
            return own..own + 1;
        }
        let body = system.bodies.partition_point(|body| body.velocities().end <= v);
        self.of_body[body].map_or(0..0, |link| self.branches[self.branch_of(link)].v.clone())
    }

    /// The branch of a velocity of the tree.
    fn branch_with(&self, v: usize) -> usize {
        self.branches.partition_point(|branch| branch.v.end <= v)
    }
}

impl Reduction {
    pub fn new(system: &System, tree: &Tree, dims: Dims) -> Self {
        let links = tree.links.len();
        let mut touches = vec![Vec::new(); tree.branches.len()];
        for (i, touch) in tree.touches.iter().enumerate() {
            touches[tree.branch_of(touch.link)].push(i);
        }
        let is_known = |branch: &&Branch| branch.v.is_empty();
        let known = tree.branches.iter().filter(is_known).flat_map(|branch| branch.links.clone());
        Self {
            known: known.map(|i| system.bodies[tree.links[i].body].velocities()).collect(),
            absolute: tangents::blank_of_bodies(system, of_bodies(system, dims)),
            links: vec![Carried::REST; links],
            own: vec![Wrench::ZERO; links],
            carried: vec![Wrench::ZERO; links],
            swings: vec![None; links],
            forces: vec![Wrench::ZERO; links],
            x: vec![0.0; system.sizes[1]],
            rows: vec![0.0; dims.rows],
            rates: vec![0.0; dims.z],
            touches,
        }
    }

    /// All derivatives in joint coordinates, at the last equations with friction in f, for given v̇ and λ.
    pub(in crate::system) fn reduce(
        &mut self,
        (system, tree): (&System, &Tree),
        state: (&[f64], &[f64]),
        (acceleration, lambda): (&[f64], &[f64]),
        (work, own): (&mut Workspace, &mut TreeWork),
        out: &mut Tangents,
    ) {
        tree.scatter(
            &system.bodies,
            &work.states,
            (acceleration, true),
            &mut work.accelerations,
            own,
        );
        self.place((system, tree), state, acceleration, (work, own));
        self.carry((system, tree), lambda, work);
        let at = At { system, tree, work };
        for branch in 0..tree.branches.len() {
            for link in tree.branches[branch].links.clone() {
                for k in 0..tree.links[link].free {
                    let j = tree.links[link].v + k;
                    self.move_along(&at, (branch, link, k));
                    self.write(&at, &mut out.stiffness, j, Some((link, k)));
                    take(&mut self.rows, &mut out.rate_jacobian, j);
                    take(&mut self.rates, &mut out.rates_q, j);
                    self.speed_along(&at, (branch, link, k));
                    self.write(&at, &mut out.damping, j, None);
                    take(&mut self.rates, &mut out.rates_v, j);
                }
            }
            self.swings[tree.branches[branch].links.clone()].fill(None);
        }
        self.copy_outside(&at, out);
        self.reduce_rows(&at, out);
        out.rates_z.values.copy_from_slice(&self.absolute.rates_z.values);
    }

    /// Links at the point.
    fn place(
        &mut self,
        (system, tree): (&System, &Tree),
        (q, v): (&[f64], &[f64]),
        acceleration: &[f64],
        (work, own): (&Workspace, &TreeWork),
    ) {
        let of_link = |link: usize| {
            let body = tree.links[link].body;
            let range = system.bodies[body].velocities();
            let state = &work.states[body + 1];
            let Wrench { f, t } = in_world(tree.space, state, &work.accelerations[range]);
            (state, [f, t])
        };
        for (i, link) in tree.links.iter().enumerate() {
            let (carrier, before) =
                link.parent.map_or((&work.states[0], [Vector3::zeros(); 2]), of_link);
            let (state, a) = of_link(i);
            let mut at = link.coordinates(q, v, |driver| work.motions[driver]);
            for (k, &column) in link.unknown[..link.free].iter().enumerate() {
                at.second[column] = acceleration[link.v + k];
            }
            self.links[i] = in_space!(&own.links, links => {
                Carried::new(link, (carrier, state), (before, a), &links[i].columns, &at)
            });
        }
    }

    /// R of the bodies, and its sums over all that a joint carries.
    fn carry(&mut self, (system, tree): (&System, &Tree), lambda: &[f64], work: &Workspace) {
        for (link, own) in tree.links.iter().zip(&mut self.own) {
            let body = &system.bodies[link.body];
            let mut left = [0.0; 6];
            for (k, i) in body.velocities().enumerate() {
                left[k] = work.accelerations[i] / body.inverse[k] - work.forces[i];
            }
            *own = in_world(tree.space, &work.states[link.body + 1], &left);
        }
        for touch in &tree.touches {
            let at = unit_wrench(work, touch);
            let own = &mut self.own[touch.link];
            own.f += at.f * lambda[touch.row];
            own.t += at.t * lambda[touch.row];
        }
        self.carried.copy_from_slice(&self.own);
        for (i, link) in tree.links.iter().enumerate().rev() {
            if let Some(parent) = link.parent {
                let Wrench { f, t } = self.carried[i];
                self.carried[parent].f += f;
                self.carried[parent].t += t + self.links[i].arm.cross(&f);
            }
        }
    }

    /// Swings of all links that one carries, itself moved by `first`.
    fn swing(&mut self, tree: &Tree, (branch, link): (usize, usize), first: Swing) {
        let range = tree.branches[branch].links.clone();
        self.swings[range.start..link].fill(None);
        self.swings[link] = Some(first);
        for i in link + 1..range.end {
            let carrier = tree.links[i].parent.and_then(|parent| self.swings[parent]);
            self.swings[i] = carrier.map(|swing| swing.carried_to(&self.links[i]));
        }
    }

    /// K_abs u + D_abs ν + M_abs α, B e and ∂h/∂q e of a displacement.
    fn move_along(&mut self, at: &At, (branch, link, k): (usize, usize, usize)) {
        self.swing(at.tree, (branch, link), self.links[link].displaced(k));
        for i in link..at.tree.branches[branch].links.end {
            let Some(swing) = self.swings[i] else { continue };
            let body = &at.system.bodies[at.tree.links[i].body];
            let of = &self.links[i];
            let (u, nu, alpha) = (
                in_body(at.tree.space, of, &swing.p, &swing.turn),
                in_body(at.tree.space, of, &(swing.v + swing.turn.cross(&of.moves[0])), &swing.w),
                in_body(
                    at.tree.space,
                    of,
                    &(swing.a + swing.turn.cross(&of.moves[2])),
                    &swing.alpha,
                ),
            );
            let all = &self.absolute;
            for (k, j) in body.velocities().enumerate() {
                self.x[j] += alpha[k] / body.inverse[k];
                add_column(&all.stiffness, j, u[k], &mut self.x);
                add_column(&all.damping, j, nu[k], &mut self.x);
                add_column(&all.rate_jacobian, j, u[k], &mut self.rows);
                add_column(&all.rates_q, j, u[k], &mut self.rates);
                add_column(&all.rates_v, j, nu[k], &mut self.rates);
            }
        }
        for touch in self.touches[branch].iter().map(|&i| &at.tree.touches[i]) {
            let Some(swing) = self.swings[touch.link] else { continue };
            let (unit, of) = (unit_wrench(at.work, touch), &self.links[touch.link]);
            let velocity = swing.v + swing.turn.cross(&of.moves[0]);
            self.rows[touch.row] += unit.f.dot(&velocity) + unit.t.dot(&swing.w);
        }
    }

    /// D_abs T e + M_abs α and ∂h/∂v e of a velocity.
    fn speed_along(&mut self, at: &At, (branch, link, k): (usize, usize, usize)) {
        self.swing(at.tree, (branch, link), self.links[link].faster(k));
        for i in link..at.tree.branches[branch].links.end {
            let Some(swing) = self.swings[i] else { continue };
            let body = &at.system.bodies[at.tree.links[i].body];
            let of = &self.links[i];
            let nu = in_body(at.tree.space, of, &swing.v, &swing.w);
            let alpha = in_body(at.tree.space, of, &swing.a, &swing.alpha);
            for (k, j) in body.velocities().enumerate() {
                self.x[j] += alpha[k] / body.inverse[k];
                add_column(&self.absolute.damping, j, nu[k], &mut self.x);
                add_column(&self.absolute.rates_v, j, nu[k], &mut self.rates);
            }
        }
    }

    /// Writes Tᵀx into a column, for a displacement with (δT)ᵀR, and clears x.
    fn write(&mut self, at: &At, out: &mut Entries, j: usize, moved: Option<(usize, usize)>) {
        let mut slots = out.column(j);
        while let Some(slot) = slots.next() {
            let row = out.row_of(slot);
            if row >= at.tree.sizes[1] {
                out.values[slot] = std::mem::take(&mut self.x[row + at.tree.shift()[1]]);
                continue;
            }
            let branch = &at.tree.branches[at.tree.branch_with(row)];
            self.sweep(at, branch, moved, &mut out.values[slot..slot + branch.v.len()]);
            slots.start = slot + branch.v.len();
        }
        for known in &self.known {
            self.x[known.clone()].fill(0.0);
        }
    }

    /// (3) over the links of a branch.
    fn sweep(&mut self, at: &At, branch: &Branch, moved: Option<(usize, usize)>, out: &mut [f64]) {
        let turned = moved.is_some();
        for i in branch.links.clone() {
            let body = at.tree.links[i].body;
            let own = &mut self.x[at.system.bodies[body].velocities()];
            let mut force = in_world(at.tree.space, &at.work.states[body + 1], own);
            own.fill(0.0);
            if let Some(swing) = self.swings[i].filter(|_| turned) {
                force.t += swing.turn.cross(&self.own[i].t);
            }
            self.forces[i] = force;
        }
        for i in branch.links.clone().rev() {
            let (link, of, force) = (&at.tree.links[i], &self.links[i], self.forces[i]);
            let swing = self.swings[i].filter(|_| turned);
            let carried = &self.carried[i];
            for m in 0..link.free {
                let (along, e) = &of.columns[m];
                let mut sum = along.dot(&force.f) + e.dot(&force.t);
                if let Some(swing) = swing {
                    let (by, turn) = match moved {
                        Some((displaced, k)) if displaced == i => of.column_change(m, k),
                        _ => (swing.turn.cross(along), swing.turn.cross(e)),
                    };
                    sum += by.dot(&carried.f) + turn.dot(&carried.t);
                }
                out[link.v - branch.v.start + m] = sum;
            }
            let Some(parent) = link.parent else { continue };
            let to = &mut self.forces[parent];
            to.f += force.f;
            to.t += force.t + of.arm.cross(&force.f);
            if let Some(swing) = swing {
                let before = self.swings[parent].map_or(Vector3::zeros(), |swing| swing.p);
                to.t += (swing.p - before).cross(&carried.f);
            }
        }
    }

    /// Columns of what stands behind the tree, which move nothing in it.
    fn copy_outside(&mut self, at: &At, out: &mut Tangents) {
        for j in at.tree.sizes[1]..out.stiffness.columns() {
            let from = j + at.tree.shift()[1];
            add_column(&self.absolute.stiffness, from, 1.0, &mut self.x);
            self.write(at, &mut out.stiffness, j, None);
            add_column(&self.absolute.damping, from, 1.0, &mut self.x);
            self.write(at, &mut out.damping, j, None);
            add_column(&self.absolute.rate_jacobian, from, 1.0, &mut self.rows);
            take(&mut self.rows, &mut out.rate_jacobian, j);
            add_column(&self.absolute.rates_q, from, 1.0, &mut self.rates);
            take(&mut self.rates, &mut out.rates_q, j);
            add_column(&self.absolute.rates_v, from, 1.0, &mut self.rates);
            take(&mut self.rates, &mut out.rates_v, j);
        }
    }

    /// Derivatives of forces by bristles and reactions.
    fn reduce_rows(&mut self, at: &At, out: &mut Tangents) {
        for j in 0..out.coupling.columns() {
            add_column(&self.absolute.coupling, j, 1.0, &mut self.x);
            self.write(at, &mut out.coupling, j, None);
        }
        for j in 0..out.reactions.columns() {
            add_column(&self.absolute.reactions, j, 1.0, &mut self.x);
            self.write(at, &mut out.reactions, j, None);
        }
    }
}

/// What does not change while the columns are taken.
struct At<'a> {
    system: &'a System,
    tree: &'a Tree,
    work: &'a Workspace,
}

/// x += factor · column j.
fn add_column(matrix: &Entries, j: usize, factor: f64, x: &mut [f64]) {
    if factor == 0.0 {
        return;
    }
    for slot in matrix.column(j) {
        x[matrix.row_of(slot)] += matrix.values[slot] * factor;
    }
}

/// Moves numbers into a column, which has places for all that are not zero.
fn take(from: &mut [f64], out: &mut Entries, j: usize) {
    for slot in out.column(j) {
        out.values[slot] = std::mem::take(&mut from[out.row_of(slot)]);
    }
}

/// A wrench at the centre of a body, in world axes, from forces or accelerations by its velocities.
fn in_world(space: Space, state: &BodyState, own: &[f64]) -> Wrench {
    match space {
        Space::Planar => {
            Wrench { f: Vector3::new(own[0], own[1], 0.0), t: Vector3::new(0.0, 0.0, own[2]) }
        }
        Space::Spatial => Wrench {
            f: Vector3::new(own[0], own[1], own[2]),
            t: state.frame.r * Vector3::new(own[3], own[4], own[5]),
        },
    }
}

/// A motion of the centre and a turn, by velocities of the body.
fn in_body(space: Space, of: &Carried, along: &Vector3<f64>, turn: &Vector3<f64>) -> [f64; 6] {
    match space {
        Space::Planar => [along.x, along.y, turn.z, 0.0, 0.0, 0.0],
        Space::Spatial => {
            let own = of.r.tr_mul(turn);
            [along.x, along.y, along.z, own.x, own.y, own.z]
        }
    }
}

/// The unit wrench of a row on a link, at its centre.
fn unit_wrench(work: &Workspace, touch: &super::rows::Touch) -> Wrench {
    let wrenches = &work.row_wrenches[touch.row];
    let wrench = if touch.on_b { &wrenches.on_b } else { &wrenches.on_a };
    Wrench { f: wrench.f, t: wrench.t + work.arms[touch.marker].cross(&wrench.f) }
}
