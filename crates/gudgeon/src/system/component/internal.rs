//! Internal rows: what coordinates of a component that depend on each other must satisfy.

use super::{BeamBody, Formulation, InternalRow, RigidBody, natural};
use crate::joint::RowKind;
use crate::model::BodyId;
use crate::system::compile::{BodyBlocks, RowSource, Side, System};
use crate::system::rows::Row;
use crate::system::workspace::Workspace;
use std::ops::Range;

/// Internal rows of all bodies, body after body.
pub(in crate::system) fn internal_rows(bodies: &[RigidBody], beams: &[BeamBody]) -> Vec<Row> {
    let mut rows = Vec::new();
    for (i, body) in bodies.iter().enumerate() {
        let row = |row: InternalRow| Row {
            kind: RowKind::Internal(row),
            a: usize::MAX,
            b: usize::MAX,
            source: RowSource::Body(BodyId(i + 1)),
        };
        match body.formulation {
            Formulation::Planar
            | Formulation::Spatial
            | Formulation::FloatingPlanar
            | Formulation::FloatingSpatial => {}
            Formulation::Natural => rows.extend(InternalRow::ALL.map(row)),
            Formulation::Beam => rows.extend(beams[body.member].internal_rows().map(row)),
        }
    }
    rows
}

impl System {
    /// Number of internal rows, which come before all others.
    pub(in crate::system) fn internal_rows(&self) -> usize {
        self.internal
    }

    /// Velocities that an internal row holds.
    pub(in crate::system) fn internal_columns(
        &self,
        body: usize,
        row: InternalRow,
    ) -> Range<usize> {
        let all = self.bodies[body].velocities();
        match self.bodies[body].formulation {
            Formulation::Beam => {
                let own = self.beam(body).node_columns(row.node);
                all.start + own.start..all.start + own.end
            }
            _ => all,
        }
    }

    /// γ of all internal rows.
    pub(in crate::system) fn internal_biases(&self, work: &mut Workspace) {
        for (i, row) in self.rows[..self.internal_rows()].iter().enumerate() {
            if let (RowKind::Internal(row), RowSource::Body(body)) = (row.kind, row.source) {
                let rate = self.internal_rate(body.0 - 1, row, work);
                work.gamma[i] = -row.bias(&rate);
            }
        }
    }

    /// E of an internal row at the last kinematics.
    fn internal_vectors(
        &self,
        body: usize,
        row: InternalRow,
        work: &Workspace,
    ) -> nalgebra::Matrix3<f64> {
        match self.bodies[body].formulation {
            Formulation::Beam => {
                let beam = self.beam(body);
                beam.gradients(row.node, &work.beam_q[beam.v - self.first_beam()..], 1.0)
            }
            _ => self.natural_at(body, work).1.e,
        }
    }

    /// Ė of an internal row.
    fn internal_rate(
        &self,
        body: usize,
        row: InternalRow,
        work: &Workspace,
    ) -> nalgebra::Matrix3<f64> {
        match self.bodies[body].formulation {
            Formulation::Beam => {
                let beam = self.beam(body);
                beam.gradients(row.node, &work.v[beam.v..], 0.0)
            }
            _ => self.natural_at(body, work).1.rate,
        }
    }

    /// g of an internal row.
    pub(in crate::system) fn internal_gap(
        &self,
        body: usize,
        row: InternalRow,
        work: &Workspace,
    ) -> f64 {
        row.gap(&self.internal_vectors(body, row, work))
    }

    /// Forces on E brought to the columns of an internal row.
    fn internal_reduce(&self, body: usize, on_e: &nalgebra::Matrix3<f64>, out: &mut [f64]) {
        match self.bodies[body].formulation {
            Formulation::Beam => self.beam(body).write_node(on_e, out),
            _ => {
                self.natural(body).write_forces(on_e, &mut out[..natural::SIZE]);
            }
        }
    }

    /// A column of ∂(Gᵀ)/∂q of an internal row.
    pub(in crate::system) fn internal_curvature(
        &self,
        body: usize,
        row: InternalRow,
        column: usize,
        out: &mut [f64],
    ) {
        let unit = match self.bodies[body].formulation {
            Formulation::Beam => self.beam(body).node_unit(column),
            _ => self.natural(body).unit(column).1,
        };
        self.internal_reduce(body, &row.gradient(&unit), out);
    }

    /// Entries of G of an internal row.
    fn internal_row(&self, body: usize, row: InternalRow, work: &Workspace, out: &mut [f64]) {
        let e = self.internal_vectors(body, row, work);
        self.internal_reduce(body, &row.gradient(&e), out);
    }

    /// Entries of B = ∂(G v)/∂q of an internal row.
    pub(in crate::system) fn internal_rate_row(
        &self,
        body: usize,
        row: InternalRow,
        work: &Workspace,
        out: &mut [f64],
    ) {
        let rate = self.internal_rate(body, row, work);
        self.internal_reduce(body, &row.gradient(&rate), out);
    }
}

/// G and M⁻¹Gᵀ of all rows of a body in natural coordinates.
pub(in crate::system) fn fill_natural(system: &System, group: &BodyBlocks, work: &mut Workspace) {
    const N: usize = natural::SIZE;
    let body = system.natural(group.body);
    let blocks = system.blocks[group.blocks.clone()].iter();
    for (block, entry) in blocks.zip(group.entries.clone().step_by(N)) {
        let mut g = [0.0; N];
        let state = &work.naturals[system.bodies[group.body].member];
        match block.side {
            Side::Marker { marker, on_b } => {
                let wrenches = &work.row_wrenches[block.row];
                let wrench = if on_b { &wrenches.on_b } else { &wrenches.on_a };
                body.reduce(state, &system.attachments[marker].offset, wrench, &mut g);
            }
            Side::Internal(row) => system.internal_row(group.body, row, work, &mut g),
        }
        body.solve(state, &g, &mut work.mg[entry..entry + N]);
        work.g[entry..entry + N].copy_from_slice(&g);
    }
}

/// G of a flexible link in the columns that rows touch.
pub(in crate::system) fn fill_flexible(system: &System, group: &BodyBlocks, work: &mut Workspace) {
    let size = system.bodies[group.body].velocities().len();
    let blocks = system.blocks[group.blocks.clone()].iter();
    for (block, entry) in blocks.zip(group.entries.clone().step_by(size)) {
        let mut g = [0.0; super::beam::COLUMNS];
        match block.side {
            Side::Marker { marker, on_b } => {
                let wrenches = &work.row_wrenches[block.row];
                let wrench = if on_b { &wrenches.on_b } else { &wrenches.on_a };
                g = system.reduced(marker, wrench, work);
            }
            Side::Internal(row) => system.internal_row(group.body, row, work, &mut g),
        }
        for (run, values) in block.support.parts(&g) {
            work.g[entry + run.start..entry + run.end].copy_from_slice(values);
        }
    }
}

/// M⁻¹Gᵀ of a flexible link, where S is formed: Newton's iteration needs G alone.
pub(in crate::system) fn solve_flexible_rows(
    system: &System,
    group: &BodyBlocks,
    work: &mut Workspace,
) {
    let body = &system.bodies[group.body];
    let size = body.velocities().len();
    let (g, mg) = (&work.g[group.entries.clone()], &mut work.mg[group.entries.clone()]);
    let rows = g.chunks_exact(size).zip(mg.chunks_exact_mut(size));
    for (block, (g, mg)) in system.blocks[group.blocks.clone()].iter().zip(rows) {
        if body.formulation == Formulation::Beam {
            let run = block.support.runs().next().unwrap_or(0..0);
            system.beam(group.body).solve_row(run, g, mg);
        } else {
            mg.copy_from_slice(g);
            system.floating(group.body).solve(&work.floating[body.member], mg);
        }
    }
}
