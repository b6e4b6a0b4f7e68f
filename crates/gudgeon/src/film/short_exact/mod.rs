//! Short bearing with a tilted journal, solved exactly.
//!
//! With h in c, f = n·ν, z = 2ζ/B and p in 3 μ (B/c)², the equation at each angle is
//!
//!   −(h³ p')' = f,   p(±1) = 0                                                               (1)
//!
//! where h and f are linear in z (`strip.rs`). Where f changes its sign along the length, so may p:
//! *half-Sommerfeld* (the paper's Gümbel condition) drops the negative part, *Reynolds* lets the film
//! begin where p = p' = 0. The latter bears more: the moment of a small pure tilt by 81/64.
//!
//! While the journal is aligned, forces are those of `short.rs` and a tilt z changes flow and pressure by
//!
//!   −(h³ p')' = z f  ⇒  y = (1/3 − z²)/2,  ∫ y² = 1/15 of ∫ z²,  −∫ z·z y = 2/15 of ∫ z²        (2)
//!
//! Around the circle the forces are summed by Gauss points in Sommerfeld's variable, stretch by stretch
//! between the angles where f changes its sign at an end or the film leaves an end.

mod strip;

use std::f64::consts::{FRAC_PI_2, TAU};

use nalgebra::Vector2;

use self::strip::{Gap, Strip};
use super::finite::Cavitation;
use super::gauss::Gauss;
use super::response::{Response, Want};
use super::short;
use super::sommerfeld::Sommerfeld;
use super::state::{Ends, FilmShape};

/// By (2): derivatives by ν and by e of the moment of a tilt over those of the force.
const TILT: [f64; 2] = [1.0 / 15.0, 2.0 / 15.0];
/// Points around, for stretches of the circle up to so long in Sommerfeld's variable: where f has one sign
/// along the length, and where it has both, which bear the less the shorter they are.
const PRESSED: [(usize, f64); 4] = [(8, 0.15), (12, 0.4), (16, 1.5), (20, f64::INFINITY)];
const MIXED: [(usize, f64); 6] =
    [(5, 0.02), (6, 0.08), (8, 0.25), (10, 0.5), (16, 2.0), (20, f64::INFINITY)];
/// Points along, for stretches of the length on which h changes up to so many times: they leave 1e-11,
/// the last 1e-8 up to 20 times.
const ALONG: [(usize, f64); 5] = [(6, 1.2), (8, 1.5), (10, 2.0), (14, 4.0), (24, f64::INFINITY)];

/// Rules of quadrature.
#[derive(Clone, Debug)]
pub struct Rules {
    pressed: Vec<(Gauss, f64)>,
    mixed: Vec<(Gauss, f64)>,
    along: Vec<(Gauss, f64)>,
}

impl Default for Rules {
    fn default() -> Self {
        let rule = |(n, most): (usize, f64)| (Gauss::new(n), most);
        let [pressed, mixed] = [PRESSED.map(rule).to_vec(), MIXED.map(rule).to_vec()];
        Self { pressed, mixed, along: ALONG.map(rule).to_vec() }
    }
}

impl Rules {
    /// The same number of points everywhere.
    #[cfg(test)]
    pub fn even(around: usize, along: usize) -> Self {
        let rule = |n| vec![(Gauss::new(n), f64::INFINITY)];
        Self { pressed: rule(around), mixed: rule(around), along: rule(along) }
    }

    /// Points for a stretch of the circle on which f has one sign or both.
    fn around(&self, length: f64, one: bool) -> &Gauss {
        first(if one { &self.pressed } else { &self.mixed }, length)
    }

    /// Points for a stretch of the length on which h falls to the given part.
    fn along(&self, wide: f64) -> &Gauss {
        first(&self.along, wide.max(1.0 / wide))
    }
}

/// The first rule that will do.
fn first(rules: &[(Gauss, f64)], measure: f64) -> &Gauss {
    let (last, others) = rules.split_last().expect("there are rules");
    &others.iter().find(|(_, most)| measure <= *most).unwrap_or(last).0
}

pub fn response(
    shape: &FilmShape,
    cavitation: Cavitation,
    ends: &Ends,
    rules: &Rules,
    want: Want,
) -> Response {
    if ends.aligned() {
        return short::aligned(shape, ends, TILT);
    }
    let mut out = Response::ZERO;
    let rest = ends.at_rest();
    let middle = ends.e_at(0.0);
    let map = Sommerfeld::new(middle.norm());
    let u = middle.try_normalize(0.0).unwrap_or(Vector2::x());
    let beta = u.y.atan2(u.x);
    let mut add = |from: f64, to: f64, one: bool| {
        if to <= from {
            return;
        }
        let (from, to) = (map.gamma(from - beta), map.gamma(to - beta));
        for (gamma, w) in rules.around(to - from, one).on(from, to) {
            let point = map.point(gamma.cos(), gamma.sin());
            let n = Vector2::new(
                point.cos * u.x - point.sin * u.y, //
                point.cos * u.y + point.sin * u.x,
            );
            let gap = gap(ends, n);
            if rest {
                Strip::whole(gap, rules, want).add(n, 0.5 * w * point.slope, want, &mut out);
            } else if let Some(strip) = Strip::new(gap, cavitation, rules, want) {
                strip.add(n, w * point.slope, want, &mut out);
            }
        }
    };
    let zeros = zeros(ends);
    for k in 0..4 {
        let (from, to) = (zeros[k], if k < 3 { zeros[k + 1] } else { zeros[0] + TAU });
        let middle = 0.5 * (from + to);
        let f = gap(ends, Vector2::new(middle.cos(), middle.sin())).f;
        let one = (f[0] > 0.0) == (f[1] > 0.0);
        if rest || (one && f[0] > 0.0) {
            add(from, to, true);
        } else if !one && to > from {
            let breaks = leaves(ends, cavitation, from, to, f);
            add(from, breaks[0], false);
            add(breaks[0], breaks[1], false);
            add(breaks[1], to, false);
        }
    }
    let (r, b, c) = (shape.radius, shape.length, shape.clearance);
    out.scale(1.5 * shape.viscosity * r * b.powi(3) / (c * c));
    out.leakage *= 0.5 * c * b * r;
    out
}

/// p at θ and z, Pa.
pub fn pressure(
    shape: &FilmShape,
    cavitation: Cavitation,
    ends: &Ends,
    rules: &Rules,
    theta: f64,
    z: f64,
) -> f64 {
    let gap = gap(ends, Vector2::new(theta.cos(), theta.sin()));
    let slant = shape.length / shape.clearance;
    let strip = Strip::new(gap, cavitation, rules, Want::Force);
    strip.map_or(0.0, |strip| strip.pressure(z)) * (3.0 * shape.viscosity * slant * slant)
}

fn gap(ends: &Ends, n: Vector2<f64>) -> Gap {
    Gap { h: ends.e.map(|e| 1.0 - n.dot(&e)), f: ends.nu.map(|nu| n.dot(&nu)) }
}

/// Angles at which f vanishes at an end, ascending within a turn.
fn zeros(ends: &Ends) -> [f64; 4] {
    let to = ends.nu.map(|nu| nu.y.atan2(nu.x));
    let mut all = [to[0] - FRAC_PI_2, to[0] + FRAC_PI_2, to[1] - FRAC_PI_2, to[1] + FRAC_PI_2]
        .map(|angle| angle.rem_euclid(TAU));
    all.sort_by(f64::total_cmp);
    all
}

/// Angles between `from` and `to`, where f has both signs, at which the film leaves an end; both `to` where
/// there are none.
fn leaves(ends: &Ends, cavitation: Cavitation, from: f64, to: f64, f: [f64; 2]) -> [f64; 2] {
    let at = |theta: f64| gap(ends, Vector2::new(theta.cos(), theta.sin()));
    let mut found = [to; 2];
    let ends_left = if cavitation == Cavitation::Reynolds { 1 } else { 2 };
    for k in 0..ends_left {
        // The drawn end first: it is the one a Reynolds film can leave.
        let end = if (f[0] > 0.0) == (k == 0) { 1 } else { 0 };
        found[k] = crossing(|theta| at(theta).leak(end), from, to);
    }
    found.sort_by(f64::total_cmp);
    found
}

/// The zero of a function between two places, or the second where it keeps its sign.
fn crossing(f: impl Fn(f64) -> f64, from: f64, to: f64) -> f64 {
    let (mut a, mut b) = (from, to);
    let (mut at_a, mut at_b) = (f(a), f(b));
    if (at_a > 0.0) == (at_b > 0.0) {
        return to;
    }
    for _ in 0..40 {
        let next = (a * at_b - b * at_a) / (at_b - at_a);
        let value = f(next);
        // What the sum misses is of second order in the place of a break.
        if value == 0.0 || (next - b).abs() < 1e-8 {
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
