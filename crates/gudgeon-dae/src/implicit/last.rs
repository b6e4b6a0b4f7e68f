//! The last step of an implicit integration.

use crate::problem::Dims;

/// Both ends of a step with their rates, and where its valid part ends.
#[derive(Debug)]
pub(super) struct Last {
    pub t: f64,
    pub h: f64,
    pub y0: Vec<f64>,
    pub y1: Vec<f64>,
    /// ẏ at both ends, with reactions from the accelerations.
    pub rates0: Vec<f64>,
    pub rates1: Vec<f64>,
    pub end: f64,
}

impl Last {
    pub fn new(t: f64, y: &[f64]) -> Self {
        Self {
            t,
            h: 0.0,
            y0: y.to_vec(),
            y1: y.to_vec(),
            rates0: vec![0.0; y.len()],
            rates1: vec![0.0; y.len()],
            end: 1.0,
        }
    }

    /// A component between the ends by a cubic through values and rates (tian, Eq. 45).
    pub fn hermite(&self, i: usize, theta: f64, rate0: f64, rate1: f64) -> f64 {
        let x = theta;
        let b = x * x * (3.0 - 2.0 * x);
        let (c0, c1) = (x * (1.0 - x) * (1.0 - x), x * x * (x - 1.0));
        self.y0[i] + b * (self.y1[i] - self.y0[i]) + self.h * (c0 * rate0 + c1 * rate1)
    }

    /// The quadratures between the ends.
    pub fn quadratures(&self, dims: Dims, theta: f64, out: &mut [f64]) {
        for i in dims.q + dims.v + dims.z..dims.total() {
            out[i] = self.hermite(i, theta, self.rates0[i], self.rates1[i]);
        }
    }
}
