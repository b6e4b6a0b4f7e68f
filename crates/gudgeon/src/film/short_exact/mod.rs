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
//! Around the circle the forces are summed by Gauss points in Sommerfeld's variable, stretch by stretch
//! between the angles where f changes its sign at an end or the film leaves an end.

mod strip;

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use nalgebra::Vector2;

use self::strip::{Gap, Strip};
use super::finite::Cavitation;
use super::gauss::Gauss;
use super::response::{Response, Want};
use super::short;
use super::sommerfeld::Sommerfeld;
use super::state::{Ends, FilmShape};

/// Points on each stretch of the circle.
pub const AROUND: usize = 16;
/// Points along each stretch of the length: where h varies little, and else.
pub const ALONG: [usize; 2] = [8, 12];

/// Rules of quadrature.
#[derive(Clone, Debug)]
pub struct Rules {
    around: Gauss,
    along: [Gauss; 2],
}

impl Rules {
    pub fn new(around: usize, along: [usize; 2]) -> Self {
        Self { around: Gauss::new(around), along: along.map(Gauss::new) }
    }

    /// Points for a gap: eight leave 1e-10 where h varies by a factor of two.
    fn along(&self, gap: &Gap) -> &Gauss {
        let [a, b] = gap.h;
        &self.along[usize::from(a.max(b) > 2.0 * a.min(b))]
    }
}

pub fn response(
    shape: &FilmShape,
    cavitation: Cavitation,
    ends: &Ends,
    gauss: &Gauss,
    rules: &Rules,
    want: Want,
) -> Response {
    if ends.aligned() && want == Want::Force {
        return short::response(shape, ends, gauss, want);
    }
    let mut out = Response::ZERO;
    let rest = ends.at_rest();
    let middle = ends.e_at(0.0);
    let map = Sommerfeld::new(middle.norm());
    let u = middle.try_normalize(0.0).unwrap_or(Vector2::x());
    let beta = u.y.atan2(u.x);
    let mut add = |from: f64, to: f64| {
        if to <= from {
            return;
        }
        for (gamma, w) in rules.around.on(map.gamma(from - beta), map.gamma(to - beta)) {
            let point = map.point(gamma.cos(), gamma.sin());
            let n = Vector2::new(
                point.cos * u.x - point.sin * u.y, //
                point.cos * u.y + point.sin * u.x,
            );
            let gap = gap(ends, n);
            let along = rules.along(&gap);
            if rest {
                Strip::whole(gap, along).add(n, 0.5 * w * point.slope, want, &mut out);
            } else if let Some(strip) = Strip::new(gap, cavitation, along) {
                strip.add(n, w * point.slope, want, &mut out);
            }
        }
    };
    let zeros = zeros(ends);
    for k in 0..4 {
        let (from, to) = (zeros[k], if k < 3 { zeros[k + 1] } else { zeros[0] + TAU });
        if to > from {
            let breaks = leaves(ends, cavitation, from, to);
            add(from, breaks[0]);
            add(breaks[0], breaks[1]);
            add(breaks[1], to);
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
    Strip::new(gap, cavitation, rules.along(&gap)).map_or(0.0, |strip| strip.pressure(z))
        * (3.0 * shape.viscosity * slant * slant)
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

/// Angles between `from` and `to` at which the film leaves an end; both `to` where there are none.
fn leaves(ends: &Ends, cavitation: Cavitation, from: f64, to: f64) -> [f64; 2] {
    let at = |theta: f64| gap(ends, Vector2::new(theta.cos(), theta.sin()));
    let middle = at(0.5 * (from + to)).f;
    let mut found = [to; 2];
    // Only where f has both signs, and never over more than the half circle of one of them.
    if (middle[0] > 0.0) == (middle[1] > 0.0) || to - from > PI + 1e-9 {
        return found;
    }
    let ends_left = if cavitation == Cavitation::Reynolds { 1 } else { 2 };
    for k in 0..ends_left {
        // The drawn end first: it is the one a Reynolds film can leave.
        let end = if (middle[0] > 0.0) == (k == 0) { 1 } else { 0 };
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
        if value == 0.0 || (b - a).abs() < 1e-12 {
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
