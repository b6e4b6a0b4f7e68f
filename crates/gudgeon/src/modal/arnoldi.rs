//! Eigenvalues of a large pencil with damping or films, by Arnoldi's method on the shifted inverse.
//!
//! In states (u, w) with w = λ u the inverse at a real shift s is
//!
//!   (s² M + s D + K) p + Gᵀ μ = −(M w + D u + s M u),   G p = 0,   r = u + s p               (1)
//!
//! whose eigenvalues are 1/(λ − s). Each is then refined by inverse iteration with complex factors of
//! Q(λ) = λ² M + λ D + K at λ itself, which also gives its shape:
//!
//!   Q(λ) x⁺ + Gᵀ μ = Q′(λ) x,   G x⁺ = 0,   x⁺·Q(λ⁺) x⁺ = 0                                   (2)

use gudgeon_dae::linear::{Complex, Scalar};
use nalgebra::DMatrix;

use super::{ModalError, Pair, size};
use crate::math::decompose;
use crate::pencil::{Factors, Pencil};
use crate::progress::Progress;

const SPARE: usize = 30;
const MOST: usize = 500;
/// Distance of the factors of (2) from an eigenvalue, over itself. Each iteration leaves about so much of the error of the
/// shape. Soft rows move the eigenvalue of the factors by some 1e-8: nearer to it than a hundred times that the
/// refinements of a solution would hardly converge.
const BESIDE: f64 = 1e-5;
/// Iterations at most.
const ROUNDS: usize = 12;
/// Change of an eigenvalue that ends the iteration, over itself.
const SETTLED: f64 = 1e-6;

/// The `count` eigenvalues with im ≥ 0 that are nearest to zero.
pub(super) fn lowest(
    pencil: &Pencil,
    count: usize,
    progress: &dyn Progress,
) -> Result<Vec<Pair>, ModalError> {
    let mut factors = Factors::new(pencil);
    let mut s = (1e-6 * pencil.fastest()).sqrt();
    let rough = values(pencil, &mut factors, s, 2, 24, progress)?;
    if let Some(first) = rough.first() {
        s = size(*first).max(1e-6 * pencil.fastest().sqrt());
    }
    // Values that are there twice need a vector more each: look a little further.
    let found = values(pencil, &mut factors, s, count + 2, MOST, progress)?;
    let mut complex = Factors::<Complex>::new(pencil);
    let mut pairs: Vec<Pair> = Vec::new();
    for (i, lambda) in found.into_iter().enumerate() {
        if progress.is_cancelled() {
            return Err(ModalError::Cancelled);
        }
        pairs.push(refined(pencil, &mut complex, lambda, i));
    }
    pairs.sort_by(|a, b| size(a.lambda).total_cmp(&size(b.lambda)));
    pairs.truncate(count);
    Ok(pairs)
}

/// Ritz values nearest to zero, one of each pair.
fn values(
    pencil: &Pencil,
    factors: &mut Factors<f64>,
    s: f64,
    count: usize,
    most: usize,
    progress: &dyn Progress,
) -> Result<Vec<Complex>, ModalError> {
    factors.factor(pencil, s).map_err(|_| ModalError::NotFinite)?;
    let n = pencil.size();
    // Speeds in the pace of the shift, so that both halves of a state count alike.
    let room = most.min(2 * pencil.mobility());
    let start = |i: usize| 1.0 + ((i * 7919 + 104_729) % 1009) as f64 / 1009.0;
    let mut next: Vec<f64> = (0..2 * n).map(start).collect();
    next = inverse(pencil, factors, s, &next);
    let mut basis: Vec<Vec<f64>> = Vec::new();
    let mut h: Vec<Vec<f64>> = Vec::new();
    let length = norm(&next);
    basis.push(next.iter().map(|x| x / length).collect());
    let mut before: Vec<Complex> = Vec::new();
    let mut look = (2 * count + SPARE).min(room);
    loop {
        if progress.is_cancelled() {
            return Err(ModalError::Cancelled);
        }
        let mut next = inverse(pencil, factors, s, &basis[basis.len() - 1]);
        let scale = norm(&next);
        let mut column = vec![0.0; basis.len()];
        for _ in 0..2 {
            for (v, h) in basis.iter().zip(&mut column) {
                let part: f64 = next.iter().zip(v).map(|(a, b)| a * b).sum();
                *h += part;
                next.iter_mut().zip(v).for_each(|(x, v)| *x -= part * v);
            }
        }
        let length = norm(&next);
        if !length.is_finite() {
            return Err(ModalError::NotFinite);
        }
        column.push(length);
        h.push(column);
        let whole = length <= 1e-13 * scale || h.len() >= room;
        if whole || h.len() == look {
            let found = ritz(&h, s)?;
            let same = |(a, b): (&Complex, &Complex)| size(*a - *b) <= SETTLED * size(*a).max(s);
            let settled = found.len() >= count
                && before.len() >= count
                && found.iter().zip(&before).take(count).all(same);
            if whole || settled {
                return Ok(found.into_iter().take(count).collect());
            }
            before = found;
            look = (look + 16).min(room);
        }
        basis.push(next.iter().map(|x| x / length).collect());
    }
}

/// λ of the small matrix, nearest to zero first.
fn ritz(h: &[Vec<f64>], s: f64) -> Result<Vec<Complex>, ModalError> {
    let m = h.len();
    let matrix = DMatrix::from_fn(m, m, |i, j| h[j].get(i).copied().unwrap_or(0.0));
    let values = decompose::eigenvalues(&matrix).ok_or(ModalError::NotFinite)?;
    let one = Complex::from(1.0);
    let shifted = values.iter().map(|x| Complex::new(x.re, x.im)).filter(|x| size(*x) > 0.0);
    let mut out: Vec<Complex> = shifted.map(|theta| Complex::from(s) + one / theta).collect();
    out.retain(|x| x.im >= -1e-9 * size(*x));
    out.sort_by(|a, b| size(*a).total_cmp(&size(*b)));
    Ok(out)
}

/// (1); the second half of a state is w/s.
pub(super) fn inverse(pencil: &Pencil, factors: &mut Factors<f64>, s: f64, x: &[f64]) -> Vec<f64> {
    let (n, rows) = (pencil.size(), pencil.rows.rows());
    let (u, w) = x.split_at(n);
    let mut right = vec![0.0; n];
    pencil.mass.add_product(-s, w, &mut right);
    pencil.mass.add_product(-s, u, &mut right);
    pencil.damping.add_product(-1.0, u, &mut right);
    let (mut p, mut mu) = (vec![0.0; n], vec![0.0; rows]);
    factors.solve(pencil, &right, &vec![0.0; rows], &mut p, &mut mu);
    let r: Vec<f64> = u.iter().zip(&p).map(|(u, p)| (u + s * p) / s).collect();
    p.extend(r);
    p
}

/// Inverse iteration (2), from a start of its own for every eigenvalue, so that equal ones get shapes of their own.
pub(super) fn refined(
    pencil: &Pencil,
    factors: &mut Factors<Complex>,
    first: Complex,
    index: usize,
) -> Pair {
    let (n, rows) = (pencil.size(), pencil.rows.rows());
    let start = |i: usize| 1.0 + ((i * 7919 + index * 104_729 + 31) % 197) as f64 / 197.0;
    let mut x: Vec<Complex> = (0..n).map(|i| Complex::new(start(i), 0.3 * start(i + 1))).collect();
    let scale = size(first).max(1e-9 * pencil.fastest().sqrt());
    let (mut lambda, mut at, mut factored) = (first, first, None);
    for round in 0..ROUNDS {
        if factored.is_none_or(|base| size(lambda - base) > BESIDE * scale) {
            at = lambda + Complex::new(BESIDE * scale, 0.7 * BESIDE * scale);
            if factors.factor(pencil, at).is_err() {
                break;
            }
            factored = Some(lambda);
        }
        let mut right = vec![Complex::default(); n];
        pencil.mass.add_product(at + at, &x, &mut right);
        pencil.damping.add_product(Complex::from(1.0), &x, &mut right);
        let (mut y, mut mu) = (vec![Complex::default(); n], vec![Complex::default(); rows]);
        factors.solve(pencil, &right, &vec![Complex::default(); rows], &mut y, &mut mu);
        let k = (0..n).max_by(|&a, &b| y[a].size().total_cmp(&y[b].size())).unwrap_or(0);
        if !(y[k].size() > 0.0 && y[k].size().is_finite()) {
            break;
        }
        x = y.iter().map(|entry| *entry / y[k]).collect();
        let found = balanced(pencil, &x, lambda);
        if round > 0 && size(found - lambda) < 1e-3 * scale {
            let settled = size(found - lambda) < 1e-12 * scale;
            lambda = found;
            if settled {
                break;
            }
        }
    }
    let real = first.im.abs() <= 1e-9 * size(first) && lambda.im.abs() <= 1e-6 * size(lambda);
    Pair { lambda: if real { Complex::from(lambda.re) } else { lambda }, shape: x }
}

/// The root of λ² x·M x + λ x·D x + x·K x near a value.
fn balanced(pencil: &Pencil, x: &[Complex], near: Complex) -> Complex {
    let along = |matrix: &gudgeon_dae::linear::Entries| {
        let mut image = vec![Complex::default(); x.len()];
        matrix.add_product(Complex::from(1.0), x, &mut image);
        let terms = x.iter().zip(&image);
        terms.fold(Complex::default(), |sum, (x, y)| sum + Complex::new(x.re, -x.im) * *y)
    };
    let [m, d, k] = [&pencil.mass, &pencil.damping, &pencil.stiffness].map(along);
    let mut root = near;
    for _ in 0..8 {
        let slope = (m + m) * root + d;
        if size(slope) == 0.0 {
            break;
        }
        root -= ((m * root + d) * root + k) / slope;
    }
    root
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}
