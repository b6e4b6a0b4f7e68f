//! From the user's inputs and responses to scaled numbers, and back.

use super::error::KrigingError;
use super::settings::{Scaling, Transform};
use serde::{Deserialize, Serialize};

/// scaled = (t(x) − offset)/factor, t the transform.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Axis {
    pub transform: Transform,
    pub offset: f64,
    pub factor: f64,
}

impl Axis {
    pub fn scaled(&self, x: f64) -> f64 {
        (self.transformed(x) - self.offset) / self.factor
    }

    pub fn transformed(&self, x: f64) -> f64 {
        match self.transform {
            Transform::Linear => x,
            Transform::Log => x.ln(),
        }
    }

    /// Back from scaled to transformed, not to the user's, numbers.
    pub fn unscaled(&self, u: f64) -> f64 {
        self.offset + self.factor * u
    }

    /// The axis of given values; its factor is 1 where they are all the same.
    pub fn of(transform: Transform, scaling: Scaling, values: impl Iterator<Item = f64>) -> Self {
        let identity = Self { transform, offset: 0.0, factor: 1.0 };
        let t: Vec<f64> = values.map(|x| identity.transformed(x)).collect();
        let low = t.iter().copied().fold(f64::INFINITY, f64::min);
        let high = t.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        // A range of a few roundings is no range.
        if high - low <= 8.0 * f64::EPSILON * low.abs().max(high.abs()) {
            return Self { offset: low, ..identity };
        }
        match scaling {
            Scaling::Unit => Self { offset: low, factor: high - low, ..identity },
            Scaling::Standard => {
                let mean = t.iter().sum::<f64>() / t.len() as f64;
                let squares: f64 = t.iter().map(|t| (t - mean) * (t - mean)).sum();
                let deviation = (squares / (t.len() - 1) as f64).sqrt();
                Self { offset: mean, factor: deviation, ..identity }
            }
        }
    }

    /// The value as it may be scaled, or what is wrong with it.
    pub fn check(
        transform: Transform,
        value: f64,
        row: usize,
        column: Option<usize>,
    ) -> Result<(), KrigingError> {
        if !value.is_finite() {
            return Err(KrigingError::NotFinite { row, column });
        }
        if transform == Transform::Log && value <= 0.0 {
            return Err(KrigingError::NotPositive { row, column, value });
        }
        Ok(())
    }
}
