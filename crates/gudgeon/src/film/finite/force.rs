//! Force and leakage from the solved pressure.

use nalgebra::{Matrix4, Vector2, Vector4};

use super::grid::{Around, Axial};
use super::solve::{Discrete, neighbours};
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
pub fn forces(film: &Discrete, carried: &[f64]) -> Modes {
    let Discrete { around, axial, edges } = *film;
    let (lines, rows) = (around.lines(), axial.rows());
    let (mut f, mut g) = (Vector2::zeros(), Vector2::zeros());
    for line in 0..lines {
        let (before, _) = neighbours(line, lines);
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
