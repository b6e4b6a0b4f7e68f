//! Grids: lines around the circle, rows along the length.

use std::f64::consts::{PI, TAU};

use nalgebra::Vector2;

use super::{FiniteFilm, Groove, Supply};
use crate::film::sommerfeld::Sommerfeld;
use crate::film::state::turned;

/// Slope of z(u) at the ends of the length: rows are closer there.
const END_SLOPE: f64 = 0.5;
/// Least number of cells on a pad.
const PAD_CELLS: usize = 8;

/// Points around the circle: node, middle of the next interval, node, … .
#[derive(Clone, Debug)]
pub struct Around {
    pads: Vec<Pad>,
    /// n = (cosθ, sinθ) of all points.
    pub n: Vec<Vector2<f64>>,
    /// dθ/dΓ times the step of Γ, for all points.
    pub span: Vec<f64>,
    /// Whether the interval after a line is film and not groove.
    pub film: Vec<bool>,
    /// Pressure at which a line is held, in the film's unit.
    pub held: Vec<Option<f64>>,
    /// Direction of the narrow gap.
    direction: Vector2<f64>,
    /// Γ of the first line from there, on a ring without grooves.
    first: f64,
    map: Sommerfeld,
}

/// Lines from one groove to the next.
#[derive(Clone, Copy, Debug)]
struct Pad {
    from: f64,
    to: f64,
    cells: usize,
}

impl Around {
    pub fn new(film: &FiniteFilm) -> Self {
        let (cells, supply) = (film.around, &film.supply);
        let pads = match supply {
            Supply::Grooves(grooves) => pads(cells, grooves),
            _ => vec![Pad { from: -PI, to: PI, cells }],
        };
        let grooved = usize::from(matches!(supply, Supply::Grooves(_)));
        let lines: usize = pads.iter().map(|pad| pad.cells + grooved).sum();
        let mut film = vec![true; lines];
        if grooved == 1 {
            let mut line = 0;
            for pad in &pads {
                line += pad.cells + 1;
                film[line - 1] = false;
            }
        }
        let held = vec![None; lines];
        let (n, span) = (vec![Vector2::zeros(); 2 * lines], vec![0.0; 2 * lines]);
        let (direction, map) = (Vector2::x(), Sommerfeld::new(0.0));
        Self { pads, n, span, film, held, direction, first: -PI, map }
    }

    pub fn lines(&self) -> usize {
        self.held.len()
    }

    /// Draws the lines for a journal at e: equal steps of Sommerfeld's Γ on each pad, with an
    /// eccentricity ratio of its own, (1+ε)/(1−ε) = ((1+e)/(1−e))^draw. On a ring without grooves the
    /// first line is that of Γ opposite to a given direction; where this is that of e, it is the widest gap.
    pub fn place(&mut self, e: Vector2<f64>, to: Vector2<f64>, film: &FiniteFilm, unit: f64) {
        let size = e.norm();
        self.direction = if size > 0.0 { e / size } else { to };
        let k2 = ((1.0 + size) / (1.0 - size)).powf(film.draw);
        self.map = Sommerfeld::new((k2 - 1.0) / (k2 + 1.0));
        match &film.supply {
            Supply::WidestGap | Supply::None => {
                let step = TAU / self.lines() as f64;
                let (u, w) = (self.direction, turned(self.direction));
                self.first = if to == u { -PI } else { to.dot(&w).atan2(to.dot(&u)) - PI };
                self.fill(0, 2 * self.lines(), self.first, step);
                self.held[0] = (film.supply == Supply::WidestGap).then_some(0.0);
            }
            Supply::Grooves(grooves) => self.place_pads(grooves, unit),
        }
    }

    fn place_pads(&mut self, grooves: &[Groove], unit: f64) {
        let beta = self.direction.y.atan2(self.direction.x);
        let mut line = 0;
        for k in 0..self.pads.len() {
            let Pad { from, to, cells } = self.pads[k];
            let (first, last) = (self.map.gamma(from - beta), self.map.gamma(to - beta));
            self.fill(line, 2 * cells + 1, first, (last - first) / cells as f64);
            let next = grooves[(k + 1) % grooves.len()];
            let middle = next.angle;
            self.n[2 * (line + cells) + 1] = Vector2::new(middle.cos(), middle.sin());
            self.span[2 * (line + cells) + 1] = 0.0;
            self.held[line] = Some(grooves[k].pressure / unit);
            self.held[line + cells] = Some(next.pressure / unit);
            line += cells + 1;
        }
    }

    /// The lines before and after an angle, and how far it is from one to the other, 0 … 1.
    pub fn between(&self, theta: f64, supply: &Supply) -> (usize, usize, f64) {
        let beta = self.direction.y.atan2(self.direction.x);
        let lines = self.lines();
        if !matches!(supply, Supply::Grooves(_)) {
            let psi = (theta - beta + PI).rem_euclid(TAU) - PI;
            let place = (self.map.gamma(psi) - self.first).rem_euclid(TAU) / TAU * lines as f64;
            let line = (place.floor() as usize).min(lines - 1);
            return (line, (line + 1) % lines, place - line as f64);
        }
        let mut line = 0;
        for (k, &Pad { from, to, cells }) in self.pads.iter().enumerate() {
            let past = (theta - from).rem_euclid(TAU);
            if past <= to - from {
                let [first, last, here] =
                    [from, to, from + past].map(|angle| self.map.gamma(angle - beta));
                let place = (here - first) / (last - first) * cells as f64;
                let cell = (place.floor() as usize).min(cells - 1);
                return (line + cell, line + cell + 1, place - cell as f64);
            }
            line += cells + 1;
            let next = self.pads[(k + 1) % self.pads.len()].from;
            if past - (to - from) <= (next - to).rem_euclid(TAU) {
                return (line - 1, line % lines, 0.5); // within the groove
            }
        }
        unreachable!("pads and grooves cover the circle")
    }

    /// So many points from a line on, with equal steps of Γ.
    fn fill(&mut self, line: usize, points: usize, from: f64, step: f64) {
        let (s, c) = (0.5 * step).sin_cos();
        let (mut sin, mut cos) = from.sin_cos();
        let u = self.direction;
        for k in 0..points {
            let point = self.map.point(cos, sin);
            self.n[2 * line + k] = Vector2::new(
                point.cos * u.x - point.sin * u.y, //
                point.cos * u.y + point.sin * u.x,
            );
            self.span[2 * line + k] = point.slope * step;
            (cos, sin) = (cos * c - sin * s, sin * c + cos * s);
        }
    }
}

/// Pads between grooves in the order of their angles.
fn pads(cells: usize, grooves: &[Groove]) -> Vec<Pad> {
    (0..grooves.len())
        .map(|k| {
            let next = &grooves[(k + 1) % grooves.len()];
            let from = grooves[k].angle + 0.5 * grooves[k].width;
            let mut to = next.angle - 0.5 * next.width;
            while to <= from {
                to += TAU;
            }
            let share = (cells as f64 * (to - from) / TAU).round() as usize;
            Pad { from, to, cells: share.max(PAD_CELLS) }
        })
        .collect()
}

/// Rows along z = 2ζ/B between the ends, where p = 0.
#[derive(Clone, Debug)]
pub struct Axial {
    pub z: Vec<f64>,
    /// Widths of the cells.
    pub width: Vec<f64>,
    /// Simpson's weights.
    pub weight: Vec<f64>,
    /// κ²/Δz from row j − 1 to row j; first and last from and to the ends (0 for a plane of symmetry).
    pub face: Vec<f64>,
    /// Whether only z ≥ 0 is there.
    pub halved: bool,
}

impl Axial {
    pub fn full(cells: usize, aspect: f64) -> Self {
        let all: Vec<f64> = (0..=cells).map(|k| stretch(cells, k).0).collect();
        let rows = 1..cells;
        Self {
            z: all[rows.clone()].to_vec(),
            width: rows.clone().map(|k| 0.5 * (all[k + 1] - all[k - 1])).collect(),
            weight: rows.map(|k| simpson(cells, k)).collect(),
            face: (0..cells).map(|k| aspect * aspect / (all[k + 1] - all[k])).collect(),
            halved: false,
        }
    }

    /// The rows z ≥ 0 of the same grid; the middle row has half a cell.
    pub fn half(cells: usize, aspect: f64) -> Self {
        let mut out = Self::full(cells, aspect);
        let middle = cells / 2 - 1;
        out.z.drain(..middle);
        out.width.drain(..middle);
        out.weight.drain(..middle);
        out.face.drain(..middle);
        out.width[0] *= 0.5;
        out.weight[0] *= 0.5;
        out.face[0] = 0.0;
        out.halved = true;
        out
    }

    /// Rows, counted from 1 with 0 and rows + 1 for the ends, before z and how far z is to the next.
    pub fn between(&self, z: f64) -> (usize, f64) {
        let rows = self.rows();
        let at = |row: usize| match row {
            0 if self.halved => 0.0,
            0 => -1.0,
            row if row > rows => 1.0,
            row => self.z[row - 1],
        };
        let first = usize::from(self.halved);
        let row = (first..=rows).rev().find(|&row| at(row) <= z).unwrap_or(first);
        (row, ((z - at(row)) / (at(row + 1) - at(row))).clamp(0.0, 1.0))
    }

    pub fn rows(&self) -> usize {
        self.z.len()
    }
}

/// z(u) = a u + (1 − a) u³ with slope END_SLOPE at the ends, and dz/du.
fn stretch(cells: usize, k: usize) -> (f64, f64) {
    let u = 2.0 * k as f64 / cells as f64 - 1.0;
    let a = 0.5 * (3.0 - END_SLOPE);
    (u * (a + (1.0 - a) * u * u), a + 3.0 * (1.0 - a) * u * u)
}

fn simpson(cells: usize, k: usize) -> f64 {
    let share = if k % 2 == 1 { 4.0 } else { 2.0 };
    share * stretch(cells, k).1 * 2.0 / (3.0 * cells as f64)
}
