//! The solution between the ends of a step.
//!
//! Three interpolants share the data of a step. The method's own dense output (see
//! [`tableau`](crate::tableau)) is accurate to nearly the order of the method and may need extra
//! stages; it gives rows, extremes and the place of events. The sketch has the same form without
//! extra stages, one order lower; means are taken on it, and it shows where a step may hold an
//! extreme. The Hermite interpolant costs least: a quintic in q from (q, v, v̇) at both ends where
//! v = q̇, a cubic in the rest. It only *finds* crossings, to be located by the dense output.

use crate::combination::{combine_between, nested, sum};
use crate::tableau::Tableau;

/// Writes the coefficients F₀, F₁, … of the nested form, one row of length n each.
pub(crate) fn prepare(
    tableau: &Tableau,
    h: f64,
    y0: &[f64],
    y1: &[f64],
    k: &[f64],
    rows: &mut [f64],
) {
    let n = y0.len();
    let (start, end) = (&k[..n], &k[tableau.stages * n..][..n]);
    let (first, tail) = rows.split_at_mut(n);
    let (second, tail) = tail.split_at_mut(n);
    let (third, tail) = tail.split_at_mut(n);
    for i in 0..n {
        first[i] = y1[i] - y0[i];
        second[i] = h * start[i] - first[i];
        third[i] = 2.0 * first[i] - h * (start[i] + end[i]);
    }
    for (terms, row) in tableau.dense.iter().zip(tail.chunks_exact_mut(n)) {
        sum(h, terms, k, row);
    }
}

/// Evaluates the nested form at θ ∈ [0, 1].
pub(crate) fn evaluate(theta: f64, y0: &[f64], rows: &[f64], out: &mut [f64]) {
    debug_assert!(rows.len() >= 3 * y0.len());
    nested(theta, y0, rows, out);
}

/// The sketch at θ by the weights of the stages at this place.
pub(crate) fn sketch(
    tableau: &Tableau,
    theta: f64,
    h: f64,
    (y0, y1): (&[f64], &[f64]),
    k: &[f64],
    out: &mut [f64],
) {
    let (x, rest) = (theta, 1.0 - theta);
    let hermite = [x, x * rest, x * x * rest];
    // Of y₁ − y₀, h k_0 and h k_s in F₀, F₁ and F₂.
    let change = hermite[0] - hermite[1] + 2.0 * hermite[2];
    let mut weights = [0.0; STAGES];
    weights[0] = hermite[1] - hermite[2];
    weights[tableau.stages] = -hermite[2];
    let mut power = hermite[2];
    for (i, terms) in tableau.sketch.iter().enumerate() {
        power *= if i % 2 == 0 { rest } else { x };
        for &(j, d) in *terms {
            weights[j] += power * d;
        }
    }
    let (mut terms, mut count) = ([(0, 0.0); STAGES], 0);
    for (stage, weight) in weights[..=tableau.stages].iter().enumerate() {
        if *weight != 0.0 {
            terms[count] = (stage, *weight);
            count += 1;
        }
    }
    combine_between((y0, y1), change, h, &terms[..count], k, out);
}

/// Stages of a step at most, the one at its end included.
const STAGES: usize = 16;

/// Coefficients of the nested form at most.
pub(crate) const ROWS: usize = 8;

/// Hermite interpolation of all of y; quintic in the first `quintic` components, whose second
/// derivatives stand at `quintic + i` of the rates.
pub(crate) fn hermite(
    theta: f64,
    h: f64,
    quintic: usize,
    ends: (&[f64], &[f64]),
    rates: (&[f64], &[f64]),
    out: &mut [f64],
) {
    let ((y0, y1), (k0, k1)) = (ends, rates);
    let x = theta;
    let (x2, x3) = (x * x, x * x * x);
    let b = 3.0 * x2 - 2.0 * x3;
    let (c0, c1) = (h * (x - 2.0 * x2 + x3), h * (x3 - x2));
    for i in quintic..out.len() {
        out[i] = y0[i] + b * (y1[i] - y0[i]) + c0 * k0[i] + c1 * k1[i];
    }
    let (x4, x5) = (x2 * x2, x2 * x3);
    let b = 10.0 * x3 - 15.0 * x4 + 6.0 * x5;
    let c0 = h * (x - 6.0 * x3 + 8.0 * x4 - 3.0 * x5);
    let c1 = h * (-4.0 * x3 + 7.0 * x4 - 3.0 * x5);
    let d0 = 0.5 * h * h * (x2 - 3.0 * x3 + 3.0 * x4 - x5);
    let d1 = 0.5 * h * h * (x3 - 2.0 * x4 + x5);
    for i in 0..quintic {
        out[i] = y0[i]
            + b * (y1[i] - y0[i])
            + c0 * k0[i]
            + c1 * k1[i]
            + d0 * k0[quintic + i]
            + d1 * k1[quintic + i];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hermite_reproduces_its_polynomials() {
        // y = (x⁵, 5x⁴) with v = q̇, on [0.2, 0.9]; the cubic part is exact for degree 3 only.
        let q = |t: f64| t.powi(5) - t * t;
        let v = |t: f64| 5.0 * t.powi(4) - 2.0 * t;
        let a = |t: f64| 20.0 * t.powi(3) - 2.0;
        let (t0, h) = (0.2, 0.7);
        let at = |t: f64| ([q(t), v(t)], [v(t), a(t)]);
        let ((y0, k0), (y1, k1)) = (at(t0), at(t0 + h));
        let mut out = [0.0; 2];
        for theta in [0.0, 0.31, 0.5, 0.77, 1.0] {
            hermite(theta, h, 1, (&y0, &y1), (&k0, &k1), &mut out);
            assert!((out[0] - q(t0 + theta * h)).abs() < 1e-14);
        }
    }
}
