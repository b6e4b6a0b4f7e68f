//! How the unit wrenches of a row change when its markers move: ∂(Gᵀλ)/∂q and ∂(G v)/∂q.
//!
//! With δn = δφ_a × n, δd = δp_b − δp_a and the rows of `joint/mod.rs`, for example
//!
//!   slide:   δ(−n, n × d) = (−δn, δn × d + n × δd)                                          (1)
//!   square:  δ(u × w) = δu × w + u × δw                                                     (2)

use std::f64::consts::TAU;

use nalgebra::Vector3;

use super::{RowKind, RowWrenches, Side, Turn, square_row, turn_row};
use crate::marker::{MarkerState, Variation};
use crate::math::spatial::Axis::{X, Z};
use crate::math::spatial::{Pair, Wrench};

impl RowWrenches {
    pub fn pair(&self) -> Pair {
        Pair { a: self.on_a, b: self.on_b }
    }
}

impl RowKind {
    /// Change of the unit wrenches for small motions of both markers.
    pub fn change(self, a: &MarkerState, b: &MarkerState, da: &Variation, db: &Variation) -> Pair {
        match self {
            Self::Point(_) | Self::Angle => Pair::ZERO,
            Self::Internal(_) => unreachable!("internal rows are known to their component"),
            Self::Slide(axis) => slide(a.frame.axis(axis), a, b, da, db),
            Self::Square(u, w) => square(a.frame.axis(u), b.frame.axis(w), da, db),
            Self::Turn(turn) => turned(turn, a, b, da, db),
            Self::Tip => tip(a, b, da, db),
            Self::Distance { length } => Pair::forces((db.p - da.p) / length),
            Self::Helix { pitch } => {
                let turn = turned(Turn::Axis, a, b, da, db).scaled(-pitch / TAU);
                slide(a.frame.axis(Z), a, b, da, db).plus(&turn)
            }
        }
    }
}

/// (1)
fn slide(
    n: Vector3<f64>,
    a: &MarkerState,
    b: &MarkerState,
    da: &Variation,
    db: &Variation,
) -> Pair {
    let (d, d_change) = (b.frame.p - a.frame.p, db.p - da.p);
    let n_change = da.turn.cross(&n);
    let t = n_change.cross(&d) + n.cross(&d_change);
    Pair { a: Wrench { f: -n_change, t }, b: Wrench::force(n_change) }
}

/// (2)
fn square(u: Vector3<f64>, w: Vector3<f64>, da: &Variation, db: &Variation) -> Pair {
    let change = da.turn.cross(&u).cross(&w) + u.cross(&db.turn.cross(&w));
    Pair::torques(-change)
}

/// Change of u · w.
fn product_change((_, u, w): &Side, da: &Variation, db: &Variation) -> f64 {
    u.cross(w).dot(&(da.turn - db.turn))
}

/// Of the row (C S_row − S C_row)/ρ², ρ² = S² + C².
fn turned(turn: Turn, a: &MarkerState, b: &MarkerState, da: &Variation, db: &Variation) -> Pair {
    let (s, c) = turn.sides(a, b);
    let (ds, dc) = (product_change(&s, da, db), product_change(&c, da, db));
    let rho = s.0 * s.0 + c.0 * c.0;
    let growth = 2.0 * (s.0 * ds + c.0 * dc) / rho;
    let (sine, cosine) = (square_row(s.1, s.2, a, b).pair(), square_row(c.1, c.2, a, b).pair());
    let row = turn_row(turn, a, b).pair();
    let sides = sine.scaled(dc / rho).plus(&cosine.scaled(-ds / rho));
    let axes = square(s.1, s.2, da, db).scaled(c.0 / rho);
    let axes = axes.plus(&square(c.1, c.2, da, db).scaled(-s.0 / rho));
    sides.plus(&axes).plus(&row.scaled(-growth))
}

/// Of the row of x_a · z_b = sin φ over cos φ.
fn tip(a: &MarkerState, b: &MarkerState, da: &Variation, db: &Variation) -> Pair {
    let (u, w) = (a.frame.axis(X), b.frame.axis(Z));
    let sine = u.dot(&w);
    let square_cosine = (1.0 - sine * sine).max(1e-16);
    let cosine = square_cosine.sqrt();
    let change = product_change(&(sine, u, w), da, db);
    let row = square_row(u, w, a, b).pair().scaled(sine * change / (square_cosine * cosine));
    square(u, w, da, db).scaled(1.0 / cosine).plus(&row)
}
