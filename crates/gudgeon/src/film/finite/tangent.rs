//! Derivatives of the force of a finite film.
//!
//! In the modes e(z) = e_c + z e_t the conjugate forces are F = ∫ dF and G = ∫ z dF. For each of these
//! four functionals Q = −w·p the adjoint λ = A⁻¹ w gives, on lines at rest,
//!
//!   δQ = −λ·(δb − δA p) − δw·p,   λ·δA p = Σ_edges δk (λ_a − λ_b)(p_a − p_b)                  (1)
//!
//! An aligned journal has F by e_c from the symmetric half and G by e_t from the antisymmetric one,
//! whose matrix is that of the half with the middle row held.

use nalgebra::{Matrix2, Matrix4, Vector2};

use super::band::Band;
use super::edges::SIMPSON;
use super::force::Modes;
use super::order::Order;
use super::share;
use super::solve::{Discrete, Wet, neighbours};

/// A solved film and memory for its derivatives.
pub struct System<'a> {
    pub film: Discrete<'a>,
    pub pressure: &'a [f64],
    pub carried: &'a [f64],
    pub band: &'a mut Band,
    pub wet: &'a mut Wet,
    pub adjoint: &'a mut [[f64; 4]],
}

impl System<'_> {
    /// Fills the derivatives of `modes`.
    pub fn derivatives(&mut self, modes: &mut Modes) {
        self.wet.mask.copy_from_slice(&self.wet.nodes);
        let (by_e, by_nu) = self.by_adjoints();
        if !self.film.axial.halved {
            (modes.by_e, modes.by_nu) = (by_e, by_nu);
            return;
        }
        let rows = self.film.axial.rows();
        for line in 0..self.film.around.lines() {
            self.wet.mask[line * rows] = false;
        }
        self.film.factor(&self.wet.mask, &mut self.wet.order, self.band);
        let (tilt_by_e, tilt_by_nu) = self.by_adjoints();
        for (i, j) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            modes.by_e[(i, j)] = 2.0 * by_e[(i, j)];
            modes.by_nu[(i, j)] = 2.0 * by_nu[(i, j)];
            modes.by_e[(i + 2, j + 2)] = 2.0 * tilt_by_e[(i + 2, j + 2)];
            modes.by_nu[(i + 2, j + 2)] = 2.0 * tilt_by_nu[(i + 2, j + 2)];
        }
    }

    /// (1) for all four functionals, with the factored matrix of the nodes in the mask.
    fn by_adjoints(&mut self) -> (Matrix4<f64>, Matrix4<f64>) {
        // The last are those of lines left out, and what the band reaches.
        let size = self.wet.order.size() + self.wet.order.reach();
        self.adjoint[..size].fill([0.0; 4]);
        self.weights();
        self.band.solve(self.adjoint);
        let (mut by_e, mut by_nu) = (Matrix4::zeros(), Matrix4::zeros());
        for line in 0..self.film.around.lines() {
            self.along_edges(line, &mut by_e);
            if self.wet.order.has(line) {
                self.across_edges(line, &mut by_e);
                self.pushes(line, &mut by_nu);
            }
        }
        (by_e, by_nu)
    }

    /// Right-hand sides of the adjoints: derivatives of −Q by the pressure of each node.
    fn weights(&mut self) {
        let (lines, rows) = (self.film.around.lines(), self.film.axial.rows());
        for line in 0..lines {
            let (before, next) = neighbours(line, lines);
            for row in 0..rows {
                let p = self.pressure[line * rows + row];
                if p < 0.0 {
                    continue;
                }
                let weight = 0.5 * self.film.axial.weight[row];
                let g = self.film.edges.push(before, line, row) * weight;
                let z = self.film.axial.z[row];
                let w = [g.x, g.y, z * g.x, z * g.y];
                for other in [before, next] {
                    let s = share(p, self.pressure[other * rows + row]);
                    self.weigh(line, row, &w, s * (2.0 - s));
                    if s < 1.0 {
                        self.weigh(other, row, &w, s * s);
                    }
                }
            }
        }
    }

    fn weigh(&mut self, line: usize, row: usize, w: &[f64; 4], by: f64) {
        let order: &Order = &self.wet.order;
        if order.has(line) && self.wet.mask[line * self.film.axial.rows() + row] {
            let target = &mut self.adjoint[order.of(line, row)];
            for a in 0..4 {
                target[a] += by * w[a];
            }
        }
    }

    /// λ of a node.
    #[inline]
    fn lambda(&self, line: usize, row: usize) -> [f64; 4] {
        self.adjoint[self.wet.order.of(line, row)]
    }

    /// Flow along θ: k and n̄ change.
    fn along_edges(&self, line: usize, by_e: &mut Matrix4<f64>) {
        let Discrete { around, axial, edges } = self.film;
        let rows = axial.rows();
        let (_, next) = neighbours(line, around.lines());
        let idle = !self.wet.order.has(line) && !self.wet.order.has(next);
        if !around.film[line] || (idle && around.held[line] == around.held[next]) {
            return;
        }
        let mut change = self.change(line, 0);
        for row in 0..rows {
            if row > 0 && edges.rows > 1 {
                change = self.change(line, row);
            }
            let (at, on) = (line * rows + row, next * rows + row);
            let (z, nu) = (axial.z[row], edges.nu[if edges.rows == 1 { 0 } else { row }]);
            let drop = change.k * (self.pressure[at] - self.pressure[on]);
            let flow = (change.push.tr_mul(&nu) - drop) * axial.width[row];
            let carried = (self.carried[at] - self.carried[on]) * axial.weight[row];
            let (here, there) = (self.lambda(line, row), self.lambda(next, row));
            for a in 0..4 {
                let own = if a < 2 { carried } else { carried * z };
                for k in 0..2 {
                    let part = (here[a] - there[a]) * flow[k] + own * change.push[(a % 2, k)];
                    by_e[(a, k)] -= part;
                    by_e[(a, k + 2)] -= part * z;
                }
            }
        }
    }

    /// Derivatives of k and of the turned n̄ of an interval by e.
    fn change(&self, line: usize, row: usize) -> Change {
        let Discrete { around, edges, .. } = self.film;
        let next = if line + 1 == around.lines() { 0 } else { 2 * line + 2 };
        let e = edges.e[row];
        let (mut first, mut second) = (Vector2::zeros(), Matrix2::zeros());
        for (point, weight) in [2 * line, 2 * line + 1, next].into_iter().zip(SIMPSON) {
            let n = around.n[point];
            let h = 1.0 - n.dot(&e);
            let h2 = h * h;
            let share = n * (3.0 * weight * around.span[point] / (h2 * h2));
            first += share;
            second += n * share.transpose();
        }
        let at = edges.at(line, row);
        let (k, mean) = (edges.k[at], edges.mean[at]);
        let d = (second - mean * first.transpose()) * k;
        let push = Matrix2::new(d[(1, 0)], d[(1, 1)], -d[(0, 0)], -d[(0, 1)]);
        Change { k: first * (-k * k), push }
    }

    /// Flow along z: conductances change.
    fn across_edges(&self, line: usize, by_e: &mut Matrix4<f64>) {
        let Discrete { around, axial, edges } = self.film;
        let rows = axial.rows();
        let n = around.n[2 * line];
        let end = |face: usize| (if face == 0 { -1.0 } else { 1.0 }, [0.0; 4], 0.0);
        let at =
            |row: usize| (axial.z[row], self.lambda(line, row), self.pressure[line * rows + row]);
        for face in 0..=rows {
            let (z_a, lambda_a, p_a) = if face > 0 { at(face - 1) } else { end(face) };
            let (z_b, lambda_b, p_b) = if face < rows { at(face) } else { end(face) };
            let (a, b) = edges.beside(line, face, rows);
            let flow = self.film.across(line, face) * (p_a - p_b);
            let by_a = -flow * (2.0 / a - 1.0 / (a + b));
            let by_b = -flow * (2.0 / b - 1.0 / (a + b));
            let (common, tilt) = (by_a + by_b, z_a * by_a + z_b * by_b);
            for a in 0..4 {
                let drop = lambda_a[a] - lambda_b[a];
                for k in 0..2 {
                    by_e[(a, k)] += drop * common * n[k];
                    by_e[(a, k + 2)] += drop * tilt * n[k];
                }
            }
        }
    }

    /// The push changes with ν.
    fn pushes(&self, line: usize, by_nu: &mut Matrix4<f64>) {
        let Discrete { around, axial, edges } = self.film;
        let (before, _) = neighbours(line, around.lines());
        for row in 0..axial.rows() {
            let g = edges.push(before, line, row) * axial.width[row];
            let (lambda, z) = (self.lambda(line, row), axial.z[row]);
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
