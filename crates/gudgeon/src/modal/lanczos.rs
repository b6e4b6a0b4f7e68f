//! The lowest modes of a large pencil without damping, by Lanczos' method on the shifted inverse.
//!
//!   (K + s² M) y + Gᵀ μ = M x,   G y = 0,   y = x/(κ + s²) for K x = κ M x                    (1)
//!
//! Vectors are kept orthonormal in M, all against all, so that no value appears twice by rounding; a value that is
//! there twice is noticed because the pivots of K − κ M count the values below κ, and looked for across what was
//! found. s² is taken near the lowest κ.

use gudgeon_dae::linear::Complex;
use nalgebra::DMatrix;

use super::{ModalError, Pair, root_of};
use crate::math::decompose;
use crate::pencil::{Factors, Pencil};
use crate::progress::Progress;

/// Largest change of κ that a vector may leave, over itself.
const ACCURATE: f64 = 1e-13;
/// Vectors beyond the modes that are wanted, and the most.
const SPARE: usize = 20;
const MOST: usize = 600;

/// A mode: κ and its shape, of length one in M.
type Mode = (f64, Vec<f64>);

/// The `count` modes with the smallest |κ|, roughly.
pub(super) fn lowest(
    pencil: &Pencil,
    count: usize,
    progress: &dyn Progress,
) -> Result<Vec<Pair>, ModalError> {
    let mut search = Lanczos { pencil, factors: Factors::new(pencil), progress };
    let mut s2 = 1e-6 * pencil.fastest();
    // A rough look says where the lowest are; from so far away that none of many converges, nearer to zero.
    for _ in 0..6 {
        let rough = search.run(s2, 1, 12, &[])?;
        let lowest = rough.iter().map(|mode| mode.0.abs()).min_by(f64::total_cmp);
        let better = lowest.unwrap_or(1e-3 * s2).max(1e-11 * pencil.fastest());
        let near = (0.05..20.0).contains(&(better / s2));
        s2 = better;
        if near {
            break;
        }
    }
    let mut found = search.run(s2, count, MOST, &[])?;
    for _ in 0..8 {
        found.sort_by(|a, b| a.0.total_cmp(&b.0));
        let Some(missing) = search.missing(&found, count)? else { break };
        let more = search.run(s2, missing, MOST, &found)?;
        if more.is_empty() {
            break;
        }
        found.extend(more);
    }
    found.sort_by(|a, b| a.0.abs().total_cmp(&b.0.abs()));
    found.truncate(count);
    let pair = |(kappa, shape): Mode| Pair {
        lambda: root_of(kappa),
        shape: shape.into_iter().map(Complex::from).collect(),
    };
    Ok(found.into_iter().map(pair).collect())
}

struct Lanczos<'p> {
    pencil: &'p Pencil,
    factors: Factors<f64>,
    progress: &'p dyn Progress,
}

impl Lanczos<'_> {
    /// At least `count` modes near −s² that have converged, across those that are known.
    fn run(
        &mut self,
        s2: f64,
        count: usize,
        most: usize,
        known: &[Mode],
    ) -> Result<Vec<Mode>, ModalError> {
        self.factors.factor(self.pencil, s2.sqrt()).map_err(|_| ModalError::NotFinite)?;
        let n = self.pencil.size();
        let known: Vec<(Vec<f64>, Vec<f64>)> =
            known.iter().map(|(_, x)| (x.clone(), self.times_mass(x))).collect();
        let (mut basis, mut images): (Vec<Vec<f64>>, Vec<Vec<f64>>) = (Vec::new(), Vec::new());
        let (mut diagonal, mut beside): (Vec<f64>, Vec<f64>) = (Vec::new(), Vec::new());
        let start =
            |i: usize| 1.0 + ((i * 7919 + 104_729 * (1 + known.len())) % 1009) as f64 / 1009.0;
        let first: Vec<f64> = (0..n).map(start).collect();
        let mut next = self.inverse(&self.times_mass(&first));
        let room = most.min(self.pencil.mobility().saturating_sub(known.len()));
        let mut look = (count + SPARE).min(room);
        while basis.len() < room {
            if self.progress.is_cancelled() {
                return Err(ModalError::Cancelled);
            }
            self.across(&mut next, &basis, &images, &known);
            let image = self.times_mass(&next);
            let length = dot(&next, &image).max(0.0).sqrt();
            let scale = beside.iter().copied().fold(0.0, f64::max).max(f64::MIN_POSITIVE);
            if length <= 1e-13 * scale && !basis.is_empty() {
                break;
            }
            if !(length > 0.0 && length.is_finite()) {
                return Err(ModalError::NotFinite);
            }
            if !basis.is_empty() {
                beside.push(length);
            }
            basis.push(next.iter().map(|x| x / length).collect());
            images.push(image.iter().map(|x| x / length).collect());
            next = self.inverse(&images[images.len() - 1]);
            diagonal.push(dot(&next, &images[images.len() - 1]));
            if basis.len() == look || basis.len() == room {
                let modes = self.ritz(&basis, &diagonal, &beside, s2, &mut next, &images, &known);
                if modes.len() >= count || basis.len() == room {
                    return Ok(modes);
                }
                look = (look + SPARE + count / 2).min(room);
            }
        }
        Ok(self.ritz(&basis, &diagonal, &beside, s2, &mut next, &images, &known))
    }

    /// Modes of the tridiagonal matrix that the rest of the space does not change any more.
    #[allow(clippy::too_many_arguments)]
    fn ritz(
        &self,
        basis: &[Vec<f64>],
        diagonal: &[f64],
        beside: &[f64],
        s2: f64,
        next: &mut [f64],
        images: &[Vec<f64>],
        known: &[(Vec<f64>, Vec<f64>)],
    ) -> Vec<Mode> {
        let m = basis.len();
        let mut rest = next.to_vec();
        self.across(&mut rest, basis, images, known);
        let rest = dot(&rest, &self.times_mass(&rest)).max(0.0).sqrt();
        let t = DMatrix::from_fn(m, m, |i, j| match i.abs_diff(j) {
            0 => diagonal[i],
            1 => beside[i.min(j)],
            _ => 0.0,
        });
        let whole = m == self.pencil.mobility() - known.len();
        let Some((values, vectors)) = decompose::symmetric(t) else { return Vec::new() };
        let mut order: Vec<usize> = (0..m).collect();
        order.sort_by(|&a, &b| values[b].abs().total_cmp(&values[a].abs()));
        let mut modes = Vec::new();
        for i in order {
            let error = (rest * vectors[(m - 1, i)]).abs();
            if error > ACCURATE.sqrt() * values[i].abs() && !whole {
                break;
            }
            let mut shape = vec![0.0; self.pencil.size()];
            for (vector, part) in basis.iter().zip(vectors.column(i).iter()) {
                shape.iter_mut().zip(vector).for_each(|(x, v)| *x += part * v);
            }
            let mass = self.times_mass(&shape);
            let mut force = vec![0.0; shape.len()];
            self.pencil.stiffness.add_product(1.0, &shape, &mut force);
            // Rayleigh's quotient is as exact as the square of the vector; the inverse where K cancels.
            let inverse = 1.0 / values[i] - s2;
            let quotient = dot(&shape, &force) / dot(&shape, &mass);
            let kappa = if quotient.is_finite()
                && (quotient - inverse).abs() < 1e-6 * s2.max(inverse.abs())
            {
                inverse
            } else {
                quotient
            };
            modes.push((kappa, shape));
        }
        modes
    }

    /// How many modes below the highest wanted one have not been found.
    fn missing(&mut self, found: &[Mode], count: usize) -> Result<Option<usize>, ModalError> {
        // Between two values that are apart, not below the one that is wanted.
        let apart = (count.max(1) - 1..found.len().saturating_sub(1))
            .find(|&i| found[i + 1].0 - found[i].0 > 1e-6 * found[i + 1].0.abs());
        let Some(i) = apart else { return Ok(None) };
        let between = 0.5 * (found[i].0 + found[i + 1].0);
        if self.factors.factor_sum(self.pencil, [-between, 0.0]).is_err() {
            return Ok(None);
        }
        let below = self.factors.negative(self.pencil).unwrap_or(i + 1);
        Ok((below > i + 1).then(|| below - (i + 1)))
    }

    fn times_mass(&self, x: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; x.len()];
        self.pencil.mass.add_product(1.0, x, &mut out);
        out
    }

    fn inverse(&mut self, right: &[f64]) -> Vec<f64> {
        let rows = self.pencil.rows.rows();
        let (mut u, mut mu) = (vec![0.0; right.len()], vec![0.0; rows]);
        self.factors.solve(self.pencil, right, &vec![0.0; rows], &mut u, &mut mu);
        u
    }

    /// Takes away what is along known vectors, twice.
    fn across(
        &self,
        x: &mut [f64],
        basis: &[Vec<f64>],
        images: &[Vec<f64>],
        known: &[(Vec<f64>, Vec<f64>)],
    ) {
        for _ in 0..2 {
            let own = basis.iter().zip(images);
            for (v, mv) in known.iter().map(|(v, mv)| (v, mv)).chain(own) {
                let part = dot(x, mv);
                x.iter_mut().zip(v).for_each(|(x, v)| *x -= part * v);
            }
        }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
