//! A force that begins like √t, integrated over a stretched time.
//!
//!   q̈ = cos σ + 3 (Q(σ) − q),   σ = √t                                                         (1)
//!   Q(σ) = 4 (3σ sin σ − (σ² − 3) cos σ − ½ σ² − 3),   V(σ) = 2 (σ sin σ + cos σ − 1)          (2)
//!   dt/dτ = 2σ/√(1 + σ²),   dσ/dτ = 1/√(1 + σ²)                                                (3)
//!
//! q = Q, v = V is the solution from rest: analytic in τ, but with a jump of the third derivative
//! in t at the start. σ is a first-order state.

use super::Analytic;
use crate::problem::{Dims, Drift, Fault, SecondOrderDae, Stabilisation};

#[derive(Clone, Copy, Debug, Default)]
pub struct Onset;

impl Onset {
    fn position(root: f64) -> f64 {
        let (s, c) = root.sin_cos();
        4.0 * (3.0 * root * s - (root * root - 3.0) * c - 0.5 * root * root - 3.0) // (2)
    }

    fn velocity(root: f64) -> f64 {
        let (s, c) = root.sin_cos();
        2.0 * (root * s + c - 1.0)
    }
}

impl SecondOrderDae for Onset {
    fn dims(&self) -> Dims {
        Dims { q: 1, v: 1, z: 1, ..Dims::default() }
    }

    fn velocity_is_rate(&self) -> bool {
        true
    }

    fn rates(
        &mut self,
        _t: f64,
        y: &[f64],
        dy: &mut [f64],
        _with: Stabilisation,
    ) -> Result<f64, Fault> {
        let root = y[2];
        let slow = (1.0 + root * root).sqrt();
        let stretch = 2.0 * root / slow; // (3)
        dy[0] = stretch * y[1];
        dy[1] = stretch * (root.cos() + 3.0 * (Self::position(root) - y[0])); // (1)
        dy[2] = 1.0 / slow;
        Ok(stretch)
    }

    fn settle(&mut self, _t: f64, _y: &mut [f64]) -> bool {
        false
    }

    fn drift(&mut self) -> Drift {
        Drift::default()
    }

    fn project(&mut self, _t: f64, _y: &mut [f64]) -> Result<(), Fault> {
        Ok(())
    }

    fn switches(&mut self, _t: f64, _y: &[f64], _out: &mut [f64]) {}

    fn raise_scales(&mut self, _y: &[f64], scales: &mut [f64]) {
        scales.fill(1.0);
    }
}

impl Analytic for Onset {
    fn exact(&self, t: f64) -> Vec<f64> {
        let root = t.sqrt();
        vec![Self::position(root), Self::velocity(root), root]
    }

    fn exact_reaction(&self, _t: f64) -> f64 {
        0.0
    }

    fn reaction(&self) -> f64 {
        0.0
    }
}
