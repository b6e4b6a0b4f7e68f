//! The Kriging examples of zhang: Branin (§4.3), Tables 4 and 6 (§5).

use crate::kriging_common::{branin, grid, latin_hypercube};
use gudgeon_study::kriging::{Kriging, Parameters, Search, Settings};

/// 20 points, θ and α by maximum likelihood, 20 designs: single designs differ by a factor of 7.
#[test]
fn branin_is_learned_from_twenty_points() {
    let grid = grid();
    let mut errors: Vec<f64> = (0..20)
        .map(|seed| {
            let inputs = latin_hypercube(20, 100 + seed);
            let responses: Vec<f64> = inputs.iter().map(branin).collect();
            let model = Kriging::fit(&inputs, &responses, &Settings::default()).unwrap();
            let at = model.predict_all(&grid).unwrap();
            let squares: f64 =
                at.iter().zip(&grid).map(|(p, x)| (p.mean - branin(x)).powi(2)).sum();
            (squares / grid.len() as f64).sqrt()
        })
        .collect();
    errors.sort_by(f64::total_cmp);
    let mean = errors.iter().sum::<f64>() / 20.0;
    let median = 0.5 * (errors[9] + errors[10]);
    println!("RMSE of 20 designs: mean {mean:.2}, median {median:.2}");
    assert!(mean < 9.0 && median < 7.5, "mean {mean}, median {median}: {errors:.2?}");
}

/// Designs in SI and printed accelerations of a table, from the one copy of the paper's figures.
/// Variables are in the order of that file.
fn table(name: &str, rows: usize) -> (Vec<Vec<f64>>, Vec<f64>) {
    let text = include_str!("../../../../models/slider_crank/reference.toml");
    let reference: toml::Table = toml::from_str(text).unwrap();
    let groups = reference["groups"].as_array().unwrap();
    let group = groups.iter().find(|group| group["name"].as_str() == Some(name)).unwrap();
    let number = |value: &toml::Value| match value.as_str().map(|text| text.split_once(' ')) {
        None => value.as_float().unwrap(),
        Some(Some((number, "mm"))) => number.parse::<f64>().unwrap() * 1e-3,
        Some(Some((number, "rpm"))) => number.parse().unwrap(),
        other => panic!("{other:?}"),
    };
    let cases = &group["cases"].as_array().unwrap()[..rows];
    let design =
        |case: &toml::Value| case["set"].as_table().unwrap().values().map(number).collect();
    let printed = |case: &toml::Value| case["printed"][0].as_float().unwrap();
    (cases.iter().map(design).collect(), cases.iter().map(printed).collect())
}

fn model((inputs, responses): (Vec<Vec<f64>>, Vec<f64>)) -> Kriging {
    Kriging::fit(&inputs, &responses, &Settings::default()).unwrap()
}

/// Printed 4.4e4; the exponent of the point's stiffness is missing, both readings are tried.
#[test]
fn the_31st_point_of_table_6_is_predicted() {
    let model = model(table("table6", 30));
    for stiffness in [2.2e10, 2.2e11] {
        let at = model.predict(&[3000.0, stiffness, 0.5e-3]).unwrap();
        assert!((at.mean - 4.4e4).abs() < 0.05 * 4.4e4, "{}", at.mean);
    }
}

/// The likelihood of Table 6 has several maxima; ten starts find the highest, ln 𝓛 = −318.598 as
/// found with 1000 starts, from any seed.
#[test]
fn the_highest_maximum_of_table_6_is_found_from_any_seed() {
    let (inputs, responses) = table("table6", 30);
    for seed in 0..12 {
        let parameters = Parameters::Fitted(Search { seed, ..Search::default() });
        let settings = Settings { parameters, ..Settings::default() };
        let model = Kriging::fit(&inputs, &responses, &settings).unwrap();
        let reached = model.report().log_likelihood;
        assert!((reached + 318.598).abs() < 0.01, "seed {seed}: {reached}");
    }
}

/// The table's data give 3.65e4, not the printed 3.0e4: the paper's model differed.
#[test]
fn the_11th_point_of_table_4_is_not_the_printed_one() {
    let at = model(table("table4", 10)).predict(&[0.18e-3, 1.0e10]).unwrap();
    assert!((at.mean - 3.65e4).abs() < 0.02 * 3.65e4, "{}", at.mean);
}
