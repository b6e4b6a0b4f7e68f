//! Force, leakage and derivatives from the solved pressure.
//!
//! In the modes e(z) = e_c + z e_t the conjugate forces are F = ∫ dF and G = ∫ z dF. For each of these
//! four functionals Q = −w·p the adjoint λ = A⁻¹ w gives, on lines at rest,
//!
//!   δQ = −λ·(δb − δA p) − δw·p,   λ·δA p = Σ_edges δk (λ_a − λ_b)(p_a − p_b)                  (1)
//!
//! An aligned journal has F by e_c from the symmetric half and G by e_t from the antisymmetric one,
//! whose matrix is that of the half with the middle row held.

use nalgebra::{Matrix2, Matrix4, Vector2, Vector4};

use super::band::Band;
use super::edges::{Edges, SIMPSON};
use super::grid::{Around, Axial};
use super::share;
use super::solve::{Order, Wet, assemble, neighbours};
use crate::film::response::Response;
use crate::film::state::Ends;

/// (F, G) and their derivatives by (e_c, e_t) and (ν_c, ν_t).
#[derive(Clone, Copy, Debug)]
pub struct Modes {
    pub q: Vector4<f64>,
    pub by_e: Matrix4<f64>,
    pub by_nu: Matrix4<f64>,
}

impl Modes {
    /// The same in the coordinates of the ends: e_c = (e_A + e_W)/2, e_t = (e_W − e_A)/2.
    pub fn ends(&self) -> Response {
        let mut to_modes = Matrix4::zeros();
        for k in 0..2 {
            (to_modes[(k, k)], to_modes[(k, k + 2)]) = (0.5, 0.5);
            (to_modes[(k + 2, k)], to_modes[(k + 2, k + 2)]) = (-0.5, 0.5);
        }
        let back = to_modes.transpose();
        Response {
            q: back * self.q,
            by_e: back * self.by_e * to_modes,
            by_nu: back * self.by_nu * to_modes,
            leakage: 0.0,
        }
    }
}

/// F and G from the pressure.
pub fn forces(around: &Around, axial: &Axial, edges: &Edges, carried: &[f64]) -> Modes {
    let (lines, rows) = (around.lines(), axial.rows());
    let (mut f, mut g) = (Vector2::zeros(), Vector2::zeros());
    for line in 0..lines {
        let before = if line == 0 { lines - 1 } else { line - 1 };
        for row in 0..rows {
            let p = carried[line * rows + row];
            let part = edges.push(before, line, row) * (p * axial.weight[row]);
            f -= part;
            g -= part * axial.z[row];
        }
    }
    if axial.halved {
        (f, g) = (f * 2.0, Vector2::zeros());
    }
    Modes { q: Vector4::new(f.x, f.y, g.x, g.y), by_e: Matrix4::zeros(), by_nu: Matrix4::zeros() }
}

/// ∫ h³ |p_z| dθ at both ends, without what leaves the ends of grooves.
pub fn leakage(around: &Around, axial: &Axial, ends: &Ends, pressure: &[f64]) -> f64 {
    let rows = axial.rows();
    let (d1, d2) = (1.0 - axial.z[rows - 1], 1.0 - axial.z[rows - 2]);
    // Slope at the end of the parabola through 0 and the next two rows.
    let slope = |p1: f64, p2: f64| (p1 * d2 / d1 - p2 * d1 / d2) / (d2 - d1);
    let mut sum = 0.0;
    for line in (0..around.lines()).filter(|&line| around.held[line].is_none()) {
        let p = |row: usize| pressure[line * rows + row].max(0.0);
        let span = around.span[2 * line];
        let h3 = ends.e.map(|e| (1.0 - around.n[2 * line].dot(&e)).powi(3));
        let w = slope(p(rows - 1), p(rows - 2)).max(0.0);
        let a = if axial.halved { w } else { slope(p(0), p(1)).max(0.0) };
        sum += span * (h3[0] * a + h3[1] * w);
    }
    sum
}

/// Everything the derivatives need.
pub struct System<'a> {
    pub around: &'a Around,
    pub axial: &'a Axial,
    pub edges: &'a Edges,
    pub band: &'a mut Band,
    pub pressure: &'a [f64],
    pub carried: &'a [f64],
    pub wet: &'a mut Wet,
    pub adjoint: &'a mut [[f64; 4]],
}

impl System<'_> {
    /// Fills the derivatives of `modes`.
    pub fn derivatives(&mut self, modes: &mut Modes) {
        self.wet.mask.copy_from_slice(&self.wet.nodes);
        let (by_e, by_nu) = self.by_adjoints(self.wet.order);
        if !self.axial.halved {
            (modes.by_e, modes.by_nu) = (by_e, by_nu);
            return;
        }
        let rows = self.axial.rows();
        for line in 0..self.around.lines() {
            self.wet.mask[line * rows] = false;
        }
        let order = assemble(self.around, self.axial, self.edges, &self.wet.mask, self.band);
        self.band.factor();
        let (tilt_by_e, tilt_by_nu) = self.by_adjoints(order);
        for (i, j) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            modes.by_e[(i, j)] = 2.0 * by_e[(i, j)];
            modes.by_nu[(i, j)] = 2.0 * by_nu[(i, j)];
            modes.by_e[(i + 2, j + 2)] = 2.0 * tilt_by_e[(i + 2, j + 2)];
            modes.by_nu[(i + 2, j + 2)] = 2.0 * tilt_by_nu[(i + 2, j + 2)];
        }
    }

    /// (1) for all four functionals, with the factored matrix of the nodes in the mask.
    fn by_adjoints(&mut self, order: Order) -> (Matrix4<f64>, Matrix4<f64>) {
        let by = |line, row| order.of(line, row);
        self.weights(&order);
        let nodes = self.around.lines() * self.axial.rows();
        self.band.solve(&mut self.adjoint[..nodes]);
        let (mut by_e, mut by_nu) = (Matrix4::zeros(), Matrix4::zeros());
        for line in 0..self.around.lines() {
            self.around_edges(line, &by, &mut by_e);
            self.along_edges(line, &by, &mut by_e);
            self.pushes(line, &by, &mut by_nu);
        }
        (by_e, by_nu)
    }

    /// Right-hand sides of the adjoints: derivatives of −Q by the pressure of each node.
    fn weights(&mut self, order: &Order) {
        let (lines, rows) = (self.around.lines(), self.axial.rows());
        self.adjoint[..lines * rows].fill([0.0; 4]);
        for line in 0..lines {
            let (before, next) = neighbours(line, lines);
            for row in 0..rows {
                let p = self.pressure[line * rows + row];
                if p <= 0.0 {
                    continue;
                }
                let g = self.edges.push(before, line, row) * (0.5 * self.axial.weight[row]);
                let z = self.axial.z[row];
                let w = [g.x, g.y, z * g.x, z * g.y];
                for other in [before, next] {
                    let s = share(p, self.pressure[other * rows + row]);
                    self.weigh(order, line, row, &w, s * (2.0 - s));
                    if s < 1.0 {
                        self.weigh(order, other, row, &w, s * s);
                    }
                }
            }
        }
    }

    fn weigh(&mut self, order: &Order, line: usize, row: usize, w: &[f64; 4], by: f64) {
        if self.around.held[line].is_none() && self.wet.mask[line * self.axial.rows() + row] {
            let target = &mut self.adjoint[order.of(line, row)];
            for a in 0..4 {
                target[a] += by * w[a];
            }
        }
    }

    /// Flow along θ: k and n̄ change.
    fn around_edges(
        &self,
        line: usize,
        by: &impl Fn(usize, usize) -> usize,
        by_e: &mut Matrix4<f64>,
    ) {
        if !self.around.film[line] {
            return;
        }
        let (lines, rows) = (self.around.lines(), self.axial.rows());
        let (_, next) = neighbours(line, lines);
        let mut change = self.change(line, 0);
        for row in 0..rows {
            if row > 0 && self.edges.rows > 1 {
                change = self.change(line, row);
            }
            let (p, p_next) = (self.pressure[line * rows + row], self.pressure[next * rows + row]);
            if p == 0.0 && p_next == 0.0 {
                let l = self.adjoint[by(line, row)];
                let m = self.adjoint[by(next, row)];
                if l == [0.0; 4] && m == [0.0; 4] {
                    continue;
                }
            }
            let nu = self.edges.nu[if self.edges.rows == 1 { 0 } else { row }];
            let flow = (change.push.tr_mul(&nu) - change.k * (p - p_next)) * self.axial.width[row];
            let carried = (self.carried[line * rows + row] - self.carried[next * rows + row])
                * self.axial.weight[row];
            let z = self.axial.z[row];
            let (l, m) = (self.adjoint[by(line, row)], self.adjoint[by(next, row)]);
            for a in 0..4 {
                let drop = l[a] - m[a];
                let own = if a < 2 { carried } else { carried * z };
                for k in 0..2 {
                    let part = drop * flow[k] + own * change.push[(a % 2, k)];
                    by_e[(a, k)] -= part;
                    by_e[(a, k + 2)] -= part * z;
                }
            }
        }
    }

    /// Derivatives of k and of the turned n̄ of an interval by e.
    fn change(&self, line: usize, row: usize) -> Change {
        let lines = self.around.lines();
        let next = if line + 1 == lines { 0 } else { 2 * line + 2 };
        let e = self.edges.e[row];
        let (mut first, mut second) = (Vector2::zeros(), Matrix2::zeros());
        for (point, weight) in [2 * line, 2 * line + 1, next].into_iter().zip(SIMPSON) {
            let n = self.around.n[point];
            let h = 1.0 - n.dot(&e);
            let h2 = h * h;
            let share = n * (3.0 * weight * self.around.span[point] / (h2 * h2));
            first += share;
            second += n * share.transpose();
        }
        let at = self.edges.at(line, row);
        let (k, mean) = (self.edges.k[at], self.edges.mean[at]);
        let d = (second - mean * first.transpose()) * k;
        let push = Matrix2::new(d[(1, 0)], d[(1, 1)], -d[(0, 0)], -d[(0, 1)]);
        Change { k: first * (-k * k), push }
    }

    /// Flow along z: conductances change.
    fn along_edges(
        &self,
        line: usize,
        by: &impl Fn(usize, usize) -> usize,
        by_e: &mut Matrix4<f64>,
    ) {
        if self.around.held[line].is_some() {
            return;
        }
        let rows = self.axial.rows();
        let n = self.around.n[2 * line];
        let outside = |face: usize| if face == 0 { -1.0 } else { 1.0 };
        for face in 0..=rows {
            let (mut lambda, mut p) = ([0.0; 4], 0.0);
            let (mut za, mut zb) = (outside(face), outside(face));
            if face > 0 {
                za = self.axial.z[face - 1];
                lambda = self.adjoint[by(line, face - 1)];
                p = self.pressure[line * rows + face - 1];
            }
            if face < rows {
                zb = self.axial.z[face];
                let other = self.adjoint[by(line, face)];
                lambda = [0, 1, 2, 3].map(|a| lambda[a] - other[a]);
                p -= self.pressure[line * rows + face];
            }
            if p == 0.0 {
                continue;
            }
            let (a, b) = self.edges.beside(line, face, rows);
            let k = self.around.span[2 * line]
                * self.axial.face[face]
                * self.edges.across(line, face, rows);
            let by_a = -k * (2.0 / a - 1.0 / (a + b)) * p;
            let by_b = -k * (2.0 / b - 1.0 / (a + b)) * p;
            let (common, tilt) = (by_a + by_b, za * by_a + zb * by_b);
            for a in 0..4 {
                for k in 0..2 {
                    by_e[(a, k)] += lambda[a] * common * n[k];
                    by_e[(a, k + 2)] += lambda[a] * tilt * n[k];
                }
            }
        }
    }

    /// The push changes with ν.
    fn pushes(&self, line: usize, by: &impl Fn(usize, usize) -> usize, by_nu: &mut Matrix4<f64>) {
        let (before, _) = neighbours(line, self.around.lines());
        for row in 0..self.axial.rows() {
            let g = self.edges.push(before, line, row) * self.axial.width[row];
            let (lambda, z) = (self.adjoint[by(line, row)], self.axial.z[row]);
            for a in 0..4 {
                for k in 0..2 {
                    by_nu[(a, k)] -= lambda[a] * g[k];
                    by_nu[(a, k + 2)] -= lambda[a] * g[k] * z;
                }
            }
        }
    }
}

/// Derivatives by e: of k, and of n̄ turned as g is.
struct Change {
    k: Vector2<f64>,
    push: Matrix2<f64>,
}
