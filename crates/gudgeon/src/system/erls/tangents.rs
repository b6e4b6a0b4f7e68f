//! Derivatives of the equations by differences of few evaluations.
//!
//! An elastic coordinate acts on the nodal forces of its own node and of those beside it only. Coordinates that are far
//! enough from each other are moved at once, so that the number of evaluations does not depend on the number of elements.
//! Rows of q take the work of nodal forces in the rigid motion of the undeformed link, which has a part of every node:
//! each coordinate is given that of the nodes it acts on. Angles, and coordinates of nodes at which forces, contacts or
//! functions see the link, are moved one by one.

use std::collections::BTreeSet;

use gudgeon_dae::linear::Entries;
use gudgeon_dae::{Fault, Place, SecondOrderDae, Tangents};
use nalgebra::Vector3;

use super::place::of_node;
use super::work::ErlsWork;
use super::{EquivalentSystem, Source};
use crate::fe;
use crate::flexible::Virtual;
use crate::force;
use crate::model::Model;
use crate::system::compile::System;
use crate::system::plant::Plant;
use crate::system::{evaluate, functions};

/// Which coordinates are moved at once, and what each acts on.
#[derive(Clone, Debug)]
pub struct Colours {
    /// Elastic coordinates that do not meet, and velocities of the state that are moved alone.
    groups: Vec<Vec<usize>>,
    alone: Vec<usize>,
    /// Links and nodes that an elastic coordinate acts on.
    touched: Vec<Vec<(usize, usize)>>,
    /// Places of derivatives by coordinates and velocities.
    pub pattern: Entries,
}

/// What is left of the balances at one state: of every link on its nodes, and of the state.
#[derive(Clone, Debug, Default)]
pub(super) struct Residual {
    links: Vec<Vec<f64>>,
    state: Vec<f64>,
}

/// Buffers.
#[derive(Clone, Debug, Default)]
pub(super) struct TangentWork {
    base: Residual,
    moved: Residual,
    y: Vec<f64>,
    steps: Vec<f64>,
}

/// Links and their nodes.
type Places = BTreeSet<(usize, usize)>;

/// √ε.
const STEP: f64 = 1.5e-8;

impl EquivalentSystem {
    /// What is moved at once; none where virtual terms are exact, in which nodes do not act for themselves.
    pub(super) fn colours(&self, model: &Model) -> Option<Colours> {
        let exact = |link: &super::Link| link.terms.virtual_terms == Virtual::Exact;
        if self.links.iter().any(exact) {
            return None;
        }
        let (m, n) = (self.rigid.independent, self.size());
        let mut places: Vec<Places> = vec![BTreeSet::new(); self.elastic];
        for (l, link) in self.links.iter().enumerate() {
            for (i, source) in link.sources.iter().enumerate() {
                let node = i / self.freedoms.len();
                let mut owns = |unknown: usize| {
                    self.unknowns[unknown].index.map(|u| places[u].insert((l, node)));
                };
                match source {
                    Source::Own(unknown) => owns(*unknown),
                    Source::Member { cluster, .. } => {
                        self.clusters[*cluster].columns.iter().for_each(|&column| owns(column));
                    }
                }
            }
        }
        let mut at_node: Vec<Vec<Vec<usize>>> =
            self.links.iter().map(|link| vec![Vec::new(); link.nodes.len()]).collect();
        for (u, places) in places.iter().enumerate() {
            places.iter().for_each(|&(l, node)| at_node[l][node].push(u));
        }
        let near = |&(l, node): &(usize, usize)| {
            let last = self.links[l].nodes.len() - 1;
            (node.saturating_sub(1)..=(node + 1).min(last)).map(move |node| (l, node))
        };
        let touched: Vec<Places> =
            places.iter().map(|places| places.iter().flat_map(near).collect()).collect();
        let loose = self.loose(model);
        let is_loose = |u: usize| touched[u].iter().any(|place| loose.contains(place));
        let mut pattern: Vec<(usize, usize)> =
            (0..m).flat_map(|k| (0..n).flat_map(move |i| [(k, i), (i, k)])).collect();
        let mut alone: Vec<usize> = (0..m).collect();
        let mut groups: Vec<(Vec<usize>, Places)> = Vec::new();
        for u in 0..self.elastic {
            if is_loose(u) {
                alone.push(m + u);
                pattern.extend((0..n).map(|i| (i, m + u)));
                continue;
            }
            let rows: BTreeSet<usize> =
                touched[u].iter().flat_map(|&(l, node)| at_node[l][node].iter().copied()).collect();
            pattern.extend(rows.iter().map(|&row| (m + row, m + u)));
            // All nodes that these rows stand for.
            let meets: Places = rows.iter().flat_map(|&row| places[row].iter().copied()).collect();
            match groups.iter_mut().find(|(_, taken)| taken.is_disjoint(&meets)) {
                Some((group, taken)) => {
                    group.push(u);
                    taken.extend(meets);
                }
                None => groups.push((vec![u], meets)),
            }
        }
        Some(Colours {
            groups: groups.into_iter().map(|(group, _)| group).collect(),
            alone,
            touched: touched.into_iter().map(|places| places.into_iter().collect()).collect(),
            pattern: Entries::at(n, n, &pattern),
        })
    }

    /// Nodes at or beside markers that something else acts with: forces between two, contacts, functions.
    fn loose(&self, model: &Model) -> Places {
        let play = model.joints.iter().filter(|joint| joint.clearance.is_some());
        let joints = play.flat_map(|joint| [joint.a.0, joint.b.0]);
        let forces = model.forces.iter().flat_map(|f| force::pairs(&f.kind));
        let between = forces.filter(|(a, b)| a != b).flat_map(|(a, b)| [a, b]);
        let markers = joints.chain(between).chain(functions::markers(model));
        let mut out = BTreeSet::new();
        for marker in markers {
            let marker = &model.markers[marker];
            let is_it = |link: &super::rigid::Carried| link.body + 1 == marker.body.0;
            let Some(l) = self.rigid.links.iter().position(is_it) else { continue };
            match model.bodies[marker.body.0].flexible.as_deref() {
                None => {
                    out.insert((l, 0));
                }
                Some(line) => {
                    let along = line.nearest(&marker.local.p);
                    out.extend(fe::Link::nodes_at(along, line.elements).map(|node| (l, node)));
                }
            }
        }
        out
    }

    /// Work of what links leave at a node in the rigid motion along an angle.
    fn work_at(
        &self,
        (k, l, node): (usize, usize, usize),
        (base, moved): (&[f64], &[f64]),
        own: &ErlsWork,
    ) -> f64 {
        let link = &self.links[l];
        let frame = &own.placed.rigid.links[l].frame;
        let by = self.rigid.columns(&own.placed.rigid, l)[k];
        let more = of_node(self.freedoms, moved, node) - of_node(self.freedoms, base, node);
        let [f, t]: [Vector3<f64>; 2] = [0, 3].map(|k| link.axes * more.fixed_rows::<3>(k));
        let (v, w) = (frame.r.tr_mul(&by.v), frame.r.tr_mul(&by.w));
        v.dot(&f) + w.dot(&(t + link.nodes[node].cross(&f)))
    }

    /// What is left at the last terms with accelerations given.
    fn leave_residual(&self, system: &System, own: &mut ErlsWork, a: &[f64], out: &mut Residual) {
        let m = self.rigid.independent;
        own.accelerations.copy_from_slice(a);
        self.leave(system, own);
        out.state.resize(self.size(), 0.0);
        out.links.resize(self.links.len(), Vec::new());
        let mut at_nodes = std::mem::take(&mut own.load_u);
        at_nodes.fill(0.0);
        out.state[..m].fill(0.0);
        for (l, link) in self.links.iter().enumerate() {
            let border = own.links[l].left.len() - link.sources.len();
            let left = &own.links[l].left[border..];
            out.links[l].clear();
            out.links[l].extend_from_slice(left);
            self.at_nodes(link, own, left, &mut at_nodes);
            let frame = &own.placed.rigid.links[l].frame;
            for k in 0..m {
                let by = self.rigid.columns(&own.placed.rigid, l)[k];
                let (f, t) = self.resultant(link, left);
                let inner = frame.r.tr_mul(&by.v).dot(&f) + frame.r.tr_mul(&by.w).dot(&t);
                out.state[k] += inner;
            }
        }
        let rest = &mut out.state[m..];
        rest.iter_mut().zip(&self.order).for_each(|(out, &place)| *out = at_nodes[place]);
        own.load_u = at_nodes;
    }
}

impl System {
    /// How derivatives of links on an equivalent rigid system are taken; none where all columns are taken one by one.
    pub(in crate::system) fn erls_colours(&self) -> Option<(&EquivalentSystem, &Colours)> {
        let erls = self.erls.as_ref()?;
        let plain = self.layout.drivers == self.layout.bristles;
        erls.colours.as_ref().filter(|_| plain).map(|colours| (erls, colours))
    }
}

impl Plant<'_> {
    /// K and D of links on an equivalent rigid system.
    pub(in crate::system) fn erls_tangents(
        &mut self,
        erls: &EquivalentSystem,
        colours: &Colours,
        at: Place,
        out: &mut Tangents,
    ) -> Result<(), Fault> {
        let dims = self.dims();
        let mut room = match self.work.erls.as_deref_mut() {
            Some(own) => std::mem::take(&mut own.tangents),
            None => return Ok(()),
        };
        room.y.clear();
        room.y.extend_from_slice(at.y);
        let done = self.residual_of(erls, at, at.y, &mut room.base).and_then(|()| {
            self.differences(erls, colours, (at, 0), &mut room, &mut out.stiffness)?;
            self.differences(erls, colours, (at, dims.q), &mut room, &mut out.damping)
        });
        if let Some(own) = self.work.erls.as_deref_mut() {
            own.tangents = room;
        }
        done
    }

    /// Columns by coordinates, or by velocities, from their first in the state.
    fn differences(
        &mut self,
        erls: &EquivalentSystem,
        colours: &Colours,
        (at, first): (Place, usize),
        room: &mut TangentWork,
        out: &mut Entries,
    ) -> Result<(), Fault> {
        let m = erls.rigid.independent;
        let [speed, spin] = self.speeds_met();
        room.steps.resize(erls.size(), 0.0);
        for j in 0..erls.size() {
            let scale = match (first, erls.is_turn(j)) {
                (0, true) => 1.0,
                (0, false) => self.system.length,
                (_, true) => spin,
                (_, false) => speed,
            };
            let size = if scale.is_finite() { scale } else { 0.0 }.max(at.y[first + j].abs());
            room.steps[j] = STEP * if size > 0.0 { size } else { 1.0 };
        }
        for &j in &colours.alone {
            room.y[first + j] += room.steps[j];
            let found = self.residual_of(erls, at, &room.y, &mut room.moved);
            room.y[first + j] = at.y[first + j];
            found?;
            for slot in out.column(j) {
                let row = out.row_of(slot);
                out.values[slot] = (room.moved.state[row] - room.base.state[row]) / room.steps[j];
            }
        }
        for group in &colours.groups {
            group.iter().for_each(|&u| room.y[first + m + u] += room.steps[m + u]);
            let found = self.residual_of(erls, at, &room.y, &mut room.moved);
            group.iter().for_each(|&u| room.y[first + m + u] = at.y[first + m + u]);
            found?;
            let Some(own) = self.work.erls.as_deref() else { return Ok(()) };
            for &u in group {
                for slot in out.column(m + u) {
                    let row = out.row_of(slot);
                    let change = match row < m {
                        true => {
                            let places = colours.touched[u].iter();
                            let at_place = |&(l, node): &(usize, usize)| {
                                let links = (&room.base.links[l][..], &room.moved.links[l][..]);
                                erls.work_at((row, l, node), links, own)
                            };
                            places.map(at_place).sum()
                        }
                        false => room.moved.state[row] - room.base.state[row],
                    };
                    out.values[slot] = change / room.steps[m + u];
                }
            }
        }
        Ok(())
    }

    fn residual_of(
        &mut self,
        erls: &EquivalentSystem,
        at: Place,
        y: &[f64],
        out: &mut Residual,
    ) -> Result<(), Fault> {
        let point = self.point(at.t, y);
        evaluate::equations(self.system, point, &self.memory, &mut self.work)?;
        let Some(mut own) = self.work.erls.take() else { return Ok(()) };
        erls.assemble(self.system, point.v, &self.work, &mut own);
        erls.leave_residual(self.system, &mut own, at.acceleration, out);
        self.work.erls = Some(own);
        Ok(())
    }
}
