//! The generalized-α method on Lie groups (Chung and Hulbert; Brüls, Cardona and Arnold).
//!
//!   (1−α_m) a₁ + α_m a₀ = (1−α_f) v̇₁ + α_f v̇₀                                              (1)
//!   v₁ = v₀ + h ((1−γ) a₀ + γ a₁)                                                          (2)
//!   q₁ = q₀ ⊕ (h v₀ + h² ((½−β) a₀ + β a₁) + W⁻¹ Ḡᵀ η)                                     (3)
//!
//! with M v̇₁ = f₁ − G₁ᵀ λ₁ and the constraints at the new point. First-order states follow (1) and
//! (2) like v. The algorithmic acceleration a belongs to the time t + (α_m − α_f) h:
//!
//!   a = v̇ + h d,   d ≈ (α_m − α_f) dv̇/dt                                                    (4)
//!
//! so it starts from d by a difference of accelerations and keeps d when the step size changes.
//! Without that q and v keep order 2, but λ falls to order 1. With modes that no step resolves dv̇/dt is
//! theirs, ω² times what moves: there a starts from v̇, and the error decays like α_m/(1 − α_m) per step. The cubic
//! inside a step moves such modes by h v, far more than they move: a step that ends at an event is then repeated
//! to it, and a goes on, since forces of contacts begin and end at zero. In the stabilised form v̇ and a are
//! moved along W⁻¹Gᵀ to where G v̇ = γ after every step of a new size: for ρ∞ = 1 nothing else would damp
//! the error of λ that the change causes. Index 3 is left as it is; there λ starts with an
//! error of order 1, which decays like ρ∞ per step.
//!
//! The error of a step is the difference from Simpson's rule for v̇ and q̇, with the middle of the
//! step from the cubic between its ends, seen through the matrix of the step.

use super::equations::ImplicitDae;
use super::last::Last;
use super::point::{Chart, NewtonPoint, largest};
use super::work::{Failure, Work};
use crate::problem::{Dims, Fault, Stabilisation};

/// Share of the step over which the first difference of accelerations is taken.
const DIFFERENCE: f64 = 1e-3;

/// Coefficients of (1) to (3).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AlphaParameters {
    pub alpha_m: f64,
    pub alpha_f: f64,
    pub beta: f64,
    pub gamma: f64,
}

impl AlphaParameters {
    /// From ρ∞, the share of the fastest oscillations left after a step: 1 keeps all of them, 0
    /// none.
    pub const fn generalized(rho: f64) -> Self {
        Self::second_order((2.0 * rho - 1.0) / (rho + 1.0), rho / (rho + 1.0))
    }

    /// Hilber, Hughes and Taylor; α from 0 (none) to 1/3 (most) damping.
    pub const fn hht(alpha: f64) -> Self {
        Self::second_order(0.0, alpha)
    }

    /// Newmark; (¼, ½) is the trapezoidal rule. Of order 2 for γ = ½ only.
    pub const fn newmark(beta: f64, gamma: f64) -> Self {
        Self { alpha_m: 0.0, alpha_f: 0.0, beta, gamma }
    }

    const fn second_order(alpha_m: f64, alpha_f: f64) -> Self {
        let gamma = 0.5 + alpha_f - alpha_m;
        Self { alpha_m, alpha_f, beta: 0.25 * (gamma + 0.5) * (gamma + 0.5), gamma }
    }
}

/// Which constraints a step satisfies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// g = 0 and G v + g_t = 0: the stabilised form of index 2.
    #[default]
    Stabilised,
    /// g = 0 only: index 3, as many papers have it.
    Index3,
}

#[derive(Debug)]
pub(super) struct Alpha {
    with: AlphaParameters,
    pub point: NewtonPoint,
    /// (v̇, ż) of the method at the start of the step, and d.
    rates: Vec<f64>,
    offset: Vec<f64>,
    /// Change of (v̇, ż) per time, for the prediction.
    trend: Vec<f64>,
    /// (v̇, ż) at the ends of the last step, for the cubic.
    ends: [Vec<f64>; 2],
    fresh: bool,
    /// Whether the plant has modes that no step resolves.
    unresolved: bool,
    /// (v̇, ż), d and the trend before the last step.
    before: [Vec<f64>; 3],
    /// Size of the last step.
    step: f64,
    y: Vec<f64>,
    dy: Vec<f64>,
    by: Vec<f64>,
    error: Vec<f64>,
}

impl Alpha {
    pub fn new(with: AlphaParameters, form: Form, work: &Work) -> Self {
        let dims = work.dims;
        let n = vec![0.0; dims.v + dims.z];
        Self {
            with,
            point: NewtonPoint::new(work, form == Form::Stabilised, Chart::Exponential),
            rates: n.clone(),
            offset: n.clone(),
            trend: n.clone(),
            ends: [n.clone(), n.clone()],
            fresh: true,
            unresolved: false,
            before: [n.clone(), n.clone(), n],
            step: 0.0,
            y: vec![0.0; dims.total()],
            dy: vec![0.0; dims.total()],
            by: vec![0.0; dims.v],
            error: vec![0.0; dims.total()],
        }
    }

    pub fn restart(&mut self) {
        self.fresh = !(self.unresolved && self.step > 0.0);
    }

    /// Whether steps that end at events are repeated to them.
    pub fn repeats_for_events(&self) -> bool {
        self.unresolved
    }

    /// Goes back to before the last step.
    pub fn undo(&mut self) {
        let [rates, offset, trend] = &self.before;
        self.rates.copy_from_slice(rates);
        self.offset.copy_from_slice(offset);
        self.trend.copy_from_slice(trend);
    }

    pub fn attempt<P: ImplicitDae>(
        &mut self,
        plant: &mut P,
        work: &mut Work,
        last: &mut Last,
        tolerance: f64,
    ) -> Result<(), Failure> {
        if self.fresh {
            self.begin(plant, work, last)?;
            self.fresh = false;
        }
        self.predict(work.dims, last);
        self.point.t = last.t + last.h;
        self.point.solve(plant, work, tolerance)?;
        let states = work.dims.q + work.dims.v + work.dims.z;
        last.y1[..states].copy_from_slice(&self.point.y[..states]);
        Ok(())
    }

    /// v̇, its slope and λ at the start, from the rates there.
    fn begin<P: ImplicitDae>(
        &mut self,
        plant: &mut P,
        work: &mut Work,
        last: &Last,
    ) -> Result<(), Fault> {
        let Dims { q, v, z, .. } = work.dims;
        let n = v + z;
        self.rates.copy_from_slice(&last.rates0[q..q + n]);
        self.unresolved = plant.has_unresolved_modes();
        if self.unresolved {
            self.trend.fill(0.0);
            self.offset.fill(0.0);
            return work.reactions(plant, last, &mut self.point.lambda);
        }
        let e = DIFFERENCE * last.h;
        for i in 0..v {
            self.by[i] = e * (last.y0[q + i] + 0.5 * e * self.rates[i]);
        }
        self.y.copy_from_slice(&last.y0);
        plant.displace(&last.y0[..q], &self.by, &mut self.y[..q]);
        for i in 0..n {
            self.y[q + i] += e * self.rates[i];
        }
        plant.rates(last.t + e, &self.y, &mut self.dy, Stabilisation::default())?;
        work.statistics.evaluations += 1;
        for i in 0..n {
            self.trend[i] = (self.dy[q + i] - self.rates[i]) / e;
            self.offset[i] = (self.with.alpha_m - self.with.alpha_f) * self.trend[i];
        }
        work.reactions(plant, last, &mut self.point.lambda)
    }

    fn predict(&mut self, dims: Dims, last: &Last) {
        let Dims { q, v, z, .. } = dims;
        let (h, p) = (last.h, self.with);
        let a = (1.0 - p.alpha_m) / ((1.0 - p.alpha_f) * h * p.gamma);
        self.point.coefficients = [a, h * p.beta / p.gamma, a];
        self.point.base.copy_from_slice(&last.y0[..q]);
        for i in 0..v + z {
            let (rate0, a0) = (self.rates[i], self.rates[i] + h * self.offset[i]); // (4)
            let rate1 = rate0 + h * self.trend[i];
            let inner = (1.0 - p.alpha_f) * rate1 + p.alpha_f * rate0 - p.alpha_m * a0;
            let a1 = inner / (1.0 - p.alpha_m); // (1)
            let start = last.y0[q + i];
            let end = start + h * ((1.0 - p.gamma) * a0 + p.gamma * a1); // (2)
            if i < v {
                self.point.v_p[i] = end;
                self.point.acceleration_p[i] = rate1;
                self.point.displacement_p[i] =
                    h * start + h * h * ((0.5 - p.beta) * a0 + p.beta * a1); // (3)
            } else {
                self.point.z_p[i - v] = end;
                self.point.zdot_p[i - v] = rate1;
            }
        }
    }

    /// Takes the step over.
    pub fn accept(&mut self, work: &mut Work, last: &Last) {
        let Dims { q, v, .. } = work.dims;
        let (h, p) = (last.h, self.with);
        self.ends[0].copy_from_slice(&self.rates);
        if self.unresolved {
            let [rates, offset, trend] = &mut self.before;
            rates.copy_from_slice(&self.rates);
            offset.copy_from_slice(&self.offset);
            trend.copy_from_slice(&self.trend);
        }
        self.by.fill(0.0);
        if self.point.stabilised && last.h != self.step {
            let exact = &last.rates1[q..q + v];
            work.along_rows(exact, &self.point.acceleration, &mut self.by);
        }
        for i in 0..self.rates.len() {
            let rate1 = if i < v { self.point.acceleration[i] } else { self.point.zdot[i - v] };
            let a0 = self.rates[i] + h * self.offset[i];
            let change = self.point.y[q + i] - last.y0[q + i];
            let a1 = (change / h - (1.0 - p.gamma) * a0) / p.gamma; // (2)
            self.trend[i] = (rate1 - self.rates[i]) / h;
            self.offset[i] = (a1 - rate1) / h;
            self.rates[i] = rate1 + self.by.get(i).unwrap_or(&0.0);
        }
        self.ends[1].copy_from_slice(&self.rates);
        self.step = last.h;
    }

    /// (q, v, z) inside the step: tian's cubic.
    pub fn inside(&self, dims: Dims, last: &Last, theta: f64, accepted: bool, out: &mut [f64]) {
        let Dims { q, v, z, .. } = dims;
        for i in 0..q {
            out[i] = last.hermite(i, theta, last.rates0[i], last.rates1[i]);
        }
        for i in 0..v + z {
            let (rate0, rate1) = match accepted {
                true => (self.ends[0][i], self.ends[1][i]),
                false if i < v => (self.rates[i], self.point.acceleration[i]),
                false => (self.rates[i], self.point.zdot[i - v]),
            };
            out[q + i] = last.hermite(q + i, theta, rate0, rate1);
        }
    }

    /// Error over the scales, from the rates in the middle.
    pub fn error<P: ImplicitDae>(
        &mut self,
        plant: &P,
        work: &mut Work,
        last: &Last,
        middle: &[f64],
    ) -> f64 {
        let Dims { q, v, z, .. } = work.dims;
        for i in 0..q + v + z {
            let simpson = last.rates0[i] + 4.0 * middle[i] + last.rates1[i];
            self.error[i] = last.y1[i] - last.y0[i] - last.h / 6.0 * simpson;
        }
        let (position, rest) = self.error.split_at_mut(q);
        let (velocity, rest) = rest.split_at_mut(v);
        plant.velocity_of(&last.y1[..q], position, &mut self.by);
        self.point.filter(work, &mut self.by, velocity, &mut rest[..z]);
        plant.displace(&last.y1[..q], &self.by, position);
        for (moved, y) in position.iter_mut().zip(&last.y1) {
            *moved -= y;
        }
        let size = [work.norm(position, 0), work.norm(velocity, q), work.norm(&rest[..z], q + v)];
        largest(size)
    }
}
