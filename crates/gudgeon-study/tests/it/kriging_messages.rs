//! What is wrong with samples and settings is said in the user's terms.

use crate::kriging_common::{branin, latin_hypercube};
use gudgeon_study::kriging::{
    Correlation, HyperParameters, Kriging, KrigingError, Labels, Nugget, Parameters, Search,
    Settings, Transform, Trend, Warning,
};

type Samples = (Vec<Vec<f64>>, Vec<f64>);

fn samples(n: usize) -> Samples {
    let inputs = latin_hypercube(n, 1);
    let responses = inputs.iter().map(branin).collect();
    (inputs.iter().map(|x| x.to_vec()).collect(), responses)
}

fn message((inputs, responses): &Samples, settings: &Settings) -> String {
    Kriging::fit(inputs, responses, settings).unwrap_err().to_string()
}

#[test]
fn the_same_point_with_two_responses_is_an_error_without_noise() {
    let mut s = samples(12);
    s.0.push(s.0[3].clone());
    s.1.push(s.1[3] + 1.0);
    let error = Kriging::fit(&s.0, &s.1, &Settings::default()).unwrap_err();
    assert!(matches!(error, KrigingError::Duplicates { rows: (3, 12), .. }));
    assert!(error.to_string().starts_with("row 4 and row 13 are the same point"), "{error}");
    let noisy = Settings { nugget: Nugget::Fitted, ..Settings::default() };
    assert!(Kriging::fit(&s.0, &s.1, &noisy).is_ok());
    let known = Settings { noise: vec![0.5; 13], ..Settings::default() };
    assert!(Kriging::fit(&s.0, &s.1, &known).is_ok());
}

#[test]
fn the_same_sample_twice_counts_once() {
    let once = samples(12);
    let mut twice = once.clone();
    twice.0.extend_from_slice(&once.0[..2]);
    twice.1.extend_from_slice(&once.1[..2]);
    let a = Kriging::fit(&once.0, &once.1, &Settings::default()).unwrap();
    let b = Kriging::fit(&twice.0, &twice.1, &Settings::default()).unwrap();
    let warning = &b.report().warnings[0];
    assert_eq!(warning, &Warning::DuplicatesDropped { rows: vec![12, 13] });
    assert_eq!(
        warning.to_string(),
        "row 13 and row 14 repeated without new information and left out"
    );
    assert_eq!(a.predict(&[1.0, 2.0]).unwrap(), b.predict(&[1.0, 2.0]).unwrap());
    assert_eq!(b.leave_one_out().predicted.len(), 12);
}

#[test]
fn a_constant_response_is_reported_and_returned() {
    for (transform, value) in [(Transform::Linear, -4.5), (Transform::Log, 1e-7)] {
        let settings = Settings { response: transform, ..Settings::default() };
        let model = Kriging::fit(&samples(9).0, &[value; 9], &settings).unwrap();
        assert!(matches!(model.report().warnings[0], Warning::ConstantResponse { .. }));
        let at = model.predict(&[3.0, 3.0]).unwrap();
        assert!((at.mean - value).abs() < 1e-12 * value.abs());
        assert_eq!(at.variance, 0.0);
        assert!(model.leave_one_out().rmse < 1e-14 * value.abs());
        let back = Kriging::from_json(&model.to_json()).unwrap();
        assert_eq!(back.predict(&[3.0, 3.0]).unwrap(), at);
    }
}

#[test]
fn a_response_that_is_the_trend_is_reported() {
    let inputs = samples(9).0;
    let responses: Vec<f64> = inputs.iter().map(|x| 2.0 - 3.0 * x[0] + x[1]).collect();
    let settings = Settings { trend: Trend::Linear, ..Settings::default() };
    let model = Kriging::fit(&inputs, &responses, &settings).unwrap();
    assert_eq!(model.report().warnings, [Warning::ExactTrend { trend: Trend::Linear }]);
    let at = model.predict(&[30.0, 1.0]).unwrap();
    assert!((at.mean + 87.0).abs() < 1e-9, "{}", at.mean);
}

#[test]
fn a_constant_input_is_reported_and_ignored() {
    let mut s = samples(14);
    s.0.iter_mut().for_each(|x| x.insert(1, 7.0));
    let model = Kriging::fit(&s.0, &s.1, &Settings::default()).unwrap();
    assert!(model.report().warnings.contains(&Warning::ConstantInputs { columns: vec![1] }));
    let (a, b) = (model.predict(&[1.0, 7.0, 2.0]).unwrap(), samples(14));
    let without = Kriging::fit(&b.0, &b.1, &Settings::default()).unwrap();
    assert!((a.mean - without.predict(&[1.0, 2.0]).unwrap().mean).abs() < 1.0);
    let linear = Settings { trend: Trend::Linear, ..Settings::default() };
    let text = message(&s, &linear);
    assert!(text.contains("linear trend") && text.contains("term input 2"), "{text}");
}

#[test]
fn a_nearly_singular_correlation_is_reported_with_its_jitter() {
    let (inputs, responses) = samples(40);
    let (theta, exponent) = (vec![1e-3; 2], vec![]);
    let given = HyperParameters { theta, exponent, nugget: 0.0, variance: None };
    let settings = Settings {
        correlation: Correlation::SquaredExponential,
        parameters: Parameters::Fixed(given),
        ..Settings::default()
    };
    let model = Kriging::fit(&inputs, &responses, &settings).unwrap();
    let [Warning::NearlySingular { condition, jitter }] = model.report().warnings[..] else {
        panic!("{:?}", model.report().warnings);
    };
    assert!(condition > 1e12 && jitter == model.report().jitter && jitter < 1e-6);
    let text = model.report().warnings[0].to_string();
    assert!(text.contains("condition") && text.contains(&format!("{jitter:.1e}")), "{text}");
}

#[test]
fn too_few_samples_are_counted() {
    let settings = Settings { trend: Trend::Quadratic, ..Settings::default() };
    assert_eq!(
        message(&samples(5), &settings),
        "a quadratic trend has 6 unknowns and needs at least 7 samples, 5 given"
    );
    assert!(Kriging::fit(&samples(7).0, &samples(7).1, &settings).is_ok());
    assert_eq!(
        message(&samples(5001), &settings),
        "5001 samples are too many: a model takes 5000 at most"
    );
}

#[test]
fn wrong_numbers_are_named_by_row_and_column() {
    let settings = Settings::default();
    let mut s = samples(8);
    s.0[2][1] = f64::NAN;
    assert_eq!(message(&s, &settings), "input 2 of row 3 is not a finite number");
    let mut s = samples(8);
    s.1[0] = f64::INFINITY;
    assert_eq!(message(&s, &settings), "response of row 1 is not a finite number");
    let mut s = samples(8);
    s.0[7].push(1.0);
    assert_eq!(message(&s, &settings), "row 8 has 3 inputs where 2 are expected");
    let log = Settings { inputs: vec![Transform::Linear, Transform::Log], ..Settings::default() };
    let mut s = samples(8);
    s.0[4][1] = -2.0;
    assert_eq!(message(&s, &log), "input 2 of row 5 is -2: its logarithm needs a positive number");
    let s = (samples(8).0, vec![1.0; 7]);
    assert_eq!(message(&s, &settings), "8 rows of inputs but 7 responses");
    assert_eq!(message(&(vec![], vec![]), &settings), "there are no samples");
}

#[test]
fn wrong_settings_are_named() {
    let s = samples(8);
    let given = |theta: &[f64], exponent: &[f64], nugget| {
        let (theta, exponent) = (theta.to_vec(), exponent.to_vec());
        let given = HyperParameters { theta, exponent, nugget, variance: None };
        Settings { parameters: Parameters::Fixed(given), ..Settings::default() }
    };
    for (settings, expected) in [
        (given(&[1.0], &[2.0, 2.0], 0.0), "theta: 1 values where 2 are expected"),
        (given(&[1.0, 1.0], &[2.0, 2.5], 0.0), "exponent = 2.5 is out of range"),
        (given(&[1.0, 0.0], &[2.0, 2.0], 0.0), "theta = 0 is out of range"),
        (given(&[1.0, 1.0], &[2.0, 2.0], -1.0), "nugget = -1 is out of range"),
        (Settings { noise: vec![1.0], ..Settings::default() }, "noise: 1 values where 8"),
        (Settings { noise: vec![-1.0; 8], ..Settings::default() }, "noise = -1 is out of range"),
        (Settings { inputs: vec![Transform::Log], ..Settings::default() }, "inputs: 1 values"),
        (
            Settings { noise: vec![1.0; 8], ..given(&[1.0, 1.0], &[2.0, 2.0], 0.0) },
            "known noise with fixed parameters needs the variance",
        ),
        (
            Settings {
                parameters: Parameters::Fitted(Search { theta: [2.0, 1.0], ..Search::default() }),
                ..Settings::default()
            },
            "theta bound = 2 is out of range",
        ),
    ] {
        let text = message(&s, &settings);
        assert!(text.starts_with(expected), "{text} for {expected}");
    }
}

/// Warnings of a fit without noise, with names.
fn warnings(inputs: &[Vec<f64>], responses: &[f64], settings: &Settings) -> Vec<String> {
    let model = Kriging::fit(inputs, responses, settings).unwrap();
    let labels = Labels { inputs: vec!["`a`".into(), "`b`".into()], ..Labels::default() };
    model.report().warnings.iter().map(|warning| warning.told(&labels)).collect()
}

#[test]
fn what_the_samples_do_not_decide_is_told_by_name() {
    let (inputs, _) = samples(20);
    let noisy = Settings { nugget: Nugget::Fitted, ..Settings::default() };
    let bend = |x: &Vec<f64>| (0.4 * x[0]).sin() + 1e-4 * (17.0 * x[0] + x[1]).sin();
    let responses: Vec<f64> = inputs.iter().map(bend).collect();
    let told = warnings(&inputs, &responses, &noisy);
    assert_eq!(told, ["`b` has no influence that the samples show"]);
    let high = Search { theta: [1e-4, 0.1], ..Search::default() };
    let narrow = Settings { parameters: Parameters::Fitted(high), ..Settings::default() };
    let ripples: Vec<f64> =
        inputs.iter().map(|x| (9.0 * x[0]).sin() * (7.0 * x[1]).cos()).collect();
    let told = warnings(&inputs, &ripples, &narrow);
    assert!(told.iter().any(|w| w.contains("lie too far apart along `a`")), "{told:?}");
}

#[test]
fn the_smooth_limit_is_no_reason_for_a_warning() {
    // Exponents of 2, θ near its lower bound, no noise: a polynomial in both inputs.
    let (inputs, _) = samples(20);
    let responses: Vec<f64> =
        inputs.iter().map(|x| x[0] - 2.0 * x[1] + 0.01 * x[0] * x[1]).collect();
    for nugget in [Nugget::None, Nugget::Fitted] {
        let settings = Settings { nugget, ..Settings::default() };
        let model = Kriging::fit(&inputs, &responses, &settings).unwrap();
        assert_eq!(model.parameters().exponent, [2.0, 2.0]);
        let bound = |w: &&Warning| !matches!(w, Warning::NearlySingular { .. });
        assert_eq!(model.report().warnings.iter().find(bound), None);
    }
}

#[test]
fn errors_name_inputs_and_samples() {
    let (mut inputs, responses) = samples(8);
    let labels = Labels {
        inputs: vec!["`a`".into(), "`b`".into()],
        rows: (0..9).map(|i| format!("sample {}", 2 * i)).collect(),
        response: Some("`loss`".into()),
    };
    let told = |s: &Samples, settings: &Settings| {
        Kriging::fit(&s.0, &s.1, settings).unwrap_err().told(&labels)
    };
    let log = Settings { response: Transform::Log, ..Settings::default() };
    let spoiled = (inputs.clone(), [&[-1.0], &responses[1..]].concat());
    let expected = "`loss` of sample 0 is -1: its logarithm needs a positive number";
    assert_eq!(told(&spoiled, &log), expected);
    let twice = [&responses[..], &[0.0]].concat();
    inputs.push(inputs[3].clone());
    let text = told(&(inputs.clone(), twice), &Settings::default());
    assert!(text.starts_with("sample 6 and sample 16 are the same point"), "{text}");
    let levels: Vec<Vec<f64>> = (0..8).map(|i| vec![f64::from(i), f64::from(i % 2)]).collect();
    let quadratic = Settings { trend: Trend::Quadratic, ..Settings::default() };
    let text = told(&(levels, responses), &quadratic);
    assert!(text.contains("its term `b`·`b` follows from the others"), "{text}");
}

#[test]
fn surprise_counts_predicted_deviations() {
    let (inputs, responses) = samples(20);
    let at = [2.0, 9.0];
    for response in [Transform::Linear, Transform::Log] {
        let settings = Settings { response, ..Settings::default() };
        let model = Kriging::fit(&inputs, &responses, &settings).unwrap();
        let (low, high) = model.interval(&at, 2.0).unwrap();
        assert!((model.surprise(&at, low).unwrap() + 2.0).abs() < 1e-9);
        assert!((model.surprise(&at, high).unwrap() - 2.0).abs() < 1e-9);
    }
}
