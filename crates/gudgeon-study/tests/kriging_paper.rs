//! The Kriging examples of zhang: Branin (§4.3), Tables 4 and 6 (§5).

mod kriging_common;

use gudgeon_study::kriging::{Kriging, Parameters, Search, Settings};
use kriging_common::{branin, grid, latin_hypercube};

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
    assert!(mean < 9.0 && median < 7.5, "mean {mean}, median {median}: {errors:.2?}");
}

/// Clearance mm, stiffness N/m^1.5, slider acceleration m/s².
const TABLE_4: [[f64; 3]; 10] = [
    [0.5, 9.4e9, 1.1e5],
    [0.45, 3.4e9, 1.0e5],
    [0.05, 1.5e10, 2.0e4],
    [0.3, 1.1e10, 8.5e4],
    [0.15, 1.2e10, 2.7e4],
    [0.35, 6.4e9, 9.3e4],
    [0.25, 1.7e10, 6.8e4],
    [0.1, 7.9e9, 2.0e4],
    [0.2, 4.9e9, 4.5e4],
    [0.4, 1.4e10, 9.1e4],
];

/// Crank speed rpm, stiffness N/m^1.5, clearance mm, slider acceleration m/s². Row 12 is printed as
/// 1.30e3; its force says 1.30e4.
const TABLE_6: [[f64; 4]; 30] = [
    [7.33e2, 2.16e11, 0.76, 6.45e3],
    [5.00e1, 2.31e10, 0.39, 9.40e1],
    [3.80e3, 2.62e11, 0.63, 6.60e4],
    [3.12e3, 9.13e10, 0.8, 6.35e4],
    [3.30e3, 1.59e11, 0.05, 8.48e3],
    [1.07e3, 1.94e11, 0.19, 3.57e3],
    [2.62e3, 3.30e8, 0.49, 3.59e4],
    [9.03e2, 1.17e10, 0.7, 7.92e3],
    [2.78e3, 2.96e11, 0.09, 6.61e3],
    [5.62e2, 3.07e11, 0.56, 4.80e3],
    [2.43e3, 2.39e11, 0.53, 3.43e4],
    [1.25e3, 1.37e11, 0.97, 1.30e4],
    [4.15e3, 1.48e11, 0.59, 6.46e4],
    [4.83e3, 3.44e10, 0.12, 2.06e4],
    [2.95e3, 3.19e11, 0.9, 6.30e4],
    [3.98e3, 1.03e11, 0.22, 3.58e4],
    [3.47e3, 1.71e11, 0.93, 8.11e4],
    [1.75e3, 1.25e11, 0.46, 1.71e4],
    [4.67e3, 3.30e11, 0.29, 7.94e4],
    [4.48e3, 2.85e11, 0.86, 1.23e5],
    [1.42e3, 1.14e11, 0.02, 1.58e3],
    [3.63e3, 2.50e11, 0.26, 4.17e4],
    [2.10e3, 5.72e10, 1.0, 3.77e4],
    [2.27e3, 6.85e10, 0.16, 6.76e3],
    [2.20e2, 2.28e11, 0.43, 2.50e3],
    [3.92e2, 7.99e10, 0.83, 2.97e3],
    [1.59e3, 2.73e11, 0.32, 1.59e4],
    [5.00e3, 2.05e11, 0.36, 9.90e4],
    [1.93e3, 1.82e11, 0.66, 2.92e4],
    [4.32e3, 4.58e10, 0.73, 9.68e4],
];

fn model<const N: usize>(table: &[[f64; N]]) -> Kriging {
    let inputs: Vec<&[f64]> = table.iter().map(|row| &row[..N - 1]).collect();
    let responses: Vec<f64> = table.iter().map(|row| row[N - 1]).collect();
    Kriging::fit(&inputs, &responses, &Settings::default()).unwrap()
}

/// Printed 4.4e4; the exponent of the point's stiffness is missing, both readings are tried.
#[test]
fn the_31st_point_of_table_6_is_predicted() {
    let model = model(&TABLE_6);
    for stiffness in [2.2e10, 2.2e11] {
        let at = model.predict(&[3000.0, stiffness, 0.5]).unwrap();
        assert!((at.mean - 4.4e4).abs() < 0.05 * 4.4e4, "{}", at.mean);
    }
}

/// The likelihood of Table 6 has several maxima; ten starts find the highest, ln 𝓛 = −318.598 as
/// found with 1000 starts, from any seed.
#[test]
fn the_highest_maximum_of_table_6_is_found_from_any_seed() {
    let inputs: Vec<&[f64]> = TABLE_6.iter().map(|row| &row[..3]).collect();
    let responses: Vec<f64> = TABLE_6.iter().map(|row| row[3]).collect();
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
    let at = model(&TABLE_4).predict(&[0.18, 1.0e10]).unwrap();
    assert!((at.mean - 3.65e4).abs() < 0.02 * 3.65e4, "{}", at.mean);
}
