//! Global searches on problems with known optima.

use crate::functions::*;
use gudgeon_study::design::variables::{Range, Ranges};
use gudgeon_study::optimise::genetic::{GeneticOptions, Polish, genetic};
use gudgeon_study::optimise::{Outcome, Problem};

/// Errors of the genetic algorithm over twenty seeds, and the most evaluations used.
fn errors(
    bounds: &[(f64, f64)],
    budget: usize,
    f: fn(&[f64]) -> f64,
    optimum: f64,
) -> (Vec<f64>, usize) {
    let variables = Ranges::bounds(bounds).unwrap();
    let mut most = 0;
    let errors = (0..20)
        .map(|seed| {
            let mut problem = Problem::of(&variables, budget, f);
            let options = GeneticOptions { seed, ..GeneticOptions::default() };
            let found = genetic(&mut problem, &options).unwrap().unwrap();
            assert!(found.evaluations <= budget && found.evaluations == problem.evaluations());
            most = most.max(found.evaluations);
            found.best.objective() - optimum
        })
        .collect();
    (errors, most)
}

#[test]
fn branin_is_solved_from_every_seed() {
    let (errors, most) = errors(&BRANIN_BOUNDS, 10_000, branin, BRANIN_MINIMUM);
    println!(
        "worst {:.1e}, at most {most} evaluations",
        errors.iter().fold(0.0f64, |m, e| m.max(e.abs()))
    );
    assert!(errors.iter().all(|e| e.abs() < 1e-6), "{errors:?}");
}

#[test]
fn hartmann_is_solved_from_nearly_every_seed() {
    let (errors, most) = errors(&[(0.0, 1.0); 6], 10_000, hartmann6, HARTMANN6_MINIMUM);
    let solved = errors.iter().filter(|e| e.abs() < 1e-6).count();
    println!("{solved} of 20, at most {most} evaluations");
    assert!(solved >= 18, "{errors:?}");
}

/// Problem g06 of Michalewicz, Schoenauer 1996: two circles leave a thin crescent; the optimum
/// −6961.81388 at (14.095, 0.84296) lies where both bind.
#[test]
fn two_binding_constraints() {
    let variables = Ranges::bounds(&[(13.0, 100.0), (0.0, 100.0)]).unwrap();
    let mut solved = 0;
    for seed in 0..10 {
        let mut problem = Problem::new(&variables, 5000, |rows| {
            let run = |x: &Vec<f64>| Outcome {
                objectives: vec![(x[0] - 10.0).powi(3) + (x[1] - 20.0).powi(3)],
                constraints: vec![
                    100.0 - (x[0] - 5.0).powi(2) - (x[1] - 5.0).powi(2),
                    (x[0] - 6.0).powi(2) + (x[1] - 5.0).powi(2) - 82.81,
                ],
            };
            rows.iter().map(run).collect()
        });
        let options = GeneticOptions { seed, ..GeneticOptions::default() };
        let found = genetic(&mut problem, &options).unwrap().unwrap().best;
        let error = (found.objective() / -6961.81388 - 1.0).abs();
        println!("{seed}: {} {error:.1e}", found.feasible());
        solved += usize::from(found.feasible() && error < 1e-4);
    }
    assert!(solved >= 9, "{solved} of 10");
}

/// All kinds of variables at once, one optimum by construction.
#[test]
fn mixed_variables() {
    let variables = Ranges::new(vec![
        Range::log(1e3, 1e9).unwrap(),
        Range::integer(1.0, 40.0).unwrap(),
        Range::words(&["a", "b", "c", "d"]).unwrap(),
        Range::linear(-5.0, 5.0).unwrap(),
    ])
    .unwrap();
    let f = |x: &[f64]| {
        let base = [3.0, 0.5, 0.0, 1.0][x[2] as usize];
        (x[0].log10() - 5.5).powi(2) + 0.1 * (x[1] - 17.0).powi(2) + base + (x[3] - 1.0).powi(2)
    };
    for seed in 0..10 {
        let mut problem = Problem::of(&variables, 4000, f);
        let options = GeneticOptions { seed, ..GeneticOptions::default() };
        let found = genetic(&mut problem, &options).unwrap().unwrap().best;
        assert_eq!(found.values[1..3], [17.0, 2.0], "seed {seed}");
        assert!(found.objective() < 1e-8, "{found:?}");
    }
}

/// The same search whatever the number of threads, bit by bit.
#[test]
fn threads_do_not_change_the_result() {
    let variables = Ranges::bounds(&[(0.0, 1.0); 6]).unwrap();
    let search = |threads: usize| {
        let mut problem =
            Problem::new(&variables, 3000, |rows| in_parallel(rows, threads, hartmann6));
        genetic(&mut problem, &GeneticOptions::default()).unwrap().unwrap()
    };
    let alone = search(1);
    assert_eq!(alone, search(4));
    assert_eq!(alone, search(7));
}

#[test]
fn failures_do_not_stop_the_search() {
    let variables = Ranges::bounds(&BRANIN_BOUNDS).unwrap();
    // A third of the space fails, with it two of the three optima.
    let f = |x: &[f64]| if x[0] > 2.0 { f64::NAN } else { branin(x) };
    let mut problem = Problem::of(&variables, 3000, f);
    let found = genetic(&mut problem, &GeneticOptions::default()).unwrap().unwrap().best;
    assert!((found.objective() - BRANIN_MINIMUM).abs() < 1e-6);
    // All runs fail: an answer, and an honest one.
    let mut problem = Problem::of(&variables, 200, |_| f64::NAN);
    let found = genetic(&mut problem, &GeneticOptions::default()).unwrap().unwrap().best;
    assert!(found.violation.is_infinite());
    assert_eq!(problem.evaluations(), 200);
    let mut none = Problem::of(&variables, 0, branin);
    assert!(genetic(&mut none, &GeneticOptions::default()).unwrap().is_none());
}

#[test]
fn a_rough_function_gets_near_by_compass() {
    let variables = Ranges::bounds(&BRANIN_BOUNDS).unwrap();
    // Ripples of 0.05 make differences of step 1e-7 worthless.
    let f = |x: &[f64]| branin(x) + 0.05 * (1e5 * (x[0] + 2.0 * x[1])).sin();
    let polish = Polish::Rough(Default::default());
    for seed in 0..5 {
        let mut problem = Problem::of(&variables, 2000, f);
        let options = GeneticOptions { seed, polish, ..GeneticOptions::default() };
        let found = genetic(&mut problem, &options).unwrap().unwrap().best;
        assert!(branin(&found.values) < BRANIN_MINIMUM + 0.11, "{found:?}");
    }
}

#[test]
fn generations_are_a_limit_over_all_epochs() {
    let variables = Ranges::bounds(&BRANIN_BOUNDS).unwrap();
    for limit in [0, 3, 20] {
        let polish = Polish::None;
        let options = GeneticOptions { limit: Some(limit), polish, ..GeneticOptions::default() };
        let mut problem = Problem::of(&variables, 100_000, branin);
        let found = genetic(&mut problem, &options).unwrap().unwrap();
        let most = options.size(2) * (limit + 1);
        assert!(found.evaluations <= most, "{limit}: {}", found.evaluations);
        assert!(found.evaluations > most / 2, "{limit}: {}", found.evaluations);
    }
}
