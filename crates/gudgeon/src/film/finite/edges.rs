//! Conductances between nodes and the push of the moving wall on each cell.
//!
//! Between the lines i and i+1 the flow along θ, C = h³ p_θ − S with S_θ = −n·ν, hardly changes, so
//!
//!   p_{i+1} − p_i = ∫ (C + S)/h³ dθ,   C = k (p_{i+1} − p_i) − S̄                             (1)
//!   1/k = ∫ dθ/h³,   S̄ = k ∫ S/h³ dθ                                                        (2)
//!
//! and the balance of a cell has its push ν·g with g = ẑ-turned difference of n̄ = k ∫ n/h³ dθ. All
//! integrals by Simpson's rule in Γ. Between the rows j and j+1, h is linear and ∫ dz/h³ exact:
//!
//!   k_z = κ²/Δz · 2 h_j² h_{j+1}²/(h_j + h_{j+1})                                             (3)

use nalgebra::Vector2;

use super::grid::{Around, Axial};
use crate::film::state::Ends;

/// Coefficients of the balance; for an aligned journal of one row only.
#[derive(Clone, Debug)]
pub struct Edges {
    /// Rows that differ: 1, or all.
    pub rows: usize,
    /// k of (2) from each line to the next.
    pub k: Vec<f64>,
    /// n̄ of that interval.
    pub mean: Vec<Vector2<f64>>,
    /// h at the nodes.
    pub h: Vec<f64>,
    /// h at the ends z = ∓1 of each line.
    pub h_end: Vec<[f64; 2]>,
    /// Eccentricity ratio and ν of each row.
    pub e: Vec<Vector2<f64>>,
    pub nu: Vec<Vector2<f64>>,
}

impl Edges {
    pub fn new(lines: usize, rows: usize) -> Self {
        let zero = Vector2::zeros();
        Self {
            rows,
            k: vec![0.0; lines * rows],
            mean: vec![zero; lines * rows],
            h: vec![0.0; lines * rows],
            h_end: vec![[0.0; 2]; lines],
            e: vec![zero; rows],
            nu: vec![zero; rows],
        }
    }

    pub fn set(&mut self, around: &Around, axial: &Axial, ends: &Ends) {
        self.rows = if ends.aligned() { 1 } else { axial.rows() };
        for row in 0..self.rows {
            let z = if self.rows == 1 { 0.0 } else { axial.z[row] };
            self.e[row] = ends.e_at(z);
            self.nu[row] = ends.nu_at(z);
        }
        let lines = around.lines();
        for line in 0..lines {
            let next = if line + 1 == lines { 0 } else { 2 * line + 2 };
            let points = [2 * line, 2 * line + 1, next];
            self.h_end[line] = ends.e.map(|e| 1.0 - around.n[2 * line].dot(&e));
            for row in 0..self.rows {
                let at = line * self.rows + row;
                self.h[at] = 1.0 - around.n[2 * line].dot(&self.e[row]);
                (self.k[at], self.mean[at]) = if around.film[line] {
                    conductance(around, points, &self.e[row])
                } else {
                    (0.0, around.n[2 * line + 1])
                };
            }
        }
    }

    /// Index of the coefficients at a node.
    #[inline]
    pub fn at(&self, line: usize, row: usize) -> usize {
        if self.rows == 1 { line } else { line * self.rows + row }
    }

    /// g of a node per unit of z: ∫ n dθ over its cell.
    #[inline]
    pub fn push(&self, before: usize, line: usize, row: usize) -> Vector2<f64> {
        let d = self.mean[self.at(line, row)] - self.mean[self.at(before, row)];
        Vector2::new(d.y, -d.x)
    }

    /// Conductance along z across face `face` of a line, per unit of θ, without κ²/Δz.
    #[inline]
    pub fn across(&self, line: usize, face: usize, rows: usize) -> f64 {
        let (a, b) = self.beside(line, face, rows);
        2.0 * a * a * b * b / (a + b)
    }

    /// h on both sides of a face along z.
    #[inline]
    pub fn beside(&self, line: usize, face: usize, rows: usize) -> (f64, f64) {
        if self.rows == 1 {
            return (self.h[line], self.h[line]);
        }
        let a = if face == 0 { self.h_end[line][0] } else { self.h[line * rows + face - 1] };
        let b = if face == rows { self.h_end[line][1] } else { self.h[line * rows + face] };
        (a, b)
    }
}

/// Simpson's weights.
pub const SIMPSON: [f64; 3] = [1.0 / 6.0, 4.0 / 6.0, 1.0 / 6.0];

/// k and n̄ of (2).
fn conductance(around: &Around, points: [usize; 3], e: &Vector2<f64>) -> (f64, Vector2<f64>) {
    let (mut sum, mut mean) = (0.0, Vector2::zeros());
    for (point, weight) in points.into_iter().zip(SIMPSON) {
        let n = around.n[point];
        let h = 1.0 - n.dot(e);
        let share = weight * around.span[point] / (h * h * h);
        sum += share;
        mean += n * share;
    }
    (1.0 / sum, mean / sum)
}
