//! The plant as implicit integrators see it: the terms of its equations and their derivatives.
//!
//! Time is plain here: contacts take their force from δ itself, and σ stands still.

use gudgeon_dae::linear::Entries;
use gudgeon_dae::{Fault, ImplicitDae, Place, SecondOrderDae, Tangents, Terms, Weights};

use super::Plant;
use crate::clearance::change::Linearised as LinearContact;
use crate::force::{self, change::Linearised as LinearForce};
use crate::math::spatial::Pair;
use crate::system::compile::{BodyBlocks, RowSource};
use crate::system::tree::tangents::Reduction;
use crate::system::tree::{self, Tree};
use crate::system::{System, Workspace, blocks, evaluate, functions, reactions, tangents};

impl ImplicitDae for Plant<'_> {
    fn blank_terms(&self) -> Terms {
        let dims = self.dims();
        Terms::with(dims, self.system.masses(dims.v), tangents::rows_pattern(self.system, dims))
    }

    fn terms(&mut self, t: f64, y: &[f64], lambda: &[f64], out: &mut Terms) -> Result<(), Fault> {
        let at = self.point(t, y);
        evaluate::equations(self.system, at, &self.memory, &mut self.work)?;
        reactions::add_friction(self.system, at, &self.memory, lambda, &mut self.work);
        let layout = self.system.layout;
        out.rates.fill(0.0);
        self.bristle_rates(&mut out.rates[layout.bristles - layout.roots..]);
        if let Some(tree) = &self.system.tree {
            return self.reduced_terms(tree, out);
        }
        if let (Some(erls), Some(mut own)) = (&self.system.erls, self.work.erls.take()) {
            erls.assemble(self.system, at.v, &self.work, &mut own);
            erls.for_masses(&mut own, |i, j, value| out.mass.set(i, j, value));
            erls.write_loads(&own, &mut out.force);
            self.work.erls = Some(own);
            return Ok(());
        }
        let (system, work) = (self.system, &self.work);
        system.update_masses(work, &mut out.mass);
        out.force.copy_from_slice(&work.forces);
        for (i, row) in system.rows.iter().enumerate() {
            out.gaps[i] = evaluate::position_residual(system, i, work);
            out.drives[i] = match row.source {
                RowSource::Driver(id) => -work.motions[id.0].rate,
                RowSource::Joint(_) | RowSource::Body(_) => 0.0,
            };
        }
        // Blocks stand row by row, the entries of G column by column, body after body in both.
        for group in &system.by_body {
            if group.formulation.is_flexible() {
                write_flexible_rows(system, group, work, &mut out.rows);
                continue;
            }
            let (blocks, n) = (group.blocks.len(), group.formulation.velocities());
            let from = &work.g[group.entries.clone()];
            let to = &mut out.rows.values[group.entries.clone()];
            for (i, to) in to.iter_mut().enumerate() {
                *to = from[i % blocks * n + i / blocks];
            }
        }
        Ok(())
    }

    fn blank_tangents(&self) -> Tangents {
        match &self.system.tree {
            _ if self.system.erls.is_some() => match self.system.erls_colours() {
                Some((_, colours)) => {
                    let rows = Entries::full(self.system.active, self.system.layout.v);
                    let pattern = &colours.pattern;
                    Tangents::with(self.dims(), pattern.clone(), pattern.clone(), rows)
                }
                None => Tangents::full(self.dims()),
            },
            Some(tree) => tree::tangents::blank(self.system, tree, self.dims()),
            None => tangents::blank_of_bodies(self.system, self.dims()),
        }
    }

    fn tangents(&mut self, at: Place, out: &mut Tangents) -> Result<bool, Fault> {
        match &self.system.tree {
            _ if self.system.erls.is_some() => match self.system.erls_colours() {
                Some((erls, colours)) => self.erls_tangents(erls, colours, at, out)?,
                // By differences of the terms.
                None => return Ok(false),
            },
            Some(tree) => self.reduced_tangents(tree, at, out)?,
            None => self.tangents_of_bodies(at, out)?,
        }
        Ok(true)
    }

    fn sizes(&self, out: &mut [f64]) {
        for (i, out) in out.iter_mut().enumerate() {
            *out = self.system.unit_of_state(i);
        }
    }

    fn blank_weights(&self) -> Weights {
        self.system.blank_weights()
    }

    /// W = M, with artificial masses, and of bodies in natural coordinates M + ĜᵀDĜ, which changes the
    /// equations of motion along Gᵀ only.
    fn weights(&self, terms: &Terms, out: &mut Weights) {
        if self.system.erls.is_some() {
            return;
        }
        if self.system.tree.is_some() {
            return out.take(&terms.mass);
        }
        for component in &self.system.components {
            component.weights(self.system, &self.work, out);
        }
    }

    /// The short way of Newton's method leaves out what a shift along the constraints does to friction, which
    /// the steep slopes of bristles do not allow.
    fn metric_is_mass(&self) -> bool {
        self.system.frictions.is_empty() && !self.system.has_bristles()
    }

    /// Sections of beams vibrate faster than any step, and so do rigid finite elements.
    fn has_unresolved_modes(&self) -> bool {
        self.system.bends()
    }

    fn displace(&self, q: &[f64], by: &[f64], out: &mut [f64]) {
        out.copy_from_slice(q);
        self.system.displace(out, by);
    }

    fn chart_rate(&self, by: &[f64], v: &[f64], out: &mut [f64]) {
        out.copy_from_slice(v);
        if let Some(tree) = &self.system.tree {
            return tree.chart_rate(by, out);
        }
        if self.system.erls.is_some() {
            return;
        }
        for component in &self.system.components {
            component.chart_rate(self.system, by, out);
        }
    }

    fn velocity_of(&self, q: &[f64], rate: &[f64], out: &mut [f64]) {
        if let Some(tree) = &self.system.tree {
            return tree.velocity_of(q, rate, out);
        }
        if self.system.erls.is_some() {
            return out.copy_from_slice(rate);
        }
        for component in &self.system.components {
            component.velocity_of(self.system, q, rate, out);
        }
    }
}

/// Entries of G of a flexible link, in the columns that rows touch: both blocks and entries of a column go by row.
fn write_flexible_rows(system: &System, group: &BodyBlocks, work: &Workspace, out: &mut Entries) {
    let all = system.bodies[group.body].velocities();
    let blocks = &system.blocks[group.blocks.clone()];
    let g = &work.g[group.entries.clone()];
    for k in 0..all.len() {
        let mut slots = out.column(all.start + k);
        if slots.is_empty() {
            continue;
        }
        let touching = blocks.iter().enumerate().filter(|(_, block)| block.support.contains(k));
        for ((i, _), slot) in touching.zip(&mut slots) {
            out.values[slot] = g[i * all.len() + k];
        }
    }
}

impl Plant<'_> {
    /// Derivatives of the equations of the bodies, in coordinates of their own.
    fn tangents_of_bodies(&mut self, at: Place, out: &mut Tangents) -> Result<(), Fault> {
        let point = self.point(at.t, at.y);
        evaluate::equations(self.system, point, &self.memory, &mut self.work)?;
        for entries in [&mut out.stiffness, &mut out.damping, &mut out.rate_jacobian] {
            entries.values.fill(0.0);
        }
        let (system, work) = (self.system, &self.work);
        for (row, lambda) in at.lambda.iter().enumerate() {
            tangents::add_row(system, work, row, *lambda, out);
        }
        tangents::subtract_gyroscopic(system, work, out);
        tangents::add_elastic(system, work, out);
        tangents::add_floating(system, work, at.acceleration, out);
        for part in force::all_parts(&system.model) {
            let force = LinearForce::new(system, work, part, at.t, self.branch);
            let ends = force.markers();
            let (a, b) = (&work.markers[ends.0], &work.markers[ends.1]);
            let now = Pair { a: force.now.on_a, b: force.now.on_b };
            let change = |da: &_, db: &_| force.change(a, b, da, db);
            tangents::subtract_force(system, work, ends, &now, change, out);
        }
        functions::subtract(self.system, &self.work, (at.t, self.branch), &self.memory.pieces, out);
        tangents::clear_friction(out);
        self.subtract_contacts(point.bristles, out);
        self.subtract_films(out)?;
        let memory = (point.bristles, &self.memory);
        tangents::subtract_friction(self.system, &self.work, memory, at.lambda, out);
        Ok(())
    }

    /// The same in joint coordinates.
    fn reduced_tangents(
        &mut self,
        tree: &Tree,
        at: Place,
        out: &mut Tangents,
    ) -> Result<(), Fault> {
        let (system, dims) = (self.system, self.dims());
        let own = self.work.tree.as_mut().and_then(|own| own.reduction.take());
        let mut own = own.unwrap_or_else(|| Box::new(Reduction::new(system, tree, dims)));
        let found = self.tangents_of_bodies(at, &mut own.absolute);
        let point = self.point(at.t, at.y);
        reactions::add_friction(system, point, &self.memory, at.lambda, &mut self.work);
        if let Some(mut tree_work) = self.work.tree.take() {
            let (state, given) = ((point.q, point.v), (at.acceleration, at.lambda));
            let both = (&mut self.work, &mut *tree_work);
            own.reduce((system, tree), state, given, both, out);
            tree_work.reduction = Some(own);
            self.work.tree = Some(tree_work);
        }
        found
    }

    /// Terms in joint coordinates, after the equations: f, M, G, and what drivers of the tree add to g_t.
    fn reduced_terms(&mut self, tree: &Tree, out: &mut Terms) -> Result<(), Fault> {
        let system = self.system;
        let tree_work = &mut self.work;
        tree::reduce(system, tree, tree_work);
        evaluate::velocity_residual(system, tree_work);
        for i in 0..system.active {
            out.gaps[i] = evaluate::position_residual(system, i, tree_work);
        }
        let Some(mut own) = self.work.tree.take() else { return Ok(()) };
        out.force.copy_from_slice(&own.forces);
        tree.mass_entries(&mut own, |i, j, value| {
            out.mass.set(i, j, value);
            out.mass.set(j, i, value);
        });
        let work = &self.work;
        out.drives.copy_from_slice(&work.residual);
        blocks::gather(system, &work.g, &own.v, -1.0, &mut out.drives);
        out.rows.values.fill(0.0);
        for group in &tree.rows {
            let g = work.g[group.entries.clone()].chunks_exact(group.v.len());
            for (block, g) in group.blocks.iter().zip(g) {
                for (column, value) in group.v.clone().zip(g) {
                    out.rows.set(block.row, column, *value);
                }
            }
        }
        for group in &system.by_body {
            let first = system.velocities_in_state(group.body);
            let blocks = &system.blocks[group.blocks.clone()];
            let n = system.bodies[group.body].velocities().len();
            let g = work.g[group.entries.clone()].chunks_exact(n);
            for (block, g) in blocks.iter().zip(g) {
                for k in block.support.iter() {
                    out.rows.set(block.row, first + k, g[k]);
                }
            }
        }
        self.work.tree = Some(own);
        Ok(())
    }

    fn subtract_contacts(&self, bristles: &[f64], out: &mut Tangents) {
        let (system, work) = (self.system, &self.work);
        for (i, element) in system.contacts.iter().enumerate() {
            let (Some(geometry), force) = work.contacts[i] else { continue };
            let sides = (&work.markers[element.a], &work.markers[element.b]);
            let touch = element.touch(self.memory.contact(i, element), sides, bristles);
            let Some(contact) = LinearContact::new(touch, geometry) else { continue };
            let now = Pair { a: force.wrench_a, b: force.wrench_b };
            let change = |da: &_, db: &_| contact.change(da, db);
            tangents::subtract_force(system, work, (element.a, element.b), &now, change, out);
            if element.states > 0 {
                tangents::subtract_bristles(system, work, element, &contact, out);
            }
        }
    }

    fn subtract_films(&self, out: &mut Tangents) -> Result<(), Fault> {
        let (system, work) = (self.system, &self.work);
        for (i, element) in system.films.iter().enumerate() {
            let (a, b) = (&work.markers[element.a], &work.markers[element.b]);
            let mut film = work.films[i].work.borrow_mut();
            let touching = element.touches(&self.memory.contacts);
            let film = element.lubricant.linearised(a, b, touching, &mut film);
            let film = film.map_err(|_| Fault::Undefined { element: i })?;
            let change = |da: &_, db: &_| film.change(a, b, da, db);
            let ends = (element.a, element.b);
            tangents::subtract_force(system, work, ends, &film.now.pair, change, out);
        }
        Ok(())
    }
}
