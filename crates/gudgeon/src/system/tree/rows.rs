//! Rows of cut joints over the velocities of a branch: g = (W_a J_a + W_b J_b) T.
//!
//! A row moves with the columns of all links that carry one of its markers. Both markers of a loop that is cut within one
//! branch give one block: S = G M⁻¹Gᵀ takes the product of whole blocks.

use std::ops::Range;

use gudgeon_dae::linear::Ldl;
use nalgebra::SVector;

use super::Tree;
use super::link::Link;
use super::masses::carried_in;
use super::work::{LinkState, in_space};
use crate::joint::RowKind;
use crate::marker::Attachment;
use crate::system::compile::{Row, System};
use crate::system::workspace::Workspace;

/// Rows that move with one branch, sorted, where their entries stand in G, and the slots of S their products go to.
#[derive(Clone, Debug)]
pub struct BranchRows {
    pub branch: usize,
    /// Where the branch's velocities stand.
    pub v: Range<usize>,
    pub blocks: Vec<BranchBlock>,
    pub entries: Range<usize>,
    pub slots: Vec<usize>,
}

/// A row and its markers on the branch, first those on side a.
#[derive(Clone, Copy, Debug)]
pub struct BranchBlock {
    pub row: usize,
    pub sides: [Option<usize>; 2],
}

/// A side of a row on a link.
#[derive(Clone, Copy, Debug)]
pub(super) struct Touch {
    pub row: usize,
    pub marker: usize,
    pub on_b: bool,
    pub link: usize,
}

impl Tree {
    /// Rows by branch; rows within bodies have none.
    pub(in crate::system) fn blocks_of(
        &self,
        rows: &[Row],
        attachments: &[Attachment],
    ) -> Vec<BranchRows> {
        let mut found: Vec<BranchRows> = Vec::new();
        for (branch, own) in self.branches.iter().enumerate() {
            let v = own.v.clone();
            found.push(BranchRows {
                branch,
                v,
                blocks: Vec::new(),
                entries: 0..0,
                slots: Vec::new(),
            });
        }
        let branch_of = |marker: usize| {
            let body = attachments[marker].body.checked_sub(1)?;
            self.of_body[body].map(|link| self.branch_of(link))
        };
        for (row, r) in rows.iter().enumerate() {
            if matches!(r.kind, RowKind::Internal(_)) {
                continue;
            }
            let [a, b] = [r.a, r.b].map(branch_of);
            if let Some(branch) = a {
                let own = (b == a).then_some(r.b);
                found[branch].blocks.push(BranchBlock { row, sides: [Some(r.a), own] });
            }
            if let Some(branch) = b.filter(|_| b != a) {
                found[branch].blocks.push(BranchBlock { row, sides: [None, Some(r.b)] });
            }
        }
        found.retain(|group| !group.blocks.is_empty() && !group.v.is_empty());
        found
    }

    /// Notes which links rows act on.
    pub(in crate::system) fn touch_rows(&mut self, rows: &[Row], attachments: &[Attachment]) {
        let between = rows.iter().enumerate();
        let between = between.filter(|(_, row)| !matches!(row.kind, RowKind::Internal(_)));
        let sides = between.flat_map(|(row, r)| [(row, r.a, false), (row, r.b, true)]);
        let touch = |(row, marker, on_b): (usize, usize, bool)| {
            let body = attachments[marker].body.checked_sub(1)?;
            self.of_body[body].map(|link| Touch { row, marker, on_b, link })
        };
        self.touches = sides.filter_map(touch).collect();
        self.touched = self.touches.iter().map(|touch| touch.marker).collect();
        self.touched.sort_unstable();
        self.touched.dedup();
    }

    /// Gives rows their places in G and S; entries start behind those of bodies.
    pub(in crate::system) fn number_rows(
        &mut self,
        mut rows: Vec<BranchRows>,
        first: usize,
        ldl: &Ldl,
    ) {
        let mut entry = first;
        for group in &mut rows {
            group.entries = entry..entry + group.blocks.len() * group.v.len();
            entry = group.entries.end;
            let pairs = group.blocks.iter().enumerate();
            let slots = pairs.flat_map(|(i, a)| {
                group.blocks[..=i].iter().map(|b| ldl.slot(a.row, b.row)).collect::<Vec<_>>()
            });
            group.slots = slots.collect();
        }
        self.rows = rows;
    }
}

/// Pairs of different rows that share a branch.
pub(in crate::system) fn coupled(
    groups: &[BranchRows],
) -> impl Iterator<Item = (usize, usize)> + '_ {
    groups.iter().flat_map(|group| {
        let rows = group.blocks.iter().enumerate();
        rows.flat_map(|(i, a)| group.blocks[..i].iter().map(|b| (a.row, b.row)))
    })
}

/// G of all branches at the last kinematics.
pub(in crate::system) fn fill(system: &System, tree: &Tree, work: &mut Workspace) {
    let Some(mut own) = work.tree.take() else { return };
    for group in &tree.rows {
        let n = group.v.len();
        let g = &mut work.g[group.entries.clone()];
        g.fill(0.0);
        for (block, g) in group.blocks.iter().zip(g.chunks_exact_mut(n)) {
            let wrenches = &work.row_wrenches[block.row];
            let mut size = 0.0;
            for (marker, wrench) in block.sides.iter().zip([&wrenches.on_a, &wrenches.on_b]) {
                let Some(marker) = *marker else { continue };
                let body = system.attachments[marker].body - 1;
                let link = tree.of_body[body].expect("markers of a branch are on its links");
                let arm = &work.arms[marker];
                in_space!(&mut own.links, links => {
                    let force = Tree::at_centre(wrench, arm);
                    size += square(&force, system.length);
                    add_row(&tree.links, links, (link, group.v.start), force, g);
                });
            }
            // What the tree holds by itself is left out: rounding is no direction.
            let moves =
                g.iter().zip(group.v.clone()).map(|(g, v)| (g * system.unit_of_state(v)).powi(2));
            if moves.sum::<f64>() <= IDLE * size {
                g.fill(0.0);
            }
        }
    }
    work.tree = Some(own);
}

/// A row that moves with the coordinates by less than the root of this share of its wrenches is none.
const IDLE: f64 = 1e-24;

/// The square of a wrench, forces times the size of the mechanism.
#[inline(always)]
fn square<const D: usize>(force: &SVector<f64, D>, length: f64) -> f64 {
    let forces = if D == 3 { 2 } else { 3 };
    let sum = |range: std::ops::Range<usize>| range.map(|k| force[k] * force[k]).sum::<f64>();
    sum(0..forces) * length * length + sum(forces..D)
}

#[inline(always)]
fn add_row<const D: usize>(
    tree: &[Link],
    links: &[LinkState<D>],
    (from, first): (usize, usize),
    mut force: SVector<f64, D>,
    g: &mut [f64],
) {
    let mut at = from;
    loop {
        let (link, state) = (&tree[at], &links[at]);
        for k in 0..link.free {
            g[link.v - first + k] += state.columns[link.unknown[k]].dot(&force);
        }
        let Some(parent) = link.parent else { return };
        force = carried_in(&force, &state.arm);
        at = parent;
    }
}

/// M⁻¹Gᵀ of all branches; factors M first.
pub(in crate::system) fn solve_rows(tree: &Tree, work: &mut Workspace) {
    let Some(mut own) = work.tree.take() else { return };
    tree.factor(&mut own);
    let mut column = std::mem::take(&mut own.directions);
    for group in &tree.rows {
        let n = group.v.len();
        let from = work.g[group.entries.clone()].chunks_exact(n);
        let to = work.mg[group.entries.clone()].chunks_exact_mut(n);
        for (g, mg) in from.zip(to) {
            column[group.v.clone()].copy_from_slice(g);
            tree.solve_branch(group.branch, &mut column, &mut own);
            mg.copy_from_slice(&column[group.v.clone()]);
        }
    }
    own.directions = column;
    work.tree = Some(own);
}
