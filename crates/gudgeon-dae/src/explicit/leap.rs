//! A single step from anywhere, for integrators of another kind.

use super::Explicit;
use crate::problem::{Fault, SecondOrderDae};

impl Explicit {
    /// Tries one step of size `h` from a point with known rates, in plain time and without a look at
    /// constraints and switches; returns the error as a multiple of `rtol` times the scales. The new
    /// point is then in [`leapt`](Self::leapt).
    pub(crate) fn leap<P: SecondOrderDae>(
        &mut self,
        plant: &mut P,
        t: f64,
        (y, rates): (&[f64], &[f64]),
        scales: &[f64],
        (h, rtol): (f64, f64),
    ) -> Result<f64, Fault> {
        let n = y.len();
        self.last.y0[..n].copy_from_slice(y);
        self.last.y0[n] = t;
        self.k[..n].copy_from_slice(rates);
        self.k[n] = 1.0;
        self.scales[..n].copy_from_slice(scales);
        self.scales[n] = f64::INFINITY;
        self.try_step(plant, h)?;
        Ok(self.error_norm(h, rtol))
    }

    /// The end of the last [`leap`](Self::leap).
    pub(crate) fn leapt(&self) -> &[f64] {
        &self.last.y1[..self.dims.total()]
    }
}
