//! A mass driven by an actuator with a first-order state, with a made-up motion.
//!
//!   q(t) = sin t,   z(t) = cos 2t                                                               (1)
//!   m v̇ = m v̇(t) − 3 (q − q(t)) − (v − v(t)) + 2 (z − z(t))                                     (2)
//!   ż = ż(t) − (z − z(t))/τ − 0.5 (q − q(t)) − 0.7 (v − v(t)),   ẇ = z                           (3)
//!
//! On the motion (1) the differences vanish; a short τ makes the actuator stiff.

use super::Analytic;
use crate::implicit::{ImplicitDae, Place, Tangents, Terms};
use crate::problem::{Dims, Drift, Fault, SecondOrderDae, Stabilisation};

#[derive(Clone, Copy, Debug)]
pub struct Actuator {
    /// kg, s.
    pub mass: f64,
    pub time_constant: f64,
}

impl Actuator {
    /// Force and rate of z.
    fn equations(&self, t: f64, y: &[f64]) -> (f64, f64) {
        let (q, v, z) = (y[0] - t.sin(), y[1] - t.cos(), y[2] - (2.0 * t).cos());
        let force = -self.mass * t.sin() - 3.0 * q - v + 2.0 * z; // (2)
        let rate = -2.0 * (2.0 * t).sin() - z / self.time_constant - 0.5 * q - 0.7 * v; // (3)
        (force, rate)
    }
}

impl SecondOrderDae for Actuator {
    fn dims(&self) -> Dims {
        Dims { q: 1, v: 1, z: 1, w: 1, ..Dims::default() }
    }

    fn velocity_is_rate(&self) -> bool {
        true
    }

    fn rates(
        &mut self,
        t: f64,
        y: &[f64],
        dy: &mut [f64],
        _with: Stabilisation,
    ) -> Result<f64, Fault> {
        let (force, rate) = self.equations(t, y);
        dy.copy_from_slice(&[y[1], force / self.mass, rate, y[2]]);
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

    fn switches(&mut self, _t: f64, _y: &[f64], _out: &mut [f64]) {}

    fn raise_scales(&mut self, _y: &[f64], scales: &mut [f64]) {
        scales.fill(1.0);
    }
}

impl ImplicitDae for Actuator {
    fn terms(&mut self, t: f64, y: &[f64], _lambda: &[f64], out: &mut Terms) -> Result<(), Fault> {
        (out.force[0], out.rates[0]) = self.equations(t, y);
        out.mass.values[0] = self.mass;
        Ok(())
    }

    fn tangents(&mut self, _at: Place, out: &mut Tangents) -> Result<bool, Fault> {
        out.stiffness.values[0] = 3.0;
        out.damping.values[0] = 1.0;
        out.coupling.values[0] = -2.0;
        out.rates_q.values[0] = -0.5;
        out.rates_v.values[0] = -0.7;
        out.rates_z.values[0] = -1.0 / self.time_constant;
        Ok(true)
    }
}

impl Analytic for Actuator {
    fn exact(&self, t: f64) -> Vec<f64> {
        vec![t.sin(), t.cos(), (2.0 * t).cos(), 0.5 * (2.0 * t).sin()]
    }

    fn exact_reaction(&self, _t: f64) -> f64 {
        0.0
    }

    fn reaction(&self) -> f64 {
        0.0
    }
}
