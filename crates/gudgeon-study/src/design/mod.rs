//! Designs of experiments: where in the space of the variables the runs of a study lie.
//!
//! A design is a list of points of the unit cube [0, 1]^d, one row per run. What a coordinate means
//! is the matter of [`variables`] (ranges) or [`distribution`] (tolerances), so that every way of
//! sampling serves both. Every random design is a function of its seed alone.

pub mod distribution;
mod factorial;
mod latin;
pub mod maximin;
pub mod measure;
pub mod normal;
mod sobol;
mod sobol_table;
pub mod variables;

pub use factorial::{factorial, factorial_of, factorial_size};
pub use latin::{latin_centred, latin_random};
pub use maximin::latin_maximin;
pub use sobol::{Sobol, sobol};

use gudgeon::random::Random;

/// What is wrong with the wish for a design.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum DesignError {
    #[error("a design needs at least one point and one variable, not {points} × {dimension}")]
    Empty { points: usize, dimension: usize },
    #[error(
        "a factorial design needs at least one level of each variable, variable {variable} has none"
    )]
    NoLevels { variable: usize },
    #[error("a factorial design of {levels:?} levels has more than {limit} points")]
    TooManyPoints { levels: Vec<usize>, limit: usize },
    #[error("Sobol' points have at most {limit} dimensions, not {dimension}")]
    TooManyDimensions { dimension: usize, limit: usize },
    #[error(
        "an optimised Latin hypercube has at most {limit} points, not {points}; use a Sobol' sequence"
    )]
    TooManyToOptimise { points: usize, limit: usize },
}

/// The ways of filling the cube with a given number of points.
#[derive(Clone, Debug, PartialEq)]
pub enum Filling {
    /// Independent uniform points.
    MonteCarlo,
    /// One point per slice of every axis, at random within the slice.
    LatinRandom,
    /// One point per slice of every axis, in the middle of the slice.
    LatinCentred,
    /// A centred Latin hypercube whose points keep far from each other; see [`maximin::Effort`].
    LatinMaximin(maximin::Effort),
    /// A Sobol' sequence as published: its first point is the corner 0.
    Sobol,
    /// A Sobol' sequence with a digital shift drawn from the seed; no point on the border.
    SobolShifted,
}

impl Filling {
    /// `points` rows of `dimension` coordinates each.
    pub fn sample(
        &self,
        points: usize,
        dimension: usize,
        seed: u64,
    ) -> Result<Vec<Vec<f64>>, DesignError> {
        match self {
            Self::MonteCarlo => monte_carlo(points, dimension, seed),
            Self::LatinRandom => latin_random(points, dimension, seed),
            Self::LatinCentred => latin_centred(points, dimension, seed),
            Self::LatinMaximin(effort) => latin_maximin(points, dimension, seed, *effort),
            Self::Sobol => sobol(points, dimension, None),
            Self::SobolShifted => sobol(points, dimension, Some(seed)),
        }
    }
}

/// Independent uniform points. Each row has a stream of its own, so the first rows of a longer
/// design are those of a shorter one.
pub fn monte_carlo(
    points: usize,
    dimension: usize,
    seed: u64,
) -> Result<Vec<Vec<f64>>, DesignError> {
    check_size(points, dimension)?;
    let row = |i: usize| {
        let mut stream = stream(seed, i as u64);
        (0..dimension).map(|_| stream.unit()).collect()
    };
    Ok((0..points).map(row).collect())
}

/// A stream for part `index` of what `seed` rules.
pub(crate) fn stream(seed: u64, index: u64) -> Random {
    Random::new(seed).split(index)
}

fn check_size(points: usize, dimension: usize) -> Result<(), DesignError> {
    if points == 0 || dimension == 0 {
        return Err(DesignError::Empty { points, dimension });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_longer_monte_carlo_design_begins_with_the_shorter_one() {
        let short = monte_carlo(5, 3, 7).unwrap();
        let long = monte_carlo(9, 3, 7).unwrap();
        assert_eq!(short[..], long[..5]);
        assert_ne!(short, monte_carlo(5, 3, 8).unwrap());
    }

    #[test]
    fn streams_of_the_same_seed_share_no_numbers() {
        for seed in [0, 1, 0x9e37_79b9_7f4a_7c15] {
            let mut all: Vec<u64> = Vec::new();
            for index in 0..20 {
                let mut numbers = stream(seed, index);
                all.extend((0..100).map(|_| numbers.next()));
            }
            all.sort_unstable();
            all.dedup();
            assert_eq!(all.len(), 2000, "seed {seed}");
        }
    }

    #[test]
    fn every_filling_has_its_size_lies_in_the_cube_and_repeats() {
        let effort = maximin::Effort(10_000);
        for filling in [
            Filling::MonteCarlo,
            Filling::LatinRandom,
            Filling::LatinCentred,
            Filling::LatinMaximin(effort),
            Filling::Sobol,
            Filling::SobolShifted,
        ] {
            let points = filling.sample(17, 3, 5).unwrap();
            assert_eq!(points.len(), 17);
            assert!(points.iter().all(|p| p.len() == 3));
            assert!(points.iter().flatten().all(|u| (0.0..1.0).contains(u)), "{filling:?}");
            assert_eq!(points, filling.sample(17, 3, 5).unwrap());
            assert!(filling.sample(0, 3, 5).is_err() && filling.sample(3, 0, 5).is_err());
        }
    }
}
