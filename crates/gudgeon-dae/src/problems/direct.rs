//! Accelerations and reactions by elimination of the full matrix.
//!
//!   | M   Gᵀ − ∂f/∂λ | | x |   | b |
//!   | G   0          | | λ | = | γ |                                                             (1)

use crate::linear::{Entries, Lu};
use crate::problem::Fault;

#[derive(Clone, Debug)]
pub(super) struct Direct {
    v: usize,
    lu: Lu<f64>,
    /// (b, γ), overwritten by (x, λ).
    pub x: Vec<f64>,
}

impl Direct {
    pub fn new(v: usize, rows: usize) -> Self {
        Self { v, lu: Lu::new(v + rows), x: vec![0.0; v + rows] }
    }

    /// Solves (1) in place; `reactions` is −∂f/∂λ.
    pub fn solve(
        &mut self,
        mass: &Entries,
        rows: &Entries,
        reactions: Option<&Entries>,
    ) -> Result<(), Fault> {
        let (v, n) = (self.v, self.x.len());
        let values = &mut self.lu.values;
        values.fill(0.0);
        mass.iter().for_each(|(i, j, m)| values[i * n + j] += m);
        for (i, j, g) in rows.iter() {
            values[(v + i) * n + j] += g;
            values[j * n + v + i] += g;
        }
        for (i, j, r) in reactions.iter().flat_map(|reactions| reactions.iter()) {
            values[i * n + v + j] += r;
        }
        let singular = |k: usize| Fault::Singular { row: k.saturating_sub(v) };
        self.lu.factor().map_err(singular)?;
        self.lu.solve(&mut self.x);
        Ok(())
    }
}
