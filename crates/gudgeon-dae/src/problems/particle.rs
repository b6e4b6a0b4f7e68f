//! A particle on a curve that may move: two coordinates, one constraint, one quadrature.
//!
//!   m v̇ = f − λ n,   0 = g(q, t),   n = ∂g/∂q,   ẇ = f · v + λ g_t                            (1)
//!
//! The quadrature w is the work of all forces, the guide's included, so w = ½ m v² up to a constant. f may have
//! a part across n that depends on λ: friction, which leaves λ as it is.
//! The constraint may be written several times with different weights: n, 2n, … are dependent rows.

use super::Analytic;
use crate::implicit::{ImplicitDae, Place, Tangents, Terms};
use crate::linear::{Entries, Ldl};
use crate::problem::{Dims, Drift, Fault, SecondOrderDae, Stabilisation};

/// The curve, the applied force, and the motion they lead to.
pub trait Guide {
    /// m, kg.
    fn mass(&self) -> f64;
    /// g.
    fn gap(&self, t: f64, q: [f64; 2]) -> f64;
    /// n = ∂g/∂q.
    fn normal(&self, t: f64, q: [f64; 2]) -> [f64; 2];
    /// g_t = ∂g/∂t.
    fn drive(&self, t: f64, q: [f64; 2]) -> f64;
    /// g̈ at v̇ = 0.
    fn bias(&self, t: f64, q: [f64; 2], v: [f64; 2]) -> f64;
    /// f.
    fn force(&self, t: f64, q: [f64; 2], v: [f64; 2]) -> [f64; 2];
    /// q, v and λ.
    fn motion(&self, t: f64) -> ([f64; 2], [f64; 2], f64);
    /// ∂n/∂q, symmetric: xx, xy, yy.
    fn curvature(&self, t: f64, q: [f64; 2]) -> [f64; 3];
    /// ∂g_t/∂q.
    fn drive_slope(&self, t: f64, q: [f64; 2]) -> [f64; 2];
    /// k and d of ∂f/∂q = −k 1, ∂f/∂v = −d 1.
    fn hold(&self) -> (f64, f64) {
        (0.0, 0.0)
    }
    /// The part of f that depends on the joint reaction, across n; none of a smooth guide.
    fn friction(&self, _q: [f64; 2], _v: [f64; 2], _lambda: f64) -> Option<Friction> {
        None
    }
    /// A switch, where there is one.
    fn switch(&self, _q: [f64; 2]) -> Option<f64> {
        None
    }
}

/// Friction of a guide, and its derivatives.
#[derive(Clone, Copy, Debug)]
pub struct Friction {
    pub force: [f64; 2],
    pub by_q: [[f64; 2]; 2],
    pub by_v: [[f64; 2]; 2],
    pub by_lambda: [f64; 2],
}

/// A guided particle with its constraint written once per weight.
#[derive(Clone, Debug)]
pub struct Particle<G> {
    pub guide: G,
    weights: Vec<f64>,
    lambda: Vec<f64>,
    ldl: Ldl,
    drift: Drift,
}

impl<G: Guide> Particle<G> {
    pub fn new(guide: G) -> Self {
        Self::with_weights(guide, &[1.0])
    }

    /// One row per weight; all but the first are redundant.
    pub fn with_weights(guide: G, weights: &[f64]) -> Self {
        let rows = weights.len();
        let pairs: Vec<_> = (0..rows).flat_map(|i| (0..i).map(move |j| (i, j))).collect();
        Self {
            guide,
            weights: weights.to_vec(),
            lambda: vec![0.0; rows],
            ldl: Ldl::new(rows, &pairs),
            drift: Drift::default(),
        }
    }

    /// Rows that the last evaluation found dependent.
    pub fn dependent_rows(&self) -> usize {
        self.ldl.dependent_rows()
    }

    /// Σ weight · λ with (G M⁻¹ Gᵀ) λ = weight · x: the joint reaction for a row value x.
    fn solve(&mut self, n: [f64; 2], x: f64) -> Result<f64, Fault> {
        let inner = dot(n, n) / self.guide.mass();
        for i in 0..self.weights.len() {
            for j in 0..=i {
                let slot = self.ldl.slot(i, j);
                self.ldl.entries_mut()[slot] = self.weights[i] * self.weights[j] * inner;
            }
        }
        self.ldl.factor().map_err(|row| Fault::Singular { row })?;
        for (lambda, weight) in self.lambda.iter_mut().zip(&self.weights) {
            *lambda = weight * x;
        }
        self.ldl.solve(&mut self.lambda);
        Ok(self.joint())
    }

    fn subtract_friction(&self, friction: &Friction, out: &mut Tangents) {
        for (i, j) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            // By columns.
            out.stiffness.values[2 * j + i] -= friction.by_q[i][j];
            out.damping.values[2 * j + i] -= friction.by_v[i][j];
        }
        for (row, weight) in self.weights.iter().enumerate() {
            for i in 0..2 {
                out.reactions.set(i, row, -weight * friction.by_lambda[i]);
            }
        }
    }

    fn joint(&self) -> f64 {
        self.lambda.iter().zip(&self.weights).map(|(lambda, weight)| lambda * weight).sum()
    }
}

fn dot(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

impl<G: Guide> SecondOrderDae for Particle<G> {
    fn dims(&self) -> Dims {
        let switches = usize::from(self.guide.switch([0.0; 2]).is_some());
        Dims { q: 2, v: 2, w: 1, rows: self.weights.len(), switches, ..Dims::default() }
    }

    fn velocity_is_rate(&self) -> bool {
        true
    }

    fn rates(
        &mut self,
        t: f64,
        y: &[f64],
        dy: &mut [f64],
        with: Stabilisation,
    ) -> Result<f64, Fault> {
        let (q, v) = ([y[0], y[1]], [y[2], y[3]]);
        let (n, m) = (self.guide.normal(t, q), self.guide.mass());
        let mut f = self.guide.force(t, q, v);
        let (gap, rate) = (self.guide.gap(t, q), dot(n, v) + self.guide.drive(t, q));
        let wanted =
            -self.guide.bias(t, q, v) - 2.0 * with.alpha * rate - with.beta * with.beta * gap;
        let lambda = self.solve(n, dot(n, f) / m - wanted)?;
        if let Some(friction) = self.guide.friction(q, v, lambda) {
            f = [f[0] + friction.force[0], f[1] + friction.force[1]];
        }
        dy[..2].copy_from_slice(&v);
        for i in 0..2 {
            dy[2 + i] = (f[i] - lambda * n[i]) / m;
        }
        dy[4] = dot(f, v) + lambda * self.guide.drive(t, q); // (1)
        self.drift = Drift { position: gap.abs(), velocity: rate.abs() };
        Ok(1.0)
    }

    fn settle(&mut self, _t: f64, _y: &mut [f64]) -> bool {
        false
    }

    fn drift(&mut self) -> Drift {
        self.drift
    }

    fn project(&mut self, t: f64, y: &mut [f64]) -> Result<(), Fault> {
        let m = self.guide.mass();
        for _ in 0..8 {
            let q = [y[0], y[1]];
            let (n, gap) = (self.guide.normal(t, q), self.guide.gap(t, q));
            let mu = self.solve(n, gap)?;
            y[0] -= mu * n[0] / m;
            y[1] -= mu * n[1] / m;
            if gap.abs() < 4.0 * f64::EPSILON {
                break;
            }
        }
        let (q, v) = ([y[0], y[1]], [y[2], y[3]]);
        let n = self.guide.normal(t, q);
        let mu = self.solve(n, dot(n, v) + self.guide.drive(t, q))?;
        y[2] -= mu * n[0] / m;
        y[3] -= mu * n[1] / m;
        Ok(())
    }

    fn switches(&mut self, _t: f64, y: &[f64], out: &mut [f64]) {
        if let (Some(out), Some(value)) = (out.first_mut(), self.guide.switch([y[0], y[1]])) {
            *out = value;
        }
    }

    fn raise_scales(&mut self, _y: &[f64], scales: &mut [f64]) {
        scales.fill(1.0);
    }
}

impl<G: Guide> ImplicitDae for Particle<G> {
    fn blank_terms(&self) -> Terms {
        let rows = Entries::full(self.weights.len(), 2);
        let mut terms = Terms::with(self.dims(), Entries::diagonal(2), rows);
        terms.mass.values.fill(self.guide.mass());
        terms
    }

    fn terms(&mut self, t: f64, y: &[f64], lambda: &[f64], out: &mut Terms) -> Result<(), Fault> {
        let (q, v) = ([y[0], y[1]], [y[2], y[3]]);
        out.force.copy_from_slice(&self.guide.force(t, q, v));
        if let Some(friction) = self.guide.friction(q, v, self.joint_reaction(lambda)) {
            out.force.iter_mut().zip(friction.force).for_each(|(out, f)| *out += f);
        }
        let (n, gap, drive) =
            (self.guide.normal(t, q), self.guide.gap(t, q), self.guide.drive(t, q));
        for (i, weight) in self.weights.iter().enumerate() {
            out.gaps[i] = weight * gap;
            out.drives[i] = weight * drive;
            out.rows.set(i, 0, weight * n[0]);
            out.rows.set(i, 1, weight * n[1]);
        }
        Ok(())
    }

    fn blank_tangents(&self) -> Tangents {
        let mut tangents = Tangents::full(self.dims());
        if self.guide.friction([1.0, 0.0], [0.0; 2], 0.0).is_some() {
            tangents.reactions = Entries::full(2, self.weights.len());
        }
        tangents
    }

    fn tangents(&mut self, at: Place, out: &mut Tangents) -> Result<bool, Fault> {
        let (t, q, v) = (at.t, [at.y[0], at.y[1]], [at.y[2], at.y[3]]);
        let ((k, d), c) = (self.guide.hold(), self.guide.curvature(t, q));
        let lambda: f64 = at.lambda.iter().zip(&self.weights).map(|(l, w)| l * w).sum();
        let curvature = [[c[0], c[1]], [c[1], c[2]]];
        let slope = self.guide.drive_slope(t, q);
        for j in 0..2 {
            for i in 0..2 {
                let unit = f64::from(u8::from(i == j));
                out.stiffness.set(i, j, k * unit + lambda * curvature[i][j]);
                out.damping.set(i, j, d * unit);
            }
            let change = dot(curvature[j], v) + slope[j];
            for (i, weight) in self.weights.iter().enumerate() {
                out.rate_jacobian.set(i, j, weight * change);
            }
        }
        if let Some(friction) = self.guide.friction(q, v, lambda) {
            self.subtract_friction(&friction, out);
        }
        Ok(true)
    }
}

impl<G: Guide> Analytic for Particle<G> {
    fn exact(&self, t: f64) -> Vec<f64> {
        let kinetic = |v: [f64; 2]| 0.5 * self.guide.mass() * dot(v, v);
        let (q, v, _) = self.guide.motion(t);
        vec![q[0], q[1], v[0], v[1], kinetic(v) - kinetic(self.guide.motion(0.0).1)]
    }

    fn exact_reaction(&self, t: f64) -> f64 {
        self.guide.motion(t).2
    }

    fn reaction(&self) -> f64 {
        self.joint()
    }

    fn joint_reaction(&self, lambda: &[f64]) -> f64 {
        lambda.iter().zip(&self.weights).map(|(lambda, weight)| lambda * weight).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Bead, Pendulum, Ring, Wire};
    use super::*;

    /// The motion satisfies (1) and its constraint; derivatives by central differences.
    fn is_a_solution(guide: impl Guide) {
        let mut particle = Particle::new(guide);
        let mut dy = [0.0; 5];
        for i in 0..40 {
            let (t, d) = (0.1 * f64::from(i), 1e-5);
            let y = particle.exact(t);
            particle.rates(t, &y, &mut dy, Stabilisation::default()).unwrap();
            let drift = particle.drift();
            assert!(drift.position.max(drift.velocity) < 1e-13, "{drift:?} at {t}");
            assert!((particle.reaction() - particle.exact_reaction(t)).abs() < 1e-11);
            let (before, after) = (particle.exact(t - d), particle.exact(t + d));
            for k in 0..5 {
                // d² of truncation and 1e-16/d of rounding.
                let numeric = (after[k] - before[k]) / (2.0 * d);
                let error = (dy[k] - numeric).abs();
                assert!(error < 1e-8 * (1.0 + dy[k].abs()), "component {k} at {t}");
            }
        }
    }

    #[test]
    fn exact_motions_solve_their_equations() {
        is_a_solution(Pendulum::default());
        is_a_solution(Wire::default());
        is_a_solution(Bead::default());
        is_a_solution(Ring::default());
    }

    #[test]
    fn redundant_rows_share_one_reaction() {
        let mut particle = Particle::with_weights(Pendulum::default(), &[1.0, 2.0, -0.5]);
        let y = particle.exact(0.4);
        particle.rates(0.4, &y, &mut [0.0; 5], Stabilisation::default()).unwrap();
        assert_eq!(particle.dependent_rows(), 2);
        assert!((particle.reaction() - particle.exact_reaction(0.4)).abs() < 1e-12);
    }
}
