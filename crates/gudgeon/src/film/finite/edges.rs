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
    /// Conductance from each node to the next line.
    pub along: Vec<f64>,
    /// Conductance across every face of each line, by (3).
    pub across: Vec<f64>,
    /// dθ/h³ at the points of one row.
    share: Vec<f64>,
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
            along: vec![0.0; lines * rows],
            across: vec![0.0; lines * (rows + 1)],
            share: vec![0.0; 2 * lines],
        }
    }

    pub fn set(&mut self, around: &Around, axial: &Axial, ends: &Ends) {
        self.rows = if ends.aligned() { 1 } else { axial.rows() };
        for row in 0..self.rows {
            let z = if self.rows == 1 { 0.0 } else { axial.z[row] };
            self.e[row] = ends.e_at(z);
            self.nu[row] = ends.nu_at(z);
        }
        for (line, h) in self.h_end.iter_mut().enumerate() {
            *h = ends.e.map(|e| 1.0 - around.n[2 * line].dot(&e));
        }
        for row in 0..self.rows {
            self.set_row(around, row);
        }
        self.conduct(around, axial);
    }

    /// h, k and n̄ of one row, by Simpson's rule.
    fn set_row(&mut self, around: &Around, row: usize) {
        let (rows, e) = (self.rows, self.e[row]);
        let points = around.n.iter().zip(&around.span);
        for (point, (share, (n, span))) in self.share.iter_mut().zip(points).enumerate() {
            let h = 1.0 - n.dot(&e);
            *share = span / (h * h * h);
            if point % 2 == 0 {
                self.h[point / 2 * rows + row] = h;
            }
        }
        let lines = around.lines();
        for line in 0..lines {
            let at = line * rows + row;
            if !around.film[line] {
                (self.k[at], self.mean[at]) = (0.0, around.n[2 * line + 1]);
                continue;
            }
            let points = [2 * line, 2 * line + 1, if line + 1 == lines { 0 } else { 2 * line + 2 }];
            let (mut sum, mut mean) = (0.0, Vector2::zeros());
            for (point, weight) in points.into_iter().zip(SIMPSON) {
                let share = weight * self.share[point];
                sum += share;
                mean += around.n[point] * share;
            }
            self.k[at] = 1.0 / sum;
            self.mean[at] = mean * self.k[at];
        }
    }

    /// Conductances between all nodes.
    fn conduct(&mut self, around: &Around, axial: &Axial) {
        let rows = axial.rows();
        for line in 0..around.lines() {
            let span = around.span[2 * line];
            let along = &mut self.along[line * rows..(line + 1) * rows];
            if self.rows == 1 {
                let (k, h) = (self.k[line], self.h[line]);
                let cross = span * h * h * h;
                let across = &mut self.across[line * (rows + 1)..][..rows + 1];
                along.iter_mut().zip(&axial.width).for_each(|(to, width)| *to = width * k);
                across.iter_mut().zip(&axial.face).for_each(|(to, face)| *to = face * cross);
                continue;
            }
            let k = &self.k[line * rows..(line + 1) * rows];
            along.iter_mut().zip(&axial.width).zip(k).for_each(|((to, w), k)| *to = w * k);
            for face in 0..=rows {
                let (a, b) = self.beside(line, face, rows);
                let mean = 2.0 * a * a * b * b / (a + b);
                self.across[line * (rows + 1) + face] = span * axial.face[face] * mean;
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
