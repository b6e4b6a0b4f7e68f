//! Main effects: the mean response at each value of a variable, over all the others.
//!
//!   m_i(u) = E[f | x_i = u] ≈ 1/N Σ_r f(x_r with x_i = u)                       (1)
//!
//! over the same shifted Sobol' points x_r for every u and i, so that the curves are smooth and differ
//! by the variable alone. Made for surrogates, where runs cost nothing.

use super::{Batch, SensitivityError};
use crate::design::sobol;

/// The curve of one variable.
#[derive(Clone, Debug, PartialEq)]
pub struct Effect {
    /// Coordinates of the variable.
    pub at: Vec<f64>,
    /// Eq. (1) at each.
    pub mean: Vec<f64>,
    /// Standard deviation of the response at each, from all other variables.
    pub deviation: Vec<f64>,
    /// Fewest runs behind a mean.
    pub used: usize,
}

/// Curves of all variables; `levels[i]` are the coordinates of variable i, one batch each.
pub fn main_effects(
    levels: &[Vec<f64>],
    samples: usize,
    seed: u64,
    f: &mut Batch,
) -> Result<Vec<Effect>, SensitivityError> {
    let points = sobol(samples, levels.len(), Some(seed))?;
    levels.iter().enumerate().map(|(i, at)| effect(i, at, &points, f)).collect()
}

fn effect(
    variable: usize,
    at: &[f64],
    points: &[Vec<f64>],
    f: &mut Batch,
) -> Result<Effect, SensitivityError> {
    let mut curve = Effect { at: at.to_vec(), mean: vec![], deviation: vec![], used: points.len() };
    let mut moved = points.to_vec();
    for &u in at {
        moved.iter_mut().for_each(|p| p[variable] = u);
        let values: Vec<f64> = f(&moved).into_iter().filter(|v| v.is_finite()).collect();
        if values.is_empty() {
            return Err(SensitivityError::TooFewRuns { used: 0, samples: points.len() });
        }
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let variance = values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / n;
        curve.mean.push(mean);
        curve.deviation.push(variance.sqrt());
        curve.used = curve.used.min(values.len());
    }
    Ok(curve)
}
