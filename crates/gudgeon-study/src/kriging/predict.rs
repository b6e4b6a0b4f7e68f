//! Predictions (2) and (3) of the module, eight points at a time.
//!
//! With W = L⁻¹, U = L⁻ᵀ and the basis L⁻¹F = Q T, the sums over samples are products of stored rows
//! with the correlations r of a point:
//!
//!   ŷ = fᵀβ + aᵀ r,                         a = K⁻¹(y − Fβ)
//!   s² = σ² [1 − |W r|² + |T⁻ᵀ f − Gᵀ r|²],   G = U Q
//!
//! Rows are taken six at a time and points eight at a time: twelve sums in vectors of four fill the
//! sixteen registers of most processors, and each row read serves eight points.

use super::error::KrigingError;
use super::model::Kriging;
use super::problem::check_point;
use super::settings::Transform;
use super::shape::{Scale, Shape, with_shape};
use crate::linear::lanes::LANES;
use crate::linear::{Basis, InverseFactor, vectorised};
use fearless_simd::{Simd, f64x4, prelude::*};
use gudgeon::progress::{Progress, Unwatched};

/// Predicted response at a point.
///
/// With a logarithmic response ln Y is normal with mean m and variance v: `mean` is then eᵐ, the
/// median of Y, and `variance` that of Y, (eᵛ − 1) e²ᵐ⁺ᵛ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prediction {
    pub mean: f64,
    pub variance: f64,
}

impl Prediction {
    pub fn deviation(&self) -> f64 {
        self.variance.sqrt()
    }
}

/// Vectors of points handled together.
const VECTORS: usize = 2;
const POINTS: usize = VECTORS * LANES;
/// Rows of W handled together.
const GROUP: usize = 6;

#[derive(Clone, Debug)]
pub(crate) struct Predictor {
    /// Scaled inputs of the samples, sample by sample.
    samples: Vec<f64>,
    count: usize,
    /// W, groups of six rows, column by column; group i has 6(i + 1) columns.
    triangle: Vec<f64>,
    /// a, then the columns of G, as groups of six rows over all columns.
    rows: Vec<f64>,
    basis: Basis,
}

impl Predictor {
    pub fn new(
        x: &[Vec<f64>],
        inverse: &InverseFactor,
        weights: &[f64],
        trend: &[Vec<f64>],
        basis: &Basis,
    ) -> Self {
        let count = x[0].len();
        let samples = (0..count).flat_map(|i| x.iter().map(move |column| column[i])).collect();
        let groups = count.div_ceil(GROUP);
        let mut triangle = Vec::with_capacity(GROUP * GROUP * groups * (groups + 1) / 2);
        for group in 0..groups {
            for c in 0..GROUP * (group + 1) {
                triangle.extend(
                    (GROUP * group..GROUP * (group + 1))
                        .map(|r| if c <= r && r < count { inverse.at(c, r) } else { 0.0 }),
                );
            }
        }
        let all: Vec<&[f64]> =
            std::iter::once(weights).chain(trend.iter().map(Vec::as_slice)).collect();
        let mut rows = Vec::new();
        for six in all.chunks(GROUP) {
            for c in 0..GROUP * groups {
                rows.extend(
                    (0..GROUP)
                        .map(|r| six.get(r).and_then(|row| row.get(c)).copied().unwrap_or(0.0)),
                );
            }
        }
        Self { samples, count, triangle, rows, basis: basis.clone() }
    }

    /// Correlations of eight points with every sample: eight numbers per sample.
    #[inline(always)]
    fn correlate<S: Simd, H: Shape>(
        &self,
        simd: S,
        scales: &[Scale],
        points: &[[f64; POINTS]],
        r: &mut [[f64; POINTS]],
    ) {
        for (sample, r) in self.samples.chunks_exact(scales.len()).zip(r) {
            for v in (0..POINTS).step_by(LANES) {
                let base = |k: usize| {
                    let x = f64x4::from_slice(simd, &points[k][v..v + LANES]);
                    H::base(simd, (x - sample[k]).abs())
                };
                H::value(simd, scales, base).store_slice(&mut r[v..v + LANES]);
            }
        }
    }

    /// |W r|² of every point.
    #[inline(always)]
    fn squares<S: Simd>(&self, simd: S, r: &[[f64; POINTS]], squares: &mut [f64; POINTS]) {
        let mut sums = [f64x4::splat(simd, 0.0); VECTORS];
        let mut rest = self.triangle.as_chunks::<GROUP>().0;
        for columns in (GROUP..=r.len()).step_by(GROUP) {
            let (group, after) = rest.split_at(columns);
            rest = after;
            for row in six_rows(simd, group, r) {
                for v in 0..VECTORS {
                    sums[v] = row[v].mul_add(row[v], sums[v]);
                }
            }
        }
        store(&sums, squares);
    }

    /// Products of every stored row with r: aᵀr first, then Gᵀr.
    #[inline(always)]
    fn products<S: Simd>(&self, simd: S, r: &[[f64; POINTS]], products: &mut [[f64; POINTS]]) {
        let groups = self.rows.as_chunks::<GROUP>().0.chunks_exact(r.len());
        for (group, out) in groups.zip(products.chunks_mut(GROUP)) {
            for (row, out) in six_rows(simd, group, r).iter().zip(out) {
                store(row, out);
            }
        }
    }
}

#[inline(always)]
fn store<S: Simd>(vectors: &[f64x4<S>; VECTORS], out: &mut [f64; POINTS]) {
    for (vector, four) in vectors.iter().zip(out.as_chunks_mut::<LANES>().0) {
        vector.store_array(four);
    }
}

/// Six rows times the correlations of eight points.
#[inline(always)]
fn six_rows<S: Simd>(
    simd: S,
    rows: &[[f64; GROUP]],
    r: &[[f64; POINTS]],
) -> [[f64x4<S>; VECTORS]; GROUP] {
    let mut sums = [[f64x4::splat(simd, 0.0); VECTORS]; GROUP];
    for (row, r) in rows.iter().zip(r) {
        let r: [f64x4<S>; VECTORS] =
            std::array::from_fn(|v| f64x4::from_slice(simd, &r[v * LANES..(v + 1) * LANES]));
        for c in 0..GROUP {
            let factor = f64x4::splat(simd, row[c]);
            for v in 0..VECTORS {
                sums[c][v] = r[v].mul_add(factor, sums[c][v]);
            }
        }
    }
    sums
}

/// Memory for eight points, reused from block to block.
struct Block {
    points: Vec<[f64; POINTS]>,
    r: Vec<[f64; POINTS]>,
    squares: [f64; POINTS],
    products: Vec<[f64; POINTS]>,
    scaled: Vec<f64>,
    terms: Vec<f64>,
}

impl Kriging {
    /// Mean and variance at one point.
    pub fn predict(&self, point: &[f64]) -> Result<Prediction, KrigingError> {
        Ok(self.predict_all(&[point])?[0])
    }

    /// Mean and variance at many points.
    pub fn predict_all<P: AsRef<[f64]>>(
        &self,
        points: &[P],
    ) -> Result<Vec<Prediction>, KrigingError> {
        self.predict_watched(points, &Unwatched)
    }

    /// As [`Self::predict_all`], which takes a second for a hundred points of thousands of samples:
    /// `progress` may cancel it.
    pub fn predict_watched<P: AsRef<[f64]>>(
        &self,
        points: &[P],
        progress: &dyn Progress,
    ) -> Result<Vec<Prediction>, KrigingError> {
        let points: Vec<&[f64]> = points.iter().map(AsRef::as_ref).collect();
        let latent = self.predict_latent(&points, progress)?;
        Ok(latent.into_iter().map(|(m, v)| self.to_user(m, v)).collect())
    }

    /// Bounds k standard deviations below and above; of ln Y where the response is logarithmic.
    pub fn interval(&self, point: &[f64], k: f64) -> Result<(f64, f64), KrigingError> {
        let (m, v) = self.predict_latent(&[point], &Unwatched)?[0];
        let reach = k * v.sqrt();
        Ok(match self.response.transform {
            Transform::Linear => (m - reach, m + reach),
            Transform::Log => ((m - reach).exp(), (m + reach).exp()),
        })
    }

    /// How many predicted standard deviations a response lies above its prediction; of ln Y where the
    /// response is logarithmic. Infinite where the model is certain and wrong.
    pub fn surprise(&self, point: &[f64], response: f64) -> Result<f64, KrigingError> {
        let (m, v) = self.predict_latent(&[point], &Unwatched)?[0];
        let beyond = match self.response.transform {
            Transform::Log if response <= 0.0 => f64::NEG_INFINITY,
            _ => self.response.transformed(response) - m,
        };
        Ok(if beyond == 0.0 { 0.0 } else { beyond / v.sqrt() })
    }

    fn to_user(&self, m: f64, v: f64) -> Prediction {
        match self.response.transform {
            Transform::Linear => Prediction { mean: m, variance: v },
            Transform::Log => {
                Prediction { mean: m.exp(), variance: v.exp_m1() * (2.0 * m + v).exp() }
            }
        }
    }

    /// Mean and variance of the transformed response.
    pub(super) fn predict_latent(
        &self,
        points: &[&[f64]],
        progress: &dyn Progress,
    ) -> Result<Vec<(f64, f64)>, KrigingError> {
        let width = self.axes.len();
        for (row, point) in points.iter().enumerate() {
            check_point(point, row, width, &self.settings)?;
        }
        let padded = GROUP * self.predictor.count.div_ceil(GROUP);
        let mut block = Block {
            points: vec![[0.0; POINTS]; width],
            r: vec![[0.0; POINTS]; padded],
            squares: [0.0; POINTS],
            products: vec![[0.0; POINTS]; 1 + self.beta.len()],
            scaled: vec![0.0; width],
            terms: Vec::new(),
        };
        let scales = self.point.scales();
        let mut predictions = Vec::with_capacity(points.len());
        for eight in points.chunks(POINTS) {
            if progress.is_cancelled() {
                return Err(KrigingError::Cancelled);
            }
            for (lane, point) in eight.iter().enumerate() {
                for (k, x) in point.iter().enumerate() {
                    block.points[k][lane] = self.axes[k].scaled(*x);
                }
            }
            with_shape!(self.settings.correlation, H => {
                vectorised!(simd => self.predictor.sums::<_, H>(simd, &scales, &mut block))
            });
            predictions.extend((0..eight.len()).map(|lane| self.combine(&mut block, lane)));
        }
        Ok(predictions)
    }

    /// (2) and (3) for one point of a block.
    fn combine(&self, block: &mut Block, lane: usize) -> (f64, f64) {
        for (x, point) in block.scaled.iter_mut().zip(&block.points) {
            *x = point[lane];
        }
        let terms = &mut block.terms;
        self.settings.trend.terms(&block.scaled, terms);
        let trend: f64 = terms.iter().zip(&self.beta).map(|(f, b)| f * b).sum();
        let mean = trend + block.products[0][lane];
        self.predictor.basis.transposed_solve(terms);
        let extra: f64 =
            terms.iter().zip(&block.products[1..]).map(|(t, g)| (t - g[lane]).powi(2)).sum();
        let part = (1.0 - block.squares[lane]).max(0.0) + extra;
        let factor = self.response.factor;
        (self.response.unscaled(mean), self.variance * part * factor * factor)
    }
}

impl Predictor {
    #[inline(always)]
    fn sums<S: Simd, H: Shape>(&self, simd: S, scales: &[Scale], block: &mut Block) {
        self.correlate::<S, H>(simd, scales, &block.points, &mut block.r);
        self.squares(simd, &block.r, &mut block.squares);
        self.products(simd, &block.r, &mut block.products);
    }
}
