//! Test functions with known optima and indices.
#![allow(dead_code)]

use std::f64::consts::PI;

use gudgeon_study::optimise::Outcome;

pub const BRANIN_BOUNDS: [(f64, f64); 2] = [(-5.0, 10.0), (0.0, 15.0)];
/// 10/(8π) where the square vanishes and cos x₁ = −1.
pub const BRANIN_MINIMUM: f64 = 0.397_887_357_729_738_16;

/// Branin's function, Eq. 17 of [zhang]: three minima of the same value.
pub fn branin(x: &[f64]) -> f64 {
    let square = x[1] - 5.1 / (4.0 * PI * PI) * x[0] * x[0] + 5.0 / PI * x[0] - 6.0;
    square * square + 10.0 * ((1.0 - 1.0 / (8.0 * PI)) * x[0].cos() + 1.0)
}

/// At (0, −1).
pub const GOLDSTEIN_PRICE_MINIMUM: f64 = 3.0;

/// The function of Goldstein and Price in [−2, 2]²: values up to 1e6, three valleys above the lowest.
pub fn goldstein_price(x: &[f64]) -> f64 {
    let (a, b) = (x[0], x[1]);
    let first = 19.0 - 14.0 * a + 3.0 * a * a - 14.0 * b + 6.0 * a * b + 3.0 * b * b;
    let second = 18.0 - 32.0 * a + 12.0 * a * a + 48.0 * b - 36.0 * a * b + 27.0 * b * b;
    (1.0 + (a + b + 1.0).powi(2) * first) * (30.0 + (2.0 * a - 3.0 * b).powi(2) * second)
}

/// At (0.114589, 0.555649, 0.852547).
pub const HARTMANN3_MINIMUM: f64 = -3.862_779_787_332_66;

/// Hartmann's function of three variables.
pub fn hartmann3(x: &[f64]) -> f64 {
    const A: [[f64; 3]; 4] =
        [[3.0, 10.0, 30.0], [0.1, 10.0, 35.0], [3.0, 10.0, 30.0], [0.1, 10.0, 35.0]];
    const P: [[f64; 3]; 4] = [
        [0.3689, 0.1170, 0.2673],
        [0.4699, 0.4387, 0.7470],
        [0.1091, 0.8732, 0.5547],
        [0.0381, 0.5743, 0.8828],
    ];
    hartmann(&A, &P, x)
}

/// At (0.20169, 0.150011, 0.476874, 0.275332, 0.311652, 0.6573).
pub const HARTMANN6_MINIMUM: f64 = -3.322_368_011_415_515;

/// Hartmann's function of six variables; a second valley of −3.2032 catches many searches.
pub fn hartmann6(x: &[f64]) -> f64 {
    const A: [[f64; 6]; 4] = [
        [10.0, 3.0, 17.0, 3.5, 1.7, 8.0],
        [0.05, 10.0, 17.0, 0.1, 8.0, 14.0],
        [3.0, 3.5, 1.7, 10.0, 17.0, 8.0],
        [17.0, 8.0, 0.05, 10.0, 0.1, 14.0],
    ];
    const P: [[f64; 6]; 4] = [
        [0.1312, 0.1696, 0.5569, 0.0124, 0.8283, 0.5886],
        [0.2329, 0.4135, 0.8307, 0.3736, 0.1004, 0.9991],
        [0.2348, 0.1451, 0.3522, 0.2883, 0.3047, 0.6650],
        [0.4047, 0.8828, 0.8732, 0.5743, 0.1091, 0.0381],
    ];
    hartmann(&A, &P, x)
}

fn hartmann<const N: usize>(a: &[[f64; N]; 4], p: &[[f64; N]; 4], x: &[f64]) -> f64 {
    const ALPHA: [f64; 4] = [1.0, 1.2, 3.0, 3.2];
    let term = |i: usize| {
        let sum: f64 = (0..N).map(|j| a[i][j] * (x[j] - p[i][j]).powi(2)).sum();
        ALPHA[i] * (-sum).exp()
    };
    -(0..4).map(term).sum::<f64>()
}

/// Values rows by a number of threads, answers in order.
pub fn in_parallel(rows: &[Vec<f64>], threads: usize, f: fn(&[f64]) -> f64) -> Vec<Outcome> {
    let part = rows.len().div_ceil(threads).max(1);
    std::thread::scope(|scope| {
        let run = |part: &[Vec<f64>]| -> Vec<Outcome> {
            part.iter().map(|x| Outcome::objective(f(x))).collect()
        };
        let handles: Vec<_> = rows.chunks(part).map(|p| scope.spawn(move || run(p))).collect();
        handles.into_iter().flat_map(|h| h.join().expect("no panic")).collect()
    })
}
