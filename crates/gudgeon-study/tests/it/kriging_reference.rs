//! Kriging with given parameters against reference values and against the textbook formulas.

use crate::kriging_common::{Textbook, branin, grid, latin_hypercube, relative};
use gudgeon_study::kriging::{
    Correlation, HyperParameters, Kriging, Nugget, Parameters, Scaling, Settings, Trend,
};

const POINTS: [[f64; 2]; 2] = [[std::f64::consts::PI, 2.275], [7.5, 7.5]];

fn fixed(theta: &[f64], exponent: &[f64], nugget: f64) -> Parameters {
    let (theta, exponent) = (theta.to_vec(), exponent.to_vec());
    Parameters::Fixed(HyperParameters { theta, exponent, nugget, variance: None })
}

/// Branin on a 4 × 4 grid, standardised, exp(−Σd²), nugget 1e−12.
fn reference_model(trend: Trend) -> Kriging {
    let inputs: Vec<[f64; 2]> =
        (0..16).map(|i| [5.0 * f64::from(i % 4) - 5.0, 5.0 * f64::from(i / 4)]).collect();
    let responses: Vec<f64> = inputs.iter().map(branin).collect();
    let settings = Settings {
        trend,
        correlation: Correlation::SquaredExponential,
        scaling: Scaling::Standard,
        parameters: fixed(&[1.0, 1.0], &[], 1e-12),
        ..Settings::default()
    };
    Kriging::fit(&inputs, &responses, &settings).unwrap()
}

/// Mean and variance as published for other programs, to the digits given.
#[test]
fn a_constant_and_a_linear_trend_give_the_reference_values() {
    let constant = reference_model(Trend::Constant);
    let linear = reference_model(Trend::Linear);
    for (model, means, variances) in [
        (&constant, [2.96040949, 36.76393202], [528.948562, 562.888524]),
        (&linear, [2.54560068, 38.89923967], [472.799810, 502.309280]),
    ] {
        for i in 0..2 {
            let at = model.predict(&POINTS[i]).unwrap();
            assert!(relative(at.mean, means[i]) < 1e-8, "{} for {}", at.mean, means[i]);
            assert!(relative(at.variance, variances[i]) < 1e-8, "{}", at.variance);
        }
    }
    assert!(relative(constant.process_variance(), 6783.516566) < 1e-9);
}

#[test]
fn a_quadratic_trend_gives_the_reference_mean() {
    let model = reference_model(Trend::Quadratic);
    for (point, mean) in POINTS.iter().zip([-1.51046520, 42.72256477]) {
        let at = model.predict(point).unwrap();
        assert!(relative(at.mean, mean) < 1e-8, "{} for {mean}", at.mean);
    }
}

fn terms(trend: Trend, x: &[f64]) -> Vec<f64> {
    match trend {
        Trend::Constant => vec![1.0],
        Trend::Linear => vec![1.0, x[0], x[1]],
        Trend::Quadratic => vec![1.0, x[0], x[1], x[0] * x[0], x[0] * x[1], x[1] * x[1]],
    }
}

/// Correlation functions as their definitions read.
fn correlation(kind: Correlation, theta: f64, alpha: f64, d: f64) -> f64 {
    match kind {
        Correlation::PowerExponential => (-theta * d.abs().powf(alpha)).exp(),
        Correlation::SquaredExponential => (-theta * d * d).exp(),
        Correlation::Matern32 => {
            let t = 3f64.sqrt() * theta * d.abs();
            (1.0 + t) * (-t).exp()
        }
        Correlation::Matern52 => {
            let t = 5f64.sqrt() * theta * d.abs();
            (1.0 + t + t * t / 3.0) * (-t).exp()
        }
    }
}

/// Every trend and correlation, with a nugget of 1e−3 so that both ways agree to many digits: the
/// condition of K is then below 3e4, and responses of 300 lose about 300 · 3e4 · 2e−16 = 2e−9.
#[test]
fn mean_and_variance_agree_with_the_textbook_formulas() {
    let inputs = latin_hypercube(23, 5);
    let responses: Vec<f64> = inputs.iter().map(branin).collect();
    let (theta, alpha, nugget) = ([1.7, 0.6], [1.9, 1.3], 1e-3);
    let column = |k: usize| inputs.iter().map(move |x| x[k]);
    let low = [0, 1].map(|k| column(k).fold(f64::INFINITY, f64::min));
    let high = [0, 1].map(|k| column(k).fold(f64::NEG_INFINITY, f64::max));
    let scale = |x: &[f64; 2]| [0, 1].map(|k| (x[k] - low[k]) / (high[k] - low[k]));
    let scaled: Vec<[f64; 2]> = inputs.iter().map(scale).collect();
    for kind in [
        Correlation::PowerExponential,
        Correlation::SquaredExponential,
        Correlation::Matern32,
        Correlation::Matern52,
    ] {
        let r = |a: &[f64; 2], b: &[f64; 2]| -> f64 {
            (0..2).map(|k| correlation(kind, theta[k], alpha[k], a[k] - b[k])).product()
        };
        for trend in [Trend::Constant, Trend::Linear, Trend::Quadratic] {
            let exponent: &[f64] = if kind == Correlation::PowerExponential { &alpha } else { &[] };
            let settings = Settings {
                trend,
                correlation: kind,
                nugget: Nugget::Fixed(nugget),
                parameters: fixed(&theta, exponent, nugget),
                ..Settings::default()
            };
            let model = Kriging::fit(&inputs, &responses, &settings).unwrap();
            let mut k: Vec<Vec<f64>> =
                scaled.iter().map(|a| scaled.iter().map(|b| r(a, b)).collect()).collect();
            (0..k.len()).for_each(|i| k[i][i] += nugget);
            let f = scaled.iter().map(|x| terms(trend, x)).collect();
            let textbook = Textbook::new(k, f, &responses);
            assert!(relative(model.process_variance(), textbook.variance) < 1e-8);
            for x in grid().iter().step_by(97) {
                let at = model.predict(x).unwrap();
                let x = scale(x);
                let of_point: Vec<f64> = scaled.iter().map(|s| r(s, &x)).collect();
                let (mean, variance) = textbook.predict(&of_point, &terms(trend, &x));
                assert!((at.mean - mean).abs() < 1e-8 * mean.abs().max(1.0), "{kind:?} {trend}");
                let bound = 1e-8 * textbook.variance;
                assert!((at.variance - variance).abs() < bound, "{kind:?} {trend}: {variance}");
            }
        }
    }
}

/// The quadratic trend's variance of the reference model against the dense formula.
#[test]
fn a_quadratic_trend_gives_the_textbook_variance() {
    let model = reference_model(Trend::Quadratic);
    // Mean and sample standard deviation of {−5, 0, 5, 10} and {0, 5, 10, 15}, four times each.
    let deviation = (4.0 * 2.0 * (7.5f64.powi(2) + 2.5f64.powi(2)) / 15.0).sqrt();
    let scale = |x: &[f64]| [(x[0] - 2.5) / deviation, (x[1] - 7.5) / deviation];
    let scaled: Vec<[f64; 2]> = model.inputs().iter().map(|x| scale(x)).collect();
    let r = |a: &[f64; 2], b: &[f64; 2]| (-(a[0] - b[0]).powi(2) - (a[1] - b[1]).powi(2)).exp();
    let mut k: Vec<Vec<f64>> =
        scaled.iter().map(|a| scaled.iter().map(|b| r(a, b)).collect()).collect();
    (0..16).for_each(|i| k[i][i] += 1e-12);
    let f = scaled.iter().map(|x| terms(Trend::Quadratic, x)).collect();
    let textbook = Textbook::new(k, f, model.responses());
    for point in &POINTS {
        let x = scale(point);
        let of_point: Vec<f64> = scaled.iter().map(|s| r(s, &x)).collect();
        let (mean, variance) = textbook.predict(&of_point, &terms(Trend::Quadratic, &x));
        let at = model.predict(point).unwrap();
        assert!(relative(at.mean, mean) < 1e-8);
        assert!(relative(at.variance, variance) < 1e-8, "{} for {variance}", at.variance);
    }
}
