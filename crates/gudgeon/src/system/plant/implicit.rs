//! The plant as implicit integrators see it: terms of the equations and moves of positions.
//!
//! In plain time, with the masses of the model (zero where the user gave none). Rotations move by
//! exponentials: q ⊕ δ turns by the rotation vector ψ in inner axes, which changes at
//!
//!   ψ̇ = ω + ½ ψ×ω + (1 − (θ/2) cot(θ/2))/θ² ψ×(ψ×ω),   θ = |ψ|                                   (1)

use gudgeon_dae::linear::Entries;
use gudgeon_dae::{Fault, ImplicitDae, SecondOrderDae, Terms};
use nalgebra::Vector3;

use super::Plant;
use crate::marker::Formulation;
use crate::math::rotation;
use crate::system::compile::RowSource;
use crate::system::evaluate;

impl ImplicitDae for Plant<'_> {
    fn blank_terms(&self) -> Terms {
        let (dims, system) = (self.dims(), self.system);
        let mut places = Vec::new();
        for block in &system.blocks {
            let columns = system.bodies[block.body].velocities();
            places.extend(columns.map(|column| (block.row, column)));
        }
        let mut mass = Entries::diagonal(dims.v);
        for body in &system.bodies {
            for (i, column) in body.velocities().enumerate() {
                let real = body.stand_in[i] == 0.0;
                mass.values[column] = if real { 1.0 / body.inverse[i] } else { 0.0 };
            }
        }
        Terms::with(dims, mass, Entries::at(dims.rows, dims.v, &places))
    }

    fn terms(&mut self, t: f64, y: &[f64], out: &mut Terms) -> Result<(), Fault> {
        let (at, system) = (self.point(t, y), self.system);
        evaluate::forces_and_rows(system, at, &self.memory.contacts, &mut self.work);
        out.force.copy_from_slice(&self.work.forces);
        out.rates.fill(0.0);
        for (i, row) in system.rows.iter().enumerate() {
            out.gaps[i] = evaluate::position_residual(system, i, &self.work);
            out.drives[i] = match row.source {
                RowSource::Driver(id) => -self.work.motions[id.0].rate,
                RowSource::Joint(_) => 0.0,
            };
        }
        out.rows.values.fill(0.0);
        for group in &system.by_body {
            let columns = system.bodies[group.body].velocities();
            let entries = self.work.g[group.entries.clone()].chunks_exact(columns.len());
            for (block, entries) in system.blocks[group.blocks.clone()].iter().zip(entries) {
                for (column, value) in columns.clone().zip(entries) {
                    let slot = out.rows.slot(block.row, column).expect("a place of G");
                    out.rows.values[slot] += value;
                }
            }
        }
        Ok(())
    }

    fn weights(&self, _terms: &Terms, out: &mut [f64]) {
        for body in &self.system.bodies {
            for (out, inverse) in out[body.velocities()].iter_mut().zip(&body.inverse) {
                *out = 1.0 / inverse;
            }
        }
    }

    fn displace(&self, q: &[f64], by: &[f64], out: &mut [f64]) {
        out.copy_from_slice(q);
        self.system.displace(out, by);
    }

    fn chart_rate(&self, by: &[f64], v: &[f64], out: &mut [f64]) {
        out.copy_from_slice(v);
        for (psi, omega, out) in self.rotations(by, v, out) {
            let t = rotation::inverse_tangent(&psi).transpose(); // (1)
            out.copy_from_slice((t * omega).as_slice());
        }
    }

    fn velocity_of(&self, q: &[f64], rate: &[f64], out: &mut [f64]) {
        for body in &self.system.bodies {
            let (q, rate) = (&q[body.coordinates()], &rate[body.coordinates()]);
            let out = &mut out[body.velocities()];
            match body.formulation {
                Formulation::Planar => out.copy_from_slice(rate),
                Formulation::Spatial => {
                    out[..3].copy_from_slice(&rate[..3]);
                    let back = [q[3], -q[4], -q[5], -q[6]];
                    let square: f64 = back.iter().map(|x| x * x).sum();
                    let spin = rotation::product(&back, &[rate[3], rate[4], rate[5], rate[6]]);
                    for i in 0..3 {
                        out[3 + i] = 2.0 * spin[1 + i] / square;
                    }
                }
            }
        }
    }
}

impl<'s> Plant<'s> {
    /// Angular parts of spatial bodies: rotation vectors, velocities, and places for a result.
    fn rotations<'a>(
        &self,
        by: &'a [f64],
        v: &'a [f64],
        mut out: &'a mut [f64],
    ) -> impl Iterator<Item = (Vector3<f64>, Vector3<f64>, &'a mut [f64])> + use<'a, 's> {
        let mut taken = 0;
        let bodies = self.system.bodies.iter();
        let spatial = bodies.filter(|body| body.formulation == Formulation::Spatial);
        spatial.map(move |body| {
            let angular = body.v + 3..body.v + 6;
            let (psi, omega) = (&by[angular.clone()], &v[angular.clone()]);
            let rest = std::mem::take(&mut out).split_at_mut(angular.start - taken).1;
            let (place, rest) = rest.split_at_mut(3);
            (out, taken) = (rest, angular.end);
            (Vector3::from_column_slice(psi), Vector3::from_column_slice(omega), place)
        })
    }
}
