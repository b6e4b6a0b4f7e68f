//! The linearised equations of a mechanism about one state, and the matrices that static, modal and
//! response analyses factor.
//!
//! In displacements u of its bodies, small about that state,
//!
//!   M ü + D u̇ + K u + Gᵀ μ = F,   G u = 0                                                    (1)
//!
//! with K = ∂(M v̇ − f + Gᵀ λ)/∂q, which contains what reactions and weight do when bodies turn. Displacements
//! are measured in the size of the mechanism and in radians, rows are brought to a largest entry of one, and
//! rows that depend on others are left out. What is factored is never K alone but, for a shift s,
//!
//!   | s² M + s D + K + α GᵀG   α Gᵀ |                                                         (2)
//!   | α G                      −ε α |
//!
//! GᵀG changes nothing where G u is given; it holds directions without mass and those in which reactions push
//! outwards. With a large α the first block is positive where the equilibrium is stable, and with a small ε > 0 the
//! matrix is quasidefinite, so that elimination without exchange of rows meets no zero in any order. What ε changes
//! is taken away by refinements: every solution is corrected by what it leaves of (1).

mod factors;
mod householder;

pub(crate) use factors::Factors;
pub(crate) use householder::null_space;

use gudgeon_dae::linear::{Entries, Scalar};

/// Shares of the terms of u·K u that their sum exceeds where K holds u, and where it drives it. The swing of a steel link
/// of any thickness comes to some 1e-7 of what stretch and shear hold in it.
const HELD: f64 = 1e-12;
const DRIVEN: f64 = 1e-10;

/// The matrices of (1), scaled.
#[derive(Clone, Debug)]
pub(crate) struct Pencil {
    pub mass: Entries,
    pub damping: Entries,
    pub stiffness: Entries,
    pub rows: Entries,
    /// Rows that depend on others.
    pub dropped: Vec<bool>,
    /// A displacement of one is so large, m or rad.
    pub unit: Vec<f64>,
    /// What the rows were multiplied by.
    pub row_scale: Vec<f64>,
}

impl Pencil {
    /// From matrices in metres and radians.
    pub fn new(
        [mass, damping, stiffness]: [Entries; 3],
        rows: Entries,
        dropped: Vec<bool>,
        unit: Vec<f64>,
    ) -> Self {
        let scaled = |mut matrix: Entries| {
            for j in 0..matrix.columns() {
                for slot in matrix.column(j) {
                    matrix.values[slot] *= unit[matrix.row_of(slot)] * unit[j];
                }
            }
            matrix
        };
        let [mass, damping, stiffness] = [mass, damping, stiffness].map(scaled);
        let mut rows = rows;
        let mut largest = vec![0.0f64; rows.rows()];
        for (j, unit) in unit.iter().enumerate() {
            for slot in rows.column(j) {
                rows.values[slot] *= unit;
                let most = &mut largest[rows.row_of(slot)];
                *most = most.max(rows.values[slot].abs());
            }
        }
        let row_scale: Vec<f64> =
            largest.iter().map(|most| if *most > 0.0 { 1.0 / most } else { 1.0 }).collect();
        for slot in 0..rows.values.len() {
            rows.values[slot] *= row_scale[rows.row_of(slot)];
        }
        Self { mass, damping, stiffness, rows, dropped, unit, row_scale }
    }

    /// Number of displacements.
    pub fn size(&self) -> usize {
        self.unit.len()
    }

    /// Displacements that the rows leave free.
    pub fn mobility(&self) -> usize {
        self.size() - self.dropped.iter().filter(|dropped| !**dropped).count()
    }

    /// out += (s² M + s D + K) x.
    pub fn add_shifted<T: Scalar>(&self, s: T, x: &[T], out: &mut [T]) {
        self.add_sum([s * s, s], x, out);
    }

    /// out += (m M + d D + K) x.
    pub fn add_sum<T: Scalar>(&self, [m, d]: [T; 2], x: &[T], out: &mut [T]) {
        self.mass.add_product(m, x, out);
        self.damping.add_product(d, x, out);
        self.stiffness.add_product(T::from(1.0), x, out);
    }

    /// out += factor · Gᵀ x, without the rows that are left out.
    pub fn add_reactions<T: Scalar>(&self, factor: T, x: &[T], out: &mut [T]) {
        for (i, j, value) in self.rows.iter().filter(|(i, _, _)| !self.dropped[*i]) {
            out[j] += factor * T::from(value) * x[i];
        }
    }

    /// G x, zero in the rows that are left out.
    pub fn row_values<T: Scalar>(&self, x: &[T]) -> Vec<T> {
        let mut out = vec![T::default(); self.rows.rows()];
        self.rows.add_product(T::from(1.0), x, &mut out);
        out.iter_mut().zip(&self.dropped).filter(|(_, d)| **d).for_each(|(x, _)| *x = T::default());
        out
    }

    /// u·K u, and what it would be if its terms did not cancel.
    pub fn stiffness_along(&self, u: &[f64]) -> [f64; 2] {
        let terms = self.stiffness.iter().map(|(i, j, value)| value * u[i] * u[j]);
        terms.fold([0.0; 2], |[sum, most], term| [sum + term, most + term.abs()])
    }

    /// u·M u.
    pub fn mass_along(&self, u: &[f64]) -> f64 {
        self.mass.iter().map(|(i, j, value)| value * u[i] * u[j]).sum()
    }

    /// Whether K does more work along a displacement than rounding.
    pub fn is_held(&self, u: &[f64]) -> bool {
        let [work, most] = self.stiffness_along(u);
        work.abs() > HELD * most
    }

    /// Whether a displacement, once begun, is driven on: more than an equilibrium that was found only nearly tells.
    pub fn is_driven(&self, u: &[f64]) -> bool {
        let [work, most] = self.stiffness_along(u);
        work < -DRIVEN * most
    }

    /// Largest entry of a symmetric part that is not: K or D apart from their transposes, over their
    /// largest entries.
    pub fn asymmetry(&self) -> f64 {
        let of = |matrix: &Entries| {
            let (mut apart, mut most) = (0.0f64, 0.0f64);
            for (i, j, value) in matrix.iter() {
                let other = matrix.slot(j, i).map_or(0.0, |slot| matrix.values[slot]);
                apart = apart.max((value - other).abs());
                most = most.max(value.abs());
            }
            if most > 0.0 { apart / most } else { 0.0 }
        };
        of(&self.stiffness)
    }

    /// Largest ratio |K_ii|/M_ii, 1/s²: the size of the squares of the highest frequencies; one where K is nothing.
    pub fn fastest(&self) -> f64 {
        let diagonal = |matrix: &Entries, i: usize| {
            matrix.slot(i, i).map_or(0.0, |slot| matrix.values[slot].abs())
        };
        let most = |matrix: &Entries| matrix.values.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        let heaviest = most(&self.mass);
        let ratio = |i: usize| {
            let (k, m) = (diagonal(&self.stiffness, i), diagonal(&self.mass, i));
            if m > 1e-12 * heaviest { k / m } else { 0.0 }
        };
        let found = (0..self.size()).map(ratio).fold(0.0f64, f64::max);
        let rough = if heaviest > 0.0 { most(&self.stiffness) / heaviest } else { 0.0 };
        match (found > 0.0, rough > 0.0) {
            (true, _) => found,
            (false, true) => rough,
            // Nothing holds anything; a second is as good as any time.
            (false, false) => 1.0,
        }
    }
}
