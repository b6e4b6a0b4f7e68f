//! Morris' screening: cheap ranking of many variables by elementary effects.
//!
//! A trajectory starts at a random point of the grid {0, 1/(p − 1), …, 1}^d and changes every variable
//! once, in random order, by ± Δ, Δ = p/(2(p − 1)). Each change gives an elementary effect
//!
//!   e_i = (f(x ± Δ e_i) − f(x)) / (± Δ)                                         (1)
//!
//! Over r trajectories: μ, the mean of e_i; μ*, the mean of |e_i|, which ranks; σ, the standard
//! deviation, which tells curvature and interactions from straight effects. References: Morris,
//! *Factorial sampling plans for preliminary computational experiments*, Technometrics 33 (1991);
//! Campolongo, Cariboni, Saltelli 2007 for μ*.

use super::{Batch, SensitivityError};
use crate::design::{DesignError, stream};
use gudgeon::random::Random;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MorrisOptions {
    /// r.
    pub trajectories: usize,
    /// p, even.
    pub levels: usize,
    pub seed: u64,
}

impl Default for MorrisOptions {
    fn default() -> Self {
        Self { trajectories: 20, levels: 4, seed: 0 }
    }
}

/// The effects of one variable, in units of the response over the whole range of the variable.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MorrisEffect {
    /// μ.
    pub mean: f64,
    /// μ*.
    pub mean_size: f64,
    /// σ.
    pub deviation: f64,
    /// Effects of which both runs succeeded.
    pub count: usize,
}

/// Effects of all variables, by r (d + 1) runs in one batch.
pub fn morris(
    dimension: usize,
    options: &MorrisOptions,
    f: &mut Batch,
) -> Result<Vec<MorrisEffect>, SensitivityError> {
    if options.levels < 2 || options.levels % 2 == 1 {
        return Err(SensitivityError::Levels { levels: options.levels });
    }
    if dimension == 0 || options.trajectories == 0 {
        return Err(DesignError::Empty { points: options.trajectories, dimension }.into());
    }
    let mut points = Vec::with_capacity(options.trajectories * (dimension + 1));
    let mut orders = Vec::with_capacity(options.trajectories);
    for t in 0..options.trajectories {
        let mut random = stream(options.seed, t as u64);
        orders.push(trajectory(dimension, options.levels, &mut random, &mut points));
    }
    let values = f(&points);
    let mut effects: Vec<Vec<f64>> = vec![vec![]; dimension];
    for (t, order) in orders.iter().enumerate() {
        for (step, &i) in order.iter().enumerate() {
            let at = t * (dimension + 1) + step;
            let change = points[at + 1][i] - points[at][i];
            let effect = (values[at + 1] - values[at]) / change; // (1)
            if effect.is_finite() {
                effects[i].push(effect);
            }
        }
    }
    let used = effects.iter().map(Vec::len).min().unwrap_or(0);
    if used < 2 {
        return Err(SensitivityError::TooFewRuns { used, samples: options.trajectories });
    }
    Ok(effects.iter().map(|e| summary(e)).collect())
}

/// Appends the d + 1 points of a trajectory and gives the order of its changes.
fn trajectory(
    dimension: usize,
    levels: usize,
    random: &mut Random,
    points: &mut Vec<Vec<f64>>,
) -> Vec<usize> {
    // In whole levels, so that grid points are met exactly: Δ is half of the p levels.
    let jump = levels / 2;
    let mut at: Vec<usize> = (0..dimension).map(|_| random.below(levels)).collect();
    let mut order: Vec<usize> = (0..dimension).collect();
    random.shuffle(&mut order);
    let unit = |at: &[usize]| at.iter().map(|&l| l as f64 / (levels - 1) as f64).collect();
    points.push(unit(&at));
    for &i in &order {
        // Exactly one of up and down stays on the grid.
        at[i] = if at[i] + jump < levels { at[i] + jump } else { at[i] - jump };
        points.push(unit(&at));
    }
    order
}

fn summary(effects: &[f64]) -> MorrisEffect {
    let n = effects.len() as f64;
    let mean = effects.iter().sum::<f64>() / n;
    let mean_size = effects.iter().map(|e| e.abs()).sum::<f64>() / n;
    let variance = effects.iter().map(|e| (e - mean) * (e - mean)).sum::<f64>() / (n - 1.0);
    MorrisEffect { mean, mean_size, deviation: variance.sqrt(), count: effects.len() }
}
