//! Sensitivity measures against closed formulas.
//!
//! Ishigami, Homma 1990: f = sin x₁ + a sin² x₂ + b x₃⁴ sin x₁ on [−π, π]³, a = 7, b = 0.1. With
//! V₁ = ½ (1 + b π⁴/5)², V₂ = a²/8, V₁₃ = 8 b² π⁸/225 and V = V₁ + V₂ + V₁₃.

use gudgeon::progress::Unwatched;
use std::f64::consts::PI;

use gudgeon_study::sensitivity::*;

fn ishigami(u: &[f64]) -> f64 {
    let x: Vec<f64> = u.iter().map(|u| PI * (2.0 * u - 1.0)).collect();
    x[0].sin() + 7.0 * x[1].sin().powi(2) + 0.1 * x[2].powi(4) * x[0].sin()
}

fn batch(f: impl Fn(&[f64]) -> f64) -> impl FnMut(&[Vec<f64>]) -> Vec<f64> {
    move |rows| rows.iter().map(|x| f(x)).collect()
}

/// S and T of the Ishigami function, and its variance.
fn exact() -> ([f64; 3], [f64; 3], f64) {
    let b = 0.1;
    let v1 = 0.5 * (1.0 + b * PI.powi(4) / 5.0).powi(2);
    let v2 = 49.0 / 8.0;
    let v13 = 8.0 * b * b * PI.powi(8) / 225.0;
    let v = v1 + v2 + v13;
    ([v1 / v, v2 / v, 0.0], [(v1 + v13) / v, v2 / v, v13 / v], v)
}

#[test]
fn ishigami_indices_within_a_hundredth() {
    let (first, total, variance) = exact();
    let mut worst = 0.0f64;
    for seed in 0..5 {
        let options =
            IndexOptions { samples: 1 << 14, resamplings: 50, seed, ..IndexOptions::default() };
        let indices = sobol_indices(3, &options, &Unwatched, &mut batch(ishigami)).unwrap();
        for i in 0..3 {
            worst = worst.max((indices.first[i].value - first[i]).abs());
            worst = worst.max((indices.total[i].value - total[i]).abs());
            assert!(indices.first[i].low <= indices.first[i].value);
            assert!(indices.total[i].high >= indices.total[i].value);
        }
        assert!((indices.variance / variance - 1.0).abs() < 1e-3);
        assert!((indices.mean - 3.5).abs() < 1e-3);
    }
    println!("worst error {worst:.1e}");
    assert!(worst < 0.01, "{worst}");
}

#[test]
fn intervals_hold_the_truth_and_shrink() {
    let (first, total, _) = exact();
    let mut inside = 0;
    let mut widths = vec![];
    for samples in [1 << 8, 1 << 12] {
        let options = IndexOptions { samples, seed: 3, ..IndexOptions::default() };
        let indices = sobol_indices(3, &options, &Unwatched, &mut batch(ishigami)).unwrap();
        let pairs = indices.first.iter().zip(first).chain(indices.total.iter().zip(total));
        inside += pairs.filter(|(i, t)| (i.low..=i.high).contains(t)).count();
        widths.push(indices.first[0].high - indices.first[0].low);
    }
    // Twelve intervals of 95 %.
    assert!(inside >= 11, "{inside}");
    // Sixteen times the samples, a quarter of the width.
    assert!((0.15..0.4).contains(&(widths[1] / widths[0])), "{widths:?}");
}

#[test]
fn a_sum_has_no_interactions_whatever_its_offset() {
    // V_i = c_i²/12, and a mean far above the deviations.
    let f = |x: &[f64]| 1e6 + x[0] + 2.0 * x[1] + 3.0 * x[2];
    let options = IndexOptions { samples: 1 << 10, ..IndexOptions::default() };
    let indices = sobol_indices(3, &options, &Unwatched, &mut batch(f)).unwrap();
    for i in 0..3 {
        let share = ((i + 1) * (i + 1)) as f64 / 14.0;
        assert!((indices.first[i].value - share).abs() < 5e-3, "{indices:?}");
        assert!((indices.total[i].value - share).abs() < 5e-3, "{indices:?}");
    }
}

#[test]
fn failures_are_left_out_and_a_constant_is_refused() {
    let options = IndexOptions { samples: 1 << 10, ..IndexOptions::default() };
    let mut calls = 0;
    let mut some = |rows: &[Vec<f64>]| -> Vec<f64> {
        calls += 1;
        let value = |(i, x): (usize, &Vec<f64>)| if i % 10 == 0 { f64::NAN } else { ishigami(x) };
        rows.iter().enumerate().map(value).collect()
    };
    let indices = sobol_indices(3, &options, &Unwatched, &mut some).unwrap();
    assert_eq!((indices.used, calls), (1024 - 103, 5));
    assert!((indices.total[1].value - exact().1[1]).abs() < 0.1);
    let refused = sobol_indices(2, &options, &Unwatched, &mut batch(|_| 5.0));
    assert_eq!(refused, Err(SensitivityError::Constant));
    let refused = sobol_indices(2, &options, &Unwatched, &mut batch(|_| f64::NAN));
    assert_eq!(refused, Err(SensitivityError::TooFewRuns { used: 0, samples: 1024 }));
}

/// The g-function of Sobol': Π (|4x − 2| + a)/(1 + a); the smaller a, the stronger the variable.
#[test]
fn morris_ranks_the_g_function() {
    let a = [4.5, 0.0, 99.0, 1.0, 9.0];
    let g = move |x: &[f64]| -> f64 {
        x.iter().zip(a).map(|(x, a)| ((4.0 * x - 2.0).abs() + a) / (1.0 + a)).product()
    };
    for seed in 0..10 {
        let options = MorrisOptions { trajectories: 50, seed, ..MorrisOptions::default() };
        let effects = morris(5, &options, &mut batch(g)).unwrap();
        let mut order: Vec<usize> = (0..5).collect();
        order.sort_by(|&i, &j| effects[j].mean_size.total_cmp(&effects[i].mean_size));
        assert_eq!(order, [1, 3, 0, 4, 2], "seed {seed}: {effects:?}");
        assert!(effects.iter().all(|e| e.count == 50 && e.mean.abs() <= e.mean_size + 1e-12));
    }
}

#[test]
fn morris_gives_the_slopes_of_a_plane() {
    let mut sizes = vec![];
    let f = |x: &[f64]| 3.0 - 2.0 * x[0] + 5.0 * x[1];
    let mut counted = |rows: &[Vec<f64>]| {
        sizes.push(rows.len());
        assert!(rows.iter().flatten().all(|u| (0.0..=1.0).contains(u)));
        rows.iter().map(|x| f(x)).collect()
    };
    let options = MorrisOptions { trajectories: 7, levels: 6, seed: 1 };
    let effects = morris(2, &options, &mut counted).unwrap();
    for (e, slope) in effects.iter().zip([-2.0, 5.0f64]) {
        assert!((e.mean - slope).abs() < 1e-12 && (e.mean_size - slope.abs()).abs() < 1e-12);
        assert!(e.deviation < 1e-12);
    }
    assert_eq!(sizes, [21]);
    let odd = MorrisOptions { levels: 5, ..options };
    assert_eq!(morris(2, &odd, &mut batch(f)), Err(SensitivityError::Levels { levels: 5 }));
}

#[test]
fn main_effects_of_ishigami() {
    // E[f | x₁] = sin x₁ (1 + b π⁴/5) + a/2; E[f | x₂] = a sin² x₂; E[f | x₃] = a/2.
    let levels = vec![vec![0.0, 0.25, 0.5, 0.75, 1.0]; 3];
    let curves = main_effects(&levels, 1 << 12, 1, &mut batch(ishigami)).unwrap();
    for (k, &u) in levels[0].iter().enumerate() {
        let x = PI * (2.0 * u - 1.0);
        let expected = [x.sin() * (1.0 + 0.1 * PI.powi(4) / 5.0) + 3.5, 7.0 * x.sin().powi(2), 3.5];
        for i in 0..3 {
            assert!((curves[i].mean[k] - expected[i]).abs() < 0.01, "x{} at {u}", i + 1);
        }
    }
    assert_eq!(curves[0].used, 1 << 12);
}
