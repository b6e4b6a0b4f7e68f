//! Rods in natural coordinates, hanging from a fixed point in the plane, each from the end of the one before.
//!
//! A rod has the coordinates of its ends, q = (A, B). With its mass m, the distance s L of the mass centre from
//! A and the moment of inertia J about it,
//!
//!   M = | m (1−s)² + J/L²    m s (1−s) − J/L² |
//!       | m s (1−s) − J/L²   m s² + J/L²      | ⊗ 1                                             (1)
//!   0 = A − B₋,   0 = (|B − A|² − L²)/(2L)                                                      (2)
//!
//! with the end B₋ of the rod before. M is constant but not diagonal, unless J = m s (1−s) L². A single rod is
//! a pendulum:
//!
//!   φ̈ = −Ω² sin φ,   Ω² = m g s L/(J + m s² L²),   φ = 2 asin(k sn(Ω t, k))                     (3)
//!   λ_L = m g s cos φ + M_BB L φ̇²,   λ_A = (1−s) m g − M_AB B̈ + λ_L n                           (4)

use super::Analytic;
use super::direct::Direct;
use super::elliptic::sn_cn;
use crate::implicit::{ImplicitDae, Place, Shape, Tangents, Terms, Weights};
use crate::linear::Entries;
use crate::problem::{Dims, Drift, Fault, SecondOrderDae, Stabilisation};

/// What corrections of positions are weighed by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Weighing {
    /// The blocks of M.
    #[default]
    Mass,
    /// The diagonal of M.
    Diagonal,
}

/// A rod under gravity.
#[derive(Clone, Copy, Debug)]
pub struct Rod {
    /// m, kg; L, m; s; J, kg m²; g, m/s².
    pub mass: f64,
    pub length: f64,
    pub centre: f64,
    pub inertia: f64,
    pub gravity: f64,
}

impl Rod {
    /// With its mass spread evenly.
    pub fn uniform() -> Self {
        let (mass, length) = (1.5, 0.8);
        let inertia = mass * length * length / 12.0;
        Self { mass, length, centre: 0.5, inertia, gravity: 2.0 }
    }

    /// Two point masses at the ends: M is diagonal.
    pub fn dumbbell() -> Self {
        let rod = Self::uniform();
        Self { inertia: 0.25 * rod.mass * rod.length * rod.length, ..rod }
    }

    /// Ω.
    pub fn frequency(&self) -> f64 {
        let arm = self.centre * self.length;
        (self.mass * self.gravity * arm / (self.inertia + self.mass * arm * arm)).sqrt()
    }

    /// M_AA, M_AB, M_BB.
    fn masses(&self) -> [f64; 3] {
        let (m, s, j) = (self.mass, self.centre, self.inertia / (self.length * self.length));
        [m * (1.0 - s) * (1.0 - s) + j, m * s * (1.0 - s) - j, m * s * s + j] // (1)
    }

    /// Kinetic and potential energy from the parts of q and v.
    fn energy(&self, q: &[f64], v: &[f64]) -> f64 {
        let [aa, ab, bb] = self.masses();
        let along = |a: f64, b: f64| 0.5 * aa * a * a + ab * a * b + 0.5 * bb * b * b;
        let height = (1.0 - self.centre) * q[1] + self.centre * q[3];
        along(v[0], v[2]) + along(v[1], v[3]) + self.mass * self.gravity * height
    }

    /// The terms of rod i.
    fn terms(&self, i: usize, q: &[f64], out: &mut Terms) {
        let ([aa, ab, bb], weight) = (self.masses(), self.mass * self.gravity);
        let d = along(q, i);
        for k in 0..2 {
            let (row, a, b) = (3 * i + k, 4 * i + k, 4 * i + 2 + k);
            out.mass.set(a, a, aa);
            out.mass.set(a, b, ab);
            out.mass.set(b, a, ab);
            out.mass.set(b, b, bb);
            out.rows.set(row, a, 1.0);
            out.gaps[row] = q[a]; // (2)
            if i > 0 {
                out.rows.set(row, a - 2, -1.0);
                out.gaps[row] -= q[a - 2];
            }
            out.rows.set(3 * i + 2, a, -d[k] / self.length);
            out.rows.set(3 * i + 2, b, d[k] / self.length);
        }
        out.force[4 * i + 1] = -(1.0 - self.centre) * weight;
        out.force[4 * i + 3] = -self.centre * weight;
        let square = d[0] * d[0] + d[1] * d[1];
        out.gaps[3 * i + 2] = (square - self.length * self.length) / (2.0 * self.length);
    }
}

/// B − A of rod i, of positions or velocities.
fn along(x: &[f64], i: usize) -> [f64; 2] {
    [x[4 * i + 2] - x[4 * i], x[4 * i + 3] - x[4 * i + 1]]
}

/// Equal rods, one below the other.
#[derive(Clone, Debug)]
pub struct Rods {
    count: usize,
    pub rod: Rod,
    /// sin(amplitude/2) of a single rod.
    pub modulus: f64,
    weighing: Weighing,
    lambda: Vec<f64>,
    terms: Terms,
    direct: Direct,
    drift: Drift,
}

impl Rods {
    pub fn new(count: usize, rod: Rod) -> Self {
        Self {
            count,
            rod,
            modulus: 0.7,
            weighing: Weighing::Mass,
            lambda: vec![0.0; 3 * count],
            terms: blank_terms(count),
            direct: Direct::new(4 * count, 3 * count),
            drift: Drift::default(),
        }
    }

    /// With other weights of corrections.
    pub fn weighed_by(self, weighing: Weighing) -> Self {
        Self { weighing, ..self }
    }

    /// At rest, straight, 30° below the horizontal.
    pub fn start(&self) -> Vec<f64> {
        let mut y = vec![0.0; 8 * self.count];
        let along = [0.75f64.sqrt() * self.rod.length, -0.5 * self.rod.length];
        for i in 0..self.count {
            for k in 0..2 {
                y[4 * i + k] = i as f64 * along[k];
                y[4 * i + 2 + k] = (i + 1) as f64 * along[k];
            }
        }
        y
    }

    pub fn energy(&self, y: &[f64]) -> f64 {
        let (q, v) = y.split_at(4 * self.count);
        q.chunks_exact(4).zip(v.chunks_exact(4)).map(|(q, v)| self.rod.energy(q, v)).sum()
    }

    /// φ and φ̇ of a single rod.
    fn angle(&self, t: f64) -> (f64, f64) {
        let omega = self.rod.frequency();
        let (sn, cn) = sn_cn(omega * t, self.modulus);
        (2.0 * (self.modulus * sn).asin(), 2.0 * self.modulus * omega * cn) // (3)
    }

    fn evaluate(&mut self, q: &[f64]) {
        (0..self.count).for_each(|i| self.rod.terms(i, q, &mut self.terms));
    }

    /// Corrects positions or velocities by what their rows, in `direct`, are off by.
    fn correct(&mut self, x: &mut [f64]) -> Result<(), Fault> {
        let (free, rows) = self.direct.x.split_at_mut(x.len());
        free.fill(0.0);
        rows.iter_mut().for_each(|x| *x = -*x);
        self.direct.solve(&self.terms.mass, &self.terms.rows, None)?;
        x.iter_mut().zip(&self.direct.x).for_each(|(x, by)| *x += by);
        Ok(())
    }
}

/// Zeros, with the places of M and G.
fn blank_terms(count: usize) -> Terms {
    let n = 4 * count;
    let dims = Dims { q: n, v: n, rows: 3 * count, ..Dims::default() };
    let (mut mass, mut rows) = (Vec::new(), Vec::new());
    for i in 0..count {
        for k in 0..2 {
            let (row, a, b) = (3 * i + k, 4 * i + k, 4 * i + 2 + k);
            mass.extend([(a, a), (a, b), (b, a), (b, b)]);
            rows.extend([(row, a), (3 * i + 2, a), (3 * i + 2, b)]);
            rows.extend((i > 0).then(|| (row, a - 2)));
        }
    }
    Terms::with(dims, Entries::at(n, n, &mass), Entries::at(3 * count, n, &rows))
}

impl SecondOrderDae for Rods {
    fn dims(&self) -> Dims {
        Dims { q: 4 * self.count, v: 4 * self.count, rows: 3 * self.count, ..Dims::default() }
    }

    fn velocity_is_rate(&self) -> bool {
        true
    }

    fn rates(
        &mut self,
        _t: f64,
        y: &[f64],
        dy: &mut [f64],
        with: Stabilisation,
    ) -> Result<f64, Fault> {
        self.evaluate(y);
        let n = 4 * self.count;
        let v = &y[n..];
        let (motion, rows) = self.direct.x.split_at_mut(n);
        motion.copy_from_slice(&self.terms.force);
        rows.fill(0.0);
        self.terms.rows.add_product(1.0, v, rows);
        self.drift = Drift::default();
        for (i, (row, gap)) in rows.iter_mut().zip(&self.terms.gaps).enumerate() {
            let u = along(v, i / 3);
            let bias = if i % 3 == 2 { (u[0] * u[0] + u[1] * u[1]) / self.rod.length } else { 0.0 };
            self.drift.position = self.drift.position.max(gap.abs());
            self.drift.velocity = self.drift.velocity.max(row.abs());
            *row = -bias - 2.0 * with.alpha * *row - with.beta * with.beta * gap;
        }
        self.direct.solve(&self.terms.mass, &self.terms.rows, None)?;
        let (acceleration, lambda) = self.direct.x.split_at(n);
        dy[..n].copy_from_slice(v);
        dy[n..].copy_from_slice(acceleration);
        self.lambda.copy_from_slice(lambda);
        Ok(1.0)
    }

    fn settle(&mut self, _t: f64, _y: &mut [f64]) -> bool {
        false
    }

    fn drift(&mut self) -> Drift {
        self.drift
    }

    fn project(&mut self, _t: f64, y: &mut [f64]) -> Result<(), Fault> {
        let n = 4 * self.count;
        for _ in 0..6 {
            self.evaluate(y);
            self.direct.x[n..].copy_from_slice(&self.terms.gaps);
            self.correct(&mut y[..n])?;
        }
        self.evaluate(y);
        self.direct.x[n..].fill(0.0);
        self.terms.rows.add_product(1.0, &y[n..], &mut self.direct.x[n..]);
        self.correct(&mut y[n..])
    }

    fn switches(&mut self, _t: f64, _y: &[f64], _out: &mut [f64]) {}

    fn raise_scales(&mut self, _y: &[f64], scales: &mut [f64]) {
        let whole = self.rod.length * self.count as f64;
        scales[..4 * self.count].fill(whole);
        scales[4 * self.count..].fill((self.rod.gravity * whole).sqrt());
    }
}

impl ImplicitDae for Rods {
    fn blank_terms(&self) -> Terms {
        blank_terms(self.count)
    }

    fn terms(&mut self, _t: f64, y: &[f64], _lambda: &[f64], out: &mut Terms) -> Result<(), Fault> {
        (0..self.count).for_each(|i| self.rod.terms(i, y, out));
        Ok(())
    }

    fn blank_tangents(&self) -> Tangents {
        let Terms { mass, rows, .. } = self.blank_terms();
        let none = Entries::at(4 * self.count, 4 * self.count, &[]);
        Tangents::with(self.dims(), mass, none, rows)
    }

    fn tangents(&mut self, at: Place, out: &mut Tangents) -> Result<bool, Fault> {
        for i in 0..self.count {
            let (pull, u) =
                (at.lambda[3 * i + 2] / self.rod.length, along(&at.y[4 * self.count..], i));
            for k in 0..2 {
                let (a, b) = (4 * i + k, 4 * i + 2 + k);
                for (i, j, sign) in [(a, a, 1.0), (a, b, -1.0), (b, a, -1.0), (b, b, 1.0)] {
                    out.stiffness.set(i, j, sign * pull);
                }
                out.rate_jacobian.set(3 * i + 2, a, -u[k] / self.rod.length);
                out.rate_jacobian.set(3 * i + 2, b, u[k] / self.rod.length);
            }
        }
        Ok(true)
    }

    fn blank_weights(&self) -> Weights {
        match self.weighing {
            Weighing::Mass => Weights::blocks(&vec![(Shape::Full, 4); self.count]),
            Weighing::Diagonal => Weights::diagonal(4 * self.count),
        }
    }

    fn metric_is_mass(&self) -> bool {
        self.weighing == Weighing::Mass
    }
}

/// Of a single rod; the reaction is the sum of all λ.
impl Analytic for Rods {
    fn exact(&self, t: f64) -> Vec<f64> {
        assert_eq!(self.count, 1, "more than one rod has no closed form");
        let ((angle, spin), l) = (self.angle(t), self.rod.length);
        let (s, c) = angle.sin_cos();
        vec![0.0, 0.0, l * s, -l * c, 0.0, 0.0, l * spin * c, l * spin * s]
    }

    fn exact_reaction(&self, t: f64) -> f64 {
        let ((angle, spin), l, omega) = (self.angle(t), self.rod.length, self.rod.frequency());
        let ((s, c), [_, ab, bb]) = (angle.sin_cos(), self.rod.masses());
        let (weight, slower) = (self.rod.mass * self.rod.gravity, -omega * omega * s);
        let pull = weight * self.rod.centre * c + bb * l * spin * spin; // (4)
        let end = [l * (slower * c - spin * spin * s), l * (slower * s + spin * spin * c)];
        let pin =
            [pull * s - ab * end[0], -(1.0 - self.rod.centre) * weight - pull * c - ab * end[1]];
        pull + pin[0] + pin[1]
    }

    fn reaction(&self) -> f64 {
        self.lambda.iter().sum()
    }

    fn joint_reaction(&self, lambda: &[f64]) -> f64 {
        lambda.iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_swing_solves_the_equations() {
        let leaning = Rod { centre: 0.3, ..Rod::uniform() };
        for rod in [Rod::uniform(), leaning, Rod::dumbbell()] {
            let mut rod = Rods::new(1, rod);
            let mut dy = [0.0; 8];
            for i in 0..40 {
                let (t, d) = (0.1 * f64::from(i), 1e-5);
                let y = rod.exact(t);
                rod.rates(t, &y, &mut dy, Stabilisation::default()).unwrap();
                assert!((rod.reaction() - rod.exact_reaction(t)).abs() < 1e-11);
                let (before, after) = (rod.exact(t - d), rod.exact(t + d));
                for k in 0..8 {
                    // d² of truncation and 1e-16/d of rounding.
                    let numeric = (after[k] - before[k]) / (2.0 * d);
                    assert!((dy[k] - numeric).abs() < 1e-8, "component {k} at {t}");
                }
            }
        }
    }
}
