//! Weighted squares of the rows with their gradient and curvature: what a position that does not
//! close is measured by.
//!
//!   Φ(q) = Σ ½ wᵢ gᵢ² + λᵢ gᵢ,   μ = W g + λ                                               (1)
//!   ∇Φ = Gᵀ μ,   ∇²Φ = Gᵀ W G + ∂(Gᵀ μ)/∂q                                                 (2)
//!
//! Rows and directions are in units of the mechanism's size. Rows that depend on each other do no
//! harm: their squares add up. The second term of (2) is symmetric where ∇Φ = 0; elsewhere turns
//! in space leave a skew part, which is dropped. The matrix couples bodies that share a row, so its
//! factors are as sparse as the mechanism, and cost in proportion to a chain.

use std::collections::BTreeSet;

use gudgeon_dae::Tangents;
use gudgeon_dae::linear::{Entries, Ldl, minimum_degree};

use super::compile::System;
use super::evaluate::{self, StateAt};
use super::tangents;
use super::workspace::Workspace;

/// W and λ of (1), by row.
#[derive(Clone, Debug)]
pub(crate) struct Terms {
    pub weights: Vec<f64>,
    pub multipliers: Vec<f64>,
}

impl Terms {
    /// Plain squares of all rows.
    pub fn plain(rows: usize) -> Self {
        Self { weights: vec![1.0; rows], multipliers: vec![0.0; rows] }
    }

    /// Φ.
    pub fn value(&self, g: &[f64]) -> f64 {
        self.parts(g).map(|(square, line)| square + line).sum()
    }

    /// The sizes of the parts of Φ together.
    pub fn size(&self, g: &[f64]) -> f64 {
        self.parts(g).map(|(square, line)| square + line.abs()).sum()
    }

    fn parts(&self, g: &[f64]) -> impl Iterator<Item = (f64, f64)> {
        let terms = self.weights.iter().zip(&self.multipliers);
        terms.zip(g).map(|((w, l), g)| (0.5 * w * g * g, l * g))
    }

    /// μ of (1).
    pub fn stress(&self, g: &[f64]) -> Vec<f64> {
        let of = |((w, l), g): ((&f64, &f64), &f64)| w * g + l;
        self.weights.iter().zip(&self.multipliers).zip(g).map(of).collect()
    }
}

/// How much of (2) is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Curvature {
    /// Both terms: Newton's method.
    Whole,
    /// The first term, never negative: the method of Gauss and Newton.
    First,
}

/// The part of a row on one body: its first velocity, their number, and its first entry of G.
type Part = (usize, usize, usize);

pub(crate) struct Squares<'s> {
    system: &'s System,
    work: Workspace,
    parts: Vec<Vec<Part>>,
    tangents: Tangents,
    /// Place of each velocity in the order of elimination.
    order: Vec<usize>,
    ldl: Ldl,
    /// Where each entry of the matrix goes in `ldl`, and times what.
    slots: Vec<(usize, f64)>,
}

impl<'s> Squares<'s> {
    pub fn new(system: &'s System) -> Self {
        let v = system.layout.v;
        let pairs = coupled_bodies(system);
        let order = velocity_order(system, &pairs);
        let matrix = Entries::at(v, v, &places(system, &pairs));
        let below: Vec<(usize, usize)> =
            matrix.iter().map(|(i, j, _)| (order[i], order[j])).filter(|(i, j)| i > j).collect();
        let ldl = Ldl::new(v, &below);
        let slot = |(i, j, _): (usize, usize, f64)| {
            // Both halves of the matrix go to one.
            let share = if i == j { 1.0 } else { 0.5 };
            (ldl.slot(order[i], order[j]), share * system.unit(i) * system.unit(j))
        };
        let slots = matrix.iter().map(slot).collect();
        let none = |rows, columns| Entries::at(rows, columns, &[]);
        let tangents = Tangents {
            stiffness: matrix,
            damping: none(v, v),
            rate_jacobian: none(system.rows.len(), v),
            coupling: none(v, 0),
            reactions: none(v, system.rows.len()),
            rates_q: none(0, v),
            rates_v: none(0, v),
            rates_z: none(0, 0),
        };
        let work = Workspace::new(system);
        Self { system, work, parts: parts(system), tangents, order, ldl, slots }
    }

    pub fn system(&self) -> &'s System {
        self.system
    }

    /// Work of one factorisation, in products.
    pub fn cost(&self) -> usize {
        self.ldl.products() + 500 * self.system.rows.len()
    }

    /// Moves to a position at t = 0: g of all rows.
    pub fn gaps(&mut self, q: &[f64]) -> Vec<f64> {
        let (system, work) = (self.system, &mut self.work);
        let rest = vec![0.0; system.layout.v];
        let at = StateAt::bare(0.0, 0.0, q, &rest);
        evaluate::kinematics(system, at, work);
        evaluate::rows(system, work);
        let g = |i| evaluate::position_residual(system, i, work) / scale(system, i);
        (0..system.rows.len()).map(g).collect()
    }

    /// Gᵀ μ at the last position.
    pub fn gradient(&self, stress: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; self.system.layout.v];
        for (row, parts) in self.parts.iter().enumerate() {
            let by = stress[row] / scale(self.system, row);
            for &(first, count, entry) in parts {
                let g = &self.work.g[entry..entry + count];
                out[first..].iter_mut().zip(g).for_each(|(out, g)| *out += by * g);
            }
        }
        out.iter_mut().enumerate().for_each(|(i, out)| *out *= self.system.unit(i));
        out
    }

    /// G s of a step at the last position.
    pub fn change(&self, step: &[f64]) -> Vec<f64> {
        let unit = |i: usize| self.system.unit(i);
        let of = |(row, parts): (usize, &Vec<Part>)| {
            let mut sum = 0.0;
            for &(first, count, entry) in parts {
                let g = self.work.g[entry..entry + count].iter().zip(first..);
                sum += g.map(|(g, i)| g * unit(i) * step[i]).sum::<f64>();
            }
            sum / scale(self.system, row)
        };
        self.parts.iter().enumerate().map(of).collect()
    }

    /// Factors (2) at the last position plus `damping` and a little more times the largest entry of
    /// the diagonal; false where the sum is not positive.
    pub fn factor(
        &mut self,
        terms: &Terms,
        stress: &[f64],
        curvature: Curvature,
        damping: f64,
    ) -> bool {
        self.tangents.stiffness.values.fill(0.0);
        for row in 0..self.system.rows.len() {
            let scale = scale(self.system, row);
            if curvature == Curvature::Whole && stress[row] != 0.0 {
                let by = stress[row] / scale;
                tangents::add_row(self.system, &self.work, row, by, &mut self.tangents);
            }
            self.add_square(row, terms.weights[row] / (scale * scale));
        }
        let v = self.system.layout.v;
        let entries = self.ldl.entries_mut();
        entries.fill(0.0);
        for (value, &(slot, by)) in self.tangents.stiffness.values.iter().zip(&self.slots) {
            entries[slot] += value * by;
        }
        let own = self.own_squares(terms);
        let entries = self.ldl.entries_mut();
        let largest = own.iter().fold(f64::MIN_POSITIVE, |m, d| m.max(*d));
        for (i, own) in own.iter().enumerate() {
            entries[self.order[i]] += damping * own.max(SMALL * largest) + FLAT * largest;
        }
        let positive = entries[..v].iter().all(|d| *d > 0.0);
        positive && self.ldl.factor().is_ok() && self.ldl.dependent_rows() == 0
    }

    /// The diagonal of the first term of (2).
    fn own_squares(&self, terms: &Terms) -> Vec<f64> {
        let mut out = vec![0.0; self.system.layout.v];
        for (row, parts) in self.parts.iter().enumerate() {
            let by = terms.weights[row] / scale(self.system, row).powi(2);
            for &(first, count, entry) in parts {
                let g = &self.work.g[entry..entry + count];
                out[first..].iter_mut().zip(g).for_each(|(out, g)| *out += by * g * g);
            }
        }
        out.iter_mut().enumerate().for_each(|(i, out)| *out *= self.system.unit(i).powi(2));
        out
    }

    /// Adds w gᵀ g of a row.
    fn add_square(&mut self, row: usize, weight: f64) {
        let g = &self.work.g;
        for &(column, columns, right) in &self.parts[row] {
            for j in 0..columns {
                let by = weight * g[right + j];
                for &(first, count, left) in &self.parts[row] {
                    let values = &g[left..left + count];
                    let matrix = &mut self.tangents.stiffness;
                    tangents::add_column(matrix, column + j, first, values, by);
                }
            }
        }
    }

    /// Solves with the last factors.
    pub fn solve(&self, b: &[f64]) -> Vec<f64> {
        let mut x = vec![0.0; b.len()];
        for (i, b) in b.iter().enumerate() {
            x[self.order[i]] = *b;
        }
        self.ldl.solve(&mut x);
        self.order.iter().map(|&place| x[place]).collect()
    }

    /// Moves a position by a step in units of the size.
    pub fn moved(&self, q: &[f64], step: &[f64]) -> Vec<f64> {
        let by: Vec<f64> = step.iter().enumerate().map(|(i, s)| s * self.system.unit(i)).collect();
        let mut moved = q.to_vec();
        self.system.displace(&mut moved, &by);
        moved
    }
}

/// What is added to directions in which nothing changes, as a share of the largest entry.
const FLAT: f64 = 1e-11;
const SMALL: f64 = 1e-6;

/// Unit of a row as a multiple of the mechanism's size.
fn scale(system: &System, row: usize) -> f64 {
    if system.rows[row].kind.is_angle() { 1.0 } else { system.length }
}

/// Pairs of moving bodies that share a row, the later one first.
fn coupled_bodies(system: &System) -> BTreeSet<(usize, usize)> {
    let body = |marker: usize| system.attachments[marker].body.checked_sub(1);
    let pair = |row: &super::compile::Row| Some((body(row.a)?, body(row.b)?));
    system.rows.iter().filter_map(pair).map(|(a, b)| (a.max(b), a.min(b))).collect()
}

/// Order of elimination: bodies by smallest degree, their velocities together.
fn velocity_order(system: &System, pairs: &BTreeSet<(usize, usize)>) -> Vec<usize> {
    let pairs: Vec<(usize, usize)> = pairs.iter().copied().collect();
    let mut order = vec![0; system.layout.v];
    let mut next = 0;
    for body in minimum_degree(system.bodies.len(), &pairs) {
        for velocity in system.bodies[body].velocities() {
            order[velocity] = next;
            next += 1;
        }
    }
    order
}

/// Places of the matrix: every body with itself and with those it shares a row with.
fn places(system: &System, pairs: &BTreeSet<(usize, usize)>) -> Vec<(usize, usize)> {
    let own = (0..system.bodies.len()).map(|body| (body, body));
    let mut places = Vec::new();
    for (a, b) in own.chain(pairs.iter().flat_map(|&(a, b)| [(a, b), (b, a)])) {
        for i in system.bodies[a].velocities() {
            places.extend(system.bodies[b].velocities().map(|j| (i, j)));
        }
    }
    places
}

/// Where the entries of each row stand in G.
fn parts(system: &System) -> Vec<Vec<Part>> {
    let mut parts = vec![Vec::new(); system.rows.len()];
    for group in &system.by_body {
        let (first, count) =
            (system.bodies[group.body].v, system.bodies[group.body].velocities().len());
        for (k, block) in system.blocks[group.blocks.clone()].iter().enumerate() {
            parts[block.row].push((first, count, group.entries.start + k * count));
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{
        Body, BodyId, Joint, JointKind, Marker, MarkerId, Model, Space, Start, inertia_about_z,
    };
    use nalgebra::Vector3;

    /// A bar of 1 m, pinned at both ends to points 1.3 m apart.
    fn tight_bar() -> System {
        let body = |name: &str, mass: Option<f64>| Body {
            name: name.into(),
            mass,
            inertia: Some(inertia_about_z(1.0)),
            centre: mass.map_or(Vector3::zeros(), |_| Vector3::new(0.3, 0.1, 0.0)),
            coordinates: crate::model::BodyCoordinates::default(),
            flexible: None,
            start: Start::default(),
        };
        let marker = |body, x| Marker {
            name: None,
            body: BodyId(body),
            local: crate::math::spatial::Frame::planar(x, 0.0, 0.0),
        };
        let joint = |name: &str, a, b| Joint {
            name: name.into(),
            kind: JointKind::Revolute,
            a: MarkerId(a),
            b: MarkerId(b),
            clearance: None,
            friction: None,
            start_offset: Vector3::zeros(),
            bearing_length: None,
            cut: crate::model::Cut::default(),
            placement: Default::default(),
        };
        let model = Model {
            bodies: vec![body("ground", None), body("bar", Some(1.0))],
            markers: vec![marker(0, 0.0), marker(0, 1.3), marker(1, 0.0), marker(1, 1.0)],
            joints: vec![joint("left", 0, 2), joint("right", 1, 3)],
            ..Model::new("bar", Space::Planar)
        };
        System::compile(&model).expect("nothing is wrong with it")
    }

    #[test]
    fn slope_and_curvature_are_those_of_the_squares() {
        let system = tight_bar();
        let mut squares = Squares::new(&system);
        let mut terms = Terms::plain(4);
        (terms.weights[1], terms.multipliers[2]) = (3.0, 0.2);
        let q = [0.4, 0.2, 0.3];
        let step = |by: f64| [0.3 * by, -0.5 * by, 0.7 * by];
        let mut phi = |by: f64| {
            let q = squares.moved(&q, &step(by));
            terms.value(&squares.gaps(&q))
        };
        // Central differences: truncation h², rounding 1e-16/h and 1e-16/h².
        let h = 1e-4;
        let first = (phi(h) - phi(-h)) / (2.0 * h);
        let second = (phi(h) - 2.0 * phi(0.0) + phi(-h)) / (h * h);
        let stress = terms.stress(&squares.gaps(&q));
        let slope = squares.gradient(&stress);
        let along = |x: &[f64]| x.iter().zip(step(1.0)).map(|(x, s)| x * s).sum::<f64>();
        assert!((along(&slope) - first).abs() < 1e-7, "{} {first}", along(&slope));
        // A⁻¹ column by column, and its inverse again.
        assert!(squares.factor(&terms, &stress, Curvature::Whole, 0.0));
        let unit = |k: usize| -> Vec<f64> { (0..3).map(|i| f64::from(i == k)).collect() };
        let inverse = nalgebra::Matrix3::from_fn(|i, k| squares.solve(&unit(k))[i]);
        let step = Vector3::from(step(1.0));
        let found = step.dot(&(inverse.try_inverse().unwrap() * step));
        assert!((found - second).abs() < 1e-6, "{found} {second}");
    }

    #[test]
    fn what_is_not_convex_is_told() {
        let system = tight_bar();
        let mut squares = Squares::new(&system);
        let terms = Terms::plain(4);
        // Turned the wrong way round the bar is in balance, and falls from there to either side.
        let q = [0.65 - 0.3 + 0.5, -0.1, std::f64::consts::PI];
        let stress = terms.stress(&squares.gaps(&q));
        assert!(squares.gradient(&stress).iter().all(|x| x.abs() < 1e-12));
        assert!(!squares.factor(&terms, &stress, Curvature::Whole, 0.0));
        assert!(squares.factor(&terms, &stress, Curvature::First, 0.0));
    }
}
