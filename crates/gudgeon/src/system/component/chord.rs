//! Damping in proportion to mass, on the velocity of deformation against the chord.
//!
//! The rigid motion of the chord c = r_B − r_A follows from the ends: its middle m moves at the mean of their
//! velocities, and it turns at
//!
//!   ω = c × ċ/|c|² + ĉ ĉ · ½(ω_A + ω_B)                                                      (1)
//!
//! with the spins ω_A, ω_B of the end sections. With R the rigid motions of the beam as it is, A v the motion
//! of the chord, and P = R A,
//!
//!   d = (1 − P) v,   f = −α (1 − P)ᵀ M d                                                     (2)
//!
//! A rigid motion is its own motion of the chord, (1 − P) R = 0: it is not damped, and f has neither a resultant
//! nor a moment. The power is −α dᵀM d. Of its derivative only α M is used in Newton's matrix; what is left out
//! is as small as α times a step. Small motions are judged by all of it ([`BeamBody::for_chord_damping`]): it couples
//! every node with those at the ends.
//!
//! Sections of a cable in space do not spin about its line. There the last term of (1) is
//!
//!   ĉ σ,   σ = sᵀM d₀/(sᵀM s + m c²),   c = 1e-4 L                                            (3)
//!
//! with s the rigid spin about the chord and d₀ = v less the rest of its motion. c serves a straight cable, which
//! has no such spin; one that is bent by u resists it by about α m ω c⁴/u².

use nalgebra::Vector3;

use super::beam::{BeamBody, SectionAxes, SectionState};
use crate::math::spatial::Wrench;

/// Motion of the chord.
struct Chord {
    ends: [SectionState; 2],
    middle: Vector3<f64>,
    /// c.
    line: Vector3<f64>,
    velocity: Vector3<f64>,
    omega: Vector3<f64>,
    /// sᵀM s + m c² of (3), for cables in space.
    spinning: Option<f64>,
}

/// c of (3) over the length of the line.
const STRAIGHT: f64 = 1e-4;
/// |c| over the length of the line below which the line is a ring.
const CLOSED: f64 = 1e-9;

impl BeamBody {
    fn chord(&self, q: &[f64], v: &[f64]) -> Chord {
        let ends = [0.0, 1.0].map(|along| self.section(&self.beam.site(along), q, v));
        let [(a, va, wa), (b, vb, wb)] = ends.map(|end| match end.axes {
            SectionAxes::Gradients(triad) => (triad.p, triad.velocity, triad.body_state().twist.w),
            SectionAxes::Tangent(tangent) => {
                (tangent.p, tangent.velocity, tangent.body_state().twist.w)
            }
        });
        let line = b - a;
        let direction = self.direction(&line);
        let turning = direction.cross(&(vb - va)) / self.chord_length(&line);
        let (middle, velocity) = ((a + b) * 0.5, (va + vb) * 0.5);
        let omega = turning + direction * (0.5 * direction.dot(&(wa + wb))); // (1)
        let mut chord = Chord { ends, middle, line, velocity, omega, spinning: None };
        if self.is_without_spin() {
            chord.omega = turning;
            let (mut inertia, mut momentum) = (self.straight_inertia(), 0.0);
            for (i, j, m) in self.masses() {
                let [si, sj] = [i, j].map(|k| self.spin(&chord, q, k));
                let [di, dj] = [i, j].map(|k| self.against(&chord, q, v, k));
                let share = if i == j { 0.5 * m } else { m };
                inertia += 2.0 * share * si.dot(&sj);
                momentum += share * (si.dot(&dj) + sj.dot(&di));
            }
            chord.omega += direction * (momentum / inertia); // (3)
            chord.spinning = Some(inertia);
        }
        chord
    }

    /// |c|; of a ring, whose chord has no direction, no less than a trace of the line.
    fn chord_length(&self, line: &Vector3<f64>) -> f64 {
        line.norm().max(CLOSED * self.beam.line_length())
    }

    /// ĉ, nothing for a ring.
    fn direction(&self, line: &Vector3<f64>) -> Vector3<f64> {
        line / self.chord_length(line)
    }

    /// Whether sections have no rotation about the line.
    fn is_without_spin(&self) -> bool {
        self.beam.vectors() == 2 && self.beam.dimension() == 3
    }

    /// m c² of (3).
    fn straight_inertia(&self) -> f64 {
        let places = self.beam.weights_of_gravity().iter().step_by(self.beam.vectors());
        places.sum::<f64>() * (STRAIGHT * self.beam.line_length()).powi(2)
    }

    /// A vector of s of (3).
    fn spin(&self, chord: &Chord, q: &[f64], k: usize) -> Vector3<f64> {
        let x = self.vector(q, k);
        let arm = if k.is_multiple_of(self.beam.vectors()) { x - chord.middle } else { x };
        self.direction(&chord.line).cross(&arm)
    }

    /// Takes M s (sᵀM d)/(sᵀM s + m c²) from M d: the transpose of (3).
    fn remove_spin(&self, chord: &Chord, inertia: f64, q: &[f64], md: &mut [f64]) {
        let axes = self.beam.dimension();
        let along = |k: usize| self.spin(chord, q, k).dot(&self.vector(md, k));
        let rate = (0..q.len() / axes).map(along).sum::<f64>() / inertia;
        for (i, j, m) in self.masses() {
            let pairs = [(i, j), (j, i)];
            for (to, from) in &pairs[..if i == j { 1 } else { 2 }] {
                let part = self.spin(chord, q, *from) * (m * rate);
                let own = &mut md[to * axes..(to + 1) * axes];
                own.iter_mut().zip(part.iter()).for_each(|(md, part)| *md -= part);
            }
        }
    }

    /// A vector of d of (2).
    fn against(&self, chord: &Chord, q: &[f64], v: &[f64], k: usize) -> Vector3<f64> {
        let (x, rate) = (self.vector(q, k), self.vector(v, k));
        let rigid = match k % self.beam.vectors() {
            0 => chord.velocity + chord.omega.cross(&(x - chord.middle)),
            _ => chord.omega.cross(&x),
        };
        rate - rigid
    }

    /// d and M d of (2), for coordinates and velocities that start with the beam.
    fn deformation(&self, chord: &Chord, q: &[f64], v: &[f64], d: &mut [f64], md: &mut [f64]) {
        let axes = self.beam.dimension();
        for k in 0..q.len() / axes {
            let rest = self.against(chord, q, v, k);
            d[k * axes..(k + 1) * axes].copy_from_slice(&rest.as_slice()[..axes]);
        }
        self.beam.multiply_masses(d, md);
    }

    /// Adds (2); `scratch` is twice as long as the beam.
    pub fn add_chord_damping(&self, q: &[f64], v: &[f64], scratch: &mut [f64], f: &mut [f64]) {
        let alpha = self.mass_damping;
        let chord = self.chord(q, v);
        let (d, md) = scratch[..2 * q.len()].split_at_mut(q.len());
        self.deformation(&chord, q, v, d, md);
        if let Some(inertia) = chord.spinning {
            self.remove_spin(&chord, inertia, q, md);
        }
        let axes = self.beam.dimension();
        let (mut force, mut moment) = (Vector3::zeros(), Vector3::zeros());
        for k in 0..q.len() / axes {
            let (x, on) = (self.vector(q, k), self.vector(md, k));
            let place = k % self.beam.vectors() == 0;
            force += if place { on } else { Vector3::zeros() };
            moment += (if place { x - chord.middle } else { x }).cross(&on);
        }
        f.iter_mut().zip(&*md).for_each(|(f, md)| *f -= alpha * md);
        let direction = self.direction(&chord.line);
        let turning = moment.cross(&direction) / self.chord_length(&chord.line);
        let twist = match chord.spinning {
            Some(_) => Vector3::zeros(),
            None => direction * (0.5 * direction.dot(&moment)),
        };
        for (end, sign) in chord.ends.iter().zip([-1.0, 1.0]) {
            let wrench = Wrench { f: (force * 0.5 + turning * sign) * alpha, t: twist * alpha };
            let mut part = [0.0; super::beam::COLUMNS];
            self.reduce(end, &Vector3::zeros(), &wrench, &mut part);
            let own = self.support(&end.site);
            f[own].iter_mut().zip(part).for_each(|(f, part)| *f += part);
        }
    }

    /// α dᵀM d, W.
    pub fn chord_dissipation(&self, q: &[f64], v: &[f64]) -> f64 {
        let chord = self.chord(q, v);
        let d = |k| self.against(&chord, q, v, k);
        let part = |(i, j, m): (usize, usize, f64)| {
            let share = if i == j { m } else { 2.0 * m };
            share * d(i).dot(&d(j))
        };
        self.mass_damping * self.masses().map(part).sum::<f64>()
    }

    /// −∂f/∂q and −∂f/∂v of (2) by (row, column, values) in v, zeros left out. f is linear in v; by q it is a
    /// central difference, which is nothing at rest.
    pub fn for_chord_damping(
        &self,
        (q, v): (&[f64], &[f64]),
        mut each: impl FnMut(usize, usize, [f64; 2]),
    ) {
        let n = self.size();
        let (mut scratch, mut f, mut x) = (vec![0.0; 2 * n], vec![0.0; n], vec![0.0; n]);
        for j in 0..n {
            x[j] = 1.0;
            f.fill(0.0);
            self.add_chord_damping(q, &x, &mut scratch, &mut f);
            x[j] = 0.0;
            let column = f.iter().enumerate().filter(|(_, f)| **f != 0.0);
            column.for_each(|(i, f)| each(self.v + i, self.v + j, [0.0, -f]));
        }
        if v.iter().all(|v| *v == 0.0) {
            return;
        }
        x.copy_from_slice(q);
        for j in 0..n {
            let h = if self.is_length(j) { 1e-6 * self.beam.line_length() } else { 1e-6 };
            f.fill(0.0);
            x[j] = q[j] - h;
            self.add_chord_damping(&x, v, &mut scratch, &mut f);
            f.iter_mut().for_each(|f| *f = -*f);
            x[j] = q[j] + h;
            self.add_chord_damping(&x, v, &mut scratch, &mut f);
            x[j] = q[j];
            let column = f.iter().enumerate().filter(|(_, f)| **f != 0.0);
            column.for_each(|(i, f)| each(self.v + i, self.v + j, [-f / (2.0 * h), 0.0]));
        }
    }

    /// Pairs of nodes that (2) couples beside neighbours, each once.
    pub fn chord_pairs(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let last = self.beam.nodes() - 1;
        let all = self.is_without_spin();
        let damped = if self.mass_damping > 0.0 { 0..last } else { 0..0 };
        damped.flat_map(move |a| {
            let others = if all || a == 0 { a + 1..last } else { last..last };
            others.map(move |b| (a, b)).chain([(a, last)])
        })
    }

    /// α M by (row, column, value) in v.
    pub fn for_mass_damping(&self, mut each: impl FnMut(usize, usize, f64)) {
        if self.mass_damping == 0.0 {
            return;
        }
        let axes = self.beam.dimension();
        for (i, j, m) in self.masses() {
            for c in 0..axes {
                let (i, j) = (self.v + i * axes + c, self.v + j * axes + c);
                each(i, j, self.mass_damping * m);
                if i != j {
                    each(j, i, self.mass_damping * m);
                }
            }
        }
    }
}
