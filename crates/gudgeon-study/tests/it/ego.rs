//! Expected improvement and the loop around it, with the simplest exact surrogate.

use crate::functions::*;
use gudgeon::progress::Unwatched;
use gudgeon::random::Random;
use gudgeon_study::design::variables::Ranges;
use gudgeon_study::kriging::{Refit, Settings};
use gudgeon_study::optimise::ego::*;
use gudgeon_study::optimise::{Outcome, Problem};
use nalgebra::{Cholesky, DMatrix, DVector, Dyn};

/// A Gaussian process of known mean, variance and length: no fit of parameters.
struct Process {
    points: Vec<Vec<f64>>,
    factor: Cholesky<f64, Dyn>,
    weights: DVector<f64>,
    mean: f64,
    variance: f64,
}

const LENGTH: f64 = 0.25;

fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let d2: f64 = a.iter().zip(b).map(|(x, y)| ((x - y) / LENGTH).powi(2)).sum();
    (-0.5 * d2).exp()
}

fn fit(
    _: usize,
    points: &[Vec<f64>],
    values: &[f64],
    _: Refit,
) -> Result<Process, std::fmt::Error> {
    let n = points.len();
    let mean = values.iter().sum::<f64>() / n as f64;
    let variance = values.iter().map(|y| (y - mean).powi(2)).sum::<f64>() / n as f64;
    let matrix = DMatrix::from_fn(n, n, |i, j| {
        correlation(&points[i], &points[j]) + if i == j { 1e-9 } else { 0.0 }
    });
    let factor = Cholesky::new(matrix).ok_or(std::fmt::Error)?;
    let weights = factor.solve(&DVector::from_iterator(n, values.iter().map(|y| y - mean)));
    Ok(Process { points: points.to_vec(), factor, weights, mean, variance })
}

impl Surrogate for Process {
    fn predict(&self, points: &[Vec<f64>]) -> Vec<(f64, f64)> {
        let one = |x: &Vec<f64>| {
            let n = self.points.len();
            let r = DVector::from_iterator(n, self.points.iter().map(|p| correlation(p, x)));
            let explained = r.dot(&self.factor.solve(&r));
            (self.mean + r.dot(&self.weights), self.variance * (1.0 - explained).max(0.0))
        };
        points.iter().map(one).collect()
    }

    fn log_likelihood(&self) -> Option<f64> {
        None
    }
}

#[test]
fn expected_improvement_is_the_mean_of_the_improvement() {
    // Midpoint rule over ± 9 standard deviations; and the closed value 1/√(2π) at z = 0.
    for (mean, s, best) in [(0.0, 1.0, 0.0), (1.0, 2.0, 0.5), (3.0, 1.0, 0.0), (-2.0, 0.5, 0.0)] {
        let n = 200_000;
        let sum: f64 = (0..n)
            .map(|i| -9.0 + 18.0 * (i as f64 + 0.5) / n as f64)
            .map(|t| (best - mean - s * t).max(0.0) * (-0.5 * t * t).exp())
            .sum();
        let integral = sum * 18.0 / n as f64 / std::f64::consts::TAU.sqrt();
        let value = expected_improvement(mean, s * s, best);
        assert!((value / integral - 1.0).abs() < 1e-6, "{value} {integral}");
    }
    assert!((expected_improvement(0.0, 1.0, 0.0) - 0.3989422804014327).abs() < 1e-15);
}

#[test]
fn its_logarithm_is_smooth_and_finite_far_out() {
    // The two formulas meet at z = −3.
    let [a, b] = [3.0 - 1e-9, 3.0 + 1e-9].map(|m| log_expected_improvement(m, 1.0, 0.0));
    assert!((a - b).abs() < 1e-7, "{a} {b}");
    let far = log_expected_improvement(1e4, 1.0, 0.0);
    assert!(far.is_finite() && far < -4e7);
    assert_eq!(log_expected_improvement(1.0, 0.0, 0.0), f64::NEG_INFINITY);
    assert_eq!(log_expected_improvement(-1.0, 0.0, 0.0), 0.0);
    assert_eq!((log_feasibility(-1.0, 0.0), log_feasibility(1.0, 0.0)), (0.0, f64::NEG_INFINITY));
}

#[test]
fn branin_in_forty_runs() {
    let variables = Ranges::bounds(&BRANIN_BOUNDS).unwrap();
    for seed in 0..5 {
        let mut problem = Problem::of(&variables, 40, branin);
        let options = EgoOptions { initial: Some(10), seed, ..EgoOptions::default() };
        let result = ego(&mut problem, vec![], &options, &mut fit).unwrap();
        let error = result.best.unwrap().objective() - BRANIN_MINIMUM;
        println!("seed {seed}: {error:.2e} {:?} {}", result.end, result.runs.len());
        // 3e-5 of the range of the function, 308.
        assert!(error < 0.01, "seed {seed}: {error}");
    }
}

/// θ and α are fitted anew after every run.
#[test]
fn branin_with_kriging() {
    let variables = Ranges::bounds(&BRANIN_BOUNDS).unwrap();
    for seed in 0..2 {
        let mut problem = Problem::of(&variables, 35, branin);
        let options = EgoOptions { initial: Some(12), seed, ..EgoOptions::default() };
        let mut fits = Fits::new(Settings::default(), &Unwatched);
        let mut kriging = |r: usize, x: &[Vec<f64>], y: &[f64], p| fits.fit(r, x, y, p);
        let result = ego(&mut problem, vec![], &options, &mut kriging).unwrap();
        let error = result.best.unwrap().objective() - BRANIN_MINIMUM;
        println!("kriging, seed {seed}: {error:.2e} {:?} {}", result.end, result.runs.len());
        assert!(error < 0.05, "seed {seed}: {error}");
    }
}

#[test]
fn batches_and_known_runs() {
    let variables = Ranges::bounds(&BRANIN_BOUNDS).unwrap();
    let mut sizes = vec![];
    let known = {
        let mut first = Problem::of(&variables, 12, branin);
        let mut random = Random::new(1);
        first.run((0..12).map(|_| vec![random.unit(), random.unit()]).collect())
    };
    let mut problem = Problem::new(&variables, 30, |rows| {
        sizes.push(rows.len());
        rows.iter().map(|x| Outcome::objective(branin(x))).collect()
    });
    let options = EgoOptions { initial: Some(12), batch: 4, ..EgoOptions::default() };
    let result = ego(&mut problem, known, &options, &mut fit).unwrap();
    drop(problem);
    assert_eq!(sizes, [4, 4, 4, 4, 4, 4, 4, 2]);
    assert_eq!(result.runs.len(), 42);
    assert!(result.best.unwrap().objective() - BRANIN_MINIMUM < 0.1);
}

/// Branin with a disc alone allowed that leaves all three optima out, and with failures elsewhere.
#[test]
fn constraints_and_failures() {
    let variables = Ranges::bounds(&BRANIN_BOUNDS).unwrap();
    let mut problem = Problem::new(&variables, 60, |rows| {
        let run = |x: &Vec<f64>| Outcome {
            objectives: vec![if x[0] < -3.0 { f64::NAN } else { branin(x) }],
            constraints: vec![(x[0] - 4.0).powi(2) + (x[1] - 4.0).powi(2) - 3.0],
        };
        rows.iter().map(run).collect()
    });
    let options = EgoOptions { initial: Some(12), ..EgoOptions::default() };
    let best = ego(&mut problem, vec![], &options, &mut fit).unwrap().best.unwrap();
    // The optimum lies on the border of the disc; by a fine grid:
    let grid = (0..=2000)
        .flat_map(|i| (0..=2000).map(move |j| [i, j].map(|k| 2.0 + k as f64 / 500.0)))
        .filter(|x| (x[0] - 4.0).powi(2) + (x[1] - 4.0).powi(2) <= 3.0)
        .map(|x| branin(&x))
        .fold(f64::INFINITY, f64::min);
    println!("{best:?} {grid}");
    assert!(best.feasible());
    assert!(best.objective() < grid + 0.05, "{best:?}, {grid}");
}

#[test]
fn a_search_ends_below_the_improvement_given_and_a_bad_fit_is_told() {
    let variables = Ranges::bounds(&[(0.0, 1.0)]).unwrap();
    let mut problem = Problem::of(&variables, 100, |x| (x[0] - 0.3).powi(2));
    let options = EgoOptions { initial: Some(5), stop_below: Some(1e-5), ..EgoOptions::default() };
    let result = ego(&mut problem, vec![], &options, &mut fit).unwrap();
    assert_eq!(result.end, EgoEnd::NothingToGain);
    assert!(result.runs.len() < 40, "{}", result.runs.len());
    assert!(result.best.unwrap().objective() < 1e-5);
    let mut problem = Problem::of(&variables, 100, |x| x[0]);
    let mut bad = |_: usize, _: &[Vec<f64>], _: &[f64], _| Err::<Process, _>(std::fmt::Error);
    let error = ego(&mut problem, vec![], &options, &mut bad).unwrap_err();
    assert_eq!(error.to_string(), "the surrogate of response 0 could not be fitted");
}

/// Midpoint rule over ± 9 standard deviations of the logarithm, for both directions.
#[test]
fn improvements_of_logarithms_are_those_of_the_response() {
    for (mean, s, best) in
        [(0.0f64, 1.0f64, 0.0f64), (1.0, 0.3, 0.5), (3.0, 1.0, 2.0), (-2.0, 0.5, 0.0)]
    {
        let n = 200_000;
        let integral = |gain: &dyn Fn(f64) -> f64| {
            let t = |i: usize| -9.0 + 18.0 * (i as f64 + 0.5) / n as f64;
            let part = |t: f64| gain(mean + s * t).max(0.0) * (-0.5 * t * t).exp();
            (0..n).map(|i| part(t(i))).sum::<f64>() * 18.0 / n as f64 / std::f64::consts::TAU.sqrt()
        };
        let low = integral(&|y: f64| best.exp() - y.exp());
        let high = integral(&|y: f64| (-y).exp() - (-best).exp());
        let [found_low, found_high] = [Modelled::Logarithm, Modelled::NegativeLogarithm]
            .map(|modelled| modelled.improvement(mean, s * s, best));
        assert!((found_low / low - 1.0).abs() < 1e-6, "{found_low} {low}");
        assert!((found_high / high - 1.0).abs() < 1e-6, "{found_high} {high}");
    }
    // Certain predictions.
    assert!((Modelled::Logarithm.improvement(0.0, 0.0, 1.0) - (1f64.exp() - 1.0)).abs() < 1e-12);
    assert_eq!(Modelled::Logarithm.improvement(1.0, 0.0, 0.0), 0.0);
    assert_eq!(Modelled::NegativeLogarithm.improvement(1.0, 0.0, 0.0), 0.0);
}
