//! Tangents by forward differences, for systems that give none.
//!
//! A column costs one evaluation. Steps are √ε of the scale of a component: half of the digits of a
//! tangent are right, which Newton's iteration does not notice.

use super::equations::{ImplicitDae, Place, Tangents, Terms};
use crate::linear::Entries;
use crate::problem::{Dims, Fault};

/// √ε.
const STEP: f64 = 1.5e-8;

/// Buffers for differences.
#[derive(Clone, Debug)]
pub struct Differences {
    dims: Dims,
    base: Terms,
    moved: Terms,
    y: Vec<f64>,
    by: Vec<f64>,
    lambda: Vec<f64>,
    residual: [Vec<f64>; 2],
    row_rates: [Vec<f64>; 2],
}

impl Differences {
    pub fn new<P: ImplicitDae>(plant: &P) -> Self {
        let dims = plant.dims();
        let terms = plant.blank_terms();
        Self {
            dims,
            base: terms.clone(),
            moved: terms,
            y: vec![0.0; dims.total()],
            by: vec![0.0; dims.v],
            lambda: vec![0.0; dims.rows],
            residual: [vec![0.0; dims.v], vec![0.0; dims.v]],
            row_rates: [vec![0.0; dims.rows], vec![0.0; dims.rows]],
        }
    }

    /// Fills `out` and returns the number of evaluations. `scales` are those of y.
    pub fn take<P: ImplicitDae>(
        &mut self,
        plant: &mut P,
        at: Place,
        scales: &[f64],
        out: &mut Tangents,
    ) -> Result<u64, Fault> {
        let Dims { q, v, z, .. } = self.dims;
        plant.terms(at.t, at.y, at.lambda, &mut self.base)?;
        residual(&self.base, at, &at.y[q..q + v], &mut self.residual[0], &mut self.row_rates[0]);
        self.y.copy_from_slice(at.y);
        for j in 0..v {
            let step = STEP * self.displacement_scale(plant, j, at.y, scales);
            self.by.fill(0.0);
            self.by[j] = step;
            plant.displace(&at.y[..q], &self.by, &mut self.y[..q]);
            plant.terms(at.t, &self.y, at.lambda, &mut self.moved)?;
            let [_, moved] = &mut self.residual;
            residual(&self.moved, at, &at.y[q..q + v], moved, &mut self.row_rates[1]);
            difference(&mut out.stiffness, j, step, &self.residual[0], &self.residual[1]);
            difference(&mut out.rate_jacobian, j, step, &self.row_rates[0], &self.row_rates[1]);
            difference(&mut out.rates_q, j, step, &self.base.rates, &self.moved.rates);
        }
        self.y.copy_from_slice(at.y);
        for j in 0..v + z {
            let step = STEP * own_scale(at.y[q + j], scales[q + j]);
            self.y[q + j] = at.y[q + j] + step;
            plant.terms(at.t, &self.y, at.lambda, &mut self.moved)?;
            self.y[q + j] = at.y[q + j];
            let (forces, rates, column) = match j.checked_sub(v) {
                None => (&mut out.damping, &mut out.rates_v, j),
                Some(j) => (&mut out.coupling, &mut out.rates_z, j),
            };
            difference(forces, column, -step, &self.base.force, &self.moved.force);
            difference(rates, column, step, &self.base.rates, &self.moved.rates);
        }
        Ok((1 + 2 * v + z) as u64 + self.by_reactions(plant, at, &mut out.reactions)?)
    }

    /// The columns of −∂f/∂λ that have places.
    fn by_reactions<P: ImplicitDae>(
        &mut self,
        plant: &mut P,
        at: Place,
        out: &mut Entries,
    ) -> Result<u64, Fault> {
        let largest = |x: &[f64]| x.iter().fold(0.0f64, |most, x| most.max(x.abs()));
        let scale = match largest(at.lambda) {
            0.0 => largest(&self.base.force),
            size => size,
        };
        self.lambda.copy_from_slice(at.lambda);
        let mut cost = 0;
        for j in 0..self.dims.rows {
            if out.column(j).is_empty() {
                continue;
            }
            let step = STEP * own_scale(at.lambda[j], scale);
            self.lambda[j] = at.lambda[j] + step;
            plant.terms(at.t, at.y, &self.lambda, &mut self.moved)?;
            self.lambda[j] = at.lambda[j];
            difference(out, j, -step, &self.base.force, &self.moved.force);
            cost += 1;
        }
        Ok(cost)
    }

    /// How far q may move along component j of v: the least scale over the rate of a coordinate.
    fn displacement_scale<P: ImplicitDae>(
        &mut self,
        plant: &P,
        j: usize,
        y: &[f64],
        scales: &[f64],
    ) -> f64 {
        let q = self.dims.q;
        if q == self.dims.v {
            return own_scale(y[j], scales[j]);
        }
        self.by.fill(0.0);
        self.by[j] = STEP;
        plant.displace(&y[..q], &self.by, &mut self.y[..q]);
        let moved = (0..q).map(|i| (i, (self.y[i] - y[i]).abs() / STEP));
        let scale = moved
            .filter(|(_, rate)| *rate > 1e-3)
            .map(|(i, rate)| own_scale(y[i], scales[i]) / rate)
            .fold(f64::INFINITY, f64::min);
        if scale.is_finite() { scale } else { 1.0 }
    }
}

fn own_scale(value: f64, scale: f64) -> f64 {
    let scale = if scale.is_finite() { scale } else { 0.0 };
    let size = scale.max(value.abs());
    if size > 0.0 { size } else { 1.0 }
}

/// M v̇ − f + Gᵀ λ and G v + g_t.
fn residual(terms: &Terms, at: Place, v: &[f64], out: &mut [f64], row_rates: &mut [f64]) {
    for (out, f) in out.iter_mut().zip(&terms.force) {
        *out = -f;
    }
    terms.mass.add_product(1.0, at.acceleration, out);
    terms.rows.add_transposed(1.0, at.lambda, out);
    row_rates.copy_from_slice(&terms.drives);
    terms.rows.add_product(1.0, v, row_rates);
}

fn difference(out: &mut Entries, column: usize, step: f64, base: &[f64], moved: &[f64]) {
    for slot in out.column(column) {
        let row = out.row_of(slot);
        out.values[slot] = (moved[row] - base[row]) / step;
    }
}
