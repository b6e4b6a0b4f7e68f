//! Flexible beams in absolute coordinates, hanging one from the other by hinges: long chains of nodes with a mass
//! matrix that is a constant band.
//!
//! A node has its place and three vectors along the edges of the section, x = (r, a, b, c). Between two nodes of
//! an element of length L,
//!
//!   d = (r₂ − r₁ − L (a₁ + a₂)/2,  a₂ − a₁,  b₂ − b₁,  c₂ − c₁)                                  (1)
//!   U = ½ k_s |d_r|² + ½ k_b (|d_a|² + |d_b|² + |d_c|²),   R = ½ η |ḋ|²                            (2)
//!
//! and in every node U = ½ k_f Σ ε² with the strains ε of its frame, (aᵀa − 1)/2, …, aᵀb, …. The mass is that of
//! r along Hermite's cubic with the slopes a, and a moment of inertia by length of a, b and c. At both ends of a
//! beam the strains of the frame are held at zero by six rows. The quadrature is the work of the damping, so
//! that energy and work keep their sum.

mod rows;

use std::time::Instant;

use crate::implicit::{ImplicitDae, Place, Shape, Tangents, Terms, Weights};
use crate::linear::sparse_lu::order_with_late_rows;
use crate::linear::{Entries, SparseLu};
use crate::problem::{Dims, Drift, Fault, SecondOrderDae, Stabilisation};
use rows::{NODE, Row, STRAINS, dot, rows, strain};

/// A beam under gravity.
#[derive(Clone, Copy, Debug)]
pub struct Beam {
    /// Length, m, and elements.
    pub length: f64,
    pub elements: usize,
    /// Mass, kg, and moment of inertia of the section, kg m².
    pub mass: f64,
    pub section: f64,
    /// k_s, k_b and k_f of a beam as one element: N/m, N m, N m.
    pub stretch: f64,
    pub bend: f64,
    pub frame: f64,
    /// η of k_s and of k_b, s.
    pub damping: f64,
    /// g, m/s².
    pub gravity: f64,
}

impl Default for Beam {
    fn default() -> Self {
        let (stretch, bend, frame, damping) = (1e5, 50.0, 1e3, 1e-3);
        let (length, elements, mass, section, gravity) = (0.5, 16, 0.4, 1e-4, 9.81);
        Self { length, elements, mass, section, stretch, bend, frame, damping, gravity }
    }
}

/// Beams, one after the other.
#[derive(Clone, Debug)]
pub struct Beams {
    beam: Beam,
    count: usize,
    rows: Vec<Row>,
    terms: Terms,
    lu: SparseLu<f64>,
    mass_slots: Vec<usize>,
    row_slots: Vec<[usize; 2]>,
    rhs: Vec<f64>,
    drift: Drift,
    /// Seconds spent in evaluations, to tell them from those of an integrator.
    pub seconds: f64,
}

impl Beams {
    pub fn new(count: usize, beam: Beam) -> Self {
        let n = count * (beam.elements + 1) * NODE;
        let rows = rows(count, beam.elements + 1);
        let dims = Dims { q: n, v: n, w: 1, rows: rows.len(), ..Dims::default() };
        let mut places = Vec::new();
        for (i, row) in rows.iter().enumerate() {
            row.each(&vec![0.0; n], |j, _| places.push((i, j)));
        }
        let terms = Terms::with(dims, mass(count, &beam), Entries::at(rows.len(), n, &places));
        let inside = terms.mass.iter().map(|(i, j, _)| (i, j));
        let holds: Vec<_> = terms.rows.iter().map(|(i, j, _)| (n + i, j)).collect();
        let pairs: Vec<_> =
            inside.chain(holds.iter().flat_map(|&(i, j)| [(i, j), (j, i)])).collect();
        let lu = SparseLu::new(&order_with_late_rows(n + rows.len(), &pairs, &holds), &pairs);
        Self {
            mass_slots: terms.mass.iter().map(|(i, j, _)| lu.slot(i, j)).collect(),
            row_slots: holds.iter().map(|&(i, j)| [lu.slot(i, j), lu.slot(j, i)]).collect(),
            rhs: vec![0.0; n + rows.len()],
            beam,
            count,
            rows,
            terms,
            lu,
            drift: Drift::default(),
            seconds: 0.0,
        }
    }

    fn size(&self) -> usize {
        self.terms.force.len()
    }

    /// At rest and straight along x, the last one turned about z by a right angle.
    pub fn start(&self) -> Vec<f64> {
        let (n, nodes) = (self.size(), self.beam.elements + 1);
        let step = self.beam.length / self.beam.elements as f64;
        let mut y = vec![0.0; 2 * n + 1];
        for (i, x) in y[..n].chunks_exact_mut(NODE).enumerate() {
            let (beam, along) = (i / nodes, (i % nodes) as f64 * step);
            x[0] = beam as f64 * self.beam.length + along;
            [x[3], x[7], x[11]] = [1.0; 3];
            if beam > 0 && beam + 1 == self.count {
                [x[0], x[1]] = [beam as f64 * self.beam.length, along];
                [x[3], x[4], x[6], x[7]] = [0.0, 1.0, -1.0, 0.0];
            }
        }
        y
    }

    /// Pairs of nodes of all elements.
    fn elements(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let nodes = self.beam.elements + 1;
        let first = (0..self.count * nodes).filter(move |i| i % nodes + 1 < nodes);
        first.map(|i| (i * NODE, (i + 1) * NODE))
    }

    /// k of the parts of d, for one element.
    fn stiffness(&self) -> [f64; 4] {
        let n = self.beam.elements as f64;
        [n * self.beam.stretch, n * self.beam.bend, n * self.beam.bend, n * self.beam.bend]
    }

    /// Half an element.
    fn half(&self) -> f64 {
        0.5 * self.beam.length / self.beam.elements as f64
    }

    /// Kinetic and potential energy.
    pub fn energy(&self, y: &[f64]) -> f64 {
        let n = self.size();
        let (q, v) = (&y[..n], &y[n..2 * n]);
        let mut momentum = vec![0.0; n];
        self.terms.mass.add_product(1.0, v, &mut momentum);
        let mut energy = 0.5 * v.iter().zip(&momentum).map(|(v, p)| v * p).sum::<f64>();
        energy -= q.iter().zip(&self.weight()).map(|(q, f)| q * f).sum::<f64>();
        for (x, y) in self.elements() {
            let d = difference(q, x, y, self.half());
            for (k, d) in self.stiffness().iter().zip(d.chunks_exact(3)) {
                energy += 0.5 * k * dot(d, d);
            }
        }
        let frame = self.beam.frame / self.beam.elements as f64;
        for x in q.chunks_exact(NODE) {
            energy +=
                STRAINS.iter().map(|&(i, j)| 0.5 * frame * strain(x, i, j).powi(2)).sum::<f64>();
        }
        energy
    }

    fn weight(&self) -> Vec<f64> {
        let mut out = vec![0.0; self.size()];
        self.add_weight(&mut out);
        out
    }

    fn add_weight(&self, out: &mut [f64]) {
        let element = self.beam.mass * self.beam.gravity / self.beam.elements as f64;
        for (x, y) in self.elements() {
            for (i, share) in
                [(x, 0.5), (x + 3, self.half() / 6.0), (y, 0.5), (y + 3, -self.half() / 6.0)]
            {
                out[i + 1] -= element * share;
            }
        }
    }

    /// Forces at a point; returns the power of the damping.
    fn forces(&self, q: &[f64], v: &[f64], force: &mut [f64]) -> f64 {
        let (k, half, mut power) = (self.stiffness(), self.half(), 0.0);
        force.fill(0.0);
        self.add_weight(force);
        for (x, y) in self.elements() {
            let (mut d, u) = (difference(q, x, y, half), difference(v, x, y, half));
            for i in 0..NODE {
                power += self.beam.damping * k[i / 3] * u[i] * u[i];
                d[i] = k[i / 3] * (d[i] + self.beam.damping * u[i]);
            }
            for i in 0..NODE {
                force[x + i] += d[i];
                force[y + i] -= d[i];
            }
            for i in 0..3 {
                force[x + 3 + i] += half * d[i];
                force[y + 3 + i] += half * d[i];
            }
        }
        let frame = self.beam.frame / self.beam.elements as f64;
        for (x, f) in q.chunks_exact(NODE).zip(force.chunks_exact_mut(NODE)) {
            for (i, j) in STRAINS {
                let pull = frame * strain(x, i, j);
                let share = if i == j { 0.5 } else { 1.0 };
                for k in 0..3 {
                    f[i + k] -= share * pull * x[j + k];
                    f[j + k] -= share * pull * x[i + k];
                }
            }
        }
        power
    }

    /// Solves | M Gᵀ; G 0 | x = rhs.
    fn direct(&mut self) -> Result<(), Fault> {
        let values = self.lu.values_mut();
        values.fill(0.0);
        for (slot, m) in self.mass_slots.iter().zip(&self.terms.mass.values) {
            values[*slot] = *m;
        }
        for ([below, right], g) in self.row_slots.iter().zip(&self.terms.rows.values) {
            (values[*below], values[*right]) = (*g, *g);
        }
        self.lu.factor().map_err(|row| Fault::Singular { row })?;
        self.lu.solve(&mut self.rhs);
        Ok(())
    }
}

/// g and G.
fn constraints(rows: &[Row], q: &[f64], out: &mut Terms) {
    out.rows.values.fill(0.0);
    for (i, row) in rows.iter().enumerate() {
        out.gaps[i] = row.gap(q);
        row.each(q, |j, value| {
            let slot = out.rows.slot(i, j).expect("its own places");
            out.rows.values[slot] += value;
        });
    }
}

/// d of (1), or ḋ.
fn difference(q: &[f64], x: usize, y: usize, half: f64) -> [f64; NODE] {
    let mut d = std::array::from_fn(|i| q[y + i] - q[x + i]);
    (0..3).for_each(|i| d[i] -= half * (q[x + 3 + i] + q[y + 3 + i]));
    d
}

/// The places of all elements, and M in them.
fn mass(count: usize, beam: &Beam) -> Entries {
    let nodes = beam.elements + 1;
    let n = count * nodes * NODE;
    let first = (0..count * nodes).filter(|i| i % nodes + 1 < nodes).map(|i| i * NODE);
    let (m, l) = (beam.mass / beam.elements as f64 / 420.0, beam.length / beam.elements as f64);
    let cubic = [
        [156.0, 22.0 * l, 54.0, -13.0 * l],
        [22.0 * l, 4.0 * l * l, 13.0 * l, -3.0 * l * l],
        [54.0, 13.0 * l, 156.0, -22.0 * l],
        [-13.0 * l, -3.0 * l * l, -22.0 * l, 4.0 * l * l],
    ];
    let section = beam.section / beam.elements as f64 / 6.0;
    let mut found = Vec::new();
    for x in first {
        for (a, b) in (0..8).flat_map(|a| (0..8).map(move |b| (a, b))) {
            let of_cubic = |a: usize| (a % 4 < 2).then_some(a / 4 * 2 + a % 4);
            let mut value = of_cubic(a).zip(of_cubic(b)).map_or(0.0, |(a, b)| m * cubic[a][b]);
            if a % 4 > 0 && a % 4 == b % 4 {
                value += section * if a == b { 2.0 } else { 1.0 };
            }
            found.extend((0..3).map(|k| (x + 3 * a + k, x + 3 * b + k, value)));
        }
    }
    let places: Vec<_> = found.iter().map(|&(i, j, _)| (i, j)).collect();
    let mut mass = Entries::at(n, n, &places);
    for (i, j, value) in found {
        let slot = mass.slot(i, j).expect("its own places");
        mass.values[slot] += value;
    }
    mass
}

impl SecondOrderDae for Beams {
    fn dims(&self) -> Dims {
        let n = self.size();
        Dims { q: n, v: n, w: 1, rows: self.rows.len(), ..Dims::default() }
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
        let clock = Instant::now();
        let n = self.size();
        let (q, v) = (&y[..n], &y[n..2 * n]);
        constraints(&self.rows, q, &mut self.terms);
        let mut rhs = std::mem::take(&mut self.rhs);
        dy[2 * n] = self.forces(q, v, &mut rhs[..n]);
        rhs[n..].fill(0.0);
        self.terms.rows.add_product(1.0, v, &mut rhs[n..]);
        self.drift = Drift::default();
        for ((out, row), gap) in rhs[n..].iter_mut().zip(&self.rows).zip(&self.terms.gaps) {
            self.drift.position = self.drift.position.max(gap.abs());
            self.drift.velocity = self.drift.velocity.max(out.abs());
            *out = -row.bias(v) - 2.0 * with.alpha * *out - with.beta * with.beta * gap;
        }
        self.rhs = rhs;
        self.direct()?;
        dy[..n].copy_from_slice(v);
        dy[n..2 * n].copy_from_slice(&self.rhs[..n]);
        self.seconds += clock.elapsed().as_secs_f64();
        Ok(1.0)
    }

    fn settle(&mut self, _t: f64, _y: &mut [f64]) -> bool {
        false
    }

    fn drift(&mut self) -> Drift {
        self.drift
    }

    fn project(&mut self, _t: f64, y: &mut [f64]) -> Result<(), Fault> {
        let n = self.size();
        for round in 0..6 {
            let to_velocity = round == 5;
            constraints(&self.rows, &y[..n], &mut self.terms);
            self.rhs.fill(0.0);
            if to_velocity {
                self.terms.rows.add_product(-1.0, &y[n..2 * n], &mut self.rhs[n..]);
            } else {
                self.rhs[n..].iter_mut().zip(&self.terms.gaps).for_each(|(x, gap)| *x = -gap);
            }
            self.direct()?;
            let at = if to_velocity { n } else { 0 };
            y[at..at + n].iter_mut().zip(&self.rhs).for_each(|(y, by)| *y += by);
        }
        Ok(())
    }

    fn switches(&mut self, _t: f64, _y: &[f64], _out: &mut [f64]) {}

    fn raise_scales(&mut self, _y: &[f64], scales: &mut [f64]) {
        let (n, whole) = (self.size(), self.beam.length * self.count as f64);
        scales[..n].fill(whole);
        scales[n..2 * n].fill((self.beam.gravity * whole).sqrt());
        scales[2 * n] = self.beam.mass * self.beam.gravity * whole;
    }
}

impl ImplicitDae for Beams {
    fn blank_terms(&self) -> Terms {
        self.terms.clone()
    }

    fn terms(&mut self, _t: f64, y: &[f64], _lambda: &[f64], out: &mut Terms) -> Result<(), Fault> {
        let clock = Instant::now();
        let n = self.size();
        self.forces(&y[..n], &y[n..2 * n], &mut out.force);
        constraints(&self.rows, &y[..n], out);
        self.seconds += clock.elapsed().as_secs_f64();
        Ok(())
    }

    fn blank_tangents(&self) -> Tangents {
        let n = self.size();
        let mut places = Vec::new();
        for (x, _) in self.elements() {
            places.extend((0..2 * NODE).flat_map(|i| (0..2 * NODE).map(move |j| (x + i, x + j))));
        }
        let damping = Entries::at(n, n, &places);
        for row in &self.rows {
            if let Row::Dot(i, j) = *row {
                places.extend((0..3).flat_map(|k| [(i + k, j + k), (j + k, i + k)]));
            }
        }
        Tangents::with(self.dims(), Entries::at(n, n, &places), damping, self.terms.rows.clone())
    }

    fn tangents(&mut self, at: Place, out: &mut Tangents) -> Result<bool, Fault> {
        let clock = Instant::now();
        let (n, half, stiffness) = (self.size(), self.half(), self.stiffness());
        out.stiffness.values.fill(0.0);
        out.damping.values.fill(0.0);
        let add = |out: &mut Entries, i: usize, j: usize, value: f64| {
            let slot = out.slot(i, j).expect("its own places");
            out.values[slot] += value;
        };
        for (x, y) in self.elements() {
            for i in 0..NODE {
                // The columns of (1).
                let slope = if i < 3 { -half } else { 0.0 };
                let parts = [
                    (x + i, -1.0),
                    (y + i, 1.0),
                    (x + (i + 3) % NODE, slope),
                    (y + (i + 3) % NODE, slope),
                ];
                for (a, p) in parts {
                    for (b, r) in parts {
                        let k = stiffness[i / 3] * p * r;
                        add(&mut out.stiffness, a, b, k);
                        add(&mut out.damping, a, b, self.beam.damping * k);
                    }
                }
            }
        }
        let frame = self.beam.frame / self.beam.elements as f64;
        for first in (0..n).step_by(NODE) {
            for row in STRAINS.map(|(i, j)| Row::Dot(first + i, first + j)) {
                row.each(at.y, |a, p| {
                    row.each(at.y, |b, r| add(&mut out.stiffness, a, b, frame * p * r))
                });
                row.curve(frame * row.gap(at.y), |a, b, k| add(&mut out.stiffness, a, b, k));
            }
        }
        out.rate_jacobian.values.fill(0.0);
        for (i, (row, lambda)) in self.rows.iter().zip(at.lambda).enumerate() {
            row.curve(*lambda, |a, b, k| add(&mut out.stiffness, a, b, k));
            if let Row::Dot(..) = row {
                row.each(&at.y[n..2 * n], |j, value| add(&mut out.rate_jacobian, i, j, value));
            }
        }
        self.seconds += clock.elapsed().as_secs_f64();
        Ok(true)
    }

    /// M is constant: written once.
    fn blank_weights(&self) -> Weights {
        let size = (self.beam.elements + 1) * NODE;
        let band = Shape::Band { width: 2 * NODE - 1, stride: 3 };
        let mut weights = Weights::blocks(&vec![(band, size); self.count]);
        weights.take(&self.terms.mass);
        weights
    }

    fn weights(&self, _terms: &Terms, _out: &mut Weights) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::implicit::Differences;

    #[test]
    fn tangents_are_the_derivatives_of_the_terms() {
        let mut beams = Beams::new(2, Beam { elements: 2, ..Beam::default() });
        let mut y = beams.start();
        let n = beams.size();
        y[..2 * n].iter_mut().enumerate().for_each(|(i, y)| *y += 0.05 * (i as f64 * 1.7).sin());
        let lambda: Vec<f64> = (0..beams.rows.len()).map(|i| 3.0 * (i as f64).cos()).collect();
        let acceleration = vec![0.3; n];
        let at = Place { t: 0.0, y: &y, acceleration: &acceleration, lambda: &lambda };
        let mut exact = beams.blank_tangents();
        beams.tangents(at, &mut exact).unwrap();
        let mut numeric = beams.blank_tangents();
        let scales = vec![1.0; y.len()];
        Differences::new(&beams).take(&mut beams, at, &scales, &mut numeric).unwrap();
        for (a, b) in [
            (&exact.stiffness, &numeric.stiffness),
            (&exact.damping, &numeric.damping),
            (&exact.rate_jacobian, &numeric.rate_jacobian),
        ] {
            let most = a.values.iter().fold(0.0f64, |most, x| most.max(x.abs()));
            for ((i, j, a), b) in a.iter().zip(&b.values) {
                // Differences have about half of the digits.
                assert!((a - b).abs() < 1e-6 * most, "entry {i}, {j}: {a} and {b}");
            }
        }
    }
}
