//! The best minimum of a cheap smooth function: many starts, a descent from each.
//!
//! The cube is sampled by shifted Sobol' points; from the best of them that keep apart, and from
//! points the caller knows, [`super::local`] descends. Integers and choices stay at their sampled values.

use super::local::{LocalOptions, Minimum, descend};
use crate::design::measure::distance_squared;
use crate::design::variables::Ranges;
use crate::design::{DesignError, Filling, Sobol};

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MultistartOptions {
    /// Points sampled.
    pub samples: usize,
    /// Descents from the best of them.
    pub starts: usize,
    /// Least distance of two starts, for each √d.
    pub apart: f64,
    pub seed: u64,
    /// The descents, or the second part of them if there is a first.
    pub local: LocalOptions,
    /// Rough descents from all starts, of which the best `FINE` are followed to the end.
    pub rough: Option<LocalOptions>,
}

/// Rough descents that are followed to the end.
const FINE: usize = 2;

impl Default for MultistartOptions {
    fn default() -> Self {
        let local = LocalOptions::default();
        Self { samples: 500, starts: 8, apart: 0.1, seed: 0, local, rough: None }
    }
}

/// All minima found, best first; `known` are further starts, each of which is followed.
pub fn multistart(
    variables: &Ranges,
    known: &[Vec<f64>],
    options: &MultistartOptions,
    f: &mut dyn FnMut(&[Vec<f64>]) -> Vec<f64>,
) -> Result<Vec<Minimum>, DesignError> {
    let dimension = variables.dimension();
    let points = even(variables, options.samples.max(1), options.seed)?;
    let values = f(&points);
    let mut sampled: Vec<Minimum> =
        points.into_iter().zip(values).map(|(point, value)| Minimum { point, value }).collect();
    sampled.retain(|m| !m.value.is_nan());
    sampled.sort_by(|a, b| a.value.total_cmp(&b.value));
    let apart = options.apart * options.apart * dimension as f64;
    let mut starts: Vec<Vec<f64>> = known.to_vec();
    for candidate in &sampled {
        if starts.len() >= options.starts + known.len() {
            break;
        }
        if starts.iter().all(|s| distance_squared(s, &candidate.point) >= apart) {
            starts.push(candidate.point.clone());
        }
    }
    let count = |k: &usize| variables.as_slice()[*k].count().is_none();
    let free: Vec<usize> = (0..dimension).filter(count).collect();
    let first = options.rough.as_ref().unwrap_or(&options.local);
    let mut minima: Vec<Minimum> =
        starts.iter().filter_map(|s| descend(s, &free, first, f)).collect();
    if options.rough.is_some() {
        minima.sort_by(|a, b| a.value.total_cmp(&b.value));
        for minimum in minima.iter_mut().take(FINE) {
            let fine = descend(&minimum.point, &free, &options.local, f);
            *minimum = fine.unwrap_or_else(|| minimum.clone());
        }
    }
    minima.extend(sampled.into_iter().next());
    minima.sort_by(|a, b| a.value.total_cmp(&b.value));
    Ok(minima)
}

/// Points spread evenly over the values that the variables take.
pub(super) fn even(
    variables: &Ranges,
    count: usize,
    seed: u64,
) -> Result<Vec<Vec<f64>>, DesignError> {
    let dimension = variables.dimension();
    let filling = match dimension {
        0..=Sobol::DIMENSIONS => Filling::SobolShifted,
        _ => Filling::LatinRandom,
    };
    let mut points = filling.sample(count, dimension, seed)?;
    points.iter_mut().for_each(|p| variables.snap(p));
    Ok(points)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_lowest_of_many_valleys() {
        // Rastrigin's function in [−5.12, 5.12]², 121 valleys, the lowest at the shifted centre.
        let rastrigin = |u: &[f64]| {
            let term = |x: f64| x * x - 10.0 * (std::f64::consts::TAU * x).cos() + 10.0;
            u.iter().map(|u| term(10.24 * u - 5.62)).sum::<f64>()
        };
        let variables = Ranges::bounds(&[(0.0, 1.0); 2]).unwrap();
        let options = MultistartOptions { starts: 20, ..MultistartOptions::default() };
        let minima = multistart(&variables, &[], &options, &mut |rows| {
            rows.iter().map(|x| rastrigin(x)).collect()
        })
        .unwrap();
        assert!(minima[0].value < 1e-8, "{:?}", minima[0]);
        assert!(minima.windows(2).all(|w| w[0].value <= w[1].value));
    }
}
