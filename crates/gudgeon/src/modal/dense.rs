//! Eigenvalues of small pencils, by full matrices in the displacements that the rows leave free.
//!
//!   u = Z y,   ZᵀMZ = L Lᵀ,   x = Lᵀy:   ẍ + K′x = 0,   λ² = −κ for K′x = κ x                 (1)
//!   κ = u·K u/u·M u                                                                          (2)
//!
//! without damping. K′ holds small κ to rounding of the largest only, which in flexible links are 10¹³ times as large;
//! (2) of their shapes holds them to rounding of what adds up to them. With damping λ are those of the inverse
//! at a real shift s near the lowest of them ((1) of `arnoldi.rs`), which holds those small ones best, and each is refined there.

use gudgeon_dae::linear::{Complex, Entries};
use nalgebra::{Cholesky, DMatrix, DVector};

use super::{ModalError, Pair, arnoldi, root_of, size};
use crate::math::decompose;
use crate::pencil::{Factors, Pencil, null_space};

/// The free displacements and the matrices of (1).
pub(super) struct Reduced {
    /// Z L⁻ᵀ.
    back: DMatrix<f64>,
    /// K′.
    stiffness: DMatrix<f64>,
}

impl Reduced {
    pub fn new(pencil: &Pencil) -> Result<Self, ModalError> {
        let basis = null_space(pencil);
        let reduce = |matrix: &Entries| {
            let mut product = DMatrix::<f64>::zeros(pencil.size(), basis.ncols());
            for (j, column) in basis.column_iter().enumerate() {
                let mut out = vec![0.0; pencil.size()];
                matrix.add_product(1.0, column.as_slice(), &mut out);
                product.column_mut(j).copy_from_slice(&out);
            }
            basis.tr_mul(&product)
        };
        let mass = reduce(&pencil.mass);
        let mass = (&mass + mass.transpose()) * 0.5;
        let factor = Cholesky::new(mass).ok_or(ModalError::Massless)?;
        let l = factor.l();
        let similar = |matrix: DMatrix<f64>| {
            let half = l.solve_lower_triangular(&matrix)?;
            Some(l.solve_lower_triangular(&half.transpose())?.transpose())
        };
        let stiffness = similar(reduce(&pencil.stiffness)).ok_or(ModalError::Massless)?;
        // Z L⁻ᵀ = (L⁻¹ Zᵀ)ᵀ
        let back = l.solve_lower_triangular(&basis.transpose()).ok_or(ModalError::Massless)?;
        Ok(Self { back: back.transpose(), stiffness })
    }

    /// κ of the symmetric problem with their shapes, the lowest first.
    pub fn symmetric(&self, pencil: &Pencil) -> Result<Vec<(f64, Vec<f64>)>, ModalError> {
        let k = (&self.stiffness + self.stiffness.transpose()) * 0.5;
        if k.is_empty() {
            return Ok(Vec::new());
        }
        let scale = decompose::scale(k.iter()).ok_or(ModalError::NotFinite)?;
        let (values, vectors) = decompose::symmetric(k).ok_or(ModalError::NotFinite)?;
        let mut order: Vec<usize> = (0..values.len()).collect();
        order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
        let pair = |i: usize| {
            let shape: Vec<f64> = (&self.back * vectors.column(i)).iter().copied().collect();
            let kappa = pencil.stiffness_along(&shape)[0] / pencil.mass_along(&shape); // (2)
            (if kappa.is_finite() { kappa } else { values[i] * scale }, shape)
        };
        let mut pairs: Vec<_> = order.into_iter().map(pair).collect();
        pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
        Ok(pairs)
    }

    pub fn conservative(&self, pencil: &Pencil) -> Result<Vec<Pair>, ModalError> {
        let pair = |(kappa, shape): (f64, Vec<f64>)| Pair {
            lambda: root_of(kappa),
            shape: shape.into_iter().map(Complex::from).collect(),
        };
        Ok(self.symmetric(pencil)?.into_iter().map(pair).collect())
    }

    /// Displacements that nothing holds: each has λ = 0, twice where nothing brakes it either, which rounding
    /// makes a small pair. One mode each stands for them.
    fn free(&self, pencil: &Pencil) -> Vec<Pair> {
        let most = self.stiffness.amax();
        let Some(svd) = decompose::svd(self.stiffness.clone()) else { return Vec::new() };
        let Some(right) = &svd.v_t else { return Vec::new() };
        let small = svd.singular_values.iter().enumerate().filter(|(_, x)| **x <= 1e-12 * most);
        let shapes = small.map(|(i, _)| (&self.back * right.row(i).transpose()).data.into());
        let free = shapes.filter(|shape: &Vec<f64>| !pencil.is_held(shape));
        free.map(|shape| Pair {
            lambda: Complex::default(),
            shape: shape.into_iter().map(Complex::from).collect(),
        })
        .collect()
    }

    /// s: that of the lowest κ that are more than nothing.
    fn pace(&self, pencil: &Pencil) -> Result<f64, ModalError> {
        let held = self.symmetric(pencil)?.into_iter().filter(|(_, x)| pencil.is_held(x));
        let lowest = held.map(|(kappa, _)| kappa.abs()).fold(f64::INFINITY, f64::min);
        Ok(if lowest > 0.0 && lowest.is_finite() { lowest } else { pencil.fastest() }.sqrt())
    }
}

/// λ with im ≥ 0 of the damped problem, nearest to zero first: those of displacements that nothing holds, and all
/// others as the shifted inverse gives them.
fn values(pencil: &Pencil) -> Result<(Vec<Pair>, Vec<Complex>), ModalError> {
    let reduced = Reduced::new(pencil)?;
    let (free, s) = (reduced.free(pencil), reduced.pace(pencil)?);
    let mut factors = Factors::<f64>::new(pencil);
    factors.factor(pencil, s).map_err(|_| ModalError::NotFinite)?;
    let (basis, n) = (null_space(pencil), pencil.size());
    let m = basis.ncols();
    let mut inverse = DMatrix::<f64>::zeros(2 * m, 2 * m);
    let mut state = vec![0.0; 2 * n];
    for j in 0..2 * m {
        let half = if j < m { 0 } else { n };
        state.fill(0.0);
        state[half..half + n].copy_from_slice(basis.column(j % m).as_slice());
        let image = arnoldi::inverse(pencil, &mut factors, s, &state);
        for (part, image) in image.chunks_exact(n).enumerate() {
            let image = basis.tr_mul(&DVector::from_column_slice(image)) * s;
            inverse.view_mut((part * m, j), (m, 1)).copy_from(&image);
        }
    }
    let thetas = decompose::eigenvalues(&inverse).ok_or(ModalError::NotFinite)?;
    let all = thetas.iter().map(|x| Complex::new(x.re, x.im)).filter(|x| size(*x) > 0.0);
    let mut values: Vec<Complex> =
        all.map(|theta| Complex::from(s) + Complex::from(s) / theta).collect();
    // One of each pair; rounding does not make real ones complex.
    values.retain(|x| x.im >= 0.0);
    values.sort_by(|a, b| size(*a).total_cmp(&size(*b)).then(a.im.total_cmp(&b.im)));
    for _ in 0..2 * free.len() {
        if values.first().is_some_and(|value| size(*value) <= 1e-5 * s) {
            values.remove(0);
        }
    }
    Ok((free, values))
}

/// The `count` eigenvalues with im ≥ 0 that are nearest to zero.
pub(super) fn damped(pencil: &Pencil, count: usize) -> Result<Vec<Pair>, ModalError> {
    let (mut out, values) = values(pencil)?;
    let mut factors = Factors::<Complex>::new(pencil);
    for (i, lambda) in values.into_iter().enumerate() {
        if out.len() >= count {
            break;
        }
        out.push(arnoldi::refined(pencil, &mut factors, lambda, i));
    }
    Ok(out)
}

/// Whether a small motion grows: one of an eigenvalue whose real part is more than rounding.
pub(super) fn grows(pencil: &Pencil) -> Result<bool, ModalError> {
    let is_growing = |x: &Complex| x.re > 1e-8 * size(*x);
    let (_, values) = values(pencil)?;
    let mut factors = Factors::<Complex>::new(pencil);
    let mut suspects = values.into_iter().enumerate().filter(|(_, x)| is_growing(x));
    Ok(suspects.any(|(i, x)| is_growing(&arnoldi::refined(pencil, &mut factors, x, i).lambda)))
}
