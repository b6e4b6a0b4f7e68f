//! A chain of point masses on rods, hanging from a fixed point in the plane.
//!
//!   0 = (|p_i − p_{i−1}|² − L²)/(2L),   m p̈_i = m g − c ṗ_i − Σ λ n                            (1)
//!
//! A problem of any size whose matrices are sparse. It has no solution in closed form.

use crate::implicit::{ImplicitDae, Place, Tangents, Terms};
use crate::linear::{Entries, Ldl};
use crate::problem::{Dims, Drift, Fault, SecondOrderDae, Stabilisation};

#[derive(Clone, Debug)]
pub struct Chain {
    links: usize,
    /// m, kg; whole length, m; g, m/s²; c, N s/m.
    pub mass: f64,
    pub length: f64,
    pub gravity: f64,
    pub damping: f64,
    lambda: Vec<f64>,
    ldl: Ldl,
    drift: Drift,
}

impl Chain {
    pub fn new(links: usize) -> Self {
        let pairs: Vec<_> = (1..links).map(|i| (i, i - 1)).collect();
        Self {
            links,
            mass: 1.0 / links as f64,
            length: 1.0,
            gravity: 9.81,
            damping: 0.0,
            lambda: vec![0.0; links],
            ldl: Ldl::new(links, &pairs),
            drift: Drift::default(),
        }
    }

    /// At rest, straight, 30° below the horizontal.
    pub fn start(&self) -> Vec<f64> {
        let mut y = vec![0.0; 4 * self.links];
        let (s, c) = (-0.5f64, 0.75f64.sqrt());
        for i in 0..self.links {
            let r = self.rod() * (i + 1) as f64;
            (y[2 * i], y[2 * i + 1]) = (r * c, r * s);
        }
        y
    }

    pub fn energy(&self, y: &[f64]) -> f64 {
        let (q, v) = y.split_at(2 * self.links);
        let kinetic: f64 = v.iter().map(|v| 0.5 * self.mass * v * v).sum();
        let height: f64 = (0..self.links).map(|i| q[2 * i + 1]).sum();
        kinetic + self.mass * self.gravity * height
    }

    fn rod(&self) -> f64 {
        self.length / self.links as f64
    }

    /// Difference of the ends of a rod, of positions or velocities.
    fn along(x: &[f64], i: usize) -> [f64; 2] {
        let before = if i == 0 { [0.0; 2] } else { [x[2 * i - 2], x[2 * i - 1]] };
        [x[2 * i] - before[0], x[2 * i + 1] - before[1]]
    }

    fn gap(&self, q: &[f64], i: usize) -> f64 {
        let (d, l) = (Self::along(q, i), self.rod());
        (d[0] * d[0] + d[1] * d[1] - l * l) / (2.0 * l)
    }

    /// S λ = b in place of `lambda`.
    fn solve(&mut self, q: &[f64]) -> Result<(), Fault> {
        let l = self.rod();
        for i in 0..self.links {
            let d = Self::along(q, i);
            let ends = if i == 0 { 1.0 } else { 2.0 };
            let slot = self.ldl.slot(i, i);
            self.ldl.entries_mut()[slot] = ends * (d[0] * d[0] + d[1] * d[1]) / (l * l * self.mass);
            if i > 0 {
                let e = Self::along(q, i - 1);
                let slot = self.ldl.slot(i, i - 1);
                self.ldl.entries_mut()[slot] = -(d[0] * e[0] + d[1] * e[1]) / (l * l * self.mass);
            }
        }
        self.ldl.factor().map_err(|row| Fault::Singular { row })?;
        self.ldl.solve(&mut self.lambda);
        Ok(())
    }

    /// x −= M⁻¹ Gᵀ λ.
    fn respond(&self, q: &[f64], x: &mut [f64]) {
        for i in 0..self.links {
            let d = Self::along(q, i);
            for k in 0..2 {
                let by = self.lambda[i] * d[k] / (self.rod() * self.mass);
                x[2 * i + k] -= by;
                if i > 0 {
                    x[2 * i - 2 + k] += by;
                }
            }
        }
    }
}

impl SecondOrderDae for Chain {
    fn dims(&self) -> Dims {
        Dims { q: 2 * self.links, v: 2 * self.links, rows: self.links, ..Dims::default() }
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
        let (q, v) = y.split_at(2 * self.links);
        let (qdot, vdot) = dy.split_at_mut(2 * self.links);
        qdot.copy_from_slice(v);
        for (i, a) in vdot.iter_mut().enumerate() {
            *a = -self.damping / self.mass * v[i] - if i % 2 == 1 { self.gravity } else { 0.0 };
        }
        self.drift = Drift::default();
        for i in 0..self.links {
            let (d, u, a) = (Self::along(q, i), Self::along(v, i), Self::along(vdot, i));
            let (gap, rate) = (self.gap(q, i), (d[0] * u[0] + d[1] * u[1]) / self.rod());
            self.drift.position = self.drift.position.max(gap.abs());
            self.drift.velocity = self.drift.velocity.max(rate.abs());
            let second = d[0] * a[0] + d[1] * a[1] + u[0] * u[0] + u[1] * u[1];
            let pull = 2.0 * with.alpha * rate + with.beta * with.beta * gap;
            self.lambda[i] = second / self.rod() + pull;
        }
        self.solve(q)?;
        self.respond(q, vdot);
        Ok(1.0)
    }

    fn settle(&mut self, _t: f64, _y: &mut [f64]) -> bool {
        false
    }

    fn drift(&mut self) -> Drift {
        self.drift
    }

    fn project(&mut self, _t: f64, y: &mut [f64]) -> Result<(), Fault> {
        let (q, v) = y.split_at_mut(2 * self.links);
        for _ in 0..6 {
            for i in 0..self.links {
                self.lambda[i] = self.gap(q, i);
            }
            self.solve(q)?;
            let before = q.to_vec();
            self.respond(&before, q);
        }
        for i in 0..self.links {
            let (d, u) = (Self::along(q, i), Self::along(v, i));
            self.lambda[i] = (d[0] * u[0] + d[1] * u[1]) / self.rod();
        }
        self.solve(q)?;
        self.respond(q, v);
        Ok(())
    }

    fn switches(&mut self, _t: f64, _y: &[f64], _out: &mut [f64]) {}

    fn raise_scales(&mut self, _y: &[f64], scales: &mut [f64]) {
        scales[..2 * self.links].fill(self.length);
        scales[2 * self.links..].fill((self.gravity * self.length).sqrt());
    }
}

impl ImplicitDae for Chain {
    fn blank_terms(&self) -> Terms {
        let n = self.links;
        let before = |i: usize| if i == 0 { 2 * i..2 * i + 2 } else { 2 * i - 2..2 * i + 2 };
        let places: Vec<_> = (0..n).flat_map(|i| before(i).map(move |j| (i, j))).collect();
        let mut mass = Entries::diagonal(2 * n);
        mass.values.fill(self.mass);
        Terms::with(self.dims(), mass, Entries::at(n, 2 * n, &places))
    }

    fn terms(&mut self, _t: f64, y: &[f64], _lambda: &[f64], out: &mut Terms) -> Result<(), Fault> {
        let (q, v) = y.split_at(2 * self.links);
        for (i, f) in out.force.iter_mut().enumerate() {
            *f = -self.damping * v[i] - if i % 2 == 1 { self.mass * self.gravity } else { 0.0 };
        }
        for i in 0..self.links {
            out.gaps[i] = self.gap(q, i);
            write_row(&mut out.rows, i, Self::along(q, i).map(|x| x / self.rod()));
        }
        Ok(())
    }

    fn blank_tangents(&self) -> Tangents {
        let n = 2 * self.links;
        let near = |i: usize| [i.checked_sub(2), Some(i), (i + 2 < n).then_some(i + 2)];
        let places: Vec<_> =
            (0..n).flat_map(|i| near(i).into_iter().flatten().map(move |j| (i, j))).collect();
        let stiffness = Entries::at(n, n, &places);
        Tangents::with(self.dims(), stiffness, Entries::diagonal(n), self.blank_terms().rows)
    }

    fn tangents(&mut self, at: Place, out: &mut Tangents) -> Result<bool, Fault> {
        let v = &at.y[2 * self.links..];
        out.damping.values.fill(self.damping);
        for i in 0..self.links {
            let here = at.lambda[i] / self.rod();
            let next = at.lambda.get(i + 1).map_or(0.0, |lambda| lambda / self.rod());
            for k in 0..2 {
                out.stiffness.set(2 * i + k, 2 * i + k, here + next);
                if i > 0 {
                    out.stiffness.set(2 * i + k, 2 * i - 2 + k, -here);
                    out.stiffness.set(2 * i - 2 + k, 2 * i + k, -here);
                }
            }
            write_row(&mut out.rate_jacobian, i, Self::along(v, i).map(|x| x / self.rod()));
        }
        Ok(true)
    }
}

/// n at the end of a rod, −n at its start.
fn write_row(rows: &mut Entries, i: usize, n: [f64; 2]) {
    for k in 0..2 {
        rows.set(i, 2 * i + k, n[k]);
        if i > 0 {
            rows.set(i, 2 * i - 2 + k, -n[k]);
        }
    }
}
