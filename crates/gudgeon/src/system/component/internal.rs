//! Internal rows: what coordinates of a component that depend on each other must satisfy.

use super::{Formulation, InternalRow, natural};
use crate::joint::RowKind;
use crate::system::compile::{BodyBlocks, RowSource, Side, System};
use crate::system::workspace::Workspace;

impl Formulation {
    /// Internal rows of one body.
    pub fn internal_rows(self) -> &'static [InternalRow] {
        match self {
            Self::Planar | Self::Spatial => &[],
            Self::Natural => &InternalRow::ALL,
        }
    }
}

impl System {
    /// Number of internal rows, which come before all others.
    pub(in crate::system) fn internal_rows(&self) -> usize {
        natural::ROWS * self.naturals.len()
    }

    /// γ of all internal rows.
    pub(in crate::system) fn internal_biases(&self, work: &mut Workspace) {
        for (i, row) in self.rows[..self.internal_rows()].iter().enumerate() {
            if let (RowKind::Internal(row), RowSource::Body(body)) = (row.kind, row.source) {
                let (natural, state) = self.natural_at(body.0 - 1, work);
                work.gamma[i] = -natural.bias(state, row);
            }
        }
    }

    /// g of an internal row.
    pub(in crate::system) fn internal_gap(
        &self,
        body: usize,
        row: InternalRow,
        work: &Workspace,
    ) -> f64 {
        let (natural, state) = self.natural_at(body, work);
        natural.gap(state, row)
    }

    /// A column of ∂(Gᵀ)/∂q of an internal row.
    pub(in crate::system) fn internal_curvature(
        &self,
        body: usize,
        row: InternalRow,
        column: usize,
        out: &mut [f64],
    ) {
        self.natural(body).internal_curvature(row, column, out);
    }

    /// Entries of B = ∂(G v)/∂q of an internal row.
    pub(in crate::system) fn internal_rate_row(
        &self,
        body: usize,
        row: InternalRow,
        work: &Workspace,
        out: &mut [f64],
    ) {
        let (natural, state) = self.natural_at(body, work);
        natural.internal_rate_row(state, row, out);
    }
}

/// G and M⁻¹Gᵀ of all rows of a body in natural coordinates.
pub(in crate::system) fn fill_natural(system: &System, group: &BodyBlocks, work: &mut Workspace) {
    const N: usize = natural::SIZE;
    let body = system.natural(group.body);
    let state = &work.naturals[system.bodies[group.body].member];
    let blocks = system.blocks[group.blocks.clone()].iter();
    for (block, entry) in blocks.zip(group.entries.clone().step_by(N)) {
        let g = &mut work.g[entry..entry + N];
        match block.side {
            Side::Marker { marker, on_b } => {
                let wrenches = &work.row_wrenches[block.row];
                let wrench = if on_b { &wrenches.on_b } else { &wrenches.on_a };
                body.reduce(state, &system.attachments[marker].offset, wrench, g);
            }
            Side::Internal(row) => body.internal_row(state, row, g),
        }
        body.solve(state, g, &mut work.mg[entry..entry + N]);
    }
}
