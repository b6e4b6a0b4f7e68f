//! What users meet: noise, transforms, validation, storage, repeatability.

use crate::kriging_common::{branin, grid, latin_hypercube, relative};
use gudgeon::random::Random;
use gudgeon_study::kriging::{
    Correlation, Exponents, Folds, HyperParameters, Kriging, KrigingError, Nugget, Parameters,
    Refit, Scaling, Search, Settings, Transform, Trend,
};

fn branin_samples(n: usize, seed: u64) -> (Vec<[f64; 2]>, Vec<f64>) {
    let inputs = latin_hypercube(n, seed);
    let responses = inputs.iter().map(branin).collect();
    (inputs, responses)
}

fn smooth(correlation: Correlation) -> Settings {
    Settings { correlation, ..Settings::default() }
}

#[test]
fn every_correlation_and_trend_passes_through_the_samples() {
    let (inputs, responses) = branin_samples(25, 1);
    for correlation in [
        Correlation::PowerExponential,
        Correlation::SquaredExponential,
        Correlation::Matern32,
        Correlation::Matern52,
    ] {
        for trend in [Trend::Constant, Trend::Linear, Trend::Quadratic] {
            for scaling in [Scaling::Unit, Scaling::Standard] {
                let settings = Settings { trend, scaling, ..smooth(correlation) };
                let model = Kriging::fit(&inputs, &responses, &settings).unwrap();
                for (at, y) in model.predict_all(&inputs).unwrap().iter().zip(&responses) {
                    assert!((at.mean - y).abs() < 1e-3, "{correlation:?} {trend}: {}", at.mean);
                    assert!(at.variance < 1e-6 * model.process_variance());
                }
            }
        }
    }
}

/// Q² above 0.99 from 40 points: Branin is smooth, so less says that a correlation or trend is wrong.
#[test]
fn forty_points_of_branin_are_enough() {
    let (inputs, responses) = branin_samples(40, 2);
    let points = grid();
    let exact: Vec<f64> = points.iter().map(branin).collect();
    let mean = exact.iter().sum::<f64>() / exact.len() as f64;
    let spread: f64 = exact.iter().map(|y| (y - mean).powi(2)).sum();
    for correlation in
        [Correlation::PowerExponential, Correlation::SquaredExponential, Correlation::Matern52]
    {
        let model = Kriging::fit(&inputs, &responses, &smooth(correlation)).unwrap();
        let at = model.predict_all(&points).unwrap();
        let squares: f64 = at.iter().zip(&exact).map(|(p, y)| (p.mean - y).powi(2)).sum();
        assert!(1.0 - squares / spread > 0.99, "{correlation:?}: {}", 1.0 - squares / spread);
    }
}

/// The likelihood of the result is not below that of a fine grid of θ.
#[test]
fn the_search_finds_the_highest_likelihood() {
    let (inputs, responses) = branin_samples(20, 7);
    let settings = smooth(Correlation::SquaredExponential);
    let found = Kriging::fit(&inputs, &responses, &settings).unwrap();
    let mut best = f64::NEG_INFINITY;
    for i in 0..50 {
        for j in 0..50 {
            let theta = [i, j].map(|k| 10f64.powf(-3.0 + 0.1 * f64::from(k))).to_vec();
            let given = HyperParameters { theta, exponent: vec![], nugget: 0.0, variance: None };
            let parameters = Parameters::Fixed(given);
            let fixed = Settings { parameters, ..settings.clone() };
            if let Ok(model) = Kriging::fit(&inputs, &responses, &fixed) {
                best = best.max(model.report().log_likelihood);
            }
        }
    }
    let reached = found.report().log_likelihood;
    assert!(reached > best - 1e-6, "{reached} against {best} on the grid");
    assert!(reached < best + 1.0, "the grid is too coarse to say anything");
}

/// y = sin + noise of deviation 0.1: the fitted nugget tells it, and the model smooths it.
#[test]
fn a_fitted_nugget_recovers_the_noise() {
    let mut random = Random::new(11);
    let inputs: Vec<[f64; 1]> = (0..150).map(|i| [f64::from(i) / 15.0]).collect();
    let responses: Vec<f64> = inputs.iter().map(|x| x[0].sin() + 0.1 * random.normal()).collect();
    let settings = Settings { nugget: Nugget::Fitted, ..smooth(Correlation::SquaredExponential) };
    let model = Kriging::fit(&inputs, &responses, &settings).unwrap();
    // The deviation of a variance from 150 samples is 12 %.
    assert!(relative(model.noise_variance(), 0.01) < 0.3, "{}", model.noise_variance());
    for i in 0..40 {
        let x = 0.25 * f64::from(i);
        let at = model.predict(&[x]).unwrap();
        assert!((at.mean - x.sin()).abs() < 0.08, "at {x}: {}", at.mean);
        assert!((at.mean - x.sin()).abs() < 5.0 * at.deviation());
    }
    // Predicted deviations are right: the mean of 150 squares of normal numbers is 1 ± 0.12.
    let folds = Folds { count: 10, seed: 3, parameters: Refit::Kept };
    for validation in [model.leave_one_out(), model.k_fold(folds).unwrap()] {
        let spread = validation.standardised.iter().map(|z| z * z).sum::<f64>() / 150.0;
        assert!((spread - 1.0).abs() < 0.35, "{spread}");
    }
}

/// Known variances that are all equal are a nugget that is known, and weigh samples otherwise.
#[test]
fn known_noise_is_a_nugget_per_sample() {
    let mut random = Random::new(5);
    let inputs: Vec<[f64; 1]> = (0..60).map(|i| [f64::from(i % 30) / 5.0]).collect();
    let noise: Vec<f64> = (0..60).map(|i| if i < 30 { 0.25 } else { 1e-4 }).collect();
    let responses: Vec<f64> =
        inputs.iter().zip(&noise).map(|(x, v)| x[0].sin() + v.sqrt() * random.normal()).collect();
    let weighted = Settings { noise, ..smooth(Correlation::SquaredExponential) };
    let model = Kriging::fit(&inputs, &responses, &weighted).unwrap();
    let rmse = |model: &Kriging| {
        let squares = |i: i32| {
            let x = 0.05 * f64::from(i);
            (model.predict(&[x]).unwrap().mean - x.sin()).powi(2)
        };
        ((0..116).map(squares).sum::<f64>() / 116.0).sqrt()
    };
    // The precise half alone has deviation 0.01.
    assert!(rmse(&model) < 0.01, "{}", rmse(&model));
    let equal = Settings { nugget: Nugget::Fitted, ..smooth(Correlation::SquaredExponential) };
    let unweighted = Kriging::fit(&inputs, &responses, &equal).unwrap();
    assert!(rmse(&unweighted) > 3.0 * rmse(&model));

    // Given parameters: equal noise v with variance s is the nugget v/s.
    let given = |nugget, variance| {
        let (theta, exponent) = (vec![3.0], vec![]);
        Parameters::Fixed(HyperParameters { theta, exponent, nugget, variance })
    };
    let known = Settings { noise: vec![0.02; 60], parameters: given(0.0, Some(0.4)), ..weighted };
    let nugget = Settings { noise: vec![], parameters: given(0.05, None), ..known.clone() };
    let known = Kriging::fit(&inputs, &responses, &known).unwrap();
    let nugget = Kriging::fit(&inputs, &responses, &nugget).unwrap();
    for i in 0..20 {
        let x = [0.3 * f64::from(i)];
        let (a, b) = (known.predict(&x).unwrap(), nugget.predict(&x).unwrap());
        assert!((a.mean - b.mean).abs() < 1e-10);
        let factor = known.process_variance() / nugget.process_variance();
        assert!(relative(a.variance, factor * b.variance) < 1e-8);
    }
}

/// y = 3 x₁² /x₂ is linear in logarithms: three samples more than unknowns make it exact.
#[test]
fn logarithms_make_power_laws_linear() {
    let mut random = Random::new(2);
    let inputs: Vec<[f64; 2]> = (0..9)
        .map(|_| [10f64.powf(2.0 * random.unit()), 10f64.powf(3.0 * random.unit())])
        .collect();
    let responses: Vec<f64> =
        inputs.iter().map(|x| 3.0 * x[0].powi(2) / x[1] * (1.0 + 0.01 * x[0].ln().sin())).collect();
    let settings = Settings {
        trend: Trend::Linear,
        inputs: vec![Transform::Log; 2],
        response: Transform::Log,
        ..Settings::default()
    };
    let model = Kriging::fit(&inputs, &responses, &settings).unwrap();
    let at = model.predict(&[20.0, 50.0]).unwrap();
    assert!(relative(at.mean, 24.0 * (1.0 + 0.01 * 20f64.ln().sin())) < 0.01, "{}", at.mean);
    let (low, high) = model.interval(&[20.0, 50.0], 2.0).unwrap();
    assert!(low > 0.0 && relative(low * high, at.mean * at.mean) < 1e-10);
    // Small variances: that of Y is that of ln Y times the mean squared.
    let log_deviation = (high / low).ln() / 4.0;
    assert!(relative(at.deviation(), at.mean * log_deviation) < 0.01);
    let error = model.predict(&[-1.0, 2.0]).unwrap_err();
    assert!(matches!(error, KrigingError::NotPositive { row: 0, column: Some(0), .. }));
}

#[test]
fn units_of_inputs_and_responses_do_not_matter() {
    let (inputs, responses) = branin_samples(20, 3);
    let moved: Vec<[f64; 2]> = inputs.iter().map(|x| [1e-6 * x[0] + 4.0, 1e9 * x[1]]).collect();
    let scaled: Vec<f64> = responses.iter().map(|y| 1e7 * y - 3e8).collect();
    let settings = Settings { trend: Trend::Linear, ..smooth(Correlation::Matern52) };
    let a = Kriging::fit(&inputs, &responses, &settings).unwrap();
    let b = Kriging::fit(&moved, &scaled, &settings).unwrap();
    for x in grid().iter().step_by(53) {
        let (p, q) = (a.predict(x).unwrap(), b.predict(&[1e-6 * x[0] + 4.0, 1e9 * x[1]]).unwrap());
        assert!((1e7 * p.mean - 3e8 - q.mean).abs() < 1e-5 * 1e7 * 50.0);
        assert!((1e14 * p.variance - q.variance).abs() < 1e-4 * b.process_variance());
    }
}

#[test]
fn a_common_exponent_is_one_number() {
    let (inputs, responses) = branin_samples(20, 4);
    let search = Search { exponents: Exponents::Common, ..Search::default() };
    let common = Settings { parameters: Parameters::Fitted(search), ..Settings::default() };
    let common = Kriging::fit(&inputs, &responses, &common).unwrap();
    let each = Kriging::fit(&inputs, &responses, &Settings::default()).unwrap();
    let found = common.parameters().exponent;
    assert!(found.len() == 2 && found[0] == found[1]);
    // More freedom cannot fit worse, beyond what differences of starts leave.
    assert!(each.report().log_likelihood > common.report().log_likelihood - 1e-3);
}

/// Dubrule's formulas against models made without each sample in turn.
#[test]
fn leaving_one_out_is_what_it_says() {
    let (inputs, responses) = branin_samples(18, 6);
    for trend in [Trend::Constant, Trend::Linear, Trend::Quadratic] {
        let settings =
            Settings { trend, nugget: Nugget::Fixed(1e-3), ..smooth(Correlation::Matern52) };
        let model = Kriging::fit(&inputs, &responses, &settings).unwrap();
        let closed = model.leave_one_out();
        let folds = Folds { count: 18, seed: 0, parameters: Refit::Kept };
        let refitted = model.k_fold(folds).unwrap();
        for i in 0..18 {
            let (a, b) = (closed.predicted[i], refitted.predicted[i]);
            assert!((a - b).abs() < 1e-8 * 300.0, "{trend}, sample {i}: {a} against {b}");
            assert!((closed.residuals[i] - (responses[i] - a)).abs() < 1e-9);
        }
        assert!(relative(closed.rmse, refitted.rmse) < 1e-8);
        let squares: f64 = closed.residuals.iter().map(|e| e * e).sum();
        assert!(relative(closed.rmse, (squares / 18.0).sqrt()) < 1e-12);
    }
}

/// Q² of a smooth function is high, that of noise is low.
#[test]
fn validation_tells_good_models_from_bad() {
    let (inputs, responses) = branin_samples(60, 8);
    let model = Kriging::fit(&inputs, &responses, &smooth(Correlation::Matern52)).unwrap();
    let good = model.leave_one_out();
    assert!(good.q2 > 0.98, "{}", good.q2);
    let anew = Folds { count: 5, seed: 1, parameters: Refit::Anew };
    let folded = model.k_fold(anew).unwrap();
    assert!(folded.q2 > 0.95, "{}", folded.q2);
    assert_eq!(folded, model.k_fold(anew).unwrap());

    let mut random = Random::new(1);
    let noise: Vec<f64> = (0..60).map(|_| random.normal()).collect();
    let settings = Settings { nugget: Nugget::Fitted, ..smooth(Correlation::Matern52) };
    let bad = Kriging::fit(&inputs, &noise, &settings).unwrap().leave_one_out();
    assert!(bad.q2 < 0.3, "{}", bad.q2);
    let error = model.k_fold(Folds { count: 1, ..anew }).unwrap_err();
    assert!(matches!(error, KrigingError::Folds { folds: 1, samples: 60 }));
}

#[test]
fn a_model_read_back_predicts_the_same_bits() {
    let (inputs, responses) = branin_samples(22, 9);
    let noisy = Settings {
        nugget: Nugget::Fitted,
        noise: (0..22).map(f64::from).collect(),
        trend: Trend::Linear,
        ..Settings::default()
    };
    let log = Settings { response: Transform::Log, ..smooth(Correlation::Matern32) };
    for settings in [Settings::default(), noisy, log] {
        let model = Kriging::fit(&inputs, &responses, &settings).unwrap();
        let text = model.to_json();
        let back = Kriging::from_json(&text).unwrap();
        assert_eq!(back.settings(), &settings);
        assert_eq!(back.report().log_likelihood, model.report().log_likelihood);
        assert_eq!(back.report().warnings, model.report().warnings);
        let points = grid();
        assert_eq!(back.predict_all(&points).unwrap(), model.predict_all(&points).unwrap());
        assert_eq!(back.to_json(), text);
    }
    assert!(matches!(Kriging::from_json("{}"), Err(KrigingError::Format(_))));
    let other = r#"{"format": "gudgeon-kriging", "version": 7}"#;
    let message = Kriging::from_json(other).unwrap_err().to_string();
    assert!(message.contains("version 7"), "{message}");
}

#[test]
fn the_same_seed_gives_the_same_bits_in_every_thread() {
    let (inputs, responses) = branin_samples(30, 10);
    let fit = || Kriging::fit(&inputs, &responses, &Settings::default()).unwrap();
    let first = fit();
    std::thread::scope(|scope| {
        let others: Vec<_> = (0..4).map(|_| scope.spawn(fit)).collect();
        for other in others {
            let other = other.join().unwrap();
            assert_eq!(other.to_json(), first.to_json());
            assert_eq!(other.report(), first.report());
        }
    });
    let single: Vec<_> = grid().iter().take(29).map(|x| first.predict(x).unwrap()).collect();
    assert_eq!(single, first.predict_all(&grid()[..29]).unwrap());
}

/// Close samples of smooth functions make K as singular as it gets; the fit still has to be good.
#[test]
fn dense_samples_of_a_smooth_function_do_not_break_the_fit() {
    for n in [2, 3, 5, 100, 300] {
        let inputs: Vec<[f64; 1]> = (0..n).map(|i| [f64::from(i) / f64::from(n - 1)]).collect();
        let f = |x: f64| (3.0 * x).sin() + x;
        let responses: Vec<f64> = inputs.iter().map(|x| f(x[0])).collect();
        let settings = smooth(Correlation::SquaredExponential);
        let model = Kriging::fit(&inputs, &responses, &settings).unwrap();
        let error = |i: i32| {
            let x = 0.013 * f64::from(i);
            (model.predict(&[x]).unwrap().mean - f(x)).abs()
        };
        let worst = (0..77).map(error).fold(0.0, f64::max);
        // A few samples only have to give something sensible: f is between 0 and 1.7.
        let bound = if n >= 100 { 1e-6 } else { 1.7 };
        assert!(worst < bound, "{n} samples: {worst}");
    }
}

#[test]
fn six_inputs_of_which_two_matter() {
    let mut random = Random::new(21);
    let mut point = || -> [f64; 6] { std::array::from_fn(|_| random.unit()) };
    let f = |x: &[f64; 6]| (4.0 * x[1]).sin() + 2.0 * x[4] * x[4] + 0.01 * x[0];
    let inputs: Vec<[f64; 6]> = (0..60).map(|_| point()).collect();
    let others: Vec<[f64; 6]> = (0..200).map(|_| point()).collect();
    let responses: Vec<f64> = inputs.iter().map(f).collect();
    let model =
        Kriging::fit(&inputs, &responses, &smooth(Correlation::SquaredExponential)).unwrap();
    let at = model.predict_all(&others).unwrap();
    let squares: f64 = at.iter().zip(&others).map(|(p, x)| (p.mean - f(x)).powi(2)).sum();
    assert!((squares / 200.0).sqrt() < 0.01, "{}", (squares / 200.0).sqrt());
    let theta = model.parameters().theta;
    let others = [0, 2, 3, 5].map(|k| theta[k]).into_iter().fold(0.0, f64::max);
    assert!(theta[1] > 20.0 * others && theta[4] > 5.0 * others, "{theta:?}");
}
