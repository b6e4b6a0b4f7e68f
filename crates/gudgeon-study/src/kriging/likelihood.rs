//! The likelihood of hyper-parameters, its gradient, and the estimates that come with it.
//!
//! With K = R(θ, α) + (g + jitter) I + diag(v/s) the responses have covariance σ² K, and
//!
//!   −ln 𝓛 = ½ [n ln 2π + n ln σ² + ln |K| + (y − Fβ)ᵀ K⁻¹ (y − Fβ)/σ²]              (1)
//!
//! | symbol | meaning |
//! |---|---|
//! | R | correlations of the samples |
//! | g, v | nugget, known variances of the noise |
//! | s | σ² where noise is known, then searched for; otherwise absent |
//! | F, β | trend columns, coefficients |
//! | L, U | K = L Lᵀ, U = L⁻ᵀ |
//!
//! Maximised over β and, without known noise, over σ² (zhang Eqs. 13, 14):
//!
//!   L⁻¹F β ≈ L⁻¹y by least squares,  ρ = L⁻¹(y − Fβ),   σ² = |ρ|²/n                  (2)
//!
//! Eq. 12 of zhang has a factor ½ too many in its last term. With a = K⁻¹(y − Fβ) = U ρ and
//! S = K⁻¹ − a aᵀ/σ², for a parameter φ of K,
//!
//!   ∂(−ln 𝓛)/∂φ = ½ Σᵢⱼ Sᵢⱼ ∂Kᵢⱼ/∂φ                                                   (3)
//!   ∂(−ln 𝓛)/∂ ln s = ½ [n − |ρ|²/s − Σᵢ Sᵢᵢ vᵢ/s]                                     (4)
//!
//! because β and σ² are at their maximum. ∂R/∂φ = R ∘ ∂ ln R/∂φ, see [`super::shape`].

use super::layout::{Hyperparameters, Layout};
use super::problem::Problem;
use super::settings::Correlation;
use super::shape::{Scale, Shape, with_shape};
use crate::linear::{Basis, InverseFactor, Lower, ROWS, TILE, factor, lanes::LANES};
use crate::linear::{rows_times_inverse, vectorised};
use fearless_simd::{Simd, f64x4, prelude::*};
use gudgeon::progress::Progress;

/// Correlations between two looks at the progress, a multiple of the lanes.
const PART: usize = 1 << 20;

pub(crate) struct Likelihood<'a> {
    pub problem: &'a Problem,
    /// What is cancelled has no estimate, and gradients without meaning.
    pub progress: &'a dyn Progress,
    pub layout: Layout,
    correlation: Correlation,
    /// Added to the diagonal so that K can be factored.
    pub jitter: f64,
    bases: Vec<Lower>,
    /// R
    pub correlations: Lower,
    /// L
    pub factor: Lower,
    /// U, up to date only after a gradient.
    pub inverse: InverseFactor,
    panels: Vec<Vec<f64>>,
    reduced: Vec<Vec<f64>>,
    pub estimate: Option<Estimate>,
    pub evaluations: usize,
}

/// What (2) gives at one point.
pub(crate) struct Estimate {
    pub point: Hyperparameters,
    /// Orthonormal basis of L⁻¹F.
    pub basis: Basis,
    pub beta: Vec<f64>,
    /// ρ, over padded rows.
    pub residual: Vec<f64>,
    /// σ² of scaled responses.
    pub variance: f64,
    /// −ln 𝓛 of scaled responses.
    pub value: f64,
}

impl<'a> Likelihood<'a> {
    pub fn new(
        problem: &'a Problem,
        correlation: Correlation,
        layout: Layout,
        progress: &'a dyn Progress,
    ) -> Self {
        let n = problem.samples();
        let panels = problem.row_panels();
        Self {
            problem,
            progress,
            layout,
            correlation,
            jitter: default_jitter(n),
            bases: problem.bases(correlation),
            correlations: Lower::zeros(n),
            factor: Lower::zeros(n),
            inverse: InverseFactor::zeros(n),
            reduced: panels.clone(),
            panels,
            estimate: None,
            evaluations: 0,
        }
    }

    /// −ln 𝓛 at a point of the search; infinite where K cannot be factored.
    pub fn value(&mut self, x: &[f64]) -> f64 {
        let point = self.layout.decode(x);
        self.value_at(point)
    }

    pub fn value_at(&mut self, point: Hyperparameters) -> f64 {
        self.evaluations += 1;
        self.estimate = self.estimate_at(point);
        self.estimate.as_ref().map_or(f64::INFINITY, |e| e.value)
    }

    fn estimate_at(&mut self, point: Hyperparameters) -> Option<Estimate> {
        self.update_matrix(&point);
        factor(&mut self.factor, self.progress).ok()?;
        for (reduced, panel) in self.reduced.iter_mut().zip(&self.panels) {
            reduced.copy_from_slice(panel);
            rows_times_inverse(&self.factor, reduced);
        }
        let column = |index: usize| -> Vec<f64> {
            let panel = self.reduced[index / ROWS].as_chunks::<ROWS>().0;
            panel.iter().map(|lanes| lanes[index % ROWS]).collect()
        };
        let basis = Basis::new((1..=self.problem.f.len()).map(column).collect()).ok()?;
        let mut residual = column(0);
        let beta = basis.solve(basis.project(&mut residual));

        let n = self.problem.samples() as f64;
        let square: f64 = residual.iter().map(|r| r * r).sum();
        let variance = point.scale.unwrap_or((square / n).max(f64::MIN_POSITIVE));
        let ln_determinant: f64 =
            (0..self.problem.samples()).map(|i| 2.0 * self.factor.at(i, i).ln()).sum();
        let value = 0.5
            * (n * (std::f64::consts::TAU * variance).ln() + ln_determinant + square / variance); // (1)
        Some(Estimate { point, basis, beta, residual, variance, value })
    }

    /// K, ready to be factored.
    fn update_matrix(&mut self, point: &Hyperparameters) {
        let scales = point.scales();
        let (bases, values) = (&self.bases, &mut self.correlations.values);
        for (part, values) in values.chunks_mut(PART).enumerate() {
            if self.progress.is_cancelled() {
                return;
            }
            let first = part * PART;
            with_shape!(self.correlation, H => {
                vectorised!(simd => correlate::<_, H>(simd, &scales, bases, first, values))
            });
        }
        self.correlations.pad_with_identity();
        self.factor.copy_from(&self.correlations);
        let noise = &self.problem.noise;
        let scale = point.scale.unwrap_or(1.0);
        let common = point.nugget + self.jitter;
        self.factor.add_to_diagonal(|i| common + noise.get(i).map_or(0.0, |v| v / scale));
    }

    /// Gradient at the point last evaluated, in the order of [`Layout`].
    pub fn gradient(&mut self, gradient: &mut [f64]) {
        let estimate = self.estimate.as_ref().expect("a value comes before its gradient");
        self.inverse.update(&self.factor, self.progress);
        let a = self.inverse.times(&estimate.residual);
        let scales = estimate.point.scales();
        let mut sums = Sums::new(scales.len(), a.len());
        let sources = Sources {
            scales: &scales,
            bases: &self.bases,
            correlations: &self.correlations,
            inverse: &self.inverse,
            a: &a,
            variance: estimate.variance,
            progress: self.progress,
        };
        with_shape!(self.correlation, H => {
            vectorised!(simd => sources.add_to::<_, H>(simd, &mut sums))
        });

        let n = self.problem.samples();
        let trace: f64 = sums.diagonal[..n].iter().sum();
        let nugget = 0.5 * estimate.point.nugget * trace;
        let scale = estimate.point.scale.map_or(0.0, |s| {
            let square: f64 = estimate.residual.iter().map(|r| r * r).sum();
            let noise: f64 =
                self.problem.noise.iter().zip(&sums.diagonal).map(|(v, d)| v / s * d).sum();
            0.5 * (n as f64 - square / s - noise) // (4)
        });
        let (theta, alpha) = (halved(&sums.theta), halved(&sums.alpha));
        self.layout.collect(&theta, &alpha, nugget, scale, gradient);
    }
}

/// Smallest addition to the diagonal with which a nearly singular R can be factored. Factors of
/// squared exponentials fail below about 0.1 n ε (n = 50 … 400); larger values cost accuracy.
pub(crate) fn default_jitter(samples: usize) -> f64 {
    0.2 * f64::EPSILON * samples as f64
}

fn halved(sums: &[[f64; LANES]]) -> Vec<f64> {
    sums.iter().map(|four| 0.5 * four.iter().sum::<f64>()).collect()
}

#[inline(always)]
fn correlate<S: Simd, H: Shape>(
    simd: S,
    scales: &[Scale],
    bases: &[Lower],
    first: usize,
    values: &mut [f64],
) {
    let bases: Vec<&[[f64; LANES]]> =
        bases.iter().map(|b| b.values[first..].as_chunks::<LANES>().0).collect();
    for (i, four) in values.as_chunks_mut::<LANES>().0.iter_mut().enumerate() {
        H::value(simd, scales, |k| f64x4::load_array_ref(simd, &bases[k][i])).store_array(four);
    }
}

/// Σᵢⱼ Sᵢⱼ ∂Rᵢⱼ/∂φ for φ = ln θₖ and αₖ in four parts each, and the diagonal of S.
struct Sums {
    theta: Vec<[f64; LANES]>,
    alpha: Vec<[f64; LANES]>,
    diagonal: Vec<f64>,
}

impl Sums {
    fn new(inputs: usize, padded: usize) -> Self {
        let zeros = vec![[0.0; LANES]; inputs];
        Self { theta: zeros.clone(), alpha: zeros, diagonal: vec![0.0; padded] }
    }
}

struct Sources<'a> {
    scales: &'a [Scale],
    bases: &'a [Lower],
    correlations: &'a Lower,
    inverse: &'a InverseFactor,
    a: &'a [f64],
    variance: f64,
    progress: &'a dyn Progress,
}

impl Sources<'_> {
    /// Tile by tile, so that K⁻¹ is never stored. A tile left of the diagonal stands for two.
    #[inline(always)]
    fn add_to<S: Simd, H: Shape>(&self, simd: S, sums: &mut Sums) {
        let mut tile = [0.0; TILE];
        let going = |_: &usize| !self.progress.is_cancelled();
        for i in (0..self.correlations.panels()).take_while(going) {
            for j in 0..=i {
                self.inverse.inverse_tile(simd, i, j, &mut tile);
                self.subtract_outer(simd, i, j, &mut tile);
                if i == j {
                    for lane in 0..ROWS {
                        sums.diagonal[ROWS * i + lane] = tile[(ROWS + 1) * lane];
                    }
                }
                self.add_tile::<S, H>(simd, i, j, &mut tile, sums);
            }
        }
    }

    /// K⁻¹ − a aᵀ/σ²
    #[inline(always)]
    fn subtract_outer<S: Simd>(&self, simd: S, i: usize, j: usize, tile: &mut [f64; TILE]) {
        let rows = &self.a[ROWS * i..ROWS * (i + 1)];
        for (c, column) in tile.as_chunks_mut::<ROWS>().0.iter_mut().enumerate() {
            let factor = -self.a[ROWS * j + c] / self.variance;
            for (four, a) in column.as_chunks_mut::<LANES>().0.iter_mut().zip(rows.as_chunks().0) {
                let s = f64x4::load_array_ref(simd, a)
                    .mul_add(factor, f64x4::load_array_ref(simd, four));
                s.store_array(four);
            }
        }
    }

    /// Adds S ∘ R ∘ ∂ ln R/∂φ of one tile.
    #[inline(always)]
    fn add_tile<S: Simd, H: Shape>(
        &self,
        simd: S,
        i: usize,
        j: usize,
        tile: &mut [f64; TILE],
        sums: &mut Sums,
    ) {
        let weight = if i == j { 1.0 } else { 2.0 };
        let range = TILE * j..TILE * (j + 1);
        let r = self.correlations.panel(i)[range.clone()].as_chunks::<LANES>().0;
        for (four, r) in tile.as_chunks_mut::<LANES>().0.iter_mut().zip(r) {
            let product = f64x4::load_array_ref(simd, four) * f64x4::load_array_ref(simd, r);
            (product * weight).store_array(four);
        }
        for (k, scale) in self.scales.iter().enumerate() {
            let base = self.bases[k].panel(i)[range.clone()].as_chunks::<LANES>().0;
            let mut theta = f64x4::load_array(simd, sums.theta[k]);
            let mut alpha = f64x4::load_array(simd, sums.alpha[k]);
            for (four, base) in tile.as_chunks::<LANES>().0.iter().zip(base) {
                let base = f64x4::load_array_ref(simd, base);
                let part = f64x4::load_array_ref(simd, four) * H::slope(simd, scale, base);
                theta += part;
                alpha = part.mul_add(base, alpha);
            }
            theta.store_array(&mut sums.theta[k]);
            alpha.store_array(&mut sums.alpha[k]);
        }
    }
}
