//! How well a model predicts samples it has not seen.
//!
//! Leaving out sample i with all parameters kept needs no new factor (Dubrule 1983). With
//! P = K⁻¹ − K⁻¹F (Fᵀ K⁻¹ F)⁻¹ Fᵀ K⁻¹,
//!
//!   yᵢ − ŷ₋ᵢ = (P y)ᵢ/Pᵢᵢ,   s²₋ᵢ = σ²/Pᵢᵢ,   P y = K⁻¹(y − Fβ)                     (1)
//!
//! s²₋ᵢ is that of the observation, noise included. In k folds a model of the other samples is made
//! for every fold. The measures, over all samples:
//!
//!   RMSE = √(Σ eᵢ²/n),   Q² = 1 − Σ eᵢ²/Σ (yᵢ − ȳ)²                                  (2)

use super::error::KrigingError;
use super::model::{Known, Kriging};
use super::settings::{Parameters, Settings, Transform};
use gudgeon::progress::{Progress, Unwatched};
use gudgeon::random::Random;

#[derive(Clone, Debug, PartialEq)]
pub struct Validation {
    /// Rows of the samples, in the order of the other lists.
    pub rows: Vec<usize>,
    /// Predicted without the sample, in response units (the median where it is logarithmic).
    pub predicted: Vec<f64>,
    /// Sample less prediction, in response units.
    pub residuals: Vec<f64>,
    /// Residual over its predicted standard deviation, both of the transformed response: about
    /// standard normal where the model is right. Zero where the model has no variance.
    pub standardised: Vec<f64>,
    pub rmse: f64,
    /// Part of the variance of the responses that is predicted; 1 is perfect, 0 is the mean's.
    pub q2: f64,
}

/// Whether hyper-parameters are found anew in every fold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refit {
    Kept,
    Anew,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Folds {
    pub count: usize,
    /// Decides which sample is in which fold.
    pub seed: u64,
    pub parameters: Refit,
}

impl Kriging {
    /// Every sample predicted from all others, parameters kept (1).
    pub fn leave_one_out(&self) -> Validation {
        let y: Vec<f64> = self.rows.iter().map(|&r| self.responses[r]).collect();
        let scaled = y.iter().map(|y| self.response.scaled(*y));
        let latent = scaled.zip(self.weights.iter().zip(&self.precisions)).map(|(y, (a, p))| {
            let error = if self.variance > 0.0 { a / p } else { 0.0 };
            let deviation = (self.variance / p).max(0.0).sqrt();
            let factor = self.response.factor;
            (self.response.unscaled(y - error), factor * deviation)
        });
        self.validation(self.rows.clone(), latent.collect())
    }

    /// Every sample predicted from the samples of the other folds.
    pub fn k_fold(&self, folds: Folds) -> Result<Validation, KrigingError> {
        self.k_fold_watched(folds, &Unwatched)
    }

    /// As [`Self::k_fold`]; `progress` may cancel it.
    pub fn k_fold_watched(
        &self,
        folds: Folds,
        progress: &dyn Progress,
    ) -> Result<Validation, KrigingError> {
        let n = self.rows.len();
        if folds.count < 2 || folds.count > n {
            return Err(KrigingError::Folds { folds: folds.count, samples: n });
        }
        let mut order: Vec<usize> = (0..n).collect();
        Random::new(folds.seed).shuffle(&mut order);
        let mut latent = vec![(0.0, 0.0); n];
        for fold in 0..folds.count {
            let out: Vec<usize> = order.iter().copied().skip(fold).step_by(folds.count).collect();
            let kept: Vec<usize> =
                (0..n).filter(|i| !out.contains(i)).map(|i| self.rows[i]).collect();
            let model = self.refitted(&kept, folds.parameters, progress)?;
            let points: Vec<&[f64]> =
                out.iter().map(|&i| self.inputs[self.rows[i]].as_slice()).collect();
            for (&i, (mean, variance)) in out.iter().zip(model.predict_latent(&points, progress)?) {
                let noise = model.noise_variance() + self.known_noise(self.rows[i]);
                latent[i] = (mean, (variance + noise).sqrt());
            }
        }
        Ok(self.validation(self.rows.clone(), latent))
    }

    /// A model of some of the rows.
    fn refitted(
        &self,
        rows: &[usize],
        parameters: Refit,
        progress: &dyn Progress,
    ) -> Result<Self, KrigingError> {
        let pick = |values: &[f64]| rows.iter().filter_map(|&r| values.get(r).copied()).collect();
        let inputs: Vec<&[f64]> = rows.iter().map(|&r| self.inputs[r].as_slice()).collect();
        let responses: Vec<f64> = pick(&self.responses);
        let settings = Settings { noise: pick(&self.settings.noise), ..self.settings.clone() };
        match parameters {
            Refit::Anew => Self::fit_watched(&inputs, &responses, &settings, progress),
            Refit::Kept => {
                let parameters = Parameters::Fixed(self.parameters());
                let known = Known { axes: Some(self.axes.clone()), ..Known::default() };
                let settings = Settings { parameters, ..settings };
                Self::build(&inputs, &responses, &settings, known, progress)
            }
        }
    }

    /// Known variance of the noise of a row, of the transformed response.
    fn known_noise(&self, row: usize) -> f64 {
        let slope = match self.response.transform {
            Transform::Linear => 1.0,
            Transform::Log => 1.0 / self.responses[row],
        };
        self.settings.noise.get(row).map_or(0.0, |v| v * slope * slope)
    }

    /// Measures from means and standard deviations of the transformed response.
    fn validation(&self, rows: Vec<usize>, latent: Vec<(f64, f64)>) -> Validation {
        let y: Vec<f64> = rows.iter().map(|&r| self.responses[r]).collect();
        let to_user = |m: f64| match self.response.transform {
            Transform::Linear => m,
            Transform::Log => m.exp(),
        };
        let predicted: Vec<f64> = latent.iter().map(|(m, _)| to_user(*m)).collect();
        let residuals: Vec<f64> = y.iter().zip(&predicted).map(|(y, p)| y - p).collect();
        let standardised = y
            .iter()
            .zip(&latent)
            .map(|(y, (m, s))| if *s > 0.0 { (self.response.transformed(*y) - m) / s } else { 0.0 })
            .collect();
        let n = y.len() as f64;
        let mean = y.iter().sum::<f64>() / n;
        let squares: f64 = residuals.iter().map(|e| e * e).sum();
        let spread: f64 = y.iter().map(|y| (y - mean).powi(2)).sum();
        Validation {
            rows,
            predicted,
            residuals,
            standardised,
            rmse: (squares / n).sqrt(),
            q2: if spread > 0.0 { 1.0 - squares / spread } else { 1.0 },
        }
    }
}
