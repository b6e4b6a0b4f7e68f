//! Eigenvalues of small pencils, by full matrices in the displacements that the rows leave free.
//!
//!   u = Z y,   ZᵀMZ = L Lᵀ,   x = Lᵀy:   ẍ + D′ẋ + K′x = 0                                   (1)
//!
//! Without damping κ of K′x = κ x are real and λ² = −κ. Else λ are those of the matrix of first order, and each pair
//! is refined by inverse iteration on Q(λ) = λ² + λ D′ + K′:
//!
//!   Q(λ) x⁺ = Q′(λ) x,   λ⁺ = λ − (w·x)/(w·x⁺)                                                (2)

use gudgeon_dae::linear::{Complex, Entries, Lu};
use nalgebra::{Cholesky, DMatrix, DVector, Schur};

use super::{ModalError, Pair, root_of, size};
use crate::math::decompose;
use crate::pencil::{Pencil, null_space};

/// The free displacements and the matrices of (1).
pub(super) struct Reduced {
    /// Z L⁻ᵀ.
    back: DMatrix<f64>,
    damping: DMatrix<f64>,
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
        let damping = similar(reduce(&pencil.damping)).ok_or(ModalError::Massless)?;
        let stiffness = similar(reduce(&pencil.stiffness)).ok_or(ModalError::Massless)?;
        // Z L⁻ᵀ = (L⁻¹ Zᵀ)ᵀ
        let back = l.solve_lower_triangular(&basis.transpose()).ok_or(ModalError::Massless)?;
        Ok(Self { back: back.transpose(), damping, stiffness })
    }

    fn shape(&self, x: &[Complex]) -> Vec<Complex> {
        let re = &self.back * DVector::from_iterator(x.len(), x.iter().map(|x| x.re));
        let im = &self.back * DVector::from_iterator(x.len(), x.iter().map(|x| x.im));
        re.iter().zip(im.iter()).map(|(re, im)| Complex::new(*re, *im)).collect()
    }

    /// κ of the symmetric problem with their shapes, the lowest first.
    pub fn symmetric(&self) -> Result<Vec<(f64, Vec<f64>)>, ModalError> {
        let k = (&self.stiffness + self.stiffness.transpose()) * 0.5;
        if k.is_empty() {
            return Ok(Vec::new());
        }
        let scale = decompose::scale(k.iter()).ok_or(ModalError::NotFinite)?;
        let (values, vectors) = decompose::symmetric(k).ok_or(ModalError::NotFinite)?;
        let mut order: Vec<usize> = (0..values.len()).collect();
        order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
        let pair = |i: usize| {
            let shape = &self.back * vectors.column(i);
            (values[i] * scale, shape.iter().copied().collect())
        };
        Ok(order.into_iter().map(pair).collect())
    }

    pub fn conservative(&self) -> Result<Vec<Pair>, ModalError> {
        let pair = |(kappa, shape): (f64, Vec<f64>)| Pair {
            lambda: root_of(kappa),
            shape: shape.into_iter().map(Complex::from).collect(),
        };
        Ok(self.symmetric()?.into_iter().map(pair).collect())
    }

    /// λ with im ≥ 0 of the damped problem, nearest to zero first.
    pub fn damped(&self, count: usize) -> Result<Vec<Pair>, ModalError> {
        let mut values = self.eigenvalues()?;
        let mut out = self.free(&mut values);
        for (i, lambda) in values.into_iter().enumerate() {
            if out.len() >= count {
                break;
            }
            let (lambda, x) = self.refined(lambda, i);
            out.push(Pair { lambda, shape: self.shape(&x) });
        }
        Ok(out)
    }

    /// Displacements that nothing holds: each has λ = 0, twice where nothing brakes it either, which rounding
    /// makes a small pair. Those are taken out of the values, and one mode each stands for them.
    fn free(&self, values: &mut Vec<Complex>) -> Vec<Pair> {
        let most = self.stiffness.amax();
        let Some(svd) = decompose::svd(self.stiffness.clone()) else { return Vec::new() };
        let Some(right) = &svd.v_t else { return Vec::new() };
        let mut out = Vec::new();
        for (i, value) in svd.singular_values.iter().enumerate() {
            if *value <= 1e-12 * most {
                let x: Vec<Complex> = right.row(i).iter().map(|x| Complex::from(*x)).collect();
                out.push(Pair { lambda: Complex::default(), shape: self.shape(&x) });
            }
        }
        let small = 1e-6 * most.sqrt();
        for _ in 0..2 * out.len() {
            if values.first().is_some_and(|value| size(*value) <= small) {
                values.remove(0);
            }
        }
        out
    }

    /// λ with im ≥ 0, nearest to zero first, as the full matrix gives them.
    pub fn eigenvalues(&self) -> Result<Vec<Complex>, ModalError> {
        let m = self.stiffness.nrows();
        if m == 0 {
            return Ok(Vec::new());
        }
        let most = self.stiffness.amax().sqrt().max(self.damping.amax());
        let pace = if most > 0.0 { most } else { 1.0 };
        let mut a = DMatrix::<f64>::zeros(2 * m, 2 * m);
        a.view_mut((0, m), (m, m)).fill_with_identity();
        a.view_mut((m, 0), (m, m)).copy_from(&(-&self.stiffness / (pace * pace)));
        a.view_mut((m, m), (m, m)).copy_from(&(-&self.damping / pace));
        if a.iter().any(|x| !x.is_finite()) {
            return Err(ModalError::NotFinite);
        }
        let schur = Schur::try_new(a, f64::EPSILON, 100 * 2 * m).ok_or(ModalError::NotFinite)?;
        let found = schur.complex_eigenvalues();
        let mut values: Vec<Complex> =
            found.iter().map(|x| Complex::new(x.re * pace, x.im * pace)).collect();
        // One of each pair; rounding does not make real ones complex.
        values.retain(|x| x.im >= 0.0);
        values.sort_by(|a, b| size(*a).total_cmp(&size(*b)).then(a.im.total_cmp(&b.im)));
        Ok(values)
    }

    /// (2), from a start of its own for every eigenvalue, so that equal ones get shapes of their own.
    fn refined(&self, first: Complex, index: usize) -> (Complex, Vec<Complex>) {
        let m = self.stiffness.nrows();
        let start = |i: usize| 1.0 + ((i * 7919 + index * 104_729 + 31) % 197) as f64 / 197.0;
        let mut x: Vec<Complex> =
            (0..m).map(|i| Complex::new(start(i), 0.3 * start(i + index + 1))).collect();
        let scale = size(first).max(1e-9 * self.stiffness.amax().sqrt()).max(f64::MIN_POSITIVE);
        let mut lambda = first;
        for round in 0..4 {
            let Some((k, y)) = self.inverse(lambda, scale, &x) else { break };
            let change = x[k] / y[k];
            // The first shape is anyone's; a change that large is the way to another eigenvalue.
            if round > 0 && size(change) < 1e-5 * scale {
                lambda -= change;
            }
            x = y.iter().map(|entry| *entry / y[k]).collect();
        }
        (if first.im == 0.0 { Complex::from(lambda.re) } else { lambda }, x)
    }

    /// Q(λ)⁻¹ Q′(λ) x and its largest entry.
    fn inverse(&self, lambda: Complex, scale: f64, x: &[Complex]) -> Option<(usize, Vec<Complex>)> {
        let m = x.len();
        // Beside the eigenvalue, so that the matrix can be solved.
        let at = lambda + Complex::new(scale * 1e-14, scale * 0.7e-14);
        let mut lu = Lu::new(m);
        let mut y = vec![Complex::default(); m];
        for i in 0..m {
            for j in 0..m {
                let d = Complex::from(self.damping[(i, j)]);
                lu.values[i * m + j] = d * at + Complex::from(self.stiffness[(i, j)]);
                y[i] += d * x[j];
            }
            lu.values[i * m + i] += at * at;
            y[i] += (at + at) * x[i];
        }
        lu.factor().ok()?;
        lu.solve(&mut y);
        let k = (0..m).max_by(|&a, &b| size(y[a]).total_cmp(&size(y[b])))?;
        (size(y[k]) > 0.0 && size(y[k]).is_finite()).then_some((k, y))
    }
}
