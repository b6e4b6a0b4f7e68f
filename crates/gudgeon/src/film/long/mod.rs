//! Long bearing: pressure changes around the circle only, slice by slice.
//!
//! With h = 1 − n·e in c, ν = v/c and p in 12 μ (R/c)²,
//!
//!   −(h³ p_θ)_θ = n·ν                                                                         (1)
//!
//! A ring has no edge at which the pressure is known: (1) leaves its level open. Without a supply the
//! far ends of the bearing settle it (`ring.rs`), which is continuous in e and ν; a line at the widest
//! gap (`line.rs`) is not.

mod line;
mod ring;

use nalgebra::{Matrix2, Vector2};

use super::finite::{Cavitation, Supply};
use super::gauss::Gauss;
use super::response::{Response, Want};
use super::state::{Ends, FilmShape};
use super::turn::{Turn, points};

/// Force of one slice and its derivatives, in the axes of e and ν.
struct Slice {
    force: Vector2<f64>,
    by_e: Matrix2<f64>,
    by_nu: Matrix2<f64>,
}

impl Slice {
    fn new(
        e: Vector2<f64>,
        nu: Vector2<f64>,
        (cavitation, supply): (Cavitation, &Supply),
        gauss: &Gauss,
    ) -> Self {
        match supply {
            Supply::WidestGap => line::slice(e, nu, cavitation, gauss),
            // Grooves are refused by `Film::check`.
            Supply::None | Supply::Grooves(_) => ring::slice(e, nu, cavitation, gauss),
        }
    }
}

pub fn response(
    shape: &FilmShape,
    rule: (Cavitation, &Supply),
    ends: &Ends,
    gauss: &Gauss,
    want: Want,
) -> Response {
    let mut out = Response::ZERO;
    if ends.aligned() {
        let slice = Slice::new(ends.e[0], ends.nu[0], rule, gauss);
        // ∫ z² = 1/3 of ∫ 1
        out.add_aligned(
            [1.0 / 3.0; 2],
            slice.force * 2.0,
            &(slice.by_e * 2.0),
            &(slice.by_nu * 2.0),
        );
    } else {
        let turns = [Turn::of(&ends.e), Turn::of(&ends.nu)];
        let cuts = cuts(ends, &turns);
        for part in cuts.windows(2).filter(|part| part[1] > part[0]) {
            for (z, w) in points(&turns, part[0], part[1], gauss) {
                let slice = Slice::new(ends.e_at(z), ends.nu_at(z), rule, gauss);
                out.add(z, slice.force * w, &(slice.by_e * w), &(slice.by_nu * w), want);
            }
        }
    }
    let slant = shape.radius / shape.clearance;
    out.scale(6.0 * shape.viscosity * slant * slant * shape.radius * shape.length);
    out
}

/// −1, all places along the length where the film changes its shape, 1, in order: where e and ν turn,
/// half-way between, and where ν lies across or along e.
fn cuts(ends: &Ends, turns: &[Turn; 2]) -> [f64; 9] {
    let (e, nu) = (ends.e_at(0.0), ends.nu_at(0.0));
    let (de, dnu) = (ends.e[1] - e, ends.nu[1] - nu);
    let along = roots(de.dot(&dnu), e.dot(&dnu) + de.dot(&nu), e.dot(&nu));
    let across = roots(de.perp(&dnu), e.perp(&dnu) + de.perp(&nu), e.perp(&nu));
    let [a, b] = turns.map(|turn| turn.middle);
    let mut out =
        [-1.0, a, 0.5 * (a + b), b, along[0], along[1], across[0], across[1], 1.0].map(|z| {
            // A place that is none is not a number.
            if z > -1.0 { z.min(1.0) } else { -1.0 }
        });
    out.sort_by(f64::total_cmp);
    out
}

/// Zeros of a z² + b z + c.
fn roots(a: f64, b: f64, c: f64) -> [f64; 2] {
    let q = -0.5 * (b + (b * b - 4.0 * a * c).sqrt().copysign(b));
    [q / a, c / q]
}

/// p at θ and z, Pa.
pub fn pressure(
    shape: &FilmShape,
    (cavitation, supply): (Cavitation, &Supply),
    ends: &Ends,
    theta: f64,
    z: f64,
) -> f64 {
    let (e, nu) = (ends.e_at(z), ends.nu_at(z));
    let p = match supply {
        Supply::WidestGap => line::pressure(e, nu, cavitation, theta),
        Supply::None | Supply::Grooves(_) => ring::pressure(e, nu, cavitation, theta),
    };
    let slant = shape.radius / shape.clearance;
    12.0 * shape.viscosity * slant * slant * p
}

/// Zero of a function with different signs at two places.
fn sign_change(f: impl Fn(f64) -> f64, mut a: f64, mut b: f64) -> f64 {
    let (mut at_a, mut at_b) = (f(a), f(b));
    for _ in 0..60 {
        let next = (a * at_b - b * at_a) / (at_b - at_a);
        let value = f(next);
        if value == 0.0 || (next - b).abs() < 1e-14 {
            return next;
        }
        if (value > 0.0) == (at_b > 0.0) {
            at_a *= 0.5;
        } else {
            (a, at_a) = (b, at_b);
        }
        (b, at_b) = (next, value);
    }
    b
}
