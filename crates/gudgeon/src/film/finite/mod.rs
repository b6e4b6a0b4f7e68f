//! Film of finite length: Reynolds' equation in θ and ζ by finite volumes.
//!
//! With h in c, ν = v/c, z = 2ζ/B, κ = 2R/B and p in 12 μ (R/c)²,
//!
//!   −(h³ p_θ)_θ − κ² (h³ p_z)_z = n·ν                                                        (1)
//!
//! Lines of constant θ lie close where the gap is narrow (`grid.rs`) and turn with the journal
//! (`lines.rs`). Between two nodes the flow is that of a one-dimensional film with the true h between
//! them (`edges.rs`), so in θ the scheme is exact for a long bearing and along ζ for a short one. The
//! matrix is symmetric with no positive entry beside the diagonal; the complementarity problem p ≥ 0
//! therefore has one solution, found in a few steps of an active-set method (`solve.rs`), from the
//! wet set of the nearest state of the last calls. The result does not depend on that start.
//!
//! An aligned journal is solved on half the length. Derivatives come from adjoint solves with the
//! matrix at hand (`tangent.rs`).

mod band;
mod edges;
mod force;
mod grid;
mod lines;
mod order;
mod solve;
mod tangent;

use nalgebra::Vector2;

use self::band::Band;
use self::edges::Edges;
use self::grid::{Around, Axial};
use self::lines::Lines;
use self::solve::{Discrete, Wet};
use super::response::{Response, Want};
use super::state::{Ends, FilmShape};

/// A film of finite length.
#[derive(Clone, Debug, PartialEq)]
pub struct FiniteFilm {
    /// Cells around the circle.
    pub around: usize,
    /// Cells along the whole length, even.
    pub along: usize,
    /// How far lines are drawn towards the narrow gap: 0 not at all, 1 as by Sommerfeld's
    /// substitution.
    pub draw: f64,
    pub cavitation: Cavitation,
    pub supply: Supply,
}

impl Default for FiniteFilm {
    fn default() -> Self {
        Self {
            around: 96,
            along: 12,
            draw: 0.75,
            cavitation: Cavitation::Reynolds,
            supply: Supply::None,
        }
    }
}

impl FiniteFilm {
    /// Cells for coefficients of a bearing. Forces have errors of second order in the cells, slopes of
    /// first order, because the edge of a Reynolds film steps from node to node: on the default grid
    /// slopes are good to some parts in a hundred, here to one.
    pub fn fine(self) -> Self {
        Self { around: 384, along: 24, ..self }
    }
}

/// What happens where the pressure would fall below zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cavitation {
    /// The equation is solved without regard to the sign and negative pressure dropped.
    HalfSommerfeld,
    /// p ≥ 0 with p_n = 0 at the edge of the film (Swift–Stieber).
    Reynolds,
}

/// Where oil enters.
#[derive(Clone, Debug, PartialEq)]
pub enum Supply {
    /// From the ends only: continuous in the state.
    None,
    /// p = 0 on the line of the widest gap at mid-length, which turns with the journal; the force
    /// jumps when a squeezed journal passes the centre, because the line does.
    WidestGap,
    /// Through axial grooves over the whole length, fixed in the bearing.
    Grooves(Vec<Groove>),
}

/// An axial groove.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Groove {
    /// Its middle, from ξ, rad.
    pub angle: f64,
    /// Its width, rad.
    pub width: f64,
    /// Pressure of the oil in it, Pa.
    pub pressure: f64,
}

/// Memory of one film: both grids, matrix, pressure, wet set.
#[derive(Clone, Debug)]
pub struct FiniteWork {
    around: Around,
    half: Axial,
    full: Axial,
    edges: Edges,
    band: Band,
    wet_half: Wet,
    wet_full: Wet,
    pressure: Vec<f64>,
    /// Pressure of each node as the force counts it: none where negative, less beside that.
    carried: Vec<f64>,
    adjoint: Vec<[f64; 4]>,
    /// State and lines of this pressure, and whether the band holds the factors of its wet set.
    solved: Option<(Ends, Vector2<f64>)>,
    factored: bool,
}

impl FiniteWork {
    pub fn new(shape: &FilmShape, film: &FiniteFilm) -> Self {
        let aspect = 2.0 * shape.radius / shape.length;
        let around = Around::new(film);
        let (half, full) = (Axial::half(film.along, aspect), Axial::full(film.along, aspect));
        let (lines, rows) = (around.lines(), full.rows());
        Self {
            edges: Edges::new(lines, rows),
            band: Band::new(lines * rows, 2 * rows),
            wet_half: Wet::new(lines, half.rows()),
            wet_full: Wet::new(lines, rows),
            pressure: vec![0.0; lines * rows],
            carried: vec![0.0; lines * rows],
            adjoint: vec![[0.0; 4]; (lines + 2) * rows],
            solved: None,
            factored: false,
            around,
            half,
            full,
        }
    }

    /// p at θ and z of the last solution, Pa: linear between nodes in Γ and z.
    pub fn pressure(
        &self,
        shape: &FilmShape,
        film: &FiniteFilm,
        aligned: bool,
        theta: f64,
        z: f64,
    ) -> f64 {
        let axial = if aligned { &self.half } else { &self.full };
        let rows = axial.rows();
        let (line, next, t) = self.around.between(theta, &film.supply);
        let (row, s) = axial.between(if aligned { z.abs() } else { z });
        let p = |line: usize, row: usize| {
            if row == 0 || row > rows { 0.0 } else { self.pressure[line * rows + row - 1].max(0.0) }
        };
        let on = |line: usize| (1.0 - s) * p(line, row) + s * p(line, row + 1);
        let slant = shape.radius / shape.clearance;
        12.0 * shape.viscosity * slant * slant * ((1.0 - t) * on(line) + t * on(next))
    }
}

pub fn response(
    shape: &FilmShape,
    film: &FiniteFilm,
    ends: &Ends,
    work: &mut FiniteWork,
    want: Want,
) -> Response {
    let mut out = Response::ZERO;
    for lines in Lines::of(film, ends) {
        let mut part = on_lines(shape, film, ends, &lines, work, want);
        if want == Want::Tangent {
            lines.follow(ends, &mut part);
        }
        lines.weigh(&part, &mut out);
    }
    out
}

/// The response on one set of lines, which do not follow the state.
fn on_lines(
    shape: &FilmShape,
    film: &FiniteFilm,
    ends: &Ends,
    lines: &Lines,
    work: &mut FiniteWork,
    want: Want,
) -> Response {
    solve_on(shape, film, ends, lines, work);
    let aligned = ends.aligned();
    let FiniteWork {
        around,
        half,
        full,
        edges,
        band,
        wet_half,
        wet_full,
        pressure,
        carried,
        adjoint,
        factored,
        ..
    } = work;
    let (axial, wet) = if aligned { (&*half, wet_half) } else { (&*full, wet_full) };
    let discrete = Discrete { around, axial, edges };
    let mut modes = force::forces(&discrete, carried);
    if want == Want::Tangent {
        if !*factored {
            discrete.factor(&wet.nodes, &mut wet.order, band);
        }
        *factored = false; // the derivatives need the band for themselves
        let mut system = tangent::System { film: discrete, pressure, carried, band, wet, adjoint };
        system.derivatives(&mut modes);
        if unmoved(film, ends) {
            modes.by_nu *= 0.5; // see `Ends::at_rest`
        }
    }
    let mut out = modes.ends();
    let slant = shape.radius / shape.clearance;
    let unit = 12.0 * shape.viscosity * slant * slant;
    out.scale(unit * 0.5 * shape.radius * shape.length);
    // −h³ p_ζ/(12 μ) R dθ
    let flow = slant * slant * shape.clearance.powi(3) * 2.0 * shape.radius / shape.length;
    out.leakage = flow * force::leakage(around, axial, ends, pressure);
    out
}

/// Finds the pressure of all nodes on the lines that count most; that of the last state is still there.
pub fn solve(shape: &FilmShape, film: &FiniteFilm, ends: &Ends, work: &mut FiniteWork) {
    solve_on(shape, film, ends, &Lines::heaviest(film, ends), work);
}

fn solve_on(
    shape: &FilmShape,
    film: &FiniteFilm,
    ends: &Ends,
    lines: &Lines,
    work: &mut FiniteWork,
) {
    let asked = Some((*ends, lines.direction));
    if work.solved == asked {
        return;
    }
    (work.solved, work.factored) = (asked, true);
    let slant = shape.radius / shape.clearance;
    let unit = 12.0 * shape.viscosity * slant * slant;
    work.around.place(ends.e_at(0.0), lines.direction, film, unit);
    let FiniteWork {
        around, half, full, edges, band, wet_half, wet_full, pressure, carried, ..
    } = work;
    let (axial, wet) = if ends.aligned() { (&*half, wet_half) } else { (&*full, wet_full) };
    edges.set(around, axial, ends);
    let (discrete, moved) = (Discrete { around, axial, edges }, !unmoved(film, ends));
    discrete.solve(film.cavitation, ends, moved, band, wet, pressure);
    carry(around.lines(), axial.rows(), pressure, carried);
}

/// Whether neither motion nor supply moves the oil: p = 0, with no edge of the film.
fn unmoved(film: &FiniteFilm, ends: &Ends) -> bool {
    let fed = match &film.supply {
        Supply::Grooves(grooves) => grooves.iter().any(|groove| groove.pressure > 0.0),
        _ => false,
    };
    ends.at_rest() && !fed
}

/// What a node carries beside a neighbour along θ with pressure q: p cut off linearly where it passes
/// zero, so that the force has no corner when a node turns.
#[inline]
fn share(p: f64, q: f64) -> f64 {
    if q >= 0.0 { 1.0 } else { p / (p - q) }
}

fn carry(lines: usize, rows: usize, pressure: &[f64], carried: &mut [f64]) {
    for line in 0..lines {
        let (before, next) = solve::neighbours(line, lines);
        for row in 0..rows {
            let p = pressure[line * rows + row];
            carried[line * rows + row] = if p > 0.0 {
                let sides = [before, next].map(|line| share(p, pressure[line * rows + row]));
                0.5 * p * (sides[0] + sides[1])
            } else {
                0.0
            };
        }
    }
}
