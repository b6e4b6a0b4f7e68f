//! A mass on a spring in a field, with switches at levels of its position.
//!
//!   q̈ = g − ω² q                                                                               (1)
//!   ω > 0: q = g/ω² + A cos ωt + B sin ωt;   ω = 0: q = q₀ + v₀ t + ½ g t²                     (2)
//!
//! A switch is positive while q is on one side of its level; the fall is the passage to the other
//! side, after which [`Oscillator::handle`] turns it round.

use super::Analytic;
use crate::implicit::{ImplicitDae, Terms};
use crate::problem::{Dims, Drift, Fault, SecondOrderDae, Stabilisation};

/// A level of q and the side on which its switch is positive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Level {
    pub level: f64,
    pub below: bool,
}

#[derive(Clone, Debug)]
pub struct Oscillator {
    /// ω, rad/s, and g, m/s².
    pub frequency: f64,
    pub field: f64,
    /// q and v at t = 0.
    pub start: [f64; 2],
    pub levels: Vec<Level>,
}

impl Oscillator {
    /// A throw against gravity: q = v t − ½ t².
    pub fn throw(speed: f64, levels: &[Level]) -> Self {
        Self { frequency: 0.0, field: -1.0, start: [0.0, speed], levels: levels.to_vec() }
    }

    /// q = sin ωt.
    pub fn sine(frequency: f64, levels: &[Level]) -> Self {
        Self { frequency, field: 0.0, start: [0.0, frequency], levels: levels.to_vec() }
    }

    /// Turns the switches round that fell.
    pub fn handle(&mut self, fired: &[usize]) {
        for &switch in fired {
            self.levels[switch].below = !self.levels[switch].below;
        }
    }
}

impl SecondOrderDae for Oscillator {
    fn dims(&self) -> Dims {
        Dims { q: 1, v: 1, switches: self.levels.len(), ..Dims::default() }
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
        dy[0] = y[1];
        dy[1] = self.field - self.frequency * self.frequency * y[0]; // (1)
        Ok(1.0)
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

    fn switches(&mut self, _t: f64, y: &[f64], out: &mut [f64]) {
        for (out, level) in out.iter_mut().zip(&self.levels) {
            let above = y[0] - level.level;
            *out = if level.below { -above } else { above };
        }
    }

    fn raise_scales(&mut self, _y: &[f64], scales: &mut [f64]) {
        scales.fill(1.0);
    }
}

impl ImplicitDae for Oscillator {
    fn terms(&mut self, _t: f64, y: &[f64], _lambda: &[f64], out: &mut Terms) -> Result<(), Fault> {
        out.force[0] = self.field - self.frequency * self.frequency * y[0]; // (1)
        out.mass.values[0] = 1.0;
        Ok(())
    }
}

impl Analytic for Oscillator {
    fn exact(&self, t: f64) -> Vec<f64> {
        let [q, v] = self.start;
        let (w, g) = (self.frequency, self.field);
        if w == 0.0 {
            return vec![q + t * (v + 0.5 * g * t), v + g * t]; // (2)
        }
        let (s, c) = (w * t).sin_cos();
        let (rest, sine) = (g / (w * w), v / w);
        let cosine = q - rest;
        vec![rest + cosine * c + sine * s, w * (sine * c - cosine * s)]
    }

    fn exact_reaction(&self, _t: f64) -> f64 {
        0.0
    }

    fn reaction(&self) -> f64 {
        0.0
    }
}
