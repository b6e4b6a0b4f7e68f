//! Which numbers the search moves: ln θₖ, then αₖ (or one α), then ln g, then ln s.

use super::settings::{Correlation, Exponents, HyperParameters, Nugget, Search, Settings};
use super::shape::Scale;
use gudgeon::random::Random;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Hyper-parameters of scaled data. `scale` is s, present where noise is known.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Hyperparameters {
    pub theta: Vec<f64>,
    pub alpha: Vec<f64>,
    pub nugget: f64,
    pub scale: Option<f64>,
}

impl Hyperparameters {
    pub fn scales(&self) -> Vec<Scale> {
        let alpha = |k: usize| self.alpha.get(k).copied().unwrap_or(2.0);
        self.theta.iter().enumerate().map(|(k, t)| Scale::new(*t, alpha(k))).collect()
    }

    /// In the user's terms; `factor` is that of the response's axis.
    pub fn to_user(&self, factor: f64) -> HyperParameters {
        HyperParameters {
            theta: self.theta.clone(),
            exponent: self.alpha.clone(),
            nugget: self.nugget,
            variance: self.scale.map(|s| s * factor * factor),
        }
    }
}

/// Bounds of s, relative to the variance of the responses.
const SCALE: [f64; 2] = [1e-6, 1e6];
/// Starts are drawn from the part of the bounds that lies in these.
const THETA_STARTS: [f64; 2] = [0.03, 100.0];
const NUGGET_STARTS: [f64; 2] = [1e-6, 0.1];
const SCALE_STARTS: [f64; 2] = [0.3, 10.0];

#[derive(Clone, Debug)]
pub(crate) struct Layout {
    inputs: usize,
    /// Number of α searched for: none, one, or one per input.
    exponents: usize,
    has_exponents: bool,
    /// g where it is not searched for.
    fixed_nugget: Option<f64>,
    has_scale: bool,
    bounds: Vec<[f64; 2]>,
    starts: Vec<[f64; 2]>,
}

fn ln(bounds: [f64; 2]) -> [f64; 2] {
    bounds.map(f64::ln)
}

/// The part of `starts` within `bounds`, or all of the bounds where they do not meet.
fn within(bounds: [f64; 2], starts: [f64; 2]) -> [f64; 2] {
    let part = [bounds[0].max(starts[0]), bounds[1].min(starts[1])];
    if part[0] <= part[1] { part } else { bounds }
}

impl Layout {
    pub fn new(settings: &Settings, search: &Search, inputs: usize) -> Self {
        let has_exponents = settings.correlation == Correlation::PowerExponential;
        let exponents = match search.exponents {
            _ if !has_exponents => 0,
            Exponents::PerInput => inputs,
            Exponents::Common => 1,
        };
        let mut bounds = vec![ln(search.theta); inputs];
        let mut starts = vec![ln(within(search.theta, THETA_STARTS)); inputs];
        bounds.resize(inputs + exponents, search.exponent);
        starts.resize(inputs + exponents, search.exponent);
        let fixed_nugget = match settings.nugget {
            Nugget::None => Some(0.0),
            Nugget::Fixed(g) => Some(g),
            Nugget::Fitted => {
                bounds.push(ln(search.nugget));
                starts.push(ln(within(search.nugget, NUGGET_STARTS)));
                None
            }
        };
        let has_scale = !settings.noise.is_empty();
        if has_scale {
            bounds.push(ln(SCALE));
            starts.push(ln(SCALE_STARTS));
        }
        Self { inputs, exponents, has_exponents, fixed_nugget, has_scale, bounds, starts }
    }

    pub fn bounds(&self) -> &[[f64; 2]] {
        &self.bounds
    }

    pub fn decode(&self, x: &[f64]) -> Hyperparameters {
        let (theta, rest) = x.split_at(self.inputs);
        let (alpha, rest) = rest.split_at(self.exponents);
        let mut rest = rest.iter().map(|v| v.exp());
        let alpha = match (self.has_exponents, alpha) {
            (false, _) => Vec::new(),
            (true, [common]) => vec![*common; self.inputs],
            (true, each) => each.to_vec(),
        };
        Hyperparameters {
            theta: theta.iter().map(|t| t.exp()).collect(),
            alpha,
            nugget: self.fixed_nugget.unwrap_or_else(|| rest.next().expect("a place for g")),
            scale: self.has_scale.then(|| rest.next().expect("a place for s")),
        }
    }

    /// Where a point lies in the search, the reverse of [`Self::decode`].
    pub fn encode(&self, point: &Hyperparameters) -> Vec<f64> {
        let theta = point.theta.iter().map(|t| t.ln());
        let alpha = point.alpha.iter().take(self.exponents).copied();
        let nugget = self.fixed_nugget.is_none().then(|| point.nugget.ln());
        let scale = point.scale.filter(|_| self.has_scale).map(f64::ln);
        theta.chain(alpha).chain(nugget).chain(scale).collect()
    }

    /// Puts slopes into the order of the search.
    pub fn collect(
        &self,
        theta: &[f64],
        alpha: &[f64],
        nugget: f64,
        scale: f64,
        gradient: &mut [f64],
    ) {
        let common = [alpha.iter().sum()];
        let alpha = match self.exponents {
            0 => &[],
            1 => &common[..],
            _ => alpha,
        };
        let nugget = self.fixed_nugget.is_none().then_some(nugget);
        let scale = self.has_scale.then_some(scale);
        let all = theta.iter().chain(alpha).copied().chain(nugget).chain(scale);
        gradient.iter_mut().zip(all).for_each(|(g, v)| *g = v);
    }

    /// Places of the exponents in the search.
    pub fn exponents(&self) -> Range<usize> {
        self.inputs..self.inputs + self.exponents
    }

    /// Starts: the middle first, then a Latin hypercube; two of three have the smoothest α, which is
    /// most often near the best.
    pub fn starts(&self, count: usize, seed: u64) -> Vec<Vec<f64>> {
        let mut starts: Vec<Vec<f64>> =
            vec![self.starts.iter().map(|[a, b]| 0.5 * (a + b)).collect()];
        let others = count.saturating_sub(1);
        let mut random = Random::new(seed);
        let mut strata: Vec<usize> = (0..others).collect();
        let columns: Vec<Vec<f64>> = self
            .starts
            .iter()
            .map(|[a, b]| {
                random.shuffle(&mut strata);
                let place = |s: &usize| a + (b - a) * (*s as f64 + random.unit()) / others as f64;
                strata.iter().map(place).collect()
            })
            .collect();
        starts.extend((0..others).map(|i| columns.iter().map(|c| c[i]).collect()));
        for (_, start) in starts.iter_mut().enumerate().filter(|(i, _)| i % 3 != 1) {
            self.exponents().for_each(|k| start[k] = self.starts[k][1]);
        }
        starts
    }

    pub fn nugget_is_fitted(&self) -> bool {
        self.fixed_nugget.is_none()
    }
}
