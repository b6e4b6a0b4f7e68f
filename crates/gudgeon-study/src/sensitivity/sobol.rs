//! Sobol' indices: the share of each variable in the variance of a response.
//!
//!   S_i = V(E[f | x_i]) / V(f),   T_i = 1 − V(E[f | x_~i]) / V(f)               (1)
//!
//! S_i is what fixing x_i alone would take away, T_i what is left when all others are fixed; T_i − S_i
//! is the part of x_i in interactions. From two independent samples A and B and the matrices A_B⁽ⁱ⁾, A
//! with column i of B, the estimates are
//!
//!   V S_i ≈ 1/N Σ f(B) (f(A_B⁽ⁱ⁾) − f(A))                                       (2)
//!   V T_i ≈ 1/(2N) Σ (f(A) − f(A_B⁽ⁱ⁾))²                                        (3)
//!
//! with f counted from its mean, without which (2) loses digits. A and B are the halves of a shifted
//! Sobol' sequence of 2 d dimensions. The intervals are percentiles over resampled rows, as if the rows
//! were independent; the sequence does better, so they are wide rather than narrow. References:
//! Saltelli et al., *Variance based sensitivity analysis of model output*, Comput. Phys. Commun. 181
//! (2010) for (2); Jansen 1999 for (3).

use gudgeon::progress::Progress;

use super::{Batch, SensitivityError};
use crate::design::{sobol, stream};

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IndexOptions {
    /// N; a power of two uses the sequence best.
    pub samples: usize,
    /// Resamplings for the intervals.
    pub resamplings: usize,
    /// Share of the resamplings inside the interval.
    pub confidence: f64,
    pub seed: u64,
}

impl Default for IndexOptions {
    fn default() -> Self {
        Self { samples: 1 << 12, resamplings: 200, confidence: 0.95, seed: 0 }
    }
}

/// An estimate with its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Index {
    pub value: f64,
    pub low: f64,
    pub high: f64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct SobolIndices {
    /// S of each variable.
    pub first: Vec<Index>,
    /// T of each variable.
    pub total: Vec<Index>,
    pub mean: f64,
    pub variance: f64,
    /// Rows all of whose runs succeeded.
    pub used: usize,
}

/// First-order and total indices of all variables, by N (d + 2) runs in d + 2 batches. What `progress`
/// cancels has too few runs, or intervals that mean nothing.
pub fn sobol_indices(
    dimension: usize,
    options: &IndexOptions,
    progress: &dyn Progress,
    f: &mut Batch,
) -> Result<SobolIndices, SensitivityError> {
    let both = sobol(options.samples, 2 * dimension, Some(options.seed))?;
    let half = |columns: std::ops::Range<usize>| -> Vec<Vec<f64>> {
        both.iter().map(|row| row[columns.clone()].to_vec()).collect()
    };
    let (a, b) = (half(0..dimension), half(dimension..2 * dimension));
    let mut values = vec![f(&a), f(&b)];
    let mut mixed = a.clone();
    for i in 0..dimension {
        if progress.is_cancelled() {
            return Err(SensitivityError::TooFewRuns { used: 0, samples: options.samples });
        }
        mixed.iter_mut().zip(&b).for_each(|(m, b)| m[i] = b[i]);
        values.push(f(&mixed));
        mixed.iter_mut().zip(&a).for_each(|(m, a)| m[i] = a[i]);
    }
    let sound = |r: &usize| values.iter().all(|column| column[*r].is_finite());
    let rows: Vec<usize> = (0..options.samples).filter(sound).collect();
    if rows.len() < 2 || rows.len() < options.samples / 2 {
        let (used, samples) = (rows.len(), options.samples);
        return Err(SensitivityError::TooFewRuns { used, samples });
    }
    let estimate = Estimate::of(&values, &rows);
    if estimate.variance <= 1e-28 * estimate.mean * estimate.mean {
        return Err(SensitivityError::Constant);
    }
    let replicas = resample(&values, &rows, options, progress);
    let index = |pick: &dyn Fn(&Estimate) -> f64| {
        let mut all: Vec<f64> = replicas.iter().map(pick).collect();
        interval(pick(&estimate), &mut all, options.confidence)
    };
    Ok(SobolIndices {
        first: (0..dimension).map(|i| index(&|e: &Estimate| e.first[i])).collect(),
        total: (0..dimension).map(|i| index(&|e: &Estimate| e.total[i])).collect(),
        mean: estimate.mean,
        variance: estimate.variance,
        used: rows.len(),
    })
}

struct Estimate {
    first: Vec<f64>,
    total: Vec<f64>,
    mean: f64,
    variance: f64,
}

impl Estimate {
    /// (2) and (3) over some rows of f(A), f(B), f(A_B⁽¹⁾), …
    fn of(values: &[Vec<f64>], rows: &[usize]) -> Self {
        let n = rows.len() as f64;
        let (a, b) = (&values[0], &values[1]);
        let mean = rows.iter().map(|&r| a[r] + b[r]).sum::<f64>() / (2.0 * n);
        let square = |x: f64| (x - mean) * (x - mean);
        let variance = rows.iter().map(|&r| square(a[r]) + square(b[r])).sum::<f64>() / (2.0 * n);
        let first = |m: &Vec<f64>| {
            rows.iter().map(|&r| (b[r] - mean) * (m[r] - a[r])).sum::<f64>() / (n * variance)
        };
        let total = |m: &Vec<f64>| {
            let sum: f64 = rows.iter().map(|&r| (a[r] - m[r]) * (a[r] - m[r])).sum();
            sum / (2.0 * n * variance)
        };
        Self {
            first: values[2..].iter().map(first).collect(),
            total: values[2..].iter().map(total).collect(),
            mean,
            variance,
        }
    }
}

fn resample(
    values: &[Vec<f64>],
    rows: &[usize],
    options: &IndexOptions,
    progress: &dyn Progress,
) -> Vec<Estimate> {
    let replica = |i: usize| {
        let mut random = stream(options.seed, i as u64);
        let drawn: Vec<usize> = rows.iter().map(|_| rows[random.below(rows.len())]).collect();
        Estimate::of(values, &drawn)
    };
    let going = |_: &usize| !progress.is_cancelled();
    (0..options.resamplings).take_while(going).map(replica).collect()
}

/// Percentiles of the resampled values around the estimate.
fn interval(value: f64, all: &mut [f64], confidence: f64) -> Index {
    if all.is_empty() {
        return Index { value, low: value, high: value };
    }
    all.sort_by(f64::total_cmp);
    let at = |share: f64| all[((share * all.len() as f64) as usize).min(all.len() - 1)];
    let outside = 0.5 * (1.0 - confidence);
    Index { value, low: at(outside), high: at(1.0 - outside) }
}
