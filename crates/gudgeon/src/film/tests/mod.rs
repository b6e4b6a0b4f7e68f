//! Tests of every film model.

mod bearing;
mod continuity;
mod derivatives;
mod field;
mod finite;
mod long;
mod power;
mod properties;
mod short;
mod short_exact;

use nalgebra::Vector2;

use super::*;

/// The film of PAPERS.md, `tian`.
pub const TIAN: FilmShape =
    FilmShape { viscosity: 0.4, radius: 0.03, length: 0.04, clearance: 2e-4 };

/// Positions in c, rates in mm/s, as PAPERS.md writes them.
pub fn state(place: [f64; 4], rate: [f64; 4], omega: f64) -> JournalState {
    let pair =
        |a: [f64; 4], by: f64| [Vector2::new(a[0], a[1]) * by, Vector2::new(a[2], a[3]) * by];
    JournalState { place: pair(place, TIAN.clearance), rate: pair(rate, 1e-3), omega }
}

pub fn close(value: f64, expected: f64, tolerance: f64) {
    assert!(
        (value - expected).abs() <= tolerance * expected.abs(),
        "{value} is not {expected} within {tolerance:e}, off by {:.2e}",
        (value - expected) / expected
    );
}
