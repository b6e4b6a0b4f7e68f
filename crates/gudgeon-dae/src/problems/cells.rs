//! A row of cells with everything that the equations may hold, and a made-up motion.
//!
//! A cell is a bead on a parabola that moves up and down, with a mass matrix that depends on its place, an
//! actuator z, and friction along x, which presses on the next cell:
//!
//!   0 = y − ½ x² − ¼ sin 3t,   M = | m    s x |,   M v̇ = f − Gᵀ λ,   ż = h                        (1)
//!                                  | s x  m   |
//!   F_x = −k x − d ẋ + 0.8 sin z − R,   F_y = −k y − d ẏ + 0.5 z₋ + ½ R₋                          (2)
//!   R = μ √(λ² + ε²) ẋ/√(ẋ² + u²),   H = −z/τ − ½ y + 0.6 sin ẋ + 0.3 z₋ z                        (3)
//!
//! A minus marks the cell before. On the motion of cell i, x(t) = sin(t + 0.3 i), λ(t) = 0.7 + cos(2t + i),
//! z(t) = cos(t − ½ i), forces and rates are what it needs, and off it they change like F and H:
//!
//!   f = F − F(t) + M(t) v̇(t) + G(t)ᵀ λ(t),   h = H − H(t) + ż(t)                                  (4)

use super::Analytic;
use super::direct::Direct;
use crate::implicit::{ImplicitDae, Place, Shape, Tangents, Terms, Weights};
use crate::linear::Entries;
use crate::problem::{Dims, Drift, Fault, SecondOrderDae, Stabilisation};

/// m, s, kg, kg/m.
const MASS: [f64; 2] = [1.2, 0.4];
/// k, d, N/m, N s/m.
const HOLD: [f64; 2] = [5.0, 1.0];
/// μ, ε, u, –, N, m/s.
const FRICTION: [f64; 3] = [0.5, 0.2, 0.4];
/// τ, s.
const TIME_CONSTANT: f64 = 0.3;
/// Rounds for λ at most.
const ROUNDS: usize = 30;

/// What (2) and (3) are made of, in one cell.
#[derive(Clone, Copy, Debug, Default)]
struct Cell {
    q: [f64; 2],
    v: [f64; 2],
    z: f64,
    lambda: f64,
}

impl Cell {
    /// On the motion, with its accelerations and ż.
    fn exact(t: f64, i: usize) -> (Self, [f64; 2], f64) {
        let k = i as f64;
        let ((x, u), (s, c)) = ((t + 0.3 * k).sin_cos(), (3.0 * t).sin_cos());
        let q = [x, 0.5 * x * x + 0.25 * s];
        let v = [u, x * u + 0.75 * c];
        let acceleration = [-x, u * u - x * x - 2.25 * s];
        let (sz, cz) = (t - 0.5 * k).sin_cos();
        let lambda = 0.7 + (2.0 * t + k).cos();
        (Self { q, v, z: cz, lambda }, acceleration, -sz)
    }

    /// R, ∂R/∂ẋ, ∂R/∂λ.
    fn friction(&self) -> [f64; 3] {
        let [mu, least, slow] = FRICTION;
        let (pressed, speed) = (self.lambda.hypot(least), self.v[0].hypot(slow));
        let phi = self.v[0] / speed;
        let slope = slow * slow / (speed * speed * speed);
        [mu * pressed * phi, mu * pressed * slope, mu * self.lambda / pressed * phi]
    }

    /// F and H.
    fn forces(&self, before: &Self) -> ([f64; 2], f64) {
        let [k, d] = HOLD;
        let ([x, y], [u, w], z) = (self.q, self.v, self.z);
        let ([own, ..], [other, ..]) = (self.friction(), before.friction());
        let along = -k * x - d * u + 0.8 * z.sin() - own; // (2)
        let up = -k * y - d * w + 0.5 * before.z + 0.5 * other;
        let rate = -z / TIME_CONSTANT - 0.5 * y + 0.6 * u.sin() + 0.3 * before.z * z; // (3)
        ([along, up], rate)
    }
}

#[derive(Clone, Debug)]
pub struct Cells {
    count: usize,
    lambda: Vec<f64>,
    terms: Terms,
    tangents: Tangents,
    direct: Direct,
    drift: Drift,
}

impl Cells {
    pub fn new(count: usize) -> Self {
        Self {
            count,
            lambda: vec![0.0; count],
            terms: blank_terms(count),
            tangents: blank_tangents(count),
            direct: Direct::new(2 * count, count),
            drift: Drift::default(),
        }
    }

    /// Solves M x − f(λ) + Gᵀ λ = 0, G x = γ for x and λ, with γ in `rows`.
    fn solve(&mut self, t: f64, y: &[f64], rows: &[f64]) -> Result<(), Fault> {
        let v = 2 * self.count;
        self.lambda.fill(1.0);
        for _ in 0..ROUNDS {
            write_terms(self.count, t, y, &self.lambda, &mut self.terms);
            write_reactions(self.count, y, &self.lambda, &mut self.tangents.reactions);
            let (free, gamma) = self.direct.x.split_at_mut(v);
            free.copy_from_slice(&self.terms.force);
            self.terms.rows.add_transposed(-1.0, &self.lambda, free);
            gamma.copy_from_slice(rows);
            let reactions = Some(&self.tangents.reactions);
            self.direct.solve(&self.terms.mass, &self.terms.rows, reactions)?;
            let changes = &self.direct.x[v..];
            self.lambda.iter_mut().zip(changes).for_each(|(lambda, change)| *lambda += change);
            if changes.iter().all(|change| change.abs() < 1e-14) {
                break;
            }
        }
        Ok(())
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

fn dims(count: usize) -> Dims {
    Dims { q: 2 * count, v: 2 * count, z: count, rows: count, ..Dims::default() }
}

/// The state of a cell; one that is not there is all zeros.
fn cell(count: usize, i: Option<usize>, y: &[f64], lambda: &[f64]) -> Cell {
    let Some(i) = i else { return Cell::default() };
    let (q, v) = (&y[2 * i..], &y[2 * (count + i)..]);
    Cell { q: [q[0], q[1]], v: [v[0], v[1]], z: y[4 * count + i], lambda: lambda[i] }
}

fn mass(x: f64) -> [[f64; 2]; 2] {
    [[MASS[0], MASS[1] * x], [MASS[1] * x, MASS[0]]]
}

fn blank_terms(count: usize) -> Terms {
    let pairs = |i: usize| [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(k, l)| (2 * i + k, 2 * i + l));
    let places: Vec<_> = (0..count).flat_map(pairs).collect();
    let rows: Vec<_> = (0..2 * count).map(|j| (j / 2, j)).collect();
    let n = 2 * count;
    Terms::with(dims(count), Entries::at(n, n, &places), Entries::at(count, n, &rows))
}

fn blank_tangents(count: usize) -> Tangents {
    let n = 2 * count;
    let of = |rows: usize, columns: usize, places: &dyn Fn(usize) -> Vec<(usize, usize)>| {
        let all: Vec<_> = (0..count).flat_map(places).collect();
        let inside = all.into_iter().filter(|&(i, j)| i < rows && j < columns);
        Entries::at(rows, columns, &inside.collect::<Vec<_>>())
    };
    Tangents {
        stiffness: of(n, n, &|i| {
            [(0, 0), (1, 0), (1, 1)].map(|(k, l)| (2 * i + k, 2 * i + l)).into()
        }),
        damping: of(n, n, &|i| vec![(2 * i, 2 * i), (2 * i + 1, 2 * i + 1), (2 * i + 3, 2 * i)]),
        coupling: of(n, count, &|i| vec![(2 * i, i), (2 * i + 3, i)]),
        reactions: of(n, count, &|i| vec![(2 * i, i), (2 * i + 3, i)]),
        rate_jacobian: of(count, n, &|i| vec![(i, 2 * i)]),
        rates_q: of(count, n, &|i| vec![(i, 2 * i + 1)]),
        rates_v: of(count, n, &|i| vec![(i, 2 * i)]),
        rates_z: of(count, count, &|i| vec![(i, i), (i + 1, i)]),
    }
}

fn write_terms(count: usize, t: f64, y: &[f64], lambda: &[f64], out: &mut Terms) {
    let (mut before, mut before_exact) = (Cell::default(), Cell::default());
    for i in 0..count {
        let now = cell(count, Some(i), y, lambda);
        let (exact, a, zdot) = Cell::exact(t, i);
        let ((f, h), (f_exact, h_exact)) = (now.forces(&before), exact.forces(&before_exact));
        let (m, m_exact) = (mass(now.q[0]), mass(exact.q[0]));
        let n_exact = [-exact.q[0], 1.0];
        for k in 0..2 {
            let needed = m_exact[k][0] * a[0] + m_exact[k][1] * a[1] + n_exact[k] * exact.lambda;
            out.force[2 * i + k] = f[k] - f_exact[k] + needed; // (4)
            (0..2).for_each(|l| out.mass.set(2 * i + k, 2 * i + l, m[k][l]));
        }
        out.rates[i] = h - h_exact + zdot;
        out.gaps[i] = now.q[1] - 0.5 * now.q[0] * now.q[0] - 0.25 * (3.0 * t).sin(); // (1)
        out.drives[i] = -0.75 * (3.0 * t).cos();
        out.rows.set(i, 2 * i, -now.q[0]);
        out.rows.set(i, 2 * i + 1, 1.0);
        (before, before_exact) = (now, exact);
    }
}

/// −∂f/∂λ.
fn write_reactions(count: usize, y: &[f64], lambda: &[f64], out: &mut Entries) {
    for i in 0..count {
        let [_, _, slope] = cell(count, Some(i), y, lambda).friction();
        out.set(2 * i, i, slope);
        if i + 1 < count {
            out.set(2 * i + 3, i, -0.5 * slope);
        }
    }
}

impl SecondOrderDae for Cells {
    fn dims(&self) -> Dims {
        dims(self.count)
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
        let n = 2 * self.count;
        self.drift = Drift::default();
        write_terms(self.count, t, y, &self.lambda, &mut self.terms);
        for i in 0..self.count {
            let (x, v) = (y[2 * i], &y[n + 2 * i..]);
            let (gap, rate) = (self.terms.gaps[i], v[1] - x * v[0] + self.terms.drives[i]);
            self.drift.position = self.drift.position.max(gap.abs());
            self.drift.velocity = self.drift.velocity.max(rate.abs());
            let bias = 2.25 * (3.0 * t).sin() - v[0] * v[0];
            dy[i] = -bias - 2.0 * with.alpha * rate - with.beta * with.beta * gap;
        }
        self.solve(t, y, &dy[..self.count])?;
        dy[..n].copy_from_slice(&y[n..2 * n]);
        dy[n..2 * n].copy_from_slice(&self.direct.x[..n]);
        dy[2 * n..].copy_from_slice(&self.terms.rates);
        Ok(1.0)
    }

    fn settle(&mut self, _t: f64, _y: &mut [f64]) -> bool {
        false
    }

    fn drift(&mut self) -> Drift {
        self.drift
    }

    fn project(&mut self, t: f64, y: &mut [f64]) -> Result<(), Fault> {
        let n = 2 * self.count;
        for _ in 0..6 {
            write_terms(self.count, t, y, &self.lambda, &mut self.terms);
            self.direct.x[n..].copy_from_slice(&self.terms.gaps);
            self.correct(&mut y[..n])?;
        }
        write_terms(self.count, t, y, &self.lambda, &mut self.terms);
        self.direct.x[n..].copy_from_slice(&self.terms.drives);
        self.terms.rows.add_product(1.0, &y[n..2 * n], &mut self.direct.x[n..]);
        self.correct(&mut y[n..2 * n])
    }

    fn switches(&mut self, _t: f64, _y: &[f64], _out: &mut [f64]) {}

    fn raise_scales(&mut self, _y: &[f64], scales: &mut [f64]) {
        scales.fill(1.0);
    }
}

impl ImplicitDae for Cells {
    fn blank_terms(&self) -> Terms {
        blank_terms(self.count)
    }

    fn terms(&mut self, t: f64, y: &[f64], lambda: &[f64], out: &mut Terms) -> Result<(), Fault> {
        write_terms(self.count, t, y, lambda, out);
        Ok(())
    }

    fn blank_tangents(&self) -> Tangents {
        blank_tangents(self.count)
    }

    fn tangents(&mut self, at: Place, out: &mut Tangents) -> Result<bool, Fault> {
        let [k, d] = HOLD;
        for i in 0..self.count {
            let (x, y) = (2 * i, 2 * i + 1);
            let now = cell(self.count, Some(i), at.y, at.lambda);
            let before = cell(self.count, i.checked_sub(1), at.y, at.lambda);
            let [_, slope, _] = now.friction();
            out.stiffness.set(x, x, k + MASS[1] * at.acceleration[y] - now.lambda);
            out.stiffness.set(y, x, MASS[1] * at.acceleration[x]);
            out.stiffness.set(y, y, k);
            out.damping.set(x, x, d + slope);
            out.damping.set(y, y, d);
            out.coupling.set(x, i, -0.8 * now.z.cos());
            out.rate_jacobian.set(i, x, -now.v[0]);
            out.rates_q.set(i, y, -0.5);
            out.rates_v.set(i, x, 0.6 * now.v[0].cos());
            out.rates_z.set(i, i, -1.0 / TIME_CONSTANT + 0.3 * before.z);
            if i > 0 {
                out.rates_z.set(i, i - 1, 0.3 * now.z);
            }
            if i + 1 < self.count {
                out.damping.set(y + 2, x, -0.5 * slope);
                out.coupling.set(y + 2, i, -0.5);
            }
        }
        write_reactions(self.count, at.y, at.lambda, &mut out.reactions);
        Ok(true)
    }

    fn blank_weights(&self) -> Weights {
        Weights::blocks(&vec![(Shape::Full, 2); self.count])
    }
}

/// The reaction is the sum of all λ.
impl Analytic for Cells {
    fn exact(&self, t: f64) -> Vec<f64> {
        let cells: Vec<Cell> = (0..self.count).map(|i| Cell::exact(t, i).0).collect();
        let q = cells.iter().flat_map(|cell| cell.q);
        let v = cells.iter().flat_map(|cell| cell.v);
        q.chain(v).chain(cells.iter().map(|cell| cell.z)).collect()
    }

    fn exact_reaction(&self, t: f64) -> f64 {
        (0..self.count).map(|i| Cell::exact(t, i).0.lambda).sum()
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
    fn the_motion_solves_the_equations() {
        let mut cells = Cells::new(3);
        let mut dy = [0.0; 15];
        for i in 0..40 {
            let (t, d) = (0.1 * f64::from(i), 1e-5);
            let y = cells.exact(t);
            cells.rates(t, &y, &mut dy, Stabilisation::default()).unwrap();
            assert!(cells.drift().position.max(cells.drift().velocity) < 1e-14);
            assert!((cells.reaction() - cells.exact_reaction(t)).abs() < 1e-12);
            let (before, after) = (cells.exact(t - d), cells.exact(t + d));
            for k in 0..15 {
                // d² of truncation and 1e-16/d of rounding.
                let numeric = (after[k] - before[k]) / (2.0 * d);
                assert!((dy[k] - numeric).abs() < 1e-8, "component {k} at {t}");
            }
        }
    }
}
